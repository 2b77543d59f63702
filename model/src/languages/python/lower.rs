//! Syntax trees into facts: definitions and imports. Statements are in `statements.rs`, branches in
//! `flow.rs`, values in `values.rs`, types in `types.rs`.

use super::names::{Names, last_name};
use crate::ir::*;
use crate::lower::{Builder, children};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::{Deref, DerefMut};
use tree_sitter::{Node, Parser, Tree};

/// A function around a place.
pub(super) struct Function {
    /// Its scope.
    pub(super) scope: ScopeId,
    /// The name of its receiver, if it has one.
    own: Option<Name>,
    /// The library's type that the values of `yield` are elements of.
    pub(super) yields: Option<&'static str>,
    /// The library's type that results are wrapped in.
    pub(super) wraps: Option<&'static str>,
    /// Names of the module that it assigns.
    pub(super) globals: FxHashSet<Name>,
    /// Names that it declares.
    pub(super) locals: FxHashSet<Name>,
    /// Types of variables that are declared before they are assigned.
    pub(super) declared: Vec<(Name, TypeId)>,
    /// What it has assigned to them so far.
    pub(super) assigned: Vec<super::flow::Assigned>,
}

/// What a statement is directly in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    Module,
    Class(DefinitionId),
    Function,
}

/// Collects the facts of one file.
pub(super) struct Python<'t> {
    builder: Builder<'t>,
    /// What the whole file imports, assigns and declares.
    pub(super) names: Names,
    /// Type parameters that are visible.
    pub(super) generics: Vec<(Name, DefinitionId)>,
    pub(super) functions: Vec<Function>,
    pub(super) context: Context,
    /// The classes around a place, with the scopes of their bodies.
    pub(super) classes: Vec<(DefinitionId, ScopeId)>,
    /// Variables of the module.
    pub(super) variables: FxHashSet<Name>,
    /// Members of classes that hold values.
    pub(super) fields: FxHashMap<(DefinitionId, Name), DefinitionId>,
    /// What branches assign, innermost last.
    pub(super) frames: Vec<Vec<super::flow::Assigned>>,
    /// Members of values, by their text, that a test has shown to be of a type.
    pub(super) narrowed: Vec<(String, TypeId)>,
    parser: Option<Parser>,
}

impl<'t> Deref for Python<'t> {
    type Target = Builder<'t>;
    fn deref(&self) -> &Builder<'t> {
        &self.builder
    }
}

impl DerefMut for Python<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.builder
    }
}

/// Returns the facts of a file.
pub(super) fn lower<'t>(path: &str, text: &'t [u8], tree: &'t Tree) -> File {
    let mut parser = Parser::new();
    let usable = parser.set_language(&tree_sitter_python::LANGUAGE.into()).is_ok();
    let mut python = Python {
        builder: Builder::new(path, text, tree.root_node()),
        names: Names::of(tree.root_node(), text),
        generics: Vec::new(),
        functions: Vec::new(),
        context: Context::Module,
        classes: Vec::new(),
        variables: FxHashSet::default(),
        fields: FxHashMap::default(),
        frames: Vec::new(),
        narrowed: Vec::new(),
        parser: usable.then_some(parser),
    };
    python.statements(tree.root_node());
    if path.rsplit('/').next() == Some("__init__.py") {
        python.submodules();
    }
    python.builder.file
}

impl<'t> Python<'t> {
    /// Runs `lower` within a new scope.
    pub(super) fn scoped<T>(
        &mut self,
        kind: ScopeKind,
        owner: Option<DefinitionId>,
        range: Range,
        lower: impl FnOnce(&mut Self, ScopeId) -> T,
    ) -> T {
        let scope = self.push_scope(kind, owner, range);
        let (outer, generics, narrowed) = (self.scope, self.generics.len(), self.narrowed.len());
        self.scope = scope;
        let result = lower(self, scope);
        self.scope = outer;
        self.generics.truncate(generics);
        self.narrowed.truncate(narrowed);
        result
    }

