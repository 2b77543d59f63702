//! Syntax trees into facts: statements and what they assign.

use super::flow::{Assigned, depends, reads};
use super::lower::{Context, ENUMERATIONS, Python};
use crate::ir::*;
use crate::lower::{Builder, DEPTH, children};
use tree_sitter::Node;

impl Python<'_> {
    /// Lowers the statements in `node`.
    pub(super) fn statements(&mut self, node: Node<'_>) {
        for child in children(node) {
            self.statement(child);
        }
    }

    pub(super) fn statement(&mut self, node: Node<'_>) {
        if self.depth > DEPTH {
            return;
        }
        self.depth += 1;
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "comment" | "pass_statement" | "break_statement" | "continue_statement" => {}
            "future_import_statement" => {}
            "import_statement" => self.import(node),
            "import_from_statement" => self.import_from(node),
            "decorated_definition" => self.decorated(node),
            "class_definition" => self.class(node),
            "function_definition" => self.function(node, &[]),
            "expression_statement" => {
                for child in children(node) {
                    match child.kind() {
                        "assignment" => {
                            self.assignment(child);
                        }
                        "augmented_assignment" => self.augmented(child),
                        _ => {
                            self.value(child);
                        }
                    }
                }
            }
            "return_statement" => self.returned(node),
            "global_statement" | "nonlocal_statement" => {
                let names: Vec<Name> = children(node).into_iter().map(|of| self.name(of)).collect();
                let is_global = node.kind() == "global_statement";
                if let Some(function) = self.functions.last_mut().filter(|_| is_global) {
                    function.globals.extend(names);
                }
            }
            "type_alias_statement" => {
                if let (Some(left), Some(right)) = (field("left"), field("right")) {
                    let name = self.name(left);
                    self.alias(name, right, left);
                }
            }
            "if_statement" => self.if_statement(node),
            "for_statement" => self.for_statement(node),
            "while_statement" => self.while_statement(node),
            "try_statement" => self.try_statement(node),
            "match_statement" => self.match_statement(node),
            "with_statement" => self.with_statement(node),
            "assert_statement" => {
                let tested = children(node);
                for &child in &tested {
                    self.value(child);
                }
                if let Some(&condition) = tested.first() {
                    let (shown, _) = self.tests(condition);
                    self.apply(shown, Builder::range(node).end);
                }
            }
            "block" | "else_clause" | "finally_clause" => self.statements(node),
            _ => {
                for child in children(node) {
                    self.value(child);
                }
            }
        }
        self.depth -= 1;
    }

    fn returned(&mut self, node: Node<'_>) {
        let Some(value) = node.named_child(0) else { return };
        let result = self.value(value);
        let Some((scope, wraps, yields)) =
            self.functions.last().map(|of| (of.scope, of.wraps, of.yields))
        else {
            return;
        };
        if yields.is_some() {
            return;
        }
        let result = match wraps {
            Some(wrapper) => self.element_of(wrapper, result, value),
            None => result,
        };
        self.file.scopes[scope].results.push(result);
    }

    /// Returns a value of the library's type `name` whose element is `value`.
    pub(super) fn element_of(
        &mut self,
        name: &str,
        value: ExpressionId,
        node: Node<'_>,
    ) -> ExpressionId {
        let r#type = Some(self.library_type(name, Vec::new()));
        let fields = vec![("0".into(), value)];
        self.expression(Expression::Record { r#type, fields }, node)
    }

    /// `a = b = value`, `a: T = value`. Returns the value.
    pub(super) fn assignment(&mut self, node: Node<'_>) -> Option<ExpressionId> {
        let left = node.child_by_field_name("left")?;
        let right = node.child_by_field_name("right");
        let written = node.child_by_field_name("type");
        if let (Some(right), "identifier") = (right, left.kind())
            && self.is_alias(written, right)
        {
            let name = self.name(left);
            self.value(right);
            self.alias(name, right, left);
            return None;
        }
        let value = right.and_then(|right| match right.kind() {
            "assignment" => self.assignment(right),
            _ => Some(self.value(right)),
        });
        let written = written.filter(|&of| !self.is_typing(of, "TypeAlias"));
        let ty = written.map(|of| self.written(of));
        self.assign(left, (value, right), ty, node);
        value
    }

    /// Returns whether an assignment of the module gives a type a name.
    fn is_alias(&mut self, written: Option<Node<'_>>, right: Node<'_>) -> bool {
        if self.context == Context::Function {
            return false;
        }
        if let Some(written) = written {
            return self.is_typing(written, "TypeAlias");
        }
        let is_form = |python: &mut Self, of: Node<'_>| {
            const FORMS: [&str; 14] = [
                "Union",
                "Optional",
                "Callable",
                "Dict",
                "List",
                "Tuple",
                "Type",
                "Set",
                "Iterable",
                "Mapping",
                "Sequence",
                "MutableMapping",
                "Iterator",
                "Annotated",
            ];
            FORMS.iter().any(|form| python.is_typing(of, form))
        };
        right.kind() == "subscript" && is_form(self, right)
    }

    fn alias(&mut self, name: Name, of: Node<'_>, node: Node<'_>) {
        let id = self.define_here(name, DefinitionKind::Alias, node);
        let ty = self.written(of);
        self.file.definitions[id].signature.result = Some(ty);
    }

    /// Operators keep the type of what they change.
    fn augmented(&mut self, node: Node<'_>) {
        for side in ["left", "right"] {
            if let Some(side) = node.child_by_field_name(side) {
                self.value(side);
            }
        }
    }

    /// Assigns a value, with the node that it was lowered from, to a target.
    pub(super) fn assign(
        &mut self,
        to: Node<'_>,
        (value, of): (Option<ExpressionId>, Option<Node<'_>>),
        ty: Option<TypeId>,
        node: Node<'_>,
    ) {
        match to.kind() {
            "identifier" => {
                let name = self.name(to);
                let mut read = Vec::new();
                if let Some(of) = of {
                    reads(self, of, &mut read);
                }
                self.assign_name(name, (value, read), ty, (to, node));
            }
            "attribute" => {
                let (Some(object), Some(attribute)) =
                    (to.child_by_field_name("object"), to.child_by_field_name("attribute"))
                else {
                    return;
                };
                let name = self.name(attribute);
                let text = String::from_utf8_lossy(self.bytes(to)).into_owned();
                self.narrowed.retain(|(path, _)| *path != text);
                let object = self.value(object);
                if self.file.expressions[object].kind == Expression::Own {
                    // What a member gets by its own old value says nothing new.
                    let mut read = Vec::new();
                    if let Some(of) = of {
                        reads(self, of, &mut read);
                    }
                    let assigned: Vec<Assigned> =
                        self.functions.iter().flat_map(|of| of.assigned.iter().cloned()).collect();
                    let is_old = depends(&Name::from(text.as_str()), &read, &assigned);
                    let value = value.filter(|_| !is_old);
                    self.own_member(&name, value, ty, attribute);
                }
                self.bind(Some(object), name, value, ty, node);
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" => {
                let parts = children(to);
                for (at, part) in parts.into_iter().enumerate() {
                    let inner = part.named_child(0).filter(|_| part.kind() == "list_splat_pattern");
                    let value = value.filter(|_| inner.is_none());
                    let member = value.map(|of| {
                        let name = at.to_string().into();
                        self.expression(Expression::Member { of, name }, part)
                    });
                    self.assign(inner.unwrap_or(part), (member, of), None, node);
                }
            }
            "subscript" => {
                self.value(to);
            }
            "parenthesized_expression" | "as_pattern_target" => {
                if let Some(inner) = to.named_child(0) {
                    self.assign(inner, (value, of), ty, node);
                }
            }
            _ => {}
        }
    }

    fn assign_name(
        &mut self,
        name: Name,
        (value, reads): (Option<ExpressionId>, Vec<Name>),
        mut ty: Option<TypeId>,
        (to, node): (Node<'_>, Node<'_>),
    ) {
        let is_global = self.functions.last().is_some_and(|of| of.globals.contains(&name));
        match self.context {
            Context::Function if !is_global => {
                if let Some(function) = self.functions.last_mut() {
                    function.locals.insert(name.clone());
                }
                let is_function = value.is_some_and(|value| {
                    matches!(self.file.expressions[value].kind, Expression::Lambda { .. })
                });
                if is_function {
                    // Its name is that of the function.
                    let id = self.define_here(name, DefinitionKind::Variable, to);
                    let range = Builder::range(to);
                    let body = self.push_scope(ScopeKind::Function, Some(id), range);
                    self.file.scopes[body].results.extend(value);
                    self.file.definitions[id].body = Some(body);
                    return;
                }
                let end = Builder::range(node).end;
                if let Some(function) = self.functions.last_mut() {
                    if let (Some(ty), None) = (ty, value) {
                        function.declared.push((name.clone(), ty));
                    }
                    let declared = function.declared.iter().rfind(|(known, _)| *known == name);
                    ty = ty.or(declared.map(|&(_, ty)| ty));
                }
                self.bind_at(name.clone(), value, ty, end);
                let assigned = Assigned { name, value, reads };
                if let Some(function) = self.functions.last_mut() {
                    function.assigned.push(assigned.clone());
                }
                if let Some(frame) = self.frames.last_mut() {
                    frame.push(assigned);
                }
            }
            Context::Class(class) => self.class_member(class, name, value, ty, to),
            _ => {
                // What a variable is set to by its own old value says nothing new.
                let is_known = !self.variables.insert(name.clone());
                let value = value.filter(|_| !reads.contains(&name));
                if is_known && value.is_none() {
                    return;
                }
                let outer = self.scope;
                self.scope = ScopeId::new(0);
                let id = self.define(name, DefinitionKind::Variable, to);
                self.file.definitions[id].signature.result = ty;
                let body = self.push_scope(ScopeKind::Function, Some(id), Builder::range(to));
                self.scope = outer;
                self.file.scopes[body].results.extend(value);
                self.file.definitions[id].body = Some(body);
            }
        }
    }

    /// Binds a name from a position on.
    pub(super) fn bind_at(
        &mut self,
        name: Name,
        value: Option<ExpressionId>,
        r#type: Option<TypeId>,
        start: u32,
    ) {
        let scope = self.scope;
        let range = Range { start, end: start };
        // A name without a value is not bound here: that would make it a parameter.
        let unknown = ExpressionNode { kind: Expression::Unknown, scope, range };
        let value = value.unwrap_or_else(|| self.file.expressions.push(unknown));
        let value = Some(value);
        self.file.bindings.push(Binding { of: None, name, scope, range, value, r#type });
    }

    /// A name in the body of a class.
    fn class_member(
        &mut self,
        class: DefinitionId,
        name: Name,
        value: Option<ExpressionId>,
        ty: Option<TypeId>,
        to: Node<'_>,
    ) {
        let Some(&(_, scope)) = self.classes.last() else { return };
        if ty.is_none() && self.extends_named(class, &ENUMERATIONS) && !name.starts_with('_') {
            let own = self.r#type(Type::Own);
            self.field((class, scope), name, Some(own), to);
            return;
        }
        if ty.is_some() && self.extends_named(class, &["NamedTuple"]) {
            // What a tuple has at a position.
            let position = (0..).map(|at: usize| Name::from(at.to_string()));
            let mut open =
                position.filter(|name| !self.fields.contains_key(&(class, name.clone())));
            if let Some(position) = open.next() {
                self.field((class, scope), position, ty, to);
            }
        }
        let field = self.field((class, scope), name, ty, to);
        self.holds(field, value);
    }

    /// A member of the receiver that a method assigns.
    fn own_member(
        &mut self,
        name: &Name,
        value: Option<ExpressionId>,
        ty: Option<TypeId>,
        node: Node<'_>,
    ) {
        let Some(&(class, scope)) = self.classes.last() else { return };
        let start = self.file.definitions[class].range.start as usize;
        let is_known = self.fields.contains_key(&(class, name.clone()));
        let is_method = self.names.methods.contains(&(start, name.clone()));
        if is_method && !is_known {
            return;
        }
        let field = self.field((class, scope), name.clone(), ty, node);
        self.holds(field, value);
    }

    /// Returns the field of a class.
    fn field(
        &mut self,
        (class, scope): (DefinitionId, ScopeId),
        name: Name,
        ty: Option<TypeId>,
        node: Node<'_>,
    ) -> DefinitionId {
        let key = (class, name.clone());
        let known = self.fields.get(&key).copied();
        let id = known.unwrap_or_else(|| {
            let outer = std::mem::replace(&mut self.scope, scope);
            let id = self.define(name, DefinitionKind::Field, node);
            let own = self.r#type(Type::Own);
            self.file.definitions[id].signature.receiver = Some(own);
            let body = self.push_scope(ScopeKind::Function, Some(id), Builder::range(node));
            self.file.definitions[id].body = Some(body);
            self.scope = outer;
            id
        });
        self.fields.insert(key, id);
        let result = &mut self.file.definitions[id].signature.result;
        *result = result.or(ty);
        id
    }

    /// A field holds a value.
    fn holds(&mut self, field: DefinitionId, value: Option<ExpressionId>) {
        let is_null = |value: &ExpressionId| {
            self.file.expressions[*value].kind == Expression::Literal(Literal::Null)
        };
        let value = value.filter(|value| !is_null(value));
        if let Some(body) = self.file.definitions[field].body {
            self.file.scopes[body].results.extend(value);
        }
    }

    fn with_statement(&mut self, node: Node<'_>) {
        let is_async = node.child(0).is_some_and(|first| first.kind() == "async");
        let enter = if is_async { "__aenter__" } else { "__enter__" };
        let items = children(node).into_iter().filter(|of| of.kind() == "with_clause");
        let first = node.child(0).unwrap_or(node);
        for item in items.flat_map(children) {
            let Some(value) = item.child_by_field_name("value") else { continue };
            let (value, target) = match value.kind() {
                "as_pattern" => (value.named_child(0), value.child_by_field_name("alias")),
                _ => (Some(value), None),
            };
            let Some(value) = value else { continue };
            let of = self.value(value);
            let entered = self.call(Some(of), Some(enter.into()), Vec::new(), (None, first));
            let entered = if is_async {
                let kind = Expression::Yield { of: entered, protocol: Protocol::Await };
                self.expression(kind, first)
            } else {
                entered
            };
            if let Some(target) = target {
                self.assign(target, (Some(entered), Some(value)), None, item);
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            self.statements(body);
        }
    }
}
