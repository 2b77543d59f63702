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
    /// The command that is shown, and all that are known.
    runs: String,
    all: String,
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
                let all = recipes(&text[at + 1..]);
                let runs = recipe(&all);
                let is_in_ci = in_ci(&command);
                found.push(Target { command, path: file.to_owned(), line, runs, all, is_in_ci });
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
                let all = runs.clone();
                found.push(Target { command, path, line, runs, all, is_in_ci });
            }
            if let Some((line, runs)) = package_script(texts, target) {
                let command = match (script, *target) {
                    ("npm run", "test") => "npm test".to_owned(),
                    _ => format!("{script} {target}"),
                };
                let is_in_ci = in_ci(&command);
                let (path, all) = ("package.json".to_owned(), runs.clone());
                let runs = shown(&runs);
                found.push(Target { command, path, line, runs, all, is_in_ci });
            }
        }
        // What CI runs, then the first.
        found.sort_by_key(|it| !it.is_in_ci);
        chosen.extend(found.into_iter().next().map(|it| (purpose, it)));
    }
    for (purpose, target) in chosen {
        // What everybody runs first needs no decision, nor a script that was not understood.
        let is_script = target.command == target.path;
        let is_unclear = is_script && target.runs.is_empty();
        if purpose.what == "tests" && is_default(&target) || is_unclear {
            continue;
        }
        let is_format = purpose.what == "formatting";
        let is_writer = is_format && writes(&target.all);
        let is_usual_format =
            is_format && ["gofmt", "cargo fmt", "go fmt"].iter().any(|it| target.all.contains(it));
        // What neither writes nor is checked by CI is no task of a contributor.
        if is_format && !is_writer && !target.is_in_ci || is_usual_format && is_writer {
            continue;
        }
        let runs = match target.runs.as_str() {
            "" => String::new(),
            runs => format!(": it runs `{runs}`"),
        };
        let ci = if target.is_in_ci { " CI runs it, too." } else { "" };
        let draft = Draft {
            scope: match purpose.what {
                "checks" | "types" | "formatting" => scope(&target.all),
                _ => Scope::Global,
            },
            kind: Kind::Tools,
            pattern: match purpose.what {
                "tests" => format!("Run the tests with `{}`", target.command),
                "generated files" => {
                    format!("Update generated files with `{}`", target.command)
                }
                "types" => {
                    format!("Check types with `{}` before a change is finished", target.command)
                }
                "formatting" if is_writer => format!("Format a change with `{}`", target.command),
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
///
/// It is empty for a script with branches or loops, of which a line says little.
fn script_runs(text: &str) -> String {
    let branches = ["[[", "elif", "case ", ";;", "((", "while ", "shift"];
    let lines = || text.lines().map(str::trim).filter(|it| !it.starts_with('#'));
    if lines().any(|line| {
        branches.iter().any(|it| line.starts_with(it) || line.contains(&format!(" {it}")))
    }) {
        return String::new();
    }
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

/// Returns the commands of a target of a makefile or a similar file, one a line.
fn recipes(text: &str) -> String {
    let lines =
        text.lines().skip(1).take_while(|line| line.is_empty() || line.starts_with([' ', '\t']));
    let lines = lines.map(|line| line.trim().trim_start_matches(['@', '-']));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect::<Vec<_>>().join("\n")
}

/// Returns the first of several commands that is told in one line.
fn recipe(commands: &str) -> String {
    let is_command = |line: &&str| !line.starts_with(['"', '$', '[']) && !line.contains(": ");
    commands.lines().find(is_command).map(shown).unwrap_or_default()
}

/// Commands that run the tests in every repository of their language.
const DEFAULT_TESTS: &[&str] = &[
    "cargo test",
    "go test",
    "pytest",
    "py.test",
    "python -m pytest",
    "python3 -m pytest",
    "python -m unittest",
    "npm test",
    "yarn test",
    "pnpm test",
    "bun run test",
    "make test",
    "make tests",
    "just test",
    "task test",
    "composer test",
    "rake test",
    "mvn test",
    "gradle test",
];

/// Returns true for the test command that a newcomer runs anyway.
fn is_default(target: &Target) -> bool {
    let is_it = |text: &str| DEFAULT_TESTS.contains(&text);
    let first = target.runs.split([';', '&', '|']).next().unwrap_or_default().trim();
    let is_plain = first == target.runs && !first.contains('=');
    is_it(&target.command) || is_plain && DEFAULT_TESTS.iter().any(|it| first.starts_with(it))
}

/// Returns true if commands change files: a formatter without an option to only check, or another tool with
/// the option to correct.
fn writes(commands: &str) -> bool {
    let checks = ["--check", "test -z", " -l ", "--diff", "--dry-run", " -d "];
    let options = [
        "--fix",
        "--write",
        "-w",
        "-i",
        "-a",
        "-A",
        "-F",
        "--autocorrect",
        "--auto-correct",
        "--autocorrect-all",
        "--in-place",
        "--apply",
        "--replace",
        "-u",
    ];
    let formatters = [
        "black",
        "isort",
        "rustfmt",
        "fmt",
        "format",
        "spotlessApply",
        "spotless:apply",
        "ktlintFormat",
        "stylua",
        "pyupgrade",
        "fourmolu",
    ];
    commands.split(['\n', ';', '&']).any(|command| {
        let words = || command.split_whitespace();
        let is_check = checks.iter().any(|it| format!("{command} ").contains(it));
        let is_asked = words().any(|it| options.contains(&it.split('=').next().unwrap_or(it)));
        let is_formatter = words().any(|it| formatters.contains(&it));
        !is_check && (is_asked || is_formatter && !words().any(|it| it == "gofmt"))
    })
}

/// Tools that check or format the files of one language, and these files.
const TOOLS: &[(&[&str], &str)] = &[
    (
        &["eslint", "xo", "standard", "tsc", "tslint", "oxlint", "jshint", "vue-tsc"],
        "path:**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue}",
    ),
    (&["stylelint"], "path:**/*.{css,scss,less}"),
    (&["rubocop", "standardrb"], "language:ruby"),
    (
        &["ruff", "black", "mypy", "flake8", "isort", "pylint", "pyright", "basedpyright"],
        "language:python",
    ),
    (&["golangci-lint", "gofmt", "gofumpt", "staticcheck", "go"], "language:go"),
    (&["cargo", "rustfmt"], "language:rust"),
    (&["shellcheck", "shfmt"], "language:bash"),
    (&["clang-format", "clang-tidy"], "path:**/*.{c,h,cc,cpp,cxx,hpp}"),
    (&["markdownlint", "markdownlint-cli2"], "language:markdown"),
];

/// Returns the scope of the files that commands check: that of their tool, below the directory that all
/// paths of the command have. Several tools, or one that is not known, are global.
fn scope(commands: &str) -> Scope {
    let runners =
        ["npx", "bundle", "exec", "run", "uv", "poetry", "python", "python3", "-m", "yarn", "pnpm"];
    let mut found: Option<&str> = None;
    let mut paths: Vec<&str> = Vec::new();
    let all = commands.split(['\n', ';', '&', '|']).map(str::trim).filter(|it| !it.is_empty());
    for command in all {
        let mut words = command.split_whitespace().filter(|it| !runners.contains(it));
        let tool = words.next().unwrap_or_default();
        let Some((_, files)) = TOOLS.iter().find(|(names, _)| names.contains(&tool)) else {
            return Scope::Global;
        };
        if found.is_some_and(|it| it != *files) {
            return Scope::Global;
        }
        found = Some(files);
        let quotes = ['\'', '"'];
        paths.extend(words.map(|it| it.trim_matches(quotes)).filter(|it| it.contains('/')));
    }
    let Some(files) = found else { return Scope::Global };
    let directory = |path: &str| {
        let plain = path.split(['*', '{', '?']).next().unwrap_or_default();
        let plain = plain.rfind('/').map_or("", |at| &plain[..at]);
        plain.trim_start_matches("./").to_owned()
    };
    let is_plain =
        |it: &str| it.bytes().all(|it| it.is_ascii_alphanumeric() || b"/_-.".contains(&it));
    let folders: Vec<String> = paths.iter().map(|it| directory(it)).collect();
    if let Some(shortest) = folders.iter().min_by_key(|it| it.len())
        && folders.iter().all(|it| it.starts_with(shortest.as_str()))
        && !shortest.is_empty()
        && is_plain(shortest)
    {
        return Scope::Path(format!("{shortest}/**"));
    }
    Scope::parse(files).unwrap_or(Scope::Global)
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
    Some((line, runs.to_owned()))
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
        assert_eq!(recipe(&recipes("test: build\n\t@go test ./...\n\nother:\n")), "go test ./...");
        assert_eq!(recipe(&recipes("test:\nother:\n")), "");
        let script = "#!/bin/sh\nset -e\nrun/black src\n";
        assert_eq!(script_runs(script), "run/black src");
        assert_eq!(script_runs("if [[ \"$1\" == x ]]; then\n  ruby a\nfi\n"), "");
    }

    #[test]
    fn a_default_test_command_is_no_proposal() {
        let of = |command: &str, runs: &str| {
            let (path, all) = ("x".to_owned(), runs.to_owned());
            let (command, runs) = (command.to_owned(), runs.to_owned());
            is_default(&Target { command, path, line: 1, runs, all, is_in_ci: true })
        };
        assert!(of("make test", "X=1 go test -tags a"));
        assert!(of("just unit", "cargo test --all"));
        assert!(!of("nox -s tests", "") && !of("make unit", "docker run x; pytest"));
    }

    #[test]
    fn a_formatter_writes() {
        for (commands, expected) in [
            ("black .", true),
            ("prettier --write .", true),
            ("bundle exec rubocop -a", true),
            ("eslint --fix src/**/*.js", true),
            ("gofmt -w src", true),
            ("bundle exec rubocop -D", false),
            ("prettier --check .", false),
            ("black --check .", false),
            ("eslint .", false),
        ] {
            assert_eq!(writes(commands), expected, "{commands}");
        }
    }

    #[test]
    fn a_check_holds_for_the_files_of_its_tool() {
        for (commands, expected) in [
            ("eslint a/b/*js a/b/**/*js", "path:a/b/**"),
            ("eslint .", "path:**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue}"),
            ("bundle exec rubocop -D", "language:ruby"),
            ("mypy src/\nruff check src/ tests/", "language:python"),
            ("gofmt -l src\nbundle exec rubocop", "global"),
            ("own-tool src", "global"),
        ] {
            assert_eq!(scope(commands), Scope::parse(expected).unwrap(), "{commands}");
        }
    }
}
