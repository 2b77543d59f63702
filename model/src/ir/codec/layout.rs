//! The order of a file's parts in its bytes.

use super::coder::{Coder, Lane};
use super::{name, range};
use crate::ir::*;

/// Codes a file.
pub(crate) fn file<C: Coder>(c: &mut C, file: &mut File) {
    name(c, &mut file.path);
    c.option(&mut file.module, blank_name, name);
    arena(c, &mut file.scopes, blank_scope, scope);
    arena(c, &mut file.definitions, blank_definition, definition);
    sparse(c, &mut file.types, blank_type, r#type);
    sparse(c, &mut file.bindings, blank_binding, binding);
    arena(c, &mut file.uses, blank_use, r#use);
    sparse(c, &mut file.expressions, blank_expression, expression);
    c.list(&mut file.imports, blank_import, import);
    c.list(&mut file.exports, blank_export, export);
}

pub(crate) fn blank_name() -> Name {
    "".into()
}

pub(crate) fn id<C: Coder, T>(c: &mut C, value: &mut Id<T>) {
    let mut index = u32::try_from(value.index()).unwrap_or(u32::MAX);
    c.u32(&mut index);
    *value = Id::new(index as usize);
}

/// Codes an id that is near the last one of its lane.
pub(crate) fn near<C: Coder, T>(c: &mut C, lane: Lane, value: &mut Id<T>) {
    let mut index = u32::try_from(value.index()).unwrap_or(u32::MAX);
    c.near(lane, &mut index);
    *value = Id::new(index as usize);
}

pub(crate) fn scope_id<C: Coder>(c: &mut C, value: &mut ScopeId) {
    near(c, Lane::Scope, value);
}

pub(crate) fn value_id<C: Coder>(c: &mut C, value: &mut ExpressionId) {
    near(c, Lane::Value, value);
}

pub(crate) fn zero<T>() -> Id<T> {
    Id::new(0)
}

pub(crate) fn arena<C: Coder, T>(
    c: &mut C,
    arena: &mut Arena<T>,
    blank: impl Fn() -> T,
    element: impl Fn(&mut C, &mut T),
) {
    let mut elements = std::mem::take(arena).into_vec();
    c.list(&mut elements, blank, element);
    *arena = Arena::from_vec(elements);
}

pub(crate) fn ids<C: Coder, T>(c: &mut C, values: &mut Vec<Id<T>>) {
    c.list(values, zero, id);
}

pub(crate) fn blank_scope() -> Scope {
    Scope {
        kind: ScopeKind::Block,
        parent: None,
        owner: None,
        range: Range::default(),
        receivers: Vec::new(),
        condition: None,
        results: Vec::new(),
    }
}

/// Codes a variant of an enum without fields.
macro_rules! variants {
    ($c:expr, $value:expr, $($variant:path),+ $(,)?) => {{
        let all = [$($variant),+];
        let tag = all.iter().position(|one| one == $value).unwrap_or(0);
        let tag = $c.tag(u32::try_from(tag).unwrap_or(0)) as usize;
        match all.get(tag) {
            Some(one) => *$value = *one,
            None => $c.fail("a variant is not known"),
        }
    }};
}

fn scope<C: Coder>(c: &mut C, scope: &mut Scope) {
    use ScopeKind::{Block, File, Function, Lambda, Type};
    variants!(c, &mut scope.kind, File, Type, Function, Lambda, Block);
    c.option(&mut scope.parent, zero, id);
    c.option(&mut scope.owner, zero, id);
    range(c, &mut scope.range);
    ids(c, &mut scope.receivers);
    c.option(&mut scope.condition, || Condition::Opaque(blank_name()), |c, of| condition(c, of, 0));
    ids(c, &mut scope.results);
}

/// How deep conditions are nested at the most.
const DEPTH: usize = 64;

pub(crate) fn condition<C: Coder>(c: &mut C, value: &mut Condition, depth: usize) {
    if depth > DEPTH {
        c.fail("a condition is nested too deep");
        return;
    }
    let tag = match value {
        Condition::Defined(_) => 0,
        Condition::Not(_) => 1,
        Condition::All(_) => 2,
        Condition::Any(_) => 3,
        Condition::Opaque(_) => 4,
    };
    let tag = c.tag(tag);
    if c.reads() {
        *value = match tag {
            0 => Condition::Defined(blank_name()),
            1 => Condition::Not(Box::new(Condition::Opaque(blank_name()))),
            2 => Condition::All(Vec::new()),
            3 => Condition::Any(Vec::new()),
            _ => Condition::Opaque(blank_name()),
        };
    }
    match value {
        Condition::Defined(of) | Condition::Opaque(of) => name(c, of),
        Condition::Not(inner) => condition(c, inner, depth + 1),
        Condition::All(parts) | Condition::Any(parts) => {
            c.list(
                parts,
                || Condition::Opaque(blank_name()),
                |c, part| condition(c, part, depth + 1),
            );
        }
    }
}

pub(crate) fn blank_definition() -> Definition {
    Definition {
        name: blank_name(),
        kind: DefinitionKind::Variable,
        visibility: Visibility::Public,
        scope: zero(),
        body: None,
        range: Range::default(),
        bases: Vec::new(),
        yields: Vec::new(),
        signature: Signature::default(),
    }
}

fn definition<C: Coder>(c: &mut C, value: &mut Definition) {
    use DefinitionKind::{
        Alias, Class, Constructor, Extension, Field, Function, Interface, Macro, Mixin, Namespace,
        Property, TypeParameter, Variable,
    };
    name(c, &mut value.name);
    variants!(
        c,
        &mut value.kind,
        Class,
        Interface,
        Mixin,
        Alias,
        Extension,
        Namespace,
        TypeParameter,
        Function,
        Constructor,
        Field,
        Property,
        Variable,
        Macro,
    );
    variants!(
        c,
        &mut value.visibility,
        Visibility::Public,
        Visibility::Protected,
        Visibility::Private
    );
    scope_id(c, &mut value.scope);
    c.option(&mut value.body, zero, scope_id);
    range(c, &mut value.range);
    let blank =
        || Base { kind: BaseKind::Extends, target: Target::Type(zero()), renames: Vec::new() };
    c.list(&mut value.bases, blank, base);
    c.list(
        &mut value.yields,
        || (Protocol::Index, zero()),
        |c, (of, ty)| {
            protocol(c, of);
            id(c, ty);
        },
    );
    signature(c, &mut value.signature);
}

pub(crate) fn protocol<C: Coder>(c: &mut C, value: &mut Protocol) {
    use Protocol::{Await, Dereference, Index, Iterate, Unwrap};
    variants!(c, value, Index, Iterate, Await, Unwrap, Dereference);
}

pub(crate) fn base<C: Coder>(c: &mut C, value: &mut Base) {
    use BaseKind::{Decorates, Delegates, Embeds, Extends, Implements, Mixes, Prepends};
    variants!(
        c,
        &mut value.kind,
        Extends,
        Implements,
        Mixes,
        Prepends,
        Embeds,
        Delegates,
        Decorates
    );
    let is_value = c.tag(u32::from(matches!(value.target, Target::Value(_)))) != 0;
    if c.reads() {
        value.target = if is_value { Target::Value(zero()) } else { Target::Type(zero()) };
    }
    match &mut value.target {
        Target::Type(of) => id(c, of),
        Target::Value(of) => id(c, of),
    }
    c.list(
        &mut value.renames,
        || (blank_name(), None),
        |c, (from, to)| {
            name(c, from);
            c.option(to, blank_name, name);
        },
    );
}

fn signature<C: Coder>(c: &mut C, value: &mut Signature) {
    // Most signatures lack most parts: one number says which are there.
    let parts = [
        !value.generics.is_empty(),
        value.receiver.is_some(),
        value.parameters.is_some(),
        value.result.is_some(),
        value.predicate.is_some(),
        value.effects.is_async,
        value.effects.is_generator,
        value.is_declaration,
    ];
    let packed = parts.iter().rev().fold(0, |packed, part| packed << 1 | u32::from(*part));
    let packed = c.tag(packed);
    let has = |at: u32| packed >> at & 1 == 1;
    if c.reads() {
        value.receiver = has(1).then(zero);
        value.parameters = has(2).then(Vec::new);
        value.result = has(3).then(zero);
        value.predicate = has(4).then(|| Predicate { parameter: blank_name(), r#type: zero() });
        value.effects = Effects { is_async: has(5), is_generator: has(6) };
        value.is_declaration = has(7);
    }
    if has(0) {
        ids(c, &mut value.generics);
    }
    if let Some(receiver) = &mut value.receiver {
        id(c, receiver);
    }
    if let Some(parameters) = &mut value.parameters {
        c.list(parameters, blank_parameter, parameter);
    }
    if let Some(result) = &mut value.result {
        id(c, result);
    }
    if let Some(predicate) = &mut value.predicate {
        name(c, &mut predicate.parameter);
        id(c, &mut predicate.r#type);
    }
}

pub(crate) fn blank_parameter() -> Parameter {
    Parameter {
        name: blank_name(),
        label: None,
        r#type: None,
        has_default: false,
        is_variadic: false,
    }
}

fn parameter<C: Coder>(c: &mut C, value: &mut Parameter) {
    name(c, &mut value.name);
    let flags =
        [value.label.is_some(), value.r#type.is_some(), value.has_default, value.is_variadic];
    let packed = c.tag(flags.iter().rev().fold(0, |packed, flag| packed << 1 | u32::from(*flag)));
    if c.reads() {
        value.label = (packed & 1 == 1).then(blank_name);
        value.r#type = (packed >> 1 & 1 == 1).then(zero);
        value.has_default = packed >> 2 & 1 == 1;
        value.is_variadic = packed >> 3 & 1 == 1;
    }
    if let Some(label) = &mut value.label {
        name(c, label);
    }
    if let Some(of) = &mut value.r#type {
        id(c, of);
    }
}

pub(crate) fn blank_type() -> TypeNode {
    TypeNode { kind: Type::Unknown, qualifiers: Qualifiers::default() }
}

pub(crate) fn r#type<C: Coder>(c: &mut C, value: &mut TypeNode) {
    let q = &mut value.qualifiers;
    let qualifiers =
        u32::from(q.constant) | u32::from(q.nullable) << 1 | u32::from(q.reference) << 2;
    let kind = match &value.kind {
        Type::Named { .. } => 0,
        Type::Parameter(_) => 1,
        Type::Function { .. } => 2,
        Type::Tuple(_) => 3,
        Type::Record(_) => 4,
        Type::OneOf(_) => 5,
        Type::AllOf(_) => 6,
        Type::Projection { .. } => 7,
        Type::TypeOf(_) => 8,
        Type::Own => 9,
        Type::Literal(_) => 10,
        Type::Opaque(_) => 11,
        Type::Unknown => 12,
    };
    let tag = c.tag(kind << 3 | qualifiers);
    if c.reads() {
        *q = Qualifiers { constant: tag & 1 == 1, nullable: tag & 2 == 2, reference: tag & 4 == 4 };
        value.kind = match tag >> 3 {
            0 => Type::Named { path: Vec::new(), arguments: Vec::new() },
            1 => Type::Parameter(zero()),
            2 => Type::Function { receiver: None, parameters: Vec::new(), result: zero() },
            3 => Type::Tuple(Vec::new()),
            4 => Type::Record(Vec::new()),
            5 => Type::OneOf(Vec::new()),
            6 => Type::AllOf(Vec::new()),
            7 => Type::Projection { of: zero(), member: blank_name() },
            8 => Type::TypeOf(zero()),
            9 => Type::Own,
            10 => Type::Literal(Literal::Null),
            11 => Type::Opaque(blank_name()),
            _ => Type::Unknown,
        };
    }
    match &mut value.kind {
        Type::Named { path, arguments } => {
            c.list(path, blank_name, name);
            ids(c, arguments);
        }
        Type::Parameter(of) => id(c, of),
        Type::Function { receiver, parameters, result } => {
            c.option(receiver, zero, id);
            ids(c, parameters);
            id(c, result);
        }
        Type::Tuple(types) | Type::OneOf(types) | Type::AllOf(types) => ids(c, types),
        Type::Record(fields) => c.list(
            fields,
            || (blank_name(), zero()),
            |c, (field, of)| {
                name(c, field);
                id(c, of);
            },
        ),
        Type::Projection { of, member } => {
            id(c, of);
            name(c, member);
        }
        Type::TypeOf(of) => id(c, of),
        Type::Literal(of) => literal(c, of),
        Type::Opaque(reason) => name(c, reason),
        Type::Own | Type::Unknown => {}
    }
}

pub(crate) fn literal<C: Coder>(c: &mut C, value: &mut Literal) {
    let tag = match value {
        Literal::String(_) => 0,
        Literal::Integer => 1,
        Literal::Float => 2,
        Literal::Boolean => 3,
        Literal::Null => 4,
    };
    let tag = c.tag(tag);
    if c.reads() {
        *value = match tag {
            0 => Literal::String(blank_name()),
            1 => Literal::Integer,
            2 => Literal::Float,
            3 => Literal::Boolean,
            _ => Literal::Null,
        };
    }
    if let Literal::String(text) = value {
        name(c, text);
    }
}

pub(crate) fn blank_binding() -> Binding {
    Binding {
        of: None,
        name: blank_name(),
        scope: zero(),
        range: Range::default(),
        value: None,
        r#type: None,
    }
}

fn binding<C: Coder>(c: &mut C, value: &mut Binding) {
    c.option(&mut value.of, zero, value_id);
    name(c, &mut value.name);
    scope_id(c, &mut value.scope);
    range(c, &mut value.range);
    c.option(&mut value.value, zero, value_id);
    c.option(&mut value.r#type, zero, id);
}

pub(crate) fn blank_use() -> Use {
    Use {
        role: Role::Call,
        name: None,
        scope: zero(),
        receiver: None,
        r#type: None,
        arguments: Vec::new(),
        type_arguments: Vec::new(),
        range: Range::default(),
    }
}

fn r#use<C: Coder>(c: &mut C, value: &mut Use) {
    variants!(c, &mut value.role, Role::Call, Role::Construct, Role::Read);
    c.option(&mut value.name, blank_name, name);
    scope_id(c, &mut value.scope);
    c.option(&mut value.receiver, zero, value_id);
    c.option(&mut value.r#type, zero, id);
    c.list(
        &mut value.arguments,
        || Argument { label: None, value: zero() },
        |c, argument| {
            c.option(&mut argument.label, blank_name, name);
            value_id(c, &mut argument.value);
        },
    );
    ids(c, &mut value.type_arguments);
    range(c, &mut value.range);
}

/// The longest arena that is read: more than a file of the longest text has.
const ELEMENTS_MAX: u32 = 1 << 26;

/// Codes the elements that are kept, in runs: how many are not, and how many are.
fn sparse<C: Coder, T: PartialEq>(
    c: &mut C,
    arena: &mut Arena<T>,
    blank: impl Fn() -> T,
    element: impl Fn(&mut C, &mut T),
) {
    let mut elements = std::mem::take(arena).into_vec();
    let mut length = u32::try_from(elements.len()).unwrap_or(u32::MAX);
    c.u32(&mut length);
    if c.reads() && length > ELEMENTS_MAX {
        c.fail("a list is too long");
        return;
    }
    let none = blank();
    let mut at = 0;
    let mut keeps = false;
    while at < length as usize {
        let rest = elements.get(at..).unwrap_or_default();
        let run = rest.iter().take_while(|element| (**element != none) == keeps).count();
        let run = c.tag(u32::try_from(run).unwrap_or(u32::MAX)) as usize;
        if c.reads() {
            let is_too_long = run > length as usize - at || (keeps && run > c.left());
            if is_too_long || (run == 0 && (at > 0 || keeps)) {
                c.fail("a run is longer than its list");
                return;
            }
            elements.extend(std::iter::repeat_with(&blank).take(run));
        }
        if keeps {
            elements[at..at + run].iter_mut().for_each(|one| element(c, one));
        }
        at += run;
        keeps = !keeps;
    }
    *arena = Arena::from_vec(elements);
}

pub(crate) fn blank_expression() -> ExpressionNode {
    ExpressionNode { kind: Expression::Unknown, scope: zero(), range: Range::default() }
}

fn expression<C: Coder>(c: &mut C, node: &mut ExpressionNode) {
    let has_range = node.range != Range::default();
    let tag = c.tag(value_tag(&node.kind) << 1 | u32::from(has_range));
    let (tag, has_range) = (tag >> 1, tag & 1 == 1);
    if c.reads() {
        node.kind = blank_value(tag);
    }
    scope_id(c, &mut node.scope);
    if has_range {
        range(c, &mut node.range);
    }
    value_parts(c, &mut node.kind);
}

/// Returns the number of a variant, below 16.
pub(crate) fn value_tag(kind: &Expression) -> u32 {
    match kind {
        Expression::Name { is_type: false, .. } => 0,
        Expression::Name { is_type: true, .. } => 1,
        Expression::Own => 2,
        Expression::Base => 3,
        Expression::Member { .. } => 4,
        Expression::Call(_) => 5,
        Expression::Yield { .. } => 6,
        Expression::Cast { .. } => 7,
        Expression::OneOf(_) => 8,
        Expression::Lambda { .. } => 9,
        Expression::Record { .. } => 10,
        Expression::Parameter { .. } => 11,
        Expression::Literal(_) => 12,
        Expression::Opaque(_) => 13,
        Expression::Unknown => 14,
        Expression::Narrowed { .. } => 15,
    }
}

/// Returns the variant with this number.
pub(crate) fn blank_value(tag: u32) -> Expression {
    match tag {
        0 | 1 => Expression::Name { name: blank_name(), is_type: tag == 1 },
        2 => Expression::Own,
        3 => Expression::Base,
        4 => Expression::Member { of: zero(), name: blank_name() },
        5 => Expression::Call(zero()),
        6 => Expression::Yield { of: zero(), protocol: Protocol::Index },
        7 => Expression::Cast { of: zero(), r#type: zero() },
        8 => Expression::OneOf(Vec::new()),
        9 => Expression::Lambda { scope: zero(), parameters: Vec::new(), result: None },
        10 => Expression::Record { r#type: None, fields: Vec::new() },
        11 => Expression::Parameter { of: zero(), argument: 0, position: None },
        12 => Expression::Literal(Literal::Null),
        13 => Expression::Opaque(blank_name()),
        15 => Expression::Narrowed { of: zero(), by: Narrowing::Not(zero()) },
        _ => Expression::Unknown,
    }
}

/// Codes what a value consists of.
pub(crate) fn value_parts<C: Coder>(c: &mut C, kind: &mut Expression) {
    match kind {
        Expression::Name { name: of, .. } => name(c, of),
        Expression::Member { of, name: member } => {
            value_id(c, of);
            name(c, member);
        }
        Expression::Call(of) => id(c, of),
        Expression::Yield { of, protocol: by } => {
            value_id(c, of);
            protocol(c, by);
        }
        Expression::Cast { of, r#type } => {
            value_id(c, of);
            id(c, r#type);
        }
        Expression::OneOf(values) => c.list(values, zero, value_id),
        Expression::Lambda { scope, parameters, result } => {
            id(c, scope);
            c.list(
                parameters,
                || (blank_name(), None),
                |c, (parameter, of)| {
                    name(c, parameter);
                    c.option(of, zero, id);
                },
            );
            c.option(result, zero, id);
        }
        Expression::Record { r#type, fields } => {
            c.option(r#type, zero, id);
            c.list(
                fields,
                || (blank_name(), zero()),
                |c, (field, value)| {
                    name(c, field);
                    value_id(c, value);
                },
            );
        }
        Expression::Parameter { of, argument, position } => {
            id(c, of);
            *argument = u8::try_from(c.tag(u32::from(*argument))).unwrap_or(u8::MAX);
            c.option(
                position,
                || 0,
                |c, at| *at = u8::try_from(c.tag(u32::from(*at))).unwrap_or(u8::MAX),
            );
        }
        Expression::Literal(of) => literal(c, of),
        Expression::Opaque(reason) => name(c, reason),
        Expression::Narrowed { of, by } => {
            id(c, of);
            narrowing(c, by);
        }
        Expression::Own | Expression::Base | Expression::Unknown => {}
    }
}

pub(crate) fn narrowing<C: Coder>(c: &mut C, value: &mut Narrowing) {
    let tag = match value {
        Narrowing::Not(_) => 0,
        Narrowing::Member(..) => 1,
        Narrowing::Predicate(_, false) => 2,
        Narrowing::Predicate(_, true) => 3,
    };
    let tag = c.tag(tag);
    if c.reads() {
        *value = match tag {
            1 => Narrowing::Member(blank_name(), Literal::Null),
            2 | 3 => Narrowing::Predicate(zero(), tag == 3),
            _ => Narrowing::Not(zero()),
        };
    }
    match value {
        Narrowing::Not(of) => id(c, of),
        Narrowing::Member(member, of) => {
            name(c, member);
            literal(c, of);
        }
        Narrowing::Predicate(of, _) => id(c, of),
    }
}

pub(crate) fn blank_import() -> Import {
    Import { module: blank_name(), imported: Imported::All, scope: zero(), range: Range::default() }
}

pub(crate) fn import<C: Coder>(c: &mut C, value: &mut Import) {
    name(c, &mut value.module);
    imported(c, &mut value.imported);
    scope_id(c, &mut value.scope);
    range(c, &mut value.range);
}

fn imported<C: Coder>(c: &mut C, value: &mut Imported) {
    let tag = match value {
        Imported::Module(_) => 0,
        Imported::Names(_) => 1,
        Imported::All => 2,
    };
    let tag = c.tag(tag);
    if c.reads() {
        *value = match tag {
            0 => Imported::Module(blank_name()),
            1 => Imported::Names(Vec::new()),
            _ => Imported::All,
        };
    }
    match value {
        Imported::Module(alias) => name(c, alias),
        Imported::Names(names) => c.list(
            names,
            || (blank_name(), blank_name()),
            |c, (from, to)| {
                name(c, from);
                name(c, to);
            },
        ),
        Imported::All => {}
    }
}

pub(crate) fn blank_export() -> Export {
    Export { module: None, exported: Imported::All, range: Range::default() }
}

pub(crate) fn export<C: Coder>(c: &mut C, value: &mut Export) {
    c.option(&mut value.module, blank_name, name);
    imported(c, &mut value.exported);
    range(c, &mut value.range);
}
