//! Which parts of the code index there are.
//!
//! ```text
//! code.lock              held by the one process that adds parts
//! code-<n>.json          manifest of the nth publication: its parts and their checksums
//! code-part-<n>-<i>.idx  part i that publication n added
//! ```
//!
//! They lie in the index directory beside the files of the search index, are published like those
//! (new files first, the manifest last), and may be behind them: whoever opens them matches paths and
//! content hashes ([`super::places`]), and knows so which files no part speaks of.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::reader::Part;
use crate::error::{Error, Kind, Result};
use crate::index::format;
use crate::index::store::{Role, Store, WriterLock, seal, unseal};
use crate::lang::language::LANGUAGES;

/// Changes whenever the same text gives other facts, so that older parts are built again.
const FACTS_VERSION: u32 = 4;

/// Parts of one publication; more are not opened.
pub const PARTS_MAX: usize = 31;

/// How often a reader looks again when files vanish under it because a writer published.
const ATTEMPTS: usize = 10;

/// What a publication consists of.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Manifest {
    /// [`format::VERSION`].
    pub format: u32,
    /// [`builder`] of the program that made the parts.
    pub builder: String,
    /// Counts up from 1.
    pub number: u64,
    /// The generation of the search index that they were made from.
    pub generation: u64,
    /// File names of the parts, oldest first.
    pub parts: Vec<String>,
    /// How many of the parts make up the base; the others were added by refreshes.
    pub base: usize,
    /// Checksums of the parts.
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

/// The parts of one publication, opened.
#[derive(Debug)]
pub struct Code {
    /// The parts, oldest first.
    pub parts: Vec<Part>,
    /// The manifest that named them.
    pub manifest: Manifest,
}

/// The code indexes in an index directory.
#[derive(Clone, Copy, Debug)]
pub struct CodeStore<'a>(pub &'a Store);

/// Parts to be published.
#[derive(Debug)]
pub struct New {
    /// From [`CodeStore::next_number`].
    pub number: u64,
    /// Names of earlier parts that stay.
    pub kept: Vec<String>,
    /// How many of `kept` belong to the base.
    pub kept_base: usize,
    /// How many new parts lie at [`CodeStore::part_path`].
    pub added: usize,
    /// The new parts are the base.
    pub is_base: bool,
    /// The generation whose files they speak of.
    pub generation: u64,
}

