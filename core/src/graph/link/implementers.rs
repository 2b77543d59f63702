//! The types that extend or implement a type, one level, and the members that implement one of its
//! members there.

use std::collections::BTreeSet;

use super::code::{FileFacts, last_name, near};
use super::kinds::{is_type, is_variable};
use super::position::SymbolAt;
use super::satisfied::{EMBEDDED_MAX, METHODS_MAX, is_structural};
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::lang::chain::Chain;
use crate::lang::facts::{ImportKind, Role};
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most names under which files import one type.
const ALIASES_MAX: usize = 256;

/// The most definitions of one method's name whose types are compared with an interface.
const NAMED_MAX: usize = 4_096;

/// The most files whose imports of a default export are followed.
const IMPORTERS_MAX: usize = 2_048;

/// The most files with a use of a type that are searched for variables that it is assigned to.
const ASSIGNING_MAX: usize = 1_024;

/// A type that extends or implements another one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Implementer {
    /// The type, or the block that implements a trait for it.
    pub at: SymbolAt,
    /// The type itself: that of the block, if it is in the repository.
    pub of_type: SymbolAt,
    /// It has all methods of the interface without naming it.
    pub is_structural: bool,
}

/// The types that extend or implement one.
#[derive(Clone, Debug, Default)]
pub struct Implementers {
    /// Each once, in the order of files; those that satisfy it without naming it last.
    pub found: Vec<Implementer>,
    /// How many types name a base of this name that is not resolved.
    pub unresolved: usize,
    /// True if the interface has no method to compare, so which types satisfy it is unknown.
    pub is_unstated: bool,
    /// A bound was reached.
    pub is_cut: bool,
}

/// Whether a type has a base.
enum Extends {
    Yes,
    No,
    /// It names a base of that name, which is not resolved.
    Unresolved,
}

