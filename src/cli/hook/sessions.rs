//! The sessions that were reminded: one empty file per session in the cache directory.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::source::private_dir;

/// How long a session is remembered.
const AGE_MAX: Duration = Duration::from_secs(7 * 24 * 3600);

/// The most files that are examined when old ones are removed.
const EXAMINED_MAX: usize = 4096;

/// The file of one session, which exists after its reminder.
pub(super) struct Session {
    dir: PathBuf,
    file: PathBuf,
}

impl Session {
    /// Returns the session `id` of the client, in the cache directory `cache`.
    pub(super) fn new(cache: &Path, client: &str, id: &str) -> Session {
        let dir = cache.join("reminded");
        let hash = xxhash_rust::xxh3::xxh3_128(format!("{client}\n{id}").as_bytes());
        Session { file: dir.join(format!("{hash:032x}")), dir }
    }

    pub(super) fn is_reminded(&self) -> bool {
        self.file.symlink_metadata().is_ok()
    }

    /// Marks the session, and removes the files of old ones. Returns false if another call was first,
    /// or if the file cannot be written.
    pub(super) fn mark(&self) -> bool {
        let is_private = private_dir::create(&self.dir, private_dir::INDEX).is_ok()
            && private_dir::check(&self.dir, private_dir::INDEX).is_ok();
        if !is_private || OpenOptions::new().write(true).create_new(true).open(&self.file).is_err()
        {
            return false;
        }
        self.remove_old();
        true
    }

    fn remove_old(&self) {
        let now = SystemTime::now();
        for entry in fs::read_dir(&self.dir).into_iter().flatten().flatten().take(EXAMINED_MAX) {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let age = modified.ok().and_then(|modified| now.duration_since(modified).ok());
            if age.is_some_and(|age| age > AGE_MAX) {
                // Another call may have removed it.
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_marked_once_and_forgotten_later() {
        let cache = tempfile::tempdir().expect("a temporary directory");
        let session = |id: &str| Session::new(cache.path(), "codex", id);
        assert!(!session("a\n../b").is_reminded());
        assert!(session("a\n../b").mark() && !session("a\n../b").mark());
        assert!(session("a\n../b").is_reminded() && !session("other").is_reminded());
        let file = fs::File::options().write(true).open(&session("a\n../b").file);
        let old = SystemTime::now() - AGE_MAX - Duration::from_secs(60);
        file.and_then(|file| file.set_modified(old)).expect("it can be changed");
        assert!(session("other").mark());
        assert!(!session("a\n../b").is_reminded());
    }
}
