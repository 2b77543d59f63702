//! Test runs and the results of their tests.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension as _, Row};
use serde::{Deserialize, Serialize};

use super::database::Database;
use super::spelling::{as_printed, spelled};
use crate::error::Result;

/// The outcome of one test.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It passed, also if its failure was expected.
    Passed,
    /// An assertion of the test failed, or it passed although its failure was expected.
    Failed,
    /// It could not be run to its end: its set-up failed, or it crashed.
    Error,
    /// It was not run.
    Skipped,
}

impl Outcome {
    const ALL: [(Outcome, &'static str); 4] = [
        (Outcome::Passed, "passed"),
        (Outcome::Failed, "failed"),
        (Outcome::Error, "error"),
        (Outcome::Skipped, "skipped"),
    ];

    /// Returns the name that is stored.
    pub fn name(self) -> &'static str {
        Outcome::ALL.iter().find(|(outcome, _)| *outcome == self).map_or("error", |(_, name)| name)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The runner reported all of its tests.
    Complete,
    /// The runner ended, but its report is incomplete: tests may be missing.
    Partial,
    /// The runner was killed by a signal or crashed.
    Crashed,
    /// The run was stopped because it took too long.
    TimedOut,
    /// The runner ran no test.
    NoTests,
    /// There was no runner: a caller recorded single results.
    Recorded,
}

impl RunStatus {
    const ALL: [(RunStatus, &'static str); 6] = [
        (RunStatus::Complete, "complete"),
        (RunStatus::Partial, "partial"),
        (RunStatus::Crashed, "crashed"),
        (RunStatus::TimedOut, "timed_out"),
        (RunStatus::NoTests, "no_tests"),
        (RunStatus::Recorded, "recorded"),
    ];

    /// Returns the name that is stored.
    pub fn name(self) -> &'static str {
        RunStatus::ALL
            .iter()
            .find(|(status, _)| *status == self)
            .map_or("partial", |(_, name)| name)
    }
}

/// A run of tests.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Run {
    /// Identifies the run on every machine.
    pub uid: String,
    /// When it began, in milliseconds since 1970.
    pub started_ms: i64,
    /// The commit that was checked out; `None` outside of git, or before the first commit.
    pub commit: Option<String>,
    /// True if the work tree had no changes.
    pub is_clean: bool,
    /// The test runner, such as `pytest`; `manual` if a caller recorded the results.
    pub runner: String,
    /// The command with its arguments.
    pub command: Vec<String>,
    /// The exit code; `None` if the process was killed, or if there was none.
    pub exit_code: Option<i32>,
    /// How it ended.
    pub status: RunStatus,
    /// Its results, in the order of tests and attempts.
    pub results: Vec<TestResult>,
}

/// The result of one attempt of a test.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct TestResult {
    /// The canonical id of the test, with its parameters.
    pub test: String,
    /// The number of the attempt, from 0; more than one if the runner repeats failed tests.
    pub attempt: u32,
    /// The outcome.
    pub outcome: Outcome,
    /// The duration in milliseconds, if the runner reported it.
    pub duration_ms: Option<f64>,
}

/// What is recorded about a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Results that count: passed, failed or error.
    pub results: u64,
    /// How many of them failed or ended with an error.
    pub failures: u64,
    /// Pairs of consecutive results on one commit of a clean tree, or in one run.
    pub pairs: u64,
    /// How many of these pairs differ in their outcome. `flips / pairs` is the flip rate.
    pub flips: u64,
    /// The median of the durations in milliseconds; `None` if none was reported.
    pub duration_ms: Option<f64>,
    /// When the last result was recorded, in milliseconds since 1970.
    pub last_ms: i64,
    /// The last outcome.
    pub last: Option<Outcome>,
    /// Runs with a result that counts.
    pub runs: u64,
    /// When the last failure was recorded, in milliseconds since 1970.
    pub last_failure_ms: Option<i64>,
}

