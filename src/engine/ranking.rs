//! Returns the text index for ranking, with the words of files that changed since it was built.

use std::sync::Arc;

use super::Engine;
use super::cache::TreeState;
use super::text::words;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::extract::Extract;
use crate::error::Result;
use crate::index::text::{Input, Overlay, Preparer};

/// Maximum number of changed files whose words are added; the others are not ranked.
const FILES_MAX: usize = 200;

/// Maximum number of bytes read of a changed file: larger files are not indexed, either.
const FILE_BYTES_MAX: usize = Extract::BYTES_MAX as usize;

/// Returns the text index, brought up to the files of `state`; `None` if there is none. O(files)
/// the first time, and O(text) of changed files.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where it is damaged.
pub(super) fn overlay(
    engine: &Engine,
    state: &TreeState,
    catalog: &Catalog,
) -> Result<Option<Arc<Overlay>>> {
    if let Some(cached) = state.overlay() {
        return Ok(Some(cached));
    }
    let index = match engine.text_index() {
        Ok(index) => index,
        Err(reason) => {
            log::debug!("no text index: {reason:?}");
            return Ok(None);
        }
    };
    let files = &state.files;
    // Changed files have hash 0 here, which differs from that in the index.
    let listed = files.iter().filter(|(_, info)| info.may_be_read()).filter_map(|(path, info)| {
        let hash = if info.is_as_indexed() { info.hash } else { 0 };
        (hash != 0 || !info.is_unread()).then_some((path, hash))
    });
    let changes = index.changes(listed)?;
    let mut overlay = Overlay::new(Arc::new(index));
    for path in &changes.removed {
        overlay.remove(path)?;
    }
    let mut preparer = Preparer::default();
    for (count, path) in changes.changed.iter().enumerate() {
        overlay.remove(path)?;
        let file = files.find(path).map(FileId::new).filter(|_| count < FILES_MAX);
        let Some(text) = file.and_then(|file| catalog.read(file, FILE_BYTES_MAX)) else { continue };
        let facts = file.map(|file| catalog.facts_now(file)).transpose()?.flatten();
        let symbols = facts.as_ref().map_or(&[][..], |facts| &facts.symbols);
        let language = facts.as_ref().map(|facts| facts.language);
        let hash = xxhash_rust::xxh3::xxh3_128(&text);
        let input = Input { path, hash, language, symbols, text: &text };
        overlay.put(&words(&mut preparer, input))?;
    }
    let overlay = Arc::new(overlay);
    state.cache_overlay(&overlay);
    Ok(Some(overlay))
}
