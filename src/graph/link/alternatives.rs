//! Expressions of Ruby that have one of two values: branches, and methods with two results.

use super::result::{CONFIDENCE_ANSWER, Link};
use super::value::{Candidate, VALUES_MAX};
use super::walk::Walk;
use crate::lang::chain::Chain;

impl Walk<'_> {
    /// Returns what `find` returns for both values that a chain may have; `None` if it has one.
    pub(super) fn either(
        &self,
        chain: &Chain,
        find: impl Fn(&Chain) -> Vec<Candidate>,
    ) -> Option<Vec<Candidate>> {
        let (first, second) = chain.alternatives()?;
        let mut found = find(&first);
        let others = find(&second);
        found.extend(others.into_iter().map(|it| Candidate { is_second: true, ..it }));
        found.truncate(VALUES_MAX);
        Some(found)
    }
}

/// Lowers the confidence of what only the second of two values has that an expression may have, where
/// the first one has something else: nothing selects one of both.
pub(super) fn limit_second_values(candidates: &[Candidate], links: &mut [Link]) {
    let of = |is_second: bool| {
        let of_value = candidates.iter().filter(move |it| it.is_second == is_second);
        of_value.filter_map(Candidate::link).map(|link| link.to).collect::<Vec<_>>()
    };
    let (first, second) = (of(false), of(true));
    if second.is_empty() || !links.iter().any(|link| first.contains(&link.to)) {
        return;
    }
    let is_only_second = |link: &&mut Link| second.contains(&link.to) && !first.contains(&link.to);
    for link in links.iter_mut().filter(is_only_second) {
        link.confidence = link.confidence.min(CONFIDENCE_ANSWER);
    }
    links.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
}
