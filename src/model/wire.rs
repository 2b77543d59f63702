//! The two wire protocols: the body of a request, and what a reply says.
//!
//! A conversation keeps its messages in the form of its protocol, so that each request repeats
//! exactly what was sent and received before. What a service would refuse when it is repeated is
//! replaced before it is kept: ids that are missing or not unique, names that are no names of
//! tools, arguments that are not objects.

mod anthropic;
mod openai;

use std::collections::BTreeSet;

use ::http::{HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::provider::{Protocol, Provider};
use super::{Call, Input, Reply, Stop, Tool, Usage};
use crate::base::text;

/// The maximum length of an id of a call in bytes; longer ones are replaced.
const ID_BYTES_MAX: usize = 200;

/// The maximum length of the name of a tool in bytes.
const NAME_BYTES_MAX: usize = 64;

/// The maximum length of what is quoted from an error of a service, in bytes.
const MESSAGE_BYTES_MAX: usize = 300;

/// Codes of errors that a later request meets as well: there is no credit left.
const SPENT: &[&str] = &[
    "insufficient_quota",
    "credit_balance_exhausted",
    "billing_hard_limit_reached",
    "enforced_spend_limit_reached",
    "billing_error",
];

/// The fixed parts of a conversation's requests.
#[derive(Debug)]
pub(super) struct Frame {
    /// The system prompt, which may be empty.
    pub(super) system: String,
    /// The tools.
    pub(super) tools: Vec<Tool>,
}

/// A reply, and the message that repeats it in later requests.
#[derive(Debug)]
pub(super) struct Turn {
    /// The reply.
    pub(super) reply: Reply,
    /// The message; `None` if the reply has no content that a service would accept.
    pub(super) message: Option<Value>,
}

/// An error of a service.
#[derive(Debug, Default)]
pub(super) struct ServiceError {
    /// Its message on one line, with its start if it is long. It may be empty.
    pub(super) message: String,
    /// True if no credit is left.
    pub(super) is_spent: bool,
}

/// Returns the headers of every request. The key is marked as sensitive.
pub(super) fn headers(provider: &Provider) -> Vec<(HeaderName, HeaderValue)> {
    let json = HeaderValue::from_static("application/json");
    let mut headers = vec![(::http::header::CONTENT_TYPE, json)];
    let (name, prefix) = match provider.protocol() {
        Protocol::Anthropic => {
            let version = HeaderValue::from_static(anthropic::VERSION);
            headers.push((HeaderName::from_static("anthropic-version"), version));
            (HeaderName::from_static("x-api-key"), "")
        }
        Protocol::OpenAi => (::http::header::AUTHORIZATION, "Bearer "),
    };
    if let Some(key) = provider.key()
        && let Ok(mut value) = HeaderValue::from_str(&format!("{prefix}{}", key.expose()))
    {
        value.set_sensitive(true);
        headers.push((name, value));
    }
    headers
}

/// Returns the body of a request.
pub(super) fn body(provider: &Provider, frame: &Frame, messages: Vec<Value>) -> Value {
    match provider.protocol() {
        Protocol::Anthropic => anthropic::body(provider, frame, messages),
        Protocol::OpenAi => openai::body(provider, frame, messages),
    }
}

/// Appends an input to the messages. Results are put into the order of the calls `pending`.
pub(super) fn push(
    protocol: Protocol,
    messages: &mut Vec<Value>,
    input: &Input,
    pending: &[String],
) {
    let sorted;
    let input = match input {
        Input::Text(_) => input,
        Input::Results(results) => {
            let mut results = results.clone();
            let place = |id: &str| pending.iter().position(|pending| pending == id);
            results.sort_by_key(|result| place(&result.id).unwrap_or(usize::MAX));
            sorted = Input::Results(results);
            &sorted
        }
    };
    match protocol {
        Protocol::Anthropic => anthropic::push(messages, input),
        Protocol::OpenAi => openai::push(messages, input),
    }
}

/// Returns what the body of a successful reply says. `used` are the ids of earlier calls.
///
/// # Errors
///
/// What the protocol requires and the body lacks.
pub(super) fn parse(
    protocol: Protocol,
    body: &Value,
    used: &BTreeSet<String>,
) -> Result<Turn, String> {
    let mut turn = match protocol {
        Protocol::Anthropic => anthropic::parse(body, &mut Ids::new(used)),
        Protocol::OpenAi => openai::parse(body, &mut Ids::new(used)),
    }?;
    // Some servers end a reply with calls as if it had none, or the reverse.
    turn.reply.stop = match (turn.reply.stop, turn.reply.calls.is_empty()) {
        (Stop::End, false) => Stop::ToolUse,
        (Stop::ToolUse, true) => Stop::End,
        (stop, _) => stop,
    };
    turn.reply.usage = usage(body);
    Ok(turn)
}

/// Returns the number of tokens under its name in either protocol.
fn usage(body: &Value) -> Usage {
    let count = |names: [&str; 2]| {
        let counts = names.iter().filter_map(|name| body.get("usage")?.get(name)?.as_u64());
        counts.max().unwrap_or_default()
    };
    Usage {
        input_tokens: count(["input_tokens", "prompt_tokens"]),
        output_tokens: count(["output_tokens", "completion_tokens"]),
    }
}

/// Returns the error in the body of a reply: `{"error": {"message": …}}` in both protocols, in a
/// list in Google's.
pub(super) fn error(body: &[u8]) -> ServiceError {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return ServiceError::default() };
    error_in(&body).unwrap_or_default()
}

