//! Definitions of one name in several blocks of a file: `{ class A {} } { class A {} }`. Facts have no
//! blocks that are not the body of a definition, such as those of callbacks, so the braces between a
//! use and its definitions are counted in the text.

use super::code::FileFacts;
use super::position::SymbolAt;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;

/// The most bytes between a use and a definition that are searched.
const BYTES_MAX: usize = 1 << 17;

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
        if found.len() < 2 || !facts.dialect.has_module_values {
            return;
        }
        let is_origin = self
            .origin
            .get()
            .is_some_and(|origin| origin.file == place.file && origin.enclosing == place.enclosing);
        let around = place.enclosing.map(|at| facts.symbols[at].span.start);
        let Some(start) = self.start.get().filter(|_| is_origin).or(around) else { return };
        let Some(text) = self.code.text(place.file) else { return };
        let depth = |candidate: &Candidate| {
            let Value::Name(SymbolAt { file, place: at }) = candidate.value else { return None };
            let defined = facts.symbols.get(at as usize).filter(|_| file == place.file)?;
            depth_of_block(&text, defined.span.start, start)
        };
        // Functions can be declared several times in one block, such as overloads.
        let depths: Vec<Option<usize>> = found.iter().map(depth).collect();
        let Some(innermost) = depths.iter().flatten().min().copied() else { return };
        let mut depths = depths.into_iter();
        found.retain(|_| depths.next().flatten() == Some(innermost));
    }
}

/// Returns the number of blocks around the use at `start` that do not contain the definition at
/// `defined`; `None` if the use is outside of the block of the definition.
fn depth_of_block(text: &[u8], defined: usize, start: usize) -> Option<usize> {
    let (from, to) = (defined.min(start), defined.max(start));
    let text = text.get(from..to).filter(|text| text.len() <= BYTES_MAX)?;
    let (least, last) = levels(text);
    if defined <= start {
        // The block of the definition is still open at the use.
        (least >= 0).then_some(last as usize)
    } else {
        // No block between the use and the definition is open at the definition.
        (last <= least).then_some(last.unsigned_abs())
    }
}

/// Returns the least and the last level of braces in a text, relative to its start, without those in
/// strings and comments.
fn levels(text: &[u8]) -> (isize, isize) {
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
            b'"' | b'\'' | b'`' => at += string(rest, byte),
            _ => {}
        }
        at += 1;
    }
    (least, level)
}

/// Returns the length of a string with its closing quote, from the text after the opening one. A quote
/// that the line does not close opens no string.
fn string(text: &[u8], quote: u8) -> usize {
    let mut is_escaped = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'\n' if quote != b'`' => return 0,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the depth for the definition at `D` and the use at `U`.
    #[track_caller]
    fn check(text: &str, expected: Option<usize>) {
        let at = |mark: char| text.find(mark).expect("a mark");
        assert_eq!(depth_of_block(text.as_bytes(), at('D'), at('U')), expected, "{text}");
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
