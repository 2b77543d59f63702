//! Verdicts on changes that clients gave, with what people said about them later. They are kept here,
//! never in the repository.

use super::database::Database;
use crate::error::Result;

/// The maximum number of verdicts that are kept; the oldest are removed first.
const KEPT_MAX: i64 = 10_000;

/// A verdict on the change of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenVerdict {
    /// The repository path.
    pub path: String,
    /// Identifies the change: a hash of its lines.
    pub change: String,
    /// The name of the level.
    pub level: String,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasoning: String,
    /// When it was given, in milliseconds since 1970.
    pub at_ms: i64,
}

/// A verdict that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptVerdict {
    /// Identifies it.
    pub id: i64,
    /// The verdict.
    pub given: GivenVerdict,
    /// What people said about it, if they did.
    pub is_right: Option<bool>,
}

/// How many verdicts are kept, and what people said about them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct VerdictCounts {
    /// All that are kept.
    pub given: u32,
    /// Those that were said to be right.
    pub right: u32,
    /// Those that were said to be wrong.
    pub wrong: u32,
}

impl Database {
    /// Keeps a verdict and returns its id; the oldest ones beyond 10,000 are removed.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn keep_verdict(&self, of: &GivenVerdict) -> Result<i64> {
        self.transaction(|connection| {
            connection.execute(
                "INSERT INTO verdict (path, change, level, confidence, reasoning, at_ms)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                (&of.path, &of.change, &of.level, of.confidence, &of.reasoning, of.at_ms),
            )?;
            let id = connection.last_insert_rowid();
            connection.execute("DELETE FROM verdict WHERE id <= ?1", [id - KEPT_MAX])?;
            Ok(id)
        })
    }

    /// Returns the verdicts on a change of a file, the newest first.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn verdicts(&self, path: &str, change: &str) -> Result<Vec<KeptVerdict>> {
        let query = "SELECT id, level, confidence, reasoning, at_ms, is_right FROM verdict
            WHERE path = ?1 AND change = ?2 ORDER BY id DESC";
        let run = || {
            let mut statement = self.connection.prepare(query)?;
            let rows = statement.query_map([path, change], |row| {
                let given = GivenVerdict {
                    path: path.to_owned(),
                    change: change.to_owned(),
                    level: row.get(1)?,
                    confidence: row.get(2)?,
                    reasoning: row.get(3)?,
                    at_ms: row.get(4)?,
                };
                Ok(KeptVerdict { id: row.get(0)?, given, is_right: row.get(5)? })
            })?;
            rows.collect::<rusqlite::Result<Vec<KeptVerdict>>>()
        };
        run().map_err(|error| self.failure(&error))
    }

    /// Stores whether a verdict was right. Returns false if there is none with this id.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn rate_verdict(&self, id: i64, is_right: bool) -> Result<bool> {
        let update = "UPDATE verdict SET is_right = ?2 WHERE id = ?1";
        let changed = self.transaction(|connection| connection.execute(update, (id, is_right)))?;
        Ok(changed > 0)
    }

    /// Returns how many verdicts are kept and rated.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn verdict_counts(&self) -> Result<VerdictCounts> {
        let query = "SELECT count(*), count(*) FILTER (WHERE is_right = 1),
            count(*) FILTER (WHERE is_right = 0) FROM verdict";
        let found = self.connection.query_row(query, [], |row| {
            Ok(VerdictCounts { given: row.get(0)?, right: row.get(1)?, wrong: row.get(2)? })
        });
        found.map_err(|error| self.failure(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_belong_to_one_change_and_can_be_rated() {
        let database = Database::in_memory().unwrap();
        let given = |change: &str| GivenVerdict {
            path: "a.py".to_owned(),
            change: change.to_owned(),
            level: "HIGH".to_owned(),
            confidence: 0.7,
            reasoning: "r".to_owned(),
            at_ms: 1,
        };
        let id = database.keep_verdict(&given("x")).unwrap();
        database.keep_verdict(&given("y")).unwrap();
        assert!(database.rate_verdict(id, false).unwrap());
        assert!(!database.rate_verdict(99, true).unwrap());
        let expected = KeptVerdict { id, given: given("x"), is_right: Some(false) };
        assert_eq!(database.verdicts("a.py", "x").unwrap(), [expected]);
        assert_eq!(database.verdicts("b.py", "x").unwrap(), []);
        let counts = VerdictCounts { given: 2, right: 0, wrong: 1 };
        assert_eq!(database.verdict_counts().unwrap(), counts);
    }
}
