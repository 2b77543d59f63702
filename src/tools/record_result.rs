//! `record_result`: records the result of one test that the caller ran.
//!
//! `codedb run` records whole runs, with less effort.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::analysis::{self, Data};
use super::{Call, Define, Effect, Needs, Toolset};
use crate::answer::analysis::Analysis;
use crate::answer::nearest;
use crate::answer::style::Style;
use crate::base::text::plain;
use crate::error::{Error, Result};
use crate::testmap::fixtures::Tests;
use crate::testmap::recorded::Recorded as TestIds;
use crate::userdata::Database;
use crate::userdata::runs::{Outcome, Record, Run, RunStatus, TestResult};
use crate::userdata::spelling::spelled;

/// The maximum length of an id in bytes.
const ID_BYTES_MAX: usize = 4096;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct RecordResult;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The id of the test: `FILE::NAME` with its parameters, or as its runner prints it
    pub test_id: String,
    /// Whether it passed
    pub passed: bool,
    /// Its duration in milliseconds
    pub duration_ms: Option<u64>,
}

/// What is recorded about the test.
#[derive(Clone, Debug, Serialize)]
pub struct Recorded {
    /// The test.
    pub test_id: String,
    /// The outcome that was recorded.
    pub outcome: Outcome,
    /// The number of its results, without skips.
    pub results: u64,
    /// How many of them failed.
    pub failures: u64,
    /// Pairs of consecutive results on one commit of a clean tree.
    pub pairs: u64,
    /// How many of the pairs differ.
    pub flips: u64,
    /// `flips` / `pairs`: how unstable the test is, from 0 to 1; absent without pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flip_rate: Option<f64>,
    /// The shard that owns the test, if `shards.toml` names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
}

impl Define for RecordResult {
    const NAME: &'static str = "codedb_record_result";
    const SUMMARY: &'static str = "Record the result of a test that was run";
    const DETAILS: &'static str = "Stores it in the user's data with the present commit, and returns \
         how often the test ran, failed, and changed its outcome on one commit. `codedb run -- \
         COMMAND` records all tests of a run.";
    const EFFECT: Effect = Effect::Records;
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::Files;
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"test_id": "tests/cart_test.rs::a_coupon_takes_its_share", "passed": true, "duration_ms": 12}"#,
    ];
    const POSITIONAL: &'static [&'static str] = &["test_id"];
    type Args = Args;
    type Reply = Analysis<Recorded>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<Recorded>> {
        let test = args.test_id.trim().to_owned();
        if test.is_empty() || test.len() > ID_BYTES_MAX {
            return Err(Error::usage("`test_id` is empty or longer than 4,096 bytes")
                .with_hint("the id is `FILE::NAME`, such as `tests/test_a.py::test_b`"));
        }
        let database = call.code.create_user_data()?;
        let (test, notice) = named(call, &database, test);
        let shard = analysis::shards(call)?.of_test(&test).map(str::to_owned);
        let (commit, is_clean) = state(call);
        let outcome = if args.passed { Outcome::Passed } else { Outcome::Failed };
        let identity = format!("{} {} {test}", call.now_ns, std::process::id());
        let result = TestResult {
            test: test.clone(),
            attempt: 0,
            outcome,
            duration_ms: args.duration_ms.map(|ms| ms as f64),
        };
        database.record(&Run {
            uid: format!("{:032x}", xxh3_128(identity.as_bytes())),
            started_ms: call.now_ns / 1_000_000,
            commit,
            is_clean,
            runner: "manual".to_owned(),
            command: Vec::new(),
            exit_code: None,
            status: RunStatus::Recorded,
            results: vec![result],
        })?;
        let record = database.record_of(&test)?.unwrap_or_default();
        let Record { results, failures, pairs, flips, .. } = record;
        let flip_rate = record.flip_rate();
        let test_id = test;
        let mut reply = Analysis::of(Recorded {
            test_id,
            outcome,
            results,
            failures,
            pairs,
            flips,
            flip_rate,
            shard,
        });
        reply.message = notice;
        Ok(reply)
    }
}

/// Returns the id under which the result of the test `given` is recorded, and a notice if the tree
/// has no such test. Without an index of the whole tree, this is not known.
fn named(call: &Call<'_>, database: &Database, given: String) -> (String, Option<String>) {
    let as_given = |given: String| (spelled(&given).into_owned(), None);
    let Ok(catalog) = call.code.catalog(&[]) else { return as_given(given) };
    let tests = Tests::new(catalog);
    let recorded = TestIds::new(&tests, database);
    if let Some(canonical) = recorded.canonical(&given) {
        return (canonical, None);
    }
    if !catalog.missing().is_empty() {
        return as_given(given);
    }
    let similar = recorded.similar(&given);
    let nearest = nearest::among(similar.iter().map(|id| id.as_bytes()), given.as_bytes());
    let suggestion =
        nearest.first().map(|&at| format!("; did you mean `{}`?", plain(&similar[at])));
    let notice = format!("no test of this tree has this id{}", suggestion.unwrap_or_default());
    (spelled(&given).into_owned(), Some(notice))
}

/// Returns the present commit, and whether the tree has no changes. A failure of git counts as a
/// change.
fn state(call: &Call<'_>) -> (Option<String>, bool) {
    let Some(git) = call.code.git() else { return (None, false) };
    let commit = git.commit("HEAD").ok().flatten();
    let is_clean = commit
        .as_ref()
        .is_some_and(|commit| git.changes_since(commit).is_ok_and(|changes| changes.is_empty()));
    (commit, is_clean)
}

impl Data for Recorded {
    fn render(&self, _: &dyn Style, out: &mut String) {
        let Recorded { test_id, outcome, results, failures, pairs, flips, .. } = self;
        let (test, outcome) = (plain(test_id), outcome.name());
        let _ = writeln!(out, "{test}  {outcome}  {failures} of {results} results failed");
        if *pairs > 0 {
            let _ = writeln!(out, "{flips} of {pairs} repetitions on one commit differ");
        }
    }
}
