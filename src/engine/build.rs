//! Builds a generation from scratch, or from the previous one and its changes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::compare::{Comparison, compare_tree};
use super::files::{self, Extracted};
use super::progress::{Progress, Stage};
use super::{Engine, attach, tracked};
use crate::base::bits::Bits;
use crate::base::ids::{DirId, FileId, UnitId};
use crate::base::path;
use crate::catalog::file_list::INDEXED_BYTES_MAX;
use crate::error::{Error, Kind, Result};
use crate::history::git;
use crate::index::map::Map;
use crate::index::segment::{self, Segment};
use crate::index::snapshot::Snapshot;
use crate::index::store::{NewGeneration, Store, WriterLock};
use crate::index::table::{self, DirEntry, FileEntry, Flags, Table, TableMeta, TrackedNames};
use crate::source::rule_files;
use crate::source::rules::{Source, State};
use crate::source::stamp::{RACY_WINDOW, Stamp};
use crate::source::walk::{self, Tree, WalkedDir};

/// Maximum number of segments. A refresh that would exceed it merges all of them into one.
const SEGMENTS_MAX: usize = 8;

/// The longest step of the clock of a file system on Linux, which change times are taken from.
const CLOCK_STEP_MAX: Duration = Duration::from_millis(10);

/// The result of a build or refresh.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Built {
    /// The current generation.
    pub generation: u64,
    /// Number of files in it.
    pub files: u64,
    /// Bytes of their text.
    pub text_bytes: u64,
    /// Number of files read.
    pub read: u64,
    /// Number of files whose trigrams were extracted; the others reuse those of the last
    /// generation.
    pub extracted: u64,
    /// False if nothing had changed and nothing was written.
    pub published: bool,
}

/// Builds the index from scratch and publishes it. O(text), in parallel.
///
/// # Errors
///
/// [`crate::Kind::Busy`] while another process writes; [`crate::Kind::Cancelled`]; those of
/// reading the tree's root and of writing the index directory.
pub fn build(engine: &Engine, progress: &Progress) -> Result<Built> {
    let lock = engine.store.lock()?;
    attach::shared(&engine.store, progress, || build_locked(engine, &lock, progress))
}

fn build_locked(engine: &Engine, lock: &WriterLock, progress: &Progress) -> Result<Built> {
    progress.enter(Stage::Walking);
    progress.restart(0);
    let walked = walk_tree(engine)?;
    publish_tree(engine, lock, None, walked, progress)
}

/// Brings the index up to date: keeps unchanged files, reads changed ones, and publishes a delta.
/// Builds from scratch if there is no index or it is damaged. O(sweep + changed text).
///
/// # Errors
///
/// As [`build`].
pub fn refresh(engine: &Engine, progress: &Progress) -> Result<Built> {
    refresh_reported(engine, &[], progress)
}

/// Refreshes as [`refresh`] does, and reads also the files at the repository paths `reported`: a
/// watcher saw a change that their metadata may not show. O(sweep + text of changed and reported
/// files).
///
/// # Errors
///
/// As [`build`].
pub(super) fn refresh_reported(
    engine: &Engine,
    reported: &[Vec<u8>],
    progress: &Progress,
) -> Result<Built> {
    let lock = engine.store.lock()?;
    attach::shared(&engine.store, progress, || {
        progress.enter(Stage::Walking);
        if let Ok(Some(before)) = engine.snapshot() {
            match refresh_from(engine, &lock, &before, reported, progress) {
                // Damage is detected only when a block is read.
                Err(error) if error.kind() == Kind::Corrupt => {}
                result => return result,
            }
        }
        build_locked(engine, &lock, progress)
    })
}

/// Returns the reason why no build can begin: the directory of the index cannot be created or written.
/// `None` also while another process builds.
pub fn build_obstacle(engine: &Engine) -> Option<Error> {
    engine.store.lock().err().filter(|error| error.kind() != Kind::Busy)
}

