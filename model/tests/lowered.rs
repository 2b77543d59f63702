//! Facts that are lowered from the sources of programs give the answers that written facts give.
#![cfg(feature = "lower")]

use codedb_model::languages;
use codedb_model::lower;
use codedb_model::program::{Loaded, Program, all, held_out};
use std::collections::BTreeMap;

/// Returns the program with the facts of its sources, where its language has a lowering.
fn lowered(program: &Program) -> Option<Program> {
    let lowers =
        languages::rules(&program.language)?.lowering().filter(|lowers| lowers.is_whole())?;
    let sources = program.sources.iter();
    let sources = sources.map(|source| (source.path.as_str(), source.text.as_bytes()));
    let files = lower::tree(lowers, sources).expect("a grammar of this version");
    Some(Program { files, ..program.clone() })
}

#[test]
fn sources_give_the_answers_of_written_facts() {
    let mut changed = Vec::new();
    let mut programs: BTreeMap<String, usize> = BTreeMap::new();
    let held_out = held_out().expect("the programs can be read");
    for program in all().expect("the programs can be read").into_iter().chain(held_out) {
        let Some(from_source) = lowered(&program) else { continue };
        *programs.entry(program.language.clone()).or_default() += 1;
        let loaded = Loaded::new(&from_source).expect("a language with rules");
        let found = loaded.deviations().expect("expected names are definitions");
        for deviation in found {
            let is_known = program.prototype.iter().any(|recorded| {
                recorded.place == deviation.place && recorded.outcome == deviation.outcome
            });
            if !is_known {
                changed.push(format!("{}: {deviation:?}", program.name));
            }
        }
    }
    let counts: Vec<(&str, usize)> = programs.iter().map(|(of, count)| (&**of, *count)).collect();
    assert_eq!(counts, [("c", 6), ("go", 6), ("java", 6), ("python", 6)]);
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}
