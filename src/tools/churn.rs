//! `churn`: how often files and definitions change.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data, date, people, rounded};
use super::{Alias, Call, Define, Needs, Speed, Toolset, counted, paths, results_max, units};
use crate::answer::analysis::{Analysis, NextStep, Size};
use crate::answer::page::{Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::error::Result;
use crate::history::activity::{FileActivity, YEAR, is_fix};
use crate::history::{Activity, FileChanges, History};

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Churn;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// A file, to list its definitions (default: list files)
    pub file_path: Option<String>,
    /// Only this definition of the file
    pub unit_name: Option<String>,
    /// Only files below this directory
    pub directory: Option<String>,
    /// Maximum number of entries (default 20)
    pub limit: Option<usize>,
    /// Maximum number of tokens (default 4000)
    pub max_tokens: Option<usize>,
}

/// The churn of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FileChurn {
    /// Its repository path.
    pub path: String,
    /// Commits that changed it, decayed with a half-life of one year.
    pub churn: f64,
    /// The share of the files of the tree with at most this churn, from 0 to 1.
    pub percentile: f64,
    /// Commits that changed it under any of its names.
    pub commits: u32,
    /// Those whose subjects announce a correction.
    pub fixes: u32,
    /// Further commits, of automated authors.
    #[serde(skip_serializing_if = "is_zero")]
    pub bot_commits: u32,
    /// How many people made these commits.
    pub authors: usize,
    /// The day of the oldest.
    pub first: String,
    /// The day of the newest.
    pub last: String,
    /// The commits of each of the twelve months before HEAD's commit, for people.
    #[serde(skip)]
    pub months: Vec<u32>,
}

/// The churn of a definition.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UnitChurn {
    /// Its qualified name; empty for the lines outside of all definitions.
    pub unit: String,
    /// Commits that changed it, decayed with a half-life of one year.
    pub churn: f64,
    /// Commits that changed it.
    pub commits: usize,
    /// Those whose subjects announce a correction.
    pub fixes: usize,
    /// Lines that they added.
    pub added: usize,
    /// Lines that they removed.
    pub removed: usize,
    /// The day of the newest.
    pub last: String,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChurnData {
    /// Files with the highest churn first, or the file of the call.
    pub files: Vec<FileChurn>,
    /// The definitions of the file of the call, those with the highest churn first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Vec<UnitChurn>>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Define for Churn {
    const NAME: &'static str = "codedb_churn";
    const SUMMARY: &'static str =
        "Rank files, or the definitions of a file, by how often commits change them";
    const DETAILS: &'static str = "`churn` is the number of commits, decayed with a half-life of one year before HEAD's commit. \
         Renames are followed. Merges, commits of more than 300 files and those of \
         `.git-blame-ignore-revs` do not count; automated authors are counted apart.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("history", "for the commits themselves"), ("risk_map", "for churn combined with tests")];
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"limit": 3}"#];
    const POSITIONAL: &'static [&'static str] = &["file_path"];
    const ALIASES: &'static [Alias] =
        &[Alias::new("path", "file_path"), Alias::new("function", "unit_name")];
    type Args = Args;
    type Reply = Analysis<ChurnData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<ChurnData>> {
        let path =
            args.file_path.as_deref().map(|given| analysis::file(call, given)).transpose()?;
        let history = match analysis::history(call)? {
            Ok(history) => history,
            Err(missing) => return Ok(missing.reply(ChurnData::default())),
        };
        let activity = history.activity(&analysis::rules(call));
        let max = results_max(args.limit, 20);
        if let (Some(path), Some(_)) = (&path, &args.directory) {
            paths::check_within(call, path, args.directory.as_deref())?;
        }
        let reply = match path {
            None => files(call, &history, &activity, args.directory.as_deref(), max)?,
            Some(path) => {
                let path = analysis::committed_path(call, &history, &path);
                of_file(call, &history, &activity, &path, args.unit_name, max)?
            }
        };
        Ok(analysis::fit(analysis::with_log_status(call, &history, reply), args.max_tokens))
    }
}

