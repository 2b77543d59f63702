//! The lines of a file that a reply shows.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use regex_automata::meta::Cache;

use super::{Line, Matcher, Span, spans, texts};

/// A text as it is searched, and as it is shown, with secrets masked. Offsets are the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Searched<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) shown: &'a [u8],
}

/// The limits on the lines that are shown of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineLimits {
    pub(super) lines: usize,
    /// Context lines on each side.
    pub(super) context: usize,
}

/// Returns the matching lines to show, with context lines, in the order of the file. If there are
/// more than the limit, lines that define the match are chosen first, then the first of the others.
/// `names` are the names of the file's definitions; `wanted` returns a line with the match that counts.
pub(super) fn lines(
    Searched { bytes, shown: quoted }: Searched<'_>,
    matcher: &Matcher<'_>,
    cache: &mut Cache,
    limits: LineLimits,
    names: &[Range<usize>],
    wanted: &dyn Fn(Span) -> Option<Span>,
) -> Vec<Line> {
    let all = spans(bytes, matcher, cache).filter_map(wanted);
    let matched: Vec<Span> = if names.is_empty() {
        all.take(limits.lines).collect()
    } else {
        let all: Vec<Span> = all.collect();
        let (defining, others): (Vec<Span>, Vec<Span>) =
            all.into_iter().partition(|span| span.is_definition(names));
        let mut chosen: Vec<Span> = defining.into_iter().chain(others).take(limits.lines).collect();
        chosen.sort_unstable_by_key(|span| span.start);
        chosen
    };
    let mut shown: Vec<Line> = Vec::new();
    let (mut number, mut counted) = (1, 0);
    for (nth, span) in matched.iter().enumerate() {
        number += memchr_iter(b'\n', &bytes[counted..span.start]).count();
        counted = span.start;
        let last = shown.last().map_or(0, |line| line.line);
        let mut before = Vec::new();
        let mut end = span.start;
        for back in 1..=limits.context.min(number - 1).min(number - 1 - last) {
            let start = memrchr(b'\n', &bytes[..end - 1]).map_or(0, |end| end + 1);
            before.push(line(number - back, &quoted[start..end], start, None));
            end = start;
        }
        shown.extend(before.into_iter().rev());
        let hit = Some(span.hit - span.start);
        shown.push(line(number, &quoted[span.start..span.end], span.start, hit));
        let next = matched.get(nth + 1).map_or(bytes.len(), |next| next.start);
        let mut start = span.end + 1;
        for ahead in 1..=limits.context {
            if start >= next {
                break;
            }
            let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |len| start + len);
            shown.push(line(number + ahead, &quoted[start..end], start, None));
            start = end + 1;
        }
    }
    shown
}

fn line(number: usize, bytes: &[u8], start: usize, hit: Option<usize>) -> Line {
    let text = texts::line(bytes, hit.unwrap_or(0));
    // The blanks before a context line lie outside of what begins on it.
    let blanks = bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let at = start + hit.unwrap_or(blanks);
    Line { line: number, text, context: hit.is_none(), inside: None, at }
}
