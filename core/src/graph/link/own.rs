//! What `$` is at a place: the types that it is an instance of, or an object without a type.

use super::code::definitions;
use super::kinds::{is_member, is_type, is_variable};
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, TypeText};
use crate::lang::symbols::SymbolKind;

impl Walk<'_> {
    /// Returns the types that `$` is an instance of at `place`.
    pub(super) fn own_types(&self, place: Place, depth: usize) -> Vec<SymbolAt> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        if facts.dialect.has_namespaces {
            return self.scoped_own_types(&facts, place, depth);
        }
        let own = |at: usize| vec![SymbolAt { file: place.file, place: at as u32 }];
        let mut outermost: Option<usize> = None;
        for around in facts.ancestors(place.enclosing) {
            let inner = outermost.replace(around);
            let symbol = &facts.symbols[around];
            if symbol.kind == SymbolKind::Impl {
                let Some(name) = facts.block_type(around) else { return own(around) };
                let scope = Place { enclosing: symbol.parent, ..place };
                let mut types = self.types(&self.name(scope, name, depth + 1));
                // The type may be written as a path: `impl Trait for module::Type`.
                let path = symbol.type_chain.as_ref().and_then(Chain::written_type);
                let path = path.map(TypeText::path);
                if let Some(path) = path.filter(|path| types.is_empty() && path.contains('.')) {
                    let found = self.chain(scope, None, &Chain::instance(path), depth + 1);
                    let named: Vec<Candidate> =
                        found.iter().filter_map(Candidate::of_type).collect();
                    types = self.types(&named);
                }
                return if types.is_empty() { own(around) } else { types };
            }
            let is_own = is_type(symbol.kind)
                || symbol.kind == SymbolKind::Module && facts.dialect.has_module_instances
                || facts.is_constructor_function(around);
            // Methods of an object literal belong to the constant that it is bound to.
            let is_object = is_variable(symbol.kind)
                && Some(around) != place.enclosing
                && symbol.type_chain.is_none();
            if is_own && facts.dialect.merges_types {
                // An interface extends a class of the same name.
                let same = definitions(place.file, facts.children(symbol.parent, &symbol.name));
                let is_merged = |at: &SymbolAt| {
                    at.place as usize == around || is_type(facts.symbols[at.place as usize].kind)
                };
                return same.filter(is_merged).take(VALUES_MAX).collect();
            }
            // What a function of JavaScript returns: a class, or an object with methods.
            let is_returned = facts.dialect.has_added_members
                && symbol.kind == SymbolKind::Function
                && inner.is_some_and(|at| facts.symbols[at].kind == SymbolKind::Method);
            if is_own || is_object || is_returned {
                return own(around);
            }
        }
        if facts.dialect.has_program_macros
            && let Some(block) = self.block_of_call(&facts, place)
        {
            return vec![block];
        }
        // A method outside of its type: Go, C++, `Type.prototype.method`.
        let Some(method) = outermost else { return Vec::new() };
        let Some(name) = self.extended_owner(&facts, place.file, method) else { return Vec::new() };
        self.types(&self.name(Place { enclosing: None, ..place }, &name, depth + 1))
    }

    /// Returns the module as the object that `$` is in a method of the literal that it exports:
    /// JavaScript's `module.exports = { name() {} }`.
    pub(super) fn exported_object(&self, place: Place) -> Option<Candidate> {
        let facts = self.facts(place.file).filter(|facts| facts.dialect.has_module_values)?;
        let outermost = facts.ancestors(place.enclosing).last()?;
        let is_member =
            is_member(facts.symbols[outermost].kind) && facts.owner(outermost).is_none();
        is_member
            .then(|| Candidate::new(Value::Module(place.file), weights::BY_RULE, Reason::Receiver))
    }

    /// Returns the file as the object that `$` is outside of all definitions: its instance variables
    /// are those that blocks of Ruby's specifications share.
    pub(super) fn file_object(&self, place: Place) -> Option<Candidate> {
        let facts = self.facts(place.file).filter(|facts| facts.dialect.has_open_self)?;
        let is_outermost =
            facts.ancestors(place.enclosing).all(|at| is_variable(facts.symbols[at].kind));
        is_outermost
            .then(|| Candidate::new(Value::Module(place.file), weights::BY_RULE, Reason::Receiver))
    }

    /// Returns the members of the type in a wrapper, in whose implementation block a value is: `self` of
    /// Rust's `impl Trait for Box<Type>`.
    pub(super) fn of_wrapped_block(
        &self,
        block: SymbolAt,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(block) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        if symbol.kind != SymbolKind::Impl || !facts.dialect.has_extension_traits {
            return Vec::new();
        }
        let Some(chain) = symbol.type_chain.as_ref() else { return Vec::new() };
        let scope = Place { file: block.file, enclosing: symbol.parent };
        let values = self.chain(scope, None, chain, depth);
        let is_other = |it: &&Candidate| !matches!(it.value, Value::Instance(of, _) if of == block);
        let others = values.iter().filter(is_other);
        let mut found: Vec<Candidate> =
            others.flat_map(|it| self.member(it, name, depth + 1)).collect();
        found.retain(|it| matches!(it.value, Value::Name(_)));
        found
    }
}
