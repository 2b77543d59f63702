//! Reads a mapped file table.

use std::ffi::CStr;
use std::ops::Range;
use std::path::Path;

use super::{DIR_BYTES, FILE_BYTES, Flags, TableMeta, section};
use crate::base::ids::{DirId, FileId, UnitId};
use crate::base::path;
use crate::error::Result;
use crate::index::format::{self, Container, FileKind, u16_at, u32_at, u64_at};
use crate::index::map::Map;
use crate::source::rules::{Source, State};
use crate::source::stamp::Stamp;

/// A published, immutable file table.
#[derive(Debug)]
pub struct Table {
    container: Container,
    dirs: format::Range,
    own: format::Range,
    files: format::Range,
    stamps: format::Range,
    hashes: format::Range,
    names: format::Range,
    owners: format::Range,
    /// The index of each segment's first unit in `owners`, and one past the end.
    segments: Vec<u32>,
}

/// A directory of the table.
#[derive(Clone, Debug)]
pub struct Dir<'a> {
    /// Repository path, NUL-terminated; empty for the root.
    pub path: &'a CStr,
    /// Its parent; the root is its own parent.
    pub parent: DirId,
    /// The directories of its subtree, starting with itself.
    pub dirs: Range<u32>,
    /// The files of its subtree.
    pub files: Range<u32>,
    /// Its metadata stamp.
    pub stamp: Stamp,
    own: Range<u32>,
}

/// A file of the table.
#[derive(Clone, Debug)]
pub struct File<'a> {
    /// Its directory.
    pub dir: DirId,
    /// Its name, NUL-terminated.
    pub name: &'a CStr,
    /// Its special properties.
    pub flags: Flags,
    /// The segment with its units.
    pub segment: u16,
    /// Its units.
    pub units: Range<u32>,
}

impl Table {
    /// Opens the table file at `path`.
    pub fn open(path: &Path, on_heap: bool) -> Result<Table> {
        Table::new(Map::open(path, on_heap)?)
    }

    /// Opens a mapped table. Blocks are checked on first access.
    pub fn new(map: Map) -> Result<Table> {
        let container = Container::open(map, FileKind::Table)?;
        let section = |id| container.section(id);
        let (dirs, own, files) =
            (section(section::DIRS)?, section(section::OWN)?, section(section::FILES)?);
        let (stamps, hashes, names) =
            (section(section::STAMPS)?, section(section::HASHES)?, section(section::NAMES)?);
        let owners = section(section::OWNERS)?;
        let mut segments = vec![0_u32];
        for units in container.copy(section(section::SEGMENTS)?)?.chunks_exact(4) {
            let next = segments[segments.len() - 1].checked_add(u32_at(units, 0));
            segments.push(next.ok_or_else(|| container.corrupt("table's units overflow"))?);
        }
        let count = files.len() / FILE_BYTES;
        let fits = dirs.len() % DIR_BYTES == 0
            && !dirs.is_empty()
            && files.len() % FILE_BYTES == 0
            && own.len() == count * 4
            && stamps.len() == count * Stamp::BYTES
            && hashes.len() == count * 16
            && owners.len() == segments[segments.len() - 1] as usize * 4;
        if !fits {
            return Err(container.corrupt("table's sections do not fit together"));
        }
        Ok(Table { dirs, own, files, stamps, hashes, names, owners, segments, container })
    }

    /// Returns the number of files.
    pub fn files(&self) -> u32 {
        (self.files.len() / FILE_BYTES) as u32
    }

    /// Returns the number of directories, including the root.
    pub fn dirs(&self) -> u32 {
        (self.dirs.len() / DIR_BYTES) as u32
    }