impl CodeStore<'_> {
    /// Opens the newest parts, or returns `None` where there are none, or only such as another
    /// builder made.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] naming the damaged file.
    pub fn open(&self) -> Result<Option<Code>> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let Some(manifest) = self.newest()? else { return Ok(None) };
            match self.open_parts(manifest) {
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
    pub fn newest(&self) -> Result<Option<Manifest>> {
        Ok(self.newest_of_any()?.filter(|manifest| manifest.builder == builder()))
    }

    /// Returns true if a code index was built: it may be damaged, or, in a directory beside this one,
    /// that of another version of the program.
    pub fn was_built(&self) -> bool {
        let is_beside = |dir| !CodeStore(&Store::new(dir, self.0.on_heap())).numbers().is_empty();
        !self.numbers().is_empty() || self.0.neighbours().into_iter().any(is_beside)
    }

    /// Returns the newest manifest, whoever made it.
    fn newest_of_any(&self) -> Result<Option<Manifest>> {
        self.newest_listed(|| self.numbers())
    }

    /// Returns the newest manifest of those that `list` numbers, which is asked again: while a writer
    /// publishes, a listing may name only what is gone by now, or nothing.
    fn newest_listed(&self, mut list: impl FnMut() -> Vec<u64>) -> Result<Option<Manifest>> {
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
    fn manifest(&self, number: u64) -> Result<Option<Manifest>> {
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

    fn open_parts(&self, manifest: Manifest) -> Result<Code> {
        let on_heap = self.0.on_heap();
        let mut parts = Vec::with_capacity(manifest.parts.len());
        for (name, checksum) in manifest.parts.iter().zip(&manifest.checksums) {
            let part = Part::open(&self.0.dir().join(name), on_heap)?;
            if part.container().checksum() != *checksum {
                return Err(part.container().corrupt("code index's parts do not belong together"));
            }
            parts.push(part);
        }
        Ok(Code { parts, manifest })
    }

    /// Takes the lock of the one process that adds parts; does not wait. What an earlier one left,
    /// having been killed, is removed.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] while another process adds parts.
    pub fn lock(&self) -> Result<WriterLock> {
        let lock = self.0.lock_as(Role::CodeWriter)?;
        self.tidy(&lock);
        Ok(lock)
    }

    /// Removes what belongs to no publication: files that are not whole, and parts that the newest
    /// manifest does not name. Where that is damaged, parts stay until the next publication.
    pub fn tidy(&self, _lock: &WriterLock) {
        let newest = self.newest_of_any();
        let is_named = |name: &str| match &newest {
            Ok(Some(manifest)) => manifest.parts.iter().any(|part| part == name),
            Ok(None) => false,
            Err(_) => true,
        };
        self.0.remove_where(|name| {
            let is_part = name.starts_with("code-part-") && name.ends_with(".idx");
            let is_unfinished = name.starts_with("code-") && name.ends_with(".new");
            is_unfinished || is_part && !is_named(name)
        });
    }

    /// Returns the number that the next publication should carry.
    pub fn next_number(&self) -> u64 {
        let of_parts = self.names().into_iter().filter_map(|name| {
            let rest = name.strip_prefix("code-part-")?;
            rest.split('-').next()?.parse::<u64>().ok()
        });
        self.numbers().into_iter().chain(of_parts).max().unwrap_or(0) + 1
    }

    /// Returns where new part `i` of publication `number` is to be written.
    pub fn part_path(&self, number: u64, i: usize) -> PathBuf {
        self.0.dir().join(format!("code-part-{number}-{i}.idx.new"))
    }

    /// Publishes parts, then removes those that no longer belong.
    ///
    /// # Errors
    ///
    /// Those of [`WriterLock::check`]; [`Kind::Io`] where it cannot be written, after which
    /// [`CodeStore::tidy`] removes what is left.
    pub fn publish(&self, lock: &WriterLock, new: New) -> Result<Manifest> {
        lock.check()?;
        let dir = self.0.dir();
        let mut names = new.kept.clone();
        for i in 0..new.added {
            let name = format!("code-part-{}-{i}.idx", new.number);
            let target = dir.join(&name);
            fs::rename(self.part_path(new.number, i), &target)
                .map_err(|error| Error::io(&target, error))?;
            names.push(name);
        }
        let mut checksums = Vec::with_capacity(names.len());
        for name in &names {
            checksums.push(format::checksum(&dir.join(name))?);
        }
        let manifest = Manifest {
            format: format::VERSION,
            builder: builder(),
            number: new.number,
            generation: new.generation,
            base: if new.is_base { new.added } else { new.kept_base },
            parts: names,
            checksums,
        };
        let body = serde_json::to_string(&manifest)
            .map_err(|error| Error::new(Kind::Io, error.to_string()))?;
        let name = format!("code-{}.json", new.number);
        self.0.place_through(&name, "new", seal(&body).as_bytes())?;
        self.0.remove_where(|other| {
            let kept = other == name
                || other == "code.lock"
                || manifest.parts.iter().any(|part| part == other);
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

fn parse(text: &str) -> Option<Manifest> {
    let manifest: Manifest = serde_json::from_str(unseal(text)?).ok()?;
    // Names come from us, but a manifest may come from anyone: they must stay in the directory.
    let plain = |name: &String| {
        !name.contains(['/', '\\']) && name.starts_with("code-") && name.ends_with(".idx")
    };
    let sound = manifest.format == format::VERSION
        && manifest.parts.len() <= PARTS_MAX
        && manifest.base <= manifest.parts.len()
        && manifest.checksums.len() == manifest.parts.len()
        && manifest.parts.iter().all(plain);
    sound.then_some(manifest)
}

#[cfg(test)]
mod tests;
