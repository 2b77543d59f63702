//! Which files of a list a plan's patterns may match in, by the newest generation.

use super::Engine;
use crate::base::ids::FileId;
use crate::catalog::file_list::FileList;
use crate::error::{Kind, Result};
use crate::query::candidates::{Demand, candidates};
use crate::query::plan::Plan;
use crate::source::kept;

/// Returns the places of the files in which the patterns of `plan` may match; `None` where all may,
/// or where the list is not of the newest generation. Of a file that is not as the generation read
/// it nothing is known, so that it is among them. O(what is found), and that of evaluating the plan.
///
/// # Errors
///
/// None for damage of the index: then nothing is known.
pub(super) fn may_match(
    engine: &Engine,
    files: &FileList,
    plan: &Plan,
) -> Result<Option<Vec<usize>>> {
    match found(engine, files, plan) {
        Err(error) if error.kind() == Kind::Corrupt => {
            log::debug!("index damaged, reading all files instead: {error}");
            engine.cache.forget_snapshot();
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
        // What is searched does not end with a NUL byte.
        binary_as_text: true,
        at_hand: files.size_bytes() + (files.len() * kept::ENTRY_BYTES) as u64
            <= kept::BYTES_MAX as u64,
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
