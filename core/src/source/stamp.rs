//! Metadata stamps: size, times and inode of a file, compared to detect that its content changed.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Minimum age of a change that a stamp proves. After a younger change, a second one can leave the
/// same stamp: within one tick of the file system's clock (10 ms at the coarsest on Linux), or by
/// the rest of the same `write`, whose time is taken when it begins.
pub const RACY_WINDOW: Duration = Duration::from_millis(100);

/// Nanoseconds that each byte adds to the window: a `write` of the whole file may take as long (20
/// MB/s).
const RACY_NANOS_A_BYTE: u64 = 50;

/// File size above which the window does not grow further.
const RACY_BYTES_MAX: u64 = 64 << 20;

/// The window for file systems with time stamps of one or two whole seconds (FAT, old file systems,
/// some network file systems).
const RACY_WINDOW_SECONDS: Duration = Duration::from_millis(2_020);

/// Size, times and inode of a file or directory.
///
/// Programs cannot set the change time, so it reveals a modification time that was set back. Where
/// a platform has no change time it is 0, and the other three fields decide.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Stamp {
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Inode change time in nanoseconds since 1970.
    pub ctime_ns: i64,
    /// Inode number.
    pub inode: u64,
}

impl Stamp {
    /// Bytes of an encoded stamp.
    pub const BYTES: usize = 32;

    /// A stamp that no file has: an entry with this stamp always counts as changed.
    pub const NEVER: Stamp = Stamp { size: u64::MAX, mtime_ns: i64::MIN, ctime_ns: 0, inode: 0 };

    /// Returns the stamp in `metadata`.
    pub fn of(metadata: &Metadata) -> Stamp {
        super::platform::stamp(metadata)
    }

    /// Returns the stamp of the regular file at `path`, or `None` if there is none.
    pub fn of_file(path: &Path) -> Option<Stamp> {
        let metadata = std::fs::symlink_metadata(path).ok()?;
        metadata.is_file().then(|| Stamp::of(&metadata))
    }

    /// Returns this stamp, or [`Stamp::NEVER`] if the file changed so shortly before `taken_at`
    /// that a later change could leave the same stamp.
    pub fn unless_racy(self, taken_at: SystemTime) -> Stamp {
        let nanos = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        let taken_ns = taken_at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, nanos);
        // A program can set the modification time, even to the future, but not the change time.
        let changed_ns = if self.ctime_ns == 0 { self.mtime_ns } else { self.ctime_ns };
        let whole_seconds =
            self.mtime_ns % 1_000_000_000 == 0 && self.ctime_ns % 1_000_000_000 == 0;
        let window = if whole_seconds { RACY_WINDOW_SECONDS } else { RACY_WINDOW };
        let writing = self.size.min(RACY_BYTES_MAX) * RACY_NANOS_A_BYTE;
        let window = window + Duration::from_nanos(writing);
        if changed_ns.saturating_add(nanos(window)) > taken_ns { Stamp::NEVER } else { self }
    }

    /// Returns the encoded stamp.
    pub fn to_bytes(self) -> [u8; Stamp::BYTES] {
        let mut bytes = [0; Stamp::BYTES];
        bytes[..8].copy_from_slice(&self.size.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.mtime_ns.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.ctime_ns.to_le_bytes());
        bytes[24..].copy_from_slice(&self.inode.to_le_bytes());
        bytes
    }

    /// Decodes a stamp.
    pub fn from_bytes(bytes: &[u8; Stamp::BYTES]) -> Stamp {
        let number = |at: usize| {
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight of 32 bytes"))
        };
        Stamp {
            size: number(0),
            mtime_ns: number(8) as i64,
            ctime_ns: number(16) as i64,
            inode: number(24),
        }
    }
}

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link, or a device, socket or pipe.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: i64) -> Stamp {
        Stamp { size: 1, mtime_ns: ns, ctime_ns: ns, inode: 7 }
    }

    #[test]
    fn stamps_round_trip() {
        let stamp = Stamp { size: 1, mtime_ns: -2, ctime_ns: 3, inode: u64::MAX };
        assert_eq!(Stamp::from_bytes(&stamp.to_bytes()), stamp);
    }

    #[test]
    fn a_recent_change_is_racy() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let ns = 1_000_000_000_000;
        assert_eq!(at(ns - 5_000_001).unless_racy(now), Stamp::NEVER);
        assert_eq!(at(ns + 5_000_001).unless_racy(now), Stamp::NEVER);
        assert_eq!(at(ns - 110_000_001).unless_racy(now), at(ns - 110_000_001));
        // A large file may still be in the middle of its write.
        let large = Stamp { size: 48 << 20, ..at(ns - 2_000_000_001) };
        assert_eq!(large.unless_racy(now), Stamp::NEVER);
        let large = Stamp { size: 48 << 20, ..at(ns - 3_000_000_001) };
        assert_eq!(large.unless_racy(now), large);
        // A modification time in the future was set by a program, and the change time is older.
        let ahead = Stamp { mtime_ns: ns * 2 + 1, ..at(ns - 900_000_001) };
        assert_eq!(ahead.unless_racy(now), ahead);
        // Whole seconds need a longer wait.
        assert_eq!(at(ns - 1_000_000_000).unless_racy(now), Stamp::NEVER);
        assert_eq!(at(ns - 3_000_000_000).unless_racy(now), at(ns - 3_000_000_000));
    }
}
