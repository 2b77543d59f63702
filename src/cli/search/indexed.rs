//! Lists the files to search with the index: the candidates of the pattern, and all files for which
//! the index is not current.
//!
//! The list is a subset of the list of a walk, in the same order. Files that are not listed cannot
//! match. Listed files are read, so that the output reflects their current contents.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::super::place::{self, TreeOptions};
use super::args::{Binary, Context, Fresh, Mmap};
use super::args::{Mode, TextEncoding};
use super::request::Request;
use super::searcher::is_stdin_path;
use super::targets::{self, ContentHint, Item, Origin, Target};
use crate::base::ids::{DirId, FileId};
use crate::base::path;
use crate::catalog::file_list::TreeDiff;
use crate::engine::{self, Comparison, Engine, PendingSync, WatchReport};
use crate::error::{Error, Kind, Result};
use crate::index::snapshot::Snapshot;
use crate::index::table::Flags;
use crate::query::candidates::{self, Candidates, Demand};
use crate::query::plan::Plan;
use crate::source::stamp::Stamp;

/// The number of changes above which a search starts a background build.
const CHANGES_MAX: usize = 32;

/// The time that a watcher has to report changes; checking the metadata of all files takes about as
/// long.
const SYNC_PATIENCE: Duration = Duration::from_millis(100);

/// The maximum number of trees whose indexes are used; paths in others are walked.
const TREES_MAX: usize = 32;

/// The files to search.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) items: Vec<Item>,
    /// There is no usable index: `items` is empty, and the files are found by a walk.
    pub(crate) is_walk: bool,
    /// The number of files in scope that are not listed because they cannot match.
    pub(crate) unread: u64,
    /// The trees whose index should be built, by their places in the list of engines.
    pub(crate) to_build: Vec<ToBuild>,
    pub(crate) report: Report,
}

/// A tree whose index is missing or outdated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToBuild {
    /// Its place in the list of engines.
    pub(crate) tree: usize,
    /// The index is damaged, which a refresh may not detect: it must be rebuilt.
    pub(crate) is_damaged: bool,
}

/// The data that `--explain-plan` prints.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) plan: Option<Plan>,
    pub(crate) postings: Vec<(String, u64)>,
    pub(crate) generation: Option<u64>,
    pub(crate) freshness: String,
    pub(crate) candidates: usize,
    pub(crate) candidate_blocks: usize,
    pub(crate) postings_read: u64,
    pub(crate) changed: usize,
    pub(crate) added: usize,
    pub(crate) gone: usize,
    pub(crate) steps: Vec<(&'static str, Duration)>,
}

impl Report {
    fn changes(&self) -> usize {
        self.changed + self.added + self.gone
    }

    fn step(&mut self, name: &'static str, since: Instant) {
        let elapsed = since.elapsed();
        match self.steps.iter_mut().find(|(step, _)| *step == name) {
            Some((_, total)) => *total += elapsed,
            None => self.steps.push((name, elapsed)),
        }
    }
}

/// Returns the engines for a request: that of the current directory or of `--root`, and those of the
/// trees in which other directories of the request lie. None if no index is used.
///
/// # Errors
///
/// If `--root` is not a directory.
pub(crate) fn engines(request: &Request) -> Result<Vec<Engine>> {
    let is_file = |path: &PathBuf| is_stdin_path(path) || !path.is_dir();
    let only_files = || request.scope.paths.iter().all(is_file);
    if request.index.no_index || !matches!(request.mode, Mode::Search(_)) || only_files() {
        return Ok(Vec::new());
    }
    let options = TreeOptions {
        root: request.index.root.clone(),
        index_dir: request.index.index_dir.clone(),
        data_dir: None,
        threads: Some(request.threads),
    };
    let mut engines = match place::engine(&options) {
        Ok(engine) => vec![engine],
        Err(error) if request.index.root.is_some() => return Err(error),
        // Without a directory for the index, all files are searched.
        Err(error) => {
            log::debug!("no index: {error}");
            return Ok(Vec::new());
        }
    };
    if request.index.root.is_some() || request.scope.implicit {
        return Ok(engines);
    }
    for path in request.scope.paths.iter().filter(|path| !is_file(path)) {
        let Ok(dir) = request.current_dir.join(path).canonicalize() else { continue };
        let other = place::engine_around(&dir, &options).unwrap_or_else(|error| {
            log::debug!("no index of {}: {error}", dir.display());
            None
        });
        let is_new = |other: &Engine| engines.iter().all(|engine| engine.root() != other.root());
        if let Some(other) = other.filter(is_new)
            && engines.len() < TREES_MAX
        {
            engines.push(other);
        }
    }
    Ok(engines)
}

