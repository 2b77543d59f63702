//! Attributes the tokens of a reply to its entries, without knowledge of its layout.
//!
//! The text of every entry is searched in the text of the reply: texts of several lines first, then
//! paths, then other texts, longest first, on lines whose last path is that of the entry. What is left of a line
//! belongs to the entries of the line; a line without any is a heading or a note.

use std::collections::{BTreeMap, BTreeSet};

use super::shown::Entry;
use crate::base::tokens;

/// The estimated tokens of a reply.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, serde::Serialize)]
pub struct Tokens {
    /// All of them.
    pub total: usize,
    /// Those of use.
    pub useful: usize,
    /// Those of paths that occurred before; they are of no use.
    pub repeated: usize,
    /// Those of headings and notes; they are of no use.
    pub headings: usize,
}

/// The owner of a byte of the text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Owner {
    Nobody,
    Entry(usize),
    /// The first mention of a path, by its index.
    Path(usize),
    Repetition,
}

/// Returns the tokens of a reply, and for each of its lines whether it has tokens of use. `is_useful` has a value for each entry; `files` are the paths that are of
/// use by themselves. O(text × entries).
pub fn attribute(
    text: &str,
    entries: &[Entry],
    is_useful: &[bool],
    files: &BTreeSet<&str>,
) -> (Tokens, Vec<bool>) {
    let mut owners = Owners { text, of: vec![Owner::Nobody; text.len()] };
    for (at, entry) in entries.iter().enumerate() {
        entry.texts.iter().filter(|text| text.trim().contains('\n')).for_each(|text| {
            owners.claim_block(text, at);
        });
    }
    let used = entries.iter().zip(is_useful).filter(|(_, is_useful)| **is_useful);
    let useful: BTreeSet<&str> =
        used.map(|(entry, _)| entry.path.as_str()).chain(files.iter().copied()).collect();
    let paths: BTreeSet<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    let mut paths: Vec<&str> = paths.into_iter().collect();
    // A path that ends with another one is claimed first.
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    let mentions = owners.claim_paths(&paths);
    // A long text may contain a short one, even of another entry.
    let mut texts: Vec<(usize, &str)> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let own = || entry.texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        let is_single = |text: &str| !text.contains('\n');
        let is_in_other = |text: &str| {
            own().any(|other| other.len() > text.len() && !occurrences(other, text).is_empty())
        };
        texts.extend(
            own().filter(|text| is_single(text) && !is_in_other(text)).map(|text| (at, text)),
        );
    }
    texts.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    for (at, text) in texts {
        let path = paths.iter().position(|path| *path == entries[at].path);
        owners.claim_text(text, at, path, &mentions);
    }
    owners.fill();
    let is_of_use = |owner: Owner| match owner {
        Owner::Entry(at) => is_useful[at],
        Owner::Path(at) => useful.contains(paths[at]),
        Owner::Nobody | Owner::Repetition => false,
    };
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        lines.push(owners.of[start..start + line.len()].iter().any(|&owner| is_of_use(owner)));
        start += line.len();
    }
    (owners.counted(is_of_use), lines)
}

struct Owners<'a> {
    text: &'a str,
    of: Vec<Owner>,
}

