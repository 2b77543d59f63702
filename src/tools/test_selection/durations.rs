//! The recorded durations of tests.

use std::collections::HashMap;

use crate::error::Result;
use crate::reports::ids::without_parameters;
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::recorded::key;
use crate::tools::Call;

/// The durations of recorded tests, parameter sets added up.
#[derive(Default)]
pub(super) struct Durations {
    /// In milliseconds, by id without parameters.
    by_test: HashMap<String, f64>,
    /// The median; 0 if there is none.
    median_ms: f64,
}

impl Durations {
    /// Returns the recorded durations; none if there is no database. O(recorded tests).
    ///
    /// # Errors
    ///
    /// If a database that could be opened cannot be read.
    pub(super) fn of(call: &Call<'_>) -> Result<Durations> {
        // A database that cannot be opened is reported with the coverage.
        let Ok(Some(database)) = call.code.user_data() else { return Ok(Durations::default()) };
        let mut by_test: HashMap<String, f64> = HashMap::new();
        let records: std::collections::BTreeMap<_, _> = database.records()?.into_iter().collect();
        for (id, record) in records {
            if let Some(duration) = record.duration_ms {
                *by_test.entry(without_parameters(&id).to_owned()).or_default() += duration;
            }
        }
        let mut all: Vec<f64> = by_test.values().copied().collect();
        all.sort_by(f64::total_cmp);
        let median_ms = all.get(all.len() / 2).copied().unwrap_or_default();
        Ok(Durations { by_test, median_ms })
    }

    /// Returns the duration of a test relative to the median; 1 if it is not known.
    pub(super) fn cost(&self, tests: &Tests<'_>, at: TestAt) -> f32 {
        if self.median_ms <= 0.0 {
            return 1.0;
        }
        let test = tests.get(at);
        let id = test.map(|test| key(&tests.tree().path(at.file), &test));
        let duration = id.and_then(|id| self.by_test.get(&id));
        // Starting a test costs something, too.
        duration.map_or(1.0, |duration| (duration / self.median_ms).max(0.5) as f32)
    }
}
