//! Modules of Ruby that one type includes at run time: those of a name in the modules of several plugins
//! (`Render::InstanceMethods`, `Flash::InstanceMethods`). Which of them a value has is not known, but
//! they call the methods of each other, and those that call `super` replace another one.

use super::code::FileFacts;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Choice, Place, Value};
use super::walk::Walk;
use crate::lang::symbols::{Symbol, SymbolKind};

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

    /// Makes methods of modules uncertain that a method of the same name in another module of the module's
    /// name replaces, where nothing shown includes that other module: a program may add it at run time.
    pub(super) fn open_replaced(&self, name: &str, candidates: &mut [Candidate]) {
        for candidate in candidates.iter_mut().filter(|it| it.reason != Reason::Scope) {
            let Value::Name(at) = candidate.value else { continue };
            if self.is_replaced(name, at) {
                candidate.choice = Choice::Open;
            }
        }
    }

    fn is_replaced(&self, name: &str, at: SymbolAt) -> bool {
        let Some((_, own)) = self.module_of(at) else { return false };
        let others = self.code.named(name);
        let mut others = others.iter().copied().filter(|other| *other != at).take(METHODS_MAX);
        others.any(|other| {
            self.module_of(other).is_some_and(|(there, of)| {
                of.name == own.name
                    && of.qualified_name != own.qualified_name
                    && self.calls_super(other)
                    && self.users(there, &of).is_empty()
            })
        })
    }

    /// Returns the module of Ruby that a method is in.
    fn module_of(&self, at: SymbolAt) -> Option<(SymbolAt, Symbol)> {
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        let parent = symbol.parent.filter(|_| symbol.kind.is_callable())?;
        let is_module =
            facts.dialect.has_module_instances && facts.symbols[parent].kind == SymbolKind::Module;
        let module = SymbolAt { file: at.file, place: parent as u32 };
        is_module.then(|| (module, facts.symbols[parent].clone()))
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
