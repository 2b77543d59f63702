//! Programs in the text form with what each use is expected to link to.
//!
//! A program is one file of `programs/<language>/`: `# ` lines that say what it tests, then
//! sections that start with `== `. `source PATH` is the original, `facts PATH` what a lowering
//! would give of it, `expect` the links by the language's rules, `today` and `prototype` what the
//! two linkers answered where this differs. A line of the last three is
//! `PATH:LINE NAME -> ANSWER`, see [`Expected`].

mod names;
mod run;

pub use names::{Place, qualified_name};
pub use run::{BUDGET, Found, Given, Loaded};

use crate::ir::text::{Lines, parse, print};
use crate::ir::{File, beyond::beyond_the_page};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The language's folder.
    pub language: String,
    /// The file's name without its extension.
    pub name: String,
    /// What it tests.
    pub about: Vec<String>,
    /// The original files.
    pub sources: Vec<Source>,
    /// Their facts, in the order of the sections.
    pub files: Vec<File>,
    /// What is right.
    pub expected: Vec<Expected>,
    /// What today's linker answers, where this is not right.
    pub today: Vec<Deviation>,
    /// What the prototype answers, where this is not right.
    pub prototype: Vec<Deviation>,
    /// The text of the file.
    pub text: String,
}

/// One file as it was written.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its path within the program.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The expected answer for the uses of a name on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The name that is used; `-` where a value without a name is called.
    pub name: String,
    /// The answer.
    pub answer: Answer,
}

/// What a use links to. Definitions are written `Type.member`, with `path:` before them or
/// `@line` behind them where several have the name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// These definitions; what else may run instead, where this is stated.
    Links(BTreeSet<String>, Option<BTreeSet<String>>),
    /// Functions that were stored where they are called now.
    Dispatch(BTreeSet<String>),
    /// Something that the tree does not define.
    Outside,
    /// Cannot be said.
    Unknown,
}

/// An answer that is not right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// `PATH:LINE NAME`.
    pub place: String,
    /// How it deviates.
    pub outcome: Outcome,
    /// The answer, and why.
    pub text: String,
}

/// How an answer compares with the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The same.
    Right,
    /// A link that is not expected, or `outside` where a link is.
    Wrong,
    /// Less than expected.
    Missed,
}

impl Outcome {
    /// Returns its word in program files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Missed => "missed",
        }
    }
}

impl Answer {
    /// Reads what stands behind the arrow.
    pub fn read(text: &str) -> Self {
        let names = |text: &str| text.split(',').map(|name| name.trim().to_string()).collect();
        match text.trim() {
            "outside" => Self::Outside,
            "unknown" => Self::Unknown,
            text => match (text.strip_prefix("dispatch "), text.split_once(" may ")) {
                (Some(stored), _) => Self::Dispatch(names(stored)),
                (None, Some((links, may))) => Self::Links(names(links), Some(names(may))),
                (None, None) => Self::Links(names(text), None),
            },
        }
    }

    /// Compares this answer with what is `expected`. Where nothing is expected of what else may
    /// run, it does not count.
    pub fn compare(&self, expected: &Answer) -> Outcome {
        match (self, expected) {
            (Self::Links(links, may), Self::Links(right, right_may)) => {
                let none = BTreeSet::new();
                let (may, right_may) = match right_may {
                    Some(right_may) => (may.as_ref().unwrap_or(&none), right_may),
                    None => (&none, &none),
                };
                subset(links, right).max(subset(may, right_may))
            }
            (Self::Dispatch(links), Self::Dispatch(right)) => subset(links, right),
            (Self::Outside, Self::Outside) | (Self::Unknown, Self::Unknown) => Outcome::Right,
            (Self::Unknown, _) => Outcome::Missed,
            _ => Outcome::Wrong,
        }
    }
}

/// `Wrong` counts more than `Missed`.
fn subset(found: &BTreeSet<String>, right: &BTreeSet<String>) -> Outcome {
    if found == right {
        Outcome::Right
    } else if found.is_subset(right) {
        Outcome::Missed
    } else {
        Outcome::Wrong
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        match self {
            Self::Links(links, None) => write!(f, "{}", list(links)),
            Self::Links(links, Some(may)) if may.is_empty() => write!(f, "{}", list(links)),
            Self::Links(links, Some(may)) => write!(f, "{} may {}", list(links), list(may)),
            Self::Dispatch(links) => write!(f, "dispatch {}", list(links)),
            Self::Outside => write!(f, "outside"),
            Self::Unknown => write!(f, "unknown"),
        }
    }
}

