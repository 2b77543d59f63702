//! Coverage reports → the coverage of functions, by the text that the files had when the report was made.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::time::{Duration, SystemTime};

use super::report;
use crate::base::path as repository_path;
use crate::base::text::counted;
use crate::catalog::code::Code;
use crate::engine::{Check, Engine, Local};
use crate::error::Result;
use crate::history::git::Git;
use crate::lang;
use crate::reports::coverage::{CoverageReport, FileLines, attribute, paths::Paths};
use crate::reports::ids;
use crate::userdata::coverage::CoveredSymbol;

/// The maximum size of a source file in bytes.
const SOURCE_BYTES_MAX: u64 = 16 << 20;

/// What an import did.
#[derive(Debug, Default)]
pub(super) struct Imported {
    pub(super) functions: usize,
    pub(super) files: usize,
    pub(super) tests: HashSet<String>,
    /// Paths of the report that are not in the tree.
    pub(super) foreign: Vec<String>,
    /// Files of which the text at the time of the report is not known.
    pub(super) changed: Vec<String>,
    /// Files without functions, or that cannot be read.
    pub(super) without: usize,
    pub(super) problems: Vec<String>,
}

impl Imported {
    /// Adds what another import did.
    pub(super) fn add(&mut self, other: Imported) {
        self.functions += other.functions;
        self.files += other.files;
        self.tests.extend(other.tests);
        self.foreign.extend(other.foreign);
        self.changed.extend(other.changed);
        self.without += other.without;
        self.problems.extend(other.problems);
    }

    /// Describes it in one line.
    pub(super) fn summary(&self) -> String {
        let Imported { functions, files, tests, foreign, changed, without, problems } = self;
        let mut text = format!(
            "{} in {}, {}",
            counted(*functions, "function"),
            counted(*files, "file"),
            counted(tests.len(), "test")
        );
        let mut left_out = |paths: &[String], noun: &str, what: &str| {
            if let Some(first) = paths.first() {
                let first = report::plain(first);
                let count = counted(paths.len(), noun);
                text.push_str(&format!("; {count}{what}, such as {first}"));
            }
        };
        left_out(foreign, "file", " not in the tree");
        left_out(changed, "file", " changed after the report was written");
        left_out(problems, "problem", "");
        if *without > 0 {
            let files = counted(*without, "file");
            text.push_str(&format!("; {files} without executable functions"));
        }
        text
    }
}

/// The texts that files had at a time: the present ones, or for files that were written later, those of
/// the newest commit before.
struct Texts<'a> {
    code: &'a Local<'a>,
    git: Option<Git>,
    as_of: SystemTime,
    /// The newest commit at that time, once it is known.
    commit: Option<Option<String>>,
}

impl Texts<'_> {
    fn of(&mut self, path: &str) -> Result<Option<Vec<u8>>> {
        let modified = fs::metadata(self.code.root().join(path)).and_then(|it| it.modified());
        if modified.is_ok_and(|modified| modified <= self.as_of) {
            let content = self.code.read(path.as_bytes(), SOURCE_BYTES_MAX)?;
            return Ok(Some(content.bytes().to_vec()));
        }
        // A clone or a checkout writes files anew.
        let Some(git) = &self.git else { return Ok(None) };
        let commit = match &self.commit {
            Some(commit) => commit.clone(),
            None => {
                let found = git.commit_at(self.as_of)?;
                self.commit = Some(found.clone());
                found
            }
        };
        match commit {
            Some(commit) => git.content_at(&commit, path.as_bytes()),
            None => Ok(None),
        }
    }
}

/// Maps the lines of a report that was written at `as_of` to functions.
///
/// # Errors
///
/// If the files of the tree cannot be listed.
pub(super) fn attributed(
    engine: &Engine,
    report: CoverageReport,
    as_of: SystemTime,
) -> Result<(Vec<CoveredSymbol>, Imported)> {
    let code = Local::new(engine, Check::Watcher);
    let files: Vec<String> = code
        .files()?
        .iter()
        .filter_map(|(path, _)| std::str::from_utf8(path).ok().map(str::to_owned))
        .collect();
    let names: HashSet<&String> =
        report.files.values().flat_map(|file| file.tests.keys()).collect();
    let names: HashMap<String, String> = ids::canonical(&files, names.into_iter());
    let paths = Paths::new(engine.root(), &files);
    // Some file systems store whole seconds.
    let as_of = as_of + Duration::from_secs(1);
    let mut texts = Texts { code: &code, git: Git::open(engine.root()), as_of, commit: None };
    let mut imported = Imported { problems: report.problems, ..Imported::default() };
    let mut symbols = Vec::new();
    for (path, mut lines) in report.files {
        let Some(path) = paths.find(&path) else {
            imported.foreign.push(path);
            continue;
        };
        let text = texts.of(path).unwrap_or_else(|error| {
            log::debug!("{path}: {error}");
            None
        });
        let Some(text) = text.filter(|text| fits(text, &lines)) else {
            imported.changed.push(path.to_owned());
            continue;
        };
        let mut tests = BTreeMap::new();
        for (name, lines) in std::mem::take(&mut lines.tests) {
            let name = names.get(&name).cloned().unwrap_or(name);
            imported.tests.insert(name.clone());
            tests.entry(name).or_insert_with(BTreeSet::new).extend(lines);
        }
        lines.tests = tests;
        let found = functions(&code, path, &text, &lines);
        if found.is_empty() {
            imported.without += 1;
        } else {
            imported.files += 1;
            imported.functions += found.len();
        }
        symbols.extend(found);
    }
    Ok((symbols, imported))
}

/// Returns true if a text has all lines of a report.
fn fits(text: &[u8], lines: &FileLines) -> bool {
    let last = lines.executable.last().max(lines.covered.last()).copied().unwrap_or_default();
    last as usize <= memchr::memchr_iter(b'\n', text).count() + 1
}

fn functions(code: &Local<'_>, path: &str, text: &[u8], lines: &FileLines) -> Vec<CoveredSymbol> {
    let parse = || -> Result<Vec<CoveredSymbol>> {
        let Some(language) = lang::detect(&repository_path::to_path(path.as_bytes()), text) else {
            return Ok(Vec::new());
        };
        let outline = code.parse(language, path.as_bytes(), text)?;
        Ok(attribute::attribute(path, text, &outline.symbols, lines))
    };
    parse().unwrap_or_else(|error| {
        log::debug!("{path}: {error}");
        Vec::new()
    })
}
