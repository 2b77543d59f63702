//! [`Preview`]: the text of the file that the selected item is in.

use std::ops::Range;
use std::sync::Arc;

use crate::answer::style::Part;
use crate::base::path::shown;
use crate::base::text::{decode, plain};
use crate::catalog::code::Code;
use crate::cli::screen::drawing;

/// The maximum number of bytes that are read of a file.
const BYTES_MAX: u64 = 4 << 20;

/// The maximum number of characters of a line that are shown.
const LINE_CHARS_MAX: usize = 400;

/// The number of blanks that a tab is shown as.
const TAB: &str = "    ";

/// The lines of a file.
#[derive(Clone, Debug)]
pub(super) struct Preview {
    /// The repository path.
    pub(super) path: Arc<[u8]>,
    text: Result<String, String>,
    /// Where each line begins in `text`.
    starts: Vec<usize>,
    /// All of `text`, each span with the colour of its token.
    spans: Vec<(Range<usize>, Option<Part>)>,
}

impl Preview {
    /// Returns the preview of a text, or of the reason why there is none.
    pub(super) fn new(path: Arc<[u8]>, text: Result<String, String>) -> Preview {
        let all = text.as_deref().unwrap_or_default();
        let ends = all.match_indices('\n').map(|(at, _)| at + 1).filter(|&at| at < all.len());
        let starts = std::iter::once(0).chain(ends).filter(|_| !all.is_empty()).collect();
        let spans = drawing::colored(&shown(&path), all);
        Preview { path, text, starts, spans }
    }

    /// Reads the file at a repository path. Secrets in it are masked, and files that are secrets are
    /// not shown, as everywhere.
    pub(super) fn read(code: &dyn Code, path: &Arc<[u8]>) -> Preview {
        let text = match code.read(path, BYTES_MAX) {
            Ok(content) => match decode(content.bytes()) {
                Some(text) => Ok(text.into_owned()),
                None => Err("not a text".to_owned()),
            },
            Err(error) => Err(error.to_string()),
        };
        Preview::new(Arc::clone(path), text)
    }

    /// Returns the reason why there is no text.
    pub(super) fn problem(&self) -> Option<&str> {
        self.text.as_ref().err().map(String::as_str)
    }

    /// Returns the number of lines.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns a line, from 1, as it is shown: its pieces, each with the colour of its token.
    pub(super) fn line(&self, number: usize) -> Option<Vec<(String, Option<Part>)>> {
        let text = self.text.as_ref().ok()?;
        let start = *self.starts.get(number.checked_sub(1)?)?;
        let end = self.starts.get(number).copied().unwrap_or(text.len());
        let end = start + text[start..end].trim_end_matches(['\n', '\r']).len();
        let first = self.spans.partition_point(|(span, _)| span.end <= start);
        let (mut room, mut pieces) = (LINE_CHARS_MAX, Vec::new());
        for (span, part) in self.spans[first..].iter().take_while(|(span, _)| span.start < end) {
            let piece = &text[span.start.max(start)..span.end.min(end)];
            let cut: String = piece.chars().take(room).collect();
            room -= cut.chars().count();
            pieces.push((plain(&cut.replace('\t', TAB)), *part));
        }
        pieces.retain(|(piece, _)| !piece.is_empty());
        Some(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(preview: &Preview, number: usize) -> Option<String> {
        preview.line(number).map(|pieces| pieces.into_iter().map(|(piece, _)| piece).collect())
    }

    #[test]
    fn lines_are_shown_without_what_a_terminal_obeys() {
        let text = "a\r\n\tb\u{1b}[2J\n\n\u{202e}c";
        let preview = Preview::new(b"a.rs"[..].into(), Ok(text.to_owned()));
        let lines: Vec<String> =
            (1..=preview.len()).filter_map(|number| line(&preview, number)).collect();
        assert_eq!(lines, ["a", "    b\\u{1b}[2J", "", "\\u{202e}c"]);
        assert_eq!((line(&preview, 0), line(&preview, 5)), (None, None));
        assert_eq!(Preview::new(b"a"[..].into(), Ok(String::new())).len(), 0);
        assert_eq!(Preview::new(b"a"[..].into(), Err("no".to_owned())).problem(), Some("no"));
    }

    #[test]
    fn lines_have_the_colours_of_their_tokens() {
        let text = "/* a\n let b */ let c = \"é\";\n".to_owned() + &"x".repeat(500) + " let";
        let preview = Preview::new(b"a.rs"[..].into(), Ok(text.clone()));
        let of = |number: usize| preview.line(number).unwrap_or_default();
        assert_eq!(of(1), [("/* a".to_owned(), Some(Part::Comment))]);
        let expected = [
            (" let b */", Some(Part::Comment)),
            (" ", None),
            ("let", Some(Part::Keyword)),
            (" c = ", None),
            ("\"é\"", Some(Part::Literal)),
            (";", None),
        ];
        assert_eq!(of(2), expected.map(|(piece, part)| (piece.to_owned(), part)));
        assert_eq!(of(3), [("x".repeat(LINE_CHARS_MAX), None)]);
        let plain = Preview::new(b"a.txt"[..].into(), Ok(text));
        assert_eq!(plain.line(1), Some(vec![("/* a".to_owned(), None)]));
    }
}
