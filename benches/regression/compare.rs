//! Measures every case of two executables, and those over a threshold once more.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::callgrind;
use super::driver::{Driver, Program, TimeLimits, finish};
use super::judge::{Counts, Measured, Recorded, is_over, percent};
use super::measure::{self, Fault, Pair, Plan, Side, Wall};
use super::protocol::Case;
use super::thresholds::Thresholds;

/// The number of failures after which an executable is not started again.
const STARTS_MAX: usize = 4;

/// The settings of the measurement.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The size of the corpus: `small` or `full`.
    pub(crate) profile: String,
    /// The filter for case names, which the executables apply.
    pub(crate) filter: Option<String>,
    /// Whether to count instructions.
    pub(crate) counted: bool,
    /// The stopping rule for wall times.
    pub(crate) plan: Plan,
    /// The time limits of an executable.
    pub(crate) time_limits: TimeLimits,
    /// The directory of callgrind's files.
    pub(crate) scratch: PathBuf,
}

/// Everything that was recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    /// The base's hash of its corpus; `None` where there is no base or it did not start.
    pub(crate) base_corpus: Option<String>,
    /// The head's hash of its corpus.
    pub(crate) head_corpus: Option<String>,
    /// The cases, those of both sides.
    pub(crate) recorded: Vec<Recorded>,
    /// The reasons why the whole comparison is void, as sentences.
    pub(crate) faults: Vec<String>,
}

/// One side: its executable and its running process.
struct Slot<'a> {
    side: Side,
    program: &'a Program,
    settings: &'a Settings,
    driver: Option<Driver>,
    starts: usize,
}

impl Slot<'_> {
    /// Returns the running process; starts it if the last one failed.
    fn running(&mut self) -> Result<&mut Driver, Fault> {
        if self.driver.is_none() {
            if self.starts == STARTS_MAX {
                let what = "it failed too often and was not started again".to_owned();
                return Err(Fault { side: self.side, what });
            }
            self.starts += 1;
            let driver = start(self.program, self.settings);
            self.driver = Some(driver.map_err(|what| Fault { side: self.side, what })?);
        }
        Ok(self.driver.as_mut().expect("it was just started"))
    }
}

/// Compares both sides; without a base, the head is measured alone.
pub(crate) fn compare(
    base: Option<&Program>,
    head: &Program,
    settings: &Settings,
    thresholds: &Thresholds,
    progress: &dyn Fn(&str),
) -> Comparison {
    let mut comparison = Comparison::default();
    let sides = [(Side::Base, base), (Side::Head, Some(head))];
    let mut slots = Vec::new();
    for (side, program) in sides.into_iter().filter_map(|(side, it)| Some((side, it?))) {
        progress(&format!("the {} prepares", side.name()));
        let mut slot = Slot { side, program, settings, driver: None, starts: 0 };
        let prepared = prepare(program, settings).map_err(|what| Fault { side, what });
        match prepared.and_then(|()| slot.running().map(|driver| driver.hello.corpus.clone())) {
            Ok(corpus) if side == Side::Base => comparison.base_corpus = Some(corpus),
            Ok(corpus) => comparison.head_corpus = Some(corpus),
            Err(Fault { what, .. }) => comparison
                .faults
                .push(format!("the {}'s executable does not prepare: {what}", side.name())),
        }
        slots.push(slot);
    }
    if !comparison.faults.is_empty() {
        return comparison;
    }
    let head_slot = slots.pop().expect("there is always a head");
    let mut bench = Bench { base: slots.pop(), head: head_slot, settings, progress };
    comparison.recorded = bench.cases();
    if comparison.recorded.is_empty() {
        comparison.faults.push("there is no case to measure".to_owned());
    }
    bench.run(&mut comparison.recorded, |_| true);
    // A new process has a new memory layout, which affects times.
    bench.restart();
    bench.run(&mut comparison.recorded, |recorded| {
        recorded.base_reply.is_some()
            && recorded.head_reply.is_some()
            && recorded.runs.iter().any(|run| is_over(run, &thresholds.of(&recorded.tool)))
    });
    comparison
}

/// Both sides and the settings.
struct Bench<'a> {
    base: Option<Slot<'a>>,
    head: Slot<'a>,
    settings: &'a Settings,
    progress: &'a dyn Fn(&str),
}

