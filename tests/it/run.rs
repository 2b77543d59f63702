//! `codedb run`: commands run unchanged, and what is recorded equals what the runner reported.
//!
//! The tests of a runner that is not installed are skipped and reported by name. Further directories with
//! runners are named by CODEDB_RUNNERS, in the format of PATH.

use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::place::{Answer, Place};
use crate::support::process::output;
use crate::support::skipped;

mod changed;
mod lasting;
mod measured;
mod runners;
mod table;

/// A report in JUnit XML with one test of each outcome.
const JUNIT: &str = r#"<testsuite name="s"><testcase classname="c.D" name="ok" time="0.5"/><testcase classname="c.D" name="bad"><failure/></testcase><testcase classname="c.D" name="skip"><skipped/></testcase></testsuite>"#;

/// Returns the search path with the directories of CODEDB_RUNNERS in front.
fn search_path() -> OsString {
    let further = std::env::var_os("CODEDB_RUNNERS").unwrap_or_default();
    let usual = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&further).chain(std::env::split_paths(&usual));
    std::env::join_paths(all.filter(|path| !path.as_os_str().is_empty())).expect("plain paths")
}

/// Returns the path of a program; without one, reports that the test is skipped.
fn program(name: &str) -> Option<PathBuf> {
    let found =
        std::env::split_paths(&search_path()).map(|dir| dir.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skipped::report(&format!("`{name}` is not installed"));
    }
    found
}

/// Returns `codedb run ARGS` in the tree.
fn command(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.env("PATH", search_path()).env_remove("NODE_OPTIONS").env_remove("PYTHONPATH");
    // Toolchains are found by the real home directory.
    for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(below));
        if let Some(path) = std::env::var_os(name).map(PathBuf::from).or(home) {
            command.env(name, path);
        }
    }
    command.env("GOCACHE", place.base().join("home/go-cache"));
    command.arg("run").args(args);
    command
}

/// Runs it. The exit code and the output are those of another program, so they may be anything.
fn run(place: &Place, args: &[&str]) -> Answer {
    let (output, hung) = output(command(place, args), None);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!hung, "hangs: {args:?}\n{stderr}");
    let code = output.status.code().expect("codedb ends by itself");
    Answer { stdout: output.stdout, stderr, code }
}

/// Returns the recorded runs, oldest first.
fn recorded(place: &Place) -> Vec<Value> {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["data", "export"]);
    let text = Answer::of(command).text();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.filter(|line| line["kind"] == "run").collect()
}

/// Returns the results of a run as `outcome id`, with the attempt if it is not the first, sorted.
fn results(run: &Value) -> Vec<String> {
    let results = run["results"].as_array().expect("a list");
    let mut lines: Vec<String> = results
        .iter()
        .map(|result| {
            let attempt = match result["attempt"].as_u64() {
                Some(0) => String::new(),
                attempt => format!(" (attempt {})", attempt.unwrap_or_default()),
            };
            let (outcome, test) = (&result["outcome"], &result["test"]);
            format!("{} {}{attempt}", outcome.as_str().expect("text"), test.as_str().expect("text"))
        })
        .collect();
    lines.sort();
    lines
}

/// Runs a command and compares what is recorded.
#[track_caller]
fn check(place: &Place, args: &[&str], runner: &str, status: &str, expected: &[&str]) -> Answer {
    let answer = run(place, args);
    let runs = recorded(place);
    let run = runs.last().unwrap_or_else(|| panic!("nothing recorded: {}", answer.stderr));
    let found = results(run);
    assert_eq!(found, expected, "{}{}", answer.text(), answer.stderr);
    assert_eq!((&run["runner"], &run["status"]), (&Value::from(runner), &Value::from(status)));
    answer
}

#[test]
fn output_and_exit_code_are_those_of_the_command() {
    let place = Place::new();
    let script = format!("printf out; printf err >&2; echo '{JUNIT}' > r.xml; exit 7");
    let args = ["--junit", "*.xml", "--", "sh", "-c", &script];
    let expected = ["failed c.D::bad", "passed c.D::ok", "skipped c.D::skip"];
    let answer = check(&place, &args, "junit", "complete", &expected);
    assert_eq!((answer.code, answer.text().as_str()), (7, "out"));
    let rest = answer.stderr.strip_prefix("err").expect("the output of the command");
    assert_eq!(rest, "codedb: recorded 3 tests of junit: 1 passed, 1 failed, 1 skipped\n");
    let runs = recorded(&place);
    let run = &runs[0];
    assert_eq!(run["exit_code"], 7);
    assert_eq!(run["results"][1]["duration_ms"], 500.0);
    assert_eq!(run["command"][2], script);
}

