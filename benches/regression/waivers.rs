//! Waivers: lines that accept a named failure, `bench-waive: CASE: reason`, in a commit's message
//! or the pull request's text.
//!
//! They are parsed strictly: invalid lines that look like a waiver are reported, and so are unused
//! waivers, whose author expected a different result.

use super::protocol::is_name;

/// The prefix of a waiver, at the start of a line.
const WORD: &str = "bench-waive:";

/// Instead of a case: the corpus changed, and nothing can be compared.
pub(crate) const CORPUS: &str = "corpus";

/// One waiver.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Waiver {
    /// The full name of a case, or [`CORPUS`].
    pub(crate) case: String,
    /// The reason.
    pub(crate) reason: String,
}

/// Parses the waivers of a text; returns them, and the errors of lines that look like one.
pub(crate) fn parse(text: &str) -> (Vec<Waiver>, Vec<String>) {
    let (mut waivers, mut problems) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim_end) {
        let lower = line.trim_start_matches([' ', '\t', '>', '-', '*', '`']).to_lowercase();
        if !lower.starts_with("bench-waive") && !lower.starts_with("bench_waive") {
            continue;
        }
        match waiver(line) {
            Ok(waiver) if waivers.contains(&waiver) => {}
            Ok(waiver) => waivers.push(waiver),
            Err(problem) => problems.push(problem),
        }
    }
    (waivers, problems)
}

fn waiver(line: &str) -> Result<Waiver, String> {
    let shown: String = line.chars().filter(|it| !it.is_control()).take(100).collect();
    let bad = |what: &str| format!("`{shown}` waives nothing: {what}");
    let rest = line
        .strip_prefix(WORD)
        .ok_or_else(|| bad("a waiver is `bench-waive: CASE: reason`, from the line's start"))?;
    let (case, reason) = rest
        .trim_start()
        .split_once(": ")
        .ok_or_else(|| bad("it needs a case and a reason, with `: ` between them"))?;
    if !is_name(case) {
        return Err(bad("its case is no whole name of a case"));
    }
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(bad("it gives no reason"));
    }
    Ok(Waiver { case: case.to_owned(), reason: reason.to_owned() })
}
