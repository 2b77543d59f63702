//! Caches between calls: file texts, and data derived from the last state of the tree. Every call
//! first compares the tree with that state, so stale data is never used.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use super::Engine;
use super::history::LastHistory;
use super::single_flight::SingleFlight;
use super::watch_state::WatchState;
use crate::catalog::Catalog;
use crate::catalog::damage::Damage;
use crate::catalog::file_list::FileList;
use crate::catalog::folders::Folders;
use crate::error::Result;
use crate::index::code::CodeSegment;
use crate::index::code::store::CodeManifest;
use crate::index::snapshot::Snapshot;
use crate::index::text::Overlay;
use crate::lang::{Outline, Problem};
use crate::query::fuzzy::PathIndex;
use crate::source::text_cache::TextCache;

/// The caches of an engine.
#[derive(Debug)]
pub(super) struct EngineCache {
    /// File texts.
    pub(super) texts: Arc<TextCache>,
    /// State of the watch server of this process.
    pub(super) watch_state: WatchState,
    /// The last outlines that the index does not have.
    pub(super) outlines: OutlineCache,
    /// Parts of the index that were found damaged since the last [`Damage::take`].
    pub(super) damage: Damage,
    /// The commit log, and the HEAD that it belongs to.
    pub(super) last_history: SingleFlight<LastHistory>,
    /// The generation that was searched last, cached so that its blocks are checked only once.
    snapshot: Mutex<Option<Arc<Snapshot>>>,
    segments: Mutex<Option<OpenSegments>>,
    state: Mutex<Option<Arc<TreeState>>>,
}

/// Maximum number of cached outlines.
const OUTLINES_MAX: usize = 16;

/// Maximum number of definitions of a cached outline.
const OUTLINE_SYMBOLS_MAX: usize = 4096;

