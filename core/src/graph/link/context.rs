//! Parameters of callbacks: a parameter without a type has the one that the function to which the
//! callback is passed declares (the step `(N)` of chains).

use super::code::last_name;
use super::dialect::TypeSyntax;
use super::kinds::{is_type, is_variable};
use super::parameters::{
    alias_target, call_signatures, chain_of_type, of_function_type, of_rust_function, parameters,
    receiver_of, result_of_function_type, type_at, written_type,
};
use super::position::SymbolAt;
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, Parameter};
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// The most bytes of an interface that are searched for call signatures.
const INTERFACE_BYTES_MAX: usize = 1 << 16;

/// The most bytes of the type of a property that are read.
const FIELD_BYTES_MAX: usize = 4096;

impl Walk<'_> {
    /// Returns a parameter of a function, a class's constructor or a function type, by their signatures.
    pub(super) fn parameter(
        &self,
        candidate: &Candidate,
        parameter: Parameter,
        depth: usize,
    ) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        match parameter {
            Parameter::This => return self.this_of(candidate, depth),
            Parameter::Tested => return self.tested_by(candidate, depth),
            Parameter::Numbered(_) | Parameter::Last | Parameter::Receiver => {}
        }
        // No list has so many parameters.
        let number = parameter.number().unwrap_or(usize::MAX);
        match &candidate.value {
            Value::Name(at) => self.parameter_of_name(candidate, *at, parameter, depth),
            Value::Callback(written) if written.text.starts_with("fn(") => {
                let parts = of_rust_function(&written.text, "");
                let part = parts.as_ref().and_then(|parts| parts.get(number).copied());
                let chain = part.and_then(crate::lang::rust_type);
                let values = chain.map(|chain| {
                    self.chain(written.place, candidate.via, &chain, depth + 1).into_iter().map(
                        |value| {
                            let confidence =
                                value.confidence * candidate.confidence * weights::STEP;
                            Candidate { confidence, ..value }
                        },
                    )
                });
                values.into_iter().flatten().collect()
            }
            Value::Callback(written) if parameter == Parameter::Receiver => {
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
                    if let (TypeSyntax::NamedArrow, Some(parts)) = (syntax, &parts) {
                        return self.parameter_at(candidate, function.place, parts, number, depth);
                    }
                    let part = parts.as_ref().and_then(|parts| parts.get(number).copied());
                    let part = part.and_then(|part| syntax.of_function_parameter(part));
                    self.of_written(candidate, function.place, part, depth)
                };
                functions.iter().flat_map(of).collect()
            }
            Value::Instance(of, written) => {
                let given = written.clone();
                let candidate = Candidate { given, via: Some(*of), ..candidate.clone() };
                self.parameter_of_type(&candidate, *of, number, depth)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the parameter `number` of a function type of TypeScript; of a rest parameter whose type is
    /// a type parameter, the part of the tuple that it stands for.
    fn parameter_at(
        &self,
        candidate: &Candidate,
        place: Place,
        parts: &[&str],
        number: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let before = parts.len().saturating_sub(1);
        let rest = parts.last().filter(|part| part.starts_with("...") && number >= before);
        let all = rest.and_then(|part| written_type(part));
        let is_name = |text: &&str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        match all.filter(is_name) {
            Some(tuple) => {
                let tuple = self.of_written(candidate, place, Some(tuple), depth);
                let number = (number - before).to_string();
                self.each(&tuple, |tuple| self.member(tuple, &number, depth + 1))
            }
            None => self.of_written(candidate, place, type_at(parts, number), depth),
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
                value.confidence *= candidate.confidence * weights::STEP;
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
        parameter: Parameter,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(at) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        if symbol.kind.is_callable() && facts.dialect.has_untyped_values {
            return self.passed_to_block(candidate, at, parameter, depth);
        }
        if symbol.kind.is_callable() {
            let signature = self.untruncated_signature(at);
            let parts = parameters(&symbol.name, &signature);
            let part = parts.as_ref().and_then(|parts| match parameter {
                Parameter::Last => parts.last().copied(),
                _ => parts.get(parameter.number()?).copied(),
            });
            let scope = Place { file: at.file, enclosing: Some(place) };
            if parameter == Parameter::Last {
                let written = part.and_then(|part| facts.dialect.type_syntax.of_parameter(part));
                let callback = written.map(|written| {
                    let text = written.into();
                    candidate
                        .then(Value::Callback(WrittenType { place: scope, text }), weights::STEP)
                });
                return callback.into_iter().collect();
            }
            if facts.dialect.has_callable_bounds {
                let written = part.and_then(written_type);
                let callback_parameters =
                    written.and_then(|written| of_rust_function(written, &signature));
                let callback = callback_parameters.map(|parts| {
                    let text = format!("fn({})", parts.join(", ")).into();
                    candidate
                        .then(Value::Callback(WrittenType { place: scope, text }), weights::STEP)
                });
                if callback.is_none() {
                    let chain = written.and_then(crate::lang::rust_type);
                    let of = |chain: &Chain| self.chain(scope, candidate.via, chain, depth + 1);
                    return chain.map(|chain| of(&chain)).unwrap_or_default();
                }
                return callback.into_iter().collect();
            }
            let written = part.and_then(|part| facts.dialect.type_syntax.of_parameter(part));
            return self.of_written(candidate, scope, written, depth);
        }
        if is_variable(symbol.kind)
            && facts.dialect.has_call_signatures
            && let Some(number) = parameter.number()
            && let Some(found) = self.parameter_of_field(candidate, at, number, depth)
        {
            return found;
        }
        if is_type(symbol.kind) {
            let made = self.constructors(candidate, depth);
            let made = made.iter().map(|made| self.parameter(made, parameter, depth + 1));
            let made = made.into_iter().find(|found| !found.is_empty());
            return made.unwrap_or_default();
        }
        let loaded = self.load(candidate, depth + 1);
        let is_other =
            |candidate: &&Candidate| !matches!(candidate.value, Value::Name(same) if same == at);
        let found = loaded.iter().filter(is_other);
        found
            .flat_map(|candidate| self.parameter(candidate, parameter, depth + 1))
            .take(VALUES_MAX)
            .collect()
    }

    /// Returns a parameter of a property or variable whose type is written as a function type; `None` if
    /// it has another one.
    fn parameter_of_field(
        &self,
        candidate: &Candidate,
        at: SymbolAt,
        number: usize,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        let text = self.code.text(at.file)?;
        let end = text.len().min(symbol.span.end).min(symbol.name_span.end + FIELD_BYTES_MAX);
        let text = String::from_utf8_lossy(text.get(symbol.name_span.end..end)?);
        let written = text.trim_start_matches(['?', '!']).trim_start().strip_prefix(':')?;
        let parts = of_function_type(written.trim())?;
        let scope = Place { file: at.file, enclosing: Some(place) };
        Some(self.of_written(candidate, scope, type_at(&parts, number), depth))
    }

    /// Returns what a method of Ruby passes to its block.
    fn passed_to_block(
        &self,
        candidate: &Candidate,
        at: SymbolAt,
        parameter: Parameter,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(at) else { return Vec::new() };
        let scope = Place { file: at.file, enclosing: Some(place) };
        let passed = facts.symbols[place].bases.iter().filter_map(Chain::before_parameter);
        let mut found: Vec<Candidate> = passed
            .filter(|(_, of)| *of == parameter)
            .flat_map(|(chain, _)| self.chain(scope, candidate.via, &chain, depth + 1))
            .take(VALUES_MAX)
            .collect();
        for value in &mut found {
            value.confidence *= candidate.confidence * weights::STEP;
            value.reason = value.reason.max(candidate.reason);
        }
        found
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
        let scope = Place { file: of.file, enclosing: Some(place) };
        let symbol = &facts.symbols[place];
        if symbol.kind == SymbolKind::Interface && facts.dialect.has_call_signatures {
            let Some(text) = self.text_of(of) else { return Vec::new() };
            let signatures = call_signatures(&symbol.name, &text).into_iter();
            let types = signatures.filter_map(|(parts, _)| type_at(&parts, number));
            return self.first_of_written(candidate, scope, types, depth);
        }
        if symbol.kind != SymbolKind::Type {
            return Vec::new();
        }
        if facts.dialect.type_syntax != TypeSyntax::NamedArrow {
            return self.parameter_of_alias(candidate, of, number, depth);
        }
        // The signature ends at the end of the first line.
        let length = symbol.span.len();
        let text = self.text_of(of).and_then(|text| Some(text.get(..length)?.to_owned()));
        let Some(written) = text.as_deref().and_then(|text| alias_target(&symbol.name, text))
        else {
            return Vec::new();
        };
        if let Some(parts) = of_function_type(written) {
            return self.of_written(candidate, scope, type_at(&parts, number), depth);
        }
        // Of a union of function types, the first with a known parameter.
        let parts = split(written, b'|').into_iter().map(str::trim).take(VALUES_MAX);
        let values = parts.filter(|part| *part != written).filter_map(chain_of_type);
        let known = values.map(|chain| {
            let values = self.chain(scope, candidate.via, &chain, depth + 1);
            self.each(&values, |value| self.parameter(value, number.into(), depth + 1))
        });
        known.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns the parameter `number` of a function type by the signature of its alias.
    fn parameter_of_alias(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        number: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let signature = self.signature(of);
        let Some((_, written)) = signature.split_once(" = ") else { return Vec::new() };
        let syntax = facts.dialect.type_syntax;
        let parts = syntax.of_function(written.trim_end_matches(';'));
        let part = parts.as_ref().and_then(|parts| parts.get(number).copied());
        let part = part.and_then(|part| syntax.of_function_parameter(part));
        self.of_written(candidate, Place { file: of.file, enclosing: Some(place) }, part, depth)
    }

    /// Returns the results of a call of a value whose type is an interface with call signatures, or an alias
    /// of a function type.
    pub(super) fn called_interface(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let own = match &candidate.value {
            Value::Instance(same, given) if *same == of => {
                Some(Candidate { given: given.clone(), via: Some(of), ..candidate.clone() })
            }
            _ => None,
        };
        let candidate = own.as_ref().unwrap_or(candidate);
        let symbol = &facts.symbols[place];
        if symbol.kind == SymbolKind::Type && facts.dialect.has_call_signatures {
            let text =
                self.text_of(of).and_then(|text| Some(text.get(..symbol.span.len())?.to_owned()));
            let target = text.as_deref().and_then(|text| alias_target(&symbol.name, text));
            let scope = Place { file: of.file, enclosing: Some(place) };
            // `type Made = { new (a: A): R }`
            let is_object = target.is_some_and(|target| target.starts_with('{'));
            if let Some(text) = text.as_deref().filter(|_| is_object) {
                let signatures = call_signatures(&symbol.name, text).into_iter();
                let results = signatures.map(|(_, result)| result);
                return self.first_of_written(candidate, scope, results, depth);
            }
            let result = target.and_then(result_of_function_type);
            return self.of_written(candidate, scope, result, depth);
        }
        let is_callable =
            facts.symbols[place].kind == SymbolKind::Interface && facts.dialect.has_call_signatures;
        let Some(text) = is_callable.then(|| self.text_of(of)).flatten() else { return Vec::new() };
        let name = &facts.symbols[place].name;
        let results = call_signatures(name, &text).into_iter().map(|(_, result)| result);
        let scope = Place { file: of.file, enclosing: Some(place) };
        let found = self.first_of_written(candidate, scope, results, depth);
        if !found.is_empty() || !self.take_step(depth) {
            return found;
        }
        let bases = self.bases(of, depth + 1);
        let of_base = |base: &Candidate| match base.value {
            Value::Instance(base, _) if base != of => {
                self.called_interface(candidate, base, depth + 1)
            }
            _ => Vec::new(),
        };
        bases.iter().map(of_base).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns the text from the start of a definition on. It may go on after the end that the
    /// grammar finds, which does not parse all signatures.
    fn text_of(&self, of: SymbolAt) -> Option<String> {
        let (facts, place) = self.symbol(of)?;
        let start = facts.symbols[place].span.start;
        let text = self.code.text(of.file)?;
        let end = text.len().min(start + INTERFACE_BYTES_MAX);
        Some(String::from_utf8_lossy(text.get(start..end)?).into_owned())
    }

    /// Returns the values of the first of some written types that is known.
    fn first_of_written<'w>(
        &self,
        candidate: &Candidate,
        place: Place,
        types: impl Iterator<Item = &'w str>,
        depth: usize,
    ) -> Vec<Candidate> {
        let is_known = |value: &Candidate| {
            matches!(value.value, Value::Name(_) | Value::Instance(..) | Value::Callback(_))
        };
        types
            .take(VALUES_MAX)
            .map(|written| self.of_written(candidate, place, Some(written), depth))
            .find(|found| found.iter().any(is_known))
            .unwrap_or_default()
    }

    /// Returns a value of a written type.
    pub(super) fn of_written(
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
            return vec![candidate.then(callback, weights::STEP)];
        }
        let Some(chain) = syntax.chain(written) else { return Vec::new() };
        let value = || self.chain(place, candidate.via, &chain, depth + 1);
        let mut found = self.given(candidate, value);
        for value in &mut found {
            value.confidence *= candidate.confidence * weights::STEP;
            value.reason = value.reason.max(candidate.reason);
        }
        found
    }
}
