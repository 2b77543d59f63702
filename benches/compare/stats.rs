//! Medians, ranges and the format of figures.

use std::time::Duration;

/// Milliseconds of a duration.
pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// Returns the median; the mean of the middle two when their number is even. `NaN` of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => f64::midpoint(sorted[even / 2 - 1], sorted[even / 2]),
    }
}

/// Returns the geometric mean of positive numbers; NaN for none.
pub(crate) fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// A ratio, computed pair by pair.
#[derive(Clone, Copy)]
pub(crate) struct Ratio {
    /// The smallest.
    pub(crate) min: f64,
    /// The median, which is compared with the goal.
    pub(crate) median: f64,
    /// The largest.
    pub(crate) max: f64,
}

impl Ratio {
    /// Divides the times run by run; the two lists come from the same interleaved rounds.
    pub(crate) fn of(numerators: &[f64], denominators: &[f64]) -> Self {
        let ratios: Vec<f64> =
            numerators.iter().zip(denominators).map(|(above, below)| above / below).collect();
        let min = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let max = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { min, median: median(&ratios), max }
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2}–{:.2})", self.median, self.min, self.max)
    }
}
