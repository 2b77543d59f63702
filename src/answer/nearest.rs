//! Suggestions for unknown names: the nearest existing ones.

use std::convert::Infallible;

use crate::catalog::Catalog;
use crate::error::Result;
use crate::query::fuzzy::PathIndex;

/// The maximum number of names that an error suggests.
pub const OFFERED_MAX: usize = 3;

/// Returns the indices of the names that are nearest to `query`, the nearest first. O(names).
pub fn among<'a>(names: impl Iterator<Item = &'a [u8]>, query: &[u8]) -> Vec<usize> {
    let index = PathIndex::new(names.map(|name| (name, 0)));
    in_index(&index, query)
}

/// Returns the same as [`among`], for names that are already indexed.
pub fn in_index(index: &PathIndex, query: &[u8]) -> Vec<usize> {
    let find = |query: &[u8], max| {
        let hits = index.find(query, max).best;
        Ok::<_, Infallible>(hits.into_iter().map(|hit| hit.at).collect())
    };
    let Ok(found) = nearest(query, find);
    found
}

/// Returns the defined names that are nearest to `query`, the nearest first. O(names).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if the index is damaged.
pub fn defined(catalog: &Catalog, query: &[u8]) -> Result<Vec<Vec<u8>>> {
    nearest(query, |query, max| Ok(catalog.similar_names(query, max)?.0))
}

/// Returns the same as [`among`], for names that `find` finds: it returns the best ones for a query, at
/// most as many as its second argument.
///
/// Matches of the whole path come before matches of its last component, and these before matches of
/// its stem.
///
/// # Errors
///
/// That of `find`.
fn nearest<T: PartialEq, E>(
    query: &[u8],
    find: impl Fn(&[u8], usize) -> std::result::Result<Vec<T>, E>,
) -> std::result::Result<Vec<T>, E> {
    let last = crate::base::path::split(query).1;
    let stem = last.iter().rposition(|&byte| byte == b'.').map_or(last, |dot| &last[..dot]);
    let mut found = Vec::new();
    let mut queries = vec![query, last, stem];
    queries.dedup();
    for query in queries {
        if query.is_empty() || found.len() == OFFERED_MAX {
            continue;
        }
        for name in find(query, OFFERED_MAX)? {
            if found.len() < OFFERED_MAX && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    Ok(found)
}

/// Returns "did you mean `a`, `b`?", or `None` without names.
pub fn hint(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(", ")))
}
