//! All files of a program with the library, and what is computed of them as a whole: names by
//! scope, modules, namespaces, exports and bases.

use super::ty::{Def, FileId, Scopes, Ty};
use crate::ir::*;
use crate::rules::{Module, Rules, Tree};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// The number of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

/// A base whose type is known.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedBase {
    /// How members are taken.
    pub kind: BaseKind,
    /// The base, in terms of the type's own parameters.
    pub ty: Ty,
    /// Members with another name, or none.
    pub renames: Vec<(Name, Option<Name>)>,
}

/// The files and what is known of them as a whole.
pub struct World<'w> {
    /// All files; the library is the last.
    pub files: Vec<&'w File>,
    /// The language's rules.
    pub rules: &'w dyn Rules,
    /// The paths of the files, for imports.
    tree: Tree,
    /// What imports lead to, by file and position.
    modules: RefCell<FxHashMap<(FileId, usize), Option<Ty>>>,
    /// Names that a body of the file declares.
    locals: FxHashSet<(FileId, Symbol)>,
    /// Names of definitions and bindings, numbered.
    names: FxHashMap<Name, Symbol>,
    /// Definitions by scope and name. Regions with a condition declare in the scope around them.
    declared: FxHashMap<(FileId, ScopeId, Symbol), Vec<Def>>,
    /// Bindings of names and, by `true`, of members of the receiver, by scope and name.
    bindings: FxHashMap<(FileId, ScopeId, Symbol), Vec<BindingId>>,
    /// The binding whose value an expression is a part of.
    binding_of: Vec<Vec<Option<BindingId>>>,
    /// The value that is the call of a use.
    calls: Vec<Vec<Option<ExpressionId>>>,
    /// The value and binding of a lambda's scope.
    lambdas: FxHashMap<(FileId, ScopeId), (ExpressionId, Option<BindingId>)>,
    /// Modules and namespaces by their dotted names.
    namespaces: FxHashMap<Name, usize>,
    /// Their scopes.
    namespace_scopes: Vec<Vec<(FileId, ScopeId)>>,
    /// The module of each file.
    module_of: Vec<usize>,
    /// Definitions in the scopes of a namespace, by name.
    members: FxHashMap<(usize, Symbol), Vec<Def>>,
    /// A file passes names on, or lists what it gives.
    has_exports: bool,
    /// Uses by name, for what is asked of all callers.
    uses: FxHashMap<Name, Vec<(FileId, UseId)>>,
    /// Member bindings by the member's name.
    assigned: FxHashMap<Name, Vec<(FileId, BindingId)>>,
    /// Those that assign a member of the receiver.
    assigned_own: FxHashMap<Name, Vec<(FileId, BindingId)>>,
    /// Constructors by scope.
    constructors: FxHashMap<(FileId, ScopeId), Vec<Def>>,
    /// Definitions that functions decorate.
    pub decorated: Vec<Def>,
    /// Records by the names of their fields.
    records: FxHashMap<Name, Vec<(FileId, ExpressionId)>>,
    /// The record that a record is a field of, with the field's name.
    outer_records: FxHashMap<(FileId, ExpressionId), (ExpressionId, Name)>,
    /// Functions with a receiver type and extensions, by the name of a member.
    extensions: FxHashMap<Name, Vec<Def>>,
    /// Names of macros.
    macros: FxHashSet<Name>,
    /// Functions that types have, by name.
    methods: FxHashMap<Name, Vec<Def>>,
    /// Members without a body, by name.
    demanded: FxHashMap<Name, Vec<Def>>,
    /// All types and extensions.
    pub types: Vec<Def>,
    /// Their bases, extensions' included.
    pub bases: FxHashMap<Def, Vec<ResolvedBase>>,
}

