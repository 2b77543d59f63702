//! Parsers for the output of search programs, and the comparison of two results.
//!
//! Pure functions of bytes: paths and texts may contain any bytes. Programs that can print a NUL
//! after the path do so; the output of the other one (`csearch`) is parsed with the tree's list of
//! files.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// A matching line.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Line {
    /// Relative to the tree.
    pub(crate) path: Vec<u8>,
    /// From 1.
    pub(crate) number: u64,
    /// Without the line feed.
    pub(crate) text: Vec<u8>,
}

/// How a program prints a matching line.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    /// `path NUL number : text`: `rg -n -0`, `codedb search -n -0`, `ugrep -n -0`.
    NulColon,
    /// `path NUL number NUL text`: `git grep -n -z`.
    NulNul,
    /// `root / path : number : text`: `csearch -n`.
    Colons {
        /// The absolute path of the indexed directory, without a slash at its end.
        root: Vec<u8>,
    },
}

/// The parsed output.
#[derive(PartialEq, Debug)]
pub(crate) struct Printed {
    /// The lines, sorted.
    pub(crate) lines: Vec<Line>,
    /// Other printed lines, sorted: messages about binary files, paths that are not in the list.
    pub(crate) others: Vec<Vec<u8>>,
}

/// The difference between two results.
#[derive(PartialEq, Debug)]
pub(crate) struct Difference {
    /// Lines of the first that the second lacks.
    pub(crate) missing: usize,
    /// Lines of the second that the first lacks.
    pub(crate) more: usize,
    /// The first line of either kind.
    pub(crate) first: Option<Line>,
}

/// Parses the output of a program; `files` are the existing paths.
///
/// `csearch` is ambiguous where both `a` and `a:1` are files: the shorter path is taken.
pub(crate) fn read(layout: &Layout, output: &[u8], files: &BTreeSet<Vec<u8>>) -> Printed {
    let mut printed = Printed { lines: Vec::new(), others: Vec::new() };
    let mut rest = output;
    while !rest.is_empty() {
        let one = match layout {
            Layout::NulColon => after_nul(rest, b':', files),
            Layout::NulNul => after_nul(rest, 0, files),
            Layout::Colons { root } => after_colon(rest, root, files),
        };
        match one {
            Some((line, left)) => {
                printed.lines.push(line);
                rest = left;
            }
            None => {
                let (other, left) = split(rest, b'\n').unwrap_or((rest, &[]));
                printed.others.push(other.to_vec());
                rest = left;
            }
        }
    }
    printed.lines.sort_unstable();
    printed.others.sort_unstable();
    printed
}

/// Compares two sorted lists; duplicates count.
pub(crate) fn difference(expected: &[Line], found: &[Line]) -> Difference {
    let (mut missing, mut more, mut first) = (0, 0, None);
    let (mut left, mut right) = (expected.iter().peekable(), found.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(ours), Some(theirs)) => ours.cmp(theirs),
        };
        let odd = match order {
            Ordering::Less => {
                missing += 1;
                left.next()
            }
            Ordering::Greater => {
                more += 1;
                right.next()
            }
            Ordering::Equal => {
                left.next();
                right.next();
                None
            }
        };
        first = first.or(odd);
    }
    Difference { missing, more, first: first.cloned() }
}

impl Difference {
    /// Returns true if there is no difference.
    pub(crate) fn is_none(&self) -> bool {
        self.missing == 0 && self.more == 0
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lines = |count| if count == 1 { "line" } else { "lines" };
        let missing = self.missing;
        write!(f, "differs: {missing} {} missing, {} more", lines(missing), self.more)
    }
}

/// Parses one line whose path ends with NUL; the path may contain all other bytes, including line
/// feeds.
fn after_nul<'a>(
    rest: &'a [u8],
    behind_number: u8,
    files: &BTreeSet<Vec<u8>>,
) -> Option<(Line, &'a [u8])> {
    let (path, rest) = split(rest, 0)?;
    if !files.contains(path) {
        return None;
    }
    let (number, rest) = split(rest, behind_number)?;
    let (text, rest) = split(rest, b'\n').unwrap_or((rest, &[]));
    Some((Line { path: path.to_vec(), number: decimal(number)?, text: text.to_vec() }, rest))
}

/// Parses one line whose path ends at a colon.
///
/// `csearch` prints no line feed after the last line of a file without one, so the path of the next
/// file is on the same line.
fn after_colon<'a>(
    rest: &'a [u8],
    root: &[u8],
    files: &BTreeSet<Vec<u8>>,
) -> Option<(Line, &'a [u8])> {
    let (path, number, rest) = place(rest, root, files)?;
    let (text, left) = split(rest, b'\n').unwrap_or((rest, &[]));
    let next = memchr::memmem::find_iter(text, root)
        .find(|&start| place(&rest[start..], root, files).is_some());
    let (text, left) = next.map_or((text, left), |start| rest.split_at(start));
    Some((Line { path: path.to_vec(), number, text: text.to_vec() }, left))
}

/// Parses `root / path : number :` and returns the rest; a path may contain line feeds.
fn place<'a>(
    rest: &'a [u8],
    root: &[u8],
    files: &BTreeSet<Vec<u8>>,
) -> Option<(&'a [u8], u64, &'a [u8])> {
    let below = rest.strip_prefix(root)?.strip_prefix(b"/")?;
    let mut colons = memchr::memchr_iter(b':', below).take_while(|&colon| colon <= PATH_BYTES_MAX);
    colons.find_map(|colon| {
        let path = files.contains(&below[..colon]).then_some(&below[..colon])?;
        let (number, rest) = split(&below[colon + 1..], b':')?;
        Some((path, decimal(number)?, rest))
    })
}

/// The maximum length of a path on all supported systems.
const PATH_BYTES_MAX: usize = 4096;

fn split(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(at, bytes)?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

fn decimal(digits: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(digits).ok()?;
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}
