//! Unix: `openat` once for each directory, `fstatat` relative to it.

mod writing;

use std::ffi::CStr;
use std::fs::Metadata;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::source::stamp::{EntryKind, Stamp};

pub(in crate::source) use writing::{Lock, keep};

/// Returns the stamp in `metadata`.
pub(in crate::source) fn stamp(metadata: &Metadata) -> Stamp {
    Stamp {
        size: metadata.size(),
        mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
    }
}

/// Returns true if the file has more than one name.
pub(in crate::source) fn has_other_names(metadata: &Metadata) -> bool {
    metadata.nlink() > 1
}

/// An open directory whose entries are inspected.
#[derive(Debug)]
pub struct DirHandle(OwnedFd);

impl DirHandle {
    /// Opens the directory at `path`.
    pub fn open(path: &Path) -> io::Result<DirHandle> {
        Ok(DirHandle(rustix::fs::open(path, flags(), Mode::empty())?))
    }

    /// Opens the directory at `path`; a symbolic link as its last component is an error.
    pub(in crate::source) fn open_itself(path: &Path) -> io::Result<DirHandle> {
        let flags = flags() | OFlags::NOFOLLOW;
        Ok(DirHandle(rustix::fs::open(path, flags, Mode::empty())?))
    }

    /// Opens the directory `path` below this one; a symbolic link in its place is an error.
    pub fn open_below(&self, path: &CStr) -> io::Result<DirHandle> {
        let flags = flags() | OFlags::NOFOLLOW;
        Ok(DirHandle(rustix::fs::openat(&self.0, path, flags, Mode::empty())?))
    }

    /// Returns the directory's own stamp.
    pub fn stamp(&self) -> io::Result<Stamp> {
        Ok(stamp_of(&rustix::fs::fstat(&self.0)?))
    }

    /// Returns the numbers of the device and of the inode, which identify the directory.
    pub(in crate::source) fn identity(&self) -> io::Result<(u64, u64)> {
        let stat = rustix::fs::fstat(&self.0)?;
        Ok((stat.st_dev as u64, stat.st_ino as u64))
    }

    /// Returns kind and metadata of the entry `name`; for a symbolic link its own.
    pub fn stat(&self, name: &CStr) -> io::Result<(EntryKind, Stamp)> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = match FileType::from_raw_mode(stat.st_mode as rustix::fs::RawMode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Dir,
            _ => EntryKind::Other,
        };
        Ok((kind, stamp_of(&stat)))
    }
}

/// Returns true for the error of taking a lock on a file system that has none: user-space and
/// network file systems, or one whose lock service does not answer.
pub(crate) fn lacks_locks(error: &io::Error) -> bool {
    let errnos = [Errno::NOLCK, Errno::NOTSUP, Errno::OPNOTSUPP, Errno::NOSYS];
    Errno::from_io_error(error).is_some_and(|errno| errnos.contains(&errno))
}

fn flags() -> OFlags {
    // `O_PATH` needs no read permission and is cheaper.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let access = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let access = OFlags::RDONLY;
    access | OFlags::DIRECTORY | OFlags::CLOEXEC
}

#[expect(clippy::unnecessary_cast, reason = "the fields' types differ between platforms")]
fn stamp_of(stat: &Stat) -> Stamp {
    Stamp {
        size: stat.st_size as u64,
        mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        inode: stat.st_ino as u64,
    }
}

fn nanoseconds(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

/// Opens a file for reading, without waiting for the writer of a pipe.
pub(in crate::source) fn open_without_waiting(path: &Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = (OFlags::NONBLOCK | OFlags::CLOEXEC).bits();
    std::fs::File::options().read(true).custom_flags(flags as i32).open(path)
}

/// Opens the file at `path` for reading, without waiting for the writer of a pipe; a symbolic link
/// on the way is an error. Returns `None` where the system has no call for this.
#[cfg(target_os = "linux")]
pub(in crate::source) fn open_without_links(path: &Path) -> Option<io::Result<std::fs::File>> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::ResolveFlags;
    use rustix::io::Errno;

    /// The kernel (before 5.6) or a filter of system calls refused an earlier call.
    static IS_REFUSED: AtomicBool = AtomicBool::new(false);
    if IS_REFUSED.load(Ordering::Relaxed) {
        return None;
    }
    let access = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    loop {
        match rustix::fs::openat2(rustix::fs::CWD, path, access, Mode::empty(), resolve) {
            Ok(fd) => return Some(Ok(fd.into())),
            Err(Errno::INTR) => {}
            Err(Errno::NOSYS) => {
                IS_REFUSED.store(true, Ordering::Relaxed);
                return None;
            }
            // A filter of system calls, or a file that no call opens.
            Err(Errno::PERM) => return None,
            Err(error) => return Some(Err(error.into())),
        }
    }
}

/// Returns `None`: only Linux has a system call for this, and Android kills programs that call it.
#[cfg(not(target_os = "linux"))]
pub(in crate::source) fn open_without_links(_: &Path) -> Option<io::Result<std::fs::File>> {
    None
}

/// A file referred to by a descriptor, whose metadata is checked repeatedly.
#[derive(Debug)]
pub(in crate::source) struct Named(OwnedFd);

impl Named {
    /// Opens the regular file at `path`; `None` if there is none, or a symbolic link.
    pub(in crate::source) fn file(path: &Path) -> Option<Named> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        let access = OFlags::PATH;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let access = OFlags::RDONLY | OFlags::NONBLOCK;
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty()).ok()?;
        let stat = rustix::fs::fstat(&fd).ok()?;
        (FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then_some(Named(fd))
    }

    /// Returns the metadata of the file, wherever it was moved.
    pub(in crate::source) fn stamp(&self) -> Option<Stamp> {
        rustix::fs::fstat(&self.0).ok().map(|stat| stamp_of(&stat))
    }
}