impl Program {
    /// Returns what the page of the design lacks for this program.
    pub fn beyond_the_page(&self) -> BTreeSet<&'static str> {
        self.files.iter().flat_map(beyond_the_page).collect()
    }

    /// Reads the program file `name` of `language`.
    ///
    /// # Errors
    /// The first line that is not of the form, as a sentence with the program's name.
    pub fn read(language: &str, name: &str, text: &str) -> Result<Self, String> {
        let mut program = Self {
            language: language.to_string(),
            name: name.to_string(),
            about: Vec::new(),
            sources: Vec::new(),
            files: Vec::new(),
            expected: Vec::new(),
            today: Vec::new(),
            prototype: Vec::new(),
            text: text.to_string(),
        };
        for (title, body) in sections(text) {
            program
                .section(title, body)
                .map_err(|reason| format!("{language}/{name}: {reason}"))?;
        }
        Ok(program)
    }

    fn section(&mut self, title: &str, body: &str) -> Result<(), String> {
        match title.split_once(' ').unwrap_or((title, "")) {
            ("", _) => {
                self.about =
                    body.lines().map(|line| line.trim_start_matches("# ").to_string()).collect();
            }
            ("source", path) => {
                self.sources.push(Source { path: path.to_string(), text: body.to_string() });
            }
            ("facts", path) => {
                let source = self.sources.iter().find(|source| source.path == path);
                let source =
                    source.ok_or_else(|| format!("`facts {path}` has no `source {path}`"))?;
                self.files.push(parse(path, body, &Lines::new(&source.text))?);
            }
            ("expect", _) => {
                self.expected = body.lines().map(expected).collect::<Result<_, _>>()?;
            }
            ("today", _) => self.today = body.lines().map(deviation).collect::<Result<_, _>>()?,
            ("prototype", _) => {
                self.prototype = body.lines().map(deviation).collect::<Result<_, _>>()?;
            }
            (other, _) => return Err(format!("`== {other}` is no section")),
        }
        Ok(())
    }

    /// Returns the lines of the source at `path`.
    pub fn lines(&self, path: &str) -> Lines {
        let source = self.sources.iter().find(|source| source.path == path);
        source.map_or_else(Lines::default, |source| Lines::new(&source.text))
    }

    /// Returns the program file with facts as [`print()`] writes them.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        for (title, body) in sections(&self.text) {
            if !title.is_empty() {
                let _ = writeln!(text, "== {title}");
            }
            match title.strip_prefix("facts ") {
                Some(path) => {
                    let file = self.files.iter().find(|file| &*file.path == path);
                    let file = file.expect("each section of facts was read");
                    text.push_str(&print(file, &self.lines(path)));
                }
                None => text.push_str(body),
            }
        }
        text
    }

    /// Returns the program file with the deviations of one linker replaced by `deviations`.
    pub fn with_deviations(&self, title: &str, deviations: &[Deviation]) -> String {
        let mut text = String::new();
        for (found, body) in sections(&self.text).into_iter().filter(|(found, _)| *found != title) {
            if !found.is_empty() {
                let _ = writeln!(text, "== {found}");
            }
            text.push_str(body);
        }
        if !deviations.is_empty() {
            let _ = writeln!(text, "== {title}");
            for Deviation { place, outcome, text: why } in deviations {
                let _ = writeln!(text, "{place} {}: {why}", outcome.word());
            }
        }
        text
    }
}

/// Returns the sections with their titles; what stands before the first has none.
fn sections(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let (mut title, mut start, mut at) = ("", 0, 0);
    for line in text.split_inclusive('\n') {
        if let Some(next) = line.strip_prefix("== ") {
            found.push((title, &text[start..at]));
            title = next.trim_end();
            start = at + line.len();
        }
        at += line.len();
    }
    found.push((title, &text[start..at]));
    found
}

fn expected(line: &str) -> Result<Expected, String> {
    let read = || {
        let (place, answer) = line.split_once(" -> ")?;
        let (at, name) = place.split_once(' ')?;
        let (path, number) = at.rsplit_once(':')?;
        let answer = Answer::read(answer);
        Some(Expected { path: path.into(), line: number.parse().ok()?, name: name.into(), answer })
    };
    read().ok_or_else(|| format!("`{line}` is not `PATH:LINE NAME -> ANSWER`"))
}

fn deviation(line: &str) -> Result<Deviation, String> {
    let read = || {
        let (place, text) = line.split_once(": ")?;
        let (place, word) = place.rsplit_once(' ')?;
        let outcome = match word {
            "right" => Outcome::Right,
            "wrong" => Outcome::Wrong,
            "missed" => Outcome::Missed,
            _ => return None,
        };
        Some(Deviation { place: place.into(), outcome, text: text.into() })
    };
    read().ok_or_else(|| format!("`{line}` is not `PATH:LINE NAME OUTCOME: ANSWER`"))
}

/// Returns where the programs lie.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

/// Reads all programs, by language and name.
///
/// # Errors
/// The first that cannot be read.
pub fn all() -> Result<Vec<Program>, String> {
    read_all(&folder())
}

/// Reads the programs that were written after the resolver, and that it was not changed for.
///
/// # Errors
/// The first that cannot be read.
pub fn held_out() -> Result<Vec<Program>, String> {
    read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("heldout"))
}

fn read_all(folder: &Path) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for language in entries(folder)? {
        for path in entries(&language)? {
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
            programs.push(Program::read(&stem(&language), &stem(&path), &text)?);
        }
    }
    Ok(programs)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: cannot be listed: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}
