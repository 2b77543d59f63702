//! Members of modules and types, including those of blocks elsewhere and of bases.

use super::bounds::is_function_trait;
use super::code::{FileFacts, definitions, last_name, near};
use super::dialect::{Extensions, Group};
use super::kinds::{is_interface, is_member, is_type, is_variable};
use super::library::Asked;
use super::namespaces::scope;
use super::position::SymbolAt;
use super::result::Reason;
use super::scope::is_header;
use super::sides::is_of_object;
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{ANY_MEMBER, Protocol};
use crate::lang::symbols::SymbolKind;

/// The most members and blocks elsewhere that are considered, those in files near the type first.
pub(super) const ELSEWHERE_MAX: usize = 256;

/// The number of types on the way to a member from which on each counts as a step of the depth.
const BASES_DEPTH: usize = 16;

impl Walk<'_> {
    /// Returns the candidates for the member `name` of `candidate`.
    pub(super) fn member(&self, candidate: &Candidate, name: &str, depth: usize) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        let overriding = self.overriding(candidate, name);
        let mut found = match &candidate.value {
            _ if !overriding.is_empty() => overriding,
            Value::Module(file) => {
                let mut found = self.exported(*file, name, depth);
                if found.is_empty() {
                    let values = self.module_value(candidate, depth + 1);
                    found = values.iter().flat_map(|it| self.member(it, name, depth + 1)).collect();
                }
                for member in &mut found {
                    member.reason = member.reason.max(Reason::Receiver);
                }
                found
            }
            Value::Instance(of, _) if name == ANY_MEMBER => self.any_member(*of, depth),
            Value::Instance(of, _) if name == "__class__" => vec![Candidate {
                via: candidate.via.or(Some(*of)),
                ..Candidate::new(Value::Name(*of), 1.0, Reason::Receiver)
            }],
            Value::Instance(of, written) => {
                let mut found = self.members(*of, name, depth + 1);
                if !found.iter().any(|candidate| matches!(candidate.value, Value::Name(_))) {
                    let through = self.deref_members(*of, written.as_ref(), name, depth + 1);
                    if !through.is_empty() {
                        found = through;
                    }
                    if !found.iter().any(|it| matches!(it.value, Value::Name(_)))
                        && let Some(derived) = self.derived(*of, name)
                    {
                        found = vec![derived];
                    }
                    if found.iter().all(|it| matches!(it.value, Value::Outside)) {
                        let all = self.methods_for_all(*of, name, found.is_empty());
                        if !all.is_empty() {
                            found = all;
                        }
                    }
                }
                if !found.iter().any(|it| matches!(it.value, Value::Name(_))) {
                    let through = self.of_wrapped_block(*of, name, depth + 1);
                    found = if through.is_empty() { found } else { through };
                }
                self.inherit_of_object(*of, name, &mut found);
                let magic = self.magic(*of, name, false, &found, depth);
                if !magic.is_empty() {
                    found = magic;
                }
                if let Ok(number) = name.parse::<usize>()
                    && !found.iter().any(|it| matches!(it.value, Value::Name(_)))
                {
                    let part = self.tuple_part(candidate, *of, number, depth + 1);
                    found = if part.is_empty() { found } else { return part };
                }
                if found.is_empty() && self.is_value_of_pair(*of, name) {
                    return vec![candidate.clone()];
                }
                for member in &mut found {
                    member.via = member.via.or(candidate.via).or(Some(*of));
                    member.given = member.given.take().or_else(|| written.clone());
                }
                found
            }
            Value::Name(at) => self.member_of_name(candidate, *at, name, depth),
            Value::Foreign(written) => self.foreign_member(candidate, written, name, depth),
            Value::ForeignMethod { is_read: true, .. } => {
                let read = self.returned(candidate);
                return read.iter().flat_map(|it| self.member(it, name, depth + 1)).collect();
            }
            Value::Outside if depth == 0 => self.methods_of_unknown(name),
            Value::Outside | Value::ForeignMethod { .. } | Value::Callback(_) => {
                vec![Candidate::new(Value::Outside, 1.0, Reason::Receiver)]
            }
        };
        self.open_implicit(name, &mut found);
        self.prefer_side(&mut found, matches!(candidate.value, Value::Name(_)));
        if let Value::Name(of) = candidate.value {
            self.remove_of_instances(of, name, &mut found);
        }
        if found.len() > 1 {
            self.prefer_last(
                Place { file: crate::base::ids::FileId(0), enclosing: None },
                None,
                &mut found,
            );
        }
        for member in &mut found {
            member.confidence *= candidate.confidence;
            member.reason = member.reason.max(candidate.reason);
            member.is_lost |= candidate.is_lost;
            member.choice = member.choice.and(candidate.choice);
        }
        found
    }

    /// Returns true if a member that a type of C++ lacks is the value in an element of a map, whose
    /// elements have the type of their values here: `entry.second`, `auto& [key, value]`.
    fn is_value_of_pair(&self, of: SymbolAt, name: &str) -> bool {
        matches!(name, "second" | "1")
            && self.symbol(of).is_some_and(|(facts, _)| facts.dialect.has_namespaces)
    }

    /// Returns the candidates for a member of a definition itself.
    fn member_of_name(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let kind = facts.symbols[place].kind;
        if is_type(kind) || kind == SymbolKind::Impl {
            let mut found = self.members(of, name, depth + 1);
            if !found.iter().any(|it| matches!(it.value, Value::Name(_)))
                && let Some(derived) = self.derived(of, name)
            {
                found = vec![derived];
            }
            let magic = self.magic(of, name, true, &found, depth);
            if !magic.is_empty() {
                found = magic;
            }
            for member in &mut found {
                member.via = member.via.or(Some(of));
            }
            return found;
        }
        if kind == SymbolKind::Module && facts.dialect.has_namespaces {
            return self.namespace_members(of, name, depth);
        }
        if kind == SymbolKind::Module {
            let found = self.exported_inside(of, name, depth);
            let has_mixins = found.is_empty() && facts.dialect.has_module_instances;
            return if has_mixins { self.of_mixins(of, name, depth) } else { found };
        }
        let has_anonymous_types =
            facts.dialect.extensions == Extensions::Prefix || facts.dialect.has_java_types();
        if has_anonymous_types && is_variable(kind) {
            // The type of a property is that which its value derives from: `val a: A = object : A {}`,
            // `A a = new A() {}`.
            let loaded = self.load(candidate, depth + 1);
            let is_other = |it: &&Candidate| !matches!(it.value, Value::Name(same) if same == of);
            let found: Vec<Candidate> = loaded
                .iter()
                .filter(is_other)
                .flat_map(|loaded| self.member(loaded, name, depth + 1))
                .collect();
            if found.iter().any(|it| matches!(it.value, Value::Name(_))) {
                return found;
            }
        }
        let decorated = self.members_of_decorated(&facts, of, name, depth);
        if !decorated.is_empty() {
            return decorated;
        }
        let children = definitions(of.file, facts.children(Some(place), name));
        let mut found: Vec<Candidate> = children
            .map(|at| Candidate::new(Value::Name(at), weights::STEP, Reason::Receiver))
            .collect();
        if facts.dialect.has_added_members {
            if kind == SymbolKind::Function {
                found.retain(|it| self.kind(it).is_some_and(is_member));
            }
            found.extend(self.members_elsewhere(&facts, of, name, depth));
        }
        if found.is_empty() && kind == SymbolKind::Function {
            found = self.methods_of_functions(&facts, name);
        }
        if found.is_empty() && (is_variable(kind) || kind == SymbolKind::EnumMember) {
            for loaded in self.load(candidate, depth + 1) {
                let is_same = matches!(loaded.value, Value::Name(same) if same == of);
                if !is_same {
                    found.extend(self.member(&loaded, name, depth + 1));
                }
            }
        }
        found
    }

    /// Returns the candidates for a member of a value whose outside type is known only by name.
    fn foreign_member(
        &self,
        candidate: &Candidate,
        written: &WrittenType,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        // Traits of the repository may be implemented for functions.
        let is_lost = is_function_trait(&written.text);
        let outside = |is_lost| {
            vec![Candidate { is_lost, ..Candidate::new(Value::Outside, 1.0, Reason::Receiver) }]
        };
        let Some(facts) = self.facts(written.place.file) else { return outside(is_lost) };
        let dialect = facts.dialect;
        let is_tuple = written.of().name() == "tuple"
            && !(dialect.group == Group::Python && written.of().arguments().len() == 1);
        if let (Ok(number), true) = (name.parse::<usize>(), is_tuple) {
            return self.numbered_argument(candidate, written, number, depth);
        }
        if name.parse::<usize>().is_ok()
            && matches!(dialect.group, Group::JavaScript | Group::Python)
            && (written.of().has_arguments()
                || self.library_at(written.place).has_type(written.of()))
        {
            // `const [first] = list`, `first, second = values`.
            return self.of_library(candidate, written, Asked::By(Protocol::Iterate), depth);
        }
        // What is in a template may depend on its arguments: `Select<A>.Type`.
        let is_lost = is_lost || dialect.has_namespaces && written.text.contains(">.");
        if let Some(found) = self.member_by_library(written, name, depth) {
            return found;
        }
        let of_content = self.given_by_library(written, Asked::Dereference, depth);
        // A member of a type of C++ that is not known may be one of what it points to.
        let is_pointer = dialect.has_namespaces
            && !dialect.common.contains(&name)
            && written.of().has_arguments()
            && !self.library_at(written.place).has_type(written.of());
        let of_content =
            of_content.or_else(|| is_pointer.then(|| self.argument(candidate, written, depth)));
        if let Some(inner) = of_content {
            let found: Vec<Candidate> =
                inner.iter().flat_map(|inner| self.member(inner, name, depth + 1)).collect();
            if found.iter().any(|candidate| !matches!(candidate.value, Value::Outside)) {
                return found;
            }
            if dialect.has_namespaces && inner.iter().any(|inner| inner.is_lost) {
                // The elements may be of the repository.
                return outside(true);
            }
        }
        let given = self.extensions(&facts, written, name);
        if !given.is_empty() {
            return given;
        }
        let is_constant = name.len() > 1
            && name.starts_with(char::is_uppercase)
            && !name.contains(char::is_lowercase);
        if dialect.has_extension_traits && is_constant {
            // `Type::MAX`.
            return vec![candidate.then(Value::Foreign(written.clone()), weights::BY_RULE)];
        }
        outside(is_lost)
    }

    /// Returns the members `name` of a type, nearest first: its own, those defined elsewhere, those
    /// of its bases; [`Value::Outside`] if a base is outside of the repository.
    pub(super) fn members(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let mut seen = Vec::new();
        let mut found = self.members_unless(of, name, depth, &mut seen);
        let is_inside = |candidate: &Candidate| !matches!(candidate.value, Value::Outside);
        if found.iter().any(is_inside) {
            found.retain(is_inside);
        } else {
            found.truncate(1);
        }
        if found.is_empty() {
            found = self.members_of_users(of, name, depth);
        }
        if found.is_empty() {
            found = self.fields(of, name, depth);
        }
        found
    }

    fn members_unless(
        &self,
        of: SymbolAt,
        name: &str,
        depth: usize,
        seen: &mut Vec<SymbolAt>,
    ) -> Vec<Candidate> {
        if !self.take_step(depth) || seen.contains(&of) || seen.len() >= 64 {
            return Vec::new();
        }
        seen.push(of);
        let mut own = self.own_members(of, name, depth);
        if let Some((facts, place)) = self.symbol(of)
            && facts.dialect.has_namespaces
        {
            // `using Base::name;`
            let used = self.imported(&facts, of.file, Some(place), name, depth);
            own.extend(used.into_iter().filter(|it| !matches!(it.value, Value::Outside)));
        }
        let of_base = |base: &Candidate| match base.value {
            Value::Instance(base, _) => {
                self.members_unless(base, name, depth + 1, &mut seen.clone())
            }
            _ => self.member(base, name, depth + 1),
        };
        if let Some(found) = self.members_of_union(of, &own, depth, of_base) {
            return found;
        }
        if !own.is_empty() {
            self.put_prepended_first(of, name, &mut own, depth);
            // A method of a type of Ruby itself hides none of its instances.
            if !own.iter().all(|it| self.is_of_type_itself(it)) {
                return own;
            }
        }
        let mut found = self.members_of_alias(of, name, depth, seen);
        if !found.is_empty() {
            return found;
        }
        found = self.members_of_macros(of, name, depth);
        if !found.is_empty() {
            return found;
        }
        // What a type derives from does not depend on the types that derive from it.
        let bases = self.nested_query(depth, |depth| self.bases(of, depth));
        // Each type is visited once, so that long lines of bases need no other bound.
        let depth = if seen.len() <= BASES_DEPTH { depth } else { depth + 1 };
        if bases.len() > 1
            && self.symbol(of).is_some_and(|(of, _)| of.dialect.searches_bases_by_depth)
        {
            return self.members_by_depth(bases, name, depth, seen);
        }
        let is_linear = bases.len() > 1
            && self.symbol(of).is_some_and(|(facts, _)| facts.dialect.has_linear_bases);
        for base in bases {
            match base.value {
                Value::Instance(base_of, _) => {
                    for mut candidate in self.members_unless(base_of, name, depth, seen) {
                        candidate.confidence *= weights::BELOW;
                        candidate.reason = candidate.reason.max(Reason::Inherited);
                        found.push(candidate);
                    }
                }
                Value::Module(_) | Value::Name(_) => {
                    for mut candidate in self.member(&base, name, depth + 1) {
                        candidate.reason = candidate.reason.max(Reason::Inherited);
                        found.push(candidate);
                    }
                }
                Value::Foreign(ref written)
                    if written.of().has_arguments()
                        && self.library_at(written.place).has_type(written.of())
                        && let Some(mut given) = self.member_by_library(written, name, depth) =>
                {
                    given.iter_mut().for_each(|it| it.reason = Reason::Inherited);
                    found.append(&mut given);
                }
                _ => found.push(Candidate {
                    is_lost: base.is_lost,
                    ..Candidate::new(Value::Outside, 1.0, Reason::Inherited)
                }),
            }
            // A method of a module itself is none of the types that include it.
            let before = found.len();
            found.retain(|it| !self.is_of_module_itself(it));
            if let (true, Value::Name(module)) = (found.len() < before, &base.value) {
                found.extend(self.of_mixins(*module, name, depth + 1));
            }
            if found.iter().any(|candidate| matches!(candidate.value, Value::Name(_))) {
                break;
            }
        }
        if is_linear {
            self.prefer_derived(of, name, &mut found, depth);
        }
        if !own.is_empty() {
            let is_of_instance =
                |it: &Candidate| matches!(it.value, Value::Name(_)) && !self.is_of_type_itself(it);
            own.extend(found.into_iter().filter(is_of_instance));
            return own;
        }
        found
    }

    /// Returns the members `name` of the least deep of `bases` and of their bases that have some.
    fn members_by_depth(
        &self,
        bases: Vec<Candidate>,
        name: &str,
        depth: usize,
        seen: &mut Vec<SymbolAt>,
    ) -> Vec<Candidate> {
        let mut level = bases;
        let mut outside: Vec<Candidate> = Vec::new();
        while !level.is_empty() {
            let (mut found, mut next) = (Vec::new(), Vec::new());
            for base in level {
                let Value::Instance(of, _) = base.value else {
                    let outer = Candidate::new(Value::Outside, 1.0, Reason::Inherited);
                    outside.push(Candidate { is_lost: base.is_lost, ..outer });
                    continue;
                };
                if seen.contains(&of) || seen.len() >= 64 || !self.take_step(depth) {
                    continue;
                }
                seen.push(of);
                let mut own = self.own_members(of, name, depth);
                if own.is_empty() {
                    own = self.members_of_alias(of, name, depth, seen);
                }
                if own.is_empty() {
                    next.extend(self.nested_query(depth, |depth| self.bases(of, depth)));
                }
                found.extend(own.into_iter().map(|it| Candidate {
                    confidence: it.confidence * weights::BELOW,
                    reason: it.reason.max(Reason::Inherited),
                    ..it
                }));
            }
            if !found.is_empty() {
                return found;
            }
            level = next;
        }
        outside
    }

    /// Returns the functions `name` in the bodies of macros that are called where the type's items
    /// are: Rust's `impl Type { methods!(); }`.
    fn members_of_macros(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        if !facts.dialect.has_program_macros {
            return Vec::new();
        }
        let in_macro = |at: &SymbolAt| {
            let (there, member) = self.symbol(*at)?;
            let parent = there.symbols[member].parent?;
            let is_macro = there.symbols[parent].kind == SymbolKind::Macro
                && there.symbols[member].kind == SymbolKind::Method;
            is_macro.then(|| there.symbols[parent].name.clone())
        };
        let named = self.code.named(name);
        let made: Vec<(SymbolAt, String)> = near(&named, of.file, ELSEWHERE_MAX)
            .iter()
            .filter_map(|at| Some((*at, in_macro(at)?)))
            .collect();
        if made.is_empty() {
            return Vec::new();
        }
        let type_name = facts.symbols[place].name.as_str();
        let is_impl = facts.symbols[place].kind == SymbolKind::Impl;
        let blocks = self.code.blocks(facts.block_type(place).unwrap_or(type_name));
        for &block in near(&blocks, of.file, ELSEWHERE_MAX) {
            let is_its =
                if is_impl { block == of } else { self.is_block_of(block, of, type_name, depth) };
            if !is_its {
                continue;
            }
            let calls = self.code.calls(block.file);
            let directly =
                calls.iter().filter(|(_, it)| it.enclosing == Some(block.place as usize));
            let called: Vec<&str> = directly.map(|(called, _)| called.as_str()).collect();
            let found = made.iter().filter(|(_, owner)| called.contains(&owner.as_str()));
            let candidate = |&(at, _): &(SymbolAt, String)| {
                Candidate::new(Value::Name(at), weights::ADDED, Reason::Receiver)
            };
            let found: Vec<Candidate> = found.map(candidate).take(VALUES_MAX).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the members of the target of a type alias: Rust's `type Alias = Type`.
    fn members_of_alias(
        &self,
        of: SymbolAt,
        name: &str,
        depth: usize,
        seen: &mut Vec<SymbolAt>,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        let is_alias = symbol.kind == SymbolKind::Type && facts.dialect.aliases_have_members;
        let Some(chain) = symbol.type_chain.as_ref().filter(|_| is_alias) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for resolved in self.alias_target(of, symbol.parent, chain, depth) {
            if let Value::Instance(target, _) = resolved.value {
                found.extend(self.members_unless(target, name, depth + 1, seen));
            }
        }
        found
    }

    /// Returns a type's own members of that name.
    pub(super) fn own_members(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        if facts.dialect.has_namespaces && facts.symbols[place].name == name {
            // The name refers to the type itself.
            return Vec::new();
        }
        let children = definitions(of.file, facts.children(Some(place), name))
            .filter(|at| !facts.is_named_like_type(at.place as usize))
            .filter(|at| !is_of_object(&facts, at.place as usize));
        let mut found: Vec<Candidate> = children
            .map(|at| Candidate::new(Value::Name(at), weights::STEP, Reason::Receiver))
            .collect();
        if facts.dialect.has_namespaces && is_type(facts.symbols[place].kind) {
            // Friends are no members of a class.
            found.retain(|it| self.kind(it) != Some(SymbolKind::Function));
        }
        if facts.symbols[place].kind == SymbolKind::Function {
            // What a function defines inside is no member of the type.
            found.retain(|it| self.kind(it).is_some_and(is_member));
        }
        if facts.dialect.has_impl_blocks && is_type(facts.symbols[place].kind) && found.is_empty() {
            found = self.members_of_made_blocks(&facts, of, name);
        }
        if facts.symbols[place].kind == SymbolKind::Impl && found.is_empty() {
            found = self.members_of_variable(&facts, of, name);
        }
        // Rust's methods are separate from the fields and may have the same names.
        let separates_fields = facts.dialect.separates_fields;
        let any_or_all = |is: &dyn Fn(&Candidate) -> bool| {
            // Of overloads, some may be defined in the type and others outside.
            let is_any = facts.dialect.has_namespaces && found.iter().any(is);
            is_any || found.iter().all(is)
        };
        let is_declared = any_or_all(&|candidate| match candidate.value {
            Value::Name(at) if facts.is_declaration(at.place as usize) => true,
            _ => separates_fields && self.kind(candidate) == Some(SymbolKind::Field),
        });
        let is_open = is_declared || facts.dialect.has_partial_types;
        if !facts.dialect.has_closed_types && is_open {
            let mut elsewhere = self.members_elsewhere(&facts, of, name, depth);
            if facts.dialect.extensions == Extensions::Prefix {
                // Members come before extensions, which are searched by their receivers.
                let is_function =
                    |it: &Candidate| self.kind(it).is_some_and(SymbolKind::is_callable);
                elsewhere.retain(|it| !is_function(it));
            }
            found.append(&mut elsewhere);
        }
        found
    }

    /// Returns members that are defined outside of the type's own definition.
    pub(super) fn members_elsewhere(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let type_name = match facts.block_type(of.place as usize) {
            Some(name) => name,
            None => facts.symbols[of.place as usize].name.as_str(),
        };
        let mut found = Vec::new();
        let members = self.code.members(type_name, name);
        // What a function defines inside is no member of it.
        let is_function = facts.symbols[of.place as usize].kind == SymbolKind::Function;
        let is_inside = |at: SymbolAt| {
            let parent = facts.symbols.get(at.place as usize).and_then(|symbol| symbol.parent);
            is_function && at.file == of.file && parent == Some(of.place as usize)
        };
        for &at in near(&members, of.file, ELSEWHERE_MAX) {
            if found.len() < VALUES_MAX
                && !is_inside(at)
                && self.take_step(depth)
                && self.is_member_of(at, of, facts, depth)
            {
                // After those in the definition of the type itself.
                let confidence = weights::STEP * weights::BELOW;
                found.push(Candidate::new(Value::Name(at), confidence, Reason::Receiver));
            }
        }
        if facts.dialect.has_namespaces && found.len() > 1 {
            // Of several copies, the one whose file includes the type.
            let links: Vec<SymbolAt> =
                found.iter().filter_map(Candidate::link).map(|link| link.to).collect();
            let kept = self.including(&[of], links);
            found.retain(|it| it.link().is_none_or(|link| kept.contains(&link.to)));
        }
        found
    }

    /// Returns true if `member`, whose owner has the same name as the type `of`, belongs to that
    /// type.
    fn is_member_of(
        &self,
        member: SymbolAt,
        of: SymbolAt,
        type_facts: &FileFacts,
        depth: usize,
    ) -> bool {
        let Some((facts, place)) = self.symbol(member) else { return false };
        if facts.dialect.group != type_facts.dialect.group {
            return false;
        }
        let target = &type_facts.symbols[of.place as usize];
        let parent = facts.symbols[place].parent;
        let is_inside = parent.is_some_and(|parent| is_type(facts.symbols[parent].kind));
        if facts.dialect.has_namespaces && scope(&facts.symbols[place]) == target.qualified_name {
            // It is written outside of the type.
            return !is_inside && (member.file == of.file || is_header(&type_facts.path));
        }
        // A function of TypeScript with the name of an interface, and what it defines inside.
        let is_of_function = parent.is_some_and(|at| facts.symbols[at].kind.is_callable())
            && type_facts.dialect.has_call_signatures
            && is_type(target.kind);
        if is_of_function {
            return false;
        }
        let around = match parent.map(|parent| (parent, &facts.symbols[parent])) {
            // C++ defines members of a type in the enclosing namespace.
            Some((parent, symbol))
                if symbol.kind == SymbolKind::Module
                    && facts.owner(place) != Some(last_name(&symbol.name)) =>
            {
                Some(parent)
            }
            // It belongs to another type of the same name, unless types can be reopened.
            Some((parent, symbol)) if is_type(symbol.kind) || symbol.kind == SymbolKind::Module => {
                let is_itself = member.file == of.file && parent == of.place as usize;
                return !is_itself
                    && facts.dialect.reopens_types
                    && symbol.qualified_name == target.qualified_name
                    && (!facts.dialect.has_packages || facts.package == type_facts.package)
                    && self.type_parameters(
                        SymbolAt { place: parent as u32, ..member },
                        &facts,
                        symbol,
                    ) == self.type_parameters(of, type_facts, target);
            }
            Some((_, symbol)) if symbol.kind == SymbolKind::Impl => symbol.parent,
            Some((parent, _)) => Some(parent),
            None => None,
        };
        if facts.dialect.declares_package_name && target.parent.is_some() {
            // Types in functions of Go have no methods of their own.
            return false;
        }
        if facts.dialect.has_packages {
            // Names of outer namespaces are visible, but their types are not reopened.
            return member.file == of.file
                || facts.package == type_facts.package
                    && self.code.is_same_package(member.file, of.file);
        }
        if member.file == of.file && around == target.parent {
            return true;
        }
        let scope = Place { file: member.file, enclosing: around };
        let resolved = self.nested_query(depth, |depth| self.name(scope, &target.name, depth));
        let is_target =
            |candidate: &Candidate| matches!(candidate.value, Value::Name(at) if at == of);
        if resolved.iter().any(is_target) {
            return true;
        }
        let is_unknown =
            resolved.iter().all(|candidate| !matches!(candidate.value, Value::Name(_)));
        is_unknown && self.is_unique_type(&target.name)
    }

    /// Returns true if the repository defines a type of this name.
    pub(super) fn defines_type(&self, name: &str) -> bool {
        let is_type_here = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(facts, place)| is_type(facts.symbols[place].kind))
        };
        self.code.named(name).iter().take(ELSEWHERE_MAX).any(is_type_here)
    }

    /// Returns true if exactly one type has that name.
    fn is_unique_type(&self, name: &str) -> bool {
        let named = self.code.named(name);
        let types = named.iter().filter(|at| {
            self.symbol(**at).is_some_and(|(facts, place)| is_type(facts.symbols[place].kind))
        });
        types.take(2).count() == 1 && !self.is_exhausted()
    }

    pub(super) fn types(&self, candidate: &[Candidate]) -> Vec<SymbolAt> {
        let of = |candidate: &Candidate| match candidate.value {
            Value::Name(at) => Some(at),
            _ => None,
        };
        let is_a_type = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(facts, place)| {
                let kind = facts.symbols[place].kind;
                is_type(kind) || kind == SymbolKind::Function
            })
        };
        candidate.iter().filter_map(of).filter(is_a_type).take(VALUES_MAX).collect()
    }

    /// Returns true for a value of an interface, which has no constructor.
    pub(super) fn is_interface_value(&self, candidate: &Candidate) -> bool {
        let kind = candidate.of_type().and_then(|of| self.kind(&of));
        kind.is_some_and(is_interface)
    }

    pub(super) fn kind(&self, candidate: &Candidate) -> Option<SymbolKind> {
        let Value::Name(at) = candidate.value else { return None };
        let (facts, place) = self.symbol(at)?;
        Some(facts.symbols[place].kind)
    }
}
