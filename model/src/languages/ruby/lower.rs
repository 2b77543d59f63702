//! Ruby into facts.

use crate::ir::*;
use crate::lower::{Builder, DEPTH, grammar};
use tree_sitter::{Node, Tree};

grammar! {
    tree_sitter_ruby::LANGUAGE;
    suffixes { Splat = "splat_parameter" }
    kinds {
        Array = "array",
        Assignment = "assignment",
        Begin = "begin",
        Binary = "binary",
        BlockBody = "block_body",
        BodyStatement = "body_statement",
        Call = "call",
        Case = "case",
        ChainedString = "chained_string",
        Class = "class",
        ClassVariable = "class_variable",
        Comment = "comment",
        Conditional = "conditional",
        Constant = "constant",
        DelimitedSymbol = "delimited_symbol",
        ElementReference = "element_reference",
        Else = "else",
        Elsif = "elsif",
        False = "false",
        Float = "float",
        GlobalVariable = "global_variable",
        Hash = "hash",
        HashKeySymbol = "hash_key_symbol",
        HeredocBeginning = "heredoc_beginning",
        Identifier = "identifier",
        If = "if",
        IfModifier = "if_modifier",
        InstanceVariable = "instance_variable",
        Integer = "integer",
        KeywordParameter = "keyword_parameter",
        Lambda = "lambda",
        Method = "method",
        Module = "module",
        Nil = "nil",
        OperatorAssignment = "operator_assignment",
        Pair = "pair",
        ParenthesizedStatements = "parenthesized_statements",
        Regex = "regex",
        Return = "return",
        ScopeResolution = "scope_resolution",
        OwnSelf = "self",
        SimpleSymbol = "simple_symbol",
        SingletonClass = "singleton_class",
        SingletonMethod = "singleton_method",
        String = "string",
        Subshell = "subshell",
        Super = "super",
        Then = "then",
        True = "true",
        Unless = "unless",
        UnlessModifier = "unless_modifier",
        When = "when",
        Yield = "yield",
    }
    fields {
        Arguments = "arguments",
        Block = "block",
        Body = "body",
        Key = "key",
        Left = "left",
        Method = "method",
        Name = "name",
        Operator = "operator",
        Parameters = "parameters",
        Receiver = "receiver",
        Right = "right",
        Scope = "scope",
        Superclass = "superclass",
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
        expression(b, child);
    }
}

/// Lowers statements and returns the value of the last.
fn body<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<ExpressionId> {
    b.children(node)
        .into_iter()
        .filter(|&child| kind(child) != Kind::Comment)
        .map(|child| expression(b, child))
        .last()
}

fn expression<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    if b.depth > DEPTH {
        return b.expression(Expression::Opaque("nested too deep".into()), node);
    }
    b.depth += 1;
    let value = lower_node(b, node);
    b.depth -= 1;
    value
}

