//! Syntax trees into facts: values and calls.

use super::lower::Python;
use crate::ir::*;
use crate::lower::{Builder, DEPTH, children};
use tree_sitter::Node;

/// The longest key of a display that is kept as the name of its value.
const KEY_MAX: usize = 64;

/// The members that operators run on their left side.
const OPERATORS: [(&str, &str); 13] = [
    ("+", "__add__"),
    ("-", "__sub__"),
    ("*", "__mul__"),
    ("/", "__truediv__"),
    ("//", "__floordiv__"),
    ("%", "__mod__"),
    ("**", "__pow__"),
    ("@", "__matmul__"),
    ("&", "__and__"),
    ("|", "__or__"),
    ("^", "__xor__"),
    ("<<", "__lshift__"),
    (">>", "__rshift__"),
];

impl Python<'_> {
    /// Returns the value that `node` is.
    pub(super) fn value(&mut self, node: Node<'_>) -> ExpressionId {
        if self.depth > DEPTH {
            return self.expression(Expression::Opaque("nested too deep".into()), node);
        }
        self.depth += 1;
        let value = match self.value_kind(node) {
            Ok(kind) => self.expression(kind, node),
            Err(same) => same,
        };
        self.depth -= 1;
        value
    }

    /// Returns what a value is, or the value that it is the same as.
    fn value_kind(&mut self, node: Node<'_>) -> Result<Expression, ExpressionId> {
        let field = |name: &str| node.child_by_field_name(name);
        Ok(match node.kind() {
            "identifier" => {
                let name = self.name(node);
                if self.is_own(&name) {
                    Expression::Own
                } else {
                    Expression::Name { name, is_type: false }
                }
            }
            "attribute" => return Err(self.attribute(node)),
            "call" => return Err(self.called(node)),
            "subscript" => {
                let mut cursor = node.walk();
                let indices: Vec<Node<'_>> =
                    node.children_by_field_name("subscript", &mut cursor).collect();
                let is_slice = indices.iter().any(|index| index.kind() == "slice");
                if let (Some(of), [index]) = (field("value"), &indices[..])
                    && index.kind() == "integer"
                {
                    let of = self.value(of);
                    let name = self.name(*index);
                    return Ok(Expression::Member { of, name });
                }
                for index in indices {
                    self.value(index);
                }
                match field("value") {
                    Some(of) if is_slice => return Err(self.value(of)),
                    Some(of) => Expression::Yield { of: self.value(of), protocol: Protocol::Index },
                    None => Expression::Unknown,
                }
            }
            "await" => match node.named_child(0) {
                Some(of) => Expression::Yield { of: self.value(of), protocol: Protocol::Await },
                None => Expression::Unknown,
            },
            "named_expression" => {
                let (Some(name), Some(value)) = (field("name"), field("value")) else {
                    return Ok(Expression::Unknown);
                };
                let of = self.value(value);
                self.assign(name, (Some(of), Some(value)), None, node);
                return Err(of);
            }
            "parenthesized_expression" => match node.named_child(0) {
                Some(inner) => return Err(self.value(inner)),
                None => Expression::Unknown,
            },
            "conditional_expression" => self.conditional_expression(node),
            "boolean_operator" => return self.boolean(node),
            "not_operator" | "comparison_operator" => {
                for child in children(node) {
                    self.value(child);
                }
                Expression::Literal(Literal::Boolean)
            }
            "binary_operator" => return Err(self.binary(node)),
            "unary_operator" => match field("argument") {
                Some(of) => return Err(self.value(of)),
                None => Expression::Unknown,
            },
            "string" | "concatenated_string" => {
                for child in children(node) {
                    if matches!(child.kind(), "string" | "interpolation") {
                        self.value(child);
                    }
                }
                if is_bytes(self.bytes(node)) {
                    self.typed("bytes", node)
                } else {
                    Expression::Literal(Literal::String("".into()))
                }
            }
            "integer" => Expression::Literal(Literal::Integer),
            "float" => Expression::Literal(Literal::Float),
            "true" | "false" => Expression::Literal(Literal::Boolean),
            "none" => Expression::Literal(Literal::Null),
            "list" | "set" | "tuple" | "expression_list" => {
                let name = match node.kind() {
                    "expression_list" => "tuple",
                    kind => kind,
                };
                self.display(name, node)
            }
            "dictionary" => self.dictionary(node),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => self.comprehension(node),
            "lambda" => self.lambda(node, None),
            "yield" => self.yielded(node),
            _ => {
                for child in children(node) {
                    self.value(child);
                }
                Expression::Unknown
            }
        })
    }

    /// A value of the library's type `name`.
    fn typed(&mut self, name: &str, node: Node<'_>) -> Expression {
        let of = self.expression(Expression::Unknown, node);
        Expression::Cast { of, r#type: self.builtin(name, Vec::new()) }
    }

    fn attribute(&mut self, node: Node<'_>) -> ExpressionId {
        let (Some(object), Some(member)) =
            (node.child_by_field_name("object"), node.child_by_field_name("attribute"))
        else {
            return self.expression(Expression::Unknown, node);
        };
        let name = self.name(member);
        let of = self.value(object);
        if &*name == "__class__" {
            let of_it = self.r#type(Type::TypeOf(of));
            let r#type = self.library_type("type", vec![of_it]);
            return self.expression(Expression::Cast { of, r#type }, node);
        }
        let value = if self.is_computed(object, &name) {
            let scope = self.scope;
            let of = self.file.uses.push(Use {
                role: Role::Read,
                name: Some(name),
                scope,
                receiver: Some(of),
                r#type: None,
                arguments: Vec::new(),
                type_arguments: Vec::new(),
                range: Builder::range(member),
            });
            self.expression(Expression::Call(of), node)
        } else {
            self.expression(Expression::Member { of, name }, node)
        };
        let text = String::from_utf8_lossy(self.bytes(node));
        let shown = self.narrowed.iter().rfind(|(path, _)| *path == text);
        match shown.map(|&(_, ty)| ty) {
            Some(r#type) => self.expression(Expression::Cast { of: value, r#type }, node),
            None => value,
        }
    }

    /// Returns whether reading a member may run code: it is a property of this file, or of another
    /// one where this file assigns none of its name.
    fn is_computed(&mut self, object: Node<'_>, name: &Name) -> bool {
        if self.names.computed.contains(name) {
            return true;
        }
        let is_module = object.kind() == "identifier" && {
            let object = self.name(object);
            !self.is_local(&object) && self.names.imports.contains_key(&object)
        };
        !is_module && !self.names.assigned.contains(name)
    }

    fn conditional_expression(&mut self, node: Node<'_>) -> Expression {
        let parts = children(node);
        let parts: Vec<Node<'_>> = parts.into_iter().filter(|of| of.kind() != "comment").collect();
        let [body, condition, other] = parts[..] else { return Expression::Unknown };
        self.value(condition);
        let (when_true, when_false) = self.tests(condition);
        let body = self.value_where(body, when_true);
        let other = self.value_where(other, when_false);
        Expression::OneOf(vec![body, other])
    }

    /// Returns a value of which a test has shown something.
    fn value_where(&mut self, node: Node<'_>, shown: Vec<super::flow::Shown>) -> ExpressionId {
        if shown.is_empty() {
            return self.value(node);
        }
        let range = Builder::range(node);
        self.scoped(ScopeKind::Block, None, range, |python, _| {
            python.apply(shown, range.start);
            python.value(node)
        })
    }

    /// `a and b` is `b` where it is something; `a or b` is one of both.
    fn boolean(&mut self, node: Node<'_>) -> Result<Expression, ExpressionId> {
        let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
        let [Some(left), Some(right)] = sides else { return Ok(Expression::Unknown) };
        let is_and = node.child_by_field_name("operator").is_some_and(|of| of.kind() == "and");
        let first = self.value(left);
        let (when_true, when_false) = self.tests(left);
        let second = self.value_where(right, if is_and { when_true } else { when_false });
        if is_and { Err(second) } else { Ok(Expression::OneOf(vec![first, second])) }
    }

    /// Operators run a member of their left side; with a literal there, one of the right side.
    fn binary(&mut self, node: Node<'_>) -> ExpressionId {
        let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
        let [Some(left), Some(right)] = sides.map(|side| side.map(|side| self.value(side))) else {
            return self.expression(Expression::Unknown, node);
        };
        let operator = node.child_by_field_name("operator");
        let kind = operator.map_or("", |operator| operator.kind());
        let member = OPERATORS.iter().find(|(sign, _)| *sign == kind).map(|(_, member)| *member);
        let is_literal =
            |of: ExpressionId| matches!(self.file.expressions[of].kind, Expression::Literal(_));
        let reflects = is_literal(left) && !is_literal(right) && kind != "%";
        let (of, other) = if reflects { (right, left) } else { (left, right) };
        let member = member.map(|member| {
            let name = member.trim_start_matches('_');
            if reflects { format!("__r{name}").into() } else { Name::from(member) }
        });
        let arguments = vec![Argument { label: None, value: other }];
        let place = operator.unwrap_or(node);
        self.call(Some(of), member, arguments, (None, place))
    }

    /// `[a, b]`, `(a, b)`, `{a, b}`.
    fn display(&mut self, name: &str, node: Node<'_>) -> Expression {
        let mut fields = Vec::new();
        let elements = children(node).into_iter().filter(|of| of.kind() != "comment");
        for (at, element) in elements.enumerate() {
            let value = match (element.kind(), element.named_child(0)) {
                ("list_splat", Some(of)) => {
                    let of = self.value(of);
                    let kind = Expression::Yield { of, protocol: Protocol::Iterate };
                    self.expression(kind, element)
                }
                _ => self.value(element),
            };
            fields.push((at.to_string().into(), value));
        }
        Expression::Record { r#type: Some(self.builtin(name, Vec::new())), fields }
    }

    fn dictionary(&mut self, node: Node<'_>) -> Expression {
        let mut fields = Vec::new();
        for pair in children(node) {
            let (Some(key), Some(value)) =
                (pair.child_by_field_name("key"), pair.child_by_field_name("value"))
            else {
                if let Some(of) = pair.named_child(0) {
                    self.value(of);
                    let unknown = self.expression(Expression::Unknown, pair);
                    fields.push(("".into(), unknown));
                }
                continue;
            };
            self.value(key);
            let bytes = self.bytes(key);
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(KEY_MAX)]).into_owned();
            let value = self.value(value);
            fields.push((text.trim_matches(['"', '\'']).into(), value));
        }
        Expression::Record { r#type: Some(self.builtin("dict", Vec::new())), fields }
    }

    fn comprehension(&mut self, node: Node<'_>) -> Expression {
        let name = match node.kind() {
            "list_comprehension" => "list",
            "set_comprehension" => "set",
            "dictionary_comprehension" => "dict",
            _ => super::GENERATOR,
        };
        let range = Builder::range(node);
        let fields = self.scoped(ScopeKind::Block, None, range, |python, _| {
            for clause in children(node) {
                match clause.kind() {
                    "for_in_clause" => python.for_in(clause, range.start),
                    "if_clause" => {
                        let Some(condition) = clause.named_child(0) else { continue };
                        python.value(condition);
                        let (shown, _) = python.tests(condition);
                        python.apply(shown, range.start);
                    }
                    _ => {}
                }
            }
            let Some(body) = node.child_by_field_name("body") else { return Vec::new() };
            let value = match (body.child_by_field_name("key"), body.child_by_field_name("value")) {
                (Some(key), Some(value)) => {
                    python.value(key);
                    python.value(value)
                }
                _ => python.value(body),
            };
            vec![("0".into(), value)]
        });
        let r#type = match name {
            super::GENERATOR => self.library_type(name, Vec::new()),
            _ => self.builtin(name, Vec::new()),
        };
        Expression::Record { r#type: Some(r#type), fields }
    }

    /// `for a in b` in a comprehension: its names are visible in all of it.
    fn for_in(&mut self, clause: Node<'_>, start: u32) {
        let Some(left) = clause.child_by_field_name("left") else { return };
        let mut cursor = clause.walk();
        let right = clause
            .children_by_field_name("right", &mut cursor)
            .find(|of| of.is_named() && of.kind() != "comment");
        let Some(right) = right else { return };
        let of = self.value(right);
        let value = self.expression(Expression::Yield { of, protocol: Protocol::Iterate }, left);
        self.bind_pattern(left, value, start);
    }

    fn bind_pattern(&mut self, to: Node<'_>, value: ExpressionId, start: u32) {
        match to.kind() {
            "identifier" => {
                let name = self.name(to);
                self.bind_at(name, Some(value), None, start);
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                for (at, part) in children(to).into_iter().enumerate() {
                    let name = at.to_string().into();
                    let member = self.expression(Expression::Member { of: value, name }, part);
                    self.bind_pattern(part, member, start);
                }
            }
            _ => {}
        }
    }

    /// A function without a name, which may be an argument of a call.
    fn lambda(&mut self, node: Node<'_>, passed: Option<(UseId, u8)>) -> Expression {
        let mut parameters = Vec::new();
        let range = Builder::range(node);
        let scope = self.scoped(ScopeKind::Lambda, None, range, |python, scope| {
            let listed = node.child_by_field_name("parameters").map_or_else(Vec::new, children);
            for (at, parameter) in listed.into_iter().enumerate() {
                let default = parameter.child_by_field_name("value");
                let inner = parameter.child_by_field_name("name").unwrap_or(parameter);
                let inner = match inner.kind() {
                    "identifier" => inner,
                    _ => inner.named_child(0).unwrap_or(inner),
                };
                let name = python.name(inner);
                parameters.push((name.clone(), None));
                let value = match (default, passed, u8::try_from(at)) {
                    (Some(default), _, _) => Some(python.value(default)),
                    (None, Some((of, argument)), Ok(position)) => {
                        let position = Some(position);
                        let kind = Expression::Parameter { of, argument, position };
                        Some(python.expression(kind, inner))
                    }
                    _ => None,
                };
                let place = Range { start: range.start, end: range.start };
                let r#type = None;
                python.file.bindings.push(Binding {
                    of: None,
                    name,
                    scope,
                    range: place,
                    value,
                    r#type,
                });
            }
            if let Some(body) = node.child_by_field_name("body") {
                let result = python.value(body);
                python.file.scopes[scope].results.push(result);
            }
            scope
        });
        Expression::Lambda { scope, parameters, result: None }
    }

    /// What a function yields are its results.
    fn yielded(&mut self, node: Node<'_>) -> Expression {
        let mut cursor = node.walk();
        let is_from = node.children(&mut cursor).any(|of| of.kind() == "from");
        let value = node.named_child(0).map(|of| self.value(of));
        let (Some(value), Some((scope, Some(name)))) =
            (value, self.functions.last().map(|of| (of.scope, of.yields)))
        else {
            return Expression::Unknown;
        };
        let element = if is_from {
            let kind = Expression::Yield { of: value, protocol: Protocol::Iterate };
            self.expression(kind, node)
        } else {
            value
        };
        let result = self.element_of(name, element, node);
        self.file.scopes[scope].results.push(result);
        Expression::Unknown
    }

    fn called(&mut self, node: Node<'_>) -> ExpressionId {
        let (Some(mut function), Some(list)) =
            (node.child_by_field_name("function"), node.child_by_field_name("arguments"))
        else {
            return self.expression(Expression::Unknown, node);
        };
        while function.kind() == "parenthesized_expression"
            && let Some(inner) = function.named_child(0)
            && matches!(inner.kind(), "identifier" | "attribute" | "parenthesized_expression")
        {
            function = inner;
        }
        let arguments = match list.kind() {
            "argument_list" => children(list),
            _ => vec![list],
        };
        let mut arguments: Vec<Node<'_>> =
            arguments.into_iter().filter(|of| of.kind() != "comment").collect();
        if let Some(form) = self.form(function, &arguments, node) {
            return form;
        }
        let mut types = Vec::new();
        let (receiver, name, place) = match function.kind() {
            "identifier" => {
                let name = self.name(function);
                if self.is_own(&name) {
                    (Some(self.value(function)), None, node)
                } else {
                    (None, Some(name), function)
                }
            }
            "attribute" => {
                let object = function.child_by_field_name("object");
                let member = function.child_by_field_name("attribute");
                let name = member.map(|of| self.name(of));
                let mut of = object.map(|of| self.value(of));
                if let (Some(object), Some(&first)) = (object, arguments.first())
                    && name.as_ref().is_some_and(|name| is_special(name))
                    && self.is_unbound(object, first)
                {
                    // The type's member is called on the first argument.
                    let value = self.value(first);
                    let r#type = self.written(object);
                    of = Some(self.expression(Expression::Cast { of: value, r#type }, object));
                    arguments.remove(0);
                }
                (of, name, member.unwrap_or(function))
            }
            "subscript" if self.is_instantiation(function) => {
                let place = function.child_by_field_name("value").unwrap_or(function);
                let mut cursor = function.walk();
                for index in function.children_by_field_name("subscript", &mut cursor) {
                    types.push(self.written(index));
                }
                (None, Some(self.name(place)), place)
            }
            _ => (Some(self.value(function)), None, node),
        };
        let makes = name.as_deref() == Some("__new__");
        let (scope, range) = (self.scope, Builder::range(place));
        let of = self.file.uses.push(Use {
            role: Role::Call,
            name,
            scope,
            receiver,
            r#type: None,
            arguments: Vec::new(),
            type_arguments: types,
            range,
        });
        self.arguments(of, &arguments);
        let result = self.expression(Expression::Call(of), node);
        match arguments.first().filter(|_| makes) {
            // An instance of the type that is passed.
            Some(&class) => {
                let class = self.value(class);
                self.call(Some(class), None, Vec::new(), (None, node))
            }
            None => result,
        }
    }

    /// Returns whether `T[A]` writes arguments of a type: it names a type of the file or an import,
    /// and what is in it are no variables.
    fn is_instantiation(&mut self, node: Node<'_>) -> bool {
        let Some(of) = node.child_by_field_name("value") else { return false };
        let name = self.name(of);
        let is_known = self.names.types.contains(&name) || self.names.imports.contains_key(&name);
        let mut cursor = node.walk();
        let listed: Vec<Node<'_>> = node.children_by_field_name("subscript", &mut cursor).collect();
        let is_type = |python: &mut Self, index: &Node<'_>| {
            let name = python.name(*index);
            matches!(index.kind(), "identifier" | "attribute" | "subscript" | "string")
                && !python.is_local(&name)
        };
        of.kind() == "identifier"
            && is_known
            && !self.is_local(&name)
            && listed.iter().all(|index| is_type(self, index))
    }

    /// Returns whether a member of what `object` names is called on the receiver, `first`.
    fn is_unbound(&mut self, object: Node<'_>, first: Node<'_>) -> bool {
        let is_own = |python: &mut Self, node: Node<'_>| {
            let name = python.name(node);
            node.kind() == "identifier" && python.is_own(&name)
        };
        let mut root = object;
        while let Some(of) = root.child_by_field_name("object") {
            root = of;
        }
        let name = self.name(root);
        root.kind() == "identifier"
            && is_own(self, first)
            && !self.is_own(&name)
            && !self.is_local(&name)
    }

    fn arguments(&mut self, of: UseId, arguments: &[Node<'_>]) {
        // What stands behind a list of arguments has no known position.
        let mut is_open = false;
        for &argument in arguments {
            let (label, value) = match argument.kind() {
                "keyword_argument" => {
                    let name = argument.child_by_field_name("name").map(|of| self.name(of));
                    (name, argument.child_by_field_name("value"))
                }
                "list_splat" | "dictionary_splat" => {
                    is_open |= argument.kind() == "list_splat";
                    if let Some(of) = argument.named_child(0) {
                        self.value(of);
                    }
                    continue;
                }
                _ => (None, Some(argument)),
            };
            let Some(value) = value else { continue };
            let at = u8::try_from(self.file.uses[of].arguments.len()).ok();
            let value = match (value.kind(), at) {
                ("lambda", Some(at)) => {
                    let lambda = self.lambda(value, Some((of, at)));
                    self.expression(lambda, value)
                }
                _ => self.value(value),
            };
            if label.is_some() || !is_open {
                self.file.uses[of].arguments.push(Argument { label, value });
            }
        }
    }

    /// Calls that are forms: `super()`, `type(x)`, `cast(T, x)`.
    fn form(
        &mut self,
        function: Node<'_>,
        arguments: &[Node<'_>],
        node: Node<'_>,
    ) -> Option<ExpressionId> {
        let name = self.name(function);
        let is_shadowed = self.is_local(&name) || self.names.imports.contains_key(&name);
        match (&*name, arguments) {
            ("super", _) if !is_shadowed => Some(self.expression(Expression::Base, node)),
            ("type", &[of]) if !is_shadowed && of.kind() != "list_splat" => {
                let of = self.value(of);
                let of_it = self.r#type(Type::TypeOf(of));
                let r#type = self.library_type("type", vec![of_it]);
                Some(self.expression(Expression::Cast { of, r#type }, node))
            }
            (_, &[ty, of]) if self.is_typing(function, "cast") => {
                let r#type = self.written(ty);
                let of = self.value(of);
                Some(self.expression(Expression::Cast { of, r#type }, node))
            }
            _ => None,
        }
    }
}

/// Returns whether a member is one that the language itself calls.
fn is_special(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__")
}

/// Returns whether a literal is of bytes.
fn is_bytes(text: &[u8]) -> bool {
    let prefix = text.iter().take_while(|byte| byte.is_ascii_alphabetic());
    prefix.take(2).any(|byte| matches!(byte, b'b' | b'B'))
}
