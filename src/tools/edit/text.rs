//! Edits of a text, which keep its byte order mark, its line endings and its final newline.

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use crate::error::{Error, Result};

/// The maximum number of lines that an error lists.
const LINES_SHOWN: usize = 10;

/// The maximum number of occurrences that are counted.
const COUNTED_MAX: usize = 1_000;

/// The byte order mark of UTF-8.
const MARK: char = '\u{feff}';

/// The text of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    whole: &'a str,
    /// The text without the byte order mark.
    body: &'a str,
}

impl<'a> Text<'a> {
    /// Returns the text of a file's bytes.
    ///
    /// # Errors
    ///
    /// If the bytes are not UTF-8 text.
    pub(super) fn of(bytes: &'a [u8]) -> Result<Text<'a>> {
        let refused =
            |what: &str| Err(Error::usage(what).with_hint("only UTF-8 text can be edited"));
        if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
            return refused("it is UTF-16 text");
        }
        if memchr::memchr(0, bytes).is_some() {
            return refused("it is binary: it contains a NUL byte");
        }
        match std::str::from_utf8(bytes) {
            Ok(whole) => Ok(Text { whole, body: whole.strip_prefix(MARK).unwrap_or(whole) }),
            Err(error) => {
                refused(&format!("it is not valid UTF-8 from byte {} on", error.valid_up_to()))
            }
        }
    }