impl Record {
    /// Returns the flip rate, from 0 to 1: how often consecutive results on one commit of a clean
    /// tree, or in one run, differ; `None` if there are no two of them.
    pub fn flip_rate(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.flips as f64 / self.pairs as f64)
    }
}

/// The number of rows of each kind.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    /// Runs.
    pub runs: u64,
    /// Distinct tests.
    pub tests: u64,
    /// Results.
    pub results: u64,
}

impl Database {
    /// Stores a run with its results, in one transaction. A run whose `uid` is known already is not
    /// stored again; returns true if it was stored. O(results).
    ///
    /// # Errors
    ///
    /// If the database cannot be written; nothing is stored then.
    pub fn record(&self, run: &Run) -> Result<bool> {
        self.transaction(|connection| insert(connection, run))
    }

    /// Returns the runs, oldest first, with their results. O(results).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn for_each_run(&self, each: &mut dyn FnMut(Run) -> Result<()>) -> Result<()> {
        let mut statement = self
            .connection
            .prepare(
                "SELECT id, uid, started_ms, commit_id, is_clean, runner, command, exit_code, status
                    FROM run ORDER BY started_ms, id",
            )
            .map_err(|error| self.failure(&error))?;
        let mut rows = statement.query([]).map_err(|error| self.failure(&error))?;
        while let Some(row) = rows.next().map_err(|error| self.failure(&error))? {
            let run = (|| -> rusqlite::Result<Run> {
                let mut run = run_of(row)?;
                run.results = results_of(&self.connection, row.get(0)?)?;
                Ok(run)
            })();
            each(run.map_err(|error| self.failure(&error))?)?;
        }
        Ok(())
    }

    /// Returns the record of every test that has a result, by its id. O(results).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn records(&self) -> Result<HashMap<String, Record>> {
        self.records_where(None)
    }

    /// Returns the record of one test, by its id or by the spelling of its runner; `None` if it has no
    /// result. O(results of the test).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn record_of(&self, test: &str) -> Result<Option<Record>> {
        let test = spelled(test);
        Ok(self.records_where(Some(&test))?.remove(&*test))
    }

    /// Returns the tests that ever failed, each with its failures and its results that count. O(results of
    /// these tests).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn failures(&self) -> Result<Vec<(String, u64, u64)>> {
        let select = "SELECT test.name,
                sum(result.outcome IN ('failed', 'error')), sum(result.outcome <> 'skipped')
            FROM result JOIN test ON test.id = result.test
            WHERE result.test IN (SELECT test FROM result
                WHERE outcome = 'failed' OR outcome = 'error')
            GROUP BY result.test";
        let read = || {
            let mut statement = self.connection.prepare_cached(select)?;
            let rows = statement.query_map([], |row| {
                let count = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
                Ok((row.get(0)?, count(1)?, count(2)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.failure(&error))
    }

    fn records_where(&self, test: Option<&str>) -> Result<HashMap<String, Record>> {
        let printed = test.and_then(as_printed);
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT test.name, result.outcome, result.duration_ms, run.started_ms,
                        run.commit_id, run.is_clean, run.id
                    FROM result JOIN run ON run.id = result.run JOIN test ON test.id = result.test
                    WHERE ?1 IS NULL
                        OR result.test IN (SELECT id FROM test WHERE name IN (?1, ?2))
                    ORDER BY result.test, run.started_ms, run.id, result.attempt",
            )?;
            let rows = statement.query_map((test, printed.as_deref()), |row| {
                Ok(Row7 {
                    test: row.get(0)?,
                    outcome: outcome_of(row.get_ref(1)?.as_str()?),
                    duration_ms: row.get(2)?,
                    started_ms: row.get(3)?,
                    commit: row.get(4)?,
                    is_clean: row.get(5)?,
                    run: row.get(6)?,
                })
            })?;
            let twice = self.spelled_as_printed()?;
            let (mut builder, mut merged) = (Records::default(), Vec::new());
            for row in rows {
                let mut row = row?;
                if let Cow::Owned(canonical) = spelled(&row.test) {
                    row.test = canonical;
                }
                if twice.contains(&row.test) {
                    merged.push(row);
                } else {
                    builder.add(row);
                }
            }
            merged.sort_by(|a, b| a.test.cmp(&b.test).then(a.started_ms.cmp(&b.started_ms)));
            merged.into_iter().for_each(|row| builder.add(row));
            Ok(builder.finish())
        };
        read().map_err(|error: rusqlite::Error| self.failure(&error))
    }

    /// Returns the canonical ids of the tests that are stored as their runners print them, which
    /// earlier versions did. O(tests).
    fn spelled_as_printed(&self) -> rusqlite::Result<HashSet<String>> {
        let mut statement = self
            .connection
            .prepare("SELECT name FROM test WHERE name LIKE '% > %' OR name LIKE '% - %'")?;
        let names = statement.query_map([], |row| row.get::<_, String>(0))?;
        let mut found = HashSet::new();
        for name in names {
            if let Cow::Owned(canonical) = spelled(&name?) {
                found.insert(canonical);
            }
        }
        Ok(found)
    }

    /// Returns how much is recorded. O(results).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn counts(&self) -> Result<Counts> {
        let count = |table: &str| {
            let count = format!("SELECT count(*) FROM {table}");
            let rows = self.connection.query_row(&count, [], |row| row.get::<_, i64>(0));
            rows.map(i64::unsigned_abs).map_err(|error| self.failure(&error))
        };
        Ok(Counts { runs: count("run")?, tests: count("test")?, results: count("result")? })
    }
}

