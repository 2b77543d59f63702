//! Measures test selection: for each function, how well the tests that execute it are ranked,
//! against a coverage report that lists the covering tests of each line.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::graph::link::{Code as _, FileFacts, SymbolAt};
use crate::lang::symbols::SymbolKind;
use crate::testmap::features::NAMES;
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::score::Weights;
use crate::testmap::select::{Ranked, rank};

pub mod report;

use report::Covered;

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
    fn of(ranking: &[TestAt], covering: &BTreeSet<TestAt>, total: usize) -> Measures {
        let hits = |k: usize| ranking.iter().take(k).filter(|test| covering.contains(test)).count();
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
    /// A ranking by names only: in the test's title, in its body, in its file's name.
    pub names: Measures,
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

/// Measures at most `functions_max` functions, evenly chosen, and passes the features of each
/// candidate with whether it covers the function to `record`.
pub fn measure(
    catalog: &Catalog,
    covered: &Covered,
    functions_max: usize,
    record: &mut dyn FnMut(&SymbolAt, &Ranked, bool),
) -> Results {
    let tests = Tests::new(catalog);
    let by_id = ids(&tests);
    let mut results = Results { reported: covered.tests.len(), ..Results::default() };
    let known: Vec<Option<TestAt>> =
        covered.tests.iter().map(|id| by_id.get(report::base_id(id)).copied()).collect();
    results.found = known.iter().flatten().count();
    let missing = covered.tests.iter().zip(&known).filter(|(_, known)| known.is_none());
    results.missing = missing.map(|(id, _)| id.clone()).take(8).collect();
    let mut functions: Vec<(SymbolAt, BTreeSet<&str>, BTreeSet<TestAt>)> = Vec::new();
    for (path, lines) in &covered.lines {
        let Some(file) = catalog.files().find(path.as_bytes()).map(FileId::new) else { continue };
        if crate::lang::marks::of_path(path.as_bytes()).test {
            continue;
        }
        let Some(facts) = catalog.file(file) else { continue };
        let text = catalog.text(file).unwrap_or_default();
        for (place, numbers) in by_function(&facts, &text, lines) {
            let (mut ids, mut at) = (BTreeSet::new(), BTreeSet::new());
            for number in numbers {
                ids.insert(report::base_id(&covered.tests[number]));
                at.extend(known[number]);
            }
            if (1..=COVERING_MAX).contains(&ids.len()) {
                functions.push((SymbolAt { file, place: place as u32 }, ids, at));
            }
        }
    }
    let step = functions.len().div_ceil(functions_max.max(1)).max(1);
    for (at, ids, covering) in functions.into_iter().step_by(step) {
        let (ranked, _) = rank(&tests, at, &Weights::DEFAULT);
        for of in &ranked {
            record(&at, of, covering.contains(&of.test));
        }
        let Some(facts) = catalog.file(at.file) else { continue };
        let ranking: Vec<TestAt> = ranked.iter().map(|of| of.test).collect();
        let first = ranked.iter().take(8).map(|of| {
            let id = tests.get(of.test).map(|test| test.id).unwrap_or_default();
            (id, of.probability, covering.contains(&of.test))
        });
        results.functions.push(Function {
            path: facts.path.clone(),
            name: facts.symbols[at.place as usize].qualified_name.clone(),
            covering: ids.len(),
            known: covering.len(),
            codedb: Measures::of(&ranking, &covering, ids.len()),
            names: Measures::of(&by_names(&ranked), &covering, ids.len()),
            first: first.collect(),
        });
    }
    results
}

/// Returns the tests of the tree by the ids that reports use.
fn ids(tests: &Tests<'_>) -> HashMap<String, TestAt> {
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

/// Returns the tests that execute a line of the body of each function, by their numbers. A line of a
/// nested function belongs to that one only.
fn by_function(
    facts: &FileFacts,
    text: &[u8],
    lines: &BTreeMap<usize, Vec<usize>>,
) -> BTreeMap<usize, BTreeSet<usize>> {
    let line_at = |at: usize| memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count() + 1;
    // Body lines of each function: after its signature.
    let bodies: Vec<(usize, usize, usize)> = facts
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| symbol.kind.is_callable() || symbol.kind == SymbolKind::Property)
        .map(|(place, symbol)| {
            let signature = line_at(symbol.source.signature.end.saturating_sub(1));
            let is_one_line = symbol.end_line == signature;
            (place, signature + usize::from(!is_one_line), symbol.end_line)
        })
        .collect();
    let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (line, tests) in lines {
        let inside = bodies.iter().filter(|(_, first, last)| (first..=last).contains(&line));
        if let Some((place, ..)) = inside.max_by_key(|(_, first, _)| *first) {
            found.entry(*place).or_default().extend(tests);
        }
    }
    found
}
