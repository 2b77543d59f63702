//! The worker processes of this process: started when needed, reused, and replaced when they die.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard};

use rustc_hash::FxHashSet;

use super::nothing_but;
use super::wire::{self, READY, Request};
use crate::error::{Error, Kind, Result};
use crate::index::code::store::builder;
use crate::lang::{Facts, Language, Problem};

/// The command of a worker process. It is followed by [`builder`].
pub const COMMAND: &str = "parse-worker";

/// Maximum number of texts that are remembered because they crashed a worker.
const CRASHES_MAX: usize = 1 << 14;

/// How often a text is sent again if its worker ended for a reason that was not the text.
const ATTEMPTS: usize = 3;

/// Starts and keeps worker processes. Dropping it ends the idle ones.
#[derive(Debug)]
pub(super) struct Pool {
    program: PathBuf,
    count_max: usize,
    state: Mutex<State>,
    /// Signalled when a worker becomes idle or ends.
    free: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Worker>,
    /// Number of workers that are parsing.
    busy: usize,
    /// Hashes of texts that crashed a worker.
    crashes: FxHashSet<u128>,
}

/// A running worker process.
#[derive(Debug)]
struct Worker {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

/// Why a worker gave no facts.
enum Death {
    /// The text crashed it, or took too long.
    ByText,
    /// It had ended because it was idle, or something killed it.
    Otherwise,
}

impl Pool {
    /// Returns the program of the workers.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    pub(super) fn new(program: PathBuf, count_max: usize) -> Pool {
        let (state, free) = (Mutex::default(), Condvar::new());
        Pool { program, count_max: count_max.max(1), state, free }
    }

    /// Parses a text in a worker, and waits for one while all are busy. See
    /// [`Parsers::facts`](super::Parsers::facts).
    pub(super) fn parse(
        &self,
        language: &'static Language,
        path: &str,
        text: &[u8],
        hash: u128,
        with_references: bool,
    ) -> Result<Facts> {
        if self.state().crashes.contains(&hash) {
            return Ok(nothing_but(Problem::Crashed));
        }
        let request = Request { language, path, text, with_references };
        for _ in 0..ATTEMPTS {
            let mut place = Place::take(self);
            let mut worker = match place.worker.take() {
                Some(worker) => worker,
                None => self.start()?,
            };
            match worker.parse(&request) {
                Ok(facts) => {
                    place.worker = Some(worker);
                    return Ok(facts);
                }
                Err(Death::ByText) => break,
                Err(Death::Otherwise) => {}
            }
        }
        log::warn!("the parser of {} crashed on `{path}`", language.name);
        self.remember_crash(hash);
        Ok(nothing_but(Problem::Crashed))
    }

    pub(super) fn remember_crash(&self, hash: u128) {
        let crashes = &mut self.state().crashes;
        if crashes.len() < CRASHES_MAX {
            crashes.insert(hash);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn start(&self) -> Result<Worker> {
        let error = |what: &dyn std::fmt::Display| {
            Error::new(Kind::Io, format!("cannot start a parser process: {what}"))
                .with_path(&self.program)
                .with_hint("codedb may have been updated while it was running: start it again")
        };
        let mut command = Command::new(&self.program);
        command.arg(COMMAND).arg(builder());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|failure| error(&failure))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(error(&"it has no pipes"));
        };
        let mut worker = Worker { child, input, output };
        let mut ready = [0];
        match worker.output.read_exact(&mut ready) {
            Ok(()) if ready[0] == READY => Ok(worker),
            _ => Err(error(&"it does not answer")),
        }
    }
}

/// A place among the workers that may run at the same time, with an idle worker if there was one.
struct Place<'a> {
    pool: &'a Pool,
    worker: Option<Worker>,
}

