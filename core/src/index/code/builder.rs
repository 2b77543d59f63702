//! Builds a code segment from the facts of files, added in path order.

use std::path::Path;

use hashbrown::HashTable;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::dictionary::{DictionaryWriter, NAME_BYTES_MAX};
use super::reader::{Meta, path_hash};
use super::record::{self, Numbers};
use super::section::DictionarySections;
use super::{DOC_BYTES, keys, section};
use crate::base::varint;
use crate::error::Result;
use crate::index::format::{self, FileKind, u64_at};
use crate::lang::Language;
use crate::lang::chain::stored;
use crate::lang::facts::{Facts, Role};
use crate::lang::language;
use crate::lang::words::unescaped;

/// Maximum number of references and words in a segment; bounds the memory of a build.
const OCCURRENCES_MAX: usize = 16 << 20;

/// Maximum bytes of encoded symbols, imports and pool strings in a segment.
const RECORD_BYTES_MAX: usize = 512 << 20;

/// Everything that a segment stores about one file.
#[derive(Debug)]
pub struct FileRecord<'a> {
    /// The repository path.
    pub path: &'a [u8],
    /// The content hash, as in the file table.
    pub hash: u128,
    /// The detected language, if any.
    pub language: Option<&'static Language>,
    /// [`crate::lang::marks::Marks`] as bits.
    pub marks: u8,
    /// The text.
    pub text: &'a [u8],
    /// The number of lines of `text`.
    pub lines: u32,
    /// The facts extracted from `text`.
    pub facts: &'a Facts,
    /// The distinct words of `text`.
    pub words: &'a [Word<'a>],
}

/// A word of a text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Word<'a> {
    /// The word.
    pub text: &'a [u8],
    /// How often it occurs.
    pub count: u32,
    /// An occurrence is in a part that the parser does not understand.
    pub is_in_error: bool,
}

/// Collects the facts of files for one segment.
#[derive(Debug, Default)]
pub struct CodeSegmentBuilder {
    docs: Vec<u8>,
    symbols: Vec<u8>,
    imports: Vec<u8>,
    called: Vec<u8>,
    pool: Interner,
    names: Interner,
    /// (name, document, symbol), in document order.
    defined: Vec<(u32, u32, u32)>,
    referred: Vec<Occurrence>,
    /// (name, document, count and mark as in [`section::WORDS`]), in document order.
    words: Vec<(u32, u32, u32)>,
    meta: Meta,
}

/// A reference, kept until the rank of its name is known.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    name: u32,
    file: u32,
    start: u32,
    /// Pool number plus one, or 0.
    receiver: u32,
    /// Index of the enclosing symbol plus one, or 0.
    enclosing: u32,
    role: u8,
    /// Number of arguments plus one, or 0.
    arguments: u16,
}

/// Assigns numbers to strings, in the order in which they first occur.
#[derive(Debug, Default)]
pub(super) struct Interner {
    pub(super) bytes: Vec<u8>,
    pub(super) ends: Vec<u32>,
    /// The hash of each string and its number. The hash is stored so that growing the table does not
    /// read the strings again, which made interning two thirds slower.
    numbers: HashTable<(u64, u32)>,
}

impl Interner {
    fn number_of(&mut self, text: &[u8]) -> u32 {
        let hash = xxh3_64(text);
        let is_same = |&(other, number): &(u64, u32)| other == hash && self.text(number) == text;
        if let Some(&(_, number)) = self.numbers.find(hash, is_same) {
            return number;
        }
        let number = self.push(text);
        self.numbers.insert_unique(hash, (hash, number), |&(hash, _)| hash);
        number
    }

    fn push(&mut self, text: &[u8]) -> u32 {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u32);
        self.ends.len() as u32 - 1
    }

    fn text(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.bytes[start..self.ends[number] as usize]
    }

    /// Returns the rank of each number in the sorted order of the strings, and the numbers in that
    /// order.
    fn ranks(&self) -> (Vec<u32>, Vec<u32>) {
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.par_sort_unstable_by(|&a, &b| self.text(a).cmp(self.text(b)));
        let mut ranks = vec![0; order.len()];
        for (rank, &number) in order.iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        (ranks, order)
    }
}

impl Numbers for Interner {
    fn number(&mut self, text: &str) -> u32 {
        self.number_of(text.as_bytes())
    }
}

impl CodeSegmentBuilder {
    /// Returns true once another file should go into the next segment.
    pub fn is_full(&self) -> bool {
        self.referred.len() + self.words.len() > OCCURRENCES_MAX
            || self.symbols.len() + self.imports.len() + self.pool.bytes.len() > RECORD_BYTES_MAX
    }

