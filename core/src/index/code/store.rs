//! Publication of the segments of the code index.
//!
//! ```text
//! code.lock                 held by the one process that writes
//! code-<n>.json             manifest of publication n: its segments and their checksums
//! code-segment-<n>-<i>.idx  segment i that publication n added
//! ```
//!
//! The files are in the index directory, next to those of the search index, and are published in
//! the same way: new files first, the manifest last. The code index may be older than the search
//! index. A reader therefore matches paths and content hashes ([`super::doc_map`]), which also
//! yields the files that no segment covers.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::reader::CodeSegment;
use crate::error::{Error, Kind, Result};
use crate::index::format;
use crate::index::map::Map;
use crate::index::store::{LockRole, Store, WriterLock, seal, unseal};
use crate::lang::language::LANGUAGES;

/// Increases whenever extraction gives different facts for the same text, so that older segments
/// are rebuilt.
const FACTS_VERSION: u32 = 63;

/// Maximum number of segments in a publication.
pub const SEGMENTS_MAX: usize = 31;

/// How often a reader retries when files disappear because a writer published.
const ATTEMPTS: usize = 10;

/// The contents of a publication.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct CodeManifest {
    /// [`format::VERSION`].
    pub format: u32,
    /// [`builder`] of the program that wrote the segments.
    pub builder: String,
    /// Counts up from 1.
    pub number: u64,
    /// The generation of the search index whose files were read.
    pub generation: u64,
    /// File names of the segments, oldest first.
    pub segments: Vec<String>,
    /// The number of leading segments that form the base; refreshes added the others.
    pub base: usize,
    /// Checksums of the segments.
    pub checksums: Vec<u32>,
}

/// Returns the identity of the fact extraction: programs with equal identities extract the same
/// facts from the same text. Builds with other parsers have other identities.
pub fn builder() -> String {
    let mut names = String::new();
    for language in LANGUAGES {
        names.push_str(language.name);
        names.push(if language.has_parser() { '\n' } else { '-' });
    }
    format!("{}-{FACTS_VERSION}-{:016x}", env!("CARGO_PKG_VERSION"), xxh3_64(names.as_bytes()))
}

/// An opened publication.
#[derive(Debug)]
pub struct CodeIndex {
    /// The segments, oldest first.
    pub segments: Vec<CodeSegment>,
    /// The manifest of the publication.
    pub manifest: CodeManifest,
}

/// The code index of an index directory.
#[derive(Clone, Copy, Debug)]
pub struct CodeStore<'a>(pub &'a Store);

/// The segments of a publication to be made.
#[derive(Debug)]
pub struct NewSegments {
    /// From [`CodeStore::next_number`].
    pub number: u64,
    /// Names of earlier segments that remain.
    pub kept: Vec<String>,
    /// The number of leading segments in `kept` that belong to the base.
    pub kept_base: usize,
    /// The number of new segments, written to [`CodeStore::segment_path`].
    pub added: usize,
    /// True if the new segments form the base.
    pub is_base: bool,
    /// The generation whose files were read.
    pub generation: u64,
}

