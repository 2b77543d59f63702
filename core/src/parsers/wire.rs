//! The messages between a process and its parse workers.
//!
//! ```text
//! worker → READY                                  once, when it can receive requests
//! → u32 length of the rest, u16 language, u8 flags, u32 length of the path, path, text
//! ← u32 length of the rest, facts                 see crate::index::code::exchange
//! ```
//!
//! Numbers are little-endian. Each side sends its next message only after it has received the
//! other's, so neither can block the other.

use std::io::{self, Read, Write};

use crate::index::code::exchange;
use crate::lang::language::LANGUAGES;
use crate::lang::{Facts, Language, Limits};

/// What a worker sends when it can receive requests.
pub(super) const READY: u8 = 0xC0;

/// The flag of requests whose reply contains references and imports.
const WITH_REFERENCES: u8 = 1;

/// Bytes between the length of a request and its path.
const HEAD_BYTES: usize = 7;

/// Maximum length of a request. Paths are at most some KiB long.
const REQUEST_BYTES_MAX: usize = Limits::DEFAULT.bytes_max + (1 << 20);

/// Maximum length of a reply. The facts of 4 MiB of text are far smaller.
const REPLY_BYTES_MAX: usize = 512 << 20;

/// A text to parse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) language: &'static Language,
    pub(super) path: &'a str,
    pub(super) text: &'a [u8],
    pub(super) with_references: bool,
}

/// Sends a request.
pub(super) fn write_request(out: &mut impl Write, request: &Request<'_>) -> io::Result<()> {
    let Request { language, path, text, with_references } = *request;
    let place = LANGUAGES.iter().position(|one| *one == language).unwrap_or_default();
    let len = HEAD_BYTES + path.len() + text.len();
    let mut head = Vec::with_capacity(4 + HEAD_BYTES + path.len());
    head.extend_from_slice(&(len as u32).to_le_bytes());
    head.extend_from_slice(&(place as u16).to_le_bytes());
    head.push(if with_references { WITH_REFERENCES } else { 0 });
    head.extend_from_slice(&(path.len() as u32).to_le_bytes());
    head.extend_from_slice(path.as_bytes());
    out.write_all(&head)?;
    out.write_all(text)?;
    out.flush()
}

/// Receives a request into `buffer`; `None` if the other side has ended.
pub(super) fn read_request<'a>(
    input: &mut impl Read,
    buffer: &'a mut Vec<u8>,
) -> io::Result<Option<Request<'a>>> {
    let Some(len) = read_len(input, REQUEST_BYTES_MAX)? else { return Ok(None) };
    buffer.resize(len, 0);
    input.read_exact(buffer)?;
    request(buffer).map(Some).ok_or_else(|| io::Error::other("invalid request"))
}

fn request(bytes: &[u8]) -> Option<Request<'_>> {
    let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
    let place = u16::from_le_bytes([head[0], head[1]]);
    let path_len = u32::from_le_bytes([head[3], head[4], head[5], head[6]]);
    let (path, text) = rest.split_at_checked(path_len as usize)?;
    Some(Request {
        language: LANGUAGES.get(usize::from(place)).copied()?,
        path: std::str::from_utf8(path).ok()?,
        text,
        with_references: head[2] & WITH_REFERENCES != 0,
    })
}

/// Sends facts; `buffer` is reused.
pub(super) fn write_facts(
    out: &mut impl Write,
    facts: &Facts,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    buffer.clear();
    buffer.extend_from_slice(&[0; 4]);
    exchange::put_facts(buffer, facts);
    let len = (buffer.len() - 4) as u32;
    buffer[..4].copy_from_slice(&len.to_le_bytes());
    out.write_all(buffer)?;
    out.flush()
}

/// Receives the facts of a request.
pub(super) fn read_facts(input: &mut impl Read, request: &Request<'_>) -> io::Result<Facts> {
    let Some(len) = read_len(input, REPLY_BYTES_MAX)? else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    let mut bytes = Vec::new();
    // Not allocated at once: a worker whose memory is damaged may send any length.
    input.take(len as u64).read_to_end(&mut bytes)?;
    exchange::facts(&bytes, request.path, request.text.len())
        .filter(|_| bytes.len() == len)
        .ok_or_else(|| io::Error::other("invalid facts"))
}

/// Reads the length of a message; `None` at the end of the input.
fn read_len(input: &mut impl Read, max: usize) -> io::Result<Option<usize>> {
    let mut len = [0; 4];
    match input.read_exact(&mut len) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let len = u32::from_le_bytes(len) as usize;
    if len > max { Err(io::Error::other("invalid length")) } else { Ok(Some(len)) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::lang::language;

    #[test]
    fn requests_and_facts_are_transferred() {
        let language = language::of_path(Path::new("a.rs")).expect("a language");
        let text = b"fn first() { second(); }\n";
        let sent = Request { language, path: "src/a.rs", text, with_references: true };
        let mut bytes = Vec::new();
        write_request(&mut bytes, &sent).expect("written");
        let (mut buffer, mut input) = (Vec::new(), bytes.as_slice());
        let found = read_request(&mut input, &mut buffer).expect("valid").expect("a request");
        assert_eq!((found.language, found.path, found.text), (language, "src/a.rs", &text[..]));
        let facts = super::super::parse_here(language, found.path, found.text, true);
        assert_eq!(facts.references.len(), 1);
        let mut reply = Vec::new();
        write_facts(&mut reply, &facts, &mut Vec::new()).expect("written");
        let received = read_facts(&mut reply.as_slice(), &sent).expect("valid");
        assert_eq!(received.references, facts.references);
        assert!(read_facts(&mut &reply[..reply.len() - 1], &sent).is_err(), "cut");
        assert!(read_request(&mut input, &mut buffer).expect("the end").is_none());
    }

    proptest! {
        #[test]
        fn arbitrary_messages_are_refused(bytes: Vec<u8>) {
            let language = LANGUAGES[0];
            let request = Request { language, path: "a", text: b"text", with_references: true };
            let mut message = (bytes.len() as u32).to_le_bytes().to_vec();
            message.extend_from_slice(&bytes);
            let _ = read_facts(&mut message.as_slice(), &request);
            let _ = read_facts(&mut bytes.as_slice(), &request);
            let _ = read_request(&mut message.as_slice(), &mut Vec::new());
            let _ = read_request(&mut bytes.as_slice(), &mut Vec::new());
        }
    }
}
