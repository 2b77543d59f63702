//! The cost of indexes: build time in seconds and disk space in megabytes.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::super::build::size_bytes;
use super::super::process::Job;
use super::super::stats::median;
use super::Setting;
use super::programs::Program;

/// A build is repeated while its runs took less than this in total.
const REPEATED_MAX: Duration = Duration::from_secs(20);
/// The maximum number of runs.
const RUNS_MAX: usize = 3;
/// The pause between two checks of a running build.
const PAUSE: Duration = Duration::from_millis(2);

/// The result of an index build.
pub(super) struct Build {
    /// The program; `None` for codedb.
    program: Option<Program>,
    /// The builder and the purpose of the index.
    name: &'static str,
    /// The times of complete runs.
    seconds: Vec<f64>,
    /// The size on disk.
    bytes: u64,
    /// The reason why the last run is incomplete.
    trouble: Option<String>,
}

/// The result of a run.
enum Ended {
    Done(Duration),
    /// It was terminated at its time limit.
    Late,
    /// Its last message.
    Failed(String),
}

/// Builds every index outside of the tree; the queries use codedb's full one.
pub(super) fn all(setting: &Setting) -> Result<Vec<Build>, String> {
    let stage = setting.stage;
    let mut builds = Vec::new();
    for (name, level) in
        [("codedb, search (`--stage ready`)", "ready"), ("codedb, all (`--stage full`)", "full")]
    {
        let mut job = Job::new(setting.codedb, &stage.tree.root, ["index", "--quiet", "--root"]);
        job.args.extend([stage.tree.root.clone().into(), "--index-dir".into()]);
        job.args.push(stage.tree.index_dir.clone().into());
        job.args.extend(["--stage".into(), level.into()]);
        let build = build(setting, None, name, &job, &stage.tree.index_dir)?;
        if let Some(trouble) = build.trouble {
            return Err(format!("{name}: the index was not built: {trouble}"));
        }
        builds.push(build);
    }
    if let Some(path) = setting.programs.path(Program::Cindex) {
        let mut job = Job::new(path, &stage.tree.root, [&stage.tree.root]);
        job.envs.push(csearch_env(setting));
        let place = csearch_index(setting);
        builds.push(build(setting, Some(Program::Cindex), "cindex (search)", &job, &place)?);
    }
    if let Some(path) = setting.programs.path(Program::Ctags) {
        let args = ["--options=NONE", "--quiet", "-R", "--fields=+nK", "-f"];
        let mut job = Job::new(path, &stage.tree.root, args);
        job.args.extend([tags_file(setting).into(), ".".into()]);
        let place = tags_file(setting);
        builds.push(build(setting, Some(Program::Ctags), "ctags (definitions)", &job, &place)?);
    }
    Ok(builds)
}

/// Returns the environment variable with the index path of cindex and csearch.
pub(super) fn csearch_env(setting: &Setting) -> (&'static str, OsString) {
    ("CSEARCHINDEX", csearch_index(setting).into())
}

/// Returns the path of ctags's file.
pub(super) fn tags_file(setting: &Setting) -> PathBuf {
    setting.stage.dir.join("tags")
}

fn csearch_index(setting: &Setting) -> PathBuf {
    setting.stage.dir.join("csearchindex")
}

/// Returns the reason why the index of `program` cannot be used; `None` if it is complete.
pub(super) fn trouble(builds: &[Build], program: Program) -> Option<String> {
    let name = program.name();
    match builds.iter().find(|build| build.program == Some(program)) {
        None => Some(format!("no {name}")),
        Some(build) => build.trouble.as_ref().map(|trouble| format!("{name}: {trouble}")),
    }
}

/// Builds an index at `place`, from scratch each time.
pub(super) fn build(
    setting: &Setting,
    program: Option<Program>,
    name: &'static str,
    job: &Job,
    place: &Path,
) -> Result<Build, String> {
    eprintln!("  index: {name}");
    let mut build = Build { program, name, seconds: Vec::new(), bytes: 0, trouble: None };
    let log = setting.stage.dir.join("build.log");
    while build.seconds.len() < RUNS_MAX
        && build.seconds.iter().sum::<f64>() < REPEATED_MAX.as_secs_f64()
    {
        remove(place).map_err(|error| format!("{}: {error}", place.display()))?;
        let ended = within(setting.options.limit, job, &log);
        let size = fs::metadata(place).map_or(0, |meta| meta.len());
        build.bytes = if place.is_dir() { size_bytes(place) } else { size };
        match ended? {
            Ended::Done(_) if build.bytes == 0 => {
                eprintln!("compare: {name}: it left nothing in {}", place.display());
                build.trouble = Some("left nothing".into());
            }
            Ended::Done(time) => {
                build.seconds.push(time.as_secs_f64());
                continue;
            }
            Ended::Late => {
                let limit_s = setting.options.limit.as_secs();
                build.trouble = Some(format!("not done after {limit_s} s"));
            }
            Ended::Failed(message) => {
                eprintln!("compare: {name}: {message}");
                build.trouble = Some("failed".into());
            }
        }
        break;
    }
    Ok(build)
}

fn remove(place: &Path) -> io::Result<()> {
    let removed = if place.is_dir() { fs::remove_dir_all(place) } else { fs::remove_file(place) };
    removed.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

/// Runs a job with the time limit `limit`.
///
/// The output goes to a file: an indexer with thousands of messages would fill a pipe.
fn within(limit: Duration, job: &Job, log: &Path) -> Result<Ended, String> {
    let fail = |error: io::Error| format!("{}: {error}", job.program.display());
    let output = fs::File::create(log).map_err(fail)?;
    let mut command = job.command();
    command.stdin(Stdio::null()).stdout(output.try_clone().map_err(fail)?).stderr(output);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let start = Instant::now();
    let mut child = command.spawn().map_err(fail)?;
    loop {
        if let Some(status) = child.try_wait().map_err(fail)? {
            let time = start.elapsed();
            // Its remaining child processes would disturb later measurements. The process id is not
            // reused immediately.
            end(&mut child);
            let text = fs::read(log).unwrap_or_default();
            let end = String::from_utf8_lossy(&text[text.len().saturating_sub(500)..]).into_owned();
            return Ok(if status.success() {
                Ended::Done(time)
            } else {
                Ended::Failed(format!("it ended with {status}: {}", end.trim()))
            });
        }
        if start.elapsed() > limit {
            end(&mut child);
            return Ok(Ended::Late);
        }
        thread::sleep(PAUSE);
    }
}

/// Terminates a child process and its descendants.
fn end(child: &mut Child) {
    #[cfg(unix)]
    rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    )
    .ok();
    child.kill().ok();
    child.wait().ok();
}

/// Writes the table of all indexes.
pub(super) fn table(builds: &[Build], text_bytes: u64) -> String {
    let mut text =
        String::from("| index | s | MB | % of the text |\n| --- | ---: | ---: | ---: |\n");
    for build in builds {
        let megabytes = build.bytes as f64 / 1e6;
        let percent = match text_bytes {
            0 => "–".to_owned(),
            _ => format!("{:.1}", 100.0 * build.bytes as f64 / text_bytes as f64),
        };
        let (seconds, so_far) = match &build.trouble {
            Some(trouble) => (format!("{trouble}, so not measured"), "so far "),
            None => (format!("{:.2}", median(&build.seconds)), ""),
        };
        writeln!(text, "| {} | {seconds} | {so_far}{megabytes:.1} | {percent} |", build.name)
            .expect("writing to a string");
    }
    text
}
