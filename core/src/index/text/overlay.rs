//! Edits since a text index was built: the masked documents of changed and deleted files, and the
//! words of changed files. In memory, small, and cheap to clone.

use std::collections::HashMap;
use std::sync::Arc;

use super::length::{Lengths, Totals};
use super::prepare::Prepared;
use super::reader::TextIndex;
use super::{FIELDS, Field};
use crate::base::bits::Bits;
use crate::base::path::compare;
use crate::error::Result;

/// A text index and the edits on top of it.
#[derive(Clone, Debug)]
pub struct Overlay {
    base: Arc<TextIndex>,
    /// Documents of the index that are no longer live.
    masked: Bits,
    has_masked: bool,
    /// Edited files, in path order.
    files: Vec<Arc<Edited>>,
    live: Totals,
    /// The number of edited files whose words are missing.
    pub left_out: usize,
    /// The inverse document frequencies of stems, where the files are a part of more; see
    /// [`Overlay::with_rarities`].
    rarities: Arc<HashMap<String, f32>>,
}

/// The words of an edited file.
#[derive(Debug)]
pub(super) struct Edited {
    pub(super) path: Vec<u8>,
    /// The number of files of the index that sort before it.
    pub(super) slot: usize,
    pub(super) chunks: Vec<EditedChunk>,
    /// Chunk and frequency of each word, by [`Field::index`]; chunks ascend.
    words: [HashMap<Box<str>, Vec<(u32, u32)>>; FIELDS],
}

/// A chunk of an edited file.
#[derive(Clone, Copy, Debug)]
pub(super) struct EditedChunk {
    pub(super) lines: u16,
    pub(super) lengths: Lengths,
}

impl Edited {
    fn new(prepared: &Prepared, slot: usize) -> Edited {
        let mut words: [HashMap<Box<str>, Vec<(u32, u32)>>; FIELDS] = Default::default();
        let mut chunks = Vec::with_capacity(prepared.chunks.len());
        for (ordinal, chunk) in (0..).zip(&prepared.chunks) {
            chunks.push(EditedChunk { lines: chunk.lines, lengths: chunk.lengths });
            for field in Field::ALL {
                for word in prepared.field(chunk, field).lines() {
                    let words = &mut words[field.index()];
                    let postings = match words.get_mut(word) {
                        Some(postings) => postings,
                        None => words.entry(word.into()).or_default(),
                    };
                    match postings.last_mut() {
                        Some((last, count)) if *last == ordinal => *count += 1,
                        _ => postings.push((ordinal, 1)),
                    }
                }
            }
        }
        Edited { path: prepared.path.clone(), slot, chunks, words }
    }

    /// Returns the ascending chunks with `word` in `field`, and its frequency in each.
    pub(super) fn postings(&self, field: Field, word: &str) -> &[(u32, u32)] {
        self.words[field.index()].get(word).map_or(&[], |postings| postings)
    }
}

impl Overlay {
    /// Returns an overlay without edits.
    pub fn new(base: Arc<TextIndex>) -> Overlay {
        let masked = Bits::new(base.files().documents());
        let live = base.files().totals();
        let rarities = Arc::default();
        Overlay { base, masked, has_masked: false, files: Vec::new(), live, left_out: 0, rarities }
    }

    /// Sets the inverse document frequencies of stems. Files that were chosen by the words of a question
    /// all contain them, so frequencies in these files say nothing.
    #[must_use]
    pub fn with_rarities(self, rarities: HashMap<String, f32>) -> Overlay {
        Overlay { rarities: Arc::new(rarities), ..self }
    }

    /// Returns the inverse document frequency of a stem, if it was set.
    pub(super) fn rarity(&self, stem: &str) -> Option<f32> {
        self.rarities.get(stem).copied()
    }

    /// Replaces the file in the index by `prepared`. O(words of the file + edits).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the base index is damaged.
    pub fn put(&mut self, prepared: &Prepared) -> Result<()> {
        let slot = self.hide(&prepared.path)?;
        let edited = Edited::new(prepared, slot);
        for chunk in &edited.chunks {
            self.live.add(&chunk.lengths);
        }
        let at = self.files.partition_point(|file| compare(&file.path, &edited.path).is_lt());
        self.files.insert(at, Arc::new(edited));
        Ok(())
    }

    /// Masks the file at `path`. O(words of the file + edits).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the base index is damaged.
    pub fn remove(&mut self, path: &[u8]) -> Result<()> {
        self.hide(path).map(|_| ())
    }

    /// Returns the base index.
    pub fn base(&self) -> &TextIndex {
        &self.base
    }

    pub(super) fn files(&self) -> &[Arc<Edited>] {
        &self.files
    }

    pub(super) fn live(&self) -> Totals {
        self.live
    }

    /// Returns true if any document of the index is not live.
    pub(super) fn has_masked(&self) -> bool {
        self.has_masked
    }

    pub(super) fn is_masked(&self, document: usize) -> bool {
        self.has_masked && self.masked.contains(document)
    }

    /// Masks the file at `path` and returns the number of files of the index that sort before it.
    fn hide(&mut self, path: &[u8]) -> Result<usize> {
        if let Ok(at) = self.files.binary_search_by(|file| compare(&file.path, path)) {
            let edited = self.files.remove(at);
            for chunk in &edited.chunks {
                self.live.remove(&chunk.lengths);
            }
            return Ok(edited.slot);
        }
        let (slot, is_there) = self.base.files().find(path)?;
        if is_there {
            let documents = self.base.files().view()?;
            for document in documents.of(slot) {
                if !self.masked.contains(document) {
                    self.masked.insert(document);
                    self.has_masked = true;
                    self.live.remove(&documents.lengths(document));
                }
            }
        }
        Ok(slot)
    }
}
