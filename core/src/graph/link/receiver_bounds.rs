//! Type parameters that functions of Kotlin extend, by their signatures: `fun <T : Base> T.name()`.

use crate::lang::membership::last_name;
use crate::lang::split;

/// The most type parameters of which one is the bound of the next one.
const BOUNDS_MAX: usize = 4;

/// Returns the type that bounds the type parameter `owner` of a function, without its arguments, and
/// `Any` if it has no bound; `None` if `owner` is a type.
pub(super) fn receiver_bound<'s>(owner: &str, signature: &'s str) -> Option<&'s str> {
    let list = own_parameters(signature)?;
    let bound = |name: &str| {
        let of = list.iter().find(|(of, _)| *of == name)?;
        Some(of.1.or_else(|| where_bound(name, signature)))
    };
    let mut found = bound(owner)?;
    for _ in 0..BOUNDS_MAX {
        let Some(next) = found.and_then(|name| bound(last_name(name))) else { break };
        found = next;
    }
    Some(found.map_or("Any", last_name))
}

/// Returns true if a function that extends its type parameter `owner` returns a value of the same
/// type parameter.
pub(super) fn returns_receiver(owner: &str, signature: &str) -> bool {
    let is_own =
        own_parameters(signature).is_some_and(|list| list.iter().any(|(name, _)| *name == owner));
    let end = signature.rfind(')').map_or("", |end| &signature[end + 1..]);
    let result = end.trim_start().strip_prefix(':').unwrap_or_default().trim_start();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    is_own && result.strip_prefix(owner).is_some_and(|rest| !rest.starts_with(is_word))
}

/// Returns the type parameters between `fun` and the name of a function, each with its bound.
fn own_parameters(signature: &str) -> Option<Vec<(&str, Option<&str>)>> {
    let after = signature.split_once("fun ")?.1.trim_start().strip_prefix('<')?;
    let mut level = 1_usize;
    let end = after.bytes().position(|byte| {
        level += usize::from(byte == b'<');
        level -= usize::from(byte == b'>');
        level == 0
    })?;
    let parts = split(&after[..end], b',').into_iter().filter_map(|part| {
        let (name, bound) = match part.split_once(':') {
            Some((name, bound)) => (name, Some(bound.trim())),
            None => (part, None),
        };
        Some((name.split_whitespace().last()?, bound))
    });
    Some(parts.collect())
}

/// Returns the bound in a clause `where T : Base`.
fn where_bound<'s>(name: &str, signature: &'s str) -> Option<&'s str> {
    let (_, clause) = signature.rsplit_once(" where ")?;
    let bounds = split(clause, b',').into_iter().filter_map(|part| part.split_once(':'));
    let mut own = bounds.filter(|(of, _)| of.trim() == name);
    own.next().map(|(_, bound)| bound.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_receivers() {
        let two = "fun <T : Base<T>, C : T> C.add(vararg of: Base<*>): C";
        assert_eq!(receiver_bound("C", two), Some("Base"));
        assert_eq!(receiver_bound("Base", two), None);
        assert!(returns_receiver("C", two));
        assert_eq!(receiver_bound("T", "inline fun <reified T> T.of(): List<T> = 1"), Some("Any"));
        assert!(!returns_receiver("T", "inline fun <reified T> T.of(): List<T> = 1"));
        assert_eq!(receiver_bound("T", "fun <T> T.of() where T : a.B<Int> {"), Some("B"));
        assert_eq!(receiver_bound("String", "fun String.of()"), None);
        assert!(!returns_receiver("String", "fun String.of(): String"));
    }
}
