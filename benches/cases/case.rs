//! One case: its name, how it runs, and its result.

use std::fmt::Write as _;

use super::corpus::Outcome;
use super::reply;

/// The result of a case: its reply, or counts.
#[derive(Debug)]
pub(crate) enum CaseOutput {
    /// A reply as an agent or a user receives it.
    Text(String),
    /// Named numbers, which are deterministic.
    Counts(Vec<(&'static str, u64)>),
}

impl CaseOutput {
    /// Returns the result as text, without the parts that differ between machines.
    pub(crate) fn plain(&self, root: &str) -> String {
        match self {
            CaseOutput::Text(text) => reply::plain(text, root),
            CaseOutput::Counts(counts) => {
                let mut text = String::new();
                for (name, count) in counts {
                    let _ = writeln!(text, "{name} {count}");
                }
                text
            }
        }
    }
}

/// A case to run and measure.
pub(crate) struct Case<'a> {
    /// Group, component and name: `tool/search/rare`.
    pub(crate) name: String,
    /// The tool without its prefix; empty for other cases.
    pub(crate) tool: String,
    /// The expected hash of the reply: blessed for tools, none for other cases.
    pub(crate) expected: Option<Expected>,
    /// The calling thread does all the work, so that instructions can be counted.
    pub(crate) is_countable: bool,
    /// Runs it once.
    pub(crate) run: Box<dyn Fn() -> Outcome<CaseOutput> + 'a>,
}

/// The expected reply of a tool's call.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// The blessed hash, if there is one.
    pub(crate) hash: Option<String>,
    /// The index of the case file.
    pub(crate) file: usize,
    /// The index of the call in that file.
    pub(crate) at: usize,
}

impl Case<'_> {
    /// Runs it once.
    ///
    /// # Errors
    ///
    /// The error contains the case's name.
    pub(crate) fn run(&self) -> Outcome<CaseOutput> {
        (self.run)().map_err(|error| format!("{}: {error}", self.name))
    }
}

/// The way in which cases are run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mode {
    /// With all threads and a watcher, as an agent uses it.
    Watched,
    /// With this thread only and without freshness checks: the work of a watcher and of a thread
    /// pool cannot be counted.
    Alone,
}

impl Mode {
    /// Returns the number of threads.
    pub(crate) fn threads(self) -> usize {
        match self {
            Mode::Watched => std::thread::available_parallelism().map_or(1, usize::from),
            Mode::Alone => 1,
        }
    }
}
