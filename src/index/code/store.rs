//! Which parts there are, and of which files of a generation they speak.
//!
//! ```text
//! code.lock              held by the one process that adds parts
//! code-<n>.json          manifest of the nth publication: its parts and its map, and their checksums
//! code-part-<n>-<i>.idx  part i that publication n added
//! code-map-<n>.idx       for each file of a generation, the part and place that speak of it
//! ```
//!
//! They lie in the index directory beside the files of the search index, are published like those
//! (new files first, the manifest last) and may be behind them: then the map is made again when they
//! are opened, from paths and content hashes, and files that no part speaks of are told as such.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::reader::Part;
use crate::base::ids::FileId;
use crate::base::path;
use crate::error::{Error, Kind, Result};
use crate::index::format::{self, Container, FileKind, u32_at};
use crate::index::map::Map;
use crate::index::store::{Store, WriterLock, seal, unseal};
use crate::index::table::Table;
use crate::lang::language::LANGUAGES;

/// Changes whenever the same text gives other facts, so that older parts are built again.
const FACTS_VERSION: u32 = 1;

/// Parts of one publication; more are not opened.
pub const PARTS_MAX: usize = 31;

/// How often a reader looks again when files vanish under it because a writer published.
const ATTEMPTS: usize = 10;

/// No part speaks of the file.
const NONE: u32 = u32::MAX;

/// Bits of a place that say which file of a part is meant.
const DOC_BITS: u32 = 27;

/// Sections of a map.
const PLACES: u32 = 1;
const OWNERS: u32 = 2;

/// What a publication consists of.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Manifest {
    /// [`format::VERSION`].
    pub format: u32,
    /// [`builder`] of the program that made the parts.
    pub builder: String,
    /// Counts up from 1.
    pub number: u64,
    /// The generation of the search index that the map is of.
    pub generation: u64,
    /// File names of the parts, oldest first.
    pub parts: Vec<String>,
    /// How many of the parts make up the base; the others were added by refreshes.
    pub base: usize,
    /// File name of the map.
    pub map: String,
    /// Checksums of the parts and the map.
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

/// The parts of one publication, opened, and of which files of a generation they speak.
#[derive(Debug)]
pub struct Code {
    /// The parts, oldest first.
    pub parts: Vec<Part>,
    /// The manifest that named them.
    pub manifest: Manifest,
    places: Places,
}

/// For each file the part and place that speak of it, and the other way round.
#[derive(Debug)]
enum Places {
    Mapped { container: Container, places: format::Range, owners: format::Range },
    Made { places: Vec<u32>, owners: Vec<u32> },
}

impl Code {
    /// Returns the part and the place in it that speak of `file`, if one does. O(1).
    pub fn place(&self, file: FileId) -> Result<Option<(usize, u32)>> {
        let place = self.places.get(file.index(), false)?;
        let (part, doc) = ((place >> DOC_BITS) as usize, place & ((1 << DOC_BITS) - 1));
        if place == NONE {
            return Ok(None);
        }
        match self.parts.get(part).filter(|part| doc < part.docs()) {
            Some(_) => Ok(Some((part, doc))),
            None => Err(self.corrupt()),
        }
    }

    /// Returns the file that the `doc`th file of `part` is, unless it changed or is gone. O(parts).
    pub fn owner(&self, part: usize, doc: u32) -> Result<Option<FileId>> {
        let first: usize = self.parts[..part].iter().map(|part| part.docs() as usize).sum();
        let owner = self.places.get(first + doc as usize, true)?;
        Ok((owner != NONE).then_some(FileId(owner)))
    }

    fn corrupt(&self) -> Error {
        match &self.places {
            Places::Mapped { container, .. } => container.corrupt("code index's map is damaged"),
            Places::Made { .. } => Error::new(Kind::Corrupt, "code index's map is damaged"),
        }
    }
}

impl Places {
    fn get(&self, at: usize, is_owner: bool) -> Result<u32> {
        match self {
            Places::Made { places, owners } => {
                let of = if is_owner { owners } else { places };
                Ok(of.get(at).copied().unwrap_or(NONE))
            }
            Places::Mapped { container, places, owners } => {
                let range = if is_owner { owners } else { places };
                match at.checked_mul(4).and_then(|start| range.slice(start, 4)) {
                    Some(range) => Ok(u32_at(container.bytes(range)?, 0)),
                    None => Ok(NONE),
                }
            }
        }
    }
}

/// Returns for each file of `table` the newest part that speaks of its content, and the other way
/// round. O(files of the table and of the parts).
fn places(parts: &[Part], table: &Table) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut places = vec![NONE; table.files() as usize];
    let docs: usize = parts.iter().map(|part| part.docs() as usize).sum();
    let mut owners = vec![NONE; docs];
    let mut first = 0;
    for (number, part) in parts.iter().enumerate() {
        let mut file = 0;
        for doc in 0..part.docs() {
            let of = part.doc(doc)?;
            // Both are in the order of paths.
            let mut found = None;
            while file < table.files() && found.is_none() {
                match path::compare(&table.path(FileId(file))?, of.path) {
                    std::cmp::Ordering::Less => file += 1,
                    std::cmp::Ordering::Equal => found = Some(FileId(file)),
                    std::cmp::Ordering::Greater => break,
                }
            }
            let Some(found) = found else { continue };
            if table.hash(found)? != of.hash {
                continue;
            }
            let before = places[found.index()];
            if before != NONE {
                let part = (before >> DOC_BITS) as usize;
                let start: usize = parts[..part].iter().map(|part| part.docs() as usize).sum();
                owners[start + (before & ((1 << DOC_BITS) - 1)) as usize] = NONE;
            }
            places[found.index()] = (number as u32) << DOC_BITS | doc;
            owners[first + doc as usize] = found.0;
        }
        first += part.docs() as usize;
    }
    Ok((places, owners))
}