/// A result with what is needed of its run.
struct Row7 {
    test: String,
    outcome: Outcome,
    duration_ms: Option<f64>,
    started_ms: i64,
    commit: Option<String>,
    is_clean: bool,
    run: i64,
}

/// The result of a test before the present one.
struct Previous {
    run: i64,
    /// The commit, if the tree was clean.
    commit: Option<String>,
    has_passed: bool,
}

/// Builds the records from results that are ordered by test and time.
#[derive(Default)]
struct Records {
    records: HashMap<String, Record>,
    test: Option<String>,
    record: Record,
    durations: Vec<f64>,
    /// The previous result of the test that counts.
    previous: Option<Previous>,
}

impl Records {
    fn add(&mut self, row: Row7) {
        if self.test.as_ref() != Some(&row.test) {
            self.close();
            self.test = Some(row.test);
        }
        (self.record.last, self.record.last_ms) = (Some(row.outcome), row.started_ms);
        if row.outcome == Outcome::Skipped {
            return;
        }
        self.durations.extend(row.duration_ms);
        let passed = row.outcome == Outcome::Passed;
        self.record.results += 1;
        self.record.failures += u64::from(!passed);
        if !passed {
            self.record.last_failure_ms = Some(row.started_ms);
        }
        let commit = row.commit.filter(|_| row.is_clean);
        let previous = self.previous.as_ref();
        let is_same_run = previous.is_some_and(|before| before.run == row.run);
        self.record.runs += u64::from(!is_same_run);
        if let Some(before) = previous
            && (is_same_run || commit.is_some() && commit == before.commit)
        {
            self.record.pairs += 1;
            self.record.flips += u64::from(before.has_passed != passed);
        }
        self.previous = Some(Previous { run: row.run, commit, has_passed: passed });
    }

    fn close(&mut self) {
        let Some(test) = self.test.take() else { return };
        let mut record = std::mem::take(&mut self.record);
        self.durations.sort_unstable_by(f64::total_cmp);
        record.duration_ms = self.durations.get(self.durations.len() / 2).copied();
        self.durations.clear();
        self.previous = None;
        self.records.insert(test, record);
    }

    fn finish(mut self) -> HashMap<String, Record> {
        self.close();
        self.records
    }
}

