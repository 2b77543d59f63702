//! Lists the files that ripgrep would search by default, with the `ignore` crate, in parallel.
//!
//! Counts excluded entries by reason, and records the metadata of the sources of ignore rules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use bstr::ByteSlice;
use ignore::{WalkBuilder, WalkState};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use super::environment::Environment;
use super::rule_files::{self, Refused, WalkStart};
use super::rules::{self, Source};
use super::stamp::Stamp;
use crate::base::interrupt::Interrupt;
use crate::base::path;
use crate::error::{Error, Kind, Result};

/// Reason why an entry of a walked directory was excluded.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Skipped {
    /// The name starts with a dot.
    Hidden,
    /// An ignore rule matches.
    Ignored,
    /// A symbolic link, which ripgrep does not follow by default.
    Symlink,
    /// A device, socket or pipe.
    Special,
    /// The directory could not be listed.
    Unreadable,
    /// The name cannot be represented on this platform.
    Name,
}

impl Skipped {
    /// Returns its name, as it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Skipped::Hidden => "hidden",
            Skipped::Ignored => "ignored",
            Skipped::Symlink => "symlink",
            Skipped::Special => "special",
            Skipped::Unreadable => "unreadable",
            Skipped::Name => "name",
        }
    }
}

/// The files and directories of a tree, as ripgrep would list them.
#[derive(Debug, Default)]
pub struct Tree {
    /// Repository paths of the files, in path order.
    pub files: Vec<Vec<u8>>,
    /// Those of `files` that the walk left out and [`Tree::add_tracked`] added, in path order.
    pub tracked: Vec<Vec<u8>>,
    /// The directories that were entered, the root (an empty path) first, in path order.
    pub dirs: Vec<WalkedDir>,
    /// The sources of the ignore rules.
    pub sources: Vec<Source>,
    /// The path of git's global excludes file, whose rules the walk applied. If the configuration
    /// changed meanwhile, one of the sources counts as changed.
    pub excludes_path: Option<PathBuf>,
    /// Number of excluded entries, by reason; an excluded directory counts as one.
    pub skipped: BTreeMap<Skipped, u64>,
    /// Number of problems that a search reports (an unreadable directory, an invalid glob, an ignore
    /// file that is not read).
    pub problems: u64,
}

/// A directory that was entered.
#[derive(Clone, Debug)]
pub struct WalkedDir {
    /// Repository path.
    pub path: Vec<u8>,
    /// Its stamp, or [`Stamp::NEVER`] if it changed during the walk.
    pub stamp: Stamp,
    /// The walk left it out; it contains files that [`Tree::add_tracked`] added.
    pub is_tracked: bool,
}

impl Tree {
    /// Adds what the walk left out: files, in path order, which exist, and directories, among them
    /// those of the files. The path of none leads through a symbolic link. O(files).
    pub fn add_tracked(&mut self, root: &Path, left_out: LeftOut, started_at: SystemTime) {
        let LeftOut { files, mut dirs } = left_out;
        let known =
            |dir: &[u8]| self.dirs.binary_search_by(|of| path::compare(&of.path, dir)).is_ok();
        dirs.retain(|dir| !known(dir));
        self.dirs.extend(dirs.into_iter().map(|path| {
            let metadata = std::fs::symlink_metadata(root.join(path::to_path(&path)));
            let stamp = metadata.map(|of| Stamp::of(&of).unless_racy(started_at));
            WalkedDir { path, stamp: stamp.unwrap_or(Stamp::NEVER), is_tracked: true }
        }));
        self.dirs.sort_unstable_by(|a, b| path::compare(&a.path, &b.path));
        self.files.extend(files.iter().cloned());
        self.files.par_sort_unstable_by(|a, b| path::compare(a, b));
        self.tracked = files;
    }
}

/// Files that a walk leaves out and git tracks, and the directories in which there may be some.
#[derive(Clone, Debug, Default)]
pub struct LeftOut {
    /// Repository paths of the files, in path order.
    pub files: Vec<Vec<u8>>,
    /// Repository paths of directories, in any order; the walk may have entered some.
    pub dirs: Vec<Vec<u8>>,
}

/// Walks the tree at `root`, an absolute path. O(entries), in parallel.
///
/// # Errors
///
/// If `root` cannot be read as a directory.
pub fn walk(root: &Path, environment: &Environment) -> Result<Tree> {
    let started_at = SystemTime::now();
    // Read before the walk, so that a source that is removed during the walk differs from the
    // record.
    let excludes_path = environment.excludes_path();
    let outside = rules::outside(root, environment, excludes_path.as_deref(), started_at);
    let mut tree = walk_below(root, b"", environment, Interrupt::NEVER)?;
    inspect_dirs(root, &mut tree, started_at);
    tree.sources.extend(outside.into_iter().map(Source::unless_touched));
    tree.excludes_path = excludes_path;
    Ok(tree)
}

