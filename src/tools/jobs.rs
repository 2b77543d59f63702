//! `start_job`, `job_status` and `cancel_job`: long work that outlives the call.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::Data;
use super::analyze::check_shard;
use super::{Call, Define, Effect, Needs, Speed, Toolset};
use crate::answer::analysis::{Analysis, NextStep, Size, Status};
use crate::answer::page::{Block, Cell, Column, Grade, Table};
use crate::answer::style::Style;
use crate::base::text;
use crate::catalog::code::JobKind;
use crate::error::Result;
use crate::userdata::jobs::{Job, JobState};

/// The default number of listed jobs.
const LIMIT: usize = 20;

/// A job of a reply.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its number.
    pub job_id: i64,
    /// What it does.
    pub kind: String,
    /// `running`, `done`, `failed` or `cancelled`.
    pub state: &'static str,
    /// What it is doing, or why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How much of the present stage is done.
    pub done: u64,
    /// How much the present stage has in all; 0 if that is not known.
    pub total: u64,
    /// The seconds between its start and its last report.
    pub seconds: i64,
}

/// The reply: jobs, newest first.
#[derive(Clone, Debug, Serialize)]
pub struct Jobs {
    /// The jobs.
    pub jobs: Vec<Entry>,
}

fn entry(job: &Job) -> Entry {
    let is_stopping = job.is_cancelled && job.state == JobState::Running;
    Entry {
        job_id: job.id,
        kind: job.kind.clone(),
        state: job.state.name(),
        message: if is_stopping { Some("stopping".to_owned()) } else { job.message.clone() },
        done: job.done,
        total: job.total,
        seconds: (job.updated_ms - job.started_ms).max(0) / 1000,
    }
}

fn unknown(id: i64) -> Analysis<Jobs> {
    Analysis::of(Jobs { jobs: Vec::new() })
        .with_status(Status::NoData, format!("there is no job {id}"))
        .with_hint("{tool:job_status} without `job_id` lists the jobs")
}

impl Data for Jobs {
    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([
            Column::right("JOB"),
            Column::left("KIND"),
            Column::left("STATE"),
            Column::right("RUNS FOR"),
            Column::left("DONE"),
        ]);
        for Entry { job_id, kind, state, message, done, total, seconds } in &self.jobs {
            let is_running = *state == "running" && *total > 0;
            let share = || Cell::Share(*done as f64 / *total as f64);
            let grade = match *state {
                "done" => Grade::Good,
                "failed" => Grade::Bad,
                _ => Grade::Fair,
            };
            let cells = [
                Cell::text(job_id.to_string()),
                Cell::text(kind),
                Cell::Level(grade, state),
                Cell::text(format!("{seconds} s")),
                if is_running { share() } else { Cell::Empty },
            ];
            table.row_with(cells, message.iter().map(|text| vec![Cell::text(text)]).collect());
        }
        Some(vec![Block::Table(table.without_empty())])
    }

    fn render(&self, _: &dyn Style, out: &mut String) {
        for Entry { job_id, kind, state, message, done, total, seconds } in &self.jobs {
            let _ = write!(out, "{job_id}  {}  {state}  {seconds} s", text::plain(kind));
            if *state == "running" && *total > 0 {
                let _ = write!(out, "  {done} of {total}");
            }
            if let Some(message) = message {
                let _ = write!(out, "  {}", text::plain(message));
            }
            out.push('\n');
        }
    }
}

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct StartJob;

/// The arguments of `start_job`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct StartArgs {
    /// `index`: build or refresh the whole index; `rebuild`: build it anew
    pub kind: JobKind,
    /// Build the index anew
    #[serde(default)]
    #[schemars(extend("x-unlisted" = ""))]
    pub force: bool,
    /// A directory
    #[schemars(extend("x-unlisted" = "the index covers the whole tree"))]
    pub directory: Option<String>,
    /// A shard of `shards.toml`
    #[schemars(extend("x-unlisted" = "the index covers all shards"))]
    pub shard: Option<String>,
}

