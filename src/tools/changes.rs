//! `changes`: the files that differ from a time, a commit, or a generation of the index.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::{Call, Define, Needs, Reply, Toolset, cut_notice, first, paths, results_max};
use crate::answer::page::{Block, Cell, Column, Grade, Page, Table};
use crate::answer::style::Style;
use crate::base::{path, text, time};
use crate::catalog::file_list::{FileList, FileState};
use crate::error::{Error, Result};
use crate::history::git::{Difference, Git};

/// Longer files are not hashed: they are reported as changed if their metadata differs.
const HASHED_BYTES_MAX: u64 = 64 << 20;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Changes;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// A time (`30m`, `2h`, `3d`, `2026-01-31`, `2026-01-31T12:00Z`), a commit (`HEAD~3`, `main`),
    /// or the `generation` of an earlier reply (default the newest of the index)
    pub since: Option<String>,
    /// Maximum number of files (default 200)
    pub max_results: Option<usize>,
}

/// The kind of base of the comparison.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Modification times; deleted files are not detected.
    Time,
    /// A commit.
    Commit,
    /// A generation of the index.
    Generation,
}

/// The kind of difference.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is new.
    Added,
    /// Its content differs.
    Modified,
    /// It was deleted.
    Deleted,
    /// It was renamed.
    Renamed,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Added => "added",
            Status::Modified => "modified",
            Status::Deleted => "deleted",
            Status::Renamed => "renamed",
        }
    }
}

/// A file that differs.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Change {
    /// Its repository path.
    pub path: String,
    /// The kind of difference.
    pub status: Status,
    /// Its path before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct ChangesReply {
    /// The base of the comparison: a time, the full hash of a commit, or a generation.
    pub since: String,
    /// The kind of base.
    pub basis: Basis,
    /// The current generation of the index, for a later call; 0 without an index.
    pub generation: u64,
    /// In path order.
    pub changes: Vec<Change>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
}

impl Define for Changes {
    const NAME: &'static str = "codedb_changes";
    const SUMMARY: &'static str =
        "List the files changed since a time, a commit or a generation of the index";
    const DETAILS: &'static str = "Since a commit: additions, deletions and renames, uncommitted ones included. Since a \
         time: files modified later. Since a generation: files that the index does not contain yet. \
         Git filters are not run: a filtered file (Git LFS) that was touched since the last `git \
         status` counts as modified.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const NEEDS: Needs = Needs::Files;
    const EXAMPLES: &'static [&'static str] = &[r#"{"since": "2025-01-01"}"#];
    const POSITIONAL: &'static [&'static str] = &["since"];
    type Args = Args;
    type Reply = ChangesReply;

    fn run(call: &Call<'_>, args: Args) -> Result<ChangesReply> {
        let list = call.code.files()?;
        let max = results_max(args.max_results, 200);
        let Compared { since, basis, mut changes, left_out } =
            since(call, list, args.since.as_deref(), max)?;
        // A change of the file itself takes precedence over one of an enclosing directory.
        let is_new = |change: &Change| change.status == Status::Added;
        changes.sort_by(|a, b| {
            let by_path = path::compare(a.path.as_bytes(), b.path.as_bytes());
            by_path.then(is_new(a).cmp(&is_new(b)))
        });
        changes.dedup_by(|later, first| later.path == first.path);
        let (changes, total) = first(changes, max);
        let total = total + left_out;
        let generation = list.generation;
        Ok(ChangesReply { since, basis, generation, shown: changes.len(), changes, total })
    }
}

/// The differences from a base.
struct Compared {
    since: String,
    basis: Basis,
    changes: Vec<Change>,
    /// The number of further changes, which come after these in path order.
    left_out: usize,
}

/// Interprets `since` as a time, a commit or a generation, and compares with it. Of the files since a
/// time, which may be all, only the first `max` are returned.
fn since(call: &Call<'_>, list: &FileList, since: Option<&str>, max: usize) -> Result<Compared> {
    let Some(since) = since else { return since_generation(call, list, list.generation) };
    if let Ok(generation) = since.parse::<u64>()
        && generation <= list.generation
    {
        return since_generation(call, list, generation);
    }
    if let Some(since_ns) = time::parse(since, call.now_ns) {
        let mut new = list.iter().filter(|(_, info)| info.modified_ns >= since_ns);
        let changes = new.by_ref().take(max).map(|(path, info)| match info.state {
            FileState::Added if list.generation > 0 => change(path, Status::Added),
            _ => change(path, Status::Modified),
        });
        let (changes, since) = (changes.collect(), time::format(since_ns));
        return Ok(Compared { since, basis: Basis::Time, changes, left_out: new.count() });
    }
    let unknown = |what: &str| {
        Error::usage(format!("`{}` is {what}", text::plain(since)))
            .with_hint("give an age (`2h`), a date (`2026-01-31`), a commit, or a generation")
    };
    let Some(git) = call.code.git() else {
        return Err(unknown("not a time, and the tree is not in a git repository"));
    };
    match git.commit(since)? {
        Some(commit) => since_commit(git, list, commit),
        None if git.is_shallow() => Err(unknown("not a time, a commit or a generation")
            .with_hint("the clone is shallow; `git fetch --unshallow` adds older commits")),
        None => Err(unknown("not a time, a commit or a generation")),
    }
}

