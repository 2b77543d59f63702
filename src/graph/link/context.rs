//! Parameters of callbacks: a parameter without a type has the one that the function to which the
//! callback is passed declares (the step `(N)` of chains).

use super::code::last_name;
use super::kinds::is_type;
use super::parameters::{of_rust_function, parameters, receiver_of, written_type};
use super::position::SymbolAt;
use super::type_syntax::TypeSyntax;
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::lang::chain::{Chain, LAST_PARAMETER, RECEIVER_PARAMETER};
use crate::lang::symbols::SymbolKind;

impl Walk<'_> {
    /// Returns the parameter `number` of a function, a class's constructor or a function type, by
    /// their signatures.
    pub(super) fn parameter(
        &self,
        candidate: &Candidate,
        number: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        match &candidate.value {
            Value::Name(at) => self.parameter_of_name(candidate, *at, number, depth),
            Value::Callback(written) if written.text.starts_with("fn(") => {
                let parts = of_rust_function(&written.text, "");
                let part = parts.as_ref().and_then(|parts| parts.get(number).copied());
                let chain = part.and_then(crate::lang::rust_type);
                let values = chain.map(|chain| {
                    self.chain(written.place, candidate.via, &chain, depth + 1).into_iter().map(
                        |value| {
                            let confidence = value.confidence * candidate.confidence * 0.97;
                            Candidate { confidence, ..value }
                        },
                    )
                });
                values.into_iter().flatten().collect()
            }
            Value::Callback(written) if number == RECEIVER_PARAMETER => {
                self.receiver(candidate, written, depth)
            }
            Value::Callback(written) => {
                let Some(syntax) = self.type_syntax(written.place) else { return Vec::new() };
                let functions = match syntax.of_function(&written.text) {
                    Some(_) => vec![written.clone()],
                    None => self.aliased(written, depth),
                };
                let of = |function: &WrittenType| {
                    let parts = syntax.of_function(&function.text);
                    let part = parts.as_ref().and_then(|parts| parts.get(number).copied());
                    let part = part.and_then(|part| syntax.of_function_parameter(part));
                    self.of_written(candidate, function.place, part, depth)
                };
                functions.iter().flat_map(of).collect()
            }
            Value::Instance(of, _) => self.parameter_of_type(candidate, *of, number, depth),
            _ => Vec::new(),
        }
    }

    /// Returns the receiver of a function type, which may be written as an alias: Kotlin's `Type.(A)
    /// -> B`.
    fn receiver(
        &self,
        candidate: &Candidate,
        written: &WrittenType,
        depth: usize,
    ) -> Vec<Candidate> {
        let of = |written: &WrittenType| {
            let chain = Chain::instance(receiver_of(&written.text)?);
            let mut found = self.chain(written.place, None, &chain, depth + 1);
            for value in &mut found {
                value.confidence *= candidate.confidence * 0.97;
                value.reason = value.reason.max(candidate.reason);
            }
            Some(found)
        };
        if let Some(found) = of(written) {
            return found;
        }
        let mut found: Vec<Candidate> =
            self.aliased(written, depth).iter().filter_map(of).flatten().collect();
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns the types that a written name is an alias of.
    fn aliased(&self, written: &WrittenType, depth: usize) -> Vec<WrittenType> {
        let name = last_name(written.text.trim_end_matches('?'));
        let mut found = Vec::new();
        for alias in self.name(written.place, name, depth + 1) {
            let Value::Name(at) = alias.value else { continue };
            if self.kind(&alias) != Some(SymbolKind::Type) {
                continue;
            }
            let signature = self.signature(at);
            let place = Place { file: at.file, enclosing: Some(at.place as usize) };
            let target = signature.split_once(" = ").map(|(_, target)| target);
            found.extend(target.map(|target| WrittenType { place, text: target.into() }));
        }
        found
    }

    fn type_syntax(&self, place: Place) -> Option<TypeSyntax> {
        Some(self.facts(place.file)?.dialect.type_syntax)
    }

    fn parameter_of_name(
        &self,
        candidate: &Candidate,
        at: SymbolAt,
        number: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(at) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        if symbol.kind.is_callable() {
            let signature = self.signature(at);
            let parts = parameters(&symbol.name, &signature);
            let part = parts.as_ref().and_then(|parts| match number {
                LAST_PARAMETER => parts.last().copied(),
                number => parts.get(number).copied(),
            });
            let scope = Place { file: at.file, enclosing: Some(place) };
            if number == LAST_PARAMETER {
                let written = part.and_then(|part| facts.dialect.type_syntax.of_parameter(part));
                let callback = written.map(|written| {
                    let text = written.into();
                    candidate.then(Value::Callback(WrittenType { place: scope, text }), 0.97)
                });
                return callback.into_iter().collect();
            }
            if facts.dialect.has_callable_bounds {
                let written = part.and_then(written_type);
                let callback_parameters =
                    written.and_then(|written| of_rust_function(written, &signature));
                let callback = callback_parameters.map(|parts| {
                    let text = format!("fn({})", parts.join(", ")).into();
                    candidate.then(Value::Callback(WrittenType { place: scope, text }), 0.97)
                });
                return callback.into_iter().collect();
            }
            let written = part.and_then(|part| facts.dialect.type_syntax.of_parameter(part));
            return self.of_written(candidate, scope, written, depth);
        }
        if is_type(symbol.kind) {
            let made = self.constructors(candidate);
            let made = made.iter().map(|made| self.parameter(made, number, depth + 1));
            let made = made.into_iter().find(|found| !found.is_empty());
            return made.unwrap_or_default();
        }
        let loaded = self.load(candidate, depth + 1);
        let is_other =
            |candidate: &&Candidate| !matches!(candidate.value, Value::Name(same) if same == at);
        let found = loaded.iter().filter(is_other);
        found
            .flat_map(|candidate| self.parameter(candidate, number, depth + 1))
            .take(VALUES_MAX)
            .collect()
    }

    /// Returns a parameter of a value whose type is an alias of a function type.
    fn parameter_of_type(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        number: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        if facts.symbols[place].kind != SymbolKind::Type {
            return Vec::new();
        }
        let signature = self.signature(of);
        let Some((_, written)) = signature.split_once(" = ") else { return Vec::new() };
        let syntax = facts.dialect.type_syntax;
        let parts = syntax.of_function(written.trim_end_matches(';'));
        let part = parts.as_ref().and_then(|parts| parts.get(number).copied());
        let part = part.and_then(|part| syntax.of_function_parameter(part));
        self.of_written(candidate, Place { file: of.file, enclosing: Some(place) }, part, depth)
    }

    /// Returns a value of a written type.
    fn of_written(
        &self,
        candidate: &Candidate,
        place: Place,
        written: Option<&str>,
        depth: usize,
    ) -> Vec<Candidate> {
        let (Some(written), Some(syntax)) = (written, self.type_syntax(place)) else {
            return Vec::new();
        };
        if syntax.of_function(written).is_some() {
            let callback = Value::Callback(WrittenType { place, text: written.into() });
            return vec![candidate.then(callback, 0.97)];
        }
        let Some(chain) = syntax.chain(written) else { return Vec::new() };
        let value = || self.chain(place, candidate.via, &chain, depth + 1);
        let mut found =
            if syntax == TypeSyntax::NamedArrow { value() } else { self.given(candidate, value) };
        for value in &mut found {
            value.confidence *= candidate.confidence * 0.97;
            value.reason = value.reason.max(candidate.reason);
        }
        found
    }
}
