//! Methods that are added to types outside of their definitions: C#'s extension methods, Kotlin's
//! extension functions, Swift's extensions of outside types.

use std::collections::VecDeque;

use super::code::FileFacts;
use super::conditions::conditions;
use super::dialect::Extensions;
use super::kinds::is_type;
use super::overloads::named::bases_of_library;
use super::overloads::stated_type_arguments;
use super::parameters::type_parameters;
use super::position::SymbolAt;
use super::receiver_bounds::returns_receiver;
use super::result::{Link, Reason, Use};
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::facts::Role;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 256;

/// The most bases of a type that are considered.
const BASES_MAX: usize = 64;

/// The most definitions of a name that are searched for an alias, and the most aliases in a row.
const ALIASED_MAX: usize = 8;
const ALIASES_MAX: usize = 4;

/// Annotations of Kotlin that hide a definition from sources or rank it below others, the fewest
/// bytes before a name that contain one, and the most that are searched.
const HIDDEN: &[&str] = &["DeprecationLevel.HIDDEN", "LowPriorityInOverloadResolution"];
const HIDDEN_BYTES_MIN: usize = 24;
const MODIFIERS_BYTES_MAX: usize = 2000;

/// The number of bases between a type and the extended one of which more make no difference.
const DISTANCE_MAX: usize = 20;

/// Types that every value has.
const TOP_TYPES: &[&str] = &["Any", "Object", "object"];

/// A member that is looked up, and the use that refers to it, if that is known.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    name: &'a str,
    used: Option<Use<'a>>,
}

