//! Mounts below a tree, from `/proc/self/mountinfo`: the kernel reports no event for the
//! directories or files that a mount covers or uncovers.
//!
//! The file is pollable (`proc(5)`): a descriptor reports an urgent condition once after each
//! change of the table of mounts. Other systems have no such file.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

const TABLE: &str = "/proc/self/mountinfo";

/// Maximum size of the table.
const BYTES_MAX: usize = 16 << 20;

/// What a poll of the descriptor waits for.
pub const CHANGE: PollFlags = PollFlags::PRI.union(PollFlags::ERR);

/// A mount below the tree: its repository path, empty for the root, and the fields that identify
/// what is mounted (identifier, device, directory of the device).
type Mount = (Vec<u8>, Vec<u8>);

/// The mounts of one tree.
#[derive(Debug)]
pub struct Mounts {
    table: File,
    root: Vec<u8>,
    known: BTreeSet<Mount>,
}

impl Mounts {
    /// Returns the present mounts below `root`, a canonical path; `None` if the system does not
    /// report them.
    pub fn new(root: &Path) -> Option<Mounts> {
        let table = File::open(TABLE).ok()?;
        let root = root.as_os_str().as_bytes().to_vec();
        let mut mounts = Mounts { table, root, known: BTreeSet::new() };
        // A change from now on is reported.
        mounts.has_changed();
        mounts.changes()?;
        Some(mounts)
    }

    /// Returns a descriptor that has [`CHANGE`] after a change, for one poll only.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.table.as_fd()
    }

    /// Returns true if any mount of the system changed since the last poll. One system call.
    pub fn has_changed(&self) -> bool {
        let mut fds = [PollFd::new(&self.table, CHANGE)];
        let polled = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        polled.is_err() || fds[0].revents().intersects(CHANGE)
    }

    /// Reads the table. Returns the repository paths of mounts that came or went since it was read
    /// before, in order; `None` if it cannot be read. O(table).
    pub fn changes(&mut self) -> Option<Vec<Vec<u8>>> {
        let present = below(&read(&self.table)?, &self.root);
        let changed = present.symmetric_difference(&self.known);
        let changed: BTreeSet<Vec<u8>> = changed.map(|(path, _)| path.clone()).collect();
        self.known = present;
        Some(changed.into_iter().collect())
    }
}

/// Reads the whole table from its start.
fn read(table: &File) -> Option<Vec<u8>> {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        match table.read_at(&mut piece, bytes.len() as u64) {
            Ok(0) => return Some(bytes),
            Ok(count) if bytes.len() + count <= BYTES_MAX => bytes.extend(&piece[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return None,
        }
    }
}

/// Returns the mounts at and below `root`. Lines that are not of the table's form are skipped.
fn below(table: &[u8], root: &[u8]) -> BTreeSet<Mount> {
    let mut mounts = BTreeSet::new();
    for line in table.split(|&byte| byte == b'\n') {
        // Identifier, parent, device, directory of the device, mount point, options …
        let mut fields = line.split(|&byte| byte == b' ');
        let (Some(id), Some(_), Some(device), Some(source), Some(point)) =
            (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let point = unescaped(point);
        let Some(path) = point.strip_prefix(root.strip_suffix(b"/").unwrap_or(root)) else {
            continue;
        };
        let path = match path {
            [] => path,
            [b'/', below @ ..] => below,
            // Another directory, whose name begins with that of the root.
            _ => continue,
        };
        mounts.insert((path.to_vec(), [id, device, source].join(&b' ')));
    }
    mounts
}

/// Returns a field without the escapes that the kernel uses for blanks, newlines and backslashes.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let (mut bytes, mut at) = (Vec::with_capacity(field.len()), 0);
    while at < field.len() {
        let value = match &field[at..] {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                Some((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'))
            }
            _ => None,
        };
        bytes.push(value.unwrap_or(field[at]));
        at += if value.is_some() { 4 } else { 1 };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home/me/tree rw - tmpfs tmpfs rw
41 40 8:1 /srv/data /home/me/tree/a\\040b/c rw - ext4 /dev/sda1 rw
42 22 0:36 / /home/me/tree-two rw - tmpfs tmpfs rw
43 22 0:37 / /home/me/tree/d\\134e\\ rw - tmpfs tmpfs rw
a line of another form

44";

    fn paths(table: &str, root: &str) -> Vec<String> {
        let mounts = below(table.as_bytes(), root.as_bytes()).into_iter();
        mounts.map(|(path, _)| String::from_utf8(path).expect("text")).collect()
    }

    #[test]
    fn mounts_below_a_root_are_listed_by_repository_path() {
        assert_eq!(paths(LINES, "/home/me/tree"), ["", "a b/c", "d\\e\\"]);
        assert_eq!(paths(LINES, "/home/me/tree/a b"), ["c"]);
        assert_eq!(paths(LINES, "/srv"), [""; 0]);
        assert_eq!(paths(LINES, "/").len(), 5);
    }

    #[test]
    fn any_bytes_are_parsed() {
        for end in 0..LINES.len() {
            below(&LINES.as_bytes()[..end], b"/home/me/tree");
        }
        assert_eq!(unescaped(b"\\777\\04\\\\011\\"), b"\\777\\04\\\t\\");
    }

    #[test]
    fn the_same_table_has_no_changes() {
        let Some(mut mounts) = Mounts::new(Path::new("/")) else { return };
        // Other programs may mount meanwhile, but a table does not differ from itself.
        let before = mounts.known.clone();
        let changes = mounts.changes().expect("it can be read");
        assert_eq!(changes.is_empty(), mounts.known == before);
    }
}
