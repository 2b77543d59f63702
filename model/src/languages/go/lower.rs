//! Syntax trees into facts: declarations and statements. Values are in `values.rs`, types in `types.rs`.

use super::file::{condition, module_of};
use crate::ir::*;
use crate::lower::{Builder, DEPTH, children};
use rustc_hash::FxHashSet;
use std::ops::{Deref, DerefMut};
use tree_sitter::{Node, Tree};

/// Collects the facts of one file.
pub(super) struct Go<'t> {
    builder: Builder<'t>,
    /// Type parameters that are visible.
    pub(super) generics: Vec<(Name, DefinitionId)>,
    /// Names that functions declare, by their scope.
    locals: FxHashSet<(ScopeId, Name)>,
}

impl<'t> Deref for Go<'t> {
    type Target = Builder<'t>;
    fn deref(&self) -> &Builder<'t> {
        &self.builder
    }
}

impl DerefMut for Go<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.builder
    }
}

/// Returns the facts of a file.
pub(super) fn lower<'t>(path: &str, text: &'t [u8], tree: &'t Tree) -> File {
    let builder = Builder::new(path, text, tree.root_node());
    let mut go = Go { builder, generics: Vec::new(), locals: FxHashSet::default() };
    go.file.scopes[ScopeId::new(0)].condition = condition(path, text);
    let root = tree.root_node();
    let package = children(root).into_iter().find(|node| node.kind() == "package_clause");
    let package = package.and_then(|node| node.named_child(0)).map(|node| go.name(node));
    go.file.module = package.map(|package| module_of(path, &package).into());
    go.statements(root);
    go.builder.file
}

impl<'t> Go<'t> {
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

    fn block(&mut self, node: Node<'_>, lower: impl FnOnce(&mut Self)) {
        self.scoped(ScopeKind::Block, None, node, |go, _| lower(go));
    }

