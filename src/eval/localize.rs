//! Asks for the files and functions of cases, each in the tree before its change.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::baselines::Texts;
use super::cases::{Case, is_source};
use super::measures::Places;
use super::patch::{Touched, touched};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::code::Code;
use crate::context::evidence::{Sources, gather};
use crate::context::ranking::{Scope, rank_files, rank_functions, requests_tests, traits};
use crate::context::task::Task;
use crate::engine::{self, Check, Engine, Local, Progress};
use crate::error::{Error, Result};
use crate::graph::link::SymbolAt;
use crate::history::git::Git;
use crate::rank::{SIGNALS, Traits, Weights};
use crate::tools::{Call, TOOLS};

/// Files of a reply whose recall is measured.
const FILES_MAX: usize = 50;

/// Files of a case whose evidence is kept, beside those that were looked for.
const KEPT_MAX: usize = 120;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Options {
    /// Weights of the ranking.
    pub weights: Weights,
    /// Tokens of the replies whose recall is measured.
    pub budgets: Vec<usize>,
    /// Baselines are ranked, too.
    pub with_baselines: bool,
}

/// What was measured of a case.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measured {
    /// The case's name.
    pub id: String,
    /// The files that were looked for, as they were before the change.
    pub files: Vec<String>,
    /// Where they came.
    pub codedb: Places,
    /// Where BM25 over whole sources has them, tests among its files.
    pub bm25: Places,
    /// The same without tests among its files.
    pub bm25_sources: Places,
    /// Where a count of the task's words has them.
    pub counts: Places,
    /// Where the functions that were looked for came.
    pub functions: Places,
    /// Share of the files in replies, by budget.
    pub recall: Vec<f64>,
    /// How long a reply took the engine that was asked the same before, in milliseconds.
    pub elapsed_ms: f64,
    /// The files that came first.
    pub first: Vec<String>,
}

/// What speaks for the files of a case.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Kept {
    /// The case's name.
    pub id: String,
    /// Files that were looked for.
    pub wanted: usize,
    /// Different words of the task.
    #[serde(default)]
    pub words: usize,
    /// Files for which something speaks, in path order.
    pub files: Vec<KeptFile>,
}

/// What speaks for a file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct KeptFile {
    /// Its path.
    pub path: String,
    /// By signal.
    pub values: [f32; SIGNALS],
    /// What it is.
    pub traits: Traits,
    /// It was looked for.
    pub is_wanted: bool,
}

/// A tree that is checked out at one commit after the other, and its engine.
#[derive(Debug)]
pub struct Bench {
    git: Git,
    engine: Engine,
    texts: Texts,
}

impl Bench {
    /// Returns a bench on the empty tree of `engine`, which gets the commits of `source`.
    ///
    /// # Errors
    ///
    /// If git fails, or the tree's folder is not there.
    pub fn new(source: &Git, engine: Engine) -> Result<Bench> {
        let git = source.share(engine.root())?;
        Ok(Bench { git, engine, texts: Texts::default() })
    }

