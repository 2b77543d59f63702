//! Ruby's `super`: a call of the enclosing method's name that runs the next definition after that method,
//! in the modules that its type includes and then in the superclass. In a module, that is what the types
//! which include the module have behind it.

use super::code::FileFacts;
use super::plugins::METHODS_MAX;
use super::position::SymbolAt;
use super::result::{CONFIDENCE_ANSWER, Reason, Use};
use super::sides::{is_of_object, is_of_type};
use super::value::{Candidate, Choice, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, Root};
use crate::lang::facts::Role;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The word for the next definition.
pub const WORD: &str = "super";

/// The most types and modules that include a module, and how many modules they include it through.
const USERS_MAX: usize = 32;
const LEVELS_MAX: usize = 4;

/// Which methods a search considers: of instances, of the type itself, or of either, since a module may be
/// included or extend a type.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Instance,
    Type,
    Either,
}

/// What a search for the next definition found.
#[derive(Default)]
struct Next {
    found: Vec<Candidate>,
    /// A type has the definition, if any, from outside.
    is_outside: bool,
    /// A type has a base of the repository that could not be followed, or no type is known.
    is_unknown: bool,
    /// The types and modules that were visited.
    seen: Vec<SymbolAt>,
}

impl FileFacts {
    /// Returns the method that the enclosing symbol is in, if a use by this name calls the one which it
    /// overrides: Ruby's `super`.
    pub fn method_of_super(&self, name: &str, enclosing: Option<usize>) -> Option<usize> {
        let is_word = name == WORD && self.dialect.has_module_instances;
        let mut around = self.ancestors(enclosing).filter(|_| is_word);
        around.find(|at| self.symbols[*at].kind.is_callable())
    }
}

