//! Overloads that accept the same number of arguments: the forms of the arguments and the types of
//! local variables, as they are written, are compared with the parameters. This file has the rules
//! of C++, [`java`] those of Java, [`named`] those of C#, Kotlin and Swift, [`built_in`] definitions that
//! Kotlin's library overloads.
//!
//! Expressions are not evaluated, and conversions are not modelled: an argument of unknown type fits
//! every parameter equally. Texts are read only where overloads differ. [`narrow`] bounds how many are
//! compared.

mod built_in;
mod constness;
mod cpp;
mod effects;
mod excluded;
pub(super) mod java;
pub(super) mod named;
mod narrow;
mod overload;
mod plain_text;
mod ranking;
#[cfg(test)]
mod tests;
mod traits;
mod type_arguments;
mod written;

use std::rc::Rc;

use named::operators;
use overload::{Overload, differ_in_unknown, most_specific, score, without_ties};
use plain_text::{closing, last_open, without_comments, without_strings};
use ranking::{Given, is_constrained, lower_by_standing, template_list};
use type_arguments::TypeArguments;
pub(super) use type_arguments::stated as stated_type_arguments;
use type_arguments::stated_text;
use written::{created, declared, literal, shape};
pub(super) use written::{declared_type, written_type};

use super::binding::{Binding, Qualifiers, has_word};
use super::code::FileFacts;
use super::dialect::{Extensions, OverloadRules};
use super::kinds::{is_type, is_variable};
use super::parameters::{inside, parameters};
use super::position::SymbolAt;
use super::result::{Link, Reason, Use};
use super::signature::{Shape, Signature};
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, Step};
use crate::lang::facts::Role;
use crate::lang::split;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most bytes of a call that are read, and of the function before it.
const CALL_BYTES_MAX: usize = 2000;
const BEFORE_BYTES_MAX: usize = 6000;

/// The most overloads that are compared.
const OVERLOADS_MAX: usize = 48;

/// The most operators of which each has another one as a value.
const ALTERNATIVES_MAX: usize = 3;

/// What the text of an argument shows of its type.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Form {
    Text,
    Character,
    Integer,
    Float,
    Boolean,
    Null,
    Lambda,
    Braces,
    /// A pointer to a value of unknown type.
    Address,
    /// A value of a written type.
    Typed(Shape),
    /// A value whose type is that which it has when the call runs: C#'s `dynamic`.
    Dynamic,
    Unknown,
}

/// How the types of arguments and parameters are read and compared in a language.
pub(super) struct Rules {
    /// Returns the form of a literal.
    literal: fn(&str) -> Form,
    /// Returns the type of a new or converted value.
    created: fn(&str) -> Form,
    /// Returns the type of the last declaration of a name in a text.
    declared: fn(&str, &str) -> Option<Shape>,
    /// Returns the type of a parameter; `None` for a type parameter.
    parameter: fn(&str) -> Option<Shape>,
    /// Returns how well a parameter fits an argument: 0 not at all, 8 exactly.
    fit: fn(&Walk<'_>, Place, &Form, Option<&Shape>) -> u32,
    /// An overload that does not fit an argument at all cannot be called.
    is_strict: bool,
    /// Returns the text of the type parameters, of what precedes a function's name and of the rest.
    type_parameters: for<'s> fn(&'s str, &'s str) -> &'s str,
    /// How arguments name their parameters, in languages where they can.
    labels: Option<named::Labels>,
    /// How a call states type arguments.
    type_arguments: TypeArguments,
}

impl Rules {
    fn is_cpp(&self) -> bool {
        self.labels.is_none() && !self.is_strict
    }
}

impl OverloadRules {
    /// Returns the rules of the language.
    fn rules(self) -> &'static Rules {
        match self {
            OverloadRules::CSharp => &named::CSHARP,
            OverloadRules::Cpp => &CPP,
            OverloadRules::Java => &java::JAVA,
            OverloadRules::Kotlin => &named::KOTLIN,
            OverloadRules::Swift => &named::SWIFT,
        }
    }