impl<'w> World<'w> {
    /// Indexes `files`. Bases are still empty.
    pub fn new(files: Vec<&'w File>, rules: &'w dyn Rules) -> Self {
        let sources = files[..files.len() - 1].iter().copied();
        let mut world = World {
            tree: Tree::new(sources),
            modules: RefCell::default(),
            locals: FxHashSet::default(),
            files,
            rules,
            names: FxHashMap::default(),
            declared: FxHashMap::default(),
            bindings: FxHashMap::default(),
            binding_of: Vec::new(),
            calls: Vec::new(),
            lambdas: FxHashMap::default(),
            namespaces: FxHashMap::default(),
            namespace_scopes: Vec::new(),
            module_of: Vec::new(),
            members: FxHashMap::default(),
            has_exports: false,
            uses: FxHashMap::default(),
            assigned: FxHashMap::default(),
            assigned_own: FxHashMap::default(),
            constructors: FxHashMap::default(),
            decorated: Vec::new(),
            records: FxHashMap::default(),
            outer_records: FxHashMap::default(),
            extensions: FxHashMap::default(),
            macros: FxHashSet::default(),
            methods: FxHashMap::default(),
            demanded: FxHashMap::default(),
            types: Vec::new(),
            bases: FxHashMap::default(),
        };
        for index in 0..world.files.len() {
            let file = FileId(u32::try_from(index).expect("fewer files than 2^32"));
            world.index_definitions(file);
            world.index_values(file);
        }
        world.index_members();
        world
    }

    /// Lists what the scopes of each module and namespace declare.
    fn index_members(&mut self) {
        let mut namespace_of = FxHashMap::default();
        for (namespace, scopes) in self.namespace_scopes.iter().enumerate() {
            namespace_of.extend(scopes.iter().map(|&scope| (scope, namespace)));
        }
        let mut members: FxHashMap<(usize, Symbol), Vec<Def>> = FxHashMap::default();
        for (at, facts) in self.files.iter().enumerate() {
            let file = FileId(u32::try_from(at).expect("fewer files than 2^32"));
            for (id, definition) in facts.definitions.iter() {
                let Some(&name) = self.names.get(&definition.name) else { continue };
                for scope in declaring(facts, definition.scope) {
                    if let Some(&namespace) = namespace_of.get(&(file, scope)) {
                        members.entry((namespace, name)).or_default().push(Def { file, id });
                    }
                }
            }
        }
        self.members = members;
    }

    fn number(&mut self, name: &Name) -> Symbol {
        let next = self.names.len();
        match self.names.get(name) {
            Some(&known) => known,
            None => {
                let number = Symbol(u32::try_from(next).expect("fewer names than 2^32"));
                self.names.insert(name.clone(), number);
                number
            }
        }
    }

    /// Adds a scope to the namespace `name`, and returns it.
    fn add_scope(&mut self, name: &str, scope: (FileId, ScopeId)) -> usize {
        let next = self.namespace_scopes.len();
        let namespace = *self.namespaces.entry(name.into()).or_insert(next);
        if namespace == next {
            self.namespace_scopes.push(Vec::new());
        }
        self.namespace_scopes[namespace].push(scope);
        namespace
    }

    fn index_definitions(&mut self, id: FileId) {
        let file = self.files[id.0 as usize];
        if !self.is_library(id) {
            let module = file.module.as_deref().unwrap_or("");
            let module = self.add_scope(module, (id, ScopeId::new(0)));
            self.module_of.push(module);
            self.has_exports |= !file.exports.is_empty();
        }
        for (definition_id, definition) in file.definitions.iter() {
            let def = Def { file: id, id: definition_id };
            let name = self.number(&definition.name);
            if definition.scope.index() != 0 {
                self.locals.insert((id, name));
            }
            for parameter in definition.signature.parameters.iter().flatten() {
                let name = self.number(&parameter.name);
                self.locals.insert((id, name));
            }
            for scope in declaring(file, definition.scope) {
                self.declared.entry((id, scope, name)).or_default().push(def);
            }
            if definition.bases.iter().any(|base| base.kind == BaseKind::Decorates) {
                self.decorated.push(def);
            }
            if definition.kind == DefinitionKind::Constructor
                || self.rules.construct().members.contains(&&*definition.name)
            {
                self.constructors.entry((id, definition.scope)).or_default().push(def);
            }
            let around = file.scopes[definition.scope].owner.map(|of| file.definitions[of].kind);
            if definition.kind == DefinitionKind::Function
                && around.is_some_and(DefinitionKind::is_type)
            {
                self.methods.entry(definition.name.clone()).or_default().push(def);
            }
            match definition.kind {
                DefinitionKind::Namespace => {
                    if let Some(body) = definition.body {
                        let name = self.namespace_name(id, definition_id);
                        self.add_scope(&name, (id, body));
                    }
                }
                DefinitionKind::Extension => self.types.push(def),
                DefinitionKind::Macro => {
                    self.macros.insert(definition.name.clone());
                }
                kind if kind.is_type() => self.types.push(def),
                DefinitionKind::Function if self.extended(def).is_some() => {
                    self.extensions.entry(definition.name.clone()).or_default().push(def);
                }
                DefinitionKind::Function
                    if definition.signature.is_declaration
                        && definition.signature.receiver.is_some() =>
                {
                    self.demanded.entry(definition.name.clone()).or_default().push(def);
                }
                _ => {}
            }
        }
    }

