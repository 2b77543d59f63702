//! Optimises the weights on recorded evidence of many cases, by coordinate descent.
//!
//! One weight at a time is multiplied by several factors; an improvement is kept, until no factor
//! improves the objective. The objective is the mean over sets of cases, so that large sets do not
//! dominate.

use rayon::prelude::*;

use super::localize::CaseEvidence;
use super::measures::{Ranks, all_within, any_within, reciprocal_rank};
use crate::rank::{Evidence, SIGNALS, Signal, Weights};

/// Factors tried for each weight.
const FACTORS: [f32; 8] = [0.0, 0.5, 0.7, 0.85, 1.18, 1.4, 2.0, 3.0];

/// Minimum improvement of the objective.
const GAIN_MIN: f64 = 2e-4;

/// Maximum number of passes over all weights.
const ROUNDS_MAX: usize = 12;

/// Returns the objective, 0 to 1: the mean over sets of (2 × reciprocal rank + any in 5 + all in 1
/// + all in 3 + all in 5) / 6.
pub fn objective(sets: &[Vec<CaseEvidence>], weights: &Weights) -> f64 {
    let of_set = |set: &Vec<CaseEvidence>| {
        // Sum in a fixed order, so that the result does not depend on the number of threads.
        let of_cases: Vec<f64> = set.par_iter().map(|case| of_case(case, weights)).collect();
        of_cases.iter().sum::<f64>() / set.len().max(1) as f64
    };
    sets.iter().map(of_set).sum::<f64>() / sets.len().max(1) as f64
}

fn of_case(case: &CaseEvidence, weights: &Weights) -> f64 {
    let places = places(case, weights);
    (2.0 * reciprocal_rank(&places)
        + any_within(&places, 5)
        + all_within(&places, 1)
        + all_within(&places, 3)
        + all_within(&places, 5))
        / 6.0
}

/// Returns the ranks of the expected files under `weights`.
pub fn places(case: &CaseEvidence, weights: &Weights) -> Ranks {
    let weights = weights.for_task(case.kind, case.words);
    let mut ranked: Vec<(f32, usize)> = case
        .files
        .iter()
        .enumerate()
        .map(|(at, file)| (weights.score(&Evidence::of(file.values), file.traits), at))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let found = ranked
        .iter()
        .enumerate()
        .filter(|(_, (score, at))| *score > 0.0 && case.files[*at].is_expected);
    let mut places: Ranks = found.map(|(place, _)| Some(place)).collect();
    places.resize(case.expected, None);
    places
}

/// Returns the weight at an index of the search space; `None` if it is fixed.
fn weight_mut(weights: &mut Weights, at: usize) -> Option<&mut f32> {
    match at.checked_sub(SIGNALS) {
        // The scale of scores is arbitrary, so the weight of text is fixed.
        None if at == Signal::Text as usize => None,
        None => Some(&mut weights.signals[at]),
        Some(0) => Some(&mut weights.knee),
        // Expected files of commits are never tests or documents, so these factors cannot be
        // fitted.
        Some(_) => None,
    }
}

/// Returns weights with an objective on `sets` at least that of `from`. Calls `report` after each
/// pass.
pub fn fit(sets: &[Vec<CaseEvidence>], from: &Weights, mut report: impl FnMut(&str)) -> Weights {
    let (mut best, mut value) = (*from, objective(sets, from));
    report(&format!("{value:.4} initially"));
    for round in 0..ROUNDS_MAX {
        let before = value;
        for at in 0..=SIGNALS {
            for factor in FACTORS {
                let mut tried = best;
                let Some(weight) = weight_mut(&mut tried, at) else { continue };
                *weight = if *weight == 0.0 { 0.1 * factor } else { *weight * factor };
                let new = objective(sets, &tried);
                if new > value + GAIN_MIN {
                    (best, value) = (tried, new);
                }
            }
        }
        report(&format!("{value:.4} after pass {}", round + 1));
        if value <= before {
            break;
        }
    }
    best
}
