//! Lets one process follow a build of another: the builder writes its progress to a file in the
//! index directory. A process that finds the index locked reads that file while it waits.
//!
//! ```text
//! progress     stage, items done, items in all, bytes read; decimal numbers on one line
//! ```
//!
//! The file is only for display. The lock decides whether a build is running. The operating system
//! releases it when its holder dies, so a leftover file does not block any process.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::progress::Progress;
use crate::error::{Kind, Result};
use crate::index::store::Store;

/// How often a builder writes its progress; a shorter build writes nothing.
const WRITE_EVERY: Duration = Duration::from_millis(200);

/// A progress file older than this was left by a builder that died.
const AGE_MAX: Duration = Duration::from_secs(5);

/// How often a waiting process tries again.
const RETRY_EVERY: Duration = Duration::from_millis(50);

fn path(store: &Store) -> PathBuf {
    store.dir().join("progress")
}

/// Runs a build that holds the lock of `store`, and writes its progress to the index directory
/// while it runs. Failing to write the progress is not an error.
pub(super) fn shared<T>(store: &Store, progress: &Progress, build: impl FnOnce() -> T) -> T {
    let path = path(store);
    // A builder that was killed leaves its file behind.
    let _ = fs::remove_file(&path);
    let (end, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        // Moved in here, so that it is dropped before the scope joins, after a panic too.
        let _end = end;
        let write = move || {
            let mut is_written = false;
            while ended.recv_timeout(WRITE_EVERY) == Err(RecvTimeoutError::Timeout) {
                is_written |= fs::write(&path, progress.to_line()).is_ok();
            }
            if is_written {
                let _ = fs::remove_file(&path);
            }
        };
        let name = "codedb progress".to_owned();
        if let Err(error) = std::thread::Builder::new().name(name).spawn_scoped(scope, write) {
            log::debug!("progress is not shared: {error}");
        }
        build()
    })
}

/// Runs `build`, which takes the lock of `store`. While another process holds the lock, copies the
/// progress of that process to `progress` and retries; calls `waits` once before the first retry.
/// There is no limit on the wait.
///
/// # Errors
///
/// Those of `build` except [`Kind::Busy`]; [`Kind::Cancelled`] if `progress` is cancelled
/// meanwhile.
pub fn when_free<T>(
    store: &Store,
    progress: &Progress,
    waits: impl FnOnce(),
    mut build: impl FnMut() -> Result<T>,
) -> Result<T> {
    let mut waits = Some(waits);
    loop {
        match build() {
            Err(error) if error.kind() == Kind::Busy => {}
            result => return result,
        }
        if progress.is_cancelled() {
            return Err(Progress::cancelled());
        }
        if let Some(waits) = waits.take() {
            waits();
        }
        follow(store, progress);
        std::thread::sleep(RETRY_EVERY);
    }
}

/// Copies the progress of the running build of `store` to `progress`: [`super::Stage::Waiting`] if
/// there is none, or none yet.
pub fn follow(store: &Store, progress: &Progress) {
    let line = read(store);
    // An empty file is being written: what is shown stays for a moment.
    if line.as_deref() != Some("") {
        progress.follow(line.as_deref());
    }
}

/// Returns the progress of the running builder, if it writes any.
fn read(store: &Store) -> Option<String> {
    let path = path(store);
    let age = fs::metadata(&path).ok()?.modified().ok()?.elapsed().unwrap_or_default();
    if age > AGE_MAX {
        return None;
    }
    fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::Stage;
    use super::*;

    #[test]
    fn a_waiting_process_sees_the_progress_of_the_builder() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let store = Store::new(dir.path().to_path_buf(), false);
        let (own, seen) = (Progress::default(), Progress::default());
        let lock = store.lock().expect("nobody builds");
        std::thread::scope(|scope| {
            let follower = scope.spawn(|| when_free(&store, &seen, || {}, || store.lock()));
            shared(&store, &own, || {
                own.enter(Stage::Reading);
                own.restart(7);
                own.add(3, 50);
                let since = Instant::now();
                while (seen.stage(), seen.counts()) != (Stage::Reading, (3, 7, 50)) {
                    assert!(since.elapsed() < Duration::from_secs(30), "it is not followed");
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
            assert!(!path(&store).exists(), "the file stayed");
            drop(lock);
            follower.join().expect("no panic").expect("the lock is free");
        });
    }

    #[test]
    fn leftover_and_damaged_files_are_ignored() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let store = Store::new(dir.path().to_path_buf(), false);
        let progress = Progress::default();
        for text in ["", "1", "1 2 3 x", "9999 1 2 3", "\u{fffd}"] {
            fs::write(path(&store), text).expect("a file can be written");
            progress.follow(read(&store).as_deref());
            assert_eq!(progress.stage(), Stage::Waiting, "{text:?}");
        }
        let old = fs::File::create(path(&store)).expect("a file can be made");
        old.set_modified(std::time::SystemTime::now() - 2 * AGE_MAX).expect("a time can be set");
        assert_eq!(read(&store), None);
    }
}