impl<'a> Place<'a> {
    /// Waits for a place.
    fn take(pool: &'a Pool) -> Place<'a> {
        let mut state = pool.state();
        while state.busy >= pool.count_max {
            state = pool.free.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        state.busy += 1;
        Place { pool, worker: state.idle.pop() }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.busy -= 1;
        let ended = self.worker.take().map(|worker| {
            state.idle.push(worker);
            take_ended(&mut state.idle)
        });
        drop(state);
        drop(ended);
        self.pool.free.notify_one();
    }
}

/// Removes the workers that have ended because they were idle.
fn take_ended(idle: &mut Vec<Worker>) -> Vec<Worker> {
    let is_ended = |worker: &mut Worker| !matches!(worker.child.try_wait(), Ok(None));
    idle.extract_if(.., is_ended).collect()
}

impl Worker {
    fn parse(&mut self, request: &Request<'_>) -> std::result::Result<Facts, Death> {
        let sent = wire::write_request(&mut self.input, request);
        let found = sent.and_then(|()| wire::read_facts(&mut self.output, request));
        found.map_err(|error| {
            // Its memory may be damaged if it sent something else than facts.
            let is_end = matches!(
                error.kind(),
                std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::BrokenPipe
            );
            if !is_end {
                let _ = self.child.kill();
                return Death::ByText;
            }
            match self.child.wait() {
                Ok(status) if was_ended(status) => Death::Otherwise,
                _ => Death::ByText,
            }
        })
    }
}

/// Returns true if a worker ended by itself because it was idle, or was killed by another process.
fn was_ended(status: ExitStatus) -> bool {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        use rustix::process::Signal;
        let from_outside = [Signal::HUP, Signal::INT, Signal::KILL, Signal::TERM];
        return from_outside.iter().any(|from| from.as_raw() == signal);
    }
    status.success()
}

impl Drop for Worker {
    fn drop(&mut self) {
        // An idle worker would end with its input, but only a process that was waited for is gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;
    use crate::lang::language;

    /// A pool whose workers run a shell script; each start adds a line to the file `starts`.
    struct Scripted {
        folder: tempfile::TempDir,
        pool: Pool,
    }

    impl Scripted {
        fn new(script: &str) -> Scripted {
            let folder = tempfile::tempdir().expect("a temporary directory");
            let program = folder.path().join("worker");
            let starts = folder.path().join("starts");
            let text = format!("#!/bin/sh\necho >> {}\n{script}\n", starts.display());
            // Another process writes the program: a file that is open for writing cannot be executed,
            // and a process that another test starts at this moment may hold it open.
            let source = folder.path().join("source");
            fs::write(&source, text).expect("a script");
            let copied = Command::new("cp").arg(&source).arg(&program).status();
            assert!(copied.is_ok_and(|status| status.success()), "a script");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("a script");
            Scripted { pool: Pool::new(program, 2), folder }
        }

        fn parse(&self, text: &str) -> Result<Option<Problem>> {
            let language = language::of_path(Path::new("a.rs")).expect("a language");
            let hash = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
            let facts = self.pool.parse(language, "a.rs", text.as_bytes(), hash, true)?;
            Ok(facts.problems.keys().next().copied())
        }

        fn starts(&self) -> usize {
            let starts = fs::read(self.folder.path().join("starts")).unwrap_or_default();
            starts.len()
        }
    }

    #[track_caller]
    fn check(script: &str, starts: usize) {
        let scripted = Scripted::new(script);
        for _ in 0..2 {
            assert_eq!(scripted.parse("a").expect("started"), Some(Problem::Crashed), "{script}");
        }
        assert_eq!(scripted.starts(), starts, "{script}");
        assert_eq!(scripted.parse("b").expect("started"), Some(Problem::Crashed), "{script}");
        assert_eq!(scripted.starts(), 2 * starts, "{script}");
        assert_eq!(scripted.pool.state().busy, 0);
    }

    #[test]
    fn a_text_that_crashes_a_worker_is_not_tried_again() {
        check("printf '\\300'; head -c 4 > /dev/null; kill -ABRT $$", 1);
        check("printf '\\300'; head -c 4 > /dev/null; kill -SEGV $$", 1);
        check("printf '\\300'; head -c 4 > /dev/null; exit 3", 1);
        check("printf '\\300'; head -c 4 > /dev/null; printf 'no facts'; cat > /dev/null", 1);
    }

    #[test]
    fn a_worker_that_was_killed_is_replaced() {
        check("printf '\\300'; head -c 4 > /dev/null; kill -KILL $$", ATTEMPTS);
        check("printf '\\300'; exit 0", ATTEMPTS);
    }

    #[test]
    fn a_worker_that_does_not_start_is_an_error() {
        for script in ["exit 2", "printf x; cat", "exec /nowhere"] {
            let scripted = Scripted::new(script);
            let error = scripted.parse("a").expect_err("not started");
            assert!(error.to_string().contains("parser process"), "{error}");
            assert_eq!(scripted.pool.state().busy, 0);
        }
    }
}
