//! The client of a watch server.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::freshen::Watched;
use super::{Engine, socket, wire};
use crate::source::watch;

/// How long a server may take to greet.
const GREETING: Duration = Duration::from_millis(5);

/// Asks the watch server of an index what changed since its generation, every change that was
/// made before this call included. Returns `None` where there is no server of this version, or
/// it does not greet within 5 ms, or it cannot tell, or not within `deadline`: the caller then
/// looks for itself. A server whose tree is not the one that is at the root now has no say.
pub fn sync(engine: &Engine, deadline: Duration) -> Option<Watched> {
    let started_at = Instant::now();
    let mut stream = socket::connect(engine.store().dir()).ok()?;
    let mut request = wire::greeting().to_vec();
    request.extend_from_slice(&wire::SYNC);
    // The stream does not block yet, and a fresh one has room for a few bytes.
    stream.write_all(&request).ok()?;
    stream.set_nonblocking(false).ok()?;
    let mut greeting = [0; wire::GREETING_BYTES];
    read_until(&mut stream, &mut greeting, started_at + GREETING.min(deadline)).ok()?;
    if greeting != wire::greeting() {
        return None;
    }
    let until = started_at + deadline;
    let mut len = [0; 4];
    read_until(&mut stream, &mut len, until).ok()?;
    let len = u32::from_le_bytes(len) as usize;
    if len > wire::BODY_BYTES_MAX {
        return None;
    }
    let mut body = vec![0; len];
    read_until(&mut stream, &mut body, until).ok()?;
    wire::decode(&body, watch::identity(engine.root()).ok()?)
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
