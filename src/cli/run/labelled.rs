//! The output of one of several commands that run at once: whole lines, each with a label.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use super::hook::Plan;
use super::output::{self, Kept};

/// A longer line is printed in parts.
const LINE_BYTES_MAX: u64 = 64 << 10;

/// How long output is awaited after the command has exited.
const AFTER_EXIT: Duration = Duration::from_millis(500);

/// Sets the streams of a command that is not started yet.
pub(super) fn attach(command: &mut Command) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
}

/// The streams of a running command.
pub(super) struct Running {
    /// Disconnected at the end of both streams.
    ended: Receiver<()>,
}

impl Running {
    /// Waits for the rest of the output after the command has exited.
    pub(super) fn finish(self) {
        let _ = self.ended.recv_timeout(AFTER_EXIT);
    }
}

/// Starts to print the output of a command.
pub(super) fn start(child: &mut Child, label: &str, plan: &Plan, reports: &Path) -> Running {
    let (sender, ended) = mpsc::channel::<()>();
    let kept = |is_stderr| {
        plan.is_captured.then(|| Kept::create(&output::path(reports, is_stderr)).ok()).flatten()
    };
    if let Some(stdout) = child.stdout.take() {
        let (sender, label, kept) = (sender.clone(), label.to_owned(), kept(false));
        std::thread::spawn(move || {
            copy(stdout, &label, kept, &|line| io::stdout().lock().write_all(line));
            drop(sender);
        });
    }
    if let Some(stderr) = child.stderr.take() {
        let (label, kept) = (label.to_owned(), kept(true));
        std::thread::spawn(move || {
            copy(stderr, &label, kept, &|line| io::stderr().lock().write_all(line));
            drop(sender);
        });
    }
    Running { ended }
}

fn copy(
    from: impl Read,
    label: &str,
    mut kept: Option<Kept>,
    print: &dyn Fn(&[u8]) -> io::Result<()>,
) {
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if let Some(kept) = &mut kept {
            kept.add(&line);
        }
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        let printed = [b"[", label.as_bytes(), b"] ", line.as_slice()].concat();
        // A closed output does not end the tests.
        let _ = print(&printed);
    }
    if let Some(kept) = &mut kept {
        kept.finish();
    }
}
