//! Code in the templates of Vue and Svelte: expressions between braces and in attributes, and the names
//! of components. It stays in the masked text as statements: `;price(1);`.

use std::ops::Range;

use bstr::ByteSlice;

use super::{find_tag, scripts, tag_len};

/// Maximum number of tags and expressions of one file.
const PARTS_MAX: usize = 1 << 16;

/// Words of Svelte before an expression in braces, and the word that ends the expression.
const BLOCKS: [(&[u8], &[u8]); 9] = [
    (b"#if", b""),
    (b":else if", b""),
    (b"#each", b" as "),
    (b"#await", b" then "),
    (b"#key", b""),
    (b"@html", b""),
    (b"@render", b""),
    (b"@attach", b""),
    (b"...", b""),
];

/// Puts the code in the template of a Vue component into `masked`.
pub(super) fn unmask_vue(text: &[u8], masked: &mut [u8]) {
    for range in templates(text) {
        let part = &text[range.clone()];
        for at in part.find_iter(b"{{").take(PARTS_MAX) {
            let start = range.start + at + 2;
            if let Some(len) = text[start..range.end].find(b"}}") {
                keep(text, masked, start..start + len);
            }
        }
        for tag in tags(text, range) {
            component(text, masked, tag.start);
            for (name, value) in attributes(text, tag) {
                match &text[name] {
                    [b':' | b'@', ..] => keep(text, masked, value),
                    b"v-for" => {
                        let written = &text[value.clone()];
                        let word = [&b" in "[..], b" of "].iter().find_map(|it| written.find(it));
                        if let Some(at) = word {
                            keep(text, masked, value.start + at + 4..value.end);
                        }
                    }
                    name if name.starts_with(b"v-") && !name.starts_with(b"v-slot") => {
                        keep(text, masked, value);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Puts the code in the template of a Svelte component into `masked`.
pub(super) fn unmask_svelte(text: &[u8], masked: &mut [u8]) {
    for range in templates(text) {
        for tag in tags(text, range.clone()) {
            component(text, masked, tag.start);
        }
        let mut at = range.start;
        for _ in 0..PARTS_MAX {
            let Some(open) = text[at..range.end].find_byte(b'{') else { break };
            let start = at + open + 1;
            let Some(end) = closing(&text[..range.end], start) else { break };
            at = end + 1;
            keep(text, masked, block(text, start..end));
        }
    }
}

/// Returns the expression in braces of Svelte, without the words around it.
fn block(text: &[u8], inside: Range<usize>) -> Range<usize> {
    let written = &text[inside.clone()];
    let Some((word, until)) = BLOCKS.iter().find(|(word, _)| written.starts_with(word)) else {
        let has_sign = written.first().is_some_and(|byte| b"#:@/".contains(byte));
        return if has_sign { inside.start..inside.start } else { inside };
    };
    let start = inside.start + word.len();
    let rest = &text[start..inside.end];
    let end = if until.is_empty() { None } else { rest.find(until) };
    start..start + end.unwrap_or(rest.len())
}

/// Returns the parts of a file that are neither scripts nor styles nor comments.
fn templates(text: &[u8]) -> Vec<Range<usize>> {
    let mut others: Vec<Range<usize>> = scripts(text)
        .map(|script| script.start..script.start + script.tag.len() + script.body.len())
        .collect();
    for (open, close) in [(&b"<style"[..], &b"</style"[..]), (b"<!--", b"-->")] {
        let mut at = 0;
        while let Some(start) = find_tag(&text[at..], open).map(|start| at + start) {
            let len = text[start..].find(close).unwrap_or(text.len() - start);
            others.push(start..start + len);
            at = start + len.max(1);
        }
    }
    others.sort_by_key(|range| range.start);
    let (mut found, mut at) = (Vec::new(), 0);
    for other in others {
        if at < other.start {
            found.push(at..other.start);
        }
        at = at.max(other.end);
    }
    found.push(at.min(text.len())..text.len());
    found
}

/// Returns the start tags in a part of a text.
fn tags(text: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let part = &text[range.clone()];
    let starts = part.find_iter(b"<").take(PARTS_MAX);
    let starts = starts.filter(|at| part.get(at + 1).is_some_and(u8::is_ascii_alphabetic));
    let tag = |at: usize| {
        let len = tag_len(&part[at..])?;
        Some(range.start + at..range.start + at + len)
    };
    let (mut found, mut until): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for tag in starts.filter_map(tag) {
        if tag.start >= until {
            until = tag.end;
            found.push(tag);
        }
    }
    found
}

/// Returns the names and the quoted values of the attributes of a start tag.
fn attributes(text: &[u8], tag: Range<usize>) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = tag.start;
    while let Some(equals) = text[at..tag.end].find_byte(b'=') {
        let equals = at + equals;
        let quote = text[equals + 1..tag.end].first().copied();
        let Some(quote) = quote.filter(|byte| matches!(byte, b'"' | b'\'')) else {
            at = equals + 1;
            continue;
        };
        let start = equals + 2;
        let Some(len) = text[start..tag.end].find_byte(quote) else { break };
        let name = text[tag.start..equals].iter().rev();
        let name = name.take_while(|byte| !byte.is_ascii_whitespace() && **byte != b'"').count();
        found.push((equals - name..equals, start..start + len));
        at = start + len + 1;
    }
    found
}

/// Keeps the name of a component at the start of a tag: `<Price`.
fn component(text: &[u8], masked: &mut [u8], start: usize) {
    let name = text[start + 1..].iter();
    let len = name.take_while(|byte| byte.is_ascii_alphanumeric() || b"_$.".contains(byte)).count();
    if text[start + 1].is_ascii_uppercase() {
        keep(text, masked, start + 1..start + 1 + len);
    }
}

/// Puts an expression into `masked`, with signs around it that make it a statement.
fn keep(text: &[u8], masked: &mut [u8], range: Range<usize>) {
    let written = &text[range.clone()];
    let first = written.trim_ascii().first().copied();
    let Some(first) = first.filter(|_| is_balanced(written)) else { return };
    let is_record = first == b'{';
    let before = range.start.checked_sub(2).filter(|at| masked[*at] == b' ');
    let (open, close) = match (is_record, before) {
        (false, _) => (b';', b';'),
        (true, Some(before)) => {
            masked[before] = b';';
            (b'(', b')')
        }
        (true, None) => return,
    };
    let is_sign = |byte: &&mut u8| !matches!(**byte, b'\n' | b'\r');
    let first = range.start.checked_sub(1).and_then(|at| masked.get_mut(at));
    let Some(first) = first.filter(is_sign) else { return };
    *first = open;
    if let Some(after) = masked.get_mut(range.end).filter(|byte| **byte == b' ') {
        *after = close;
    }
    masked[range.clone()].copy_from_slice(written);
}

/// Returns the position of the brace that closes the one before `start`.
fn closing(text: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, &byte) in text.iter().enumerate().skip(start) {
        match (byte, quote) {
            (_, Some(sign)) => quote = Some(sign).filter(|sign| byte != *sign),
            (b'"' | b'\'' | b'`', None) => quote = Some(byte),
            (b'{', None) => depth += 1,
            (b'}', None) if depth == 0 => return Some(at),
            (b'}', None) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns true if all brackets and quotes in an expression are closed.
fn is_balanced(text: &[u8]) -> bool {
    let (mut open, mut quote) = (Vec::new(), None);
    for &byte in text {
        match (byte, quote) {
            (_, Some(sign)) => quote = Some(sign).filter(|sign| byte != *sign),
            (b'"' | b'\'' | b'`', None) => quote = Some(byte),
            (b'(', None) => open.push(b')'),
            (b'[', None) => open.push(b']'),
            (b'{', None) => open.push(b'}'),
            (b')' | b']' | b'}', None) if open.pop() != Some(byte) => return false,
            _ => {}
        }
    }
    open.is_empty() && quote.is_none() && text.find(b"//").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::grammars::blank::blanks;

    #[track_caller]
    fn check(unmask: fn(&[u8], &mut [u8]), text: &str, expected: &str) {
        let mut masked = blanks(text.as_bytes());
        unmask(text.as_bytes(), &mut masked);
        assert_eq!(masked.len(), text.len());
        let words: Vec<&str> = std::str::from_utf8(&masked).unwrap().split_whitespace().collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn expressions_of_vue_are_statements() {
        let cases = [
            ("<p>{{ price(1) }} and {{ x }}</p>", "; price(1) ; ; x ;"),
            (
                "<p :title=\"name(1)\" class=\"a(b)\" @click='go(); stop()'>",
                ";name(1); ;go(); stop();",
            ),
            ("<li v-for=\"(x, i) in all(1)\" :key=\"x\">", ";all(1); ;x;"),
            ("<p :class=\"{ a: is(1) }\">", ";({ a: is(1) })"),
            ("<Price :of=\"x\"/><my-price/>", ";Price; ;x;"),
            ("<p v-slot=\"{ a }\">{{ a( }}", ""),
            ("<style>.a { color: f(1) }</style><!-- {{ f(1) }} -->", ""),
        ];
        for (text, expected) in cases {
            check(unmask_vue, text, expected);
        }
    }

    #[test]
    fn expressions_of_svelte_are_statements() {
        let cases = [
            ("<p>{price(1)}</p>", ";price(1);"),
            ("{#if is(1)}a{:else if other()}b{/if}", "; is(1); ; other();"),
            ("{#each all() as x, i (x)}{x}{/each}", "; all(); ;x;"),
            (
                "<Price on:click={() => go({ a: 1 })} {...rest}/>",
                ";Price; ;() => go({ a: 1 }); ;rest;",
            ),
            ("<p>Don't {x}</p>", ";x;"),
            ("{unclosed", ""),
        ];
        for (text, expected) in cases {
            check(unmask_svelte, text, expected);
        }
    }
}
