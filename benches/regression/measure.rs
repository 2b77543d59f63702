//! Wall times of one case, base and head beside each other.
//!
//! Both executables are up; one waits while the other measures. A round is base, head, head, base, the next
//! one head, base, base, head: what drifts, and what it costs to be second, falls on both sides alike. Each
//! neighbouring two samples make a pair, and what is estimated is the median of the pairs' ratios.

use std::time::{Duration, Instant};

use super::driver::Driver;
use super::stats::{interval, median};

/// How sure the interval of one case is; the whole table has many of them.
pub(crate) const CONFIDENCE: f64 = 0.999;

/// What a sample should take: long beside the clock and a question, short beside a scheduler's slice.
const SAMPLE_NS: f64 = 10e6;

/// A sample repeats a call no more often.
const ITERATIONS_MAX: u64 = 1_000_000;

/// Pairs before the interval is looked at for the first time; it is looked at again whenever they doubled,
/// so that there are few looks.
const PAIRS_MIN: usize = 32;

/// Pairs that the interval needs at least (see `stats::interval`), rounded up to whole rounds.
const PAIRS_NEEDED: usize = 12;

/// There are never more pairs.
const PAIRS_MAX: usize = 4096;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The interval is narrow enough when it reaches this far to either side, as a ratio less one.
    pub(crate) half_width: f64,
    /// No round is begun after this time, as long as there are pairs enough for an interval.
    pub(crate) time: Duration,
    /// Calls under so many nanoseconds are not gated on wall time: a quarter of the time has to do for them,
    /// and an interval that is two and a half times as wide.
    pub(crate) informing_below_ns: f64,
}

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// What was.
    Base,
    /// What is to come.
    Head,
}

/// What was measured of one case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wall {
    /// Median nanoseconds of a call on the base.
    pub(crate) base_ns: f64,
    /// The same on the head.
    pub(crate) head_ns: f64,
    /// Median of the pairs' ratios, head by base.
    pub(crate) ratio: f64,
    /// The lower end of its interval; 0 where there were too few pairs for one.
    pub(crate) low: f64,
    /// The upper end; infinite where there were too few.
    pub(crate) high: f64,
    /// Pairs.
    pub(crate) pairs: usize,
    /// Calls in a sample.
    pub(crate) iterations: u64,
}

/// Something that an executable did wrong, and which.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The executable.
    pub(crate) side: Side,
    /// What it did, as a sentence without a subject's name.
    pub(crate) what: String,
}

impl Plan {
    /// Returns the plan for calls that take about so many nanoseconds.
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
    /// What was.
    pub(crate) base: &'a mut Driver,
    /// What is to come.
    pub(crate) head: &'a mut Driver,
}

impl Pair<'_> {
    fn ask(
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
        driver.ask(case, iterations, expected).map_err(|what| Fault { side, what })
    }
}

/// Measures one case until its interval is narrow or its time is over.
///
/// It is stopped for how wide the interval is, never for what it says, so that looking more than once does
/// not make a finding likelier.
///
/// # Errors
///
/// When one of the two fails.
pub(crate) fn wall(pair: &mut Pair<'_>, case: &str, plan: &Plan) -> Result<Wall, Fault> {
    let (iterations, call_ns) = pilot(|side, n, expected| pair.ask(side, case, n, expected))?;
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
            let nanoseconds = pair.ask(side, case, iterations, expected)?;
            if nanoseconds <= 0.0 {
                let what = format!("it says that {iterations} calls took no time");
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
        // A call that takes minutes shall not take an hour to be measured; it gets no interval then.
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

/// Measures a case that only one side has; returns the median nanoseconds of a call.
///
/// # Errors
///
/// When the executable fails.
pub(crate) fn alone(driver: &mut Driver, side: Side, case: &str) -> Result<f64, Fault> {
    let mut ask = |_, iterations, expected| {
        driver.ask(case, iterations, expected).map_err(|what| Fault { side, what })
    };
    let (iterations, call_ns) = pilot(&mut ask)?;
    let expected = Duration::from_nanos((call_ns * iterations as f64) as u64);
    let mut samples = Vec::new();
    for _ in 0..PAIRS_NEEDED {
        samples.push(ask(side, iterations, expected)? / iterations as f64);
    }
    Ok(median(&samples).unwrap_or_default())
}

/// Finds how many calls make a sample; returns that and what a call takes about.
fn pilot(
    mut ask: impl FnMut(Side, u64, Duration) -> Result<f64, Fault>,
) -> Result<(u64, f64), Fault> {
    let sides = [Side::Base, Side::Head];
    for side in sides {
        ask(side, 0, Duration::ZERO)?;
    }
    let (mut iterations, mut call_ns) = (1, 1.0);
    // The first calls may be slow ones, and then too few would make a sample.
    for _ in 0..4 {
        let expected = Duration::from_nanos((call_ns * iterations as f64) as u64);
        let mut least = f64::INFINITY;
        for side in sides {
            least = least.min(ask(side, iterations, expected)? / iterations as f64);
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

/// Makes an estimate of samples that belong together by their place.
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
