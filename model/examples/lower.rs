//! `lower LANGUAGE FILE`: prints the facts of a file in the text form.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use codedb_model::ir::text::{Lines, print};
use codedb_model::{languages, lower};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [language, path] = &arguments[..] else {
        eprintln!("two arguments are needed: a language, such as `go`, and a file");
        std::process::exit(2);
    };
    if let Err(error) = run(language, path) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run(language: &str, path: &str) -> Result<(), String> {
    let lowers = languages::rules(language)
        .and_then(|rules| rules.lowering())
        .ok_or_else(|| format!("no lowering for the language `{language}`"))?;
    let text = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let lines = Lines::new(&String::from_utf8_lossy(&text));
    for file in lower::tree(lowers, [(path, &text[..])].into_iter())? {
        print!("{}", print(&file, &lines));
    }
    Ok(())
}
