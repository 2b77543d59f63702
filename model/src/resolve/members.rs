//! Members of types: in bodies, through ancestors, and from extensions.

use super::ty::{Def, FileId, Ty};
use super::{Ancestor, Mode, Resolver, Substitution};
use crate::ir::*;
use crate::rules::{BaseOfUsers, FUNCTION, Linearization};
use std::rc::Rc;

/// A member that a name was found to be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found {
    /// A definition, with what the parameters of its type are.
    Definition(Def, Substitution),
    /// A member that methods of the type assign.
    Assigned(Def, Name, Substitution),
    /// A name that holds a value.
    Binding(FileId, BindingId),
    /// A parameter of a function.
    Parameter(Def, usize),
    /// A value whose type is known, such as a field of a tuple.
    Value(Ty),
}

/// What a look-up gives.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lookup {
    /// These, which compete where they are functions.
    Found(Vec<Found>),
    /// The type is known and has no such member.
    Missing,
    /// Whether there is one cannot be said.
    Open,
}

/// How often a value is dereferenced to find a member.
const DEREFERENCES: usize = 4;

impl Resolver<'_> {
    /// Returns the scopes of the bodies of a type.
    pub(super) fn bodies(&self, def: Def) -> Vec<(FileId, ScopeId)> {
        let parts = self.parts_of(def);
        let bodies =
            parts.into_iter().filter_map(|def| Some((def.file, self.world.definition(def).body?)));
        bodies.collect()
    }

    /// Looks up the member `name` of a value of type `ty`, seen from `place`.
    pub(super) fn member(
        &self,
        ty: &Ty,
        name: &str,
        place: (FileId, ScopeId),
        mode: Mode,
    ) -> Lookup {
        self.step(Lookup::Open, || self.member_step(ty, name, place, mode))
    }

    fn member_step(&self, ty: &Ty, name: &str, place: (FileId, ScopeId), mode: Mode) -> Lookup {
        let value = ty.clone();
        let mut ty = ty.clone();
        for _ in 0..DEREFERENCES {
            match self.direct_member(&ty, name, place, mode) {
                Lookup::Missing if self.rules().member_sources().dereferences => {
                    let next = self.yielded(&ty, Protocol::Dereference, mode);
                    if next == Ty::Unknown || next == ty {
                        return self.root_member(&value, name, place);
                    }
                    ty = next;
                }
                Lookup::Missing => return self.root_member(&value, name, place),
                found => return found,
            }
        }
        Lookup::Open
    }

    /// Looks up a member that all values have.
    fn root_member(&self, of: &Ty, name: &str, place: (FileId, ScopeId)) -> Lookup {
        match self.root() {
            Some(root) if !matches!(of, Ty::Module(_)) => {
                self.member_of(root, &[], of, name, place)
            }
            _ => Lookup::Missing,
        }
    }

    /// Looks a member up without dereferencing.
    pub(super) fn direct_member(
        &self,
        ty: &Ty,
        name: &str,
        place: (FileId, ScopeId),
        mode: Mode,
    ) -> Lookup {
        match ty {
            Ty::Unknown | Ty::Projection(..) => self.projected_member(ty, name, place, mode),
            Ty::Outside => Lookup::Open,
            Ty::Named(def, arguments) => self.member_of(*def, arguments, ty, name, place),
            Ty::Own(def) => {
                let definition = self.world.definition(*def);
                if definition.kind == DefinitionKind::TypeParameter {
                    return self.direct_member(&Ty::Parameter(*def), name, place, mode);
                }
                let own = self.own_parameters(*def);
                match self.member_of(*def, &own, ty, name, place) {
                    Lookup::Missing if definition.kind == DefinitionKind::Mixin => {
                        self.member_of_users(*def, name, place, mode)
                    }
                    found => found,
                }
            }
            Ty::Parameter(def) => {
                let bounds = self.bounds(*def);
                let parts =
                    if bounds.is_empty() { return Lookup::Open } else { Ty::AllOf(bounds.into()) };
                self.direct_member(&parts, name, place, mode)
            }
            Ty::AllOf(parts) => {
                let found = parts.iter().map(|part| self.member(part, name, place, mode));
                let found: Vec<_> = found.collect();
                let first = found.iter().find(|found| matches!(found, Lookup::Found(_)));
                let open = || found.contains(&Lookup::Open).then_some(&Lookup::Open);
                first.or_else(open).cloned().unwrap_or(Lookup::Missing)
            }
            Ty::OneOf(_) => self.member_of_choices(ty, name, place, mode),
            Ty::Class(of) => self.class_member(of, name, place, mode),
            Ty::Module(scopes) => match self.module_member(scopes, name) {
                found if found.is_empty() && self.world.is_library_module(scopes) => {
                    Lookup::Found(vec![Found::Value(Ty::Outside)])
                }
                found if found.is_empty() => Lookup::Missing,
                found => Lookup::Found(found),
            },
            Ty::Tuple(types) => match name.parse::<usize>().ok().and_then(|at| types.get(at)) {
                Some(ty) => Lookup::Found(vec![Found::Value(ty.clone())]),
                None => Lookup::Missing,
            },
            Ty::Record(fields) => match fields.iter().find(|(field, _)| &**field == name) {
                Some((_, ty)) => Lookup::Found(vec![Found::Value(ty.clone())]),
                None => Lookup::Missing,
            },
            Ty::Literal(literal) => match self.library_type(self.rules().literal(literal)) {
                Some(def) => self.member_of(def, &[], ty, name, place),
                None => Lookup::Open,
            },
            Ty::Function(_) | Ty::Stored(_) => match self.library_type(FUNCTION) {
                Some(def) => self.member_of(def, &[], ty, name, place),
                None => Lookup::Open,
            },
        }
    }

    /// Looks a member up in the bounds of an associated type.
    fn projected_member(
        &self,
        ty: &Ty,
        name: &str,
        place: (FileId, ScopeId),
        mode: Mode,
    ) -> Lookup {
        let bounds = self.projection_bounds(ty);
        if bounds.is_empty() {
            return Lookup::Open;
        }
        self.direct_member(&Ty::AllOf(bounds.into()), name, place, mode)
    }

    /// Returns what an associated type is known to extend.
    pub(super) fn projection_bounds(&self, ty: &Ty) -> Vec<Ty> {
        let Ty::Projection(of, member) = ty else { return Vec::new() };
        let holders = match &**of {
            Ty::Parameter(def) => self.bounds(*def),
            Ty::Own(def) => vec![Ty::Named(*def, self.own_parameters(*def))],
            Ty::Named(..) => vec![(**of).clone()],
            inner => self.projection_bounds(inner),
        };
        let mut bounds = Vec::new();
        for holder in holders {
            let Ty::Named(def, _) = holder else { continue };
            for ancestor in self.ancestors(def).iter().flatten() {
                for (file, scope) in self.bodies(ancestor.def) {
                    for &found in self.world.declared(file, scope, member) {
                        let own =
                            Substitution { own: Some((**of).clone()), ..Substitution::default() };
                        bounds.extend(self.bounds(found).iter().map(|bound| own.apply(bound)));
                    }
                }
            }
        }
        bounds
    }

    fn member_of_choices(
        &self,
        ty: &Ty,
        name: &str,
        place: (FileId, ScopeId),
        mode: Mode,
    ) -> Lookup {
        let mut all = Vec::new();
        let mut is_open = false;
        for choice in ty.choices() {
            match self.member(&choice, name, place, mode) {
                Lookup::Found(found) => all.extend(found),
                // A member that only some of the choices have is reached by these.
                Lookup::Missing => {}
                Lookup::Open => is_open = true,
            }
        }
        all.dedup();
        // Where types also come from uses, a choice that is not known says nothing.
        if is_open && (mode == Mode::Plain || all.is_empty()) {
            return Lookup::Open;
        }
        if all.is_empty() { Lookup::Missing } else { Lookup::Found(all) }
    }

    /// Returns a type of the library by its name.
    pub(super) fn library_type(&self, name: &str) -> Option<Def> {
        self.world.declared(self.world.library(), ScopeId::new(0), name).first().copied()
    }

    /// Returns what a module or namespace has under `name`.
    pub(super) fn module_member(&self, scopes: &[(FileId, ScopeId)], name: &str) -> Vec<Found> {
        let mut defs = self.world.exported(scopes, name);
        defs.retain(|&def| self.world.extended(def).is_none());
        let mut found: Vec<Found> =
            defs.into_iter().map(|def| Found::Definition(def, Substitution::default())).collect();
        if found.is_empty() {
            for &(file, scope) in scopes {
                let last = self.world.bindings(file, scope, name).last();
                found.extend(last.map(|&binding| Found::Binding(file, binding)));
            }
        }
        if found.is_empty() {
            found.extend(self.world.submodule(scopes, name).map(Found::Value));
        }
        found
    }

    /// Looks `name` up in a type, its ancestors and its extensions.
    fn member_of(
        &self,
        def: Def,
        arguments: &[Ty],
        own: &Ty,
        name: &str,
        place: (FileId, ScopeId),
    ) -> Lookup {
        let sources = self.rules().member_sources();
        let own_is_interface = self.world.definition(def).kind == DefinitionKind::Interface;
        let mut all = Vec::new();
        let mut asked_blankets = false;
        for level in self.ancestors(def).iter() {
            let is_interface = level
                .iter()
                .any(|a| self.world.definition(a.def).kind == DefinitionKind::Interface);
            if is_interface && !own_is_interface && !asked_blankets && all.is_empty() {
                asked_blankets = true;
                all.extend(self.blanket_members(own, name));
            }
            let mut found: Vec<Found> = Vec::new();
            for ancestor in level {
                let here = self.members_at(ancestor, def, arguments, own, name);
                if !found.is_empty()
                    && !here.is_empty()
                    && self.rules().linearize() == Linearization::Levels
                {
                    let is_same = here
                        .iter()
                        .all(|h| found.iter().any(|f| definition_of(f) == definition_of(h)));
                    if !is_same && !self.all_functions(&found) {
                        return Lookup::Open;
                    }
                }
                found.extend(here);
            }
            self.compete(&mut all, found, def);
            let continues = sources.overloads_through_bases
                && (self.all_functions(&all) || self.rules().visible().calls_skip_values);
            if !all.is_empty() && !continues {
                break;
            }
        }
        if !all.is_empty() && sources.overloads_through_bases {
            self.compete_with_root(&mut all, (def, arguments), own, name);
        }
        if all.is_empty() && !asked_blankets {
            all.extend(self.blanket_members(own, name));
        }
        if all.is_empty() && !sources.functions_on_are_members {
            all.extend(self.visible_extensions(own, name, place));
        }
        if !all.is_empty() {
            return Lookup::Found(all);
        }
        if self.has_unknown_base(def) { Lookup::Open } else { Lookup::Missing }
    }

    /// Returns the type of the library whose members all values have.
    fn root(&self) -> Option<Def> {
        self.rules().member_sources().root.and_then(|name| self.library_type(name))
    }

    /// Adds what the root has, which is the last base of all types.
    fn compete_with_root(
        &self,
        all: &mut Vec<Found>,
        (def, arguments): (Def, &[Ty]),
        own: &Ty,
        name: &str,
    ) {
        let Some(root) = self.root().filter(|root| *root != def) else { return };
        let root = Ancestor { def: root, arguments: [].into(), renames: [].into() };
        let found = self.members_at(&root, def, arguments, own, name);
        self.compete(all, found, def);
    }

    /// Adds what a base of `of` has to what was found before it, without what that hides. An
    /// interface hides what those that it extends have, wherever they come; of two others that
    /// demand the same, the one of the tree is what is meant.
    fn compete(&self, all: &mut Vec<Found>, mut found: Vec<Found>, of: Def) {
        found.retain(|member| {
            let Some(at) = all.iter().position(|known| self.overrides_member(known, member)) else {
                return true;
            };
            if let (Some(known), Some(other)) = (self.interface(&all[at]), self.interface(member)) {
                let is_ours = self.world.is_library(known.file)
                    && !self.world.is_library(other.file)
                    && !self.has_library_class(of);
                if is_ours || (known != other && self.extends(other, known)) {
                    all[at] = member.clone();
                }
            }
            false
        });
        all.extend(found);
    }

    /// Returns the interface that a member is of.
    fn interface(&self, member: &Found) -> Option<Def> {
        let def = definition_of(member)?;
        let holder = self.world.type_around(def.file, self.world.definition(def).scope)?;
        let is_interface = self.world.definition(holder).kind == DefinitionKind::Interface;
        is_interface.then_some(holder)
    }

    /// Returns whether a type extends a class of the library, which may have a member that only
    /// the interfaces of that class list.
    pub(super) fn has_library_class(&self, of: Def) -> bool {
        let is_class = |ancestor: &Ancestor| {
            self.world.is_library(ancestor.def.file)
                && self.world.definition(ancestor.def).kind == DefinitionKind::Class
        };
        self.ancestors(of).iter().flatten().any(is_class)
    }

    fn all_functions(&self, found: &[Found]) -> bool {
        found.iter().all(|member| self.is_function(member))
    }

    pub(super) fn is_function(&self, member: &Found) -> bool {
        definition_of(member)
            .is_some_and(|def| self.world.definition(def).kind == DefinitionKind::Function)
    }

    /// Returns whether a member takes the place of one of a base.
    fn overrides_member(&self, known: &Found, other: &Found) -> bool {
        // Where calls skip values, a function and a value of one name do not meet.
        if self.rules().visible().calls_skip_values
            && self.is_function(known) != self.is_function(other)
        {
            return false;
        }
        let (Found::Definition(known, _), Found::Definition(other, _)) = (known, other) else {
            return true;
        };
        known == other || self.same_parameters(*known, *other)
    }

    /// Returns whether two functions take the same parameters, as far as these are written.
    pub(super) fn same_parameters(&self, one: Def, other: Def) -> bool {
        let parameters =
            |def: Def| self.world.definition(def).signature.parameters.as_deref().unwrap_or(&[]);
        let (ours, theirs) = (parameters(one), parameters(other));
        let is_same = |at: usize| {
            let labels = ours[at].label == theirs[at].label
                && ours[at].is_variadic == theirs[at].is_variadic;
            match (self.parameter_type(one, at), self.parameter_type(other, at)) {
                (Some(one), Some(other)) => labels && one.is_alike(&other),
                _ => labels,
            }
        };
        ours.len() == theirs.len() && (0..ours.len()).all(is_same)
    }

    /// Returns the members `name` that one ancestor itself has.
    fn members_at(
        &self,
        ancestor: &Ancestor,
        of: Def,
        arguments: &[Ty],
        own: &Ty,
        name: &str,
    ) -> Vec<Found> {
        let renamed = ancestor.renames.iter().find(|(_, to)| to.as_deref() == Some(name));
        let is_hidden =
            ancestor.renames.iter().any(|(from, _)| &**from == name) && renamed.is_none();
        if is_hidden {
            return Vec::new();
        }
        let name = renamed.map_or(name, |(from, _)| from);
        let outer = self.substitution(of, arguments);
        let put_in: Vec<Ty> = ancestor.arguments.iter().map(|ty| outer.apply(ty)).collect();
        let mut substitution = self.substitution(ancestor.def, &put_in);
        substitution.own = Some(own.clone());
        let mut found = Vec::new();
        for (file, scope) in self.bodies(ancestor.def) {
            // A constructor with the name of its type is no member of that name.
            let is_member = |def: &&Def| {
                self.world.definition(**def).kind != DefinitionKind::Constructor
                    || *self.world.definition(ancestor.def).name != *name
            };
            let declared = self.world.declared(file, scope, name).iter().filter(is_member);
            found.extend(declared.map(|&def| Found::Definition(def, substitution.clone())));
            let held = self.world.bindings(file, scope, name).last();
            found.extend(held.map(|&binding| Found::Binding(file, binding)));
            found.extend(self.imported_members(file, scope, name));
        }
        let receiver = Ty::Named(ancestor.def, put_in.into());
        found.extend(self.extension_members(ancestor.def, &receiver, own, name));
        found.retain(|member| !self.is_own_generic(member, ancestor.def));
        if found.is_empty() && self.is_assigned(ancestor.def, name) {
            found.push(Found::Assigned(ancestor.def, name.into(), substitution));
        }
        found
    }

    fn is_own_generic(&self, member: &Found, of: Def) -> bool {
        let Found::Definition(def, _) = member else { return false };
        def.file == of.file && self.world.definition(of).signature.generics.contains(&def.id)
    }

    /// Returns members that an import in the body takes from a base.
    fn imported_members(&self, file: FileId, scope: ScopeId, name: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for import in self.world.file(file).imports.iter().filter(|import| import.scope == scope) {
            let Imported::Names(names) = &import.imported else { continue };
            let Some((original, _)) = names.iter().find(|(_, alias)| &**alias == name) else {
                continue;
            };
            let path: Vec<Name> = import.module.split('.').map(Name::from).collect();
            if let Ty::Named(def, _) = self.path(file, scope, &path) {
                let own = Ty::Named(def, [].into());
                if let Lookup::Found(members) =
                    self.member_of(def, &[], &own, original, (file, scope))
                {
                    found.extend(members);
                }
            }
        }
        found
    }

    /// Returns the members of blocks and functions that add to `of`; those of blocks without a
    /// base come before those that implement one.
    fn extension_members(&self, of: Def, receiver: &Ty, own: &Ty, name: &str) -> Vec<Found> {
        let mut plain = Vec::new();
        let mut implementing = Vec::new();
        if self.rules().member_sources().functions_on_are_members {
            for &method in self.methods.get(&(of, name.into())).into_iter().flatten() {
                let mut substitution = self.unify_receiver(method, receiver).unwrap_or_default();
                substitution.own = Some(own.clone());
                plain.push(Found::Definition(method, substitution));
            }
        }
        for &extension in self.extensions.get(&of).into_iter().flatten() {
            let definition = self.world.definition(extension);
            let Some(body) = definition.body else { continue };
            let Some(mut substitution) = self.unify_receiver(extension, receiver) else { continue };
            substitution.own = Some(own.clone());
            let implements = definition.bases.iter().any(|base| base.kind == BaseKind::Implements);
            for &def in self.world.declared(extension.file, body, name) {
                let found = Found::Definition(def, substitution.clone());
                if implements { implementing.push(found) } else { plain.push(found) }
            }
        }
        if plain.is_empty() { implementing } else { plain }
    }

    /// Returns members of extensions of all types that fit a bound.
    fn blanket_members(&self, own: &Ty, name: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for &extension in &self.blankets {
            let definition = self.world.definition(extension);
            let (Some(body), Ty::Parameter(parameter)) =
                (definition.body, self.extended_type(extension))
            else {
                continue;
            };
            let declared = self.world.declared(extension.file, body, name);
            if declared.is_empty() || !self.fits_bounds(own, parameter) {
                continue;
            }
            let mut substitution = Substitution::default();
            substitution.bind(parameter, own.clone());
            substitution.own = Some(own.clone());
            found.extend(declared.iter().map(|&def| Found::Definition(def, substitution.clone())));
        }
        found
    }

    /// Returns functions that extend a type of `own` and are visible from `place`.
    fn visible_extensions(&self, own: &Ty, name: &str, place: (FileId, ScopeId)) -> Vec<Found> {
        let mut best: Vec<Found> = Vec::new();
        for &def in self.world.extensions(name) {
            if !self.world.is_library(def.file) && !self.is_visible(def, place) {
                continue;
            }
            if let Some(mut substitution) = self.unify_receiver(def, own) {
                substitution.own = Some(own.clone());
                best.push(Found::Definition(def, substitution));
            }
        }
        // An extension of the type itself before one of a base, and the library last.
        let is_exact = |found: &Found| {
            let (Found::Definition(def, _), Ty::Named(of, _)) = (found, own) else { return false };
            matches!(self.extended_type(*def), Ty::Named(extended, _) if extended == *of)
        };
        if best.iter().any(is_exact) {
            best.retain(is_exact);
        }
        let is_source =
            |found: &Found| definition_of(found).is_some_and(|d| !self.world.is_library(d.file));
        if best.iter().any(is_source) {
            best.retain(is_source);
        }
        best
    }

    /// Returns whether `def` is visible from `place`, or the static type that declares it.
    fn is_visible(&self, def: Def, (file, scope): (FileId, ScopeId)) -> bool {
        let definition = self.world.definition(def);
        if def.file == file || self.rules().visible().tree {
            return true;
        }
        let holder = self.world.type_around(def.file, definition.scope);
        let names = [Some(def), holder];
        let home = self.world.merged(def.file, self.namespace_scope(def.file, definition.scope));
        if home.contains(&(file, ScopeId::new(0)))
            || self.namespaces_around(file, scope).iter().any(|s| home.contains(s))
        {
            return true;
        }
        self.world.file(file).imports.iter().enumerate().any(|(at, import)| {
            match self.world.imported_module(file, at) {
                Some(Ty::Module(scopes)) => {
                    let from = scopes.iter().any(|scope| home.contains(scope));
                    let named = |names: &[(Name, Name)], name: &Name| {
                        names.iter().any(|(of, _)| of == name)
                    };
                    from && match &import.imported {
                        Imported::All => true,
                        Imported::Module(_) => false,
                        Imported::Names(list) => names
                            .iter()
                            .flatten()
                            .any(|&of| named(list, &self.world.definition(of).name)),
                    }
                }
                _ => false,
            }
        })
    }

    /// Returns the scope of the namespace or file around `scope`.
    fn namespace_scope(&self, file: FileId, scope: ScopeId) -> ScopeId {
        self.namespaces_around(file, scope).first().map_or(ScopeId::new(0), |&(_, scope)| scope)
    }

    pub(super) fn namespaces_around(&self, file: FileId, scope: ScopeId) -> Vec<(FileId, ScopeId)> {
        let facts = self.world.file(file);
        let mut found = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at {
            let here = &facts.scopes[scope];
            let kind = here.owner.map(|owner| facts.definitions[owner].kind);
            if here.kind == ScopeKind::File || kind == Some(DefinitionKind::Namespace) {
                found.push((file, scope));
            }
            at = here.parent;
        }
        found
    }

    /// Returns whether a method of a type assigns its member `name`.
    fn is_assigned(&self, of: Def, name: &str) -> bool {
        !self.assigned_in(of, name).is_empty()
    }

    /// Looks a member of a mixin's receiver up in the types that mix it in.
    fn member_of_users(
        &self,
        mixin: Def,
        name: &str,
        place: (FileId, ScopeId),
        mode: Mode,
    ) -> Lookup {
        let mut all = Vec::new();
        for user in self.users_of(mixin) {
            let ty = Ty::Named(user, self.own_parameters(user));
            if let Lookup::Found(found) = self.member(&ty, name, place, mode) {
                for member in found {
                    if !all.iter().any(|known| definition_of(known) == definition_of(&member)) {
                        all.push(member);
                    }
                }
            }
        }
        if all.is_empty() { Lookup::Open } else { Lookup::Found(all) }
    }

    /// Returns the types that have `def` among their ancestors, without itself.
    pub(super) fn users_of(&self, def: Def) -> Vec<Def> {
        self.users.get(&def).cloned().unwrap_or_default()
    }

    /// Looks up a member of the type itself: static ones first, then what its values have.
    fn class_member(&self, of: &Ty, name: &str, place: (FileId, ScopeId), mode: Mode) -> Lookup {
        let found = match self.direct_member(of, name, place, mode) {
            Lookup::Found(found) => found,
            other => match self.metaclass_member(of, name, place) {
                Some(found) => return Lookup::Found(found),
                None => return other,
            },
        };
        let statics: Vec<Found> =
            found.iter().filter(|member| self.is_static(member)).cloned().collect();
        if !statics.is_empty() {
            return Lookup::Found(statics);
        }
        if let Some(found) = self.metaclass_member(of, name, place) {
            return Lookup::Found(found);
        }
        // A type gives the functions of its values, but no value of theirs.
        let functions = found.iter().filter(|member| self.is_function(member)).cloned();
        let functions: Vec<Found> = functions.collect();
        if self.rules().visible().calls_skip_values && !functions.is_empty() {
            return Lookup::Found(functions);
        }
        Lookup::Found(found)
    }

    /// Returns what extensions of the type itself, and its mixins, add.
    fn metaclass_member(
        &self,
        of: &Ty,
        name: &str,
        place: (FileId, ScopeId),
    ) -> Option<Vec<Found>> {
        let (Ty::Named(def, _) | Ty::Own(def)) = of else { return None };
        let nested = self.rules().member_sources().nested_static_mixin;
        for ancestor in self.ancestors(*def).iter().flatten() {
            let mut sources = Vec::new();
            for &extension in self.class_extensions.get(&ancestor.def).into_iter().flatten() {
                let scope = self.world.definition(extension).body.unwrap_or(ScopeId::new(0));
                let declared = self.world.declared(extension.file, scope, name);
                if !declared.is_empty() {
                    let found = |&def: &Def| Found::Definition(def, Substitution::default());
                    return Some(declared.iter().map(found).collect());
                }
                sources.extend(self.bases(extension).iter().map(|base| base.ty.clone()));
            }
            for (file, scope) in self.bodies(ancestor.def) {
                let mixins =
                    nested.into_iter().flat_map(|nested| self.world.declared(file, scope, nested));
                sources.extend(mixins.map(|&def| Ty::Named(def, [].into())));
            }
            for source in sources {
                if let Ty::Named(source, arguments) = source {
                    let own = Ty::Class(Rc::new(of.clone()));
                    if let Lookup::Found(found) =
                        self.member_of(source, &arguments, &own, name, place)
                    {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// Returns whether a member belongs to the type itself.
    pub(super) fn is_static(&self, member: &Found) -> bool {
        match member {
            Found::Definition(def, _) => {
                let definition = self.world.definition(*def);
                definition.kind.is_type() || definition.signature.receiver.is_none()
            }
            Found::Assigned(..) => false,
            _ => true,
        }
    }

    /// Looks up what follows the own type in the order of bases.
    pub(super) fn base_member(&self, name: &str, place: (FileId, ScopeId)) -> Lookup {
        let Some(own) = self.own_type(place.0, place.1) else { return Lookup::Open };
        let rule = self.rules().member_sources().base_of_users;
        let is_mixin = self.world.definition(own).kind == DefinitionKind::Mixin;
        let overloads = self.rules().member_sources().overloads_through_bases;
        let mut orders = if is_mixin { Vec::new() } else { vec![own] };
        if rule == BaseOfUsers::All || (is_mixin && rule == BaseOfUsers::Mixins) {
            orders.extend(self.users_of(own));
        }
        let mut all: Vec<Found> = Vec::new();
        for of in orders {
            let ancestors = self.ancestors(of);
            let after =
                ancestors.iter().skip_while(|level| !level.iter().any(|a| a.def == own)).skip(1);
            let receiver = Ty::Own(of);
            let own_parameters = self.own_parameters(of);
            let mut found: Vec<Found> = Vec::new();
            for level in after {
                let at = |a: &Ancestor| self.members_at(a, of, &own_parameters, &receiver, name);
                let here: Vec<Found> = level.iter().flat_map(at).collect();
                if !overloads && !here.is_empty() {
                    found = here;
                    break;
                }
                self.compete(&mut found, here, own);
            }
            if overloads {
                self.compete_with_root(&mut found, (of, &own_parameters), &receiver, name);
            }
            for member in found {
                if !all.iter().any(|known| definition_of(known) == definition_of(&member)) {
                    all.push(member);
                }
            }
        }
        if !all.is_empty() {
            return Lookup::Found(all);
        }
        if self.has_unknown_base(own) { Lookup::Open } else { Lookup::Missing }
    }
}

/// Returns the definition that was found, if it is one.
pub(super) fn definition_of(found: &Found) -> Option<Def> {
    match found {
        Found::Definition(def, _) => Some(*def),
        _ => None,
    }
}
