//! Computes statuses from recorded numbers; pure arithmetic.
//!
//! A number that is missing, zero or NaN never passes, and neither does a case whose executable
//! failed.

use super::measure::{Fault, Side, Wall};
use super::thresholds::{Limits, Thresholds};
use super::waivers::{CORPUS, Waiver};

/// A larger relative difference between two counts of one executable is reported.
const UNSTEADY: f64 = 0.01;

/// The record of one case.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    /// Its name.
    pub(crate) name: String,
    /// Its tool.
    pub(crate) tool: String,
    /// The hash of the base's reply; `None` where the base has no such case.
    pub(crate) base_reply: Option<String>,
    /// The hash of the head's reply; `None` where the head has no such case.
    pub(crate) head_reply: Option<String>,
    /// Whether its instructions can be counted on every side that has the case.
    pub(crate) countable: bool,
    /// Whether they can be counted on the base but not on the head, so that the gate no longer
    /// applies.
    pub(crate) lost_count: bool,
    /// One run, and a second one if the first was over a threshold.
    pub(crate) runs: Vec<Measured>,
}

/// One run of a case on both sides, or on the only side that has it.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// Wall times; `NaN` for a side that does not have the case.
    pub(crate) wall: Result<Wall, Fault>,
    /// Instructions; `None` where they are not counted at all.
    pub(crate) counts: Option<Counts>,
}

/// Instructions of one call; `None` for a side that does not have the case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// The base's count.
    pub(crate) base: Option<Result<u64, String>>,
    /// The head's count.
    pub(crate) head: Option<Result<u64, String>>,
}

/// The status of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing is over its threshold.
    Ok,
    /// Something is over its threshold, but the excess is too small or not certain.
    Noise,
    /// Slower in both runs; or the head cannot be measured.
    Fail,
    /// Only the head has it.
    New,
    /// Only the base has it.
    Removed,
    /// It would fail, but there is a waiver.
    Waived,
    /// Not comparable: another corpus, another reply, or an unusable number.
    Incomparable,
}

/// The gates that applied to a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gated {
    /// Instructions were counted on both sides.
    pub(crate) instructions: bool,
    /// The call is long enough for wall time.
    pub(crate) wall: bool,
}

/// One line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The record.
    pub(crate) recorded: Recorded,
    /// The status.
    pub(crate) status: Status,
    /// The status without a waiver.
    pub(crate) unwaived: Status,
    /// The gates that applied; `None` if nothing was compared.
    pub(crate) gated: Option<Gated>,
    /// The reasons, as sentences.
    pub(crate) notes: Vec<String>,
}

/// The rules for the whole table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    /// The thresholds.
    pub(crate) thresholds: &'a Thresholds,
    /// The waivers.
    pub(crate) waivers: &'a [Waiver],
    /// Whether both sides measure the same corpus.
    pub(crate) same_corpus: bool,
}

/// The result of one gate for one run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Under the threshold.
    Within,
    /// Over the threshold, with the reason why that is not a failure.
    Noise(String),
    /// Over the threshold with the required confidence.
    Over(String),
}

impl Status {
    /// Returns its name in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Noise => "NOISE",
            Self::Fail => "FAIL",
            Self::New => "NEW",
            Self::Removed => "REMOVED",
            Self::Waived => "WAIVED",
            Self::Incomparable => "INCOMPARABLE",
        }
    }

    /// Returns true if the status fails the gate.
    pub(crate) fn fails(self) -> bool {
        matches!(self, Self::Fail | Self::Removed | Self::Incomparable)
    }
}

impl Row {
    /// Returns the run that is shown: the last one.
    pub(crate) fn shown(&self) -> Option<&Measured> {
        self.recorded.runs.last()
    }
}

impl Measured {
    /// Returns the ratio of head to base in instructions, if both were counted.
    pub(crate) fn instructions_ratio(&self) -> Option<f64> {
        let counts = self.counts.as_ref()?;
        let base = counts.base.as_ref()?.as_ref().ok()?;
        let head = counts.head.as_ref()?.as_ref().ok()?;
        Some(*head as f64 / *base as f64)
    }
}

/// Determines the status of every case; the rows are sorted by tool, then by name.
pub(crate) fn judge(recorded: Vec<Recorded>, rules: &Rules<'_>) -> Vec<Row> {
    let mut rows: Vec<Row> = recorded.into_iter().map(|recorded| row(recorded, rules)).collect();
    rows.sort_by(|a, b| {
        let key = |row: &Row| (row.recorded.tool.clone(), row.recorded.name.clone());
        key(a).cmp(&key(b))
    });
    rows
}

