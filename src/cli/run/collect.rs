//! Reads the reports that a run left, and gives its results canonical ids.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use globset::{GlobBuilder, GlobSetBuilder};
use serde::{Deserialize, Serialize};

use super::Found;
use super::output;
use crate::catalog::code::Code as _;
use crate::engine::{Check, Engine, Local};
use crate::error::{Error, Result};
use crate::reports::{Case, Place, Report, ids, junit, libtest, lines};
use crate::userdata::runs::TestResult;

/// The maximum size of one report in bytes.
const REPORT_BYTES_MAX: u64 = 256 << 20;

/// The maximum number of reports of a run.
const REPORTS_MAX: usize = 20_000;

/// The maximum depth of the directories in which JUnit XML is searched.
const DEPTH_MAX: usize = 20;

/// The maximum size of a source file that is searched for a test, in bytes.
const SOURCE_BYTES_MAX: u64 = 4 << 20;

/// Where the reports of a run are; known before it starts.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Sources {
    /// The directory of the run's own reports.
    pub(super) own: PathBuf,
    /// The directory of the command.
    pub(super) directory: PathBuf,
    /// Files in JUnit XML, by globs relative to the directory of the command.
    pub(super) globs: Vec<String>,
    /// A file in JUnit XML that only this run writes.
    pub(super) junit: Option<PathBuf>,
    /// The runner, if the command names it.
    pub(super) expected: Option<String>,
    /// Why the runner cannot report.
    pub(super) obstacle: Option<String>,
    /// When the run began, in milliseconds since 1970.
    pub(super) started_ms: u64,
}

/// Returns the reports of a run.
///
/// # Errors
///
/// If a glob is invalid, or a directory cannot be read.
pub(super) fn reports(plan: &Sources) -> Result<Found> {
    let (own, directory) = (&plan.own, &plan.directory);
    let started = SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(plan.started_ms);
    let mut reports = Vec::new();
    let mut names: Vec<PathBuf> = fs::read_dir(own)
        .map_err(|error| Error::io(own, error))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    names.sort();
    for path in names.iter().take(REPORTS_MAX) {
        reports.push(read(path, lines::parse));
    }
    // A process that only loaded a hook has no report.
    reports.retain(|report: &Report| !report.is_empty());
    reports.extend(cargo_test(own, directory));
    let mut files: Vec<PathBuf> =
        plan.junit.iter().filter(|path| path.is_file()).cloned().collect();
    files.extend(matching(&plan.globs, directory, started)?);
    if files.len() > REPORTS_MAX {
        let mut many = Report::default();
        many.problem(format!("more than {REPORTS_MAX} reports"));
        reports.push(many);
    }
    for path in files.iter().take(REPORTS_MAX) {
        let mut report = read(path, junit::parse);
        if plan.expected.as_deref() == Some("nextest") {
            rust_crates(&mut report, directory);
        }
        reports.push(report);
    }
    let by_glob = || (!plan.globs.is_empty()).then(|| "junit".to_owned());
    let expected = plan.expected.clone().or_else(by_glob);
    Ok(Found { reports, expected, obstacle: plan.obstacle.clone() })
}

fn read(path: &Path, parse: fn(&[u8]) -> Report) -> Report {
    let mut report = Report::default();
    let bytes = match fs::metadata(path) {
        Ok(metadata) if metadata.len() > REPORT_BYTES_MAX => {
            report.problem(format!("{} is larger than 256 MiB", path.display()));
            return report;
        }
        _ => fs::read(path),
    };
    match bytes {
        Ok(bytes) => parse(&bytes),
        Err(error) => {
            report.problem(format!("{}: {error}", path.display()));
            report
        }
    }
}

/// Returns the files below `directory` that match a glob and were written since `started`, in the
/// order of their paths.
fn matching(globs: &[String], directory: &Path, started: SystemTime) -> Result<Vec<PathBuf>> {
    if globs.is_empty() {
        return Ok(Vec::new());
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let glob = glob.trim_start_matches("./");
        let invalid = |error: globset::Error| Error::usage(format!("`--junit`: {error}"));
        set.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(invalid)?);
    }
    let set = set.build().map_err(|error| Error::usage(format!("`--junit`: {error}")))?;
    let walk = ignore::WalkBuilder::new(directory)
        .standard_filters(false)
        .max_depth(Some(DEPTH_MAX))
        .filter_entry(|entry| !matches!(entry.file_name().to_str(), Some(".git" | "node_modules")))
        .sort_by_file_name(Ord::cmp)
        .build();
    // A named pipe would be waited for.
    let is_new = |path: &Path| {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        let modified = metadata.and_then(|metadata| metadata.modified().ok());
        modified.is_some_and(|modified| modified >= whole_second(started))
    };
    let matches = |path: &PathBuf| {
        path.strip_prefix(directory).is_ok_and(|relative| set.is_match(relative)) && is_new(path)
    };
    let found = walk.flatten().map(ignore::DirEntry::into_path).filter(matches);
    Ok(found.take(REPORTS_MAX + 1).collect())
}

