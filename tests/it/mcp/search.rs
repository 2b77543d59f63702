//! `codedb_search`: finds the same files as ripgrep in every state of the index; how they are
//! ranked and shown.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::session::Session;
use crate::support::place::{Place, settle};
use crate::support::prng::Prng;

/// Patterns, as arguments of the tool and as arguments of ripgrep.
fn patterns() -> Vec<(Value, Vec<&'static str>)> {
    vec![
        (json!({"query": "gamma_ray"}), vec!["-F", "gamma_ray"]),
        (json!({"query": "zeta_max"}), vec!["-F", "zeta_max"]),
        (json!({"query": "zeta_max", "case_sensitive": false}), vec!["-i", "zeta_max"]),
        (json!({"query": "kappa", "case_sensitive": false}), vec!["-i", "kappa"]),
        (json!({"query": "eta", "word": true}), vec!["-w", "eta"]),
        (json!({"query": "alpha.*Beta", "regex": true}), vec!["alpha.*Beta"]),
        (json!({"query": "^file1[0-9]$", "regex": true}), vec!["^file1[0-9]$"]),
        (json!({"query": "tau $", "regex": true}), vec!["tau $"]),
        (json!({"query": "^file7$", "regex": true}), vec!["^file7$"]),
        (json!({"query": "pi \nrho", "regex": false}), vec!["-U", "-F", "pi \nrho"]),
        (json!({"query": "file7\n", "regex": false}), vec!["-U", "-F", "file7\n"]),
        (json!({"query": "a", "path_glob": "d1/**"}), vec!["-g", "/d1/**", "a"]),
        (json!({"query": "no such text"}), vec!["-F", "no such text"]),
        (json!({"query": ".", "regex": true}), vec!["."]),
    ]
}

/// Fails unless the tool finds the same files as ripgrep.
#[track_caller]
fn compare(place: &Place, session: &mut Session, when: &str) {
    for (mut arguments, mut args) in patterns() {
        args.insert(0, "-l");
        if arguments["regex"] == true {
            args.insert(0, "--crlf");
        }
        let expected = place.rg(&args).text();
        let shown = arguments.to_string();
        arguments["max_results"] = json!(1000);
        arguments["format"] = json!("json");
        let answer = session.call("codedb_search", arguments);
        let files = answer["structuredContent"]["files"].as_array().expect("a list");
        let mut found: Vec<&str> = files.iter().filter_map(|file| file["path"].as_str()).collect();
        let mut expected: Vec<&str> = expected.lines().collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{shown}, {when}");
    }
}

#[test]
fn search_finds_what_ripgrep_finds() {
    let place = Place::new();
    let mut rng = Prng::new(7);
    place.fill(&mut rng, 120);
    place.write("d1/kelvin.txt", "\u{212A}appa\nſigma\n");
    place.write("d1/wide.txt", b"\xFF\xFEa\0l\0p\0h\0a\0 \0B\0e\0t\0a\0");
    place.write("crlf.txt", "file7\r\ntau \r\n");
    // Enough files that several threads search them.
    for name in ["big/one.txt", "big/two.txt"] {
        place.write(name, format!("{}gamma_ray\nalpha and Beta\n", "many words\n".repeat(60_000)));
    }
    place.write("big/binary", [&[0; 9_000][..], b"gamma_ray\n"].concat());
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    compare(&place, &mut session, "before there is an index");
    let since = Instant::now();
    while session.call("codedb_find", json!({"query": "f1"}))["_meta"].get("generation").is_none() {
        assert!(since.elapsed() < Duration::from_secs(60), "no index");
    }
    compare(&place, &mut session, "with an index");
    for round in 0..3 {
        place.write(format!("d{round}/f{}.txt", round * 40), "gamma_ray zeta_max\npi \nrho\n");
        place.write(format!("new{round}/x.txt"), "alpha and Beta\n");
        std::fs::remove_file(place.root().join(format!("d2/f{}.txt", 90 + round)))
            .expect("it exists");
        compare(&place, &mut session, "after edits");
    }
    session.end();
}

