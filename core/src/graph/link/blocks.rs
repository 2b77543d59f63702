//! Definitions of one name in several blocks of a file: `{ class A {} } { class A {} }`. Facts have no
//! blocks that are not the body of a definition, such as those of callbacks, so the braces between a
//! use and its definitions are counted in the text. In Rust these are blocks of a function.

use std::ops::Range;

use super::code::FileFacts;
use super::dialect::OverloadRules;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::Use;
use super::value::{Candidate, Choice, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::symbols::SymbolKind;

/// The most bytes between a use and a definition that are searched.
const BYTES_MAX: usize = 1 << 17;

/// The most parts of a receiver that are followed to its first name.
const RECEIVER_PARTS_MAX: usize = 8;

/// How strings and characters are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Syntax {
    JavaScript,
    /// `'a` is a lifetime, and strings span lines.
    Rust,
    /// Blocks have no braces: lines of a block are not indented less than a definition in it.
    Ruby,
}

impl Walk<'_> {
    /// Removes definitions of JavaScript in the same file whose block does not contain the use, if the
    /// block of another one does; of several nested blocks the innermost is right. O(text between the use
    /// and the definitions).
    pub(super) fn prefer_blocks(
        &self,
        facts: &FileFacts,
        place: Place,
        found: &mut Vec<Candidate>,
    ) {
        let syntax = match facts.dialect {
            dialect if dialect.has_module_values => Syntax::JavaScript,
            dialect if dialect.has_open_self => Syntax::Ruby,
            _ => return,
        };
        // In Ruby, blocks outside of all types: those of specifications.
        let is_outermost = |it: &Candidate| match it.value {
            Value::Name(at) => {
                at.file == place.file && facts.symbols[at.place as usize].parent.is_none()
            }
            _ => false,
        };
        if syntax == Syntax::Ruby && !found.iter().all(is_outermost) {
            return;
        }
        if found.len() < 2 {
            return self.open_other_blocks(facts, place, found, syntax);
        }
        let Some(depths) = self.depths(facts, place, found, syntax) else { return };
        // Functions can be declared several times in one block, such as overloads.
        let Some(innermost) = depths.iter().flatten().min().copied() else {
            return self.open_other_blocks(facts, place, found, syntax);
        };
        let mut depths = depths.into_iter();
        found.retain(|_| depths.next().flatten() == Some(innermost));
    }

    /// Makes functions of Ruby in blocks that do not contain the use less likely: the objects in which
    /// these blocks run may be others.
    fn open_other_blocks(
        &self,
        facts: &FileFacts,
        place: Place,
        found: &mut [Candidate],
        syntax: Syntax,
    ) {
        if syntax != Syntax::Ruby || found.is_empty() {
            return;
        }
        let Some(depths) = self.depths(facts, place, found, syntax) else { return };
        let is_function = |it: &Candidate| self.kind(it).is_some_and(SymbolKind::is_callable);
        for (candidate, depth) in found.iter_mut().zip(depths) {
            if depth.is_none() && is_function(candidate) {
                candidate.confidence = candidate.confidence.min(weights::OPEN_MAX);
                candidate.choice = Choice::Open;
            }
        }
    }

    /// Removes definitions of Rust in the function around the use whose block does not contain the use:
    /// they are not in scope. In C++, Go and Java, removes types of the function whose block does not
    /// contain the use, or that it precedes. The cost is that of [`Walk::prefer_blocks`].
    pub(super) fn retain_blocks(
        &self,
        facts: &FileFacts,
        place: Place,
        around: usize,
        found: &mut Vec<Candidate>,
    ) {
        let is_function = facts.symbols[around].kind.is_callable();
        if found.is_empty() || !is_function {
            return;
        }
        if !facts.dialect.has_impl_blocks {
            return self.retain_declared_types(facts, place, found);
        }
        let Some(depths) = self.depths(facts, place, found, Syntax::Rust) else { return };
        let innermost = depths.iter().flatten().min().copied();
        let mut depths = depths.into_iter();
        found.retain(|_| depths.next().flatten().is_some_and(|depth| Some(depth) == innermost));
    }

    /// Removes types of a function that a use precedes, or whose block does not contain it.
    fn retain_declared_types(&self, facts: &FileFacts, place: Place, found: &mut Vec<Candidate>) {
        let dialect = facts.dialect;
        let has_order = dialect.has_namespaces
            || dialect.declares_package_name
            || dialect.overloads == Some(OverloadRules::Java);
        let is_type = |it: &Candidate| self.kind(it).is_some_and(is_type);
        if !has_order || self.start.get().is_none() || !found.iter().any(is_type) {
            return;
        }
        let is_origin =
            |origin: Place| origin.file == place.file && origin.enclosing == place.enclosing;
        if !self.origin.get().is_some_and(is_origin) {
            return;
        }
        let Some(depths) = self.depths(facts, place, found, Syntax::JavaScript) else { return };
        let mut depths = depths.into_iter();
        let start = self.start.get().unwrap_or_default();
        found.retain(|it| {
            let is_open = depths.next().flatten().is_some();
            let declared = it.link().and_then(|link| facts.symbols.get(link.to.place as usize));
            !is_type(it) || is_open && declared.is_some_and(|of| of.span.start <= start)
        });
    }

    /// Returns the byte where the type of the receiver of a use is written, if a function around it
    /// defines a type of that name: `a` may have a type that this one hides only later.
    pub(super) fn declaration_of_receiver(&self, place: Place, used: Use<'_>) -> Option<usize> {
        let (chain, start) = used.receiver.zip(used.start)?;
        let facts = self.facts(place.file)?;
        let functions: Vec<usize> = facts
            .ancestors(place.enclosing)
            .filter(|&at| facts.symbols[at].kind.is_callable())
            .collect();
        let outermost = *functions.last()?;
        let is_local = |name: &&str| {
            let of = |around: &usize| facts.children(Some(*around), name);
            let all = functions.iter().flat_map(of);
            all.copied().any(|at| is_type(facts.symbols[at as usize].kind))
        };
        let name = chain.words().find(is_local)?;
        let text = self.code.text(place.file)?;
        let from = facts.symbols[outermost].span.start;
        let before = text.get(from..start).filter(|text| text.len() <= BYTES_MAX)?;
        let variable = root_name(before)?;
        if variable == name.as_bytes() {
            return None;
        }
        let ends_with_line = facts.dialect.declares_package_name;
        let is_end = |byte: &u8| match byte {
            b';' | b'{' | b'}' | b'(' | b')' => true,
            b'\n' => ends_with_line,
            _ => false,
        };
        // The last part contains the use.
        let mut end = before.iter().rposition(is_end)?;
        loop {
            let first = before[..end].iter().rposition(is_end);
            let part = &before[first.map_or(0, |at| at + 1)..end];
            if last_word(part, variable).is_some()
                && let Some(at) = last_word(part, name.as_bytes())
            {
                return Some(from + end - part.len() + at);
            }
            end = first?;
        }
    }

    /// Returns for each definition how many blocks around the use do not contain it; see
    /// [`depth_of_block`].
    fn depths(
        &self,
        facts: &FileFacts,
        place: Place,
        found: &[Candidate],
        syntax: Syntax,
    ) -> Option<Vec<Option<usize>>> {
        let is_origin = self
            .origin
            .get()
            .is_some_and(|origin| origin.file == place.file && origin.enclosing == place.enclosing);
        let around = place.enclosing.map(|at| facts.symbols[at].span.start);
        let start = self.start.get().filter(|_| is_origin).or(around)?;
        let text = self.code.text(place.file)?;
        let depth = |candidate: &Candidate| {
            let Value::Name(SymbolAt { file, place: at }) = candidate.value else { return None };
            let defined = facts.symbols.get(at as usize).filter(|_| file == place.file)?;
            depth_of_block(&text, defined.span.start, start, syntax)
        };
        Some(found.iter().map(depth).collect())
    }
}

