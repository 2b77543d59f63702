//! What a file stands for that a call names: an edit of it, whatever the edit is. The answer is that for
//! the same file among the changes of the work tree.

use std::collections::BTreeSet;

use super::changed_code;
use super::changed_paths::{self, FileKind};
use super::test_selection::{Besides, functions_in};
use super::{Call, paths};
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{Code as _, SymbolAt};
use crate::history::git::Difference;
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::outside::Effect;

/// Edits of named files.
#[derive(Clone, Debug, Default)]
pub(super) struct NamedChange {
    /// Their functions outside of tests, the longest of each file first.
    pub(super) symbols: Vec<SymbolAt>,
    /// Their tests.
    tests: Vec<TestAt>,
    /// What they are besides functions and tests.
    effects: BTreeSet<Effect>,
    /// None of them can alter what a program does.
    is_inert: bool,
}

impl NamedChange {
    /// Returns edits of functions.
    pub(super) fn of_functions(symbols: Vec<SymbolAt>) -> NamedChange {
        NamedChange { symbols, ..NamedChange::default() }
    }

    /// Returns the edits of `files`. O(definitions of the files).
    pub(super) fn of(catalog: &Catalog, files: &[FileId]) -> NamedChange {
        let tests = Tests::new(catalog);
        let mut found = NamedChange::default();
        let mut inert = 0;
        for &file in files {
            let bytes = Catalog::path(catalog, file);
            let path = path::shown(bytes);
            let mut symbols = functions_in(catalog, file);
            let of_file = tests.of(file);
            symbols.retain(|at| {
                let name = catalog
                    .file(at.file)
                    .and_then(|facts| Some(facts.symbols.get(at.place as usize)?.name_span.start));
                name.is_none_or(|start| of_file.test_at(start).is_none())
            });
            let own = tests.in_file(file);
            let is_empty = symbols.is_empty() && own.is_empty();
            found.effects.extend(match changed_paths::kind(bytes) {
                FileKind::Configuration => Some(Effect::Configuration(path)),
                FileKind::Support => Some(Effect::Support(file)),
                FileKind::Data => Some(Effect::Data { path, is_new: false }),
                FileKind::Inert => {
                    inert += 1;
                    // A test or a build may read it by name.
                    Some(Effect::Data { path, is_new: true })
                }
                FileKind::Code => is_empty.then_some(Effect::Loading(file)),
            });
            found.symbols.append(&mut symbols);
            found.tests.extend(own);
        }
        found.is_inert = inert > 0 && inert == files.len();
        found
    }

    /// Adds the uncommitted changes in the directories among `given` that are more than edits of the
    /// functions there: deleted and renamed files, tests, configuration, data. Time is that of `git diff`.
    ///
    /// # Errors
    ///
    /// An invalid path; a failure of git.
    pub(super) fn add_uncommitted<'p>(
        &mut self,
        call: &Call<'_>,
        catalog: &Catalog,
        given: impl IntoIterator<Item = &'p str>,
    ) -> Result<()> {
        let mut folders: Vec<Vec<u8>> = Vec::new();
        for given in given {
            let path = paths::resolve(call, given)?;
            if paths::listed(catalog.files(), &path).is_none() {
                folders.push(path);
            }
        }
        let Some(git) = call.code.git().filter(|_| !folders.is_empty()) else { return Ok(()) };
        if git.commit("HEAD")?.is_none() {
            return Ok(());
        }
        let is_inside = |path: &[u8]| folders.iter().any(|folder| path::is_within(path, folder));
        let tests = Tests::new(catalog);
        for (path, how) in git.changes_since("HEAD")? {
            if let Difference::Renamed(from) = &how
                && (is_inside(from) || is_inside(&path))
            {
                self.effects.extend(changed_code::of_former(from));
            }
            if !is_inside(&path) {
                continue;
            }
            if how == Difference::Deleted {
                self.effects.extend(changed_code::of_former(&path));
            }
            let Some(file) = catalog.files().find(&path).map(FileId::new) else { continue };
            let shown = path::shown(&path);
            self.effects.extend(match changed_paths::kind(&path) {
                FileKind::Configuration => Some(Effect::Configuration(shown)),
                FileKind::Support => Some(Effect::Support(file)),
                FileKind::Data | FileKind::Inert => {
                    Some(Effect::Data { path: shown, is_new: how == Difference::Added })
                }
                FileKind::Code => None,
            });
            self.tests.extend(tests.in_file(file));
        }
        self.tests.sort_unstable();
        self.tests.dedup();
        self.is_inert &= self.effects.is_empty();
        Ok(())
    }

    /// Returns what they are besides functions.
    pub(super) fn besides(&self) -> Besides<'_> {
        Besides {
            tests: &self.tests,
            effects: Some(&self.effects),
            is_inert: self.is_inert,
            ..Besides::default()
        }
    }
}