    fn namespace_name(&self, file: FileId, id: DefinitionId) -> String {
        let facts = self.files[file.0 as usize];
        let definition = &facts.definitions[id];
        let around = facts.scopes[definition.scope].owner;
        match around {
            Some(owner) => format!("{}.{}", self.namespace_name(file, owner), definition.name),
            None => match facts.module.as_deref() {
                Some(module) => format!("{module}.{}", definition.name),
                None => definition.name.to_string(),
            },
        }
    }

    fn index_values(&mut self, id: FileId) {
        let file = self.files[id.0 as usize];
        self.binding_of.push(vec![None; file.expressions.len()]);
        self.calls.push(vec![None; file.uses.len()]);
        for (binding_id, binding) in file.bindings.iter() {
            if let Some(of) = binding.of {
                if matches!(file.expressions[of].kind, Expression::Own) {
                    let own = self.assigned_own.entry(binding.name.clone()).or_default();
                    own.push((id, binding_id));
                }
                self.assigned.entry(binding.name.clone()).or_default().push((id, binding_id));
            } else {
                let name = self.number(&binding.name);
                if binding.scope.index() != 0 {
                    self.locals.insert((id, name));
                }
                let key = (id, binding.scope, name);
                self.bindings.entry(key).or_default().push(binding_id);
            }
            if let Some(value) = binding.value
                && let Expression::Lambda { scope, .. } = file.expressions[value].kind
            {
                self.lambdas.insert((id, scope), (value, Some(binding_id)));
            }
            let mut rest: Vec<ExpressionId> = binding.value.into_iter().collect();
            while let Some(part) = rest.pop() {
                self.binding_of[id.0 as usize][part.index()] = Some(binding_id);
                rest.extend(parts(file, part));
            }
        }
        for (use_id, of) in file.uses.iter() {
            if let Some(name) = &of.name {
                self.uses.entry(name.clone()).or_default().push((id, use_id));
            }
        }
        for (expression, node) in file.expressions.iter() {
            match &node.kind {
                Expression::Record { fields, .. } => {
                    for (name, value) in fields {
                        let inner = &file.expressions[*value].kind;
                        if matches!(inner, Expression::Record { r#type: None, .. }) {
                            let outer = (expression, name.clone());
                            self.outer_records.insert((id, *value), outer);
                        }
                        self.records.entry(name.clone()).or_default().push((id, expression));
                    }
                }
                Expression::Call(of) => {
                    self.calls[id.0 as usize][of.index()].get_or_insert(expression);
                }
                Expression::Lambda { scope, .. } => {
                    self.lambdas.entry((id, *scope)).or_insert((expression, None));
                }
                _ => {}
            }
        }
    }

    /// Returns the facts of a file.
    pub fn file(&self, id: FileId) -> &'w File {
        self.files[id.0 as usize]
    }

