//! Reads a mapped code segment.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::dictionary::{Dictionary, DictionaryEntry};
use super::{DOC_BYTES, record, section};
use crate::base::varint::ByteReader;
use crate::error::{Error, Result};
use crate::index::format::{self, Container, FileKind, u16_at, u32_at, u64_at};
use crate::index::map::Map;
use crate::lang::chain::{Chain, stored};
use crate::lang::facts::{Import, Reference, Role};
use crate::lang::language;
use crate::lang::{Language, Problem, Symbol};

/// Returns the hash by which a segment identifies a repository path. A collision is harmless,
/// because facts apply only to a file with the same content hash.
pub fn path_hash(path: &[u8]) -> u64 {
    xxh3_64(path)
}

/// Statistics of a segment.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct Meta {
    /// Files.
    pub files: u64,
    /// Bytes of their text.
    pub bytes: u64,
    /// Symbols.
    pub symbols: u64,
    /// References.
    pub references: u64,
    /// Distinct names and words.
    pub names: u64,
    /// Number of files with each problem.
    pub problems: BTreeMap<Problem, u64>,
}

/// A published, immutable segment of the code index.
#[derive(Debug)]
pub struct CodeSegment {
    container: Container,
    meta: Meta,
    docs: format::Range,
    order: format::Range,
    symbols: format::Range,
    imports: format::Range,
    called: format::Range,
    pool_ends: format::Range,
    pool: format::Range,
    defined: Dictionary,
    referred: Dictionary,
    words: Dictionary,
}

/// A file of a segment.
#[derive(Clone, Debug)]
pub struct Doc {
    /// [`path_hash`] of its repository path.
    pub path_hash: u64,
    /// The hash of the content from which the facts were extracted.
    pub hash: u128,
    /// The language.
    pub language: Option<&'static Language>,
    /// [`crate::lang::marks::Marks`] as bits.
    pub marks: u8,
    /// The number of lines.
    pub lines: u32,
    /// The number of symbols.
    pub symbols: u32,
    /// The line of the first syntax error, from 1; 0 without errors.
    pub first_error_line: u32,
    problems: u32,
    /// Pool number of its package plus one, or 0.
    package: u32,
    symbols_at: usize,
    imports_at: usize,
    called_at: usize,
}

/// A reference to a name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Site {
    /// The document number of the file.
    pub doc: u32,
    /// Byte offset of the name.
    pub start: u32,
    /// How it is used.
    pub role: Role,
    /// The receiver chain, see [`crate::lang::facts::Reference::receiver`].
    pub receiver: Option<Chain>,
    /// Index of the enclosing symbol in the file's symbols.
    pub enclosing: Option<u32>,
    /// Number of arguments of a call.
    pub arguments: Option<u8>,
}

impl Doc {
    /// Returns true if the facts have a problem.
    pub fn has(&self, problem: Problem) -> bool {
        self.problems & 1 << problem as u32 != 0
    }

    /// Returns the worst problem by which definitions are missing, if there is one.
    pub fn lost_by(&self) -> Option<Problem> {
        let mut problems = Problem::ALL.into_iter().rev().filter(|of| of.loses_definitions());
        problems.find(|&problem| self.has(problem))
    }
}

impl Site {
    /// Returns the site as a reference to `name`.
    pub fn into_reference(self, name: &str) -> Reference {
        let start = self.start as usize;
        Reference {
            span: start..start + name.len(),
            role: self.role,
            receiver: self.receiver,
            enclosing: self.enclosing.map(|place| place as usize),
            arguments: self.arguments,
        }
    }
}

impl CodeSegment {
    /// Opens the segment at `path`.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if it is damaged or of another format version.
    pub fn open(path: &Path, on_heap: bool) -> Result<CodeSegment> {
        CodeSegment::new(Map::open(path, on_heap)?)
    }

    /// Opens a mapped segment. Blocks are checked on first access.
    pub fn new(map: Map) -> Result<CodeSegment> {
        let container = Container::open(map, FileKind::Code)?;
        let meta = container.copy(container.section(section::META)?)?;
        let meta = serde_json::from_slice(&meta)
            .map_err(|_| container.corrupt("code index's facts are damaged"))?;
        let docs = container.section(section::DOCS)?;
        if docs.len() % DOC_BYTES != 0 {
            return Err(container.corrupt("code index's files are damaged"));
        }
        Ok(CodeSegment {
            meta,
            docs,
            order: container.section(section::ORDER)?,
            symbols: container.section(section::SYMBOLS)?,
            imports: container.section(section::IMPORTS)?,
            called: container.section(section::CALLED)?,
            pool_ends: container.section(section::POOL_ENDS)?,
            pool: container.section(section::POOL)?,
            defined: Dictionary::open(&container, section::DEFINED)?,
            referred: Dictionary::open(&container, section::REFERRED)?,
            words: Dictionary::open(&container, section::WORDS)?,
            container,
        })
    }

