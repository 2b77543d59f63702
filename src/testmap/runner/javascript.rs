//! The JavaScript runner of a file: by what the file imports, the scripts of the nearest manifest, and
//! its dependencies.

use serde_json::Value;

use super::{nearest, quoted};

/// A program that runs JavaScript tests.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(in crate::testmap) enum Program {
    Vitest,
    Jest,
    Mocha,
    Ava,
    Playwright,
    Node,
}

impl Program {
    const ALL: [Program; 6] = [
        Program::Vitest,
        Program::Jest,
        Program::Mocha,
        Program::Ava,
        Program::Playwright,
        Program::Node,
    ];

    /// Returns the word of a script that starts it.
    fn word(self) -> &'static str {
        match self {
            Program::Vitest => "vitest",
            Program::Jest => "jest",
            Program::Mocha => "mocha",
            Program::Ava => "ava",
            Program::Playwright => "playwright",
            Program::Node => "node",
        }
    }

    /// Returns the names of modules that only its tests import.
    fn modules(self) -> &'static [&'static str] {
        match self {
            Program::Vitest => &["vitest"],
            Program::Jest => &["@jest/globals"],
            Program::Mocha => &["mocha"],
            Program::Ava => &["ava"],
            Program::Playwright => &["@playwright/test"],
            Program::Node => &["node:test"],
        }
    }

    /// Returns the dependency that has it, if there is one.
    fn package(self) -> Option<&'static str> {
        match self {
            Program::Node => None,
            Program::Playwright => Some("@playwright/test"),
            other => Some(other.word()),
        }
    }

    /// Returns the command without options and files.
    fn command(self) -> &'static str {
        match self {
            Program::Vitest => "npx vitest run",
            Program::Jest => "npx jest",
            Program::Mocha => "npx mocha",
            Program::Ava => "npx ava",
            Program::Playwright => "npx playwright test",
            Program::Node => "node --test",
        }
    }
}

/// How the tests of a file are run.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(in crate::testmap) struct Run {
    pub(in crate::testmap) program: Program,
    /// The directory of the manifest.
    pub(in crate::testmap) project: String,
    /// The command before the options that select tests.
    pub(in crate::testmap) start: String,
}

impl Run {
    /// Returns the command that runs whole files, with the options `more`; `None` if a path cannot be
    /// quoted.
    pub(in crate::testmap) fn with(&self, paths: &[&str], more: &str) -> Option<String> {
        let mut files = Vec::new();
        for path in paths {
            let below = path.strip_prefix(self.project.as_str())?.trim_start_matches('/');
            files.push(match self.program {
                // A regular expression.
                Program::Playwright => quoted(&escaped(below))?,
                _ => quoted(below)?,
            });
        }
        Some(self.line(&files, more))
    }

    /// Returns the command that runs whole files; `None` if a path cannot be quoted.
    pub(in crate::testmap) fn files(&self, paths: &[&str]) -> Option<String> {
        self.with(paths, "")
    }

    /// Returns the command with quoted arguments and options.
    pub(in crate::testmap) fn line(&self, files: &[String], more: &str) -> String {
        let enter = match &*self.project {
            "" => String::new(),
            project => format!("cd {} && ", quoted(project).unwrap_or_default()),
        };
        let by_path = if self.program == Program::Jest { " --runTestsByPath" } else { "" };
        let more = if more.is_empty() { String::new() } else { format!(" {more}") };
        let files = files.join(" ");
        match self.program {
            // Its options precede the files.
            Program::Node => format!("{enter}{}{more} {files}", self.start),
            _ => format!("{enter}{}{by_path} {files}{more}", self.start),
        }
    }
}

