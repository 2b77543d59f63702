//! The commands of a repository: its package manager, and how its tests and checks run.
//!
//! What continuous integration runs precedes what a file only offers.

use std::collections::BTreeMap;

use super::texts::{Texts, line_of};
use super::{Draft, Kind, Signal, name};
use crate::base::text;
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// A package manager: its name, the files that it writes, what it replaces, and a use of it in a workflow.
struct Manager {
    name: &'static str,
    locks: &'static [&'static str],
    others: &'static str,
    /// The file without which the language has no packages here.
    manifest: &'static str,
    uses: &'static [&'static str],
}

static MANAGERS: &[Manager] = &[
    Manager {
        name: "pnpm",
        locks: &["pnpm-lock.yaml"],
        others: "`npm` and `yarn`",
        manifest: "package.json",
        uses: &["pnpm install", "pnpm i ", "pnpm/action-setup", "pnpm run"],
    },
    Manager {
        name: "yarn",
        locks: &["yarn.lock"],
        others: "`npm`",
        manifest: "package.json",
        uses: &["yarn install", "run: yarn", "yarn --frozen-lockfile", "yarn --immutable"],
    },
    Manager {
        name: "bun",
        locks: &["bun.lock", "bun.lockb"],
        others: "`npm`",
        manifest: "package.json",
        uses: &["bun install", "oven-sh/setup-bun"],
    },
    Manager {
        name: "npm",
        locks: &["package-lock.json", "npm-shrinkwrap.json"],
        others: "",
        manifest: "package.json",
        uses: &["npm ci", "npm install", "npm i "],
    },
    Manager {
        name: "uv",
        locks: &["uv.lock"],
        others: "`pip`",
        manifest: "pyproject.toml",
        uses: &["uv sync", "uv run"],
    },
    Manager {
        name: "poetry",
        locks: &["poetry.lock"],
        others: "`pip`",
        manifest: "pyproject.toml",
        uses: &["poetry install", "poetry run"],
    },
    Manager {
        name: "pdm",
        locks: &["pdm.lock"],
        others: "`pip`",
        manifest: "pyproject.toml",
        uses: &["pdm install", "pdm sync", "pdm run"],
    },
    Manager {
        name: "hatch",
        locks: &["hatch.toml"],
        others: "`pip`",
        manifest: "pyproject.toml",
        uses: &["hatch run", "hatch test"],
    },
    Manager {
        name: "pipenv",
        locks: &["Pipfile.lock", "Pipfile"],
        others: "`pip`",
        manifest: "Pipfile",
        uses: &["pipenv install", "pipenv run"],
    },
];

/// Returns the package manager that the repository uses for the packages of a manifest, with its evidence:
/// the place of its lock file or of its use. A field `packageManager` decides, then a lock file that no
/// other one contradicts, then the workflows.
fn manager<'m>(
    texts: &Texts<'_>,
    workflows: &[(String, String)],
    manifest: &str,
) -> Option<(&'m Manager, String, usize)> {
    let all: Vec<&Manager> = MANAGERS.iter().filter(|it| it.manifest == manifest).collect();
    let text = texts.read(manifest)?;
    if let Some(line) = line_of(&text, "\"packageManager\"") {
        let value = text.lines().nth(line - 1)?.split(':').nth(1)?.trim().trim_matches('"');
        let named = all.iter().find(|it| value.starts_with(&format!("{}@", it.name)));
        if let Some(found) = named {
            return Some((found, manifest.to_owned(), line));
        }
    }
    let mut used: BTreeMap<usize, (String, usize)> = BTreeMap::new();
    for (at, it) in all.iter().enumerate() {
        let found = workflows.iter().find_map(|(path, text)| {
            let lines = text.lines().enumerate();
            let mut lines = lines.filter(|(_, line)| {
                !line.trim_start().starts_with('#') && it.uses.iter().any(|mark| uses(line, mark))
            });
            lines.next().map(|(at, _)| (path.clone(), at + 1))
        });
        if let Some(found) = found {
            used.insert(at, found);
        }
    }
    // Without a lock file and without a workflow, the documents for contributors.
    if used.is_empty() {
        let guides = ["CONTRIBUTING.md", ".github/CONTRIBUTING.md", "README.md"];
        for guide in guides {
            let Some(text) = texts.read(guide) else { continue };
            for (at, it) in all.iter().enumerate() {
                let mut lines = text.lines().enumerate();
                let found = lines.find(|(_, line)| it.uses.iter().any(|mark| uses(line, mark)));
                if let Some((line, _)) = found {
                    used.entry(at).or_insert((guide.to_owned(), line + 1));
                }
            }
        }
    }
    let locked: Vec<(usize, &str)> = all
        .iter()
        .enumerate()
        .filter_map(|(at, it)| Some((at, *it.locks.iter().find(|lock| texts.has_file(lock))?)))
        .collect();
    match locked.as_slice() {
        [(at, lock)] => Some((all[*at], (*lock).to_owned(), 1)),
        // Two lock files: the one that CI uses. Without one, CI alone shows it, if it uses only one.
        _ => {
            let of = |at: &usize| locked.is_empty() || locked.iter().any(|(it, _)| it == at);
            let mut found = used.into_iter().filter(|(at, _)| of(at));
            let (at, (path, line)) = found.next()?;
            found.next().is_none().then(|| (all[at], path, line))
        }
    }
}

