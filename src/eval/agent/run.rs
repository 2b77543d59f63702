//! One task with one set of tools: the conversation, its limits, and what it took.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use super::grade::{ANSWER_CHARS_MAX, faults};
use super::tasks::Task;
use crate::base::interrupt::Interrupt;
use crate::base::tokens;
use crate::error::Result;
use crate::model::{
    Call, Conversation, Failure, Input, ModelError, Provider, Stop, Tool, ToolResult,
};

/// The tools that a model may call in one tree.
pub trait Toolbox {
    /// Returns the system prompt.
    fn instructions(&self) -> &str;

    /// Returns the tools, as the model sees them.
    fn tools(&self) -> &[Tool];

    /// Returns the reply of a tool. A call that fails is a reply as well.
    ///
    /// # Errors
    ///
    /// If no tool can be called any more.
    fn call(&mut self, name: &str, arguments: &Value, interrupt: Interrupt<'_>) -> Result<Output>;
}

/// The reply of a tool.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Output {
    /// Its text, or why there is none.
    pub text: String,
    /// True if the call failed.
    pub is_error: bool,
}

impl Output {
    /// Returns the reply of a call that failed.
    pub fn failed(why: impl Into<String>) -> Output {
        Output { text: why.into(), is_error: true }
    }
}

/// The limits of a run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// The maximum number of calls.
    pub calls_max: usize,
    /// The number of tokens, of all requests and replies together, after which nothing more is sent.
    pub tokens_max: u64,
}

/// How a run ended.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(tag = "result", rename_all = "lowercase")]
pub enum Outcome {
    /// With a right answer.
    Right,
    /// With an answer that is not right.
    Wrong {
        /// What is wrong.
        faults: Vec<String>,
    },
    /// Without an answer, at a limit.
    Stopped {
        /// The limit.
        limit: String,
    },
    /// Without an answer, because the model or a server of tools failed.
    Failed {
        /// Why.
        why: String,
    },
}

impl Outcome {
    /// Returns its name: one of `right`, `wrong`, `stopped`, `failed`.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Right => "right",
            Outcome::Wrong { .. } => "wrong",
            Outcome::Stopped { .. } => "stopped",
            Outcome::Failed { .. } => "failed",
        }
    }

    /// Returns why the answer is not right or missing, as one sentence; `None` for a right one.
    pub fn reason(&self) -> Option<String> {
        match self {
            Outcome::Right => None,
            Outcome::Wrong { faults } => Some(faults.join("; ")),
            Outcome::Stopped { limit } => Some(format!("stopped at a limit: {limit}")),
            Outcome::Failed { why } => Some(format!("failed: {why}")),
        }
    }
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// The calls of tools.
    pub calls: usize,
    /// Those that failed.
    pub failed_calls: usize,
    /// The bytes of all replies of tools.
    pub reply_bytes: usize,
    /// The tokens of all requests. Each contains the conversation so far.
    pub input_tokens: u64,
    /// The tokens of all replies of the model.
    pub output_tokens: u64,
    /// True if the service counts no tokens, so that they are estimated.
    pub is_estimated: bool,
    /// The time from the first request to the answer, in milliseconds.
    pub elapsed_ms: u64,
}

/// One reply of the model, with the replies of the tools that it called.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    /// Its text.
    pub text: String,
    /// The calls.
    pub calls: Vec<CallRecord>,
}

/// A call with its reply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallRecord {
    /// The name that the model wrote.
    pub name: String,
    /// The arguments; null if they are not JSON.
    pub arguments: Value,
    /// True if the call failed.
    pub is_error: bool,
    /// The reply.
    pub reply: String,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// What it took.
    pub cost: Cost,
    /// All that the model wrote and called.
    pub turns: Vec<Turn>,
}

/// Asks the model and runs the tools that it calls until it answers, or a limit is reached. Returns
/// `None` if the caller interrupts it.
///
/// A conversation may take the configured time of a conversation, and that of one request for each call.
pub fn run(
    provider: &Provider,
    task: &Task,
    toolbox: &mut dyn Toolbox,
    limits: Limits,
    interrupt: Interrupt<'_>,
) -> Option<Run> {
    let mut service = provider.limits();
    let calls = u32::try_from(limits.calls_max).unwrap_or(u32::MAX);
    service.total = service.total.saturating_add(service.attempt.saturating_mul(calls));
    let provider = provider.clone().with_limits(service);
    let (system, tools) = (toolbox.instructions().to_owned(), toolbox.tools().to_vec());
    let mut dialogue = Dialogue {
        conversation: Conversation::new(&provider, system, tools),
        toolbox,
        limits,
        cost: Cost::default(),
        turns: Vec::new(),
    };
    let started = Instant::now();
    let outcome = dialogue.hold(task, interrupt)?;
    dialogue.cost.elapsed_ms = millis(started.elapsed());
    Some(Run { outcome, cost: dialogue.cost, turns: dialogue.turns })
}

