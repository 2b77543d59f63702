//! Dynamic imports with a computed path: the files that match the literal parts of the expression.
//!
//! The unknown part is assumed to be one name: `./locales/${lang}.js` matches the files of that
//! directory, but not those of its subdirectories.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::ids::FileId;
use crate::base::path;
use crate::lang::facts::{Import, ImportKind};

use super::python::Roots;
use super::target::{Fallback, Reason, Resolution, Targets};
use super::tree::{DirectoryId, Tree, join};
use super::{Family, Importer, certainty};

/// The most matching files; further ones are omitted.
const CANDIDATES_MAX: usize = 64;

/// The most files that are tested.
const FILES_MAX: usize = 8192;

/// The most files that are tested for all patterns of one importing file.
const FILES_OF_IMPORTER_MAX: usize = 1 << 18;

/// The most patterns whose files are cached.
const PATTERNS_MAX: usize = 4096;

/// Directories that paths may be relative to, besides the importing file's.
const USUAL: &[&str] = &["", "src", "lib", "app"];

/// The cached matches of patterns.
#[derive(Default)]
pub(super) struct Patterns {
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    /// The first matching files of each pattern.
    matching: HashMap<Arc<Pattern>, Arc<[FileId]>>,
    /// The patterns of each importing file, and the number of files that were tested for it.
    by_importer: HashMap<FileId, (HashSet<Arc<Pattern>>, usize)>,
}

/// The literal start and end of a path, below a directory.
#[derive(Eq, Hash, PartialEq)]
struct Pattern {
    directory: DirectoryId,
    prefix: String,
    tail: String,
}

impl Patterns {
    /// Returns the files that a template or concatenation may load. A file with so many of them
    /// that hundreds of thousands of files would have to be tested leaves the later ones
    /// unresolved.
    pub(super) fn resolve(
        &self,
        tree: &Tree,
        python: &Roots,
        importer: &Importer<'_>,
        import: &Import,
    ) -> Resolution {
        let parts = match import.kind {
            ImportKind::DynamicTemplate => of_template(&import.module),
            _ => of_concatenation(&import.module),
        };
        let Some((head, tail)) = parts else { return Resolution::Unknown };
        let is_dotted =
            matches!(importer.family, Family::Python | Family::Lua) && !head.contains('/');
        let (head, tail) = if is_dotted {
            (head.replace('.', "/"), tail.replace('.', "/"))
        } else {
            (head.to_owned(), tail.to_owned())
        };
        // Without a directory, the start would match every file.
        let Some((directory, prefix)) = head.rsplit_once('/') else { return Resolution::Unknown };
        let confidence = certainty(import.kind);
        let mut found = Targets::new(importer.file, false);
        let add = |directory: DirectoryId, found: &mut Targets| {
            let pattern = Pattern { directory, prefix: prefix.to_owned(), tail: tail.clone() };
            let files = self.matching(tree, importer.file, pattern);
            let others = files.iter().filter(|file| **file != importer.file);
            for &file in others.take(CANDIDATES_MAX) {
                found.add(file, confidence, Reason::Pattern);
            }
        };
        let own = tree.directory_path_of(importer.file);
        if directory.starts_with('.') {
            let directory =
                join(own, directory).and_then(|directory| tree.find_directory(&directory));
            if let Some(directory) = directory {
                add(directory, &mut found);
            }
            return found.finish(Fallback::Unknown);
        }
        let around =
            tree.up(tree.directory(importer.file)).map(|directory| tree.directory_path(directory));
        let around = around.flat_map(|around| USUAL.iter().filter_map(|below| join(around, below)));
        let roots = python.bases(tree, importer.file).map(<[u8]>::to_vec);
        let roots = roots.take(if is_dotted { usize::MAX } else { 0 });
        for root in roots.chain(around) {
            let directory =
                join(&root, directory).and_then(|directory| tree.find_directory(&directory));
            if let Some(directory) = directory {
                add(directory, &mut found);
            }
            if !found.is_empty() {
                break;
            }
        }
        found.finish(Fallback::Unknown)
    }

    /// Returns the first matching files of a pattern; none if `from` has reached its bound.
    fn matching(&self, tree: &Tree, from: FileId, pattern: Pattern) -> Arc<[FileId]> {
        // Entries are inserted whole, so they are valid even if another thread panicked.
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let pattern = Arc::new(pattern);
        let Cache { matching, by_importer } = &mut *cache;
        let (patterns, tested) = by_importer.entry(from).or_default();
        let is_new = !patterns.contains(&pattern);
        if is_new && *tested > FILES_OF_IMPORTER_MAX {
            return Arc::default();
        }
        let is_full = matching.len() >= PATTERNS_MAX;
        match matching.entry(Arc::clone(&pattern)) {
            Entry::Occupied(files) => Arc::clone(files.get()),
            Entry::Vacant(vacant) => {
                let (files, count) = pattern.files(tree);
                if is_new {
                    *tested += count + 1;
                    patterns.insert(pattern);
                }
                if !is_full {
                    vacant.insert(Arc::clone(&files));
                }
                files
            }
        }
    }
}

