//! Finds the files in which the patterns of a plan may match, with the newest generation.

use super::Engine;
use crate::base::ids::FileId;
use crate::catalog::damage::Part;
use crate::catalog::file_list::FileList;
use crate::error::{Kind, Result};
use crate::query::candidates::{Demand, candidates};
use crate::query::plan::Plan;
use crate::source::text_cache;

/// Returns the indices of the files in which the patterns of `plan` may match. Returns `None` if
/// all may match, or the list is not of the newest generation. Files that changed since the
/// generation are always included. O(matches + evaluation of the plan).
///
/// # Errors
///
/// Only [`Kind::Cancelled`]: with a damaged index, or one that cannot be opened, all files may match.
pub(super) fn may_match(
    engine: &Engine,
    files: &FileList,
    plan: &Plan,
) -> Result<Option<Vec<usize>>> {
    match found(engine, files, plan) {
        Err(error) if error.kind() != Kind::Cancelled => {
            log::debug!("index unusable, reading all files instead: {error}");
            engine.cache.forget_snapshot();
            engine.cache.damage.note(Part::Search);
            Ok(None)
        }
        other => other,
    }
}

fn found(engine: &Engine, files: &FileList, plan: &Plan) -> Result<Option<Vec<usize>>> {
    let Some(snapshot) = engine.cache.snapshot(engine, files)? else { return Ok(None) };
    let demand = Demand {
        spans_lines: plan.spans_lines(),
        with_fold_docs: plan.with_fold_docs(),
        // A search does not stop at a NUL byte.
        binary_as_text: true,
        in_memory: files.size_bytes() + (files.len() * text_cache::ENTRY_BYTES) as u64
            <= text_cache::BYTES_MAX as u64,
    };
    let found = candidates(&snapshot, plan.query(), demand)?;
    if found.is_all {
        return Ok(None);
    }
    let mut places = files.not_as_indexed().to_vec();
    for id in found.files.iter().map(FileId::new) {
        places.extend(files.place_of(&snapshot, id)?);
    }
    places.sort_unstable();
    places.dedup();
    Ok(Some(places))
}
