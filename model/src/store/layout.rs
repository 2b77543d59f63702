//! The order of a header's and a body's parts in their bytes. One number says which parts an
//! element has; numbers that are near to the last one of their kind are coded as differences.

mod header;
mod values;

use super::parts::{Body, Header};
use crate::ir::codec::coder::{Coder, Lane};
use crate::ir::codec::layout::{blank_binding, blank_expression, blank_scope, blank_use};
use crate::ir::*;
pub(super) use header::root;

/// The longest run of elements that is read: more than a file of the longest text has.
const ELEMENTS_MAX: u32 = 1 << 26;

/// Codes a header.
pub(super) fn header<C: Coder>(c: &mut C, of: &mut Header) {
    header::header(c, of);
}

/// Codes the body of `definition`. Its place is already known.
pub(super) fn body<C: Coder>(c: &mut C, body: &mut Body, definition: &Definition) {
    let Body { place, scopes, bindings, uses, values } = body;
    if !fits(c, scopes, place.scopes.1, blank_scope)
        || !fits(c, bindings, place.bindings.1, blank_binding)
        || !fits(c, uses, place.uses.1, blank_use)
        || !fits(c, values, place.values.1, blank_expression)
    {
        return;
    }
    c.set(Lane::Position, definition.range.start);
    c.set(Lane::Scope, place.scopes.0);
    c.set(Lane::Value, place.values.0);
    let owner = Id::new(place.definition as usize);
    for (at, scope) in scopes.iter_mut().enumerate() {
        if at > 0 || place.has_root {
            header::scope(c, scope, |_| definition.range);
        } else {
            *scope = root(owner, definition);
        }
    }
    c.set(Lane::Scope, place.scopes.0);
    bindings.iter_mut().for_each(|of| values::binding(c, of));
    c.set(Lane::Position, definition.range.start);
    c.set(Lane::Scope, place.scopes.0);
    uses.iter_mut().for_each(|of| values::r#use(c, of));
    c.set(Lane::Position, definition.range.start);
    c.set(Lane::Scope, place.scopes.0);
    for (at, value) in values.iter_mut().enumerate() {
        values::value(c, value, place.values.0 as usize + at);
    }
}

/// Makes a list that is read as long as stated. Returns whether that is possible.
fn fits<C: Coder, T>(c: &mut C, elements: &mut Vec<T>, count: u32, blank: impl Fn() -> T) -> bool {
    if c.reads() {
        // Each element takes a byte, except for the root of the scopes.
        if count > ELEMENTS_MAX || count as usize > c.left() + 1 {
            c.fail("a list is longer than the bytes");
            return false;
        }
        elements.clear();
        elements.resize_with(count as usize, blank);
    }
    true
}

/// Codes the elements of an arena with their indices.
fn each<C: Coder, T>(
    c: &mut C,
    arena: &mut Arena<T>,
    blank: impl Fn() -> T,
    mut element: impl FnMut(&mut C, usize, &mut T),
) {
    let mut elements = std::mem::take(arena).into_vec();
    let mut count = u32::try_from(elements.len()).unwrap_or(u32::MAX);
    c.u32(&mut count);
    if fits(c, &mut elements, count, blank) {
        elements.iter_mut().enumerate().for_each(|(at, of)| element(c, at, of));
    }
    *arena = Arena::from_vec(elements);
}

/// Codes a scope that is mostly the last one. Returns whether it is.
fn is_same_scope<C: Coder>(c: &C, scope: ScopeId) -> bool {
    c.get(Lane::Scope) as usize == scope.index()
}

/// Fills a scope that is the last one.
fn same_scope<C: Coder>(c: &C) -> ScopeId {
    Id::new(c.get(Lane::Scope) as usize)
}
