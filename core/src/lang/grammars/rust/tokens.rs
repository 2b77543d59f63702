//! Names in the token trees of Rust macro calls, which the grammar does not parse.

use tree_sitter::Node;

use super::values::{POINTER_CONSTRUCTORS, operator_method};
use super::written;
use crate::lang::chain;
use crate::lang::code_text;
use crate::lang::facts::{Chain, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Methods that return a value of the type that their argument names.
const MAKING_METHODS: [&[u8]; 3] = [b".collect::<", b".sum::<", b".product::<"];

/// Names that are keywords in some places only.
const KEYWORD_NAMES: [&str; 3] = ["default", "gen", "union"];

/// Number of bytes after a name that are searched for its type or value.
const BOUND_BYTES_MAX: usize = 200;

/// Records the calls of names in the visited token tree that the grammar takes for keywords.
pub(super) fn keyword_names(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut cursor = node.walk();
    let is_keyword = |token: &Node<'_>| KEYWORD_NAMES.contains(&token.kind_name());
    for token in node.children(&mut cursor).filter(is_keyword) {
        let after = &visit.text[token.end_byte()..];
        let is_called = after.starts_with(b"(") || after.starts_with(b"::<");
        let is_defined = visit.text[..token.start_byte()].trim_ascii_end().ends_with(b"fn");
        if is_called && !is_defined {
            name(visit, notes, token);
        }
    }
}

/// Records the name `node` by the text around it.
pub(super) fn name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, node: Node<'_>) {
    // The name of a definition.
    if node == visit.node() && !visit.defined.is_empty() {
        return;
    }
    let span = node.byte_range();
    let own = visit.bytes(node);
    let around = code_text::around(visit.text, span.clone());
    let next = visit.text[span.end..].trim_ascii_start();
    let is_set = next.first() == Some(&b'=') && !matches!(next.get(1), Some(b'=' | b'>'));
    if !around.is_member && (is_set || is_bound(&visit.text[..span.start])) {
        let chain = bound_to(notes, &visit.text[span.end..]);
        return notes.declare(node, chain);
    }
    let is_capital = own.first().is_some_and(u8::is_ascii_uppercase);
    let receiver = around.is_member.then(|| {
        let before = &visit.text[around.start..span.start];
        let before = before.trim_ascii_end();
        let path = before.strip_suffix(b"::").or(before.strip_suffix(b"."));
        // `$name` can be any expression, but in `$name::` only a type or a module.
        let is_open = visit.text[..around.start].ends_with(b"$");
        let is_name = |path: &&[u8]| path.iter().all(|&byte| code_text::is_name(byte));
        let variable = path.filter(|path| is_open && before.ends_with(b"::") && is_name(path));
        if let Some(name) = variable.and_then(|name| std::str::from_utf8(name).ok()) {
            return Chain::name(format!("${name}"));
        }
        let path = path.filter(|_| !is_open);
        path.and_then(|path| chain_of(notes, path)).unwrap_or_else(Chain::unknown)
    });
    let receiver = receiver.or_else(|| qualified(&visit.text[..span.start]));
    if receiver.is_none() && (own == b"Self" || matches!(notes.local(own), NameLookup::Local(_))) {
        return;
    }
    // `#[cfg(…)]` does not contain calls.
    let in_attribute = (1..8).any(|levels| visit.ancestor_kind(levels) == "attribute");
    if matches!(own, b"Some" | b"Ok" | b"Err" | b"None") {
        return;
    }
    match () {
        () if in_attribute && !is_capital => notes.refer(visit, node, Role::Read, receiver),
        () if around.is_called => notes.call(visit, node, receiver, around.arguments),
        () if around.is_marked => notes.call(visit, node, receiver, 0),
        () if is_capital => notes.refer(visit, node, Role::Type, receiver),
        () => notes.refer(visit, node, Role::Read, receiver),
    }
}

/// Returns the chain of the type in `<Type as Trait>::` before a name, or of the trait if the type is the
/// variable of a macro.
fn qualified(before: &[u8]) -> Option<Chain> {
    let inner = before.trim_ascii_end().strip_suffix(b"::")?.trim_ascii_end().strip_suffix(b">")?;
    let inner = &inner[inner.len().saturating_sub(BOUND_BYTES_MAX)..];
    let mut level = 0_usize;
    let open = inner.iter().rposition(|byte| {
        let is_open = *byte == b'<' && level == 0;
        level = match byte {
            b'>' => level + 1,
            b'<' => level.saturating_sub(1),
            _ => level,
        };
        is_open
    })?;
    let (of, of_trait) = std::str::from_utf8(&inner[open + 1..]).ok()?.split_once(" as ")?;
    let of = if of.trim_start().starts_with('$') { of_trait } else { of };
    let path = of.split('<').next()?.trim();
    let is_path = path.chars().all(|c| c.is_alphanumeric() || "_:".contains(c));
    (is_path && !path.is_empty()).then(|| Chain::name(path.replace("::", ".")))
}

