//! Runs cases, each on the tree before its change, and records the ranks of the expected files.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::baselines::WordCache;
use super::cases::{Case, is_source};
use super::causes::{FIRST, Failure, Ranking, title};
use super::measures::Ranks;
use super::patch::{Touched, touched};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::code::Code;
use crate::catalog::damage::Part;
use crate::context::evidence::{Sources, gather};
use crate::context::purpose::Requests;
use crate::context::ranking::{Scope, rank_files, rank_functions, traits};
use crate::context::task::Task;
use crate::engine::{self, Check, Engine, Local, Progress};
use crate::error::{Error, Result};
use crate::graph::link::SymbolAt;
use crate::history::git::Git;
use crate::rank::{SIGNALS, TaskKind, Traits, Weights};
use crate::tools::{Call, TOOLS};

/// Maximum number of files of a reply whose recall is measured.
const FILES_MAX: usize = 50;

/// Number of top files whose evidence is recorded, besides the expected ones.
const RECORDED_MAX: usize = 120;

/// Options of a measurement.
#[derive(Clone, Debug)]
pub struct Options {
    /// Weights of the ranking.
    pub weights: Weights,
    /// Token budgets at which recall is measured.
    pub budgets: Vec<usize>,
    /// True to rank the baselines too.
    pub with_baselines: bool,
}

/// The results of one case.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measured {
    /// The id of the case.
    pub id: String,
    /// The expected files, by path before the change.
    pub files: Vec<String>,
    /// Their ranks.
    pub codedb: Ranks,
    /// Their ranks by BM25 over whole source files, including tests.
    pub bm25: Ranks,
    /// The same without tests.
    pub bm25_sources: Ranks,
    /// Their ranks by the number of occurrences of the task's words.
    pub counts: Ranks,
    /// The ranks of the expected functions.
    pub functions: Ranks,
    /// Recall of the expected files, by budget.
    pub recall: Vec<f64>,
    /// Time of a reply on a warm engine, in milliseconds.
    pub elapsed_ms: f64,
    /// The first five files.
    pub first: Vec<String>,
    /// The reasons for the first one.
    pub why: Vec<String>,
    /// The first line of the task.
    pub title: String,
    /// The expected files that are not among the first five.
    pub failures: Vec<Failure>,
}

/// The recorded evidence of a case.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CaseEvidence {
    /// The id of the case.
    pub id: String,
    /// Number of expected files.
    pub expected: usize,
    /// Number of distinct words of the task.
    #[serde(default)]
    pub words: usize,
    /// The kind of the task.
    #[serde(default)]
    pub kind: TaskKind,
    /// The top files and the expected files, in path order.
    pub files: Vec<FileEvidence>,
}

/// The recorded evidence of a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct FileEvidence {
    /// The path.
    pub path: String,
    /// Values by signal.
    pub values: [f32; SIGNALS],
    /// Properties that reduce its score.
    pub traits: Traits,
    /// True for an expected file.
    pub is_expected: bool,
    /// The grade of an expected file of a question; 0 in evidence of commits.
    #[serde(default)]
    pub grade: u8,
}

/// A tree that is checked out at one commit after another, and its engine.
#[derive(Debug)]
pub struct Bench {
    git: Git,
    engine: Engine,
    texts: WordCache,
}

impl Bench {
    /// Creates a bench on the empty tree of `engine`, which shares the objects of `source`.
    ///
    /// # Errors
    ///
    /// If git fails, or the directory of the tree does not exist.
    pub fn new(source: &Git, engine: Engine) -> Result<Bench> {
        let git = source.share(engine.root())?;
        Ok(Bench { git, engine, texts: WordCache::default() })
    }

