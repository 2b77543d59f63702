//! One file → its facts and words.

use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3DefaultBuilder, xxh3_128};

use crate::base::path;
use crate::index::extract::Content;
use crate::lang::marks::{HEAD_BYTES, marks};
use crate::lang::words::identifiers;
use crate::lang::{self, Facts, Language, Limits, Problem};
use crate::source::read::{self, Buffer};

/// Of larger files nothing is kept but that they are there.
const BYTES_MAX: u64 = 32 << 20;

/// What one file says.
#[derive(Debug)]
pub struct Extract {
    /// Its text; empty of a file that is too large, and of one that is no text.
    pub text: Vec<u8>,
    /// The hash of its content, as in the file table.
    pub hash: u128,
    /// Its language.
    pub language: Option<&'static Language>,
    /// [`crate::lang::marks::Marks`] as bits.
    pub marks: u8,
    /// What the text says.
    pub facts: Facts,
    words: Vec<(Range<u32>, u32)>,
}

impl Extract {
    fn of_nothing(hash: u128) -> Extract {
        let (text, words, facts) = (Vec::new(), Vec::new(), Facts::default());
        Extract { text, hash, language: None, marks: 0, facts, words }
    }

    /// Returns the words, each once, in the order of their first occurrence, and how often each
    /// occurs.
    pub fn words(&self) -> Vec<(&[u8], u32)> {
        let word = |span: &Range<u32>| &self.text[span.start as usize..span.end as usize];
        self.words.iter().map(|(span, count)| (word(span), *count)).collect()
    }

    /// Returns the number of lines: line ends, and one for a last line without.
    pub fn lines(&self) -> u32 {
        let ends = memchr::memchr_iter(b'\n', &self.text).count() as u32;
        ends + u32::from(self.text.last().is_some_and(|&byte| byte != b'\n'))
    }

    /// Returns about how many bytes of memory it takes.
    pub fn memory_bytes(&self) -> usize {
        self.text.len()
            + self.words.len() * size_of::<(Range<u32>, u32)>()
            + self.facts.references.len() * 96
            + self.facts.symbols.len() * 400
    }
}

/// Reads the file at a repository path below `root`, or returns `None` where that fails. O(file).
pub fn extract(root: &Path, path: &[u8], buffer: &mut Buffer) -> Option<Extract> {
    let (mut file, metadata) = read::open(&root.join(path::to_path(path))).ok()?;
    buffer.fill(&mut file, metadata.len()).ok()?;
    Some(extract_text(path, buffer.bytes()))
}

/// Returns what `text`, which the file at `path` holds, says. Where that panics, the file is one of
/// which nothing is known but [`Problem::Failed`]. O(text).
pub fn extract_text(path: &[u8], text: &[u8]) -> Extract {
    let hash = xxh3_128(text);
    or_failed(hash, || extract_hashed(path, text, hash))
}

/// Returns what `work` does, or that it failed.
fn or_failed(hash: u128, work: impl FnOnce() -> Extract) -> Extract {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let mut extract = Extract::of_nothing(hash);
        extract.facts.problems.insert(Problem::Failed, 1);
        extract
    })
}

fn extract_hashed(path: &[u8], text: &[u8], hash: u128) -> Extract {
    let mut extract = Extract::of_nothing(hash);
    let content = Content::of(text);
    if text.len() as u64 > BYTES_MAX || content.utf16 || content.nul_at.is_some() {
        return extract;
    }
    extract.text = text.to_vec();
    extract.marks = marks(path, &text[..text.len().min(HEAD_BYTES)]).to_bits();
    extract.language = lang::detect(&path::to_path(path), text);
    if let Some(language) = extract.language {
        extract.facts =
            lang::facts(language, &String::from_utf8_lossy(path), text, Limits::DEFAULT);
    }
    let mut places: HashMap<&[u8], usize, Xxh3DefaultBuilder> = HashMap::default();
    for span in identifiers(text) {
        let place = *places.entry(&text[span.clone()]).or_insert_with(|| {
            extract.words.push((span.start as u32..span.end as u32, 0));
            extract.words.len() - 1
        });
        extract.words[place].1 += 1;
    }
    extract
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_the_facts_of_one_file() {
        let extract = or_failed(7, || panic!("a fault in a grammar"));
        assert_eq!((extract.hash, extract.lines(), extract.words().len()), (7, 0, 0));
        assert_eq!(extract.facts.problems.get(&Problem::Failed), Some(&1));
        assert!(extract_text(b"a.rs", b"fn f() {}\n").facts.problems.is_empty());
    }
}
