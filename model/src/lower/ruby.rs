//! Ruby into facts.

use super::build::{Builder, DEPTH, children};
use crate::ir::*;
use tree_sitter::{Node, Tree};

pub(super) fn lower(path: &str, text: &[u8], tree: &Tree) -> File {
    let mut b = Builder::new(path, text);
    items(&mut b, tree.root_node());
    b.file
}

fn items(b: &mut Builder<'_>, node: Node<'_>) {
    for child in children(node) {
        expression(b, child);
    }
}

/// Lowers statements and returns the value of the last.
fn body(b: &mut Builder<'_>, node: Node<'_>) -> Option<ExpressionId> {
    children(node)
        .into_iter()
        .filter(|child| child.kind() != "comment")
        .map(|child| expression(b, child))
        .last()
}

fn expression(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    if b.depth > DEPTH {
        return b.expression(Expression::Opaque("nested too deep".into()), node);
    }
    b.depth += 1;
    let value = lower_node(b, node);
    b.depth -= 1;
    value
}

fn lower_node(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "identifier" | "constant" | "global_variable" => {
            let name = b.name(node);
            b.expression(Expression::Name { name, is_type: false }, node)
        }
        "instance_variable" | "class_variable" => {
            let of = b.expression(Expression::Own, node);
            let name = b.name(node);
            b.expression(Expression::Member { of, name }, node)
        }
        "self" => b.expression(Expression::Own, node),
        "super" => b.expression(Expression::Base, node),
        "scope_resolution" => {
            let scope = field("scope").map(|of| expression(b, of));
            let name = field("name").map_or_else(|| "".into(), |name| b.name(name));
            match scope {
                Some(of) => b.expression(Expression::Member { of, name }, node),
                None => b.expression(Expression::Name { name, is_type: true }, node),
            }
        }
        "call" => call(b, node),
        "assignment" | "operator_assignment" => assignment(b, node),
        "class" | "module" => {
            class(b, node);
            b.expression(Expression::Unknown, node)
        }
        "singleton_class" => {
            let name: Name = "self".into();
            let id = b.define(name, DefinitionKind::Extension, node);
            type_body(b, id, node);
            b.expression(Expression::Unknown, node)
        }
        "method" | "singleton_method" => {
            method(b, node);
            b.expression(Expression::Unknown, node)
        }
        "return" => {
            let value = node.named_child(0).and_then(|list| body(b, list));
            if let Some(value) = value {
                let of = b.returning();
                b.file.scopes[of].results.push(value);
            }
            b.expression(Expression::Unknown, node)
        }
        "if" | "unless" | "conditional" | "if_modifier" | "unless_modifier" | "case" => {
            let mut values = Vec::new();
            for child in children(node) {
                let value = expression(b, child);
                if matches!(child.kind(), "then" | "else" | "when" | "elsif")
                    || node.kind() == "conditional"
                {
                    values.push(value);
                }
            }
            b.expression(Expression::OneOf(values), node)
        }
        "then"
        | "else"
        | "begin"
        | "parenthesized_statements"
        | "body_statement"
        | "when"
        | "elsif"
        | "block_body" => {
            let last = body(b, node);
            last.unwrap_or_else(|| b.expression(Expression::Literal(Literal::Null), node))
        }
        "yield" => {
            let arguments = field("arguments").or_else(|| node.named_child(0));
            let arguments = arguments.map_or_else(Vec::new, |list| self::arguments(b, list));
            b.call(None, Some("yield".into()), arguments, node)
        }
        "element_reference" => {
            let parts = children(node);
            let mut parts = parts.into_iter();
            let of = parts.next().map(|of| expression(b, of));
            parts.for_each(|index| {
                expression(b, index);
            });
            match of {
                Some(of) => b.expression(Expression::Yield { of, protocol: Protocol::Index }, node),
                None => b.expression(Expression::Unknown, node),
            }
        }
        "lambda" => lambda(b, field("body").unwrap_or(node), field("parameters")),
        "string" | "heredoc_beginning" | "chained_string" | "simple_symbol"
        | "delimited_symbol" | "regex" | "subshell" => {
            items(b, node);
            b.expression(Expression::Literal(Literal::String("".into())), node)
        }
        "integer" => b.expression(Expression::Literal(Literal::Integer), node),
        "float" => b.expression(Expression::Literal(Literal::Float), node),
        "true" | "false" => b.expression(Expression::Literal(Literal::Boolean), node),
        "nil" => b.expression(Expression::Literal(Literal::Null), node),
        "array" | "hash" => record(b, node),
        "comment" => b.expression(Expression::Unknown, node),
        // `a || b` and `a && b` are one of both; other operators are kept as a bit of the file.
        "binary" => binary(b, node),
        _ => {
            items(b, node);
            b.expression(Expression::Unknown, node)
        }
    }
}

