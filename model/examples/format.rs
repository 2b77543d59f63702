//! Writes the facts of all programs in their canonical form.
#![expect(clippy::print_stderr, reason = "a program of the command line")]

use codedb_model::program::{all, folder};

fn main() {
    let programs = match all() {
        Ok(programs) => programs,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    };
    for program in programs {
        let path = folder().join(&program.language).join(format!("{}.txt", program.name));
        if let Err(error) = std::fs::write(&path, program.canonical()) {
            eprintln!("{}: cannot be written: {error}", path.display());
        }
    }
}
