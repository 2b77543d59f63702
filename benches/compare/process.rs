//! Runs and times one process, with its output drained through a pipe.
//!
//! The output does not go to the null device: ripgrep and grep detect that and stop at the first
//! match.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::Xxh3;

use super::ends::Ends;

/// The size of one read from the pipe, which holds 64 KB.
const BUFFER_BYTES: usize = 64 << 10;

/// A command line and its working directory.
#[derive(Clone)]
pub(crate) struct Job {
    /// The program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// Its working directory.
    pub(crate) cwd: PathBuf,
    /// Environment variables in addition to those of the bench.
    pub(crate) envs: Vec<(&'static str, OsString)>,
    /// The exit codes that are valid answers.
    pub(crate) ends: Ends,
}

/// One finished run.
pub(crate) struct Run {
    /// The time from start to exit.
    pub(crate) wall: Duration,
    /// Standard output; only the beginning for a drained run.
    pub(crate) stdout: Vec<u8>,
    /// A hash of standard output.
    pub(crate) digest: u64,
    /// The length of standard output.
    pub(crate) bytes: u64,
    /// The number of lines.
    pub(crate) lines: usize,
    /// The end of standard error.
    pub(crate) stderr: String,
    /// The exit code; -1 after a signal.
    pub(crate) code: i32,
}

impl Job {
    /// Creates a job from a program, a directory and its arguments.
    pub(crate) fn new(
        program: &Path,
        cwd: &Path,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Self {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let (program, cwd) = (program.to_owned(), cwd.to_owned());
        Self { program, args, cwd, envs: Vec::new(), ends: Ends::Grep }
    }

    /// Runs the job and keeps all output.
    pub(crate) fn run(&self) -> Result<Run, String> {
        self.run_watching(usize::MAX, |_| ())
    }

    /// Runs the job and keeps only the beginning of the output, which can be as large as the tree.
    pub(crate) fn drain(&self) -> Result<Run, String> {
        self.run_watching(BUFFER_BYTES, |_| ())
    }

    /// Runs the job and returns the peak resident memory in bytes, if the system reports it
    /// (Linux).
    ///
    /// The kernel's high-water mark is read every few milliseconds, so only growth at the very end
    /// can be missed.
    pub(crate) fn run_with_peak(&self) -> Result<(Run, Option<u64>), String> {
        let mut peak = None;
        let ended = AtomicBool::new(false);
        let run = thread::scope(|scope| {
            let mut watching = None;
            let run = self.run_watching(BUFFER_BYTES, |id| {
                let ended = &ended;
                watching = Some(scope.spawn(move || {
                    let mut peak = None;
                    while !ended.load(Ordering::Relaxed) {
                        peak = peak_rss_bytes(id).max(peak);
                        thread::sleep(Duration::from_millis(3));
                    }
                    peak
                }));
            });
            ended.store(true, Ordering::Relaxed);
            peak = watching.and_then(|thread| thread.join().ok().flatten());
            run
        })?;
        Ok((run, peak))
    }

    /// Returns the command without its streams.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.args)
            .current_dir(&self.cwd)
            .env_remove("RIPGREP_CONFIG_PATH")
            .env("CODEDB_BACKGROUND", "0");
        // These variables would point git to another repository or to settings of the caller.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"GIT_") {
                command.env_remove(name);
            }
        }
        command.envs(self.envs.iter().map(|(name, value)| (name, value)));
        command
    }

    fn run_watching(
        &self,
        kept_bytes_max: usize,
        started: impl FnOnce(u32),
    ) -> Result<Run, String> {
        let fail = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut child = command.spawn().map_err(fail)?;
        started(child.id());
        let mut errors = child.stderr.take().expect("stderr is piped");
        let errors = thread::spawn(move || {
            let mut text = Vec::new();
            errors.read_to_end(&mut text).map(|_| text)
        });
        let mut pipe = child.stdout.take().expect("stdout is piped");
        let (mut stdout, mut hash, mut bytes, mut lines) = (Vec::new(), Xxh3::new(), 0, 0);
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            let read = pipe.read(&mut buffer).map_err(fail)?;
            let piece = &buffer[..read];
            if piece.is_empty() {
                break;
            }
            hash.update(piece);
            lines += memchr::memchr_iter(b'\n', piece).count();
            bytes += read as u64;
            stdout
                .extend_from_slice(&piece[..read.min(kept_bytes_max.saturating_sub(stdout.len()))]);
        }
        let status = child.wait().map_err(fail)?;
        let wall = start.elapsed();
        let stderr = errors.join().ok().and_then(Result::ok).unwrap_or_default();
        let stderr =
            String::from_utf8_lossy(&stderr[stderr.len().saturating_sub(2000)..]).into_owned();
        Ok(Run {
            wall,
            stdout,
            digest: hash.digest(),
            bytes,
            lines,
            stderr,
            code: status.code().unwrap_or(-1),
        })
    }
}

impl Run {
    /// Returns the run if it is a valid answer (see `Job::ends`), an error otherwise.
    pub(crate) fn answered(self, job: &Job) -> Result<Self, String> {
        if job.ends.is_answer(self.code, &self.stderr) {
            return Ok(self);
        }
        let args: Vec<_> = job.args.iter().map(|arg| arg.to_string_lossy()).collect();
        Err(format!(
            "`{} {}` ended with {}: {}",
            job.program.display(),
            args.join(" "),
            self.code,
            self.stderr.trim()
        ))
    }
}

/// Reads the high-water mark of a running process from `/proc`.
fn peak_rss_bytes(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes << 10)
}
