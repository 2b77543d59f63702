//! Unresolved calls that may refer to some definitions: counted, and ranked.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Caller, NamedSite, SITES_AT_ONCE, at_once};
use crate::base::ids::FileId;
use crate::graph::link::{Code, FileFacts, Linker, SymbolAt, Use};

/// The most definitions that are considered for one call: those in files next to it.
const DEFINITIONS_MAX: usize = 16;

/// The most calls that are ranked; further ones follow in the order of files.
const RANKED_MAX: usize = 4_096;

/// Returns the calls among `unresolved` that may refer to one of some definitions, which are in the
/// order of files: the most likely first, each with the position of the definition that it most
/// likely refers to.
pub fn possible_callers(
    linker: &Linker<'_>,
    of: &[SymbolAt],
    unresolved: &[NamedSite],
) -> Vec<(usize, Caller)> {
    let best = |linker: &Linker<'_>, named: &NamedSite| {
        let NamedSite { name, site } = named;
        let at = of.partition_point(|to| to.file < site.file);
        let start = at.saturating_sub(DEFINITIONS_MAX / 2);
        let start = start.min(of.len().saturating_sub(DEFINITIONS_MAX));
        let near = &of[start..(start + DEFINITIONS_MAX).min(of.len())];
        let outcome = linker.outcome_at(site.file, name, &site.reference);
        let used = Use::new(name, &site.reference);
        let possible = linker.possibilities(site.file, used, &outcome.links, near);
        let possible = possible.into_iter().zip(start..);
        let possible = possible.filter_map(|(possible, place)| Some((place, possible?)));
        let best = possible.reduce(|a, b| if b.1.0 > a.1.0 { b } else { a });
        best.map(|(place, (confidence, reason))| {
            (place, Caller { site: site.clone(), confidence, reason })
        })
    };
    let is_alone = rayon::current_thread_index().is_none();
    let mut found: Vec<(usize, Caller)> = if is_alone && unresolved.len() > SITES_AT_ONCE {
        let (code, ranked) = (linker.code(), unresolved.par_iter().take(RANKED_MAX));
        let ranked = ranked.with_min_len(at_once(unresolved.len().min(RANKED_MAX)));
        ranked
            .map_init(|| Linker::new(code), |linker, named| best(linker, named))
            .flatten()
            .collect()
    } else {
        unresolved.iter().take(RANKED_MAX).filter_map(|named| best(linker, named)).collect()
    };
    found.sort_by(|a, b| b.1.confidence.total_cmp(&a.1.confidence));
    found
}

/// Returns true if a call in the language of `named` can refer to a definition.
pub fn can_refer_to(code: &dyn Code, named: &NamedSite, to: SymbolAt) -> bool {
    let files = (code.file(named.site.file), code.file(to.file));
    matches!(files, (Some(from), Some(there)) if from.shares_definitions(&there))
}

/// Returns how many of the calls `unresolved`, which are in the order of files, can refer to each
/// definition of `of`, and how many can refer to any, by [`can_refer_to`]. O(calls + definitions ×
/// languages of the calls).
pub fn possible_counts(
    code: &dyn Code,
    of: &[SymbolAt],
    unresolved: &[NamedSite],
) -> (Vec<usize>, usize) {
    // Whether a call can refer to a definition depends on the languages of both only.
    let mut by_language: Vec<(Arc<FileFacts>, usize)> = Vec::new();
    let mut last: Option<(FileId, Option<usize>)> = None;
    for NamedSite { site, .. } in unresolved {
        let at = match last {
            Some((file, at)) if file == site.file => at,
            _ => code.file(site.file).map(|facts| {
                let same = |(other, _): &(Arc<FileFacts>, usize)| {
                    other.language.name == facts.language.name
                };
                by_language.iter().position(same).unwrap_or_else(|| {
                    by_language.push((facts, 0));
                    by_language.len() - 1
                })
            }),
        };
        last = Some((site.file, at));
        if let Some(at) = at {
            by_language[at].1 += 1;
        }
    }
    let (mut counts, mut is_possible) = (vec![0; of.len()], vec![false; by_language.len()]);
    for (to, count) in of.iter().zip(&mut counts) {
        let Some(there) = code.file(to.file) else { continue };
        for ((from, calls), is_possible) in by_language.iter().zip(&mut is_possible) {
            if from.shares_definitions(&there) {
                *count += calls;
                *is_possible = true;
            }
        }
    }
    let calls = by_language.iter().zip(is_possible).filter(|(_, is_possible)| *is_possible);
    (counts, calls.map(|((_, calls), _)| calls).sum())
}
