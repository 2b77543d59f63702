//! Imports to definitions: the names that a module exports, and its re-exports.

use super::code::{FileFacts, definitions};
use super::dialect::Extensions;
use super::hops::View;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::Reason;
use super::scope::of_file;
use super::source_sets::is_of_other_platform;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::imports::{self as rules, Resolution, Target};
use crate::graph::weights;
use crate::lang::facts::{ImportKind, ImportedName};
use crate::lang::symbols::SymbolKind;

/// The most files of one import that are searched.
const TARGETS_MAX: usize = 16;

/// The most files of an import that may mean several packages.
const RIVAL_TARGETS_MAX: usize = 256;

/// The most modules that are searched of those from which a file re-exports all names.
const WILDCARDS_MAX: usize = 256;

/// The most parts of a path that are searched for the name of a type.
const PARTS_MAX: usize = 16;

/// The most functions around an import.
const SCOPES_MAX: usize = 8;

/// Parts with which a path begins that are not names of imported modules.
const PATH_STARTS: &[&str] = &["$crate", "alloc", "core", "crate", "self", "std", "super"];

/// The name of a default export in JavaScript.
const DEFAULT: &str = "default";

/// Returns the files of an import that are searched. One of several packages may have many files.
fn searched(resolution: &Resolution) -> impl Iterator<Item = &Target> {
    let targets = resolution.targets();
    let is_rival = targets.first().is_some_and(|first| first.reason == rules::Reason::Rival);
    targets.iter().take(if is_rival { RIVAL_TARGETS_MAX } else { TARGETS_MAX })
}

