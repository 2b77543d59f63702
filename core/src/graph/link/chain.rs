//! Receiver chains ([`crate::lang::chain`]) to candidates.

use super::added::Called;
use super::bounds::is_function_trait;
use super::code::{FileFacts, last_name};
use super::dialect::{Extensions, Group};
use super::hops::View;
use super::kinds::{is_type, is_variable};
use super::library::Asked;
use super::overloads::named::made_by_library;
use super::parameters::parameters;
use super::position::SymbolAt;
use super::result::{Reason, Use};
use super::scope::ABSOLUTE;
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::graph::imports::Resolution;
use crate::graph::weights;
use crate::lang::chain::{Chain, Malformed, Parameter, Root, Step, Steps, TypeText};
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most steps of a chain, plus one.
const CHAIN_STEPS_MAX: usize = 24;

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the candidates of `chain`, written at `place`. `own` is the type of `$`, if not that around.
    pub(super) fn chain(
        &self,
        place: Place,
        own: Option<SymbolAt>,
        chain: &Chain,
        depth: usize,
    ) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        if let Some(values) = self.one_of(chain, true, |chain| self.chain(place, own, chain, depth))
        {
            return values;
        }
        let (root, steps) = chain.decode();
        let types = || own.map_or_else(|| self.own_types(place, depth + 1), |own| vec![own]);
        let (mut values, steps) = match root {
            Root::Instance(of) => self.typed(place, own, chain, of, depth),
            Root::Name("Self") => {
                let named =
                    |at| Candidate::new(Value::Name(at), weights::WRITTEN, Reason::Receiver);
                (types().into_iter().map(named).collect(), steps)
            }
            Root::Name(name) if TypeText::of(name).parameter().is_some() => {
                // `T::Item::name()`, but not the constant `T::MAX`.
                let path = chain.path();
                let of_type = path.get(name.len() + 1..).unwrap_or_default();
                let part = of_type.split('.').next().unwrap_or_default();
                let path = if part.contains(char::is_lowercase) { path } else { name };
                let found = self.projected(place, path, depth);
                let (values, taken) = found.unwrap_or_default();
                let named = |it: &Candidate| it.of_type().unwrap_or_else(|| it.clone());
                (values.iter().map(named).collect(), chain.steps_after(taken))
            }
            Root::Name(name) => self.root(place, chain, name, depth),
            Root::Own if self.is_class_side(place) => {
                let named = |at| Candidate {
                    via: Some(at),
                    ..Candidate::new(Value::Name(at), weights::WRITTEN, Reason::Receiver)
                };
                (types().into_iter().map(named).collect(), steps)
            }
            Root::Own => {
                let instance = |at: SymbolAt| {
                    let given = self.own_arguments(place, own, at);
                    Candidate {
                        via: Some(at),
                        ..Candidate::new(
                            Value::Instance(at, given),
                            weights::WRITTEN,
                            Reason::Receiver,
                        )
                    }
                };
                let mut values: Vec<Candidate> = types().into_iter().map(instance).collect();
                let mut first = chain.decode().1;
                let is_field = first.next() == Some(Ok(Step::Member("0")))
                    && matches!(first.next(), None | Some(Ok(Step::Member(_))));
                values.extend(
                    values
                        .iter()
                        .filter_map(|it| self.own_list(it, is_field, depth))
                        .flatten()
                        .collect::<Vec<_>>(),
                );
                values = self.each(&values, |value| self.unaliased(value, depth));
                if values.is_empty() && own.is_none() {
                    values.extend(self.extended_outside(place));
                    values.extend(self.exported_object(place));
                    values.extend(self.file_object(place));
                }
                (values, steps)
            }
            Root::Base => {
                let bases = types().into_iter().flat_map(|own| self.bases(own, depth + 1));
                (bases.collect(), steps)
            }
            Root::Fixture(name) => (self.fixture(place, name, depth + 1), steps),
            Root::Variable(name) => match chain.passed() {
                Some(passed) => return self.chain(place, own, &passed, depth + 1),
                None => (self.passed_by_calls(place, name, depth), steps),
            },
            Root::Unknown => return Vec::new(),
        };
        let mut steps = steps.peekable();
        if matches!(root, Root::Name(_)) && steps.peek() != Some(&Ok(Step::Call)) {
            self.prefer_object(&mut values, true);
        }
        let is_open = |name: &str| name == "Self" || TypeText::of(name).parameter().is_some();
        let names_definition = matches!(root, Root::Name(name) if !is_open(name));
        let has_bounds = self.facts(place.file).is_some_and(|facts| {
            let dialect = facts.dialect;
            dialect.has_impl_blocks
                || dialect.has_usings
                || dialect.has_call_signatures
                || dialect.group == Group::Go
        });
        for _ in 0..CHAIN_STEPS_MAX {
            let Some(step) = steps.next() else { return values };
            let before = match &values[..] {
                [value] if has_bounds => value.confidence,
                _ => 0.0,
            };
            let mut is_call = step == Ok(Step::Call);
            values = match step {
                Ok(Step::Call) => {
                    self.each(&values, |candidate| self.called_at(place, candidate, depth))
                }
                Ok(Step::Yield(protocol)) => {
                    self.each(&values, |candidate| self.element(candidate, protocol, depth))
                }
                Ok(implicit @ (Step::Parameter(Parameter::Receiver) | Step::Member("this"))) => {
                    // `this` is the instance of an anonymous class of Java.
                    let receivers = self.each(&values, |candidate| match implicit {
                        Step::Member(_) => vec![candidate.clone()],
                        _ => self.parameter(candidate, Parameter::Receiver, depth),
                    });
                    match steps.peek() {
                        Some(&Ok(Step::Member(name))) => {
                            steps.next();
                            let is_call = steps.next_if_eq(&Ok(Step::Call)).is_some();
                            let named = self.implicit_member(place, &receivers, name, depth);
                            if is_call {
                                self.each(&named, |candidate| self.call(candidate, depth))
                            } else {
                                named
                            }
                        }
                        _ => receivers,
                    }
                }
                Ok(Step::Parameter(number)) => {
                    self.each(&values, |candidate| self.parameter(candidate, number, depth))
                }
                Ok(Step::Member(name)) if steps.next_if_eq(&Ok(Step::Call)).is_some() => {
                    is_call = true;
                    self.each(&values, |candidate| {
                        let mut found = self.called_member(place, candidate, name, depth);
                        if names_definition {
                            self.remove_own_trait(candidate, &mut found);
                            self.open_outside_trait(place, candidate, name, &mut found);
                        }
                        found
                    })
                }
                Ok(Step::Member(name)) => {
                    let callback = match steps.peek() {
                        Some(&Ok(Step::Parameter(number))) => Some(number),
                        _ => None,
                    };
                    let mut members = self.each(&values, |candidate| {
                        let mut members = self.member(candidate, name, depth);
                        if members.is_empty() {
                            members = self.mapped_member(candidate, name, depth);
                        }
                        if let Some(number) = callback {
                            members.retain(|member| self.has_parameter(member, number));
                            let called = Called::step(name);
                            self.add_extensions(place, candidate, called, &mut members, depth);
                        }
                        members
                    });
                    self.prefer_object(&mut members, true);
                    members
                }
                Err(Malformed) => return Vec::new(),
            };
            if is_call {
                self.mark_results(place, &mut values);
            }
            // Types that are declared make no step of a chain of calls less likely than the others.
            if let [value] = &mut values[..] {
                value.confidence = value.confidence.max(before * weights::STEP_LEAST);
            }
            // In a block of an unknown function, a bare name may be one around it.
            let is_block = matches!(steps.peek(), Some(&Ok(Step::Parameter(Parameter::Receiver))));
            if values.is_empty() && !is_block {
                return values;
            }
        }
        Vec::new()
    }

    /// Removes values of a trait of Rust from what its method returns that is called by the trait's name:
    /// the first argument determines the type.
    fn remove_own_trait(&self, of: &Candidate, found: &mut Vec<Candidate>) {
        let Value::Name(own) = of.value else { return };
        let is_trait = self.symbol(own).is_some_and(|(facts, place)| {
            facts.symbols[place].kind == SymbolKind::Trait && facts.dialect.has_extension_traits
        });
        if is_trait {
            found.retain(|it| !matches!(it.value, Value::Instance(same, _) if same == own));
        }
    }

    /// Returns false for a function without the parameter `number`, in languages whose extensions
    /// may have it.
    fn has_parameter(&self, member: &Candidate, parameter: Parameter) -> bool {
        let Value::Name(at) = member.value else { return true };
        let Some((facts, place)) = self.symbol(at) else { return true };
        let symbol = &facts.symbols[place];
        if parameter == Parameter::Last && facts.dialect.extensions == Extensions::Prefix {
            return !symbol.kind.is_callable() || self.takes_function(&facts, at, symbol);
        }
        let number = parameter.number();
        let is_open = facts.dialect.extensions == Extensions::None || !symbol.kind.is_callable();
        let arity = || facts.arity(at.place, || self.code.text(at.file));
        is_open
            || number
                .is_none_or(|number| arity().is_none_or(|(_, most)| number < usize::from(most)))
    }

    /// Returns true if the last parameter of a function is one, as far as its type shows.
    fn takes_function(&self, facts: &FileFacts, at: SymbolAt, symbol: &Symbol) -> bool {
        let signature = self.signature(at);
        let parts = parameters(&symbol.name, &signature).unwrap_or_default();
        let syntax = facts.dialect.type_syntax;
        let written = parts.last().and_then(|part| syntax.of_parameter(part));
        let is_callable = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                matches!(there.symbols[place].kind, SymbolKind::Type | SymbolKind::Interface)
            })
        };
        written.is_some_and(|written| {
            let named = || self.code.named(last_name(written.trim_end_matches('?')));
            syntax.of_function(written).is_some() || named().iter().take(NAMED_MAX).any(is_callable)
        })
    }

    /// Returns what a bare name refers to in a block with these implicit receivers.
    fn implicit_member(
        &self,
        place: Place,
        receivers: &[Candidate],
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        for receiver in receivers {
            let mut members = self.member(receiver, name, depth);
            self.add_extensions(place, receiver, Called::step(name), &mut members, depth);
            found.extend(members.into_iter().filter(|it| matches!(it.value, Value::Name(_))));
        }
        if found.is_empty() { self.name(place, name, depth + 1) } else { found }
    }

    pub(super) fn each(
        &self,
        values: &[Candidate],
        step: impl Fn(&Candidate) -> Vec<Candidate>,
    ) -> Vec<Candidate> {
        let mut next: Vec<Candidate> = values.iter().flat_map(step).collect();
        next.truncate(VALUES_MAX);
        next
    }

    /// Returns the values of a name at the start of a chain, and the remaining steps.
    fn root<'c>(
        &self,
        place: Place,
        chain: &'c Chain,
        name: &'c str,
        depth: usize,
    ) -> (Vec<Candidate>, Steps<'c>) {
        if let Some(found) = self.dotted(place, chain, depth) {
            return found;
        }
        let rest = chain.steps_after(name.len());
        let is_called = matches!(chain.steps_after(name.len()).next(), Some(Ok(Step::Call)));
        // `name::<Type>()` of Rust.
        let generic = name;
        let name = TypeText::of(name).path();
        let mut found = self.name(place, name, depth + 1);
        if is_called {
            self.replace_modules(place, name, &mut found);
        }
        let states_type = generic.len() > name.len();
        if states_type
            && is_called
            && let Some(of) = self.stated_result(place, &found, generic, depth)
        {
            let mut rest = rest;
            rest.next();
            return (of, rest);
        }
        if states_type && !self.facts(place.file).is_some_and(|facts| facts.dialect.has_usings) {
            let written = WrittenType { place, text: generic.into() };
            found.iter_mut().for_each(|it| it.given = Some(written.clone()));
        }
        if is_called && !found.iter().any(|it| matches!(it.value, Value::Name(_))) {
            // An extension of the enclosing type.
            let call = Use { enclosing: place.enclosing, ..Use::call(name) };
            let extensions = self.own_extensions(place, call, depth + 1);
            if !extensions.is_empty() {
                found = extensions;
            }
        }
        if !is_called && self.are_functions(&found) {
            let scopes = self.facts(place.file).map(|facts| self.scopes_named(&facts, place, name));
            found = scopes.filter(|scopes| !scopes.is_empty()).unwrap_or(found);
        }
        if !is_called && self.are_callable(place, &found) {
            // A function may have the name of a module.
            found.extend(self.module(place.file, name, weights::STEP));
        }
        if !found.is_empty() {
            self.retain_arity(&mut found, 0);
            // Traits may add functions to a type from outside.
            let is_outside = found.iter().all(|it| matches!(it.value, Value::Outside));
            let has_extensions =
                self.facts(place.file).is_some_and(|facts| facts.dialect.has_extension_traits);
            if is_outside && has_extensions && name.starts_with(char::is_uppercase) && !is_called {
                let written = WrittenType { place, text: name.into() };
                return (vec![found[0].then(Value::Foreign(written), 1.0)], rest);
            }
            return (found, rest);
        }
        let of_parameter = self.types_of_parameter(place, name, depth);
        if !of_parameter.is_empty() {
            return (of_parameter, rest);
        }
        if let Some(block) = self.block_of_variable(place.file, name) {
            return (
                vec![Candidate::new(Value::Name(block), weights::WRITTEN, Reason::Receiver)],
                rest,
            );
        }
        if let Some((found, end)) = self.by_qualified_name(place, chain.path()) {
            return (found, chain.steps_after(end));
        }
        if let Some((found, end)) = self.qualified(place, chain.path(), depth) {
            return (found, chain.steps_after(end));
        }
        let has_exports =
            self.facts(place.file).is_some_and(|facts| facts.dialect.has_module_values);
        if name == "exports" && has_exports {
            // CommonJS: the module itself.
            return (
                vec![Candidate::new(Value::Module(place.file), weights::WRITTEN, Reason::SameFile)],
                rest,
            );
        }
        // `::File` is Ruby's own `File`.
        let global = name.strip_prefix(ABSOLUTE).unwrap_or(name);
        let is_global =
            self.facts(place.file).is_some_and(|facts| facts.dialect.globals.contains(&global));
        if is_global {
            return (vec![Candidate::new(Value::Outside, 1.0, Reason::Receiver)], rest);
        }
        if let Some(found) = self.unbound(place, name, is_called) {
            return (vec![found], rest);
        }
        let is_kotlin =
            || self.facts(place.file).is_some_and(|it| it.dialect.extensions == Extensions::Prefix);
        if let Some(of) = made_by_library(name).filter(|_| is_called && is_kotlin()) {
            let written =
                WrittenType { place: Place { enclosing: None, ..place }, text: of.into() };
            let made = Candidate::new(Value::Foreign(written), 1.0, Reason::Receiver);
            let made = Value::ForeignMethod { results: [made].into(), is_read: false };
            return (vec![Candidate::new(made, weights::BY_RULE, Reason::Receiver)], rest);
        }
        (self.path_root(place, name), rest)
    }

    /// Returns true if candidates are functions of C++, which have no members.
    fn are_functions(&self, found: &[Candidate]) -> bool {
        let is_function = |candidate: &Candidate| match candidate.value {
            Value::Name(at) => self.symbol(at).is_some_and(|(facts, place)| {
                facts.dialect.has_namespaces && facts.symbols[place].kind.is_callable()
            }),
            _ => false,
        };
        !found.is_empty() && found.iter().all(is_function)
    }

    /// Returns true for functions in a language whose modules may have their names.
    fn are_callable(&self, place: Place, found: &[Candidate]) -> bool {
        let has_paths = self.facts(place.file).is_some_and(|facts| facts.dialect.has_module_paths);
        let is_callable = |it: &Candidate| self.kind(it).is_some_and(SymbolKind::is_callable);
        has_paths && !found.is_empty() && found.iter().all(is_callable)
    }

    /// Returns the module named by the start of a chain, where an import binds several names at
    /// once: Python's `import a.b`. The longest path that is bound wins; the last name of a path is
    /// always a member.
    fn dotted<'c>(
        &self,
        place: Place,
        chain: &'c Chain,
        depth: usize,
    ) -> Option<(Vec<Candidate>, Steps<'c>)> {
        let facts = self.facts(place.file)?;
        if !facts.dialect.binds_dotted_names {
            return None;
        }
        let mut alias = chain.path();
        loop {
            alias = alias.rsplit_once('.')?.0;
            if !alias.contains('.') {
                return None;
            }
            if let Some((import, bound)) = facts.bindings(alias).next() {
                let found = self.binding(&facts, place.file, import, bound, depth + 1);
                return Some((found, chain.steps_after(alias.len())));
            }
        }
    }

    /// Returns the module that the first name of a path refers to without a binding.
    pub(super) fn path_root(&self, place: Place, name: &str) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        if facts.dialect.has_module_paths {
            if matches!(name, "self" | "super") {
                let is_module = |at: &usize| facts.symbols[*at].kind == SymbolKind::Module;
                let mut modules = facts.ancestors(place.enclosing).filter(is_module);
                let inner = modules.next();
                let around = if name == "self" { inner } else { modules.next() };
                if let Some(at) = around {
                    let at = SymbolAt { file: place.file, place: at as u32 };
                    return vec![Candidate::new(Value::Name(at), 1.0, Reason::Scope)];
                }
                if inner.is_some() || name == "self" {
                    return vec![Candidate::new(Value::Module(place.file), 1.0, Reason::SameFile)];
                }
            }
            let found = self.module(place.file, name, weights::STEP);
            let is_outside = found.is_empty()
                && matches!(self.code.module(place.file, name), Resolution::Outside);
            // Another crate.
            return if is_outside {
                vec![Candidate::new(Value::Outside, 1.0, Reason::Import)]
            } else {
                found
            };
        }
        // Python's `import a.b` binds `a`, too.
        let is_bound = facts.dialect.binds_dotted_names
            && facts.imports.iter().any(|import| {
                import.names.iter().any(|bound| {
                    bound.alias.len() > name.len()
                        && bound.alias.starts_with(name)
                        && bound.alias.as_bytes()[name.len()] == b'.'
                })
            });
        if is_bound { self.module(place.file, name, weights::BY_RULE) } else { Vec::new() }
    }

    /// Returns what an alias or variable refers to by its chain, however many aliases lie between.
    pub(super) fn alias_target(
        &self,
        alias: SymbolAt,
        enclosing: Option<usize>,
        chain: &Chain,
        depth: usize,
    ) -> Vec<Candidate> {
        let place = Place { file: alias.file, enclosing };
        if self.given_type().is_some() && chain.has_type_parameter() {
            return self.chain(place, None, chain, depth + 1);
        }
        self.look_up(alias.file, View::Alias(alias.place), "", depth, || {
            self.chain(place, None, chain, depth)
        })
    }

    /// Returns the value of a variable or the target of an alias; otherwise the candidate itself.
    pub(super) fn load(&self, candidate: &Candidate, depth: usize) -> Vec<Candidate> {
        let Value::Name(at) = candidate.value else { return vec![candidate.clone()] };
        let Some((facts, place)) = self.symbol(at) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        if symbol.kind == SymbolKind::EnumMember {
            let of = symbol.parent.map(|parent| SymbolAt { file: at.file, place: parent as u32 });
            let instance = of.map(|of| candidate.then(Value::Instance(of, None), weights::BELOW));
            return instance.into_iter().collect();
        }
        if !is_variable(symbol.kind) {
            return vec![candidate.clone()];
        }
        let mut wrapped = self.wrapped(at, depth);
        if !wrapped.is_empty() {
            for it in &mut wrapped {
                it.confidence *= candidate.confidence;
                it.choice = it.choice.and(candidate.choice);
            }
            return wrapped;
        }
        let written =
            if symbol.type_chain.is_none() { self.written_chain(at, symbol) } else { None };
        let Some(chain) = symbol.type_chain.as_ref().or(written.as_ref()) else {
            return Vec::new();
        };
        let place = Place { file: at.file, enclosing: Some(place) };
        let mut values =
            self.given(candidate, || self.chain(place, candidate.via, chain, depth + 1));
        for value in &mut values {
            value.confidence *= candidate.confidence;
            value.choice = value.choice.and(candidate.choice);
        }
        values
    }

    /// Returns the results of a call.
    pub(super) fn call(&self, candidate: &Candidate, depth: usize) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        match &candidate.value {
            Value::Name(at) => {
                let Some((facts, place)) = self.symbol(*at) else { return Vec::new() };
                let symbol = &facts.symbols[place];
                let parent =
                    symbol.parent.map(|parent| SymbolAt { file: at.file, place: parent as u32 });
                match symbol.kind {
                    SymbolKind::Type => {
                        let found =
                            self.instances(std::slice::from_ref(candidate), None, depth + 1);
                        return found;
                    }
                    kind if is_type(kind) => {
                        let mut instance =
                            candidate.then(Value::Instance(*at, None), weights::WRITTEN);
                        instance.via = Some(*at);
                        return vec![instance];
                    }
                    SymbolKind::EnumMember | SymbolKind::Constructor => {
                        let instance = parent
                            .map(|of| candidate.then(Value::Instance(of, None), weights::WRITTEN));
                        return instance.into_iter().collect();
                    }
                    kind if is_variable(kind) => {
                        let loaded = self.load(candidate, depth + 1);
                        let is_called = |candidate: &Candidate| matches!(candidate.value, Value::Name(next) if next != *at);
                        let (called, other): (Vec<Candidate>, Vec<Candidate>) =
                            loaded.into_iter().partition(is_called);
                        let mut found: Vec<Candidate> = called
                            .iter()
                            .flat_map(|candidate| self.call(candidate, depth + 1))
                            .collect();
                        // Getters are written with and without a call, and facts do not distinguish
                        // the type of a function from that of its result.
                        for value in &other {
                            let made = match value.value {
                                Value::Instance(of, _) => {
                                    let applied = self.applied(of, depth);
                                    if applied.is_empty() {
                                        self.called_interface(value, of, depth)
                                    } else {
                                        applied
                                    }
                                }
                                _ => Vec::new(),
                            };
                            let is_made = !made.is_empty();
                            found.extend(made);
                            found.extend(
                                (!is_made)
                                    .then(|| value.then(value.value.clone(), weights::PLAUSIBLE)),
                            );
                        }
                        return found;
                    }
                    _ => {}
                }
                if let Some(of) = candidate.via.filter(|_| self.returns_receiver(&facts, *at)) {
                    return vec![candidate.then(Value::Instance(of, None), weights::WRITTEN)];
                }
                let written = if symbol.type_chain.is_none() {
                    self.written_chain(*at, symbol)
                } else {
                    None
                };
                let Some(chain) = symbol.type_chain.as_ref().or(written.as_ref()) else {
                    let is_made = facts.is_constructor_function(place);
                    let made = is_made
                        .then(|| candidate.then(Value::Instance(*at, None), weights::WRITTEN));
                    return made.into_iter().collect();
                };
                // What a macro defines is written in the type that calls it.
                let is_made = symbol.parent.is_some_and(|parent| {
                    facts.dialect.has_program_macros
                        && facts.symbols[parent].kind == SymbolKind::Macro
                });
                let around = candidate.via.filter(|_| is_made);
                let around = around.unwrap_or(SymbolAt { file: at.file, place: place as u32 });
                let place = Place { file: around.file, enclosing: Some(around.place as usize) };
                let mut values =
                    self.given(candidate, || self.chain(place, candidate.via, chain, depth + 1));
                if symbol.kind == SymbolKind::Macro && chain.is_path() {
                    // The macro is another name of a function.
                    values = self.each(&values, |value| self.call(value, depth + 1));
                }
                for value in &mut values {
                    value.confidence *= candidate.confidence * weights::WRITTEN;
                    value.choice = value.choice.and(candidate.choice);
                    value.reason = value.reason.max(candidate.reason);
                    // What a method without types returns may have more than one type.
                    let is_unknown = matches!(value.value, Value::Outside);
                    value.is_lost |= is_unknown && facts.dialect.has_untyped_values;
                }
                values
            }
            Value::ForeignMethod { .. } => self.returned(candidate),
            Value::Instance(of, _) => {
                let applied = self.applied(*of, depth);
                if !applied.is_empty() {
                    return applied;
                }
                let invoked = ["__call__", "__invoke", "operator()", "invoke", "call"];
                let methods = invoked.iter().flat_map(|name| self.members(*of, name, depth + 1));
                let methods: Vec<Candidate> = methods.take(VALUES_MAX).collect();
                let is_method = |candidate: &&Candidate| matches!(candidate.value, Value::Name(_));
                if !methods.iter().any(|method| is_method(&method)) {
                    return self.called_interface(candidate, *of, depth + 1);
                }
                methods
                    .iter()
                    .filter(is_method)
                    .flat_map(|candidate| self.call(candidate, depth + 1))
                    .collect()
            }
            Value::Foreign(written) if is_function_trait(&written.text) => {
                self.result_of_function(candidate, written, depth)
            }
            Value::Foreign(written) => {
                let mut found = self
                    .given_by_library(written, Asked::Call, depth)
                    .unwrap_or_else(|| vec![candidate.then(Value::Outside, 1.0)]);
                found
                    .iter_mut()
                    .for_each(|it| it.confidence = it.confidence.min(candidate.confidence));
                found
            }
            Value::Outside => vec![candidate.then(Value::Outside, 1.0)],
            Value::Module(_) => {
                let values = self.module_value(candidate, depth + 1);
                values.iter().flat_map(|value| self.call(value, depth + 1)).collect()
            }
            Value::Callback(_) => Vec::new(),
        }
    }
}
