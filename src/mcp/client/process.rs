//! A server as a child process: one message on each line of its standard streams.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{BYTES_MAX, Connection, Deadline, Event, Received, answer, received, shown, too_large};
use crate::error::{Error, Kind, Result};

/// How long a server may take to exit after its standard input was closed.
const GRACE: Duration = Duration::from_millis(1000);

/// The number of bytes of its standard error that are kept, the last ones.
const STDERR_BYTES: usize = 4096;

/// The maximum number of requests of the server that are answered.
const ANSWERS_MAX: usize = 50;

/// The maximum size of such an answer.
const ANSWER_BYTES_MAX: usize = 500;

/// What the thread that reads the standard output passes on.
enum Output {
    /// A line.
    Line(Vec<u8>),
    /// The server has sent too much.
    TooLarge,
}

/// A running server.
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Output>,
    /// The end of its standard error; complete when the server has closed it.
    errors: Receiver<Vec<u8>>,
    /// The number of requests of the server that were answered.
    answers: usize,
    /// True after its first message.
    has_spoken: bool,
    /// A line before its first message that is none.
    noise: Option<String>,
    /// True if it said that its list changed, since the list was requested.
    is_changed: bool,
    /// True if it answered a request.
    has_answered: bool,
}

impl Process {
    /// Starts a server in a process group of its own, so that programs that it starts are ended with
    /// it.
    pub(super) fn start(program: &OsStr, args: &[OsString]) -> Result<Process> {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| {
            Error::io(Path::new(program), error)
                .with_hint("the server is a program on the PATH with its arguments, not a command of the shell")
        })?;
        let (sender, output) = mpsc::sync_channel(16);
        if let Some(pipe) = child.stdout.take() {
            std::thread::spawn(move || read_lines(pipe, &sender));
        }
        let (error_sender, errors) = mpsc::channel();
        if let Some(pipe) = child.stderr.take() {
            std::thread::spawn(move || drop(error_sender.send(end_of(pipe))));
        }
        let input = child.stdin.take();
        Ok(Process {
            child,
            input,
            output,
            errors,
            answers: 0,
            has_spoken: false,
            noise: None,
            is_changed: false,
            has_answered: false,
        })
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let line = format!("{message}\n");
        let written = self.input.as_mut().map(|input| input.write_all(line.as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    /// Answers a request of the server, if it is a usual one: answers that the server does not read
    /// must fit into the pipe.
    fn answer(&mut self, request: &Value) -> Result<()> {
        let answer = answer(request);
        let is_short = answer.to_string().len() <= ANSWER_BYTES_MAX;
        if is_short && self.answers < ANSWERS_MAX {
            self.answers += 1;
            self.send(&answer)?;
        }
        Ok(())
    }

    /// Returns the error about a server that ended.
    fn ended(&mut self) -> Error {
        let since = Instant::now();
        let mut status = None;
        while status.is_none() && since.elapsed() < GRACE {
            status = self.child.try_wait().ok().flatten();
            std::thread::sleep(Duration::from_millis(5));
        }
        let status = match status.map(|status| status.code()) {
            Some(Some(code)) => format!(" with exit code {code}"),
            Some(None) => " after a signal".to_owned(),
            None => String::new(),
        };
        let before = if self.has_answered { "" } else { " before it listed its tools" };
        let errors = self.errors.recv_timeout(GRACE).unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        let error = Error::new(Kind::Io, format!("the server ended{before}{status}"));
        match (errors.lines().rev().find(|line| !line.trim().is_empty()), &self.noise) {
            (Some(line), _) => error.with_hint(format!("its last message: {}", shown(line))),
            (None, Some(line)) => error.with_hint(format!("it wrote what is no message: `{line}`")),
            (None, None) => error.with_hint("it wrote nothing to its standard error"),
        }
    }

    /// Kills the server and the programs that it started.
    fn kill(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        // The process may have exited already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Process {
    /// Returns the next message, while the response to the request `id` is expected.
    fn next(&mut self, id: &Value, wait: Duration) -> Result<Option<Received>> {
        let line = match self.output.recv_timeout(wait) {
            Ok(Output::Line(line)) => line,
            Ok(Output::TooLarge) => return Err(too_large()),
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
        };
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        match received(&line, id) {
            Ok(message) => {
                self.has_spoken = true;
                Ok(Some(message))
            }
            // One line before the first message is skipped, and reported.
            Err(_) if !self.has_spoken && self.noise.is_none() => {
                self.noise = Some(shown(&String::from_utf8_lossy(&line[..line.len().min(4000)])));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

impl Connection for Process {
    fn begin(&mut self) {
        (self.is_changed, self.answers) = (false, 0);
    }

    fn exchange(&mut self, request: &Value, deadline: Deadline<'_>) -> Result<Value> {
        // A server that has ended may have written before.
        drop(self.send(request));
        loop {
            match self.next(&request["id"], deadline.next_check()?)? {
                Some(Received::Response(response)) => {
                    self.has_answered = true;
                    return Ok(response);
                }
                Some(Received::Request(request)) => self.answer(&request)?,
                Some(Received::Changed) => self.is_changed = true,
                Some(Received::Other) | None => {}
            }
        }
    }

    fn wait(&mut self, deadline: Deadline<'_>) -> Result<Event> {
        while !std::mem::take(&mut self.is_changed) {
            deadline.check()?;
            if deadline.is_over() {
                return Ok(Event::None);
            }
            match self.next(&Value::Null, super::POLL)? {
                Some(Received::Request(request)) => self.answer(&request)?,
                Some(Received::Changed) => self.is_changed = true,
                Some(Received::Response(_) | Received::Other) | None => {}
            }
        }
        Ok(Event::Changed)
    }

    fn noise(&self) -> Option<String> {
        self.noise.clone()
    }

    fn notify(&mut self, message: &Value, _: Deadline<'_>) -> Result<()> {
        self.send(message)
    }

    fn close(&mut self) {
        drop(self.input.take());
        let since = Instant::now();
        while since.elapsed() < GRACE {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sends the lines of a pipe until it ends, the receiver is gone, or the limit is reached.
fn read_lines(pipe: impl Read, sender: &mpsc::SyncSender<Output>) {
    let mut reader = BufReader::new(pipe.take(BYTES_MAX as u64));
    let mut total = 0;
    loop {
        let mut line = Vec::new();
        match reader.read_until(b'\n', &mut line) {
            Ok(count) if count > 0 => total += count,
            _ => return,
        }
        let is_over = total >= BYTES_MAX;
        let output = if is_over { Output::TooLarge } else { Output::Line(line) };
        if sender.send(output).is_err() || is_over {
            return;
        }
    }
}

/// Reads a pipe to its end and returns the last [`STDERR_BYTES`] bytes.
fn end_of(mut pipe: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0; STDERR_BYTES];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        let excess = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..excess);
    }
    kept
}
