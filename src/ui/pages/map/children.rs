//! What is in a folder, as ranges of files.

use std::ops::Range;

use super::sizes::Sizes;
use crate::catalog::file_list::FileList;
use crate::catalog::folders::Folders;
use crate::source::secret;
use crate::tools::paths;

/// The share of the lines of a folder from which one in it is shown by its parts.
const DOMINANT: f64 = 0.6;

/// The greatest number of parts that are shown so: a folder of many small files says more as a whole.
const PARTS_MAX: usize = 120;

/// A file or a folder in another folder.
#[derive(Clone, Debug)]
pub(super) struct Child<'a> {
    /// Its repository path.
    pub(super) path: &'a [u8],
    /// Where its path below the folder that is shown begins.
    pub(super) from: usize,
    /// The files in it, as places in the list of files.
    pub(super) files: Range<usize>,
    /// Its id, if it is a folder.
    pub(super) folder: Option<usize>,
    /// Its lines.
    pub(super) lines: u64,
}

impl Child<'_> {
    /// Returns its repository path, without secrets.
    pub(super) fn path(&self) -> String {
        secret::redacted(paths::shown(self.path))
    }

    /// Returns its path below the folder that is shown, without secrets.
    pub(super) fn name(&self) -> String {
        secret::redacted(paths::shown(&self.path[self.from.min(self.path.len())..]))
    }
}

/// The folders of a state of the tree.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    pub(super) list: &'a FileList,
    pub(super) folders: &'a Folders,
    pub(super) sizes: &'a Sizes,
}

impl<'a> Tree<'a> {
    /// Returns what is in a folder, the most lines first, then by path. Instead of a folder with nothing but
    /// another one in it, that is returned. O(children log children).
    pub(super) fn children(&self, id: usize) -> Vec<Child<'a>> {
        self.children_from(id, self.from(id))
    }

    /// Returns what is in a folder as its children. Those of which one has most of the lines are replaced by
    /// what is in it, so that a picture shows its parts. O(children log children).
    pub(super) fn content(&self, id: usize) -> Vec<Child<'a>> {
        let (from, total) =
            (self.from(id), self.sizes.lines(&self.list.below(self.folders.path(self.list, id))));
        let mut content = self.children_from(id, from);
        while let Some(first) = content.first()
            && let Some(folder) = first.folder
            && first.lines as f64 >= total as f64 * DOMINANT
            && self.folders.inner(folder).len() + self.folders.own(folder).len() <= PARTS_MAX
        {
            content.splice(..1, self.children_from(folder, from));
            sort(&mut content);
        }
        content
    }

    /// Returns where the names of what is in a folder begin in their paths.
    fn from(&self, id: usize) -> usize {
        let len = self.folders.path(self.list, id).len();
        if len == 0 { 0 } else { len + 1 }
    }

    fn children_from(&self, id: usize, from: usize) -> Vec<Child<'a>> {
        let inner = self.folders.inner(id).iter().map(|&inner| {
            let mut inner = inner as usize;
            while let [only] = self.folders.inner(inner)
                && self.folders.own(inner).is_empty()
            {
                inner = *only as usize;
            }
            let path = self.folders.path(self.list, inner);
            self.child(path, from, self.list.below(path), Some(inner))
        });
        let own = self.folders.own(id).iter().map(|&at| {
            let at = at as usize;
            self.child(self.list.path(at), from, at..at + 1, None)
        });
        let mut children: Vec<Child<'a>> = inner.chain(own).collect();
        children
            .sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.files.start.cmp(&b.files.start)));
        children
    }

    fn child(
        &self,
        path: &'a [u8],
        from: usize,
        files: Range<usize>,
        folder: Option<usize>,
    ) -> Child<'a> {
        let lines = self.sizes.lines(&files);
        Child { path, from, files, folder, lines }
    }
}

fn sort(children: &mut [Child<'_>]) {
    children.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.files.start.cmp(&b.files.start)));
}
