//! A client of chat models that call tools, for two wire protocols: Anthropic's Messages and
//! OpenAI's chat completions, which local servers (Ollama, llama.cpp, vLLM) implement as well.
//!
//! This module sends what its caller gives it and returns what the model replied. It runs no tools,
//! writes no prompts and keeps nothing on disk. Read [`Provider`] first, which decides where
//! requests go, then [`Conversation`]. docs/model.md describes configuration and limits.

mod clock;
mod conversation;
mod failure;
mod http;
mod provider;
mod retry;
#[cfg(test)]
mod tests;
mod wire;

use serde_json::Value;

pub use conversation::Conversation;
pub use failure::{Failure, ModelError};
pub use provider::{Limits, Protocol, Provider};

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Its name: 1 to 64 letters, digits, `_` and `-`, as both services require.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub schema: Value,
}

/// What is sent to the model next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Input {
    /// A message. It is not empty.
    Text(String),
    /// The results of the calls of the last reply, each call exactly once, in any order.
    Results(Vec<ToolResult>),
}

/// The result of one call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ToolResult {
    /// The [`Call::id`] of the call.
    pub id: String,
    /// What the tool returned, or why it failed.
    pub text: String,
    /// True if the call failed.
    pub is_error: bool,
}

/// A reply of the model. All of it is text from a stranger.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The calls, in the order of the reply. Each of them needs a result before the next message.
    pub calls: Vec<Call>,
    /// The text, which may be empty. It includes the text of a refusal.
    pub text: String,
    /// Why the reply ended.
    pub stop: Stop,
    /// What the service counted for it.
    pub usage: Usage,
}

/// The tokens of one request and its reply, as the service counts them; 0 if it does not.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Usage {
    /// The tokens that were sent.
    pub input_tokens: u64,
    /// The tokens of the reply.
    pub output_tokens: u64,
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stop {
    /// The model finished. There are no calls.
    End,
    /// The model waits for the results of its calls.
    ToolUse,
    /// A limit of tokens cut the reply off; the last call may be incomplete.
    MaxTokens,
    /// The model or a filter of the service refused. Calls, if any, should not be executed.
    Refusal,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Identifies the call in its conversation. Never empty.
    pub id: String,
    /// The name of the tool as the model wrote it; there may be no such tool.
    pub name: String,
    /// The arguments, a JSON object that is not checked against the schema; or, if the model wrote
    /// anything else, the reason for the model to read.
    pub arguments: Result<Value, String>,
}
