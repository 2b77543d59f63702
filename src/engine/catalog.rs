//! The catalog of a tree: the parts of the code index, and the facts of files that these do not
//! speak of, made on the spot where that is little work.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::code::extract;
use super::{Engine, FileList};
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::{Catalog, overlay::Held};
use crate::error::{Kind, Result};
use crate::index::code::Part;
use crate::index::code::store::CodeStore;
use crate::query::candidates::{self, Demand};
use crate::query::pattern::PatternOptions;
use crate::query::plan::Plan;
use crate::source::guarded;
use crate::source::read::Buffer;

/// Files whose facts are made while a call waits.
const FILES_MAX: usize = 1000;

/// Bytes of files whose facts are made while a call waits.
const BYTES_MAX: u64 = 24 << 20;

/// Returns the parts of the code index; none where it is damaged.
pub(super) fn parts(engine: &Engine) -> Arc<Vec<Part>> {
    let parts = match CodeStore(&engine.store).open() {
        Ok(code) => code.map(|code| code.parts).unwrap_or_default(),
        Err(error) => {
            log::debug!("code index unusable: {error}");
            Vec::new()
        }
    };
    Arc::new(parts)
}

/// Returns the catalog of what `parts` say of `files`, and the parts that it was made of: none of
/// them where one is damaged. O(files).
///
/// # Errors
///
/// None but those of damaged parts, which it mends.
pub(super) fn bare(
    engine: &Engine,
    files: &Arc<FileList>,
    parts: &Arc<Vec<Part>>,
) -> Result<(Catalog, Arc<Vec<Part>>)> {
    match with(engine, files, parts, BTreeMap::new()) {
        Err(error) if error.kind() == Kind::Corrupt => {
            log::debug!("code index unusable: {error}");
            let none = Arc::new(Vec::new());
            Ok((with(engine, files, &none, BTreeMap::new())?, none))
        }
        other => Ok((other?, Arc::clone(parts))),
    }
}

fn with(
    engine: &Engine,
    files: &Arc<FileList>,
    parts: &Arc<Vec<Part>>,
    held: BTreeMap<FileId, Arc<Held>>,
) -> Result<Catalog> {
    let root = engine.root.clone();
    let read = move |path: &[u8], bytes_max: usize| {
        guarded::read(&root, path, bytes_max as u64).ok().map(|content| content.bytes)
    };
    Catalog::new(Arc::clone(files), Arc::clone(parts), held, Box::new(read))
}

/// Returns the catalog of `files`. Facts of files that no part speaks of are made at once if these
/// are few; otherwise of those that may hold one of the names `about`, as far as these are few.
/// O(files), and O(text) of files whose facts are made.
///
/// # Errors
///
/// If the search index is damaged. A damaged code index is no error: it counts as missing.
pub(super) fn catalog(
    engine: &Engine,
    files: Arc<FileList>,
    parts: &Arc<Vec<Part>>,
    about: &[&str],
) -> Result<Catalog> {
    let (bare, parts) = bare(engine, &files, parts)?;
    let missing = bare.missing();
    if missing.is_empty() {
        return Ok(bare);
    }
    let few = |wanted: &[FileId]| {
        let bytes = |file: &FileId| files.info(file.index()).size_bytes;
        wanted.len() <= FILES_MAX && wanted.iter().map(bytes).sum::<u64>() <= BYTES_MAX
    };
    let mut wanted = missing.to_vec();
    if !few(&wanted) {
        wanted = holding(engine, &files, &wanted, about)?;
        let mut bytes = 0;
        let mut count = 0;
        wanted.retain(|file| {
            bytes += files.info(file.index()).size_bytes;
            count += 1;
            bytes <= BYTES_MAX && count <= FILES_MAX
        });
    }
    let held = wanted
        .par_iter()
        .filter_map(|&file| {
            let path = files.path(file.index());
            let extract = extract(&engine.root, path, &mut Buffer::default())?;
            Some((file, Arc::new(Held::new(path, extract))))
        })
        .collect();
    with(engine, &files, &parts, held)
}

/// Returns those of `files` that may hold one of `names`, or all that changed since the generation.
fn holding(
    engine: &Engine,
    list: &FileList,
    files: &[FileId],
    names: &[&str],
) -> Result<Vec<FileId>> {
    let changed = |file: &FileId| !list.info(file.index()).is_as_indexed();
    let mut found: Vec<FileId> = files.iter().copied().filter(changed).collect();
    let Some(snapshot) = engine.snapshot()? else { return Ok(found) };
    if !names.is_empty() {
        let patterns: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let options = PatternOptions { fixed_strings: true, ..PatternOptions::default() };
        let plan = Plan::new(&patterns, &options);
        let demand = Demand { spans_lines: false, with_fold_docs: false, binary_as_text: false };
        let candidates = candidates::candidates(&snapshot, plan.query(), demand)?;
        for id in (0..snapshot.table.files()).map(FileId) {
            if candidates.files.contains(id.index())
                && let Some(at) = list.find(&snapshot.table.path(id)?)
            {
                found.push(FileId::new(at));
            }
        }
    }
    found.sort_unstable_by(|a, b| path::compare(list.path(a.index()), list.path(b.index())));
    found.dedup();
    found.retain(|file| files.binary_search(file).is_ok());
    Ok(found)
}
