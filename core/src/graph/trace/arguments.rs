//! Parts of a text: the words of an expression, what is assigned to a name, the arguments of a call.
//!
//! The index has no expressions. Brackets and signs that most languages share suffice here: a wrong part
//! only adds or loses a step that the linker then resolves.

use std::ops::Range;

use super::bytes::{is_word_at, is_word_byte};
use super::closures;
use crate::base::ids::FileId;

/// A part of the text of a file.
#[derive(Clone)]
pub(super) struct Part<'t> {
    pub(super) file: FileId,
    pub(super) text: &'t [u8],
    pub(super) bytes: Range<usize>,
}

impl Part<'_> {
    /// Returns the part itself.
    pub(super) fn own(&self) -> &[u8] {
        self.text.get(self.bytes.clone()).unwrap_or_default()
    }
}

/// The most bytes of one value.
const VALUE_MAX: usize = 4 << 10;

/// The most bytes before a use in which the call around it may begin.
const AROUND_MAX: usize = 400;

/// The most bytes of the parameters of a closure.
const PARAMETERS_MAX: usize = 200;

/// Returns the words of a text that may be names, each with its occurrences in order, without those of one
/// letter.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &str> {
    all_words(text).filter(|word| word.len() > 1)
}

/// Returns the words of a text that may be names, in order.
pub(super) fn all_words(text: &[u8]) -> impl Iterator<Item = &str> {
    let words = text.split(|byte| !is_word_byte(&byte));
    words
        .filter(|word| word.first().is_some_and(|byte| !byte.is_ascii_digit()))
        .filter_map(|word| std::str::from_utf8(word).ok())
}

/// Returns the bytes of the value that is assigned to a name that ends at `at`: behind `=` or `:`, up to
/// the end of the expression; `None` if nothing is assigned there.
pub(super) fn assigned(text: &[u8], at: usize, language: &str) -> Option<Range<usize>> {
    let mut start = at + blanks(text, at);
    if text.get(start) == Some(&b'[') {
        // An element: `handlers["name"] = …`.
        start = end_of_value(text, start + 1) + 1;
        start += blanks(text, start);
    }
    let sign = text.get(start..start + 2)?;
    let skipped = match sign {
        b"==" | b"=~" | b"::" => return None,
        // The head of a block of Python.
        [b':', b'\n' | b'\r'] => return None,
        b"=>" | b":=" | b"+=" => 2,
        [b'=' | b':', _] => 1,
        // A call of a method of the value: `listeners.add(…)`.
        [b'.', _] | b"->" | b"?." => {
            let name = start + if sign[0] == b'.' { 1 } else { 2 };
            let end = name + text.get(name..)?.iter().take_while(is_word_byte).count();
            return match text.get(end) {
                Some(b'(') if end > name => of_call(text, end, language),
                _ => assigned_member(text, end),
            };
        }
        _ => return None,
    };
    Some(start + skipped..end_of_value(text, start + skipped))
}

/// Returns the value that is assigned to a member whose name ends at `at`.
fn assigned_member(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + blanks(text, at);
    match text.get(start..start + 2)? {
        b"==" | b"=>" => None,
        [b'=', _] => Some(start + 1..end_of_value(text, start + 1)),
        _ => None,
    }
}

