//! The transport over two streams, with one line per message.
//!
//! Both directions are bounded: reading stops while 64 requests or 32 MiB of requests are pending and
//! a further one waits, or while 64 error responses to invalid lines are unwritten. Memory is therefore bounded even for a
//! client that sends and never reads.
//!
//! The server sees numbers of its own instead of the client's ids: a client can use the id of a
//! request that it has cancelled again while the work of the first one still ends, and its result
//! must not be taken for the second one's.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::{Mutex as TaskMutex, MutexGuard as TaskMutexGuard, Notify};
use tokio::task::JoinSet;

use super::Handle;
use super::line::{self, Line, Lines, Message};
use super::streams::{Input, Output};

/// Pending requests; beyond this number, nothing more is read.
const UNANSWERED_MAX: usize = 64;

/// Bytes of pending requests; beyond them, nothing more is read.
const UNANSWERED_BYTES_MAX: usize = 32 << 20;

/// Unwritten error responses; beyond this number, nothing more is read.
const REFUSALS_MAX: usize = 64;

/// How long the last error responses may take to be written after the input has ended.
const CLOSING: Duration = Duration::from_secs(2);

/// The transport.
#[derive(Debug)]
pub(super) struct Stdio {
    input: Input,
    lines: Lines,
    /// A request that waits until fewer are pending, and its length in bytes.
    held: Option<(Message, usize)>,
    /// Error responses in progress, for lines that are not requests.
    refusals: JoinSet<()>,
    sender: Arc<Sender>,
}

impl Stdio {
    /// Starts reading and writing. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub(super) fn start(
        input: impl Read + Handle + Send + 'static,
        output: impl Write + Handle + Send + 'static,
    ) -> io::Result<Stdio> {
        let line = TaskMutex::new((Output::of(output)?, Vec::new()));
        let sender = Sender { line, unanswered: Unanswered::default(), broken: Notify::new() };
        Ok(Stdio {
            input: Input::of(input)?,
            lines: Lines::default(),
            held: None,
            refusals: JoinSet::new(),
            sender: Arc::new(sender),
        })
    }

    /// Returns the next message, `None` after the last. Cancel-safe: nothing is lost.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Other tasks must run even if lines arrive without a pause.
            tokio::task::coop::consume_budget().await;
            while self.refusals.try_join_next().is_some() {}
            while self.refusals.len() >= REFUSALS_MAX {
                self.refusals.join_next().await;
            }
            if self.held.is_some() {
                self.sender.unanswered.room().await;
            }
            let (message, bytes) = match self.held.take() {
                Some(held) => held,
                None => match self.lines.next() {
                    Some(Line::Whole(line)) => (line::parse(line), line.len()),
                    Some(Line::TooLong) => {
                        let mib = line::BYTES_MAX >> 20;
                        let why = format!("a message has at most {mib} MiB; this one was skipped");
                        (line::refused(ErrorData::invalid_request(why, None), None), 0)
                    }
                    None => {
                        if self.input.read(|bytes| self.lines.push(bytes)).await {
                            continue;
                        } else {
                            return None;
                        }
                    }
                },
            };
            if is_request(&message) && !self.sender.unanswered.has_room() {
                self.held = Some((message, bytes));
                continue;
            }
            match self.sender.unanswered.admitted(message, bytes) {
                Message::Ignored => {}
                Message::Valid(message) => return Some(*message),
                Message::Refused(reply) => {
                    let sender = Arc::clone(&self.sender);
                    self.refusals.spawn(async move {
                        // A failed write means that the client is gone.
                        let _ = sender.refuse(&reply).await;
                    });
                }
            }
        }
    }
}