    /// Returns true if arguments can name their parameters.
    pub(super) fn has_labels(self) -> bool {
        self.rules().labels.is_some()
    }
}

/// The rules of C++.
pub(super) static CPP: Rules = Rules {
    literal,
    created,
    declared,
    parameter: cpp::parameter,
    fit: cpp::fit,
    is_strict: false,
    type_parameters: |head, _| if head.starts_with("template") { head } else { "" },
    labels: None,
    type_arguments: TypeArguments::Ignored,
};

/// The text around a call, whose arguments are read.
struct CallText<'a> {
    rules: &'a Rules,
    facts: &'a FileFacts,
    place: Place,
    text: &'a [u8],
}

impl Walk<'_> {
    /// Returns for each link whether its definition accepts the number of arguments. In C++ default
    /// values are written in a declaration, which may be another one of the links.
    pub(super) fn accepting(&self, used: Use<'_>, links: &[Link]) -> Vec<bool> {
        let mut accepting = Vec::with_capacity(links.len());
        let mut arities = Vec::new();
        for link in links {
            let Some((facts, place)) = self.symbol(link.to) else {
                accepting.push(true);
                arities.push(None);
                continue;
            };
            let symbol = &facts.symbols[place];
            accepting.push(self.accepts_arguments(used, link.to, &facts, symbol));
            let is_counted = facts.dialect.has_namespaces && symbol.kind.is_callable();
            let arity = || facts.arity(link.to.place, || self.code.text(link.to.file));
            let most = if is_counted { arity().map(|(_, most)| most) } else { None };
            arities.push(most.map(|most| (most, facts.is_declaration(place))));
        }
        let mut declared = [false; 256];
        for arity in arities.iter().zip(&accepting).filter(|(_, accepts)| **accepts) {
            if let (Some((most, true)), _) = arity {
                declared[usize::from(*most)] = true;
            }
        }
        for (accepts, arity) in accepting.iter_mut().zip(arities) {
            *accepts |= matches!(arity, Some((most, false)) if declared[usize::from(most)]);
        }
        accepting
    }

    /// Returns the methods of bases that a call refers to if none of the type's own `candidates`
    /// accepts the number of its arguments; none in languages where these hide the former.
    pub(super) fn inherited_overloads(
        &self,
        used: Use<'_>,
        candidates: &[Candidate],
    ) -> Vec<Candidate> {
        let (mut found, mut is_compared) = (Vec::new(), false);
        // A type whose bases have none of the name.
        let mut searched = None;
        for candidate in candidates.iter().filter(|_| used.role == Role::Call) {
            let Value::Name(at) = candidate.value else { continue };
            let Some((facts, place)) = self.symbol(at) else { continue };
            let symbol = &facts.symbols[place];
            let is_strict = facts.dialect.overloads.is_some_and(|of| of.rules().is_strict);
            let is_method = symbol.kind == SymbolKind::Method;
            let has_overloads =
                facts.dialect.overloads.is_some_and(|of| of.rules().labels.is_some());
            let is_accepted = self.accepts_arguments(used, at, &facts, symbol);
            let is_java = facts.dialect.has_java_types();
            if !is_strict || !is_method || is_accepted && !has_overloads && !is_java {
                return Vec::new();
            }
            is_compared |= is_java && is_accepted;
            let Some(parent) = symbol.parent.filter(|_| found.is_empty()) else { continue };
            let of = SymbolAt { file: at.file, place: parent as u32 };
            if searched.replace(of) == Some(of) {
                continue;
            }
            for base in self.bases(of, 1) {
                let Some(base) = base.of_type() else { continue };
                // The members of an interface are not those of a class of C# that implements it.
                let kinds = (facts.symbols[parent].kind, self.kind(&base));
                let is_class = kinds.0 != SymbolKind::Interface && facts.dialect.has_usings;
                if is_class && kinds.1 == Some(SymbolKind::Interface) {
                    continue;
                }
                found.extend(self.member(&base, used.name, 1).into_iter().map(|it| Candidate {
                    // Of an overload that accepts the number, the types may exclude the arguments.
                    confidence: if is_accepted {
                        it.confidence * candidate.confidence * weights::WORSE
                    } else {
                        candidate.confidence * weights::BELOW
                    },
                    reason: it.reason.max(candidate.reason).max(Reason::Inherited),
                    ..it
                }));
            }
        }
        if is_compared && !self.are_excluded(used, candidates, &found) {
            return Vec::new();
        }
        found
    }

    /// Lowers the confidence of overloads that fit the arguments of a call worse than others.
    pub(super) fn compare_overloads(
        &self,
        place: Place,
        used: Use<'_>,
        accepting: &[bool],
        links: &mut [Link],
    ) {
        let Some(facts) = self.facts(place.file) else { return };
        let Some(kind) = facts.dialect.overloads else { return };
        let rules = kind.rules();
        if used.role != Role::Call || links.len() < 2 {
            return;
        }
        let Some(start) = used.start else { return };
        let overloads = self.overloads(kind, used, accepting, links);
        let overloads = if rules.is_cpp() {
            self.without_impossible(&facts, place, used, overloads, links)
        } else {
            overloads
        };
        let Some(first) = overloads.first().map(|of| Rc::clone(&of.signature)) else { return };
        let is_same = |of: &Overload| {
            let of = &of.signature;
            of.types == first.types
                && of.written == first.written
                && of.names == first.names
                && of.is_async == first.is_async
                && of.bindings == first.bindings
        };
        let is_single = overloads.iter().all(is_same);
        let Some(text) = self.code.text(place.file) else { return };
        let stated = match rules.type_arguments {
            TypeArguments::Ignored => None,
            _ => stated_type_arguments(&text, start + used.name.len()),
        };
        let accepts: Vec<bool> = overloads.iter().map(|of| of.accepts(rules, stated)).collect();
        let is_selected = accepts.contains(&true) && accepts.contains(&false);
        let definitions = overloads.iter().filter(|of| !of.is_declaration).count();
        let declarations = overloads.len() - definitions;
        if is_single && !is_selected && (definitions.max(declarations) < 2 || rules.is_strict) {
            return;
        }
        let (mut forms, mut labels) = (Vec::new(), Vec::new());
        // Nothing shows whether the object is constant, which selects.
        let mut is_guess = false;
        let mut scores: Vec<u32> = if is_single && is_selected {
            vec![1; overloads.len()]
        } else if is_single {
            // They differ in qualifiers only, or are alternatives.
            let differs =
                |of: &Overload| of.signature.qualifiers.is_const != first.qualifiers.is_const;
            let differ = overloads.iter().any(differs);
            let is_const =
                differ.then(|| self.is_const_receiver(&facts, place, &text, start)).flatten();
            is_guess = differ && is_const.is_none();
            let (is_const, before) =
                (is_const.unwrap_or_default(), before_call(&facts, place, &text, start));
            overloads.iter().map(|of| of.signature.qualifiers.fit(is_const, &before)).collect()
        } else if let Some((given, names)) = self.arguments_of(rules, used, &text) {
            forms = given.iter().map(|it| self.form(rules, &facts, place, &text, it)).collect();
            labels = names;
            if rules.is_cpp() {
                let before = before_call(&facts, place, &text, start);
                let given = Given { forms: &forms, arguments: &given, before: &before };
                let stated = stated_text(&text, start + used.name.len());
                let standings = self.rank_overloads(place, &given, stated, &overloads, links);
                return lower_by_standing(&overloads, &standings, links);
            }
            let fit = |form: &Form, of: Option<&Shape>| (rules.fit)(self, place, form, of);
            overloads.iter().map(|of| score(rules, &forms, &labels, of, fit)).collect()
        } else {
            // The arguments cannot be read.
            vec![1; overloads.len()]
        };
        if forms.contains(&Form::Dynamic) {
            scores.iter_mut().for_each(|score| *score = (*score).min(1));
        }
        for (score, _) in scores.iter_mut().zip(accepts).filter(|(_, accepts)| !accepts) {
            *score = 0;
        }
        if rules.labels.is_some_and(|labels| labels.are_required) {
            effects::prefer_awaited(&text, start, &overloads, &mut scores);
        }
        let most = scores.iter().copied().max().unwrap_or_default();
        if rules.is_strict && !forms.contains(&Form::Dynamic) {
            let fit = |form: &Form, of: &Shape| (rules.fit)(self, place, form, Some(of));
            let best: Vec<usize> = (0..scores.len()).filter(|&at| scores[at] == most).collect();
            let specific = most_specific(rules, &forms, &labels, &overloads, &best, fit);
            for other in best.into_iter().filter(|at| specific.is_some_and(|it| it != *at)) {
                scores[other] = scores[other].saturating_sub(1);
            }
        }
        let top = |of: &Overload| links[of.link].confidence;
        let highest = overloads.iter().zip(&scores).filter(|(_, score)| **score == most);
        let highest = highest.map(|(of, _)| top(of)).fold(0.0, f32::max);
        // An extension that fits as well as a member is none of the candidates.
        let best = || {
            let all = overloads.iter().zip(&scores).filter(|(_, score)| **score == most);
            all.filter(|(of, _)| rules.labels.is_none() || top(of) >= highest * weights::DECLARED)
        };
        let first = best().next().map(|(of, _)| of);
        // Nothing that is read selects one of several templates with the same parameters.
        let is_free = |of: &Overload| of.signature.is_template && !of.is_declaration;
        let is_open = best().filter(|(of, _)| is_free(of)).count() > 1;
        let is_same = |of: &Overload, first: &Overload| {
            let (of, first) = (&of.signature, &first.signature);
            of.types == first.types
                && of.written == first.written
                && of.qualifiers == first.qualifiers
        };
        let is_decided =
            !is_open && first.is_none_or(|first| best().all(|(of, _)| is_same(of, first)));
        let has_ties = rules.labels.is_some_and(|labels| !labels.are_required);
        // Where the type of an argument is not known, only the order of overloads that accept it differs.
        let is_near = |of: &Overload, score: u32| {
            has_ties
                && score > 0
                && without_ties(score) == without_ties(most)
                && first.is_some_and(|first| differ_in_unknown(rules, &forms, &labels, [first, of]))
        };
        for (of, score) in overloads.iter().zip(&scores).filter(|(_, score)| **score < most) {
            let to = links[of.link].to;
            let is_excluded = *score == 0 && rules.labels.is_some();
            let factor = match () {
                () if is_excluded => weights::EXCLUDED,
                () if is_near(of, *score) => {
                    is_guess = true;
                    weights::NEAR
                }
                () => weights::WORSE,
            };
            // Beside what accepts the arguments, a member or an extension that does not is no answer.
            let most = if is_excluded && has_ties { weights::MANY } else { 1.0 };
            links
                .iter_mut()
                .filter(|link| link.to == to)
                .for_each(|link| link.confidence = (link.confidence * factor).min(most));
        }
        if !is_decided || is_guess {
            // A function usually calls another overload than itself.
            let own = place.enclosing.map(|at| SymbolAt { file: place.file, place: at as u32 });
            let is_own = |link: &Link| rules.is_strict && Some(link.to) == own;
            for link in links.iter_mut() {
                link.confidence *= if is_own(link) {
                    weights::UNDECIDED * weights::AFTER
                } else {
                    weights::UNDECIDED
                };
            }
        }
    }

    /// Returns the overloads among some links that accept the number of arguments.
    fn overloads(
        &self,
        kind: OverloadRules,
        used: Use<'_>,
        accepting: &[bool],
        links: &[Link],
    ) -> Vec<Overload> {
        let mut found: Vec<Overload> = Vec::new();
        for (at, link) in links.iter().enumerate().take(OVERLOADS_MAX) {
            let is_seen = found.iter().any(|of| links[of.link].to == link.to);
            let Some((facts, place)) = self.symbol(link.to).filter(|_| !is_seen) else { continue };
            let symbol = &facts.symbols[place];
            if !symbol.kind.is_callable() || !accepting[at] {
                continue;
            }
            let is_declaration = facts.is_declaration(place);
            let signature = self.overload_signature(kind, &facts, link.to, symbol);
            // C#'s `Type.Extension(instance, …)`.
            let is_of_type = used.receiver.is_none_or(|chain| {
                chain.is_path() && facts.owner(place) == Some(chain.last_name())
            });
            let is_passed = facts.dialect.extensions == Extensions::Parameter
                && is_of_type
                && self.extended(&facts, link.to, place).is_some();
            let instances = usize::from(is_passed);
            found.extend(signature.map(|signature| Overload {
                link: at,
                is_declaration,
                instances,
                signature,
                holds: false,
            }));
        }
        found
    }

    /// Returns the signature of an overload as the rules of a language read it, cached.
    fn overload_signature(
        &self,
        kind: OverloadRules,
        facts: &FileFacts,
        at: SymbolAt,
        symbol: &Symbol,
    ) -> Option<Rc<Signature>> {
        let parse = || self.types_of_parameters(kind.rules(), facts, at, symbol);
        self.memo.overload(at, kind, parse)
    }

    fn types_of_parameters(
        &self,
        rules: &Rules,
        facts: &FileFacts,
        at: SymbolAt,
        symbol: &Symbol,
    ) -> Option<Signature> {
        let text = self.code.text(at.file)?;
        let signature = facts.signature_from_name(symbol, &text);
        let head = text.get(symbol.source.signature.start..symbol.name_span.start)?;
        let head = String::from_utf8_lossy(&head[..head.len().min(CALL_BYTES_MAX)]);
        let type_parameters = (rules.type_parameters)(&head, &signature);
        // `template <class T> void Type<T>::name(…)` is a template only with a second list.
        let is_of_template = rules.is_cpp() && head.trim_end().ends_with(">::");
        let last_list = head.rfind("template").filter(|at| is_of_template && *at > 0);
        let type_parameters = match last_list {
            Some(at) => template_list(&head[at..]),
            None if is_of_template => "",
            None if rules.is_cpp() => template_list(type_parameters),
            None => type_parameters,
        };
        let is_type = |shape: &Shape| !has_word(type_parameters, &shape.base);
        let list = parameters(&symbol.name, &signature)?;
        let of = |parameter: &&str| (rules.parameter)(parameter).filter(is_type);
        let raw = text.get(symbol.name_span.start..symbol.source.signature.end).unwrap_or_default();
        let after = text.get(symbol.source.signature.end..).unwrap_or_default();
        let qualifiers = Qualifiers::of(raw, after);
        let bindings =
            list.iter().filter(|_| rules.is_cpp()).map(|part| Binding::of(part)).collect();
        let names = rules.labels.map_or_else(Vec::new, |labels| {
            list.iter().map(|of| (labels.name)(of).to_owned()).collect()
        });
        let is_counted = rules.type_arguments != TypeArguments::Ignored
            && symbol.kind != SymbolKind::Constructor
            && !facts.is_constructor_name(&symbol.name);
        let of_template = (symbol.kind != SymbolKind::Constructor)
            .then(|| traits::Template::of(type_parameters, &head, &signature, &list));
        let template = head.trim_start().strip_prefix("template").filter(|_| rules.is_cpp());
        let is_specialization = template.is_some_and(|rest| {
            rest.trim_start().trim_start_matches('<').trim_start().starts_with('>')
        });
        let own = type_arguments::names(type_parameters);
        let whole = signature.find('(').and_then(|open| inside(&signature[open..]));
        let whole = whole.unwrap_or_default();
        let written = rules.labels.map_or_else(Vec::new, |labels| {
            list.iter().map(|of| (labels.type_of)(of).to_owned()).collect()
        });
        Some(Signature {
            types: list.iter().map(of).collect(),
            written,
            names,
            type_parameters: is_counted.then_some(own.len()),
            is_async: effects::is_async(&signature),
            is_inferable: own.iter().all(|own| has_word(whole, own)),
            bindings,
            qualifiers,
            is_template: template.is_some()
                && !is_specialization
                && (!is_of_template || last_list.is_some()),
            is_constrained: !type_parameters.is_empty()
                && rules.is_cpp()
                && is_constrained(&head, &signature),
            template: of_template.flatten().filter(|_| rules.is_cpp() && !is_specialization),
            specialized: is_specialization
                .then(|| stated_text(raw, symbol.name.len()).unwrap_or_default()),
        })
    }

    /// Returns the arguments of a call with their names, if as many can be read as the call has.
    fn arguments_of(&self, rules: &Rules, used: Use<'_>, text: &[u8]) -> Option<named::Given> {
        let (count, from) = (used.arguments.map(usize::from)?, used.start? + used.name.len());
        let (given, labels) = named::given(rules, text, from, Some(count));
        (given.len() == count).then_some((given, labels))
    }

    /// Returns what the text of an argument, which begins at a byte, shows of its type.
    fn form(
        &self,
        rules: &Rules,
        facts: &FileFacts,
        place: Place,
        text: &[u8],
        argument: &(usize, String),
    ) -> Form {
        let call = CallText { rules, facts, place, text };
        let form = self.form_of_value(&call, argument, 0);
        match form {
            Form::Typed(of) if rules.labels.is_some() && of.base == "dynamic" => Form::Dynamic,
            Form::Typed(of) if named::is_open_lambda(rules, &of) => {
                let arguments = self.result_of_lambda(place, argument).unwrap_or(of.arguments);
                Form::Typed(Shape { arguments, ..of })
            }
            form => form,
        }
    }

    /// Returns the form of an argument, which may be one of two values.
    fn form_of_value(&self, call: &CallText<'_>, argument: &(usize, String), depth: usize) -> Form {
        let (start, written) = argument;
        let is_simple = call.rules.is_cpp()
            || call.rules.labels.is_none() && written.contains("->")
            || !written.contains(' ') && !written.contains('\n');
        if is_simple || depth >= ALTERNATIVES_MAX {
            return self.form_of_text(call, argument);
        }
        if let Some((parts, is_default)) = operators::alternatives(written) {
            let [first, second] = parts.map(|(at, part)| {
                let part = (start + at, part.to_owned());
                self.form_of_value(call, &part, depth + 1)
            });
            return operators::one_of(first, second, is_default);
        }
        match self.form_of_text(call, argument) {
            Form::Unknown if operators::is_condition(written) => Form::Boolean,
            form => form,
        }
    }

    fn form_of_text(&self, call: &CallText<'_>, (start, argument): &(usize, String)) -> Form {
        let &CallText { rules, facts, place, text } = call;
        // A sign does not change the type.
        let argument =
            argument.strip_prefix('-').filter(|_| rules.labels.is_some()).unwrap_or(argument);
        let argument = match rules.labels {
            Some(_) => named::without_passing(argument),
            None => argument,
        };
        let inner = argument.strip_prefix("std::move(").and_then(|inner| inner.strip_suffix(')'));
        let argument = inner.unwrap_or(argument);
        let form = (rules.literal)(argument);
        if form != Form::Unknown {
            return form;
        }
        if argument == "this" && rules.type_arguments == TypeArguments::StatedOrOfArguments {
            let around =
                facts.ancestors(place.enclosing).find(|&at| is_type(facts.symbols[at].kind));
            let of = around.map(|at| Shape::plain(facts.symbols[at].name.clone(), false));
            return of.map_or(Form::Unknown, Form::Typed);
        }
        // Kotlin's `value!!` has the type of the value.
        let argument = match argument.strip_suffix("!!") {
            Some(of) if rules.type_arguments == TypeArguments::Stated => of,
            _ => argument,
        };
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let (is_address, name) = match argument.strip_prefix('&') {
            Some(name) => (true, name),
            None => (false, argument),
        };
        if name.is_empty() || !name.chars().all(is_name) {
            // Java's `Type.class` is no path.
            let is_path = named::is_path(name) && !name.ends_with(".class");
            if rules.is_strict && is_path {
                let before = before_call(facts, place, text, *start);
                let of = self.type_of_path(rules, place, &before, name).map(Form::Typed);
                if rules.labels.is_some() || of.is_some() {
                    return of.unwrap_or(form);
                }
            }
            let read = (rules.is_cpp() && !is_address).then(|| {
                let before = before_call(facts, place, text, *start);
                self.form_of_expression(rules, place, (*start, argument), &before)
            });
            let form = read.flatten().unwrap_or_else(|| (rules.created)(argument));
            let is_call = form == Form::Unknown && inner.is_none();
            let result =
                is_call.then(|| self.result_type(rules, place, *start, argument)).flatten();
            let is_address =
                rules.is_cpp() && (argument.starts_with('&') || argument.ends_with(".get()"));
            let form = if is_address && form == Form::Unknown { Form::Address } else { form };
            return result.map_or(form, Form::Typed);
        }
        let before = before_call(facts, place, text, *start);
        let local = (rules.declared)(&before, name);
        let local = local.or_else(|| {
            let (at, value) =
                named::initializer(&before, name).filter(|_| rules.labels.is_some())?;
            let at = start.checked_sub(before.len())? + at;
            self.result_type(rules, place, at, value)
        });
        match local.or_else(|| self.type_of_variable(rules, place, name)) {
            Some(shape) if is_address => Form::Typed(Shape { is_pointer: true, ..shape }),
            Some(shape) => Form::Typed(shape),
            None if is_address && rules.labels.is_none() => Form::Address,
            None => Form::Unknown,
        }
    }

    /// Returns the type of the result of an argument that is a call: `a.b(c)`.
    fn result_type(
        &self,
        rules: &Rules,
        place: Place,
        start: usize,
        argument: &str,
    ) -> Option<Shape> {
        let open = last_open(argument)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let name = argument[..open].trim_end_matches(is_word).len();
        let calls = self.code.calls(place.file);
        let at = calls.partition_point(|(_, call)| call.span.start < start + name);
        let (name, call) = calls.get(at).filter(|(_, call)| call.span.start == start + name)?;
        let used = Use { start: None, ..Use::new(name, call) };
        let found = self.candidates(Place { enclosing: used.enclosing, ..place }, used);
        let Value::Name(at) = found.first()?.value else { return None };
        let (facts, place) = self.symbol(at)?;
        let symbol = facts.symbols.get(place)?;
        if rules.labels.is_some() {
            // The result of a call of a variable is not the type of the variable.
            let is_called = !is_variable(symbol.kind);
            return is_called.then(|| named::shape_of_symbol(&facts, place)).flatten();
        }
        let symbol = Some(symbol).filter(|symbol| symbol.kind.is_callable())?;
        let text = self.code.text(at.file)?;
        let head = text.get(symbol.source.signature.start..symbol.name_span.start)?;
        let head = String::from_utf8_lossy(&head[..head.len().min(CALL_BYTES_MAX)]);
        let end = head.rfind(|c: char| c.is_whitespace() || "*&".contains(c))?;
        let written = &head[..=end];
        if written.starts_with("template") || has_word(written, "auto") {
            return None;
        }
        (rules.parameter)(&format!("{written} x"))
    }

    /// Returns the type of the member that a path leads to, from a local variable or a name.
    fn type_of_path(&self, rules: &Rules, place: Place, before: &str, path: &str) -> Option<Shape> {
        let (first, rest) = path.split_once('.')?;
        let root = match (rules.declared)(before, first) {
            Some(of) => Chain::instance(&of.base),
            None => Chain::name(first),
        };
        let chain = rest.split('.').fold(root, |chain, name| chain.then(Step::Member(name)));
        let found = self.chain(place, None, &chain, 1);
        self.shape_of_value(&found)
    }

    /// Returns the type of what a name that is not called refers to: of a method, that of a function.
    fn shape_of_value(&self, found: &[Candidate]) -> Option<Shape> {
        let Value::Name(at) = found.first()?.value else { return None };
        let (facts, place) = self.symbol(at)?;
        let symbol = facts.symbols.get(place)?;
        if symbol.kind.is_callable() && symbol.kind != SymbolKind::Constructor {
            let (least, most) = facts.arity(at.place, || self.code.text(at.file))?;
            let is_one = found.len() == 1 && least == most;
            return is_one.then(|| named::function(usize::from(most)));
        }
        named::shape_of_symbol(&facts, place)
    }

    /// Returns the written type of a field or a variable outside of functions.
    fn type_of_variable(&self, rules: &Rules, place: Place, name: &str) -> Option<Shape> {
        let found = self.name(place, name, 1);
        let [candidate, ..] = found.as_slice() else { return None };
        let Value::Name(at) = candidate.value else { return None };
        let (facts, own) = self.symbol(at)?;
        let symbol = facts.symbols.get(own)?;
        if rules.labels.is_some() {
            return self.shape_of_value(&found);
        }
        if !rules.is_strict {
            return self.type_of_member_from(place, at);
        }
        let symbol = Some(symbol).filter(|symbol| is_variable(symbol.kind))?;
        let signature = facts.signature(at.place, || self.code.text(at.file));
        (rules.declared)(&signature, &symbol.name)
    }
}

