//! C into facts.

use crate::ir::*;
use crate::lower::{Builder, DEPTH, grammar};
use tree_sitter::{Node, Tree};

grammar! {
    tree_sitter_c::LANGUAGE;
    suffixes { Expression = "expression", Identifier = "identifier", Declarator = "declarator" }
    kinds {
        AbstractArrayDeclarator = "abstract_array_declarator",
        AbstractFunctionDeclarator = "abstract_function_declarator",
        AbstractPointerDeclarator = "abstract_pointer_declarator",
        ArrayDeclarator = "array_declarator",
        AssignmentExpression = "assignment_expression",
        AttributeSpecifier = "attribute_specifier",
        AttributedDeclarator = "attributed_declarator",
        BinaryExpression = "binary_expression",
        BreakStatement = "break_statement",
        CallExpression = "call_expression",
        CastExpression = "cast_expression",
        CharLiteral = "char_literal",
        CommaExpression = "comma_expression",
        Comment = "comment",
        CompoundLiteralExpression = "compound_literal_expression",
        CompoundStatement = "compound_statement",
        ConcatenatedString = "concatenated_string",
        ConditionalExpression = "conditional_expression",
        ContinueStatement = "continue_statement",
        Declaration = "declaration",
        EnumSpecifier = "enum_specifier",
        Enumerator = "enumerator",
        False = "false",
        FieldDeclaration = "field_declaration",
        FieldExpression = "field_expression",
        FunctionDeclarator = "function_declarator",
        FunctionDefinition = "function_definition",
        GotoStatement = "goto_statement",
        Identifier = "identifier",
        InitDeclarator = "init_declarator",
        InitializerList = "initializer_list",
        InitializerPair = "initializer_pair",
        Null = "null",
        NumberLiteral = "number_literal",
        ParameterDeclaration = "parameter_declaration",
        ParenthesizedDeclarator = "parenthesized_declarator",
        ParenthesizedExpression = "parenthesized_expression",
        PointerDeclarator = "pointer_declarator",
        PointerExpression = "pointer_expression",
        PreprocCall = "preproc_call",
        PreprocDef = "preproc_def",
        PreprocDefined = "preproc_defined",
        PreprocElif = "preproc_elif",
        PreprocElifdef = "preproc_elifdef",
        PreprocElse = "preproc_else",
        PreprocFunctionDef = "preproc_function_def",
        PreprocIf = "preproc_if",
        PreprocIfdef = "preproc_ifdef",
        PreprocInclude = "preproc_include",
        PrimitiveType = "primitive_type",
        ReturnStatement = "return_statement",
        SizedTypeSpecifier = "sized_type_specifier",
        StorageClassSpecifier = "storage_class_specifier",
        StringLiteral = "string_literal",
        StructSpecifier = "struct_specifier",
        SubscriptExpression = "subscript_expression",
        True = "true",
        TypeDefinition = "type_definition",
        TypeIdentifier = "type_identifier",
        UnaryExpression = "unary_expression",
        UnionSpecifier = "union_specifier",
        VariadicParameter = "variadic_parameter",
    }
    fields {
        Alternative = "alternative",
        Argument = "argument",
        Arguments = "arguments",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Declarator = "declarator",
        Designator = "designator",
        Member = "field",
        Function = "function",
        Index = "index",
        Left = "left",
        Name = "name",
        Operator = "operator",
        Parameters = "parameters",
        Path = "path",
        Right = "right",
        Type = "type",
        Value = "value",
    }
}

pub(super) fn lower<'t>(path: &str, text: &'t [u8], tree: &'t Tree) -> File {
    let mut b = Builder::new(path, text, tree.root_node());
    items(&mut b, tree.root_node());
    b.file
}

fn items<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    for child in b.children(node) {
        item(b, child);
    }
}

/// Lowers a declaration or a statement.
fn item<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    if b.depth > DEPTH {
        return;
    }
    b.depth += 1;
    match kind(node) {
        Kind::FunctionDefinition => function(b, node),
        Kind::Declaration | Kind::FieldDeclaration => declaration(b, node),
        Kind::TypeDefinition => typedef(b, node),
        Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => {
            declared_type(b, node);
        }
        Kind::PreprocInclude => include(b, node),
        Kind::PreprocDef | Kind::PreprocFunctionDef => define(b, node),
        Kind::PreprocIfdef | Kind::PreprocIf | Kind::PreprocElif | Kind::PreprocElifdef => {
            region(b, node);
        }
        Kind::PreprocElse | Kind::PreprocCall => items(b, node),
        Kind::CompoundStatement => {
            let scope = b.push_scope(ScopeKind::Block, None, Builder::range(node));
            b.within(scope, |b| items(b, node));
        }
        Kind::ReturnStatement => {
            if let Some(value) = node.named_child(0) {
                let value = expression(b, value);
                let of = b.returning();
                b.file.scopes[of].results.push(value);
            }
        }
        Kind::Comment
        | Kind::BreakStatement
        | Kind::ContinueStatement
        | Kind::GotoStatement
        | Kind::AttributeSpecifier => {}
        _ if ends_with(node, Suffix::Expression) => {
            expression(b, node);
        }
        _ => items(b, node),
    }
    b.depth -= 1;
}

