//! Extracts the facts and words of one file.

use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3DefaultBuilder, xxh3_128};

use crate::base::text;
use crate::error::Result;
use crate::index::code::Word;
use crate::index::extract::Content;
use crate::lang::marks::{HEAD_BYTES, marks};
use crate::lang::words::identifiers;
use crate::lang::{Facts, Language, Problem};
use crate::parsers::Parsers;
use crate::source::beneath;
use crate::source::read::Buffer;

/// Number of bytes at the start of a file that decide whether it is text.
const TEXT_HEAD_BYTES: usize = 8000;

/// The facts and words of one file.
#[derive(Debug)]
pub struct Extract {
    /// The text; empty for a file that is too large or not text.
    pub text: Vec<u8>,
    /// The hash of the content, as in the file table.
    pub hash: u128,
    /// Its language.
    pub language: Option<&'static Language>,
    /// [`crate::lang::marks::Marks`] as bits.
    pub marks: u8,
    /// The facts of the text.
    pub facts: Facts,
    /// Span of the first occurrence, number of occurrences, and whether one is in a syntax error.
    words: Vec<(Range<u32>, u32, bool)>,
}

impl Extract {
    fn of_nothing(hash: u128) -> Extract {
        let (text, words, facts) = (Vec::new(), Vec::new(), Facts::default());
        Extract { text, hash, language: None, marks: 0, facts, words }
    }

    /// Larger files are recorded without facts.
    pub const BYTES_MAX: u64 = 32 << 20;

    /// Returns the words, each once, in the order of their first occurrence.
    pub fn words(&self) -> Vec<Word<'_>> {
        let word = |(span, count, is_in_error): &(Range<u32>, u32, bool)| Word {
            text: &self.text[span.start as usize..span.end as usize],
            count: *count,
            is_in_error: *is_in_error,
        };
        self.words.iter().map(word).collect()
    }

    /// Returns the number of lines; a last line without line end counts.
    pub fn lines(&self) -> u32 {
        let ends = memchr::memchr_iter(b'\n', &self.text).count() as u32;
        ends + u32::from(self.text.last().is_some_and(|&byte| byte != b'\n'))
    }

    /// Returns the approximate memory size in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.text.len()
            + self.words.len() * size_of::<(Range<u32>, u32, bool)>()
            + self.facts.references.len() * 96
            + self.facts.symbols.len() * 400
    }
}

/// Reads and extracts the file at a repository path below `root`; `None` if it cannot be read.
/// O(file).
///
/// # Errors
///
/// As [`Parsers::facts`].
pub fn extract(
    root: &Path,
    path: &[u8],
    buffer: &mut Buffer,
    parsers: &Parsers,
) -> Result<Option<Extract>> {
    let Ok((mut file, metadata)) = beneath::open_unlinked(root, path) else {
        return Ok(None);
    };
    match buffer.fill(&mut file, metadata.len()) {
        Ok(()) => extract_text(path, buffer.bytes(), parsers).map(Some),
        Err(_) => Ok(None),
    }
}

/// Extracts the facts of `text`, the content of the file at `path`. If that panics, the only fact
/// is [`Problem::Failed`]. O(text).
///
/// # Errors
///
/// As [`Parsers::facts`].
pub fn extract_text(path: &[u8], text: &[u8], parsers: &Parsers) -> Result<Extract> {
    let hash = xxh3_128(text);
    or_failed(hash, || extract_hashed(path, text, hash, parsers))
}

/// Returns the result of `work`, or an extract with [`Problem::Failed`] if it panics.
fn or_failed(hash: u128, work: impl FnOnce() -> Result<Extract>) -> Result<Extract> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let mut extract = Extract::of_nothing(hash);
        extract.facts.problems.insert(Problem::Failed, 1);
        Ok(extract)
    })
}

fn extract_hashed(path: &[u8], text: &[u8], hash: u128, parsers: &Parsers) -> Result<Extract> {
    let mut extract = Extract::of_nothing(hash);
    if text.len() as u64 > Extract::BYTES_MAX || !is_text(text) {
        return Ok(extract);
    }
    extract.text = text.to_vec();
    extract.marks = marks(path, &text[..text.len().min(HEAD_BYTES)]).to_bits();
    // The language of a file is also detected if its name is not UTF-8.
    extract.language = parsers.extractors().language_of(path, text);
    if let Some(language) = extract.language {
        extract.facts = parsers.facts(language, &String::from_utf8_lossy(path), text, hash)?;
    }
    let mut places: HashMap<&[u8], usize, Xxh3DefaultBuilder> = HashMap::default();
    for span in identifiers(text) {
        let place = *places.entry(&text[span.clone()]).or_insert_with(|| {
            extract.words.push((span.start as u32..span.end as u32, 0, false));
            extract.words.len() - 1
        });
        extract.words[place].1 += 1;
        extract.words[place].2 |= extract.facts.errors.contain(span.start);
    }
    Ok(extract)
}

/// Returns true if `bytes` are text whose positions are byte positions: not UTF-16, and without a
/// NUL near its start. Replies use the same rule for the text that they print. O(1).
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(TEXT_HEAD_BYTES)];
    !Content::of(head).utf16 && text::decode(head).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_loses_only_the_facts_of_one_file() {
        let extract = or_failed(7, || panic!("a fault in a grammar")).expect("an extract");
        assert_eq!((extract.hash, extract.lines(), extract.words().len()), (7, 0, 0));
        assert_eq!(extract.facts.problems.get(&Problem::Failed), Some(&1));
        assert!(extracted(b"a.rs", b"fn f() {}\n").facts.problems.is_empty());
    }

    fn extracted(path: &[u8], text: &[u8]) -> Extract {
        extract_text(path, text, &Parsers::in_process()).expect("an extract")
    }

    #[track_caller]
    fn check(text: &[u8], expected: &[&str]) {
        let extract = extracted(b"src/a.rs", text);
        let names: Vec<&str> =
            extract.facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, expected);
        assert_eq!(extract.words().is_empty(), expected.is_empty());
    }

    #[test]
    fn text_detection_matches_what_is_displayed() {
        check(b"fn first() {}\n", &["first"]);
        check(b"\xEF\xBB\xBFfn first() {}\n", &["first"]);
        check(b"fn first() {}\0\n", &[]);
        check(b"\xFF\xFEf\0n\0 \0a\0(\0)\0;\0", &[]);
        let late = [b"fn first() {}\n// ".as_slice(), &[b'x'; 8000], b"\0\nfn last() {}\n"];
        check(&late.concat(), &["first", "last"]);
    }

    #[test]
    fn a_byte_order_mark_does_not_hide_the_first_heading() {
        for text in ["# First\n\n## Second\n", "First\n=====\n\nSecond\n------\n"] {
            for text in [text.to_owned(), format!("\u{FEFF}{text}")] {
                let symbols = extracted(b"a.md", text.as_bytes()).facts.symbols;
                let names: Vec<&str> = symbols.iter().map(|symbol| symbol.name.as_str()).collect();
                assert_eq!(names, ["First", "Second"], "{text:?}");
            }
        }
    }

    #[test]
    fn extensions_are_detected_in_names_that_are_not_utf8() {
        let extract = extracted(b"src/\xE9.rs", b"fn first() {}\n");
        assert_eq!(extract.language.map(|language| language.name), Some("rust"));
    }
}
