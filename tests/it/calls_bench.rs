//! The rule of benches/calls for copies of a definition.

#[path = "../../benches/calls/copies.rs"]
mod copies;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use codedb::graph::link::{Code, SymbolAt};
use codedb::graph::program::Program;

/// Returns the paths of the copies of the function `name` in the first of some files.
fn copied(files: &[(&str, &str)], name: &str) -> Vec<String> {
    let texts: Vec<(String, Vec<u8>)> =
        files.iter().map(|&(path, text)| (path.to_owned(), text.into())).collect();
    let program = Program::new(texts.clone());
    let first = program.id(files[0].0).expect("the file is in the program");
    let of_first = |at: &&SymbolAt| at.file == first;
    let at = *program.named(name).iter().find(of_first).expect("the first file defines it");
    let copies = copies::of(&program, &texts.into_iter().collect(), at);
    copies.iter().map(|of| program.file(of.file).expect("a file").path.clone()).collect()
}

#[test]
fn a_copy_with_the_same_text_in_another_file_is_the_same_target() {
    let own = "namespace app {\nint size(int x) { return x + 1; }\n}\n";
    let of = |text: &str| copied(&[("src/a.hpp", own), ("all.hpp", text)], "size");
    assert_eq!(of(own), ["all.hpp"]);
    assert_eq!(
        of("namespace app {\n  int size(int x)\n  {\n    return x + 1;\n  }\n}\n"),
        ["all.hpp"]
    );
    // Another text, another namespace, other parameters.
    assert!(of("namespace app {\nint size(int x) { return x + 2; }\n}\n").is_empty());
    assert!(of("namespace other {\nint size(int x) { return x + 1; }\n}\n").is_empty());
    assert!(of("namespace app {\nint size(long x) { return x + 1; }\n}\n").is_empty());
}

#[test]
fn functions_of_one_file_and_those_of_c_have_no_copies() {
    let hidden = "static int size(int x) { return x; }\n";
    assert!(copied(&[("a.cpp", hidden), ("b.cpp", hidden)], "size").is_empty());
    let own = "int size(int x) { return x; }\n";
    assert!(copied(&[("a.c", own), ("b.c", own)], "size").is_empty());
    assert_eq!(copied(&[("a.cpp", own), ("b.cpp", own)], "size"), ["b.cpp"]);
    assert!(copied(&[("a.cpp", &own.repeat(2))], "size").is_empty());
}

/// The table of docs/calls-measured.md is that of the stored rows, and each tree has rows.
#[test]
fn the_table_of_calls_is_that_of_the_rows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect(path);
    let list: toml::Table = toml::from_str(&read("bench-corpus/calls/trees.toml")).unwrap();
    let verdicts = ["right", "outside", "unresolved", "missed", "unsure", "wrong"];
    let mut sums: BTreeMap<String, [usize; 8]> = BTreeMap::new();
    for tree in list["tree"].as_array().expect("a list") {
        let name = tree["name"].as_str().expect("a name");
        let plain = name.trim_start_matches('@').replace(['/', ':'], "-");
        let rows = read(&format!("bench-corpus/calls/{plain}.tsv"));
        let sum =
            sums.entry(tree["language"].as_str().expect("a language").to_owned()).or_default();
        sum[0] += 1;
        for row in rows.lines().filter(|line| !line.starts_with('#')) {
            let verdict = row.split('\t').next().unwrap_or_default();
            sum[1] += 1;
            let at = verdicts.iter().position(|of| *of == verdict);
            sum[2 + at.unwrap_or_else(|| panic!("{name}: `{verdict}`"))] += 1;
        }
    }
    let sites: usize = sums.values().map(|sum| sum[1]).sum();
    assert!(sites >= 10_000 && sums.len() >= 12, "{sites} sites of {} languages", sums.len());
    let page = read("docs/calls-measured.md");
    for (language, sum) in sums {
        let cells: Vec<String> = sum.iter().map(usize::to_string).collect();
        let line = format!("| {language} | {} |", cells.join(" | "));
        assert!(page.contains(&line), "docs/calls-measured.md lacks `{line}`");
    }
}
