//! What changed: the files of a change with their texts before and after.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::edit::{self, Edit};
use super::paths::{self, Rename};
use super::role;
use super::trivial::{Trivial, trivial};
use crate::base::path;
use crate::catalog::code::Code;
use crate::error::Result;
use crate::history::CommitId;
use crate::history::git::{Difference, Git};
use crate::lang::language;
use crate::source::secret;

/// The maximum number of files whose texts are compared; the others are counted.
pub const FILES_MAX: usize = 300;

/// The maximum number of new and of deleted files among which renames are looked for.
const MOVED_MAX: usize = 5000;

/// The maximum size of a text that is compared, in bytes.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// The maximum size of a diff that is kept, in bytes.
const DIFF_BYTES_MAX: usize = 12 << 10;

/// The product of the numbers of lines above which two texts count as entirely different.
const PAIRS_MAX: usize = 40_000_000;

/// What is compared.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Scope {
    /// The tree with HEAD.
    WorkTree,
    /// Git's index with HEAD.
    Staged,
    /// The tree with the newest common ancestor of HEAD and this commit.
    Base(String),
}

/// The kind of change of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The file is new.
    Added,
    /// Its content differs.
    Modified,
    /// It was deleted.
    Deleted,
    /// It has a new path, and perhaps another content.
    Renamed,
    /// It does not differ; the call named it.
    Unchanged,
}

/// A file of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedFile {
    /// Its repository path, or the last one of a deleted file.
    pub path: Vec<u8>,
    /// Its path before, if it was renamed.
    pub source: Option<Vec<u8>>,
    /// The kind of change.
    pub kind: ChangeKind,
    /// Added lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
    /// False if the lines were not compared: a binary file, a submodule, or a text over 1 MiB.
    pub is_compared: bool,
    /// True for a submodule.
    pub is_submodule: bool,
    /// Why the change is trivial, if it is.
    pub trivial: Option<Trivial>,
    /// How much of the change is code.
    pub edit: Edit,
    /// The changed lines, at most 12 KiB; secrets are masked.
    pub diff: String,
    /// The removed lines without white space around them, for comparison with those of commits.
    pub removed_lines: Vec<String>,
}

impl ChangedFile {
    /// Returns a file that does not differ.
    pub fn unchanged(path: &[u8]) -> ChangedFile {
        ChangedFile::new(path.to_vec(), None, ChangeKind::Unchanged)
    }

    fn new(path: Vec<u8>, source: Option<Vec<u8>>, kind: ChangeKind) -> ChangedFile {
        ChangedFile {
            path,
            source,
            kind,
            added: 0,
            removed: 0,
            is_compared: false,
            is_submodule: false,
            trivial: None,
            edit: Edit::default(),
            diff: String::new(),
            removed_lines: Vec::new(),
        }
    }

    /// Returns the path that commits have: the one before an uncommitted rename.
    pub fn committed_path(&self) -> &[u8] {
        self.source.as_deref().unwrap_or(&self.path)
    }

    /// Sets what follows from the texts; `None` for a side that does not exist.
    fn compare(&mut self, before: Option<&[u8]>, after: Option<&[u8]>) {
        let text = |bytes: Option<&[u8]>| match bytes {
            None => Some(String::new()),
            Some(bytes) if bytes.contains(&0) || bytes.len() as u64 > TEXT_BYTES_MAX => None,
            Some(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        };
        let (Some(old), Some(new)) = (text(before), text(after)) else { return };
        self.is_compared = true;
        let language = language::of_name(path::split(&self.path).1);
        self.edit = Edit::of(language, &old, &new);
        if before.is_some() && after.is_some() {
            self.trivial = trivial(&self.path, language, &old, &new);
        } else if super::trivial::is_documentation(&self.path) {
            self.trivial = Some(Trivial::Documentation);
        }
        self.lines(&old, &new);
    }

    fn lines(&mut self, old: &str, new: &str) {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let tail = old[same..].iter().rev().zip(new[same..].iter().rev());
        let tail = tail.take_while(|(old, new)| old == new).count();
        let (old, new) = (&old[same..old.len() - tail], &new[same..new.len() - tail]);
        let mut put = |sign: char, line: &str| {
            if sign == '-' {
                self.removed += 1;
                let trimmed = line.trim();
                if trimmed.len() > 3 {
                    self.removed_lines.push(trimmed.to_owned());
                }
            } else {
                self.added += 1;
            }
            if self.diff.len() + line.len() < DIFF_BYTES_MAX {
                self.diff.push(sign);
                self.diff.push_str(line);
                self.diff.push('\n');
            }
        };
        if old.len().saturating_mul(new.len()) > PAIRS_MAX {
            old.iter().for_each(|line| put('-', line));
            new.iter().for_each(|line| put('+', line));
            return;
        }
        let operations = similar::capture_diff_slices(similar::Algorithm::Myers, old, new);
        for operation in operations {
            let (tag, before, after) = operation.as_tag_tuple();
            if tag == similar::DiffTag::Equal {
                continue;
            }
            old[before].iter().for_each(|line| put('-', line));
            new[after].iter().for_each(|line| put('+', line));
        }
    }
}

/// A change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The full hash of the commit that the files are compared with; `None` without commits.
    pub reference: Option<String>,
    /// The files, by path.
    pub files: Vec<ChangedFile>,
    /// How many files differ beyond [`FILES_MAX`].
    pub left_out: usize,
    /// The commits of the change itself: they are no evidence of what was before.
    pub own: BTreeSet<CommitId>,
}

