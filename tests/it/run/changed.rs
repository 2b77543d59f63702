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
pub(super) fn test(place: &Place, args: &[&str]) -> Command {
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

#[test]
fn only_staged_files_select() {
    let place = repository();
    place.write("cart.py", "def cart(x):\n    return 1 + x\n");
    place.git(&["add", "cart.py"]);
    place.write("price.py", "def price(x):\n    return 1 + x\n");
    let staged = run(&place, &["--staged", "--dry-run"]);
    assert_eq!(staged.text(), "pytest tests/test_cart.py::test_cart\n", "{}", staged.stderr);
    assert!(staged.stderr.contains("left out: "), "{}", staged.stderr);
    place.git(&["reset", "-q"]);
    let none = run(&place, &["--staged", "--dry-run"]);
    assert_eq!((none.code, none.text().as_str()), (0, ""), "{}", none.stderr);
}

/// The names of the test files in commands, sorted.
fn files(text: &str) -> Vec<String> {
    let words = text.split_whitespace().filter(|word| word.starts_with("tests/"));
    let mut found: Vec<String> =
        words.map(|word| word.split("::").next().unwrap_or(word).to_owned()).collect();
    found.sort();
    found
}

#[test]
fn shards_are_disjoint_and_together_everything() {
    let place = repository();
    place.write("cart.py", "def cart(x):\n    return 1 + x\n");
    place.write("price.py", "def price(x):\n    return 1 + x\n");
    let shards = |place: &Place| -> Vec<String> {
        let all = (1..=3).map(|at| format!("{at}/3"));
        let mut found: Vec<String> = all
            .flat_map(|shard| files(&run(place, &["--dry-run", "--shard", &shard]).text()))
            .collect();
        found.sort();
        found
    };
    assert_eq!(shards(&place), ["tests/test_cart.py", "tests/test_price.py"]);
    let empty = run(&place, &["--shard", "3/3"]);
    assert_eq!(empty.code, 0, "{}", empty.stderr);
    assert!(empty.stderr.contains("shard 3/3 has 0 of 2 tests"), "{}", empty.stderr);
    // Where all tests run, every test file is in one shard.
    place.write("pyproject.toml", "[project]\nname = \"a\"\n");
    let mut expected: Vec<String> =
        (0..10).map(|number| format!("tests/test_{number}.py")).collect();
    expected.extend(["tests/test_cart.py".to_owned(), "tests/test_price.py".to_owned()]);
    assert_eq!(shards(&place), expected);
    assert_eq!(run(&place, &["--shard", "4/3"]).code, 2);
}

#[test]
fn a_command_that_runs_no_test_is_no_success() {
    if program("pytest").is_none() {
        return;
    }
    let place = repository();
    place.write("cart.py", "def cart(x):\n    return 1 + x\n");
    let nothing = run(&place, &["--", "-p", "no:cacheprovider", "-k", "nosuch"]);
    assert_eq!(nothing.code, 2, "{}", nothing.stderr);
    assert!(nothing.stderr.contains("selected nothing"), "{}", nothing.stderr);
}

#[test]
fn failures_are_named_as_they_come_and_other_projects_run_at_once() {
    if program("pytest").is_none() {
        return;
    }
    let place = repository();
    for name in ["one", "two"] {
        place.write(format!("{name}/pytest.ini"), "[pytest]\npythonpath = .\n");
        place.write(format!("{name}/{name}.py"), format!("def {name}():\n    return 1\n"));
        place.write(
            format!("{name}/test_{name}.py"),
            format!(
                "from {name} import {name}\n\n\ndef test_{name}():\n    assert {name}() == 1\n"
            ),
        );
    }
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "More"]);
    place.write("one/one.py", "def one():\n    return 2\n");
    place.write("two/two.py", "def two():\n    return 1 * 1\n");
    let answer = run(&place, &["--", "-p", "no:cacheprovider"]);
    assert_eq!(answer.code, 1, "{}{}", answer.text(), answer.stderr);
    assert!(answer.stderr.contains("codedb: failed test_one.py::test_one\n"), "{}", answer.stderr);
    let text = answer.text();
    assert!(text.contains("[one] ") && text.contains("[two] "), "{text}");
    let mut all: Vec<String> = recorded(&place).iter().flat_map(results).collect();
    all.sort();
    assert_eq!(all, ["failed one/test_one.py::test_one", "passed two/test_two.py::test_two"]);
}

#[test]
fn unmerged_files_and_thousands_of_changes_are_answered() {
    let place = repository();
    place.git(&["checkout", "-q", "-b", "other"]);
    place.write("cart.py", "def cart(x):\n    return x + 2 - 1\n");
    place.git(&["commit", "-qam", "Other"]);
    place.git(&["checkout", "-q", "main"]);
    place.write("cart.py", "def cart(x):\n    return 2 + x - 1\n");
    place.git(&["commit", "-qam", "Main"]);
    let mut merge = place.command("git");
    merge.args(["-c", "user.name=a", "-c", "user.email=a@example.com", "merge", "-q", "other"]);
    assert_eq!(Answer::of(merge).code, 1);
    for args in [&["--dry-run"][..], &["--dry-run", "--staged"]] {
        let answer = run(&place, args);
        assert!(answer.text().contains("pytest"), "{args:?} {}", answer.stderr);
    }
    place.git(&["checkout", "-q", "-f", "main"]);
    for number in 0..5_000 {
        place.write(format!("many/m{number}.py"), format!("def f{number}():\n    pass\n"));
    }
    let many = run(&place, &["--dry-run"]);
    assert_eq!(many.text(), "pytest\n", "{}", many.stderr);
    assert!(many.stderr.contains("run all"), "{}", many.stderr);
}