fn is_request(message: &Message) -> bool {
    matches!(message, Message::Valid(message) if matches!(**message, JsonRpcMessage::Request(_)))
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sender = Arc::clone(&self.sender);
        async move { sender.answer(message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let sender = Arc::clone(&self.sender);
        let broken = std::pin::pin!(sender.broken.notified());
        let next = std::pin::pin!(self.next());
        either(next, broken).await.flatten()
    }

    async fn close(&mut self) -> io::Result<()> {
        let refusals = std::mem::take(&mut self.refusals);
        // If the client does not read, the last error responses are lost.
        let _ = tokio::time::timeout(CLOSING, refusals.join_all()).await;
        Ok(())
    }
}

/// Returns the result of `first`, or `None` if `second` completes earlier.
pub(super) async fn either<T>(
    mut first: impl Future<Output = T> + Unpin,
    mut second: impl Future + Unpin,
) -> Option<T> {
    std::future::poll_fn(|context| {
        use std::pin::Pin;
        use std::task::Poll;
        if let Poll::Ready(value) = Pin::new(&mut first).poll(context) {
            return Poll::Ready(Some(value));
        }
        Pin::new(&mut second).poll(context).map(|_| None)
    })
    .await
}

/// Writes messages, one at a time.
#[derive(Debug)]
struct Sender {
    /// The stream and a buffer for the current line.
    line: TaskMutex<(Output, Vec<u8>)>,
    unanswered: Unanswered,
    /// Notified when nothing can be written any more.
    broken: Notify,
}

impl Sender {
    /// Sends a message. A response also completes the pending request with its number, and is
    /// dropped if that request was cancelled.
    async fn answer(&self, mut message: ServerJsonRpcMessage) -> io::Result<()> {
        let turn = self.line.lock().await;
        let id = match &mut message {
            JsonRpcMessage::Response(response) => Some(&mut response.id),
            JsonRpcMessage::Error(error) => error.id.as_mut(),
            _ => None,
        };
        let Some(id) = id else { return self.write(turn, &message).await };
        let Some((client_id, bytes)) = self.unanswered.free(id) else { return Ok(()) };
        *id = client_id;
        let sent = self.write(turn, &message).await;
        self.unanswered.end(bytes);
        sent
    }

    /// Responds to a line that is not a request, whatever its id.
    async fn refuse(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        self.write(self.line.lock().await, message).await
    }

    async fn write(
        &self,
        mut turn: TaskMutexGuard<'_, (Output, Vec<u8>)>,
        message: &ServerJsonRpcMessage,
    ) -> io::Result<()> {
        let (output, line) = &mut *turn;
        line.clear();
        serde_json::to_writer(&mut *line, message)?;
        line.push(b'\n');
        let written = output.write(line).await;
        line.shrink_to(line::KEPT_BYTES);
        if written.is_err() {
            self.broken.notify_one();
        }
        written
    }
}

/// The pending requests.
#[derive(Debug, Default)]
struct Unanswered {
    requests: Mutex<Requests>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Requests {
    /// The numbers of pending requests by their ids. An id is released before its response is
    /// written, because a client that has read the response may reuse the id.
    numbers: HashMap<RequestId, i64>,
    /// The ids of pending requests by their numbers, with their lengths in bytes.
    ids: HashMap<i64, (RequestId, usize)>,
    /// The number of the last request.
    last: i64,
    /// The number of requests whose responses use memory. It is decremented only after the response
    /// was written.
    count: usize,
    /// The sum of their lengths.
    bytes: usize,
}

impl Unanswered {
    /// Waits until there is room for another one.
    async fn room(&self) {
        while !self.has_room() {
            self.ended.notified().await;
        }
    }

    fn has_room(&self) -> bool {
        let requests = self.lock();
        requests.count < UNANSWERED_MAX && requests.bytes < UNANSWERED_BYTES_MAX
    }

    /// Adds a request; returns its number, `None` if its id is pending already.
    fn begin(&self, id: &RequestId, bytes: usize) -> Option<RequestId> {
        let mut requests = self.lock();
        let number = requests.last + 1;
        let Entry::Vacant(entry) = requests.numbers.entry(id.clone()) else { return None };
        entry.insert(number);
        requests.ids.insert(number, (id.clone(), bytes));
        requests.last = number;
        requests.count += 1;
        requests.bytes += bytes;
        Some(RequestId::Number(number))
    }

    /// Releases the id of a request by its number, and returns the id and the request's length;
    /// `None` if it is not pending.
    fn free(&self, number: &RequestId) -> Option<(RequestId, usize)> {
        let RequestId::Number(number) = number else { return None };
        let mut requests = self.lock();
        let (id, bytes) = requests.ids.remove(number)?;
        requests.numbers.remove(&id);
        Some((id, bytes))
    }

    /// Returns the number of the pending request with an id.
    fn number(&self, id: &RequestId) -> Option<RequestId> {
        self.lock().numbers.get(id).copied().map(RequestId::Number)
    }

    /// Releases the memory of a request whose id was released.
    fn end(&self, bytes: usize) {
        let mut requests = self.lock();
        requests.count = requests.count.saturating_sub(1);
        requests.bytes = requests.bytes.saturating_sub(bytes);
        self.ended.notify_one();
    }

    /// Replaces the client's id by a number. Rejects a request whose id is pending: the client
    /// could not distinguish the two responses. A cancellation of no pending request is ignored.
    fn admitted(&self, mut message: Message, bytes: usize) -> Message {
        let Message::Valid(valid) = &mut message else { return message };
        match &mut **valid {
            JsonRpcMessage::Request(request) => {
                let Some(number) = self.begin(&request.id, bytes) else {
                    let why = "another request with this id is still pending";
                    let error = ErrorData::invalid_request(why, None);
                    return line::refused(error, Some(request.id.clone()));
                };
                request.id = number;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    let Some(number) = self.number(id) else { return Message::Ignored };
                    // It gets no response.
                    if let Some((_, bytes)) = self.free(&number) {
                        self.end(bytes);
                    }
                    *id = number;
                }
            }
            _ => {}
        }
        message
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
