//! The directories of a tree, and the number of their entries that fit into a budget.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::{Entry, TreeReply};
use crate::base::ids::FileId;
use crate::base::{path, text};
use crate::catalog::file_list::FileList;
use crate::error::{Error, Result};
use crate::lang::marks::{self, Marks};
use crate::tools::{Call, paths};

/// The maximum number of languages that are listed for a directory.
const LANGUAGES_MAX: usize = 3;

/// The maximum number of files whose lines are counted.
const COUNTED_FILES_MAX: usize = 1000;

/// How many bytes at the start of a file are examined to decide whether it is text.
const HEAD_BYTES: usize = 8000;

/// The maximum size of a file whose lines are counted.
const COUNTED_BYTES_MAX: u64 = 1 << 20;

/// A directory of the tree.
pub(super) struct Folder {
    /// Its repository path; for a chain of directories with one entry each, that of the last one.
    path: Vec<u8>,
    pub(super) folders: Vec<usize>,
    /// The indices of its own files.
    pub(super) own: Vec<usize>,
    /// Files below it.
    files: usize,
    languages: BTreeMap<&'static str, usize>,
    marks: Marks,
    /// How many of its subdirectories are listed.
    pub(super) shown_folders: usize,
    /// True if its own files are listed.
    shows_own: bool,
}

impl Folder {
    fn is_closed(&self) -> bool {
        self.shown_folders == 0 && !self.shows_own
    }

    /// Returns how many of its own files are not listed, if any.
    pub(super) fn files_left_out(&self) -> Option<usize> {
        Some(self.own.len()).filter(|&files| files > 0 && !self.shows_own)
    }
}

/// The source of the number of lines of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Lines {
    /// An upper bound, for the cost estimate.
    Estimated,
    /// The number, counted.
    Counted,
    /// The number in the index.
    Indexed,
}

/// The directories of a tree; the first one is its root.
pub(super) struct Folders<'a> {
    call: &'a Call<'a>,
    list: &'a FileList,
    pub(super) all: Vec<Folder>,
    /// The last error of the code index.
    error: Cell<Option<Error>>,
}

