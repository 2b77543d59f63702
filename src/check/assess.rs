//! Assesses a change: the baseline of each file, the points of its edit, the score of the change, and an
//! investigation of the riskiest files.

use std::collections::BTreeMap;

use serde::Serialize;

use super::baseline::{self, Baseline, Reach};
use super::change::{Change, ChangeKind, ChangedFile};
use super::evidence::Evidence;
use super::investigate::rules::{NOTHING_OVER, Rules};
use super::investigate::{self, CallRecord, Driver, State, Tools};
use super::level::{self, Facts, Sign};
use super::paths::KnownPath;
use super::role::{self, Role};
use super::score::{Features, Model};
use super::sensitive;
use super::settings::Settings;
use super::verdict::{Level, Unknown, Verdict};
use crate::base::path::shown;
use crate::base::text::counted;

/// The maximum number of files that are investigated.
const INVESTIGATED_MAX: usize = 3;

/// The number of components above their thresholds from which on a file that does not differ has level
/// medium.
const MEDIUM_COMPONENTS: usize = 3;

/// The maximum number of reasons and of recommendations of a verdict.
const REASONS_MAX: usize = 12;

/// The assessment of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileAssessment {
    /// The file, with the lines that differ.
    pub file: ChangedFile,
    /// Its paths: the present one, then former ones.
    pub paths: Vec<KnownPath>,
    /// True if no commit changed it, under any of its names.
    pub is_new: bool,
    /// What it is for.
    pub role: Role,
    /// What is known about its edit.
    pub facts: Facts,
    /// Its baseline; empty for a trivial change.
    pub baseline: Baseline,
    /// The level by its baseline, or by its investigation.
    pub level: Level,
    /// The level that its investigation began with; `None` if it was not investigated.
    pub start: Option<Level>,
    /// The calls of its investigation.
    pub calls: Vec<CallRecord>,
    /// The number of its steps.
    pub steps: usize,
    /// The verdict of its investigation.
    pub verdict: Option<Verdict>,
}

/// The assessment of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// The verdict on the change.
    pub verdict: Verdict,
    /// The score of the change, from 0 to 1; `None` if the change is trivial or has no lines.
    pub score: Option<f64>,
    /// What the score was computed from.
    pub features: Features,
    /// What the level of the edit was computed from.
    pub facts: Facts,
    /// The signs of risk with their points.
    pub signs: Vec<Sign>,
    /// The files, the riskiest first.
    pub files: Vec<FileAssessment>,
    /// Evidence that is missing, each with the number of files that lack it.
    pub unknown: Vec<(Unknown, usize)>,
    /// Who decided on the level.
    pub decided_by: Decider,
    /// Why the other driver than the rules has no verdict on some file, if so.
    pub failure: Option<String>,
}

/// Who decided on a level.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// The rules.
    #[default]
    Rules,
    /// A model, which raised the level of the rules.
    Model,
    /// A client, which raised the level by a verdict on the same change that is kept.
    Client,
}

impl Decider {
    /// Returns its name, as in replies.
    pub fn name(self) -> &'static str {
        match self {
            Decider::Rules => "rules",
            Decider::Model => "model",
            Decider::Client => "client",
        }
    }
}

/// Makes a driver for one investigation; several run at once.
pub type NewDriver<'a> = dyn Fn() -> Box<dyn Driver + 'a> + Sync + 'a;

/// Assesses a change. If the level is at least medium, the rules investigate files, and then a driver of
/// `new_driver` does, if there is one: it may raise the level of the rules, never lower it, so that a
/// driver which fails cannot make a change look harmless. The files are investigated at once, because most of
/// the time passes in git and in models.
pub fn assess(
    change: &Change,
    evidence: &Evidence<'_>,
    reached: &Reached,
    settings: &Settings,
    model: &Model,
    new_driver: Option<&NewDriver<'_>>,
) -> Assessment {
    let is_test_edit = |file: &ChangedFile| {
        file.trivial.is_none() && evidence.is_test_path(&file.path) && file.edit.size() > 0.0
    };
    let tests_changed =
        change.files.iter().any(|file| file.edit.test_lines > 0 || is_test_edit(file));
    let around = Around { tests_changed, reached };
    let paths: Vec<Vec<u8>> = change.files.iter().map(|file| file.path.clone()).collect();
    let paths = evidence.paths(&paths);
    let mut files: Vec<FileAssessment> = change
        .files
        .iter()
        .zip(paths)
        .map(|(file, paths)| of_file(file, paths, evidence, settings, &around))
        .collect();
    let mut unknown = missing(&files);
    if change.left_out > 0 {
        let why = format!("{} more files differ and were not compared", change.left_out);
        unknown.push((Unknown::new("files", why), change.left_out));
    }
    let is_edit = |file: &&ChangedFile| {
        file.trivial.is_none() && (!file.is_compared || file.edit.size() > 0.0)
    };
    let real: Vec<&ChangedFile> = change.files.iter().filter(is_edit).collect();
    let features = evidence.features(&real);
    let has_lines = real.iter().any(|file| file.kind != ChangeKind::Unchanged);
    let score = (has_lines && !change.is_trivial()).then(|| model.score(&features));
    let mut facts = Facts::default();
    files.iter().for_each(|it| facts.add(&it.facts));
    let signs = level::signs(&facts);
    let mut second = Second { new_driver, decided_by: Decider::Rules, failure: None };
    let verdict = if change.is_trivial() {
        trivial(change)
    } else {
        sort(&mut files);
        let by_score = score.map(|score| model.level(score));
        decide(change, &mut files, &signs, by_score, evidence, &mut second)
    };
    let Second { decided_by, failure, .. } = second;
    Assessment { verdict, score, features, facts, signs, files, unknown, decided_by, failure }
}

