//! `codedb fleet simulate`: what the loss and the addition of nodes costs a large fleet.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use indicatif::HumanBytes;

use super::output;
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::error::{Error, Result};
use crate::fleet::simulate::{Setting, Simulation, Stage, simulate};

pub(super) fn command() -> Command {
    let number = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("N")
            .default_value(default)
            .value_parser(value_parser!(u64))
            .help(help)
    };
    Command::new("simulate")
        .about("Compute what the loss and the addition of nodes costs a large fleet")
        .long_about(
            "Draws repositories with the sizes of measured ones, places them on nodes, lets nodes fail \
             and join, and prints what moves, what is unavailable and what the fullest node needs. No \
             node is asked, and no configuration is read. The same arguments give the same figures.",
        )
        .args([
            number("repositories", "100000", "The number of repositories"),
            number("nodes", "10", "The number of nodes"),
            number("replicas", "2", "On how many nodes each repository is"),
            number("lose", "1", "The nodes that fail at once"),
            number("add", "1", "The nodes that join afterwards"),
            Arg::new("hot")
                .long("hot")
                .value_name("SHARE")
                .default_value("0.3")
                .value_parser(value_parser!(f64))
                .help("The share of calls that name one of the 0.1 % most popular repositories"),
            number("seed", "1", "What is drawn from"),
        ])
        .args(output::args())
}

/// Runs the command.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if the numbers do not fit each other.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let number = |name: &str| matches.get_one::<u64>(name).copied().unwrap_or_default();
    let count = |name: &str| usize::try_from(number(name)).unwrap_or(usize::MAX);
    let setting = Setting {
        repositories: count("repositories"),
        nodes: count("nodes"),
        replicas: count("replicas"),
        lose: count("lose"),
        add: count("add"),
        hot: matches.get_one::<f64>("hot").copied().unwrap_or_default(),
        seed: number("seed"),
    };
    let simulation = simulate(setting).map_err(Error::usage)?;
    output::show(matches, &simulation, || page(&simulation))?;
    Ok(ExitCode::SUCCESS)
}

fn page(simulation: &Simulation) -> Page {
    let Setting { repositories, nodes, replicas, hot, .. } = simulation.setting;
    let summary = format!(
        "{repositories} repositories, {} of text, the largest {}; {nodes} nodes, {replicas} replicas; {} % \
         of calls to {} hot repositories",
        HumanBytes(simulation.text_bytes),
        HumanBytes(simulation.largest_bytes),
        hot * 100.0,
        simulation.hot_repositories,
    );
    let moves = table(
        &["STAGE", "NODES", "UNAVAILABLE", "MOVED", "MOVED TEXT", "INDEXING", "LOAD"],
        simulation,
        |stage| {
            vec![
                Cell::Number(stage.nodes as u64),
                Cell::Number(stage.unavailable as u64),
                percent(stage.moved),
                size(stage.moved_bytes),
                if stage.indexing_s > 0.0 { duration(stage.indexing_s) } else { Cell::Empty },
                times(stage.busiest_load_from_start),
            ]
        },
    );
    let needs = table(
        &["FULLEST NODE", "TEXT", "OF MEAN", "DISK", "MEMORY", "CACHED"],
        simulation,
        |stage| {
            let need = &stage.fullest;
            vec![
                size(need.text_bytes),
                times(stage.fullest_text),
                size(need.disk_bytes),
                size(need.memory_bytes),
                size(need.cached_bytes),
            ]
        },
    );
    let note = "INDEXING is that of the node that gets the most, on one processor, without cloning. LOAD is that \
                of the busiest node relative to the mean at the start, by calls that name a repository; other \
                searches are answered by all nodes. MEMORY is the least that a server needs, CACHED what \
                searches without disk reads need.";
    let blocks = vec![
        Block::Line(vec![Cell::text(summary)]),
        Block::Table(moves),
        Block::Table(needs),
        Block::Note(note.to_owned()),
    ];
    Page { blocks }
}

fn table(
    headers: &[&'static str],
    simulation: &Simulation,
    cells: impl Fn(&Stage) -> Vec<Cell>,
) -> Table {
    let column = |(at, header): (usize, &&'static str)| match at {
        0 => Column::left(header),
        _ => Column::right(header),
    };
    let mut table = Table::new(headers.iter().enumerate().map(column).collect::<Vec<_>>());
    for stage in &simulation.stages {
        let mut row = vec![Cell::name(stage.name)];
        row.extend(cells(stage));
        table.row(row);
    }
    table
}

fn size(bytes: u64) -> Cell {
    if bytes == 0 { Cell::Empty } else { Cell::text(HumanBytes(bytes).to_string()) }
}

fn percent(share: f64) -> Cell {
    if share > 0.0 { Cell::text(format!("{:.1} %", share * 100.0)) } else { Cell::Empty }
}

fn times(factor: f64) -> Cell {
    Cell::text(format!("{factor:.2} x"))
}

fn duration(seconds: f64) -> Cell {
    Cell::text(match seconds {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    })
}
