//! The catalog: the facts about all files of a tree at one time, from the segments of the code
//! index, and for files that these do not cover from their text.
//!
//! A catalog implements [`crate::graph::link::Code`] for the linker, and the look-ups of tools. It
//! is immutable; after an edit a new one is made, whose [`overlay`] has the facts of the changed
//! files. A file id is an index into the list of files.

mod cache;
pub mod code;
pub mod damage;
pub mod delegating_code;
pub mod derived;
pub mod extract;
pub mod file_list;
pub mod file_names;
pub mod folders;
pub mod imports;
mod interface;
mod linking;
mod names;
pub mod overlay;
pub mod searches;
mod state;
pub mod test_names;

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use xxhash_rust::xxh3::xxh3_128;

use crate::base::ids::FileId;
use crate::base::text;
use crate::error::Result;
use crate::graph::imports::{Resolver, is_manifest, manifest_bytes_max};
use crate::graph::link::{FileFacts, Site, SymbolAt};
use crate::index::code::doc_map::DocMap;
use crate::index::code::{CodeSegment, reader};
use crate::lang::facts::{Facts, Reference};
use crate::lang::{Language, Limits, Marks, Outline, Problem, Symbol};
use crate::parsers::Parsers;
use crate::source::text_cache::{Text, TextCache};
use cache::{CatalogCache, MARKED, Same, UNMARKED};
use file_list::{FileInfo, FileList};
use overlay::OverlayFile;

/// Number of changed files above which a new catalog reuses nothing of the previous one.
const CHANGED_MAX: usize = 256;

/// Number of changed files above which the links of the others are resolved again without a comparison.
const COMPARED_MAX: usize = 8;

/// The facts about the files of a tree at one time.
pub struct Catalog {
    files: Arc<FileList>,
    segments: Arc<Vec<CodeSegment>>,
    doc_map: DocMap,
    overlay: BTreeMap<FileId, Arc<OverlayFile>>,
    missing: Vec<FileId>,
    texts: Arc<TextCache>,
    parsers: Arc<Parsers>,
    cache: CatalogCache,
    /// See [`Catalog::prior`]; empty if every file has 1.
    priors: Vec<f32>,
    /// Set when a segment turns out to be damaged.
    is_damaged: AtomicBool,
}

/// A file that contains a word, and its number of occurrences.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WordIn {
    /// The file.
    pub file: FileId,
    /// Number of occurrences.
    pub count: u32,
    /// One of them is in a part that the parser does not understand.
    pub is_in_error: bool,
}

/// Facts about a file that need no reading of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileSummary {
    /// Its language.
    pub language: Option<&'static Language>,
    /// Marks from its path and first bytes.
    pub marks: Marks,
    /// Number of lines.
    pub lines: u32,
    /// Number of symbols.
    pub symbols: u32,
    /// The line of the first syntax error, from 1; 0 without errors.
    pub first_error_line: u32,
}

/// A symbol of a catalog, without its signature and documentation.
#[derive(Clone)]
pub enum CatalogSymbol {
    /// A single symbol.
    Alone(Arc<Symbol>),
    /// The symbol at an index in the facts of its file.
    InFacts(Arc<FileFacts>, usize),
}

impl CatalogSymbol {
    fn in_facts(facts: Arc<FileFacts>, place: usize) -> Option<CatalogSymbol> {
        (place < facts.symbols.len()).then(|| CatalogSymbol::InFacts(facts, place))
    }
}

impl Deref for CatalogSymbol {
    type Target = Symbol;

    fn deref(&self) -> &Symbol {
        match self {
            CatalogSymbol::Alone(symbol) => symbol,
            CatalogSymbol::InFacts(facts, place) => &facts.symbols[*place],
        }
    }
}

