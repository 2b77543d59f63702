//! The median and its confidence interval.

/// An interval that contains the median with at least the given confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    /// The lower end.
    pub(crate) low: f64,
    /// The upper end.
    pub(crate) high: f64,
}

/// Returns the median; the mean of the middle two for an even number, `None` for no values.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    match sorted.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(sorted[odd / 2]),
        even => Some(f64::midpoint(sorted[even / 2 - 1], sorted[even / 2])),
    }
}

/// Returns the sign test's interval of the median: the `l`-th smallest and the `l`-th largest
/// value, for the largest `l` with `2 · P(Bin(n, ½) < l) ≤ 1 - confidence`. `None` if even the
/// extremes do not reach the confidence: 99.9 % needs eleven values.
///
/// It assumes nothing about the distribution (no variance, no symmetry), so a sample that another
/// process disturbed counts as one value on one side, however extreme it is. It is exact for
/// independent values with a common median, and uses no random numbers.
///
/// Source: W. J. Conover, *Practical Nonparametric Statistics*, 3rd edition, section 3.2
/// (confidence interval for a quantile); H. A. David and H. N. Nagaraja, *Order Statistics*, 3rd
/// edition, section 7.1.
pub(crate) fn interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let rank = rank(values.len(), confidence)?;
    let sorted = sorted(values);
    Some(Interval { low: sorted[rank - 1], high: sorted[sorted.len() - rank] })
}

/// The `l` of [`interval`], from 1; O(n).
fn rank(count: usize, confidence: f64) -> Option<usize> {
    let tail_max = (1.0 - confidence) / 2.0;
    // ln C(n, k) - n ln 2, so that nothing underflows for a thousand values.
    let mut term_ln = -(count as f64) * std::f64::consts::LN_2;
    let (mut tail, mut rank) = (0.0, 0);
    for below in 0..count.div_ceil(2) {
        tail += term_ln.exp();
        if tail > tail_max {
            break;
        }
        rank = below + 1;
        term_ln += ((count - below) as f64 / (below + 1) as f64).ln();
    }
    (rank > 0).then_some(rank)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}