impl Pattern {
    /// Returns the files of the directory whose names match, with or without their extension or as
    /// the index of a directory, and how many files were tested. Returns one file more than the
    /// limit, since the importing file may be among them.
    fn files(&self, tree: &Tree) -> (Arc<[FileId]>, usize) {
        let base = tree.directory_path(self.directory);
        let fits = |file: FileId| {
            let below = &tree.path(file)[base.len()..];
            let below = below.strip_prefix(b"/").unwrap_or(below);
            let Some(rest) = below.strip_prefix(self.prefix.as_bytes()) else { return false };
            spellings(rest).any(|spelling| {
                let missing = spelling.strip_suffix(self.tail.as_bytes());
                missing.is_some_and(|missing| !missing.is_empty() && !missing.contains(&b'/'))
            })
        };
        let mut tested = 0;
        let files = tree.below(self.directory).take(FILES_MAX).inspect(|_| tested += 1);
        let files = files.filter(|&file| fits(file)).take(CANDIDATES_MAX + 1).collect();
        (files, tested)
    }
}

/// Returns the spellings of a path: whole, without its extension, as the directory of an index.
fn spellings(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (directory, name) = path::split(rest);
    let stem = name.iter().position(|&byte| byte == b'.').unwrap_or(name.len());
    let stem = &name[..stem];
    let without = &rest[..rest.len() - (name.len() - stem.len())];
    let is_index = matches!(stem, b"index" | b"__init__" | b"init" | b"mod");
    let index = is_index.then_some(directory);
    // The index of the directory itself is spelled as the directory alone.
    let is_own = is_index && directory.is_empty();
    [rest, without].into_iter().chain(index).filter(move |_| !is_own)
}

/// Returns the literal start and end of a template: `./a/${b}.js`, `f"a.{b}"`, `"a/#{b}"`,
/// `"a.%s"`.
fn of_template(written: &str) -> Option<(&str, &str)> {
    let text = written.trim_start_matches(|first: char| first.is_ascii_alphabetic());
    let is_quoted = text.starts_with(['`', '"', '\'']);
    let text = if is_quoted { text.trim_matches(['`', '"', '\'']) } else { written };
    let start = ["${", "#{", "{", "%s", "%"].iter().filter_map(|mark| text.find(mark)).min()?;
    let missing = &text[start..];
    let end = match missing.rfind('}') {
        Some(end) => end + 1,
        None => missing.rfind("%s").map_or(missing.len(), |at| at + 2),
    };
    Some((&text[..start], &missing[end..]))
}

/// Returns the literals at the start and at the end of a concatenation: `"./a/" + b + ".js"`.
fn of_concatenation(written: &str) -> Option<(&str, &str)> {
    let written = written.trim();
    let open = written.chars().next().filter(|open| "\"'`".contains(*open))?;
    let (head, rest) = written[1..].split_once(open)?;
    let close = rest.chars().next_back().filter(|close| "\"'`".contains(*close));
    let tail = close.and_then(|close| {
        let inner = &rest[..rest.len() - 1];
        inner.rfind(close).map(|at| &inner[at + 1..])
    });
    Some((head, tail.unwrap_or("")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_parts_are_cut_out() {
        assert_eq!(of_template("`./a/${b}.js`"), Some(("./a/", ".js")));
        assert_eq!(of_template("./a/${b}"), Some(("./a/", "")));
        assert_eq!(of_template("f\"app.{x}.views\""), Some(("app.", ".views")));
        assert_eq!(of_template("\"a/#{b}/c\""), Some(("a/", "/c")));
        assert_eq!(of_template("'a.%s'"), Some(("a.", "")));
        assert_eq!(of_template("}${"), Some(("}", "")));
        assert_eq!(of_template("a"), None);
        assert_eq!(of_concatenation("'./a/' + b + '.js'"), Some(("./a/", ".js")));
        assert_eq!(of_concatenation("\"a.\" + b"), Some(("a.", "")));
        assert_eq!(of_concatenation("b + 'x'"), None);
        assert_eq!(of_concatenation("'"), None);
    }
}
