//! Files of the index directory that keep what this program derived from one state of the tree, so that
//! another process need not derive it again. Each has the key of that state; any other key, and damage,
//! make it count as missing.
//!
//! ```text
//! key (16 bytes)   body   checksum of both (8 bytes, XXH3)
//! ```

use std::fs;

use xxhash_rust::xxh3::xxh3_64;

use super::store::Store;

/// The maximum size in bytes of a file that is read or written.
const BYTES_MAX: u64 = 32 << 20;

const KEY_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 8;

/// Returns the body of the file with this name, if it has this key. O(its bytes).
pub fn read(store: &Store, name: &str, key: u128) -> Option<Vec<u8>> {
    let path = store.dir().join(name);
    let metadata = fs::metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > BYTES_MAX {
        return None;
    }
    let mut bytes = fs::read(path).ok()?;
    let end = bytes.len().checked_sub(CHECKSUM_BYTES).filter(|&end| end >= KEY_BYTES)?;
    let is_sound = bytes[..KEY_BYTES] == key.to_le_bytes()
        && bytes[end..] == xxh3_64(&bytes[..end]).to_le_bytes();
    if !is_sound {
        return None;
    }
    bytes.truncate(end);
    bytes.drain(..KEY_BYTES);
    Some(bytes)
}

/// Writes the file with this name. Does nothing without an index directory, and where the file cannot be
/// written or would be too large.
pub fn write(store: &Store, name: &str, key: u128, body: &[u8]) {
    let mut bytes = key.to_le_bytes().to_vec();
    bytes.extend_from_slice(body);
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    let dir = store.dir();
    if bytes.len() as u64 > BYTES_MAX || !dir.is_dir() || store.check_access().is_err() {
        return;
    }
    let temporary = dir.join(format!("{name}.{}.new", std::process::id()));
    let is_placed =
        fs::write(&temporary, bytes).is_ok() && fs::rename(&temporary, dir.join(name)).is_ok();
    if !is_placed {
        let _ = fs::remove_file(&temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_undamaged_file_of_the_same_state_is_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::new(dir.path().join("index"), false);
        write(&store, "callers.idx", 7, b"body");
        assert_eq!(read(&store, "callers.idx", 7), None, "nothing is created without an index");
        store.create().expect("created");
        write(&store, "callers.idx", 7, b"body");
        assert_eq!(read(&store, "callers.idx", 7).as_deref(), Some(&b"body"[..]));
        assert_eq!(read(&store, "callers.idx", 8), None, "another state");
        let file = store.dir().join("callers.idx");
        let bytes = fs::read(&file).expect("read");
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            fs::write(&file, &damaged).expect("written");
            assert_eq!(read(&store, "callers.idx", 7), None, "byte {at}");
            fs::write(&file, &bytes[..at]).expect("written");
            assert_eq!(read(&store, "callers.idx", 7), None, "cut at {at}");
        }
    }
}
