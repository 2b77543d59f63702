//! Wakes a thread that waits in `poll`, and stops a server.

use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Kind, Result};

/// A pair of descriptors: a byte written to one makes the other readable.
#[derive(Debug)]
pub(super) struct Wake {
    sender: UnixStream,
    receiver: UnixStream,
}

impl Wake {
    pub(super) fn new() -> Result<Wake> {
        let pair = UnixStream::pair().and_then(|(sender, receiver)| {
            sender.set_nonblocking(true)?;
            receiver.set_nonblocking(true)?;
            Ok(Wake { sender, receiver })
        });
        pair.map_err(|error| Error::new(Kind::Io, format!("no file descriptors are left: {error}")))
    }

    pub(super) fn wake(&self) {
        // A full buffer wakes the reader as well as one more byte would.
        let _ = (&self.sender).write(&[1]);
    }

    pub(super) fn clear(&self) {
        let _ = (&self.receiver).read(&mut [0; 64]);
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.receiver.as_fd()
    }
}

/// A handle that stops a server, from any thread.
#[derive(Debug)]
pub struct Stop {
    stopped: AtomicBool,
    pub(super) wake: Wake,
}

impl Stop {
    /// Creates a handle that is not signalled.
    ///
    /// # Errors
    ///
    /// If the system has no more descriptors.
    pub fn new() -> Result<Stop> {
        Ok(Stop { stopped: AtomicBool::new(false), wake: Wake::new()? })
    }

    /// Signals the server with this handle to stop.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.wake.wake();
    }

    /// Returns true if the stop was signalled.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }
}
