//! Waits for a git process: reads its output in pieces, and ends the process when a limit is
//! exceeded.
//!
//! A git process can wait forever: a file of the repository may be a named pipe. On Linux this is
//! detected after [`ASLEEP_MAX`], because all threads of the process sleep. A slow process is not
//! affected: it runs, or waits for a disk, which is another state. Elsewhere, only the limits of
//! time apply.

use std::io::{self, ErrorKind, Read};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::failed;
use crate::error::{Error, Kind, Result};
use crate::source::Activity;

/// The maximum size of a piece in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// The number of pieces that are queued for the consumer. If the queue is full, git blocks.
const PIECES_WAITING_MAX: usize = 8;

/// The interval at which limits and cancellation are checked while git prints nothing.
const TICK: Duration = Duration::from_millis(50);

/// How long all threads of git may sleep.
const ASLEEP_MAX: Duration = Duration::from_secs(2);

/// Bytes of git's standard error that are kept. The rest is read and dropped: git would die of a
/// closed pipe.
const STDERR_BYTES_MAX: usize = 4096;

/// How long to wait for git's error message after it has exited: a process that it started may
/// hold the pipe.
const STDERR_PATIENCE: Duration = Duration::from_secs(1);

/// The longest pause between two checks of whether git has exited after its output ended.
const EXIT_PAUSE_MAX: Duration = Duration::from_millis(20);

/// The limits of a process.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    /// The time limit of the whole process.
    pub(super) patience: Duration,
    /// The limit of the time without output; `None` for a command that prints only at its end.
    pub(super) silence: Option<Duration>,
    /// Whether the process may wait for another machine.
    pub(super) uses_network: bool,
    /// Returns true if the process is to stop.
    pub(super) is_cancelled: &'a dyn Fn() -> bool,
}

/// What an exited process leaves.
#[derive(Debug)]
pub(super) struct Exit {
    /// The result of [`first_error_line`].
    pub(super) stderr: String,
    /// The exit code; `None` if a signal killed the process.
    pub(super) code: Option<i32>,
}

/// Passes the output of a process to `take` in pieces, in order, until it exits. Holds only a few
/// pieces at a time. If `take` returns false, the output is too long.
///
/// # Errors
///
/// [`Kind::Limit`] and [`Kind::Cancelled`]; the process and those that it started are killed.
pub(super) fn drive(
    mut child: Child,
    command: &str,
    limits: Limits<'_>,
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<Exit> {
    let driven = wait(&mut child, command, limits, take);
    if driven.is_err() {
        end(&mut child);
    }
    driven
}

fn wait(
    child: &mut Child,
    command: &str,
    limits: Limits<'_>,
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<Exit> {
    let pieces = pieces(child.stdout.take());
    let stderr = start_of(child.stderr.take());
    let mut watch = Watch::new(child.id(), command, limits);
    loop {
        match pieces.recv_timeout(TICK) {
            Ok(piece) if take(&piece) => watch.heard(),
            Ok(_) => {
                return Err(Error::new(
                    Kind::Limit,
                    format!("the output of `git {command}` is too large"),
                )
                .with_code(super::STOPPED));
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => watch.check_silent()?,
        }
        watch.check()?;
    }
    let status = exit(child, &mut watch, command)?;
    let stderr = if status.success() {
        Vec::new()
    } else {
        stderr.recv_timeout(STDERR_PATIENCE).unwrap_or_default()
    };
    Ok(Exit { stderr: first_error_line(&stderr), code: status.code() })
}

/// Waits until a process whose output has ended exits.
fn exit(child: &mut Child, watch: &mut Watch<'_>, command: &str) -> Result<ExitStatus> {
    let mut pause = Duration::from_micros(100);
    loop {
        let status = child.try_wait().map_err(|error| failed(command, &error.to_string()))?;
        if let Some(status) = status {
            return Ok(status);
        }
        watch.check()?;
        thread::sleep(pause);
        pause = (pause * 2).min(EXIT_PAUSE_MAX);
    }
}

/// Checks the limits of a running process.
struct Watch<'a> {
    command: &'a str,
    limits: Limits<'a>,
    activity: Activity,
    started: Instant,
    heard_at: Instant,
}

impl<'a> Watch<'a> {
    fn new(process: u32, command: &'a str, limits: Limits<'a>) -> Watch<'a> {
        let started = Instant::now();
        Watch { command, limits, activity: Activity::of(process), started, heard_at: started }
    }

    /// Records output.
    fn heard(&mut self) {
        self.heard_at = Instant::now();
        self.activity.restart();
    }

    /// Checks the limits that apply at any time.
    fn check(&self) -> Result<()> {
        if (self.limits.is_cancelled)() {
            return Err(Error::new(
                Kind::Cancelled,
                format!("`git {}` was cancelled", self.command),
            ));
        }
        if self.started.elapsed() > self.limits.patience {
            let seconds = self.limits.patience.as_secs();
            return Err(self.too_long(&format!("took longer than {seconds} s")));
        }
        Ok(())
    }

    /// Checks the limits that apply while the process prints nothing.
    fn check_silent(&mut self) -> Result<()> {
        if self.limits.silence.is_some_and(|silence| self.heard_at.elapsed() > silence) {
            let seconds = self.heard_at.elapsed().as_secs();
            return Err(self.too_long(&format!("printed nothing for {seconds} s")));
        }
        if !self.limits.uses_network && self.activity.asleep_for() > ASLEEP_MAX {
            return Err(self
                .too_long("waits for another process")
                .with_hint("a file of the repository may be a named pipe"));
        }
        Ok(())
    }

    fn too_long(&self, what: &str) -> Error {
        Error::new(Kind::Limit, format!("`git {}` {what}", self.command)).with_code(super::STOPPED)
    }
}

/// Reads a pipe in a separate thread, which ends with the pipe or when the receiver is dropped.
fn pieces(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(PIECES_WAITING_MAX);
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut buffer = vec![0; PIECE_BYTES];
        loop {
            match pipe.read(&mut buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
                Ok(len) if sender.send(buffer[..len].to_vec()).is_err() => return,
                Ok(_) => {}
            }
        }
    });
    receiver
}

