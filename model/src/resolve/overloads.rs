//! Which functions fit the arguments of a call, and which of them fits best.

use super::answers::Called;
use super::members::Found;
use super::ty::{Def, FileId, Ty};
use super::{Mode, Resolver, Substitution};
use crate::ir::*;
use crate::rules::{FUNCTION, TYPE};

/// The rank of an argument whose type is not known: it decides nothing.
const OPEN: u8 = u8::MAX;

/// A function that fits, with the rank of each argument.
struct Fitting {
    called: Called,
    ranks: Vec<u8>,
    /// What each argument is passed as.
    types: Vec<Ty>,
    generic: bool,
    variadic: bool,
}

impl Resolver<'_> {
    /// Returns the candidates that a call fits best; several where the arguments do not decide.
    pub(super) fn select(
        &self,
        file: FileId,
        of: UseId,
        found: &[Found],
        mode: Mode,
    ) -> Vec<Called> {
        let mut candidates: Vec<Called> = Vec::new();
        for member in found {
            if let Found::Definition(def, substitution) = member
                && self.world.definition(*def).kind.is_callable()
                && !candidates.iter().any(|known| known.def == *def)
            {
                candidates.push(Called {
                    def: *def,
                    substitution: substitution.clone(),
                    result: None,
                });
            }
        }
        if self.rules().arguments().signatures_beside_body && candidates.len() > 1 {
            let is_signature = |c: &Called| self.world.definition(c.def).signature.is_declaration;
            if candidates.iter().any(is_signature) {
                candidates.retain(is_signature);
            }
        }
        if self.rules().arguments().by_name {
            self.join_bodies(file, &mut candidates);
            for called in &mut candidates {
                called.substitution = self.infer(file, of, called, mode);
            }
            return candidates;
        }
        if let [only] = &candidates[..] {
            if self.may_have_others(only.def) {
                let signature = &self.world.definition(only.def).signature;
                let parameters = signature.parameters.as_deref().unwrap_or(&[]);
                if self.positions(file, of, parameters).is_none() {
                    return Vec::new();
                }
            }
            let substitution = self.infer(file, of, only, mode);
            return vec![Called { substitution, ..only.clone() }];
        }
        let mut fitting: Vec<Fitting> =
            candidates.iter().filter_map(|candidate| self.fit(file, of, candidate, mode)).collect();
        let is_certain = |fit: &Fitting| !fit.variadic && !fit.ranks.contains(&OPEN);
        if self.rules().arguments().variadic_last && fitting.iter().any(is_certain) {
            fitting.retain(|fit| !fit.variadic);
        }
        let is_beaten =
            |one: &Fitting, all: &[Fitting]| all.iter().any(|other| self.is_better(other, one));
        let kept: Vec<bool> = fitting.iter().map(|one| !is_beaten(one, &fitting)).collect();
        let mut kept = kept.iter();
        fitting.retain(|_| *kept.next().unwrap_or(&true));
        let mut chosen: Vec<Called> = Vec::new();
        for fit in fitting {
            // A declaration and its body are one function.
            let is_known = |known: &Called| {
                self.body_of(known.def) == self.body_of(fit.called.def)
                    && self.same_parameters(known.def, fit.called.def)
            };
            if !chosen.iter().any(is_known) {
                let substitution = self.infer(file, of, &fit.called, mode);
                chosen.push(Called { substitution, ..fit.called });
            }
        }
        // Where none seems to fit, signatures of one body still have that.
        let body = |candidate: &Called| self.body_of(candidate.def);
        if chosen.is_empty() && candidates.windows(2).all(|pair| body(&pair[0]) == body(&pair[1])) {
            return candidates;
        }
        chosen
    }

    /// Replaces declarations by what has a body, and keeps those of the file itself before others.
    fn join_bodies(&self, file: FileId, candidates: &mut Vec<Called>) {
        for called in candidates.iter_mut() {
            called.def = self.body_of(called.def);
        }
        let is_body = |called: &Called| !self.world.definition(called.def).signature.is_declaration;
        if candidates.iter().any(is_body) {
            candidates.retain(is_body);
        }
        if candidates.iter().any(|called| called.def.file == file) {
            candidates.retain(|called| called.def.file == file);
        }
        candidates.sort_by_key(|called| called.def);
        candidates.dedup_by_key(|called| called.def);
        // What is compiled, as far as is known, comes first.
        if candidates.len() > 1 {
            candidates.sort_by_key(|called| self.world.doubt(called.def));
        }
    }

    /// Returns whether bases that are not known whole may have other functions of the name.
    fn may_have_others(&self, def: Def) -> bool {
        let holder = self.world.type_around(def.file, self.world.definition(def).scope);
        self.rules().member_sources().overloads_through_bases
            && self.world.definition(def).kind == DefinitionKind::Function
            && !self.world.is_library(def.file)
            && holder.is_some_and(|of| self.has_library_class(of) || self.has_unknown_base(of))
    }

    /// Returns whether `one` is at least as good as `other` for every argument, and better for one
    /// or else more specific.
    fn is_better(&self, one: &Fitting, other: &Fitting) -> bool {
        let pairs = || one.ranks.iter().zip(&other.ranks);
        // What is not known decides nothing where it is not passed as the same.
        let types = one.types.iter().zip(&other.types);
        let is_open = |((a, b), (from, to)): ((&u8, &u8), (&Ty, &Ty))| {
            *a == OPEN && *b == OPEN && (from != to || *from == Ty::Unknown)
        };
        if pairs().zip(types).any(is_open) && !self.is_same_place(one, other) {
            return false;
        }
        if pairs().any(|(a, b)| a > b) {
            return false;
        }
        if pairs().any(|(a, b)| a < b) {
            return true;
        }
        if other.variadic != one.variadic || other.generic != one.generic {
            return (other.variadic && !one.variadic)
                || (other.variadic == one.variadic && other.generic && !one.generic);
        }
        self.is_narrower(one, other) && !self.is_narrower(other, one)
    }

    /// Returns whether what `one` takes fits `other`, too.
    fn is_narrower(&self, one: &Fitting, other: &Fitting) -> bool {
        let fits = |(from, to): (&Ty, &Ty)| {
            let mut none = Substitution::default();
            let rank = self.convert(from, to, other.called.def, &mut none);
            rank.is_some_and(|rank| rank != OPEN)
        };
        one.types.len() == other.types.len() && one.types.iter().zip(&other.types).all(fits)
    }

    fn is_same_place(&self, one: &Fitting, other: &Fitting) -> bool {
        one.called.def == other.called.def
    }

    /// Matches the arguments of a call with the parameters of a candidate.
    fn fit(&self, file: FileId, of: UseId, candidate: &Called, mode: Mode) -> Option<Fitting> {
        let definition = self.world.definition(candidate.def);
        let parameters = definition.signature.parameters.as_deref().unwrap_or(&[]);
        let matched = self.positions(file, of, parameters)?;
        let mut substitution = candidate.substitution.clone();
        let (mut ranks, mut types) = (Vec::new(), Vec::new());
        let mut variadic = parameters.iter().any(|parameter| parameter.is_variadic);
        for (argument, position) in self.world.file(file).uses[of].arguments.iter().zip(&matched) {
            let position = *position;
            let to = self.parameter_type(candidate.def, position);
            let to = to.map_or(Ty::Unknown, |to| substitution.apply(&to));
            let value = (file, argument.value);
            let whole = parameters[position].is_variadic.then(|| {
                let is_alone = matched.iter().filter(|at| **at == position).count() == 1;
                let ty = self.type_of(file, argument.value, mode);
                let passed = self.passed_whole(&ty, is_alone, mode)?;
                self.whole_rank(&passed, &to, candidate.def, &mut substitution)
            });
            let rank = match whole.flatten() {
                Some(rank) => {
                    variadic = false;
                    rank
                }
                None => self.argument_rank(value, &to, candidate.def, &mut substitution, mode)?,
            };
            ranks.push(rank);
            types.push(to);
        }
        Some(Fitting {
            called: candidate.clone(),
            ranks,
            types,
            generic: !definition.signature.generics.is_empty(),
            variadic,
        })
    }

    /// Returns how well an array of `element`, or the absent value, is passed for all that a
    /// variadic parameter takes.
    fn whole_rank(
        &self,
        element: &Ty,
        to: &Ty,
        of: Def,
        substitution: &mut Substitution,
    ) -> Option<u8> {
        match element {
            Ty::Literal(Literal::Null) => return Some(2),
            // What cannot be absent is no reference: arrays of it are of no other type.
            Ty::Named(def, _)
                if self.world.is_library(def.file)
                    && !self.rules().may_be_absent(&self.world.definition(*def).name)
                    && element != to =>
            {
                return None;
            }
            _ => {}
        }
        let rank = self.convert(element, to, of, substitution)?;
        Some(if matches!(to, Ty::Parameter(_)) { 0 } else { rank.min(1) })
    }

    /// Returns the elements of an array that is passed for all that a variadic parameter takes; the
    /// absent value stands for all of them.
    pub(super) fn passed_whole(&self, ty: &Ty, is_alone: bool, mode: Mode) -> Option<Ty> {
        if !is_alone || !self.rules().arguments().variadic_takes_whole {
            return None;
        }
        if *ty == Ty::Literal(Literal::Null) {
            return Some(ty.clone());
        }
        let element = self.yielded(ty, Protocol::Index, mode);
        (element != Ty::Unknown).then_some(element)
    }

    /// Returns for each argument the position of its parameter, or none if the call does not fit.
    pub(super) fn positions(
        &self,
        file: FileId,
        of: UseId,
        parameters: &[Parameter],
    ) -> Option<Vec<usize>> {
        let arguments = &self.world.file(file).uses[of].arguments;
        let rules = self.rules().arguments();
        let mut taken = vec![false; parameters.len()];
        let mut next = 0;
        let mut positions = Vec::new();
        for argument in arguments {
            let value = &self.world.file(file).expressions[argument.value].kind;
            let is_trailing =
                argument.label.is_none() && matches!(value, Expression::Lambda { .. });
            let position = match &argument.label {
                Some(label) => {
                    let is_it = |p: &Parameter| p.label.as_ref().unwrap_or(&p.name) == label;
                    parameters.iter().position(is_it)?
                }
                None => {
                    while next < parameters.len() && taken[next] && !parameters[next].is_variadic {
                        next += 1;
                    }
                    if rules.labels_must_match && is_trailing {
                        // A trailing lambda skips what may be left out.
                        parameters
                            .iter()
                            .enumerate()
                            .position(|(at, p)| at >= next && !p.has_default)?
                    } else {
                        next
                    }
                }
            };
            let Some(parameter) = parameters.get(position) else {
                if rules.any_number { continue } else { return None }
            };
            let unlabelled = parameter.label.as_deref().is_none_or(|label| label == "_");
            if rules.labels_must_match && argument.label.is_none() && !unlabelled && !is_trailing {
                return None;
            }
            taken[position] = true;
            positions.push(position);
        }
        let is_missing = |(parameter, taken): (&Parameter, &bool)| {
            !taken && !parameter.has_default && !parameter.is_variadic
        };
        let misses = parameters.iter().zip(&taken).any(is_missing);
        (!misses || rules.any_number).then_some(positions)
    }

    fn argument_rank(
        &self,
        (file, value): (FileId, ExpressionId),
        to: &Ty,
        of: Def,
        substitution: &mut Substitution,
        mode: Mode,
    ) -> Option<u8> {
        if let Expression::Lambda { parameters, .. } =
            &self.world.file(file).expressions[value].kind
        {
            return match self.function_of(to) {
                Some((_, expected, _)) => {
                    let may_leave_out = !self.rules().arguments().lambdas_list_parameters;
                    let is_fitting = parameters.len() == expected.len()
                        || (parameters.is_empty() && may_leave_out);
                    is_fitting.then_some(0)
                }
                None => to.is_open().then_some(OPEN),
            };
        }
        let from = self.type_of(file, value, mode);
        match (&from, to) {
            // A parameter of a definition around the call has what its bounds have.
            (Ty::Parameter(parameter), Ty::Named(..))
                if self.rules().arguments().parameters_are_bounds
                    && self.is_around(*parameter, file, value) =>
            {
                let ranks = self.bounds_or_root(*parameter).into_iter();
                ranks.filter_map(|bound| self.convert(&bound, to, of, substitution)).min()
            }
            _ => self.convert(&from, to, of, substitution),
        }
    }

    /// Returns whether a type parameter is what a value has: it is in the definition that has
    /// the parameter, or nothing was written for that of a type.
    fn is_around(&self, parameter: Def, file: FileId, value: ExpressionId) -> bool {
        let facts = self.world.file(file);
        let declared = self.world.definition(parameter).scope;
        if self.world.file(parameter.file).scopes[declared].kind == ScopeKind::Type {
            return true;
        }
        let mut scopes = std::iter::successors(Some(facts.expressions[value].scope), |&s| {
            facts.scopes[s].parent
        });
        parameter.file == file && scopes.any(|scope| scope == declared)
    }

    /// Returns the bounds of a type parameter, with the root, which each value has.
    fn bounds_or_root(&self, parameter: Def) -> Vec<Ty> {
        let root = self.rules().member_sources().root.and_then(|name| self.library_type(name));
        let bounds = self.bounds(parameter).into_iter();
        let bounds = bounds.filter(|bound| !matches!(bound, Ty::Parameter(_)));
        bounds.chain(root.map(|root| Ty::Named(root, [].into()))).collect()
    }

    /// Returns how well a value of type `from` fits `to`; smaller is better. Parameters of the
    /// candidate are bound.
    pub(super) fn convert(
        &self,
        from: &Ty,
        to: &Ty,
        of: Def,
        substitution: &mut Substitution,
    ) -> Option<u8> {
        self.step(None, || self.convert_step(from, to, of, substitution))
    }

    fn convert_step(
        &self,
        from: &Ty,
        to: &Ty,
        of: Def,
        substitution: &mut Substitution,
    ) -> Option<u8> {
        if let Ty::Parameter(parameter) = to {
            if *from == Ty::Unknown {
                return Some(OPEN);
            }
            if self.is_generic_of(of, *parameter) {
                let fits = self.fits_bounds(from, *parameter) || self.function_of(to).is_some();
                substitution.bind(*parameter, from.clone());
                if fits && self.rules().arguments().parameters_are_bounds {
                    return self.bound_rank(from, *parameter, of, substitution);
                }
                return fits.then_some(1);
            }
        }
        if from == to {
            return Some(0);
        }
        if from.is_open() || to.is_open() || *from == Ty::Outside || *to == Ty::Outside {
            return Some(OPEN);
        }
        match (from, to) {
            (Ty::OneOf(choices), _) => {
                let ranks = choices.iter().map(|choice| self.convert(choice, to, of, substitution));
                ranks.collect::<Option<Vec<_>>>().and_then(|ranks| ranks.into_iter().max())
            }
            (_, Ty::OneOf(choices)) => choices
                .iter()
                .filter_map(|choice| self.convert(from, choice, of, substitution))
                .min(),
            (_, Ty::AllOf(parts)) => {
                let ranks = parts.iter().map(|part| self.convert(from, part, of, substitution));
                ranks.collect::<Option<Vec<_>>>().and_then(|ranks| ranks.into_iter().max())
            }
            (Ty::Literal(Literal::Null), Ty::Named(def, _)) => {
                let name = &self.world.definition(*def).name;
                let is_possible =
                    !self.world.is_library(def.file) || self.rules().may_be_absent(name);
                is_possible.then_some(2)
            }
            (Ty::Literal(literal), Ty::Named(def, _)) => {
                let name = self.rules().literal(literal);
                match self.library_type(name) {
                    Some(from) => self.convert(&Ty::Named(from, [].into()), to, of, substitution),
                    None => self.convert_library(name, *def),
                }
            }
            (Ty::Literal(_), Ty::Literal(_)) => None,
            (Ty::Own(own), _) => {
                let ty = Ty::Named(*own, self.own_parameters(*own));
                self.convert(&ty, to, of, substitution)
            }
            (Ty::Stored(_) | Ty::Function(_), _) => {
                let fits = self.function_of(to).is_some();
                fits.then_some(1).or_else(|| self.convert_library(FUNCTION, self.named_def(to)?))
            }
            (Ty::Named(from, arguments), Ty::Named(target, to_arguments)) => {
                self.convert_named((*from, arguments), (*target, to_arguments), of, substitution)
            }
            // A type where a function is expected constructs its values.
            (Ty::Class(_), Ty::Named(target, _)) => {
                let fits = self.convert_library(TYPE, *target);
                fits.or_else(|| self.function_of(to).is_some().then_some(1))
            }
            _ => None,
        }
    }

    /// Returns how well a value fits the bound of a parameter.
    fn bound_rank(
        &self,
        from: &Ty,
        parameter: Def,
        of: Def,
        substitution: &mut Substitution,
    ) -> Option<u8> {
        let bounds = self.bounds_or_root(parameter).into_iter();
        let mut ranks = bounds.filter_map(|bound| self.convert(from, &bound, of, substitution));
        Some(ranks.next().unwrap_or(1))
    }

    fn named_def(&self, ty: &Ty) -> Option<Def> {
        match ty {
            Ty::Named(def, _) => Some(*def),
            _ => None,
        }
    }

    fn convert_named(
        &self,
        (from, arguments): (Def, &[Ty]),
        (to, to_arguments): (Def, &[Ty]),
        of: Def,
        substitution: &mut Substitution,
    ) -> Option<u8> {
        let outer = self.substitution(from, arguments);
        for (distance, level) in self.ancestors(from).iter().enumerate() {
            if let Some(ancestor) = level.iter().find(|ancestor| ancestor.def == to) {
                let mut is_same = true;
                for (argument, expected) in ancestor.arguments.iter().zip(to_arguments) {
                    let argument = outer.apply(argument);
                    self.bind(&argument, expected, of, substitution);
                    is_same &= self.is_same_argument(&argument, expected, of)?;
                }
                let distance = if is_same { distance } else { distance.max(1) };
                return Some(u8::try_from(distance).unwrap_or(OPEN - 1).min(9));
            }
        }
        if self.world.definition(to).kind == DefinitionKind::Interface && self.satisfies(from, to) {
            return Some(1);
        }
        let name =
            self.world.is_library(from.file).then(|| self.world.definition(from).name.clone());
        self.convert_library(name.as_deref().unwrap_or(""), to)
    }

    /// Returns whether what a type has as an argument is what is expected there; none where neither
    /// fits the other.
    fn is_same_argument(&self, argument: &Ty, expected: &Ty, of: Def) -> Option<bool> {
        let arguments = match argument {
            Ty::Parameter(parameter) if self.rules().arguments().parameters_are_bounds => {
                self.bounds_or_root(*parameter)
            }
            ty => vec![ty.clone()],
        };
        let is_same = |argument: &Ty| match (argument, expected) {
            (Ty::Named(a, _), Ty::Named(b, _)) if a != b => {
                let mut none = Substitution::default();
                let mut fits = |from: &Ty, to: &Ty| self.convert(from, to, of, &mut none).is_some();
                (fits(argument, expected) || fits(expected, argument)).then_some(false)
            }
            _ => Some(true),
        };
        arguments.iter().filter_map(is_same).max()
    }

    /// Converts by the language's rules for types of its library.
    fn convert_library(&self, from: &str, to: Def) -> Option<u8> {
        if !self.world.is_library(to.file) {
            return None;
        }
        let to = &*self.world.definition(to).name;
        if from == to {
            return Some(0);
        }
        self.rules().convert(from, to)
    }

    /// Returns whether `parameter` is one of `of`'s own, or of the extension around it.
    fn is_generic_of(&self, of: Def, parameter: Def) -> bool {
        let around = self.world.type_around(of.file, self.world.definition(of).scope);
        [Some(of), around].into_iter().flatten().any(|of| {
            of.file == parameter.file
                && self.world.definition(of).signature.generics.contains(&parameter.id)
        })
    }

    /// Returns whether a type has what the bounds of a parameter demand, as far as is known.
    pub(super) fn fits_bounds(&self, ty: &Ty, parameter: Def) -> bool {
        let mut rest = self.bounds(parameter);
        while let Some(bound) = rest.pop() {
            match bound {
                Ty::AllOf(parts) => rest.extend(parts.iter().cloned()),
                Ty::Named(bound, _) if !self.is_one(ty, bound) => return false,
                _ => {}
            }
        }
        true
    }

    /// Returns whether values of `ty` are of the type `def`.
    pub(super) fn is_one(&self, ty: &Ty, def: Def) -> bool {
        self.step(false, || self.is_one_step(ty, def))
    }

    fn is_one_step(&self, ty: &Ty, def: Def) -> bool {
        match ty {
            Ty::Named(from, _) | Ty::Own(from) => {
                self.extends(*from, def) || self.satisfies(*from, def)
            }
            Ty::Parameter(parameter) => {
                self.bounds(*parameter).iter().any(|bound| self.is_one(bound, def))
            }
            Ty::AllOf(parts) => parts.iter().any(|part| self.is_one(part, def)),
            Ty::OneOf(choices) => choices.iter().all(|choice| self.is_one(choice, def)),
            Ty::Unknown => true,
            _ => false,
        }
    }

    /// Returns whether `to` is a type of the library that states what it yields, and that `ty` does
    /// not extend.
    fn is_yielding_only(&self, ty: &Ty, to: Def) -> bool {
        let extends = match ty {
            Ty::Named(from, _) | Ty::Own(from) => self.extends(*from, to),
            _ => false,
        };
        self.world.is_library(to.file) && !self.world.definition(to).yields.is_empty() && !extends
    }

    /// Binds the parameters of `of` in `pattern` to what `ty` has there.
    pub(super) fn bind(&self, ty: &Ty, pattern: &Ty, of: Def, substitution: &mut Substitution) {
        match (ty, pattern) {
            (_, Ty::Parameter(parameter))
                if self.is_generic_of(of, *parameter) && *ty != Ty::Unknown =>
            {
                substitution.bind(*parameter, ty.clone());
            }
            (_, Ty::Parameter(_)) => {}
            (Ty::Named(..) | Ty::Own(_) | Ty::Tuple(_), Ty::Named(to, expected))
                if self.is_yielding_only(ty, *to) =>
            {
                // What yields the same is one of them.
                for (protocol, _) in &self.world.definition(*to).yields {
                    let given = self.yielded(ty, *protocol, Mode::Plain);
                    if let ([expected], false) = (&expected[..], given == Ty::Unknown) {
                        self.bind(&given, expected, of, substitution);
                    }
                }
            }
            (Ty::Named(from, arguments), Ty::Named(to, expected)) => {
                let outer = self.substitution(*from, arguments);
                for ancestor in self.ancestors(*from).iter().flatten().filter(|a| a.def == *to) {
                    for (argument, expected) in ancestor.arguments.iter().zip(expected.iter()) {
                        self.bind(&outer.apply(argument), expected, of, substitution);
                    }
                }
            }
            (Ty::Tuple(types), Ty::Tuple(patterns)) => {
                for (ty, pattern) in types.iter().zip(patterns.iter()) {
                    self.bind(ty, pattern, of, substitution);
                }
            }
            (Ty::OneOf(choices), Ty::Named(..)) => {
                for choice in choices.iter() {
                    self.bind(choice, pattern, of, substitution);
                }
            }
            (_, Ty::OneOf(patterns)) => {
                for pattern in patterns.iter() {
                    self.bind(ty, pattern, of, substitution);
                }
            }
            (Ty::Own(def), Ty::Named(..)) => {
                let ty = Ty::Named(*def, self.own_parameters(*def));
                self.bind(&ty, pattern, of, substitution);
            }
            (Ty::Function(from), _) => {
                if let Some((_, parameters, result)) = self.function_of(pattern) {
                    for (ty, pattern) in from.1.iter().zip(&parameters) {
                        self.bind(ty, pattern, of, substitution);
                    }
                    self.bind(&from.2, &result, of, substitution);
                }
            }
            (Ty::Class(ty), Ty::Class(pattern)) => self.bind(ty, pattern, of, substitution),
            (Ty::Class(ty), Ty::Named(..)) => {
                if let Some((_, _, result)) = self.function_of(pattern) {
                    self.bind(ty, &result, of, substitution);
                }
            }
            _ => {}
        }
    }

    /// Binds the parameters of an extension, or of a function with a receiver type, to those of a
    /// value; none if the value's type is another.
    pub(super) fn unify_receiver(&self, extension: Def, receiver: &Ty) -> Option<Substitution> {
        let pattern = self.extended_type(extension);
        let mut substitution = Substitution::default();
        let fits = match (&pattern, receiver) {
            (Ty::Parameter(parameter), _) => self.fits_bounds(receiver, *parameter),
            (Ty::Named(to, _), Ty::Named(from, _) | Ty::Own(from)) => self.extends(*from, *to),
            (Ty::Named(to, _), Ty::Literal(literal)) => {
                self.library_type(self.rules().literal(literal)) == Some(*to)
            }
            _ => false,
        };
        if !fits {
            return None;
        }
        self.bind(receiver, &pattern, extension, &mut substitution);
        Some(substitution)
    }
}
