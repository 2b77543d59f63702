//! A pipe or a socket whose readiness is polled (Linux).

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::net::SendFlags;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Bytes that a writable pipe accepts without blocking (`PIPE_BUF` of Linux).
const PIPE_BYTES: usize = 4096;

/// One end of a pipe or a socket.
#[derive(Debug)]
pub(in crate::mcp) struct Ready {
    fd: AsyncFd<OwnedFd>,
    is_socket: bool,
}

impl Ready {
    /// Returns the stream for reading, if its readiness can be polled.
    pub(super) fn input(stream: &impl AsFd) -> Option<Ready> {
        Ready::of(stream, Interest::READABLE)
    }

    /// Returns the stream for writing, if its readiness can be polled.
    pub(super) fn output(stream: &impl AsFd) -> Option<Ready> {
        Ready::of(stream, Interest::WRITABLE)
    }

    fn of(stream: &impl AsFd, interest: Interest) -> Option<Ready> {
        let stat = rustix::fs::fstat(stream).ok()?;
        let is_socket = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Fifo => false,
            FileType::Socket => true,
            _ => return None,
        };
        // A duplicate of the descriptor, because a socket may be used for both directions, and the
        // runtime registers a descriptor only once.
        let fd = stream.as_fd().try_clone_to_owned().ok()?;
        #[expect(
            unsafe_code,
            reason = "the one way to register a descriptor that is not deprecated"
        )]
        // SAFETY: the registered value owns the descriptor. It stays open and unchanged until that value is
        // dropped, because nothing else has access to it.
        let fd = unsafe { AsyncFd::register_with_interest(fd, interest) }.ok()?;
        Some(Ready { fd, is_socket })
    }

    /// Reads available bytes, after waiting for some; 0 at the end. Cancel-safe: nothing is lost.
    pub(super) async fn read(&self, chunk: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.fd.readable().await?;
            let read = ready.try_io(|fd| {
                only_if(fd.get_ref(), PollFlags::IN)?;
                Ok(rustix::io::read(fd.get_ref(), &mut *chunk)?)
            });
            match read {
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(read) => return read,
                Err(_not_yet) => {}
            }
        }
    }

    /// Writes all of `bytes`.
    pub(super) async fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let mut ready = self.fd.writable().await?;
            match ready.try_io(|fd| self.write_now(fd.get_ref(), bytes)) {
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(written) => bytes = &bytes[written?..],
                Err(_not_yet) => {}
            }
        }
        Ok(())
    }

    /// Writes as much as possible without blocking; returns the number of bytes.
    fn write_now(&self, fd: &OwnedFd, bytes: &[u8]) -> io::Result<usize> {
        if self.is_socket {
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            return Ok(rustix::net::send(fd, bytes, flags)?);
        }
        only_if(fd, PollFlags::OUT)?;
        // An empty pipe accepts a whole buffer. One large write then wakes the client only once.
        let is_empty = rustix::io::ioctl_fionread(fd).is_ok_and(|unread| unread == 0);
        let room = if is_empty {
            rustix::pipe::fcntl_getpipe_size(fd).unwrap_or(PIPE_BYTES)
        } else {
            PIPE_BYTES
        };
        Ok(rustix::io::write(fd, &bytes[..bytes.len().min(room)])?)
    }
}

/// Fails like a non-blocking stream, unless `fd` is ready for `flag` or has failed.
fn only_if(fd: &OwnedFd, flag: PollFlags) -> io::Result<()> {
    let mut polled = [PollFd::new(fd, flag)];
    match poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))? {
        0 => Err(io::ErrorKind::WouldBlock.into()),
        _ => Ok(()),
    }
}