impl Owners<'_> {
    fn is_free(&self, start: usize, end: usize) -> bool {
        self.of[start..end].iter().all(|owner| *owner == Owner::Nobody)
    }

    /// Claims a text of several lines, as it is, or else line by line.
    fn claim_block(&mut self, block: &str, entry: usize) {
        let found = self.text.match_indices(block).map(|(start, _)| start);
        let whole = found.into_iter().find(|&start| self.is_free(start, start + block.len()));
        if let Some(start) = whole {
            return self.of[start..start + block.len()].fill(Owner::Entry(entry));
        }
        let lines: Vec<&str> =
            block.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let mut from = 0;
        for line in lines {
            let rest = self.text.get(from..).unwrap_or_default();
            let found = rest.match_indices(line).map(|(start, _)| from + start);
            let free = found.into_iter().find(|&start| self.is_free(start, start + line.len()));
            if let Some(start) = free {
                self.of[start..start + line.len()].fill(Owner::Entry(entry));
                from = start + line.len();
            }
        }
    }

    /// Claims all mentions of paths, and returns the index of the last path of each line by the
    /// beginning of the line.
    fn claim_paths(&mut self, paths: &[&str]) -> BTreeMap<usize, usize> {
        let mut mentions: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, path) in paths.iter().enumerate() {
            for start in occurrences(self.text, path) {
                if self.is_free(start, start + path.len()) {
                    self.of[start..start + path.len()].fill(Owner::Repetition);
                    mentions.insert(start, at);
                }
            }
        }
        let mut seen = BTreeSet::new();
        let mut last_of_line = BTreeMap::new();
        for (&start, &at) in &mentions {
            if seen.insert(at) {
                self.of[start..start + paths[at].len()].fill(Owner::Path(at));
            }
            last_of_line.insert(self.line_start(start), at);
        }
        last_of_line
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// Claims the first free occurrence of a text on a line whose last path, or the last one before it,
    /// is `path`; without one, of a text that is no number, the first one below a mention of `path`.
    fn claim_text(
        &mut self,
        text: &str,
        entry: usize,
        path: Option<usize>,
        paths: &BTreeMap<usize, usize>,
    ) {
        // A text may contain its path, as a command does.
        let is_taken = |owner: &Owner| matches!(owner, Owner::Entry(_));
        let is_free = |start: &usize| !self.of[*start..*start + text.len()].iter().any(is_taken);
        let free: Vec<usize> = occurrences(self.text, text).into_iter().filter(is_free).collect();
        let is_fitting = |start: &&usize| {
            let last = paths.range(..=self.line_start(**start)).next_back();
            last.map(|(_, at)| *at) == path
        };
        let first = paths.iter().find(|(_, at)| Some(**at) == path).map(|(line, _)| *line);
        let is_word = text.contains(|c: char| !c.is_ascii_digit());
        let is_below = |start: &&usize| is_word && first.is_some_and(|line| line <= **start);
        let found = free.iter().find(is_fitting).or_else(|| free.iter().find(is_below));
        if let Some(&start) = found {
            for owner in &mut self.of[start..start + text.len()] {
                if *owner == Owner::Nobody {
                    *owner = Owner::Entry(entry);
                }
            }
        }
    }

    /// Gives the free bytes of a line to the entry before them on the line, else to the first one of the
    /// line, else to its path.
    fn fill(&mut self) {
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let of = &mut self.of[start..start + line.len()];
            start += line.len();
            let is_entry = |owner: &&Owner| matches!(owner, Owner::Entry(_));
            let first =
                of.iter().find(is_entry).or_else(|| of.iter().find(|of| **of != Owner::Nobody));
            let Some(&first) = first else { continue };
            let mut last = first;
            for owner in of {
                match owner {
                    Owner::Nobody => *owner = last,
                    Owner::Entry(_) => last = *owner,
                    Owner::Path(_) | Owner::Repetition => {}
                }
            }
        }
    }

    /// Counts the tokens of the runs of each class, in proportion to the tokens of the whole text.
    fn counted(&self, is_of_use: impl Fn(Owner) -> bool) -> Tokens {
        let class = |owner: Owner| match owner {
            Owner::Repetition => 2,
            Owner::Nobody => 3,
            owner => usize::from(is_of_use(owner)),
        };
        let mut counts = [0; 4];
        let mut start = 0;
        let bounds = self.text.char_indices().map(|(at, _)| at).chain([self.text.len()]);
        for at in bounds {
            let is_end = at == self.text.len();
            if at > start && (is_end || class(self.of[at]) != class(self.of[start])) {
                counts[class(self.of[start])] += tokens::count(&self.text[start..at]);
                start = at;
            }
        }
        let total = tokens::count(self.text);
        let sum: usize = counts.iter().sum();
        let part = |count: usize| (count * total + sum / 2).checked_div(sum).unwrap_or_default();
        let [_, useful, repeated, headings] = counts.map(part);
        Tokens { total, useful, repeated, headings }
    }
}