    /// Returns the text, byte order mark included.
    pub(super) fn whole(&self) -> &'a str {
        self.whole
    }

    /// Replaces `old`, which must occur exactly once, by `content`. A line feed in either matches,
    /// or becomes, the line ending of the file. O(text · length of `old`) in the worst case.
    ///
    /// # Errors
    ///
    /// If `old` does not occur, or occurs several times.
    pub(super) fn with_replaced(&self, old: &str, content: &str) -> Result<String> {
        let old = old.strip_prefix(MARK).unwrap_or(old).replace("\r\n", "\n");
        if old.is_empty() {
            return Err(Error::usage("`old_string` is empty")
                .with_hint("`insert` adds lines, `create` creates a file"));
        }
        let flat = Flat::of(self.body);
        let (places, total) = places(&flat.text, &old);
        let [at] = places[..] else { return Err(not_unique(&flat.text, &old, &places, total)) };
        let given = content;
        let content = given.replace("\r\n", "\n");
        // Unchanged lines keep their bytes, including their line endings.
        let (head, tail) = common_lines(&old, &content);
        let (start, end) = (at + head, at + old.len() - tail);
        let content = &content[head..content.len() - tail];
        let range = flat.origin(start)..flat.origin(end);
        let line_end = self.line_end_after(flat.origin(at));
        let content = match line_end {
            Some(line_end) => content.replace('\n', line_end),
            // A text without line endings: `content` is inserted unchanged.
            None => given.to_owned(),
        };
        Ok(self.with(range, &content))
    }

    /// Replaces the lines `range` by those of `content`.
    ///
    /// # Errors
    ///
    /// If there are no such lines, or `content` is empty.
    pub(super) fn with_lines(&self, range: RangeInclusive<usize>, content: &str) -> Result<String> {
        let range = self.checked(range)?;
        self.spliced(range, &lines_of(content)?)
    }

    /// Inserts the lines of `content` after line `after`.
    ///
    /// # Errors
    ///
    /// If there is no such line, or `content` is empty.
    pub(super) fn with_inserted(&self, after: usize, content: &str) -> Result<String> {
        let total = self.lines();
        if after > total {
            return Err(Error::usage(format!("there is no line {after}: the file has {total}")));
        }
        if total == 0 {
            // An empty file has no line endings to keep.
            lines_of(content)?;
            return Ok(self.with(0..0, content));
        }
        self.spliced(after..after, &lines_of(content)?)
    }

    /// Deletes the lines `range`.
    ///
    /// # Errors
    ///
    /// If there are no such lines.
    pub(super) fn without_lines(&self, range: RangeInclusive<usize>) -> Result<String> {
        let range = self.checked(range)?;
        self.spliced(range, &[])
    }

    /// Converts line numbers, from 1, to indices.
    fn checked(&self, range: RangeInclusive<usize>) -> Result<Range<usize>> {
        let (start, end) = range.into_inner();
        let total = self.lines();
        if start == 0 || end == 0 {
            return Err(Error::usage("line numbers begin at 1"));
        }
        if end < start {
            return Err(Error::usage(format!("line {end} comes before line {start}")));
        }
        if end > total {
            return Err(Error::usage(format!("there is no line {end}: the file has {total}")));
        }
        Ok(start - 1..end)
    }

    /// Replaces the lines at `range` by `new` ones, which have no line endings.
    fn spliced(&self, range: Range<usize>, new: &[&str]) -> Result<String> {
        let (start, end) = (self.line_start(range.start), self.line_start(range.end));
        let is_ended = self.body.ends_with('\n');
        let line_end = self.line_end_at(range.start).unwrap_or("\n");
        let mut body = String::with_capacity(self.body.len());
        body.push_str(&self.body[..start]);
        for line in new {
            if !body.is_empty() && !body.ends_with('\n') {
                body.push_str(line_end);
            }
            body.push_str(line);
            body.push_str(line_end);
        }
        body.push_str(&self.body[end..]);
        let last = body.split_inclusive('\n').next_back().unwrap_or_default();
        let unended = last.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        // An empty last line consists of its line ending only.
        if let Some(line) = unended.filter(|line| !is_ended && !line.is_empty()) {
            body.truncate(body.len() - last.len() + line.len());
        }
        Ok(self.with(0..self.body.len(), &body))
    }

    /// Replaces the bytes `range` of the body by `new`.
    fn with(&self, range: Range<usize>, new: &str) -> String {
        let mark = &self.whole[..self.whole.len() - self.body.len()];
        let new = if range.start == 0 { new.strip_prefix(MARK).unwrap_or(new) } else { new };
        [mark, &self.body[..range.start], new, &self.body[range.end..]].concat()
    }

    /// Returns the line ending of the line at index `at`, or of the nearest one before it, or else
    /// after it; `None` if no line has one.
    fn line_end_at(&self, at: usize) -> Option<&'static str> {
        let body = self.body.as_bytes();
        let before = memchr::memrchr(b'\n', &body[..self.line_start(at + 1)]);
        self.line_end(before.or_else(|| memchr::memchr(b'\n', body))?)
    }

    /// Returns the line ending of the line that contains the byte at `at`, or of the nearest line
    /// before it; `None` if no line has one.
    fn line_end_after(&self, at: usize) -> Option<&'static str> {
        let body = self.body.as_bytes();
        let after = memchr::memchr(b'\n', &body[at..]).map(|end| at + end);
        self.line_end(after.or_else(|| memchr::memrchr(b'\n', &body[..at]))?)
    }

    /// Returns the line ending whose line feed is at `end`.
    fn line_end(&self, end: usize) -> Option<&'static str> {
        let is_pair = self.body.as_bytes()[..end].ends_with(b"\r");
        Some(if is_pair { "\r\n" } else { "\n" })
    }

    /// Returns the number of lines; a last line without line ending counts.
    fn lines(&self) -> usize {
        let body = self.body.as_bytes();
        let is_ended = body.last().is_none_or(|&last| last == b'\n');
        memchr::memchr_iter(b'\n', body).count() + usize::from(!is_ended)
    }

    /// Returns the position of the line at index `at`, or the end of the text if there is none.
    fn line_start(&self, at: usize) -> usize {
        let Some(before) = at.checked_sub(1) else { return 0 };
        let end = memchr::memchr_iter(b'\n', self.body.as_bytes()).nth(before);
        end.map_or(self.body.len(), |end| end + 1)
    }
}

