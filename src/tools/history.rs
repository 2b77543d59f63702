//! `history`: the commits that changed a file or a definition.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data, date};
use super::{Alias, Call, Define, Needs, Speed, Toolset, paths, results_max, units};
use crate::answer::analysis::{Analysis, NextStep, Size};
use crate::answer::page::{Block, Cell, Column, Grade, Table};
use crate::answer::style::Style;
use crate::base::text::plain;
use crate::base::time;
use crate::error::Result;
use crate::history::activity::is_fix;
use crate::history::functions::FileChange;
use crate::history::{Activity, History};

/// The maximum number of definitions that are listed for a commit.
const UNITS_MAX: usize = 8;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct FileHistory;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file
    pub file_path: String,
    /// Only commits that changed this definition
    pub unit_name: Option<String>,
    /// Maximum number of commits (default 20)
    pub limit: Option<usize>,
    /// Maximum number of tokens (default 4000)
    pub max_tokens: Option<usize>,
}

/// A commit that changed the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CommitEntry {
    /// Its id.
    pub commit: String,
    /// The day of the commit.
    pub date: String,
    /// Its time, for people.
    #[serde(skip)]
    pub time: String,
    /// The name of its author.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
    /// True if the subject announces a correction.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_fix: bool,
    /// Lines that it added to the file.
    pub added: usize,
    /// Lines that it removed from it.
    pub removed: usize,
    /// The path of the file then, if it was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The definitions that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// How many there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units_total: Option<usize>,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HistoryData {
    /// The commits, newest first.
    pub commits: Vec<CommitEntry>,
}

impl Define for FileHistory {
    const NAME: &'static str = "codedb_history";
    const SUMMARY: &'static str = "List the commits that changed a file or definition, with the definitions that they changed";
    const DETAILS: &'static str = "Renames of the file are followed; a renamed definition has two histories. Merges, commits of \
         more than 300 files and those of `.git-blame-ignore-revs` are left out.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("churn", "for how often each definition changes")];
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"file_path": "src/cart.rs", "limit": 3}"#];
    const POSITIONAL: &'static [&'static str] = &["file_path"];
    const ALIASES: &'static [Alias] =
        &[Alias::new("path", "file_path"), Alias::new("function", "unit_name")];
    type Args = Args;
    type Reply = Analysis<HistoryData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<HistoryData>> {
        let path = analysis::file(call, &args.file_path)?;
        let history = match analysis::history(call)? {
            Ok(history) => history,
            Err(missing) => return Ok(missing.reply(HistoryData::default())),
        };
        let path = analysis::committed_path(call, &history, &path);
        let activity = history.activity(&analysis::rules(call));
        if activity.file(&path).is_none() {
            let reply = analysis::no_commits(HistoryData::default());
            return Ok(analysis::with_log_status(call, &history, reply));
        }
        let max = results_max(args.limit, 20);
        let wanted = if args.unit_name.is_some() { units::COMMITS_MAX } else { max };
        let changes = match units::changes(call, &history, &activity, &path, wanted) {
            Ok(changes) => changes,
            Err(error) => return Ok(analysis::git_failed(HistoryData::default(), &error)),
        };
        let chosen: Vec<&FileChange> = match &args.unit_name {
            None => changes.changes.iter().collect(),
            Some(name) => {
                let all = units::units(&changes);
                let named = units::named(&all, name, &path)?;
                let mut indices: Vec<usize> =
                    named.iter().flat_map(|unit| unit.changes.clone()).collect();
                indices.sort_unstable();
                indices.dedup();
                indices.into_iter().map(|at| &changes.changes[at]).collect()
            }
        };
        let total = match args.unit_name {
            None => changes.total.max(chosen.len()),
            Some(_) => chosen.len(),
        };
        let entry = |change: &&FileChange| entry(&history, &activity, &path, change);
        let commits: Vec<CommitEntry> = chosen.iter().take(max).map(entry).collect();
        let shown = commits.len();
        let reply =
            Analysis::list(HistoryData { commits }, shown, total).with_step(NextStep::call(
                "codedb_coupling",
                json!({"file_path": paths::shown(&path)}),
                "what else these commits change",
            ));
        let reply = match &args.unit_name {
            Some(_) => analysis::with_units_message(reply, &changes),
            None => reply,
        };
        Ok(analysis::fit(analysis::with_log_status(call, &history, reply), args.max_tokens))
    }
}

fn entry(history: &History, activity: &Activity, path: &[u8], change: &FileChange) -> CommitEntry {
    let commit = history.log().commit(change.commit);
    let person = activity.people().person(activity.people().of(commit.author()));
    let names = change.touched.iter().map(|it| it.name.clone()).filter(|name| !name.is_empty());
    let (units, units_total) = super::first(names.collect(), UNITS_MAX);
    CommitEntry {
        commit: commit.id().to_string(),
        date: date(commit.committed_s()),
        time: time::format(commit.committed_s().saturating_mul(1_000_000_000)),
        author: person.name.clone(),
        subject: commit.subject().to_owned(),
        is_fix: is_fix(commit),
        added: change.added,
        removed: change.removed,
        path: (change.path != path).then(|| paths::shown(&change.path)),
        units_total: (units_total > units.len()).then_some(units_total),
        units,
    }
}

impl Data for HistoryData {
    fn render(&self, style: &dyn Style, out: &mut String) {
        for it in &self.commits {
            let id = it.commit.get(..12).unwrap_or(&it.commit);
            let _ = writeln!(
                out,
                "{id}  {}  +{} -{}  {}: {}",
                it.date,
                it.added,
                it.removed,
                plain(&it.author),
                plain(&it.subject)
            );
            if let Some(path) = &it.path {
                let _ = writeln!(out, "    as {}", style.path(path));
            }
            if !it.units.is_empty() {
                let names: Vec<String> = it.units.iter().map(|name| style.name(name)).collect();
                let more = it.units_total.map(|total| format!(" and {} more", total - names.len()));
                let _ = writeln!(out, "    {}{}", names.join(", "), more.unwrap_or_default());
            }
        }
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([
            Column::left("COMMIT"),
            Column::left("WHEN"),
            Column::left("LINES"),
            Column::left(""),
            Column::cut("SUBJECT"),
            Column::cut("AUTHOR"),
        ]);
        for it in &self.commits {
            let mut below = Vec::new();
            if let Some(path) = &it.path {
                below.extend([Cell::faint("as"), Cell::Path(path.clone())]);
            }
            let last = it.units.len().saturating_sub(1);
            for (at, name) in it.units.iter().enumerate() {
                let comma = if at == last { "" } else { "," };
                below.push(Cell::faint(format!("{name}{comma}")));
            }
            if let Some(total) = it.units_total {
                below.push(Cell::faint(format!("and {} more", total - it.units.len())));
            }
            let row = [
                Cell::text(it.commit.get(..8).unwrap_or(&it.commit)),
                Cell::time(&it.time),
                Cell::Changed(it.added as u64, it.removed as u64),
                if it.is_fix { Cell::Level(Grade::Fair, "fix") } else { Cell::Empty },
                Cell::text(&it.subject),
                Cell::text(&it.author),
            ];
            table.row_with(row, vec![below]);
        }
        Some(vec![Block::Table(table.without_empty())])
    }

    fn truncate(&mut self, shown: usize) {
        self.commits.truncate(shown);
    }
}
