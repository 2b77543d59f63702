//! Lines and statements of files, for replies that point at places in them.

use std::collections::HashMap;
use std::ops::Range;

use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::lang::Limits;
use crate::source::kept::Text;

/// Bytes of a line or statement that are shown.
const SHOWN_BYTES_MAX: usize = 200;

/// Bytes of texts that are held at once.
const HELD_BYTES_MAX: usize = 64 << 20;

/// The texts of files, each read once as long as they fit into memory.
#[derive(Debug)]
pub struct Sources<'a> {
    catalog: &'a Catalog,
    texts: HashMap<FileId, Counted>,
    bytes: usize,
}

/// The text of a file, and how many lines there are up to a byte of it.
#[derive(Debug, Default)]
struct Counted {
    bytes: Text,
    /// A byte that was asked for before, and its line.
    last: (usize, usize),
}

impl<'a> Sources<'a> {
    /// Returns the texts of `catalog`, none of them read yet.
    pub fn new(catalog: &'a Catalog) -> Sources<'a> {
        Sources { catalog, texts: HashMap::new(), bytes: 0 }
    }

    /// Returns the line, from 1, in which the byte `at` of a file lies, and the line's text without
    /// what is blank around it. Line 0 where the file cannot be read any more. O(text) the first
    /// time, then O(bytes from the place before) going forward.
    pub fn line(&mut self, file: FileId, at: usize) -> (usize, String) {
        let text = self.text(file);
        let Some(before) = text.bytes.get(..at) else { return (0, String::new()) };
        let (known, line) = if text.last.0 <= at { text.last } else { (0, 1) };
        let line = line.max(1) + memchr::memchr_iter(b'\n', &before[known..]).count();
        text.last = (at, line);
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &text.bytes[at..]).map_or(text.bytes.len(), |end| at + end);
        (line, shown(&text.bytes[start..end]))
    }

    /// Returns the lines around the bytes `span` of a file as one line, or those bytes alone where
    /// the lines are long; empty where the file cannot be read any more.
    pub fn statement(&mut self, file: FileId, span: &Range<usize>) -> String {
        let bytes = &self.text(file).bytes;
        let Some(inner) = bytes.get(span.clone()) else { return String::new() };
        let start = memchr::memrchr(b'\n', &bytes[..span.start]).map_or(0, |end| end + 1);
        let rest = memchr::memchr(b'\n', &bytes[span.end..]);
        let end = rest.map_or(bytes.len(), |end| span.end + end);
        shown(if end - start <= SHOWN_BYTES_MAX { &bytes[start..end] } else { inner })
    }

    fn text(&mut self, file: FileId) -> &mut Counted {
        if self.bytes > HELD_BYTES_MAX {
            self.texts.clear();
            self.bytes = 0;
        }
        let (catalog, held) = (self.catalog, &mut self.bytes);
        self.texts.entry(file).or_insert_with(|| {
            let bytes = catalog.read(file, Limits::DEFAULT.bytes_max + 1).unwrap_or_default();
            *held += bytes.len();
            Counted { bytes, last: (0, 1) }
        })
    }
}

/// Returns bytes as one line of text, what is blank drawn together, cut at 200 bytes.
fn shown(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(8 * SHOWN_BYTES_MAX)];
    let whole = String::from_utf8_lossy(bytes);
    let mut line = String::new();
    for word in whole.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > SHOWN_BYTES_MAX {
            break;
        }
    }
    line.truncate(text::start(&line, SHOWN_BYTES_MAX).len());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_blank_is_drawn_together() {
        assert_eq!(shown(b"  use a::{\n    b,\n};\r"), "use a::{ b, };");
        assert_eq!(shown(&b"x".repeat(5000)).len(), SHOWN_BYTES_MAX);
        assert_eq!(shown(&"é ".repeat(500).into_bytes()).len(), SHOWN_BYTES_MAX);
        assert_eq!(shown(b" \n"), "");
    }
}
