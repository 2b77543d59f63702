//! A client of `codedb mcp` that speaks in lines and holds the server to its words: every line that
//! comes back is a message of the protocol, and the program ends when it is left.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::place::{Answer, Place};

/// How long an answer, or the end, may take.
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

    /// Starts a server that is told no root.
    pub(crate) fn spawn(mut command: Command) -> Session {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        // Ends with the server, or with the test.
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let input = child.stdin.take();
        Session { child, input, lines, requests: 0 }
    }

    /// Returns what a server that does not start tells; it exits with 2.
    pub(super) fn refused(place: &Place, args: &[&str]) -> String {
        let mut command = place.codedb("mcp");
        command.args(args);
        let answer = Answer::of(command);
        assert_eq!((answer.code, answer.stdout.len()), (2, 0), "{}", answer.stderr);
        answer.stderr
    }

    /// Sends bytes as they are.
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

    /// Sends a request and returns the whole answer to it, which is the next message.
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

    /// Returns the error that a request is answered with.
    #[track_caller]
    pub(super) fn error(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("result").is_none(), "{answer}");
        answer["error"].take()
    }

    /// Opens a session with the capabilities of a client.
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

    /// Returns the text of a call that goes well.
    #[track_caller]
    pub(crate) fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        let text = result["content"][0]["text"].as_str().expect("a text").to_owned();
        assert_eq!(result["isError"], false, "{text}");
        text
    }

    /// Leaves the server, which ends well, soon, and without another word.
    #[track_caller]
    pub(crate) fn end(mut self) {
        drop(self.input.take());
        assert_eq!(self.status(), Some(0));
        assert_eq!(self.lines.try_recv().ok(), None, "nothing was asked");
    }

    /// Returns the exit code, once the server ends by itself; `None` after a signal.
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
        // Where a test failed; otherwise it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
