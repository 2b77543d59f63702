//! Common ways for one purpose, and which of them a text takes.
//!
//! The table holds general knowledge about libraries and languages; it was written before any
//! repository was examined.

/// A way: how it is called, and the texts that show it.
#[derive(Debug)]
pub struct Way {
    /// How it is called.
    pub name: &'static str,
    /// The texts that show it.
    pub marks: &'static [&'static str],
    /// True for what everybody does today without a decision; it is never proposed.
    pub is_default: bool,
}

/// A purpose and its ways.
#[derive(Debug)]
pub struct Purpose {
    /// Its languages.
    pub languages: &'static [&'static str],
    /// Whether it concerns tests; `None` for all files.
    pub in_tests: Option<bool>,
    /// What it is for, as in "Use X for …".
    pub purpose: &'static str,
    /// Words that tasks use for it.
    pub keywords: &'static [&'static str],
    /// The ways.
    pub ways: &'static [Way],
}

const fn way(name: &'static str, marks: &'static [&'static str]) -> Way {
    Way { name, marks, is_default: false }
}

const fn default(name: &'static str, marks: &'static [&'static str]) -> Way {
    Way { name, marks, is_default: true }
}

const PYTHON: &[&str] = &["python"];
const SCRIPT: &[&str] = &["javascript", "flow", "typescript", "tsx"];
const RUST: &[&str] = &["rust"];
const GO: &[&str] = &["go"];
const JAVA: &[&str] = &["java", "kotlin"];
const RUBY: &[&str] = &["ruby"];
const C: &[&str] = &["c", "cpp"];

/// Purposes and their ways.
pub static TABLE: &[Purpose] = &[
    Purpose {
        languages: PYTHON,
        in_tests: None,
        purpose: "paths of files",
        keywords: &["path", "file", "directory"],
        ways: &[
            default("`pathlib`", &["import pathlib", "from pathlib"]),
            way("`os.path`", &["os.path.", "from os import path", "import os.path"]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: Some(false),
        purpose: "types that may be absent",
        keywords: &["type", "annotation", "optional", "none"],
        ways: &[default("`X | None`", &["| None"]), way("`Optional`", &["Optional["])],
    },
    Purpose {
        languages: PYTHON,
        in_tests: Some(false),
        purpose: "types of collections in annotations",
        keywords: &["type", "annotation", "list", "dict"],
        ways: &[
            default(
                "built-in `list[...]` and `dict[...]`",
                &["list[str", "dict[str", "list[int", "tuple[str"],
            ),
            way("`List` and `Dict` of `typing`", &["List[", "Dict[", "Tuple["]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: Some(true),
        purpose: "expected exceptions in tests",
        keywords: &["test", "exception", "raises"],
        ways: &[
            default("`pytest.raises`", &["pytest.raises"]),
            way("`assertRaises`", &["assertRaises"]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: Some(true),
        purpose: "replacing objects in tests",
        keywords: &["test", "mock", "patch"],
        ways: &[
            way("the fixture `monkeypatch`", &["monkeypatch."]),
            way("`unittest.mock`", &["mock.patch", "unittest.mock", "unittest import mock"]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: Some(true),
        purpose: "assertions in tests",
        keywords: &["test", "assert"],
        ways: &[
            default("plain `assert`", &["    assert "]),
            way("`self.assertEqual` and its relatives", &["self.assertEqual", "self.assertTrue"]),
            way("`numpy.testing`", &["assert_equal(", "assert_allclose(", "assert_array_equal("]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: Some(false),
        purpose: "messages of the program",
        keywords: &["log", "message", "print"],
        ways: &[
            default("`logging`", &["logging.getLogger", "logger.", "log."]),
            default("`print`", &["print("]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: None,
        purpose: "formatting of strings",
        keywords: &["string", "format"],
        ways: &[
            default("f-strings", &["f\"", "f'"]),
            way("`str.format`", &["}\".format(", "}'.format("]),
            default("the operator `%`", &["\" % ", "' % "]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: None,
        purpose: "classes of data",
        keywords: &["class", "data", "record"],
        ways: &[
            default("`dataclasses`", &["@dataclass", "dataclasses.dataclass"]),
            way("`attrs`", &["@attr.s", "@attrs.", "@define", "attr.ib("]),
            way("`pydantic`", &["(BaseModel)", "import pydantic"]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: None,
        purpose: "HTTP requests",
        keywords: &["http", "request", "client"],
        ways: &[
            way("`requests`", &["import requests", "from requests"]),
            way("`httpx`", &["import httpx", "from httpx"]),
            way("`aiohttp`", &["import aiohttp", "from aiohttp"]),
            default("`urllib3`", &["import urllib3", "from urllib3"]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: None,
        purpose: "asynchronous code",
        keywords: &["async", "await", "task"],
        ways: &[
            default("`asyncio`", &["import asyncio", "from asyncio"]),
            way("`trio`", &["import trio", "from trio"]),
            way("`anyio`", &["import anyio", "from anyio"]),
        ],
    },
    Purpose {
        languages: PYTHON,
        in_tests: None,
        purpose: "arguments of the command line",
        keywords: &["command", "argument", "cli"],
        ways: &[
            way("`click`", &["import click", "from click"]),
            way("`argparse`", &["import argparse", "from argparse"]),
            way("`typer`", &["import typer", "from typer"]),
        ],
    },
    Purpose {
        languages: SCRIPT,
        in_tests: None,
        purpose: "modules",
        keywords: &["import", "export", "module"],
        ways: &[
            default(
                "`import` and `export`",
                &[" from '", " from \"", "export default", "export const"],
            ),
            way("`require` and `module.exports`", &["require('", "require(\"", "module.exports"]),
        ],
    },
    Purpose {
        languages: SCRIPT,
        in_tests: None,
        purpose: "variables",
        keywords: &["variable", "declare"],
        ways: &[default("`const` and `let`", &["const ", "let "]), default("`var`", &["var "])],
    },
    Purpose {
        languages: SCRIPT,
        in_tests: None,
        purpose: "asynchronous code",
        keywords: &["async", "promise", "await"],
        ways: &[default("`await`", &["await "]), default("`.then`", &[".then("])],
    },
    Purpose {
        languages: SCRIPT,
        in_tests: Some(true),
        purpose: "assertions in tests",
        keywords: &["test", "assert", "expect"],
        ways: &[
            way("`assert`", &["assert.", "assert("]),
            way("`expect`", &["expect("]),
            way("`should`", &[".should."]),
        ],
    },
    Purpose {
        languages: SCRIPT,
        in_tests: Some(true),
        purpose: "running tests",
        keywords: &["test", "runner"],
        ways: &[
            way("`vitest`", &["from 'vitest'", "from \"vitest\""]),
            way("`jest`", &["jest.", "@jest/globals"]),
            way("`node:test`", &["node:test"]),
            way("`mocha`", &["require('mocha')", "from 'mocha'"]),
        ],
    },
    Purpose {
        languages: RUST,
        in_tests: None,
        purpose: "messages for operators",
        keywords: &["log", "trace", "message"],
        ways: &[default("`tracing`", &["tracing::"]), way("`log`", &["log::", "use log"])],
    },
    Purpose {
        languages: RUST,
        in_tests: None,
        purpose: "errors",
        keywords: &["error", "result"],
        ways: &[
            way("`anyhow`", &["anyhow::"]),
            way("`thiserror`", &["thiserror::"]),
            way("`eyre`", &["eyre::"]),
        ],
    },
    Purpose {
        languages: RUST,
        in_tests: None,
        purpose: "locks",
        keywords: &["lock", "mutex"],
        ways: &[
            way("`parking_lot`", &["parking_lot::"]),
            default("`std::sync`", &["std::sync::Mutex", "std::sync::RwLock", "std::sync::{"]),
        ],
    },
    Purpose {
        languages: RUST,
        in_tests: Some(true),
        purpose: "asynchronous tests",
        keywords: &["test", "async"],
        ways: &[
            default("`#[tokio::test]`", &["#[tokio::test"]),
            way("`#[async_std::test]`", &["#[async_std::test"]),
        ],
    },
    Purpose {
        languages: RUST,
        in_tests: None,
        purpose: "tests of properties",
        keywords: &["test", "property", "random"],
        ways: &[default("`proptest`", &["proptest"]), way("`quickcheck`", &["quickcheck"])],
    },
    Purpose {
        languages: GO,
        in_tests: Some(true),
        purpose: "assertions in tests",
        keywords: &["test", "assert"],
        ways: &[
            way("`testify`", &["stretchr/testify"]),
            way("the package `testing` alone", &["t.Fatal", "t.Error"]),
        ],
    },
    Purpose {
        languages: GO,
        in_tests: Some(false),
        purpose: "wrapping errors",
        keywords: &["error", "wrap"],
        ways: &[default("`%w`", &["%w"]), way("`errors.Wrap`", &["errors.Wrap"])],
    },
    Purpose {
        languages: GO,
        in_tests: None,
        purpose: "values of any type",
        keywords: &["type", "interface", "any"],
        ways: &[
            default("`any`", &[" any)", "]any", " any,"]),
            default("`interface{}`", &["interface{}"]),
        ],
    },
    Purpose {
        languages: GO,
        in_tests: Some(false),
        purpose: "messages for operators",
        keywords: &["log", "message"],
        ways: &[
            way("`log/slog`", &["\"log/slog\""]),
            way("`logrus`", &["sirupsen/logrus"]),
            way("`zap`", &["go.uber.org/zap"]),
        ],
    },
    Purpose {
        languages: JAVA,
        in_tests: Some(true),
        purpose: "tests",
        keywords: &["test", "junit"],
        ways: &[
            default("JUnit 5", &["org.junit.jupiter"]),
            way("JUnit 4", &["org.junit.Test"]),
            way("JUnit 3", &["extends TestCase"]),
        ],
    },
    Purpose {
        languages: JAVA,
        in_tests: Some(true),
        purpose: "assertions in tests",
        keywords: &["test", "assert"],
        ways: &[
            way("AssertJ", &["org.assertj"]),
            way("Truth", &["com.google.common.truth"]),
            way("Hamcrest", &["org.hamcrest"]),
            way(
                "the assertions of JUnit",
                &["import static org.junit.Assert", "junit.jupiter.api.Assertions"],
            ),
        ],
    },
    Purpose {
        languages: RUBY,
        in_tests: Some(true),
        purpose: "tests",
        keywords: &["test", "spec"],
        ways: &[
            way("RSpec", &["RSpec.describe", "describe "]),
            way("Minitest", &["Minitest::Test", "Test::Unit"]),
        ],
    },
    Purpose {
        languages: C,
        in_tests: None,
        purpose: "protecting headers against repeated inclusion",
        keywords: &["header", "include"],
        ways: &[
            default("`#pragma once`", &["#pragma once"]),
            way("include guards", &["_H\n#define ", "_H_\n#define ", "_HPP\n#define "]),
        ],
    },
];

/// The ways that a file takes: purpose, way, line of the first mark.
pub type Uses = Vec<(usize, usize, usize)>;

/// Returns the ways that a text takes.
pub fn uses(language: &str, is_test: bool, text: &str) -> Uses {
    let mut found = Vec::new();
    for (at, purpose) in TABLE.iter().enumerate() {
        let is_it = purpose.languages.contains(&language)
            && purpose.in_tests.is_none_or(|wanted| wanted == is_test);
        if !is_it {
            continue;
        }
        for (way, of) in purpose.ways.iter().enumerate() {
            let first = of.marks.iter().filter_map(|mark| position(text, mark)).min();
            if let Some(first) = first {
                let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..first]).count() + 1;
                found.push((at, way, line));
            }
        }
    }
    found
}

/// Returns where a mark is that no name precedes: `myprint(` is no `print(`.
fn position(text: &str, mark: &str) -> Option<usize> {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '.';
    let begins_name = mark.chars().next().is_some_and(|it| it.is_alphanumeric() || it == '_');
    text.match_indices(mark)
        .map(|(at, _)| at)
        .find(|&at| !begins_name || !text[..at].chars().next_back().is_some_and(is_part))
}

/// Functions of the standard library that repositories wrap.
const STANDARD: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "strdup",
    "strndup",
    "asprintf",
    "vasprintf",
    "snprintf",
    "vsnprintf",
    "sprintf",
    "strcpy",
    "strcat",
    "printf",
    "fprintf",
    "fopen",
    "abort",
    "assert",
    "exit",
    "sleep",
    "memcpy",
    "strtol",
    "atoi",
    "getenv",
    "setenv",
];

/// The longest prefix of a wrapper: `x`, `g_`, `my_`.
const PREFIX_BYTES_MAX: usize = 6;

/// Returns the function of the standard library that a name may wrap.
pub fn wrapped(name: &str) -> Option<&'static str> {
    let is_it = |of: &&&str| {
        name.strip_suffix(**of).is_some_and(|prefix| (1..=PREFIX_BYTES_MAX).contains(&prefix.len()))
    };
    // The longest: `xvsnprintf` wraps `vsnprintf`.
    STANDARD.iter().filter(is_it).max_by_key(|it| it.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_no_parts_of_names() {
        assert_eq!(position("sprint(1)\nprint(2)", "print("), Some(10));
        assert_eq!(position("a.print(1)", "print("), None);
        assert_eq!(position("x = a | None", "| None"), Some(6));
        let found = uses("python", false, "import os\nx = os.path.join(a)\nprint(x)\n");
        let named: Vec<(&str, usize)> =
            found.iter().map(|&(at, way, line)| (TABLE[at].ways[way].name, line)).collect();
        assert_eq!(named, [("`os.path`", 2), ("`print`", 3)]);
    }

    #[test]
    fn a_wrapper_has_a_short_prefix() {
        assert_eq!(wrapped("xmalloc"), Some("malloc"));
        assert_eq!(wrapped("xvasprintf"), Some("vasprintf"));
        assert_eq!(wrapped("malloc"), None);
        assert_eq!(wrapped("tracked_free"), None);
    }
}