fn lower_node<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    let part = |name| field(node, name);
    match kind(node) {
        Kind::Identifier | Kind::Constant | Kind::GlobalVariable => {
            let name = b.name(node);
            b.expression(Expression::Name { name, is_type: false }, node)
        }
        Kind::InstanceVariable | Kind::ClassVariable => {
            let of = b.expression(Expression::Own, node);
            let name = b.name(node);
            b.expression(Expression::Member { of, name }, node)
        }
        Kind::OwnSelf => b.expression(Expression::Own, node),
        Kind::Super => b.expression(Expression::Base, node),
        Kind::ScopeResolution => {
            let scope = part(Field::Scope).map(|of| expression(b, of));
            let name = part(Field::Name).map_or_else(|| "".into(), |name| b.name(name));
            match scope {
                Some(of) => b.expression(Expression::Member { of, name }, node),
                None => b.expression(Expression::Name { name, is_type: true }, node),
            }
        }
        Kind::Call => call(b, node),
        Kind::Assignment | Kind::OperatorAssignment => assignment(b, node),
        Kind::Class | Kind::Module => {
            class(b, node);
            b.expression(Expression::Unknown, node)
        }
        Kind::SingletonClass => {
            let name: Name = "self".into();
            let id = b.define(name, DefinitionKind::Extension, node);
            type_body(b, id, node);
            b.expression(Expression::Unknown, node)
        }
        Kind::Method | Kind::SingletonMethod => {
            method(b, node);
            b.expression(Expression::Unknown, node)
        }
        Kind::Return => {
            let value = node.named_child(0).and_then(|list| body(b, list));
            if let Some(value) = value {
                let of = b.returning();
                b.file.scopes[of].results.push(value);
            }
            b.expression(Expression::Unknown, node)
        }
        Kind::If
        | Kind::Unless
        | Kind::Conditional
        | Kind::IfModifier
        | Kind::UnlessModifier
        | Kind::Case => {
            let mut values = Vec::new();
            for child in b.children(node) {
                let value = expression(b, child);
                if matches!(kind(child), Kind::Then | Kind::Else | Kind::When | Kind::Elsif)
                    || kind(node) == Kind::Conditional
                {
                    values.push(value);
                }
            }
            b.expression(Expression::OneOf(values), node)
        }
        Kind::Then
        | Kind::Else
        | Kind::Begin
        | Kind::ParenthesizedStatements
        | Kind::BodyStatement
        | Kind::When
        | Kind::Elsif
        | Kind::BlockBody => {
            let last = body(b, node);
            last.unwrap_or_else(|| b.expression(Expression::Literal(Literal::Null), node))
        }
        Kind::Yield => {
            let arguments = part(Field::Arguments).or_else(|| node.named_child(0));
            let arguments = arguments.map_or_else(Vec::new, |list| self::arguments(b, list));
            b.call(None, Some("yield".into()), arguments, (None, node))
        }
        Kind::ElementReference => {
            let parts = b.children(node);
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
        Kind::Lambda => lambda(b, part(Field::Body).unwrap_or(node), part(Field::Parameters)),
        Kind::String
        | Kind::HeredocBeginning
        | Kind::ChainedString
        | Kind::SimpleSymbol
        | Kind::DelimitedSymbol
        | Kind::Regex
        | Kind::Subshell => {
            items(b, node);
            let text = b.word("");
            b.expression(Expression::Literal(Literal::String(text)), node)
        }
        Kind::Integer => b.expression(Expression::Literal(Literal::Integer), node),
        Kind::Float => b.expression(Expression::Literal(Literal::Float), node),
        Kind::True | Kind::False => b.expression(Expression::Literal(Literal::Boolean), node),
        Kind::Nil => b.expression(Expression::Literal(Literal::Null), node),
        Kind::Array | Kind::Hash => record(b, node),
        Kind::Comment => b.expression(Expression::Unknown, node),
        // `a || b` and `a && b` are one of both; other operators are kept as a bit of the file.
        Kind::Binary => binary(b, node),
        _ => {
            items(b, node);
            b.expression(Expression::Unknown, node)
        }
    }
}

fn binary<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    let sides = [field(node, Field::Left), field(node, Field::Right)];
    let values: Vec<_> = sides.into_iter().flatten().map(|side| expression(b, side)).collect();
    let operator = field(node, Field::Operator).map(|of| b.bytes(of));
    if matches!(operator, Some(b"||" | b"or")) {
        return b.expression(Expression::OneOf(values), node);
    }
    b.expression(Expression::Unknown, node)
}

