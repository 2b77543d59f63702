//! The changes of one file with the definitions that they touch.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Call, analysis, paths};
use crate::answer::nearest;
use crate::base::{path, text};
use crate::error::{Error, Kind, Result, UNKNOWN_NAME};
use crate::history::functions::{FileChange, Span, touched};
use crate::history::git::{FilePatch, Git};
use crate::history::{Activity, CommitId, FileChanges, History};
use crate::lang::{Language, Outline, SymbolKind};

/// The maximum number of commits of a file whose changed lines are read, the newest first.
pub(super) const COMMITS_MAX: usize = 300;

/// Returns the changes that the newest `max` counted commits made to the file at a present repository
/// path, newest first. The first call for a file runs git and parses its versions; later ones read what
/// is kept, and only the versions of new commits, so that most run no git.
///
/// # Errors
///
/// If git fails.
pub(super) fn changes(
    call: &Call<'_>,
    history: &History,
    activity: &Activity,
    path: &[u8],
    max: usize,
) -> Result<std::sync::Arc<FileChanges>> {
    let max = max.clamp(1, COMMITS_MAX);
    history.file_changes(path, max, || read(call, history, activity, path, max))
}

fn read(
    call: &Call<'_>,
    history: &History,
    activity: &Activity,
    path: &[u8],
    max: usize,
) -> Result<FileChanges> {
    let log = history.log();
    let counted = history.changes_to(path).filter(|&commit| activity.is_counted(commit));
    let counted: Vec<_> = counted.collect();
    let total = counted.len();
    let versions = call.code.versions();
    let mut kept = versions.map(|versions| versions.load(path)).unwrap_or_default();
    let wanted: Vec<(CommitId, usize)> =
        counted.iter().take(max).map(|commit| (commit.id(), commit.at())).collect();
    // The paths of the file in each commit.
    let mut at_commit: FxHashMap<CommitId, Vec<u8>> = FxHashMap::default();
    let mut names: Vec<Vec<u8>> = vec![path.to_vec()];
    let mut ids = Vec::new();
    for commit in counted.into_iter().take(max).filter(|it| !kept.contains_key(&it.id())) {
        for (change, &owner) in commit.changes().iter().zip(history.changed_by(commit)) {
            if log.path(owner) != path {
                continue;
            }
            let target = log.path(change.path).to_vec();
            names.extend(change.source.map(|source| log.path(source).to_vec()));
            names.push(target.clone());
            at_commit.insert(commit.id(), target);
        }
        ids.push(commit.id());
    }
    names.sort_unstable();
    names.dedup();
    let language = paths::language(path);
    let mut found: Vec<(CommitId, FilePatch)> = Vec::new();
    let mut spans = FxHashMap::default();
    if !ids.is_empty() {
        let git = call.code.git().ok_or_else(not_a_repository)?;
        for patch in git.patches(&ids, &names)? {
            let Some(target) = at_commit.get(&patch.commit) else { continue };
            let file = patch.files.into_iter().find(|file| file.target == *target);
            found.extend(file.map(|file| (patch.commit, file)));
        }
        if let Some(language) = language {
            spans = spans_of(call, git, language, path, &found)?;
        }
    }
    let none = Vec::new();
    let of_blob = |blob: &Option<String>| {
        blob.as_ref().and_then(|it| spans.get(it)?.as_ref()).unwrap_or(&none)
    };
    let is_unparsed = |blob: &Option<String>| {
        blob.as_ref().is_some_and(|it| spans.get(it).is_some_and(Option::is_none))
    };
    // A failure of a parser may pass, so what depends on it is not kept.
    let mut unparsed = FxHashSet::default();
    let change = |patch: FilePatch| {
        let (added, removed) = patch.lines();
        let mut touched = touched(&patch, of_blob(&patch.source_blob), of_blob(&patch.target_blob));
        if language.is_none() {
            touched.clear();
        }
        let source = (patch.source != patch.target).then_some(patch.source);
        FileChange { commit: 0, path: patch.target, source, added, removed, touched }
    };
    let is_new = !ids.is_empty();
    kept.extend(ids.into_iter().map(|id| (id, None)));
    for (id, patch) in found {
        if is_unparsed(&patch.source_blob) || is_unparsed(&patch.target_blob) {
            unparsed.insert(id);
        }
        kept.insert(id, Some(change(patch)));
    }
    let of_commit = |&(id, commit): &(CommitId, usize)| {
        let change = kept.get(&id)?.as_ref()?;
        Some(FileChange { commit, ..change.clone() })
    };
    let changes = wanted.iter().filter_map(of_commit).collect();
    if let Some(versions) = versions.filter(|_| is_new) {
        kept.retain(|id, _| !unparsed.contains(id));
        versions.keep(path, &kept);
    }
    Ok(FileChanges { changes, total })
}

fn not_a_repository() -> Error {
    Error::new(Kind::NotFound, "the tree is not in a git work tree")
        .with_code(analysis::NOT_A_REPOSITORY)
}