    /// Returns a definition.
    pub fn definition(&self, def: Def) -> &'w Definition {
        &self.file(def.file).definitions[def.id]
    }

    /// Returns whether `file` is the library.
    pub fn is_library(&self, file: FileId) -> bool {
        file.0 as usize + 1 == self.files.len()
    }

    /// Returns the library.
    pub fn library(&self) -> FileId {
        FileId(u32::try_from(self.files.len() - 1).expect("fewer files than 2^32"))
    }

    /// Returns what `scope` itself declares under `name`.
    pub fn declared(&self, file: FileId, scope: ScopeId, name: &str) -> &[Def] {
        let Some(&name) = self.names.get(name) else { return &[] };
        self.declared.get(&(file, scope, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the bindings of `name` in `scope`, in order.
    pub fn bindings(&self, file: FileId, scope: ScopeId, name: &str) -> &[BindingId] {
        let Some(&name) = self.names.get(name) else { return &[] };
        self.bindings.get(&(file, scope, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns what the other files of a file's module, and its namespaces, declare at their top, and
    /// the file itself.
    pub fn siblings(&self, file: FileId, name: &str) -> &[Def] {
        let (Some(&name), Some(&module)) =
            (self.names.get(name), self.module_of.get(file.0 as usize))
        else {
            return &[];
        };
        self.members.get(&(module, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the value that is the call of a use.
    pub fn call_of(&self, file: FileId, id: UseId) -> Option<ExpressionId> {
        self.calls[file.0 as usize][id.index()]
    }

    /// Returns the lambda whose scope is `scope`, and what it is bound to.
    pub fn lambda_of(
        &self,
        file: FileId,
        scope: ScopeId,
    ) -> Option<(ExpressionId, Option<BindingId>)> {
        self.lambdas.get(&(file, scope)).copied()
    }

    /// Returns whether a function, block or type of the file declares or binds `name`.
    pub fn is_local(&self, file: FileId, name: &str) -> bool {
        self.names.get(name).is_some_and(|&name| self.locals.contains(&(file, name)))
    }

    /// Returns the binding whose value `expression` is a part of.
    pub fn binding_of(&self, file: FileId, expression: ExpressionId) -> Option<BindingId> {
        self.binding_of[file.0 as usize][expression.index()]
    }

    /// Returns the uses of `name` in the tree.
    pub fn uses(&self, name: &str) -> &[(FileId, UseId)] {
        self.uses.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the functions `name` that types have in their bodies.
    pub fn methods(&self, name: &str) -> &[Def] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the members `name` that have no body.
    pub fn demanded(&self, name: &str) -> &[Def] {
        self.demanded.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the bindings of members named `name`.
    pub fn assigned(&self, name: &str) -> &[(FileId, BindingId)] {
        self.assigned.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the bindings of members of the receiver, by name.
    pub fn all_assigned_own(&self) -> impl Iterator<Item = (&Name, &Vec<(FileId, BindingId)>)> {
        self.assigned_own.iter()
    }

    /// Returns the constructors in a scope.
    pub fn constructors(&self, file: FileId, scope: ScopeId) -> &[Def] {
        self.constructors.get(&(file, scope)).map_or(&[], Vec::as_slice)
    }

    /// Returns the records with a field `name`.
    pub fn records(&self, name: &str) -> &[(FileId, ExpressionId)] {
        self.records.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the record that a record without a type is a field of, with the field's name.
    pub fn outer_record(&self, file: FileId, id: ExpressionId) -> Option<&(ExpressionId, Name)> {
        self.outer_records.get(&(file, id))
    }

    /// Returns the functions `name` that state the type they extend.
    pub fn extensions(&self, name: &str) -> &[Def] {
        self.extensions.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the type that a function or extension states it adds to.
    pub fn extended(&self, def: Def) -> Option<TypeId> {
        let receiver = self.definition(def).signature.receiver?;
        (self.file(def.file).types[receiver].kind != Type::Own).then_some(receiver)
    }

    /// Returns the scopes of a module or namespace.
    pub fn namespace(&self, name: &str) -> Option<Scopes> {
        self.namespaces.get(name).map(|&of| self.namespace_scopes[of].as_slice().into())
    }

    /// Returns the scopes of the namespace that `scope` is the body of.
    pub fn merged(&self, file: FileId, scope: ScopeId) -> Vec<(FileId, ScopeId)> {
        let mine = (file, scope);
        let owner = self.file(file).scopes[scope].owner;
        let name = match owner {
            Some(owner) => self.namespace_name(file, owner),
            None => self.file(file).module.as_deref().unwrap_or("").to_string(),
        };
        let all = self.namespaces.get(name.as_str()).map(|&of| &self.namespace_scopes[of]);
        let others = all.into_iter().flatten().copied().filter(|&scope| scope != mine);
        std::iter::once(mine).chain(others).collect()
    }

    /// Returns the scopes that all files without a module have at their top.
    pub fn whole_tree(&self) -> Vec<(FileId, ScopeId)> {
        (0..self.library().0).map(|file| (FileId(file), ScopeId::new(0))).collect()
    }

    /// Forgets what imports lead to.
    pub fn forget(&self) {
        self.modules.borrow_mut().clear();
    }

    /// Returns what an import leads to: scopes, or a type.
    pub fn imported_module(&self, file: FileId, import: usize) -> Option<Ty> {
        let key = (file, import);
        if let Some(known) = self.modules.borrow().get(&key) {
            return known.clone();
        }
        let found = self.module(&self.file(file).imports[import].module, file);
        self.modules.borrow_mut().insert(key, found.clone());
        found
    }

    /// Returns whether an import gives a module the name `name` in `file`.
    pub fn names_module(&self, file: FileId, import: usize, name: &str) -> bool {
        let imported = &self.file(file).imports[import];
        let Imported::Module(alias) = &imported.imported else { return false };
        if !alias.is_empty() {
            return &**alias == name;
        }
        let stated = match self.imported_module(file, import) {
            Some(Ty::Module(scopes)) => {
                scopes.first().and_then(|&(file, _)| self.file(file).module.as_deref())
            }
            _ => None,
        };
        self.rules.import_name(&imported.module, stated) == name
    }

    /// Returns what `module`, as the file `from` writes it, is: scopes, or a type.
    pub fn module(&self, module: &str, from: FileId) -> Option<Ty> {
        self.found_module(self.rules.module(module, &self.file(from).path, &self.tree))
    }

    /// Returns the module `name` that a module of the tree has as a member without declaring it.
    pub fn submodule(&self, scopes: &[(FileId, ScopeId)], name: &str) -> Option<Ty> {
        let is_file =
            |&&(file, scope): &&(FileId, ScopeId)| scope.index() == 0 && !self.is_library(file);
        scopes.iter().filter(is_file).find_map(|&(file, _)| {
            self.found_module(self.rules.submodule(&self.file(file).path, name, &self.tree))
        })
    }

    /// Returns whether a module is the library's, which does not list all that it has.
    pub fn is_library_module(&self, scopes: &[(FileId, ScopeId)]) -> bool {
        !scopes.is_empty() && scopes.iter().all(|&(file, _)| self.is_library(file))
    }

    fn found_module(&self, module: Module) -> Option<Ty> {
        match module {
            Module::Files(files) if files.is_empty() => None,
            Module::Files(files) => {
                let scopes: Vec<_> = files
                    .into_iter()
                    .map(|file| (FileId(u32::try_from(file).unwrap_or(0)), ScopeId::new(0)))
                    .collect();
                Some(Ty::Module(scopes.into()))
            }
            Module::Named(name) => self.named_module(&name),
        }
    }

    /// Returns the namespace `name`, or the type whose path ends in it.
    fn named_module(&self, name: &str) -> Option<Ty> {
        if let Some(scopes) = self.namespace(name) {
            return Some(Ty::Module(scopes));
        }
        let (around, last) = name.rsplit_once('.').unwrap_or(("", name));
        let scopes = match self.namespace(around) {
            Some(scopes) => scopes,
            None if around.is_empty() => return None,
            None => match self.named_module(around)? {
                Ty::Class(of) => match *of {
                    Ty::Named(def, _) => [(def.file, self.definition(def).body?)].into(),
                    _ => return None,
                },
                _ => return None,
            },
        };
        let is_type = |def: &&Def| self.definition(**def).kind.is_type();
        let declared = scopes.iter().flat_map(|&(file, scope)| self.declared(file, scope, last));
        let def = declared.into_iter().find(is_type)?;
        Some(Ty::Class(Ty::Named(*def, [].into()).into()))
    }

    /// Returns what a module gives under `name`: its definitions, what it passes on, and, where a
    /// file lists its exports, only these. The least fixpoint: a cycle of modules adds nothing.
    pub fn exported(&self, scopes: &[(FileId, ScopeId)], name: &str) -> Vec<Def> {
        let mut found = Vec::new();
        if !self.has_exports && !self.rules.visible().imports_are_members {
            let Some(&name) = self.names.get(name) else { return found };
            for &(file, scope) in scopes {
                found.extend(self.declared.get(&(file, scope, name)).into_iter().flatten());
            }
            found.sort();
            found.dedup();
            return found;
        }
        let mut seen = FxHashSet::default();
        let mut open: Vec<((FileId, ScopeId), Name)> =
            scopes.iter().map(|&scope| (scope, name.into())).collect();
        while let Some(((file, scope), name)) = open.pop() {
            if !seen.insert((file, scope, name.clone())) {
                continue;
            }
            let facts = self.file(file);
            for export in facts.exports.iter().filter(|_| scope.index() == 0) {
                let from = match &export.module {
                    None => None,
                    Some(module) => match self.module(module, file) {
                        Some(Ty::Module(scopes)) => Some(scopes),
                        _ => continue,
                    },
                };
                let original = match &export.exported {
                    Imported::All => Some(name.clone()),
                    Imported::Module(_) => None,
                    Imported::Names(names) => names
                        .iter()
                        .find(|(_, alias)| *alias == name)
                        .map(|(original, _)| original.clone()),
                };
                let Some(original) = original else { continue };
                match from {
                    Some(scopes) => {
                        open.extend(scopes.iter().map(|&scope| (scope, original.clone())));
                    }
                    None => found.extend(self.declared(file, scope, &original)),
                }
            }
            let lists = facts.exports.iter().any(|export| export.module.is_none());
            if !lists || scope.index() != 0 {
                found.extend(self.declared(file, scope, &name));
            }
            if self.rules.visible().imports_are_members && scope.index() == 0 {
                for (at, import) in facts.imports.iter().enumerate() {
                    let original = match &import.imported {
                        Imported::All => Some(name.clone()),
                        Imported::Module(_) => None,
                        Imported::Names(names) => {
                            names.iter().find(|(_, alias)| *alias == name).map(|(of, _)| of.clone())
                        }
                    };
                    if let (Some(original), Some(Ty::Module(scopes))) =
                        (original, self.imported_module(file, at))
                    {
                        open.extend(scopes.iter().map(|&scope| (scope, original.clone())));
                    }
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Returns the condition of the regions around `scope`, innermost first.
    pub fn conditions(&self, file: FileId, scope: ScopeId) -> Vec<&'w Condition> {
        let facts = self.file(file);
        let mut found = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at {
            found.extend(&facts.scopes[scope].condition);
            at = facts.scopes[scope].parent;
        }
        found
    }

    /// Returns how likely the regions around a definition are compiled: 0 for yes, 2 for no.
    pub fn doubt(&self, def: Def) -> u8 {
        let defined = |symbol: &str| {
            self.rules.defined(symbol).unwrap_or_else(|| self.macros.contains(symbol))
        };
        let conditions = self.conditions(def.file, self.definition(def).scope).into_iter();
        let doubt = |condition: &Condition| match condition.holds(&defined) {
            Some(true) => 0,
            None => 1,
            Some(false) => 2,
        };
        conditions.map(doubt).max().unwrap_or(0)
    }

    /// Returns the type around `scope`, behind functions and blocks.
    pub fn type_around(&self, file: FileId, scope: ScopeId) -> Option<Def> {
        let facts = self.file(file);
        let mut at = Some(scope);
        while let Some(scope) = at {
            let here = &facts.scopes[scope];
            if let (ScopeKind::Type, Some(owner)) = (here.kind, here.owner)
                && facts.definitions[owner].kind != DefinitionKind::Namespace
            {
                return Some(Def { file, id: owner });
            }
            at = here.parent;
        }
        None
    }

    /// Returns the function around `scope`.
    pub fn function_around(&self, file: FileId, scope: ScopeId) -> Option<Def> {
        let facts = self.file(file);
        let mut at = Some(scope);
        while let Some(scope) = at {
            let here = &facts.scopes[scope];
            if let (ScopeKind::Function, Some(owner)) = (here.kind, here.owner) {
                return Some(Def { file, id: owner });
            }
            at = here.parent;
        }
        None
    }
}

/// Returns the scopes that have what is declared in `scope`: regions with a condition declare in the
/// scope around them, too.
fn declaring(file: &File, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
    std::iter::successors(Some(scope), |&scope| {
        let here = &file.scopes[scope];
        here.parent.filter(|_| here.condition.is_some())
    })
}

/// Returns the values that `id` is made of, results of lambdas included.
pub fn parts(file: &File, id: ExpressionId) -> Vec<ExpressionId> {
    match &file.expressions[id].kind {
        Expression::Member { of, .. }
        | Expression::Yield { of, .. }
        | Expression::Cast { of, .. } => vec![*of],
        Expression::Narrowed { of, by } => {
            let mut parts = vec![*of];
            if let Narrowing::Predicate(call, _) = by {
                let call = &file.uses[*call];
                parts.extend(
                    call.receiver.into_iter().chain(call.arguments.iter().map(|a| a.value)),
                );
            }
            parts
        }
        Expression::Call(of) => {
            let of = &file.uses[*of];
            of.receiver.into_iter().chain(of.arguments.iter().map(|a| a.value)).collect()
        }
        Expression::OneOf(values) => values.clone(),
        Expression::Record { fields, .. } => fields.iter().map(|&(_, value)| value).collect(),
        Expression::Lambda { scope, .. } => file.scopes[*scope].results.clone(),
        _ => Vec::new(),
    }
}
