//! The bench's own command line.

use std::ffi::OsString;

use lexopt::prelude::*;
use regex_automata::meta::Regex;

use super::corpus::Outcome;
use super::corpus::manifest::Profile;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
cargo bench --bench cases -- [ACTION] [OPTIONS]

Without an action every case is checked, and measured by criterion.

  --fetch              get the corpus, which the others need
  --prepare            make the index that the others use; they make it themselves but for --once
  --check              run each case once and compare the tools' replies with their hashes
  --bless              write the hashes of the replies as they are into bench-corpus/cases
  --driver             run cases as lines of JSON on standard input ask for it
  --once NAME          run a case once, in `measured_call`, with one thread: for callgrind

  --profile NAME       small or full (default: full)
  --filter REGEX       only the cases whose names match
  --save-baseline NAME, --baseline NAME
                       criterion's: keep what is measured under a name; compare with what was kept
  --plots, --no-plots  draw criterion's plots, or not (default: only of the full profile)
";

/// What to do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Action {
    /// Print the help.
    Help,
    /// Get the corpus.
    Fetch,
    /// Make the index.
    Prepare,
    /// Compare replies with their hashes.
    Check,
    /// Rewrite the hashes.
    Bless,
    /// Run what standard input asks for.
    Driver,
    /// Run one case for callgrind.
    Once(String),
    /// Have criterion measure.
    Measure,
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// What to do.
    pub(crate) action: Action,
    /// On which corpus.
    pub(crate) profile: Profile,
    /// Which cases.
    pub(crate) filter: Option<Regex>,
    /// criterion's: under which name results are kept.
    pub(crate) save_baseline: Option<String>,
    /// criterion's: with what they are compared.
    pub(crate) baseline: Option<String>,
    /// Whether plots are drawn.
    pub(crate) plots: bool,
}

impl Options {
    /// Returns true if the case of a name is wanted.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.is_match(name))
    }
}

/// Reads the arguments that come after `--`.
///
/// # Errors
///
/// For one that is not known, and two actions at once.
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
        let asked = match arg {
            Long("help") | Short('h') => Action::Help,
            Long("fetch") => Action::Fetch,
            Long("prepare") => Action::Prepare,
            Long("check") => Action::Check,
            Long("bless") => Action::Bless,
            Long("driver") => Action::Driver,
            Long("once") => Action::Once(text(&mut parser)?),
            // What cargo adds.
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
        if action.replace(asked).is_some() {
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