/// The code indexes in an index directory.
#[derive(Clone, Copy, Debug)]
pub struct CodeStore<'a>(pub &'a Store);

/// Parts to be published.
#[derive(Debug)]
pub struct New<'a> {
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
    /// Its file table.
    pub table: &'a Table,
}

impl CodeStore<'_> {
    /// Opens the newest parts for the files of `table`, which is of `generation`, or returns `None`
    /// where there are none, or only such as another builder made.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] naming the damaged file.
    pub fn open(&self, generation: u64, table: &Table) -> Result<Option<Code>> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let Some(manifest) = self.newest()? else { return Ok(None) };
            match self.open_parts(manifest, generation, table) {
                Ok(code) => return Ok(Some(code)),
                Err(error) if error.kind() == Kind::NotFound => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        last.map_or(Ok(None), Err)
    }

    /// Returns the newest manifest, or `None` where there is none of this builder.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] where it is damaged.
    pub fn newest(&self) -> Result<Option<Manifest>> {
        for _ in 0..ATTEMPTS {
            let Some(number) = self.numbers().into_iter().max() else { return Ok(None) };
            let path = self.manifest_path(number);
            let bytes = match fs::read(&path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::io(&path, error)),
            };
            let manifest = std::str::from_utf8(&bytes).ok().and_then(parse);
            let manifest = manifest
                .ok_or_else(|| Error::corrupt(&path, "code index's manifest is damaged"))?;
            return Ok(Some(manifest).filter(|manifest| manifest.builder == builder()));
        }
        Ok(None)
    }

    fn open_parts(&self, manifest: Manifest, generation: u64, table: &Table) -> Result<Code> {
        let on_heap = self.0.on_heap();
        let mut parts = Vec::with_capacity(manifest.parts.len());
        for (name, checksum) in manifest.parts.iter().zip(&manifest.checksums) {
            let part = Part::open(&self.0.dir().join(name), on_heap)?;
            if part.container().checksum() != *checksum {
                return Err(part.container().corrupt("code index's parts do not belong together"));
            }
            parts.push(part);
        }
        let places = if manifest.generation == generation {
            let map = Map::open(&self.0.dir().join(&manifest.map), on_heap)?;
            let container = Container::open(map, FileKind::CodeMap)?;
            let (places, owners) = (container.section(PLACES)?, container.section(OWNERS)?);
            Places::Mapped { places, owners, container }
        } else {
            let (places, owners) = places(&parts, table)?;
            Places::Made { places, owners }
        };
        Ok(Code { parts, manifest, places })
    }

    /// Takes the lock of the one process that adds parts; does not wait. What an earlier one left
    /// unfinished is removed.
    ///
    /// # Errors
    ///
    /// [`Kind::Busy`] while another process adds parts.
    pub fn lock(&self) -> Result<WriterLock> {
        let lock = self.0.lock_named("code.lock")?;
        self.0.remove_where(|name| name.starts_with("code-") && name.ends_with(".new"));
        Ok(lock)
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
    pub fn publish(&self, _lock: &WriterLock, new: New<'_>) -> Result<Manifest> {
        let dir = self.0.dir();
        let mut names = new.kept.clone();
        for i in 0..new.added {
            let name = format!("code-part-{}-{i}.idx", new.number);
            let target = dir.join(&name);
            fs::rename(self.part_path(new.number, i), &target)
                .map_err(|error| Error::io(&target, error))?;
            names.push(name);
        }
        let mut parts = Vec::with_capacity(names.len());
        for name in &names {
            parts.push(Part::open(&dir.join(name), self.0.on_heap())?);
        }
        let (places, owners) = places(&parts, new.table)?;
        let bytes = |numbers: Vec<u32>| -> Vec<u8> {
            numbers.into_iter().flat_map(u32::to_le_bytes).collect()
        };
        let (places, owners) = (bytes(places), bytes(owners));
        let map =
            format::to_bytes(FileKind::CodeMap, &[(PLACES, &[&places]), (OWNERS, &[&owners])]);
        let map_name = format!("code-map-{}.idx", new.number);
        self.0.place_through(&map_name, "new", &map)?;
        let mut checksums: Vec<u32> =
            parts.iter().map(|part| part.container().checksum()).collect();
        checksums.push(format::checksum(&dir.join(&map_name))?);
        let manifest = Manifest {
            format: format::VERSION,
            builder: builder(),
            number: new.number,
            generation: new.generation,
            base: if new.is_base { new.added } else { new.kept_base },
            parts: names,
            map: map_name,
            checksums,
        };
        let body = serde_json::to_string(&manifest)
            .map_err(|error| Error::new(Kind::Io, error.to_string()))?;
        let name = format!("code-{}.json", new.number);
        self.0.place_through(&name, "new", seal(&body).as_bytes())?;
        self.0.remove_where(|other| {
            let kept = other == name
                || other == manifest.map
                || other == "code.lock"
                || manifest.parts.iter().any(|part| part == other);
            other.starts_with("code-") && !kept
        });
        Ok(manifest)
    }

    /// Removes everything, so that the next refresh starts from nothing: after damage.
    pub fn discard(&self, _lock: &WriterLock) {
        self.0.remove_where(|name| name.starts_with("code-"));
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
        && manifest.checksums.len() == manifest.parts.len() + 1
        && plain(&manifest.map)
        && manifest.parts.iter().all(plain);
    sound.then_some(manifest)
}