    /// Returns the number of files added so far.
    pub fn files(&self) -> u32 {
        (self.docs.len() / DOC_BYTES) as u32
    }

    /// Adds a file, whose path sorts after those added before. O(facts).
    pub fn add(&mut self, file: &FileRecord<'_>) {
        let doc = self.files();
        let facts = file.facts;
        let language = file.language.and_then(language::number);
        let problems =
            facts.problems.keys().fold(0_u16, |bits, problem| bits | 1 << *problem as u16);
        let put = |out: &mut Vec<u8>, number: u32| out.extend_from_slice(&number.to_le_bytes());
        let package = facts.package.as_deref();
        self.docs.extend_from_slice(&path_hash(file.path).to_le_bytes());
        put(&mut self.docs, file.lines);
        self.docs.extend_from_slice(&[language.map_or(0, |place| place as u8 + 1), file.marks]);
        self.docs.extend_from_slice(&problems.to_le_bytes());
        put(&mut self.docs, facts.symbols.len() as u32);
        put(&mut self.docs, self.symbols.len() as u32);
        put(&mut self.docs, self.imports.len() as u32);
        put(&mut self.docs, package.map_or(0, |package| self.pool.number(package) + 1));
        self.docs.extend_from_slice(&file.hash.to_le_bytes());
        put(&mut self.docs, self.called.len() as u32);
        put(&mut self.docs, u32::try_from(facts.errors.first_line).unwrap_or(u32::MAX));
        record::put_symbols(&mut self.symbols, &facts.symbols, &mut self.pool);
        record::put_imports(&mut self.imports, package, &facts.imports, &mut self.pool);
        keys::each(&facts.symbols, |key, place| {
            if key.len() <= NAME_BYTES_MAX {
                let name = self.names.number_of(key);
                self.defined.push((name, doc, place));
            }
        });
        let mut called = Vec::new();
        for reference in &facts.references {
            let Some(text) = file.text.get(reference.span.clone()) else { continue };
            let name = std::str::from_utf8(text).map(unescaped);
            let text = name.as_ref().map_or(text, |name| name.as_bytes());
            if text.len() > NAME_BYTES_MAX {
                continue;
            }
            if reference.role == Role::Call {
                called.push(self.pool.number_of(text));
            }
            let receiver =
                reference.receiver.as_ref().map_or(0, |r| self.pool.number(stored::text(r)) + 1);
            self.referred.push(Occurrence {
                name: self.names.number_of(text),
                file: doc,
                start: reference.span.start as u32,
                receiver,
                enclosing: reference.enclosing.map_or(0, |place| place as u32 + 1),
                role: Role::ALL.iter().position(|role| *role == reference.role).unwrap_or(0) as u8,
                arguments: reference.arguments.map_or(0, |count| u16::from(count) + 1),
            });
        }
        called.sort_unstable();
        called.dedup();
        put_ascending(&mut self.called, &called);
        for word in file.words.iter().filter(|word| word.text.len() <= NAME_BYTES_MAX) {
            let count = word.count << 1 | u32::from(word.is_in_error);
            self.words.push((self.names.number_of(word.text), doc, count));
        }
        self.meta.files += 1;
        self.meta.bytes += file.text.len() as u64;
        self.meta.symbols += facts.symbols.len() as u64;
        self.meta.references += facts.references.len() as u64;
        for (problem, count) in &facts.problems {
            *self.meta.problems.entry(*problem).or_default() += (*count).min(1);
        }
    }

