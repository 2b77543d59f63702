//! Locks: one holder announces that it works on a path, for a limited time. A lock is advice among
//! agents that share a tree; it does not keep anybody from writing.

use rusqlite::{OptionalExtension as _, Row};
use serde::{Deserialize, Serialize};

use super::database::Database;
use crate::error::Result;

/// The longest time to live in milliseconds: one day.
pub const TTL_MS_MAX: i64 = 24 * 60 * 60 * 1000;

/// A lock.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Lock {
    /// The repository path of a file or directory.
    pub path: String,
    /// Who holds it.
    pub holder: String,
    /// Why, in the holder's words.
    pub purpose: Option<String>,
    /// When it was acquired, in milliseconds since 1970.
    pub acquired_ms: i64,
    /// When it ends unless it is refreshed, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// A request for a lock.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The repository path.
    pub path: &'a str,
    /// The caller.
    pub holder: &'a str,
    /// Why.
    pub purpose: Option<&'a str>,
    /// The time to live in milliseconds; at most [`TTL_MS_MAX`].
    pub ttl_ms: i64,
}

impl Database {
    /// Acquires a lock, or refreshes one that `request.holder` has already. Returns the lock of the
    /// other holder if there is one that has not expired.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn acquire(
        &self,
        request: &Request<'_>,
        now_ms: i64,
    ) -> Result<std::result::Result<Lock, Lock>> {
        let expires_ms = now_ms.saturating_add(request.ttl_ms.clamp(0, TTL_MS_MAX));
        self.transaction(|connection| {
            let select = "SELECT path, holder, purpose, acquired_ms, expires_ms FROM lock
                WHERE path = ?1 AND expires_ms > ?2";
            let present =
                connection.query_row(select, (request.path, now_ms), lock_of).optional()?;
            if let Some(other) = present.as_ref().filter(|lock| lock.holder != request.holder) {
                return Ok(Err(other.clone()));
            }
            let lock = Lock {
                path: request.path.to_owned(),
                holder: request.holder.to_owned(),
                purpose: request
                    .purpose
                    .map(str::to_owned)
                    .or_else(|| present.as_ref().and_then(|lock| lock.purpose.clone())),
                acquired_ms: present.map_or(now_ms, |lock| lock.acquired_ms),
                expires_ms,
            };
            connection.execute(
                "INSERT OR REPLACE INTO lock (path, holder, purpose, acquired_ms, expires_ms)
                    VALUES (?1, ?2, ?3, ?4, ?5)",
                (&lock.path, &lock.holder, &lock.purpose, lock.acquired_ms, lock.expires_ms),
            )?;
            Ok(Ok(lock))
        })
    }

    /// Extends a lock that `request.holder` has, and returns it; `None` if there is none, or if it
    /// has expired.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn refresh(&self, request: &Request<'_>, now_ms: i64) -> Result<Option<Lock>> {
        let expires_ms = now_ms.saturating_add(request.ttl_ms.clamp(0, TTL_MS_MAX));
        self.transaction(|connection| {
            let update = "UPDATE lock SET expires_ms = ?4, purpose = coalesce(?5, purpose)
                WHERE path = ?1 AND holder = ?2 AND expires_ms > ?3
                RETURNING path, holder, purpose, acquired_ms, expires_ms";
            let values = (request.path, request.holder, now_ms, expires_ms, request.purpose);
            connection.query_row(update, values, lock_of).optional()
        })
    }

    /// Releases a lock and returns true if `holder` had it.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn release(&self, path: &str, holder: &str, now_ms: i64) -> Result<bool> {
        self.transaction(|connection| {
            let deleted = connection.execute(
                "DELETE FROM lock WHERE path = ?1 AND holder = ?2 AND expires_ms > ?3",
                (path, holder, now_ms),
            )?;
            connection.execute("DELETE FROM lock WHERE expires_ms <= ?1", [now_ms])?;
            Ok(deleted > 0)
        })
    }

    /// Returns the locks that have not expired, by path.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn locks(&self, now_ms: i64) -> Result<Vec<Lock>> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT path, holder, purpose, acquired_ms, expires_ms FROM lock
                    WHERE expires_ms > ?1 ORDER BY path",
            )?;
            statement.query_map([now_ms], lock_of)?.collect::<rusqlite::Result<Vec<Lock>>>()
        };
        read().map_err(|error| self.failure(&error))
    }
}

fn lock_of(row: &Row<'_>) -> rusqlite::Result<Lock> {
    Ok(Lock {
        path: row.get(0)?,
        holder: row.get(1)?,
        purpose: row.get(2)?,
        acquired_ms: row.get(3)?,
        expires_ms: row.get(4)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request<'a>(holder: &'a str) -> Request<'a> {
        Request { path: "src/a.rs", holder, purpose: None, ttl_ms: 1000 }
    }

    #[test]
    fn a_lock_is_held_refreshed_released_and_expires() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("data.sqlite")).unwrap();
        let first = database.acquire(&request("a"), 0).unwrap().unwrap();
        assert_eq!(first.expires_ms, 1000);
        assert_eq!(database.acquire(&request("b"), 500).unwrap(), Err(first));
        let refreshed = database.acquire(&request("a"), 500).unwrap().unwrap();
        assert_eq!((refreshed.acquired_ms, refreshed.expires_ms), (0, 1500));
        assert_eq!(database.refresh(&request("b"), 600).unwrap(), None);
        assert_eq!(database.refresh(&request("a"), 500).unwrap(), Some(refreshed));
        assert!(!database.release("src/a.rs", "b", 600).unwrap());
        assert!(database.release("src/a.rs", "a", 600).unwrap());
        let other = database.acquire(&request("b"), 700).unwrap().unwrap();
        assert_eq!(database.locks(1699).unwrap(), [other]);
        assert_eq!(database.locks(1700).unwrap(), []);
        assert_eq!(database.acquire(&request("a"), 1700).unwrap().unwrap().holder, "a");
    }

    #[test]
    fn one_of_many_processes_gets_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.sqlite");
        let granted: usize = std::thread::scope(|scope| {
            let path = &path;
            let threads: Vec<_> = (0..8)
                .map(|at| {
                    scope.spawn(move || {
                        let database = Database::open(path).unwrap();
                        let holder = at.to_string();
                        usize::from(database.acquire(&request(&holder), 0).unwrap().is_ok())
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(granted, 1);
    }
}