/// Publishes the differences from `before`.
///
/// # Errors
///
/// [`Kind::Corrupt`] if `before` is damaged. All blocks are checked if nothing differs, else only
/// those that are read.
fn refresh_from(
    engine: &Engine,
    lock: &WriterLock,
    before: &Snapshot,
    reported: &[Vec<u8>],
    progress: &Progress,
) -> Result<Built> {
    let mut reported_files = Bits::new(before.table.files() as usize);
    for path in reported {
        before.table.find_file(path)?.into_iter().for_each(|id| reported_files.insert(id.index()));
    }
    let nothing = Bits::new(before.table.files() as usize);
    let freshened = compare_tree(before, DirId(0), &nothing, &engine.environment)?;
    let walked = match freshened {
        Comparison::Diff(_) if tracked::has_other_names(engine, &before.table)? => {
            walk_tree(engine)?
        }
        Comparison::Diff(diff) if diff.is_unchanged() && reported_files.count() == 0 => {
            before.table.container().check_all()?;
            before.segments.iter().try_for_each(|segment| segment.container().check_all())?;
            return Ok(Built {
                generation: before.generation,
                files: u64::from(before.table.files()),
                text_bytes: before.table.meta()?.text_bytes,
                ..Built::default()
            });
        }
        Comparison::Diff(diff) if diff.dirs.is_empty() => {
            diff.changed.iter().for_each(|id| reported_files.insert(id.index()));
            let changed: Vec<FileId> = reported_files.iter().map(FileId::new).collect();
            return publish_changed(engine, lock, before, &changed, progress);
        }
        // Directories changed: their metadata, and perhaps the excluded entries, must be recorded
        // anew.
        Comparison::Diff(_) | Comparison::Rewalk(_) => walk_tree(engine)?,
    };
    publish_tree(engine, lock, Some((before, &reported_files)), walked, progress)
}

/// Builds an index in memory, for tests that compare it with a published one. No command uses it;
/// without a writable cache a search scans. O(text), in parallel.
pub fn build_in_memory(engine: &Engine, progress: &Progress) -> Result<Snapshot> {
    let plan = plan_tree(engine, None, walk_tree(engine)?, progress)?;
    let in_memory = |name: &str, bytes| Map::in_memory(Path::new(name).to_path_buf(), bytes);
    let mut segments = Vec::new();
    segment::write_runs(&plan.extracted.runs, &mut |sections| {
        segments.push(Segment::new(in_memory("segment in memory", sections.to_bytes()))?);
        Ok(())
    })?;
    let table = plan.table(&[plan.extracted.units])?;
    let table = Table::new(in_memory("table in memory", table))?;
    Ok(Snapshot { root: engine.root.clone(), generation: 1, table, segments })
}

/// A walked tree with the files that git tracks and the walk left out.
struct Walked {
    tree: Tree,
    tracked: Option<TrackedNames>,
}

/// Walks the tree. An index directory inside the tree contains no ignore rules, so its changes,
/// which happen at every publication, do not invalidate the rules of the walk.
fn walk_tree(engine: &Engine) -> Result<Walked> {
    let started_at = Instant::now();
    // Read first, so that a later change differs from what is recorded.
    let tracked = git::tracked(&engine.root);
    let mut taken_at = SystemTime::now();
    let mut tree = walk::walk(&engine.root, &engine.environment)?;
    if engine.settles && tree.sources.iter().any(is_never_unchanged) {
        thread::sleep(RACY_WINDOW.saturating_sub(started_at.elapsed()) + CLOCK_STEP_MAX);
        taken_at = SystemTime::now();
        tree = walk::walk(&engine.root, &engine.environment)?;
    }
    if let Ok(dir) = engine.store.dir().canonicalize() {
        tree.sources.retain(|source| source.path != dir);
    }
    if let Some(tracked) = &tracked {
        let left_out = tracked::left_out(engine, tracked, tree.files.iter());
        tree.add_tracked(&engine.root, left_out, taken_at);
    }
    Ok(Walked { tree, tracked: tracked.as_ref().map(tracked::names) })
}

/// Returns true for an ignore rule or a directory that changed so shortly before it was read that it
/// counts as changed until it is read again.
fn is_never_unchanged(source: &Source) -> bool {
    matches!(source.state, State::File { stamp: Stamp::NEVER, .. })
}

/// The contents of the next generation.
struct Plan {
    meta: TableMeta,
    dirs: Vec<DirEntry>,
    files: Vec<FileEntry>,
    sources: Vec<Source>,
    extracted: Extracted,
    read: u64,
}

impl Plan {
    fn table(&self, segment_units: &[u32]) -> Result<Vec<u8>> {
        table::build(&self.meta, &self.dirs, &self.files, segment_units, &self.sources)
    }
}

