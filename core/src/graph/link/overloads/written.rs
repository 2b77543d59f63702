//! Types and literals of C++ as they are written: of arguments, parameters and declarations.

use super::{Form, Shape, plain_text};
use crate::graph::link::binding::{has_word, integer, is_builtin, numbers};
use crate::lang::split;

/// Returns the form of a literal.
pub(super) fn literal(argument: &str) -> Form {
    let first = argument.trim_start_matches('-').chars().next();
    match (argument, first) {
        ("true" | "false", _) => Form::Boolean,
        ("nullptr" | "NULL", _) => Form::Null,
        (_, Some('"')) if argument.ends_with('"') => Form::Text,
        (_, Some('R')) if argument.starts_with("R\"") => Form::Text,
        (_, Some('L')) if argument.starts_with("L\"") => {
            Form::Typed(Shape::plain("wchar_t".to_owned(), true))
        }
        _ if argument.ends_with(".c_str()") => Form::Typed(Shape::plain("char".to_owned(), true)),
        (_, Some('\'')) => Form::Character,
        (_, Some('[')) => Form::Lambda,
        (_, Some('{')) => Form::Braces,
        (_, Some('0'..='9')) => {
            let is_plain = argument.chars().all(|c| c.is_alphanumeric() || "-.'".contains(c));
            match (is_plain, argument.contains('.')) {
                (false, _) => Form::Unknown,
                (true, true) if argument.ends_with(['f', 'F']) => {
                    Form::Typed(Shape::plain("float".to_owned(), false))
                }
                (true, true) => Form::Float,
                (true, false) => integer(argument)
                    .map_or(Form::Integer, |of| Form::Typed(Shape::plain(of.to_owned(), false))),
            }
        }
        _ => Form::Unknown,
    }
}

/// Returns the type of a new value: `Type(…)`, `ns::Type{…}`, `new Type`, `static_cast<Type>(…)`.
pub(super) fn created(argument: &str) -> Form {
    if let Some((_, inner)) = argument.split_once("_cast<") {
        let Some((of, _)) = inner.split_once(">(") else { return Form::Unknown };
        return shape(&format!("{of} x")).map_or(Form::Unknown, Form::Typed);
    }
    let (written, is_pointer) = match argument.strip_prefix("new ") {
        Some(of) => (of, true),
        None => (argument, false),
    };
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let end = written.find(|c| !is_path(c)).unwrap_or(written.len());
    let (path, after) = written.split_at(end);
    let base = path.rsplit("::").next().unwrap_or(path);
    let is_created = is_pointer
        || after.ends_with([')', '}'])
            && after.starts_with(['(', '{'])
            && (base.starts_with(char::is_uppercase) || base == "string");
    let shape = Shape::plain(base.to_owned(), is_pointer);
    if is_created && !base.is_empty() { Form::Typed(shape) } else { Form::Unknown }
}

/// Returns the name of the type of the last declaration of `name` in a text of C, without `struct`;
/// `None` for types of the language. Comments declare nothing.
pub(in crate::graph::link) fn declared_type(text: &str, name: &str) -> Option<String> {
    let base = declared(&plain_text::without_comments(text), name)?.base;
    (!is_builtin(&base)).then_some(base)
}

/// Returns the type of the last declaration of `name` in the text of a function.
pub(super) fn declared(text: &str, name: &str) -> Option<Shape> {
    let written = written_type(text, name)?;
    match written.strip_prefix("auto=") {
        Some(value) => match created(value) {
            Form::Typed(shape) => Some(shape),
            _ => None,
        },
        None => shape(&format!("{written} x")),
    }
}

