//! Calibration: from the factors of a resolution to the probability that it is right.
//!
//! The linker multiplies a factor for each step of a resolution. The product orders candidates, but
//! it is no probability: long chains of safe steps are right far more often than it states, and
//! guesses by name differ between languages. [`calibrated`] maps it to the share of answers with such
//! a product that were right in samples of call sites, per group of languages and class of reasons. The
//! table is the output of `cargo bench --bench calls -- --fit FILES` (docs/calls.md): isotonic
//! regression over bins, smoothed towards the share of all languages.

use super::dialect::Group;
use super::result::{CONFIDENCE_ANSWER, CONFIDENCE_OPEN, Link, Reason};

/// What an answer is based on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Class {
    /// Scopes, imports and receivers whose type is known.
    Resolved,
    /// The first of several overloads, of which nothing selects one.
    Open,
    /// The name alone.
    Guessed,
}

/// Pairs of a product of factors and the share of right answers, both increasing.
type Knots = &'static [(f32, f32)];

/// The knots of each group and class; `None` is for all other groups.
const TABLE: &[(Option<Group>, Class, Knots)] = &[];

/// Replaces the products of the links of one use, most likely first, by probabilities. Their order stays.
pub(super) fn calibrate(group: Group, links: &mut [Link]) {
    let is_open = is_open(links);
    let mut most = 1.0_f32;
    for (at, link) in links.iter_mut().enumerate() {
        let class = match link.reason {
            Reason::UniqueName | Reason::OnlyFit => Class::Guessed,
            _ if at == 0 && is_open => Class::Open,
            _ => Class::Resolved,
        };
        most = calibrated(group, class, link.confidence).min(most);
        link.confidence = most;
    }
}

/// Returns true if nothing selects the first of the definitions: another one is as likely.
pub(super) fn is_open(links: &[Link]) -> bool {
    let equal = CONFIDENCE_OPEN..=CONFIDENCE_ANSWER;
    let is_answer = links.first().is_some_and(|first| first.confidence > CONFIDENCE_ANSWER);
    is_answer && links.iter().any(|link| equal.contains(&link.confidence))
}

/// Returns the probability that a link with a product of factors is right; products that are no answers
/// stay.
fn calibrated(group: Group, class: Class, product: f32) -> f32 {
    if product <= CONFIDENCE_ANSWER {
        return product;
    }
    let of = |wanted: Option<Group>| {
        let row = TABLE.iter().find(|(group, of, _)| *group == wanted && *of == class);
        row.map(|(.., knots)| *knots)
    };
    let knots = of(Some(group)).or_else(|| of(None)).unwrap_or_default();
    interpolated(knots, product).max(CONFIDENCE_ANSWER)
}

/// Returns the value at `x`, linear between knots and constant outside of them; `x` without knots.
fn interpolated(knots: Knots, x: f32) -> f32 {
    let above = knots.partition_point(|(at, _)| *at < x);
    match (above.checked_sub(1).map(|below| knots[below]), knots.get(above)) {
        (None, None) => x,
        (None, Some(&(_, y))) | (Some((_, y)), None) => y,
        (Some((x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::FileId;
    use crate::graph::link::SymbolAt;

    const GROUPS: [Group; 11] = [
        Group::C,
        Group::CSharp,
        Group::Go,
        Group::Java,
        Group::JavaScript,
        Group::Other,
        Group::Php,
        Group::Python,
        Group::Ruby,
        Group::Rust,
        Group::Swift,
    ];

    #[test]
    fn more_is_never_less_likely() {
        for group in GROUPS {
            for class in [Class::Resolved, Class::Open, Class::Guessed] {
                let all: Vec<f32> = (0..=100_u8)
                    .map(|at| calibrated(group, class, f32::from(at) / 100.0))
                    .collect();
                assert!(all.is_sorted(), "{group:?}, {class:?}: {all:?}");
                assert!(all.iter().all(|it| (0.0..=1.0).contains(it)), "{group:?}: {all:?}");
            }
        }
    }

    #[test]
    fn guesses_below_the_threshold_are_no_answers() {
        assert_eq!(calibrated(Group::Python, Class::Resolved, 0.25), 0.25);
        assert!(calibrated(Group::Python, Class::Guessed, 0.5) >= CONFIDENCE_ANSWER);
    }

    #[test]
    fn the_order_of_links_stays() {
        let link = |(place, confidence, reason)| Link {
            to: SymbolAt { file: FileId(0), place },
            confidence,
            reason,
        };
        let all =
            [(0, 0.5, Reason::UniqueName), (1, 0.5, Reason::Receiver), (2, 0.3, Reason::Scope)];
        let mut links: Vec<Link> = all.into_iter().map(link).collect();
        assert!(is_open(&links));
        calibrate(Group::JavaScript, &mut links);
        let order: Vec<u32> = links.iter().map(|link| link.to.place).collect();
        assert_eq!(order, [0, 1, 2]);
        assert!(links.is_sorted_by(|a, b| a.confidence >= b.confidence), "{links:?}");
        assert_eq!(links[2].confidence, 0.3);
    }

    #[test]
    fn values_between_knots_are_linear() {
        let knots: Knots = &[(0.5, 0.6), (0.7, 0.8)];
        let at = |x| interpolated(knots, x);
        assert_eq!((at(0.2), at(0.5), at(0.7), at(0.9)), (0.6, 0.6, 0.8, 0.8));
        assert!((at(0.6) - 0.7).abs() < 1e-6);
        assert_eq!(interpolated(&[], 0.3), 0.3);
    }
}