/// Returns true if a run is over a threshold, so that the case has to run once more.
pub(crate) fn is_over(run: &Measured, limits: &Limits) -> bool {
    matches!(run.wall.as_ref().map(|it| wall(it, limits)), Ok(Verdict::Over(_)))
        || matches!(
            run.instructions_ratio().map(|it| instructions(it, limits)),
            Some(Verdict::Over(_))
        )
}

/// Judges the wall time of one run with valid numbers.
pub(crate) fn wall(wall: &Wall, limits: &Limits) -> Verdict {
    if wall.ratio <= 1.0 + limits.wall {
        return Verdict::Within;
    }
    let over = format!("wall time {}, over {}", percent(wall.ratio), percent(1.0 + limits.wall));
    if !is_gated_on_wall(wall, limits) {
        let from = limits.wall_from_ns / 1e3;
        return Verdict::Noise(format!("{over}, which only informs under {from} µs"));
    }
    if wall.base_ns * (wall.ratio - 1.0) < limits.wall_floor_ns {
        let floor = limits.wall_floor_ns / 1e3;
        return Verdict::Noise(format!("{over}, but by less than {floor} µs"));
    }
    if wall.high.is_infinite() {
        // Too few pairs for an interval, because the calls are slow: the second run decides.
        return Verdict::Over(format!("{over}, with too few calls for an interval"));
    }
    if wall.low <= 1.0 + limits.wall {
        let low = percent(wall.low);
        return Verdict::Noise(format!("{over}, but it may be {low} (99.9 % confidence)"));
    }
    Verdict::Over(over)
}

/// Judges the instructions of one run, head relative to base.
pub(crate) fn instructions(ratio: f64, limits: &Limits) -> Verdict {
    if ratio <= 1.0 + limits.instructions {
        return Verdict::Within;
    }
    let threshold = percent(1.0 + limits.instructions);
    Verdict::Over(format!("instructions {}, over {threshold}", percent(ratio)))
}

/// Formats a ratio as its difference from one.
pub(crate) fn percent(ratio: f64) -> String {
    // Adding zero removes the sign of a negative zero.
    let percent = ((ratio - 1.0) * 1000.0).round() / 10.0 + 0.0;
    if percent.is_finite() { format!("{percent:+.1} %") } else { "unknown".to_owned() }
}

fn is_gated_on_wall(wall: &Wall, limits: &Limits) -> bool {
    wall.base_ns.max(wall.head_ns) >= limits.wall_from_ns
}

fn row(recorded: Recorded, rules: &Rules<'_>) -> Row {
    let limits = rules.thresholds.of(&recorded.tool);
    let (unwaived, gated, mut notes) = status(&recorded, &limits, rules.same_corpus);
    let covers = |waiver: &&Waiver| {
        waiver.case == recorded.name
            || waiver.case == CORPUS && !rules.same_corpus && unwaived == Status::Incomparable
    };
    let mut status = unwaived;
    if unwaived.fails()
        && let Some(waiver) = rules.waivers.iter().find(covers)
    {
        status = Status::Waived;
        notes.push(format!("{} is waived: {}", unwaived.name(), waiver.reason));
    }
    Row { recorded, status, unwaived, gated, notes }
}

fn status(
    recorded: &Recorded,
    limits: &Limits,
    same_corpus: bool,
) -> (Status, Option<Gated>, Vec<String>) {
    if recorded.base_reply.is_none() {
        return match faults(recorded, Side::Head) {
            notes if notes.is_empty() => (Status::New, None, notes),
            notes => (Status::Fail, None, notes),
        };
    }
    if recorded.head_reply.is_none() {
        let notes = vec!["the head has no such case".to_owned()];
        return (Status::Removed, None, notes);
    }
    let head = faults(recorded, Side::Head);
    if !head.is_empty() {
        return (Status::Fail, None, head);
    }
    let mut reasons = faults(recorded, Side::Base);
    if !same_corpus {
        reasons.push("the two sides measure another corpus".to_owned());
    } else if recorded.base_reply != recorded.head_reply {
        reasons.push("the head answers something else than the base".to_owned());
    }
    if recorded.lost_count {
        reasons.push("its instructions cannot be counted on the head any more".to_owned());
    }
    for run in &recorded.runs {
        reasons.extend(unusable(run));
    }
    if recorded.runs.is_empty() {
        reasons.push("it was not measured".to_owned());
    }
    if !reasons.is_empty() {
        reasons.dedup();
        return (Status::Incomparable, None, reasons);
    }
    gates(recorded, limits)
}

