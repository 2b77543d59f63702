//! The role of a file in its repository, by its path: what else than sources a change may edit.

use serde::Serialize;

use crate::base::path;
use crate::lang::{language, marks};

/// The role of a file.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Code that is shipped.
    #[default]
    Source,
    /// It decides how the program is built.
    Build,
    /// It names the dependencies and what is packaged.
    Manifest,
    /// Other data and configuration.
    Data,
    /// A service that tests or releases reads it.
    Pipeline,
    /// It is written by a package manager.
    Lock,
    /// An example or a measurement.
    Example,
    /// It serves the people who work on the repository, or was left by accident.
    Tooling,
    /// A test, or generated, vendored or minified.
    Secondary,
}

/// Files with dependencies.
const MANIFESTS: &[&str] = &[
    "cargo.toml",
    "composer.json",
    "gemfile",
    "go.mod",
    "mix.exs",
    "package.json",
    "package.swift",
    "pipfile",
    "pom.xml",
    "pubspec.yaml",
    "pyproject.toml",
    "setup.cfg",
    "vcpkg.json",
];

/// Files that package managers write.
const LOCKS: &[&str] = &[
    "bun.lock",
    "cargo.lock",
    "composer.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pdm.lock",
    "pipfile.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

/// Files that build.
const BUILDS: &[&str] = &[
    "build.bazel",
    "build.rs",
    "build.sbt",
    "build.xml",
    "build.zig",
    "cmakelists.txt",
    "configure",
    "configure.ac",
    "configure.in",
    "gnumakefile",
    "gruntfile.js",
    "gulpfile.js",
    "jakefile",
    "makefile",
    "makefile.am",
    "makefile.in",
    "meson.build",
    "rakefile",
    "sconstruct",
    "setup.py",
    "workspace",
    "wscript",
];

/// Directories and files of services.
const PIPELINES: &[&str] = &[
    ".appveyor.yml",
    ".buildkite",
    ".circleci",
    ".cirrus.yml",
    ".codecov.yml",
    ".drone.yml",
    ".github",
    ".gitlab",
    ".gitlab-ci.yml",
    ".readthedocs.yaml",
    ".readthedocs.yml",
    ".travis.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "codecov.yml",
    "dependabot.yml",
    "jenkinsfile",
    "netlify.toml",
    "renovate.json",
];

/// Directories with examples and measurements.
const EXAMPLES: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "demo",
    "demos",
    "doc",
    "docs",
    "example",
    "examples",
    "sample",
    "samples",
];

/// Directories at the root with programs for the people who work on the repository.
const TOOLING: &[&str] = &["ci", "contrib", "dev", "hack", "misc", "script", "scripts"];

/// Directories of what was not meant to stay.
const SCRATCH: &[&str] = &["scratch", "temp", "tmp"];

/// Returns the role of a file; `is_secondary` if it is a test, or generated, vendored or minified.
/// O(path).
pub fn of(file: &[u8], is_secondary: bool) -> Role {
    let path_text = String::from_utf8_lossy(file).to_lowercase();
    let (directory, name) = path_text.rsplit_once('/').unwrap_or(("", &path_text));
    let parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_requirements = extension == "txt"
        && (stem.starts_with("requirements")
            || stem.ends_with("requirements")
            || parts.contains(&"requirements"));
    let is_container = name.starts_with("dockerfile") || name.starts_with("docker-compose");
    let is_ignored = ["bak", "orig", "rej", "swp", "tmp"].contains(&extension);
    let first = parts.first().copied().unwrap_or_default();
    if LOCKS.contains(&name) {
        Role::Lock
    } else if is_secondary {
        Role::Secondary
    } else if PIPELINES.contains(&first) || PIPELINES.contains(&name) {
        Role::Pipeline
    } else if is_ignored || parts.iter().any(|part| SCRATCH.contains(part)) {
        Role::Tooling
    } else if parts.iter().any(|part| EXAMPLES.contains(part)) {
        Role::Example
    } else if is_requirements {
        let is_for_people = ["dev", "test", "doc", "lint"].iter().any(|word| name.contains(word));
        if is_for_people { Role::Tooling } else { Role::Manifest }
    } else if MANIFESTS.contains(&name) || ["csproj", "gemspec", "podspec"].contains(&extension) {
        Role::Manifest
    } else if BUILDS.contains(&name)
        || is_container
        || ["bzl", "cmake", "gradle", "m4", "mk"].contains(&extension)
        || name.ends_with(".gradle.kts")
    {
        Role::Build
    } else if TOOLING.contains(&first) || is_dot_file(name, &parts) || is_linter(name) {
        Role::Tooling
    } else if language::of_name(path::split(file).1).is_some_and(|it| it.is_code()) {
        Role::Source
    } else {
        Role::Data
    }
}

