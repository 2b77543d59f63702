//! `cargo bench --bench compare -- --tree DIR` measures complete runs of `codedb search` and of the
//! installed ripgrep.
//!
//! Every row first checks that both programs print the same bytes. It then times them interleaved,
//! with the output piped and drained and a warm page cache. A strict query cannot be faster than a
//! metadata sweep, so each row also has a **floor**: a bare sweep, plus reading and searching the
//! candidates, plus process start. The rows and their goals are in `rows.rs`, the parts of the
//! floor in `sweep.rs` and `verify.rs`. Programs other than ripgrep are in `peers`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

mod build;
mod edit;
mod ends;
mod measure;
mod options;
mod peers;
mod process;
mod report;
mod rows;
mod stats;
mod sweep;
mod tree;
mod verify;
mod watch;

use std::process::ExitCode;

use options::{Command, Options};
use report::Report;
use rows::Subject;
use tree::Tree;

fn main() -> ExitCode {
    let outcome = match options::parse(std::env::args_os().skip(1)) {
        Ok(Command::Help) => {
            println!("{}", options::HELP);
            return ExitCode::SUCCESS;
        }
        Ok(Command::Sweep(list)) => sweep::child(&list),
        Ok(Command::Verify(list)) => verify::child(&list),
        Ok(Command::Compare(options)) if options.peers => return peers::compare(&options),
        Ok(Command::Compare(options)) => return compare(&options),
        Err(message) => Err(message),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("compare: {message}");
            ExitCode::from(2)
        }
    }
}

fn compare(options: &Options) -> ExitCode {
    let mut report = Report::new(options);
    for root in &options.trees {
        if let Err(message) = compare_tree(options, root, &mut report) {
            eprintln!("compare: {}: {message}", root.display());
            report.broken = true;
        }
    }
    if let Err(message) = report.finish(options) {
        eprintln!("compare: {message}");
        report.broken = true;
    }
    if report.broken { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn compare_tree(
    options: &Options,
    root: &std::path::Path,
    report: &mut Report,
) -> Result<(), String> {
    let tree = Tree::open(options, root)?;
    eprintln!("{}: {}", root.display(), tree.summary());
    let rows = rows::of(tree.profile)
        .into_iter()
        .filter(|row| options.is_selected(row.name))
        .collect::<Vec<_>>();
    for row in rows.iter().filter(|row| matches!(row.subject, Subject::Build | Subject::FirstQuery))
    {
        report.add_or_fail(row, build::row(options, &tree, row));
    }
    if !rows
        .iter()
        .any(|row| matches!(row.subject, Subject::Search | Subject::Edit | Subject::Open))
    {
        return Ok(());
    }
    build::ready_index(options, &tree)?;
    let watcher = watch::Watcher::start(options, &tree);
    for row in &rows {
        match row.subject {
            Subject::Search => {
                report.add_or_fail(row, measure::row(options, &tree, row, watcher.is_alive()));
            }
            Subject::Edit => report.add_or_fail(row, edit::row(options, &tree, row)),
            Subject::Open => report.add_or_fail(row, measure::opening(options, &tree, row)),
            Subject::Build | Subject::FirstQuery => {}
        }
    }
    drop(watcher);
    Ok(())
}
