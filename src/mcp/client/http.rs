//! A server over HTTP (the transport "Streamable HTTP"): each message is a POST; a response is JSON or
//! a stream of events.
//!
//! Redirects are not followed, proxies are not used, and no credentials are sent.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use url::Url;

use super::{BYTES_MAX, Connection, Deadline, Received, received, too_large};
use crate::error::{Error, Kind, Result};

/// The time limit of a connection with its TLS handshake.
const CONNECT: Duration = Duration::from_secs(15);

/// The time limit of the request that ends the session.
const CLOSE: Duration = Duration::from_secs(2);

const SESSION: &str = "mcp-session-id";

/// The session with a server.
pub(super) struct Http {
    url: Url,
    agent: Agent,
    protocol: Option<String>,
    session: Option<String>,
    /// The bytes that the server may still send.
    left: usize,
}

/// What a request of its own thread returns.
struct Reply {
    /// The response, if one was expected.
    response: Option<Value>,
    /// The header that identifies the session.
    session: Option<String>,
    /// The length of the body.
    bytes: usize,
}

impl Http {
    pub(super) fn new(url: Url) -> Http {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("codedb/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Http { url, agent, protocol: None, session: None, left: BYTES_MAX }
    }

    /// Sends a message on a thread of its own, so that the wait can be cancelled.
    fn post(&mut self, message: &Value, deadline: Deadline<'_>) -> Result<Option<Value>> {
        let timeout = deadline.left()?;
        let (sender, receiver) = mpsc::sync_channel(1);
        let mut request = self
            .agent
            .post(self.url.as_str())
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .config()
            .timeout_global(Some(timeout))
            .build();
        for (name, value) in [("mcp-protocol-version", &self.protocol), (SESSION, &self.session)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        if let Some(method) = message["method"].as_str() {
            request = request.header("mcp-method", method);
        }
        let (body, id, left) = (message.to_string(), message.get("id").cloned(), self.left);
        let work = move || {
            let reply = request
                .send(body.as_bytes())
                .map_err(|error| failure(&error))
                .and_then(|response| read(response, id.as_ref(), left));
            // The receiver is gone after a cancellation.
            drop(sender.send(reply));
        };
        std::thread::Builder::new()
            .name("mcp request".to_owned())
            .spawn(work)
            .map_err(|error| Error::new(Kind::Io, format!("no thread for the request: {error}")))?;
        loop {
            match receiver.recv_timeout(deadline.next_check()?) {
                Ok(reply) => {
                    let reply = reply?;
                    self.session = reply.session.or(self.session.take());
                    self.left = self.left.saturating_sub(reply.bytes);
                    return Ok(reply.response);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(Kind::Io, "the request failed inside codedb"));
                }
            }
        }
    }
}

impl Connection for Http {
    fn begin(&mut self) {
        self.left = BYTES_MAX;
    }

    fn exchange(&mut self, request: &Value, deadline: Deadline<'_>) -> Result<Value> {
        self.post(request, deadline)?
            .ok_or_else(|| Error::usage("the server closed the stream without an answer"))
    }

    fn notify(&mut self, message: &Value, deadline: Deadline<'_>) -> Result<()> {
        self.post(message, deadline).map(drop)
    }

    fn agree(&mut self, protocol: &str) {
        // A version that cannot be a header is not sent.
        let is_plain = protocol.bytes().all(|byte| byte.is_ascii_graphic());
        self.protocol = Some(protocol.to_owned()).filter(|_| is_plain);
    }

