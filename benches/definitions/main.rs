//! `cargo bench --bench definitions -- --tree DIR --language NAME`: outlines against
//! universal-ctags.
//!
//! Reads the files of one language below a directory, runs `ctags` on the same files, and compares
//! the functions, methods and types of both by path, name and line. It is run manually, since it
//! needs sources and ctags; docs/languages.md has the numbers. For languages without ctags support,
//! `--key keys/NAME.txt` compares with a manually written list. `--scan` counts the public Rust
//! items that a pattern finds, also in macro calls. Read `table` (the kinds that
//! count), `rules` (errors of ctags), `definitions` (our side), `oracle` (ctags), `key` (manual
//! lists), `scan` (the pattern), `score` (counts), in this order.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

mod definitions;
mod key;
mod options;
mod oracle;
mod rules;
mod scan;
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
    for path in &options.keys {
        let key = key::read(path)?;
        let sources = key.sources(options)?;
        score::report(key.row, options, &sources, &key.definitions);
    }
    for name in &options.languages {
        let row = table::row_named(name)?;
        let sources = definitions::read(row, options)?;
        if options.is_scan {
            if row.name != "rust" {
                return Err(format!("`--scan` supports rust only, not {}", row.name));
            }
            scan::report(row, options, &sources);
            continue;
        }
        let theirs = oracle::run_ctags(row, options, &sources)?;
        score::report(row, options, &sources, &theirs);
    }
    Ok(())
}
