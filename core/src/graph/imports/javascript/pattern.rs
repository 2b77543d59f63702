//! Patterns of module names with at most one star, as compilers and bundlers map them to paths.

use super::super::tree::join;

/// A pattern with at most one star, and the paths that it maps to.
pub(super) struct Pattern {
    before: String,
    /// The text after the star; `None` without a star.
    after: Option<String>,
    /// Paths of the tree, with a star where the pattern has one.
    targets: Vec<String>,
}

impl Pattern {
    pub(super) fn new(pattern: &str, targets: Vec<String>) -> Pattern {
        let (before, after) = split_star(pattern);
        Pattern { before: before.to_owned(), after: after.map(str::to_owned), targets }
    }

    /// Returns the text that the star matches in `name`, if the pattern matches.
    pub(super) fn star<'n>(&self, name: &'n str) -> Option<&'n str> {
        match &self.after {
            None => (name == self.before).then_some(""),
            Some(after) => name.strip_prefix(self.before.as_str())?.strip_suffix(after.as_str()),
        }
    }

    /// Returns the paths that a name maps to, in order; none if the pattern does not match.
    pub(super) fn mapped<'p>(&'p self, name: &'p str) -> impl Iterator<Item = Vec<u8>> + 'p {
        let star = self.star(name);
        let targets = self.targets.iter().filter_map(move |target| Some((target, star?)));
        targets.filter_map(|(target, star)| join(b"", &target.replacen('*', star, 1)))
    }
}

/// Sorts patterns as they are tried: without a star first, then by the longest text before it.
pub(super) fn sort(patterns: &mut [Pattern]) {
    patterns.sort_by(|a, b| {
        let rank = |pattern: &Pattern| (pattern.after.is_some(), usize::MAX - pattern.before.len());
        rank(a).cmp(&rank(b)).then_with(|| a.before.cmp(&b.before))
    });
}

/// Splits a pattern at its star.
pub(super) fn split_star(pattern: &str) -> (&str, Option<&str>) {
    match pattern.split_once('*') {
        Some((before, after)) => (before, Some(after)),
        None => (pattern, None),
    }
}
