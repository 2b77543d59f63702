//! Writes the facts of all programs in their canonical form.
#![expect(clippy::print_stderr, reason = "a program of the command line")]

use codedb_model::program::{all, folder, held_out};

fn main() {
    let programs = match all().and_then(|all| Ok([("programs", all), ("heldout", held_out()?)])) {
        Ok(programs) => programs,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    };
    let all =
        programs.into_iter().flat_map(|(folder, all)| all.into_iter().map(move |of| (folder, of)));
    for (place, program) in all {
        let path = folder()
            .with_file_name(place)
            .join(&program.language)
            .join(format!("{}.txt", program.name));
        if let Err(error) = std::fs::write(&path, program.canonical()) {
            eprintln!("{}: cannot be written: {error}", path.display());
        }
    }
}