impl Walk<'_> {
    /// Returns the type that members of a symbol belong to: that of an implementation block, otherwise the
    /// symbol itself.
    pub(super) fn type_around(&self, at: SymbolAt) -> SymbolAt {
        let Some((facts, place)) = self.symbol(at) else { return at };
        if facts.symbols[place].kind != SymbolKind::Impl {
            return at;
        }
        let own = self.own_types(Place { file: at.file, enclosing: Some(place) }, 0);
        own.first().copied().unwrap_or(at)
    }

    /// Returns the type that a member belongs to; `None` for what is no member of a type.
    pub(super) fn member_type(&self, of: SymbolAt) -> Option<SymbolAt> {
        let (facts, place) = self.symbol(of)?;
        let parent = facts.symbols[place].parent;
        let is_around = |parent: &usize| is_type_or_module(&facts, *parent);
        if let Some(parent) = parent.filter(is_around) {
            return Some(SymbolAt { file: of.file, place: parent as u32 });
        }
        facts.owner(place)?;
        let own = self.own_types(Place { file: of.file, enclosing: Some(place) }, 0);
        own.first().copied().filter(|own| *own != of)
    }

    /// Returns the types that name `base`, under its own name or one that a file imports it by.
    pub(super) fn named_implementers(&self, base: SymbolAt) -> Vec<SymbolAt> {
        let Some((facts, place)) = self.symbol(base) else { return Vec::new() };
        let name = facts.symbols[place].name.as_str();
        let mut found = self.code.derived(last_name(name)).to_vec();
        let mut aliases = Vec::new();
        let mut assigning = BTreeSet::new();
        for site in self.code.sites(name) {
            if matches!(site.reference.role, Role::Read | Role::Type) {
                assigning.insert(site.file);
            }
            if site.reference.role != Role::Import || aliases.len() >= ALIASES_MAX {
                continue;
            }
            let Some(there) = self.facts(site.file) else { continue };
            let bound = there.imports.iter().flat_map(|import| &import.names);
            let renamed = bound.filter(|it| it.name == name && it.alias != name);
            aliases.extend(renamed.map(|it| (site.file, it.alias.clone())));
        }
        if facts.has_module_values() {
            for importer in self.code.importers(base.file).into_iter().take(IMPORTERS_MAX) {
                let Some(there) = self.facts(importer) else { continue };
                let own = there.imports.iter().filter(|it| it.kind != ImportKind::ReExport);
                let bound = own.flat_map(|import| &import.names);
                let of_default = bound
                    .filter(|it| matches!(it.name.as_str(), "default" | "") && it.alias != name);
                aliases.extend(of_default.map(|it| (importer, it.alias.clone())));
            }
        }
        aliases.sort_unstable();
        aliases.dedup();
        for (file, alias) in aliases {
            let named = self.code.derived(last_name(&alias));
            found.extend(named.iter().copied().filter(|at| at.file == file));
        }
        for alias in self.assigned_names(name, assigning) {
            found.extend(self.code.derived(&alias).iter().copied());
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|at| *at != base);
        found
    }

    /// Returns the names of variables and types whose value is a type: `Base = Type`, each once.
    fn assigned_names(&self, name: &str, files: BTreeSet<FileId>) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for file in files.into_iter().take(ASSIGNING_MAX) {
            let Some(there) = self.facts(file) else { continue };
            let is_alias = |symbol: &&Symbol| {
                let value = symbol.type_chain.as_ref().and_then(Chain::as_path);
                let has_value = is_variable(symbol.kind) || symbol.kind == SymbolKind::Type;
                has_value && symbol.name != name && value.is_some_and(|of| last_name(of) == name)
            };
            let aliases = there.symbols.iter().filter(is_alias).map(|symbol| symbol.name.clone());
            found.extend(aliases.take(ALIASES_MAX - found.len().min(ALIASES_MAX)));
        }
        found
    }

    /// Returns whether `of` names `base`, directly, and how it is to be listed.
    fn names_base(&self, of: SymbolAt, base: SymbolAt) -> Extends {
        let Some((facts, place)) = self.symbol(base) else { return Extends::No };
        let name = facts.symbols[place].name.as_str();
        let (mut is_known, bases) = (false, self.bases(of, 0));
        for it in &bases {
            let at = match it.value {
                Value::Instance(at, _) | Value::Name(at) => at,
                _ => {
                    is_known |= it.is_outside();
                    continue;
                }
            };
            if at == base || self.is_part_of(at, base) {
                return Extends::Yes;
            }
            let there = self.symbol(at);
            is_known |= there.is_some_and(|(there, at)| there.symbols[at].name == name);
        }
        if is_known { Extends::No } else { Extends::Unresolved }
    }

    /// Returns true if two definitions are parts of one type.
    fn is_part_of(&self, a: SymbolAt, b: SymbolAt) -> bool {
        let (Some((of_a, a)), Some((of_b, b))) = (self.symbol(a), self.symbol(b)) else {
            return false;
        };
        let dialect = of_a.dialect;
        let has_parts = dialect.has_partial_types || dialect.reopens_types || dialect.merges_types;
        has_parts
            && of_a.symbols[a].qualified_name == of_b.symbols[b].qualified_name
            && of_a.package == of_b.package
            && (!dialect.merges_types || of_a.path == of_b.path)
    }

    /// Returns true for an interface that types satisfy without naming it.
    pub(super) fn is_structural_interface(&self, at: SymbolAt) -> bool {
        self.symbol(at).is_some_and(|(facts, place)| {
            facts.dialect.structural.is_some_and(|rule| is_structural(rule, &facts, place))
        })
    }

    /// Returns the methods of an interface and of those in it.
    fn interface_methods(&self, interface: SymbolAt) -> Vec<SymbolAt> {
        let (mut open, mut at, mut found) = (vec![interface], 0, Vec::new());
        while let Some(&of) = open.get(at).filter(|_| at < EMBEDDED_MAX) {
            at += 1;
            let Some((facts, place)) = self.symbol(of) else { continue };
            let methods = facts.all_children(Some(place)).iter().copied();
            let methods = methods.filter(|at| facts.symbols[*at as usize].kind.is_callable());
            found.extend(methods.map(|place| SymbolAt { place, ..of }));
            for base in self.bases(of, 0) {
                if let Value::Instance(base, _) = base.value
                    && !open.contains(&base)
                {
                    open.push(base);
                }
            }
        }
        found.truncate(METHODS_MAX);
        found
    }

    /// Returns the types with a method of the least frequent name among those of an interface, and
    /// whether there are too many; `None` for an interface without methods.
    pub(super) fn structural_candidates(
        &self,
        interface: SymbolAt,
    ) -> Option<(Vec<SymbolAt>, bool)> {
        let methods = self.interface_methods(interface);
        let named = |at: &SymbolAt| {
            let (facts, place) = self.symbol(*at)?;
            Some(self.code.named(&facts.symbols[place].name))
        };
        let named = methods.iter().filter_map(|at| Some((*at, named(at)?)));
        let (method, named) = named.min_by_key(|(_, named)| named.len())?;
        let (facts, place) = self.symbol(method)?;
        let is_private = facts.language.name == "go"
            && facts.symbols[place].name.starts_with(|first: char| !first.is_uppercase());
        let mut found = Vec::new();
        for &at in near(&named, method.file, NAMED_MAX) {
            let Some((there, place)) = self.symbol(at).filter(|_| at != method) else { continue };
            let is_visible = !is_private || self.code.is_same_package(at.file, method.file);
            if there.dialect.group == facts.dialect.group
                && there.symbols[place].kind.is_callable()
                && is_visible
                && !self.differs(at, method)
            {
                found.extend(self.member_type(at));
            }
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|at| *at != interface && self.has_type(*at));
        Some((found, named.len() > NAMED_MAX))
    }

    fn has_type(&self, at: SymbolAt) -> bool {
        self.symbol(at).is_some_and(|(facts, place)| is_type(facts.symbols[place].kind))
    }

    /// Returns what a type uses for the member `member` of one of its bases: its own members of that
    /// name, or else the inherited one; nothing if it uses `member` itself.
    pub(super) fn implementing_members(&self, of: SymbolAt, member: SymbolAt) -> Vec<SymbolAt> {
        let Some((facts, place)) = self.symbol(member) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        let name = symbol.name.as_str();
        let is_same_kind = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                let kind = there.symbols[place].kind;
                let is_value = is_variable(kind) && is_variable(symbol.kind);
                is_value || kind.is_callable() && symbol.kind.is_callable()
            })
        };
        // Only where a name has one definition, others of it override it whatever they accept.
        let is_overloaded = facts.children(symbol.parent, name).len() > 1
            || matches!(
                facts.language.name,
                "cpp" | "csharp" | "java" | "kotlin" | "scala" | "swift"
            );
        let is_fit = |at: &SymbolAt| {
            *at != member && is_same_kind(at) && !(is_overloaded && self.differs(*at, member))
        };
        let names = |found: Vec<Candidate>| -> Vec<SymbolAt> {
            let named = found.into_iter().filter_map(|it| match it.value {
                Value::Name(at) => Some(at),
                _ => None,
            });
            named.collect()
        };
        let Some((there, at)) = self.symbol(of) else { return Vec::new() };
        let mut own = match there.symbols[at].kind {
            SymbolKind::Impl => {
                let children = there.children(Some(at), name).iter();
                children.map(|&place| SymbolAt { file: of.file, place }).collect()
            }
            _ => names(self.own_members(of, name, 0)),
        };
        if own.is_empty() && there.symbols[at].kind != SymbolKind::Impl {
            own = names(self.members(of, name, 0));
            own.truncate(1);
        }
        own.retain(is_fit);
        own.dedup();
        own
    }
}

