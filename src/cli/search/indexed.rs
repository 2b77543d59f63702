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
use crate::error::{Kind, Result};
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

/// The files to search.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) items: Vec<Item>,
    /// There is no usable index: `items` is empty, and the files are found by a walk.
    pub(crate) is_walk: bool,
    /// The number of files in scope that are not listed because they cannot match.
    pub(crate) unread: u64,
    /// The index is missing or outdated and should be built.
    pub(crate) needs_build: bool,
    /// The index is damaged, which a refresh may not detect: it must be rebuilt.
    pub(crate) is_damaged: bool,
    pub(crate) report: Report,
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
    fn step(&mut self, name: &'static str, since: Instant) {
        let elapsed = since.elapsed();
        match self.steps.iter_mut().find(|(step, _)| *step == name) {
            Some((_, total)) => *total += elapsed,
            None => self.steps.push((name, elapsed)),
        }
    }
}

/// Returns the engine for a request; `None` if no index is used.
///
/// # Errors
///
/// If `--root` is not a directory.
pub(crate) fn engine(request: &Request) -> Result<Option<Engine>> {
    let only_files = || {
        let is_file = |path: &PathBuf| is_stdin_path(path) || !path.is_dir();
        request.scope.paths.iter().all(is_file)
    };
    if request.index.no_index || !matches!(request.mode, Mode::Search(_)) || only_files() {
        return Ok(None);
    }
    let options = TreeOptions {
        root: request.index.root.clone(),
        index_dir: request.index.index_dir.clone(),
        data_dir: None,
        threads: Some(request.threads),
    };
    match place::engine(&options) {
        Ok(engine) => Ok(Some(engine)),
        Err(error) if request.index.root.is_some() => Err(error),
        // Without a directory for the index, all files are searched.
        Err(error) => {
            log::debug!("no index: {error}");
            Ok(None)
        }
    }
}

/// Lists the files to search with the index of `engine`, if there is one.
///
/// # Errors
///
/// On an invalid glob or file type.
pub(crate) fn list(request: &Request, engine: &Engine) -> Result<Listing> {
    let started = Instant::now();
    let snapshot = match engine.snapshot() {
        Ok(snapshot) => snapshot,
        Err(error) => {
            log::debug!("index unusable, scanning instead: {error}");
            None
        }
    };
    let mut report = Report::default();
    report.step("open the index", started);
    let Some(snapshot) = snapshot else {
        report.freshness = "no index: all files are searched".to_owned();
        return Ok(Listing { is_walk: true, needs_build: true, report, ..Listing::default() });
    };
    engine.store().note_use();
    let uses_watcher = !matches!(request.index.fresh, Some(Fresh::Strict | Fresh::Trust));
    let mut lookup = Lookup {
        request,
        engine,
        snapshot: &snapshot,
        sync: if uses_watcher { engine::start_sync(engine) } else { None },
        watched: None,
    };
    match lookup.list(report) {
        Err(error) if error.kind() == Kind::Corrupt => {
            log::debug!("index damaged, scanning instead: {error}");
            let (is_walk, needs_build, is_damaged) = (true, true, true);
            Ok(Listing { is_walk, needs_build, is_damaged, ..Listing::default() })
        }
        other => other,
    }
}

struct Lookup<'a> {
    request: &'a Request,
    engine: &'a Engine,
    snapshot: &'a Snapshot,
    /// The request to the watch server, sent first so that it works in parallel.
    sync: Option<PendingSync>,
    /// Its reply, after it has been awaited.
    watched: Option<WatchReport>,
}

