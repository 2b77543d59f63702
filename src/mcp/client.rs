//! A client that lists the tools of an MCP server: over the standard streams of a process that it
//! starts, or over HTTP.
//!
//! It reads definitions as JSON, not as rmcp's types, because a comparison needs every member. It
//! declares no capabilities and calls no tool. Everything that a server sends is bounded: the time,
//! the bytes, the pages and the tools. `process` and `http` are the transports. One line of a process before its
//! first message may be something else: some print a greeting.

#[cfg(feature = "model")]
mod http;
mod process;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use url::Url;

use crate::base::interrupt::Interrupt;
use crate::base::text::plain;
use crate::drift::list;
use crate::error::{Error, Kind, Result};

/// The maximum number of pages of a list.
const PAGES_MAX: usize = 200;

/// The maximum number of tools.
const TOOLS_MAX: usize = 10_000;

/// The maximum number of bytes that a server may send.
const BYTES_MAX: usize = 32 << 20;

/// The maximum number of characters of a server's text in a message.
const SHOWN_MAX: usize = 200;

/// The version that the client requests; servers answer with the one that they use.
const PROTOCOL: &str = "2025-11-25";

/// The version for servers without `initialize`.
const STATELESS_PROTOCOL: &str = "2026-07-28";

/// The error code of an unknown method.
const METHOD_NOT_FOUND: i64 = -32601;

/// How often a wait checks whether the caller has cancelled.
const POLL: Duration = Duration::from_millis(20);

/// A server.
#[derive(Clone, Debug)]
pub enum Endpoint {
    /// A command, which is started and ended.
    Command {
        /// The program, found on the PATH.
        program: OsString,
        /// Its arguments.
        args: Vec<OsString>,
    },
    /// The address of a server with the transport "Streamable HTTP".
    Url(Url),
}

/// The tools of a server.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The name that the server gives itself.
    pub server: String,
    /// Its version.
    pub version: String,
    /// The version of the protocol.
    pub protocol: String,
    /// A line before its first message that is none, for display.
    pub noise: Option<String>,
    /// The definitions of all pages, in order; all have names, and no name occurs twice.
    pub tools: Vec<Value>,
}

/// Lists the tools of a server. `connected` is called with the server's name and version once it has
/// answered. A process that was started is ended, with those that it started.
///
/// # Errors
///
/// [`Kind::Limit`] if the time limit passes or the server sends too much; [`Kind::Cancelled`];
/// [`Kind::Io`] if the server cannot be started or reached, or disconnects; [`Kind::Usage`] if what it
/// sends is not a tool list.
pub fn list_tools(
    endpoint: &Endpoint,
    timeout: Duration,
    interrupt: Interrupt<'_>,
    connected: &mut dyn FnMut(&str),
) -> Result<Listed> {
    let (mut client, listed) = Client::connect(endpoint, timeout, interrupt, connected)?;
    client.close();
    Ok(listed)
}

/// What a connected server did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Event {
    /// It says that its list changed, or may have changed it since it was listed.
    Changed,
    /// Nothing.
    None,
}

/// A connected server. It is ended when the client is dropped.
pub struct Client<'i> {
    connection: Box<dyn Connection>,
    timeout: Duration,
    interrupt: Interrupt<'i>,
    requests: u64,
    meta: Option<Value>,
    server: String,
    version: String,
    protocol: String,
}

impl<'i> Client<'i> {
    /// Connects to a server and lists its tools; see [`list_tools`].
    ///
    /// # Errors
    ///
    /// Those of [`list_tools`]; the server is ended then.
    pub fn connect(
        endpoint: &Endpoint,
        timeout: Duration,
        interrupt: Interrupt<'i>,
        connected: &mut dyn FnMut(&str),
    ) -> Result<(Client<'i>, Listed)> {
        let connection: Box<dyn Connection> = match endpoint {
            Endpoint::Command { program, args } => {
                Box::new(process::Process::start(program, args)?)
            }
            #[cfg(feature = "model")]
            Endpoint::Url(url) => Box::new(http::Http::new(url.clone())),
            #[cfg(not(feature = "model"))]
            Endpoint::Url(_) => {
                let error = Error::usage("this build of codedb has no HTTP client");
                return Err(error.with_hint("build it with the Cargo feature `model`"));
            }
        };
        let (server, version, protocol) = Default::default();
        let (requests, meta) = (0, None);
        let mut client =
            Client { connection, timeout, interrupt, requests, meta, server, version, protocol };
        let deadline = client.deadline(timeout);
        let mut session = client.session(deadline);
        let opened = session.open().and_then(|(server, version, protocol)| {
            connected(&shown(&format!("{server} {version}, protocol {protocol}")));
            Ok(((server, version, protocol), session.list()?))
        });
        let (requests, meta) = (session.requests, session.meta.take());
        (client.requests, client.meta) = (requests, meta);
        match opened {
            Ok(((server, version, protocol), tools)) => {
                (client.server, client.version, client.protocol) = (server, version, protocol);
                let listed = client.listed(tools);
                Ok((client, listed))
            }
            Err(error) => {
                client.close();
                Err(error)
            }
        }
    }

