//! What kind of file a path denotes for the selection of tests, and whether the part of a file outside
//! of functions changed.

use crate::base::path;
use crate::check::trivial::{is_documentation, trivial};
use crate::lang::{Language, Symbol, language};

/// The kind of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum FileKind {
    /// A manifest, a lock file, or the configuration of a runner, a compiler or an environment.
    Configuration,
    /// It cannot alter what a program does.
    Inert,
    /// Code that a test runner executes for the tests in and below its directory.
    Support,
    /// Code of a known language.
    Code,
    /// Everything else: programs may read it.
    Data,
}

/// Names of configuration files, in lower case.
const CONFIGURATION: &[&str] = &[
    ".babelrc",
    ".coveragerc",
    ".dockerignore",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".node-version",
    ".npmrc",
    ".nvmrc",
    ".python-version",
    ".rspec",
    ".ruby-version",
    ".swcrc",
    ".tool-versions",
    ".travis.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "brakefile",
    "build",
    "build.bazel",
    "build.gradle",
    "build.gradle.kts",
    "build.rs",
    "build.sbt",
    "build.zig",
    "bun.lock",
    "bun.lockb",
    "cargo.lock",
    "cargo.toml",
    "cmakelists.txt",
    "codedb.toml",
    "compile_commands.json",
    "composer.json",
    "composer.lock",
    "deno.json",
    "deno.jsonc",
    "deno.lock",
    "dockerfile",
    "dune-project",
    "environment.yml",
    "gemfile",
    "gemfile.lock",
    "global.json",
    "go.mod",
    "go.sum",
    "go.work",
    "go.work.sum",
    "gradle.properties",
    "gradlew",
    "jenkinsfile",
    "justfile",
    "lerna.json",
    "libs.versions.toml",
    "makefile",
    "manifest.in",
    "meson.build",
    "mix.exs",
    "mix.lock",
    "module.bazel",
    "noxfile.py",
    "nx.json",
    "package-lock.json",
    "package.json",
    "package.resolved",
    "package.swift",
    "pdm.lock",
    "phpunit.xml",
    "phpunit.xml.dist",
    "pipfile",
    "pipfile.lock",
    "pixi.lock",
    "pixi.toml",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "poetry.lock",
    "pom.xml",
    "pubspec.lock",
    "pubspec.yaml",
    "pyproject.toml",
    "pytest.ini",
    "rakefile",
    "rebar.config",
    "rust-toolchain",
    "rust-toolchain.toml",
    "settings.gradle",
    "settings.gradle.kts",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "turbo.json",
    "uv.lock",
    "workspace",
    "yarn.lock",
];

/// Starts of names of configuration files with several extensions, in lower case.
const CONFIGURATION_STEMS: &[&str] = &[
    ".babelrc.",
    ".mocharc.",
    ".taprc",
    "ava.config.",
    "babel.config.",
    "cypress.config.",
    "docker-compose",
    "esbuild.config.",
    "jest-preset.",
    "jest.config.",
    "jest.setup.",
    "karma.conf.",
    "metro.config.",
    "next.config.",
    "nuxt.config.",
    "playwright.config.",
    "postcss.config.",
    "requirements",
    "rollup.config.",
    "svelte.config.",
    "tailwind.config.",
    "tsconfig",
    "vite.config.",
    "vitest.config.",
    "vitest.setup.",
    "vitest.workspace.",
    "webpack.config.",
    "wdio.conf.",
];

/// Extensions of configuration files.
const CONFIGURATION_EXTENSIONS: &[&str] = &[
    "bazel",
    "bzl",
    "cabal",
    "cmake",
    "csproj",
    "fsproj",
    "gemspec",
    "props",
    "rockspec",
    "sln",
    "slnx",
    "targets",
    "vbproj",
    "xcconfig",
    "xctestplan",
];

/// Directories of configuration.
const CONFIGURATION_DIRECTORIES: &[&str] =
    &[".cargo", ".circleci", ".github", ".gitlab", ".mvn", ".buildkite"];

/// Directories whose texts tests compare with or read.
const TEST_DIRECTORIES: &[&str] = &[
    "__snapshots__",
    "__tests__",
    "expected",
    "fixtures",
    "golden",
    "goldens",
    "snapshots",
    "spec",
    "test",
    "testdata",
    "tests",
];

/// Names of files that alter no program, in lower case.
const INERT: &[&str] = &[
    ".clang-format",
    ".clang-tidy",
    ".editorconfig",
    ".eslintignore",
    ".git-blame-ignore-revs",
    ".gitattributes",
    ".gitignore",
    ".gitkeep",
    ".ignore",
    ".keep",
    ".mailmap",
    ".prettierignore",
    ".prettierrc",
    ".rgignore",
    "citation.cff",
    "codeowners",
    "funding.yml",
    "rustfmt.toml",
];

