//! The texts of files that a reply quotes, each read once.

use std::collections::HashMap;

use bstr::ByteSlice;

use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::lang::Limits;
use crate::source::kept::Text;

/// Bytes of a quoted line.
const LINE_BYTES_MAX: usize = 200;

/// Bytes of a cut line that are quoted before what was found in it.
const BEFORE_BYTES: usize = 60;

/// Bytes of a file that are read: files with symbols are no longer.
const FILE_BYTES_MAX: usize = Limits::DEFAULT.bytes_max;

/// Files as they are read for one reply.
#[derive(Debug)]
pub struct Texts<'a> {
    catalog: &'a Catalog,
    read: HashMap<FileId, Text>,
}

impl Texts<'_> {
    /// Returns the texts of the catalog's files; reads nothing yet.
    pub fn new(catalog: &Catalog) -> Texts<'_> {
        Texts { catalog, read: HashMap::new() }
    }

    /// Returns the text of a file, up to 1 MiB; empty where it cannot be read.
    pub fn of(&mut self, file: FileId) -> Text {
        let read = || self.catalog.read(file, FILE_BYTES_MAX).unwrap_or_default();
        self.read.entry(file).or_insert_with(read).clone()
    }
}

/// Returns the number of the line that the byte `at` lies in, from 1. O(at).
pub fn line_number(text: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count() + 1
}

/// Returns the line that the byte `at` lies in without white space around it; of a long one, what
/// is near the byte.
pub fn line(text: &[u8], at: usize) -> String {
    let at = at.min(text.len());
    let start = text[..at].rfind_byte(b'\n').map_or(0, |end| end + 1);
    let end = text[at..].find_byte(b'\n').map_or(text.len(), |len| at + len);
    let skipped = text[start..end].len() - text[start..end].trim_start().len();
    let (start, line) = (start + skipped, text[start..end].trim());
    if line.len() <= LINE_BYTES_MAX {
        return line.to_str_lossy().into_owned();
    }
    let from = at.saturating_sub(start + BEFORE_BYTES).min(line.len() - LINE_BYTES_MAX);
    let is_inside = |&at: &usize| line.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    let next = |at: usize| (at..line.len()).find(|at| !is_inside(at)).unwrap_or(line.len());
    let (from, to) = (next(from), next(from + LINE_BYTES_MAX));
    let dots = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{}{}", dots(from > 0), line[from..to].to_str_lossy(), dots(to < line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_quoted_near_what_was_found() {
        assert_eq!(line(b"a\n  b c \nd", 5), "b c");
        assert_eq!((line(b"", 9).as_str(), line(b"x", 9).as_str()), ("", "x"));
        let long = format!("  {}name{}", "é".repeat(300), "b".repeat(300));
        let quoted = line(long.as_bytes(), 602);
        assert!(quoted.starts_with("…éé") && quoted.ends_with("b…"), "{quoted}");
        assert!(quoted.contains("name") && quoted.len() < 210, "{quoted}");
        assert!(line(long.as_bytes(), 0).starts_with("éé"));
        assert!(line(long.as_bytes(), long.len()).ends_with("bb"));
        assert_eq!((line_number(b"a\nb\n", 0), line_number(b"a\nb\n", 2)), (1, 2));
        assert_eq!(line_number(b"a\nb\n", 99), 3);
    }
}