fn is_type_or_module(facts: &FileFacts, place: usize) -> bool {
    let kind = facts.symbols[place].kind;
    is_type(kind) || kind == SymbolKind::Module && facts.dialect.has_module_instances
}

/// Adds the types that extend or implement `base`, each examined with a new bound.
pub(super) fn implementers<'w>(base: SymbolAt, walk: impl Fn() -> Walk<'w>) -> Implementers {
    let mut all = Implementers::default();
    let mut seen = BTreeSet::from([base]);
    for at in walk().named_implementers(base) {
        let walk = walk();
        match walk.names_base(at, base) {
            Extends::Yes => {
                let of_type = walk.type_around(at);
                if seen.insert(at) {
                    all.found.push(Implementer { at, of_type, is_structural: false });
                }
            }
            Extends::Unresolved => all.unresolved += 1,
            Extends::No => {}
        }
    }
    let first = walk();
    if !first.is_structural_interface(base) {
        return all;
    }
    let Some((candidates, is_cut)) = first.structural_candidates(base) else {
        all.is_unstated = true;
        return all;
    };
    all.is_cut = is_cut;
    for at in candidates {
        if seen.contains(&at) {
            continue;
        }
        if walk().has_all(at, base, 0) {
            seen.insert(at);
            all.found.push(Implementer { at, of_type: at, is_structural: true });
        }
    }
    all
}