/// Directories of code that tests read as text, in lower case.
const SAMPLE_DIRECTORIES: &[&str] = &[
    "__fixtures__",
    "__testfixtures__",
    "expected",
    "fixtures",
    "golden",
    "goldens",
    "snapshots",
    "testdata",
];

/// Returns true if tests may read the file at a repository path as text although it is code.
pub(super) fn is_sample(path: &[u8]) -> bool {
    let mut folders = path::split(path).0.split(|&byte| byte == b'/');
    folders.any(|part| SAMPLE_DIRECTORIES.iter().any(|of| of.as_bytes() == part))
}

/// Returns the kind of the file at a repository path.
pub(super) fn kind(path: &[u8]) -> FileKind {
    let (folder, name) = path::split(path);
    let name = String::from_utf8_lossy(name).to_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if INERT.contains(&name.as_str()) {
        return FileKind::Inert;
    }
    let starts = |start: &&str| {
        // `requirements.rs` is code.
        let rest = name.strip_prefix(*start);
        rest.is_some_and(|rest| {
            start.ends_with('.')
                || rest.ends_with("txt")
                || rest.ends_with("json")
                || rest.ends_with("yml")
                || rest.ends_with("yaml")
                || rest.ends_with(".in")
                || rest.is_empty()
        })
    };
    let folders = || folder.split(|&byte| byte == b'/');
    if CONFIGURATION.contains(&name.as_str())
        || CONFIGURATION_STEMS.iter().any(starts)
        || CONFIGURATION_EXTENSIONS.contains(&extension)
        || folders().any(|part| CONFIGURATION_DIRECTORIES.iter().any(|of| of.as_bytes() == part))
            && !is_documentation(path)
    {
        return FileKind::Configuration;
    }
    let is_of_tests =
        || folders().any(|part| TEST_DIRECTORIES.iter().any(|of| of.as_bytes() == part));
    if is_documentation(path) && !is_of_tests() {
        return FileKind::Inert;
    }
    if is_documentation(path) {
        return FileKind::Data;
    }
    if matches!(name.as_str(), "conftest.py") {
        return FileKind::Support;
    }
    match language::of_name(name.as_bytes()) {
        Some(language) if language.is_code() => FileKind::Code,
        _ => FileKind::Data,
    }
}

/// A text with its definitions.
#[derive(Clone, Copy)]
pub(super) struct Parsed<'a> {
    pub(super) text: &'a [u8],
    pub(super) symbols: &'a [Symbol],
}

/// Returns true if code outside of functions differs: statements, imports, constants, types, headers of
/// classes. White space and comments do not count. O(texts).
pub(super) fn differs_outside(
    path: &[u8],
    language: &Language,
    before: Parsed<'_>,
    after: Parsed<'_>,
) -> bool {
    let (before, after) = (outside(before), outside(after));
    before != after && trivial(path, Some(language), &before, &after).is_none()
}

/// Returns the text without the lines of functions.
fn outside(of: Parsed<'_>) -> String {
    let mut functions: Vec<std::ops::Range<usize>> = of
        .symbols
        .iter()
        .filter(|symbol| symbol.kind.is_callable())
        .map(|symbol| symbol.span.clone())
        .collect();
    functions.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut left = Vec::with_capacity(of.text.len());
    let mut at = 0;
    for span in functions {
        if span.start < at || span.end > of.text.len() {
            continue;
        }
        let line = memchr::memrchr(b'\n', &of.text[at..span.start]).map_or(at, |end| at + end + 1);
        left.extend_from_slice(&of.text[at..line]);
        let end = memchr::memchr(b'\n', &of.text[span.end..]);
        at = end.map_or(of.text.len(), |end| span.end + end + 1);
    }
    left.extend_from_slice(&of.text[at.min(of.text.len())..]);
    String::from_utf8_lossy(&left).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_a_kind() {
        for (path, expected) in [
            ("pyproject.toml", FileKind::Configuration),
            ("a/requirements-dev.txt", FileKind::Configuration),
            ("requirements/base.txt", FileKind::Data),
            ("src/requirements.rs", FileKind::Code),
            ("tsconfig.build.json", FileKind::Configuration),
            ("jest.config.ts", FileKind::Configuration),
            (".github/workflows/ci.yml", FileKind::Configuration),
            (".github/README.md", FileKind::Inert),
            ("src/App.csproj", FileKind::Configuration),
            ("build.rs", FileKind::Configuration),
            ("README.md", FileKind::Inert),
            (".gitignore", FileKind::Inert),
            ("docs/guide.txt", FileKind::Inert),
            ("tests/golden/a.md", FileKind::Data),
            ("tests/conftest.py", FileKind::Support),
            ("src/a.py", FileKind::Code),
            ("src/data.json", FileKind::Data),
            ("logo.png", FileKind::Data),
        ] {
            assert_eq!(kind(path.as_bytes()), expected, "{path}");
        }
    }
}
