//! Types as chains contain them: `a.Map<K,V>`.
//!
//! An argument is itself such a type, with the steps after it if it is the type of a member or result:
//! `List<Pool.conn()>`. The type parameter `T` is `~T`, an unknown argument `_`, and that of an associated
//! type `Item=A`.

use super::{Chain, Protocol, STEP_SIGNS, TYPE_PARAMETER, is_name_char};
use crate::lang::code_text::split;
use crate::lang::membership::last_name;

/// An argument of which nothing is known.
const UNKNOWN: &str = "_";

/// A type as it is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TypeText<'c> {
    text: &'c str,
}

impl<'c> TypeText<'c> {
    /// Returns the view of a written type.
    pub fn of(text: &'c str) -> TypeText<'c> {
        TypeText { text }
    }

    /// Splits the type that `written` begins with from the steps after it.
    pub(super) fn split(written: &'c str) -> (TypeText<'c>, &'c str) {
        let is_path = |c: char| is_name_char(c) || c == '.';
        let end = written.find(|c: char| !is_path(c)).unwrap_or(written.len());
        let after = &written[end..];
        let length = match after.as_bytes() {
            [b'<', ..] => closing(after, b'<', b'>'),
            [b'[', next, ..] if *next != b']' => closing(after, b'[', b']'),
            _ => 0,
        };
        let (text, rest) = written.split_at(end + length);
        (TypeText { text }, rest)
    }

    /// Returns the type as it is written, with its arguments.
    pub fn text(self) -> &'c str {
        self.text
    }

    /// Returns the names with dots between them, without arguments: `a.List`.
    pub fn path(self) -> &'c str {
        let is_end = |c: char| c == '<' || STEP_SIGNS.contains(&c);
        &self.text[..self.text.find(is_end).unwrap_or(self.text.len())]
    }

    /// Returns the last name of the path: `List`.
    pub fn name(self) -> &'c str {
        last_name(self.path())
    }

    /// Returns the arguments with their brackets, `<User>`, or nothing.
    pub fn list(self) -> &'c str {
        &self.text[self.path().len()..]
    }

    /// Returns true if the type has arguments.
    pub fn has_arguments(self) -> bool {
        self.text.contains('<')
    }

    /// Returns the top-level arguments: `A` and `B<C>` of `Map<A,B<C>>`.
    pub fn arguments(self) -> Vec<TypeText<'c>> {
        let Some(start) = self.text.find(['<', '[']) else { return Vec::new() };
        let inner = &self.text[start + 1..];
        let inner = inner.strip_suffix(['>', ']']).unwrap_or(inner);
        let parts = split(inner, b',').into_iter().map(str::trim).filter(|part| !part.is_empty());
        parts.map(TypeText::of).collect()
    }

    /// Returns the argument `number`, counted from 0.
    pub fn argument(self, number: usize) -> Option<TypeText<'c>> {
        self.arguments().get(number).copied()
    }

    /// Returns true if no call, and no last step by a protocol, is part of the type.
    pub fn is_plain(self) -> bool {
        !self.text.contains("()") && Protocol::before(self.text).is_none()
    }

    /// Returns true if the type or its arguments name the type around them.
    pub fn names_own(self) -> bool {
        self.text.contains("Self")
    }

    /// Returns true for an argument of which nothing is known.
    pub fn is_unknown(self) -> bool {
        self.text == UNKNOWN
    }

    /// Returns the name of the type parameter that the type is.
    pub fn parameter(self) -> Option<&'c str> {
        self.text.strip_prefix(TYPE_PARAMETER)
    }

    /// Returns true if a type parameter is part of the type.
    pub fn has_parameter(self) -> bool {
        self.text.contains(TYPE_PARAMETER)
    }

    /// Returns the type with what `given` returns in place of each type parameter; `None` if it returns
    /// nothing for one.
    pub fn with_parameters(self, mut given: impl FnMut(&str) -> Option<String>) -> Option<String> {
        let mut parts = self.text.split(TYPE_PARAMETER);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
            let end = part.find(|c: char| !is_part(c)).unwrap_or(part.len());
            text.push_str(&given(&part[..end])?);
            text.push_str(&part[end..]);
        }
        Some(text)
    }

    /// Returns the text of the type parameter `name`.
    pub fn of_parameter(name: &str) -> String {
        format!("{TYPE_PARAMETER}{name}")
    }

    /// Returns the name of the associated type, and the type itself, of an argument `Item=A`.
    pub fn associated(self) -> Option<(&'c str, TypeText<'c>)> {
        let (name, of) = self.text.split_once('=')?;
        Some((name, TypeText::of(of)))
    }

    /// Returns the chain of a value of the type; of an associated type, of a value of that one.
    pub fn value(self) -> Chain {
        let (_, of) = self.associated().unwrap_or(("", self));
        Chain::instance(of.text.trim_start_matches('@'))
    }
}

/// Returns the length of the text up to the bracket that closes the first one.
fn closing(text: &str, open: u8, close: u8) -> usize {
    let mut level = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            level += 1;
        } else if byte == close {
            level = level.saturating_sub(1);
            if level == 0 {
                return at + 1;
            }
        }
    }
    text.len()
}
