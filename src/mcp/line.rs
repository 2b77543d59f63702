//! Splits the input into lines, bounds their length, and parses each line as a message.

use std::fmt;

use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;

use super::values;
use crate::base::text;

/// The maximum length of a message in bytes.
pub(super) const BYTES_MAX: usize = 16 << 20;

/// The buffer capacity in bytes that is kept between messages.
pub(super) const KEPT_BYTES: usize = 1 << 20;

/// A complete line without its line end.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Line<'a> {
    /// The bytes of the line.
    Whole(&'a [u8]),
    /// A line of more than [`BYTES_MAX`] bytes, which were dropped.
    TooLong,
}

/// The buffered input of a stream: complete lines, and the start of an incomplete one. If the stream
/// ends, the incomplete line is ignored.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// The start of the next line.
    start: usize,
    /// The position up to which the next line was searched for its end.
    scanned: usize,
    is_too_long: bool,
}

impl Lines {
    /// Appends bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.bytes.is_empty() {
            // The buffer of a long message is released.
            self.bytes.shrink_to(KEPT_BYTES);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next line once it is complete.
    pub(super) fn next(&mut self) -> Option<Line<'_>> {
        let found = memchr::memchr(b'\n', &self.bytes[self.scanned..]);
        let Some(end) = found.map(|at| self.scanned + at) else {
            self.scanned = self.bytes.len();
            if self.scanned - self.start > BYTES_MAX {
                *self = Lines { is_too_long: true, ..Lines::default() };
            }
            return None;
        };
        let line = self.start..end;
        (self.start, self.scanned) = (end + 1, end + 1);
        let is_too_long = std::mem::take(&mut self.is_too_long) || line.len() > BYTES_MAX;
        Some(if is_too_long { Line::TooLong } else { Line::Whole(&self.bytes[line]) })
    }
}

/// The kind of a line.
#[derive(Debug)]
pub(super) enum Message {
    /// A message of the protocol.
    Valid(Box<ClientJsonRpcMessage>),
    /// An invalid message and the response to it.
    Refused(Box<ServerJsonRpcMessage>),
    /// A line that needs no response.
    Ignored,
}

/// The fields that are read from a line that is not a valid message. All other content is ignored,
/// at any depth.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    jsonrpc: Value,
    /// `null` counts as present.
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

/// Classifies a line. O(bytes).
pub(super) fn parse(line: &[u8]) -> Message {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Message::Ignored;
    }
    if values::are_too_many(line) {
        return too_many(line);
    }
    if line[0] == b'[' {
        let why = "batches are not part of this protocol; send one message per line";
        return refused(ErrorData::invalid_request(why, None), None);
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Message::Valid(Box::new(message)),
        Err(error) => error,
    };
    let Ok(envelope) = serde_json::from_slice::<Envelope>(line) else {
        let why = "the line is not JSON; a message is one JSON object on one line";
        return refused(ErrorData::parse_error(why, None), None);
    };
    match (&envelope.id, envelope.method.is_null()) {
        // An invalid response is not answered, because two peers could then exchange errors forever.
        (Some(_), true) => return Message::Ignored,
        // Notifications are never answered.
        (None, false) => return Message::Ignored,
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
            let why = format!("invalid `params` of `{method}`; expected an object");
            refused(ErrorData::invalid_params(why, None), id)
        }
        None => {
            let why = "not a JSON-RPC 2.0 request, which has `jsonrpc`, a `method`, and an `id` that is a \
                       string or a whole number";
            refused(ErrorData::invalid_request(why, None), id)
        }
    }
}

/// The fields that are read from a message with too many values. Values of other kinds are skipped
/// without being stored.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Scalars {
    id: Option<Scalar>,
    method: Option<Scalar>,
}

/// A number or a text; `None` for every other value.
struct Scalar(Option<Value>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a text")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar, E> {
        Ok(Scalar(Some(number.into())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar, E> {
        Ok(Scalar(Some(number.into())))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar(Some(text.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scalar, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }
}

/// Refuses a message with too many values. A notification gets no response, and neither does a
/// response.
fn too_many(line: &[u8]) -> Message {
    let scalars: Scalars = serde_json::from_slice(line).unwrap_or_default();
    if scalars.id.is_some() != scalars.method.is_some() {
        return Message::Ignored;
    }
    let id = scalars.id.and_then(|id| serde_json::from_value::<RequestId>(id.0?).ok());
    refused(ErrorData::invalid_request(values::TOO_MANY, None), id)
}

/// Returns the response to an invalid message.
pub(super) fn refused(error: ErrorData, id: Option<RequestId>) -> Message {
    Message::Refused(Box::new(ServerJsonRpcMessage::error(error, id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_lines_is_bounded() {
        let mut input = b"a\n\nbc\r\n".to_vec();
        input.extend(vec![b'x'; BYTES_MAX + 1]);
        input.extend(b"\n");
        input.extend(vec![b'y'; BYTES_MAX]);
        input.extend(b"\nhalf");
        for bytes in [1000, 64 << 10, 5 << 20, input.len()] {
            let (mut lines, mut read) = (Lines::default(), Vec::new());
            for chunk in input.chunks(bytes) {
                lines.push(chunk);
                while let Some(line) = lines.next() {
                    read.push(match line {
                        Line::Whole(line) => Some(line.len()),
                        Line::TooLong => None,
                    });
                }
                assert!(lines.bytes.len() <= BYTES_MAX + bytes, "{} kept", lines.bytes.len());
            }
            assert_eq!(read, [Some(1), Some(0), Some(3), None, Some(BYTES_MAX)], "by {bytes}");
        }
    }

    /// Checks the kind of a line: `sound` (valid), `nothing` (ignored), or the code and id of the
    /// response.
    #[track_caller]
    fn check(line: &[u8], expected: &str) {
        let became = match parse(line) {
            Message::Valid(_) => "sound".to_owned(),
            Message::Ignored => "nothing".to_owned(),
            Message::Refused(answer) => {
                let answer = serde_json::to_value(answer).expect("it is JSON");
                format!("{} {}", answer["error"]["code"], answer["id"])
            }
        };
        assert_eq!(became, expected, "{}", String::from_utf8_lossy(&line[..line.len().min(80)]));
    }

    #[test]
    fn every_line_is_a_message_or_gets_an_error() {
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
        let many = "1,".repeat(1 << 20);
        let call =
            format!("{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[{many}1],\"id\":8}}");
        check(call.as_bytes(), "-32600 8");
        check(call.replace(",\"id\":8", "").as_bytes(), "nothing");
        check(call.replace("8}", &format!("[{many}1]}}")).as_bytes(), "-32600 null");
        check(format!("[{many}1]").as_bytes(), "-32600 null");
        let deep = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}{},\"id\":8}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        check(deep.as_bytes(), "-32600 8");
        let deep = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}{},\"id\":8}}",
            "[".repeat(1000),
            "]".repeat(1000)
        );
        check(deep.as_bytes(), "-32700 8");
    }
}