/// Returns the first message to the model.
pub fn question(task: &Task, limits: Limits) -> String {
    format!(
        "{}\n\nAnswer from this code base with the tools; at most {} calls of tools are possible. Reply \
         with the answer alone, in at most {ANSWER_CHARS_MAX} characters. Write names of \
         definitions and paths of files as they are in the code.",
        task.question.trim(),
        limits.calls_max
    )
}

/// A conversation in progress.
struct Dialogue<'a> {
    conversation: Conversation,
    toolbox: &'a mut dyn Toolbox,
    limits: Limits,
    cost: Cost,
    turns: Vec<Turn>,
}

impl Dialogue<'_> {
    /// Holds the conversation; returns `None` if it was interrupted.
    fn hold(&mut self, task: &Task, interrupt: Interrupt<'_>) -> Option<Outcome> {
        let mut input = Input::Text(question(task, self.limits));
        loop {
            if self.cost.input_tokens + self.cost.output_tokens >= self.limits.tokens_max {
                let limit = format!("{} tokens", self.limits.tokens_max);
                return Some(Outcome::Stopped { limit });
            }
            let estimated = tokens::count(&self.conversation.request(&input).to_string());
            let reply = match self.conversation.send_until(input, interrupt) {
                Ok(reply) => reply,
                Err(error) if error.failure() == Failure::Cancelled => return None,
                Err(error) => return Some(failed(error)),
            };
            if reply.usage.input_tokens + reply.usage.output_tokens == 0 {
                self.cost.is_estimated = true;
                let arguments = |call: &Call| tokens::count(&format!("{:?}", call.arguments));
                let written = reply.calls.iter().map(arguments).sum::<usize>();
                self.cost.input_tokens += estimated as u64;
                self.cost.output_tokens += (tokens::count(&reply.text) + written) as u64;
            }
            self.cost.input_tokens += reply.usage.input_tokens;
            self.cost.output_tokens += reply.usage.output_tokens;
            self.turns.push(Turn { text: reply.text.clone(), calls: Vec::new() });
            match reply.stop {
                Stop::Refusal => {
                    return Some(Outcome::Failed { why: "it refused to answer".to_owned() });
                }
                Stop::MaxTokens => {
                    let limit = "the tokens of one reply (`CODEDB_MODEL_MAX_TOKENS`)".to_owned();
                    return Some(Outcome::Stopped { limit });
                }
                Stop::End | Stop::ToolUse if reply.calls.is_empty() => {
                    let faults = faults(&reply.text, task);
                    let is_right = faults.is_empty();
                    return Some(if is_right { Outcome::Right } else { Outcome::Wrong { faults } });
                }
                Stop::End | Stop::ToolUse => {}
            }
            // The model was informed before that no calls are left.
            if self.cost.calls >= self.limits.calls_max {
                return Some(Outcome::Stopped {
                    limit: format!("{} calls", self.limits.calls_max),
                });
            }
            let mut results = Vec::new();
            for call in reply.calls {
                let result = self.result(call, interrupt);
                if interrupt.is_due() {
                    return None;
                }
                match result {
                    Ok(result) => results.push(result),
                    Err(error) => return Some(Outcome::Failed { why: error.to_string() }),
                }
            }
            input = Input::Results(results);
        }
    }

    /// Runs a call, within the limit, and counts it. Fails if no tool can be called any more.
    fn result(&mut self, call: Call, interrupt: Interrupt<'_>) -> Result<ToolResult> {
        let calls_max = self.limits.calls_max;
        if self.cost.calls >= calls_max {
            let text = format!("not executed: {calls_max} calls are the limit; answer now");
            return Ok(ToolResult { id: call.id, text, is_error: true });
        }
        self.cost.calls += 1;
        let mut output = match &call.arguments {
            Ok(arguments) => self.toolbox.call(&call.name, arguments, interrupt)?,
            Err(why) => Output::failed(why.clone()),
        };
        self.cost.failed_calls += usize::from(output.is_error);
        self.cost.reply_bytes += output.text.len();
        if self.cost.calls == calls_max && !output.is_error {
            output.text.push_str("\nThis was the last call: answer now.");
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.calls.push(CallRecord {
                name: call.name,
                arguments: call.arguments.unwrap_or_default(),
                is_error: output.is_error,
                reply: output.text.clone(),
            });
        }
        Ok(ToolResult { id: call.id, text: output.text, is_error: output.is_error })
    }
}

/// Returns the outcome of a run whose request failed.
fn failed(error: ModelError) -> Outcome {
    match error.failure() {
        // Its hint is about changes.
        Failure::TooLarge => {
            let error = error.into_error().to_string();
            Outcome::Stopped { limit: error }
        }
        _ => Outcome::Failed { why: error.to_string() },
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
