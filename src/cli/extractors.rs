//! The extractors of a tree: read from its `codedb.toml` and allowed by the user's.

use std::path::Path;

use super::settings::{text, user_text};
use crate::parsers::extractors::{Extractors, NAME};

/// Returns the extractors that the user allows for the tree at `root`. Where a file is not valid there
/// are none, and the reason is returned.
pub(super) fn of(root: &Path) -> (Extractors, Option<String>) {
    let Some(tree) = text(&root.join(NAME)) else { return (Extractors::default(), None) };
    let user = user_text();
    match Extractors::configured(root, &tree, user.as_deref()) {
        Ok(extractors) => (extractors, None),
        Err(problem) => (Extractors::default(), Some(problem)),
    }
}

/// Returns what a person should know about the extractors that do not run.
pub(super) fn remarks(root: &Path) -> Vec<String> {
    let (extractors, problem) = of(root);
    let refused = |name: &String| {
        format!(
            "the extractor `{name}` does not run: the user's `{NAME}` does not allow its command for \
             this tree"
        )
    };
    let problem = problem.map(|problem| format!("no extractor runs: {problem}"));
    extractors.refused().iter().map(refused).chain(problem).collect()
}
