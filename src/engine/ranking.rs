//! Returns the text index for ranking, with the words of files that changed since it was built.

use std::sync::Arc;

use super::Engine;
use super::cache::TreeState;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::extract::Extract;
use crate::catalog::file_list::FileList;
use crate::error::Result;
use crate::index::text::{Input, Overlay, Preparer, TextIndex, Unusable};

/// Maximum number of changed files whose words are added; the others are counted in
/// [`Overlay::left_out`].
const FILES_MAX: usize = 200;

/// Maximum number of bytes read of a changed file: larger files are not indexed, either.
const FILE_BYTES_MAX: usize = Extract::BYTES_MAX as usize;

/// Returns the text index, brought up to the files of `state`, or the reason why it cannot be used.
/// O(files) the first time, and O(text) of changed files.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where the code index is damaged.
pub(super) fn overlay(
    engine: &Engine,
    state: &TreeState,
    catalog: &Catalog,
) -> Result<std::result::Result<Arc<Overlay>, Unusable>> {
    if let Some(cached) = state.overlay() {
        return Ok(Ok(cached));
    }
    let masked = engine
        .text_index()
        .and_then(|index| masked(Arc::new(index), &state.files).map_err(Unusable::Broken));
    let (mut overlay, changed) = match masked {
        Ok(masked) => masked,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut preparer = Preparer::default();
    overlay.left_out = changed.len().saturating_sub(FILES_MAX);
    for path in changed.iter().take(FILES_MAX) {
        let file = state.files.find(path).map(FileId::new);
        let Some(text) = file.and_then(|file| catalog.read(file, FILE_BYTES_MAX)) else { continue };
        let facts = file.map(|file| catalog.facts_now(file)).transpose()?.flatten();
        let symbols = facts.as_ref().map_or(&[][..], |facts| &facts.symbols);
        let language = facts.as_ref().map(|facts| facts.language);
        let hash = xxhash_rust::xxh3::xxh3_128(&text);
        let input = Input { path, hash, language, symbols, text: &text };
        if let Err(error) = overlay.put(&preparer.prepare_text(input)) {
            return Ok(Err(Unusable::Broken(error)));
        }
    }
    let overlay = Arc::new(overlay);
    state.cache_overlay(&overlay);
    Ok(Ok(overlay))
}

/// Returns `index` without the files that differ from it, and the paths of those that still exist.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where the text index is damaged.
fn masked(index: Arc<TextIndex>, files: &FileList) -> Result<(Overlay, Vec<Vec<u8>>)> {
    // Changed files have hash 0 here, which differs from that in the index.
    let listed = files.iter().filter(|(_, info)| info.may_be_read()).filter_map(|(path, info)| {
        let hash = if info.is_as_indexed() { info.hash } else { 0 };
        (hash != 0 || !info.is_unread()).then_some((path, hash))
    });
    let changes = index.changes(listed)?;
    let mut overlay = Overlay::new(index);
    for path in changes.removed.iter().chain(&changes.changed) {
        overlay.remove(path)?;
    }
    Ok((overlay, changes.changed))
}
