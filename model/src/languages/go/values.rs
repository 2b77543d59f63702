//! Syntax trees into facts: values and calls.

use super::lower::Go;
use crate::ir::*;
use crate::lower::{Builder, DEPTH, children};
use tree_sitter::Node;

/// The longest key of a literal that is kept as the name of its value.
const KEY_MAX: usize = 64;

impl Go<'_> {
    /// Returns the value that `node` is.
    pub(super) fn value(&mut self, node: Node<'_>) -> ExpressionId {
        if self.depth > DEPTH {
            return self.expression(Expression::Opaque("nested too deep".into()), node);
        }
        self.depth += 1;
        let kind = self.value_kind(node);
        let value = match kind {
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
            "identifier" | "type_identifier" => {
                Expression::Name { name: self.name(node), is_type: false }
            }
            "selector_expression" => match (field("operand"), field("field")) {
                (Some(of), Some(name)) => {
                    Expression::Member { of: self.value(of), name: self.name(name) }
                }
                _ => Expression::Unknown,
            },
            "call_expression" => return Err(self.call_expression(node)),
            "index_expression" => match (field("operand"), field("index")) {
                (Some(of), Some(index)) if self.is_instantiation(of, index) => {
                    return Err(self.value(of));
                }
                (Some(of), Some(index)) => {
                    self.value(index);
                    Expression::Yield { of: self.value(of), protocol: Protocol::Index }
                }
                _ => Expression::Unknown,
            },
            "slice_expression" => {
                for bound in ["start", "end", "capacity"].into_iter().filter_map(field) {
                    self.value(bound);
                }
                match field("operand") {
                    Some(of) => return Err(self.value(of)),
                    None => Expression::Unknown,
                }
            }
            "type_assertion_expression" | "type_conversion_expression" => {
                if let Some(call) = self.generic_call(node) {
                    return Err(call);
                }
                match (field("operand"), field("type")) {
                    (Some(of), Some(to)) => self.cast(of, to),
                    _ => Expression::Unknown,
                }
            }
            "type_instantiation_expression" => match field("type") {
                Some(of) => return Err(self.type_value(of)),
                None => Expression::Unknown,
            },
            "composite_literal" => match (field("type"), field("body")) {
                (Some(of), Some(body)) => {
                    let ty = self.written(of);
                    return Err(self.record(Some(ty), Some(of), body));
                }
                _ => Expression::Unknown,
            },
            "func_literal" => self.lambda(node),
            "unary_expression" => return self.unary(node),
            "binary_expression" => return self.binary(node),
            "parenthesized_expression" | "literal_element" => match node.named_child(0) {
                Some(inner) => return Err(self.value(inner)),
                None => Expression::Unknown,
            },
            // What is passed on stands for its elements.
            "variadic_argument" => match node.named_child(0) {
                Some(of) => Expression::Yield { of: self.value(of), protocol: Protocol::Index },
                None => Expression::Unknown,
            },
            "raw_string_literal" | "interpreted_string_literal" => {
                Expression::Literal(Literal::String("".into()))
            }
            "int_literal" | "rune_literal" | "iota" => Expression::Literal(Literal::Integer),
            "float_literal" | "imaginary_literal" => Expression::Literal(Literal::Float),
            "true" | "false" => Expression::Literal(Literal::Boolean),
            "nil" => Expression::Literal(Literal::Null),
            _ => {
                for child in children(node) {
                    self.value(child);
                }
                Expression::Unknown
            }
        })
    }

    fn cast(&mut self, of: Node<'_>, to: Node<'_>) -> Expression {
        let of = self.value(of);
        Expression::Cast { of, r#type: self.written(to) }
    }

    /// A type where a value stands, such as the one that is called.
    fn type_value(&mut self, node: Node<'_>) -> ExpressionId {
        match node.kind() {
            "qualified_type" => {
                let parts = children(node);
                let [package, name] = parts[..] else {
                    return self.expression(Expression::Unknown, node);
                };
                let name_of = self.name(package);
                let of =
                    self.expression(Expression::Name { name: name_of, is_type: false }, package);
                let name = self.name(name);
                self.expression(Expression::Member { of, name }, node)
            }
            "generic_type" => match node.child_by_field_name("type") {
                Some(of) => self.type_value(of),
                None => self.expression(Expression::Unknown, node),
            },
            _ => self.value(node),
        }
    }

    /// Returns whether `of[index]` writes type arguments: only then is the index a type.
    fn is_instantiation(&mut self, of: Node<'_>, index: Node<'_>) -> bool {
        const TYPES: [&str; 9] =
            ["string", "int", "int64", "bool", "byte", "any", "error", "float64", "uint64"];
        let may_be_function = match of.kind() {
            "identifier" => {
                let name = self.name(of);
                !self.is_local(&name)
            }
            "selector_expression" => true,
            _ => false,
        };
        let is_type = index.kind().ends_with("_type")
            || index.kind() == "identifier" && {
                let name = self.name(index);
                !self.is_local(&name)
                    && (TYPES.contains(&&*name) || self.generics.iter().any(|(n, _)| *n == name))
            };
        may_be_function && is_type
    }

    fn unary(&mut self, node: Node<'_>) -> Result<Expression, ExpressionId> {
        let Some(operand) = node.child_by_field_name("operand") else {
            return Ok(Expression::Unknown);
        };
        let of = self.value(operand);
        let operator = node.child_by_field_name("operator").map(|of| self.bytes(of));
        Ok(match operator {
            Some(b"&") => {
                let of_it = self.r#type(Type::TypeOf(of));
                Expression::Cast { of, r#type: self.named(vec!["*".into()], vec![of_it]) }
            }
            Some(b"*") => Expression::Yield { of, protocol: Protocol::Dereference },
            Some(b"<-") => Expression::Yield { of, protocol: Protocol::Iterate },
            Some(b"!") => Expression::Literal(Literal::Boolean),
            _ => return Err(of),
        })
    }

    /// Comparisons give truth values; other operators give the type of their operands.
    fn binary(&mut self, node: Node<'_>) -> Result<Expression, ExpressionId> {
        let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
        let [Some(left), Some(right)] = sides.map(|side| side.map(|side| self.value(side))) else {
            return Ok(Expression::Unknown);
        };
        let operator = node.child_by_field_name("operator").map(|of| self.bytes(of));
        let compares =
            matches!(operator, Some(b"==" | b"!=" | b"<" | b">" | b"<=" | b">=" | b"&&" | b"||"));
        let is_literal = matches!(self.file.expressions[left].kind, Expression::Literal(_));
        match (compares, is_literal) {
            (true, _) => Ok(Expression::Literal(Literal::Boolean)),
            (_, true) => Err(right),
            _ => Err(left),
        }
    }

    fn lambda(&mut self, node: Node<'_>) -> Expression {
        let mut parameters = Vec::new();
        let mut result = None;
        let scope = self.scoped(ScopeKind::Lambda, None, node, |go, _| {
            if let Some(list) = node.child_by_field_name("parameters") {
                for parameter in go.parameters(list) {
                    parameters.push((parameter.name.clone(), parameter.r#type));
                    go.declare(parameter.name, None, parameter.r#type, list);
                }
            }
            result = Some(go.result_type(node));
            go.named_results(node);
            if let Some(body) = node.child_by_field_name("body") {
                go.statements(body);
            }
        });
        Expression::Lambda { scope, parameters, result }
    }

    /// A literal of the type `ty`, which `of` writes; the elements of lists may leave out theirs.
    fn record(&mut self, ty: Option<TypeId>, of: Option<Node<'_>>, body: Node<'_>) -> ExpressionId {
        let mut fields = Vec::new();
        let elements = children(body).into_iter().filter(|node| node.kind() != "comment");
        for (at, element) in elements.enumerate() {
            let (key, value) = match element.kind() {
                "keyed_element" => {
                    (element.child_by_field_name("key"), element.child_by_field_name("value"))
                }
                _ => (None, Some(element)),
            };
            let Some(value) = value else { continue };
            let name = match key {
                Some(key) => self.key(of, key),
                None => at.to_string().into(),
            };
            let value = self.element(of, "value", value);
            fields.push((name, value));
        }
        self.expression(Expression::Record { r#type: ty, fields }, body)
    }

    /// Returns the name of a field, or the text of a short key.
    fn key(&mut self, of: Option<Node<'_>>, key: Node<'_>) -> Name {
        let inner = key.named_child(0).unwrap_or(key);
        if inner.kind() != "identifier" {
            self.element(of, "key", key);
        }
        let bytes = self.bytes(key);
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(KEY_MAX)]).into_owned();
        text.trim_matches(['"', '`']).into()
    }

    /// The value of an element of a literal of the type that `of` writes.
    fn element(&mut self, of: Option<Node<'_>>, part: &str, value: Node<'_>) -> ExpressionId {
        let inner = value.named_child(0).filter(|_| value.kind() == "literal_element");
        let inner = inner.unwrap_or(value);
        if inner.kind() != "literal_value" {
            return self.value(inner);
        }
        let part_type = of.and_then(|of| {
            let element = of.child_by_field_name("element").filter(|_| part == "value");
            element.or_else(|| of.child_by_field_name(part).filter(|_| of.kind() == "map_type"))
        });
        // `{…}` stands for a pointer to it, too.
        let part_type = part_type.and_then(|of| match of.kind() {
            "pointer_type" => of.named_child(0),
            _ => Some(of),
        });
        let ty = part_type.map(|of| self.written(of));
        self.record(ty, part_type, inner)
    }

    fn call_expression(&mut self, node: Node<'_>) -> ExpressionId {
        let Some(mut called) = node.child_by_field_name("function") else {
            return self.expression(Expression::Unknown, node);
        };
        while called.kind() == "parenthesized_expression"
            && let Some(inner) = called.named_child(0)
            && matches!(
                inner.kind(),
                "identifier" | "selector_expression" | "parenthesized_expression"
            )
        {
            called = inner;
        }
        let arguments = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let mut arguments: Vec<Node<'_>> =
            arguments.into_iter().filter(|node| node.kind() != "comment").collect();
        if let Some(conversion) = self.conversion(called, &arguments, node) {
            return conversion;
        }
        let mut types = Vec::new();
        let index = self.variable_index(node);
        if let Some(list) = node.child_by_field_name("type_arguments")
            && index.is_none()
        {
            types = self.type_arguments(list);
        }
        if called.kind() == "index_expression"
            && let (Some(of), Some(index)) =
                (called.child_by_field_name("operand"), called.child_by_field_name("index"))
            && self.is_instantiation(of, index)
        {
            types.push(self.written(index));
            called = of;
        }
        if called.kind() == "type_instantiation_expression"
            && let Some(of) = called.child_by_field_name("type")
        {
            types = children(called).into_iter().skip(1).map(|of| self.written(of)).collect();
            called = of;
        }
        // The first argument of `new` and `make` is a type.
        if matches!(self.bytes(called), b"new" | b"make")
            && called.kind() == "identifier"
            && !arguments.is_empty()
        {
            types.push(self.written(arguments.remove(0)));
        }
        let Some(index) = index else {
            return self.call_of(called, types, &arguments, node);
        };
        self.value(index);
        let of = self.value(called);
        let kind = Expression::Yield { of, protocol: Protocol::Index };
        let receiver = Some(self.expression(kind, called));
        let arguments = arguments
            .into_iter()
            .map(|of| Argument { label: None, value: self.value(of) })
            .collect();
        self.call(receiver, None, arguments, (None, node))
    }

    /// Returns the index of `f[i]` where the parser takes a variable `i` for a type.
    fn variable_index<'n>(&mut self, node: Node<'n>) -> Option<Node<'n>> {
        let list = node.child_by_field_name("type_arguments")?;
        let first = list.named_child(0)?.named_child(0)?;
        let name = self.name(first);
        (list.named_child_count() == 1 && first.kind() == "type_identifier" && self.is_local(&name))
            .then_some(first)
    }

    /// `f[A](x)` and `f[i](x)`, which the parser takes for conversions.
    fn generic_call(&mut self, node: Node<'_>) -> Option<ExpressionId> {
        let of = node.child_by_field_name("type").filter(|of| of.kind() == "generic_type")?;
        let argument = node.child_by_field_name("operand")?;
        if let Some(index) = self.variable_index(of) {
            self.value(index);
            let holder = self.type_value(of);
            let kind = Expression::Yield { of: holder, protocol: Protocol::Index };
            let receiver = self.expression(kind, of);
            let value = self.value(argument);
            let arguments = vec![Argument { label: None, value }];
            return Some(self.call(Some(receiver), None, arguments, (None, node)));
        }
        let list = of.child_by_field_name("type_arguments")?;
        let types = self.type_arguments(list);
        let named = of.child_by_field_name("type")?;
        Some(self.call_of(named, types, &[argument], node))
    }

    /// The call of what `called` names.
    fn call_of(
        &mut self,
        called: Node<'_>,
        type_arguments: Vec<TypeId>,
        arguments: &[Node<'_>],
        node: Node<'_>,
    ) -> ExpressionId {
        let (receiver, name) = self.called(called);
        let range = name.map_or(Builder::range(node), Builder::range);
        let name = name.map(|name| self.name(name));
        let scope = self.scope;
        let of = self.file.uses.push(Use {
            role: Role::Call,
            name,
            scope,
            receiver,
            r#type: None,
            arguments: Vec::new(),
            type_arguments,
            range,
        });
        for &argument in arguments {
            let value = self.value(argument);
            self.file.uses[of].arguments.push(Argument { label: None, value });
        }
        self.expression(Expression::Call(of), node)
    }

    /// Returns the receiver and the name of what is called.
    fn called<'n>(&mut self, node: Node<'n>) -> (Option<ExpressionId>, Option<Node<'n>>) {
        match node.kind() {
            "identifier" | "type_identifier" => (None, Some(node)),
            "selector_expression" => {
                let of = node.child_by_field_name("operand").map(|of| self.value(of));
                (of, node.child_by_field_name("field"))
            }
            "qualified_type" => {
                let of = node.child_by_field_name("package").map(|package| {
                    let name = self.name(package);
                    self.expression(Expression::Name { name, is_type: false }, package)
                });
                (of, node.child_by_field_name("name"))
            }
            _ => (Some(self.value(node)), None),
        }
    }

    /// `(*T)(x)` is a conversion unless `T` is a variable.
    fn conversion(
        &mut self,
        called: Node<'_>,
        arguments: &[Node<'_>],
        node: Node<'_>,
    ) -> Option<ExpressionId> {
        let inner =
            called.named_child(0).filter(|_| called.kind() == "parenthesized_expression")?;
        let [argument] = arguments else { return None };
        let mut named = inner;
        let mut pointers = 0;
        while named.kind() == "unary_expression" && self.bytes(named).starts_with(b"*") {
            named = named.child_by_field_name("operand")?;
            pointers += 1;
        }
        let first = match named.kind() {
            "selector_expression" => named.child_by_field_name("operand")?,
            _ => named,
        };
        let name = self.name(first);
        if pointers == 0 || first.kind() != "identifier" || self.is_local(&name) {
            return None;
        }
        let path = match named.kind() {
            "selector_expression" => vec![name, self.name(named.child_by_field_name("field")?)],
            _ => vec![name],
        };
        let mut r#type = self.named(path, Vec::new());
        for _ in 0..pointers {
            r#type = self.named(vec!["*".into()], vec![r#type]);
        }
        let of = self.value(*argument);
        Some(self.expression(Expression::Cast { of, r#type }, node))
    }
}
