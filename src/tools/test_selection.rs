//! What the tools that select tests share: the selected tests of a reply, and where they come from.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::analysis::Data;
use super::{Call, lookup, paths};
use crate::answer::analysis::{Analysis, NextStep, Status};
use crate::answer::style::Style;
use crate::base::ids::FileId;
use crate::base::path;
use crate::base::text::plain;
use crate::catalog::Catalog;
use crate::context::tokens;
use crate::error::{Error, Result};
use crate::graph::link::{Code as _, SymbolAt};
use crate::testmap::commands::{self, Located};
use crate::testmap::detect::Test;
use crate::testmap::features::NAMES;
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::score::{Source, Weights};
use crate::testmap::select::{Ranked, rank};

/// The default number of tests of a reply.
pub(super) const TESTS: usize = 20;

/// The default budget of a reply, in tokens.
const TOKENS: usize = 4_000;

/// The maximum number of functions whose tests one call selects; the longest ones are taken.
const FUNCTIONS_MAX: usize = 40;

/// Tests with a lower probability are not selected.
const PROBABILITY_MIN: f32 = 0.1;

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
    /// The parts of the score that are not 0, from 0 to 1; see docs/tests.md.
    pub components: BTreeMap<&'static str, f32>,
}

/// The selected tests of a reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Selection {
    /// The tests, most likely first.
    pub tests: Vec<SelectedTest>,
    /// True if the selection is nearly everything, so that all tests should run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub run_all: bool,
    /// The commands that run the listed tests, or all tests.
    pub commands: Vec<String>,
    /// The number of functions for which tests were selected.
    pub functions: usize,
}

/// The selection as data of an analysis, with the tests that were left out.
pub(super) struct Selected {
    pub(super) selection: Selection,
    /// How many tests were selected.
    pub(super) total: usize,
    /// Functions that were not considered, or a bound that was reached.
    pub(super) is_cut: bool,
}

/// Limits of a reply.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) tests: usize,
    pub(super) tokens: usize,
}

impl Limits {
    pub(super) fn new(limit: Option<usize>, max_tokens: Option<usize>) -> Limits {
        Limits {
            tests: super::results_max(limit, TESTS),
            tokens: max_tokens.unwrap_or(TOKENS).max(200),
        }
    }
}

