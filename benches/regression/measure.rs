//! Wall times of one case, base and head side by side.
//!
//! Both executables run; one waits while the other measures. A round is base, head, head, base, the
//! next one head, base, base, head, so that drift and the cost of being second affect both sides
//! equally. Each two neighbouring samples form a pair, and the estimate is the median of the pairs'
//! ratios.

use std::time::{Duration, Instant};

use super::driver::Driver;
use super::stats::{interval, median};

/// The confidence of the interval of one case; the whole table has many of them.
pub(crate) const CONFIDENCE: f64 = 0.999;

/// The duration of a sample: long compared with the clock and a request, short compared with a
/// scheduler's time slice.
const SAMPLE_NS: f64 = 10e6;

/// The maximum number of calls in a sample.
const ITERATIONS_MAX: u64 = 1_000_000;

/// The number of pairs before the first check of the interval; it is checked again whenever they
/// have doubled, so that there are few checks.
const PAIRS_MIN: usize = 32;

/// The minimum number of pairs of an interval (see `stats::interval`), rounded up to whole rounds.
const PAIRS_NEEDED: usize = 12;

/// The maximum number of pairs.
const PAIRS_MAX: usize = 4096;

/// The stopping rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The interval is narrow enough if it extends at most this far to either side, as a ratio
    /// minus one.
    pub(crate) half_width: f64,
    /// No round starts after this time, once there are enough pairs for an interval.
    pub(crate) time: Duration,
    /// Calls of fewer nanoseconds are not gated on wall time: they get a quarter of the time, and
    /// an interval that is two and a half times as wide.
    pub(crate) informing_below_ns: f64,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The base revision.
    Base,
    /// The head revision.
    Head,
}

/// The measured wall time of one case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wall {
    /// Median nanoseconds of a call on the base.
    pub(crate) base_ns: f64,
    /// The same on the head.
    pub(crate) head_ns: f64,
    /// The median of the pairs' ratios, head to base.
    pub(crate) ratio: f64,
    /// The lower end of its interval; 0 with too few pairs.
    pub(crate) low: f64,
    /// The upper end; infinite with too few pairs.
    pub(crate) high: f64,
    /// Pairs.
    pub(crate) pairs: usize,
    /// Calls in a sample.
    pub(crate) iterations: u64,
}

/// A fault of an executable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The executable.
    pub(crate) side: Side,
    /// The description, a sentence without a subject.
    pub(crate) what: String,
}

impl Plan {
    /// Returns the plan for calls of about this many nanoseconds.
    fn of(self, call_ns: f64) -> Self {
        if call_ns >= self.informing_below_ns {
            return self;
        }
        Self { half_width: self.half_width * 2.5, time: self.time / 4, ..self }
    }
}

impl Side {
    /// Returns its name, for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }
}

/// Two running executables.
pub(crate) struct Pair<'a> {
    /// The base revision.
    pub(crate) base: &'a mut Driver,
    /// The head revision.
    pub(crate) head: &'a mut Driver,
}

impl Pair<'_> {
    fn run(
        &mut self,
        side: Side,
        case: &str,
        iterations: u64,
        expected: Duration,
    ) -> Result<f64, Fault> {
        let driver = match side {
            Side::Base => &mut *self.base,
            Side::Head => &mut *self.head,
        };
        driver.run_case(case, iterations, expected).map_err(|what| Fault { side, what })
    }
}