fn binary(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
    let values: Vec<_> = sides.into_iter().flatten().map(|side| expression(b, side)).collect();
    let operator = node.child_by_field_name("operator").map(|of| b.bytes(of));
    if matches!(operator, Some(b"||" | b"or")) {
        return b.expression(Expression::OneOf(values), node);
    }
    b.expression(Expression::Unknown, node)
}

fn record(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    let name: Name = if node.kind() == "array" { "Array" } else { "Hash" }.into();
    let mut fields = Vec::new();
    for (at, child) in children(node).into_iter().enumerate() {
        let (key, value) = (child.child_by_field_name("key"), child.child_by_field_name("value"));
        let key = key.filter(|key| key.kind() == "hash_key_symbol");
        let key = key.map_or_else(|| at.to_string().into(), |key| b.name(key));
        let value = expression(b, value.unwrap_or(child));
        fields.push((key, value));
    }
    let ty = b.named(vec![name], Vec::new());
    b.expression(Expression::Record { r#type: Some(ty), fields }, node)
}

/// A class or module with its superclass.
fn class(b: &mut Builder<'_>, node: Node<'_>) {
    let Some(named) = node.child_by_field_name("name") else { return };
    let name = b.name(named.child_by_field_name("name").unwrap_or(named));
    let kind = if node.kind() == "class" { DefinitionKind::Class } else { DefinitionKind::Mixin };
    let id = b.define(name, kind, node);
    if let Some(base) = node.child_by_field_name("superclass").and_then(|of| of.named_child(0)) {
        let target = base_of(b, base);
        b.file.definitions[id].bases.push(Base {
            kind: BaseKind::Extends,
            target,
            renames: Vec::new(),
        });
    }
    type_body(b, id, node);
}

fn base_of(b: &mut Builder<'_>, node: Node<'_>) -> Target {
    match constant_path(b, node) {
        Some(path) => Target::Type(b.named(path, Vec::new())),
        None => Target::Value(expression(b, node)),
    }
}

fn constant_path(b: &mut Builder<'_>, node: Node<'_>) -> Option<Vec<Name>> {
    match node.kind() {
        "constant" => Some(vec![b.name(node)]),
        "scope_resolution" => {
            let mut path = match node.child_by_field_name("scope") {
                Some(scope) => constant_path(b, scope)?,
                None => Vec::new(),
            };
            path.push(b.name(node.child_by_field_name("name")?));
            Some(path)
        }
        _ => None,
    }
}

fn type_body(b: &mut Builder<'_>, id: DefinitionId, node: Node<'_>) {
    let scope = b.push_scope(ScopeKind::Type, Some(id), Builder::range(node));
    b.file.definitions[id].body = Some(scope);
    if let Some(inner) = node.child_by_field_name("body") {
        b.within(scope, |b| items(b, inner));
    }
}

fn method(b: &mut Builder<'_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let name = b.name(name);
    let id = b.define(name, DefinitionKind::Function, node);
    let parameters =
        node.child_by_field_name("parameters").map_or_else(Vec::new, |list| parameters(b, list));
    let receiver = (node.kind() == "method").then(|| b.r#type(Type::Own));
    let signature = &mut b.file.definitions[id].signature;
    signature.parameters = Some(parameters);
    signature.receiver = receiver;
    let scope = b.push_scope(ScopeKind::Function, Some(id), Builder::range(node));
    b.file.definitions[id].body = Some(scope);
    if let Some(inner) = node.child_by_field_name("body") {
        b.within(scope, |b| {
            if let Some(value) = body(b, inner) {
                b.file.scopes[scope].results.push(value);
            }
        });
    }
}

fn parameters(b: &mut Builder<'_>, list: Node<'_>) -> Vec<Parameter> {
    let mut found = Vec::new();
    for child in children(list) {
        let named = child.child_by_field_name("name").unwrap_or(child);
        if named.kind() != "identifier" {
            continue;
        }
        let name = b.name(named);
        let label = (child.kind() == "keyword_parameter").then(|| name.clone());
        let has_default = child.child_by_field_name("value").is_some();
        let is_variadic = child.kind().contains("splat");
        found.push(Parameter { name, label, r#type: None, has_default, is_variadic });
    }
    found
}

fn arguments(b: &mut Builder<'_>, list: Node<'_>) -> Vec<Argument> {
    let mut found = Vec::new();
    for child in children(list).into_iter().filter(|child| child.kind() != "comment") {
        let key = child.child_by_field_name("key").filter(|key| key.kind() == "hash_key_symbol");
        let label = key.map(|key| b.name(key));
        let value = match (child.kind(), child.child_by_field_name("value")) {
            ("pair", Some(value)) => value,
            _ => child,
        };
        let value = expression(b, value);
        found.push(Argument { label, value });
    }
    found
}

fn call(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    let receiver = node.child_by_field_name("receiver").map(|of| expression(b, of));
    let Some(called) = node.child_by_field_name("method") else {
        items(b, node);
        return b.expression(Expression::Unknown, node);
    };
    let (receiver, name) = if called.kind() == "super" {
        (Some(b.expression(Expression::Base, called)), None)
    } else {
        (receiver, Some(b.name(called)))
    };
    let list = node.child_by_field_name("arguments");
    if receiver.is_none() && is_declaration(b, name.as_deref(), list) {
        return b.expression(Expression::Unknown, node);
    }
    let mut arguments = list.map_or_else(Vec::new, |list| arguments(b, list));
    if let Some(block) = node.child_by_field_name("block") {
        let value = lambda(b, block, block.child_by_field_name("parameters"));
        arguments.push(Argument { label: None, value });
    }
    let argument = u8::try_from(arguments.len()).unwrap_or(u8::MAX).saturating_sub(1);
    let last = arguments.last().map(|argument| argument.value);
    let value = b.call(receiver, name, arguments, node);
    if let (Some(last), Expression::Call(of)) = (last, &b.file.expressions[value].kind) {
        let of = *of;
        bind_lambda(b, last, of, argument, node);
    }
    value
}

/// Lowers `include`, `attr_accessor` and the like in the body of a type. Returns whether it was one.
fn is_declaration(b: &mut Builder<'_>, name: Option<&str>, list: Option<Node<'_>>) -> bool {
    let scope = &b.file.scopes[b.scope];
    let (ScopeKind::Type, Some(owner), Some(list)) = (scope.kind, scope.owner, list) else {
        return false;
    };
    let base = match name {
        Some("include") => BaseKind::Mixes,
        Some("prepend") => BaseKind::Prepends,
        Some("attr_accessor" | "attr_reader" | "attr_writer") => {
            for child in children(list).into_iter().filter(|child| child.kind() == "simple_symbol")
            {
                let text = String::from_utf8_lossy(b.bytes(child)).into_owned();
                let name = text.trim_start_matches(':');
                let id = b.define(name.into(), DefinitionKind::Property, child);
                let scope = b.push_scope(ScopeKind::Function, Some(id), Builder::range(child));
                b.file.definitions[id].body = Some(scope);
                b.within(scope, |b| {
                    let of = b.expression(Expression::Own, child);
                    let held = Expression::Member { of, name: format!("@{name}").into() };
                    let value = b.expression(held, child);
                    b.file.scopes[scope].results.push(value);
                });
            }
            return true;
        }
        _ => return false,
    };
    for child in children(list) {
        let target = base_of(b, child);
        b.file.definitions[owner].bases.push(Base { kind: base, target, renames: Vec::new() });
    }
    true
}

fn lambda(b: &mut Builder<'_>, block: Node<'_>, list: Option<Node<'_>>) -> ExpressionId {
    let scope = b.push_scope(ScopeKind::Lambda, None, Builder::range(block));
    let mut names = Vec::new();
    b.within(scope, |b| {
        for parameter in list.map_or_else(Vec::new, |list| parameters(b, list)) {
            b.bind(None, parameter.name.clone(), None, None, block);
            names.push((parameter.name, None));
        }
        let inner = block.child_by_field_name("body").unwrap_or(block);
        if let Some(value) = body(b, inner) {
            b.file.scopes[scope].results.push(value);
        }
    });
    b.expression(Expression::Lambda { scope, parameters: names, result: None }, block)
}

fn bind_lambda(b: &mut Builder<'_>, value: ExpressionId, of: UseId, argument: u8, node: Node<'_>) {
    let Expression::Lambda { scope, parameters, .. } = &b.file.expressions[value].kind else {
        return;
    };
    let (scope, count) = (*scope, parameters.len());
    // The parameters are the first bindings of their scope.
    let all = b.file.bindings.iter().filter(|(_, binding)| binding.scope == scope);
    let parameters: Vec<BindingId> = all.map(|(id, _)| id).take(count).collect();
    for (position, binding) in parameters.into_iter().enumerate() {
        let position = u8::try_from(position).ok();
        let value = b.expression(Expression::Parameter { of, argument, position }, node);
        b.file.expressions[value].scope = scope;
        b.file.bindings[binding].value = Some(value);
    }
}

fn assignment(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    let value = match node.child_by_field_name("right") {
        Some(right) => expression(b, right),
        None => b.expression(Expression::Unknown, node),
    };
    let Some(left) = node.child_by_field_name("left") else { return value };
    match left.kind() {
        "identifier" | "constant" | "global_variable" => {
            let name = b.name(left);
            b.bind(None, name, Some(value), None, node);
        }
        "instance_variable" | "class_variable" => {
            let of = b.expression(Expression::Own, left);
            let name = b.name(left);
            b.bind(Some(of), name, Some(value), None, node);
        }
        _ => {
            expression(b, left);
        }
    }
    value
}
