//! [`DelegatingCode`]: an implementation of [`Code`] that forwards each access to another
//! implementation, with one hook for all accesses.

use std::path::Path;
use std::sync::Arc;

use super::Catalog;
use super::code::{Code, Editor, Focus, JobKind};
use super::damage::Part;
use super::file_list::FileList;
use super::folders::Folders;
use crate::error::Result;
use crate::history::History;
use crate::history::git::Git;
use crate::history::versions::Versions;
use crate::index::text::Overlay;
use crate::lang::{Language, Outline, Symbol};
use crate::query::fuzzy::PathIndex;
use crate::query::plan::Plan;
use crate::source::guarded::Content;
use crate::userdata::Database;
use crate::userdata::jobs::Job;

/// A method of [`Code`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    /// [`Code::root`].
    Root,
    /// [`Code::files`].
    Files,
    /// [`Code::catalog`].
    Catalog,
    /// [`Code::indexed`].
    Indexed,
    /// [`Code::outline`].
    Outline,
    /// [`Code::parse`].
    Parse,
    /// [`Code::ranking`].
    Ranking,
    /// [`Code::names`].
    Names,
    /// [`Code::candidates`].
    Candidates,
    /// [`Code::read`].
    Read,
    /// [`Code::history`].
    History,
    /// [`Code::found_damage`] and [`Code::files_unknown`].
    Damage,
    /// [`Code::git`].
    Git,
    /// [`Code::user_data`], [`Code::create_user_data`] and [`Code::start_job`].
    UserData,
    /// [`Code::editor`].
    Editor,
}

/// Wraps a [`Code`]: implementors get all methods of that trait from these two.
pub trait DelegatingCode: Sync {
    /// Returns the code that serves an access.
    ///
    /// # Errors
    ///
    /// Those with which the access fails. Methods of [`Code`] that return no `Result` return an
    /// empty value instead.
    fn before(&self, access: Access) -> Result<&dyn Code>;

    /// Is called with the list of files of each access that returned one.
    fn after(&self, files: &FileList) {
        let _ = files;
    }
}

impl<C: DelegatingCode> Code for C {
    fn root(&self) -> &Path {
        self.before(Access::Root).map_or(Path::new(""), Code::root)
    }

    fn project(&self) -> Option<&str> {
        self.before(Access::Root).ok()?.project()
    }

    fn focus(&self, on: Focus<'_>) -> Result<()> {
        self.before(Access::Files)?.focus(on)
    }

    fn is_in_scope(&self, path: &[u8]) -> bool {
        self.before(Access::Root).is_ok_and(|code| code.is_in_scope(path))
    }

    fn doubts(&self) -> Vec<String> {
        self.before(Access::Damage).map_or(Vec::new(), Code::doubts)
    }

    fn files(&self) -> Result<&FileList> {
        self.before(Access::Files)?.files().inspect(|files| self.after(files))
    }

    fn catalog(&self, about: &[&str]) -> Result<&Catalog> {
        let catalog = self.before(Access::Catalog)?.catalog(about);
        catalog.inspect(|catalog| self.after(catalog.files()))
    }

    fn indexed(&self) -> Result<&Catalog> {
        let catalog = self.before(Access::Indexed)?.indexed();
        catalog.inspect(|catalog| self.after(catalog.files()))
    }

    fn outline(&self, path: &[u8], hash: u128) -> Option<(&'static Language, Vec<Symbol>)> {
        self.before(Access::Outline).ok()?.outline(path, hash)
    }

    fn language(&self, path: &[u8], text: &[u8]) -> (Option<&'static Language>, Option<&str>) {
        match self.before(Access::Parse) {
            Ok(code) => code.language(path, text),
            Err(_) => (crate::lang::detect(&crate::base::path::to_path(path), text), None),
        }
    }

    fn parse(&self, language: &'static Language, path: &[u8], text: &[u8]) -> Result<Outline> {
        self.before(Access::Parse)?.parse(language, path, text)
    }

    fn ranking(&self) -> Result<Option<Arc<Overlay>>> {
        self.before(Access::Ranking)?.ranking()
    }

    fn names(&self) -> Result<&PathIndex> {
        self.before(Access::Names)?.names()
    }

    fn folders(&self) -> Result<&Folders> {
        self.before(Access::Files)?.folders()
    }

    fn candidates(&self, plan: &Plan) -> Result<Option<Vec<usize>>> {
        self.before(Access::Candidates)?.candidates(plan)
    }

    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Arc<Content>> {
        self.before(Access::Read)?.read(path, bytes_max)
    }

    fn history(&self) -> Result<Option<Arc<History>>> {
        self.before(Access::History)?.history()
    }

    fn current_history(&self) -> Option<Arc<History>> {
        self.before(Access::History).ok()?.current_history()
    }

    fn history_problem(&self) -> Option<&'static str> {
        self.before(Access::Damage).ok()?.history_problem()
    }

    fn found_damage(&self, part: Part) -> bool {
        self.before(Access::Damage).is_ok_and(|code| code.found_damage(part))
    }

    fn files_unknown(&self) -> usize {
        self.before(Access::Damage).map_or(0, |code| code.files_unknown())
    }

    fn left_out(&self) -> Vec<(String, u64)> {
        self.before(Access::Damage).map_or_else(|_| Vec::new(), |code| code.left_out())
    }

    fn running_build(&self) -> Option<(&'static str, u64)> {
        self.before(Access::Damage).ok()?.running_build()
    }

    fn git(&self) -> Option<&Git> {
        self.before(Access::Git).ok()?.git()
    }

    fn versions(&self) -> Option<Versions<'_>> {
        self.before(Access::Git).ok()?.versions()
    }

    fn user_data(&self) -> Result<Option<Database>> {
        self.before(Access::UserData)?.user_data()
    }

    fn create_user_data(&self) -> Result<Database> {
        self.before(Access::UserData)?.create_user_data()
    }

    fn start_job(&self, kind: JobKind, now_ms: i64) -> Result<(Job, bool)> {
        self.before(Access::UserData)?.start_job(kind, now_ms)
    }

    fn editor(&self) -> Option<&dyn Editor> {
        self.before(Access::Editor).ok()?.editor()
    }
}
