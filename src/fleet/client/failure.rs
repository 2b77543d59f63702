//! What went wrong between the client and a node, as the end of a sentence that begins with the node.

use std::error::Error;
use std::io::{self, ErrorKind};

use tonic::{Code, Status};

use super::secret::Secret;
use crate::base::text::{plain, start};

/// What a person checks on a node that serves something else.
const IS_RPC: &str = "does it run `zoekt-webserver -rpc`?";

/// The longest part of a node's own text that is quoted.
const QUOTED_BYTES_MAX: usize = 200;

/// Returns what a node wrote, for a sentence: without the token, on one line, cut.
pub(super) fn quoted(text: &str, token: Option<&Secret>) -> String {
    let text = token.map_or_else(|| text.to_owned(), |token| token.redact(text));
    let shown = start(&text, QUOTED_BYTES_MAX);
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{}{more}", plain(shown))
}

/// Returns why no connection was made.
pub(super) fn of_connecting(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "refused the connection".to_owned(),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::UnexpectedEof => {
            "closed the connection at once".to_owned()
        }
        _ => format!("cannot be reached: {}", plain(&error.to_string())),
    }
}

/// Returns why TLS failed.
pub(super) fn of_tls(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => {
            "closed the connection while TLS was set up".to_owned()
        }
        _ => format!("cannot be reached with TLS: {}", plain(&error.to_string())),
    }
}

/// Returns what an answer is whose last message is incomplete.
pub(super) fn half_a_message() -> String {
    "ended its answer in the middle of a message".to_owned()
}

/// Returns what a broken connection or a node's status is.
pub(super) fn of_status(status: &Status, bytes_max: usize, token: Option<&Secret>) -> String {
    if let Some(source) = status.source()
        && let Some(broken) = of_connection(source)
    {
        return broken;
    }
    let message = status.message();
    match status.code() {
        // This is what tonic says of the length that precedes a message.
        Code::OutOfRange if message.contains("message length too large") => {
            format!("announced a message of more than {bytes_max} bytes")
        }
        Code::Internal if message.contains("Unexpected EOF") => half_a_message(),
        Code::Internal if message.starts_with("protocol error") => {
            format!("does not follow the protocol: {}", quoted(message, token))
        }
        Code::Unauthenticated | Code::PermissionDenied => {
            format!("rejected the token: {}", quoted(message, token))
        }
        Code::Unimplemented => format!("does not serve this call; {IS_RPC}"),
        code => {
            let message = quoted(message, token);
            let separator = if message.is_empty() { "" } else { ": " };
            format!("answered with the error `{code:?}`{separator}{message}")
        }
    }
}

/// Returns whether the request failed because its connection is of no use any more, so that another one
/// may do.
pub(super) fn is_of_connection(status: &Status) -> bool {
    status.source().is_some_and(|source| of_connection(source).is_some())
}

/// Returns what became of a connection, if `error` or one of its causes is about that.
pub(super) fn of_connection(error: &(dyn Error + 'static)) -> Option<String> {
    let hyper = causes(error).find_map(|cause| cause.downcast_ref::<hyper::Error>())?;
    let lost = || "closed the connection before the end of its answer".to_owned();
    if hyper.is_timeout() {
        return Some("did not answer a ping".to_owned());
    }
    if hyper.is_canceled() || hyper.is_closed() || hyper.is_incomplete_message() {
        return Some(lost());
    }
    if causes(hyper).any(|cause| cause.downcast_ref::<io::Error>().is_some()) {
        return Some(lost());
    }
    let innermost = causes(hyper).last().map(ToString::to_string).unwrap_or_default();
    // A reset of the stream or the connection, or frames that are none.
    Some(if innermost.contains("broken pipe") || innermost.contains("reset by peer") {
        lost()
    } else {
        format!("does not speak gRPC: {}; {IS_RPC}", quoted(&innermost, None))
    })
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}