    fn close(&mut self) {
        if let Some(session) = self.session.take() {
            let request = self.agent.delete(self.url.as_str()).header(SESSION, session);
            // A server may not support this; the session then expires.
            drop(request.config().timeout_global(Some(CLOSE)).build().call());
        }
    }
}

/// Reads the reply to a message; `id` is that of a request.
fn read(
    mut response: ::http::Response<ureq::Body>,
    id: Option<&Value>,
    bytes_max: usize,
) -> Result<Reply> {
    let status = response.status();
    let header = |name: &str| {
        let value = response.headers().get(name).and_then(|value| value.to_str().ok());
        value.map(str::to_owned)
    };
    let session = header(SESSION);
    let kind = header("content-type").unwrap_or_default();
    let is_json = kind.starts_with("application/json");
    // Errors of the protocol may come with a status that is an error of HTTP.
    let is_protocol_error = is_json && id.is_some();
    if !status.is_success() && !is_protocol_error {
        return Err(refused(status.as_u16()));
    }
    let Some(id) = id else { return Ok(Reply { response: None, session, bytes: 0 }) };
    let body = response.body_mut().as_reader();
    let mut body = BufReader::new(body.take(bytes_max as u64));
    if kind.starts_with("text/event-stream") {
        let (response, bytes) = read_events(&mut body, id, bytes_max)?;
        return Ok(Reply { response, session, bytes });
    }
    let mut text = Vec::new();
    body.read_to_end(&mut text).map_err(|error| broken(&error))?;
    if text.len() >= bytes_max {
        return Err(too_large());
    }
    match received(&text, id) {
        Ok(Received::Response(response)) => {
            Ok(Reply { response: Some(response), session, bytes: text.len() })
        }
        _ if !status.is_success() => Err(refused(status.as_u16())),
        Ok(_) => {
            Err(Error::usage("the server answered another request than the one that was sent"))
        }
        Err(error) => Err(error),
    }
}

/// Reads events until the response to the request `id`. Returns it with the number of bytes.
fn read_events(
    body: &mut impl BufRead,
    id: &Value,
    bytes_max: usize,
) -> Result<(Option<Value>, usize)> {
    let (mut total, mut data) = (0, Vec::new());
    loop {
        let mut line = Vec::new();
        let count = body.read_until(b'\n', &mut line).map_err(|error| broken(&error))?;
        total += count;
        if total >= bytes_max {
            return Err(too_large());
        }
        let text = line.trim_ascii_end();
        if let Some(part) = text.strip_prefix(b"data:") {
            data.extend_from_slice(part.strip_prefix(b" ").unwrap_or(part));
            data.push(b'\n');
        } else if text.is_empty() && !data.trim_ascii().is_empty() {
            if let Received::Response(response) = received(&data, id)? {
                return Ok((Some(response), total));
            }
            data.clear();
        }
        if count == 0 {
            return Ok((None, total));
        }
    }
}

fn refused(status: u16) -> Error {
    let error = Error::new(Kind::Io, format!("the server replied with HTTP status {status}"));
    match status {
        401 | 403 => error.with_hint("servers that require authorization are not supported"),
        300..=399 => error.with_hint("redirects are not followed; give the final address"),
        404 | 405 => error.with_hint(
            "the address is that of the endpoint, often `…/mcp`; the older transport with `/sse` is not supported",
        ),
        _ => error,
    }
}

fn failure(error: &ureq::Error) -> Error {
    Error::new(Kind::Io, format!("cannot reach the server: {error}"))
}

fn broken(error: &std::io::Error) -> Error {
    Error::new(Kind::Io, format!("the server's answer broke off: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_response_is_found_among_events() {
        let read = |text: &str| read_events(&mut text.as_bytes(), &json!(2), 10_000);
        let other = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n";
        let response = "id: 7\r\nevent: message\r\ndata: {\"id\":2,\r\ndata:\"result\":{}}\r\n\r\n";
        let (found, _) = read(&format!(": hello\n\n{other}{response}")).expect("valid events");
        assert_eq!(found, Some(json!({"id": 2, "result": {}})));
        assert_eq!(read(other).expect("valid events").0, None);
        // The last event of a stream may lack its empty line.
        let (found, _) = read(response.trim_end()).expect("valid events");
        assert_eq!(found, Some(json!({"id": 2, "result": {}})));
        assert!(read("data: hello\n\n").is_err());
        assert!(read_events(&mut other.as_bytes(), &json!(2), 10).is_err());
    }
}
