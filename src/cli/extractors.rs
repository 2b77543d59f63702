//! The extractors of a tree: read from its `codedb.toml` and allowed by the user's.

use std::fs;
use std::path::{Path, PathBuf};

use crate::parsers::extractors::{BYTES_MAX, Extractors, NAME};

/// Returns the extractors that the user allows for the tree at `root`. Where a file is not valid there
/// are none, and the reason is returned.
pub(super) fn of(root: &Path) -> (Extractors, Option<String>) {
    let Some(tree) = text(&root.join(NAME)) else { return (Extractors::default(), None) };
    let user = user_file().and_then(|path| text(&path));
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

/// Returns the user's own file.
fn user_file() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CONFIG_HOME").filter(|value| Path::new(value).is_absolute());
    let dir = named.map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".config")))?;
    Some(dir.join("codedb").join(NAME))
}

/// Returns the text of a regular file that is not too large.
fn text(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let is_usable = metadata.is_file() && metadata.len() <= BYTES_MAX;
    is_usable.then(|| fs::read_to_string(path).ok()).flatten()
}
