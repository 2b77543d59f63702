//! What a use links to, and what a call returns.

use super::lookup::Site;
use super::members::{Found, Lookup, definition_of};
use super::ty::{Def, FileId, Ty};
use super::{Choice, Evidence, Mode, Resolver, Substitution};
use crate::ir::*;

/// A definition that a use calls, with what its parameters stand for there.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The definition whose signature holds.
    pub def: Def,
    pub(super) substitution: Substitution,
    /// What the call returns, where this is not the definition's result.
    pub(super) result: Option<Ty>,
}

/// What a use links to.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// The definitions; some may be the library's.
    pub called: Vec<Called>,
    /// They were stored as values where they are called now.
    pub is_dispatch: bool,
    /// What holds the function that is called: a field or a variable.
    pub through: Option<Def>,
    /// Something outside of the tree is used.
    pub is_outside: bool,
    /// How strong the answer is.
    pub evidence: Evidence,
    /// How many definitions it can be.
    pub choice: Choice,
    /// The type of the receiver, for overrides.
    pub(super) receiver: Ty,
}

impl Resolution {
    pub(super) fn unknown() -> Self {
        Self {
            called: Vec::new(),
            is_dispatch: false,
            through: None,
            is_outside: false,
            evidence: Evidence::SimilarName,
            choice: Choice::Open,
            receiver: Ty::Unknown,
        }
    }

    fn outside() -> Self {
        Self { is_outside: true, choice: Choice::Only, ..Self::unknown() }
    }

    /// Returns whether nothing was found.
    pub fn is_unknown(&self) -> bool {
        self.called.is_empty() && !self.is_outside
    }
}

