//! The bare sweep: `openat` of every directory and a relative `statx` of every file, on two
//! threads.
//!
//! It is a separate process (this bench with `--internal-sweep`), which reads the prepared list
//! before it starts its clock and prints the nanoseconds of the sweep. No strict query can be
//! faster.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::process::Job;
use super::tree::{Tree, path_of};

const THREADS: usize = 2;

/// A directory, relative to the root, and the names in it.
struct Directory {
    path: PathBuf,
    names: Vec<PathBuf>,
}

/// Writes the list for the child and returns the job that runs it.
pub(crate) fn job(tree: &Tree, scratch: &Path) -> io::Result<Job> {
    let mut list = Vec::new();
    for path in std::iter::once(&tree.root).chain(&tree.files) {
        list.extend_from_slice(path.as_os_str().as_encoded_bytes());
        list.push(0);
    }
    let file = scratch.join("sweep.list");
    fs::write(&file, list)?;
    Ok(Job::new(&std::env::current_exe()?, &tree.root, [Path::new("--internal-sweep"), &file]))
}

/// Runs as the child: sweeps the list and prints the nanoseconds.
pub(crate) fn child(list: &Path) -> Result<(), String> {
    let list = fs::read(list).map_err(|error| error.to_string())?;
    let mut paths = list.split(|&byte| byte == 0).filter(|path| !path.is_empty()).map(path_of);
    let root = paths.next().ok_or("the list is empty")?;
    let mut names_of: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in paths {
        let name = path.file_name().expect("a file has a name").into();
        names_of.entry(path.parent().unwrap_or(Path::new("")).to_owned()).or_default().push(name);
    }
    let directories: Vec<Directory> =
        names_of.into_iter().map(|(path, names)| Directory { path, names }).collect();

    let start = Instant::now();
    let next = AtomicUsize::new(0);
    let found: u64 = thread::scope(|scope| {
        let sweeper = || {
            let mut found = 0;
            while let Some(directory) = directories.get(next.fetch_add(1, Ordering::Relaxed)) {
                found += count_files(&root, directory);
            }
            found
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(sweeper)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a sweeper does not panic")).sum()
    });
    println!("{} {found}", start.elapsed().as_nanos());
    Ok(())
}

/// Stats the files of one directory and returns how many are there.
#[cfg(target_os = "linux")]
fn count_files(root: &Path, directory: &Directory) -> u64 {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, StatxFlags, openat, statx};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(handle) = openat(CWD, root.join(&directory.path), flags, Mode::empty()) else {
        return 0;
    };
    let wanted = StatxFlags::SIZE | StatxFlags::MTIME | StatxFlags::CTIME | StatxFlags::INO;
    let at = AtFlags::SYMLINK_NOFOLLOW | AtFlags::STATX_DONT_SYNC;
    directory.names.iter().filter(|name| statx(&handle, name.as_path(), at, wanted).is_ok()).count()
        as u64
}

/// Stats the files of one directory and returns how many are there.
#[cfg(not(target_os = "linux"))]
fn count_files(root: &Path, directory: &Directory) -> u64 {
    let directory_path = root.join(&directory.path);
    directory
        .names
        .iter()
        .filter(|name| fs::symlink_metadata(directory_path.join(name)).is_ok())
        .count() as u64
}