    /// Runs `lower` as a part of what is directly in `context`, whose branches are its own.
    fn directly<T>(&mut self, context: Context, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.context, context);
        let frames = std::mem::take(&mut self.frames);
        let result = lower(self);
        self.context = outer;
        self.frames = frames;
        result
    }

    /// Returns the scope in which functions, types and imports of a place are declared: branches
    /// have none of their own.
    pub(super) fn declaring_scope(&self) -> ScopeId {
        let mut scope = self.scope;
        loop {
            let here = &self.file.scopes[scope];
            match (here.kind, here.parent) {
                (ScopeKind::Block, Some(parent)) => scope = parent,
                _ => return scope,
            }
        }
    }

    /// Defines `name` where the place declares.
    pub(super) fn define_here(
        &mut self,
        name: Name,
        kind: DefinitionKind,
        node: Node<'_>,
    ) -> DefinitionId {
        let outer = self.scope;
        self.builder.scope = self.declaring_scope();
        let id = self.builder.define(name, kind, node);
        self.builder.scope = outer;
        id
    }

    /// Returns whether `name` is the receiver of the function around.
    pub(super) fn is_own(&self, name: &str) -> bool {
        for function in self.functions.iter().rev() {
            if function.own.as_deref() == Some(name) {
                return true;
            }
            if function.locals.contains(name) {
                return false;
            }
        }
        false
    }

    /// Returns whether a function around declares `name`.
    pub(super) fn is_local(&self, name: &str) -> bool {
        self.functions.iter().rev().any(|function| function.locals.contains(name))
    }

    /// Parses a part of the file as an expression, such as the content of an annotation in quotes.
    pub(super) fn parsed<T>(
        &mut self,
        range: std::ops::Range<usize>,
        read: impl FnOnce(&mut Self, Node<'_>) -> T,
    ) -> Option<T> {
        let mut parser = self.parser.take()?;
        let place = |at: usize| tree_sitter::Point { row: 0, column: at };
        let included = tree_sitter::Range {
            start_byte: range.start,
            end_byte: range.end,
            start_point: place(range.start),
            end_point: place(range.end),
        };
        let tree = match parser.set_included_ranges(&[included]) {
            Ok(()) => parser.parse(self.text, None),
            Err(_) => None,
        };
        self.parser = Some(parser);
        let tree = tree?;
        let mut node = tree.root_node();
        while matches!(node.kind(), "module" | "expression_statement")
            && let Some(inner) = node.named_child(0)
        {
            node = inner;
        }
        (node.kind() != "module").then(|| read(self, node))
    }

    pub(super) fn import(&mut self, node: Node<'_>) {
        let (scope, range) = (self.declaring_scope(), Builder::range(node));
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            let (module, alias) = match name.kind() {
                "aliased_import" => {
                    let (Some(of), Some(alias)) =
                        (name.child_by_field_name("name"), name.child_by_field_name("alias"))
                    else {
                        continue;
                    };
                    (self.name(of), self.name(alias))
                }
                _ => {
                    // The import binds the outermost package.
                    let Some(first) = name.named_child(0) else { continue };
                    (self.name(first), self.name(first))
                }
            };
            let imported = Imported::Module(alias);
            self.file.imports.push(Import { module, imported, scope, range });
        }
    }

    pub(super) fn import_from(&mut self, node: Node<'_>) {
        let Some(module) = node.child_by_field_name("module_name") else { return };
        let module = self.name(module);
        let (scope, range) = (self.declaring_scope(), Builder::range(node));
        let is_all = children(node).iter().any(|child| child.kind() == "wildcard_import");
        let imported = if is_all {
            Imported::All
        } else {
            let mut cursor = node.walk();
            let listed: Vec<_> = node.children_by_field_name("name", &mut cursor).collect();
            let names = listed.into_iter().map(|name| {
                let of = name.child_by_field_name("name").unwrap_or(name);
                let alias = name.child_by_field_name("alias").unwrap_or(of);
                (self.name(of), self.name(alias))
            });
            Imported::Names(names.collect())
        };
        self.file.imports.push(Import { module, imported, scope, range });
    }

    /// A package has the modules that it imports from, behind what it names itself.
    fn submodules(&mut self) {
        let mut more = Vec::new();
        for import in &self.file.imports {
            let name = import.module.strip_prefix('.').filter(|name| !name.is_empty());
            let Some(name) = name.filter(|name| !name.contains('.')) else { continue };
            let imported = Imported::Names(vec![(name.into(), name.into())]);
            more.push(Import { module: ".".into(), imported, ..import.clone() });
        }
        self.file.imports.extend(more);
    }

    pub(super) fn decorated(&mut self, node: Node<'_>) {
        let decorators: Vec<Node<'_>> = children(node)
            .into_iter()
            .filter(|child| child.kind() == "decorator")
            .filter_map(|decorator| decorator.named_child(0))
            .collect();
        match node.child_by_field_name("definition") {
            Some(of) if of.kind() == "class_definition" => {
                for decorator in decorators {
                    self.decorator(decorator);
                }
                self.class(of);
            }
            Some(of) => self.function(of, &decorators),
            None => {}
        }
    }

    /// Returns a decorator, which is called with what it decorates.
    fn decorator(&mut self, node: Node<'_>) -> ExpressionId {
        let value = self.value(node);
        let name = match node.kind() {
            "identifier" => Some(node),
            "attribute" => node.child_by_field_name("attribute"),
            _ => None,
        };
        if let Some(place) = name {
            let of = node.child_by_field_name("object").map(|of| self.value(of));
            let name = self.name(place);
            self.call(of, Some(name), Vec::new(), (None, place));
        }
        value
    }

    pub(super) fn class(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let name = self.name(name);
        let bases = node.child_by_field_name("superclasses").map_or_else(Vec::new, children);
        let is_protocol = bases.iter().any(|&base| self.is_typing(base, "Protocol"));
        let kind = if is_protocol { DefinitionKind::Interface } else { DefinitionKind::Class };
        let id = self.define_here(name, kind, node);
        let functions = std::mem::take(&mut self.functions);
        let scope =
            self.scoped(ScopeKind::Type, Some(id), Builder::range(node), |python, scope| {
                if let Some(list) = node.child_by_field_name("type_parameters") {
                    python.type_parameters(id, list);
                }
                python.class_generics(id, &bases);
                for base in bases {
                    match python.passed_type(&functions, base) {
                        Some(passed) => {
                            let target = Target::Type(passed);
                            let base =
                                Base { kind: BaseKind::Extends, target, renames: Vec::new() };
                            python.file.definitions[id].bases.push(base);
                        }
                        None => python.base(id, base),
                    }
                }
                if let Some(body) = node.child_by_field_name("body") {
                    python.classes.push((id, scope));
                    python.directly(Context::Class(id), |python| python.statements(body));
                    python.classes.pop();
                }
                scope
            });
        self.functions = functions;
        self.file.definitions[id].body = Some(scope);
    }

    /// Returns the type that a parameter of a function around passes as a class: of `type[T]`, `T`.
    fn passed_type(&mut self, functions: &[Function], base: Node<'_>) -> Option<TypeId> {
        let name = self.name(base);
        let parameters = functions.iter().rev().filter_map(|function| {
            let owner = self.file.scopes[function.scope].owner?;
            self.file.definitions[owner].signature.parameters.as_ref()
        });
        let parameter = parameters.flatten().find(|parameter| parameter.name == name)?;
        match &self.file.types[parameter.r#type?].kind {
            Type::Named { path, arguments } if path.last().is_some_and(|of| &**of == "type") => {
                arguments.first().copied()
            }
            _ => None,
        }
    }

    fn base(&mut self, id: DefinitionId, base: Node<'_>) {
        match base.kind() {
            "comment" => return,
            "keyword_argument" => {
                if let Some(value) = base.child_by_field_name("value") {
                    self.value(value);
                }
                return;
            }
            _ => {}
        }
        if ["Generic", "Protocol"].iter().any(|form| self.is_typing(base, form)) {
            return;
        }
        let target = match base.kind() {
            "identifier" | "attribute" | "subscript" => Target::Type(self.written(base)),
            _ => Target::Value(self.value(base)),
        };
        let base = Base { kind: BaseKind::Extends, target, renames: Vec::new() };
        self.file.definitions[id].bases.push(base);
    }

    /// Returns whether a class has a base of one of these names.
    pub(super) fn extends_named(&self, class: DefinitionId, names: &[&str]) -> bool {
        self.file.definitions[class].bases.iter().any(|base| match base.target {
            Target::Type(of) => match &self.file.types[of].kind {
                Type::Named { path, .. } => {
                    path.last().is_some_and(|name| names.contains(&&**name))
                }
                _ => false,
            },
            Target::Value(_) => false,
        })
    }

    pub(super) fn function(&mut self, node: Node<'_>, decorators: &[Node<'_>]) {
        let Some(name_node) = node.child_by_field_name("name") else { return };
        let mut name = self.name(name_node);
        let in_class = match self.context {
            Context::Class(class) => Some(class),
            _ => None,
        };
        let mut kind = DefinitionKind::Function;
        let mut is_static = matches!(&*name, "__new__" | "__init_subclass__" | "__class_getitem__");
        let (mut has_receiver, mut is_signature, mut yields) = (in_class.is_some(), false, None);
        let mut bases = Vec::new();
        for &decorator in decorators {
            let value = self.decorator(decorator);
            match last_name(decorator, self.text) {
                b"staticmethod" => (is_static, has_receiver) = (true, false),
                b"classmethod" => is_static = true,
                b"overload" => is_signature = true,
                b"contextmanager" => yields = Some(super::CONTEXT),
                b"asynccontextmanager" => yields = Some(super::ASYNC_CONTEXT),
                b"setter" | b"deleter" => name = format!("{name}.setter").into(),
                b"getter" | b"abstractmethod" | b"final" | b"override" => {}
                of if of.ends_with(b"property") => kind = DefinitionKind::Property,
                _ => {
                    let target = Target::Value(value);
                    let kind = BaseKind::Decorates;
                    bases.push(Base { kind, target, renames: Vec::new() });
                }
            }
        }
        let id = self.define_here(name.clone(), kind, node);
        if let Some(function) = self.functions.last_mut() {
            function.locals.insert(name);
        }
        let is_async = node.child(0).is_some_and(|first| first.kind() == "async");
        let is_generator = node.child_by_field_name("body").is_some_and(has_yield);
        self.file.definitions[id].bases = bases;
        let around = self.functions.iter().find(|of| of.own.is_some()).map(|of| of.scope);
        let around_has_own = self.is_instance(around);
        if (has_receiver && !is_static) || (in_class.is_none() && around_has_own) {
            let own = self.r#type(Type::Own);
            self.file.definitions[id].signature.receiver = Some(own);
        }
        let wraps = (is_async && !is_generator).then_some(super::COROUTINE);
        let generator = if is_async { super::ASYNC_GENERATOR } else { super::GENERATOR };
        let yields = is_generator.then(|| yields.unwrap_or(generator));
        let signature = &mut self.file.definitions[id].signature;
        signature.is_declaration = is_signature;
        signature.effects = Effects { is_async, is_generator };
        let parameters = node.child_by_field_name("parameters");
        let scope =
            self.scoped(ScopeKind::Function, Some(id), Builder::range(node), |python, scope| {
                let globals = FxHashSet::default();
                let locals = FxHashSet::default();
                let declared = Vec::new();
                let function = Function {
                    declared,
                    scope,
                    own: None,
                    yields,
                    wraps,
                    globals,
                    locals,
                    assigned: Vec::new(),
                };
                python.functions.push(function);
                if let Some(list) = node.child_by_field_name("type_parameters") {
                    python.type_parameters(id, list);
                }
                python.function_generics(id, node);
                python.signature(id, parameters, has_receiver);
                if let Some(result) = node.child_by_field_name("return_type") {
                    python.result(id, result, wraps, yields);
                }
                if let Some(body) = node.child_by_field_name("body") {
                    python.directly(Context::Function, |python| python.statements(body));
                }
                python.functions.pop();
                scope
            });
        self.file.definitions[id].body = Some(scope);
        let of_protocol =
            in_class.is_some_and(|of| self.file.definitions[of].kind == DefinitionKind::Interface);
        if of_protocol && node.child_by_field_name("body").is_some_and(is_empty_body) {
            self.file.definitions[id].signature.is_declaration = true;
        }
    }

    /// Returns whether the function of a scope has a value as its receiver.
    fn is_instance(&self, scope: Option<ScopeId>) -> bool {
        let owner = scope.and_then(|scope| self.file.scopes[scope].owner);
        owner.is_some_and(|owner| self.file.definitions[owner].signature.receiver.is_some())
    }

    fn signature(&mut self, id: DefinitionId, list: Option<Node<'_>>, has_receiver: bool) {
        let mut parameters = Vec::new();
        let listed = list.map_or_else(Vec::new, children);
        let mut skips = has_receiver;
        for node in listed {
            let inner = match node.kind() {
                "typed_parameter" => node.named_child(0).unwrap_or(node),
                _ => node.child_by_field_name("name").unwrap_or(node),
            };
            let (named, variadic) = match inner.kind() {
                "list_splat_pattern" => (inner.named_child(0), Some("list")),
                "dictionary_splat_pattern" => (inner.named_child(0), Some("dict")),
                "keyword_separator" => (None, Some("list")),
                "identifier" => (Some(inner), None),
                _ => continue,
            };
            let name = named.map_or_else(|| "".into(), |name| self.name(name));
            if std::mem::take(&mut skips) && variadic.is_none() {
                if let Some(function) = self.functions.last_mut() {
                    function.own = Some(name);
                }
                continue;
            }
            let mut ty = node.child_by_field_name("type").map(|of| self.written(of));
            let default = node.child_by_field_name("value");
            if let (None, Some(default)) = (ty, default) {
                ty = self.type_of_default(default);
            } else if let Some(default) = default {
                self.outside(|python| python.value(default));
            }
            if let (Some(variadic), Some(of)) = (variadic, ty) {
                let mut arguments = vec![of];
                if variadic == "dict" {
                    arguments.insert(0, self.builtin("str", Vec::new()));
                }
                ty = Some(self.builtin(variadic, arguments));
            }
            if let Some(function) = self.functions.last_mut() {
                function.locals.insert(name.clone());
            }
            parameters.push(Parameter {
                name,
                label: None,
                r#type: ty,
                has_default: default.is_some(),
                is_variadic: variadic.is_some(),
            });
        }
        self.file.definitions[id].signature.parameters = Some(parameters);
    }

    /// Runs `lower` in the scope around the function that is being declared.
    fn outside<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let inner = self.scope;
        let outer = self.file.scopes[inner].parent.unwrap_or(inner);
        let function = self.functions.pop();
        self.builder.scope = outer;
        let result = lower(self);
        self.builder.scope = inner;
        self.functions.extend(function);
        result
    }

    /// A default that is a literal, a name or a call shows the type of its parameter.
    fn type_of_default(&mut self, default: Node<'_>) -> Option<TypeId> {
        let value = self.outside(|python| python.value(default));
        match default.kind() {
            "string"
            | "concatenated_string"
            | "integer"
            | "float"
            | "true"
            | "false"
            | "call"
            | "identifier"
            | "attribute" => Some(self.r#type(Type::TypeOf(value))),
            _ => None,
        }
    }

    fn result(
        &mut self,
        id: DefinitionId,
        node: Node<'_>,
        wraps: Option<&'static str>,
        yields: Option<&'static str>,
    ) {
        let mut ty = self.written(node);
        if let Some(wrapper) = wraps {
            ty = self.library_type(wrapper, vec![ty]);
        }
        if let Some(context @ (super::CONTEXT | super::ASYNC_CONTEXT)) = yields {
            let first = match &self.file.types[ty].kind {
                Type::Named { arguments, .. } => arguments.first().copied(),
                _ => None,
            };
            ty = self.library_type(context, first.into_iter().collect());
        }
        self.file.definitions[id].signature.result = Some(ty);
    }
}

/// Classes of the library whose named values are their instances.
pub(super) const ENUMERATIONS: [&str; 5] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"];

/// Returns whether the body of a function yields.
fn has_yield(node: Node<'_>) -> bool {
    if node.kind() == "yield" {
        return true;
    }
    let is_inner =
        |kind: &str| matches!(kind, "function_definition" | "lambda" | "class_definition");
    children(node).into_iter().any(|child| !is_inner(child.kind()) && has_yield(child))
}

/// Returns whether a body says only that it has none.
fn is_empty_body(body: Node<'_>) -> bool {
    children(body).into_iter().all(|statement| {
        let inner = statement.named_child(0).map(|inner| inner.kind());
        statement.kind() == "pass_statement"
            || statement.kind() == "comment"
            || matches!(inner, Some("ellipsis" | "string"))
                && statement.kind() == "expression_statement"
    })
}
