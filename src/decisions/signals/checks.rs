//! What continuous integration checks of a change, beside its tests.

use super::texts::{Texts, line_at};
use super::{Draft, Kind, Signal, name};
use crate::base::text;
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The most files of workflows that are read.
const FILES_MAX: usize = 40;

/// The maximum length of a command in bytes.
const COMMAND_BYTES_MAX: usize = 120;

/// What a text in a workflow checks.
struct Check {
    /// The texts, one of which shows it.
    marks: &'static [&'static str],
    /// What to do.
    pattern: &'static str,
    scope: &'static str,
    keywords: &'static [&'static str],
}

const fn check(
    marks: &'static [&'static str],
    pattern: &'static str,
    scope: &'static str,
    keywords: &'static [&'static str],
) -> Check {
    Check { marks, pattern, scope, keywords }
}

static TABLE: &[Check] = &[
    check(
        &[
            "google/addlicense",
            "addlicense -check",
            "license-eye",
            "apache/skywalking-eyes",
            "reuse lint",
            "fsfe/reuse-action",
            "licenseheaders",
        ],
        "Begin new files with the licence header of the others",
        "global",
        &["licence", "license", "header", "file", "new"],
    ),
    check(
        &["cargo semver-checks", "cargo-semver-checks-action", "rust-semver-checks"],
        "Keep public API compatible with the last release, or raise the version",
        "language:rust",
        &["api", "public", "remove", "rename"],
    ),
    check(
        &["japicmp", "revapi:check", "revapi"],
        "Keep public API binary compatible with the last release",
        "language:java",
        &["api", "public", "remove", "rename"],
    ),
    check(
        &["animal-sniffer:check"],
        "Call only library methods of the oldest supported platform",
        "language:java",
        &["api", "library", "java", "android"],
    ),
    check(
        &["gorelease@", "cmd/gorelease", "apidiff"],
        "Keep exported API compatible with the last release",
        "language:go",
        &["api", "exported", "remove", "rename"],
    ),
    check(
        &["api-extractor run"],
        "Run API Extractor after a change of exported API and commit its report",
        "global",
        &["api", "export", "public"],
    ),
    check(
        &["--feature-powerset", "--each-feature"],
        "Keep every combination of Cargo features compiling",
        "language:rust",
        &["feature", "cfg", "cargo"],
    ),
    check(
        &["cargo miri", "miri test", "miri nextest"],
        "Write `unsafe` code that Miri accepts",
        "language:rust",
        &["unsafe", "pointer", "memory"],
    ),
    check(
        &["--cfg loom"],
        "Test changes of lock-free code with `loom`",
        "language:rust",
        &["atomic", "concurrency", "thread", "lock"],
    ),
    check(
        &[
            "-Z minimal-versions",
            "-Zminimal-versions",
            "direct-minimal-versions",
            "cargo minimal-versions",
        ],
        "State the lowest version of a dependency that compiles",
        "**/Cargo.toml",
        &["dependency", "version", "cargo"],
    ),
    check(
        &["thumbv6", "thumbv7", "thumbv8", "riscv32imc-unknown-none", "x86_64-unknown-none"],
        "Keep the library compiling without `std`",
        "language:rust",
        &["std", "core", "alloc"],
    ),
    check(
        &["wasm32-unknown-unknown", "wasm32-wasi", "wasm32-wasip1"],
        "Keep the library compiling for WebAssembly",
        "language:rust",
        &["wasm", "target", "platform"],
    ),
    check(
        &[
            "RUSTDOCFLAGS: -D",
            "RUSTDOCFLAGS: \"-D",
            "RUSTDOCFLAGS: --cfg docsrs -D",
            "RUSTDOCFLAGS=\"-D",
            "RUSTDOCFLAGS: \"--cfg docsrs -D",
        ],
        "Write documentation without broken links: warnings of rustdoc are errors",
        "language:rust",
        &["documentation", "doc", "link"],
    ),
    check(
        &[
            "RUSTFLAGS: -D",
            "RUSTFLAGS: -Dwarnings",
            "RUSTFLAGS: \"-D",
            "-D warnings",
            "--deny warnings",
        ],
        "Leave no warning of the compiler or of clippy: they are errors",
        "language:rust",
        &["warning", "lint", "clippy"],
    ),
    check(
        &[
            "crate-ci/typos",
            "run: typos",
            "codespell",
            "cspell",
            "cargo spellcheck",
            "cargo-spellcheck",
            "check-spelling",
        ],
        "Spell words in code and texts correctly, or add them to the dictionary of the spell check",
        "global",
        &["spelling", "typo", "word", "documentation"],
    ),
    check(
        &["commitlint", "action-semantic-pull-request", "conventional-pr", "semantic-pr"],
        "Write titles of commits and pull requests as Conventional Commits: `type(scope): summary`",
        "global",
        &["commit", "message", "title"],
    ),
    check(
        &["changeset status", "changeset-check", "changesets/action"],
        "Add a changeset with `changeset add` to a change that users notice",
        "global",
        &["changelog", "changeset", "release"],
    ),
    check(
        &["towncrier check", "towncrier build"],
        "Add a news fragment for towncrier to a change that users notice",
        "global",
        &["changelog", "news", "release"],
    ),
    check(
        &["changelog-enforcer", "changelog-check", "check-changelog"],
        "Describe a change in the changelog",
        "global",
        &["changelog", "release"],
    ),
    check(
        &["shellcheck"],
        "Write shell scripts that `shellcheck` accepts",
        "language:bash",
        &["shell", "script"],
    ),
    check(
        &["markdownlint"],
        "Write Markdown that `markdownlint` accepts",
        "language:markdown",
        &["documentation", "markdown"],
    ),
    check(
        &["cargo udeps", "cargo-udeps", "cargo machete", "cargo-machete", "cargo shear"],
        "Remove dependencies that nothing uses any more",
        "**/Cargo.toml",
        &["dependency", "cargo", "unused"],
    ),
    check(
        &["knip", "depcheck", "unimported"],
        "Remove exports and dependencies that nothing uses any more",
        "global",
        &["dependency", "export", "unused"],
    ),
    check(
        &["arethetypeswrong", "attw ", "publint"],
        "Keep `exports` and types of `package.json` valid for every module system",
        "**/package.json",
        &["package", "export", "type"],
    ),
    check(
        &["size-limit", "bundlesize", "bundlewatch"],
        "Keep the bundle within its size limit",
        "global",
        &["size", "bundle", "dependency"],
    ),
    check(
        &["go test&-race"],
        "Run tests with `-race`",
        "language:go",
        &["test", "race", "concurrency"],
    ),
    check(
        &["go vet -vettool", "govulncheck"],
        "Use no dependency that `govulncheck` reports",
        "**/go.mod",
        &["dependency", "vulnerability"],
    ),
    check(
        &["buf breaking", "buf-breaking-action"],
        "Keep messages of Protocol Buffers compatible",
        "**/*.proto",
        &["proto", "message", "field"],
    ),
    check(
        &["dotnet format --verify-no-changes"],
        "Run `dotnet format` before a change is finished",
        "language:csharp",
        &["format", "style"],
    ),
    check(
        &["-fsanitize=", "ASAN_OPTIONS", "sanitizer: [", "-DSANITIZE", "ENABLE_ASAN"],
        "Run tests with sanitizers after a change of memory management",
        "global",
        &["memory", "pointer", "sanitizer", "leak"],
    ),
];