    /// Writes the segment to the new file `path`. O(facts × log names).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Io`] if it cannot be written.
    pub fn write(mut self, path: &Path) -> Result<()> {
        let (ranks, order) = self.names.ranks();
        for entry in &mut self.defined {
            entry.0 = ranks[entry.0 as usize];
        }
        for entry in &mut self.words {
            entry.0 = ranks[entry.0 as usize];
        }
        for occurrence in &mut self.referred {
            occurrence.name = ranks[occurrence.name as usize];
        }
        self.defined.par_sort_unstable();
        self.defined.dedup();
        self.words.par_sort_unstable();
        // Each (start, role) occurs once in a file, so this order is total.
        self.referred.par_sort_unstable_by_key(|o| (o.name, o.file, o.start, o.role));
        let name = |rank: u32| self.names.text(order[rank as usize]);

        let (mut defined, mut referred, mut words) =
            (DictionaryWriter::default(), DictionaryWriter::default(), DictionaryWriter::default());
        for group in self.defined.chunk_by(|a, b| a.0 == b.0) {
            defined.add(name(group[0].0), |out| put_symbols(out, group));
        }
        for group in self.words.chunk_by(|a, b| a.0 == b.0) {
            words.add(name(group[0].0), |out| put_counts(out, group));
        }
        for group in self.referred.chunk_by(|a, b| a.name == b.name) {
            referred.add(name(group[0].name), |out| put_occurrences(out, group));
        }
        self.meta.names = order.len() as u64;
        let meta = serde_json::to_vec(&self.meta).expect("plain data has JSON");
        let ends: Vec<u8> = self.pool.ends.iter().flat_map(|end| end.to_le_bytes()).collect();
        let dictionary = |ids: DictionarySections, of: &DictionaryWriter| {
            let [index, blocks, lists] = of.sections().map(<[u8]>::to_vec);
            [(ids[0], index), (ids[1], blocks), (ids[2], lists)]
        };
        let hash_of = |doc: u32| u64_at(&self.docs, doc as usize * DOC_BYTES);
        let mut by_path: Vec<u32> = (0..self.files()).collect();
        by_path.sort_unstable_by_key(|&doc| (hash_of(doc), doc));
        let by_path = by_path.into_iter().flat_map(u32::to_le_bytes).collect();
        let mut sections: Vec<(u32, Vec<u8>)> = vec![
            (section::ORDER, by_path),
            (section::META, meta),
            (section::DOCS, self.docs),
            (section::SYMBOLS, self.symbols),
            (section::IMPORTS, self.imports),
            (section::CALLED, self.called),
            (section::POOL_ENDS, ends),
            (section::POOL, self.pool.bytes),
        ];
        sections.extend(dictionary(section::DEFINED, &defined));
        sections.extend(dictionary(section::REFERRED, &referred));
        sections.extend(dictionary(section::WORDS, &words));
        let parts: Vec<[&[u8]; 1]> = sections.iter().map(|(_, bytes)| [bytes.as_slice()]).collect();
        let sections: Vec<(u32, &[&[u8]])> =
            sections.iter().zip(&parts).map(|((id, _), part)| (*id, &part[..])).collect();
        format::write(path, FileKind::Code, &sections)
    }
}

/// Appends document gaps, each followed by the number of symbols and their gaps.
fn put_symbols(out: &mut Vec<u8>, group: &[(u32, u32, u32)]) {
    let mut file = 0;
    for in_file in group.chunk_by(|a, b| a.1 == b.1) {
        varint::put(out, u64::from(in_file[0].1 - file));
        varint::put(out, in_file.len() as u64);
        let mut place = 0;
        for entry in in_file {
            varint::put(out, u64::from(entry.2 - place));
            place = entry.2;
        }
        file = in_file[0].1;
    }
}

/// Appends document gaps, each followed by the number of occurrences.
fn put_counts(out: &mut Vec<u8>, group: &[(u32, u32, u32)]) {
    let mut file = 0;
    for entry in group {
        varint::put(out, u64::from(entry.1 - file));
        varint::put(out, u64::from(entry.2));
        file = entry.1;
    }
}

/// Appends ascending numbers as gaps.
fn put_ascending(out: &mut Vec<u8>, numbers: &[u32]) {
    let mut last = 0;
    for &number in numbers {
        varint::put(out, u64::from(number - last));
        last = number;
    }
}

/// Appends document gaps, each followed by the references in the document. If there are several,
/// their length in bytes comes first, so that a reader can skip them.
fn put_occurrences(out: &mut Vec<u8>, group: &[Occurrence]) {
    let mut file = 0;
    let mut sites = Vec::new();
    for in_file in group.chunk_by(|a, b| a.file == b.file) {
        varint::put(out, u64::from(in_file[0].file - file));
        varint::put(out, in_file.len() as u64);
        sites.clear();
        let (mut start, mut enclosing) = (0, 0);
        for one in in_file {
            let has_receiver = u64::from(one.receiver > 0);
            let has_arguments = u64::from(one.arguments > 0);
            let head = u64::from(one.start - start) << 5
                | has_arguments << 4
                | has_receiver << 3
                | u64::from(one.role);
            varint::put(&mut sites, head);
            varint::put_signed(&mut sites, i64::from(one.enclosing) - enclosing);
            if one.receiver > 0 {
                varint::put(&mut sites, u64::from(one.receiver - 1));
            }
            if one.arguments > 0 {
                varint::put(&mut sites, u64::from(one.arguments - 1));
            }
            start = one.start;
            enclosing = i64::from(one.enclosing);
        }
        if in_file.len() > 1 {
            varint::put(out, sites.len() as u64);
        }
        out.extend_from_slice(&sites);
        file = in_file[0].file;
    }
}
