//! Lays out the sections of a segment, from inverted runs or from segments to merge.

use rayon::prelude::*;

use super::builder::{PARTITION_KEYS, PARTITIONS};
use super::{Run, Segment, section};
use crate::error::Result;
use crate::index::format::{self, FileKind};
use crate::index::gram::KEYS;
use crate::index::postings;

/// Builds a segment of `runs`, whose units are consecutive, and passes its sections to `sink`.
/// O(pairs + keys · runs), parallel over keys.
pub fn write_runs(runs: &[Run], sink: &mut dyn FnMut(Sections<'_>) -> Result<()>) -> Result<()> {
    let mut bases = Vec::with_capacity(runs.len());
    let mut units = 0_u32;
    for run in runs {
        bases.push(units);
        units += run.len() as u32;
    }
    let partitions = encode_partitions(|partition| {
        let mut lists: Vec<_> =
            runs.iter().zip(&bases).map(|(run, base)| (run.partition(partition), base)).collect();
        move |_, ids: &mut Vec<u32>| {
            for (lists, base) in &mut lists {
                lists.append_next(**base, ids);
            }
            Ok(())
        }
    })?;
    let starts: Vec<u32> = runs.iter().flat_map(|run| run.starts().iter().copied()).collect();
    lay_out(&partitions, &starts, sink)
}

/// For each unit of each merged segment, its new number, or `None` if it is dead.
pub type Renumbering = Vec<Vec<Option<u32>>>;

/// Merges the live units of `segments` into a segment of `starts.len()` units, numbered by
/// `renumbering`, and passes its sections to `sink`. O(pairs · log of a list), parallel over keys.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if a segment is damaged.
pub fn merge(
    segments: &[&Segment],
    renumbering: &Renumbering,
    starts: &[u32],
    sink: &mut dyn FnMut(Sections<'_>) -> Result<()>,
) -> Result<()> {
    let partitions = encode_partitions(|_| {
        let mut old = Vec::new();
        move |key, ids: &mut Vec<u32>| {
            for (segment, numbers) in segments.iter().zip(renumbering) {
                old.clear();
                segment.decode_key(key, &mut old)?;
                ids.extend(old.iter().filter_map(|&unit| numbers[unit as usize]));
            }
            ids.sort_unstable();
            Ok(())
        }
    })?;
    lay_out(&partitions, starts, sink)
}

/// The borrowed sections of a segment file.
pub struct Sections<'a> {
    sections: &'a [(u32, &'a [&'a [u8]])],
}

impl Sections<'_> {
    /// Writes the sections to the new file `path`.
    pub fn write(&self, path: &std::path::Path) -> Result<()> {
        format::write(path, FileKind::Segment, self.sections)
    }

    /// Returns the bytes of the file, for an index in memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        format::to_bytes(FileKind::Segment, self.sections)
    }
}

/// The encoded lists of one partition of [`PARTITION_KEYS`] consecutive keys.
struct Partition {
    /// Key and length in bytes of each list, ascending.
    lists: Vec<(u32, u32)>,
    bytes: Vec<u8>,
}

/// Encodes the lists of all keys. For each partition, `start` returns a function that appends the
/// ids of a key; it is called for the keys in ascending order.
fn encode_partitions<G: FnMut(u32, &mut Vec<u32>) -> Result<()>>(
    start: impl Fn(usize) -> G + Sync,
) -> Result<Vec<Partition>> {
    (0..PARTITIONS)
        .into_par_iter()
        .with_max_len(1)
        .map(|partition| {
            let mut out = Partition { lists: Vec::new(), bytes: Vec::new() };
            let mut ids = Vec::new();
            let mut gather = start(partition);
            for key in partition * PARTITION_KEYS..(partition + 1) * PARTITION_KEYS {
                ids.clear();
                gather(key as u32, &mut ids)?;
                if !ids.is_empty() {
                    let before = out.bytes.len();
                    postings::encode(&ids, &mut out.bytes);
                    out.lists.push((key as u32, (out.bytes.len() - before) as u32));
                }
            }
            Ok(out)
        })
        .collect()
}

fn lay_out(
    partitions: &[Partition],
    starts: &[u32],
    sink: &mut dyn FnMut(Sections<'_>) -> Result<()>,
) -> Result<()> {
    let mut groups = vec![(0_u64, 0_u32); KEYS / 64];
    let mut entries = Vec::new();
    let mut offset = 0_u32;
    for (key, len) in partitions.iter().flat_map(|partition| &partition.lists) {
        let group = &mut groups[*key as usize / 64];
        if group.0 == 0 {
            group.1 = (entries.len() / 4) as u32;
        }
        group.0 |= 1 << (key % 64);
        entries.extend_from_slice(&offset.to_le_bytes());
        offset = offset.checked_add(*len).ok_or_else(|| {
            crate::Error::new(crate::Kind::Limit, "a segment's postings exceed 4 GiB")
        })?;
    }
    entries.extend_from_slice(&offset.to_le_bytes());
    let mut group_bytes = Vec::with_capacity(groups.len() * 16);
    for (bitmap, first) in groups {
        group_bytes.extend_from_slice(&bitmap.to_le_bytes());
        group_bytes.extend_from_slice(&first.to_le_bytes());
        group_bytes.extend_from_slice(&0_u32.to_le_bytes());
    }
    let mut lists: Vec<&[u8]> = partitions.iter().map(|partition| &partition.bytes[..]).collect();
    lists.push(&[0; postings::PADDING_BYTES]);
    let start_bytes: Vec<u8> = starts.iter().flat_map(|start| start.to_le_bytes()).collect();
    let units = (starts.len() as u32).to_le_bytes();
    sink(Sections {
        sections: &[
            (section::UNITS, &[&units]),
            (section::GROUPS, &[&group_bytes]),
            (section::ENTRIES, &[&entries]),
            (section::STARTS, &[&start_bytes]),
            (section::POSTINGS, &lists),
        ],
    })
}
