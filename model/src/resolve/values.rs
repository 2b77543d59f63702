//! Types of values.

use super::lookup::Site;
use super::members::{Found, Lookup};
use super::ty::{Def, FileId, Ty};
use super::{Called, Key, Mode, Resolver, Substitution};
use crate::ir::*;
use crate::rules::TUPLE;
use std::rc::Rc;

/// A function type: receiver, parameters, result.
pub(super) type FunctionParts = (Option<Ty>, Vec<Ty>, Ty);

impl Resolver<'_> {
    /// Returns the type of a value.
    pub(super) fn type_of(&self, file: FileId, id: ExpressionId, mode: Mode) -> Ty {
        self.ask_type(Key::Type(file, id, mode), || self.compute_type(file, id, mode))
    }

    /// Returns where names in a value are looked up.
    pub(super) fn site(
        &self,
        file: FileId,
        scope: ScopeId,
        range: Range,
        id: Option<ExpressionId>,
    ) -> Site {
        let binding = id.and_then(|id| self.world.binding_of(file, id));
        Site { file, scope, range, binding, is_call: false }
    }

    fn compute_type(&self, file: FileId, id: ExpressionId, mode: Mode) -> Ty {
        let facts = self.world.file(file);
        let node = &facts.expressions[id];
        let place = (file, node.scope);
        match &node.kind {
            Expression::Name { name, is_type } => {
                let site = self.site(file, node.scope, node.range, Some(id));
                self.type_of_name(site, name, *is_type, mode)
            }
            Expression::Own => match self.own_type(file, node.scope) {
                Some(own) => self.receiver_of(self.site(file, node.scope, node.range, None), own),
                None => Ty::Unknown,
            },
            Expression::Base | Expression::Opaque(_) | Expression::Unknown => Ty::Unknown,
            Expression::Member { of, name } => {
                let name = name.split('(').next().unwrap_or(name);
                if facts.expressions[*of].kind == Expression::Base {
                    return self.type_of_lookup(self.base_member(name, place), None, mode);
                }
                let receiver = self.type_of(file, *of, mode);
                if receiver == Ty::Outside {
                    return Ty::Outside;
                }
                let found = self.member(&receiver, name, place, mode);
                let found = self.by_labels(file, id, self.values_first(found));
                match self.type_of_lookup(found, Some(&receiver), mode) {
                    Ty::Unknown => self.element_at(&receiver, name, mode),
                    ty => ty,
                }
            }
            Expression::Call(of) => self.type_of_call(file, *of, mode),
            Expression::Yield { of, protocol } => {
                let ty = self.type_of(file, *of, mode);
                self.yielded(&ty, *protocol, mode)
            }
            Expression::Cast { of, r#type } => match self.written(file, node.scope, *r#type) {
                Ty::Unknown => Ty::Unknown,
                cast => self.cast(self.type_of(file, *of, mode), cast),
            },
            Expression::OneOf(values) => {
                let types = values.iter().map(|&value| self.type_of(file, value, mode)).collect();
                Self::join(types, mode)
            }
            Expression::Lambda { scope, parameters, result } => {
                let types = parameters.iter().map(|(_, ty)| match ty {
                    Some(ty) => self.written(file, *scope, *ty),
                    None => Ty::Unknown,
                });
                let result = match result {
                    Some(result) => self.written(file, *scope, *result),
                    None => self.results(file, *scope, mode),
                };
                Ty::Function(Rc::new((None, types.collect(), result)))
            }
            Expression::Record { r#type: None, fields } => {
                match self.expected_record(file, id, mode) {
                    ty @ (Ty::Named(..) | Ty::Own(_)) => ty,
                    _ => self.type_of_record(place, None, fields, mode),
                }
            }
            Expression::Record { r#type, fields } => {
                self.type_of_record(place, *r#type, fields, mode)
            }
            Expression::Parameter { of, argument, position } => {
                self.type_of_passed(file, *of, *argument as usize, *position, mode)
            }
            Expression::Literal(literal) => Ty::Literal(literal.clone()),
            Expression::Narrowed { of, by } => {
                let ty = self.type_of(file, *of, mode);
                self.narrowed(place, &ty, by, mode)
            }
        }
    }

    /// Returns what a position gives of a value that is no tuple: what it is indexed to, or
    /// else what it iterates.
    fn element_at(&self, of: &Ty, name: &str, mode: Mode) -> Ty {
        if !name.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ty::Unknown;
        }
        match self.yielded(of, Protocol::Index, mode) {
            Ty::Unknown => self.yielded(of, Protocol::Iterate, mode),
            ty => ty,
        }
    }

    /// Returns the type of a value that is known to be of `cast`, with the arguments that are known.
    fn cast(&self, from: Ty, cast: Ty) -> Ty {
        let Ty::Named(def, arguments) = &cast else { return cast };
        let generics = self.world.definition(*def).signature.generics.len();
        if arguments.len() == generics {
            return cast;
        }
        // Among the choices, or one whose base the value is, with the same arguments.
        match &from {
            Ty::Named(of, known) if *of == *def || self.extends(*def, *of) => {
                Ty::Named(*def, known.clone())
            }
            _ => from
                .choices()
                .into_iter()
                .find(|ty| matches!(ty, Ty::Named(of, _) if of == def))
                .unwrap_or(cast),
        }
    }

    /// Where a value and functions have one name, reading it means the value.
    fn values_first(&self, found: Lookup) -> Lookup {
        let Lookup::Found(all) = found else { return found };
        let is_function = |member: &Found| {
            matches!(member, Found::Definition(def, _)
            if self.world.definition(*def).kind.is_callable())
        };
        if all.iter().all(is_function) {
            return Lookup::Found(all);
        }
        Lookup::Found(all.into_iter().filter(|member| !is_function(member)).collect())
    }

    /// `f(by:)` names the overload with these labels.
    fn by_labels(&self, file: FileId, id: ExpressionId, found: Lookup) -> Lookup {
        let Expression::Member { name, .. } = &self.world.file(file).expressions[id].kind else {
            return found;
        };
        let Some((_, labels)) = name.split_once('(') else { return found };
        let Lookup::Found(all) = found else { return found };
        let has_labels = |member: &Found| {
            let Found::Definition(def, _) = member else { return false };
            let parameters =
                self.world.definition(*def).signature.parameters.as_deref().unwrap_or(&[]);
            let text: String = parameters
                .iter()
                .map(|parameter| {
                    format!("{}:", parameter.label.as_ref().unwrap_or(&parameter.name))
                })
                .collect();
            text == labels.trim_end_matches(')')
        };
        Lookup::Found(all.into_iter().filter(has_labels).collect())
    }

    fn type_of_name(&self, site: Site, name: &Name, is_type: bool, mode: Mode) -> Ty {
        if is_type {
            match self.type_name(site.file, site.scope, name) {
                Ty::Unknown => {}
                module @ Ty::Module(_) => return module,
                ty => return Ty::Class(Rc::new(self.expand_alias(ty))),
            }
        }
        match self.bare(site, name, mode) {
            Lookup::Found(found) => self.type_of_found(&found, None, mode),
            Lookup::Missing | Lookup::Open => match self.type_name(site.file, site.scope, name) {
                Ty::Unknown => Ty::Unknown,
                module @ Ty::Module(_) => module,
                ty => Ty::Class(Rc::new(self.expand_alias(ty))),
            },
        }
    }

    fn expand_alias(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Named(def, arguments) => self.instantiate(def, arguments.to_vec()),
            ty => ty,
        }
    }

    fn type_of_lookup(&self, lookup: Lookup, receiver: Option<&Ty>, mode: Mode) -> Ty {
        match lookup {
            Lookup::Found(found) => self.type_of_found(&found, receiver, mode),
            Lookup::Missing | Lookup::Open => Ty::Unknown,
        }
    }

    /// Returns the type of what a name was found to be.
    pub(super) fn type_of_found(&self, found: &[Found], receiver: Option<&Ty>, mode: Mode) -> Ty {
        let types = found.iter().map(|member| match member {
            Found::Definition(def, substitution) => {
                self.value_of(*def, substitution, receiver, mode)
            }
            Found::Assigned(owner, name, substitution) => {
                substitution.apply(&self.assigned_type(*owner, name, mode))
            }
            Found::Binding(file, binding) => self.type_of_binding(*file, *binding, mode),
            Found::Parameter(def, position) => self.type_of_parameter(*def, *position, mode),
            Found::Value(ty) => ty.clone(),
        });
        Self::join(types.collect(), mode)
    }

    /// Returns the type of a definition that is used as a value.
    fn value_of(
        &self,
        def: Def,
        substitution: &Substitution,
        receiver: Option<&Ty>,
        mode: Mode,
    ) -> Ty {
        let definition = self.world.definition(def);
        match definition.kind {
            DefinitionKind::Function | DefinitionKind::Constructor => self.decorated(def, mode),
            DefinitionKind::Namespace => self.as_type(def).unwrap_or(Ty::Unknown),
            DefinitionKind::TypeParameter => Ty::Class(Rc::new(Ty::Parameter(def))),
            DefinitionKind::Macro | DefinitionKind::Extension => Ty::Unknown,
            kind if kind.is_type() => {
                Ty::Class(Rc::new(self.expand_alias(Ty::Named(self.canonical(def), [].into()))))
            }
            _ if self.holds_lambda(def) => Ty::Stored([def].into()),
            _ => {
                let mut substitution = substitution.clone();
                if let (None, Some(receiver)) = (&substitution.own, receiver) {
                    substitution.own = Some(receiver.clone());
                }
                self.normalize(&substitution.apply(&self.held(def, mode)))
            }
        }
    }

    /// Returns whether a variable or field is defined as a lambda: calling it runs that.
    fn holds_lambda(&self, def: Def) -> bool {
        let facts = self.world.file(def.file);
        let results =
            self.world.definition(def).body.map_or(&[][..], |body| &facts.scopes[body].results);
        let is_lambda =
            |id: &ExpressionId| matches!(facts.expressions[*id].kind, Expression::Lambda { .. });
        results.len() == 1
            && results.iter().all(is_lambda)
            && self.world.definition(def).kind == DefinitionKind::Variable
    }

    /// Returns what takes the place of a function that is decorated.
    fn decorated(&self, def: Def, mode: Mode) -> Ty {
        let definition = self.world.definition(def);
        let stored = Ty::Stored([def].into());
        let decorators = definition.bases.iter().filter(|base| base.kind == BaseKind::Decorates);
        for decorator in decorators {
            let Target::Value(value) = decorator.target else { continue };
            if let Ty::Class(of) = self.type_of(def.file, value, mode) {
                return (*of).clone();
            }
        }
        // A decorator that is a function keeps the function's signature: what else it may return
        // cannot be told from its type.
        stored
    }

    /// Returns what a field, property or variable holds.
    pub(super) fn held(&self, def: Def, mode: Mode) -> Ty {
        self.ask_type(Key::Held(def, mode), || {
            let definition = self.world.definition(def);
            let scope = definition.body.unwrap_or(definition.scope);
            let written = definition.signature.result.map(|of| self.written(def.file, scope, of));
            let initial =
                || definition.body.map_or(Ty::Unknown, |body| self.results(def.file, body, mode));
            match written {
                Some(Ty::Unknown) | None => {}
                Some(ty) if self.is_called_itself(&ty) => {
                    // What is stored there is more than its type.
                    let value = initial();
                    return if holds_functions(&value) { value } else { ty };
                }
                Some(ty) => return ty,
            }
            match initial() {
                Ty::Unknown => match self.world.type_around(def.file, definition.scope) {
                    Some(owner) => {
                        let owner = self.canonical(owner);
                        match self.assigned_type(owner, &definition.name, mode) {
                            Ty::Unknown => self.inherited_type_of(owner, &definition.name),
                            ty => ty,
                        }
                    }
                    None => Ty::Unknown,
                },
                Ty::Literal(literal) => {
                    let widened = self.library_type(self.rules().literal(&literal));
                    widened.map_or(Ty::Literal(literal), |def| Ty::Named(def, [].into()))
                }
                ty => ty,
            }
        })
    }

    /// Returns what a base of `owner` states of the member `name`.
    fn inherited_type_of(&self, owner: Def, name: &str) -> Ty {
        for ancestor in self.ancestors(owner).iter().flatten().skip(1) {
            for (file, scope) in self.bodies(ancestor.def) {
                for &base in self.world.declared(file, scope, name) {
                    let definition = self.world.definition(base);
                    if let Some(of) = definition.signature.result
                        && !definition.kind.is_callable()
                    {
                        let scope = definition.body.unwrap_or(definition.scope);
                        let by = self.substitution(ancestor.def, &ancestor.arguments);
                        return by.apply(&self.written(file, scope, of));
                    }
                }
            }
        }
        Ty::Unknown
    }

    /// Returns the type of what methods of `owner` assign to its member `name`.
    fn assigned_type(&self, owner: Def, name: &str, mode: Mode) -> Ty {
        let mut types = Vec::new();
        for &(file, id) in self.assigned_in(owner, name) {
            types.push(self.type_of_binding(file, id, mode));
        }
        Self::join(types, mode)
    }

    pub(super) fn type_of_binding(&self, file: FileId, id: BindingId, mode: Mode) -> Ty {
        let binding = &self.world.file(file).bindings[id];
        let value = || binding.value.map_or(Ty::Unknown, |value| self.type_of(file, value, mode));
        match binding.r#type.map(|of| self.written(file, binding.scope, of)) {
            Some(Ty::Unknown) | None if binding.value.is_none() => {
                self.expected_parameter(file, binding, mode)
            }
            Some(Ty::Unknown) | None => value(),
            Some(ty) if self.is_called_itself(&ty) => {
                let value = value();
                if value.stored().is_empty() { ty } else { value }
            }
            Some(ty) => ty,
        }
    }

    /// Returns what a lambda gets that is not passed to a call: its parameters are those of the
    /// type that is written for what it is stored in, or returned as.
    fn expected_parameter(&self, file: FileId, binding: &Binding, mode: Mode) -> Ty {
        let facts = self.world.file(file);
        let Some((id, bound)) = self.world.lambda_of(file, binding.scope) else {
            return Ty::Unknown;
        };
        let node = &facts.expressions[id];
        let Expression::Lambda { parameters, .. } = &node.kind else { return Ty::Unknown };
        let Some(position) = parameters.iter().position(|(name, _)| *name == binding.name) else {
            return Ty::Unknown;
        };
        let stored = bound.map(|bound| &facts.bindings[bound]);
        let expected = match stored {
            Some(Binding { r#type: Some(of), scope, .. }) => self.written(file, *scope, *of),
            Some(Binding { of: Some(of), name, scope, .. }) => {
                let holder = self.type_of(file, *of, mode);
                self.type_of_lookup(
                    self.member(&holder, name, (file, *scope), mode),
                    Some(&holder),
                    mode,
                )
            }
            _ => match self.world.function_around(file, node.scope) {
                Some(def) => match self.world.definition(def).signature.result {
                    Some(of) => self.written(file, node.scope, of),
                    None => Ty::Unknown,
                },
                None => Ty::Unknown,
            },
        };
        let function = self.function_of(&expected);
        function.and_then(|(_, types, _)| types.get(position).cloned()).unwrap_or(Ty::Unknown)
    }

    fn type_of_parameter(&self, def: Def, position: usize, mode: Mode) -> Ty {
        let is_variadic = self
            .world
            .definition(def)
            .signature
            .parameters
            .as_ref()
            .is_some_and(|p| p[position].is_variadic);
        let written = self.parameter_type(def, position);
        match written {
            Some(Ty::Unknown) | None if is_variadic => Ty::Unknown,
            Some(ty) if ty != Ty::Unknown => {
                if mode == Mode::Uses && self.is_called_itself(&ty) {
                    let passed = self.passed(def, position);
                    return if passed.stored().is_empty() { ty } else { passed };
                }
                ty
            }
            _ => match self.inherited_parameter(def, position) {
                Some(ty) => ty,
                None if mode == Mode::Uses => self.passed(def, position),
                None => Ty::Unknown,
            },
        }
    }

    /// Returns what a record without a type is where it is a field of another one: the field's type,
    /// or that of the elements.
    fn expected_record(&self, file: FileId, id: ExpressionId, mode: Mode) -> Ty {
        let Some((outer, name)) = self.world.outer_record(file, id) else { return Ty::Unknown };
        let holder = self.type_of(file, *outer, mode);
        let place = (file, self.world.file(file).expressions[id].scope);
        match self.member(&holder, name, place, mode) {
            Lookup::Found(found) => self.type_of_found(&found, Some(&holder), mode),
            _ => self.yielded(&holder, Protocol::Index, mode),
        }
    }

    /// Returns what the member that a function overrides states of a parameter of the same name.
    fn inherited_parameter(&self, def: Def, position: usize) -> Option<Ty> {
        let definition = self.world.definition(def);
        let scope = definition.scope;
        let owner = self.world.file(def.file).scopes[scope].owner?;
        let name = &definition.signature.parameters.as_ref()?.get(position)?.name;
        let holder = Def { file: def.file, id: owner };
        if !self.world.definition(holder).kind.is_type() {
            return None;
        }
        for ancestor in self.ancestors(self.canonical(holder)).iter().flatten().skip(1) {
            for (file, scope) in self.bodies(ancestor.def) {
                for &base in self.world.declared(file, scope, &definition.name) {
                    let parameters = self.world.definition(base).signature.parameters.as_ref();
                    let is_same = parameters
                        .is_some_and(|all| all.get(position).is_some_and(|of| of.name == *name));
                    match self.parameter_type(base, position).filter(|_| is_same) {
                        Some(Ty::Unknown) | None => {}
                        Some(ty) => {
                            let by = self.substitution(ancestor.def, &ancestor.arguments);
                            return Some(by.apply(&ty));
                        }
                    }
                }
            }
        }
        None
    }

    fn type_of_record(
        &self,
        place: (FileId, ScopeId),
        ty: Option<TypeId>,
        fields: &[(Name, ExpressionId)],
        mode: Mode,
    ) -> Ty {
        let (file, scope) = place;
        let value = |value: ExpressionId| self.type_of(file, value, mode);
        let Some(ty) = ty else {
            return Ty::Record(
                fields.iter().map(|(name, id)| (name.clone(), value(*id))).collect(),
            );
        };
        match self.written(file, scope, ty) {
            Ty::Named(def, arguments) if arguments.is_empty() => {
                let generics = self.world.definition(def).signature.generics.len();
                if generics == 0 || fields.is_empty() {
                    return Ty::Named(def, arguments);
                }
                if &*self.world.definition(def).name == TUPLE {
                    return Ty::Tuple(fields.iter().map(|(_, id)| value(*id)).collect());
                }
                let element =
                    self.widen(Ty::one_of(fields.iter().map(|(_, id)| value(*id)).collect()));
                let mut arguments = vec![Ty::Unknown; generics - 1];
                arguments.push(element);
                Ty::Named(def, arguments.into())
            }
            Ty::Named(def, arguments)
                if self.world.is_library(def.file)
                    && arguments.last().is_some_and(|of| self.function_of(of).is_some()) =>
            {
                // What is stored in a container is more than its element's type.
                let stored = Ty::one_of(fields.iter().map(|(_, id)| value(*id)).collect());
                let mut arguments = arguments.to_vec();
                if let (Some(last), false) = (arguments.last_mut(), stored.stored().is_empty()) {
                    *last = stored;
                }
                Ty::Named(def, arguments.into())
            }
            Ty::Own(def) => Ty::Own(def),
            ty => ty,
        }
    }

    /// Returns the library's types for literals.
    fn widen(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Literal(literal) => match self.library_type(self.rules().literal(&literal)) {
                Some(def) => Ty::Named(def, [].into()),
                None => Ty::Literal(literal),
            },
            ty => ty,
        }
    }

    /// Returns what a value gives by a protocol: what the library states for its type, or the
    /// result of the member that the language names. Nothing stated gives unknown.
    pub(super) fn yielded(&self, ty: &Ty, protocol: Protocol, mode: Mode) -> Ty {
        self.step(Ty::Unknown, || self.yielded_step(ty, protocol, mode))
    }

    fn yielded_step(&self, ty: &Ty, protocol: Protocol, mode: Mode) -> Ty {
        match ty {
            Ty::OneOf(_) => {
                let choices = ty.choices();
                let given = choices.iter().map(|choice| self.yielded(choice, protocol, mode));
                Self::join(given.collect(), mode)
            }
            Ty::Named(def, arguments) => self.yielded_by(*def, arguments, protocol, mode),
            Ty::Own(def) => self.yielded_by(*def, &self.own_parameters(*def), protocol, mode),
            Ty::Tuple(types) if matches!(protocol, Protocol::Index | Protocol::Iterate) => {
                Ty::one_of(types.to_vec())
            }
            // What is already there needs no unwrapping.
            Ty::Unknown | Ty::Outside => Ty::Unknown,
            Ty::Projection(..) => {
                let bounds = self.projection_bounds(ty);
                let given = bounds.iter().map(|bound| self.yielded(bound, protocol, mode));
                given.into_iter().find(|ty| *ty != Ty::Unknown).unwrap_or(Ty::Unknown)
            }
            Ty::Parameter(def) => {
                let bounds = self.bounds(*def);
                let given = bounds.iter().map(|bound| self.yielded(bound, protocol, mode));
                given.into_iter().find(|ty| *ty != Ty::Unknown).unwrap_or(Ty::Unknown)
            }
            ty if protocol == Protocol::Unwrap => ty.clone(),
            ty if protocol == Protocol::Dereference && matches!(ty, Ty::Stored(_)) => ty.clone(),
            _ => Ty::Unknown,
        }
    }

    fn yielded_by(&self, def: Def, arguments: &[Ty], protocol: Protocol, mode: Mode) -> Ty {
        let outer = self.substitution(def, arguments);
        for ancestor in self.ancestors(def).iter().flatten() {
            let definition = self.world.definition(ancestor.def);
            if let Some((_, gives)) = definition.yields.iter().find(|(of, _)| *of == protocol) {
                let scope = definition.body.unwrap_or(definition.scope);
                let ty = self.written(ancestor.def.file, scope, *gives);
                let put_in: Vec<Ty> = ancestor.arguments.iter().map(|ty| outer.apply(ty)).collect();
                let ty = self.substitution(ancestor.def, &put_in).apply(&ty);
                return self.normalize(&ty);
            }
        }
        let members = self.rules().protocol_members(protocol);
        let mut ty = Ty::Named(def, arguments.into());
        let place = (def.file, ScopeId::new(0));
        let mut used = false;
        for name in members {
            // Not through a dereference: that is what is being asked.
            let Lookup::Found(found) = self.direct_member(&ty, name, place, mode) else { continue };
            let Some(Found::Definition(member, substitution)) = found.first() else { continue };
            let called = Called { def: *member, substitution: substitution.clone(), result: None };
            ty = self.result_of(&called, mode);
            used = true;
        }
        if used {
            // The members give a pointer or an iterator, which gives the value.
            return match self.library_step(&ty, protocol, mode) {
                Ty::Unknown => ty,
                next => next,
            };
        }
        if protocol == Protocol::Unwrap { ty } else { Ty::Unknown }
    }

    /// Returns what a pointer or iterator of the library gives on.
    fn library_step(&self, ty: &Ty, protocol: Protocol, mode: Mode) -> Ty {
        match ty {
            Ty::Named(def, _) if self.world.is_library(def.file) => {
                let next =
                    if protocol == Protocol::Iterate { protocol } else { Protocol::Dereference };
                match self.yielded(ty, next, mode) {
                    Ty::Unknown if next == Protocol::Iterate => {
                        self.yielded(ty, Protocol::Dereference, mode)
                    }
                    ty => ty,
                }
            }
            _ => Ty::Unknown,
        }
    }

    /// Returns what a test leaves of a type.
    fn narrowed(&self, place: (FileId, ScopeId), ty: &Ty, by: &Narrowing, mode: Mode) -> Ty {
        let keep = |is_kept: &dyn Fn(&Ty) -> bool| -> Ty {
            let all = match ty {
                Ty::OneOf(all) => all.to_vec(),
                ty => vec![ty.clone()],
            };
            let kept: Vec<Ty> = all.into_iter().filter(is_kept).collect();
            Ty::one_of(kept)
        };
        let is_of = |choice: &Ty, of: &Ty| match (choice, of) {
            (Ty::Named(from, _), Ty::Named(to, _)) => self.extends(*from, *to),
            (choice, of) => choice == of,
        };
        match by {
            Narrowing::Not(of) => {
                let of = self.written(place.0, place.1, *of);
                keep(&|choice| !is_of(choice, &of))
            }
            Narrowing::Member(name, literal) => keep(&|choice| {
                let Lookup::Found(found) = self.member(choice, name, place, mode) else {
                    return false;
                };
                match self.type_of_found(&found, None, mode) {
                    Ty::Literal(known) => known == *literal,
                    _ => true,
                }
            }),
            Narrowing::Predicate(of, holds) => {
                let resolution = self.definition(place.0, *of, mode);
                let [called] = &resolution.called[..] else { return ty.clone() };
                let definition = self.world.definition(called.def);
                let Some(predicate) = &definition.signature.predicate else { return ty.clone() };
                let scope = definition.body.unwrap_or(definition.scope);
                let of = called.substitution.apply(&self.written(
                    called.def.file,
                    scope,
                    predicate.r#type,
                ));
                if *holds { self.cast(ty.clone(), of) } else { keep(&|choice| !is_of(choice, &of)) }
            }
        }
    }

    /// Returns the receiver, parameters and result of a function type, of an alias of one, or of
    /// an interface with one function.
    pub(super) fn function_of(&self, ty: &Ty) -> Option<FunctionParts> {
        self.step(None, || self.function_of_step(ty))
    }

    fn function_of_step(&self, ty: &Ty) -> Option<FunctionParts> {
        match ty {
            Ty::Function(function) => Some((**function).clone()),
            Ty::Named(def, arguments) => {
                let definition = self.world.definition(*def);
                let function = definition.signature.parameters.as_ref();
                let is_delegate = self.world.is_library(def.file) && function.is_some();
                if is_delegate {
                    let parts = self.signature_type(*def)?;
                    return self.put_in(parts, &self.substitution(*def, arguments));
                }
                // A type that is declared as a function.
                if let Some(Ty::Function(function)) = self.bases(*def).first().map(|base| &base.ty)
                {
                    let by = self.substitution(*def, arguments);
                    return self.put_in((**function).clone(), &by);
                }
                let pointee = self.yields_inner(*def);
                if pointee && let [inner] = &arguments[..] {
                    return self.function_of(inner);
                }
                if !self.rules().arguments().functions_fit_interfaces {
                    return None;
                }
                let method = self.only_abstract_member(*def)?;
                let parts = self.signature_type(method.0)?;
                let outer = self.substitution(*def, arguments);
                let put_in: Vec<Ty> = method.1.iter().map(|ty| outer.apply(ty)).collect();
                let holder =
                    self.world.type_around(method.0.file, self.world.definition(method.0).scope)?;
                self.put_in(parts, &self.substitution(holder, &put_in))
            }
            Ty::Parameter(def) => {
                self.bounds(*def).iter().find_map(|bound| self.function_of(bound))
            }
            Ty::OneOf(_) => ty.choices().iter().find_map(|choice| self.function_of(choice)),
            _ => None,
        }
    }

    /// Returns whether values of a type are functions that are called themselves, and not by a
    /// member of an interface.
    fn is_called_itself(&self, ty: &Ty) -> bool {
        let is_interface = matches!(ty, Ty::Named(def, _)
            if self.world.definition(*def).kind == DefinitionKind::Interface);
        !is_interface && self.function_of(ty).is_some()
    }

    fn yields_inner(&self, def: Def) -> bool {
        let yields = &self.world.definition(def).yields;
        self.world.is_library(def.file) && yields.iter().any(|(p, _)| *p == Protocol::Dereference)
    }

    fn put_in(
        &self,
        (receiver, parameters, result): FunctionParts,
        by: &Substitution,
    ) -> Option<FunctionParts> {
        let parameters = parameters.iter().map(|ty| by.apply(ty)).collect();
        Some((receiver.map(|ty| by.apply(&ty)), parameters, by.apply(&result)))
    }

    /// Returns the written type of a function.
    pub(super) fn signature_type(&self, def: Def) -> Option<FunctionParts> {
        let definition = self.world.definition(def);
        let parameters = definition.signature.parameters.as_ref()?;
        let types =
            (0..parameters.len()).map(|at| self.parameter_type(def, at).unwrap_or(Ty::Unknown));
        let scope = definition.body.unwrap_or(definition.scope);
        let result = definition.signature.result;
        Some((
            None,
            types.collect(),
            result.map_or(Ty::Unknown, |of| self.written(def.file, scope, of)),
        ))
    }

    /// Returns the only function of an interface that has no body, with the arguments of the
    /// ancestor that declares it.
    fn only_abstract_member(&self, def: Def) -> Option<(Def, Rc<[Ty]>)> {
        if self.world.definition(def).kind != DefinitionKind::Interface {
            return None;
        }
        let mut found: Vec<(Def, Rc<[Ty]>)> = Vec::new();
        // What a base demands, a type before it may have, or demand again.
        let mut before: Vec<Def> = Vec::new();
        for ancestor in self.ancestors(def).iter().flatten() {
            for (file, scope) in self.bodies(ancestor.def) {
                for (id, definition) in self.world.file(file).definitions.iter() {
                    if definition.scope != scope || definition.kind != DefinitionKind::Function {
                        continue;
                    }
                    let function = Def { file, id };
                    let is_known = before.iter().any(|&known| {
                        self.world.definition(known).name == definition.name
                            && self.same_parameters(known, function)
                    });
                    if definition.signature.is_declaration && !is_known {
                        found.push((function, ancestor.arguments.clone()));
                    }
                    before.push(function);
                }
            }
        }
        if found.len() == 1 { found.pop() } else { None }
    }

    /// Returns the types of the results of a function or lambda, or of a variable's value.
    pub(super) fn results(&self, file: FileId, scope: ScopeId, mode: Mode) -> Ty {
        let results = &self.world.file(file).scopes[scope].results;
        let is_null = |ty: &Ty| *ty == Ty::Literal(Literal::Null);
        let types: Vec<Ty> = results.iter().map(|&id| self.type_of(file, id, mode)).collect();
        let known = types.iter().any(|ty| !is_null(ty));
        Self::join(types.into_iter().filter(|ty| !known || !is_null(ty)).collect(), mode)
    }
}

/// Returns whether a value is functions, or contains them.
fn holds_functions(ty: &Ty) -> bool {
    match ty {
        Ty::Named(_, arguments) => arguments.last().is_some_and(|of| !of.stored().is_empty()),
        ty => !ty.stored().is_empty(),
    }
}
