//! The socket of the watch server: a Unix socket in the index directory, accessible to the user
//! alone.
//!
//! One server holds the lock of the operating system, so a leftover socket file is unused and is
//! replaced. A socket address has about 100 bytes: on Linux a longer path is reached through
//! `/proc/self/fd`; on other systems there is no server for such a directory.

use std::fs::{self, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

use crate::error::{Error, Result};
use crate::index::store::{LockRole, Store, WriterLock};
use crate::source::watch::{self, SOCKET};

/// The name of the socket before its permissions are set.
const SOCKET_NEW: &str = "watch.new";

/// The lock of the one server of an index directory, and its listener.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) listener: UnixListener,
    socket: PathBuf,
    _lock: WriterLock,
}

impl Place {
    /// Takes the lock and listens; does not wait for connections.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Busy`] if there is a server; errors of creating the directory and the socket.
    pub(super) fn take(store: &Store) -> Result<Place> {
        let lock = store.lock_as(LockRole::Watcher)?;
        watch::forget_cookies(store.dir());
        let socket = store.dir().join(SOCKET);
        let listener = listen(store.dir()).map_err(|error| Error::io(&socket, error))?;
        Ok(Place { listener, socket, _lock: lock })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The lock is still held, so the socket is ours.
        let _ = fs::remove_file(&self.socket);
    }
}

/// Listens under a temporary name first: the socket gets its final name after its permissions are
/// set.
fn listen(dir: &Path) -> io::Result<UnixListener> {
    let (temporary, socket) = (dir.join(SOCKET_NEW), dir.join(SOCKET));
    let _ = fs::remove_file(&temporary);
    let (address, _dir) = address(dir, SOCKET_NEW)?;
    let listener = UnixListener::bind(address)?;
    listener.set_nonblocking(true)?;
    fs::set_permissions(&temporary, Permissions::from_mode(0o600))?;
    fs::rename(&temporary, &socket)?;
    Ok(listener)
}

/// Connects to the server of an index directory without blocking. The stream is non-blocking.
pub(super) fn connect(dir: &Path) -> io::Result<UnixStream> {
    let (path, _dir) = address(dir, SOCKET)?;
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(true)?;
    rustix::net::connect(&stream, &SocketAddrUnix::new(path)?)?;
    Ok(stream)
}

/// Returns a path of `name` in `dir` that fits into a socket address, and a descriptor that must
/// stay open while it is used.
fn address(dir: &Path, name: &str) -> io::Result<(PathBuf, Option<OwnedFd>)> {
    let path = dir.join(name);
    if SocketAddrUnix::new(&path).is_ok() {
        return Ok((path, None));
    }
    through_descriptor(dir, name)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn through_descriptor(dir: &Path, name: &str) -> io::Result<(PathBuf, Option<OwnedFd>)> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = rustix::fs::open(dir, flags, Mode::empty())?;
    Ok((PathBuf::from(format!("/proc/self/fd/{}/{name}", dir.as_raw_fd())), Some(dir)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn through_descriptor(dir: &Path, _name: &str) -> io::Result<(PathBuf, Option<OwnedFd>)> {
    let message = format!("the path of `{}` is too long for a socket", dir.display());
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}