fn files(
    call: &Call<'_>,
    history: &History,
    activity: &Activity,
    directory: Option<&str>,
    max: usize,
) -> Result<Analysis<ChurnData>> {
    let list = call.code.files()?;
    let (_, below) = paths::folder(call, directory)?;
    let weights = weights(call, activity)?;
    let mut found: Vec<(usize, &FileActivity)> =
        below.filter_map(|at| Some((at, activity.file(list.path(at))?))).collect();
    found.sort_by(|a, b| b.1.weight.total_cmp(&a.1.weight).then(a.0.cmp(&b.0)));
    let total = found.len();
    let entry = |&(at, file): &(usize, &FileActivity)| FileChurn {
        months: analysis::months(history, activity, list.path(at)),
        ..entry(list.path(at), file, &weights)
    };
    let files: Vec<FileChurn> = found.iter().take(max).map(entry).collect();
    let first = files.first().map(|file| file.path.clone());
    let reply = Analysis::list(ChurnData { files, units: None }, max.min(total), total);
    Ok(match first {
        Some(path) => reply.with_step(NextStep::call(
            "codedb_churn",
            json!({"file_path": path}),
            "which definitions of the most changed file change",
        )),
        None => reply,
    })
}

/// Returns the churn of all files of the tree that have any, ascending.
fn weights(call: &Call<'_>, activity: &Activity) -> Result<Vec<f64>> {
    let list = call.code.files()?;
    let found = list.iter().filter_map(|(path, _)| Some(activity.file(path)?.weight));
    let mut weights: Vec<f64> = found.collect();
    weights.sort_unstable_by(f64::total_cmp);
    Ok(weights)
}

fn entry(path: &[u8], file: &FileActivity, weights: &[f64]) -> FileChurn {
    let at_most = weights.partition_point(|&weight| weight <= file.weight);
    FileChurn {
        path: paths::shown(path),
        churn: rounded(file.weight),
        percentile: rounded(at_most as f64 / weights.len().max(1) as f64),
        commits: file.commits,
        fixes: file.fixes,
        bot_commits: file.bot_commits,
        authors: file.people.len(),
        first: if file.commits > 0 { date(file.first_s) } else { String::new() },
        last: if file.commits > 0 { date(file.last_s) } else { String::new() },
        months: Vec::new(),
    }
}

fn of_file(
    call: &Call<'_>,
    history: &History,
    activity: &Activity,
    path: &[u8],
    unit_name: Option<String>,
    max: usize,
) -> Result<Analysis<ChurnData>> {
    let Some(file) = activity.file(path) else {
        return Ok(analysis::no_commits(ChurnData::default()));
    };
    let months = analysis::months(history, activity, path);
    let files = vec![FileChurn { months, ..entry(path, file, &weights(call, activity)?) }];
    let changes = match units::changes(call, history, activity, path, units::COMMITS_MAX) {
        Ok(changes) => changes,
        Err(error) => {
            let data = ChurnData { files, units: Some(Vec::new()) };
            return Ok(analysis::git_failed(data, &error));
        }
    };
    let all = units::units(&changes);
    let chosen = match &unit_name {
        Some(name) => units::named(&all, name, path)?,
        None => all.iter().collect(),
    };
    let mut found: Vec<UnitChurn> =
        chosen.into_iter().map(|unit| unit_entry(history, &changes, unit)).collect();
    found.sort_by(|a, b| b.churn.total_cmp(&a.churn).then_with(|| a.unit.cmp(&b.unit)));
    let total = found.len();
    found.truncate(max);
    let shown = found.len();
    let reply = Analysis::list(ChurnData { files, units: Some(found) }, shown, total);
    let reply = reply.with_step(NextStep::call(
        "codedb_history",
        json!({"file_path": paths::shown(path)}),
        "the commits that changed the file",
    ));
    Ok(analysis::with_units_message(reply, &changes))
}

fn unit_entry(history: &History, changes: &FileChanges, unit: &units::Unit) -> UnitChurn {
    let log = history.log();
    let mut entry = UnitChurn { unit: unit.name.clone(), ..UnitChurn::default() };
    let mut weight = 0.0;
    for &at in &unit.changes {
        let change = &changes.changes[at];
        let commit = log.commit(change.commit);
        weight += YEAR.of_age(log.head_s().saturating_sub(commit.committed_s()));
        entry.commits += 1;
        entry.fixes += usize::from(is_fix(commit));
        for touched in change.touched.iter().filter(|touched| touched.name == unit.name) {
            entry.added += touched.added;
            entry.removed += touched.removed;
        }
        if entry.last.is_empty() {
            entry.last = date(commit.committed_s());
        }
    }
    entry.churn = rounded(weight);
    entry
}