    /// Returns a directory. O(1).
    pub fn dir(&self, id: DirId) -> Result<Dir<'_>> {
        let record = self.record(self.dirs, id.index(), DIR_BYTES)?;
        let number = |i: usize| u32_at(record, i * 4);
        let stamp = record[32..].try_into().expect("a record ends in a stamp");
        let dir = Dir {
            path: self.name(number(0), number(1) as usize)?,
            parent: DirId(number(2)),
            dirs: id.0..number(3),
            files: number(4)..number(5),
            own: number(6)..number(7),
            stamp: Stamp::from_bytes(stamp),
        };
        let fits = id.0 < dir.dirs.end
            && dir.dirs.end <= self.dirs()
            && dir.files.start <= dir.files.end
            && dir.files.end <= self.files()
            // Only the root may be its own parent, so that walking up terminates.
            && (dir.parent < id || dir.parent == DirId(0));
        if fits { Ok(dir) } else { Err(self.container.corrupt("table's directory is damaged")) }
    }

    /// Returns the files directly in `dir`, in path order. O(files).
    pub fn own_files(&self, dir: &Dir<'_>) -> Result<impl Iterator<Item = FileId> + '_> {
        let damaged = || self.container.corrupt("table's directory is damaged");
        let count = dir.own.end.checked_sub(dir.own.start).ok_or_else(damaged)? as usize;
        let range = self.own.slice(dir.own.start as usize * 4, count * 4).ok_or_else(damaged)?;
        let bytes = self.container.bytes(range)?;
        Ok(bytes.chunks_exact(4).map(|id| FileId(u32_at(id, 0))))
    }

    /// Returns a file. O(1).
    pub fn file(&self, id: FileId) -> Result<File<'_>> {
        let record = self.record(self.files, id.index(), FILE_BYTES)?;
        let (first, units, segment) = (u32_at(record, 16), u16_at(record, 14), u16_at(record, 12));
        let end = first.checked_add(u32::from(units)).filter(|&end| {
            let segments = self.segments.get(usize::from(segment)..usize::from(segment) + 2);
            units == 0 || segments.is_some_and(|segments| end <= segments[1] - segments[0])
        });
        Ok(File {
            dir: DirId(u32_at(record, 0)),
            name: self.name(u32_at(record, 4), usize::from(u16_at(record, 8)))?,
            flags: Flags(u16_at(record, 10)),
            segment,
            units: first..end.ok_or_else(|| self.container.corrupt("table's file is damaged"))?,
        })
    }

    /// Returns the number of units of a file. O(1).
    pub fn units(&self, id: FileId) -> Result<u16> {
        Ok(u16_at(self.record(self.files, id.index(), FILE_BYTES)?, 14))
    }

    /// Returns the repository path of a file. O(path).
    pub fn path(&self, id: FileId) -> Result<Vec<u8>> {
        let file = self.file(id)?;
        Ok(path::join(self.dir(file.dir)?.path.to_bytes(), file.name.to_bytes()))
    }

    /// Returns the metadata stamp of a file. O(1).
    pub fn stamp(&self, id: FileId) -> Result<Stamp> {
        let bytes = self.record(self.stamps, id.index(), Stamp::BYTES)?;
        Ok(Stamp::from_bytes(bytes.try_into().expect("a record is a stamp")))
    }

    /// Returns the content hash of a file when it was indexed, or 0 if it was not read. O(1).
    pub fn hash(&self, id: FileId) -> Result<u128> {
        let bytes = self.record(self.hashes, id.index(), 16)?;
        Ok(u128::from_le_bytes(bytes.try_into().expect("a record is a hash")))
    }

    /// Returns the directory at a repository path. O(log directories).
    pub fn find_dir(&self, path: &[u8]) -> Result<Option<DirId>> {
        let dirs = self.dirs();
        let found =
            search(dirs, |id| Ok(path::compare(self.dir(DirId(id))?.path.to_bytes(), path)));
        Ok(found?.map(DirId))
    }

    /// Returns the file at a repository path. O(log files).
    pub fn find_file(&self, path: &[u8]) -> Result<Option<FileId>> {
        let found = search(self.files(), |id| Ok(path::compare(&self.path(FileId(id))?, path)));
        Ok(found?.map(FileId))
    }

    /// Returns the file of a unit, or `None` if the unit is dead. O(1).
    pub fn owner(&self, segment: usize, unit: UnitId) -> Result<Option<FileId>> {
        let first = self.segments.get(segment).map_or(usize::MAX / 8, |&first| first as usize);
        let owner = u32_at(self.record(self.owners, first + unit.index(), 4)?, 0);
        if owner != u32::MAX && owner >= self.files() {
            return Err(self.container.corrupt("table's unit is damaged"));
        }
        Ok((owner != u32::MAX).then_some(FileId(owner)))
    }

    /// Returns the number of units of each segment.
    pub fn segment_units(&self) -> impl Iterator<Item = u32> + '_ {
        self.segments.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// Returns the files with `flag`, which is [`Flags::SCAN`], [`Flags::BINARY`],
    /// [`Flags::FOLDS`], [`Flags::LINKED`] or [`Flags::TRACKED`], ascending. O(result).
    pub fn flagged(&self, flag: Flags) -> Result<Vec<FileId>> {
        let ids = self.ids(section::FLAGGED + u32::from(flag.0), self.files())?;
        Ok(ids.into_iter().map(FileId).collect())
    }

    /// Returns the directories that searches leave out and that contain files with
    /// [`Flags::TRACKED`], ascending. O(result).
    pub fn tracked_dirs(&self) -> Result<Vec<DirId>> {
        let ids = self.ids(section::TRACKED_DIRS, self.dirs())?;
        Ok(ids.into_iter().map(DirId).collect())
    }

    /// Returns the ids in a section, which are below `end`.
    fn ids(&self, section: u32, end: u32) -> Result<Vec<u32>> {
        let bytes = self.container.bytes(self.container.section(section)?)?;
        let ids: Vec<u32> = bytes.chunks_exact(4).map(|id| u32_at(id, 0)).collect();
        if ids.iter().all(|&id| id < end) {
            Ok(ids)
        } else {
            Err(self.container.corrupt("table's list of ids is damaged"))
        }
    }

    /// Returns the properties of the generation. O(length of the JSON).
    pub fn meta(&self) -> Result<TableMeta> {
        let bytes = self.container.bytes(self.container.section(section::META)?)?;
        serde_json::from_slice(bytes)
            .map_err(|_| self.container.corrupt("table's facts are damaged"))
    }

    /// Returns the sources of the ignore rules. O(sources).
    pub fn sources(&self) -> Result<Vec<Source>> {
        let bytes = self.container.bytes(self.container.section(section::SOURCES)?)?;
        let damaged = || self.container.corrupt("table's ignore sources are damaged");
        decode_sources(bytes).ok_or_else(damaged)
    }

    /// Returns the container, for a complete check and for its size.
    pub fn container(&self) -> &Container {
        &self.container
    }

    fn record(&self, section: format::Range, index: usize, bytes: usize) -> Result<&[u8]> {
        let range = index.checked_mul(bytes).and_then(|start| section.slice(start, bytes));
        self.container.bytes(range.ok_or_else(|| self.container.corrupt("table's id is damaged"))?)
    }

    fn name(&self, offset: u32, len: usize) -> Result<&CStr> {
        let damaged = || self.container.corrupt("table's name is damaged");
        let range = self.names.slice(offset as usize, len + 1).ok_or_else(damaged)?;
        CStr::from_bytes_with_nul(self.container.bytes(range)?).map_err(|_| damaged())
    }
}

fn search(
    len: u32,
    mut compare: impl FnMut(u32) -> Result<std::cmp::Ordering>,
) -> Result<Option<u32>> {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(middle)? {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Ok(Some(middle)),
        }
    }
    Ok(None)
}

fn decode_sources(mut bytes: &[u8]) -> Option<Vec<Source>> {
    let mut sources = Vec::new();
    while !bytes.is_empty() {
        let len = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        let path = path::to_path(bytes.get(4..4 + len)?);
        bytes = &bytes[4 + len..];
        let (tag, rest) = bytes.split_first()?;
        bytes = rest;
        let state = match tag {
            0 => State::Absent,
            1 => State::Dir,
            _ => {
                let stamp = Stamp::from_bytes(bytes.get(..Stamp::BYTES)?.try_into().ok()?);
                let hash = u64_at(bytes.get(Stamp::BYTES..Stamp::BYTES + 8)?, 0);
                bytes = &bytes[Stamp::BYTES + 8..];
                State::File { stamp, hash }
            }
        };
        sources.push(Source { path, state });
    }
    Some(sources)
}
