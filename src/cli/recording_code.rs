//! [`RecordingCode`]: the code of a tree for one command. It records which data the command used,
//! so that a missing index can be built in the background for the next one.

use std::sync::atomic::{AtomicBool, Ordering};

use super::background::{self, Build};
use super::trusted;
use crate::base::interrupt::Interrupt;
use crate::catalog::code::Code;
use crate::catalog::damage::Part;
use crate::catalog::delegating_code::{Access, DelegatingCode};
use crate::engine::{self, Check, Engine, Local};
use crate::error::{Kind, Result};

/// The number of unindexed files that are tested for readability.
const TRIED_MAX: usize = 16;

/// The code of a tree, and which of its data were used.
#[derive(Debug)]
pub(super) struct RecordingCode<'a> {
    engine: &'a Engine,
    code: Local<'a>,
    used_files: AtomicBool,
    used_catalog: AtomicBool,
}

impl<'a> RecordingCode<'a> {
    /// Returns the code of the tree of `engine`; see [`Local::new`].
    pub(super) fn new(engine: &'a Engine, check: Check) -> RecordingCode<'a> {
        trusted::note(engine, check);
        let (used_files, used_catalog) = (AtomicBool::new(false), AtomicBool::new(false));
        RecordingCode { engine, code: Local::new(engine, check), used_files, used_catalog }
    }

    /// Returns the same for a call whose parsing of files can be interrupted; see
    /// [`Local::interrupted_by`].
    pub(super) fn interrupted_by(self, interrupt: Interrupt<'a>) -> Self {
        RecordingCode { code: self.code.interrupted_by(interrupt), ..self }
    }

    /// Returns the same for a call that may write files.
    pub(super) fn writable(self) -> Self {
        RecordingCode { code: self.code.writable(), ..self }
    }

    /// Runs a command, and again without the code index if that turns out to be damaged. Starts a
    /// background build of what was missing, unless `no_background` is set.
    ///
    /// # Errors
    ///
    /// Those of `command`.
    pub(super) fn run<T>(
        mut self,
        no_background: bool,
        mut command: impl FnMut(&RecordingCode<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut result = command(&self);
        let is_corrupt = result.as_ref().is_err_and(|error| error.kind() == Kind::Corrupt);
        let damage = self.code.take_damage();
        let missing = if damage.has(Part::Code) || is_corrupt {
            Some(Build::FullAnew)
        } else if damage.is_empty() {
            self.missing()
        } else {
            // Checks every block and rebuilds what is damaged. Damage that ends the use of the
            // search index is among what is missing.
            self.missing().or(Some(Build::Full))
        };
        if let Some(build) = missing.filter(|_| !no_background) {
            background::build(self.engine, build);
        }
        if self.code.is_damaged() || is_corrupt {
            log::debug!("the code index is damaged; running again without it");
            self.code.note_damage(Part::Code);
            self.code = self.code.without_code_index();
            result = command(&self);
        }
        result
    }

    /// Returns the build that is needed: the command found no index, or one without the data that
    /// it used.
    fn missing(&self) -> Option<Build> {
        let used_catalog = self.used_catalog.load(Ordering::Relaxed);
        let has_snapshot = || matches!(self.engine.snapshot(), Ok(Some(_)));
        let has_index = if used_catalog || self.used_files.load(Ordering::Relaxed) {
            // The list of files exists already.
            self.code.files().is_ok_and(|files| files.generation > 0)
        } else {
            has_snapshot()
        };
        if has_index {
            return (used_catalog && self.lacks_code()).then_some(Build::Full);
        }
        // An index that can be opened but was not used is damaged.
        Some(match (has_snapshot(), used_catalog) {
            (true, true) => Build::FullAnew,
            (true, false) => Build::ForSearchAnew,
            (false, true) => Build::Full,
            (false, false) => Build::ForSearch,
        })
    }

    /// Returns true if a build would add files to the code index. Unreadable files stay unindexed
    /// and must not cause repeated builds.
    fn lacks_code(&self) -> bool {
        if !engine::has_code(self.engine) {
            return true;
        }
        let Ok(catalog) = self.code.catalog(&[]) else { return false };
        let mut tried = catalog.missing().iter().take(TRIED_MAX);
        tried.any(|&file| self.code.read(catalog.path(file), 0).is_ok())
    }
}

impl DelegatingCode for RecordingCode<'_> {
    fn before(&self, access: Access) -> Result<&dyn Code> {
        match access {
            Access::Files | Access::Indexed | Access::Names | Access::Candidates => {
                self.used_files.store(true, Ordering::Relaxed);
            }
            Access::Catalog | Access::Ranking => self.used_catalog.store(true, Ordering::Relaxed),
            Access::Root
            | Access::Outline
            | Access::Parse
            | Access::Read
            | Access::History
            | Access::Damage
            | Access::Git
            | Access::UserData
            | Access::Editor => {}
        }
        Ok(&self.code)
    }
}
