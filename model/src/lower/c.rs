//! C into facts.

use super::build::{Builder, DEPTH, children};
use crate::ir::codec::Needs;
use crate::ir::*;
use tree_sitter::{Node, Tree};

/// There are no overloads, and all but functions states its type.
pub(super) const NEEDS: Needs = Needs {
    shapes: false,
    only_functions: true,
    capitals_are_constants: false,
    plain_types: &[
        "void",
        "_Bool",
        "bool",
        "char",
        "int",
        "long",
        "short",
        "float",
        "double",
        "unsigned",
        "signed",
        "signed char",
        "unsigned char",
        "unsigned short",
        "unsigned int",
        "unsigned long",
        "long long",
        "unsigned long long",
        "size_t",
        "ssize_t",
        "ptrdiff_t",
        "intptr_t",
        "uintptr_t",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
    ],
};

pub(super) fn lower(path: &str, text: &[u8], tree: &Tree) -> File {
    let mut b = Builder::new(path, text);
    items(&mut b, tree.root_node());
    b.file
}

fn items(b: &mut Builder<'_>, node: Node<'_>) {
    for child in children(node) {
        item(b, child);
    }
}

/// Lowers a declaration or a statement.
fn item(b: &mut Builder<'_>, node: Node<'_>) {
    if b.depth > DEPTH {
        return;
    }
    b.depth += 1;
    match node.kind() {
        "function_definition" => function(b, node),
        "declaration" | "field_declaration" => declaration(b, node),
        "type_definition" => typedef(b, node),
        "struct_specifier" | "union_specifier" | "enum_specifier" => {
            declared_type(b, node);
        }
        "preproc_include" => include(b, node),
        "preproc_def" | "preproc_function_def" => define(b, node),
        "preproc_ifdef" | "preproc_if" | "preproc_elif" | "preproc_elifdef" => region(b, node),
        "preproc_else" | "preproc_call" => items(b, node),
        "compound_statement" => {
            let scope = b.push_scope(ScopeKind::Block, None, Builder::range(node));
            b.within(scope, |b| items(b, node));
        }
        "return_statement" => {
            if let Some(value) = node.named_child(0) {
                let value = expression(b, value);
                let of = b.returning();
                b.file.scopes[of].results.push(value);
            }
        }
        "comment"
        | "break_statement"
        | "continue_statement"
        | "goto_statement"
        | "attribute_specifier" => {}
        kind if kind.ends_with("_expression") => {
            expression(b, node);
        }
        _ => items(b, node),
    }
    b.depth -= 1;
}

fn include(b: &mut Builder<'_>, node: Node<'_>) {
    if let Some(path) = node.child_by_field_name("path") {
        let text = String::from_utf8_lossy(b.bytes(path)).into_owned();
        let module: Name = text.trim_matches(['"', '<', '>']).into();
        let (scope, range) = (b.scope, Builder::range(node));
        b.file.imports.push(Import { module, imported: Imported::All, scope, range });
    }
}

fn define(b: &mut Builder<'_>, node: Node<'_>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let name = b.name(name);
    let id = b.define(name, DefinitionKind::Macro, node);
    if let Some(parameters) = node.child_by_field_name("parameters") {
        let names = children(parameters);
        let parameters = names.into_iter().map(|parameter| Parameter {
            name: b.name(parameter),
            label: None,
            r#type: None,
            has_default: false,
            is_variadic: false,
        });
        let parameters = parameters.collect();
        b.file.definitions[id].signature.parameters = Some(parameters);
    }
}

/// A region under `#if`, with its alternative beside it.
fn region(b: &mut Builder<'_>, node: Node<'_>) {
    let scope = b.push_scope(ScopeKind::Block, None, Builder::range(node));
    let mut parsed = match (node.child_by_field_name("name"), node.child_by_field_name("condition"))
    {
        (Some(name), _) => Condition::Defined(b.name(name)),
        (_, Some(of)) => condition(b, of, 0),
        _ => Condition::Opaque("".into()),
    };
    if b.bytes(node).starts_with(b"#ifndef") {
        parsed = Condition::Not(Box::new(parsed));
    }
    let otherwise = node.child_by_field_name("alternative");
    let skipped =
        [node.child_by_field_name("name"), node.child_by_field_name("condition"), otherwise];
    b.file.scopes[scope].condition = Some(parsed.clone());
    b.within(scope, |b| {
        for child in children(node).into_iter().filter(|child| !skipped.contains(&Some(*child))) {
            item(b, child);
        }
    });
    if let Some(otherwise) = otherwise {
        let scope = b.push_scope(ScopeKind::Block, None, Builder::range(otherwise));
        b.file.scopes[scope].condition = Some(Condition::Not(Box::new(parsed)));
        b.within(scope, |b| item(b, otherwise));
    }
}