/// Returns the chain of a bound name from the text after it: `: Type` of a closure parameter or a
/// `let`, or `= value;` of a `let`.
fn bound_to(notes: &Notes<'_>, after: &[u8]) -> Option<Chain> {
    let after = &after[..after.len().min(BOUND_BYTES_MAX)];
    let after = after.trim_ascii_start();
    if let Some(of) = after.strip_prefix(b":") {
        let end = end_of(of, |byte| matches!(byte, b',' | b'|' | b'=' | b';'))?;
        return written::chain_of(std::str::from_utf8(&of[..end]).ok()?);
    }
    let value = after.strip_prefix(b"=").filter(|value| value.first() != Some(&b'='))?;
    let value = &value[..end_of(value, |byte| byte == b';')?];
    let value = value.trim_ascii_start();
    let value = value.strip_prefix(b"&").unwrap_or(value).trim_ascii_start();
    let value = value.strip_prefix(b"mut ").unwrap_or(value);
    chain_of(notes, value)
}

/// Returns the name of the range's type of the standard library.
pub(super) fn range_type(has_start: bool, has_end: bool, operator: &[u8]) -> Option<&'static str> {
    let is_closed = operator == b"..=";
    match (has_start, has_end) {
        (true, true) if is_closed => Some("RangeInclusive"),
        (true, true) => Some("Range"),
        (true, false) => Some("RangeFrom"),
        (false, true) if is_closed => Some("RangeToInclusive"),
        (false, true) => Some("RangeTo"),
        (false, false) => None,
    }
}

/// Returns the chain of what parentheses contain at the start of an expression, `(a..b).name()`, with
/// the steps that follow.
fn in_parentheses(notes: &Notes<'_>, text: &[u8]) -> Option<Chain> {
    let inner = text.strip_prefix(b"(")?;
    let end = end_of(inner, |_| false)?;
    let (inner, after) = (inner[..end].trim_ascii(), &inner[end + 1..]);
    let dots = top_level(inner, b"..");
    let of = match dots {
        Some(at) => {
            let rest = &inner[at + 2..];
            let operator: &[u8] = if rest.starts_with(b"=") { b"..=" } else { b".." };
            let has_end = rest.len() + 2 > operator.len();
            let name = range_type(at > 0, has_end, operator)?;
            Chain::instance(&format!("{name}<_>"))
        }
        None if top_level(inner, b",").is_some() => return None,
        None if top_level(inner, b" ").is_some() => operated(notes, inner)?,
        None if inner.starts_with(b"!") || inner.starts_with(b"-") => {
            let name: &[u8] = if inner.starts_with(b"!") { b"not" } else { b"neg" };
            chain::called(chain::member(chain_of(notes, &inner[1..]), name))?
        }
        None => {
            let inner = inner.strip_prefix(b"&").unwrap_or(inner).trim_ascii_start();
            chain_of(notes, inner.strip_prefix(b"mut ").unwrap_or(inner))?
        }
    };
    // The steps are those of a name in place of the parentheses.
    let steps = code_text::chain_of(notes, &[&b"Self"[..], after].concat())?;
    steps.with_root(of).bounded()
}

/// Returns the chain of an expression that contains the result of `collect::<Type>()`, from there on.
fn collected(notes: &Notes<'_>, text: &[u8]) -> Option<Chain> {
    let start = MAKING_METHODS
        .iter()
        .find_map(|method| memchr::memmem::rfind(text, method).map(|at| at + method.len()))?;
    let end = start + end_of(&text[start..], |_| false)?;
    let of = written::chain_of(std::str::from_utf8(&text[start..end]).ok()?)?;
    let inner = text.get(end + 1..)?.strip_prefix(b"(")?;
    let after = &inner[end_of(inner, |_| false)? + 1..];
    let steps = code_text::chain_of(notes, &[&b"Self"[..], after].concat())?;
    steps.with_root(of).bounded()
}

