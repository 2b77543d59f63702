//! A boolean query over trigrams: what a file must hold for a pattern to match in it.
//!
//! It may say yes too often, never no too often: every text in which the pattern matches satisfies
//! its query.

use std::fmt;

use crate::index::gram::Gram;

/// A boolean query over trigrams.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum GramQuery {
    /// Every text: nothing is known that a match must hold.
    All,
    /// No text: the pattern cannot match.
    None,
    /// Texts that hold this gram.
    Gram(Gram),
    /// Texts that satisfy every part; never empty, no part is `All`, `None` or `And`.
    And(Vec<GramQuery>),
    /// Texts that satisfy some part; never empty, no part is `All`, `None` or `Or`.
    Or(Vec<GramQuery>),
}

impl GramQuery {
    /// Returns the conjunction, flattened, sorted and without duplicates.
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
        match flat.len() {
            0 => GramQuery::All,
            1 => flat.remove(0),
            _ => GramQuery::And(flat),
        }
    }

    /// Returns the disjunction, flattened, sorted and without duplicates.
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
        match flat.len() {
            0 => GramQuery::None,
            1 => flat.remove(0),
            _ => GramQuery::Or(flat),
        }
    }

    /// Returns true if a text whose grams `holds` recognises satisfies the query.
    pub fn is_satisfied_by(&self, holds: &impl Fn(Gram) -> bool) -> bool {
        match self {
            GramQuery::All => true,
            GramQuery::None => false,
            GramQuery::Gram(gram) => holds(*gram),
            GramQuery::And(parts) => parts.iter().all(|part| part.is_satisfied_by(holds)),
            GramQuery::Or(parts) => parts.iter().any(|part| part.is_satisfied_by(holds)),
        }
    }
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
