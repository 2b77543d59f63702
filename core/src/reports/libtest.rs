//! The output of `cargo test`: cargo names each target on standard error, and the target's test
//! harness prints a line for each test on standard output.
//!
//! The harness prints no durations. Each block of results is compared with its own summary.

use super::{Case, Place, Report};
use crate::userdata::runs::Outcome;

/// A test target.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Target {
    /// A crate by its root file, relative to the directory of its package, and the name of the
    /// executable without its hash.
    Crate {
        /// The root file, such as `src/lib.rs`.
        root: String,
        /// The name, with `_` for `-`.
        name: String,
    },
    /// The examples in the documentation of a crate.
    Documentation,
}

/// Returns the targets that cargo named on standard error, in their order. O(text).
pub fn targets(stderr: &str) -> Vec<Target> {
    let parse = |line: &str| {
        let line = plain(line);
        let line = line.trim();
        if line.starts_with("Doc-tests ") {
            return Some(Target::Documentation);
        }
        let rest = line.strip_prefix("Running ")?;
        let (root, program) = rest.rsplit_once(" (")?;
        let program = program.strip_suffix(')')?;
        let program = program.rsplit(['/', '\\']).next()?;
        let program = program.strip_suffix(".exe").unwrap_or(program);
        let (name, hash) = program.rsplit_once('-')?;
        let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let root = root.strip_prefix("unittests ").unwrap_or(root).replace('\\', "/");
        is_hash.then(|| Target::Crate { root, name: name.replace('-', "_") })
    };
    stderr.lines().filter_map(parse).collect()
}

/// Parses standard output. `root_of` returns the path of the root file of a crate. O(text).
pub fn parse(
    stdout: &str,
    targets: &[Target],
    root_of: &dyn Fn(&str, &str) -> Option<String>,
) -> Report {
    let mut report = Report::default();
    let mut block: Option<Block> = None;
    let mut blocks = 0;
    let begins = |line: &str| number_before(line, "running ", [" test", " tests"]).is_some();
    // A target without the standard harness prints no block, so the order may not be relied on.
    let are_paired = stdout.lines().filter(|line| begins(&plain(line))).count() == targets.len();
    for line in stdout.lines() {
        let line = plain(line);
        if begins(&line) {
            if block.take().is_some() {
                report.problem("a test target ended without a summary");
            }
            report.add_runner("cargo test");
            let target = targets.get(blocks).filter(|_| are_paired);
            let place = match target {
                Some(Target::Crate { root, name }) => root_of(root, name).map(Place::Crate),
                _ => None,
            };
            let is_documentation = match target {
                Some(target) => *target == Target::Documentation,
                None => false,
            };
            let place = place.unwrap_or(Place::Unknown);
            block = Some(Block { place, is_documentation, ..Block::default() });
            blocks += 1;
        } else if let Some(current) = &mut block {
            if let Some(summary) = line.strip_prefix("test result: ") {
                if !current.agrees_with(summary) {
                    report.problem("the results of a test target differ from its summary");
                }
                let done = block.take().map(|block| block.cases).unwrap_or_default();
                done.into_iter().for_each(|case| report.add(case));
            } else {
                current.read(&line);
            }
        }
    }
    if let Some(block) = block {
        report.problem("a test target ended without a summary");
        block.cases.into_iter().for_each(|case| report.add(case));
    }
    report
}

/// The results of one target.
struct Block {
    place: Place,
    is_documentation: bool,
    cases: Vec<Case>,
    /// A test whose output precedes its outcome.
    pending: Option<String>,
}

impl Default for Block {
    fn default() -> Block {
        Block { place: Place::Unknown, is_documentation: false, cases: Vec::new(), pending: None }
    }
}

impl Block {
    fn read(&mut self, line: &str) {
        if let Some((_, rest)) = line.split_once("test ").filter(|(before, _)| is_start(before))
            && let Some((name, outcome)) = rest.rsplit_once(" ... ")
        {
            match outcome_of(outcome) {
                Some(outcome) => {
                    self.pending = None;
                    self.add(name, outcome);
                }
                None => self.pending = Some(name.to_owned()),
            }
        } else if let Some(outcome) = outcome_at_end(line)
            && let Some(name) = self.pending.take()
        {
            self.add(&name, outcome);
        }
    }

    fn add(&mut self, name: &str, outcome: Outcome) {
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        let (place, name) = match name.split_once(" - ").filter(|_| self.is_documentation) {
            Some((file, item)) => {
                let item = item.split(" - compile").next().unwrap_or(item);
                (Place::File(file.to_owned()), item.to_owned())
            }
            None => (self.place.clone(), name.to_owned()),
        };
        self.cases.push(Case { place, name, outcome, duration_ms: None, attempt: None });
    }

