//! Modules that types and modules of Ruby include, extend or prepend. Methods of a prepended module run
//! in place of the class's own.

use super::code::{FileFacts, near};
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most definitions of a class's name that are searched for its parts.
const PARTS_MAX: usize = 64;

/// The most modules that blocks of one file extend or include.
const MIXED_MAX: usize = 16;

impl Walk<'_> {
    /// Puts the members of modules that a type prepends, in any of its parts, before its own.
    pub(super) fn put_prepended_first(
        &self,
        of: SymbolAt,
        name: &str,
        own: &mut Vec<Candidate>,
        depth: usize,
    ) {
        let Some((facts, place)) = self.symbol(of) else { return };
        if !facts.dialect.has_module_instances {
            return;
        }
        let mut first: Vec<Candidate> = Vec::new();
        for value in self.prepended_values(of, &facts, &facts.symbols[place], depth) {
            let members = self.member(&value, name, depth + 1).into_iter();
            first.extend(members.map(|it| Candidate { reason: Reason::Inherited, ..it }));
        }
        first.retain(|it| matches!(it.value, Value::Name(_)));
        if first.is_empty() {
            return;
        }
        // A method of the class itself is another one.
        let is_replaced = |it: &Candidate| match it.value {
            Value::Name(at) => self.symbol(at).is_some_and(|(there, at)| {
                !super::sides::is_of_type(&there.symbols[at])
                    && there.symbols[at].kind.is_callable()
            }),
            _ => false,
        };
        own.iter_mut()
            .filter(|it| is_replaced(it))
            .for_each(|it| it.confidence = it.confidence.min(weights::FEW));
        own.splice(..0, first);
    }

    /// Returns the modules that a type of Ruby prepends, in any of its parts.
    pub(super) fn prepended(&self, of: SymbolAt) -> Vec<SymbolAt> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let values = self.prepended_values(of, &facts, &facts.symbols[place], 0);
        values.iter().filter_map(Candidate::link).map(|link| link.to).collect()
    }

    fn prepended_values(
        &self,
        of: SymbolAt,
        facts: &FileFacts,
        symbol: &Symbol,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        if !facts.dialect.has_module_instances {
            return found;
        }
        for &part in near(&self.code.named(&symbol.name), of.file, PARTS_MAX) {
            let Some((there, at)) = self.symbol(part) else { continue };
            let it = &there.symbols[at];
            if it.bases.is_empty() || it.qualified_name != symbol.qualified_name {
                continue;
            }
            let scope = Place { file: part.file, enclosing: Some(at) };
            for (module, _) in it.bases.iter().filter_map(Chain::before_parameter) {
                found.extend(self.chain(scope, Some(part), &module, depth + 1));
            }
        }
        found
    }

    /// Returns the members of the modules that a module includes or extends. One search of a name visits
    /// each module once, since many modules may include each other.
    pub(super) fn of_mixins(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let is_same = &*self.mixins.borrow().0 == name;
        if is_same {
            let is_new = !self.mixins.borrow().1.contains(&of);
            if !is_new {
                return Vec::new();
            }
            self.mixins.borrow_mut().1.push(of);
            return self.of_modules(of, name, depth);
        }
        let outer = self.mixins.replace((name.into(), vec![of]));
        let found = self.of_modules(of, name, depth);
        self.mixins.replace(outer);
        found
    }

    fn of_modules(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let is_itself = |it: &Candidate| matches!(it.value, Value::Name(at) if at == of);
        for base in self.bases(of, depth + 1).iter().filter(|it| !is_itself(it)) {
            let mut found = self.member(base, name, depth + 1);
            found.retain(|it| matches!(it.value, Value::Name(_)));
            if !found.is_empty() {
                let inherited = |it: Candidate| Candidate {
                    confidence: it.confidence * weights::BELOW,
                    reason: it.reason.max(Reason::Inherited),
                    ..it
                };
                return found.into_iter().map(inherited).collect();
            }
        }
        Vec::new()
    }

    /// Returns the members of the modules that blocks outside of all types extend or include: groups of
    /// Ruby's specifications do. Such a module counts for the whole file. O(bytes of the file), if a module
    /// has a method of that name.
    pub(super) fn of_file_mixins(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let is_scope =
            |symbol: &Symbol| matches!(symbol.kind, SymbolKind::Class | SymbolKind::Module);
        let is_outermost =
            || facts.ancestors(place.enclosing).all(|at| !is_scope(&facts.symbols[at]));
        if !facts.dialect.has_open_self || !is_outermost() {
            return Vec::new();
        }
        let is_of_module = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, at)| {
                let parent = there.symbols[at].parent.map(|parent| &there.symbols[parent]);
                parent.is_some_and(|parent| parent.kind == SymbolKind::Module)
            })
        };
        if !self.code.named(name).iter().take(PARTS_MAX).any(is_of_module) {
            return Vec::new();
        }
        let Some(text) = self.code.text(place.file) else { return Vec::new() };
        let is_inside = |at: usize| {
            facts.symbols.iter().any(|symbol| is_scope(symbol) && symbol.span.contains(&at))
        };
        let scope = Place { file: place.file, enclosing: None };
        for (_, path) in mixed_in(&text).into_iter().filter(|(at, _)| !is_inside(*at)) {
            let module = Chain::name(path.replace("::", "."));
            let mut found: Vec<Candidate> = self
                .chain(scope, None, &module, depth + 1)
                .iter()
                .flat_map(|it| self.member(it, name, depth + 1))
                .collect();
            found.retain(|it| matches!(it.value, Value::Name(_)));
            if !found.is_empty() {
                found.iter_mut().for_each(|it| it.reason = it.reason.max(Reason::Inherited));
                return found;
            }
        }
        Vec::new()
    }

    /// Returns true for a receiver that is a type or module itself, not one of its instances, in languages
    /// where both have members of one name.
    pub(super) fn is_type_itself(&self, place: Place, receiver: Option<&Chain>) -> bool {
        let has_sides =
            self.facts(place.file).is_some_and(|facts| facts.dialect.marks_class_members);
        let Some(chain) = receiver.filter(|chain| has_sides && chain.is_path()) else {
            return false;
        };
        let values = self.chain(place, None, chain, 1);
        let is_type = |it: &Candidate| {
            self.kind(it).is_some_and(|kind| {
                matches!(kind, SymbolKind::Class | SymbolKind::Module) && it.link().is_some()
            })
        };
        !values.is_empty() && values.iter().all(is_type)
    }

    /// Returns true for a member that a type itself may have: its own, or one of a module that it extends.
    pub(super) fn may_be_of_type(&self, member: SymbolAt) -> bool {
        self.symbol(member).is_some_and(|(facts, at)| {
            let symbol = &facts.symbols[at];
            let around = symbol.parent.map(|parent| facts.symbols[parent].kind);
            super::sides::is_of_type(symbol) || around != Some(SymbolKind::Class)
        })
    }

    /// Returns true for a module that types include: Ruby's.
    pub(super) fn is_mixin(&self, at: SymbolAt) -> bool {
        self.symbol(at).is_some_and(|(facts, place)| {
            facts.dialect.has_module_instances && facts.symbols[place].kind == SymbolKind::Module
        })
    }
}

/// Returns the paths of modules in lines `extend Module` and `include Module`, with their positions.
fn mixed_in(text: &[u8]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for word in [&b"extend "[..], b"include "] {
        for at in memchr::memmem::find_iter(text, word) {
            let line = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
            let after = &text[at + word.len()..];
            let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"_:".contains(byte);
            let end = after.iter().position(|byte| !is_path(byte)).unwrap_or(after.len());
            let is_module = after.first().is_some_and(u8::is_ascii_uppercase);
            if is_module && text[line..at].iter().all(u8::is_ascii_whitespace) {
                found.push((at, String::from_utf8_lossy(&after[..end]).into_owned()));
            }
            if found.len() >= MIXED_MAX {
                return found;
            }
        }
    }
    found
}