/// Returns true if a line contains a mark that no letter precedes: `pnpm install` is no `npm install`.
fn uses(line: &str, mark: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    line.match_indices(mark).any(|(at, _)| !line[..at].chars().next_back().is_some_and(is_part))
}

/// A kind of command, and the names of targets and scripts for it, the best first.
struct Purpose {
    what: &'static str,
    names: &'static [&'static str],
}

static PURPOSES: &[Purpose] = &[
    Purpose { what: "tests", names: &["test", "tests", "test-unit", "unit", "unittest"] },
    Purpose {
        what: "checks",
        names: &["check", "lint", "ci", "verify", "validate", "precommit", "pre-commit", "quality"],
    },
    Purpose {
        what: "types",
        names: &["typecheck", "type-check", "check-types", "types", "typing", "mypy", "tsc"],
    },
    Purpose {
        what: "formatting",
        names: &["format", "fmt", "fix", "style", "lint-fix", "lint:fix"],
    },
    Purpose {
        what: "generated files",
        names: &["generate", "gen", "codegen", "protos", "proto", "update-snapshots"],
    },
];

/// A way to run targets by name: its file, how they are run, and the text that defines one.
struct Runner {
    files: &'static [&'static str],
    command: &'static str,
    /// `{}` stands for the name.
    definitions: &'static [&'static str],
}

static RUNNERS: &[Runner] = &[
    Runner {
        files: &["justfile", "Justfile", ".justfile"],
        command: "just {}",
        definitions: &["\n{}:", "\n{} *", "\n{} "],
    },
    Runner {
        files: &["Taskfile.yml", "Taskfile.yaml"],
        command: "task {}",
        definitions: &["\n  {}:"],
    },
    Runner {
        files: &["Makefile", "GNUmakefile"],
        command: "make {}",
        definitions: &["\n{}:", "\n{} :"],
    },
    Runner {
        files: &["noxfile.py"],
        command: "nox -s {}",
        definitions: &["\ndef {}(session", "name=\"{}\"", "name='{}'"],
    },
    Runner {
        files: &["tox.ini"],
        command: "tox -e {}",
        definitions: &["\n[testenv:{}]", "\n[testenv:{},", "\n[testenv:{}{"],
    },
    Runner { files: &["composer.json"], command: "composer {}", definitions: &["\"{}\":"] },
];