    /// Returns true if the results have the numbers of the summary, such as `ok. 3 passed; 0
    /// failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`.
    fn agrees_with(&self, summary: &str) -> bool {
        let count = |outcome| self.cases.iter().filter(|case| case.outcome == outcome).count();
        let said = |what: &str| {
            let before = summary.split_once(what)?.0.trim_end();
            before.rsplit([' ', '.']).next()?.parse::<usize>().ok()
        };
        said(" passed").zip(said(" failed")).zip(said(" ignored"))
            == Some(((count(Outcome::Passed), count(Outcome::Failed)), count(Outcome::Skipped)))
    }
}

/// Returns true if `test NAME` may follow: at the start of a line, or behind what a test printed
/// without a line end.
fn is_start(before: &str) -> bool {
    !before.ends_with(char::is_alphanumeric)
}

fn outcome_of(text: &str) -> Option<Outcome> {
    // Unstable options append a time in angle brackets.
    match text.split(" <").next()?.trim_end() {
        "ok" => Some(Outcome::Passed),
        "FAILED" => Some(Outcome::Failed),
        "ignored" => Some(Outcome::Skipped),
        other => other.starts_with("ignored, ").then_some(Outcome::Skipped),
    }
}

fn outcome_at_end(line: &str) -> Option<Outcome> {
    [("ok", Outcome::Passed), ("FAILED", Outcome::Failed)]
        .into_iter()
        .find_map(|(text, outcome)| line.ends_with(text).then_some(outcome))
}

fn number_before(line: &str, start: &str, ends: [&str; 2]) -> Option<usize> {
    let rest = line.strip_prefix(start)?;
    ends.iter().find_map(|end| rest.strip_suffix(end)?.parse().ok())
}

/// Returns a line without colours.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line.trim_end_matches('\r');
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(|c: char| c.is_ascii_alphabetic()).map(|end| at + end + 1);
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const STDERR: &str = "   Compiling demo v0.1.0 (/t)\n     \u{1b}[1mRunning\u{1b}[0m unittests src/lib.rs (target/debug/deps/my_demo-0123456789abcdef)\n     Running tests/it/main.rs (target/debug/deps/it-0123456789abcdee)\n   Doc-tests my_demo\n";

    fn short(report: &Report) -> Vec<String> {
        let each = report.cases.iter().map(|case| {
            let place = match &case.place {
                Place::Crate(path) => format!("crate {path}"),
                Place::File(path) => format!("file {path}"),
                _ => "?".to_owned(),
            };
            format!("{place} | {} {}", case.name, case.outcome.name())
        });
        each.collect()
    }

    #[test]
    fn targets_and_blocks_are_paired() {
        let stdout = "\nrunning 3 tests\ntest a::tests::b ... ok\ntest c - should panic ... \u{1b}[32mok\u{1b}[0m\ntest d ... ignored, slow\n\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\nrunning 1 test\ntest e ... FAILED\n\nfailures:\n\n---- e stdout ----\nok\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out; finished in 0.01s\n\n\nrunning 1 test\ntest src/lib.rs - f (line 3) - compile fail ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s\n";
        let root_of = |root: &str, name: &str| Some(format!("{name}/{root}"));
        let report = parse(stdout, &targets(STDERR), &root_of);
        assert_eq!(report.problems, Vec::<String>::new());
        let expected = [
            "crate my_demo/src/lib.rs | a::tests::b passed",
            "crate my_demo/src/lib.rs | c passed",
            "crate my_demo/src/lib.rs | d skipped",
            "crate it/tests/it/main.rs | e failed",
            "file src/lib.rs | f (line 3) passed",
        ];
        assert_eq!(short(&report), expected);
    }

    #[test]
    fn printed_texts_between_name_and_outcome_are_skipped() {
        let stdout = "running 2 tests\ntest a ... hello\nworld\nok\nnoise test b ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0s\n";
        let report = parse(stdout, &[], &|_, _| None);
        assert_eq!(report.problems, Vec::<String>::new());
        assert_eq!(short(&report), ["? | a passed", "? | b passed"]);
    }

    #[test]
    fn half_a_run_and_quiet_output_are_problems() {
        let half = parse("running 9 tests\ntest a ... ok\ntest b ...", &[], &|_, _| None);
        assert_eq!(short(&half), ["? | a passed"]);
        assert_eq!(half.problems, ["a test target ended without a summary"]);
        let quiet = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0s\n";
        let quiet = parse(quiet, &[], &|_, _| None);
        assert_eq!(quiet.cases, []);
        assert_eq!(quiet.problems, ["the results of a test target differ from its summary"]);
    }
}