/// Which files of a change tests reach, as far as their calls are known.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Files with changed functions, by repository path.
    pub files: BTreeMap<Vec<u8>, Reach>,
}

/// What of the whole change concerns each file.
struct Around<'a> {
    tests_changed: bool,
    reached: &'a Reached,
}

/// The driver that investigates after the rules, and what came of it.
struct Second<'a, 'd> {
    new_driver: Option<&'a NewDriver<'d>>,
    decided_by: Decider,
    failure: Option<String>,
}

fn of_file(
    file: &ChangedFile,
    paths: Vec<KnownPath>,
    evidence: &Evidence<'_>,
    settings: &Settings,
    around: &Around<'_>,
) -> FileAssessment {
    let role = role::of(&file.path, evidence.is_secondary(&file.path));
    let mut made = FileAssessment {
        file: file.clone(),
        paths,
        is_new: false,
        role,
        facts: Facts::default(),
        baseline: Baseline::default(),
        level: Level::Low,
        start: None,
        calls: Vec::new(),
        steps: 0,
        verdict: None,
    };
    if file.trivial.is_some() {
        return made;
    }
    let thresholds = &settings.thresholds;
    let partners = (thresholds.cochange_share, thresholds.cochange_commits);
    let mut signals = evidence.signals(file, partners);
    signals.tests_changed |= around.tests_changed;
    signals.reached = around.reached.files.get(&file.path).copied();
    made.is_new = signals.is_new;
    made.facts.add_size(role, file.edit.size(), signals.is_new);
    made.facts.tests_changed = around.tests_changed;
    made.facts.releases = role == Role::Pipeline && role::releases(&file.path);
    let is_gone = file.kind == ChangeKind::Deleted;
    if role == Role::Data && (is_gone || !role::is_configuration(&file.path)) {
        made.facts.data = 0.0;
    }
    if role != Role::Source {
        if !file.is_compared && file.kind != ChangeKind::Unchanged {
            made.baseline.unknown.push(Unknown::new("size", baseline::NOT_COMPARED));
        }
        made.level = level::of(&level::signs(&made.facts));
        return made;
    }
    made.baseline = baseline::of(&signals, thresholds, evidence.why_no_history());
    made.facts.topics = file.edit.topics.clone();
    made.facts.is_security = sensitive::is_secure_path(&file.path);
    if !made.is_new {
        let is_edited = file.edit.size() > 0.0;
        made.facts.sources = usize::from(is_edited);
        made.facts.is_untested = is_edited && made.baseline.is_over("test_ratio");
        made.facts.central = signals.central.filter(|_| is_edited).unwrap_or_default();
        made.facts.fixes = signals.fixes.filter(|_| is_edited).unwrap_or_default();
        made.facts.incidents = signals.incidents.filter(|_| is_edited).unwrap_or_default();
        made.facts.reverts = signals.reverts;
        made.facts.lost = file.edit.lost.len();
        made.level = level::of(&level::signs(&made.facts));
        if !file.is_compared && file.kind != ChangeKind::Unchanged {
            // What it edits is not known, which is no sign of safety.
            made.level = made.level.max(Level::Medium);
        }
        if file.kind == ChangeKind::Unchanged && made.baseline.over().count() >= MEDIUM_COMPONENTS {
            made.level = Level::Medium;
        }
        if file.kind == ChangeKind::Deleted {
            // What imported it is not known any more, and no test of it can be selected.
            made.facts.deleted = 1;
            made.level = made.level.max(Level::Medium);
            let why = "the file is deleted: what imported it is not indexed any more";
            made.baseline.unknown.retain(|unknown| unknown.evidence != "blast_radius");
            made.baseline.unknown.push(Unknown::new("blast_radius", why));
        }
    }
    made
}

