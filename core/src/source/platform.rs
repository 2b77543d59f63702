//! The differences between operating systems behind one interface: metadata of directory entries,
//! and how entries are created, replaced and removed.

mod child;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

pub use child::{Activity, limit_memory};
#[cfg(not(unix))]
pub use other::DirHandle;
#[cfg(not(unix))]
pub(crate) use other::lacks_locks;
#[cfg(not(unix))]
pub(super) use other::{
    Lock, has_other_names, keep, open_without_links, open_without_waiting, stamp,
};
#[cfg(unix)]
pub use unix::DirHandle;
#[cfg(unix)]
pub(crate) use unix::lacks_locks;
#[cfg(unix)]
pub(super) use unix::{
    Lock, Named, has_other_names, keep, open_without_links, open_without_waiting, stamp,
};

/// The kind of file system that a path lies on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FileSystem {
    /// Its name, or its magic number if it is not well known.
    pub name: String,
    network: bool,
}

impl FileSystem {
    /// Returns true if other machines may change files without this one's knowledge. There index
    /// files are read instead of mapped, and watching reports only local changes.
    pub fn is_network(&self) -> bool {
        self.network
    }
}

/// Returns the number of bytes that the user may still write to the file system of `path`; `None` if
/// it cannot be determined.
pub fn free_bytes(path: &std::path::Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let stat = rustix::fs::statvfs(path).ok()?;
        Some(stat.f_bavail.saturating_mul(stat.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Returns false if the user certainly may not create files in the directory `path`.
pub fn may_write(path: &std::path::Path) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::Access;
        rustix::fs::access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        path.metadata().is_ok_and(|metadata| !metadata.permissions().readonly())
    }
}

/// Returns the kind of file system of `path`; local and unnamed if it cannot be determined.
pub fn file_system(path: &std::path::Path) -> FileSystem {
    #[cfg(target_os = "linux")]
    if let Ok(stat) = rustix::fs::statfs(path) {
        // Magic numbers of statfs(2).
        const KINDS: [(u32, &str, bool); 14] = [
            (0xef53, "ext", false),
            (0x5846_5342, "xfs", false),
            (0x9123_683e, "btrfs", false),
            (0x0102_1994, "tmpfs", false),
            (0x794c_7630, "overlayfs", false),
            (0x2fc1_2fc1, "zfs", false),
            (0xf2f5_2010, "f2fs", false),
            (0x6969, "nfs", true),
            (0xff53_4d42, "cifs", true),
            (0xfe53_4d42, "smb2", true),
            (0x6573_5546, "fuse", true),
            (0x0102_1997, "9p", true),
            (0x00c3_6400, "ceph", true),
            (0x5346_414f, "afs", true),
        ];
        let magic = stat.f_type as u32;
        return match KINDS.iter().find(|(number, ..)| *number == magic) {
            Some(&(_, name, network)) => FileSystem { name: name.to_owned(), network },
            None => FileSystem { name: format!("{magic:#x}"), network: false },
        };
    }
    let _ = path;
    FileSystem { name: "unknown".to_owned(), network: false }
}
