//! Builds the catalog of a tree from the segments of the code index. Indexes files that no segment
//! covers in memory, up to the limits below.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::Engine;
use super::cache::TreeState;
use super::name_search::NameSearch;
use crate::base::ids::FileId;
use crate::base::interrupt::Interrupt;
use crate::catalog::damage::Part;
use crate::catalog::extract::{Extract, extract};
use crate::catalog::file_list::FileList;
use crate::catalog::{Catalog, overlay::OverlayFile};
use crate::error::{Kind, Result};
use crate::index::code::CodeSegment;
use crate::index::code::store::{CodeIndex, CodeStore};
use crate::query::candidates::{self, Demand};
use crate::query::pattern::PatternOptions;
use crate::query::plan::Plan;
use crate::source::beneath;
use crate::source::read::Buffer;

/// Maximum number of files indexed in memory during a call.
const FILES_MAX: usize = 1000;

/// Maximum number of bytes indexed in memory during a call.
const BYTES_MAX: u64 = 24 << 20;

/// Maximum number of bytes searched for names during a call.
const SCANNED_BYTES_MAX: u64 = 2 << 30;

/// Returns the segments of the code index; none if there is no code index.
///
/// # Errors
///
/// [`Kind::Corrupt`] where it is damaged.
pub(super) fn segments(engine: &Engine) -> Result<Arc<Vec<CodeSegment>>> {
    let store = CodeStore(&engine.store);
    // Read before opening, so that the next call detects segments published in the meantime.
    let code_publications = engine.cache.watch_state.code_publications();
    if let Some(cached) =
        code_publications.and_then(|code_publications| engine.cache.segments_at(code_publications))
    {
        return Ok(cached);
    }
    if let Some(cached) =
        store.newest()?.and_then(|manifest| engine.cache.segments(&manifest, code_publications))
    {
        return Ok(cached);
    }
    let Some(CodeIndex { segments, manifest }) = store.open()? else { return Ok(Arc::default()) };
    let segments = Arc::new(segments);
    engine.cache.cache_segments(manifest, code_publications, &segments);
    Ok(segments)
}

/// Returns the catalog of the facts that `segments` have about the files of `state`. O(files).
///
/// # Errors
///
/// None: damaged segments count as missing.
pub(super) fn indexed(
    engine: &Engine,
    state: &TreeState,
    segments: &Arc<Vec<CodeSegment>>,
) -> Result<Arc<Catalog>> {
    match state.catalog().filter(|cached| is_of(cached, state, segments)) {
        Some(cached) => Ok(cached),
        None => {
            let mut catalog = new_catalog(engine, &state.files, segments)?;
            if let Some(earlier) = state.catalog() {
                catalog = catalog.reusing(&earlier);
            }
            let catalog = Arc::new(catalog);
            if catalog.missing().is_empty() {
                state.cache_catalog(&catalog);
            }
            Ok(catalog)
        }
    }
}

/// Returns true if `catalog` was built from the files of `state` and from `segments`, and is not
/// damaged.
fn is_of(catalog: &Catalog, state: &TreeState, segments: &Arc<Vec<CodeSegment>>) -> bool {
    catalog.is_made_of(&state.files, segments) && !catalog.is_damaged()
}

fn new_catalog(
    engine: &Engine,
    files: &Arc<FileList>,
    segments: &Arc<Vec<CodeSegment>>,
) -> Result<Catalog> {
    let new = |segments| {
        let (texts, parsers) = (Arc::clone(&engine.cache.texts), Arc::clone(&engine.parsers));
        Catalog::new(Arc::clone(files), segments, texts, parsers)
    };
    match new(Arc::clone(segments)) {
        Err(error) if error.kind() == Kind::Corrupt => {
            log::debug!("code index unusable: {error}");
            new(Arc::default())
        }
        other => other,
    }
}

/// Returns the catalog of the files of `state`: the cached one, or a new one that reuses what is
/// still valid of the cached one. Files that no segment covers are indexed in memory: all of them
/// if they are few, else those that may contain one of the names `about`, up to the limits above.
/// O(files), and O(text) of the files indexed.
///
/// # Errors
///
/// None: damaged indexes count as missing.
pub(super) fn catalog(
    engine: &Engine,
    state: &TreeState,
    segments: &Arc<Vec<CodeSegment>>,
    about: &[&str],
    interrupt: Interrupt<'_>,
) -> Result<Arc<Catalog>> {
    let earlier = state.catalog();
    if let Some(cached) = &earlier
        && cached.missing().is_empty()
        && is_of(cached, state, segments)
    {
        return Ok(Arc::clone(cached));
    }
    let files = &state.files;
    let mut catalog = new_catalog(engine, files, segments)?;
    let missing = catalog.missing();
    if !missing.is_empty() {
        let reusable = |&file: &FileId| {
            let (path, info) = (files.path(file.index()), files.info(file.index()));
            let overlay = earlier.as_ref()?.overlay_file(path, info)?;
            Some((file, overlay))
        };
        let mut overlays: BTreeMap<FileId, Arc<OverlayFile>> =
            missing.iter().filter_map(reusable).collect();
        let to_index: Vec<FileId> =
            missing.iter().copied().filter(|file| !overlays.contains_key(file)).collect();
        let affordable = affordable(engine, files, to_index, about, interrupt);
        overlays.extend(indexed_now(engine, files, &affordable, interrupt));
        catalog = catalog.with_overlay(overlays);
    }
    if let Some(earlier) = &earlier {
        catalog = catalog.reusing(earlier);
    }
    let catalog = Arc::new(catalog);
    state.cache_catalog(&catalog);
    Ok(catalog)
}