/// Returns the definitions of every version of the file; `None` for one that no parser read.
fn spans_of(
    call: &Call<'_>,
    git: &Git,
    language: &'static Language,
    path: &[u8],
    found: &[(CommitId, FilePatch)],
) -> Result<FxHashMap<String, Option<Vec<Span>>>> {
    let mut blobs: Vec<String> = found
        .iter()
        .filter(|(_, patch)| !patch.hunks.is_empty())
        .flat_map(|(_, patch)| [&patch.source_blob, &patch.target_blob])
        .flatten()
        .cloned()
        .collect();
    blobs.sort_unstable();
    blobs.dedup();
    let mut spans = FxHashMap::default();
    // A batch has at most 2 MiB per blob, and git's output at most 64 MiB.
    for batch in blobs.chunks(30) {
        let mut texts: Vec<(String, Vec<u8>)> = Vec::new();
        git.blobs(batch, &mut |id, content| {
            texts.extend(content.map(|text| (id.to_owned(), text.to_vec())));
        })?;
        let code = call.code;
        let parsed = texts.into_par_iter().map(|(id, text)| {
            let outline = code.parse(language, path, &text).ok();
            (id, outline.map(|outline| spans_in(&outline, &text)))
        });
        spans.par_extend(parsed);
    }
    Ok(spans)
}

/// Returns the definitions to which changes are attributed: those with a body. Documentation before a
/// definition belongs to it.
fn spans_in(outline: &Outline, text: &[u8]) -> Vec<Span> {
    use SymbolKind::{
        Class, Constructor, Enum, Function, Impl, Interface, Macro, Method, Module, Property,
        Prototype, Struct, Trait, Union,
    };
    let mut spans = Vec::new();
    for symbol in &outline.symbols {
        let is_unit = matches!(
            symbol.kind,
            Class
                | Constructor
                | Enum
                | Function
                | Impl
                | Interface
                | Macro
                | Method
                | Module
                | Property
                | Prototype
                | Struct
                | Trait
                | Union
        );
        if !is_unit {
            continue;
        }
        let start = symbol.span.start.min(text.len());
        let doc = symbol.source.doc.iter().map(|doc| doc.start).min();
        let doc = doc.filter(|&doc| doc < start).unwrap_or(start);
        let above = memchr::memchr_iter(b'\n', &text[doc..start]).count();
        let line = symbol.line.saturating_sub(above).max(1);
        let name = symbol.qualified_name.clone();
        spans.push(Span { name, line, end_line: symbol.end_line });
    }
    spans
}

/// The history of one definition.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    /// The qualified name.
    pub(super) name: String,
    /// Indices of its changes in the file's, newest first.
    pub(super) changes: Vec<usize>,
}

/// Returns the definitions of a file with their changes, in the order of their names. Lines outside
/// of all definitions have an empty name.
pub(super) fn units(changes: &FileChanges) -> Vec<Unit> {
    let mut units: std::collections::BTreeMap<&str, Vec<usize>> = std::collections::BTreeMap::new();
    for (at, change) in changes.changes.iter().enumerate() {
        for touched in &change.touched {
            units.entry(&touched.name).or_default().push(at);
        }
    }
    units.into_iter().map(|(name, changes)| Unit { name: name.to_owned(), changes }).collect()
}

/// Returns the definitions that a name denotes: by their qualified name, or else by its last parts.
///
/// # Errors
///
/// If there is none, with the nearest names.
pub(super) fn named<'a>(units: &'a [Unit], name: &str, path: &[u8]) -> Result<Vec<&'a Unit>> {
    let is_named = |unit: &&Unit| is_suffix(&unit.name, name);
    let exact: Vec<&Unit> = units.iter().filter(|unit| unit.name == name).collect();
    let found = if exact.is_empty() { units.iter().filter(is_named).collect() } else { exact };
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<&str> = units.iter().map(|unit| unit.name.as_str()).collect();
    Err(unknown(&names, name, path, "no commit changed a definition"))
}

/// Returns true if `name` is the last parts of a qualified name.
pub(super) fn is_suffix(qualified: &str, name: &str) -> bool {
    let wanted = parts(name);
    !wanted.is_empty() && parts(qualified).ends_with(&wanted)
}

/// Returns the error about an unknown definition, with the nearest of `names`.
pub(super) fn unknown(names: &[&str], name: &str, path: &[u8], message: &str) -> Error {
    let near = nearest::among(names.iter().map(|name| name.as_bytes()), name.as_bytes());
    let near: Vec<String> = near.into_iter().map(|at| text::plain(names[at])).collect();
    let message = format!("{message} `{}`", text::plain(name));
    let error = Error::new(Kind::NotFound, message).with_code(UNKNOWN_NAME);
    let error = error.with_path(&path::to_path(path));
    match nearest::hint(&near) {
        Some(hint) => error.with_hint(hint),
        None => error.with_hint("{tool:outline} lists the definitions of the file"),
    }
}

fn parts(name: &str) -> Vec<&str> {
    name.split(['.', ':', '#', '/', '\\']).filter(|part| !part.is_empty()).collect()
}
