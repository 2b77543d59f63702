//! Files that crashed the parsers, or kept them busy: they cost only their own definitions.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place, settle};

/// The time limit of a command over all files, for an unoptimized build on a busy machine.
const TIME_MAX: Duration = Duration::from_secs(40);

/// The files, with a problem that `status` counts for each.
fn files() -> Vec<(&'static str, String)> {
    let keys = (0..400).map(|level| format!("{:level$}k:\n", "")).collect();
    vec![
        ("a.yaml", "- ".repeat(256)),
        ("b.yaml", "? ".repeat(1000)),
        ("c.yaml", keys),
        ("A.java", "{(".repeat(30_000)),
        ("B.java", "A<".repeat(20_000)),
        ("a.ml", "(*".repeat(60_000)),
        ("a.css", ":not(".repeat(20_000)),
        ("a.lua", "[[".repeat(30_000)),
        ("a.hs", "do ".repeat(20_000)),
    ]
}

fn place() -> Place {
    let place = Place::new();
    for (path, text) in files() {
        place.write(path, text);
    }
    place.write("src/good.rs", "pub fn good_function() -> u32 {\n    1\n}\n");
    settle();
    place
}

/// Runs `codedb ARGS`, which must end in time.
#[track_caller]
fn run(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    let started = Instant::now();
    let answer = Answer::of(command);
    assert!(started.elapsed() < TIME_MAX, "{args:?}: {:?}", started.elapsed());
    answer
}

fn status(place: &Place) -> Value {
    let answer = run(place, &["status", "--json"]).expect_success();
    serde_json::from_slice(&answer.stdout).expect("JSON")
}

#[test]
fn files_that_ended_the_process_cost_only_their_definitions() {
    let place = place();
    // Without an index, then with one, then again.
    for round in 0..3 {
        if round > 0 {
            run(&place, &["index", "--quiet"]).expect_success();
        }
        let symbol = run(&place, &["symbol", "good_function"]).expect_success();
        assert!(symbol.text().contains("src/good.rs"), "{}", symbol.text());
        let context = run(&place, &["context", "good_function returns 2"]).expect_success();
        assert!(context.text().contains("good_function"), "{}", context.text());
        for (path, _) in files() {
            let outline = run(&place, &["outline", path]);
            assert!(outline.code < 2, "{path}: {}", outline.stderr);
            let is_reported =
                outline.stderr.contains("skipped") || outline.stderr.contains("limit");
            assert!(is_reported, "{path}: {}", outline.stderr);
        }
    }
    let code = &status(&place)["code"];
    let count = |problem: &str| code["problems"][problem].as_u64().unwrap_or(0);
    assert_eq!(count("too_deep") + count("too_hard"), files().len() as u64, "{code}");
    assert_eq!(code["failed"][0]["path"], "A.java", "{code}");
    let text = run(&place, &["status"]).text();
    assert!(text.contains("failed      A.java: deeply nested code was skipped\n"), "{text}");
    let unknown = run(&place, &["symbol", "no_such_function"]);
    assert!(unknown.stderr.contains("9 files not parsed completely"), "{}", unknown.stderr);
}

#[test]
fn a_server_survives_files_that_ended_the_process() {
    let place = place();
    for _ in 0..2 {
        let mut session = Session::start(&place, &[]);
        session.initialize("2025-11-25", json!({}));
        for (path, text) in files() {
            let outline = session.call("codedb_outline", json!({"path": path}));
            assert_eq!(outline["isError"], false, "{outline}");
            // No builder has seen this text.
            place.write(path, format!("{text}\n"));
            let found = session.text("codedb_symbol", json!({"name": "good_function"}));
            assert!(found.contains("src/good.rs"), "{found}");
        }
        let unknown = session.call("codedb_symbol", json!({"name": "no_such_function"}));
        let hint = unknown["content"][0]["text"].as_str().unwrap_or_default();
        assert!(hint.contains("9 files not parsed completely"), "{hint}");
        session.end();
    }
}
