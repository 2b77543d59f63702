//! `cli/…`: the program from start to exit, with its output read.

use super::case::{Case, CaseOutput};
use super::stage::Stage;

/// Names and arguments.
const CASES: &[(&str, &[&str])] = &[
    ("search/rare", &["search", "--fresh", "strict", "stringToPath"]),
    ("search/common", &["search", "--fresh", "strict", "return"]),
    ("search/absent", &["search", "--fresh", "strict", "no such text is anywhere in here"]),
    ("search/files", &["search", "--fresh", "strict", "-l", "function"]),
    ("search/watched", &["search", "--fresh", "watch", "stringToPath"]),
    ("symbol/name", &["symbol", "--fresh", "strict", "Flask"]),
    ("status/whole", &["status"]),
];

/// Returns the cases. Other tests check the output.
pub(crate) fn cases<'a>(stage: &'a Stage, is_selected: &dyn Fn(&str) -> bool) -> Vec<Case<'a>> {
    let wanted = CASES.iter().map(|(name, args)| (format!("cli/{name}"), *args));
    wanted
        .filter(|(name, _)| is_selected(name))
        .map(|(name, args)| Case {
            name,
            tool: String::new(),
            expected: None,
            is_countable: false,
            run: Box::new(move || Ok(CaseOutput::Text(stage.output_of(args)?))),
        })
        .collect()
}
