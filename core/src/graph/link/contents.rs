//! The contents of values: elements, type arguments, targets of smart pointers, and methods that every type
//! has.

use super::added::Called;
use super::code::definitions;
use super::dialect::{Extensions, Group};
use super::library::Asked;
use super::memo::Shared;
use super::position::SymbolAt;
use super::result::{Reason, Use};
use super::several::merged;
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::Protocol;
use crate::lang::symbols::SymbolKind;

/// The most calls in a definition that are searched for those of a name.
const CALLS_MAX: usize = 1024;

impl Walk<'_> {
    /// Returns the results of a call of the member `name`. In Rust, a container's method that a
    /// type of the repository lacks returns the same value: the type is transparent.
    pub(super) fn called_member(
        &self,
        place: Place,
        candidate: &Candidate,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if let Some(values) = self.by_syntax(place, candidate, name, depth) {
            return values;
        }
        let mut members = self.member(candidate, name, depth);
        self.add_extensions(place, candidate, Called::step(name), &mut members, depth);
        // A method may have the name of a field.
        let is_callable = |it: &Candidate| self.kind(it).is_some_and(SymbolKind::is_callable);
        let separates = |it: &Candidate| {
            let Value::Name(at) = it.value else { return false };
            self.symbol(at).is_some_and(|(facts, _)| facts.dialect.separates_fields)
        };
        if members.len() > 1 && members.iter().any(|it| is_callable(it) && separates(it)) {
            members.retain(is_callable);
        }
        if let Some(given) = (members.len() > 1).then(|| self.arguments_in(place, name)).flatten() {
            let used = Use { arguments: Some(given), ..Use::call(name) };
            if members.iter().any(|it| self.is_fit(it, Some(used))) {
                members.retain(|it| self.is_fit(it, Some(used)));
            }
        }
        let mut is_known =
            members.iter().any(|candidate| !matches!(candidate.value, Value::Outside));
        if !is_known && name == "next" {
            // `stream.next().await` of a stream of the repository.
            let polls = self.member(candidate, "poll_next", depth);
            if polls.iter().any(|it| is_callable(it) && separates(it)) {
                members = polls;
                is_known = true;
            }
        }
        if !is_known && let Some(values) = self.transparent_call(candidate, name, depth) {
            return values;
        }
        if let Some(values) = self.operated(candidate, name, &members, depth) {
            return values;
        }
        let results = members.iter().flat_map(|candidate| self.called_at(place, candidate, depth));
        let mut found: Vec<Candidate> = results.take(VALUES_MAX).collect();
        let facts = self.facts(place.file);
        let has_overloads = |facts: &Shared| {
            facts.dialect.extensions != Extensions::None || facts.dialect.has_java_types()
        };
        if facts.as_ref().is_some_and(has_overloads) {
            merge_instances(&mut found);
        }
        let is_generic =
            |facts: &Shared| facts.dialect.generic_results.binary_search(&name).is_ok();
        if facts.as_ref().is_some_and(is_generic) {
            let outside = found.iter_mut().filter(|it| matches!(it.value, Value::Outside));
            outside.for_each(|it| it.is_lost = true);
        }
        found
    }

    /// Returns the results of a call that is written at a place.
    pub(super) fn called_at(
        &self,
        place: Place,
        candidate: &Candidate,
        depth: usize,
    ) -> Vec<Candidate> {
        let made = self.made_of_class(place, candidate, depth);
        made.unwrap_or_else(|| self.call(candidate, depth))
    }

    /// Returns the number of arguments of the calls of a name directly in the definition around a place, if
    /// they have the same number, in languages with overloads.
    fn arguments_in(&self, place: Place, name: &str) -> Option<u8> {
        let facts = self.facts(place.file).filter(|facts| facts.dialect.overloads.is_some())?;
        let span = facts.symbols.get(place.enclosing?)?.span.clone();
        let calls = self.code.calls(place.file);
        let start = calls.partition_point(|(_, call)| call.span.start < span.start);
        let inside = calls[start..].iter().take_while(|(_, call)| call.span.start < span.end);
        let mut numbers = inside
            .take(CALLS_MAX)
            .filter(|(called, call)| called == name && call.enclosing == place.enclosing)
            .map(|(_, call)| call.arguments);
        let first = numbers.next()??;
        numbers.all(|number| number == Some(first)).then_some(first)
    }

    fn transparent_call(
        &self,
        candidate: &Candidate,
        name: &str,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let mut values = self.load(candidate, depth + 1);
        let kind = |candidate: &Candidate| match candidate.value {
            Value::Instance(of, _) => {
                let (facts, place) = self.symbol(of)?;
                let dialect = facts.dialect;
                // A smart pointer may be left out of the type.
                let is_container_method =
                    dialect.deref.is_some() && (dialect.library)().returns_itself(name);
                is_container_method
                    .then(|| (facts.symbols[place].kind, dialect.deref == Some(name)))
            }
            _ => None,
        };
        values.retain(|candidate| match kind(candidate) {
            // The type parameter of a blanket implementation is known only by its bound.
            Some((SymbolKind::Impl, is_deref)) => !is_deref,
            Some(_) => true,
            None => false,
        });
        let is_block = || match candidate.value {
            Value::Instance(of, _) => self.symbol(of).is_some_and(|(facts, place)| {
                let is_deref = facts.dialect.deref == Some(name);
                is_deref && facts.symbols[place].kind == SymbolKind::Impl
            }),
            _ => false,
        };
        (!values.is_empty() || is_block()).then_some(values)
    }

    /// Returns the member `name` of the targets to which values of a Rust type are dereferenced.
    pub(super) fn deref_members(
        &self,
        of: SymbolAt,
        written: Option<&WrittenType>,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let deref = self.symbol(of).and_then(|(facts, _)| facts.dialect.deref);
        let Some(deref) = deref.filter(|&deref| name != deref && self.take_step(depth)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for method in self.members(of, deref, depth + 1) {
            let given = method.given.clone().or_else(|| written.cloned());
            let method = Candidate { via: Some(of), given, ..method };
            for target in self.call(&method, depth + 1) {
                if !matches!(target.value, Value::Instance(same, _) if same == of) {
                    found.extend(self.member(&target, name, depth + 1));
                }
            }
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns the candidates of Rust's `Self::Name` in a block, and the bytes that it takes: the
    /// block's own type of that name takes precedence over those of other blocks of the type.
    pub(super) fn associated(
        &self,
        place: Place,
        own: Option<SymbolAt>,
        written: &str,
    ) -> Option<(Vec<Candidate>, usize)> {
        let part = written.strip_prefix("Self.")?.split('.').next()?;
        let facts = self.facts(place.file).filter(|facts| facts.dialect.has_impl_blocks)?;
        let block = facts.ancestors(place.enclosing).find(|&at| {
            let kind = facts.symbols[at].kind;
            // A type that a trait declares differs in each of its implementations.
            kind == SymbolKind::Impl || kind == SymbolKind::Trait && own.is_none()
        })?;
        let found = definitions(place.file, facts.children(Some(block), part));
        let found: Vec<Candidate> = found
            .map(|at| Candidate::new(Value::Name(at), weights::WRITTEN, Reason::Receiver))
            .collect();
        (!found.is_empty()).then_some((found, "Self.".len() + part.len()))
    }

    /// Returns what a value gives by a protocol.
    pub(super) fn element(
        &self,
        candidate: &Candidate,
        protocol: Protocol,
        depth: usize,
    ) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        match &candidate.value {
            Value::Instance(of, written) => {
                self.element_of(candidate, *of, written.as_ref(), protocol, depth)
            }
            Value::Foreign(written) => self.element_of_foreign(candidate, written, protocol, depth),
            Value::Name(at) => {
                if protocol == Protocol::Index
                    && let Some(found) = self.made_by_brackets(candidate, *at, depth)
                {
                    return found;
                }
                let loaded = self.load(candidate, depth + 1);
                let is_same = |candidate: &Candidate| matches!(candidate.value, Value::Name(same) if same == *at);
                if loaded.iter().any(is_same) {
                    // A definition with type arguments, `name[Type]`, or what needs no waiting for.
                    let is_itself =
                        protocol == Protocol::Index || self.awaits_itself(*at, protocol);
                    return if is_itself { loaded } else { Vec::new() };
                }
                self.each(&loaded, |candidate| self.element(candidate, protocol, depth + 1))
            }
            Value::ForeignMethod { is_read: true, .. } => {
                self.each(&self.returned(candidate), |it| self.element(it, protocol, depth + 1))
            }
            Value::Outside | Value::ForeignMethod { .. } => {
                vec![candidate.then(Value::Outside, 1.0)]
            }
            Value::Module(_) | Value::Callback(_) => Vec::new(),
        }
    }

    /// Returns what a method `[]` that a class or module of Ruby has itself returns: `List[1, 2]`; `None` if
    /// it has none.
    fn made_by_brackets(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let (facts, place) = self.symbol(of).filter(|(facts, _)| facts.dialect.has_open_self)?;
        let is_type = matches!(facts.symbols[place].kind, SymbolKind::Class | SymbolKind::Module);
        let mut methods =
            if is_type { self.member(candidate, "[]", depth + 1) } else { Vec::new() };
        methods.retain(|it| self.is_of_type_itself(it));
        let results = methods.iter().flat_map(|method| self.call(method, depth + 1));
        let found: Vec<Candidate> = results.take(VALUES_MAX).collect();
        (!methods.is_empty()).then_some(found)
    }

    fn element_of(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        written: Option<&WrittenType>,
        protocol: Protocol,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, _)) = self.symbol(of) else { return Vec::new() };
        let has_methods = facts.dialect.wraps_elements || protocol == Protocol::Index;
        if let Some(written) = written.filter(|_| !has_methods) {
            return self.argument(candidate, written, depth);
        }
        let given = self.given_by_methods(candidate, of, protocol, depth);
        if !given.is_empty() {
            return given;
        }
        if protocol == Protocol::Await {
            let is_itself = self.awaits_itself(of, protocol);
            let itself =
                is_itself.then(|| candidate.then(candidate.value.clone(), weights::LIKELY));
            return match written {
                Some(written) => self.argument(candidate, written, depth),
                None => itself.into_iter().collect(),
            };
        }
        let parts = self.tuple_element(candidate, of, depth + 1);
        if !parts.is_empty() {
            return parts;
        }
        let elements = self.element_of_base(of, protocol, depth);
        if !elements.is_empty() {
            return elements;
        }
        if let Some(written) = written {
            return self.argument(candidate, written, depth);
        }
        let targets = self.element_of_target(of, protocol, depth);
        let definition = Candidate::new(Value::Name(of), 1.0, Reason::Receiver);
        // The target of an alias may have elements.
        if !targets.is_empty() || self.kind(&definition) == Some(SymbolKind::Type) {
            return targets;
        }
        // What the type gives is not known.
        vec![Candidate { is_lost: true, ..candidate.then(Value::Outside, 1.0) }]
    }

    /// Returns what the targets of a type of Rust give to which its values are dereferenced.
    fn element_of_target(&self, of: SymbolAt, protocol: Protocol, depth: usize) -> Vec<Candidate> {
        let deref = self.symbol(of).and_then(|(facts, _)| facts.dialect.deref);
        let is_place = matches!(protocol, Protocol::Index | Protocol::Iterate);
        let Some(deref) = deref.filter(|_| is_place && self.take_step(depth)) else {
            return Vec::new();
        };
        let is_other = |it: &Candidate| !matches!(it.value, Value::Instance(same, _) if same == of);
        let methods = self.members(of, deref, depth + 1);
        let methods = methods.iter().map(|it| Candidate { via: Some(of), ..it.clone() });
        let targets = methods.flat_map(|method| self.call(&method, depth + 1)).filter(is_other);
        targets
            .flat_map(|target| self.element(&target, protocol, depth + 1))
            .take(VALUES_MAX)
            .collect()
    }

    /// Returns true if waiting for a value of a type, or for the definition itself, gives the value: in
    /// JavaScript, for all but types with a method `then`.
    fn awaits_itself(&self, of: SymbolAt, protocol: Protocol) -> bool {
        let is_its = |(facts, _): (Shared, usize)| facts.dialect.group == Group::JavaScript;
        protocol == Protocol::Await
            && self.symbol(of).is_some_and(is_its)
            && self.members(of, "then", 1).is_empty()
    }

    /// Returns what a type that derives from one of the library gives by a protocol: `IEnumerable<A>`.
    fn element_of_base(&self, of: SymbolAt, protocol: Protocol, depth: usize) -> Vec<Candidate> {
        for base in self.bases(of, depth + 1) {
            let found = match &base.value {
                Value::Foreign(written) => {
                    self.given_by_library(written, Asked::By(protocol), depth).unwrap_or_default()
                }
                Value::Instance(inner, written) if self.take_step(depth + 1) => match written {
                    Some(written) => self.argument(&base, written, depth + 1),
                    None if *inner != of => self.element_of_base(*inner, protocol, depth + 1),
                    None => Vec::new(),
                },
                _ => Vec::new(),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns what a value of an outside type gives by a protocol.
    fn element_of_foreign(
        &self,
        candidate: &Candidate,
        written: &WrittenType,
        protocol: Protocol,
        depth: usize,
    ) -> Vec<Candidate> {
        let has_parts = matches!(protocol, Protocol::Index | Protocol::Iterate);
        if has_parts && written.of().name() == "tuple" {
            return self.argument(candidate, written, depth);
        }
        self.of_library(candidate, written, Asked::By(protocol), depth)
    }

    /// Returns a value of the type argument that is a type's content.
    pub(super) fn argument(
        &self,
        candidate: &Candidate,
        written: &WrittenType,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some(facts) = self.facts(written.place.file) else { return Vec::new() };
        let arguments = written.of().arguments();
        let name = written.of().name();
        let is_tuple = name == "tuple" && arguments.len() > 1 && !facts.dialect.has_impl_blocks;
        if is_tuple {
            // An element of a tuple is any of its parts.
            let numbers = 0..arguments.len().min(VALUES_MAX);
            let part = |number| self.numbered_argument(candidate, written, number, depth);
            return merged(numbers.map(part).collect(), arguments.len() > VALUES_MAX);
        }
        let number = arguments.len().saturating_sub(1);
        self.numbered_argument(candidate, written, number, depth)
    }

    /// Returns a value of the type argument `number`, counted from 0.
    pub(super) fn numbered_argument(
        &self,
        candidate: &Candidate,
        written: &WrittenType,
        number: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let argument = written.of().argument(number);
        let Some(argument) = argument.filter(|argument| !argument.is_unknown()) else {
            // What the container has is not written: it may be of the repository.
            return vec![Candidate { is_lost: true, ..candidate.then(Value::Outside, 1.0) }];
        };
        let mut found = self.chain(written.place, None, &argument.value(), depth + 1);
        for value in &mut found {
            value.confidence *= candidate.confidence;
            value.choice = value.choice.and(candidate.choice);
        }
        found
    }
}

/// Merges values of one type: what overloads return does not depend on which of them a call runs.
fn merge_instances(found: &mut Vec<Candidate>) {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in found.drain(..) {
        let is_same = |other: &&mut Candidate| match (&candidate.value, &other.value) {
            (Value::Instance(of, given), Value::Instance(other, of_other)) => {
                let text =
                    |written: &Option<WrittenType>| written.as_ref().map(|it| it.text.clone());
                of == other && text(given) == text(of_other)
            }
            _ => false,
        };
        match kept.iter_mut().find(is_same) {
            Some(first) => first.confidence = first.confidence.max(candidate.confidence),
            None => kept.push(candidate),
        }
    }
    *found = kept;
}
