//! Where results go: standard output, in the order of files, with totals at the end.

use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use grep_printer::Stats;

use super::super::report::Reporter;
use super::args::{Buffering, SearchMode};
use super::ordered::Sink;
use super::request::Request;
use super::targets::{Problem, ProblemKind};
use super::worker::Verdict;

/// So much output is gathered before it is written, where it is gathered at all.
const BLOCK_BYTES: usize = 64 << 10;

/// How long results may wait for others before they are written together.
const GATHER: Duration = Duration::from_millis(5);

/// What searching one item gave.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// What was printed for it, with a separator before it.
    pub(crate) bytes: Vec<u8>,
    pub(crate) verdict: Verdict,
    pub(crate) problem: Option<Box<Problem>>,
    /// False for an item that is only a problem.
    pub(crate) searched: bool,
}

/// What a search came to.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) matched: bool,
    pub(crate) searched: bool,
    pub(crate) stats: Option<Stats>,
}

impl Outcome {
    /// Returns the outcome of having searched nothing yet.
    pub(crate) fn new(request: &Request) -> Outcome {
        Outcome { stats: request.stats.then(Stats::new), ..Outcome::default() }
    }

    /// Adds what was found in one item.
    pub(crate) fn add(&mut self, verdict: &Verdict) {
        self.matched |= verdict.has_match;
        if let (Some(total), Some(stats)) = (&mut self.stats, &verdict.stats) {
            *total += stats;
        }
    }
}

/// Tells a problem in the way of its kind.
pub(crate) fn tell(reporter: &Reporter, problem: &Problem) {
    match problem.kind {
        ProblemKind::Unreadable => reporter.fail(&problem.message),
        ProblemKind::IgnoreRules => reporter.warn_ignore(&problem.message),
    }
}

/// Strings the parts of a parallel search together on standard output.
pub(crate) struct StdoutSink<'r> {
    reporter: &'r Reporter,
    separator: Vec<u8>,
    quits_after_match: bool,
    /// Small results wait for others, but not for longer than [`GATHER`].
    gathers: bool,
    written_at: Instant,
    gathered: Vec<u8>,
    wrote: bool,
    /// Separators that printers counted as printed and that were not.
    pub(crate) dropped_bytes: u64,
    pub(crate) outcome: Outcome,
}

impl<'r> StdoutSink<'r> {
    /// Returns a sink for parts that begin with `separator`, where there is one.
    pub(crate) fn new(
        request: &Request,
        reporter: &'r Reporter,
        separator: Option<Vec<u8>>,
    ) -> StdoutSink<'r> {
        StdoutSink {
            reporter,
            separator: separator.unwrap_or_default(),
            quits_after_match: request.quits_after_match(),
            gathers: match request.buffer {
                Buffering::Auto => !request.stdout_is_terminal,
                Buffering::Line => false,
                Buffering::Block => true,
            },
            written_at: Instant::now(),
            gathered: Vec::new(),
            wrote: false,
            dropped_bytes: 0,
            outcome: Outcome::new(request),
        }
    }

    /// Writes what is left.
    pub(crate) fn finish(&mut self) {
        // A failure was told, and there is nothing left to stop.
        let _ = self.write_gathered();
    }

    fn gather(&mut self, mut bytes: &[u8]) -> ControlFlow<()> {
        if bytes.is_empty() {
            return ControlFlow::Continue(());
        }
        if !self.wrote
            && let Some(rest) = bytes.strip_prefix(&self.separator[..])
        {
            bytes = rest;
            self.dropped_bytes += self.separator.len() as u64;
        }
        self.wrote = true;
        if self.gathered.len() + bytes.len() > BLOCK_BYTES {
            self.write_gathered()?;
            if bytes.len() > BLOCK_BYTES {
                return self.write(bytes);
            }
        }
        self.gathered.extend_from_slice(bytes);
        ControlFlow::Continue(())
    }

    fn write_gathered(&mut self) -> ControlFlow<()> {
        let gathered = std::mem::take(&mut self.gathered);
        let flow = self.write(&gathered);
        self.gathered = gathered;
        self.gathered.clear();
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

impl Sink for StdoutSink<'_> {
    type Part = Part;

    fn size_bytes(part: &Part) -> usize {
        part.bytes.capacity()
    }

    fn accept(&mut self, part: Part) -> ControlFlow<()> {
        self.outcome.searched |= part.searched;
        self.outcome.add(&part.verdict);
        if let Some(problem) = &part.problem {
            tell(self.reporter, problem);
        }
        self.gather(&part.bytes)?;
        if self.outcome.matched && self.quits_after_match {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn flush(&mut self) -> ControlFlow<()> {
        if self.gathers && self.written_at.elapsed() < GATHER {
            return ControlFlow::Continue(());
        }
        self.written_at = Instant::now();
        self.write_gathered()
    }
}

/// Writes the totals of a search that began at `started`.
///
/// # Errors
///
/// When they cannot be written.
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
        // One more kind of message beside those of the JSON printer.
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
