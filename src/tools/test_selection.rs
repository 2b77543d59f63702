//! What the tools that select tests share: the selected tests of a reply, and where they come from.
//!
//! [`deliver`] chooses the tests of functions.

mod durations;
mod named;
pub(super) mod names;
pub(super) mod patience;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Instant;

use serde::Serialize;

pub(super) use self::named::{files_of, functions_in, functions_of};

use self::durations::Durations;
use self::patience::Patience;
use super::Call;
use super::analysis::Data;
use crate::answer::analysis::{Analysis, NextStep, Size, Status};
use crate::answer::page::{Block, Cell, Column, Grade, Table};
use crate::answer::style::Style;
use crate::base::ids::FileId;
use crate::base::path;
use crate::base::text::plain;
use crate::base::tokens;
use crate::catalog::Catalog;
use crate::catalog::test_names::tested;
use crate::error::Result;
use crate::graph::link::{Code as _, SymbolAt};
use crate::testmap::commands::{self, Located};
use crate::testmap::deliver::{self, Costs};
use crate::testmap::detect::{Runner, Test};
use crate::testmap::failing::{self, Failing};
use crate::testmap::features::NAMES;
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::outside::{self, Effect};
use crate::testmap::recorded::Recorded;
use crate::testmap::score::{LIKELY_MIN, Source, Weights};
use crate::testmap::select::{Inherited, Ranked, rank_until, with_recorded};
use crate::testmap::{stored, unseen};
use crate::userdata::Database;
use crate::userdata::coverage::CoveredText;

/// The default number of tests of a reply.
pub(super) const TESTS: usize = 20;

/// The default budget of a reply, in tokens.
const TOKENS: usize = 4_000;

/// The maximum number of functions whose tests one call selects; the longest ones are taken.
const FUNCTIONS_MAX: usize = 40;

/// The maximum number of functions without a likely test that a reply names.
const UNTESTED_MAX: usize = 10;

/// Why a change with too many files is unknown.
const CUT_MESSAGE: &str =
    "more than 200 files of code differ; the functions of the others were not compared";

/// The maximum number of changes with unknown tests that a reply names.
const UNKNOWN_MAX: usize = 10;

/// The maximum number of tests that are selected only because their files have uncommitted changes.
const IN_CHANGED_FILES_MAX: usize = 10;

/// The share of the test files from which on a selection is no smaller than all tests.
const SHARE_MAX: f32 = 0.7;

/// Fewer test files are never "nearly everything".
const TEST_FILES_MIN: usize = 8;

/// Maximum number of bytes of a manifest that are read.
const MANIFEST_BYTES_MAX: usize = 256 << 10;

/// A selected test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SelectedTest {
    /// Its id, as its runner writes it.
    pub test_id: String,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// The probability that it executes one of the functions, from 0 to 1.
    pub score: f32,
    /// What the association is based on; see [`Source`].
    pub source: Source,
    /// The number of calls from the test to the function, if there is a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The function that it most likely executes.
    #[serde(rename = "for", skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// For source `coverage`: whether the test executed the present text of the function, one with
    /// another name, or a former text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_text: Option<CoveredText>,
    /// The parts of the score that are not 0, from 0 to 1; see docs/tests.md.
    pub components: BTreeMap<&'static str, f32>,
}

/// A change of which it is not known what tests it affects.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unknown {
    /// The repository path; empty for the whole change.
    pub path: String,
    /// Why it is not known.
    pub why: String,
}

