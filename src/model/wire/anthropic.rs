//! Anthropic's Messages: content blocks; results of parallel calls in one message of the user.

use serde_json::{Value, json};

use super::{Frame, Ids, Turn, call, repeatable_arguments, repeatable_name};
use crate::model::provider::Provider;
use crate::model::{Input, Reply, Stop, Usage};

/// The version of the protocol.
pub(super) const VERSION: &str = "2023-06-01";

pub(super) fn body(provider: &Provider, frame: &Frame, messages: Vec<Value>) -> Value {
    let mut body = json!({
        "model": provider.model(),
        "max_tokens": provider.limits().tokens_max,
        "messages": messages,
    });
    if !frame.system.trim().is_empty() {
        body["system"] = json!(frame.system);
    }
    if !frame.tools.is_empty() {
        let tools = frame.tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.schema,
            })
        });
        body["tools"] = tools.collect();
    }
    body
}

pub(super) fn push(messages: &mut Vec<Value>, input: &Input) {
    let blocks: Vec<Value> = match input {
        Input::Text(text) => vec![json!({"type": "text", "text": text})],
        Input::Results(results) => results
            .iter()
            .map(|result| {
                let mut block = json!({
                    "type": "tool_result",
                    "tool_use_id": result.id,
                    "content": result.text,
                });
                if result.is_error {
                    block["is_error"] = json!(true);
                }
                block
            })
            .collect(),
    };
    // After a reply without content, which is not repeated, the last message is the user's.
    let last = messages.last_mut().filter(|last| last["role"] == "user");
    match last.and_then(|last| last["content"].as_array_mut()) {
        Some(content) => content.extend(blocks),
        None => messages.push(json!({"role": "user", "content": blocks})),
    }
}

pub(super) fn parse(body: &Value, ids: &mut Ids<'_>) -> Result<Turn, String> {
    let content = body["content"].as_array().ok_or("it has no `content`")?;
    let (mut calls, mut text, mut kept) = (Vec::new(), String::new(), Vec::new());
    for block in content {
        match block["type"].as_str() {
            Some("text") => {
                let part = block["text"].as_str().unwrap_or_default();
                text.push_str(part);
                // The service refuses to read blocks without text.
                if !part.trim().is_empty() {
                    kept.push(block.clone());
                }
            }
            Some("tool_use") => {
                let name = block["name"].as_str().unwrap_or_default();
                let call = call(ids.next(block.get("id")), name, block.get("input"));
                let mut block = block.clone();
                block["id"] = json!(call.id);
                block["name"] = json!(repeatable_name(name));
                block["input"] = repeatable_arguments(&call);
                kept.push(block);
                calls.push(call);
            }
            Some(_) => kept.push(block.clone()),
            None => return Err("a content block has no `type`".to_owned()),
        }
    }
    let stop = match body["stop_reason"].as_str() {
        Some("tool_use") => Stop::ToolUse,
        Some("max_tokens" | "model_context_window_exceeded") => Stop::MaxTokens,
        Some("refusal") => Stop::Refusal,
        _ => Stop::End,
    };
    let message = (!kept.is_empty()).then(|| json!({"role": "assistant", "content": kept}));
    Ok(Turn { reply: Reply { calls, text, stop, usage: Usage::default() }, message })
}
