//! `word`: every place of an identifier, whatever it means there, comments and texts included.

use std::fmt::Write as _;

use memchr::memmem::Finder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known::{Known, Reading};
use super::{Call, Define, Location, Reply, Speed, Toolset, counted, paths, results_max};
use crate::answer::style::Style;
use crate::answer::texts;
use crate::base::text;
use crate::catalog::{Catalog, WordIn};
use crate::error::{Error, Result};
use crate::lang::Marks;
use crate::lang::words::{BYTES_MAX, BYTES_MIN, identifiers};

/// Places of a reply unless the caller says otherwise.
const RESULTS: usize = 50;

/// Bytes of a file that are read.
const FILE_BYTES_MAX: usize = 32 << 20;

/// See [`Define`].
#[derive(Debug)]
pub struct Word;

/// What is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The word: letters, digits and `_`, whole and in its case
    pub word: String,
    /// Places at most (default 50)
    pub max_results: Option<usize>,
    /// Places to skip, to go on where an earlier reply ended
    pub offset: Option<usize>,
}

/// A line that has the word.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub line: usize,
    /// How often the word is in it, where that is more than once.
    #[serde(skip_serializing_if = "is_one")]
    pub count: usize,
    /// The columns of these, from 1, in bytes.
    #[serde(skip)]
    pub columns: Vec<usize>,
    /// Its text, or what is near the word.
    pub text: String,
}

fn is_one(count: &usize) -> bool {
    *count == 1
}

/// A file that has the word.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// How often the whole file has the word.
    pub count: usize,
    /// What it is told to be.
    #[serde(flatten)]
    pub marks: Marks,
    /// Lines of this reply.
    pub lines: Vec<Line>,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// Whether all files are known.
    #[serde(flatten)]
    pub known: Known,
    /// The word.
    pub word: String,
    /// Files in path order, generated, vendored and minified ones last.
    pub files: Vec<File>,
    /// How many files are listed.
    pub files_shown: usize,
    /// How many files have the word.
    pub files_total: usize,
    /// How many places are listed.
    pub shown: usize,
    /// How many places there are.
    pub total: usize,
    /// Where the next reply would go on, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
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
    type Reply = Found;

    fn run(call: &Call<'_>, args: Args) -> Result<Found> {
        let word = args.word.trim();
        refuse_others(word)?;
        let catalog = call.code.catalog(&[word])?;
        let files = catalog.word(word)?;
        let total = files.iter().map(|file| file.count as usize).sum();
        let (offset, max) = (args.offset.unwrap_or(0), results_max(args.max_results, RESULTS));
        let mut found = Found {
            known: Known::of(catalog).or_unread(catalog, Reading::Words),
            word: word.to_owned(),
            files: Vec::new(),
            files_shown: 0,
            files_total: files.len(),
            shown: 0,
            total,
            next_offset: None,
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
            let text = catalog.read(file.file, FILE_BYTES_MAX).unwrap_or_default();
            let lines = lines(&text, &finder, count, skip, left);
            let taken = left.min(count - skip);
            (skip, left) = (0, left - taken);
            found.shown += lines.iter().map(|line| line.count).sum::<usize>();
            let path = paths::shown(catalog.path(file.file));
            found.files.push(File { path, count, marks, lines });
        }
        found.files_shown = found.files.len();
        let end = offset.saturating_add(max - left);
        found.next_offset = (end < total).then_some(end);
        Ok(found)
    }
}

/// Says what is wrong with a word that no index of words has.
fn refuse_others(word: &str) -> Result<()> {
    if identifiers(word.as_bytes()).next() == Some(0..word.len()) {
        return Ok(());
    }
    let message = format!("`{}` is no word of {BYTES_MIN} to {BYTES_MAX} bytes", text::plain(word));
    Err(Error::usage(message).with_hint("{tool:search} finds any text"))
}

/// Returns the files with their marks, those that rank last behind the others; looks only at those that are
/// taken.
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

/// Returns the lines of `text` that hold the word, which has `count` places there, `skip` of its places
/// left out, up to `max` places. O(text) up to the last of these.
fn lines(text: &[u8], finder: &Finder<'_>, count: usize, mut skip: usize, max: usize) -> Vec<Line> {
    let mut found = Vec::new();
    let (mut at, mut number, mut counted_to, mut left) = (0, 1, 0, max);
    // What comes behind the last place are parts of other words.
    let mut behind = count;
    while left > 0
        && behind > 0
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
        behind = behind.saturating_sub(places.len());
        let skipped = skip.min(places.len());
        skip -= skipped;
        let count = (places.len() - skipped).min(left);
        left -= count;
        let shown = &places[skipped..skipped + count];
        if let Some(&first) = shown.first() {
            let columns = shown.iter().map(|place| place - start + 1).collect();
            found.push(Line { line: number, count, columns, text: texts::line(text, first) });
        }
    }
    found
}

/// Returns true if what stands at `hit` is certainly a part of a longer word.
fn is_part(text: &[u8], hit: usize, len: usize) -> bool {
    let is_in_word = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let before = hit.checked_sub(1).and_then(|at| text.get(at));
    let behind = text.get(hit + len);
    before.is_some_and(is_in_word)
        || behind.is_some_and(|byte| is_in_word(byte) || byte.is_ascii_digit())
}

impl Reply for Found {
    /// A file a line with how often it has the word, its lines below.
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

    const HAS_LOCATIONS: bool = true;

    /// Returns a location for each place, several for a line that has the word several times.
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
            format!("{shown} of {total} places in {files} shown; go on with `offset` {offset}")
        });
        more.into_iter().chain(self.known.notice()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, skip: usize, max: usize, expected: &[(usize, usize)]) {
        let finder = Finder::new("cart");
        // However many there are, but for none less.
        let count = lines(text.as_bytes(), &finder, usize::MAX, 0, usize::MAX);
        let count = count.iter().map(|line| line.count).sum();
        let found = lines(text.as_bytes(), &finder, count, skip, max);
        let found: Vec<(usize, usize)> = found.iter().map(|line| (line.line, line.count)).collect();
        assert_eq!(found, expected, "{text:?} {skip} {max}");
    }

    #[test]
    fn whole_words_are_found_by_line() {
        let text = "cart cart\ncarts\n\n(cart)\n_cart écart cart.cart cart";
        // What is passed over at once is what is no place either way.
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
            let found = lines(line.as_bytes(), &Finder::new("cart"), usize::MAX, 0, usize::MAX);
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
    fn what_is_no_word_is_refused() {
        assert!(refuse_others("a_b1").is_ok() && refuse_others("größe").is_ok());
        for other in ["", "a", "a.b", "a b", "1a", &"a".repeat(65)] {
            assert!(refuse_others(other).is_err(), "{other}");
        }
    }
}
