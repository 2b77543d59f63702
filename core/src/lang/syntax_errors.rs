//! The parts of a text that its parser does not understand.

use std::cmp::Reverse;
use std::ops::Range;

/// Maximum number of spans; the last one extends to the end of all further ones.
const SPANS_MAX: usize = 1000;

/// The parts of a text that its parser does not understand.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SyntaxErrors {
    /// The line of the first error, from 1; 0 without errors.
    pub first_line: usize,
    /// The bytes of the text that belong to no construct of the language, ascending and disjoint.
    /// Definitions and comments that were recognized between them are not included. A token that is
    /// merely missing has no bytes.
    pub spans: Vec<Range<usize>>,
}

impl SyntaxErrors {
    /// Returns true if the byte `at` is in such a part. O(log spans).
    pub fn contain(&self, at: usize) -> bool {
        let after = self.spans.partition_point(|span| span.start <= at);
        after > 0 && at < self.spans[after - 1].end
    }
}

/// Collects the errors of a text, in the order of a traversal of its tree.
#[derive(Debug, Default)]
pub(super) struct Collector {
    first_line: usize,
    errors: Vec<Range<usize>>,
    /// The end of the last of the errors.
    end: usize,
    comments: Vec<Range<usize>>,
}

impl Collector {
    /// Adds an error, and the line at which it begins, counted from 1.
    pub(super) fn add(&mut self, span: Range<usize>, line: usize) {
        if self.first_line == 0 || line < self.first_line {
            self.first_line = line;
        }
        if !span.is_empty() {
            self.end = self.end.max(span.end);
            self.errors.push(span);
        }
    }

    /// Adds a comment, which is read correctly even where the code around it is not. O(1).
    pub(super) fn add_comment(&mut self, span: Range<usize>) {
        if span.start < self.end {
            self.comments.push(span);
        }
    }

    /// Returns the errors without the definitions `defined` that lie between them.
    /// O(n log n) in the errors, comments and definitions; O(1) without errors.
    pub(super) fn finish<'s>(
        self,
        defined: impl Iterator<Item = &'s Range<usize>>,
    ) -> SyntaxErrors {
        let Collector { first_line, errors, comments, .. } = self;
        if errors.is_empty() {
            return SyntaxErrors { first_line, spans: Vec::new() };
        }
        let understood = comments.into_iter().chain(defined.cloned()).map(|span| (span, false));
        let mut all: Vec<(Range<usize>, bool)> = understood.collect();
        all.extend(errors.into_iter().map(|span| (span, true)));
        // An outer part precedes those inside it. Of equal ones, the error is the inner one.
        all.sort_by_key(|(span, is_error)| (span.start, Reverse(span.end), *is_error));
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut open: Vec<(usize, bool)> = Vec::new();
        let mut at = 0;
        for (span, is_error) in all {
            close(&mut open, span.start, &mut at, &mut spans);
            // A part that overlaps the end of the one around it ends there.
            let end = open.last().map_or(span.end, |&(end, _)| span.end.min(end));
            open.push((end, is_error));
        }
        close(&mut open, usize::MAX, &mut at, &mut spans);
        SyntaxErrors { first_line, spans }
    }
}

/// Ends the open parts that end before `until`, and continues up to there.
fn close(
    open: &mut Vec<(usize, bool)>,
    until: usize,
    at: &mut usize,
    spans: &mut Vec<Range<usize>>,
) {
    while let Some(&(end, is_error)) = open.last() {
        let to = end.min(until);
        if is_error && *at < to {
            push(spans, *at..to);
        }
        *at = (*at).max(to);
        if end > until {
            return;
        }
        open.pop();
    }
    *at = until;
}

/// Adds a span that follows the others.
fn push(spans: &mut Vec<Range<usize>>, span: Range<usize>) {
    let is_full = spans.len() == SPANS_MAX;
    match spans.last_mut() {
        Some(last) if is_full || last.end == span.start => last.end = span.end,
        _ => spans.push(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        errors: &[(usize, usize)],
        understood: &[(usize, usize)],
        expected: &[(usize, usize)],
    ) {
        let spans = |pairs: &[(usize, usize)]| -> Vec<Range<usize>> {
            pairs.iter().map(|&(start, end)| start..end).collect()
        };
        let mut collector = Collector::default();
        spans(errors).into_iter().for_each(|span| collector.add(span, 1));
        let found = collector.finish(spans(understood).iter());
        let expected = spans(expected);
        assert_eq!(found.spans, expected);
        for at in 0..100 {
            assert_eq!(found.contain(at), expected.iter().any(|span| span.contains(&at)), "{at}");
        }
    }

    #[test]
    fn recognized_definitions_between_errors_are_not_part_of_them() {
        check(&[], &[(0, 9)], &[]);
        check(&[(3, 5)], &[(0, 9)], &[(3, 5)]);
        check(&[(0, 50)], &[(10, 20), (30, 40)], &[(0, 10), (20, 30), (40, 50)]);
        check(&[(0, 50), (12, 14)], &[(10, 20), (60, 70)], &[(0, 10), (12, 14), (20, 50)]);
        check(&[(10, 20)], &[(10, 20)], &[(10, 20)]);
        check(&[(0, 9), (20, 30)], &[(40, 50)], &[(0, 9), (20, 30)]);
        check(&[(10, 20)], &[(15, 30)], &[(10, 15)]);
        check(&[(0, 30), (5, 20), (20, 25)], &[], &[(0, 30)]);
    }

    #[test]
    fn the_number_of_parts_is_limited() {
        let errors: Vec<Range<usize>> = (0..2000).map(|at| at * 10..at * 10 + 5).collect();
        let mut collector = Collector::default();
        errors.iter().for_each(|span| collector.add(span.clone(), 7));
        let found = collector.finish([].iter());
        assert_eq!((found.first_line, found.spans.len()), (7, SPANS_MAX));
        assert_eq!(found.spans.last(), Some(&(9990..19_995)));
    }
}
