//! `hot`: the most recently changed files, by modification time and by commits.

use std::collections::HashMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Define, Needs, Reply, Toolset, first, paths, results_max};
use crate::answer::style::Style;
use crate::base::time;
use crate::error::{Kind, Result};
use crate::history::{Log, PathId};

/// The maximum number of commits that are counted.
const COMMITS_MAX: usize = 300;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Hot;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Maximum number of files in each list (default 10)
    pub limit: Option<usize>,
}

/// A file by its modification time.
#[derive(Clone, Debug, Serialize)]
pub struct Modified {
    /// Its repository path.
    pub path: String,
    /// Its modification time.
    pub modified: String,
}

/// A file by the commits that touched it.
#[derive(Clone, Debug, Serialize)]
pub struct Committed {
    /// Its repository path.
    pub path: String,
    /// How many of the counted commits touched it.
    pub commits: usize,
    /// The time of the last of them.
    pub last: String,
}

/// The part of the reply that comes from git.
#[derive(Clone, Debug, Serialize)]
pub struct History {
    /// The files with the most commits; with equal counts the newest first, then by path.
    pub files: Vec<Committed>,
    /// How many are listed.
    pub shown: usize,
    /// How many of the touched files still exist.
    pub total: usize,
    /// How many commits were counted, newest first.
    pub commits: usize,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct HotReply {
    /// The most recently modified files, newest first, then by path.
    pub files: Vec<Modified>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// The files by commits; absent outside of a git repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
    /// Why the history is absent in a repository, for example because git is not installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_missing: Option<String>,
}

impl Define for Hot {
    const NAME: &'static str = "codedb_hot";
    const SUMMARY: &'static str =
        "List the most recently changed files, by time and by number of commits";
    const DETAILS: &'static str = "Shows where work is going on. After a fresh checkout all modification times are equal, \
         and only the commits are informative.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("changes", "for the files changed since a time or commit")];
    const TOOLSET: Toolset = Toolset::Navigate;
    const NEEDS: Needs = Needs::Files;
    const EXAMPLES: &'static [&'static str] = &[r#"{"limit": 3}"#];
    const POSITIONAL: &'static [&'static str] = &["limit"];
    type Args = Args;
    type Reply = HotReply;

    fn run(call: &Call<'_>, args: Args) -> Result<HotReply> {
        let limit = results_max(args.limit, 10);
        let list = call.code.files()?;
        let newest = call.code.names()?.find(b"", limit);
        let files: Vec<Modified> = newest
            .best
            .iter()
            .map(|hit| Modified {
                path: paths::shown(list.path(hit.at)),
                modified: time::format(list.info(hit.at).modified_ns),
            })
            .collect();
        let (history, history_missing) = match history(call, limit) {
            Err(error) if error.kind() == Kind::NotFound => (None, Some(error.to_string())),
            history => (history?, None),
        };
        let (shown, total) = (files.len(), newest.total);
        Ok(HotReply { files, shown, total, history, history_missing })
    }
}

/// The number of commits that touched a file, and the time of the last of them.
type Touched<'a> = HashMap<&'a [u8], (usize, i64)>;

fn history(call: &Call<'_>, limit: usize) -> Result<Option<History>> {
    // Git is not run if the log describes HEAD.
    if let Some(history) = call.code.current_history()
        && let Some((touched, commits)) = touched_in(history.log())
    {
        return best(call, touched, commits, limit).map(Some);
    }
    let Some(git) = call.code.git() else { return Ok(None) };
    let commits = git.recent(COMMITS_MAX)?;
    let mut touched = Touched::new();
    for commit in &commits {
        commit.paths.iter().for_each(|path| touch(&mut touched, path, commit.committed_ns));
    }
    best(call, touched, commits.len(), limit).map(Some)
}

fn touch<'a>(touched: &mut Touched<'a>, path: &'a [u8], committed_ns: i64) {
    let (count, last_ns) = touched.entry(path).or_insert((0, committed_ns));
    *count += 1;
    *last_ns = committed_ns.max(*last_ns);
}

/// Returns the files that the newest commits touched, and the number of these commits; `None` if the
/// log lacks files of one of them: of those with very many files, and of those whose parents a shallow
/// clone lacks.
fn touched_in(log: &Log) -> Option<(Touched<'_>, usize)> {
    let origin = log.origin();
    if origin.shallow != 0 {
        return None;
    }
    let mut touched = Touched::new();
    let counted = log.commits().filter(|commit| !commit.is_merge() && commit.files() > 0);
    let mut count = 0;
    for commit in counted.take(COMMITS_MAX) {
        if commit.changes().is_empty() {
            return None;
        }
        let paths = commit.changes().iter().flat_map(|change| [Some(change.path), change.source]);
        let mut paths: Vec<PathId> = paths.flatten().collect();
        paths.sort_unstable();
        paths.dedup();
        let committed_ns = commit.committed_s().saturating_mul(1_000_000_000);
        paths.iter().for_each(|&path| touch(&mut touched, log.path(path), committed_ns));
        count += 1;
    }
    (count == COMMITS_MAX || !origin.is_cut).then_some((touched, count))
}

/// Returns the files that exist, those with the most commits first.
fn best(call: &Call<'_>, touched: Touched<'_>, commits: usize, limit: usize) -> Result<History> {
    let list = call.code.files()?;
    let mut files: Vec<(usize, i64, usize)> = touched
        .into_iter()
        .filter_map(|(path, (count, last_ns))| Some((list.find(path)?, last_ns, count)))
        .collect();
    files.sort_unstable_by(|a, b| (b.2, b.1, a.0).cmp(&(a.2, a.1, b.0)));
    let (files, total) = first(files, limit);
    let files: Vec<Committed> = files
        .into_iter()
        .map(|(at, last_ns, commits)| Committed {
            path: paths::shown(list.path(at)),
            commits,
            last: time::format(last_ns),
        })
        .collect();
    Ok(History { shown: files.len(), files, total, commits })
}

impl Reply for HotReply {
    /// Renders two lists, each below its title.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::from("most recently modified\n");
        for file in &self.files {
            let _ = writeln!(out, "  {}  {}", file.modified, style.path(&file.path));
        }
        let Some(history) = &self.history else { return out };
        let _ = writeln!(out, "most often changed in the last {} commits", history.commits);
        for file in &history.files {
            let Committed { path, commits, last } = file;
            let _ = writeln!(out, "  {commits}  {last}  {}", style.path(path));
        }
        out
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        self.history_missing.iter().map(|why| format!("no commits: {why}")).collect()
    }
}
