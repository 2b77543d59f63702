//! Definitions, scopes, types, and where bodies are.

use super::values::{binding, r#use, value};
use super::{each, is_same_scope, same_scope};
use crate::ir::codec::coder::{Coder, Lane};
use crate::ir::codec::layout::{
    base, blank_binding, blank_definition, blank_export, blank_expression, blank_import,
    blank_name, blank_parameter, blank_scope, blank_type, blank_use, condition, export, id, ids,
    import, protocol, scope_id, r#type, value_id, zero,
};
use crate::ir::codec::{SHAPES, name, range, shapes};
use crate::ir::*;
use crate::store::parts::{Header, Place};

/// How a definition's body is found.
const NO_BODY: u32 = 0;
const IN_PLACES: u32 = 1;
const BY_OWNER: u32 = 2;
const STATED: u32 = 3;

pub(super) fn header<C: Coder>(c: &mut C, header: &mut Header) {
    let Header { file, bodies } = header;
    c.option(&mut file.module, blank_name, name);
    let mut found = body_kinds(file, bodies);
    let mut definitions = std::mem::take(&mut file.definitions);
    each(c, &mut definitions, blank_definition, |c, at, of| {
        if c.reads() {
            found.push(NO_BODY);
        }
        definition(c, of, &mut found[at]);
    });
    let ranges: Vec<Range> = definitions.iter().map(|(_, of)| of.range).collect();
    let range_of = |id: DefinitionId| ranges.get(id.index()).copied().unwrap_or_default();
    file.definitions = definitions;
    c.set(Lane::Position, 0);
    c.set(Lane::Scope, 0);
    each(c, &mut file.scopes, blank_scope, |c, _, of| scope(c, of, range_of));
    each(c, &mut file.types, blank_type, one_type);
    c.set(Lane::Position, 0);
    c.set(Lane::Scope, 0);
    each(c, &mut file.bindings, blank_binding, |c, _, of| binding(c, of));
    c.set(Lane::Position, 0);
    c.set(Lane::Scope, 0);
    each(c, &mut file.uses, blank_use, |c, _, of| r#use(c, of));
    c.set(Lane::Position, 0);
    c.set(Lane::Scope, 0);
    values(c, file);
    c.list(&mut file.imports, blank_import, import);
    c.list(&mut file.exports, blank_export, export);
    if c.reads() {
        bodies.clear();
        let indices = (0..).zip(&found).filter(|(_, kind)| **kind == IN_PLACES);
        bodies.extend(indices.map(|(definition, _)| Place { definition, ..Place::default() }));
    }
    places(c, file, bodies);
    if c.reads() {
        set_bodies(file, bodies, &found);
    }
}

fn body_kinds(file: &File, bodies: &[Place]) -> Vec<u32> {
    let mut kinds: Vec<u32> = file
        .definitions
        .iter()
        .map(|(_, of)| if of.body.is_some() { STATED } else { NO_BODY })
        .collect();
    for (id, scope) in file.scopes.iter() {
        if let Some(owner) = scope.owner {
            let is_it = file.definitions[owner].body == Some(id);
            kinds[owner.index()] = match (is_it, file.definitions[owner].body) {
                (true, _) => BY_OWNER,
                (false, Some(_)) => STATED,
                (false, None) => NO_BODY,
            };
        }
    }
    bodies.iter().for_each(|place| kinds[place.definition as usize] = IN_PLACES);
    kinds
}

/// Sets the bodies that are not stated: of those that own a scope, and of those in places.
fn set_bodies(file: &mut File, places: &[Place], kinds: &[u32]) {
    for (id, scope) in file.scopes.iter() {
        if let Some(owner) = scope.owner
            && kinds.get(owner.index()) == Some(&BY_OWNER)
        {
            file.definitions[owner].body = Some(id);
        }
    }
    for place in places {
        let body = Id::new(place.scopes.0 as usize);
        file.definitions[Id::new(place.definition as usize)].body = Some(body);
    }
}

const KINDS: [DefinitionKind; 13] = [
    DefinitionKind::Class,
    DefinitionKind::Interface,
    DefinitionKind::Mixin,
    DefinitionKind::Alias,
    DefinitionKind::Extension,
    DefinitionKind::Namespace,
    DefinitionKind::TypeParameter,
    DefinitionKind::Function,
    DefinitionKind::Constructor,
    DefinitionKind::Field,
    DefinitionKind::Property,
    DefinitionKind::Variable,
    DefinitionKind::Macro,
];

const VISIBILITIES: [Visibility; 3] =
    [Visibility::Public, Visibility::Protected, Visibility::Private];

/// Returns the position of a variant, as a number.
fn position<T: PartialEq>(all: &[T], one: &T) -> u32 {
    all.iter().position(|other| other == one).and_then(|at| u32::try_from(at).ok()).unwrap_or(0)
}

fn definition<C: Coder>(c: &mut C, of: &mut Definition, body: &mut u32) {
    let signature = &of.signature;
    let has_rest = !of.bases.is_empty()
        || !of.yields.is_empty()
        || !signature.generics.is_empty()
        || signature.receiver.is_some()
        || signature.predicate.is_some()
        || signature.effects != Effects::default();
    let parts = *body
        | u32::from(signature.parameters.is_some()) << 2
        | u32::from(signature.result.is_some()) << 3
        | u32::from(signature.is_declaration) << 4
        | u32::from(has_rest) << 5;
    let form = match (is_same_scope(c, of.scope), parts) {
        (true, 0) => 0,
        (true, _) => 1,
        (false, _) => 2,
    };
    let kind = position(&KINDS, &of.kind) * 3 + position(&VISIBILITIES, &of.visibility);
    let head = c.tag(kind * 3 + form);
    let form = head % 3;
    let parts = if form == 0 { 0 } else { c.tag(parts) };
    if c.reads() {
        match KINDS.get((head / 9) as usize) {
            Some(kind) => of.kind = *kind,
            None => c.fail("a variant is not known"),
        }
        of.visibility = VISIBILITIES[(head / 3 % 3) as usize];
        of.scope = same_scope(c);
        of.signature.parameters = (parts >> 2 & 1 == 1).then(Vec::new);
        of.signature.result = (parts >> 3 & 1 == 1).then(zero);
        of.signature.is_declaration = parts >> 4 & 1 == 1;
        *body = parts & 3;
    }
    if form == 2 {
        scope_id(c, &mut of.scope);
    }
    c.near_name(&mut of.name);
    range(c, &mut of.range);
    // What comes next lies behind this, or in it.
    let encloses = matches!(*body, BY_OWNER | STATED);
    c.set(Lane::Position, if encloses { of.range.start } else { of.range.end });
    if *body == STATED {
        let mut scope = of.body.unwrap_or(zero());
        id(c, &mut scope);
        of.body = Some(scope);
    }
    if let Some(parameters) = &mut of.signature.parameters {
        c.list(parameters, blank_parameter, parameter);
    }
    if let Some(result) = &mut of.signature.result {
        id(c, result);
    }
    if parts >> 5 & 1 == 1 {
        rest(c, of);
    }
}

/// The parts that few definitions have.
fn rest<C: Coder>(c: &mut C, of: &mut Definition) {
    let blank =
        || Base { kind: BaseKind::Extends, target: Target::Type(zero()), renames: Vec::new() };
    c.list(&mut of.bases, blank, base);
    c.list(
        &mut of.yields,
        || (Protocol::Index, zero()),
        |c, (by, of)| {
            protocol(c, by);
            id(c, of);
        },
    );
    let signature = &mut of.signature;
    ids(c, &mut signature.generics);
    c.option(&mut signature.receiver, zero, id);
    let blank = || Predicate { parameter: blank_name(), r#type: zero() };
    c.option(&mut signature.predicate, blank, |c, of| {
        name(c, &mut of.parameter);
        id(c, &mut of.r#type);
    });
    let effects = &mut signature.effects;
    let packed = c.tag(u32::from(effects.is_async) | u32::from(effects.is_generator) << 1);
    *effects = Effects { is_async: packed & 1 == 1, is_generator: packed & 2 == 2 };
}

fn parameter<C: Coder>(c: &mut C, of: &mut Parameter) {
    name(c, &mut of.name);
    let ty = of.r#type.and_then(|id| u32::try_from(id.index() + 1).ok()).unwrap_or(0);
    let flags = u32::from(of.label.is_some())
        | u32::from(of.has_default) << 1
        | u32::from(of.is_variadic) << 2;
    let packed = c.tag(ty << 3 | flags);
    if c.reads() {
        of.r#type = ((packed >> 3) as usize).checked_sub(1).map(Id::new);
        of.label = (packed & 1 == 1).then(blank_name);
        of.has_default = packed & 2 == 2;
        of.is_variadic = packed & 4 == 4;
    }
    if let Some(label) = &mut of.label {
        name(c, label);
    }
}

/// A named type of one name without arguments, or with one.
const PLAIN: u32 = 13;
const OF_ONE: u32 = 14;
const OTHER: u32 = 15;

fn one_type<C: Coder>(c: &mut C, at: usize, of: &mut TypeNode) {
    let form = match &of.kind {
        Type::Named { path, arguments } if path.len() == 1 => match arguments.len() {
            0 => PLAIN,
            1 => OF_ONE,
            _ => OTHER,
        },
        _ => OTHER,
    };
    let is_plain = of.qualifiers == Qualifiers::default();
    let form = c.tag(if is_plain { form } else { OTHER });
    match form {
        PLAIN | OF_ONE => {
            if c.reads() {
                let arguments = if form == OF_ONE { vec![zero()] } else { Vec::new() };
                of.kind = Type::Named { path: vec![blank_name()], arguments };
            }
            if let Type::Named { path, arguments } = &mut of.kind {
                path.iter_mut().for_each(|part| name(c, part));
                for argument in arguments {
                    c.set(Lane::Value, u32::try_from(at).unwrap_or(u32::MAX));
                    value_like(c, argument);
                }
            }
        }
        OTHER => r#type(c, of),
        _ => c.fail("a variant is not known"),
    }
}

fn value_like<C: Coder, T>(c: &mut C, of: &mut Id<T>) {
    let mut value: ExpressionId = Id::new(of.index());
    value_id(c, &mut value);
    *of = Id::new(value.index());
}

/// Returns the scope that a body has if nothing else is stated.
pub(in crate::store) fn root(owner: DefinitionId, definition: &Definition) -> Scope {
    Scope {
        kind: ScopeKind::Function,
        parent: Some(definition.scope),
        owner: Some(owner),
        range: definition.range,
        receivers: Vec::new(),
        condition: None,
        results: Vec::new(),
    }
}

const SCOPES: [ScopeKind; 5] =
    [ScopeKind::File, ScopeKind::Type, ScopeKind::Function, ScopeKind::Lambda, ScopeKind::Block];

/// Codes a scope; `range_of` gives the range of its owner.
pub(super) fn scope<C: Coder>(c: &mut C, of: &mut Scope, range_of: impl Fn(DefinitionId) -> Range) {
    let place = match of.owner {
        Some(owner) if range_of(owner) == of.range => 1,
        _ if of.range == Range::default() => 0,
        _ => 2,
    };
    let has_more = of.condition.is_some() || !of.receivers.is_empty() || !of.results.is_empty();
    let head = c.tag(
        position(&SCOPES, &of.kind)
            | u32::from(of.parent.is_some()) << 3
            | u32::from(of.owner.is_some()) << 4
            | place << 5
            | u32::from(has_more) << 7,
    );
    if c.reads() {
        match SCOPES.get((head & 7) as usize) {
            Some(kind) => of.kind = *kind,
            None => c.fail("a variant is not known"),
        }
        of.parent = (head >> 3 & 1 == 1).then(zero);
        of.owner = (head >> 4 & 1 == 1).then(zero);
    }
    if let Some(parent) = &mut of.parent {
        scope_id(c, parent);
    }
    if let Some(owner) = &mut of.owner {
        id(c, owner);
    }
    match (head >> 5 & 3, of.owner) {
        (0, _) => of.range = Range::default(),
        (1, Some(owner)) => of.range = range_of(owner),
        _ => range(c, &mut of.range),
    }
    if head >> 7 & 1 == 1 {
        c.option(
            &mut of.condition,
            || Condition::Opaque(blank_name()),
            |c, of| condition(c, of, 0),
        );
        c.list(&mut of.receivers, zero, value_id);
        c.list(&mut of.results, zero, value_id);
    }
}

/// Codes the values outside of bodies, without those at the start of every slice.
fn values<C: Coder>(c: &mut C, file: &mut File) {
    let mut outside = std::mem::take(&mut file.expressions).into_vec();
    let mut stored = Arena::from_vec(outside.split_off(outside.len().min(SHAPES)));
    each(c, &mut stored, blank_expression, |c, at, of| value(c, of, SHAPES + at));
    let mut all = shapes();
    all.extend(stored.into_vec());
    file.expressions = Arena::from_vec(all);
}

/// Codes where the bodies are.
fn places<C: Coder>(c: &mut C, file: &File, places: &mut [Place]) {
    let count = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
    let mut next = Place {
        scopes: (count(file.scopes.len()), 0),
        bindings: (count(file.bindings.len()), 0),
        values: (count(file.expressions.len()), 0),
        ..Place::default()
    };
    for place in places {
        let mut more = place.scopes.1.wrapping_sub(1);
        let mut gap = place.uses.0.wrapping_sub(next.uses.0);
        let flags = u32::from(more > 0)
            | u32::from(place.bindings.1 > 0) << 1
            | u32::from(place.uses.1 > 0) << 2
            | u32::from(place.values.1 > 0) << 3
            | u32::from(place.has_root) << 4
            | u32::from(gap > 0) << 5;
        let flags = c.tag(flags);
        place.has_root = flags >> 4 & 1 == 1;
        let numbers = [&mut more, &mut place.bindings.1, &mut place.uses.1, &mut place.values.1];
        for (at, number) in numbers.into_iter().enumerate() {
            optional(c, flags >> at & 1 == 1, number);
        }
        optional(c, flags >> 5 & 1 == 1, &mut gap);
        optional(c, flags & 0b1_1111 != 0, &mut place.bytes.1);
        place.scopes.1 = more.wrapping_add(1);
        let sums = [
            (&mut next.scopes.0, &mut place.scopes),
            (&mut next.bindings.0, &mut place.bindings),
            (&mut next.values.0, &mut place.values),
            (&mut next.bytes.0, &mut place.bytes),
        ];
        for (sum, (first, count)) in sums {
            *first = *sum;
            *sum = sum.saturating_add(*count);
        }
        place.uses.0 = next.uses.0.saturating_add(gap);
        next.uses.0 = place.uses.0.saturating_add(place.uses.1);
        if next.scopes.0.max(next.bindings.0).max(next.values.0).max(next.uses.0)
            > super::ELEMENTS_MAX
        {
            c.fail("a list is too long");
            return;
        }
    }
}

fn optional<C: Coder>(c: &mut C, is_there: bool, number: &mut u32) {
    if is_there {
        c.u32(number);
    } else {
        *number = 0;
    }
}
