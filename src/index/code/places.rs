//! Which file of a list each part speaks of, and the other way round.

use std::collections::HashMap;

use super::identity::BuildIdentity;
use super::reader::{Part, path_hash};
use crate::error::Result;

/// No part, or no file.
const NONE: u32 = u32::MAX;

/// For each file of a list the part and place that speak of it.
#[derive(Debug, Default)]
pub struct Places {
    of_files: Vec<(u32, u32)>,
    of_parts: Vec<Vec<u32>>,
}

impl Places {
    /// Matches `parts` with a list of `files` files in path order; `file` returns the path of one
    /// and the hash of its content, or no hash where no part can speak of it. Of several parts that
    /// speak of a file the last one counts. O(files + files of the parts).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] where a part is damaged, and those of `file`.
    pub fn new<'f, P: AsRef<[u8]> + 'f>(
        parts: &[Part],
        files: usize,
        file: impl Fn(usize) -> Result<(P, Option<u128>)>,
    ) -> Result<Places> {
        let mut by_path: HashMap<u64, u32, BuildIdentity> =
            HashMap::with_capacity_and_hasher(files, BuildIdentity);
        let mut hashes = Vec::with_capacity(files);
        for at in 0..files {
            let (path, hash) = file(at)?;
            by_path.insert(path_hash(path.as_ref()), at as u32);
            hashes.push(hash);
        }
        let mut of_files = vec![(NONE, 0); files];
        let mut of_parts = Vec::with_capacity(parts.len());
        for (number, part) in parts.iter().enumerate() {
            let mut owners = vec![NONE; part.docs() as usize];
            for doc in 0..part.docs() {
                let of = part.doc(doc)?;
                let Some(&at) = by_path.get(&of.path_hash) else { continue };
                if hashes[at as usize] == Some(of.hash) {
                    owners[doc as usize] = at;
                    of_files[at as usize] = (number as u32, doc);
                }
            }
            of_parts.push(owners);
        }
        Ok(Places { of_files, of_parts })
    }

    /// Returns the part, and the place in it, that speak of the `at`th file. O(1).
    pub fn of_file(&self, at: usize) -> Option<(usize, u32)> {
        let &(part, doc) = self.of_files.get(at)?;
        (part != NONE).then_some((part as usize, doc))
    }

    /// Returns the file that the `doc`th of `part` is, unless another part speaks of it, or none. O(1).
    pub fn of_doc(&self, part: usize, doc: u32) -> Option<u32> {
        let file = *self.of_parts.get(part)?.get(doc as usize)?;
        (self.of_files.get(file as usize) == Some(&(part as u32, doc))).then_some(file)
    }

    /// Returns true if every file that `part` speaks of is there as it says. O(its files).
    pub fn is_whole(&self, part: usize) -> bool {
        let docs = self.of_parts.get(part).map_or(0, Vec::len);
        (0..docs).all(|doc| self.of_doc(part, doc as u32).is_some())
    }

    /// Forgets what parts say of the `at`th file.
    pub fn hide(&mut self, at: usize) {
        if let Some(place) = self.of_files.get_mut(at) {
            *place = (NONE, 0);
        }
    }
}
