//! A worker process: parses one text after the other until its input ends.
//!
//! The text is parsed on a thread with a large stack, because some scanners recurse. The calling
//! thread watches it and ends the process if one text takes too long; the time is that of the
//! processor, so that a busy machine changes nothing. Memory and core dumps are limited where the
//! system supports it.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::parse_here;
use super::wire::{self, READY};
use crate::error::{Error, Kind, Result};

/// Maximum time of the processor for one text, in seconds. Typical sources take some milliseconds,
/// the largest ones less than two seconds.
pub const SECONDS_MAX: u64 = 4;

/// The exit code of a worker that exceeded [`SECONDS_MAX`].
pub const TOO_LONG: u8 = 3;

/// The time after which a worker ends that received no text.
const IDLE_SECONDS_MAX: u64 = 30;

/// The interval at which the time is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Stack of the parsing thread. The recursions that are known take about 112 bytes for two bytes of
/// text; pages that are not touched take no memory.
const STACK_BYTES: usize = 256 << 20;

/// Maximum address space of a worker, which includes its stack.
#[cfg(any(target_os = "linux", target_os = "android"))]
const MEMORY_BYTES_MAX: u64 = 3 << 30;

/// Serves requests from `input` until it ends, or until there was none for 30 seconds, and returns
/// the exit code of the process.
///
/// # Errors
///
/// If no thread can be started. Errors of input and output end the worker like the end of input.
pub fn serve(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> Result<u8> {
    limit_resources();
    // Counts the starts and ends of texts: odd while one is parsed.
    static EVENTS: AtomicU64 = AtomicU64::new(0);
    let (end_sender, end) = mpsc::channel::<()>();
    let work = move || {
        // Dropped when the input ends.
        let _end_sender = end_sender;
        if let Err(error) = serve_requests(input, output, &EVENTS) {
            log::debug!("parse worker ends: {error}");
        }
    };
    let thread = std::thread::Builder::new().name("parser".to_owned()).stack_size(STACK_BYTES);
    thread
        .spawn(work)
        .map_err(|error| Error::new(Kind::Io, format!("cannot start a thread: {error}")))?;
    let mut seen = 0;
    let mut since = clock();
    let mut idle_checks = 0;
    loop {
        match end.recv_timeout(CHECK_INTERVAL) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return Ok(0),
        }
        let events = EVENTS.load(Ordering::Acquire);
        if events != seen {
            (seen, since, idle_checks) = (events, clock(), 0);
            continue;
        }
        if events % 2 == 1 {
            if clock().saturating_sub(since) >= Duration::from_secs(SECONDS_MAX) {
                return Ok(TOO_LONG);
            }
            continue;
        }
        idle_checks += 1;
        let is_old = CHECK_INTERVAL * idle_checks >= Duration::from_secs(IDLE_SECONDS_MAX);
        // The exchange fails if a request has arrived meanwhile.
        let ends =
            || EVENTS.compare_exchange(events, u64::MAX, Ordering::AcqRel, Ordering::Acquire);
        if is_old && ends().is_ok() {
            return Ok(0);
        }
    }
}

fn serve_requests(
    mut input: impl Read,
    mut output: impl Write,
    events: &AtomicU64,
) -> io::Result<()> {
    output.write_all(&[READY])?;
    output.flush()?;
    let (mut request, mut reply) = (Vec::new(), Vec::new());
    while let Some(request) = wire::read_request(&mut input, &mut request)? {
        if events.fetch_add(1, Ordering::AcqRel) == u64::MAX {
            // The process is ending because it was idle; the request is sent to another worker.
            return Ok(());
        }
        let wire::Request { language, path, text, with_references } = request;
        let facts = parse_here(language, path, text, with_references);
        events.fetch_add(1, Ordering::AcqRel);
        wire::write_facts(&mut output, &facts, &mut reply)?;
    }
    Ok(())
}

/// Returns the time that this process has used of processors; elsewhere, the time since its start.
fn clock() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::new(
            u64::try_from(time.tv_sec).unwrap_or_default(),
            u32::try_from(time.tv_nsec).unwrap_or_default(),
        )
    }
    #[cfg(not(unix))]
    {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed()
    }
}

/// Limits the memory of this process, and suppresses core dumps. A system that refuses has its own
/// limits.
fn limit_resources() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = |resource: Resource, max: u64| {
            let maximum = getrlimit(resource).maximum;
            let max = Some(maximum.map_or(max, |maximum| maximum.min(max)));
            let _ = setrlimit(resource, Rlimit { current: max, maximum });
        };
        limit(Resource::Core, 0);
        #[cfg(any(target_os = "linux", target_os = "android"))]
        limit(Resource::As, MEMORY_BYTES_MAX);
    }
}
