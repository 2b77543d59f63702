//! Kinds of changes: each ends as tests or as the advice to run all of them, and `none` is said only of
//! changes that alter nothing.

use std::fs;

use serde_json::Value;

use crate::support::place::{Answer, Place};

/// What the selection for a change must be.
enum Expected {
    /// Tests in these files, and perhaps others.
    Tests(&'static [&'static str]),
    /// All tests, because of this path.
    All(&'static str),
    /// No test: nothing that runs differs.
    None,
}

use Expected::{All, None as Nothing, Tests};

/// A repository with Python and JavaScript, and with files of every kind that a change can concern.
fn repository() -> Place {
    let place = Place::new();
    for (path, text) in [
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("requirements.txt", "requests\n"),
        ("README.md", "# Shop\n"),
        ("src/__init__.py", ""),
        (
            "src/conf.py",
            "import os\n\nLIMIT = 3\n\n\ndef within(x):\n    return x < LIMIT\n\n\ndef spare(x):\n    \
             return os.getcwd() + x\n",
        ),
        ("src/settings.py", "RATE = 2\nNAME = 'shop'\n"),
        ("src/far.py", "from src.conf import within\n\n\ndef far(x):\n    return within(x)\n"),
        ("src/lonely.py", "VALUE = 1\n"),
        ("data/sample.json", "{\"a\": 1}\n"),
        ("data/orphan.bin", "x\n"),
        ("templates/page.html", "<p>hello</p>\n"),
        ("src/render.py", "def page():\n    return open('templates/page.html').read()\n"),
        (
            "tests/conftest.py",
            "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef clean():\n    yield\n\n\n\
             def pytest_collection_modifyitems(items):\n    items.reverse()\n",
        ),
        (
            "tests/test_conf.py",
            "from src.conf import spare, within\n\n\ndef test_within():\n    assert within(1)\n\n\n\
             def test_spare():\n    assert spare('x')\n",
        ),
        ("tests/test_far.py", "from src.far import far\n\n\ndef test_far():\n    assert far(1)\n"),
        (
            "tests/test_settings.py",
            "from src import settings\n\n\ndef test_rate():\n    assert settings.RATE == 2\n",
        ),
        (
            "tests/test_data.py",
            "import json\n\n\ndef test_sample():\n    assert json.load(open('data/sample.json'))\n",
        ),
        (
            "tests/test_render.py",
            "from src.render import page\n\n\ndef test_page():\n    assert page()\n",
        ),
        ("docs/text.md", "# Text\n"),
        ("tests/test_text.py", "def test_text():\n    assert open('docs/text.md').read()\n"),
        ("src/plugins/one.py", "NAME = 'one'\n"),
        (
            "tests/test_plugins.py",
            "import glob\n\n\ndef test_plugins():\n    assert glob.glob('src/plugins/*.py')\n",
        ),
        ("tests/fixtures/sample.py", "# a sample\nX = 1\n"),
        ("NOTICE", "all rights\n"),
        ("tests/test_notice.py", "def test_notice():\n    assert open('NOTICE').read()\n"),
        ("data/one/rates.json", "{}\n"),
        ("data/two/rates.json", "{}\n"),
        (
            "tests/test_rates.py",
            "def test_rates():\n    assert open('data/one/rates.json').read()\n",
        ),
        ("src/pack/__init__.py", "DEPTH = 1\n"),
        ("src/pack/core.py", "def core():\n    return 1\n"),
        (
            "tests/test_pack.py",
            "from src.pack.core import core\n\n\ndef test_core():\n    assert core()\n",
        ),
        (
            "tests/test_depth.py",
            "from src.pack import DEPTH\n\n\ndef test_depth():\n    assert DEPTH\n",
        ),
        (
            "src/deco.py",
            "def cached(f):\n    def wrapper(*args):\n        return f(*args)\n    return wrapper\n",
        ),
        ("src/quick.py", "from src.deco import cached\n\n\n@cached\ndef quick():\n    return 1\n"),
        (
            "tests/test_quick.py",
            "from src.quick import quick\n\n\ndef test_quick():\n    assert quick()\n",
        ),
        ("src/fields.py", "def field(x):\n    return x\n"),
        ("src/model.py", "from src.fields import field\n\n\nclass Model:\n    size = field(1)\n"),
        (
            "tests/test_model.py",
            "from src.model import Model\n\n\ndef test_model():\n    assert Model.size\n",
        ),
        (
            "tests/test_sample.py",
            "def test_sample():\n    assert open('tests/fixtures/sample.py').read()\n",
        ),
        ("tests/test_other.py", "def test_other():\n    assert True\n"),
        ("package.json", "{\"devDependencies\": {\"jest\": \"29\"}}\n"),
        ("package-lock.json", "{}\n"),
        ("jest.config.js", "module.exports = { setupFilesAfterEnv: ['./js/setup.js'] };\n"),
        ("tsconfig.json", "{}\n"),
        ("js/setup.js", "global.answer = 42;\n"),
        (
            "js/cart.js",
            "const RATE = 2;\nfunction add(a, b) { return a + b; }\nmodule.exports = { add };\n",
        ),
        (
            "js/cart.test.js",
            "const { add } = require('./cart');\ntest('adds', () => { expect(add(1, 2)).toBe(3); });\n",
        ),
        ("js/__snapshots__/cart.test.js.snap", "exports[`adds 1`] = `3`;\n"),
        ("js/other.test.js", "test('other', () => {});\n"),
    ] {
        place.write(path, text);
    }
    // So many that no selection is nearly everything.
    for number in 0..24 {
        place.write(format!("tests/many/test_{number}.py"), "def test_it():\n    assert True\n");
    }
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place.index(&["-q", "--stage", "full"]).expect_success();
    place
}

