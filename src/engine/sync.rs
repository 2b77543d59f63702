//! The client of a watch server.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::compare::WatchReport;
use super::{Engine, socket, wire};
use crate::source::watch;

/// Timeout for the greeting of a server.
const GREETING: Duration = Duration::from_millis(5);

/// A request that was sent to a watch server and is being processed.
#[derive(Debug)]
pub struct PendingSync {
    stream: UnixStream,
    root: (u64, u64),
}

/// Requests from the watch server of an index the changes since its generation, including every
/// change before this call. Returns `None` if there is no server; does not block.
pub fn start_sync(engine: &Engine) -> Option<PendingSync> {
    let mut stream = socket::connect(engine.store().dir()).ok()?;
    let mut request = wire::greeting().to_vec();
    request.extend_from_slice(&wire::SYNC);
    // The stream is non-blocking here; a new one has room for a few bytes.
    stream.write_all(&request).ok()?;
    stream.set_nonblocking(false).ok()?;
    Some(PendingSync { stream, root: watch::identity(engine.root()).ok()? })
}

impl PendingSync {
    /// Waits for the answer. Returns `None` if the server has another version, watches another tree
    /// than the one at the root, does not greet within 5 ms, cannot report the changes, or does not
    /// answer within `deadline`. The caller then compares the tree itself.
    pub fn wait(mut self, deadline: Duration) -> Option<WatchReport> {
        let started_at = Instant::now();
        let mut greeting = [0; wire::GREETING_BYTES];
        let greets_until = started_at + GREETING.min(deadline);
        read_until(&mut self.stream, &mut greeting, greets_until).ok()?;
        if greeting != wire::greeting() {
            return None;
        }
        let until = started_at + deadline;
        let mut len = [0; 4];
        read_until(&mut self.stream, &mut len, until).ok()?;
        let len = u32::from_le_bytes(len) as usize;
        if len > wire::BODY_BYTES_MAX {
            return None;
        }
        let mut body = vec![0; len];
        read_until(&mut self.stream, &mut body, until).ok()?;
        wire::decode(&body, self.root)
    }
}

/// Sends a request and waits: [`start_sync`], then [`PendingSync::wait`].
pub fn sync(engine: &Engine, deadline: Duration) -> Option<WatchReport> {
    start_sync(engine)?.wait(deadline)
}

fn read_until(stream: &mut UnixStream, mut buffer: &mut [u8], until: Instant) -> io::Result<()> {
    while !buffer.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => buffer = &mut buffer[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