/// Publishes the generation after `before` for a tree that was just walked. The metadata of the files
/// with it prove nothing.
fn publish_tree(
    engine: &Engine,
    lock: &WriterLock,
    before: Option<(&Snapshot, &Bits)>,
    walked: Walked,
    progress: &Progress,
) -> Result<Built> {
    let plan = plan_tree(engine, before, walked, progress)?;
    publish(engine, lock, before.map(|(before, _)| before), plan, progress)
}

/// Decides for each file of `tree` whether its entry in `before` is still valid, and reads the
/// other files and those that come with `before`.
fn plan_tree(
    engine: &Engine,
    before: Option<(&Snapshot, &Bits)>,
    walked: Walked,
    progress: &Progress,
) -> Result<Plan> {
    let Walked { tree, tracked } = walked;
    let entry =
        |dir: WalkedDir| DirEntry { path: dir.path, stamp: dir.stamp, is_tracked: dir.is_tracked };
    let dirs = tree.dirs.into_iter().map(entry).collect();
    let mut meta = TableMeta {
        root: engine.root.display().to_string(),
        skipped: tree.skipped,
        problems: tree.problems,
        tracked,
        ..TableMeta::default()
    };
    note_global_excludes(tree.excludes_path.as_deref(), &mut meta);
    let mut kept: HashMap<Vec<u8>, FileEntry> = HashMap::new();
    let mut by_hash: HashMap<u128, Vec<FileEntry>> = HashMap::new();
    if let Some((before, reported)) = before {
        let unchanged = unchanged_files(before, reported, engine.environment.threads)?;
        for id in (0..before.table.files()).map(FileId) {
            let entry = entry_of(&before.table, id)?;
            if unchanged.contains(id.index()) {
                kept.insert(entry.path.clone(), entry);
            } else if entry.hash != 0 && entry.units > 0 {
                by_hash.entry(entry.hash).or_default().push(entry);
            }
        }
    }
    let to_read: Vec<Vec<u8>> =
        tree.files.iter().filter(|path| !kept.contains_key(*path)).cloned().collect();
    // Removed files may have been renamed.
    if before.is_some() {
        let present: std::collections::HashSet<&Vec<u8>> = tree.files.iter().collect();
        kept.retain(|path, entry| {
            let stays = present.contains(path);
            if !stays && entry.hash != 0 && entry.units > 0 {
                by_hash.entry(entry.hash).or_default().push(entry.clone());
            }
            stays
        });
    }
    let before = before.map(|(before, _)| before);
    let (extracted, read_entries) = read_files(engine, before, &to_read, by_hash, progress)?;
    let mut read_entries = read_entries.into_iter().peekable();
    let files = tree
        .files
        .iter()
        .map(|path| {
            let mut entry = match read_entries.next_if(|entry| entry.path == *path) {
                Some(entry) => entry,
                None => kept.remove(path).expect("a file is either kept or read"),
            };
            let is_tracked =
                tree.tracked.binary_search_by(|other| path::compare(other, path)).is_ok();
            let flag = if is_tracked { Flags::TRACKED } else { Flags::default() };
            entry.flags = entry.flags.without(Flags::TRACKED).with(flag);
            entry
        })
        .collect();
    let read = to_read.len() as u64;
    Ok(Plan { meta, dirs, files, sources: tree.sources, extracted, read })
}

/// Publishes the generation after `before` in which only the content of the files `changed`
/// differs.
fn publish_changed(
    engine: &Engine,
    lock: &WriterLock,
    before: &Snapshot,
    changed: &[FileId],
    progress: &Progress,
) -> Result<Built> {
    let table = &before.table;
    let mut files = Vec::with_capacity(table.files() as usize);
    for id in (0..table.files()).map(FileId) {
        files.push(entry_of(table, id)?);
    }
    let mut dirs = Vec::with_capacity(table.dirs() as usize);
    let tracked_dirs = table.tracked_dirs()?;
    for id in (0..table.dirs()).map(DirId) {
        let dir = table.dir(id)?;
        let is_tracked = tracked_dirs.binary_search(&id).is_ok();
        dirs.push(DirEntry { path: dir.path.to_bytes().to_vec(), stamp: dir.stamp, is_tracked });
    }
    let mut by_hash: HashMap<u128, Vec<FileEntry>> = HashMap::new();
    let mut to_read = Vec::with_capacity(changed.len());
    for id in changed {
        let entry = &files[id.index()];
        to_read.push(entry.path.clone());
        if entry.hash != 0 && entry.units > 0 {
            by_hash.entry(entry.hash).or_default().push(entry.clone());
        }
    }
    let (extracted, entries) = read_files(engine, Some(before), &to_read, by_hash, progress)?;
    for (id, mut entry) in changed.iter().zip(entries) {
        if files[id.index()].flags.has(Flags::TRACKED) {
            entry.flags = entry.flags.with(Flags::TRACKED);
        }
        files[id.index()] = entry;
    }
    let (meta, sources) = (table.meta()?, table.sources()?);
    let read = to_read.len() as u64;
    let plan = Plan { meta, dirs, files, sources, extracted, read };
    publish(engine, lock, Some(before), plan, progress)
}

