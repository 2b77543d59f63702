//! What a function takes, by its signature: how many arguments, and which types are written.

use super::notation::split;
use crate::lang::symbols::SymbolKind;

/// The least and the greatest number of arguments; the greatest is 255 where there is no bound.
pub(super) type Arity = (u8, u8);

/// Returns how many arguments a call of a function has; `None` if its signature does not say.
/// O(bytes of the signature).
pub(super) fn arity(kind: SymbolKind, name: &str, signature: &str) -> Option<Arity> {
    if !kind.is_callable() {
        return None;
    }
    let (mut least, mut most) = (0_u8, 0_u8);
    for part in parameters(name, signature)? {
        if part.starts_with('*') && part.len() > 1 && part.as_bytes()[1] != b' '
            || part.contains("...")
        {
            most = u8::MAX;
            continue;
        }
        most = most.saturating_add(1);
        let is_optional = part.contains('=') && !part.contains("=>")
            || part.contains(" = ")
            || part.contains("?:")
            || part.ends_with('?');
        if !is_optional {
            least = least.saturating_add(1);
        }
    }
    Some((least, most))
}

/// Returns the parameters of a function as they are written, without the instance that a method is
/// of; `None` if its signature does not say.
pub(super) fn parameters<'s>(name: &str, signature: &'s str) -> Option<Vec<&'s str>> {
    let start = signature.find(&format!("{name}(")).or_else(|| signature.find(name))?;
    let after = start + name.len();
    let open = after + signature[after..].find('(')?;
    let parts = split(inside(&signature[open..])?, b',');
    let mut kept: Vec<&str> = Vec::new();
    for part in parts.into_iter().map(str::trim) {
        let word = part.trim_start_matches('&').split([':', ' ', '=']).next().unwrap_or(part);
        let is_own = matches!(part, "self" | "cls" | "&self" | "&mut self" | "mut self")
            || (matches!(word, "self" | "cls" | "this") && kept.is_empty());
        if !(part.is_empty() || part == "void" || part == "/" || part == "*" || is_own) {
            kept.push(part);
        }
    }
    Some(kept)
}

/// Returns the parameters of a function's type as it is written, `(a: A) => R`, perhaps in brackets
/// or among alternatives; `None` of other types.
pub(super) fn of_function_type(written: &str) -> Option<Vec<&str>> {
    for part in split(written, b'|').into_iter().map(str::trim) {
        // Type parameters stand before them.
        let part = match part.strip_prefix('<') {
            Some(_) => part.get(part.find('(')?..)?,
            None => part,
        };
        let Some(inner) = part.starts_with('(').then(|| inside(part)).flatten() else { continue };
        let after = part[inner.len() + 2..].trim_start();
        if after.starts_with("=>") {
            let parts = split(inner, b',').into_iter().map(str::trim);
            let is_own = |part: &&str| !part.is_empty() && !part.starts_with("this:");
            return Some(parts.filter(is_own).collect());
        }
        if after.is_empty()
            && let Some(found) = of_function_type(inner)
        {
            return Some(found);
        }
    }
    None
}

/// Returns the parameters of the function that Rust's `written` stands for: `impl Fn(A) -> R`, or a type
/// parameter that `signature` bounds so.
pub(super) fn of_rust_function<'s>(written: &'s str, signature: &'s str) -> Option<Vec<&'s str>> {
    let callables = ["Fn(", "FnMut(", "FnOnce(", "fn("];
    let of = |text: &'s str| {
        let starts = callables.iter().filter_map(|start| Some(text.find(start)? + start.len() - 1));
        let parts = split(inside(&text[starts.min()?..])?, b',').into_iter().map(str::trim);
        Some(parts.filter(|part| !part.is_empty()).collect::<Vec<&str>>())
    };
    let is_plain = written.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_plain {
        return of(written);
    }
    let bounds = signature.match_indices(written).filter_map(|(at, _)| {
        let is_whole = !signature[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let bound = signature[at + written.len()..].trim_start().strip_prefix(':')?;
        (is_whole && !bound.starts_with(':')).then(|| split(bound, b',')[0])
    });
    bounds.take(8).find_map(of)
}

/// Returns the type that is written behind a parameter's name, without a default.
pub(super) fn written_type(parameter: &str) -> Option<&str> {
    let (_, of) = parameter.split_once(':')?;
    let of = of.trim();
    Some(of.rfind(" = ").map_or(of, |at| of[..at].trim_end()))
}

/// Returns the chain of a value of a type as TypeScript writes it; of alternatives the first that
/// is not nothing.
pub(super) fn chain_of_type(written: &str) -> Option<String> {
    let is_something =
        |part: &&str| !part.is_empty() && !matches!(*part, "undefined" | "null" | "void");
    let mut part = split(written, b'|').into_iter().map(str::trim).find(is_something)?;
    part = split(part, b'&').into_iter().map(str::trim).find(is_something)?;
    part = part.trim_start_matches("readonly ").trim();
    if let Some(element) = part.strip_suffix("[]") {
        let element = chain_of_type(element)?;
        return Some(format!("@Array<{}>", element.trim_start_matches('@')));
    }
    let end = part.find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c)));
    let is_named = part.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_plain = end.is_none_or(|end| part[end..].starts_with('<') && part.ends_with('>'));
    let text = || part.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    (is_named && is_plain).then(|| format!("@{}", text()))
}

/// Returns what stands in the brackets that `text` begins with.
fn inside(text: &str) -> Option<&str> {
    let mut level = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => level += 1,
            b')' => level = level.saturating_sub(1),
            _ => {}
        }
        if level == 0 {
            return text.get(1..at);
        }
    }
    None
}