fn include<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    if let Some(path) = field(node, Field::Path) {
        let text = String::from_utf8_lossy(b.bytes(path)).into_owned();
        let module: Name = text.trim_matches(['"', '<', '>']).into();
        let (scope, range) = (b.scope, Builder::range(node));
        b.file.imports.push(Import { module, imported: Imported::All, scope, range });
    }
}

fn define<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(name) = field(node, Field::Name) else { return };
    let name = b.name(name);
    let id = b.define(name, DefinitionKind::Macro, node);
    if let Some(parameters) = field(node, Field::Parameters) {
        let names = b.children(parameters);
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

/// A region under `#if`, and its alternative.
fn region<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    // A region that defines what it asks for is a guard, or gives a default: it is compiled.
    if let Some(guard) = field(node, Field::Name)
        && b.bytes(node).starts_with(b"#ifndef")
    {
        let children = b.children(node);
        let first = children.iter().filter(|&&child| child != guard);
        let mut first = first.filter(|&&child| kind(child) != Kind::Comment);
        let defined = first.next().and_then(|&child| field(child, Field::Name));
        if defined.is_some_and(|name| b.bytes(name) == b.bytes(guard)) {
            for child in children.into_iter().filter(|&child| child != guard) {
                item(b, child);
            }
            return;
        }
    }
    let scope = b.push_scope(ScopeKind::Block, None, Builder::range(node));
    let mut parsed = match (field(node, Field::Name), field(node, Field::Condition)) {
        (Some(name), _) => Condition::Defined(b.name(name)),
        (_, Some(of)) => condition(b, of, 0),
        _ => Condition::Opaque("".into()),
    };
    if b.bytes(node).starts_with(b"#ifndef") {
        parsed = Condition::Not(Box::new(parsed));
    }
    let otherwise = field(node, Field::Alternative);
    let skipped = [field(node, Field::Name), field(node, Field::Condition), otherwise];
    b.file.scopes[scope].condition = Some(parsed.clone());
    b.within(scope, |b| {
        for child in b.children(node).into_iter().filter(|child| !skipped.contains(&Some(*child))) {
            item(b, child);
        }
    });
    if let Some(otherwise) = otherwise {
        let scope = b.push_scope(ScopeKind::Block, None, Builder::range(otherwise));
        b.file.scopes[scope].condition = Some(Condition::Not(Box::new(parsed)));
        b.within(scope, |b| item(b, otherwise));
    }
}

fn condition<'t>(b: &mut Builder<'t>, node: Node<'t>, depth: usize) -> Condition {
    let opaque = |b: &mut Builder<'t>| Condition::Opaque(b.name(node));
    if depth > 16 {
        return opaque(b);
    }
    match kind(node) {
        Kind::PreprocDefined => match node.named_child(0) {
            Some(name) => Condition::Defined(b.name(name)),
            None => opaque(b),
        },
        Kind::ParenthesizedExpression => match node.named_child(0) {
            Some(inner) => condition(b, inner, depth + 1),
            None => opaque(b),
        },
        Kind::UnaryExpression => match field(node, Field::Argument) {
            Some(inner) if b.bytes(node).starts_with(b"!") => {
                Condition::Not(Box::new(condition(b, inner, depth + 1)))
            }
            _ => opaque(b),
        },
        Kind::BinaryExpression => {
            let operator = field(node, Field::Operator).map(|of| b.bytes(of));
            let sides = [field(node, Field::Left), field(node, Field::Right)];
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

fn function<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(declarator) = field(node, Field::Declarator) else { return };
    let base = base_type(b, node);
    let Some(id) = declared_function(b, declarator, base, node) else {
        if let Some(body) = field(node, Field::Body) {
            items(b, body);
        }
        return;
    };
    b.file.definitions[id].visibility = visibility(b, node);
    let scope = b.push_scope(ScopeKind::Function, Some(id), Builder::range(node));
    b.file.definitions[id].body = Some(scope);
    if let Some(body) = field(node, Field::Body) {
        b.within(scope, |b| items(b, body));
    }
}

fn visibility<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Visibility {
    let is_static = b
        .children(node)
        .into_iter()
        .any(|child| kind(child) == Kind::StorageClassSpecifier && b.bytes(child) == b"static");
    if is_static { Visibility::Private } else { Visibility::Public }
}

/// Defines the function that a declarator names, if it is one.
fn declared_function<'t>(
    b: &mut Builder<'t>,
    declarator: Node<'t>,
    base: TypeId,
    node: Node<'t>,
) -> Option<DefinitionId> {
    let mut result = base;
    let mut at = declarator;
    for _ in 0..DEPTH {
        match kind(at) {
            Kind::PointerDeclarator => {
                result = b.of_one("ptr", result);
                at = field(at, Field::Declarator)?;
            }
            Kind::AttributedDeclarator | Kind::ParenthesizedDeclarator => at = at.named_child(0)?,
            _ => break,
        }
    }
    if kind(at) != Kind::FunctionDeclarator {
        return None;
    }
    let named = field(at, Field::Declarator)?;
    if kind(named) != Kind::Identifier {
        return None;
    }
    let name = b.name(named);
    let parameters = parameters(b, field(at, Field::Parameters)?);
    let id = b.define(name, DefinitionKind::Function, node);
    let signature = &mut b.file.definitions[id].signature;
    signature.parameters = Some(parameters);
    signature.result = Some(result);
    Some(id)
}

