//! `codedb run --coverage`: has the runner measure which test executes what, and imports it.
//!
//! pytest and unittest measure with coverage.py in their own process, mocha with V8's counters: one context
//! for each test. `go test` has none, so each test runs once more, alone. Jest reports for all tests
//! together.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use super::collect::Sources;
use super::hook::Plan;
use crate::cli::covered::{Imported, attributed};
use crate::cli::tool::now_ms;
use crate::engine::Engine;
use crate::error::Result;
use crate::reports::coverage;
use crate::userdata::runs::TestResult;

/// How long tests of Go are measured.
const GO_TIME_MAX: Duration = Duration::from_secs(600);

/// The maximum number of reports that are read.
const REPORTS_MAX: usize = 1_000;

fn own(reports: &Path) -> PathBuf {
    reports.join("coverage")
}

/// Has the runner measure.
pub(super) fn plan(plan: &mut Plan, root: &Path, reports: &Path, words: usize) {
    let own = own(reports);
    if fs::create_dir_all(&own).is_err() {
        return;
    }
    plan.environment.push(("CODEDB_REPORT_ROOT", root.into()));
    if std::env::var_os("COVERAGE_CORE").is_none() {
        // Other cores know no contexts.
        plan.environment.push(("COVERAGE_CORE", "ctrace".into()));
    }
    match plan.expected {
        Some("jest") => {
            let mut directory = OsString::from("--coverageDirectory=");
            directory.push(&own);
            let options = ["--coverage", "--coverageReporters=json"].map(OsString::from);
            for option in options.into_iter().chain([directory]) {
                plan.inserted.push((words + plan.inserted.len(), option));
            }
        }
        _ => plan.environment.push(("CODEDB_REPORT_COVERAGE", own.into())),
    }
}

/// Imports what was measured and describes it in one line.
///
/// # Errors
///
/// If the database cannot be written.
pub(super) fn import(engine: &Engine, sources: &Sources, results: &[TestResult]) -> Result<String> {
    // Files that were written after the start have an unknown text.
    let started = SystemTime::UNIX_EPOCH + Duration::from_millis(sources.started_ms);
    let own = own(&sources.own);
    let mut total = Imported::default();
    let mut reports: Vec<(PathBuf, Option<String>)> = Vec::new();
    if sources.expected.as_deref() == Some("go test") {
        reports = of_go(engine, &own, results, &mut total);
    } else {
        let entries = fs::read_dir(&own).into_iter().flatten().flatten().map(|entry| entry.path());
        reports.extend(entries.filter(|path| path.is_file()).map(|path| (path, None)));
        reports.sort();
    }
    if reports.is_empty() {
        return Ok(format!("no coverage was collected: {}", obstacle(sources, &total)));
    }
    let database = engine.create_user_data()?;
    for (path, test) in reports.iter().take(REPORTS_MAX.max(results.len())) {
        let mut report = match coverage::read(path) {
            Ok(report) => report,
            Err(error) => {
                total.problems.push(error.to_string());
                continue;
            }
        };
        // Libraries are measured, too.
        let root = engine.root().to_string_lossy().replace('\\', "/");
        report.files.retain(|path, _| {
            let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
            !is_absolute || path.replace('\\', "/").starts_with(&root)
        });
        if let Some(test) = test {
            report.attribute_to(test);
        }
        let (symbols, imported) = attributed(engine, report, started)?;
        database.add_coverage(&symbols, now_ms())?;
        total.add(imported);
    }
    Ok(format!("imported coverage: {}", total.summary()))
}

/// Returns why nothing was measured.
fn obstacle(sources: &Sources, total: &Imported) -> String {
    if let Some(problem) = total.problems.first() {
        return problem.clone();
    }
    match sources.expected.as_deref() {
        Some("pytest" | "unittest") => "`coverage` is not installed, or `--cov` measures already; \
             `codedb data coverage` imports its report"
            .to_owned(),
        Some("go test") => "no test ran".to_owned(),
        Some("jest" | "mocha") => "the runner wrote no report".to_owned(),
        Some(runner) => {
            format!("codedb cannot ask {runner} for it; `codedb data coverage` imports reports")
        }
        None => "the runner is not known".to_owned(),
    }
}

/// Runs each test of Go alone; returns the profiles, each with its test.
fn of_go(
    engine: &Engine,
    own: &Path,
    results: &[TestResult],
    total: &mut Imported,
) -> Vec<(PathBuf, Option<String>)> {
    let mut packages: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for result in results {
        let Some((file, name)) = result.test.split_once("::") else { continue };
        let is_top = file.ends_with(".go") && !name.contains('/');
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let tests = packages.entry(folder).or_default();
        if is_top && !tests.iter().any(|(_, known)| *known == name) {
            tests.push((&result.test, name));
        }
    }
    let until = Instant::now() + GO_TIME_MAX;
    let mut found = Vec::new();
    for (at, (folder, tests)) in packages.into_iter().enumerate() {
        let directory = engine.root().join(folder);
        let go = |args: &[&str]| {
            let mut command = Command::new("go");
            command.args(args).current_dir(&directory).stdin(Stdio::null());
            command.output().ok().filter(|output| output.status.success())
        };
        let module = go(&["list", "-m"]).map(|output| output.stdout);
        let module = String::from_utf8_lossy(&module.unwrap_or_default()).trim().to_owned();
        let program = own.join(format!("{at}.test"));
        let (all, out) = (format!("-coverpkg={module}/..."), program.to_string_lossy());
        let compiled = go(&["test", "-c", "-cover", "-covermode=set", &all, "-o", &out, "."]);
        if module.is_empty() || compiled.is_none() {
            total.problems.push(format!("`go test -c -cover` fails in {folder}"));
            continue;
        }
        for (number, (id, name)) in tests.into_iter().enumerate() {
            if Instant::now() > until {
                total.problems.push("not all tests of Go were measured in ten minutes".to_owned());
                return found;
            }
            let profile = own.join(format!("{at}-{number}.out"));
            let ran = Command::new(&program)
                .arg(format!("-test.run=^{name}$"))
                .arg(format!("-test.coverprofile={}", profile.display()))
                .arg("-test.timeout=60s")
                .current_dir(&directory)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            if ran.is_ok() && profile.is_file() {
                found.push((profile, Some(id.to_owned())));
            }
        }
    }
    found
}
