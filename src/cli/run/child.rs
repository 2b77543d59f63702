//! Runs the command: the terminal, the streams and the signals are those of codedb itself.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use super::Options;
use super::hook::{self, Plan};
use super::labelled;
#[cfg(unix)]
use super::processes::{self, Guard};
#[cfg(unix)]
use super::tee::Tee;
use crate::error::{Error, Result};

/// How long a command may clean up after its time limit, before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// The interval at which a command with a time limit is checked.
const TICK: Duration = Duration::from_millis(20);

/// How a command ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    status: ExitStatus,
    /// True if it was ended at its time limit.
    pub(super) timed_out: bool,
}

impl Exit {
    /// Returns the exit code; `None` if a signal ended the command.
    pub(super) fn exit_code(&self) -> Option<i32> {
        self.status.code()
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

    /// Returns true if the command succeeded.
    pub(super) fn is_success(&self) -> bool {
        self.status.success()
    }
}

/// Runs a command until it exits. If codedb dies before that, the command and the processes that it started
/// are ended. `reports` is the directory of the run.
///
/// # Errors
///
/// If it cannot be started or waited for.
pub(super) fn run(
    plan: &Plan,
    words: &[OsString],
    directory: &Path,
    reports: &Path,
    options: &Options,
) -> Result<Exit> {
    let mut command = hook::command(plan, words);
    command.current_dir(directory);
    let failed = |error: io::Error| {
        let hint = "`codedb run -- COMMAND` runs a program on the PATH, not a command of the shell";
        Error::io(Path::new(&words[0]), error).with_hint(hint)
    };
    #[cfg(unix)]
    let forward = forward::Forward::start().map_err(failed)?;
    #[cfg(unix)]
    let tee = (plan.is_captured && options.label.is_none())
        .then(|| Tee::attach(&mut command))
        .transpose()
        .map_err(failed)?;
    if options.label.is_some() {
        labelled::attach(&mut command);
    }
    let spawned = command.spawn();
    // The streams of the child stay open while the command exists.
    drop(command);
    let mut child = spawned.map_err(failed)?;
    #[cfg(unix)]
    let guard = Guard::start(child.id());
    #[cfg(unix)]
    forward.to(child.id());
    #[cfg(unix)]
    let tee = tee.map(|tee| tee.start(reports));
    let label = options.label.as_deref();
    let lines = label.map(|label| labelled::start(&mut child, label, plan, reports));
    let (status, timed_out) = wait(&mut child, options.timeout).map_err(failed)?;
    lines.into_iter().for_each(labelled::Running::finish);
    #[cfg(unix)]
    {
        drop(forward);
        drop(guard);
        if let Some(tee) = tee {
            tee.finish();
        }
    }
    #[cfg(not(unix))]
    let _ = reports;
    Ok(Exit { status, timed_out })
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
            end(child, false);
        }
        if is_over && started.elapsed() >= timeout + GRACE {
            end(child, true);
        }
        std::thread::sleep(TICK);
    }
}

/// Ends a command and the processes that it started.
#[cfg(unix)]
fn end(child: &mut Child, is_last: bool) {
    use rustix::process::Signal;
    processes::signal(child.id(), if is_last { Signal::KILL } else { Signal::TERM });
}

#[cfg(not(unix))]
fn end(child: &mut Child, _is_last: bool) {
    let _ = child.kill();
}

/// Returns true if a signal that ends programs came since codedb started a command.
pub(super) fn is_interrupted() -> bool {
    #[cfg(unix)]
    return forward::is_interrupted();
    #[cfg(not(unix))]
    false
}

#[cfg(unix)]
mod forward {
    //! Passes signals on to the commands. Those of the terminal are sent to its whole process group
    //! by the system, so only signals that a process sent are passed on. While no command runs, signals
    //! have their usual effect.

    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::WithOrigin;
    use signal_hook::low_level::emulate_default_handler;
    use signal_hook::low_level::siginfo::Cause;

    static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

    /// Returns true if a signal that ends programs came.
    pub(super) fn is_interrupted() -> bool {
        IS_INTERRUPTED.load(Ordering::SeqCst)
    }

    /// The commands that run.
    #[derive(Default)]
    struct Commands {
        /// How many are started or run.
        count: usize,
        processes: Vec<u32>,
        /// The last signal that came before a command had a process.
        pending: Option<i32>,
    }

    static COMMANDS: Mutex<Commands> =
        Mutex::new(Commands { count: 0, processes: Vec::new(), pending: None });

    fn commands() -> MutexGuard<'static, Commands> {
        COMMANDS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A command to which signals are passed on while this exists.
    pub(super) struct Forward(std::cell::Cell<Option<u32>>);

    impl Forward {
        pub(super) fn start() -> io::Result<Forward> {
            static STARTED: OnceLock<Result<(), io::ErrorKind>> = OnceLock::new();
            commands().count += 1;
            let forward = Forward(std::cell::Cell::new(None));
            STARTED
                .get_or_init(|| receive().map_err(|error| error.kind()))
                .map_err(io::Error::from)?;
            Ok(forward)
        }

        /// Passes signals on to a process from now on, with the last one that came before.
        pub(super) fn to(&self, process: u32) {
            self.0.set(Some(process));
            let mut commands = commands();
            commands.processes.push(process);
            if let Some(number) = commands.pending.take() {
                send(process, number);
            }
        }
    }

    impl Drop for Forward {
        fn drop(&mut self) {
            let mut commands = commands();
            commands.count -= 1;
            commands.processes.retain(|process| Some(*process) != self.0.get());
        }
    }

    /// Starts to receive signals.
    fn receive() -> io::Result<()> {
        let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
        let mut received = SignalsInfo::<WithOrigin>::new(signals)?;
        let take = move || {
            for origin in &mut received {
                let mut commands = commands();
                if commands.count == 0 {
                    drop(commands);
                    let _ = emulate_default_handler(origin.signal);
                    continue;
                }
                if [SIGHUP, SIGINT, SIGQUIT, SIGTERM].contains(&origin.signal) {
                    IS_INTERRUPTED.store(true, Ordering::SeqCst);
                }
                if !matches!(origin.cause, Cause::Sent(_)) {
                    continue;
                }
                if commands.processes.is_empty() {
                    commands.pending = Some(origin.signal);
                }
                commands.processes.iter().for_each(|&process| send(process, origin.signal));
            }
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(take)?;
        Ok(())
    }

    fn send(process: u32, signal: i32) {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        if let (Some(process), Some(signal)) = (process, Signal::from_named_raw(signal)) {
            // The command may have ended.
            let _ = kill_process(process, signal);
        }
    }
}
