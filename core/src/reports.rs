//! Reports of test runners: the results of the tests of one run, parsed from what runners write.
//!
//! [`hooks`] are the small programs that make runners write [`lines`] beside their own output;
//! [`junit`] reads JUnit XML, [`libtest`] the output of `cargo test`. [`ids`] turns the names of a
//! report into canonical ids. [`coverage`] reads which lines were executed.
//!
//! Everything here is a function of texts; `codedb run` starts the
//! runner and reads the files.

pub mod coverage;
pub mod hooks;
pub mod ids;
pub mod junit;
pub mod libtest;
pub mod lines;

use crate::userdata::runs::Outcome;

/// The maximum number of results of a run. Further ones are counted as a problem.
pub const CASES_MAX: usize = 1_000_000;

/// The maximum length of the name of a test in bytes; longer names are cut.
pub const NAME_BYTES_MAX: usize = 4096;

/// Where the code of a test is, as far as the runner reports it.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Place {
    /// The path of its file; absolute or relative to the directory of the run.
    File(String),
    /// The directory of its package: Go.
    Directory(String),
    /// The qualified name of its class, with `.`, `\` or `::`: JUnit.
    Class(String),
    /// The root file of the crate that contains it: Rust.
    Crate(String),
    /// Not reported.
    Unknown,
}

/// One attempt of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Where it is.
    pub place: Place,
    /// Its name with its parameters, within its file, package, class or crate.
    pub name: String,
    /// Its outcome.
    pub outcome: Outcome,
    /// Its duration in milliseconds, if the runner reported it.
    pub duration_ms: Option<f64>,
    /// The number of the attempt, from 0, if the runner repeats failed tests.
    pub attempt: Option<u32>,
}

/// What the runners of one run reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The runners, in the order of their reports, each once.
    pub runners: Vec<String>,
    /// The results in the order of the reports.
    pub cases: Vec<Case>,
    /// Why results may be missing; empty for a complete report.
    pub problems: Vec<String>,
}

impl Report {
    /// Returns true if no runner wrote a report.
    pub fn is_empty(&self) -> bool {
        self.runners.is_empty() && self.cases.is_empty() && self.problems.is_empty()
    }

    /// Adds the results of another report.
    pub fn append(&mut self, other: Report) {
        for runner in other.runners {
            self.add_runner(&runner);
        }
        self.problems.extend(other.problems);
        for case in other.cases {
            self.add(case);
        }
    }

    /// Adds a result, up to [`CASES_MAX`].
    pub fn add(&mut self, mut case: Case) {
        if self.cases.len() == CASES_MAX {
            self.problem(format!("more than {CASES_MAX} results"));
            return;
        }
        cut(&mut case.name);
        self.cases.push(case);
    }

    /// Adds a problem, once.
    pub fn problem(&mut self, problem: impl Into<String>) {
        let mut problem = problem.into();
        cut(&mut problem);
        if !self.problems.contains(&problem) && self.problems.len() < 100 {
            self.problems.push(problem);
        }
    }

    fn add_runner(&mut self, runner: &str) {
        if !self.runners.iter().any(|known| known == runner) {
            self.runners.push(runner.to_owned());
        }
    }
}

fn cut(name: &mut String) {
    if name.len() > NAME_BYTES_MAX {
        name.truncate(name.floor_char_boundary(NAME_BYTES_MAX));
    }
}
