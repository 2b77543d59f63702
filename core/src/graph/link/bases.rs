//! Bases of types, and the methods of bases that a method overrides.

use super::code::{FileFacts, last_name, near};
use super::hops::View;
use super::kinds::is_type;
use super::members::ELSEWHERE_MAX;
use super::position::SymbolAt;
use super::result::Reason;
use super::sides::is_of_object;
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use super::wrapped::is_path;
use crate::graph::weights;
use crate::lang::chain::{Chain, TypeText};
use crate::lang::symbols::SymbolKind;

/// The most bases of a type that are searched for a method that one of its own overrides.
pub(super) const BASES_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the bases of a type as values, including those of its implementation blocks.
    pub(super) fn bases(&self, of: SymbolAt, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        // Every name in a type of C# may be a member of a base.
        if facts.dialect.has_usings {
            let known = self.memo.bases(of, depth);
            let find = || self.find_bases(of, &facts, place, depth);
            return self.stepped(known, find, |found| self.memo.keep_bases(of, depth, found));
        }
        if !facts.dialect.has_module_instances {
            return self.find_bases(of, &facts, place, depth);
        }
        // The names of Ruby's bases may be constants of bases: those that are known by then count.
        if self.is_running(of.file, View::Bases(of.place), "") {
            let open = self.open_bases.borrow();
            let known = open.iter().rev().find(|(running, _)| *running == of);
            return known.map(|(_, found)| found.clone()).unwrap_or_default();
        }
        self.look_up(of.file, View::Bases(of.place), "", depth, || {
            self.open_bases.borrow_mut().push((of, Vec::new()));
            let found = self.find_bases(of, &facts, place, depth);
            self.open_bases.borrow_mut().pop();
            found
        })
    }

    fn find_bases(
        &self,
        of: SymbolAt,
        facts: &FileFacts,
        place: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = self.named_bases(facts, of, place, depth);
        if facts.dialect.has_partial_types || facts.dialect.reopens_types {
            let symbol = &facts.symbols[place];
            for part in self.code.named(&symbol.name).iter().copied().take(ELSEWHERE_MAX) {
                let Some((there, at)) = self.symbol(part).filter(|_| part != of) else { continue };
                let kind = there.symbols[at].kind;
                let is_part = (is_type(kind) || kind == SymbolKind::Module)
                    && !there.symbols[at].bases.is_empty()
                    && there.symbols[at].qualified_name == symbol.qualified_name
                    && there.package == facts.package
                    && there.dialect.group == facts.dialect.group
                    && (facts.dialect.reopens_types
                        || self.type_parameters(part, &there, &there.symbols[at])
                            == self.type_parameters(of, facts, symbol));
                if is_part {
                    found.extend(self.named_bases(&there, part, at, depth));
                }
            }
            let is_itself = |it: &Candidate| matches!(it.value, Value::Instance(at, _) if at == of);
            found.retain(|base| !is_itself(base));
        }
        if facts.dialect.has_module_instances {
            // The last included module comes first, and the superclass after all of them.
            let is_module = |it: &Candidate| self.kind(it) == Some(SymbolKind::Module);
            let (mut modules, others): (Vec<Candidate>, Vec<Candidate>) =
                found.into_iter().partition(is_module);
            modules.reverse();
            modules.extend(others);
            found = modules;
        }
        if facts.dialect.has_impl_blocks && facts.symbols[place].kind == SymbolKind::Impl {
            found.extend(self.bounds_of_block(facts, of, depth));
        } else if facts.dialect.has_impl_blocks {
            let name = facts.symbols[place].name.as_str();
            let blocks = self.code.blocks(name);
            for &block in near(&blocks, of.file, ELSEWHERE_MAX) {
                let Some((there, at)) = self.symbol(block) else { continue };
                if !there.symbols[at].bases.is_empty() && self.is_block_of(block, of, name, depth) {
                    found.extend(self.named_bases(&there, block, at, depth));
                }
            }
            for &block in self.made_blocks(facts, of).iter() {
                let Some((there, at)) = self.symbol(block) else { continue };
                found.extend(self.named_bases(&there, block, at, depth));
            }
        }
        found
    }

    pub(super) fn is_block_of(
        &self,
        block: SymbolAt,
        of: SymbolAt,
        name: &str,
        depth: usize,
    ) -> bool {
        let Some((facts, place)) = self.symbol(block) else { return false };
        if block.file == of.file {
            return true;
        }
        let scope = Place { file: block.file, enclosing: facts.symbols[place].parent };
        let resolved = self.nested_query(depth, |depth| self.name(scope, name, depth));
        resolved.iter().any(|candidate| matches!(candidate.value, Value::Name(at) if at == of))
    }

    fn named_bases(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        place: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let symbol = &facts.symbols[place];
        // Ruby's `include` is in the body of the type.
        let is_inside = facts.dialect.has_module_instances;
        let enclosing = if is_inside { Some(place) } else { symbol.parent };
        let scope = Place { file: of.file, enclosing };
        let mut found = Vec::new();
        let is_known = |candidate: &Candidate| {
            matches!(candidate.value, Value::Instance(..) | Value::Module(_) | Value::Name(_))
        };
        let is_type = |base: &&Chain| !base.is_of_variable() && **base != Chain::unknown();
        for base in symbol.bases.iter().filter(is_type).take(VALUES_MAX) {
            // A prepended module is a base as well.
            let plain = base.before_parameter().filter(|_| is_inside).map(|(plain, _)| plain);
            let written = plain.as_ref().unwrap_or(base).named_type().text();
            // Types of C# that differ in the number of type parameters have one name.
            let signature = facts.dialect.has_usings.then(|| self.signature(of));
            let arguments = signature.map(|text| base_arguments(&text, last_name(written)));
            let chain = match base.several() {
                Some(_) => base.instances(),
                None => Chain::instance(&format!("{written}{}", arguments.unwrap_or_default())),
            };
            let mut values = self.chain(scope, Some(of), &chain, depth + 1);
            if (facts.dialect.library)().has_type(TypeText::of(written))
                && values.iter().all(Candidate::is_outside)
            {
                // The type arguments of a base are only in the text.
                let arguments = base_arguments(&self.signature(of), last_name(written));
                let text = format!("{written}{arguments}").into();
                let is_plain = !arguments.is_empty() && !written.contains('<');
                let outside = Value::Foreign(WrittenType { place: scope, text });
                values.iter_mut().filter(|_| is_plain).for_each(|it| it.value = outside.clone());
            }
            let made = self.made_by_name(facts, scope, written, depth);
            if !made.is_empty() {
                values = made;
            } else if facts.dialect.has_expression_bases && !values.iter().any(is_known) {
                // The result of a function, an object, or all names of a module.
                let resolved = self.chain(scope, Some(of), &Chain::name(written), depth + 1);
                if resolved.iter().any(is_known) {
                    values = resolved;
                }
            }
            let is_same = |candidate: &Candidate| matches!(candidate.value, Value::Instance(at, _) if at == of);
            values.retain(|candidate| !is_same(candidate));
            if is_inside && let Some((_, open)) = self.open_bases.borrow_mut().last_mut() {
                open.extend(values.iter().cloned());
            }
            found.extend(values);
        }
        found
    }

    /// Returns the instances of a base of TypeScript that is a variable.
    fn made_by_name(
        &self,
        facts: &FileFacts,
        scope: Place,
        written: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let name = written.split('<').next().unwrap_or(written);
        if !facts.dialect.has_call_signatures || !is_path(name) {
            return Vec::new();
        }
        let named = self.chain(scope, None, &Chain::name(name), depth + 1);
        let variables = named.iter().filter_map(Candidate::link).map(|link| link.to);
        let made = variables.map(|at| self.made_by_variable(at));
        made.into_iter().find(|made| !made.is_empty()).unwrap_or_default()
    }

    /// Returns the methods that a method overrides or implements, nearest first: those of its name in
    /// the bases of its type. O(bases) look-ups, at most [`BASES_MAX`].
    pub(super) fn overridden(&self, of: SymbolAt) -> Vec<SymbolAt> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        if !symbol.kind.is_callable() || facts.is_constructor(place) {
            return Vec::new();
        }
        let is_around = |parent: &usize| {
            let kind = facts.symbols[*parent].kind;
            is_type(kind) || kind == SymbolKind::Impl
        };
        let mut types = match symbol.parent.filter(is_around) {
            Some(parent) => vec![SymbolAt { file: of.file, place: parent as u32 }],
            None if facts.owner(place).is_none() => return Vec::new(),
            None => self.own_types(Place { file: of.file, enclosing: Some(place) }, 0),
        };
        let (mut found, mut at) = (Vec::new(), 0);
        if is_of_object(&facts, place) {
            // A method of one object of Ruby replaces that of the object's type.
            types = self.types_of_object(&facts, of);
            let members = types.iter().flat_map(|it| self.members(*it, &symbol.name, 0));
            found.extend(members.filter_map(|it| it.link()).map(|link| link.to));
            found.retain(|&it| it != of && self.is_callable(it));
        }
        while let Some(&derived) = types.get(at).filter(|_| at < BASES_MAX) {
            at += 1;
            for base in self.bases(derived, 0) {
                let base = match base.value {
                    Value::Instance(base, _) => base,
                    // What a module of Ruby calls may be a method of the type that includes it.
                    Value::Name(base) if self.is_mixin(base) => base,
                    _ => continue,
                };
                if types.contains(&base) {
                    continue;
                }
                types.push(base);
                let own = self.own_members(base, &symbol.name, 0);
                let own = own.iter().filter_map(Candidate::link).map(|link| link.to);
                let own: Vec<SymbolAt> = own
                    .filter(|it| *it != of && self.is_callable(*it) && !found.contains(it))
                    .collect();
                found.extend(own);
            }
        }
        if let Some(&own) = types.first() {
            let satisfied = self.satisfied(&facts, of, own);
            found
                .extend(satisfied.into_iter().filter(|it| !found.contains(it)).collect::<Vec<_>>());
        }
        found
    }

    /// Returns the types of the object that a method of Ruby is defined for alone: `def @name.method`.
    fn types_of_object(&self, facts: &FileFacts, method: SymbolAt) -> Vec<SymbolAt> {
        let symbol = &facts.symbols[method.place as usize];
        let scope = symbol.qualified_name.strip_suffix(&symbol.name).unwrap_or_default();
        let owner = scope.trim_end_matches('.').rsplit(':').next().unwrap_or_default();
        if !owner.starts_with('@') {
            return Vec::new();
        }
        // The variable is that of the type around the method.
        let place = Place { file: method.file, enclosing: symbol.parent };
        let own = self.own_types(place, 0).into_iter().map(|own| Value::Instance(own, None));
        let own = own.map(|own| Candidate::new(own, 1.0, Reason::Receiver));
        let values: Vec<Candidate> = own.flat_map(|own| self.member(&own, owner, 0)).collect();
        let loaded = values.iter().flat_map(|it| self.load(it, 1));
        let types = loaded.filter_map(|it| match it.value {
            Value::Instance(of, _) => Some(of),
            _ => None,
        });
        types.take(VALUES_MAX).collect()
    }

    fn is_callable(&self, at: SymbolAt) -> bool {
        self.symbol(at).is_some_and(|(facts, place)| facts.symbols[place].kind.is_callable())
    }

    /// Replaces an inherited member by that of a later base which is derived from the type that has
    /// it: Python searches a common base after all types that are derived from it.
    pub(super) fn prefer_derived(
        &self,
        of: SymbolAt,
        name: &str,
        found: &mut Vec<Candidate>,
        depth: usize,
    ) {
        let Some(Value::Name(member)) = found.first().map(|it| &it.value) else { return };
        let Some(owner) = self.symbol(*member).and_then(|(facts, at)| {
            let parent = facts.symbols[at].parent?;
            Some(SymbolAt { file: member.file, place: parent as u32 })
        }) else {
            return;
        };
        for base in self.bases(of, depth + 1) {
            let Value::Instance(base, _) = base.value else { continue };
            if base == owner || !self.is_derived(base, owner, depth + 1) {
                continue;
            }
            let own = self.own_members(base, name, depth + 1);
            if !own.is_empty() {
                let inherited = |it: Candidate| Candidate {
                    confidence: it.confidence * weights::BELOW,
                    reason: Reason::Inherited,
                    ..it
                };
                *found = own.into_iter().map(inherited).collect();
                return;
            }
        }
    }

    /// Returns true if `of` has the base `from`, directly or through others.
    pub(super) fn is_derived(&self, of: SymbolAt, from: SymbolAt, depth: usize) -> bool {
        let (mut types, mut at) = (vec![of], 0);
        while let Some(&derived) = types.get(at).filter(|_| at < BASES_MAX) {
            at += 1;
            for base in self.bases(derived, depth) {
                let Value::Instance(base, _) = base.value else { continue };
                if base == from {
                    return true;
                }
                if !types.contains(&base) {
                    types.push(base);
                }
            }
        }
        false
    }
}

/// Returns the type arguments of a base in the signature of a type: `<B,C>` of `class D : A<B, C>`, and of
/// `class D(A[B, C])`.
fn base_arguments(signature: &str, base: &str) -> String {
    let text = signature.replace('[', "<").replace(']', ">");
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let found = [" extends ", " implements ", ":", "("].iter().find_map(|before| {
        let list = &text[text.find(before)?..];
        let mut named = list.match_indices(base).filter(|(at, _)| !list[..*at].ends_with(is_name));
        named.find_map(|(at, _)| Some(&list[at + base.len()..]).filter(|it| it.starts_with('<')))
    });
    let Some(after) = found else { return String::new() };
    let mut level = 0_usize;
    let end = after.bytes().position(|byte| {
        level += usize::from(byte == b'<');
        level -= usize::from(byte == b'>');
        level == 0
    });
    let arguments = end.map_or("", |end| &after[..=end]);
    arguments.chars().filter(|c| !c.is_whitespace()).collect()
}