impl Change {
    /// Returns the renames of the work tree, as new and old path, and whether no line differs.
    pub fn renames(&self) -> Vec<Rename> {
        let renamed = |file: &ChangedFile| {
            let is_exact = file.is_compared && file.added + file.removed == 0;
            Some(Rename { path: file.path.clone(), source: file.source.clone()?, is_exact })
        };
        self.files.iter().filter_map(renamed).collect()
    }

    /// Returns true if no file can alter behaviour. A change without files is not trivial.
    pub fn is_trivial(&self) -> bool {
        let is_trivial = |file: &ChangedFile| file.trivial.is_some();
        self.left_out == 0 && !self.files.is_empty() && self.files.iter().all(is_trivial)
    }
}

/// Reads a change. A path that is not among the differences is not in the result.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if the base is no commit; a failure of git.
pub fn read(code: &dyn Code, git: &Git, scope: &Scope) -> Result<Change> {
    let head = git.commit("HEAD")?;
    let reference = match scope {
        Scope::WorkTree | Scope::Staged => head.clone(),
        Scope::Base(name) => match git.commit(name)? {
            Some(commit) => Some(git.merge_base(&commit)?),
            None => return Err(git.no_commit(name)),
        },
    };
    let mut change = match (scope, &reference) {
        // Without a commit to compare with, everything that is staged is new.
        (Scope::Staged, _) | (_, None) => staged(git, reference)?,
        (_, Some(commit)) => {
            let change = compared(code, git, commit)?;
            let is_head = head.as_ref() == Some(commit);
            let own = if is_head { Vec::new() } else { git.commits_since(commit)? };
            Change { own: own.into_iter().collect(), ..change }
        }
    };
    let mut edits: Vec<&mut Edit> = change.files.iter_mut().map(|file| &mut file.edit).collect();
    edit::settle(&mut edits);
    Ok(change)
}

/// Reads the difference of git's index from a commit.
fn staged(git: &Git, reference: Option<String>) -> Result<Change> {
    let mut entries = git.staged(reference.as_deref())?;
    let left_out = entries.len().saturating_sub(FILES_MAX);
    entries.truncate(FILES_MAX);
    let mut ids: Vec<String> = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.is_submodule) {
        ids.extend(entry.source_blob.clone());
        ids.extend(entry.target_blob.clone());
    }
    ids.sort();
    ids.dedup();
    let mut texts: BTreeMap<String, Option<Vec<u8>>> = BTreeMap::new();
    git.blobs(&ids, &mut |id, content| {
        texts.insert(id.to_owned(), content.map(masked));
    })?;
    let files = entries.into_iter().map(|entry| {
        let kind = match (&entry.source, &entry.source_blob, &entry.target_blob) {
            (Some(_), ..) => ChangeKind::Renamed,
            (None, None, _) => ChangeKind::Added,
            (None, _, None) => ChangeKind::Deleted,
            _ => ChangeKind::Modified,
        };
        let mut file = ChangedFile::new(entry.path, entry.source, kind);
        file.is_submodule = entry.is_submodule;
        // `None` for a side that exists but was not read.
        let side = |id: &Option<String>| match id {
            None => Some(None),
            Some(id) => texts.get(id).and_then(Option::as_ref).map(|text| Some(text.as_slice())),
        };
        if let (false, Some(before), Some(after)) =
            (file.is_submodule, side(&entry.source_blob), side(&entry.target_blob))
        {
            file.compare(before, after);
        }
        file
    });
    Ok(Change { files: files.collect(), reference, left_out, own: BTreeSet::new() })
}

