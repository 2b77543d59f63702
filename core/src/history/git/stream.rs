//! Runs git and streams its output in pieces, for output that is too long to hold in memory.

use std::ffi::OsStr;
use std::time::Duration;

use super::{Git, GitOutput, Invocation, Limits};
use crate::error::Result;

/// The time limits and the cancellation check of a stream.
#[derive(Clone, Copy)]
pub struct StreamOptions<'a> {
    /// The time limit of the whole git process.
    pub patience: Duration,
    /// Returns true if the stream is to stop.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// The limit of the time without output. Git prints a log while it reads the commits; one commit
/// takes long only if it changes many files.
const SILENCE_MAX: Duration = Duration::from_secs(30);

impl std::fmt::Debug for StreamOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamOptions").field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl Git {
    /// Runs git and passes its output to `take` in pieces, in order. Holds only a few pieces at a
    /// time.
    ///
    /// # Errors
    ///
    /// If git fails, exceeds a time limit ([`Kind::Limit`](crate::Kind::Limit)), is not installed
    /// ([`Kind::NotFound`](crate::Kind::NotFound)), or is cancelled
    /// ([`Kind::Cancelled`](crate::Kind::Cancelled)).
    pub(super) fn stream<A: AsRef<OsStr>>(
        &self,
        command: &str,
        args: &[A],
        options: StreamOptions<'_>,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        let invocation =
            Invocation { command, args, settings: &[], uses_rule_files: false, input: &[] };
        let limits = self.limits(Some(SILENCE_MAX), options.is_cancelled);
        let limits = Limits { patience: options.patience, ..limits };
        let exit = self.drive(&invocation, limits, &mut |piece| {
            take(piece);
            true
        })?;
        match exit.code {
            Some(0) => Ok(()),
            code => {
                let (answer, stderr) = (Vec::new(), exit.stderr);
                Err(GitOutput { answer, stderr, code }.failure(command))
            }
        }
    }
}