/// The faults of one side in any run, as sentences.
fn faults(recorded: &Recorded, side: Side) -> Vec<String> {
    let mut notes = Vec::new();
    for run in &recorded.runs {
        let wall = run.wall.as_ref().err().filter(|fault| fault.side == side);
        let counts = run.counts.as_ref();
        let counts = counts.and_then(|counts| match side {
            Side::Base => counts.base.as_ref(),
            Side::Head => counts.head.as_ref(),
        });
        let what = wall.map(|fault| &fault.what).into_iter();
        for what in what.chain(counts.and_then(|it| it.as_ref().err())) {
            notes.push(format!("the {}'s executable failed: {what}", side.name()));
        }
    }
    notes
}

/// Returns the numbers of a run without faults that cannot be compared.
fn unusable(run: &Measured) -> Option<String> {
    let usable = |value: f64| value.is_finite() && value > 0.0;
    if let Ok(wall) = &run.wall
        && !(usable(wall.base_ns) && usable(wall.head_ns) && usable(wall.ratio))
    {
        let (base, head) = (wall.base_ns, wall.head_ns);
        return Some(format!("there is no ratio of {head} ns to {base} ns"));
    }
    let counts = run.counts.as_ref()?;
    match (&counts.base, &counts.head) {
        (Some(Ok(base)), Some(Ok(head))) if *base == 0 || *head == 0 => {
            Some(format!("there is no ratio of {head} instructions to {base}"))
        }
        (Some(_), Some(_)) => None,
        _ => Some("the instructions of one side were not counted".to_owned()),
    }
}

/// Applies the gates to runs with valid numbers.
fn gates(recorded: &Recorded, limits: &Limits) -> (Status, Option<Gated>, Vec<String>) {
    let walls: Vec<&Wall> = recorded.runs.iter().filter_map(|run| run.wall.as_ref().ok()).collect();
    let ratios: Vec<f64> = recorded.runs.iter().filter_map(Measured::instructions_ratio).collect();
    let gated = Gated {
        instructions: !ratios.is_empty(),
        wall: walls.iter().any(|it| is_gated_on_wall(it, limits)),
    };
    let by_wall = walls.iter().map(|it| wall(it, limits)).collect();
    let by_instructions = ratios.iter().map(|ratio| instructions(*ratio, limits)).collect();
    let mut notes = Vec::new();
    let mut status = Status::Ok;
    for verdict in [twice(by_instructions), twice(by_wall)] {
        match verdict {
            Verdict::Within => {}
            Verdict::Noise(why) => {
                notes.push(why);
                status = if status == Status::Fail { status } else { Status::Noise };
            }
            Verdict::Over(why) => {
                notes.push(why);
                status = Status::Fail;
            }
        }
    }
    notes.extend(unsteady(recorded));
    (status, Some(gated), notes)
}

/// A gate fails only if it fails in every run; the last run is reported.
fn twice(mut verdicts: Vec<Verdict>) -> Verdict {
    let Some(last) = verdicts.pop() else { return Verdict::Within };
    let first_over = verdicts.iter().find_map(|verdict| match verdict {
        Verdict::Over(why) => Some(why.clone()),
        _ => None,
    });
    let all_over = verdicts.iter().all(|verdict| matches!(verdict, Verdict::Over(_)));
    match (last, first_over) {
        (Verdict::Over(why), _) if all_over => Verdict::Over(why),
        (Verdict::Over(why), _) => Verdict::Noise(format!("{why}, in the second run alone")),
        (Verdict::Within, Some(why)) => Verdict::Noise(format!("{why}, in the first run alone")),
        (last, _) => last,
    }
}

/// Reports executables whose counts differ between runs.
fn unsteady(recorded: &Recorded) -> Vec<String> {
    let [first, second] = &recorded.runs[..] else { return Vec::new() };
    let of = |run: &Measured, side| {
        let counts = run.counts.as_ref()?;
        let count = if side == Side::Base { &counts.base } else { &counts.head };
        count.as_ref()?.as_ref().ok().map(|count| *count as f64)
    };
    let mut notes = Vec::new();
    for side in [Side::Base, Side::Head] {
        if let (Some(one), Some(other)) = (of(first, side), of(second, side))
            && (other / one - 1.0).abs() > UNSTEADY
        {
            let (name, by) = (side.name(), percent(other / one));
            notes.push(format!("two counts of the {name} alone differ by {by}"));
        }
    }
    notes
}
