//! Finds added and removed files by listing changed directories and applying their ignore rules.
//!
//! Only directories whose metadata changed are listed. If an ignore rule may have changed, or too
//! much has, the tree must be walked again.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

use bstr::ByteSlice;

use crate::base::bits::Bits;
use crate::base::ids::{DirId, FileId};
use crate::base::interrupt::Interrupt;
use crate::base::path;
use crate::error::Result;
use crate::index::table::Table;
use crate::source::walk::{self, Environment};
use crate::source::{rule_files, rules};

/// Number of changed directories above which a walk is cheaper.
const DIRS_MAX: usize = 256;

/// Added and removed files.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Repository paths of files that the table does not have, in path order.
    pub(super) added: Vec<Vec<u8>>,
    /// Files of the table that are no longer searched.
    pub(super) gone: Vec<FileId>,
}

/// Lists the directories `dirs` and returns the added and removed files in them, or `None` if the
/// tree must be walked again. Files are searched only below `scope`; in other directories only the
/// rules are compared.
pub(super) fn in_dirs(
    root: &Path,
    table: &Table,
    dirs: &[DirId],
    scope: DirId,
    environment: &Environment,
) -> Result<Option<Changes>> {
    if dirs.is_empty() {
        return Ok(Some(Changes::default()));
    }
    if dirs.len() > DIRS_MAX {
        return Ok(None);
    }
    let scope = table.dir(scope)?.dirs;
    let sources = table.sources()?;
    // The walk does not enter these: no rule in them counts, and no file is found by listing them.
    let tracked = table.tracked_dirs()?;
    let is_left_out_dir = |id: &DirId| tracked.binary_search(id).is_ok();
    let known_rules = |dir: &Path, name: &str| {
        let path = dir.join(name);
        sources.iter().any(|source| source.path == path)
    };
    // The matcher reads the ignore files of these directories and of those above them. Where one is
    // refused, only a walk applies the others.
    let is_refused = |dir: &Path| !rule_files::refused_above(dir).is_empty();
    for &id in dirs.iter().filter(|id| !is_left_out_dir(id)) {
        if is_refused(&root.join(path::to_path(table.dir(id)?.path.to_bytes()))) {
            return Ok(None);
        }
    }
    let unrefused = rule_files::Refused::default();
    let mut matcher = walk::builder(root, root, environment, unrefused).build_matchers().remove(0);
    let mut changes = Changes::default();
    let mut gone = Bits::new(table.files() as usize);
    let mut gone_dirs = Bits::new(table.dirs() as usize);
    for &id in dirs {
        // A removed directory may have been replaced by an entry of the same name, perhaps a
        // symbolic link, which must not be followed. Parents are processed before their children.
        if gone_dirs.contains(id.index()) {
            continue;
        }
        let dir = table.dir(id)?;
        let relative = dir.path.to_bytes();
        let absolute = root.join(path::to_path(relative));
        // The removal of a directory shows in its parent, which changed too.
        let Ok(entries) = std::fs::read_dir(&absolute) else {
            if !is_removed(&absolute) {
                return Ok(None);
            }
            continue;
        };
        let mut found_rules = [false; rules::NAMES.len()];
        let mut names: Vec<(Vec<u8>, std::fs::FileType)> = Vec::new();
        for entry in entries {
            let Ok(entry) = entry else { return Ok(None) };
            let name = entry.file_name();
            let (Some(name), Ok(kind)) = (<[u8]>::from_os_str(&name), entry.file_type()) else {
                continue;
            };
            if let Some(rule) = rules::NAMES.iter().position(|rule| rule.as_bytes() == name) {
                found_rules[rule] = true;
            }
            if kind.is_file() || kind.is_dir() {
                names.push((name.to_vec(), kind));
            }
        }
        for (rule, found) in rules::NAMES.iter().zip(found_rules) {
            if !is_left_out_dir(&id) && found != known_rules(&absolute, rule) {
                return Ok(None);
            }
        }
        if !scope.contains(&id.0) {
            continue;
        }
        names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let find = |name: &[u8]| names.binary_search_by(|(other, _)| other[..].cmp(name)).ok();
        for file in table.own_files(&dir)? {
            let name = table.file(file)?.name.to_bytes();
            if !find(name).is_some_and(|at| names[at].1.is_file()) {
                gone.insert(file.index());
            }
        }
        let mut known_dirs = Vec::new();
        let mut child = dir.dirs.start + 1;
        while child < dir.dirs.end {
            let below = table.dir(DirId(child))?;
            let name = path::split(below.path.to_bytes()).1;
            if find(name).is_some_and(|at| names[at].1.is_dir()) {
                known_dirs.push(name.to_vec());
            } else {
                below.files.clone().for_each(|file| gone.insert(file as usize));
                below.dirs.clone().for_each(|dir| gone_dirs.insert(dir as usize));
            }
            child = below.dirs.end.max(child + 1);
        }
        known_dirs.sort_unstable();
        if is_left_out_dir(&id) {
            continue;
        }
        let own: Vec<FileId> = table.own_files(&dir)?.collect();
        for (name, kind) in &names {
            if kind.is_dir() {
                let is_in_table = known_dirs.binary_search(name).is_ok();
                if !is_in_table && !is_left_out(&mut matcher, relative, name, true) {
                    let below = path::join(relative, name);
                    let below = walk::walk_below(root, &below, environment, Interrupt::NEVER);
                    // Its rules, and problems in it, are reported by a full walk.
                    let Ok(below) = below else { return Ok(None) };
                    if below.problems > 0 {
                        return Ok(None);
                    }
                    changes.added.extend(below.files);
                }
                continue;
            }
            // Own files are in the order of their names.
            let is_in_table = own
                .binary_search_by(|&file| {
                    table
                        .file(file)
                        .map_or(std::cmp::Ordering::Less, |file| file.name.to_bytes().cmp(name))
                })
                .is_ok();
            if !is_in_table && !is_left_out(&mut matcher, relative, name, false) {
                changes.added.push(path::join(relative, name));
            }
        }
    }
    changes.gone = gone.iter().map(FileId::new).collect();
    changes.added.sort_unstable_by(|a, b| path::compare(a, b));
    changes.added.dedup();
    Ok(Some(changes))
}

fn is_left_out(
    matcher: &mut ignore::IncrementalIgnore,
    dir: &[u8],
    name: &[u8],
    is_dir: bool,
) -> bool {
    let relative = path::to_path(&path::join(dir, name));
    matcher.matched(AsRef::<OsStr>::as_ref(&relative), is_dir).is_ignore()
}

/// Returns true if the directory no longer exists, so that the listing of its parent is sufficient.
fn is_removed(absolute: &Path) -> bool {
    match absolute.symlink_metadata() {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}
