//! Globs of callers. `globset::Glob::compile_matcher` panics on a glob whose regular expression is too
//! large or nests too deeply; a set of one glob reports that instead.

use globset::{GlobBuilder, GlobSet};

/// Returns the matcher of a glob. With `is_literal_separator`, only `**` matches `/`.
///
/// # Errors
///
/// The reason why the glob is invalid.
pub fn compile(glob: &str, is_literal_separator: bool) -> Result<GlobSet, String> {
    let parsed = GlobBuilder::new(glob).literal_separator(is_literal_separator).build();
    let set = parsed.and_then(|glob| GlobSet::builder().add(glob).build());
    set.map_err(|error| match error.kind() {
        // The message contains the regular expression.
        globset::ErrorKind::Regex(_) => "it is too long or nests too deeply".to_owned(),
        kind => kind.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_that_are_too_large_are_errors() {
        assert!(compile("a/*.{rs,py}", true).expect("a glob").is_match("a/b.py"));
        let nested = format!("{}a{}", "{".repeat(500), "}".repeat(500));
        let long = "a".repeat(1 << 20);
        for glob in [nested, long, "[".to_owned()] {
            if let Err(message) = compile(&glob, true) {
                assert!(message.len() < 100, "{message}");
            }
        }
    }
}
