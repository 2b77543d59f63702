//! The interface through which tools see a tree: [`Code`] to read it, [`Editor`] to write it.
//!
//! Files, the index and git are behind this interface. Only plain data crosses it, so that a remote
//! engine can implement it, too.

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::Catalog;
use super::damage::Part;
use super::file_list::FileList;
use super::folders::Folders;
use crate::error::{Error, Kind, Result};
use crate::history::History;
use crate::history::git::Git;
use crate::history::versions::Versions;
use crate::index::text::Overlay;
use crate::lang::{Language, Outline, Symbol};
use crate::query::fuzzy::PathIndex;
use crate::query::pattern::PatternOptions;
use crate::query::plan::Plan;
use crate::source::guarded::Content;
use crate::userdata::Database;
use crate::userdata::jobs::Job;

/// The kind of a job.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Builds or refreshes the whole index.
    Index,
    /// Builds the whole index anew.
    Rebuild,
}

impl JobKind {
    /// Returns the name that is stored and shown.
    pub fn name(self) -> &'static str {
        match self {
            JobKind::Index => "index",
            JobKind::Rebuild => "rebuild",
        }
    }
}

/// Where the files of a call are, as far as its glob says literally.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paths<'a> {
    /// The directory that contains all of them; empty for the root.
    pub directory: &'a [u8],
    /// The texts with one of which each of their paths ends; none for any path.
    pub endings: &'a [Vec<u8>],
}

