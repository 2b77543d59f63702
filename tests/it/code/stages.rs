//! The stages of `codedb index`: which stages are built, waited for and rebuilt, and the output of
//! `status` and `doctor` during a build.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::place::{Answer, Place, settle};

fn small() -> Place {
    let place = Place::new();
    place.write("a.rs", "fn a() { b(); }\n");
    place.write("b.rs", "fn b() {}\n");
    settle();
    place
}

fn full() -> Place {
    let place = small();
    place.index(&["--stage", "full"]).expect_success();
    place
}

/// Returns the files of the code index in an index directory.
fn code_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_code = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"code-"))
    };
    entries.map(|entry| entry.path()).filter(is_code).collect()
}

fn status(place: &Place) -> serde_json::Value {
    let mut command = place.codedb("status");
    command.arg("--json");
    serde_json::from_slice(&Answer::of(command).expect_success().stdout).expect("JSON")
}

#[test]
fn a_missing_segment_is_reported_and_rebuilt() {
    let place = full();
    let doctor = Answer::of(place.codedb("doctor")).expect_success();
    assert!(doctor.text().contains("ok    checksums: every block"), "{}", doctor.text());
    let files = code_files(&place.store());
    let segment = files.iter().find(|path| path.extension().is_some_and(|end| end == "idx"));
    fs::remove_file(segment.expect("a segment")).expect("a file of this test");

    let reported = Answer::of(place.codedb("status")).expect_success().text();
    let line = reported.lines().find(|line| line.starts_with("code ")).expect("a line");
    assert!(line.contains("index file is missing; rebuild it with `codedb index`"), "{line}");
    let json = status(&place);
    assert_eq!(json["full"], false, "{json}");
    assert!(json["code_unusable"].as_str().is_some_and(|why| why.contains("missing")), "{json}");
    let doctor = Answer::of(place.codedb("doctor"));
    assert!(doctor.text().contains("WRONG code index: "), "{}", doctor.text());
    assert!(!doctor.text().contains("every block"), "{}", doctor.text());
    assert_eq!(doctor.code, 2);

    place.index(&["--stage", "full"]).expect_success();
    let json = status(&place);
    assert_eq!(json["full"], true, "{json}");
    Answer::of(place.codedb("doctor")).expect_success();
}

#[test]
fn clean_reports_locked_indexes() {
    let place = full();
    for (name, who) in [
        ("watch.lock", "another codedb is watching this tree"),
        ("code.lock", "another codedb is writing the code index"),
        ("lock", "another codedb is writing this index"),
    ] {
        let path = place.store().join(name);
        let file = File::options().create(true).truncate(false).write(true).open(path);
        let file = file.expect("a lock");
        file.lock().expect("it is not locked");
        let clean = place.index(&["--clean"]);
        assert_eq!(clean.code, 2, "{name}: {}", clean.stderr);
        assert!(clean.stderr.contains(&format!("not removed: {who}\nhint: ")), "{}", clean.stderr);
        assert!(clean.text().starts_with("0 indexes removed"), "{}", clean.text());
        assert!(!code_files(&place.store()).is_empty(), "{name}");
    }
    place.index(&["--clean"]).expect_success();
    assert_eq!(fs::read_dir(place.cache()).expect("a directory").count(), 0);
}

/// Creates the index directory of another version of the program.
fn other_version(place: &Place) -> PathBuf {
    let other = place.store().parent().expect("the directory of a tree").join("v1-0badc0de");
    fs::create_dir(&other).expect("a directory can be created");
    for name in ["lock", "code-3.json", "code-segment-3-0.idx"] {
        fs::write(other.join(name), "of another version").expect("a file can be written");
    }
    let root = place.root();
    fs::write(other.join("root"), root.as_os_str().as_encoded_bytes()).expect("a file");
    other
}

#[test]
fn another_version_rebuilds_the_code_index() {
    let place = small();
    place.index(&["--stage", "auto"]).expect_success();
    let store = place.store();
    assert!(code_files(&store).is_empty(), "the stage was not requested");
    let other = other_version(&place);
    place.index(&["--stage", "auto"]).expect_success();
    assert_eq!(code_files(&store).len(), 2, "they were built before");
    assert_eq!(code_files(&other).len(), 2, "that one keeps its own");
    place.index(&["--clean"]).expect_success();
    assert!(!store.exists() && !other.exists());
}

#[test]
fn a_stage_that_is_not_built_is_not_waited_for() {
    let place = small();
    let refused = place.index(&["--stage", "ready", "--wait", "full"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("`--wait full`"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: omit `--stage`"), "{}", refused.stderr);

    let mut command = place.codedb("index");
    command.args(["--stage", "ready", "--wait", "ready"]).env("CODEDB_BACKGROUND", "1");
    Answer::of(command).expect_success();
    place.wait_for_builders();
    assert!(!place.store().join("code.lock").exists(), "a background build has started");

    place.index(&["--stage", "auto", "--wait", "full"]).expect_success();
    assert_eq!(code_files(&place.store()).len(), 2);
}

#[test]
fn insist_builds_the_full_stage_in_the_background() {
    let place = small();
    let mut command = place.codedb("index");
    command.args(["--insist", "--wait", "ready"]);
    command.env("CODEDB_BACKGROUND", "1").env("HOME", place.root());
    Answer::of(command).expect_success();
    let until = Instant::now() + Duration::from_secs(60);
    let is_built = || code_files(&place.store()).iter().any(|path| path.ends_with("code-1.json"));
    while !is_built() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(is_built(), "no code index in a minute");
    // The builder must exit before the directory is removed.
    place.index(&["--insist", "--stage", "full", "--wait", "full"]).expect_success();
}
