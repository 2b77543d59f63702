//! How languages write the types of parameters and of functions.
//!
//! Texts are parts of signatures. Types are not resolved here; see [`super::context`] for the
//! parameters of callbacks, and [`super::overloads`] for the comparison of types.

use super::dialect::TypeSyntax;
use super::parameters::{NESTING_MAX, chain_of_type, inside, of_function_type, written_type};
use crate::lang::chain::Chain;
use crate::lang::split;

/// Words and attributes before a type that are not a part of it.
const PREFIXES: &[&str] = &[
    "any ",
    "borrowing ",
    "consuming ",
    "crossinline ",
    "global::",
    "in ",
    "inout ",
    "noinline ",
    "out ",
    "params ",
    "readonly ",
    "ref ",
    "scoped ",
    "some ",
    "suspend ",
    "this ",
    "vararg ",
];

/// C#'s delegates whose last type argument is that of the result.
pub(super) const WITH_RESULT: &[&str] = &["Converter", "Func"];

/// C#'s delegates whose type arguments are the types of the parameters.
const WITHOUT_RESULT: &[&str] = &["Action", "Predicate"];

impl TypeSyntax {
    /// Returns the type of a parameter as it is written, without a default value.
    pub(super) fn of_parameter(self, parameter: &str) -> Option<&str> {
        match self {
            TypeSyntax::NamedArrow => written_type(parameter),
            TypeSyntax::Arrow => {
                let of = written_type(parameter).unwrap_or(parameter);
                Some(without_prefixes(split(of, b'=')[0].trim()))
            }
            TypeSyntax::Delegate => {
                let parameter = without_attributes(parameter);
                let plain = without_prefixes(split(parameter, b'=')[0].trim());
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@');
                let of = plain.trim_end_matches(is_word);
                let of = if of.ends_with(char::is_whitespace) { of } else { plain };
                let is_variadic = parameter.split_whitespace().any(|word| word == "params");
                let of = without_prefixes(of.trim());
                let of = of.strip_suffix("[]").filter(|_| is_variadic).unwrap_or(of);
                Some(of).filter(|of| !of.is_empty())
            }
        }
    }

    /// Returns the parameters of a function type: with their names in TypeScript, otherwise their
    /// types; `None` for other types.
    pub(super) fn of_function(self, written: &str) -> Option<Vec<&str>> {
        match self {
            TypeSyntax::NamedArrow => of_function_type(written),
            TypeSyntax::Arrow => arrow(without_prefixes(written.trim()), NESTING_MAX),
            TypeSyntax::Delegate => delegate(without_prefixes(written.trim()), NESTING_MAX),
        }
    }

    /// Returns the type of a parameter of a function type, as [`TypeSyntax::of_function`] returns it.
    pub(super) fn of_function_parameter(self, part: &str) -> Option<&str> {
        match self {
            TypeSyntax::NamedArrow => written_type(part),
            TypeSyntax::Arrow | TypeSyntax::Delegate => Some(part),
        }
    }

    /// Returns the chain of a value of a written type.
    pub(super) fn chain(self, written: &str) -> Option<Chain> {
        if self == TypeSyntax::NamedArrow {
            return chain_of_type(written);
        }
        let name = without_prefixes(written.trim()).trim_end_matches(['?', '!']);
        let plain: String = name.chars().filter(|c| !c.is_whitespace()).collect();
        if let Some(element) = plain.strip_suffix("[]") {
            return named(element).then(|| Chain::instance(&format!("slice<{element}>")));
        }
        if let Some(inner) = plain.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
            let parts = split(inner, b':');
            let list = parts.join(",");
            let of = if parts.len() > 1 { "Dictionary" } else { "Array" };
            return parts
                .iter()
                .all(|of| named(of))
                .then(|| Chain::instance(&format!("{of}<{list}>")));
        }
        named(&plain).then(|| Chain::instance(&plain))
    }
}

/// Returns a parameter of C# without its attributes: `[Attribute(1)] Type name`.
fn without_attributes(parameter: &str) -> &str {
    let mut rest = parameter.trim_start();
    while rest.starts_with('[') {
        let mut level = 0_usize;
        let end = rest.bytes().position(|byte| {
            match byte {
                b'[' => level += 1,
                b']' => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0
        });
        let Some(end) = end else { return rest };
        rest = rest[end + 1..].trim_start();
    }
    rest
}

/// Returns true for a path with type arguments.
fn named(plain: &str) -> bool {
    let end = plain.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c)));
    plain.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && end.is_none_or(|end| plain[end..].starts_with('<') && plain.ends_with('>'))
}

/// Returns a written type without attributes and the words of [`PREFIXES`].
pub(super) fn without_prefixes(written: &str) -> &str {
    let mut rest = written.trim();
    loop {
        let before = rest;
        if rest.starts_with('@') {
            rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start();
        }
        // An attribute of C#, not an array of Swift.
        if let (true, Some(end)) = (rest.starts_with('['), rest.find("] ")) {
            rest = rest[end + 1..].trim_start();
        }
        for prefix in PREFIXES {
            rest = rest.strip_prefix(prefix).unwrap_or(rest).trim_start();
        }
        if rest == before {
            return rest;
        }
    }
}

