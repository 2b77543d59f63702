//! The texts that a reply quotes: lines with their numbers, and statements. Each file is read once,
//! within a memory limit.

use std::collections::HashMap;
use std::ops::Range;

use bstr::ByteSlice;

use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::lang::Limits;
use crate::source::text_cache::Text;

/// The maximum size of a quoted line or statement.
const QUOTED_BYTES_MAX: usize = 200;

/// How many bytes before the match are quoted of a long line.
const BEFORE_BYTES: usize = 60;

/// A byte order mark in UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The maximum number of bytes that are read of a file. No file with symbols is longer.
const FILE_BYTES_MAX: usize = Limits::DEFAULT.bytes_max + 1;

/// The maximum size of the texts in memory.
const HELD_BYTES_MAX: usize = 64 << 20;

/// The texts of files that are read for one reply.
#[derive(Debug)]
pub struct Texts<'a> {
    catalog: &'a Catalog,
    /// True if texts that differ from the catalog count as unreadable.
    is_checked: bool,
    held: HashMap<FileId, Counted>,
    bytes: usize,
}

/// The text of a file, with the line number of the most recent query.
#[derive(Debug)]
struct Counted {
    text: Text,
    /// The byte position of the most recent query, and its line number.
    last: (usize, usize),
}

impl Texts<'_> {
    /// Returns the texts of the catalog's files; reads nothing.
    pub fn new(catalog: &Catalog) -> Texts<'_> {
        Texts { catalog, is_checked: false, held: HashMap::new(), bytes: 0 }
    }

    /// Returns the texts of those files that still match the catalog; others count as unreadable,
    /// because positions from the catalog would be wrong in them.
    pub fn as_indexed(catalog: &Catalog) -> Texts<'_> {
        Texts { is_checked: true, ..Texts::new(catalog) }
    }

    /// Returns the text of a file, up to 4 MiB; empty if it cannot be read.
    pub fn of(&mut self, file: FileId) -> Text {
        self.counted(file).text.clone()
    }

    /// Returns the number, from 1, and the quoted text (see [`line()`]) of the line that contains
    /// byte `at` of a file. Line 0 if the file cannot be read any more. O(text) the first time,
    /// then O(distance to the previous query) for ascending positions.
    pub fn line(&mut self, file: FileId, at: usize) -> (usize, String) {
        let counted = self.counted(file);
        let Some(before) = counted.text.get(..at) else { return (0, String::new()) };
        let (known, number) = if counted.last.0 <= at { counted.last } else { (0, 1) };
        let number = number + memchr::memchr_iter(b'\n', &before[known..]).count();
        counted.last = (at, number);
        (number, line(&counted.text, at))
    }

    /// Returns the column of byte `at` of a file: from 1, in bytes; 1 if the file cannot be read
    /// any more. O(line), and O(text) the first time.
    pub fn column(&mut self, file: FileId, at: usize) -> usize {
        self.counted(file).text.get(..at).map_or(1, column)
    }

    /// Returns the lines that contain the bytes `span` of a file as one line, or only these bytes
    /// if the lines are long; empty if the file cannot be read any more.
    pub fn statement(&mut self, file: FileId, span: &Range<usize>) -> String {
        let text = &self.counted(file).text;
        let Some(inner) = text.get(span.clone()) else { return String::new() };
        let start = memchr::memrchr(b'\n', &text[..span.start]).map_or(0, |end| end + 1);
        let rest = memchr::memchr(b'\n', &text[span.end..]);
        let end = rest.map_or(text.len(), |end| span.end + end);
        collapsed(if end - start <= QUOTED_BYTES_MAX { &text[start..end] } else { inner })
    }

    fn counted(&mut self, file: FileId) -> &mut Counted {
        if self.bytes > HELD_BYTES_MAX {
            self.held.clear();
            self.bytes = 0;
        }
        let (catalog, is_checked, bytes) = (self.catalog, self.is_checked, &mut self.bytes);
        self.held.entry(file).or_insert_with(|| {
            let text = if is_checked {
                catalog.read_as_indexed(file, FILE_BYTES_MAX)
            } else {
                catalog.quotable(file, FILE_BYTES_MAX)
            };
            let text = text.unwrap_or_default();
            *bytes += text.len();
            Counted { text, last: (0, 1) }
        })
    }
}

