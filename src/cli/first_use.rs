//! The first command of a tree that needs more than its files: it waits for the part of the index that
//! it needs, which a background process builds. On a terminal it shows the progress of that build until
//! its end, or until Ctrl-C; elsewhere it waits a short time. Then it answers with what there is, and
//! the reply reports what is missing.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, value_parser};

use super::background::{self, Build};
use super::progress_bar::ProgressBar;
use super::{ctrl_c, place, report};
use crate::engine::{self, Engine, Progress, Stage};
use crate::tools::{Needs, Tool};

/// The flag for the longest wait.
const WAIT_MS: &str = "wait-ms";

/// The longest wait by default, if standard error is no terminal.
const DEFAULT_MS: u64 = 2_000;

/// A build that writes no progress for so long has ended, or never began.
const ABSENT: Duration = Duration::from_secs(5);

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

/// The same, after Ctrl-C.
const HURRIED_MAX: Duration = Duration::from_millis(1_000);

/// Whether a command has the part of the index that it needs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum FirstUse {
    /// It is there, the command does not need it, or nobody builds it.
    Settled,
    /// It is being built.
    Building,
    /// It is being built, and the user does not wait for it.
    Interrupted,
}

impl FirstUse {
    /// Returns how long the command may parse files itself.
    pub(super) fn parsing_max(self) -> Option<Duration> {
        match self {
            FirstUse::Settled => None,
            FirstUse::Building => Some(PARSING_MAX),
            FirstUse::Interrupted => Some(HURRIED_MAX),
        }
    }
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Waited {
    Ready,
    Expired,
    Interrupted,
    /// No build is running any more.
    Abandoned,
}

/// How long to wait.
struct Patience<'a> {
    /// `None` for the end of the build.
    limit: Option<Duration>,
    is_interrupted: &'a dyn Fn() -> bool,
    /// Whether the progress is printed in lines.
    prints: bool,
}

/// Returns the flag of a command that waits.
pub(super) fn args(tool: &Tool) -> Option<Arg> {
    let help = format!(
        "How long to wait for the index of a tree that has none, in milliseconds (default: on a \
         terminal until it is built, else {DEFAULT_MS}); 0 does not wait"
    );
    let arg = Arg::new(WAIT_MS).long(WAIT_MS).value_name("N").value_parser(value_parser!(u64));
    waits(tool).then(|| arg.help(help))
}

/// Returns true if the first command of `tool` waits.
fn waits(tool: &Tool) -> bool {
    matches!(tool.needs, Needs::Code | Needs::Text | Needs::History)
}

/// Returns true if the part of the index that `tool` needs is there.
fn is_ready(tool: &Tool, engine: &Engine) -> bool {
    match tool.needs {
        Needs::Text => engine::has_text(engine),
        Needs::History => engine::has_history(engine),
        _ => engine::has_code(engine),
    }
}

/// Returns true if no build is needed: only the first one is waited for.
fn is_settled(tool: &Tool, engine: &Engine) -> bool {
    match tool.needs {
        Needs::History => engine::has_history(engine) || engine::has_code(engine),
        _ => engine::has_code(engine),
    }
}

/// Starts the build of a tree without a code index and waits for the part that `tool` needs, if
/// its command waits and builds in the background are allowed.
pub(super) fn wait(tool: &Tool, matches: &ArgMatches, engine: &Engine) -> FirstUse {
    if !waits(tool) || matches.get_flag("no-background") || is_settled(tool, engine) {
        return FirstUse::Settled;
    }
    let is_refused = place::too_wide(engine.root()).is_some() || !place::background_allowed();
    if is_refused {
        return FirstUse::Settled;
    }
    let given_ms = matches.get_one::<u64>(WAIT_MS).copied();
    let has_terminal = std::io::stderr().is_terminal();
    let limit_ms = given_ms.or((!has_terminal).then_some(DEFAULT_MS));
    // Other commands than `context` wait in silence where no person watches: their replies report
    // that they are incomplete.
    let is_shown = !matches.get_flag("no-progress");
    let bar = is_shown.then(|| ProgressBar::on_terminal(SILENT)).flatten();
    let reports = tool.needs == Needs::Text || has_terminal && is_shown;
    if limit_ms == Some(0) {
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
    // Elsewhere, Ctrl-C ends the process as always.
    let ctrl_c = has_terminal.then(ctrl_c::CtrlC::watch);
    let patience = Patience {
        limit: limit_ms.map(Duration::from_millis),
        is_interrupted: &|| ctrl_c.as_ref().is_some_and(ctrl_c::CtrlC::is_pressed),
        prints: is_shown && bar.is_none() && reports,
    };
    let wait = || look(&|| is_ready(tool, engine), engine, &progress, &patience);
    let waited = match bar {
        Some(bar) => bar.during(&progress, wait),
        None => wait(),
    };
    let why = match waited {
        Waited::Ready => return FirstUse::Settled,
        Waited::Expired => format!("after {} ms", limit_ms.unwrap_or_default()),
        Waited::Interrupted => "yet; the build goes on in the background".to_owned(),
        Waited::Abandoned => "and no build is running".to_owned(),
    };
    if reports {
        report::print_message(format_args!(
            "the index is not complete {why} ({}); `codedb index` waits for it, or reports why it \
             cannot be built",
            described(engine, &progress)
        ));
    }
    match waited {
        Waited::Interrupted => FirstUse::Interrupted,
        _ => FirstUse::Building,
    }
}

/// Waits until `is_ready`, or as long as `patience` allows.
fn look(
    is_ready: &dyn Fn() -> bool,
    engine: &Engine,
    progress: &Progress,
    patience: &Patience<'_>,
) -> Waited {
    let started = Instant::now();
    let mut next = SILENT;
    let mut last_seen = started;
    while !is_ready() {
        let waited = started.elapsed();
        if (patience.is_interrupted)() {
            return Waited::Interrupted;
        }
        if patience.limit.is_some_and(|limit| waited >= limit) {
            return Waited::Expired;
        }
        engine::follow(engine.store(), progress);
        if progress.stage() != Stage::Waiting {
            last_seen = Instant::now();
        } else if patience.limit.is_none() && last_seen.elapsed() > ABSENT {
            return Waited::Abandoned;
        }
        if waited >= next && patience.prints {
            let shown = described(engine, progress);
            report::print_message(format_args!("waiting for the first index ({shown})"));
            next = waited + PRINT_EVERY;
        }
        let left = patience.limit.map_or(LOOK_EVERY, |limit| limit - waited);
        std::thread::sleep(LOOK_EVERY.min(left));
    }
    Waited::Ready
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
