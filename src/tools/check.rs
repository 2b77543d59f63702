//! `check`: the risk of a change before it is pushed, with reasons, tests to run and reviewers.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, rounded};
use super::test_selection::SelectedTest;
use super::{
    Alias, Call, Define, Needs, Speed, Toolset, changed_code, decisions, paths, who_reviews,
};
use crate::answer::analysis::{Analysis, NextStep, Status};
use crate::base::text;
use crate::check::assess::{
    Assessment, Decider, FileAssessment, NewDriver, Reached, assess, begin,
};
use crate::check::baseline::Component;
use crate::check::change::{self, Change, ChangeKind, ChangedFile, Scope};
use crate::check::evidence::Evidence;
use crate::check::investigate::{CallRecord, State};
use crate::check::level::{Facts, Sign};
use crate::check::paths::Method;
use crate::check::score::{Features, Model};
use crate::check::settings::{self, Kind, Settings};
use crate::check::trivial::Trivial;
use crate::check::verdict::{Level, Verdict};
use crate::decisions::against;
use crate::decisions::serve::Fit;
use crate::error::Result;
use crate::history::History;
use crate::lang::marks;
use crate::userdata::measurements::RiskMeasurement;

mod selected;
mod show;
mod trace;

pub(crate) use show::{NOT_COMPARED, level_cell, reviewer};

/// The maximum number of reviewers.
const REVIEWERS_MAX: usize = 3;

/// The maximum number of decisions.
const DECISIONS_MAX: usize = 5;

/// The maximum number of former paths of a file in a reply.
const FORMER_MAX: usize = 5;

/// Names of manifests of packages.
const MANIFESTS: [&str; 6] =
    ["Cargo.toml", "package.json", "pyproject.toml", "go.mod", "pom.xml", "composer.json"];

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Check;

/// The arguments.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// Only these files
    #[serde(default)]
    pub files: Vec<String>,
    /// Only what is staged
    #[serde(default)]
    pub staged: bool,
    /// Compare with this commit
    pub base: Option<String>,
    /// All components
    #[serde(default)]
    pub verbose: bool,
    /// The investigation
    #[serde(default)]
    pub explain: bool,
    /// Maximum number of tokens (default 4000)
    pub max_tokens: Option<usize>,
}

/// A path of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathEntry {
    /// The repository path.
    pub path: String,
    /// How it was found.
    pub method: Method,
    /// The confidence that it belongs to the file, from 0 to 1.
    pub confidence: f64,
}

/// A file of the change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileEntry {
    /// The repository path.
    pub path: String,
    /// The kind of change.
    pub change: ChangeKind,
    /// The level of its risk.
    pub level: Level,
    /// Added lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
    /// Why the change is trivial, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trivial: Option<Trivial>,
    /// True if no commit changed it, under any of its names.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_new: bool,
    /// True if its lines were not compared: a binary file, a submodule or a large text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_compared: bool,
    /// Its former paths, the latest first, at most five; with `verbose`, after the present one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub former_paths: Vec<PathEntry>,
    /// The components above their thresholds; with `verbose`, all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<Component>,
    /// With `verbose` or `explain`, the calls of its investigation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<CallRecord>,
    /// With `explain`, how its investigation ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// Verdicts of clients on this change, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<VerdictEntry>,
}

/// The end of an investigation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finish {
    /// The step, from 1.
    pub step: usize,
    /// The level.
    pub level: Level,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
}

/// A verdict of a client on the change of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictEntry {
    /// Identifies it, for `codedb check feedback`.
    pub id: i64,
    /// The level.
    pub level: Level,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasoning: String,
    /// What people said about it; one that is wrong has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_right: Option<bool>,
}

/// Evidence that is missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnknownEntry {
    /// What is not known.
    pub evidence: String,
    /// Why.
    pub why: String,
    /// For how many files.
    pub files: usize,
}

/// A decision that concerns the change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionEntry {
    /// The decision.
    #[serde(flatten)]
    pub decision: decisions::Entry,
    /// The name that an added line contains although the decision excludes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradicted_by: Option<String>,
    /// The file of that line, or the first changed file in the scope of the decision.
    pub file: String,
}

