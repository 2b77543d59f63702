//! A boolean query over trigrams: a necessary condition for a pattern to match in a text.
//!
//! It may have false positives but no false negatives: every text in which the pattern matches
//! satisfies its query.

use std::collections::HashMap;
use std::fmt;

use crate::index::gram::Gram;

/// Maximum number of branches that are compared pairwise.
const PAIRS_OF_MAX: usize = 64;

/// A boolean query over trigrams.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum GramQuery {
    /// Every text: no necessary condition is known.
    All,
    /// No text: the pattern cannot match.
    None,
    /// Texts that contain this gram.
    Gram(Gram),
    /// Texts that satisfy every part; never empty, no part is `All`, `None` or `And`.
    And(Vec<GramQuery>),
    /// Texts that satisfy some part; never empty, no part is `All`, `None` or `Or`.
    Or(Vec<GramQuery>),
}

impl GramQuery {
    /// Returns the conjunction, flattened, sorted, without duplicates and without the disjunctions
    /// that another part implies. O(n log n) for n nodes.
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
        drop_implied_by_grams(&mut flat);
        match flat.len() {
            0 => GramQuery::All,
            1 => flat.remove(0),
            _ => GramQuery::And(flat),
        }
    }

    /// Returns the disjunction, flattened, sorted, without duplicates and without the branches that
    /// imply another: `(A OR (A AND B))` is `A`. If there are many branches, only implications of
    /// single grams are detected. O(n log n) for n nodes.
    pub fn or(parts: impl IntoIterator<Item = GramQuery>) -> GramQuery {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                GramQuery::All => return GramQuery::All,
                GramQuery::None => {}
                GramQuery::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
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

    /// Returns the number of grams, counting repetitions.
    pub fn grams_len(&self) -> usize {
        match self {
            GramQuery::All | GramQuery::None => 0,
            GramQuery::Gram(_) => 1,
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
            GramQuery::All | GramQuery::None => {}
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

    /// Returns true if a text whose grams are those for which `holds` returns true satisfies the
    /// query, as an oracle for tests.
    #[cfg(test)]
    pub fn is_satisfied_by(&self, holds: &impl Fn(Gram) -> bool) -> bool {
        match self {
            GramQuery::All => true,
            GramQuery::None => false,
            GramQuery::Gram(gram) => gram.forms().any(holds),
            GramQuery::And(parts) => parts.iter().all(|part| part.is_satisfied_by(holds)),
            GramQuery::Or(parts) => parts.iter().any(|part| part.is_satisfied_by(holds)),
        }
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
