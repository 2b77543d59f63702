//! Calibration: from the evidence of a resolution to the probability that it is right.
//!
//! The linker multiplies a weight for each step of a resolution. The product orders candidates, but it
//! is no probability. What is stated depends on the [`Evidence`] and on the [`Choice`] alone: the share of
//! such answers that were right on the ground truth (`bench-corpus/calls`), of all languages, and for a
//! language with sites of its own drawn towards that of its sites. The counts are the output of
//! `cargo bench --bench calls -- --fit FILES` (docs/calls-measured.md).

use super::result::{CONFIDENCE_ANSWER, CONFIDENCE_OPEN, CONFIDENCE_UNCERTAIN, Link, Reason};
use crate::graph::weights::OPEN_MAX;

/// What an answer is based on, the strongest first.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Evidence {
    /// An enclosing scope, or the same file.
    Scope,
    /// An import, the package, or what the whole program sees.
    Import,
    /// The type of the receiver.
    Type,
    /// A base of that type.
    Base,
    /// The name alone.
    Name,
}

/// How many definitions a use may refer to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Choice {
    /// This is the only one.
    Only,
    /// One of several, or there may be one that is not known.
    OneOf,
    /// The first of several overloads, of which nothing selects one.
    Open,
}

/// A language, the number of its answers that were right, and of all.
type Counts = (&'static str, u32, u32);

/// The most that is stated, however many answers were right: below 1,000 sites of a cell without an
/// error, more cannot be shown.
const STATED_MAX: f32 = 0.99;

/// Cells with fewer sites state less than 0.9.
const SITES_MIN: u32 = 30;

/// The weight of all languages in the share of one, in sites.
const POOLED: f32 = 50.0;

/// The least of what is right in a cell without any site.
const PRIOR: f32 = 0.75;

/// The counts of each cell.
const CELLS: &[(Evidence, Choice, &[Counts])] = &[
    (
        Evidence::Scope,
        Choice::Only,
        &[
            ("c", 348, 348),
            ("cpp", 118, 120),
            ("csharp", 34, 37),
            ("go", 200, 200),
            ("java", 331, 331),
            ("javascript", 152, 152),
            ("kotlin", 128, 128),
            ("php", 1, 1),
            ("python", 78, 78),
            ("ruby", 257, 257),
            ("rust", 306, 306),
            ("scala", 154, 161),
            ("typescript", 176, 176),
        ],
    ),
    (Evidence::Scope, Choice::OneOf, &[("c", 23, 25), ("cpp", 26, 44), ("kotlin", 7, 10)]),
    (
        Evidence::Scope,
        Choice::Open,
        &[
            ("c", 0, 11),
            ("cpp", 2, 9),
            ("csharp", 0, 1),
            ("java", 1, 3),
            ("kotlin", 5, 6),
            ("python", 2, 2),
            ("rust", 0, 1),
            ("scala", 11, 17),
            ("typescript", 7, 7),
        ],
    ),
    (
        Evidence::Import,
        Choice::Only,
        &[
            ("c", 316, 316),
            ("cpp", 78, 87),
            ("csharp", 70, 71),
            ("go", 154, 154),
            ("java", 61, 61),
            ("javascript", 109, 109),
            ("kotlin", 74, 82),
            ("php", 107, 107),
            ("python", 75, 75),
            ("ruby", 4, 4),
            ("rust", 8, 8),
            ("scala", 24, 33),
            ("typescript", 261, 261),
        ],
    ),
    (
        Evidence::Import,
        Choice::OneOf,
        &[("c", 122, 127), ("cpp", 47, 58), ("php", 28, 28), ("python", 2, 2)],
    ),
    (
        Evidence::Import,
        Choice::Open,
        &[
            ("c", 0, 2),
            ("cpp", 14, 14),
            ("csharp", 2, 3),
            ("java", 3, 3),
            ("javascript", 2, 2),
            ("scala", 1, 1),
            ("typescript", 36, 36),
        ],
    ),
    (
        Evidence::Type,
        Choice::Only,
        &[
            ("c", 1, 1),
            ("cpp", 298, 298),
            ("csharp", 624, 637),
            ("go", 378, 378),
            ("java", 480, 481),
            ("javascript", 264, 264),
            ("kotlin", 242, 249),
            ("php", 330, 330),
            ("python", 221, 221),
            ("ruby", 81, 81),
            ("rust", 481, 481),
            ("scala", 93, 95),
            ("typescript", 88, 88),
        ],
    ),
    (
        Evidence::Type,
        Choice::OneOf,
        &[
            ("cpp", 1, 1),
            ("csharp", 24, 31),
            ("java", 16, 16),
            ("javascript", 7, 8),
            ("kotlin", 26, 28),
            ("php", 4, 4),
            ("python", 5, 5),
            ("ruby", 11, 12),
            ("rust", 14, 14),
            ("typescript", 7, 9),
        ],
    ),
    (
        Evidence::Type,
        Choice::Open,
        &[
            ("cpp", 0, 2),
            ("csharp", 8, 15),
            ("java", 5, 10),
            ("kotlin", 15, 24),
            ("php", 2, 2),
            ("python", 8, 8),
            ("ruby", 1, 1),
            ("rust", 1, 1),
            ("scala", 0, 3),
            ("typescript", 29, 29),
        ],
    ),
    (
        Evidence::Base,
        Choice::Only,
        &[
            ("cpp", 3, 3),
            ("csharp", 125, 125),
            ("go", 4, 4),
            ("java", 78, 78),
            ("kotlin", 18, 18),
            ("php", 92, 92),
            ("python", 8, 8),
            ("ruby", 121, 121),
            ("scala", 9, 11),
            ("typescript", 23, 23),
        ],
    ),
    (
        Evidence::Base,
        Choice::OneOf,
        &[
            ("csharp", 1, 1),
            ("java", 3, 3),
            ("kotlin", 6, 6),
            ("php", 1, 1),
            ("python", 2, 2),
            ("ruby", 3, 3),
            ("typescript", 1, 1),
        ],
    ),
    (
        Evidence::Base,
        Choice::Open,
        &[
            ("java", 1, 1),
            ("kotlin", 3, 4),
            ("php", 1, 1),
            ("python", 1, 1),
            ("scala", 4, 7),
            ("typescript", 1, 1),
        ],
    ),
    (
        Evidence::Name,
        Choice::OneOf,
        &[
            ("cpp", 6, 7),
            ("csharp", 2, 2),
            ("go", 2, 2),
            ("javascript", 53, 55),
            ("kotlin", 8, 10),
            ("python", 0, 4),
            ("ruby", 153, 161),
            ("scala", 27, 30),
            ("typescript", 5, 14),
        ],
    ),
];

/// Replaces the products of the links of one use, most likely first, by probabilities. Their order stays.
pub(super) fn calibrate(language: &str, links: &mut [Link]) {
    let is_open = is_open(links);
    let mut most = 1.0_f32;
    for (at, link) in links.iter_mut().enumerate() {
        let choice = match () {
            () if at == 0 && is_open => Choice::Open,
            () if link.confidence <= OPEN_MAX => Choice::OneOf,
            () => Choice::Only,
        };
        most = calibrated(language, evidence(link.reason), choice, link.confidence).min(most);
        link.confidence = most;
    }
}

/// Returns true if nothing selects the first of the definitions: another one is as likely.
pub(super) fn is_open(links: &[Link]) -> bool {
    let equal = CONFIDENCE_OPEN..=CONFIDENCE_ANSWER;
    let is_answer = links.first().is_some_and(|first| first.confidence > CONFIDENCE_ANSWER);
    is_answer && links.iter().any(|link| equal.contains(&link.confidence))
}

fn evidence(reason: Reason) -> Evidence {
    match reason {
        Reason::Scope | Reason::SameFile => Evidence::Scope,
        Reason::Import | Reason::SamePackage | Reason::StarImport | Reason::Program => {
            Evidence::Import
        }
        Reason::Receiver => Evidence::Type,
        Reason::Inherited | Reason::Implementation => Evidence::Base,
        Reason::UniqueName
        | Reason::OnlyFit
        | Reason::Ambiguous
        | Reason::CommonName
        | Reason::OtherArguments
        | Reason::Unbound => Evidence::Name,
    }
}

/// Returns the probability that a link is right; products that are no answers stay.
fn calibrated(language: &str, evidence: Evidence, choice: Choice, product: f32) -> f32 {
    if product <= CONFIDENCE_ANSWER {
        return product;
    }
    let most = if choice == Choice::Only { STATED_MAX } else { CONFIDENCE_UNCERTAIN };
    share(language, evidence, choice).min(most).max(CONFIDENCE_ANSWER)
}

/// Returns the share of answers that are right.
fn share(language: &str, evidence: Evidence, choice: Choice) -> f32 {
    let cell = CELLS.iter().find(|(of, how, _)| *of == evidence && *how == choice);
    let counts = cell.map_or(&[][..], |(.., counts)| counts);
    let (right, sites) = counts.iter().fold((0, 0), |sum, of| (sum.0 + of.1, sum.1 + of.2));
    if sites == 0 {
        return PRIOR;
    }
    // As if one more answer had been wrong.
    let pooled = right as f32 / (sites + 1) as f32;
    // The grammar of `tsx` is another one, the language is not.
    let language = if language == "tsx" { "typescript" } else { language };
    let own = counts.iter().find(|(of, ..)| *of == language);
    let (right, of_own) = own.map_or((0, 0), |(_, right, sites)| (*right, *sites));
    let share = (right as f32 + POOLED * pooled) / (of_own as f32 + POOLED);
    if sites < SITES_MIN { share.min(CONFIDENCE_UNCERTAIN) } else { share }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::FileId;
    use crate::graph::link::SymbolAt;

    const EVIDENCE: [Evidence; 5] =
        [Evidence::Scope, Evidence::Import, Evidence::Type, Evidence::Base, Evidence::Name];

    #[test]
    fn what_is_stated_has_data() {
        for evidence in EVIDENCE {
            for choice in [Choice::Only, Choice::OneOf, Choice::Open] {
                let stated = calibrated("zig", evidence, choice, 0.9);
                assert!((CONFIDENCE_ANSWER..=STATED_MAX).contains(&stated), "{stated}");
                let cell = CELLS.iter().find(|(of, how, _)| *of == evidence && *how == choice);
                let sites: u32 = cell.map_or(0, |(.., of)| of.iter().map(|of| of.2).sum());
                let is_sure = stated > CONFIDENCE_UNCERTAIN;
                assert!(!is_sure || sites >= SITES_MIN, "{evidence:?} {choice:?}: {sites} sites");
                assert!(!is_sure || choice == Choice::Only, "{evidence:?} {choice:?}");
            }
        }
        for (.., counts) in CELLS {
            assert!(counts.iter().all(|(_, right, sites)| right <= sites && *sites > 0));
        }
    }

    #[test]
    fn a_language_with_errors_states_less() {
        let of = |language| share(language, Evidence::Type, Choice::Only);
        assert!(of("csharp") < of("go"), "{} {}", of("csharp"), of("go"));
        assert_eq!(of("tsx"), of("typescript"));
    }

    #[test]
    fn guesses_below_the_threshold_are_no_answers() {
        assert_eq!(calibrated("python", Evidence::Type, Choice::Only, 0.25), 0.25);
        let guess = calibrated("python", Evidence::Name, Choice::OneOf, 0.5);
        assert!((CONFIDENCE_ANSWER..0.9).contains(&guess), "{guess}");
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
}
