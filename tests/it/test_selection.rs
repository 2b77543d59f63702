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

#[test]
fn an_edited_fixture_selects_the_tests_that_request_it() {
    let place = Place::new();
    place.write("pyproject.toml", "[project]\nname = \"shop\"\n");
    let conftest = "import pytest\n\n\n@pytest.fixture\ndef db():\n    return 1\n\n\n\
                    @pytest.fixture\ndef user(db):\n    return db\n";
    place.write("tests/conftest.py", conftest);
    let tests = "import pytest\n\n\n@pytest.mark.usefixtures(\"db\")\ndef test_used():\n    pass\n\n\n\
                 def test_user(user):\n    pass\n\n\ndef test_none():\n    pass\n";
    place.write("tests/test_shop.py", tests);
    git(&place, &["init", "-q"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    let direct = |reply: &Value| {
        let tests = reply["tests"].as_array().expect("tests").iter();
        let mut names: Vec<String> = tests
            .filter(|of| of["source"] == "direct")
            .map(|of| of["test_id"].as_str().unwrap_or_default().to_owned())
            .collect();
        names.sort();
        names
    };
    let expected = ["tests/test_shop.py::test_used", "tests/test_shop.py::test_user"];
    let reply = suggested(&place, &["--functions", "db"]);
    assert_eq!(direct(&reply), expected, "{reply}");
    place.write("tests/conftest.py", conftest.replace("return 1", "return 2"));
    let reply = suggested(&place, &[]);
    assert_eq!(direct(&reply), expected, "{reply}");
}

#[test]
fn code_of_tests_is_never_without_a_test() {
    let place = Place::new();
    place.write("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n");
    let book = "pub fn lonely() -> u8 { 1 }\npub fn used() -> u8 { 2 }\n\
                #[cfg(test)]\nmod checks {\n    fn spare() -> u8 { 1 }\n    #[test]\n    \
                fn uses() { super::used(); }\n}\n";
    place.write("src/lib.rs", book);
    let helpers = "import pytest\n\n\n@pytest.fixture\ndef unused():\n    return 1\n\n\n\
                   def helper():\n    return 2\n\n\ndef test_nothing():\n    pass\n";
    place.write("tests/test_shop.py", helpers);
    let mut gaps = place.codedb("test-gaps");
    gaps.arg("--json");
    let gaps: Value = serde_json::from_slice(&Answer::of(gaps).stdout).expect("JSON");
    let names: Vec<&Value> =
        gaps["gaps"].as_array().expect("gaps").iter().map(|gap| &gap["function"]).collect();
    assert_eq!(names, ["lonely"], "{gaps}");
    let reply = suggested(&place, &["src/lib.rs"]);
    assert_eq!(reply["untested"], serde_json::json!(["src/lib.rs: lonely"]), "{reply}");
    let reply = suggested(&place, &["tests/test_shop.py"]);
    assert_eq!(reply["untested"], Value::Null, "{reply}");
}