/// Returns the error in a parsed body, or `None` if it has none.
pub(super) fn error_in(body: &Value) -> Option<ServiceError> {
    let body = body.get(0).unwrap_or(body);
    let error = body.get("error").filter(|error| !error.is_null())?;
    let message = error.as_str().or_else(|| error.get("message")?.as_str()).unwrap_or_default();
    let codes = ["/code", "/type", "/details/error_code"];
    let mut codes = codes.iter().filter_map(|path| error.pointer(path)?.as_str());
    let is_spent = codes.any(|code| SPENT.contains(&code));
    Some(ServiceError { message: message.to_owned(), is_spent })
}

/// Returns a text of a service as part of a sentence: on one line, cut off after 300 bytes.
pub(super) fn quoted(message: &str) -> String {
    let start = text::start(message, MESSAGE_BYTES_MAX);
    let dots = if start.len() < message.len() { "…" } else { "" };
    format!("{}{dots}", text::plain(start).trim_end_matches('.'))
}

/// The ids of calls: the service's own, if it can be used, or a new one.
struct Ids<'a> {
    used: &'a BTreeSet<String>,
    new: BTreeSet<String>,
}

impl<'a> Ids<'a> {
    fn new(used: &'a BTreeSet<String>) -> Ids<'a> {
        Ids { used, new: BTreeSet::new() }
    }

    /// Returns the id of the next call. It differs from those of all other calls.
    fn next(&mut self, given: Option<&Value>) -> String {
        let is_plain = |id: &&str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            !id.is_empty() && id.len() <= ID_BYTES_MAX && id.bytes().all(is_plain)
        };
        let given = given.and_then(Value::as_str).filter(is_plain).map(str::to_owned);
        let is_free = |id: &String| !self.used.contains(id) && !self.new.contains(id);
        let id = given.filter(is_free).unwrap_or_else(|| {
            let first = self.used.len() + self.new.len() + 1;
            let candidates = (first..).map(|number| format!("call_{number}"));
            candidates.into_iter().find(is_free).unwrap_or_default()
        });
        self.new.insert(id.clone());
        id
    }
}

/// Returns the name of a tool in a form that services accept when it is repeated.
fn repeatable_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain = name.chars().map(|c| if is_plain(c) { c } else { '_' });
    let plain: String = plain.take(NAME_BYTES_MAX).collect();
    if plain.is_empty() { "unknown".to_owned() } else { plain }
}

/// Returns a call with arguments that the service parsed.
fn call(id: String, name: &str, arguments: Option<&Value>) -> Call {
    let arguments = match arguments {
        Some(Value::Object(object)) => Ok(Value::Object(object.clone())),
        Some(_) => Err("the arguments are not a JSON object".to_owned()),
        None => Ok(Value::Object(Map::new())),
    };
    Call { id, name: name.to_owned(), arguments }
}

/// Returns a call with arguments as the text that the model wrote.
fn call_of_text(id: String, name: &str, arguments: &str) -> Call {
    // Models write nothing for a tool without arguments.
    if arguments.trim().is_empty() {
        return call(id, name, None);
    }
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => call(id, name, Some(&value)),
        Err(error) => {
            let arguments = Err(format!("the arguments are not valid JSON: {error}"));
            Call { id, name: name.to_owned(), arguments }
        }
    }
}

/// Returns the arguments of a call in a form that services accept when they are repeated.
fn repeatable_arguments(call: &Call) -> Value {
    call.arguments.clone().unwrap_or_else(|_| Value::Object(Map::new()))
}
