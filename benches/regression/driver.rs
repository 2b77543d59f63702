//! One executable that holds the cases, running as a child and asked over its standard streams.
//!
//! Everything a child may do wrong ends in a sentence: that it could not be started, ended, was silent for too
//! long, or said what is no answer. A child that was dropped is dead.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::protocol::{self, Answer, Ask, Hello};

/// A line is no longer; the list of a thousand cases has a tenth of it.
const LINE_BYTES_MAX: u64 = 4 << 20;

/// What is kept of a child's complaints.
const COMPLAINT_BYTES_MAX: usize = 400;

/// An executable that holds cases, and how it is called.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The executable.
    pub(crate) executable: PathBuf,
    /// Its first arguments; what it is to do comes after them.
    pub(crate) arguments: Vec<OsString>,
    /// Where it runs.
    pub(crate) directory: PathBuf,
    /// Variables that it gets beside those of this process.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// How long a child may be silent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// While it prepares: it may build an index.
    pub(crate) prepare: Duration,
    /// Over an answer, beside what the answer is expected to take.
    pub(crate) answer: Duration,
}

/// A running executable.
pub(crate) struct Driver {
    /// What it said first.
    pub(crate) hello: Hello,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Option<JoinHandle<String>>,
    patience: Patience,
    usable: bool,
}

impl Program {
    /// Returns a command that calls it for something.
    pub(crate) fn command(&self, what: &[&str]) -> Command {
        self.under(&self.executable, std::iter::empty::<OsString>(), what)
    }

    /// Returns a command that has `wrapper` call it, such as valgrind.
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
    /// Starts an executable and waits until everything is prepared.
    ///
    /// # Errors
    ///
    /// As a sentence: it cannot be started, ends, is silent for too long, or says what is no hello.
    pub(crate) fn start(
        program: &Program,
        what: &[&str],
        patience: Patience,
    ) -> Result<Self, String> {
        let mut command = program.command(what);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| format!("it could not be started: {error}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().expect("standard output is piped");
        let complaints = child.stderr.take().expect("standard error is piped");
        // One line may wait: a child that talks without being asked is held up, not collected.
        let (send, lines) = sync_channel(1);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(line) = line(&mut output) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let complaints = Some(thread::spawn(move || tail(complaints)));
        let nobody = Hello { protocol: 0, corpus: String::new(), cases: Vec::new() };
        let usable = true;
        let mut driver = Self { hello: nobody, child, input, lines, complaints, patience, usable };
        let first = driver.line(patience.prepare)?;
        driver.hello = protocol::hello(&first)?;
        Ok(driver)
    }

    /// Has a case run so many times and returns the nanoseconds that it says.
    ///
    /// # Errors
    ///
    /// As a sentence: the case failed; or the executable ended, was silent for too long, or said what is no
    /// answer, after which it is not usable any more.
    pub(crate) fn ask(
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

    /// Returns true as long as it may be asked for another case.
    pub(crate) fn is_usable(&self) -> bool {
        self.usable
    }

    fn answer(
        &mut self,
        case: &str,
        iterations: u64,
        expected: Duration,
    ) -> Result<Answer, String> {
        let ask = Ask { case: case.to_owned(), iterations };
        let mut text = serde_json::to_string(&ask).map_err(|error| error.to_string())?;
        text.push('\n');
        let written = self.input.as_mut().is_some_and(|input| {
            input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_ok()
        });
        if !written {
            return Err(self.ended());
        }
        let line = self.line(self.patience.answer + expected * 4)?;
        protocol::answer(&line)
    }

    fn line(&mut self, patience: Duration) -> Result<String, String> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            Err(RecvTimeoutError::Timeout) => {
                // The child may be alive and stuck; it must not hold the processor any longer.
                let _ = self.child.kill();
                Err(format!("it was silent for {} s", patience.as_secs()))
            }
        }
    }

    /// Says how a child ended that does not answer any more.
    fn ended(&mut self) -> String {
        self.input = None;
        let_end(&mut self.child);
        let status = self.child.wait().map_or_else(|error| error.to_string(), |it| it.to_string());
        let complaints = self.complaints.take().and_then(|it| it.join().ok()).unwrap_or_default();
        with_complaints(&format!("it ended ({status})"), &complaints)
    }
}

/// Gives a child that closed its output a moment to end by itself, so that its exit code tells something.
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

/// Runs a command to its end and returns its output.
///
/// # Errors
///
/// As a sentence: it cannot be started, fails, or does not end in time.
pub(crate) fn finish(command: &mut Command, patience: Duration) -> Result<Output, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("it could not be started: {error}"))?;
    let mut output = child.stdout.take().expect("standard output is piped");
    let complaints = child.stderr.take().expect("standard error is piped");
    let output = thread::spawn(move || {
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).map(|_| bytes).unwrap_or_default()
    });
    let complaints = thread::spawn(move || tail(complaints));
    let deadline = Instant::now() + patience;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {} s", patience.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    };
    let complaints = complaints.join().unwrap_or_default();
    if !status.success() {
        return Err(with_complaints(&format!("it ended ({status})"), &complaints));
    }
    let stdout = output.join().unwrap_or_default();
    Ok(Output { status, stdout, stderr: complaints.into_bytes() })
}

fn with_complaints(what: &str, complaints: &str) -> String {
    if complaints.is_empty() { what.to_owned() } else { format!("{what}: {complaints}") }
}

/// Reads one line; `None` at the end, after an error, and where a line is too long to be an answer.
fn line(output: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    output.take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes).ok()?;
    (bytes.pop() == Some(b'\n')).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads to the end and keeps the last words, on one line.
fn tail(mut pipe: impl Read) -> String {
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(read) = pipe.read(&mut piece) {
        if read == 0 {
            break;
        }
        kept.extend_from_slice(&piece[..read]);
        let surplus = kept.len().saturating_sub(COMPLAINT_BYTES_MAX);
        kept.drain(..surplus);
    }
    let text = String::from_utf8_lossy(&kept);
    text.split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
