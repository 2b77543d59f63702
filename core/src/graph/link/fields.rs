//! Fields of C: types are not scopes there, and only pointers to functions are symbols. The types of
//! other fields, of variables and of results are read from the text where they are written.

use super::dialect::Group;
use super::kinds::is_type;
use super::overloads::declared_type;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most bytes of a type that are read.
const TYPE_BYTES_MAX: usize = 1 << 16;

impl Walk<'_> {
    /// Returns the field `name` of a type of C: the symbol of a pointer to a function, otherwise a
    /// value of the field's type. O(text of the type).
    pub(super) fn fields(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of).filter(|_| self.take_step(depth)) else {
            return Vec::new();
        };
        let symbol = &facts.symbols[place];
        if facts.dialect.group != Group::C || facts.dialect.has_namespaces {
            return Vec::new();
        }
        let field = |&child: &u32| {
            let at = SymbolAt { file: of.file, place: child };
            Candidate::new(Value::Name(at), weights::STEP, Reason::Receiver)
        };
        let own: Vec<Candidate> = facts.children(Some(place), name).iter().map(field).collect();
        if !own.is_empty() {
            return own;
        }
        if symbol.kind == SymbolKind::Type {
            return self.fields_of_alias(of, name, depth);
        }
        let Some(text) = self.code.text(of.file) else { return Vec::new() };
        let end = symbol.span.end.min(symbol.span.start + TYPE_BYTES_MAX);
        let text = String::from_utf8_lossy(text.get(symbol.span.start..end).unwrap_or_default());
        let place = Place { file: of.file, enclosing: None };
        match declared_type(&text, name) {
            Some(written) => self.chain(place, None, &Chain::instance(&written), depth + 1),
            None => Vec::new(),
        }
    }

    /// Returns the field of the type that a `typedef` names.
    fn fields_of_alias(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        let inside = facts.all_children(Some(place)).iter();
        let inside = inside.filter(|&&child| is_type(facts.symbols[child as usize].kind));
        let mut types: Vec<SymbolAt> =
            inside.map(|&child| SymbolAt { file: of.file, place: child }).collect();
        if types.is_empty() {
            let signature = self.signature(of);
            let signature = format!("{};", signature.trim_start_matches("typedef"));
            let written = declared_type(&signature, &symbol.name);
            let Some(written) = written else { return Vec::new() };
            let scope = Place { file: of.file, enclosing: None };
            let named = self.name(scope, &written, depth + 1);
            let is_other = |it: &Candidate| self.kind(it).is_some_and(is_type);
            let links = named.iter().filter(|it| is_other(it)).filter_map(Candidate::link);
            types = links.map(|link| link.to).filter(|&to| to != of).collect();
        }
        let found = types.iter().flat_map(|&of| self.fields(of, name, depth + 1));
        found.take(VALUES_MAX).collect()
    }

    /// Returns the chain of the value of a variable of C, or of the result of a function, by its
    /// signature; `None` in other languages.
    pub(super) fn written_chain(&self, at: SymbolAt, symbol: &Symbol) -> Option<Chain> {
        let facts = self.facts(at.file)?;
        if facts.dialect.group != Group::C || facts.dialect.has_namespaces {
            return None;
        }
        let signature = self.signature(at);
        Some(Chain::instance(&declared_type(&format!("{signature};"), &symbol.name)?))
    }
}