impl Catalog {
    /// Creates a catalog of `files` from those facts of `segments` that belong to the present
    /// content of the files. O(files).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if a segment is damaged.
    pub fn new(
        files: Arc<FileList>,
        segments: Arc<Vec<CodeSegment>>,
        texts: Arc<TextCache>,
        parsers: Arc<Parsers>,
    ) -> Result<Catalog> {
        let doc_map = DocMap::new(&segments, files.len(), |at| {
            let info = files.info(at);
            Ok((files.path(at), info.is_as_indexed().then_some(info.hash)))
        })?;
        let is_missing = |at: &usize| doc_map.doc(*at).is_none() && files.info(*at).may_be_read();
        let missing = (0..files.len()).filter(is_missing).map(FileId::new).collect();
        let (overlay, cache) = (BTreeMap::new(), CatalogCache::default());
        let is_damaged = AtomicBool::new(false);
        Ok(Catalog {
            files,
            segments,
            doc_map,
            overlay,
            missing,
            texts,
            parsers,
            cache,
            priors: Vec::new(),
            is_damaged,
        })
    }

    /// Adds the facts of files that no segment covers. O(missing files).
    #[must_use]
    pub fn with_overlay(mut self, held: BTreeMap<FileId, Arc<OverlayFile>>) -> Catalog {
        for file in held.keys() {
            self.doc_map.hide(file.index());
        }
        self.overlay.extend(held);
        let held = &self.overlay;
        self.missing.retain(|file| !held.contains_key(file));
        self
    }

    /// Sets [`Catalog::prior`] of all files, in their order.
    #[must_use]
    pub fn with_priors(self, priors: Vec<f32>) -> Catalog {
        Catalog { priors, ..self }
    }

    /// Returns the factor of a file's relevance that was known before its text was ranked, such as how well
    /// its repository fits, in a tree of many; 1 for the files of one repository.
    pub fn prior(&self, file: FileId) -> f32 {
        self.priors.get(file.index()).copied().unwrap_or(1.0)
    }

    /// Reuses the data that `earlier` derived from files that are unchanged. O(files).
    #[must_use]
    pub fn reusing(mut self, earlier: &Catalog) -> Catalog {
        if earlier.is_damaged()
            || !earlier.is_untouched()
            || !self.files.has_paths_of(&earlier.files)
        {
            return self;
        }
        let is_changed = |&at: &usize| {
            let is_known = |of: &Catalog| of.missing.binary_search(&FileId::new(at)).is_err();
            !self.has_content_of(at, earlier) || is_known(&self) != is_known(earlier)
        };
        let changed = (0..self.files.len()).filter(is_changed).map(FileId::new);
        let changed: Vec<FileId> = changed.take(CHANGED_MAX + 1).collect();
        if changed.len() > CHANGED_MAX {
            return self;
        }
        let has_same_resolution = changed.iter().all(|&file| {
            !is_manifest(self.path(file)) && self.package(file) == earlier.package(file)
        });
        // The links of other files depend on the bodies of functions of a few languages only.
        let has_same_links = has_same_resolution
            && changed.len() <= COMPARED_MAX
            && changed.iter().all(|&file| self.has_interface_of(file, earlier));
        let same = Same { resolution: has_same_resolution, links: has_same_links };
        self.cache = earlier.cache.without(&changed, same);
        self
    }

    /// Returns true if the `at`th file certainly has the content that it had for `earlier`, which has
    /// the same files.
    fn has_content_of(&self, at: usize, earlier: &Catalog) -> bool {
        let hash = |of: &Catalog| match of.overlay.get(&FileId::new(at)) {
            Some(held) => Some(held.hash()),
            None => {
                Some(of.files.info(at)).filter(|info| info.is_as_indexed()).map(|info| info.hash)
            }
        };
        let is_other = hash(self).zip(hash(earlier)).is_some_and(|(now, before)| now != before);
        !is_other && self.files.info(at).has_content_of(earlier.files.info(at))
    }

    /// Returns the in-cache facts of the file at a repository path, if they belong to the content
    /// that `info` describes.
    pub fn overlay_file(&self, path: &[u8], info: &FileInfo) -> Option<Arc<OverlayFile>> {
        let at = self.files.find(path)?;
        let held = self.overlay.get(&FileId::new(at))?;
        let is_other = info.is_as_indexed() && info.hash != held.hash();
        (!is_other && info.has_content_of(self.files.info(at))).then(|| Arc::clone(held))
    }

