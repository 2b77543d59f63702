//! The code that differs from a commit, for tools that select tests: changed functions, changed
//! tests, and functions that were removed or renamed.

use std::collections::BTreeSet;

use super::{Call, counted, paths};
use crate::answer::analysis::Status;
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::context::changed::{Before, Changed};
use crate::error::Result;
use crate::graph::link::{Code as _, SymbolAt};
use crate::history::git::{Difference, Git};
use crate::lang::{SymbolKind, language, marks};
use crate::testmap::fixtures::{TestAt, Tests};

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
    /// Deleted source files that are no tests.
    pub(super) deleted: Vec<String>,
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

/// The remark of a reply if [`CodeDifference::is_cut`].
pub(super) const CUT_MESSAGE: &str =
    "more than 200 files of code differ; the functions of the others were not compared";

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
    let found = compare(catalog, git, commit)?;
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

/// Returns true for a file of code by its name; others have no functions and no tests.
fn is_code(path: &[u8]) -> bool {
    language::of_name(crate::base::path::split(path).1).is_some_and(|it| it.is_code())
}

fn compare(catalog: &Catalog, git: &Git, commit: String) -> Result<CodeDifference> {
    let mut found = CodeDifference { commit, ..CodeDifference::default() };
    let list = catalog.files();
    let (mut files, mut before): (Vec<FileId>, Vec<Before>) = (Vec::new(), Vec::new());
    let mut gone: Vec<(String, Vec<u8>)> = Vec::new();
    let mut changes = git.changes_since(&found.commit)?;
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
        let is_deleted = how == Difference::Deleted;
        let earlier = match how {
            Difference::Added => None,
            Difference::Modified | Difference::Deleted => Some(path.clone()),
            Difference::Renamed(from) => Some(from),
        };
        let present = list.find(&path).map(FileId::new);
        files.extend(present);
        if !is_code(&path) {
            continue;
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
    let deleted = gone.iter().filter(|(path, _)| marks::is_own_source(path.as_bytes()));
    found.deleted = deleted.map(|(path, _)| path.clone()).collect();
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
            removed_in(catalog, *file, earlier, &mut found.removed)?;
        }
    }
    for (path, earlier) in &gone {
        removed_with(catalog, path, earlier, &mut found.removed)?;
    }
    Ok(found)
}

/// Adds the functions that a file had and no longer has.
fn removed_in(
    catalog: &Catalog,
    file: FileId,
    earlier: &[u8],
    removed: &mut Vec<Removed>,
) -> Result<()> {
    let Some(facts) = catalog.file(file) else { return Ok(()) };
    let Some(text) = catalog.text(file) else { return Ok(()) };
    let text: &[u8] = &text;
    let outline = catalog.outline(facts.language, &facts.path, earlier)?;
    let present: BTreeSet<&str> =
        facts.symbols.iter().map(|symbol| symbol.qualified_name.as_str()).collect();
    let had: BTreeSet<&str> =
        outline.symbols.iter().map(|symbol| symbol.qualified_name.as_str()).collect();
    for symbol in &outline.symbols {
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
    Ok(())
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