/// What an outline was parsed from: the hash of the text, the language, and the path, which is a
/// part of the ids. The outline is a function of these.
type OutlineKey = (u128, &'static str, Vec<u8>);

/// The last outlines of texts that were parsed for a reply, newest first: those of files that the
/// index could not parse completely are parsed anew, to report what is missing.
#[derive(Debug, Default)]
pub(super) struct OutlineCache(Mutex<VecDeque<(OutlineKey, Outline)>>);

impl OutlineCache {
    /// Returns the cached outline of a text.
    pub(super) fn get(&self, key: &OutlineKey) -> Option<Outline> {
        let mut cached = self.0.lock().ok()?;
        let at = cached.iter().position(|(other, _)| other == key)?;
        let found = cached.remove(at)?;
        let outline = found.1.clone();
        cached.push_front(found);
        Some(outline)
    }

    /// Caches an outline, unless it is large or a parser crashed, which may be tried again.
    pub(super) fn keep(&self, key: OutlineKey, outline: &Outline) {
        let is_lasting = !outline.problems.contains_key(&Problem::Crashed);
        if !is_lasting || outline.symbols.len() > OUTLINE_SYMBOLS_MAX {
            return;
        }
        if let Ok(mut cached) = self.0.lock() {
            cached.truncate(OUTLINES_MAX - 1);
            cached.push_front((key, outline.clone()));
        }
    }
}

/// The open segments of a publication of the code index.
#[derive(Debug)]
struct OpenSegments {
    manifest: CodeManifest,
    /// The publication count of the code index before the segments were opened.
    code_publications: Option<u64>,
    opened: Arc<Vec<CodeSegment>>,
}

impl OpenSegments {
    /// Returns true if the files are unchanged since they were opened. Costs one `fstat` per
    /// segment.
    fn is_untouched(&self) -> bool {
        self.opened.iter().all(|segment| segment.container().is_untouched())
    }
}

/// The files of a tree at one time, and the data derived from them.
#[derive(Debug)]
pub(super) struct TreeState {
    pub(super) files: Arc<FileList>,
    pub(super) names: OnceLock<PathIndex>,
    /// Shared by successive states with the same paths, which are all that it depends on.
    pub(super) folders: Arc<OnceLock<Folders>>,
    catalog: Mutex<Option<Arc<Catalog>>>,
    overlay: Mutex<Option<Arc<Overlay>>>,
}

impl TreeState {
    fn new(files: FileList) -> TreeState {
        let (catalog, overlay) = (Mutex::new(None), Mutex::new(None));
        let (names, folders) = (OnceLock::new(), Arc::default());
        TreeState { files: Arc::new(files), names, folders, catalog, overlay }
    }

    /// Returns the cached text index for these files, if there is one and its files are unchanged.
    pub(super) fn overlay(&self) -> Option<Arc<Overlay>> {
        let overlay = self.overlay.lock().ok()?.clone()?;
        let index = overlay.base();
        (index.is_untouched() && !index.is_damaged()).then_some(overlay)
    }

    /// Returns true if a query found the cached text index to be damaged.
    pub(super) fn is_overlay_damaged(&self) -> bool {
        let overlay = self.overlay.lock().ok().and_then(|overlay| overlay.clone());
        overlay.is_some_and(|overlay| overlay.base().is_damaged())
    }

    /// Caches the text index.
    pub(super) fn cache_overlay(&self, overlay: &Arc<Overlay>) {
        if let Ok(mut cached) = self.overlay.lock() {
            *cached = Some(Arc::clone(overlay));
        }
    }

    /// Returns the last catalog of these files, or of earlier ones.
    pub(super) fn catalog(&self) -> Option<Arc<Catalog>> {
        self.catalog.lock().ok()?.clone()
    }

    /// Caches a catalog.
    pub(super) fn cache_catalog(&self, catalog: &Arc<Catalog>) {
        if let Ok(mut cached) = self.catalog.lock() {
            *cached = Some(Arc::clone(catalog));
        }
    }
}

impl EngineCache {
    /// Creates the empty caches of the tree at `root`.
    pub(super) fn new(root: &Path) -> EngineCache {
        EngineCache::of_texts(TextCache::new(root.to_path_buf()))
    }

    /// Creates the empty caches for texts in which secrets are not masked.
    pub(super) fn showing_secrets(root: &Path) -> EngineCache {
        EngineCache::of_texts(TextCache::new(root.to_path_buf()).showing_secrets())
    }

    fn of_texts(texts: TextCache) -> EngineCache {
        let texts = Arc::new(texts);
        let (last_history, snapshot) = (SingleFlight::default(), Mutex::new(None));
        let (segments, state) = (Mutex::new(None), Mutex::new(None));
        EngineCache {
            texts,
            watch_state: WatchState::default(),
            outlines: OutlineCache::default(),
            damage: Damage::default(),
            last_history,
            snapshot,
            segments,
            state,
        }
    }

    /// Returns the generation that `files` was made from, if it is the newest one or was searched
    /// last. O(files of the index) if it is opened.
    ///
    /// # Errors
    ///
    /// As [`Engine::snapshot`].
    pub(super) fn snapshot(
        &self,
        engine: &Engine,
        files: &FileList,
    ) -> Result<Option<Arc<Snapshot>>> {
        let cached = self.snapshot.lock().ok().and_then(|cached| cached.clone());
        // The number alone does not identify a generation: after a rebuild another one can have the
        // same number.
        if let Some(cached) =
            cached.filter(|cached| cached.is_untouched() && files.is_surely_of(cached))
        {
            return Ok(Some(cached));
        }
        let newest = engine.snapshot()?.filter(|newest| files.is_of(newest)).map(Arc::new);
        if let Ok(mut cached) = self.snapshot.lock() {
            cached.clone_from(&newest);
        }
        Ok(newest)
    }

    /// Drops a generation that turned out to be damaged.
    pub(super) fn forget_snapshot(&self) {
        if let Ok(mut cached) = self.snapshot.lock() {
            *cached = None;
        }
    }

    /// Returns the last state of the tree.
    pub(super) fn last(&self) -> Option<Arc<TreeState>> {
        self.state.lock().ok()?.clone()
    }

    /// Returns the state with these files: the last one if the files are the same, else a new one
    /// that starts with the last one's catalog. O(files).
    pub(super) fn state(&self, files: FileList) -> Arc<TreeState> {
        let Ok(mut last) = self.state.lock() else { return Arc::new(TreeState::new(files)) };
        if let Some(last) = last.as_ref().filter(|last| files.is_same_as(&last.files)) {
            return Arc::clone(last);
        }
        let mut state = TreeState::new(files);
        if let Some(last) = last.as_ref().filter(|last| state.files.has_paths_of(&last.files)) {
            state.folders = Arc::clone(&last.folders);
        }
        let state = Arc::new(state);
        if let Some(catalog) = last.as_ref().and_then(|last| last.catalog()) {
            state.cache_catalog(&catalog);
        }
        *last = Some(Arc::clone(&state));
        state
    }

    /// Returns the cached segments if the code index has not been published since they were opened.
    /// `code_publications` is its current publication count.
    pub(super) fn segments_at(&self, code_publications: u64) -> Option<Arc<Vec<CodeSegment>>> {
        let cached = self.segments.lock().ok()?;
        let cached = cached.as_ref().filter(|cached| {
            cached.code_publications == Some(code_publications) && cached.is_untouched()
        })?;
        Some(Arc::clone(&cached.opened))
    }

    /// Returns the cached segments of a publication. `code_publications` is the publication count
    /// of the code index before the manifest was read.
    pub(super) fn segments(
        &self,
        manifest: &CodeManifest,
        code_publications: Option<u64>,
    ) -> Option<Arc<Vec<CodeSegment>>> {
        let mut cached = self.segments.lock().ok()?;
        let cached = cached
            .as_mut()
            .filter(|cached| cached.manifest == *manifest && cached.is_untouched())?;
        cached.code_publications = code_publications;
        Some(Arc::clone(&cached.opened))
    }

    /// Caches the segments of a publication for [`EngineCache::segments`].
    pub(super) fn cache_segments(
        &self,
        manifest: CodeManifest,
        code_publications: Option<u64>,
        opened: &Arc<Vec<CodeSegment>>,
    ) {
        if let Ok(mut cached) = self.segments.lock() {
            *cached =
                Some(OpenSegments { manifest, code_publications, opened: Arc::clone(opened) });
        }
    }

    /// Drops segments that turned out to be damaged.
    pub(super) fn forget_segments(&self) {
        if let Ok(mut cached) = self.segments.lock() {
            *cached = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Problems;

    #[test]
    fn outlines_are_found_by_their_text_and_bounded() {
        let cache = OutlineCache::default();
        let outline = |count| Outline {
            symbols: Vec::new(),
            problems: Problems::from([(Problem::Syntax, count)]),
            first_error_line: 1,
        };
        let key = |hash, path: &str| (hash, "rust", path.as_bytes().to_vec());
        for hash in 0..40 {
            cache.keep(key(hash, "a.rs"), &outline(hash as u64));
            assert_eq!(cache.get(&key(0, "a.rs")), Some(outline(0)), "used last");
        }
        assert_eq!(cache.0.lock().expect("no panic").len(), OUTLINES_MAX);
        assert_eq!(cache.get(&key(39, "a.rs")), Some(outline(39)));
        assert_eq!(cache.get(&key(1, "a.rs")), None, "the one that was used longest ago");
        assert_eq!(cache.get(&key(39, "b.rs")), None, "another path has other ids");
        assert_eq!(cache.get(&key(41, "a.rs")), None, "another text");
        let crashed = Outline { problems: Problems::from([(Problem::Crashed, 1)]), ..outline(0) };
        cache.keep(key(50, "a.rs"), &crashed);
        assert_eq!(cache.get(&key(50, "a.rs")), None);
    }
}
