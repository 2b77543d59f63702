//! The definitions around matching lines, with all their lines.

use std::collections::BTreeMap;

use super::{Inside, Line, MatchingFile};

/// The number of lines that a reply may add.
pub(super) const LINES_MAX: usize = 500;

/// The number of lines that a reply with few matches adds unasked, and what few are.
pub(super) const FEW_LINES_MAX: usize = 80;
const FEW_FILES_MAX: usize = 3;
const FEW_MATCHES_MAX: usize = 6;

/// The longest definition that is added whole; of longer ones, the first line and those around the match.
const WHOLE_MAX: usize = 120;
const AROUND: usize = 25;

/// The longest line that is shown with its indentation; of longer ones, a part.
const LINE_BYTES_MAX: usize = 200;

/// Returns true if so little matches that what is around the matches is probably read next.
pub(super) fn are_few(matching: &[MatchingFile]) -> bool {
    let count: usize = matching.iter().map(|file| file.count).sum();
    matching.len() <= FEW_FILES_MAX && count <= FEW_MATCHES_MAX
}

/// Adds the lines of the definitions around matching lines of a file, as far as `left` lines suffice, of
/// which it takes those that it adds. Returns how many definitions are left out.
pub(super) fn add(lines: &mut Vec<Line>, text: &[u8], left: &mut usize) -> usize {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1))
        .filter(|at| *at < text.len())
        .collect();
    let mut known: BTreeMap<usize, Line> =
        std::mem::take(lines).into_iter().map(|line| (line.line, line)).collect();
    let matching = known.values().filter(|line| !line.context);
    let around = |line: &Line| Some((line.inside.clone()?, line.line));
    let around: Vec<(Inside, usize)> = matching.filter_map(around).collect();
    let mut left_out = 0;
    for (inside, matched) in around {
        let Inside { line: first, end_line, .. } = inside;
        let is_whole = end_line.saturating_sub(first) < WHOLE_MAX;
        let shown = if is_whole {
            first..=end_line
        } else {
            matched.saturating_sub(AROUND).max(first)..=(matched + AROUND).min(end_line)
        };
        let head = (!is_whole).then_some(first);
        let missing: Vec<usize> = head
            .into_iter()
            .chain(shown)
            .filter(|number| !known.contains_key(number) && *number <= starts.len())
            .collect();
        if missing.len() > *left {
            left_out += 1;
            continue;
        }
        *left -= missing.len();
        for number in missing {
            let (at, inside) = (starts[number - 1], Some(inside.clone()));
            let text = String::new();
            known.insert(number, Line { line: number, text, context: true, inside, at });
        }
        for (number, line) in known.range_mut(first..=end_line) {
            if let Some(indented) = starts.get(number - 1).and_then(|at| indented(text, *at)) {
                line.text = indented;
            }
        }
    }
    *lines = known.into_values().collect();
    left_out
}

/// Returns the line that begins at a byte with its indentation, in which a tab counts as two blanks; `None`
/// for a long line.
fn indented(text: &[u8], at: usize) -> Option<String> {
    let rest = text.get(at..)?;
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let body = line.trim_ascii_start();
    let blanks = &line[..line.len() - body.len()];
    let width: usize = blanks.iter().map(|byte| if *byte == b'\t' { 2 } else { 1 }).sum();
    let body = String::from_utf8_lossy(body.trim_ascii_end());
    (line.len() <= LINE_BYTES_MAX).then(|| format!("{}{body}", " ".repeat(width)))
}
