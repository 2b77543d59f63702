//! `cargo bench --bench definitions -- --tree DIR --language NAME`: outlines against universal-ctags.
//!
//! Reads the files of one language below a folder, has `ctags` read the same files, and compares
//! what both call a function, method or type, by path, name and the line of the name. Run by hand,
//! since it needs sources and a ctags; docs/languages.md has the numbers. Read `table` (which kinds
//! count), `rules` (differences that are ctags's fault), `definitions` (ours), `oracle` (theirs),
//! `score` (counts), in this order.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

mod definitions;
mod options;
mod oracle;
mod rules;
mod score;
mod table;

use std::process::ExitCode;

use options::Options;

fn main() -> ExitCode {
    let done = match options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => run(&options),
        Ok(None) => {
            println!("{}", options::HELP);
            Ok(())
        }
        Err(message) => Err(message),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("definitions: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    for name in &options.languages {
        let row = table::row(name).ok_or_else(|| {
            let known: Vec<&str> = table::ROWS.iter().map(|row| row.name).collect();
            format!("no kinds are known of `{name}`; there are {}", known.join(", "))
        })?;
        let sources = definitions::read(row, options)?;
        let theirs = oracle::ask(row, options, &sources)?;
        score::report(row, options, &sources, &theirs);
    }
    Ok(())
}