fn record<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    let name: Name = if kind(node) == Kind::Array { "Array" } else { "Hash" }.into();
    let mut fields = Vec::new();
    for (at, child) in b.children(node).into_iter().enumerate() {
        let (key, value) = (field(child, Field::Key), field(child, Field::Value));
        let key = key.filter(|&key| kind(key) == Kind::HashKeySymbol);
        let key = match key {
            Some(key) => b.name(key),
            None => b.position(at),
        };
        let value = expression(b, value.unwrap_or(child));
        fields.push((key, value));
    }
    let ty = b.named(vec![name], Vec::new());
    b.expression(Expression::Record { r#type: Some(ty), fields }, node)
}

/// A class or module with its superclass.
fn class<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(named) = field(node, Field::Name) else { return };
    let name = b.name(field(named, Field::Name).unwrap_or(named));
    let kind =
        if kind(node) == Kind::Class { DefinitionKind::Class } else { DefinitionKind::Mixin };
    let id = b.define(name, kind, node);
    if let Some(base) = field(node, Field::Superclass).and_then(|of| of.named_child(0)) {
        let target = base_of(b, base);
        b.file.definitions[id].bases.push(Base {
            kind: BaseKind::Extends,
            target,
            renames: Vec::new(),
        });
    }
    type_body(b, id, node);
}

fn base_of<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Target {
    match constant_path(b, node) {
        Some(path) => Target::Type(b.named(path, Vec::new())),
        None => Target::Value(expression(b, node)),
    }
}

fn constant_path<'t>(b: &mut Builder<'t>, node: Node<'t>) -> Option<Vec<Name>> {
    match kind(node) {
        Kind::Constant => Some(vec![b.name(node)]),
        Kind::ScopeResolution => {
            let mut path = match field(node, Field::Scope) {
                Some(scope) => constant_path(b, scope)?,
                None => Vec::new(),
            };
            path.push(b.name(field(node, Field::Name)?));
            Some(path)
        }
        _ => None,
    }
}

fn type_body<'t>(b: &mut Builder<'t>, id: DefinitionId, node: Node<'t>) {
    let scope = b.push_scope(ScopeKind::Type, Some(id), Builder::range(node));
    b.file.definitions[id].body = Some(scope);
    if let Some(inner) = field(node, Field::Body) {
        b.within(scope, |b| items(b, inner));
    }
}

fn method<'t>(b: &mut Builder<'t>, node: Node<'t>) {
    let Some(name) = field(node, Field::Name) else { return };
    let name = b.name(name);
    let id = b.define(name, DefinitionKind::Function, node);
    let parameters =
        field(node, Field::Parameters).map_or_else(Vec::new, |list| parameters(b, list));
    let receiver = (kind(node) == Kind::Method).then(|| b.r#type(Type::Own));
    let signature = &mut b.file.definitions[id].signature;
    signature.parameters = Some(parameters);
    signature.receiver = receiver;
    let scope = b.push_scope(ScopeKind::Function, Some(id), Builder::range(node));
    b.file.definitions[id].body = Some(scope);
    if let Some(inner) = field(node, Field::Body) {
        b.within(scope, |b| {
            if let Some(value) = body(b, inner) {
                b.file.scopes[scope].results.push(value);
            }
        });
    }
}

fn parameters<'t>(b: &mut Builder<'t>, list: Node<'t>) -> Vec<Parameter> {
    let mut found = Vec::new();
    for child in b.children(list) {
        let named = field(child, Field::Name).unwrap_or(child);
        if kind(named) != Kind::Identifier {
            continue;
        }
        let name = b.name(named);
        let label = (kind(child) == Kind::KeywordParameter).then(|| name.clone());
        let has_default = field(child, Field::Value).is_some();
        let is_variadic = ends_with(child, Suffix::Splat);
        found.push(Parameter { name, label, r#type: None, has_default, is_variadic });
    }
    found
}

fn arguments<'t>(b: &mut Builder<'t>, list: Node<'t>) -> Vec<Argument> {
    let mut found = Vec::new();
    for child in b.children(list).into_iter().filter(|&child| kind(child) != Kind::Comment) {
        let key = field(child, Field::Key).filter(|&key| kind(key) == Kind::HashKeySymbol);
        let label = key.map(|key| b.name(key));
        let value = match (kind(child), field(child, Field::Value)) {
            (Kind::Pair, Some(value)) => value,
            _ => child,
        };
        let value = expression(b, value);
        found.push(Argument { label, value });
    }
    found
}

