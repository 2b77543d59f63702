//! The sweep: compares the metadata of a part of the tree with the file table.
//!
//! A file that a query reads anyway needs no comparison, so the caller passes the files to skip.
//! Cost: one `openat` for each directory and one `fstatat` for each file, on several threads.

use std::ffi::{CStr, CString};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::base::bits::Bits;
use crate::base::ids::{DirId, FileId};
use crate::error::{Error, Result};
use crate::index::table::Table;
use crate::source::DirHandle;
use crate::source::stamp::EntryKind;

/// Number of directories that a thread takes at a time.
const CLAIM: u32 = 16;

/// The differences from the table.
#[derive(Debug, Default)]
pub(super) struct Swept {
    /// Files with other metadata, ascending.
    pub(super) changed: Vec<FileId>,
    /// Files that are no longer regular files, ascending.
    pub(super) gone: Vec<FileId>,
    /// Directories with other metadata, or which cannot be opened, ascending.
    pub(super) dirs: Vec<DirId>,
}

impl Swept {
    /// Adds other differences; the lists are then in no order.
    pub(super) fn extend(&mut self, other: Swept) {
        self.changed.extend(other.changed);
        self.gone.extend(other.gone);
        self.dirs.extend(other.dirs);
    }
}

/// Sweeps the directories `dirs` of `table` and the files in them except `except`, on up to
/// `threads` threads. O(directories + files).
///
/// # Errors
///
/// If `root` cannot be opened or the table is damaged.
pub(super) fn sweep(
    root: &Path,
    table: &Table,
    dirs: Range<u32>,
    except: &Bits,
    threads: usize,
) -> Result<Swept> {
    let handle = DirHandle::open(root).map_err(|error| Error::io(root, error))?;
    let next = AtomicU32::new(dirs.start);
    let all = Mutex::new(Swept::default());
    let work = || -> Result<()> {
        let mut swept = Swept::default();
        loop {
            let from = next.fetch_add(CLAIM, Ordering::Relaxed);
            if from >= dirs.end {
                break;
            }
            for dir in from..dirs.end.min(from + CLAIM) {
                sweep_dir(&handle, table, DirId(dir), except, &mut swept)?;
            }
        }
        let mut all = all.lock().expect("no thread panics while it holds the lock");
        all.changed.append(&mut swept.changed);
        all.gone.append(&mut swept.gone);
        all.dirs.append(&mut swept.dirs);
        Ok(())
    };
    let threads = threads.min((dirs.len() / CLAIM as usize).max(1));
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mine = work();
        others.into_iter().fold(mine, |result, other| {
            result.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    })?;
    let mut swept = all.into_inner().expect("no thread panics while it holds the lock");
    swept.changed.sort_unstable();
    swept.gone.sort_unstable();
    swept.dirs.sort_unstable();
    Ok(swept)
}

/// Compares single directories (not the files in them) and single files, on this thread.
/// O((directories + files) · depth).
///
/// # Errors
///
/// As [`sweep`].
pub(super) fn check(root: &Path, table: &Table, dirs: &[DirId], files: &[FileId]) -> Result<Swept> {
    let handle = DirHandle::open(root).map_err(|error| Error::io(root, error))?;
    let mut swept = Swept::default();
    let mut all_files = Bits::new(table.files() as usize);
    all_files.insert_all(table.files() as usize);
    for &dir in dirs {
        sweep_dir(&handle, table, dir, &all_files, &mut swept)?;
    }
    for &file in files {
        let path = CString::new(table.path(file)?).expect("a path made of C strings has no NUL");
        compare(&handle, table, file, &path, &mut swept)?;
    }
    swept.changed.sort_unstable();
    swept.gone.sort_unstable();
    swept.dirs.sort_unstable();
    Ok(swept)
}

fn sweep_dir(
    root: &DirHandle,
    table: &Table,
    id: DirId,
    except: &Bits,
    swept: &mut Swept,
) -> Result<()> {
    let dir = table.dir(id)?;
    let path = if dir.path.is_empty() { c"." } else { dir.path };
    let handle = match root.open_below(path) {
        Ok(handle) => handle,
        Err(error) => {
            swept.dirs.push(id);
            let files = match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => &mut swept.gone,
                // It may exist: reading its files returns the same error, or succeeds. If a link
                // replaced it, the listing of its parent shows that.
                _ => &mut swept.changed,
            };
            files.extend(table.own_files(&dir)?);
            return Ok(());
        }
    };
    if handle.stamp().ok() != Some(dir.stamp) {
        swept.dirs.push(id);
    }
    for id in table.own_files(&dir)? {
        if except.contains(id.index()) {
            continue;
        }
        compare(&handle, table, id, table.file(id)?.name, swept)?;
    }
    Ok(())
}

/// Compares the file `id`, which lies at `path` below `dir`.
fn compare(
    dir: &DirHandle,
    table: &Table,
    id: FileId,
    path: &CStr,
    swept: &mut Swept,
) -> Result<()> {
    match dir.stat(path) {
        Ok((EntryKind::File, stamp)) if stamp == table.stamp(id)? => {}
        Ok((EntryKind::File, _)) => swept.changed.push(id),
        // A file without metadata is read, so that the error of reading is reported.
        Err(error) if error.kind() != ErrorKind::NotFound => swept.changed.push(id),
        Ok(_) | Err(_) => swept.gone.push(id),
    }
    Ok(())
}
