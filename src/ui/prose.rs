//! Sentences of replies on pages: names in back-ticks as code, names of tools as links to their pages, and arguments
//! of tools, which pages do not have, as a link that shows more.

use std::sync::LazyLock;

use maud::{Markup, html};

use crate::base::text::plain;
use crate::tools::{self, Tool};

/// Tools whose replies a page has, with the address of that page.
const PAGES: &[(&str, &str)] = &[
    ("callers", "/calls"),
    ("callpath", "/calls"),
    ("check", "/risk"),
    ("churn", "/history"),
    ("context", "/context"),
    ("coupling", "/history"),
    ("explain", "/calls"),
    ("find", "/file"),
    ("history", "/history"),
    ("hot", "/history"),
    ("ls", "/file"),
    ("outline", "/file"),
    ("ownership", "/history"),
    ("read", "/file"),
    ("risk_map", "/risk"),
    ("search", "/search"),
    ("status", "/status"),
    ("suggest_tests", "/risk"),
    ("symbol", "/symbol"),
    ("test_gaps", "/risk"),
    ("trace", "/calls"),
    ("tree", "/map"),
    ("who_reviews", "/history"),
];

/// Arguments of tools that show more of a list.
const BOUNDS: [&str; 4] = ["limit", "max_results", "max_per_file", "max_tokens"];

/// Other arguments that sentences recommend.
const ARGUMENTS: &[&str] = &[
    "base",
    "body",
    "commit",
    "commits",
    "depth",
    "detail",
    "directory",
    "file_path",
    "files",
    "line_start",
    "max_hops",
    "min_count",
    "offset",
    "path",
    "path_glob",
    "paths",
    "since",
    "targets",
    "unsure",
    "verbose",
    "working_tree",
];

/// The values of bounds that pages ask for, one after the other.
const MORE: [usize; 2] = [100, 1_000];

/// The tools that sentences on pages may mention.
pub(super) static OFFERED: LazyLock<Vec<&'static Tool>> = LazyLock::new(|| {
    PAGES.iter().filter_map(|(name, _)| tools::find(&format!("codedb_{name}"))).collect()
});

/// What shows more of a section: an argument of its tool, and its value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct More {
    pub(super) argument: &'static str,
    pub(super) value: usize,
}

impl More {
    /// Returns what a parameter of an address asks for, such as `limit.100`.
    pub(super) fn of(text: &str) -> Option<More> {
        let (name, value) = text.split_once('.')?;
        let argument = BOUNDS.into_iter().find(|of| *of == name)?;
        let value = value.parse().ok().filter(|value| MORE.contains(value))?;
        Some(More { argument, value })
    }

    /// Returns the parameter.
    pub(super) fn parameter(self) -> String {
        format!("{}.{}", self.argument, self.value)
    }

    /// Returns what shows more than this, or than the first part.
    fn next(self) -> Option<More> {
        let value = MORE.into_iter().find(|value| *value > self.value)?;
        Some(More { value, ..self })
    }
}

/// Returns a sentence without the clauses that recommend an argument of a tool, and what shows more, if a clause
/// did. `shown` is what the reply was asked for.
pub(super) fn without_arguments(sentence: &str, shown: Option<More>) -> (String, Option<More>) {
    let mut more = None;
    let mut clauses = Vec::new();
    for clause in sentence.split("; ") {
        let mut names = clause.split('`').skip(1).step_by(2);
        if let Some(argument) =
            names.clone().find_map(|name| BOUNDS.into_iter().find(|of| *of == name))
        {
            more = shown.unwrap_or(More { argument, value: 0 }).next();
        } else if !names.any(|name| ARGUMENTS.contains(&name)) {
            clauses.push(clause);
        }
    }
    (clauses.join("; "), more)
}

/// Returns a sentence as a part of a page.
pub(super) fn prose(sentence: &str) -> Markup {
    let link =
        |name: &str| PAGES.iter().find(|(tool, _)| *tool == name).map(|(_, address)| *address);
    html! {
        @for (at, piece) in sentence.split('`').enumerate() {
            @if at % 2 == 0 { (plain(piece)) }
            @else if let Some(address) = link(piece) { a href=(address) { (piece.replace('_', " ")) } }
            @else { code { (plain(piece)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_what_shows_more() {
        let check = |sentence: &str, shown, expected: &str, more: Option<&str>| {
            let (text, found) = without_arguments(sentence, shown);
            assert_eq!((text.as_str(), found.map(More::parameter).as_deref()), (expected, more));
        };
        check("10 of 12 shown; `limit` shows more", None, "10 of 12 shown", Some("limit.100"));
        check(
            "a; `max_results` shows more; b",
            More::of("max_results.100"),
            "a; b",
            Some("max_results.1000"),
        );
        check("a; `limit` shows more", More::of("limit.1000"), "a", None);
        check("a; `path_glob` narrows the search", None, "a", None);
        check(
            "`f` is not defined; did you mean `g`?",
            None,
            "`f` is not defined; did you mean `g`?",
            None,
        );
        assert_eq!((More::of("limit.7"), More::of("query.100"), More::of("")), (None, None, None));
    }

    #[test]
    fn names_are_code_and_tools_are_links() {
        let text = prose("`a<b` is unknown: `risk_map` lists it, `").into_string();
        let expected = "<code>a&lt;b</code> is unknown: <a href=\"/risk\">risk map</a> lists it, ";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn every_tool_of_a_page_exists() {
        assert_eq!(OFFERED.len(), PAGES.len());
    }
}
