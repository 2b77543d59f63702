//! Public Rust items found by a pattern, independent of any grammar: words such as `pub fn name`
//! outside of comments, literals and the definitions of macros. A macro call hides nothing from it.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

use crate::definitions::Definition;
use crate::options::Options;
use crate::score::percent;
use crate::table::{Group, Row};

/// The items that count. Other words may stand between `pub` and the keyword.
const ITEM: &str = r"\bpub(?:\s*\([^)]*\))?\s+(?:(?:async|const|default|extern|safe|unsafe)\s+)*(fn|struct|enum|union|trait|type|mod)\s+(?:r#)?([A-Za-z_]\w*)";

/// Returns the items of a file, in source order.
fn items(text: &[u8]) -> Vec<Definition> {
    let pattern = Regex::new(ITEM).expect("the pattern is valid");
    let code = without_macros(&code_of(text));
    let mut captures = Captures::all(pattern.group_info().clone());
    let mut found = Vec::new();
    let (mut at, mut line, mut counted) = (0, 1, 0);
    loop {
        pattern.search_captures(
            &regex_automata::Input::new(&code).span(at..code.len()),
            &mut captures,
        );
        let (Some(kind), Some(name)) = (captures.get_group(1), captures.get_group(2)) else {
            return found;
        };
        line += memchr::memchr_iter(b'\n', &code[counted..name.start]).count();
        (at, counted) = (name.end, name.start);
        let word = |range: Range<usize>| String::from_utf8_lossy(&code[range]).into_owned();
        let kind = word(kind.range());
        found.push(Definition {
            name: word(name.range()),
            line,
            group: if kind == "fn" { Group::Callable } else { Group::Type },
            kind,
            within: String::new(),
            is_optional: false,
        });
    }
}

/// Prints the share of the items that the outlines contain, and `options.show` of the others.
pub(crate) fn report(row: &Row, options: &Options, sources: &crate::definitions::Sources) {
    let (mut all, mut missed) = (0, Vec::new());
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (path, source) in sources {
        let ours: HashSet<(&str, usize, Group)> =
            source.ours.iter().map(|own| (own.name.as_str(), own.line, own.group)).collect();
        for item in items(&source.text) {
            let is_found = ours.contains(&(item.name.as_str(), item.line, item.group));
            let (of_kind, found) = kinds.entry(item.kind.clone()).or_default();
            *of_kind += 1;
            *found += usize::from(is_found);
            all += 1;
            if !is_found {
                missed.push((path, item));
            }
        }
    }
    let found = all - missed.len();
    println!(
        "| {} | {} files | {all} public items | {found} found | {:.2} % |",
        row.name,
        sources.len(),
        percent(found, all),
    );
    for (kind, (of_kind, found)) in kinds {
        println!("  {kind}: {found} of {of_kind}");
    }
    for (path, item) in missed.iter().take(options.show) {
        println!("    missed {} `{}`\t{path}:{}", item.kind, item.name, item.line);
    }
}

/// Returns the text with comments and the contents of literals replaced by spaces.
fn code_of(text: &[u8]) -> Vec<u8> {
    let mut code = text.to_vec();
    let mut at = 0;
    while at < text.len() {
        let end = at + literal_len(&text[at..], at > 0 && is_word(text[at - 1]));
        blank(&mut code[at..end]);
        at = end.max(at + 1);
    }
    code
}

/// Returns the length of the comment or literal at the start of `text`, or 0.
fn literal_len(text: &[u8], follows_word: bool) -> usize {
    let until = |from: usize, end: &[u8]| {
        let rest = text.get(from..).unwrap_or_default();
        memchr::memmem::find(rest, end).map_or(text.len(), |at| from + at + end.len())
    };
    match text {
        [b'/', b'/', ..] => until(2, b"\n").saturating_sub(1),
        [b'/', b'*', ..] => comment_len(text),
        [b'r', b'"' | b'#', ..] if !follows_word => {
            let hashes = text[1..].iter().take_while(|&&byte| byte == b'#').count();
            match text.get(1 + hashes) {
                Some(b'"') => until(2 + hashes, &[b"\"" as &[u8], &vec![b'#'; hashes]].concat()),
                _ => 0,
            }
        }
        [b'"', rest @ ..] => {
            let mut escaped = false;
            let end = rest.iter().position(|&byte| {
                let is_end = byte == b'"' && !escaped;
                escaped = byte == b'\\' && !escaped;
                is_end
            });
            end.map_or(text.len(), |end| end + 2)
        }
        [b'\'', b'\\', ..] => until(3, b"'"),
        // `'a'` and `'é'`, but not the lifetime `'a`.
        [b'\'', rest @ ..] => {
            let rest = &rest[..rest.len().min(5)];
            match rest.iter().position(|&byte| byte == b'\'') {
                Some(end @ 1..) if end == 1 || rest[..end].iter().all(|&byte| byte >= 0x80) => {
                    end + 2
                }
                _ => 0,
            }
        }
        _ => 0,
    }
}

/// Returns the length of the block comment, which can contain others, at the start of `text`.
fn comment_len(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        match &text[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    text.len()
}

/// Returns the code without the bodies of `macro_rules!`, in which names are parts of patterns.
fn without_macros(code: &[u8]) -> Vec<u8> {
    let mut rest = code.to_vec();
    for at in memchr::memmem::find_iter(code, b"macro_rules!") {
        let Some(open) = code[at..].iter().position(|&byte| matches!(byte, b'{' | b'(' | b'['))
        else {
            continue;
        };
        let mut depth = 0_usize;
        let end = code[at + open..].iter().position(|&byte| {
            match byte {
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let end = end.map_or(code.len(), |end| at + open + end);
        blank(&mut rest[at..end]);
    }
    rest
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}
