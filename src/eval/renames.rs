//! Compares the former paths of files with those of `git log --follow`.

use std::time::{Duration, Instant};

use crate::check::paths::Renames;
use crate::error::Result;
use crate::history::Log;
use crate::history::git::Git;

/// A file with a path that only git found.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Missed {
    /// The present path.
    pub path: Vec<u8>,
    /// The former path.
    pub former: Vec<u8>,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Comparison {
    /// Files that were renamed, by git.
    pub files: usize,
    /// Those of them of which every former path was found.
    pub complete: usize,
    /// Former paths that git found.
    pub paths: usize,
    /// Those of them that were found.
    pub found: usize,
    /// The others.
    pub missed: Vec<Missed>,
    /// The time for collecting the renames of the log and resolving the files, without git.
    pub resolving: Duration,
}

/// Compares up to `files_max` files of HEAD that were renamed at least once. The files of
/// `all` are asked for in a fixed pseudo-random order, until there are enough.
///
/// # Errors
///
/// If git fails.
pub fn compare(git: &Git, log: &Log, all: &[Vec<u8>], files_max: usize) -> Result<Comparison> {
    let started = Instant::now();
    let renames = Renames::new(log);
    let mut made = Comparison { resolving: started.elapsed(), ..Comparison::default() };
    let mut order: Vec<&Vec<u8>> = all.iter().collect();
    order.sort_by_key(|path| (xxhash_rust::xxh3::xxh3_64(path), (*path).clone()));
    // Most files of most repositories were never renamed.
    for path in order.into_iter().take(files_max * 20) {
        if made.files == files_max {
            break;
        }
        let former = git.follow(path)?;
        if former.is_empty() {
            continue;
        }
        let started = Instant::now();
        let known = renames.resolve(path, &[]);
        made.resolving += started.elapsed();
        let is_known = |former: &Vec<u8>| known.iter().any(|known| known.path == *former);
        made.files += 1;
        made.paths += former.len();
        made.found += former.iter().filter(|former| is_known(former)).count();
        made.complete += usize::from(former.iter().all(is_known));
        let missed = former.iter().filter(|former| !is_known(former));
        made.missed.extend(missed.map(|it| Missed { path: path.clone(), former: it.clone() }));
    }
    Ok(made)
}
