//! Files that show what a change needs: recorded outputs of tests, changesets, vendored modules, generated
//! code, and the platforms on which continuous integration runs.

use super::observe::Observed;
use super::texts::{Texts, line_of};
use super::{Draft, Kind, REFERENCES, Signal, name};
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The fewest recorded outputs.
const OUTPUTS_MIN: usize = 3;

/// A file that stands for a way of working.
struct Presence {
    paths: &'static [&'static str],
    pattern: &'static str,
    why: &'static str,
    scope: &'static str,
    keywords: &'static [&'static str],
}

static PRESENT: &[Presence] = &[
    Presence {
        paths: &[".changeset/config.json"],
        pattern: "Add a changeset with `changeset add` to a change that users notice",
        why: "Releases are made of the files in `.changeset/`.",
        scope: "global",
        keywords: &["changelog", "changeset", "release"],
    },
    Presence {
        paths: &["vendor/modules.txt"],
        pattern: "Run `go mod vendor` after a change of dependencies and commit what it changes",
        why: "Modules are vendored.",
        scope: "path:go.mod",
        keywords: &["dependency", "vendor", "module"],
    },
    Presence {
        paths: &[".github/dco.yml"],
        pattern: "Sign off commits with `git commit --signoff`",
        why: "A check requires the line `Signed-off-by`.",
        scope: "global",
        keywords: &["commit", "sign", "message"],
    },
    Presence {
        paths: &[
            "release-please-config.json",
            ".release-please-manifest.json",
            ".releaserc",
            ".releaserc.json",
            ".releaserc.yml",
            "release.config.js",
            "release.config.cjs",
            "release.config.mjs",
        ],
        pattern: "Do not edit versions and the changelog by hand: releases derive them from commits",
        why: "A tool makes releases of the messages of commits.",
        scope: "global",
        keywords: &["changelog", "version", "release", "commit"],
    },
    Presence {
        paths: &[".licenserc.yaml", ".licenserc.json", "licenserc.toml", "REUSE.toml"],
        pattern: "Begin new files with the licence header of the others",
        why: "A tool checks the headers.",
        scope: "global",
        keywords: &["licence", "license", "header", "file", "new"],
    },
];

/// Recorded outputs, and the command that records them again.
struct Output {
    /// The ending of their paths, and a part of them.
    ending: &'static str,
    part: &'static str,
    /// A manifest and a text in it.
    manifest: &'static str,
    mark: &'static str,
    pattern: &'static str,
    keywords: &'static [&'static str],
}

static OUTPUTS: &[Output] = &[
    Output {
        ending: ".snap",
        part: "snapshots/",
        manifest: "Cargo.toml",
        mark: "insta",
        pattern: "Update snapshots with `cargo insta test --accept`, never by hand",
        keywords: &["test", "snapshot", "output"],
    },
    Output {
        ending: ".stderr",
        part: "",
        manifest: "Cargo.toml",
        mark: "trybuild",
        pattern: "Update expected errors of the compiler with `TRYBUILD=overwrite cargo test`",
        keywords: &["test", "compile", "error", "macro"],
    },
    Output {
        ending: ".snap",
        part: "__snapshots__/",
        manifest: "package.json",
        mark: "vitest",
        pattern: "Update snapshots with `vitest -u`, never by hand",
        keywords: &["test", "snapshot", "output"],
    },
    Output {
        ending: ".snap",
        part: "__snapshots__/",
        manifest: "package.json",
        mark: "jest",
        pattern: "Update snapshots with `jest -u`, never by hand",
        keywords: &["test", "snapshot", "output"],
    },
    Output {
        ending: ".ambr",
        part: "",
        manifest: "pyproject.toml",
        mark: "syrupy",
        pattern: "Update snapshots with `pytest --snapshot-update`, never by hand",
        keywords: &["test", "snapshot", "output"],
    },
];

