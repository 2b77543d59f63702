//! The connections of a server: places for clients with the token, and others that anybody can use.
//!
//! A connection is anonymous until its first authorised request. Anonymous connections never keep
//! others waiting: a new one closes the oldest one. Each answers one request, so a client without
//! the token holds a place for as long as it takes to send a head, at most the time limit of heads.
//! A client with the token sends its head at once and gets a place of its own.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The maximum number of connections with an authorised request; further clients wait.
const AUTHORISED_MAX: usize = 192;

/// The maximum number of other connections.
const ANONYMOUS_MAX: usize = 64;

/// All connections.
#[derive(Debug)]
pub(super) struct Connections {
    authorised: Arc<Semaphore>,
    /// The anonymous connections, oldest first.
    anonymous: Mutex<VecDeque<Arc<Connection>>>,
}

/// One connection.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// Notified when it must be closed for another one.
    closed: Notify,
    place: OnceLock<OwnedSemaphorePermit>,
}

impl Connections {
    /// Returns the state without connections.
    pub(super) fn new() -> Connections {
        let authorised = Arc::new(Semaphore::new(AUTHORISED_MAX));
        Connections { authorised, anonymous: Mutex::new(VecDeque::new()) }
    }

    /// Waits while every place for authorised connections is taken.
    pub(super) async fn room(&self) {
        // The semaphore is never closed.
        drop(self.authorised.acquire().await);
    }

    /// Adds an anonymous connection, and closes the oldest one if there are too many.
    pub(super) fn add(&self) -> Arc<Connection> {
        let connection = Arc::new(Connection::default());
        let mut anonymous = self.lock();
        anonymous.push_back(Arc::clone(&connection));
        if anonymous.len() > ANONYMOUS_MAX
            && let Some(oldest) = anonymous.pop_front()
        {
            oldest.closed.notify_one();
        }
        connection
    }

    /// Moves a connection to the authorised ones, when there is a place.
    pub(super) async fn authorise(&self, connection: &Arc<Connection>) {
        if connection.place.get().is_some() {
            return;
        }
        if let Ok(place) = Arc::clone(&self.authorised).acquire_owned().await {
            // A connection answers one request at a time.
            let _ = connection.place.set(place);
        }
        self.remove(connection);
    }

    /// Removes a connection that has ended.
    pub(super) fn remove(&self, connection: &Arc<Connection>) {
        self.lock().retain(|other| !Arc::ptr_eq(other, connection));
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Connection>>> {
        self.anonymous.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Waits until the connection must be closed.
    pub(super) async fn closed(&self) {
        self.closed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime").block_on(test);
    }

    async fn is_done(future: impl Future) -> bool {
        tokio::time::timeout(Duration::from_millis(20), future).await.is_ok()
    }

    #[test]
    fn the_oldest_anonymous_connection_is_closed() {
        run(async {
            let connections = Connections::new();
            let (first, second) = (connections.add(), connections.add());
            connections.authorise(&first).await;
            for _ in 0..ANONYMOUS_MAX - 1 {
                connections.add();
            }
            assert!(!is_done(second.closed()).await, "there was room");
            connections.add();
            assert!(is_done(second.closed()).await);
            for _ in 0..2 * ANONYMOUS_MAX {
                connections.add();
            }
            assert!(!is_done(first.closed()).await, "it was authorised");
            assert_eq!(connections.lock().len(), ANONYMOUS_MAX);
        });
    }

    #[test]
    fn authorised_connections_are_limited() {
        run(async {
            let connections = Connections::new();
            let mut authorised = Vec::new();
            for _ in 0..AUTHORISED_MAX {
                assert!(is_done(connections.room()).await);
                let connection = connections.add();
                connections.authorise(&connection).await;
                // Another request of the same connection takes no further place.
                connections.authorise(&connection).await;
                authorised.push(connection);
            }
            assert!(!is_done(connections.room()).await);
            let last = connections.add();
            assert!(!is_done(connections.authorise(&last)).await);
            authorised.pop();
            assert!(is_done(connections.authorise(&last)).await);
        });
    }
}
