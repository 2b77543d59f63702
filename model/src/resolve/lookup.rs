//! Bare names, from the innermost scope outwards.

use super::members::{Found, Lookup};
use super::ty::{Def, FileId, Ty};
use super::{Mode, Resolver, Substitution};
use crate::ir::*;

/// Where a name is looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// The file.
    pub(super) file: FileId,
    /// The innermost scope.
    pub(super) scope: ScopeId,
    /// The place, which decides which bindings are visible.
    pub(super) range: Range,
    /// The binding whose value the name is a part of: it does not see itself.
    pub(super) binding: Option<BindingId>,
    /// It is called.
    pub(super) is_call: bool,
}

impl Resolver<'_> {
    /// Returns what `name` is at `site`.
    pub(super) fn bare(&self, site: Site, name: &str, mode: Mode) -> Lookup {
        let facts = self.world.file(site.file);
        let visible = self.rules().visible();
        let sees_values = !(site.is_call && visible.calls_skip_values);
        let is_local = self.world.is_local(site.file, name);
        let mut crossed = false;
        let mut at = Some(site.scope);
        while let Some(scope) = at {
            let here = &facts.scopes[scope];
            let found = match here.kind {
                ScopeKind::Type => self.in_type(site, scope, name, mode),
                ScopeKind::File => None,
                _ if !is_local => None,
                _ => self.in_body(site, scope, name, sees_values, crossed),
            };
            if let Some(found) = found {
                return found;
            }
            if let Some(found) = self.of_receivers(site, scope, name, mode) {
                return found;
            }
            if here.kind != ScopeKind::File {
                let mut imported = [false, true]
                    .into_iter()
                    .filter_map(|all| self.imported(site, scope, name, all));
                if let Some(found) = imported.next() {
                    return Lookup::Found(found);
                }
            }
            crossed |= matches!(here.kind, ScopeKind::Function | ScopeKind::Lambda);
            at = here.parent;
        }
        self.in_file(site, name, sees_values, crossed)
    }

    /// Returns the value that a name is bound to, if it is one of the same file.
    pub(super) fn bound_value(&self, file: FileId, name: ExpressionId) -> Option<ExpressionId> {
        let node = &self.world.file(file).expressions[name];
        let Expression::Name { name: of, .. } = &node.kind else { return None };
        let site = self.site(file, node.scope, node.range, Some(name));
        match self.bare(site, of, Mode::Plain) {
            Lookup::Found(found) => match found[..] {
                [Found::Binding(of, binding)] if of == file => {
                    self.world.file(file).bindings[binding].value
                }
                [Found::Definition(def, _)] if def.file == file => {
                    let definition = self.world.definition(def);
                    let body = definition.body.filter(|_| !definition.kind.is_callable())?;
                    self.world.file(file).scopes[body].results.first().copied()
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Looks a name up in a function, lambda or block.
    fn in_body(
        &self,
        site: Site,
        scope: ScopeId,
        name: &str,
        values: bool,
        crossed: bool,
    ) -> Option<Lookup> {
        if values && let Some(found) = self.bound(site, scope, name, crossed) {
            return Some(Lookup::Found(found));
        }
        let declared = self.declared_visible(site, scope, name);
        if !declared.is_empty() {
            return Some(Lookup::Found(declared));
        }
        let here = &self.world.file(site.file).scopes[scope];
        if let (true, ScopeKind::Function, Some(owner)) = (values, here.kind, here.owner) {
            let def = Def { file: site.file, id: owner };
            let parameters =
                self.world.definition(def).signature.parameters.as_deref().unwrap_or(&[]);
            if let Some(position) = parameters.iter().position(|parameter| &*parameter.name == name)
            {
                return Some(Lookup::Found(vec![Found::Parameter(def, position)]));
            }
        }
        None
    }

    /// Returns the bindings of `name` that are visible: the last one before the site, or, from an
    /// inner function, any.
    fn bound(&self, site: Site, scope: ScopeId, name: &str, crossed: bool) -> Option<Vec<Found>> {
        let bindings = self.world.bindings(site.file, scope, name);
        let facts = self.world.file(site.file);
        let is_before = |id: &&BindingId| {
            let start = facts.bindings[**id].range.start;
            let is_other = site.binding.is_none_or(|own| **id < own);
            let value = facts.bindings[**id].value.map(|value| &facts.expressions[value].kind);
            // A parameter holds in all of its lambda.
            if matches!(value, None | Some(Expression::Parameter { .. })) {
                return true;
            }
            start < site.range.start || (start == site.range.start && is_other)
        };
        let is_itself = |id: &BindingId| site.binding == Some(*id);
        if !crossed {
            let last = bindings.iter().filter(is_before).rfind(|id| !is_itself(id))?;
            return Some(vec![Found::Binding(site.file, *last)]);
        }
        let all: Vec<Found> = bindings
            .iter()
            .filter(|id| !is_itself(id))
            .map(|&id| Found::Binding(site.file, id))
            .collect();
        (!all.is_empty()).then_some(all)
    }

    /// Returns what a scope declares, without regions that cannot be compiled together with the site.
    fn declared_visible(&self, site: Site, scope: ScopeId, name: &str) -> Vec<Found> {
        let declared = self.world.declared(site.file, scope, name);
        self.compatible(site, declared)
    }

    fn compatible(&self, site: Site, declared: &[Def]) -> Vec<Found> {
        if declared.is_empty() {
            return Vec::new();
        }
        let conditions = self.world.conditions(site.file, site.scope);
        let fits = |def: &&Def| {
            let theirs = self.world.conditions(def.file, self.world.definition(**def).scope);
            theirs.iter().all(|theirs| conditions.iter().all(|ours| ours.is_compatible(theirs)))
        };
        let found = |&def: &Def| Found::Definition(def, Substitution::default());
        declared.iter().filter(fits).map(found).collect()
    }

    /// Looks a name up among the members of the type around, or of a namespace.
    fn in_type(&self, site: Site, scope: ScopeId, name: &str, mode: Mode) -> Option<Lookup> {
        let owner = self.world.file(site.file).scopes[scope].owner?;
        let owner = Def { file: site.file, id: owner };
        let definition = self.world.definition(owner);
        if definition.kind == DefinitionKind::Namespace {
            let scopes = self.world.merged(site.file, scope);
            let declared: Vec<Def> = scopes
                .iter()
                .flat_map(|&(file, scope)| self.world.declared(file, scope, name))
                .copied()
                .collect();
            let found = self.compatible(site, &declared);
            return (!found.is_empty()).then_some(Lookup::Found(found));
        }
        let visible = self.rules().visible();
        // The body itself sees its names, whatever methods see.
        let is_body = self.world.function_around(site.file, site.scope).is_none();
        if !visible.members && !visible.type_scopes && !is_body {
            return None;
        }
        let own = self.own_type(site.file, scope)?;
        let ty = self.receiver_of(site, own);
        match self.member(&ty, name, (site.file, site.scope), mode) {
            Lookup::Found(found) => {
                let kept: Vec<Found> = found
                    .into_iter()
                    .filter(|member| visible.members || is_body || self.is_static(member))
                    .filter(|member| {
                        !visible.calls_skip_values || self.is_function(member) == site.is_call
                    })
                    .collect();
                (!kept.is_empty()).then_some(Lookup::Found(kept))
            }
            Lookup::Missing | Lookup::Open => None,
        }
    }

    /// Returns what the receiver is in the function around a site: in a static one, the type.
    pub(super) fn receiver_of(&self, site: Site, own: Def) -> Ty {
        let function = self.world.function_around(site.file, site.scope);
        let is_static = match function {
            Some(function) => {
                let in_type =
                    self.world.type_around(function.file, self.world.definition(function).scope);
                in_type.is_some() && self.world.definition(function).signature.receiver.is_none()
            }
            None => true,
        };
        if is_static { Ty::Class(Ty::Own(own).into()) } else { Ty::Own(own) }
    }

    /// Looks a name up among the members of the implicit receivers of a scope.
    fn of_receivers(&self, site: Site, scope: ScopeId, name: &str, mode: Mode) -> Option<Lookup> {
        let here = &self.world.file(site.file).scopes[scope];
        let place = (site.file, site.scope);
        for &receiver in &here.receivers {
            if site.binding.is_some() && !self.rules().visible().members {
                continue;
            }
            let ty = self.type_of(site.file, receiver, mode);
            if let Lookup::Found(found) = self.member(&ty, name, place, mode)
                && ty != Ty::Unknown
            {
                return Some(Lookup::Found(found));
            }
        }
        // A function that states its receiver has it as an implicit one.
        let owner = here.owner.filter(|_| here.kind == ScopeKind::Function)?;
        let def = Def { file: site.file, id: owner };
        self.world.extended(def)?;
        if !self.rules().visible().members {
            return None;
        }
        match self.member(&self.extended_type(def), name, place, mode) {
            Lookup::Found(found) => Some(Lookup::Found(found)),
            _ => None,
        }
    }

    fn in_file(&self, site: Site, name: &str, sees_values: bool, crossed: bool) -> Lookup {
        let file_scope = ScopeId::new(0);
        let crossed = crossed || site.scope != file_scope;
        if sees_values && let Some(found) = self.bound(site, file_scope, name, crossed) {
            return Lookup::Found(found);
        }
        let declared = self.declared_visible(site, file_scope, name);
        let mut found = self.named_alike(site, self.without_extensions(declared));
        // A variable that is defined as nothing replaces an import that fails.
        if found.iter().all(|member| self.is_nothing(member)) {
            let imported = self.imported(site, file_scope, name, false).unwrap_or_default();
            let is_outside = |member: &Found| *member == Found::Value(Ty::Outside);
            if found.is_empty() || !imported.iter().all(is_outside) {
                found = imported;
            }
            if found.is_empty()
                && self.rules().visible().imports_decide
                && self.is_imported_from_outside(site.file, name)
            {
                return Lookup::Found(vec![Found::Value(Ty::Outside)]);
            }
        }
        // What is imported whole comes behind the file's module, but before the rest of the tree.
        if found.is_empty() && self.rules().visible().tree {
            found = self.imported(site, file_scope, name, true).unwrap_or_default();
        }
        let is_alone =
            found.iter().all(|f| self.is_declaration(f)) || self.is_conditional(site, &found);
        if found.is_empty() || is_alone {
            let more = self.top_level(site.file, name);
            let more = self.without_extensions(self.compatible(site, &more));
            let more = self.named_alike(site, more);
            found.extend(more.into_iter().filter(|f| !found.contains(f)).collect::<Vec<_>>());
        }
        if found.is_empty() {
            found = self.imported(site, file_scope, name, true).unwrap_or_default();
        }
        if found.is_empty() {
            let library = self.world.declared(self.world.library(), file_scope, name);
            let library: Vec<Def> =
                library.iter().copied().filter(|&def| self.world.extended(def).is_none()).collect();
            found = self.compatible(site, &library);
        }
        if found.is_empty()
            && let Some(scopes) = self.world.namespace(name).filter(|_| !name.is_empty())
        {
            return Lookup::Found(vec![Found::Value(Ty::Module(scopes))]);
        }
        if !found.is_empty() {
            return Lookup::Found(found);
        }
        if self.is_imported_from_outside(site.file, name) {
            return Lookup::Found(vec![Found::Value(Ty::Outside)]);
        }
        Lookup::Open
    }

    /// Returns whether a member is a variable whose only value is the absent one.
    fn is_nothing(&self, found: &Found) -> bool {
        super::members::definition_of(found).is_some_and(|def| {
            let definition = self.world.definition(def);
            let facts = self.world.file(def.file);
            let results = definition.body.map_or(&[][..], |body| &facts.scopes[body].results);
            let is_null = |id: &ExpressionId| {
                facts.expressions[*id].kind == Expression::Literal(Literal::Null)
            };
            definition.kind == DefinitionKind::Variable
                && !results.is_empty()
                && results.iter().all(is_null)
        })
    }

    /// Where calls skip values, a call names no type either.
    fn named_alike(&self, site: Site, mut found: Vec<Found>) -> Vec<Found> {
        if site.is_call && self.rules().visible().calls_skip_values {
            found.retain(|member| self.is_function(member));
        }
        found
    }

    fn is_declaration(&self, found: &Found) -> bool {
        super::members::definition_of(found)
            .is_some_and(|def| self.world.definition(def).signature.is_declaration)
    }

    /// Returns whether all that was found stands in a region with a condition: another file may
    /// have what is compiled otherwise.
    fn is_conditional(&self, site: Site, found: &[Found]) -> bool {
        let ours = self.world.conditions(site.file, site.scope);
        found.iter().all(|found| {
            super::members::definition_of(found).is_some_and(|def| {
                let theirs = self.world.conditions(def.file, self.world.definition(def).scope);
                theirs.iter().any(|condition| !ours.contains(condition))
            })
        })
    }

    fn without_extensions(&self, found: Vec<Found>) -> Vec<Found> {
        let is_bare = |found: &Found| {
            super::members::definition_of(found).is_none_or(|def| {
                let definition = self.world.definition(def);
                definition.kind != DefinitionKind::Extension && self.world.extended(def).is_none()
            })
        };
        found.into_iter().filter(is_bare).collect()
    }

    /// Returns what imports of a scope give under `name`: those that take a module whole, or the
    /// others, which come before what the file's module has.
    fn imported(&self, site: Site, scope: ScopeId, name: &str, whole: bool) -> Option<Vec<Found>> {
        let file = site.file;
        let mut all = Vec::new();
        let imports = self.world.file(file).imports.iter().enumerate();
        for (at, import) in imports.filter(|(_, import)| {
            import.scope == scope && (import.imported == Imported::All) == whole
        }) {
            let original = match &import.imported {
                Imported::Module(_) if self.world.names_module(file, at, name) => {
                    // Another import may lead to the tree, such as one for where the first fails.
                    match self.world.imported_module(file, at) {
                        Some(ty) => return Some(vec![Found::Value(ty)]),
                        None => continue,
                    }
                }
                Imported::Names(names) => match names.iter().find(|(_, alias)| &**alias == name) {
                    Some((original, _)) => &**original,
                    None => continue,
                },
                Imported::All => name,
                Imported::Module(_) => continue,
            };
            match self.world.imported_module(file, at) {
                Some(Ty::Module(scopes)) => {
                    let found = self.module_member(&scopes, original);
                    let is_listed = import.imported != Imported::All;
                    if found.is_empty() && is_listed && self.world.is_library_module(&scopes) {
                        return Some(vec![Found::Value(Ty::Outside)]);
                    }
                    all.extend(found);
                }
                Some(Ty::Class(of)) => {
                    if let Lookup::Found(found) =
                        self.member(&Ty::Class(of), original, (file, scope), Mode::Plain)
                    {
                        all.extend(found);
                    }
                }
                _ => {}
            }
            all = self.named_alike(site, all);
            if !all.is_empty() && import.imported != Imported::All {
                return Some(all);
            }
        }
        let all = self.without_extensions(all);
        (!all.is_empty()).then_some(all)
    }

    /// Returns whether an import names `name` and leads out of the tree.
    pub(super) fn is_imported_from_outside(&self, file: FileId, name: &str) -> bool {
        self.world.file(file).imports.iter().enumerate().any(|(at, import)| {
            let names = match &import.imported {
                Imported::Module(_) => self.world.names_module(file, at, name),
                Imported::Names(names) => names.iter().any(|(_, alias)| &**alias == name),
                Imported::All => false,
            };
            names && self.world.imported_module(file, at).is_none()
        })
    }

    /// Returns what other files of the module, or of the tree, declare at their top.
    pub(super) fn top_level(&self, file: FileId, name: &str) -> Vec<Def> {
        let visible = self.rules().visible();
        let mut found = Vec::new();
        if visible.siblings {
            found.extend(self.world.siblings(file, name));
        }
        if visible.tree {
            for (other, scope) in self.world.whole_tree() {
                let declared = self.world.declared(other, scope, name).iter().copied();
                let is_public = |def: &Def| {
                    let definition = self.world.definition(*def);
                    // A macro is text of the files that include it.
                    def.file == file
                        || definition.visibility != Visibility::Private
                            && definition.kind != DefinitionKind::Macro
                };
                found.extend(declared.filter(is_public));
            }
        }
        found.sort();
        found.dedup();
        found.retain(|&def| !self.is_in_namespace(def));
        found
    }

    fn is_in_namespace(&self, def: Def) -> bool {
        let scope = self.world.definition(def).scope;
        let owner = self.world.file(def.file).scopes[scope].owner;
        owner.is_some()
    }
}
