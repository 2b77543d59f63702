//! `ownership`: who wrote the present lines of a file.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data, date, rounded};
use super::{Alias, Call, Define, Needs, Speed, Toolset, paths, results_max};
use crate::answer::analysis::{Analysis, NextStep, Size};
use crate::answer::page::{Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::error::{Error, Kind, Result};
use crate::history::blames::{self, BlameKey, FileBlame};
use crate::history::{CommitId, History, Rules, people};

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Ownership;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file
    pub file_path: String,
    /// Only the lines of this definition
    pub unit_name: Option<String>,
    /// Maximum number of people (default 10)
    pub limit: Option<usize>,
    /// Maximum number of tokens (default 4000)
    pub max_tokens: Option<usize>,
}

/// A person who wrote lines of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Owner {
    /// The name.
    pub author: String,
    /// The address.
    pub email: String,
    /// `original_author`; people who are active now are `suggested_reviewer` elsewhere.
    pub role: &'static str,
    /// The number of lines that this person changed last.
    pub lines: usize,
    /// Their share of all lines, from 0 to 1.
    pub share: f64,
    /// The number of commits that these lines come from.
    pub commits: usize,
    /// The day of the newest of them.
    pub last: String,
    /// True for an automated author.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_bot: bool,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OwnershipData {
    /// The people with the most lines first.
    pub owners: Vec<Owner>,
    /// The number of lines in HEAD.
    pub lines: usize,
}

impl Define for Ownership {
    const NAME: &'static str = "codedb_ownership";
    const SUMMARY: &'static str = "List who wrote the present lines of a file or definition";
    const DETAILS: &'static str = "From `git blame -w -M` of HEAD: white space and moves within the file do not count as \
         changes. `.mailmap` is applied, commits of `.git-blame-ignore-revs` are skipped.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("who_reviews", "for people who work on it now")];
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"file_path": "src/cart.rs"}"#];
    const POSITIONAL: &'static [&'static str] = &["file_path"];
    const ALIASES: &'static [Alias] =
        &[Alias::new("path", "file_path"), Alias::new("function", "unit_name")];
    type Args = Args;
    type Reply = Analysis<OwnershipData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<OwnershipData>> {
        let path = analysis::file(call, &args.file_path)?;
        let history = match analysis::history(call)? {
            Ok(history) => history,
            Err(missing) => return Ok(missing.reply(OwnershipData::default())),
        };
        let path = analysis::committed_path(call, &history, &path);
        let rules = analysis::rules(call);
        let Some(head) = history.log().origin().head else {
            return Ok(analysis::no_commits(OwnershipData::default()));
        };
        let blame = match blame(call, &history, head, &path, &rules) {
            Ok(Some(blame)) => blame,
            Ok(None) => return Ok(analysis::no_commits(OwnershipData::default())),
            Err(error) => return Ok(analysis::git_failed(OwnershipData::default(), &error)),
        };
        let range = match &args.unit_name {
            Some(name) => Some(unit_lines(call, &path, &blame.blob, name)?),
            None => None,
        };
        let mut owners: BTreeMap<String, (Owner, Vec<CommitId>, i64)> = BTreeMap::new();
        let mut lines = 0;
        for part in &blame.lines {
            let count = range.map_or(part.lines, |(first, last)| {
                let end = (part.line + part.lines).min(last + 1);
                end.saturating_sub(part.line.max(first))
            });
            if count == 0 {
                continue;
            }
            let (name, email) = rules.mailmap.apply(&part.author_name, &part.author_email);
            let (owner, commits, last_s) = owners.entry(name.trim().to_lowercase()).or_default();
            if *last_s <= part.committed_s {
                *last_s = part.committed_s;
                owner.author = name.trim().to_owned();
                owner.email = email.to_owned();
            }
            owner.is_bot |= people::is_bot(name, email);
            owner.lines += count;
            commits.push(part.commit);
            lines += count;
        }
        let mut owners: Vec<Owner> = owners
            .into_values()
            .map(|(owner, mut commits, last_s)| {
                commits.sort_unstable();
                commits.dedup();
                let share = rounded(owner.lines as f64 / lines.max(1) as f64);
                let (commits, last) = (commits.len(), date(last_s));
                Owner { role: "original_author", share, commits, last, ..owner }
            })
            .collect();
        owners.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.author.cmp(&b.author)));
        let total = owners.len();
        owners.truncate(results_max(args.limit, 10));
        let shown = owners.len();
        let reply = Analysis::list(OwnershipData { owners, lines }, shown, total).with_step(
            NextStep::call(
                "codedb_who_reviews",
                json!({"file_path": paths::shown(&path)}),
                "who works on the file now",
            ),
        );
        Ok(analysis::fit(analysis::with_log_status(call, &history, reply), args.max_tokens))
    }
}

