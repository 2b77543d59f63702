//! The types of variables of C#, Kotlin and Swift, by their declarations in the text of a function.

use super::{ANONYMOUS, Form, Shape, created, created_by_word, literal, plain, shape};
use crate::graph::link::dialect::TypeSyntax;
use crate::graph::link::type_syntax::without_prefixes;
use crate::lang::split;

/// Returns the type of the last declaration `name: Type` or `val name = Type(…)` in a text.
pub(super) fn declared_after(text: &str, name: &str) -> Option<Shape> {
    for after in declarations(text, name) {
        if let Some(of) = after.strip_prefix(':') {
            let end = of.find(['\n', '{', ')', '=']).unwrap_or(of.len());
            let of = split(&of[..end], b',')[0].trim();
            return shape(TypeSyntax::Arrow, of);
        }
        let before = &text[..text.len() - after.len()];
        let before = before.trim_end().strip_suffix(name)?.trim_end();
        if before.ends_with("val") || before.ends_with("var") || before.ends_with("let") {
            return of_value(after, '\n');
        }
    }
    None
}

/// Returns the type of the last declaration `Type name` or `var name = new Type(…)` in a text.
pub(super) fn declared_before(text: &str, name: &str) -> Option<Shape> {
    for after in declarations(text, name) {
        let before = &text[..text.len() - after.len()];
        let before = before.trim_end().strip_suffix(name)?;
        let is_type = |c: char| c.is_alphanumeric() || "_.<>[]?, ".contains(c);
        if !before.ends_with(char::is_whitespace) || !after.starts_with(['=', ';', ',', ')']) {
            continue;
        }
        let of = before.trim_end();
        let start = of.rfind(|c| !is_type(c)).map_or(0, |at| at + 1);
        let of = split(&of[start..], b',').last().copied().unwrap_or_default().trim();
        let of = without_prefixes(of);
        let last = last_type(of);
        match last {
            "var" => return of_value(after, ';'),
            "return" | "await" | "in" | "is" | "new" | "case" | "" => {}
            of if of.starts_with(char::is_alphabetic) => return shape(TypeSyntax::Delegate, of),
            _ => {}
        }
    }
    pattern_variable(text, name)
}

/// Returns the type after the last space that is in no brackets: `B<C, D>` of `A B<C, D>`.
fn last_type(text: &str) -> &str {
    let mut level = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'>' | b']' => level += 1,
            b'<' | b'[' => level = level.saturating_sub(1),
            b' ' if level == 0 => return &text[at + 1..],
            _ => {}
        }
    }
    text
}

/// Returns the type of the last variable `name` that a pattern or a loop declares: `is Type name`,
/// `case Type name`, `foreach (Type name in`.
fn pattern_variable(text: &str, name: &str) -> Option<Shape> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.rmatch_indices(name).take(64).find_map(|(at, _)| {
        let before = text[..at].strip_suffix(char::is_whitespace)?.trim_end();
        let after = &text[at + name.len()..];
        let is_type = |c: char| is_word(c) || ".<>[]?,".contains(c);
        let of = &before[before.trim_end_matches(is_type).len()..];
        let around = before[..before.len() - of.len()].trim_end();
        let is_pattern = around.ends_with(" is") || around.ends_with("case");
        let is_loop = around.ends_with("foreach (") && after.trim_start().starts_with("in ");
        let is_type = of.starts_with(char::is_alphabetic) && !matches!(of, "var" | "not");
        let is_whole = !after.starts_with(is_word) && is_type && (is_pattern || is_loop);
        is_whole.then(|| shape(TypeSyntax::Delegate, of)).flatten()
    })
}

/// Returns the type of the value after `=`.
fn of_value(after: &str, end: char) -> Option<Shape> {
    let value = after.strip_prefix('=')?.trim_start();
    let made = value.strip_prefix("new").filter(|of| of.starts_with(char::is_whitespace));
    if let Some(of) = made {
        let of = of.trim_start().split(['{', ';']).next()?.trim();
        // A value of an anonymous type.
        return shape(TypeSyntax::Delegate, of).or_else(|| of.is_empty().then(|| plain(ANONYMOUS)));
    }
    let value = value.split(end).next().unwrap_or(value).trim();
    let made = if end == ';' { created_by_word(value) } else { created(value) };
    match made {
        Form::Typed(of) => Some(of),
        _ => match literal(TypeSyntax::Delegate, value) {
            Form::Text => Some(plain("String")),
            Form::Boolean => Some(plain("Bool")),
            Form::Integer => Some(plain("Int")),
            _ => None,
        },
    }
}

/// Returns the value of the last declaration `var name = value` in a text, with the byte at which it
/// begins.
pub(in crate::graph::link::overloads) fn initializer<'t>(
    text: &'t str,
    name: &'t str,
) -> Option<(usize, &'t str)> {
    let after = declarations(text, name).next()?;
    let before = text[..text.len() - after.len()].trim_end().strip_suffix(name)?.trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next();
    let is_declared = word.is_some_and(|word| matches!(word, "val" | "var" | "let"));
    let value = after.strip_prefix('=').filter(|_| is_declared)?.trim_start();
    let end = value.find(if word == Some("var") { [';', ';'] } else { ['\n', ';'] });
    Some((text.len() - value.len(), value[..end.unwrap_or(value.len())].trim_end()))
}

/// Returns the texts after the places where a name may be declared, the last one first.
fn declarations<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let places = text.rmatch_indices(name).take(64);
    places.filter_map(move |(at, _)| {
        let rest = &text[at + name.len()..];
        let is_whole = !text[..at].ends_with(is_word) && !rest.starts_with(is_word);
        let after = rest.trim_start();
        let is_declared = after.starts_with([':', '=', ';', ',', ')']) && !after.starts_with("==");
        (is_whole && is_declared && !after.starts_with("::")).then_some(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_types_are_found() {
        let base = |of: Option<Shape>| of.map(|of| of.base);
        let text = "void F(List<int> a, string b) { var c = new Dog(1); return e; ";
        assert_eq!(base(declared_before(text, "a")).as_deref(), Some("List"));
        assert_eq!(base(declared_before(text, "b")).as_deref(), Some("string"));
        assert_eq!(base(declared_before(text, "c")).as_deref(), Some("Dog"));
        assert_eq!(base(declared_before(text, "e")), None);
        let text = "void F() { var c = Dog(1)\n .Bark(); c";
        assert_eq!(initializer(text, "c"), Some((19, "Dog(1)\n .Bark()")));
        assert_eq!(initializer("  val d = eel(1)\n  f(d", "d"), Some((10, "eel(1)")));
        assert_eq!(initializer("c = Dog(1); c", "c"), None);
        let text = "fun f(a: List<Int>, b: Cat?) {\n  val d = Eel(1)\n  f(b = 2)\n";
        assert_eq!(base(declared_after(text, "a")).as_deref(), Some("List"));
        assert_eq!(base(declared_after(text, "b")).as_deref(), Some("Cat"));
        assert_eq!(base(declared_after(text, "d")).as_deref(), Some("Eel"));
    }
}
