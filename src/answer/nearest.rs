//! Suggestions for unknown names: the nearest existing ones.

use std::convert::Infallible;

use crate::catalog::Catalog;
use crate::error::Result;
use crate::query::fuzzy::PathIndex;

/// The maximum number of names that an error suggests.
pub const OFFERED_MAX: usize = 3;

/// The shortest name that makes another similar which contains it.
const PART_MIN: usize = 4;

/// The letters of a name for each edit that a similar one may need.
const LETTERS_PER_EDIT: usize = 4;

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

/// Returns true if the last component of a path may be a misspelling or an abbreviation of that of another:
/// one contains the other, few edits lead from one to the other, or the letters of `given` are those of the
/// other in order. Case and extensions do not count.
pub fn is_similar(given: &[u8], other: &[u8]) -> bool {
    let stem = |path: &[u8]| {
        let last = crate::base::path::split(path).1;
        let end = last.iter().rposition(|&byte| byte == b'.').filter(|dot| *dot > 0);
        last[..end.unwrap_or(last.len())].to_ascii_lowercase()
    };
    let (given, other) = (stem(given), stem(other));
    let (shorter, longer) =
        if given.len() < other.len() { (&given, &other) } else { (&other, &given) };
    let is_part = shorter.len() >= PART_MIN && memchr::memmem::find(longer, shorter).is_some();
    let edits_max = (given.len() / LETTERS_PER_EDIT).max(1);
    let mut letters = other.iter();
    let is_abbreviation = given.first() == other.first()
        && given.len() * 2 >= other.len()
        && given.iter().all(|byte| letters.any(|letter| letter == byte));
    is_part || is_abbreviation || edits(&given, &other) <= edits_max
}

/// Returns the number of bytes to insert, remove, replace or swap with the next to get from `a` to `b`.
/// O(`a` · `b`).
pub fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut next = vec![i + 1; b.len() + 1];
        for (j, to) in b.iter().enumerate() {
            let replaced = row[j] + usize::from(from != to);
            next[j + 1] = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *to && b[j - 1] == *from {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        (before, row) = (row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_similar_by_few_edits_parts_and_letters() {
        let check = |given: &str, other: &str| is_similar(given.as_bytes(), other.as_bytes());
        for (given, other) in [
            ("serach.rs", "src/tools/search.rs"),
            ("src/crt.rs", "src/cart.rs"),
            ("SearchTool.rs", "search.toml"),
            ("cfg.rs", "src/config.rs"),
            ("cart", "src/cart.rs"),
        ] {
            assert!(check(given, other), "{given} {other}");
        }
        for (given, other) in [
            ("nosuch.rs", "tests/touch.rs"),
            ("nothere.py", "a/better-files_2.13.tsv"),
            ("nosuch.rs", "rust_chains.py"),
            ("a.rs", "src/cart.rs"),
        ] {
            assert!(!check(given, other), "{given} {other}");
        }
    }

    #[test]
    fn edits_are_counted() {
        let of = |a: &str, b: &str| edits(a.as_bytes(), b.as_bytes());
        assert_eq!(
            [of("", "ab"), of("abc", "abc"), of("abc", "acb"), of("cart", "crt")],
            [2, 0, 1, 1]
        );
    }
}
