//! `codedb data`: the database of a repository from the command line.

use std::fs;
use std::process::Command;

use crate::support::place::{Answer, Place};

/// An export of two runs.
const EXPORT: &str = concat!(
    r#"{"kind":"codedb","version":1}"#,
    "\n",
    r#"{"kind":"run","uid":"a","started_ms":1,"commit":null,"is_clean":false,"runner":"pytest","command":["pytest"],"exit_code":1,"status":"complete","results":[{"test":"tests/test_a.py::test_é","attempt":0,"outcome":"failed","duration_ms":1.5}]}"#,
    "\n",
    r#"{"kind":"run","uid":"b","started_ms":2,"commit":null,"is_clean":false,"runner":"pytest","command":["pytest"],"exit_code":null,"status":"crashed","results":[]}"#,
    "\n",
);

fn data(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.arg("data").args(args);
    Answer::of(command)
}

fn git(place: &Place, args: &[&str]) {
    let mut command: Command = place.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
    Answer::of(command).expect_success();
}

#[test]
fn data_is_shown_exported_and_imported() {
    let place = Place::new();
    let empty = data(&place, &[]).expect_success().text();
    assert!(empty.contains("nothing is recorded"), "{empty}");
    assert_eq!(data(&place, &["export"]).code, 1);
    assert!(!place.base().join("home/.local").exists(), "reading creates nothing");

    let file = place.base().join("export.jsonl");
    fs::write(&file, EXPORT).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let first = data(&place, &["import", file]).expect_success().text();
    assert_eq!(
        first,
        "imported 2 new and 0 known runs, coverage of 0 functions, 0 incidents and 0 new decisions, ignored 0 other lines\n"
    );
    let again = data(&place, &["import", file]).expect_success().text();
    assert_eq!(
        again,
        "imported 0 new and 2 known runs, coverage of 0 functions, 0 incidents and 0 new decisions, ignored 0 other lines\n"
    );
    assert_eq!(data(&place, &["export"]).expect_success().text(), EXPORT);

    let copy = place.base().join("copy.jsonl");
    data(&place, &["export", copy.to_str().expect("UTF-8")]).expect_success();
    assert_eq!(fs::read_to_string(&copy).expect("it was written"), EXPORT);
    let shown = data(&place, &["--json"]).expect_success().text();
    assert!(shown.contains(r#""runs":2,"tests":1,"results":1"#), "{shown}");
    assert_eq!(fs::read_dir(place.root()).expect("the tree").count(), 0, "nothing in the tree");
}

#[test]
fn work_trees_share_their_data_and_other_directories_do_not() {
    let place = Place::new();
    place.write("a.txt", "a");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    git(&place, &["worktree", "add", "-q", "../other"]);
    let file = place.base().join("export.jsonl");
    fs::write(&file, EXPORT).expect("a file");
    data(&place, &["import", file.to_str().expect("UTF-8")]).expect_success();
    let shared = place.base().join("other");
    let shared = data(&place, &["--root", shared.to_str().expect("UTF-8")]).expect_success();
    assert!(shared.text().contains("runs      2"), "{}", shared.text());
    let home = place.base().join("home");
    let home = data(&place, &["--root", home.to_str().expect("UTF-8")]).expect_success();
    assert!(home.text().contains("nothing is recorded"), "{}", home.text());
    let elsewhere = place.base().join("elsewhere");
    let elsewhere = ["--data-dir", elsewhere.to_str().expect("UTF-8")];
    assert!(data(&place, &elsewhere).expect_success().text().contains("nothing is recorded"));
    let mut global = place.command(env!("CARGO_BIN_EXE_codedb"));
    global.args(elsewhere).args(["data", "export"]);
    assert_eq!(Answer::of(global).code, 1, "the option may precede the command");
}

#[test]
fn coverage_is_imported_by_function_and_survives_edits_elsewhere() {
    let place = Place::new();
    place.write("m.py", "def f(x):\n    if x:\n        return 1\n    return 2\n");
    place.write("tests/test_m.py", "def test_f(): pass\n");
    let report = concat!(
        r#"{"meta": {"format": 3}, "files": {"m.py": {"executed_lines": [1, 2, 3], "#,
        r#""missing_lines": [4], "contexts": {"1": [""], "2": ["tests/test_m.py::test_f|run", "#,
        r#""tests.test_m.test_g"], "3": ["tests/test_m.py::test_f|run"]}}, "#,
        r#""/usr/lib/gone.py": {"executed_lines": [1], "missing_lines": []}}}"#
    );
    let file = place.base().join("coverage.json");
    fs::write(&file, report).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let text = data(&place, &["coverage", file]).expect_success().text();
    let expected =
        "1 function in 1 file, 2 tests; 1 file not in the tree, such as /usr/lib/gone.py";
    assert!(text.trim_end().ends_with(expected), "{text}");
    let before = data(&place, &["export"]).expect_success().text();
    let parts = [
        r#""path":"m.py","name":"f""#,
        r#""executable":[1,2,3],"covered":[1,2],"is_whole":true"#,
        r#""tests":{"tests/test_m.py::test_f":2,"tests/test_m.py::test_g":1}"#,
    ];
    assert!(parts.iter().all(|part| before.contains(part)), "{before}");
    // The function moves: its coverage stays the same.
    place.write("m.py", "import os\n\ndef f(x):\n    if x:\n        return 1\n    return 2\n");
    let moved = report.replace("[1, 2, 3]", "[1, 3, 4, 5]").replace("[4]", "[6]");
    let moved = moved.replace(r#""3": ["#, r#""5": ["#).replace(r#""2": ["#, r#""4": ["#);
    fs::write(file, moved).expect("a file");
    data(&place, &["coverage", file]).expect_success();
    assert_eq!(data(&place, &["export"]).expect_success().text(), before);
    // A report that is older than the file says nothing about it.
    let old = fs::File::options().write(true).open(file).expect("a file");
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1000);
    old.set_modified(past).expect("it is ours");
    let text = data(&place, &["coverage", file]).expect_success().text();
    assert!(text.contains("1 file changed after the report was written"), "{text}");
    fs::write(file, "neither of them").expect("a file");
    assert_eq!(data(&place, &["coverage", file]).code, 2);
}

#[test]
fn imported_coverage_selects_tests_after_the_function_was_edited() {
    let place = Place::new();
    place.write(
        "m.py",
        "def f(x):\n    if x:\n        return 1\n    return 2\n\ndef g():\n    return 3\n",
    );
    place.write("tests/test_m.py", "def test_a(): pass\n\ndef test_b(): pass\n");
    let report = concat!(
        r#"{"meta": {"format": 3}, "files": {"m.py": {"executed_lines": [1, 2, 3, 6], "#,
        r#""missing_lines": [4, 7], "contexts": {"2": ["tests/test_m.py::test_b|run"]}}}}"#
    );
    let file = place.base().join("coverage.json");
    fs::write(&file, report).expect("a file");
    data(&place, &["coverage", file.to_str().expect("UTF-8")]).expect_success();
    let selected = || {
        let (_, json) = tool(&place, &["suggest-tests", "m.py", "--functions", "f"]);
        let of = |test: &serde_json::Value| {
            let parts = ["test_id", "source", "covered_text"].map(|name| test[name].to_string());
            parts.join(" ")
        };
        let tests = json["tests"].as_array().unwrap_or_else(|| panic!("{json}"));
        tests.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(selected()[0], r#""tests/test_m.py::test_b" "coverage" "same""#);
    let (_, gaps) = tool(&place, &["test-gaps", "m.py"]);
    assert_eq!(gaps["gaps"][0]["function"], "g", "{gaps}");
    assert_eq!(gaps["gaps"][0]["not_executed"], true, "{gaps}");
    assert_eq!(gaps["total"], 1, "{gaps}");
    place.write("m.py", "def f(x):\n    return x + 2\n");
    assert_eq!(selected()[0], r#""tests/test_m.py::test_b" "coverage" "former""#);
}

/// Runs a tool's command with `--json`.
fn tool(place: &Place, args: &[&str]) -> (i32, serde_json::Value) {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]).arg("--json");
    let answer = Answer::of(command);
    let json = serde_json::from_slice(&answer.stdout);
    (answer.code, json.unwrap_or_else(|error| panic!("{error}: {}", answer.stderr)))
}

#[test]
fn results_are_recorded_one_by_one_and_flips_are_counted() {
    let place = Place::new();
    place.write("a.txt", "a");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    let record = |passed: &str| {
        tool(&place, &["record-result", "t.py::a", "--passed", passed, "--duration-ms", "5"]).1
    };
    record("true");
    record("false");
    let third = record("false");
    assert_eq!(third["results"], 3, "{third}");
    assert_eq!(
        (&third["failures"], &third["flips"], &third["pairs"]),
        (&2.into(), &1.into(), &2.into())
    );
    assert_eq!(third["flip_rate"], 0.5);
    let mut missing = place.codedb("record-result");
    missing.arg("t.py::a");
    assert_eq!(Answer::of(missing).code, 2, "the outcome is required");
}

#[test]
fn suggested_ids_of_tests_and_recorded_ones_are_the_same() {
    let place = Place::new();
    place.write("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n");
    place.write("src/lib.rs", "pub mod book;\n");
    let book = "/// ```\n/// assert_eq!(shop::book::walk(), 1);\n/// ```\npub fn walk() -> u8 { 1 }\n\
                #[cfg(test)]\nmod tests {\n    #[test]\n    fn walks() { super::walk(); }\n}\n";
    place.write("src/book.rs", book);
    let java = "package com.shop;\n\nclass CartTest {\n    @Test\n    void adds() {}\n}\n";
    place.write("src/test/java/com/shop/CartTest.java", java);
    place.write("go/cart_test.go", "package cart\n\nfunc TestCart(t *testing.T) {}\n");
    place.write("src/sum.js", "exports.mul = (a, b) => a * b;\n");
    let uses = "const { mul } = require('../src/sum');\ntest('mul', () => { mul(1, 2); });\n\
                describe('of', () => { test('two', () => { mul(2, 2); }); });\n";
    place.write("tests/sum.test.js", uses);
    let record = |id: &str| tool(&place, &["record-result", id, "--passed", "false"]).1;
    for (suggested, recorded) in [
        ("tests/sum.test.js > mul", "tests/sum.test.js::mul"),
        ("tests/sum.test.js > of > two", "tests/sum.test.js::of > two"),
        ("src/book.rs - book::walk (line 1)", "src/book.rs::book::walk (line 1)"),
        ("book::tests::walks", "src/book.rs::tests::walks"),
        ("com.shop.CartTest#adds[1]", "src/test/java/com/shop/CartTest.java::CartTest::adds[1]"),
        ("TestCart/empty", "go/cart_test.go::TestCart/empty"),
    ] {
        for (count, id) in [(1, recorded), (2, suggested)] {
            let reply = record(id);
            assert_eq!((&reply["test_id"], &reply["results"]), (&recorded.into(), &count.into()));
            assert!(reply["message"].is_null(), "{reply}");
        }
    }
    let listed = |path: &str| {
        let tests = tool(&place, &["suggest-tests", path]).1["tests"].take();
        let tests = tests.as_array().expect("tests").clone();
        let ids = tests.into_iter().map(|of| of["test_id"].as_str().expect("an id").to_owned());
        ids.collect::<Vec<_>>()
    };
    assert!(listed("src/sum.js").contains(&"tests/sum.test.js > of > two".to_owned()));
    assert!(listed("src/book.rs").contains(&"src/book.rs - book::walk (line 1)".to_owned()));
    let unknown = record("tests/sum.test.js > mull");
    assert_eq!(
        (&unknown["message"], &unknown["results"], &unknown["status"]),
        (
            &"no test of this tree has this id; did you mean `tests/sum.test.js::mul`?".into(),
            &1.into(),
            &"ok".into()
        )
    );
}

#[test]
fn locks_are_held_by_one_holder() {
    let place = Place::new();
    let lock = |op: &str, path: &str, holder: &str| {
        tool(&place, &["lock", op, path, "--holder", holder]).1
    };
    assert_eq!(tool(&place, &["lock", "list"]).1["total"], 0);
    assert_eq!(lock("acquire", "src", "one")["done"], true);
    let other = lock("acquire", "src", "two");
    assert_eq!((&other["status"], &other["done"]), (&"busy".into(), &false.into()));
    assert_eq!(other["locks"][0]["holder"], "one");
    assert_eq!(lock("refresh", "src", "two")["status"], "no_data");
    assert_eq!(lock("refresh", "src", "one")["done"], true);
    let below = tool(&place, &["lock", "list", "src/a.rs"]).1;
    assert_eq!(below["locks"][0]["path"], "src", "{below}");
    assert_eq!(tool(&place, &["lock", "list", "srcs"]).1["total"], 0);
    assert_eq!(lock("release", "src", "two")["done"], false);
    assert_eq!(lock("release", "src", "one")["done"], true);
    assert_eq!(lock("acquire", "src", "two")["done"], true);
}

#[test]
fn a_job_outlives_its_call() {
    let place = Place::new();
    place.write("src/a.rs", "fn a() {}\n");
    assert_eq!(tool(&place, &["job-status"]).1["status"], "no_data");
    let started = tool(&place, &["start-job", "index"]).1;
    let id = started["jobs"][0]["job_id"].as_i64().expect("a number").to_string();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let ended = loop {
        let (_, status) = tool(&place, &["job-status", &id]);
        if status["jobs"][0]["state"] != "running" || std::time::Instant::now() > deadline {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!(ended["jobs"][0]["state"], "done", "{ended}");
    assert!(crate::support::place::store_in(&place.cache()).exists(), "there is an index");
    assert_eq!(tool(&place, &["cancel-job", &id]).1["jobs"][0]["state"], "done", "it has ended");
    assert_eq!(tool(&place, &["cancel-job", "77"]).1["status"], "no_data");
}