/// Returns the types in `(A, name: B) -> R`, possibly with a receiver, in at most `left` parentheses, or
/// optional.
fn arrow(written: &str, left: usize) -> Option<Vec<&str>> {
    let open = written.find('(')?;
    let is_receiver = open == 0 || written[..open].ends_with('.');
    let inner = inside(&written[open..]).filter(|_| is_receiver)?;
    let after = written[open + inner.len() + 2..].trim_start();
    let effects = ["async", "throws", "rethrows"];
    let after = effects
        .iter()
        .fold(after, |after, word| after.strip_prefix(word).unwrap_or(after).trim_start());
    if after.starts_with("->") {
        let parts = split(inner, b',').into_iter().map(str::trim).filter(|part| !part.is_empty());
        let of_part = |part| without_prefixes(split(part, b':').last().copied().unwrap_or(part));
        return Some(parts.map(of_part).collect());
    }
    let is_in_brackets = open == 0 && matches!(after, "" | "?" | "!");
    let left = left.checked_sub(1).filter(|_| is_in_brackets)?;
    arrow(inner.trim(), left)
}

/// Returns the types of the parameters of a delegate of C#'s library, possibly in `Expression<…>`, at
/// most `left` times.
fn delegate(written: &str, left: usize) -> Option<Vec<&str>> {
    let written = written.trim_end_matches('?');
    let (path, arguments) = match written.split_once('<') {
        Some((path, arguments)) => (path, arguments.strip_suffix('>')?),
        None => (written, ""),
    };
    let name = path.rsplit('.').next().unwrap_or(path);
    let parts = || split(arguments, b',').into_iter().map(str::trim);
    let mut types: Vec<&str> = parts().filter(|part| !part.is_empty()).collect();
    match name {
        "Expression" => return delegate(arguments, left.checked_sub(1)?),
        "Comparison" => types.push(*types.first()?),
        "EventHandler" => types.insert(0, "object"),
        _ if WITH_RESULT.contains(&name) => {
            types.pop()?;
        }
        _ if WITHOUT_RESULT.contains(&name) => {}
        _ => return None,
    }
    Some(types)
}

#[cfg(test)]
mod tests {
    use super::TypeSyntax::{Arrow, Delegate, NamedArrow};

    #[test]
    fn types_of_parameters_are_read() {
        assert_eq!(Arrow.of_parameter("vararg a: A<B, C> = d"), Some("A<B, C>"));
        assert_eq!(Arrow.of_parameter("_ a: @escaping (A) -> B"), Some("(A) -> B"));
        assert_eq!(Delegate.of_parameter("[In] params A.B<C>[] values = null"), Some("A.B<C>"));
        assert_eq!(Delegate.of_parameter("Func<A, B> f"), Some("Func<A, B>"));
        assert_eq!(Delegate.of_parameter("A"), Some("A"));
    }

    #[test]
    fn parameters_of_function_types_are_read() {
        assert_eq!(Arrow.of_function("(A, b: B<C>) -> D"), Some(vec!["A", "B<C>"]));
        assert_eq!(Arrow.of_function("((inout A) async throws -> D)?"), Some(vec!["A"]));
        assert_eq!(Arrow.of_function("A.() -> Unit"), Some(vec![]));
        assert_eq!(Arrow.of_function("(A, B)"), None);
        assert_eq!(Delegate.of_function("Expression<Func<A, B>>"), Some(vec!["A"]));
        assert_eq!(Delegate.of_function("Action"), Some(vec![]));
        assert_eq!(Delegate.of_function("List<A>"), None);
    }

    /// The text of a type overflowed the stack, once for each of its brackets.
    #[test]
    fn deeply_nested_types_are_not_read() {
        let nest = |open: &str, inner: &str, close: &str| {
            format!("{}{inner}{}", open.repeat(20_000), close.repeat(20_000))
        };
        let arrow = nest("(", "(A) -> B", ")");
        let delegate = nest("Expression<", "Func<A, B>", ">");
        let named = nest("(", "(a: A) => B", ")");
        let list = format!("A{}", "[]".repeat(20_000));
        let read = move || {
            assert_eq!(Arrow.of_function(&arrow), None);
            assert_eq!(Delegate.of_function(&delegate), None);
            assert_eq!(NamedArrow.of_function(&named), None);
            assert_eq!(NamedArrow.chain(&list), None);
        };
        let small = std::thread::Builder::new().stack_size(512 << 10);
        small.spawn(read).expect("a thread starts").join().expect("no check fails");
    }

    #[test]
    fn chains_of_types_are_made() {
        let chain = |of: super::TypeSyntax, text| of.chain(text).map(|of| of.as_str().to_owned());
        assert_eq!(chain(Arrow, "[A: B<C>]?").as_deref(), Some("@Dictionary<A,B<C>>"));
        assert_eq!(chain(Delegate, "A.B<C, D>[]").as_deref(), Some("@slice<A.B<C,D>>"));
        assert_eq!(chain(Arrow, "(A) -> B"), None);
    }
}
