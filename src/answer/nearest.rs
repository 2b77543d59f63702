//! Suggestions for unknown names: the nearest existing ones.

use crate::query::fuzzy::PathIndex;

/// The maximum number of names that an error suggests.
pub const OFFERED_MAX: usize = 3;

/// Returns the indices of the names that are nearest to `query`, the nearest first. O(names).
pub fn among<'a>(names: impl Iterator<Item = &'a [u8]>, query: &[u8]) -> Vec<usize> {
    let index = PathIndex::new(names.map(|name| (name, 0)));
    in_index(&index, query)
}

/// Returns the same as [`among`], for names that are already indexed.
///
/// Matches of the whole path come before matches of its last component, and these before matches of
/// its stem.
pub fn in_index(index: &PathIndex, query: &[u8]) -> Vec<usize> {
    let last = crate::base::path::split(query).1;
    let stem = last.iter().rposition(|&byte| byte == b'.').map_or(last, |dot| &last[..dot]);
    let mut found = Vec::new();
    let mut queries = vec![query, last, stem];
    queries.dedup();
    for query in queries {
        if query.is_empty() || found.len() == OFFERED_MAX {
            continue;
        }
        for hit in index.find(query, OFFERED_MAX).best {
            if found.len() < OFFERED_MAX && !found.contains(&hit.at) {
                found.push(hit.at);
            }
        }
    }
    found
}

/// Returns "did you mean `a`, `b`?", or `None` without names.
pub fn hint(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(", ")))
}
