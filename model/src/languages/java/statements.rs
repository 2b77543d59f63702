//! Syntax trees into facts: statements.

use super::lower::{Java, is_comment};
use crate::ir::*;
use crate::lower::{Builder, DEPTH, children};
use tree_sitter::Node;

impl Java<'_> {
    pub(super) fn block(&mut self, node: Node<'_>, lower: impl FnOnce(&mut Self)) {
        self.scoped(ScopeKind::Block, None, node, |java, _| lower(java));
    }

    /// Lowers the declarations and statements in `node`.
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
        match node.kind() {
            "line_comment" | "block_comment" | "break_statement" | "continue_statement" => {}
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration" => self.type_definition(node),
            "local_variable_declaration" => self.variables(node),
            "explicit_constructor_invocation" => self.constructor_call(node),
            "return_statement" => {
                if let Some(value) = children(node).into_iter().find(|of| !is_comment(*of)) {
                    let value = self.value(value);
                    let of = self.returning();
                    self.file.scopes[of].results.push(value);
                }
            }
            "yield_statement" => {
                if let Some(value) = children(node).into_iter().find(|of| !is_comment(*of)) {
                    let value = self.value(value);
                    if let Some(values) = self.switches.last_mut() {
                        values.push(value);
                    }
                }
            }
            "labeled_statement" => {
                for child in children(node).into_iter().skip(1) {
                    self.statement(child);
                }
            }
            "enhanced_for_statement" => self.iteration(node),
            "catch_clause" => self.block(node, |java| {
                for child in children(node) {
                    if child.kind() == "catch_formal_parameter" {
                        java.caught(child);
                    } else {
                        java.statement(child);
                    }
                }
            }),
            "resource" => self.resource(node),
            "block" | "for_statement" | "try_with_resources_statement" => {
                self.block(node, |java| java.statements(node));
            }
            kind if is_value(kind) => {
                self.value(node);
            }
            _ => self.statements(node),
        }
        self.depth -= 1;
    }

    fn variables(&mut self, node: Node<'_>) {
        let Some(of) = node.child_by_field_name("type") else { return };
        let of = if self.is_inferred(of) { None } else { Some(self.written(of)) };
        let mut cursor = node.walk();
        let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
        for declarator in declarators {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            let name = self.name(name);
            let ty = of.map(|of| self.with_dimensions(of, declarator));
            let value = declarator.child_by_field_name("value");
            let value = value.map(|value| self.value_of(value, ty));
            self.declare(name, value, ty, declarator);
        }
    }

    /// `for (T a : values)`.
    fn iteration(&mut self, node: Node<'_>) {
        let field = |name: &str| node.child_by_field_name(name);
        let (Some(of), Some(name), Some(values)) = (field("type"), field("name"), field("value"))
        else {
            return;
        };
        self.block(node, |java| {
            let ty = if java.is_inferred(of) { None } else { Some(java.written(of)) };
            let of = java.value(values);
            let kind = Expression::Yield { of, protocol: Protocol::Iterate };
            let value = java.expression(kind, values);
            let name = java.name(name);
            java.declare(name, Some(value), ty, values);
            if let Some(body) = field("body") {
                java.statement(body);
            }
        });
    }

    fn caught(&mut self, node: Node<'_>) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let of = children(node).into_iter().find(|of| of.kind() == "catch_type");
        let ty = of.map(|of| self.written(of));
        let name = self.name(name);
        self.declare(name, None, ty, node);
    }

    fn resource(&mut self, node: Node<'_>) {
        let field = |name: &str| node.child_by_field_name(name);
        let (Some(of), Some(name), Some(value)) = (field("type"), field("name"), field("value"))
        else {
            return self.statements(node);
        };
        let ty = if self.is_inferred(of) { None } else { Some(self.written(of)) };
        let value = self.value(value);
        let name = self.name(name);
        self.declare(name, Some(value), ty, node);
    }

    /// `this(…)` and `super(…)` construct the type around, and what it extends.
    fn constructor_call(&mut self, node: Node<'_>) {
        if let Some(of) = node.child_by_field_name("object") {
            self.value(of);
        }
        let Some(sign) = node.child_by_field_name("constructor") else { return };
        let arguments = node.child_by_field_name("arguments");
        let around = self.type_around().cloned();
        let of = match (sign.kind(), around) {
            ("this", Some((name, _))) => Some(self.named(vec![name], Vec::new())),
            ("super", Some((_, base))) => base,
            _ => None,
        };
        let of = of.unwrap_or_else(|| self.named(vec!["Object".into()], Vec::new()));
        self.construction(of, sign, arguments, node);
    }

    /// A switch with the values that it gives.
    pub(super) fn switch(&mut self, node: Node<'_>) -> Expression {
        let of = node.child_by_field_name("condition").map(|of| self.value(of));
        self.switches.push(Vec::new());
        if let Some(body) = node.child_by_field_name("body") {
            self.block(body, |java| {
                for rule in children(body) {
                    match rule.kind() {
                        "switch_rule" => java.block(rule, |java| java.rule(of, rule)),
                        _ => java.rule(of, rule),
                    }
                }
            });
        }
        let values = self.switches.pop().unwrap_or_default();
        self.joined(values)
    }

    fn rule(&mut self, of: Option<ExpressionId>, rule: Node<'_>) {
        for part in children(rule) {
            match part.kind() {
                "switch_label" => self.label(of, part),
                "expression_statement" if rule.kind() == "switch_rule" => {
                    let value = part.named_child(0).map(|value| self.value(value));
                    if let Some(values) = self.switches.last_mut() {
                        values.extend(value);
                    }
                }
                _ => self.statement(part),
            }
        }
    }

    /// Where values join; the absent one says nothing of a type.
    pub(super) fn joined(&self, values: Vec<ExpressionId>) -> Expression {
        let is_null = |value: &ExpressionId| {
            self.file.expressions[*value].kind == Expression::Literal(Literal::Null)
        };
        let known: Vec<ExpressionId> = values.into_iter().filter(|of| !is_null(of)).collect();
        if known.is_empty() { Expression::Unknown } else { Expression::OneOf(known) }
    }

    /// Patterns bind names; other labels are constants.
    fn label(&mut self, of: Option<ExpressionId>, node: Node<'_>) {
        for part in children(node) {
            match (part.kind(), of) {
                ("pattern", Some(of)) => {
                    for pattern in children(part) {
                        self.pattern(of, pattern);
                    }
                }
                ("guard", _) => self.statements(part),
                ("identifier", _) => {}
                (kind, _) if is_value(kind) => {
                    self.value(part);
                }
                _ => {}
            }
        }
    }

    /// `T a`, and `T(A a, B b)`.
    pub(super) fn pattern(&mut self, of: ExpressionId, node: Node<'_>) {
        let parts: Vec<_> = children(node).into_iter().filter(|of| !is_comment(*of)).collect();
        match (node.kind(), &parts[..]) {
            ("type_pattern" | "record_pattern_component", [ty, name]) => {
                let value = if self.is_inferred(*ty) {
                    self.expression(Expression::Unknown, *ty)
                } else {
                    let r#type = self.written(*ty);
                    self.expression(Expression::Cast { of, r#type }, *ty)
                };
                let name = self.name(*name);
                self.declare(name, Some(value), None, node);
            }
            ("record_pattern", [_, body]) => {
                let of = self.expression(Expression::Unknown, node);
                for part in children(*body) {
                    self.pattern(of, part);
                }
            }
            _ => {}
        }
    }

    /// A lambda that is assigned gets its parameters from what it is assigned to; other values
    /// change no type.
    pub(super) fn assignment(&mut self, node: Node<'_>) -> Expression {
        let (Some(to), Some(value)) =
            (node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return Expression::Unknown;
        };
        let assigned = self.value(value);
        let is_lambda = matches!(self.file.expressions[assigned].kind, Expression::Lambda { .. });
        let (scope, range) = (self.scope, Builder::range(node));
        let bind = |java: &mut Self, of, name, r#type| {
            let value = Some(assigned);
            java.file.bindings.push(Binding { of, name, scope, range, value, r#type });
        };
        match to.kind() {
            "identifier" if is_lambda => {
                let name = self.name(to);
                match self.local(&name) {
                    Some(ty) => bind(self, None, name, ty),
                    None => {
                        let own = self.expression(Expression::Own, to);
                        bind(self, Some(own), name, None);
                    }
                }
                Expression::Unknown
            }
            "field_access" if is_lambda => {
                let parts = (to.child_by_field_name("object"), to.child_by_field_name("field"));
                if let (Some(of), Some(name)) = parts {
                    let of = self.value(of);
                    let name = self.name(name);
                    bind(self, Some(of), name, None);
                }
                Expression::Unknown
            }
            _ => {
                let to = self.value(to);
                Expression::OneOf(vec![to])
            }
        }
    }
}

/// Returns whether a node of this kind is a value.
pub(super) fn is_value(kind: &str) -> bool {
    kind.ends_with("_expression")
        || kind.ends_with("_literal")
        || matches!(
            kind,
            "identifier"
                | "this"
                | "field_access"
                | "array_access"
                | "method_invocation"
                | "method_reference"
                | "true"
                | "false"
                | "array_initializer"
        )
}
