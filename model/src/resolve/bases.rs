//! Open types, extensions, bases, and the order in which a type's ancestors are searched.
//!
//! Bases are computed in rounds, each from the last one's: looking up the name of a base can need
//! other bases (a nested type that is inherited), and is not monotone (an inherited name hides an
//! outer one). What has not settled after [`ROUNDS`] is unknown.

use super::ty::{Def, FileId, Ty};
use super::world::ResolvedBase;
use super::{Ancestor, Resolver};
use crate::ir::{BaseKind, BindingId, Definition, DefinitionKind, Name, Target};
use crate::rules::Linearization;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How far bases of bases are followed.
const ANCESTORS_DEPTH: usize = 100;

/// How often bases are computed at the most.
const ROUNDS: usize = 8;

impl Resolver<'_> {
    /// Finds the definitions that together are one type.
    pub(super) fn join_open_types(&mut self) {
        let open = self.rules().member_sources().open_types;
        let mut by_name: FxHashMap<String, Vec<Def>> = FxHashMap::default();
        for &def in &self.world.types {
            let definition = self.world.definition(def);
            if definition.kind == DefinitionKind::Extension || self.world.is_library(def.file) {
                continue;
            }
            let name = self.qualified(def);
            by_name.entry(name).or_default().push(def);
        }
        for all in by_name.into_values() {
            let is_declared = |def: &Def| self.world.definition(*def).signature.is_declaration;
            let first = all.iter().find(|def| !is_declared(def)).unwrap_or(&all[0]);
            let joined: Vec<Def> = all
                .iter()
                .copied()
                .filter(|def| open || def == first || is_declared(def))
                .collect();
            for &def in &joined {
                self.canonical.insert(def, *first);
            }
            self.parts.insert(*first, joined);
        }
    }

    /// Returns the dotted name of a definition.
    fn qualified(&self, def: Def) -> String {
        let file = self.world.file(def.file);
        let mut path = vec![file.definitions[def.id].name.to_string()];
        let mut at = Some(file.definitions[def.id].scope);
        while let Some(scope) = at {
            path.extend(
                file.scopes[scope].owner.map(|owner| file.definitions[owner].name.to_string()),
            );
            at = file.scopes[scope].parent;
        }
        path.extend(file.module.as_deref().map(str::to_string));
        path.reverse();
        path.join(".")
    }

    /// Returns the definition that stands for the type of `def`.
    pub(super) fn canonical(&self, def: Def) -> Def {
        self.canonical.get(&def).copied().unwrap_or(def)
    }

    /// Returns all definitions of the type of `def`.
    pub(super) fn parts_of(&self, def: Def) -> Vec<Def> {
        let canonical = self.canonical(def);
        self.parts.get(&canonical).cloned().unwrap_or_else(|| vec![canonical])
    }

    pub(super) fn resolve_bases(&mut self) {
        self.asked_bases.set(false);
        self.find_cyclic_aliases();
        self.resolve_extensions();
        for round in 0..=ROUNDS {
            let bases = self.one_round();
            self.ancestors.borrow_mut().clear();
            self.written.borrow_mut().clear();
            // The first round is the last one where no look-up asked for members of a base.
            if !self.asked_bases.get() {
                self.world.bases = bases;
                return;
            }
            if bases == self.world.bases {
                return;
            }
            if round == ROUNDS {
                let settled =
                    |of: &Def, now: &Vec<ResolvedBase>| self.world.bases.get(of) == Some(now);
                let kept = bases.into_iter().filter(|(of, now)| settled(of, now)).collect();
                self.world.bases = kept;
                self.written.borrow_mut().clear();
                return;
            }
            self.world.bases = bases;
            self.written.borrow_mut().clear();
            self.find_cyclic_aliases();
            self.resolve_extensions();
        }
    }

    /// Finds which type each extension, and each function with a receiver type, adds to.
    fn resolve_extensions(&mut self) {
        let mut extensions: FxHashMap<Def, Vec<Def>> = FxHashMap::default();
        let mut methods: FxHashMap<(Def, Name), Vec<Def>> = FxHashMap::default();
        let mut extended_types = FxHashMap::default();
        let mut class_extensions: FxHashMap<Def, Vec<Def>> = FxHashMap::default();
        let mut blankets = Vec::new();
        for (at, file) in self.world.files.iter().enumerate() {
            for (id, definition) in file.definitions.iter() {
                let def = Def { file: FileId(u32::try_from(at).unwrap_or(0)), id };
                let is_function = definition.kind == DefinitionKind::Function;
                if definition.kind != DefinitionKind::Extension
                    && !(is_function && self.world.extended(def).is_some())
                {
                    continue;
                }
                let ty = self.find_extended_type(def);
                extended_types.insert(def, ty.clone());
                match ty {
                    Ty::Named(of, _) if is_function => {
                        methods.entry((of, definition.name.clone())).or_default().push(def);
                    }
                    Ty::Named(of, _) => extensions.entry(of).or_default().push(def),
                    Ty::Class(of) => {
                        if let Ty::Named(of, _) = *of {
                            class_extensions.entry(of).or_default().push(def);
                        }
                    }
                    Ty::Parameter(_) if !is_function => blankets.push(def),
                    _ => {}
                }
            }
        }
        self.extensions = extensions;
        self.methods = methods;
        self.extended_types = extended_types;
        self.class_extensions = class_extensions;
        self.blankets = blankets;
        self.written.borrow_mut().clear();
    }

    /// Returns the type that an extension adds to, behind pointers where functions are members.
    pub(super) fn extended_type(&self, def: Def) -> Ty {
        match self.extended_types.get(&def) {
            Some(ty) => ty.clone(),
            None => self.find_extended_type(def),
        }
    }

    fn find_extended_type(&self, def: Def) -> Ty {
        let definition = self.world.definition(def);
        let ty = match self.world.extended(def) {
            Some(of) => self.written(def.file, definition.scope, of),
            None => self.path(def.file, definition.scope, std::slice::from_ref(&definition.name)),
        };
        let is_member = definition.kind == DefinitionKind::Extension
            || self.rules().member_sources().functions_on_are_members;
        if is_member { self.pointee(ty) } else { ty }
    }

    /// Returns what a pointer of the library points to.
    fn pointee(&self, ty: Ty) -> Ty {
        if let Ty::Named(of, arguments) = &ty
            && self.world.is_library(of.file)
            && self
                .world
                .definition(*of)
                .yields
                .iter()
                .any(|(p, _)| *p == crate::ir::Protocol::Dereference)
            && let Some(inner) = arguments.first()
        {
            return inner.clone();
        }
        ty
    }

    fn one_round(&self) -> FxHashMap<Def, Vec<ResolvedBase>> {
        let mut bases: FxHashMap<Def, Vec<ResolvedBase>> = FxHashMap::default();
        for &def in &self.world.types {
            let definition = self.world.definition(def);
            let (of, parameters) = if definition.kind == DefinitionKind::Extension {
                match self.extended_type(def) {
                    Ty::Named(of, arguments) => (of, self.mapping(of, &arguments)),
                    // Bases of a type itself, or of all that fit, are found where they are asked for.
                    _ => (def, Vec::new()),
                }
            } else {
                (self.canonical(def), Vec::new())
            };
            let found = self.bases_of(def, definition);
            let rename = |ty: &Ty| match ty {
                Ty::Parameter(of) => {
                    parameters.iter().find(|(from, _)| from == of).map(|(_, to)| to.clone())
                }
                _ => None,
            };
            let found =
                found.into_iter().map(|base| ResolvedBase { ty: base.ty.map(&rename), ..base });
            let all = bases.entry(of).or_default();
            for base in found {
                if !all.contains(&base) {
                    all.push(base);
                }
            }
        }
        bases
    }

    /// Maps the parameters that an extension uses as arguments to those of the type.
    fn mapping(&self, of: Def, arguments: &[Ty]) -> Vec<(Def, Ty)> {
        let generics = &self.world.definition(of).signature.generics;
        let pairs =
            arguments.iter().zip(generics).filter_map(|(argument, &generic)| match argument {
                Ty::Parameter(from) => {
                    Some((*from, Ty::Parameter(Def { file: of.file, id: generic })))
                }
                _ => None,
            });
        pairs.collect()
    }

    fn bases_of(&self, def: Def, definition: &Definition) -> Vec<ResolvedBase> {
        // A base is looked up from the body: parameters and names around it are visible there.
        let scope = definition.body.unwrap_or(definition.scope);
        let resolve = |base: &crate::ir::Base| {
            let ty = match base.target {
                Target::Type(of) => self.written_outside(def, scope, of),
                Target::Value(_) => Ty::Unknown,
            };
            ResolvedBase { kind: base.kind, ty, renames: base.renames.clone() }
        };
        definition.bases.iter().map(resolve).collect()
    }

    /// Returns the bases of a type.
    pub(super) fn bases(&self, def: Def) -> &[ResolvedBase] {
        self.world.bases.get(&def).map_or(&[], Vec::as_slice)
    }

    /// Returns the types whose members a type has, by level: the first level that has a name wins.
    pub(super) fn ancestors(&self, def: Def) -> Rc<[Vec<Ancestor>]> {
        self.asked_bases.set(true);
        if let Some(known) = self.ancestors.borrow().get(&def) {
            return known.clone();
        }
        let own = self.own_parameters(def);
        let itself = Ancestor { def, arguments: own, renames: [].into() };
        let found: Vec<Vec<Ancestor>> = match self.rules().linearize() {
            Linearization::Levels => self.levels(itself),
            Linearization::Merged => {
                let merged = self.merged(def, &mut Vec::new(), &mut FxHashMap::default());
                merged.into_iter().map(|ancestor| vec![ancestor]).collect()
            }
            Linearization::Ancestors => {
                let mut order = Vec::new();
                self.depth_first(itself, 0, &mut order, &mut FxHashSet::default());
                order.into_iter().map(|ancestor| vec![ancestor]).collect()
            }
        };
        let found: Rc<[Vec<Ancestor>]> = found.into();
        self.ancestors.borrow_mut().insert(def, found.clone());
        found
    }

    /// Returns a type's parameters as its arguments.
    pub(super) fn own_parameters(&self, def: Def) -> Rc<[Ty]> {
        let generics = &self.world.definition(def).signature.generics;
        generics.iter().map(|&id| Ty::Parameter(Def { file: def.file, id })).collect()
    }

    /// Returns the bases of `of` of one of `kinds`, with its arguments put in.
    fn parents(&self, of: &Ancestor, kinds: &[BaseKind]) -> Vec<Ancestor> {
        let substitution = self.substitution(of.def, &of.arguments);
        let bases = self.bases(of.def).iter().filter(|base| kinds.contains(&base.kind));
        let parents = bases.filter_map(|base| match self.pointee(substitution.apply(&base.ty)) {
            Ty::Named(def, arguments) => {
                let renames: Rc<[(Name, Option<Name>)]> = base.renames.clone().into();
                Some(Ancestor { def, arguments, renames })
            }
            _ => None,
        });
        parents.collect()
    }

    fn depth_first(
        &self,
        of: Ancestor,
        depth: usize,
        order: &mut Vec<Ancestor>,
        seen: &mut FxHashSet<Def>,
    ) {
        if depth > ANCESTORS_DEPTH || !seen.insert(of.def) {
            return;
        }
        for parent in self.parents(&of, &[BaseKind::Prepends]).into_iter().rev() {
            self.depth_first(parent, depth + 1, order, seen);
        }
        order.push(of.clone());
        for parent in self.parents(&of, &[BaseKind::Mixes]).into_iter().rev() {
            self.depth_first(parent, depth + 1, order, seen);
        }
        for kind in [BaseKind::Extends, BaseKind::Embeds, BaseKind::Implements, BaseKind::Delegates]
        {
            for parent in self.parents(&of, &[kind]) {
                self.depth_first(parent, depth + 1, order, seen);
            }
        }
    }

    fn levels(&self, itself: Ancestor) -> Vec<Vec<Ancestor>> {
        const KINDS: [BaseKind; 4] =
            [BaseKind::Extends, BaseKind::Embeds, BaseKind::Implements, BaseKind::Mixes];
        let mut seen = FxHashSet::from_iter([itself.def]);
        let mut levels = vec![vec![itself]];
        while levels.len() <= ANCESTORS_DEPTH
            && let Some(last) = levels.last()
        {
            let next: Vec<Ancestor> = last
                .iter()
                .flat_map(|of| self.parents(of, &KINDS))
                .filter(|parent| seen.insert(parent.def))
                .collect();
            if next.is_empty() {
                break;
            }
            levels.push(next);
        }
        levels
    }

    /// Merges the orders of the bases so that each order is kept (C3); where they conflict, the
    /// rest is left out.
    fn merged(
        &self,
        def: Def,
        around: &mut Vec<Def>,
        known: &mut FxHashMap<Def, Vec<Ancestor>>,
    ) -> Vec<Ancestor> {
        let itself = Ancestor { def, arguments: self.own_parameters(def), renames: [].into() };
        if around.contains(&def) || around.len() > ANCESTORS_DEPTH {
            return Vec::new();
        }
        if let Some(known) = known.get(&def) {
            return known.clone();
        }
        around.push(def);
        let parents = self.parents(&itself, &[BaseKind::Extends, BaseKind::Implements]);
        let mut orders: Vec<Vec<Ancestor>> = parents
            .iter()
            .map(|parent| {
                let substitution = self.substitution(parent.def, &parent.arguments);
                let put_in = |ancestor: Ancestor| Ancestor {
                    arguments: ancestor.arguments.iter().map(|ty| substitution.apply(ty)).collect(),
                    ..ancestor
                };
                self.merged(parent.def, around, known).into_iter().map(put_in).collect()
            })
            .collect();
        around.pop();
        orders.push(parents);
        let mut order = vec![itself];
        loop {
            orders.retain(|rest| !rest.is_empty());
            let is_free = |head: &Ancestor| {
                !orders.iter().any(|rest| rest[1..].iter().any(|a| a.def == head.def))
            };
            let Some(next) = orders.iter().map(|rest| &rest[0]).find(|head| is_free(head)).cloned()
            else {
                known.insert(def, order.clone());
                return order;
            };
            orders.iter_mut().for_each(|rest| rest.retain(|ancestor| ancestor.def != next.def));
            order.push(next);
        }
    }

    /// Lists, now that bases are known, who has which ancestors, and what methods assign.
    pub(super) fn index_users(&mut self) {
        let mut users: FxHashMap<Def, Vec<Def>> = FxHashMap::default();
        for &of in &self.world.types {
            let is_type = self.world.definition(of).kind != DefinitionKind::Extension;
            if !is_type || self.canonical(of) != of {
                continue;
            }
            for ancestor in self.ancestors(of).iter().flatten().filter(|a| a.def != of) {
                let all = users.entry(ancestor.def).or_default();
                if all.last() != Some(&of) {
                    all.push(of);
                }
            }
        }
        let mut assigned: FxHashMap<(Def, Name), Vec<(FileId, BindingId)>> = FxHashMap::default();
        for (name, bindings) in self.world.all_assigned_own() {
            for &(file, id) in bindings {
                let scope = self.world.file(file).bindings[id].scope;
                if let Some(of) = self.own_type(file, scope) {
                    assigned.entry((of, name.clone())).or_default().push((file, id));
                }
            }
        }
        self.users = users;
        self.assigned = assigned;
    }

    /// Returns what methods of a type assign to its member `name`.
    pub(super) fn assigned_in(&self, of: Def, name: &str) -> &[(FileId, BindingId)] {
        self.assigned.get(&(of, name.into())).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a base of `def` is not known, so that members may come from it.
    pub(super) fn has_unknown_base(&self, def: Def) -> bool {
        let ancestors = self.ancestors(def);
        let bases = ancestors.iter().flatten().flat_map(|ancestor| self.bases(ancestor.def));
        bases.into_iter().any(|base| matches!(base.ty, Ty::Unknown | Ty::Outside))
    }

    /// Returns whether each value of `from` is one of `to`, by what types declare.
    pub(super) fn extends(&self, from: Def, to: Def) -> bool {
        self.ancestors(from).iter().flatten().any(|ancestor| ancestor.def == to)
    }
}
