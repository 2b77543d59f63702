//! A client of `codedb mcp` that checks the server: every line is a message of the protocol, and
//! the program exits when the client disconnects.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::place::{Answer, Place, settle};

/// The time limit of a reply and of the exit.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server and its client.
pub(crate) struct Session {
    pub(super) child: Child,
    pub(super) input: Option<ChildStdin>,
    lines: Receiver<String>,
    requests: u32,
}

impl Session {
    /// Starts the server of a place's tree.
    pub(crate) fn start(place: &Place, args: &[&str]) -> Session {
        let mut command = place.codedb("mcp");
        command.args(args);
        Session::spawn(command)
    }

    /// Starts a server without a root.
    pub(crate) fn spawn(mut command: Command) -> Session {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        // The thread ends together with the server or the test.
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let input = child.stdin.take();
        Session { child, input, lines, requests: 0 }
    }

    /// Returns the error of a server that does not start; its exit code is 2.
    pub(super) fn refused(place: &Place, args: &[&str]) -> String {
        let mut command = place.codedb("mcp");
        command.args(args);
        let answer = Answer::of(command);
        assert_eq!((answer.code, answer.stdout.len()), (2, 0), "{}", answer.stderr);
        answer.stderr
    }

    /// Sends raw bytes.
    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    /// Sends a message.
    pub(super) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Returns the next message of the server.
    #[track_caller]
    pub(super) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server answers");
        let message: Value = serde_json::from_str(&line).expect("every line is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// Sends a request and returns the complete response, which is the next message.
    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Returns the result of a request.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }

    /// Returns the error response to a request.
    #[track_caller]
    pub(super) fn error(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("result").is_none(), "{answer}");
        answer["error"].take()
    }

    /// Opens a session with the client's capabilities.
    #[track_caller]
    pub(crate) fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let info = json!({"name": "test", "version": "1"});
        let result = self.request(
            "initialize",
            json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": info}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        result
    }

    /// Returns the result of a call of a tool.
    #[track_caller]
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// Waits until the server has indexed the tree, so that replies do not depend on its progress.
    pub(crate) fn wait_until_indexed(&mut self) {
        while self.text("codedb_search", json!({"query": "e"})).contains("not indexed yet") {
            settle();
        }
    }

    /// Returns the text of a successful call.
    #[track_caller]
    pub(crate) fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        let text = result["content"][0]["text"].as_str().expect("a text").to_owned();
        assert_eq!(result["isError"], false, "{text}");
        text
    }

    /// Disconnects; the server must exit successfully, in time, and without another message.
    #[track_caller]
    pub(crate) fn end(mut self) {
        drop(self.input.take());
        assert_eq!(self.status(), Some(0));
        assert_eq!(self.lines.try_recv().ok(), None, "an unexpected message");
    }

    /// Returns the exit code of a server that exits by itself; `None` after a signal.
    #[track_caller]
    pub(super) fn status(&mut self) -> Option<i32> {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code();
            }
            assert!(since.elapsed() < PATIENCE, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // After a failed test the process may still run; otherwise it has exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
