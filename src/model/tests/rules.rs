//! What the real services reject. A request that passes here is one that they accept.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::server::Received;
use super::{KEY, prose, reply};
use crate::model::Protocol;

/// The reply to a request that is not accepted.
#[derive(Debug)]
pub(super) struct Rejection {
    pub(super) status: u16,
    pub(super) message: String,
}

type Check<T = ()> = Result<T, Rejection>;

fn reject<T>(status: u16, message: impl Into<String>) -> Check<T> {
    Err(Rejection { status, message: message.into() })
}

fn require(holds: bool, message: impl Into<String>) -> Check {
    if holds { Ok(()) } else { reject(400, message) }
}

/// Checks a request against the protocol and against the replies so far.
pub(super) fn check(
    protocol: Protocol,
    received: &Received,
    body: &Value,
    key: Option<&str>,
    replies: &[Value],
) -> Check {
    let header = |name: &str| received.headers.get(name).map(String::as_str);
    let (path, header_name, expected) = match protocol {
        Protocol::Anthropic => ("/v1/messages", "x-api-key", key.map(str::to_owned)),
        Protocol::OpenAi => {
            ("/v1/chat/completions", "authorization", key.map(|key| format!("Bearer {key}")))
        }
    };
    if received.method != "POST" || received.path != path {
        return reject(404, format!("no {} {}", received.method, received.path));
    }
    if expected.is_some() && header(header_name) != expected.as_deref() {
        return reject(401, format!("invalid {header_name}"));
    }
    require(header("content-type") == Some("application/json"), "the content is not JSON")?;
    require(body.is_object(), "the body is not a JSON object")?;
    match protocol {
        Protocol::Anthropic => {
            require(header("anthropic-version").is_some(), "anthropic-version: required")?;
            anthropic(body, replies)
        }
        Protocol::OpenAi => openai(body, replies),
    }
}

fn known_fields(object: &Value, known: &[&str]) -> Check {
    let fields = object.as_object().into_iter().flat_map(|object| object.keys());
    let unknown = fields.into_iter().find(|field| !known.contains(&field.as_str()));
    match unknown {
        Some(field) => reject(400, format!("{field}: extra inputs are not permitted")),
        None => Ok(()),
    }
}

fn is_name(name: &Value) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    name.as_str().is_some_and(|n| (1..=64).contains(&n.len()) && n.bytes().all(is_plain))
}

fn array<'a>(value: &'a Value, what: &str) -> Check<&'a Vec<Value>> {
    match value.as_array().filter(|array| !array.is_empty()) {
        Some(array) => Ok(array),
        None => reject(400, format!("{what}: expected a list that is not empty")),
    }
}

fn unique_names(names: &[&Value]) -> Check {
    require(names.iter().all(|name| is_name(name)), "tools: invalid name")?;
    let distinct: BTreeSet<&str> = names.iter().filter_map(|name| name.as_str()).collect();
    require(distinct.len() == names.len(), "tools: names must be unique")
}

fn anthropic(body: &Value, replies: &[Value]) -> Check {
    known_fields(body, &["model", "max_tokens", "messages", "system", "tools", "tool_choice"])?;
    require(body["model"].is_string(), "model: field required")?;
    require(body["max_tokens"].as_u64() > Some(0), "max_tokens: field required")?;
    require(body.get("system").is_none_or(|system| system.is_string()), "system: not a text")?;
    if let Some(tools) = body.get("tools") {
        let tools = array(tools, "tools")?;
        for tool in tools {
            known_fields(tool, &["name", "description", "input_schema"])?;
            require(tool["input_schema"]["type"] == "object", "input_schema: not an object")?;
        }
        unique_names(&tools.iter().map(|tool| &tool["name"]).collect::<Vec<_>>())?;
    }
    let messages = array(&body["messages"], "messages")?;
    let mut ids = BTreeSet::new();
    let mut pending: Vec<&str> = Vec::new();
    let mut replies = replies.iter();
    for (at, message) in messages.iter().enumerate() {
        known_fields(message, &["role", "content"])?;
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        require(message["role"] == role, "messages: roles must alternate, the first is user")?;
        let content = array(&message["content"], "content")?;
        let mut answered = Vec::new();
        let mut is_past_results = false;
        for block in content {
            match (role, block["type"].as_str()) {
                (_, Some("text")) => {
                    let text = block["text"].as_str().unwrap_or_default();
                    require(!text.trim().is_empty(), "text content blocks must be non-empty")?;
                    is_past_results = true;
                }
                ("assistant", Some("tool_use")) => {
                    require(is_name(&block["name"]), "tool_use: invalid name")?;
                    require(block["input"].is_object(), "tool_use: input is not a dictionary")?;
                    let id = block["id"].as_str().unwrap_or_default();
                    require(!id.is_empty() && ids.insert(id), "`tool_use` ids must be unique")?;
                }
                ("user", Some("tool_result")) => {
                    known_fields(block, &["type", "tool_use_id", "content", "is_error"])?;
                    require(!is_past_results, "`tool_result` blocks must come first")?;
                    require(block["content"].is_string(), "tool_result: content is not a text")?;
                    answered.push(block["tool_use_id"].as_str().unwrap_or_default());
                }
                ("assistant", Some("thinking")) => {
                    require(block["signature"] == "signed", "thinking: invalid signature")?;
                }
                _ => return reject(400, "content: unexpected block"),
            }
        }
        answered.sort_unstable();
        pending.sort_unstable();
        require(answered == pending, "`tool_use` ids without `tool_result`, or the reverse")?;
        let uses = content.iter().filter(|block| block["type"] == "tool_use");
        pending = uses.filter_map(|block| block["id"].as_str()).collect();
        if role == "assistant" {
            // Texts without text cannot be repeated, nor replies that have nothing else.
            let is_blank = |block: &Value| {
                block["type"] == "text"
                    && block["text"].as_str().unwrap_or_default().trim().is_empty()
            };
            let sent = replies.by_ref().find(|reply| {
                let blocks = reply["content"].as_array().into_iter().flatten();
                blocks.into_iter().any(|block| !is_blank(block))
            });
            let texts = |content: &Value| -> String {
                let blocks = content.as_array().into_iter().flatten();
                let blocks = blocks.filter(|block| !is_blank(block));
                blocks.filter_map(|block| block["text"].as_str()).collect()
            };
            let sent = sent.map(|reply| texts(&reply["content"]));
            require(
                sent == Some(texts(&message["content"])),
                "messages: not what the service replied",
            )?;
        }
    }
    require(messages.len() % 2 == 1, "messages: the last one must be the user's")
}