impl Lookup<'_> {
    fn list(&mut self, mut report: Report) -> Result<Listing> {
        let request = self.request;
        let planning = Instant::now();
        let plan = self.plan();
        report.step("plan", planning);
        let evaluating = Instant::now();
        let candidates = candidates::candidates(
            self.snapshot,
            plan.query(),
            Demand {
                spans_lines: plan.spans_lines(),
                with_fold_docs: plan.with_fold_docs(),
                binary_as_text: self.reads_past_nul(),
                in_memory: false,
            },
        )?;
        report.step("evaluate", evaluating);
        report.generation = Some(self.snapshot.generation);
        report.candidates = candidates.files.count();
        report.candidate_blocks = candidates.blocks.values().map(Vec::len).sum();
        report.postings_read = candidates.postings_read;
        if request.index.explain_plan {
            let sizes = candidates::posting_sizes(self.snapshot, plan.query())?;
            report.postings = sizes.iter().map(|(gram, n)| (gram.to_string(), *n)).collect();
        }
        report.plan = Some(plan);
        let mut listing = Listing { report, ..Listing::default() };
        for path in &request.scope.paths {
            match self.scope(path)? {
                Some(dir) => self.add_directory(path, dir, &candidates, &mut listing)?,
                None => self.add_walked(path, &candidates, &mut listing)?,
            }
        }
        targets::apply_sort(request, &mut listing.items);
        let report = &listing.report;
        listing.needs_build |= report.changed + report.added + report.gone > CHANGES_MAX;
        Ok(listing)
    }

    fn plan(&self) -> Plan {
        let Request { reading, .. } = self.request;
        let as_stored = matches!(reading.encoding, TextEncoding::Auto)
            && reading.preprocessor.is_none()
            && !reading.decompress;
        let prints_all = self.request.format.context == Context::Passthru;
        if !as_stored || prints_all {
            return Plan::all();
        }
        Plan::new(&self.request.patterns, &super::matcher::pattern_options(self.request))
    }

    /// Returns true unless the search of a walked file stops at its first NUL byte.
    fn reads_past_nul(&self) -> bool {
        let Request { matching, reading, .. } = self.request;
        reading.binary != Binary::Auto
            || reading.mmap == Mmap::Always
            || matching.multiline
            || matching.null_data
    }

    /// Returns the directory in the table whose files are exactly those that a walk of `path`
    /// lists.
    fn scope(&self, path: &Path) -> Result<Option<DirId>> {
        let request = self.request;
        if is_stdin_path(path) || !request.filter.is_default() {
            return Ok(None);
        }
        let lexical = normalize(&request.current_dir.join(path));
        // Through a symbolic link, ignore rules see other paths of the same files.
        let Ok(canonical) = lexical.canonicalize() else { return Ok(None) };
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
        self.snapshot.table.find_dir(&below)
    }

    fn add_directory(
        &mut self,
        given: &Path,
        dir: DirId,
        candidates: &Candidates,
        listing: &mut Listing,
    ) -> Result<()> {
        let checking = Instant::now();
        let freshened = self.freshen(dir, candidates, &mut listing.report)?;
        listing.report.step("check freshness", checking);
        let diff = match freshened {
            Comparison::Diff(diff) => diff,
            Comparison::Rewalk(reason) => {
                listing.report.freshness = format!("walked: {reason}");
                let walked = self.add_walked(given, candidates, listing);
                // A build would encounter the same problems as this walk.
                let has_problem = |item: &Item| matches!(item, Item::Problem(_));
                listing.needs_build |= !listing.items.iter().any(has_problem);
                return walked;
            }
        };
        let listing_files = Instant::now();
        listing.report.changed += diff.changed.len();
        listing.report.added += diff.added.len();
        listing.report.gone += diff.gone.len();
        self.add_diff(given, dir, &diff, candidates, listing)?;
        listing.report.step("list", listing_files);
        Ok(())
    }

    fn freshen(
        &mut self,
        dir: DirId,
        candidates: &Candidates,
        report: &mut Report,
    ) -> Result<Comparison> {
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
        engine::compare_tree(self.snapshot, dir, &candidates.files, environment)
    }

    /// Adds the candidates below `dir`, and the files that were changed or added, in path order.
    fn add_diff(
        &self,
        given: &Path,
        dir: DirId,
        diff: &TreeDiff,
        candidates: &Candidates,
        listing: &mut Listing,
    ) -> Result<()> {
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
        listing.unread += (files.len() - listed.len()) as u64;
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
                (_, true) => self.hint(id, candidates)?,
            };
            listing.items.push(spelling.item(&relative, hint));
        }
        let rest: Vec<Item> = added.map(|path| spelling.item(path, ContentHint::Unknown)).collect();
        listing.items.extend(rest);
        let gone = diff.gone.iter().filter(|id| !candidates.files.contains(id.index()));
        listing.unread = listing.unread.saturating_sub(if all { 0 } else { gone.count() as u64 });
        Ok(())
    }

    /// Returns the content hint of a candidate.
    fn hint(&self, id: FileId, candidates: &Candidates) -> Result<ContentHint> {
        let table = &self.snapshot.table;
        let (file, stamp) = (table.file(id)?, table.stamp(id)?);
        // The search of a file with a NUL byte ends there, and NUL bytes are not indexed.
        if file.flags.has(Flags::SCAN) || file.flags.has(Flags::BINARY) {
            return Ok(ContentHint::Unknown);
        }
        let Some(blocks) = candidates.blocks.get(&id) else { return Ok(ContentHint::Text(stamp)) };
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
    fn add_walked(
        &self,
        path: &Path,
        candidates: &Candidates,
        listing: &mut Listing,
    ) -> Result<()> {
        let walking = Instant::now();
        let items = targets::list_path(self.request, path)?;
        listing.report.step("walk", walking);
        if candidates.is_all {
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
                let cannot_match = self.cannot_match(&base, &target, candidates, trust)?;
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
    fn cannot_match(
        &self,
        base: &Path,
        target: &Target,
        candidates: &Candidates,
        trust: bool,
    ) -> Result<bool> {
        if target.origin != Origin::Walked {
            return Ok(false);
        }
        let absolute = normalize(&base.join(&target.path));
        let Ok(below) = absolute.strip_prefix(self.engine.root()) else { return Ok(false) };
        let Some(below) = path::from_path(below) else { return Ok(false) };
        let table = &self.snapshot.table;
        let Some(id) = table.find_file(&below)? else { return Ok(false) };
        if candidates.files.contains(id.index()) {
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