/// Returns the number of blocks around the use at `start` that do not contain the definition at
/// `defined`; `None` if the use is outside of the block of the definition.
fn depth_of_block(text: &[u8], defined: usize, start: usize, syntax: Syntax) -> Option<usize> {
    let (from, to) = (defined.min(start), defined.max(start));
    if syntax == Syntax::Ruby {
        return depth_by_indentation(text, from..to, defined);
    }
    let text = text.get(from..to).filter(|text| text.len() <= BYTES_MAX)?;
    let (least, last) = levels(text, syntax);
    if defined <= start {
        // The block of the definition is still open at the use.
        (least >= 0).then_some(last as usize)
    } else {
        // No block between the use and the definition is open at the definition.
        (last <= least).then_some(last.unsigned_abs())
    }
}

/// Returns a smaller depth the more a definition is indented; `None` if a line between it and the use is
/// indented less.
fn depth_by_indentation(text: &[u8], between: Range<usize>, defined: usize) -> Option<usize> {
    // The text may have changed since its facts were read.
    if between.end > text.len() {
        return None;
    }
    let line =
        |at: usize| text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let indentation =
        |line: &[u8]| line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let own = indentation(text.get(line(defined)..)?);
    let lines = text.get(line(between.start)..between.end)?;
    let is_inside = |line: &[u8]| line.trim_ascii().is_empty() || indentation(line) >= own;
    let is_short = lines.len() <= BYTES_MAX;
    let is_visible = is_short && lines.split(|byte| *byte == b'\n').all(is_inside);
    is_visible.then_some(usize::MAX - own)
}