fn edit(place: &Place, path: &str, from: &str, to: &str) {
    let text = fs::read_to_string(place.root().join(path)).expect("a file");
    assert!(text.contains(from), "{path} has no {from:?}");
    place.write(path, text.replacen(from, to, 1));
}

type Change = (&'static str, fn(&Place), Expected);

/// The kinds of changes.
fn changes() -> Vec<Change> {
    let conf: &[&str] = &["tests/test_conf.py", "tests/test_far.py"];
    vec![
        (
            "an edited function",
            |of| edit(of, "src/conf.py", "x < LIMIT", "x <= LIMIT"),
            Tests(conf),
        ),
        (
            "a deleted function",
            |of| edit(of, "src/conf.py", "def spare(x):\n    return os.getcwd() + x\n", ""),
            Tests(&["tests/test_conf.py"]),
        ),
        (
            "a renamed function",
            |of| edit(of, "src/conf.py", "def spare", "def other"),
            Tests(&["tests/test_conf.py"]),
        ),
        (
            "a statement at module level",
            |of| edit(of, "src/conf.py", "LIMIT = 3\n", "LIMIT = 3\nraise SystemExit(1)\n"),
            Tests(conf),
        ),
        (
            "an if at module level",
            |of| {
                edit(
                    of,
                    "src/conf.py",
                    "LIMIT = 3\n",
                    "LIMIT = 3\nif os.name == 'nt':\n    LIMIT = 4\n",
                );
            },
            Tests(conf),
        ),
        ("a removed import", |of| edit(of, "src/conf.py", "import os\n", ""), Tests(conf)),
        (
            "an added import",
            |of| edit(of, "src/conf.py", "import os\n", "import os\nimport sys\n"),
            Tests(conf),
        ),
        ("a constant", |of| edit(of, "src/conf.py", "LIMIT = 3", "LIMIT = 4"), Tests(conf)),
        (
            "a module of constants",
            |of| edit(of, "src/settings.py", "RATE = 2", "RATE = 3"),
            Tests(&["tests/test_settings.py"]),
        ),
        (
            "a module that nothing loads",
            |of| edit(of, "src/lonely.py", "VALUE = 1", "VALUE = 2"),
            All("src/lonely.py"),
        ),
        ("a moved file", |of| drop(of.git(&["mv", "src/conf.py", "src/limits.py"])), Tests(conf)),
        (
            "a moved file that git does not know",
            |of| {
                let root = of.root();
                fs::rename(root.join("src/conf.py"), root.join("src/limits.py")).expect("moved");
            },
            Tests(conf),
        ),
        ("a deleted file", |of| drop(of.git(&["rm", "-q", "src/conf.py"])), Tests(conf)),
        (
            "a deleted file that git does not know",
            |of| fs::remove_file(of.root().join("src/conf.py")).expect("removed"),
            Tests(conf),
        ),
        (
            "a deleted file that nothing loaded",
            |of| fs::remove_file(of.root().join("src/lonely.py")).expect("removed"),
            All("src/lonely.py"),
        ),
        (
            "an autouse fixture",
            |of| edit(of, "tests/conftest.py", "    yield\n", "    yield 1\n"),
            Tests(&["tests/test_other.py", "tests/many/test_0.py"]),
        ),
        (
            "a hook of the runner",
            |of| edit(of, "tests/conftest.py", "items.reverse()", "items.sort()"),
            Tests(&["tests/test_other.py", "tests/many/test_0.py"]),
        ),
        (
            "a deleted conftest",
            |of| fs::remove_file(of.root().join("tests/conftest.py")).expect("removed"),
            All("tests/conftest.py"),
        ),
        ("a manifest", |of| edit(of, "pyproject.toml", "shop", "mart"), All("pyproject.toml")),
        ("requirements", |of| of.write("requirements.txt", "flask\n"), All("requirements.txt")),
        ("a new configuration", |of| of.write("pytest.ini", "[pytest]\n"), All("pytest.ini")),
        ("package.json", |of| edit(of, "package.json", "29", "30"), All("package.json")),
        ("a lock file", |of| of.write("package-lock.json", "{ }\n"), All("package-lock.json")),
        ("jest.config.js", |of| edit(of, "jest.config.js", "setup", "set"), All("jest.config.js")),
        ("tsconfig.json", |of| of.write("tsconfig.json", "{\"a\": 1}\n"), All("tsconfig.json")),
        (
            "a workflow",
            |of| of.write(".github/workflows/ci.yml", "on: push\n"),
            All(".github/workflows/ci.yml"),
        ),
        (
            "a file that the runner loads",
            |of| edit(of, "js/setup.js", "42", "43"),
            All("js/setup.js"),
        ),
        (
            "a snapshot",
            |of| edit(of, "js/__snapshots__/cart.test.js.snap", "3", "4"),
            Tests(&["js/cart.test.js"]),
        ),
        (
            "data that a test opens",
            |of| of.write("data/sample.json", "{}\n"),
            Tests(&["tests/test_data.py"]),
        ),
        (
            "data that code opens",
            |of| of.write("templates/page.html", "<p>bye</p>\n"),
            Tests(&["tests/test_render.py"]),
        ),
        (
            "deleted data",
            |of| fs::remove_file(of.root().join("data/sample.json")).expect("removed"),
            Tests(&["tests/test_data.py"]),
        ),
        (
            "data that nothing names",
            |of| of.write("data/orphan.bin", "y\n"),
            All("data/orphan.bin"),
        ),
        (
            "an edited test",
            |of| edit(of, "tests/test_other.py", "assert True", "assert 1"),
            Tests(&["tests/test_other.py"]),
        ),
        (
            "a new test",
            |of| of.write("tests/test_new.py", "def test_new():\n    pass\n"),
            Tests(&["tests/test_new.py"]),
        ),
        (
            "a function in JavaScript",
            |of| edit(of, "js/cart.js", "a + b", "b + a"),
            Tests(&["js/cart.test.js"]),
        ),
        (
            "a constant in JavaScript",
            |of| edit(of, "js/cart.js", "RATE = 2", "RATE = 3"),
            Tests(&["js/cart.test.js"]),
        ),
        (
            "a deleted file in JavaScript",
            |of| fs::remove_file(of.root().join("js/cart.js")).expect("removed"),
            Tests(&["js/cart.test.js"]),
        ),
        (
            "an export that is gone",
            |of| edit(of, "js/cart.js", "module.exports = { add };", "module.exports = {};"),
            Tests(&["js/cart.test.js"]),
        ),
        (
            "documentation that a test reads",
            |of| of.write("docs/text.md", "# Other\n"),
            Tests(&["tests/test_text.py"]),
        ),
        (
            "documentation and a file that is no text any more",
            |of| {
                of.write("README.md", "# Mart\n");
                of.write("src/settings.py", "RATE = 2\0\n");
            },
            Tests(&["tests/test_settings.py"]),
        ),
        (
            "an encoding",
            |of| edit(of, "src/settings.py", "RATE", "# This is in coding: latin-1\nRATE"),
            Tests(&["tests/test_settings.py"]),
        ),
        (
            "a comment of code that a test reads",
            |of| edit(of, "tests/fixtures/sample.py", "# a sample", "# another sample"),
            Tests(&["tests/test_sample.py"]),
        ),
        (
            "a new package that takes the place of a module",
            |of| {
                edit(of, "src/conf.py", "x < LIMIT", "x <= LIMIT");
                of.write("src/settings/__init__.py", "RATE = 4\n");
            },
            Tests(&["tests/test_settings.py", "tests/test_conf.py"]),
        ),
        (
            "a new file that is found by a pattern, next to an edited function",
            |of| {
                edit(of, "src/conf.py", "x < LIMIT", "x <= LIMIT");
                of.write("src/plugins/two.py", "NAME = 'two'\n");
            },
            Tests(&["tests/test_plugins.py", "tests/test_conf.py"]),
        ),
        (
            "a new file that nothing loads, next to an edited function",
            |of| {
                edit(of, "src/conf.py", "x < LIMIT", "x <= LIMIT");
                of.write("src/alone.py", "def alone():\n    return 1\n");
            },
            All("src/alone.py"),
        ),
        (
            "a new module with its test",
            |of| {
                of.write("src/fresh.py", "def fresh():\n    return 1\n");
                of.write(
                    "tests/test_fresh.py",
                    "from src.fresh import fresh\n\n\ndef test_fresh():\n    assert fresh()\n",
                );
            },
            Tests(&["tests/test_fresh.py"]),
        ),
        (
            "documentation in capitals that a test reads",
            |of| of.write("NOTICE", "no rights\n"),
            Tests(&["tests/test_notice.py"]),
        ),
        (
            "data with the name of other data",
            |of| of.write("data/two/rates.json", "{ }\n"),
            All("data/two/rates.json"),
        ),
        (
            "the file of a package whose modules are imported",
            |of| edit(of, "src/pack/__init__.py", "1", "2"),
            Tests(&["tests/test_depth.py", "tests/test_pack.py"]),
        ),
        (
            "a decorator",
            |of| edit(of, "src/deco.py", "return f(*args)", "return f(*args) or None"),
            Tests(&["tests/test_quick.py"]),
        ),
        (
            "a function that the body of a class calls",
            |of| edit(of, "src/fields.py", "return x", "return x + 1"),
            Tests(&["tests/test_model.py"]),
        ),
        ("documentation", |of| of.write("README.md", "# Mart\n"), Nothing),
        (
            "a comment",
            |of| edit(of, "src/settings.py", "RATE = 2", "# per hour\nRATE = 2"),
            Nothing,
        ),
        ("an ignore file", |of| of.write(".gitignore", "*.pyc\n"), Nothing),
    ]
}

fn reply(place: &Place, command: &str, args: &[&str]) -> Value {
    let mut command = place.codedb(command);
    command.args(args).args(["--limit", "200", "--max-tokens", "20000", "--json"]);
    let answer = Answer::of(command);
    serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr))
}

