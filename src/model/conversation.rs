//! [`Conversation`]: the messages so far, and the next request with its retries.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use super::clock::{Clock, SystemClock};
use super::failure::{Failure, ModelError};
use super::http::{self, Agent, HttpError, Request, Response};
use super::provider::Provider;
use super::retry::{self, Retry};
use super::wire::{self, Frame, ServiceError};
use super::{Input, Reply, Tool};
use crate::base::interrupt::Interrupt;

/// How often a delay checks whether the caller has cancelled.
const POLL: Duration = Duration::from_millis(50);

/// A conversation with a model. Each request contains all messages so far, so that the service
/// keeps no state.
#[derive(Debug)]
pub struct Conversation {
    provider: Provider,
    frame: Frame,
    agent: Agent,
    clock: Box<dyn Clock>,
    /// The messages so far, in the form of the protocol.
    messages: Vec<Value>,
    /// The ids of the calls of the last reply.
    pending: Vec<String>,
    /// The ids of all calls.
    used: BTreeSet<String>,
    /// When the conversation ends, by the clock; set with the first request.
    deadline: Option<Duration>,
}

/// A failed attempt.
struct Attempt {
    error: ModelError,
    retry: Retry,
}

impl Conversation {
    /// Returns a conversation without messages. Nothing is sent.
    pub fn new(provider: &Provider, system: String, tools: Vec<Tool>) -> Conversation {
        Conversation::with_clock(provider, system, tools, Box::new(SystemClock::start()))
    }

    /// Returns a conversation with the given clock.
    pub(super) fn with_clock(
        provider: &Provider,
        system: String,
        tools: Vec<Tool>,
        clock: Box<dyn Clock>,
    ) -> Conversation {
        let is_encrypted = provider.endpoint().starts_with("https:");
        Conversation {
            provider: provider.clone(),
            frame: Frame { system, tools },
            agent: Agent::new(is_encrypted),
            clock,
            messages: Vec::new(),
            pending: Vec::new(),
            used: BTreeSet::new(),
            deadline: None,
        }
    }

    /// Returns the body that [`Conversation::send`] would send. It contains no key.
    pub fn request(&self, input: &Input) -> Value {
        wire::body(&self.provider, &self.frame, self.with_input(input))
    }

    /// Sends `input` and returns the reply. See [`Conversation::send_until`].
    ///
    /// # Errors
    ///
    /// As [`Conversation::send_until`].
    pub fn send(&mut self, input: Input) -> Result<Reply, ModelError> {
        self.send_until(input, Interrupt::NEVER)
    }

    /// Sends `input` and returns the reply. Failures that may pass (429, 529 and other 5xx, broken
    /// connections) are repeated with growing delays, within the limits of the provider. The
    /// caller waits for up to [`Limits::total`](super::Limits::total) in all calls together.
    ///
    /// After an error the conversation is as it was before: the same or another input can be sent.
    ///
    /// # Errors
    ///
    /// [`Failure::Misuse`], with nothing sent, if the text is empty or the results are not those of
    /// the calls of the last reply; otherwise why there is no reply.
    pub fn send_until(
        &mut self,
        input: Input,
        interrupt: Interrupt<'_>,
    ) -> Result<Reply, ModelError> {
        self.check(&input)?;
        let messages = self.with_input(&input);
        let body = wire::body(&self.provider, &self.frame, messages.clone());
        let body = serde_json::to_vec(&body)
            .map_err(|error| ModelError::misuse(format!("the request is not JSON: {error}")))?;
        let bytes_max = self.provider.limits().request_bytes_max;
        if body.len() > bytes_max {
            return Err(ModelError::new(
                Failure::TooLarge,
                format!(
                    "the request to `{}` has {} bytes, more than {bytes_max}",
                    self.provider.host(),
                    body.len()
                ),
                "check a smaller change",
            ));
        }
        let reply = self.exchange(&body, interrupt)?;
        let turn = wire::parse(self.provider.protocol(), &reply, &self.used)
            .map_err(|lack| self.unexpected(&reply, &lack))?;
        self.messages = messages;
        self.messages.extend(turn.message);
        self.pending = turn.reply.calls.iter().map(|call| call.id.clone()).collect();
        self.used.extend(self.pending.iter().cloned());
        Ok(turn.reply)
    }

    fn with_input(&self, input: &Input) -> Vec<Value> {
        let mut messages = self.messages.clone();
        wire::push(self.provider.protocol(), &mut messages, input, &self.pending);
        messages
    }

