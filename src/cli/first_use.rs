//! The first command of a tree that needs more than its files: it waits a short time for the part
//! of the index that it needs, which a background process builds, and shows the progress of that
//! build. Afterwards it answers with what there is, and the reply reports what is missing.

use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, value_parser};

use super::background::{self, Build};
use super::progress_bar::ProgressBar;
use super::{place, report};
use crate::engine::{self, Engine, Progress, Stage};
use crate::tools::{Needs, Tool};

/// The flag for the longest wait.
const WAIT_MS: &str = "wait-ms";

/// The longest wait by default.
const DEFAULT_MS: u64 = 2_000;

/// How often the index is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How long nothing is printed: small trees are indexed by then.
const SILENT: Duration = Duration::from_millis(250);

/// How often the progress is printed without a terminal.
const PRINT_EVERY: Duration = Duration::from_millis(1_000);

/// How long files are searched for the names that a command asks about, and those with them parsed,
/// while the index is still being built: enough for the sources of Linux in memory. Without this
/// limit, up to 1,000 files or 24 MiB are parsed.
const PARSING_MAX: Duration = Duration::from_millis(4_000);

/// Whether a command has the part of the index that it needs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum FirstUse {
    /// It is there, the command does not need it, or nobody builds it.
    Settled,
    /// It is being built.
    Building,
}

impl FirstUse {
    /// Returns how long the command may parse files itself.
    pub(super) fn parsing_max(self) -> Option<Duration> {
        (self == FirstUse::Building).then_some(PARSING_MAX)
    }
}

/// Returns the flag of a command that waits.
pub(super) fn args(tool: &Tool) -> Option<Arg> {
    let help = format!(
        "How long to wait for the index of a tree that has none, in milliseconds (default \
         {DEFAULT_MS}); 0 does not wait"
    );
    let arg = Arg::new(WAIT_MS).long(WAIT_MS).value_name("N").value_parser(value_parser!(u64));
    waits(tool).then(|| arg.help(help))
}

/// Returns true if the first command of `tool` waits.
fn waits(tool: &Tool) -> bool {
    matches!(tool.needs, Needs::Code | Needs::Text)
}

/// Returns true if the part of the index that `tool` needs is there.
fn is_ready(tool: &Tool, engine: &Engine) -> bool {
    match tool.needs {
        Needs::Text => engine::has_text(engine),
        _ => engine::has_code(engine),
    }
}

/// Starts the build of a tree without a code index and waits for the part that `tool` needs, if
/// its command waits and builds in the background are allowed.
pub(super) fn wait(tool: &Tool, matches: &ArgMatches, engine: &Engine) -> FirstUse {
    if !waits(tool) || matches.get_flag("no-background") || engine::has_code(engine) {
        return FirstUse::Settled;
    }
    let is_refused = place::too_wide(engine.root()).is_some() || !place::background_allowed();
    if is_refused {
        return FirstUse::Settled;
    }
    let limit_ms = matches.get_one::<u64>(WAIT_MS).copied().unwrap_or(DEFAULT_MS);
    // Other commands than `context` wait in silence where no person watches: their replies report
    // that they are incomplete.
    let is_shown = !matches.get_flag("no-progress");
    let bar = is_shown.then(|| ProgressBar::on_terminal(SILENT)).flatten();
    let reports = tool.needs == Needs::Text || bar.is_some();
    if limit_ms == 0 {
        return FirstUse::Building;
    }
    if let Some(error) = engine::build_obstacle(engine) {
        if reports {
            report::print_message(format_args!("the index cannot be built: {error}"));
        }
        return FirstUse::Settled;
    }
    background::build(engine, Build::Full);
    let progress = Progress::default();
    let prints = is_shown && bar.is_none() && reports;
    let limit = Duration::from_millis(limit_ms);
    let wait = || look(&|| is_ready(tool, engine), engine, &progress, limit, prints);
    let is_ready = match bar {
        Some(bar) => bar.during(&progress, wait),
        None => wait(),
    };
    if is_ready {
        return FirstUse::Settled;
    }
    if reports {
        report::print_message(format_args!(
            "the index is not complete after {limit_ms} ms ({}); `codedb index` waits for it, or \
             reports why it cannot be built",
            described(engine, &progress)
        ));
    }
    FirstUse::Building
}

/// Waits until `is_ready` or the limit is reached; returns true in the first case.
fn look(
    is_ready: &dyn Fn() -> bool,
    engine: &Engine,
    progress: &Progress,
    limit: Duration,
    prints: bool,
) -> bool {
    let started = Instant::now();
    let mut next = SILENT;
    while !is_ready() {
        let waited = started.elapsed();
        if waited >= limit {
            return false;
        }
        engine::follow(engine.store(), progress);
        if waited >= next && prints {
            let shown = described(engine, progress);
            report::print_message(format_args!("waiting for the first index ({shown})"));
            next = waited + PRINT_EVERY;
        }
        std::thread::sleep(LOOK_EVERY.min(limit - waited));
    }
    true
}

/// Describes the progress of the running build.
fn described(engine: &Engine, progress: &Progress) -> String {
    engine::follow(engine.store(), progress);
    let stage = match progress.stage() {
        Stage::Walking => "listing files",
        Stage::Reading => "reading",
        Stage::Writing => "writing",
        Stage::Parsing => "parsing",
        Stage::Ranking => "ranking",
        Stage::History => "reading commits",
        Stage::Waiting => "starting",
    };
    match progress.counts() {
        (_, 0, _) => stage.to_owned(),
        (done, all, _) => format!("{stage}: {done} of {all}"),
    }
}
