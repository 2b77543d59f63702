//! Jobs: work in processes of their own, which outlive the call that started them.
//!
//! The process of a job reports its progress every second. A job that has not reported for
//! [`SILENCE_MS_MAX`] counts as failed: its process was killed, or the machine was restarted.

use rusqlite::{OptionalExtension as _, Row};

use super::database::Database;
use crate::error::Result;

/// How long a job may be silent, in milliseconds.
pub const SILENCE_MS_MAX: i64 = 60_000;

/// The number of jobs that are kept.
const KEPT_MAX: i64 = 200;

/// The state of a job.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum JobState {
    /// It is at work.
    Running,
    /// It has succeeded.
    Done,
    /// It has failed, or its process has disappeared.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl JobState {
    const ALL: [(JobState, &'static str); 4] = [
        (JobState::Running, "running"),
        (JobState::Done, "done"),
        (JobState::Failed, "failed"),
        (JobState::Cancelled, "cancelled"),
    ];

    /// Returns the name that is stored and shown.
    pub fn name(self) -> &'static str {
        JobState::ALL.iter().find(|(state, _)| *state == self).map_or("failed", |(_, name)| name)
    }
}

/// A job.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Job {
    /// Its number.
    pub id: i64,
    /// What it does, such as `index`.
    pub kind: String,
    /// Its state.
    pub state: JobState,
    /// What it is doing, or why it failed.
    pub message: Option<String>,
    /// How much of the present stage is done, such as files.
    pub done: u64,
    /// How much the present stage has in all; 0 if that is not known.
    pub total: u64,
    /// When it was started, in milliseconds since 1970.
    pub started_ms: i64,
    /// When it last reported, in milliseconds since 1970.
    pub updated_ms: i64,
    /// True if it was asked to stop.
    pub is_cancelled: bool,
}

/// What a running job reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct JobProgress<'a> {
    /// What it is doing.
    pub message: &'a str,
    /// See [`Job::done`].
    pub done: u64,
    /// See [`Job::total`].
    pub total: u64,
}

impl Database {
    /// Adds a job in the state [`JobState::Running`], unless one of its kind is running: then that
    /// one is returned, with false. The oldest of more than 200 ended jobs are removed.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn add_job(&self, kind: &str, now_ms: i64) -> Result<(Job, bool)> {
        self.transaction(|connection| {
            let running = format!(
                "SELECT {COLUMNS} FROM job WHERE kind = ?1 AND state = 'running' AND updated_ms > ?2
                    ORDER BY id DESC LIMIT 1"
            );
            let since_ms = now_ms.saturating_sub(SILENCE_MS_MAX);
            let running = connection.query_row(&running, (kind, since_ms), job_of).optional()?;
            if let Some(running) = running {
                return Ok((running, false));
            }
            connection.execute(
                "DELETE FROM job WHERE id <= (SELECT max(id) FROM job) - ?1 AND state <> 'running'",
                [KEPT_MAX],
            )?;
            let added = format!(
                "INSERT INTO job (kind, state, done, total, started_ms, updated_ms, is_cancelled)
                    VALUES (?1, 'running', 0, 0, ?2, ?2, 0) RETURNING {COLUMNS}"
            );
            Ok((connection.query_row(&added, (kind, now_ms), job_of)?, true))
        })
    }

    /// Stores the progress of a running job; returns true if it was asked to stop.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn report_job(&self, id: i64, progress: JobProgress<'_>, now_ms: i64) -> Result<bool> {
        let JobProgress { message, done, total } = progress;
        let stored = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.transaction(|connection| {
            connection
                .query_row(
                    "UPDATE job SET message = ?2, done = ?3, total = ?4, updated_ms = ?5
                        WHERE id = ?1 AND state = 'running' RETURNING is_cancelled",
                    (id, message, stored(done), stored(total), now_ms),
                    |row| row.get(0),
                )
                .optional()
                // A job that is gone has nobody to work for.
                .map(|is_cancelled| is_cancelled.unwrap_or(true))
        })
    }

    /// Ends a running job.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn end_job(
        &self,
        id: i64,
        state: JobState,
        message: Option<&str>,
        now_ms: i64,
    ) -> Result<()> {
        self.transaction(|connection| {
            connection.execute(
                "UPDATE job SET state = ?2, message = ?3, updated_ms = ?4
                    WHERE id = ?1 AND state = 'running'",
                (id, state.name(), message, now_ms),
            )
        })
        .map(drop)
    }

    /// Asks a running job to stop, and returns it; `None` if there is no such job.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn cancel_job(&self, id: i64, now_ms: i64) -> Result<Option<Job>> {
        self.transaction(|connection| {
            connection.execute(
                "UPDATE job SET is_cancelled = 1 WHERE id = ?1 AND state = 'running'",
                [id],
            )
        })?;
        Ok(self.jobs(now_ms)?.into_iter().find(|job| job.id == id))
    }

    /// Returns the jobs, newest first.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn jobs(&self, now_ms: i64) -> Result<Vec<Job>> {
        let read = || {
            let select = format!("SELECT {COLUMNS} FROM job ORDER BY id DESC");
            let mut statement = self.connection.prepare_cached(&select)?;
            statement.query_map([], job_of)?.collect::<rusqlite::Result<Vec<Job>>>()
        };
        let mut jobs = read().map_err(|error| self.failure(&error))?;
        for job in &mut jobs {
            let silent_ms = now_ms.saturating_sub(job.updated_ms);
            if job.state == JobState::Running && silent_ms >= SILENCE_MS_MAX {
                job.state = JobState::Failed;
                job.message = Some("its process has disappeared".to_owned());
            }
        }
        Ok(jobs)
    }
}

