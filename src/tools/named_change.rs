//! What a file stands for that a call names: an edit of it, whatever the edit is. The answer is that for
//! the same file among the changes of the work tree.

use std::collections::BTreeSet;

use super::changed_paths::{self, FileKind};
use super::test_selection::{Besides, functions_in};
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::graph::link::{Code as _, SymbolAt};
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
