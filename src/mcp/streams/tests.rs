//! Transfers data of many lengths through every kind of stream, with fast and slow peers.

use std::io::{PipeReader, PipeWriter};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::*;

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| (at * 7 + at / 251) as u8).collect()
}

fn within_a_runtime<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_io().enable_time().build().expect("a runtime").block_on(work)
}

/// Checks that everything is read that another thread writes in pieces.
fn check_input<W: Write + Send + 'static>(
    (input, mut to): (impl Read + Handle + Send + 'static, W),
    is_ready: bool,
) {
    let sent = bytes(300_000);
    let expected = sent.clone();
    let writing = std::thread::spawn(move || {
        for (round, piece) in sent.chunks(11_003).enumerate() {
            to.write_all(piece).expect("it is read");
            if round % 8 == 0 {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    });
    let got = within_a_runtime(async {
        let mut input = Input::of(input).expect("a thread");
        assert_eq!(matches!(input, Input::Ready(..)), is_ready);
        let mut got = Vec::new();
        while input.read(|bytes| got.extend_from_slice(bytes)).await {}
        // Further reads report the end again.
        assert!(!input.read(|_| panic!("there is no more")).await);
        got
    });
    writing.join().expect("no panic");
    assert!(got == expected, "{} of {} bytes", got.len(), expected.len());
}

/// Checks that a slow reader receives all messages, and that a write fails after it is gone.
fn check_output<R: Read + Send + 'static>(
    (mut from, output): (R, impl Write + Handle + Send + 'static),
    is_ready: bool,
) {
    let lengths = [1, 4096, 4097, 65_536, 65_537, 700_000, 3];
    let expected: Vec<u8> = lengths.iter().flat_map(|&length| bytes(length)).collect();
    let total = expected.len();
    let reading = std::thread::spawn(move || {
        let (mut got, mut chunk) = (Vec::new(), vec![0; 10_000]);
        while got.len() < total {
            if got.len() % 5 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            let count = from.read(&mut chunk).expect("it is written");
            got.extend_from_slice(&chunk[..count]);
        }
        got
    });
    let got = within_a_runtime(async {
        let mut output = Output::of(output).expect("a thread");
        assert_eq!(matches!(output, Output::Ready(_)), is_ready);
        for length in lengths {
            output.write(&mut bytes(length)).await.expect("it is read");
        }
        let got = reading.join().expect("no panic");
        assert!(output.write(&mut bytes(9)).await.is_err(), "nobody is there");
        got
    });
    assert!(got == expected, "{} of {} bytes", got.len(), expected.len());
}

fn sockets() -> (UnixStream, UnixStream) {
    UnixStream::pair().expect("a pair")
}

/// A stream whose descriptor is that of a regular file, so that its readiness cannot be polled.
struct Blocking<S>(S, std::fs::File);

impl<S> Blocking<S> {
    fn new(stream: S) -> Blocking<S> {
        Blocking(stream, tempfile::tempfile().expect("a file"))
    }
}

impl<S> std::os::fd::AsFd for Blocking<S> {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.1.as_fd()
    }
}

impl<S: Read> Read for Blocking<S> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl<S: Write> Write for Blocking<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn pipes_and_sockets_are_read_to_the_end() {
    let pipe = || -> (PipeReader, PipeWriter) { io::pipe().expect("a pipe") };
    check_input(pipe(), true);
    check_input(sockets(), true);
    let (from, to) = pipe();
    check_input((Blocking::new(from), to), false);
}

#[test]
fn pipes_and_sockets_are_written_to_slow_readers() {
    let pipe = || -> (PipeReader, PipeWriter) { io::pipe().expect("a pipe") };
    check_output(pipe(), true);
    check_output(sockets(), true);
    let (from, to) = pipe();
    check_output((from, Blocking::new(to)), false);
}

#[test]
fn shared_streams_stay_blocking() {
    let (from, to) = io::pipe().expect("a pipe");
    let shared = (from.try_clone().expect("the same"), to.try_clone().expect("the same"));
    within_a_runtime(async {
        let (_input, _output) = (Input::of(from).expect("none"), Output::of(to).expect("none"));
        for flags in [rustix::fs::fcntl_getfl(&shared.0), rustix::fs::fcntl_getfl(&shared.1)] {
            assert!(!flags.expect("it is open").contains(rustix::fs::OFlags::NONBLOCK));
        }
    });
}