/// The selected tests of a reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Selection {
    /// The tests, most likely first.
    pub tests: Vec<SelectedTest>,
    /// True if all tests should run: the selection is nearly everything, it is not known what the
    /// change affects, or no test was found.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub run_all: bool,
    /// The changes of which it is not known what tests they affect; at most ten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<Unknown>,
    /// How many such changes there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub unknown_total: usize,
    /// The commands that run the selected tests, those beyond the list included, or all tests.
    pub commands: Vec<String>,
    /// The number of functions for which tests were selected.
    pub functions: usize,
    /// Functions without a likely test, as `path: name`; at most ten. Their least unlikely tests are
    /// among the selected ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untested: Vec<String>,
    /// How many such functions there are.
    pub untested_total: usize,
    /// How many of the selected tests are less likely than 0.1. They follow the likely ones for
    /// certainty, up to 30 tests.
    #[serde(skip_serializing_if = "is_zero")]
    pub unlikely: usize,
}

/// The selection as data of an analysis, with the tests that were left out.
pub(super) struct Selected {
    pub(super) selection: Selection,
    /// How many tests were selected.
    pub(super) total: usize,
    /// Functions that were not considered, or a bound that was reached.
    pub(super) is_cut: bool,
    /// No test is likely: the selected ones are the least unlikely.
    pub(super) is_guess: bool,
    /// The token budget ended the list.
    pub(super) is_over_budget: bool,
    /// The selected tests are in nearly all test files.
    pub(super) is_nearly_all: bool,
    /// Only comments, white space or documentation differ.
    pub(super) is_inert: bool,
    /// What is gone and used still, as sentences.
    pub(super) broken: Vec<String>,
    /// Tests that imported coverage names and that are not in the tree any more.
    pub(super) gone: usize,
    /// Why imported coverage was not used.
    pub(super) problem: Option<String>,
    /// The commands that run all tests, because the names of some cannot be typed.
    pub(super) unnamed: BTreeSet<String>,
    /// The functions that were left out when the time was over.
    pub(super) unexamined: BTreeSet<SymbolAt>,
    /// What the end of the time left out.
    late: Option<String>,
}

/// Imported coverage, if there is some, or why it cannot be read.
pub(super) fn coverage(call: &Call<'_>) -> (Option<Database>, Option<String>) {
    let database = call.code.user_data().and_then(|database| {
        let Some(database) = database else { return Ok(None) };
        Ok((database.covered_count()? > 0).then_some(database))
    });
    match database {
        Ok(database) => (database, None),
        Err(error) => (None, Some(format!("imported coverage cannot be read: {error}"))),
    }
}

/// Limits of a reply.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) tests: usize,
    pub(super) tokens: usize,
    /// Tests with a lower probability are left out.
    pub(super) least: f32,
    /// When the search ends.
    pub(super) patience: Patience,
}

impl Limits {
    pub(super) fn new(limit: Option<usize>, max_tokens: Option<usize>) -> Limits {
        Limits {
            tests: super::results_max(limit, TESTS),
            tokens: max_tokens.unwrap_or(TOKENS).max(200),
            least: 0.0,
            patience: Patience::default(),
        }
    }
}

/// A test of a selection, with the definition that it most likely executes.
struct Chosen {
    of: Kind,
    at: Option<SymbolAt>,
}

enum Kind {
    Test(Ranked),
    Inherited(Inherited),
    /// A test that a class in the file inherits.
    OfBase(FileId, Test),
}

impl Chosen {
    fn probability(&self) -> f32 {
        match &self.of {
            Kind::Test(of) => of.probability,
            Kind::Inherited(of) => of.probability,
            Kind::OfBase(..) => outside::RUNS,
        }
    }
}

impl From<deliver::Chosen> for Chosen {
    fn from(of: deliver::Chosen) -> Chosen {
        match of {
            deliver::Chosen::Test(of, at) => Chosen { of: Kind::Test(of), at: Some(at) },
            deliver::Chosen::Inherited(of, at) => Chosen { of: Kind::Inherited(of), at: Some(at) },
        }
    }
}

