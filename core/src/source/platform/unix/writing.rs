//! Creates, replaces and removes entries of an open directory, always by name within it and never
//! through a symbolic link.

use std::ffi::{CStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{Access, AtFlags, FlockOperation, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

use super::DirHandle;

/// How long to wait for another process that holds the lock of a directory.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// How often the lock is tried.
const LOCK_PAUSE: Duration = Duration::from_millis(2);

/// Maximum bytes of extended attributes that are copied.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ATTRIBUTES_BYTES_MAX: usize = 64 << 10;

/// Locks a directory for one writer until dropped.
#[derive(Debug)]
pub(in crate::source) struct Lock {
    _fd: Option<OwnedFd>,
}

impl DirHandle {
    /// Returns the target of the symbolic link `name`, or `None` if it is not a link.
    pub(in crate::source) fn link(&self, name: &CStr) -> io::Result<Option<PathBuf>> {
        match rustix::fs::readlinkat(&self.0, name, Vec::new()) {
            Ok(target) => Ok(Some(PathBuf::from(OsString::from_vec(target.into_bytes())))),
            Err(Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the file `name` for reading, without waiting for the writer of a pipe.
    pub(in crate::source) fn open_file(&self, name: &CStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?))
    }

    /// Returns true if this process may write the existing file `name`.
    pub(in crate::source) fn is_writable(&self, name: &CStr) -> bool {
        rustix::fs::accessat(&self.0, name, Access::WRITE_OK, AtFlags::empty()).is_ok()
    }

    /// Creates the directory `name`.
    pub(in crate::source) fn make(&self, name: &CStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.0, name, Mode::RWXU | Mode::RWXG | Mode::RWXO)?)
    }

    /// Creates the file `name` with default permissions.
    pub(in crate::source) fn create(&self, name: &CStr) -> io::Result<File> {
        let all = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
        self.create_with(name, all)
    }

    /// Creates the file `name`, readable by the user alone.
    pub(in crate::source) fn create_private(&self, name: &CStr) -> io::Result<File> {
        self.create_with(name, Mode::RUSR | Mode::WUSR)
    }

    fn create_with(&self, name: &CStr, mode: Mode) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.0, name, flags | OFlags::NOFOLLOW, mode)?))
    }

    /// Renames `from` to `to`, replacing what is there.
    pub(in crate::source) fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Renames the file `from` to `to`; fails with `AlreadyExists` if `to` exists.
    pub(in crate::source) fn put(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        match rustix::fs::linkat(&self.0, from, &self.0, to, AtFlags::empty()) {
            // The file is in place, even if its other name cannot be removed.
            Ok(()) => {
                let _ = self.remove(from);
                Ok(())
            }
            Err(Errno::EXIST) => Err(io::ErrorKind::AlreadyExists.into()),
            // A file system without hard links, such as FAT: not atomic there.
            Err(error) => match self.stat(to) {
                Err(absent) if absent.kind() == io::ErrorKind::NotFound => self.rename(from, to),
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => Err(error.into()),
            },
        }
    }

    /// Removes the file `name`.
    pub(in crate::source) fn remove(&self, name: &CStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes the directory `name`, which is empty.
    pub(in crate::source) fn remove_dir(&self, name: &CStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Returns true if `other` is this directory.
    #[expect(clippy::unnecessary_cast, reason = "the fields' types differ between platforms")]
    pub(in crate::source) fn is_same(&self, other: &DirHandle) -> io::Result<bool> {
        let (own, other) = (rustix::fs::fstat(&self.0)?, rustix::fs::fstat(&other.0)?);
        Ok((own.st_dev as u64, own.st_ino as u64) == (other.st_dev as u64, other.st_ino as u64))
    }

    /// Waits for the lock of this directory and takes it. On a file system without such locks there
    /// is no wait.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if another process holds it for 2 seconds.
    pub(in crate::source) fn lock(&self) -> io::Result<Lock> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // The directory can be entered but not listed.
        let Ok(fd) = rustix::fs::openat(&self.0, c".", flags, Mode::empty()) else {
            return Ok(Lock { _fd: None });
        };
        let until = Instant::now() + LOCK_PATIENCE;
        loop {
            match rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock { _fd: Some(fd) }),
                Err(Errno::WOULDBLOCK) if Instant::now() < until => {
                    std::thread::sleep(LOCK_PAUSE);
                }
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(_) => return Ok(Lock { _fd: None }),
            }
        }
    }
}

/// Gives `file` the owner, permissions and attributes of the file `like`, as far as this process
/// may.
///
/// # Errors
///
/// If the permissions cannot be set.
pub(in crate::source) fn keep(file: &File, like: &File) -> io::Result<()> {
    let (own, like_metadata) = (file.metadata()?, like.metadata()?);
    let is_owner_kept = keep_owner(file, &own, &like_metadata);
    // Set-user-ID and similar bits are not given to another owner.
    let kept = if is_owner_kept { 0o7777 } else { 0o777 };
    let mode = Mode::from_raw_mode((like_metadata.mode() & kept) as rustix::fs::RawMode);
    rustix::fs::fchmod(file, mode)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    keep_attributes(file, like);
    Ok(())
}

fn keep_owner(file: &File, own: &Metadata, like: &Metadata) -> bool {
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return true;
    }
    let (owner, group) = (Uid::from_raw(like.uid()), Gid::from_raw(like.gid()));
    let is_kept = rustix::fs::fchown(file, Some(owner), Some(group)).is_ok();
    if !is_kept {
        // Team members may read the file through its group.
        let _ = rustix::fs::fchown(file, None, Some(group));
    }
    is_kept
}

/// Copies user attributes and the access control list; without the list the mode bits would grant
/// more than before.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn keep_attributes(file: &File, like: &File) {
    let mut names = vec![0; ATTRIBUTES_BYTES_MAX];
    let Ok(len) = rustix::fs::flistxattr(like, names.as_mut_slice()) else { return };
    let mut value = vec![0; ATTRIBUTES_BYTES_MAX];
    for name in names[..len].split(|&byte| byte == 0) {
        if name != b"system.posix_acl_access" && !name.starts_with(b"user.") {
            continue;
        }
        if let Ok(len) = rustix::fs::fgetxattr(like, name, value.as_mut_slice()) {
            let flags = rustix::fs::XattrFlags::empty();
            let _ = rustix::fs::fsetxattr(file, name, &value[..len], flags);
        }
    }
}
