//! Receivers that are literals: texts, numbers, truth values and lists. What they are shows their text, also
//! where the facts have no type of them, as in macros of Rust. Only methods that are added to types of the
//! language can be meant.

use super::dialect::Group;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::{Reason, Use};
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, Root};

/// The shortest name that is guessed for a receiver of unknown type.
pub(super) const GUESSED_MIN: usize = 3;

/// The longest literal whose start is searched.
const LITERAL_BYTES_MAX: usize = 4000;

/// The longest run of letters before a text that states how it is written: `br"a"`.
const PREFIX_MAX: usize = 3;

/// The most definitions of a name that a call on a literal may refer to.
const DEFINITIONS_MAX: usize = 4;

/// The most types of the name of an owner that are examined.
const OWNERS_MAX: usize = 64;

/// Types of languages that programs open again.
const OPENED: [&str; 18] = [
    "Array",
    "BasicObject",
    "Boolean",
    "FalseClass",
    "Float",
    "Function",
    "Hash",
    "Integer",
    "NilClass",
    "Number",
    "Numeric",
    "Object",
    "Range",
    "RegExp",
    "Regexp",
    "String",
    "Symbol",
    "TrueClass",
];

/// The types of Rust of numbers whose text does not state one.
const INTEGERS: [&str; 12] =
    ["i32", "u32", "u64", "usize", "i64", "u8", "u16", "i8", "i16", "isize", "u128", "i128"];
const FLOATS: [&str; 2] = ["f64", "f32"];

/// A literal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Literal<'t> {
    Text,
    /// A text of bytes.
    Bytes,
    /// A text that a macro of Rust makes.
    Made,
    Character,
    Number(&'t [u8]),
    Truth,
    List,
    /// A list that a macro of Rust makes.
    Vector,
}

impl Walk<'_> {
    /// Returns what a call on a literal refers to, whose type the facts do not have; `None` for another
    /// receiver. O(literal), and O(definitions of the name).
    pub(super) fn of_literal(&self, place: Place, used: Use<'_>) -> Option<Vec<Candidate>> {
        let (root, steps) = used.receiver?.decode();
        let is_possible = match root {
            Root::Unknown | Root::Instance(_) => steps.is_done(),
            // A number in a macro of Rust.
            Root::Name(name) => name.starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        if !is_possible {
            return None;
        }
        let facts = self.facts(place.file)?;
        // Other names are not guessed, either.
        let is_guessed =
            used.name.len() >= GUESSED_MIN && !facts.dialect.common.contains(&used.name);
        if !is_guessed || self.code.named(used.name).is_empty() {
            return None;
        }
        let group = facts.dialect.group;
        let text = self.code.text(place.file)?;
        let literal = before(text.get(..used.start?)?, group)?;
        let mut found = match group {
            Group::Rust => {
                let member = |of: &&str| {
                    let chain = Chain::instance(of);
                    self.candidates(place, Use { receiver: Some(&chain), ..used })
                };
                let mut found: Vec<Candidate> = types(literal).iter().flat_map(member).collect();
                found.retain(|it| matches!(it.value, Value::Name(_)));
                found
            }
            _ => {
                let named = self.members_by_name(&facts, used);
                let added = named.found.iter().copied().filter(|at| self.is_added(*at));
                let added: Vec<SymbolAt> = added.take(DEFINITIONS_MAX).collect();
                let (confidence, reason) = match added.len() {
                    1 => (weights::ONLY_FIT, Reason::OnlyFit),
                    _ => (weights::FEW, Reason::Ambiguous),
                };
                let made = |at| Candidate::new(Value::Name(at), confidence, reason);
                added.into_iter().map(made).collect()
            }
        };
        if found.is_empty() {
            found.push(Candidate::new(Value::Outside, 1.0, Reason::Receiver));
        }
        Some(found)
    }

    /// Returns true for a member that a type of the language may have: it is not one of a type of the
    /// repository.
    fn is_added(&self, at: SymbolAt) -> bool {
        let Some((facts, place)) = self.symbol(at) else { return false };
        let is_ours = |name: &str| {
            !OPENED.contains(&name)
                && self.code.named(name).iter().take(OWNERS_MAX).any(|&of| {
                    self.symbol(of).is_some_and(|(there, at)| {
                        let is_conversion = || self.signature(of).contains("implicit ");
                        let is_type = is_type(there.symbols[at].kind);
                        is_type && !is_conversion() || there.is_constructor_function(at)
                    })
                })
        };
        match self.extended(&facts, at, place) {
            Some((of, _)) => !is_ours(&of),
            None => facts.owner(place).is_none_or(|owner| !is_ours(owner)),
        }
    }
}

