//! `who_reviews`: people who can review a change of a file, by their recent work on it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data, date, rounded};
use super::changed_code::{self, NoDifference, Scope};
use super::{Alias, Call, Define, Needs, Speed, Toolset, paths, results_max};
use crate::answer::analysis::{Analysis, NextStep, Size, Status};
use crate::answer::page::{Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::base::path;
use crate::error::Result;
use crate::history::people::{Person, PersonId};
use crate::history::{CommitId, History};

/// The weight of work on other files of the directory, and of each commit to the file whatever its age, relative
/// to that of a commit of today. So one new commit does not outweigh many older ones.
const LASTING_WEIGHT: f64 = 0.1;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct WhoReviews;

/// The arguments.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// A file or folder (default: the uncommitted changes)
    pub file_path: Option<String>,
    /// Maximum number of people (default 5)
    pub limit: Option<usize>,
    /// Maximum number of tokens (default 4000)
    pub max_tokens: Option<usize>,
    /// All changes since the branch left this commit
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub base: Option<String>,
    /// What is staged
    #[serde(default)]
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub staged: bool,
}

/// A suggested reviewer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reviewer {
    /// The name.
    pub author: String,
    /// The address of their newest commit.
    pub email: String,
    /// `suggested_reviewer`.
    pub role: &'static str,
    /// The sum of `file`, a tenth of `directory` and a tenth of `commits`.
    pub score: f64,
    /// Their commits to the file, decayed with a half-life of 180 days; of several files, the sum.
    pub file: f64,
    /// Their commits to each other file of its directory, decayed alike.
    pub directory: f64,
    /// Their commits to the file, or to at least one of several files; those of the change itself do not
    /// count.
    pub commits: u32,
    /// The day of the newest commit to the file or its directory.
    pub last: String,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReviewData {
    /// The people with the highest score first.
    pub reviewers: Vec<Reviewer>,
}

/// The work of one person.
#[derive(Clone, Copy, Default)]
struct Work {
    file: f64,
    directory: f64,
    commits: u32,
    last_s: i64,
}

impl Define for WhoReviews {
    const NAME: &'static str = "codedb_who_reviews";
    const SUMMARY: &'static str =
        "Suggest reviewers for a file by recent work on it and its directory";
    const DETAILS: &'static str = "Commits are decayed with a half-life of 180 days before HEAD's commit; a tenth of each to the \
         file never decays. `.mailmap` is applied; automated authors are left out.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("ownership", "for who wrote the present lines")];
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"file_path": "src/cart.rs"}"#];
    const POSITIONAL: &'static [&'static str] = &["file_path"];
    const ALIASES: &'static [Alias] = &[Alias::new("path", "file_path")];
    type Args = Args;
    type Reply = Analysis<ReviewData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<ReviewData>> {
        let (own, commits) = match own_files(call, &args)? {
            Ok(own) => own,
            Err(none) => return Ok(none.reply(ReviewData::default())),
        };
        let history = match analysis::history(call)? {
            Ok(history) => history,
            Err(missing) => return Ok(missing.reply(ReviewData::default())),
        };
        let (mut reviewers, has_own) = of_files(call, &history, &own, &commits)?;
        let total = reviewers.len();
        reviewers.truncate(results_max(args.limit, 5));
        let shown = reviewers.len();
        if total == 0 {
            let reply = analysis::no_commits(ReviewData::default());
            return Ok(analysis::with_log_status(call, &history, reply));
        }
        let mut reply = Analysis::list(ReviewData { reviewers }, shown, total);
        if !has_own {
            reply = reply.with_status(
                Status::Partial,
                "no commit that counts changed this file; these people changed its directory",
            );
        }
        if let [file] = &own.iter().collect::<Vec<_>>()[..]
            && call.code.files()?.find(file).is_some()
        {
            reply = reply.with_step(NextStep::call(
                "codedb_ownership",
                json!({"file_path": paths::shown(file)}),
                "who wrote its present lines",
            ));
        }
        Ok(analysis::fit(analysis::with_log_status(call, &history, reply), args.max_tokens))
    }
}

