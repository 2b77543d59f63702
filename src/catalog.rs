//! The catalog: what is known of the files of a tree at one moment, from the parts of the code index
//! and, for files that these do not speak of, from their text.
//!
//! A catalog stands behind [`crate::graph::link::Code`], so that the linker asks it, and answers the
//! look-ups of tools. It never changes; after an edit a new one is made, whose [`overlay`] holds the
//! facts of the files that differ. Files are named by their place in the list of files.

pub mod imports;
mod linking;
pub mod names;
pub mod overlay;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

use crate::base::ids::FileId;
use crate::engine::FileList;
use crate::error::Result;
use crate::graph::imports::{Resolution, Resolver, is_manifest, manifest_bytes_max};
use crate::graph::link::{FileFacts, Site, SymbolAt};
use crate::index::code::places::Places;
use crate::index::code::{Part, keys};
use crate::lang::facts::{Facts, Reference};
use crate::lang::{Language, Limits, Marks};
use imports::ImportGraph;
use names::Names;
use overlay::Held;

/// Facts of files that are kept once they were asked for.
const KEPT_MAX: usize = 4096;

/// Reads the bytes of a file at a repository path, up to a number of them.
pub type ReadFile = Box<dyn Fn(&[u8], usize) -> Option<Vec<u8>> + Send + Sync>;

/// What is known of the files of a tree at one moment.
pub struct Catalog {
    files: Arc<FileList>,
    parts: Arc<Vec<Part>>,
    places: Places,
    held: BTreeMap<FileId, Arc<Held>>,
    missing: Vec<FileId>,
    read: ReadFile,
    resolver: OnceLock<Resolver>,
    names: OnceLock<Names>,
    /// Where imports lead, by file and place, as the linker asked.
    targets: RwLock<HashMap<(FileId, usize), Resolution>>,
    /// The files of the same package, by file.
    packages: RwLock<HashMap<FileId, Arc<Vec<FileId>>>>,
    imports: OnceLock<ImportGraph>,
    ranks: OnceLock<Vec<f32>>,
    kept: RwLock<HashMap<FileId, Arc<FileFacts>>>,
    /// A part turned out to be damaged.
    is_damaged: AtomicBool,
}

/// A word's place: a file, and how often it occurs there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct WordIn {
    /// The file.
    pub file: FileId,
    /// How often it occurs.
    pub count: u32,
}

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileSummary {
    /// Its language.
    pub language: Option<&'static Language>,
    /// What its path and head tell of it.
    pub marks: Marks,
    /// How many lines it has.
    pub lines: u32,
    /// How many symbols it has.
    pub symbols: u32,
}

impl Catalog {
    /// Puts a catalog of `files` together: from `parts`, as far as they speak of the files as they
    /// are now, and from what is `held` of others. O(files).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] where a part is damaged.
    pub fn new(
        files: Arc<FileList>,
        parts: Arc<Vec<Part>>,
        held: BTreeMap<FileId, Arc<Held>>,
        read: ReadFile,
    ) -> Result<Catalog> {
        let mut places = Places::new(&parts, files.len(), |at| {
            let info = files.info(at);
            Ok((files.path(at), info.is_as_indexed().then_some(info.hash)))
        })?;
        let mut missing = Vec::new();
        for at in 0..files.len() {
            let file = FileId::new(at);
            if held.contains_key(&file) {
                places.hide(at);
            } else if places.of_file(at).is_none() && files.info(at).may_be_read() {
                missing.push(file);
            }
        }
        Ok(Catalog {
            files,
            parts,
            places,
            held,
            missing,
            read,
            resolver: OnceLock::new(),
            names: OnceLock::new(),
            targets: RwLock::new(HashMap::new()),
            packages: RwLock::new(HashMap::new()),
            imports: OnceLock::new(),
            ranks: OnceLock::new(),
            kept: RwLock::new(HashMap::new()),
            is_damaged: AtomicBool::new(false),
        })
    }

    /// Returns the files, in path order; an id is a place in this list.
    pub fn files(&self) -> &FileList {
        &self.files
    }

    /// Returns the files of which nothing is known, in path order.
    pub fn missing(&self) -> &[FileId] {
        &self.missing
    }

