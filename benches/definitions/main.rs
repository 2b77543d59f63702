//! `cargo bench --bench definitions -- --tree DIR --language NAME`: outlines against universal-ctags.
//!
//! Reads the files of one language below a folder, has `ctags` read the same files, and compares
//! what both call a function, method or type, by path, name and the line of the name. Run by hand,
//! since it needs sources and a ctags; docs/languages.md has the numbers. Of languages that ctags does
//! not know, `--key keys/NAME.txt` compares with a list made by hand instead. Read `table` (which kinds
//! count), `rules` (differences that are ctags's fault), `definitions` (ours), `oracle` (theirs),
//! `key` (made by hand), `score` (counts), in this order.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

mod definitions;
mod key;
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
    for path in &options.keys {
        let key = key::read(path)?;
        let sources = key.sources(options)?;
        score::report(key.row, options, &sources, &key.definitions);
    }
    for name in &options.languages {
        let row = table::known(name)?;
        let sources = definitions::read(row, options)?;
        let theirs = oracle::ask(row, options, &sources)?;
        score::report(row, options, &sources, &theirs);
    }
    Ok(())
}