impl<'a> Called<'a> {
    /// Returns the member that a step of a chain refers to.
    pub(super) fn step(name: &'a str) -> Called<'a> {
        Called { name, used: None }
    }

    /// Returns the member that a use refers to.
    pub(super) fn by(used: Use<'a>) -> Called<'a> {
        Called { name: used.name, used: Some(used) }
    }
}

impl Walk<'_> {
    /// Adds the extensions `name` of a value's type to its members, unless one of these can be
    /// meant.
    pub(super) fn add_extensions(
        &self,
        place: Place,
        receiver: &Candidate,
        called: Called<'_>,
        members: &mut Vec<Candidate>,
        depth: usize,
    ) {
        let Called { name, used } = called;
        let Some(facts) = self.facts(place.file) else { return };
        if facts.dialect.extensions == Extensions::None || !self.take_step(depth) {
            return;
        }
        // An extension is called where the types of the arguments exclude the members.
        let is_member = members.iter().any(|member| self.is_fit(member, used));
        // Without arguments, nothing can exclude them.
        let is_bare =
            used.is_none_or(|used| used.arguments == Some(0) && !self.states_types(place, used));
        if is_member && (is_bare || facts.dialect.extensions == Extensions::Block) {
            return;
        }
        let (mut added, mut is_unclear) = (Vec::new(), false);
        for receiver in self.load(receiver, depth + 1) {
            let receiver = self.object_value(&receiver).unwrap_or(receiver);
            if let Value::Name(of) = receiver.value {
                added.extend(self.companion_extensions(of, name, used));
            }
            if matches!(receiver.value, Value::Name(_) | Value::Module(_) | Value::Callback(_)) {
                continue;
            }
            let names = self.type_names(&receiver, depth);
            for at in self.code.named(name).iter().copied().take(NAMED_MAX) {
                let Some(share) = self.extends(&facts, &receiver, &names, at, name) else {
                    // An outside type may have bases that it extends.
                    is_unclear |= self.symbol(at).is_some_and(|(there, place)| {
                        there.dialect.group == facts.dialect.group
                            && self.extended(&there, at, place).is_some()
                    });
                    continue;
                };
                let mut share = share * self.visibility(&facts, place.file, at, name);
                if self.may_replace_member(&facts, place.file, at, used) {
                    share *= weights::WEAK;
                }
                let candidate = Candidate::new(Value::Name(at), share, Reason::Receiver);
                if self.is_fit(&candidate, used) && self.leaves_instance(at, used) {
                    added.push(candidate);
                }
            }
        }
        self.prefer_own_extensions(place, &mut added);
        let best = added.iter().map(|candidate| candidate.confidence).fold(0.0, f32::max);
        // Of overloads, the types of the arguments decide.
        let least = if used.is_some() { best * weights::SHOWN } else { best };
        added.retain(|candidate| candidate.confidence >= least);
        added.truncate(VALUES_MAX);
        // What is known of the receiver makes an extension with the stated type arguments no less likely.
        let is_stated = is_member && used.is_some_and(|used| self.states_types(place, used));
        let keep_overloads = |added: &mut Vec<Candidate>| {
            added.retain(|it| it.confidence >= weights::PLAUSIBLE);
            added.iter_mut().for_each(|it| it.confidence *= weights::AFTER);
        };
        if is_stated {
            keep_overloads(&mut added);
        }
        for candidate in &mut added {
            // What extends every value extends this one, whatever its type is.
            let is_of_all = names_all(&self.extended_name(candidate));
            candidate.confidence *= if is_of_all { 1.0 } else { receiver.confidence };
            candidate.reason = candidate.reason.max(receiver.reason);
            candidate.via = match receiver.value {
                Value::Instance(of, _) => receiver.via.or(Some(of)),
                _ => None,
            };
        }
        if added.is_empty() && is_unclear {
            members.iter_mut().for_each(|member| member.is_lost = true);
        }
        if is_member && !is_stated {
            keep_overloads(&mut added);
        }
        if !added.is_empty() {
            members.retain(|member| matches!(member.value, Value::Name(_)));
            members.append(&mut added);
        }
    }

    /// Returns false for an extension of C# whose parameters are all given, so that none is left for
    /// the instance.
    fn leaves_instance(&self, at: SymbolAt, used: Option<Use<'_>>) -> bool {
        let Some((facts, given)) = self.facts(at.file).zip(used.and_then(|used| used.arguments))
        else {
            return true;
        };
        let arity = facts.arity(at.place, || self.code.text(at.file));
        facts.dialect.extensions != Extensions::Parameter
            || arity.is_none_or(|(_, most)| given < most || most == u8::MAX)
    }

    /// Returns true for an extension of C# that extends a type from outside under a condition that its
    /// use does not have: it usually replaces a member that the type has in other configurations, and a
    /// member comes first.
    fn may_replace_member(
        &self,
        facts: &FileFacts,
        file: FileId,
        at: SymbolAt,
        used: Option<Use<'_>>,
    ) -> bool {
        let start = used.and_then(|used| used.start);
        let Some(start) = start.filter(|_| facts.dialect.extensions == Extensions::Parameter)
        else {
            return false;
        };
        let Some((there, place)) = self.symbol(at) else { return false };
        let branches = there.branches(|| self.code.text(at.file));
        let required = conditions(branches, there.symbols[place].name_span.start);
        if required.is_empty() {
            return false;
        }
        let own = conditions(facts.branches(|| self.code.text(file)), start);
        if required.iter().all(|condition| own.contains(condition)) {
            return false;
        }
        let extended = self.extended(&there, at, place).map(|(name, _)| name);
        !self.code.named(&extended.unwrap_or_default()).iter().take(NAMED_MAX).any(|at| {
            self.symbol(*at).is_some_and(|(of, place)| {
                of.dialect.group == facts.dialect.group && is_type(of.symbols[place].kind)
            })
        })
    }

    /// Returns true for a call of C# with type arguments.
    fn states_types(&self, place: Place, used: Use<'_>) -> bool {
        let is_csharp = |facts: &FileFacts| facts.dialect.has_usings;
        let start = used.start.filter(|_| self.facts(place.file).is_some_and(|it| is_csharp(&it)));
        let text = start.and_then(|start| Some((start, self.code.text(place.file)?)));
        text.is_some_and(|(start, text)| {
            stated_type_arguments(&text, start + used.name.len()).is_some_and(|count| count > 0)
        })
    }

    /// Returns a lower factor for an extension of Kotlin that the file neither imports nor has in its
    /// package.
    pub(super) fn visibility(
        &self,
        facts: &FileFacts,
        file: FileId,
        at: SymbolAt,
        name: &str,
    ) -> f32 {
        let Some((there, place)) = self.symbol(at) else { return 1.0 };
        if facts.dialect.extensions != Extensions::Prefix {
            return 1.0;
        }
        if self.is_hidden(&there, at) {
            return weights::HALF;
        }
        let package = there.package.as_deref().unwrap_or_default();
        if there.symbols[place].parent.is_some() || at.file == file {
            return 1.0;
        }
        let is_its = |import: usize| facts.imports[import].module == package;
        let is_visible = facts.package == there.package
            || facts.bindings(name).any(|(import, _)| is_its(import))
            || facts.wildcards().any(is_its);
        if is_visible { 1.0 } else { weights::LIKELY }
    }

    /// Returns the value of an `object` of Kotlin.
    fn object_value(&self, candidate: &Candidate) -> Option<Candidate> {
        let Value::Name(at) = candidate.value else { return None };
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        if facts.dialect.extensions != Extensions::Prefix || symbol.kind != SymbolKind::Class {
            return None;
        }
        let signature = self.signature(at);
        let before = signature.split(symbol.name.as_str()).next().unwrap_or_default();
        let is_object = before.split_whitespace().any(|word| word == "object");
        is_object.then(|| candidate.then(Value::Instance(at, None), 1.0))
    }

    /// Returns the extensions `name` of the companion object of a type of Kotlin.
    fn companion_extensions(
        &self,
        of: SymbolAt,
        name: &str,
        used: Option<Use<'_>>,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        if facts.dialect.extensions != Extensions::Prefix || !is_type(facts.symbols[place].kind) {
            return Vec::new();
        }
        self.extensions_of_companion(&facts.symbols[place].name, name, used)
    }