/// Texts that show that generated files are compared with committed ones.
const CLEAN: &[&str] = &[
    "git diff --exit-code",
    "git diff --quiet",
    "git status --porcelain",
    "git diff-index --quiet",
];

/// Returns true for a file of continuous integration.
fn is_workflow(path: &str) -> bool {
    let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    let is_named = [".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", ".cirrus.yml"];
    is_named.contains(&path)
        || is_yaml
            && [".github/workflows/", ".circleci/", ".buildkite/", ".woodpecker/"]
                .iter()
                .any(|it| path.starts_with(it))
}

/// Returns the workflows with their texts, in path order.
pub fn workflows(texts: &Texts<'_>) -> Vec<(String, String)> {
    let paths = texts.paths();
    let named = paths.iter().filter(|path| is_workflow(path)).take(FILES_MAX);
    named.filter_map(|path| Some((path.to_string(), texts.read(path)?))).collect()
}

/// Adds what workflows check.
pub fn find(workflows: &[(String, String)], signals: &mut Vec<Signal>) {
    for check in TABLE {
        let found = workflows.iter().find_map(|(path, text)| {
            let lines = text.lines().enumerate().filter(|(_, line)| !is_comment(line));
            let lines = lines.filter(|(_, line)| check.marks.iter().any(|it| has(line, it)));
            // The command says more than the name of its step.
            let is_name = |line: &str| {
                let line = line.trim().trim_start_matches("- ");
                line.starts_with("name:") || line.starts_with("needs:") || line.ends_with(':')
            };
            let found = lines.min_by_key(|(at, line)| (is_name(line), *at));
            found.map(|(at, line)| (path, at + 1, line))
        });
        let Some((path, line, text)) = found else { continue };
        let Ok(scope) = Scope::parse(check.scope) else { continue };
        let draft = Draft {
            scope,
            kind: Kind::Checks,
            pattern: check.pattern.to_owned(),
            rationale: format!("CI fails otherwise: `{}` in `{}`.", shown(text), name(path)),
            confidence: Confidence::High,
            source_refs: vec![SourceRef::line(path, line, "checks it")],
            keywords: check.keywords,
        };
        signals.push(draft.signal());
    }
    generated(workflows, signals);
}