/// Adds what files show.
pub fn find(
    texts: &Texts<'_>,
    files: &[Observed],
    workflows: &[(String, String)],
    signals: &mut Vec<Signal>,
) {
    let mut add =
        |scope: &str, pattern: &str, why: String, refs: Vec<SourceRef>, keywords: &[&str]| {
            let Ok(scope) = Scope::parse(scope) else { return };
            let (pattern, confidence) = (pattern.to_owned(), Confidence::High);
            let (rationale, source_refs) = (why, refs);
            let kind = Kind::Checks;
            signals.push(
                Draft { scope, kind, pattern, rationale, confidence, source_refs, keywords }
                    .signal(),
            );
        };
    for it in PRESENT {
        if let Some(path) = it.paths.iter().find(|path| texts.has_file(path)) {
            let refs = vec![SourceRef::line(path, 1, "shows it")];
            add(it.scope, it.pattern, format!("{} See `{path}`.", it.why), refs, it.keywords);
        }
    }
    for it in OUTPUTS {
        let is_output = |path: &str| path.ends_with(it.ending) && path.contains(it.part);
        let found = texts.matching(&is_output);
        let manifests = || {
            let is_manifest = |path: &str| path.rsplit('/').next() == Some(it.manifest);
            texts.matching(&is_manifest).into_iter().take(100).find_map(|path| {
                let line = line_of(&texts.read(&path)?, it.mark)?;
                Some((path, line))
            })
        };
        if found.len() < OUTPUTS_MIN {
            continue;
        }
        let Some((manifest, line)) = manifests() else { continue };
        let why = format!(
            "{} files such as `{}` record what tests expect; `{}` has `{}`.",
            found.len(),
            name(&found[0]),
            name(&manifest),
            it.mark
        );
        add(
            "global",
            it.pattern,
            why,
            vec![SourceRef::line(&manifest, line, "has it")],
            it.keywords,
        );
    }
    let golden: Vec<&Observed> = files.iter().filter(|it| it.golden_line > 0).collect();
    if let Some(first) = golden.first() {
        let refs = golden.iter().take(REFERENCES);
        let refs = refs.map(|it| SourceRef::line(&it.path, it.golden_line, "defines the flag"));
        let why = format!("`{}` defines the flag.", name(&first.path));
        let pattern = "Update golden files with the flag `-update` of `go test`, never by hand";
        add("language:go", pattern, why, refs.collect(), &["test", "golden", "output"]);
    }
    let generators: Vec<&Observed> = files.iter().filter(|it| it.generate_line > 0).collect();
    if let Some(first) = generators.first() {
        let refs = generators.iter().take(REFERENCES);
        let refs = refs.map(|it| SourceRef::line(&it.path, it.generate_line, "generates"));
        let why = format!(
            "{} files such as `{}` have a line `//go:generate`.",
            generators.len(),
            name(&first.path)
        );
        let pattern = "Run `go generate` for a package whose generated code depends on a change";
        add("language:go", pattern, why, refs.collect(), &["generate", "generated", "code"]);
    }
    // Programs of these languages see one platform, their virtual machine.
    let is_virtual = |it: &&Observed| ["java", "kotlin", "scala"].contains(&it.language);
    if files.iter().filter(is_virtual).count() * 2 < files.len().max(1) {
        platforms(workflows, &mut add);
    }
}

type Add<'a> = dyn FnMut(&str, &str, String, Vec<SourceRef>, &[&str]) + 'a;

/// Adds the platforms on which tests run.
fn platforms(workflows: &[(String, String)], add: &mut Add<'_>) {
    let systems = [("windows-", "Windows"), ("macos-", "macOS"), ("ubuntu-", "Linux")];
    for (path, text) in workflows {
        let other = ["release", "deploy", "publish"];
        let is_other = |it: &str| other.iter().any(|name| it.contains(name));
        let is_test = path.rsplit('/').next().is_some_and(|it| !is_other(it))
            && (text.contains("test") || text.contains("check"));
        let lines = || text.lines().enumerate().filter(|(_, it)| !it.trim_start().starts_with('#'));
        let has = |mark: &str| {
            let is_system = |line: &str| {
                line.contains(&format!("{mark}latest")) || line.contains(&format!("{mark}2"))
            };
            lines().find(|(_, line)| is_system(line)).map(|(at, _)| at + 1)
        };
        let found: Vec<(usize, &str)> =
            systems.iter().filter_map(|(mark, name)| Some((has(mark)?, *name))).collect();
        let Some((line, _)) = found.iter().find(|(_, name)| *name == "Windows") else { continue };
        if !is_test || found.len() < 2 {
            continue;
        }
        let names: Vec<&str> = found.iter().map(|(_, name)| *name).collect();
        let pattern = format!(
            "Write code and tests that work on {}: paths, line ends, signals",
            names.join(" and ").replacen(" and ", ", ", names.len().saturating_sub(2))
        );
        let why = format!("CI runs on each of them (`{}`).", name(path));
        let refs = vec![SourceRef::line(path, *line, "runs there")];
        add("global", &pattern, why, refs, &["platform", "windows", "path", "file"]);
        return;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_those_of_tests() {
        let found = |path: &str, text: &str| {
            let mut found = Vec::new();
            let workflows = [(path.to_owned(), text.to_owned())];
            platforms(&workflows, &mut |_, pattern, _, _, _| found.push(pattern.to_owned()));
            found
        };
        let text = "os: [ubuntu-latest, windows-2022, macos-latest]\nrun: cargo test\n";
        assert_eq!(
            found("ci.yml", text),
            [
                "Write code and tests that work on Windows, macOS and Linux: paths, line ends, signals"
            ]
        );
        assert_eq!(found("release.yml", text), Vec::<String>::new());
        assert_eq!(found("deploy.yml", text), Vec::<String>::new());
        assert_eq!(found("ci.yml", "# windows-latest\nubuntu-latest test"), Vec::<String>::new());
    }
}
