//! Which definitions of a file the commits changed, by the overlap of changed lines with the spans of
//! definitions in the text before and after.
//!
//! A changed line belongs to the innermost definition that contains it: an edit of a signature belongs
//! to that function, not to its class, nor to the function above. Removed lines are looked up in the
//! old text, added lines in the new one. Definitions are identified by their qualified names; a
//! renamed definition has two histories.

use rustc_hash::FxHashMap;

use super::git::FilePatch;

/// A definition and its lines in one version of a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Span {
    /// The qualified name.
    pub name: String,
    /// The first line, from 1, with the documentation before it.
    pub line: usize,
    /// The last line.
    pub end_line: usize,
}

/// The changed lines of one definition in one commit.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Touched {
    /// The qualified name; empty for lines outside of all definitions.
    pub name: String,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// True if the definition is not in the old text.
    pub is_new: bool,
    /// True if the definition is not in the new text.
    pub is_removed: bool,
}

/// A commit's change of one file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FileChange {
    /// The index of the commit in the log.
    pub commit: usize,
    /// The path afterwards, or the last one of a deleted file.
    pub path: Vec<u8>,
    /// The path before, if it was another.
    pub source: Option<Vec<u8>>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
    /// The definitions that it touches.
    pub touched: Vec<Touched>,
}

/// The changes of one file, newest first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FileChanges {
    /// The changes.
    pub changes: Vec<FileChange>,
    /// The number of commits that changed the file; more than `changes` if it has very many.
    pub total: usize,
}

/// Returns the definitions that a change touches, in the order of their names. `before` and `after`
/// are the definitions of the two texts. O(changed lines · log definitions + definitions²) in the
/// worst case of deep nesting, else O(changed lines + definitions · log definitions).
pub fn touched(patch: &FilePatch, before: &[Span], after: &[Span]) -> Vec<Touched> {
    let (before, after) = (Lines::new(before), Lines::new(after));
    let mut found: FxHashMap<&str, Touched> = FxHashMap::default();
    for hunk in &patch.hunks {
        for line in hunk.source_line..hunk.source_line + hunk.source_lines {
            found.entry(before.innermost(line)).or_default().removed += 1;
        }
        for line in hunk.target_line..hunk.target_line + hunk.target_lines {
            found.entry(after.innermost(line)).or_default().added += 1;
        }
    }
    let mut touched: Vec<Touched> = found
        .into_iter()
        .map(|(name, lines)| Touched {
            name: name.to_owned(),
            is_new: !name.is_empty() && !before.has(name),
            is_removed: !name.is_empty() && !after.has(name),
            ..lines
        })
        .collect();
    touched.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    touched
}

/// The definitions of a text, for look-ups by line.
struct Lines<'a> {
    spans: &'a [Span],
    /// For each line, from 1, the number of the innermost definition plus one.
    of_line: Vec<u32>,
}

/// The maximum number of lines for which definitions are looked up.
const LINES_MAX: usize = 200_000;

impl<'a> Lines<'a> {
    fn new(spans: &'a [Span]) -> Lines<'a> {
        let last = spans.iter().map(|span| span.end_line).max().unwrap_or(0).min(LINES_MAX);
        let mut of_line = vec![0; last + 1];
        let mut order: Vec<usize> = (0..spans.len()).collect();
        // Outer definitions first: inner ones overwrite them.
        order.sort_by_key(|&at| {
            let lines = spans[at].end_line.saturating_sub(spans[at].line);
            std::cmp::Reverse(lines)
        });
        for at in order {
            let span = &spans[at];
            let end = (span.end_line + 1).min(of_line.len());
            let start = span.line.min(end);
            of_line[start..end].fill(at as u32 + 1);
        }
        Lines { spans, of_line }
    }

    /// Returns the name of the innermost definition at a line, or an empty text.
    fn innermost(&self, line: usize) -> &'a str {
        let at = self.of_line.get(line).copied().unwrap_or(0) as usize;
        at.checked_sub(1).map_or("", |at| &self.spans[at].name)
    }

    fn has(&self, name: &str) -> bool {
        self.spans.iter().any(|span| span.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::git::Hunk;

    fn span(name: &str, line: usize, end_line: usize) -> Span {
        Span { name: name.to_owned(), line, end_line }
    }

    fn check(hunk: (usize, usize, usize, usize), expected: &[(&str, usize, usize)]) {
        let (source_line, source_lines, target_line, target_lines) = hunk;
        let hunks = vec![Hunk { source_line, source_lines, target_line, target_lines }];
        let patch = FilePatch { hunks, ..FilePatch::default() };
        let before = [span("C", 1, 20), span("C.a", 2, 5), span("C.b", 7, 10)];
        let after = [span("C", 1, 21), span("C.a", 2, 5), span("C.b", 8, 11)];
        let found = touched(&patch, &before, &after);
        let found: Vec<(&str, usize, usize)> =
            found.iter().map(|it| (it.name.as_str(), it.added, it.removed)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_edit_of_a_signature_belongs_to_its_function() {
        check((7, 1, 8, 1), &[("C.b", 1, 1)]);
    }

    #[test]
    fn lines_between_methods_belong_to_the_class() {
        check((5, 0, 6, 1), &[("C", 1, 0)]);
    }

    #[test]
    fn lines_outside_belong_to_the_file() {
        check((30, 2, 31, 0), &[("", 0, 2)]);
    }

    #[test]
    fn a_hunk_may_touch_several() {
        check((5, 3, 5, 4), &[("C", 2, 1), ("C.a", 1, 1), ("C.b", 1, 1)]);
    }
}
