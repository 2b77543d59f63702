//! Tools that a repository configures to check or format its code.

use super::texts::{Texts, line_of};
use super::{Draft, Kind, Signal, name};
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// What a line in a file of settings means.
struct Setting {
    /// The names of the file.
    files: &'static [&'static str],
    /// A text in the file; empty if the file itself is enough.
    mark: &'static str,
    /// What to do.
    pattern: &'static str,
    scope: &'static str,
    keywords: &'static [&'static str],
}

const PYPROJECT: &[&str] = &["pyproject.toml"];
const PRE_COMMIT: &[&str] = &[".pre-commit-config.yaml", ".pre-commit-config.yml"];
const PACKAGE: &[&str] = &["package.json"];

static TABLE: &[Setting] = &[
    Setting {
        files: PYPROJECT,
        mark: "[tool.black]",
        pattern: "Format Python with `black` as `pyproject.toml` configures it",
        scope: "language:python",
        keywords: &["format", "style"],
    },
    Setting {
        files: PRE_COMMIT,
        mark: "ruff-format",
        pattern: "Format Python with `ruff format`",
        scope: "language:python",
        keywords: &["format", "style"],
    },
    Setting {
        files: PYPROJECT,
        mark: "[tool.ruff",
        pattern: "Check Python with `ruff` and the rules of `pyproject.toml`",
        scope: "language:python",
        keywords: &["lint", "style"],
    },
    Setting {
        files: PYPROJECT,
        mark: "[tool.mypy]",
        pattern: "Check types with `mypy` as `pyproject.toml` configures it",
        scope: "language:python",
        keywords: &["type", "annotation", "check"],
    },
    Setting {
        files: &["mypy.ini", ".mypy.ini"],
        mark: "[mypy",
        pattern: "Check types with `mypy` as its settings file configures it",
        scope: "language:python",
        keywords: &["type", "annotation", "check"],
    },
    Setting {
        files: PYPROJECT,
        mark: "[tool.isort]",
        pattern: "Sort imports with `isort` as `pyproject.toml` configures it",
        scope: "language:python",
        keywords: &["import", "sort", "style"],
    },
    Setting {
        files: &[".flake8", "setup.cfg", "tox.ini"],
        mark: "[flake8]",
        pattern: "Check Python with `flake8` and the rules of its settings",
        scope: "language:python",
        keywords: &["lint", "style"],
    },
    Setting {
        files: PRE_COMMIT,
        mark: "repos:",
        pattern: "Run `pre-commit` before a commit: its hooks check what is committed",
        scope: "global",
        keywords: &["commit", "check", "lint", "format"],
    },
    Setting {
        files: &["tox.ini"],
        mark: "[testenv",
        pattern: "Run the tests with `tox` as `tox.ini` configures its environments",
        scope: "global",
        keywords: &["test", "run", "environment"],
    },
    Setting {
        files: &["noxfile.py"],
        mark: "@nox.session",
        pattern: "Run tests and checks with the sessions of `nox`",
        scope: "global",
        keywords: &["test", "run", "check"],
    },
    Setting {
        files: &[
            ".prettierrc",
            ".prettierrc.json",
            ".prettierrc.js",
            "prettier.config.js",
            ".prettierrc.yml",
        ],
        mark: "",
        pattern: "Format with `prettier` as its settings file configures it",
        scope: "global",
        keywords: &["format", "style"],
    },
    Setting {
        files: &[
            "eslint.config.js",
            "eslint.config.mjs",
            "eslint.config.cjs",
            ".eslintrc",
            ".eslintrc.js",
            ".eslintrc.cjs",
            ".eslintrc.json",
            ".eslintrc.yml",
        ],
        mark: "",
        pattern: "Check scripts with `eslint` and the rules of the repository",
        scope: "global",
        keywords: &["lint", "style"],
    },
    Setting {
        files: PACKAGE,
        mark: "\"commitlint\"",
        pattern: "Write messages of commits that pass `commitlint`",
        scope: "global",
        keywords: &["commit", "message"],
    },
    Setting {
        files: &["rustfmt.toml", ".rustfmt.toml"],
        mark: "=",
        pattern: "Format Rust with `cargo fmt` and the settings of `rustfmt.toml`",
        scope: "language:rust",
        keywords: &["format", "style"],
    },
    Setting {
        files: &["clippy.toml", ".clippy.toml"],
        mark: "=",
        pattern: "Check Rust with `cargo clippy` and the settings of `clippy.toml`",
        scope: "language:rust",
        keywords: &["lint", "style"],
    },
    Setting {
        files: &["deny.toml"],
        mark: "[",
        pattern: "Check new dependencies with `cargo deny` and the rules of `deny.toml`",
        scope: "global",
        keywords: &["dependency", "license", "crate"],
    },
    Setting {
        files: &[".golangci.yml", ".golangci.yaml"],
        mark: "",
        pattern: "Check Go with `golangci-lint` and the rules of the repository",
        scope: "language:go",
        keywords: &["lint", "style"],
    },
    Setting {
        files: &[".rubocop.yml"],
        mark: "",
        pattern: "Check Ruby with `rubocop` and the rules of `.rubocop.yml`",
        scope: "language:ruby",
        keywords: &["lint", "style"],
    },
    Setting {
        files: &[".clang-format"],
        mark: "",
        pattern: "Format C and C++ with `clang-format` and the settings of the repository",
        scope: "global",
        keywords: &["format", "style"],
    },
];

/// Adds the tools that the files at the root configure.
pub fn find(texts: &Texts<'_>, signals: &mut Vec<Signal>) {
    for setting in TABLE {
        let found = setting.files.iter().find_map(|file| {
            let text = texts.read(file)?;
            let line = line_of(&text, setting.mark)?;
            Some((*file, line))
        });
        let Some((file, line)) = found else { continue };
        let Ok(scope) = Scope::parse(setting.scope) else { continue };
        let draft = Draft {
            scope,
            kind: Kind::Tools,
            pattern: setting.pattern.to_owned(),
            rationale: format!("`{}` configures it (line {line}).", name(file)),
            confidence: Confidence::Medium,
            source_refs: vec![SourceRef::line(file, line, "configures it")],
            keywords: setting.keywords,
        };
        signals.push(draft.signal());
    }
}