    /// Returns true if a part turned out to be damaged: what was answered since may be incomplete,
    /// and is to be asked again of a catalog without parts.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Returns a file's repository path.
    pub fn path(&self, file: FileId) -> &[u8] {
        self.files.path(file.index())
    }

    /// Returns the file's bytes, up to `bytes_max`, if they can be read.
    pub fn read(&self, file: FileId, bytes_max: usize) -> Option<Vec<u8>> {
        (self.read)(self.path(file), bytes_max)
    }

    /// Returns what is known of a file without reading it, if it is known at all. O(1).
    pub fn summary(&self, file: FileId) -> Result<Option<FileSummary>> {
        if let Some(held) = self.held.get(&file) {
            return Ok(Some(held.summary()));
        }
        let Some((part, doc)) = self.place(file) else { return Ok(None) };
        let doc = self.parts[part].doc(doc)?;
        Ok(Some(FileSummary {
            language: doc.language,
            marks: Marks::from_bits(doc.marks),
            lines: doc.lines,
            symbols: doc.symbols,
        }))
    }

    /// Returns the symbols that have a key (see [`keys`]), by file and place. O(log keys + symbols).
    pub fn defined(&self, key: &[u8]) -> Result<Vec<SymbolAt>> {
        let mut found = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            for (doc, place) in part.defined(key)? {
                found.extend(self.owner(number, doc).map(|file| SymbolAt { file, place }));
            }
        }
        for (&file, held) in &self.held {
            found.extend(held.defined(key).iter().map(|&place| SymbolAt { file, place }));
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Calls `see` with each name with a prefix that is defined somewhere, in no order and perhaps
    /// more than once, until it returns false; the definition may be gone since. O(such names).
    pub fn each_name(&self, prefix: &[u8], mut see: impl FnMut(&[u8]) -> bool) -> Result<()> {
        let start = prefix.max(keys::NAMES_FROM);
        let mut goes_on = true;
        for part in self.parts.iter() {
            if goes_on {
                part.walk_defined(start, |entry| {
                    let fits = entry.name.starts_with(prefix);
                    goes_on = !fits || see(&entry.name);
                    fits && goes_on
                })?;
            }
        }
        for held in self.held.values() {
            for name in held.names().filter(|name| *name >= start && name.starts_with(prefix)) {
                goes_on = goes_on && see(name);
            }
        }
        Ok(())
    }

    /// Returns all names that are defined, ready for fuzzy look-ups. O(names), the first time.
    pub fn names(&self) -> Result<&Names> {
        if let Some(names) = self.names.get() {
            return Ok(names);
        }
        let mut names = BTreeSet::new();
        self.each_name(b"", |name| {
            if !names.contains(name) {
                names.insert(name.to_vec());
            }
            true
        })?;
        Ok(self.names.get_or_init(|| Names::new(names)))
    }

    /// Returns every use of `name`, by file and place. O(log names + uses).
    pub fn uses(&self, name: &str) -> Result<Vec<Site>> {
        let mut found = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            for site in part.sites(name.as_bytes())? {
                let Some(file) = self.owner(number, site.doc) else { continue };
                let start = site.start as usize;
                let reference = Reference {
                    span: start..start + name.len(),
                    role: site.role,
                    receiver: site.receiver,
                    enclosing: site.enclosing.map(|place| place as usize),
                    arguments: site.arguments,
                };
                found.push(Site { file, reference });
            }
        }
        for (&file, held) in &self.held {
            let uses = held.uses(name).cloned();
            found.extend(uses.map(|reference| Site { file, reference }));
        }
        found.sort_by_key(|site| (site.file, site.reference.span.start, site.reference.role));
        Ok(found)
    }

