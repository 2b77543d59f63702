//! Runs the command: the terminal, the streams and the signals are those of codedb itself.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use super::hook::{self, Plan};
use super::output::Output;
#[cfg(unix)]
use super::tee::Tee;
use crate::error::{Error, Result};

/// How long a command may clean up after its time limit, before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// The interval at which a command with a time limit is checked.
const TICK: Duration = Duration::from_millis(20);

/// How a command ended.
#[derive(Debug)]
pub(super) struct Exit {
    status: ExitStatus,
    elapsed: Duration,
    /// True if it was ended at its time limit.
    pub(super) timed_out: bool,
    /// Its standard output and standard error, if they were captured.
    pub(super) output: Option<Output>,
}

impl Exit {
    /// Returns the exit code; `None` if a signal ended the command.
    pub(super) fn exit_code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Returns the time that the command took.
    pub(super) fn elapsed_ns(&self) -> u128 {
        self.elapsed.as_nanos()
    }

    /// Returns the exit code of `codedb run`: that of the command, or 128 and the signal, as shells
    /// report it.
    pub(super) fn code(&self) -> ExitCode {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&self.status);
        #[cfg(not(unix))]
        let signal: Option<i32> = None;
        let code = self.status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
        ExitCode::from(u8::try_from(code & 0xff).unwrap_or(1))
    }
}

/// Runs a command until it exits.
///
/// # Errors
///
/// If it cannot be started or waited for.
pub(super) fn run(
    plan: &Plan,
    words: &[OsString],
    directory: &Path,
    timeout: Option<Duration>,
) -> Result<Exit> {
    let mut command = hook::command(plan, words);
    command.current_dir(directory);
    let failed = |error: io::Error| {
        let hint = "`codedb run -- COMMAND` runs a program on the PATH, not a command of the shell";
        Error::io(Path::new(&words[0]), error).with_hint(hint)
    };
    let started = Instant::now();
    #[cfg(unix)]
    let forward = forward::Forward::start().map_err(failed)?;
    #[cfg(unix)]
    let tee = plan.is_captured.then(|| Tee::attach(&mut command)).transpose().map_err(failed)?;
    let spawned = command.spawn();
    // The streams of the child stay open while the command exists.
    drop(command);
    let mut child = spawned.map_err(failed)?;
    #[cfg(unix)]
    forward.to(child.id());
    #[cfg(unix)]
    let tee = tee.map(Tee::start);
    let (status, timed_out) = wait(&mut child, timeout).map_err(failed)?;
    #[cfg(unix)]
    let output = tee.map(super::tee::Running::finish);
    #[cfg(not(unix))]
    let output = None;
    Ok(Exit { status, elapsed: started.elapsed(), timed_out, output })
}

fn wait(child: &mut Child, timeout: Option<Duration>) -> io::Result<(ExitStatus, bool)> {
    let Some(timeout) = timeout else { return Ok((child.wait()?, false)) };
    let started = Instant::now();
    let mut is_over = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, is_over));
        }
        if !is_over && started.elapsed() >= timeout {
            is_over = true;
            terminate(child);
        }
        if is_over && started.elapsed() >= timeout + GRACE {
            child.kill()?;
        }
        std::thread::sleep(TICK);
    }
}

#[cfg(unix)]
fn terminate(child: &mut Child) {
    let process = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(unix)]
mod forward {
    //! Passes signals on to the command. Those of the terminal are sent to its whole process group
    //! by the system, so only signals that a process sent are passed on.

    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::WithOrigin;
    use signal_hook::low_level::siginfo::Cause;

    /// Receives signals; they are passed on once the command runs.
    pub(super) struct Forward {
        process: Arc<AtomicU32>,
        pending: Arc<AtomicU32>,
    }

    impl Forward {
        pub(super) fn start() -> io::Result<Forward> {
            let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
            let mut received = SignalsInfo::<WithOrigin>::new(signals)?;
            let forward = Forward { process: Arc::default(), pending: Arc::default() };
            let (process, pending) = (Arc::clone(&forward.process), Arc::clone(&forward.pending));
            let take = move || {
                for origin in &mut received {
                    if !matches!(origin.cause, Cause::Sent(_)) {
                        continue;
                    }
                    let number = u32::try_from(origin.signal).unwrap_or_default();
                    match process.load(Ordering::SeqCst) {
                        0 => pending.store(number, Ordering::SeqCst),
                        process => send(process, number),
                    }
                }
            };
            std::thread::Builder::new().name("signals".to_owned()).spawn(take)?;
            Ok(forward)
        }

        /// Passes signals on to a process from now on, with the last one that came before.
        pub(super) fn to(&self, process: u32) {
            self.process.store(process, Ordering::SeqCst);
            match self.pending.swap(0, Ordering::SeqCst) {
                0 => {}
                number => send(process, number),
            }
        }
    }

    fn send(process: u32, signal: u32) {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        let signal = i32::try_from(signal).ok().and_then(Signal::from_named_raw);
        if let (Some(process), Some(signal)) = (process, signal) {
            // The command may have ended.
            let _ = kill_process(process, signal);
        }
    }
}