/// Returns the chain of a call with type arguments, `name::<A>()`, and of the steps after it.
fn generic_call(notes: &Notes<'_>, text: &[u8]) -> Option<Chain> {
    let length = text.iter().take_while(|&&byte| code_text::is_name(byte)).count();
    let start = length + text[length..].strip_prefix(b"::<").map(|_| b"::<".len())?;
    let end = start + end_of(&text[start..], |_| false)?;
    let inner = text.get(end + 1..)?.strip_prefix(b"(")?;
    let after = &inner[end_of(inner, |_| false)? + 1..];
    let name = chain::of_name(notes, &text[..length])?;
    let generic = chain::called(generic_name(&name, &text[start - 1..=end]))?;
    let steps = code_text::chain_of(notes, &[&b"Self"[..], after].concat())?;
    steps.with_root(generic).bounded()
}

/// Returns the name of a function with its type arguments, which are written in brackets; `None` if one of
/// them is no plain name.
pub(super) fn generic_name(name: &Chain, arguments: &[u8]) -> Option<Chain> {
    let is_plain = |byte: &u8| code_text::is_name(*byte) || b"<>, _".contains(byte);
    let name = name.as_path().filter(|name| name.bytes().all(code_text::is_name))?;
    let list = std::str::from_utf8(arguments).ok()?.replace("::<", "<");
    let list = list.strip_prefix('<').filter(|list| list.bytes().all(|it| is_plain(&it)))?;
    Chain::name(format!("{}<{}", name, list.replace(' ', ""))).bounded()
}

/// Returns the chain of an operation on a value: `a & b`. Operators of several kinds are read from the left.
fn operated(notes: &Notes<'_>, text: &[u8]) -> Option<Chain> {
    let at = top_level(text, b" ")?;
    let rest = text[at..].trim_ascii_start();
    let end = rest.iter().position(u8::is_ascii_whitespace)?;
    let name = operator_method(&rest[..end])?;
    chain::called(chain::member(chain_of(notes, &text[..at]), name))
}

/// Returns the offset of the first `mark` outside of brackets.
fn top_level(text: &[u8], mark: &[u8]) -> Option<usize> {
    let mut level = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => level += 1,
            b')' | b']' | b'}' => level = level.saturating_sub(1),
            _ if level == 0 && text[at..].starts_with(mark) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns the chain of an expression; one in a pointer's constructor is that of what it points to:
/// `x.poll()` of `Pin::new(&mut x).poll()`.
pub(super) fn chain_of(notes: &Notes<'_>, text: &[u8]) -> Option<Chain> {
    let text = text.trim_ascii_start();
    if text.starts_with(b"(") {
        return in_parentheses(notes, text);
    }
    if let Some(made) = collected(notes, text).or_else(|| generic_call(notes, text)) {
        return Some(made);
    }
    let open = text.iter().position(|&byte| byte == b'(');
    let Some(open) = open.filter(|&open| POINTER_CONSTRUCTORS.contains(&&text[..open])) else {
        return code_text::chain_of(notes, text);
    };
    let end = end_of(&text[open + 1..], |_| false).map(|end| open + 1 + end)?;
    let inner = text[open + 1..end].trim_ascii_start();
    let inner = inner.trim_ascii_start().strip_prefix(b"&").unwrap_or(inner).trim_ascii_start();
    let inner = inner.strip_prefix(b"mut ").unwrap_or(inner);
    let plain = [inner, &text[end + 1..]].concat();
    code_text::chain_of(notes, &plain)
}

/// Returns the offset of the first byte outside of brackets for which `ends` returns true, or of an
/// unmatched closing bracket.
fn end_of(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<usize> {
    let mut level = 0_usize;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => level += 1,
            b'>' if at > 0 && matches!(text[at - 1], b'-' | b'=') => {}
            b'>' | b')' | b']' | b'}' if level == 0 => return Some(at),
            b'>' | b')' | b']' | b'}' => level -= 1,
            byte if level == 0 && ends(byte) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns true if a name after the text `before` is bound by a `let`, a `for` or a closure.
fn is_bound(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let word = before.strip_suffix(b"mut").map_or(before, |before| before.trim_ascii_end());
    let ends_word = |word: &[u8], end: &[u8]| {
        word.strip_suffix(end)
            .is_some_and(|rest| !rest.last().copied().is_some_and(code_text::is_name))
    };
    if ends_word(word, b"let") || ends_word(word, b"for") {
        return true;
    }
    // `|name| …` as an argument, but not `a | name`.
    let opens = word.strip_suffix(b"|").map(|rest| rest.trim_ascii_end());
    opens.is_some_and(|rest| matches!(rest.last(), Some(b'(' | b',')) || ends_word(rest, b"move"))
}
