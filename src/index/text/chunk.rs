//! Cuts a file into chunks of about a definition's size: what a question is to be answered with.
//!
//! A definition with the comments before it is a chunk; a class or module too large for one is cut
//! along its members, its head a chunk of its own; what lies between, small definitions included, and
//! definitions that are long without members are cut by lines. Every line is in one chunk, in the
//! order of the file, up to [`CHUNKS_MAX`]: what stands behind is not ranked by, and counted.

use std::ops::Range;

use memchr::memchr_iter;

use crate::lang::Symbol;

/// Chunks of one file; there are generated files of hundreds of thousands of lines.
pub const CHUNKS_MAX: usize = 256;

/// A larger definition is cut along its members, and lines are gathered up to this.
const LINES_MAX: usize = 60;

/// A larger definition is cut along its members, and lines are gathered up to this.
const BYTES_MAX: usize = 4 << 10;

/// A definition of so many times the above is cut by lines where it has no members.
const LONG: usize = 2;

/// Lines without a word that a chunk may have behind it.
const BLANK_LINES_MAX: usize = 1000;

/// Smaller definitions stay with their neighbours: constants, fields, prototypes.
const SMALL_LINES_MAX: usize = 3;

/// A part of a file.
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
    /// In the order of the text, without gaps.
    pub chunks: Vec<Chunk>,
    /// Lines behind the last chunk, of which there is none more.
    pub lines_left: usize,
}

/// Cuts `text`, in which `symbols` are defined. O(text + symbols).
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

/// A definition's lines, comments before it included.
struct Definition {
    lines: Range<usize>,
    depth: usize,
}

/// Returns the definitions of more than a few lines, in the order of the text.
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
        // Lines before this one are in chunks.
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
                // Its members come next in the loop; its head goes up to the first of them.
                self.gather(at..start);
                let head = self.with_comments(start, inner.lines.start);
                self.gather(start..head);
                at = head;
            } else {
                self.gather(at..start);
                match self.fits(start..end, LONG) {
                    true => self.push(start..end),
                    false => self.gather(start..end),
                }
                at = end;
            }
        }
        self.gather(at..lines);
    }

    /// Returns true if a chunk of so many times the usual size may hold the lines.
    fn fits(&self, lines: Range<usize>, times: usize) -> bool {
        lines.len() <= LINES_MAX * times && self.bytes(&lines).len() <= BYTES_MAX * times
    }

    /// Returns the first of the comment and attribute lines right before the line `start`, not
    /// before the line `from`.
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

    /// Cuts lines that belong to no definition of a size: at empty lines where there are some.
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

    /// Adds a chunk; lines without a letter or digit go with what stands before them.
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