#[test]
fn a_command_that_is_killed_or_stopped_is_recorded_as_that() {
    let place = Place::new();
    let half = JUNIT.split_once("<testcase classname=\"c.D\" name=\"skip").expect("three").0;
    let script = format!("echo '{half}' > r.xml; kill -9 $$");
    let args = ["--junit", "r.xml", "--", "sh", "-c", &script];
    let expected = ["failed c.D::bad", "passed c.D::ok"];
    let killed = check(&place, &args, "junit", "crashed", &expected);
    assert_eq!(killed.code, 128 + 9);
    assert_eq!(recorded(&place)[0]["exit_code"], Value::Null);
    let args = ["--junit", "none.xml", "--timeout", "1", "--", "sleep", "60"];
    assert_eq!(check(&place, &args, "junit", "timed_out", &[]).code, 128 + 15);
    let args = ["--junit", "none.xml", "--", "true"];
    assert_eq!(check(&place, &args, "junit", "partial", &[]).code, 0);
}

#[test]
fn half_a_report_old_reports_and_no_report_are_told_apart() {
    let place = Place::new();
    place.write("old.xml", JUNIT);
    let old = fs::File::options().write(true).open(place.root().join("old.xml")).expect("a file");
    old.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).expect("it is ours");
    let script = "echo '<testsuite><testcase name=\"a\"/><testca' > new.xml";
    let args = ["--junit", "*.xml", "--", "sh", "-c", script];
    check(&place, &args, "junit", "partial", &["passed a"]);
    let empty = "echo '<testsuite/>' > new.xml";
    let args = ["--junit", "*.xml", "--", "sh", "-c", empty];
    check(&place, &args, "junit", "no_tests", &[]);
    let other = Place::new();
    let silent = run(&other, &["--", "echo", "hello"]).expect_success();
    assert_eq!(silent.text(), "hello\n");
    assert!(silent.stderr.contains("no results were recorded"), "{}", silent.stderr);
    assert_eq!(recorded(&other), Vec::<Value>::new());
    assert_eq!(run(&other, &["--", "no-such-program"]).code, 2);
}

#[test]
fn signals_reach_the_command() {
    let place = Place::new();
    let script = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.02; done";
    let mut command = command(&place, &["--", "sh", "-c", script]);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut ready = [0; 6];
    child.stdout.take().expect("it is piped").read_exact(&mut ready).expect("it prints");
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(9));
}

#[test]
fn the_commit_and_the_state_of_the_tree_are_recorded() {
    let place = Place::new();
    let git = |args: &[&str]| {
        let mut command = place.command("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
        Answer::of(command).expect_success().text().trim().to_owned()
    };
    place.write("a.txt", "a");
    place.write(".gitignore", "r.xml\n");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "a"]);
    let script = format!("echo '{JUNIT}' > r.xml");
    let args = ["--junit", "r.xml", "--", "sh", "-c", &script];
    run(&place, &args).expect_success();
    place.write("a.txt", "b");
    run(&place, &args).expect_success();
    git(&["checkout", "-q", "a.txt"]);
    let changes = format!("{script}; echo c > a.txt");
    run(&place, &["--junit", "r.xml", "--", "sh", "-c", &changes]).expect_success();
    let states: Vec<(Value, Value)> = recorded(&place)
        .iter()
        .map(|run| (run["commit"].clone(), run["is_clean"].clone()))
        .collect();
    let commit = Value::from(git(&["rev-parse", "HEAD"]));
    let state = |is_clean: bool| (commit.clone(), Value::from(is_clean));
    assert_eq!(states, [state(true), state(false), state(false)], "the last run changed a file");
}

/// Returns the directory `node_modules` that contains a program, if it is in one.
fn node_modules(program: &Path) -> Option<PathBuf> {
    let real = program.canonicalize().ok()?;
    let found =
        real.ancestors().find(|dir| dir.file_name().is_some_and(|name| name == "node_modules"));
    found.map(Path::to_path_buf)
}