fn condition(b: &mut Builder<'_>, node: Node<'_>, depth: usize) -> Condition {
    let opaque = |b: &mut Builder<'_>| Condition::Opaque(b.name(node));
    if depth > 16 {
        return opaque(b);
    }
    match node.kind() {
        "preproc_defined" => match node.named_child(0) {
            Some(name) => Condition::Defined(b.name(name)),
            None => opaque(b),
        },
        "parenthesized_expression" => match node.named_child(0) {
            Some(inner) => condition(b, inner, depth + 1),
            None => opaque(b),
        },
        "unary_expression" => match node.child_by_field_name("argument") {
            Some(inner) if b.bytes(node).starts_with(b"!") => {
                Condition::Not(Box::new(condition(b, inner, depth + 1)))
            }
            _ => opaque(b),
        },
        "binary_expression" => {
            let operator = node.child_by_field_name("operator").map(|of| b.bytes(of));
            let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
            let [Some(left), Some(right)] = sides else { return opaque(b) };
            match operator {
                Some(b"&&") => Condition::All(vec![
                    condition(b, left, depth + 1),
                    condition(b, right, depth + 1),
                ]),
                Some(b"||") => Condition::Any(vec![
                    condition(b, left, depth + 1),
                    condition(b, right, depth + 1),
                ]),
                _ => opaque(b),
            }
        }
        _ => opaque(b),
    }
}

fn function(b: &mut Builder<'_>, node: Node<'_>) {
    let Some(declarator) = node.child_by_field_name("declarator") else { return };
    let base = base_type(b, node);
    let Some(id) = declared_function(b, declarator, base, node) else {
        if let Some(body) = node.child_by_field_name("body") {
            items(b, body);
        }
        return;
    };
    b.file.definitions[id].visibility = visibility(b, node);
    let scope = b.push_scope(ScopeKind::Function, Some(id), Builder::range(node));
    b.file.definitions[id].body = Some(scope);
    if let Some(body) = node.child_by_field_name("body") {
        b.within(scope, |b| items(b, body));
    }
}

fn visibility(b: &Builder<'_>, node: Node<'_>) -> Visibility {
    let mut cursor = node.walk();
    let is_static = node
        .children(&mut cursor)
        .any(|child| child.kind() == "storage_class_specifier" && b.bytes(child) == b"static");
    if is_static { Visibility::Private } else { Visibility::Public }
}

/// Defines the function that a declarator names, if it is one.
fn declared_function(
    b: &mut Builder<'_>,
    declarator: Node<'_>,
    base: TypeId,
    node: Node<'_>,
) -> Option<DefinitionId> {
    let mut result = base;
    let mut at = declarator;
    loop {
        match at.kind() {
            "pointer_declarator" => {
                result = b.named(vec!["ptr".into()], vec![result]);
                at = at.child_by_field_name("declarator")?;
            }
            "attributed_declarator" | "parenthesized_declarator" => at = at.named_child(0)?,
            "function_declarator" => break,
            _ => return None,
        }
    }
    let named = at.child_by_field_name("declarator")?;
    if named.kind() != "identifier" {
        return None;
    }
    let name = b.name(named);
    let parameters = parameters(b, at.child_by_field_name("parameters")?);
    let id = b.define(name, DefinitionKind::Function, node);
    let signature = &mut b.file.definitions[id].signature;
    signature.parameters = Some(parameters);
    signature.result = Some(result);
    Some(id)
}

