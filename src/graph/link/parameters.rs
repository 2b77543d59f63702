//! How many arguments a function takes, by its signature.

use crate::lang::symbols::Symbol;

use super::chain::split;

/// The least and the greatest number of arguments; the greatest is 255 where there is no bound.
pub(super) type Arity = (u8, u8);

/// Returns how many arguments a call of the symbol has; `None` if its signature does not say.
/// O(bytes of the signature).
pub(super) fn arity(symbol: &Symbol) -> Option<Arity> {
    if !symbol.kind.is_callable() {
        return None;
    }
    let signature = symbol.signature.as_str();
    let name = signature.find(&format!("{}(", symbol.name)).map(|at| at + symbol.name.len());
    let name =
        name.or_else(|| signature.find(symbol.name.as_str()).map(|at| at + symbol.name.len()))?;
    let open = name + signature[name..].find('(')?;
    let inner = inside(&signature[open..])?;
    let (mut least, mut most) = (0_u8, 0_u8);
    for part in split(inner, b',').iter().map(|part| part.trim()) {
        let word = part.trim_start_matches('&').split([':', ' ', '=']).next().unwrap_or(part);
        let is_own = matches!(part, "self" | "cls" | "&self" | "&mut self" | "mut self")
            || (matches!(word, "self" | "cls" | "this") && most == 0);
        if part.is_empty() || part == "void" || part == "/" || part == "*" || is_own {
            continue;
        }
        if part.starts_with('*') && part.len() > 1 && part.as_bytes()[1] != b' '
            || part.contains("...")
        {
            most = u8::MAX;
            continue;
        }
        most = most.saturating_add(1);
        let is_optional = part.contains('=') || part.contains("?:") || part.ends_with('?');
        if !is_optional {
            least = least.saturating_add(1);
        }
    }
    Some((least, most))
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
