//! Which segments of the code index there are.
//!
//! ```text
//! code.lock              held by the one process that adds segments
//! code-<n>.json          manifest of the nth publication: its segments and their checksums
//! code-segment-<n>-<i>.idx  segment i that publication n added
//! ```
//!
//! They lie in the index directory beside the files of the search index, are published like those
//! (new files first, the manifest last), and may be behind them: whoever opens them matches paths and
//! content hashes ([`super::doc_map`]), and knows so which files no segment speaks of.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::reader::CodeSegment;
use crate::error::{Error, Kind, Result};
use crate::index::format;
use crate::index::store::{Role, Store, WriterLock, seal, unseal};
use crate::lang::language::LANGUAGES;

/// Changes whenever the same text gives other facts, so that older segments are built again.
const FACTS_VERSION: u32 = 4;

/// Segments of one publication; more are not opened.
pub const SEGMENTS_MAX: usize = 31;

/// How often a reader looks again when files vanish under it because a writer published.
const ATTEMPTS: usize = 10;

/// What a publication consists of.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct CodeManifest {
    /// [`format::VERSION`].
    pub format: u32,
    /// [`builder`] of the program that made the segments.
    pub builder: String,
    /// Counts up from 1.
    pub number: u64,
    /// The generation of the search index that they were made from.
    pub generation: u64,
    /// File names of the segments, oldest first.
    pub segments: Vec<String>,
    /// How many of the segments make up the base; the others were added by refreshes.
    pub base: usize,
    /// Checksums of the segments.
    pub checksums: Vec<u32>,
}

/// Returns what decides which facts a text gives: two builders of the same name give the same.
pub fn builder() -> String {
    let mut names = String::new();
    for language in LANGUAGES {
        names.push_str(language.name);
        names.push('\n');
    }
    format!("{}-{FACTS_VERSION}-{:016x}", env!("CARGO_PKG_VERSION"), xxh3_64(names.as_bytes()))
}

/// The segments of one publication, opened.
#[derive(Debug)]
pub struct CodeIndex {
    /// The segments, oldest first.
    pub segments: Vec<CodeSegment>,
    /// The manifest that named them.
    pub manifest: CodeManifest,
}

/// The code indexes in an index directory.
#[derive(Clone, Copy, Debug)]
pub struct CodeStore<'a>(pub &'a Store);

/// Segments to be published.
#[derive(Debug)]
pub struct NewSegments {
    /// From [`CodeStore::next_number`].
    pub number: u64,
    /// Names of earlier segments that stay.
    pub kept: Vec<String>,
    /// How many of `kept` belong to the base.
    pub kept_base: usize,
    /// How many new segments lie at [`CodeStore::segment_path`].
    pub added: usize,
    /// The new segments are the base.
    pub is_base: bool,
    /// The generation whose files they speak of.
    pub generation: u64,
}

impl CodeStore<'_> {
    /// Opens the newest segments, or returns `None` where there are none, or only such as another
    /// builder made.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] naming the damaged file.
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

    /// Returns the newest manifest, or `None` where there is none of this builder.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] where it is damaged.
    pub fn newest(&self) -> Result<Option<CodeManifest>> {
        Ok(self.newest_of_any()?.filter(|manifest| manifest.builder == builder()))
    }

    /// Returns true if a code index was built: it may be damaged, or, in a directory beside this one,
    /// that of another version of the program.
    pub fn was_built(&self) -> bool {
        let is_beside = |dir| !CodeStore(&Store::new(dir, self.0.on_heap())).numbers().is_empty();
        !self.numbers().is_empty() || self.0.neighbours().into_iter().any(is_beside)
    }

    /// Returns the newest manifest, whoever made it.
    fn newest_of_any(&self) -> Result<Option<CodeManifest>> {
        self.newest_listed(|| self.numbers())
    }

    /// Returns the newest manifest of those that `list` numbers, which is asked again: while a writer
    /// publishes, a listing may name only what is gone by now, or nothing.
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

    /// Reads the manifest of publication `number`, or returns `None` where there is none.
    fn manifest(&self, number: u64) -> Result<Option<CodeManifest>> {
        let path = self.manifest_path(number);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(&path, error)),
        };
        let manifest = std::str::from_utf8(&bytes).ok().and_then(parse);
        match manifest.filter(|manifest| manifest.number == number) {
            Some(manifest) => Ok(Some(manifest)),
            None => Err(Error::corrupt(&path, "code index's manifest is damaged")),
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
                    .corrupt("code index's segments do not belong together"));
            }
            segments.push(segment);
        }
        Ok(CodeIndex { segments, manifest })
    }

    /// Takes the lock of the one process that adds segments; does not wait. What an earlier one left,
    /// having been killed, is removed.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] while another process adds segments.
    pub fn lock(&self) -> Result<WriterLock> {
        let lock = self.0.lock_as(Role::CodeWriter)?;
        self.tidy(&lock);
        Ok(lock)
    }

    /// Removes what belongs to no publication: files that are not whole, and segments that the newest
    /// manifest does not name. Where that is damaged, segments stay until the next publication.
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

    /// Returns the number that the next publication should carry.
    pub fn next_number(&self) -> u64 {
        let of_segments = self.names().into_iter().filter_map(|name| {
            let rest = name.strip_prefix("code-segment-")?;
            rest.split('-').next()?.parse::<u64>().ok()
        });
        self.numbers().into_iter().chain(of_segments).max().unwrap_or(0) + 1
    }

    /// Returns where new segment `i` of publication `number` is to be written.
    pub fn segment_path(&self, number: u64, i: usize) -> PathBuf {
        self.0.dir().join(format!("code-segment-{number}-{i}.idx.new"))
    }

    /// Publishes segments, then removes those that no longer belong.
    ///
    /// # Errors
    ///
    /// Those of [`WriterLock::check`]; [`Kind::Io`] where it cannot be written, after which
    /// [`CodeStore::tidy`] removes what is left.
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
    // Names come from us, but a manifest may come from anyone: they must stay in the directory.
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
