//! Opens a database and keeps its schema current.
//!
//! Journal: write-ahead log, so that readers never wait for a writer; on a network file system,
//! where that needs shared memory that does not exist, SQLite's rollback journal. `synchronous` is
//! `FULL`: what was committed survives the loss of power.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, TransactionBehavior};

use crate::error::{Error, Kind, Result};
use crate::source::private_dir::{self, DATA};

/// How long a call waits for a writer in another process.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// The time between two attempts that SQLite refuses at once.
const RETRY: Duration = Duration::from_millis(5);

/// The steps from an empty database to the present schema; step n makes version n + 1. Steps that
/// were released never change.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE identity (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        directory BLOB NOT NULL,
        first_commit TEXT
    ) STRICT;
    CREATE TABLE test (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    ) STRICT;
    -- `uid` identifies a run in exports. `exit_code` is NULL if the run was killed or not a process.
    CREATE TABLE run (
        id INTEGER PRIMARY KEY,
        uid TEXT NOT NULL UNIQUE,
        started_ms INTEGER NOT NULL,
        commit_id TEXT,
        is_clean INTEGER NOT NULL,
        runner TEXT NOT NULL,
        command TEXT NOT NULL,
        exit_code INTEGER,
        status TEXT NOT NULL
    ) STRICT;
    CREATE INDEX run_started ON run (started_ms);
    CREATE TABLE result (
        run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
        test INTEGER NOT NULL REFERENCES test,
        attempt INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        duration_ms REAL,
        PRIMARY KEY (run, test, attempt)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX result_test ON result (test);
    CREATE TABLE lock (
        path TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        purpose TEXT,
        acquired_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL
    ) STRICT;
", "
    -- The lines are bit sets of offsets from the first line of the function.
    CREATE TABLE covered (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL,
        name TEXT NOT NULL,
        body INTEGER NOT NULL,
        executable BLOB NOT NULL,
        executed BLOB NOT NULL,
        is_whole INTEGER NOT NULL,
        imported_ms INTEGER NOT NULL,
        UNIQUE (path, name, body)
    ) STRICT;
    CREATE INDEX covered_body ON covered (body);
    CREATE TABLE covered_by (
        symbol INTEGER NOT NULL REFERENCES covered ON DELETE CASCADE,
        test INTEGER NOT NULL REFERENCES test,
        lines INTEGER NOT NULL,
        PRIMARY KEY (symbol, test)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX covered_by_test ON covered_by (test);
", "
    CREATE TABLE job (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT,
        done INTEGER NOT NULL,
        total INTEGER NOT NULL,
        started_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        is_cancelled INTEGER NOT NULL
    ) STRICT;
", "
    -- The hash of the text after the name; NULL if it was not stored.
    ALTER TABLE covered ADD COLUMN rest INTEGER;
    CREATE INDEX covered_rest ON covered (rest);
    CREATE INDEX covered_name ON covered (name);
", "
    -- `files` has a repository path per line.
    CREATE TABLE incident (
        id TEXT PRIMARY KEY,
        at_ms INTEGER NOT NULL,
        title TEXT NOT NULL,
        severity TEXT,
        files TEXT NOT NULL,
        commit_id TEXT
    ) STRICT;
    -- `state` is JSON.
    CREATE TABLE investigation (
        handle INTEGER PRIMARY KEY AUTOINCREMENT,
        state TEXT NOT NULL,
        started_ms INTEGER NOT NULL
    ) STRICT;
", "
    CREATE TABLE risk_measurement (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        measured_ms INTEGER NOT NULL,
        commits INTEGER NOT NULL,
        faulty INTEGER NOT NULL,
        auc REAL,
        auc_added REAL
    ) STRICT;
", "
    -- `source_refs` and `keywords` are JSON, times are RFC 3339 in UTC.
    CREATE TABLE decision (
        id TEXT PRIMARY KEY,
        pattern TEXT NOT NULL,
        scope TEXT NOT NULL,
        rationale TEXT NOT NULL,
        confidence TEXT NOT NULL,
        source_refs TEXT NOT NULL,
        status TEXT NOT NULL,
        superseded_by TEXT REFERENCES decision,
        origin TEXT NOT NULL,
        extractor TEXT,
        keywords TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX decision_status ON decision (status);
    CREATE TABLE decision_feedback (
        decision TEXT NOT NULL REFERENCES decision ON DELETE CASCADE,
        at_ms INTEGER NOT NULL,
        is_useful INTEGER NOT NULL,
        note TEXT
    ) STRICT;
    CREATE INDEX decision_feedback_of ON decision_feedback (decision);
    -- Grows with every change of the two tables above, for caches.
    CREATE TABLE decision_revision (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        revision INTEGER NOT NULL
    ) STRICT;
    INSERT INTO decision_revision VALUES (1, 0);
    CREATE TRIGGER decision_inserted AFTER INSERT ON decision BEGIN
        UPDATE decision_revision SET revision = revision + 1;
    END;
    CREATE TRIGGER decision_updated AFTER UPDATE ON decision BEGIN
        UPDATE decision_revision SET revision = revision + 1;
    END;
    CREATE TRIGGER decision_rated AFTER INSERT ON decision_feedback BEGIN
        UPDATE decision_revision SET revision = revision + 1;
    END;
    -- What an ingestion has finished: the hash of the signals of a scope.
    CREATE TABLE decision_ingested (
        scope TEXT NOT NULL,
        extractor TEXT NOT NULL,
        signals TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        PRIMARY KEY (scope, extractor)
    ) STRICT, WITHOUT ROWID;
", "
    CREATE INDEX result_failed ON result (test) WHERE outcome = 'failed' OR outcome = 'error';
", "
    CREATE TABLE verdict (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        path TEXT NOT NULL,
        change TEXT NOT NULL,
        level TEXT NOT NULL,
        confidence REAL NOT NULL,
        reasoning TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        is_right INTEGER
    ) STRICT;
    CREATE INDEX verdict_of ON verdict (path, change);
"];

/// The identity of a repository.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Repository {
    /// The canonical path of the common git directory, or of the root of a tree outside of git.
    pub directory: PathBuf,
    /// The id of its first commit, in hexadecimal; `None` if there is none, or if the clone is
    /// shallow.
    pub first_commit: Option<String>,
}

/// An open database.
#[derive(Debug)]
pub struct Database {
    pub(super) connection: Connection,
    path: PathBuf,
}

/// Sets the mode of the journal. Where several processes set it at once, SQLite does not wait for the
/// others (it could be a deadlock), so the attempt is repeated for at most [`WAIT_MAX`].
fn set_journal(connection: &Connection, journal: &str) -> rusqlite::Result<()> {
    let until = Instant::now() + WAIT_MAX;
    loop {
        match connection.pragma_update_and_check(None, "journal_mode", journal, |_| Ok(())) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < until =>
            {
                std::thread::sleep(RETRY);
            }
            result => return result,
        }
    }
}

impl Database {
    /// Opens the database at `path`, creates it if needed, and brings its schema up to date.
    ///
    /// # Errors
    ///
    /// [`Kind::Corrupt`] if the file is damaged or no database, [`Kind::Usage`] if a newer codedb
    /// wrote it, [`Kind::Busy`] if another process writes for longer than ten seconds,
    /// [`Kind::Io`] otherwise. The file stays as it is.
    pub fn open(path: &Path) -> Result<Database> {
        let failed = |error| failure(path, &error);
        private_dir::check_file(path, DATA)?;
        create_private(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(WAIT_MAX).map_err(failed)?;
        let journal = if crate::source::file_system(path).is_network() { "DELETE" } else { "WAL" };
        // The reply of the pragma is the mode in force: on some file systems it stays another one.
        set_journal(&connection, journal).map_err(failed)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        connection.pragma_update(None, "trusted_schema", false).map_err(failed)?;
        let mut database = Database { connection, path: path.to_owned() };
        database.migrate()?;
        Ok(database)
    }

    /// Returns a new database that is in memory only. O(1).
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub fn in_memory() -> Result<Database> {
        let path = Path::new(":memory:");
        let connection = Connection::open_in_memory().map_err(|error| failure(path, &error))?;
        let mut database = Database { connection, path: path.to_owned() };
        database.migrate()?;
        Ok(database)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the identity of the repository that the data belongs to; `None` for a new database.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn identity(&self) -> Result<Option<Repository>> {
        let identity =
            self.connection.query_row("SELECT directory, first_commit FROM identity", [], |row| {
                let directory: Vec<u8> = row.get(0)?;
                Ok(Repository { directory: path_of(directory), first_commit: row.get(1)? })
            });
        identity.optional().map_err(|error| self.failure(&error))
    }

    /// Stores the identity of the repository, if it differs from the stored one.
    pub(super) fn identify(&self, repository: &Repository) -> Result<()> {
        let stored = self.identity()?;
        // A shallow clone does not know the first commit that was stored before.
        let first_commit = repository
            .first_commit
            .clone()
            .or_else(|| stored.as_ref().and_then(|stored| stored.first_commit.clone()));
        let present = Repository { first_commit, ..repository.clone() };
        if stored.as_ref() == Some(&present) {
            return Ok(());
        }
        let directory = present.directory.as_os_str().as_encoded_bytes();
        self.connection
            .execute(
                "INSERT OR REPLACE INTO identity (one, directory, first_commit) VALUES (1, ?1, ?2)",
                (directory, &present.first_commit),
            )
            .map(drop)
            .map_err(|error| self.failure(&error))
    }

    /// Runs `work` in one transaction, which is committed if it succeeds. The transaction writes
    /// from its start, so that two processes never deadlock.
    pub(super) fn transaction<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let run = || {
            let transaction = rusqlite::Transaction::new_unchecked(
                &self.connection,
                TransactionBehavior::Immediate,
            )?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        run().map_err(|error| self.failure(&error))
    }

    pub(super) fn failure(&self, error: &rusqlite::Error) -> Error {
        failure(&self.path, error)
    }

    fn migrate(&mut self) -> Result<()> {
        let version = |connection: &Connection| {
            connection.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))
        };
        let found = version(&self.connection).map_err(|error| self.failure(&error))?;
        let newest: u32 = MIGRATIONS.len() as u32;
        if found > newest {
            return Err(Error::usage(format!(
                "written by a newer codedb (schema {found}; this one supports {newest})"
            ))
            .with_path(&self.path)
            .with_hint("update codedb, or choose another directory with `--data-dir`"));
        }
        if found == newest {
            return Ok(());
        }
        self.transaction(|connection| {
            // Another process may have migrated it since.
            let present = version(connection)?;
            for (next, step) in (1..).zip(MIGRATIONS).skip(present as usize) {
                connection.execute_batch(step)?;
                connection.pragma_update(None, "user_version", next)?;
            }
            Ok(())
        })
    }
}

/// Creates the file, readable and writable by its owner alone; SQLite gives its other files the
/// same permissions.
fn create_private(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| {
        Error::io(path, error)
            .with_hint("choose another directory with `--data-dir` or CODEDB_DATA_DIR")
    })
}

