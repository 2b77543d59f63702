//! `word`: every occurrence of an identifier, including those in comments and strings.

use std::fmt::Write as _;

use memchr::memmem::Finder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::coverage::{Coverage, Reading};
use super::pattern::is_like_regex;
use super::{
    Call, Define, Location, Reply, Speed, Toolset, counted, offset_notice, paths, results_max,
};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::answer::style::Style;
use crate::answer::texts;
use crate::base::text;
use crate::catalog::{Catalog, WordIn};
use crate::error::{Error, Result};
use crate::lang::Marks;
use crate::lang::words::{BYTES_MAX, BYTES_MIN, identifiers};

/// The default number of occurrences in a reply.
const RESULTS: usize = 50;

/// The maximum number of bytes that are read of a file.
const FILE_BYTES_MAX: usize = 32 << 20;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Word;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The identifier (letters, digits and `_`), case-sensitive
    pub word: String,
    /// Maximum number of occurrences (default 50)
    pub max_results: Option<usize>,
    /// Occurrences to skip, to continue an earlier reply
    pub offset: Option<usize>,
}

/// A line that contains the word.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub line: usize,
    /// How often it contains the word, if more than once.
    #[serde(skip_serializing_if = "is_one")]
    pub count: usize,
    /// The columns of the occurrences, from 1, in bytes.
    #[serde(skip)]
    pub columns: Vec<usize>,
    /// Its text; of a long line, the part around the word.
    pub text: String,
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

/// A file that contains the word.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// How often the whole file contains the word.
    pub count: usize,
    /// Its marks, such as `generated` or `test`.
    #[serde(flatten)]
    pub marks: Marks,
    /// The lines of this reply.
    pub lines: Vec<Line>,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct WordReply {
    /// Whether all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The word.
    pub word: String,
    /// Files in path order, generated, vendored and minified ones last.
    pub files: Vec<File>,
    /// How many files are listed.
    pub files_shown: usize,
    /// How many files contain the word.
    pub files_total: usize,
    /// How many occurrences are listed.
    pub shown: usize,
    /// How many occurrences there are.
    pub total: usize,
    /// The `offset` of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// The `offset`, if it is behind the last occurrence.
    #[serde(skip)]
    offset_beyond: Option<usize>,
}

impl Define for Word {
    const NAME: &'static str = "codedb_word";
    const SUMMARY: &'static str =
        "List every occurrence of an identifier, from an index of all identifiers";
    const DETAILS: &'static str = "Matches whole identifiers, case-sensitively, in code and comments. Faster than a text \
         search, with exact counts.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("symbol", "for the definition"), ("search", "for other text")];
    const TOOLSET: Toolset = Toolset::Navigate;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] = &[r#"{"word": "discounted"}"#];
    const POSITIONAL: &'static [&'static str] = &["word"];
    type Args = Args;
    type Reply = WordReply;

    fn run(call: &Call<'_>, args: Args) -> Result<WordReply> {
        let word = args.word.trim();
        check_identifier(word)?;
        let catalog = call.code.catalog(&[word])?;
        let files = catalog.word(word)?;
        let total = files.iter().map(|file| file.count as usize).sum();
        let (offset, max) = (args.offset.unwrap_or(0), results_max(args.max_results, RESULTS));
        let mut found = WordReply {
            coverage: Coverage::of(catalog).or_unread(catalog, Reading::Words),
            word: word.to_owned(),
            files: Vec::new(),
            files_shown: 0,
            files_total: files.len(),
            shown: 0,
            total,
            next_offset: None,
            offset_beyond: None,
        };
        let finder = Finder::new(word.as_bytes());
        let (mut skip, mut left) = (offset, max);
        for ranked in ranked(catalog, &files) {
            if left == 0 {
                break;
            }
            let (file, marks) = ranked?;
            let count = file.count as usize;
            if skip >= count {
                skip -= count;
                continue;
            }
            let text = catalog.quotable(file.file, FILE_BYTES_MAX).unwrap_or_default();
            let lines = lines((text.original(), &text), &finder, count, skip, left);
            let taken = left.min(count - skip);
            (skip, left) = (0, left - taken);
            found.shown += lines.iter().map(|line| line.count).sum::<usize>();
            let path = paths::shown(catalog.path(file.file));
            found.files.push(File { path, count, marks, lines });
        }
        found.files_shown = found.files.len();
        let end = offset.saturating_add(max - left);
        found.next_offset = (end < total).then_some(end);
        found.offset_beyond = (offset > 0 && offset >= total).then_some(offset);
        Ok(found)
    }
}

