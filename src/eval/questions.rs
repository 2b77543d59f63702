//! Measures the ranking on natural-language questions with graded files.
//!
//! The measure is NDCG (Järvelin and Kekäläinen, *Cumulated gain-based evaluation of IR
//! techniques*, 2002) of the first ten files, with the gain 2^grade − 1. The baselines are BM25 over
//! whole source files with and without tests ([`super::baselines`]).

use std::collections::BTreeMap;
use std::io::Write;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::baselines::WordCache;
use super::localize::{CaseEvidence, FileEvidence};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::code::Code;
use crate::context::evidence::{Sources, gather};
use crate::context::purpose::Requests;
use crate::context::ranking::{Scope, rank_files, traits};
use crate::context::task::Task;
use crate::engine::{Check, Engine, Local};
use crate::error::{Error, Result};
use crate::rank::{SIGNALS, Weights};
use crate::tools::{Call, TOOLS};

/// Number of files that are graded.
const FILES: usize = 10;

/// Number of top files whose evidence is recorded, besides the graded ones.
const RECORDED_MAX: usize = 150;

/// A question with its key.
#[derive(Clone, Debug, Deserialize)]
pub struct Question {
    /// Its kind, by which results are grouped: `how`, `feature`, `name`.
    pub kind: String,
    /// The text.
    pub task: String,
    /// The relevant files, with a grade from 1; 2 for the files with the answer.
    pub files: BTreeMap<String, u8>,
    /// The best definition, as `path:name` or `path:Type.name`; empty if there is none.
    #[serde(default)]
    pub definition: String,
}

/// The results of one question.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measured {
    /// The kind of the question.
    pub kind: String,
    /// NDCG of the first ten files.
    pub codedb: f64,
    /// The same by BM25 over whole source files, including tests.
    pub bm25: f64,
    /// The same without tests.
    pub bm25_sources: f64,
    /// The rank of the definition among the shown definitions, from 0; `None` if it is not shown.
    pub definition: Option<usize>,
    /// Estimated tokens of the reply.
    pub tokens: u64,
    /// The first ten files.
    pub first: Vec<String>,
    /// The text of the question.
    pub task: String,
}

/// Returns the questions of a file with a JSON object on each line.
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the number of an invalid line.
pub fn of_file(text: &str) -> Result<Vec<Question>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let question = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            Error::usage(format!("line {}: invalid question: {error}", number + 1))
        })
    };
    lines.map(question).collect()
}

/// Returns the NDCG of the first ten of `files`, 0 to 1.
pub fn ndcg<'a>(files: impl Iterator<Item = &'a str>, grades: &BTreeMap<String, u8>) -> f64 {
    let gain = |place: usize, grade: u8| {
        (2_f64.powi(i32::from(grade)) - 1.0) / (place as f64 + 2.0).log2()
    };
    let of = |(place, file): (usize, &str)| gain(place, grades.get(file).copied().unwrap_or(0));
    let sum: f64 = files.take(FILES).enumerate().map(of).sum();
    let mut ideal: Vec<u8> = grades.values().copied().collect();
    ideal.sort_unstable_by(|a, b| b.cmp(a));
    let best: f64 = ideal.iter().take(FILES).enumerate().map(|(at, &grade)| gain(at, grade)).sum();
    if best > 0.0 { sum / best } else { 0.0 }
}

/// A tree with its index.
#[derive(Debug)]
pub struct Bench<'a> {
    engine: &'a Engine,
    texts: WordCache,
}