/// Reads the difference of the tree from a commit, with renames that git does not know yet.
fn compared(code: &dyn Code, git: &Git, commit: &str) -> Result<Change> {
    let mut files: Vec<ChangedFile> = Vec::new();
    for (path, how) in git.changes_since(commit)? {
        if path.ends_with(b"/") {
            // Git lists a directory with its own repository as one entry.
            let kind = match how {
                Difference::Deleted => ChangeKind::Deleted,
                Difference::Modified => ChangeKind::Modified,
                Difference::Added | Difference::Renamed(_) => ChangeKind::Added,
            };
            let mut file = ChangedFile::new(path[..path.len() - 1].to_vec(), None, kind);
            file.is_submodule = true;
            files.push(file);
            continue;
        }
        files.push(match how {
            Difference::Added => ChangedFile::new(path, None, ChangeKind::Added),
            Difference::Modified => ChangedFile::new(path, None, ChangeKind::Modified),
            Difference::Deleted => ChangedFile::new(path, None, ChangeKind::Deleted),
            Difference::Renamed(from) => ChangedFile::new(path, Some(from), ChangeKind::Renamed),
        });
    }
    let known: BTreeSet<Vec<u8>> = files.iter().map(|file| file.path.clone()).collect();
    for entry in git.staged(Some(commit))?.into_iter().filter(|entry| entry.is_submodule) {
        if known.contains(&entry.path) {
            continue;
        }
        let mut file = ChangedFile::new(entry.path, None, ChangeKind::Modified);
        file.is_submodule = true;
        files.push(file);
    }
    follow_moves(code, git, commit, &mut files)?;
    let left_out = files.len().saturating_sub(FILES_MAX);
    // Sources are worth more than data.
    files.sort_by(|a, b| {
        let by_role = role::of_path(&a.path).cmp(&role::of_path(&b.path));
        by_role.then_with(|| path::compare(&a.path, &b.path))
    });
    files.truncate(FILES_MAX);
    let has_before = |file: &ChangedFile| file.kind != ChangeKind::Added && !file.is_submodule;
    let earlier: Vec<Vec<u8>> =
        files.iter().filter(|it| has_before(it)).map(|it| it.committed_path().to_vec()).collect();
    let mut earlier = git.contents_at(commit, &earlier)?.into_iter();
    let mut texts: Vec<(Option<Vec<u8>>, Option<Vec<u8>>)> = Vec::new();
    for file in &files {
        let before = has_before(file).then(|| earlier.next().flatten().map(|text| masked(&text)));
        let has_after = file.kind != ChangeKind::Deleted && !file.is_submodule;
        let after = has_after.then(|| read_now(code, &file.path));
        texts.push((before.flatten(), after.flatten()));
    }
    for (file, (before, after)) in files.iter_mut().zip(&texts) {
        // A side that should exist but could not be read leaves the file uncompared.
        let is_read = match file.kind {
            ChangeKind::Added => after.is_some(),
            ChangeKind::Deleted => before.is_some(),
            _ => before.is_some() && after.is_some(),
        };
        if is_read && !file.is_submodule {
            file.compare(before.as_deref(), after.as_deref());
        }
    }
    files.sort_by(|a, b| path::compare(&a.path, &b.path));
    Ok(Change { reference: Some(commit.to_owned()), files, left_out, own: BTreeSet::new() })
}

/// Replaces pairs of a new and a deleted file by a renamed one, if their contents are alike: git does not
/// know files that were moved without `git mv`. Of many files, those whose names are on both sides are
/// compared.
fn follow_moves(
    code: &dyn Code,
    git: &Git,
    commit: &str,
    files: &mut Vec<ChangedFile>,
) -> Result<()> {
    let of_kind = |kind: ChangeKind| -> Vec<Vec<u8>> {
        let is_it = |file: &&ChangedFile| file.kind == kind && !file.is_submodule;
        files.iter().filter(is_it).map(|file| file.path.clone()).collect()
    };
    let (mut new, mut gone) = (of_kind(ChangeKind::Added), of_kind(ChangeKind::Deleted));
    if new.is_empty() || gone.is_empty() {
        return Ok(());
    }
    if new.len().max(gone.len()) > paths::COMPARED_MAX {
        let names = |paths: &[Vec<u8>]| -> BTreeSet<Vec<u8>> {
            paths.iter().map(|path| path::split(path).1.to_vec()).collect()
        };
        let (new_names, gone_names) = (names(&new), names(&gone));
        new.retain(|path| gone_names.contains(path::split(path).1));
        gone.retain(|path| new_names.contains(path::split(path).1));
    }
    new.truncate(MOVED_MAX);
    gone.truncate(MOVED_MAX);
    let texts = git.contents_at(commit, &gone)?.into_iter();
    let gone: Vec<(Vec<u8>, Vec<u8>)> = gone
        .into_iter()
        .zip(texts)
        .filter_map(|(path, text)| Some((path, masked(&text?))))
        .collect();
    let new: Vec<(Vec<u8>, Vec<u8>)> =
        new.into_iter().filter_map(|path| read_now(code, &path).map(|text| (path, text))).collect();
    for (new, old) in paths::moved(&new, &gone) {
        files.retain(|file| file.path != old || file.kind != ChangeKind::Deleted);
        if let Some(file) = files.iter_mut().find(|file| file.path == new) {
            file.kind = ChangeKind::Renamed;
            file.source = Some(old);
        }
    }
    Ok(())
}

/// Returns the present text of a file, with its secrets masked; `None` if it is longer than what is
/// compared, or may not be read.
fn read_now(code: &dyn Code, path: &[u8]) -> Option<Vec<u8>> {
    // Git stores where a link leads to.
    let place = code.root().join(path::to_path(path));
    if let Ok(target) = std::fs::read_link(&place) {
        return path::from_path(&target);
    }
    let content = code.read(path, TEXT_BYTES_MAX).ok()?;
    (!content.is_cut()).then(|| content.bytes().to_vec())
}

fn masked(text: &[u8]) -> Vec<u8> {
    secret::masked(text).map_or_else(|| text.to_vec(), |masked| masked.to_vec())
}
