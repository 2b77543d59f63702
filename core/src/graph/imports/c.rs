//! C, C++ and Objective-C: includes, found along the include paths of a compile database or,
//! without one, along the directories that projects usually search.
//!
//! Without a build's flags it is unknown which of several headers of one name it uses: `asm/page.h`
//! may belong to any architecture. Headers in the importing file's own part of the tree come first.

use std::collections::HashMap;

use serde_json::Value;

use crate::base::ids::FileId;
use crate::base::path;
use crate::graph::weights;
use crate::lang::facts::{Import, ImportKind};

use super::manifest::{Kind, Manifest, Manifests, Nearest};
use super::target::{Fallback, Reason, Targets};
use super::tree::{DirectoryId, Probe, Tree, join};

/// The most headers of one path, the nearest first.
const AMBIGUOUS_MAX: usize = 8;

/// The most include directories of one file.
const DIRECTORIES_MAX: usize = 256;

/// Directories that usually contain headers, relative to those that enclose a file.
const USUAL: &[&[u8]] = &[b"", b"include/", b"src/", b"inc/", b"include/uapi/", b"lib/"];

/// Headers of the C library; a file of the same name deep in the tree does not replace them.
#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "alloca.h", "assert.h", "complex.h", "ctype.h", "dirent.h", "dlfcn.h", "errno.h", "fcntl.h",
    "fenv.h", "float.h", "getopt.h", "glob.h", "grp.h", "inttypes.h", "iso646.h", "limits.h",
    "locale.h", "malloc.h", "math.h", "memory.h", "netdb.h", "poll.h", "pthread.h", "pwd.h",
    "regex.h", "sched.h", "search.h", "semaphore.h", "setjmp.h", "signal.h", "stdalign.h",
    "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
    "stdnoreturn.h", "string.h", "strings.h", "syslog.h", "termios.h", "tgmath.h", "threads.h",
    "time.h", "uchar.h", "unistd.h", "utime.h", "wchar.h", "wctype.h",
];

/// The include paths of a tree.
pub(super) struct IncludePaths {
    /// Distinct lists of directories, in search order.
    lists: Vec<Vec<Vec<u8>>>,
    by_file: HashMap<FileId, usize>,
    /// For headers, which a database does not list: the list of a near file.
    near: Nearest,
    /// The list of each position in `near`.
    near_lists: Vec<usize>,
}

impl IncludePaths {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> IncludePaths {
        let mut database = Database::default();
        for manifest in manifests.of(Kind::CompileDatabase) {
            database.read(tree, manifest);
        }
        let mut directories = Vec::new();
        let mut near_lists = Vec::new();
        let mut files: Vec<(FileId, usize)> =
            database.by_file.iter().map(|(&file, &list)| (file, list)).collect();
        files.sort_unstable();
        for &(file, list) in &files {
            // A directory's first file determines its list, and that of enclosing directories
            // without one.
            directories.push(tree.directory(file));
            near_lists.push(list);
        }
        for &(file, list) in &files {
            directories.extend(tree.up(tree.directory(file)).skip(1));
            near_lists.resize(directories.len(), list);
        }
        let near = Nearest::new(tree, directories.into_iter());
        IncludePaths { lists: database.lists, by_file: database.by_file, near, near_lists }
    }

    pub(super) fn resolve(&self, tree: &Tree, import: &Import, found: &mut Targets) -> Fallback {
        let written = import.module.as_str();
        let is_system = import.kind == ImportKind::SystemInclude;
        let fallback = if is_system { Fallback::Outside } else { Fallback::Unknown };
        // `using namespace a::b` and `import a;` do not refer to files.
        let is_name = import.kind == ImportKind::Module && !written.contains('.');
        if is_name || written.is_empty() || written.starts_with('/') {
            return fallback;
        }
        let own = tree.directory_path_of(found.from);
        if !is_system && add(tree, found, join(own, written), 1.0, Reason::Path) {
            return fallback;
        }
        let directory = tree.directory(found.from);
        let near = || self.near.of(directory).map(|place| self.near_lists[place]);
        let list = self.by_file.get(&found.from).copied().or_else(near);
        for directory in list.map_or(&[][..], |list| self.lists[list].as_slice()) {
            if add(tree, found, join(directory, written), 1.0, Reason::Root) {
                return fallback;
            }
        }
        if !usual(tree, directory, written, is_system, found) {
            ending(tree, written, is_system, found);
        }
        fallback
    }
}