impl<'a> Bench<'a> {
    /// Creates a bench on an indexed tree.
    pub fn new(engine: &'a Engine) -> Bench<'a> {
        Bench { engine, texts: WordCache::default() }
    }

    /// Measures a question. With `evidence_out`, writes the signals of its candidates there, as a
    /// line of JSON. O(files of the tree).
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn measure(
        &mut self,
        question: &Question,
        evidence_out: Option<&mut dyn Write>,
    ) -> Result<Measured> {
        let code = Local::new(self.engine, Check::Strict);
        let catalog = code.catalog(&[])?;
        let tool =
            TOOLS.iter().find(|tool| tool.name == "codedb_context").expect("it is in the table");
        let args = json!({ "task": question.task, "max_files": FILES });
        let answer = tool.run(&Call::new(&code, 0), args)?;
        let reply: serde_json::Value = serde_json::from_str(&answer.json()?).unwrap_or_default();
        let list = |name: &str| reply[name].as_array().cloned().unwrap_or_default();
        let path = |of: &serde_json::Value| of["path"].as_str().unwrap_or_default().to_owned();
        let first: Vec<String> = list("files").iter().map(path).collect();
        let is_definition = |of: &serde_json::Value| {
            let name = of["name"].as_str().unwrap_or_default();
            let expected = question.definition.split_once(':');
            expected.is_some_and(|(file, expected)| {
                path(of) == file && last_of(name) == last_of(expected)
            })
        };
        let shown = |file: &FileId| String::from_utf8_lossy(catalog.path(*file)).into_owned();
        let ndcg_of = |files: Vec<FileId>| {
            let files: Vec<String> = files.iter().take(FILES).map(shown).collect();
            ndcg(files.iter().map(String::as_str), &question.files)
        };
        let bm25 = ndcg_of(self.texts.tree(catalog, true)?.bm25(&question.task));
        let bm25_sources = ndcg_of(self.texts.tree(catalog, false)?.bm25(&question.task));
        if let Some(out) = evidence_out {
            let line = evidence(&code, catalog, question)?;
            let line = serde_json::to_string(&line).unwrap_or_default();
            writeln!(out, "{line}")
                .map_err(|error| Error::new(crate::Kind::Io, format!("evidence: {error}")))?;
        }
        Ok(Measured {
            kind: question.kind.clone(),
            codedb: ndcg(first.iter().map(String::as_str), &question.files),
            bm25,
            bm25_sources,
            definition: list("symbols").iter().position(is_definition),
            tokens: reply["tokens"].as_u64().unwrap_or_default(),
            first,
            task: question.task.clone(),
        })
    }
}

/// Returns the last component of a qualified name.
fn last_of(name: &str) -> &str {
    name.rsplit(['.', ':', '#']).next().unwrap_or(name)
}

/// Returns the signals of the top files and of the graded files.
fn evidence(code: &Local<'_>, catalog: &Catalog, question: &Question) -> Result<CaseEvidence> {
    let task = Task::new(&question.task);
    let weights = &Weights::DEFAULT;
    let (overlay, history) = (code.ranking()?, code.history()?);
    let sources = Sources { catalog, text: overlay.as_deref(), history: history.as_deref() };
    let mut found = gather(sources, &task, weights)?;
    let ranked = rank_files(sources, &mut found, &task, weights, Scope::default())?;
    let mut files = Vec::new();
    let grade = |path: &str| question.files.get(path).copied().unwrap_or_default();
    for (place, of) in ranked.iter().enumerate() {
        let path = String::from_utf8_lossy(catalog.path(of.file)).into_owned();
        if place < RECORDED_MAX || grade(&path) > 0 {
            files.push(FileEvidence {
                values: of.evidence.values(),
                traits: traits(catalog, of.file, Requests::of(&task))?,
                is_expected: grade(&path) > 0,
                grade: grade(&path),
                path,
            });
        }
    }
    for path in question.files.keys() {
        if files.iter().all(|file| file.path != *path) {
            files.push(FileEvidence {
                path: path.clone(),
                values: [0.0; SIGNALS],
                traits: crate::rank::Traits::default(),
                is_expected: true,
                grade: grade(path),
            });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let id = format!("{}: {}", question.kind, question.task);
    let (expected, words, kind) = (question.files.len(), task.words(), task.kind());
    Ok(CaseEvidence { id, expected, words, kind, files })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ndcg_rewards_high_grades_at_high_ranks() {
        let line = r#"{"kind":"how","task":"t","files":{"a":2,"b":1},"definition":"a:T.m"}"#;
        let grades = of_file(line).expect("a question").remove(0).files;
        let of = |files: &[&str]| ndcg(files.iter().copied(), &grades);
        assert_eq!((of(&["a", "b"]), of(&[]), of(&["c"])), (1.0, 0.0, 0.0));
        assert!(of(&["a"]) > of(&["b", "a"]) && of(&["b", "a"]) > of(&["b"]));
        // 3 / log2(3), divided by 3 + 1 / log2(3).
        assert!((of(&["c", "a"]) - 1.892_789 / 3.630_930).abs() < 1e-5);
        let late = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"];
        assert_eq!(of(&late), 0.0);
        assert!(of_file("{}").is_err_and(|error| error.to_string().contains("line 1")));
    }
}