fn parameters(b: &mut Builder<'_>, node: Node<'_>) -> Vec<Parameter> {
    let mut found = Vec::new();
    for child in children(node) {
        match child.kind() {
            "parameter_declaration" => {
                let base = base_type(b, child);
                let declarator = child.child_by_field_name("declarator");
                let (name, ty) = match declarator {
                    Some(declarator) => declared(b, declarator, base),
                    None => (None, base),
                };
                let name = name.map_or_else(|| "".into(), |name| b.name(name));
                found.push(Parameter {
                    name,
                    label: None,
                    r#type: Some(ty),
                    has_default: false,
                    is_variadic: false,
                });
            }
            "variadic_parameter" => {
                found.push(Parameter {
                    name: "".into(),
                    label: None,
                    r#type: None,
                    has_default: false,
                    is_variadic: true,
                });
            }
            _ => {}
        }
    }
    found
}

/// Returns the name of a declarator and its type.
fn declared<'n>(b: &mut Builder<'_>, node: Node<'n>, base: TypeId) -> (Option<Node<'n>>, TypeId) {
    let inner = node.child_by_field_name("declarator");
    match (node.kind(), inner) {
        ("pointer_declarator" | "abstract_pointer_declarator", _) => {
            let ty = b.named(vec!["ptr".into()], vec![base]);
            inner.map_or((None, ty), |inner| declared(b, inner, ty))
        }
        ("array_declarator" | "abstract_array_declarator", _) => {
            let ty = b.named(vec!["array".into()], vec![base]);
            inner.map_or((None, ty), |inner| declared(b, inner, ty))
        }
        ("function_declarator" | "abstract_function_declarator", _) => {
            let list = node.child_by_field_name("parameters");
            let types = list.map_or_else(Vec::new, |list| parameters(b, list));
            let types = types.into_iter().filter_map(|parameter| parameter.r#type).collect();
            let ty = b.r#type(Type::Function { receiver: None, parameters: types, result: base });
            // A pointer to a function is the function.
            let named = inner.map(|inner| innermost(inner));
            (named.filter(|node| node.kind().ends_with("identifier")), ty)
        }
        ("parenthesized_declarator" | "attributed_declarator" | "init_declarator", _) => {
            match inner.or_else(|| node.named_child(0)) {
                Some(inner) => declared(b, inner, base),
                None => (None, base),
            }
        }
        (kind, _) if kind.ends_with("identifier") => (Some(node), base),
        _ => (None, base),
    }
}

fn innermost(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while let Some(inner) = at
        .child_by_field_name("declarator")
        .or_else(|| at.kind().ends_with("declarator").then(|| at.named_child(0)).flatten())
    {
        at = inner;
    }
    at
}

/// Returns the type before the declarators; a structure that it defines is lowered.
fn base_type(b: &mut Builder<'_>, node: Node<'_>) -> TypeId {
    match node.child_by_field_name("type") {
        Some(of) => declared_type(b, of),
        None => b.r#type(Type::Unknown),
    }
}

fn declared_type(b: &mut Builder<'_>, node: Node<'_>) -> TypeId {
    match node.kind() {
        "struct_specifier" | "union_specifier" | "enum_specifier" => {
            let body = node.child_by_field_name("body");
            let name = node.child_by_field_name("name");
            let name: Name = match name {
                Some(name) => b.name(name),
                None => format!("{}:{}", node.kind(), node.start_byte()).into(),
            };
            if let Some(body) = body {
                let id = b.define(name.clone(), DefinitionKind::Class, node);
                let scope = b.push_scope(ScopeKind::Type, Some(id), Builder::range(node));
                b.file.definitions[id].body = Some(scope);
                let is_enum = node.kind() == "enum_specifier";
                b.within(scope, |b| if is_enum { constants(b, body) } else { items(b, body) });
            }
            b.named(vec![name], Vec::new())
        }
        "type_identifier" | "primitive_type" | "sized_type_specifier" => {
            let name = b.name(node);
            b.named(vec![name], Vec::new())
        }
        _ => b.r#type(Type::Unknown),
    }
}

fn constants(b: &mut Builder<'_>, body: Node<'_>) {
    for child in children(body).into_iter().filter(|child| child.kind() == "enumerator") {
        if let Some(name) = child.child_by_field_name("name") {
            let name = b.name(name);
            b.define(name, DefinitionKind::Variable, child);
        }
    }
}

fn typedef(b: &mut Builder<'_>, node: Node<'_>) {
    let base = base_type(b, node);
    let mut cursor = node.walk();
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
    for declarator in declarators {
        if let (Some(name), ty) = declared(b, declarator, base) {
            let name = b.name(name);
            let id = b.define(name, DefinitionKind::Alias, node);
            b.file.definitions[id].signature.result = Some(ty);
        }
    }
}

/// Variables, fields and prototypes.
fn declaration(b: &mut Builder<'_>, node: Node<'_>) {
    let base = base_type(b, node);
    let mut cursor = node.walk();
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
    let is_local = b.file.scopes[b.returning()].kind == ScopeKind::Function;
    for declarator in declarators {
        if let Some(id) = declared_function(b, declarator, base, node) {
            b.file.definitions[id].signature.is_declaration = true;
            continue;
        }
        let value = declarator.child_by_field_name("value");
        let (Some(name), ty) = declared(b, declarator, base) else { continue };
        let name = b.name(name);
        if is_local {
            let value = value.map(|value| initial(b, value, ty));
            b.bind(None, name, value, Some(ty), declarator);
            continue;
        }
        let kind = if node.kind() == "field_declaration" {
            DefinitionKind::Field
        } else {
            DefinitionKind::Variable
        };
        let id = b.define(name, kind, declarator);
        b.file.definitions[id].signature.result = Some(ty);
        b.file.definitions[id].visibility = visibility(b, node);
        if let Some(value) = value {
            let scope = b.push_scope(ScopeKind::Function, Some(id), Builder::range(declarator));
            b.file.definitions[id].body = Some(scope);
            b.within(scope, |b| {
                let value = initial(b, value, ty);
                b.file.scopes[scope].results.push(value);
            });
        }
    }
}

/// A value of a written type: an initializer list is a record of it.
fn initial(b: &mut Builder<'_>, node: Node<'_>, ty: TypeId) -> ExpressionId {
    if node.kind() != "initializer_list" {
        return expression(b, node);
    }
    record(b, node, Some(ty))
}

fn record(b: &mut Builder<'_>, node: Node<'_>, ty: Option<TypeId>) -> ExpressionId {
    if b.depth > DEPTH {
        return b.expression(Expression::Opaque("nested too deep".into()), node);
    }
    b.depth += 1;
    // What a list within an array is made of.
    let element = ty.and_then(|ty| match &b.file.types[ty].kind {
        Type::Named { arguments, .. } => arguments.first().copied(),
        _ => None,
    });
    let mut fields = Vec::new();
    for (at, child) in children(node).into_iter().enumerate() {
        let (name, value) = if child.kind() == "initializer_pair" {
            let Some(value) = child.child_by_field_name("value") else { continue };
            let designator = child.child_by_field_name("designator");
            let field = designator.and_then(|of| of.named_child(0));
            (field.map_or_else(|| at.to_string().into(), |field| b.name(field)), value)
        } else if child.kind() == "comment" {
            continue;
        } else {
            (at.to_string().into(), child)
        };
        let value = if value.kind() == "initializer_list" {
            record(b, value, element)
        } else {
            expression(b, value)
        };
        fields.push((name, value));
    }
    b.depth -= 1;
    b.expression(Expression::Record { r#type: ty, fields }, node)
}

fn expression(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    if b.depth > DEPTH {
        return b.expression(Expression::Opaque("nested too deep".into()), node);
    }
    b.depth += 1;
    let field = |name: &str| node.child_by_field_name(name);
    let value = match node.kind() {
        "identifier" => {
            let name = b.name(node);
            b.expression(Expression::Name { name, is_type: false }, node)
        }
        "field_expression" => match (field("argument"), field("field")) {
            (Some(of), Some(name)) => {
                let of = expression(b, of);
                let name = b.name(name);
                b.expression(Expression::Member { of, name }, node)
            }
            _ => b.expression(Expression::Unknown, node),
        },
        "call_expression" => call(b, node),
        "subscript_expression" => {
            if let Some(index) = field("index") {
                expression(b, index);
            }
            match field("argument") {
                Some(of) => {
                    let of = expression(b, of);
                    b.expression(Expression::Yield { of, protocol: Protocol::Index }, node)
                }
                None => b.expression(Expression::Unknown, node),
            }
        }
        "pointer_expression" => match field("argument") {
            Some(of) => {
                let inner = expression(b, of);
                // The address of a value has its members.
                if b.bytes(node).starts_with(b"&") {
                    inner
                } else {
                    b.expression(
                        Expression::Yield { of: inner, protocol: Protocol::Dereference },
                        node,
                    )
                }
            }
            None => b.expression(Expression::Unknown, node),
        },
        "parenthesized_expression" | "comma_expression" => {
            let parts = children(node);
            let last = parts.into_iter().map(|part| expression(b, part)).last();
            last.unwrap_or_else(|| b.expression(Expression::Unknown, node))
        }
        "cast_expression" => cast(b, node),
        "compound_literal_expression" => {
            let ty = field("type").map(|of| written(b, of));
            match field("value") {
                Some(value) => record(b, value, ty),
                None => b.expression(Expression::Unknown, node),
            }
        }
        "assignment_expression" => assignment(b, node),
        "conditional_expression" => {
            if let Some(condition) = field("condition") {
                expression(b, condition);
            }
            let values = [field("consequence"), field("alternative")];
            let values = values.into_iter().flatten().map(|value| expression(b, value)).collect();
            b.expression(Expression::OneOf(values), node)
        }
        "number_literal" | "char_literal" => {
            b.expression(Expression::Literal(Literal::Integer), node)
        }
        "string_literal" | "concatenated_string" => {
            b.expression(Expression::Literal(Literal::String("".into())), node)
        }
        "true" | "false" => b.expression(Expression::Literal(Literal::Boolean), node),
        "null" => b.expression(Expression::Literal(Literal::Null), node),
        "compound_statement" => {
            item(b, node);
            b.expression(Expression::Unknown, node)
        }
        "initializer_list" => record(b, node, None),
        _ => {
            for child in children(node) {
                let kind = child.kind();
                if kind.ends_with("expression")
                    || kind == "identifier"
                    || kind == "compound_statement"
                {
                    expression(b, child);
                }
            }
            b.expression(Expression::Unknown, node)
        }
    };
    b.depth -= 1;
    value
}

fn call(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    let Some(called) = node.child_by_field_name("function") else {
        return b.expression(Expression::Unknown, node);
    };
    let list = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
    let (receiver, name) = match called.kind() {
        "identifier" => (None, Some(b.name(called))),
        "field_expression" => {
            match (called.child_by_field_name("argument"), called.child_by_field_name("field")) {
                (Some(of), Some(name)) => {
                    let of = expression(b, of);
                    (Some(of), Some(b.name(name)))
                }
                _ => (None, None),
            }
        }
        _ => (Some(expression(b, called)), None),
    };
    let mut arguments = Vec::new();
    for argument in list.into_iter().filter(|argument| argument.kind() != "comment") {
        let value = expression(b, argument);
        arguments.push(Argument { label: None, value });
    }
    b.call(receiver, name, arguments, node)
}

fn written(b: &mut Builder<'_>, node: Node<'_>) -> TypeId {
    let base = base_type(b, node);
    match node.child_by_field_name("declarator") {
        Some(declarator) => declared(b, declarator, base).1,
        None => base,
    }
}

fn cast(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    let ty = node.child_by_field_name("type").map(|of| written(b, of));
    let of = node.child_by_field_name("value").map(|of| expression(b, of));
    match (ty, of) {
        (Some(ty), Some(of)) => b.expression(Expression::Cast { of, r#type: ty }, node),
        _ => b.expression(Expression::Unknown, node),
    }
}

/// Only what is assigned to a member is kept: a variable has its written type.
fn assignment(b: &mut Builder<'_>, node: Node<'_>) -> ExpressionId {
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    let value = match right {
        Some(right) => expression(b, right),
        None => b.expression(Expression::Unknown, node),
    };
    let Some(left) = left else { return value };
    let is_plain = node.child_by_field_name("operator").is_some_and(|of| b.bytes(of) == b"=");
    match (left.child_by_field_name("argument"), left.child_by_field_name("field")) {
        (Some(of), Some(name)) if left.kind() == "field_expression" && is_plain => {
            let of = expression(b, of);
            let name = b.name(name);
            b.bind(Some(of), name, Some(value), None, node);
        }
        _ => {
            expression(b, left);
        }
    }
    value
}
