//! One case: its name, how it runs, and its result.

use std::fmt::Write as _;

use super::corpus::Outcome;
use super::reply;

/// What a case made: its reply, or what there was to count.
#[derive(Debug)]
pub(crate) enum Made {
    /// A reply as an agent or a person gets it.
    Text(String),
    /// Numbers with their names, which are the same each time.
    Counts(Vec<(&'static str, u64)>),
}

impl Made {
    /// Returns it as text, without what differs from machine to machine.
    pub(crate) fn plain(&self, root: &str) -> String {
        match self {
            Made::Text(text) => reply::plain(text, root),
            Made::Counts(counts) => {
                let mut text = String::new();
                for (name, count) in counts {
                    let _ = writeln!(text, "{name} {count}");
                }
                text
            }
        }
    }
}

/// Something to run and measure.
pub(crate) struct Case<'a> {
    /// Its group, a part and a name: `tool/search/rare`.
    pub(crate) name: String,
    /// The tool, without its prefix; empty where it is of none.
    pub(crate) tool: String,
    /// The hash that its reply is to have: blessed for tools, unknown for others.
    pub(crate) expected: Option<Expected>,
    /// All work is done by the thread that calls, so that instructions can be counted.
    pub(crate) is_countable: bool,
    /// Runs it once.
    pub(crate) run: Box<dyn Fn() -> Outcome<Made> + 'a>,
}

/// What the reply of a tool's call is to be.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// Its hash, if one was blessed.
    pub(crate) hash: Option<String>,
    /// Which file of which tool has it.
    pub(crate) file: usize,
    /// Where in that file.
    pub(crate) at: usize,
}

impl Case<'_> {
    /// Runs it once.
    ///
    /// # Errors
    ///
    /// With its name.
    pub(crate) fn run(&self) -> Outcome<Made> {
        (self.run)().map_err(|error| format!("{}: {error}", self.name))
    }
}

/// How cases are run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mode {
    /// By as many threads as there are, the corpus watched: as an agent has it.
    Watched,
    /// By this thread alone, the index taken as it stands: what a watcher and a pool do cannot be
    /// counted.
    Alone,
}

impl Mode {
    /// Returns how many threads there are.
    pub(crate) fn threads(self) -> usize {
        match self {
            Mode::Watched => std::thread::available_parallelism().map_or(1, usize::from),
            Mode::Alone => 1,
        }
    }
}
