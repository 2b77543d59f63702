//! Two spellings of one test: the id under which its results are stored, and the one that its runner
//! prints. The module `reports::ids` defines canonical ids.

use std::borrow::Cow;

/// The extensions of files whose runners print `FILE > describe > it`.
const JAVASCRIPT: [&str; 8] = ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"];

/// Returns the canonical spelling of an id that is spelled as its runner prints it: `a.test.js > d > it`
/// becomes `a.test.js::d > it`, and `src/a.rs - b::c (line 5)` becomes `src/a.rs::b::c (line 5)`. Other
/// ids stay as they are.
pub fn spelled(id: &str) -> Cow<'_, str> {
    let is_path_of = |path: &str, extensions: &[&str]| {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension);
        !path.contains("::") && extension.is_some_and(|of| extensions.contains(&of))
    };
    let titles = id.split_once(" > ").filter(|(path, _)| is_path_of(path, &JAVASCRIPT));
    let example = || {
        id.split_once(" - ")
            .filter(|(path, item)| is_path_of(path, &["rs"]) && item.contains("(line "))
    };
    match titles.or_else(example) {
        Some((path, name)) => Cow::Owned(format!("{path}::{name}")),
        None => Cow::Borrowed(id),
    }
}

/// Returns the other spelling of a canonical id, if [`spelled`] returns the id for one.
pub fn as_printed(id: &str) -> Option<String> {
    let (path, name) = id.split_once("::")?;
    [" > ", " - "]
        .iter()
        .map(|separator| format!("{path}{separator}{name}"))
        .find(|printed| spelled(printed) == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_as_runners_print_them_are_spelled_canonically() {
        for (printed, expected) in [
            ("a/sum.test.js > mul", "a/sum.test.js::mul"),
            ("a.spec.tsx > d > it > is", "a.spec.tsx::d > it > is"),
            ("src/a.rs - b::c (line 5)", "src/a.rs::b::c (line 5)"),
        ] {
            assert_eq!(spelled(printed), expected);
            assert_eq!(as_printed(expected).as_deref(), Some(printed));
            assert_eq!(spelled(expected), expected);
        }
        for id in ["a.py::b[x > y]", "a.test.js::d > it", "describe > it", "a - b", "a.rs::b"] {
            assert_eq!(spelled(id), id);
        }
        assert_eq!(as_printed("a.py::b"), None);
        assert_eq!(as_printed("src/a.rs::tests::b"), None);
    }
}