    /// Returns the files that hold `word` and how often, in path order. O(log words + files).
    pub fn word(&self, word: &str) -> Result<Vec<WordIn>> {
        let mut found = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            for (doc, count) in part.word(word.as_bytes())? {
                found.extend(self.owner(number, doc).map(|file| WordIn { file, count }));
            }
        }
        for (&file, held) in &self.held {
            found.extend(held.word(word).map(|count| WordIn { file, count }));
        }
        found.sort_unstable_by_key(|word| word.file);
        Ok(found)
    }

    /// Returns the symbols, imports and package of a file, if it is known and in a known language.
    /// Signatures and documentation are empty; they stand in the text.
    pub fn facts(&self, file: FileId) -> Result<Option<Arc<FileFacts>>> {
        if let Some(held) = self.held.get(&file) {
            return Ok(held.facts());
        }
        if let Ok(kept) = self.kept.read()
            && let Some(facts) = kept.get(&file)
        {
            return Ok(Some(Arc::clone(facts)));
        }
        let Some(facts) = self.indexed_facts(file)?.map(Arc::new) else { return Ok(None) };
        self.keep(file, &facts);
        Ok(Some(facts))
    }

    /// Returns a file's facts as [`Catalog::facts`] does; of a file that is not known yet, they are
    /// made of its text. O(text) for such a file, the first time.
    pub fn facts_now(&self, file: FileId) -> Result<Option<Arc<FileFacts>>> {
        let known = self.facts(file)?;
        if known.is_some() || self.missing.binary_search(&file).is_err() {
            return Ok(known);
        }
        let path = self.path(file);
        let Some(text) = self.read(file, Limits::DEFAULT.bytes_max + 1) else { return Ok(None) };
        let named = crate::base::path::to_path(path);
        let Some(language) = crate::lang::detect(&named, &text) else { return Ok(None) };
        let path = String::from_utf8_lossy(path).into_owned();
        let facts = crate::lang::facts(language, &path, &text, Limits::DEFAULT);
        let facts = Arc::new(FileFacts::new(path, language, facts));
        self.keep(file, &facts);
        Ok(Some(facts))
    }

    fn keep(&self, file: FileId, facts: &Arc<FileFacts>) {
        if let Ok(mut kept) = self.kept.write() {
            if kept.len() >= KEPT_MAX {
                kept.clear();
            }
            kept.insert(file, Arc::clone(facts));
        }
    }

    fn indexed_facts(&self, file: FileId) -> Result<Option<FileFacts>> {
        let Some((part, at)) = self.place(file) else { return Ok(None) };
        let part = &self.parts[part];
        let Some(language) = part.doc(at)?.language else { return Ok(None) };
        let symbols = part.symbols(at, self.path(file))?;
        let (package, imports) = part.imports(at)?;
        let path = String::from_utf8_lossy(self.path(file)).into_owned();
        let facts = Facts { symbols, imports, package, ..Facts::default() };
        Ok(Some(FileFacts::new(path, language, facts)))
    }

    /// Returns where imports lead. O(files), the first time.
    pub fn resolver(&self) -> &Resolver {
        self.resolver.get_or_init(|| {
            let paths: Vec<&[u8]> = (0..self.files.len()).map(|at| self.files.path(at)).collect();
            let texts: Vec<(FileId, Vec<u8>)> = (0..paths.len())
                .filter(|&at| is_manifest(paths[at]) && self.files.info(at).may_be_read())
                .filter_map(|at| {
                    let bytes_max = manifest_bytes_max(paths[at])?;
                    Some((FileId::new(at), (self.read)(paths[at], bytes_max)?))
                })
                .collect();
            let manifests: Vec<(FileId, &[u8])> =
                texts.iter().map(|(file, text)| (*file, text.as_slice())).collect();
            let packages: Vec<(FileId, String)> = (0..paths.len())
                .filter_map(|at| Some((FileId::new(at), self.package(FileId::new(at))?)))
                .collect();
            let packages: Vec<(FileId, &str)> =
                packages.iter().map(|(file, package)| (*file, package.as_str())).collect();
            Resolver::new(&paths, &manifests).with_packages(&packages)
        })
    }

    fn package(&self, file: FileId) -> Option<String> {
        if let Some(held) = self.held.get(&file) {
            return held.facts()?.package.clone();
        }
        let (part, at) = self.place(file)?;
        let part = &self.parts[part];
        part.package(&part.doc(at).ok()?)
    }

    fn place(&self, file: FileId) -> Option<(usize, u32)> {
        self.places.of_file(file.index())
    }

    fn owner(&self, part: usize, doc: u32) -> Option<FileId> {
        self.places.of_doc(part, doc).map(FileId)
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalog").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}