/// Selects the tests of some definitions, and the changed tests themselves.
pub(super) fn select(
    catalog: &Catalog,
    symbols: &[SymbolAt],
    changed_tests: &[TestAt],
    limits: Limits,
) -> Selected {
    let tests = Tests::new(catalog);
    let mut is_cut = symbols.len() > FUNCTIONS_MAX;
    let mut best: BTreeMap<TestAt, (Ranked, Option<SymbolAt>)> = BTreeMap::new();
    for &at in symbols.iter().take(FUNCTIONS_MAX) {
        let (ranked, cut) = rank(&tests, at, &Weights::DEFAULT);
        is_cut |= cut;
        for of in ranked.into_iter().take_while(|of| of.probability >= PROBABILITY_MIN) {
            let kept = best.entry(of.test).or_insert((of, Some(at)));
            if of.probability > kept.0.probability {
                *kept = (of, Some(at));
            }
        }
    }
    for &test in changed_tests {
        best.entry(test).or_insert((Ranked::changed(test), None));
    }
    let mut all: Vec<(Ranked, Option<SymbolAt>)> = best.into_values().collect();
    all.sort_by(|(a, _), (b, _)| b.probability.total_cmp(&a.probability).then(a.test.cmp(&b.test)));
    let total = all.len();
    let run_all = is_nearly_all(catalog, &all);
    all.truncate(limits.tests);
    let found: Vec<(String, Test)> = all
        .iter()
        .filter_map(|(of, _)| Some((path::shown(catalog.path(of.test.file)), tests.get(of.test)?)))
        .collect();
    let mut selection = Selection { run_all, functions: symbols.len(), ..Selection::default() };
    for ((of, at), (path, test)) in all.iter().zip(&found) {
        let function = at.and_then(|at| {
            let facts = catalog.file(at.file)?;
            Some(facts.symbols.get(at.place as usize)?.qualified_name.clone())
        });
        let parts = NAMES.iter().copied().zip(of.features);
        selection.tests.push(SelectedTest {
            test_id: test.id.clone(),
            path: path.clone(),
            line: test.line,
            score: round(of.probability),
            source: of.source,
            depth: of.depth,
            function: function.unwrap_or_default(),
            components: parts
                .filter(|(_, value)| *value > 0.0)
                .map(|(name, value)| (name, round(value)))
                .collect(),
        });
    }
    let budget = limits.tokens;
    loop {
        let text = serde_json::to_string(&selection.tests).unwrap_or_default();
        let used = tokens::count(&text);
        if used <= budget || selection.tests.len() <= 1 {
            break;
        }
        let shown = (selection.tests.len() * budget / used).clamp(1, selection.tests.len() - 1);
        selection.tests.truncate(shown);
    }
    let located: Vec<Located<'_>> = found
        .iter()
        .take(selection.tests.len())
        .map(|(path, test)| (path.as_str(), test))
        .collect();
    let read = |name: &str| {
        let at = catalog.files().find(name.as_bytes())?;
        let text = catalog.read(FileId::new(at), MANIFEST_BYTES_MAX)?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    selection.commands = match located.first() {
        Some((path, test)) if run_all => commands::run_all(path, test, &read).into_iter().collect(),
        _ => commands::commands(&located, &read),
    };
    Selected { selection, total, is_cut }
}

fn round(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

/// Returns true if the selected tests are in nearly all test files of the tree.
fn is_nearly_all(catalog: &Catalog, selected: &[(Ranked, Option<SymbolAt>)]) -> bool {
    let mut files: Vec<FileId> = selected.iter().map(|(of, _)| of.test.file).collect();
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
        let Selected { selection, total, is_cut } = self;
        let shown = selection.tests.len();
        let run_all = selection.run_all;
        let commands = selection.commands.clone();
        let mut reply = Analysis::list(with(selection), shown, total);
        if total == 0 {
            reply = reply
                .with_status(Status::NoEdges, "no test was found that may execute it")
                .with_hint("{tool:test_gaps} lists functions without tests");
        } else if run_all {
            reply.message =
                Some("the selection covers nearly all test files: run all tests".to_owned());
        } else if is_cut {
            reply = reply.with_status(
                Status::Partial,
                "a bound of the search was reached, so tests may be missing",
            );
        }
        let reason = if run_all { "runs all tests" } else { "runs the listed tests" };
        for command in commands {
            reply = reply.with_step(NextStep::action(command, reason));
        }
        reply
    }
}

impl Selection {
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
            out.push('\n');
        }
    }
}

impl Data for Selection {
    fn render(&self, style: &dyn Style, out: &mut String) {
        self.write(style, out);
    }
}

/// Returns the functions of a file, or those that have one of the given names, longest first.
///
/// # Errors
///
/// An unknown file or name, with the nearest ones.
pub(super) fn functions_of(
    call: &Call<'_>,
    catalog: &Catalog,
    given: Option<&str>,
    names: &[String],
) -> Result<Vec<SymbolAt>> {
    if !names.is_empty() {
        let within = given.map(|path| lookup::Within::named(call, path)).transpose()?;
        let mut found = Vec::new();
        for name in names {
            found.extend(lookup::code(catalog, name.trim(), within.as_ref(), given)?);
        }
        found.truncate(FUNCTIONS_MAX);
        return Ok(found);
    }
    let given = given.ok_or_else(|| {
        Error::usage("name a file, a function or a directory")
            .with_hint("without any of them, the changes of the work tree are used")
    })?;
    let path = paths::resolve(call, given)?;
    let Some(at) = paths::listed(catalog.files(), &path) else {
        return Err(paths::unknown(call, &path));
    };
    Ok(functions_in(catalog, FileId::new(at)))
}

/// Returns the functions of a file, longest first; none for a file of tests.
pub(super) fn functions_in(catalog: &Catalog, file: FileId) -> Vec<SymbolAt> {
    let Some(facts) = catalog.file(file) else { return Vec::new() };
    let mut places: Vec<usize> = (0..facts.symbols.len())
        .filter(|&place| facts.symbols[place].kind.is_callable())
        .filter(|&place| {
            // Functions inside of functions run with them.
            facts.ancestors(Some(place)).skip(1).all(|at| !facts.symbols[at].kind.is_callable())
        })
        .collect();
    places.sort_by_key(|&place| {
        let symbol = &facts.symbols[place];
        (std::cmp::Reverse(symbol.span.len()), place)
    });
    places.into_iter().map(|place| SymbolAt { file, place: place as u32 }).collect()
}