impl Folders<'_> {
    /// Returns the directories of the files `range`, all collapsed. O(files).
    pub(super) fn new<'a>(
        call: &'a Call<'a>,
        list: &'a FileList,
        root: &[u8],
        range: Range<usize>,
    ) -> Folders<'a> {
        let folder = |path: &[u8], marks: Marks| Folder {
            path: path.to_vec(),
            folders: Vec::new(),
            own: Vec::new(),
            files: 0,
            languages: BTreeMap::new(),
            marks,
            shown_folders: 0,
            shows_own: false,
        };
        // A vendored directory that is the root of the call is shown like any other.
        let mut all = vec![folder(root, Marks::default())];
        let mut open = vec![0];
        for at in range {
            let file = list.path(at);
            let dir = path::split(file).0;
            while open.len() > 1 && !path::is_within(dir, &all[open[open.len() - 1]].path) {
                open.pop();
            }
            let mut inner = open[open.len() - 1];
            while all[inner].path.len() < dir.len() {
                let from = all[inner].path.len();
                let from = from + usize::from(from > 0);
                let len = dir[from..].iter().position(|&byte| byte == b'/');
                let end = len.map_or(dir.len(), |len| from + len);
                let marks = all[inner].marks.union(marks::of_directory(&dir[from..end]));
                all.push(folder(&dir[..end], marks));
                let id = all.len() - 1;
                all[inner].folders.push(id);
                open.push(id);
                inner = id;
            }
            all[inner].own.push(at);
            let language = paths::language(file).map(|found| found.name);
            for &id in &open {
                all[id].files += 1;
                if let Some(language) = language {
                    *all[id].languages.entry(language).or_default() += 1;
                }
            }
        }
        let mut folders = Folders { call, list, all, error: Cell::new(None) };
        folders.join_chains();
        folders
    }

    /// Returns the error of the code index, if there was one: then facts about files are missing.
    ///
    /// # Errors
    ///
    /// This error.
    pub(super) fn check(&self) -> Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Merges directories that contain nothing but one directory, below the root.
    fn join_chains(&mut self) {
        for id in 0..self.all.len() {
            for at in 0..self.all[id].folders.len() {
                let mut child = self.all[id].folders[at];
                while let Folder { folders, own, .. } = &self.all[child]
                    && own.is_empty()
                    && folders.len() == 1
                {
                    child = folders[0];
                }
                self.all[id].folders[at] = child;
            }
        }
    }

    /// Expands directories, level by level, until their entries take `left` bytes. For the root, as
    /// many subdirectories are listed as fit; others are expanded completely or not at all.
    pub(super) fn open(&mut self, mut left: usize, depth_max: usize) {
        let mut level = vec![0];
        for depth in 0..depth_max {
            let mut costs: Vec<(usize, usize, usize)> = level
                .iter()
                .filter(|&&id| !self.all[id].marks.ranks_last())
                .map(|&id| {
                    let (folders, fitting) = self.folders_cost(id, depth, left);
                    let is_all = fitting == self.all[id].folders.len();
                    let folders = if is_all { folders } else { usize::MAX };
                    (folders.saturating_add(self.own_cost(id, depth, left)), folders, id)
                })
                .collect();
            // The ids follow the order of paths.
            costs.sort_unstable();
            level.clear();
            for (all, folders, id) in costs {
                let count = self.all[id].folders.len();
                let (cost, shown) = if all <= left {
                    (all, count)
                } else if folders <= left {
                    (folders, count)
                } else if id == 0 {
                    self.folders_cost(id, depth, left)
                } else {
                    continue;
                };
                left -= cost;
                let folder = &mut self.all[id];
                (folder.shown_folders, folder.shows_own) = (shown, all == cost);
                level.extend(&folder.folders[..shown]);
            }
            if level.is_empty() {
                return;
            }
        }
    }

    /// Returns the cost of the entries of the subdirectories that fit, and their number.
    fn folders_cost(&self, id: usize, depth: usize, left: usize) -> (usize, usize) {
        let (mut cost, from) = (0, self.text_from(id));
        for (count, &inner) in self.all[id].folders.iter().enumerate() {
            let mut entry = self.folder_entry(inner, depth);
            (entry.closed, entry.files_left_out) = (true, Some(self.all[inner].own.len()));
            let more = entry.bytes(from);
            if cost + more > left {
                return (cost, count);
            }
            cost += more;
        }
        (cost, self.all[id].folders.len())
    }

    /// Returns the cost of the entries of a directory's own files; stops as soon as it exceeds
    /// `left`.
    fn own_cost(&self, id: usize, depth: usize, left: usize) -> usize {
        let (mut cost, from) = (0_usize, self.text_from(id));
        for &at in &self.all[id].own {
            cost += self.file_entry(at, depth, Lines::Estimated).bytes(from);
            if cost > left {
                return usize::MAX;
            }
        }
        cost
    }

    /// Returns where the names of a directory's entries begin in their paths.
    fn text_from(&self, id: usize) -> usize {
        let path = paths::shown(&self.all[id].path);
        if path.is_empty() { 0 } else { path.len() + 1 }
    }

    /// Adds the entries of a directory and of its subdirectories, in path order.
    pub(super) fn list(&self, id: usize, depth: usize, found: &mut TreeReply) {
        let folder = &self.all[id];
        for &inner in &folder.folders[..folder.shown_folders] {
            found.entries.push(self.folder_entry(inner, depth));
            self.list(inner, depth + 1, found);
        }
        for &at in folder.own.iter().filter(|_| folder.shows_own) {
            found.shown += 1;
            let counts = found.shown <= COUNTED_FILES_MAX;
            let lines = if counts { Lines::Counted } else { Lines::Indexed };
            found.entries.push(self.file_entry(at, depth, lines));
        }
    }

    fn folder_entry(&self, id: usize, depth: usize) -> Entry {
        let folder = &self.all[id];
        let mut languages: Vec<(&'static str, usize)> =
            folder.languages.iter().map(|(&name, &files)| (name, files)).collect();
        languages.sort_by_key(|&(name, files)| (std::cmp::Reverse(files), name));
        languages.truncate(LANGUAGES_MAX);
        Entry {
            path: format!("{}/", paths::shown(&folder.path)),
            depth,
            files: Some(folder.files),
            files_left_out: folder.files_left_out().filter(|_| !folder.is_closed()),
            closed: folder.is_closed(),
            languages,
            language: None,
            lines: None,
            symbols: None,
            marks: folder.marks,
        }
    }

    fn file_entry(&self, at: usize, depth: usize, lines: Lines) -> Entry {
        let (path, size_bytes) = (self.list.path(at), self.list.info(at).size_bytes);
        let known = self.call.code.indexed().and_then(|known| known.summary(FileId::new(at)));
        let known = known.unwrap_or_else(|error| {
            self.error.set(Some(error));
            None
        });
        // Binary files have no lines.
        let is_text = |lines: u32| lines > 0 || size_bytes == 0;
        let known_lines = known.map(|of| of.lines).filter(|&lines| is_text(lines));
        let known_lines = known_lines.map(|lines| lines as usize);
        let is_short = known.is_none() && size_bytes <= COUNTED_BYTES_MAX;
        let lines = match lines {
            Lines::Estimated if is_short => Some(size_bytes as usize),
            Lines::Counted if is_short => self.count_lines(path),
            _ => known_lines,
        };
        Entry {
            path: paths::shown(path),
            depth,
            files: None,
            files_left_out: None,
            closed: false,
            languages: Vec::new(),
            language: paths::language(path).map(|found| found.name),
            lines,
            symbols: known.filter(|of| of.symbols > 0).map(|of| of.symbols as usize),
            marks: marks::of_path(path),
        }
    }

    /// Returns the number of lines of a file; `None` if it is not text, cannot be read or is not
    /// served. O(file).
    fn count_lines(&self, path: &[u8]) -> Option<usize> {
        let content = self.call.code.read(path, COUNTED_BYTES_MAX).ok()?;
        let bytes = content.original();
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        if text::is_utf16(head) || !text::is_text(head) {
            return None;
        }
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        Some(ends + usize::from(bytes.last().is_some_and(|&last| last != b'\n')))
    }
}
