//! Reads files and extracts their grams, on several threads, into runs of consecutive units.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use xxhash_rust::xxh3::xxh3_128;

use super::progress::Progress;
use crate::catalog::file_list::INDEXED_BYTES_MAX;
use crate::error::Result;
use crate::index::extract::{self, Content};
use crate::index::segment::{Run, RunBuilder};
use crate::index::table::{FileEntry, Flags};
use crate::source::stamp::Stamp;
use crate::source::{beneath, read, secret};

/// Number of files that a thread takes at a time: few enough that threads finish together, enough
/// that there are not too many runs to merge.
const CLAIM_MIN: usize = 64;
const CLAIM_MAX: usize = 1024;

/// Number of claims above which each has more files than [`CLAIM_MAX`].
const RUNS_MAX: usize = 96;

/// The largest number and size in bytes of files that are read again, and the longest and the single
/// time that this waits.
const SETTLED_MAX: usize = 64;
const SETTLED_BYTES_MAX: u64 = 8 << 20;
const SETTLING_MAX: Duration = Duration::from_millis(700);
const SETTLING_STEP: Duration = Duration::from_millis(20);

/// A file that was read: its entry (with units counted from the first of its claim) and its size.
pub(super) struct Read {
    pub(super) entry: FileEntry,
    pub(super) bytes: u64,
}

/// The result of reading a list of files, in the order of the list.
#[derive(Default)]
pub(super) struct Extracted {
    pub(super) files: Vec<Read>,
    pub(super) runs: Vec<Run>,
    pub(super) units: u32,
}

/// Returns true if the old units of the file at an index, whose content has a hash, can be kept.
pub(super) type Reuse<'a> = &'a (dyn Fn(usize, u128) -> bool + Sync);

/// Reads `paths` (in order) below `root`, on `threads` threads. A file for which `reuse` returns
/// true gets no units: the caller keeps its old ones.
pub(super) fn extract(
    root: &Path,
    paths: &[Vec<u8>],
    reuse: Reuse<'_>,
    threads: usize,
    progress: &Progress,
) -> Result<Extracted> {
    // A run takes a megabyte of counters even if it has little content.
    let claim_max = CLAIM_MAX.max(paths.len() / RUNS_MAX);
    let claim_files = (paths.len() / (threads.max(1) * 16)).clamp(CLAIM_MIN, claim_max);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let work = || {
        let mut worker =
            Worker { root, builder: RunBuilder::new(), buffer: read::Buffer::default() };
        loop {
            let claim = next.fetch_add(1, Ordering::Relaxed);
            let from = claim * claim_files;
            if from >= paths.len() || progress.is_cancelled() {
                return;
            }
            let mut part = Extracted::default();
            for (i, path) in paths.iter().enumerate().skip(from).take(claim_files) {
                let read = worker.read(path, i, reuse, &mut part);
                progress.add(1, read.bytes);
                part.files.push(read);
                if progress.is_cancelled() {
                    return;
                }
            }
            if !worker.builder.is_empty() {
                part.runs.push(worker.builder.invert());
            }
            done.lock().expect("no thread panics while it holds the lock").push((claim, part));
        }
    };
    let threads = threads.clamp(1, paths.len().div_ceil(claim_files).max(1));
    thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    if progress.is_cancelled() {
        return Err(Progress::cancelled());
    }
    let mut parts = done.into_inner().expect("no thread panics while it holds the lock");
    parts.sort_unstable_by_key(|(claim, _)| *claim);
    let mut all = Extracted::default();
    for (_, part) in parts {
        all.files.extend(part.files.into_iter().map(|mut read| {
            read.entry.first_unit += all.units;
            read
        }));
        all.units += part.units;
        all.runs.extend(part.runs);
    }
    Ok(all)
}

