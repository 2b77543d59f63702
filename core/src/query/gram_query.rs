//! A boolean query over trigrams: a necessary condition for a pattern to match in a text.
//!
//! It may have false positives but no false negatives: every text in which the pattern matches
//! satisfies its query.

use std::collections::HashMap;
use std::fmt;

use crate::index::gram::Gram;
use crate::index::gram_set::GramSet;

/// Maximum number of branches that are compared pairwise.
const PAIRS_OF_MAX: usize = 64;

/// Maximum number of parts of a conjunction without grams. Their sizes are costly to compute.
const WEAK_PARTS_MAX: usize = 8;

/// A boolean query over trigrams.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum GramQuery {
    /// Every text: no necessary condition is known.
    All,
    /// No text: the pattern cannot match.
    None,
    /// Texts that contain this gram.
    Gram(Gram),
    /// Texts that contain one of these keys. Used only where a text need not contain any gram.
    Any(GramSet),
    /// Texts that satisfy every part; never empty, no part is `All`, `None` or `And`. Either every
    /// part contains an `Any` or none does.
    And(Vec<GramQuery>),
    /// Texts that satisfy some part; never empty, no part is `All`, `None` or `Or`, and at most one
    /// is `Any`.
    Or(Vec<GramQuery>),
}

impl GramQuery {
    /// Returns the conjunction, flattened, sorted, without duplicates and without the disjunctions
    /// that another part implies. If some part has no [`GramQuery::Any`], those that have one are
    /// dropped, which gives a weaker query that is cheaper to evaluate. O(n log n) for n nodes.
    pub fn and(parts: impl IntoIterator<Item = GramQuery>) -> GramQuery {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                GramQuery::All => {}
                GramQuery::None => return GramQuery::None,
                GramQuery::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        drop_weak(&mut flat);
        drop_implied_by_grams(&mut flat);
        match flat.len() {
            0 => GramQuery::All,
            1 => flat.remove(0),
            _ => GramQuery::And(flat),
        }
    }

    /// Returns the disjunction, flattened, sorted, without duplicates and without the branches that
    /// imply another: `(A OR (A AND B))` is `A`. If there are many branches, only implications of
    /// single grams are detected. If there are too many pairs of bytes, the result is `All`.
    /// O(n log n) for n nodes.
    pub fn or(parts: impl IntoIterator<Item = GramQuery>) -> GramQuery {
        let mut flat = Vec::new();
        let mut any = GramSet::default();
        for part in parts {
            let branches = match part {
                GramQuery::All => return GramQuery::All,
                GramQuery::None => continue,
                GramQuery::Or(inner) => inner,
                other => vec![other],
            };
            for branch in branches {
                match branch {
                    GramQuery::Any(set) => any = any.union(set),
                    other => flat.push(other),
                }
                if any.is_too_large() {
                    return GramQuery::All;
                }
            }
        }
        if !any.is_empty() {
            flat.push(GramQuery::Any(any));
        }
        flat.sort_unstable();
        flat.dedup();
        drop_implied_by_grams(&mut flat);
        if flat.len() <= PAIRS_OF_MAX {
            drop_supersets(&mut flat);
        }
        match flat.len() {
            0 => GramQuery::None,
            1 => flat.remove(0),
            _ => GramQuery::Or(flat),
        }
    }

    /// Returns the number of grams and of sets of keys, counting repetitions.
    pub fn grams_len(&self) -> usize {
        match self {
            GramQuery::All | GramQuery::None => 0,
            GramQuery::Gram(_) | GramQuery::Any(_) => 1,
            GramQuery::And(parts) | GramQuery::Or(parts) => {
                parts.iter().map(GramQuery::grams_len).sum()
            }
        }
    }

    /// Returns a weaker query with at most `grams_max` grams: every text that satisfies `self`
    /// satisfies it. Conjunctions lose parts, the largest first, then the grams that the query
    /// repeats most. A disjunction with more branches than allowed grams becomes `All`.
    ///
    /// Cost: O(n log n) for n nodes.
    pub fn thinned(self, grams_max: usize) -> GramQuery {
        if self.grams_len() <= grams_max {
            return self;
        }
        let mut occurrences = HashMap::new();
        self.count_grams(&mut occurrences);
        self.thinned_by(grams_max, &occurrences)
    }

    fn count_grams(&self, occurrences: &mut HashMap<Gram, usize>) {
        match self {
            GramQuery::All | GramQuery::None | GramQuery::Any(_) => {}
            GramQuery::Gram(gram) => *occurrences.entry(*gram).or_default() += 1,
            GramQuery::And(parts) | GramQuery::Or(parts) => {
                for part in parts {
                    part.count_grams(occurrences);
                }
            }
        }
    }

