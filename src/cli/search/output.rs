//! Writes results to standard output in the order of files, and totals at the end.

use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use grep_printer::Stats;
use termcolor::{Buffer, ColorSpec, HyperlinkSpec, WriteColor};

use super::super::report::Reporter;
use super::args::{Buffering, SearchMode};
use super::ordered::{PartSink, Position, Queue, Sink};
use super::request::Request;
use super::targets::{Problem, ProblemKind};
use super::worker::Verdict;

/// Bytes of output that are buffered before they are written.
const BLOCK_BYTES: usize = 64 << 10;

/// The time for which small results may be buffered.
const BUFFER_TIME: Duration = Duration::from_millis(5);

/// The maximum number of bytes of output that a thread holds for one item. More is written while the
/// item is searched, as soon as the outputs of all earlier items are written.
const HELD_BYTES_MAX: usize = 16 << 20;

/// The result of searching one item.
#[derive(Debug, Default)]
pub(crate) struct ItemOutput {
    /// The output for it, preceded by a separator, without the part that is written already.
    pub(crate) bytes: Vec<u8>,
    pub(crate) verdict: Verdict,
    pub(crate) problem: Option<Box<Problem>>,
    /// False for an item that is only a problem.
    pub(crate) searched: bool,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) matched: bool,
    pub(crate) searched: bool,
    pub(crate) stats: Option<Stats>,
}

impl Outcome {
    /// Returns the outcome before any item is searched.
    pub(crate) fn new(request: &Request) -> Outcome {
        Outcome { stats: request.stats.then(Stats::new), ..Outcome::default() }
    }

    /// Adds the result of one item.
    pub(crate) fn add(&mut self, verdict: &Verdict) {
        self.matched |= verdict.has_match;
        if let (Some(total), Some(stats)) = (&mut self.stats, &verdict.stats) {
            *total += stats;
        }
    }
}

/// Reports a problem as its kind requires.
pub(crate) fn report(reporter: &Reporter, problem: &Problem) {
    match problem.kind {
        ProblemKind::Unreadable => reporter.fail(&problem.message),
        ProblemKind::IgnoreRules => reporter.warn_ignore(&problem.message),
    }
}

/// Writes the outputs of a parallel search to standard output.
pub(crate) struct StdoutSink<'r> {
    reporter: &'r Reporter,
    separator: Vec<u8>,
    quits_after_match: bool,
    /// Small results are buffered, for at most [`BUFFER_TIME`].
    buffers: bool,
    written_at: Instant,
    buffered: Vec<u8>,
    has_output: bool,
    /// Bytes of separators that the printers counted but that were not written.
    pub(crate) dropped_bytes: u64,
    pub(crate) outcome: Outcome,
}

impl<'r> StdoutSink<'r> {
    /// Returns a sink for outputs that begin with `separator`, if there is one.
    pub(crate) fn new(
        request: &Request,
        reporter: &'r Reporter,
        separator: Option<Vec<u8>>,
    ) -> StdoutSink<'r> {
        StdoutSink {
            reporter,
            separator: separator.unwrap_or_default(),
            quits_after_match: request.quits_after_match(),
            buffers: match request.buffer {
                Buffering::Auto => !request.stdout_is_terminal,
                Buffering::Line => false,
                Buffering::Block => true,
            },
            written_at: Instant::now(),
            buffered: Vec::new(),
            has_output: false,
            dropped_bytes: 0,
            outcome: Outcome::new(request),
        }
    }

    /// Writes buffered output.
    pub(crate) fn finish(&mut self) {
        // A failure was reported, and there is nothing left to stop.
        let _ = self.write_buffered();
    }

    fn buffer(&mut self, mut bytes: &[u8]) -> ControlFlow<()> {
        if bytes.is_empty() {
            return ControlFlow::Continue(());
        }
        if !self.has_output
            && let Some(rest) = bytes.strip_prefix(&self.separator[..])
        {
            bytes = rest;
            self.dropped_bytes += self.separator.len() as u64;
        }
        self.has_output = true;
        if self.buffered.len() + bytes.len() > BLOCK_BYTES {
            self.write_buffered()?;
            if bytes.len() > BLOCK_BYTES {
                return self.write(bytes);
            }
        }
        self.buffered.extend_from_slice(bytes);
        ControlFlow::Continue(())
    }

    fn write_buffered(&mut self) -> ControlFlow<()> {
        let buffered = std::mem::take(&mut self.buffered);
        let flow = self.write(&buffered);
        self.buffered = buffered;
        self.buffered.clear();
        flow
    }

    fn write(&self, bytes: &[u8]) -> ControlFlow<()> {
        if bytes.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(err) => {
                if err.kind() != ErrorKind::BrokenPipe {
                    self.reporter.fail(format_args!("standard output: {err}"));
                }
                ControlFlow::Break(())
            }
        }
    }
}

