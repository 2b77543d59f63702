//! The identity of the state of a tree, for what is derived from it and kept for other processes.

use std::fs;
use std::time::UNIX_EPOCH;

use xxhash_rust::xxh3::Xxh3;

use super::Catalog;
use super::file_list::FileState;
use crate::index::code::store::builder;

impl Catalog {
    /// Returns a hash of the paths and contents of all files and of this program, since another one may
    /// derive something else. `None` unless the code index has the facts of all files as they are,
    /// undamaged, and no extractor of the user's own made some of them. O(files).
    pub fn state(&self) -> Option<u128> {
        let is_partial = !self.missing().is_empty() || !self.overlay.is_empty();
        if is_partial || self.is_damaged() || !self.parsers.extractors().is_empty() {
            return None;
        }
        let mut hash = Xxh3::new();
        hash.update(builder().as_bytes());
        if let Some(program) = self.parsers.program().and_then(|path| fs::metadata(path).ok()) {
            let modified = program.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            hash.update(&modified.as_nanos().to_le_bytes());
            hash.update(&program.len().to_le_bytes());
        }
        for (path, info) in self.files().iter() {
            if info.state != FileState::Same {
                return None;
            }
            hash.update(path);
            hash.update(&[0]);
            hash.update(&info.hash.to_le_bytes());
            // A file that was not read, such as a secret, has no hash.
            hash.update(&info.size_bytes.to_le_bytes());
        }
        Some(hash.digest128())
    }
}
