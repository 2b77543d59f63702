//! OpenAI's chat completions: calls with arguments as text; each result in a message of its own.

use serde_json::{Value, json};

use super::{Frame, Ids, Turn, call, call_of_text, repeatable_arguments, repeatable_name};
use crate::model::provider::Provider;
use crate::model::{Input, Reply, Stop};

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
    let message = choice.get("message").filter(|message| message.is_object());
    let message = message.ok_or("it has no `message`")?;
    let mut text = content(&message["content"]);
    let refusal = message["refusal"].as_str().unwrap_or_default();
    text.push_str(refusal);
    let mut calls = Vec::new();
    let mut kept = Vec::new();
    for given in message["tool_calls"].as_array().into_iter().flatten() {
        let id = ids.next(given.get("id"));
        let function = &given["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let call = match &function["arguments"] {
            Value::String(arguments) => call_of_text(id, name, arguments),
            // A few servers send them parsed, or not at all.
            Value::Null => call(id, name, None),
            arguments => call(id, name, Some(arguments)),
        };
        kept.push(json!({
            "id": call.id,
            "type": "function",
            "function": {
                "name": repeatable_name(name),
                "arguments": repeatable_arguments(&call).to_string(),
            },
        }));
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
    }
    Ok(Turn { reply: Reply { calls, text, stop }, message: Some(message) })
}

/// Returns the text of a message: one string, or parts of which some are text.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
