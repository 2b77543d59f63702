//! Names of flags and commands that are similar to an unknown one.

/// Maximum number of names that an error suggests.
const OFFERED_MAX: usize = 4;

/// Returns the names that differ from `given` by few edits or contain it (or the reverse), the
/// nearest first. O(total length of the names · length of `given`).
pub(super) fn names<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    ranked(given, names).into_iter().take(OFFERED_MAX).map(|(_, name)| name).collect()
}

/// Returns only those of [`names`] that differ from `given` by the fewest edits.
pub(super) fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let ranked = ranked(given, names);
    let best = ranked.iter().take_while(|(edits, _)| *edits == ranked[0].0);
    best.take(OFFERED_MAX).map(|(_, name)| *name).collect()
}

fn ranked<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Vec<(usize, &'a str)> {
    let mut ranked: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let edits = edit_distance(given.as_bytes(), name.as_bytes());
            let is_part =
                given.len().min(name.len()) >= 4 && (name.contains(given) || given.contains(name));
            (edits <= 1 + given.len() / 4 || is_part).then_some((edits, name))
        })
        .collect();
    ranked.sort_unstable();
    ranked
}

/// Returns the number of bytes to insert, remove or replace to get from `a` to `b`. O(`a` · `b`).
fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
