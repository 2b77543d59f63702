//! Functions that are defined in a function: members of nothing, unless their function puts them into an
//! object.

use super::code::{Code, FileFacts};
use super::position::SymbolAt;
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The most bytes before a use that are searched for the bracket around it.
const LIST_BYTES_MAX: usize = 1000;

/// Returns true for a function in a function that no object has: no member of a value refers to it.
pub(super) fn is_local(code: &dyn Code, facts: &FileFacts, at: SymbolAt) -> bool {
    let symbol = &facts.symbols[at.place as usize];
    let around = symbol.parent.and_then(|parent| facts.symbols.get(parent));
    let is_inner = |around: &&crate::lang::Symbol| {
        symbol.kind == SymbolKind::Function && around.kind.is_callable()
    };
    let Some(around) = around.filter(is_inner) else { return false };
    let Some(text) = code.text(at.file) else { return true };
    let is_value = |start: usize| {
        around.span.contains(&start) && text.get(..start).is_some_and(is_put_into_object)
    };
    let uses = code.uses_in(at.file, &symbol.name);
    !uses.iter().any(|of| of.role == Role::Read && is_value(of.span.start))
}

/// Returns true if what follows a text is the value of a key or an assignment, or a part of an object:
/// `{ parse }`, `parse: `, `object.parse = `.
fn is_put_into_object(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    match before.last() {
        Some(b'{' | b':') => true,
        Some(b'=') => !before.ends_with(b"=="),
        Some(b',') => {
            let least = before.len().saturating_sub(LIST_BYTES_MAX);
            let mut level = 0_usize;
            let open = before[least..].iter().rev().find(|byte| {
                let is_around = level == 0 && matches!(byte, b'(' | b'[' | b'{');
                match byte {
                    b')' | b']' | b'}' => level += 1,
                    b'(' | b'[' | b'{' => level = level.saturating_sub(1),
                    _ => {}
                }
                is_around
            });
            open == Some(&b'{')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_objects_are_recognised() {
        for text in ["return {", "{ a: 1, b(c, d),", "{ a: ", "x.a =", "\"a\": "] {
            assert!(is_put_into_object(text.as_bytes()), "{text}");
        }
        for text in ["return ", "f(a,", "f(", "a == ", "[a, ", "x => "] {
            assert!(!is_put_into_object(text.as_bytes()), "{text}");
        }
    }
}