/// What a call is about. A tree that is not on this machine fetches the files that answer it.
#[derive(Clone, Copy, Debug)]
pub enum Focus<'a> {
    /// Files whose text matches one of the patterns.
    Pattern {
        /// The patterns.
        patterns: &'a [String],
        /// How they are matched.
        options: &'a PatternOptions,
        /// Where these files are.
        paths: Paths<'a>,
    },
    /// Files that use a definition.
    Definition {
        /// Its name.
        name: &'a str,
        /// The path of its file, if it is given.
        path: Option<&'a str>,
        /// True if what uses its users matters, too.
        is_transitive: bool,
    },
    /// Files about a task that is described in words.
    Task(&'a str),
    /// Files with a similar path.
    Path(&'a str),
}

/// Writes files of a tree, each as a whole and in one step; see [`crate::source::write`].
pub trait Editor: Sync {
    /// Returns the present content of the file at a repository path, if it may be edited.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::NotFound`] if there is none; an error if it may not be edited or cannot be
    /// read.
    fn read(&self, path: &[u8]) -> Result<Content>;

    /// Replaces the file at a repository path, whose content must still be `before`, with `after`.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Busy`] if its content differs; an error if it cannot be written.
    fn replace(&self, path: &[u8], before: &Content, after: &[u8]) -> Result<()>;

    /// Checks that a file can be created at a repository path.
    ///
    /// # Errors
    ///
    /// If the path exists, or is not allowed.
    fn check_vacant(&self, path: &[u8]) -> Result<()>;

    /// Creates a file with `text`, and the directories that it needs.
    ///
    /// # Errors
    ///
    /// As [`Editor::check_vacant`]; an error if it cannot be written.
    fn create(&self, path: &[u8], text: &[u8]) -> Result<()>;
}

/// The code of a tree at one time.
pub trait Code: Sync {
    /// Returns the root of the tree, to resolve absolute paths below it.
    fn root(&self) -> &Path;

    /// Returns how a call names this tree, if it is not that of the server or the current directory.
    fn project(&self) -> Option<&str> {
        None
    }

    /// States what the call is about, before it reads anything. It has no effect on a tree that is
    /// here as a whole.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if the tree cannot answer it exactly, with the reason.
    fn focus(&self, on: Focus<'_>) -> Result<()> {
        let _ = on;
        Ok(())
    }

    /// Returns true if definitions in the file at a repository path are what the call looks up. The others
    /// are there since they use these.
    fn is_in_scope(&self, path: &[u8]) -> bool {
        let _ = path;
        true
    }

    /// Returns sentences on what the call could not take into account, such as files that did not
    /// arrive: an empty answer does not mean "none" if there are any. Meaningful after the call.
    fn doubts(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the files that a search reads, in path order.
    ///
    /// # Errors
    ///
    /// If the tree cannot be read.
    fn files(&self) -> Result<&FileList>;

    /// Returns the symbols, uses and words of the files. If most files are not indexed yet, those
    /// that contain one of the names `about` are indexed in memory, and [`Catalog::missing`] lists
    /// the rest.
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn catalog(&self, about: &[&str]) -> Result<&Catalog>;

    /// Returns the catalog without indexing anything: the one that [`Code::catalog`] made before,
    /// or that of the index.
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn indexed(&self) -> Result<&Catalog>;

    /// Returns language and symbols of the file at a repository path with content of that hash, if
    /// the index has them completely. Signatures and documentation must be read from the text.
    /// Reads only that file's facts.
    fn outline(&self, path: &[u8], hash: u128) -> Option<(&'static Language, Vec<Symbol>)>;

    /// Returns the language of a file with this content, and the name of the extractor of the user's
    /// own that knows it, if one does.
    fn language(&self, path: &[u8], text: &[u8]) -> (Option<&'static Language>, Option<&str>) {
        (crate::lang::detect(&crate::base::path::to_path(path), text), None)
    }

    /// Returns the definitions of `text`, the content of the file at a repository path, by parsing
    /// it, with signatures and documentation. O(text).
    ///
    /// # Errors
    ///
    /// As [`crate::parsers::Parsers::facts`].
    fn parse(&self, language: &'static Language, path: &[u8], text: &[u8]) -> Result<Outline>;

    /// Returns the text index, brought up to the present files; `None` if there is none, or it is
    /// damaged, see [`Code::found_damage`].
    ///
    /// # Errors
    ///
    /// As [`Code::catalog`].
    fn ranking(&self) -> Result<Option<Arc<Overlay>>>;

    /// Returns an index of the paths for fuzzy look-ups; its entries have the order of
    /// [`Code::files`].
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn names(&self) -> Result<&PathIndex>;

    /// Returns the directories of [`Code::files`]. O(files) after files were added, removed or
    /// renamed, else O(1).
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn folders(&self) -> Result<&Folders>;

    /// Returns the indices, ascending, of the files in which a plan's patterns may match; `None` if
    /// all files may match.
    ///
    /// # Errors
    ///
    /// As [`Code::files`].
    fn candidates(&self, plan: &Plan) -> Result<Option<Vec<usize>>>;

    /// Returns up to `bytes_max` bytes of the file at a repository path, listed or not.
    ///
    /// # Errors
    ///
    /// If there is none, or it may not be served; see [`crate::source::guarded::read`].
    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Arc<Content>>;

    /// Returns the commit log of HEAD as far as it is stored or quickly read (see
    /// [`crate::history::Log::origin`]); `None` if there is no repository, or its log was not read
    /// yet.
    ///
    /// # Errors
    ///
    /// If the call fails. A failure of git is not an error: then there is no history.
    fn history(&self) -> Result<Option<Arc<History>>>;

    /// Returns the commit log if it is stored or in memory and describes HEAD; runs no git.
    fn current_history(&self) -> Option<Arc<History>> {
        None
    }

    /// Returns the reason why [`Code::history`] returned no log although the repository has
    /// commits; `None` before that call.
    fn history_problem(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if a part of the index turned out to be damaged, so that replies were made
    /// without it.
    fn found_damage(&self, part: Part) -> bool {
        let _ = part;
        false
    }

    /// Returns how many files that can have facts have none in the catalog from which the call has
    /// answered so far: no index has them, and the call did not parse them. 0 if it used no catalog.
    fn files_unknown(&self) -> usize {
        0
    }

    /// Returns what the index leaves out: reasons, and how many entries of directories (`hidden`, `ignored`,
    /// `symlink`, …) or how many listed files (`secret`, `large`, …) each has. Empty without an index. Reads the
    /// properties of the index.
    fn left_out(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// Returns what a running build of the index does and how many percent of this step are done, for
    /// people; `None` if none runs, or not for long. Reads a small file.
    fn running_build(&self) -> Option<(&'static str, u64)> {
        None
    }

    /// Returns the git work tree around the root, if there is one.
    fn git(&self) -> Option<&Git>;

    /// Returns where the changes of files are kept, if the code has an index directory.
    fn versions(&self) -> Option<Versions<'_>> {
        None
    }

    /// Opens the database of what people and test runs recorded about the repository; `None` if
    /// nothing was recorded yet. O(1); a call that needs it twice opens it once.
    ///
    /// # Errors
    ///
    /// If the database is damaged or cannot be read.
    fn user_data(&self) -> Result<Option<Database>> {
        Ok(None)
    }

    /// Opens the same database to record something, and creates it if needed.
    ///
    /// # Errors
    ///
    /// If there is no directory for it, or it cannot be written.
    fn create_user_data(&self) -> Result<Database> {
        Err(Error::new(Kind::NotFound, "there is no directory for user data")
            .with_hint("set one with `--data-dir` or CODEDB_DATA_DIR"))
    }

    /// Starts a job in a process of its own, or returns the one of its kind that is running, with
    /// false.
    ///
    /// # Errors
    ///
    /// If there is no directory for user data, or the process cannot be started.
    fn start_job(&self, kind: JobKind, now_ms: i64) -> Result<(Job, bool)> {
        let _ = (kind, now_ms);
        Err(Error::usage("this tree cannot start jobs"))
    }

    /// Returns the editor, if this call may write files.
    fn editor(&self) -> Option<&dyn Editor> {
        None
    }
}