/// Returns what is wrong with a selection.
fn fault(reply: &Value, expected: &Expected) -> Option<String> {
    let paths: Vec<&str> = reply["tests"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|test| test["path"].as_str())
        .collect();
    let is_all = reply["run_all"] == true;
    let commands = reply["commands"].as_array().map_or(0, Vec::len);
    let is_right = match expected {
        Tests(files) => files.iter().all(|file| paths.contains(file)) && commands > 0,
        All(path) => {
            let unknown = reply["unknown"].as_array().into_iter().flatten();
            let is_named = unknown.filter_map(|of| of["path"].as_str()).any(|of| of == *path);
            is_all && is_named && commands > 0 && reply["status"] == "partial"
        }
        Nothing => !is_all && paths.is_empty() && commands == 0 && reply["status"] == "no_edges",
    };
    (!is_right).then(|| format!("{} {} {reply}", reply["status"], reply["message"]))
}

#[test]
fn every_kind_of_change_has_tests_or_runs_all() {
    let place = repository();
    let mut faults = Vec::new();
    let changes = changes();
    assert!(changes.len() >= 40, "{}", changes.len());
    for (name, change, expected) in &changes {
        change(&place);
        for (command, args) in [("suggest-tests", &[][..]), ("diff-impact", &["--working-tree"])] {
            if let Some(fault) = fault(&reply(&place, command, args), expected) {
                faults.push(format!("{name} ({command}): {fault}"));
            }
        }
        place.git(&["reset", "-q", "--hard"]);
        place.git(&["clean", "-q", "-fd"]);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn files_of_a_submodule_are_compared_with_its_commit() {
    let inner = Place::new();
    inner.write("price.py", "def price(x):\n    return x\n");
    inner.git(&["init", "-q", "-b", "main"]);
    inner.git(&["add", "-A"]);
    inner.git(&["commit", "-q", "-m", "Begin"]);
    let place = repository();
    let url = inner.root().display().to_string();
    place.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "lib"]);
    place.write(
        "tests/test_price.py",
        "from lib.price import price\n\n\ndef test_price():\n    assert price(1)\n",
    );
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Use prices"]);
    let in_lib = |args: &[&str]| {
        let folder = place.root().join("lib");
        place.git(&[&["-C", folder.to_str().expect("UTF-8")], args].concat());
    };
    let expected = Tests(&["tests/test_price.py"]);
    let check = |what: &str, expected: &Expected| {
        let fault = fault(&reply(&place, "suggest-tests", &[]), expected);
        assert!(fault.is_none(), "{what}: {fault:?}");
    };
    edit(&place, "lib/price.py", "return x", "return 2 * x");
    check("an edit", &expected);
    in_lib(&["commit", "-qam", "Double it"]);
    check("a commit", &expected);
    place.git(&["add", "lib"]);
    check("a staged commit", &expected);
    place.git(&["commit", "-q", "-m", "Take the newer one"]);
    place.git(&["submodule", "--quiet", "deinit", "-f", "lib"]);
    place.git(&["update-index", "--cacheinfo", &format!("160000,{},lib", "1".repeat(40))]);
    check("another commit without its files", &All("lib"));
}

