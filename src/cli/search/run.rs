//! Runs a request: lists the files, searches each and prints the results in order.
//!
//! [`targets::list`] lists the files, or [`Stream`] while they are searched; [`SearchOne`] searches
//! one; [`search_items`] searches all, in one thread that prints immediately or in several whose
//! output is ordered.

use std::borrow::Borrow;
use std::io::{self, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use termcolor::{Buffer, BufferWriter, WriteColor};

use super::super::background::{self, Build};
use super::super::report::Reporter;
use super::super::trusted;
use super::args::{Buffering, Fresh, Mode, SearchMode, SortBy};
use super::job::SearchJob;
use super::ordered::{Items, Listed, Queue, Streamed, WAITING_BYTES_MAX};
use super::output::{ItemOutput, ItemWriter, Outcome, StdoutSink, report, write_totals};
use super::printer::{self, PrinterFactory};
use super::request::Request;
use super::stream::Stream;
use super::targets::{self, Item, Origin, Problem, ProblemKind, Target};
use super::walker::WalkRules;
use super::worker::{Verdict, Worker, WorkerParts};
use super::{explain, indexed, matcher, walker};
use crate::engine::Check;
use crate::error::{Error, Kind, Result};
use crate::source::rule_files::WalkStart;

/// Searches one target with a worker; implementations choose how it is read.
pub(crate) trait SearchOne: Sync {
    /// Searches `target`, printing with `worker`.
    ///
    /// # Errors
    ///
    /// If the target cannot be read or the output cannot be written.
    fn search_one<W: WriteColor>(
        &self,
        worker: &mut Worker<W>,
        target: &Target,
    ) -> io::Result<Verdict>;
}

/// Reads every target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainScan;

impl SearchOne for PlainScan {
    fn search_one<W: WriteColor>(
        &self,
        worker: &mut Worker<W>,
        target: &Target,
    ) -> io::Result<Verdict> {
        worker.search(target)
    }
}

/// Reads candidates of the index, and rejects those without a match early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CandidateScan;

impl SearchOne for CandidateScan {
    fn search_one<W: WriteColor>(
        &self,
        worker: &mut Worker<W>,
        target: &Target,
    ) -> io::Result<Verdict> {
        match worker.search_candidate(target) {
            // It was deleted after it was listed. A later walk would not have found it.
            Err(err) if err.kind() == ErrorKind::NotFound && target.origin == Origin::Walked => {
                Ok(Verdict::default())
            }
            searched => searched,
        }
    }
}

/// Runs a request and returns the exit code.
///
/// # Errors
///
/// On an invalid pattern, glob or type. Files that cannot be read are reported through `reporter`,
/// and the rest is searched.
pub(crate) fn run(request: &Request, reporter: &Reporter) -> Result<ExitCode> {
    let matched = match request.mode {
        Mode::TypeList => return list_types(request),
        Mode::Files => list_files(request, reporter)?,
        Mode::Search(_) if !request.can_match() => {
            // Errors in flags are reported nevertheless.
            WalkRules::new(request)?;
            false
        }
        Mode::Search(mode) => search(request, mode, reporter)?,
    };
    let code = match (matched, reporter.has_failed()) {
        (true, failed) if request.quiet || !failed => 0,
        (_, true) => 2,
        (_, false) => 1,
    };
    Ok(ExitCode::from(code))
}

fn search(request: &Request, mode: SearchMode, reporter: &Reporter) -> Result<bool> {
    let started = Instant::now();
    // Errors in globs, types and ignore files come before those in the pattern, as in ripgrep.
    let rules = WalkRules::new(request)?;
    let matcher = matcher::build(request).inspect_err(|_| {
        if request.sort.is_some_and(|sort| sort.by != SortBy::Path || sort.reverse) {
            // Such an order needs the whole walk first, which reports its problems.
            let items = targets::list(request).unwrap_or_default();
            items.iter().for_each(|item| match item {
                Item::Problem(problem) => report(reporter, problem),
                Item::Search(_) => {}
            });
        } else {
            let (_, faults) = rules.walk(&WalkStart::new(&request.scope.paths[0], rules.unread()));
            faults.iter().for_each(|fault| reporter.warn_ignore(fault));
        }
    })?;
    let parts = WorkerParts::new(request, matcher)?;
    let engines = indexed::engines(request)?;
    if engines.is_empty() {
        let job = SearchJob { request, mode, reporter, parts: &parts, started, unread: 0 };
        return Ok(search_walked(&job, &rules, &PlainScan)?.matched);
    }
    if request.index.fresh == Some(Fresh::Trust) && !reporter.is_mute() {
        engines.iter().for_each(|engine| trusted::note(engine, Check::Trust));
    }
    let mut listing = indexed::list(request, &engines)?;
    let unread = listing.unread;
    let job = SearchJob { request, mode, reporter, parts: &parts, started, unread };
    if request.index.explain_plan {
        if listing.is_walk {
            listing.items = targets::list(request)?;
        }
        return explain::explain(&job, &listing);
    }
    let outcome = if listing.is_walk {
        search_walked(&job, &rules, &CandidateScan)?
    } else {
        search_items(&job, &Listed::new(&listing.items), &CandidateScan)
    };
    if !request.index.no_background {
        for build in &listing.to_build {
            let what = if build.is_damaged { Build::ForSearchAnew } else { Build::ForSearch };
            background::build(&engines[build.tree], what);
        }
    }
    Ok(outcome.matched)
}

/// Searches the files that a walk finds.
fn search_walked(
    job: &SearchJob<'_>,
    rules: &WalkRules<'_>,
    searches: &impl SearchOne,
) -> Result<Outcome> {
    if let Some(stream) = Stream::new(job.request, rules) {
        return Ok(search_items(job, &Streamed::new(stream), searches));
    }
    let items = targets::list(job.request)?;
    Ok(search_items(job, &Listed::new(&items), searches))
}

/// Searches `items` in their order, prints the results and, if requested, the totals.
fn search_items<I>(job: &SearchJob<'_>, items: &I, searches: &impl SearchOne) -> Outcome
where
    I: Items,
    I::Item: Borrow<Item>,
{
    let request = job.request;
    let outcome = if request.threads == 1 {
        search_serially(job, items, searches)
    } else {
        search_in_parallel(job, items, searches)
    };
    if request.scope.implicit && !outcome.searched {
        job.reporter.fail(
            "No files were searched: every file was excluded by a filter. \
             Use `--debug` to see the rule for each file.",
        );
    }
    outcome
}

/// Searches in one thread; output is printed immediately.
fn search_serially<I>(job: &SearchJob<'_>, items: &I, searches: &impl SearchOne) -> Outcome
where
    I: Items,
    I::Item: Borrow<Item>,
{
    let SearchJob { request, reporter, .. } = *job;
    let factory = PrinterFactory::new(request, job.mode);
    let mut worker = job.parts.worker(factory.printer(stdout(request)));
    let mut outcome = job.outcome();
    while let Some((_, item)) = items.claim() {
        let target = match item.borrow() {
            Item::Search(target) => target,
            Item::Problem(problem) => {
                report(reporter, problem);
                continue;
            }
        };
        outcome.searched = true;
        match search_guarded(searches, &mut worker, target) {
            Ok(verdict) => outcome.add(&verdict),
            Err(err) if err.kind() == ErrorKind::BrokenPipe => break,
            Err(err) => reporter.fail(format_args!("{}: {err}", target.path.display())),
        }
        if outcome.matched && request.quits_after_match() {
            break;
        }
    }
    let totals = match &outcome.stats {
        Some(stats) => write_totals(job.mode, stats, 0, job.started, worker.output()),
        None => Ok(()),
    };
    if let Err(err) = totals.and_then(|()| worker.output().flush())
        && err.kind() != ErrorKind::BrokenPipe
    {
        reporter.fail(stdout_error(&err));
    }
    outcome
}

/// Searches one target; a panic in the libraries becomes an error about this target.
fn search_guarded<W: WriteColor>(
    searches: &impl SearchOne,
    worker: &mut Worker<W>,
    target: &Target,
) -> io::Result<Verdict> {
    // The worker prints to memory or a buffer, and each search resets it.
    let searched = catch_unwind(AssertUnwindSafe(|| searches.search_one(worker, target)));
    searched
        .unwrap_or_else(|_| Err(io::Error::other("the search panicked (a bug; please report it)")))
}

/// Searches in several threads; each prints to memory, and the queue restores the order. A large
/// output is written while its item is searched.
fn search_in_parallel<I>(job: &SearchJob<'_>, items: &I, searches: &impl SearchOne) -> Outcome
where
    I: Items,
    I::Item: Borrow<Item>,
{
    let SearchJob { request, reporter, .. } = *job;
    let factory = PrinterFactory::new(request, job.mode);
    let buffers = BufferWriter::stdout(request.output_format.color);
    let mut sink = StdoutSink::new(request, reporter, factory.separator());
    sink.outcome = job.outcome();
    let queue = Queue::new(&mut sink, WAITING_BYTES_MAX);
    queue.run(
        items,
        request.threads,
        |position| {
            let writer = ItemWriter::new(buffers.buffer(), &queue, position);
            job.parts.worker(factory.separated_printer(writer, ItemWriter::clear))
        },
        |worker, item| search_item(worker, item.borrow(), searches, || buffers.buffer()),
    );
    drop(queue);
    sink.finish();
    if let Some(stats) = &sink.outcome.stats {
        let out = io::stdout().lock();
        drop(write_totals(job.mode, stats, sink.dropped_bytes, job.started, out));
    }
    sink.outcome
}

/// Searches one item and returns its output.
fn search_item(
    worker: &mut Worker<ItemWriter<'_, '_, '_>>,
    item: &Item,
    searches: &impl SearchOne,
    fresh: impl Fn() -> Buffer,
) -> ItemOutput {
    let target = match item {
        Item::Search(target) => target,
        Item::Problem(problem) => {
            return ItemOutput { problem: Some(problem.clone()), ..ItemOutput::default() };
        }
    };
    let (verdict, problem) = match search_guarded(searches, worker, target) {
        Ok(verdict) => (verdict, None),
        Err(err) => {
            let message = format!("{}: {err}", target.path.display());
            let path = target.path.clone();
            let problem = Box::new(Problem { path, message, kind: ProblemKind::Unreadable });
            (Verdict::default(), Some(problem))
        }
    };
    let bytes = worker.output().take(fresh);
    ItemOutput { bytes, verdict, problem, searched: true }
}

/// Prints the paths that would be searched; returns true if there are any.
fn list_files(request: &Request, reporter: &Reporter) -> Result<bool> {
    let items = targets::list(request)?;
    let mut out = stdout(request);
    let mut printer = printer::paths(request, &mut out);
    let mut any = false;
    for item in &items {
        match item {
            Item::Problem(problem) => report(reporter, problem),
            Item::Search(target) => {
                any = true;
                if request.quits_after_match() {
                    break;
                }
                match printer.write(&target.path) {
                    Ok(()) => {}
                    Err(err) if err.kind() == ErrorKind::BrokenPipe => break,
                    Err(err) => return Err(stdout_error(&err)),
                }
            }
        }
    }
    flushed(&mut out)?;
    Ok(any)
}

/// Flushes the output. A closed pipe is not an error.
fn flushed(out: &mut impl Write) -> Result<()> {
    match out.flush() {
        Err(err) if err.kind() != ErrorKind::BrokenPipe => Err(stdout_error(&err)),
        _ => Ok(()),
    }
}

/// Prints the file types, one per line.
fn list_types(request: &Request) -> Result<ExitCode> {
    let types = walker::types(&request.filter)?;
    let definitions = types.definitions();
    let mut out = stdout(request);
    for definition in definitions {
        let globs = definition.globs().join(", ");
        match writeln!(out, "{}: {globs}", definition.name()) {
            Ok(()) => {}
            Err(err) if err.kind() == ErrorKind::BrokenPipe => break,
            Err(err) => return Err(stdout_error(&err)),
        }
    }
    flushed(&mut out)?;
    Ok(ExitCode::from(u8::from(definitions.is_empty())))
}

fn stdout_error(err: &io::Error) -> Error {
    Error::new(Kind::Io, format!("standard output: {err}"))
}

/// Returns standard output with the requested buffering.
fn stdout(request: &Request) -> grep_cli::StandardStream {
    let by_line = match request.buffer {
        Buffering::Auto => request.stdout_is_terminal,
        Buffering::Line => true,
        Buffering::Block => false,
    };
    if by_line {
        grep_cli::stdout_buffered_line(request.output_format.color)
    } else {
        grep_cli::stdout_buffered_block(request.output_format.color)
    }
}
