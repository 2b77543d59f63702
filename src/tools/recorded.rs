//! What test runs recorded about files: imported coverage and results.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Call;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::userdata::coverage::{CoveredSymbol, body_hash};
use crate::userdata::runs::Record;

/// The maximum size in bytes of a file whose coverage is looked up.
const BYTES_MAX: usize = 4 << 20;

/// The records of a repository.
#[derive(Default)]
pub(super) struct Recorded {
    /// The coverage of functions, by path.
    coverage: BTreeMap<String, Vec<CoveredSymbol>>,
    /// The results of each test.
    results: HashMap<String, Record>,
}

/// The coverage of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FileCoverage {
    /// The share of the lines of its functions that were executed, from 0 to 1. Of a function for which
    /// only the executed lines are known, all lines count as executed.
    pub(super) covered: f64,
    /// The tests that execute it.
    pub(super) tests: BTreeSet<String>,
}

impl Recorded {
    /// Returns what is recorded; nothing if there is no database. O(records).
    ///
    /// # Errors
    ///
    /// If the database is damaged or cannot be read.
    pub(super) fn of(call: &Call<'_>) -> Result<Recorded> {
        let Some(database) = call.code.user_data()? else { return Ok(Recorded::default()) };
        let mut recorded = Recorded { results: database.records()?, ..Recorded::default() };
        database.for_each_covered(None, &mut |symbol| {
            recorded.coverage.entry(symbol.path.clone()).or_default().push(symbol);
            Ok(())
        })?;
        Ok(recorded)
    }

    /// Returns true if coverage was imported.
    pub(super) fn has_coverage(&self) -> bool {
        !self.coverage.is_empty()
    }

    /// Returns the coverage of a file: that of the functions whose text is the one that was covered.
    /// `None` if none is. O(text + coverage of the file).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub(super) fn coverage_of(
        &self,
        catalog: &Catalog,
        file: FileId,
    ) -> Result<Option<FileCoverage>> {
        let path = String::from_utf8_lossy(catalog.path(file));
        let Some(stored) = self.coverage.get(path.as_ref()) else { return Ok(None) };
        let (Some(facts), Some(text)) =
            (catalog.facts(file)?, catalog.read_as_indexed(file, BYTES_MAX))
        else {
            return Ok(None);
        };
        let bodies: BTreeSet<(&str, u64)> = facts
            .symbols
            .iter()
            .filter_map(|symbol| {
                let body = text.get(symbol.span.clone())?;
                Some((symbol.qualified_name.as_str(), body_hash(body)))
            })
            .collect();
        let (mut lines, mut covered, mut tests) = (0.0, 0.0, BTreeSet::new());
        for symbol in stored.iter().filter(|it| bodies.contains(&(it.name.as_str(), it.body))) {
            let executed = f64::from(u8::from(!symbol.covered.is_empty()));
            let weight = symbol.executable.len().max(symbol.covered.len()).max(1) as f64;
            lines += weight;
            covered += weight * symbol.share().unwrap_or(executed);
            tests.extend(symbol.tests.keys().cloned());
        }
        Ok((lines > 0.0).then(|| FileCoverage { covered: covered / lines, tests }))
    }

    /// Returns the mean instability of tests that have results: the greater of failure rate and flip
    /// rate of each. `None` if none has. `tests` are ids, or paths of files with tests.
    pub(super) fn instability<'a>(&self, tests: impl Iterator<Item = &'a str>) -> Option<f64> {
        if self.results.is_empty() {
            return None;
        }
        let (mut sum, mut count) = (0.0, 0_usize);
        for test in tests {
            let exact = self.results.get(test).into_iter();
            let is_inside =
                |id: &str| id.strip_prefix(test).is_some_and(|rest| rest.starts_with("::"));
            let mut inside: Vec<(&String, &Record)> =
                self.results.iter().filter(|(id, _)| is_inside(id)).collect();
            // Sums of floats depend on their order.
            inside.sort_unstable_by_key(|(id, _)| *id);
            let inside = inside.into_iter().map(|(_, record)| record);
            for record in exact.chain(inside).filter(|record| record.results > 0) {
                let failures = record.failures as f64 / record.results as f64;
                let flips = record.flips as f64 / record.pairs.max(1) as f64;
                sum += failures.max(flips);
                count += 1;
            }
        }
        (count > 0).then(|| sum / count as f64)
    }
}
