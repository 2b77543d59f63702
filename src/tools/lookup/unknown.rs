//! Errors about unknown names, with similar names, the files that define the name elsewhere, and
//! the number of files that are not indexed yet, one of which may define it.

use super::{Qualified, id_parts, is_glob};
use crate::answer::nearest;
use crate::base::{path, text};
use crate::catalog::Catalog;
use crate::error::{Error, Kind, NOT_INDEXED, Result, UNKNOWN_NAME};
use crate::graph::link::SymbolAt;
use crate::tools::coverage::{Coverage, Reading};
use crate::tools::syntax_gaps::SyntaxGaps;
use crate::tools::{counted, paths};

/// The maximum number of candidates that are examined. It is higher than the number of suggestions,
/// because the queried name itself is not a suggestion.
const NEAREST_MAX: usize = 4 * nearest::OFFERED_MAX;

/// Returns the error for a name that has no definition. It suggests qualified names that end with
/// the last part of the name, then the nearest names.
///
/// # Errors
///
/// [`Kind::Corrupt`] if the index is damaged.
pub(super) fn unknown(catalog: &Catalog, name: &str) -> Result<Error> {
    // The definition of an id may have moved to another file.
    let qualified = id_parts(name).map_or(name, |(_, qualified)| qualified);
    let last = Qualified::new(qualified).map_or(qualified, |qualified| qualified.last);
    let mut offered = Offered { query: name, names: Vec::new() };
    if last != name && last.as_bytes() >= crate::index::code::keys::NAMES_FROM {
        for &at in catalog.defined(last.as_bytes())?.iter().take(NEAREST_MAX) {
            catalog.symbol(at)?.iter().for_each(|symbol| offered.add(&symbol.qualified_name));
        }
    }
    // Names that match except for the scope come first.
    let mut targets = vec![last, qualified];
    targets.dedup();
    for target in targets {
        for near in nearest::defined(catalog, target.as_bytes())? {
            // The index may contain names of files that changed since.
            if !catalog.defined(&near)?.is_empty() {
                offered.add(&String::from_utf8_lossy(&near));
            }
        }
    }
    let mut error = match unindexed(catalog, name) {
        Some(error) => error,
        None => {
            let message = format!("`{}` is not defined in this tree", text::plain(name));
            Error::new(Kind::NotFound, message).with_code(UNKNOWN_NAME)
        }
    };
    if is_glob(name) {
        error = error.with_hint("{tool:symbol} takes a glob as `pattern`");
    }
    let hint = nearest::hint(&offered.names);
    let hint = hint
        .unwrap_or("{tool:word} lists every occurrence of a name, defined here or not".to_owned());
    error = error.with_hint(hint);
    if let Some(gaps) = SyntaxGaps::of_name(catalog, last, |_| true)?.notice() {
        error = error.with_hint(gaps);
    }
    let unread = Coverage::of(catalog).or_unread(catalog, Reading::Symbols).unread_notices();
    Ok(unread.into_iter().fold(error, Error::with_hint))
}

/// Returns the error about a name that a file which is not indexed yet may define; `None` if all are indexed.
fn unindexed(catalog: &Catalog, name: &str) -> Option<Error> {
    let missing = catalog.missing().len();
    let verb = if missing == 1 { "is" } else { "are" };
    let files = counted(missing, "file");
    let message = format!("`{}` is not known: {files} {verb} not indexed yet", text::plain(name));
    let error = Error::new(Kind::NotFound, message).with_code(NOT_INDEXED);
    let hint = "repeat the call after the index is built; {tool:search} reads every file now";
    (missing > 0).then(|| error.with_hint(hint))
}

/// Returns the error about a name that is defined, but not at or below the path `given`.
pub fn elsewhere(catalog: &Catalog, name: &str, given: &str, found: &[SymbolAt]) -> Error {
    let mut files: Vec<String> = Vec::new();
    for at in found {
        let path = format!("`{}`", text::plain(&paths::shown(catalog.path(at.file))));
        if files.len() < nearest::OFFERED_MAX && !files.contains(&path) {
            files.push(path);
        }
    }
    let error = unindexed(catalog, name).unwrap_or_else(|| {
        let message = format!("`{}` is not defined here", text::plain(name));
        Error::new(Kind::NotFound, message).with_code(UNKNOWN_NAME)
    });
    error
        .with_path(&path::to_path(given.as_bytes()))
        .with_hint(format!("it is defined in {}", files.join(", ")))
}

/// The names that an error suggests.
struct Offered<'a> {
    query: &'a str,
    names: Vec<String>,
}

impl Offered<'_> {
    /// Adds a name up to the limit, unless it is already present or is the queried name.
    fn add(&mut self, name: &str) {
        let shown = text::plain(name);
        let is_new = name != self.query && !self.names.contains(&shown);
        if is_new && self.names.len() < nearest::OFFERED_MAX {
            self.names.push(shown);
        }
    }
}