fn since_commit(git: &Git, list: &FileList, commit: String) -> Result<Compared> {
    let mut changes = Vec::new();
    for (path, how) in git.changes_since(&commit)? {
        match how {
            // Git lists a directory with its own repository as one entry; searches descend into it.
            how if path.ends_with(b"/") => {
                let status = match how {
                    Difference::Added => Status::Added,
                    Difference::Deleted => Status::Deleted,
                    Difference::Modified | Difference::Renamed(_) => Status::Modified,
                };
                let inside = list.below(&path[..path.len() - 1]);
                changes.extend(inside.map(|at| change(list.path(at), status)));
            }
            Difference::Added => changes.push(change(&path, Status::Added)),
            Difference::Modified => changes.push(change(&path, Status::Modified)),
            Difference::Deleted => changes.push(change(&path, Status::Deleted)),
            Difference::Renamed(from) => {
                let from = Some(paths::shown(&from));
                changes.push(Change { from, ..change(&path, Status::Renamed) });
            }
        }
    }
    Ok(Compared { since: commit, basis: Basis::Commit, changes, left_out: 0 })
}

fn since_generation(call: &Call<'_>, list: &FileList, generation: u64) -> Result<Compared> {
    if list.generation == 0 {
        return Err(
            Error::usage("there is no index to compare with").with_hint("name a time or a commit")
        );
    }
    if generation != list.generation {
        let newest = list.generation;
        return Err(Error::usage(format!(
            "generation {generation} does not exist any more; the newest is {newest}"
        ))
        .with_hint("name a time or a commit"));
    }
    let mut changes: Vec<Change> =
        list.gone.iter().map(|path| change(path, Status::Deleted)).collect();
    for &at in &*list.changed_or_added() {
        let (path, info) = (list.path(at), list.info(at));
        match info.state {
            FileState::Added => changes.push(change(path, Status::Added)),
            FileState::Changed if differs(call, path, info.hash) => {
                changes.push(change(path, Status::Modified));
            }
            FileState::Changed | FileState::Same => {}
        }
    }
    let since = generation.to_string();
    Ok(Compared { since, basis: Basis::Generation, changes, left_out: 0 })
}

/// Returns false for a file that was touched, or rewritten with the same content.
fn differs(call: &Call<'_>, path: &[u8], hash: u128) -> bool {
    let Ok(content) = call.code.read(path, HASHED_BYTES_MAX) else { return true };
    hash == 0 || content.is_cut() || xxh3_128(content.original()) != hash
}

fn change(path: &[u8], status: Status) -> Change {
    Change { path: paths::shown(path), status, from: None }
}

impl Reply for ChangesReply {
    /// Renders a line for each change: the kind, the path, and the former path.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for Change { path, status, from } in &self.changes {
            let _ = write!(out, "{:<8}  {}", status.name(), style.path(path));
            if let Some(from) = from {
                let _ = write!(out, "  from {}", style.path(from));
            }
            out.push('\n');
        }
        out
    }

    fn page(&self) -> Option<Page> {
        let mut table = Table::new([Column::left(""), Column::cut(""), Column::cut("")]);
        for Change { path, status, from } in &self.changes {
            let grade = match status.name() {
                "added" => Grade::Good,
                "deleted" => Grade::Bad,
                _ => Grade::Fair,
            };
            table.row([
                Cell::Level(grade, status.name()),
                Cell::Path(path.clone()),
                from.as_ref().map_or(Cell::Empty, |from| Cell::faint(format!("from {from}"))),
            ]);
        }
        Some(Page { blocks: vec![Block::Table(table.without_empty())] })
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = cut_notice(self.shown, self.total, "max_results");
        if self.basis == Basis::Time {
            notices.push("deleted files are not listed; a commit as `since` lists them".to_owned());
        }
        notices
    }
}