/// Returns how well a parameter of Kotlin fits an argument.
fn fit_of(walk: &Walk<'_>, place: Place, form: &Form, of: Option<&Shape>) -> u32 {
    (named::KOTLIN.fit)(walk, place, form, of)
}

/// Returns the text of the function around a call, up to the byte `call`.
pub(super) fn before_call(facts: &FileFacts, place: Place, text: &[u8], call: usize) -> String {
    let first = place.enclosing.map_or(0, |at| facts.symbols[at].span.start);
    let first = first.max(call.saturating_sub(BEFORE_BYTES_MAX));
    String::from_utf8_lossy(text.get(first..call).unwrap_or_default()).into_owned()
}

/// Returns the arguments in the parentheses after the byte `from`, as they are written, each with
/// the byte at which it begins.
fn arguments(text: &[u8], from: usize) -> Vec<(usize, String)> {
    let rest = text.get(from..text.len().min(from + CALL_BYTES_MAX)).unwrap_or_default();
    let Ok(whole) = std::str::from_utf8(rest) else { return Vec::new() };
    let whole = &*without_comments(whole);
    let mut rest = whole.trim_start();
    if rest.starts_with('<') {
        let Some(end) = rest.find(">(") else { return Vec::new() };
        rest = &rest[end + 1..];
    }
    let Some(end) = rest.starts_with('(').then(|| closing(rest)).flatten() else {
        return Vec::new();
    };
    let mut start = from + whole.len() - rest.len() + 1;
    // An operator is no bracket, and what strings contain is no code.
    let list = without_strings(&rest[1..end]);
    let list = list.replace("->", "  ").replace("<<", "  ").replace(">>", "  ");
    let mut found = Vec::new();
    for part in split(&list, b',') {
        let written = &rest[start - from - (whole.len() - rest.len())..][..part.len()];
        let gap = written.len() - written.trim_start().len();
        found.push((start + gap, written.trim().to_owned()));
        start += part.len() + 1;
    }
    found
}
