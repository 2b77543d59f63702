//! Functions that are stored and called elsewhere, bodies of declarations, and what may run instead.

use super::members::{Found, Lookup, definition_of};
use super::ty::{Def, FileId, Ty};
use super::{Evidence, Mode, Resolution, Resolver};
use crate::ir::*;
use crate::rules::Satisfaction;
use std::rc::Rc;

impl Resolver<'_> {
    /// Returns the functions that are stored where a value is called: in a field, by records and
    /// assignments of the whole tree; in a parameter, by its callers.
    pub(super) fn dispatch(&self, found: &[Found], mode: Mode) -> Resolution {
        let mut stored: Vec<Def> = Vec::new();
        for member in found {
            match member {
                Found::Definition(def, _) => stored.extend(self.stored_in(*def, mode)),
                Found::Parameter(def, position) if mode == Mode::Uses => {
                    stored.extend(self.passed(*def, *position).stored());
                }
                _ => {}
            }
        }
        stored.sort();
        stored.dedup();
        self.dispatched(stored)
    }

    /// Returns the functions that are elements of what is stored in a field.
    pub(super) fn dispatch_through(
        &self,
        file: FileId,
        value: ExpressionId,
        mode: Mode,
    ) -> Resolution {
        let facts = self.world.file(file);
        let Expression::Yield { of, protocol } = facts.expressions[value].kind else {
            return Resolution::unknown();
        };
        let node = &facts.expressions[of];
        let Expression::Member { of: holder, name } = &node.kind else {
            return Resolution::unknown();
        };
        let holder = self.type_of(file, *holder, mode);
        let Lookup::Found(found) = self.member(&holder, name, (file, node.scope), mode) else {
            return Resolution::unknown();
        };
        let mut stored: Vec<Def> = Vec::new();
        for field in found.iter().filter_map(definition_of) {
            for (file, value) in self.values_of(field) {
                let ty = self.type_of(file, value, mode);
                stored.extend(self.yielded(&ty, protocol, mode).stored());
            }
        }
        stored.sort();
        stored.dedup();
        self.dispatched(stored)
    }

    fn dispatched(&self, stored: Vec<Def>) -> Resolution {
        let called = stored.into_iter().map(|def| super::Called {
            def,
            substitution: super::Substitution::default(),
            result: None,
        });
        let links = self.links(called.collect(), Ty::Unknown, Evidence::InferredType);
        Resolution { is_dispatch: true, ..links }
    }

    /// Returns the functions that the tree stores in a field.
    fn stored_in(&self, field: Def, mode: Mode) -> Vec<Def> {
        let values = self.values_of(field).into_iter();
        values.flat_map(|(file, value)| self.functions_in(file, value, mode)).collect()
    }

    /// Returns the values that the tree stores in a field.
    fn values_of(&self, field: Def) -> Vec<(FileId, ExpressionId)> {
        let name = &self.world.definition(field).name;
        let mut stored = Vec::new();
        for &(file, id) in self.world.records(name) {
            let node = &self.world.file(file).expressions[id];
            let Expression::Record { fields, .. } = &node.kind else { continue };
            let holder = self.type_of(file, id, Mode::Plain);
            if self.has_field(&holder, field, name, (file, node.scope)) {
                let values = fields.iter().filter(|(of, _)| of == name);
                stored.extend(values.map(|&(_, value)| (file, value)));
            }
        }
        for &(file, id) in self.world.assigned(name) {
            let binding = &self.world.file(file).bindings[id];
            let (Some(of), Some(value)) = (binding.of, binding.value) else { continue };
            let holder = self.type_of(file, of, Mode::Plain);
            if self.has_field(&holder, field, name, (file, binding.scope)) {
                stored.push((file, value));
            }
        }
        stored
    }

    fn has_field(&self, holder: &Ty, field: Def, name: &str, place: (FileId, ScopeId)) -> bool {
        match self.member(holder, name, place, Mode::Plain) {
            Lookup::Found(found) => found.iter().any(|member| definition_of(member) == Some(field)),
            _ => false,
        }
    }

    /// Returns the functions that a value is, behind boxes of the library.
    fn functions_in(&self, file: FileId, value: ExpressionId, mode: Mode) -> Vec<Def> {
        let ty = self.type_of(file, value, mode);
        let stored = ty.stored();
        if !stored.is_empty() {
            return stored;
        }
        self.yielded(&ty, Protocol::Dereference, mode).stored()
    }

    /// Returns the definition with a body that a declaration stands for.
    pub fn body_of(&self, def: Def) -> Def {
        let definition = self.world.definition(def);
        if !definition.signature.is_declaration || self.world.is_library(def.file) {
            return def;
        }
        if let Some(&known) = self.implementations.borrow().get(&def) {
            return known;
        }
        let body = self.find_body(def);
        self.implementations.borrow_mut().insert(def, body);
        body
    }

    fn find_body(&self, def: Def) -> Def {
        let definition = self.world.definition(def);
        let own = self.own_type(def.file, definition.body.unwrap_or(definition.scope));
        let rules = self.rules().arguments();
        let beside = rules.signatures_beside_body || rules.by_name;
        let name = &definition.name;
        let candidates: Vec<Def> = match own {
            Some(own) => self
                .bodies(own)
                .into_iter()
                .flat_map(|(file, scope)| self.world.declared(file, scope, name).to_vec())
                .chain(self.extensions.get(&own).into_iter().flatten().flat_map(|extension| {
                    let body = self.world.definition(*extension).body;
                    let declared = body.map(|body| self.world.declared(extension.file, body, name));
                    declared.unwrap_or_default().to_vec()
                }))
                .chain(self.world.extensions(name).iter().copied().filter(
                    |&other| matches!(self.extended_type(other), Ty::Named(of, _) if of == own),
                ))
                .collect(),
            None => {
                let around = self.namespaces_around(def.file, definition.scope);
                let scopes = around
                    .first()
                    .map_or_else(Vec::new, |&(file, scope)| self.world.merged(file, scope));
                scopes
                    .iter()
                    .flat_map(|&(file, scope)| self.world.declared(file, scope, name))
                    .copied()
                    .collect()
            }
        };
        let is_body = |other: &Def| {
            let theirs = self.world.definition(*other);
            !theirs.signature.is_declaration
                && theirs.kind == definition.kind
                && (theirs.visibility == definition.visibility || other.file == def.file)
                && (beside || self.same_parameters(def, *other))
        };
        let bodies: Vec<Def> = candidates.into_iter().filter(is_body).collect();
        if bodies.is_empty() { def } else { bodies[0] }
    }

    /// Returns what may run instead of what a use links to: the member of each type below the
    /// receiver's that is another one.
    pub(super) fn overrides(&self, resolution: &Resolution) -> Vec<Def> {
        if resolution.is_dispatch || resolution.is_outside {
            return Vec::new();
        }
        let mut may = Vec::new();
        for called in &resolution.called {
            let definition = self.world.definition(called.def);
            if definition.kind != DefinitionKind::Function {
                continue;
            }
            let body = definition.body.unwrap_or(definition.scope);
            let Some(holder) = self.own_type(called.def.file, body) else { continue };
            let receiver = match &resolution.receiver {
                Ty::Named(of, _) | Ty::Own(of) => *of,
                Ty::Class(of) => match &**of {
                    Ty::Named(of, _) | Ty::Own(of) => *of,
                    _ => holder,
                },
                _ => holder,
            };
            let is_parameter =
                self.world.definition(receiver).kind == DefinitionKind::TypeParameter;
            let has_it = !is_parameter
                && (self.extends(receiver, holder) || self.satisfies(receiver, holder));
            let delegates =
                self.bases(receiver).iter().any(|base| base.kind == BaseKind::Delegates);
            let below = if has_it && !delegates { receiver } else { holder };
            may.extend(self.overrides_below(below, holder, called.def));
        }
        let own: Vec<Def> =
            resolution.called.iter().map(|called| self.body_of(called.def)).collect();
        may.sort();
        may.dedup();
        may.retain(|def| !own.contains(def) && !self.world.is_library(def.file));
        may
    }

    fn overrides_below(&self, receiver: Def, holder: Def, def: Def) -> Vec<Def> {
        let name = &self.world.definition(def).name;
        let mut found = Vec::new();
        for &of in &self.world.types {
            let kind = self.world.definition(of).kind;
            let is_type = matches!(kind, DefinitionKind::Class | DefinitionKind::Mixin);
            if !is_type
                || self.world.is_library(of.file)
                || self.canonical(of) != of
                || !(self.extends(of, receiver) || self.satisfies(of, receiver))
            {
                continue;
            }
            let implemented = self.implemented(of, holder, name);
            if !implemented.is_empty() {
                found.extend(implemented);
                continue;
            }
            // Explicit implementations have the interface before their name.
            let interface = &self.world.definition(receiver).name;
            let explicit: Name = format!("{interface}.{name}").into();
            for wanted in [name, &explicit] {
                let ty = Ty::Named(of, self.own_parameters(of));
                let place = (of.file, ScopeId::new(0));
                if let Lookup::Found(members) = self.member(&ty, wanted, place, Mode::Plain) {
                    let same = |member: &Def| {
                        !self.world.definition(*member).signature.is_declaration
                            && (self.same_parameters(*member, def) || members.len() == 1)
                    };
                    let bodies =
                        members.iter().filter_map(definition_of).map(|def| self.body_of(def));
                    found.extend(bodies.filter(same).filter(|member| *member != def));
                }
            }
        }
        found
    }

    /// Returns the members `name` of the extensions by which a type implements an interface.
    fn implemented(&self, of: Def, interface: Def, name: &str) -> Vec<Def> {
        let mut found = Vec::new();
        for &extension in self.extensions.get(&of).into_iter().flatten() {
            let definition = self.world.definition(extension);
            let scope = definition.body.unwrap_or(definition.scope);
            let names_it = definition.bases.iter().any(|base| match base.target {
                Target::Type(ty) => {
                    matches!(self.written_outside(extension, scope, ty), Ty::Named(of, _) if of == interface)
                }
                Target::Value(_) => false,
            });
            if names_it {
                found.extend(self.world.declared(extension.file, scope, name));
            }
        }
        found
    }

    /// Returns whether a type has all members that an interface demands.
    pub(super) fn satisfies(&self, of: Def, interface: Def) -> bool {
        let is_interface = self.world.definition(interface).kind == DefinitionKind::Interface;
        if self.rules().satisfies() != Satisfaction::Structural || !is_interface || of == interface
        {
            return false;
        }
        if let Some(&known) = self.satisfied.borrow().get(&(of, interface)) {
            return known;
        }
        let asked = self.engine.asked();
        let has_it = self.has_all(of, interface);
        if asked == self.engine.asked() && !self.engine.is_exhausted() {
            self.satisfied.borrow_mut().insert((of, interface), has_it);
        }
        has_it
    }

    /// Returns the members that an interface demands.
    fn demands(&self, interface: Def) -> Rc<[Def]> {
        if let Some(known) = self.demands.borrow().get(&interface) {
            return known.clone();
        }
        let demands: Rc<[Def]> = self
            .ancestors(interface)
            .iter()
            .flatten()
            .flat_map(|ancestor| self.bodies(ancestor.def))
            .flat_map(|(file, scope)| {
                let definitions = self.world.file(file).definitions.iter();
                definitions
                    .filter(move |(_, definition)| {
                        definition.scope == scope && !definition.kind.is_type()
                    })
                    .map(move |(id, _)| Def { file, id })
            })
            .collect();
        self.demands.borrow_mut().insert(interface, demands.clone());
        demands
    }

    fn has_all(&self, of: Def, interface: Def) -> bool {
        let demands = self.demands(interface);
        let ty = Ty::Named(of, self.own_parameters(of));
        let place = (of.file, ScopeId::new(0));
        let has = |demand: &Def| {
            let definition = self.world.definition(*demand);
            match self.member(&ty, &definition.name, place, Mode::Plain) {
                Lookup::Found(found) => {
                    definition.kind != DefinitionKind::Function
                        || found.iter().any(|member| {
                            definition_of(member)
                                .is_none_or(|def| self.same_parameters(def, *demand))
                        })
                }
                _ => false,
            }
        };
        !demands.is_empty() && demands.iter().all(has)
    }
}
