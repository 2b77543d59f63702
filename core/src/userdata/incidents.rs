//! Incidents that were imported from issue trackers.

use rusqlite::Row;
use serde::{Deserialize, Serialize};

use super::database::Database;
use crate::error::Result;

/// An imported incident.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Incident {
    /// Its id in the tracker.
    pub id: String,
    /// Its time in milliseconds since 1970.
    pub at_ms: i64,
    /// Its title.
    pub title: String,
    /// Its severity, as the tracker names it.
    #[serde(default)]
    pub severity: Option<String>,
    /// The repository paths of the files that it concerns.
    #[serde(default)]
    pub files: Vec<String>,
    /// The commit that caused or fixed it.
    #[serde(default)]
    pub commit: Option<String>,
}

impl Database {
    /// Adds incidents in one transaction; one with a known id replaces the stored one. Returns how
    /// many were new.
    ///
    /// # Errors
    ///
    /// If the database cannot be written; nothing is stored then.
    pub fn add_incidents(&self, incidents: &[Incident]) -> Result<usize> {
        self.transaction(|connection| {
            let mut new = 0;
            for it in incidents {
                let files = it.files.join("\n");
                let known: bool = connection
                    .prepare_cached("SELECT EXISTS (SELECT 1 FROM incident WHERE id = ?1)")?
                    .query_row([&it.id], |row| row.get(0))?;
                new += usize::from(!known);
                connection
                    .prepare_cached(
                        "INSERT OR REPLACE INTO incident
                            (id, at_ms, title, severity, files, commit_id)
                            VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    )?
                    .execute((&it.id, it.at_ms, &it.title, &it.severity, files, &it.commit))?;
            }
            Ok(new)
        })
    }

    /// Returns the imported incidents, newest first. O(their number).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn incidents(&self) -> Result<Vec<Incident>> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT id, at_ms, title, severity, files, commit_id FROM incident
                    ORDER BY at_ms DESC, id",
            )?;
            let rows = statement.query_map([], incident_of)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.failure(&error))
    }
}

fn incident_of(row: &Row<'_>) -> rusqlite::Result<Incident> {
    let files: String = row.get(4)?;
    Ok(Incident {
        id: row.get(0)?,
        at_ms: row.get(1)?,
        title: row.get(2)?,
        severity: row.get(3)?,
        files: files.lines().map(str::to_owned).collect(),
        commit: row.get(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_incident_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("data.sqlite")).unwrap();
        let incident = |id: &str, at_ms: i64| Incident {
            id: id.to_owned(),
            at_ms,
            title: "It broke".to_owned(),
            severity: None,
            files: vec!["a.rs".to_owned(), "b.rs".to_owned()],
            commit: None,
        };
        assert_eq!(database.add_incidents(&[incident("1", 5), incident("2", 6)]).unwrap(), 2);
        assert_eq!(database.add_incidents(&[incident("1", 9)]).unwrap(), 0);
        assert_eq!(database.incidents().unwrap(), [incident("1", 9), incident("2", 6)]);
    }
}
