//! Prints what the prototype and today's linker answer on the programs, as a table.
//!
//! `--deviations` lists each answer of the prototype that is not right; `--held-out` takes the programs that
//! were written after the resolver.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use codedb_model::program::{Deviation, Loaded, Outcome, all, held_out};
use std::collections::BTreeMap;

#[derive(Default)]
struct Row {
    programs: usize,
    beyond: usize,
    answers: usize,
    prototype: [usize; 2],
    today: [usize; 2],
}

fn main() {
    if let Err(error) = report(std::env::args().any(|argument| argument == "--deviations")) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn report(lists: bool) -> Result<(), String> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let count = |deviations: &[Deviation], outcome| {
        deviations.iter().filter(|d| d.outcome == outcome).count()
    };
    let held = std::env::args().any(|argument| argument == "--held-out");
    for program in if held { held_out()? } else { all()? } {
        let deviations = Loaded::new(&program)?.deviations()?;
        if lists {
            for Deviation { place, outcome, text } in &deviations {
                let of = program
                    .expected
                    .iter()
                    .find(|e| format!("{}:{} {}", e.path, e.line, e.name) == *place);
                let expected = of.map_or(String::new(), |e| e.answer.to_string());
                let (language, name) = (&program.language, &program.name);
                println!(
                    "{language}/{name} {place} {}: {text} (expected {expected})",
                    outcome.word()
                );
            }
        }
        for language in [&program.language, &"all".to_string()] {
            let row = rows.entry(language.clone()).or_default();
            row.programs += 1;
            row.beyond += usize::from(!program.beyond_the_page().is_empty());
            row.answers += program.expected.len();
            for (at, outcome) in [Outcome::Wrong, Outcome::Missed].into_iter().enumerate() {
                row.prototype[at] += count(&deviations, outcome);
                row.today[at] += count(&program.today, outcome);
            }
        }
    }
    println!(
        "| language | programs | need a variant | answers | prototype right | wrong | missed | today right | wrong | missed |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (language, row) in rows {
        let right = |deviations: [usize; 2]| row.answers - deviations[0] - deviations[1];
        println!(
            "| {language} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.programs,
            row.beyond,
            row.answers,
            right(row.prototype),
            row.prototype[0],
            row.prototype[1],
            right(row.today),
            row.today[0],
            row.today[1],
        );
    }
    Ok(())
}
