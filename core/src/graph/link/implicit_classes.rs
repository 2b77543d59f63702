//! Methods that implicit classes and extensions of Scala add to values of other types. Which type a class
//! extends is not compared, as it is often a type parameter or another name of a type: a member that a type
//! from outside lacks, and that such a class has, may be that of the class.

use super::code::near;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::value::Candidate;
use super::walk::Walk;

/// The most definitions of one name that are examined.
const NAMED_MAX: usize = 64;

impl Walk<'_> {
    /// Marks members `name` from outside that may be those of an implicit class of the repository.
    pub(super) fn open_implicit(&self, name: &str, found: &mut [Candidate]) {
        let Some(origin) = self.origin.get() else { return };
        let is_scala = self.facts(origin.file).is_some_and(|facts| {
            facts.dialect.has_companions && facts.dialect.standard.binary_search(&name).is_err()
        });
        if !is_scala || found.is_empty() || !found.iter().all(Candidate::is_outside) {
            return;
        }
        let named = self.code.named(name);
        if near(&named, origin.file, NAMED_MAX).iter().any(|at| self.is_implicit_method(*at)) {
            found.iter_mut().for_each(|it| it.is_lost = true);
        }
    }

    /// Returns true for a method of `implicit class Name[A](value: A)` or in `extension (value: A)`.
    fn is_implicit_method(&self, at: SymbolAt) -> bool {
        let Some((facts, place)) = self.symbol(at) else { return false };
        let symbol = &facts.symbols[place];
        if !facts.dialect.has_companions || !symbol.kind.is_callable() {
            return false;
        }
        let around = symbol.parent.map(|parent| (parent, &facts.symbols[parent]));
        let is_added = facts.owner(place).is_some_and(|owner| {
            around.is_none_or(|(_, around)| owner != super::last_name(&around.name))
        });
        is_added
            || around.is_some_and(|(parent, around)| {
                let signature = self.signature(SymbolAt { place: parent as u32, ..at });
                let before = signature.split(around.name.as_str()).next().unwrap_or_default();
                is_type(around.kind) && before.split_whitespace().any(|word| word == "implicit")
            })
    }
}