impl PartSink for StdoutSink<'_> {
    fn accept_part(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.buffer(bytes)
    }
}

impl Sink for StdoutSink<'_> {
    type Output = ItemOutput;

    fn size_bytes(output: &ItemOutput) -> usize {
        output.bytes.capacity()
    }

    fn accept(&mut self, output: ItemOutput) -> ControlFlow<()> {
        self.outcome.searched |= output.searched;
        self.outcome.add(&output.verdict);
        if let Some(problem) = &output.problem {
            report(self.reporter, problem);
        }
        self.buffer(&output.bytes)?;
        if self.outcome.matched && self.quits_after_match {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn flush(&mut self) -> ControlFlow<()> {
        if self.buffers && self.written_at.elapsed() < BUFFER_TIME {
            return ControlFlow::Continue(());
        }
        self.written_at = Instant::now();
        self.write_buffered()
    }
}

/// Collects the output of an item, and writes it in parts if it is large.
pub(crate) struct ItemWriter<'q, 's, 'r> {
    held: Buffer,
    queue: &'q Queue<'s, StdoutSink<'r>>,
    position: Position,
}

impl<'q, 's, 'r> ItemWriter<'q, 's, 'r> {
    /// Returns the writer of a thread, with an empty buffer.
    pub(crate) fn new(
        held: Buffer,
        queue: &'q Queue<'s, StdoutSink<'r>>,
        position: Position,
    ) -> ItemWriter<'q, 's, 'r> {
        ItemWriter { held, queue, position }
    }

    /// Discards the output that is held.
    pub(crate) fn clear(&mut self) {
        self.held.clear();
    }

    /// Returns the output that is held and leaves a buffer of `fresh`.
    pub(crate) fn take(&mut self, fresh: impl Fn() -> Buffer) -> Vec<u8> {
        if self.held.is_empty() {
            return Vec::new();
        }
        std::mem::replace(&mut self.held, fresh()).into_inner()
    }
}

impl Write for ItemWriter<'_, '_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.held.len() + bytes.len() <= HELD_BYTES_MAX {
            return self.held.write(bytes);
        }
        for part in [self.held.as_slice(), bytes] {
            if self.queue.emit(&self.position, part).is_break() {
                return Err(ErrorKind::BrokenPipe.into());
            }
        }
        self.held.clear();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.held.flush()
    }
}

impl WriteColor for ItemWriter<'_, '_, '_> {
    fn supports_color(&self) -> bool {
        self.held.supports_color()
    }

    fn supports_hyperlinks(&self) -> bool {
        self.held.supports_hyperlinks()
    }

    fn set_color(&mut self, color: &ColorSpec) -> io::Result<()> {
        self.held.set_color(color)
    }

    fn set_hyperlink(&mut self, link: &HyperlinkSpec<'_>) -> io::Result<()> {
        self.held.set_hyperlink(link)
    }

    fn reset(&mut self) -> io::Result<()> {
        self.held.reset()
    }

    fn is_synchronous(&self) -> bool {
        self.held.is_synchronous()
    }
}

/// Writes the totals of a search that began at `started`.
///
/// # Errors
///
/// If they cannot be written.
pub(crate) fn write_totals(
    mode: SearchMode,
    stats: &Stats,
    dropped_bytes: u64,
    started: Instant,
    mut out: impl Write,
) -> io::Result<()> {
    let elapsed = started.elapsed();
    let seconds = elapsed.as_secs_f64();
    if mode == SearchMode::Json {
        // The JSON printer has no message of this type.
        let summary = serde_json::json!({
            "data": {
                "elapsed_total": {
                    "human": format!("{seconds:0.6}s"),
                    "nanos": elapsed.subsec_nanos(),
                    "secs": elapsed.as_secs(),
                },
                "stats": stats,
            },
            "type": "summary",
        });
        return writeln!(out, "{summary}");
    }
    let lines = [
        format!("{} matches", stats.matches()),
        format!("{} matched lines", stats.matched_lines()),
        format!("{} files contained matches", stats.searches_with_match()),
        format!("{} files searched", stats.searches()),
        format!("{} bytes printed", stats.bytes_printed().saturating_sub(dropped_bytes)),
        format!("{} bytes searched", stats.bytes_searched()),
        format!("{:0.6} seconds spent searching", stats.elapsed().as_secs_f64()),
        format!("{seconds:0.6} seconds total"),
    ];
    writeln!(out, "\n{}", lines.join("\n"))
}
