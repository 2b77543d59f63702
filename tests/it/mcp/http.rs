//! `codedb serve` from the client's view: valid and invalid requests over a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::place;
use crate::support::place::{Answer, Place};

/// The time limit of a reply.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) const TOKEN: &str = "0123456789abcdef-token";

/// A running server for the tree of a place; dropping it stops the server.
pub(super) struct Server {
    child: Child,
    address: SocketAddr,
}

/// The response.
pub(super) struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.head, self.body))
    }
}

impl Server {
    pub(super) fn start(place: &Place, token: Option<&str>) -> Server {
        Server::with(place, token, &[])
    }

    /// Starts a server on a free port of the loopback interface.
    pub(super) fn with(place: &Place, token: Option<&str>, args: &[&str]) -> Server {
        Server::start_with(place, token, &[&["--listen", "127.0.0.1:0"], args].concat())
    }

    fn start_with(place: &Place, token: Option<&str>, args: &[&str]) -> Server {
        let mut command = place.codedb("serve");
        command.args(["--toolsets", "all"]).args(args);
        command.env_remove("CODEDB_TOKEN");
        command.envs(token.map(|token| ("CODEDB_TOKEN", token)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("it prints its address");
        let address = line.trim().strip_prefix("serving at http://");
        let address = address.and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{line:?}")).parse().expect("an address");
        Server { child, address }
    }

    /// Returns the address of the endpoint.
    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Sends the bytes of a request and reads the response.
    fn raw(&self, request: &[u8]) -> Response {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        // A server that refuses a request may close the connection before it is read completely.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Response { status: status.unwrap_or(0), head: head.to_owned(), body: body.to_owned() }
    }

    /// Sends a request with these headers in addition to the mandatory ones.
    fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        self.raw(request.as_bytes())
    }

    /// Sends a message of the protocol.
    pub(super) fn post(&self, headers: &[(&str, &str)], message: &Value) -> Response {
        let both = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let headers: Vec<(&str, &str)> = both.into_iter().chain(headers.iter().copied()).collect();
        self.send("POST /mcp", &headers, &message.to_string())
    }

    pub(super) fn call(&self, id: u32, name: &str, arguments: &Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let answer = self.post(&[("MCP-Protocol-Version", "2025-11-25")], &message).json();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize() -> Value {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

#[test]
fn both_protocol_versions_are_served_without_sessions() {
    let place = place();
    let server = Server::start(&place, None);
    let answer = server.post(&[], &initialize());
    assert!(!answer.head.to_lowercase().contains("mcp-session-id"), "{}", answer.head);
    assert_eq!(answer.json()["result"]["protocolVersion"], "2025-11-25");
    let reported = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let of_era = [("MCP-Protocol-Version", "2025-11-25")];
    assert_eq!(server.post(&of_era, &reported).status, 202);
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let listed = server.post(&of_era, &list).json();
    assert_eq!(listed["result"]["tools"][0]["name"], "codedb_context");
    let found = server.call(3, "codedb_find", &json!({"query": "cart"}));
    assert_eq!(found["content"][0]["text"], "src/cart.rs\n");
    let callers = server.call(4, "codedb_callers", &json!({"name": "add_item"}));
    let text = callers["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("src/main.rs"), "{text}");

    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"_meta": meta, "name": "codedb_find", "arguments": {"query": "cart"}});
    let message = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
    let of_era = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "codedb_find"),
    ];
    let answer = server.post(&of_era, &message).json();
    assert_eq!(answer["result"]["content"][0]["text"], "src/cart.rs\n", "{answer}");
}

#[test]
fn unauthorised_requests_are_refused_on_every_path() {
    let place = place();
    let server = Server::start(&place, Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let sound = [("Authorization", bearer.as_str())];
    for line in ["GET /healthz", "GET /metrics", "POST /mcp", "GET /none"] {
        for foreign in [("Host", "evil.example"), ("Origin", "http://evil.example")] {
            let answer = server.send(line, &[foreign, sound[0]], "");
            assert_eq!(answer.status, 403, "{line} {foreign:?}: {}", answer.head);
        }
        if line != "GET /healthz" {
            assert_eq!(server.send(line, &[], "").status, 401, "{line}");
            let wrong = [("Authorization", "Bearer wrong")];
            assert_eq!(server.send(line, &wrong, "").status, 401, "{line}");
        }
    }
    assert_eq!(server.send("GET /healthz", &[], "").body, "ok\n");
    assert_eq!(server.post(&sound, &initialize()).status, 200);
    let metrics = server.send("GET /metrics", &sound, "").body;
    assert!(metrics.contains("codedb_requests_refused_total 14\n"), "{metrics}");
    assert_eq!(server.send("GET /none", &sound, "").status, 404);
    assert_eq!(server.send("POST /healthz", &sound, "").status, 405);
    assert_eq!(server.send("GET /mcp", &sound, "").status, 405);
    // Requests that a web page may send without a preflight request.
    let accepted = ("Accept", "application/json, text/event-stream");
    let plain = [sound[0], ("Content-Type", "text/plain"), accepted];
    assert_eq!(server.send("POST /mcp", &plain, &initialize().to_string()).status, 415);
}

#[test]
fn remote_clients_need_a_token() {
    let place = place();
    let refused_with = |token: Option<&str>, args: &[&str]| {
        let mut command = place.codedb("serve");
        command.args(args).env_remove("CODEDB_TOKEN");
        command.envs(token.map(|token| ("CODEDB_TOKEN", token)));
        let answer = Answer::of(command);
        assert_eq!((answer.code, answer.stdout.len()), (2, 0), "{}", answer.stderr);
        answer.stderr
    };
    let refused = |token, listen| refused_with(token, &["--listen", listen]);
    let reported = refused(None, "0.0.0.0:0");
    assert!(reported.contains("other machines") && reported.contains("CODEDB_TOKEN"), "{reported}");
    let reported = refused(Some("short"), "127.0.0.1:0");
    assert!(reported.contains("at least 16"), "{reported}");
    let other = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = other.local_addr().expect("an address").to_string();
    let reported = refused(None, &taken);
    assert!(reported.contains(&format!("cannot listen on {taken}")), "{reported}");
    drop(other);
    let reported = refused_with(None, &["--allow-host", "build.example:7370"]);
    assert!(
        reported.contains("without a port") && reported.contains("`build.example`"),
        "{reported}"
    );
    let reported = refused_with(None, &["--allow-edit"]);
    assert!(
        reported.contains("requires a token") && reported.contains("CODEDB_TOKEN"),
        "{reported}"
    );
}

#[test]
fn the_printed_address_can_be_reached() {
    let place = place();
    let server = Server::start_with(&place, Some(TOKEN), &["--listen", "0.0.0.0:0"]);
    assert_eq!(server.address.ip().to_string(), "127.0.0.1");
    assert_eq!(server.send("GET /healthz", &[], "").body, "ok\n");
    let other = format!("build.example:{}", server.address.port());
    assert_eq!(server.send("GET /healthz", &[("Host", &other)], "").status, 403);
    drop(server);
    let named = ["--listen", "0.0.0.0:0", "--allow-host", "build.example"];
    let server = Server::start_with(&place, Some(TOKEN), &named);
    assert_eq!(server.send("GET /healthz", &[("Host", &other)], "").status, 200);
}

#[test]
fn files_are_edited_over_http_with_a_token() {
    let place = place();
    let allowed = ["--listen", "127.0.0.1:0", "--allow-edit"];
    let server = Server::start_with(&place, Some(TOKEN), &allowed);
    let arguments = json!({"path": "README.md", "op": "insert", "after": 2, "content": "Open."});
    let params = json!({"name": "codedb_edit", "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let of_era = ("MCP-Protocol-Version", "2025-11-25");
    assert_eq!(server.post(&[of_era], &message).status, 401);
    let bearer = format!("Bearer {TOKEN}");
    let answer = server.post(&[of_era, ("Authorization", &bearer)], &message).json();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let text = std::fs::read_to_string(place.root().join("README.md")).expect("it exists");
    assert_eq!(text, "# Shop\n\nOpen.\nSells things.\n");
}

#[test]
fn invalid_requests_close_only_their_connection() {
    let place = place();
    let server = Server::start(&place, None);
    assert_eq!(server.raw(b"\x00\x01\x02\r\n\r\n").status, 400);
    let long =
        format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    assert_eq!(server.raw(long.as_bytes()).status, 431);
    assert_eq!(server.post(&[], &json!([initialize()])).status, 415, "a batch");
    assert_eq!(server.post(&[], &json!({"id": 1})).status, 415, "no message");
    let huge = json!({"jsonrpc": "2.0", "id": 1, "method": "x".repeat(17 << 20)});
    assert_eq!(server.post(&[], &huge).status, 413);
    // An incomplete request without further data.
    let mut half = TcpStream::connect(server.address).expect("it listens");
    half.write_all(b"POST /mcp HTTP/1.1\r\nHost: loc").expect("it reads");
    drop(half);
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/none"});
    assert_eq!(server.post(&[], &unknown).json()["error"]["code"], -32601);
    assert_eq!(server.post(&[], &initialize()).status, 200);
}

/// How long a client with the token may wait beside others. A slow head keeps a connection for 10 s.
const FAIR: Duration = Duration::from_secs(9);

/// How long the server keeps a connection that sends nothing.
const IDLE: Duration = Duration::from_secs(10);

/// Opens connections that send `request` and stay open.
fn connections(server: &Server, count: usize, request: &[u8]) -> Vec<TcpStream> {
    let open = |_| {
        let mut stream = TcpStream::connect(server.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        // The server may have closed it already.
        let _ = stream.write_all(request);
        stream
    };
    (0..count).map(open).collect()
}

#[track_caller]
fn check_served(server: &Server, headers: &[(&str, &str)]) {
    let started = Instant::now();
    for _ in 0..3 {
        assert_eq!(server.post(headers, &initialize()).status, 200);
    }
    assert!(started.elapsed() < FAIR, "{:?}", started.elapsed());
}

#[test]
fn clients_without_the_token_do_not_starve_others() {
    let place = place();
    let server = Server::start(&place, Some(TOKEN));
    let bearer = format!("Bearer {TOKEN}");
    let token = [("Authorization", bearer.as_str())];
    let authorised =
        format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: {bearer}\r\n\r\n");
    // A client with the token that was there before. The server closes connections that are idle
    // for `IDLE`, so a round that took longer on a busy machine says nothing about it.
    let mut known = connections(&server, 1, authorised.as_bytes()).remove(0);
    read_one_answer(&mut known);
    let (mut asked, mut rounds_compared) = (Instant::now(), 0);
    for request in [
        // Nothing, half a head, and requests that are answered without the token.
        "",
        "GET /healthz HTT",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ] {
        let others = connections(&server, 300, request.as_bytes());
        check_served(&server, &token);
        if asked.elapsed() < IDLE / 2 {
            known.write_all(authorised.as_bytes()).expect("it is open");
            rounds_compared += 1;
        } else {
            known = connections(&server, 1, authorised.as_bytes()).remove(0);
        }
        read_one_answer(&mut known);
        asked = Instant::now();
        drop(others);
    }
    assert!(rounds_compared > 0, "the machine is too busy to tell");
    // Answered connections are closed, so that a client cannot keep one by repeating a request.
    for (path, host, status) in
        [("/healthz", "localhost", "200"), ("/mcp", "localhost", "401"), ("/mcp", "evil", "403")]
    {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let answer = server.raw(request.repeat(2).as_bytes());
        assert!(answer.head.starts_with(&format!("HTTP/1.1 {status}")), "{}", answer.head);
        assert!(answer.head.to_lowercase().contains("connection: close"), "{}", answer.head);
        assert!(!answer.body.contains("HTTP/1.1"), "a second answer: {}", answer.body);
    }
    // A body that follows the head later does not hide the response.
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n";
    let mut late = connections(&server, 1, head.as_bytes()).remove(0);
    std::thread::sleep(Duration::from_millis(200));
    late.write_all(&[b'x'; 100]).expect("it is open");
    let mut text = String::new();
    late.read_to_string(&mut text).expect("it answers");
    assert!(text.starts_with("HTTP/1.1 401"), "{text}");
}

/// Reads the head and the body of one response, whose head states the length.
#[track_caller]
fn read_one_answer(stream: &mut TcpStream) {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), None);
    while line != "\r\n" {
        line.clear();
        assert!(reader.read_line(&mut line).expect("it answers") > 0, "the connection was closed");
        let lower = line.to_lowercase();
        length = lower.strip_prefix("content-length:").map_or(length, |n| n.trim().parse().ok());
    }
    let mut body = vec![0; length.expect("the head states the length")];
    reader.read_exact(&mut body).expect("the body is whole");
}

#[test]
fn slow_requests_do_not_starve_others() {
    let place = place();
    let server = Server::start(&place, None);
    let half = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{";
    let slow = connections(&server, 100, half.as_bytes());
    check_served(&server, &[]);
    drop(slow);
    // A body with a length, and one in chunks.
    let long = "x".repeat(5 << 20);
    assert_eq!(server.post(&[], &json!({"id": long})).status, 413);
    let mut chunked =
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\
                        500000\r\n"
            .to_vec();
    chunked.extend(long.as_bytes());
    assert_eq!(server.raw(&chunked).status, 413);
    let many = json!({"jsonrpc": "2.0", "id": 1, "method": "x", "params": vec![1; 20_000]});
    let refused = server.post(&[], &many);
    assert_eq!(
        (refused.status, refused.body.as_str()),
        (413, "a message has at most 10000 JSON values\n")
    );
    check_served(&server, &[]);
}

#[test]
fn concurrent_clients_get_their_own_replies() {
    let place = place();
    for number in 0..32 {
        place.write(format!("many/file{number}.rs"), format!("pub fn only_{number}() {{}}\n"));
    }
    let server = Server::start(&place, None);
    // Waits until the index is complete.
    server.call(1, "codedb_symbol", &json!({"name": "only_0"}));
    let started = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..32_u32 {
            let server = &server;
            scope.spawn(move || {
                for round in 0..4 {
                    let id = number * 100 + round;
                    let name = format!("only_{number}");
                    let (tool, arguments) = match round {
                        0 => ("codedb_symbol", json!({"name": name})),
                        1 => ("codedb_search", json!({"query": format!("{name}()")})),
                        2 => ("codedb_word", json!({"word": name})),
                        _ => ("codedb_outline", json!({"path": format!("many/file{number}.rs")})),
                    };
                    let answer = server.call(id, tool, &arguments);
                    let text = answer["content"][0]["text"].as_str().expect("a text");
                    assert!(text.contains(&name), "{tool}: {text}");
                    let others = text.matches("only_").count();
                    assert_eq!(others, text.matches(&name).count(), "{tool}: {text}");
                }
            });
        }
    });
    assert!(started.elapsed() < PATIENCE, "it took {:?}", started.elapsed());
}