    /// Returns true if it was made of these files and segments (the same allocations).
    pub fn is_made_of(&self, files: &Arc<FileList>, segments: &Arc<Vec<CodeSegment>>) -> bool {
        Arc::ptr_eq(&self.files, files) && self.has_segments(segments)
    }

    /// Returns true if it was made of these segments (the same allocation).
    pub fn has_segments(&self, segments: &Arc<Vec<CodeSegment>>) -> bool {
        Arc::ptr_eq(&self.segments, segments)
    }

    /// Returns true if the files of its segments are unchanged since they were opened.
    fn is_untouched(&self) -> bool {
        self.segments.iter().all(|segment| segment.container().is_untouched())
    }

    /// Returns the files, in path order; a file id is an index into this list.
    pub fn files(&self) -> &FileList {
        &self.files
    }

    /// Returns the files without facts, in path order.
    pub fn missing(&self) -> &[FileId] {
        &self.missing
    }

    /// Returns the files whose definitions are incomplete because they could not be parsed, and why,
    /// in path order. O(files) the first time, if there are any.
    pub fn unparsed(&self) -> &[(FileId, Problem)] {
        self.cache.unparsed.get_or_init(|| {
            let is_lost = |problem: &Problem| problem.loses_definitions();
            let has_lost = |of: &CodeSegment| of.meta().problems.keys().any(is_lost);
            let mut found: Vec<(FileId, Problem)> = Vec::new();
            if self.segments.iter().any(has_lost) {
                let lost_by = |file: FileId| {
                    let (segment, doc) = self.place(file)?;
                    self.segments[segment].doc(doc).ok()?.lost_by()
                };
                let files = (0..self.files.len()).map(FileId::new);
                found.extend(files.filter_map(|file| Some((file, lost_by(file)?))));
            }
            let overlay = self.overlay.iter();
            found.extend(overlay.filter_map(|(&file, of)| Some((file, of.lost_by()?))));
            found.sort_unstable();
            found
        })
    }

    /// Returns the number of unread texts for `reading`, 0 or 1. Calls `count` the first time, and
    /// caches its result if its second value is true (the number cannot change).
    pub fn unread(&self, reading: usize, count: impl FnOnce() -> (usize, bool)) -> usize {
        let kept = &self.cache.unread[reading];
        kept.get().copied().unwrap_or_else(|| {
            let (unread, is_certain) = count();
            if is_certain {
                let _ = kept.set(unread);
            }
            unread
        })
    }

    /// Returns true if a segment turned out to be damaged: results since then may be incomplete,
    /// and the caller should repeat the call with a catalog without segments.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Returns a file's repository path.
    pub fn path(&self, file: FileId) -> &[u8] {
        self.files.path(file.index())
    }

    /// Returns the file's bytes, up to `bytes_max`, if they can be read.
    pub fn read(&self, file: FileId, bytes_max: usize) -> Option<Text> {
        let (path, bytes_max) = (self.path(file), bytes_max as u64);
        match self.files.info(file.index()).listed() {
            Some(listed) => self.texts.read_listed(path, listed, bytes_max).ok(),
            None => self.texts.read(path, bytes_max).ok(),
        }
    }