impl ChurnData {
    fn table_of_files(&self) -> Table {
        let mut table = Table::new([
            Column::cut("FILE"),
            Column::left("CHURN"),
            Column::right("COMMITS"),
            Column::right("FIXES"),
            Column::right("PEOPLE"),
            Column::right("BY BOTS"),
            Column::left("12 MONTHS"),
            Column::left("LAST"),
        ]);
        let max = self.files.iter().map(|file| file.churn).fold(0.0, f64::max);
        for file in &self.files {
            table.row([
                Cell::Path(file.path.clone()),
                Cell::bar(file.churn, max),
                Cell::Number(file.commits.into()),
                Cell::count(file.fixes as usize),
                Cell::Number(file.authors as u64),
                Cell::count(file.bot_commits as usize),
                Cell::Sparkline(file.months.clone()),
                Cell::time(&file.last),
            ]);
        }
        table.without_empty()
    }
}

fn table_of_units(units: &[UnitChurn]) -> Table {
    let mut table = Table::new([
        Column::cut("DEFINITION"),
        Column::left("CHURN"),
        Column::right("COMMITS"),
        Column::right("FIXES"),
        Column::left("LINES"),
        Column::left("LAST"),
    ]);
    let max = units.iter().map(|unit| unit.churn).fold(0.0, f64::max);
    for unit in units {
        let name = if unit.unit.is_empty() {
            Cell::faint("(outside of definitions)")
        } else {
            Cell::name(&unit.unit)
        };
        table.row([
            name,
            Cell::bar(unit.churn, max),
            Cell::Number(unit.commits as u64),
            Cell::count(unit.fixes),
            Cell::Changed(unit.added as u64, unit.removed as u64),
            Cell::time(&unit.last),
        ]);
    }
    table
}

impl Data for ChurnData {
    fn render(&self, style: &dyn Style, out: &mut String) {
        for file in &self.files {
            let FileChurn { path, churn, percentile, commits, fixes, authors, last, .. } = file;
            let bots = match file.bot_commits {
                0 => String::new(),
                bots => format!(", {bots} more by bots"),
            };
            let _ = writeln!(
                out,
                "{churn:>8.2}  p{:<3.0} {commits:>5} {}, {}, {}{bots}, last {last}  {}",
                percentile * 100.0,
                if *commits == 1 { "commit" } else { "commits" },
                analysis::fixes(*fixes as usize),
                people(*authors),
                style.path(path)
            );
        }
        for unit in self.units.iter().flatten() {
            let UnitChurn { unit, churn, commits, fixes, added, removed, last } = unit;
            let name = if unit.is_empty() {
                "(outside of definitions)".to_owned()
            } else {
                style.name(unit)
            };
            let _ = writeln!(
                out,
                "  {churn:>6.2}  {commits:>4} {}, {}, +{added} -{removed}, last {last}  {name}",
                if *commits == 1 { "commit" } else { "commits" },
                analysis::fixes(*fixes)
            );
        }
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        Some(match &self.units {
            None => vec![Block::Table(self.table_of_files())],
            Some(units) => {
                let of_file = self.files.first().map(|file| {
                    let mut line = vec![
                        Cell::Path(file.path.clone()),
                        Cell::text(counted(file.commits as usize, "commit")),
                        Cell::text(format!("by {}", people(file.authors))),
                    ];
                    if file.bot_commits > 0 {
                        line.push(Cell::text(format!("and {} by bots", file.bot_commits)));
                    }
                    line.push(Cell::Sparkline(file.months.clone()));
                    line.extend([Cell::text("last"), Cell::time(&file.last)]);
                    Block::Line(line)
                });
                of_file.into_iter().chain([Block::Table(table_of_units(units))]).collect()
            }
        })
    }

    fn truncate(&mut self, shown: usize) {
        match &mut self.units {
            Some(units) => units.truncate(shown),
            None => self.files.truncate(shown),
        }
    }
}