/// Returns where a name or path occurs in a text as a whole, in ascending order.
pub fn occurrences(text: &str, wanted: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let (Some(first), Some(last)) = (wanted.chars().next(), wanted.chars().next_back()) else {
        return Vec::new();
    };
    let is_path = wanted.contains(['/', '.']);
    let begins = |start: usize| {
        let before = text[..start].chars().next_back();
        !is_part(first)
            || before.is_none_or(|c| !(is_part(c) || is_path && matches!(c, '/' | '.' | '-')))
    };
    let ends = |end: usize| {
        let mut after = text[end..].chars();
        let next = after.next();
        !is_part(last)
            || next.is_none_or(|c| {
                let continues =
                    is_path && (c == '/' || c == '.' && after.next().is_some_and(is_part));
                !is_part(c) && !continues
            })
    };
    let found = text.match_indices(wanted).map(|(start, _)| start);
    found.filter(|&start| begins(start) && ends(start + wanted.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(part: &str, path: &str, texts: &[&str]) -> Entry {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Entry { part: part.into(), path: path.into(), texts, ..Entry::default() }
    }

    /// A reply with a path on every line, and one with the entries of a file below its path.
    const FLAT: &str = "## definitions\nfn good  src/a.rs:3-5  fn good(x: u8)\nfn bad  src/a.rs:7-9  fn bad(y: u8)\n\
                        ## files\nsrc/a.rs  text\nsrc/b.rs  name\n";
    const NESTED: &str =
        "## files\nsrc/a.rs  text\n  3-5 fn good(x: u8)\n  7-9 fn bad(y: u8)\nsrc/b.rs  name\n";

    fn shown() -> Vec<Entry> {
        vec![
            entry("symbols", "src/a.rs", &["good", "3", "5", "fn good(x: u8)"]),
            entry("symbols", "src/a.rs", &["bad", "7", "9", "fn bad(y: u8)"]),
            entry("files", "src/a.rs", &["text"]),
            entry("files", "src/b.rs", &["name"]),
        ]
    }

    #[test]
    fn tokens_belong_to_entries_in_both_layouts() {
        let files = BTreeSet::from(["src/a.rs"]);
        let (flat, _) = attribute(FLAT, &shown(), &[true, false, true, false], &files);
        let (nested, lines) = attribute(NESTED, &shown(), &[true, false, true, false], &files);
        assert_eq!(flat.total, tokens::count(FLAT));
        // The path of `src/a.rs` occurs three times in one of them.
        let path = tokens::count("src/a.rs");
        assert!(
            flat.repeated.abs_diff(2 * path) <= 2 && nested.repeated == 0,
            "{flat:?} {nested:?}"
        );
        let expected = tokens::count("src/a.rs  text\n  3-5 fn good(x: u8)\n");
        assert!(nested.useful.abs_diff(expected) <= 2, "{nested:?} {expected}");
        let heading = tokens::count("## files\n");
        assert!(nested.headings.abs_diff(heading) <= 1, "{nested:?}");
        assert!(flat.useful > expected && flat.useful < flat.total / 2, "{flat:?}");
        assert_eq!(lines, [false, true, true, false, false]);
        let (none, _) = attribute(NESTED, &shown(), &[false; 4], &BTreeSet::new());
        assert_eq!((none.useful, attribute("", &[], &[], &files).0), (0, Tokens::default()));
    }

    #[test]
    fn entries_below_another_path_keep_their_tokens() {
        let text = "src/a.rs  text\n  called by src/b.rs  other:4\n  7-9 fn bad(y: u8)\n";
        let entries = [
            entry("files", "src/a.rs", &["text"]),
            entry("calls", "src/b.rs", &["other", "4"]),
            entry("symbols", "src/a.rs", &["7", "9", "fn bad(y: u8)"]),
        ];
        let (_, lines) = attribute(text, &entries, &[false, false, true], &BTreeSet::new());
        assert_eq!(lines, [true, false, true]);
    }

    #[test]
    fn quoted_lines_belong_to_their_entry() {
        let text =
            "## lines\nsrc/a.rs:3  in good\n```\nlet x = 1;\nlet y = 2;\n```\nnote: nothing\n";
        let entries = [entry("snippets", "src/a.rs", &["good", "3", "let x = 1;\nlet y = 2;"])];
        let (all, _) = attribute(text, &entries, &[true], &BTreeSet::new());
        let expected = tokens::count("src/a.rs:3  in good\nlet x = 1;\nlet y = 2;\n");
        assert!(all.useful.abs_diff(expected) <= 3, "{all:?} {expected}");
    }

    #[test]
    fn paths_and_names_are_found_as_a_whole() {
        assert_eq!(occurrences("a/b.go:1 x/a/b.go a/b.go. a/b.gox a/b.go/c", "a/b.go"), [0, 18]);
        assert_eq!(occurrences("TestX TestXY (TestX)", "TestX"), [0, 14]);
    }
}
