//! The facts of one file in memory, with the same look-ups as a segment.

use std::collections::HashMap;
use std::sync::Arc;

use super::FileSummary;
use super::extract::Extract;
use super::interface::interface;
use crate::graph::link::FileFacts;
use crate::index::code::keys;
use crate::lang::facts::{Facts, Reference, Role};
use crate::lang::words::unescaped;
use crate::lang::{Language, Marks, Problem};

/// The facts of one file, in memory.
pub struct OverlayFile {
    hash: u128,
    interface: Option<u128>,
    language: Option<&'static Language>,
    marks: Marks,
    lines: u32,
    lost_by: Option<Problem>,
    first_error_line: u32,
    facts: Option<Arc<FileFacts>>,
    references: Vec<Reference>,
    /// Indices of symbols by key.
    defined: HashMap<Vec<u8>, Vec<u32>>,
    /// Indices of references by name.
    used: HashMap<String, Vec<u32>>,
    /// Number of occurrences of each word, and whether one is in a syntax error.
    words: HashMap<Vec<u8>, (u32, bool)>,
}

impl OverlayFile {
    /// Creates the facts from an extract of the file at a repository path. O(its facts).
    pub fn new(path: &[u8], mut extract: Extract) -> OverlayFile {
        let mut file = OverlayFile {
            hash: extract.hash,
            interface: None,
            language: extract.language,
            marks: Marks::from_bits(extract.marks),
            lines: extract.lines(),
            lost_by: extract.facts.problems.keys().rev().copied().find(|of| of.loses_definitions()),
            first_error_line: u32::try_from(extract.facts.errors.first_line).unwrap_or(u32::MAX),
            facts: None,
            references: Vec::new(),
            defined: HashMap::new(),
            used: HashMap::new(),
            words: HashMap::new(),
        };
        for word in extract.words() {
            file.words.insert(word.text.to_vec(), (word.count, word.is_in_error));
        }
        let mut facts: Facts = std::mem::take(&mut extract.facts);
        file.references = std::mem::take(&mut facts.references);
        for (place, reference) in file.references.iter().enumerate() {
            let Some(name) = extract.text.get(reference.span.clone()) else { continue };
            let name = String::from_utf8_lossy(name);
            let name = unescaped(&name).into_owned();
            file.used.entry(name).or_default().push(place as u32);
        }
        keys::each(&facts.symbols, |key, place| {
            let places = file.defined.entry(key.to_vec()).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        });
        let path = String::from_utf8_lossy(path).into_owned();
        file.facts = extract.language.map(|of| Arc::new(FileFacts::new(path, of, facts)));
        file.interface = file.facts.as_ref().and_then(|facts| interface(facts, &extract.text));
        file
    }

    pub(super) fn summary(&self) -> FileSummary {
        let symbols = self.facts.as_ref().map_or(0, |facts| facts.symbols.len() as u32);
        FileSummary {
            language: self.language,
            marks: self.marks,
            lines: self.lines,
            symbols,
            first_error_line: self.first_error_line,
        }
    }

    /// Returns the hash of the text that the facts were made of.
    pub(super) fn hash(&self) -> u128 {
        self.hash
    }

    /// Returns the hash of what names in other files depend on; see [`mod@super::interface`].
    pub(super) fn interface(&self) -> Option<u128> {
        self.interface
    }

    /// Returns the worst problem by which definitions are missing, if there is one.
    pub(super) fn lost_by(&self) -> Option<Problem> {
        self.lost_by
    }

    pub(super) fn facts(&self) -> Option<Arc<FileFacts>> {
        self.facts.clone()
    }

    pub(super) fn defined(&self, key: &[u8]) -> &[u32] {
        self.defined.get(key).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &[u8]> {
        let symbols = self.facts.iter().flat_map(|facts| &facts.symbols);
        symbols.map(|symbol| symbol.name.as_bytes())
    }

    pub(super) fn uses(&self, name: &str) -> impl Iterator<Item = &Reference> {
        let places = self.used.get(name).map(Vec::as_slice).unwrap_or_default();
        places.iter().map(|&place| &self.references[place as usize])
    }

    /// Returns the calls and the names that they call, in no particular order.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&str, &Reference)> {
        let uses = self.used.iter().flat_map(move |(name, places)| {
            places.iter().map(move |&place| (name.as_str(), &self.references[place as usize]))
        });
        uses.filter(|(_, reference)| reference.role == Role::Call)
    }

    pub(super) fn word(&self, word: &str) -> Option<(u32, bool)> {
        self.words.get(word.as_bytes()).copied()
    }
}

impl std::fmt::Debug for OverlayFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OverlayFile").field("lines", &self.lines).finish_non_exhaustive()
    }
}