/// Adds the package managers and the commands.
pub fn find(texts: &Texts<'_>, workflows: &[(String, String)], signals: &mut Vec<Signal>) {
    let mut script = "npm run";
    for manifest in ["package.json", "pyproject.toml", "Pipfile"] {
        let Some((manager, path, line)) = manager(texts, workflows, manifest) else { continue };
        if manifest == "package.json" && manager.name != "npm" {
            script = match manager.name {
                "pnpm" => "pnpm",
                "yarn" => "yarn",
                _ => "bun run",
            };
        }
        // Everybody begins with `npm`.
        if manager.others.is_empty() {
            continue;
        }
        let draft = Draft {
            scope: Scope::Global,
            kind: Kind::Tools,
            pattern: format!(
                "Install packages and run scripts with `{}`, not with {}",
                manager.name, manager.others
            ),
            rationale: format!("`{}` shows it.", name(&path)),
            confidence: Confidence::High,
            source_refs: vec![SourceRef::line(&path, line, "shows it")],
            keywords: &["package", "install", "dependency", "run", "add"],
        };
        signals.push(draft.signal());
    }
    targets(texts, workflows, script, signals);
}

/// A command with the place that defines it, and what it runs.
struct Target {
    command: String,
    path: String,
    line: usize,
    runs: String,
    is_in_ci: bool,
}

fn targets(
    texts: &Texts<'_>,
    workflows: &[(String, String)],
    script: &str,
    signals: &mut Vec<Signal>,
) {
    let in_ci = |command: &str| {
        workflows.iter().any(|(_, text)| {
            text.lines().any(|line| !line.trim_start().starts_with('#') && uses(line, command))
        })
    };
    let mut chosen: Vec<(&Purpose, Target)> = Vec::new();
    for purpose in PURPOSES {
        let mut found: Vec<Target> = Vec::new();
        for runner in RUNNERS {
            let Some((file, text)) = texts.first(runner.files) else { continue };
            let text = format!("\n{text}");
            for target in purpose.names {
                let at =
                    runner.definitions.iter().find_map(|it| text.find(&it.replace("{}", target)));
                let Some(at) = at else { continue };
                let command = runner.command.replace("{}", target);
                // The first line was added.
                let line = super::texts::line_at(&text, at + 1) - 1;
                let runs = recipe(&text[at + 1..]);
                let is_in_ci = in_ci(&command);
                found.push(Target { command, path: file.to_owned(), line, runs, is_in_ci });
            }
        }
        for target in purpose.names {
            let scripts =
                [format!("scripts/{target}"), format!("script/{target}"), format!("bin/{target}")];
            let paths = scripts.iter().flat_map(|it| [it.clone(), format!("{it}.sh")]);
            for path in paths.filter(|path| texts.has_file(path)) {
                let (command, line) = (path.clone(), 1);
                let is_in_ci = in_ci(&command);
                let runs = texts.read(&path).map(|text| script_runs(&text)).unwrap_or_default();
                found.push(Target { command, path, line, runs, is_in_ci });
            }
            if let Some((line, runs)) = package_script(texts, target) {
                let command = match (script, *target) {
                    ("npm run", "test") => "npm test".to_owned(),
                    _ => format!("{script} {target}"),
                };
                let is_in_ci = in_ci(&command);
                let path = "package.json".to_owned();
                found.push(Target { command, path, line, runs, is_in_ci });
            }
        }
        // What CI runs, then the first.
        found.sort_by_key(|it| !it.is_in_ci);
        chosen.extend(found.into_iter().next().map(|it| (purpose, it)));
    }
    for (purpose, target) in chosen {
        // What everybody runs first needs no decision.
        let is_test = purpose.what == "tests";
        let usual = ["go test", "cargo test", "pytest", "python -m pytest", "python -m unittest"];
        let is_plain = |it: &str| {
            target.runs.starts_with(it)
                && !target.runs.contains(['=', ';', '&'])
                && !target.is_in_ci
        };
        let is_usual = is_test && usual.iter().any(|it| is_plain(it));
        let is_usual_format = purpose.what == "formatting"
            && !target.is_in_ci
            && ["gofmt", "cargo fmt"].iter().any(|it| target.runs.contains(it));
        let is_own_test = ["npm test", "yarn test", "pnpm test", "bun run test"];
        if is_own_test.contains(&target.command.as_str()) || is_usual || is_usual_format {
            continue;
        }
        let checks = ["--check", "test -z", " -l ", "--diff", "--dry-run"];
        let is_check = checks.iter().any(|it| target.runs.contains(it));
        let runs = match target.runs.as_str() {
            "" => String::new(),
            runs => format!(": it runs `{runs}`"),
        };
        let ci = if target.is_in_ci { " CI runs it, too." } else { "" };
        let draft = Draft {
            scope: Scope::Global,
            kind: Kind::Tools,
            pattern: match purpose.what {
                "tests" => format!("Run the tests with `{}`", target.command),
                "generated files" => {
                    format!("Update generated files with `{}`", target.command)
                }
                "types" => {
                    format!("Check types with `{}` before a change is finished", target.command)
                }
                "formatting" if !is_check => format!("Format a change with `{}`", target.command),
                _ => format!("Run `{}` before a change is finished", target.command),
            },
            rationale: format!("`{}` defines it{runs}.{ci}", name(&target.path)),
            confidence: if target.is_in_ci { Confidence::High } else { Confidence::Medium },
            source_refs: vec![SourceRef::line(&target.path, target.line, "defines it")],
            keywords: &["run", "test", "check", "lint", "format", "finish"],
        };
        signals.push(draft.signal());
    }
}

