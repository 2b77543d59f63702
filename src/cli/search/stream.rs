//! Lists the targets of a request one at a time, while they are searched: the first results come
//! before the walk ends, and memory does not grow with the number of files.
//!
//! The order is that of [`targets::list`](super::targets::list), which walks with all threads and
//! sorts what it found. With several threads that is faster: it reads the ignore files that the
//! listing of a directory has, while a walk in order looks for each of them in each directory.

use std::path::PathBuf;

use super::args::SortBy;
use super::request::Request;
use super::targets::{Item, Listing, is_file};
use super::walker::WalkRules;
use crate::source::rule_files::{OrderedWalk, Step};

/// The items of a request in order.
#[derive(Debug)]
pub(crate) struct Stream<'a> {
    rules: &'a WalkRules<'a>,
    /// The paths to list next.
    paths: &'a [PathBuf],
    walk: Option<OrderedWalk>,
    /// Its items wait, the next one last.
    listing: Listing<'a>,
}

impl<'a> Stream<'a> {
    /// Returns the items of a request; `None` if they must be listed before the search, for another
    /// order or for several threads.
    pub(crate) fn new(request: &'a Request, rules: &'a WalkRules<'a>) -> Option<Stream<'a>> {
        let is_ordered = request.sort.is_none_or(|sort| sort.by == SortBy::Path && !sort.reverse);
        let (paths, listing) = (&*request.scope.paths, Listing::new(request));
        (is_ordered && request.threads == 1).then_some(Stream { rules, paths, walk: None, listing })
    }

    /// Starts with the next path, or with several that are files; returns false if there is none.
    fn start(&mut self) -> bool {
        let files = self.paths.iter().take_while(|path| is_file(path)).count();
        let (now, later) = self.paths.split_at(files.max(1).min(self.paths.len()));
        self.paths = later;
        match now {
            [] => return false,
            [dir] if files == 0 => self.walk = Some(OrderedWalk::new(dir, self.rules.unread())),
            now => self.listing.add_files(self.rules, now),
        }
        true
    }

    /// Takes one step of the walk; ends it after the last.
    fn advance(&mut self) {
        let Stream { rules, walk, listing, .. } = self;
        let step = walk.as_mut().and_then(|walk| walk.step(&mut |from| listing.walk(rules, from)));
        match step {
            Some(Step::Entry(entry)) => listing.add_entry(entry),
            Some(Step::Refused(start)) => listing.add_refused(&start),
            None => *walk = None,
        }
    }
}

impl Iterator for Stream<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.listing.items.pop() {
                return Some(item);
            }
            if self.walk.is_some() {
                self.advance();
            } else if !self.start() {
                return None;
            }
            self.listing.items.reverse();
        }
    }
}