/// Returns the least and the last level of braces between two places of JavaScript; `None` if they are too
/// far from each other.
pub(super) fn levels_between(text: &[u8], from: usize, to: usize) -> Option<(isize, isize)> {
    text.get(from..to)
        .filter(|text| text.len() <= BYTES_MAX)
        .map(|text| levels(text, Syntax::JavaScript))
}

/// Returns the least and the last level of braces in a text, relative to its start, without those in
/// strings and comments.
fn levels(text: &[u8], syntax: Syntax) -> (isize, isize) {
    let (mut least, mut level, mut at) = (0_isize, 0_isize, 0);
    while let Some(&byte) = text.get(at) {
        let rest = &text[at + 1..];
        match byte {
            b'{' => level += 1,
            b'}' => {
                level -= 1;
                least = least.min(level);
            }
            b'/' if rest.first() == Some(&b'/') => {
                at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            }
            b'/' if rest.first() == Some(&b'*') => {
                let end = bstr::ByteSlice::find(rest, b"*/");
                at += end.map_or(rest.len(), |end| end + 2);
            }
            b'r' if syntax == Syntax::Rust => at += raw_string(rest),
            b'\'' if syntax == Syntax::Rust => at += character(rest),
            b'"' | b'\'' | b'`' => at += string(rest, byte, syntax),
            _ => {}
        }
        at += 1;
    }
    (least, level)
}

/// Returns the name with which the receiver at the end of a text begins: `list` of `list[0].`.
fn root_name(text: &[u8]) -> Option<&[u8]> {
    let mut text = text.trim_ascii_end();
    for _ in 0..RECEIVER_PARTS_MAX {
        let before =
            [&b"->"[..], b"?.", b"::", b"."].into_iter().find_map(|it| text.strip_suffix(it))?;
        text = before.trim_ascii_end();
        while let Some(b')' | b']') = text.last() {
            text = text[..opening(text)?].trim_ascii_end();
        }
        let length = text.iter().rev().take_while(|byte| is_name(**byte)).count();
        let (around, name) = text.split_at(text.len() - length);
        text = around.trim_ascii_end();
        if !text.ends_with(b".") && !text.ends_with(b"->") && !text.ends_with(b"::") {
            return (!name.is_empty()).then_some(name);
        }
    }
    None
}

