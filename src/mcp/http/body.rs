//! Reads the body of a request before the request takes a place among the concurrent ones: a slow
//! client holds only the memory of what it has sent, and only for a limited time.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::guard::Refusal;
use crate::mcp::values;

/// The maximum size of a request in bytes: enough for a diff of 1 MiB with JSON escapes.
pub(super) const REQUEST_BYTES_MAX: usize = 4 << 20;

/// Bytes of all bodies in memory; further ones wait.
pub(super) const BODIES_BYTES_MAX: usize = 64 << 20;

/// How long a client may take to send a body.
const BODY_PATIENCE: Duration = Duration::from_secs(30);

/// Bytes of an unused body that are read, and how long a client may take to send them.
const DISCARDED_BYTES_MAX: usize = 64 << 10;
const DISCARD_PATIENCE: Duration = Duration::from_secs(1);

/// A body and its share of the memory of all bodies.
pub(super) struct Received {
    /// The body.
    pub(super) bytes: Bytes,
    /// Released when the request has been answered.
    pub(super) share: Option<OwnedSemaphorePermit>,
}

/// Reads a body.
///
/// # Errors
///
/// The refusal of a body that is too long, too slow, or has too many values.
pub(super) async fn read(body: Incoming, memory: &Arc<Semaphore>) -> Result<Received, Refusal> {
    let too_slow = Refusal {
        status: StatusCode::REQUEST_TIMEOUT,
        reason: "the request body took too long; it must arrive within 30 s",
    };
    let received = tokio::time::timeout(BODY_PATIENCE, collect(body, memory)).await;
    let received = received.unwrap_or(Err(too_slow))?;
    if values::are_too_many(&received.bytes) {
        return Err(Refusal { status: StatusCode::PAYLOAD_TOO_LARGE, reason: values::TOO_MANY });
    }
    Ok(received)
}

/// Reads the start of a body that is not used. Otherwise a client that sends it after the head would
/// find the connection closed, and might not read the response.
pub(super) async fn discard(mut body: Incoming) {
    let read = async {
        let mut bytes = 0;
        while bytes <= DISCARDED_BYTES_MAX
            && let Some(Ok(frame)) = body.frame().await
        {
            bytes += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    // A slow client may miss the response.
    let _ = tokio::time::timeout(DISCARD_PATIENCE, read).await;
}

async fn collect(mut body: Incoming, memory: &Arc<Semaphore>) -> Result<Received, Refusal> {
    let too_long =
        Refusal { status: StatusCode::PAYLOAD_TOO_LARGE, reason: "a request has at most 4 MiB" };
    let broken =
        Refusal { status: StatusCode::BAD_REQUEST, reason: "the request body cannot be read" };
    if body.size_hint().lower() > REQUEST_BYTES_MAX as u64 {
        return Err(too_long);
    }
    let (mut bytes, mut share) = (BytesMut::new(), None::<OwnedSemaphorePermit>);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| broken)?.into_data() else { continue };
        if bytes.len() + data.len() > REQUEST_BYTES_MAX {
            return Err(too_long);
        }
        let more = u32::try_from(data.len()).map_err(|_| too_long)?;
        let more = Arc::clone(memory).acquire_many_owned(more).await.map_err(|_| broken)?;
        match &mut share {
            Some(share) => share.merge(more),
            None => share = Some(more),
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Received { bytes: bytes.freeze(), share })
}
