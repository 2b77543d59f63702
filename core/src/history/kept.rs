//! Keeps texts that were computed from commits: one file for each repository path, `<prefix>-<hash>.idx`
//! in the index directory. A damaged file counts as missing.

use std::cmp::Reverse;
use std::fs;
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use crate::index::store::{Store, seal, unseal};

/// The maximum number of paths for which texts of one kind are kept; those that were written first are
/// removed.
pub(super) const PATHS_MAX: usize = 512;

/// The maximum size in bytes of a file that is read or written.
const BYTES_MAX: u64 = 4 << 20;

/// The texts of one kind.
#[derive(Clone, Copy)]
pub(super) struct Kept<'a> {
    pub(super) store: &'a Store,
    /// How the names of the files start.
    pub(super) prefix: &'static str,
}

impl Kept<'_> {
    /// Returns the text that is kept for a repository path. O(its bytes).
    pub(super) fn read(self, path: &[u8]) -> Option<String> {
        let file = self.store.dir().join(self.name(path));
        let metadata = fs::metadata(&file).ok()?;
        if !metadata.is_file() || metadata.len() > BYTES_MAX {
            return None;
        }
        let mut text = fs::read_to_string(file).ok()?;
        let len = unseal(&text)?.len();
        text.truncate(len);
        Some(text)
    }

    /// Keeps a text for a repository path in place of what was kept for it. Does nothing without an
    /// index directory, and where the file cannot be written.
    pub(super) fn write(self, path: &[u8], text: &str) {
        let text = seal(text);
        let dir = self.store.dir();
        if text.len() as u64 > BYTES_MAX || !dir.is_dir() || self.store.check_access().is_err() {
            return;
        }
        let name = self.name(path);
        let temporary = dir.join(format!("{name}.{}.new", std::process::id()));
        let is_placed =
            fs::write(&temporary, text).is_ok() && fs::rename(&temporary, dir.join(&name)).is_ok();
        if !is_placed {
            let _ = fs::remove_file(&temporary);
            return;
        }
        self.evict(&name);
    }

    /// Removes the oldest files beyond the maximum, except the one named `kept`.
    fn evict(self, kept: &str) {
        let Ok(entries) = fs::read_dir(self.store.dir()) else { return };
        let mut all: Vec<(Reverse<SystemTime>, String)> = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let is_other = self.is_own(&name) && name != kept;
                let written = || entry.metadata().and_then(|metadata| metadata.modified()).ok();
                is_other.then(|| (Reverse(written().unwrap_or(SystemTime::UNIX_EPOCH)), name))
            })
            .collect();
        if all.len() < PATHS_MAX {
            return;
        }
        all.sort_unstable();
        for (_, name) in &all[PATHS_MAX - 1..] {
            let _ = fs::remove_file(self.store.dir().join(name));
        }
    }

    pub(super) fn name(self, path: &[u8]) -> String {
        format!("{}{:016x}.idx", self.prefix, xxh3_64(path))
    }

    pub(super) fn is_own(self, name: &str) -> bool {
        name.starts_with(self.prefix) && name.ends_with(".idx")
    }
}