fn parameters<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Vec<Parameter> {
    let mut found = Vec::new();
    let children = b.children(node);
    // `(void)` has none.
    if let [only] = children[..]
        && b.bytes(only) == b"void"
    {
        return found;
    }
    for child in children {
        match kind(child) {
            Kind::ParameterDeclaration => {
                let base = base_type(b, child);
                let declarator = field(child, Field::Declarator);
                let (name, ty) = match declarator {
                    Some(declarator) => declared(b, declarator, base),
                    None => (None, base),
                };
                let name = match name {
                    Some(name) => b.name(name),
                    None => b.word(""),
                };
                found.push(Parameter {
                    name,
                    label: None,
                    r#type: Some(ty),
                    has_default: false,
                    is_variadic: false,
                });
            }
            Kind::VariadicParameter => {
                found.push(Parameter {
                    name: b.word(""),
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
fn declared<'t>(b: &mut Builder<'t>, node: Node<'t>, base: TypeId) -> (Option<Node<'t>>, TypeId) {
    if b.depth > DEPTH {
        return (None, base);
    }
    b.depth += 1;
    let found = declarator(b, node, base);
    b.depth -= 1;
    found
}

fn declarator<'t>(b: &mut Builder<'t>, node: Node<'t>, base: TypeId) -> (Option<Node<'t>>, TypeId) {
    let inner = field(node, Field::Declarator);
    match (kind(node), inner) {
        (Kind::PointerDeclarator | Kind::AbstractPointerDeclarator, _) => {
            let ty = b.of_one("ptr", base);
            inner.map_or((None, ty), |inner| declared(b, inner, ty))
        }
        (Kind::ArrayDeclarator | Kind::AbstractArrayDeclarator, _) => {
            let ty = b.of_one("array", base);
            inner.map_or((None, ty), |inner| declared(b, inner, ty))
        }
        (Kind::FunctionDeclarator | Kind::AbstractFunctionDeclarator, _) => {
            let list = field(node, Field::Parameters);
            let types = list.map_or_else(Vec::new, |list| parameters(b, list));
            let types = types.into_iter().filter_map(|parameter| parameter.r#type).collect();
            let function = Type::Function { receiver: None, parameters: types, result: base };
            let mut ty = b.r#type(function);
            // A pointer to a function is the function; an array of these is an array.
            let mut named = inner;
            while let Some(at) = named
                && let Some(next) = inside(at)
            {
                if kind(at) == Kind::ArrayDeclarator {
                    ty = b.of_one("array", ty);
                }
                named = Some(next);
            }
            (named.filter(|&node| ends_with(node, Suffix::Identifier)), ty)
        }
        (Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator | Kind::InitDeclarator, _) => {
            match inner.or_else(|| node.named_child(0)) {
                Some(inner) => declared(b, inner, base),
                None => (None, base),
            }
        }
        _ if ends_with(node, Suffix::Identifier) => (Some(node), base),
        _ => (None, base),
    }
}

/// Returns the declarator in another one.
fn inside(node: Node<'_>) -> Option<Node<'_>> {
    field(node, Field::Declarator)
        .or_else(|| ends_with(node, Suffix::Declarator).then(|| node.named_child(0)).flatten())
}

/// Returns the type before the declarators; a structure that it defines is lowered.
fn base_type<'t>(b: &mut Builder<'t>, node: Node<'t>) -> TypeId {
    match field(node, Field::Type) {
        Some(of) => declared_type(b, of),
        None => b.r#type(Type::Unknown),
    }
}

fn declared_type<'t>(b: &mut Builder<'t>, node: Node<'t>) -> TypeId {
    match kind(node) {
        Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => {
            let body = field(node, Field::Body);
            let name = field(node, Field::Name);
            let name: Name = match name {
                Some(name) => b.name(name),
                None => format!("{}:{}", node.kind(), node.start_byte()).into(),
            };
            if let Some(body) = body {
                let id = b.define(name.clone(), DefinitionKind::Class, node);
                let scope = b.push_scope(ScopeKind::Type, Some(id), Builder::range(node));
                b.file.definitions[id].body = Some(scope);
                let is_enum = kind(node) == Kind::EnumSpecifier;
                b.within(scope, |b| if is_enum { constants(b, body) } else { items(b, body) });
            }
            b.named(vec![name], Vec::new())
        }
        Kind::TypeIdentifier | Kind::PrimitiveType | Kind::SizedTypeSpecifier => {
            let name = b.name(node);
            b.named(vec![name], Vec::new())
        }
        _ => b.r#type(Type::Unknown),
    }
}

fn constants<'t>(b: &mut Builder<'t>, body: Node<'t>) {
    for child in b.children(body).into_iter().filter(|&child| kind(child) == Kind::Enumerator) {
        if let Some(name) = field(child, Field::Name) {
            let name = b.name(name);
            b.define(name, DefinitionKind::Variable, child);
        }
    }
}

fn typedef<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let base = base_type(b, node);
    let declarators = b.children_in(node, number(Field::Declarator));
    for declarator in declarators {
        if let (Some(name), ty) = declared(b, declarator, base) {
            let name = b.name(name);
            // `typedef struct a a;` adds no name: tags and types share theirs here.
            let of = &b.file.types[ty].kind;
            if matches!(of, Type::Named { path, .. } if path.len() == 1 && path[0] == name) {
                continue;
            }
            let id = b.define(name, DefinitionKind::Alias, node);
            b.file.definitions[id].signature.result = Some(ty);
        }
    }
}

/// Variables, fields and prototypes.
fn declaration<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let base = base_type(b, node);
    let declarators = b.children_in(node, number(Field::Declarator));
    let is_local = b.file.scopes[b.returning()].kind == ScopeKind::Function;
    for declarator in declarators {
        if let Some(id) = declared_function(b, declarator, base, node) {
            b.file.definitions[id].signature.is_declaration = true;
            continue;
        }
        let value = field(declarator, Field::Value);
        let (Some(name), ty) = declared(b, declarator, base) else { continue };
        let name = b.name(name);
        if is_local {
            let value = value.map(|value| initial(b, value, ty));
            b.bind(None, name, value, Some(ty), declarator);
            continue;
        }
        let kind = if kind(node) == Kind::FieldDeclaration {
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
fn initial<'t>(b: &mut Builder<'t>, node: Node<'t>, ty: TypeId) -> ExpressionId {
    if kind(node) != Kind::InitializerList {
        return expression(b, node);
    }
    record(b, node, Some(ty))
}

fn record<'t>(b: &mut Builder<'t>, node: Node<'t>, ty: Option<TypeId>) -> ExpressionId {
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
    for (at, child) in b.children(node).into_iter().enumerate() {
        let (name, value) = if kind(child) == Kind::InitializerPair {
            let Some(value) = field(child, Field::Value) else { continue };
            let designator = field(child, Field::Designator);
            let field = designator.and_then(|of| of.named_child(0));
            (
                match field {
                    Some(field) => b.name(field),
                    None => b.position(at),
                },
                value,
            )
        } else if kind(child) == Kind::Comment {
            continue;
        } else {
            (b.position(at), child)
        };
        let value = if kind(value) == Kind::InitializerList {
            record(b, value, element)
        } else {
            expression(b, value)
        };
        fields.push((name, value));
    }
    b.depth -= 1;
    b.expression(Expression::Record { r#type: ty, fields }, node)
}

fn expression<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    if b.depth > DEPTH {
        return b.expression(Expression::Opaque("nested too deep".into()), node);
    }
    b.depth += 1;
    let part = |name| field(node, name);
    let value = match kind(node) {
        Kind::Identifier => {
            let name = b.name(node);
            b.expression(Expression::Name { name, is_type: false }, node)
        }
        Kind::FieldExpression => match (part(Field::Argument), part(Field::Member)) {
            (Some(of), Some(name)) => {
                let of = expression(b, of);
                let name = b.name(name);
                b.expression(Expression::Member { of, name }, node)
            }
            _ => b.expression(Expression::Unknown, node),
        },
        Kind::CallExpression => call(b, node),
        Kind::SubscriptExpression => {
            if let Some(index) = part(Field::Index) {
                expression(b, index);
            }
            match part(Field::Argument) {
                Some(of) => {
                    let of = expression(b, of);
                    b.expression(Expression::Yield { of, protocol: Protocol::Index }, node)
                }
                None => b.expression(Expression::Unknown, node),
            }
        }
        Kind::PointerExpression => match part(Field::Argument) {
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
        Kind::ParenthesizedExpression | Kind::CommaExpression => {
            let parts = b.children(node);
            let last = parts.into_iter().map(|part| expression(b, part)).last();
            last.unwrap_or_else(|| b.expression(Expression::Unknown, node))
        }
        Kind::CastExpression => cast(b, node),
        Kind::CompoundLiteralExpression => {
            let ty = part(Field::Type).map(|of| written(b, of));
            match part(Field::Value) {
                Some(value) => record(b, value, ty),
                None => b.expression(Expression::Unknown, node),
            }
        }
        Kind::AssignmentExpression => assignment(b, node),
        Kind::ConditionalExpression => {
            if let Some(condition) = part(Field::Condition) {
                expression(b, condition);
            }
            let values = [part(Field::Consequence), part(Field::Alternative)];
            let values = values.into_iter().flatten().map(|value| expression(b, value)).collect();
            b.expression(Expression::OneOf(values), node)
        }
        Kind::NumberLiteral | Kind::CharLiteral => {
            b.expression(Expression::Literal(Literal::Integer), node)
        }
        Kind::StringLiteral | Kind::ConcatenatedString => {
            let text = b.word("");
            b.expression(Expression::Literal(Literal::String(text)), node)
        }
        Kind::True | Kind::False => b.expression(Expression::Literal(Literal::Boolean), node),
        Kind::Null => b.expression(Expression::Literal(Literal::Null), node),
        Kind::CompoundStatement => {
            item(b, node);
            b.expression(Expression::Unknown, node)
        }
        Kind::InitializerList => record(b, node, None),
        _ => {
            for child in b.children(node) {
                if ends_with(child, Suffix::Expression)
                    || matches!(kind(child), Kind::Identifier | Kind::CompoundStatement)
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

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    let Some(called) = field(node, Field::Function) else {
        return b.expression(Expression::Unknown, node);
    };
    let list = field(node, Field::Arguments).map_or_else(Vec::new, |list| b.children(list));
    let (receiver, named) = match kind(called) {
        Kind::Identifier => (None, Some(called)),
        Kind::FieldExpression => {
            match (field(called, Field::Argument), field(called, Field::Member)) {
                (Some(of), Some(name)) => (Some(expression(b, of)), Some(name)),
                _ => (None, None),
            }
        }
        _ => (Some(expression(b, called)), None),
    };
    let name = named.map(|named| b.name(named));
    let mut arguments = Vec::new();
    for argument in list.into_iter().filter(|&argument| kind(argument) != Kind::Comment) {
        let value = expression(b, argument);
        arguments.push(Argument { label: None, value });
    }
    b.call(receiver, name, arguments, (named, node))
}

fn written<'t>(b: &mut Builder<'t>, node: Node<'t>) -> TypeId {
    let base = base_type(b, node);
    match field(node, Field::Declarator) {
        Some(declarator) => declared(b, declarator, base).1,
        None => base,
    }
}

fn cast<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    let ty = field(node, Field::Type).map(|of| written(b, of));
    let of = field(node, Field::Value).map(|of| expression(b, of));
    match (ty, of) {
        (Some(ty), Some(of)) => b.expression(Expression::Cast { of, r#type: ty }, node),
        _ => b.expression(Expression::Unknown, node),
    }
}

/// Only what is assigned to a member is kept: a variable has its written type.
fn assignment<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    let (left, right) = (field(node, Field::Left), field(node, Field::Right));
    let value = match right {
        Some(right) => expression(b, right),
        None => b.expression(Expression::Unknown, node),
    };
    let Some(left) = left else { return value };
    let is_plain = field(node, Field::Operator).is_some_and(|of| b.bytes(of) == b"=");
    match (field(left, Field::Argument), field(left, Field::Member)) {
        (Some(of), Some(name)) if kind(left) == Kind::FieldExpression && is_plain => {
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
