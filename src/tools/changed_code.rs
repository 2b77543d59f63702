//! The code that differs from a commit, for tools that select tests: changed functions, changed
//! tests, and functions that were removed or renamed.

use std::collections::{BTreeMap, BTreeSet};

use super::analysis::NOT_A_REPOSITORY;
use super::changed_paths::{self, FileKind, Parsed};
use super::test_selection::Besides;
use super::{Call, counted, paths};
use crate::answer::analysis::{Analysis, Status};
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::context::changed::{Before, Changed, Earlier};
use crate::error::{Error, Kind, Result};
use crate::graph::link::{Code as _, FileFacts, SymbolAt};
use crate::history::git::{Difference, Git};
use crate::lang::{Symbol, SymbolKind, marks};
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::outside::Effect;

/// The maximum number of files of code whose earlier text is read.
const COMPARED_MAX: usize = 200;

/// The message if nothing is staged.
pub(super) const NOTHING_STAGED: &str = "nothing is staged";

/// The difference of the tree from a commit.
#[derive(Debug, Default)]
pub(super) struct CodeDifference {
    /// The commit.
    pub(super) commit: String,
    /// The paths that differ, in path order; deleted ones included.
    pub(super) paths: Vec<String>,
    /// Those of them that the tree has.
    pub(super) files: Vec<FileId>,
    /// The changed functions outside of tests, by file and position.
    pub(super) symbols: Vec<SymbolAt>,
    /// The tests whose body changed.
    pub(super) tests: Vec<TestAt>,
    /// Functions that the files no longer define.
    pub(super) removed: Vec<Removed>,
    /// What differs outside of functions.
    pub(super) effects: BTreeSet<Effect>,
    /// Files that differ and alter no test, because only comments or documentation differ.
    pub(super) inert: usize,
    /// How many changed files of code are neither deleted nor among the files of the tree, for
    /// example because a sparse checkout leaves them out.
    pub(super) absent: usize,
    /// More files differ than were compared.
    pub(super) is_cut: bool,
    /// For [`Scope::Committed`]: files with uncommitted changes, which count, too.
    pub(super) mixed: usize,
}

/// Which changes count.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Scope {
    /// All since a commit.
    All,
    /// Those that no commit has.
    Uncommitted,
    /// Those of commits. A file with changes of both kinds counts as a whole.
    Committed,
    /// Those of files that git's index has changed since HEAD.
    Staged,
}

impl Scope {
    /// Returns the scope of the arguments `base` and `staged`; `None` without them.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] if both are given, or one of them together with what `named` says is.
    pub(super) fn of_change(
        base: Option<&str>,
        staged: bool,
        named: bool,
    ) -> Result<Option<Scope>> {
        let scope = match (base, staged) {
            (None, false) => return Ok(None),
            (Some(_), false) => Scope::All,
            (None, true) => Scope::Staged,
            (Some(_), true) => return Err(Error::usage("`base` and `staged` exclude each other")),
        };
        if named {
            return Err(Error::usage("the changes are given by a commit or by files, not by both")
                .with_hint("leave out the files, or `base` and `staged`"));
        }
        Ok(Some(scope))
    }

    /// Returns the meaning of the argument `working_tree`.
    pub(super) fn of(working_tree: Option<bool>) -> Scope {
        match working_tree {
            None => Scope::All,
            Some(true) => Scope::Uncommitted,
            Some(false) => Scope::Committed,
        }
    }
}

/// A function that was removed or renamed since the commit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Removed {
    /// Its file, by its present path, or by its former one if it was deleted.
    pub(super) path: String,
    /// Its name.
    pub(super) name: String,
    /// Its former qualified name.
    pub(super) qualified_name: String,
    /// The present definition with the same body, if there is exactly one.
    pub(super) renamed_to: Option<String>,
}

impl CodeDifference {
    /// Returns the remark on [`CodeDifference::absent`] unless it is 0.
    pub(super) fn absent_message(&self) -> Option<String> {
        let files = counted(self.absent, "changed file");
        let (verb, functions) = if self.absent == 1 { ("is", "its") } else { ("are", "their") };
        (self.absent > 0).then(|| {
            format!(
                "{files} of code {verb} not among the files of the tree, like those that a sparse \
                 checkout leaves out: {functions} functions were not compared"
            )
        })
    }
}

/// Why there is no difference to answer from.
pub(super) struct NoDifference {
    pub(super) status: Status,
    pub(super) error: Option<&'static str>,
    pub(super) message: String,
    pub(super) hint: String,
}

