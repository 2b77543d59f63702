//! The tools of agents on decisions: `get_decisions_for_context`, `submit_candidate_decision` and
//! `decision_feedback`. None of them can make a record canonical. [`checked`] checks what is submitted.

pub mod checked;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::checked::CheckedScope;
use super::analysis::Data;
use super::{Alias, Call, CommandLine, Define, Effect, Needs, Speed, Toolset, paths};
use crate::answer::analysis::{Analysis, Size, Status};
use crate::answer::page::{Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::base::text;
use crate::decisions::cited;
use crate::decisions::serve::{self, Area, Ranked};
use crate::error::{Error, Result};
use crate::lang::language::{Language, of_name};
use crate::userdata::decisions::{Confidence, Decision, Origin, Proposal, Submitted};

/// The default and the maximum number of decisions in a reply.
const LIMIT: usize = 5;
const LIMIT_MAX: usize = 50;

/// The maximum length of a rationale in a list, in bytes.
const RATIONALE_BYTES_MAX: usize = 240;

/// The references that a list shows of a record.
const REFERENCES_MAX: usize = 2;

/// The languages of a directory are those of its first files.
const FILES_MAX: usize = 500;

/// The maximum length of a note in bytes.
const NOTE_BYTES_MAX: usize = 1000;

/// The arguments of `get_decisions_for_context`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ContextArgs {
    /// A file, a directory, a module, or words for a part of the code base
    pub file_path_or_area: String,
    /// What you are about to do
    #[serde(default)]
    pub task_description: String,
    /// Maximum number of decisions (default 5)
    pub limit: Option<usize>,
}

/// A decision in a reply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The start of its id, which identifies it in other calls.
    pub id: String,
    /// What is done.
    pub pattern: String,
    /// Where it holds.
    pub scope: String,
    /// Why, cut off if it is long.
    pub rationale: String,
    /// How certain the author was.
    pub confidence: &'static str,
    /// Some of the places that show it.
    pub sources: Vec<String>,
}

impl Entry {
    /// Returns the entry of a record.
    pub fn of(decision: &Decision) -> Entry {
        let plain = |given: &str, max: usize| {
            let start = text::start(given, max);
            let more = if start.len() < given.len() { " …" } else { "" };
            let words = start.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{}{more}", text::plain(&words))
        };
        let sources = decision.source_refs.iter().take(REFERENCES_MAX);
        Entry {
            id: text::start(&decision.id, 8).to_owned(),
            pattern: text::plain(&decision.pattern),
            scope: text::plain(&decision.scope.to_string()),
            rationale: plain(&decision.rationale, RATIONALE_BYTES_MAX),
            confidence: decision.confidence.name(),
            sources: sources.map(|it| text::plain(text::start(&it.reference, 200))).collect(),
        }
    }

    /// Adds the entry to a [`table`] for people: what is decided, why, and `more` below its row.
    pub fn add_to(&self, table: &mut Table, more: Vec<Vec<Cell>>) {
        let mut below = vec![vec![Cell::text(&self.pattern)], vec![Cell::faint(&self.rationale)]];
        if !self.sources.is_empty() {
            below.push(vec![Cell::faint(format!("see {}", self.sources.join(", ")))]);
        }
        below.extend(more);
        let (id, confidence) = (Cell::faint(&self.id), Cell::text(self.confidence));
        table.row_with([id, Cell::text(&self.scope), confidence], below);
    }

    /// Appends the entry as lines of text.
    pub fn render(&self, out: &mut String) {
        let _ =
            writeln!(out, "{}  {}  ({}, {})", self.id, self.pattern, self.scope, self.confidence);
        let _ = writeln!(out, "    {}", self.rationale);
        if !self.sources.is_empty() {
            let _ = writeln!(out, "    see {}", self.sources.join(", "));
        }
    }
}

/// Returns a table for [`Entry::add_to`].
pub fn table() -> Table {
    Table::new([Column::left("ID"), Column::cut("WHERE"), Column::left("CONFIDENCE")])
}

/// The data of the reply of `get_decisions_for_context`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ContextData {
    /// The decisions, the most relevant first.
    pub decisions: Vec<Entry>,
}

impl Data for ContextData {
    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = table();
        self.decisions.iter().for_each(|it| it.add_to(&mut table, Vec::new()));
        Some(vec![Block::Table(table)])
    }

    fn render(&self, _: &dyn Style, out: &mut String) {
        for it in &self.decisions {
            it.render(out);
        }
    }

    fn truncate(&mut self, shown: usize) {
        self.decisions.truncate(shown);
    }
}

