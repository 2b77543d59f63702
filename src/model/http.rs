//! One HTTP request, cancellable, with a bounded reply.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use ::http::{HeaderMap, HeaderName, HeaderValue};
use ureq::Agent;

use crate::base::interrupt::Interrupt;

/// How often a request checks whether its caller has cancelled.
const POLL: Duration = Duration::from_millis(20);

/// The time limit of a connection with its TLS handshake.
const CONNECT: Duration = Duration::from_secs(15);

/// The headers that say when to try again.
const RETRY_HEADERS: [&str; 2] = ["retry-after-ms", "retry-after"];

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
    /// The headers of [`RETRY_HEADERS`] that the reply has.
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

/// Returns an agent that follows no redirects, uses no proxy, and accepts http
/// addresses only if `is_encrypted` is false.
pub(super) fn agent(is_encrypted: bool) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .https_only(is_encrypted)
        // Without this, ureq reads proxies from the environment.
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_connect(Some(CONNECT))
        .user_agent(concat!("codedb/", env!("CARGO_PKG_VERSION")))
        .accept("application/json")
        .build()
        .into()
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
        .spawn(move || drop(sender.send(exchange(&agent, request))))
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

fn exchange(agent: &Agent, request: Request) -> Result<Response, HttpError> {
    let mut post = agent.post(&request.url);
    for (name, value) in request.headers {
        post = post.header(name, value);
    }
    let post = post.config().timeout_global(Some(request.timeout)).build();
    let mut response = post.send(&request.body).map_err(failure)?;
    let status = response.status().as_u16();
    let retry_headers = retry_headers(response.headers());
    let limit = request.reply_bytes_max as u64;
    let body = response.body_mut().with_config().limit(limit).read_to_vec().map_err(failure)?;
    Ok(Response { status, retry_headers, body })
}

fn retry_headers(headers: &HeaderMap) -> Vec<(&'static str, String)> {
    let value = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
    RETRY_HEADERS.into_iter().filter_map(|name| Some((name, value(name)?))).collect()
}

fn failure(error: ureq::Error) -> HttpError {
    use ureq::Error::*;
    match error {
        Timeout(_) => HttpError::Timeout,
        BodyExceedsLimit(_) => HttpError::TooLarge,
        Io(error) => match error.kind() {
            io::ErrorKind::TimedOut => HttpError::Timeout,
            io::ErrorKind::ConnectionRefused => HttpError::NobodyListens(error.to_string()),
            // Errors of TLS: rustls reports them so.
            io::ErrorKind::InvalidData => HttpError::Permanent(error.to_string()),
            _ => HttpError::Connection(error.to_string()),
        },
        Protocol(_) | ConnectionFailed | BodyStalled => HttpError::Connection(error.to_string()),
        error => HttpError::Permanent(error.to_string()),
    }
}