/// A suggested reviewer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewerEntry {
    /// The name.
    pub author: String,
    /// Their commits to the changed files.
    pub commits: u32,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckData {
    /// The level of the risk; absent if nothing was assessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Who decided on it.
    pub decided_by: Decider,
    /// How certain the level is, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Why.
    pub reasons: Vec<String>,
    /// What to do.
    pub recommendations: Vec<String>,
    /// Evidence that is missing: its absence is not evidence of safety.
    pub unknown: Vec<UnknownEntry>,
    /// The score of size and history, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How well the score ranks past commits of this repository, as far as that was measured.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub calibration: String,
    /// With `verbose`, what the score was computed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Features>,
    /// With `verbose`, what the edits are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<Facts>,
    /// With `verbose`, the signs of risk with their points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<Sign>,
    /// The full hash of the commit that was compared with.
    #[serde(rename = "ref", skip_serializing_if = "String::is_empty")]
    pub reference: String,
    /// The files, the riskiest first.
    pub files: Vec<FileEntry>,
    /// The tests to run, most likely first, at most ten.
    pub tests: Vec<SelectedTest>,
    /// How many tests were selected.
    pub tests_total: usize,
    /// Changed functions without a likely test, as `path: name`; at most ten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untested: Vec<String>,
    /// How many such functions there are.
    pub untested_total: usize,
    /// The commands that run them.
    pub commands: Vec<String>,
    /// People who can review the change.
    pub reviewers: Vec<ReviewerEntry>,
    /// True if no commit that counts changed these files: they changed others of their directories.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reviewers_of_directory: bool,
    /// The canonical decisions that the change contradicts, then those in whose scope it is or whose
    /// references it touches, at most five.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionEntry>,
    /// With `verbose`, the thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Settings>,
}

impl Define for Check {
    const NAME: &'static str = "codedb_check";
    const SUMMARY: &'static str =
        "Assess the risk of uncommitted changes: level, reasons, tests to run, reviewers";
    const DETAILS: &'static str = "`unknown`: missing evidence, which is no sign of safety.";
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Code;
    const SPEED: Speed = Speed::Scan;
    const COMMAND_LINE: super::CommandLine = super::CommandLine::Separate;
    const EXAMPLES: &'static [&'static str] = &[r#"{"files": ["src/cart.rs"]}"#];
    const POSITIONAL: &'static [&'static str] = &["files"];
    const ALIASES: &'static [Alias] = &[Alias::new("paths", "files"), Alias::new("ref", "base")];
    type Args = Args;
    type Reply = Analysis<CheckData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<CheckData>> {
        let max_tokens = args.max_tokens;
        let reply = check(call, &args, None)?;
        Ok(analysis::fit(reply, max_tokens))
    }
}

/// Runs a check with drivers that investigate after the rules; `args` is a JSON object as for the tool.
///
/// # Errors
///
/// As the tool.
pub fn driven(
    call: &Call<'_>,
    args: serde_json::Value,
    new_driver: &NewDriver<'_>,
) -> Result<Analysis<CheckData>> {
    let schema = super::schema::of::<Args>();
    check(call, &super::schema::parse::<Args>(&schema, args)?, Some(new_driver))
}

/// Returns the states in which the investigations of a check begin.
///
/// # Errors
///
/// As the tool.
pub fn investigated(call: &Call<'_>, args: serde_json::Value) -> Result<Vec<State>> {
    let schema = super::schema::of::<Args>();
    let args = super::schema::parse::<Args>(&schema, args)?;
    let Ok(assessed) = assessed(call, &args, None)? else { return Ok(Vec::new()) };
    let files = assessed.found.files.iter();
    Ok(files.filter_map(|it| Some(begin(it, it.start?))).collect())
}

/// What a check begins with.
pub(super) struct Prepared {
    pub(super) change: Change,
    pub(super) history: std::result::Result<Arc<History>, analysis::Missing>,
    pub(super) settings: Settings,
}