/// Returns the people who can review a change of files, best first, and whether any of them changed one of
/// these files. Commits of the change itself do not count. O(commits of the files + files of their folders).
///
/// # Errors
///
/// If the tree cannot be read.
pub(super) fn of_files(
    call: &Call<'_>,
    history: &History,
    own: &BTreeSet<Vec<u8>>,
    of_change: &BTreeSet<CommitId>,
) -> Result<(Vec<Reviewer>, bool)> {
    let activity = history.activity(&analysis::rules(call));
    let files = call.code.files()?;
    let mut work: BTreeMap<PersonId, Work> = BTreeMap::new();
    // One commit may change several of the files.
    let mut counted: BTreeSet<usize> = BTreeSet::new();
    for file in own {
        // A renamed file is among the changed ones by its former path, too.
        let committed = match own.len() {
            1 => analysis::committed_path(call, history, file),
            _ => file.clone(),
        };
        for share in activity.file(&committed).iter().flat_map(|of| &of.people) {
            work.entry(share.person).or_default().file += share.recent_weight;
        }
        for commit in history.changes_to(&committed) {
            let counts = activity.is_counted(commit) && !of_change.contains(&commit.id());
            if !counts || !counted.insert(commit.at()) {
                continue;
            }
            let person = activity.people().of(commit.author());
            // Automated authors have no share.
            if let Some(entry) = work.get_mut(&person) {
                entry.last_s = entry.last_s.max(commit.committed_s());
                entry.commits += 1;
            }
        }
    }
    // Nobody reviews what they alone wrote.
    if !of_change.is_empty() {
        work.retain(|_, of| of.commits > 0);
    }
    let directories: BTreeSet<&[u8]> = own.iter().map(|file| path::split(file).0).collect();
    for directory in directories {
        for at in files.below(directory) {
            let other = files.path(at);
            if path::split(other).0 != directory || own.contains(other) {
                continue;
            }
            for share in activity.file(other).iter().flat_map(|of| &of.people) {
                let entry = work.entry(share.person).or_default();
                entry.last_s = entry.last_s.max(share.last_s);
                entry.directory += share.recent_weight;
            }
        }
    }
    let has_own = work.values().any(|work| work.commits > 0);
    let mut reviewers: Vec<Reviewer> = work
        .into_iter()
        .map(|(id, work)| {
            let person = activity.people().person(id);
            Reviewer {
                author: person.name.clone(),
                email: person.email.clone(),
                role: "suggested_reviewer",
                score: rounded(
                    work.file + LASTING_WEIGHT * (work.directory + f64::from(work.commits)),
                ),
                file: rounded(work.file),
                directory: rounded(work.directory),
                commits: work.commits,
                last: date(work.last_s),
            }
        })
        .collect();
    reviewers.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then(b.commits.cmp(&a.commits)).then_with(|| a.author.cmp(&b.author))
    });
    Ok((reviewers, has_own))
}

/// The files of a change, and its commits.
type Own = (BTreeSet<Vec<u8>>, BTreeSet<CommitId>);

/// Returns the files that the reviewers should know: one, those of a directory, or the changed ones; with the
/// commits that changed them since the base.
///
/// # Errors
///
/// An unknown path or commit.
fn own_files(call: &Call<'_>, args: &Args) -> Result<std::result::Result<Own, NoDifference>> {
    let base = args.base.as_deref();
    let of_change = Scope::of_change(base, args.staged, args.file_path.is_some())?;
    if let Some(given) = &args.file_path {
        let path = paths::resolve(call, given)?;
        let files = call.code.files()?;
        if let Some(at) = paths::listed(files, &path) {
            return Ok(Ok((BTreeSet::from([files.path(at).to_vec()]), BTreeSet::new())));
        }
        let below = files.below(&path);
        if below.is_empty() && analysis::is_in_history(call, &path) {
            return Ok(Ok((BTreeSet::from([path]), BTreeSet::new())));
        }
        if below.is_empty() {
            return Err(paths::unknown(call, &path));
        }
        let below = below.map(|at| files.path(at).to_vec()).collect();
        return Ok(Ok((below, BTreeSet::new())));
    }
    let catalog = call.code.catalog(&[])?;
    let scope = of_change.unwrap_or(Scope::Uncommitted);
    let changed = changed_code::difference(call, catalog, base, scope)?;
    let changed = match changed {
        Ok(changed) => changed,
        Err(none) => return Ok(Err(none)),
    };
    let commits = match (call.code.git(), base) {
        (Some(git), Some(_)) => git.commits_since(&changed.commit)?.into_iter().collect(),
        _ => BTreeSet::new(),
    };
    Ok(Ok((changed.paths.into_iter().map(String::into_bytes).collect(), commits)))
}

impl Data for ReviewData {
    fn render(&self, _style: &dyn Style, out: &mut String) {
        for it in &self.reviewers {
            let (name, email) = (it.author.clone(), it.email.clone());
            let _ = writeln!(
                out,
                "{:>8.3}  file {:.3} ({}), directory {:.3}, last {}  {}",
                it.score,
                it.file,
                super::counted(it.commits as usize, "commit"),
                it.directory,
                it.last,
                analysis::displayed(&Person { name, email, is_bot: false })
            );
        }
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([
            Column::cut("REVIEWER"),
            Column::left("RECENT WORK"),
            Column::right("COMMITS"),
            Column::left("LAST"),
            Column::cut("ADDRESS"),
        ]);
        let max = self.reviewers.iter().map(|it| it.score).fold(0.0, f64::max);
        for it in &self.reviewers {
            table.row([
                Cell::text(&it.author),
                Cell::bar(it.score, max),
                match it.commits {
                    0 => Cell::faint("directory only"),
                    commits => Cell::Number(commits.into()),
                },
                Cell::time(&it.last),
                Cell::faint(&it.email),
            ]);
        }
        Some(vec![Block::Table(table)])
    }

    fn truncate(&mut self, shown: usize) {
        self.reviewers.truncate(shown);
    }
}
