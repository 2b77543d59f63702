//! `codedb index` next to other builders, and which index a command uses.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::place::{Answer, Place, settle};

const PATIENCE: Duration = Duration::from_secs(60);

fn shop(files: usize) -> Place {
    let place = Place::new();
    for file in 0..files {
        place.write(format!("src/f{file}.rs"), format!("pub fn add_{file}() {{}}\n").repeat(50));
    }
    settle();
    place
}

fn status(place: &Place) -> Value {
    let answer = Answer::of({
        let mut command = place.codedb("status");
        command.arg("--json");
        command
    });
    serde_json::from_slice(&answer.stdout).expect("valid JSON")
}

/// As in a new clone: everything changed so shortly before it is read that a second change could leave
/// the same metadata.
#[test]
fn the_index_of_a_new_tree_is_current() {
    let place = Place::new();
    place.write(".ignore", "*.log\n");
    place.write("src/a.rs", "pub fn add() {}\n");
    Answer::of(place.codedb("index")).expect_success();
    let status = status(&place);
    assert_eq!(status["freshness"]["state"], "current", "{status}");
}

#[test]
fn index_attaches_to_the_builder_that_a_query_started() {
    let place = shop(400);
    let mut symbol = place.codedb("symbol");
    symbol.env("CODEDB_BACKGROUND", "1").arg("add_7");
    Answer::of(symbol).expect_success();
    Answer::of(place.codedb("index")).expect_success();
    assert_eq!(status(&place)["full"], true);
}

#[test]
fn index_waits_for_another_builder_and_shows_its_progress() {
    let place = shop(3);
    place.index(&[]).expect_success();
    let hold = |name: &str| {
        let path = place.store().join(name);
        let file = fs::File::options().create(true).truncate(false).write(true).open(path);
        let file = file.expect("a lock");
        file.lock().expect("no build is running");
        file
    };
    for (lock, args) in [("lock", &["--stage", "ready"][..]), ("code.lock", &["--stage", "full"])] {
        let held = hold(lock);
        let mut refused = place.codedb("index");
        refused.args(args).arg("--no-wait");
        let refused = Answer::of(refused);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("another codedb is writing"), "{}", refused.stderr);

        let mut waits = place.codedb("index");
        let messages = place.base().join(format!("{lock}.stderr"));
        let stderr = fs::File::create(&messages).expect("a file");
        let mut waits = waits.args(args).stderr(stderr).spawn().expect("codedb runs");
        let since = Instant::now();
        let stderr = || fs::read_to_string(&messages).expect("it exists");
        while !stderr().contains("another codedb is building this index") {
            assert!(since.elapsed() < PATIENCE, "{lock}: {}", stderr());
            thread::sleep(Duration::from_millis(5));
        }
        assert!(waits.try_wait().expect("a child").is_none(), "{lock}: it did not wait");
        drop(held);
        while waits.try_wait().expect("a child").is_none() {
            assert!(since.elapsed() < PATIENCE, "{lock}: it does not continue");
            thread::sleep(Duration::from_millis(5));
        }
        let status = waits.wait().expect("its status");
        assert!(status.success(), "{}", stderr());
    }
    assert_eq!(status(&place)["full"], true);
}

#[test]
fn subdirectories_without_git_share_the_index_of_the_tree() {
    let place = Place::new();
    place.write("a.rs", "fn top() {}\n");
    place.write("sub/deep/b.rs", "fn below() {}\n");
    settle();
    // The current directory decides, without `--root`.
    let run = |name: &str, dir: &str, args: &[&str]| {
        let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
        command.arg(name).arg("--index-dir").arg(place.cache()).args(args);
        command.current_dir(place.root().join(dir));
        Answer::of(command)
    };
    let indexes = || fs::read_dir(place.cache()).map_or(0, Iterator::count);
    run("index", "", &[]).expect_success();
    run("index", "sub/deep", &[]).expect_success();
    run("index", "sub", &[]).expect_success();
    assert_eq!(indexes(), 1);
    let found = run("search", "sub/deep", &["--no-background", "below"]).expect_success();
    assert_eq!(found.text().trim_end(), "b.rs:fn below() {}");
    let found = run("symbol", "sub/deep", &["top"]).expect_success();
    assert!(found.text().contains("a.rs"), "{}", found.text());
    // A directory that is given with `--root` gets its own index, which its subdirectories then
    // use.
    Answer::of({
        let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
        command.args(["index", "--index-dir"]).arg(place.cache());
        command.arg("--root").arg(place.root().join("sub"));
        command
    })
    .expect_success();
    assert_eq!(indexes(), 2);
    let found = run("symbol", "sub/deep", &["top"]);
    assert!(!found.text().contains("a.rs"), "{}", found.text());
}