/// Reads the change and the history.
///
/// # Errors
///
/// Unknown files, invalid settings; with the failure of git as a reply in the second layer.
pub(super) fn prepare(
    call: &Call<'_>,
    args: &Args,
) -> Result<std::result::Result<Prepared, Analysis<CheckData>>> {
    let settings = settings_of(call)?;
    let only: Vec<Vec<u8>> =
        args.files.iter().map(|path| paths::resolve(call, path)).collect::<Result<_>>()?;
    let history = analysis::history(call)?;
    let scope = match (&args.base, args.staged) {
        (Some(base), _) => Scope::Base(base.clone()),
        (None, true) => Scope::Staged,
        (None, false) => Scope::WorkTree,
    };
    let mut change = match call.code.git() {
        Some(git) => match change::read(call.code, git, &scope) {
            Ok(change) => change,
            Err(error) if error.kind() == crate::Kind::Usage => return Err(error),
            Err(error) => {
                return Ok(Err(analysis::git_failed(CheckData::default(), &error)));
            }
        },
        None if only.is_empty() => {
            let missing = history.err();
            return Ok(Err(missing.map_or_else(
                || Analysis::of(CheckData::default()),
                |missing| missing.reply(CheckData::default()),
            )));
        }
        None => Change::default(),
    };
    if !only.is_empty() {
        restrict(call, &mut change, &only)?;
    }
    if change.files.is_empty() && change.reference.is_none() {
        return Ok(Err(Analysis::list(CheckData::default(), 0, 0)
            .with_status(Status::NoData, "the branch has no commits, and nothing is staged")
            .with_hint("`git add` the files, or name them")));
    }
    if change.files.is_empty() {
        let against = match (&scope, &change.reference) {
            (Scope::Staged, _) => changed_code::NOTHING_STAGED.to_owned(),
            (_, commit) => {
                let commit = commit.as_deref().unwrap_or_default();
                format!("nothing differs from {}", text::start(commit, 12))
            }
        };
        return Ok(Err(Analysis::list(CheckData::default(), 0, 0)
            .with_status(Status::NoChanges, against)
            .with_hint("name files, or a commit as `base`")));
    }
    Ok(Ok(Prepared { change, history, settings }))
}

/// Keeps the named files of a change, and adds those that do not differ.
fn restrict(call: &Call<'_>, change: &mut Change, only: &[Vec<u8>]) -> Result<()> {
    let files = call.code.files()?;
    let is_named = |path: &[u8], name: &[u8]| crate::base::path::is_within(path, name);
    let is_wanted = |file: &ChangedFile| only.iter().any(|name| is_named(&file.path, name));
    change.files.retain(is_wanted);
    for name in only {
        if change.files.iter().any(|file| is_named(&file.path, name)) {
            continue;
        }
        match paths::listed(files, name) {
            Some(at) => change.files.push(ChangedFile::unchanged(files.path(at))),
            None if files.below(name).is_empty() => return Err(paths::unknown(call, name)),
            // Nothing differs in this directory.
            None => {}
        }
    }
    Ok(())
}

/// Returns the settings of the tree.
fn settings_of(call: &Call<'_>) -> Result<Settings> {
    let files = call.code.files()?;
    let is_manifest = |path: &[u8]| {
        let marks = marks::of_path(path);
        MANIFESTS.iter().any(|name| crate::base::path::split(path).1 == name.as_bytes())
            && !marks.test
            && !marks.ranks_last()
    };
    let manifests = files.iter().filter(|(path, _)| is_manifest(path)).count();
    let is_library =
        ["src/lib.rs", "setup.py"].iter().any(|it| files.find(it.as_bytes()).is_some())
            && files.find(b"src/main.rs").is_none();
    let detected = Kind::detect(manifests, is_library);
    match call.code.read(settings::NAME.as_bytes(), settings::BYTES_MAX) {
        Ok(content) => Settings::parse(&String::from_utf8_lossy(content.bytes()), detected),
        Err(error) if error.kind() == crate::Kind::NotFound => Ok(Settings::of(detected)),
        Err(error) => {
            Err(error.with_hint("it has the settings of the check; remove or correct it"))
        }
    }
}

