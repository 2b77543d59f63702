//! `codedb data coverage FILE…`: imports coverage reports.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use clap::{Arg, ArgMatches, Command, value_parser};

use crate::base::path as repository_path;
use crate::catalog::code::Code;
use crate::cli::index::{print, tree_options};
use crate::cli::tool::now_ms;
use crate::cli::{place, report};
use crate::engine::{Check, Engine, Local};
use crate::error::{Error, Result};
use crate::lang;
use crate::reports::coverage::{self, CoverageReport, attribute, paths::Paths};
use crate::reports::ids;
use crate::userdata::coverage::CoveredSymbol;

/// The maximum size of a source file in bytes.
const SOURCE_BYTES_MAX: u64 = 16 << 20;

pub(super) fn command() -> Command {
    Command::new("coverage")
        .about("Import coverage reports: which tests execute which functions")
        .long_about(
            "Imports coverage reports of the present state of the tree: `.coverage` or `coverage json \
             --show-contexts` of coverage.py, lcov, Istanbul's JSON, Go's cover profiles, the JSON of \
             `cargo llvm-cov`, and JaCoCo's XML. Lines are mapped to functions; the coverage of a \
             function stays valid until its own text changes. Files that changed after the report was \
             written are skipped. Tests are known from dynamic contexts (`pytest --cov \
             --cov-context=test`), from `TN:` lines of lcov, and with `--test`.",
        )
        .arg(
            Arg::new("test")
                .long("test")
                .value_name("ID")
                .help("The test that the reports are of, if it ran alone"),
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("The reports"),
        )
}

/// What an import did.
#[derive(Debug, Default)]
struct Imported {
    functions: usize,
    files: usize,
    tests: HashSet<String>,
    /// Paths of the report that are not in the tree.
    foreign: Vec<String>,
    /// Files that changed after the report was written.
    changed: Vec<String>,
    /// Files without functions, or that cannot be read.
    without: usize,
    problems: Vec<String>,
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&tree_options(matches))?;
    let database = engine.create_user_data()?;
    let test = matches.get_one::<String>("test").map(String::as_str);
    for file in matches.get_many::<PathBuf>("file").into_iter().flatten() {
        let mut report = coverage::read(file)?;
        if let Some(test) = test {
            report.attribute_to(test);
        }
        let written = fs::metadata(file).and_then(|it| it.modified());
        let written = written.map_err(|error| Error::io(file, error))?;
        let (symbols, imported) = attributed(&engine, report, written)?;
        database.add_coverage(&symbols, now_ms())?;
        print(&format!("{}\n", summary(file, &imported)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Maps the lines of a report to the functions of the present files.
fn attributed(
    engine: &Engine,
    report: CoverageReport,
    written: SystemTime,
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
    let mut imported = Imported { problems: report.problems, ..Imported::default() };
    let mut symbols = Vec::new();
    for (path, mut lines) in report.files {
        let Some(path) = paths.find(&path) else {
            imported.foreign.push(path);
            continue;
        };
        let modified = fs::metadata(engine.root().join(path)).and_then(|it| it.modified());
        if modified.is_ok_and(|modified| modified > written) {
            imported.changed.push(path.to_owned());
            continue;
        }
        let mut tests = BTreeMap::new();
        for (name, lines) in std::mem::take(&mut lines.tests) {
            let name = names.get(&name).cloned().unwrap_or(name);
            imported.tests.insert(name.clone());
            tests.entry(name).or_insert_with(std::collections::BTreeSet::new).extend(lines);
        }
        lines.tests = tests;
        let found = functions(&code, path, &lines);
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

fn functions(code: &Local<'_>, path: &str, lines: &coverage::FileLines) -> Vec<CoveredSymbol> {
    let read = || -> Result<Vec<CoveredSymbol>> {
        let content = code.read(path.as_bytes(), SOURCE_BYTES_MAX)?;
        let text = content.bytes();
        let Some(language) = lang::detect(&repository_path::to_path(path.as_bytes()), text) else {
            return Ok(Vec::new());
        };
        let outline = code.parse(language, path.as_bytes(), text)?;
        Ok(attribute::attribute(path, text, &outline.symbols, lines))
    };
    read().unwrap_or_else(|error| {
        log::debug!("{path}: {error}");
        Vec::new()
    })
}

fn summary(file: &Path, imported: &Imported) -> String {
    let Imported { functions, files, tests, foreign, changed, without, problems } = imported;
    let mut text = format!(
        "{}: {functions} functions in {files} files, {} tests",
        report::plain(&file.display().to_string()),
        tests.len()
    );
    let mut left_out = |paths: &[String], what: &str| {
        if let Some(first) = paths.first() {
            let first = report::plain(first);
            text.push_str(&format!("; {} {what}, such as {first}", paths.len()));
        }
    };
    left_out(foreign, "files that are not in the tree");
    left_out(changed, "files that changed after the report was written");
    left_out(problems, "problems");
    if *without > 0 {
        text.push_str(&format!("; {without} files without executable functions"));
    }
    text
}
