//! Unresolved calls that may refer to some definitions, ranked.

use rayon::prelude::*;

use super::{Caller, NamedSite, SITES_AT_ONCE};
use crate::graph::link::{Code, Linker, SymbolAt, Use};

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
        let near = of.iter().enumerate().skip(start).take(DEFINITIONS_MAX);
        let used = Use::new(name, &site.reference);
        let possible = near.filter_map(|(place, &to)| {
            let (confidence, reason) = linker.possibility(site.file, used, to)?;
            Some((place, Caller { site: site.clone(), confidence, reason }))
        });
        possible.reduce(|a, b| if b.1.confidence > a.1.confidence { b } else { a })
    };
    let mut found: Vec<(usize, Caller)> = if unresolved.len() > SITES_AT_ONCE {
        let (code, ranked) = (linker.code(), unresolved.par_iter().take(RANKED_MAX));
        let ranked = ranked.with_min_len(SITES_AT_ONCE);
        ranked
            .map_init(|| Linker::new(code), |linker, named| best(linker, named))
            .flatten()
            .collect()
    } else {
        unresolved.iter().filter_map(|named| best(linker, named)).collect()
    };
    found.sort_by(|a, b| b.1.confidence.total_cmp(&a.1.confidence));
    found
}

/// Returns true if a call in the language of `named` can refer to a definition.
pub fn can_refer_to(code: &dyn Code, named: &NamedSite, to: SymbolAt) -> bool {
    let files = (code.file(named.site.file), code.file(to.file));
    matches!(files, (Some(from), Some(there)) if from.shares_definitions(&there))
}
