//! Types as they are written, resolved.

use super::ty::{Def, FileId, Ty};
use super::{Mode, PARTS_MAX, Resolver, Substitution};
use crate::ir::*;
use crate::rules::TYPE;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Resolver<'_> {
    /// Returns the type that `id` states, looked up from `scope`.
    pub(super) fn written(&self, file: FileId, scope: ScopeId, id: TypeId) -> Ty {
        let key = (file, scope, id);
        if let Some(known) = self.written.borrow().get(&key) {
            return known.clone();
        }
        let asked = self.engine.asked();
        let ty = self.written_here(file, scope, id);
        // What values have is asked for each time: it costs, and can be part of a cycle.
        if asked == self.engine.asked() && !self.engine.is_exhausted() {
            self.written.borrow_mut().insert(key, ty.clone());
        }
        ty
    }

    fn written_here(&self, file: FileId, scope: ScopeId, id: TypeId) -> Ty {
        let facts = self.world.file(file);
        let all = |ids: &[TypeId]| -> Vec<Ty> {
            ids.iter().map(|&id| self.written(file, scope, id)).collect()
        };
        match &facts.types[id].kind {
            Type::Named { path, arguments } => {
                let arguments = all(arguments);
                self.named(file, scope, path, arguments)
            }
            Type::Parameter(id) => Ty::Parameter(Def { file, id: *id }),
            Type::Function { receiver, parameters, result } => {
                let receiver = receiver.map(|id| self.written(file, scope, id));
                Ty::Function(Rc::new((
                    receiver,
                    all(parameters),
                    self.written(file, scope, *result),
                )))
            }
            Type::Tuple(types) => Ty::Tuple(all(types).into()),
            Type::Record(fields) => {
                let fields =
                    fields.iter().map(|(name, id)| (name.clone(), self.written(file, scope, *id)));
                Ty::Record(fields.collect())
            }
            Type::OneOf(types) => Ty::one_of(all(types)),
            Type::AllOf(types) => Ty::AllOf(all(types).into()),
            Type::Projection { of, member } => self.project(self.written(file, scope, *of), member),
            Type::TypeOf(value) => self.type_of(file, *value, Mode::Plain),
            Type::Own => self.own_type(file, scope).map_or(Ty::Unknown, Ty::Own),
            Type::Literal(literal) => Ty::Literal(literal.clone()),
            Type::Opaque(_) | Type::Unknown => Ty::Unknown,
        }
    }

    /// Returns a base's type: names in it are looked up around the type before its own members.
    pub(super) fn written_outside(&self, def: Def, scope: ScopeId, id: TypeId) -> Ty {
        let definition = self.world.definition(def);
        if let Type::Named { path, arguments } = &self.world.file(def.file).types[id].kind {
            let arguments: Vec<Ty> =
                arguments.iter().map(|&id| self.written(def.file, scope, id)).collect();
            return self.named(def.file, definition.scope, path, arguments);
        }
        self.written(def.file, scope, id)
    }

    /// Returns the type whose values have the members around `scope`.
    pub(super) fn own_type(&self, file: FileId, scope: ScopeId) -> Option<Def> {
        let around = self.world.type_around(file, scope);
        let function = self.world.function_around(file, scope);
        let receiver = function.filter(|&function| self.world.extended(function).is_some());
        if let Some(function) = receiver {
            match self.extended_type(function) {
                Ty::Named(def, _) => return Some(def),
                _ => return around.map(|def| self.canonical(def)),
            }
        }
        let around = around?;
        if self.world.definition(around).kind != DefinitionKind::Extension {
            return Some(self.canonical(around));
        }
        match self.extended_type(around) {
            Ty::Named(def, _) | Ty::Parameter(def) => Some(def),
            _ => None,
        }
    }

    fn named(&self, file: FileId, scope: ScopeId, path: &[Name], arguments: Vec<Ty>) -> Ty {
        match self.path(file, scope, path) {
            Ty::Named(def, _) => self.instantiate(def, arguments),
            Ty::Unknown if self.is_imported_from_outside(file, &path[0]) => Ty::Outside,
            other => other,
        }
    }

    /// Returns a type with arguments; an alias is replaced, and `type<T>` is the type itself.
    pub(super) fn instantiate(&self, def: Def, arguments: Vec<Ty>) -> Ty {
        let definition = self.world.definition(def);
        if self.world.is_library(def.file) && &*definition.name == TYPE {
            let of = arguments.into_iter().next().unwrap_or(Ty::Unknown);
            return if of == Ty::Unknown { of } else { Ty::Class(Rc::new(of)) };
        }
        if let (DefinitionKind::Alias, Some(of)) = (definition.kind, definition.signature.result) {
            let scope = definition.body.unwrap_or(definition.scope);
            let is_cyclic = self.cyclic_aliases.contains(&def);
            let of = if is_cyclic {
                Ty::Unknown
            } else {
                self.step(Ty::Unknown, || self.written(def.file, scope, of))
            };
            let ty = self.substitution(def, &arguments).apply(&of);
            return if ty.is_larger_than(PARTS_MAX) { Ty::Unknown } else { ty };
        }
        Ty::Named(def, arguments.into())
    }

    /// Returns the substitution that puts `arguments` in for the parameters of `def`.
    pub(super) fn substitution(&self, def: Def, arguments: &[Ty]) -> Substitution {
        let generics = &self.world.definition(def).signature.generics;
        let parameters = generics.iter().map(|&id| Def { file: def.file, id });
        // What is not written is not known.
        let rest = std::iter::repeat_with(|| Ty::Unknown);
        let pairs = parameters.zip(arguments.iter().cloned().chain(rest));
        Substitution { parameters: pairs.collect(), own: None }
    }

    /// Returns the type or module that a dotted name is, without arguments.
    pub(super) fn path(&self, file: FileId, scope: ScopeId, path: &[Name]) -> Ty {
        let whole = path.iter().map(|name| &**name).collect::<Vec<_>>().join(".");
        if path.len() > 1
            && let [def, ..] = self.world.declared(self.world.library(), ScopeId::new(0), &whole)
        {
            return Ty::Named(*def, [].into());
        }
        let mut ty = self.type_name(file, scope, &path[0]);
        for name in &path[1..] {
            ty = self.nested(&ty, name);
        }
        if ty == Ty::Unknown
            && let Some(module) = path.len().checked_sub(1).filter(|&last| last > 0)
        {
            let around = path[..module].iter().map(|name| &**name).collect::<Vec<_>>().join(".");
            if let Some(scopes) = self.world.namespace(&around) {
                ty = self.nested(&Ty::Module(scopes), &path[module]);
            }
        }
        ty
    }

    /// Returns the type `name` that a type or module has as a member.
    fn nested(&self, of: &Ty, name: &str) -> Ty {
        match of {
            Ty::Module(scopes) => {
                let found = self.world.exported(scopes, name);
                let ty = found.iter().find_map(|&def| self.as_type(def));
                ty.or_else(|| self.world.submodule(scopes, name)).unwrap_or(Ty::Unknown)
            }
            Ty::Named(def, _) => self.inherited_type(*def, name).unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    /// Returns the type that a definition is, if it is one.
    pub(super) fn as_type(&self, def: Def) -> Option<Ty> {
        let definition = self.world.definition(def);
        match definition.kind {
            DefinitionKind::Namespace => {
                Some(Ty::Module(self.world.merged(def.file, definition.body?).into()))
            }
            DefinitionKind::TypeParameter => match definition.signature.result {
                Some(_) if self.is_finding_aliases.get() => Some(Ty::Parameter(def)),
                Some(_) if self.cyclic_aliases.contains(&def) => Some(Ty::Unknown),
                Some(of) => Some(self.written(def.file, definition.scope, of)),
                None => Some(Ty::Parameter(def)),
            },
            kind if kind.is_type() => Some(Ty::Named(self.canonical(def), [].into())),
            DefinitionKind::Variable => self.type_of_alias(def),
            _ => None,
        }
    }

    /// Returns the type that a variable names: its value is the name of one in its file, or of one
    /// that this file imports.
    fn type_of_alias(&self, def: Def) -> Option<Ty> {
        let facts = self.world.file(def.file);
        let results = &facts.scopes[self.world.definition(def).body?].results;
        let [value] = results[..] else { return None };
        let Expression::Name { name, .. } = &facts.expressions[value].kind else { return None };
        let scope = ScopeId::new(0);
        let mut found = self.world.declared(def.file, scope, name).to_vec();
        for import in facts.imports.iter().filter(|import| import.scope == scope) {
            let Imported::Names(names) = &import.imported else { continue };
            let original = names.iter().find(|(_, alias)| alias == name);
            if let (Some((original, _)), Some(Ty::Module(scopes))) =
                (original, self.world.module(&import.module, def.file))
            {
                found.extend(self.world.exported(&scopes, original));
            }
        }
        let is_type = |of: &Def| {
            let kind = self.world.definition(*of).kind;
            kind.is_type() && kind != DefinitionKind::TypeParameter
        };
        found.into_iter().find(is_type).map(|of| Ty::Named(self.canonical(of), [].into()))
    }

    /// Returns the type `name` that a type or one of its ancestors declares in its body.
    fn inherited_type(&self, def: Def, name: &str) -> Option<Ty> {
        let body = self.bodies(def).into_iter();
        let own = body.flat_map(|(file, scope)| self.world.declared(file, scope, name).to_vec());
        if let Some(ty) = own.into_iter().find_map(|def| self.as_type(def)) {
            return Some(ty);
        }
        let ancestors = self.ancestors(def);
        let declared = ancestors.iter().flatten().flat_map(|ancestor| self.bodies(ancestor.def));
        declared
            .flat_map(|(file, scope)| self.world.declared(file, scope, name).to_vec())
            .find_map(|def| self.as_type(def))
    }

    /// Returns the type that `name` is, looked up from `scope` outwards.
    pub(super) fn type_name(&self, file: FileId, scope: ScopeId, name: &str) -> Ty {
        let facts = self.world.file(file);
        let visible = self.rules().visible();
        let inherits = visible.members || visible.type_scopes;
        let mut at = Some(scope);
        while let Some(scope) = at {
            let here = &facts.scopes[scope];
            let declared = self.world.declared(file, scope, name);
            if let Some(ty) = declared.iter().find_map(|&def| self.as_type(def)) {
                return ty;
            }
            if inherits
                && here.kind == ScopeKind::Type
                && let Some(owner) = here.owner
            {
                let owner = Def { file, id: owner };
                if let Some(ty) = self.type_in(owner, scope, name) {
                    return ty;
                }
            }
            if let Some(ty) = self.imported_type(file, scope, name, false) {
                return ty;
            }
            // What is imported whole comes behind the file's module, but before the rest of the tree.
            if (here.kind != ScopeKind::File || self.rules().visible().tree)
                && let Some(ty) = self.imported_type(file, scope, name, true)
            {
                return ty;
            }
            at = here.parent;
        }
        self.top_level(file, name)
            .iter()
            .find_map(|&def| self.as_type(def))
            .or_else(|| self.imported_type(file, ScopeId::new(0), name, true))
            .or_else(|| self.library_type(name).and_then(|def| self.as_type(def)))
            .or_else(|| self.world.namespace(name).map(Ty::Module))
            .unwrap_or(Ty::Unknown)
    }

    /// Looks up a type in the body of a type, its bases, or the other parts of a namespace.
    fn type_in(&self, owner: Def, scope: ScopeId, name: &str) -> Option<Ty> {
        match self.world.definition(owner).kind {
            DefinitionKind::Namespace => {
                let scopes = self.world.merged(owner.file, scope);
                let declared =
                    scopes.iter().flat_map(|&(file, scope)| self.world.declared(file, scope, name));
                declared.copied().find_map(|def| self.as_type(def))
            }
            DefinitionKind::Extension => match self.extended_type(owner) {
                Ty::Named(def, _) => self.inherited_type(def, name),
                _ => None,
            },
            _ => self.inherited_type(self.canonical(owner), name),
        }
    }

    /// Returns the type that imports of a scope give under `name`: those that take a module whole,
    /// or the others, which come before what the file's module has.
    fn imported_type(&self, file: FileId, scope: ScopeId, name: &str, whole: bool) -> Option<Ty> {
        let decides = self.rules().visible().imports_decide;
        let imports = self.world.file(file).imports.iter().enumerate();
        for (at, import) in imports.filter(|(_, import)| {
            import.scope == scope && (import.imported == Imported::All) == whole
        }) {
            let original = match &import.imported {
                Imported::Module(_) if self.world.names_module(file, at, name) => {
                    match self.world.imported_module(file, at) {
                        Some(module) => return Some(module),
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
            let found = match self.world.imported_module(file, at) {
                Some(Ty::Class(of)) => self.nested(&of, original),
                Some(of) => self.nested(&of, original),
                None => Ty::Unknown,
            };
            if found != Ty::Unknown {
                return Some(found);
            }
            // A function can be imported under the name, too.
            if decides && !whole && self.world.imported_module(file, at).is_none() {
                return Some(Ty::Outside);
            }
        }
        None
    }

    /// Returns what `member` of a type is: of a value's type, what that declares.
    pub(super) fn project(&self, of: Ty, member: &Name) -> Ty {
        self.step(Ty::Unknown, || self.project_step(of, member))
    }

    fn project_step(&self, of: Ty, member: &Name) -> Ty {
        let (def, arguments) = match &of {
            Ty::Named(def, arguments) => (*def, arguments.clone()),
            Ty::Own(def) if self.world.definition(*def).kind == DefinitionKind::Class => {
                (*def, self.own_parameters(*def))
            }
            Ty::Unknown | Ty::Outside => return Ty::Unknown,
            _ => return Ty::Projection(Rc::new(of), member.clone()),
        };
        for ancestor in self.ancestors(def).iter().flatten() {
            let extensions = self.extensions.get(&ancestor.def).into_iter().flatten();
            let added =
                extensions.filter_map(|of| Some((of.file, self.world.definition(*of).body?)));
            for (file, scope) in self.bodies(ancestor.def).into_iter().chain(added) {
                for &found in self.world.declared(file, scope, member) {
                    let definition = self.world.definition(found);
                    if matches!(
                        definition.kind,
                        DefinitionKind::Class | DefinitionKind::Interface | DefinitionKind::Mixin
                    ) {
                        return Ty::Named(self.canonical(found), [].into());
                    }
                    if let Some(result) =
                        definition.signature.result.filter(|_| definition.kind.is_type())
                    {
                        let ty = self.written(file, scope, result);
                        return self.substitution(def, &arguments).apply(&ty);
                    }
                }
            }
        }
        if let Some(ty) = self.witnessed(def, member) {
            return self.substitution(def, &arguments).apply(&ty);
        }
        Ty::Projection(Rc::new(of), member.clone())
    }

    /// Returns what the functions of a type show that an associated type of its interfaces is.
    fn witnessed(&self, def: Def, member: &Name) -> Option<Ty> {
        for ancestor in self.ancestors(def).iter().flatten().skip(1) {
            for (file, scope) in self.bodies(ancestor.def) {
                for (id, definition) in self.world.file(file).definitions.iter() {
                    let Some(result) =
                        definition.signature.result.filter(|_| definition.scope == scope)
                    else {
                        continue;
                    };
                    let demanded = Def { file, id };
                    if definition.kind != DefinitionKind::Function {
                        continue;
                    }
                    let pattern = self.written(file, definition.body.unwrap_or(scope), result);
                    for (file, scope) in self.bodies(def) {
                        for &own in self.world.declared(file, scope, &definition.name) {
                            let Some((_, _, result)) =
                                self.signature_type(own).filter(|_| own != demanded)
                            else {
                                continue;
                            };
                            if let Some(ty) = at_projection(&pattern, &result, member) {
                                return Some(ty);
                            }
                        }
                    }
                }
            }
        }
        None
    }

    /// Computes the projections in a type whose parameters were put in.
    pub(super) fn normalize(&self, ty: &Ty) -> Ty {
        ty.map(&|part| match part {
            Ty::Projection(of, name) => {
                let of = self.normalize(of);
                let known = self.project(of.clone(), name);
                Some(known)
            }
            _ => None,
        })
    }

    /// Returns the type of a parameter of `def`, as written there.
    pub(super) fn parameter_type(&self, def: Def, position: usize) -> Option<Ty> {
        let definition = self.world.definition(def);
        let parameter = definition.signature.parameters.as_ref()?.get(position)?;
        let scope = definition.body.unwrap_or(definition.scope);
        Some(self.written(def.file, scope, parameter.r#type?))
    }

    /// Returns the bounds of a type parameter, and those of the parameters among them.
    pub(super) fn bounds(&self, def: Def) -> Vec<Ty> {
        let mut open = vec![def];
        let mut bounds = Vec::new();
        let mut at = 0;
        while let Some(&parameter) = open.get(at) {
            at += 1;
            let definition = self.world.definition(parameter);
            for base in &definition.bases {
                let Target::Type(of) = base.target else { continue };
                match self.written(parameter.file, definition.scope, of) {
                    Ty::Parameter(other) if open.contains(&other) => {}
                    Ty::Parameter(other) => open.push(other),
                    ty => bounds.push(ty),
                }
            }
        }
        bounds
    }

    /// Finds aliases, and parameters with a default, whose types lead back to themselves: these are
    /// unknown.
    pub(super) fn find_cyclic_aliases(&mut self) {
        self.is_finding_aliases.set(true);
        self.cyclic_aliases.clear();
        let mut mentions: Vec<(Def, Vec<Def>)> = Vec::new();
        for &def in &self.world.types {
            let definition = self.world.definition(def);
            let is_one =
                matches!(definition.kind, DefinitionKind::Alias | DefinitionKind::TypeParameter);
            if let (true, Some(of)) = (is_one, definition.signature.result) {
                let mut found = Vec::new();
                let scope = definition.body.unwrap_or(definition.scope);
                self.mentioned(def.file, scope, of, &mut found);
                mentions.push((def, found));
            }
        }
        self.is_finding_aliases.set(false);
        // What mentions none of the rest does not lead back.
        let mut rest: FxHashSet<Def> = mentions.iter().map(|(def, _)| *def).collect();
        loop {
            let before = rest.len();
            mentions.retain(|(def, found)| {
                let leads_on = found.iter().any(|of| rest.contains(of));
                if !leads_on {
                    rest.remove(def);
                }
                leads_on
            });
            if rest.len() == before {
                break;
            }
        }
        self.cyclic_aliases = rest;
    }

    /// Adds the types that a written type names.
    fn mentioned(&self, file: FileId, scope: ScopeId, id: TypeId, found: &mut Vec<Def>) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            match &self.world.file(file).types[id].kind {
                Type::Named { path, arguments } => {
                    if let Ty::Named(def, _) | Ty::Parameter(def) = self.path(file, scope, path) {
                        found.push(def);
                    }
                    open.extend(arguments);
                }
                Type::Parameter(id) => found.push(Def { file, id: *id }),
                Type::Function { receiver, parameters, result } => {
                    open.extend(receiver.iter().chain(parameters).chain([result]));
                }
                Type::Tuple(types) | Type::OneOf(types) | Type::AllOf(types) => open.extend(types),
                Type::Record(fields) => open.extend(fields.iter().map(|(_, id)| id)),
                Type::Projection { of, .. } => open.push(*of),
                _ => {}
            }
        }
    }
}

/// Returns what `ty` has where `pattern` has the projection `member` of its own type.
fn at_projection(pattern: &Ty, ty: &Ty, member: &Name) -> Option<Ty> {
    match (pattern, ty) {
        (Ty::Projection(of, name), _) if matches!(**of, Ty::Own(_)) && name == member => {
            Some(ty.clone())
        }
        (Ty::Named(one, patterns), Ty::Named(other, types)) if one == other => patterns
            .iter()
            .zip(types.iter())
            .find_map(|(pattern, ty)| at_projection(pattern, ty, member)),
        _ => None,
    }
}
