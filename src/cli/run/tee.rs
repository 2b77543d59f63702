//! Copies what a command prints while it passes on, byte for byte. A stream that is a terminal
//! stays one for the command: it gets a pseudo-terminal that changes no bytes.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize};

use super::output::{self, Kept};

/// How long output is awaited after the command has exited: processes that it left may hold its
/// streams.
const AFTER_EXIT: Duration = Duration::from_millis(500);

/// The streams of a command that is not started yet.
pub(super) struct Tee {
    stdout: Source,
    /// `None` if standard error is the same file as standard output, which keeps their order.
    stderr: Option<Source>,
}

/// The end of a stream from which codedb reads.
struct Source {
    reader: File,
    is_terminal: bool,
}

/// The streams of a running command.
pub(super) struct Running {
    /// Disconnected at the end of both streams.
    ended: Receiver<()>,
}

impl Tee {
    /// Sets the streams of a command.
    ///
    /// # Errors
    ///
    /// If no pipe or pseudo-terminal can be created.
    pub(super) fn attach(command: &mut Command) -> io::Result<Tee> {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let is_same = {
            let (one, other) = (rustix::fs::fstat(&stdout)?, rustix::fs::fstat(&stderr)?);
            (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
        };
        let (source, sink) = pair(&stdout, stdout.is_terminal())?;
        if is_same {
            command.stderr(Stdio::from(sink.try_clone()?));
        }
        command.stdout(Stdio::from(sink));
        let stdout = source;
        let stderr = if is_same {
            None
        } else {
            let (source, sink) = pair(&stderr, stderr.is_terminal())?;
            command.stderr(Stdio::from(sink));
            Some(source)
        };
        Ok(Tee { stdout, stderr })
    }

    /// Starts to pass the output on, and to keep lines of it in files of `reports`. Lines are lost if
    /// these cannot be written.
    pub(super) fn start(self, reports: &Path) -> Running {
        let (sender, ended) = mpsc::channel::<()>();
        let second = sender.clone();
        let stdout = self.stdout;
        let mut kept = Kept::create(&output::path(reports, false)).ok();
        std::thread::spawn(move || {
            copy(stdout, &mut io::stdout(), kept.as_mut());
            drop(sender);
        });
        if let Some(stderr) = self.stderr {
            let mut kept = Kept::create(&output::path(reports, true)).ok();
            std::thread::spawn(move || {
                copy(stderr, &mut io::stderr(), kept.as_mut());
                drop(second);
            });
        }
        Running { ended }
    }
}

impl Running {
    /// Waits for the rest of the output after the command has exited.
    pub(super) fn finish(self) {
        let deadline = Instant::now() + AFTER_EXIT;
        let left = deadline.saturating_duration_since(Instant::now());
        let _ = self.ended.recv_timeout(left);
    }
}

/// Returns the two ends of a stream.
fn pair(like: &impl AsFd, is_terminal: bool) -> io::Result<(Source, OwnedFd)> {
    if !is_terminal {
        let (reader, sink) = io::pipe()?;
        let reader = File::from(OwnedFd::from(reader));
        return Ok((Source { reader, is_terminal }, sink.into()));
    }
    let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&main)?;
    unlockpt(&main)?;
    let name = ptsname(&main, Vec::new())?;
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    let sink = rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty())?;
    // The real terminal converts line ends.
    let mut settings = tcgetattr(&sink)?;
    settings.make_raw();
    tcsetattr(&sink, OptionalActions::Now, &settings)?;
    if let Ok(size) = tcgetwinsize(like) {
        tcsetwinsize(&main, size)?;
    }
    Ok((Source { reader: File::from(main), is_terminal }, sink))
}

/// Passes a stream on until it ends; `kept` gets a copy.
fn copy(mut source: Source, to: &mut impl Passed, mut kept: Option<&mut Kept>) {
    let mut buffer = vec![0; 64 << 10];
    let mut is_open = true;
    loop {
        // The end of a pseudo-terminal is an error.
        let length = match source.reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        // A reader that closed the output does not end the command, which would see a signal only
        // at its next write; the rest is dropped.
        is_open = is_open && to.write_all(&buffer[..length]).and_then(|()| to.flush()).is_ok();
        if !is_open && !source.is_terminal {
            // The command gets the signal of a closed pipe.
            break;
        }
        if let Some(kept) = kept.as_deref_mut() {
            kept.add(&buffer[..length]);
        }
        if source.is_terminal
            && let Ok(size) = to.size()
        {
            let _ = tcsetwinsize(&source.reader, size);
        }
    }
    if let Some(kept) = kept {
        kept.finish();
    }
}

/// A stream of codedb itself.
trait Passed: Write {
    /// Returns the present size of its window.
    fn size(&self) -> rustix::io::Result<rustix::termios::Winsize>;
}

impl Passed for io::Stdout {
    fn size(&self) -> rustix::io::Result<rustix::termios::Winsize> {
        tcgetwinsize(self)
    }
}

impl Passed for io::Stderr {
    fn size(&self) -> rustix::io::Result<rustix::termios::Winsize> {
        tcgetwinsize(self)
    }
}
