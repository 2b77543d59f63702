//! Conversations with servers on a loopback address that implement the two protocols.

mod failures;
mod properties;
mod protocols;
mod providers;
mod rules;
mod server;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::clock::Clock;
use super::{
    Call, Conversation, Input, Limits, ModelError, Protocol, Provider, Reply, Tool, ToolResult,
};
use server::{Server, Step};

/// The key that servers expect.
const KEY: &str = "key-0123456789abcdef";

/// Both protocols.
const PROTOCOLS: [Protocol; 2] = [Protocol::Anthropic, Protocol::OpenAi];

/// A clock that only moves when somebody sleeps, without waiting. Random numbers are 0, so that
/// delays are the longest ones.
#[derive(Clone, Debug, Default)]
struct TestClock(Arc<Mutex<Duration>>);

impl Clock for TestClock {
    fn elapsed(&self) -> Duration {
        *self.0.lock().expect("a clock")
    }

    fn now(&self) -> Timestamp {
        let start: Timestamp = "2026-01-31T12:00:00Z".parse().expect("a time");
        start + self.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        *self.0.lock().expect("a clock") += duration;
    }

    fn random(&self) -> f64 {
        0.0
    }
}

fn provider(server: &Server) -> Provider {
    let url = format!("http://{}", server.address());
    Provider::new(server.protocol(), Some(&url), "model-1", Some(KEY)).expect("a provider")
}

fn tools() -> Vec<Tool> {
    let tool = |name: &str| Tool {
        name: name.to_owned(),
        description: format!("Describes {name}."),
        schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    };
    vec![tool("query_ownership"), tool("finish_investigation")]
}

fn conversation(provider: &Provider) -> (Conversation, TestClock) {
    let clock = TestClock::default();
    let system = "You assess changes.".to_owned();
    (Conversation::with_clock(provider, system, tools(), Box::new(clock.clone())), clock)
}

/// Sends one message to a server that performs `steps`, with changed limits.
fn send_within(
    protocol: Protocol,
    steps: Vec<Step>,
    change: impl Fn(&mut Limits),
) -> (Result<Reply, ModelError>, Duration, Vec<Value>) {
    let server = Server::start(protocol, Some(KEY), steps);
    let provider = provider(&server);
    let mut limits = provider.limits();
    change(&mut limits);
    let (mut conversation, clock) = conversation(&provider.with_limits(limits));
    let result = conversation.send(text("hello"));
    (result, clock.elapsed(), server.requests())
}

/// Sends one message to a server that performs `steps`. Returns the result, the time that was
/// waited, and the requests.
fn send(protocol: Protocol, steps: Vec<Step>) -> (Result<Reply, ModelError>, Duration, Vec<Value>) {
    send_within(protocol, steps, |_| {})
}

fn text(text: &str) -> Input {
    Input::Text(text.to_owned())
}

fn result(call: &Call, text: &str) -> ToolResult {
    ToolResult { id: call.id.clone(), text: text.to_owned(), is_error: false }
}

/// A reply with a text, as the service sends it.
fn prose(protocol: Protocol, text: &str) -> Value {
    reply(protocol, text, &[], "")
}

/// A reply with calls (id, name, arguments as JSON), as the service sends it. Without a `stop`, it
/// has the usual one.
fn reply(protocol: Protocol, text: &str, calls: &[(&str, &str, &str)], stop: &str) -> Value {
    match protocol {
        Protocol::Anthropic => {
            let mut content = Vec::new();
            if !text.is_empty() {
                content.push(json!({"type": "text", "text": text}));
            }
            content.extend(calls.iter().map(|(id, name, arguments)| {
                let input: Value = serde_json::from_str(arguments).expect("arguments");
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }));
            let usual = if calls.is_empty() { "end_turn" } else { "tool_use" };
            let stop = if stop.is_empty() { usual } else { stop };
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "model-1",
                "content": content, "stop_reason": stop, "stop_sequence": null,
                "usage": {"input_tokens": 10, "output_tokens": 10},
            })
        }
        Protocol::OpenAi => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|(id, name, arguments)| {
                    let function = json!({"name": name, "arguments": arguments});
                    json!({"id": id, "type": "function", "function": function})
                })
                .collect();
            let usual = if calls.is_empty() { "stop" } else { "tool_calls" };
            let stop = if stop.is_empty() { usual } else { stop };
            let content = if text.is_empty() { Value::Null } else { json!(text) };
            let mut message = json!({"role": "assistant", "content": content, "refusal": null});
            if !calls.is_empty() {
                message["tool_calls"] = json!(calls);
            }
            json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "model-1",
                "choices": [{"index": 0, "message": message, "finish_reason": stop}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
            })
        }
    }
}