/// Reads `to_read`; a file with the same content as an entry of `by_hash` reuses that entry's
/// units.
fn read_files(
    engine: &Engine,
    before: Option<&Snapshot>,
    to_read: &[Vec<u8>],
    by_hash: HashMap<u128, Vec<FileEntry>>,
    progress: &Progress,
) -> Result<(Extracted, Vec<FileEntry>)> {
    progress.expect_files(to_read.len() as u64);
    progress.enter(Stage::Reading);
    let by_hash = Mutex::new(by_hash);
    let taken: Mutex<HashMap<usize, FileEntry>> = Mutex::new(HashMap::new());
    let reuse = |i: usize, hash: u128| {
        let mut by_hash = by_hash.lock().expect("no thread panics while it holds the lock");
        let Some(entry) = by_hash.get_mut(&hash).and_then(Vec::pop) else { return false };
        taken.lock().expect("no thread panics while it holds the lock").insert(i, entry);
        true
    };
    let threads = engine.environment.threads;
    let mut extracted = files::extract(&engine.root, to_read, &reuse, threads, progress)?;
    let mut taken = taken.into_inner().expect("no thread panics while it holds the lock");
    if engine.settles && !progress.is_cancelled() {
        files::settle(&engine.root, &mut extracted.files);
    }
    let segment = before.map_or(0, |before| before.segments.len()) as u16;
    let entries = std::mem::take(&mut extracted.files)
        .into_iter()
        .enumerate()
        .map(|(i, read)| match taken.remove(&i) {
            Some(old) => FileEntry {
                segment: old.segment,
                first_unit: old.first_unit,
                units: old.units,
                ..read.entry
            },
            None => FileEntry { segment, ..read.entry },
        })
        .collect();
    Ok((extracted, entries))
}

/// Publishes `plan` as the next generation; removes temporary files if that fails.
fn publish(
    engine: &Engine,
    lock: &WriterLock,
    before: Option<&Snapshot>,
    plan: Plan,
    progress: &Progress,
) -> Result<Built> {
    progress.enter(Stage::Writing);
    let generation = engine.store.next_generation()?;
    write(engine, lock, before, plan, generation, progress)
        .inspect_err(|_| engine.store.discard(lock, generation))
}

/// Writes the delta and the table; merges the segments first if there are too many.
fn write(
    engine: &Engine,
    lock: &WriterLock,
    before: Option<&Snapshot>,
    mut plan: Plan,
    generation: u64,
    progress: &Progress,
) -> Result<Built> {
    let store = &engine.store;
    plan.meta.text_bytes = plan.files.iter().map(|file| file.stamp_size()).sum();
    plan.meta.scanned = scanned(&plan.files);
    let mut segment_units: Vec<u32> =
        before.iter().flat_map(|before| before.table.segment_units()).collect();
    let mut kept = match before {
        Some(before) => segments_of(store, before)?,
        None => Vec::new(),
    };
    let temporary = store.segment_temporary(generation);
    let with_segment = plan.extracted.units > 0 || before.is_none();
    if with_segment {
        segment::write_runs(&plan.extracted.runs, &mut |sections| sections.write(&temporary))?;
        segment_units.push(plan.extracted.units);
    }
    let live: u64 = plan.files.iter().map(|file| u64::from(file.units)).sum();
    let all: u64 = segment_units.iter().map(|&units| u64::from(units)).sum();
    let mut with_segment = with_segment;
    if let Some(before) = before
        && (segment_units.len() > SEGMENTS_MAX || all > 2 * live + 1024)
    {
        let delta = if with_segment { Some(Segment::open(&temporary, true)?) } else { None };
        let segments: Vec<&Segment> = before.segments.iter().chain(&delta).collect();
        let (renumbering, starts) = renumber(&mut plan.files, &segments)?;
        // It was read into memory above.
        let _ = std::fs::remove_file(&temporary);
        segment::merge(&segments, &renumbering, &starts, &mut |s| s.write(&temporary))?;
        segment_units = vec![starts.len() as u32];
        kept.clear();
        with_segment = true;
    }
    let table = plan.table(&segment_units)?;
    let mut built = Built {
        generation,
        files: plan.files.len() as u64,
        text_bytes: plan.meta.text_bytes,
        read: plan.read,
        extracted: u64::from(plan.extracted.units),
        published: false,
    };
    if let Some(before) = before
        && !with_segment
        && before.table.container().equals(&table)
    {
        built.generation = before.generation;
        return Ok(built);
    }
    if progress.is_cancelled() {
        return Err(Progress::cancelled());
    }
    store.publish(
        lock,
        &engine.root,
        NewGeneration { generation, kept: &kept, with_segment, table: &table },
    )?;
    store.note_use();
    built.published = true;
    Ok(built)
}

