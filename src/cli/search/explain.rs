//! `--explain-plan`: the query plan of a pattern and the cost of its evaluation.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use termcolor::Buffer;

use super::super::index::print;
use super::indexed::Listing;
use super::job::SearchJob;
use super::ordered::{self, Sink};
use super::printer::PrinterFactory;
use super::targets::{ContentHint, Item};
use crate::error::Result;

/// The maximum number of posting lists to print.
const LISTS_SHOWN: usize = 40;

/// The maximum number of characters of the query to print.
const QUERY_SHOWN: usize = 2_000;

/// Searches, but prints the plan instead of the results; returns true if files matched.
pub(super) fn explain(job: &SearchJob<'_>, listing: &Listing) -> Result<bool> {
    let verifying = Instant::now();
    let factory = PrinterFactory::new(job.request, job.mode);
    let mut sink = Counts::default();
    ordered::run(
        &ordered::Listed::new(&listing.items),
        job.request.threads,
        &mut sink,
        || job.parts.worker(factory.separated_printer(Buffer::no_color(), Buffer::clear)),
        |worker, item| {
            let Item::Search(target) = item else { return (false, false) };
            worker.output().clear();
            let verdict = worker.search_candidate(target);
            (target.hint != ContentHint::NoMatch, verdict.is_ok_and(|found| found.has_match))
        },
    );
    let verified_in = verifying.elapsed();
    print(&text(listing, &sink, verified_in, job.started.elapsed()))?;
    Ok(sink.matched > 0)
}

#[derive(Default)]
struct Counts {
    verified: u64,
    matched: u64,
}

impl Sink for Counts {
    type Output = (bool, bool);

    fn size_bytes(_: &(bool, bool)) -> usize {
        0
    }

    fn accept(&mut self, (verified, matched): (bool, bool)) -> ControlFlow<()> {
        self.verified += u64::from(verified);
        self.matched += u64::from(matched);
        ControlFlow::Continue(())
    }

    fn flush(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

fn text(listing: &Listing, counts: &Counts, verified_in: Duration, total: Duration) -> String {
    let report = &listing.report;
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<16} {value}");
    };
    if let Some(plan) = &report.plan {
        let query = plan.query().to_string();
        let shown: String = query.chars().take(QUERY_SHOWN).collect();
        let more = if shown.len() < query.len() { " …" } else { "" };
        line("query", format!("{shown}{more}"));
        line("per", if plan.spans_lines() { "file" } else { "block" }.to_owned());
        if plan.with_fold_docs() {
            line("and", "files with `ſ` or the Kelvin sign".to_owned());
        }
    }
    for (gram, units) in report.postings.iter().take(LISTS_SHOWN) {
        line("  postings", format!("{gram} {units}"));
    }
    if report.postings.len() > LISTS_SHOWN {
        line("  postings", format!("… {} in total", report.postings.len()));
    }
    if let Some(generation) = report.generation {
        line("generation", generation.to_string());
        line("postings read", report.postings_read.to_string());
        line("candidates", format!("{} files", report.candidates));
        line("  of them", format!("{} blocks of larger files", report.candidate_blocks));
    }
    line("freshness", report.freshness.clone());
    line("changed", format!("{}, added {}, gone {}", report.changed, report.added, report.gone));
    line("verified", format!("{} files", counts.verified));
    line("matched", format!("{} files", counts.matched));
    line("not read", format!("{} files", listing.unread));
    let timed = |elapsed: Duration| format!("{:9.3} ms", elapsed.as_secs_f64() * 1e3);
    for (step, elapsed) in &report.steps {
        line(step, timed(*elapsed));
    }
    line("verify", timed(verified_in));
    line("total", timed(total));
    out
}
