//! The repositories that a command line names: addresses, local clones, names, and lists of them.

use std::fs::File;
use std::io::{IsTerminal as _, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::fleet::repository::{Folder, Repository, lines};
use crate::history::git;

/// The maximum size of a list in bytes.
const LIST_BYTES_MAX: u64 = 64 << 20;

/// Returns the repositories that words name, in their order: each is a repository, a file that lists
/// some, or `-` for a list on standard input.
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the file and the line, if a word names nothing, or a list cannot be read.
pub(super) fn repositories<'a>(words: impl Iterator<Item = &'a String>) -> Result<Vec<Repository>> {
    let mut all = Vec::new();
    for word in words {
        if word == "-" || Path::new(word).is_file() {
            all.extend(of_list(word)?);
        } else {
            all.push(of_word(word, Path::new("")).map_err(|problem| named(word, &problem))?);
        }
    }
    Ok(all)
}

/// Returns the repositories in a list: a file, or `-` for standard input.
///
/// # Errors
///
/// As [`repositories`].
pub(super) fn of_list(name: &str) -> Result<Vec<Repository>> {
    let path = Path::new(name);
    let (text, shown, base) = if name == "-" {
        let input = std::io::stdin();
        if input.is_terminal() {
            return Err(Error::usage("standard input is a terminal")
                .with_hint("name a file, or pipe a list with one repository a line"));
        }
        (read(input.lock()), "standard input".to_owned(), Path::new(""))
    } else {
        let base = path.parent().unwrap_or(Path::new(""));
        (File::open(path).and_then(read), name.to_owned(), base)
    };
    let text = text.map_err(|error| Error::usage(format!("{shown}: {error}")))?;
    let repository = |(line, word): (usize, &str)| {
        of_word(word, base)
            .map_err(|problem| Error::usage(format!("{shown}: line {line}: {problem}")))
    };
    lines(&text).map(repository).collect()
}

fn read(input: impl Read) -> std::io::Result<String> {
    let mut text = String::new();
    let read = input.take(LIST_BYTES_MAX + 1).read_to_string(&mut text)?;
    if read as u64 > LIST_BYTES_MAX {
        return Err(std::io::Error::other(format!("longer than {} MiB", LIST_BYTES_MAX >> 20)));
    }
    Ok(text)
}

fn of_word(word: &str, base: &Path) -> std::result::Result<Repository, String> {
    Repository::of_word(word, &|word| folder(&base.join(word)))
}

/// Returns the local clone at a path, if there is one.
fn folder(path: &Path) -> Option<Folder> {
    let is_bare = || path.join("HEAD").is_file() && path.join("objects").is_dir();
    if !path.join(".git").exists() && !is_bare() {
        return None;
    }
    let path: PathBuf = path.canonicalize().ok()?;
    let origin = git::origin(&path);
    Some(Folder { path, origin })
}

fn named(word: &str, problem: &str) -> Error {
    // A word with `@` may have a password.
    let shown = if word.contains('@') { "the argument" } else { word };
    Error::usage(format!("{}: {problem}", crate::base::text::plain(shown)))
}
