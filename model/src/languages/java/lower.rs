//! Syntax trees into facts: declarations. Statements are in `statements.rs`, values in
//! `values.rs`, types in `types.rs`.

use crate::ir::*;
use crate::lower::{Builder, children};
use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};
use tree_sitter::{Node, Tree};

/// Collects the facts of one file.
pub(super) struct Java<'t> {
    builder: Builder<'t>,
    /// Type parameters that are visible.
    generics: Vec<(Name, DefinitionId)>,
    /// Variables of functions with their written types, by their scope.
    locals: FxHashMap<(ScopeId, Name), Option<TypeId>>,
    /// The first of the bindings of a lambda's parameters.
    pub(super) lambdas: FxHashMap<ScopeId, usize>,
    /// How many classes without a name stand in definitions of a name.
    unnamed: FxHashMap<Name, u32>,
    /// The types around, innermost last: the name and what it extends.
    types_around: Vec<(Name, Option<TypeId>)>,
    /// What the switches around give.
    pub(super) switches: Vec<Vec<ExpressionId>>,
}

impl<'t> Deref for Java<'t> {
    type Target = Builder<'t>;
    fn deref(&self) -> &Builder<'t> {
        &self.builder
    }
}

impl DerefMut for Java<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.builder
    }
}

/// Returns the facts of a file.
pub(super) fn lower<'t>(path: &str, text: &'t [u8], tree: &'t Tree) -> File {
    let mut java = Java {
        builder: Builder::new(path, text, tree.root_node()),
        generics: Vec::new(),
        locals: FxHashMap::default(),
        lambdas: FxHashMap::default(),
        unnamed: FxHashMap::default(),
        types_around: Vec::new(),
        switches: Vec::new(),
    };
    for node in children(tree.root_node()) {
        match node.kind() {
            "package_declaration" => {
                let name = children(node).into_iter().rfind(|part| is_name(part.kind()));
                java.file.module = name.map(|name| java.path(name).join(".").into());
            }
            "import_declaration" => java.import(node),
            "module_declaration" => {}
            _ => java.statement(node),
        }
    }
    java.builder.file
}

impl<'t> Java<'t> {
    /// Runs `lower` within a new scope.
    pub(super) fn scoped(
        &mut self,
        kind: ScopeKind,
        owner: Option<DefinitionId>,
        node: Node<'_>,
        lower: impl FnOnce(&mut Self, ScopeId),
    ) -> ScopeId {
        let scope = self.push_scope(kind, owner, Builder::range(node));
        let (outer, generics) = (self.scope, self.generics.len());
        self.scope = scope;
        lower(self, scope);
        self.scope = outer;
        self.generics.truncate(generics);
        scope
    }

    /// Defines what `name` names and `node` is: it stands where its name does, behind annotations.
    fn define_named(
        &mut self,
        name: Node<'_>,
        kind: DefinitionKind,
        node: Node<'_>,
    ) -> DefinitionId {
        let name_of = self.name(name);
        let id = self.define(name_of, kind, node);
        let range = Range { start: Builder::range(name).start, end: Builder::range(node).end };
        self.file.definitions[id].range = range;
        self.file.definitions[id].visibility = match () {
            () if self.has_modifier(node, "private") => Visibility::Private,
            () if self.has_modifier(node, "protected") => Visibility::Protected,
            () => Visibility::Public,
        };
        id
    }

    pub(super) fn has_modifier(&self, node: Node<'_>, word: &str) -> bool {
        let list = children(node).into_iter().find(|part| part.kind() == "modifiers");
        list.is_some_and(|list| {
            let mut cursor = list.walk();
            list.children(&mut cursor).any(|part| part.kind() == word)
        })
    }

    /// The type parameter that a name is, if it is one.
    pub(super) fn type_parameter(&self, name: &str) -> Option<DefinitionId> {
        self.generics.iter().rev().find(|(known, _)| **known == *name).map(|&(_, id)| id)
    }