/// Lists the files to search with the indexes of `engines`, which are those of [`engines`].
///
/// # Errors
///
/// On an invalid glob or file type.
pub(crate) fn list(request: &Request, engines: &[Engine]) -> Result<Listing> {
    let started = Instant::now();
    let snapshots: Vec<Option<Snapshot>> = engines.iter().map(snapshot).collect();
    let homes: Vec<Option<usize>> =
        request.scope.paths.iter().map(|path| home(request, engines, &snapshots, path)).collect();
    let to_build: Vec<ToBuild> = (0..engines.len())
        .filter(|&tree| snapshots[tree].is_none() && homes.contains(&Some(tree)))
        .map(|tree| ToBuild { tree, is_damaged: false })
        .collect();
    let mut report = Report::default();
    report.step("open the index", started);
    if snapshots.iter().all(Option::is_none) {
        report.freshness = "no index: all files are searched".to_owned();
        return Ok(Listing { is_walk: true, to_build, report, ..Listing::default() });
    }
    let planning = Instant::now();
    let plan = plan(request);
    report.step("plan", planning);
    let mut listing = Listing { to_build, report, ..Listing::default() };
    let mut lookups: Vec<Option<Lookup<'_>>> = Vec::with_capacity(engines.len());
    // A path that lies in no tree may contain that of the current directory.
    let is_used = |tree: usize| homes.iter().any(|home| home.unwrap_or(0) == tree);
    for (tree, (engine, snapshot)) in engines.iter().zip(&snapshots).enumerate() {
        let Some(snapshot) = snapshot.as_ref().filter(|_| is_used(tree)) else {
            lookups.push(None);
            continue;
        };
        match Lookup::new(request, engine, snapshot, &plan, &mut listing.report) {
            Ok(lookup) => lookups.push(Some(lookup)),
            Err(error) => return damaged(tree, error),
        }
    }
    for (path, home) in request.scope.paths.iter().zip(homes) {
        let tree = home.unwrap_or(0);
        let Some(lookup) = lookups.get_mut(tree).and_then(Option::as_mut) else {
            let walking = Instant::now();
            listing.items.extend(targets::list_path(request, path)?);
            listing.report.step("walk", walking);
            continue;
        };
        let changes_before = listing.report.changes();
        match lookup.add(path, &mut listing) {
            Ok(has_obstacle) => {
                let changes = listing.report.changes() - changes_before;
                let is_listed = listing.to_build.iter().any(|build| build.tree == tree);
                if (has_obstacle || changes > CHANGES_MAX) && !is_listed {
                    listing.to_build.push(ToBuild { tree, is_damaged: false });
                }
            }
            Err(error) => return damaged(tree, error),
        }
    }
    listing.report.plan = Some(plan);
    targets::apply_sort(request, &mut listing.items);
    Ok(listing)
}

/// Returns the listing of a request one of whose indexes turned out to be damaged.
fn damaged(tree: usize, error: Error) -> Result<Listing> {
    if error.kind() != Kind::Corrupt {
        return Err(error);
    }
    log::debug!("index damaged, scanning instead: {error}");
    let to_build = vec![ToBuild { tree, is_damaged: true }];
    Ok(Listing { is_walk: true, to_build, ..Listing::default() })
}

fn snapshot(engine: &Engine) -> Option<Snapshot> {
    let snapshot = engine.snapshot().unwrap_or_else(|error| {
        log::debug!("index unusable, scanning instead: {error}");
        None
    });
    if snapshot.is_some() {
        engine.store().note_use();
    }
    snapshot
}

/// Returns the place of the engine in whose tree `path` lies: that of the current directory if its
/// index has the directory, else the innermost.
fn home(
    request: &Request,
    engines: &[Engine],
    snapshots: &[Option<Snapshot>],
    path: &Path,
) -> Option<usize> {
    if is_stdin_path(path) {
        return None;
    }
    if request.index.root.is_some() {
        return Some(0);
    }
    let canonical = request.current_dir.join(path).canonicalize().ok()?;
    let has_dir = |snapshot: &Snapshot| {
        let below = canonical.strip_prefix(engines[0].root()).ok().and_then(path::from_path);
        below.is_some_and(|below| matches!(snapshot.table.find_dir(&below), Ok(Some(_))))
    };
    if snapshots[0].as_ref().is_some_and(has_dir) {
        return Some(0);
    }
    let around = |tree: &usize| canonical.starts_with(engines[*tree].root());
    let depth = |tree: &usize| engines[*tree].root().components().count();
    (0..engines.len()).filter(around).max_by_key(depth)
}