/// Returns a text in which the characters of regular expressions that paths may have stand for
/// themselves.
fn escaped(path: &str) -> String {
    let mut text = String::new();
    for c in path.chars() {
        if "[](){}+*?^$|\\".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// Returns how the JavaScript file at a path is run. `read` returns the text of a file of the tree.
pub(in crate::testmap) fn of_file(
    path: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<Run> {
    let imported = read(path).and_then(|text| imported(&text));
    let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    loop {
        let Some((project, manifest)) = nearest(folder, "package.json", read) else {
            // Node needs no manifest.
            let is_node = imported == Some(Program::Node);
            return is_node.then(|| of_script(Program::Node, "", String::new())).flatten();
        };
        if let Some(run) = of_package(path, &project, &manifest, imported, read) {
            return quoted(&project).or(project.is_empty().then(String::new)).map(|_| run);
        }
        // Packages of a workspace are often tested from its root.
        if project.is_empty() {
            return None;
        }
        // Borrow from `path`, which outlives the loop.
        folder = &path[..project.rsplit_once('/').map_or(0, |(above, _)| above.len())];
    }
}

/// Returns the program whose module a text imports.
fn imported(text: &str) -> Option<Program> {
    let is_import = |line: &str| {
        let line = line.trim_start();
        line.starts_with("import") || line.starts_with('}') || line.contains("require(")
    };
    text.lines().take(200).filter(|line| is_import(line)).find_map(|line| {
        let has = |module: &&str| {
            ['\'', '"']
                .iter()
                .any(|quote| line.split_once(&format!("{quote}{module}{quote}")).is_some())
        };
        Program::ALL.into_iter().find(|program| program.modules().iter().any(has))
    })
}

fn of_package(
    path: &str,
    project: &str,
    manifest: &str,
    imported: Option<Program>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<Run> {
    let manifest: Value = serde_json::from_str(manifest).ok()?;
    let script = manifest["scripts"]["test"].as_str().unwrap_or_default();
    let depends = |name: &str| {
        let kinds = ["devDependencies", "dependencies"];
        kinds.iter().any(|kind| manifest[kind].get(name).is_some())
    };
    let below = path.strip_prefix(project)?.trim_start_matches('/');
    let file = |name: &str| {
        read(&if project.is_empty() { name.to_owned() } else { format!("{project}/{name}") })
    };
    // A script of several commands passes arguments to the last one.
    let is_single = !script.contains(['&', '|', ';']) && !script.contains("npm run");
    let program = Program::ALL.into_iter().find(|program| has_program(script, *program));
    if let Some(program) = program
        && is_single
        && imported.is_none_or(|imported| imported == program)
    {
        if program == Program::Node || has_files(program, script) {
            return of_script(program, script, project.to_owned());
        }
        let mut start = match (file("yarn.lock"), file("pnpm-lock.yaml")) {
            (Some(_), _) => "yarn test",
            (None, Some(_)) => "pnpm test",
            (None, None) => "npm test --",
        }
        .to_owned();
        // It watches in a terminal.
        if program == Program::Vitest && !words(script).any(|word| word == "run" || word == "--run")
        {
            start.push_str(" --run");
        }
        return Some(Run { program, project: project.to_owned(), start });
    }
    let has_runner = |program: &Program| {
        let scripts = manifest["scripts"].as_object().into_iter().flat_map(|all| all.values());
        scripts.filter_map(Value::as_str).any(|text| has_program(text, *program))
    };
    match best_script(&manifest, below, imported) {
        Some((program, command)) => of_script(program, &command, project.to_owned()),
        None => {
            let program = match imported {
                Some(imported) => imported,
                // Scripts name other directories, or the project has its own scripts of scripts.
                None if Program::ALL.iter().any(has_runner) => return None,
                None => Program::ALL
                    .into_iter()
                    .find(|program| program.package().is_some_and(depends))?,
            };
            of_script(program, "", project.to_owned())
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "&|;\"'".contains(c)).filter(|word| !word.is_empty())
}

/// Returns true if a command starts a program.
fn has_program(command: &str, program: Program) -> bool {
    let is_word = |word: &str| word == program.word();
    let mut found = words(command);
    match program {
        Program::Node => {
            found.any(|word| word == "node") && words(command).any(|it| it == "--test")
        }
        Program::Playwright => found.any(is_word) && words(command).any(|word| word == "test"),
        _ => found.any(is_word),
    }
}

/// Options of these programs whose next word is no value.
const FLAGS: [&str; 18] = [
    "--exit",
    "--ci",
    "--coverage",
    "--silent",
    "--verbose",
    "--bail",
    "-b",
    "--runInBand",
    "-i",
    "--recursive",
    "--test",
    "--passWithNoTests",
    "--parallel",
    "-p",
    "--globals",
    "--run",
    "--forceExit",
    "--detectOpenHandles",
];

/// Returns the words before the program and the options behind it, without files.
fn options(program: Program, command: &str) -> (Vec<&str>, Vec<&str>, bool) {
    let all: Vec<&str> = words(command).collect();
    let at = all.iter().position(|word| *word == program.word()).unwrap_or(all.len());
    let (mut kept, mut has_files) = (Vec::new(), false);
    let mut is_value = false;
    for (place, word) in all.iter().enumerate().skip(at + 1) {
        let is_command = matches!(*word, "run" | "test") && place == at + 1;
        if word.starts_with('-') {
            let is_flag = word.contains('=')
                || FLAGS.contains(word)
                || word.starts_with("--no-")
                || word.starts_with("--experimental");
            is_value = !is_flag;
            kept.push(*word);
        } else if is_value {
            kept.push(*word);
            is_value = false;
        } else if !is_command {
            has_files = true;
        }
    }
    (all[..at.min(all.len())].to_vec(), kept, has_files)
}

fn has_files(program: Program, command: &str) -> bool {
    let (_, kept, has_files) = options(program, command);
    has_files || kept.iter().any(|word| word.starts_with("--watch"))
}

/// Returns the direct call of a program with the options of a script, without its files.
fn of_script(program: Program, command: &str, project: String) -> Option<Run> {
    let (before, kept, _) = options(program, command);
    let is_setting =
        |word: &&str| word.split_once('=').is_some_and(|(name, _)| !name.contains('-'));
    let settings: Vec<&str> = before.iter().copied().filter(is_setting).collect();
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "_./@+-:=".contains(c);
    let is_kept = |word: &&str| word.chars().all(is_safe);
    let mut start = String::new();
    if !settings.is_empty() && settings.iter().all(is_kept) {
        let with = if before.contains(&"cross-env") { "npx cross-env" } else { "env" };
        start = format!("{with} {} ", settings.join(" "));
    }
    let options: Vec<&str> = if kept.iter().all(is_kept) {
        let drop =
            |word: &&str| *word == "--test" || *word == "--run" || word.starts_with("--watch");
        kept.into_iter().filter(|word| !drop(word)).collect()
    } else {
        Vec::new()
    };
    start.push_str(program.command());
    for option in options {
        start.push(' ');
        start.push_str(option);
    }
    Some(Run { program, project, start })
}

/// Returns the command of the script that names a directory of the file, or of one that names none.
fn best_script(
    manifest: &Value,
    below: &str,
    imported: Option<Program>,
) -> Option<(Program, String)> {
    let scripts = manifest["scripts"].as_object()?;
    let mut best: Option<(usize, Program, &str)> = None;
    for script in scripts.values().filter_map(Value::as_str) {
        for command in script.split(['&', '|', ';']) {
            let is_it = |program: &Program| {
                has_program(command, *program) && imported.is_none_or(|it| it == *program)
            };
            let Some(program) = Program::ALL.into_iter().find(is_it) else { continue };
            // `test/unit/**/*.js` names `test/unit/`.
            let directory = |word: &str| {
                let fixed = &word[..word.find(['*', '{', '?']).unwrap_or(word.len())];
                fixed.rfind('/').map(|end| fixed[..=end].trim_start_matches("./").to_owned())
            };
            let mut named =
                words(command).filter(|word| !word.starts_with('-')).filter_map(directory);
            let first = named.next();
            let is_match = |of: &String| below.starts_with(of.as_str());
            let found =
                first.iter().cloned().chain(named).filter(is_match).map(|of| of.len()).max();
            let weight = if first.is_none() { Some(0) } else { found };
            if let Some(weight) = weight
                && best.is_none_or(|(known, ..)| weight > known)
            {
                best = Some((weight, program, command));
            }
        }
    }
    best.map(|(_, program, command)| (program, command.to_owned()))
}