/// A text with normalized line endings, and the origin of each of its bytes.
struct Flat<'a> {
    text: Cow<'a, str>,
    /// The positions in `text` of line feeds that followed a carriage return, ascending.
    returns: Vec<usize>,
}

impl Flat<'_> {
    fn of(body: &str) -> Flat<'_> {
        if memchr::memchr(b'\r', body.as_bytes()).is_none() {
            return Flat { text: Cow::Borrowed(body), returns: Vec::new() };
        }
        let mut returns = Vec::new();
        for (nth, (at, _)) in body.match_indices("\r\n").enumerate() {
            returns.push(at - nth);
        }
        Flat { text: body.replace("\r\n", "\n").into(), returns }
    }

    /// Returns the original position of the byte at `at`; for a line ending, that of its first
    /// byte.
    fn origin(&self, at: usize) -> usize {
        at + self.returns.partition_point(|&place| place < at)
    }
}

/// Returns the first positions of `old` in `text`, including overlapping ones, and their total
/// number.
fn places(text: &str, old: &str) -> (Vec<usize>, usize) {
    let (mut places, mut total, mut from) = (Vec::new(), 0, 0);
    let step = old.chars().next().map_or(1, char::len_utf8);
    let finder = memchr::memmem::Finder::new(old);
    while let Some(at) = finder.find(&text.as_bytes()[from..]) {
        total += 1;
        if total > COUNTED_MAX {
            break;
        }
        if places.len() < LINES_SHOWN {
            places.push(from + at);
        }
        from += at + step;
    }
    (places, total)
}

/// Returns the length of the common prefix of two texts in whole lines, and the length of their
/// common suffix, which begins with a line ending.
fn common_lines(one: &str, other: &str) -> (usize, usize) {
    let same = one.split_inclusive('\n').zip(other.split_inclusive('\n'));
    let same = same.take_while(|(a, b)| a == b && a.ends_with('\n'));
    let head = same.map(|(line, _)| line.len()).sum();
    let (one, other) = (&one.as_bytes()[head..], &other.as_bytes()[head..]);
    let bytes = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = &one[one.len() - bytes..];
    (head, tail.iter().position(|&byte| byte == b'\n').map_or(0, |at| tail.len() - at))
}

/// Returns the index of the line that contains the byte at `at`.
fn line_of(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count()
}

/// Returns the lines of `content` without their line endings. The last line may lack one.
fn lines_of(content: &str) -> Result<Vec<&str>> {
    let content = content.strip_prefix(MARK).unwrap_or(content);
    if content.is_empty() {
        return Err(Error::usage("`content` is empty")
            .with_hint("an empty line is a line feed; `delete` deletes lines"));
    }
    Ok(content.lines().collect())
}

/// Returns the error for an `old_string` that does not occur exactly once.
fn not_unique(text: &str, old: &str, places: &[usize], total: usize) -> Error {
    if total > 1 {
        let mut lines: Vec<String> =
            places.iter().map(|&at| (line_of(text, at) + 1).to_string()).collect();
        if total > places.len() {
            lines.push("…".to_owned());
        }
        let many = if total > COUNTED_MAX {
            format!("more than {COUNTED_MAX}")
        } else {
            total.to_string()
        };
        return Error::usage(format!(
            "`old_string` occurs {many} times, at lines {}",
            lines.join(", ")
        ))
        .with_hint("add surrounding lines until it is unique, or use `replace` with line numbers");
    }
    let error = Error::usage("`old_string` does not occur in the file");
    let Some(first) = old.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return error.with_hint("{tool:read} shows the lines");
    };
    let alike: Vec<String> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.trim() == first)
        .map(|(at, _)| (at + 1).to_string())
        .take(LINES_SHOWN)
        .collect();
    if alike.is_empty() {
        error.with_hint("{tool:read} shows the lines")
    } else {
        error.with_hint(format!(
            "its first line occurs at line {}, but the rest or the white space differs",
            alike.join(", ")
        ))
    }
}
