//! The bench's own command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::prelude::*;

use super::arguments::{number, path, text};
use super::driver::TimeLimits;
use super::measure::Plan;
use super::synthetic::{self, Synthetic};

/// What `--help` prints.
pub(crate) const HELP: &str = "\
cargo bench --bench regression -- [--base REV] [--head REV] [OPTIONS]

  --base REV         the base (default: where HEAD left `origin/main` or `main`)
  --head REV         the head (default: the work tree)
  --base-exe FILE    an executable with the cases, instead of building one
  --head-exe FILE    the same for the head
  --repository DIR   the repository (default: the one that this bench was built from)
  --profile NAME     small or full: which size of the corpus (default full)
  --filter REGEX     only the cases whose name matches
  --no-instructions  do not count instructions: gate wall time only
  --seconds N        maximum time for the rounds of a case (default 10); a quarter of it below a
                     millisecond, where wall time is informative only
  --timeout N        seconds without output after which an executable counts as stuck (default 120;
                     15 times that during the preparation)
  --waivers FILE     a file with lines `bench-waive: CASE: reason`, in addition to the messages of the
                     commits between base and head; may be given again
  --thresholds FILE  use FILE instead of the repository's benches/thresholds.toml
  --out DIR          directory of report.md, report.json and annotations.txt (default target/regression/report)
  --work DIR         directory for exported and built revisions (default target/regression)
  --history FILE     append the head's numbers to FILE, as a line of JSON
  --page FILE PAGE   plot the history in FILE as a page and exit
  --trial N          test the gate N times with slower tools and N times with unchanged ones
  --slow PERCENT     slowdown of the slower tools (default 15)

Exit code: 0 nothing fails, 1 a case is FAIL, REMOVED or INCOMPARABLE, 2 nothing could be measured.";

/// The half-width of an interval at which the rounds end early.
const HALF_WIDTH: f64 = 0.02;

/// The wall time of calls shorter than this is informative only, unless the thresholds of a tool
/// differ; see `Plan`.
const INFORMING_BELOW_NS: f64 = 1e6;

/// What to do.
pub(crate) enum Command {
    /// Print the help.
    Help,
    /// Run as the executable with the synthetic tools.
    Synthetic(Synthetic),
    /// Run a trial of the gate.
    Trial(Trial),
    /// Plot a history.
    Page {
        /// The history file.
        history: PathBuf,
        /// The page to write.
        page: PathBuf,
    },
    /// Compare two revisions.
    Compare(Box<Options>),
}

/// The subject of one side, as given on the command line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// The default of its side.
    Default,
    /// A revision.
    Revision(String),
    /// An executable.
    Executable(PathBuf),
}

/// The settings of a comparison.
pub(crate) struct Options {
    /// The base revision.
    pub(crate) base: Source,
    /// The head revision.
    pub(crate) head: Source,
    /// The repository.
    pub(crate) repository: PathBuf,
    /// The size of the corpus.
    pub(crate) profile: String,
    /// The filter for case names.
    pub(crate) filter: Option<String>,
    /// Whether to count instructions.
    pub(crate) instructions: bool,
    /// The stopping rule for wall times.
    pub(crate) plan: Plan,
    /// The time limits of an executable.
    pub(crate) time_limits: TimeLimits,
    /// The files with waivers.
    pub(crate) waivers: Vec<PathBuf>,
    /// The thresholds' file; `None` for the repository's.
    pub(crate) thresholds: Option<PathBuf>,
    /// The output directory of the report.
    pub(crate) out: PathBuf,
    /// The directory in which revisions are checked out and built.
    pub(crate) work: PathBuf,
    /// The history file to append to.
    pub(crate) history: Option<PathBuf>,
}

/// The settings of a trial.
pub(crate) struct Trial {
    /// Runs of each kind.
    pub(crate) runs: usize,
    /// The slowdown of the slow tools, in per cent.
    pub(crate) slow_percent: u32,
    /// Whether to count instructions.
    pub(crate) instructions: bool,
    /// The stopping rule for wall times.
    pub(crate) plan: Plan,
    /// The time limits of an executable.
    pub(crate) time_limits: TimeLimits,
    /// The output directory of its table and two of its reports.
    pub(crate) out: PathBuf,
}

/// Returns the target directory that this bench was built into.
pub(crate) fn target() -> PathBuf {
    let tmp = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    tmp.parent().map_or_else(|| tmp.clone(), PathBuf::from)
}

/// Parses the arguments (without the program's name).
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let (mut base, mut head) = (Source::Default, Source::Default);
    let mut repository = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let (mut profile, mut filter, mut instructions) = ("full".to_owned(), None, true);
    let (mut seconds, mut timeout) = (10, 120);
    let (mut waivers, mut thresholds, mut history) = (Vec::new(), None, None);
    let mut work = target().join("regression");
    let (mut out, mut trial, mut slow_percent) = (None, None, 15);
    let mut parser = lexopt::Parser::from_args(arguments);
    let mut is_asked = false;
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        is_asked = true;
        match argument {
            Long("bench") => {} // `cargo bench` passes this flag to every bench.
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("base") => base = Source::Revision(text(&mut parser)?),
            Long("head") => head = Source::Revision(text(&mut parser)?),
            Long("base-exe") => base = Source::Executable(path(&mut parser)?),
            Long("head-exe") => head = Source::Executable(path(&mut parser)?),
            Long("repository") => repository = path(&mut parser)?,
            Long("profile") => profile = text(&mut parser)?,
            Long("filter") => filter = Some(text(&mut parser)?),
            Long("no-instructions") => instructions = false,
            Long("seconds") => seconds = number(&mut parser, "--seconds")?,
            Long("timeout") => timeout = number(&mut parser, "--timeout")?,
            Long("waivers") => waivers.push(path(&mut parser)?),
            Long("thresholds") => thresholds = Some(path(&mut parser)?),
            Long("out") => out = Some(path(&mut parser)?),
            Long("work") => work = path(&mut parser)?,
            Long("history") => history = Some(path(&mut parser)?),
            Long("page") => {
                return Ok(Command::Page { history: path(&mut parser)?, page: path(&mut parser)? });
            }
            Long("trial") => trial = Some(number(&mut parser, "--trial")?),
            Long("slow") => slow_percent = number(&mut parser, "--slow")?,
            Long("synthetic") => return synthetic::parse(parser).map(Command::Synthetic),
            other => return Err(format!("{}\n\n{HELP}", other.unexpected())),
        }
    }
    // `cargo test --benches` runs every bench without arguments.
    if !is_asked {
        return Ok(Command::Help);
    }
    if !matches!(profile.as_str(), "small" | "full") {
        return Err(format!("--profile is small or full, not `{profile}`"));
    }
    let plan = Plan {
        half_width: HALF_WIDTH,
        time: Duration::from_secs(u64::from(seconds)),
        informing_below_ns: INFORMING_BELOW_NS,
    };
    let answer = Duration::from_secs(u64::from(timeout));
    let time_limits = TimeLimits { prepare: answer * 15, answer };
    if let Some(runs) = trial {
        let runs = runs as usize;
        let out = out.unwrap_or_else(|| work.join("trial"));
        return Ok(Command::Trial(Trial {
            runs,
            slow_percent,
            instructions,
            plan,
            time_limits,
            out,
        }));
    }
    Ok(Command::Compare(Box::new(Options {
        base,
        head,
        repository,
        profile,
        filter,
        instructions,
        plan,
        time_limits,
        waivers,
        thresholds,
        work: work.clone(),
        out: out.unwrap_or_else(|| work.join("report")),
        history,
    })))
}
