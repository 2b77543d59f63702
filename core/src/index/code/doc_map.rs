//! Maps the files of a tree to documents of code segments, and back.

use rustc_hash::FxHashMap;

use super::reader::{CodeSegment, path_hash};
use crate::error::Result;

/// Marks a file without a segment, or a document without a file.
const NONE: u32 = u32::MAX;

/// For each file of a list, the segment and document with its current facts; and the reverse.
#[derive(Debug, Default)]
pub struct DocMap {
    /// The segment and document of each file, `NONE` if no segment has its current facts.
    docs_of_files: Vec<(u32, u32)>,
    /// The file of each document of each segment, `NONE` if it changed or was deleted.
    files_of_docs: Vec<Vec<u32>>,
}

impl DocMap {
    /// Matches documents with files by path and content hash. `file` returns the path of file
    /// number 0 to `files - 1` and its content hash, or `None` as the hash if the file must not
    /// match. If several segments match, the last one wins. O(files + documents).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if a segment is damaged, and those of `file`.
    pub fn new<'f, P: AsRef<[u8]> + 'f>(
        segments: &[CodeSegment],
        files: usize,
        file: impl Fn(usize) -> Result<(P, Option<u128>)>,
    ) -> Result<DocMap> {
        let mut by_path: FxHashMap<u64, u32> =
            FxHashMap::with_capacity_and_hasher(files, Default::default());
        let mut hashes = Vec::with_capacity(files);
        for at in 0..files {
            let (path, hash) = file(at)?;
            by_path.insert(path_hash(path.as_ref()), at as u32);
            hashes.push(hash);
        }
        let mut docs_of_files = vec![(NONE, 0); files];
        let mut files_of_docs = Vec::with_capacity(segments.len());
        for (number, segment) in segments.iter().enumerate() {
            let mut owners = vec![NONE; segment.docs() as usize];
            for doc in 0..segment.docs() {
                let of = segment.doc(doc)?;
                let Some(&at) = by_path.get(&of.path_hash) else { continue };
                if hashes[at as usize] == Some(of.hash) {
                    owners[doc as usize] = at;
                    docs_of_files[at as usize] = (number as u32, doc);
                }
            }
            files_of_docs.push(owners);
        }
        Ok(DocMap { docs_of_files, files_of_docs })
    }

    /// Returns the segment and document of file number `at`. O(1).
    pub fn doc(&self, at: usize) -> Option<(usize, u32)> {
        let &(segment, doc) = self.docs_of_files.get(at)?;
        (segment != NONE).then_some((segment as usize, doc))
    }

    /// Returns the file of a document, or `None` if the document is stale or a later segment
    /// replaces it. O(1).
    pub fn file(&self, segment: usize, doc: u32) -> Option<u32> {
        let file = *self.files_of_docs.get(segment)?.get(doc as usize)?;
        (self.docs_of_files.get(file as usize) == Some(&(segment as u32, doc))).then_some(file)
    }

    /// Returns true if every document of `segment` is current. O(documents).
    pub fn is_current(&self, segment: usize) -> bool {
        let docs = self.files_of_docs.get(segment).map_or(0, Vec::len);
        (0..docs).all(|doc| self.file(segment, doc as u32).is_some())
    }

    /// Removes file number `at` from the map.
    pub fn hide(&mut self, at: usize) {
        if let Some(place) = self.docs_of_files.get_mut(at) {
            *place = (NONE, 0);
        }
    }
}