    /// Lists the tools again.
    ///
    /// # Errors
    ///
    /// Those of [`list_tools`].
    pub fn list(&mut self) -> Result<Listed> {
        self.connection.begin();
        let mut session = self.session(self.deadline(self.timeout));
        let tools = session.list();
        self.requests = session.requests;
        Ok(self.listed(tools?))
    }

    /// Waits until the server says that its list changed, at most `wait`.
    ///
    /// # Errors
    ///
    /// If it ended, sent what is no message, or the caller has cancelled.
    pub fn wait(&mut self, wait: Duration) -> Result<Event> {
        self.connection.wait(self.deadline(wait))
    }

    /// Ends the session, and the server if it was started.
    pub fn close(&mut self) {
        self.connection.close();
    }

    fn listed(&mut self, tools: Vec<Value>) -> Listed {
        let (server, version) = (self.server.clone(), self.version.clone());
        let (protocol, noise) = (self.protocol.clone(), self.connection.noise());
        Listed { server, version, protocol, noise, tools }
    }

    fn deadline(&self, timeout: Duration) -> Deadline<'i> {
        Deadline { at: Instant::now() + timeout, timeout, interrupt: self.interrupt }
    }

    fn session(&mut self, deadline: Deadline<'i>) -> Session<'_, 'i> {
        let (requests, meta) = (self.requests, self.meta.clone());
        Session { connection: &mut *self.connection, deadline, requests, meta }
    }
}

/// When a client gives up.
#[derive(Clone, Copy, Debug)]
struct Deadline<'i> {
    at: Instant,
    timeout: Duration,
    interrupt: Interrupt<'i>,
}

impl Deadline<'_> {
    /// Returns the time that is left.
    ///
    /// # Errors
    ///
    /// If none is left, or the caller has cancelled.
    fn left(&self) -> Result<Duration> {
        self.check()?;
        match self.at.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(left),
            _ => {
                let seconds = self.timeout.as_secs_f64();
                let message = format!("the server did not answer within {seconds} s");
                Err(Error::new(Kind::Limit, message).with_hint(
                    "`--timeout SECONDS` sets the limit; the first start may install packages",
                ))
            }
        }
    }

    /// Returns true if no time is left.
    fn is_over(&self) -> bool {
        Instant::now() >= self.at
    }

    /// Checks that the caller has not cancelled.
    fn check(&self) -> Result<()> {
        if self.interrupt.is_due() {
            return Err(Error::new(Kind::Cancelled, "cancelled; nothing was changed"));
        }
        Ok(())
    }

    /// Returns the time until the next check.
    fn next_check(&self) -> Result<Duration> {
        Ok(self.left()?.min(POLL))
    }
}