impl NoDifference {
    fn new(status: Status, error: Option<&'static str>, message: &str, hint: &str) -> NoDifference {
        NoDifference { status, error, message: message.to_owned(), hint: hint.to_owned() }
    }

    /// Returns no difference.
    ///
    /// # Errors
    ///
    /// If git failed.
    pub(super) fn unless_git_failed(self) -> Result<Option<CodeDifference>> {
        match (self.status, self.error) {
            (Status::GitError, Some(code)) if code != NOT_A_REPOSITORY => {
                Err(Error::new(Kind::Io, self.message).with_code(code).with_hint(self.hint))
            }
            _ => Ok(None),
        }
    }

    /// Returns the reply that reports it, with empty data.
    pub(super) fn reply<D>(self, data: D) -> Analysis<D> {
        let reply = Analysis::list(data, 0, 0).with_status(self.status, self.message);
        reply.with_error(self.error).with_hint(self.hint)
    }
}

/// Returns the reply with a remark on files whose uncommitted changes count as well.
pub(super) fn with_mixed<D>(reply: Analysis<D>, mixed: usize) -> Analysis<D> {
    if mixed == 0 || reply.message.is_some() {
        return reply;
    }
    let (files, have) = (counted(mixed, "file"), if mixed == 1 { "has" } else { "have" });
    let message = format!("{files} of the commits {have} uncommitted changes, which count, too");
    Analysis { message: Some(message), ..reply }
}

/// Returns the paths of the files that no commit has; none without a repository.
///
/// # Errors
///
/// If git fails.
pub(super) fn uncommitted_files(call: &Call<'_>) -> Result<BTreeSet<Vec<u8>>> {
    let Some(git) = call.code.git() else { return Ok(BTreeSet::new()) };
    if git.commit("HEAD")?.is_none() {
        return Ok(call.code.files()?.iter().map(|(path, _)| path.to_vec()).collect());
    }
    let changes = git.changes_since("HEAD")?.into_iter();
    let is_new = |how: &Difference| matches!(how, Difference::Added | Difference::Renamed(_));
    Ok(changes.filter(|(_, how)| is_new(how)).map(|(path, _)| path).collect())
}

/// Returns the difference of the tree from `reference`, by default from where the branch left the
/// main one; with [`Scope::Uncommitted`], from HEAD.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if `reference` is no commit.
pub(super) fn difference(
    call: &Call<'_>,
    catalog: &Catalog,
    reference: Option<&str>,
    scope: Scope,
) -> Result<std::result::Result<CodeDifference, NoDifference>> {
    match found(call, catalog, reference, scope) {
        Err(error) if error.is_of_git() => {
            let hint = error.hints().join("; ");
            let (status, code) = (Status::GitError, Some(error.code()));
            Ok(Err(NoDifference::new(status, code, &error.to_string(), &hint)))
        }
        found => found,
    }
}

fn found(
    call: &Call<'_>,
    catalog: &Catalog,
    reference: Option<&str>,
    scope: Scope,
) -> Result<std::result::Result<CodeDifference, NoDifference>> {
    let none = |status, error, message: &str, hint| {
        Ok(Err(NoDifference::new(status, error, message, hint)))
    };
    let Some(git) = call.code.git() else {
        return none(
            Status::GitError,
            Some(NOT_A_REPOSITORY),
            "the tree is not in a git repository",
            "name files or functions instead",
        );
    };
    let commit = match reference {
        Some(name) => match git.commit(name)? {
            Some(commit) => Some(commit),
            None => return Err(git.no_commit(name)),
        },
        None if matches!(scope, Scope::Uncommitted | Scope::Staged) => git.commit("HEAD")?,
        None => git.branch_point()?,
    };
    let Some(commit) = commit else {
        git.check_unborn()?;
        return none(
            Status::NoData,
            Some("no_commits"),
            "the repository has no commits",
            "commit something, or name files or functions",
        );
    };
    let found = compare(catalog, git, commit, scope)?;
    if found.paths.is_empty() {
        let short = text::start(&found.commit, 12).to_owned();
        let (message, hint) = match scope {
            Scope::Staged => (NOTHING_STAGED.to_owned(), "`git add` stages changes"),
            _ => (
                format!("nothing differs from {short}"),
                "name an older commit, files or functions",
            ),
        };
        return none(Status::NoChanges, None, &message, hint);
    }
    Ok(Ok(found))
}