/// Measures one case until its interval is narrow enough or the time is over.
///
/// The stopping rule depends on the width of the interval, never on its position, so that repeated
/// checks do not make a finding more likely.
///
/// # Errors
///
/// If one of the two fails.
pub(crate) fn wall(pair: &mut Pair<'_>, case: &str, plan: &Plan) -> Result<Wall, Fault> {
    let (iterations, call_ns) = pilot(|side, n, expected| pair.run(side, case, n, expected))?;
    let plan = plan.of(call_ns);
    let expected = Duration::from_nanos((call_ns * iterations as f64) as u64);
    let started = Instant::now();
    let (mut base, mut head, mut logs) = (Vec::new(), Vec::new(), Vec::new());
    let mut look = PAIRS_MIN;
    loop {
        let order = if (logs.len() / 2).is_multiple_of(2) {
            [Side::Base, Side::Head, Side::Head, Side::Base]
        } else {
            [Side::Head, Side::Base, Side::Base, Side::Head]
        };
        let mut samples = Vec::with_capacity(order.len());
        for side in order {
            let nanoseconds = pair.run(side, case, iterations, expected)?;
            if nanoseconds <= 0.0 {
                let what = format!("it reports that {iterations} calls took no time");
                return Err(Fault { side, what });
            }
            samples.push((side, nanoseconds / iterations as f64));
        }
        for two in samples.chunks_exact(2) {
            let of = |side| two.iter().find(|sample| sample.0 == side).map_or(f64::NAN, |it| it.1);
            let (before, after) = (of(Side::Base), of(Side::Head));
            base.push(before);
            head.push(after);
            logs.push((after / before).ln());
        }
        let over = started.elapsed() >= plan.time && logs.len() >= PAIRS_NEEDED;
        // A call of minutes must not take an hour to measure; it gets no interval.
        let far_over = started.elapsed() >= plan.time * 30;
        let narrow = logs.len() >= look && {
            look = logs.len() * 2;
            is_narrow(&logs, plan.half_width)
        };
        if narrow || over || far_over || logs.len() >= PAIRS_MAX {
            return Ok(estimate(&base, &head, &logs, iterations));
        }
    }
}

/// Measures a case that only one side has; returns the median nanoseconds per call.
///
/// # Errors
///
/// If the executable fails.
pub(crate) fn alone(driver: &mut Driver, side: Side, case: &str) -> Result<f64, Fault> {
    let mut run = |_, iterations, expected| {
        driver.run_case(case, iterations, expected).map_err(|what| Fault { side, what })
    };
    let (iterations, call_ns) = pilot(&mut run)?;
    let expected = Duration::from_nanos((call_ns * iterations as f64) as u64);
    let mut samples = Vec::new();
    for _ in 0..PAIRS_NEEDED {
        samples.push(run(side, iterations, expected)? / iterations as f64);
    }
    Ok(median(&samples).unwrap_or_default())
}

/// Determines the number of calls of a sample; returns it with the approximate time of a call.
fn pilot(
    mut run: impl FnMut(Side, u64, Duration) -> Result<f64, Fault>,
) -> Result<(u64, f64), Fault> {
    let sides = [Side::Base, Side::Head];
    for side in sides {
        run(side, 0, Duration::ZERO)?;
    }
    let (mut iterations, mut call_ns) = (1, 1.0);
    // The first calls may be slow; then a sample would have too few calls.
    for _ in 0..4 {
        let expected = Duration::from_nanos((call_ns * iterations as f64) as u64);
        let mut least = f64::INFINITY;
        for side in sides {
            least = least.min(run(side, iterations, expected)? / iterations as f64);
        }
        call_ns = least.max(1.0);
        let wanted = ((SAMPLE_NS / call_ns) as u64).clamp(1, ITERATIONS_MAX);
        let settled = wanted <= iterations * 2;
        iterations = wanted;
        if settled {
            break;
        }
    }
    Ok((iterations, call_ns))
}

fn is_narrow(logs: &[f64], half_width: f64) -> bool {
    interval(logs, CONFIDENCE)
        .is_some_and(|ends| (ends.high - ends.low) / 2.0 <= (1.0 + half_width).ln())
}

/// Computes the estimate from samples with the same index.
pub(crate) fn estimate(base: &[f64], head: &[f64], logs: &[f64], iterations: u64) -> Wall {
    let ends = interval(logs, CONFIDENCE);
    Wall {
        base_ns: median(base).unwrap_or(f64::NAN),
        head_ns: median(head).unwrap_or(f64::NAN),
        ratio: median(logs).map_or(f64::NAN, f64::exp),
        low: ends.map_or(0.0, |ends| ends.low.exp()),
        high: ends.map_or(f64::INFINITY, |ends| ends.high.exp()),
        pairs: logs.len(),
        iterations,
    }
}
