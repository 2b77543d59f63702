//! Path arguments of calls: repository paths, separated by `/` and relative to the root, or
//! absolute paths below the root.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::Call;
use super::session::Session;
use crate::answer::nearest;
use crate::base::path;
use crate::base::text;
use crate::catalog::file_list::FileList;
use crate::error::{Error, Kind, Result};
use crate::lang::{Language, language};
use crate::source::guarded::Content;

pub use crate::base::path::shown;

/// The maximum number of directories that an error offers along with files.
const FOLDERS_MAX: usize = 2;

/// Returns the repository path for `given`, whether it exists or not. If `given` contains U+FFFD,
/// or an escaped character, the result is the only listed file or directory that is displayed that way.
///
/// # Errors
///
/// [`Kind::Usage`] for a path outside of the root, with `..` or absolute.
pub fn resolve(call: &Call<'_>, given: &str) -> Result<Vec<u8>> {
    let outside = || {
        Error::usage("outside of the tree")
            .with_code("outside_of_tree")
            .with_path(Path::new(given))
            .with_hint(other_tree(call))
    };
    let relative = if Path::new(given).is_absolute() {
        let below = Path::new(given).strip_prefix(call.code.root()).map_err(|_| outside())?;
        below.to_string_lossy().into_owned()
    } else {
        given.to_owned()
    };
    let relative = if cfg!(windows) { relative.replace('\\', "/") } else { relative };
    let mut parts: Vec<&str> = Vec::new();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop().ok_or_else(outside)?),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if is_as_displayed(&path)
        && let Some(listed) = by_displayed_path(call.code.files()?, &path)
    {
        return Ok(listed);
    }
    Ok(path.into_bytes())
}

/// Returns the hint that names the tree of a call and how another one is chosen.
fn other_tree(call: &Call<'_>) -> String {
    let root = call.code.root().display();
    let names = call.session.map(Session::names).unwrap_or_default();
    let other = match &names[..] {
        [] => "`--root DIR` chooses another tree".to_owned(),
        [_] if call.code.project().is_none() => "it is the only project of this server".to_owned(),
        names => format!("`project` chooses another one: `{}`", names.join("`, `")),
    };
    format!("paths are relative to `{root}`; {other}")
}

/// Returns the index of the file at a repository path, or of the only file that is displayed that
/// way.
pub fn listed(files: &FileList, path: &[u8]) -> Option<usize> {
    files.find(path).or_else(|| {
        let path = std::str::from_utf8(path).ok()?;
        files.find(&is_as_displayed(path).then(|| by_displayed_path(files, path))??)
    })
}

/// Returns true if a path may be one as it is displayed: with U+FFFD for bytes that are not valid UTF-8, or
/// with escaped characters.
fn is_as_displayed(path: &str) -> bool {
    path.contains(char::REPLACEMENT_CHARACTER) || path.contains('\\')
}

/// Returns the path of the listed file or directory that is displayed as `path`, if there is
/// exactly one. Displayed names are lossy; see [`is_as_displayed`]. O(files).
fn by_displayed_path(files: &FileList, path: &str) -> Option<Vec<u8>> {
    if files.find(path.as_bytes()).is_some() || !files.below(path.as_bytes()).is_empty() {
        return None;
    }
    let depth = path.split('/').count();
    let mut found: Option<&[u8]> = None;
    let differs = |file: &[u8]| match std::str::from_utf8(file) {
        Ok(file) => file.chars().any(text::is_unsafe),
        Err(_) => true,
    };
    for (file, _) in files.iter().filter(|(file, _)| differs(file)) {
        let mut ends = file.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let end = ends.nth(depth - 1).map_or(file.len(), |(end, _)| end);
        let displayed = shown(&file[..end]);
        if (displayed == path || text::plain(&displayed) == path)
            && found.replace(&file[..end]).is_some_and(|it| it != &file[..end])
        {
            return None;
        }
    }
    found.map(<[u8]>::to_vec)
}

/// Returns true if an argument for a path can only be the name of a definition, such as `Price::of`, by how it is
/// written.
pub fn is_name(given: &str) -> bool {
    let is_path_like = given.contains(['/', '\\', '*']) || given.starts_with(['.', '-', '[']);
    !given.is_empty() && !is_path_like && crate::lang::detect(Path::new(given), b"").is_none()
}

/// Returns the language of a file name or extension; the path need not be UTF-8.
pub fn language(path: &[u8]) -> Option<&'static Language> {
    language::of_name(path::split(path).1)
}

/// Returns the repository path and up to `bytes_max` bytes of the file at `given`.
///
/// # Errors
///
/// Those of [`resolve`]; if the file does not exist, with the nearest names; if it is not served.
pub fn read(call: &Call<'_>, given: &str, bytes_max: u64) -> Result<(Vec<u8>, Arc<Content>)> {
    let path = resolve(call, given)?;
    match call.code.read(&path, bytes_max) {
        Ok(content) => Ok((path, content)),
        Err(error) => Err(with_nearest(call, &path, error)),
    }
}