/// Rejects a text that is not a single identifier, because the word index cannot contain it.
fn check_identifier(word: &str) -> Result<()> {
    if identifiers(word.as_bytes()).next() == Some(0..word.len()) {
        return Ok(());
    }
    let message =
        format!("not a single identifier ({BYTES_MIN}–{BYTES_MAX} bytes): `{}`", text::plain(word));
    let hint = if is_like_regex(word) {
        "{tool:search} finds regular expressions"
    } else {
        "{tool:search} finds any text"
    };
    Err(Error::usage(message).with_hint(hint))
}

/// Returns the files with their marks, lazily. Files whose marks rank them last come after the
/// others.
fn ranked<'a>(
    catalog: &'a Catalog,
    files: &'a [WordIn],
) -> impl Iterator<Item = Result<(WordIn, Marks)>> + 'a {
    let of_rank = move |is_last: bool| {
        files.iter().filter_map(move |&file| match catalog.marks(file.file) {
            Ok(marks) => (marks.ranks_last() == is_last).then_some(Ok((file, marks))),
            Err(error) => Some(Err(error)),
        })
    };
    of_rank(false).chain(of_rank(true))
}

/// Returns the lines of `text` with up to `max` of the `count` occurrences of the word, after the
/// first `skip`; they are quoted from the second text, where secrets are masked. O(text) up to the
/// last of these.
fn lines(
    (text, quoted): (&[u8], &[u8]),
    finder: &Finder<'_>,
    count: usize,
    mut skip: usize,
    max: usize,
) -> Vec<Line> {
    let mut found = Vec::new();
    let (mut at, mut number, mut counted_to, mut left) = (0, 1, 0, max);
    // After `count` whole words, every further match is part of a longer word.
    let mut remaining = count;
    while left > 0
        && remaining > 0
        && let Some(hit) = finder.find(text.get(at..).unwrap_or_default())
    {
        let hit = at + hit;
        if is_part(text, hit, finder.needle().len()) {
            at = hit + 1;
            continue;
        }
        let start = memchr::memrchr(b'\n', &text[..hit]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &text[hit..]).map_or(text.len(), |len| hit + len);
        number += memchr::memchr_iter(b'\n', &text[counted_to..start]).count();
        (counted_to, at) = (start, end);
        let line = &text[start..end];
        let is_word = |span: &std::ops::Range<usize>| &line[span.clone()] == finder.needle();
        let places: Vec<usize> =
            identifiers(line).filter(is_word).map(|span| start + span.start).collect();
        remaining = remaining.saturating_sub(places.len());
        let skipped = skip.min(places.len());
        skip -= skipped;
        let count = (places.len() - skipped).min(left);
        left -= count;
        let shown = &places[skipped..skipped + count];
        if let Some(&first) = shown.first() {
            let columns = shown.iter().map(|place| place - start + 1).collect();
            found.push(Line { line: number, count, columns, text: texts::line(quoted, first) });
        }
    }
    found
}

/// Returns true if the match at `hit` is certainly part of a longer word.
fn is_part(text: &[u8], hit: usize, len: usize) -> bool {
    let is_in_word = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let before = hit.checked_sub(1).and_then(|at| text.get(at));
    let after = text.get(hit + len);
    before.is_some_and(is_in_word)
        || after.is_some_and(|byte| is_in_word(byte) || byte.is_ascii_digit())
}