impl Bench<'_> {
    /// Lists the cases of both sides without duplicates, by tool and name.
    fn cases(&self) -> Vec<Recorded> {
        let cases_of = |slot: Option<&Slot<'_>>| -> Vec<Case> {
            slot.and_then(|slot| slot.driver.as_ref())
                .map(|driver| driver.hello.cases.clone())
                .unwrap_or_default()
        };
        let mut all = BTreeMap::new();
        let of_base = cases_of(self.base.as_ref()).into_iter().map(|case| (Side::Base, case));
        let of_head = cases_of(Some(&self.head)).into_iter().map(|case| (Side::Head, case));
        for (side, case) in of_base.chain(of_head) {
            let entry = all.entry(case.name.clone()).or_insert_with(|| Recorded {
                name: case.name,
                tool: String::new(),
                base_reply: None,
                head_reply: None,
                countable: true,
                lost_count: false,
                runs: Vec::new(),
            });
            // The base comes first, so this is the state of the base.
            let known = entry.base_reply.is_some();
            entry.lost_count = known && entry.countable && !case.countable;
            entry.countable &= case.countable;
            // If a case moved to another tool, the head's tool is used.
            entry.tool = case.tool;
            match side {
                Side::Base => entry.base_reply = Some(case.reply),
                Side::Head => entry.head_reply = Some(case.reply),
            }
        }
        let mut all: Vec<Recorded> = all.into_values().collect();
        all.sort_by(|a, b| (&a.tool, &a.name).cmp(&(&b.tool, &b.name)));
        all
    }

    /// Measures the `wanted` cases once more.
    fn run(&mut self, all: &mut [Recorded], wanted: impl Fn(&Recorded) -> bool) {
        let mut wanted: Vec<&mut Recorded> = all.iter_mut().filter(|it| wanted(it)).collect();
        let mut walls = Vec::new();
        for recorded in &wanted {
            let wall = self.wall(recorded);
            (self.progress)(&format!("{}: {}", recorded.name, in_words(&wall)));
            walls.push(wall);
        }
        if self.settings.counted && !wanted.is_empty() {
            (self.progress)(&format!("counting the instructions of {} cases", wanted.len()));
        }
        let counts = self.counts(&wanted);
        for ((recorded, wall), counts) in wanted.iter_mut().zip(walls).zip(counts) {
            recorded.runs.push(Measured { wall, counts });
        }
    }

    fn wall(&mut self, recorded: &Recorded) -> Result<Wall, Fault> {
        let wall = self.wall_or_fault(recorded);
        for slot in self.base.iter_mut().chain([&mut self.head]) {
            slot.driver = slot.driver.take().filter(Driver::is_usable);
        }
        wall
    }

    fn wall_or_fault(&mut self, recorded: &Recorded) -> Result<Wall, Fault> {
        let name = &recorded.name;
        let base = self.base.as_mut().filter(|_| recorded.base_reply.is_some());
        let alone =
            |base_ns, head_ns| Wall { base_ns, head_ns, ..measure::estimate(&[], &[], &[], 0) };
        match (base, &recorded.head_reply) {
            (Some(base), Some(_)) => {
                let mut pair = Pair { base: base.running()?, head: self.head.running()? };
                measure::wall(&mut pair, name, &self.settings.plan)
            }
            (Some(base), None) => {
                let base_ns = measure::alone(base.running()?, Side::Base, name)?;
                Ok(alone(base_ns, f64::NAN))
            }
            (None, _) => {
                let head_ns = measure::alone(self.head.running()?, Side::Head, name)?;
                Ok(alone(f64::NAN, head_ns))
            }
        }
    }

    /// Counts on all processors, because counts do not affect each other.
    fn counts(&self, wanted: &[&mut Recorded]) -> Vec<Option<Counts>> {
        if !self.settings.counted {
            return wanted.iter().map(|_| None).collect();
        }
        let mut jobs = Vec::new();
        for (at, recorded) in wanted.iter().enumerate().filter(|(_, it)| it.countable) {
            let base = self.base.as_ref().filter(|_| recorded.base_reply.is_some());
            let head = recorded.head_reply.as_ref().map(|_| &self.head);
            jobs.extend(
                [base, head]
                    .into_iter()
                    .flatten()
                    .map(|slot| (at, slot.side, slot.program, recorded.name.clone())),
            );
        }
        let (settings, next) = (self.settings, AtomicUsize::new(0));
        let counts = Mutex::new(vec![Counts::default(); wanted.len()]);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..threads.min(jobs.len()) {
                scope.spawn(|| {
                    while let Some((at, side, program, case)) =
                        jobs.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        let out = format!("callgrind-{at}-{}.out", side.name());
                        let out = settings.scratch.join(out);
                        let count = callgrind::count(program, case, &settings.profile, &out);
                        let mut counts = counts.lock().expect("no thread panics with the lock");
                        match side {
                            Side::Base => counts[*at].base = Some(count),
                            Side::Head => counts[*at].head = Some(count),
                        }
                    }
                });
            }
        });
        let counts = counts.into_inner().expect("no thread panics with the lock");
        wanted.iter().zip(counts).map(|(it, counts)| it.countable.then_some(counts)).collect()
    }

    fn restart(&mut self) {
        for slot in self.base.iter_mut().chain([&mut self.head]) {
            slot.driver = None;
            slot.starts = 0;
        }
    }
}

/// Runs the preparation of an executable, which builds an index.
fn prepare(program: &Program, settings: &Settings) -> Result<(), String> {
    let mut command = program.command(&["--prepare", "--profile", &settings.profile]);
    finish(&mut command, settings.time_limits.prepare).map(|_| ())
}

fn start(program: &Program, settings: &Settings) -> Result<Driver, String> {
    let mut what = vec!["--driver", "--profile", &settings.profile];
    what.extend(settings.filter.iter().flat_map(|filter| ["--filter", filter]));
    Driver::start(program, &what, settings.time_limits)
}

fn in_words(wall: &Result<Wall, Fault>) -> String {
    match wall {
        Ok(wall) if wall.pairs > 0 => {
            let (low, high) = (percent(wall.low), percent(wall.high));
            format!("{} ({low} … {high}), {} pairs", percent(wall.ratio), wall.pairs)
        }
        Ok(_) => "on one side only".to_owned(),
        Err(fault) => format!("the {} failed: {}", fault.side.name(), fault.what),
    }
}
