//! The code that differs from a commit, for tools that select tests: changed functions, changed
//! tests, and functions that were removed or renamed.

use std::collections::BTreeSet;

use super::changed_paths::{self, FileKind, Parsed};
use super::test_selection::Besides;
use super::{Call, counted, paths};
use crate::answer::analysis::Status;
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::context::changed::{Before, Changed};
use crate::error::Result;
use crate::graph::link::{Code as _, FileFacts, SymbolAt};
use crate::history::git::{Difference, Git};
use crate::lang::{Symbol, SymbolKind, marks};
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::outside::Effect;

/// The maximum number of files of code whose earlier text is read.
const COMPARED_MAX: usize = 200;

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
    pub(super) message: String,
    pub(super) hint: &'static str,
}

/// Returns the difference of the tree from `reference`, by default from where the branch left the
/// main one; with `uncommitted`, from HEAD.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if `reference` is no commit; a failure of git.
pub(super) fn difference(
    call: &Call<'_>,
    catalog: &Catalog,
    reference: Option<&str>,
    uncommitted: bool,
) -> Result<std::result::Result<CodeDifference, NoDifference>> {
    difference_in(call, catalog, reference, Scope { uncommitted, staged: false })
}

/// Which changes count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// Those since HEAD.
    pub(super) uncommitted: bool,
    /// Those of files that git's index has changed.
    pub(super) staged: bool,
}

/// Returns the difference like [`difference`].
///
/// # Errors
///
/// As [`difference`].
pub(super) fn difference_in(
    call: &Call<'_>,
    catalog: &Catalog,
    reference: Option<&str>,
    Scope { uncommitted, staged }: Scope,
) -> Result<std::result::Result<CodeDifference, NoDifference>> {
    let none = |status, message: &str, hint| {
        Ok(Err(NoDifference { status, message: message.to_owned(), hint }))
    };
    let Some(git) = call.code.git() else {
        return none(
            Status::NoData,
            "the tree is not in a git repository",
            "name files or functions instead",
        );
    };
    let commit = match reference {
        Some(name) => match git.commit(name)? {
            Some(commit) => Some(commit),
            None => return Err(git.no_commit(name)),
        },
        None if uncommitted => git.commit("HEAD")?,
        None => git.branch_point()?,
    };
    let Some(commit) = commit else {
        return none(
            Status::NoData,
            "the repository has no commits",
            "commit something, or name files or functions",
        );
    };
    let found = compare(catalog, git, commit, staged)?;
    if found.paths.is_empty() {
        let short = text::start(&found.commit, 12).to_owned();
        return none(
            Status::NoChanges,
            &format!("nothing differs from {short}"),
            "name an older commit, files or functions",
        );
    }
    Ok(Ok(found))
}

fn compare(catalog: &Catalog, git: &Git, commit: String, staged: bool) -> Result<CodeDifference> {
    let mut found = CodeDifference { commit, ..CodeDifference::default() };
    let list = catalog.files();
    let (mut files, mut before): (Vec<FileId>, Vec<Before>) = (Vec::new(), Vec::new());
    let mut gone: Vec<(String, Vec<u8>)> = Vec::new();
    let mut changes = git.changes_since(&found.commit)?;
    if staged {
        let staged = git.staged(Some(&found.commit))?;
        let paths = staged.into_iter().flat_map(|of| [Some(of.path), of.source]).flatten();
        let paths: BTreeSet<Vec<u8>> = paths.collect();
        changes.retain(|(path, _)| paths.contains(path));
    }
    // Sources first: other files have no functions, and must not use up the bound.
    changes.sort_by_key(|(path, _)| !marks::is_own_source(path));
    for (path, how) in changes {
        if path.ends_with(b"/") {
            // Git lists a directory with its own repository as one entry.
            let inside = list.below(&path[..path.len() - 1]);
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
                found.inert += 1;
                // A test or a build may read it by name.
                let path = paths::shown(&path);
                found.effects.insert(Effect::Data { path, is_new: true });
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
        let content =
            earlier.map(|path| git.content_at(&found.commit, &path)).transpose()?.flatten();
        match (present, content) {
            (Some(file), content) => before.push((file, content)),
            (None, Some(content)) => gone.push((paths::shown(&path), content)),
            (None, None) => {}
        }
    }
    found.paths.sort();
    gone.iter().for_each(|(path, _)| found.note_former(path.as_bytes()));
    let changed = Changed::since(catalog, &files, &before)?;
    found.files = files;
    let tests = Tests::new(catalog);
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
    for (file, earlier) in &before {
        if earlier.is_none() {
            found.tests.extend(tests.in_file(*file));
        }
    }
    found.tests.sort_unstable();
    found.tests.dedup();
    found.symbols.sort_unstable();
    found.symbols.dedup();
    for (file, earlier) in &before {
        if let Some(earlier) = earlier {
            found.compare_outside(catalog, &tests, *file, earlier)?;
        }
    }
    for (path, earlier) in &gone {
        removed_with(catalog, path, earlier, &mut found.removed)?;
    }
    Ok(found)
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
        let shown = paths::shown(path);
        self.effects.extend(match changed_paths::kind(path) {
            FileKind::Inert => Some(Effect::Data { path: shown, is_new: true }),
            FileKind::Configuration | FileKind::Support => Some(Effect::Configuration(shown)),
            FileKind::Data => Some(Effect::Data { path: shown, is_new: false }),
            FileKind::Code if marks::of_path(path).test => None,
            FileKind::Code => Some(Effect::Gone(shown)),
        });
    }

    /// Notes what differs from the earlier text of a file outside of its functions, and the functions
    /// that it no longer has.
    fn compare_outside(
        &mut self,
        catalog: &Catalog,
        tests: &Tests<'_>,
        file: FileId,
        earlier: &[u8],
    ) -> Result<()> {
        let (Some(facts), Some(text)) = (catalog.file(file), catalog.text(file)) else {
            // It is no text any more.
            self.effects.insert(Effect::Loading(file));
            return Ok(());
        };
        if earlier == &*text {
            // Its mode differs.
            self.effects.insert(Effect::Loading(file));
            return Ok(());
        }
        let outline = catalog.outline(facts.language, &facts.path, earlier)?;
        let before = Parsed { text: earlier, symbols: &outline.symbols };
        let after = Parsed { text: &text, symbols: &facts.symbols };
        let path = catalog.path(file);
        if changed_paths::differs_outside(path, facts.language, before, after) {
            self.effects.insert(Effect::Loading(file));
        } else if earlier != &*text && self.symbols.iter().all(|at| at.file != file) {
            self.inert += 1;
        }
        let known = self.removed.len();
        removed_in(&facts, &text, &outline.symbols, earlier, &mut self.removed);
        // A test that is gone concerns no other test; support code of tests does.
        let is_test_file = !tests.of(file).tests.is_empty();
        for removed in &self.removed[known..] {
            if !is_test_file {
                let is_free = removed.qualified_name == removed.name;
                self.effects.insert(Effect::Removed { file, name: removed.name.clone(), is_free });
            }
        }
        Ok(())
    }
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