    /// Reads a text as [`Catalog::read`] does, but returns a cached text as of the time when the files
    /// were listed, at the start of the call. Returns `None` if the file is not text, and
    /// whether the result stays the same for this catalog. O(path) and no system call for cached
    /// texts.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn text_as_listed(&self, file: FileId, bytes_max: usize) -> Result<(Option<Text>, bool)> {
        let (path, bytes_max) = (self.path(file), bytes_max as u64);
        match self.files.info(file.index()).listed() {
            Some(listed) => self.texts.text_at(path, listed, bytes_max),
            None => {
                let text = self.texts.read(path, bytes_max)?;
                Ok((Some(text).filter(|text| text::is_text(text)), false))
            }
        }
    }

    /// Returns the file's bytes, up to `bytes_max`, to quote from: a cached text as of the time when
    /// the files were listed, at the start of the call, else what is read now. O(path) and no system
    /// call for cached texts.
    pub fn quotable(&self, file: FileId, bytes_max: usize) -> Option<Text> {
        let listed = self.files.info(file.index()).listed();
        let cached = |listed| self.texts.cached_at(self.path(file), listed, bytes_max as u64);
        listed.and_then(cached).or_else(|| self.read(file, bytes_max))
    }

    /// Returns the maximum number of bytes that [`Catalog::text_as_listed`] returns: 0 for files
    /// cached as not being text. O(path).
    pub fn text_bytes_max(&self, file: FileId) -> u64 {
        let info = self.files.info(file.index());
        let is_binary = |listed| self.texts.is_binary(self.path(file), listed);
        if info.listed().is_some_and(is_binary) { 0 } else { info.size_bytes }
    }

    /// Returns the file's bytes if its facts were made of them. Returns `None` if it changed since
    /// the catalog was made, has no facts, or has more than `bytes_max` bytes. O(text).
    pub fn read_as_indexed(&self, file: FileId, bytes_max: usize) -> Option<Text> {
        let hash = match self.overlay.get(&file) {
            Some(held) => held.hash(),
            None => self.place(file).map(|_| self.files.info(file.index()).hash)?,
        };
        self.quotable(file, bytes_max).filter(|text| text.hash() == hash)
    }

    /// Returns the summary of a file, if it has facts. O(1).
    pub fn summary(&self, file: FileId) -> Result<Option<FileSummary>> {
        if let Some(held) = self.overlay.get(&file) {
            return Ok(Some(held.summary()));
        }
        let Some((segment, doc)) = self.place(file) else { return Ok(None) };
        let doc = self.segments[segment].doc(doc)?;
        Ok(Some(FileSummary {
            language: doc.language,
            marks: Marks::from_bits(doc.marks),
            lines: doc.lines,
            symbols: doc.symbols,
            first_error_line: doc.first_error_line,
        }))
    }

    /// Returns the marks of a file; none if it has no facts. O(1), but O(files) the first time.
    pub fn marks(&self, file: FileId) -> Result<Marks> {
        Ok(self.marks_if_indexed(file)?.unwrap_or_default())
    }

    /// Returns the marks of a file, if it has facts. Cost as [`Catalog::marks`].
    pub fn marks_if_indexed(&self, file: FileId) -> Result<Option<Marks>> {
        let all = self.cache.marks.get_or_init(|| {
            std::iter::repeat_with(AtomicU8::default).take(self.files.len()).collect()
        });
        let kept = &all[file.index()];
        match kept.load(Ordering::Relaxed) {
            0 => {
                let marks = self.summary(file)?.map(|of| of.marks);
                let bits = marks.map_or(UNMARKED, |marks| MARKED | marks.to_bits());
                kept.store(bits, Ordering::Relaxed);
                Ok(marks)
            }
            UNMARKED => Ok(None),
            bits => Ok(Some(Marks::from_bits(bits))),
        }
    }

    /// Returns the symbols that have a key (see [`crate::index::code::keys`]), by file and index. O(log keys +
    /// symbols).
    pub fn defined(&self, key: &[u8]) -> Result<Arc<[SymbolAt]>> {
        if let Some(found) = self.cache.defined(key) {
            return Ok(found);
        }
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            for (doc, place) in segment.defined(key)? {
                found.extend(self.owner(number, doc).map(|file| SymbolAt { file, place }));
            }
        }
        for (&file, held) in &self.overlay {
            found.extend(held.defined(key).iter().map(|&place| SymbolAt { file, place }));
        }
        found.sort_unstable();
        let found = found.into();
        self.cache.keep_defined(key, &found);
        Ok(found)
    }

    /// Returns every use of `name`, ordered by file and position. O(log names + uses).
    pub fn uses(&self, name: &str) -> Result<Vec<Site>> {
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            for site in segment.sites(name.as_bytes())? {
                let Some(file) = self.owner(number, site.doc) else { continue };
                found.push(Site { file, reference: site.into_reference(name) });
            }
        }
        for (&file, held) in &self.overlay {
            let uses = held.uses(name).cloned();
            found.extend(uses.map(|reference| Site { file, reference }));
        }
        found.sort_by_key(|site| (site.file, site.reference.span.start, site.reference.role));
        Ok(found)
    }

    /// Returns every use of `name` in one file, in the order of the text. O(log names + files that
    /// use it).
    fn uses_in_file(&self, file: FileId, name: &str) -> Result<Vec<Reference>> {
        let mut found: Vec<Reference> = Vec::new();
        if let Some(held) = self.overlay.get(&file) {
            found.extend(held.uses(name).cloned());
        } else if let Some((segment, doc)) = self.place(file) {
            let sites = self.segments[segment].sites_in(name.as_bytes(), doc)?;
            found.extend(sites.into_iter().map(|site| site.into_reference(name)));
        }
        found.sort_by_key(|reference| (reference.span.start, reference.role));
        Ok(found)
    }

    /// Returns the calls in a file, in the order of the text, each with the called name. O(called
    /// names × files that use each).
    fn calls_in(&self, file: FileId) -> Result<Vec<(String, Reference)>> {
        let mut calls: Vec<(String, Reference)> = Vec::new();
        if let Some(held) = self.overlay.get(&file) {
            calls.extend(held.calls().map(|(name, call)| (name.to_owned(), call.clone())));
        } else if let Some((segment, doc)) = self.place(file) {
            for (name, sites) in self.segments[segment].calls(doc)? {
                let call = |site: reader::Site| (name.clone(), site.into_reference(&name));
                calls.extend(sites.into_iter().map(call));
            }
        }
        calls.sort_by_key(|(_, call)| call.span.start);
        Ok(calls)
    }

    /// Returns the files that contain `word` and the number of occurrences, in path order. O(log
    /// words + files).
    pub fn word(&self, word: &str) -> Result<Vec<WordIn>> {
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            for (doc, count, is_in_error) in segment.word(word.as_bytes())? {
                let owner = self.owner(number, doc);
                found.extend(owner.map(|file| WordIn { file, count, is_in_error }));
            }
        }
        for (&file, held) in &self.overlay {
            let word = held.word(word);
            found.extend(word.map(|(count, is_in_error)| WordIn { file, count, is_in_error }));
        }
        found.sort_unstable_by_key(|word| word.file);
        Ok(found)
    }

    /// Returns a symbol as in [`Catalog::facts`], if it exists. O(its index) if the facts of its
    /// file are not cached.
    pub fn symbol(&self, at: SymbolAt) -> Result<Option<CatalogSymbol>> {
        let in_facts = |facts: Arc<FileFacts>| CatalogSymbol::in_facts(facts, at.place as usize);
        if let Some(held) = self.overlay.get(&at.file) {
            return Ok(held.facts().and_then(in_facts));
        }
        if let Some(facts) = self.cache.facts.get(&at.file) {
            return Ok(in_facts(facts));
        }
        if let Some(kept) = self.cache.symbols.get(&at) {
            return Ok(Some(CatalogSymbol::Alone(kept)));
        }
        let Some((segment, doc)) = self.place(at.file) else { return Ok(None) };
        let found = self.segments[segment].symbol(doc, at.place, self.path(at.file))?;
        // Files in unknown languages have no facts.
        let found = found.filter(|(doc, _)| doc.language.is_some());
        Ok(found.map(|(_, symbol)| {
            let symbol = Arc::new(symbol);
            self.cache.symbols.insert(at, Arc::clone(&symbol));
            CatalogSymbol::Alone(symbol)
        }))
    }

    /// Returns the symbols, imports and package of a file, if it is indexed and in a known
    /// language. Signatures and documentation are empty; they are read from the text.
    pub fn facts(&self, file: FileId) -> Result<Option<Arc<FileFacts>>> {
        if let Some(held) = self.overlay.get(&file) {
            return Ok(held.facts());
        }
        if let Some(facts) = self.cache.facts.get(&file) {
            return Ok(Some(facts));
        }
        let Some(facts) = self.indexed_facts(file)?.map(Arc::new) else { return Ok(None) };
        self.cache.facts.insert(file, Arc::clone(&facts));
        Ok(Some(facts))
    }

    /// Returns the name of the extractor of the user's own that a file's facts come from, if one does.
    pub fn extractor_of(&self, file: FileId) -> Option<&str> {
        let path = String::from_utf8_lossy(self.path(file));
        self.parsers.extractors().of(&path).map(|extractor| extractor.name.as_str())
    }

    /// Returns a file's facts as [`Catalog::facts`] does; extracts them from the text if the file
    /// is not indexed. O(text) for such a file, the first time.
    pub fn facts_now(&self, file: FileId) -> Result<Option<Arc<FileFacts>>> {
        let known = self.facts(file)?.or_else(|| self.cache.made.get(&file));
        if known.is_some() || self.missing.binary_search(&file).is_err() {
            return Ok(known);
        }
        let path = self.path(file);
        let Some(text) = self.read(file, Limits::DEFAULT.bytes_max + 1) else { return Ok(None) };
        let extractors = self.parsers.extractors();
        let Some(language) = extractors.language_of(path, text.original()) else { return Ok(None) };
        let path = String::from_utf8_lossy(path).into_owned();
        let hash = xxh3_128(text.original());
        let facts = self.parsers.facts(language, &path, text.original(), hash)?;
        let facts = Arc::new(FileFacts::new(path, language, facts));
        self.cache.made.insert(file, Arc::clone(&facts));
        Ok(Some(facts))
    }

    /// Returns the definitions of any text, as if it were the content of the file at `path`. O(text).
    ///
    /// # Errors
    ///
    /// As [`Parsers::facts`].
    pub fn outline(&self, language: &'static Language, path: &str, text: &[u8]) -> Result<Outline> {
        self.parsers.outline(language, path, text)
    }

    fn indexed_facts(&self, file: FileId) -> Result<Option<FileFacts>> {
        let Some((segment, at)) = self.place(file) else { return Ok(None) };
        let segment = &self.segments[segment];
        let Some(language) = segment.doc(at)?.language else { return Ok(None) };
        let symbols = segment.symbols(at, self.path(file))?;
        let (package, imports) = segment.imports(at)?;
        let path = String::from_utf8_lossy(self.path(file)).into_owned();
        let facts = Facts { symbols, imports, package, ..Facts::default() };
        Ok(Some(FileFacts::new(path, language, facts)))
    }

    /// Returns the import resolver. O(files), the first time.
    pub fn resolver(&self) -> &Resolver {
        self.cache.resolver.get_or_init(|| {
            let paths: Vec<&[u8]> = (0..self.files.len()).map(|at| self.files.path(at)).collect();
            let texts: Vec<(FileId, Text)> = (0..paths.len())
                .filter(|&at| is_manifest(paths[at]) && self.files.info(at).may_be_read())
                .filter_map(|at| {
                    let bytes_max = manifest_bytes_max(paths[at])?;
                    Some((FileId::new(at), self.read(FileId::new(at), bytes_max + 1)?))
                })
                .collect();
            let manifests: Vec<(FileId, &[u8])> =
                texts.iter().map(|(file, text)| (*file, &**text)).collect();
            let packages: Vec<(FileId, String)> = (0..paths.len())
                .filter_map(|at| Some((FileId::new(at), self.package(FileId::new(at))?)))
                .collect();
            let packages: Vec<(FileId, &str)> =
                packages.iter().map(|(file, package)| (*file, package.as_str())).collect();
            Resolver::new(&paths, &manifests).with_packages(&packages)
        })
    }

    fn package(&self, file: FileId) -> Option<String> {
        if let Some(held) = self.overlay.get(&file) {
            return held.facts()?.package.clone();
        }
        let (segment, at) = self.place(file)?;
        let segment = &self.segments[segment];
        let doc = segment.doc(at).inspect_err(|error| self.note_damage(error)).ok()?;
        segment.package(&doc)
    }

    fn place(&self, file: FileId) -> Option<(usize, u32)> {
        self.doc_map.doc(file.index())
    }

    fn owner(&self, segment: usize, doc: u32) -> Option<FileId> {
        self.doc_map.file(segment, doc).map(FileId)
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalog").field("segments", &self.segments.len()).finish_non_exhaustive()
    }
}
