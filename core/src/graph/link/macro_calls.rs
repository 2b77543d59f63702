//! Calls of C++ whose name is that of a type and of a macro with parameters: `Name(a)` is the macro, which is
//! replaced before types are known, where the file or one that it includes defines it.

use super::code::near;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::{CONFIDENCE_OPEN, Use};
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The most macros of one name that are examined.
const MACROS_MAX: usize = 16;

impl Walk<'_> {
    /// Replaces types among the candidates of a call by the macro of their name. If the file includes none that
    /// is known to be in effect, nothing shows which one is meant.
    pub(super) fn prefer_macro(&self, place: Place, used: Use<'_>, found: &mut Vec<Candidate>) {
        let is_type = |it: &Candidate| self.kind(it).is_some_and(is_type);
        if used.role != Role::Call || found.is_empty() || !found.iter().all(is_type) {
            return;
        }
        let Some(facts) = self.facts(place.file).filter(|facts| facts.dialect.has_namespaces)
        else {
            return;
        };
        let with_parameters = |it: &Candidate| {
            let Value::Name(at) = it.value else { return false };
            let signature = self.signature(at);
            let after = signature.split_once(used.name).map(|(_, after)| after);
            self.kind(it) == Some(SymbolKind::Macro)
                && after.is_some_and(|after| after.starts_with('('))
                && self.is_fit(it, Some(used))
        };
        let is_called = || {
            let text = used.start.and_then(|start| Some((start, self.code.text(place.file)?)));
            let Some((start, text)) = text else { return false };
            let after = text.get(start + used.name.len()..).unwrap_or_default();
            after.trim_ascii_start().starts_with(b"(")
        };
        let named = self.code.named(used.name);
        let is_macro = |at: &&SymbolAt| {
            self.symbol(**at).is_some_and(|(there, at)| there.symbols[at].kind == SymbolKind::Macro)
        };
        let mut macros = near(&named, place.file, MACROS_MAX).iter().filter(is_macro).peekable();
        if macros.peek().is_none() || !is_called() {
            return;
        }
        let included = self.included(place.file);
        if !macros.any(|at| included.contains(&at.file)) {
            return;
        }
        let mut in_effect = self.macros_in_effect(&facts, place.file, used.name);
        in_effect.retain(with_parameters);
        if in_effect.is_empty() {
            found.iter_mut().for_each(|it| it.confidence = it.confidence.min(CONFIDENCE_OPEN));
        } else {
            *found = in_effect;
        }
    }
}