/// Returns the error of a read, with the nearest names if the file does not exist.
pub fn with_nearest(call: &Call<'_>, path: &[u8], error: Error) -> Error {
    match error.kind() {
        Kind::NotFound => unknown_file(call, path),
        _ => error,
    }
}

/// Returns the repository path and the files of the directory `given`, by default of the root.
///
/// # Errors
///
/// Those of [`resolve`]; if no listed file is below that directory, with the nearest names.
pub fn folder(call: &Call<'_>, given: Option<&str>) -> Result<(Vec<u8>, Range<usize>)> {
    let path = given.map_or(Ok(Vec::new()), |given| resolve(call, given))?;
    let files = call.code.files()?;
    let below = files.below(&path);
    if !below.is_empty() || path.is_empty() {
        return Ok((path, below));
    }
    let named = path::to_path(&path);
    if files.find(&path).is_some() {
        return Err(Error::usage("it is a file")
            .with_code("is_a_file")
            .with_path(&named)
            .with_hint("{tool:read} shows a file, {tool:outline} its definitions"));
    }
    let names = nearest_folders(files, &path);
    Err(not_found(&named, "no such directory, or all of its files are excluded", &names))
}

/// Returns true if the tree has a file or directory at the path `given`, or its files cannot be listed.
pub(super) fn is_present(call: &Call<'_>, given: &str) -> bool {
    let (Ok(files), Ok(path)) = (call.code.files(), resolve(call, given)) else { return true };
    listed(files, &path).is_some() || !files.below(&path).is_empty()
}

/// Checks that a file is at or below the directory `given`.
///
/// # Errors
///
/// Those of [`folder`]; [`Kind::Usage`] if the file is elsewhere.
pub fn check_within(call: &Call<'_>, file: &[u8], given: Option<&str>) -> Result<()> {
    let (directory, _) = folder(call, given)?;
    if path::is_within(file, &directory) {
        return Ok(());
    }
    let named = text::plain(&shown(&directory));
    Err(Error::usage(format!("it is not in the directory `{named}`"))
        .with_path(&path::to_path(file))
        .with_hint("name a file or a directory, not both"))
}

/// Returns the error for a path that is neither a listed file nor a directory with listed files. It
/// suggests the nearest files and directories.
pub fn unknown(call: &Call<'_>, path: &[u8]) -> Error {
    let message = "no such file or directory, or it is excluded";
    let mut names = nearest_files(call, path);
    if let Ok(files) = call.code.files() {
        // A directory with a similar name is a better suggestion than its files.
        let folders = nearest_folders(files, path);
        let place = usize::from(!names.is_empty());
        names.splice(place..place, folders.into_iter().take(FOLDERS_MAX));
    }
    names.truncate(nearest::OFFERED_MAX);
    not_found(&path::to_path(path), message, &names)
}

fn unknown_file(call: &Call<'_>, path: &[u8]) -> Error {
    let names = nearest_files(call, path);
    not_found(&path::to_path(path), "no such file", &names)
}

fn nearest_files(call: &Call<'_>, path: &[u8]) -> Vec<String> {
    let (Ok(files), Ok(index)) = (call.code.files(), call.code.names()) else { return Vec::new() };
    let found = nearest::in_index(index, path).into_iter().map(|at| files.path(at));
    found.filter(|found| nearest::is_similar(path, found)).map(shown).collect()
}

fn nearest_folders(files: &FileList, path: &[u8]) -> Vec<String> {
    let mut folders: BTreeSet<&[u8]> = BTreeSet::new();
    for (file, _) in files.iter() {
        let mut folder = path::split(file).0;
        while !folder.is_empty() && folders.insert(folder) {
            folder = path::split(folder).0;
        }
    }
    let mut folders: Vec<&[u8]> = folders.into_iter().collect();
    folders.sort_unstable_by(|a, b| path::compare(a, b));
    let found = nearest::among(folders.iter().copied(), path);
    let found = found.into_iter().map(|at| folders[at]);
    found.filter(|found| nearest::is_similar(path, found)).map(shown).collect()
}

fn not_found(path: &Path, message: &str, names: &[String]) -> Error {
    let names: Vec<String> = names.iter().map(|name| text::plain(name)).collect();
    let error = Error::new(Kind::NotFound, message).with_code("unknown_path").with_path(path);
    match nearest::hint(&names) {
        Some(hint) => error.with_hint(hint).with_nearest_paths(&names),
        None => error.with_hint("{tool:find} finds files by parts of their paths"),
    }
}