/// Returns the time without its fraction of a second, which some file systems do not store.
fn whole_second(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(since.as_secs())
}

fn cargo_test(own: &Path, directory: &Path) -> Option<Report> {
    let text = |is_stderr: bool| {
        let bytes = fs::read(output::path(own, is_stderr)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let stdout = text(false)?;
    let stderr = text(true).unwrap_or_default();
    // Both streams may be one.
    let targets = libtest::targets(if stderr.is_empty() { &stdout } else { &stderr });
    let metadata = metadata(directory).unwrap_or_default();
    let root_of = |root: &str, name: &str| metadata.root(root, name);
    let mut report = libtest::parse(&stdout, &targets, &root_of);
    for case in &mut report.cases {
        if let Place::File(path) = &mut case.place {
            // Documentation is named relative to the workspace.
            let below = metadata.workspace_root.join(&path);
            *path = below.to_string_lossy().into_owned();
        }
    }
    if [stdout.len(), stderr.len()]
        .iter()
        .any(|&length| length as u64 + 20_000 > output::KEPT_BYTES_MAX)
    {
        report.problem("the output has more than 64 MiB of results");
    }
    (!report.is_empty()).then_some(report)
}

/// What `cargo metadata` prints.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: String,
}

impl Metadata {
    /// Returns the root file of the target with a name and a path that ends in `root`.
    fn root(&self, root: &str, name: &str) -> Option<String> {
        let mut targets = self.packages.iter().flat_map(|package| &package.targets);
        let is_it = |target: &&Target| {
            let path = target.src_path.replace('\\', "/");
            target.name.replace('-', "_") == name && path.ends_with(root)
        };
        targets.find(is_it).map(|target| target.src_path.clone())
    }

    /// Returns the root file of a binary of nextest: `package`, `package::test` or
    /// `package::bin/name`.
    fn binary(&self, id: &str) -> Option<String> {
        let (package, target) = id.split_once("::").unwrap_or((id, ""));
        let package = self.packages.iter().find(|it| it.name == package)?;
        let (kind, name) = target.split_once('/').unwrap_or(("test", target));
        let is_library = |target: &Target| {
            target.kind.iter().any(|kind| kind.ends_with("lib") || kind == "proc-macro")
        };
        let is_it = |it: &&Target| {
            if target.is_empty() {
                is_library(it)
            } else {
                it.name == name && it.kind.iter().any(|other| other == kind)
            }
        };
        package.targets.iter().find(is_it).map(|target| target.src_path.clone())
    }
}

fn metadata(directory: &Path) -> Option<Metadata> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(directory)
        .stderr(std::process::Stdio::null())
        .output()
        .ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

/// Replaces the binaries of nextest by the root files of their crates.
fn rust_crates(report: &mut Report, directory: &Path) {
    report.runners = vec!["nextest".to_owned()];
    let metadata = metadata(directory).unwrap_or_default();
    for Case { place, .. } in &mut report.cases {
        if let Place::Class(id) = place
            && let Some(root) = metadata.binary(id)
        {
            *place = Place::Crate(root);
        }
    }
}

/// Returns the results of reports with canonical ids.
pub(super) fn results(engine: &Engine, directory: &Path, reports: &[Report]) -> Vec<TestResult> {
    let needs_files = reports
        .iter()
        .flat_map(|report| &report.cases)
        .any(|case| matches!(case.place, Place::Class(_) | Place::Crate(_) | Place::Directory(_)));
    let files: Vec<String> = if needs_files { listed(engine) } else { Vec::new() };
    let text = |path: &Path| path.to_string_lossy().replace('\\', "/");
    let (root, directory) = (text(engine.root()), text(directory));
    let read = |path: &str| {
        let path = engine.root().join(path);
        let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file);
        let is_small = metadata.is_some_and(|it| it.len() <= SOURCE_BYTES_MAX);
        is_small.then(|| fs::read_to_string(&path).ok())?
    };
    let tree = ids::Tree { root: &root, directory: &directory, files: &files, read: &read };
    ids::results(reports, &tree)
}

fn listed(engine: &Engine) -> Vec<String> {
    let code = Local::new(engine, Check::Watcher);
    match code.files() {
        Ok(files) => {
            files.iter().map(|(path, _)| String::from_utf8_lossy(path).into_owned()).collect()
        }
        Err(error) => {
            log::debug!("the files of the tree are unknown: {error}");
            Vec::new()
        }
    }
}
