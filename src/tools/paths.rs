//! Paths that callers name: repository paths, `/`-separated, relative to the root; absolute ones
//! below the root are understood, too.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::{Call, nearest};
use crate::base::path;
use crate::base::text;
use crate::error::{Error, Kind, Result};
use crate::source::guarded::Content;

/// Returns the repository path that `given` names, whether there is such a file or not.
///
/// # Errors
///
/// [`Kind::Usage`] for one that lies outside of the root, with `..` or as an absolute path.
pub fn resolve(call: &Call<'_>, given: &str) -> Result<Vec<u8>> {
    let outside = || {
        Error::usage("it lies outside of the tree")
            .with_path(Path::new(given))
            .with_hint(format!("paths are relative to `{}`", call.code.root().display()))
    };
    let relative = match Path::new(given).is_absolute() {
        false => given.to_owned(),
        true => {
            let below = Path::new(given).strip_prefix(call.code.root()).map_err(|_| outside())?;
            below.to_string_lossy().into_owned()
        }
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
    Ok(parts.join("/").into_bytes())
}

/// Returns repository path and content of the file that `given` names, up to `bytes_max` bytes.
///
/// # Errors
///
/// Those of [`resolve`]; if there is no such file, with the nearest names; if it is not served.
pub fn read(call: &Call<'_>, given: &str, bytes_max: u64) -> Result<(Vec<u8>, Content)> {
    let path = resolve(call, given)?;
    match call.code.read(&path, bytes_max) {
        Ok(content) => Ok((path, content)),
        Err(error) if error.kind() == Kind::NotFound => Err(unknown_file(call, &path)),
        Err(error) => Err(error),
    }
}

/// Returns repository path and files of the folder that `given` names; the root without one.
///
/// # Errors
///
/// Those of [`resolve`]; if no listed file lies in such a folder, with the nearest names.
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
            .with_path(&named)
            .with_hint("`read` shows a file, `outline` its definitions"));
    }
    let mut folders: BTreeSet<&[u8]> = BTreeSet::new();
    for (file, _) in files.iter() {
        let mut folder = path::split(file).0;
        while !folder.is_empty() && folders.insert(folder) {
            folder = path::split(folder).0;
        }
    }
    let mut folders: Vec<&[u8]> = folders.into_iter().collect();
    folders.sort_unstable_by(|a, b| path::compare(a, b));
    let found = nearest::among(folders.iter().copied(), &path);
    let names: Vec<String> = found.iter().map(|&at| shown(folders[at])).collect();
    Err(not_found(&named, "there is no such folder, or no file in it that is searched", &names))
}

/// Returns a repository path as replies spell it.
pub fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

fn unknown_file(call: &Call<'_>, path: &[u8]) -> Error {
    let named = path::to_path(path);
    let (Ok(files), Ok(index)) = (call.code.files(), call.code.names()) else {
        return not_found(&named, "there is no such file", &[]);
    };
    let found = nearest::in_index(index, path);
    let names: Vec<String> = found.iter().map(|&at| shown(files.path(at))).collect();
    not_found(&named, "there is no such file", &names)
}

fn not_found(path: &Path, message: &str, names: &[String]) -> Error {
    let names: Vec<String> = names.iter().map(|name| text::plain(name)).collect();
    let error = Error::new(Kind::NotFound, message).with_path(path);
    match nearest::hint(&names) {
        Some(hint) => error.with_hint(hint),
        None => error.with_hint("`find` looks for a file by parts of its name"),
    }
}