    /// Returns whether a function around this place declares `name`.
    pub(super) fn is_local(&self, name: &Name) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            if self.locals.contains(&(scope, name.clone())) {
                return true;
            }
            at = self.file.scopes[scope].parent;
        }
        false
    }

    /// Binds `name` from the end of `node` on.
    pub(super) fn declare(
        &mut self,
        name: Name,
        value: Option<ExpressionId>,
        r#type: Option<TypeId>,
        node: Node<'_>,
    ) {
        if name.is_empty() || &*name == "_" {
            return;
        }
        let (scope, end) = (self.scope, Builder::range(node).end);
        self.locals.insert((scope, name.clone()));
        let range = Range { start: end, end };
        self.file.bindings.push(Binding { of: None, name, scope, range, value, r#type });
    }

    /// A variable of a function, which holds from the end of `node` on. With a function literal it
    /// is a definition: its name is that of the function.
    fn variable(
        &mut self,
        name: Node<'_>,
        value: Option<ExpressionId>,
        ty: Option<TypeId>,
        node: Node<'_>,
    ) {
        let name_of = self.name(name);
        let is_function = value.is_some_and(|value| {
            matches!(self.file.expressions[value].kind, Expression::Lambda { .. })
        });
        if !is_function || &*name_of == "_" {
            return self.declare(name_of, value, ty, node);
        }
        self.locals.insert((self.builder.scope, name_of.clone()));
        let id = self.define(name_of, DefinitionKind::Variable, name);
        let body = self.push_scope(ScopeKind::Function, Some(id), Builder::range(name));
        self.file.scopes[body].results.extend(value);
        self.file.definitions[id].body = Some(body);
        self.file.definitions[id].signature.result = ty;
    }

    /// Lowers the declarations and statements in `node`.
    pub(super) fn statements(&mut self, node: Node<'_>) {
        for child in children(node) {
            self.statement(child);
        }
    }

    fn statement(&mut self, node: Node<'_>) {
        if self.depth > DEPTH {
            return;
        }
        self.depth += 1;
        match node.kind() {
            "comment" | "package_clause" | "label_name" => {}
            "import_spec" => self.import(node),
            "function_declaration" | "method_declaration" => self.function(node),
            "type_spec" | "type_alias" => self.type_definition(node),
            "const_declaration" => self.constants(node),
            "var_spec" => self.variables(node, None),
            "short_var_declaration" => self.short_declaration(node),
            "assignment_statement" => self.assignment(node),
            "return_statement" => self.results(node),
            "range_clause" => self.range_clause(node),
            "receive_statement" => self.short_declaration(node),
            "type_switch_statement" => self.type_switch(node),
            "block"
            | "if_statement"
            | "for_statement"
            | "expression_switch_statement"
            | "expression_case"
            | "default_case"
            | "communication_case" => {
                self.block(node, |go| go.statements(node));
            }
            kind if is_value(kind) => {
                self.value(node);
            }
            _ => self.statements(node),
        }
        self.depth -= 1;
    }

    fn import(&mut self, node: Node<'_>) {
        let Some(path) = node.child_by_field_name("path") else { return };
        let text = String::from_utf8_lossy(self.bytes(path)).into_owned();
        let module: Name = text.trim_matches(['"', '`']).into();
        let imported = match node.child_by_field_name("name") {
            None => Imported::Module("".into()),
            Some(name) if name.kind() == "dot" => Imported::All,
            Some(name) if name.kind() == "blank_identifier" => return,
            Some(name) => Imported::Module(self.name(name)),
        };
        let (scope, range) = (self.scope, Builder::range(node));
        self.file.imports.push(Import { module, imported, scope, range });
    }

    fn function(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let name = self.name(name);
        let id = self.define(name, DefinitionKind::Function, node);
        let scope = self.scoped(ScopeKind::Function, Some(id), node, |go, _| {
            go.type_parameters(id, node);
            if let Some(receiver) = node.child_by_field_name("receiver") {
                go.receiver(id, receiver);
            }
            go.signature(id, node);
            go.named_results(node);
            if let Some(body) = node.child_by_field_name("body") {
                go.statements(body);
            }
        });
        self.file.definitions[id].body = Some(scope);
    }

    /// The receiver of a method: its name holds the receiver, and its type arguments are parameters.
    fn receiver(&mut self, id: DefinitionId, list: Node<'_>) {
        let Some(declared) = list.named_child(0) else { return };
        let Some(of) = declared.child_by_field_name("type") else { return };
        let mut inner = of;
        while matches!(inner.kind(), "pointer_type" | "parenthesized_type") {
            let Some(next) = inner.named_child(0) else { return };
            inner = next;
        }
        if let Some(arguments) = inner.child_by_field_name("type_arguments") {
            for argument in children(arguments) {
                let name = self.name(argument);
                self.type_parameter(id, name, argument);
            }
        }
        let of = self.written(of);
        self.file.definitions[id].signature.receiver = Some(of);
        if let Some(name) = declared.child_by_field_name("name") {
            let own = self.expression(Expression::Own, name);
            let name_of = self.name(name);
            self.declare(name_of, Some(own), None, name);
        }
    }

    /// The type parameters that `node` lists.
    fn type_parameters(&mut self, id: DefinitionId, node: Node<'_>) {
        let Some(list) = node.child_by_field_name("type_parameters") else { return };
        let mut bounds = Vec::new();
        for declared in children(list) {
            let mut cursor = declared.walk();
            let names: Vec<_> = declared.children_by_field_name("name", &mut cursor).collect();
            for name in names {
                let name_of = self.name(name);
                let parameter = self.type_parameter(id, name_of, name);
                bounds.extend(declared.child_by_field_name("type").map(|of| (parameter, of)));
            }
        }
        // A bound may name any of the parameters.
        for (parameter, of) in bounds {
            let target = Target::Type(self.written(of));
            let bound = Base { kind: BaseKind::Extends, target, renames: Vec::new() };
            self.file.definitions[parameter].bases.push(bound);
        }
    }

    fn type_parameter(&mut self, of: DefinitionId, name: Name, node: Node<'_>) -> DefinitionId {
        let parameter = self.define(name.clone(), DefinitionKind::TypeParameter, node);
        self.generics.push((name, parameter));
        self.file.definitions[of].signature.generics.push(parameter);
        parameter
    }

    /// Parameters and results.
    pub(super) fn signature(&mut self, id: DefinitionId, node: Node<'_>) {
        let parameters = node.child_by_field_name("parameters");
        let parameters = parameters.map_or_else(Vec::new, |list| self.parameters(list));
        for parameter in &parameters {
            let (scope, name) = (self.scope, parameter.name.clone());
            self.locals.insert((scope, name));
        }
        let result = self.result_type(node);
        let signature = &mut self.file.definitions[id].signature;
        signature.parameters = Some(parameters);
        signature.result = Some(result);
    }

    /// Results with a name are variables of the body.
    pub(super) fn named_results(&mut self, node: Node<'_>) {
        let Some(list) = node.child_by_field_name("result") else { return };
        if list.kind() != "parameter_list" {
            return;
        }
        for parameter in self.parameters(list) {
            self.declare(parameter.name, None, parameter.r#type, list);
        }
    }

    fn type_definition(&mut self, node: Node<'_>) {
        let (Some(name), Some(of)) =
            (node.child_by_field_name("name"), node.child_by_field_name("type"))
        else {
            return;
        };
        let name = self.name(name);
        let kind = match (node.kind(), of.kind()) {
            ("type_alias", _) => DefinitionKind::Alias,
            (_, "interface_type") => DefinitionKind::Interface,
            _ => DefinitionKind::Class,
        };
        let id = self.define(name, kind, node);
        let scope = self.scoped(ScopeKind::Type, Some(id), node, |go, _| {
            go.type_parameters(id, node);
            match (kind, of.kind()) {
                (DefinitionKind::Alias, _) => {
                    let of = go.written(of);
                    go.file.definitions[id].signature.result = Some(of);
                }
                (_, "interface_type") => go.interface(id, of),
                (_, "struct_type") => go.fields(id, of),
                _ => {
                    let target = Target::Type(go.written(of));
                    let base = Base { kind: BaseKind::Extends, target, renames: Vec::new() };
                    go.file.definitions[id].bases.push(base);
                }
            }
        });
        self.file.definitions[id].body = Some(scope);
    }

    fn fields(&mut self, id: DefinitionId, node: Node<'_>) {
        let Some(list) = node.named_child(0) else { return };
        for field in children(list) {
            let Some(of) = field.child_by_field_name("type") else { continue };
            let mut cursor = field.walk();
            let names: Vec<_> = field.children_by_field_name("name", &mut cursor).collect();
            let mut ty = self.written(of);
            if names.is_empty() {
                if field.child(0).is_some_and(|sign| sign.kind() == "*") {
                    ty = self.named(vec!["*".into()], vec![ty]);
                }
                let base =
                    Base { kind: BaseKind::Embeds, target: Target::Type(ty), renames: Vec::new() };
                self.file.definitions[id].bases.push(base);
                let name = self.last_name(of);
                self.field(name, ty, field);
            }
            for name in names {
                let name_of = self.name(name);
                self.field(name_of, ty, name);
            }
        }
    }

    fn field(&mut self, name: Name, ty: TypeId, node: Node<'_>) {
        let id = self.define(name, DefinitionKind::Field, node);
        let own = self.r#type(Type::Own);
        let signature = &mut self.file.definitions[id].signature;
        signature.result = Some(ty);
        signature.receiver = Some(own);
    }

    /// Methods and embedded interfaces; unions of types have no members.
    pub(super) fn interface(&mut self, id: DefinitionId, node: Node<'_>) {
        for element in children(node) {
            match element.kind() {
                "method_elem" => {
                    let Some(name) = element.child_by_field_name("name") else { continue };
                    let name = self.name(name);
                    let method = self.define(name, DefinitionKind::Function, element);
                    let own = self.r#type(Type::Own);
                    let signature = &mut self.file.definitions[method].signature;
                    signature.receiver = Some(own);
                    signature.is_declaration = true;
                    let scope = self.scoped(ScopeKind::Function, Some(method), element, |go, _| {
                        go.signature(method, element);
                    });
                    self.file.definitions[method].body = Some(scope);
                }
                "type_elem" if element.named_child_count() == 1 => {
                    let target = Target::Type(self.written(element));
                    let base = Base { kind: BaseKind::Embeds, target, renames: Vec::new() };
                    self.file.definitions[id].bases.push(base);
                }
                _ => {}
            }
        }
    }

    /// A group of constants: one without a value repeats the type before it.
    fn constants(&mut self, node: Node<'_>) {
        let mut last = None;
        for spec in children(node).into_iter().filter(|node| node.kind() == "const_spec") {
            let has_value = spec.child_by_field_name("value").is_some();
            if has_value {
                last = spec.child_by_field_name("type");
            }
            self.variables(spec, last.filter(|_| !has_value));
        }
    }

    /// Variables or constants with a written type, or the type `of` before them.
    fn variables(&mut self, node: Node<'_>, of: Option<Node<'_>>) {
        let mut cursor = node.walk();
        let names = node.children_by_field_name("name", &mut cursor);
        let names: Vec<_> = names.filter(|name| name.kind() == "identifier").collect();
        let of = node.child_by_field_name("type").or(of);
        let ty = of.map(|of| self.written(of));
        let values = node.child_by_field_name("value");
        let is_local = self.file.scopes[self.returning()].kind != ScopeKind::File;
        if is_local {
            let values = values.map_or_else(Vec::new, |list| self.values(list, names.len()));
            for (at, name) in names.into_iter().enumerate() {
                self.variable(name, values.get(at).copied(), ty, node);
            }
            return;
        }
        let mut given: Vec<ExpressionId> = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let name_of = self.name(*name);
            let id = self.define(name_of, DefinitionKind::Variable, *name);
            self.file.definitions[id].signature.result = ty;
            let Some(list) = values else { continue };
            let scope = self.scoped(ScopeKind::Function, Some(id), *name, |go, scope| {
                if at == 0 {
                    given = go.values(list, names.len());
                }
                if let Some(&value) = given.get(at) {
                    go.file.scopes[scope].results.push(value);
                }
            });
            self.file.definitions[id].body = Some(scope);
        }
    }

    /// Returns the values of a list for `count` names: one call can give several.
    fn values(&mut self, list: Node<'_>, count: usize) -> Vec<ExpressionId> {
        let list = if list.kind() == "expression_list" { children(list) } else { vec![list] };
        let values: Vec<ExpressionId> =
            list.iter().filter(|of| of.kind() != "comment").map(|&of| self.value(of)).collect();
        let ([value], [node]) = (&values[..], &list[..]) else { return values };
        if count < 2 {
            return values;
        }
        let operator = node.child_by_field_name("operator").map(|of| self.bytes(of));
        let is_tested = matches!(node.kind(), "index_expression" | "type_assertion_expression")
            || operator == Some(b"<-");
        if is_tested {
            let shown = self.expression(Expression::Literal(Literal::Boolean), *node);
            return vec![*value, shown];
        }
        let of = *value;
        let member = |at: usize| Expression::Member { of, name: at.to_string().into() };
        (0..count).map(|at| self.expression(member(at), *node)).collect()
    }

    /// `a, b := f()`, `a := <-c`, and the like.
    fn short_declaration(&mut self, node: Node<'_>) {
        let Some(right) = node.child_by_field_name("right") else { return };
        let left = node.child_by_field_name("left").map_or_else(Vec::new, children);
        let values = self.values(right, left.len());
        for (at, name) in left.into_iter().enumerate() {
            if name.kind() == "identifier" && self.declares(node) {
                self.variable(name, values.get(at).copied(), None, node);
            } else {
                self.assign(name, values.get(at).copied(), node);
            }
        }
    }

    /// Returns whether a statement declares its names.
    fn declares(&self, node: Node<'_>) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|sign| sign.kind() == ":=")
    }

    fn assignment(&mut self, node: Node<'_>) {
        let (Some(left), Some(right)) =
            (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return;
        };
        let left = children(left);
        let values = self.values(right, left.len());
        for (at, to) in left.into_iter().enumerate() {
            self.assign(to, values.get(at).copied(), node);
        }
    }

    /// Only what is assigned to a member is kept: a variable has its type already.
    fn assign(&mut self, to: Node<'_>, value: Option<ExpressionId>, node: Node<'_>) {
        match (to.child_by_field_name("operand"), to.child_by_field_name("field")) {
            (Some(of), Some(name)) if to.kind() == "selector_expression" => {
                let of = self.value(of);
                let name = self.name(name);
                self.bind(Some(of), name, value, None, node);
            }
            _ if to.kind() == "identifier" => {}
            _ => {
                self.value(to);
            }
        }
    }

    fn results(&mut self, node: Node<'_>) {
        let Some(list) = node.named_child(0) else { return };
        let values: Vec<ExpressionId> =
            children(list).into_iter().map(|of| self.value(of)).collect();
        if let [value] = values[..] {
            let of = self.returning();
            self.file.scopes[of].results.push(value);
        }
    }

    /// `for a, b := range x`: the first is what it iterates, the second what it indexes to.
    fn range_clause(&mut self, node: Node<'_>) {
        let Some(right) = node.child_by_field_name("right") else { return };
        let of = self.value(right);
        let left = node.child_by_field_name("left").map_or_else(Vec::new, children);
        let declares = self.declares(node);
        for (name, protocol) in left.into_iter().zip([Protocol::Iterate, Protocol::Index]) {
            let value = self.expression(Expression::Yield { of, protocol }, name);
            if name.kind() == "identifier" && declares {
                let name_of = self.name(name);
                self.declare(name_of, Some(value), None, node);
            } else {
                self.assign(name, Some(value), node);
            }
        }
    }

    fn type_switch(&mut self, node: Node<'_>) {
        self.block(node, |go| {
            if let Some(first) = node.child_by_field_name("initializer") {
                go.statement(first);
            }
            let of = node.child_by_field_name("value").map(|of| go.value(of));
            let alias = node.child_by_field_name("alias").and_then(|list| list.named_child(0));
            let cases = children(node);
            for case in cases.into_iter().filter(|node| node.kind().ends_with("_case")) {
                go.block(case, |go| {
                    let mut cursor = case.walk();
                    let types: Vec<_> = case.children_by_field_name("type", &mut cursor).collect();
                    if let (Some(of), Some(alias)) = (of, alias) {
                        let name = go.name(alias);
                        let value = match types[..] {
                            [only] if go.bytes(only) != b"nil" => {
                                let r#type = go.written(only);
                                go.expression(Expression::Cast { of, r#type }, only)
                            }
                            _ => of,
                        };
                        go.declare(name, Some(value), None, alias);
                    }
                    let rest = children(case).into_iter().filter(|node| !types.contains(node));
                    for statement in rest.collect::<Vec<_>>() {
                        go.statement(statement);
                    }
                });
            }
        });
    }
}

/// Returns whether a node of this kind is a value.
fn is_value(kind: &str) -> bool {
    kind.ends_with("_expression")
        || kind.ends_with("_literal")
        || matches!(kind, "identifier" | "nil" | "true" | "false" | "iota")
}