impl CodeStore<'_> {
    /// Opens the newest publication, or returns `None` if there is none by this builder.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] with the path of the damaged file.
    pub fn open(&self) -> Result<Option<CodeIndex>> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let Some(manifest) = self.newest()? else { return Ok(None) };
            match self.open_segments(manifest) {
                Ok(code) => return Ok(Some(code)),
                Err(error) if error.kind() == Kind::NotFound => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        match last {
            Some(error) => Err(Error::new(Kind::Corrupt, "index file is missing")
                .with_path(error.path().unwrap_or(self.0.dir()))),
            None => Ok(None),
        }
    }

    /// Returns the newest manifest, or `None` if it is not by this builder or does not exist.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] if it is damaged.
    pub fn newest(&self) -> Result<Option<CodeManifest>> {
        Ok(self.newest_of_any()?.filter(|manifest| manifest.builder == builder()))
    }

    /// Returns true if a code index was ever built, even if it is damaged or in the directory of
    /// another version of the program.
    pub fn was_built(&self) -> bool {
        let has_code = |dir| !CodeStore(&Store::new(dir, self.0.on_heap())).numbers().is_empty();
        !self.numbers().is_empty() || self.0.neighbours().into_iter().any(has_code)
    }

    /// Returns the newest manifest of any builder.
    fn newest_of_any(&self) -> Result<Option<CodeManifest>> {
        self.newest_listed(|| self.numbers())
    }

    /// Returns the newest manifest among the numbers that `list` returns. Lists again if none can
    /// be read: while a writer publishes, a listing may be empty or name only removed files.
    fn newest_listed(&self, mut list: impl FnMut() -> Vec<u64>) -> Result<Option<CodeManifest>> {
        for _ in 0..ATTEMPTS {
            let mut numbers = list();
            numbers.sort_unstable_by(|a, b| b.cmp(a));
            for number in numbers {
                if let Some(manifest) = self.manifest(number)? {
                    return Ok(Some(manifest));
                }
            }
        }
        Ok(None)
    }

    /// Reads the manifest of publication `number`, or returns `None` if it does not exist.
    fn manifest(&self, number: u64) -> Result<Option<CodeManifest>> {
        let path = self.manifest_path(number);
        let Some(bytes) = Map::read(&path)? else { return Ok(None) };
        let manifest = std::str::from_utf8(&bytes).ok().and_then(parse);
        match manifest.filter(|manifest| manifest.number == number) {
            Some(manifest) => Ok(Some(manifest)),
            None => Err(Error::corrupt(&path, "manifest of the code index is damaged")),
        }
    }

    fn open_segments(&self, manifest: CodeManifest) -> Result<CodeIndex> {
        let on_heap = self.0.on_heap();
        let mut segments = Vec::with_capacity(manifest.segments.len());
        for (name, checksum) in manifest.segments.iter().zip(&manifest.checksums) {
            let segment = CodeSegment::open(&self.0.dir().join(name), on_heap)?;
            if segment.container().checksum() != *checksum {
                return Err(segment
                    .container()
                    .corrupt("segments of the code index do not belong together"));
            }
            segments.push(segment);
        }
        Ok(CodeIndex { segments, manifest })
    }

    /// Takes the lock for writing segments, without waiting, and removes the leftovers of a killed
    /// writer.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] while another process holds the lock.
    pub fn lock(&self) -> Result<WriterLock> {
        let lock = self.0.lock_as(LockRole::CodeWriter)?;
        self.tidy(&lock);
        Ok(lock)
    }

    /// Removes files that belong to no publication: unfinished ones, and segments that the newest
    /// manifest does not name. If that manifest is damaged, segments stay until the next
    /// publication.
    pub fn tidy(&self, _lock: &WriterLock) {
        let newest = self.newest_of_any();
        let is_named = |name: &str| match &newest {
            Ok(Some(manifest)) => manifest.segments.iter().any(|segment| segment == name),
            Ok(None) => false,
            Err(_) => true,
        };
        self.0.remove_where(|name| {
            let is_segment = name.starts_with("code-segment-") && name.ends_with(".idx");
            let is_unfinished = name.starts_with("code-") && name.ends_with(".new");
            is_unfinished || is_segment && !is_named(name)
        });
    }

    /// Returns the number of the next publication.
    pub fn next_number(&self) -> u64 {
        let of_segments = self.names().into_iter().filter_map(|name| {
            let rest = name.strip_prefix("code-segment-")?;
            rest.split('-').next()?.parse::<u64>().ok()
        });
        self.numbers().into_iter().chain(of_segments).max().unwrap_or(0) + 1
    }

    /// Returns the temporary path of new segment `i` of publication `number`.
    pub fn segment_path(&self, number: u64, i: usize) -> PathBuf {
        self.0.dir().join(format!("code-segment-{number}-{i}.idx.new"))
    }

    /// Publishes segments, then removes those that are no longer referenced.
    ///
    /// # Errors
    ///
    /// Those of [`WriterLock::check`]; [`Kind::Io`] if a file cannot be written.
    /// [`CodeStore::tidy`] then removes the remains.
    pub fn publish(&self, lock: &WriterLock, new: NewSegments) -> Result<CodeManifest> {
        lock.check()?;
        let dir = self.0.dir();
        let mut names = new.kept.clone();
        for i in 0..new.added {
            let name = format!("code-segment-{}-{i}.idx", new.number);
            let target = dir.join(&name);
            fs::rename(self.segment_path(new.number, i), &target)
                .map_err(|error| Error::io(&target, error))?;
            names.push(name);
        }
        let mut checksums = Vec::with_capacity(names.len());
        for name in &names {
            checksums.push(format::checksum(&dir.join(name))?);
        }
        let manifest = CodeManifest {
            format: format::VERSION,
            builder: builder(),
            number: new.number,
            generation: new.generation,
            base: if new.is_base { new.added } else { new.kept_base },
            segments: names,
            checksums,
        };
        let body = serde_json::to_string(&manifest)
            .map_err(|error| Error::new(Kind::Io, error.to_string()))?;
        let name = format!("code-{}.json", new.number);
        self.0.place_through(&name, "new", seal(&body).as_bytes())?;
        self.0.remove_where(|other| {
            let kept = other == name
                || other == "code.lock"
                || manifest.segments.iter().any(|segment| segment == other);
            other.starts_with("code-") && !kept
        });
        Ok(manifest)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.dir()).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    fn numbers(&self) -> Vec<u64> {
        let number =
            |name: &String| name.strip_prefix("code-")?.strip_suffix(".json")?.parse::<u64>().ok();
        self.names().iter().filter_map(number).collect()
    }

    fn manifest_path(&self, number: u64) -> PathBuf {
        self.0.dir().join(format!("code-{number}.json"))
    }
}

fn parse(text: &str) -> Option<CodeManifest> {
    let manifest: CodeManifest = serde_json::from_str(unseal(text)?).ok()?;
    // A manifest may have been forged, so its names must not lead out of the directory.
    let plain = |name: &String| {
        !name.contains(['/', '\\']) && name.starts_with("code-") && name.ends_with(".idx")
    };
    let sound = manifest.format == format::VERSION
        && manifest.segments.len() <= SEGMENTS_MAX
        && manifest.base <= manifest.segments.len()
        && manifest.checksums.len() == manifest.segments.len()
        && manifest.segments.iter().all(plain);
    sound.then_some(manifest)
}

#[cfg(test)]
mod tests;
