//! Arguments that operators make of other values: conditions, alternatives and casts.

use super::{Form, Shape, shape};
use crate::graph::link::dialect::TypeSyntax;
use crate::graph::link::overloads::without_strings;

/// Operators whose result is true or false.
const COMPARISONS: &[&str] = &[
    " == ", " != ", " === ", " !== ", " <= ", " >= ", " && ", " || ", " < ", " > ", " is ", " !is ",
];

/// Types of numbers, of which an integer literal is one as well.
const NUMBERS: &[&str] = &["int", "long", "float", "double"];

/// Words after a type in parentheses that do not begin a value.
const NO_VALUES: &[&str] = &["as", "in", "is", "switch", "when", "with"];

/// Returns the values of which an argument is one, each with the byte at which it begins, and whether
/// the first one is only taken if it is not `null`: `a ? b : c`, `if (a) b else c`, `a ?? b`, `a ?: b`.
pub(in crate::graph::link::overloads) fn alternatives(
    argument: &str,
) -> Option<([(usize, &str); 2], bool)> {
    let plain = flattened(argument);
    let part = |from: usize, to: usize| {
        let text = &argument[from..to];
        (from + text.len() - text.trim_start().len(), text.trim())
    };
    let end = argument.len();
    if let Some(rest) = plain.strip_prefix("if (") {
        let condition = super::super::closing(&plain[3..])? + 4;
        let at = position(&rest[condition - 4..], " else ")? + condition;
        let parts = [part(condition, at), part(at + 6, end)];
        return parts.iter().all(|(_, of)| !of.starts_with('{')).then_some((parts, false));
    }
    if plain.contains("=>") {
        return None;
    }
    if let Some(at) = position(&plain, " ? ") {
        let colon = at + 3 + position(&plain[at + 3..], " : ")?;
        return Some(([part(at + 3, colon), part(colon + 3, end)], false));
    }
    let at = position(&plain, " ?? ").or_else(|| position(&plain, " ?: "))?;
    Some(([part(0, at), part(at + 4, end)], true))
}

/// Returns the form of a value that is one of two.
pub(in crate::graph::link::overloads) fn one_of(
    first: Form,
    second: Form,
    is_default: bool,
) -> Form {
    match (first, second) {
        (first, second) if first == second => first,
        (Form::Typed(of), Form::Integer) | (Form::Integer, Form::Typed(of))
            if !of.is_pointer && NUMBERS.contains(&of.base.as_str()) =>
        {
            Form::Typed(of)
        }
        (Form::Typed(of), Form::Null) | (Form::Null, Form::Typed(of)) => {
            Form::Typed(Shape { is_nullable: true, ..of })
        }
        (Form::Typed(first), Form::Typed(second))
            if first.base == second.base && first.is_pointer == second.is_pointer =>
        {
            let is_nullable = second.is_nullable || first.is_nullable && !is_default;
            Form::Typed(Shape { is_nullable, ..first })
        }
        (Form::Unknown, second) | (second, Form::Unknown) if is_default && second != Form::Null => {
            match second {
                Form::Typed(of) => Form::Typed(Shape { is_nullable: false, ..of }),
                second => second,
            }
        }
        (Form::Typed(first), Form::Text)
            if is_default && super::TEXTS.contains(&first.base.as_str()) =>
        {
            Form::Text
        }
        _ => Form::Unknown,
    }
}

/// Returns true for an argument that is true or false by its operator.
pub(in crate::graph::link::overloads) fn is_condition(argument: &str) -> bool {
    let plain = flattened(argument);
    !plain.contains("=>") && COMPARISONS.iter().any(|sign| position(&plain, sign).is_some())
}

/// Returns the type to which an argument of C# is cast: `(Type)value`.
pub(super) fn cast(argument: &str) -> Option<Form> {
    let (of, value) = argument.strip_prefix('(')?.split_once(')')?;
    let (of, value) = (of.trim(), value.trim_start());
    let is_type = |c: char| c.is_alphanumeric() || "_.<>[]?, ".contains(c);
    let word = value.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
    let begins = value.starts_with(|c: char| c.is_alphanumeric() || "_\"'(@$".contains(c));
    // A cast comes before operators.
    let is_whole = value.starts_with("new ") || !flattened(value).contains(' ');
    let is_cast = of.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && of.chars().all(is_type)
        && begins
        && is_whole
        && !NO_VALUES.contains(&word);
    is_cast.then(|| shape(TypeSyntax::Delegate, of)).flatten().map(Form::Typed)
}

/// Returns a text without what is in strings and brackets, and with all white space as spaces; the
/// length stays the same.
fn flattened(text: &str) -> String {
    let plain = without_strings(text);
    let mut level = 0_usize;
    let mut found = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            ')' | ']' | '}' => level = level.saturating_sub(1),
            _ => {}
        }
        match c {
            '(' | ')' | '[' | ']' | '{' | '}' => found.push(c),
            c if level > 0 => found.push_str(&"_".repeat(c.len_utf8())),
            c if c.is_whitespace() => found.push_str(&" ".repeat(c.len_utf8())),
            c => found.push(c),
        }
        if matches!(c, '(' | '[' | '{') {
            level += 1;
        }
    }
    found
}

fn position(text: &str, sign: &str) -> Option<usize> {
    text.find(sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::link::overloads::named::plain;

    #[test]
    fn values_of_operators_are_read() {
        let parts = |text| alternatives(text).map(|(parts, _)| parts.map(|(_, part)| part));
        assert_eq!(
            parts("(a == b) ? f(c ? d : e) : \"x : y\""),
            Some(["f(c ? d : e)", "\"x : y\""])
        );
        assert_eq!(parts("a ??\n b"), Some(["a", "b"]));
        assert_eq!(parts("if (a) b else c(d)"), Some(["b", "c(d)"]));
        assert_eq!(parts("f(a ? b : c)"), None);
        assert_eq!(alternatives("a ?: b").map(|(parts, _)| parts[1].0), Some(5));
        assert!(is_condition("a.b(c) == d") && !is_condition("f(a == b)"));
        let of = |base: &str| Some(Form::Typed(plain(base)));
        let nullable = Some(Form::Typed(Shape { is_nullable: true, ..plain("char") }));
        assert_eq!((cast("(char?)null"), cast("(A.Box) c.d(e)")), (nullable, of("Box")));
        assert_eq!((cast("(a) + b"), cast("(a) is b"), cast("(int)a + b")), (None, None, None));
        let typed = |is_nullable| Form::Typed(Shape { is_nullable, ..plain("A") });
        assert_eq!(one_of(Form::Null, typed(false), false), typed(true));
        assert_eq!(one_of(typed(true), typed(false), true), typed(false));
        assert_eq!(one_of(typed(true), typed(false), false), typed(true));
        assert_eq!(one_of(Form::Unknown, Form::Text, true), Form::Text);
        assert_eq!(one_of(Form::Unknown, Form::Text, false), Form::Unknown);
    }
}