    /// Checks that `input` may follow.
    fn check(&self, input: &Input) -> Result<(), ModelError> {
        match input {
            Input::Text(_) if !self.pending.is_empty() => {
                Err(ModelError::misuse("the calls of the last reply have no results yet"))
            }
            Input::Text(text) if text.trim().is_empty() => {
                Err(ModelError::misuse("the message to the model is empty"))
            }
            Input::Text(_) => Ok(()),
            Input::Results(results) => {
                let mut given: Vec<&str> = results.iter().map(|result| &*result.id).collect();
                let mut pending: Vec<&str> = self.pending.iter().map(|id| &**id).collect();
                given.sort_unstable();
                pending.sort_unstable();
                if given == pending && !given.is_empty() {
                    Ok(())
                } else {
                    Err(ModelError::misuse("the results are not those of the last reply's calls"))
                }
            }
        }
    }

    /// Sends a body until there is a reply, and returns its JSON.
    fn exchange(&mut self, body: &[u8], interrupt: Interrupt<'_>) -> Result<Value, ModelError> {
        let limits = self.provider.limits();
        let start = self.clock.elapsed();
        let deadline = *self.deadline.get_or_insert(start.saturating_add(limits.total));
        let mut failed = 0;
        loop {
            let left = deadline.saturating_sub(self.clock.elapsed());
            if left.is_zero() {
                return Err(self.timeout());
            }
            let attempt = match self.attempt(body, limits.attempt.min(left), interrupt) {
                Ok(reply) => return Ok(reply),
                Err(attempt) => attempt,
            };
            failed += 1;
            let delay = match attempt.retry {
                Retry::Never => None,
                Retry::BackOff => Some(retry::back_off(failed, self.clock.random())),
                // Not earlier than asked, and not together with all others.
                Retry::After(delay) => Some(delay)
                    .filter(|delay| *delay <= retry::REQUESTED_MAX)
                    .map(|delay| delay + retry::back_off(1, self.clock.random()) / 2),
            };
            let left = deadline.saturating_sub(self.clock.elapsed());
            let delay = delay.filter(|delay| failed < limits.attempts_max && *delay < left);
            let Some(delay) = delay else {
                return Err(match failed {
                    1 => attempt.error,
                    _ => attempt.error.after(failed),
                });
            };
            self.wait(delay, interrupt)?;
        }
    }

    fn wait(&self, delay: Duration, interrupt: Interrupt<'_>) -> Result<(), ModelError> {
        let mut left = delay;
        while !left.is_zero() {
            if interrupt.is_due() {
                return Err(cancelled());
            }
            let slice = left.min(POLL);
            self.clock.sleep(slice);
            left -= slice;
        }
        Ok(())
    }

    /// Sends a body once.
    fn attempt(
        &self,
        body: &[u8],
        timeout: Duration,
        interrupt: Interrupt<'_>,
    ) -> Result<Value, Attempt> {
        let request = Request {
            url: self.provider.endpoint().to_owned(),
            headers: wire::headers(&self.provider),
            body: body.to_vec(),
            timeout,
            reply_bytes_max: self.provider.limits().reply_bytes_max,
        };
        let response =
            http::post(&self.agent, request, interrupt).map_err(|error| self.unreachable(error))?;
        if !(200..300).contains(&response.status) {
            return Err(self.refused(&response));
        }
        serde_json::from_slice(&response.body).map_err(|error| {
            // A body that ends early, where its length was not announced.
            let retry = if error.is_eof() { Retry::BackOff } else { Retry::Never };
            let error = self.unexpected(&Value::Null, &format!("it is not JSON: {error}"));
            Attempt { error, retry }
        })
    }

    fn unreachable(&self, error: HttpError) -> Attempt {
        let host = self.provider.host();
        let url = "check the network and `CODEDB_MODEL_URL`";
        match error {
            HttpError::Cancelled => Attempt { error: cancelled(), retry: Retry::Never },
            HttpError::Timeout => Attempt { error: self.timeout(), retry: Retry::BackOff },
            HttpError::TooLarge => {
                let bytes = self.provider.limits().reply_bytes_max;
                let message = format!("the reply of `{host}` has more than {bytes} bytes");
                let error = ModelError::new(Failure::TooLarge, message, url);
                Attempt { error, retry: Retry::Never }
            }
            HttpError::Connection(why) => {
                let message = format!("no reply from `{host}`: {}", self.safe(&why));
                let error = ModelError::new(Failure::Connection, message, url);
                Attempt { error, retry: Retry::BackOff }
            }
            HttpError::NobodyListens(why) => {
                let message = format!("no program listens at `{host}`: {}", self.safe(&why));
                // The user starts a server on this machine; it does not restart by itself.
                let (retry, hint) = if self.provider.is_remote() {
                    (Retry::BackOff, url)
                } else {
                    (Retry::Never, "start the server or check `CODEDB_MODEL_URL`")
                };
                Attempt { error: ModelError::new(Failure::Connection, message, hint), retry }
            }
            HttpError::Permanent(why) => {
                let message = format!("no connection to `{host}`: {}", self.safe(&why));
                let error = ModelError::new(Failure::Connection, message, url);
                Attempt { error, retry: Retry::Never }
            }
        }
    }