#[test]
fn documentation_with_examples_that_pytest_runs_is_unknown() {
    let place = repository();
    place.write("pytest.ini", "[pytest]\naddopts = --doctest-glob=*.md\n");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Run examples"]);
    place.write("README.md", "# Mart\n");
    let fault = fault(&reply(&place, "suggest-tests", &[]), &All("README.md"));
    assert!(fault.is_none(), "{fault:?}");
}

#[test]
fn a_failure_of_git_is_no_success() {
    let place = repository();
    edit(&place, "src/conf.py", "x < LIMIT", "x <= LIMIT");
    place.write(".git/index", "xx");
    for command in ["test", "check"] {
        let answer = Answer::of(place.codedb(command));
        assert_eq!(answer.code, 2, "{command}: {}", answer.stderr);
    }
}

#[test]
fn what_is_staged_and_not_in_the_work_tree_is_unknown() {
    let place = repository();
    edit(&place, "src/conf.py", "x < LIMIT", "x <= LIMIT");
    place.git(&["add", "src/conf.py"]);
    edit(&place, "src/conf.py", "x <= LIMIT", "x < LIMIT");
    let mut command = place.codedb("test");
    command.args(["--staged", "--dry-run"]);
    let answer = Answer::of(command);
    assert!(answer.stderr.contains("is staged with another text"), "{}", answer.stderr);
    assert!(!answer.text().is_empty(), "{}", answer.stderr);
}

#[test]
fn what_is_gone_and_used_still_is_no_low_risk() {
    let place = repository();
    let changes: [(&str, fn(&Place)); 3] = [
        ("`spare` of src/conf.py is gone, and tests/test_conf.py names it", |of| {
            edit(of, "src/conf.py", "def spare", "def other");
        }),
        ("src/conf.py is gone, and src/far.py imports it", |of| {
            drop(of.git(&["mv", "src/conf.py", "src/limits.py"]));
        }),
        ("src/conf.py is gone, and src/far.py imports it", |of| {
            drop(of.git(&["rm", "-q", "src/conf.py"]));
        }),
    ];
    for (reason, change) in changes {
        change(&place);
        let mut command = place.codedb("check");
        command.arg("--json");
        let answer = Answer::of(command);
        let reply: Value = serde_json::from_slice(&answer.stdout).expect("JSON");
        assert_ne!(reply["level"], "LOW", "{reason}: {reply}");
        assert!(reply["reasons"].to_string().contains(reason), "{reason}: {reply}");
        place.git(&["reset", "-q", "--hard"]);
    }
}