/// Runs a check, with a driver that investigates after the rules, if there is one.
///
/// # Errors
///
/// Unknown files, invalid settings, a tree that cannot be read.
pub(super) fn check(
    call: &Call<'_>,
    args: &Args,
    new_driver: Option<&NewDriver<'_>>,
) -> Result<Analysis<CheckData>> {
    let assessed = match assessed(call, args, new_driver)? {
        Ok(assessed) => assessed,
        Err(reply) => return Ok(reply),
    };
    let Assessed { change, history, settings, found, tested } = assessed;
    let total = found.files.len();
    let failure = found.failure.clone();
    let states: Vec<State> = found.files.iter().map(|it| begin(it, it.level)).collect();
    let mut data = data(args, &change, found, &settings).with_tests(tested);
    add_verdicts(call, &states, &mut data)?;
    if !change.is_trivial()
        && let Ok(history) = &history
    {
        add_reviewers(call, history, &change, &mut data);
    }
    replied(call, &change, history, (data, total), failure)
}

/// What a check found.
pub(super) struct Assessed {
    pub(super) change: Change,
    pub(super) history: std::result::Result<Arc<History>, analysis::Missing>,
    settings: Settings,
    pub(super) found: Assessment,
    /// The tests to run, and what follows from them.
    tested: CheckData,
}

/// Assesses a change.
///
/// # Errors
///
/// As [`prepare`].
pub(super) fn assessed(
    call: &Call<'_>,
    args: &Args,
    new_driver: Option<&NewDriver<'_>>,
) -> Result<std::result::Result<Assessed, Analysis<CheckData>>> {
    let Prepared { change, history, settings } = match prepare(call, args)? {
        Ok(prepared) => prepared,
        Err(reply) => return Ok(Err(reply)),
    };
    let why = history.as_ref().err().map_or("", |missing| missing.message.as_str()).to_owned();
    let rules = analysis::rules(call);
    let known = history.as_ref().ok().cloned();
    let evidence = Evidence::new(call.code, known, &rules, &why, &change)?;
    let mut tested = CheckData::default();
    let mut reached = Reached::default();
    if !change.is_trivial() {
        reached = selected::add_tests(call, args, &change, &mut tested)?;
    }
    let found = assess(&change, &evidence, &reached, &settings, &Model::DEFAULT, new_driver);
    Ok(Ok(Assessed { change, history, settings, found, tested }))
}

/// Adds the verdicts of clients on the same change. They may raise its level, unless people said that they
/// are wrong.
fn add_verdicts(call: &Call<'_>, states: &[State], data: &mut CheckData) -> Result<()> {
    let Some(database) = call.code.user_data()? else { return Ok(()) };
    for (state, file) in states.iter().zip(&mut data.files) {
        for kept in database.verdicts(&state.file, &state.fingerprint())? {
            let Some(level) = Level::parse(&kept.given.level) else { continue };
            let entry = VerdictEntry {
                id: kept.id,
                level,
                confidence: kept.given.confidence,
                reasoning: kept.given.reasoning,
                is_right: kept.is_right,
            };
            if entry.is_right != Some(false) {
                file.level = file.level.max(level);
                if data.level < Some(level) {
                    data.level = Some(level);
                    data.decided_by = Decider::Client;
                    data.confidence = Some(rounded(entry.confidence));
                }
                let file = paths::shown(state.file.as_bytes());
                data.reasons.push(format!("{file}: verdict {}: {}", entry.id, entry.reasoning));
            }
            file.verdicts.push(entry);
        }
    }
    Ok(())
}

