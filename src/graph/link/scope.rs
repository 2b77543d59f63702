//! What a bare name stands for where it is written.

use super::Reason;
use super::code::{FileFacts, SymbolAt};
use super::value::{
    Held, Place, VALUES_MAX, Value, Walk, definitions, is_named, is_type, is_variable,
};
use crate::base::ids::FileId;
use crate::graph::imports::Target;
use crate::lang::symbols::{SymbolKind, Visibility};

/// Imports of everything that are looked into.
const STARS_MAX: usize = 32;

impl Walk<'_> {
    /// Returns what `name` stands for at `place`: the first of the steps that knows it.
    pub(super) fn name(&self, place: Place, name: &str, depth: usize) -> Vec<Held> {
        if !self.goes_on(depth) {
            return Vec::new();
        }
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let steps: [&dyn Fn() -> Vec<Held>; 6] = [
            &|| self.around(&facts, place, name, depth),
            &|| of_file(&facts, place.file, name),
            &|| self.imported(&facts, place.file, None, name, depth),
            &|| self.of_package(&facts, place.file, name),
            &|| self.starred(&facts, place, name, depth),
            &|| self.of_program(&facts, place.file, name),
        ];
        let found = steps.iter().map(|step| step()).find(|found| !found.is_empty());
        found.unwrap_or_default()
    }

    /// Looks at what is nested around the name, and at members where the language allows it.
    fn around(&self, facts: &FileFacts, place: Place, name: &str, depth: usize) -> Vec<Held> {
        let has_members = facts.dialect.has_bare_members;
        let mut outermost = None;
        for (level, around) in facts.ancestors(place.enclosing).enumerate() {
            outermost = Some(around);
            let kind = facts.symbols[around].kind;
            let is_type = is_type(kind) || kind == SymbolKind::Impl;
            // What an object literal holds is no more in scope than a type's members are.
            let is_inside = level > 0 || kind == SymbolKind::Impl;
            if (is_type || is_variable(kind)) && is_inside && !has_members {
                continue;
            }
            let children = facts.children(Some(around), name);
            let mut found: Vec<Held> = definitions(place.file, children)
                .filter(|at| !facts.is_named_like_type(at.place as usize))
                .filter(|at| !facts.is_module_elsewhere(at.place as usize))
                .map(|at| Held::new(Value::Name(at), 1.0, Reason::Scope))
                .collect();
            if found.is_empty() && is_type && has_members {
                let own = SymbolAt { file: place.file, place: around as u32 };
                found = self.members(own, name, depth + 1);
                found.retain(|held| !matches!(held.value, Value::Outside));
            }
            if found.is_empty() {
                found = self.imported(facts, place.file, Some(around), name, depth);
            }
            if !found.is_empty() {
                return found;
            }
        }
        // A method that is defined outside of its type.
        let is_apart = |at: &usize| facts.symbols[*at].kind == SymbolKind::Method;
        match outermost.filter(is_apart) {
            Some(method) if has_members => {
                let types = self.own_types(Place { enclosing: Some(method), ..place }, depth + 1);
                let members = types.iter().flat_map(|&own| self.members(own, name, depth + 1));
                members.filter(|held| !matches!(held.value, Value::Outside)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Looks at the imports right inside of `scope` that bind the name.
    fn imported(
        &self,
        facts: &FileFacts,
        file: FileId,
        scope: Option<usize>,
        name: &str,
        depth: usize,
    ) -> Vec<Held> {
        let mut found = Vec::new();
        for (import, bound) in facts.bindings(name) {
            if facts.import_scope(import) == scope {
                found.extend(self.binding(facts, file, import, bound, depth + 1));
            }
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Looks at the other files of the package.
    pub(super) fn of_package(&self, facts: &FileFacts, file: FileId, name: &str) -> Vec<Held> {
        if !facts.dialect.has_packages || !self.goes_on(0) {
            return Vec::new();
        }
        let named = self.code.named(name).into_iter().filter(|at| {
            at.file != file
                && self.code.is_same_package(file, at.file)
                && self.symbol(*at).is_some_and(|(facts, place)| {
                    facts.symbols[place].parent.is_none() && facts.owner(place).is_none()
                })
        });
        let held = |at| Held::new(Value::Name(at), 0.96, Reason::SamePackage);
        named.map(held).take(VALUES_MAX).collect()
    }

    /// Looks into the modules whose names are all imported.
    fn starred(&self, facts: &FileFacts, place: Place, name: &str, depth: usize) -> Vec<Held> {
        if facts.dialect.is_whole_program {
            return Vec::new();
        }
        let mut found = Vec::new();
        for import in facts.stars().take(STARS_MAX) {
            let scope = facts.import_scope(import);
            if scope.is_some() && !facts.ancestors(place.enclosing).any(|at| Some(at) == scope) {
                continue;
            }
            found.extend(self.star(facts, place.file, import, name, depth + 1));
            if found.len() >= VALUES_MAX {
                break;
            }
        }
        found
    }

    /// Looks at the whole program, where the language does; definitions near the use first.
    fn of_program(&self, facts: &FileFacts, file: FileId, name: &str) -> Vec<Held> {
        let is_macro_only = facts.dialect.offers_imports && facts.language.name == "rust";
        if !facts.dialect.is_whole_program && !is_macro_only {
            return Vec::new();
        }
        let mut near: Vec<(usize, SymbolAt)> = Vec::new();
        for at in self.code.named(name).into_iter().take(256) {
            let Some((other, place)) = self.symbol(at) else { continue };
            let symbol = &other.symbols[place];
            let is_hidden = symbol.visibility == Visibility::Private
                && at.file != file
                && other.dialect.offers_imports
                && !is_header(&other.path);
            let is_wanted = match is_macro_only {
                true => symbol.kind == SymbolKind::Macro,
                false => is_free(&other, place) && std::ptr::eq(other.dialect, facts.dialect),
            };
            if is_wanted && (!is_hidden || is_macro_only) {
                near.push((shared_folders(&facts.path, &other.path), at));
            }
        }
        let Some(nearest) = near.iter().map(|(shared, _)| *shared).max() else {
            return Vec::new();
        };
        let is_alone = near.len() == 1;
        let confidence = if is_alone { 0.9 } else { 0.75 };
        near.retain(|(shared, _)| *shared == nearest);
        let share = if near.len() > 2 { 0.7 } else { 1.0 };
        let held = |(_, at)| Held::new(Value::Name(at), confidence * share, Reason::Program);
        near.into_iter().map(held).take(VALUES_MAX).collect()
    }

    /// Returns the modules that `path` names where `from` imports it.
    pub(super) fn module(&self, from: FileId, path: &str, confidence: f32) -> Vec<Held> {
        if !self.goes_on(0) {
            return Vec::new();
        }
        let resolution = self.code.module(from, path);
        let whole = resolution.targets().iter().filter(|target| target.rest == 0);
        let held = |target: &Target| {
            let confidence = target.confidence * confidence;
            Held::new(Value::Module(target.file), confidence, Reason::Import)
        };
        whole.map(held).take(VALUES_MAX).collect()
    }
}

/// Looks at what the file itself defines at its top.
pub(super) fn of_file(facts: &FileFacts, file: FileId, name: &str) -> Vec<Held> {
    definitions(file, facts.children(None, name))
        .filter(|at| is_named(&facts.symbols[at.place as usize]))
        .filter(|at| !facts.is_module_elsewhere(at.place as usize))
        .filter(|at| {
            // Go's methods stand at the top of the file, too.
            !facts.dialect.has_packages || facts.owner(at.place as usize).is_none()
        })
        .map(|at| Held::new(Value::Name(at), 0.99, Reason::SameFile))
        .collect()
}

/// Returns true for what needs no instance to be named: no methods and fields.
fn is_free(facts: &FileFacts, place: usize) -> bool {
    let symbol = &facts.symbols[place];
    let is_member = matches!(
        symbol.kind,
        SymbolKind::Method | SymbolKind::Field | SymbolKind::Property | SymbolKind::Impl
    );
    let parent = symbol.parent.map(|parent| facts.symbols[parent].kind);
    !is_member && parent.is_none_or(|kind| matches!(kind, SymbolKind::Module | SymbolKind::Enum))
}

fn is_header(path: &str) -> bool {
    [".h", ".hh", ".hpp", ".hxx", ".inl", ".inc"].iter().any(|end| path.ends_with(end))
}

/// Returns how many leading folders two paths share.
fn shared_folders(a: &str, b: &str) -> usize {
    let (a, b) = (a.split('/'), b.split('/'));
    a.zip(b).take_while(|(a, b)| a == b).count()
}