/// Returns the commands of a short script of the shell.
fn script_runs(text: &str) -> String {
    let other = [
        "#", "set ", "export ", "if ", "fi", "else", "then", "echo", "cd ", "exit", "done", "for ",
        "}",
    ];
    let is_command = |line: &&str| {
        !line.is_empty() && line.is_ascii() && !other.iter().any(|it| line.starts_with(it))
    };
    let lines = text.lines().map(str::trim).filter(is_command);
    // `${PREFIX}ruff`, `$BIN/ruff`.
    let bare = |line: &str| {
        let rest = match line.strip_prefix("${").and_then(|it| it.split_once('}')) {
            Some((_, rest)) => rest,
            None => line,
        };
        rest.split(" $").next().unwrap_or(rest).trim_start_matches('/').to_owned()
    };
    let lines = lines.map(bare).filter(|it| !it.contains('=') || it.contains(' '));
    let runs: Vec<String> = lines.filter(|it| !it.starts_with('$')).take(4).collect();
    shown(&runs.join("; "))
}

/// Returns the first command of a target of a makefile or a similar file.
fn recipe(text: &str) -> String {
    let lines =
        text.lines().skip(1).take_while(|line| line.is_empty() || line.starts_with([' ', '\t']));
    let is_command = |line: &&str| {
        !line.is_empty()
            && !line.starts_with(['#', '"', '$', '-', '@', '['])
            && !line.contains(": ")
    };
    let mut commands = lines.map(|line| line.trim().trim_start_matches('@')).filter(is_command);
    commands.next().map(shown).unwrap_or_default()
}

fn shown(command: &str) -> String {
    text::plain(text::start(command.trim_end_matches('\\').trim(), 100)).replace('`', "'")
}

/// Returns line and command of a script of `package.json`.
fn package_script(texts: &Texts<'_>, script: &str) -> Option<(usize, String)> {
    let text = texts.read("package.json")?;
    let package: serde_json::Value = serde_json::from_str(&text).ok()?;
    let runs = package["scripts"][script].as_str()?;
    if runs.contains("no test specified") {
        return None;
    }
    let line = line_of(&text, &format!("\"{script}\":")).unwrap_or(1);
    Some((line, shown(runs)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_no_part_of_another_command() {
        assert!(uses("run: npm install", "npm install"));
        assert!(!uses("run: pnpm install", "npm install"));
        assert!(uses("- run: make lint", "make lint"));
    }

    #[test]
    fn recipes_are_read() {
        assert_eq!(recipe("test: build\n\t@go test ./...\n\nother:\n"), "go test ./...");
        assert_eq!(recipe("test:\nother:\n"), "");
    }
}
