//! What a use links to, and what a call returns.

use super::lookup::Site;
use super::members::{Found, Lookup};
use super::ty::{Def, FileId, Ty};
use super::{Choice, Evidence, Key, Mode, Resolver, Substitution};
use crate::ir::*;
use std::rc::Rc;

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
                if called.is_unknown() { self.dispatch_through(file, receiver, mode) } else { called }
            }
            (None, None) => Resolution::unknown(),
        }
    }

    fn resolve_bare(&self, file: FileId, id: UseId, name: &str, mode: Mode) -> Resolution {
        let of = &self.world.file(file).uses[id];
        let value = self.call_of(file, id);
        let binding = value.and_then(|value| self.world.binding_of(file, value));
        let site = Site { file, scope: of.scope, range: of.range, binding, is_call: of.role == Role::Call };
        let lookup = self.bare(site, name, mode);
        let mut found = match lookup {
            Lookup::Found(found) => found,
            _ => Vec::new(),
        };
        let is_functions = found.iter().all(|f| matches!(f, Found::Definition(def, _)
            if self.world.definition(*def).kind.is_callable()));
        if self.rules().visible().argument_namespaces && is_functions {
            let open = self.argument_functions(file, id, name, &mut found, mode);
            if open {
                return Resolution::unknown();
            }
        }
        let is_constructor = self.rules().construct().call == Some(name);
        if found.is_empty() && is_constructor && let Some(own) = self.own_type(file, of.scope) {
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
        self.resolve_found(file, id, &found, Ty::Unknown, evidence, mode)
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
            self.bases(**extension).iter().any(|base| matches!(&base.ty, Ty::Named(of, _) if *of == mixin))
        };
        let mut users: Vec<Def> = Vec::new();
        for (&of, extensions) in &self.class_extensions {
            if extensions.iter().any(|extension| uses_it(&extension)) {
                users.push(of);
            }
        }
        users.sort();
        users
    }

    /// A bare name that no scope has: of the users of a mixin, or of the library's root type.
    fn missing_bare(&self, file: FileId, id: UseId, name: &str, mode: Mode) -> Resolution {
        let of = &self.world.file(file).uses[id];
        if let Some(own) = self.own_type(file, of.scope).filter(|_| self.rules().visible().members) {
            let place = (file, of.scope);
            let receiver = self.receiver_of(self.site(file, of.scope, of.range, None), own);
            if let Lookup::Found(found) = self.member(&receiver, name, place, mode) {
                return self.resolve_found(file, id, &found, receiver, Evidence::ThroughBase, mode);
            }
        }
        match self.type_name(file, of.scope, name) {
            ty @ Ty::Named(..) if of.role == Role::Call => self.construct(file, id, &ty, mode),
            _ => Resolution::unknown(),
        }
    }

    /// Adds the functions of the namespaces of the arguments' types. Returns whether one of these
    /// types is not known, so that there may be more.
    fn argument_functions(&self, file: FileId, id: UseId, name: &str, found: &mut Vec<Found>, mode: Mode) -> bool {
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

    fn resolve_member(&self, file: FileId, id: UseId, receiver: ExpressionId, name: &str, mode: Mode) -> Resolution {
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
        let is_constructor = construction.call == Some(name) || construction.members.contains(&name);
        match (lookup, &ty) {
            (Lookup::Found(found), _) if !self.is_root(&found, is_constructor) => {
                let evidence = self.evidence(&found, &ty, file, receiver);
                self.resolve_found(file, id, &found, ty, evidence, mode)
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
            && found.iter().all(|f| matches!(f, Found::Definition(def, _) if self.world.is_library(def.file)))
    }

    fn evidence(&self, found: &[Found], ty: &Ty, file: FileId, receiver: ExpressionId) -> Evidence {
        let holder = match found.first() {
            Some(Found::Definition(def, _)) => self.world.type_around(def.file, self.world.definition(*def).scope),
            _ => None,
        };
        let is_own = matches!(ty, Ty::Named(of, _) | Ty::Own(of) if holder.is_none_or(|h| self.canonical(h) == *of));
        let is_interface = holder.is_some_and(|h| self.world.definition(h).kind == DefinitionKind::Interface);
        match (&self.world.file(file).expressions[receiver].kind, ty) {
            (_, Ty::Parameter(_) | Ty::AllOf(_)) => Evidence::SatisfiedInterface,
            _ if is_interface && !is_own => Evidence::SatisfiedInterface,
            _ if !is_own => Evidence::ThroughBase,
            (Expression::Own | Expression::Cast { .. }, _) => Evidence::DeclaredType,
            _ => Evidence::InferredType,
        }
    }

    /// A member that a known type does not have.
    fn missing_member(&self, file: FileId, id: UseId, ty: &Ty, place: (FileId, ScopeId), mode: Mode) -> Resolution {
        if let Some(name) = self.rules().member_sources().missing_member
            && let Lookup::Found(found) = self.member(ty, name, place, mode)
        {
            return self.resolve_found(file, id, &found, ty.clone(), Evidence::InferredType, mode);
        }
        let of_library = |ty: &Ty| match ty {
            Ty::Named(def, _) => self.world.is_library(def.file),
            Ty::Literal(_) | Ty::Stored(_) | Ty::Function(_) | Ty::Outside => true,
            Ty::Class(of) => matches!(&**of, Ty::Named(def, _) if self.world.is_library(def.file)),
            _ => false,
        };
        // A member that the library's table does not have: it is outside, and its result unknown.
        if ty.choices().iter().all(of_library) { Resolution::outside() } else { Resolution::unknown() }
    }

    /// Decides what of that which was found is used.
    fn resolve_found(
        &self,
        file: FileId,
        id: UseId,
        found: &[Found],
        receiver: Ty,
        evidence: Evidence,
        mode: Mode,
    ) -> Resolution {
        let of = &self.world.file(file).uses[id];
        if of.role == Role::Read {
            return self.resolve_read(file, id, found, receiver, evidence, mode);
        }
        let callable = |f: &Found| matches!(f, Found::Definition(def, _) if self.world.definition(*def).kind.is_callable());
        if found.iter().any(callable) {
            if let [Found::Definition(def, _)] = found
                && let ty @ Ty::Named(..) = self.type_of_found(found, None, mode)
                && self.world.definition(*def).bases.iter().any(|base| base.kind == BaseKind::Decorates)
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
        if let Ty::Class(of) = &ty {
            return self.construct(file, id, of, mode);
        }
        let called = self.call_value(file, id, &ty, mode);
        if !called.is_unknown() {
            let is_named = found.iter().all(|member| self.is_name_of_function(member, &ty));
            return Resolution { is_dispatch: called.is_dispatch && !is_named, ..called };
        }
        self.dispatch(found, mode)
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
        receiver: Ty,
        evidence: Evidence,
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
        if called.is_empty() { Resolution::unknown() } else { self.links(called, receiver, evidence) }
    }

    pub(super) fn links(&self, called: Vec<Called>, receiver: Ty, evidence: Evidence) -> Resolution {
        if called.is_empty() {
            return Resolution::unknown();
        }
        let is_outside = called.iter().all(|called| self.world.is_library(called.def.file));
        let choice = if called.len() == 1 { Choice::Only } else { Choice::Several };
        Resolution { called, is_dispatch: false, is_outside, evidence, choice, receiver }
    }

    /// Resolves a construction of `ty`.
    fn construct(&self, file: FileId, id: UseId, ty: &Ty, mode: Mode) -> Resolution {
        let rules = self.rules().construct();
        let (def, arguments) = match ty {
            Ty::Named(def, arguments) => (*def, arguments.clone()),
            Ty::Own(def) => (*def, self.own_parameters(*def)),
            Ty::OneOf(_) => {
                let all = ty.choices().iter().flat_map(|ty| self.construct(file, id, ty, mode).called).collect::<Vec<_>>();
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
        let names = self.rules().construct().members;
        let mut found = Vec::new();
        let mut scopes = self.bodies(of);
        for extension in self.extensions.get(&of).into_iter().flatten() {
            scopes.extend(self.world.definition(*extension).body.map(|body| (extension.file, body)));
        }
        for (file, scope) in scopes {
            for (id, definition) in self.world.file(file).definitions.iter() {
                let is_one = definition.kind == DefinitionKind::Constructor
                    || names.contains(&&*definition.name);
                if definition.scope == scope && is_one {
                    let mut substitution = self.substitution(constructed, arguments);
                    substitution.own = None;
                    found.push(Found::Definition(Def { file, id }, substitution));
                }
            }
        }
        found
    }

    /// Resolves the call of a value.
    pub(super) fn call_value(&self, file: FileId, id: UseId, ty: &Ty, mode: Mode) -> Resolution {
        let ty = match ty {
            Ty::Named(def, _) if self.world.is_library(def.file) => match self.yielded(ty, Protocol::Dereference, mode) {
                Ty::Unknown => ty.clone(),
                inner => inner,
            },
            ty => ty.clone(),
        };
        let stored = ty.stored();
        if !stored.is_empty() {
            let called = stored.into_iter().map(|def| Called { def, substitution: Substitution::default(), result: None });
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
            _ => Resolution::unknown(),
        }
    }

    /// Returns the value that is the call `id`.
    fn call_of(&self, file: FileId, id: UseId) -> Option<ExpressionId> {
        let expressions = &self.world.file(file).expressions;
        expressions.iter().find(|(_, node)| node.kind == Expression::Call(id)).map(|(id, _)| id)
    }

    /// Returns the type of what a use returns.
    pub(super) fn type_of_call(&self, file: FileId, id: UseId, mode: Mode) -> Ty {
        let resolution = self.definition(file, id, mode);
        let of = &self.world.file(file).uses[id];
        if let (Role::Construct, Some(ty), true) = (of.role, of.r#type, resolution.called.is_empty()) {
            return self.written(file, of.scope, ty);
        }
        if resolution.called.is_empty() {
            return match resolution.is_outside && resolution.receiver == Ty::Outside {
                true => Ty::Outside,
                false => self.type_of_unlinked(file, id, mode),
            };
        }
        let results = resolution.called.iter().map(|called| {
            let substitution = self.with_lambda_results(file, id, called, mode);
            self.result_of(&Called { substitution, ..called.clone() }, mode)
        });
        Ty::one_of(results.collect())
    }

    /// Returns the result of calling a value whose function is not known, from its type.
    fn type_of_unlinked(&self, file: FileId, id: UseId, mode: Mode) -> Ty {
        let of = &self.world.file(file).uses[id];
        let ty = match (of.receiver, &of.name) {
            (Some(receiver), None) => self.type_of(file, receiver, mode),
            (None, Some(name)) => {
                let site = self.site(file, of.scope, of.range, self.call_of(file, id));
                match self.bare(Site { is_call: true, ..site }, name, mode) {
                    Lookup::Found(found) => self.type_of_found(&found, None, mode),
                    _ => Ty::Unknown,
                }
            }
            (Some(receiver), Some(name)) => {
                let receiver = self.type_of(file, receiver, mode);
                match self.member(&receiver, name, (file, of.scope), mode) {
                    Lookup::Found(found) => self.type_of_found(&found, Some(&receiver), mode),
                    _ => Ty::Unknown,
                }
            }
            (None, None) => Ty::Unknown,
        };
        self.function_of(&ty).map_or(Ty::Unknown, |(_, _, result)| result)
    }

    /// Returns the result of a call of a definition.
    pub(super) fn result_of(&self, called: &Called, mode: Mode) -> Ty {
        if let Some(result) = &called.result {
            return self.normalize(&called.substitution.apply(result));
        }
        let ty = self.ask_type(Key::Result(called.def, mode), || self.declared_result(called.def, mode));
        self.normalize(&called.substitution.apply(&ty))
    }

    fn declared_result(&self, def: Def, mode: Mode) -> Ty {
        let definition = self.world.definition(def);
        let scope = definition.body.unwrap_or(definition.scope);
        match definition.kind {
            DefinitionKind::Property | DefinitionKind::Field | DefinitionKind::Variable => {
                let held = self.held(def, mode);
                return self.function_of(&held).map_or(held, |(_, _, result)| result);
            }
            kind if kind.is_type() => return Ty::Named(def, self.own_parameters(def)),
            _ => {}
        }
        match definition.signature.result {
            Some(result) => self.written(def.file, scope, result),
            None if definition.signature.is_declaration => Ty::Unknown,
            None => definition.body.map_or(Ty::Unknown, |body| self.results(def.file, body, mode)),
        }
    }

    /// Binds a function's type parameters by the arguments of a call that are no lambdas.
    pub(super) fn infer(&self, file: FileId, id: UseId, called: &Called, mode: Mode) -> Substitution {
        let facts = self.world.file(file);
        let of = &facts.uses[id];
        let definition = self.world.definition(called.def);
        let mut substitution = called.substitution.clone();
        let written = of.type_arguments.iter().zip(&definition.signature.generics);
        for (argument, &generic) in written {
            let ty = self.written(file, of.scope, *argument);
            substitution.bind(Def { file: called.def.file, id: generic }, ty);
        }
        let parameters = definition.signature.parameters.as_deref().unwrap_or(&[]);
        let Some(positions) = self.positions(file, id, parameters) else { return substitution };
        let generic_of = self.holder_of_generics(called.def);
        for (argument, position) in of.arguments.iter().zip(positions) {
            let node = &facts.expressions[argument.value].kind;
            let Some(pattern) = self.parameter_type(called.def, position) else { continue };
            if let Expression::Lambda { scope, parameters, .. } = node {
                // Written parameter types of a lambda bind, too.
                if let Some((_, expected, _)) = self.function_of(&pattern) {
                    for ((_, ty), pattern) in parameters.iter().zip(&expected) {
                        if let Some(ty) = ty {
                            let ty = self.written(file, *scope, *ty);
                            self.bind_in(&ty, pattern, &generic_of, &mut substitution);
                        }
                    }
                }
                continue;
            }
            let ty = self.widened(self.type_of(file, argument.value, mode));
            self.bind_argument(&ty, &pattern, &generic_of, &mut substitution, mode);
        }
        substitution
    }

    /// Binds by an argument; of a function, by its signature.
    fn bind_argument(&self, ty: &Ty, pattern: &Ty, of: &[Def], substitution: &mut Substitution, mode: Mode) {
        if let (Ty::Stored(stored), Some((_, expected, result))) = (ty, self.function_of(pattern)) {
            let [def] = stored[..] else { return };
            let Some((_, mut parameters, _)) = self.signature_type(def) else { return };
            if parameters.len() < expected.len() && let Some(own) = self.home_type(def) {
                parameters.insert(0, own);
            }
            for (ty, pattern) in parameters.iter().zip(&expected) {
                self.bind_in(ty, pattern, of, substitution);
            }
            let called = Called { def, substitution: Substitution::default(), result: None };
            let result_type = self.result_of(&called, mode);
            self.bind_in(&result_type, &result, of, substitution);
            return;
        }
        self.bind_in(ty, pattern, of, substitution);
    }

    fn home_type(&self, def: Def) -> Option<Ty> {
        let definition = self.world.definition(def);
        let own = self.own_type(def.file, definition.body.unwrap_or(definition.scope))?;
        Some(Ty::Named(own, self.own_parameters(own)))
    }

    /// Returns whose type parameters a call of `def` binds: its own, and of the type that it constructs.
    fn holder_of_generics(&self, def: Def) -> Vec<Def> {
        let around = self.world.type_around(def.file, self.world.definition(def).scope);
        std::iter::once(def).chain(around).collect()
    }

    fn bind_in(&self, ty: &Ty, pattern: &Ty, of: &[Def], substitution: &mut Substitution) {
        for &def in of {
            self.bind(ty, pattern, def, substitution);
        }
    }

    fn widened(&self, ty: Ty) -> Ty {
        match &ty {
            Ty::Literal(literal) => {
                let library = self.library_type(self.rules().literal(literal));
                library.map_or(ty, |def| Ty::Named(def, [].into()))
            }
            _ => ty,
        }
    }

    /// Binds type parameters by the results of the lambdas that are passed.
    fn with_lambda_results(&self, file: FileId, id: UseId, called: &Called, mode: Mode) -> Substitution {
        let facts = self.world.file(file);
        let mut substitution = called.substitution.clone();
        let definition = self.world.definition(called.def);
        let parameters = definition.signature.parameters.as_deref().unwrap_or(&[]);
        let Some(positions) = self.positions(file, id, parameters) else { return substitution };
        let of = self.holder_of_generics(called.def);
        for (argument, position) in facts.uses[id].arguments.iter().zip(positions) {
            let Expression::Lambda { scope, result, .. } = &facts.expressions[argument.value].kind else { continue };
            let Some(pattern) = self.parameter_type(called.def, position) else { continue };
            let Some((_, _, expected)) = self.function_of(&pattern) else { continue };
            let ty = match result {
                Some(result) => self.written(file, *scope, *result),
                None => self.widened(self.results(file, *scope, mode)),
            };
            if ty != Ty::Unknown {
                self.bind_in(&ty, &expected, &of, &mut substitution);
            }
        }
        substitution
    }

    /// Returns what a call passes to a lambda that is one of its arguments: a parameter, or the
    /// implicit receiver. A call that passes no receiver gives the empty tuple.
    pub(super) fn type_of_passed(&self, file: FileId, id: UseId, argument: usize, position: Option<u8>, mode: Mode) -> Ty {
        let resolution = self.definition(file, id, mode);
        let mut types = Vec::new();
        for called in &resolution.called {
            let definition = self.world.definition(called.def);
            let parameters = definition.signature.parameters.as_deref().unwrap_or(&[]);
            let positions = self.positions(file, id, parameters);
            let Some(at) = positions.and_then(|positions| positions.get(argument).copied()) else { continue };
            let Some(ty) = self.parameter_type(called.def, at) else { continue };
            let Some((receiver, expected, _)) = self.function_of(&ty) else { continue };
            let ty = match position {
                None => receiver.unwrap_or(Ty::Tuple([].into())),
                Some(position) => expected.get(position as usize).cloned().unwrap_or(Ty::Unknown),
            };
            types.push(self.normalize(&called.substitution.apply(&ty)));
        }
        match (types.is_empty(), position) {
            (true, None) => Ty::Tuple([].into()),
            (true, Some(_)) => Ty::Unknown,
            _ => Ty::one_of(types),
        }
    }

    /// Returns the types of what callers pass to a parameter, from definitions only.
    pub(super) fn passed(&self, def: Def, position: usize) -> Ty {
        self.ask_type(Key::Passed(def, position), || {
            let definition = self.world.definition(def);
            let holder = self.world.type_around(def.file, definition.scope);
            let mut names: Vec<Name> = vec![definition.name.clone()];
            names.extend(holder.map(|holder| self.world.definition(holder).name.clone()));
            names.extend(self.rules().construct().call.map(Name::from));
            let mut types = Vec::new();
            for name in names {
                for &(file, id) in self.world.uses(&name) {
                    let resolution = self.definition(file, id, Mode::Plain);
                    if resolution.called.iter().any(|called| self.is_same_function(called.def, def)) {
                        types.extend(self.argument_type(file, id, def, position));
                    }
                }
            }
            types.extend(self.decorated_by(def, position));
            Ty::one_of(types)
        })
    }

    fn is_same_function(&self, called: Def, def: Def) -> bool {
        called == def || self.body_of(called) == def
    }

    fn argument_type(&self, file: FileId, id: UseId, def: Def, position: usize) -> Option<Ty> {
        let parameters = self.world.definition(def).signature.parameters.as_deref().unwrap_or(&[]);
        let positions = self.positions(file, id, parameters)?;
        let argument = positions.iter().position(|&at| at == position)?;
        let value = self.world.file(file).uses[id].arguments[argument].value;
        let ty = self.widened(self.type_of(file, value, Mode::Plain));
        // What `Self` is for the caller is another type for the function.
        Some(ty.map(&|part| match part {
            Ty::Own(own) => Some(Ty::Named(*own, self.own_parameters(*own))),
            _ => None,
        }))
    }

    /// Returns the functions that `def`, or the type that it constructs, decorates.
    fn decorated_by(&self, def: Def, position: usize) -> Option<Ty> {
        let holder = self.world.type_around(def.file, self.world.definition(def).scope);
        let mut stored = Vec::new();
        for (at, facts) in self.world.files.iter().enumerate().filter(|_| position == 0) {
            let file = FileId(u32::try_from(at).unwrap_or(0));
            for (id, definition) in facts.definitions.iter() {
                for base in definition.bases.iter().filter(|base| base.kind == BaseKind::Decorates) {
                    let Target::Value(value) = base.target else { continue };
                    let is_it = match self.type_of(file, value, Mode::Plain) {
                        Ty::Stored(decorators) => decorators.contains(&def),
                        Ty::Class(of) => matches!(&*of, Ty::Named(of, _) if Some(*of) == holder),
                        _ => false,
                    };
                    if is_it {
                        stored.push(Def { file, id });
                    }
                }
            }
        }
        (!stored.is_empty()).then(|| Ty::Stored(Rc::from(stored)))
    }
}
