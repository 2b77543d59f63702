//! Investigations that clients drive call by call: the state is stored between the calls, so that it
//! outlives the server, and the cap on steps holds for all of them together.

use rusqlite::OptionalExtension as _;

use super::database::Database;
use crate::error::Result;

/// How long the state of an investigation is kept, in milliseconds.
pub const KEPT_MS: i64 = 24 * 3600 * 1000;

/// The maximum number of investigations that are kept; the oldest are removed first.
const KEPT_MAX: i64 = 200;

impl Database {
    /// Stores the state of a new investigation and returns its handle; old ones are removed.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn begin_investigation(&self, state: &str, now_ms: i64) -> Result<i64> {
        self.transaction(|connection| {
            connection
                .execute("DELETE FROM investigation WHERE started_ms < ?1", [now_ms - KEPT_MS])?;
            connection.execute(
                "INSERT INTO investigation (state, started_ms) VALUES (?1, ?2)",
                (state, now_ms),
            )?;
            let handle = connection.last_insert_rowid();
            connection.execute(
                "DELETE FROM investigation WHERE handle NOT IN
                    (SELECT handle FROM investigation ORDER BY handle DESC LIMIT ?1)",
                [KEPT_MAX],
            )?;
            Ok(handle)
        })
    }

    /// Returns the state of an investigation; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn investigation(&self, handle: i64) -> Result<Option<String>> {
        let found = self
            .connection
            .query_row("SELECT state FROM investigation WHERE handle = ?1", [handle], |row| {
                row.get(0)
            })
            .optional();
        found.map_err(|error| self.failure(&error))
    }

    /// Replaces the state `before` of an investigation by `after`. Returns false if it is another one
    /// by now: two calls ran at once.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn advance_investigation(&self, handle: i64, before: &str, after: &str) -> Result<bool> {
        let update = "UPDATE investigation SET state = ?3 WHERE handle = ?1 AND state = ?2";
        self.transaction(|connection| Ok(connection.execute(update, (handle, before, after))? == 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_calls_at_once_one_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("data.sqlite")).unwrap();
        let first = database.begin_investigation("1", 0).unwrap();
        assert!(database.advance_investigation(first, "1", "2").unwrap());
        assert!(!database.advance_investigation(first, "1", "3").unwrap());
        assert_eq!(database.investigation(first).unwrap().as_deref(), Some("2"));
        let second = database.begin_investigation("1", KEPT_MS + 1).unwrap();
        assert_eq!(database.investigation(first).unwrap(), None, "it is old");
        assert_ne!(first, second);
    }
}
