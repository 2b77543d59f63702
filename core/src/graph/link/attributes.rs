//! Attributes of C#, whose names may lack the end of their type's name: `[Obsolete]` is
//! `ObsoleteAttribute`.

use super::code::FileFacts;
use super::dialect::OverloadRules;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::{Reason, Use};
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::lang::facts::Role;

/// The end of the names of attributes.
const END: &str = "Attribute";

impl Walk<'_> {
    /// Returns the candidates for a use that is an attribute, none if its type is outside of the
    /// repository; `None` for other uses.
    pub(super) fn of_attribute(&self, place: Place, used: Use<'_>) -> Option<Vec<Candidate>> {
        // Only attributes have no number of arguments (`lang::grammars::csharp`).
        let is_candidate =
            used.role == Role::Call && used.arguments.is_none() && used.start.is_some();
        if !is_candidate || !self.facts(place.file)?.has_attribute_names() {
            return None;
        }
        let mut name = used.name.to_owned();
        if !name.ends_with(END) {
            name.push_str(END);
        }
        // An attribute whose name has no such end.
        let is_attribute = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(facts, place)| {
                let symbol = &facts.symbols[place];
                is_type(symbol.kind)
                    && symbol.bases.iter().any(|base| base.last_name().ends_with(END))
            })
        };
        if self.code.named(&name).is_empty() && self.code.named(used.name).iter().any(is_attribute)
        {
            name = used.name.to_owned();
        }
        if self.code.named(&name).is_empty() {
            return Some(vec![Candidate::new(Value::Outside, 1.0, Reason::Program)]);
        }
        Some(self.candidates(place, Use { name: &name, ..used }))
    }
}

impl FileFacts {
    fn has_attribute_names(&self) -> bool {
        self.dialect.overloads == Some(OverloadRules::CSharp)
    }

    /// Returns the name by which attributes may name a type: that without the end.
    pub fn attribute_name(&self, place: usize) -> Option<&str> {
        let symbol = self.symbols.get(place).filter(|symbol| is_type(symbol.kind))?;
        let name = symbol.name.strip_suffix(END).filter(|name| !name.is_empty())?;
        self.has_attribute_names().then_some(name)
    }
}