/// Returns the type that is written in the last declaration of `name`; `auto=` and the value for
/// `auto`.
pub(in crate::graph::link) fn written_type(text: &str, name: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if name.is_empty() {
        return None;
    }
    for (at, _) in text.rmatch_indices(name).take(64) {
        let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
        let is_part = before.ends_with(is_word) || text[at + name.len()..].starts_with(is_word);
        let is_declared = after.starts_with(['=', ';', ',', ')', '{', '(', '[', ':'])
            && !after.starts_with("==")
            && !after.starts_with("::");
        let of = before.trim_end();
        if is_part || !is_declared || !of.ends_with(|c: char| is_word(c) || "*&>".contains(c)) {
            continue;
        }
        let written = without_comments(of[type_start(of)..].trim());
        if of.ends_with("->") || !is_type(written) {
            continue;
        }
        if has_word(written, "auto") {
            let value = after.strip_prefix('=').and_then(|value| value.split(';').next());
            return Some(format!("auto={}", value.map(str::trim).unwrap_or_default()));
        }
        return Some(written.to_owned());
    }
    None
}

/// Returns a text without the comments and directives before it.
fn without_comments(text: &str) -> &str {
    let mut rest = text;
    loop {
        let after = match rest {
            _ if rest.starts_with("//") || rest.starts_with('#') => rest.split_once('\n'),
            _ if rest.starts_with("/*") => rest.split_once("*/"),
            _ => return rest,
        };
        rest = after.map_or("", |(_, after)| after.trim_start());
    }
}

/// Returns true for text that can be a type, and not a part of a statement.
fn is_type(written: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let first = written.split_whitespace().next();
    let statements = ["return", "throw", "delete", "else", "case", "goto", "new", "co_return"];
    written.starts_with(is_word)
        && !written.contains(['=', '"', '.', '+', '!', '?'])
        && !written.contains("->")
        && !written.contains("&&")
        && !statements.iter().any(|word| first == Some(word))
}

/// Returns where the type at the end of `text` begins.
fn type_start(text: &str) -> usize {
    let mut level = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'>' => level += 1,
            b'<' => level = level.saturating_sub(1),
            b';' | b'{' | b'}' => return at + 1,
            b'(' | b',' if level == 0 => return at + 1,
            _ => {}
        }
    }
    0
}

/// Returns the parameter `Type name[N]` for `Type (&name)[N]`.
fn reference_to_array(parameter: &str) -> Option<String> {
    let (of, rest) = parameter.split_once('(')?;
    let (name, size) = rest.trim_start().strip_prefix('&')?.split_once(')')?;
    size.trim_start().starts_with('[').then(|| format!("{} {name}{size}", of.trim_end()))
}

/// Returns the type of a parameter as it is written, with its name or without.
pub(super) fn shape(parameter: &str) -> Option<Shape> {
    let written = split(parameter, b'=').into_iter().next()?;
    let array = reference_to_array(written);
    let written = array.as_deref().unwrap_or(written);
    let mut plain = String::with_capacity(written.len());
    let mut level = 0_usize;
    for c in written.chars() {
        match c {
            '<' => level += 1,
            '>' => level = level.saturating_sub(1),
            c if level == 0 => plain.push(c),
            _ => {}
        }
    }
    let is_pointer = plain.contains(['*', '[']);
    let referred = plain.split(['*', '&', '[']).next().unwrap_or_default();
    let is_const = has_word(referred, "const");
    let skipped = [
        "const",
        "volatile",
        "typename",
        "struct",
        "class",
        "enum",
        "register",
        "static",
        "mutable",
        "constexpr",
        "inline",
        "std",
    ];
    let is_word = |c: char| !(c.is_alphanumeric() || c == '_');
    let declared = plain.split('[').next().unwrap_or_default();
    let words: Vec<&str> = declared
        .split(is_word)
        .filter(|word| !word.is_empty() && !skipped.contains(word))
        .collect();
    if let Some(base) = numbers(&words) {
        return Some(Shape { is_const, ..Shape::plain(base, is_pointer) });
    }
    let base = match words.as_slice() {
        [] => return None,
        [only] => only,
        [.., of, last] => {
            // `a::Type` without a name.
            let is_path = plain.contains(&format!("::{last}"));
            if is_path || is_builtin(last) { last } else { of }
        }
    };
    Some(Shape { is_const, ..Shape::plain((*base).to_owned(), is_pointer) })
}
