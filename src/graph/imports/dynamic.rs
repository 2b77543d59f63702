//! Imports whose text is put together while the program runs: the files that fit their literal
//! parts.
//!
//! Only one name is taken to be missing between the literal start and the literal end, so that
//! `./locales/${lang}.js` fits the files of that folder, and not those below its folders.

use crate::base::ids::FileId;
use crate::base::path;
use crate::lang::facts::{Import, ImportKind};

use super::python::Roots;
use super::target::{Found, Otherwise, Reason, Resolution};
use super::tree::{FolderId, Tree, join};
use super::{Family, Importer, certainty};

/// Files that fit; more are left out.
const CANDIDATES_MAX: usize = 64;

/// Files that are looked at.
const FILES_MAX: usize = 8192;

/// Folders below those around the importing file that names start from.
const USUAL: &[&str] = &["", "src", "lib", "app"];

/// Returns the files that a template or concatenation may load.
pub(super) fn resolve(
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
    let is_dotted = matches!(importer.family, Family::Python | Family::Lua) && !head.contains('/');
    let (head, tail) = match is_dotted {
        true => (head.replace('.', "/"), tail.replace('.', "/")),
        false => (head.to_owned(), tail.to_owned()),
    };
    // A start that names no folder would fit every file.
    let Some((folder, prefix)) = head.rsplit_once('/') else { return Resolution::Unknown };
    let confidence = certainty(import.kind);
    let mut found = Found::new(importer.file, false);
    let own = tree.folder_path_of(importer.file);
    if folder.starts_with('.') {
        let folder = join(own, folder).and_then(|folder| tree.find_folder(&folder));
        if let Some(folder) = folder {
            add_fitting(tree, folder, prefix, &tail, confidence, &mut found);
        }
        return found.finish(Otherwise::Unknown);
    }
    let around = tree.up(tree.folder(importer.file)).map(|folder| tree.folder_path(folder));
    let around = around.flat_map(|around| USUAL.iter().filter_map(|below| join(around, below)));
    let roots = python.bases(tree, importer.file).map(<[u8]>::to_vec);
    let roots = roots.take(if is_dotted { usize::MAX } else { 0 });
    for root in roots.chain(around) {
        let folder = join(&root, folder).and_then(|folder| tree.find_folder(&folder));
        if let Some(folder) = folder {
            add_fitting(tree, folder, prefix, &tail, confidence, &mut found);
        }
        if !found.is_empty() {
            break;
        }
    }
    found.finish(Otherwise::Unknown)
}

/// Adds the files of a folder whose names start and end as they should, extensions and indices of
/// folders left out or not.
fn add_fitting(
    tree: &Tree,
    folder: FolderId,
    prefix: &str,
    tail: &str,
    confidence: f32,
    found: &mut Found,
) {
    let base = tree.folder_path(folder);
    let fits = |file: &FileId| {
        let below = &tree.path(*file)[base.len()..];
        let below = below.strip_prefix(b"/").unwrap_or(below);
        let Some(rest) = below.strip_prefix(prefix.as_bytes()) else { return false };
        spellings(rest).any(|spelling| {
            let missing = spelling.strip_suffix(tail.as_bytes());
            missing.is_some_and(|missing| !missing.is_empty() && !missing.contains(&b'/'))
        })
    };
    let files = tree.below(folder).take(FILES_MAX).filter(fits);
    let from = found.from;
    for file in files.filter(|&file| file != from).take(CANDIDATES_MAX) {
        found.add(file, confidence, Reason::Pattern);
    }
}

/// Returns the ways to write a path: whole, without its extension, as the folder whose index it is.
fn spellings(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (folder, name) = path::split(rest);
    let stem = name.iter().position(|&byte| byte == b'.').unwrap_or(name.len());
    let stem = &name[..stem];
    let without = &rest[..rest.len() - (name.len() - stem.len())];
    let is_index = matches!(stem, b"index" | b"__init__" | b"init" | b"mod");
    let index = is_index.then_some(folder);
    // The index of the folder itself is what the folder alone stands for.
    let is_own = is_index && folder.is_empty();
    [rest, without].into_iter().chain(index).filter(move |_| !is_own)
}

/// Returns the literal start and end of a template: `./a/${b}.js`, `f"a.{b}"`, `"a/#{b}"`, `"a.%s"`.
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
