//! The implementation of [`Code`] for a tree on this machine.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::xxh3_128;

use super::Engine;
use super::attach::follow;
use super::cache::TreeState;
use super::catalog::{catalog, indexed, segments};
use super::file_list::{Check, newer_list};
use super::history::{FoundHistory, current, history};
use super::may_match::may_match;
use super::progress::{Progress, Stage};
use super::ranking::overlay;
use crate::base::interrupt::Interrupt;
use crate::catalog::Catalog;
use crate::catalog::code::{Code, Editor, JobKind};
use crate::catalog::damage::{Damage, Part};
use crate::catalog::file_list::FileList;
use crate::catalog::folders::Folders;
use crate::error::Result;
use crate::history::History;
use crate::history::git::Git;
use crate::history::versions::Versions;
use crate::index::code::CodeSegment;
use crate::index::text::{Overlay, Unusable};
use crate::lang::{Language, Outline, Symbol};
use crate::query::fuzzy::PathIndex;
use crate::query::plan::Plan;
use crate::source::guarded::Content;
use crate::userdata::Database;
use crate::userdata::jobs::Job;

/// The state of an engine's tree during one call: the list of files is made on first use and then
/// reused, so that one reply is consistent.
#[derive(Debug)]
pub struct Local<'a> {
    engine: &'a Engine,
    check: Check,
    may_write: bool,
    interrupt: Interrupt<'a>,
    uses_code_index: bool,
    /// The parts of the index that were found damaged.
    damage: Damage,
    state: OnceLock<Arc<TreeState>>,
    segments: OnceLock<Arc<Vec<CodeSegment>>>,
    catalog: OnceLock<Arc<Catalog>>,
    indexed: OnceLock<Arc<Catalog>>,
    history: OnceLock<FoundHistory>,
    git: OnceLock<Option<Git>>,
}

impl<'a> Local<'a> {
    /// Creates the view of the tree of `engine`, checked according to `check`; reads nothing yet.
    pub fn new(engine: &'a Engine, check: Check) -> Local<'a> {
        Local {
            engine,
            check,
            may_write: false,
            interrupt: Interrupt::NEVER,
            uses_code_index: true,
            damage: Damage::default(),
            state: OnceLock::new(),
            segments: OnceLock::new(),
            catalog: OnceLock::new(),
            indexed: OnceLock::new(),
            history: OnceLock::new(),
            git: OnceLock::new(),
        }
    }

    /// Returns the same view for a call that can be interrupted. A walk then fails with
    /// [`crate::Kind::Cancelled`]; files that are not parsed by then count as not indexed.
    #[must_use]
    pub fn interrupted_by(self, interrupt: Interrupt<'a>) -> Self {
        Local { interrupt, ..self }
    }

    /// Returns the same view for a call that may write files.
    #[must_use]
    pub fn writable(self) -> Self {
        Local { may_write: true, ..self }
    }

    /// Returns the same view without the code index, which may be damaged.
    #[must_use]
    pub fn without_code_index(self) -> Self {
        self.engine.cache.forget_segments();
        let (segments, catalog, indexed) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Local { uses_code_index: false, segments, catalog, indexed, ..self }
    }

    /// Returns true if the code index turned out to be damaged while it was read: replies since
    /// then may be incomplete.
    pub fn is_damaged(&self) -> bool {
        let is_damaged = |catalog: &Arc<Catalog>| catalog.is_damaged();
        [&self.catalog, &self.indexed].iter().any(|made| made.get().is_some_and(is_damaged))
    }

    /// Records that a part of the index is damaged, for example after an error of a call.
    pub fn note_damage(&self, part: Part) {
        self.damage.note(part);
    }

    /// Returns the parts of the index that this call, or another since the last time, found damaged.
    pub fn take_damage(&self) -> Damage {
        let found = self.engine.cache.damage.take();
        found.add(&self.damage);
        for part in [Part::Code, Part::Text] {
            if self.found_damage(part) {
                found.note(part);
            }
        }
        found
    }

    fn segments(&self) -> &Arc<Vec<CodeSegment>> {
        self.segments.get_or_init(|| {
            if !self.uses_code_index {
                return Arc::default();
            }
            segments(self.engine).unwrap_or_else(|error| {
                log::debug!("code index unusable: {error}");
                self.damage.note(Part::Code);
                Arc::default()
            })
        })
    }

    /// Records whether `catalog` had to be made without the segments.
    fn inspected(&self, catalog: Arc<Catalog>) -> Arc<Catalog> {
        if !catalog.has_segments(self.segments()) {
            self.damage.note(Part::Code);
        }
        catalog
    }

    fn state(&self) -> Result<&Arc<TreeState>> {
        if let Some(state) = self.state.get() {
            return Ok(state);
        }
        let last = self.engine.cache.last();
        if let Some(last) = last.as_ref().filter(|last| self.is_current(&last.files)) {
            return Ok(self.state.get_or_init(|| Arc::clone(last)));
        }
        let newer = newer_list(
            self.engine,
            self.check,
            last.as_ref().map(|last| &*last.files),
            &self.damage,
            self.interrupt,
        )?;
        let state = match (newer, last) {
            (None, Some(last)) => last,
            (newer, _) => self.engine.cache.state(newer.unwrap_or_default()),
        };
        Ok(self.state.get_or_init(|| state))
    }
}

impl Local<'_> {
    /// Returns true if a watch server of this process guarantees that a list of files is current.
    pub(super) fn is_current(&self, files: &FileList) -> bool {
        let Engine { cache, store, root, .. } = self.engine;
        self.check == Check::Watcher
            && cache.watch_state.unchanged(store).is_some_and(|unchanged| {
                files.is_current(root, |generation, sums| unchanged.is_of(generation, sums))
            })
    }
}

