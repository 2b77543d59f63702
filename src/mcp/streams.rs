//! The two streams of a client: bytes as they come, and lines that go out whole.
//!
//! A pipe or a socket tells when it is ready, so that whoever serves reads and writes it without handing
//! anything to another thread, which costs more than many an answer. Whatever else a standard stream
//! may be (a file, a terminal), and everywhere but on Linux, a thread reads it, and another one writes.
//!
//! No stream is made one that never waits (`O_NONBLOCK`): that holds for everybody who has it, a shell's
//! next command and standard error among them.

use std::io::{self, Read, Write};

use tokio::sync::{mpsc, oneshot};

use super::Handle;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod ready;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
#[path = "streams/never.rs"]
mod ready;

use ready::Ready;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// What a client sends.
#[derive(Debug)]
pub(super) enum Input {
    /// By whoever asks.
    Ready(Ready, Box<[u8]>),
    /// By a thread.
    Thread(mpsc::Receiver<Vec<u8>>),
}

impl Input {
    /// Starts to read `stream`. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// If the system grants no threads.
    pub(super) fn of(mut stream: impl Read + Handle + Send + 'static) -> io::Result<Input> {
        if let Some(ready) = Ready::input(&stream) {
            return Ok(Input::Ready(ready, vec![0; CHUNK_BYTES].into()));
        }
        let (to, from) = mpsc::channel(1);
        thread("mcp-read", move || {
            let mut chunk = vec![0; CHUNK_BYTES];
            loop {
                match stream.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => return,
                    Ok(bytes) if to.blocking_send(chunk[..bytes].to_vec()).is_err() => return,
                    Ok(_) => {}
                }
            }
        })?;
        Ok(Input::Thread(from))
    }

    /// Gives what comes next to `take`; returns false if nothing comes any more. What cannot be read has
    /// ended. Given up before it is through, it has taken nothing.
    pub(super) async fn read(&mut self, take: impl FnOnce(&[u8])) -> bool {
        match self {
            Input::Ready(ready, chunk) => match ready.read(chunk).await {
                Ok(0) | Err(_) => false,
                Ok(bytes) => {
                    take(&chunk[..bytes]);
                    true
                }
            },
            Input::Thread(from) => match from.recv().await {
                Some(bytes) => {
                    take(&bytes);
                    true
                }
                None => false,
            },
        }
    }
}

/// What is sent to a client.
#[derive(Debug)]
pub(super) enum Output {
    /// By whoever sends.
    Ready(Ready),
    /// By a thread, which gives the bytes back.
    Thread(mpsc::Sender<(Vec<u8>, Written)>),
}

/// To whom it is told how the writing went.
type Written = oneshot::Sender<(Vec<u8>, io::Result<()>)>;

impl Output {
    /// Starts to write `stream`. Must be called within a runtime.
    ///
    /// # Errors
    ///
    /// If the system grants no threads.
    pub(super) fn of(mut stream: impl Write + Handle + Send + 'static) -> io::Result<Output> {
        if let Some(ready) = Ready::output(&stream) {
            return Ok(Output::Ready(ready));
        }
        let (to, mut from) = mpsc::channel::<(Vec<u8>, Written)>(1);
        thread("mcp-write", move || {
            while let Some((bytes, written)) = from.blocking_recv() {
                let result = stream.write_all(&bytes).and_then(|()| stream.flush());
                // Nobody may wait for it any more.
                let _ = written.send((bytes, result));
            }
        })?;
        Ok(Output::Thread(to))
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    ///
    /// If the stream is closed, or cannot be written.
    pub(super) async fn write(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Output::Ready(ready) => ready.write(bytes).await,
            Output::Thread(to) => {
                let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
                let (written, told) = oneshot::channel();
                to.send((std::mem::take(bytes), written)).await.map_err(|_| closed())?;
                let (given_back, result) = told.await.map_err(|_| closed())?;
                *bytes = given_back;
                result
            }
        }
    }
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests;
