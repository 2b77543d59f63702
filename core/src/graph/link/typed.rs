//! Written types in receiver chains to candidates: `@a.Type<B>`.

use std::rc::Rc;

use super::code::{FileFacts, definitions};
use super::dialect::{Extensions, Group};
use super::kinds::{is_type, is_variable};
use super::memo::Shared;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, Step, Steps, TypeText};
use crate::lang::symbols::SymbolKind;

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 64;

/// Returns what a name refers to in an annotation of a method of Python, which is evaluated in the body of
/// its class.
fn of_class_body(facts: &FileFacts, place: Place, name: &str) -> Vec<Candidate> {
    let classes = facts.ancestors(place.enclosing).filter(|&at| is_type(facts.symbols[at].kind));
    let named = classes.map(|class| definitions(place.file, facts.children(Some(class), name)));
    let found = named.map(|all| {
        all.map(|at| Candidate::new(Value::Name(at), weights::WRITTEN, Reason::Scope))
            .collect::<Vec<_>>()
    });
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

impl Walk<'_> {
    /// Returns values of the written type that a chain starts with, and the remaining steps. The
    /// last names of its path may be members of the type instead of a part of its name.
    pub(super) fn typed<'c>(
        &self,
        place: Place,
        own: Option<SymbolAt>,
        chain: &'c Chain,
        of: TypeText<'c>,
        depth: usize,
    ) -> (Vec<Candidate>, Steps<'c>) {
        let (path, arguments) = (of.path(), of.list());
        let has_bounds = self.facts(place.file).is_some_and(|facts| facts.dialect.has_impl_blocks);
        let has_arguments = !has_bounds
            || self.facts(place.file).is_some_and(|it| it.dialect.extensions != Extensions::None);
        let context = || {
            let written = WrittenType { place, text: Rc::from(format!("{path}{arguments}")) };
            let written = match has_bounds {
                _ if has_arguments && TypeText::of(arguments).has_parameter() => {
                    self.with_generic_arguments(written, own, depth)
                }
                true => self.substituted(written, own),
                false => written,
            };
            self.with_own_type(written, own)
        };
        let given = (!arguments.is_empty()).then(context);
        let first = path.split('.').next().unwrap_or_default();
        // The remaining steps after the first `taken` bytes of the path.
        let steps_after = |taken: usize| chain.steps_after(taken);
        let rest = steps_after(path.len() + arguments.len());
        let is_marked = TypeText::of(first).parameter().is_some();
        if has_bounds
            && !(has_arguments && is_marked)
            && let Some((found, taken)) = self.projected(place, path, depth)
        {
            return (found, if taken < path.len() { steps_after(taken) } else { rest });
        }
        if has_arguments
            && let Some(name) = TypeText::of(first).parameter()
            && let Some(found) = self.generic_argument(place, own, name, depth)
        {
            let is_whole = path.len() == first.len();
            return (found, if is_whole { rest } else { steps_after(first.len()) });
        }
        let mut values = match first {
            "Self" | "self" | "$" => {
                let types = own.map_or_else(|| self.own_types(place, depth + 1), |own| vec![own]);
                let candidate =
                    |at| Candidate::new(Value::Name(at), weights::WRITTEN, Reason::Receiver);
                types.into_iter().map(candidate).collect()
            }
            _ => self.type_named(place, first, depth),
        };
        if values.is_empty() && path.len() > first.len() {
            values = self.path_root(place, first);
        }
        let mut taken = first.len();
        if let Some((found, part)) = self.associated(place, own, path) {
            (values, taken) = (found, part);
        }
        if values.is_empty() && path == first && self.is_type_parameter(place, first) {
            return (self.type_parameter(place, first, depth), rest);
        }
        if values.is_empty()
            && path == first
            && let Some(found) = self
                .type_argument(place, own, first, depth)
                .or_else(|| self.known_argument(place, own, first, depth))
        {
            return (found, rest);
        }
        if values.is_empty()
            && let Some((found, end)) =
                self.by_qualified_name(place, path).or_else(|| self.qualified(place, path, depth))
        {
            (values, taken) = (found, end);
        }
        if values.is_empty() {
            let found = self.types_of_unknown_namespace(place, path, depth + 1);
            if !found.is_empty() {
                (values, taken) = (found, path.len());
            }
        }
        let parts = path[taken..].split('.').skip(1);
        for part in parts {
            let is_path = |candidate: &Candidate| match candidate.value {
                Value::Module(_) => true,
                Value::Name(at) => self.has_inner_type(at, part, depth),
                _ => false,
            };
            if !values.iter().any(is_path) {
                break;
            }
            values = self.each(&values, |candidate| self.member(candidate, part, depth + 1));
            taken += 1 + part.len();
        }
        if values.is_empty() && taken > 0 {
            // A macro may open the namespace of the type.
            values = self.types_of_unknown_namespace(place, path, depth + 1);
            taken = if values.is_empty() { taken } else { path.len() };
        }
        let is_of_own = first == "Self" && path.len() > first.len() && values.is_empty();
        if is_of_own && self.facts(place.file).is_some_and(|it| it.dialect.has_module_instances) {
            // A constant of the type that includes a module of Ruby, or of a derived one.
            return (values, rest);
        }
        if taken < path.len() {
            let is_inside =
                values.iter().any(|candidate| matches!(candidate.value, Value::Name(_)));
            if !is_inside {
                // A method that extends an outside type.
                let is_called = matches!(
                    steps_after(path.len() + arguments.len()).next(),
                    Some(Ok(Step::Call | Step::Parameter(_)))
                );
                let has_extensions = self.facts(place.file).is_some_and(|facts| {
                    facts.dialect.extensions != Extensions::None
                        || facts.dialect.has_open_self
                        || facts.dialect.has_extension_traits
                });
                if let Some((of, _)) = path.rsplit_once('.').filter(|_| is_called && has_extensions)
                {
                    let written = WrittenType { place, text: Rc::from(of) };
                    let found = self.foreign(place, first, &values, written);
                    return (vec![found], steps_after(of.len()));
                }
                return (vec![self.foreign(place, first, &values, context())], rest);
            }
            // A type of C# may have the name of one with type parameters.
            self.retain_arity(&mut values, 0);
            let values = self.instances(&values, None, depth);
            return (values, steps_after(taken));
        }
        if !path.ends_with(".type") {
            self.prefer_object(&mut values, false);
        }
        let count = of.arguments().len();
        self.retain_arity(&mut values, count);
        if count > 0 && path == first && self.have_other_arity(&values, count) {
            let of_arity = self.types_of_arity(place, first, count);
            values = if of_arity.is_empty() { values } else { of_arity };
        }
        let is_called = matches!(steps_after(path.len()).next(), Some(Ok(Step::Call)));
        if is_called && path.len() > first.len() && self.are_inner_types(&values, depth) {
            // `value.Inner()` makes a value of an inner class.
            return (values, rest);
        }
        let mut found = self.instances(&values, given, depth);
        if found.is_empty() && count > 0 {
            // Go's `name[Type](value)` is a conversion to a type or a call of a function.
            found = self.results_of_generic(&values, depth);
        }
        if found.is_empty() {
            found.push(self.foreign(place, first, &values, context()));
        }
        // Extensions of an outside type are found by its name. The elements of an array of PHP are not known.
        let is_named_outside = |facts: &Shared| {
            facts.dialect.extensions != Extensions::None || facts.dialect.group == Group::Php
        };
        if self.facts(place.file).is_some_and(|facts| is_named_outside(&facts)) {
            for value in found.iter_mut().filter(|value| matches!(value.value, Value::Outside)) {
                value.value = Value::Foreign(context());
            }
        }
        (found, rest)
    }

    /// Returns the results of functions of Go that are called with type arguments.
    fn results_of_generic(&self, values: &[Candidate], depth: usize) -> Vec<Candidate> {
        let is_function = |it: &&Candidate| {
            let Value::Name(at) = it.value else { return false };
            self.symbol(at).is_some_and(|(facts, place)| {
                facts.dialect.group == Group::Go && facts.symbols[place].kind.is_callable()
            })
        };
        let functions = values.iter().filter(is_function);
        let results = functions.flat_map(|function| self.call(function, depth + 1));
        results.take(VALUES_MAX).collect()
    }

    /// Returns true for types of Kotlin of which no value can be called.
    fn are_inner_types(&self, values: &[Candidate], depth: usize) -> bool {
        let is_plain = |it: &Candidate| {
            let Value::Name(at) = it.value else { return false };
            let is_kotlin = |(facts, place): (Shared, usize)| {
                facts.dialect.extensions == Extensions::Prefix && is_type(facts.symbols[place].kind)
            };
            self.symbol(at).is_some_and(is_kotlin)
                && self.members(at, "invoke", depth + 1).is_empty()
        };
        !values.is_empty() && values.iter().all(is_plain)
    }

    /// Returns what a name refers to where a type is written: a property may have the name of its
    /// type.
    pub(super) fn type_named(&self, place: Place, name: &str, depth: usize) -> Vec<Candidate> {
        let found = self.name(place, name, depth + 1);
        let Some(facts) = self.facts(place.file) else { return found };
        if found.is_empty() && facts.dialect.group == Group::Python {
            return of_class_body(&facts, place, name);
        }
        let is_member = |it: &Candidate| {
            self.kind(it).is_some_and(|kind| is_variable(kind) || kind.is_callable())
        };
        let of = place.enclosing.filter(|_| facts.dialect.overloads.is_some());
        let Some(of) = of.filter(|_| !found.is_empty() && found.iter().all(is_member)) else {
            return found;
        };
        let is_around = |at: &usize| is_type(facts.symbols[*at].kind);
        let types = facts.ancestors(Some(of)).filter(is_around);
        let outer = types.filter_map(|at| {
            let place = Place { enclosing: facts.symbols[at].parent, ..place };
            let found = self.name(place, name, depth + 1);
            found.iter().any(|it| !is_member(it)).then_some(found)
        });
        outer.take(1).next().unwrap_or(found)
    }

    /// Returns a value of a written type whose first name refers to `values`, none of which is a
    /// type of the repository.
    fn foreign(
        &self,
        place: Place,
        first: &str,
        values: &[Candidate],
        written: WrittenType,
    ) -> Candidate {
        let is_lost = match values {
            [] => self.may_be_type(place, first) || self.is_documented_only(place, first),
            _ => !values.iter().all(Candidate::is_outside),
        };
        Candidate {
            is_lost,
            ..Candidate::new(Value::Foreign(written), weights::LIKELY, Reason::Receiver)
        }
    }

    /// Returns true for a type of JavaScript that nothing binds, as in a comment: it may be declared in
    /// another comment.
    fn is_documented_only(&self, place: Place, name: &str) -> bool {
        self.facts(place.file).is_some_and(|facts| {
            facts.language.name == "javascript"
                && name.starts_with(|c: char| c.is_ascii_uppercase())
                && !facts.dialect.globals.contains(&name)
        })
    }

    /// Returns true if an unbound name may stand for a type of the repository: a type has that
    /// name, or it is a type parameter, in C++ one of a template around it, elsewhere by its form.
    pub(super) fn may_be_type(&self, place: Place, name: &str) -> bool {
        let is_parameter = name.len() <= 2 && name.starts_with(char::is_uppercase);
        let Some(facts) = self.facts(place.file) else { return true };
        let is_type_here = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                there.dialect.group == facts.dialect.group && is_type(there.symbols[place].kind)
            })
        };
        is_parameter
            || self.code.named(name).iter().take(NAMED_MAX).any(is_type_here)
            || facts.dialect.has_namespaces && self.is_template_parameter(place, name)
    }

    fn has_inner_type(&self, at: SymbolAt, name: &str, depth: usize) -> bool {
        let is_a_type = |candidate: &Candidate| self.kind(candidate).is_some_and(is_type);
        self.symbol(at).is_some_and(|(facts, place)| {
            facts.symbols[place].kind == SymbolKind::Module
                || facts
                    .children(Some(place), name)
                    .iter()
                    .any(|&child| is_type(facts.symbols[child as usize].kind))
                // Other parts of a type of Ruby, and modules in it.
                || facts.dialect.has_module_instances
                    && name.starts_with(char::is_uppercase)
                    && self
                        .members(at, name, depth + 1)
                        .iter()
                        .any(|it| matches!(it.value, Value::Name(_)))
                || (facts.dialect.has_namespaces || facts.symbols[place].kind == SymbolKind::Trait)
                    && self.members(at, name, depth + 1).iter().any(is_a_type)
        })
    }

    /// Returns values of the types that `names` refer to.
    pub(super) fn instances(
        &self,
        names: &[Candidate],
        given: Option<WrittenType>,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        let has_type = names.iter().any(|it| self.kind(it).is_some_and(is_type));
        for candidate in names {
            match &candidate.value {
                Value::Name(at) => {
                    let Some((facts, place)) = self.symbol(*at) else { continue };
                    let symbol = &facts.symbols[place];
                    if has_type && symbol.kind.is_callable() && facts.dialect.has_call_signatures {
                        // A function of TypeScript with the name of an interface.
                        continue;
                    }
                    let is_alias = symbol.kind == SymbolKind::Type || is_variable(symbol.kind);
                    if let (true, Some(chain)) = (is_alias, &symbol.type_chain) {
                        // A type that a call makes: `T = TypeVar("T")` stands for any type.
                        let is_made = matches!(chain.decode().1.last(), Some(Ok(Step::Call)));
                        // The bounds may depend on the value whose member is followed.
                        let targets = self
                            .bounds_of_open_type(*at, depth)
                            .or_else(|| self.target_of_generic(*at, chain, given.as_ref(), depth));
                        let mut targets = targets
                            .unwrap_or_else(|| self.alias_target(*at, symbol.parent, chain, depth));
                        if targets.iter().all(|it| it.is_lost) {
                            // What the trait states of the type is true for each implementation.
                            let declared = self.declared_bounds(&facts, *at, depth);
                            targets = if declared.is_empty() { targets } else { declared };
                        }
                        for mut inner in targets {
                            inner.confidence *= candidate.confidence;
                            inner.is_lost |= is_made && inner.is_outside();
                            match inner.value {
                                Value::Name(_) if depth < super::walk::DEPTH_MAX => {
                                    found.extend(self.instances(&[inner], None, depth + 1));
                                }
                                _ => found.push(inner),
                            }
                        }
                        if symbol.kind != SymbolKind::Type {
                            continue;
                        }
                    }
                    if is_type(symbol.kind) || facts.is_constructor_function(place) {
                        let mut instance =
                            candidate.then(Value::Instance(*at, given.clone()), weights::WRITTEN);
                        instance.via = Some(*at);
                        instance.reason = instance.reason.max(Reason::Receiver);
                        found.push(instance);
                    }
                }
                Value::Outside => {
                    let foreign = given.clone().map_or(Value::Outside, Value::Foreign);
                    found.push(candidate.then(foreign, 1.0));
                }
                _ => {}
            }
        }
        found.truncate(VALUES_MAX);
        found
    }
}
