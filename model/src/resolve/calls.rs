//! What a call returns, what it passes to its lambdas, and what callers pass to a function.

use super::lookup::Site;
use super::members::Lookup;
use super::ty::{Def, FileId, Ty};
use super::{Called, Key, Mode, Resolver, Substitution};
use crate::ir::*;
use std::rc::Rc;

impl Resolver<'_> {
    /// Returns the type of what a use returns.
    pub(super) fn type_of_call(&self, file: FileId, id: UseId, mode: Mode) -> Ty {
        let resolution = self.definition(file, id, mode);
        let of = &self.world.file(file).uses[id];
        if let (Role::Construct, Some(ty), true) =
            (of.role, of.r#type, resolution.called.is_empty())
        {
            return self.written(file, of.scope, ty);
        }
        if resolution.called.is_empty() {
            let is_outside = resolution.is_outside && resolution.receiver == Ty::Outside;
            return if is_outside { Ty::Outside } else { self.type_of_unlinked(file, id, mode) };
        }
        let results = resolution.called.iter().map(|called| {
            let substitution = self.with_lambda_results(file, id, called, mode);
            self.result_of(&Called { substitution, ..called.clone() }, mode)
        });
        Self::join(results.collect(), mode)
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
        if of.role == Role::Read {
            return ty;
        }
        self.function_of(&ty).map_or(Ty::Unknown, |(_, _, result)| result)
    }

    /// Returns the result of a call of a definition.
    pub(super) fn result_of(&self, called: &Called, mode: Mode) -> Ty {
        if let Some(result) = &called.result {
            return self.normalize(&called.substitution.apply(result));
        }
        let ty =
            self.ask_type(Key::Result(called.def, mode), || self.declared_result(called.def, mode));
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
    pub(super) fn infer(
        &self,
        file: FileId,
        id: UseId,
        called: &Called,
        mode: Mode,
    ) -> Substitution {
        let facts = self.world.file(file);
        let of = &facts.uses[id];
        let definition = self.world.definition(called.def);
        let mut substitution = called.substitution.clone();
        if !self.has_generics(called.def) {
            return substitution;
        }
        let written = of.type_arguments.iter().zip(&definition.signature.generics);
        for (argument, &generic) in written {
            let ty = self.written(file, of.scope, *argument);
            substitution.bind(Def { file: called.def.file, id: generic }, ty);
        }
        let parameters = definition.signature.parameters.as_deref().unwrap_or(&[]);
        let Some(positions) = self.positions(file, id, parameters) else { return substitution };
        let generic_of = self.holder_of_generics(called.def);
        for (argument, &position) in of.arguments.iter().zip(&positions) {
            let node = &facts.expressions[argument.value].kind;
            let is_alone = positions.iter().filter(|at| **at == position).count() == 1;
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
            let mut ty = self.widened(self.type_of(file, argument.value, mode));
            if parameters[position].is_variadic
                && let Some(element) = self.passed_whole(&ty, is_alone, mode)
            {
                ty = element;
            }
            self.bind_argument(&ty, &pattern, &generic_of, &mut substitution, mode);
        }
        substitution
    }

    /// Binds by an argument; of a function, by its signature.
    fn bind_argument(
        &self,
        ty: &Ty,
        pattern: &Ty,
        of: &[Def],
        substitution: &mut Substitution,
        mode: Mode,
    ) {
        if let (Ty::Stored(stored), Some((_, expected, result))) = (ty, self.function_of(pattern)) {
            if let Ty::Parameter(_) = pattern {
                self.bind_in(ty, pattern, of, substitution);
            }
            let [def] = stored[..] else { return };
            let Some((_, mut parameters, _)) = self.signature_type(def) else { return };
            if parameters.len() < expected.len()
                && let Some(own) = self.home_type(def)
            {
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

    /// Returns whether a call of `def` binds any type parameter.
    fn has_generics(&self, def: Def) -> bool {
        let mut holders = self.holder_of_generics(def).into_iter();
        holders.any(|holder| !self.world.definition(holder).signature.generics.is_empty())
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
    fn with_lambda_results(
        &self,
        file: FileId,
        id: UseId,
        called: &Called,
        mode: Mode,
    ) -> Substitution {
        let facts = self.world.file(file);
        let mut substitution = called.substitution.clone();
        if !self.has_generics(called.def) {
            return substitution;
        }
        let definition = self.world.definition(called.def);
        let parameters = definition.signature.parameters.as_deref().unwrap_or(&[]);
        let Some(positions) = self.positions(file, id, parameters) else { return substitution };
        let of = self.holder_of_generics(called.def);
        for (argument, position) in facts.uses[id].arguments.iter().zip(positions) {
            let Expression::Lambda { scope, result, .. } = &facts.expressions[argument.value].kind
            else {
                continue;
            };
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
    pub(super) fn type_of_passed(
        &self,
        file: FileId,
        id: UseId,
        argument: usize,
        position: Option<u8>,
        mode: Mode,
    ) -> Ty {
        let resolution = self.definition(file, id, mode);
        let mut types = Vec::new();
        for called in &resolution.called {
            let definition = self.world.definition(called.def);
            let parameters = definition.signature.parameters.as_deref().unwrap_or(&[]);
            let positions = self.positions(file, id, parameters);
            let Some(at) = positions.and_then(|positions| positions.get(argument).copied()) else {
                continue;
            };
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
                    if self.world.file(file).uses[id].role == Role::Read {
                        continue;
                    }
                    let resolution = self.definition(file, id, Mode::Plain);
                    if resolution.called.iter().any(|called| self.is_same_function(called.def, def))
                    {
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
        for &of in self.world.decorated.iter().filter(|_| position == 0) {
            let bases = self.world.definition(of).bases.iter();
            for base in bases.filter(|base| base.kind == BaseKind::Decorates) {
                let Target::Value(value) = base.target else { continue };
                let is_it = match self.type_of(of.file, value, Mode::Plain) {
                    Ty::Stored(decorators) => decorators.contains(&def),
                    Ty::Class(of) => matches!(&*of, Ty::Named(of, _) if Some(*of) == holder),
                    _ => false,
                };
                if is_it {
                    stored.push(of);
                }
            }
        }
        (!stored.is_empty()).then(|| Ty::Stored(Rc::from(stored)))
    }
}
