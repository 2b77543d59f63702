//! The connections of a server: reads greetings and requests, writes answers, and never blocks.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;

use crate::engine::wire;

/// Maximum number of connections; the oldest idle one is closed for the next.
const CLIENTS_MAX: usize = 64;

/// Maximum size of unread input: a greeting and a few requests.
const INPUT_BYTES_MAX: usize = 64;

/// The connections, oldest first.
#[derive(Debug, Default)]
pub(super) struct Clients(Vec<Client>);

#[derive(Debug)]
struct Client {
    stream: UnixStream,
    input: Vec<u8>,
    output: Vec<u8>,
    greeted: bool,
    /// The mark to wait for, and the deadline.
    awaits: Option<(u64, Instant)>,
    /// The input ended, or is not valid.
    ends: bool,
}

impl Clients {
    /// Accepts waiting connections.
    ///
    /// # Errors
    ///
    /// If the system has no more descriptors; the listener stays readable.
    pub(super) fn accept(&mut self, listener: &UnixListener) -> io::Result<()> {
        while self.has_room() {
            match listener.accept() {
                Ok((stream, _)) if stream.set_nonblocking(true).is_ok() => self.add(stream),
                Ok(_) => {}
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return Ok(()),
                    io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => {}
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    }

    /// Returns true if one more connection can be accepted.
    pub(super) fn has_room(&self) -> bool {
        self.0.len() < CLIENTS_MAX || self.0.iter().any(|client| client.awaits.is_none())
    }

    fn add(&mut self, stream: UnixStream) {
        if self.0.len() >= CLIENTS_MAX
            && let Some(idle) = self.0.iter().position(|client| client.awaits.is_none())
        {
            self.0.remove(idle);
        }
        let (input, output) = (Vec::new(), Vec::new());
        self.0.push(Client { stream, input, output, greeted: false, awaits: None, ends: false });
    }

    /// Reads available input; calls `touch` for a mark if a client requests a sync.
    pub(super) fn read(&mut self, mut touch: impl FnMut() -> io::Result<u64>, patience: Duration) {
        let mut touched = None;
        for client in &mut self.0 {
            if !client.is_read() {
                continue;
            }
            client.fill();
            if client.wants_sync() {
                // One mark serves all current requests.
                let mark = touched.get_or_insert_with(&mut touch);
                match mark {
                    Ok(mark) => client.awaits = Some((*mark, Instant::now() + patience)),
                    Err(_) => client.output.extend_from_slice(&wire::DEGRADED),
                }
            }
        }
        self.flush();
    }

    /// Returns true if a client waits for a mark up to `touched`.
    pub(super) fn are_due(&self, touched: u64) -> bool {
        self.0.iter().any(|client| client.awaits.is_some_and(|(mark, _)| mark <= touched))
    }

    /// Answers the clients that wait for a mark up to `touched`.
    pub(super) fn answer(&mut self, touched: u64, answer: &[u8]) {
        for client in &mut self.0 {
            if client.awaits.is_some_and(|(mark, _)| mark <= touched) {
                client.awaits = None;
                client.output.extend_from_slice(answer);
            }
        }
        self.flush();
    }

    /// Answers the clients whose deadline has passed; returns true if there were any.
    pub(super) fn give_up(&mut self, now: Instant) -> bool {
        let mut any = false;
        for client in &mut self.0 {
            if client.awaits.is_some_and(|(_, until)| until <= now) {
                client.awaits = None;
                client.output.extend_from_slice(&wire::DEGRADED);
                any = true;
            }
        }
        self.flush();
        any
    }

    /// Returns the next deadline.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.0.iter().filter_map(|client| client.awaits).map(|(_, until)| until).min()
    }

    /// Returns the descriptors to poll and their events.
    pub(super) fn interests(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        self.0.iter().map(|client| {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, client.is_read());
            flags.set(PollFlags::OUT, !client.output.is_empty());
            (client.stream.as_fd(), flags)
        })
    }

    fn flush(&mut self) {
        self.0.retain_mut(|client| {
            client.flush();
            !(client.ends && client.output.is_empty())
        });
    }
}

impl Client {
    /// Returns true if the next request may be read: a client that does not read its answers gets
    /// no more.
    fn is_read(&self) -> bool {
        self.awaits.is_none() && !self.ends && self.output.is_empty()
    }

    fn fill(&mut self) {
        let mut buffer = [0; INPUT_BYTES_MAX];
        let room = INPUT_BYTES_MAX - self.input.len();
        match self.stream.read(&mut buffer[..room]) {
            Ok(0) => self.ends = true,
            Ok(count) => self.input.extend_from_slice(&buffer[..count]),
            Err(error) => {
                let later = [io::ErrorKind::WouldBlock, io::ErrorKind::Interrupted];
                self.ends = !later.contains(&error.kind());
            }
        }
    }

    /// Consumes the greeting and one request from the input; returns true for a request.
    fn wants_sync(&mut self) -> bool {
        if !self.greeted {
            let ours = wire::greeting();
            let Some(theirs) = self.input.get(..ours.len()) else { return false };
            self.greeted = true;
            // A client of another version recognises that from our greeting.
            self.output.extend_from_slice(&ours);
            self.ends |= theirs != ours;
            self.input.drain(..ours.len());
        }
        let Some(request) = self.input.get(..wire::SYNC.len()) else { return false };
        let understood = !self.ends && request == wire::SYNC;
        self.ends |= !understood;
        self.input.drain(..wire::SYNC.len());
        understood
    }

    fn flush(&mut self) {
        while !self.output.is_empty() {
            match self.stream.write(&self.output) {
                Ok(count) if count > 0 => {
                    self.output.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Ok(_) | Err(_) => {
                    self.ends = true;
                    self.output.clear();
                }
            }
        }
    }
}