    /// Measures a case and writes its evidence to `evidence_out`, as a line of JSON. Returns `None`
    /// if the patch changes no existing file. O(changes since the previous case + files of the
    /// tree).
    ///
    /// # Errors
    ///
    /// If git fails, or the index cannot be built or read.
    pub fn measure(
        &mut self,
        case: &Case,
        options: &Options,
        evidence_out: Option<&mut dyn Write>,
    ) -> Result<Option<Measured>> {
        self.git.check_out(&case.base)?;
        engine::refresh(&self.engine, &Progress::default())?;
        engine::build_code(&self.engine, false, &Progress::default())?;
        let code = Local::new(&self.engine, Check::Strict);
        let catalog = code.catalog(&[])?;
        let touched = touched(&case.patch);
        // Non-source files of a report's patch count only if it changes no source.
        let has_sources = touched.iter().any(|file| is_source(&file.path));
        let expected: BTreeSet<FileId> = touched
            .iter()
            .filter(|file| !(case.is_commit || has_sources) || is_source(&file.path))
            .filter_map(|file| catalog.files().find(&file.path).map(FileId::new))
            .collect();
        let expected: Vec<FileId> = expected.into_iter().collect();
        if expected.is_empty() {
            return Ok(None);
        }
        let shown = |file: FileId| String::from_utf8_lossy(catalog.path(file)).into_owned();
        let mut measured = Measured {
            id: case.id.clone(),
            files: expected.iter().map(|&file| shown(file)).collect(),
            ..Measured::default()
        };
        let task = Task::new(&case.task);
        let overlay = code.ranking()?;
        let history = code.history()?;
        let sources = Sources { catalog, text: overlay.as_deref(), history: history.as_deref() };
        let mut found = gather(sources, &task, &options.weights)?;
        if code.found_damage(Part::Text) {
            return Err(Error::corrupt(code.root(), "the text index is damaged"));
        }
        let files = rank_files(sources, &mut found, &task, &options.weights, Scope::default())?;
        let order: Vec<FileId> = files.iter().map(|file| file.file).collect();
        measured.codedb = places(&expected, &order);
        let ranking = Ranking {
            catalog,
            text: &case.task,
            task: &task,
            ranked: &files,
            weights: &options.weights,
        };
        let is_late = |of: &(&FileId, &Option<usize>)| of.1.is_none_or(|place| place >= FIRST);
        let late: Vec<FileId> =
            expected.iter().zip(&measured.codedb).filter(is_late).map(|(file, _)| *file).collect();
        measured.failures = ranking.failures(&late, &mut self.texts)?;
        let used = options.weights.for_task(task.kind(), task.words());
        measured.why = files.first().map(|first| used.why(&first.evidence)).unwrap_or_default();
        measured.title = title(&case.task);
        measured.first = order.iter().take(FIRST).map(|&file| shown(file)).collect();
        let functions = rank_functions(catalog, &found, &files, &options.weights)?;
        let functions: Vec<SymbolAt> = functions.iter().map(|function| function.at).collect();
        measured.functions = places(&functions_of(catalog, &touched, &expected)?, &functions);
        if options.with_baselines {
            let with_tests = self.texts.tree(catalog, true)?;
            measured.bm25 = places(&expected, &with_tests.bm25(&case.task));
            measured.counts = places(&expected, &with_tests.counts(&case.task));
            drop(with_tests);
            let sources = self.texts.tree(catalog, false)?.bm25(&case.task);
            measured.bm25_sources = places(&expected, &sources);
        }
        for &budget in &options.budgets {
            let reply = run_context(&code, &case.task, budget, FILES_MAX)?;
            let paths: Vec<&str> = reply["files"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|file| file["path"].as_str())
                .collect();
            let found = measured.files.iter().filter(|path| paths.contains(&path.as_str()));
            measured.recall.push(found.count() as f64 / expected.len() as f64);
        }
        let started = Instant::now();
        run_context(&Local::new(&self.engine, Check::Strict), &case.task, 1_500, 5)?;
        measured.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        if let Some(out) = evidence_out {
            let mut files_out: Vec<FileEvidence> = Vec::new();
            for (place, file) in files_to_record(&order, &expected) {
                files_out.push(FileEvidence {
                    path: shown(file),
                    values: place.map_or([0.0; SIGNALS], |at| files[at].evidence.values()),
                    traits: traits(catalog, file, Requests::of(&task))?,
                    is_expected: expected.contains(&file),
                    grade: 0,
                });
            }
            files_out.sort_by(|a, b| a.path.cmp(&b.path));
            let (expected, words, kind) = (expected.len(), task.words(), task.kind());
            let id = case.id.clone();
            let line = CaseEvidence { id, expected, words, kind, files: files_out };
            let line = serde_json::to_string(&line).unwrap_or_default();
            writeln!(out, "{line}")
                .map_err(|error| Error::new(crate::Kind::Io, format!("evidence: {error}")))?;
        }
        Ok(Some(measured))
    }
}

/// Runs the tool as a client would.
fn run_context(
    code: &Local<'_>,
    task: &str,
    max_tokens: usize,
    max_files: usize,
) -> Result<serde_json::Value> {
    let tool = TOOLS.iter().find(|tool| tool.name == "codedb_context").expect("it is in the table");
    let args = json!({ "task": task, "max_tokens": max_tokens, "max_files": max_files });
    let answer = tool.run(&Call::new(code, 0), args)?;
    Ok(serde_json::from_str(&answer.json()?).unwrap_or_default())
}

/// Returns the top files and the expected files, each with its rank if it has one.
fn files_to_record(order: &[FileId], expected: &[FileId]) -> Vec<(Option<usize>, FileId)> {
    let mut recorded: Vec<(Option<usize>, FileId)> =
        order.iter().take(RECORDED_MAX).enumerate().map(|(at, &file)| (Some(at), file)).collect();
    for &file in expected {
        let place = order.iter().position(|&other| other == file);
        if place.is_none_or(|place| place >= RECORDED_MAX) {
            recorded.push((place, file));
        }
    }
    recorded
}

/// Returns the rank of each of `expected` in `order`.
fn places<T: PartialEq>(expected: &[T], order: &[T]) -> Ranks {
    expected.iter().map(|one| order.iter().position(|other| other == one)).collect()
}

/// Returns the innermost functions around the changed lines of a patch, in files of `expected`.
fn functions_of(
    catalog: &Catalog,
    touched: &[Touched],
    expected: &[FileId],
) -> Result<Vec<SymbolAt>> {
    let mut functions = Vec::new();
    for file in touched {
        let at = catalog.files().find(&file.path).map(FileId::new);
        let Some(at) = at.filter(|at| expected.contains(at)) else { continue };
        let Some(facts) = catalog.facts(at)? else { continue };
        for lines in &file.lines {
            let holds = |symbol: &crate::lang::Symbol| {
                symbol.kind.is_callable()
                    && symbol.line <= lines.start
                    && lines.end <= symbol.end_line + 1
            };
            let around = facts.symbols.iter().enumerate().filter(|(_, symbol)| holds(symbol));
            let inner = around.min_by_key(|(_, symbol)| symbol.end_line - symbol.line);
            let found = inner.map(|(place, _)| SymbolAt { file: at, place: place as u32 });
            functions.extend(found.filter(|found| !functions.contains(found)));
        }
    }
    Ok(functions)
}
