//! Starts jobs: processes of their own, which run [`run_job`].

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Engine, Progress, build, build_code, refresh, when_free};
use crate::catalog::code::JobKind;
use crate::error::{Error, Kind, Result};
use crate::userdata::jobs::{Job, JobProgress, JobState};

/// The hidden command of the process of a job. Its arguments are the number of the job, the root of
/// the tree, and the directories of indexes and of user data.
pub const JOB_COMMAND: &str = "job-worker";

/// The interval at which a job reports.
const TICK: Duration = Duration::from_millis(200);

impl Engine {
    /// Returns the same engine with the program that runs jobs.
    #[must_use]
    pub fn running_jobs_with(self, program: PathBuf) -> Engine {
        Engine { program: Some(program), ..self }
    }

    /// Starts a job, or returns the one of its kind that is running, with false.
    ///
    /// # Errors
    ///
    /// If there is no directory for user data, or the process cannot be started.
    pub fn start_job(&self, kind: JobKind, now_ms: i64) -> Result<(Job, bool)> {
        let database = self.create_user_data()?;
        // The directory of the store is two levels below the cache directory.
        let cache = self.store.dir().ancestors().nth(2);
        let (Some(program), Some(cache), Some(data)) = (&self.program, cache, &self.data) else {
            return Err(Error::usage("jobs need the program `codedb`"));
        };
        let (job, is_new) = database.add_job(kind.name(), now_ms)?;
        if !is_new {
            return Ok((job, false));
        }
        let mut command = Command::new(program);
        command
            .arg(JOB_COMMAND)
            .arg(job.id.to_string())
            .arg(&self.root)
            .arg(cache)
            .arg(&data.0)
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // A process group of its own, so that Ctrl-C in the terminal does not end it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        if let Err(error) = command.spawn() {
            let message = format!("cannot start a process: {error}");
            database.end_job(job.id, JobState::Failed, Some(&message), now_ms)?;
            return Err(Error::new(Kind::Io, message));
        }
        Ok((job, true))
    }
}

/// Does the work of a job and reports its progress. `now_ms` returns the present time in
/// milliseconds since 1970.
///
/// # Errors
///
/// If the database cannot be written. A failure of the work itself is recorded.
pub fn run_job(engine: &Engine, id: i64, now_ms: &dyn Fn() -> i64) -> Result<()> {
    let database = engine.create_user_data()?;
    let progress = Progress::default();
    let jobs = database.jobs(now_ms())?;
    let is_anew = jobs.iter().any(|job| job.id == id && job.kind == JobKind::Rebuild.name());
    let search = || if is_anew { build(engine, &progress) } else { refresh(engine, &progress) };
    let work = || {
        when_free(&engine.store, &progress, || {}, search)?;
        when_free(&engine.store, &progress, || {}, || build_code(engine, is_anew, &progress))
    };
    let result = std::thread::scope(|scope| {
        let worker = scope.spawn(work);
        while !worker.is_finished() {
            let (done, total, _) = progress.counts();
            let message = format!("{:?}", progress.stage()).to_lowercase();
            let report = JobProgress { message: &message, done, total };
            // A database that is busy for long does not end the work.
            if database.report_job(id, report, now_ms()).unwrap_or(false) {
                progress.cancel();
            }
            std::thread::sleep(TICK);
        }
        worker.join()
    });
    let (state, message) = match result {
        Ok(Ok(_)) => (JobState::Done, None),
        Ok(Err(error)) if error.kind() == Kind::Cancelled => (JobState::Cancelled, None),
        Ok(Err(error)) => (JobState::Failed, Some(error.to_string())),
        Err(_) => (JobState::Failed, Some("it stopped because of a bug".to_owned())),
    };
    database.end_job(id, state, message.as_deref(), now_ms())
}