/// Sorts the files: the highest level, then the most components above their thresholds, then by path.
fn sort(files: &mut [FileAssessment]) {
    files.sort_by(|a, b| {
        let rank = |it: &FileAssessment| {
            (
                it.level,
                it.role == Role::Source,
                it.baseline.over().count(),
                it.file.added + it.file.removed,
            )
        };
        rank(b).cmp(&rank(a)).then_with(|| a.file.path.cmp(&b.file.path))
    });
}

fn trivial(change: &Change) -> Verdict {
    let mut kinds: Vec<_> = change.files.iter().filter_map(|file| file.trivial).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    Verdict {
        level: Level::Low,
        confidence: 0.95,
        reasons: vec![format!("only {} changed", kinds.join(" and "))],
        recommendations: Vec::new(),
    }
}

fn decide(
    change: &Change,
    files: &mut [FileAssessment],
    signs: &[Sign],
    by_score: Option<Level>,
    evidence: &Evidence<'_>,
    second: &mut Second<'_, '_>,
) -> Verdict {
    let highest = files.iter().map(|it| it.level).max().unwrap_or_default();
    let highest = highest.max(level::of(signs));
    let is_without_history = |it: &FileAssessment| it.is_new || it.file.trivial.is_some();
    let is_low = highest.max(by_score.unwrap_or_default()) == Level::Low;
    if evidence.has_history() && is_low && files.iter().all(is_without_history) {
        return Verdict::without_history();
    }
    let is_deleted =
        |it: &&FileAssessment| it.file.kind == ChangeKind::Deleted && it.role == Role::Source;
    let deleted = files.iter().filter(is_deleted).count();
    let level = highest.max(by_score.unwrap_or_default());
    if level < Level::Medium {
        let mut verdict = low(files, evidence);
        if files.iter().any(|it| it.is_new) {
            verdict.reasons.push("the change has files without historical data".to_owned());
            verdict.recommendations.push("add tests for the new files".to_owned());
        }
        return verdict;
    }
    let several = change.files.len() > 1;
    let mut verdict = Verdict { level, confidence: 1.0, ..Verdict::default() };
    let of_baseline = |sign: &Sign| {
        let component = match sign.name {
            "tests" => "test_ratio",
            "corrections" => "incidents",
            "central" => "blast_radius",
            _ => return false,
        };
        files.iter().any(|it| it.baseline.is_over(component))
    };
    let shown_signs = signs.iter().filter(|it| it.points > 0.0 && !of_baseline(it));
    verdict.reasons.extend(shown_signs.map(|it| it.text.clone()));
    if by_score == Some(level) && level > highest {
        verdict
            .reasons
            .push("size and history of the files put the change among the riskier ones".to_owned());
    }
    if deleted > 0 {
        verdict.reasons.push(format!("deleted source files: {deleted}"));
        verdict
            .recommendations
            .push("run all tests: files that imported the deleted ones may not load".to_owned());
    }
    let is_candidate = |(at, it): &(usize, &mut FileAssessment)| {
        it.file.trivial.is_none()
            && it.role == Role::Source
            && !it.is_new
            && (*at == 0 || it.level >= Level::Medium)
    };
    let candidates = files.iter_mut().enumerate().filter(is_candidate).take(INVESTIGATED_MAX);
    let mut candidates: Vec<&mut FileAssessment> = candidates
        .map(|(at, it)| {
            it.start = Some(if at == 0 { level } else { it.level });
            it
        })
        .collect();
    let investigated = candidates.len();
    let found = investigated_at_once(&candidates, evidence, second.new_driver);
    for (it, found) in candidates.iter_mut().zip(found) {
        let found = concluded(it, found, second);
        it.level = found.level;
        verdict.level = verdict.level.max(found.level);
        verdict.confidence = verdict.confidence.min(found.confidence);
        let named = |text: String| {
            if several { format!("{}: {text}", shown(&it.file.path)) } else { text }
        };
        verdict.reasons.extend(found.reasons.iter().cloned().map(named));
        verdict.recommendations.extend(found.recommendations.iter().cloned().map(named));
        it.verdict = Some(found);
    }
    if investigated == 0 {
        verdict.confidence = 0.5;
    }
    if !evidence.has_history() || evidence.is_shallow() && files.iter().any(lacks_commits) {
        verdict.confidence = verdict.confidence.min(0.4);
    }
    if verdict.reasons.is_empty() {
        verdict.reasons.push("size and history of the files".to_owned());
    }
    if verdict.reasons.len() > 1 {
        verdict.reasons.retain(|reason| !reason.ends_with(NOTHING_OVER));
    }
    verdict.reasons.dedup();
    verdict.recommendations.dedup();
    for (what, all) in
        [("reason", &mut verdict.reasons), ("recommendation", &mut verdict.recommendations)]
    {
        let more = all.len().saturating_sub(REASONS_MAX);
        all.truncate(REASONS_MAX);
        if more > 0 {
            all.push(format!(
                "and {}; `--verbose` lists all components",
                counted(more, &format!("more {what}"))
            ));
        }
    }
    verdict
}

