//! The chains of Rust types in text without a syntax tree: in the token trees of macros and in
//! signatures.

use crate::lang::code_text::split;
use crate::lang::facts::Chain;

/// Maximum nesting of types.
const DEPTH_MAX: usize = 6;

/// Smart pointers, which are replaced by the type that they point to.
const POINTERS: [&str; 9] =
    ["Box", "Rc", "Arc", "Pin", "Cow", "Ref", "RefMut", "MutexGuard", "ManuallyDrop"];

/// Returns the chain of a value of the type `text`, or `None` for a type without a name. O(text).
pub(crate) fn chain_of(text: &str) -> Option<Chain> {
    let name = name_of(text, DEPTH_MAX)?;
    Some(if name == "Self" { Chain::own() } else { Chain::instance(&name) })
}

fn name_of(text: &str, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let text = bare(text);
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        let element = inner.split(';').next().unwrap_or(inner);
        return Some(format!("slice<{}>", name_of(element, depth)?));
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return Some(format!("tuple<{}>", arguments(inner, depth)));
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let (path, rest) = text.split_at(end.unwrap_or(text.len()));
    let is_named = path.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if !is_named {
        return None;
    }
    let inner = rest.trim().strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let path = path.replace("::", ".");
    let own = path.rsplit('.').next().unwrap_or(&path);
    match inner {
        Some(inner) if POINTERS.contains(&own) => {
            let mut parts = split(inner, b',').into_iter().map(str::trim);
            name_of(parts.find(|part| !part.starts_with('\''))?, depth)
        }
        Some(inner) => Some(format!("{path}<{}>", arguments(inner, depth))),
        None if rest.trim().is_empty() || rest.trim_start().starts_with('+') => Some(path),
        None => None,
    }
}

/// Returns the arguments between brackets; an argument without a name is `_`.
fn arguments(text: &str, depth: usize) -> String {
    let parts = split(text, b',').into_iter().map(str::trim);
    let parts = parts.filter(|part| !part.is_empty() && !part.starts_with('\''));
    let named = parts.map(|part| {
        // `Item = A` or `Item: A`, but not `Fn() -> A` or `a::B`.
        let bound = || {
            let (name, of) = part.split_once(':').filter(|(_, of)| !of.starts_with(':'))?;
            Some((name, split(of, b'+').first().copied()?))
        };
        let named = part.split_once('=').or_else(bound);
        let (name, of) = named.filter(|(name, _)| is_name(name.trim())).unzip();
        let of = name_of(of.unwrap_or(part), depth).unwrap_or_else(|| "_".to_owned());
        name.map_or_else(|| of.clone(), |name| format!("{}={of}", name.trim()))
    });
    named.collect::<Vec<String>>().join(",")
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns the type without leading references, lifetimes and keywords.
fn bare(mut text: &str) -> &str {
    for _ in 0..8 {
        text = text.trim().trim_start_matches(['&', '*']).trim_start();
        if let Some(lifetime) = text.strip_prefix('\'') {
            text = lifetime.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            continue;
        }
        let words = ["mut ", "const ", "dyn ", "impl "];
        match words.iter().find_map(|word| text.strip_prefix(word)) {
            Some(rest) => text = rest,
            None => return text,
        }
    }
    text
}