/// Returns the arguments of the call in whose brackets the bytes `span` are, if they begin on one of a few
/// lines before.
pub(super) fn call_around(
    text: &[u8],
    span: &Range<usize>,
    language: &str,
) -> Option<Range<usize>> {
    let mut depth = 0_i32;
    for at in (span.start.saturating_sub(AROUND_MAX)..span.start).rev() {
        match text[at] {
            b')' | b']' | b'}' => depth += 1,
            b'[' | b'{' if depth == 0 => return None,
            b';' if depth == 0 => return None,
            b'(' if depth == 0 => {
                let is_call = at > 0 && is_word_byte(&&text[at - 1]);
                return is_call.then(|| of_call(text, at, language)).flatten();
            }
            b'(' | b'[' | b'{' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns true if a value contains a function without a name, in the notation of some language.
pub(super) fn has_closure(value: &[u8]) -> bool {
    const MARKS: [&[u8]; 6] = [b"=>", b"->", b"{", b"|", b"lambda", b"func"];
    MARKS.iter().any(|mark| value.windows(mark.len()).any(|part| part == *mark))
}

/// Returns true if the text of a type may be that of a function, in the notation of some language.
pub(super) fn names_function(text: &[u8]) -> bool {
    const MARKS: [&[u8]; 14] = [
        b"->",
        b"=>",
        b"fn",
        b"Fn",
        b"func",
        b"Func",
        b"Action",
        b"Callable",
        b"Callback",
        b"Consumer",
        b"Delegate",
        b"Handler",
        b"Runnable",
        b"Supplier",
    ];
    MARKS.iter().any(|mark| memchr::memmem::find(text, mark).is_some())
}

/// Returns true if the member whose name ends at `end` is called as what it holds: `(a.f)(x)`.
pub(super) fn is_called_in_brackets(text: &[u8], end: usize) -> bool {
    text.get(end..end + 2) == Some(b")(")
}

fn blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Returns the words in a part of a text that are followed by a bracket and are no members, with their
/// positions: `name(`, `name?.(`, `name.call(`.
pub(super) fn called_words<'a>(
    text: &'a [u8],
    part: &Range<usize>,
) -> impl Iterator<Item = (&'a str, usize)> {
    let end = part.end.min(text.len());
    let start = part.start.min(end);
    let brackets = memchr::memchr_iter(b'(', &text[start..end]);
    brackets.filter_map(move |open| {
        let mut before = &text[start..start + open];
        for called in [b"?.".as_slice(), b".call", b".apply", b".invoke"] {
            before = before.strip_suffix(called).unwrap_or(before);
        }
        let length = before.iter().rev().take_while(is_word_byte).count();
        let at = before.len() - length;
        let word = std::str::from_utf8(&before[at..]).ok()?;
        let is_member = before[..at].ends_with(b".") || before[..at].ends_with(b">");
        let is_name = length > 1 && !word.as_bytes()[0].is_ascii_digit() && !is_member;
        is_name.then_some((word, start + at))
    })
}

/// Returns true if a part of a text passes `this` or `self` as an argument.
pub(super) fn passes_instance(text: &[u8], part: &Range<usize>) -> bool {
    let part = text.get(part.clone()).unwrap_or_default();
    [b"this".as_slice(), b"self"].iter().any(|word| {
        memchr::memmem::find_iter(part, word).any(|at| {
            let before = part[..at].trim_ascii_end().last();
            let after = part[at + word.len()..].trim_ascii_start().first();
            matches!(before, Some(b'(' | b','))
                && matches!(after, Some(b')' | b','))
                && !part[..at].trim_ascii_end().ends_with(b"super(")
        })
    })
}

/// Returns true if a value is a name or a member of one: `handler`, `&self.handler`, `a->b`, `A::b`.
pub(super) fn is_path(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let is_sign = |byte: &u8| matches!(byte, b'.' | b':' | b'-' | b'>' | b'&' | b'*' | b'?');
    value.first().is_some_and(|byte| !byte.is_ascii_digit())
        && value.iter().all(|byte| is_word_byte(&byte) || is_sign(byte))
}

/// Returns true if the function or type that a name in `span` refers to is used as a value there: not
/// compared, deleted, or asked for a member. A type counts only as an argument.
pub(super) fn is_passed(text: &[u8], span: &Range<usize>, is_type: bool) -> bool {
    let before = text.get(..span.start).unwrap_or_default().trim_ascii_end();
    let after = text.get(span.end..).unwrap_or_default().trim_ascii_start();
    if is_type {
        let is_first = before.last().is_some_and(|byte| matches!(byte, b'(' | b','));
        return is_first && after.first().is_some_and(|byte| matches!(byte, b')' | b','));
    }
    const CALLS: [&[u8]; 5] = [b".call", b".apply", b".bind", b".invoke", b".method"];
    let is_member = after.starts_with(b".") && !CALLS.iter().any(|call| after.starts_with(call));
    const COMPARES: [&[u8]; 4] = [b"==", b"!=", b"is ", b"instanceof"];
    let ends_with = |word: &[u8]| {
        before.strip_suffix(word).is_some_and(|rest| {
            !word[0].is_ascii_alphabetic() || !is_word_at(rest, rest.len().wrapping_sub(1))
        })
    };
    const BEFORE: [&[u8]; 7] = [b"==", b"!=", b"typeof", b"del", b"delete", b"is", b"instanceof"];
    !is_member
        && !COMPARES.iter().any(|sign| after.starts_with(sign))
        && !BEFORE.iter().any(|word| ends_with(word))
}

/// Returns the end of the expression that begins at `start`: a line break, comma or semicolon outside of
/// all brackets, or a closing bracket of those around it.
pub(super) fn end_of_value(text: &[u8], start: usize) -> usize {
    let (mut depth, mut has_begun) = (0_i32, false);
    let end = text.len().min(start + VALUE_MAX);
    let mut at = start;
    while at < end {
        match text[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth < 0 {
                    return at;
                }
            }
            b',' | b';' if depth == 0 => return at,
            b'\n' if depth == 0 && has_begun => return at,
            // Commas separate the parameters of a closure of Rust.
            b'|' if depth == 0 => at = end_of_parameters(text, start, at),
            _ => {}
        }
        has_begun |= !text[at].is_ascii_whitespace();
        at += 1;
    }
    end
}

/// Returns the position of the sign that ends the parameters of the closure which begins at `at`, as in
/// `|a, b| …`; `at` itself if none begins there. `start` is the begin of the value.
fn end_of_parameters(text: &[u8], start: usize, at: usize) -> usize {
    let before = text[start..at].trim_ascii();
    let begins = before.is_empty()
        || matches!(before.last(), Some(b'(' | b',' | b'=' | b':' | b'&'))
        || before.ends_with(b"move")
        || before.ends_with(b"async");
    let rest = text.get(at + 1..).unwrap_or_default();
    let own = rest.iter().take_while(|byte| !matches!(byte, b'\n' | b';' | b'{' | b'}'));
    let length = own.take(PARAMETERS_MAX).position(|byte| *byte == b'|');
    match length {
        Some(length) if begins => at + 1 + length,
        _ => at,
    }
}

/// Returns the bytes between the brackets of a call whose name ends at `at`, and of a block that
/// follows it directly, where that is an argument.
pub(super) fn of_call(text: &[u8], at: usize, language: &str) -> Option<Range<usize>> {
    let rest = text.get(at..at + text.len().saturating_sub(at).min(VALUE_MAX))?;
    let open = rest.iter().position(|byte| matches!(byte, b'(' | b'{' | b'\n'))?;
    if rest[open] == b'\n' {
        // A command of Ruby: its arguments end with the line.
        return Some(at..at + open);
    }
    let start = at + open + 1;
    let mut end = start;
    loop {
        end = end_of_value(text, end);
        if text.get(end).is_none_or(|byte| matches!(byte, b')' | b'}')) {
            break;
        }
        end += 1;
        if end - start > VALUE_MAX {
            break;
        }
    }
    let after = text.get(end + 1..).unwrap_or_default();
    let blank = after.iter().take_while(|byte| **byte == b' ').count();
    if after.get(blank) == Some(&b'{') && closures::takes_block(text, at, language) {
        let block = end + 1 + blank + 1;
        let mut close = block;
        let mut depth = 1;
        while depth > 0 && close < text.len() && close - block < VALUE_MAX {
            depth += i32::from(text[close] == b'{') - i32::from(text[close] == b'}');
            close += 1;
        }
        end = close;
    }
    Some(start..end.min(text.len()))
}

/// Returns the position of the parameter `name` in a signature, from 0, without the instance that
/// methods of Python and Rust name.
pub(super) fn position(signature: &str, name: &str) -> Option<usize> {
    let text = signature.as_bytes();
    let mut start = 0;
    // The first brackets of Go may hold the receiver.
    while let Some(open) = text.get(start..)?.iter().position(|byte| *byte == b'(') {
        let all = start + open + 1..closing(text, start + open + 1);
        if let Some(position) = position_in(text, &all, name) {
            return Some(position);
        }
        start = all.end + 1;
    }
    None
}

fn position_in(text: &[u8], all: &Range<usize>, name: &str) -> Option<usize> {
    let mut parts = parts(text, all);
    let is_instance = |part: &Range<usize>| {
        let part = text.get(part.clone()).unwrap_or_default();
        words(part).last().is_some_and(|word| matches!(word, "self" | "cls"))
    };
    if parts.first().is_some_and(is_instance) {
        parts.remove(0);
    }
    let has_name = |part: &Range<usize>| words(&text[part.clone()]).any(|word| word == name);
    parts.iter().position(has_name)
}

/// Returns the argument for the parameter `name` at `position` among those of a call: the one that names
/// it, else the one at the position, else the last one, which is a block behind the brackets.
pub(super) fn argument(
    text: &[u8],
    all: &Range<usize>,
    name: &str,
    position: usize,
) -> Option<Range<usize>> {
    let parts = parts(text, all);
    let named = parts.iter().find(|part| {
        let part = &text[(*part).clone()];
        let start = part.trim_ascii_start();
        let rest = start.strip_prefix(name.as_bytes()).map(<[u8]>::trim_ascii_start);
        rest.is_some_and(|rest| {
            rest.first().is_some_and(|byte| matches!(byte, b':' | b'='))
                && !rest.starts_with(b"==")
                && !rest.starts_with(b"=>")
        })
    });
    if let Some(named) = named {
        let sign = text[named.clone()].iter().position(|byte| matches!(byte, b':' | b'='))?;
        return Some(named.start + sign + 1..named.end);
    }
    parts.get(position).or(parts.last()).cloned()
}

/// Returns the parts between the commas of a list.
fn parts(text: &[u8], all: &Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = all.start;
    while start < all.end {
        let mut end = start;
        // Line breaks do not end an argument.
        loop {
            end = end_of_value(text, end);
            if end >= all.end || text[end] != b'\n' {
                break;
            }
            end += 1;
        }
        let is_behind = end < all.end && text[end] == b')';
        let end = end.min(all.end);
        if !text[start..end].trim_ascii().is_empty() {
            parts.push(start..end);
        }
        start = end + 1;
        if is_behind && start < all.end {
            // A block behind the brackets.
            parts.push(start..all.end);
            break;
        }
    }
    parts
}

/// Returns the end of the list that begins at `start`, at its closing bracket.
fn closing(text: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        end = end_of_value(text, end);
        if text.get(end).is_none_or(|byte| matches!(byte, b')' | b'}' | b']')) {
            return end.min(text.len());
        }
        end += 1;
        if end - start > VALUE_MAX {
            return end.min(text.len());
        }
    }
}

/// Returns the name that a value is as a whole, `&name` or `...name` included.
pub(super) fn whole_name(value: &[u8]) -> Option<&str> {
    let value = value.trim_ascii();
    let name = value.iter().position(|byte| !matches!(byte, b'&' | b'*' | b'.'))?;
    let name = &value[name..];
    let is_name = !name.is_empty() && name.iter().all(|byte| is_word_byte(&byte));
    std::str::from_utf8(name).ok().filter(|_| is_name)
}
