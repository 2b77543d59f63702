//! Plain output (lines, paths or counts) without the printer library.
//!
//! ripgrep's printer canonicalizes the path of every file, for hyperlinks that are then not
//! printed, and keeps records that plain lines do not need: a third of the system calls of
//! `-l Copyright` on the Linux tree. The library prints everything that is not plain.

use std::io::{self, Write};
use std::path::Path;

use grep_searcher::{Searcher, Sink, SinkMatch};

use super::args::{Context, Mode, SearchMode};
use super::request::Request;

/// The plain output of a file with matches.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    kind: PlainKind,
    with_filename: bool,
    line_number: bool,
    /// The bytes after the path: a separator, or the terminator of `--null`.
    after_path: Vec<u8>,
    /// The bytes after a line number.
    separator: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum PlainKind {
    Lines,
    Paths,
    Count,
}

impl Plain {
    /// Returns the plain output of a request; `None` if it needs more.
    pub(crate) fn new(request: &Request) -> Option<Plain> {
        let Request { format, output_format, matching, .. } = request;
        let kind = match request.mode {
            Mode::Search(SearchMode::Lines) => PlainKind::Lines,
            Mode::Search(SearchMode::PathsWithMatch) => PlainKind::Paths,
            Mode::Search(SearchMode::Count) => PlainKind::Count,
            _ => return None,
        };
        let no_context = match format.context {
            Context::Passthru => false,
            context => context.before_after() == (0, 0),
        };
        let plain = output_format.color == termcolor::ColorChoice::Never
            && format.hyperlink.is_empty()
            && format.path_separator.is_none()
            && format.replace.is_none()
            && format.max_columns.is_none()
            && output_format.file_separator.is_none()
            && no_context
            && !(request.quiet || request.stats || output_format.heading || output_format.column)
            && !(format.vimgrep || format.only_matching || format.byte_offset || format.trim)
            && !(format.include_zero || matching.crlf || matching.null_data || matching.multiline);
        let terminator = format.null.then(|| vec![0]);
        let after_path = match kind {
            PlainKind::Lines => terminator.unwrap_or_else(|| format.field_match_separator.clone()),
            PlainKind::Paths => terminator.unwrap_or_else(|| b"\n".to_vec()),
            PlainKind::Count => terminator.unwrap_or_else(|| b":".to_vec()),
        };
        plain.then(|| Plain {
            kind,
            with_filename: output_format.with_filename,
            line_number: output_format.line_number,
            after_path,
            separator: format.field_match_separator.clone(),
        })
    }

    /// Returns true if only those parts of a file must be searched in which lines can match: the
    /// output does not depend on the lines between them.
    pub(crate) fn searches_parts(&self) -> bool {
        !(self.kind == PlainKind::Lines && self.line_number)
    }

    /// Returns true if only the first match of a file matters.
    pub(crate) fn stops_at_match(&self) -> bool {
        self.kind == PlainKind::Paths
    }

    /// Returns a sink for the file at `path` that prints to `out`; call [`PlainSink::end`] last.
    pub(crate) fn sink<'a, W: Write>(&'a self, path: &'a Path, out: &'a mut W) -> PlainSink<'a, W> {
        PlainSink { plain: self, path: path.as_os_str().as_encoded_bytes(), out, matched_lines: 0 }
    }
}

/// Prints the matches in one file.
pub(crate) struct PlainSink<'a, W> {
    plain: &'a Plain,
    path: &'a [u8],
    out: &'a mut W,
    matched_lines: u64,
}

impl<W> PlainSink<'_, W> {
    /// Returns true if a line has matched.
    fn has_match(&self) -> bool {
        self.matched_lines > 0
    }
}

impl<W: Write> PlainSink<'_, W> {
    /// Prints what is printed after the search of a file; returns true if a line has matched.
    pub(crate) fn end(self) -> io::Result<bool> {
        if self.matched_lines == 0 {
            return Ok(false);
        }
        match self.plain.kind {
            PlainKind::Lines => {}
            PlainKind::Paths => {
                self.out.write_all(self.path)?;
                self.out.write_all(&self.plain.after_path)?;
            }
            PlainKind::Count => {
                if self.plain.with_filename {
                    self.out.write_all(self.path)?;
                    self.out.write_all(&self.plain.after_path)?;
                }
                writeln!(self.out, "{}", self.matched_lines)?;
            }
        }
        Ok(true)
    }

    /// Returns true if further matches cannot change the output.
    pub(crate) fn is_decided(&self) -> bool {
        self.plain.kind == PlainKind::Paths && self.has_match()
    }
}

impl<W: Write> Sink for PlainSink<'_, W> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.matched_lines += 1;
        let Plain { kind, with_filename, line_number, after_path, separator } = self.plain;
        match kind {
            PlainKind::Lines => {
                if *with_filename {
                    self.out.write_all(self.path)?;
                    self.out.write_all(after_path)?;
                }
                if let (true, Some(number)) = (*line_number, found.line_number()) {
                    write!(self.out, "{number}")?;
                    self.out.write_all(separator)?;
                }
                self.out.write_all(found.bytes())?;
                if !found.bytes().ends_with(b"\n") {
                    self.out.write_all(b"\n")?;
                }
                Ok(true)
            }
            PlainKind::Paths => Ok(false),
            PlainKind::Count => Ok(true),
        }
    }
}
