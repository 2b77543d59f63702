//! Where the watch server listens: a Unix socket in the index directory, for the user alone.
//!
//! One server has the lock of the operating system; so a socket file that another left behind is
//! no one's and is replaced. The name of a socket has about 100 bytes: on Linux a longer one is
//! reached through `/proc/self/fd`, elsewhere there is no server for such a directory.

use std::fs::{self, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};

use crate::error::{Error, Result};
use crate::index::store::{Role, Store, WriterLock};
use crate::source::watch::{self, SOCKET};

/// The socket's name before it is private.
const SOCKET_NEW: &str = "watch.new";

/// The right to be the one server of an index directory, and its ear.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) listener: UnixListener,
    socket: PathBuf,
    _lock: WriterLock,
}

impl Place {
    /// Takes the lock and listens, without waiting for connections.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Busy`] where there is a server; those of creating the directory and the socket.
    pub(super) fn take(store: &Store) -> Result<Place> {
        let lock = store.lock_as(Role::Watcher)?;
        watch::forget_cookies(store.dir());
        let socket = store.dir().join(SOCKET);
        let listener = listen(store.dir()).map_err(|error| Error::io(&socket, error))?;
        Ok(Place { listener, socket, _lock: lock })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The lock is still held, so it is ours.
        let _ = fs::remove_file(&self.socket);
    }
}

/// Listens under a temporary name first: the socket has its final name only once it is private.
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

/// Connects to the server of an index directory; never waits. The stream does not block.
pub(super) fn connect(dir: &Path) -> io::Result<UnixStream> {
    let (path, _dir) = address(dir, SOCKET)?;
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(true)?;
    rustix::net::connect(&stream, &SocketAddrUnix::new(path)?)?;
    Ok(stream)
}

/// Returns a path of `name` in `dir` that fits into a socket's address, and what must stay open
/// as long as it is used.
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
