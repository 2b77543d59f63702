//! How often tests failed according to recorded runs. A test that failed often is run first; the probability
//! that it executes a definition does not change.

use rustc_hash::FxHashMap;

use super::detect::Test;
use super::recorded::{canonical, key, key_of_id};
use crate::catalog::code::Code;
use crate::error::Result;
use crate::userdata::Database;

/// The name of the component.
pub const NAME: &str = "failure_rate";

/// How much the rate raises the order: a test that always failed comes before one that is more likely by
/// this.
pub const WEIGHT: f32 = 0.1;

/// The failure rates of the tests that ever failed, by the keys of tests.
#[derive(Clone, Debug, Default)]
pub struct Failing(FxHashMap<String, f32>);

impl Failing {
    /// Returns the rates that a tree has recorded; none if they cannot be read. O(results of tests that
    /// failed).
    pub fn of(code: &dyn Code) -> Failing {
        let read = || -> Result<Failing> {
            code.user_data()?.map_or(Ok(Failing::default()), |database| Failing::read(&database))
        };
        read().unwrap_or_else(|error| {
            log::debug!("tests are selected without recorded failures: {error}");
            Failing::default()
        })
    }

    /// Returns the rates of a database.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn read(database: &Database) -> Result<Failing> {
        let mut counts: FxHashMap<String, (u64, u64)> = FxHashMap::default();
        for (id, failures, results) in database.failures()? {
            // Parameter sets are one test.
            let count = counts.entry(key_of_id(&id)).or_default();
            count.0 += failures;
            count.1 += results;
        }
        // One failure of one result is weak evidence.
        let rate = |(failures, results): (u64, u64)| failures as f32 / (results + 1) as f32;
        Ok(Failing(counts.into_iter().map(|(key, counts)| (key, rate(counts))).collect()))
    }

    /// Returns the rate of a test, from 0 to 1; 0 if no failure is recorded.
    pub fn rate(&self, path: &str, test: &Test) -> f32 {
        if self.0.is_empty() {
            return 0.0;
        }
        let found = self.0.get(&key(path, test)).or_else(|| self.0.get(&canonical(path, test)));
        found.copied().unwrap_or_default()
    }
}