/// Returns the plan of the request's patterns.
fn plan(request: &Request) -> Plan {
    let reading = &request.reading;
    let as_stored = matches!(reading.encoding, TextEncoding::Auto)
        && reading.preprocessor.is_none()
        && !reading.decompress;
    let prints_all = request.format.context == Context::Passthru;
    if !as_stored || prints_all {
        return Plan::all();
    }
    Plan::new(&request.patterns, &super::matcher::pattern_options(request))
}

/// Returns true unless the search of a walked file stops at its first NUL byte.
fn reads_past_nul(request: &Request) -> bool {
    let Request { matching, reading, .. } = request;
    reading.binary != Binary::Auto
        || reading.mmap == Mmap::Always
        || matching.multiline
        || matching.null_data
}

/// The look-up in the index of one tree.
struct Lookup<'a> {
    request: &'a Request,
    engine: &'a Engine,
    snapshot: &'a Snapshot,
    candidates: Candidates,
    /// The request to the watch server, sent first so that it works in parallel.
    sync: Option<PendingSync>,
    /// Its reply, after it has been awaited.
    watched: Option<WatchReport>,
}

impl<'a> Lookup<'a> {
    fn new(
        request: &'a Request,
        engine: &'a Engine,
        snapshot: &'a Snapshot,
        plan: &Plan,
        report: &mut Report,
    ) -> Result<Lookup<'a>> {
        let uses_watcher = !matches!(request.index.fresh, Some(Fresh::Strict | Fresh::Trust));
        let sync = if uses_watcher { engine::start_sync(engine) } else { None };
        let evaluating = Instant::now();
        let demand = Demand {
            spans_lines: plan.spans_lines(),
            with_fold_docs: plan.with_fold_docs(),
            binary_as_text: reads_past_nul(request),
            in_memory: false,
        };
        let candidates = candidates::candidates(snapshot, plan.query(), demand)?;
        report.step("evaluate", evaluating);
        report.generation = report.generation.or(Some(snapshot.generation));
        report.candidates += candidates.files.count();
        report.candidate_blocks += candidates.blocks.values().map(Vec::len).sum::<usize>();
        report.postings_read += candidates.postings_read;
        if request.index.explain_plan {
            let sizes = candidates::posting_sizes(snapshot, plan.query())?;
            report.postings.extend(sizes);
        }
        Ok(Lookup { request, engine, snapshot, candidates, sync, watched: None })
    }

    /// Adds the files to search below one path of the request; returns true if the index should be
    /// refreshed for more than changed files.
    fn add(&mut self, path: &Path, listing: &mut Listing) -> Result<bool> {
        match self.scope(path)? {
            Some(dir) => self.add_directory(path, dir, listing),
            None => self.add_walked(path, listing).map(|()| false),
        }
    }

    /// Returns the directory in the table whose files are exactly those that a walk of `path`
    /// lists.
    fn scope(&self, path: &Path) -> Result<Option<DirId>> {
        let request = self.request;
        if is_stdin_path(path) || !request.filter.is_default() {
            return Ok(None);
        }
        let lexical = normalize(&request.current_dir.join(path));
        // Through a symbolic link, ignore rules see other paths of the same files, and `..` leads to
        // another directory.
        let Ok(canonical) = request.current_dir.join(path).canonicalize() else { return Ok(None) };
        let Ok(below) = lexical.strip_prefix(self.engine.root()) else { return Ok(None) };
        if canonical != lexical || !lexical.is_dir() {
            return Ok(None);
        }
        let Some(below) = path::from_path(below) else { return Ok(None) };
        // Anchored patterns of the global excludes are relative to the current directory.
        if request.current_dir != self.engine.root()
            && self.snapshot.table.meta()?.global_excludes_anchored
        {
            return Ok(None);
        }
        let table = &self.snapshot.table;
        // Of a directory that searches leave out, the table has only the files that git tracks.
        let left_out = table.tracked_dirs()?;
        Ok(table.find_dir(&below)?.filter(|dir| left_out.binary_search(dir).is_err()))
    }

    fn add_directory(&mut self, given: &Path, dir: DirId, listing: &mut Listing) -> Result<bool> {
        let checking = Instant::now();
        let freshened = self.freshen(dir, &mut listing.report)?;
        listing.report.step("check freshness", checking);
        let diff = match freshened {
            Comparison::Diff(diff) => diff,
            Comparison::Rewalk(reason) => {
                listing.report.freshness = format!("walked: {reason}");
                self.add_walked(given, listing)?;
                // A build would encounter the same problems as this walk.
                let has_problem = |item: &Item| matches!(item, Item::Problem(_));
                return Ok(!listing.items.iter().any(has_problem));
            }
        };
        let listing_files = Instant::now();
        listing.report.changed += diff.changed.len();
        listing.report.added += diff.added.len();
        listing.report.gone += diff.gone.len();
        self.add_diff(given, dir, &diff, listing)?;
        listing.report.step("list", listing_files);
        Ok(false)
    }

    fn freshen(&mut self, dir: DirId, report: &mut Report) -> Result<Comparison> {
        if self.request.index.fresh == Some(Fresh::Trust) {
            if self.snapshot.table.meta()?.problems > 0 {
                return Ok(Comparison::Rewalk("the walk had problems, which a search must report"));
            }
            report.freshness = "trust: nothing was checked".to_owned();
            return Ok(Comparison::Diff(TreeDiff::default()));
        }
        let environment = self.engine.environment();
        if let Some(sync) = self.sync.take() {
            self.watched = sync.wait(SYNC_PATIENCE);
        }
        if let Some(watched) = &self.watched
            && let Some(freshened) =
                engine::compare_watched(self.snapshot, watched, dir, environment)?
        {
            report.freshness = "watch: changes reported by the watcher".to_owned();
            return Ok(freshened);
        }
        report.freshness = "strict: the metadata of every file was checked".to_owned();
        engine::compare_tree(self.snapshot, dir, &self.candidates.files, environment)
    }

    /// Adds the candidates below `dir`, and the files that were changed or added, in path order.
    fn add_diff(
        &self,
        given: &Path,
        dir: DirId,
        diff: &TreeDiff,
        listing: &mut Listing,
    ) -> Result<()> {
        let candidates = &self.candidates;
        let table = &self.snapshot.table;
        let entry = table.dir(dir)?;
        let prefix = entry.path.to_bytes();
        let all = candidates.is_all || self.request.lists_misses();
        let mut added = diff.added.iter().peekable();
        let mut spelling = PathSpelling::new(given, self.request.scope.implicit, prefix);
        let files = entry.files.clone();
        let listed: Vec<FileId> = if all {
            files.clone().map(FileId).collect()
        } else {
            let candidates = candidates.files.iter().map(FileId::new);
            let mut listed: Vec<FileId> = candidates.chain(diff.changed.iter().copied()).collect();
            listed.retain(|id| files.contains(&id.0));
            listed.sort_unstable();
            listed.dedup();
            listed
        };
        let tracked = table.flagged(Flags::TRACKED)?;
        let is_left_out = |id: &FileId| tracked.binary_search(id).is_ok();
        let left_out = tracked.iter().filter(|id| files.contains(&id.0)).count();
        let listed: Vec<FileId> = listed.into_iter().filter(|id| !is_left_out(id)).collect();
        listing.unread += (files.len() - left_out - listed.len()) as u64;
        for id in listed {
            let changed = diff.changed.binary_search(&id).is_ok();
            let is_candidate = changed || candidates.files.contains(id.index());
            if diff.gone.binary_search(&id).is_ok() {
                continue;
            }
            let file = table.file(id)?;
            let relative = path::join(table.dir(file.dir)?.path.to_bytes(), file.name.to_bytes());
            while let Some(path) = added.next_if(|path| path::compare(path, &relative).is_lt()) {
                listing.items.push(spelling.item(path, ContentHint::Unknown));
            }
            let hint = match (changed, is_candidate) {
                (true, _) => ContentHint::Unknown,
                // The output for a file with a NUL byte depends on more than whether it matches.
                (_, false) if file.flags.has(Flags::BINARY) => ContentHint::Unknown,
                (_, false) => ContentHint::NoMatch,
                (_, true) => self.hint(id)?,
            };
            listing.items.push(spelling.item(&relative, hint));
        }
        let rest: Vec<Item> = added.map(|path| spelling.item(path, ContentHint::Unknown)).collect();
        listing.items.extend(rest);
        let is_unread = |id: &&FileId| !candidates.files.contains(id.index()) && !is_left_out(id);
        let gone = diff.gone.iter().filter(is_unread);
        listing.unread = listing.unread.saturating_sub(if all { 0 } else { gone.count() as u64 });
        Ok(())
    }

    /// Returns the content hint of a candidate.
    fn hint(&self, id: FileId) -> Result<ContentHint> {
        let table = &self.snapshot.table;
        let (file, stamp) = (table.file(id)?, table.stamp(id)?);
        // The search of a file with a NUL byte ends there, and NUL bytes are not indexed.
        if file.flags.has(Flags::SCAN) || file.flags.has(Flags::BINARY) {
            return Ok(ContentHint::Unknown);
        }
        let Some(blocks) = self.candidates.blocks.get(&id) else {
            return Ok(ContentHint::Text(stamp));
        };
        let segment = &self.snapshot.segments[usize::from(file.segment)];
        let mut ranges: Vec<Range<u32>> = Vec::with_capacity(blocks.len());
        for &unit in blocks {
            let next = crate::base::ids::UnitId(unit.0 + 1);
            let start = segment.start(unit)?;
            let end = if next.0 < file.units.end { segment.start(next)? } else { u32::MAX };
            ranges.push(start..end);
        }
        Ok(ContentHint::Blocks(Box::new((stamp, ranges))))
    }

    /// Adds the files that a walk of `path` with the request's filters lists, except for files that
    /// are unchanged since they were indexed and cannot match.
    fn add_walked(&self, path: &Path, listing: &mut Listing) -> Result<()> {
        let walking = Instant::now();
        let items = targets::list_path(self.request, path)?;
        listing.report.step("walk", walking);
        if self.candidates.is_all {
            listing.items.extend(items);
            return Ok(());
        }
        let checking = Instant::now();
        let lists_misses = self.request.lists_misses();
        let base = normalize(&self.request.current_dir);
        let trust = self.request.index.fresh == Some(Fresh::Trust);
        let kept: Vec<Option<Item>> = items
            .into_par_iter()
            .with_min_len(64)
            .map(|item| {
                let Item::Search(mut target) = item else { return Ok(Some(item)) };
                let cannot_match = self.cannot_match(&base, &target, trust)?;
                if cannot_match && !lists_misses {
                    return Ok(None);
                }
                if cannot_match {
                    target.hint = ContentHint::NoMatch;
                }
                Ok(Some(Item::Search(target)))
            })
            .collect::<Result<_>>()?;
        let before = kept.len();
        let kept: Vec<Item> = kept.into_iter().flatten().collect();
        listing.unread += (before - kept.len()) as u64;
        listing.items.extend(kept);
        listing.report.step("check freshness", checking);
        Ok(())
    }

    /// Returns true if the target is unchanged since it was indexed and cannot match.
    fn cannot_match(&self, base: &Path, target: &Target, trust: bool) -> Result<bool> {
        if target.origin != Origin::Walked {
            return Ok(false);
        }
        let absolute = normalize(&base.join(&target.path));
        let Ok(below) = absolute.strip_prefix(self.engine.root()) else { return Ok(false) };
        let Some(below) = path::from_path(below) else { return Ok(false) };
        let table = &self.snapshot.table;
        let Some(id) = table.find_file(&below)? else { return Ok(false) };
        if self.candidates.files.contains(id.index()) {
            return Ok(false);
        }
        if self.request.lists_misses() && table.file(id)?.flags.has(Flags::BINARY) {
            return Ok(false);
        }
        if trust {
            return Ok(true);
        }
        let Ok(metadata) = std::fs::symlink_metadata(&target.path) else { return Ok(false) };
        Ok(metadata.is_file() && Stamp::of(&metadata) == table.stamp(id)?)
    }
}

/// Converts repository paths to the paths that a walk of a given directory prints.
struct PathSpelling {
    given: PathBuf,
    /// The length of the repository path of the directory, including its separator, in bytes.
    skip: usize,
}

impl PathSpelling {
    fn new(given: &Path, implicit: bool, prefix: &[u8]) -> PathSpelling {
        let given = if implicit { PathBuf::new() } else { given.to_path_buf() };
        PathSpelling { given, skip: prefix.len() + usize::from(!prefix.is_empty()) }
    }

    fn item(&mut self, relative: &[u8], hint: ContentHint) -> Item {
        let rest = path::to_path(&relative[self.skip..]);
        let path = if self.given.as_os_str().is_empty() { rest } else { self.given.join(rest) };
        Item::Search(Target { path, origin: Origin::Walked, hint })
    }
}

/// Resolves `.` and `..` lexically.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
