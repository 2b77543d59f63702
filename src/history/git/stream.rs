//! Runs git and streams its output in pieces, for output that is too long to hold in memory.

use std::ffi::OsStr;
use std::io::Read;
use std::process::ChildStdout;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Git, GitOutput, PATIENCE, STDERR_BYTES_MAX, collect, end, failed, first_error_line};
use crate::error::{Error, Kind, Result};

/// The maximum size of a piece in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// The number of pieces that are queued for the consumer. If the queue is full, git blocks.
const PIECES_WAITING_MAX: usize = 8;

/// The interval at which cancellation is checked while git prints nothing.
const TICK: Duration = Duration::from_millis(50);

/// The time limit and the cancellation check of a stream.
#[derive(Clone, Copy)]
pub struct StreamOptions<'a> {
    /// The time limit of the whole git process.
    pub patience: Duration,
    /// Returns true if the stream is to stop.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

impl std::fmt::Debug for StreamOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamOptions").field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl Git {
    /// Runs git and passes its output to `take` in pieces, in order. Holds only a few pieces at a
    /// time.
    ///
    /// # Errors
    ///
    /// If git fails, exceeds the time limit ([`Kind::Limit`]), is not installed
    /// ([`Kind::NotFound`]), or is cancelled ([`Kind::Cancelled`]).
    pub(super) fn stream<A: AsRef<OsStr>>(
        &self,
        command: &str,
        args: &[A],
        options: StreamOptions<'_>,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        let mut child = self.start(&[], command, args)?;
        let pieces = pieces(child.stdout.take());
        let stderr = collect(child.stderr.take(), STDERR_BYTES_MAX);
        let deadline = Instant::now() + options.patience;
        loop {
            match pieces.recv_timeout(TICK) {
                Ok(piece) => take(&piece),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let stopped = if (options.is_cancelled)() {
                Error::new(Kind::Cancelled, format!("`git {command}` was cancelled"))
            } else if Instant::now() > deadline {
                let seconds = options.patience.as_secs();
                Error::new(Kind::Limit, format!("`git {command}` took longer than {seconds} s"))
            } else {
                continue;
            };
            end(&mut child);
            return Err(stopped);
        }
        let status = child.wait().map_err(|error| failed(command, &error.to_string()))?;
        if status.success() {
            return Ok(());
        }
        let stderr = stderr.recv_timeout(PATIENCE).unwrap_or_default();
        let stderr = first_error_line(&stderr);
        Err(GitOutput { answer: Vec::new(), stderr, code: status.code() }.failure(command))
    }
}

/// Reads a pipe in a separate thread, which ends with the pipe or when the receiver is dropped.
fn pieces(pipe: Option<ChildStdout>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(PIECES_WAITING_MAX);
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        loop {
            let mut piece = Vec::with_capacity(PIECE_BYTES);
            let read = pipe.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece);
            if read.is_err() || piece.is_empty() || sender.send(piece).is_err() {
                return;
            }
        }
    });
    receiver
}
