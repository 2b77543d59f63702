//! Measures test selection: for each function, how well the tests that execute it are ranked and
//! delivered, against a coverage report that lists the covering tests of each line.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{Code as _, SymbolAt};
use crate::history::History;
use crate::reports::coverage::CoverageReport;
use crate::reports::coverage::attribute::by_position;
use crate::reports::coverage::paths::Paths;
use crate::reports::ids::canonical;
use crate::testmap::deliver::{Chosen, Costs, deliver};
use crate::testmap::features::NAMES;
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::recorded::{Recorded, key, key_of_id};
use crate::testmap::score::{Source, Weights};
use crate::testmap::select::{Ranked, Ranking, rank};
use crate::userdata::Database;
use crate::userdata::coverage::CoveredSymbol;

/// A function is measured if at least one and at most this many tests execute it.
pub const COVERING_MAX: usize = 60;

/// The measures of one ranking of the tests of one function.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Measures {
    /// Precision among the first R tests, where R is the number of covering tests.
    pub r_precision: f64,
    /// 1 if one of the first ten covers the function.
    pub hit_10: f64,
    /// The share of the covering tests among the first 30.
    pub recall_30: f64,
}

impl Measures {
    fn of(ranking: &[String], covering: &BTreeSet<String>) -> Measures {
        let total = covering.len();
        let hits =
            |k: usize| ranking.iter().take(k).filter(|test| covering.contains(*test)).count();
        Measures {
            r_precision: hits(total) as f64 / total as f64,
            hit_10: f64::from(u8::from(hits(10) > 0)),
            recall_30: hits(30) as f64 / total as f64,
        }
    }
}

/// The result of one function.
#[derive(Clone, Debug, Serialize)]
pub struct Function {
    /// Its file.
    pub path: String,
    /// Its qualified name.
    pub name: String,
    /// The number of tests that execute it.
    pub covering: usize,
    /// Those of them that were found in the sources.
    pub known: usize,
    /// The ranking of the test graph.
    pub codedb: Measures,
    /// What the tools select for an edit of this function alone, in its order.
    pub delivered: Measures,
    /// The number of delivered tests.
    pub delivered_tests: usize,
    /// A ranking by names only: in the test's title, in its body, in its file's name.
    pub names: Measures,
    /// The ranking with the coverage of the function before it was edited, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<Measures>,
    /// The first tests of the ranking, with their probabilities, and whether they cover it.
    pub first: Vec<(String, f32, bool)>,
}

/// The results of a repository.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The functions, by path and position.
    pub functions: Vec<Function>,
    /// The number of tests that the report lists.
    pub reported: usize,
    /// Those of them that were found in the sources.
    pub found: usize,
    /// The first few that were not.
    pub missing: Vec<String>,
}

/// What is measured.
pub struct Input<'a> {
    /// The coverage report, of the present state of the tree.
    pub report: &'a CoverageReport,
    /// The root of the tree.
    pub root: &'a Path,
    /// The maximum number of functions, evenly chosen.
    pub functions_max: usize,
    /// True to measure the ranking with imported coverage, too: the report is imported, the function
    /// is edited in memory, and its tests are ranked.
    pub imported: bool,
}

/// A function of the report.
struct Measured {
    at: SymbolAt,
    /// The keys of the tests that execute it.
    covering: BTreeSet<String>,
}

