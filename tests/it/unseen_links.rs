//! Tests that no call in the text connects with the change: those that only a configuration collects,
//! that run a program, that include shared examples, or that a hook surrounds.

use std::fs;

use serde_json::Value;

use crate::support::place::{Answer, Place};

/// The least score of a likely test.
const LIKELY_MIN: f64 = 0.1;

/// Returns a committed and indexed repository with these files.
fn repository(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (path, text) in files {
        place.write(path, text);
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

fn reply(place: &Place, tool: &str, args: &[&str]) -> Value {
    let mut command = place.codedb(tool);
    command.args(args).args(["--limit", "200", "--max-tokens", "20000", "--json"]);
    let answer = Answer::of(command);
    serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr))
}

/// Returns the ids of the likely tests of a reply.
fn likely(reply: &Value) -> Vec<&str> {
    let tests = reply["tests"].as_array().into_iter().flatten();
    let tests = tests.filter(|test| test["score"].as_f64().is_some_and(|of| of >= LIKELY_MIN));
    tests.filter_map(|test| test["test_id"].as_str()).collect()
}

fn commands(reply: &Value) -> Vec<&str> {
    reply["commands"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A case: its files, the edit, the tests that must be likely, and a part of a command.
struct Case {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    edit: (&'static str, &'static str, &'static str),
    tests: &'static [&'static str],
    command: &'static str,
}

/// Checks cases, for both tools that take changes.
#[track_caller]
fn check(cases: &[Case]) {
    let mut faults = Vec::new();
    for case in cases {
        let place = repository(case.files);
        edit(&place, case.edit.0, case.edit.1, case.edit.2);
        for (tool, args) in [("suggest-tests", &[][..]), ("diff-impact", &["--working-tree"])] {
            let reply = reply(&place, tool, args);
            let found = likely(&reply);
            let is_right = case.tests.iter().all(|test| found.contains(test))
                && commands(&reply).iter().any(|command| command.contains(case.command));
            if !is_right {
                faults.push(format!("{} ({tool}): {found:?}\n{reply}", case.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

const PACKAGE: (&str, &str) = (
    "package.json",
    "{\"scripts\": {\"test\": \"jest\"}, \"devDependencies\": {\"jest\": \"29\"}}\n",
);

const CONF: &str = "LIMIT = 3\n\n\ndef within(x):\n    return x < LIMIT\n";

const CONF_EDIT: (&str, &str, &str) = ("src/conf.py", "x < LIMIT", "x <= LIMIT");

#[test]
fn what_only_the_configuration_of_pytest_collects_is_a_test() {
    check(&[
        Case {
            name: "files",
            files: &[
                ("pytest.ini", "[pytest]\npython_files = check_*.py test_*.py\n"),
                ("src/__init__.py", ""),
                ("src/conf.py", CONF),
                (
                    "checks/check_conf.py",
                    "from src.conf import within\n\n\ndef test_within():\n    assert within(1)\n",
                ),
            ],
            edit: CONF_EDIT,
            tests: &["checks/check_conf.py::test_within"],
            command: "checks/check_conf.py::test_within",
        },
        Case {
            name: "files of a project below the root, in a list",
            files: &[
                (
                    "web/pyproject.toml",
                    "[tool.pytest.ini_options]\naddopts = \"-q\"\npython_files = [\n  'check_*.py',\n]\n",
                ),
                ("web/conf.py", CONF),
                (
                    "web/check_conf.py",
                    "from conf import within\n\n\ndef test_within():\n    assert within(1)\n",
                ),
            ],
            edit: ("web/conf.py", "x < LIMIT", "x <= LIMIT"),
            tests: &["web/check_conf.py::test_within"],
            command: "check_conf.py::test_within",
        },
        Case {
            name: "functions",
            files: &[
                ("tox.ini", "[pytest]\npython_functions =\n    should_*\n    *_works\n"),
                ("src/__init__.py", ""),
                ("src/conf.py", CONF),
                (
                    "tests/test_conf.py",
                    "from src.conf import within\n\n\ndef should_hold():\n    assert within(1)\n\n\n\
                     def it_works():\n    assert within(2)\n",
                ),
            ],
            edit: CONF_EDIT,
            tests: &["tests/test_conf.py::should_hold", "tests/test_conf.py::it_works"],
            command: "tests/test_conf.py::should_hold",
        },
        Case {
            name: "classes",
            files: &[
                ("setup.cfg", "[tool:pytest]\npython_classes = *Suite Check\n"),
                ("src/__init__.py", ""),
                ("src/conf.py", CONF),
                (
                    "tests/test_conf.py",
                    "from src.conf import within\n\n\nclass ConfSuite:\n    def test_a(self):\n        \
                     assert within(1)\n\n\nclass CheckConf:\n    def test_b(self):\n        assert \
                     within(2)\n",
                ),
            ],
            edit: CONF_EDIT,
            tests: &[
                "tests/test_conf.py::ConfSuite::test_a",
                "tests/test_conf.py::CheckConf::test_b",
            ],
            command: "ConfSuite::test_a",
        },
    ]);
}

#[test]
fn examples_in_documentation_are_tests_if_pytest_runs_them() {
    check(&[
        Case {
            name: "examples of modules",
            files: &[
                ("pytest.ini", "[pytest]\naddopts = -q --doctest-modules\n"),
                ("src/__init__.py", ""),
                (
                    "src/conf.py",
                    "LIMIT = 3\n\n\ndef within(x):\n    \"\"\"Compares.\n\n    >>> within(1)\n    True\n    \
                     \"\"\"\n    return x < LIMIT\n",
                ),
            ],
            edit: CONF_EDIT,
            tests: &["src/conf.py"],
            command: "pytest src/conf.py",
        },
        Case {
            name: "examples of another function of the module, over a call",
            files: &[
                ("setup.cfg", "[tool:pytest]\naddopts =\n    --doctest-modules\n"),
                ("src/__init__.py", ""),
                ("src/conf.py", CONF),
                (
                    "src/far.py",
                    "from src.conf import within\n\n\ndef far(x):\n    '''Compares.\n\n    >>> far(1)\n    \
                     True\n    '''\n    return within(x)\n",
                ),
            ],
            edit: CONF_EDIT,
            tests: &["src/far.py"],
            command: "pytest src/far.py",
        },
        Case {
            name: "examples that a test runs itself",
            files: &[
                ("setup.py", ""),
                (
                    "conf.py",
                    "LIMIT = 3\n\n\ndef within(x):\n    \"\"\"Compares.\n\n    >>> within(1)\n    True\n    \
                     \"\"\"\n    return x < LIMIT\n",
                ),
                (
                    "tests/test_doc.py",
                    "import doctest\n\nimport conf\n\n\ndef test_examples():\n    assert not \
                     doctest.testmod(conf).failed\n",
                ),
            ],
            edit: ("conf.py", "x < LIMIT", "x <= LIMIT"),
            tests: &["tests/test_doc.py::test_examples"],
            command: "tests/test_doc.py::test_examples",
        },
        Case {
            name: "examples in a text",
            files: &[
                (
                    "pyproject.toml",
                    "[tool.pytest.ini_options]\naddopts = [\"--doctest-glob=*.md\"]\n",
                ),
                ("src/__init__.py", ""),
                ("src/conf.py", CONF),
                ("docs/other.md", "# Other\n\nIt is within.\n"),
                (
                    "docs/guide.md",
                    "# Guide\n\n```\n>>> from src.conf import within\n>>> within(1)\nTrue\n```\n",
                ),
            ],
            edit: CONF_EDIT,
            tests: &["docs/guide.md"],
            command: "pytest docs/guide.md",
        },
    ]);
}

#[test]
fn tests_that_run_a_program_are_tests_of_its_functions() {
    check(&[
        Case {
            name: "a script by its path",
            files: &[
                (
                    "src/tool.py",
                    "import sys\n\nfrom helper import total\n\n\ndef main():\n    print(total(sys.argv))\n\n\n\
                     if __name__ == '__main__':\n    main()\n",
                ),
                ("src/helper.py", "def total(words):\n    return len(words)\n"),
                (
                    "tests/test_run.py",
                    "import subprocess\nimport sys\n\n\ndef test_output():\n    out = \
                     subprocess.run([sys.executable, 'src/tool.py', 'a'])\n    assert not \
                     out.returncode\n\n\ndef test_other():\n    assert True\n",
                ),
            ],
            edit: ("src/helper.py", "len(words)", "len(words) + 1"),
            tests: &["tests/test_run.py::test_output"],
            command: "tests/test_run.py::test_output",
        },
        Case {
            name: "a module",
            files: &[
                ("pkg/__init__.py", ""),
                (
                    "pkg/tool.py",
                    "def main():\n    print(1)\n\n\nif __name__ == '__main__':\n    main()\n",
                ),
                (
                    "tests/test_run.py",
                    "import subprocess\nimport sys\n\n\ndef test_output():\n    \
                     subprocess.check_call([sys.executable, '-m', 'pkg.tool'])\n",
                ),
            ],
            edit: ("pkg/tool.py", "print(1)", "print(2)"),
            tests: &["tests/test_run.py::test_output"],
            command: "tests/test_run.py::test_output",
        },
        Case {
            name: "a package, over a constant of a helper",
            files: &[
                ("pkg/__init__.py", ""),
                ("pkg/__main__.py", "from pkg.core import main\n\nmain()\n"),
                ("pkg/core.py", "def main():\n    print(1)\n"),
                (
                    "tests/helper.py",
                    "import subprocess\nimport sys\n\n\ndef launch(*args):\n    return \
                     subprocess.run([sys.executable, '-m', 'pkg', *args])\n",
                ),
                (
                    "tests/test_run.py",
                    "from helper import launch\n\n\ndef test_output():\n    assert launch('x')\n",
                ),
            ],
            edit: ("pkg/core.py", "print(1)", "print(2)"),
            tests: &["tests/test_run.py::test_output"],
            command: "tests/test_run.py::test_output",
        },
        Case {
            name: "a console script",
            files: &[
                (
                    "pyproject.toml",
                    "[project]\nname = \"shop\"\n\n[project.scripts]\nshop-cli = \"pkg.cli:main\"\n",
                ),
                ("pkg/__init__.py", ""),
                ("pkg/cli.py", "def main():\n    print(1)\n"),
                (
                    "tests/test_run.py",
                    "import subprocess\n\n\ndef test_output():\n    subprocess.run(['shop-cli', '-h'])\n",
                ),
            ],
            edit: ("pkg/cli.py", "print(1)", "print(2)"),
            tests: &["tests/test_run.py::test_output"],
            command: "tests/test_run.py::test_output",
        },
        Case {
            name: "a program of Node",
            files: &[
                PACKAGE,
                ("bin/x.js", "const { sum } = require('../lib/sum');\nconsole.log(sum(1, 2));\n"),
                (
                    "lib/sum.js",
                    "function sum(a, b) {\n  return a + b;\n}\nmodule.exports = { sum };\n",
                ),
                (
                    "test/run.test.js",
                    "const { spawn } = require('child_process');\ntest('prints', () => {\n  spawn('node', \
                     ['bin/x.js']);\n});\n",
                ),
            ],
            edit: ("lib/sum.js", "a + b", "b + a"),
            tests: &["test/run.test.js > prints"],
            command: "test/run.test.js",
        },
        Case {
            name: "a program of Rust",
            files: &[
                ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
                ("src/lib.rs", "pub fn total(x: u8) -> u8 {\n    x\n}\n"),
                ("src/main.rs", "fn main() {\n    println!(\"{}\", shop::total(1));\n}\n"),
                (
                    "tests/run.rs",
                    "use std::process::Command;\n\n#[test]\nfn it_prints() {\n    \
                     Command::new(env!(\"CARGO_BIN_EXE_shop\")).status().unwrap();\n}\n",
                ),
            ],
            edit: ("src/lib.rs", "    x\n", "    x + 1\n"),
            tests: &["it_prints"],
            command: "cargo test",
        },
        Case {
            name: "a program of Go",
            files: &[
                ("go.mod", "module shop\n"),
                ("cmd/tool/main.go", "package main\n\nfunc main() {\n\tprintln(1)\n}\n"),
                (
                    "run_test.go",
                    "package shop\n\nimport (\n\t\"os/exec\"\n\t\"testing\"\n)\n\nfunc TestRun(t *testing.T) \
                     {\n\texec.Command(\"go\", \"run\", \"./cmd/tool\").Run()\n}\n",
                ),
            ],
            edit: ("cmd/tool/main.go", "println(1)", "println(2)"),
            tests: &["TestRun"],
            command: "go test . -run",
        },
        Case {
            name: "a worker of a module",
            files: &[
                PACKAGE,
                (
                    "lib/pool.js",
                    "const { Worker } = require('worker_threads');\nfunction start() {\n  return new \
                     Worker(require.resolve('./w.js'));\n}\nmodule.exports = { start };\n",
                ),
                ("lib/w.js", "function work(x) {\n  return x;\n}\nprocess.send(work(1));\n"),
                (
                    "test/pool.test.js",
                    "const { start } = require('../lib/pool');\ntest('starts', () => {\n  start();\n});\n",
                ),
            ],
            edit: ("lib/w.js", "return x", "return 2 * x"),
            tests: &["test/pool.test.js > starts"],
            command: "test/pool.test.js",
        },
        Case {
            name: "a statement of a program",
            files: &[
                ("src/tool.py", "LEVEL = 1\nprint(LEVEL)\n"),
                (
                    "tests/test_run.py",
                    "import subprocess\n\n\ndef test_output():\n    subprocess.run(['python3', \
                     'src/tool.py'])\n",
                ),
            ],
            edit: ("src/tool.py", "LEVEL = 1", "LEVEL = 2"),
            tests: &["tests/test_run.py::test_output"],
            command: "tests/test_run.py::test_output",
        },
    ]);
}

#[test]
fn specifications_that_include_shared_examples_are_tests_of_them() {
    const CART: &str = "class Cart\n  def add(x)\n    x\n  end\nend\n";
    const SHARED: &str = "RSpec.shared_examples 'a cart' do |size|\n  it 'adds' do\n    expect(Cart.new.add(1)).to \
                          eq(1)\n  end\nend\n";
    const SPEC: &str = "require 'cart'\nrequire_relative 'support/carts'\n\nRSpec.describe Cart do\n  \
                        it_behaves_like 'a cart', 3\nend\n";
    const OTHER: &str = "RSpec.describe 'other' do\n  it 'is' do\n    expect(1).to eq(1)\n  end\n\n  \
                         context 'with a cart' do\n    include_examples('a cart')\n  end\nend\n";
    check(&[
        Case {
            name: "an edit of the examples",
            files: &[
                (".rspec", "-I lib\n"),
                ("lib/cart.rb", CART),
                ("spec/support/carts.rb", SHARED),
                ("spec/cart_spec.rb", SPEC),
                ("spec/other_spec.rb", OTHER),
            ],
            edit: ("spec/support/carts.rb", "eq(1)", "eq(2)"),
            tests: &["spec/cart_spec.rb:5", "spec/other_spec.rb:6"],
            command: "spec/cart_spec.rb:5",
        },
        Case {
            name: "an edit of what the examples call",
            files: &[
                (".rspec", "-I lib\n"),
                ("lib/cart.rb", CART),
                ("spec/support/carts.rb", SHARED),
                ("spec/cart_spec.rb", SPEC),
            ],
            edit: ("lib/cart.rb", "    x\n", "    x + 1\n"),
            tests: &["spec/cart_spec.rb:5"],
            command: "spec/cart_spec.rb:5",
        },
    ]);
}

#[test]
fn commands_have_the_tags_that_a_test_needs() {
    const TEST: &str =
        "\npackage shop\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tAdd(1)\n}\n";
    for (constraint, expected) in [
        ("integration && !short", "go test -tags integration . -run"),
        ("(integration || e2e) && linux", "go test -tags integration . -run"),
        ("!short", "go test . -run"),
        ("integration && (db && !fast)", "go test -tags integration,db . -run"),
    ] {
        let place = repository(&[
            ("go.mod", "module shop\n"),
            ("shop.go", "package shop\n\nfunc Add(x int) int {\n\treturn x\n}\n"),
            ("shop_test.go", &format!("//go:build {constraint}\n{TEST}")),
        ]);
        edit(&place, "shop.go", "return x", "return x + 1");
        let reply = reply(&place, "suggest-tests", &[]);
        let commands = commands(&reply);
        assert!(commands.iter().any(|of| of.contains(expected)), "{constraint}: {commands:?}");
    }
}

#[test]
fn tests_of_a_module_with_an_included_text_are_tests_of_the_text() {
    const MANIFEST: (&str, &str) =
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n");
    check(&[
        Case {
            name: "a text",
            files: &[
                MANIFEST,
                ("src/lib.rs", "pub mod help;\n"),
                ("src/help.md", "# Help\n"),
                (
                    "src/help.rs",
                    "pub fn text() -> &'static str {\n    include_str!(\"help.md\")\n}\n\n#[cfg(test)]\nmod \
                     tests {\n    #[test]\n    fn it_has_a_heading() {\n        \
                     assert!(super::text().starts_with('#'));\n    }\n}\n",
                ),
            ],
            edit: ("src/help.md", "Help", "Aid"),
            tests: &["help::tests::it_has_a_heading"],
            command: "help::tests::it_has_a_heading",
        },
        Case {
            name: "bytes of another directory",
            files: &[
                MANIFEST,
                ("src/lib.rs", "pub mod table;\n"),
                ("data/table.bin", "abc\n"),
                (
                    "src/table.rs",
                    "pub static TABLE: &[u8] = include_bytes!(\"../data/table.bin\");\n\n#[cfg(test)]\nmod \
                     tests {\n    #[test]\n    fn it_is_short() {\n        assert!(super::TABLE.len() < 9);\n    \
                     }\n}\n",
                ),
            ],
            edit: ("data/table.bin", "abc", "abcd"),
            tests: &["table::tests::it_is_short"],
            command: "table::tests::it_is_short",
        },
        Case {
            name: "a text of a module whose tests have a file",
            files: &[
                MANIFEST,
                ("src/lib.rs", "pub mod help;\n"),
                ("src/help.md", "# Help\n"),
                (
                    "src/help.rs",
                    "pub const TEXT: &str = include_str!(\"help.md\");\n\n#[cfg(test)]\nmod tests;\n",
                ),
                (
                    "src/help/tests.rs",
                    "use super::TEXT;\n\n#[test]\nfn it_has_a_heading() {\n    \
                     assert!(TEXT.starts_with('#'));\n}\n",
                ),
                (
                    "tests/help.rs",
                    "use shop::help::TEXT;\n\n#[test]\nfn it_is_short() {\n    assert!(TEXT.len() < \
                     90);\n}\n",
                ),
            ],
            edit: ("src/help.md", "Help", "Aid"),
            tests: &["help::tests::it_has_a_heading", "it_is_short"],
            command: "help::tests::it_has_a_heading",
        },
        Case {
            name: "documentation",
            files: &[
                MANIFEST,
                (
                    "src/lib.rs",
                    "#![doc = include_str!(\"../README.md\")]\n\npub fn one() -> u8 {\n    1\n}\n\n\
                     #[cfg(test)]\nmod tests {\n    #[test]\n    fn it_is_one() {\n        \
                     assert_eq!(super::one(), 1);\n    }\n}\n",
                ),
                ("README.md", "# Shop\n\n```\nassert_eq!(shop::one(), 1);\n```\n"),
            ],
            edit: ("README.md", "(), 1", "(), 1u8"),
            tests: &["tests::it_is_one"],
            command: "cargo test",
        },
    ]);
}

#[test]
fn tests_below_a_hook_are_tests_of_what_it_calls() {
    check(&[Case {
        name: "a hook",
        files: &[
            ("src/__init__.py", ""),
            ("src/util.py", "def order(items):\n    items.sort()\n"),
            (
                "tests/conftest.py",
                "from src.util import order\n\n\ndef pytest_collection_modifyitems(items):\n    order(items)\n",
            ),
            ("tests/test_a.py", "def test_a():\n    assert True\n"),
            ("tests/deep/test_b.py", "def test_b():\n    assert True\n"),
            ("other/test_c.py", "def test_c():\n    assert True\n"),
        ],
        edit: ("src/util.py", "items.sort()", "items.reverse()"),
        tests: &["tests/test_a.py::test_a", "tests/deep/test_b.py::test_b"],
        command: "tests/test_a.py",
    }]);
}

#[test]
fn inherited_tests_are_tests_of_what_the_base_calls() {
    const BASE: &str = "from src.conf import within\n\n\nclass Base:\n    size = 1\n\n    def \
                        test_size(self):\n        assert within(self.size)\n";
    const ONE: &str = "from base import Base\n\n\nclass TestOne(Base):\n    size = 2\n";
    const FILES: &[(&str, &str)] = &[
        ("src/__init__.py", ""),
        ("src/conf.py", CONF),
        ("tests/base.py", BASE),
        ("tests/test_one.py", ONE),
    ];
    check(&[
        Case {
            name: "an edit of the source",
            files: FILES,
            edit: CONF_EDIT,
            tests: &["tests/test_one.py::TestOne::test_size"],
            command: "tests/test_one.py::TestOne::test_size",
        },
        Case {
            name: "an edit of the base",
            files: FILES,
            edit: ("tests/base.py", "assert within", "assert not within"),
            tests: &["tests/test_one.py::TestOne::test_size"],
            command: "tests/test_one.py::TestOne::test_size",
        },
        Case {
            name: "classes of Java",
            files: &[
                ("pom.xml", "<project/>\n"),
                (
                    "src/main/java/a/Cart.java",
                    "package a;\n\npublic class Cart {\n  int add(int x) {\n    return x;\n  }\n}\n",
                ),
                (
                    "src/test/java/a/BaseTest.java",
                    "package a;\n\nimport org.junit.jupiter.api.Test;\n\nabstract class BaseTest {\n  \
                     @Test\n  void adds() {\n    new Cart().add(1);\n  }\n}\n",
                ),
                (
                    "src/test/java/a/OneTest.java",
                    "package a;\n\nclass OneTest extends BaseTest {\n}\n",
                ),
            ],
            edit: ("src/main/java/a/Cart.java", "return x", "return x + 1"),
            tests: &["a.OneTest#adds"],
            command: "a.OneTest#adds",
        },
    ]);
}

/// Checks that all tests should run after an edit, because of a path.
#[track_caller]
fn check_unknown(files: &[(&str, &str)], (path, from, to): (&str, &str, &str), expected: &str) {
    let place = repository(files);
    edit(&place, path, from, to);
    let reply = reply(&place, "suggest-tests", &[]);
    let unknown = reply["unknown"].as_array().into_iter().flatten();
    let paths: Vec<&str> = unknown.filter_map(|of| of["path"].as_str()).collect();
    assert!(paths.contains(&expected) && reply["run_all"] == true, "{path}: {reply}");
    assert!(!commands(&reply).is_empty(), "{path}: {reply}");
}

#[test]
fn what_all_tests_depend_on_is_unknown() {
    check_unknown(
        &[
            PACKAGE,
            ("jest.config.js", "module.exports = { setupFiles: ['./js/setup.js'] };\n"),
            ("js/setup.js", "const { seed } = require('./seed');\nseed();\n"),
            ("js/seed.js", "function seed() {\n  return 1;\n}\nmodule.exports = { seed };\n"),
            ("js/a.test.js", "test('a', () => {});\n"),
        ],
        ("js/seed.js", "return 1", "return 2"),
        "js/setup.js",
    );
    check_unknown(
        &[
            ("src/__init__.py", ""),
            ("src/conf.py", CONF),
            (
                "tests/conftest.py",
                "import pytest\n\nfrom src.conf import within\n\n\nclass Item(pytest.Item):\n    def \
                 runtest(self):\n        assert within(1)\n",
            ),
            ("tests/test_a.py", "def test_a():\n    assert True\n"),
        ],
        CONF_EDIT,
        "tests/conftest.py",
    );
}

#[test]
fn a_fixture_of_too_many_tests_is_unknown() {
    let place = repository(&[
        ("src/__init__.py", ""),
        ("src/conf.py", CONF),
        (
            "tests/conftest.py",
            "import pytest\n\nfrom src.conf import within\n\n\n@pytest.fixture(autouse=True)\ndef \
             checked():\n    assert within(1)\n",
        ),
    ]);
    let test = |number| format!("def test_{number}():\n    assert True\n\n\n");
    for file in 0..10 {
        let text: String = (0..70).map(test).collect();
        place.write(format!("tests/test_{file}.py"), text);
    }
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Add tests"]);
    for (path, from, to) in [CONF_EDIT, ("tests/conftest.py", "within(1)", "within(2)")] {
        edit(&place, path, from, to);
        let reply = reply(&place, "suggest-tests", &[]);
        let is_whole = commands(&reply) == ["pytest"] && reply["run_all"] == true;
        assert!(is_whole, "{path}: {} {}", reply["message"], reply["commands"]);
        place.git(&["reset", "-q", "--hard"]);
    }
}

#[test]
fn commands_name_titles_of_several_lines() {
    for (title, expected) in [
        ("`adds\n  two`", "-t '^adds[^a]  two$'"),
        ("'adds\\ntwo'", "-t '^adds[^a]two$'"),
        ("`adds ${1 + 1} and\n${'x'}`", "-t '^adds .* and[^a].*$'"),
    ] {
        let test = format!(
            "const {{ add }} = require('./cart');\ntest({title}, () => {{\n  expect(add(1, 2)).toBe(3);\n}});\n"
        );
        let place = repository(&[
            PACKAGE,
            ("cart.js", "function add(a, b) {\n  return a + b;\n}\nmodule.exports = { add };\n"),
            ("cart.test.js", &test),
        ]);
        edit(&place, "cart.js", "a + b", "b + a");
        let reply = reply(&place, "suggest-tests", &[]);
        let commands = commands(&reply);
        assert!(commands.iter().any(|of| of.ends_with(expected)), "{title}: {commands:?}");
    }
}

#[test]
fn shards_have_files_whose_tests_are_inherited() {
    let place = repository(&[
        ("setup.cfg", "[tool:pytest]\n"),
        ("tests/base.py", "class Base:\n    def test_a(self):\n        assert True\n"),
        ("tests/test_one.py", "from base import Base\n\n\nclass TestOne(Base):\n    pass\n"),
        ("tests/test_two.py", "import base\n\n\nclass TestTwo(base.Base):\n    size = 2\n"),
        ("tests/test_three.py", "def test_three():\n    assert True\n"),
    ]);
    edit(&place, "setup.cfg", "[tool:pytest]\n", "[tool:pytest]\naddopts = -q\n");
    let mut all = String::new();
    for shard in ["1/2", "2/2"] {
        let mut command = place.codedb("test");
        command.args(["--dry-run", "--shard", shard]);
        all.push_str(&Answer::of(command).text());
    }
    for file in ["test_one.py", "test_two.py", "test_three.py"] {
        assert_eq!(all.matches(file).count(), 1, "{file}: {all}");
    }
}

#[test]
fn operators_are_names_of_methods() {
    let place = repository(&[
        (
            "lib/grid.rb",
            "class Grid\n  def [](x)\n    x\n  end\n\n  def []=(x, y)\n    y\n  end\n\n  def ==(other)\n    \
             true\n  end\n\n  def +(other)\n    other\n  end\n\n  def <=>(other)\n    0\n  end\n\n  def \
             !\n    true\n  end\nend\n",
        ),
        (
            "lib/use.rb",
            "require_relative 'grid'\n\ndef use\n  grid = Grid.new\n  grid[1]\n  grid + grid\nend\n",
        ),
    ]);
    for name in ["[]", "[]=", "==", "+", "<=>", "!"] {
        for separator in ["#", "."] {
            let given = format!("Grid{separator}{name}");
            let mut command = place.codedb("callers");
            command.args([&given, "--json"]);
            let answer = Answer::of(command);
            let text = answer.text();
            let expected = format!("\"qualified_name\":\"Grid#{name}\"");
            assert!(text.contains(&expected), "{given}: {text} {}", answer.stderr);
        }
    }
}

#[test]
fn a_failure_of_git_is_no_success_of_the_hook() {
    let place = repository(&[("src/conf.py", CONF)]);
    edit(&place, "src/conf.py", "x < LIMIT", "x <= LIMIT");
    place.git(&["add", "-A"]);
    place.write(".git/index", "xx");
    let mut command = place.codedb("check");
    command.arg("--pre-commit");
    let answer = Answer::of(command);
    assert_eq!(answer.code, 2, "{} {}", answer.text(), answer.stderr);
}
