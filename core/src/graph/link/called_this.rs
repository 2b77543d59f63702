//! `this` of functions of JavaScript that are passed or assigned where a function is expected (the step
//! `(253)` of chains): what the expected type declares, otherwise the object whose method it is. Values
//! that functions of TypeScript test (`(252)`).

use super::kinds::is_variable;
use super::parameters::{alias_target, tested_type, this_of_function, this_of_signature};
use super::position::SymbolAt;
use super::several::is_known_value;
use super::value::{Candidate, Choice, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::symbols::SymbolKind;

/// The most bytes of a definition that are read.
const TEXT_BYTES_MAX: usize = 4096;

impl Walk<'_> {
    /// Returns the values of `this` in a function that is called as `candidate`.
    pub(super) fn this_of(&self, candidate: &Candidate, depth: usize) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        match &candidate.value {
            Value::Callback(written) => {
                let of = this_of_function(&written.text);
                self.of_written(candidate, written.place, of, depth)
            }
            Value::Instance(of, given) => {
                let given = given.clone();
                let own = Candidate { given, via: Some(*of), ..candidate.clone() };
                self.this_of_alias(&own, *of, depth)
            }
            Value::Name(at) => {
                let declared = self.declared_this(candidate, *at, depth);
                let owner = || {
                    let of = candidate.via?;
                    let instance = Value::Instance(of, candidate.given.clone());
                    Some(Candidate { via: Some(of), ..candidate.then(instance, weights::WRITTEN) })
                };
                match declared {
                    Some(found) => found,
                    None => owner().into_iter().collect(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Returns the `this` that a method or the type of a property declares; `None` if it declares none.
    fn declared_this(
        &self,
        candidate: &Candidate,
        at: SymbolAt,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        let scope = Place { file: at.file, enclosing: Some(place) };
        if symbol.kind.is_callable() {
            let signature = self.untruncated_signature(at);
            let of = this_of_signature(&symbol.name, &signature)?;
            return Some(self.of_written(candidate, scope, Some(of), depth));
        }
        if !is_variable(symbol.kind) {
            return None;
        }
        let text = self.code.text(at.file)?;
        let end = text.len().min(symbol.span.end).min(symbol.name_span.end + TEXT_BYTES_MAX);
        let text = String::from_utf8_lossy(text.get(symbol.name_span.end..end)?).into_owned();
        let written = text.trim_start_matches(['?', '!']).trim_start().strip_prefix(':');
        if let Some(of) = written.and_then(this_of_function) {
            return Some(self.of_written(candidate, scope, Some(of), depth));
        }
        let loaded = self.load(candidate, depth + 1);
        let is_other = |it: &&Candidate| !matches!(it.value, Value::Name(_));
        let of_each = loaded.iter().filter(is_other).map(|it| self.this_of(it, depth + 1));
        let found: Vec<Candidate> = of_each.flatten().take(VALUES_MAX).collect();
        (!found.is_empty()).then_some(found)
    }

    /// Returns values of the type for which a function of TypeScript tests its argument: `A` of
    /// `(value: any) => value is A`.
    pub(super) fn tested_by(&self, candidate: &Candidate, depth: usize) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        match &candidate.value {
            Value::Callback(written) => {
                let of = tested_type(&written.text).map(str::to_owned);
                self.of_written(candidate, written.place, of.as_deref(), depth)
            }
            Value::Name(at) => {
                let Some((facts, place)) = self.symbol(*at) else { return Vec::new() };
                let symbol = &facts.symbols[place];
                let is_its = symbol.kind.is_callable() || is_variable(symbol.kind);
                if !is_its || !facts.dialect.has_call_signatures {
                    return Vec::new();
                }
                let Some(text) = self.code.text(at.file) else { return Vec::new() };
                let start = symbol.name_span.end;
                let end = text.len().min(symbol.span.end).min(start + TEXT_BYTES_MAX);
                let Some(text) = text.get(start..end) else { return Vec::new() };
                let text = String::from_utf8_lossy(text);
                let scope = Place { file: at.file, enclosing: Some(place) };
                self.of_written(candidate, scope, tested_type(&text), depth)
            }
            _ => Vec::new(),
        }
    }

    /// Returns what `find` returns for a tested value; `None` if the chain is none, or the test has no type
    /// that leads to something. A member of the former type that overrides it is nearer, and where that type
    /// is written and unknown, the answer is open.
    pub(super) fn narrowed(
        &self,
        place: Place,
        chain: &Chain,
        find: impl Fn(&Chain) -> Vec<Candidate>,
    ) -> Option<Vec<Candidate>> {
        let parts = chain.several().filter(|_| chain.is_first())?;
        let (tested, others) = parts.split_first()?;
        let mut found = find(tested);
        let to = found.iter().find_map(Candidate::link)?.to;
        let mut is_open = false;
        for other in others {
            let nearer = find(other);
            let overrides = |it: &Candidate| {
                it.link().is_some_and(|it| it.to != to && self.overridden(it.to).contains(&to))
            };
            if nearer.iter().any(overrides) {
                return Some(nearer);
            }
            let values = self.chain(place, None, other, 0);
            // The types of an alias may derive from the tested one.
            let is_alias = |it: &Candidate| {
                it.of_type().and_then(|of| self.kind(&of)) == Some(SymbolKind::Type)
            };
            let is_found = nearer.iter().any(|it| it.link().is_some());
            is_open |=
                !values.iter().any(is_known_value) || !is_found && values.iter().any(is_alias);
        }
        for it in found.iter_mut().filter(|_| is_open) {
            it.choice = Choice::Open;
        }
        Some(found)
    }

    /// Returns the `this` that an alias of a function type declares.
    fn this_of_alias(&self, candidate: &Candidate, of: SymbolAt, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        if symbol.kind != SymbolKind::Type || !facts.dialect.has_call_signatures {
            return Vec::new();
        }
        let Some(text) = self.code.text(of.file) else { return Vec::new() };
        let end = text.len().min(symbol.span.end).min(symbol.span.start + TEXT_BYTES_MAX);
        let Some(text) = text.get(symbol.span.start..end) else { return Vec::new() };
        let text = String::from_utf8_lossy(text);
        let written = alias_target(&symbol.name, &text).and_then(this_of_function);
        let scope = Place { file: of.file, enclosing: Some(place) };
        self.of_written(candidate, scope, written, depth)
    }
}
