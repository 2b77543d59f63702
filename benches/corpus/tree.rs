//! The files of a corpus and their modification times.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::Outcome;

/// The modification time of every file of a corpus: the first second of 2026, in seconds since
/// 1970.
pub(crate) const MODIFIED_S: u64 = 1_767_225_600;

/// Returns the paths of all files below `root`, with `/`, in byte order, without git's own files
/// and links.
///
/// # Errors
///
/// If a directory cannot be read, or a name is not UTF-8.
pub(crate) fn files(root: &Path) -> Outcome<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let place = root.join(&folder);
        let fail = |error: std::io::Error| format!("{}: {error}", place.display());
        for entry in fs::read_dir(&place).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name().into_string();
            let name = name.map_err(|name| format!("{}: a name is not UTF-8", name.display()))?;
            if name == ".git" {
                continue;
            }
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let kind = entry.file_type().map_err(fail)?;
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Checks that the file names are valid on every system.
///
/// # Errors
///
/// If two paths differ only in case.
pub(crate) fn check_names(files: &[String]) -> Outcome<()> {
    let mut folded = BTreeMap::new();
    for file in files {
        if let Some(other) = folded.insert(file.to_lowercase(), file) {
            return Err(format!("`{other}` and `{file}` differ by case alone; keep one of them"));
        }
    }
    Ok(())
}

/// Sets the time of all files to [`MODIFIED_S`].
///
/// # Errors
///
/// If a file cannot be opened.
pub(crate) fn set_times(root: &Path, files: &[String]) -> Outcome<()> {
    let times = FileTimes::new().set_modified(modified());
    for file in files {
        let path = root.join(file);
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_times(times))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Returns the first file with another modification time.
///
/// # Errors
///
/// If a file is missing.
pub(crate) fn first_of_another_time(root: &Path, files: &[String]) -> Outcome<Option<String>> {
    for file in files {
        let path = root.join(file);
        let time = fs::metadata(&path).and_then(|metadata| metadata.modified());
        if time.map_err(|error| format!("{}: {error}", path.display()))? != modified() {
            return Ok(Some(file.clone()));
        }
    }
    Ok(None)
}

fn modified() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(MODIFIED_S)
}
