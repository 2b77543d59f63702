//! The transport over two pipes: a thread reads lines, another writes them.
//!
//! Threads, since a standard stream may be a pipe, a socket, a file or a terminal, and only blocking
//! reads work on all of them. Both ways are bounded: no more is read while 64 requests are without an
//! answer, so that a client that sends and never reads takes no memory.

use std::collections::HashSet;
use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::{Notify, mpsc, oneshot};

use super::line::{self, Line, Message};

/// Requests without an answer beyond which nothing more is read.
const UNANSWERED_MAX: usize = 64;

/// Messages between the threads and the server, each way.
const QUEUED_MAX: usize = 64;

/// How long the last answers may take to be written once the client stopped sending.
const CLOSING: Duration = Duration::from_secs(2);

/// The transport.
#[derive(Debug)]
pub(super) struct Stdio {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: Option<mpsc::Sender<Outgoing>>,
    written: Option<oneshot::Receiver<()>>,
    broken: Arc<Notify>,
}

/// What is to be written.
#[derive(Debug)]
enum Outgoing {
    /// From the server: an answer ends the request of its id.
    Served(ServerJsonRpcMessage),
    /// To a line that never became a request, whatever id it bore.
    Refusal(ServerJsonRpcMessage),
}

impl Stdio {
    /// Starts to read and to write.
    ///
    /// # Errors
    ///
    /// If the system grants no threads.
    pub(super) fn start(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Stdio> {
        let (received, incoming) = mpsc::channel(QUEUED_MAX);
        let (outgoing, to_write) = mpsc::channel(QUEUED_MAX);
        let (done, written) = oneshot::channel();
        let (unanswered, broken) = (Arc::new(Unanswered::default()), Arc::new(Notify::new()));
        let replies = outgoing.downgrade();
        let reader = Reader { unanswered: Arc::clone(&unanswered), received, replies };
        let is_broken = Arc::clone(&broken);
        thread("mcp-read", move || reader.run(input))?;
        thread("mcp-write", move || {
            if write(output, to_write, &unanswered).is_err() {
                is_broken.notify_one();
            }
            // Nobody may wait for it any more.
            let _ = done.send(());
        })?;
        Ok(Stdio { incoming, outgoing: Some(outgoing), written: Some(written), broken })
    }
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
            let message = Outgoing::Served(message);
            outgoing.ok_or_else(closed)?.send(message).await.map_err(|_| closed())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let broken = std::pin::pin!(self.broken.notified());
        let next = std::pin::pin!(self.incoming.recv());
        either(next, broken).await.flatten()
    }

    async fn close(&mut self) -> io::Result<()> {
        // The writer ends with the last message.
        self.outgoing = None;
        if let Some(written) = self.written.take() {
            // A client that does not read loses them.
            let _ = tokio::time::timeout(CLOSING, written).await;
        }
        Ok(())
    }
}

/// Returns what `first` gives, or `None` if `second` is ready before.
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

/// The requests that have no answer yet.
#[derive(Debug, Default)]
struct Unanswered {
    requests: Mutex<Requests>,
    written: Condvar,
}

#[derive(Debug, Default)]
struct Requests {
    /// Whoever reads an answer may use its id again, so an id goes before its answer is written,
    ids: HashSet<RequestId>,
    /// and what the answer takes is gone only afterwards.
    count: usize,
}

impl Unanswered {
    /// Notes a request, once there are few enough; returns false if its id is under way already.
    fn begin(&self, id: &RequestId) -> bool {
        let mut requests = self
            .written
            .wait_while(self.lock(), |requests| requests.count >= UNANSWERED_MAX)
            .unwrap_or_else(PoisonError::into_inner);
        let is_new = requests.ids.insert(id.clone());
        requests.count += usize::from(is_new);
        is_new
    }

    /// Frees the id of a request; returns false if it was free.
    fn free(&self, id: &RequestId) -> bool {
        self.lock().ids.remove(id)
    }

    /// Notes that nothing is left of a request whose id was freed.
    fn end(&self) {
        let mut requests = self.lock();
        requests.count = requests.count.saturating_sub(1);
        self.written.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Reader {
    unanswered: Arc<Unanswered>,
    received: mpsc::Sender<ClientJsonRpcMessage>,
    /// Weak, so that the writer ends when the server does.
    replies: mpsc::WeakSender<Outgoing>,
}

impl Reader {
    fn run(self, input: impl Read) {
        let (mut input, mut buffer) = (BufReader::with_capacity(64 << 10, input), Vec::new());
        loop {
            let message = match line::read(&mut input, &mut buffer) {
                Line::Whole => line::parse(&buffer),
                Line::TooLong => {
                    let mib = line::BYTES_MAX >> 20;
                    let why = format!("a message has at most {mib} MiB; this one was skipped");
                    line::refused(ErrorData::invalid_request(why, None), None)
                }
                Line::End => return,
            };
            // A long message leaves its room to others.
            buffer.shrink_to(1 << 20);
            let goes_on = match self.admitted(message) {
                Message::Nothing => true,
                Message::Sound(message) => self.received.blocking_send(*message).is_ok(),
                Message::Refused(reply) => {
                    let reply = Outgoing::Refusal(*reply);
                    self.replies.upgrade().is_some_and(|to| to.blocking_send(reply).is_ok())
                }
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Refuses a request whose id has no answer yet: of two answers to one id nobody knows which is
    /// which.
    fn admitted(&self, message: Message) -> Message {
        let Message::Sound(sound) = &message else { return message };
        match &**sound {
            JsonRpcMessage::Request(request) if !self.unanswered.begin(&request.id) => {
                let why = "another request with this id has no answer yet";
                line::refused(ErrorData::invalid_request(why, None), Some(request.id.clone()))
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                    // It gets no answer.
                    && self.unanswered.free(id)
                {
                    self.unanswered.end();
                }
                message
            }
            _ => message,
        }
    }
}

/// Writes messages until there are no more.
fn write(
    mut output: impl Write,
    mut messages: mpsc::Receiver<Outgoing>,
    unanswered: &Unanswered,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(outgoing) = messages.blocking_recv() {
        let (Outgoing::Served(message) | Outgoing::Refusal(message)) = &outgoing;
        buffer.clear();
        serde_json::to_writer(&mut buffer, message)?;
        buffer.push(b'\n');
        let id = match &outgoing {
            Outgoing::Served(JsonRpcMessage::Response(response)) => Some(&response.id),
            Outgoing::Served(JsonRpcMessage::Error(error)) => error.id.as_ref(),
            _ => None,
        };
        let is_answer = id.is_some_and(|id| unanswered.free(id));
        output.write_all(&buffer)?;
        output.flush()?;
        buffer.shrink_to(1 << 20);
        if is_answer {
            unanswered.end();
        }
    }
    Ok(())
}
