//! Divides a file into chunks of about the size of a definition.
//!
//! A definition with its leading comments is a chunk. A class or module that is too large for one
//! chunk is divided along its members, with its head as a chunk of its own. The text between
//! definitions, small definitions, and long definitions without members are divided by lines. Every
//! line belongs to one chunk, in file order, up to [`CHUNKS_MAX`] chunks; lines beyond are counted
//! but not ranked.

use std::ops::Range;

use memchr::memchr_iter;

use crate::lang::Symbol;

/// Maximum number of chunks of a file; some generated files have hundreds of thousands of lines.
pub const CHUNKS_MAX: usize = 256;

/// Maximum lines of a chunk of loose lines, and of a definition that is not divided along its
/// members.
const LINES_MAX: usize = 60;

/// Maximum bytes of a chunk of loose lines, and of a definition that is not divided along its
/// members.
const BYTES_MAX: usize = 4 << 10;

/// A definition without members may be this many times larger before it is divided by lines.
const LONG: usize = 2;

/// Maximum number of trailing lines without a word in a chunk.
const BLANK_LINES_MAX: usize = 1000;

/// Definitions of at most this many lines stay with their neighbours: constants, fields,
/// prototypes.
const SMALL_LINES_MAX: usize = 3;

/// A range of lines of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Chunk {
    /// Its lines, from 0.
    pub lines: Range<usize>,
    /// Its bytes.
    pub bytes: Range<usize>,
}

/// The chunks of a file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Chunks {
    /// In text order, without gaps.
    pub chunks: Vec<Chunk>,
    /// Number of lines after the last chunk, beyond [`CHUNKS_MAX`].
    pub lines_left: usize,
}

/// Divides `text`, which defines `symbols`. O(text + symbols).
pub fn cut(text: &[u8], symbols: &[Symbol]) -> Chunks {
    let mut starts: Vec<usize> = vec![0];
    starts.extend(memchr_iter(b'\n', text).map(|at| at + 1).filter(|&at| at < text.len()));
    let lines = if text.is_empty() { 0 } else { starts.len() };
    starts.push(text.len());
    let mut cutter = Cutter { text, starts, chunks: Vec::new() };
    cutter.run(&definitions(symbols), lines);
    let mut chunks = cutter.chunks;
    chunks.truncate(CHUNKS_MAX);
    let lines_left = lines - chunks.last().map_or(0, |chunk| chunk.lines.end);
    Chunks { chunks, lines_left }
}

/// The lines and the nesting depth of a definition.
struct Definition {
    lines: Range<usize>,
    depth: usize,
}

/// Returns the definitions of more than [`SMALL_LINES_MAX`] lines, in text order.
fn definitions(symbols: &[Symbol]) -> Vec<Definition> {
    let mut found: Vec<Definition> = symbols
        .iter()
        .filter(|symbol| symbol.line > 0 && symbol.end_line >= symbol.line)
        .map(|symbol| Definition { lines: symbol.line - 1..symbol.end_line, depth: symbol.depth })
        .filter(|definition| definition.lines.len() > SMALL_LINES_MAX)
        .collect();
    found.sort_by_key(|definition| (definition.lines.start, definition.depth));
    found
}

struct Cutter<'a> {
    text: &'a [u8],
    /// The byte at which each line starts, and the length of the text.
    starts: Vec<usize>,
    chunks: Vec<Chunk>,
}

impl Cutter<'_> {
    fn run(&mut self, definitions: &[Definition], lines: usize) {
        // Lines before this one are already in chunks.
        let mut at = 0;
        for (place, definition) in definitions.iter().enumerate() {
            if self.chunks.len() > CHUNKS_MAX {
                return;
            }
            let end = definition.lines.end.min(lines);
            if definition.lines.start < at || definition.lines.start >= end {
                continue;
            }
            let start = self.with_comments(at, definition.lines.start);
            if self.fits(start..end, 1) {
                self.gather(at..start);
                self.push(start..end);
                at = end;
            } else if let Some(inner) = definitions[place + 1..]
                .iter()
                .take_while(|inner| inner.lines.start < end)
                .find(|inner| inner.depth > definition.depth)
            {
                // The head ends at the first member. The following iterations handle the members.
                self.gather(at..start);
                let head = self.with_comments(start, inner.lines.start);
                self.gather(start..head);
                at = head;
            } else {
                self.gather(at..start);
                if self.fits(start..end, LONG) {
                    self.push(start..end);
                } else {
                    self.gather(start..end);
                }
                at = end;
            }
        }
        self.gather(at..lines);
    }

    /// Returns true if the lines fit a chunk of `times` the usual size.
    fn fits(&self, lines: Range<usize>, times: usize) -> bool {
        lines.len() <= LINES_MAX * times && self.bytes(&lines).len() <= BYTES_MAX * times
    }

    /// Returns the first of the comment and attribute lines directly before line `start`, but not
    /// before line `from`.
    fn with_comments(&self, from: usize, start: usize) -> usize {
        let is_lead = |line: usize| {
            let bytes = self.text[self.bytes(&(line..line + 1))].trim_ascii_start();
            [&b"//"[..], b"/*", b"*", b"#", b"--", b"@", b";;", b"%"]
                .iter()
                .any(|mark| bytes.starts_with(mark))
        };
        (from..start)
            .rev()
            .take(LINES_MAX)
            .take_while(|&line| is_lead(line))
            .last()
            .unwrap_or(start)
    }

    /// Divides lines outside of definitions, preferably at empty lines.
    fn gather(&mut self, lines: Range<usize>) {
        let mut start = lines.start;
        while start < lines.end
            && (1..=CHUNKS_MAX).contains(&self.chunks.len())
            && self.is_empty(start..start + 1)
        {
            self.push(start..start + 1);
            start += 1;
        }
        while start < lines.end && self.chunks.len() <= CHUNKS_MAX {
            let mut end = start + 1;
            let mut pause = None;
            while end < lines.end && self.fits(start..end + 1, 1) {
                if end - start >= LINES_MAX / 2 && self.is_empty(end..end + 1) {
                    pause = Some(end + 1);
                }
                end += 1;
            }
            if end < lines.end {
                end = pause.unwrap_or(end);
            }
            self.push(start..end);
            start = end;
        }
    }

    /// Adds a chunk. Lines without a letter or digit are appended to the previous chunk.
    fn push(&mut self, lines: Range<usize>) {
        if lines.is_empty() {
            return;
        }
        let bytes = self.bytes(&lines);
        match self.chunks.last_mut() {
            Some(last)
                if last.lines.len() < BLANK_LINES_MAX
                    && self.text[bytes.clone()].iter().all(|&byte| is_blank(byte)) =>
            {
                last.lines.end = lines.end;
                last.bytes.end = bytes.end;
            }
            _ => self.chunks.push(Chunk { lines, bytes }),
        }
    }

    fn is_empty(&self, lines: Range<usize>) -> bool {
        self.text[self.bytes(&lines)].trim_ascii().is_empty()
    }

    fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.starts[lines.start]..self.starts[lines.end]
    }
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}
