//! From candidates to links: constructors, overloads, declarations, guesses.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::graph::weights;

use super::code::FileFacts;
use super::dialect::{Extensions, Group, OverloadRules};
use super::kinds::{is_type, is_variable};
use super::literals::GUESSED_MIN;
use super::local_functions::is_local;
use super::memo::Guesses;
use super::parameters::arity;
use super::position::SymbolAt;
use super::result::{CONFIDENCE_ANSWER, CONFIDENCE_OPEN, LINKS_MAX, Link, Reason, Use};
use super::scope::shared_directories;
use super::several::limit_open;
use super::source_sets::is_of_other_platform;
use super::specs::is_of_test_framework;
use super::value::{Candidate, Choice, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::lang::chain::{Chain, Root, Step};
use crate::lang::facts::Role;
use crate::lang::symbols::{Symbol, SymbolKind, Visibility};

/// The most directories that two files share of which more do not make a definition likelier.
const NEARNESS_MAX: usize = 10;

/// The most definitions of one name of which any is a likely guess.
const AMBIGUOUS_MAX: usize = 4;

/// The most definitions that a call of an overloaded name may refer to.
const OVERLOADED_MAX: usize = 8192;

/// The most definitions of one name that are considered for a guess.
const GUESSES_MAX: usize = 512;

/// The most variables between a function and another name of it.
const ALIASES_MAX: usize = 4;

impl Walk<'_> {
    /// Returns links for the candidates of a use, most likely first.
    pub(super) fn pick(
        &self,
        place: Place,
        used: Use<'_>,
        mut candidates: Vec<Candidate>,
    ) -> Vec<Link> {
        let is_bare = used.receiver.is_none_or(|chain| chain.implicit().is_some());
        let has_open_self = self.facts(place.file).is_some_and(|facts| facts.dialect.has_open_self);
        // The contents of a container are unresolved, whatever the container is.
        // So is a value of a type parameter of C++.
        let has_lost = has_open_self
            || self.facts(place.file).is_some_and(|facts| facts.dialect.has_namespaces);
        if has_lost && !candidates.is_empty() && candidates.iter().all(|it| it.is_lost) {
            candidates.retain(|it| it.link().is_some());
        }
        if has_open_self && is_bare {
            // A name without arguments may be a variable of a specification instead.
            let is_mixed_in = |it: &Candidate| it.reason == Reason::Inherited;
            candidates.retain(|it| !is_mixed_in(it) || self.is_fit(it, Some(used)));
        }
        if self.calls_outside_type(place, used, &candidates) {
            candidates.clear();
        }
        if has_open_self && used.role == Role::Call {
            self.open_replaced(used.name, &mut candidates);
        }
        self.is_open.set(candidates.iter().any(|it| it.choice == Choice::Open));
        self.confirm(place, used, &mut candidates);
        if candidates.is_empty() && (!is_bare || has_open_self) {
            candidates = self.of_unknown_namespace(place, used);
            if candidates.is_empty() {
                candidates = self.of_one_trait(place, used);
            }
            if candidates.is_empty() {
                candidates = self.guesses(place, used);
                // The receiver may be a value of another type that has the member.
                let is_untyped =
                    self.facts(place.file).is_some_and(|it| it.dialect.has_untyped_values);
                self.is_open.set(self.is_open.get() || is_untyped);
            }
            let is_guess = !candidates.iter().any(|it| it.confidence >= CONFIDENCE_ANSWER);
            if is_guess && !(is_bare && has_open_self) {
                candidates.splice(..0, self.of_similar_uses(place, used));
            }
        }
        self.prefer_last(place, Some(used), &mut candidates);
        if used.role == Role::Call {
            // A call of a module calls what the file exports as its value.
            let values = |it: Candidate| {
                let mut values = self.module_value(&it, 0);
                if values.is_empty() {
                    values.push(it);
                }
                let others: Vec<Candidate> =
                    values.iter().flat_map(|it| self.aliased_functions(it)).collect();
                values.extend(others);
                values
            };
            candidates = candidates.into_iter().flat_map(values).collect();
        }
        self.remove_explicit(place, &mut candidates);
        self.remove_undefined(place, used, &mut candidates);
        let inherited = self.inherited_overloads(used, &candidates);
        if self.are_excluded(used, &candidates, &inherited) {
            candidates.clear();
        }
        candidates.extend(inherited);
        let has_overloads =
            self.facts(place.file).is_some_and(|facts| facts.dialect.overloads.is_some());
        self.open_reassigned(&mut candidates);
        self.open_taken(place, used, &mut candidates);
        let (mut links, mut choices) = (Vec::new(), Vec::new());
        for candidate in &candidates {
            let first = links.len();
            if used.role == Role::Call {
                links.extend(self.constructors(candidate, 0).iter().filter_map(Candidate::link));
            }
            links.extend(candidate.link());
            if candidate.choice != Choice::Only {
                let to = links[first..].iter().map(|link: &Link| link.to);
                choices.extend(to.map(|to| (to, candidate.choice)));
            }
            let links_max = if has_overloads { OVERLOADED_MAX } else { LINKS_MAX * 2 };
            if links.len() >= links_max {
                break;
            }
        }
        self.select_companions(place, used, &mut links);
        self.narrow_overloads(place, used, &mut links);
        self.order_links(place, used, &mut links);
        self.limit_by_library(place, used, &mut links);
        self.limit_conditional(place, used, &mut links);
        limit_open(&mut links, &choices);
        links
    }

    /// Removes the methods of C# that implement one of an interface under its name (`void IBase.Name()`),
    /// if there are others: they are not members of the type.
    fn remove_explicit(&self, place: Place, candidates: &mut Vec<Candidate>) {
        if candidates.len() < 2 || !self.facts(place.file).is_some_and(|it| it.dialect.has_usings) {
            return;
        }
        let is_explicit = |it: &Candidate| {
            let Value::Name(at) = it.value else { return false };
            let named = self.symbol(at).map(|(facts, at)| facts.symbols[at].name_span.start);
            let text = named.and_then(|start| Some((start, self.code.text(at.file)?)));
            text.is_some_and(|(start, text)| start > 0 && text.get(start - 1) == Some(&b'.'))
        };
        let are_explicit: Vec<bool> = candidates.iter().map(is_explicit).collect();
        if are_explicit.contains(&false) {
            let mut are_explicit = are_explicit.into_iter();
            candidates.retain(|_| are_explicit.next() != Some(true));
        }
    }

    /// Raises the confidence of the only definition that a long chain of steps leads to, in languages in
    /// which few types are written: the steps are uncertain, but their result is rarely another one. The
    /// same holds for the few definitions in the types that include the module around a use.
    fn confirm(&self, place: Place, used: Use<'_>, candidates: &mut [Candidate]) {
        let is_untyped = self.facts(place.file).is_some_and(|it| it.dialect.has_untyped_values);
        let Some(first) = candidates.first().and_then(Candidate::link) else { return };
        let is_only = candidates.iter().all(|it| it.link().is_some_and(|link| link.to == first.to))
            || candidates.len() <= AMBIGUOUS_MAX
                && candidates.iter().all(|it| it.reason == Reason::Implementation);
        let is_fit = candidates.iter().any(|it| self.is_fit(it, Some(used)));
        if is_untyped && is_only && is_fit {
            for candidate in
                candidates.iter_mut().filter(|it| it.confidence >= weights::UNCONFIRMED_MIN)
            {
                candidate.confidence = candidate.confidence.max(weights::CONFIRMED);
            }
        }
    }

    /// Returns the functions and classes that a variable of JavaScript is another name of: `const f =
    /// util.f`. Those that it wraps (`const f = wrap(g)`) rank below it.
    fn aliased_functions(&self, of: &Candidate) -> Vec<Candidate> {
        let Value::Name(at) = of.value else { return Vec::new() };
        let Some((facts, place)) = self.symbol(at) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        let alternatives = symbol.type_chain.as_ref().and_then(Chain::several);
        let is_several = alternatives.is_some();
        let is_path = symbol.type_chain.as_ref().is_some_and(Chain::is_path)
            || alternatives.is_some_and(|all| all.iter().all(Chain::is_path));
        if !facts.dialect.has_module_values || !is_variable(symbol.kind) {
            return Vec::new();
        }
        if !is_path {
            let mut found = self.wrapped(at, 1);
            found
                .retain(|it| self.kind(it).is_some_and(|kind| kind.is_callable() || is_type(kind)));
            found.iter_mut().for_each(|it| it.confidence = of.confidence * weights::STEP);
            return found;
        }
        let mut found = vec![of.clone()];
        for depth in 1..=ALIASES_MAX {
            let is_alias = |it: &Candidate| self.kind(it).is_some_and(is_variable);
            if !found.iter().any(is_alias) {
                break;
            }
            found = self.each(&found, |it| self.load(it, depth));
        }
        found.retain(|it| self.kind(it).is_some_and(|kind| kind.is_callable() || is_type(kind)));
        // The function ranks above its other name, unless that has a type of its own.
        let text = self.code.text(at.file);
        let after = text.as_ref().and_then(|text| text.get(symbol.name_span.end..));
        let is_declared = matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable);
        // A property is read by a function of its own.
        let is_read = symbol.kind == SymbolKind::Property;
        let is_typed =
            is_declared && after.is_some_and(|after| after.trim_ascii_start().starts_with(b":"));
        for candidate in &mut found {
            candidate.confidence = if is_typed || is_several || is_read {
                of.confidence * weights::STEP
            } else {
                candidate.confidence.max(of.confidence * weights::ABOVE).min(1.0)
            };
            candidate.reason = candidate.reason.max(of.reason);
        }
        found
    }

    /// Returns the constructors of the type that a call names; those of its base if it has none of
    /// its own.
    pub(super) fn constructors(&self, candidate: &Candidate, depth: usize) -> Vec<Candidate> {
        let Value::Name(of) = candidate.value else { return Vec::new() };
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        if !is_type(symbol.kind) {
            return Vec::new();
        }
        let names = facts.dialect.constructors.iter().copied().chain([symbol.name.as_str()]);
        let mut found: Vec<SymbolAt> = Vec::new();
        for name in names {
            let children = facts.children(Some(place), name).iter().copied();
            let own = children.filter(|&at| facts.symbols[at as usize].kind.is_callable());
            found.extend(own.map(|place| SymbolAt { file: of.file, place }));
            if !found.is_empty() {
                break;
            }
        }
        let is_all_declared = found.iter().all(|at| facts.is_declaration(at.place as usize));
        // Swift's extensions have constructors.
        // Another part of a type of Ruby may have it.
        let is_elsewhere = facts.dialect.has_module_instances && found.is_empty();
        let name = match facts.dialect.extensions {
            _ if is_elsewhere => facts.dialect.constructors.first().copied(),
            Extensions::Block => facts.dialect.constructors.first().copied(),
            _ => Some(symbol.name.as_str()).filter(|_| {
                facts.dialect.has_partial_types || !found.is_empty() && is_all_declared
            }),
        };
        if let Some(name) = name {
            let members_elsewhere = self.members_elsewhere(&facts, of, name, depth);
            found.extend(members_elsewhere.iter().filter_map(Candidate::link).map(|link| link.to));
        }
        // C#'s `static Type()` runs once before all others, and nothing calls it.
        let is_static =
            |at: SymbolAt| self.signature(at).split_whitespace().any(|word| word == "static");
        found.retain(|&at| !facts.dialect.has_usings || !is_static(at));
        // The type itself ranks below its own constructor, but above an inherited one.
        let (mut factor, mut reason) = (weights::ABOVE, candidate.reason);
        if found.is_empty() && facts.dialect.inherits_constructors {
            (factor, reason) = (weights::BELOW, reason.max(Reason::Inherited));
            let names = facts.dialect.constructors.iter();
            let inherited = names.map(|name| self.members(of, name, depth));
            let links = |found: Vec<Candidate>| {
                found.iter().filter_map(Candidate::link).collect::<Vec<_>>()
            };
            let inherited = inherited.map(links).find(|links| !links.is_empty());
            found = inherited.unwrap_or_default().into_iter().map(|link| link.to).collect();
            found.retain(|&at| self.symbol(at).is_some_and(|(facts, at)| facts.is_constructor(at)));
        }
        let confidence = (candidate.confidence * factor).min(1.0);
        let made = |at| Candidate::new(Value::Name(at), confidence, reason);
        let mut found: Vec<Candidate> = found.into_iter().map(made).collect();
        if facts.takes_base_constructors(place) && self.take_step(depth) {
            for base in self.bases(of, depth + 1) {
                let base = base.of_type().unwrap_or(base);
                let inherited = self.constructors(&base, depth + 1);
                found.extend(inherited.into_iter().map(|it| Candidate {
                    confidence: it.confidence.min(confidence),
                    reason: it.reason.max(Reason::Inherited),
                    ..it
                }));
            }
            found.truncate(VALUES_MAX);
        }
        found
    }

    /// Returns the members of that name in the repository, if there are few.
    pub(super) fn guesses(&self, place: Place, used: Use<'_>) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        if facts.dialect.common.contains(&used.name) || used.name.len() < GUESSED_MIN {
            return Vec::new();
        }
        if self.is_passed_from_outside(&facts, place, used) {
            return Vec::new();
        }
        let guesses = self.members_by_name(&facts, used);
        let mut found = guesses.found.clone();
        // `(**self).name()` refers to another method than the enclosing one.
        if used.receiver.is_some_and(|chain| chain.is_call_of("deref")) {
            found.retain(|at| at.file != place.file || place.enclosing != Some(at.place as usize));
        }
        if self.is_implicit_member(&facts, place, used) {
            found.retain(|at| self.is_static_member(*at));
        }
        if used.receiver.is_none() && is_of_test_framework(&facts, used.name) {
            return Vec::new();
        }
        if !found.is_empty() && self.is_type_itself(place, used.receiver) {
            found.retain(|at| self.may_be_of_type(*at));
        }
        if facts.dialect.has_namespaces {
            self.remove_own(&facts, place, used.name, &mut found);
        }
        let mut replaced = Vec::new();
        if facts.dialect.has_module_instances && found.len() > 1 && !guesses.is_cut {
            if used.receiver.is_none() {
                self.retain_namesakes(&facts, place, &mut found);
            }
            if let Some(first) = self.replaced_by_others(&found) {
                replaced.extend(found.iter().copied().filter(|at| *at != first));
                found.retain(|at| *at == first);
            }
        }
        if found.len() > 1
            && !guesses.is_cut
            && let Some(of_all) = self.extension_of_all(&facts, place, &found, used.name)
        {
            replaced.extend(found.iter().copied().filter(|at| *at != of_all));
            found.retain(|at| *at == of_all);
        }
        let is_one = facts.dialect.has_namespaces && found.len() > 1 && self.have_one_name(&found);
        let (confidence, reason) = match found.len() {
            0 => return Vec::new(),
            // A method that a trait from outside declares, and which calls that of another value.
            1 if self.is_delegating(place, used.name, found[0]) => {
                (weights::FEW, Reason::Ambiguous)
            }
            // The receiver may be a value of one of the language's own types.
            1 if facts.dialect.standard.binary_search(&used.name).is_ok() => {
                (weights::FEW, Reason::Ambiguous)
            }
            // Definitions that were not considered may be right as well.
            _ if guesses.is_cut => (weights::MANY, Reason::Ambiguous),
            // Overloads of one type.
            _ if is_one => (weights::ONLY_FIT, Reason::OnlyFit),
            1 if guesses.is_alone => (weights::UNIQUE, Reason::UniqueName),
            1 => (weights::ONLY_FIT, Reason::OnlyFit),
            2..=AMBIGUOUS_MAX => (weights::FEW, Reason::Ambiguous),
            _ => (weights::MANY, Reason::Ambiguous),
        };
        let candidate = |at| Candidate::new(Value::Name(at), confidence, reason);
        let replacing = |at| Candidate::new(Value::Name(at), weights::FEW, Reason::Ambiguous);
        found.into_iter().map(candidate).chain(replaced.into_iter().map(replacing)).collect()
    }

    /// Returns true for a receiver of JavaScript that a function or type from outside passes to a callback:
    /// a value from outside, more often than not.
    fn is_passed_from_outside(&self, facts: &FileFacts, place: Place, used: Use<'_>) -> bool {
        let Some(chain) = used.receiver.filter(|_| facts.dialect.has_module_values) else {
            return false;
        };
        let (root, mut steps) = chain.decode();
        let is_passed = steps.any(|step| matches!(step, Ok(Step::Parameter(_))));
        if !is_passed || !matches!(root, Root::Instance(_) | Root::Name(_)) {
            return false;
        }
        let (_, steps) = chain.decode();
        let values = self.chain(place, None, &chain.before(&steps), 0);
        !values.is_empty() && values.iter().all(Candidate::is_outside)
    }

    /// Removes members of the own type from what a call of C++ on an unknown object may refer to, if the
    /// enclosing method has the name: it passes the call on to an object of another type.
    fn remove_own(&self, facts: &FileFacts, place: Place, name: &str, found: &mut Vec<SymbolAt>) {
        let around =
            facts.ancestors(place.enclosing).find(|&at| facts.symbols[at].kind.is_callable());
        let Some(own) = around.map(|at| &facts.symbols[at]).filter(|own| own.name == name) else {
            return;
        };
        let is_other = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                there.symbols[place].qualified_name != own.qualified_name
            })
        };
        if found.iter().any(is_other) {
            found.retain(is_other);
        }
    }

    /// Returns true if all definitions have the same qualified name.
    fn have_one_name(&self, found: &[SymbolAt]) -> bool {
        let names = found.iter().map(|at| {
            self.symbol(*at).map(|(facts, place)| facts.symbols[place].qualified_name.clone())
        });
        let names: FxHashSet<Option<String>> = names.collect();
        names.len() == 1 && !names.contains(&None)
    }

    /// Returns true for a member of Swift without the type that has it: `.name(1)`.
    fn is_implicit_member(&self, facts: &FileFacts, place: Place, used: Use<'_>) -> bool {
        let Some(start) = used.start.filter(|_| facts.dialect.extensions == Extensions::Block)
        else {
            return false;
        };
        let text = self.code.text(place.file);
        let before = text.as_ref().and_then(|text| text.get(..start)?.strip_suffix(b"."));
        before.is_some_and(|before| {
            before.last().is_none_or(|byte| b"([{,:=".contains(byte))
                || before.ends_with(b", ")
                || before.ends_with(b"= ")
                || before.ends_with(b": ")
        })
    }

    /// Returns true for a member that the type itself has.
    fn is_static_member(&self, at: SymbolAt) -> bool {
        let Some((facts, place)) = self.symbol(at) else { return false };
        let symbol = &facts.symbols[place];
        let signature = self.signature(at);
        let before = signature.split(symbol.name.as_str()).next().unwrap_or_default();
        symbol.kind == SymbolKind::EnumMember
            || before.split_whitespace().any(|word| matches!(word, "static" | "class"))
    }

    /// Returns the members of the repository that a use may refer to by its name alone, cached.
    pub(super) fn members_by_name(&self, facts: &FileFacts, used: Use<'_>) -> Rc<Guesses> {
        let key = (used.name.to_owned(), used.role, used.arguments, facts.dialect.group);
        self.memo.guesses(key, || self.members_called(facts, used))
    }

    /// Returns the members of the repository that a use may refer to by its name alone. It takes no
    /// steps of the walk, so that the result is the same for every use.
    fn members_called(&self, facts: &FileFacts, used: Use<'_>) -> Guesses {
        let named = self.code.named(used.name);
        let is_cut = named.len() > GUESSES_MAX;
        let mut guesses = Guesses { found: Vec::new(), is_alone: false, is_cut };
        let mut of_group = 0;
        for at in named.iter().copied().take(GUESSES_MAX) {
            if guesses.found.len() >= LINKS_MAX {
                break;
            }
            let Some(there) = self.memo.file(self.code, at.file) else { continue };
            let place = at.place as usize;
            let is_kin = there.dialect.group == facts.dialect.group;
            of_group += usize::from(is_kin);
            if is_kin
                && place < there.symbols.len()
                && self.fits(&there, at, place, used)
                && !is_local(self.code, &there, at)
            {
                guesses.found.push(at);
            }
        }
        guesses.is_alone = of_group == 1;
        guesses
    }

    /// Orders links, each definition once, by how well they fit the use.
    fn order_links(&self, place: Place, used: Use<'_>, links: &mut Vec<Link>) {
        let (place_of_use, file) = (place, Some(place.file));
        let is_several = links.len() > 1;
        let accepting = if is_several { self.accepting(used, links) } else { vec![true] };
        self.compare_overloads(place, used, &accepting, links);
        self.compare_blocks(links);
        self.compare_implementations(place, used, links);
        let path = self.facts(place.file).filter(|_| is_several).map(|facts| facts.path.clone());
        let shared = |facts: &FileFacts| {
            path.as_ref().map_or(0, |path| shared_directories(path, &facts.path))
        };
        let is_macro = links.iter().any(|link| {
            let symbol = self.symbol(link.to);
            symbol.is_some_and(|(facts, at)| facts.symbols[at].kind == SymbolKind::Macro)
        });
        let prefers_default = is_several && self.is_in_default_rust(place.file);
        let merged = if is_several { self.merged_signatures(links) } else { Vec::new() };
        let fields = if is_several { self.hidden_fields(place, used, links) } else { Vec::new() };
        let mut order = 0.0;
        for (link, accepts) in links.iter_mut().zip(accepting) {
            let Some((facts, place)) = self.symbol(link.to) else { continue };
            let symbol = &facts.symbols[place];
            let is_declared = facts.is_declaration(place)
                || merged.contains(&link.to)
                || facts.path.ends_with(".d.ts")
                || facts.path.ends_with(".pyi");
            if is_declared {
                link.confidence *= weights::DECLARED;
            }
            if is_several && !accepts {
                link.confidence *= weights::WORSE;
            }
            if is_several && !self.is_constructible(place_of_use, used, &facts, link.to) {
                link.confidence *= weights::LIKELY;
            }
            // A function of another file that only that file sees.
            let is_hidden = symbol.visibility == Visibility::Private && symbol.parent.is_none();
            let has_labels = facts.dialect.overloads.is_some_and(OverloadRules::has_labels);
            if is_hidden && has_labels && Some(link.to.file) != file {
                link.confidence *= weights::HALF;
            }
            // Of several copies of a definition, the nearest one.
            if is_several && facts.dialect.overloads.is_some() {
                link.confidence *= 1.0
                    - weights::POSSIBLE * (NEARNESS_MAX - shared(&facts).min(NEARNESS_MAX)) as f32;
            }
            // `TEST_CASE(name) {}` reads as the definition of a function.
            let is_unfolded = is_macro && facts.dialect.has_namespaces;
            if is_unfolded
                && symbol.kind == SymbolKind::Function
                && self.signature(link.to).starts_with(&symbol.name)
            {
                link.confidence *= weights::HALF;
            }
            let is_kotlin = facts.dialect.extensions == Extensions::Prefix;
            let is_added = is_kotlin && self.extended(&facts, link.to, place).is_some();
            if is_kotlin && is_several && !is_added && self.is_hidden(&facts, link.to) {
                link.confidence *= weights::HALF;
            }
            if is_kotlin && path.as_ref().is_some_and(|at| is_of_other_platform(&facts.path, at)) {
                link.confidence *= weights::AFTER;
            }
            let is_c = facts.dialect.group == Group::C;
            let is_callable = symbol.kind.is_callable() || is_type(symbol.kind);
            if is_c && (symbol.kind == SymbolKind::Macro || is_several && is_callable) {
                link.confidence *= self.condition_factor(&facts, link.to, is_several);
            }
            // Other features may select another alternative, so only the order differs.
            if prefers_default && !self.is_rust_read(&facts, link.to) {
                link.confidence *= 1.0 - weights::DEFAULT;
            }
            if used.role == Role::Call && is_variable(symbol.kind) && symbol.type_chain.is_some() {
                link.confidence *= weights::BELOW;
            }
            // A call of a name that is both a field and a method refers to the method.
            let is_field = facts.dialect.separates_fields && symbol.kind == SymbolKind::Field;
            if used.role == Role::Call && is_field || fields.contains(&link.to) {
                link.confidence *= weights::DOUBTFUL;
            }
            // Of equal candidates, the effective one: in Python the last, elsewhere the first.
            order += weights::ORDER;
            link.confidence *=
                if facts.dialect.last_wins { 1.0 - weights::DEFAULT + order } else { 1.0 - order };
        }
        links.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.to.cmp(&b.to)));
        let mut seen = FxHashSet::default();
        links.retain(|link| seen.insert(link.to));
        links.truncate(LINKS_MAX);
        self.limit_alternatives(links);
        for link in links.iter_mut() {
            link.confidence = link.confidence.clamp(0.0, 1.0);
        }
        // Stable, since links of equal confidence are in their order before.
        links.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        self.limit_replaced(place_of_use, used, links);
        if used.role == Role::Call {
            self.limit_several(links);
        }
    }

    /// Returns the signatures in interfaces of TypeScript whose methods have a body in a class of the same
    /// name, with which the interface is merged.
    fn merged_signatures(&self, links: &[Link]) -> Vec<SymbolAt> {
        let parts = |link: &Link| {
            let (facts, place) = self.symbol(link.to)?;
            let symbol = &facts.symbols[place];
            let has_body = symbol.source.signature.end < symbol.span.end;
            let parent = symbol.parent.map(|parent| facts.symbols[parent].kind);
            let is_method = facts.dialect.has_module_values && symbol.kind.is_callable();
            let name = is_method.then(|| (link.to.file, symbol.qualified_name.clone()))?;
            Some((name, has_body, parent?))
        };
        let all: Vec<_> = links.iter().map(parts).collect();
        let is_merged = |name: &(FileId, String)| {
            all.iter().flatten().any(|(other, has_body, _)| *has_body && other == name)
        };
        let is_signature = |it: &Option<((FileId, String), bool, SymbolKind)>| {
            it.as_ref().is_some_and(|(name, has_body, parent)| {
                !has_body && *parent == SymbolKind::Interface && is_merged(name)
            })
        };
        links.iter().zip(&all).filter(|(_, it)| is_signature(it)).map(|(link, _)| link.to).collect()
    }

    /// Lowers the confidence of definitions of which a better one is an alternative: overloads,
    /// redefinitions and variants for other conditions have the same qualified name, and a call runs one
    /// of them; so do extensions of several types have the same name. A declaration is no alternative to
    /// its definition.
    fn limit_alternatives(&self, links: &mut [Link]) {
        let named = |link: &Link| {
            let (facts, place) = self.symbol(link.to)?;
            let symbol = &facts.symbols[place];
            let is_defined = symbol.kind.is_callable() && !facts.is_declaration(place);
            let is_added = self.extended(&facts, link.to, place).is_some();
            let name = if is_added { &symbol.name } else { &symbol.qualified_name };
            is_defined.then(|| name.clone())
        };
        let names: Vec<Option<String>> = match links {
            [_, _, ..] => links.iter().map(named).collect(),
            _ => return,
        };
        let before: Vec<f32> = links.iter().map(|link| link.confidence).collect();
        for at in 1..links.len() {
            let first = names[..at].iter().position(|name| name.is_some() && *name == names[at]);
            let Some(first) = first else { continue };
            let is_equal = |other: usize| before[first] - before[other] < weights::EQUAL_MAX;
            let others = (first + 1..links.len()).filter(|&other| names[other] == names[first]);
            let equal = others.filter(|&other| is_equal(other)).count();
            let most = match (is_equal(at), equal) {
                (false, _) => weights::MANY,
                (true, 1) => CONFIDENCE_ANSWER,
                (true, _) => CONFIDENCE_OPEN,
            };
            links[at].confidence = links[at].confidence.min(most);
        }
    }

    /// Returns false for a type of Kotlin that a call cannot construct, so that it refers to a
    /// function of the same name.
    fn is_constructible(
        &self,
        place: Place,
        used: Use<'_>,
        facts: &FileFacts,
        at: SymbolAt,
    ) -> bool {
        let symbol = &facts.symbols[at.place as usize];
        let is_kotlin = facts.dialect.extensions == Extensions::Prefix;
        if used.role != Role::Call || !is_kotlin || !is_type(symbol.kind) {
            return true;
        }
        let signature = self.signature(at);
        if self.is_base(place, used) {
            return true;
        }
        let (before, after) = signature.split_once(&symbol.name).unwrap_or((&signature, ""));
        let has_word = |word: &str| before.split_whitespace().any(|part| part == word);
        if symbol.kind != SymbolKind::Class || has_word("abstract") || has_word("sealed") {
            return symbol.kind == SymbolKind::Type;
        }
        let after = after.trim_start();
        if after.starts_with("private constructor") || after.starts_with("internal constructor()") {
            return false;
        }
        let has_constructors = facts
            .dialect
            .constructors
            .iter()
            .any(|name| !facts.children(Some(at.place as usize), name).is_empty());
        let arity = if after.starts_with('(') || after.contains("constructor(") {
            let plain = signature.replacen("constructor", "", 1).replacen(" internal ", "", 1);
            let rules = facts.dialect.arguments.as_ref();
            arity(rules, SymbolKind::Constructor, &symbol.name, &plain)
        } else {
            Some((0, 0)).filter(|_| !has_constructors)
        };
        let given = used.arguments;
        given.zip(arity).is_none_or(|(given, (least, most))| (least..=most).contains(&given))
    }

    /// Returns true for the call of a base's constructor: `class A : B()`.
    fn is_base(&self, place: Place, used: Use<'_>) -> bool {
        let text = used.start.and_then(|start| Some((start, self.code.text(place.file)?)));
        text.is_some_and(|(start, text)| {
            text.get(..start).is_some_and(|before| before.trim_ascii_end().ends_with(b":"))
        })
    }

    /// Returns how likely a definition of C is in effect. Of one inside of `#if`, another definition
    /// of the name may be; and a macro that renames something from outside (`#define unlink _unlink`)
    /// is usually meant for other systems.
    fn condition_factor(&self, facts: &FileFacts, at: SymbolAt, is_several: bool) -> f32 {
        let symbol = &facts.symbols[at.place as usize];
        let is_macro = symbol.kind == SymbolKind::Macro;
        let is_outside =
            |chain: &Chain| chain.as_path().is_some_and(|path| self.code.named(path).is_empty());
        let renames = is_macro && symbol.type_chain.as_ref().is_some_and(is_outside);
        let known = self.is_compiled(at);
        let default = known.is_none() && is_several;
        let default = if default { self.is_compiled_by_default(at) } else { None };
        match known {
            // A header that no file includes is one for tests or for other programs.
            Some(true) if is_several && is_macro && self.is_unused_header(at) => weights::SHOWN,
            Some(true) => 1.0,
            // Another configuration may select another alternative, so only the order differs.
            None if default == Some(true) => 1.0 + weights::HALF * weights::DEFAULT,
            // The alternative may be a declaration that is always in effect.
            None if default == Some(false) => weights::DECLARED * (1.0 - weights::DEFAULT),
            _ if renames => weights::NO_ANSWER,
            Some(false) if is_several => weights::PLAUSIBLE,
            Some(false) if is_macro => weights::HALF,
            None if is_several && is_macro && self.is_attribute_macro(at) => weights::AFTER,
            None if is_several && is_macro && self.is_empty_macro(at) => weights::BY_RULE,
            None if is_several && is_macro => weights::LIKELY,
            _ => 1.0,
        }
    }

    /// Returns true if a use with an unresolved receiver can refer to the definition.
    fn fits(&self, facts: &FileFacts, at: SymbolAt, place: usize, used: Use<'_>) -> bool {
        let symbol = &facts.symbols[place];
        let is_fit = match used.role {
            Role::Call => {
                symbol.kind.is_callable()
                    || is_called_property(facts, symbol, used)
                    || facts.is_called_field(place)
            }
            Role::Type | Role::Base => is_type(symbol.kind),
            _ => is_variable(symbol.kind) || symbol.kind.is_callable(),
        };
        let is_member = facts.owner(place).is_some() || facts.is_called_field(place);
        is_fit && is_member && self.accepts_arguments(used, at, facts, symbol)
    }

    /// Returns false if the definition has another number of parameters than the use has arguments.
    pub(super) fn accepts_arguments(
        &self,
        used: Use<'_>,
        at: SymbolAt,
        facts: &FileFacts,
        symbol: &Symbol,
    ) -> bool {
        let Some(given) = used.arguments else { return true };
        if !symbol.kind.is_callable() {
            return true;
        }
        let arity = facts.arity(at.place, || self.code.text(at.file));
        arity.is_none_or(|(least, most)| {
            (least..=most).contains(&given)
                || given < least && self.inherits_values(at, facts, given)
        })
    }

    /// Returns true for a method of Kotlin that has so few parameters without a default value in a base
    /// which declares the method: an override does not repeat the values.
    fn inherits_values(&self, at: SymbolAt, facts: &FileFacts, given: u8) -> bool {
        if facts.dialect.extensions != Extensions::Prefix || self.is_exhausted() {
            return false;
        }
        let signature = self.signature(at);
        let name = facts.symbols[at.place as usize].name.as_str();
        let before = signature.split(name).next().unwrap_or_default();
        let is_override = before.split_whitespace().any(|word| word == "override");
        is_override
            && self.overridden(at).iter().any(|base| {
                let arity = self
                    .facts(base.file)
                    .and_then(|facts| facts.arity(base.place, || self.code.text(base.file)));
                arity.is_some_and(|(least, most)| (least..=most).contains(&given))
            })
    }
}

/// Returns true for a call without arguments that can read a property.
fn is_called_property(facts: &FileFacts, symbol: &Symbol, used: Use<'_>) -> bool {
    let is_property = symbol.kind == SymbolKind::Property && facts.dialect.calls_properties;
    is_property && used.arguments.is_none_or(|given| given == 0)
}