/// Reads a pipe to its end in a separate thread, and returns the first [`STDERR_BYTES_MAX`] bytes.
fn start_of(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // After a read error, the bytes before it are the result.
            drop(pipe.by_ref().take(STDERR_BYTES_MAX as u64).read_to_end(&mut bytes));
            drop(io::copy(&mut pipe, &mut io::sink()));
        }
        // A closed channel means that the result is not needed any more.
        drop(sender.send(bytes));
    });
    receiver
}

/// Kills git and, if it has a process group of its own, the programs that it started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // A process without its own group is not affected: no group has its id.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    // The process may have exited already.
    drop(child.kill());
    drop(child.wait());
}

/// Returns the first `fatal:` message in git's standard error, or else its first line, without what it
/// quotes from files.
fn first_error_line(stderr: &[u8]) -> String {
    let stderr = String::from_utf8_lossy(stderr);
    let fatal = stderr.lines().find_map(|line| line.strip_prefix("fatal: "));
    let line = fatal.or(stderr.lines().next()).unwrap_or("no error message");
    without_quoted(line)
}

/// What the system reports about a file; git appends it to its messages.
const SYSTEM_MESSAGES: &[&str] = &[
    "Bad file descriptor",
    "Cannot allocate memory",
    "Input/output error",
    "Invalid argument",
    "Is a directory",
    "No space left on device",
    "No such file or directory",
    "Not a directory",
    "Operation not permitted",
    "Permission denied",
    "Read-only file system",
    "Too many levels of symbolic links",
    "Too many open files",
];

/// The starts of messages about a remote repository, which quote no file.
const REMOTE_MESSAGES: &[&str] = &[
    "Authentication failed for",
    "could not read Password",
    "could not read Username",
    "unable to access",
];

/// Returns a message of git without the text after its first colon, unless that is a message of the
/// system: git quotes lines of files there (`unexpected line in .git/packed-refs: …`), and a file of
/// the repository may be a link to any other.
fn without_quoted(line: &str) -> String {
    let (kind, message) = match line.split_once(": ") {
        Some((kind @ ("error" | "warning"), message)) => (kind, message),
        _ => ("", line),
    };
    let is_remote = REMOTE_MESSAGES.iter().any(|start| message.starts_with(start));
    let message = if is_remote {
        message.to_owned()
    } else if message.starts_with("object directory ") {
        "an object directory in `objects/info/alternates` does not exist".to_owned()
    } else {
        match message.split_once(": ") {
            Some((what, quoted)) => {
                let system = SYSTEM_MESSAGES.iter().find(|known| quoted.ends_with(**known));
                system.map_or_else(|| what.to_owned(), |known| format!("{what}: {known}"))
            }
            None => message.to_owned(),
        }
    };
    if kind.is_empty() { message } else { format!("{kind}: {message}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fatal_line_is_the_error_message() {
        let stderr = b"warning: a\nfatal: no such thing\nhint: b\n";
        assert_eq!(first_error_line(stderr), "no such thing");
        assert_eq!(first_error_line(b"error: x\nerror: y\n"), "error: x");
        assert_eq!(first_error_line(b""), "no error message");
        // Lines of files are not quoted.
        let quoted = b"fatal: unexpected line in .git/packed-refs: root:x:0:0:root\n";
        assert_eq!(first_error_line(quoted), "unexpected line in .git/packed-refs");
        let system = b"error: open .git/x: secret: Permission denied\n";
        assert_eq!(first_error_line(system), "error: open .git/x: Permission denied");
        let alternate = b"error: object directory root:x:0 does not exist; check alternates\n";
        assert!(!first_error_line(alternate).contains("root"));
    }
}
