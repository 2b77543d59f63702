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
use crate::error::{Error, Kind, Result};
use crate::lang;
use crate::reports::coverage::{self, CoverageReport, attribute};
use crate::reports::ids;
use crate::userdata::coverage::CoveredSymbol;
use crate::userdata::coverage_py;

/// The maximum size of a report in bytes.
const REPORT_BYTES_MAX: u64 = 1 << 30;

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
        let mut report = read(file)?;
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

fn read(file: &Path) -> Result<CoverageReport> {
    let failed = |error| Error::io(file, error);
    let mut start = vec![0; coverage_py::MAGIC.len()];
    let mut opened = fs::File::open(file).map_err(failed)?;
    let length = std::io::Read::read(&mut opened, &mut start).map_err(failed)?;
    if start[..length] == *coverage_py::MAGIC {
        let mut report = CoverageReport::new("coverage.py");
        coverage_py::read(file, &mut |executed| {
            let test = coverage::test_of_context(&executed.context);
            for line in executed.lines {
                report.add(&executed.path, line, true, test);
            }
        })?;
        // The database lists only lines that were executed.
        report.files.values_mut().for_each(|file| file.is_partial = true);
        return Ok(report);
    }
    if opened.metadata().map_err(failed)?.len() > REPORT_BYTES_MAX {
        return Err(Error::new(Kind::Limit, "larger than 1 GiB").with_path(file));
    }
    coverage::parse(&fs::read(file).map_err(failed)?).ok_or_else(|| {
        Error::usage("no coverage report of a known format").with_path(file).with_hint(
            "known: `.coverage`, `coverage json`, lcov, Istanbul's JSON, Go's cover profiles, the JSON \
             of llvm-cov, JaCoCo's XML",
        )
    })
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

/// Finds the files that a report names by absolute paths, paths relative to another directory,
/// import paths or package paths.
struct Paths<'a> {
    root: String,
    known: HashSet<&'a str>,
    by_name: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Paths<'a> {
    fn new(root: &Path, files: &'a [String]) -> Paths<'a> {
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for file in files {
            by_name.entry(file.rsplit('/').next().unwrap_or(file)).or_default().push(file);
        }
        let root = root.to_string_lossy().replace('\\', "/");
        Paths { root, known: files.iter().map(String::as_str).collect(), by_name }
    }

    /// Returns the repository path of a path of a report: below the root, or else the only file that
    /// ends with it, or with which it ends. O(files of that name).
    fn find(&self, path: &str) -> Option<&'a str> {
        let path = path.replace('\\', "/");
        let path = path.trim_start_matches("./");
        let below = path.strip_prefix(&self.root).and_then(|rest| rest.strip_prefix('/'));
        if let Some(known) = self.known.get(below.unwrap_or(path)) {
            return Some(known);
        }
        if below.is_some() {
            return None;
        }
        let named = self.by_name.get(path.rsplit('/').next()?)?;
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        // The longest one, as `a/b.go` is within `example.org/m/a/b.go`, and `b.go` is not.
        let within = named.iter().filter(|file| ends(path, file)).max_by_key(|file| file.len());
        if let Some(within) = within {
            return Some(within);
        }
        let mut around = named.iter().filter(|file| ends(file, path));
        around.next().filter(|_| around.next().is_none()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_paths_of_reports() {
        let files = ["a/b.go", "b.go", "x/src/com/A.java", "y/src/com/A.java", "m.py"];
        let files: Vec<String> = files.iter().map(|&file| file.to_owned()).collect();
        let paths = Paths::new(Path::new("/t"), &files);
        for (path, expected) in [
            ("/t/m.py", Some("m.py")),
            ("./m.py", Some("m.py")),
            ("example.org/m/a/b.go", Some("a/b.go")),
            ("example.org/m/b.go", Some("b.go")),
            ("x/src/com/A.java", Some("x/src/com/A.java")),
            ("com/A.java", None),
            ("/t/gone.py", None),
            ("/usr/lib/python3/os.py", None),
        ] {
            assert_eq!(paths.find(path), expected, "{path}");
        }
    }
}