/// Returns the area that `given` names: a file or directory of the tree, else words.
pub fn area(call: &Call<'_>, given: &str) -> Result<Area> {
    let words = given.to_owned();
    let Ok(path) = paths::resolve(call, given) else {
        return Ok(Area { words, ..Area::default() });
    };
    let files = call.code.files()?;
    let shown = paths::shown(&path);
    if paths::listed(files, &path).is_some() {
        return Ok(of_paths(&[shown]));
    }
    let below = files.below(&path);
    if path.is_empty() || !below.is_empty() {
        let mut languages: Vec<&'static Language> = Vec::new();
        for at in below.take(FILES_MAX) {
            if let Some(language) = of_path(files.path(at))
                && !languages.iter().any(|it| it.name == language.name)
            {
                languages.push(language);
            }
        }
        let paths = vec![format!("{shown}/").trim_start_matches('/').to_owned()];
        return Ok(Area { paths, languages, words: String::new() });
    }
    // A file that is about to be written has a place and a language, too.
    let is_path = given.contains('/') && !given.contains(' ');
    if is_path || of_path(&path).is_some() {
        return Ok(of_paths(&[shown]));
    }
    Ok(Area { words, ..Area::default() })
}

/// Returns the area of files.
pub fn of_paths(paths: &[String]) -> Area {
    let mut languages: Vec<&'static Language> = Vec::new();
    for language in paths.iter().filter_map(|path| of_path(path.as_bytes())) {
        if !languages.iter().any(|it| it.name == language.name) {
            languages.push(language);
        }
    }
    Area { paths: paths.to_vec(), languages, words: String::new() }
}

fn of_path(path: &[u8]) -> Option<&'static Language> {
    of_name(crate::base::path::split(path).1)
}

/// Returns the canonical decisions for an area, the most relevant first, and whether there are any
/// canonical ones at all.
///
/// # Errors
///
/// If the database cannot be read.
pub fn ranked(call: &Call<'_>, area: &Area, task: &str) -> Result<(Vec<Ranked>, bool)> {
    let Some(database) = call.code.user_data()? else { return Ok((Vec::new(), false)) };
    let served = serve::served(&database)?;
    if served.is_empty() {
        return Ok((Vec::new(), false));
    }
    Ok((served.rank(area, task, call.now_ns / 1_000_000), true))
}

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct ForContext;

impl Define for ForContext {
    const NAME: &'static str = "codedb_get_decisions_for_context";
    const SUMMARY: &'static str =
        "List what people decided about the code that you are about to change";
    const DETAILS: &'static str = "Only decisions that a person approved and whose scope contains the \
         area, the most relevant first: by words of the task, then by confidence, scope and usefulness.";
    const TOOLSET: Toolset = Toolset::Decisions;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Lookup;
    const COMMAND_LINE: CommandLine = CommandLine::None;
    const POSITIONAL: &'static [&'static str] = &["file_path_or_area", "task_description"];
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"file_path_or_area": "src/cart.rs", "task_description": "add a discount"}"#];
    const ALIASES: &'static [Alias] = &[
        Alias::new("path", "file_path_or_area"),
        Alias::new("file_path", "file_path_or_area"),
        Alias::new("area", "file_path_or_area"),
        Alias::new("task", "task_description"),
    ];
    type Args = ContextArgs;
    type Reply = Analysis<ContextData>;

    fn run(call: &Call<'_>, args: ContextArgs) -> Result<Analysis<ContextData>> {
        let area = area(call, &args.file_path_or_area)?;
        let (ranked, has_any) = ranked(call, &area, &args.task_description)?;
        if !has_any {
            let candidates = match call.code.user_data()? {
                Some(database) => {
                    database.decision_counts()?.get("candidate").copied().unwrap_or_default()
                }
                None => 0,
            };
            let reply = Analysis::list(ContextData::default(), 0, 0);
            let reply = reply.with_status(Status::NoData, "no decision was approved yet");
            return Ok(match candidates {
                0 => reply.with_hint("`codedb decisions ingest` proposes some"),
                _ => reply.with_hint(format!(
                    "a person approves the {candidates} candidates with `codedb decisions review`"
                )),
            });
        }
        let total = ranked.len();
        let limit = args.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
        let decisions: Vec<Entry> =
            ranked.iter().take(limit).map(|it| Entry::of(&it.decision)).collect();
        let shown = decisions.len();
        Ok(Analysis::list(ContextData { decisions }, shown, total))
    }
}

/// The arguments of `submit_candidate_decision`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SubmitArgs {
    /// What is done, in one line: "use X for Y"
    pub pattern: String,
    /// Where: `global`, `path:GLOB`, `module:NAME` or `language:NAME`
    pub scope: String,
    /// Why
    pub rationale: String,
    /// `low`, `medium` (default) or `high`
    pub confidence: Option<String>,
    /// What shows it: `PATH:LINE`, the hash of a commit, or objects `{kind, ref, detail}`
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub source_refs: Vec<Value>,
    /// Words that tasks use for it
    #[serde(default)]
    pub keywords: Vec<String>,
}

/// The data of the reply of `submit_candidate_decision` and `decision_feedback`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RecordData {
    /// The id.
    pub id: String,
    /// `candidate` for a new record.
    pub decision_status: &'static str,
    /// The pattern.
    pub pattern: String,
}

impl RecordData {
    fn of(decision: &Decision) -> RecordData {
        RecordData {
            id: decision.id.clone(),
            decision_status: decision.status.name(),
            pattern: text::plain(&decision.pattern),
        }
    }
}

