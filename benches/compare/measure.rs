//! Rows for queries: the same bytes first, then interleaved runs.

use super::options::Options;
use super::process::{Job, Run};
use super::report::Line;
use super::rows::{Figure, Row};
use super::stats::{Ratio, median, ms};
use super::sweep;
use super::tree::Tree;
use super::verify;

/// One program or mode of a row, with the times of its runs.
struct Lane {
    what: What,
    job: Job,
    times_ms: Vec<f64>,
}

/// The kind of a lane.
#[derive(Clone, PartialEq)]
enum What {
    Rg,
    Strict,
    Trust,
    Watched,
    Sweep,
    Verify,
    Start,
    Other(String),
}

/// Measures one query in all its modes.
pub(crate) fn row(
    options: &Options,
    tree: &Tree,
    row: &Row,
    watched: bool,
) -> Result<Line, String> {
    let mut line = Line::new(tree, row);
    let mut lanes = lanes(options, tree, row, watched)?;
    check(options, tree, row, &lanes, &mut line)?;
    for round in 0..options.runs {
        // The order alternates, so that a drift affects all lanes equally.
        let count = lanes.len();
        for at in 0..count {
            let lane = &mut lanes[if round % 2 == 0 { at } else { count - 1 - at }];
            let run = lane.job.drain()?.answered(&lane.job)?;
            lane.times_ms.push(lane.what.time_ms(&run)?);
        }
    }
    let times = |what: &What| {
        lanes.iter().find(|lane| lane.what == *what).map(|lane| lane.times_ms.clone())
    };
    let figures = |what: What| times(&what).unwrap_or_default();
    line.rg_ms = figures(What::Rg);
    line.strict_ms = figures(What::Strict);
    line.trust_ms = figures(What::Trust);
    line.watched_ms = figures(What::Watched);
    line.floor_parts_ms = [figures(What::Sweep), figures(What::Verify), figures(What::Start)];
    for lane in &lanes {
        if let What::Other(name) = &lane.what {
            line.note = format!("{} {name} {:.1} ms", line.note, median(&lane.times_ms));
        }
    }
    if options.codedb.is_some() {
        let floor = line.floor_ms();
        line.value(Figure::StrictSpeedup, Ratio::of(&line.rg_ms, &line.strict_ms).median);
        line.value(Figure::OverFloor, Ratio::of(&line.strict_ms, &floor).median);
        // `trust` does the same work without the request to the watcher; it is the substitute where
        // no watcher runs.
        let quick = if line.watched_ms.is_empty() { &line.trust_ms } else { &line.watched_ms };
        let (speedup, quick_ms) = (Ratio::of(&line.rg_ms, quick).median, median(quick));
        line.value(Figure::WatchedSpeedup, speedup);
        line.value(Figure::WatchedMs, quick_ms);
    }
    Ok(line)
}

/// Reports the time for opening the index, from `codedb search --explain-plan`.
pub(crate) fn opening(options: &Options, tree: &Tree, row: &Row) -> Result<Line, String> {
    let mut line = Line::new(tree, row);
    let Some(codedb) = &options.codedb else { return Ok(line) };
    let job = tree.search(codedb, &["--fresh", "trust", "--explain-plan"], &tree.args(row));
    let mut times_ms = Vec::new();
    for _ in 0..options.runs {
        let run = job.run()?.answered(&job)?;
        let plan = format!("{}\n{}", String::from_utf8_lossy(&run.stdout), run.stderr);
        times_ms.extend(opening_ms(&plan));
    }
    if times_ms.is_empty() {
        line.note = "the plan has no line `open … ms` or `open … µs`".into();
    } else {
        line.value(Figure::OpenMs, median(&times_ms));
    }
    Ok(line)
}

