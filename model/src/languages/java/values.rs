//! Syntax trees into facts: values and calls.

use super::lower::{Java, is_comment};
use super::statements::is_value;
use super::types::is_type;
use crate::ir::*;
use crate::lower::{Builder, DEPTH, children};
use tree_sitter::Node;

impl Java<'_> {
    /// Returns the value that `node` is.
    pub(super) fn value(&mut self, node: Node<'_>) -> ExpressionId {
        self.value_of(node, None)
    }

    /// Returns the value that `node` is; `ty` is that of an array whose elements it lists.
    pub(super) fn value_of(&mut self, node: Node<'_>, ty: Option<TypeId>) -> ExpressionId {
        if self.depth > DEPTH {
            return self.expression(Expression::Opaque("nested too deep".into()), node);
        }
        self.depth += 1;
        let value = match self.value_kind(node, ty) {
            Ok(Expression::OneOf(values)) if values.len() == 1 => values[0],
            Ok(kind) => self.expression(kind, node),
            Err(same) => same,
        };
        self.depth -= 1;
        value
    }

    /// Returns what a value is, or the value that it is the same as.
    fn value_kind(
        &mut self,
        node: Node<'_>,
        ty: Option<TypeId>,
    ) -> Result<Expression, ExpressionId> {
        let field = |name: &str| node.child_by_field_name(name);
        Ok(match node.kind() {
            "identifier" => Expression::Name { name: self.name(node), is_type: false },
            "this" => Expression::Own,
            "parenthesized_expression" => match first(node) {
                Some(inner) => return Err(self.value(inner)),
                None => Expression::Unknown,
            },
            "field_access" => return Err(self.member(node)),
            "method_invocation" => return Err(self.invocation(node)),
            "object_creation_expression" => return Err(self.creation(node)),
            "lambda_expression" => self.lambda(node),
            "method_reference" => return Err(self.reference(node)),
            "array_access" => match (field("array"), field("index")) {
                (Some(of), Some(index)) => {
                    self.value(index);
                    Expression::Yield { of: self.value(of), protocol: Protocol::Index }
                }
                _ => Expression::Unknown,
            },
            "array_creation_expression" => {
                for part in children(node).into_iter().filter(|of| !is_type(of.kind())) {
                    self.sizes(part);
                }
                match field("type") {
                    Some(of) => {
                        let of = self.written(of);
                        let ty = self.array(of, node);
                        self.of_type(ty, node)
                    }
                    None => Expression::Unknown,
                }
            }
            "array_initializer" => {
                let element = ty.and_then(|ty| match &self.file.types[ty].kind {
                    Type::Named { arguments, .. } => arguments.first().copied(),
                    _ => None,
                });
                for part in children(node).into_iter().filter(|of| !is_comment(*of)) {
                    self.value_of(part, element);
                }
                match ty {
                    Some(ty) => self.of_type(ty, node),
                    None => Expression::Unknown,
                }
            }
            "cast_expression" => match (field("type"), field("value")) {
                (Some(to), Some(of)) => {
                    let of = self.value(of);
                    Expression::Cast { of, r#type: self.written(to) }
                }
                _ => Expression::Unknown,
            },
            "instanceof_expression" => self.test(node),
            "ternary_expression" => {
                field("condition").map(|of| self.value(of));
                let sides = [field("consequence"), field("alternative")].into_iter().flatten();
                let sides = sides.map(|of| self.value(of)).collect();
                self.joined(sides)
            }
            "switch_expression" => self.switch(node),
            "assignment_expression" => self.assignment(node),
            "binary_expression" => return self.binary(node),
            "unary_expression" => {
                let of = field("operand").map(|of| self.value(of));
                match (field("operator").map(|of| self.bytes(of)), of) {
                    (Some(b"!"), _) | (_, None) => Expression::Literal(Literal::Boolean),
                    (_, Some(of)) => return Err(of),
                }
            }
            "update_expression" => match first(node) {
                Some(of) => return Err(self.value(of)),
                None => Expression::Unknown,
            },
            "class_literal" => match first(node) {
                Some(of) => {
                    let of = self.written(of);
                    let ty = self.named(vec!["class".into()], vec![of]);
                    self.of_type(ty, node)
                }
                None => Expression::Unknown,
            },
            "string_literal" => {
                self.interpolations(node);
                Expression::Literal(Literal::String("".into()))
            }
            "template_expression" => {
                self.parts(node);
                Expression::Literal(Literal::String("".into()))
            }
            "true" | "false" => Expression::Literal(Literal::Boolean),
            "null_literal" => Expression::Literal(Literal::Null),
            "character_literal" => {
                let ty = self.named(vec!["char".into()], Vec::new());
                self.of_type(ty, node)
            }
            kind if kind.ends_with("_literal") => self.number(node),
            _ => {
                self.parts(node);
                Expression::Unknown
            }
        })
    }

    /// A value of which only the type is known.
    fn of_type(&mut self, r#type: TypeId, node: Node<'_>) -> Expression {
        let of = self.expression(Expression::Unknown, node);
        Expression::Cast { of, r#type }
    }

    fn parts(&mut self, node: Node<'_>) {
        for part in children(node) {
            if is_value(part.kind()) {
                self.value(part);
            }
        }
    }

    fn interpolations(&mut self, node: Node<'_>) {
        for part in children(node) {
            if part.kind() == "string_interpolation" {
                self.parts(part);
            }
        }
    }

    fn number(&mut self, node: Node<'_>) -> Expression {
        let text = self.bytes(node);
        let last = text.last().map_or(b'0', u8::to_ascii_lowercase);
        let is_whole = node.kind().ends_with("_integer_literal");
        let name = match (is_whole, last) {
            (true, b'l') => "long",
            (false, b'f') => "float",
            (true, _) => return Expression::Literal(Literal::Integer),
            (false, _) => return Expression::Literal(Literal::Float),
        };
        let ty = self.named(vec![name.into()], Vec::new());
        self.of_type(ty, node)
    }

    /// The sizes or the elements of an array that is made.
    fn sizes(&mut self, node: Node<'_>) {
        match node.kind() {
            "dimensions_expr" => self.parts(node),
            "array_initializer" => {
                self.value(node);
            }
            _ => {}
        }
    }

    /// The type of `new T[a][]`.
    fn array(&mut self, of: TypeId, node: Node<'_>) -> TypeId {
        let sizes = children(node).into_iter().filter(|of| of.kind() == "dimensions_expr").count();
        let mut ty = of;
        for _ in 0..sizes {
            ty = self.named(vec!["[]".into()], vec![ty]);
        }
        let mut cursor = node.walk();
        let lists = node.children(&mut cursor).filter(|of| of.kind() == "dimensions");
        let count = lists
            .map(|list| {
                let mut cursor = list.walk();
                list.children(&mut cursor).filter(|sign| sign.kind() == "[").count()
            })
            .sum();
        for _ in 0..count {
            ty = self.named(vec!["[]".into()], vec![ty]);
        }
        ty
    }

    /// `x instanceof T a`.
    fn test(&mut self, node: Node<'_>) -> Expression {
        let field = |name: &str| node.child_by_field_name(name);
        if let Some(of) = field("left") {
            let of = self.value(of);
            if let (Some(ty), Some(name)) = (field("right"), field("name")) {
                let r#type = self.written(ty);
                let value = self.expression(Expression::Cast { of, r#type }, ty);
                let name = self.name(name);
                self.declare(name, Some(value), None, node);
            }
            if let Some(pattern) = field("pattern") {
                self.pattern(of, pattern);
            }
        }
        Expression::Literal(Literal::Boolean)
    }

    /// Comparisons give truth values; a sum with a text is a text; other operators give the type
    /// of their operands.
    fn binary(&mut self, node: Node<'_>) -> Result<Expression, ExpressionId> {
        let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
        let [Some(left), Some(right)] = sides.map(|side| side.map(|side| self.value(side))) else {
            return Ok(Expression::Unknown);
        };
        let operator = node.child_by_field_name("operator").map(|of| self.bytes(of));
        let compares =
            matches!(operator, Some(b"==" | b"!=" | b"<" | b">" | b"<=" | b">=" | b"&&" | b"||"));
        if compares {
            return Ok(Expression::Literal(Literal::Boolean));
        }
        let is_text = |of: ExpressionId| {
            matches!(self.file.expressions[of].kind, Expression::Literal(Literal::String(_)))
        };
        let is_number = |of: ExpressionId| {
            matches!(self.file.expressions[of].kind, Expression::Literal(Literal::Integer))
        };
        match operator {
            Some(b"+") if is_text(left) || is_text(right) => {
                Ok(Expression::Literal(Literal::String("".into())))
            }
            Some(b"<<" | b">>" | b">>>") => Err(left),
            _ if is_number(left) => Err(right),
            _ => Err(left),
        }
    }

    /// `a.b`, `Outer.this`, `a.super.b`.
    fn member(&mut self, node: Node<'_>) -> ExpressionId {
        let (Some(of), Some(name)) =
            (node.child_by_field_name("object"), node.child_by_field_name("field"))
        else {
            return self.expression(Expression::Unknown, node);
        };
        if name.kind() == "this" {
            let path = self.path(of);
            let ty = self.named(path, Vec::new());
            let kind = self.of_type(ty, node);
            return self.expression(kind, node);
        }
        if let Some(value) = self.qualified(node) {
            return value;
        }
        let of = self.object(of, has_super(node));
        let name = self.name(name);
        self.expression(Expression::Member { of, name }, node)
    }

    /// The value before a member. Behind `super`, members are those of what is extended.
    fn object(&mut self, node: Node<'_>, is_super: bool) -> ExpressionId {
        match (node.kind(), is_super) {
            ("super", _) => self.expression(Expression::Base, node),
            (_, true) => {
                let path = self.path(node);
                let last = path.last().cloned().unwrap_or_else(|| "".into());
                // The base of a type around is none of an interface.
                if self.is_type_around(&last) {
                    return self.expression(Expression::Unknown, node);
                }
                let ty = self.named(path, Vec::new());
                let kind = self.of_type(ty, node);
                self.expression(kind, node)
            }
            _ => self.value(node),
        }
    }

    /// A type behind its package: `a.b.C`, where `a` is no variable.
    fn qualified(&mut self, node: Node<'_>) -> Option<ExpressionId> {
        let path = self.names(node)?;
        let is_package = |name: &Name| name.starts_with(|c: char| c.is_lowercase());
        let (last, package) = path.split_last()?;
        let is_type = last.starts_with(|c: char| c.is_uppercase());
        if !is_type || package.len() < 2 || !package.iter().all(is_package) {
            return None;
        }
        if self.local(&package[0]).is_some() {
            return None;
        }
        let module: Name = package.join(".").into();
        if &*module == "java.lang" {
            let name = last.clone();
            return Some(self.expression(Expression::Name { name, is_type: true }, node));
        }
        let of = self.expression(Expression::Name { name: module, is_type: true }, node);
        let name = last.clone();
        Some(self.expression(Expression::Member { of, name }, node))
    }

    /// The names of `a.b.c`.
    fn names(&mut self, node: Node<'_>) -> Option<Vec<Name>> {
        let mut names = Vec::new();
        let mut at = node;
        while at.kind() == "field_access" {
            names.push(self.name(at.child_by_field_name("field")?));
            at = at.child_by_field_name("object")?;
        }
        if at.kind() != "identifier" {
            return None;
        }
        names.push(self.name(at));
        names.reverse();
        Some(names)
    }

    fn lambda(&mut self, node: Node<'_>) -> Expression {
        let mut parameters: Vec<(Name, Option<TypeId>)> = Vec::new();
        let scope = self.scoped(ScopeKind::Lambda, None, node, |java, scope| {
            if let Some(list) = node.child_by_field_name("parameters") {
                parameters = match list.kind() {
                    "formal_parameters" => {
                        let list = java.parameters(list);
                        list.into_iter().map(|of| (of.name, of.r#type)).collect()
                    }
                    "inferred_parameters" => {
                        let names = children(list).into_iter().filter(|of| !is_comment(*of));
                        names.map(|name| (java.name(name), None)).collect()
                    }
                    _ => vec![(java.name(list), None)],
                };
                let first = java.file.bindings.iter().count();
                java.lambdas.insert(scope, first);
                for (name, ty) in parameters.clone() {
                    java.declare(name, None, ty, list);
                }
            }
            match node.child_by_field_name("body") {
                Some(body) if body.kind() == "block" => java.statements(body),
                Some(body) => {
                    let value = java.value(body);
                    java.file.scopes[scope].results.push(value);
                }
                None => {}
            }
        });
        Expression::Lambda { scope, parameters, result: None }
    }

    /// `a::f`; `A::new` is the type itself, where a function is expected.
    fn reference(&mut self, node: Node<'_>) -> ExpressionId {
        let parts: Vec<_> = children(node).into_iter().filter(|of| !is_comment(*of)).collect();
        let Some(&of) = parts.first() else {
            return self.expression(Expression::Unknown, node);
        };
        let last = node.child_count().checked_sub(1).and_then(|last| node.child(last as _));
        if last.is_some_and(|last| last.kind() == "new") {
            if of.kind() != "array_type" {
                return if is_type(of.kind()) { self.type_value(of) } else { self.value(of) };
            }
            let ty = self.written(of);
            let size = self.named(vec!["int".into()], Vec::new());
            let scope = self.scoped(ScopeKind::Lambda, None, node, |java, scope| {
                let kind = java.of_type(ty, node);
                let made = java.expression(kind, node);
                java.file.scopes[scope].results.push(made);
            });
            let parameters = vec![("".into(), Some(size))];
            let kind = Expression::Lambda { scope, parameters, result: Some(ty) };
            return self.expression(kind, node);
        }
        let Some(name) = last.filter(|last| last.kind() == "identifier") else {
            return self.expression(Expression::Unknown, node);
        };
        let of = match of.kind() {
            "super" => self.expression(Expression::Base, of),
            kind if is_type(kind) => self.type_value(of),
            _ => self.value(of),
        };
        let name = self.name(name);
        self.expression(Expression::Member { of, name }, node)
    }

    /// A type where a value stands.
    fn type_value(&mut self, node: Node<'_>) -> ExpressionId {
        let path = match node.kind() {
            "array_type" | "annotated_type" => Vec::new(),
            _ => self.path(node),
        };
        let mut names = path.into_iter();
        let Some(name) = names.next() else {
            return self.expression(Expression::Unknown, node);
        };
        let mut of = self.expression(Expression::Name { name, is_type: true }, node);
        for name in names {
            of = self.expression(Expression::Member { of, name }, node);
        }
        of
    }

    fn invocation(&mut self, node: Node<'_>) -> ExpressionId {
        let Some(name) = node.child_by_field_name("name") else {
            return self.expression(Expression::Unknown, node);
        };
        let receiver = node.child_by_field_name("object");
        let receiver = receiver.map(|of| self.object(of, has_super(node)));
        let types = node.child_by_field_name("type_arguments");
        let type_arguments = types.map_or_else(Vec::new, |list| self.type_arguments(list));
        let scope = self.scope;
        let of = Use {
            role: Role::Call,
            name: Some(self.name(name)),
            scope,
            receiver,
            r#type: None,
            arguments: Vec::new(),
            type_arguments,
            range: Builder::range(name),
        };
        let of = self.file.uses.push(of);
        if let Some(list) = node.child_by_field_name("arguments") {
            self.arguments(of, list);
        }
        self.expression(Expression::Call(of), node)
    }

    /// `new T(…)`. With a body, a class without a name is made, and constructs what it extends.
    fn creation(&mut self, node: Node<'_>) -> ExpressionId {
        let Some(of) = node.child_by_field_name("type") else {
            return self.expression(Expression::Unknown, node);
        };
        let parts = children(node);
        let outer = parts.first().filter(|outer| outer.id() != of.id() && is_value(outer.kind()));
        let ty = match outer {
            // `a.new B()`: a type that the type of `a` has.
            Some(outer) => {
                let outer = self.value(*outer);
                let of_it = self.r#type(Type::TypeOf(outer));
                let member = self.name(last_name(of));
                self.r#type(Type::Projection { of: of_it, member })
            }
            None => self.written(of),
        };
        let body = parts.iter().find(|part| part.kind() == "class_body");
        let name = last_name(of);
        let arguments = node.child_by_field_name("arguments");
        let Some(body) = body else { return self.construction(ty, name, arguments, node) };
        let around = self.name_around();
        let unnamed = self.unnamed_class(&around, ty, *body, name);
        let unnamed = self.named(vec![unnamed], Vec::new());
        let made = self.construction(unnamed, name, None, node);
        self.construction(ty, name, arguments, node);
        made
    }

    /// Returns the construction of a type whose name is at `at`.
    pub(super) fn construction(
        &mut self,
        ty: TypeId,
        at: Node<'_>,
        arguments: Option<Node<'_>>,
        node: Node<'_>,
    ) -> ExpressionId {
        let name = match &self.file.types[ty].kind {
            Type::Named { path, .. } => path.last().cloned(),
            Type::Projection { member, .. } => Some(member.clone()),
            _ => None,
        };
        let scope = self.scope;
        let of = Use {
            role: Role::Construct,
            name,
            scope,
            receiver: None,
            r#type: Some(ty),
            arguments: Vec::new(),
            type_arguments: Vec::new(),
            range: Builder::range(at),
        };
        let of = self.file.uses.push(of);
        if let Some(list) = arguments {
            self.arguments(of, list);
        }
        self.expression(Expression::Call(of), node)
    }

    fn arguments(&mut self, of: UseId, list: Node<'_>) {
        for argument in children(list).into_iter().filter(|of| !is_comment(*of)) {
            let value = self.value(argument);
            let at = u8::try_from(self.file.uses[of].arguments.len()).unwrap_or(u8::MAX);
            self.pass(value, of, at);
            self.file.uses[of].arguments.push(Argument { label: None, value });
        }
    }

    /// Parameters of a lambda without a type are what the call passes.
    fn pass(&mut self, value: ExpressionId, of: UseId, argument: u8) {
        match self.file.expressions[value].clone() {
            ExpressionNode {
                kind: Expression::Lambda { scope, parameters, .. }, range, ..
            } => {
                let Some(&first) = self.lambdas.get(&scope) else { return };
                for (position, (_, ty)) in parameters.iter().enumerate() {
                    if ty.is_some() {
                        continue;
                    }
                    let kind = Expression::Parameter {
                        of,
                        argument,
                        position: u8::try_from(position).ok(),
                    };
                    let passed = ExpressionNode { kind, scope, range };
                    let passed = self.file.expressions.push(passed);
                    self.file.bindings[BindingId::new(first + position)].value = Some(passed);
                }
            }
            ExpressionNode { kind: Expression::OneOf(values), .. } => {
                for value in values {
                    self.pass(value, of, argument);
                }
            }
            _ => {}
        }
    }
}

/// Returns the first child that is no comment.
fn first(node: Node<'_>) -> Option<Node<'_>> {
    children(node).into_iter().find(|of| !is_comment(*of))
}

/// Returns whether `super` stands between the object and the member.
fn has_super(node: Node<'_>) -> bool {
    let object = node.child_by_field_name("object");
    children(node).into_iter().any(|of| of.kind() == "super" && Some(of) != object)
}

/// Returns the last name in a type.
fn last_name(node: Node<'_>) -> Node<'_> {
    let inner = match node.kind() {
        "generic_type" => children(node).into_iter().find(|of| of.kind() != "type_arguments"),
        "scoped_type_identifier" => {
            children(node).into_iter().rfind(|of| of.kind() == "type_identifier")
        }
        _ => None,
    };
    inner.map_or(node, last_name)
}