/// Returns a line of a workflow as it is quoted.
fn shown(line: &str) -> String {
    let line = line.trim().trim_start_matches("- ");
    let line = line.strip_prefix("run: ").unwrap_or(line).trim_matches(['|', ' ']);
    let line = text::plain(text::start(line, COMMAND_BYTES_MAX));
    line.replace('`', "'")
}

/// Returns true if a line contains all parts of a mark, which `&` separates.
fn has(line: &str, mark: &str) -> bool {
    mark.split('&').all(|part| line.contains(part))
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// Adds the commands whose results are committed: CI runs them and compares.
fn generated(workflows: &[(String, String)], signals: &mut Vec<Signal>) {
    let mut found: Vec<String> = Vec::new();
    for (path, text) in workflows {
        for mark in CLEAN {
            for (at, _) in text.match_indices(mark) {
                let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
                if is_comment(&text[start..]) {
                    continue;
                }
                // The command of the same line, else that of a line before.
                let same = text[start..at].trim().trim_start_matches("- ");
                let same = same.strip_prefix("run: ").unwrap_or(same);
                let same =
                    same.trim_end_matches(['&', ';', ' ', '|', '(', '$', '"', '[', '!', '{']);
                let before = text[..start].lines().rev().take(12).filter_map(command);
                let own = command(&format!("run: {same}")).filter(|_| same.contains(' '));
                let Some(command) = own.or_else(|| before.take(1).next()) else { continue };
                if found.contains(&command) || found.len() >= 3 {
                    continue;
                }
                found.push(command.clone());
                let line = line_at(text, at);
                let draft = Draft {
                    scope: Scope::Global,
                    kind: Kind::Checks,
                    pattern: format!("Run `{command}` and commit what it changes"),
                    rationale: format!(
                        "CI runs it and fails if files differ (`{}` in `{}`).",
                        mark,
                        name(path)
                    ),
                    confidence: Confidence::High,
                    source_refs: vec![SourceRef::line(path, line, "compares the files")],
                    keywords: &["generate", "generated", "format", "commit"],
                };
                signals.push(draft.signal());
            }
        }
    }
}

/// Returns the command of a line of a script, if it may generate or format files.
fn command(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches("- ");
    let line = line.strip_prefix("run: ").unwrap_or(line).trim_matches(['|', ' ']);
    let line = line.trim_end_matches("&&").trim();
    let words = [
        "gen", "fmt", "format", "build", "update", "tidy", "docs", "sync", "protoc", "snapshot",
        "apidump", "codegen", "lock", "fix",
    ];
    let lower = line.to_lowercase();
    let is_setting =
        line.contains(": ") || line.ends_with(':') || line.starts_with(['#', '{', '}']);
    let is_run = !is_setting && words.iter().any(|it| lower.contains(it));
    let other = ["echo ", "if ", "then", "fi", "git ", "exit", "cd ", "[", "test "];
    if !is_run || other.iter().any(|it| line.starts_with(it)) || line.contains("${{") {
        return None;
    }
    let is_short = (4..=COMMAND_BYTES_MAX).contains(&line.len()) && line.contains(' ');
    is_short.then(|| text::plain(line).replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(text: &str) -> Vec<String> {
        let mut signals = Vec::new();
        find(&[(".github/workflows/ci.yml".to_owned(), text.to_owned())], &mut signals);
        signals.into_iter().filter_map(|it| it.proposal).map(|it| it.pattern).collect()
    }

    #[test]
    fn checks_are_found_in_workflows() {
        assert_eq!(
            patterns("      - run: |\n          make generate\n          git diff --exit-code\n"),
            ["Run `make generate` and commit what it changes"]
        );
        assert_eq!(
            patterns("      - run: go mod tidy && git diff --exit-code\n"),
            ["Run `go mod tidy` and commit what it changes"]
        );
        assert_eq!(patterns("      - run: cargo hack check --each-feature\n").len(), 1);
        assert_eq!(patterns("      # - run: cargo hack check --each-feature\n").len(), 0);
        assert_eq!(patterns("      - run: git diff --exit-code\n").len(), 0);
        assert!(is_workflow(".github/workflows/ci.yaml") && !is_workflow("a/ci.yaml"));
    }
}
