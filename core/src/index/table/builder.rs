//! Lays out a file table.

use super::{DIR_BYTES, FILE_BYTES, Flags, TableMeta, section};
use crate::base::path;
use crate::error::{Error, Kind, Result};
use crate::index::format::{self, FileKind};
use crate::source::rules::{Source, State};
use crate::source::stamp::Stamp;

/// A directory to write.
#[derive(Clone, Debug)]
pub struct DirEntry {
    /// Repository path; empty for the root.
    pub path: Vec<u8>,
    /// Its metadata stamp.
    pub stamp: Stamp,
    /// Searches leave it out; it contains files with [`Flags::TRACKED`].
    pub is_tracked: bool,
}

/// A file to write.
#[derive(Clone, Debug)]
pub struct FileEntry {
    /// Repository path.
    pub path: Vec<u8>,
    /// Its special properties.
    pub flags: Flags,
    /// The segment with its units. Ignored if there are none.
    pub segment: u16,
    /// Its first unit.
    pub first_unit: u32,
    /// The number of its units.
    pub units: u16,
    /// Its metadata stamp.
    pub stamp: Stamp,
    /// XXH3-128 of its content, or 0 if it was not read.
    pub hash: u128,
}

impl FileEntry {
    /// Returns the size in the metadata stamp, or 0 if it is unknown.
    pub fn stamp_size(&self) -> u64 {
        if self.stamp == Stamp::NEVER { 0 } else { self.stamp.size }
    }
}