impl Code for Local<'_> {
    fn root(&self) -> &Path {
        self.engine.root()
    }

    fn files(&self) -> Result<&FileList> {
        Ok(&self.state()?.files)
    }

    fn catalog(&self, about: &[&str]) -> Result<&Catalog> {
        if let Some(catalog) = self.catalog.get() {
            return Ok(catalog);
        }
        let catalog = catalog(self.engine, self.state()?, self.segments(), about, self.interrupt)?;
        Ok(self.catalog.get_or_init(|| self.inspected(catalog)))
    }

    fn indexed(&self) -> Result<&Catalog> {
        if let Some(catalog) = self.catalog.get().or(self.indexed.get()) {
            return Ok(catalog);
        }
        let catalog = indexed(self.engine, self.state()?, self.segments())?;
        Ok(self.indexed.get_or_init(|| self.inspected(catalog)))
    }

    fn outline(&self, path: &[u8], hash: u128) -> Option<(&'static Language, Vec<Symbol>)> {
        // If several segments have the file, the last one is the most likely to match.
        self.segments().iter().rev().find_map(|segment| {
            segment.outline(path, hash).unwrap_or_else(|error| {
                log::debug!("code index unusable: {error}");
                self.damage.note(Part::Code);
                None
            })
        })
    }

    fn language(&self, path: &[u8], text: &[u8]) -> (Option<&'static Language>, Option<&str>) {
        let extractors = self.engine.parsers.extractors();
        let extractor = extractors.of(&String::from_utf8_lossy(path));
        (extractors.language_of(path, text), extractor.map(|extractor| extractor.name.as_str()))
    }

    fn parse(&self, language: &'static Language, path: &[u8], text: &[u8]) -> Result<Outline> {
        let hash = xxh3_128(text);
        let key = (hash, language.name, path.to_vec());
        if let Some(outline) = self.engine.cache.outlines.get(&key) {
            return Ok(outline);
        }
        let mut segments = self.segments().iter();
        if segments.any(|segment| segment.has_crashed(path, hash).unwrap_or(false)) {
            self.engine.parsers.remember_crashes([hash].into_iter());
        }
        let shown = String::from_utf8_lossy(path);
        let outline = self.engine.parsers.outline(language, &shown, text)?;
        self.engine.cache.outlines.keep(key, &outline);
        Ok(outline)
    }

    fn ranking(&self) -> Result<Option<Arc<Overlay>>> {
        match overlay(self.engine, self.state()?, self.catalog(&[])?)? {
            Ok(overlay) => Ok(Some(overlay)),
            Err(Unusable::Missing) => Ok(None),
            Err(reason) => {
                log::debug!("{reason}");
                self.damage.note(Part::Text);
                Ok(None)
            }
        }
    }

    fn names(&self) -> Result<&PathIndex> {
        let TreeState { files, names, .. } = &**self.state()?;
        let paths = || files.iter().map(|(path, info)| (path, info.modified_ns));
        Ok(names.get_or_init(|| PathIndex::new(paths())))
    }

    fn folders(&self) -> Result<&Folders> {
        let TreeState { files, folders, .. } = &**self.state()?;
        Ok(folders.get_or_init(|| Folders::new(files)))
    }

    fn candidates(&self, plan: &Plan) -> Result<Option<Vec<usize>>> {
        may_match(self.engine, &self.state()?.files, plan)
    }

    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Arc<Content>> {
        // A change that a watcher has not reported yet may be in the text only.
        let listed = self.state.get().and_then(|state| {
            let at = state.files.find(path)?;
            state.files.info(at).listed()
        });
        self.engine.cache.texts.read_content(path, listed, bytes_max)
    }

    fn history(&self) -> Result<Option<Arc<History>>> {
        let found = self.history.get_or_init(|| history(self.engine));
        if found.is_damaged {
            self.damage.note(Part::History);
        }
        Ok(found.history.clone())
    }

    fn current_history(&self) -> Option<Arc<History>> {
        current(self.engine)
    }

    fn history_problem(&self) -> Option<&'static str> {
        self.history.get()?.problem
    }

    fn found_damage(&self, part: Part) -> bool {
        let is_query_damaged = || match part {
            Part::Code => self.is_damaged(),
            Part::Text => self.state.get().is_some_and(|state| state.is_overlay_damaged()),
            Part::Search | Part::History => false,
        };
        self.damage.has(part) || is_query_damaged()
    }

    fn files_unknown(&self) -> usize {
        // `indexed` lacks the facts of changed files, whose texts its users read instead.
        self.catalog.get().map_or(0, |catalog| catalog.missing().len())
    }

    fn left_out(&self) -> Vec<(String, u64)> {
        let Ok(Some(snapshot)) = self.engine.snapshot() else { return Vec::new() };
        let Ok(meta) = snapshot.table.meta() else { return Vec::new() };
        let skipped = meta.skipped.into_iter().map(|(reason, count)| (reason.name(), count));
        skipped.map(|(reason, count)| (reason.to_owned(), count)).chain(meta.scanned).collect()
    }

    fn running_build(&self) -> Option<(&'static str, u64)> {
        let progress = Progress::default();
        follow(&self.engine.store, &progress);
        let step = match progress.stage() {
            Stage::Walking => "finding files",
            Stage::Reading => "reading files",
            Stage::Writing => "writing",
            Stage::Parsing => "parsing files",
            Stage::Ranking => "ranking texts",
            Stage::History => "reading commits",
            Stage::Waiting => return None,
        };
        let (done, all, _) = progress.counts();
        Some((step, done.saturating_mul(100).checked_div(all).unwrap_or(0).min(100)))
    }

    fn versions(&self) -> Option<Versions<'_>> {
        Some(Versions(&self.engine.store))
    }

    fn git(&self) -> Option<&Git> {
        let open = || {
            let git = Git::open(self.engine.root())?.remembering();
            Some(match &self.engine.git_index {
                Some(index) => git.with_index(index),
                None => git,
            })
        };
        self.git.get_or_init(open).as_ref()
    }

    fn user_data(&self) -> Result<Option<Database>> {
        self.engine.user_data()
    }

    fn create_user_data(&self) -> Result<Database> {
        self.engine.create_user_data()
    }

    fn start_job(&self, kind: JobKind, now_ms: i64) -> Result<(Job, bool)> {
        self.engine.start_job(kind, now_ms)
    }

    fn editor(&self) -> Option<&dyn Editor> {
        self.may_write.then_some(self.engine as &dyn Editor)
    }
}
