//! Executables that crash, hang or print invalid data: each is reported, and none passes.

use std::path::Path;
use std::time::Duration;

use super::DEFAULT;
use super::gate::compare::{Comparison, Settings, compare};
use super::gate::driver::{Program, TimeLimits};
use super::gate::judge::{Row, Rules, Status, judge};
use super::gate::measure::Plan;
use super::gate::thresholds::Thresholds;

/// Two cases; `$reply` is the reply of the first one.
const HELLO: &str = r#"[ "$1" = --prepare ] && exit 0
echo '{"protocol":1,"corpus":"c","cases":[{"name":"tool/a/one","tool":"a","reply":"r"},
{"name":"tool/b/two","tool":"b","reply":"r"}]}' | tr -d '\n'; echo
"#;

/// An executable that takes two milliseconds per call, for every request.
const STEADY: &str = r#"while read -r line; do
n=${line##*:}; n=${n%\}}; echo "{\"nanoseconds\":$((n * 2000000))}"; done"#;

fn program(folder: &Path, script: &str) -> Program {
    Program {
        executable: "/bin/sh".into(),
        arguments: ["-c", script, "sh"].map(Into::into).to_vec(),
        directory: folder.to_owned(),
        environment: Vec::new(),
    }
}

fn compared(base: &str, head: &str) -> (Comparison, Vec<Row>) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let time_limits =
        TimeLimits { prepare: Duration::from_secs(20), answer: Duration::from_millis(1500) };
    let settings = Settings {
        profile: "small".to_owned(),
        filter: None,
        counted: false,
        plan: Plan { half_width: 0.02, time: Duration::from_secs(5), informing_below_ns: 1e6 },
        time_limits,
        scratch: folder.path().to_owned(),
    };
    let thresholds = Thresholds::parse(DEFAULT).expect("the thresholds are valid");
    let (base, head) = (program(folder.path(), base), program(folder.path(), head));
    let compared = compare(Some(&base), &head, &settings, &thresholds, &|_| {});
    let same_corpus = compared.base_corpus == compared.head_corpus;
    let rules = Rules { thresholds: &thresholds, waivers: &[], same_corpus };
    let rows = judge(compared.recorded.clone(), &rules);
    (compared, rows)
}

fn steady() -> String {
    format!("{HELLO}{STEADY}")
}

/// Compares a stable base with a head that does `instead` for the case `tool/b/two`.
#[track_caller]
fn check(instead: &str, expected: &str) {
    let head = STEADY.replace("do\n", &format!("do case $line in *two*) {instead};; esac\n"));
    let (compared, rows) = compared(&steady(), &format!("{HELLO}{head}"));
    assert!(compared.faults.is_empty(), "{:?}", compared.faults);
    let statuses: Vec<_> = rows.iter().map(|row| row.status).collect();
    assert_eq!(statuses, [Status::Ok, Status::Fail], "{:?}", rows[1].notes);
    assert!(rows[1].notes[0].contains(expected), "{:?}", rows[1].notes);
}

#[test]
fn a_steady_pair_passes() {
    let (compared, rows) = compared(&steady(), &steady());
    assert_eq!(compared.base_corpus.as_deref(), Some("c"));
    for row in rows {
        assert_eq!(row.status, Status::Ok, "{:?}", row.notes);
        let run = row.shown().expect("it was measured");
        let wall = run.wall.as_ref().expect("nothing failed");
        assert_eq!((wall.base_ns, wall.head_ns, wall.ratio), (2e6, 2e6, 1.0));
        assert_eq!((wall.pairs, wall.iterations), (32, 5));
    }
}

#[test]
fn a_slower_case_is_measured_twice_and_fails() {
    let head = STEADY.replace("2000000", "2400000");
    let (_, rows) = compared(&steady(), &format!("{HELLO}{head}"));
    for row in rows {
        assert_eq!(row.status, Status::Fail, "{:?}", row.notes);
        assert_eq!(row.recorded.runs.len(), 2);
    }
}

#[test]
fn an_executable_that_exits_is_reported() {
    check("echo 'out of luck' >&2; exit 3", "it ended (exit status: 3): out of luck");
}

#[test]
fn an_executable_that_is_killed_is_reported() {
    check("kill -SEGV $$", "it ended (signal: 11");
}

#[test]
fn an_executable_that_hangs_is_reported() {
    check("sleep 30", "it was silent for 1 s");
}

#[test]
fn an_executable_with_invalid_output_is_reported() {
    check("echo '{\"nanoseconds\":\"soon\"}'; continue", "it answered nonsense");
    check("echo '{\"nanoseconds\":-5}'; continue", "it answered a time that is none: -5");
    check("echo '{\"nanoseconds\":0}'; continue", "calls took no time");
}

#[test]
fn a_failing_case_does_not_affect_the_others() {
    check("echo '{\"error\":\"no index\"}'; continue", "the case answers an error: no index");
}

#[test]
fn an_executable_that_does_not_start_voids_the_comparison() {
    for (script, expected) in [
        ("exit 4", "the head's executable does not prepare: it ended (exit status: 4)"),
        ("[ \"$1\" = --prepare ] && exit 0; exit 5", "it ended (exit status: 5)"),
        ("[ \"$1\" = --prepare ] && exit 0; echo hello", "its first line is not a valid greeting"),
    ] {
        let (compared, rows) = compared(&steady(), script);
        assert!(rows.is_empty());
        assert_eq!(compared.faults.len(), 1, "{:?}", compared.faults);
        assert!(compared.faults[0].contains(expected), "{:?}", compared.faults);
    }
}

#[test]
fn an_executable_without_cases_voids_the_comparison() {
    let empty = "[ \"$1\" = --prepare ] && exit 0
        echo '{\"protocol\":1,\"corpus\":\"c\",\"cases\":[]}'; cat > /dev/null";
    let (compared, _) = compared(empty, empty);
    assert_eq!(compared.faults, ["there is no case to measure"]);
}