    /// Measures a case, and writes what speaks for its files to `kept`, as a line of JSON. `None` if
    /// nothing that it changes was there before. O(what changed from the case before + the tree's list).
    ///
    /// # Errors
    ///
    /// If git fails, or the index cannot be made or read.
    pub fn measure(
        &mut self,
        case: &Case,
        options: &Options,
        kept: Option<&mut dyn Write>,
    ) -> Result<Option<Measured>> {
        self.git.check_out(&case.base)?;
        engine::refresh(&self.engine, &Progress::default())?;
        engine::build_code(&self.engine, false, &Progress::default())?;
        let code = Local::new(&self.engine, Check::Strict);
        let catalog = code.catalog(&[])?;
        let touched = touched(&case.patch);
        // Of a report's patch what is no source counts only where nothing else is changed.
        let has_sources = touched.iter().any(|file| is_source(&file.path));
        let wanted: BTreeSet<FileId> = touched
            .iter()
            .filter(|file| !(case.is_commit || has_sources) || is_source(&file.path))
            .filter_map(|file| catalog.files().find(&file.path).map(FileId::new))
            .collect();
        let wanted: Vec<FileId> = wanted.into_iter().collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let shown = |file: FileId| String::from_utf8_lossy(catalog.path(file)).into_owned();
        let mut measured = Measured {
            id: case.id.clone(),
            files: wanted.iter().map(|&file| shown(file)).collect(),
            ..Measured::default()
        };
        let task = Task::new(&case.task);
        let overlay = code.ranking()?;
        let history = code.history()?;
        let sources = Sources { catalog, text: overlay.as_deref(), history: history.as_deref() };
        let mut found = gather(sources, &task, &options.weights)?;
        let files = rank_files(sources, &mut found, &task, &options.weights, Scope::default())?;
        let order: Vec<FileId> = files.iter().map(|file| file.file).collect();
        measured.codedb = places(&wanted, &order);
        measured.first = order.iter().take(5).map(|&file| shown(file)).collect();
        let functions = rank_functions(catalog, &found, &files, &options.weights)?;
        let functions: Vec<SymbolAt> = functions.iter().map(|function| function.at).collect();
        measured.functions = places(&functions_of(catalog, &touched, &wanted)?, &functions);
        if options.with_baselines {
            let with_tests = self.texts.tree(catalog, true)?;
            measured.bm25 = places(&wanted, &with_tests.bm25(&case.task));
            measured.counts = places(&wanted, &with_tests.counts(&case.task));
            drop(with_tests);
            let sources = self.texts.tree(catalog, false)?.bm25(&case.task);
            measured.bm25_sources = places(&wanted, &sources);
        }
        for &budget in &options.budgets {
            let reply = ask(&code, &case.task, budget, FILES_MAX)?;
            let paths: Vec<&str> = reply["files"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|file| file["path"].as_str())
                .collect();
            let found = measured.files.iter().filter(|path| paths.contains(&path.as_str()));
            measured.recall.push(found.count() as f64 / wanted.len() as f64);
        }
        let started = Instant::now();
        ask(&Local::new(&self.engine, Check::Strict), &case.task, 1_500, 5)?;
        measured.elapsed_ms = started.elapsed().as_secs_f64() * 1e3;
        if let Some(kept) = kept {
            let mut kept_files: Vec<KeptFile> = Vec::new();
            for (place, file) in files_to_keep(&order, &wanted) {
                kept_files.push(KeptFile {
                    path: shown(file),
                    values: place.map_or([0.0; SIGNALS], |at| files[at].evidence.values()),
                    traits: traits(catalog, file, requests_tests(&task))?,
                    is_wanted: wanted.contains(&file),
                });
            }
            kept_files.sort_by(|a, b| a.path.cmp(&b.path));
            let (wanted, words) = (wanted.len(), task.words());
            let line = Kept { id: case.id.clone(), wanted, words, files: kept_files };
            let line = serde_json::to_string(&line).unwrap_or_default();
            writeln!(kept, "{line}")
                .map_err(|error| Error::new(crate::Kind::Io, format!("evidence: {error}")))?;
        }
        Ok(Some(measured))
    }
}

/// Asks the tool as a client would.
fn ask(
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

/// Returns the best files and those that were looked for, each with its place if it has one.
fn files_to_keep(order: &[FileId], wanted: &[FileId]) -> Vec<(Option<usize>, FileId)> {
    let mut kept: Vec<(Option<usize>, FileId)> =
        order.iter().take(KEPT_MAX).enumerate().map(|(at, &file)| (Some(at), file)).collect();
    for &file in wanted {
        let place = order.iter().position(|&other| other == file);
        if place.is_none_or(|place| place >= KEPT_MAX) {
            kept.push((place, file));
        }
    }
    kept
}

/// Returns where each of `wanted` comes in `order`.
fn places<T: PartialEq>(wanted: &[T], order: &[T]) -> Places {
    wanted.iter().map(|one| order.iter().position(|other| other == one)).collect()
}

/// Returns the innermost functions around the lines that a patch changes in files of `wanted`.
fn functions_of(
    catalog: &Catalog,
    touched: &[Touched],
    wanted: &[FileId],
) -> Result<Vec<SymbolAt>> {
    let mut functions = Vec::new();
    for file in touched {
        let at = catalog.files().find(&file.path).map(FileId::new);
        let Some(at) = at.filter(|at| wanted.contains(at)) else { continue };
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
