//! Resolution of bare names, by the scope in which they are written.

use super::code::{FileFacts, definitions, near};
use super::dialect::{Extensions, Group, is_standard_function};
use super::kinds::{is_member, is_named, is_type, is_variable};
use super::position::SymbolAt;
use super::result::Reason;
use super::sides::is_of_object;
use super::value::{Candidate, Choice, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::imports::Target;
use crate::graph::weights;
use crate::lang::facts::ImportKind;
use crate::lang::symbols::{Symbol, SymbolKind, Visibility};

/// The most wildcard imports that are searched.
const WILDCARDS_MAX: usize = 32;

/// The most imports whose packages are searched by their declared name.
const PACKAGES_MAX: usize = 64;

/// The most definitions of one name in the program that are considered, those in near files first;
/// and how many are considered if one of them is nearer than all others can be.
const PROGRAM_MAX: usize = 1024;
const NEAR_MAX: usize = 64;

/// The sign before a name that is looked up outside of all modules: Ruby's `::Name`.
pub(super) const ABSOLUTE: char = '\\';

/// The most parts of a reopened type or module that are followed.
const PARTS_MAX: usize = 4;

impl Walk<'_> {
    /// Returns the candidates for `name` at `place`: those of the first step that finds any.
    pub(super) fn name(&self, place: Place, name: &str, depth: usize) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        if facts.dialect.has_namespaces {
            return self.scoped_name(&facts, place, name, depth);
        }
        if facts.dialect.qualifies_names {
            return self.namespaced(&facts, place, name);
        }
        if facts.dialect.has_usings {
            let found = self.enclosing_definitions(&facts, place, name, depth);
            if !found.is_empty() {
                return found;
            }
            // Functions of a file's top-level statements.
            let mut own = of_file(&facts, place.file, name);
            own.retain(|candidate| self.kind(candidate) == Some(SymbolKind::Function));
            return if own.is_empty() { self.of_usings(&facts, place, name, depth) } else { own };
        }
        if facts.dialect.has_global_modules && name.starts_with(ABSOLUTE) {
            return self.global_module(&name[1..].replace(ABSOLUTE, "."));
        }
        if let Some(absolute) = name.strip_prefix(ABSOLUTE) {
            let mut found = self.of_program(&facts, Place { enclosing: None, ..place }, absolute);
            let is_outermost = |it: &Candidate| match it.value {
                Value::Name(at) => self
                    .symbol(at)
                    .is_some_and(|(there, at)| there.symbols[at].qualified_name == absolute),
                _ => true,
            };
            if !found.is_empty() && !found.iter().any(is_outermost) {
                found = vec![Candidate::new(Value::Outside, 1.0, Reason::Program)];
            }
            return found;
        }
        let steps: [&dyn Fn() -> Vec<Candidate>; 10] = [
            &|| self.enclosing_definitions(&facts, place, name, depth),
            // An import takes precedence over other names of the package.
            &|| {
                if facts.dialect.imports_types || is_bound(&facts, name) {
                    self.imported(&facts, place.file, None, name, depth)
                } else {
                    Vec::new()
                }
            },
            &|| {
                let mut own = of_file(&facts, place.file, name);
                self.prefer_blocks(&facts, place, &mut own);
                own
            },
            &|| self.imported(&facts, place.file, None, name, depth),
            &|| self.of_package(&facts, place.file, name),
            &|| self.imported_package(&facts, place.file, name, depth),
            &|| self.wildcard_imported(&facts, place, name, depth),
            &|| self.of_file_mixins(&facts, place, name, depth),
            &|| self.of_test_classes(&facts, place, name),
            &|| self.of_program(&facts, place, name),
        ];
        let found = steps.iter().map(|step| step()).find(|found| !found.is_empty());
        let mut found = found.unwrap_or_default();
        if facts.dialect.group == Group::C {
            self.add_effective(&facts, place.file, name, &mut found);
        }
        found
    }

    /// Returns the module with a qualified name: `A.B`, which is defined under this name or as `B` inside
    /// of `A`. A module that no file defines is outside of the repository.
    pub(super) fn global_module(&self, whole: &str) -> Vec<Candidate> {
        let last = whole.rsplit('.').next().filter(|last| *last != whole);
        let is_it = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(facts, place)| {
                let symbol = &facts.symbols[place];
                facts.dialect.has_global_modules && symbol.qualified_name == whole
            })
        };
        let named = [Some(whole), last].into_iter().flatten().map(|name| self.code.named(name));
        let mut found: Vec<Candidate> = Vec::new();
        for named in named {
            let modules = named.iter().copied().filter(is_it).take(VALUES_MAX);
            found.extend(modules.map(|at| Candidate::new(Value::Name(at), 1.0, Reason::Program)));
        }
        if found.is_empty() {
            found.push(Candidate::new(Value::Outside, 1.0, Reason::Program));
        }
        found
    }

    /// Replaces modules of Rust by imported functions of the name: a call refers to no module.
    pub(super) fn replace_modules(&self, place: Place, name: &str, found: &mut Vec<Candidate>) {
        let Some(facts) = self.facts(place.file) else { return };
        if !self.are_modules(&facts, found) {
            return;
        }
        let mut others = self.imported(&facts, place.file, None, name, 0);
        others.extend(self.wildcard_imported(&facts, place, name, 0));
        let is_module = |it: &Candidate| self.are_modules(&facts, std::slice::from_ref(it));
        others.retain(|it| !is_module(it));
        *found = others;
    }

    /// Adds the definitions of C that may be in effect in place of those that a compiler may not read.
    fn add_effective(
        &self,
        facts: &FileFacts,
        file: FileId,
        name: &str,
        found: &mut Vec<Candidate>,
    ) {
        let is_own = |it: &Candidate| matches!(it.value, Value::Name(at) if at.file == file);
        let is_unread = |it: &Candidate| match it.value {
            Value::Name(at) => {
                let known = self.is_compiled(at);
                known.or_else(|| self.is_compiled_by_default(at)) == Some(false)
            }
            _ => false,
        };
        if !found.is_empty() && found.iter().all(|it| is_own(it) && is_unread(it)) {
            let others =
                self.of_program_but(facts, Place { file, enclosing: None }, name, Some(file));
            if let Some(most) = others.iter().map(|it| it.confidence).reduce(f32::max) {
                found.iter_mut().for_each(|own| own.confidence = most);
                found.extend(others);
                return;
            }
        }
        let is_prototype = |it: &Candidate| match it.value {
            Value::Name(at) => at.file == file && facts.is_declaration(at.place as usize),
            _ => false,
        };
        if !found.is_empty() && found.iter().all(is_prototype) {
            let mut defined = self.functions_of_program(facts, file, name);
            defined.retain(|it| !is_own(it) && !self.is_declared_only(it));
            if let [only] = &mut defined[..] {
                only.confidence = found[0].confidence;
            }
            found.extend(defined);
        }
        if is_standard_function(name) {
            // A declaration for compilers without the library's headers.
            found.retain(|it| !is_prototype(it) || !is_unread(it));
        }
        if self.are_conditional_macros(found) {
            // They may not be in effect.
            found.extend(self.functions_of_program(facts, file, name));
        }
    }

    /// Returns the functions of that name in the program.
    fn functions_of_program(&self, facts: &FileFacts, file: FileId, name: &str) -> Vec<Candidate> {
        let is_visible = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                let symbol = &there.symbols[place];
                let is_here = at.file == file || is_header(&there.path);
                symbol.kind.is_callable()
                    && is_free(&there, place)
                    && there.dialect.group == facts.dialect.group
                    && (is_here || symbol.visibility != Visibility::Private)
            })
        };
        let named = self.code.named(name);
        let found = near(&named, file, NEAR_MAX).iter().copied().filter(is_visible);
        let candidate = |at| Candidate::new(Value::Name(at), weights::BY_NAME, Reason::Program);
        found.map(candidate).take(VALUES_MAX).collect()
    }

    /// Returns true for a prototype.
    fn is_declared_only(&self, candidate: &Candidate) -> bool {
        let Value::Name(at) = candidate.value else { return false };
        self.symbol(at).is_some_and(|(there, place)| there.is_declaration(place))
    }

    fn are_conditional_macros(&self, candidates: &[Candidate]) -> bool {
        let is_conditional = |candidate: &Candidate| {
            let Value::Name(at) = candidate.value else { return false };
            self.kind(candidate) == Some(SymbolKind::Macro) && self.is_compiled(at) != Some(true)
        };
        !candidates.is_empty() && candidates.iter().all(is_conditional)
    }

    /// Returns what the enclosing symbols define, and their members where the language allows it.
    fn enclosing_definitions(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let has_members = facts.dialect.has_bare_members;
        let mut outermost = None;
        // Only the constants of Ruby's outer types are visible in inner ones.
        let is_of_self = facts.dialect.has_open_self && !name.starts_with(char::is_uppercase);
        let mut is_in_type = false;
        let mut is_in_body = facts.dialect.binds_dotted_names;
        for (level, around) in facts.ancestors(place.enclosing).enumerate() {
            outermost = Some(around);
            let kind = facts.symbols[around].kind;
            let is_type = is_type(kind) || kind == SymbolKind::Impl;
            if is_of_self && (is_type || kind == SymbolKind::Module) {
                if is_in_type {
                    continue;
                }
                is_in_type = true;
            }
            // Members of an object literal are not in scope, and neither are members of a type.
            // The value of a class variable of Python is read in the body of the class.
            let is_inside = level > 0 && !is_in_body || kind == SymbolKind::Impl;
            is_in_body &= is_variable(kind);
            if (is_type || is_variable(kind)) && is_inside && !has_members {
                continue;
            }
            let children = facts.children(Some(around), name);
            // Members of what a function returns or constructs are not in scope either.
            let is_member_only = |at: &SymbolAt| {
                facts.dialect.has_added_members
                    && kind.is_callable()
                    && is_member(facts.symbols[at.place as usize].kind)
            };
            let mut found: Vec<Candidate> = definitions(place.file, children)
                .filter(|at| !is_member_only(at))
                .filter(|at| !facts.is_named_like_type(at.place as usize))
                .filter(|at| !facts.is_module_elsewhere(at.place as usize))
                .filter(|at| !is_of_object(facts, at.place as usize))
                .map(|at| Candidate::new(Value::Name(at), 1.0, Reason::Scope))
                .collect();
            self.retain_blocks(facts, place, around, &mut found);
            if is_type && !found.is_empty() {
                let own = SymbolAt { file: place.file, place: around as u32 };
                self.put_prepended_first(own, name, &mut found, depth);
            }
            // A method of a type of Ruby itself hides none of its instances.
            let is_other_side = !found.is_empty()
                && found.iter().all(|it| self.is_of_type_itself(it))
                && !self.is_class_side(place);
            let is_partial = facts.dialect.has_partial_types || is_other_side;
            if (found.is_empty() || is_partial) && is_type && has_members {
                let own = SymbolAt { file: place.file, place: around as u32 };
                let types = if kind == SymbolKind::Impl {
                    self.own_types(Place { enclosing: Some(around), ..place }, depth + 1)
                } else {
                    vec![own]
                };
                let has_arguments = facts.dialect.extensions != Extensions::None;
                let members = types.iter().flat_map(|&own| {
                    let mut members = self.members(own, name, depth + 1);
                    // The types of members of a base may be arguments of it.
                    for member in members.iter_mut().filter(|_| has_arguments) {
                        member.via = member.via.or(Some(own));
                    }
                    members
                });
                found = members.collect();
                found.retain(|candidate| !matches!(candidate.value, Value::Outside));
            }
            if found.is_empty() && (is_type || kind == SymbolKind::Module) {
                found = self.constants_of_parts(facts, place.file, around, name);
            }
            if found.is_empty() && kind == SymbolKind::Module && has_members {
                let own = SymbolAt { file: place.file, place: around as u32 };
                found = self.members_of_users(own, name, depth);
            }
            if found.is_empty() {
                found = self.imported(facts, place.file, Some(around), name, depth);
            }
            if !found.is_empty() {
                self.prefer_side(&mut found, self.is_class_side(place));
                self.prefer_blocks(facts, place, &mut found);
                return found;
            }
        }
        // A method that is defined outside of its type.
        let is_outside_type = |at: &usize| facts.symbols[*at].kind == SymbolKind::Method;
        match outermost.filter(is_outside_type) {
            Some(method) if has_members => {
                let types = self.own_types(Place { enclosing: Some(method), ..place }, depth + 1);
                let members = types.iter().flat_map(|&own| self.members(own, name, depth + 1));
                members.filter(|candidate| !matches!(candidate.value, Value::Outside)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the constants of that name in the parts of a type or module of Ruby in other files: they
    /// hide those of the modules around it.
    fn constants_of_parts(
        &self,
        facts: &FileFacts,
        file: FileId,
        around: usize,
        name: &str,
    ) -> Vec<Candidate> {
        let is_constant = name.starts_with(char::is_uppercase);
        if !facts.dialect.has_untyped_values || !is_constant {
            return Vec::new();
        }
        let scope = &facts.symbols[around].qualified_name;
        let whole = format!("{scope}{}{name}", facts.language.separator);
        let is_its = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                there.dialect.group == facts.dialect.group
                    && there.symbols[place].qualified_name == whole
            })
        };
        let named = self.code.named(name);
        let found = near(&named, file, NEAR_MAX).iter().copied().filter(is_its);
        let candidate = |at| Candidate::new(Value::Name(at), weights::LIKELY, Reason::Program);
        found.map(candidate).take(PARTS_MAX).collect()
    }

    /// Returns the candidates of imports directly inside of `scope` that bind the name.
    pub(super) fn imported(
        &self,
        facts: &FileFacts,
        file: FileId,
        scope: Option<usize>,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (import, bound) in facts.bindings_in(name, scope) {
            if scope.is_some() && self.is_of_other_block(facts, file, import) {
                continue;
            }
            found.extend(self.binding(facts, file, import, bound, depth));
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns the definitions of a name in the file and in its package that an import of the name hides,
    /// unless what is imported cannot be called so.
    pub(super) fn behind_imports(&self, place: Place, name: &str) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let mut found = of_file(&facts, place.file, name);
        found.extend(self.of_package(&facts, place.file, name));
        found
    }

    /// Returns the definitions in other files of the package.
    pub(super) fn of_package(&self, facts: &FileFacts, file: FileId, name: &str) -> Vec<Candidate> {
        if !facts.dialect.has_packages || !self.take_step(0) {
            return Vec::new();
        }
        let mut named = Vec::new();
        for at in self.code.named(name).iter().copied() {
            if at.file == file || !self.code.is_same_package(file, at.file) {
                continue;
            }
            let Some((there, place)) = self.symbol(at) else { continue };
            if there.symbols[place].parent.is_none() && there.owner(place).is_none() {
                named.push((there.package.as_ref().map_or(0, String::len), at));
            }
        }
        // A C# namespace sees the names of enclosing namespaces, but its own names first.
        let innermost = named.iter().map(|(package, _)| *package).max();
        named.retain(|(package, _)| Some(*package) == innermost);
        let candidate =
            |(_, at)| Candidate::new(Value::Name(at), weights::BY_RULE, Reason::SamePackage);
        named.into_iter().map(candidate).take(VALUES_MAX).collect()
    }

    /// Returns the package that declares `name` as its own name, where the import path ends in
    /// another one. Go only.
    fn imported_package(
        &self,
        facts: &FileFacts,
        file: FileId,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if !facts.dialect.declares_package_name {
            return Vec::new();
        }
        for (at, import) in facts.imports.iter().enumerate().take(PACKAGES_MAX) {
            let [bound] = &import.names[..] else { continue };
            if !bound.name.is_empty() || !import.module.contains(bound.alias.as_str()) {
                continue;
            }
            let found = self.binding(facts, file, at, bound, depth + 1);
            let is_called = |candidate: &Candidate| match candidate.value {
                Value::Module(file) => {
                    self.facts(file).is_some_and(|facts| facts.package.as_deref() == Some(name))
                }
                _ => false,
            };
            if found.iter().any(is_called) {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the candidates from modules of which all names are imported.
    fn wildcard_imported(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if facts.dialect.is_whole_program {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut count = 0;
        for import in facts.wildcards().take(WILDCARDS_MAX) {
            let scope = facts.import_scope(import);
            if scope.is_some() && !facts.ancestors(place.enclosing).any(|at| Some(at) == scope) {
                continue;
            }
            let candidates = self.wildcard(facts, place.file, import, name, depth);
            if candidates.is_empty() {
                continue;
            }
            count += candidates.len();
            found.push((self.holds_by_default(facts, place.file, import), candidates));
            if count >= VALUES_MAX {
                break;
            }
        }
        self.select_by_condition(found)
    }

    /// Returns the definitions in the whole program, in languages where they are visible;
    /// definitions near the use first.
    pub(super) fn of_program(&self, facts: &FileFacts, place: Place, name: &str) -> Vec<Candidate> {
        self.of_program_but(facts, place, name, None)
    }

    /// Returns the definitions in the whole program but those in one file.
    fn of_program_but(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        excluded: Option<FileId>,
    ) -> Vec<Candidate> {
        let file = place.file;
        if !facts.dialect.is_whole_program && !facts.dialect.has_program_macros {
            return Vec::new();
        }
        let named = self.code.named(name);
        let mut considered = near(&named, file, NEAR_MAX);
        let (mut found, mut is_sure) = self.visible(facts, file, name, &named, considered);
        if !is_sure && considered.len() < named.len() {
            considered = near(&named, file, PROGRAM_MAX);
            (found, is_sure) = self.visible(facts, file, name, &named, considered);
        }
        if !is_sure {
            let candidate =
                |(_, at)| Candidate::new(Value::Name(at), weights::MANY, Reason::Ambiguous);
            return found.into_iter().map(candidate).take(VALUES_MAX).collect();
        }
        found.retain(|(_, at)| Some(at.file) != excluded);
        if facts.dialect.reopens_types
            && !self.prefer_lexical(facts, place, name, &mut found)
            && facts.dialect.globals.contains(&name)
        {
            // A type of another module, with the name of one that the language defines.
            return Vec::new();
        }
        let is_one = found.len() == 1 || self.is_reopened(&found);
        let is_alone = is_one && considered.len() == named.len();
        let confidence = if is_alone { weights::LIKELY } else { weights::BY_NAME };
        let nearest = found.iter().map(|(shared, _)| *shared).max();
        found.retain(|(shared, _)| Some(*shared) == nearest);
        // Definitions in one file are alternatives, of which one is in effect.
        let mut files: Vec<FileId> = found.iter().map(|(_, at)| at.file).collect();
        files.dedup();
        let share = if files.len() > 2 && !is_one { weights::BY_NAME } else { 1.0 };
        let candidate = |(_, at): (usize, SymbolAt)| {
            if at.file != file && self.is_in_block(at) {
                let found = Candidate::new(Value::Name(at), weights::ONLY_FIT, Reason::OnlyFit);
                return Candidate { choice: Choice::Open, ..found };
            }
            let seen =
                if self.is_unseen_function(facts, file, at) { weights::NO_ANSWER } else { 1.0 };
            Candidate::new(Value::Name(at), confidence * share * seen, Reason::Program)
        };
        // The others are found as parts of these.
        let most = if found.len() > 1 && is_one { PARTS_MAX } else { VALUES_MAX };
        found.into_iter().map(candidate).take(most).collect()
    }

    /// Returns true for a function that C defines in a header which the file does not include.
    fn is_unseen_function(&self, facts: &FileFacts, file: FileId, at: SymbolAt) -> bool {
        if facts.language.name != "c" || at.file == file {
            return false;
        }
        self.symbol(at).is_some_and(|(there, place)| {
            let is_callable = there.symbols[place].kind.is_callable();
            let is_defined = is_callable && !there.is_declaration(place);
            is_defined && is_header(&there.path) && self.sees(file, at.file) == Some(false)
        })
    }

    /// Returns true for a function of Ruby in a block outside of all types, such as a specification: other
    /// files see it only if they share the block. Such a function is indented.
    fn is_in_block(&self, at: SymbolAt) -> bool {
        let Some((facts, place)) = self.symbol(at) else { return false };
        let symbol = &facts.symbols[place];
        let is_outermost = symbol.parent.is_none() && symbol.kind == SymbolKind::Function;
        let start = symbol.span.start.checked_sub(1);
        is_outermost
            && facts.dialect.has_open_self
            && start.is_some_and(|before| {
                let text = self.code.text(at.file);
                text.is_some_and(|text| matches!(text.get(before), Some(b' ' | b'\t')))
            })
    }

    /// Removes definitions of other modules, if the innermost module around a use that has the name, or
    /// the outermost level, has some; otherwise returns false. Ruby's constants are looked up so.
    fn prefer_lexical(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        found: &mut Vec<(usize, SymbolAt)>,
    ) -> bool {
        let separator = facts.language.separator;
        let around = facts.ancestors(place.enclosing).map(|at| &facts.symbols[at]);
        let is_scope = |symbol: &&Symbol| is_type(symbol.kind) || symbol.kind == SymbolKind::Module;
        let scopes = around.filter(is_scope).map(|it| format!("{}{separator}", it.qualified_name));
        for scope in scopes.chain([String::new()]) {
            let is_in = |&(_, at): &(usize, SymbolAt)| {
                self.symbol(at).is_some_and(|(there, place)| {
                    let own = there.symbols[place].qualified_name.as_str();
                    own.strip_prefix(scope.as_str()) == Some(name)
                })
            };
            if found.iter().any(is_in) {
                found.retain(is_in);
                return true;
            }
        }
        false
    }

    /// Returns true if all definitions are parts of one type or module, which several files open.
    fn is_reopened(&self, found: &[(usize, SymbolAt)]) -> bool {
        let mut first = None;
        found.iter().all(|&(_, at)| {
            let Some((facts, place)) = self.symbol(at) else { return false };
            let symbol = &facts.symbols[place];
            let is_open = is_type(symbol.kind) || symbol.kind == SymbolKind::Module;
            let name = first.get_or_insert_with(|| symbol.qualified_name.clone());
            facts.dialect.reopens_types && is_open && *name == symbol.qualified_name
        })
    }

    /// Returns those of some definitions that a file sees, each with the number of directories that
    /// both paths share, and whether none of the other definitions is as near.
    fn visible(
        &self,
        facts: &FileFacts,
        file: FileId,
        name: &str,
        all: &[SymbolAt],
        considered: &[SymbolAt],
    ) -> (Vec<(usize, SymbolAt)>, bool) {
        let is_macro_only = facts.dialect.has_program_macros;
        let (mut found, mut unseen) = (Vec::new(), Vec::new());
        let mut edges = [None; 2];
        let is_c = facts.dialect.group == Group::C;
        for &at in considered {
            let Some((other, place)) = self.symbol(at) else { continue };
            let symbol = &other.symbols[place];
            let shared = shared_directories(&facts.path, &other.path);
            edges = [edges[0].or(Some(shared)), Some(shared)];
            let is_macro = symbol.kind == SymbolKind::Macro && other.dialect.group == Group::C;
            // What another source file of C declares is defined elsewhere.
            let is_declared = || facts.language.name == "c" && other.is_declaration(place);
            // A source file may include another one.
            let is_hidden = (symbol.visibility == Visibility::Private || is_macro || is_declared())
                && at.file != file
                && other.dialect.reexports_imports
                && !is_header(&other.path)
                && self.sees(file, at.file) != Some(true);
            let is_visible = if is_macro_only {
                symbol.kind == SymbolKind::Macro
                    && (symbol.visibility == Visibility::Public
                        || at.file == file
                        || !facts.dialect.standard_macros.contains(&symbol.name.as_str())
                        || is_inside_of(&facts.path, &other.path))
            } else {
                let is_same_group = other.dialect.group == facts.dialect.group;
                is_free(&other, place) && is_same_group && !is_hidden
            };
            // Of a header that the file does not include.
            let is_unseen = || {
                if is_macro {
                    is_c && self.sees(file, at.file) == Some(false)
                } else {
                    self.is_unseen_function(facts, file, at)
                }
            };
            if is_visible && is_unseen() {
                unseen.push((shared, at));
            } else if is_visible {
                found.push((shared, at));
            }
        }
        if is_c {
            self.retain_seen(file, name, &mut found, unseen);
        }
        // In path order, no file beyond the first and last considered ones is nearer than these.
        let nearest = found.iter().map(|(shared, _)| *shared).max();
        let is_open = [considered.first() != all.first(), considered.last() != all.last()];
        let may_be_nearer =
            is_open.iter().zip(edges).any(|(is_open, edge)| *is_open && edge >= nearest);
        (found, !may_be_nearer && !self.is_exhausted())
    }

    /// Keeps the definitions of C that the includes of a file show. What an included header defines
    /// whole is in effect; `unseen` macros and functions are of headers that are not included; and a
    /// function of the standard library is one of the repository only where an included header declares
    /// it, other than for systems that lack the declaration.
    fn retain_seen(
        &self,
        file: FileId,
        name: &str,
        found: &mut Vec<(usize, SymbolAt)>,
        unseen: Vec<(usize, SymbolAt)>,
    ) {
        let is_standard = is_standard_function(name);
        let is_shown = |&(_, at): &(usize, SymbolAt)| {
            let is_included = || self.facts(at.file).is_some_and(|it| is_header(&it.path));
            match self.sees(file, at.file) {
                Some(is_seen) => is_seen,
                None => is_included() && !self.is_unused_header(at),
            }
        };
        if is_standard {
            let is_in_effect = |it: &(usize, SymbolAt)| {
                let is_declared = self.symbol(it.1).is_some_and(|(facts, place)| {
                    facts.symbols[place].kind == SymbolKind::Prototype
                });
                let is_read =
                    || self.is_compiled(it.1).or_else(|| self.is_compiled_by_default(it.1));
                is_shown(it) && (!is_declared || is_read() == Some(true))
            };
            if !found.iter().any(is_in_effect) {
                found.clear();
            }
            return;
        }
        if found.is_empty() {
            *found = unseen;
            return;
        }
        let is_declared = |&(_, at): &(usize, SymbolAt)| {
            self.symbol(at).is_some_and(|(facts, place)| facts.is_declaration(place))
        };
        let is_whole = |it: &(usize, SymbolAt)| {
            let is_here = it.1.file == file;
            let is_off = || self.is_compiled_by_default(it.1) == Some(false);
            !is_here && !is_declared(it) && self.sees(file, it.1.file) == Some(true) && !is_off()
        };
        if found.len() > 1 && found.iter().any(is_whole) && !found.iter().any(is_declared) {
            found.retain(is_shown);
        }
    }

    /// Returns the modules that `path` refers to in an import of `from`.
    pub(super) fn module(&self, from: FileId, path: &str, confidence: f32) -> Vec<Candidate> {
        if !self.take_step(0) {
            return Vec::new();
        }
        let resolution = self.code.module(from, path);
        let whole = resolution.targets().iter().filter(|target| target.rest == 0);
        let candidate = |target: &Target| {
            let confidence = target.confidence * confidence;
            Candidate::new(Value::Module(target.file), confidence, Reason::Import)
        };
        whole.map(candidate).take(VALUES_MAX).collect()
    }
}

/// Returns true if an import of the file's top level binds the name in a language in which a member that
/// the file exports may have the same name: JavaScript's `const f = require("./f"); exports.f = f.g`.
fn is_bound(facts: &FileFacts, name: &str) -> bool {
    let is_plain = |at: usize| {
        facts.imports[at].kind == ImportKind::Module && facts.import_scope(at).is_none()
    };
    facts.dialect.has_module_values && facts.bindings(name).any(|(at, _)| is_plain(at))
}

/// Returns the top-level definitions of a file.
pub(super) fn of_file(facts: &FileFacts, file: FileId, name: &str) -> Vec<Candidate> {
    definitions(file, facts.children(None, name))
        .filter(|at| is_named(&facts.symbols[at.place as usize]))
        .filter(|at| !facts.is_module_elsewhere(at.place as usize))
        .filter(|at| !is_of_object(facts, at.place as usize))
        .filter(|at| {
            // Go's methods are at the top level of the file, too, and so are members that
            // JavaScript adds to a value, and C++'s constructors, which have the name of their type.
            let owner = facts.owner(at.place as usize);
            let is_member_hidden = facts.dialect.has_packages || facts.dialect.has_added_members;
            !is_member_hidden && owner != Some(name) || owner.is_none()
        })
        .map(|at| Candidate::new(Value::Name(at), weights::BELOW, Reason::SameFile))
        .collect()
}

/// Returns true for what is named without an instance: not for methods and fields.
fn is_free(facts: &FileFacts, place: usize) -> bool {
    let symbol = &facts.symbols[place];
    let is_member = matches!(
        symbol.kind,
        SymbolKind::Method
            | SymbolKind::Constructor
            | SymbolKind::Field
            | SymbolKind::Property
            | SymbolKind::Impl
    );
    let parent = symbol.parent.map(|parent| facts.symbols[parent].kind);
    // A function around `#define` does not limit where the macro is defined.
    if symbol.kind == SymbolKind::Macro && facts.dialect.group == Group::C {
        return true;
    }
    // A friend that a class of C++ defines is a function of the namespace.
    let is_friend = facts.dialect.has_namespaces
        && symbol.kind == SymbolKind::Function
        && parent.is_some_and(is_type);
    if is_friend {
        return true;
    }
    !is_member && parent.is_none_or(|kind| matches!(kind, SymbolKind::Module | SymbolKind::Enum))
}

/// Returns true if a file is a submodule of the module of another one, by their paths.
fn is_inside_of(path: &str, module: &str) -> bool {
    let roots = ["/mod.rs", "/lib.rs", "/main.rs"];
    let directory = roots.iter().find_map(|root| module.strip_suffix(root));
    let directory = directory.or_else(|| module.strip_suffix(".rs")).unwrap_or(module);
    path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns true for the path of a file that others include.
pub(super) fn is_header(path: &str) -> bool {
    [".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".inc"]
        .iter()
        .any(|end| path.ends_with(end))
}

/// Returns how many leading directories two paths share.
pub(super) fn shared_directories(a: &str, b: &str) -> usize {
    let (a, b) = (a.split('/'), b.split('/'));
    a.zip(b).take_while(|(a, b)| a == b).count()
}
