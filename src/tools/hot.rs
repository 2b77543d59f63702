//! `hot`: the most recently changed files, by modification time and by commits.

use std::fmt::Write as _;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, Define, Needs, Reply, Toolset, analysis, counted, cut_notice, paths, results_max,
};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::answer::style::Style;
use crate::base::time;
use crate::catalog::file_list::FileList;
use crate::error::{Kind, Result};
use crate::history::git::Git;
use crate::history::touched::COMMITS_MAX;
use crate::history::{self, PresentFile, Touched, sorted_present};

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
    /// True if the clone is shallow, so that its older commits are not counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shallow: bool,
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
        let shallow = history.is_some() && call.code.git().is_some_and(Git::is_shallow);
        Ok(HotReply { files, shown, total, history, history_missing, shallow })
    }
}

fn history(call: &Call<'_>, limit: usize) -> Result<Option<History>> {
    let list = call.code.files()?;
    let find = |path: &[u8]| list.find(path);
    let Some(history) = call.code.current_history() else {
        // The log is behind HEAD.
        let touched = call.code.git().map(|git| git.recent(COMMITS_MAX)).transpose()?;
        let touched = touched.map(|commits| Touched::of_commits(&commits));
        return Ok(touched
            .map(|touched| best(list, &sorted_present(&touched, find), touched.commits, limit)));
    };
    if let Some(touched) = history.touched() {
        let present = history.present(touched, list.id(), find);
        return Ok(Some(best(list, &present, touched.commits, limit)));
    }
    // The log lacks the files of a commit that touched very many.
    let Some(git) = call.code.git() else { return Ok(None) };
    let touched = Touched::of_commits(&git.recent(COMMITS_MAX)?);
    let is_same = |now: Arc<history::History>| Arc::ptr_eq(&now, &history);
    // HEAD may have moved before git read it.
    if call.code.current_history().is_some_and(is_same) {
        let touched = history.set_touched(touched);
        let present = history.present(touched, list.id(), find);
        return Ok(Some(best(list, &present, touched.commits, limit)));
    }
    Ok(Some(best(list, &sorted_present(&touched, find), touched.commits, limit)))
}

fn best(list: &FileList, present: &[PresentFile], commits: usize, limit: usize) -> History {
    let files: Vec<Committed> = present
        .iter()
        .take(limit)
        .map(|&PresentFile { at, commits, last_ns }| Committed {
            path: paths::shown(list.path(at)),
            commits,
            last: time::format(last_ns),
        })
        .collect();
    History { shown: files.len(), files, total: present.len(), commits }
}

impl Reply for HotReply {
    /// Renders two lists, each below its title.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::from("most recently modified\n");
        for file in &self.files {
            let _ = writeln!(out, "  {}  {}", file.modified, style.path(&file.path));
        }
        let Some(history) = &self.history else { return out };
        let commits = counted(history.commits, "commit");
        let _ = writeln!(out, "most often changed in the last {commits}");
        for file in &history.files {
            let Committed { path, commits, last } = file;
            let _ = writeln!(out, "  {commits}  {last}  {}", style.path(path));
        }
        out
    }

    fn page(&self) -> Option<Page> {
        let mut modified = Table::new([Column::cut("FILE"), Column::left("CHANGED")]);
        for file in &self.files {
            modified.row([Cell::Path(file.path.clone()), Cell::time(&file.modified)]);
        }
        let mut blocks =
            vec![Block::Title("Most recently modified".to_owned()), Block::Table(modified)];
        if let Some(history) = &self.history {
            let commits = counted(history.commits, "commit");
            blocks.push(Block::Title(format!("Most often changed in the last {commits}")));
            let columns = [Column::cut("FILE"), Column::left(""), Column::right("COMMITS")];
            let mut table = Table::new([&columns[..], &[Column::left("LAST")]].concat());
            let max = history.files.iter().map(|file| file.commits).max().unwrap_or_default();
            for file in &history.files {
                table.row([
                    Cell::Path(file.path.clone()),
                    Cell::bar(file.commits as f64, max as f64),
                    Cell::Number(file.commits as u64),
                    Cell::time(&file.last),
                ]);
            }
            blocks.push(Block::Table(table));
        }
        Some(Page { blocks })
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let missing = self.history_missing.iter().map(|why| format!("no commits: {why}"));
        let shallow = self.shallow.then(|| analysis::SHALLOW.to_owned());
        let (shown, total) = match &self.history {
            Some(history) if history.total - history.shown > self.total - self.shown => {
                (history.shown, history.total)
            }
            _ => (self.shown, self.total),
        };
        missing.chain(shallow).chain(cut_notice(shown, total, "limit")).collect()
    }
}