    /// Returns the container, for checks and for its size.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// Returns the statistics.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Returns an upper bound of the number of symbol keys ([`super::keys`]). O(1).
    pub fn defined_max(&self) -> usize {
        self.defined.len_max()
    }

    /// Returns the number of files.
    pub fn docs(&self) -> u32 {
        (self.docs.len() / DOC_BYTES) as u32
    }

    /// Returns the record of a document. O(1).
    pub fn doc(&self, doc: u32) -> Result<Doc> {
        let damaged = || self.container.corrupt("code index's file is damaged");
        let start = (doc as usize).checked_mul(DOC_BYTES).ok_or_else(damaged)?;
        let range = self.docs.slice(start, DOC_BYTES).ok_or_else(damaged)?;
        let bytes = self.container.bytes(range)?;
        let language = usize::from(bytes[12]).checked_sub(1);
        Ok(Doc {
            path_hash: u64_at(bytes, 0),
            hash: u128::from_le_bytes(bytes[32..48].try_into().expect("sixteen bytes")),
            language: language.and_then(language::of_number),
            marks: bytes[13],
            lines: u32_at(bytes, 8),
            problems: u32::from(u16_at(bytes, 14)),
            first_error_line: u32_at(bytes, 52),
            symbols: u32_at(bytes, 16),
            symbols_at: u32_at(bytes, 20) as usize,
            imports_at: u32_at(bytes, 24) as usize,
            called_at: u32_at(bytes, 48) as usize,
            package: u32_at(bytes, 28),
        })
    }

    /// Returns the package that a file declares. O(1).
    pub fn package(&self, doc: &Doc) -> Option<String> {
        self.text(doc.package.checked_sub(1)?)
    }

    /// Returns the symbols of a file, without signatures and documentation, which are read from its
    /// text ([`crate::lang::symbols::SymbolSource`]). Symbol ids contain `path`. O(symbols).
    pub fn symbols(&self, doc: u32, path: &[u8]) -> Result<Vec<Symbol>> {
        let (of, bytes) = self.symbols_of(doc)?;
        let path = String::from_utf8_lossy(path);
        record::symbols(bytes, of.symbols as usize, &path, self).ok_or_else(|| self.damaged())
    }

    /// Returns the symbol with index `place` and its document, or `None` if the document has fewer
    /// symbols. O(place).
    pub fn symbol(&self, doc: u32, place: u32, path: &[u8]) -> Result<Option<(Doc, Symbol)>> {
        let (of, bytes) = self.symbols_of(doc)?;
        if place >= of.symbols {
            return Ok(None);
        }
        let path = String::from_utf8_lossy(path);
        let symbol = record::symbol(bytes, place as usize, &path, self);
        symbol.map(|symbol| Some((of, symbol))).ok_or_else(|| self.damaged())
    }

    /// Returns the record of a document and its encoded symbols.
    fn symbols_of(&self, doc: u32) -> Result<(Doc, &[u8])> {
        let of = self.doc(doc)?;
        let end =
            if doc + 1 < self.docs() { self.doc(doc + 1)?.symbols_at } else { self.symbols.len() };
        let bytes = self.record(self.symbols, of.symbols_at, end)?;
        Ok((of, bytes))
    }

    fn damaged(&self) -> Error {
        self.container.corrupt("code index's symbols are damaged")
    }

