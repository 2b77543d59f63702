//! Sizes of randomised tests.

/// Returns how many cases a randomised test runs: `short`, or 50 times as many if the environment
/// variable `CODEDB_LONG` is set.
pub(crate) fn cases(short: u32) -> u32 {
    let is_long =
        std::env::var_os("CODEDB_LONG").is_some_and(|value| value != "0" && !value.is_empty());
    if is_long { short * 50 } else { short }
}