    /// Returns the written type of a variable that a function around this place declares; none
    /// where there is no such variable.
    pub(super) fn local(&self, name: &Name) -> Option<Option<TypeId>> {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            if let Some(&known) = self.locals.get(&(scope, name.clone())) {
                return Some(known);
            }
            at = self.file.scopes[scope].parent;
        }
        None
    }

    /// Binds `name` from the end of `node` on.
    pub(super) fn declare(
        &mut self,
        name: Name,
        value: Option<ExpressionId>,
        r#type: Option<TypeId>,
        node: Node<'_>,
    ) {
        let (scope, end) = (self.scope, Builder::range(node).end);
        self.locals.insert((scope, name.clone()), r#type);
        let range = Range { start: end, end };
        self.file.bindings.push(Binding { of: None, name, scope, range, value, r#type });
    }

    fn import(&mut self, node: Node<'_>) {
        let parts = children(node);
        let Some(name) = parts.iter().find(|part| is_name(part.kind())) else { return };
        let mut path = self.path(*name);
        let mut imported = Imported::All;
        if !parts.iter().any(|part| part.kind() == "asterisk") {
            let Some(last) = path.pop() else { return };
            imported = Imported::Names(vec![(last.clone(), last)]);
        }
        let (scope, range) = (self.scope, Builder::range(node));
        let module = path.join(".").into();
        self.file.imports.push(Import { module, imported, scope, range });
    }

    /// A class, interface, enumeration, record or annotation.
    pub(super) fn type_definition(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let is_interface =
            matches!(node.kind(), "interface_declaration" | "annotation_type_declaration");
        let kind = if is_interface { DefinitionKind::Interface } else { DefinitionKind::Class };
        let id = self.define_named(name, kind, node);
        let name = self.name(name);
        let scope = self.scoped(ScopeKind::Type, Some(id), node, |java, _| {
            java.type_parameters(id, node);
            let mut base = None;
            for part in children(node) {
                match part.kind() {
                    "superclass" => {
                        base = part.named_child(0).map(|of| java.written(of));
                    }
                    "super_interfaces" | "extends_interfaces" => {
                        let kind = if is_interface || part.kind() == "extends_interfaces" {
                            BaseKind::Extends
                        } else {
                            BaseKind::Implements
                        };
                        for of in part.named_child(0).map_or_else(Vec::new, children) {
                            java.base(id, kind, of);
                        }
                    }
                    _ => {}
                }
            }
            if node.kind() == "enum_declaration" {
                base = Some(java.named(vec!["enum".into()], Vec::new()));
            }
            java.extends(id, base);
            java.types_around.push((name, base));
            if node.kind() == "record_declaration" {
                java.components(id, node);
            }
            if let Some(body) = node.child_by_field_name("body") {
                java.members(body);
            }
            java.types_around.pop();
        });
        self.file.definitions[id].body = Some(scope);
    }

    /// Adds what a class extends, before what it implements.
    fn extends(&mut self, id: DefinitionId, base: Option<TypeId>) {
        if let Some(base) = base {
            let target = Target::Type(base);
            let base = Base { kind: BaseKind::Extends, target, renames: Vec::new() };
            self.file.definitions[id].bases.insert(0, base);
        }
    }

    fn base(&mut self, id: DefinitionId, kind: BaseKind, of: Node<'_>) {
        if is_comment(of) {
            return;
        }
        let target = Target::Type(self.written(of));
        self.file.definitions[id].bases.push(Base { kind, target, renames: Vec::new() });
    }

    fn type_parameters(&mut self, of: DefinitionId, node: Node<'_>) {
        let Some(list) = node.child_by_field_name("type_parameters") else { return };
        let mut bounds = Vec::new();
        for declared in children(list).into_iter().filter(|of| of.kind() == "type_parameter") {
            let parts = children(declared);
            let Some(name) = parts.iter().find(|part| part.kind() == "type_identifier") else {
                continue;
            };
            let parameter = self.define_named(*name, DefinitionKind::TypeParameter, declared);
            let name = self.name(*name);
            self.generics.push((name, parameter));
            self.file.definitions[of].signature.generics.push(parameter);
            let written = parts.iter().filter(|part| part.kind() == "type_bound");
            bounds.extend(written.flat_map(|b| children(*b)).map(|of| (parameter, of)));
        }
        // A bound may name any of the parameters.
        for (parameter, of) in bounds {
            self.base(parameter, BaseKind::Extends, of);
        }
    }

    /// Lowers the members in the body of a type.
    pub(super) fn members(&mut self, body: Node<'_>) {
        for node in children(body) {
            match node.kind() {
                "field_declaration" | "constant_declaration" => self.fields(node),
                "method_declaration" | "annotation_type_element_declaration" => self.method(node),
                "constructor_declaration" => self.constructor(node),
                "compact_constructor_declaration" => self.compact_constructor(node),
                "enum_constant" => self.enum_constant(node),
                "enum_body_declarations" => self.members(node),
                "block" | "static_initializer" => self.initializer(node),
                kind if kind.ends_with("_declaration") => self.type_definition(node),
                _ => {}
            }
        }
    }

    /// States that a member belongs to values of its type.
    fn of_values(&mut self, id: DefinitionId, is_static: bool) {
        if !is_static {
            let own = self.r#type(Type::Own);
            self.file.definitions[id].signature.receiver = Some(own);
        }
    }

    fn fields(&mut self, node: Node<'_>) {
        let Some(of) = node.child_by_field_name("type") else { return };
        let of = self.written(of);
        let is_static = node.kind() == "constant_declaration"
            || self.has_modifier(node, "static")
            || node.parent().is_some_and(|body| body.kind() == "interface_body");
        let mut cursor = node.walk();
        let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            let id = self.define_named(name, DefinitionKind::Field, declarator);
            if self.has_modifier(node, "private") {
                self.file.definitions[id].visibility = Visibility::Private;
            }
            let ty = self.with_dimensions(of, declarator);
            self.file.definitions[id].signature.result = Some(ty);
            self.of_values(id, is_static);
            let Some(value) = declarator.child_by_field_name("value") else { continue };
            let scope = self.scoped(ScopeKind::Function, Some(id), declarator, |java, scope| {
                let value = java.value_of(value, Some(ty));
                java.file.scopes[scope].results.push(value);
            });
            self.file.definitions[id].body = Some(scope);
        }
    }

    fn method(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let id = self.define_named(name, DefinitionKind::Function, node);
        self.of_values(id, self.has_modifier(node, "static"));
        let body = node.child_by_field_name("body");
        self.file.definitions[id].signature.is_declaration =
            body.is_none() && !self.has_modifier(node, "native");
        let scope = self.scoped(ScopeKind::Function, Some(id), node, |java, _| {
            java.type_parameters(id, node);
            java.signature(id, node);
            if let Some(of) = node.child_by_field_name("type") {
                let of = java.written(of);
                let result = java.with_dimensions(of, node);
                java.file.definitions[id].signature.result = Some(result);
            }
            if let Some(body) = body {
                java.statements(body);
            }
        });
        self.file.definitions[id].body = Some(scope);
    }

    fn constructor(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let id = self.define_named(name, DefinitionKind::Constructor, node);
        self.of_values(id, false);
        let scope = self.scoped(ScopeKind::Function, Some(id), node, |java, _| {
            java.type_parameters(id, node);
            java.signature(id, node);
            if let Some(body) = node.child_by_field_name("body") {
                java.statements(body);
            }
        });
        self.file.definitions[id].body = Some(scope);
    }

    /// The parameters of a function. In its body, one that takes all that remain is an array.
    fn signature(&mut self, id: DefinitionId, node: Node<'_>) {
        let list = node.child_by_field_name("parameters");
        let parameters = list.map_or_else(Vec::new, |list| self.parameters(list));
        for parameter in &parameters {
            let array = parameter.r#type.filter(|_| parameter.is_variadic);
            if let (Some(of), Some(list)) = (array, list) {
                let array = self.named(vec!["[]".into()], vec![of]);
                self.declare(parameter.name.clone(), None, Some(array), list);
            } else {
                let key = (self.scope, parameter.name.clone());
                self.locals.insert(key, parameter.r#type);
            }
        }
        self.file.definitions[id].signature.parameters = Some(parameters);
    }

    /// The components of a record: a field and a function each, unless that is written, and the
    /// constructor.
    fn components(&mut self, record: DefinitionId, node: Node<'_>) {
        let Some(list) = node.child_by_field_name("parameters") else { return };
        let members = node.child_by_field_name("body").map_or_else(Vec::new, children);
        let parameters = self.parameters(list);
        let nodes = children(list).into_iter().filter(|of| !is_comment(*of));
        let mut types = Vec::new();
        for (parameter, node) in parameters.iter().zip(nodes) {
            let Some(ty) = parameter.r#type else { continue };
            let array = || vec![ty];
            let ty = if parameter.is_variadic {
                let of = array();
                self.named(vec!["[]".into()], of)
            } else {
                ty
            };
            types.push(ty);
            let field = self.define(parameter.name.clone(), DefinitionKind::Field, node);
            self.file.definitions[field].signature.result = Some(ty);
            self.file.definitions[field].visibility = Visibility::Private;
            self.of_values(field, false);
            let is_written = |member: &Node<'_>| {
                member.kind() == "method_declaration"
                    && member.child_by_field_name("name").map(|name| self.bytes(name))
                        == Some(parameter.name.as_bytes())
                    && member.child_by_field_name("parameters").map_or(0, |l| l.named_child_count())
                        == 0
            };
            if members.iter().any(is_written) {
                continue;
            }
            let read = self.define(parameter.name.clone(), DefinitionKind::Function, node);
            self.of_values(read, false);
            let signature = &mut self.file.definitions[read].signature;
            signature.parameters = Some(Vec::new());
            signature.result = Some(ty);
        }
        // A compact constructor is the canonical one.
        let has_compact = members.iter().any(|of| of.kind() == "compact_constructor_declaration");
        let is_canonical = |member: &Node<'_>| {
            member.kind() == "constructor_declaration"
                && member.child_by_field_name("parameters").map_or(0, |l| l.named_child_count())
                    == parameters.len()
        };
        if !has_compact && !members.iter().any(is_canonical) {
            let name = self.file.definitions[record].name.clone();
            let id = self.define(name, DefinitionKind::Constructor, list);
            self.file.definitions[id].range = self.file.definitions[record].range;
            self.of_values(id, false);
            self.file.definitions[id].signature.parameters = Some(parameters);
        }
    }

    fn compact_constructor(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let record = node.parent().and_then(|body| body.parent());
        let id = self.define_named(name, DefinitionKind::Constructor, node);
        self.of_values(id, false);
        let scope = self.scoped(ScopeKind::Function, Some(id), node, |java, _| {
            if let Some(record) = record {
                java.signature(id, record);
            }
            if let Some(body) = node.child_by_field_name("body") {
                java.statements(body);
            }
        });
        self.file.definitions[id].body = Some(scope);
    }

    /// A constant is a field; one with a body is a class of its own, too.
    fn enum_constant(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let Some((enumeration, _)) = self.types_around.last().cloned() else { return };
        let of = self.named(vec![enumeration], Vec::new());
        if let Some(body) = node.child_by_field_name("body") {
            let name_of = self.name(name);
            self.unnamed_class(&name_of, of, body, name);
        }
        let id = self.define_named(name, DefinitionKind::Field, node);
        self.file.definitions[id].signature.result = Some(of);
        if let Some(arguments) = node.child_by_field_name("arguments") {
            let scope = self.scoped(ScopeKind::Function, Some(id), node, |java, _| {
                java.construction(of, name, Some(arguments), node);
            });
            self.file.definitions[id].body = Some(scope);
        }
    }

    /// Runs when the type, or a value of it, is made: a function that nothing names.
    fn initializer(&mut self, node: Node<'_>) {
        let id = self.define("".into(), DefinitionKind::Function, node);
        self.of_values(id, node.kind() == "static_initializer");
        let scope =
            self.scoped(ScopeKind::Function, Some(id), node, |java, _| java.statements(node));
        self.file.definitions[id].body = Some(scope);
    }

    /// Defines a class without a name, which gets one of what is around it. Returns that name.
    pub(super) fn unnamed_class(
        &mut self,
        around: &Name,
        base: TypeId,
        body: Node<'_>,
        at: Node<'_>,
    ) -> Name {
        let count = self.unnamed.entry(around.clone()).or_insert(0);
        *count += 1;
        let name: Name = format!("{around}{count}").into();
        let id = self.define(name.clone(), DefinitionKind::Class, at);
        self.extends(id, Some(base));
        let scope = self.scoped(ScopeKind::Type, Some(id), body, |java, _| {
            java.types_around.push((name.clone(), Some(base)));
            java.members(body);
            java.types_around.pop();
        });
        self.file.definitions[id].body = Some(scope);
        name
    }

    /// Returns the name of the function, field or type around this place.
    pub(super) fn name_around(&self) -> Name {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            let here = &self.file.scopes[scope];
            if let Some(owner) = here.owner {
                return self.file.definitions[owner].name.clone();
            }
            at = here.parent;
        }
        "".into()
    }

    /// Returns the name of the type around and what it extends.
    pub(super) fn type_around(&self) -> Option<&(Name, Option<TypeId>)> {
        self.types_around.last()
    }

    /// Returns whether a type around has the name.
    pub(super) fn is_type_around(&self, name: &str) -> bool {
        self.types_around.iter().any(|(known, _)| **known == *name)
    }
}

fn is_name(kind: &str) -> bool {
    matches!(kind, "identifier" | "scoped_identifier")
}

pub(super) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "line_comment" | "block_comment")
}