/// The text of a message of OpenAI's protocol: a string, or parts.
fn text_of(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten();
    let parts: String = parts.filter_map(|part| part["text"].as_str()).collect();
    content.as_str().map_or(parts, str::to_owned)
}

fn openai(body: &Value, replies: &[Value]) -> Check {
    known_fields(body, &["model", "messages", "tools", "tool_choice", "max_tokens"])?;
    require(body["model"].is_string(), "you must provide a model parameter")?;
    require(body["max_tokens"].as_u64() > Some(0), "max_tokens: must be a number")?;
    if let Some(tools) = body.get("tools") {
        let tools = array(tools, "tools")?;
        for tool in tools {
            known_fields(tool, &["type", "function"])?;
            require(tool["type"] == "function", "tools: unknown type")?;
            known_fields(&tool["function"], &["name", "description", "parameters"])?;
            require(tool["function"]["parameters"]["type"] == "object", "parameters: no object")?;
        }
        unique_names(&tools.iter().map(|tool| &tool["function"]["name"]).collect::<Vec<_>>())?;
    }
    let mut pending: BTreeSet<&str> = BTreeSet::new();
    let mut replies = replies.iter();
    let mut previous = "";
    for message in array(&body["messages"], "messages")? {
        let role = message["role"].as_str().unwrap_or_default();
        require(role == "tool" || pending.is_empty(), "tool_call_ids without response messages")?;
        match role {
            "system" => require(previous.is_empty(), "the system message must come first")?,
            // Templates of local models refuse anything else.
            "user" => require(previous != "user", "roles must alternate")?,
            "assistant" => {
                let reasoning = ["reasoning_content", "reasoning_details"];
                let known = ["role", "content", "tool_calls"];
                known_fields(message, &[&known[..], &reasoning].concat())?;
                let sent = replies.next().map(|reply| &reply["choices"][0]["message"]);
                let sent = sent.unwrap_or(&Value::Null);
                for name in reasoning {
                    let is_repeated = message[name] == sent[name];
                    require(is_repeated && message.get(name) != Some(&Value::Null), name)?;
                }
                require(matches!(previous, "user" | "tool"), "roles must alternate")?;
                if let Some(calls) = message.get("tool_calls") {
                    for (at, call) in array(calls, "tool_calls")?.iter().enumerate() {
                        known_fields(call, &["id", "type", "function", "extra_content"])?;
                        let signature = &sent["tool_calls"][at]["extra_content"];
                        require(call["extra_content"] == *signature, "missing a signature")?;
                        require(call["type"] == "function", "tool_calls: unknown type")?;
                        require(is_name(&call["function"]["name"]), "tool_calls: invalid name")?;
                        let arguments = call["function"]["arguments"].as_str();
                        // Templates of local models parse them.
                        let parsed: Option<BTreeMap<String, Value>> =
                            arguments.and_then(|text| serde_json::from_str(text).ok());
                        require(parsed.is_some(), "tool_calls: arguments are not a JSON text")?;
                        let id = call["id"].as_str().unwrap_or_default();
                        require(!id.is_empty() && pending.insert(id), "tool_calls: invalid id")?;
                    }
                } else {
                    require(message["content"].is_string(), "content: expected a text")?;
                }
                require(
                    sent.is_object()
                        && text_of(&sent["content"])
                            == message["content"].as_str().unwrap_or_default(),
                    "messages: not what the service replied",
                )?;
            }
            "tool" => {
                known_fields(message, &["role", "tool_call_id", "content"])?;
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                require(
                    pending.remove(id),
                    "messages with role 'tool' must follow a message with its 'tool_calls'",
                )?;
            }
            _ => return reject(400, "messages: unknown role"),
        }
        previous = role;
    }
    require(pending.is_empty(), "tool_call_ids without response messages")?;
    require(matches!(previous, "user" | "tool"), "messages: the last one must be the user's")
}