/// Returns the names of the segments of `before`, which no other writer can have replaced because
/// of the lock.
fn segments_of(store: &Store, before: &Snapshot) -> Result<Vec<String>> {
    let newest = store.newest()?.filter(|manifest| manifest.generation == before.generation);
    newest
        .map(|manifest| manifest.segments)
        .ok_or_else(|| Error::corrupt(store.dir(), "the generation to refresh was removed"))
}

/// Renumbers live units in the order of the files, so that all are in segment 0.
fn renumber(
    files: &mut [FileEntry],
    segments: &[&Segment],
) -> Result<(segment::Renumbering, Vec<u32>)> {
    let mut numbers: segment::Renumbering =
        segments.iter().map(|segment| vec![None; segment.units() as usize]).collect();
    let mut starts = Vec::new();
    for file in files {
        let first = starts.len() as u32;
        let segment = usize::from(file.segment);
        for unit in file.first_unit..file.first_unit + u32::from(file.units) {
            numbers[segment][unit as usize] = Some(starts.len() as u32);
            starts.push(segments[segment].start(UnitId(unit))?);
        }
        file.segment = 0;
        file.first_unit = first;
    }
    Ok((numbers, starts))
}

/// Returns the files of `before` whose metadata is unchanged, except those `reported`.
fn unchanged_files(before: &Snapshot, reported: &Bits, threads: usize) -> Result<Bits> {
    let files = before.table.files() as usize;
    let swept = super::sweep::sweep(
        &before.root,
        &before.table,
        0..before.table.dirs(),
        &Bits::new(files),
        threads,
    )?;
    let mut other = Bits::new(files);
    for id in swept.changed.iter().chain(&swept.gone) {
        other.insert(id.index());
    }
    let mut unchanged = Bits::new(files);
    (0..files).filter(|&id| !other.contains(id) && !reported.contains(id)).for_each(|id| {
        unchanged.insert(id);
    });
    Ok(unchanged)
}

fn entry_of(table: &Table, id: FileId) -> Result<FileEntry> {
    let file = table.file(id)?;
    Ok(FileEntry {
        path: path::join(table.dir(file.dir)?.path.to_bytes(), file.name.to_bytes()),
        flags: file.flags,
        segment: file.segment,
        first_unit: file.units.start,
        units: file.units.len() as u16,
        stamp: table.stamp(id)?,
        hash: table.hash(id)?,
    })
}

fn scanned(files: &[FileEntry]) -> std::collections::BTreeMap<String, u64> {
    let mut counts = std::collections::BTreeMap::new();
    for file in files {
        let reason = if file.flags.has(Flags::SECRET) {
            "secret"
        } else if !file.flags.has(Flags::SCAN) {
            continue;
        } else if file.stamp == Stamp::NEVER {
            "unreadable-or-just-changed"
        } else if file.stamp.size > INDEXED_BYTES_MAX {
            "large"
        } else {
            "utf-16"
        };
        *counts.entry(reason.to_owned()).or_default() += 1;
    }
    counts
}

fn note_global_excludes(path: Option<&Path>, meta: &mut TableMeta) {
    meta.global_excludes = path.map(|path| path.display().to_string());
    let text = path.and_then(rule_files::text).unwrap_or_default();
    meta.global_excludes_anchored = text.split(|&byte| byte == b'\n').any(|line| {
        let rule = line.trim_ascii();
        let rule = rule.strip_suffix(b"/").unwrap_or(rule);
        !rule.starts_with(b"#") && rule.contains(&b'/')
    });
}