/// Adds the file at a path, unless it is the importing file (`#include_next` of its own name).
fn add(
    tree: &Tree,
    found: &mut Targets,
    path: Option<Vec<u8>>,
    confidence: f32,
    reason: Reason,
) -> bool {
    let file = path.and_then(|path| tree.file(&path)).filter(|&file| file != found.from);
    if let Some(file) = file {
        found.add(file, confidence, reason);
    }
    file.is_some()
}

/// Searches the usual header directories of all directories that enclose the importing file.
fn usual(
    tree: &Tree,
    directory: DirectoryId,
    written: &str,
    is_system: bool,
    found: &mut Targets,
) -> bool {
    if written.split('/').any(|part| part == "." || part == "..") {
        return false;
    }
    let mut probe = Probe::new(tree);
    for around in tree.up(directory) {
        let around = tree.directory_path(around);
        for below in USUAL {
            // A bare name in angle brackets does not refer to a file that happens to be near.
            if is_system && !below.starts_with(b"inc") && !written.contains('/') {
                continue;
            }
            let file = probe.file(around, &[below, written.as_bytes()]);
            if let Some(file) = file.filter(|&file| file != found.from) {
                found.add(file, weights::IMPORT_ABOVE, Reason::Convention);
                return true;
            }
        }
    }
    false
}

/// Searches the whole tree for paths that end with the included one.
fn ending(tree: &Tree, written: &str, is_system: bool, found: &mut Targets) {
    let tail = written.trim_start_matches("../").trim_start_matches("./");
    let name = path::split(tail.as_bytes()).1;
    let is_library = is_system && (STANDARD.contains(&tail) || !name.contains(&b'.'));
    if is_library || tail.starts_with("sys/") {
        return;
    }
    let from = found.from;
    let mut files: Vec<FileId> =
        tree.ending(tail.as_bytes()).filter(|&file| file != from).collect();
    let shared = |file: &FileId| usize::MAX - tree.shared_directories(*file, from);
    files.sort_by_key(|file| (shared(file), is_for_other(tree, *file), *file));
    match files.as_slice() {
        [] => {}
        // A bare name of a single header far away may still refer to a system header.
        &[only] if is_system && !tail.contains('/') => {
            found.add(only, weights::IMPORT_GUESS, Reason::Unique);
        }
        &[only] => found.add(only, weights::IMPORT_LIKELY, Reason::Unique),
        several => {
            let confidence =
                (1.0 / several.len() as f32).clamp(weights::IMPORT_LEAST, weights::IMPORT_GUESS);
            for (at, &file) in several.iter().take(AMBIGUOUS_MAX).enumerate() {
                let is_nearest = at == 0 && shared(&several[1]) != shared(&several[0]);
                let confidence = if is_nearest { weights::IMPORT_ENDING } else { confidence };
                found.add(file, confidence, Reason::Ambiguous);
            }
        }
    }
}

/// Returns true for headers of tools, tests and the like, which are copies for another program.
fn is_for_other(tree: &Tree, file: FileId) -> bool {
    let first = tree.path(file).split(|&byte| byte == b'/').next().unwrap_or_default();
    let others: [&[u8]; 6] = [b"tools", b"test", b"tests", b"third_party", b"samples", b"examples"];
    others.contains(&first)
}

/// The content of compile databases.
#[derive(Default)]
struct Database {
    lists: Vec<Vec<Vec<u8>>>,
    by_list: HashMap<Vec<Vec<u8>>, usize>,
    by_file: HashMap<FileId, usize>,
}

