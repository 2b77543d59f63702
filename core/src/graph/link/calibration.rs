//! Calibration: from the factors of a resolution to the probability that it is right.
//!
//! The linker multiplies a factor for each step of a resolution. The product orders candidates, but
//! it is no probability: long chains of safe steps are right far more often than it states, and
//! guesses by name differ between languages. [`calibrated`] maps it to the share of answers with such
//! a product that were right in samples of call sites, per language and class of reasons. The
//! table is the output of `cargo bench --bench calls -- --fit FILES` (docs/calls-measured.md): isotonic
//! regression over bins, smoothed towards the share of all languages.

use super::result::{CONFIDENCE_ANSWER, CONFIDENCE_OPEN, CONFIDENCE_UNCERTAIN, Link, Reason};
use super::several::OPEN_MAX;

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

/// The knots of some languages and a class; a row without languages is for all others.
const TABLE: &[(&[&str], Class, Knots)] = &[
    (&[], Class::Resolved, &[(0.49, 0.836), (0.59, 0.851), (0.87, 0.964)]),
    (&["c"], Class::Resolved, &[(0.52, 0.883), (0.82, 0.974), (0.99, 0.990)]),
    (
        &["cpp"],
        Class::Resolved,
        &[(0.52, 0.699), (0.57, 0.901), (0.71, 0.961), (0.82, 0.980), (0.94, 0.987)],
    ),
    (
        &["csharp"],
        Class::Resolved,
        &[(0.50, 0.784), (0.59, 0.945), (0.85, 0.979), (0.94, 0.984), (0.97, 0.990)],
    ),
    (
        &["go"],
        Class::Resolved,
        &[(0.50, 0.887), (0.60, 0.909), (0.72, 0.958), (0.81, 0.975), (0.94, 0.990)],
    ),
    (
        &["java"],
        Class::Resolved,
        &[(0.49, 0.836), (0.60, 0.883), (0.71, 0.934), (0.81, 0.974), (0.94, 0.990)],
    ),
    (
        &["javascript"],
        Class::Resolved,
        &[(0.49, 0.836), (0.59, 0.851), (0.82, 0.953), (0.97, 0.990)],
    ),
    (&["kotlin"], Class::Resolved, &[(0.53, 0.910), (0.78, 0.925), (0.92, 0.976), (0.99, 0.980)]),
    (
        &["php"],
        Class::Resolved,
        &[(0.49, 0.850), (0.60, 0.883), (0.72, 0.946), (0.80, 0.971), (0.86, 0.989), (0.96, 0.990)],
    ),
    (
        &["python"],
        Class::Resolved,
        &[
            (0.50, 0.850),
            (0.59, 0.851),
            (0.73, 0.906),
            (0.82, 0.933),
            (0.89, 0.941),
            (0.94, 0.986),
            (0.99, 0.990),
        ],
    ),
    (&["ruby"], Class::Resolved, &[(0.72, 0.959), (1.00, 0.990)]),
    // The lowest knots are set by hand: 2 of 5 were right below a product of 0.8 in six trees, 531 of 531
    // above it.
    (&["rust"], Class::Resolved, &[(0.54, 0.700), (0.77, 0.900), (0.82, 0.965), (0.94, 0.984)]),
    (
        &["swift"],
        Class::Resolved,
        &[(0.49, 0.836), (0.59, 0.851), (0.79, 0.869), (0.89, 0.961), (0.95, 0.978)],
    ),
    (
        &["tsx", "typescript"],
        Class::Resolved,
        &[(0.49, 0.871), (0.60, 0.891), (0.78, 0.933), (0.88, 0.968), (0.94, 0.977), (0.99, 0.990)],
    ),
    (&[], Class::Open, &[(0.50, 0.531), (0.81, 0.826)]),
    (&["cpp"], Class::Open, &[(0.48, 0.542), (0.76, 0.656), (0.96, 0.778)]),
    (&["csharp"], Class::Open, &[(0.49, 0.535), (0.76, 0.738), (0.96, 0.743)]),
    (&["kotlin"], Class::Open, &[(0.49, 0.463), (0.78, 0.700), (0.96, 0.735)]),
    (&[], Class::Guessed, &[(0.49, 0.891)]),
    // Set by hand. Where most receivers have a known type, the others are mostly values from outside: of the
    // guesses in the trees of 26 November 2 of 12 were right, in the earlier ones nearly all.
    (&["csharp", "java", "javascript", "tsx", "typescript"], Class::Guessed, &[(0.49, 0.650)]),
    // Set by hand, from four trees from which the rules for such guesses were not made (36 of 50 right by
    // the only fit, 46 of 52 by a unique name) and four others, three of which were read (100 of 115, 109
    // of 110).
    (&["ruby"], Class::Guessed, &[(0.47, 0.780), (0.50, 0.890)]),
];

/// Replaces the products of the links of one use, most likely first, by probabilities. Their order stays.
pub(super) fn calibrate(language: &str, links: &mut [Link]) {
    let is_open = is_open(links);
    let mut most = 1.0_f32;
    for (at, link) in links.iter_mut().enumerate() {
        let class = match link.reason {
            Reason::UniqueName | Reason::OnlyFit => Class::Guessed,
            _ if at == 0 && is_open => Class::Open,
            _ => Class::Resolved,
        };
        most = calibrated(language, class, link.confidence).min(most);
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
fn calibrated(language: &str, class: Class, product: f32) -> f32 {
    if product <= CONFIDENCE_ANSWER {
        return product;
    }
    let of_class = || TABLE.iter().filter(|(_, of, _)| *of == class);
    let own = of_class().find(|(languages, ..)| languages.contains(&language));
    let row = own.or_else(|| of_class().find(|(languages, ..)| languages.is_empty()));
    let knots = row.map(|(.., knots)| *knots).unwrap_or_default();
    let most = if product <= OPEN_MAX { CONFIDENCE_UNCERTAIN } else { 1.0 };
    interpolated(knots, product).min(most).max(CONFIDENCE_ANSWER)
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

    #[test]
    fn more_is_never_less_likely() {
        let named = TABLE.iter().flat_map(|(languages, ..)| languages.iter());
        for language in named.chain(&["zig"]) {
            for class in [Class::Resolved, Class::Open, Class::Guessed] {
                let all: Vec<f32> = (0..=100_u8)
                    .map(|at| calibrated(language, class, f32::from(at) / 100.0))
                    .collect();
                assert!(all.is_sorted(), "{language}, {class:?}: {all:?}");
                assert!(all.iter().all(|it| (0.0..=1.0).contains(it)), "{language}: {all:?}");
            }
        }
    }

    #[test]
    fn guesses_below_the_threshold_are_no_answers() {
        assert_eq!(calibrated("python", Class::Resolved, 0.25), 0.25);
        assert!(calibrated("python", Class::Guessed, 0.5) >= CONFIDENCE_ANSWER);
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
        calibrate("javascript", &mut links);
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
