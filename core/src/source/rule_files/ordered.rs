//! A walk in the order of paths that does not read the ignore files which are refused, one entry at
//! a time: its memory is that of the open directories and of the entries of each.

use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, Walk, WalkBuilder};

use super::{Refused, WalkStart, refused_above};

/// One step of an [`OrderedWalk`].
#[derive(Debug)]
pub enum Step {
    /// An entry, or an error of the walk.
    Entry(Result<DirEntry, ignore::Error>),
    /// A directory with ignore files that are refused; its entries follow.
    Refused(WalkStart),
}

/// A walk of one directory, as [`super::walk_each`] does it, in the order of paths.
#[derive(Debug, Default)]
pub struct OrderedWalk {
    /// The open walks, each of a directory that the one before did not enter.
    open: Vec<OpenWalk>,
    /// Directories to walk next, the first one last.
    starts: Vec<(WalkStart, bool)>,
}

struct OpenWalk {
    walk: Walk,
    /// The directories that the last step did not enter.
    closed: Arc<Mutex<Vec<WalkStart>>>,
    /// The result of that step.
    pending: Option<Option<Result<DirEntry, ignore::Error>>>,
}

impl std::fmt::Debug for OpenWalk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenWalk").finish_non_exhaustive()
    }
}

impl OrderedWalk {
    /// Returns the walk of `start`. Kinds in `unread` are not read anyway.
    pub fn new(start: &std::path::Path, unread: Refused) -> OrderedWalk {
        let refused = unread.with(refused_above(start));
        let start = WalkStart::new(start, refused);
        OrderedWalk { open: Vec::new(), starts: vec![(start, refused != unread)] }
    }

    /// Returns the next step; `None` after the last. `make` returns a walk of a directory that does
    /// not read the kinds which are refused there.
    pub fn step(&mut self, make: &mut dyn FnMut(&WalkStart) -> WalkBuilder) -> Option<Step> {
        loop {
            if let Some((start, is_closed)) = self.starts.pop() {
                self.open.push(OpenWalk::new(&start, make(&start)));
                if is_closed {
                    return Some(Step::Refused(start));
                }
            }
            let last = self.open.last_mut()?;
            let entry = match last.pending.take() {
                Some(entry) => entry,
                None => last.walk.next(),
            };
            let closed =
                std::mem::take(&mut *last.closed.lock().unwrap_or_else(PoisonError::into_inner));
            if !closed.is_empty() {
                // They come before the entry.
                last.pending = Some(entry);
                self.starts.extend(closed.into_iter().rev().map(|start| (start, true)));
                continue;
            }
            match entry {
                Some(entry) => return Some(Step::Entry(entry)),
                None => drop(self.open.pop()),
            }
        }
    }
}

impl OpenWalk {
    fn new(start: &WalkStart, mut builder: WalkBuilder) -> OpenWalk {
        let closed = Arc::new(Mutex::new(Vec::new()));
        let (found, depth, refused) = (Arc::clone(&closed), start.depth, start.refused);
        builder.filter_entry(move |entry| {
            let Some(here) = super::closed_at(entry, depth, refused) else { return true };
            found.lock().unwrap_or_else(PoisonError::into_inner).push(here);
            false
        });
        // Names as bytes, as the order of results compares them.
        builder.sort_by_file_name(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
        OpenWalk { walk: builder.build(), closed, pending: None }
    }
}
