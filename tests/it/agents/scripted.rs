//! A model that follows a script: a server on a loopback address with OpenAI's protocol, which chooses
//! each reply by the request.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::place::{Answer, Place};

/// The tokens that the service counts for each request and each reply.
pub(super) const USAGE: (u64, u64) = (100, 7);

/// What the model sees when it replies.
pub(super) struct Seen<'a> {
    /// The body of the request.
    pub(super) request: &'a Value,
    /// True with the tools of codedb.
    pub(super) has_codedb: bool,
    /// The number of its replies so far.
    pub(super) turn: usize,
}

impl Seen<'_> {
    /// Returns true if the question contains a text.
    pub(super) fn asks(&self, text: &str) -> bool {
        let question = self.request["messages"][1]["content"].as_str().expect("a question");
        question.contains(text)
    }

    /// Returns the results of tools so far.
    pub(super) fn results(&self) -> Vec<String> {
        results(self.request)
    }
}

/// Returns the results of tools in a request.
pub(super) fn results(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().expect("messages");
    let of_tools = messages.iter().filter(|message| message["role"] == "tool");
    of_tools.map(|message| message["content"].as_str().expect("a text").to_owned()).collect()
}

/// What the model replies.
pub(super) enum Step {
    /// It calls tools, each with arguments as text.
    Calls(Vec<(&'static str, String)>),
    /// It answers.
    Text(String),
    /// Its answer is cut off, and the service counts no tokens.
    CutOff(String),
    /// The service fails with a status.
    Status(u16),
}

/// Returns a step with one call.
pub(super) fn call(name: &'static str, arguments: Value) -> Step {
    Step::Calls(vec![(name, arguments.to_string())])
}

pub(super) fn text(text: impl Into<String>) -> Step {
    Step::Text(text.into())
}

/// A running server. It ends with the test.
pub(super) struct Model {
    url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    pub(super) fn start(script: impl Fn(&Seen<'_>) -> Step + Send + 'static) -> Model {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A client that was interrupted is gone.
                drop(reply(stream, &script, &kept));
            }
        });
        Model { url, requests }
    }

    /// Returns the bodies of all requests so far.
    pub(super) fn requests(&self) -> Vec<Value> {
        self.requests.lock().expect("requests").clone()
    }

    /// Returns `codedb eval agent` for a file with these tasks.
    pub(super) fn command(
        &self,
        place: &Place,
        tasks: &str,
        args: &[&str],
    ) -> std::process::Command {
        let file = place.base().join("tasks.toml");
        std::fs::write(&file, tasks).expect("a file");
        let words = place.codedb_words("eval");
        let mut command = place.command(&words[0]);
        command.args(["eval", "agent"]).arg(file).args(args).args(&words[2..]);
        command.env("CODEDB_MODEL_PROVIDER", "openai").env("CODEDB_MODEL", "scripted");
        command.env("CODEDB_MODEL_URL", &self.url).env_remove("CODEDB_MODEL_KEY");
        command
    }

    pub(super) fn run(&self, place: &Place, tasks: &str, args: &[&str]) -> Answer {
        Answer::of(self.command(place, tasks, args))
    }
}

fn reply(
    mut stream: TcpStream,
    script: &dyn Fn(&Seen<'_>) -> Step,
    kept: &Mutex<Vec<Value>>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let body = loop {
        let mut piece = [0; 65_536];
        let count = stream.read(&mut piece)?;
        bytes.extend_from_slice(&piece[..count]);
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(at) = head {
            let text = String::from_utf8_lossy(&bytes[..at]).to_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.map_or(0, |it| it.trim().parse().expect("a number"));
            if bytes.len() >= at + 4 + length {
                break bytes[at + 4..].to_vec();
            }
        }
        if count == 0 {
            return Ok(());
        }
    };
    let request: Value = serde_json::from_slice(&body).expect("JSON");
    kept.lock().expect("requests").push(request.clone());
    let messages = request["messages"].as_array().expect("messages");
    let turn = messages.iter().filter(|message| message["role"] == "assistant").count();
    let name = request["tools"][0]["function"]["name"].as_str().expect("a tool");
    let has_codedb = name.starts_with("codedb_");
    let step = script(&Seen { request: &request, has_codedb, turn });
    let is_cut_off = matches!(step, Step::CutOff(_));
    let (status, message) = match step {
        Step::Status(status) => (status, Value::Null),
        Step::Text(text) | Step::CutOff(text) => {
            (200, json!({"role": "assistant", "content": text}))
        }
        Step::Calls(calls) => {
            let calls = calls.iter().enumerate().map(|(at, (name, arguments))| {
                json!({"id": format!("{turn}_{at}"), "type": "function",
                    "function": {"name": name, "arguments": arguments}})
            });
            let calls: Vec<Value> = calls.collect();
            (200, json!({"role": "assistant", "content": null, "tool_calls": calls}))
        }
    };
    let body = if is_cut_off {
        json!({"choices": [{"index": 0, "message": message, "finish_reason": "length"}]})
    } else if status == 200 {
        json!({
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": USAGE.0, "completion_tokens": USAGE.1},
        })
    } else {
        json!({"error": {"message": "the script fails"}})
    };
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} S\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
