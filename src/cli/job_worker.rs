//! `codedb job-worker`: the process of a job. Not listed in the help.

use std::ffi::OsString;
use std::process::ExitCode;

use super::place::{self, TreeOptions};
use super::tool::now_ms;
use crate::engine::run_job;
use crate::error::{Error, Result};

/// Runs a job; `args` are those of [`JOB_COMMAND`](crate::engine::JOB_COMMAND).
///
/// # Errors
///
/// If they are others, or the database cannot be written.
pub(super) fn run(args: &[OsString]) -> Result<ExitCode> {
    let id = args.first().and_then(|id| id.to_str()).and_then(|id| id.parse().ok());
    let ([_, root, index_dir, data_dir], Some(id)) = (args, id) else {
        return Err(Error::usage("`job-worker` is started by codedb itself"));
    };
    let engine = place::engine(&TreeOptions {
        root: Some(root.into()),
        index_dir: Some(index_dir.into()),
        data_dir: Some(data_dir.into()),
        threads: None,
    })?;
    run_job(&engine, id, &now_ms)?;
    Ok(ExitCode::SUCCESS)
}