fn compare(catalog: &Catalog, git: &Git, commit: String, scope: Scope) -> Result<CodeDifference> {
    let mut found = CodeDifference { commit, ..CodeDifference::default() };
    let tests = Tests::new(catalog);
    let list = catalog.files();
    let mut files: Vec<FileId> = Vec::new();
    let mut before: Vec<(FileId, Option<Vec<u8>>)> = Vec::new();
    let mut gone: Vec<Vec<u8>> = Vec::new();
    let mut changes = git.changes_since(&found.commit)?;
    if scope == Scope::Committed {
        found.mixed = keep_committed(git, &found.commit, &mut changes)?;
    }
    if scope == Scope::Staged {
        let staged = git.staged(Some(&found.commit))?;
        let paths = staged.into_iter().flat_map(|of| [Some(of.path), of.source]).flatten();
        let paths: BTreeSet<Vec<u8>> = paths.collect();
        // A submodule is staged as a whole.
        let folders = |path: &[u8]| -> Vec<usize> { memchr::memchr_iter(b'/', path).collect() };
        changes.retain(|(path, _)| {
            paths.contains(path) || folders(path).iter().any(|&end| paths.contains(&path[..end]))
        });
        // Reverted, or removed from the index alone.
        for path in paths {
            let inside = [&path[..], b"/"].concat();
            let is_known = |(of, how): &(Vec<u8>, Difference)| {
                *of == path
                    || of.starts_with(&inside)
                    || matches!(how, Difference::Renamed(from) if *from == path)
            };
            if !changes.iter().any(is_known) {
                found.effects.insert(Effect::Staged(paths::shown(&path)));
                found.paths.push(paths::shown(&path));
            }
        }
    }
    // Sources first: other files have no functions, and must not use up the bound.
    changes.sort_by_key(|(path, _)| !marks::is_own_source(path));
    for (path, how) in changes {
        if path.ends_with(b"/") {
            // Git lists a directory with its own repository as one entry.
            let folder = &path[..path.len() - 1];
            if how != Difference::Added {
                found.effects.insert(Effect::Repository(paths::shown(folder)));
                found.paths.push(paths::shown(folder));
            }
            let inside = list.below(folder);
            found.paths.extend(inside.clone().map(|at| paths::shown(list.path(at))));
            files.extend(inside.map(FileId::new));
            continue;
        }
        found.paths.push(paths::shown(&path));
        let (is_new, is_deleted) = (matches!(how, Difference::Added), how == Difference::Deleted);
        let earlier = match how {
            Difference::Added => None,
            Difference::Modified | Difference::Deleted => Some(path.clone()),
            Difference::Renamed(from) => {
                found.note_former(&from);
                found.paths.push(paths::shown(&from));
                Some(from)
            }
        };
        let present = list.find(&path).map(FileId::new);
        files.extend(present);
        match changed_paths::kind(&path) {
            FileKind::Configuration => {
                found.effects.insert(Effect::Configuration(paths::shown(&path)));
                continue;
            }
            FileKind::Inert => {
                // A test or a build may read it by name; pytest may run its examples.
                let path = paths::shown(&path);
                let is_new = !tests.configured().of(&path).has_document(&path);
                found.inert += usize::from(is_new);
                found.effects.insert(Effect::Data { path, is_new });
                continue;
            }
            FileKind::Data => {
                let path = paths::shown(&path);
                found.effects.insert(Effect::Data { path, is_new });
                continue;
            }
            FileKind::Support => match present {
                Some(file) => drop(found.effects.insert(Effect::Support(file))),
                None if is_deleted => found.note_former(&path),
                None => {}
            },
            FileKind::Code if changed_paths::is_sample(&path) => {
                // Tests may read it, import it, or both.
                let is_imported = present.is_some_and(|file| !catalog.importers(file).is_empty());
                let (path, is_new) = (paths::shown(&path), is_new || is_imported);
                found.effects.insert(Effect::Data { path, is_new });
            }
            FileKind::Code => {}
        }
        if present.is_none() && !is_deleted {
            found.absent += 1;
            continue;
        }
        if before.len() + gone.len() >= COMPARED_MAX {
            found.is_cut = true;
            continue;
        }
        match present {
            Some(file) => before.push((file, earlier)),
            None => gone.extend(earlier),
        }
    }
    let before = Before::read(catalog, git, &found.commit, before)?;
    let texts = git.texts_at(&found.commit, &gone)?;
    let gone: Vec<(String, Vec<u8>)> = gone
        .iter()
        .zip(texts)
        .filter_map(|(path, text)| Some((paths::shown(path), text?)))
        .collect();
    found.paths.sort();
    gone.iter().for_each(|(path, _)| found.note_former(path.as_bytes()));
    let changed = Changed::since(catalog, &files, &before)?;
    found.files = files;
    for at in changed.symbols {
        let Some(facts) = catalog.file(at.file) else { continue };
        let symbol = &facts.symbols[at.place as usize];
        if let Some(place) = tests.of(at.file).test_at(symbol.name_span.start) {
            found.tests.push(TestAt { file: at.file, place: place as u32 });
        } else if symbol.kind.is_callable() || symbol.kind == SymbolKind::Property {
            found.symbols.push(at);
        } else {
            // A changed type, constant or field: the functions around it, or those in it.
            let inside = |place: &usize| facts.symbols[*place].parent == Some(at.place as usize);
            let functions = (0..facts.symbols.len())
                .filter(inside)
                .filter(|&place| facts.symbols[place].kind.is_callable());
            let before = found.symbols.len();
            found
                .symbols
                .extend(functions.map(|place| SymbolAt { file: at.file, place: place as u32 }));
            if before == found.symbols.len() {
                found.symbols.push(at);
            }
        }
    }
    // A new file of tests has no earlier text that its tests could differ from.
    for &Before { file, .. } in before.iter().filter(|of| of.earlier.is_none()) {
        found.tests.extend(tests.in_file(file));
        found.effects.extend(of_new_file(catalog, file, &found.files));
    }
    found.tests.sort_unstable();
    found.tests.dedup();
    found.symbols.sort_unstable();
    found.symbols.dedup();
    for Before { file, earlier } in &before {
        if let Some(earlier) = earlier {
            found.compare_outside(catalog, &tests, *file, earlier);
        }
    }
    for (path, earlier) in &gone {
        removed_with(catalog, path, earlier, &mut found.removed)?;
    }
    Ok(found)
}