fn call<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    let receiver = field(node, Field::Receiver).map(|of| expression(b, of));
    let Some(called) = field(node, Field::Method) else {
        items(b, node);
        return b.expression(Expression::Unknown, node);
    };
    let (receiver, name) = if kind(called) == Kind::Super {
        (Some(b.expression(Expression::Base, called)), None)
    } else {
        (receiver, Some(b.name(called)))
    };
    let list = field(node, Field::Arguments);
    if receiver.is_none() && is_declaration(b, name.as_deref(), list) {
        return b.expression(Expression::Unknown, node);
    }
    let mut arguments = list.map_or_else(Vec::new, |list| arguments(b, list));
    if let Some(block) = field(node, Field::Block) {
        let value = lambda(b, block, field(block, Field::Parameters));
        arguments.push(Argument { label: None, value });
    }
    let argument = u8::try_from(arguments.len()).unwrap_or(u8::MAX).saturating_sub(1);
    let last = arguments.last().map(|argument| argument.value);
    let value = b.call(receiver, name, arguments, (Some(called), node));
    if let (Some(last), Expression::Call(of)) = (last, &b.file.expressions[value].kind) {
        let of = *of;
        bind_lambda(b, last, of, argument, node);
    }
    value
}

/// Lowers `include`, `attr_accessor` and the like in the body of a type. Returns whether it was one.
fn is_declaration<'t>(b: &mut Builder<'t>, name: Option<&str>, list: Option<Node<'t>>) -> bool {
    let scope = &b.file.scopes[b.scope];
    let (ScopeKind::Type, Some(owner), Some(list)) = (scope.kind, scope.owner, list) else {
        return false;
    };
    let base = match name {
        Some("include") => BaseKind::Mixes,
        Some("prepend") => BaseKind::Prepends,
        Some("attr_accessor" | "attr_reader" | "attr_writer") => {
            for child in
                b.children(list).into_iter().filter(|&child| kind(child) == Kind::SimpleSymbol)
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
    for child in b.children(list) {
        let target = base_of(b, child);
        b.file.definitions[owner].bases.push(Base { kind: base, target, renames: Vec::new() });
    }
    true
}

fn lambda<'t>(b: &mut Builder<'t>, block: Node<'t>, list: Option<Node<'t>>) -> ExpressionId {
    let scope = b.push_scope(ScopeKind::Lambda, None, Builder::range(block));
    let mut names = Vec::new();
    b.within(scope, |b| {
        for parameter in list.map_or_else(Vec::new, |list| parameters(b, list)) {
            b.bind(None, parameter.name.clone(), None, None, block);
            names.push((parameter.name, None));
        }
        let inner = field(block, Field::Body).unwrap_or(block);
        if let Some(value) = body(b, inner) {
            b.file.scopes[scope].results.push(value);
        }
    });
    b.expression(Expression::Lambda { scope, parameters: names, result: None }, block)
}

fn bind_lambda<'t>(
    b: &mut Builder<'t>,
    value: ExpressionId,
    of: UseId,
    argument: u8,
    node: Node<'t>,
) {
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

fn assignment<'t>(b: &mut Builder<'t>, node: Node<'t>) -> ExpressionId {
    let value = match field(node, Field::Right) {
        Some(right) => expression(b, right),
        None => b.expression(Expression::Unknown, node),
    };
    let Some(left) = field(node, Field::Left) else { return value };
    match kind(left) {
        Kind::Identifier | Kind::Constant | Kind::GlobalVariable => {
            let name = b.name(left);
            b.bind(None, name, Some(value), None, node);
        }
        Kind::InstanceVariable | Kind::ClassVariable => {
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
