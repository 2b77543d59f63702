//! What an engine keeps between calls: the texts of files, and what was worked out of the tree as
//! it was last. Every call compares the tree first, so that nothing of it outlives an edit.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use super::Engine;
use super::history::LastHistory;
use super::watch_state::WatchState;
use crate::catalog::Catalog;
use crate::catalog::file_list::FileList;
use crate::error::Result;
use crate::index::code::CodeSegment;
use crate::index::code::store::CodeManifest;
use crate::index::snapshot::Snapshot;
use crate::index::text::Overlay;
use crate::query::fuzzy::PathIndex;
use crate::source::kept::Texts;

/// What an engine keeps.
#[derive(Debug)]
pub(super) struct EngineCache {
    /// The texts of the tree's files.
    pub(super) texts: Arc<Texts>,
    /// What the watch server of this process vouches for.
    pub(super) watch_state: WatchState,
    /// The log of commits, and of which HEAD.
    pub(super) last_history: Mutex<Option<LastHistory>>,
    /// The generation that was searched last: its blocks are checked once.
    snapshot: Mutex<Option<Arc<Snapshot>>>,
    segments: Mutex<Option<OpenSegments>>,
    state: Mutex<Option<Arc<TreeState>>>,
}

/// The segments of a publication of the code index.
#[derive(Debug)]
struct OpenSegments {
    manifest: CodeManifest,
    /// How often the code index had been published before they were looked for.
    code_publications: Option<u64>,
    opened: Arc<Vec<CodeSegment>>,
}

/// The files of a tree at one moment, and what was made of them.
#[derive(Debug)]
pub(super) struct TreeState {
    pub(super) files: Arc<FileList>,
    pub(super) names: OnceLock<PathIndex>,
    catalog: Mutex<Option<Arc<Catalog>>>,
    overlay: OnceLock<Arc<Overlay>>,
}

impl TreeState {
    fn new(files: FileList) -> TreeState {
        let (names, overlay) = (OnceLock::new(), OnceLock::new());
        TreeState { files: Arc::new(files), names, catalog: Mutex::new(None), overlay }
    }

    /// Returns the text index that speaks of this moment's files, if it was asked before.
    pub(super) fn overlay(&self) -> Option<Arc<Overlay>> {
        self.overlay.get().cloned()
    }

    /// Keeps the text index for later calls.
    pub(super) fn keep_overlay(&self, overlay: &Arc<Overlay>) {
        let _ = self.overlay.set(Arc::clone(overlay));
    }

    /// Returns the catalog that was made last of this moment's files, or of earlier ones.
    pub(super) fn catalog(&self) -> Option<Arc<Catalog>> {
        self.catalog.lock().ok()?.clone()
    }

    /// Keeps a catalog for later calls.
    pub(super) fn keep(&self, catalog: &Arc<Catalog>) {
        if let Ok(mut kept) = self.catalog.lock() {
            *kept = Some(Arc::clone(catalog));
        }
    }
}

impl EngineCache {
    /// Returns what an engine of the tree at `root` keeps: nothing yet.
    pub(super) fn new(root: &Path) -> EngineCache {
        let texts = Arc::new(Texts::new(root.to_path_buf()));
        let (last_history, snapshot) = (Mutex::new(None), Mutex::new(None));
        let (segments, state) = (Mutex::new(None), Mutex::new(None));
        EngineCache {
            texts,
            watch_state: WatchState::default(),
            last_history,
            snapshot,
            segments,
            state,
        }
    }

    /// Returns the generation that `files` are a list of, if that is the newest one or was searched last.
    /// O(the generation's files on disk) where it is opened.
    ///
    /// # Errors
    ///
    /// As [`Engine::snapshot`].
    pub(super) fn snapshot(
        &self,
        engine: &Engine,
        files: &FileList,
    ) -> Result<Option<Arc<Snapshot>>> {
        let kept = self.snapshot.lock().ok().and_then(|kept| kept.clone());
        // Of a list that knows its generation by number alone, that may be another one's of the same number.
        if let Some(kept) = kept.filter(|kept| kept.is_untouched() && files.is_surely_of(kept)) {
            return Ok(Some(kept));
        }
        let newest = engine.snapshot()?.filter(|newest| files.is_of(newest)).map(Arc::new);
        if let Ok(mut kept) = self.snapshot.lock() {
            kept.clone_from(&newest);
        }
        Ok(newest)
    }

    /// Forgets a generation that turned out to be damaged.
    pub(super) fn forget_snapshot(&self) {
        if let Ok(mut kept) = self.snapshot.lock() {
            *kept = None;
        }
    }

    /// Returns the moment that was looked at last.
    pub(super) fn last(&self) -> Option<Arc<TreeState>> {
        self.state.lock().ok()?.clone()
    }

    /// Returns the moment of `files`: the last one if they are the same, else one that begins with
    /// that one's catalog. O(files).
    pub(super) fn state(&self, files: FileList) -> Arc<TreeState> {
        let Ok(mut last) = self.state.lock() else { return Arc::new(TreeState::new(files)) };
        if let Some(last) = last.as_ref().filter(|last| files.is_same_as(&last.files)) {
            return Arc::clone(last);
        }
        let state = Arc::new(TreeState::new(files));
        if let Some(catalog) = last.as_ref().and_then(|last| last.catalog()) {
            state.keep(&catalog);
        }
        *last = Some(Arc::clone(&state));
        state
    }

    /// Returns the opened segments if they are kept and nothing was published since: `code_publications` tells how
    /// often the code index was.
    pub(super) fn segments_at(&self, code_publications: u64) -> Option<Arc<Vec<CodeSegment>>> {
        let kept = self.segments.lock().ok()?;
        let kept =
            kept.as_ref().filter(|kept| kept.code_publications == Some(code_publications))?;
        Some(Arc::clone(&kept.opened))
    }

    /// Returns the opened segments of a publication, if they are kept; `code_publications` tells how often the code
    /// index was published before the manifest was read.
    pub(super) fn segments(
        &self,
        manifest: &CodeManifest,
        code_publications: Option<u64>,
    ) -> Option<Arc<Vec<CodeSegment>>> {
        let mut kept = self.segments.lock().ok()?;
        let kept = kept.as_mut().filter(|kept| kept.manifest == *manifest)?;
        kept.code_publications = code_publications;
        Some(Arc::clone(&kept.opened))
    }

    /// Keeps the segments of a publication, as [`EngineCache::segments`] gives them.
    pub(super) fn keep_segments(
        &self,
        manifest: CodeManifest,
        code_publications: Option<u64>,
        opened: &Arc<Vec<CodeSegment>>,
    ) {
        if let Ok(mut kept) = self.segments.lock() {
            *kept = Some(OpenSegments { manifest, code_publications, opened: Arc::clone(opened) });
        }
    }

    /// Forgets segments that turned out to be damaged.
    pub(super) fn forget_segments(&self) {
        if let Ok(mut kept) = self.segments.lock() {
            *kept = None;
        }
    }
}
