//! Forms of languages, each as a small program whose lines state what they call.
#![cfg(feature = "lower")]

use codedb_model::ir::File;
use codedb_model::ir::text::{Lines, parse};
use codedb_model::program::BUDGET;
use codedb_model::resolve::{Evidence, Resolver, ty::FileId};
use codedb_model::{languages, lower};

/// The forms by language: files that begin with `== PATH`, and lines that end with `#> NAME LINES`.
/// The call of a name links to the definitions on these lines of any file; `-` is none.
const FORMS: [(&str, &str); 1] = [("python", include_str!("forms/python.txt"))];

/// Returns the programs with their names.
fn programs(text: &str) -> Vec<(&str, Vec<(&str, String)>)> {
    let mut programs: Vec<(&str, Vec<(&str, String)>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            programs.push((name, Vec::new()));
        } else if let (Some(path), Some((_, files))) =
            (line.strip_prefix("== "), programs.last_mut())
        {
            files.push((path, String::new()));
        } else if let Some((_, source)) = programs.last_mut().and_then(|(_, f)| f.last_mut()) {
            source.push_str(line);
            source.push('\n');
        }
    }
    programs
}

/// Returns what is called on each line that states it, and what should be.
fn answers(language: &str, files: &[(&str, String)]) -> Vec<(String, String, String)> {
    let rules = languages::rules(language).expect("a language");
    let lowers = rules.lowering().expect("a lowering");
    let sources = files.iter().map(|(path, text)| (*path, text.as_bytes()));
    let facts: Vec<File> = lower::tree(lowers, sources).expect("a grammar of this version");
    let library = parse("library", rules.library(), &Lines::new("")).expect("a library");
    let resolver = Resolver::new(facts.iter().chain([&library]).collect(), rules);
    let mut found = Vec::new();
    for (at, (path, text)) in files.iter().enumerate() {
        let lines = Lines::new(text);
        let file = &facts[at];
        for (number, line) in (1..).zip(text.lines()) {
            for stated in line.split("#> ").skip(1) {
                let (name, right) = stated.trim().split_once(' ').expect("a name and lines");
                let is_it = |of: &&(_, &codedb_model::ir::Use)| {
                    of.1.name.as_deref() == Some(name) && lines.of(of.1.range).0 == number
                };
                let uses: Vec<_> = file.uses.iter().collect();
                let (id, _) = uses.iter().find(is_it).expect("a use of the name on the line");
                let of = FileId(u32::try_from(at).expect("few files"));
                let (resolution, _) = resolver.question(of, *id, BUDGET).expect("a budget");
                let mut called: Vec<u32> = resolution
                    .called
                    .iter()
                    .map(|called| resolver.body_of(called.def))
                    .filter(|def| !resolver.world().is_library(def.file))
                    .map(|def| {
                        let (_, text) = &files[def.file.0 as usize];
                        Lines::new(text).of(resolver.world().definition(def).range).0
                    })
                    .collect();
                called.sort_unstable();
                called.dedup();
                let called: Vec<String> = called.iter().map(u32::to_string).collect();
                let by_name = resolution.evidence >= Evidence::UniqueName && !called.is_empty();
                let mut answer = if called.is_empty() { "-".into() } else { called.join(",") };
                if by_name {
                    answer.push_str(" by name");
                }
                found.push((format!("{path}:{number} {name}"), right.trim().to_string(), answer));
            }
        }
    }
    found
}

#[test]
fn forms_have_their_callers() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (language, text) in FORMS {
        for (name, files) in programs(text) {
            for (place, right, answer) in answers(language, &files) {
                count += 1;
                if right != answer {
                    wrong.push(format!("{language}, {name}: {place}: {answer}, not {right}"));
                }
            }
        }
    }
    assert!(count > 50, "{count} calls");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
