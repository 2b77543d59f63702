//! The agent of a build without the feature `model`: it refuses every request.

use super::{HttpError, Request, Response};

/// Sends nothing.
#[derive(Clone, Debug)]
pub(in crate::model) struct Agent;

impl Agent {
    /// Returns the agent.
    pub(in crate::model) fn new(_is_encrypted: bool) -> Agent {
        Agent
    }

    /// Returns an error: the same request will fail again.
    pub(super) fn exchange(&self, _: Request) -> Result<Response, HttpError> {
        let reason = "this build of codedb has no HTTP client (Cargo feature `model`)";
        Err(HttpError::Permanent(reason.to_owned()))
    }
}
