//! Searches under faults: ripgrep's output, or an error that names the file.
//!
//! `CODEDB_LONG=1` runs more rounds of every test (at least 200 kills); `CODEDB_SEED` sets another
//! seed.

mod damage;
mod death;
mod flips;
mod garbage;
mod surroundings;
mod touch;

use std::path::{Path, PathBuf};

use codedb::engine::Engine;
use codedb::index::store::Store;
use codedb::source::walk::Environment;

use crate::support::place::Place;
use crate::support::prng::Prng;

/// Returns the engine of the tree and index of `place`.
fn engine(place: &Place) -> Engine {
    engine_in(place, place.store())
}

/// Returns the engine of the tree of `place` with its index in `dir`.
fn engine_in(place: &Place, dir: PathBuf) -> Engine {
    let environment = Environment { global_excludes: None, threads: 2 };
    Engine::new(place.root(), Store::new(dir, false), environment)
}

/// Returns the random number generator of this run.
fn prng(family: u64) -> Prng {
    let seed = std::env::var("CODEDB_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    Prng::new(seed.unwrap_or(1) << 8 | family)
}

/// Returns the names in `dir`, sorted.
fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