const COLUMNS: &str = "id, kind, state, message, done, total, started_ms, updated_ms, is_cancelled";

fn job_of(row: &Row<'_>) -> rusqlite::Result<Job> {
    let state = row.get_ref(2)?.as_str()?;
    let state = JobState::ALL.iter().find(|(_, name)| *name == state);
    let count = |at: usize| row.get::<_, i64>(at).map(|count| u64::try_from(count).unwrap_or(0));
    Ok(Job {
        id: row.get(0)?,
        kind: row.get(1)?,
        state: state.map_or(JobState::Failed, |(state, _)| *state),
        message: row.get(3)?,
        done: count(4)?,
        total: count(5)?,
        started_ms: row.get(6)?,
        updated_ms: row.get(7)?,
        is_cancelled: row.get(8)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_reported_until_it_ends_or_disappears() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("data.sqlite")).unwrap();
        let (job, is_new) = database.add_job("index", 1000).unwrap();
        assert!(is_new && job.state == JobState::Running);
        let again = database.add_job("index", 2000).unwrap();
        assert_eq!(again, (job.clone(), false), "one job of a kind at a time");
        let progress = JobProgress { message: "reading", done: 3, total: 9 };
        assert!(!database.report_job(job.id, progress, 3000).unwrap());
        let shown = &database.jobs(3000 + SILENCE_MS_MAX - 1).unwrap()[0];
        assert_eq!((shown.done, shown.total, shown.state), (3, 9, JobState::Running));
        let gone = &database.jobs(3000 + SILENCE_MS_MAX).unwrap()[0];
        assert_eq!(gone.state, JobState::Failed, "never lost, never running forever");
        let cancelled = database.cancel_job(job.id, 4000).unwrap().unwrap();
        assert!(cancelled.is_cancelled && cancelled.state == JobState::Running);
        assert!(database.report_job(job.id, progress, 5000).unwrap(), "it is asked to stop");
        database.end_job(job.id, JobState::Cancelled, None, 6000).unwrap();
        database.end_job(job.id, JobState::Done, None, 7000).unwrap();
        assert_eq!(database.jobs(8000).unwrap()[0].state, JobState::Cancelled, "it ended once");
        assert_eq!(database.cancel_job(77, 8000).unwrap(), None);
        assert!(database.add_job("index", 9000).unwrap().1);
    }
}