/// Returns the bytes of a table file. `dirs` and `files` are in path order, and `dirs` contains the
/// directory of each file. `segment_units` is the number of units of each segment. O(size).
///
/// # Errors
///
/// [`Kind::Limit`] for 2^32 or more files or directories, or 4 GiB of names.
pub fn build(
    meta: &TableMeta,
    dirs: &[DirEntry],
    files: &[FileEntry],
    segment_units: &[u32],
    sources: &[Source],
) -> Result<Vec<u8>> {
    let too_many = || Error::new(Kind::Limit, "the tree has too many files for one index");
    if u32::try_from(files.len()).is_err() || u32::try_from(dirs.len()).is_err() {
        return Err(too_many());
    }
    let mut names: Vec<u8> = Vec::new();
    let mut own: Vec<Vec<u32>> = vec![Vec::new(); dirs.len()];
    let mut file_records = Vec::with_capacity(files.len() * FILE_BYTES);
    let mut stamps = Vec::with_capacity(files.len() * Stamp::BYTES);
    let mut hashes = Vec::with_capacity(files.len() * 16);
    let mut owners: Vec<Vec<u32>> =
        segment_units.iter().map(|&units| vec![u32::MAX; units as usize]).collect();
    let mut flagged: Vec<(Flags, Vec<u8>)> =
        [Flags::SCAN, Flags::BINARY, Flags::FOLDS, Flags::LINKED, Flags::TRACKED]
            .map(|flag| (flag, Vec::new()))
            .to_vec();
    let mut last_dir = 0;
    for (id, file) in files.iter().enumerate() {
        let (dir, name) = path::split(&file.path);
        if dirs[last_dir].path != dir {
            last_dir = dirs
                .binary_search_by(|entry| path::compare(&entry.path, dir))
                .map_err(|_| Error::new(Kind::Io, "a file's directory was not walked"))?;
        }
        own[last_dir].push(id as u32);
        put_u32(&mut file_records, last_dir as u32);
        put_u32(&mut file_records, u32::try_from(names.len()).map_err(|_| too_many())?);
        file_records.extend_from_slice(&(name.len() as u16).to_le_bytes());
        file_records.extend_from_slice(&file.flags.0.to_le_bytes());
        file_records.extend_from_slice(&file.segment.to_le_bytes());
        file_records.extend_from_slice(&file.units.to_le_bytes());
        put_u32(&mut file_records, file.first_unit);
        names.extend_from_slice(name);
        names.push(0);
        stamps.extend_from_slice(&file.stamp.to_bytes());
        hashes.extend_from_slice(&file.hash.to_le_bytes());
        for unit in file.first_unit..file.first_unit + u32::from(file.units) {
            owners[usize::from(file.segment)][unit as usize] = id as u32;
        }
        for (flag, ids) in &mut flagged {
            if file.flags.has(*flag) {
                put_u32(ids, id as u32);
            }
        }
    }
    let mut dir_records = Vec::with_capacity(dirs.len() * DIR_BYTES);
    let mut own_bytes = Vec::with_capacity(files.len() * 4);
    let mut tracked_dirs = Vec::new();
    for (id, dir) in dirs.iter().enumerate() {
        if dir.is_tracked {
            put_u32(&mut tracked_dirs, id as u32);
        }
        let in_subtree = |other: &[u8]| path::is_within(other, &dir.path);
        let dirs_end = id + dirs[id..].partition_point(|other| in_subtree(&other.path));
        let start = files.partition_point(|file| path::compare(&file.path, &dir.path).is_lt());
        let end = start + files[start..].partition_point(|file| in_subtree(&file.path));
        let parent = if dir.path.is_empty() {
            Ok(0)
        } else {
            let parent = path::split(&dir.path).0;
            dirs.binary_search_by(|entry| path::compare(&entry.path, parent))
        };
        let parent =
            parent.map_err(|_| Error::new(Kind::Io, "a directory's parent was not walked"))?;
        let own_start = own_bytes.len() / 4;
        own[id].iter().for_each(|&file| put_u32(&mut own_bytes, file));
        put_u32(&mut dir_records, u32::try_from(names.len()).map_err(|_| too_many())?);
        for number in [dir.path.len(), parent, dirs_end, start, end, own_start, own_bytes.len() / 4]
        {
            put_u32(&mut dir_records, number as u32);
        }
        dir_records.extend_from_slice(&dir.stamp.to_bytes());
        names.extend_from_slice(&dir.path);
        names.push(0);
    }
    let meta = serde_json::to_vec(meta).map_err(|error| Error::new(Kind::Io, error.to_string()))?;
    let owner_bytes: Vec<u8> =
        owners.iter().flatten().flat_map(|owner| owner.to_le_bytes()).collect();
    let segment_bytes: Vec<u8> =
        segment_units.iter().flat_map(|units| units.to_le_bytes()).collect();
    let source_bytes = encode_sources(sources);
    Ok(format::to_bytes(
        FileKind::Table,
        &[
            (section::META, &[&meta]),
            (section::DIRS, &[&dir_records]),
            (section::OWN, &[&own_bytes]),
            (section::FILES, &[&file_records]),
            (section::STAMPS, &[&stamps]),
            (section::HASHES, &[&hashes]),
            (section::NAMES, &[&names]),
            (section::OWNERS, &[&owner_bytes]),
            (section::SEGMENTS, &[&segment_bytes]),
            (section::SOURCES, &[&source_bytes]),
            (section::TRACKED_DIRS, &[&tracked_dirs]),
            (section::FLAGGED + u32::from(flagged[0].0.0), &[&flagged[0].1]),
            (section::FLAGGED + u32::from(flagged[1].0.0), &[&flagged[1].1]),
            (section::FLAGGED + u32::from(flagged[2].0.0), &[&flagged[2].1]),
            (section::FLAGGED + u32::from(flagged[3].0.0), &[&flagged[3].1]),
            (section::FLAGGED + u32::from(flagged[4].0.0), &[&flagged[4].1]),
        ],
    ))
}

fn put_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

/// Encodes each source as path length u32, path and tag u8; a file also has a metadata stamp and a
/// hash u64.
fn encode_sources(sources: &[Source]) -> Vec<u8> {
    let mut out = Vec::new();
    for source in sources {
        let Some(path) = path::from_path(&source.path) else { continue };
        put_u32(&mut out, path.len() as u32);
        out.extend_from_slice(&path);
        match source.state {
            State::Absent => out.push(0),
            State::Dir => out.push(1),
            State::File { stamp, hash } => {
                out.push(2);
                out.extend_from_slice(&stamp.to_bytes());
                out.extend_from_slice(&hash.to_le_bytes());
            }
        }
    }
    out
}