impl Define for StartJob {
    const NAME: &'static str = "codedb_start_job";
    const SUMMARY: &'static str = "Start long work in a process of its own";
    const DETAILS: &'static str = "Returns at once with the number of the job, or with the job of this \
         kind that is running already. The job goes on after the server has ended.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[("job-status", "for its progress")];
    const EFFECT: Effect = Effect::Starts;
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"kind": "index"}"#];
    const POSITIONAL: &'static [&'static str] = &["kind"];
    type Args = StartArgs;
    type Reply = Analysis<Jobs>;

    fn run(call: &Call<'_>, args: StartArgs) -> Result<Analysis<Jobs>> {
        args.shard.as_deref().map(|shard| check_shard(call, shard)).transpose()?;
        let kind = if args.force { JobKind::Rebuild } else { args.kind };
        let (job, is_new) = call.code.start_job(kind, call.now_ns / 1_000_000)?;
        let reply = Analysis::of(Jobs { jobs: vec![entry(&job)] });
        let step = json!({"job_id": job.id});
        let reply = reply.with_step(NextStep::call("codedb_job_status", step, "its progress"));
        Ok(if is_new {
            reply
        } else {
            reply.with_status(Status::Busy, "a job of this kind is running already")
        })
    }
}

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct JobStatus;

/// The arguments of `job_status`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct StatusArgs {
    /// The number of the job (default: all jobs)
    pub job_id: Option<i64>,
    /// Maximum number of jobs (default 20)
    pub limit: Option<usize>,
}

impl Define for JobStatus {
    const NAME: &'static str = "codedb_job_status";
    const SUMMARY: &'static str = "Show the state and progress of jobs";
    const DETAILS: &'static str = "Newest first. A job whose process has disappeared, for example by a \
         restart of the machine, is `failed`.";
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] = &["{}"];
    const POSITIONAL: &'static [&'static str] = &["job_id"];
    type Args = StatusArgs;
    type Reply = Analysis<Jobs>;

    fn run(call: &Call<'_>, args: StatusArgs) -> Result<Analysis<Jobs>> {
        let jobs = match call.code.user_data()? {
            Some(database) => database.jobs(call.now_ns / 1_000_000)?,
            None => Vec::new(),
        };
        if let Some(id) = args.job_id {
            let found = jobs.iter().find(|job| job.id == id);
            return Ok(match found {
                Some(job) => Analysis::of(Jobs { jobs: vec![entry(job)] }),
                None => unknown(id),
            });
        }
        let limit = super::results_max(args.limit, LIMIT);
        let shown: Vec<Entry> = jobs.iter().take(limit).map(entry).collect();
        let (count, total) = (shown.len(), jobs.len());
        let reply = Analysis::list(Jobs { jobs: shown }, count, total);
        Ok(if total > 0 { reply } else { reply.with_status(Status::NoData, "no job was started") })
    }
}

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct CancelJob;

/// The arguments of `cancel_job`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct CancelArgs {
    /// The number of the job
    pub job_id: i64,
}

impl Define for CancelJob {
    const NAME: &'static str = "codedb_cancel_job";
    const SUMMARY: &'static str = "Ask a job to stop";
    const DETAILS: &'static str = "The job stops within seconds and leaves nothing half done. A job that \
         has ended stays as it is.";
    const EFFECT: Effect = Effect::Records;
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] = &[r#"{"job_id": 99}"#];
    const POSITIONAL: &'static [&'static str] = &["job_id"];
    type Args = CancelArgs;
    type Reply = Analysis<Jobs>;

    fn run(call: &Call<'_>, args: CancelArgs) -> Result<Analysis<Jobs>> {
        let cancelled = match call.code.user_data()? {
            Some(database) => database.cancel_job(args.job_id, call.now_ns / 1_000_000)?,
            None => None,
        };
        Ok(match cancelled {
            Some(job) => Analysis::of(Jobs { jobs: vec![entry(&job)] }),
            None => unknown(args.job_id),
        })
    }
}
