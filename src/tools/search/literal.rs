//! A literal query that matches nothing, but looks like a regular expression.

use serde::Serialize;

use super::Matcher;
use super::candidates::{Bounds, Within, searched};
use crate::catalog::Catalog;
use crate::error::Result;
use crate::tools::Call;
use crate::tools::pattern::Pattern;

/// The maximum number of candidate files, and of their bytes, that are read only to count what the
/// regular expression matches.
const BOUNDS: Bounds = Bounds { files_max: 2_000, bytes_max: 32 << 20, ..Bounds::ALL };

/// What the query matches as a regular expression.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Literal {
    /// The number of files and of lines; absent if counting them takes long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex_files: Option<usize>,
    /// See `regex_files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex_lines: Option<usize>,
}

/// Returns what a literal query matches as a regular expression; `None` unless it looks like a
/// valid one.
pub(super) fn tried(
    call: &Call<'_>,
    catalog: &Catalog,
    literal: &Pattern<'_>,
    within: Within<'_>,
) -> Result<Option<Literal>> {
    if literal.is_regex || !literal.is_like_regex() {
        return Ok(None);
    }
    let pattern = Pattern { is_regex: true, ..*literal };
    let Ok(regex) = pattern.regex() else { return Ok(None) };
    let matcher = Matcher { regex: &regex, finder: None };
    let found = searched(call, catalog, &pattern, &matcher, within, BOUNDS)?;
    if found.files_unread > 0 {
        return Ok(Some(Literal::default()));
    }
    let lines = found.matching.iter().map(|of| of.count).sum();
    Ok(Some(Literal { regex_files: Some(found.matching.len()), regex_lines: Some(lines) }))
}

impl Literal {
    /// Returns the notice that the query is read as a text, and what it is as a regular expression.
    pub(super) fn notice(self) -> String {
        let literal = "`query` is searched as a text";
        match (self.regex_files, self.regex_lines) {
            (Some(0), _) => {
                format!("{literal}; as a regular expression it matches nothing, either")
            }
            (Some(_), Some(_)) => {
                "`query` is found nowhere as a text; these are the matches of the \
                                   regular expression (`regex: true`)"
                    .to_owned()
            }
            _ => format!("{literal}; `regex: true` makes it a regular expression"),
        }
    }
}