impl Data for RecordData {
    fn render(&self, _: &dyn Style, out: &mut String) {
        if !self.id.is_empty() {
            let _ = writeln!(out, "{}  {}  {}", self.id, self.decision_status, self.pattern);
        }
    }
}

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Submit;

impl Define for Submit {
    const NAME: &'static str = "codedb_submit_candidate_decision";
    const SUMMARY: &'static str = "Propose a decision that the code base or its people follow";
    const DETAILS: &'static str = "It is a candidate until a person approves it. A record that says \
         the same, whatever its status, is returned instead.";
    const EFFECT: Effect = Effect::Records;
    const TOOLSET: Toolset = Toolset::Decisions;
    const NEEDS: Needs = Needs::Code;
    const COMMAND_LINE: CommandLine = CommandLine::None;
    const POSITIONAL: &'static [&'static str] = &["pattern"];
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"pattern": "Use integer cents for prices", "scope": "path:src/**", "rationale": "Floats round.", "source_refs": ["src/cart.rs:3"]}"#,
    ];
    type Args = SubmitArgs;
    type Reply = Analysis<RecordData>;

    fn run(call: &Call<'_>, args: SubmitArgs) -> Result<Analysis<RecordData>> {
        let (proposal, warning) = proposal(call, args)?;
        let now = crate::base::time::format(call.now_ns);
        let database = call.code.create_user_data()?;
        Ok(match database.submit_decision(proposal, Origin::Agent, None, &now)? {
            Submitted::New(id) => {
                let reply = Analysis::of(RecordData::of(&database.decision(&id)?));
                Analysis { message: warning, ..reply }
            }
            Submitted::Known(known) => {
                let message = format!("a record that says the same is {}", known.status.name());
                Analysis { message: Some(message), ..Analysis::of(RecordData::of(&known)) }
            }
        })
    }
}

/// Returns the proposal of a call, and why it has no effect yet. References must exist: an agent may
/// make them up.
fn proposal(call: &Call<'_>, args: SubmitArgs) -> Result<(Proposal, Option<String>)> {
    let CheckedScope { scope, warning } = checked::scope(call, &args.scope)?;
    let confidence = args.confidence.as_deref().map_or(Ok(Confidence::Medium), Confidence::parse);
    let confidence = confidence.map_err(|error| Error::usage(text::plain(&error)))?;
    let mut refs = Vec::with_capacity(args.source_refs.len());
    for given in &args.source_refs {
        refs.push(checked::reference_of(call, given)?);
    }
    let proposal = Proposal {
        pattern: args.pattern,
        scope,
        rationale: args.rationale,
        confidence,
        source_refs: refs,
        keywords: args.keywords,
    };
    let proposal = proposal.checked().map_err(|error| Error::usage(text::plain(&error)))?;
    let source_refs = cited::with_fingerprints(call.code, proposal.source_refs);
    Ok((Proposal { source_refs, ..proposal }, warning))
}

/// The arguments of `decision_feedback`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FeedbackArgs {
    /// The id of the decision, or its start
    pub id: String,
    /// Whether it helped
    pub useful: bool,
    /// Why
    pub note: Option<String>,
}

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Feedback;

impl Define for Feedback {
    const NAME: &'static str = "codedb_decision_feedback";
    const SUMMARY: &'static str = "Record whether a decision helped with a task";
    const DETAILS: &'static str = "It changes the order of decisions that fit equally well.";
    const EFFECT: Effect = Effect::Records;
    const TOOLSET: Toolset = Toolset::Decisions;
    const NEEDS: Needs = Needs::Files;
    const COMMAND_LINE: CommandLine = CommandLine::None;
    const POSITIONAL: &'static [&'static str] = &["id"];
    const EXAMPLES: &'static [&'static str] = &[r#"{"id": "3f2a9c1d", "useful": true}"#];
    const ALIASES: &'static [Alias] =
        &[Alias::new("decision_id", "id"), Alias::new("is_useful", "useful")];
    type Args = FeedbackArgs;
    type Reply = Analysis<RecordData>;

    fn run(call: &Call<'_>, args: FeedbackArgs) -> Result<Analysis<RecordData>> {
        let note = args.note.as_deref().map(|note| text::start(note.trim(), NOTE_BYTES_MAX));
        let note = note.filter(|note| !note.is_empty());
        let unknown = || {
            let id = text::plain(text::start(args.id.trim(), 60));
            Ok(Analysis::of(RecordData::default())
                .with_status(Status::NoData, format!("there is no decision `{id}`"))
                .with_hint("{tool:get_decisions_for_context} lists ids"))
        };
        let Some(database) = call.code.user_data()? else { return unknown() };
        let now_ms = call.now_ns / 1_000_000;
        match database.rate_decision(args.id.trim(), args.useful, note, now_ms) {
            Ok(decision) => Ok(Analysis::of(RecordData::of(&decision))),
            Err(error) if error.kind() == crate::Kind::NotFound => unknown(),
            Err(error) => Err(error),
        }
    }
}