/// Reads files again that changed so shortly before they were read that their metadata prove nothing,
/// as soon as these do: without it they would count as changed until the next refresh. Does nothing if
/// there are many such files, or for large ones. Takes up to [`SETTLING_MAX`].
pub(super) fn settle(root: &Path, files: &mut [Read]) {
    let is_racy = |read: &Read| read.entry.stamp == Stamp::NEVER && read.entry.hash != 0;
    let mut racy: Vec<&mut Read> =
        files.iter_mut().filter(|read| is_racy(read) && read.bytes <= SETTLED_BYTES_MAX).collect();
    if racy.is_empty() || racy.len() > SETTLED_MAX {
        return;
    }
    let started_at = Instant::now();
    while !racy.is_empty() && started_at.elapsed() < SETTLING_MAX {
        thread::sleep(SETTLING_STEP);
        racy.retain_mut(|read| {
            let taken_at = SystemTime::now();
            let Ok((mut file, metadata)) = beneath::open_unlinked(root, &read.entry.path) else {
                return false;
            };
            let stamp = Stamp::of(&metadata).unless_racy(taken_at);
            if stamp == Stamp::NEVER {
                return true;
            }
            let mut buffer = read::Buffer::default();
            if buffer.fill(&mut file, metadata.len()).is_ok()
                && xxh3_128(buffer.bytes()) == read.entry.hash
            {
                read.entry.stamp = stamp;
            }
            false
        });
    }
}

struct Worker<'a> {
    root: &'a Path,
    builder: RunBuilder,
    buffer: read::Buffer,
}

impl Worker<'_> {
    fn read(&mut self, path: &[u8], i: usize, reuse: Reuse<'_>, part: &mut Extracted) -> Read {
        let mut entry = FileEntry {
            path: path.to_vec(),
            flags: Flags::SCAN,
            segment: 0,
            first_unit: part.units,
            units: 0,
            stamp: Stamp::NEVER,
            hash: 0,
        };
        let taken_at = SystemTime::now();
        let opened = beneath::open_unlinked(self.root, path);
        // An unreadable file is read by each query, which reports the error as ripgrep does.
        let Ok((mut file, metadata)) = opened else { return Read { entry, bytes: 0 } };
        let bytes = metadata.len();
        let stamp = Stamp::of(&metadata).unless_racy(taken_at);
        let names = if read::has_other_names(&metadata) { Flags::LINKED } else { Flags::default() };
        entry.flags = entry.flags.with(names);
        if secret::is_secret(path) {
            entry.flags = entry.flags.with(Flags::SECRET);
            entry.stamp = stamp;
            return Read { entry, bytes };
        }
        if bytes > INDEXED_BYTES_MAX {
            entry.stamp = stamp;
            return Read { entry, bytes };
        }
        if self.buffer.fill(&mut file, bytes).is_err() {
            return Read { entry, bytes };
        }
        entry.stamp = stamp;
        let text = self.buffer.bytes();
        entry.hash = xxh3_128(text);
        let content = Content::of(text);
        if content.utf16 {
            return Read { entry, bytes };
        }
        entry.flags = names;
        if content.nul_at.is_some() {
            entry.flags = entry.flags.with(Flags::BINARY);
        }
        if content.folds_to_ascii {
            entry.flags = entry.flags.with(Flags::FOLDS);
        }
        if !reuse(i, entry.hash) {
            let text = &text[..content.nul_at.unwrap_or(text.len())];
            entry.units = add_units(&mut self.builder, text, part);
            entry.first_unit = part.units;
            part.units += u32::from(entry.units);
        }
        Read { entry, bytes }
    }
}

/// Adds the units of a file to the run; starts a new run if it is full.
fn add_units(builder: &mut RunBuilder, text: &[u8], part: &mut Extracted) -> u16 {
    if builder.is_full(text.len() / extract::UNIT_BYTES * 2 + 1) && !builder.is_empty() {
        part.runs.push(builder.invert());
    }
    let mut units = 0;
    for unit in extract::units(text) {
        builder.add(&text[unit.clone()], unit.start as u32);
        units += 1;
    }
    units
}