/// What is changed besides functions.
#[derive(Clone, Default)]
pub(super) struct Besides<'a> {
    /// Tests whose own text changed.
    pub(super) tests: &'a [TestAt],
    /// Files with uncommitted changes.
    pub(super) files: &'a [FileId],
    /// Changes outside of functions.
    pub(super) effects: Option<&'a BTreeSet<Effect>>,
    /// Only comments, white space or documentation differ.
    pub(super) is_inert: bool,
    /// More differs than was compared.
    pub(super) is_cut: bool,
    /// Why changed files are not in the tree.
    pub(super) absent: Option<String>,
}

/// Selects the tests of some definitions, and the changed tests themselves.
///
/// # Errors
///
/// If a database of coverage that could be opened cannot be read.
pub(super) fn select(
    call: &Call<'_>,
    catalog: &Catalog,
    symbols: &[SymbolAt],
    changed: Besides<'_>,
    limits: Limits,
) -> Result<Selected> {
    // Without a history, there is no evidence from common commits.
    let history = call.code.history().unwrap_or_else(|error| {
        log::debug!("tests are selected without history: {error}");
        None
    });
    stored::load(call.code, catalog);
    let tests = Tests::new(catalog);
    let (database, problem) = coverage(call);
    let recorded = database.as_ref().map(|database| Recorded::new(&tests, database));
    let mut is_cut = false;
    let mut gone = 0;
    let mut effects = changed.effects.cloned().unwrap_or_default();
    let (considered, beyond) = symbols.split_at(symbols.len().min(FUNCTIONS_MAX));
    let mut rankings = Vec::with_capacity(considered.len());
    let until = limits.patience.until();
    let ranked = rank_until(catalog, considered, &Weights::DEFAULT, history.as_ref(), until);
    let is_over = until.is_some_and(|until| Instant::now() >= until);
    let is_late = is_over && ranked.iter().flatten().any(|(_, is_cut)| *is_cut);
    let left_out = considered.iter().zip(&ranked).filter(|(_, ranked)| ranked.is_none());
    let mut unexamined: BTreeSet<SymbolAt> = left_out.map(|(&at, _)| at).collect();
    if is_over {
        unexamined.extend(beyond);
    } else {
        // The tests of functions beyond the bound are those that load their files.
        effects.extend(beyond.iter().map(|at| Effect::Loading(at.file)));
    }
    if unexamined.is_empty() && !is_late {
        effects.extend(unseen::effects(&tests, considered, changed.tests));
    }
    let outside = outside::affected(&tests, &effects);
    for (&at, ranked) in considered.iter().zip(ranked) {
        let Some(ranked) = ranked else { continue };
        let ranking = with_recorded(ranked, at, recorded.as_ref())?;
        is_cut |= ranking.is_cut;
        gone = gone.max(ranking.gone);
        rankings.push((at, ranking));
    }
    let durations = Durations::of(call)?;
    let costs = Costs {
        files: catalog.test_names().files(),
        of: &|test| durations.cost(&tests, test),
        // Tests of changed files are selected in any case.
        without: changed.files,
        least: limits.least,
    };
    let delivered = deliver::deliver(rankings, &costs);
    stored::save(call.code, catalog);
    let mut untested = delivered.untested;
    let mut best: BTreeMap<TestAt, (Ranked, Option<SymbolAt>)> = BTreeMap::new();
    let mut recorded_only = Vec::new();
    for of in delivered.chosen.into_iter().map(Chosen::from) {
        match of.of {
            Kind::Test(ranked) => _ = best.insert(ranked.test, (ranked, of.at)),
            Kind::Inherited(_) | Kind::OfBase(..) => recorded_only.push(of),
        }
    }
    let is_recorded = |id: &String| {
        recorded_only.iter().any(|of| matches!(&of.of, Kind::Inherited(of) if of.id == *id))
    };
    let of_base = outside.inherited.into_iter().filter(|(id, _)| !is_recorded(id));
    let of_base: Vec<Chosen> = of_base
        .map(|(_, (file, test))| Chosen { of: Kind::OfBase(file, test), at: None })
        .collect();
    recorded_only.extend(of_base);
    let is_likely = |of: &Ranked| of.probability >= LIKELY_MIN;
    let mut set = |ranked: Ranked| {
        let kept = best.entry(ranked.test).or_insert((ranked, None));
        if !is_likely(&kept.0) {
            *kept = (ranked, None);
        }
    };
    changed.tests.iter().for_each(|&test| set(Ranked::changed(test)));
    for (&test, &(probability, depth)) in &outside.tests {
        set(Ranked::loading(test, probability, depth));
    }
    let is_filled = |(of, at): &&(Ranked, Option<SymbolAt>)| at.is_some() && !is_likely(of);
    let unlikely = best.values().filter(is_filled).count();
    let is_guess = !best.is_empty()
        && recorded_only.is_empty()
        && !best.values().any(|(of, _)| is_likely(of) && of.source != Source::Names);
    let in_changed = changed.files.iter().flat_map(|&file| tests.in_file(file));
    let in_changed: Vec<TestAt> = in_changed.filter(|test| !best.contains_key(test)).collect();
    for &test in in_changed.iter().take(IN_CHANGED_FILES_MAX) {
        best.insert(test, (Ranked::in_changed_file(test), None));
    }
    let of_effect = |(path, why): (String, &str)| Unknown { path, why: why.to_owned() };
    let mut unknown: Vec<Unknown> = outside.unknown.into_iter().map(of_effect).collect();
    let cut = changed.is_cut.then(|| CUT_MESSAGE.to_owned());
    let whole = cut.into_iter().chain(changed.absent);
    unknown.extend(whole.map(|why| Unknown { path: String::new(), why }));
    let is_unknown = !unknown.is_empty();
    let is_nearly_all = is_nearly_all(catalog, best.keys().map(|test| test.file));
    let is_inert = changed.is_inert && outside.tests.is_empty() && symbols.is_empty();
    let is_none = best.is_empty() && recorded_only.is_empty() && !is_inert;
    let run_all = is_unknown || is_nearly_all || is_none;
    let known = best.into_values().map(|(of, at)| Chosen { of: Kind::Test(of), at });
    let mut all: Vec<Chosen> = known.chain(recorded_only).collect();
    // Stable: equal ones stay in the order of paths.
    let failing = Failing::of(call.code);
    let failure_rate = |chosen: &Chosen| match &chosen.of {
        Kind::Test(of) => tests
            .get(of.test)
            .map_or(0.0, |test| failing.rate(&path::shown(catalog.path(of.test.file)), &test)),
        Kind::Inherited(_) | Kind::OfBase(..) => 0.0,
    };
    all.sort_by_cached_key(|of| {
        // Between 0 and 1.1, so that the bits have the order of the numbers.
        std::cmp::Reverse((of.probability() + failing::WEIGHT * failure_rate(of)).to_bits())
    });
    let total = all.len() + in_changed.len().saturating_sub(IN_CHANGED_FILES_MAX);
    // The command runs all of them, the list shows the first ones.
    let selected: Vec<(String, Test)> =
        all.iter().filter_map(|of| located(catalog, &tests, of)).collect();
    all.truncate(limits.tests);
    untested.retain(|&at| !tests.is_of_tests(at));
    let untested_total = untested.len();
    let untested = untested.into_iter().take(UNTESTED_MAX).filter_map(|at| {
        let facts = catalog.file(at.file)?;
        let symbol = facts.symbols.get(at.place as usize)?;
        Some(format!("{}: {}", facts.path, symbol.qualified_name))
    });
    let untested: Vec<String> = untested.collect();
    let functions = symbols.len();
    let unknown_total = unknown.len();
    unknown.truncate(UNKNOWN_MAX);
    let mut selection = Selection {
        run_all,
        unknown,
        unknown_total,
        functions,
        untested,
        untested_total,
        unlikely,
        ..Selection::default()
    };
    for chosen in &all {
        let Some((path, test)) = located(catalog, &tests, chosen) else { continue };
        let function = chosen.at.and_then(|at| {
            let facts = catalog.file(at.file)?;
            Some(facts.symbols.get(at.place as usize)?.qualified_name.clone())
        });
        let mut selected = SelectedTest {
            test_id: test.id.clone(),
            path: path.clone(),
            line: test.line,
            score: round(chosen.probability()),
            source: Source::Coverage,
            depth: None,
            function: function.unwrap_or_default(),
            covered_text: None,
            components: BTreeMap::new(),
        };
        match &chosen.of {
            Kind::Test(of) => {
                let parts = NAMES.iter().copied().zip(of.features);
                let parts = parts.filter(|(_, value)| *value > 0.0);
                selected.components = parts.map(|(name, value)| (name, round(value))).collect();
                let rate = failure_rate(chosen);
                if rate > 0.0 {
                    selected.components.insert(failing::NAME, round(rate));
                }
                (selected.source, selected.depth) = (of.source, of.depth);
                selected.covered_text = of.covered;
            }
            Kind::Inherited(of) => selected.covered_text = Some(of.covered),
            Kind::OfBase(..) => selected.source = Source::Hybrid,
        }
        selection.tests.push(selected);
    }
    let budget = limits.tokens;
    let mut is_over_budget = false;
    loop {
        let text = serde_json::to_string(&selection.tests).unwrap_or_default();
        let used = tokens::count(&text);
        if used <= budget || selection.tests.len() <= 1 {
            break;
        }
        let shown = (selection.tests.len() * budget / used).clamp(1, selection.tests.len() - 1);
        selection.tests.truncate(shown);
        is_over_budget = true;
    }
    let named: Vec<Located<'_>> =
        selected.iter().map(|(path, test)| (path.as_str(), test)).collect();
    let read = |name: &str| {
        let at = catalog.files().find(name.as_bytes())?;
        let text = catalog.read(FileId::new(at), MANIFEST_BYTES_MAX)?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    let mut unnamed = BTreeSet::new();
    selection.commands = if run_all {
        whole::commands(catalog, &tests, &read)
    } else {
        let found = commands::commands(&named, &read);
        unnamed = commands::unnamed(&found, &named, &read);
        found
    };
    Ok(Selected {
        selection,
        total,
        is_cut,
        is_guess,
        is_over_budget,
        is_nearly_all,
        is_inert,
        broken: outside.broken,
        gone,
        problem,
        unnamed,
        late: (is_late || !unexamined.is_empty())
            .then(|| limits.patience.message(unexamined.len(), functions)),
        unexamined,
    })
}

/// Returns path and data of a selected test.
fn located(catalog: &Catalog, tests: &Tests<'_>, chosen: &Chosen) -> Option<(String, Test)> {
    match &chosen.of {
        Kind::Test(of) => Some((path::shown(catalog.path(of.test.file)), tests.get(of.test)?)),
        Kind::Inherited(of) => inherited_test(catalog, &of.id),
        Kind::OfBase(file, test) => Some((path::shown(catalog.path(*file)), test.clone())),
    }
}

/// Returns the path and the data of a test that only coverage knows: it is in a base class of its
/// class.
fn inherited_test(catalog: &Catalog, id: &str) -> Option<(String, Test)> {
    let mut parts = id.split("::");
    let path = parts.next()?;
    let mut groups: Vec<String> = parts.map(str::to_owned).collect();
    let name = groups.pop()?;
    let file = catalog.files().find(path.as_bytes()).map(FileId::new)?;
    let facts = catalog.file(file)?;
    let class = facts.symbols.iter().find(|of| groups.last() == Some(&of.name));
    let test = Test {
        id: id.to_owned(),
        name,
        groups,
        runner: Runner::Pytest,
        span: 0..0,
        line: class.map_or(1, |of| of.line),
        place: None,
        requests: Vec::new(),
        subtests: Vec::new(),
    };
    Some((path.to_owned(), test))
}

fn round(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

/// Returns true if the selected tests are in nearly all test files of the tree. Only files that are
/// named like tests count: how many other files have tests is not known without reading them.
fn is_nearly_all(catalog: &Catalog, files: impl Iterator<Item = FileId>) -> bool {
    let mut files: Vec<FileId> =
        files.filter(|&file| tested(catalog.path(file)).is_some()).collect();
    files.sort_unstable();
    files.dedup();
    if files.len() < TEST_FILES_MIN {
        return false;
    }
    let count = catalog.test_names().files();
    files.len() as f32 >= SHARE_MAX * count as f32
}

impl Selected {
    /// Returns the reply, with the command as next step; `with` makes the data.
    pub(super) fn reply<D>(self, with: impl FnOnce(Selection) -> D) -> Analysis<D> {
        let Selected { selection, total, is_cut, is_guess, is_over_budget, gone, problem, .. } =
            self;
        let (is_nearly_all, is_inert) = (self.is_nearly_all, self.is_inert);
        let is_by_names = selection.tests.first().is_some_and(|of| of.source == Source::Names);
        let unknown = unknown_message(&selection);
        let late = self.late;
        let shown = selection.tests.len();
        let run_all = selection.run_all;
        let commands = selection.commands.clone();
        let (functions, untested) = (selection.functions, selection.untested_total);
        let unlikely = selection.unlikely;
        let named = selection.untested.iter().take(3).map(|name| plain(name));
        let named: Vec<String> = named.collect();
        let mut reply = Analysis::list(with(selection), shown, total);
        reply.size = Some(Size { is_over_budget, ..Size::new(shown, total) });
        if let Some(unknown) = unknown {
            reply = reply.with_status(Status::Partial, unknown);
        } else if is_inert && total == 0 {
            reply = reply.with_status(
                Status::NoEdges,
                "only comments, white space or documentation differ: no test is affected",
            );
        } else if total == 0 {
            let message = "no test was found that may execute it: run all tests to be sure";
            reply = reply
                .with_status(Status::NoEdges, message)
                .with_hint("{tool:test_gaps} lists functions without tests");
        } else if is_nearly_all {
            reply.message =
                Some("the selection covers nearly all test files: run all tests".to_owned());
        } else if is_guess {
            let message = if is_by_names {
                "no call leads to a likely test: the listed ones are named like it, or the least unlikely"
            } else {
                "no test is likely to execute it: the listed ones are the least unlikely"
            };
            reply = reply.with_status(Status::Partial, message);
        } else if is_cut {
            reply = reply.with_status(
                Status::Partial,
                "a bound of the search was reached, so tests may be missing",
            );
        }
        if untested > 0 && untested < functions && reply.message.is_none() {
            let more = if untested > named.len() { ", …" } else { "" };
            reply.message = Some(format!(
                "{untested} of {functions} functions have no likely test: {}{more}",
                named.join(", ")
            ));
        }
        if unlikely > 0 && !is_guess && reply.message.is_none() {
            let are = if unlikely == 1 { "is" } else { "are" };
            reply.message = Some(format!(
                "{unlikely} of {total} tests {are} unlikely (below 0.10), in case the others miss"
            ));
        }
        if shown > 0 && commands.is_empty() && reply.hint.is_none() {
            reply = reply.with_hint(
                "no command: the manifests do not show which program runs these test files",
            );
        }
        if let Some(late) = late {
            let rest = reply.message.take().map(|rest| format!("; {rest}")).unwrap_or_default();
            reply = reply.with_status(Status::Partial, format!("{late}{rest}"));
        }
        if let Some(problem) = problem {
            let message = reply.message.take().map(|message| format!("{message}; {problem}"));
            let status = if reply.status == Status::Ok { Status::Partial } else { reply.status };
            reply = reply.with_status(status, message.unwrap_or(problem));
        } else if gone > 0 && reply.message.is_none() {
            let tests = if gone == 1 { "test" } else { "tests" };
            reply.message = Some(format!(
                "{gone} {tests} of the imported coverage are not in the tree any more"
            ));
        }
        for command in commands {
            let is_whole = run_all || self.unnamed.contains(&command);
            let reason = if is_whole { "runs all tests" } else { "runs the listed tests" };
            reply = reply.with_step(NextStep::action(command, reason));
        }
        reply
    }
}

/// Returns the message on changes of which it is not known what tests they affect, if there are some.
fn unknown_message(selection: &Selection) -> Option<String> {
    let [first, ..] = &selection.unknown[..] else { return None };
    let what = |of: &Unknown| {
        if of.path.is_empty() { of.why.clone() } else { format!("{} {}", plain(&of.path), of.why) }
    };
    let more = match selection.unknown_total - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!("not known what is affected, so run all tests: {}{more}", what(first)))
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Selection {
    /// Returns the notice that not all functions without a likely test are named.
    pub(super) fn notices(&self) -> Vec<String> {
        let (shown, total) = (self.untested.len(), self.untested_total);
        let notice = || {
            format!(
                "{shown} of {total} functions without a likely test named; {{tool:test_gaps}} lists them"
            )
        };
        (shown < total).then(notice).into_iter().collect()
    }

    pub(super) fn write(&self, style: &dyn Style, out: &mut String) {
        for test in &self.tests {
            let _ = write!(
                out,
                "{:.2}  {:<12}  {}",
                test.score,
                test.source.name(),
                style.place(&test.path, test.line)
            );
            let _ = write!(out, "  {}", plain(&test.test_id));
            if !test.function.is_empty() {
                let _ = write!(out, "  for {}", plain(&test.function));
            }
            match test.covered_text {
                Some(CoveredText::Former) => out.push_str(", before its last edit"),
                Some(CoveredText::Renamed) => out.push_str(", under its former name"),
                Some(CoveredText::Same) | None => {}
            }
            out.push('\n');
        }
    }
}

impl Selection {
    /// Returns the selection as parts of a page for people.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        if !self.tests.is_empty() {
            blocks.push(Block::Table(tests_table(&self.tests)));
        }
        if self.run_all {
            let all = Cell::Level(Grade::Fair, "run all tests:");
            blocks.push(Block::Line(vec![all, Cell::text("the selection is not certain")]));
        }
        blocks
    }
}