/// A transport.
trait Connection {
    /// Begins a list: limits are for one, and what changes from now on is announced by the next wait.
    fn begin(&mut self) {}
    /// Sends a request and returns its response.
    fn exchange(&mut self, request: &Value, deadline: Deadline<'_>) -> Result<Value>;
    /// Sends a notification.
    fn notify(&mut self, message: &Value, deadline: Deadline<'_>) -> Result<()>;
    /// Receives the version of the protocol.
    fn agree(&mut self, _protocol: &str) {}
    /// Waits for a change of the list until the deadline. A transport without notifications reports one
    /// then.
    fn wait(&mut self, deadline: Deadline<'_>) -> Result<Event> {
        while !deadline.is_over() {
            deadline.check()?;
            std::thread::sleep(POLL);
        }
        Ok(Event::Changed)
    }
    /// Returns the line before the first message that is none.
    fn noise(&self) -> Option<String> {
        None
    }
    /// Ends the session.
    fn close(&mut self);
}

/// A conversation with a server.
struct Session<'c, 'i> {
    connection: &'c mut dyn Connection,
    deadline: Deadline<'i>,
    requests: u64,
    /// What every request of a server without `initialize` carries.
    meta: Option<Value>,
}

impl Session<'_, '_> {
    fn list(&mut self) -> Result<Vec<Value>> {
        let mut tools: Vec<Value> = Vec::new();
        let mut cursors: Vec<String> = Vec::new();
        loop {
            let mut params = Map::new();
            if let Some(cursor) = cursors.last() {
                params.insert("cursor".to_owned(), cursor.clone().into());
            }
            let mut result = self.request("tools/list", params)?.map_err(refused("tools/list"))?;
            let Some(Value::Array(page)) = result.get_mut("tools").map(Value::take) else {
                return Err(Error::usage("the server's answer to `tools/list` is not a tool list"));
            };
            for tool in page {
                list::check(tools.len(), &tool).map_err(|error| {
                    error.map_texts(|text| format!("the server's list is invalid: {text}"))
                })?;
                tools.push(tool);
            }
            if tools.len() > TOOLS_MAX {
                return Err(limit(format!("the server lists more than {TOOLS_MAX} tools")));
            }
            match result.get("nextCursor").and_then(Value::as_str) {
                None => break,
                Some(next) if cursors.iter().any(|cursor| cursor == next) => {
                    return Err(Error::usage(
                        "the server's list does not end: a cursor came twice",
                    ));
                }
                Some(_) if cursors.len() + 1 >= PAGES_MAX => {
                    return Err(limit(format!(
                        "the server's list has more than {PAGES_MAX} pages"
                    )));
                }
                Some(next) => cursors.push(next.to_owned()),
            }
        }
        list::check_names(&tools)?;
        Ok(tools)
    }

    /// Opens the session. Returns the name and version of the server and the version of the protocol.
    fn open(&mut self) -> Result<(String, String, String)> {
        let client = json!({"name": "codedb", "version": env!("CARGO_PKG_VERSION")});
        let mut params = Map::new();
        params.insert("protocolVersion".to_owned(), PROTOCOL.into());
        params.insert("capabilities".to_owned(), json!({}));
        params.insert("clientInfo".to_owned(), client.clone());
        let result = match self.request("initialize", params)? {
            Ok(result) => result,
            Err(failure) if failure["code"].as_i64() == Some(METHOD_NOT_FOUND) => {
                self.meta = Some(json!({
                    "io.modelcontextprotocol/protocolVersion": STATELESS_PROTOCOL,
                    "io.modelcontextprotocol/clientInfo": client,
                    "io.modelcontextprotocol/clientCapabilities": {},
                }));
                self.connection.agree(STATELESS_PROTOCOL);
                return Ok(("the server".to_owned(), String::new(), STATELESS_PROTOCOL.to_owned()));
            }
            Err(failure) => return Err(refused("initialize")(failure)),
        };
        let Some(protocol) = result["protocolVersion"].as_str() else {
            return Err(Error::usage(
                "the server's answer to `initialize` has no `protocolVersion`",
            ));
        };
        self.connection.agree(protocol);
        let reported = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.connection.notify(&reported, self.deadline)?;
        let text = |name: &str| result["serverInfo"][name].as_str().unwrap_or_default().to_owned();
        Ok((text("name"), text("version"), protocol.to_owned()))
    }

    /// Sends a request. Returns its result, or the error object of the server.
    fn request(
        &mut self,
        method: &str,
        mut params: Map<String, Value>,
    ) -> Result<std::result::Result<Value, Value>> {
        self.requests += 1;
        if let Some(meta) = &self.meta {
            params.insert("_meta".to_owned(), meta.clone());
        }
        let request =
            json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params});
        let mut response = self.connection.exchange(&request, self.deadline)?;
        if response.get("error").is_some_and(|error| !error.is_null()) {
            return Ok(Err(response["error"].take()));
        }
        match response.get_mut("result") {
            Some(result) if result.is_object() => Ok(Ok(result.take())),
            _ => Err(Error::usage(format!("the server's answer to `{method}` has no result"))),
        }
    }
}

/// The notification about a changed list.
const LIST_CHANGED: &str = "notifications/tools/list_changed";

/// A message of the server.
enum Received {
    /// The response to a request.
    Response(Value),
    /// A request of the server, which a client answers.
    Request(Value),
    /// The list changed.
    Changed,
    /// Anything else that the protocol allows.
    Other,
}

/// Parses a message while the response to the request `id` is expected.
fn received(text: &[u8], id: &Value) -> Result<Received> {
    let message: Value = match serde_json::from_slice(text) {
        Ok(message @ Value::Object(_)) => message,
        _ => {
            let text = shown(&String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN_MAX)]));
            return Err(Error::usage(format!("the server sent what is no message: `{text}`"))
                .with_hint("a server of the Model Context Protocol writes only messages to its standard output"));
        }
    };
    Ok(match (message.get("method").is_some(), message.get("id")) {
        (true, Some(_)) => Received::Request(message),
        (true, None) if message["method"] == LIST_CHANGED => Received::Changed,
        (false, Some(of)) if of == id => Received::Response(message),
        _ => Received::Other,
    })
}

/// Returns the answer to a request of the server: the client only answers pings.
fn answer(request: &Value) -> Value {
    if request["method"] == "ping" {
        return json!({"jsonrpc": "2.0", "id": request["id"], "result": {}});
    }
    let error = json!({"code": METHOD_NOT_FOUND, "message": "this client only lists tools"});
    json!({"jsonrpc": "2.0", "id": request["id"], "error": error})
}

/// Returns the error for the error object of a response.
fn refused(method: &str) -> impl Fn(Value) -> Error + '_ {
    move |failure| {
        let message = failure["message"].as_str().unwrap_or("no message");
        let message = shown(message);
        Error::usage(format!("the server refused `{method}`: {message} ({})", failure["code"]))
    }
}

fn limit(message: String) -> Error {
    Error::new(Kind::Limit, message)
}

fn too_large() -> Error {
    limit(format!("the server sent more than {} MiB", BYTES_MAX >> 20))
}

/// Returns a text of a server for display: on one line, and short.
fn shown(text: &str) -> String {
    let text = text.trim();
    let start: String = text.chars().take(SHOWN_MAX).collect();
    plain(&start) + if start.len() < text.len() { "…" } else { "" }
}
