//! Plain output without the printer library: lines, paths or counts, as a pipe gets them.
//!
//! ripgrep's printer resolves every file's real path, for links that are then not printed, and
//! keeps records that plain lines do not need: on the Linux tree that was a third of the system calls of
//! `-l Copyright`.
//! Whatever is not plain is left to the library.

use std::io::{self, Write};
use std::path::Path;

use grep_searcher::{Searcher, Sink, SinkMatch};

use super::args::{Context, Mode, SearchMode};
use super::request::Request;

/// What is printed of a file with matches.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    kind: Kind,
    with_filename: bool,
    line_number: bool,
    /// What follows the path: a separator, or the terminator of `--null`.
    after_path: Vec<u8>,
    /// What follows a line number.
    separator: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Lines,
    Paths,
    Count,
}

impl Plain {
    /// Returns how to print plainly, if the request asks for nothing more.
    pub(crate) fn new(request: &Request) -> Option<Plain> {
        let Request { format, look, matching, .. } = request;
        let kind = match request.mode {
            Mode::Search(SearchMode::Lines) => Kind::Lines,
            Mode::Search(SearchMode::PathsWithMatch) => Kind::Paths,
            Mode::Search(SearchMode::Count) => Kind::Count,
            _ => return None,
        };
        let no_context = match format.context {
            Context::Passthru => false,
            context => context.before_after() == (0, 0),
        };
        let plain = look.color == termcolor::ColorChoice::Never
            && format.hyperlink.is_empty()
            && format.path_separator.is_none()
            && format.replace.is_none()
            && format.max_columns.is_none()
            && look.file_separator.is_none()
            && no_context
            && !(request.quiet || request.stats || look.heading || look.column)
            && !(format.vimgrep || format.only_matching || format.byte_offset || format.trim)
            && !(format.include_zero || matching.crlf || matching.null_data || matching.multiline);
        let terminator = format.null.then(|| vec![0]);
        let after_path = match kind {
            Kind::Lines => terminator.unwrap_or_else(|| format.field_match_separator.clone()),
            Kind::Paths => terminator.unwrap_or_else(|| b"\n".to_vec()),
            Kind::Count => terminator.unwrap_or_else(|| b":".to_vec()),
        };
        plain.then(|| Plain {
            kind,
            with_filename: look.with_filename,
            line_number: look.line_number,
            after_path,
            separator: format.field_match_separator.clone(),
        })
    }

    /// Returns true if the parts of a file in which lines can match are all that must be searched:
    /// nothing that is printed depends on the lines between them.
    pub(crate) fn searches_parts(&self) -> bool {
        !(self.kind == Kind::Lines && self.line_number)
    }

    /// Returns true if a path is printed for the first match, whatever follows.
    pub(crate) fn stops_at_match(&self) -> bool {
        self.kind == Kind::Paths
    }

    /// Returns a sink for the file at `path` that prints to `out`; call [`PlainSink::end`] last.
    pub(crate) fn sink<'a, W: Write>(&'a self, path: &'a Path, out: &'a mut W) -> PlainSink<'a, W> {
        PlainSink { plain: self, path: path.as_os_str().as_encoded_bytes(), out, matched_lines: 0 }
    }
}

/// Prints what is found in one file.
pub(crate) struct PlainSink<'a, W> {
    plain: &'a Plain,
    path: &'a [u8],
    out: &'a mut W,
    matched_lines: u64,
}

impl<W> PlainSink<'_, W> {
    /// Returns true if a line was found so far.
    fn has_match(&self) -> bool {
        self.matched_lines > 0
    }
}

impl<W: Write> PlainSink<'_, W> {
    /// Prints what can be said once the file was searched; returns true if a line was found.
    pub(crate) fn end(self) -> io::Result<bool> {
        if self.matched_lines == 0 {
            return Ok(false);
        }
        match self.plain.kind {
            Kind::Lines => {}
            Kind::Paths => {
                self.out.write_all(self.path)?;
                self.out.write_all(&self.plain.after_path)?;
            }
            Kind::Count => {
                if self.plain.with_filename {
                    self.out.write_all(self.path)?;
                    self.out.write_all(&self.plain.after_path)?;
                }
                writeln!(self.out, "{}", self.matched_lines)?;
            }
        }
        Ok(true)
    }

    /// Returns true if nothing more can change what is printed.
    pub(crate) fn is_decided(&self) -> bool {
        self.plain.kind == Kind::Paths && self.has_match()
    }
}

impl<W: Write> Sink for PlainSink<'_, W> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.matched_lines += 1;
        let Plain { kind, with_filename, line_number, after_path, separator } = self.plain;
        match kind {
            Kind::Lines => {
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
            Kind::Paths => Ok(false),
            Kind::Count => Ok(true),
        }
    }
}
