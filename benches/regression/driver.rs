//! An executable with cases, running as a child process and controlled through its standard
//! streams.
//!
//! Every fault of a child becomes one sentence: it could not be started, exited, was silent for too
//! long, or printed an invalid answer. Dropping a driver kills the child.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::protocol::{self, Answer, Hello, RunRequest};

/// The maximum length of a line; a list of a thousand cases has a tenth of it.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// The number of bytes of standard error that are kept.
const STDERR_BYTES_MAX: usize = 400;

/// An executable with cases, and how it is called.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The executable.
    pub(crate) executable: PathBuf,
    /// The first arguments; those of the action follow.
    pub(crate) arguments: Vec<OsString>,
    /// The working directory.
    pub(crate) directory: PathBuf,
    /// Environment variables in addition to those of this process.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// The time limits of a child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    /// For the preparation, which may build an index.
    pub(crate) prepare: Duration,
    /// For an answer, in addition to its expected time.
    pub(crate) answer: Duration,
}

/// A running executable.
pub(crate) struct Driver {
    /// Its first line.
    pub(crate) hello: Hello,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    time_limits: TimeLimits,
    usable: bool,
}

impl Program {
    /// Returns a command that runs the executable with the arguments `what`.
    pub(crate) fn command(&self, what: &[&str]) -> Command {
        self.under(&self.executable, std::iter::empty::<OsString>(), what)
    }

    /// Returns a command that runs the executable under `wrapper`, such as valgrind.
    pub(crate) fn wrapped(
        &self,
        wrapper: &OsStr,
        arguments: impl IntoIterator<Item = OsString>,
        what: &[&str],
    ) -> Command {
        let executable = self.executable.clone().into_os_string();
        self.under(wrapper, arguments.into_iter().chain([executable]), what)
    }

    fn under(
        &self,
        program: impl AsRef<OsStr>,
        first: impl IntoIterator<Item = OsString>,
        what: &[&str],
    ) -> Command {
        let mut command = Command::new(program);
        command
            .args(first)
            .args(&self.arguments)
            .args(what)
            .current_dir(&self.directory)
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl Driver {
    /// Starts an executable and waits until it is prepared.
    ///
    /// # Errors
    ///
    /// One sentence: it cannot be started, exits, is silent for too long, or prints an invalid
    /// first line.
    pub(crate) fn start(
        program: &Program,
        what: &[&str],
        time_limits: TimeLimits,
    ) -> Result<Self, String> {
        let mut command = program.command(what);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| format!("it could not be started: {error}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().expect("standard output is piped");
        let stderr = child.stderr.take().expect("standard error is piped");
        // The channel holds one line: unrequested output blocks the child and does not accumulate.
        let (send, lines) = sync_channel(1);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(line) = line(&mut output) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr = Some(thread::spawn(move || tail(stderr)));
        let nobody = Hello { protocol: 0, corpus: String::new(), cases: Vec::new() };
        let usable = true;
        let mut driver = Self { hello: nobody, child, input, lines, stderr, time_limits, usable };
        let first = driver.line(time_limits.prepare)?;
        driver.hello = protocol::hello(&first)?;
        Ok(driver)
    }

    /// Runs a case `iterations` times and returns the nanoseconds that the child reports.
    ///
    /// # Errors
    ///
    /// One sentence: the case failed; or the executable exited, was silent for too long, or printed
    /// an invalid answer, after which it is not usable any more.
    pub(crate) fn run_case(
        &mut self,
        case: &str,
        iterations: u64,
        expected: Duration,
    ) -> Result<f64, String> {
        let answer = self.answer(case, iterations, expected);
        self.usable = answer.is_ok();
        match answer? {
            Answer::Nanoseconds(time) => Ok(time),
            Answer::Error(error) => Err(format!("the case answers an error: {error}")),
        }
    }

    /// Returns true if the executable can run another case.
    pub(crate) fn is_usable(&self) -> bool {
        self.usable
    }

    fn answer(
        &mut self,
        case: &str,
        iterations: u64,
        expected: Duration,
    ) -> Result<Answer, String> {
        let request = RunRequest { case: case.to_owned(), iterations };
        let mut text = serde_json::to_string(&request).map_err(|error| error.to_string())?;
        text.push('\n');
        let written = self.input.as_mut().is_some_and(|input| {
            input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_ok()
        });
        if !written {
            return Err(self.ended());
        }
        let line = self.line(self.time_limits.answer + expected * 4)?;
        protocol::answer(&line)
    }

    fn line(&mut self, timeout: Duration) -> Result<String, String> {
        match self.lines.recv_timeout(timeout) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            Err(RecvTimeoutError::Timeout) => {
                // The child may be stuck; it must not use the processor any longer.
                let _ = self.child.kill();
                Err(format!("it was silent for {} s", timeout.as_secs()))
            }
        }
    }

    /// Describes how a child exited that does not answer any more.
    fn ended(&mut self) -> String {
        self.input = None;
        let_end(&mut self.child);
        let status = self.child.wait().map_or_else(|error| error.to_string(), |it| it.to_string());
        let stderr = self.stderr.take().and_then(|it| it.join().ok()).unwrap_or_default();
        with_stderr(&format!("it ended ({status})"), &stderr)
    }
}

/// Waits briefly for a child that closed its output, so that its exit code is available.
fn let_end(child: &mut Child) {
    let deadline = Instant::now() + Duration::from_secs(2);
    while Instant::now() < deadline {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command and returns its output.
///
/// # Errors
///
/// One sentence: it cannot be started, fails, or exceeds the time limit.
pub(crate) fn finish(command: &mut Command, timeout: Duration) -> Result<Output, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("it could not be started: {error}"))?;
    let mut output = child.stdout.take().expect("standard output is piped");
    let stderr = child.stderr.take().expect("standard error is piped");
    let output = thread::spawn(move || {
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).map(|_| bytes).unwrap_or_default()
    });
    let stderr = thread::spawn(move || tail(stderr));
    let deadline = Instant::now() + timeout;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {} s", timeout.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    let stderr = stderr.join().unwrap_or_default();
    if !status.success() {
        return Err(with_stderr(&format!("it ended ({status})"), &stderr));
    }
    let stdout = output.join().unwrap_or_default();
    Ok(Output { status, stdout, stderr: stderr.into_bytes() })
}

fn with_stderr(what: &str, stderr: &str) -> String {
    if stderr.is_empty() { what.to_owned() } else { format!("{what}: {stderr}") }
}

/// Reads one line; `None` at the end, after an error, and for a line that is too long.
fn line(output: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    output.take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes).ok()?;
    (bytes.pop() == Some(b'\n')).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads to the end and keeps the last bytes, as one line.
fn tail(mut pipe: impl Read) -> String {
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(read) = pipe.read(&mut piece) {
        if read == 0 {
            break;
        }
        kept.extend_from_slice(&piece[..read]);
        let surplus = kept.len().saturating_sub(STDERR_BYTES_MAX);
        kept.drain(..surplus);
    }
    let text = String::from_utf8_lossy(&kept);
    text.split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