/// Returns true for data that programs read as settings, by the extension. O(path).
pub fn is_configuration(file: &[u8]) -> bool {
    const EXTENSIONS: &[&str] =
        &["cfg", "conf", "env", "ini", "json", "properties", "sql", "toml", "xml", "yaml", "yml"];
    let file = String::from_utf8_lossy(file).to_lowercase();
    file.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// Returns true for a service that publishes, by its path. O(path).
pub fn releases(file: &[u8]) -> bool {
    let file = String::from_utf8_lossy(file).to_lowercase();
    ["deploy", "publish", "release"].iter().any(|word| file.contains(word))
}

/// Returns the role of a file, with marks of its path alone. O(path).
pub fn of_path(file: &[u8]) -> Role {
    let marks = marks::of_path(file);
    of(file, marks.test || marks.ranks_last())
}

fn is_dot_file(name: &str, parts: &[&str]) -> bool {
    name.starts_with('.') || parts.iter().any(|part| part.starts_with('.'))
}

/// Returns true for settings of linters, formatters and runners of tests.
fn is_linter(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "biome.json",
        "clippy.toml",
        "conftest.py",
        "deny.toml",
        "mypy.ini",
        "noxfile.py",
        "phpcs.xml",
        "phpunit.xml",
        "pylintrc",
        "pytest.ini",
        "rustfmt.toml",
        "tasks.py",
        "tox.ini",
        "tslint.json",
    ];
    const STARTS: &[&str] =
        &["eslint.config.", "jest.config.", "karma.conf.", "prettier.config.", "vitest.config."];
    NAMES.contains(&name) || STARTS.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_roles() {
        for (path, expected) in [
            ("src/a.rs", Role::Source),
            ("src/tools/a.rs", Role::Source),
            ("a/b.py", Role::Source),
            ("Cargo.toml", Role::Manifest),
            ("sub/package.json", Role::Manifest),
            ("requirements.txt", Role::Manifest),
            ("requirements-dev.txt", Role::Tooling),
            ("Cargo.lock", Role::Lock),
            ("tests/fixtures/yarn.lock", Role::Lock),
            ("Makefile", Role::Build),
            ("build.rs", Role::Build),
            ("app/build.gradle.kts", Role::Build),
            (".github/workflows/ci.yml", Role::Pipeline),
            (".travis.yml", Role::Pipeline),
            ("scripts/check", Role::Tooling),
            (".editorconfig", Role::Tooling),
            ("tox.ini", Role::Tooling),
            ("src/a.rs.orig", Role::Tooling),
            ("tmp/a.py", Role::Tooling),
            ("examples/a.rs", Role::Example),
            ("docs/conf.py", Role::Example),
            ("tests/a.rs", Role::Secondary),
            ("vendor/a.go", Role::Secondary),
            ("config/app.yml", Role::Data),
            ("logo.png", Role::Data),
        ] {
            assert_eq!(of_path(path.as_bytes()), expected, "{path}");
        }
    }
}