/// Completes the reply.
fn replied(
    call: &Call<'_>,
    change: &Change,
    history: std::result::Result<Arc<History>, analysis::Missing>,
    (mut data, total): (CheckData, usize),
    failure: Option<String>,
) -> Result<Analysis<CheckData>> {
    add_decisions(call, change, &mut data);
    data.unknown = joined(std::mem::take(&mut data.unknown));
    if data.score.is_some() {
        data.calibration = calibration(call);
    }
    let steps: Vec<NextStep> = data
        .commands
        .iter()
        .map(|command| {
            NextStep::action(command.clone(), "runs the tests that the change may break")
        })
        .collect();
    let first =
        data.files.first().filter(|_| data.level > Some(Level::Low)).map(|it| it.path.clone());
    let mut reply = Analysis::list(data, total, total);
    reply.next_steps = steps;
    if let Some(path) = first {
        reply = reply.with_step(NextStep::call(
            "codedb_coupling",
            json!({"file_path": path}),
            "which files usually change with the riskiest one",
        ));
    }
    let reply = match history {
        Ok(history) => analysis::with_log_status(call, &history, reply),
        Err(missing) => reply.with_status(missing.status, missing.message).with_hint(missing.hint),
    };
    Ok(match failure {
        Some(why) => {
            let why = format!("the model has no verdict, the rules decided: {why}");
            reply.with_status(Status::Partial, why)
        }
        None => reply,
    })
}

/// Returns the entries with equal ones joined, in their order.
fn joined(entries: Vec<UnknownEntry>) -> Vec<UnknownEntry> {
    let mut joined: Vec<UnknownEntry> = Vec::new();
    for entry in entries {
        let is_same = |of: &&mut UnknownEntry| of.evidence == entry.evidence && of.why == entry.why;
        match joined.iter_mut().find(is_same) {
            Some(of) => of.files += entry.files,
            None => joined.push(entry),
        }
    }
    joined
}

/// Returns what `codedb eval risk` measured on this repository, or that it was not run.
fn calibration(call: &Call<'_>) -> String {
    let database = call.code.user_data();
    let measured = database.and_then(|of| of.map_or(Ok(None), |of| of.risk_measurement()));
    match measured {
        Ok(Some(RiskMeasurement { commits, faulty, auc: Some((score, added)), .. })) => format!(
            "{}: AUC {score:.2} for the score, {added:.2} for lines added",
            corrected(commits, faulty)
        ),
        Ok(Some(RiskMeasurement { commits, faulty, auc: None, .. })) => {
            format!("too little history for a figure: {}", corrected(commits, faulty))
        }
        Ok(None) => "not measured on this repository; `codedb eval risk` measures it".to_owned(),
        Err(error) => format!("not known: {error}"),
    }
}

/// Returns how many of the past commits were corrected later.
fn corrected(commits: u32, faulty: u32) -> String {
    let were = if faulty == 1 { "was" } else { "were" };
    format!(
        "of {}, {faulty} {were} corrected later",
        super::counted(commits as usize, "past commit")
    )
}

impl CheckData {
    /// Returns the data with the tests of `tested`, and with what it has of reasons and unknown evidence.
    fn with_tests(self, tested: CheckData) -> CheckData {
        let mut unknown = self.unknown;
        unknown.extend(tested.unknown);
        let mut reasons = self.reasons;
        reasons.extend(tested.reasons);
        CheckData {
            level: self.level.max(tested.level),
            reasons,
            unknown,
            tests: tested.tests,
            tests_total: tested.tests_total,
            untested: tested.untested,
            untested_total: tested.untested_total,
            commands: tested.commands,
            ..self
        }
    }
}

fn data(args: &Args, change: &Change, found: Assessment, settings: &Settings) -> CheckData {
    let Assessment { verdict, score, features, facts, signs, files, unknown, decided_by, .. } =
        found;
    let Verdict { level, confidence, reasons, recommendations } = verdict;
    CheckData {
        level: Some(level),
        decided_by,
        confidence: Some(rounded(confidence)),
        reasons,
        recommendations,
        unknown: unknown
            .into_iter()
            .map(|(it, files)| UnknownEntry { evidence: it.evidence, why: it.why, files })
            .collect(),
        score: score.map(rounded),
        features: args.verbose.then_some(features),
        facts: args.verbose.then_some(facts),
        signs: if args.verbose { signs } else { Vec::new() },
        reference: change.reference.clone().unwrap_or_default(),
        files: files.into_iter().map(|file| entry(args, file)).collect(),
        settings: args.verbose.then_some(*settings),
        ..CheckData::default()
    }
}

