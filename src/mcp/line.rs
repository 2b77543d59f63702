//! One message is one line: how lines are read within bounds, and what is made of each.

use std::io::{BufRead, ErrorKind, Read as _};

use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;

use crate::base::text;

/// Bytes of a message.
pub(super) const BYTES_MAX: usize = 16 << 20;

/// What was read.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Line {
    /// A line, without its end, is in the buffer.
    Whole,
    /// A line was longer than [`BYTES_MAX`] and is skipped.
    TooLong,
    /// The input ended; a part of a line is no message.
    End,
}

/// Reads the next line of `input` into `buffer`. An input that cannot be read has ended.
pub(super) fn read(input: &mut impl BufRead, buffer: &mut Vec<u8>) -> Line {
    buffer.clear();
    let read = input.by_ref().take(BYTES_MAX as u64 + 1).read_until(b'\n', buffer);
    if read.is_err() {
        return Line::End;
    }
    if buffer.pop_if(|byte| *byte == b'\n').is_some() {
        return Line::Whole;
    }
    if buffer.len() <= BYTES_MAX {
        return Line::End;
    }
    *buffer = Vec::new();
    match skip(input) {
        true => Line::TooLong,
        false => Line::End,
    }
}

/// Skips to the end of the line; returns false if the input ends before.
fn skip(input: &mut impl BufRead) -> bool {
    loop {
        let (used, found) = match input.fill_buf() {
            Ok([]) => return false,
            Ok(bytes) => match memchr::memchr(b'\n', bytes) {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return false,
        };
        input.consume(used);
        if found {
            return true;
        }
    }
}

/// What a line is.
#[derive(Debug)]
pub(super) enum Message {
    /// A message of the protocol.
    Sound(Box<ClientJsonRpcMessage>),
    /// Nothing that can be worked on; this is to be answered.
    Refused(Box<ServerJsonRpcMessage>),
    /// Nothing that asks for an answer.
    Nothing,
}

/// What is looked for in a line that is no message; the rest may be anything, of any depth.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    jsonrpc: Value,
    /// A `null` is one, too.
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    #[serde(default)]
    method: Value,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Says what a line is. O(bytes).
pub(super) fn parse(line: &[u8]) -> Message {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Message::Nothing;
    }
    if line[0] == b'[' {
        let why = "batches are not part of this protocol; send one message a line";
        return refused(ErrorData::invalid_request(why, None), None);
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Message::Sound(Box::new(message)),
        Err(error) => error,
    };
    let Ok(envelope) = serde_json::from_slice::<Envelope>(line) else {
        let why = "the line is not JSON; a message is one JSON object on one line";
        return refused(ErrorData::parse_error(why, None), None);
    };
    match (&envelope.id, envelope.method.is_null()) {
        // An answer to nothing that was asked: to answer it in turn might never end.
        (Some(_), true) => return Message::Nothing,
        // Notifications are never answered.
        (None, false) => return Message::Nothing,
        _ => {}
    }
    let id = envelope.id.and_then(|id| serde_json::from_value::<RequestId>(id).ok());
    if error.classify() != Category::Data {
        return refused(
            ErrorData::parse_error(format!("the JSON cannot be read: {error}"), None),
            id,
        );
    }
    let is_answer = envelope.result.is_some() || envelope.error.is_some();
    let is_request = id.is_some() && envelope.jsonrpc == "2.0" && !is_answer;
    match envelope.method.as_str().filter(|_| is_request) {
        Some(method) => {
            let method: String = text::plain(method).chars().take(80).collect();
            let why = format!("the `params` of `{method}` cannot be read; they are an object");
            refused(ErrorData::invalid_params(why, None), id)
        }
        None => {
            let why = "no request of JSON-RPC 2.0: it has `jsonrpc`, a `method`, and an `id` that is a \
                       string or a whole number";
            refused(ErrorData::invalid_request(why, None), id)
        }
    }
}

/// Returns the answer to what cannot be worked on.
pub(super) fn refused(error: ErrorData, id: Option<RequestId>) -> Message {
    Message::Refused(Box::new(ServerJsonRpcMessage::error(error, id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_within_bounds() {
        let mut input = b"a\n\nbc\r\n".to_vec();
        input.extend(vec![b'x'; BYTES_MAX + 1]);
        input.extend(b"\n");
        input.extend(vec![b'y'; BYTES_MAX]);
        input.extend(b"\nhalf");
        let (mut input, mut buffer) = (&input[..], Vec::new());
        let mut next = || (read(&mut input, &mut buffer), buffer.len());
        assert_eq!(next(), (Line::Whole, 1));
        assert_eq!(next(), (Line::Whole, 0));
        assert_eq!(next(), (Line::Whole, 3));
        assert_eq!(next(), (Line::TooLong, 0));
        assert_eq!(next(), (Line::Whole, BYTES_MAX));
        assert_eq!(next().0, Line::End);
        assert_eq!(next().0, Line::End);
    }

    /// Says what becomes of a line: `sound`, `nothing`, or the answer's code and id.
    #[track_caller]
    fn check(line: &[u8], expected: &str) {
        let became = match parse(line) {
            Message::Sound(_) => "sound".to_owned(),
            Message::Nothing => "nothing".to_owned(),
            Message::Refused(answer) => {
                let answer = serde_json::to_value(answer).expect("it is JSON");
                format!("{} {}", answer["error"]["code"], answer["id"])
            }
        };
        assert_eq!(became, expected, "{}", String::from_utf8_lossy(&line[..line.len().min(80)]));
    }

    #[test]
    fn every_line_is_a_message_or_told() {
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", "sound");
        check(b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nobody/knows\"}\r", "sound");
        check(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nobody\"}", "sound");
        check(b"  ", "nothing");
        check(b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", "-32600 null");
        check(b"hello", "-32700 null");
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1,", "-32700 null");
        check(b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", "-32600 null");
        check(b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}", "-32600 7");
        check(b"{\"jsonrpc\":\"2.0\",\"id\":7}", "nothing");
        check(b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":5}", "nothing");
        check(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":5}", "-32602 7");
        check(b"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"x\",\"result\":1}", "-32600 \"a\"");
        check(
            b"{\"id\":7,\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"\xFF\"}}",
            "-32700 7",
        );
        let deep = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}{},\"id\":8}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        check(deep.as_bytes(), "-32700 8");
    }
}