fn insert(connection: &Connection, run: &Run) -> rusqlite::Result<bool> {
    let command = serde_json::to_string(&run.command).unwrap_or_default();
    let inserted = connection.execute(
        "INSERT OR IGNORE INTO run
            (uid, started_ms, commit_id, is_clean, runner, command, exit_code, status)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        (
            &run.uid,
            run.started_ms,
            &run.commit,
            run.is_clean,
            &run.runner,
            command,
            run.exit_code,
            run.status.name(),
        ),
    )?;
    if inserted == 0 {
        return Ok(false);
    }
    let id = connection.last_insert_rowid();
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO result (run, test, attempt, outcome, duration_ms)
            VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for result in &run.results {
        let test = test_id(connection, &spelled(&result.test))?;
        insert.execute((id, test, result.attempt, result.outcome.name(), result.duration_ms))?;
    }
    Ok(true)
}

/// Returns the row of a test, which is added if it is new.
pub(super) fn test_id(connection: &Connection, test: &str) -> rusqlite::Result<i64> {
    let mut find = connection.prepare_cached("SELECT id FROM test WHERE name = ?1")?;
    match find.query_row([test], |row| row.get(0)).optional()? {
        Some(id) => Ok(id),
        None => connection.prepare_cached("INSERT INTO test (name) VALUES (?1)")?.insert([test]),
    }
}

fn run_of(row: &Row<'_>) -> rusqlite::Result<Run> {
    let status = row.get_ref(8)?.as_str()?;
    let named = RunStatus::ALL.iter().find(|(_, name)| *name == status);
    Ok(Run {
        uid: row.get(1)?,
        started_ms: row.get(2)?,
        commit: row.get(3)?,
        is_clean: row.get(4)?,
        runner: row.get(5)?,
        command: serde_json::from_str(row.get_ref(6)?.as_str()?).unwrap_or_default(),
        exit_code: row.get(7)?,
        status: named.map_or(RunStatus::Partial, |(status, _)| *status),
        results: Vec::new(),
    })
}

fn results_of(connection: &Connection, run: i64) -> rusqlite::Result<Vec<TestResult>> {
    let mut statement = connection.prepare_cached(
        "SELECT test.name, attempt, outcome, duration_ms
            FROM result JOIN test ON test.id = result.test
            WHERE run = ?1 ORDER BY test.name, attempt",
    )?;
    let results = statement.query_map([run], |row| {
        Ok(TestResult {
            test: row.get(0)?,
            attempt: row.get(1)?,
            outcome: outcome_of(row.get_ref(2)?.as_str()?),
            duration_ms: row.get(3)?,
        })
    })?;
    results.collect()
}

