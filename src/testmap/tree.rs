//! The interface of the test graph to a tree: the linker's, and what it needs of files.

use std::sync::Arc;

use super::collected::Configured;
use super::kept::Kept;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::test_names::{parts, tested};
use crate::graph::link::Code;
use crate::graph::program::Program;
use crate::lang::marks;

/// A tree with its code.
pub trait Tree: Code {
    /// Returns the number of files.
    fn files(&self) -> usize;

    /// Returns a file's repository path.
    fn path(&self, file: FileId) -> String;

    /// Returns the file of a repository path.
    fn find(&self, path: &str) -> Option<FileId>;

    /// Returns the files below a folder, without its slash, in path order; all for the empty one.
    fn below(&self, folder: &str) -> Vec<FileId> {
        let path = |file| self.path(file);
        scanned(self.files(), folder, &path)
    }

    /// Returns the files of a folder, without those of its folders.
    fn beside(&self, folder: &str) -> Vec<FileId> {
        let mut found = self.below(folder);
        let is_in = |path: &str| path.rsplit_once('/').map_or("", |(of, _)| of) == folder;
        found.retain(|&of| is_in(&self.path(of)));
        found
    }

    /// Returns true if the file is marked as a test or as support code of tests.
    fn is_test(&self, file: FileId) -> bool;

    /// Returns the files that contain a word, in path order.
    fn with_word(&self, word: &str) -> Vec<FileId>;

    /// Returns the test files named after `stem`, which is folded; see
    /// [`crate::catalog::test_names`].
    fn named_after(&self, stem: &str) -> Vec<FileId>;

    /// Returns the test files that `stem`, which is folded, partly names; see
    /// [`crate::catalog::test_names::TestNames::partly`].
    fn partly_named_after(&self, stem: &str) -> Vec<FileId>;

    /// Returns true if an import of `from` refers to `to`. O(imports of `from`).
    fn imports(&self, from: FileId, to: FileId) -> bool;

    /// Returns the interface of the linker.
    fn code(&self) -> &dyn Code;

    /// Returns what the test graph keeps for this state of the tree.
    fn kept(&self) -> Arc<Kept> {
        Arc::default()
    }
}

/// Returns the files below a folder by a look at each of them.
fn scanned(files: usize, folder: &str, path: &dyn Fn(FileId) -> String) -> Vec<FileId> {
    let is_in = |rest: &str| rest.starts_with('/');
    let is_below =
        |of: &FileId| folder.is_empty() || path(*of).strip_prefix(folder).is_some_and(is_in);
    (0..files).map(FileId::new).filter(is_below).collect()
}

/// Returns what pytest collects in a tree. O(files) the first time for `kept`.
pub(super) fn configured<'k>(tree: &dyn Tree, kept: &'k Kept) -> &'k Configured {
    kept.configured.get_or_init(|| {
        let read = |path: &str| {
            let text = tree.text(tree.find(path)?)?;
            Some(String::from_utf8_lossy(&text).into_owned())
        };
        Configured::new(tree.files(), &|file| tree.path(file), &read)
    })
}

impl Tree for Catalog {
    fn files(&self) -> usize {
        self.files().len()
    }

    fn path(&self, file: FileId) -> String {
        crate::base::path::shown(self.path(file))
    }

    fn find(&self, path: &str) -> Option<FileId> {
        self.files().find(path.as_bytes()).map(FileId::new)
    }

    fn below(&self, folder: &str) -> Vec<FileId> {
        // The text of a path that is not UTF-8 is not its bytes.
        if folder.contains(char::REPLACEMENT_CHARACTER) {
            let path = |file| Tree::path(self, file);
            return scanned(self.files().len(), folder, &path);
        }
        self.files().below(folder.as_bytes()).map(FileId::new).collect()
    }

    fn is_test(&self, file: FileId) -> bool {
        // The path decides as long as the file has no facts.
        let marks = self.marks_if_indexed(file).ok().flatten();
        marks.map_or_else(|| marks::of_path(Catalog::path(self, file)).test, |marks| marks.test)
            || Catalog::path(self, file).ends_with(b".py") && {
                let path = Tree::path(self, file);
                configured(self, &Tree::kept(self)).of(&path).has_module(&path)
            }
    }

    fn with_word(&self, word: &str) -> Vec<FileId> {
        let files = self.word(word).unwrap_or_else(|error| {
            self.note_damage(&error);
            Vec::new()
        });
        files.into_iter().map(|word| word.file).collect()
    }

    fn imports(&self, from: FileId, to: FileId) -> bool {
        self.file_imports(from).edges.iter().any(|edge| edge.to == to)
    }

    fn named_after(&self, stem: &str) -> Vec<FileId> {
        self.test_names().of(stem).to_vec()
    }

    fn partly_named_after(&self, stem: &str) -> Vec<FileId> {
        self.test_names().partly(stem).to_vec()
    }

    fn code(&self) -> &dyn Code {
        self
    }

    fn kept(&self) -> Arc<Kept> {
        self.derived()
    }
}

/// Code in memory has no index of words: every test file is a candidate.
impl Tree for Program {
    fn files(&self) -> usize {
        self.ids().count()
    }

    fn path(&self, file: FileId) -> String {
        Code::file(self, file).map(|facts| facts.path.clone()).unwrap_or_default()
    }

    fn find(&self, path: &str) -> Option<FileId> {
        self.id(path)
    }

    fn is_test(&self, file: FileId) -> bool {
        marks::of_path(Tree::path(self, file).as_bytes()).test
    }

    fn with_word(&self, _word: &str) -> Vec<FileId> {
        self.ids().filter(|&file| self.is_test(file)).collect()
    }

    fn imports(&self, from: FileId, to: FileId) -> bool {
        self.importers(to).contains(&from)
    }

    fn named_after(&self, stem: &str) -> Vec<FileId> {
        let is_named = |file: &FileId| {
            tested(Tree::path(self, *file).as_bytes()).is_some_and(|tested| tested == stem)
        };
        self.ids().filter(is_named).collect()
    }

    fn partly_named_after(&self, stem: &str) -> Vec<FileId> {
        let is_named = |file: &FileId| {
            let path = Tree::path(self, *file);
            self.is_test(*file) && parts(path.as_bytes()).iter().any(|part| part == stem)
        };
        self.ids().filter(is_named).collect()
    }

    fn code(&self) -> &dyn Code {
        self
    }
}
