//! Bindings, uses and values.

use super::{is_same_scope, same_scope};
use crate::ir::codec::coder::{Coder, Lane};
use crate::ir::codec::layout::{
    blank_name, blank_value, id, ids, protocol, scope_id, value_id, value_parts, value_tag, zero,
};
use crate::ir::codec::{SHAPES, name};
use crate::ir::*;

/// Codes a position that has no end.
fn start<C: Coder>(c: &mut C, of: &mut Range) {
    c.near(Lane::Position, &mut of.start);
    of.end = of.start;
}

/// Codes a value that may be missing or not stored.
const UNKNOWN: usize = 0;

pub(super) fn binding<C: Coder>(c: &mut C, of: &mut Binding) {
    let value = match of.value {
        None => 0,
        Some(value) if value.index() == UNKNOWN => 1,
        Some(_) => 2,
    };
    let head = c.tag(
        u32::from(of.of.is_some())
            | value << 1
            | u32::from(of.r#type.is_some()) << 3
            | u32::from(is_same_scope(c, of.scope)) << 4,
    );
    if c.reads() {
        of.of = (head & 1 == 1).then(zero);
        of.value = (head >> 1 & 3 != 0).then(|| Id::new(UNKNOWN));
        of.r#type = (head >> 3 & 1 == 1).then(zero);
        of.scope = same_scope(c);
    }
    if head >> 4 & 1 == 0 {
        scope_id(c, &mut of.scope);
    }
    name(c, &mut of.name);
    start(c, &mut of.range);
    if let Some(of) = &mut of.of {
        value_id(c, of);
    }
    if let (2, Some(value)) = (head >> 1 & 3, &mut of.value) {
        value_id(c, value);
    }
    if let Some(ty) = &mut of.r#type {
        id(c, ty);
    }
}

const ROLES: [Role; 3] = [Role::Call, Role::Construct, Role::Read];

pub(super) fn r#use<C: Coder>(c: &mut C, of: &mut Use) {
    let role = ROLES.iter().position(|role| *role == of.role).unwrap_or(0);
    let has_labels = of.arguments.iter().any(|argument| argument.label.is_some());
    let has_values = of.arguments.iter().any(|argument| argument.value.index() != UNKNOWN);
    let has_rest = of.r#type.is_some() || !of.type_arguments.is_empty() || has_labels || role > 0;
    let head = c.tag(
        u32::from(of.name.is_some())
            | u32::from(of.receiver.is_some()) << 1
            | u32::from(is_same_scope(c, of.scope)) << 2
            | u32::from(!of.arguments.is_empty()) << 3
            | u32::from(has_values) << 4
            | u32::from(has_rest) << 5,
    );
    let has = |at: u32| head >> at & 1 == 1;
    let rest = if has(5) {
        let role = u32::try_from(role).unwrap_or(0);
        c.tag(
            role | u32::from(of.r#type.is_some()) << 2
                | u32::from(!of.type_arguments.is_empty()) << 3
                | u32::from(has_labels) << 4,
        )
    } else {
        0
    };
    if c.reads() {
        of.name = has(0).then(blank_name);
        of.receiver = has(1).then(zero);
        of.scope = same_scope(c);
        of.r#type = (rest >> 2 & 1 == 1).then(zero);
        match ROLES.get((rest & 3) as usize) {
            Some(role) => of.role = *role,
            None => c.fail("a variant is not known"),
        }
    }
    if !has(2) {
        scope_id(c, &mut of.scope);
    }
    if let Some(of) = &mut of.name {
        name(c, of);
    }
    start(c, &mut of.range);
    if let Some(receiver) = &mut of.receiver {
        value_id(c, receiver);
    }
    if has(3) {
        arguments(c, &mut of.arguments, has(4), rest >> 4 & 1 == 1);
    }
    if let Some(ty) = &mut of.r#type {
        id(c, ty);
    }
    if rest >> 3 & 1 == 1 {
        ids(c, &mut of.type_arguments);
    }
}

/// The longest list of arguments without values that is read.
const ARGUMENTS_MAX: u32 = 1 << 16;

fn arguments<C: Coder>(
    c: &mut C,
    arguments: &mut Vec<Argument>,
    has_values: bool,
    has_labels: bool,
) {
    let mut count = u32::try_from(arguments.len()).unwrap_or(u32::MAX);
    c.u32(&mut count);
    if c.reads() {
        if count > ARGUMENTS_MAX || (has_values && count as usize > c.left()) {
            c.fail("a list is longer than the bytes");
            return;
        }
        arguments.clear();
        let blank = || Argument { label: None, value: Id::new(UNKNOWN) };
        arguments.resize_with(count as usize, blank);
    }
    for argument in arguments {
        if has_labels {
            c.option(&mut argument.label, blank_name, name);
        }
        if has_values {
            shape_or_value(c, &mut argument.value);
        }
    }
}

/// Codes a value that is mostly one of the first of the slice.
fn shape_or_value<C: Coder>(c: &mut C, of: &mut ExpressionId) {
    let shapes = u32::try_from(SHAPES).unwrap_or(0);
    let index = u32::try_from(of.index()).unwrap_or(u32::MAX);
    let last = c.get(Lane::Value);
    let difference = index.wrapping_sub(last).cast_signed();
    let coded = if index < shapes {
        index
    } else {
        ((difference << 1) ^ (difference >> 31)).cast_unsigned().wrapping_add(shapes)
    };
    let coded = c.tag(coded);
    let index = if coded < shapes {
        coded
    } else {
        let coded = coded - shapes;
        let difference = (coded >> 1) ^ (coded & 1).wrapping_neg();
        let index = last.wrapping_add(difference);
        c.set(Lane::Value, index);
        index
    };
    *of = Id::new(index as usize);
}

pub(super) fn value<C: Coder>(c: &mut C, node: &mut ExpressionNode, at: usize) {
    let child = match &node.kind {
        Expression::Member { of, .. } | Expression::Yield { of, .. } => of.index() + 1 == at,
        _ => false,
    };
    let has_place = node.range != Range::default();
    let head = c.tag(
        value_tag(&node.kind)
            | u32::from(is_same_scope(c, node.scope)) << 4
            | u32::from(has_place) << 5
            | u32::from(child) << 6,
    );
    let child = head >> 6 & 1 == 1;
    if c.reads() {
        node.kind = blank_value(head & 15);
        node.scope = same_scope(c);
    }
    if head >> 4 & 1 == 0 {
        scope_id(c, &mut node.scope);
    }
    if head >> 5 & 1 == 1 {
        start(c, &mut node.range);
    }
    match &mut node.kind {
        Expression::Member { of, name: member } if child => {
            *of = Id::new(at.saturating_sub(1));
            name(c, member);
        }
        Expression::Yield { of, protocol: by } if child => {
            *of = Id::new(at.saturating_sub(1));
            protocol(c, by);
        }
        kind => {
            c.set(Lane::Value, u32::try_from(at).unwrap_or(u32::MAX));
            value_parts(c, kind);
        }
    }
}