    fn timeout(&self) -> ModelError {
        let host = self.provider.host();
        ModelError::new(
            Failure::Timeout,
            format!("`{host}` did not reply in time"),
            "set `CODEDB_MODEL_TIMEOUT` to more seconds or choose a faster model",
        )
    }

    /// Returns the error of a reply with a status that is no success.
    fn refused(&self, response: &Response) -> Attempt {
        let ServiceError { message, is_spent } = wire::error(&response.body);
        let (host, model, status) = (self.provider.host(), self.provider.model(), response.status);
        let reason = match self.safe(&message) {
            message if message.is_empty() => String::new(),
            message => format!(": {message}"),
        };
        let retry = if is_spent { Retry::Never } else { retry::after(response, self.clock.now()) };
        let error = |failure, what: String, hint: &str| ModelError::new(failure, what, hint);
        let error = match status {
            _ if is_spent || status == 402 => error(
                Failure::Denied,
                format!("`{host}` reports that no credit is left ({status})"),
                "add credit or choose another provider",
            ),
            // What a service writes about a wrong key may contain parts of it.
            401 => error(
                Failure::Denied,
                match self.provider.key() {
                    Some(_) => format!("`{host}` does not accept the key ({status})"),
                    None => format!("`{host}` requires a key ({status})"),
                },
                "set `CODEDB_MODEL_KEY` to a valid key of this service",
            ),
            403 => error(
                Failure::Denied,
                format!("`{host}` denies access to the model `{model}` ({status})"),
                "use a key that may use the model, or another model",
            ),
            404 => error(
                Failure::Refused,
                format!(
                    "`{host}` has no model `{model}` or not at this address ({status}){reason}"
                ),
                "check `CODEDB_MODEL` and `CODEDB_MODEL_URL`",
            ),
            300..=399 => error(
                Failure::Refused,
                format!("`{host}` redirects to another address ({status})"),
                "set `CODEDB_MODEL_URL` to the final address if you trust it",
            ),
            413 => error(
                Failure::TooLarge,
                format!("the request is too large for `{host}` ({status}){reason}"),
                "check a smaller change",
            ),
            429 => error(
                Failure::Unavailable,
                format!("`{host}` limits the rate of requests ({status}){}", waiting(retry)),
                "try again later",
            ),
            503 | 529 => error(
                Failure::Unavailable,
                format!("`{host}` is overloaded ({status}){}", waiting(retry)),
                "try again later",
            ),
            408 | 500..=599 => error(
                Failure::Unavailable,
                format!("`{host}` failed ({status}){reason}"),
                "try again later",
            ),
            _ => error(
                Failure::Refused,
                format!("`{host}` refused the request ({status}){reason}"),
                "check `CODEDB_MODEL`, and that the model can call tools",
            ),
        };
        Attempt { error, retry }
    }

    /// Returns the error of a successful reply that is none of the protocol.
    fn unexpected(&self, reply: &Value, lack: &str) -> ModelError {
        let (host, protocol) = (self.provider.host(), self.provider.protocol().name());
        // Some services report errors with the status of a success.
        let error = wire::error_in(reply).map(|error| self.safe(&error.message));
        let what = match error {
            Some(message) if !message.is_empty() => {
                format!("`{host}` replied with an error: {message}")
            }
            _ => format!("`{host}` sent no reply of the protocol `{protocol}`: {lack}"),
        };
        let hint = "check `CODEDB_MODEL_PROVIDER` and `CODEDB_MODEL_URL`";
        ModelError::new(Failure::Protocol, what, hint)
    }

    /// Returns a text of the service or of a library for an error message: without the key, on one
    /// line, cut off.
    fn safe(&self, message: &str) -> String {
        // The key is removed first: a part of it could remain where the text is cut off.
        match self.provider.key() {
            Some(key) => wire::quoted(&key.redact(message)),
            None => wire::quoted(message),
        }
    }
}

/// Returns the delay that a service asked for if it is too long to wait.
fn waiting(retry: Retry) -> String {
    match retry {
        Retry::After(delay) if delay > retry::REQUESTED_MAX => {
            format!(" and asks to wait for {} s", delay.as_secs())
        }
        _ => String::new(),
    }
}

fn cancelled() -> ModelError {
    ModelError::new(Failure::Cancelled, "the request to the model was cancelled", "")
}
