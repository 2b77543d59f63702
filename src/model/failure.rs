//! [`ModelError`]: why there is no reply.

use std::fmt;

use crate::error::{Error, Kind};

/// What failed, for callers that branch on it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Failure {
    /// The caller broke the rules of a conversation, such as a missing result. Nothing was sent.
    Misuse,
    /// The service does not accept the key (401, 403), or there is no credit left.
    Denied,
    /// The service refused the request (other statuses from 300 to 499).
    Refused,
    /// The service is out of capacity or defective (429, 5xx), after all attempts.
    Unavailable,
    /// No connection, or one that broke, after all attempts.
    Connection,
    /// The time limit passed.
    Timeout,
    /// The reply is not what the protocol requires.
    Protocol,
    /// A request or a reply exceeds its size limit.
    TooLarge,
    /// The caller cancelled.
    Cancelled,
}

/// An error: one sentence that names the host and what to do. It never contains the key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ModelError {
    failure: Failure,
    message: String,
    hint: String,
}

impl ModelError {
    /// Returns an error. `message` and `hint` are lowercase, without a final period; the hint may
    /// be empty.
    pub(super) fn new(
        failure: Failure,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> ModelError {
        ModelError { failure, message: message.into(), hint: hint.into() }
    }

    /// Returns an error with [`Failure::Misuse`].
    pub(super) fn misuse(message: impl Into<String>) -> ModelError {
        ModelError::new(Failure::Misuse, message, "")
    }

    /// Adds the number of attempts to the message.
    pub(super) fn after(mut self, attempts: u32) -> ModelError {
        self.message.push_str(&format!(", after {attempts} attempts"));
        self
    }

    /// Returns what failed.
    pub fn failure(&self) -> Failure {
        self.failure
    }

    /// Returns the error in the type of the crate, with what to do as its hint.
    pub fn into_error(self) -> Error {
        let kind = match self.failure {
            Failure::Misuse | Failure::Denied | Failure::Refused => Kind::Usage,
            Failure::Unavailable | Failure::Connection | Failure::Protocol => Kind::Io,
            Failure::Timeout | Failure::TooLarge => Kind::Limit,
            Failure::Cancelled => Kind::Cancelled,
        };
        let error = Error::new(kind, self.message);
        if self.hint.is_empty() { error } else { error.with_hint(self.hint) }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "; {}", self.hint) }
    }
}

impl std::error::Error for ModelError {}
