//! Records what runs left whose codedb was killed.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use super::collect;
use super::journal::{Journal, NAME, STATE, State, all};
use super::record::{Ended, record};
use crate::cli::report;
use crate::engine::Engine;
use crate::error::Result;

/// The age at which directories without a journal are removed.
const LEFTOVER_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The maximum number of directories that are examined.
const LEFTOVERS_MAX: usize = 1_000;

/// Records the results of runs of this tree whose codedb was killed, and removes old directories. Failures
/// are only printed: they must not keep a command from its work.
pub(in crate::cli) fn recover(engine: &Engine, cache: &Path) {
    for entry in fs::read_dir(all(cache)).into_iter().flatten().flatten().take(LEFTOVERS_MAX) {
        let path = entry.path();
        match left(&path) {
            Some((journal, _lock)) if journal.root == engine.root() => {
                let state = fs::read(path.join(STATE)).unwrap_or_default();
                let state = serde_json::from_slice(&state).unwrap_or_default();
                match record_left(engine, &journal, &state) {
                    Ok(text) => report::print_message(format!("a run that was killed: {text}")),
                    Err(error) => {
                        report::print_error(&error);
                        continue;
                    }
                }
                let _ = fs::remove_dir_all(&path);
            }
            Some(_) => {}
            None if !path.join(NAME).exists() && is_old(&entry) => {
                let _ = fs::remove_dir_all(&path);
            }
            None => {}
        }
    }
}

/// Returns the journal of a run whose codedb does not live any more, with its lock.
fn left(path: &Path) -> Option<(Journal, File)> {
    let file = File::open(path.join(NAME)).ok()?;
    file.try_lock().ok()?;
    let journal = serde_json::from_reader(std::io::BufReader::new(&file)).ok()?;
    Some((journal, file))
}

fn record_left(engine: &Engine, journal: &Journal, state: &State) -> Result<String> {
    let found = collect::reports(&journal.sources)?;
    let recorded = record(engine, journal, state, Ended::Lost, &found)?;
    Ok(recorded.summary)
}

fn is_old(entry: &fs::DirEntry) -> bool {
    let age = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
    age.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age > LEFTOVER_AGE)
}