/// Returns the byte of the bracket that the last byte of a text closes.
fn opening(text: &[u8]) -> Option<usize> {
    let mut level = 0_usize;
    text.iter().rposition(|byte| {
        level += usize::from(matches!(byte, b')' | b']' | b'}'));
        level = level.saturating_sub(usize::from(matches!(byte, b'(' | b'[' | b'{')));
        level == 0
    })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the byte where the last occurrence of a word begins.
fn last_word(text: &[u8], word: &[u8]) -> Option<usize> {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| is_name(*byte));
    bstr::ByteSlice::rfind_iter(text, word).find(|&at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        !is_part(before) && !is_part(text.get(at + word.len()))
    })
}

/// Returns the length of a string with its closing quote, from the text after the opening one. A quote
/// that the line does not close opens no string, except in Rust.
fn string(text: &[u8], quote: u8, syntax: Syntax) -> usize {
    let mut is_escaped = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'\n' if quote != b'`' && syntax == Syntax::JavaScript => return 0,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    0
}

/// Returns the length of a character of Rust with its closing quote, from the text after the opening
/// one; 0 for a lifetime.
fn character(text: &[u8]) -> usize {
    let after = if text.first() == Some(&b'\\') { 2 } else { 1 };
    let rest = text.get(after..).unwrap_or_default();
    // An escape, and a character of UTF-8, may be longer than one byte.
    let end = rest.iter().take(8).position(|&byte| byte == b'\'');
    let is_whole =
        |end: &usize| after == 2 || *end == 0 || text.first().is_some_and(|it| *it >= 0x80);
    end.filter(is_whole).map_or(0, |end| after + end + 1)
}

/// Returns the length of the rest of a raw string of Rust, `#"…"#`, from the text after its `r`; 0 for
/// anything else.
fn raw_string(text: &[u8]) -> usize {
    let hashes = text.iter().take_while(|byte| **byte == b'#').count();
    let Some(rest) = text[hashes..].strip_prefix(b"\"") else { return 0 };
    let closing = [&b"\""[..], &text[..hashes]].concat();
    bstr::ByteSlice::find(rest, &closing).map_or(0, |end| hashes + 1 + end + closing.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the depth for the definition at `D` and the use at `U`.
    #[track_caller]
    fn check_in(text: &str, syntax: Syntax, expected: Option<usize>) {
        let at = |mark: char| text.find(mark).expect("a mark");
        let found = depth_of_block(text.as_bytes(), at('D'), at('U'), syntax);
        assert_eq!(found, expected, "{text}");
    }

    #[track_caller]
    fn check(text: &str, expected: Option<usize>) {
        check_in(text, Syntax::JavaScript, expected);
    }

    #[test]
    fn blocks_of_ruby_are_indented() {
        let ruby = |text, expected| check_in(text, Syntax::Ruby, expected);
        ruby("a do\n  D\n\n  b do\n    U\n  end\nend", Some(usize::MAX - 2));
        ruby("a do\n  D\nend\nb do\n  U\nend", None);
        ruby("a do\n  U\n  D\nend", Some(usize::MAX - 2));
        ruby("D\na do\n  U\nend", Some(usize::MAX));
    }

    #[test]
    fn characters_and_lifetimes_of_rust_differ() {
        let rust = |text, expected| check_in(text, Syntax::Rust, expected);
        rust("{ D '}' '\\'' '\\u{7d}' b'}' 'ä' U }", Some(0));
        rust("{ D } fn f<'a>() { 'b: loop { U", None);
        rust("{ D r#\"}\"}\"# r\"}\" \"\n}\" U }", Some(0));
        rust("{ D for<'a> { 'a' } U }", Some(0));
    }

    #[test]
    fn uses_are_compared_with_the_blocks_of_definitions() {
        check("{ D U }", Some(0));
        check("{ D { { U } } }", Some(2));
        check("{ D } { U }", None);
        check("{ U D }", Some(0));
        check("{ { U } D }", Some(1));
        check("{ U } { D }", None);
        check("{ D '}' \"}\" `}` // }\n /* } */ '\\'}' U }", Some(0));
    }
}
