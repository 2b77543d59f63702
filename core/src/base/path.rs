//! Repository paths: bytes below the root, components separated by `/`, no leading `./`.
//!
//! Their order is ripgrep's `--sort path`: component by component, each compared as bytes, so that
//! a directory's whole subtree is contiguous and `a/b` comes before `a.c`.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use bstr::{ByteSlice, ByteVec};

/// Compares two repository paths component by component as bytes. O(length of the common prefix).
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    // A separator sorts before every byte of a name, and the end of a path before a separator.
    let rank = |path: &[u8]| match path.get(common) {
        None => -2,
        Some(b'/') => -1,
        Some(&byte) => i32::from(byte),
    };
    rank(a).cmp(&rank(b))
}

/// Returns the repository path as a path of the operating system, relative to the root.
///
/// On Windows, invalid Unicode is replaced. The walker skips such names.
pub fn to_path(path: &[u8]) -> PathBuf {
    if cfg!(windows) {
        return PathBuf::from(path.to_str_lossy().replace('/', "\\"));
    }
    path.to_path_lossy().into_owned()
}

/// Returns the repository path of `path`, which is relative to the root, or `None` if the name
/// cannot be represented as bytes.
pub fn from_path(path: &Path) -> Option<Vec<u8>> {
    let bytes = <[u8]>::from_path(path)?;
    if cfg!(windows) {
        return Some(bytes.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect());
    }
    Some(bytes.to_vec())
}

/// Returns `dir` joined with `name`; the root is the empty path.
pub fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(dir.len() + name.len() + 1);
    if !dir.is_empty() {
        joined.extend_from_slice(dir);
        joined.push_byte(b'/');
    }
    joined.extend_from_slice(name);
    joined
}

/// Splits a path into its directory (empty for the root) and its last component.
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.rfind_byte(b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (b"", path),
    }
}

/// Returns a repository path for display.
pub fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

/// Returns true if `path` is `dir` or lies below it; everything lies below the empty path.
pub fn is_within(path: &[u8], dir: &[u8]) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_by_component() {
        let mut paths: Vec<&[u8]> =
            vec![b"a.c", b"a/z", b"a", b"a-b", b"a/b/c", b"b", b"a/b", b"a\x01"];
        paths.sort_by(|a, b| compare(a, b));
        let sorted: Vec<&[u8]> =
            vec![b"a", b"a/b", b"a/b/c", b"a/z", b"a\x01", b"a-b", b"a.c", b"b"];
        assert_eq!(paths, sorted);
    }

    #[test]
    fn joins_splits_and_contains() {
        assert_eq!(join(b"", b"x"), b"x");
        assert_eq!(join(b"a/b", b"x"), b"a/b/x");
        assert_eq!(split(b"a/b/x"), (&b"a/b"[..], &b"x"[..]));
        assert_eq!(split(b"x"), (&b""[..], &b"x"[..]));
        assert!(is_within(b"a/b", b"a") && is_within(b"a", b"a") && is_within(b"a", b""));
        assert!(!is_within(b"ab", b"a"));
    }
}
