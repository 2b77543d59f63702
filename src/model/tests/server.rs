//! A server on a loopback address: it checks each request as the real service does, remembers what
//! it replied, and performs a script.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::rules::{self, Rejection};
use crate::model::Protocol;

/// What the server does with a request that it accepts.
pub(super) enum Step {
    /// Sends a reply of the protocol, which the next request must repeat.
    Reply(Value),
    /// Sends bytes and closes the connection.
    Raw(Vec<u8>),
    /// As before, with a reply that the next request must repeat.
    RawReply(Vec<u8>, Value),
    /// Sends bytes, if any, and keeps the connection open until the server ends.
    Hang(Vec<u8>),
    /// Sends a reply and waits for the next request on the same connection.
    Keep(Value),
    /// Sends a reply as if the connection would stay open, and closes it.
    Drop(Value),
}

/// A running server. It ends when it is dropped.
pub(super) struct Server {
    address: SocketAddr,
    protocol: Protocol,
    state: Arc<Mutex<State>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A request as it was received.
pub(super) struct Received {
    pub(super) method: String,
    pub(super) path: String,
    /// Names are in lower case.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

struct State {
    protocol: Protocol,
    key: Option<String>,
    script: VecDeque<Step>,
    /// The replies so far.
    replies: Vec<Value>,
    /// The accepted requests.
    requests: Vec<Value>,
    rejections: Vec<String>,
    /// Everything that was received.
    bytes: Vec<u8>,
    /// The number of connections.
    connections: usize,
}

impl Server {
    /// Starts a server that requires `key` and performs `script`, one step for each request.
    pub(super) fn start(protocol: Protocol, key: Option<&str>, script: Vec<Step>) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = State {
            protocol,
            key: key.map(str::to_owned),
            script: script.into(),
            replies: Vec::new(),
            requests: Vec::new(),
            rejections: Vec::new(),
            bytes: Vec::new(),
            connections: 0,
        };
        let state = Arc::new(Mutex::new(state));
        let is_over = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (state, is_over) = (state.clone(), is_over.clone());
            move || {
                let mut hanging = Vec::new();
                for stream in listener.incoming() {
                    if is_over.load(Ordering::SeqCst) {
                        break;
                    }
                    // A client that gives up is no failure of the server.
                    if let Ok(stream) = stream
                        && let Ok(Some(stream)) = serve(stream, &state)
                    {
                        hanging.push(stream);
                    }
                }
            }
        });
        Server { address, protocol, state, is_over, thread: Some(thread) }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The bodies of the accepted requests. Panics if a request was rejected.
    pub(super) fn requests(&self) -> Vec<Value> {
        let state = self.state.lock().expect("a state");
        assert_eq!(state.rejections, Vec::<String>::new(), "rejected requests");
        state.requests.clone()
    }

    /// The reasons of rejections so far.
    pub(super) fn rejections(&self) -> Vec<String> {
        self.state.lock().expect("a state").rejections.clone()
    }

    /// The number of connections.
    pub(super) fn connections(&self) -> usize {
        self.state.lock().expect("a state").connections
    }

    /// Everything that was received.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.state.lock().expect("a state").bytes.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Serves one connection. Returns it if it is to stay open.
fn serve(mut stream: TcpStream, state: &Mutex<State>) -> io::Result<Option<TcpStream>> {
    // A guard against tests that never end, not a time that a test waits for.
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    state.lock().expect("a state").connections += 1;
    loop {
        match serve_one(&mut stream, state)? {
            After::Close => return Ok(None),
            After::Hang => return Ok(Some(stream)),
            After::Next => {}
        }
    }
}

/// What happens to a connection after a request.
enum After {
    Close,
    Hang,
    Next,
}

fn serve_one(stream: &mut TcpStream, state: &Mutex<State>) -> io::Result<After> {
    let mut bytes = Vec::new();
    let received = read(stream, &mut bytes);
    let mut state = state.lock().expect("a state");
    state.bytes.extend(&bytes);
    let Some(received) = received? else {
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")?;
        return Ok(After::Close);
    };
    let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
    let key = state.key.clone();
    let checked = rules::check(state.protocol, &received, &body, key.as_deref(), &state.replies);
    if let Err(Rejection { status, message }) = checked {
        state.rejections.push(message.clone());
        let body = json!({"type": "error", "error": {"type": "invalid", "message": message}});
        stream.write_all(&status_reply(status, &[], &body.to_string()))?;
        return Ok(After::Close);
    }
    state.requests.push(body);
    let step = state.script.pop_front();
    if let Some(
        Step::Reply(reply) | Step::RawReply(_, reply) | Step::Keep(reply) | Step::Drop(reply),
    ) = &step
    {
        state.replies.push(reply.clone());
    }
    drop(state);
    let (bytes, after) = match step {
        Some(Step::Reply(reply)) => (status_reply(200, &[], &reply.to_string()), After::Close),
        Some(Step::Raw(bytes) | Step::RawReply(bytes, _)) => (bytes, After::Close),
        Some(Step::Hang(bytes)) => (bytes, After::Hang),
        Some(Step::Keep(reply)) => (kept_reply(&reply), After::Next),
        Some(Step::Drop(reply)) => (kept_reply(&reply), After::Close),
        None => (status_reply(400, &[], "the script is over"), After::Close),
    };
    stream.write_all(&bytes)?;
    Ok(after)
}

fn kept_reply(reply: &Value) -> Vec<u8> {
    let body = reply.to_string();
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Reads a request, with a copy of what was read. Returns `None` for what is not HTTP.
fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<Option<Received>> {
    let mut buffer = [0; 4096];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        let count = stream.read(&mut buffer)?;
        bytes.extend(&buffer[..count]);
        if count == 0 || !bytes[0].is_ascii_alphabetic() {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let method = words.next().unwrap_or_default();
    let path = words.next().unwrap_or_default();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok());
    let length: usize = length.unwrap_or_default();
    while bytes.len() < end + 4 + length {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        bytes.extend(&buffer[..count]);
    }
    let body = bytes[end + 4..].to_vec();
    Ok(Some(Received { method, path, headers, body }))
}

/// A complete reply.
pub(super) fn status_reply(status: u16, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} Status\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    head.into_bytes()
}
