//! Macros of C that are defined more than once in a file: `#undef` ends the former one.

use super::dialect::Group;
use super::position::SymbolAt;
use super::result::Use;
use super::undef_directives::Undefined;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::lang::symbols::SymbolKind;

impl Walk<'_> {
    /// Removes macros of the file of a use that are not in effect there, if another one is: those that
    /// `#undef` ends before the use in a branch around the use, and those that are defined after it.
    pub(super) fn remove_undefined(
        &self,
        place: Place,
        used: Use<'_>,
        candidates: &mut Vec<Candidate>,
    ) {
        let Some(start) = used.start.filter(|_| candidates.len() > 1) else { return };
        let Some(facts) = self.facts(place.file).filter(|it| it.dialect.group == Group::C) else {
            return;
        };
        let here = |it: &Candidate| match it.value {
            Value::Name(at) => {
                let is_here = at.file == place.file && self.kind(it) == Some(SymbolKind::Macro);
                is_here.then_some(at)
            }
            _ => None,
        };
        if candidates.iter().filter_map(here).count() < 2 {
            return;
        }
        let undefined = self.memo.undefined(place.file, || {
            self.code.text(place.file).map(|text| Undefined::new(&text)).unwrap_or_default()
        });
        let ended = undefined.before(used.name, start);
        let is_in_effect = |at: SymbolAt| {
            let end = facts.symbols[at.place as usize].span.end;
            end <= start && ended.is_none_or(|ended| end > ended)
        };
        if candidates.iter().filter_map(here).any(is_in_effect) {
            candidates.retain(|it| here(it).is_none_or(is_in_effect));
        }
    }
}