fn lanes(options: &Options, tree: &Tree, row: &Row, watched: bool) -> Result<Vec<Lane>, String> {
    let args = tree.args(row);
    let mut lanes = vec![Lane::new(What::Rg, Job::new(&options.rg, &tree.root, &args))];
    if let Some(codedb) = &options.codedb {
        lanes.push(Lane::new(What::Strict, tree.search(codedb, &["--fresh", "strict"], &args)));
        lanes.push(Lane::new(What::Trust, tree.search(codedb, &["--fresh", "trust"], &args)));
        if watched {
            lanes.push(Lane::new(What::Watched, tree.search(codedb, &["--fresh", "watch"], &args)));
        }
    }
    let sweep = sweep::job(tree, options.scratch.path()).map_err(|error| error.to_string())?;
    lanes.push(Lane::new(What::Sweep, sweep));
    lanes.push(Lane::new(What::Verify, verify::job(options, tree, row)?));
    // Without codedb, ripgrep's start is used.
    let starter = options.codedb.as_ref().unwrap_or(&options.rg);
    lanes.push(Lane::new(What::Start, Job::new(starter, &tree.root, ["--version"])));
    for (name, words) in &options.others {
        let mut job = Job::new(words[0].as_ref(), &tree.root, &words[1..]);
        job.args.extend(args.iter().cloned());
        lanes.push(Lane::new(What::Other(name.clone()), job));
    }
    Ok(lanes)
}

/// Compares the bytes of every mode with `rg --sort path`.
fn check(
    options: &Options,
    tree: &Tree,
    row: &Row,
    lanes: &[Lane],
    line: &mut Line,
) -> Result<(), String> {
    let mut sorted = Job::new(&options.rg, &tree.root, ["--sort", "path"]);
    sorted.args.extend(tree.args(row));
    let expected = sorted.drain()?.answered(&sorted)?;
    line.lines = expected.lines;
    for lane in
        lanes.iter().filter(|lane| matches!(lane.what, What::Strict | What::Trust | What::Watched))
    {
        let run = lane.job.drain()?;
        if run.digest != expected.digest || run.code != expected.code {
            line.wrong = true;
            let (ours, theirs) = (run.bytes, expected.bytes);
            line.note = format!(
                "{} printed {ours} bytes, exit {}; rg {theirs} bytes, exit {}. {}",
                lane.what.name(),
                run.code,
                expected.code,
                run.stderr.lines().next().unwrap_or_default()
            );
        }
    }
    Ok(())
}

impl Lane {
    fn new(what: What, job: Job) -> Self {
        Self { what, job, times_ms: Vec::new() }
    }
}

impl What {
    fn name(&self) -> &str {
        match self {
            Self::Rg => "rg",
            Self::Strict => "strict",
            Self::Trust => "trust",
            Self::Watched => "watched",
            Self::Sweep => "sweep",
            Self::Verify => "verify",
            Self::Start => "start",
            Self::Other(name) => name,
        }
    }

    /// The wall time, or the time that a part of the floor prints.
    fn time_ms(&self, run: &Run) -> Result<f64, String> {
        if !matches!(self, Self::Sweep | Self::Verify) {
            return Ok(ms(run.wall));
        }
        let text = String::from_utf8_lossy(&run.stdout);
        let nanoseconds =
            text.split_whitespace().next().and_then(|first| first.parse::<f64>().ok());
        nanoseconds
            .map(|nanoseconds| nanoseconds / 1e6)
            .ok_or_else(|| format!("{}: no time in `{text}`", self.name()))
    }
}

/// Finds a line that begins with `open` and reads the duration in it.
fn opening_ms(plan: &str) -> Option<f64> {
    let line = plan.lines().map(str::trim_start).find(|line| line.starts_with("open"))?;
    let words: Vec<&str> = line
        .split(|character: char| character.is_whitespace() || "=:,()".contains(character))
        .collect();
    let joined: Vec<String> = words
        .windows(2)
        .map(<[&str]>::concat)
        .chain(words.iter().map(|&word| word.into()))
        .collect();
    joined.iter().find_map(|word| {
        let (number, factor) = [("µs", 1e-3), ("us", 1e-3), ("ms", 1.0), ("ns", 1e-6)]
            .into_iter()
            .find_map(|(unit, factor)| Some((word.strip_suffix(unit)?, factor)))?;
        Some(number.parse::<f64>().ok()? * factor)
    })
}