/// The rules reject what they state: without this, a server that accepts everything would pass.
#[test]
fn the_rules_reject_what_the_services_reject() {
    let headers = |extra: &[(&str, &str)]| -> BTreeMap<String, String> {
        let all = [("content-type", "application/json")].iter().chain(extra);
        all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let keyed = headers(&[("x-api-key", KEY), ("anthropic-version", "2023-06-01")]);
    let bearer = headers(&[("authorization", &format!("Bearer {KEY}"))]);
    let status = |protocol, headers: &BTreeMap<String, String>, body: &Value, replies: &[Value]| {
        let path = match protocol {
            Protocol::Anthropic => "/v1/messages",
            Protocol::OpenAi => "/v1/chat/completions",
        };
        let headers = headers.clone();
        let received =
            Received { method: "POST".into(), path: path.into(), headers, body: Vec::new() };
        match check(protocol, &received, body, Some(KEY), replies) {
            Ok(()) => (200, String::new()),
            Err(rejection) => (rejection.status, rejection.message),
        }
    };
    let rejects = |protocol, body: Value, replies: &[Value], expected: &str| {
        let headers = if protocol == Protocol::Anthropic { &keyed } else { &bearer };
        let (status, message) = status(protocol, headers, &body, replies);
        assert!(status == 400 && message.contains(expected), "{body}: {status} {message}");
    };

    let anthropic = Protocol::Anthropic;
    let hello = json!({"role": "user", "content": [{"type": "text", "text": "hello"}]});
    let good = json!({"model": "m", "max_tokens": 9, "messages": [hello]});
    assert_eq!(status(anthropic, &keyed, &good, &[]).0, 200);
    assert_eq!(status(anthropic, &headers(&[]), &good, &[]).0, 401);
    assert_eq!(status(anthropic, &headers(&[("x-api-key", KEY)]), &good, &[]).0, 400);
    rejects(anthropic, json!({"model": "m", "messages": [hello]}), &[], "max_tokens");
    let mut unknown = good.clone();
    unknown["max_completion_tokens"] = json!(9);
    rejects(anthropic, unknown, &[], "extra inputs");
    let with = |messages: &[Value]| json!({"model": "m", "max_tokens": 9, "messages": messages});
    let used = reply(anthropic, "", &[("a", "x", "{}")], "");
    let uses = json!({"role": "assistant", "content": used["content"]});
    let answer = |id: &str| {
        let block = json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
        json!({"role": "user", "content": [block]})
    };
    let replies = std::slice::from_ref(&used);
    let complete = with(&[hello.clone(), uses.clone(), answer("a")]);
    assert_eq!(status(anthropic, &keyed, &complete, replies).0, 200);
    rejects(anthropic, with(&[hello.clone(), uses.clone(), answer("b")]), replies, "tool_result");
    rejects(anthropic, with(&[hello.clone(), uses.clone(), hello.clone()]), replies, "tool_result");
    rejects(anthropic, with(&[hello.clone(), answer("a")]), replies, "alternate");
    rejects(anthropic, with(&[uses.clone(), hello.clone()]), replies, "alternate");
    rejects(anthropic, with(&[hello.clone(), uses.clone()]), replies, "last");
    rejects(anthropic, complete, &[prose(anthropic, "other")], "not what the service replied");

    let openai = Protocol::OpenAi;
    let hello = json!({"role": "user", "content": "hello"});
    let with = |messages: &[Value]| json!({"model": "m", "max_tokens": 9, "messages": messages});
    assert_eq!(status(openai, &bearer, &with(std::slice::from_ref(&hello)), &[]).0, 200);
    assert_eq!(status(openai, &headers(&[]), &with(std::slice::from_ref(&hello)), &[]).0, 401);
    let used = reply(openai, "", &[("a", "x", "{}")], "");
    let calls = &used["choices"][0]["message"]["tool_calls"];
    let uses = json!({"role": "assistant", "content": "", "tool_calls": calls});
    let answer = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "ok"});
    let replies = std::slice::from_ref(&used);
    let complete = with(&[hello.clone(), uses.clone(), answer("a")]);
    assert_eq!(status(openai, &bearer, &complete, replies).0, 200);
    rejects(openai, with(&[hello.clone(), uses.clone(), answer("b")]), replies, "role 'tool'");
    rejects(openai, with(&[hello.clone(), uses.clone(), hello.clone()]), replies, "tool_call_ids");
    rejects(openai, with(&[hello.clone(), answer("a")]), replies, "role 'tool'");
    rejects(openai, with(&[uses, hello.clone()]), replies, "alternate");
    let mut unknown = with(&[hello]);
    unknown["system"] = json!("x");
    rejects(openai, unknown, &[], "extra inputs");
}
