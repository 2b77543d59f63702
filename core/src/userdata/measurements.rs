//! What `codedb eval risk` measured on the repository, for the replies that show the score.

use rusqlite::OptionalExtension as _;

use super::database::Database;
use crate::error::Result;

/// How well the score of a change ranks past commits of the repository.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiskMeasurement {
    /// When it was measured, in milliseconds since 1970.
    pub measured_ms: i64,
    /// The commits that were scored.
    pub commits: u32,
    /// Those of them that were corrected or reverted later.
    pub faulty: u32,
    /// The areas under the curves (AUC) of the score and of the number of added lines; `None` if there are
    /// too few commits to state them.
    pub auc: Option<(f64, f64)>,
}

impl Database {
    /// Stores a measurement in place of the previous one.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn set_risk_measurement(&self, of: &RiskMeasurement) -> Result<()> {
        let (score, added) = of.auc.unzip();
        let values = (of.measured_ms, of.commits, of.faulty, score, added);
        self.transaction(|connection| {
            connection.execute(
                "REPLACE INTO risk_measurement (one, measured_ms, commits, faulty, auc, auc_added)
                    VALUES (1, ?1, ?2, ?3, ?4, ?5)",
                values,
            )?;
            Ok(())
        })
    }

    /// Returns the last measurement, if there is one.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn risk_measurement(&self) -> Result<Option<RiskMeasurement>> {
        let query = "SELECT measured_ms, commits, faulty, auc, auc_added FROM risk_measurement";
        let found = self.connection.query_row(query, [], |row| {
            let auc: (Option<f64>, Option<f64>) = (row.get(3)?, row.get(4)?);
            Ok(RiskMeasurement {
                measured_ms: row.get(0)?,
                commits: row.get(1)?,
                faulty: row.get(2)?,
                auc: auc.0.zip(auc.1),
            })
        });
        found.optional().map_err(|error| self.failure(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_measurement_is_returned() {
        let database = Database::in_memory().expect("memory");
        assert_eq!(database.risk_measurement().expect("readable"), None);
        let first = RiskMeasurement { measured_ms: 1, commits: 9, faulty: 2, auc: None };
        let second = RiskMeasurement { measured_ms: 2, auc: Some((0.75, 0.5)), ..first };
        for of in [first, second, first] {
            database.set_risk_measurement(&of).expect("writable");
            assert_eq!(database.risk_measurement().expect("readable"), Some(of));
        }
    }
}