/// Returns the types of Rust that a literal may have.
fn types(literal: Literal<'_>) -> Vec<&'static str> {
    match literal {
        Literal::Text => vec!["str"],
        Literal::Bytes | Literal::List => vec!["slice<_>"],
        Literal::Made => vec!["String", "str"],
        Literal::Character => vec!["char"],
        Literal::Truth => vec!["bool"],
        Literal::Vector => vec!["Vec<_>"],
        Literal::Number(text) => {
            let all = INTEGERS.iter().chain(&FLOATS);
            let stated = all.copied().find(|of| text.ends_with(of.as_bytes()));
            match stated {
                Some(of) => vec![of],
                None if text.contains(&b'.') => FLOATS.to_vec(),
                None => [&INTEGERS[..], &FLOATS[..]].concat(),
            }
        }
    }
}

/// Returns the literal whose member a name is; `text` ends before the name.
fn before(text: &[u8], group: Group) -> Option<Literal<'_>> {
    let text = &text[text.len().saturating_sub(LITERAL_BYTES_MAX)..];
    let text = text.trim_ascii_end();
    let receiver = match group {
        Group::Php => text.strip_suffix(b"?->").or_else(|| text.strip_suffix(b"->"))?,
        _ => text.strip_suffix(b".")?,
    };
    let receiver = receiver.strip_suffix(b"?").unwrap_or(receiver);
    let receiver = receiver.strip_suffix(b"&").unwrap_or(receiver).trim_ascii_end();
    ending(receiver, group).map(|(literal, _)| literal)
}