impl Walk<'_> {
    /// Returns what a use of `super` calls; `None` for another use.
    pub(super) fn of_super(&self, place: Place, used: Use<'_>) -> Option<Vec<Candidate>> {
        let chain = used.receiver.filter(|_| used.name == WORD && used.role == Role::Call)?;
        let facts = self.facts(place.file).filter(|it| it.dialect.has_module_instances)?;
        let Some(method) = facts.method_of_super(used.name, place.enclosing) else {
            return Some(Vec::new());
        };
        let at = SymbolAt { file: place.file, place: method as u32 };
        let name = facts.symbols[method].name.as_str();
        let is_own = matches!(chain.decode(), (Root::Base, steps) if steps.is_done());
        if !is_own || is_of_object(&facts, method) {
            // The method is in a block that makes a class.
            let bases = if is_own { Vec::new() } else { self.chain(place, None, chain, 0) };
            let members = bases.iter().flat_map(|base| self.member(base, name, 0));
            return Some(members.map(inherited).collect());
        }
        let Some(own) = self.own_types(place, 0).first().copied() else { return Some(Vec::new()) };
        let side = if self.is_class_side(place) { Side::Type } else { Side::Instance };
        let mut next = Next::default();
        self.next_after(own, None, name, at, side, LEVELS_MAX, &mut next);
        let mut found: Vec<Candidate> = Vec::new();
        for candidate in next.found {
            let link = candidate.link();
            if !found.iter().any(|it| it.link() == link) {
                found.push(candidate);
            }
        }
        if found.len() > 1 || next.is_unknown && !found.is_empty() {
            found.iter_mut().for_each(|it| it.choice = Choice::Open);
        }
        if found.is_empty() && next.is_unknown {
            found = self.replaced_by(&facts, place, name, at);
        } else if found.is_empty() && next.is_outside {
            if side == Side::Type && facts.constructor_call() == Some(name) {
                found = self.constructed_by_new(&facts, own);
            }
            if found.is_empty() {
                found.push(Candidate::new(Value::Outside, 1.0, Reason::Inherited));
            }
        }
        Some(found)
    }

    /// Returns the constructor that the `new` of every class runs: that of the type, or of one derived
    /// from it.
    fn constructed_by_new(&self, facts: &FileFacts, own: SymbolAt) -> Vec<Candidate> {
        let object =
            Candidate::new(Value::Instance(own, None), weights::OPEN_MAX, Reason::Inherited);
        let names = facts.dialect.constructors.iter();
        let mut found: Vec<Candidate> =
            names.flat_map(|name| self.member(&object, name, 1)).collect();
        found.retain(|it| matches!(it.value, Value::Name(_)));
        found
    }

    /// Searches the next definition in a type or module, behind the module `after` if it is given, and
    /// otherwise behind its own.
    #[expect(clippy::too_many_arguments, reason = "a recursive search with its state")]
    fn next_after(
        &self,
        of: SymbolAt,
        after: Option<SymbolAt>,
        name: &str,
        method: SymbolAt,
        side: Side,
        levels: usize,
        next: &mut Next,
    ) {
        if next.seen.contains(&of) || next.seen.len() >= USERS_MAX {
            return;
        }
        next.seen.push(of);
        let Some((facts, place)) = self.symbol(of) else { return };
        let symbol = &facts.symbols[place];
        let bases = self.bases(of, 1);
        let is_after = |base: &Candidate| {
            module_or_type(base)
                .is_some_and(|it| after.is_some_and(|after| self.is_same(it, after)))
        };
        let prepended = self.prepended(of);
        let is_prepended =
            |it: SymbolAt| prepended.iter().any(|prepended| self.is_same(*prepended, it));
        if after.is_some_and(is_prepended) && self.add_members(of, name, method, side, next) {
            return;
        }
        let from = bases.iter().position(is_after).map_or(0, |at| at + 1);
        for base in &bases[from..] {
            match module_or_type(base) {
                Some(base) if is_prepended(base) => {}
                Some(base) if self.add_members(base, name, method, side, next) => return,
                Some(_) => {}
                None => {
                    next.is_outside = true;
                    return;
                }
            }
        }
        if symbol.kind != SymbolKind::Module {
            // What remains is a class from outside, and `Object` at the end.
            let is_lost = self.has_lost_base(of, symbol, bases.len());
            next.is_unknown |= is_lost;
            next.is_outside |= !is_lost;
            return;
        }
        if side == Side::Type {
            next.is_outside = true;
            return;
        }
        let users = self.users(of, symbol);
        let Some(levels) = levels.checked_sub(1).filter(|_| !users.is_empty()) else {
            next.is_unknown = true;
            return;
        };
        for user in users {
            let first = next.found.len();
            self.next_after(user, Some(of), name, method, Side::Either, levels, next);
            for candidate in &mut next.found[first..] {
                candidate.confidence = candidate.confidence.min(weights::OPEN_MAX);
            }
        }
    }

    /// Adds the methods that a type or module or its bases have; returns false if there are none.
    fn add_members(
        &self,
        of: SymbolAt,
        name: &str,
        method: SymbolAt,
        side: Side,
        next: &mut Next,
    ) -> bool {
        let Some((facts, place)) = self.symbol(of) else { return false };
        // The methods of a module's instances become those of a type that it extends.
        let is_module = facts.symbols[place].kind == SymbolKind::Module;
        let side = if is_module { Side::Instance } else { side };
        let is_fit = |it: &Candidate| match it.value {
            Value::Name(at) => {
                let is_callable = self.symbol(at).is_some_and(|(there, at)| {
                    let symbol = &there.symbols[at];
                    let is_of_type = is_of_type(symbol);
                    let is_of_side = match side {
                        Side::Instance => !is_of_type,
                        Side::Type => is_of_type || self.is_in_module(&there.symbols, symbol),
                        Side::Either => true,
                    };
                    is_of_side && (symbol.kind.is_callable() || symbol.kind == SymbolKind::Property)
                });
                is_callable && at != method
            }
            _ => false,
        };
        let value = if is_module { Value::Name(of) } else { Value::Instance(of, None) };
        let value = if side == Side::Type { Value::Name(of) } else { value };
        let of_value = |value| Candidate::new(value, weights::WRITTEN, Reason::Inherited);
        let mut found = self.member(&of_value(value), name, 1);
        found.retain(is_fit);
        if found.is_empty() && side == Side::Either {
            found = self.member(&of_value(Value::Name(of)), name, 1);
            found.retain(is_fit);
        }
        found.truncate(METHODS_MAX);
        let is_any = !found.is_empty();
        next.found.extend(found.into_iter().map(inherited));
        is_any
    }

    /// Returns true for a method of a module, which may extend a type.
    fn is_in_module(&self, symbols: &[Symbol], symbol: &Symbol) -> bool {
        symbol.parent.is_some_and(|parent| symbols[parent].kind == SymbolKind::Module)
    }

    /// Returns true if two definitions are parts of one type or module.
    fn is_same(&self, a: SymbolAt, b: SymbolAt) -> bool {
        let name = |at| self.symbol(at).map(|(facts, at)| facts.symbols[at].qualified_name.clone());
        a == b || name(a).is_some_and(|of_a| name(b) == Some(of_a))
    }

    /// Returns the types and modules that include a module, each once.
    pub(super) fn users(&self, module: SymbolAt, symbol: &Symbol) -> Vec<SymbolAt> {
        let mut found: Vec<SymbolAt> = Vec::new();
        for &user in self.code.derived(&symbol.name).iter().take(USERS_MAX) {
            let is_new = !found.iter().any(|known| self.is_same(*known, user));
            let includes = |base: &Candidate| {
                module_or_type(base).is_some_and(|base| self.is_same(base, module))
            };
            if is_new && self.bases(user, 1).iter().any(includes) {
                found.push(user);
            }
        }
        found
    }

    /// Returns true if a base of a class that could not be followed may be one of the repository.
    fn has_lost_base(&self, of: SymbolAt, symbol: &Symbol, known: usize) -> bool {
        let written = |base: &&Chain| base.before_parameter().is_none();
        let is_defined =
            |base: &Chain| self.code.named(base.last_name()).iter().any(|at| *at != of);
        let all: Vec<&Chain> = symbol.bases.iter().filter(written).collect();
        all.len() > known && all.into_iter().any(is_defined)
    }

    /// Returns the method that plugins replace, for one of a module that nothing shown includes: the method
    /// of the same name in modules of the module's name that does not call `super`.
    fn replaced_by(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        method: SymbolAt,
    ) -> Vec<Candidate> {
        let named = self.code.named(name);
        let is_other = |at: &SymbolAt| {
            *at != method
                && self.symbol(*at).is_some_and(|(there, at)| {
                    there.symbols[at].kind.is_callable()
                        && there.dialect.group == facts.dialect.group
                        && self.is_in_module(&there.symbols, &there.symbols[at])
                })
        };
        let mut others: Vec<SymbolAt> =
            named.iter().copied().filter(is_other).take(METHODS_MAX).collect();
        let all = others.len();
        self.retain_namesakes(facts, place, &mut others);
        if others.len() > 1 {
            others = self.replaced_by_others(&others).into_iter().collect();
        }
        let confidence = if all == METHODS_MAX { weights::FEW } else { weights::ONLY_FIT };
        let reason =
            if confidence < CONFIDENCE_ANSWER { Reason::Ambiguous } else { Reason::OnlyFit };
        others.into_iter().map(|at| Candidate::new(Value::Name(at), confidence, reason)).collect()
    }
}

/// Returns the definition of a base.
fn module_or_type(base: &Candidate) -> Option<SymbolAt> {
    match base.value {
        Value::Instance(at, _) | Value::Name(at) => Some(at),
        _ => None,
    }
}

fn inherited(it: Candidate) -> Candidate {
    Candidate { reason: it.reason.max(Reason::Inherited), ..it }
}
