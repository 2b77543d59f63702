//! A server in this process with its only client: what an agent sees, for measurements.
//!
//! Client and server exchange the lines of the transport for standard streams through two pipes, so the
//! instructions, the tool list and the replies are those that every client gets.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Options, Served, serve};
use crate::base::interrupt::Interrupt;
use crate::error::{Error, Kind, Result};

/// The version of the protocol.
const PROTOCOL: &str = "2025-11-25";

/// How long a response may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often a wait checks whether the caller has cancelled.
const POLL: Duration = Duration::from_millis(20);

/// A tool as the server lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Value,
}

/// A server and its client. The server ends when this is dropped.
#[derive(Debug)]
pub struct Attached {
    /// `None` once the client has disconnected.
    requests: Option<PipeWriter>,
    responses: Receiver<Vec<u8>>,
    server: Option<JoinHandle<Result<Vec<Served>>>>,
    instructions: String,
    tools: Vec<Offered>,
    last_id: u64,
}

impl Attached {
    /// Starts a server, and reads its instructions and its tool list.
    ///
    /// # Errors
    ///
    /// Those of [`serve`]; [`Kind::Io`] if the server does not respond.
    pub fn start(options: Options) -> Result<Attached> {
        let failed = |error| Error::new(Kind::Io, format!("the server cannot start: {error}"));
        let (input, requests) = std::io::pipe().map_err(failed)?;
        let (responses, output) = std::io::pipe().map_err(failed)?;
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || pass_lines(responses, &sender));
        let server = std::thread::spawn(move || serve(options, input, output));
        let mut attached = Attached {
            requests: Some(requests),
            responses: receiver,
            server: Some(server),
            instructions: String::new(),
            tools: Vec::new(),
            last_id: 0,
        };
        attached.open()?;
        Ok(attached)
    }

    fn open(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "codedb", "version": env!("CARGO_PKG_VERSION")},
        });
        let about = self.result("initialize", params)?;
        self.instructions = about["instructions"].as_str().unwrap_or_default().to_owned();
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        let listed = self.result("tools/list", json!({}))?;
        let text = |tool: &Value, name: &str| tool[name].as_str().unwrap_or_default().to_owned();
        let offered = |tool: &Value| Offered {
            name: text(tool, "name"),
            description: text(tool, "description"),
            schema: tool["inputSchema"].clone(),
        };
        self.tools = listed["tools"].as_array().into_iter().flatten().map(offered).collect();
        Ok(())
    }

    /// Returns the instructions for a model.
    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// Returns the tools, in the order of the list.
    pub fn tools(&self) -> &[Offered] {
        &self.tools
    }

    /// Calls a tool. Returns the text of its reply, and true if the call failed.
    ///
    /// # Errors
    ///
    /// [`Kind::Cancelled`]; [`Kind::Limit`] if the reply takes more than two minutes; [`Kind::Io`]
    /// if the server has ended.
    pub fn call(
        &mut self,
        name: &str,
        arguments: &Value,
        interrupt: Interrupt<'_>,
    ) -> Result<(String, bool)> {
        let params = json!({"name": name, "arguments": arguments});
        let response = self.exchange("tools/call", params, interrupt)?;
        if let Some(why) = response.pointer("/error/message").and_then(Value::as_str) {
            return Ok((why.to_owned(), true));
        }
        let result = &response["result"];
        let parts = result["content"].as_array().into_iter().flatten();
        let text = parts.filter_map(|part| part["text"].as_str()).collect();
        Ok((text, result["isError"] == true))
    }

    /// Returns true once the server's index of the first tree is complete.
    ///
    /// # Errors
    ///
    /// As [`Attached::call`].
    pub fn is_indexed(&mut self, interrupt: Interrupt<'_>) -> Result<bool> {
        let params = json!({"name": "codedb_status", "arguments": {"format": "json"}});
        let response = self.exchange("tools/call", params, interrupt)?;
        Ok(response["result"]["structuredContent"]["full"] == true)
    }

    fn result(&mut self, method: &str, params: Value) -> Result<Value> {
        let mut response = self.exchange(method, params, Interrupt::NEVER)?;
        match response.get_mut("result").map(Value::take) {
            Some(result) => Ok(result),
            None => Err(Error::new(Kind::Io, format!("the server refused `{method}`"))),
        }
    }

    /// Sends a request and returns its response. Other messages are skipped.
    fn exchange(&mut self, method: &str, params: Value, interrupt: Interrupt<'_>) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let until = Instant::now() + PATIENCE;
        loop {
            match self.responses.recv_timeout(POLL) {
                Ok(line) => {
                    let message: Value = serde_json::from_slice(&line).unwrap_or_default();
                    if message["id"] == id {
                        return Ok(message);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if interrupt.is_due() => {
                    return Err(Error::new(Kind::Cancelled, "cancelled"));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    let seconds = PATIENCE.as_secs();
                    let message = format!("the tool did not reply within {seconds} s");
                    return Err(Error::new(Kind::Limit, message));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let line = format!("{message}\n");
        match self.requests.as_mut().map(|requests| requests.write_all(line.as_bytes())) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    /// Returns why the server has ended.
    fn ended(&mut self) -> Error {
        self.requests = None;
        match self.server.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => error,
            _ => Error::new(Kind::Io, "the server has ended"),
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.requests = None;
        // What it served, or why it ended, is of no use any more.
        drop(self.server.take().map(JoinHandle::join));
    }
}

/// Passes on the lines of the server until one of the two ends.
fn pass_lines(responses: PipeReader, to: &mpsc::Sender<Vec<u8>>) {
    let mut responses = BufReader::new(responses);
    loop {
        let mut line = Vec::new();
        match responses.read_until(b'\n', &mut line) {
            Ok(count) if count > 0 && to.send(line).is_ok() => {}
            _ => return,
        }
    }
}
