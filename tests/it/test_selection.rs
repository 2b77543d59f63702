//! Selected tests: the weaker sources of evidence, and selections of nearly everything.

use serde_json::Value;

use crate::support::place::{Answer, Place};

fn git(place: &Place, args: &[&str]) {
    let mut command = place.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
    Answer::of(command).expect_success();
}

fn suggested(place: &Place, args: &[&str]) -> Value {
    let mut command = place.codedb("suggest-tests");
    command.args(args).arg("--json");
    let answer = Answer::of(command);
    serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr))
}

/// Returns the file and the source of each test.
fn sources(reply: &Value) -> Vec<String> {
    let tests = reply["tests"].as_array().unwrap_or_else(|| panic!("{reply}"));
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    tests.iter().map(|of| format!("{} {}", text(&of["path"]), text(&of["source"]))).collect()
}

#[test]
fn a_selection_of_nearly_everything_runs_all_tests() {
    let place = Place::new();
    place.write("cart.py", "def add(a, b):\n    return a + b\n");
    let uses = "from cart import add\n\ndef test_add():\n    assert add(1, 2) == 3\n";
    for number in 0..9 {
        place.write(format!("tests/test_{number}.py"), uses);
    }
    let reply = suggested(&place, &["cart.py"]);
    assert_eq!(reply["run_all"], true, "{reply}");
    assert_eq!(reply["commands"], serde_json::json!(["pytest"]), "{reply}");
    assert!(reply["message"].as_str().is_some_and(|text| text.contains("run all")), "{reply}");
    for number in 0..20 {
        place.write(format!("tests/test_more_{number}.py"), "def test_other():\n    pass\n");
    }
    let reply = suggested(&place, &["cart.py"]);
    assert_eq!(reply["run_all"], Value::Null, "{reply}");
}

#[test]
fn tests_in_changed_files_come_last() {
    let place = Place::new();
    place.write("cart.py", "def add(a, b):\n    return a + b\n");
    let uses = "from cart import add\n\ndef test_add():\n    assert add(1, 2) == 3\n";
    place.write("tests/test_cart.py", uses);
    place.write("tests/test_odd.py", "def helper():\n    return 1\n\ndef test_odd():\n    pass\n");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    place.write("cart.py", "def add(a, b):\n    return b + a\n");
    place.write("tests/test_odd.py", "def helper():\n    return 2\n\ndef test_odd():\n    pass\n");
    let reply = suggested(&place, &[]);
    assert_eq!(
        sources(&reply),
        ["tests/test_cart.py direct", "tests/test_odd.py working_tree"],
        "{reply}"
    );
}

#[test]
fn files_that_change_together_are_a_guess() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    place.write("tests/test_else.py", "def test_else():\n    pass\n");
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    for number in 0..6 {
        place.write("cart.py", format!("def add(a, b):\n    return a + b + {number}\n"));
        let end_to_end = format!("import subprocess\n\ndef test_zip():\n    run({number})\n");
        place.write("tests/test_shop.py", &end_to_end);
        git(&place, &["add", "."]);
        git(&place, &["commit", "-qm", "a"]);
    }
    place.index(&["--stage", "full", "--wait", "full"]).expect_success();
    let reply = suggested(&place, &["cart.py"]);
    assert_eq!(sources(&reply), ["tests/test_shop.py co_change"], "{reply}");
    assert_eq!(reply["status"], "partial", "{reply}");
}