impl Database {
    fn read(&mut self, tree: &Tree, manifest: Manifest<'_>) {
        let Ok(Value::Array(entries)) = serde_json::from_str(manifest.text) else { return };
        let mut root: Option<String> = None;
        for entry in &entries {
            let (Some(directory), Some(file)) =
                (entry["directory"].as_str(), entry["file"].as_str())
            else {
                continue;
            };
            let file = absolute(directory, file);
            // The first file that exists in the tree determines the tree's root at the time of the
            // build.
            if root.is_none() {
                root = root_of(tree, &file);
            }
            let Some(root) = &root else { continue };
            let inside = |path: &str| {
                let below = path.strip_prefix(root.as_str())?;
                join(b"", below)
            };
            let Some(file) = inside(&file).and_then(|path| tree.file(&path)) else { continue };
            let searched = include_directories(entry);
            let searched = searched.iter().take(DIRECTORIES_MAX);
            let searched = searched.filter_map(|path| inside(&absolute(directory, path)));
            let directories: Vec<Vec<u8>> =
                searched.filter(|path| tree.find_directory(path).is_some()).collect();
            let lists = &mut self.lists;
            let list = *self.by_list.entry(directories).or_insert_with_key(|directories| {
                lists.push(directories.clone());
                lists.len() - 1
            });
            self.by_file.entry(file).or_insert(list);
        }
    }
}

/// Returns the path with `/` as separator, below the directory if it is relative.
fn absolute(directory: &str, written: &str) -> String {
    let written = written.replace('\\', "/");
    let is_absolute = written.starts_with('/') || written.get(1..3) == Some(":/");
    let whole =
        if is_absolute { written } else { format!("{}/{written}", directory.replace('\\', "/")) };
    // Resolving `..` may not leave the root of the file system.
    match join(b"", &whole) {
        Some(path) => format!("/{}", String::from_utf8_lossy(&path)),
        None => whole,
    }
}

/// Returns the prefix of the tree's paths in an absolute path to one of its files, including the
/// slash.
fn root_of(tree: &Tree, file: &str) -> Option<String> {
    let mut starts = file.match_indices('/').map(|(at, _)| at + 1);
    let start = starts.find(|&start| tree.file(&file.as_bytes()[start..]).is_some())?;
    Some(file[..start].to_owned())
}

/// Returns the directories that a command searches: first those for quoted includes, last those of
/// the system.
fn include_directories(entry: &Value) -> Vec<String> {
    let arguments: Vec<String> = match (&entry["arguments"], &entry["command"]) {
        (Value::Array(arguments), _) => {
            arguments.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        (_, Value::String(command)) => words(command),
        _ => Vec::new(),
    };
    let flags = ["-iquote", "-I", "-isystem", "-idirafter", "/I"];
    let mut ranked: Vec<(usize, String)> = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let Some(rank) = flags.iter().position(|flag| argument.starts_with(flag)) else { continue };
        let directory = match argument[flags[rank].len()..].trim_start_matches('=') {
            "" => arguments.next().unwrap_or_default(),
            directory => directory.to_owned(),
        };
        ranked.push((rank, directory));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, directory)| directory).collect()
}

/// Splits a command into words as a shell does: blanks, quotes, backslashes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), close) if open == close => quote = None,
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                word.get_or_insert_default().extend(characters.next());
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (_, other) => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        assert_eq!(words(r#"cc -I"a b" -I c\ d 'e"f' "#), ["cc", "-Ia b", "-I", "c d", "e\"f"]);
        let entry = serde_json::json!({"command": "cc -isystem s -Ia -iquote=q -I b x.c"});
        assert_eq!(include_directories(&entry), ["q", "a", "b", "s"]);
        assert_eq!(absolute("/r/build", "../src/a.c"), "/r/src/a.c");
    }
}