/// Returns the literal at the end of a text, and where it begins.
fn ending(text: &[u8], group: Group) -> Option<(Literal<'_>, usize)> {
    match *text.last()? {
        quote @ (b'"' | b'\'') => quoted(text, quote, group),
        b'`' if group == Group::JavaScript => quoted(text, b'`', group),
        b'#' if matches!(group, Group::Rust | Group::Swift) => {
            let end = text.iter().rposition(|&byte| byte != b'#')? + 1;
            quoted(&text[..end], b'"', group).filter(|_| text[..end].ends_with(b"\""))
        }
        b']' => list(text, group),
        b')' => in_parentheses(text, group),
        b'}' => array(text, group),
        b'/' if matches!(group, Group::JavaScript | Group::Ruby) => {
            quoted(text, b'/', group).filter(|(_, start)| !text[*start..].contains(&b'\n'))
        }
        byte if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' => word(text, group),
        _ => None,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the text in quotes at the end of a text. What is written before the quotes in other languages than
/// its own may call a function: `` tag`a` ``, `sql"a"`.
fn quoted(text: &[u8], quote: u8, group: Group) -> Option<(Literal<'_>, usize)> {
    let triple = [quote; 3];
    let (marks, inner) = match text.strip_suffix(&triple[..]) {
        Some(inner) if inner.len() >= 3 => (&triple[..], inner),
        _ => (&triple[..1], &text[..text.len() - 1]),
    };
    let mut end = inner.len();
    let open = loop {
        let at = memchr::memmem::rfind(&inner[..end], marks)?;
        let escapes = inner[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if escapes % 2 == 0 {
            break at;
        }
        end = at;
    };
    let prefix = inner[..open].iter().rev().take_while(|&&byte| is_name(byte)).count();
    let prefix = &inner[open - prefix..open];
    let is_known = match (group, &prefix.to_ascii_lowercase()[..]) {
        (_, b"") => true,
        (Group::Python, prefix) => prefix.iter().all(|byte| b"rbfut".contains(byte)),
        (Group::Rust, b"r" | b"b" | b"br" | b"c" | b"cr") => true,
        (Group::Java, b"s" | b"f" | b"raw") => true,
        (Group::C, b"l" | b"u" | b"u8") => true,
        _ => false,
    };
    // `x[0]"` ends no call, but the value of a tag does.
    let is_tagged = quote == b'`' && inner[..open].ends_with(b")");
    if prefix.len() > PREFIX_MAX || !is_known || is_tagged {
        return None;
    }
    let is_bytes = matches!(group, Group::Rust | Group::Python) && prefix.contains(&b'b');
    let is_character =
        quote == b'\'' && matches!(group, Group::Rust | Group::Java | Group::CSharp | Group::C);
    let literal = match () {
        () if is_character && is_bytes => Literal::Number(b"u8"),
        () if is_character => Literal::Character,
        () if is_bytes => Literal::Bytes,
        () => Literal::Text,
    };
    Some((literal, open - prefix.len()))
}

/// Returns the list in brackets at the end of a text; brackets after a value are an index.
fn list(text: &[u8], group: Group) -> Option<(Literal<'_>, usize)> {
    let has_lists = matches!(
        group,
        Group::Java
            | Group::JavaScript
            | Group::Php
            | Group::Python
            | Group::Ruby
            | Group::Rust
            | Group::Swift
    );
    let open = opening(text).filter(|_| has_lists)?;
    let before = &text[..open];
    match before.last() {
        Some(b'!') => of_macro(text, open, group),
        // Lists of words.
        Some(b'w' | b'i') if group == Group::Ruby && before[..open - 1].ends_with(b"%") => {
            Some((Literal::List, open - 2))
        }
        Some(&byte) if is_name(byte) || b")]}\"'`?>#%$@".contains(&byte) => None,
        _ => Some((Literal::List, open)),
    }
}

/// Returns the array at the end of a text whose elements follow its type: `new[] { 1 }`.
fn array(text: &[u8], group: Group) -> Option<(Literal<'_>, usize)> {
    let open = opening(text).filter(|_| matches!(group, Group::CSharp | Group::Java))?;
    text[..open].trim_ascii_end().ends_with(b"]").then_some((Literal::List, open))
}

/// Returns the literal that a macro of Rust makes, whose brackets open at `open`.
fn of_macro(text: &[u8], open: usize, group: Group) -> Option<(Literal<'_>, usize)> {
    let before = text[..open].strip_suffix(b"!").filter(|_| group == Group::Rust)?;
    let length = before.iter().rev().take_while(|&&byte| is_name(byte)).count();
    let start = before.len() - length;
    let literal = match &before[start..] {
        b"vec" => Literal::Vector,
        b"format" => Literal::Made,
        b"concat" | b"env" | b"include_str" | b"stringify" => Literal::Text,
        _ => return None,
    };
    Some((literal, start))
}

/// Returns the literal in parentheses at the end of a text: `(5)`; or that of a macro.
fn in_parentheses(text: &[u8], group: Group) -> Option<(Literal<'_>, usize)> {
    let open = opening(text)?;
    match text[..open].last() {
        Some(b'!') => of_macro(text, open, group),
        Some(&byte) if is_name(byte) || b")]}\"'`?>".contains(&byte) => None,
        _ => {
            let inner = text[open + 1..text.len() - 1].trim_ascii();
            let has_tuples = matches!(group, Group::Java | Group::Python | Group::Swift);
            let is_range = group == Group::Ruby && memchr::memmem::find(inner, b"..").is_some();
            if is_range || has_tuples && has_parts(inner) {
                return Some((Literal::List, open));
            }
            let (literal, start) = ending(inner, group)?;
            (start == 0).then_some((literal, open))
        }
    }
}

/// Returns true if a comma separates a text.
fn has_parts(text: &[u8]) -> bool {
    let mut level = 0_usize;
    text.iter().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => level += 1,
            b')' | b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        *byte == b',' && level == 0
    })
}

/// Returns the number or truth value at the end of a text; in Ruby, also a symbol.
fn word(text: &[u8], group: Group) -> Option<(Literal<'_>, usize)> {
    let text = text.strip_suffix(b".").filter(|_| group == Group::JavaScript).unwrap_or(text);
    let is_part = |&&byte: &&u8| is_name(byte) || byte == b'.';
    let start = text.len() - text.iter().rev().take_while(is_part).count();
    let word = &text[start..];
    let is_number = word.first().is_some_and(u8::is_ascii_digit);
    if is_number {
        // `1.5`, but not `x.0` and not `1.a`.
        let parts = word.split(|byte| *byte == b'.');
        let is_plain = parts.into_iter().all(|part| part.first().is_some_and(u8::is_ascii_digit));
        return is_plain.then_some((Literal::Number(word), start));
    }
    let before = &text[..start];
    if group == Group::Ruby
        && let Some(before) = before.strip_suffix(b":")
        && before.last().is_none_or(|byte| byte.is_ascii_whitespace() || b"([,{".contains(byte))
    {
        return Some((Literal::Text, start - 1));
    }
    let is_constant = match word {
        b"true" | b"false" => group != Group::Python,
        b"True" | b"False" => group == Group::Python,
        b"nil" => group == Group::Ruby,
        _ => false,
    };
    let is_alone = !before.last().is_some_and(|byte| b":$@>".contains(byte));
    (is_constant && is_alone).then_some((Literal::Truth, start))
}

/// Returns where the bracket opens that closes at the end of a text. Brackets in texts do not count.
fn opening(text: &[u8]) -> Option<usize> {
    let (mut level, mut at) = (0_usize, text.len());
    while at > 0 {
        at -= 1;
        match text[at] {
            b')' | b']' | b'}' => level += 1,
            b'(' | b'[' | b'{' => {
                level = level.checked_sub(1)?;
                if level == 0 {
                    return Some(at);
                }
            }
            quote @ (b'"' | b'\'') => {
                // A quote of a lifetime opens nothing.
                let open = memchr::memrchr(quote, &text[..at]);
                let is_text = |open: &usize| !text[*open..at].contains(&b'\n');
                at = match open.filter(is_text) {
                    Some(open) if quote == b'"' || at - open <= PREFIX_MAX + 1 => open,
                    _ => at,
                };
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(group: Group, text: &str, expected: Option<Literal<'_>>) {
        assert_eq!(before(text.as_bytes(), group), expected, "{text}");
    }

    #[test]
    fn literals_are_read_backwards() {
        use Literal::{Bytes, Character, List, Made, Number, Text, Truth, Vector};
        let of = |text: &str, expected| check(Group::Rust, text, Some(expected));
        of("x(\"a\".", Text);
        of("x(\"a\\\"b\".", Text);
        of("x(r#\"a\"#.", Text);
        of("b\"a\".", Bytes);
        of("format!(\"{}\", f(')')).", Made);
        of("vec![0; 4].", Vector);
        of("vec![\"]\"]\n    .", Vector);
        of("&[1, 2].", List);
        of("'a'.", Character);
        of("b'a'.", Number(b"u8"));
        of("-5u32.", Number(b"5u32"));
        of("(1.5).", Number(b"1.5"));
        of("return true.", Truth);
        check(Group::JavaScript, "5..", Some(Number(b"5")));
        check(Group::Php, "\"a\"->", Some(Text));
        check(Group::Python, "rb'''a'''.", Some(Bytes));
        check(Group::Ruby, "[1]&.", Some(List));
        check(Group::Ruby, "%w[a b].", Some(List));
        check(Group::Ruby, "x :a.", Some(Text));
        check(Group::CSharp, "new int[] { 1 }.", Some(List));
    }

    #[test]
    fn other_receivers_are_no_literals() {
        for text in ["x.", "x.0.", "x[0].", "f(1).", "x().0.1.", "m![1].", "f(\"a\").", "a::true."]
        {
            check(Group::Rust, text, None);
        }
        check(Group::JavaScript, "tag`a`.", None);
        check(Group::Java, "sql\"a\".", None);
        check(Group::JavaScript, "x[\"a\"].", None);
        check(Group::Ruby, "a ? b :c::D.", None);
        check(Group::CSharp, "new A { X = 1 }.", None);
    }
}
