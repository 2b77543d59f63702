//! Which calls that an oracle resolves are among the callers that codedb lists.

use std::collections::{BTreeMap, BTreeSet};

use codedb::graph::calls::{calling_symbol, uses_of};
use codedb::graph::link::{CONFIDENCE_ANSWER, Site, SymbolAt};

use crate::options::Options;
use crate::sample::Answered;
use crate::score;
use crate::tree::Tree;

/// Prints, for the sites whose target is in the tree: how many of the enclosing functions are among
/// the callers of the target, how many calls are counted as unresolved instead, and how many are
/// neither.
pub(crate) fn report(options: &Options, tree: &Tree, answers: &[Answered]) {
    let mut asked: BTreeMap<Vec<SymbolAt>, Vec<&Answered>> = BTreeMap::new();
    for answered in answers {
        let targets = score::targets(options, tree, answered);
        if !targets.is_empty() {
            asked.entry(targets).or_default().push(answered);
        }
    }
    let (mut listed, mut unresolved, mut neither) = (0_usize, 0_usize, 0_usize);
    for (targets, calls) in &asked {
        let found = uses_of(&tree.program, targets, CONFIDENCE_ANSWER);
        let at = |site: &Site| (site.file, site.reference.span.start);
        let function = |site: &Site| calling_symbol(&tree.program, site);
        let callers: BTreeSet<_> =
            found.uses.iter().filter_map(|(_, caller)| function(&caller.site)).collect();
        let sites: BTreeSet<_> = found.uses.iter().map(|(_, caller)| at(&caller.site)).collect();
        let unsure: BTreeSet<_> = found.unresolved.iter().map(|named| at(&named.site)).collect();
        for answered in calls {
            let Some(site) = site(tree, answered) else { continue };
            let is_listed = sites.contains(&at(&site))
                || function(&site).is_some_and(|function| callers.contains(&function));
            if is_listed {
                listed += 1;
            } else if unsure.contains(&at(&site)) {
                unresolved += 1;
            } else {
                neither += 1;
                if options.show == "lost" {
                    score::show(tree, answered, "lost");
                }
            }
        }
    }
    let all = listed + unresolved + neither;
    println!(
        "{}: callers of {} targets: enclosing functions listed {listed} of {all} ({:.1} %), \
         counted as unresolved {unresolved}, neither {neither}",
        options.language,
        asked.len(),
        100.0 * listed as f64 / all.max(1) as f64,
    );
}

fn site(tree: &Tree, answered: &Answered) -> Option<Site> {
    let file = tree.program.id(&answered.site.path)?;
    let references = tree.program.references(file);
    let (_, used) = references.iter().find(|(_, used)| score::is_at(used, &answered.site))?;
    Some(Site { file, reference: used.clone() })
}