fn entry(args: &Args, it: FileAssessment) -> FileEntry {
    // The present path is certain, and worth a line only where all is listed.
    let former = it.paths.iter().skip(usize::from(!args.verbose)).take(FORMER_MAX);
    let components = it.baseline.components.into_iter();
    let components = components.filter(|component| args.verbose || component.is_over);
    FileEntry {
        path: paths::shown(&it.file.path),
        change: it.file.kind,
        level: it.level,
        added: it.file.added,
        removed: it.file.removed,
        trivial: it.file.trivial,
        is_new: it.is_new,
        not_compared: !it.file.is_compared && it.file.kind != ChangeKind::Unchanged,
        former_paths: former
            .map(|known| PathEntry {
                path: paths::shown(&known.path),
                method: known.method,
                confidence: known.method.confidence(),
            })
            .collect(),
        components: components
            .map(|component| Component { value: rounded(component.value), ..component })
            .collect(),
        finish: it.verdict.filter(|_| args.explain).map(|verdict| Finish {
            step: it.steps,
            level: verdict.level,
            confidence: rounded(verdict.confidence),
        }),
        steps: if args.explain || args.verbose { it.calls } else { Vec::new() },
        verdicts: Vec::new(),
    }
}

/// Adds the canonical decisions that concern the change. If they cannot be read, that is unknown
/// evidence.
fn add_decisions(call: &Call<'_>, change: &Change, data: &mut CheckData) {
    let changed = change.files.iter().filter(|file| file.kind != ChangeKind::Unchanged);
    let (mut against, mut touched): (Vec<DecisionEntry>, Vec<DecisionEntry>) = Default::default();
    for file in changed {
        let path = paths::shown(&file.path);
        let area = decisions::of_paths(std::slice::from_ref(&path));
        let ranked = match decisions::ranked(call, &area, "") {
            Ok((_, false)) => return,
            Ok((ranked, true)) => ranked,
            Err(error) => {
                let evidence = "decisions".to_owned();
                data.unknown.push(UnknownEntry { evidence, why: error.to_string(), files: 1 });
                return;
            }
        };
        for it in ranked {
            let entry = |contradicted_by: Option<String>| DecisionEntry {
                decision: decisions::Entry::of(&it.decision),
                contradicted_by,
                file: path.clone(),
            };
            let is_it = |known: &DecisionEntry| it.decision.id.starts_with(&known.decision.id);
            let names = against::excluded(&it.decision.pattern);
            if let Some(name) = against::in_added(&file.diff, &names) {
                if !against.iter().any(is_it) {
                    against.push(entry(Some(name.to_owned())));
                }
                continue;
            }
            let cites = it
                .decision
                .source_refs
                .iter()
                .any(|of| of.place().is_some_and(|(cited, _)| cited == path));
            // What holds everywhere, or for a language, is touched by every change.
            if (cites || it.fit >= Fit::Module) && !touched.iter().any(is_it) {
                touched.push(entry(None));
            }
        }
    }
    touched.retain(|it| !against.iter().any(|known| known.decision.id == it.decision.id));
    for it in &against {
        let name = it.contradicted_by.as_deref().unwrap_or_default();
        data.recommendations.push(format!(
            "`{name}` in {} contradicts decision {}: {}",
            it.file, it.decision.id, it.decision.pattern
        ));
    }
    against.append(&mut touched);
    against.truncate(DECISIONS_MAX);
    data.decisions = against;
}

/// Adds the people who can review the whole change, as `who_reviews` finds them.
fn add_reviewers(call: &Call<'_>, history: &History, change: &Change, data: &mut CheckData) {
    let paths = change.files.iter().flat_map(|file| [Some(file.path.clone()), file.source.clone()]);
    let own = paths.flatten().collect();
    let found = who_reviews::of_files(call, history, &own, &change.own);
    let (mut reviewers, has_own) = found.unwrap_or_default();
    reviewers.truncate(REVIEWERS_MAX);
    data.reviewers_of_directory = !reviewers.is_empty() && !has_own;
    let entry =
        |it: who_reviews::Reviewer| ReviewerEntry { author: it.author, commits: it.commits };
    data.reviewers = reviewers.into_iter().map(entry).collect();
}
