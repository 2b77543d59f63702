//! The interface through which tools see a tree: [`Code`] to read it, [`Editor`] to write it.
//!
//! Files, the index and git lie behind this boundary. Everything that crosses it is plain data, so
//! that a remote engine can implement it, too.

use std::path::Path;
use std::sync::Arc;

use super::Catalog;
use super::file_list::FileList;
use crate::error::Result;
use crate::history::History;
use crate::history::git::Git;
use crate::index::text::Overlay;
use crate::lang::{Language, Symbol};
use crate::query::fuzzy::PathIndex;
use crate::query::plan::Plan;
use crate::source::guarded::Content;

/// Writes files of a tree, each as a whole and in one step; see [`crate::source::write`].
pub trait Editor: Sync {
    /// Returns the whole file at a repository path as it is now, if it may be edited.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::NotFound`] if there is none; if it is not one to edit, or cannot be read.
    fn read(&self, path: &[u8]) -> Result<Content>;

    /// Puts `after` in the place of the file at a repository path, which must still be as `before`.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Busy`] if it is not; if it cannot be written.
    fn replace(&self, path: &[u8], before: &Content, after: &[u8]) -> Result<()>;

    /// Says whether a file can be made at a repository path.
    ///
    /// # Errors
    ///
    /// If something is there, or it is no place for a file.
    fn check_vacant(&self, path: &[u8]) -> Result<()>;

    /// Makes a file with `text`, and the folders that it needs.
    ///
    /// # Errors
    ///
    /// As [`Editor::check_vacant`]; if it cannot be written.
    fn create(&self, path: &[u8], text: &[u8]) -> Result<()>;
}

/// The code of a tree at one moment.
pub trait Code: Sync {
    /// Returns the tree's root, to understand absolute paths below it.
    fn root(&self) -> &Path;

    /// Returns the files, in path order: those that a search looks at.
    ///
    /// # Errors
    ///
    /// If the tree cannot be read.
    fn files(&self) -> Result<&FileList>;

    /// Returns the symbols, uses and words of the files. Where most of that is not indexed yet, it
    /// is made for the files that hold one of the names `about`, and the catalog says what is
    /// missing ([`Catalog::missing`]).
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn catalog(&self, about: &[&str]) -> Result<&Catalog>;

    /// Returns what is known of the files without making anything: what [`Code::catalog`] made
    /// before, or what the index has.
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn indexed(&self) -> Result<&Catalog>;

    /// Returns language and symbols of the file at a repository path with content of that hash, if
    /// the index has them and nothing is missing from them; signatures and documentation are to be
    /// made of the text. Looks at nothing but that file's facts.
    fn outline(&self, path: &[u8], hash: u128) -> Option<(&'static Language, Vec<Symbol>)>;

    /// Returns the text index, which speaks of the files as they are; `None` where there is none.
    ///
    /// # Errors
    ///
    /// As [`Code::files`], and [`crate::Kind::Corrupt`] where it is damaged.
    fn ranking(&self) -> Result<Option<Arc<Overlay>>>;

    /// Returns the files' paths, ready for fuzzy look-ups; places are those of [`Code::files`].
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn names(&self) -> Result<&PathIndex>;

    /// Returns the places, ascending, of the listed files in which a plan's patterns may match;
    /// `None` where nothing is known of that.
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn candidates(&self, plan: &Plan) -> Result<Option<Vec<usize>>>;

    /// Returns up to `bytes_max` bytes of the file at a repository path, listed or not.
    ///
    /// # Errors
    ///
    /// If there is none, or it is not to be served; see [`crate::source::guarded::read`].
    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Content>;

    /// Returns the log of HEAD, as far as it is known or quickly read, which [`crate::history::Log::origin`]
    /// says; `None` where there is no repository, or its log was not read yet.
    ///
    /// # Errors
    ///
    /// If it cannot be asked for. What git cannot tell is no error: it is not known then.
    fn history(&self) -> Result<Option<Arc<History>>>;

    /// Returns the git work tree around the root, if there is one.
    fn git(&self) -> Option<&Git>;

    /// Returns what writes files of the tree, for a call of a tool that may; else `None`.
    fn editor(&self) -> Option<&dyn Editor> {
        None
    }
}
