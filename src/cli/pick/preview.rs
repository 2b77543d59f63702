//! [`Preview`]: the text of the file that the selected item is in.

use std::sync::Arc;

use crate::base::text::{decode, plain};
use crate::catalog::code::Code;

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
}

impl Preview {
    /// Returns the preview of a text, or of the reason why there is none.
    pub(super) fn new(path: Arc<[u8]>, text: Result<String, String>) -> Preview {
        let all = text.as_deref().unwrap_or_default();
        let ends = all.match_indices('\n').map(|(at, _)| at + 1).filter(|&at| at < all.len());
        let starts = std::iter::once(0).chain(ends).filter(|_| !all.is_empty()).collect();
        Preview { path, text, starts }
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

    /// Returns a line, from 1, as it is shown.
    pub(super) fn line(&self, number: usize) -> Option<String> {
        let text = self.text.as_ref().ok()?;
        let start = *self.starts.get(number.checked_sub(1)?)?;
        let end = self.starts.get(number).copied().unwrap_or(text.len());
        let line = text[start..end].trim_end_matches(['\n', '\r']);
        let cut: String = line.chars().take(LINE_CHARS_MAX).collect();
        Some(plain(&cut.replace('\t', TAB)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_shown_without_what_a_terminal_obeys() {
        let text = "a\r\n\tb\u{1b}[2J\n\n\u{202e}c";
        let preview = Preview::new(b"a.rs"[..].into(), Ok(text.to_owned()));
        let lines: Vec<String> = (1..=preview.len()).filter_map(|at| preview.line(at)).collect();
        assert_eq!(lines, ["a", "    b\\u{1b}[2J", "", "\\u{202e}c"]);
        assert_eq!((preview.line(0), preview.line(5)), (None, None));
        assert_eq!(Preview::new(b"a"[..].into(), Ok(String::new())).len(), 0);
        assert_eq!(Preview::new(b"a"[..].into(), Err("no".to_owned())).problem(), Some("no"));
    }
}
