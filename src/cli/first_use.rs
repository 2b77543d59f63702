//! The first `codedb context` of a tree: it waits a short time for the index that it ranks with,
//! which a background process builds, and shows the progress of that build.

use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, value_parser};

use super::background::{self, Build};
use super::{place, report};
use crate::engine::{self, Engine, Progress, Stage};
use crate::tools::Tool;

/// The tool whose command waits: without the text index, its ranking is much poorer.
const WAITS: &str = "codedb_context";

/// The flag for the longest wait.
const WAIT_MS: &str = "wait-ms";

/// The longest wait by default.
const DEFAULT_MS: u64 = 2_000;

/// How often the index is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How long nothing is printed: small trees are indexed by then.
const SILENT: Duration = Duration::from_millis(250);

/// How often the progress is printed.
const PRINT_EVERY: Duration = Duration::from_millis(1_000);

/// Returns the flag of a command that waits.
pub(super) fn args(tool: &Tool) -> Option<Arg> {
    let help = format!(
        "How long to wait for the index of a tree that has none, in milliseconds (default \
         {DEFAULT_MS}); 0 does not wait"
    );
    let arg = Arg::new(WAIT_MS).long(WAIT_MS).value_name("N").value_parser(value_parser!(u64));
    (tool.name == WAITS).then(|| arg.help(help))
}

/// Starts the build of a tree without an index and waits for the text index, if the command of
/// `tool` waits and builds in the background are allowed. Returns without error at the limit: the
/// reply then reports that it is incomplete.
pub(super) fn wait(tool: &Tool, matches: &ArgMatches, engine: &Engine) {
    if tool.name != WAITS || matches.get_flag("no-background") || engine::has_code(engine) {
        return;
    }
    let limit_ms = matches.get_one::<u64>(WAIT_MS).copied().unwrap_or(DEFAULT_MS);
    let is_refused = place::too_wide(engine.root()).is_some() || !place::background_allowed();
    if limit_ms == 0 || is_refused {
        return;
    }
    if let Some(error) = engine::build_obstacle(engine) {
        report::print_message(format_args!("the index cannot be built: {error}"));
        return;
    }
    background::build(engine, Build::Full);
    let (started, limit) = (Instant::now(), Duration::from_millis(limit_ms));
    let progress = Progress::default();
    let mut next = SILENT;
    let is_shown = !matches.get_flag("no-progress");
    while !engine::has_text(engine) {
        let waited = started.elapsed();
        if waited >= limit {
            report::print_message(format_args!(
                "the index is not complete after {limit_ms} ms ({}); `codedb index` waits for it, or \
                 reports why it cannot be built",
                described(engine, &progress)
            ));
            return;
        }
        if waited >= next && is_shown {
            let shown = described(engine, &progress);
            report::print_message(format_args!("waiting for the first index ({shown})"));
            next = waited + PRINT_EVERY;
        }
        std::thread::sleep(LOOK_EVERY.min(limit - waited));
    }
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