/// Returns the effect of a path that no file has any more.
pub(super) fn of_former(path: &[u8]) -> Option<Effect> {
    let shown = paths::shown(path);
    match changed_paths::kind(path) {
        FileKind::Inert => Some(Effect::Data { path: shown, is_new: true }),
        FileKind::Configuration | FileKind::Support => Some(Effect::Configuration(shown)),
        FileKind::Data => Some(Effect::Data { path: shown, is_new: false }),
        FileKind::Code if marks::of_path(path).test => None,
        FileKind::Code => Some(Effect::Gone(shown)),
    }
}

/// Removes the changes since `commit` that no commit has. Returns the number of files that are left and
/// have uncommitted changes, too.
fn keep_committed(
    git: &Git,
    commit: &str,
    changes: &mut Vec<(Vec<u8>, Difference)>,
) -> Result<usize> {
    let uncommitted = git.changes_since("HEAD")?;
    let mut former: BTreeMap<&[u8], &[u8]> =
        uncommitted.iter().map(|(path, _)| (&path[..], &path[..])).collect();
    for (path, how) in changes.iter() {
        if let (Difference::Renamed(from), Some(former)) = (how, former.get_mut(&path[..])) {
            *former = from;
        }
    }
    let texts_at = |commit: &str, paths: Vec<Vec<u8>>| git.texts_at(commit, &paths);
    let before = texts_at(commit, former.values().map(|path| path.to_vec()).collect())?;
    let at_head = texts_at("HEAD", former.keys().map(|path| path.to_vec()).collect())?;
    let at_head: BTreeMap<&[u8], &Option<Vec<u8>>> = former.keys().copied().zip(&at_head).collect();
    let sides = former.keys().zip(&before);
    let is_committed: BTreeSet<&[u8]> =
        sides.filter(|(path, before)| at_head[*path] != *before).map(|(path, _)| *path).collect();
    let counts = |path: &[u8]| !former.contains_key(path) || is_committed.contains(path);
    let kept = changes.iter().filter(|(path, _)| counts(path));
    let mut kept: Vec<(Vec<u8>, Difference)> = kept.cloned().collect();
    let mut mixed = kept.iter().filter(|(path, _)| former.contains_key(&path[..])).count();
    // What a commit changed and the tree has undone.
    let is_left =
        |path: &&[u8]| at_head[path].is_some() && kept.iter().all(|(other, _)| other[..] != **path);
    let left: Vec<Vec<u8>> = former.keys().copied().filter(is_left).map(<[u8]>::to_vec).collect();
    let before = texts_at(commit, left.clone())?;
    for (path, before) in left.into_iter().zip(before) {
        if *at_head[&path[..]] != before {
            mixed += 1;
            kept.push((path, Difference::Modified));
        }
    }
    *changes = kept;
    Ok(mixed)
}