fn failure(path: &Path, error: &rusqlite::Error) -> Error {
    let (kind, hint) = match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => (
            Kind::Corrupt,
            "the data of this repository is damaged: restore the file from a backup, or move it away",
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (Kind::Busy, "another process is writing; try again")
        }
        // With a full disk, SQLite fails with an I/O error where it maps the index of its journal.
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => (
            Kind::Io,
            "the disk of the data directory may be full: free space there, or choose another \
             directory with `--data-dir` or CODEDB_DATA_DIR",
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
            (Kind::Io, "choose another directory with `--data-dir` or CODEDB_DATA_DIR")
        }
        _ => (Kind::Io, "please report this as a bug"),
    };
    Error::new(kind, error.to_string()).with_path(path).with_hint(hint)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_reported_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.sqlite");
        std::fs::write(&path, "not a database, but long enough to be one: ".repeat(100)).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = Database::open(&path).unwrap_err();
        assert_eq!(error.kind(), Kind::Corrupt);
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_full_disk_is_no_bug() {
        let path = Path::new("data/data.sqlite");
        for code in [rusqlite::ffi::SQLITE_FULL, rusqlite::ffi::SQLITE_IOERR_SHMSIZE] {
            let error = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
            let error = failure(path, &error);
            assert_eq!((error.kind(), error.path()), (Kind::Io, Some(path)));
            assert!(error.hints().join(" ").contains("full: free space there"), "{error}");
            assert!(error.hints().join(" ").contains("--data-dir"), "{error}");
        }
    }

    #[test]
    fn a_newer_schema_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.sqlite");
        let database = Database::open(&path).unwrap();
        database.connection.pragma_update(None, "user_version", 1_000_000).unwrap();
        drop(database);
        assert_eq!(Database::open(&path).unwrap_err().kind(), Kind::Usage);
    }

    #[test]
    fn processes_that_open_a_new_database_at_once_agree() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.sqlite");
        std::thread::scope(|scope| {
            let opened: Vec<_> = (0..8).map(|_| scope.spawn(|| Database::open(&path))).collect();
            for database in opened {
                database.join().unwrap().unwrap();
            }
        });
    }
}
