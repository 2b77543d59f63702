//! The files that git tracks, read from its index file without running git.
//!
//! Format: `Documentation/gitformat-index.txt` of git, versions 2 to 4. A split index and an index of
//! an unknown form are read by `git ls-files`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::Xxh3Default;

use super::Git;
use super::layout::{self, Layout};
use crate::base::path;
use crate::source::stamp::Stamp;

/// The maximum size of the index file in bytes; that of a million files has about 100 MB.
const BYTES_MAX: u64 = 512 << 20;

/// The bytes of an entry before its object id: two times, device, inode, mode, user, group, size.
const STAT_BYTES: usize = 40;

/// The sizes of an object id in bytes: SHA-1, SHA-256.
const ID_BYTES: [usize; 2] = [20, 32];

/// The type bits of a mode, and those of a regular file and a directory.
const TYPE_BITS: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const DIRECTORY: u32 = 0o040_000;

/// The regular files that git tracks below a root.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Tracked {
    /// Repository paths relative to the root, in path order.
    pub files: Vec<Vec<u8>>,
    /// XXH3 of the paths.
    pub hash: u64,
    /// The metadata of the index file when it was read; [`Stamp::NEVER`] if the file may change
    /// without changing it, and if it was not read.
    pub stamp: Stamp,
}

/// Returns the path of the index of the repository around `root`; `None` if there is none. The file
/// may not exist.
pub fn index_file(root: &Path) -> Option<PathBuf> {
    Some(Layout::around(root)?.own.join("index"))
}

/// Returns the regular files below `root` that git tracks; `None` without a repository, without an
/// index, and if neither this function nor git can read it. Symbolic links and submodules are not
/// listed, nor are paths that git itself would refuse. O(index file).
pub fn tracked(root: &Path) -> Option<Tracked> {
    let layout = Layout::around(root)?;
    let file = layout.own.join("index");
    let prefix = path::from_path(root.strip_prefix(&layout.top).ok()?)?;
    let taken_at = SystemTime::now();
    let stamp = Stamp::of_file(&file)?.unless_racy(taken_at);
    let bytes = layout::content(&file, BYTES_MAX).ok()??;
    let read = |&id_bytes: &usize| {
        let (mut files, mut is_sparse) = (Vec::new(), false);
        entries(&bytes, id_bytes, &mut |mode, name| {
            is_sparse |= mode & TYPE_BITS == DIRECTORY;
            if mode & TYPE_BITS == REGULAR
                && let Some(below) = below(&prefix, name).filter(|below| is_plain(below))
            {
                files.push(below.to_vec());
            }
        })?;
        // An index with entries for whole directories: git knows the files in them.
        (!is_sparse).then(|| Tracked::new(files, stamp))
    };
    ID_BYTES.iter().find_map(read).or_else(|| listed(root, stamp))
}

impl Tracked {
    fn new(mut files: Vec<Vec<u8>>, stamp: Stamp) -> Tracked {
        files.sort_unstable_by(|a, b| path::compare(a, b));
        // A file with a merge conflict has several entries.
        files.dedup();
        let mut hash = Xxh3Default::new();
        for file in &files {
            hash.update(file);
            hash.update(&[0]);
        }
        Tracked { hash: hash.digest(), files, stamp }
    }
}

/// Returns what `git ls-files` lists.
fn listed(root: &Path, stamp: Stamp) -> Option<Tracked> {
    let answer = Git::open(root)?.output("ls-files", &["--stage", "-z", "--", "."]).ok()?;
    let regular = |entry: &[u8]| {
        let (mode, path) = (entry.get(..2)?, &entry[memchr::memchr(b'\t', entry)? + 1..]);
        (mode == b"10" && is_plain(path)).then(|| path.to_vec())
    };
    let files = answer.split(|&byte| byte == 0).filter_map(regular).collect();
    Some(Tracked::new(files, stamp))
}

/// Returns the part of `name` below the directory `prefix`.
fn below<'a>(prefix: &[u8], name: &'a [u8]) -> Option<&'a [u8]> {
    if prefix.is_empty() {
        return Some(name);
    }
    name.strip_prefix(prefix)?.strip_prefix(b"/")
}

/// Returns true if the path stays in the work tree and outside of git's directory: an index can
/// contain any bytes.
fn is_plain(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'/').all(|part| {
        !part.is_empty()
            && !matches!(part, b"." | b"..")
            && !part.eq_ignore_ascii_case(b".git")
            && (cfg!(not(windows)) || !part.contains(&b'\\'))
    })
}

/// Calls `each` with mode and path of every entry of an index, in order. Returns `None` if the index
/// is damaged, split, or has object ids of another size; `each` may have been called by then.
fn entries(bytes: &[u8], id_bytes: usize, each: &mut dyn FnMut(u32, &[u8])) -> Option<()> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let version = number(4).filter(|version| (2..=4).contains(version))?;
    if !bytes.starts_with(b"DIRC") {
        return None;
    }
    // The file ends in a checksum.
    let end = bytes.len().checked_sub(id_bytes)?;
    let (mut at, mut name): (usize, Vec<u8>) = (12, Vec::new());
    for _ in 0..number(8)? {
        let start = at;
        let mode = number(at + 24)?;
        at += STAT_BYTES + id_bytes;
        let flags = short(at)?;
        at += 2;
        // Version 3 has a second word of flags where the first one says so.
        if flags & 0x4000 != 0 {
            at += if version >= 3 { 2 } else { return None };
        }
        if version == 4 {
            let (removed, next) = offset(bytes, at)?;
            name.truncate(name.len().checked_sub(removed)?);
            at = next;
        } else {
            name.clear();
        }
        let rest = bytes.get(at..end)?;
        let length = memchr::memchr(0, rest)?;
        name.extend_from_slice(&rest[..length]);
        at += length + 1;
        if version < 4 {
            // Padded with zeros to a multiple of eight.
            let padded = start + (at - start).next_multiple_of(8);
            if bytes.get(at..padded)?.iter().any(|&byte| byte != 0) {
                return None;
            }
            at = padded;
        }
        // The length tells apart the sizes of object ids, which the file does not state.
        let stated = usize::from(flags & 0xFFF);
        if stated != name.len().min(0xFFF) {
            return None;
        }
        each(mode, &name);
    }
    // Extensions: four letters and a length; a lower-case letter means that it must be understood.
    while at < end {
        let (kind, length) = (bytes.get(at..at + 4)?, number(at + 4)? as usize);
        if kind == b"link" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(length)?;
    }
    (at == end).then_some(())
}

/// Reads a number in the encoding of offsets in packs; returns it and the place after it.
fn offset(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7F);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7F))?;
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests;