#[test]
fn files_are_ranked_and_lines_shown() {
    let place = Place::new();
    place.write("a_use.rs", "fn user() {\n    add_item();\n    add_item();\n}\n");
    place.write("src/cart.rs", "/// Adds.\npub fn add_item() {}\n");
    place.write("tests/cart.rs", "#[test]\nfn adds() {\n    add_item();\n}\n");
    place.write("vendor/cart.rs", "pub fn add_item() {}\n");
    // The definitions in files that were just created are not indexed yet.
    settle();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    // Waits for the code index.
    session.call("codedb_symbol", json!({"name": "add_item"}));
    let mut check = |arguments: Value, expected: &str| {
        assert_eq!(session.text("codedb_search", arguments), expected);
    };
    check(
        json!({"query": "add_item"}),
        "src/cart.rs  1 line  defines\n  2: pub fn add_item() {}\n\
         a_use.rs  2 lines\n  user 1-4\n    2: add_item();\n    3: add_item();\n\
         tests/cart.rs  1 line  test\n  adds 2-4\n    3: add_item();\n\
         vendor/cart.rs  1 line  vendored\n  1: pub fn add_item() {}\n",
    );
    check(
        json!({"query": "add_item", "max_per_file": 1, "context_lines": 1, "max_results": 2}),
        "src/cart.rs  1 line  defines\n  1- /// Adds.\n  2: pub fn add_item() {}\n\
         a_use.rs  1 of 2 lines\n  user 1-4\n    1- fn user() {\n    2: add_item();\n    3- add_item();\n\
         note: 1 matching line in 1 file not shown; `max_per_file` shows more\n\
         note: 2 of 4 files with 5 lines shown; continue with `offset` 2\n",
    );
    check(
        json!({"query": "add_item", "paths_only": true, "offset": 2}),
        "tests/cart.rs  1 line  test\nvendor/cart.rs  1 line  vendored\n",
    );
    check(
        json!({"query": "add_item", "path_glob": "*.py"}),
        "nothing found\nnote: `path_glob` matches no file: `*.py`\n",
    );
    let answer = session.call("codedb_search", json!({"query": "add(", "regex": true}));
    let text = answer["content"][0]["text"].as_str().expect("a text");
    assert!(answer["isError"] == true && text.contains("without `regex`"), "{text}");
    session.end();
}

#[test]
fn a_repeated_search_sees_every_edit() {
    let place = Place::new();
    for file in 0..30 {
        place.write(format!("f{file:02}.txt"), "needle\n");
    }
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    session.call("codedb_symbol", json!({"name": "nothing"}));
    let mut ask = |offset: usize| {
        let arguments =
            json!({"query": "needle", "offset": offset, "max_results": 20, "format": "json"});
        let answer = session.call("codedb_search", arguments);
        let found = &answer["structuredContent"];
        let shown = found["files"].as_array().expect("a list").len();
        (found["total"].as_u64().expect("a number"), shown)
    };
    for round in 1..40 {
        if round % 4 == 0 {
            // A cached text is used only if the file has not changed recently.
            settle();
            let _ = ask(0);
        }
        place.write("f07.txt", "needle\n".repeat(round));
        let lines = 29 + round as u64;
        assert_eq!((ask(0), ask(20), ask(0)), ((lines, 20), (lines, 10), (lines, 20)), "{round}");
        if round % 5 == 0 {
            place.write("f07.txt", "");
            assert_eq!((ask(0), ask(20)), ((29, 20), (29, 9)), "{round}");
        }
    }
}

#[test]
fn a_rebuilt_index_is_searched() {
    let place = Place::new();
    // Some rules are not readable, so every call walks the tree.
    place.write(".gitignore", "a[\n{x\n");
    for file in 0..5 {
        place.write(format!("d/f{file}.rs"), format!("pub fn old_word_{file}() {{}}\n"));
    }
    settle();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    session.call("codedb_symbol", json!({"name": "nothing"}));
    assert!(session.text("codedb_search", json!({"query": "old_word_3"})).contains("d/f3.rs"));
    let store = place.store();
    for round in 0..3 {
        // The server may be writing to this directory.
        while store.exists() {
            let _ = std::fs::remove_dir_all(&store);
        }
        place.write("d/f3.rs", format!("pub fn fresh_word_{round}() {{}}\n"));
        settle();
        place.index(&[]);
        let reported =
            session.text("codedb_search", json!({"query": format!("fresh_word_{round}")}));
        assert!(reported.contains("d/f3.rs"), "{round}: {reported}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn unreadable_files_are_reported_and_not_cached() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let place = Place::new();
    for file in 0..40 {
        place.write(format!("f{file:02}.txt"), "common\n");
    }
    settle();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    session.call("codedb_symbol", json!({"name": "nothing"}));
    // The generation stays open from now on, and none of the files has been read.
    session.text("codedb_search", json!({"query": "never"}));
    let pid = Pid::from_child(&session.child);
    let before = rustix::process::getrlimit(Resource::Nofile);
    let starved = Rlimit { current: Some(3), maximum: before.maximum };
    prlimit(Some(pid), Resource::Nofile, starved).expect("a child of this process");
    let answer = session.call("codedb_search", json!({"query": "common"}));
    let reported = answer["content"][0]["text"].as_str().expect("a text").to_owned();
    prlimit(Some(pid), Resource::Nofile, before).expect("a child of this process");
    let is_reported = answer["isError"] == true || reported.contains("could not be read");
    assert!(is_reported, "{reported}");
    let answer = session.call("codedb_search", json!({"query": "common", "format": "json"}));
    assert_eq!(answer["structuredContent"]["files_total"], 40);
    assert_eq!(answer["structuredContent"]["status"], "ok");
}
