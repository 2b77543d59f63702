//! The agent that sends requests, with ureq and rustls.

use std::io;
use std::time::Duration;

use ::http::HeaderMap;

use super::{HttpError, Request, Response};

/// The time limit of a connection with its TLS handshake.
const CONNECT: Duration = Duration::from_secs(15);

/// The headers that say when to try again.
const RETRY_HEADERS: [&str; 2] = ["retry-after-ms", "retry-after"];

/// Keeps connections open between requests. Clones share them.
#[derive(Clone, Debug)]
pub(in crate::model) struct Agent(ureq::Agent);

impl Agent {
    /// Returns an agent that follows no redirects, uses no proxy, and accepts http addresses only if
    /// `is_encrypted` is false.
    pub(in crate::model) fn new(is_encrypted: bool) -> Agent {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .https_only(is_encrypted)
            // Without this, ureq reads proxies from the environment.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("codedb/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .build();
        Agent(config.into())
    }

    /// Sends a request and returns the reply, whatever its status.
    pub(super) fn exchange(&self, request: Request) -> Result<Response, HttpError> {
        let mut post = self.0.post(&request.url);
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