impl Reply for WordReply {
    /// Renders a line for each file with its number of occurrences, followed by its lines.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for file in &self.files {
            let _ = write!(out, "{}  {}", style.path(&file.path), counted(file.count, "place"));
            for mark in file.marks.names() {
                let _ = write!(out, "  {mark}");
            }
            out.push('\n');
            let width = file.lines.last().map_or(0, |line| line.line.to_string().len());
            for Line { line, text, .. } in &file.lines {
                let number = style.line(&file.path, *line, width);
                let _ = writeln!(out, "  {number}  {}", style.highlight(text, &self.word));
            }
        }
        out
    }

    /// Shows each file, below it its lines.
    fn page(&self) -> Option<Page> {
        let mut blocks = Vec::new();
        for file in &self.files {
            let mut head = vec![Cell::Path(file.path.clone())];
            head.push(Cell::faint(counted(file.count, "place")));
            head.extend(file.marks.names().map(Cell::faint));
            let mut table = Table::new([Column::right(""), Column::cut("")]);
            for Line { line, text, .. } in &file.lines {
                let (path, name) = (file.path.clone(), self.word.clone());
                let place = Cell::Lines(path.clone(), *line, *line);
                table.row([place, Cell::Code { path, text: text.clone(), name }]);
            }
            blocks.extend([Block::Line(head), Block::Table(table)]);
        }
        Some(Page { blocks })
    }

    const HAS_LOCATIONS: bool = true;

    /// Returns a location for each occurrence, several for a line that contains the word several
    /// times.
    fn locations(&self) -> Vec<Location> {
        let mut locations = Vec::new();
        for file in &self.files {
            for line in &file.lines {
                locations.extend(line.columns.iter().map(|&column| Location {
                    path: file.path.clone(),
                    line: line.line,
                    column,
                    text: line.text.clone(),
                }));
            }
        }
        locations
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let files = counted(self.files_total, "file");
        let more = self.next_offset.map(|offset| {
            let (shown, total) = (self.shown, self.total);
            format!(
                "{shown} of {total} occurrences in {files} shown; continue with `offset` {offset}"
            )
        });
        let beyond = self.offset_beyond.filter(|_| self.total > 0);
        let beyond = beyond.map(|offset| offset_notice(offset, self.total, "occurrence"));
        more.into_iter().chain(beyond).chain(self.coverage.notice()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twice(text: &str) -> (&[u8], &[u8]) {
        (text.as_bytes(), text.as_bytes())
    }

    #[track_caller]
    fn check(text: &str, skip: usize, max: usize, expected: &[(usize, usize)]) {
        let finder = Finder::new("cart");
        // All occurrences are found, for any number of them.
        let count = lines(twice(text), &finder, usize::MAX, 0, usize::MAX);
        let count = count.iter().map(|line| line.count).sum();
        let found = lines(twice(text), &finder, count, skip, max);
        let found: Vec<(usize, usize)> = found.iter().map(|line| (line.line, line.count)).collect();
        assert_eq!(found, expected, "{text:?} {skip} {max}");
    }

    #[test]
    fn whole_words_are_found_by_line() {
        let text = "cart cart\ncarts\n\n(cart)\n_cart écart cart.cart cart";
        // `is_part` skips only matches that the tokenizer would reject as well.
        for line in [
            "1cart",
            "carté",
            "cart1 cart",
            "$cart",
            "cart$",
            "cart_ cart",
            "äcart-cart",
            "cartcart",
        ] {
            let cart = |span: std::ops::Range<usize>| &line[span] == "cart";
            let places = identifiers(line.as_bytes()).filter(|span| cart(span.clone())).count();
            let found = lines(twice(line), &Finder::new("cart"), usize::MAX, 0, usize::MAX);
            assert_eq!(found.iter().map(|line| line.count).sum::<usize>(), places, "{line}");
        }
        check(text, 0, 9, &[(1, 2), (4, 1), (5, 3)]);
        check(text, 1, 3, &[(1, 1), (4, 1), (5, 1)]);
        check(text, 2, 2, &[(4, 1), (5, 1)]);
        check(text, 6, 2, &[]);
        check(text, 0, 0, &[]);
        check("", 0, 9, &[]);
    }

    #[test]
    fn non_identifiers_are_rejected() {
        assert!(check_identifier("a_b1").is_ok() && check_identifier("größe").is_ok());
        for other in ["", "a", "a.b", "a b", "1a", &"a".repeat(65)] {
            assert!(check_identifier(other).is_err(), "{other}");
        }
    }
}
