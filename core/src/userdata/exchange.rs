//! Export and import of a database as JSON Lines, one object per line with its `kind`.
//!
//! An import adds what is missing: runs by their `uid`, coverage by function and text. It is one transaction per line, so that an
//! interrupted import can be repeated. Jobs are not exported. Locks are exported for readers only; they are never imported,
//! because their holders are processes of another machine. Imported decisions are candidates: an export
//! can come from anybody.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};

use super::coverage::CoveredSymbol;
use super::database::Database;
use super::decisions::{Decision, Filter};
use super::incidents::Incident;
use super::locks::Lock;
use super::runs::Run;
use crate::error::{Error, Result};

/// The maximum length of a line in bytes; a run with a million results has about a tenth of it.
const LINE_BYTES_MAX: u64 = 1 << 30;

/// The version of the format.
const VERSION: u32 = 1;

/// A line of an export.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    /// The first line.
    Codedb {
        version: u32,
    },
    Run(Run),
    Coverage(CoveredSymbol),
    Incident(Incident),
    Decision(Box<Decision>),
    Lock(Lock),
}

/// What an import did.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Imported {
    /// Runs that were added.
    pub runs: u64,
    /// Runs that were known already.
    pub known: u64,
    /// Functions with coverage, new or known.
    pub functions: u64,
    /// Incidents, new or known.
    pub incidents: u64,
    /// Decisions that were added, as candidates; known ones are not counted.
    pub decisions: u64,
    /// Lines that were ignored: locks.
    pub ignored: u64,
}

/// Writes everything that is recorded. O(results).
///
/// # Errors
///
/// If the database cannot be read, or `out` cannot be written.
pub fn export(database: &Database, out: &mut dyn Write, now_ms: i64) -> Result<()> {
    let mut write = |line: &Line| {
        serde_json::to_writer(&mut *out, line)
            .map_err(std::io::Error::from)
            .and_then(|()| out.write_all(b"\n"))
            .map_err(|error| Error::io(database.path(), error))
    };
    write(&Line::Codedb { version: VERSION })?;
    database.for_each_run(&mut |run| write(&Line::Run(run)))?;
    database.for_each_covered(None, &mut |symbol| write(&Line::Coverage(symbol)))?;
    database.incidents()?.into_iter().try_for_each(|incident| write(&Line::Incident(incident)))?;
    let decisions = database.decisions(&Filter::default())?;
    decisions.into_iter().try_for_each(|it| write(&Line::Decision(Box::new(it))))?;
    database.locks(now_ms)?.into_iter().try_for_each(|lock| write(&Line::Lock(lock)))
}

/// Adds what an export contains. O(bytes of the export).
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the number of the first line that is not one of an export; the lines
/// before it are imported. If the database cannot be written.
pub fn import(database: &Database, input: &mut dyn BufRead, now_ms: i64) -> Result<Imported> {
    let mut imported = Imported::default();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let read = std::io::Read::take(&mut *input, LINE_BYTES_MAX).read_until(b'\n', &mut line);
        if read.map_err(|error| Error::usage(format!("line {number}: {error}")))? == 0 {
            break;
        }
        let parsed = serde_json::from_slice(&line).map_err(|error| {
            Error::usage(format!("line {number} is not a line of an export: {error}"))
                .with_hint("`codedb data export` writes the expected format")
        })?;
        match parsed {
            Line::Codedb { version } if version > VERSION => {
                return Err(Error::usage(format!(
                    "line {number}: exported by a newer codedb (format {version}; this one \
                     supports {VERSION})"
                )));
            }
            Line::Codedb { .. } => {}
            Line::Run(run) if database.record(&run)? => imported.runs += 1,
            Line::Run(_) => imported.known += 1,
            Line::Coverage(symbol) => {
                database.add_coverage(&[symbol], now_ms)?;
                imported.functions += 1;
            }
            Line::Incident(incident) => {
                database.add_incidents(&[incident])?;
                imported.incidents += 1;
            }
            Line::Decision(it) => {
                imported.decisions += database.add_decisions(None, &[*it])? as u64;
            }
            Line::Lock(_) => imported.ignored += 1,
        }
    }
    Ok(imported)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::userdata::locks::Request;
    use crate::userdata::runs::{Counts, Outcome, RunStatus, TestResult};

    fn filled(path: &std::path::Path) -> Database {
        let database = Database::open(path).unwrap();
        for at in 0..3 {
            let result = TestResult {
                test: format!("tests/test_a.py::test[é-\n-{at}]"),
                attempt: 1,
                outcome: Outcome::Error,
                duration_ms: Some(0.1 + f64::from(at)),
            };
            let run = Run {
                uid: at.to_string(),
                started_ms: i64::from(at),
                commit: None,
                is_clean: false,
                runner: "pytest".to_owned(),
                command: vec!["pytest".to_owned(), String::new()],
                exit_code: None,
                status: RunStatus::Crashed,
                results: vec![result],
            };
            database.record(&run).unwrap();
        }
        let symbol = CoveredSymbol {
            path: "a.py".to_owned(),
            name: "f".to_owned(),
            body: u64::MAX,
            rest: Some(3),
            executable: [1, 70].into(),
            covered: [70].into(),
            is_whole: true,
            tests: [("tests/test_a.py::t".to_owned(), 1)].into(),
        };
        database.add_coverage(&[symbol], 0).unwrap();
        let incident = Incident {
            id: "1".to_owned(),
            at_ms: 2,
            title: "It broke".to_owned(),
            severity: None,
            files: vec!["a.py".to_owned()],
            commit: None,
        };
        database.add_incidents(&[incident]).unwrap();
        let request = Request { path: "a", holder: "b", purpose: None, ttl_ms: 10 };
        database.acquire(&request, 0).unwrap().unwrap();
        database
    }

    #[test]
    fn an_import_restores_an_export_and_can_be_repeated() {
        let dir = tempfile::tempdir().unwrap();
        let source = filled(&dir.path().join("source.sqlite"));
        let mut text = Vec::new();
        export(&source, &mut text, 0).unwrap();
        let target = Database::open(&dir.path().join("target.sqlite")).unwrap();
        let first = import(&target, &mut text.as_slice(), 5).unwrap();
        assert_eq!(
            first,
            Imported { runs: 3, known: 0, functions: 1, incidents: 1, decisions: 0, ignored: 1 }
        );
        let second = import(&target, &mut text.as_slice(), 5).unwrap();
        assert_eq!(
            second,
            Imported { runs: 0, known: 3, functions: 1, incidents: 1, decisions: 0, ignored: 1 }
        );
        let (mut before, mut after) = (Vec::new(), Vec::new());
        export(&source, &mut before, 100).unwrap();
        export(&target, &mut after, 100).unwrap();
        assert_eq!(before, after);
    }

    #[test]
    fn a_bad_line_is_named_and_loses_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let source = filled(&dir.path().join("source.sqlite"));
        let mut text = Vec::new();
        export(&source, &mut text, 0).unwrap();
        text.truncate(text.len() - 20);
        let target = Database::open(&dir.path().join("target.sqlite")).unwrap();
        let error = import(&target, &mut text.as_slice(), 5).unwrap_err();
        assert!(error.to_string().starts_with("line 7 is not a line of an export"), "{error}");
        assert_eq!(target.counts().unwrap(), Counts { runs: 3, tests: 4, results: 3 });
        let newer: &[u8] = b"{\"kind\":\"codedb\",\"version\":2}\n";
        assert!(import(&target, &mut &newer[..], 5).is_err());
    }
}
