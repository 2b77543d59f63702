//! Retrieval metrics computed from ranks, with confidence intervals.

/// The ranks of the expected files or functions, from 0; `None` if not found.
pub type Ranks = Vec<Option<usize>>;

/// Number of bootstrap samples.
const SAMPLES: usize = 10_000;

/// Returns the reciprocal of the best rank (counted from 1), 0 if none was found.
pub fn reciprocal_rank(places: &Ranks) -> f64 {
    places.iter().flatten().min().map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

/// Returns 1 if any is in the first `k`, else 0.
pub fn any_within(places: &Ranks, k: usize) -> f64 {
    f64::from(places.iter().flatten().any(|place| *place < k))
}

/// Returns 1 if all are in the first `k`, else 0.
pub fn all_within(places: &Ranks, k: usize) -> f64 {
    f64::from(places.iter().all(|place| place.is_some_and(|place| place < k)))
}

/// Returns the share in the first `k`.
pub fn recall(places: &Ranks, k: usize) -> f64 {
    let found = places.iter().flatten().filter(|place| **place < k).count();
    found as f64 / places.len().max(1) as f64
}

/// A mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Returns the mean of `values` with a 95 % confidence interval by the percentile bootstrap (Efron,
/// 1979). For a paired comparison, pass the differences. Deterministic. O(10,000 × values).
pub fn bootstrap(values: &[f64]) -> Mean {
    let mean = |sum: f64| sum / values.len().max(1) as f64;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut samples: Vec<f64> = (0..if values.is_empty() { 1 } else { SAMPLES })
        .map(|_| mean(values.iter().map(|_| values[below(&mut state, values.len())]).sum()))
        .collect();
    samples.sort_by(f64::total_cmp);
    let at = |share: f64| samples[((samples.len() - 1) as f64 * share).round() as usize];
    Mean { mean: mean(values.iter().sum()), low: at(0.025), high: at(0.975) }
}

/// Returns the percentile of `values` for a share in 0 to 1, by nearest rank; 0 if empty.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share).ceil() as usize;
    values.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

/// Returns a pseudo-random number below `end` (splitmix64).
fn below(state: &mut u64, end: usize) -> usize {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((u128::from(mixed ^ (mixed >> 31)) * end as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_computed_from_ranks() {
        let places: Ranks = vec![Some(2), None, Some(0)];
        assert_eq!(reciprocal_rank(&places), 1.0);
        assert_eq!(reciprocal_rank(&vec![Some(3)]), 0.25);
        assert_eq!(reciprocal_rank(&vec![None]), 0.0);
        assert_eq!((any_within(&places, 1), all_within(&places, 9)), (1.0, 0.0));
        assert_eq!(all_within(&vec![Some(2), Some(0)], 3), 1.0);
        assert!((recall(&places, 3) - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn intervals_contain_the_mean_and_shrink() {
        let few: Vec<f64> = (0..20).map(|at| f64::from(at % 2)).collect();
        let many: Vec<f64> = (0..2000).map(|at| f64::from(at % 2)).collect();
        let (few, many) = (bootstrap(&few), bootstrap(&many));
        for Mean { mean, low, high } in [few, many] {
            assert!((mean - 0.5).abs() < 1e-9 && low < 0.5 && high > 0.5);
        }
        // The standard error of a coin is 0.5 / sqrt(n).
        assert!((few.high - few.low - 4.0 * 0.5 / 20_f64.sqrt()).abs() < 0.1);
        assert!((many.high - many.low - 4.0 * 0.5 / 2000_f64.sqrt()).abs() < 0.01);
        assert_eq!(bootstrap(&[]).mean, 0.0);
        assert_eq!(percentile(&mut [3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(percentile(&mut [], 0.5), 0.0);
    }
}