/// Returns the column of the byte that follows `before`: from 1, in bytes. O(line).
pub fn column(before: &[u8]) -> usize {
    before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1) + 1
}

/// Returns the trimmed line that contains byte `at`; of a long line, the part around the byte.
pub fn line(text: &[u8], at: usize) -> String {
    let at = at.min(text.len());
    let start = text[..at].rfind_byte(b'\n').map_or(0, |end| end + 1);
    let end = text[at..].find_byte(b'\n').map_or(text.len(), |len| at + len);
    // A byte order mark at the start of a file is not part of its first line.
    let start = if text[start..end].starts_with(MARK) { start + MARK.len() } else { start };
    let skipped = text[start..end].len() - text[start..end].trim_start().len();
    let (start, line) = (start + skipped, text[start..end].trim());
    if line.len() <= QUOTED_BYTES_MAX {
        return line.to_str_lossy().into_owned();
    }
    let from = at.saturating_sub(start + BEFORE_BYTES).min(line.len() - QUOTED_BYTES_MAX);
    let is_inside = |&at: &usize| line.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let next = |at: usize| (at..line.len()).find(|at| !is_inside(at)).unwrap_or(line.len());
    let (from, to) = (next(from), next(from + QUOTED_BYTES_MAX));
    let dots = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{}{}", dots(from > 0), line[from..to].to_str_lossy(), dots(to < line.len()))
}

/// Returns bytes as one line of text with white space collapsed, cut at 200 bytes.
fn collapsed(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    // The common case: a short line in ASCII with single blanks.
    let line = bytes.trim_ascii();
    let is_plain = |at: usize| match line[at] {
        b' ' => line[at - 1] != b' ',
        byte => byte > b' ' && byte < 0x7F,
    };
    if line.len() <= QUOTED_BYTES_MAX
        && (0..line.len()).all(is_plain)
        && let Ok(line) = str::from_utf8(line)
    {
        return line.to_owned();
    }
    let bytes = &bytes[..bytes.len().min(8 * QUOTED_BYTES_MAX)];
    let whole = String::from_utf8_lossy(bytes);
    let mut line = String::new();
    for word in whole.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > QUOTED_BYTES_MAX {
            break;
        }
    }
    line.truncate(text::start(&line, QUOTED_BYTES_MAX).len());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_quoted_around_the_match() {
        assert_eq!(line(b"a\n  b c \nd", 5), "b c");
        assert_eq!(
            (line(b"\xEF\xBB\xBFuse a", 0).as_str(), line(b"\xEF\xBB\xBFuse a", 5).as_str()),
            ("use a", "use a")
        );
        assert_eq!((line(b"", 9).as_str(), line(b"x", 9).as_str()), ("", "x"));
        let long = format!("  {}name{}", "é".repeat(300), "b".repeat(300));
        let quoted = line(long.as_bytes(), 602);
        assert!(quoted.starts_with("…éé") && quoted.ends_with("b…"), "{quoted}");
        assert!(quoted.contains("name") && quoted.len() < 210, "{quoted}");
        assert!(line(long.as_bytes(), 0).starts_with("éé"));
        assert!(line(long.as_bytes(), long.len()).ends_with("bb"));
    }

    #[test]
    fn white_space_is_collapsed() {
        let shown = collapsed;
        assert_eq!(shown(b"  use a::{\n    b,\n};\r"), "use a::{ b, };");
        assert_eq!(shown(&b"x".repeat(5000)).len(), QUOTED_BYTES_MAX);
        assert_eq!(shown(&"é ".repeat(500).into_bytes()).len(), QUOTED_BYTES_MAX);
        assert_eq!(shown(b" \n"), "");
        assert_eq!(shown(b"\ta  b \n"), "a b");
        assert_eq!(shown(b"a b\x0Bc\x7Fd"), "a b c\x7Fd");
        assert_eq!(shown(b"  use  \xE2\x80\x83 a"), "use a");
        assert_eq!(shown(b"\xEF\xBB\xBFusing System;\n"), "using System;");
    }
}
