//! Names of flags and commands that are similar to an unknown one.

use crate::answer::nearest;

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
            let edits = nearest::edits(given.as_bytes(), name.as_bytes());
            let is_part =
                given.len().min(name.len()) >= 4 && (name.contains(given) || given.contains(name));
            (edits <= 1 + given.len() / 4 || is_part).then_some((edits, name))
        })
        .collect();
    ranked.sort_unstable();
    ranked
}
