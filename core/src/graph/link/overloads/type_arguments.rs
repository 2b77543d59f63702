//! Type arguments of calls and type parameters of methods, as they are written.

use crate::graph::link::dialect::OverloadRules;
use crate::graph::link::position::SymbolAt;
use crate::graph::link::result::Use;
use crate::graph::link::value::Place;
use crate::graph::link::walk::Walk;
use crate::lang::split;

/// The most bytes of the type arguments of a call that are read.
const BYTES_MAX: usize = 400;

/// How a call states the type arguments of a method: `name<A>(…)`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum TypeArguments {
    /// They are not read.
    Ignored,
    /// All or none are stated.
    Stated,
    /// The same; those that are not stated follow from the arguments.
    StatedOrOfArguments,
}

impl Walk<'_> {
    /// Returns false for a function of Kotlin with another number of type parameters than a call states.
    pub(in crate::graph::link) fn accepts_type_arguments(
        &self,
        place: Place,
        used: Use<'_>,
        at: SymbolAt,
    ) -> bool {
        let stated = || {
            let kind = self.facts(place.file)?.dialect.overloads?;
            let text = self.code.text(place.file).filter(|_| kind == OverloadRules::Kotlin)?;
            Some((kind, stated(&text, used.start? + used.name.len())?))
        };
        let Some((kind, stated)) = stated() else { return true };
        let of = || {
            let (facts, place) = self.symbol(at)?;
            let symbol = facts.symbols.get(place).filter(|symbol| symbol.kind.is_callable())?;
            self.overload_signature(kind, &facts, at, symbol)?.type_parameters
        };
        of().is_none_or(|of| of == stated)
    }
}

/// Returns the number of type arguments after the byte `from`, if some are written before the
/// arguments of a call.
pub(in crate::graph::link) fn stated(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..text.len().min(from + BYTES_MAX))?;
    let whole = String::from_utf8_lossy(rest);
    let list = whole.trim_start().strip_prefix('<')?;
    let (mut level, mut count) = (1_usize, 1);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => level += 1,
            b'>' if list[..at].ends_with('-') => {}
            b'>' | b')' | b']' => level -= 1,
            b',' if level == 1 => count += 1,
            b';' | b'{' | b'}' | b'"' | b'=' => return None,
            _ => {}
        }
        if level == 0 {
            let after = list[at + 1..].trim_start();
            return after.starts_with(['(', '{']).then_some(count);
        }
    }
    None
}

/// Returns the type arguments that are written after the byte `from`, before the arguments of a call
/// or the parameters of a definition, without white space.
pub(super) fn stated_text(text: &[u8], from: usize) -> Option<String> {
    let rest = text.get(from..text.len().min(from + BYTES_MAX))?;
    let whole = String::from_utf8_lossy(rest);
    let list = whole.trim_start().strip_prefix('<')?;
    let mut level = 1_usize;
    let end = list.bytes().position(|byte| {
        level = match byte {
            b'<' => level + 1,
            b'>' => level - 1,
            _ => level,
        };
        level == 0
    })?;
    let is_list =
        list[end + 1..].trim_start().starts_with('(') && !list[..end].contains([';', '"']);
    is_list.then(|| list[..end].split_whitespace().collect())
}

/// Returns the names in a list of type parameters: `T` and `U` of `in T, reified U : Base`.
pub(super) fn names(list: &str) -> Vec<&str> {
    let parts = split(list, b',').into_iter();
    parts.filter_map(|part| part.split(':').next()?.split_whitespace().last()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_arguments_are_counted() {
        assert_eq!(stated(b"<A, Map<B, C>>(1)", 0), Some(2));
        assert_eq!(stated(b"<(A) -> B> { }", 0), Some(1));
        assert_eq!(stated(b"(1)", 0), None);
        assert_eq!(stated(b" < b && c > (d)", 0), Some(1), "as the grammars of both languages do");
        assert_eq!(stated(b"<A>.b", 0), None);
        assert_eq!(names("in T, reified U : Base<A, B>"), ["T", "U"]);
        assert!(names("").is_empty());
        assert_eq!(stated_text(b"f< A<B>, C >(1)", 1).as_deref(), Some("A<B>,C"));
        assert_eq!(stated_text(b"f(1)", 1), None);
    }
}
