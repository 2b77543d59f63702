//! Coverage that a run collects, and what recorded runs show: flaky tests, and tests that fail often.

use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{node_modules, program, run};
use crate::support::place::{Answer, Place};
use crate::support::skipped;

/// Returns the tests that are suggested for a function, each with its source.
fn suggested(place: &Place, path: &str, function: &str) -> Vec<String> {
    let mut command = place.codedb("suggest-tests");
    command.args([path, "--functions", function, "--json"]);
    let answer = Answer::of(command);
    let reply: Value =
        serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    let tests = reply["tests"].as_array().unwrap_or_else(|| panic!("{reply}")).iter();
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<String> =
        tests.map(|of| format!("{} {}", text(&of["source"]), text(&of["test_id"]))).collect();
    found.retain(|line| line.starts_with("coverage "));
    found.sort();
    found
}

/// A function that only a call by its name reaches.
fn python_project() -> Place {
    let place = Place::new();
    place.write(
        "shop.py",
        "def alpha():\n    return 1\n\n\ndef beta():\n    return 2\n\n\n\
         def call(name):\n    return globals()[name]()\n",
    );
    place.write(
        "test_shop.py",
        "import shop\n\n\ndef test_one():\n    assert shop.call('al' + 'pha') == 1\n\n\n\
         def test_two():\n    assert shop.call('be' + 'ta') == 2\n",
    );
    place.index(&["-q", "--stage", "full"]).expect_success();
    place
}

/// Returns pytest if its interpreter has coverage.py.
fn with_coverage() -> Option<()> {
    let pytest = program("pytest")?;
    let python = pytest.with_file_name("python3");
    let has = Command::new(&python).args(["-c", "import coverage"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        skipped::report(&format!("{} has no coverage.py", python.display()));
        return None;
    }
    Some(())
}

#[test]
fn pytest_measures_coverage() {
    if with_coverage().is_none() {
        return;
    }
    let place = python_project();
    let args = ["--coverage", "--", "pytest", "-q", "-p", "no:cacheprovider"];
    let answer = run(&place, &args).expect_success();
    assert!(answer.stderr.contains("imported coverage: "), "{}", answer.stderr);
    assert_eq!(suggested(&place, "shop.py", "alpha"), ["coverage test_shop.py::test_one"]);
    assert_eq!(suggested(&place, "shop.py", "beta"), ["coverage test_shop.py::test_two"]);
    assert!(!place.root().join(".coverage").exists(), "nothing is left in the tree");
}

#[test]
fn go_test_measures_coverage() {
    if program("go").is_none() {
        return;
    }
    let place = Place::new();
    place.write("go.mod", "module example.org/shop\n\ngo 1.18\n");
    place.write(
        "cart/cart.go",
        "package cart\n\nvar all = map[string]func() int{\"a\": alpha, \"b\": beta}\n\n\
         func alpha() int {\n\treturn 1\n}\n\nfunc beta() int {\n\treturn 2\n}\n\n\
         func Call(name string) int {\n\treturn all[name]()\n}\n",
    );
    place.write(
        "cart/cart_test.go",
        "package cart\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif Call(\"a\") != 1 \
         {\n\t\tt.Error()\n\t}\n}\n\nfunc TestTwo(t *testing.T) {\n\tif Call(\"b\") != 2 {\n\t\t\
         t.Error()\n\t}\n}\n",
    );
    place.index(&["-q", "--stage", "full"]).expect_success();
    // A cold cache takes longer than the limit of other tests.
    let mut command = super::command(&place, &["--coverage", "--", "go", "test", "./..."]);
    if let Some(home) = std::env::var_os("HOME") {
        command.env("GOCACHE", std::path::Path::new(&home).join(".cache/go-build"));
    }
    let output = command.output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && stderr.contains("2 tests"), "{stderr}");
    assert_eq!(suggested(&place, "cart/cart.go", "alpha"), ["coverage TestOne"]);
    assert_eq!(suggested(&place, "cart/cart.go", "beta"), ["coverage TestTwo"]);
}

