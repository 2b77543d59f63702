//! Looks for weights that rank the files that were looked for higher, on what was kept of many cases.
//!
//! One weight after the other is tried a little higher and lower, and what ranks better stays, until
//! nothing does. What counts is the mean over sets of cases, so that a large one weighs no more than a
//! small one; weights that rank alike stay as they are.

use rayon::prelude::*;

use super::localize::Kept;
use super::measures::{Places, all_within, any_within, reciprocal_rank};
use crate::rank::{Evidence, SIGNALS, Signal, Weights};

/// Factors that a weight is tried with.
const FACTORS: [f32; 8] = [0.0, 0.5, 0.7, 0.85, 1.18, 1.4, 2.0, 3.0];

/// What a weight must gain to be changed.
const GAIN_MIN: f64 = 2e-4;

/// Rounds over all weights.
const ROUNDS_MAX: usize = 12;

/// Returns how good a ranking is, 0 to 1: the mean over sets of (2 × reciprocal rank + any in 5 + all in
/// 1 + all in 3 + all in 5) / 6.
pub fn worth(sets: &[Vec<Kept>], weights: &Weights) -> f64 {
    let of_set = |set: &Vec<Kept>| {
        // Added up in order, so that it is the same for any number of threads.
        let of_cases: Vec<f64> = set.par_iter().map(|case| of_case(case, weights)).collect();
        of_cases.iter().sum::<f64>() / set.len().max(1) as f64
    };
    sets.iter().map(of_set).sum::<f64>() / sets.len().max(1) as f64
}

fn of_case(case: &Kept, weights: &Weights) -> f64 {
    let places = places(case, weights);
    (2.0 * reciprocal_rank(&places)
        + any_within(&places, 5)
        + all_within(&places, 1)
        + all_within(&places, 3)
        + all_within(&places, 5))
        / 6.0
}

/// Returns where the files that were looked for come by `weights`.
pub fn places(case: &Kept, weights: &Weights) -> Places {
    let weights = weights.for_task(case.words);
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
        .filter(|(_, (score, at))| *score > 0.0 && case.files[*at].is_wanted);
    let mut places: Places = found.map(|(place, _)| Some(place)).collect();
    places.resize(case.wanted, None);
    places
}

/// The weights of files that are looked for, each as a way to reach it.
fn reach(weights: &mut Weights, at: usize) -> Option<&mut f32> {
    match at.checked_sub(SIGNALS) {
        // The scale is free: text stays.
        None if at == Signal::Text as usize => None,
        None => Some(&mut weights.signals[at]),
        Some(0) => Some(&mut weights.knee),
        // Commits have no tests and documents among what is looked for, so that they say nothing of
        // how much these are to be damped.
        Some(_) => None,
    }
}

/// Returns weights that rank the cases of `sets` better than `from`, calling `tell` with each step.
pub fn fit(sets: &[Vec<Kept>], from: &Weights, mut tell: impl FnMut(&str)) -> Weights {
    let (mut best, mut value) = (*from, worth(sets, from));
    tell(&format!("{value:.4} to begin with"));
    for round in 0..ROUNDS_MAX {
        let before = value;
        for at in 0..=SIGNALS {
            for factor in FACTORS {
                let mut tried = best;
                let Some(weight) = reach(&mut tried, at) else { continue };
                *weight = if *weight == 0.0 { 0.1 * factor } else { *weight * factor };
                let new = worth(sets, &tried);
                if new > value + GAIN_MIN {
                    (best, value) = (tried, new);
                }
            }
        }
        tell(&format!("{value:.4} after round {}", round + 1));
        if value <= before {
            break;
        }
    }
    best
}