/// Returns the outcome of a stored name; a name of a newer schema counts as an error of the test.
fn outcome_of(name: &str) -> Outcome {
    Outcome::ALL.iter().find(|(_, other)| *other == name).map_or(Outcome::Error, |(it, _)| *it)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(uid: &str, started_ms: i64, outcomes: &[(&str, Outcome)]) -> Run {
        let results = outcomes
            .iter()
            .map(|&(test, outcome)| TestResult {
                test: test.to_owned(),
                attempt: 0,
                outcome,
                duration_ms: Some(started_ms as f64),
            })
            .collect();
        Run {
            uid: uid.to_owned(),
            started_ms,
            commit: Some("c".to_owned()),
            is_clean: true,
            runner: "pytest".to_owned(),
            command: vec!["pytest".to_owned(), "-q".to_owned()],
            exit_code: Some(0),
            status: RunStatus::Complete,
            results,
        }
    }

    fn database() -> (tempfile::TempDir, Database) {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("data.sqlite")).unwrap();
        (dir, database)
    }

    #[test]
    fn runs_are_read_as_they_were_stored_and_only_once() {
        let (_dir, database) = database();
        let stored = run("1", 10, &[("a::b", Outcome::Passed), ("a::c[x-1]", Outcome::Failed)]);
        assert!(database.record(&stored).unwrap());
        assert!(!database.record(&stored).unwrap(), "a second import changes nothing");
        let mut runs = Vec::new();
        let mut push = |run| {
            runs.push(run);
            Ok(())
        };
        database.for_each_run(&mut push).unwrap();
        assert_eq!(runs, [stored]);
        assert_eq!(database.counts().unwrap(), Counts { runs: 1, tests: 2, results: 2 });
    }

    #[test]
    fn flips_count_on_one_commit_of_a_clean_tree_only() {
        let (_dir, database) = database();
        let (passed, failed) = (Outcome::Passed, Outcome::Failed);
        for (at, outcome) in [passed, failed, Outcome::Skipped, passed].into_iter().enumerate() {
            database.record(&run(&at.to_string(), at as i64, &[("t", outcome)])).unwrap();
        }
        let elsewhere = Run { commit: Some("d".to_owned()), ..run("4", 4, &[("t", failed)]) };
        database.record(&elsewhere).unwrap();
        let dirty = Run { is_clean: false, ..run("5", 5, &[("t", passed)]) };
        database.record(&dirty).unwrap();
        let record = &database.records().unwrap()["t"];
        assert_eq!((record.results, record.failures), (5, 2));
        assert_eq!((record.pairs, record.flips), (2, 2));
        assert_eq!((record.last, record.last_ms), (Some(passed), 5));
        assert_eq!(record.duration_ms, Some(3.0));
        assert_eq!(record.flip_rate(), Some(1.0));
        assert_eq!(database.record_of("t").unwrap().as_ref(), Some(record));
        assert_eq!(database.record_of("u").unwrap(), None);
    }

    #[test]
    fn both_spellings_of_an_id_have_one_record() {
        let (_dir, database) = database();
        let (printed, canonical) = ("a.test.js > mul", "a.test.js::mul");
        database.record(&run("1", 1, &[(canonical, Outcome::Passed)])).unwrap();
        database.record(&run("2", 2, &[(printed, Outcome::Failed)])).unwrap();
        assert_eq!(database.counts().unwrap().tests, 1);
        // A row of an earlier version.
        let earlier = "INSERT INTO test (name) VALUES ('a.test.js > mul');
            UPDATE result SET test = last_insert_rowid() WHERE outcome = 'failed'";
        database.connection.execute_batch(earlier).unwrap();
        for spelling in [printed, canonical] {
            let record = database.record_of(spelling).unwrap().unwrap();
            assert_eq!((record.results, record.failures, record.flips), (2, 1, 1), "{spelling}");
        }
        let records = database.records().unwrap();
        assert_eq!(records.keys().collect::<Vec<_>>(), [canonical]);
        assert_eq!(records[canonical].results, 2);
    }

    #[test]
    fn a_run_that_cannot_be_stored_whole_is_not_stored_in_part() {
        let (_dir, database) = database();
        let broken = "CREATE TRIGGER full BEFORE INSERT ON result WHEN new.outcome = 'failed'
            BEGIN SELECT RAISE(ABORT, 'disk full'); END";
        database.connection.execute_batch(broken).unwrap();
        let run = run("1", 10, &[("a", Outcome::Passed), ("b", Outcome::Failed)]);
        assert!(database.record(&run).is_err());
        assert_eq!(database.counts().unwrap(), Counts::default());
    }

    #[test]
    fn processes_that_record_at_once_lose_nothing() {
        let (dir, _database) = database();
        let path = dir.path().join("data.sqlite");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let database = Database::open(path).unwrap();
                    for at in 0..25 {
                        let uid = format!("{writer}-{at}");
                        database.record(&run(&uid, at, &[("t", Outcome::Passed)])).unwrap();
                    }
                });
            }
        });
        let counts = Database::open(&path).unwrap().counts().unwrap();
        assert_eq!(counts, Counts { runs: 100, tests: 1, results: 100 });
    }
}
