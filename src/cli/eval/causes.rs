//! Failures by cause, as a table and as lines; for `localize` and `context`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::base::text::plain;
use crate::eval::causes::{Cause, Failure};

/// The length at which titles are cut, in characters.
const TITLE_CHARS_MAX: usize = 60;

/// The failures of one task.
pub(super) struct Failed<'a> {
    /// The id of the task.
    pub(super) id: &'a str,
    /// Its title.
    pub(super) title: &'a str,
    /// The first file, if there is any.
    pub(super) first: Option<&'a str>,
    /// The reasons for it.
    pub(super) why: &'a [String],
    /// The files that are not where they are expected.
    pub(super) failures: &'a [Failure],
}

/// Returns the number of failures of each cause that occurs.
pub(super) fn counts(failed: &[Failed<'_>]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for failure in failed.iter().flat_map(|of| of.failures) {
        *counts.entry(failure.cause.name()).or_default() += 1;
    }
    counts
}

/// Returns the table of causes, most frequent first; empty without failures. `what` describes the files.
pub(super) fn table(failed: &[Failed<'_>], what: &str) -> String {
    let counts = counts(failed);
    let all: usize = counts.values().sum();
    let mut out = String::new();
    if all == 0 {
        return out;
    }
    let _ = writeln!(out, "\n| {what}, by cause | files | share |\n| --- | ---: | ---: |");
    let mut rows: Vec<(&str, usize)> = counts.into_iter().collect();
    let order = |name: &str| Cause::ALL.iter().position(|cause| cause.name() == name);
    rows.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), order(name)));
    for (name, count) in rows {
        let _ = writeln!(out, "| {name} | {count} | {:.0} % |", 100.0 * count as f64 / all as f64);
    }
    out
}

/// Returns one line for each failure: the task, the expected file with its rank, its cause, the first file with
/// its reasons.
pub(super) fn lines(failed: &[Failed<'_>]) -> String {
    let mut out = String::new();
    for of in failed {
        let title = cut(&plain(of.title));
        for Failure { file, rank, cause, detail } in of.failures {
            let rank =
                rank.map_or_else(|| "no rank".to_owned(), |rank| format!("rank {}", rank + 1));
            let detail =
                if detail.is_empty() { String::new() } else { format!(" ({})", plain(detail)) };
            let _ = writeln!(
                out,
                "{}  {title}  {} ({rank})  {}{detail}  first: {} ({})",
                plain(of.id),
                plain(file),
                cause.name(),
                plain(of.first.unwrap_or("none")),
                plain(&of.why.join(" ")),
            );
        }
    }
    out
}

fn cut(title: &str) -> String {
    match title.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}
