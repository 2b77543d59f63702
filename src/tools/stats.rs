//! `stats`: what the commit log contains, and which commits count.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data, date};
use super::{Call, Define, Needs, Speed, Toolset};
use crate::answer::analysis::{Analysis, NextStep, Size};
use crate::answer::page::{Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::base::text::plain;
use crate::catalog::file_list::FileList;
use crate::error::Result;
use crate::history::Activity;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Stats;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {}

/// A shard of a monorepo.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Shard {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub directory: String,
    /// Files that it owns.
    pub files: usize,
    /// Those that a counted commit changed.
    pub files_with_commits: usize,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StatsData {
    /// Commits in the log.
    pub commits: usize,
    /// Commits whose changes count.
    pub counted: usize,
    /// Merges, whose changes are those of the merged commits.
    pub merges: usize,
    /// Commits with more than 300 files.
    pub oversized: usize,
    /// Commits that `.git-blame-ignore-revs` lists.
    pub ignored: usize,
    /// Commits with at most 30 files by people, which are evidence of co-change.
    pub coupling_commits: usize,
    /// People with commits.
    pub people: usize,
    /// Automated authors among them.
    pub bots: usize,
    /// Files of the tree.
    pub files: usize,
    /// Those that a counted commit changed.
    pub files_with_commits: usize,
    /// The day of the oldest commit.
    pub first: String,
    /// The day of HEAD's commit.
    pub last: String,
    /// True if the clone is shallow.
    pub is_shallow: bool,
    /// True if the log lacks older commits.
    pub is_cut: bool,
    /// The shards that `shards.toml` names, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<Shard>,
}

impl Define for Stats {
    const NAME: &'static str = "codedb_stats";
    const SUMMARY: &'static str =
        "Count commits, people and files in the commit log, and what does not count";
    const DETAILS: &'static str =
        "Explains empty or surprising replies of the other tools on commits.";
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &["{}"];
    const POSITIONAL: &'static [&'static str] = &[];
    type Args = Args;
    type Reply = Analysis<StatsData>;

    fn run(call: &Call<'_>, _args: Args) -> Result<Analysis<StatsData>> {
        let history = match analysis::history(call)? {
            Ok(history) => history,
            Err(missing) => return Ok(missing.reply(StatsData::default())),
        };
        let rules = analysis::rules(call);
        let (activity, coupling) = (history.activity(&rules), history.coupling(&rules));
        let (log, list) = (history.log(), call.code.files()?);
        let people = activity.people();
        let data = StatsData {
            commits: log.len(),
            counted: activity.counted(),
            merges: activity.merges(),
            oversized: activity.oversized(),
            ignored: activity.ignored(),
            coupling_commits: coupling.counted(),
            people: people.len(),
            bots: people.iter().filter(|person| person.is_bot).count(),
            files: list.len(),
            files_with_commits: list
                .iter()
                .filter(|(path, _)| activity.file(path).is_some_and(|file| file.commits > 0))
                .count(),
            first: log.commits().last().map(|it| date(it.committed_s())).unwrap_or_default(),
            last: date(log.head_s()),
            is_shallow: log.origin().shallow != 0,
            is_cut: log.origin().is_cut,
            shards: shards(call, list, &activity)?,
        };
        let reply = Analysis::of(data).with_step(NextStep::call(
            "codedb_churn",
            json!({}),
            "the files that change most often",
        ));
        Ok(analysis::with_log_status(call, &history, reply))
    }
}

/// Returns the shards with their files. O(files × shards).
fn shards(call: &Call<'_>, list: &FileList, activity: &Activity) -> Result<Vec<Shard>> {
    let shards = analysis::shards(call)?;
    let named = |(name, directory): (&str, &str)| {
        let shard =
            Shard { name: name.to_owned(), directory: directory.to_owned(), ..Shard::default() };
        (name.to_owned(), shard)
    };
    let mut found: BTreeMap<String, Shard> = shards.list().into_iter().map(named).collect();
    if found.is_empty() {
        return Ok(Vec::new());
    }
    for (path, _) in list.iter() {
        let shard = shards.of_path(&String::from_utf8_lossy(path));
        if let Some(shard) = shard.and_then(|name| found.get_mut(name)) {
            shard.files += 1;
            let has_commits = activity.file(path).is_some_and(|file| file.commits > 0);
            shard.files_with_commits += usize::from(has_commits);
        }
    }
    Ok(found.into_values().collect())
}

impl StatsData {
    fn rows(&self) -> [(&'static str, usize); 10] {
        [
            ("commits", self.commits),
            ("counted", self.counted),
            ("merges", self.merges),
            ("over 300 files", self.oversized),
            ("ignored", self.ignored),
            ("evidence of co-change", self.coupling_commits),
            ("people", self.people),
            ("automated authors", self.bots),
            ("files", self.files),
            ("files with commits", self.files_with_commits),
        ]
    }
}

impl Data for StatsData {
    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([Column::left(""), Column::right(""), Column::left("")]);
        let of_commits = |count: usize| Cell::Share(count as f64 / self.commits.max(1) as f64);
        for (name, count) in self.rows() {
            let share = match name {
                "counted" | "merges" | "over 300 files" | "ignored" => of_commits(count),
                "evidence of co-change" => of_commits(count),
                "files with commits" => Cell::Share(count as f64 / self.files.max(1) as f64),
                _ => Cell::Empty,
            };
            table.row([Cell::faint(name), Cell::Number(count as u64), share]);
        }
        let mut time = vec![Cell::faint("from"), Cell::time(&self.first)];
        time.extend([Cell::faint("to"), Cell::time(&self.last)]);
        let mut shards = Table::new([
            Column::left("SHARD"),
            Column::cut("DIRECTORY"),
            Column::right("FILES"),
            Column::right("WITH COMMITS"),
        ]);
        for Shard { name, directory, files, files_with_commits } in &self.shards {
            shards.row([
                Cell::name(name),
                Cell::Path(directory.clone()),
                Cell::Number(*files as u64),
                Cell::Number(*files_with_commits as u64),
            ]);
        }
        Some(vec![Block::Table(table), Block::Line(time), Block::Table(shards)])
    }

    fn render(&self, _style: &dyn Style, out: &mut String) {
        for (name, count) in self.rows() {
            let _ = writeln!(out, "{name:<22} {count:>8}");
        }
        let _ = writeln!(out, "{:<22} {} to {}", "time", self.first, self.last);
        for Shard { name, directory, files, files_with_commits } in &self.shards {
            let directory = plain(directory);
            let _ = writeln!(
                out,
                "shard {name}  {directory}  {}, {files_with_commits} with commits",
                super::counted(*files, "file")
            );
        }
    }
}