/// Returns tests as a table for people.
pub(super) fn tests_table(tests: &[SelectedTest]) -> Table {
    let mut table = Table::new([
        Column::left("LIKELY"),
        Column::cut("TEST"),
        Column::cut("PLACE"),
        Column::cut("WHY"),
    ]);
    for test in tests {
        let former = match test.covered_text {
            Some(CoveredText::Former) => " before its last edit",
            Some(CoveredText::Renamed) => " under its former name",
            Some(CoveredText::Same) | None => "",
        };
        let why = test.source.words();
        let why = match why.strip_suffix(" it").filter(|_| !test.function.is_empty()) {
            Some(verb) => format!("{verb} {}", test.function),
            None => why.to_owned(),
        };
        // The runner's id may repeat the path, which has a column of its own.
        let id = test.test_id.strip_prefix(&test.path).unwrap_or(&test.test_id);
        table.row([
            Cell::Share(test.score.into()),
            Cell::name(id.trim_start_matches([':', ' ', '>'])),
            Cell::Place(test.path.clone(), test.line),
            Cell::text(format!("{why}{former}")),
        ]);
    }
    table
}

impl Data for Selection {
    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        Some(self.blocks())
    }

    fn render(&self, style: &dyn Style, out: &mut String) {
        self.write(style, out);
    }

    fn notices(&self) -> Vec<String> {
        Selection::notices(self)
    }
}
