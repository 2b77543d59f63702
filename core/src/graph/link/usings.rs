//! Names in languages whose files see the names of their namespaces and of those that they use: C#.

use std::rc::Rc;

use super::code::{FileFacts, is_above};
use super::kinds::is_type;
use super::memo::ProjectImports;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::imports::ProjectUsing;
use crate::graph::weights;
use crate::lang::facts::Import;
use crate::lang::symbols::SymbolKind;

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 512;

/// The most files that are searched for imports that apply to all files of a project.
const IMPORTERS_MAX: usize = 256;

impl Walk<'_> {
    /// Returns the types of a name that a file sees by its namespaces and imports, and the members
    /// that it imports with their type: `using static`.
    pub(super) fn of_usings(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if let Some((import, bound)) = facts.bindings(name).next() {
            let whole = match facts.imports[import].module.as_str() {
                "" => bound.name.clone(),
                module => format!("{module}.{}", bound.name),
            };
            let found = self.qualified_type(place, &whole, depth);
            if !found.is_empty() {
                return found;
            }
            return vec![Candidate::new(Value::Outside, 1.0, Reason::Import)];
        }
        let aliased = self.project_usings(place.file);
        if let Some(of) = aliased.iter().find(|of| of.alias.as_deref() == Some(name)) {
            let found = self.qualified_type(place, &of.path, depth);
            if !found.is_empty() {
                return found;
            }
        }
        let own = namespace(facts, place.enclosing);
        let key = (place.file, format!("{own} {name}"));
        let known = self.memo.visible(&key);
        let find = || self.of_namespaces(facts, place.file, &own, name);
        self.stepped(known, find, |found| self.memo.keep_visible(key, found))
    }

    /// Returns the types of a name that a file sees in the namespace `own`, and the members that it
    /// imports with their type.
    fn of_namespaces(
        &self,
        facts: &FileFacts,
        file: FileId,
        own: &str,
        name: &str,
    ) -> Vec<Candidate> {
        let mut found: Vec<(usize, SymbolAt, Reason)> = Vec::new();
        let mut unused: Vec<(String, SymbolAt)> = Vec::new();
        for at in self.code.named(name).iter().copied().take(NAMED_MAX) {
            let Some((there, index)) = self.symbol(at) else { continue };
            if there.dialect.group != facts.dialect.group {
                continue;
            }
            let symbol = &there.symbols[index];
            let around = symbol.parent.map(|parent| &there.symbols[parent]);
            let is_member = around.is_some_and(|around| is_type(around.kind));
            if !is_member && !is_type(symbol.kind) {
                continue;
            }
            let of_namespace = namespace(&there, Some(index));
            let visible = match around {
                Some(around) if is_type(around.kind) => {
                    let whole = format!("{of_namespace}.{}", around.qualified_name);
                    self.is_used(facts, file, own, at, whole.trim_start_matches('.'))
                }
                _ if is_type(symbol.kind) && is_around(&of_namespace, own) => {
                    Some((2 + of_namespace.len(), Reason::SamePackage))
                }
                _ if is_type(symbol.kind) => {
                    let used = self.is_used(facts, file, own, at, &of_namespace);
                    if used.is_none() && first_part(&of_namespace) == first_part(own) {
                        unused.push((of_namespace, at));
                    }
                    used
                }
                _ => None,
            };
            if let Some((rank, reason)) = visible {
                found.push((rank, at, reason));
            }
        }
        let best = found.iter().map(|(rank, ..)| *rank).max();
        found.retain(|(rank, ..)| Some(*rank) == best);
        // Project files can import namespaces for all files; there is no other such type.
        if found.is_empty() && unused.windows(2).all(|pair| pair[0].0 == pair[1].0) {
            let candidate =
                |(_, at)| Candidate::new(Value::Name(at), weights::BY_NAME, Reason::Program);
            return unused.into_iter().map(candidate).take(VALUES_MAX).collect();
        }
        let candidate = |(rank, at, reason): (usize, SymbolAt, Reason)| {
            Candidate::new(
                Value::Name(at),
                if rank >= 2 { weights::STEP } else { weights::ADDED },
                reason,
            )
        };
        found.into_iter().map(candidate).take(VALUES_MAX).collect()
    }

    /// Returns how a file uses a namespace or type, if it does: by its own imports, or by those of
    /// another file that apply to its whole project.
    fn is_used(
        &self,
        facts: &FileFacts,
        file: FileId,
        own: &str,
        at: SymbolAt,
        whole: &str,
    ) -> Option<(usize, Reason)> {
        let is_it = |of: &FileFacts, import: usize| {
            let module = of.imports[import].module.as_str();
            let before = whole.strip_suffix(module).map(|before| before.trim_end_matches('.'));
            module == whole || before.is_some_and(|before| is_around(before, own))
        };
        if facts.wildcards().any(|import| is_it(facts, import)) {
            return Some((1, Reason::StarImport));
        }
        let stated = self.project_usings(file);
        if stated.iter().any(|of| of.alias.is_none() && of.path == whole) {
            return Some((0, Reason::StarImport));
        }
        let is_global = |importer: FileId| {
            let modules = self.project_imports(importer);
            modules.iter().any(|module| module == whole)
                && self.facts(importer).is_some_and(|there| is_above(&there.path, &facts.path))
        };
        let mut importers = self.code.importers(at.file).into_iter().take(IMPORTERS_MAX);
        importers.any(is_global).then_some((0, Reason::StarImport))
    }

    /// Returns the imports that project files state for a file, cached.
    fn project_usings(&self, file: FileId) -> Rc<Vec<ProjectUsing>> {
        self.memo.project_usings(file, || self.code.project_usings(file))
    }

    /// Returns the visible types of a name that have `count` type parameters, the nearest first: types
    /// of C# that differ in this number are separate, and a nearer one hides only its own number.
    pub(super) fn types_of_arity(&self, place: Place, name: &str, count: usize) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file).filter(|facts| facts.dialect.has_usings) else {
            return Vec::new();
        };
        let own = namespace(&facts, place.enclosing);
        let mut found: Vec<(usize, SymbolAt)> = Vec::new();
        for at in self.code.named(name).iter().copied().take(NAMED_MAX) {
            let Some((there, index)) = self.symbol(at) else { continue };
            let symbol = &there.symbols[index];
            let is_free =
                symbol.parent.is_none_or(|of| there.symbols[of].kind == SymbolKind::Module);
            if there.dialect.group != facts.dialect.group || !is_type(symbol.kind) || !is_free {
                continue;
            }
            let of_namespace = namespace(&there, Some(index));
            let rank = if is_around(&of_namespace, &own) {
                Some(2 + of_namespace.len())
            } else {
                self.is_used(&facts, place.file, &own, at, &of_namespace).map(|(rank, _)| rank)
            };
            let Some(rank) = rank else { continue };
            if self.type_parameters(at, &there, symbol) == count {
                found.push((rank, at));
            }
        }
        let best = found.iter().map(|(rank, _)| *rank).max();
        let nearest = found.into_iter().filter(|(rank, _)| Some(*rank) == best);
        let candidate =
            |(_, at)| Candidate::new(Value::Name(at), weights::STEP, Reason::SamePackage);
        nearest.map(candidate).take(VALUES_MAX).collect()
    }

    /// Returns the modules of which a file imports all names by `global using`.
    fn project_imports(&self, file: FileId) -> ProjectImports {
        self.memo.project_imports(file, || {
            let Some(facts) = self.memo.file(self.code, file) else { return Vec::new() };
            let mut wildcards = facts.wildcards().peekable();
            if wildcards.peek().is_none() {
                return Vec::new();
            }
            let Some(text) = self.code.text(file) else { return Vec::new() };
            let is_global = |import: &Import| {
                let written = text.get(import.span.clone());
                written.is_some_and(|written| written.starts_with(b"global"))
            };
            let imports = wildcards.map(|at| &facts.imports[at]);
            imports.filter(|import| is_global(import)).map(|of| of.module.clone()).collect()
        })
    }

    /// Returns the type that a path of names begins with, after the namespace that contains it, and
    /// the length of both in the path: `A.B.Type` of `A.B.Type.Member`.
    pub(super) fn by_qualified_name(
        &self,
        place: Place,
        path: &str,
    ) -> Option<(Vec<Candidate>, usize)> {
        let facts = self.facts(place.file).filter(|facts| facts.dialect.has_usings)?;
        let own = namespace(&facts, place.enclosing);
        let mut end = path.find('.')?;
        while end < path.len() {
            let (before, after) = (&path[..end], &path[end + 1..]);
            let part = after.split('.').next().unwrap_or(after);
            let is_in = |at: &SymbolAt| {
                let Some((there, index)) = self.symbol(*at) else { return false };
                let symbol = &there.symbols[index];
                if !is_type(symbol.kind) {
                    return false;
                }
                let is_free = symbol
                    .parent
                    .is_none_or(|parent| there.symbols[parent].kind == SymbolKind::Module);
                let of = namespace(&there, Some(index));
                let outer = of.strip_suffix(before).map(|outer| outer.trim_end_matches('.'));
                is_free
                    && there.dialect.group == facts.dialect.group
                    && (of == before || outer.is_some_and(|outer| is_around(outer, &own)))
            };
            let named = self.code.named(part);
            let found: Vec<Candidate> = named
                .iter()
                .copied()
                .take(NAMED_MAX)
                .filter(is_in)
                .map(|at| Candidate::new(Value::Name(at), weights::STEP, Reason::Import))
                .take(VALUES_MAX)
                .collect();
            end += 1 + part.len();
            if !found.is_empty() {
                return Some((found, end));
            }
        }
        None
    }

    /// Returns the type of a qualified name, which may be a type in another one.
    pub(super) fn qualified_type(&self, place: Place, whole: &str, depth: usize) -> Vec<Candidate> {
        let Some((mut found, end)) = self.by_qualified_name(place, whole) else {
            return Vec::new();
        };
        let inner = whole[end..].split('.').filter(|part| !part.is_empty());
        for part in inner {
            found = self.each(&found, |candidate| self.member(candidate, part, depth + 1));
        }
        found
    }
}

/// Returns the namespace around a symbol: that of the blocks around it, or the one that its file
/// declares.
fn namespace(facts: &FileFacts, at: Option<usize>) -> String {
    let modules = facts.ancestors(at).map(|at| &facts.symbols[at]);
    let mut names: Vec<&str> = modules
        .filter(|symbol| symbol.kind == SymbolKind::Module)
        .map(|symbol| symbol.name.as_str())
        .collect();
    if names.is_empty() {
        return facts.package.clone().unwrap_or_default();
    }
    names.reverse();
    names.join(".")
}

/// Returns true if a namespace is `own` or encloses it.
fn is_around(namespace: &str, own: &str) -> bool {
    let rest = own.strip_prefix(namespace);
    rest.is_some_and(|rest| rest.is_empty() || namespace.is_empty() || rest.starts_with('.'))
}

fn first_part(namespace: &str) -> &str {
    namespace.split('.').next().unwrap_or(namespace)
}
