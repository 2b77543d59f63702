//! Modules of Ruby that one type includes at run time: those of a name in the modules of several plugins
//! (`Render::InstanceMethods`, `Flash::InstanceMethods`). Which of them a value has is not known, but
//! they call the methods of each other, and those that call `super` replace another one.

use super::code::FileFacts;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::value::Place;
use super::walk::Walk;
use crate::lang::symbols::SymbolKind;

/// The most bytes of a method that are searched for `super`.
const METHOD_BYTES_MAX: usize = 8192;

/// The most methods of one name that are compared.
pub(super) const METHODS_MAX: usize = 16;

impl Walk<'_> {
    /// Removes the methods of other modules than those that have the name of the module around a use, if one
    /// of these has such a method.
    pub(super) fn retain_namesakes(
        &self,
        facts: &FileFacts,
        place: Place,
        found: &mut Vec<SymbolAt>,
    ) {
        let is_scope = |at: &usize| {
            let kind = facts.symbols[*at].kind;
            is_type(kind) || kind == SymbolKind::Module
        };
        let own = facts.ancestors(place.enclosing).find(is_scope).map(|at| &facts.symbols[at]);
        let Some(own) = own.filter(|own| own.kind == SymbolKind::Module) else { return };
        let is_namesake = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                let around = there.symbols[place].parent.map(|parent| &there.symbols[parent]);
                around.is_some_and(|it| it.kind == SymbolKind::Module && it.name == own.name)
            })
        };
        if found.iter().any(is_namesake) {
            found.retain(is_namesake);
        }
    }

    /// Returns the only one of several methods that does not call `super`: the others replace it.
    pub(super) fn replaced_by_others(&self, methods: &[SymbolAt]) -> Option<SymbolAt> {
        if methods.len() < 2 || methods.len() > METHODS_MAX {
            return None;
        }
        let mut first = methods.iter().copied().filter(|at| !self.calls_super(*at));
        first.next().filter(|_| first.next().is_none())
    }

    fn calls_super(&self, at: SymbolAt) -> bool {
        let Some((facts, place)) = self.symbol(at) else { return false };
        let Some(text) = self.code.text(at.file) else { return false };
        let span = facts.symbols[place].span.clone();
        let body = text.get(span.start..span.end.min(span.start + METHOD_BYTES_MAX));
        let is_word =
            |byte: Option<&u8>| byte.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
        let body = body.unwrap_or_default();
        bstr::ByteSlice::find_iter(body, b"super").any(|start| {
            let before = start.checked_sub(1).and_then(|before| body.get(before));
            !is_word(before) && !is_word(body.get(start + b"super".len()))
        })
    }
}