/// Measures the functions of a report, and passes the features of each candidate with whether it
/// covers the function to `record`. A test that the tree does not contain counts as missed.
///
/// # Errors
///
/// If the coverage that is imported cannot be stored in memory.
pub fn measure(
    catalog: &Catalog,
    input: &Input<'_>,
    history: Option<Arc<History>>,
    record: &mut dyn FnMut(&SymbolAt, &Ranked, bool),
) -> Result<Results> {
    let tests = Tests::new(catalog).with_history(history);
    let key_of = |at: TestAt| {
        let path = tests.tree().path(at.file);
        tests.get(at).map(|test| key(&path, &test)).unwrap_or_default()
    };
    let files: Vec<String> = (0..catalog.files().len())
        .filter_map(|at| String::from_utf8(catalog.files().path(at).to_vec()).ok())
        .collect();
    let names: BTreeSet<&String> =
        input.report.files.values().flat_map(|file| file.tests.keys()).collect();
    let ids: HashMap<String, String> = canonical(&files, names.iter().copied());
    let known = ids_of(&tests);
    let database = Database::in_memory()?;
    let recorded = Recorded::new(&tests, &database);
    // Ids of runners, such as those of Go, lack the file.
    let resolved: HashMap<&String, (String, bool)> = names
        .iter()
        .map(|&name| {
            let id = ids.get(name).unwrap_or(name);
            let at = recorded.test(id).or_else(|| known.get(name).copied());
            (name, at.map_or_else(|| (key_of_id(id), false), |at| (key_of(at), true)))
        })
        .collect();
    let mut results = Results::default();
    let keys: BTreeMap<&String, bool> = resolved.values().map(|(key, is)| (key, *is)).collect();
    results.reported = keys.len();
    results.found = keys.values().filter(|is_found| **is_found).count();
    let missing = keys.iter().filter(|(_, is_found)| !**is_found);
    results.missing = missing.map(|(key, _)| (*key).clone()).take(8).collect();
    let paths = Paths::new(input.root, &files);
    let (mut functions, mut imported) = (Vec::new(), Vec::new());
    for (path, lines) in &input.report.files {
        let Some(path) = paths.find(path) else { continue };
        let Some(file) = tests.tree().find(path) else { continue };
        let Some(facts) = catalog.file(file) else { continue };
        let text = catalog.text(file).unwrap_or_default();
        for (place, function) in by_position(path, &text, &facts.symbols, lines) {
            let at = SymbolAt { file, place: place as u32 };
            let is_test = crate::lang::marks::of_path(path.as_bytes()).test
                || tests.of(file).test_at(facts.symbols[place].name_span.start).is_some();
            let names = function.tests.keys().map(|name| resolved[name].0.clone());
            let covering: BTreeSet<String> = names.collect();
            if !is_test && (1..=COVERING_MAX).contains(&covering.len()) {
                functions.push(Measured { at, covering });
            }
            if input.imported {
                let tests = function.tests.iter();
                let tests = tests.map(|(name, lines)| (resolved[name].0.clone(), *lines)).collect();
                imported.push(CoveredSymbol { tests, ..function });
            }
        }
    }
    database.add_coverage(&imported, 0)?;
    let step = functions.len().div_ceil(input.functions_max.max(1)).max(1);
    for Measured { at, covering } in functions.into_iter().step_by(step) {
        let (ranked, is_cut) = rank(&tests, at, &Weights::DEFAULT);
        let keys: Vec<String> = ranked.iter().map(|of| key_of(of.test)).collect();
        for (of, key) in ranked.iter().zip(&keys) {
            record(&at, of, covering.contains(key));
        }
        let Some(facts) = catalog.file(at.file) else { continue };
        let first = ranked.iter().zip(&keys).take(8);
        let first = first.map(|(of, key)| (key.clone(), of.probability, covering.contains(key)));
        let first = first.collect();
        let names: Vec<String> = by_names(&ranked).into_iter().map(key_of).collect();
        let mut ranking = Ranking { tests: ranked, is_cut, ..Ranking::default() };
        let costs =
            Costs { files: catalog.test_names().files(), of: &|_| 1.0, without: &[], least: 0.0 };
        let delivered = deliver(vec![(at, ranking.clone())], &costs).chosen;
        let delivered: Vec<String> = delivered
            .iter()
            .filter_map(|of| match of {
                Chosen::Test(of, _) => Some(key_of(of.test)),
                Chosen::Inherited(..) => None,
            })
            .collect();
        let mut function = Function {
            path: facts.path.clone(),
            name: facts.symbols[at.place as usize].qualified_name.clone(),
            covering: covering.len(),
            known: covering.iter().filter(|key| keys.contains(*key)).count(),
            codedb: Measures::of(&keys, &covering),
            delivered: Measures::of(&delivered, &covering),
            delivered_tests: delivered.len(),
            names: Measures::of(&names, &covering),
            imported: None,
            first,
        };
        if input.imported {
            ranking = edited(catalog, &recorded, at, ranking)?;
            let of_coverage = |of: &&Ranked| of.source == Source::Coverage;
            let covered = ranking.tests.iter().take_while(of_coverage).map(|of| key_of(of.test));
            let inherited = ranking.inherited.iter().map(|of| of.id.clone());
            let others = ranking.tests.iter().skip_while(of_coverage).map(|of| key_of(of.test));
            let keys: Vec<String> = covered.chain(inherited).chain(others).collect();
            function.imported = Some(Measures::of(&keys, &covering));
        }
        results.functions.push(function);
    }
    Ok(results)
}

/// Returns the ranking of a function after its text was edited, with the coverage of the text
/// before.
fn edited(
    catalog: &Catalog,
    recorded: &Recorded<'_>,
    at: SymbolAt,
    mut ranking: Ranking,
) -> Result<Ranking> {
    let Some(facts) = catalog.file(at.file) else { return Ok(ranking) };
    let symbol = &facts.symbols[at.place as usize];
    let mut text = catalog.text(at.file).unwrap_or_default().to_vec();
    // Another last byte: spans stay the same.
    if let Some(last) = text.get_mut(symbol.span.end.saturating_sub(1)) {
        *last = if *last == b'#' { b'!' } else { b'#' };
    }
    if let Some(covering) = recorded.of_text(&facts, at, &text)? {
        ranking.apply(&covering, &|test| recorded.has_run(test))?;
    }
    Ok(ranking)
}

/// Returns the tests of the tree by the ids that reports use.
fn ids_of(tests: &Tests<'_>) -> HashMap<String, TestAt> {
    let mut found = HashMap::new();
    for at in tests.all() {
        if let Some(test) = tests.get(at) {
            found.entry(test.id).or_insert(at);
        }
    }
    found
}

/// The baseline: tests by how many names they share with the function.
fn by_names(ranked: &[Ranked]) -> Vec<TestAt> {
    let feature = |of: &Ranked, name: &str| {
        NAMES.iter().position(|own| *own == name).map_or(0.0, |at| of.features[at])
    };
    let score = |of: &Ranked| {
        3.0 * feature(of, "name_in_test")
            + 2.0 * feature(of, "mention")
            + feature(of, "file_name")
            + 0.5 * feature(of, "owner_mention")
    };
    let mut scored: Vec<(f32, TestAt)> =
        ranked.iter().map(|of| (score(of), of.test)).filter(|(score, _)| *score > 0.0).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().map(|(_, test)| test).collect()
}