impl Resolver<'_> {
    /// Computes what a use links to.
    pub(super) fn resolve_use(&self, file: FileId, id: UseId, mode: Mode) -> Resolution {
        let of = &self.world.file(file).uses[id];
        if of.role == Role::Construct {
            let ty = of.r#type.map_or(Ty::Unknown, |ty| self.written(file, of.scope, ty));
            return self.construct(file, id, &ty, mode);
        }
        match (of.receiver, &of.name) {
            (None, Some(name)) => self.resolve_bare(file, id, name, mode),
            (Some(receiver), Some(name)) => self.resolve_member(file, id, receiver, name, mode),
            (Some(receiver), None) => {
                let ty = self.type_of(file, receiver, mode);
                let called = self.call_value(file, id, &ty, mode);
                if called.is_unknown() {
                    self.dispatch_through(file, receiver, mode)
                } else {
                    called
                }
            }
            (None, None) => Resolution::unknown(),
        }
    }

    fn resolve_bare(&self, file: FileId, id: UseId, name: &str, mode: Mode) -> Resolution {
        let of = &self.world.file(file).uses[id];
        let value = self.call_of(file, id);
        let binding = value.and_then(|value| self.world.binding_of(file, value));
        let site = Site {
            file,
            scope: of.scope,
            range: of.range,
            binding,
            is_call: of.role == Role::Call,
        };
        let lookup = self.bare(site, name, mode);
        let mut found = match lookup {
            Lookup::Found(found) => found,
            _ => Vec::new(),
        };
        let is_functions = found.iter().all(|f| {
            matches!(f, Found::Definition(def, _)
            if self.world.definition(*def).kind.is_callable())
        });
        if self.rules().visible().argument_namespaces && is_functions {
            let open = self.argument_functions(file, id, name, &mut found, mode);
            if open {
                return Resolution::unknown();
            }
        }
        let is_constructor = self.rules().construct().call == Some(name);
        if found.is_empty()
            && is_constructor
            && let Some(own) = self.own_type(file, of.scope)
        {
            let own = match self.receiver_of(site, own) {
                Ty::Class(own) => self.user_or_own(&own),
                own => self.user_or_own(&own),
            };
            return self.construct(file, id, &own, mode);
        }
        if found.is_empty() {
            return self.missing_bare(file, id, name, mode);
        }
        let evidence = match found.first() {
            Some(Found::Definition(def, _)) if def.file != file => Evidence::Import,
            _ => Evidence::Scope,
        };
        self.resolve_found(file, id, &found, (Ty::Unknown, evidence), mode)
    }

    /// Within a mixin of types, the receiver is one of its users.
    fn user_or_own(&self, own: &Ty) -> Ty {
        let Ty::Own(def) = own else { return own.clone() };
        if self.world.definition(*def).kind != DefinitionKind::Mixin {
            return own.clone();
        }
        let users = self.class_users(*def);
        let users = users.into_iter().map(|user| Ty::Named(user, self.own_parameters(user)));
        Ty::one_of(users.collect())
    }

    /// Returns the types that are extended by a mixin as types.
    fn class_users(&self, mixin: Def) -> Vec<Def> {
        let uses_it = |extension: &&Def| {
            self.bases(**extension)
                .iter()
                .any(|base| matches!(&base.ty, Ty::Named(of, _) if *of == mixin))
        };
        let mut users: Vec<Def> = Vec::new();
        let using =
            self.class_extensions.iter().filter(|(_, all)| all.iter().any(|of| uses_it(&of)));
        users.extend(using.map(|(&of, _)| of));
        users.sort();
        users
    }

    /// A bare name that no scope has: of the users of a mixin, or of the library's root type.
    fn missing_bare(&self, file: FileId, id: UseId, name: &str, mode: Mode) -> Resolution {
        let of = &self.world.file(file).uses[id];
        if let Some(own) = self.own_type(file, of.scope).filter(|_| self.rules().visible().members)
        {
            let place = (file, of.scope);
            let receiver = self.receiver_of(self.site(file, of.scope, of.range, None), own);
            if let Lookup::Found(found) = self.member(&receiver, name, place, mode) {
                return self.resolve_found(
                    file,
                    id,
                    &found,
                    (receiver, Evidence::ThroughBase),
                    mode,
                );
            }
        }
        match self.type_name(file, of.scope, name) {
            ty @ Ty::Named(..) if of.role == Role::Call => self.construct(file, id, &ty, mode),
            _ => Resolution::unknown(),
        }
    }

    /// Adds the functions of the namespaces of the arguments' types. Returns whether one of these
    /// types is not known, so that there may be more.
    fn argument_functions(
        &self,
        file: FileId,
        id: UseId,
        name: &str,
        found: &mut Vec<Found>,
        mode: Mode,
    ) -> bool {
        let mut open = false;
        for argument in &self.world.file(file).uses[id].arguments {
            match self.type_of(file, argument.value, mode) {
                Ty::Unknown | Ty::Parameter(_) | Ty::Projection(..) => open = true,
                Ty::Named(def, _) if !self.world.is_library(def.file) => {
                    let scope = self.world.definition(def).scope;
                    for (file, scope) in self.world.merged(def.file, scope) {
                        for &def in self.world.declared(file, scope, name) {
                            let member = Found::Definition(def, Substitution::default());
                            if self.world.extended(def).is_none() && !found.contains(&member) {
                                found.push(member);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        open
    }

    fn resolve_member(
        &self,
        file: FileId,
        id: UseId,
        receiver: ExpressionId,
        name: &str,
        mode: Mode,
    ) -> Resolution {
        let facts = self.world.file(file);
        let of = &facts.uses[id];
        let place = (file, of.scope);
        let (lookup, ty) = if facts.expressions[receiver].kind == Expression::Base {
            (self.base_member(name, place), Ty::Unknown)
        } else {
            let ty = self.type_of(file, receiver, mode);
            (self.member(&ty, name, place, mode), ty)
        };
        let construction = self.rules().construct();
        let is_constructor =
            construction.call == Some(name) || construction.members.contains(&name);
        match (lookup, &ty) {
            (Lookup::Found(found), _) if !self.is_root(&found, is_constructor) => {
                let evidence = self.evidence(&found, &ty, file, receiver);
                self.resolve_found(file, id, &found, (ty, evidence), mode)
            }
            (_, Ty::Class(of)) if is_constructor => self.construct(file, id, of, mode),
            (_, Ty::Outside) => Resolution::outside(),
            (Lookup::Missing, _) => self.missing_member(file, id, &ty, place, mode),
            _ => Resolution::unknown(),
        }
    }

    /// Returns whether what a constructor's name was found to be is only the library's.
    fn is_root(&self, found: &[Found], is_constructor: bool) -> bool {
        is_constructor
            && found
                .iter()
                .all(|f| matches!(f, Found::Definition(def, _) if self.world.is_library(def.file)))
    }

    fn evidence(&self, found: &[Found], ty: &Ty, file: FileId, receiver: ExpressionId) -> Evidence {
        let holder = match found.first() {
            Some(Found::Definition(def, _)) => {
                self.world.type_around(def.file, self.world.definition(*def).scope)
            }
            _ => None,
        };
        let is_own = matches!(ty, Ty::Named(of, _) | Ty::Own(of) if holder.is_none_or(|h| self.canonical(h) == *of));
        let is_interface =
            holder.is_some_and(|h| self.world.definition(h).kind == DefinitionKind::Interface);
        match (&self.world.file(file).expressions[receiver].kind, ty) {
            (_, Ty::Parameter(_) | Ty::AllOf(_)) => Evidence::SatisfiedInterface,
            _ if is_interface && !is_own => Evidence::SatisfiedInterface,
            _ if !is_own => Evidence::ThroughBase,
            (Expression::Own | Expression::Cast { .. }, _) => Evidence::DeclaredType,
            _ => Evidence::InferredType,
        }
    }

    /// A member that a known type does not have.
    fn missing_member(
        &self,
        file: FileId,
        id: UseId,
        ty: &Ty,
        place: (FileId, ScopeId),
        mode: Mode,
    ) -> Resolution {
        if let Some(name) = self.rules().member_sources().missing_member
            && let Lookup::Found(found) = self.member(ty, name, place, mode)
        {
            return self.resolve_found(
                file,
                id,
                &found,
                (ty.clone(), Evidence::InferredType),
                mode,
            );
        }
        let of_library = |ty: &Ty| match ty {
            Ty::Named(def, _) => self.world.is_library(def.file),
            Ty::Literal(_) | Ty::Stored(_) | Ty::Function(_) | Ty::Outside => true,
            Ty::Class(of) => matches!(&**of, Ty::Named(def, _) if self.world.is_library(def.file)),
            _ => false,
        };
        // A member that the library's table does not have: it is outside, and its result unknown.
        if ty.choices().iter().all(of_library) {
            Resolution::outside()
        } else {
            Resolution::unknown()
        }
    }

    /// Decides what of that which was found is used.
    fn resolve_found(
        &self,
        file: FileId,
        id: UseId,
        found: &[Found],
        (receiver, evidence): (Ty, Evidence),
        mode: Mode,
    ) -> Resolution {
        let of = &self.world.file(file).uses[id];
        if of.role == Role::Read {
            return self.resolve_read(file, id, found, (receiver, evidence), mode);
        }
        let callable = |f: &Found| matches!(f, Found::Definition(def, _) if self.world.definition(*def).kind.is_callable());
        if found.iter().any(callable) {
            if let [Found::Definition(def, _)] = found
                && let ty @ Ty::Named(..) = self.type_of_found(found, None, mode)
                && self
                    .world
                    .definition(*def)
                    .bases
                    .iter()
                    .any(|base| base.kind == BaseKind::Decorates)
            {
                return self.call_value(file, id, &ty, mode);
            }
            let called = if matches!(receiver, Ty::OneOf(_)) {
                self.each(found)
            } else {
                self.select(file, id, found, mode)
            };
            return self.links(called, receiver, evidence);
        }
        let ty = self.type_of_found(found, Some(&receiver), mode);
        // What is called is something.
        let ty = if matches!(ty, Ty::OneOf(_)) { Ty::one_of(ty.choices()) } else { ty };
        if let Ty::Class(of) = &ty {
            let through = self.holder(found);
            return Resolution { through, ..self.construct(file, id, of, mode) };
        }
        let called = self.call_value(file, id, &ty, mode);
        if !called.is_unknown() {
            let is_named = found.iter().all(|member| self.is_name_of_function(member, &ty));
            let is_dispatch = called.is_dispatch && !is_named;
            let through = if is_named { None } else { self.holder(found) };
            return Resolution { is_dispatch, through, ..called };
        }
        let through = self.holder(found);
        Resolution { through, ..self.dispatch(found, mode) }
    }

    /// Returns the field, property or variable that a name was found to be.
    fn holder(&self, found: &[Found]) -> Option<Def> {
        let holds = |member: &Found| match member {
            Found::Definition(def, _) => {
                let kind = self.world.definition(*def).kind;
                matches!(
                    kind,
                    DefinitionKind::Field | DefinitionKind::Property | DefinitionKind::Variable
                ) && !self.world.is_library(def.file)
            }
            _ => false,
        };
        // A variable that is defined in several places is one.
        found.iter().all(holds).then(|| found.first().and_then(definition_of)).flatten()
    }

    /// Returns whether a member is only another name of a function: an alias in the body of a type,
    /// or a variable that holds a lambda and is called by its own name.
    fn is_name_of_function(&self, member: &Found, ty: &Ty) -> bool {
        match member {
            Found::Binding(file, binding) => {
                let facts = self.world.file(*file);
                facts.scopes[facts.bindings[*binding].scope].kind == ScopeKind::Type
            }
            Found::Definition(def, _) => ty.stored() == [*def],
            _ => false,
        }
    }

    /// Members of each choice of a type: all of them.
    fn each(&self, found: &[Found]) -> Vec<Called> {
        let called = found.iter().filter_map(|member| match member {
            Found::Definition(def, substitution) => {
                Some(Called { def: *def, substitution: substitution.clone(), result: None })
            }
            _ => None,
        });
        called.collect()
    }

    fn resolve_read(
        &self,
        file: FileId,
        id: UseId,
        found: &[Found],
        (receiver, evidence): (Ty, Evidence),
        mode: Mode,
    ) -> Resolution {
        let ty = self.type_of_found(found, Some(&receiver), mode);
        if let Some(name) = self.rules().member_sources().get_member {
            let place = (file, self.world.file(file).uses[id].scope);
            if let Lookup::Found(getters) = self.member(&ty, name, place, mode) {
                let called = self.each(&getters);
                return self.links(called, ty, Evidence::InferredType);
            }
        }
        let mut called = self.each(found);
        for one in &mut called {
            one.result = Some(ty.clone());
        }
        if called.is_empty() {
            Resolution::unknown()
        } else {
            self.links(called, receiver, evidence)
        }
    }

    pub(super) fn links(
        &self,
        called: Vec<Called>,
        receiver: Ty,
        evidence: Evidence,
    ) -> Resolution {
        if called.is_empty() {
            return Resolution::unknown();
        }
        let is_outside = called.iter().all(|called| self.world.is_library(called.def.file));
        let body = |called: &Called| self.body_of(called.def);
        let is_one = called.windows(2).all(|pair| body(&pair[0]) == body(&pair[1]));
        let choice = if is_one { Choice::Only } else { Choice::Several };
        let through = None;
        Resolution { called, is_dispatch: false, through, is_outside, evidence, choice, receiver }
    }

    /// Resolves a construction of `ty`.
    fn construct(&self, file: FileId, id: UseId, ty: &Ty, mode: Mode) -> Resolution {
        let rules = self.rules().construct();
        let of = &self.world.file(file).uses[id];
        let (def, arguments) = match ty {
            Ty::Named(def, arguments) if arguments.is_empty() && !of.type_arguments.is_empty() => {
                let written = of.type_arguments.iter();
                (*def, written.map(|&ty| self.written(file, of.scope, ty)).collect())
            }
            Ty::Named(def, arguments) => (*def, arguments.clone()),
            Ty::Own(def) => (*def, self.own_parameters(*def)),
            Ty::OneOf(_) => {
                let all = ty
                    .choices()
                    .iter()
                    .flat_map(|ty| self.construct(file, id, ty, mode).called)
                    .collect::<Vec<_>>();
                let mut once: Vec<Called> = Vec::new();
                for called in all {
                    if !once.iter().any(|known| known.def == called.def) {
                        once.push(called);
                    }
                }
                if let [one] = &mut once[..] {
                    one.result = Some(ty.clone());
                }
                return self.links(once, Ty::Unknown, Evidence::InferredType);
            }
            Ty::Outside => return Resolution::outside(),
            _ => return Resolution::unknown(),
        };
        let mut candidates = Vec::new();
        for level in self.ancestors(def).iter() {
            for ancestor in level {
                candidates.extend(self.constructors(ancestor.def, &arguments, def));
            }
            if !candidates.is_empty() || !rules.inherited {
                break;
            }
        }
        // A type of the tree stands before a constructor of the library that it inherits.
        let is_library =
            |found: &Found| definition_of(found).is_none_or(|of| self.world.is_library(of.file));
        if !self.world.is_library(def.file) && candidates.iter().all(is_library) {
            candidates.clear();
        }
        let mut called = self.select(file, id, &candidates, mode);
        if called.is_empty() {
            let substitution = self.substitution(def, &arguments);
            called.push(Called { def, substitution, result: None });
        }
        for one in &mut called {
            let result = match ty {
                Ty::Own(_) => ty.clone(),
                _ => Ty::Named(def, self.own_parameters(def)),
            };
            one.result = Some(one.substitution.apply(&result));
        }
        self.links(called, ty.clone(), Evidence::DeclaredType)
    }

    fn constructors(&self, of: Def, arguments: &[Ty], constructed: Def) -> Vec<Found> {
        let mut found = Vec::new();
        let mut scopes = self.bodies(of);
        for extension in self.extensions.get(&of).into_iter().flatten() {
            scopes
                .extend(self.world.definition(*extension).body.map(|body| (extension.file, body)));
        }
        for (file, scope) in scopes {
            for &def in self.world.constructors(file, scope) {
                let mut substitution = self.substitution(constructed, arguments);
                substitution.own = None;
                found.push(Found::Definition(def, substitution));
            }
        }
        found
    }

    /// Resolves the call of a value.
    pub(super) fn call_value(&self, file: FileId, id: UseId, ty: &Ty, mode: Mode) -> Resolution {
        let ty = match ty {
            Ty::Named(def, _) if self.world.is_library(def.file) => {
                match self.yielded(ty, Protocol::Dereference, mode) {
                    Ty::Unknown => ty.clone(),
                    inner => inner,
                }
            }
            ty => ty.clone(),
        };
        let stored = ty.stored();
        if !stored.is_empty() {
            let called = stored.into_iter().map(|def| Called {
                def,
                substitution: Substitution::default(),
                result: None,
            });
            let links = self.links(called.collect(), Ty::Unknown, Evidence::InferredType);
            return Resolution { is_dispatch: true, ..links };
        }
        match &ty {
            Ty::Class(of) => self.construct(file, id, of, mode),
            Ty::Outside => Resolution::outside(),
            Ty::Named(..) | Ty::Own(_) => {
                let place = (file, self.world.file(file).uses[id].scope);
                for name in self.rules().construct().call_value {
                    if let Lookup::Found(found) = self.member(&ty, name, place, mode) {
                        let called = self.select(file, id, &found, mode);
                        return self.links(called, ty.clone(), Evidence::InferredType);
                    }
                }
                Resolution::unknown()
            }
            Ty::OneOf(_) => self.call_choices(file, id, &ty, mode),
            _ => Resolution::unknown(),
        }
    }

    /// Resolves the call of a value that is one of several.
    fn call_choices(&self, file: FileId, id: UseId, ty: &Ty, mode: Mode) -> Resolution {
        let mut called: Vec<Called> = Vec::new();
        for choice in ty.choices() {
            let one = self.call_value(file, id, &choice, mode);
            if one.is_unknown() {
                return Resolution::unknown();
            }
            for one in one.called {
                if !called.iter().any(|known| known.def == one.def) {
                    called.push(one);
                }
            }
        }
        self.links(called, Ty::Unknown, Evidence::InferredType)
    }

    /// Returns the type that a use constructs by a constructor that it inherits.
    pub fn inherits_constructor(&self, resolution: &Resolution) -> Option<Def> {
        let [called, ..] = &resolution.called[..] else { return None };
        let definition = self.world.definition(called.def);
        let is_constructor = definition.kind == DefinitionKind::Constructor
            || self.rules().construct().members.contains(&&*definition.name);
        let (Some(Ty::Named(of, _)), true) = (&called.result, is_constructor) else { return None };
        let holder = self.world.type_around(called.def.file, definition.scope)?;
        (self.canonical(holder) != *of).then_some(*of)
    }

    /// Returns the value that is the call `id`.
    pub(super) fn call_of(&self, file: FileId, id: UseId) -> Option<ExpressionId> {
        self.world.call_of(file, id)
    }
}