fn low(files: &[FileAssessment], evidence: &Evidence<'_>) -> Verdict {
    let mut verdict = Verdict { level: Level::Low, confidence: 0.85, ..Verdict::default() };
    for it in files {
        verdict.reasons.extend(
            it.baseline
                .over()
                .map(|component| format!("{}: {}", shown(&it.file.path), component.text)),
        );
    }
    verdict.reasons.truncate(REASONS_MAX);
    if !evidence.has_history() {
        verdict.confidence = 0.4;
        verdict.reasons.insert(0, format!("no history: {}", evidence.why_no_history()));
        verdict.recommendations.push("ask somebody who knows the code for a review".to_owned());
    } else if evidence.is_shallow() && files.iter().any(lacks_commits) {
        verdict.confidence = 0.4;
        verdict.reasons.insert(0, evidence.why_no_history().to_owned());
        verdict
            .recommendations
            .push("fetch the whole history (`git fetch --unshallow`)".to_owned());
    } else if verdict.reasons.is_empty() {
        verdict.reasons.push(NOTHING_OVER.to_owned());
    }
    verdict
}

fn lacks_commits(it: &FileAssessment) -> bool {
    it.file.trivial.is_none()
        && it.baseline.unknown.iter().any(|unknown| unknown.evidence == "churn")
}

/// Returns the state in which the investigation of a file begins.
pub fn begin(it: &FileAssessment, level: Level) -> State {
    State {
        file: shown(&it.file.path),
        former_paths: it.paths.iter().skip(1).map(|known| shown(&known.path)).collect(),
        diff: it.file.diff.clone(),
        removed_lines: it.file.removed_lines.iter().take(1000).cloned().collect(),
        baseline: it.baseline.clone(),
        level,
        ..State::default()
    }
}

/// An investigation by the rules, and that by another driver.
struct Investigated {
    by_rules: (State, Verdict),
    by_driver: Option<(State, Verdict)>,
}

/// Investigates files, each in a thread of its own.
fn investigated_at_once(
    files: &[&mut FileAssessment],
    tools: &(dyn Tools + Sync),
    new_driver: Option<&NewDriver<'_>>,
) -> Vec<Investigated> {
    let investigate = |it: &FileAssessment| {
        let state = begin(it, it.start.unwrap_or(it.level));
        let by_driver =
            new_driver.map(|new_driver| investigate::run(&mut *new_driver(), state.clone(), tools));
        Investigated { by_rules: investigate::run(&mut Rules, state, tools), by_driver }
    };
    if let [only] = files {
        return vec![investigate(only)];
    }
    std::thread::scope(|scope| {
        let started: Vec<_> = files.iter().map(|it| scope.spawn(|| investigate(it))).collect();
        let joined = started.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// Keeps what an investigation of a file found, and returns its verdict.
fn concluded(it: &mut FileAssessment, found: Investigated, second: &mut Second<'_, '_>) -> Verdict {
    let (state, by_rules) = found.by_rules;
    (it.calls, it.steps) = (state.calls, state.steps);
    let Some((state, by_driver)) = found.by_driver else { return by_rules };
    (it.calls, it.steps) = (state.calls, state.steps);
    if state.verdict.is_none() {
        let why = by_driver.reasons.into_iter().next().unwrap_or_default();
        second.failure.get_or_insert(why);
        return by_rules;
    }
    if by_driver.level < by_rules.level {
        let said = by_driver.level.name();
        let mut verdict = by_rules;
        verdict.reasons.push(format!("the model's level is {said}; that of the rules is higher"));
        verdict.reasons.extend(by_driver.reasons);
        verdict.recommendations.extend(by_driver.recommendations);
        return verdict;
    }
    if by_driver.level > by_rules.level {
        second.decided_by = Decider::Model;
    }
    by_driver
}

/// Returns the missing evidence, each with the number of files that lack it.
fn missing(files: &[FileAssessment]) -> Vec<(Unknown, usize)> {
    let mut all: Vec<Unknown> =
        files.iter().flat_map(|it| it.baseline.unknown.iter().cloned()).collect();
    all.sort();
    let mut counted: Vec<(Unknown, usize)> = Vec::new();
    for unknown in all {
        match counted.last_mut() {
            Some((last, count)) if *last == unknown => *count += 1,
            _ => counted.push((unknown, 1)),
        }
    }
    counted
}