/// Returns the blame of the file at a repository path in HEAD, and its text there; `None` if HEAD does not have it.
/// The first call for a state of the file runs git.
///
/// # Errors
///
/// If git fails.
pub fn of_lines(call: &Call<'_>, path: &[u8]) -> Result<Option<(Arc<FileBlame>, String)>> {
    let (Some(history), Some(git)) = (call.code.history()?, call.code.git()) else {
        return Ok(None);
    };
    let Some(head) = history.log().origin().head else { return Ok(None) };
    let path = analysis::committed_path(call, &history, path);
    let Some(blame) = blame(call, &history, head, &path, &analysis::rules(call))? else {
        return Ok(None);
    };
    let mut text = None;
    git.blobs(std::slice::from_ref(&blame.blob), &mut |_, blob| {
        text = blob.map(|blob| String::from_utf8_lossy(blob).into_owned());
    })?;
    Ok(text.map(|text| (blame, text)))
}

/// Returns the blame of a file in the commit `head`; `None` if the commit does not have it. The first call
/// for a state of the file runs git, later ones read what is kept.
fn blame(
    call: &Call<'_>,
    history: &History,
    head: CommitId,
    path: &[u8],
    rules: &Rules,
) -> Result<Option<Arc<FileBlame>>> {
    let versions = call.code.versions();
    let rules_hash = blames::rules_hash(call.code.root(), history, rules);
    let key = BlameKey { head, rules: rules_hash, history };
    let blob_at = || call.code.git().and_then(|git| git.blob_at(head, path).ok()?);
    history.blame(path, rules_hash, || {
        if let Some(kept) = versions.and_then(|versions| versions.blame(path, &key, blob_at)) {
            return Ok(Some(kept));
        }
        let Some(git) = call.code.git() else { return Ok(None) };
        let Some(blob) = git.blob_at(head, path)? else { return Ok(None) };
        let ids = history.log().commits().map(|commit| commit.id());
        let ignored: Vec<CommitId> = ids.filter(|id| rules.ignored.contains(id)).collect();
        let blame = FileBlame { blob, lines: git.blame(head, path, &ignored)? };
        if let Some(versions) = versions {
            versions.keep_blame(path, &key, &blame);
        }
        Ok(Some(blame))
    })
}

/// Returns the first and the last line of a definition in HEAD's text.
fn unit_lines(call: &Call<'_>, path: &[u8], blob: &str, name: &str) -> Result<(usize, usize)> {
    let not_parsed = || {
        Error::new(Kind::NotFound, "its definitions are not known")
            .with_path(&crate::base::path::to_path(path))
            .with_hint("leave out `unit_name`")
    };
    let language = paths::language(path).ok_or_else(not_parsed)?;
    let git = call.code.git().ok_or_else(not_parsed)?;
    let mut outline = None;
    git.blobs(&[blob.to_owned()], &mut |_, text| {
        outline = text.and_then(|text| call.code.parse(language, path, text).ok());
    })?;
    let outline = outline.ok_or_else(not_parsed)?;
    let wanted = |qualified: &str| qualified == name || super::units::is_suffix(qualified, name);
    let symbol = outline.symbols.iter().find(|symbol| wanted(&symbol.qualified_name));
    symbol.map(|symbol| (symbol.line, symbol.end_line)).ok_or_else(|| {
        let names: Vec<&str> =
            outline.symbols.iter().map(|it| it.qualified_name.as_str()).collect();
        super::units::unknown(&names, name, path, "HEAD's text does not define")
    })
}

impl Data for OwnershipData {
    fn render(&self, _style: &dyn Style, out: &mut String) {
        let _ = writeln!(out, "{}", super::counted(self.lines, "line"));
        for owner in &self.owners {
            let Owner { author, email, lines, share, commits, last, is_bot, .. } = owner;
            let (name, email, is_bot) = (author.clone(), email.clone(), *is_bot);
            let lines = super::counted(*lines, "line");
            let commits = super::counted(*commits, "commit");
            let _ = writeln!(
                out,
                "  {:>5.1}%  {lines} in {commits}, last {last}  {}",
                share * 100.0,
                analysis::displayed(&people::Person { name, email, is_bot })
            );
        }
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([
            Column::cut("AUTHOR"),
            Column::left("SHARE"),
            Column::right("LINES"),
            Column::right("COMMITS"),
            Column::left("LAST"),
            Column::cut("ADDRESS"),
        ]);
        for owner in &self.owners {
            let bot = if owner.is_bot { " [automated]" } else { "" };
            table.row([
                Cell::text(format!("{}{bot}", owner.author)),
                Cell::Share(owner.share),
                Cell::Number(owner.lines as u64),
                Cell::Number(owner.commits as u64),
                Cell::time(&owner.last),
                Cell::faint(&owner.email),
            ]);
        }
        let lines = Block::Line(vec![Cell::text(super::counted(self.lines, "line"))]);
        Some(vec![lines, Block::Table(table)])
    }

    fn truncate(&mut self, shown: usize) {
        self.owners.truncate(shown);
    }
}
