//! `codedb test`: it runs the tests of the changes, and all tests where it is not known which.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::{command, program, recorded, results};
use crate::support::place::{Answer, Place};
use crate::support::process::output;

/// A repository with two modules and a test file for each; enough files that no selection is nearly all.
fn repository() -> Place {
    let place = Place::new();
    for name in ["cart", "price"] {
        place.write(format!("{name}.py"), format!("def {name}(x):\n    return x + 1\n"));
        place.write(
            format!("tests/test_{name}.py"),
            format!(
                "from {name} import {name}\n\n\ndef test_{name}():\n    assert {name}(1) == 2\n"
            ),
        );
    }
    for number in 0..10 {
        place.write(format!("tests/test_{number}.py"), "def test_it():\n    pass\n");
    }
    place.write("conftest.py", "");
    place.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place.index(&["-q", "--stage", "full"]).expect_success();
    place
}

/// Returns `codedb test ARGS` in the tree.
fn test(place: &Place, args: &[&str]) -> Command {
    let with_run = command(place, &[]);
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    for (name, value) in with_run.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.args(["test", "--root"]).arg(place.root());
    command.args(["--index-dir".as_ref(), place.cache().as_os_str()]).args(args);
    command
}

fn run(place: &Place, args: &[&str]) -> Answer {
    let (output, hung) = output(test(place, args), None);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!hung, "hangs: {args:?}\n{stderr}");
    Answer { stdout: output.stdout, stderr, code: output.status.code().expect("an exit code") }
}

#[test]
fn the_tests_of_the_changes_are_selected() {
    let place = repository();
    let nothing = run(&place, &["--dry-run"]);
    assert_eq!((nothing.code, nothing.text().as_str()), (0, ""), "{}", nothing.stderr);
    assert!(nothing.stderr.contains("nothing differs"), "{}", nothing.stderr);
    place.write("cart.py", "def cart(x):\n    return 1 + x\n");
    let one = run(&place, &["--dry-run"]);
    assert_eq!(one.text(), "pytest tests/test_cart.py::test_cart\n", "{}", one.stderr);
    place.write("pyproject.toml", "[project]\nname = \"a\"\n");
    let all = run(&place, &["--dry-run"]);
    assert_eq!(all.text(), "pytest\n");
    assert!(all.stderr.contains("pyproject.toml is configuration"), "{}", all.stderr);
    let unknown = run(&place, &["--base", "nosuch"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("is not a commit"), "{}", unknown.stderr);
    std::fs::remove_dir_all(place.root().join(".git")).expect("it is there");
    let none = run(&place, &[]);
    assert!(none.code == 2 && none.stderr.contains("not in a git repository"), "{}", none.stderr);
}

#[test]
fn without_a_command_nothing_is_called_a_success() {
    let place = Place::new();
    place.write("main.c", "int main(void) { return 0; }\n");
    place.write("Makefile", "all:\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place.write("Makefile", "all: main\n");
    for args in [&["--dry-run"][..], &[]] {
        let answer = run(&place, args);
        assert_eq!(answer.code, 2, "{}", answer.stderr);
        assert!(answer.stderr.contains("Makefile is configuration"), "{}", answer.stderr);
        assert!(answer.stderr.contains("no command is known"), "{}", answer.stderr);
    }
}

#[test]
fn they_run_and_their_results_are_recorded() {
    if program("pytest").is_none() {
        return;
    }
    let place = repository();
    place.write("cart.py", "def cart(x):\n    return 1 + x\n");
    let passed = run(&place, &["--", "-p", "no:cacheprovider"]);
    assert_eq!(passed.code, 0, "{}{}", passed.text(), passed.stderr);
    let recorded_results = |at: usize| results(&recorded(&place)[at]);
    assert_eq!(recorded_results(0), ["passed tests/test_cart.py::test_cart"]);
    place.write("price.py", "def price(x):\n    return x\n");
    let failed = run(&place, &["--", "-p", "no:cacheprovider"]);
    assert_eq!(failed.code, 1, "{}{}", failed.text(), failed.stderr);
    assert_eq!(
        recorded_results(1),
        ["failed tests/test_price.py::test_price", "passed tests/test_cart.py::test_cart"]
    );
}

#[test]
fn a_change_runs_them_again() {
    if program("pytest").is_none() {
        return;
    }
    let place = repository();
    let mut child = test(&place, &["--watch", "--", "-p", "no:cacheprovider", "-q"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let mut wait_for = |text: &str| {
        let found = lines.by_ref().map_while(Result::ok).any(|line| line.contains(text));
        assert!(found, "no line with {text:?}");
    };
    wait_for("waiting for a change");
    place.write("cart.py", "def cart(x):\n    return 1 + x\n");
    wait_for("running pytest tests/test_cart.py::test_cart");
    wait_for("waiting for a change");
    place.write("price.py", "def price(x):\n    return 1 + x\n");
    wait_for("2 tests selected");
    wait_for("waiting for a change");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert_eq!(recorded(&place).len(), 2);
}