    fn thinned_by(self, grams_max: usize, occurrences: &HashMap<Gram, usize>) -> GramQuery {
        if self.grams_len() <= grams_max {
            return self;
        }
        match self {
            GramQuery::Or(branches) if branches.len() <= grams_max => {
                let each_max = grams_max / branches.len();
                let thin = |branch: GramQuery| branch.thinned_by(each_max, occurrences);
                GramQuery::or(branches.into_iter().map(thin))
            }
            GramQuery::And(mut parts) => {
                parts.sort_by_cached_key(|part| match part {
                    GramQuery::Gram(gram) => (1, occurrences.get(gram).copied()),
                    composite => (composite.grams_len(), None),
                });
                let mut left = grams_max;
                GramQuery::and(parts.into_iter().map(|part| {
                    let part = part.thinned_by(left, occurrences);
                    left -= part.grams_len();
                    part
                }))
            }
            _ => GramQuery::All,
        }
    }

    /// Returns true if the query contains a [`GramQuery::Any`]. O(n).
    pub fn is_weak(&self) -> bool {
        match self {
            GramQuery::All | GramQuery::None | GramQuery::Gram(_) => false,
            GramQuery::Any(_) => true,
            GramQuery::And(parts) | GramQuery::Or(parts) => parts.iter().any(GramQuery::is_weak),
        }
    }

    /// Returns the number of keys of all sets. O(n).
    fn keys_len(&self) -> usize {
        match self {
            GramQuery::All | GramQuery::None | GramQuery::Gram(_) => 0,
            GramQuery::Any(set) => set.len(),
            GramQuery::And(parts) | GramQuery::Or(parts) => {
                parts.iter().map(GramQuery::keys_len).sum()
            }
        }
    }

    /// Returns true if a text whose grams are those for which `holds` returns true satisfies the
    /// query, as an oracle for tests.
    #[cfg(test)]
    pub fn is_satisfied_by(&self, holds: &impl Fn(Gram) -> bool) -> bool {
        match self {
            GramQuery::All => true,
            GramQuery::None => false,
            GramQuery::Gram(gram) => gram.forms().any(holds),
            GramQuery::Any(set) => set.keys().map(Gram::of_key).any(holds),
            GramQuery::And(parts) => parts.iter().all(|part| part.is_satisfied_by(holds)),
            GramQuery::Or(parts) => parts.iter().any(|part| part.is_satisfied_by(holds)),
        }
    }
}

/// Drops the parts of a conjunction that contain a [`GramQuery::Any`] if another part does not, else
/// the largest of too many. Expects sorted parts and leaves them sorted.
fn drop_weak(parts: &mut Vec<GramQuery>) {
    let is_weak: Vec<bool> = parts.iter().map(GramQuery::is_weak).collect();
    if is_weak.contains(&false) {
        let mut is_weak = is_weak.into_iter();
        parts.retain(|_| is_weak.next() == Some(false));
    } else if parts.len() > WEAK_PARTS_MAX {
        parts.sort_by_cached_key(GramQuery::keys_len);
        parts.truncate(WEAK_PARTS_MAX);
        parts.sort_unstable();
    }
}

/// Drops the composite parts that contain a gram that is also a part of its own: in a conjunction
/// the gram implies them, in a disjunction they imply it. Expects sorted parts, grams first.
fn drop_implied_by_grams(parts: &mut Vec<GramQuery>) {
    let grams = parts.partition_point(|part| matches!(part, GramQuery::Gram(_)));
    if grams == 0 || grams == parts.len() {
        return;
    }
    let composite = parts.split_off(grams);
    let implied = |part: &GramQuery| match part {
        GramQuery::And(inner) | GramQuery::Or(inner) => {
            inner.iter().any(|part| parts.binary_search(part).is_ok())
        }
        _ => false,
    };
    let kept: Vec<_> = composite.into_iter().filter(|part| !implied(part)).collect();
    parts.extend(kept);
}

/// Removes each conjunction that contains all parts of another branch. O(b² p) for b branches of up
/// to p parts.
fn drop_supersets(branches: &mut Vec<GramQuery>) {
    let is_superset = |a: &GramQuery, b: &GramQuery| match (a, b) {
        (GramQuery::And(a), GramQuery::And(b)) => {
            a.len() > b.len() && b.iter().all(|part| a.binary_search(part).is_ok())
        }
        _ => false,
    };
    let kept = |branch: &&GramQuery| !branches.iter().any(|other| is_superset(branch, other));
    *branches = branches.iter().filter(kept).cloned().collect();
}

impl fmt::Display for GramQuery {
    /// Writes the tree on one line: `("pm_" AND "m_r")`, `ALL`, `NONE`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parts, word) = match self {
            GramQuery::All => return f.write_str("ALL"),
            GramQuery::None => return f.write_str("NONE"),
            GramQuery::Gram(gram) => return write!(f, "\"{gram}\""),
            GramQuery::Any(set) => return write!(f, "{set}"),
            GramQuery::And(parts) => (parts, " AND "),
            GramQuery::Or(parts) => (parts, " OR "),
        };
        f.write_str("(")?;
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                f.write_str(word)?;
            }
            write!(f, "{part}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests;