    /// Returns the extensions of the companion object of a type of Kotlin from outside that a chain
    /// names: `String.name()`.
    pub(super) fn extensions_of_outside(
        &self,
        place: Place,
        used: Use<'_>,
        chain: &Chain,
        values: &[Candidate],
    ) -> Vec<Candidate> {
        let is_kotlin = |facts: &FileFacts| facts.dialect.extensions == Extensions::Prefix;
        let is_name = chain.as_path().is_some_and(|path| path.starts_with(char::is_uppercase));
        let is_outside = |it: &Candidate| matches!(it.value, Value::Outside | Value::Foreign(_));
        if !is_name
            || !values.iter().all(is_outside)
            || !self.facts(place.file).is_some_and(|facts| is_kotlin(&facts))
        {
            return Vec::new();
        }
        self.extensions_of_companion(chain.last_name(), used.name, Some(used))
    }

    fn extensions_of_companion(
        &self,
        of: &str,
        name: &str,
        used: Option<Use<'_>>,
    ) -> Vec<Candidate> {
        let whole = format!("{of}.Companion.{name}");
        let is_its = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                let symbol = &there.symbols[place];
                symbol.parent.is_none() && symbol.qualified_name.ends_with(&whole)
            })
        };
        let named = self.code.named(name);
        let found = named.iter().copied().take(NAMED_MAX).filter(is_its);
        let candidate = |at| Candidate::new(Value::Name(at), weights::ADDED, Reason::Receiver);
        found.map(candidate).filter(|it| self.is_fit(it, used)).take(VALUES_MAX).collect()
    }

    /// Returns true for a definition of Kotlin that sources do not see, or only if there is no other
    /// one, by its annotations.
    pub(super) fn is_hidden(&self, facts: &FileFacts, at: SymbolAt) -> bool {
        let symbol = &facts.symbols[at.place as usize];
        let before = symbol.span.start..symbol.name_span.start;
        if facts.dialect.extensions != Extensions::Prefix || before.len() < HIDDEN_BYTES_MIN {
            return false;
        }
        let text = self.code.text(at.file);
        let Some(before) = text.as_ref().and_then(|text| text.get(before)) else { return false };
        let before = String::from_utf8_lossy(&before[..before.len().min(MODIFIERS_BYTES_MAX)]);
        HIDDEN.iter().any(|mark| before.contains(mark))
    }

    /// Returns the extensions of the enclosing type that a bare name may refer to.
    pub(super) fn own_extensions(
        &self,
        place: Place,
        used: Use<'_>,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        if !matches!(facts.dialect.extensions, Extensions::Prefix | Extensions::Block) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let inner = self.inner_receivers(place, depth);
        for value in inner.into_iter().chain(self.chain(place, None, &Chain::own(), depth)) {
            let mut members = self.member(&value, used.name, depth);
            members.retain(|member| {
                let states = |link: Link| self.accepts_type_arguments(place, used, link.to);
                self.is_fit(member, Some(used)) && member.link().is_none_or(states)
            });
            self.add_extensions(place, &value, Called::by(used), &mut members, depth);
            found.extend(members);
        }
        found
    }

    /// Adds the extensions of Kotlin's implicit receivers to the functions that a bare name refers to:
    /// they come after members, and before functions without a receiver.
    pub(super) fn add_implicit_extensions(
        &self,
        place: Place,
        used: Use<'_>,
        found: &mut Vec<Candidate>,
    ) {
        let is_extension = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(facts, place)| {
                let symbol = &facts.symbols[place];
                symbol.kind.is_callable()
                    && facts.dialect.extensions == Extensions::Prefix
                    && self.extended(&facts, *at, place).is_some()
            })
        };
        let named = self.code.named(used.name);
        if used.role != Role::Call || !named.iter().take(NAMED_MAX).any(is_extension) {
            return;
        }
        let is_known = |it: &Candidate| it.link().is_some_and(|link| is_extension(&link.to));
        if found.iter().any(is_known) {
            return;
        }
        let mut added = self.own_extensions(place, used, 1);
        let is_found = |it: &Candidate| it.link().is_some_and(|link| is_extension(&link.to));
        added.retain(|it| is_found(it) && it.confidence >= weights::PLAUSIBLE);
        let is_free = |it: &Candidate| {
            let symbol = it.link().and_then(|link| self.symbol(link.to));
            symbol.is_some_and(|(facts, place)| {
                facts.symbols[place].parent.is_none() && facts.owner(place).is_none()
            })
        };
        let best = found.iter().map(|it| it.confidence).fold(0.0, f32::max);
        let least = added.iter().map(|it| it.confidence).fold(1.0, f32::min);
        if added.is_empty() {
            return;
        }
        if found.iter().all(is_free) {
            found
                .iter_mut()
                .for_each(|it| it.confidence *= least.min(best) / best * weights::AFTER);
        } else {
            let most = best * weights::AFTER;
            added.iter_mut().for_each(|it| it.confidence = it.confidence.min(most));
        }
        found.append(&mut added);
    }

    /// Removes extensions that are members of types of which nothing around a call is a value, if there
    /// are others: Kotlin's members that extend another type are visible in their type only.
    fn prefer_own_extensions(&self, place: Place, added: &mut Vec<Candidate>) {
        let owner = |it: &Candidate| self.extending_member(it.link()?.to);
        let owners: Vec<Option<SymbolAt>> = added.iter().map(owner).collect();
        if owners.iter().all(Option::is_none) {
            return;
        }
        let around = self.types_around(place);
        if let ([only], [Some(owner)]) = (&mut added[..], &owners[..])
            && !around.contains(owner)
            && self.facts(place.file).is_some_and(|facts| {
                let extended = self.extended_name(only);
                names_all(&extended) || self.names_parameter(&facts, &extended)
            })
        {
            // It extends every value, but only where the type is a receiver.
            only.confidence = only.confidence.min(weights::ONLY_FIT);
            only.reason = Reason::OnlyFit;
        }
        let is_visible: Vec<bool> =
            owners.iter().map(|owner| owner.is_none_or(|owner| around.contains(&owner))).collect();
        if is_visible.contains(&true) {
            let mut visible = is_visible.into_iter();
            added.retain(|_| visible.next().unwrap_or(true));
        }
    }

    /// Returns the types around a place and their bases.
    pub(super) fn types_around(&self, place: Place) -> Vec<SymbolAt> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let enclosing = facts.ancestors(place.enclosing);
        let types = enclosing.filter(|&at| is_type(facts.symbols[at].kind));
        let mut open: Vec<SymbolAt> =
            types.map(|at| SymbolAt { file: place.file, place: at as u32 }).collect();
        open.extend(self.own_types(place, 1));
        let mut found: Vec<SymbolAt> = Vec::new();
        while let Some(of) = open.pop() {
            if found.contains(&of) || found.len() >= BASES_MAX {
                continue;
            }
            found.push(of);
            open.extend(self.bases(of, 2).iter().filter_map(|base| match base.value {
                Value::Instance(at, _) => Some(at),
                _ => None,
            }));
        }
        found
    }

    /// Returns the value of a type of Kotlin, which may be an alias of another one.
    pub(super) fn unaliased(&self, value: &Candidate, depth: usize) -> Vec<Candidate> {
        let is_alias = value.of_type().filter(|of| {
            let Value::Name(at) = of.value else { return false };
            self.kind(of) == Some(SymbolKind::Type)
                && self
                    .facts(at.file)
                    .is_some_and(|facts| facts.dialect.extensions == Extensions::Prefix)
        });
        is_alias.map_or_else(|| vec![value.clone()], |of| self.instances(&[of], None, depth + 1))
    }

    /// Returns the value of the instance of an extension of an outside type.
    pub(super) fn extended_outside(&self, place: Place) -> Option<Candidate> {
        let facts = self.facts(place.file)?;
        let around = facts.ancestors(place.enclosing);
        let name = match facts.dialect.extensions {
            Extensions::Prefix => self.extended_owner(&facts, place.file, around.last()?)?,
            Extensions::Block => around.filter_map(|at| facts.block_type(at)).next()?.to_owned(),
            _ => return None,
        };
        let text = name.as_str().into();
        let written = WrittenType { place: Place { enclosing: None, ..place }, text };
        Some(Candidate::new(Value::Foreign(written), weights::LIKELY, Reason::Receiver))
    }

    /// Returns the name of the type that a method is a member of; in Kotlin, the bound of the type
    /// parameter that it extends.
    pub(super) fn extended_owner(
        &self,
        facts: &FileFacts,
        file: FileId,
        method: usize,
    ) -> Option<String> {
        let owner = facts.owner(method)?;
        let is_bound = facts.dialect.extensions == Extensions::Prefix;
        let at = SymbolAt { file, place: method as u32 };
        let extended = is_bound.then(|| self.extended(facts, at, method)).flatten();
        Some(extended.map_or_else(|| owner.to_owned(), |(name, _)| name))
    }

    /// Returns the values that Kotlin's `this` is in the functions around `place` that extend a type
    /// inside of another definition, innermost first.
    fn inner_receivers(&self, place: Place, depth: usize) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        if facts.dialect.extensions != Extensions::Prefix {
            return Vec::new();
        }
        let mut found = Vec::new();
        for around in facts.ancestors(place.enclosing) {
            let symbol = &facts.symbols[around];
            if is_type(symbol.kind) {
                break;
            }
            let at = SymbolAt { file: place.file, place: around as u32 };
            let is_inner = symbol.parent.is_some() && symbol.kind.is_callable();
            let extended = is_inner.then(|| self.extended(&facts, at, around)).flatten();
            if let Some((name, _)) = extended {
                let scope = Place { enclosing: symbol.parent, ..place };
                found.extend(self.chain(scope, None, &Chain::instance(&name), depth));
            }
        }
        found
    }

    /// Returns true for a definition that a call with so many arguments can refer to.
    pub(super) fn is_fit(&self, member: &Candidate, used: Option<Use<'_>>) -> bool {
        let Value::Name(at) = member.value else { return false };
        let Some((facts, place)) = self.symbol(at) else { return false };
        used.is_none_or(|used| self.accepts_arguments(used, at, &facts, &facts.symbols[place]))
    }

    /// Returns the names of a value's type and of its bases; none if the type is unknown.
    fn type_names(&self, receiver: &Candidate, depth: usize) -> Vec<(String, usize)> {
        let mut names: Vec<(String, usize)> = Vec::new();
        let written_name = |written: &WrittenType| {
            (written.of().name().to_owned(), written.of().arguments().len())
        };
        match &receiver.value {
            Value::Foreign(written) => {
                let (name, count) = written_name(written);
                names.extend(bases_of_library(&name).map(|base| (base.to_owned(), count)));
                names.insert(0, (name, count));
            }
            Value::Instance(of, _) => {
                let mut open = VecDeque::from([*of]);
                while let Some(of) = open.pop_front() {
                    let Some((facts, place)) = self.symbol(of) else { continue };
                    let symbol = &facts.symbols[place];
                    let name = facts.block_type(place).unwrap_or(&symbol.name);
                    let count = self.type_parameters(of, &facts, symbol);
                    let is_known = |known: &(String, usize)| known.0 == name && known.1 == count;
                    if names.len() >= BASES_MAX || names.iter().any(is_known) {
                        continue;
                    }
                    names.push((name.to_owned(), count));
                    if symbol.kind == SymbolKind::Enum {
                        names.push(("Enum".to_owned(), 0));
                    }
                    for base in self.bases(of, depth + 2) {
                        match base.value {
                            Value::Instance(base, _) => open.push_back(base),
                            Value::Foreign(written) => {
                                let (name, count) = written_name(&written);
                                let bases = bases_of_library(&name);
                                let bases: Vec<_> =
                                    bases.map(|it| (it.to_owned(), count)).collect();
                                names.push((name, count));
                                names.extend(bases);
                            }
                            _ => {}
                        }
                    }
                }
            }
            _ => {}
        }
        names
    }

    /// Returns the confidence that a definition is an extension of a value's type.
    fn extends(
        &self,
        facts: &FileFacts,
        receiver: &Candidate,
        names: &[(String, usize)],
        at: SymbolAt,
        name: &str,
    ) -> Option<f32> {
        let (there, place) = self.symbol(at)?;
        if there.dialect.group != facts.dialect.group {
            return None;
        }
        let (extended, arguments) = self.extended(&there, at, place)?;
        let is_exact = |(_, count): &(String, usize)| arguments.is_none_or(|of| of == *count);
        let share = |extended: &str| {
            let is_it = |(name, _): &(String, usize)| is_same(name, extended);
            let is_exact =
                names.iter().filter(|it| is_it(it)).map(is_exact).reduce(|a, b| a | b)?;
            // An extension of a derived type comes before one of its bases.
            let distance = names.iter().position(is_it).unwrap_or_default().min(DISTANCE_MAX);
            let nearness = if distance == 0 {
                1.0
            } else {
                weights::BELOW - weights::PER_BASE * (distance - 1) as f32
            };
            Some(nearness * if is_exact { weights::BY_RULE } else { weights::LIKELY })
        };
        let aliased = || self.aliases(facts, &extended).iter().find_map(|of| share(of));
        if let Some(share) = share(&extended).or_else(aliased) {
            return Some(share);
        }
        if facts.dialect.common.contains(&name) {
            return None;
        }
        let is_ours = || self.is_type_name(facts, &extended);
        if self.names_parameter(facts, &extended) || names_all(&extended) {
            return Some(if names.is_empty() { weights::DOUBTFUL } else { weights::SHOWN });
        }
        // A value of an outside type may have outside bases.
        match receiver.value {
            Value::Foreign(_) if is_open(&extended) && !is_ours() => Some(weights::DOUBTFUL),
            Value::Outside | Value::ForeignMethod { .. } if !is_ours() => Some(weights::WEAK),
            _ => None,
        }
    }

    fn extended_name(&self, candidate: &Candidate) -> String {
        let Value::Name(at) = candidate.value else { return String::new() };
        let found = self.symbol(at).and_then(|(facts, place)| self.extended(&facts, at, place));
        found.map(|(name, _)| name).unwrap_or_default()
    }

    /// Returns the names of the types that a name of Kotlin is an alias of, the nearest first.
    fn aliases(&self, facts: &FileFacts, name: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        if facts.dialect.extensions != Extensions::Prefix {
            return found;
        }
        let mut name = name.to_owned();
        while found.len() < ALIASES_MAX {
            let target = self.code.named(&name).iter().take(ALIASED_MAX).find_map(|at| {
                let (there, place) = self.symbol(*at)?;
                let symbol = &there.symbols[place];
                let is_alias =
                    symbol.kind == SymbolKind::Type && there.dialect.group == facts.dialect.group;
                let chain = symbol.type_chain.as_ref().filter(|_| is_alias)?;
                chain.starts_at_type().then(|| chain.last_name().to_owned())
            });
            match target {
                Some(target) if !found.contains(&target) => found.push(target.clone()),
                _ => break,
            }
            name.clone_from(&found[found.len() - 1]);
        }
        found
    }

    /// Returns the name of the type that a method extends, and the number of its arguments if that
    /// is known.
    pub(super) fn extended(
        &self,
        facts: &FileFacts,
        at: SymbolAt,
        place: usize,
    ) -> Option<(String, Option<usize>)> {
        let symbol = &facts.symbols[place];
        match facts.dialect.extensions {
            Extensions::None => None,
            Extensions::Parameter if symbol.kind == SymbolKind::Method => {
                let (name, arguments) = facts.extended(at.place, || self.code.text(at.file))?;
                Some((name, Some(arguments)))
            }
            Extensions::Parameter => None,
            Extensions::Prefix => {
                let owner = facts.owner(place)?;
                let around = symbol.parent.map(|parent| facts.symbols[parent].name.as_str());
                if around == Some(owner) || !symbol.kind.is_callable() {
                    return (around != Some(owner)).then(|| (owner.to_owned(), None));
                }
                let bound = facts.extended(at.place, || self.code.text(at.file));
                Some((bound.map_or_else(|| owner.to_owned(), |(bound, _)| bound), None))
            }
            Extensions::Block => {
                let parent = symbol.parent?;
                Some((facts.block_type(parent)?.to_owned(), None))
            }
        }
    }

    /// Returns true for an extension of Kotlin that returns a value of the type that it is called on.
    pub(super) fn returns_receiver(&self, facts: &FileFacts, at: SymbolAt) -> bool {
        let place = at.place as usize;
        let is_extension =
            facts.dialect.extensions == Extensions::Prefix && facts.symbols[place].parent.is_none();
        let owner = facts.owner(place).filter(|_| is_extension);
        owner.is_some_and(|owner| {
            let signature = facts.signature(at.place, || self.code.text(at.file));
            returns_receiver(owner, &signature)
        })
    }

    /// Returns the number of type parameters of a type, in languages where types of one name differ
    /// in it; 0 elsewhere.
    pub(super) fn type_parameters(
        &self,
        at: SymbolAt,
        facts: &FileFacts,
        symbol: &Symbol,
    ) -> usize {
        if !facts.dialect.has_usings {
            return 0;
        }
        let signature = facts.signature(at.place, || self.code.text(at.file));
        type_parameters(&symbol.name, &signature)
    }

    /// Returns true for types of C# of which all have another number of type parameters than `count`.
    pub(super) fn have_other_arity(&self, values: &[Candidate], count: usize) -> bool {
        let is_other = |candidate: &Candidate| {
            let Value::Name(at) = candidate.value else { return false };
            self.symbol(at).is_some_and(|(facts, place)| {
                let symbol = &facts.symbols[place];
                facts.dialect.has_usings
                    && is_type(symbol.kind)
                    && self.type_parameters(at, &facts, symbol) != count
            })
        };
        !values.is_empty() && values.iter().all(is_other)
    }

    /// Removes types with another number of type parameters than `count`, if some have it.
    pub(super) fn retain_arity(&self, values: &mut Vec<Candidate>, count: usize) {
        let arity = |candidate: &Candidate| {
            let Value::Name(at) = candidate.value else { return None };
            let (facts, place) = self.symbol(at)?;
            let symbol = &facts.symbols[place];
            let is_counted = facts.dialect.has_usings && is_type(symbol.kind);
            is_counted.then(|| self.type_parameters(at, &facts, symbol))
        };
        if values.len() > 1 && values.iter().any(|value| arity(value) == Some(count)) {
            values.retain(|value| arity(value).is_none_or(|of| of == count));
        }
    }
}

/// Returns true for the name of the type that every value has.
pub(super) fn names_all(name: &str) -> bool {
    TOP_TYPES.contains(&name)
}

/// Returns true for two names of one type.
fn is_same(a: &str, b: &str) -> bool {
    let plain = |name: &str| match name {
        "String" => "string",
        "Int32" => "int",
        "Int64" => "long",
        "Boolean" => "bool",
        "Object" => "object",
        _ => "",
    };
    a == b || !plain(a).is_empty() && plain(a) == b || !plain(b).is_empty() && plain(b) == a
}

/// Returns true for the name of a type that many others implement.
fn is_open(name: &str) -> bool {
    let is_interface = name.starts_with('I') && name[1..].starts_with(char::is_uppercase);
    let is_collection = matches!(
        name,
        "Iterable" | "Collection" | "Sequence" | "CharSequence" | "Stream" | "Exception" | "Enum"
    );
    is_interface || is_collection
}
