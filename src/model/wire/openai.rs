//! OpenAI's chat completions: calls with arguments as text; each result in a message of its own.

use serde_json::{Value, json};

use super::{Frame, Ids, Turn, call, call_of_text, repeatable_arguments, repeatable_name};
use crate::model::provider::Provider;
use crate::model::{Input, Reply, Stop, Usage};

/// Fields of a message with the reasoning of a model, by which some services refuse a conversation
/// that does not repeat them: DeepSeek's, OpenRouter's.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning_details"];

/// The field of a call with the signature that Gemini requires to be repeated.
const SIGNATURE: &str = "extra_content";

pub(super) fn body(provider: &Provider, frame: &Frame, messages: Vec<Value>) -> Value {
    let system = (!frame.system.trim().is_empty())
        .then(|| json!({"role": "system", "content": frame.system}));
    let messages: Vec<Value> = system.into_iter().chain(messages).collect();
    let mut body = json!({"model": provider.model(), "messages": messages});
    // OpenAI's newer models refuse the name that all other services have.
    let limit = if provider.is_own_service() { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = json!(provider.limits().tokens_max);
    if !frame.tools.is_empty() {
        let tools = frame.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema,
                },
            })
        });
        body["tools"] = tools.collect();
    }
    body
}

pub(super) fn push(messages: &mut Vec<Value>, input: &Input) {
    match input {
        Input::Text(text) => messages.push(json!({"role": "user", "content": text})),
        Input::Results(results) => messages.extend(results.iter().map(|result| {
            // The protocol has no mark for failures.
            let mark = if result.is_error { "error: " } else { "" };
            json!({
                "role": "tool",
                "tool_call_id": result.id,
                "content": format!("{mark}{}", result.text),
            })
        })),
    }
}

pub(super) fn parse(body: &Value, ids: &mut Ids<'_>) -> Result<Turn, String> {
    let choice = body.pointer("/choices/0").ok_or("it has no `choices`")?;
    let given = choice.get("message").filter(|message| message.is_object());
    let given = given.ok_or("it has no `message`")?;
    let mut text = content(&given["content"]);
    let refusal = given["refusal"].as_str().unwrap_or_default();
    text.push_str(refusal);
    let mut calls = Vec::new();
    let mut kept = Vec::new();
    for given_call in given["tool_calls"].as_array().into_iter().flatten() {
        let id = ids.next(given_call.get("id"));
        let function = &given_call["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let call = match &function["arguments"] {
            Value::String(arguments) => call_of_text(id, name, arguments),
            // A few servers send them parsed, or not at all.
            Value::Null => call(id, name, None),
            arguments => call(id, name, Some(arguments)),
        };
        let mut kept_call = json!({
            "id": call.id,
            "type": "function",
            "function": {
                "name": repeatable_name(name),
                "arguments": repeatable_arguments(&call).to_string(),
            },
        });
        copy(given_call, &mut kept_call, SIGNATURE);
        kept.push(kept_call);
        calls.push(call);
    }
    let stop = match choice["finish_reason"].as_str() {
        _ if !refusal.is_empty() => Stop::Refusal,
        Some("tool_calls" | "function_call") => Stop::ToolUse,
        Some("length") => Stop::MaxTokens,
        Some("content_filter") => Stop::Refusal,
        _ => Stop::End,
    };
    let mut message = json!({"role": "assistant", "content": text});
    if !kept.is_empty() {
        message["tool_calls"] = Value::Array(kept);
        if text.is_empty() {
            message["content"] = Value::Null;
        }
    }
    for name in REASONING {
        copy(given, &mut message, name);
    }
    Ok(Turn { reply: Reply { calls, text, stop, usage: Usage::default() }, message: Some(message) })
}

/// Copies a field that is present and not null.
fn copy(from: &Value, to: &mut Value, name: &str) {
    if let Some(value) = from.get(name).filter(|value| !value.is_null()) {
        to[name] = value.clone();
    }
}

/// Returns the text of a message: one string, or parts of which some are text.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