/// Walks only the directory `below` of `root`, without sources and counts.
///
/// # Errors
///
/// As [`walk`]; [`Kind::Cancelled`] if it was interrupted.
pub fn walk_below(
    root: &Path,
    below: &[u8],
    environment: &Environment,
    interrupt: Interrupt<'_>,
) -> Result<Tree> {
    let started_at = SystemTime::now();
    let start = root.join(path::to_path(below));
    std::fs::read_dir(&start).map_err(|error| Error::io(&start, error))?;
    let parts = Mutex::new(Vec::new());
    let make = |closed: &WalkStart| builder(&closed.path, root, environment, closed.refused);
    let closed = rule_files::walk_each(&start, Refused::default(), make, |walk| {
        walk.build_parallel().run(|| {
            let mut part = Part { tree: Tree::default(), parts: &parts };
            Box::new(move |entry| {
                part.visit(root, entry, started_at);
                if interrupt.is_due() { WalkState::Quit } else { WalkState::Continue }
            })
        });
    });
    if interrupt.is_due() {
        return Err(Error::new(Kind::Cancelled, "the walk of the tree was interrupted"));
    }
    let mut tree = Tree { problems: closed.len() as u64, ..Tree::default() };
    for part in parts.into_inner().expect("no visitor panics while it holds the lock") {
        tree.files.extend(part.files);
        tree.dirs.extend(part.dirs);
        tree.problems += part.problems;
        for (reason, count) in part.skipped {
            *tree.skipped.entry(reason).or_default() += count;
        }
    }
    tree.files.par_sort_unstable_by(|a, b| path::compare(a, b));
    tree.dirs.par_sort_unstable_by(|a, b| path::compare(&a.path, &b.path));
    // A listing can contain an entry twice that is replaced by a rename meanwhile.
    tree.files.dedup();
    tree.dirs.dedup_by(|a, b| a.path == b.path);
    Ok(tree)
}

/// Returns a walk with ripgrep's default settings, from `start`, that does not read the `refused`
/// kinds of ignore files.
pub fn builder(
    start: &Path,
    current_dir: &Path,
    environment: &Environment,
    refused: Refused,
) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    builder
        .threads(environment.threads.max(1))
        .ignore(!refused.ignore())
        .git_ignore(!refused.gitignore())
        .git_exclude(!refused.git_exclude())
        .git_global(environment.excludes_path().is_none_or(|path| rule_files::is_readable(&path)))
        .current_dir(current_dir);
    if !refused.rgignore() {
        builder.add_custom_ignore_filename(".rgignore");
    }
    builder
}

/// Returns a matcher for paths below `root` of the rules with which a user leaves files out of
/// searches: `.ignore` and `.rgignore`, not git's rules, and not that hidden files are left out.
pub fn search_rules(root: &Path, environment: &Environment) -> ignore::IncrementalIgnore {
    let mut builder = builder(root, root, environment, rule_files::refused_above(root));
    builder.hidden(false).git_ignore(false).git_exclude(false).git_global(false);
    builder.build_matchers().remove(0)
}

/// The results of one visitor thread, merged when the visitor is dropped.
struct Part<'a> {
    tree: Tree,
    parts: &'a Mutex<Vec<Tree>>,
}

impl Part<'_> {
    fn visit(
        &mut self,
        root: &Path,
        entry: std::result::Result<ignore::DirEntry, ignore::Error>,
        started_at: SystemTime,
    ) {
        let Ok(entry) = entry else {
            self.tree.problems += 1;
            return;
        };
        self.tree.problems += u64::from(entry.error().is_some());
        let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let Some(relative) = path::from_path(relative) else {
            *self.tree.skipped.entry(Skipped::Name).or_default() += 1;
            return;
        };
        let Some(kind) = entry.file_type() else { return };
        if kind.is_dir() {
            let stamp = match entry.metadata() {
                Ok(metadata) => Stamp::of(&metadata).unless_racy(started_at),
                Err(_) => Stamp::NEVER,
            };
            self.tree.dirs.push(WalkedDir { path: relative, stamp, is_tracked: false });
        } else if kind.is_file() {
            self.tree.files.push(relative);
        }
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if let Ok(mut parts) = self.parts.lock() {
            parts.push(std::mem::take(&mut self.tree));
        }
    }
}

/// Lists each directory once more for what the walker does not report: its ignore files, and why
/// entries were excluded.
fn inspect_dirs(root: &Path, tree: &mut Tree, started_at: SystemTime) {
    let Tree { files, dirs, .. } = &*tree;
    let inspected: Vec<(Vec<Source>, BTreeMap<Skipped, u64>)> = dirs
        .par_iter()
        .map(|dir| {
            let mut skipped = BTreeMap::new();
            let mut names = Vec::new();
            let absolute = root.join(path::to_path(&dir.path));
            let Ok(entries) = std::fs::read_dir(&absolute) else {
                skipped.insert(Skipped::Unreadable, 1);
                // Its rules are unknown, so the directory is compared again each time.
                return (vec![Source::never(absolute)], skipped);
            };
            let mut is_listed = true;
            for entry in entries {
                let Ok(entry) = entry else {
                    is_listed = false;
                    continue;
                };
                let name = entry.file_name();
                let Some(name) = <[u8]>::from_os_str(&name) else { continue };
                names.extend(rules::NAMES.iter().find(|rule| rule.as_bytes() == name));
                let child = path::join(&dir.path, name);
                let Ok(kind) = entry.file_type() else { continue };
                let kept = if kind.is_dir() {
                    dirs.binary_search_by(|dir| path::compare(&dir.path, &child)).is_ok()
                } else {
                    files.binary_search_by(|file| path::compare(file, &child)).is_ok()
                };
                if kept {
                    continue;
                }
                let reason = if kind.is_symlink() {
                    Skipped::Symlink
                } else if !kind.is_dir() && !kind.is_file() {
                    Skipped::Special
                } else if name.starts_with(b".") {
                    Skipped::Hidden
                } else {
                    Skipped::Ignored
                };
                *skipped.entry(reason).or_default() += 1;
            }
            names.sort_unstable();
            let mut sources = rules::in_dir(&absolute, &names, started_at);
            if !is_listed {
                sources.push(Source::never(absolute));
            }
            (sources, skipped)
        })
        .collect();
    for (sources, skipped) in inspected {
        tree.sources.extend(sources);
        for (reason, count) in skipped {
            *tree.skipped.entry(reason).or_default() += count;
        }
    }
}
