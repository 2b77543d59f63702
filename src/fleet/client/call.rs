//! One request to all nodes at once, for a caller that waits: the thread that drives the connections,
//! and what it reports.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use super::codec::{Budget, Reading, Response};
use super::connection::Endpoint;
use super::{Bounds, failure};
use crate::base::interrupt::Interrupt;
use crate::error::{Error, Kind};

/// How often a caller looks whether it is interrupted.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(10);

/// The thread on which connections are driven, also between calls, so that they are kept alive. It ends
/// when this value is dropped.
pub(super) struct Driver {
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

impl Driver {
    pub(super) fn start() -> Result<Driver, Error> {
        let failed = |error: std::io::Error| {
            Error::new(Kind::Io, format!("cannot start a thread for the fleet: {error}"))
        };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let drive = move || {
            // It is never sent: the sender is dropped.
            let _ = runtime.block_on(stopped);
            // A look-up of a name that takes long is not waited for.
            runtime.shutdown_background();
        };
        thread::Builder::new().name("fleet".to_owned()).spawn(drive).map_err(failed)?;
        Ok(Driver { handle, _stop: stop })
    }
}

/// How the answer of a node ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// As the protocol has it.
    Complete,
    /// With a failure: the end of a sentence that begins with the node.
    Failed(String),
    /// Not within the time of the call, which was so many milliseconds.
    Late(u128),
    /// Not before the call was interrupted.
    Interrupted,
}

impl End {
    /// Returns why the answer is not whole, as the end of a sentence.
    pub(super) fn why(&self) -> Option<String> {
        match self {
            End::Complete => None,
            End::Failed(why) => Some(why.clone()),
            End::Late(ms) => Some(format!("did not finish its answer within {ms} ms")),
            End::Interrupted => Some("had not finished its answer when the call ended".to_owned()),
        }
    }
}

/// What arrived from a node.
pub(super) struct NodeParts<A> {
    pub(super) name: String,
    pub(super) parts: Vec<A>,
    pub(super) end: End,
    pub(super) elapsed: Duration,
}

enum Event<A> {
    Part(A),
    End(End, Duration),
}

/// Ends the calls of nodes that are still running, which resets their streams.
struct Running(Vec<AbortHandle>);

impl Drop for Running {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

/// Sends `request` to all nodes and returns what arrives until the deadline, in the order of nodes.
pub(super) fn all<Q, A>(
    driver: &Driver,
    endpoints: &[Arc<Endpoint>],
    method: &'static str,
    request: &Q,
    bounds: &Bounds,
    interrupt: Interrupt<'_>,
) -> Vec<NodeParts<A>>
where
    Q: prost::Message + Clone + 'static,
    A: Response,
{
    let start = Instant::now();
    let budget = Arc::new(Budget::new(bounds.bytes_max));
    let (sender, events) = mpsc::channel();
    let mut running = Running(Vec::new());
    let mut nodes: Vec<NodeParts<A>> = Vec::new();
    let mut is_ended = Vec::new();
    for (at, endpoint) in endpoints.iter().enumerate() {
        let (endpoint, budget) = (Arc::clone(endpoint), Arc::clone(&budget));
        let name = endpoint.node.name.clone();
        let end = End::Late(0);
        nodes.push(NodeParts { name, parts: Vec::new(), end, elapsed: Duration::ZERO });
        is_ended.push(false);
        let (sender, request) = (sender.clone(), request.clone());
        let task = driver.handle.spawn(async move {
            let end = one(&endpoint, method, request, &budget, at, &sender).await;
            let end = end.map_or_else(End::Failed, |()| End::Complete);
            // The caller may have stopped waiting.
            let _ = sender.send((at, Event::End(end, start.elapsed())));
        });
        running.0.push(task.abort_handle());
    }
    drop(sender);
    let mut open = nodes.len();
    let whole = bounds.deadline.saturating_duration_since(start);
    let mut end = End::Late((whole + Duration::from_micros(500)).as_millis());
    while open > 0 {
        let left = bounds.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        if interrupt.is_due() {
            end = End::Interrupted;
            break;
        }
        match events.recv_timeout(left.min(INTERRUPT_INTERVAL)) {
            Ok((at, Event::Part(part))) => nodes[at].parts.push(part),
            Ok((at, Event::End(end, elapsed))) => {
                nodes[at].end = end;
                nodes[at].elapsed = elapsed;
                is_ended[at] = true;
                open -= 1;
            }
            Err(RecvTimeoutError::Timeout) => {}
            // Every task reports its end, unless it panicked.
            Err(RecvTimeoutError::Disconnected) => {
                end = End::Failed("was left out by a fault of this program".to_owned());
                break;
            }
        }
    }
    drop(running);
    let elapsed = start.elapsed();
    for (at, node) in nodes.iter_mut().enumerate().filter(|(at, _)| !is_ended[*at]) {
        node.end = end.clone();
        node.elapsed = elapsed;
        if node.parts.is_empty() && matches!(end, End::Late(_)) {
            // The connection may be dead without a sign of it.
            endpoints[at].forget();
        }
    }
    nodes
}

/// Sends the request to a node and reports the parts of its answer.
async fn one<Q, A>(
    endpoint: &Endpoint,
    method: &'static str,
    request: Q,
    budget: &Arc<Budget>,
    at: usize,
    sender: &Sender<(usize, Event<A>)>,
) -> Result<(), String>
where
    Q: prost::Message + Clone + 'static,
    A: Response,
{
    let token = endpoint.token.as_ref();
    let mut answer = endpoint.call::<Q, A>(method, request, budget).await?;
    loop {
        match endpoint.next(&mut answer, budget).await? {
            None => return Ok(()),
            Some(Reading::Message(part)) => {
                if sender.send((at, Event::Part(part))).is_err() {
                    return Ok(());
                }
            }
            Some(Reading::Malformed(why)) => {
                let why = failure::quoted(&why, token);
                return Err(format!("sent a message that cannot be read: {why}"));
            }
            Some(Reading::TooLarge) => {
                let bytes = budget.whole();
                return Err(format!(
                    "was cut off, because all answers together exceed {bytes} bytes"
                ));
            }
        }
    }
}
