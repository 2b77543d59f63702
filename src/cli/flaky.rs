//! `codedb flaky`: the tests whose recorded outcome changed without a change of the code.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde::Serialize;

use super::display::{self, Display};
use super::index::{place_args, print, tree_options};
use super::run::recover::recover;
use super::screen::{self, Screen};
use super::tool::{now_ms, now_ns};
use super::{place, report};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::base::time;
use crate::error::{Error, Result};
use crate::userdata::runs::Record;

/// The default number of tests.
const LIMIT: usize = 20;

pub(super) fn command() -> Command {
    Command::new("flaky")
        .about("List tests that failed and passed without a change of the code")
        .long_about(
            "Lists the tests whose recorded outcome flipped on one commit of a clean tree, or between \
             attempts of one run, with their failures. The most often flipping ones come first. \
             `codedb run` and `codedb test` record runs. Exit codes: 0 found, 1 none, 2 error.",
        )
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .help("Maximum tests (default 20)"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the reply as JSON"),
        )
        .arg(screen::format_arg())
        .args(display::args())
        .args(screen::args())
        .args(place_args())
}

/// A flaky test.
#[derive(Debug, Serialize)]
struct Flaky {
    test: String,
    /// Consecutive results that differ.
    flips: u64,
    /// Consecutive results on one commit of a clean tree, or in one run.
    pairs: u64,
    failures: u64,
    /// Results that count: passed, failed or error.
    results: u64,
    runs: u64,
    /// In milliseconds since 1970.
    last_failure_ms: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Reply {
    tests: Vec<Flaky>,
    shown: usize,
    total: usize,
}

/// Runs the command.
///
/// # Errors
///
/// If the database cannot be read.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let options = tree_options(matches);
    let engine = place::engine(&options)?;
    recover(&engine, &place::cache(&options)?.0);
    let records = engine.user_data()?.map_or(Ok(Default::default()), |it| it.records())?;
    let mut tests: Vec<Flaky> =
        records.into_iter().filter(|(_, record)| record.flips > 0).map(flaky).collect();
    let rate = |of: &Flaky| of.flips as f64 / of.pairs.max(1) as f64;
    tests.sort_by(|a, b| {
        rate(b).total_cmp(&rate(a)).then(b.flips.cmp(&a.flips)).then(a.test.cmp(&b.test))
    });
    let total = tests.len();
    tests.truncate(matches.get_one::<usize>("limit").copied().unwrap_or(LIMIT));
    let reply = Reply { shown: tests.len(), tests, total };
    if screen::is_json(matches) {
        let json =
            serde_json::to_string(&reply).map_err(|error| Error::usage(error.to_string()))?;
        print(&format!("{json}\n"))?;
    } else if screen::is_chosen(matches) && total > 0 {
        Screen::new(matches, now_ns())
            .print(&page(&reply), &Display::new(engine.root(), matches))?;
    } else {
        let mut text = String::new();
        for of in &reply.tests {
            let ago = of.last_failure_ms.map_or(String::new(), |at| {
                let age_ms = u64::try_from(now_ms() - at).unwrap_or(0);
                time::ago(std::time::Duration::from_millis(age_ms))
            });
            text.push_str(&format!(
                "{} of {} flipped  {} of {} failed  {} runs  last failure {ago}  {}\n",
                of.flips,
                of.pairs,
                of.failures,
                of.results,
                of.runs,
                report::plain(&of.test)
            ));
        }
        if reply.shown < total {
            text.push_str(&format!("{} of {total} flaky tests shown\n", reply.shown));
        }
        print(&text)?;
        if total == 0 {
            report::print_message("no recorded test flipped");
        }
    }
    Ok(ExitCode::from(u8::from(total == 0)))
}

/// Returns the page of a reply: how often each test flipped and failed, and when it failed last.
fn page(reply: &Reply) -> Page {
    let mut table = Table::new([
        Column::cut("TEST"),
        Column::left("FLIPPED"),
        Column::left(""),
        Column::left("FAILED"),
        Column::right("RUNS"),
        Column::left("LAST FAILURE"),
    ]);
    for of in &reply.tests {
        let failed_at = |ms: i64| Cell::time(time::format(ms.saturating_mul(1_000_000)));
        table.row([
            Cell::name(&of.test),
            Cell::Share(of.flips as f64 / of.pairs.max(1) as f64),
            Cell::text(format!("{} of {}", of.flips, of.pairs)),
            Cell::text(format!("{} of {}", of.failures, of.results)),
            Cell::Number(of.runs),
            of.last_failure_ms.map_or(Cell::Empty, failed_at),
        ]);
    }
    let mut blocks = vec![Block::Table(table)];
    if reply.shown < reply.total {
        let (shown, total) = (reply.shown, reply.total);
        blocks.push(Block::Note(format!("{shown} of {total} shown; `--limit` shows more")));
    }
    Page { blocks }
}

fn flaky((test, record): (String, Record)) -> Flaky {
    let Record { flips, pairs, failures, results, runs, last_failure_ms, .. } = record;
    Flaky { test, flips, pairs, failures, results, runs, last_failure_ms }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::screen::tests::shown;

    #[test]
    fn flaky_tests_as_a_page() {
        let flaky = |test: &str, flips, last_failure_ms| Flaky {
            test: test.to_owned(),
            flips,
            pairs: 8,
            failures: flips,
            results: 9,
            runs: 12,
            last_failure_ms,
        };
        // 2025-01-31 and a day without a failure.
        let tests = vec![
            flaky("tests/cart_test.rs::a_coupon_takes_its_share", 5, Some(1_738_324_800_000)),
            flaky("an_empty_cart", 1, None),
        ];
        let reply = Reply { shown: tests.len(), tests, total: 3 };
        insta::assert_snapshot!("flaky", shown(&page(&reply)));
    }
}
