//! The bench's own command line.

use std::ffi::OsString;

use lexopt::prelude::*;
use regex_automata::meta::Regex;

use super::corpus::Outcome;
use super::corpus::manifest::Profile;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
cargo bench --bench cases -- [ACTION] [OPTIONS]

Without an action, every case is checked and then measured with criterion.

  --fetch              fetch the corpus, which the other actions need
  --prepare            build the index; the other actions except --once do so if needed
  --check              run each case once and compare the tools' replies with their hashes,
                       and the rankings of `context` with bench-corpus/rankings
  --bless              write the current hashes of the replies into bench-corpus/cases,
                       and the rankings into bench-corpus/rankings
  --table              print the latency of each tool beside that of the reference engine
  --driver             run the cases that lines of JSON on standard input name
  --once NAME          run a case once, in `measured_call`, with one thread: for callgrind

  --profile NAME       small or full (default: full)
  --filter REGEX       only the cases whose names match
  --save-baseline NAME, --baseline NAME
                       criterion's: store the results under a name; compare with stored results
  --plots, --no-plots  draw criterion's plots, or not (default: only for the full profile)
";

/// What to do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Action {
    /// Print the help.
    Help,
    /// Fetch the corpus.
    Fetch,
    /// Build the index.
    Prepare,
    /// Compare replies with their hashes.
    Check,
    /// Rewrite the hashes.
    Bless,
    /// Print the table of latencies.
    Table,
    /// Run the requests from standard input.
    Driver,
    /// Run one case for callgrind.
    Once(String),
    /// Measure with criterion.
    Measure,
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// What to do.
    pub(crate) action: Action,
    /// The corpus profile.
    pub(crate) profile: Profile,
    /// The filter for case names.
    pub(crate) filter: Option<Regex>,
    /// criterion's baseline to save.
    pub(crate) save_baseline: Option<String>,
    /// criterion's baseline to compare with.
    pub(crate) baseline: Option<String>,
    /// Whether plots are drawn.
    pub(crate) plots: bool,
}

impl Options {
    /// Returns true if the case `name` is selected.
    pub(crate) fn is_selected(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.is_match(name))
    }
}

/// Parses the arguments after `--`.
///
/// # Errors
///
/// For an unknown argument, and for two actions at once.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Outcome<Options> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut action, mut plots) = (None, None);
    let mut options = Options {
        action: Action::Measure,
        profile: Profile::Full,
        filter: None,
        save_baseline: None,
        baseline: None,
        plots: true,
    };
    let fail = |error: lexopt::Error| error.to_string();
    while let Some(arg) = parser.next().map_err(fail)? {
        let requested = match arg {
            Long("help") | Short('h') => Action::Help,
            Long("fetch") => Action::Fetch,
            Long("prepare") => Action::Prepare,
            Long("check") => Action::Check,
            Long("bless") => Action::Bless,
            Long("table") => Action::Table,
            Long("driver") => Action::Driver,
            Long("once") => Action::Once(text(&mut parser)?),
            // Cargo adds this flag.
            Long("bench") => continue,
            Long("profile") => {
                let name = text(&mut parser)?;
                let profile = Profile::of(&name);
                options.profile =
                    profile.ok_or_else(|| format!("--profile is small or full, not `{name}`"))?;
                continue;
            }
            Long("filter") => {
                let filter =
                    Regex::new(&text(&mut parser)?).map_err(|e| format!("--filter: {e}"))?;
                options.filter = Some(filter);
                continue;
            }
            Long("save-baseline") => {
                options.save_baseline = Some(text(&mut parser)?);
                continue;
            }
            Long("baseline") => {
                options.baseline = Some(text(&mut parser)?);
                continue;
            }
            Long("plots") => {
                plots = Some(true);
                continue;
            }
            Long("no-plots") => {
                plots = Some(false);
                continue;
            }
            other => return Err(other.unexpected().to_string()),
        };
        if action.replace(requested).is_some() {
            return Err("one action at a time".to_owned());
        }
    }
    options.action = action.unwrap_or(Action::Measure);
    options.plots = plots.unwrap_or(options.profile == Profile::Full);
    Ok(options)
}

fn text(parser: &mut lexopt::Parser) -> Outcome<String> {
    parser.value().and_then(|value| value.string()).map_err(|error| error.to_string())
}
