//! What holds for every program.

use codedb_model::ir::File;
use codedb_model::program::{Answer, Program, all, held_out};

fn programs() -> Vec<Program> {
    let mut programs = all().expect("the programs can be read");
    programs.extend(held_out().expect("the programs can be read"));
    programs
}

#[test]
fn there_are_sixty_programs_of_twelve_languages() {
    let programs = all().expect("the programs can be read");
    assert_eq!(programs.len(), 60);
    let languages: std::collections::BTreeSet<_> = programs.iter().map(|p| &p.language).collect();
    assert_eq!(languages.len(), 12);
}

#[test]
fn what_is_printed_is_what_was_parsed() {
    for program in programs() {
        let name = format!("{}/{}", program.language, program.name);
        assert_eq!(program.text, program.canonical(), "{name}: run `cargo run --example format`");
        let again = Program::read(&program.language, &program.name, &program.canonical());
        let again = again.expect("the printed form can be read");
        assert_eq!(program.files, again.files, "{name}");
    }
}

/// A use whose name its line does not have is a slip of the pen in the facts.
#[test]
fn lines_have_the_names_that_facts_place_there() {
    let mut slips = Vec::new();
    for program in programs() {
        for file in &program.files {
            slips.extend(misplaced(&program, file));
        }
    }
    assert!(slips.is_empty(), "{}", slips.join("\n"));
}

/// What is called or defined without its name: constructors, `super`, operators, blocks, payloads,
/// classes without a name, blocks of extensions.
const IMPLIED: [&str; 12] =
    ["init", "save", "describe", "it", "get", "plus", "block", "task", "0", "T", "Service", "User"];

fn misplaced(program: &Program, file: &File) -> Vec<String> {
    let lines = program.lines(&file.path);
    let source = program.sources.iter().find(|source| source.path == *file.path).expect("a source");
    let text = |first: u32, last: u32| -> String {
        let count = (last - first + 1) as usize;
        source.text.lines().skip(first as usize - 1).take(count).collect::<Vec<_>>().join("\n")
    };
    let mut slips = Vec::new();
    let mut check = |name: &str, range| {
        let (first, last) = lines.of(range);
        let bare = ["operator", "@"]
            .iter()
            .fold(name, |name, prefix| name.strip_prefix(prefix).unwrap_or(name));
        let bare = bare.split(['(', '[', '.']).find(|part| !part.is_empty()).unwrap_or("");
        let is_implied = IMPLIED.contains(&bare) || bare.starts_with("__");
        if !text(first, last).contains(bare) && !is_implied {
            slips.push(format!(
                "{}/{}: {}:{first} has no `{name}`",
                program.language, program.name, file.path
            ));
        }
    };
    for (_, of) in file.uses.iter() {
        if let Some(name) = &of.name {
            check(name.trim_end_matches('1'), of.range);
        }
    }
    for (_, definition) in file.definitions.iter() {
        let name = definition.name.trim_end_matches('1');
        check(name, definition.range);
    }
    slips
}

/// Each named use has a line in `expect`, and each line a use.
#[test]
fn every_use_has_an_expected_answer() {
    let mut gaps = Vec::new();
    for program in programs() {
        let name = format!("{}/{}", program.language, program.name);
        let mut used = std::collections::BTreeSet::new();
        for file in &program.files {
            let lines = program.lines(&file.path);
            for (_, of) in file.uses.iter() {
                let line = lines.of(of.range).0;
                let called = of.name.as_deref().unwrap_or("-");
                used.insert((file.path.to_string(), line, called.to_string()));
                let is_expected = |e: &codedb_model::program::Expected| {
                    e.path == *file.path && e.line == line && e.name == called
                };
                if !program.expected.iter().any(is_expected) {
                    gaps.push(format!(
                        "{name}: {}:{line} {called} {:?} is not expected",
                        file.path, of.role
                    ));
                }
            }
        }
        for e in &program.expected {
            if !used.contains(&(e.path.clone(), e.line, e.name.clone())) {
                gaps.push(format!(
                    "{name}: {}:{} {} is expected, but no use",
                    e.path, e.line, e.name
                ));
            }
        }
    }
    assert!(gaps.is_empty(), "{}", gaps.join("\n"));
}

#[test]
fn expected_names_are_definitions() {
    let mut unclear = Vec::new();
    for program in programs() {
        for e in &program.expected {
            let names = match &e.answer {
                Answer::Links(links, may) => links.iter().chain(may.iter().flatten()).collect(),
                Answer::Dispatch(links) => links.iter().collect(),
                Answer::Outside | Answer::Unknown => Vec::new(),
            };
            let errors = names.into_iter().filter_map(|name| program.definition(name).err());
            unclear.extend(
                errors.map(|error| format!("{}/{}: {error}", program.language, program.name)),
            );
        }
    }
    assert!(unclear.is_empty(), "{}", unclear.join("\n"));
}