impl Walk<'_> {
    /// Returns the candidates of the name `bound` of an import; [`Value::Outside`] if the import
    /// leads outside of the repository.
    pub(super) fn binding(
        &self,
        facts: &FileFacts,
        file: FileId,
        import: usize,
        bound: &ImportedName,
        depth: usize,
    ) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        let statement = &facts.imports[import];
        if facts.dialect.has_namespaces {
            return self.using_declared(facts, file, import, &bound.name, depth);
        }
        if statement.module.is_empty() {
            // `export {a as b}`: another name for a definition or import of this file.
            if bound.name != bound.alias {
                let place = Place { file, enclosing: None };
                return self.look_up(file, View::TopLevel, &bound.name, depth, || {
                    self.name(place, &bound.name, depth)
                });
            }
            let others = facts.bindings(&bound.name).take(VALUES_MAX);
            let others = others.filter(|(at, _)| !facts.imports[*at].module.is_empty());
            return others
                .flat_map(|(at, other)| self.binding(facts, file, at, other, depth))
                .collect();
        }
        let resolution = self.code.targets(file, import);
        let mut found = Vec::new();
        for target in searched(&resolution) {
            let start = Candidate::new(Value::Module(target.file), 1.0, Reason::Import);
            let is_other = |at: usize| !std::ptr::eq(&statement.names[at], bound);
            let values = match target.name {
                Some(at) if at >= statement.names.len() || is_other(at) => continue,
                // The file has the name or defines it.
                Some(_) if facts.dialect.imports_types => {
                    self.exports_of(&start, &bound.name, depth)
                }
                Some(_) => vec![start],
                None => {
                    let mut values = self.inside(start, target, &statement.module, depth);
                    if !bound.name.is_empty() {
                        let exports = |candidate| self.exports_of(candidate, &bound.name, depth);
                        values = values.iter().flat_map(exports).collect();
                    }
                    values
                }
            };
            // The package has the name, even if it is not known which of its files defines it.
            let is_in_package = facts.dialect.has_packages
                && target.name.is_some()
                && values.iter().any(|value| matches!(value.value, Value::Name(_)));
            let share = match statement.kind {
                _ if is_in_package => target.confidence.max(weights::BY_RULE),
                // Each alternative is named as a whole.
                ImportKind::DynamicConditional => target.confidence.max(weights::HALF),
                _ => target.confidence,
            };
            for mut candidate in values {
                candidate.confidence *= share;
                candidate.reason = candidate.reason.max(Reason::Import);
                found.push(candidate);
            }
            // A platform's definition of Kotlin is not the one that the file sees.
            let is_other = facts.dialect.extensions == Extensions::Prefix
                && self
                    .facts(target.file)
                    .is_some_and(|there| is_of_other_platform(&there.path, &facts.path));
            if !found.is_empty() && !is_other && target.reason != rules::Reason::Rival {
                break;
            }
        }
        self.retain_own_platform(facts, &mut found);
        if found.is_empty() {
            found = self.of_own_module(facts, file, import, &bound.name, depth);
        }
        if found.is_empty() {
            found = self.of_own_type(facts, file, &statement.module, &bound.name, depth);
        }
        if found.is_empty() {
            // It is outside of the repository, or made in a way that facts do not show, so it must
            // not be guessed.
            let is_lost = !matches!(resolution, Resolution::Outside);
            found
                .push(Candidate { is_lost, ..Candidate::new(Value::Outside, 1.0, Reason::Import) });
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns the member `name` of a type that the importing file itself defines: Kotlin's and Java's
    /// `import a.Type.Inner` and `import a.Type.*` in the file of `a.Type`.
    fn of_own_type(
        &self,
        facts: &FileFacts,
        file: FileId,
        module: &str,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let package = facts.package.as_deref().filter(|_| facts.dialect.imports_types);
        let path = package.and_then(|package| module.strip_prefix(package)?.strip_prefix('.'));
        let Some(path) = path.filter(|path| !path.is_empty()) else { return Vec::new() };
        let parts = path.split('.').take(PARTS_MAX);
        let inside = definitions(file, facts.children(None, parts.clone().next().unwrap_or(path)));
        let start =
            inside.map(|at| Candidate::new(Value::Name(at), weights::WRITTEN, Reason::Import));
        let mut values: Vec<Candidate> = start.collect();
        for part in parts.skip(1).chain([name]) {
            values = self.each(&values, |value| self.member(value, part, depth + 1));
        }
        values.retain(|it| matches!(it.value, Value::Name(_)));
        values
    }

    /// Removes definitions of other platforms of Kotlin than that of a file, if it sees others.
    fn retain_own_platform(&self, facts: &FileFacts, found: &mut Vec<Candidate>) {
        let is_other = |it: &Candidate| {
            let there = it.link().and_then(|link| self.facts(link.to.file));
            there.is_some_and(|there| is_of_other_platform(&there.path, &facts.path))
        };
        let is_kotlin = facts.dialect.extensions == Extensions::Prefix;
        if is_kotlin && found.len() > 1 && !found.iter().all(is_other) {
            let best = found.iter().map(|it| it.confidence).fold(0.0, f32::max);
            found.retain(|it| !is_other(it));
            found.iter_mut().for_each(|it| it.confidence = best);
        }
    }

    /// Returns the candidates for `name` in the modules of an import of all names.
    pub(super) fn wildcard(
        &self,
        facts: &FileFacts,
        file: FileId,
        import: usize,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        let mut found = Vec::new();
        if facts.dialect.has_global_modules {
            for module in self.global_module(&facts.imports[import].module) {
                found.extend(self.member(&module, name, depth + 1));
            }
            found.retain(|it| matches!(it.value, Value::Name(_)));
            for candidate in &mut found {
                candidate.reason = candidate.reason.max(Reason::StarImport);
            }
            return found;
        }
        let resolution = self.code.targets(file, import);
        for target in searched(&resolution) {
            // A module inside of the file may import the names of the file: `mod prelude { use super::* }`.
            let is_own = target.file == file
                && target.rest == 0
                && !(facts.dialect.has_module_paths && facts.import_scope(import).is_some());
            if is_own || target.name.is_some() {
                continue;
            }
            let start =
                Candidate::new(Value::Module(target.file), target.confidence, Reason::Import);
            let module = &facts.imports[import].module;
            for start in self.inside(start, target, module, depth) {
                for mut candidate in self.exports_of(&start, name, depth) {
                    if let Value::Module(module) = start.value
                        && let Some(there) = self.facts(module)
                        && !self.is_in_wildcard(&there, module, name)
                    {
                        continue;
                    }
                    // A longer chain of such imports is not less certain than one of them.
                    if candidate.reason < Reason::StarImport {
                        candidate.confidence *= weights::STEP;
                        candidate.reason = Reason::StarImport;
                    }
                    found.push(candidate);
                }
            }
            if !found.is_empty() && target.reason != rules::Reason::Rival {
                break;
            }
        }
        if found.is_empty() {
            found = self.of_own_module(facts, file, import, name, depth);
            if found.is_empty() {
                found = self.of_own_type(facts, file, &facts.imports[import].module, name, depth);
            }
            for candidate in &mut found {
                candidate.reason = candidate.reason.max(Reason::StarImport);
            }
        }
        found
    }

    /// Returns the candidates for `name` in a module that the same file defines or imports next to
    /// the import: Rust's `mod imp { … } pub use imp::*;`, and `use a::*; use cast::name;` where
    /// `cast` is a module of `a`.
    fn of_own_module(
        &self,
        facts: &FileFacts,
        file: FileId,
        import: usize,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if !facts.dialect.has_module_paths {
            return Vec::new();
        }
        let mut parts = facts.imports[import].module.split("::");
        let Some(first) = parts.next() else { return Vec::new() };
        // A path in a function begins in one of the blocks around it, or in their module.
        let is_block = |at: usize| facts.symbols[at].kind != SymbolKind::Module;
        let around = |scope: &Option<usize>| {
            scope.filter(|&at| is_block(at)).map(|at| facts.symbols[at].parent)
        };
        let scopes = std::iter::successors(Some(facts.import_scope(import)), around);
        let scopes: Vec<Option<usize>> = scopes.take(SCOPES_MAX).collect();
        let modules = |scope: &Option<usize>| -> Vec<Candidate> {
            definitions(file, facts.children(*scope, first))
                .filter(|at| !facts.is_module_elsewhere(at.place as usize))
                .map(|at| Candidate::new(Value::Name(at), 1.0, Reason::SameFile))
                .filter(|module| self.kind(module) == Some(SymbolKind::Module))
                .collect()
        };
        let inside = scopes.iter().map(modules).find(|found| !found.is_empty());
        let mut values = inside.unwrap_or_default();
        let is_imported = values.is_empty() && !first.is_empty() && !PATH_STARTS.contains(&first);
        if is_imported {
            let imported = scopes.iter().map(|&scope| {
                self.look_up(file, View::Imported(scope), first, depth, || {
                    self.imported_module(facts, file, scope, first, depth)
                })
            });
            values = imported.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        }
        let names = parts.take(PARTS_MAX).chain(Some(name).filter(|name| !name.is_empty()));
        for part in names {
            values = values.iter().flat_map(|from| self.exports_of(from, part, depth)).collect();
        }
        for value in values.iter_mut().filter(|_| is_imported) {
            value.reason = value.reason.max(Reason::Import);
        }
        values
    }

    /// Returns the modules that imports directly inside of `scope` bind to the name.
    fn imported_module(
        &self,
        facts: &FileFacts,
        file: FileId,
        scope: Option<usize>,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = self.imported(facts, file, scope, name, depth + 1);
        if found.iter().all(|candidate| matches!(candidate.value, Value::Outside)) {
            let wildcards = facts.wildcards().filter(|at| facts.import_scope(*at) == scope);
            found = self.of_wildcards(facts, file, wildcards.collect(), name, depth + 1);
        }
        found.retain(|candidate| {
            matches!(candidate.value, Value::Module(_))
                || self.kind(candidate) == Some(SymbolKind::Module)
        });
        found
    }

    /// Returns the candidates for `name` that a module or type exports.
    fn exports_of(&self, from: &Candidate, name: &str, depth: usize) -> Vec<Candidate> {
        match from.value {
            Value::Module(file) => self.exported(file, name, depth),
            Value::Name(at) if self.kind(from) == Some(SymbolKind::Module) => {
                let mut found = self.exported_inside(at, name, depth);
                for candidate in &mut found {
                    candidate.confidence *= from.confidence;
                    candidate.reason = candidate.reason.max(from.reason);
                }
                found
            }
            _ => self.member(from, name, depth + 1),
        }
    }

    /// Returns the candidates for `name` that the module `file` exports.
    pub(super) fn exported(&self, file: FileId, name: &str, depth: usize) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let mut found = of_file(&facts, file, name);
        if found.is_empty() {
            found = self.look_up(file, View::Exported, name, depth, || {
                self.reexported(&facts, file, name, depth)
            });
        }
        if found.is_empty() {
            found = self.macros_of_crate(file, name);
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns the candidates for a name that the module `file` exports without defining it.
    fn reexported(
        &self,
        facts: &FileFacts,
        file: FileId,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if facts.dialect.has_packages {
            let found = self.of_package(facts, file, name);
            if !found.is_empty() {
                return found;
            }
        }
        let is_exported = |at: usize| {
            facts.dialect.reexports_imports || facts.imports[at].kind == ImportKind::ReExport
        };
        let bindings = facts.bindings_in(name, None).filter(|(at, _)| is_exported(*at));
        let mut found: Vec<Candidate> =
            bindings.flat_map(|(at, bound)| self.binding(facts, file, at, bound, depth)).collect();
        if name == DEFAULT && facts.dialect.package_file.is_none() {
            // `export * from` does not include it.
            return if found.is_empty() { self.default_export(facts, file) } else { found };
        }
        if found.is_empty() || self.are_modules(facts, &found) {
            let wildcards = facts.wildcards().filter(|at| is_exported(*at));
            let others = self.of_wildcards(facts, file, wildcards.collect(), name, depth);
            let is_other = |it: &Candidate| !matches!(it.value, Value::Module(_) | Value::Outside);
            let is_first = found.is_empty();
            found.extend(others.into_iter().filter(|it| is_first || is_other(it)));
        }
        // A submodule is bound when it is imported, and `from .name import *` then replaces it.
        if found.iter().all(|candidate| matches!(candidate.value, Value::Outside)) {
            let submodule = self.submodule(facts, file, name);
            return if submodule.is_empty() { found } else { submodule };
        }
        found
    }

    /// Returns the candidates for a name of a module inside of a file.
    pub(super) fn exported_inside(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let children = definitions(of.file, facts.children(Some(place), name));
        let own: Vec<Candidate> = children
            .map(|at| Candidate::new(Value::Name(at), weights::STEP, Reason::Receiver))
            .collect();
        if !own.is_empty() {
            return own;
        }
        self.look_up(of.file, View::Inside(place), name, depth, || {
            let is_inside = |at: &usize| facts.import_scope(*at) == Some(place);
            let mut found = self.members_elsewhere(&facts, of, name, depth);
            for (import, bound) in facts.bindings_in(name, Some(place)) {
                found.extend(self.binding(&facts, of.file, import, bound, depth));
            }
            if found.is_empty() {
                let wildcards = facts.wildcards().filter(is_inside).collect();
                found = self.of_wildcards(&facts, of.file, wildcards, name, depth);
            }
            found
        })
    }

    /// Returns the candidates for a name of the first module that has it, of those from which some
    /// imports take all names.
    fn of_wildcards(
        &self,
        facts: &FileFacts,
        file: FileId,
        mut wildcards: Vec<usize>,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if facts.dialect.last_wins {
            wildcards.reverse();
        }
        let (mut found, mut modules) = (Vec::new(), Vec::new());
        let mut conditional = Vec::new();
        for at in wildcards.into_iter().take(WILDCARDS_MAX) {
            let mut candidates = self.wildcard(facts, file, at, name, depth);
            let holds =
                if candidates.is_empty() { None } else { self.holds_by_default(facts, file, at) };
            if holds.is_some() && !self.are_modules(facts, &candidates) {
                conditional.push((holds, candidates));
                continue;
            }
            if self.are_modules(facts, &candidates) {
                modules.append(&mut candidates);
                continue;
            }
            // Of modules that import each other, another one may have the name.
            if candidates.iter().any(|candidate| !matches!(candidate.value, Value::Outside)) {
                conditional.push((None, candidates));
                found = self.select_by_condition(conditional);
                found.append(&mut modules);
                return found;
            }
            if found.is_empty() {
                found = candidates;
            }
        }
        let selected = self.select_by_condition(conditional);
        if selected.iter().any(|it| !matches!(it.value, Value::Outside)) || found.is_empty() {
            found = selected;
        }
        if modules.is_empty() { found } else { modules }
    }

    /// Returns true if candidates are modules in a language where a function may have the name of a
    /// module that is visible in the same place: Rust.
    pub(super) fn are_modules(&self, facts: &FileFacts, candidates: &[Candidate]) -> bool {
        let is_module = |candidate: &Candidate| {
            matches!(candidate.value, Value::Module(_))
                || self.kind(candidate) == Some(SymbolKind::Module)
        };
        facts.dialect.has_module_paths && !candidates.is_empty() && candidates.iter().all(is_module)
    }

    /// Returns the submodule `name` of the module `file`.
    fn submodule(&self, facts: &FileFacts, file: FileId, name: &str) -> Vec<Candidate> {
        if facts.dialect.package_file.is_some_and(|package| facts.path.ends_with(package)) {
            return self.module(file, &format!(".{name}"), weights::STEP);
        }
        Vec::new()
    }

    /// Returns the type that has the name of its file, where an import may refer to that.
    fn file_type(&self, file: &Candidate, name: &str, depth: usize) -> Option<Vec<Candidate>> {
        let Value::Module(id) = file.value else { return None };
        let dialect = self.facts(id)?.dialect;
        // Swift imports a module, which may contain a type of its name.
        if !dialect.imports_types || dialect.extensions == Extensions::Block {
            return None;
        }
        let mut found = self.exports_of(file, name, depth);
        found.retain(|candidate| self.kind(candidate).is_some_and(is_type));
        (!found.is_empty()).then_some(found)
    }

    /// Returns the candidates of a name that is qualified by its package, and the length of the
    /// qualified name in `written`: `a.b.Type` without an import. O(parts) look-ups.
    pub(super) fn qualified(
        &self,
        place: Place,
        written: &str,
        depth: usize,
    ) -> Option<(Vec<Candidate>, usize)> {
        let facts = self.facts(place.file).filter(|facts| facts.dialect.imports_types)?;
        // `string.Name()` is a member of a type that a keyword names.
        let first = written.split('.').next().unwrap_or_default();
        if facts.dialect.globals.contains(&first) {
            return None;
        }
        let mut end = 0;
        for part in written.split('.').take(PARTS_MAX) {
            end += part.len();
            if part.starts_with(char::is_uppercase) {
                break;
            }
            end += 1;
        }
        if end > written.len() && facts.dialect.extensions == Extensions::Prefix {
            return self.package(place, written);
        }
        let path = written.get(..end).filter(|path| path.contains('.'))?;
        let resolution = self.code.module(place.file, path);
        if resolution.targets().is_empty() && path.contains(char::is_uppercase) {
            return Some((vec![Candidate::new(Value::Outside, 1.0, Reason::Import)], end));
        }
        let target = resolution.targets().iter().find(|target| target.name.is_none())?;
        let start = Candidate::new(Value::Module(target.file), target.confidence, Reason::Import);
        let found = self.inside(start, target, path, depth + 1);
        let is_known = found.iter().any(|candidate| matches!(candidate.value, Value::Name(_)));
        is_known.then_some((found, end))
    }

    /// Returns the package of Kotlin that a path names, possibly with a name of it after it, and the
    /// length of its name: `a.b` of `a.b.function`.
    fn package(&self, place: Place, path: &str) -> Option<(Vec<Candidate>, usize)> {
        let shorter = path.rsplit_once('.').map(|(before, _)| before);
        [Some(path), shorter].into_iter().flatten().find_map(|path| {
            let resolution = self.code.module(place.file, path);
            let target = resolution.targets().iter().find(|target| {
                let is_its =
                    |file| self.facts(file).is_some_and(|it| it.package.as_deref() == Some(path));
                target.name.is_none() && is_its(target.file)
            })?;
            let package = Candidate::new(Value::Module(target.file), weights::STEP, Reason::Import);
            Some((vec![package], path.len()))
        })
    }

    /// Follows the last parts of an import's path inside of its file: Rust's inline modules and
    /// enumerations, the classes of Java's static imports.
    fn inside(
        &self,
        start: Candidate,
        target: &Target,
        module: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let is_mark = |c| matches!(c, '.' | ':' | '/' | '\\');
        let parts = module.split(is_mark).filter(|part| !part.is_empty());
        let mut rest: Vec<&str> = parts.rev().take(target.rest + 1).collect();
        rest.reverse();
        let own = rest.len().saturating_sub(target.rest);
        let mut values = match rest[..own] {
            [name] => self.file_type(&start, name, depth).unwrap_or(vec![start]),
            _ => vec![start],
        };
        for name in &rest[own..] {
            values = values
                .iter()
                .flat_map(|candidate| self.exports_of(candidate, name, depth))
                .collect();
        }
        values
    }

    /// Returns the default export of a JavaScript file.
    fn default_export(&self, facts: &FileFacts, file: FileId) -> Vec<Candidate> {
        let tops = facts.all_children(None).iter().copied();
        let is_default = |&place: &u32| {
            facts.symbols[place as usize].name == "default"
                || self.signature(SymbolAt { file, place }).starts_with("export default")
        };
        let is_stem = |&place: &u32| {
            let symbol = &facts.symbols[place as usize];
            is_called(&facts.path, &symbol.name)
                && (is_type(symbol.kind) || symbol.kind == SymbolKind::Function)
        };
        let found = tops.clone().find(is_default).map(|place| (place, weights::WRITTEN));
        let found =
            found.or_else(|| tops.clone().find(is_stem).map(|place| (place, weights::PLAUSIBLE)));
        let candidate = |(place, confidence)| {
            Candidate::new(Value::Name(SymbolAt { file, place }), confidence, Reason::Import)
        };
        found.map(candidate).into_iter().collect()
    }
}

/// Returns true if a file is, by its path, the module `name`.
fn is_called(path: &str, name: &str) -> bool {
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or(file);
    let is_directory = matches!(stem, "__init__" | "index" | "mod" | "lib");
    name == if is_directory { directory.rsplit('/').next().unwrap_or(directory) } else { stem }
}
