//! One HTTP request, cancellable, with a bounded reply. `agent` sends it; a build without the feature `model`
//! has an agent that refuses.
#![cfg_attr(
    not(feature = "model"),
    expect(dead_code, reason = "parts of requests and replies that only a real agent uses")
)]

#[cfg(feature = "model")]
mod agent;
#[cfg(not(feature = "model"))]
#[path = "http/no_agent.rs"]
mod agent;

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use ::http::{HeaderName, HeaderValue};

pub(super) use agent::Agent;

use crate::base::interrupt::Interrupt;

/// How often a request checks whether its caller has cancelled.
const POLL: Duration = Duration::from_millis(20);

/// A request.
pub(super) struct Request {
    /// The address.
    pub(super) url: String,
    /// The headers, with the key.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub(super) body: Vec<u8>,
    /// The time limit.
    pub(super) timeout: Duration,
    /// The maximum length of the reply's body in bytes, after decompression.
    pub(super) reply_bytes_max: usize,
}

/// A reply of any status.
#[derive(Debug)]
pub(super) struct Response {
    /// The status.
    pub(super) status: u16,
    /// The headers that say when to try again, as far as the reply has them.
    pub(super) retry_headers: Vec<(&'static str, String)>,
    /// The body, decompressed.
    pub(super) body: Vec<u8>,
}

/// Why there is no reply.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum HttpError {
    /// The connection failed or broke, with the reason. The same request may succeed later.
    Connection(String),
    /// As before, but the same request will fail again: a bad certificate.
    Permanent(String),
    /// No program listens at the address, with the reason.
    NobodyListens(String),
    /// The time limit passed.
    Timeout,
    /// The body of the reply is too large.
    TooLarge,
    /// The caller cancelled.
    Cancelled,
}

/// Sends a request and waits for its reply, on a thread of its own. After a cancellation, that
/// thread continues until its request ends or its time limit passes, and the reply is dropped.
pub(super) fn post(
    agent: &Agent,
    request: Request,
    interrupt: Interrupt<'_>,
) -> Result<Response, HttpError> {
    if interrupt.is_due() {
        return Err(HttpError::Cancelled);
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    let agent = agent.clone();
    std::thread::Builder::new()
        .name("model request".to_owned())
        // The receiver is gone after a cancellation.
        .spawn(move || drop(sender.send(agent.exchange(request))))
        .map_err(|error| HttpError::Permanent(format!("no thread for the request: {error}")))?;
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) if interrupt.is_due() => {
                return Err(HttpError::Cancelled);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(HttpError::Permanent("the request failed inside codedb".to_owned()));
            }
        }
    }
}
