//! One answer to "which tests": the tools that name tests agree for one edit, on the first test, on
//! "none", and on "run all".

use serde_json::Value;

use crate::support::place::{Answer, Place};

/// Creates a repository with a function that tests reach by calls, one without tests, constants, support
/// code and documentation.
fn place() -> Place {
    let place = Place::new();
    place.write(
        "src/price.py",
        "def of(item):\n    return tax(item) + 1\n\n\ndef tax(item):\n    return item * 2\n\n\ndef lonely(item):\n    return item\n",
    );
    place.write("src/cart.py", "from src.price import of\n\n\ndef total(items):\n    return sum(of(item) for item in items)\n");
    place.write("src/settings.py", "LIMIT = 3\n");
    place.write(
        "tests/test_price.py",
        "from src.price import of\n\n\ndef test_of():\n    assert of(1) == 3\n",
    );
    place.write(
        "tests/test_cart.py",
        "from src.cart import total\n\n\ndef test_total():\n    assert total([1]) == 3\n",
    );
    place.write(
        "tests/test_limits.py",
        "from src.settings import LIMIT\n\n\ndef test_limit():\n    assert LIMIT == 3\n",
    );
    place.write("README.md", "# Shop\n");
    place.write("pyproject.toml", "[project]\nname = \"shop\"\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place
}

fn reply(place: &Place, words: &[&str]) -> Value {
    let mut command = place.codedb(words[0]);
    command.args(&words[1..]);
    if words[0] != "check" {
        command.arg("--no-background");
    }
    command.arg("--json");
    let answer = Answer::of(command);
    serde_json::from_str(&answer.text())
        .unwrap_or_else(|error| panic!("{words:?}: {error}: {}", answer.stderr))
}

/// Returns the first test and whether all should run, as a tool answers.
fn answer(reply: &Value) -> (String, bool) {
    let first = reply["tests"][0]["test_id"].as_str().unwrap_or_default().to_owned();
    (first, reply["run_all"] == true)
}

/// Fails unless all tools agree on the edit of a file; returns their answer.
#[track_caller]
fn check(place: &Place, path: &str, text: &str) -> (String, bool) {
    place.write(path, text);
    let changed = answer(&reply(place, &["suggest-tests"]));
    assert_eq!(answer(&reply(place, &["diff-impact", "--working-tree"])), changed, "{path}");
    let checked = reply(place, &["check"]);
    assert_eq!(checked["tests"][0]["test_id"].as_str().unwrap_or_default(), changed.0, "{checked}");
    let is_unknown = checked["unknown"].to_string().contains("run all tests");
    assert_eq!(is_unknown, changed.1, "{path}: {checked}");
    changed
}

#[test]
fn tools_agree_on_the_tests_of_an_edit() {
    let place = place();
    let text = std::fs::read_to_string(place.root().join("src/price.py")).expect("a file");
    let edited = check(&place, "src/price.py", &text.replace("tax(item) + 1", "tax(item) + 1 + 0"));
    assert_eq!(edited, ("tests/test_price.py::test_of".to_owned(), false));
    let of_function = answer(&reply(&place, &["suggest-tests", "--functions", "of"]));
    assert_eq!(of_function, edited);
    assert_eq!(answer(&reply(&place, &["impact", "--functions", "of"])), edited);
    let explained = reply(&place, &["explain", "of"]);
    assert_eq!(explained["tests"]["list"][0]["test_id"], edited.0.as_str(), "{explained}");
    let file = answer(&reply(&place, &["suggest-tests", "src/price.py"]));
    assert_eq!(file, edited);
    assert_eq!(answer(&reply(&place, &["impact", "src/price.py"])), edited);
    let triaged = reply(&place, &["triage", "--top-n", "3"]);
    let files = triaged["files"].as_array().expect("a list");
    for of in files {
        let path = of["path"].as_str().expect("a path");
        let expected = answer(&reply(&place, &["suggest-tests", path]));
        let first = of["run_tests"][0].as_str().unwrap_or_default().to_owned();
        assert_eq!((first, of["run_all"] == true), expected, "{of}");
    }
    let gaps = reply(&place, &["test-gaps"])["gaps"].to_string();
    assert!(gaps.contains("lonely") && !gaps.contains("\"of\""), "{gaps}");
    place.git(&["checkout", "-q", "."]);
    let edited =
        check(&place, "src/price.py", &text.replace("    return item\n", "    return item or 0\n"));
    let of_function = reply(&place, &["suggest-tests", "--functions", "lonely"]);
    assert_eq!(answer(&of_function), edited, "{of_function}");
    let explained = reply(&place, &["explain", "lonely"]);
    assert_eq!(explained["run_all"] == true, edited.1, "{explained}");
}

#[test]
fn a_named_file_has_the_tests_of_its_uncommitted_edit() {
    let place = place();
    for (path, text, expected) in [
        ("README.md", "# A shop\n", ("", false)),
        ("pyproject.toml", "[project]\nname = \"shops\"\n", ("", true)),
        ("src/settings.py", "LIMIT = 4\n", ("tests/test_limits.py::test_limit", false)),
        (
            "tests/test_limits.py",
            "from src.settings import LIMIT\n\n\ndef test_limit():\n    assert LIMIT == 4\n",
            ("tests/test_limits.py::test_limit", false),
        ),
    ] {
        let changed = check(&place, path, text);
        assert_eq!((changed.0.as_str(), changed.1), expected, "{path}");
        let uncommitted = reply(&place, &["suggest-tests"]);
        for tool in ["suggest-tests", "impact"] {
            let named = reply(&place, &[tool, path]);
            assert_eq!(answer(&named), changed, "{tool} {path}: {named}");
            assert_eq!(named["status"], uncommitted["status"], "{tool} {path}: {named}");
        }
        place.git(&["checkout", "-q", "."]);
    }
}
