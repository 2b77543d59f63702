//! `codedb fleet index`: clones and indexes repositories on the nodes that own them.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::{list, output};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::base::text::{counted, plain};
use crate::cli::ctrl_c::CtrlC;
use crate::error::{Error, Result};
use crate::fleet::indexing::{self, Event, Outcome, Row, State};

/// The problems that a page shows.
const SHOWN_MAX: usize = 50;

pub(super) fn command() -> Command {
    Command::new("index")
        .about("Clone and index repositories on the nodes that own them")
        .long_about(
            "Clones the newest commit of each repository on its nodes, and indexes it there with \
             `zoekt-git-index`. What is indexed already is skipped, so that a run that was stopped \
             continues with the next one. Local clones are only read. Exit codes: 0 all is indexed, 1 \
             something is not, 2 error.",
        )
        .arg(
            Arg::new("repositories")
                .value_name("REPO|LIST")
                .num_args(1..)
                .required(true)
                .help("Addresses, local clones, and files that list them; `-` is standard input"),
        )
        .args(output::args())
}

/// The number of repositories in each state.
#[derive(Clone, Copy, Default, Serialize)]
struct Counts {
    indexed: usize,
    unchanged: usize,
    failed: usize,
    not_tried: usize,
}

impl Counts {
    fn add(&mut self, state: State) {
        match state {
            State::Indexed => self.indexed += 1,
            State::Unchanged => self.unchanged += 1,
            State::Failed => self.failed += 1,
            State::NotTried => self.not_tried += 1,
        }
    }

    fn is_complete(self) -> bool {
        self.failed + self.not_tried == 0
    }
}

/// A run, as `--json` prints it.
#[derive(Serialize)]
struct Reply<'a> {
    #[serde(flatten)]
    counts: Counts,
    nodes: &'a BTreeMap<&'a str, Counts>,
    /// The nodes without universal-ctags.
    without_symbols: &'a [String],
    items: &'a [Row],
    shown: usize,
    total: usize,
    truncated: bool,
}

/// Runs the command.
///
/// # Errors
///
/// Without a fleet, if a word names no repository, or a node has no directories.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let fleet = super::fleet()?;
    let words = matches.get_many::<String>("repositories").into_iter().flatten();
    let repositories = list::repositories(words)?;
    if let Some(bare) = repositories.iter().find(|it| it.source.is_none()) {
        return Err(Error::usage(format!(
            "`{}` is neither a file nor a local clone, and from a name nothing can be cloned",
            bare.name
        ))
        .with_hint("give a list, an address such as `https://HOST/OWNER/NAME`, or a local clone"));
    }
    let ctrl_c = CtrlC::watch();
    let bar = bar(matches, &repositories, fleet.replicas);
    let failed = Mutex::new(0_usize);
    let report = |event: Event<'_>| match event {
        Event::Started(node, repository) => {
            bar.set_message(format!("{node}: {}", plain(repository)));
        }
        Event::Finished(row) => {
            bar.inc(1);
            if row.state == State::Failed
                && let Ok(mut failed) = failed.lock()
            {
                *failed += 1;
                bar.set_prefix(format!(", {failed} failed"));
            }
        }
    };
    let outcome = indexing::index(&fleet, &repositories, &report, &|| ctrl_c.is_pressed());
    bar.finish_and_clear();
    let Outcome { rows, without_symbols } = outcome?;
    let (mut counts, mut nodes) = (Counts::default(), BTreeMap::new());
    for row in &rows {
        counts.add(row.state);
        nodes.entry(row.node.as_str()).or_insert_with(Counts::default).add(row.state);
    }
    let (shown, truncated) = (rows.len(), false);
    let reply = Reply {
        counts,
        nodes: &nodes,
        without_symbols: &without_symbols,
        items: &rows,
        shown,
        total: shown,
        truncated,
    };
    output::show(matches, &reply, || page(&rows, &nodes, &without_symbols))?;
    Ok(ExitCode::from(u8::from(!counts.is_complete())))
}

/// Returns the progress bar: hidden unless standard error is a terminal.
fn bar(
    matches: &ArgMatches,
    repositories: &[crate::fleet::repository::Repository],
    replicas: usize,
) -> ProgressBar {
    let is_shown = std::io::stderr().is_terminal() && !matches.get_flag("no-progress");
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let names: std::collections::BTreeSet<&String> =
        repositories.iter().map(|it| &it.name).collect();
    let copies = (names.len() * replicas) as u64;
    let bar = ProgressBar::with_draw_target(Some(copies), target);
    if let Ok(style) =
        ProgressStyle::with_template("[{bar:30}] {pos}/{len}{prefix}, {elapsed}  {msg}")
    {
        bar.set_style(style.progress_chars("=> "));
    }
    if is_shown {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

fn page(rows: &[Row], nodes: &BTreeMap<&str, Counts>, without_symbols: &[String]) -> Page {
    let columns = [
        Column::left("NODE"),
        Column::right("INDEXED"),
        Column::right("UNCHANGED"),
        Column::right("FAILED"),
        Column::right("NOT TRIED"),
    ];
    let mut table = Table::new(columns);
    for (node, of) in nodes {
        table.row([
            Cell::name(*node),
            Cell::Number(of.indexed as u64),
            Cell::count(of.unchanged),
            Cell::count(of.failed),
            Cell::count(of.not_tried),
        ]);
    }
    let mut problems =
        Table::new([Column::left("PROBLEM"), Column::left("NODE"), Column::left("")]);
    let all: Vec<&Row> = rows.iter().filter(|row| !row.problem.is_empty()).collect();
    for row in all.iter().take(SHOWN_MAX) {
        let cells = [Cell::text(&row.repository), Cell::name(&row.node), Cell::text(&row.problem)];
        problems.row(cells);
    }
    let mut blocks = vec![Block::Table(table.without_empty()), Block::Table(problems)];
    if all.len() > SHOWN_MAX {
        let left = counted(all.len() - SHOWN_MAX, "more problem");
        blocks.push(Block::Note(format!("{left}; `--json` has all of them")));
    }
    if !without_symbols.is_empty() {
        let names = without_symbols.join(", ");
        blocks.push(Block::Note(format!(
            "indexed without symbols, for lack of universal-ctags: {names}"
        )));
    }
    if all.iter().any(|row| row.state == State::NotTried) {
        blocks.push(Block::Note("the same command continues where this run ended".to_owned()));
    }
    Page { blocks }
}