impl CodeDifference {
    /// Returns what differs besides functions.
    pub(super) fn besides(&self) -> Besides<'_> {
        Besides {
            tests: &self.tests,
            files: &[],
            effects: Some(&self.effects),
            is_inert: self.inert > 0 && self.inert == self.paths.len(),
            is_cut: self.is_cut,
            absent: self.absent_message(),
        }
    }

    /// Notes that no file has this path any more. That of a test concerns nothing but the test.
    fn note_former(&mut self, path: &[u8]) {
        self.effects.extend(of_former(path));
    }

    /// Notes what differs from the earlier text of a file outside of its functions, and the functions
    /// that it no longer has.
    fn compare_outside(
        &mut self,
        catalog: &Catalog,
        tests: &Tests<'_>,
        file: FileId,
        earlier: &Earlier,
    ) {
        let Earlier { text: earlier, symbols } = earlier;
        let (Some(facts), Some(text)) = (catalog.file(file), catalog.text(file)) else {
            // It is no text any more.
            self.effects.insert(Effect::Loading(file));
            return;
        };
        if earlier[..] == *text {
            // Its mode differs.
            self.effects.insert(Effect::Loading(file));
            return;
        }
        let before = Parsed { text: earlier, symbols };
        let after = Parsed { text: &text, symbols: &facts.symbols };
        let path = catalog.path(file);
        if changed_paths::differs_outside(path, facts.language, before, after) {
            self.effects.insert(Effect::Loading(file));
        } else if self.symbols.iter().all(|at| at.file != file) {
            self.inert += 1;
        }
        let known = self.removed.len();
        removed_in(&facts, &text, symbols, earlier, &mut self.removed);
        // A test that is gone concerns no other test; support code of tests does.
        let is_test_file = !tests.of(file).tests.is_empty();
        for removed in &self.removed[known..] {
            if !is_test_file {
                let is_free = removed.qualified_name == removed.name;
                self.effects.insert(Effect::Removed { file, name: removed.name.clone(), is_free });
            }
        }
    }
}

/// Returns the effect of a file that did not exist before: it may take the place of another one for
/// files that did not change, or be loaded by something that names no file.
fn of_new_file(catalog: &Catalog, file: FileId, changed: &[FileId]) -> Option<Effect> {
    if !marks::is_own_source(catalog.path(file)) {
        return None;
    }
    let importers = catalog.importers(file);
    if importers.is_empty() {
        return Some(Effect::Unloaded(file));
    }
    importers.iter().any(|of| !changed.contains(of)).then_some(Effect::Loading(file))
}

/// Adds the functions that a file had and no longer has.
fn removed_in(
    facts: &FileFacts,
    text: &[u8],
    outline: &[Symbol],
    earlier: &[u8],
    removed: &mut Vec<Removed>,
) {
    let present: BTreeSet<&str> =
        facts.symbols.iter().map(|symbol| symbol.qualified_name.as_str()).collect();
    let had: BTreeSet<&str> = outline.iter().map(|symbol| symbol.qualified_name.as_str()).collect();
    for symbol in outline {
        if !symbol.kind.is_callable() || present.contains(symbol.qualified_name.as_str()) {
            continue;
        }
        let body =
            |text: &[u8], name_end: usize, end: usize| text.get(name_end..end).map(<[u8]>::to_vec);
        let own = body(earlier, symbol.name_span.end, symbol.span.end);
        let same: Vec<&str> = facts
            .symbols
            .iter()
            .filter(|of| of.kind.is_callable() && !had.contains(of.qualified_name.as_str()))
            .filter(|of| own.is_some() && body(text, of.name_span.end, of.span.end) == own)
            .map(|of| of.qualified_name.as_str())
            .collect();
        removed.push(Removed {
            path: facts.path.clone(),
            name: symbol.name.clone(),
            qualified_name: symbol.qualified_name.clone(),
            renamed_to: (same.len() == 1).then(|| same[0].to_owned()),
        });
    }
}

/// Adds the functions of a deleted file.
fn removed_with(
    catalog: &Catalog,
    path: &str,
    earlier: &[u8],
    removed: &mut Vec<Removed>,
) -> Result<()> {
    let Some(language) = paths::language(path.as_bytes()) else { return Ok(()) };
    let outline = catalog.outline(language, path, earlier)?;
    let functions = outline.symbols.iter().filter(|symbol| symbol.kind.is_callable());
    removed.extend(functions.map(|symbol| Removed {
        path: path.to_owned(),
        name: symbol.name.clone(),
        qualified_name: symbol.qualified_name.clone(),
        renamed_to: None,
    }));
    Ok(())
}