    /// Returns the document number of a repository path. O(log files).
    fn find(&self, path: &[u8]) -> Result<Option<u32>> {
        let damaged = || self.container.corrupt("code index's order of files is damaged");
        let target = path_hash(path);
        let (mut low, mut high) = (0, self.docs() as usize);
        while low < high {
            let middle = low + (high - low) / 2;
            let range = self.order.slice(middle * 4, 4).ok_or_else(damaged)?;
            let doc = u32_at(self.container.bytes(range)?, 0);
            match self.doc(doc)?.path_hash.cmp(&target) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(Some(doc)),
            }
        }
        Ok(None)
    }

    /// Returns language and symbols of the file at `path` if the segment has facts of content with
    /// this hash and its symbols are complete. O(log files + symbols).
    pub fn outline(
        &self,
        path: &[u8],
        hash: u128,
    ) -> Result<Option<(&'static Language, Vec<Symbol>)>> {
        let Some(at) = self.find(path)? else { return Ok(None) };
        let doc = self.doc(at)?;
        let Some(language) = doc.language.filter(|_| doc.hash == hash && doc.problems == 0) else {
            return Ok(None);
        };
        Ok(Some((language, self.symbols(at, path)?)))
    }

    /// Returns true if the segment records that the content with this hash of the file at `path`
    /// crashed its parser. O(log files).
    pub fn has_crashed(&self, path: &[u8], hash: u128) -> Result<bool> {
        let Some(at) = self.find(path)? else { return Ok(false) };
        let doc = self.doc(at)?;
        Ok(doc.hash == hash && doc.has(Problem::Crashed))
    }

    /// Returns the hashes of the contents that crashed their parsers. O(files) if there are any.
    pub fn crashes(&self) -> Result<Vec<u128>> {
        let mut hashes = Vec::new();
        if self.meta.problems.contains_key(&Problem::Crashed) {
            for at in 0..self.docs() {
                let doc = self.doc(at)?;
                hashes.extend(doc.has(Problem::Crashed).then_some(doc.hash));
            }
        }
        Ok(hashes)
    }

    /// Returns the package and the imports of a file. O(imports).
    pub fn imports(&self, doc: u32) -> Result<(Option<String>, Vec<Import>)> {
        let damaged = || self.container.corrupt("code index's imports are damaged");
        let end =
            if doc + 1 < self.docs() { self.doc(doc + 1)?.imports_at } else { self.imports.len() };
        let bytes = self.record(self.imports, self.doc(doc)?.imports_at, end)?;
        record::imports(bytes, self).ok_or_else(damaged)
    }

    fn record(&self, section: format::Range, start: usize, end: usize) -> Result<&[u8]> {
        let damaged = || self.container.corrupt("code index's file is damaged");
        let len = end.checked_sub(start).ok_or_else(damaged)?;
        self.container.bytes(section.slice(start, len).ok_or_else(damaged)?)
    }

    /// Returns the document and index of each symbol with a key (see [`super::keys`]), ascending.
    /// O(log keys + symbols).
    pub fn defined(&self, key: &[u8]) -> Result<Vec<(u32, u32)>> {
        match self.defined.find(&self.container, key)? {
            Some(entry) => self.places(&entry),
            None => Ok(Vec::new()),
        }
    }

    /// Calls `visit` with the entry of each key from `start` on, in byte order, until it returns
    /// false. [`CodeSegment::places`] decodes the entry.
    pub fn walk_defined(
        &self,
        start: &[u8],
        visit: impl FnMut(&DictionaryEntry) -> bool,
    ) -> Result<()> {
        self.defined.walk(&self.container, start, visit)
    }

    /// Returns the document and index of each symbol of an entry, ascending. O(symbols).
    pub fn places(&self, entry: &DictionaryEntry) -> Result<Vec<(u32, u32)>> {
        let damaged = || self.container.corrupt("code index's definitions are damaged");
        let mut input = ByteReader::new(self.container.bytes(entry.list)?);
        let mut places = Vec::new();
        let mut doc = 0_u32;
        while !input.is_empty() {
            let (files, count) = input.read_u32().zip(input.read_len()).ok_or_else(damaged)?;
            doc = doc.checked_add(files).filter(|&doc| doc < self.docs()).ok_or_else(damaged)?;
            let mut place = 0_u32;
            for _ in 0..count {
                place = input
                    .read_u32()
                    .and_then(|more| place.checked_add(more))
                    .ok_or_else(damaged)?;
                places.push((doc, place));
            }
        }
        Ok(places)
    }

    /// Returns the documents that contain `word`, ascending, each with the number of occurrences, and
    /// true if one of them is in a part that the parser does not understand. O(log words +
    /// documents).
    pub fn word(&self, word: &[u8]) -> Result<Vec<(u32, u32, bool)>> {
        let damaged = || self.container.corrupt("code index's words are damaged");
        let Some(entry) = self.words.find(&self.container, word)? else { return Ok(Vec::new()) };
        let mut input = ByteReader::new(self.container.bytes(entry.list)?);
        let mut files = Vec::new();
        let mut doc = 0_u32;
        while !input.is_empty() {
            let (more, count) = input.read_u32().zip(input.read_u32()).ok_or_else(damaged)?;
            doc = doc.checked_add(more).filter(|&doc| doc < self.docs()).ok_or_else(damaged)?;
            files.push((doc, count >> 1, count & 1 != 0));
        }
        Ok(files)
    }

    /// Returns the references to `name`, by document and offset. O(log names + sites).
    pub fn sites(&self, name: &[u8]) -> Result<Vec<Site>> {
        let Some(entry) = self.referred.find(&self.container, name)? else { return Ok(Vec::new()) };
        let mut input = ByteReader::new(self.container.bytes(entry.list)?);
        let mut sites = Vec::new();
        let damaged = || self.container.corrupt("code index's references are damaged");
        let mut doc = 0_u32;
        while !input.is_empty() {
            let (files, count) = input.read_u32().zip(input.read_len()).ok_or_else(damaged)?;
            doc = doc.checked_add(files).filter(|&doc| doc < self.docs()).ok_or_else(damaged)?;
            if count > 1 {
                input.read_len().ok_or_else(damaged)?;
            }
            self.sites_of(&mut input, doc, count, &mut sites).ok_or_else(damaged)?;
        }
        Ok(sites)
    }

    /// Returns the distinct names that a file calls, in no particular order, and the call sites.
    /// O(names × (log names + documents that use each)).
    pub fn calls(&self, doc: u32) -> Result<Vec<(String, Vec<Site>)>> {
        let damaged = || self.container.corrupt("code index's calls are damaged");
        let end =
            if doc + 1 < self.docs() { self.doc(doc + 1)?.called_at } else { self.called.len() };
        let mut input = ByteReader::new(self.record(self.called, self.doc(doc)?.called_at, end)?);
        let mut number = 0_u32;
        let mut calls = Vec::new();
        while !input.is_empty() {
            number =
                input.read_u32().and_then(|more| number.checked_add(more)).ok_or_else(damaged)?;
            let name = self.text(number).ok_or_else(damaged)?;
            let mut sites = self.sites_in(name.as_bytes(), doc)?;
            sites.retain(|site| site.role == Role::Call);
            calls.push((name, sites));
        }
        Ok(calls)
    }

    /// Returns the references to `name` in one document. O(log names + documents that refer to it).
    pub fn sites_in(&self, name: &[u8], target: u32) -> Result<Vec<Site>> {
        let damaged = || self.container.corrupt("code index's references are damaged");
        let mut sites = Vec::new();
        let Some(entry) = self.referred.find(&self.container, name)? else { return Ok(sites) };
        let mut input = ByteReader::new(self.container.bytes(entry.list)?);
        let mut doc = 0_u32;
        while !input.is_empty() && doc <= target {
            let (files, count) = input.read_u32().zip(input.read_len()).ok_or_else(damaged)?;
            doc = doc.checked_add(files).filter(|&doc| doc < self.docs()).ok_or_else(damaged)?;
            let bytes = if count > 1 { Some(input.read_len().ok_or_else(damaged)?) } else { None };
            match bytes {
                _ if doc == target => {
                    self.sites_of(&mut input, doc, count, &mut sites).ok_or_else(damaged)?;
                }
                Some(bytes) => _ = input.read_bytes(bytes).ok_or_else(damaged)?,
                None => skip_site(&mut input).ok_or_else(damaged)?,
            }
        }
        Ok(sites)
    }

    fn sites_of(
        &self,
        input: &mut ByteReader<'_>,
        doc: u32,
        count: usize,
        sites: &mut Vec<Site>,
    ) -> Option<()> {
        let (mut start, mut enclosing) = (0_u32, 0_i64);
        for _ in 0..count {
            let head = input.read_u64()?;
            start = start.checked_add(u32::try_from(head >> 5).ok()?)?;
            enclosing = enclosing.checked_add(input.read_i64()?)?;
            let receiver = if head & 8 != 0 {
                Some(stored::chain(self.text(input.read_u32()?)?))
            } else {
                None
            };
            let arguments =
                if head & 16 != 0 { Some(u8::try_from(input.read_u32()?).ok()?) } else { None };
            sites.push(Site {
                doc,
                start,
                role: *Role::ALL.get((head & 7) as usize)?,
                receiver,
                enclosing: u32::try_from(enclosing).ok()?.checked_sub(1),
                arguments,
            });
        }
        Some(())
    }

    fn text(&self, number: u32) -> Option<String> {
        record::Texts::text(self, number)
    }
}

/// Skips one site.
fn skip_site(input: &mut ByteReader<'_>) -> Option<()> {
    let head = input.read_u64()?;
    let numbers = 1 + u32::from(head & 8 != 0) + u32::from(head & 16 != 0);
    (0..numbers).try_for_each(|_| input.read_u64().map(|_| ()))
}

impl record::Texts for CodeSegment {
    fn text(&self, number: u32) -> Option<String> {
        let number = number as usize;
        let end = |number: usize| -> Option<usize> {
            let bytes = self.container.bytes(self.pool_ends.slice(number * 4, 4)?).ok()?;
            Some(u32_at(bytes, 0) as usize)
        };
        let Range { start, end } = match number {
            0 => 0..end(0)?,
            _ => end(number - 1)?..end(number)?,
        };
        let range = self.pool.slice(start, end.checked_sub(start)?)?;
        let text = self.container.bytes(range).ok()?;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}
