//! Tells open pages the version of the tree, which tells them whether they are stale, and how far the index is
//! built.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use tokio::sync::{mpsc, watch};

use crate::mcp::site::{Body, Tree};

/// How often the tree is looked at while a page is open.
const INTERVAL: Duration = Duration::from_millis(80);

/// How often something is sent to an idle page, so that closed ones are noticed.
const IDLE: Duration = Duration::from_secs(15);

/// The state of the tree as pages see it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct State {
    version: u64,
    progress: Option<String>,
}

/// The states of a tree; looks at it only while pages wait for changes.
#[derive(Debug)]
pub(super) struct Changes {
    tree: Tree,
    looking: Arc<Mutex<Option<watch::Receiver<State>>>>,
}

impl Changes {
    pub(super) fn new(tree: Tree) -> Changes {
        Changes { tree, looking: Arc::default() }
    }

    /// Returns the body of a response that never ends: an event for every change.
    pub(super) fn stream(&self) -> Body {
        let (sender, receiver) = mpsc::channel(4);
        let mut states = self.states();
        tokio::spawn(async move {
            let mut seen = states.borrow_and_update().clone();
            let mut event = Bytes::from(text(&State::default(), &seen));
            while sender.send(event).await.is_ok() {
                event = match tokio::time::timeout(IDLE, states.changed()).await {
                    Err(_) => Bytes::from_static(b": idle\n\n"),
                    Ok(Err(_)) => return,
                    Ok(Ok(())) => {
                        let now = states.borrow_and_update().clone();
                        let text = text(&seen, &now);
                        seen = now;
                        text.into()
                    }
                };
            }
        });
        Events(receiver).boxed()
    }

    /// Returns the states from now on.
    fn states(&self) -> watch::Receiver<State> {
        let mut looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(states) = &*looking {
            return states.clone();
        }
        let (sender, states) = watch::channel(State::default());
        *looking = Some(states.clone());
        let (tree, looking) = (self.tree.clone(), Arc::clone(&self.looking));
        tokio::spawn(async move {
            loop {
                let tree = tree.clone();
                let looked = tokio::task::spawn_blocking(move || State {
                    version: tree.version().unwrap_or_default(),
                    progress: tree.readiness().ok().and_then(|readiness| readiness.message),
                });
                let Ok(state) = looked.await else { return };
                sender.send_if_modified(|now| {
                    let is_new = *now != state;
                    *now = state;
                    is_new
                });
                {
                    let mut looking = looking.lock().unwrap_or_else(PoisonError::into_inner);
                    // One receiver is that of `looking` itself.
                    if sender.receiver_count() <= 1 {
                        *looking = None;
                        return;
                    }
                }
                tokio::time::sleep(INTERVAL).await;
            }
        });
        states
    }
}

/// Returns what pages are told.
fn text(before: &State, now: &State) -> String {
    let mut text = String::new();
    if before.version != now.version {
        text.push_str(&format!("event: version\ndata: {}\n\n", now.version));
    }
    if before.progress != now.progress {
        let progress = now.progress.as_deref().unwrap_or_default().replace(['\r', '\n'], " ");
        text.push_str(&format!("event: progress\ndata: {progress}\n\n"));
    }
    if text.is_empty() {
        text.push_str(": same\n\n");
    }
    text
}

/// Events as the body of a response.
struct Events(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Events {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_what_changed() {
        let state = |version, progress: Option<&str>| State {
            version,
            progress: progress.map(str::to_owned),
        };
        assert_eq!(text(&state(1, None), &state(1, None)), ": same\n\n");
        assert_eq!(text(&state(1, None), &state(2, None)), "event: version\ndata: 2\n\n");
        assert_eq!(
            text(&state(1, None), &state(1, Some("a\nb"))),
            "event: progress\ndata: a b\n\n"
        );
        assert_eq!(text(&state(1, Some("a")), &state(1, None)), "event: progress\ndata: \n\n");
    }
}
