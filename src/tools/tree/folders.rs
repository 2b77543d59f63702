//! The directories of a tree, and the number of their entries that fit into a budget.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::{Entry, TreeReply};
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::file_list::FileList;
use crate::catalog::folders::Folders;
use crate::error::{Error, Result};
use crate::lang::marks::Marks;
use crate::tools::{Call, paths};

/// The maximum number of files whose lines are counted.
const COUNTED_FILES_MAX: usize = 1000;

/// How many bytes at the start of a file are examined to decide whether it is text.
const HEAD_BYTES: usize = 8000;

/// The maximum size of a file whose lines are counted.
const COUNTED_BYTES_MAX: u64 = 1 << 20;

/// How a directory is listed. By default it is collapsed.
#[derive(Clone, Copy, Debug, Default)]
struct Listing {
    /// The marks of its name and of those of its parents, below the directory of the call.
    marks: Marks,
    /// How many of its subdirectories are listed.
    shown_folders: usize,
    /// True if its own files are listed.
    shows_own: bool,
}

impl Listing {
    fn is_closed(&self) -> bool {
        self.shown_folders == 0 && !self.shows_own
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

/// The directories below the one of a call, and which of them are expanded.
pub(super) struct FolderView<'a> {
    call: &'a Call<'a>,
    list: &'a FileList,
    folders: &'a Folders,
    /// The directory of the call.
    root: usize,
    /// The directories that were considered; the others are collapsed.
    listings: FxHashMap<usize, Listing>,
    /// The last error of the code index.
    error: Cell<Option<Error>>,
}

impl FolderView<'_> {
    /// Returns the directories below `path`, all collapsed. O(log files), after the directories of the
    /// tree were collected once.
    ///
    /// # Errors
    ///
    /// Those of [`crate::catalog::code::Code::folders`].
    pub(super) fn new<'a>(
        call: &'a Call<'a>,
        list: &'a FileList,
        path: &[u8],
    ) -> Result<FolderView<'a>> {
        let folders = call.code.folders()?;
        // The caller has checked that there are files below the path.
        let root = folders.find(list, path).unwrap_or(0);
        // A vendored directory that is the root of the call is shown like any other.
        let listings = FxHashMap::from_iter([(root, Listing::default())]);
        Ok(FolderView { call, list, folders, root, listings, error: Cell::new(None) })
    }

    /// Returns the error of the code index, if there was one: then facts about files are missing.
    ///
    /// # Errors
    ///
    /// This error.
    pub(super) fn check(&self) -> Result<()> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Returns how many subdirectories the directory of the call has, and how many own files.
    pub(super) fn entries(&self) -> (usize, usize) {
        (self.folders.inner(self.root).len(), self.folders.own(self.root).len())
    }

    /// Returns how many subdirectories and how many own files of the directory of the call are not
    /// listed, if any.
    pub(super) fn left_out(&self) -> (Option<usize>, Option<usize>) {
        let folders = self.entries().0 - self.listing(self.root).shown_folders;
        (Some(folders).filter(|&count| count > 0), self.files_left_out(self.root))
    }

    /// Returns how many of the own files of a directory are not listed, if any.
    fn files_left_out(&self, id: usize) -> Option<usize> {
        let own = self.folders.own(id).len();
        Some(own).filter(|&files| files > 0 && !self.listing(id).shows_own)
    }

    fn listing(&self, id: usize) -> Listing {
        self.listings.get(&id).copied().unwrap_or_default()
    }

    /// Returns the subdirectories of a directory as they are listed, with their marks: instead of a
    /// directory that contains nothing but another one, the innermost of these.
    fn inner(&self, id: usize) -> impl Iterator<Item = (usize, Marks)> {
        let marks = self.listing(id).marks;
        self.folders.inner(id).iter().map(move |&inner| {
            let mut inner = inner as usize;
            let mut marks = marks.union(self.folders.get(inner).marks);
            while let [only] = self.folders.inner(inner)
                && self.folders.own(inner).is_empty()
            {
                inner = *only as usize;
                marks = marks.union(self.folders.get(inner).marks);
            }
            (inner, marks)
        })
    }

    /// Expands directories, level by level, until their entries take `left` bytes. For the root, as
    /// many subdirectories are listed as fit; others are expanded completely or not at all.
    pub(super) fn open(&mut self, mut left: usize, depth_max: usize) {
        let mut level = vec![self.root];
        for depth in 0..depth_max {
            let mut costs: Vec<(usize, usize, usize)> = level
                .iter()
                .filter(|&&id| !self.listing(id).marks.ranks_last())
                .map(|&id| {
                    let (folders, fitting) = self.folders_cost(id, depth, left);
                    let is_all = fitting == self.folders.inner(id).len();
                    let folders = if is_all { folders } else { usize::MAX };
                    (folders.saturating_add(self.own_cost(id, depth, left)), folders, id)
                })
                .collect();
            // The ids follow the order of paths.
            costs.sort_unstable();
            level.clear();
            for (all, folders, id) in costs {
                let count = self.folders.inner(id).len();
                let (cost, shown) = if all <= left {
                    (all, count)
                } else if folders <= left {
                    (folders, count)
                } else if id == self.root {
                    self.folders_cost(id, depth, left)
                } else {
                    continue;
                };
                left -= cost;
                let listing = self.listings.entry(id).or_default();
                (listing.shown_folders, listing.shows_own) = (shown, all == cost);
                let inner: Vec<(usize, Marks)> = self.inner(id).take(shown).collect();
                for (inner, marks) in inner {
                    self.listings.insert(inner, Listing { marks, ..Listing::default() });
                    level.push(inner);
                }
            }
            if level.is_empty() {
                return;
            }
        }
    }

    /// Returns the cost of the entries of the subdirectories that fit, and their number.
    fn folders_cost(&self, id: usize, depth: usize, left: usize) -> (usize, usize) {
        let (mut cost, mut count, from) = (0, 0, self.text_from(id));
        for (inner, marks) in self.inner(id) {
            let mut entry =
                self.folder_entry(inner, depth, Listing { marks, ..Listing::default() });
            entry.files_left_out = Some(self.folders.own(inner).len());
            let more = entry.bytes(from);
            if cost + more > left {
                break;
            }
            (cost, count) = (cost + more, count + 1);
        }
        (cost, count)
    }

    /// Returns the cost of the entries of a directory's own files; stops as soon as it exceeds
    /// `left`.
    fn own_cost(&self, id: usize, depth: usize, left: usize) -> usize {
        let (mut cost, from) = (0_usize, self.text_from(id));
        for &at in self.folders.own(id) {
            cost += self.file_entry(at as usize, depth, Lines::Estimated).bytes(from);
            if cost > left {
                return usize::MAX;
            }
        }
        cost
    }

    /// Returns where the names of a directory's entries begin in their paths.
    fn text_from(&self, id: usize) -> usize {
        let path = paths::shown(self.folders.path(self.list, id));
        if path.is_empty() { 0 } else { path.len() + 1 }
    }

    /// Adds the listed entries, in path order.
    pub(super) fn list(&self, found: &mut TreeReply) {
        self.list_below(self.root, 0, found);
    }

    /// Adds the entries of a directory and of its subdirectories.
    fn list_below(&self, id: usize, depth: usize, found: &mut TreeReply) {
        let listing = self.listing(id);
        for (inner, _) in self.inner(id).take(listing.shown_folders) {
            let mut entry = self.folder_entry(inner, depth, self.listing(inner));
            entry.files_left_out = self.files_left_out(inner).filter(|_| !entry.closed);
            found.entries.push(entry);
            self.list_below(inner, depth + 1, found);
        }
        for &at in self.folders.own(id).iter().filter(|_| listing.shows_own) {
            found.shown += 1;
            let counts = found.shown <= COUNTED_FILES_MAX;
            let lines = if counts { Lines::Counted } else { Lines::Indexed };
            found.entries.push(self.file_entry(at as usize, depth, lines));
        }
    }

    /// Returns the entry of a directory, without the number of files that are left out.
    fn folder_entry(&self, id: usize, depth: usize, listing: Listing) -> Entry {
        let folder = self.folders.get(id);
        Entry {
            path: format!("{}/", paths::shown(self.folders.path(self.list, id))),
            depth,
            files: Some(folder.files),
            files_left_out: None,
            closed: listing.is_closed(),
            languages: folder.languages.clone(),
            language: None,
            lines: None,
            symbols: None,
            marks: listing.marks,
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
            language: self.folders.language(at),
            lines,
            symbols: known.filter(|of| of.symbols > 0).map(|of| of.symbols as usize),
            marks: self.folders.marks(at),
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
