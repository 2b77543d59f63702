//! Lays out a segment's sections, from inverted runs or from segments to be merged.

use rayon::prelude::*;

use super::builder::{PART_KEYS, PARTS};
use super::{Run, Segment, section};
use crate::error::Result;
use crate::index::format::{self, FileKind};
use crate::index::gram::KEYS;
use crate::index::postings;

/// Hands the sections of a segment of `runs`, whose units follow one another, to `sink`. O(pairs + keys · runs),
/// in parallel over keys.
pub fn write_runs(runs: &[Run], sink: &mut dyn FnMut(Sections<'_>) -> Result<()>) -> Result<()> {
    let mut bases = Vec::with_capacity(runs.len());
    let mut units = 0_u32;
    for run in runs {
        bases.push(units);
        units += run.len() as u32;
    }
    let parts = encode_parts(|part| {
        let mut lists: Vec<_> =
            runs.iter().zip(&bases).map(|(run, base)| (run.part(part), base)).collect();
        move |_, ids: &mut Vec<u32>| {
            for (list, base) in &mut lists {
                let units = list.next().unwrap_or_default();
                ids.extend(units.iter().map(|&unit| **base + u32::from(unit)));
            }
            Ok(())
        }
    })?;
    let starts: Vec<u32> = runs.iter().flat_map(|run| run.starts().iter().copied()).collect();
    lay_out(&parts, &starts, sink)
}

/// A unit's new number, or `None` if it is dead, for each unit of each segment that is merged.
pub type Renumbering = Vec<Vec<Option<u32>>>;

/// Hands the sections of the merged live units of `segments` to `sink`: a segment of `starts.len()` units, numbered as
/// `renumbering` says. O(pairs · log of a list), in parallel over keys.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where a segment is damaged.
pub fn merge(
    segments: &[&Segment],
    renumbering: &Renumbering,
    starts: &[u32],
    sink: &mut dyn FnMut(Sections<'_>) -> Result<()>,
) -> Result<()> {
    let parts = encode_parts(|_| {
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
    lay_out(&parts, starts, sink)
}

/// The sections of a segment file, borrowed until they are written.
pub struct Sections<'a> {
    parts: &'a [(u32, &'a [&'a [u8]])],
}

impl Sections<'_> {
    /// Writes them to the new file `path`.
    pub fn write(&self, path: &std::path::Path) -> Result<()> {
        format::write(path, FileKind::Segment, self.parts)
    }

    /// Returns the file's bytes, for an index in anonymous memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        format::to_bytes(FileKind::Segment, self.parts)
    }
}

/// The lists of [`PART_KEYS`] consecutive keys.
struct Part {
    /// (key, length of its list in bytes), ascending.
    lists: Vec<(u32, u32)>,
    bytes: Vec<u8>,
}

/// Encodes the lists of all keys. `start` makes what gathers the ids of a part's keys, which are
/// asked for one after the other.
fn encode_parts<G: FnMut(u32, &mut Vec<u32>) -> Result<()>>(
    start: impl Fn(usize) -> G + Sync,
) -> Result<Vec<Part>> {
    (0..PARTS)
        .into_par_iter()
        .with_max_len(1)
        .map(|part| {
            let mut out = Part { lists: Vec::new(), bytes: Vec::new() };
            let mut ids = Vec::new();
            let mut gather = start(part);
            for key in part * PART_KEYS..(part + 1) * PART_KEYS {
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
    parts: &[Part],
    starts: &[u32],
    sink: &mut dyn FnMut(Sections<'_>) -> Result<()>,
) -> Result<()> {
    let mut groups = vec![(0_u64, 0_u32); KEYS / 64];
    let mut entries = Vec::new();
    let mut offset = 0_u32;
    for (key, len) in parts.iter().flat_map(|part| &part.lists) {
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
    let mut lists: Vec<&[u8]> = parts.iter().map(|part| &part.bytes[..]).collect();
    lists.push(&[0; postings::PADDING_BYTES]);
    let start_bytes: Vec<u8> = starts.iter().flat_map(|start| start.to_le_bytes()).collect();
    let units = (starts.len() as u32).to_le_bytes();
    sink(Sections {
        parts: &[
            (section::UNITS, &[&units]),
            (section::GROUPS, &[&group_bytes]),
            (section::ENTRIES, &[&entries]),
            (section::STARTS, &[&start_bytes]),
            (section::POSTINGS, &lists),
        ],
    })
}
