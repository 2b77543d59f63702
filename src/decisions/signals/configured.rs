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
/// The text that settings of pre-commit have, and the most hooks that are named.
const HOOKS: &str = "repos:";
const HOOKS_MAX: usize = 8;

const PRE_COMMIT: &[&str] = &[".pre-commit-config.yaml", ".pre-commit-config.yml"];
const PACKAGE: &[&str] = &["package.json"];

/// An option of rustfmt that only its nightly version has; the stable one ignores it with a warning.
const fn nightly(mark: &'static str) -> Setting {
    Setting {
        files: &["rustfmt.toml", ".rustfmt.toml"],
        mark,
        pattern: "Format Rust with `cargo +nightly fmt`: its settings need the nightly version",
        scope: "language:rust",
        keywords: &["format", "style"],
    }
}

static TABLE: &[Setting] = &[
    // The hooks run others of these.
    Setting {
        files: PRE_COMMIT,
        mark: HOOKS,
        pattern: "Run `pre-commit` before a commit: its hooks check what is committed",
        scope: "global",
        keywords: &["commit", "check", "lint", "format"],
    },
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
        scope: "path:**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue}",
        keywords: &["lint", "style"],
    },
    Setting {
        files: PACKAGE,
        mark: "\"commitlint\"",
        pattern: "Write messages of commits that pass `commitlint`",
        scope: "global",
        keywords: &["commit", "message"],
    },
    nightly("unstable_features"),
    nightly("imports_granularity"),
    nightly("group_imports"),
    nightly("format_code_in_doc_comments"),
    nightly("wrap_comments"),
    nightly("format_strings"),
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
        scope: "path:**/*.{c,h,cc,cpp,cxx,hpp}",
        keywords: &["format", "style"],
    },
];

/// Returns the names of the hooks of pre-commit, as the end of a sentence.
fn hooks(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().trim_start_matches("- "));
    let mut names: Vec<String> = lines
        .filter_map(|line| line.strip_prefix("id:"))
        .map(|id| name(id.split('#').next().unwrap_or(id).trim().trim_matches(['"', '\''])))
        .filter(|id| !id.is_empty())
        .collect();
    names.dedup();
    let more = names.len().saturating_sub(HOOKS_MAX);
    names.truncate(HOOKS_MAX);
    match (names.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(": {}", names.join(", ")),
        (false, more) => format!(": {} and {more} more", names.join(", ")),
    }
}

/// Adds the tools that the files at the root configure.
pub fn find(texts: &Texts<'_>, signals: &mut Vec<Signal>) {
    for setting in TABLE {
        let found = setting.files.iter().find_map(|file| {
            let text = texts.read(file)?;
            let line = line_of(&text, setting.mark)?;
            Some((*file, line, text))
        });
        let Some((file, line, text)) = found else { continue };
        let hooks = |text: &str| if setting.mark == HOOKS { hooks(text) } else { String::new() };
        let Ok(scope) = Scope::parse(setting.scope) else { continue };
        let draft = Draft {
            scope,
            kind: Kind::Tools,
            pattern: setting.pattern.to_owned(),
            rationale: format!("`{}` configures it{}.", name(file), hooks(&text)),
            confidence: Confidence::Medium,
            source_refs: vec![SourceRef::line(file, line, "configures it")],
            keywords: setting.keywords,
        };
        signals.push(draft.signal());
    }
}

#[cfg(test)]
mod tests {
    use super::hooks;

    #[test]
    fn hooks_are_named() {
        let text =
            "repos:\n- repo: x\n  hooks:\n  - id: black\n    args: []\n  - id: 'flake8' # y\n";
        assert_eq!(hooks(text), ": black, flake8");
        assert_eq!(hooks("repos: []"), "");
        let many: String = (0..10).map(|at| format!("- id: a{at}\n")).collect();
        assert!(hooks(&many).ends_with("a7 and 2 more"));
    }
}
