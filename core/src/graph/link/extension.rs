//! Methods that traits of the repository add to outside types: Rust's `impl Trait for u32`.

use std::rc::Rc;

use super::code::{FileFacts, last_name};
use super::dialect::Dialect;
use super::implementations::takes_instance;
use super::macro_blocks::is_variable_type;
use super::position::SymbolAt;
use super::result::{Link, Reason, Use};
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, TypeText};
use crate::lang::facts::{Import, ImportKind, Role};
use crate::lang::symbols::SymbolKind;

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 64;

/// The most definitions of one name that are searched for implementations for tuples and slices.
const LISTED_MAX: usize = 512;

/// The start of a macro's variable among the arguments of a type.
const VARIABLE_TYPE: &str = "~$";

/// The most blocks of one trait that are considered.
const BLOCKS_MAX: usize = 256;

/// Types of the standard library, whose own methods take precedence over those of traits.
const STANDARD_TYPES: [&str; 10] =
    ["Box", "HashMap", "HashSet", "Option", "Rc", "Arc", "Result", "String", "Vec", "str"];

/// The methods that tuples have by the standard library.
const OF_TUPLES: [&str; 9] =
    ["borrow", "clone", "cmp", "default", "eq", "fmt", "hash", "into", "partial_cmp"];

impl Walk<'_> {
    /// Returns the methods `name` that implementations of traits add to an outside type.
    pub(super) fn extensions(
        &self,
        facts: &FileFacts,
        of: &WrittenType,
        name: &str,
    ) -> Vec<Candidate> {
        let type_name = last_name(&of.text);
        if !facts.dialect.has_extension_traits
            || type_name.is_empty()
            || is_standard(facts.dialect, name)
            || STANDARD_TYPES.contains(&type_name) && facts.dialect.common.contains(&name)
        {
            return Vec::new();
        }
        let mut found = Vec::new();
        for at in self.code.members(type_name, name).iter().copied().take(NAMED_MAX) {
            let Some((there, place)) = self.symbol(at) else { continue };
            let block = there.symbols[place].parent.map(|parent| &there.symbols[parent]);
            let of_trait = block.filter(|block| block.kind == SymbolKind::Impl);
            let of_trait = of_trait.and_then(|block| block.bases.first());
            if found.len() < VALUES_MAX
                && there.symbols[place].kind != SymbolKind::Type
                && of_trait.is_some_and(|base| self.trait_of(base.named_type().text()).is_some())
            {
                found.push(Candidate::new(Value::Name(at), weights::LIKELY, Reason::Receiver));
            }
        }
        if found.is_empty() && matches!(type_name, "slice" | "tuple") {
            found = self.of_lists(of.of(), name);
        }
        let is_common = facts.dialect.common.contains(&name);
        let is_tuple = type_name == "tuple" && !OF_TUPLES.contains(&name);
        if found.is_empty() && (!is_common || is_tuple) {
            found = self.of_blocks_for_any(type_name, name);
            // A type's own function is called more often than one that a trait adds to every type.
            found.retain(|it| match it.value {
                Value::Name(at) => takes_instance(&self.signature(at)),
                _ => false,
            });
        }
        found.iter_mut().for_each(|it| it.given = Some(of.clone()));
        found
    }

    /// Returns the methods `name` that implementations of traits add to tuples and slices. Of those
    /// for tuples, those of as many parts; a macro may make any number of them.
    fn of_lists(&self, written: TypeText<'_>, name: &str) -> Vec<Candidate> {
        let count = written.arguments().len();
        let mut found: Vec<(bool, Candidate)> = Vec::new();
        for at in self.code.named(name).iter().copied().take(LISTED_MAX) {
            let Some((there, place)) = self.symbol(at) else { continue };
            let parent = there.symbols[place].parent;
            let Some(block) = parent.map(|parent| &there.symbols[parent]) else { continue };
            let of = block.type_chain.as_ref().and_then(Chain::written_type);
            let of = of.filter(|of| of.name() == written.name());
            let Some(of) = of.filter(|_| block.kind == SymbolKind::Impl) else { continue };
            let in_macro =
                block.parent.is_some_and(|of| there.symbols[of].kind == SymbolKind::Macro);
            let is_fit = of.name() == "slice"
                || of.arguments().len() == count
                || in_macro && of.text().contains(VARIABLE_TYPE);
            let is_its = |base: &Chain| self.trait_of(base.named_type().text()).is_some();
            if is_fit && block.bases.iter().any(is_its) && found.len() < VALUES_MAX {
                let of_reference = block.name.contains(" for &");
                let candidate = Candidate::new(Value::Name(at), weights::LIKELY, Reason::Receiver);
                found.push((of_reference, candidate));
            }
        }
        // The instance is what a reference points to.
        let has_plain = found.iter().any(|(of_reference, _)| !of_reference);
        found.retain(|(of_reference, _)| !(has_plain && *of_reference));
        found.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// Lowers the confidence of methods in implementations of traits: a type's own method takes
    /// precedence, and of several implementations (`impl From<A>`, `impl From<B>`) any can be meant.
    pub(super) fn compare_blocks(&self, links: &mut [Link]) {
        let of_trait = |link: &Link| {
            let (facts, place) = self.symbol(link.to)?;
            let block = facts.symbols[place].parent.map(|parent| &facts.symbols[parent])?;
            let is_block = block.kind == SymbolKind::Impl && facts.dialect.has_extension_traits;
            is_block.then_some(!block.bases.is_empty())
        };
        let is_made = |link: &Link| {
            self.symbol(link.to).is_some_and(|(facts, place)| {
                let block = facts.symbols[place].parent.and_then(|at| facts.symbols[at].parent);
                block.is_some_and(|around| facts.symbols[around].kind == SymbolKind::Macro)
            })
        };
        if links.len() < 2 {
            return;
        }
        let of_traits: Vec<Option<bool>> = links.iter().map(of_trait).collect();
        let own = of_traits.iter().filter(|of| **of == Some(false)).count();
        let implemented = of_traits.iter().filter(|of| **of == Some(true)).count();
        let factor = match (own, implemented) {
            (0, 2..) => weights::SHOWN,
            (1.., 1..) => weights::AFTER,
            _ => return,
        };
        for (link, _) in links.iter_mut().zip(of_traits).filter(|(_, of)| *of == Some(true)) {
            // One that is written is likelier than one that a macro makes.
            link.confidence *= if is_made(link) { factor * weights::AFTER } else { factor };
        }
    }

    /// Returns the methods `name` of traits that are implemented for every type, for one of the
    /// repository that has no such member. Unless the type is closed, it may have common methods of
    /// traits from outside.
    pub(super) fn methods_for_all(
        &self,
        of: SymbolAt,
        name: &str,
        is_closed: bool,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        // An alias may stand for a type from outside.
        let is_possible = facts.dialect.has_extension_traits
            && facts.symbols[place].kind != SymbolKind::Type
            && !OF_TUPLES.contains(&name)
            && (is_closed || !facts.dialect.common.contains(&name));
        let type_name = facts.symbols[place].name.as_str();
        if !is_possible {
            return Vec::new();
        }
        let mut found = self.of_blocks_for_any(type_name, name);
        let text = type_name.into();
        let place = Place { file: of.file, enclosing: facts.symbols[place].parent };
        found
            .iter_mut()
            .for_each(|it| it.given = Some(WrittenType { place, text: Rc::clone(&text) }));
        found
    }

    /// Returns the methods `name` of traits that are implemented for every type, for a value of an unknown
    /// type from outside; otherwise something outside.
    pub(super) fn methods_of_unknown(&self, name: &str) -> Vec<Candidate> {
        let facts = self.origin.get().and_then(|origin| self.facts(origin.file));
        let is_possible = facts.is_some_and(|facts| {
            facts.dialect.has_extension_traits
                && !facts.dialect.common.contains(&name)
                && !is_standard(facts.dialect, name)
                && !OF_TUPLES.contains(&name)
        });
        let mut found = if is_possible { self.of_blocks_for_any("_", name) } else { Vec::new() };
        found.retain(|it| match it.value {
            Value::Name(at) => takes_instance(&self.signature(at)),
            _ => false,
        });
        if found.is_empty() {
            found.push(Candidate::new(Value::Outside, 1.0, Reason::Receiver));
        }
        found
    }

    /// Returns the methods `name` of traits that are implemented for functions: for every type.
    pub(super) fn methods_of_functions(&self, facts: &FileFacts, name: &str) -> Vec<Candidate> {
        let is_possible = facts.dialect.has_extension_traits && name != "clone";
        if is_possible { self.of_blocks_for_any("fn", name) } else { Vec::new() }
    }

    /// Returns the methods of a name that traits declare and that are implemented for every type,
    /// or for slices.
    fn of_blocks_for_any(&self, type_name: &str, name: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        let named = self.code.named(name);
        for at in named.iter().copied().take(NAMED_MAX) {
            let Some((facts, place)) = self.symbol(at) else { continue };
            let around = facts.symbols[place].parent.map(|parent| &facts.symbols[parent]);
            let Some(around) = around.filter(|around| around.kind == SymbolKind::Trait) else {
                continue;
            };
            if found.len() < VALUES_MAX
                && self.is_trait_in_scope(at, &around.name)
                && self.is_for_any(&around.name, type_name)
            {
                let own = self.of_block_for_any(&around.name, type_name, &named);
                let at = own.unwrap_or(at);
                found.push(Candidate::new(Value::Name(at), weights::PLAUSIBLE, Reason::Inherited));
            }
        }
        found
    }

    /// Returns the only one of some methods that a block defines which implements a trait for the type
    /// or for every type.
    fn of_block_for_any(
        &self,
        of_trait: &str,
        type_name: &str,
        named: &[SymbolAt],
    ) -> Option<SymbolAt> {
        let mut own = named.iter().copied().take(NAMED_MAX).filter(|at| {
            let Some((facts, place)) = self.symbol(*at) else { return false };
            let Some(parent) = facts.symbols[place].parent else { return false };
            let block = &facts.symbols[parent];
            let is_its = |base: &Chain| base.last_name() == of_trait;
            let name = facts.block_type(parent).unwrap_or_default();
            let is_parameter =
                (1..=2).contains(&name.len()) && name.starts_with(char::is_uppercase);
            let block_at = SymbolAt { file: at.file, place: parent as u32 };
            let is_made =
                || is_variable_type(name) && self.is_made_for(&facts, block_at, type_name);
            block.kind == SymbolKind::Impl
                && block.bases.iter().any(is_its)
                && (is_parameter || name == type_name || is_made())
        });
        let first = own.next();
        if own.next().is_none() { first } else { None }
    }

    /// Returns the candidate of a name without a binding that can only come from outside: Rust's
    /// primitive types, and types that a JavaScript module does not import.
    pub(super) fn unbound(&self, place: Place, name: &str, is_called: bool) -> Option<Candidate> {
        let facts = self.facts(place.file)?;
        let is_module = || facts.imports.iter().any(|import| import.kind == ImportKind::Module);
        let value = if facts.dialect.primitives.contains(&name) {
            Value::Foreign(WrittenType { place, text: name.into() })
        } else if name.starts_with(char::is_uppercase)
            && (facts.dialect.has_closed_constants
                && !is_called
                && self.code.named(name).is_empty()
                || facts.dialect.has_outside_types && is_module())
        {
            Value::Outside
        } else {
            return None;
        };
        Some(Candidate::new(value, 1.0, Reason::Receiver))
    }

    fn trait_of(&self, name: &str) -> Option<SymbolAt> {
        let named = self.code.named(last_name(name));
        named.iter().copied().take(NAMED_MAX).find(|at| {
            let symbol = self.symbol(*at);
            symbol.is_some_and(|(facts, place)| facts.symbols[place].kind == SymbolKind::Trait)
        })
    }

    /// Returns the method of the only trait that declares a name, for an unresolved receiver, if no
    /// type has another method of that name.
    pub(super) fn of_one_trait(&self, place: Place, used: Use<'_>) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let is_path = used.receiver.is_some_and(Chain::is_path);
        let is_common =
            facts.dialect.common.contains(&used.name) || is_standard(facts.dialect, used.name);
        if !facts.dialect.has_extension_traits || used.role != Role::Call || is_path || is_common {
            return Vec::new();
        }
        let (mut declared, mut own) = (Vec::new(), Vec::new());
        let named = self.code.named(used.name);
        for at in named.iter().copied().take(NAMED_MAX) {
            let Some((there, place)) = self.symbol(at) else { continue };
            let symbol = &there.symbols[place];
            let Some(parent) = symbol.parent.filter(|_| symbol.kind.is_callable()) else {
                continue;
            };
            if !self.accepts_arguments(used, at, &there, symbol) {
                continue;
            }
            let around = &there.symbols[parent];
            match around.kind {
                SymbolKind::Trait => declared.push((at, around.name.clone())),
                SymbolKind::Impl => own.push(around.bases.first().cloned()),
                _ => {}
            }
        }
        let [(at, of_trait)] = declared.as_slice() else { return Vec::new() };
        let is_its = |base: &Option<Chain>| base.as_ref().map(Chain::last_name) == Some(of_trait);
        let is_fit = own.iter().all(is_its);
        let reason = if named.len() == 1 { Reason::UniqueName } else { Reason::OnlyFit };
        let confidence = weights::UNIQUE;
        is_fit.then(|| Candidate::new(Value::Name(*at), confidence, reason)).into_iter().collect()
    }

    /// Returns true for a use in the method `at` of its own name, if that implements a trait from outside of
    /// the repository: `fn poll(…) { self.inner.poll(…) }`.
    pub(super) fn is_delegating(&self, place: Place, name: &str, at: SymbolAt) -> bool {
        let Some((facts, method)) = self.symbol(at) else { return false };
        let symbol = &facts.symbols[method];
        let is_around = facts.ancestors(place.enclosing).any(|around| around == method);
        let block = symbol.parent.map(|parent| &facts.symbols[parent]);
        facts.dialect.has_extension_traits
            && at.file == place.file
            && is_around
            && symbol.name == name
            && block.is_some_and(|block| {
                let base = block.bases.first().filter(|_| block.kind == SymbolKind::Impl);
                base.is_some_and(|base| self.trait_of(base.named_type().text()).is_none())
            })
    }

    /// Returns true for a call of the enclosing method's name on `self`, where the method implements a trait
    /// from outside for a type from outside, which has a method of that name for other arguments: `impl
    /// Rem<A> for i32`.
    pub(super) fn calls_outside_type(
        &self,
        place: Place,
        used: Use<'_>,
        candidates: &[Candidate],
    ) -> bool {
        let is_own = |it: &Candidate| match it.value {
            Value::Name(at) => self.is_delegating(place, used.name, at),
            _ => false,
        };
        let is_block = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(facts, place)| {
                let name = facts.block_type(place);
                name.is_some_and(|name| !is_variable_type(name))
            })
        };
        used.receiver.is_some_and(Chain::is_own)
            && !candidates.is_empty()
            && candidates.iter().all(is_own)
            && self.own_types(place, 1).iter().all(is_block)
    }

    /// Returns true if the file of the use sees a trait, so that it can call the trait's methods.
    fn is_trait_in_scope(&self, method: SymbolAt, of_trait: &str) -> bool {
        let Some(origin) = self.origin.get() else { return true };
        let Some(facts) = self.facts(origin.file) else { return true };
        // `use Trait as _;`
        let is_bound = |import: &Import| import.names.iter().any(|bound| bound.name == of_trait);
        origin.file == method.file
            || facts.imports.iter().any(is_bound)
            || self
                .nested_query(1, |depth| self.name(origin, of_trait, depth))
                .iter()
                .any(|it| matches!(it.value, Value::Name(at) if at.file == method.file))
    }

    /// Returns true if a block implements the trait for the type, for every type or, for a slice, for
    /// slices.
    fn is_for_any(&self, of_trait: &str, type_name: &str) -> bool {
        self.memo.implemented(of_trait, type_name, || self.has_block_for(of_trait, type_name))
    }

    /// Takes no steps of the walk, so that the result is the same for every use.
    fn has_block_for(&self, of_trait: &str, type_name: &str) -> bool {
        let is_list = matches!(type_name, "slice" | "tuple");
        self.code.derived(of_trait).iter().copied().take(BLOCKS_MAX).any(|block| {
            let Some(facts) = self.memo.file(self.code, block.file) else { return false };
            let place = block.place as usize;
            let name = (place < facts.symbols.len()).then(|| facts.block_type(place)).flatten();
            let Some(name) = name else { return false };
            let is_parameter =
                (1..=2).contains(&name.len()) && name.starts_with(char::is_uppercase);
            let is_made = is_variable_type(name) && self.is_made_for(&facts, block, type_name);
            is_parameter || is_list && name.is_empty() || name == type_name || is_made
        })
    }
}

/// Returns true for the name of a method that types of the standard library may have themselves.
fn is_standard(dialect: &Dialect, name: &str) -> bool {
    dialect.standard_prefixes.iter().any(|start| name.starts_with(start))
}