#[test]
fn mocha_measures_coverage() {
    let Some(path) = program("mocha") else { return };
    let place = Place::new();
    place.write("package.json", r#"{"scripts": {"test": "mocha"}}"#);
    place.write(
        "shop.js",
        "const all = {\n  alpha() {\n    return 1;\n  },\n  beta() {\n    return 2;\n  },\n};\n\
         exports.call = name => all[name]();\n",
    );
    place.write(
        "test/shop.spec.js",
        "const {call} = require('../shop.js');\ndescribe('shop', () => {\n  it('one', () => { \
         call('al' + 'pha'); });\n  it('two', () => { call('be' + 'ta'); });\n});\n",
    );
    if let Some(modules) = node_modules(&path) {
        std::os::unix::fs::symlink(modules, place.root().join("node_modules")).expect("a link");
    }
    place.index(&["-q", "--stage", "full"]).expect_success();
    let answer = run(&place, &["--coverage", "--", "mocha", "test/*.js"]).expect_success();
    assert!(answer.stderr.contains("2 tests"), "{}", answer.stderr);
    assert_eq!(suggested(&place, "shop.js", "alpha"), ["coverage test/shop.spec.js > shop > one"]);
    assert_eq!(suggested(&place, "shop.js", "beta"), ["coverage test/shop.spec.js > shop > two"]);
}

#[test]
fn a_runner_without_coverage_says_so() {
    let place = Place::new();
    let answer = run(&place, &["--coverage", "--", "true"]).expect_success();
    assert!(answer.stderr.contains("no coverage was collected"), "{}", answer.stderr);
}

/// In a clone, every file is newer than a report from another machine.
#[test]
fn a_fresh_clone_imports_a_report_by_the_text_of_its_commit() {
    let place = Place::new();
    place.write("shop.py", "def alpha():\n    return 1\n\n\ndef beta():\n    return 2\n");
    place.write("other.py", "def gamma():\n    return 3\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    let day = "2020-01-02T00:00:00Z";
    let commit = |message: &str, date: &str| {
        let mut command = place.command("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        command.args(["commit", "-qam", message]).env("GIT_COMMITTER_DATE", date);
        Answer::of(command).expect_success();
    };
    commit("Begin", day);
    let report = place.base().join("cov.info");
    std::fs::write(
        &report,
        "TN:test_shop.py::test_it\nSF:shop.py\nDA:1,1\nDA:2,1\nDA:5,1\nDA:6,0\nend_of_record\n\
         TN:test_shop.py::test_it\nSF:other.py\nDA:1,1\nDA:2,1\nend_of_record\n",
    )
    .expect("it is ours");
    // Between the commit of which it is and the next one.
    let written = SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_923_200 + 3_600);
    let file = std::fs::File::options().write(true).open(&report).expect("a file");
    file.set_modified(written).expect("it is ours");
    // The lines of `alpha` move, and `beta` is another function now.
    place.write(
        "shop.py",
        "import os\n\n\ndef alpha():\n    return 1\n\n\ndef beta():\n    return 4\n",
    );
    commit("Edit", "2020-01-03T00:00:00Z");
    place.index(&["-q", "--stage", "full"]).expect_success();
    let mut command = place.codedb("data");
    command.arg("coverage").arg(&report);
    let answer = Answer::of(command).expect_success();
    assert!(answer.text().contains("3 functions in 2 files, 1 test"), "{}", answer.text());
    let mut export = place.codedb("data");
    export.arg("export");
    let text = Answer::of(export).text();
    let names: Vec<&str> = ["alpha", "beta", "gamma"]
        .into_iter()
        .filter(|name| text.contains(&format!("\"name\":\"{name}\"")))
        .collect();
    assert_eq!(names, ["alpha", "beta", "gamma"]);
}

#[test]
fn flaky_tests_are_listed_and_tests_that_fail_come_first() {
    if program("pytest").is_none() {
        return;
    }
    let place = Place::new();
    place.write("shop.py", "def alpha():\n    return 1\n");
    place.write(
        "test_shop.py",
        "import os\n\nfrom shop import alpha\n\n\ndef test_a():\n    assert alpha() == 1\n\n\n\
         def test_z():\n    assert alpha() == int(os.environ.get('FACTOR', '1'))\n",
    );
    place.write(".gitignore", "__pycache__/\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place.index(&["-q", "--stage", "full"]).expect_success();
    let flaky = |args: &[&str]| {
        let mut command = place.codedb("flaky");
        command.args(args);
        Answer::of(command)
    };
    let none = flaky(&[]);
    assert_eq!((none.code, none.text().as_str()), (1, ""));
    let pytest = ["--", "pytest", "-q", "-p", "no:cacheprovider"];
    for factor in ["1", "2", "2", "1"] {
        let mut command = super::command(&place, &pytest);
        command.env("FACTOR", factor);
        crate::support::process::output(command, None);
    }
    let reply = flaky(&["--json"]).expect_success();
    let reply: Value = serde_json::from_slice(&reply.stdout).expect("JSON");
    assert_eq!((&reply["total"], &reply["shown"]), (&Value::from(1), &Value::from(1)), "{reply}");
    let test = &reply["tests"][0];
    assert_eq!(test["test"], "test_shop.py::test_z");
    let counts = ["flips", "pairs", "failures", "results", "runs"].map(|name| test[name].as_u64());
    assert_eq!(counts, [2, 3, 2, 4, 4].map(Some));
    assert!(test["last_failure_ms"].as_u64() > Some(1_600_000_000_000), "{reply}");
    let text = flaky(&[]).expect_success().text();
    assert!(text.starts_with("2 of 3 flipped  2 of 4 failed  4 runs  last failure "), "{text}");
    assert_eq!(flaky(&["--limit", "0"]).expect_success().text(), "0 of 1 flaky tests shown\n");
    // Both tests are equally likely; without a failure, the first one would come first.
    let mut command = place.codedb("suggest-tests");
    command.args(["shop.py", "--functions", "alpha", "--json"]);
    let reply: Value = serde_json::from_slice(&Answer::of(command).stdout).expect("JSON");
    assert_eq!(reply["tests"][0]["test_id"], "test_shop.py::test_z", "{reply}");
    assert_eq!(reply["tests"][0]["components"]["failure_rate"], 0.4, "{reply}");
    assert_eq!(reply["tests"][1]["components"]["failure_rate"], Value::Null, "{reply}");
}