/// Returns those of `files` that are indexed during a call: all if they are few, else the first
/// ones in the order of [`by_score`], up to the limits.
fn affordable(
    engine: &Engine,
    list: &FileList,
    files: Vec<FileId>,
    about: &[&str],
    interrupt: Interrupt<'_>,
) -> Vec<FileId> {
    let bytes = |file: &FileId| list.info(file.index()).size_bytes;
    if files.len() <= FILES_MAX && files.iter().map(bytes).sum::<u64>() <= BYTES_MAX {
        return files;
    }
    let mut files_by_score = by_score(engine, list, &files, about, interrupt);
    let (mut left_files, mut left_bytes) = (FILES_MAX, BYTES_MAX);
    files_by_score.retain(|file| {
        // A file that exceeds the remaining bytes is skipped; smaller files may still fit.
        let fits = left_files > 0 && bytes(file) <= left_bytes;
        if fits {
            (left_files, left_bytes) = (left_files - 1, left_bytes - bytes(file));
        }
        fits
    });
    files_by_score
}

/// Returns the facts of `files`. After an interrupt, and if no parser can be started, the facts of
/// some files are missing.
fn indexed_now(
    engine: &Engine,
    list: &FileList,
    files: &[FileId],
    interrupt: Interrupt<'_>,
) -> BTreeMap<FileId, Arc<OverlayFile>> {
    let make = |&file: &FileId| {
        if interrupt.is_due() {
            return None;
        }
        let path = list.path(file.index());
        let extract = extract(&engine.root, path, &mut Buffer::default(), &engine.parsers);
        let extract = extract.unwrap_or_else(|error| {
            log::warn!("{error}");
            None
        })?;
        Some((file, Arc::new(OverlayFile::new(path, extract))))
    };
    files.par_iter().filter_map(make).collect()
}

/// Returns those of `files` that contain one of `names`, highest score first, then the others that
/// changed since the generation; ties in path order. O(text) of changed files and candidates, at
/// most 2 GiB.
fn by_score(
    engine: &Engine,
    list: &FileList,
    files: &[FileId],
    names: &[&str],
    interrupt: Interrupt<'_>,
) -> Vec<FileId> {
    let changed = |file: &FileId| !list.info(file.index()).is_as_indexed();
    let others: Vec<FileId> = files.iter().copied().filter(changed).collect();
    if names.is_empty() {
        return others;
    }
    let mut scanned = candidates(engine, list, files, names).unwrap_or_else(|error| {
        log::debug!("index unusable: {error}");
        if error.kind() == Kind::Corrupt {
            engine.cache.damage.note(Part::Search);
        }
        Vec::new()
    });
    scanned.retain(|file| !changed(file));
    scanned.extend(&others);
    let held = scores(&engine.root, list, &scanned, names, interrupt);
    let mut keyed: Vec<(Reverse<usize>, FileId)> =
        scanned.iter().zip(held).map(|(&file, held)| (Reverse(held), file)).collect();
    keyed.retain(|(held, file)| held.0 > 0 || changed(file));
    // Ids follow the order of paths.
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, file)| file).collect()
}

/// Returns those of `files` that may contain one of `names` according to the newest generation;
/// none without a generation.
fn candidates(
    engine: &Engine,
    list: &FileList,
    files: &[FileId],
    names: &[&str],
) -> Result<Vec<FileId>> {
    let Some(snapshot) = engine.snapshot()? else { return Ok(Vec::new()) };
    let patterns: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let options = PatternOptions { fixed_strings: true, ..PatternOptions::default() };
    let plan = Plan::new(&patterns, &options);
    let demand = Demand {
        spans_lines: false,
        with_fold_docs: false,
        binary_as_text: true,
        in_memory: false,
    };
    let candidates = candidates::candidates(&snapshot, plan.query(), demand)?;
    let mut found = Vec::new();
    for id in (0..snapshot.table.files()).map(FileId) {
        if candidates.files.contains(id.index())
            && let Some(at) = list.find(&snapshot.table.path(id)?)
            && files.binary_search(&FileId::new(at)).is_ok()
        {
            found.push(FileId::new(at));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Returns the score of each of `files` (see [`NameSearch::score`]). Files after the first 2 GiB,
/// and those after an interrupt, score 0.
fn scores(
    root: &Path,
    list: &FileList,
    files: &[FileId],
    names: &[&str],
    interrupt: Interrupt<'_>,
) -> Vec<usize> {
    let mut left = SCANNED_BYTES_MAX;
    let fits = |file: &FileId| {
        let bytes = list.info(file.index()).size_bytes;
        let fits = bytes <= left.min(Extract::BYTES_MAX);
        left -= if fits { bytes } else { 0 };
        fits
    };
    let scanned: Vec<bool> = files.iter().map(fits).collect();
    let search = NameSearch::new(names);
    let count = |buffer: &mut Buffer, (file, is_scanned): (&FileId, &bool)| {
        if !is_scanned || interrupt.is_due() {
            return 0;
        }
        let path = list.path(file.index());
        let Ok((mut file, metadata)) = beneath::open_unlinked(root, path) else { return 0 };
        match buffer.fill(&mut file, metadata.len().min(Extract::BYTES_MAX)) {
            Ok(()) => search.score(buffer.bytes()),
            Err(_) => 0,
        }
    };
    files.par_iter().zip(&scanned).map_init(Buffer::default, count).collect()
}
