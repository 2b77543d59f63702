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

const VERDICTS: [&str; 6] = ["right", "outside", "unresolved", "missed", "unsure", "wrong"];

/// The stored rows of trees: by language the trees, the sites, and the sites of each verdict.
#[derive(Default)]
struct Rows {
    languages: BTreeMap<String, [usize; 8]>,
    /// The answers with a confidence of at least 0.9.
    sure: usize,
}

impl Rows {
    fn sum(&self, column: usize) -> usize {
        self.languages.values().map(|sum| sum[column]).sum()
    }

    /// Compares the rows with a part of docs/calls-measured.md.
    fn check(&self, part: &str) {
        for (language, sum) in &self.languages {
            let cells: Vec<String> = sum.iter().map(usize::to_string).collect();
            let line = format!("| {language} | {} |", cells.join(" | "));
            assert!(part.contains(&line), "docs/calls-measured.md lacks `{line}`");
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

/// Returns the stored rows of the trees that served for repairs, or of the `unused` ones.
fn rows(unused: bool) -> Rows {
    let list: toml::Table = toml::from_str(&read("bench-corpus/calls/trees.toml")).unwrap();
    let is_unused = |tree: &toml::Value| tree.get("unused").is_some_and(|it| it.as_bool().unwrap());
    let mut rows = Rows::default();
    let trees = list["tree"].as_array().expect("a list").iter();
    for tree in trees.filter(|tree| is_unused(tree) == unused) {
        let name = tree["name"].as_str().expect("a name");
        let plain = name.trim_start_matches('@').replace(['/', ':'], "-");
        let language = tree["language"].as_str().expect("a language").to_owned();
        let sum = rows.languages.entry(language).or_default();
        sum[0] += 1;
        for line in read(&format!("bench-corpus/calls/{plain}.tsv")).lines() {
            if line.starts_with('#') {
                let sure = line.strip_prefix("# Answers with a confidence of at least 0.9: ");
                rows.sure += sure.map_or(0, |count| count.parse::<usize>().expect("a number"));
                continue;
            }
            let verdict = line.split('\t').next().unwrap_or_default();
            sum[1] += 1;
            let at = VERDICTS.iter().position(|of| *of == verdict);
            sum[2 + at.unwrap_or_else(|| panic!("{name}: `{verdict}`"))] += 1;
        }
    }
    rows
}

/// The tables of docs/calls-measured.md are those of the stored rows, and each tree has rows.
#[test]
fn the_tables_of_calls_are_those_of_the_rows() {
    let page = read("docs/calls-measured.md");
    let (served, unused) =
        page.split_once("## Trees that served for no repair").expect("the page has both parts");
    let rows_served = rows(false);
    let (sites, languages) = (rows_served.sum(1), rows_served.languages.len());
    assert!(sites >= 10_000 && languages >= 12, "{sites} sites of {languages} languages");
    rows_served.check(served);

    let rows_unused = rows(true);
    let (sites, languages) = (rows_unused.sum(1), rows_unused.languages.len());
    assert!(sites >= 2_050 && languages >= 11, "{sites} unused sites of {languages} languages");
    rows_unused.check(unused);
    let (missed, wrong, sure) = (rows_unused.sum(5), rows_unused.sum(7), rows_unused.sure);
    let share = 100.0 * wrong as f64 / sure.max(1) as f64;
    let line = format!(
        "Wrong among the {sure} answers with at least 0.9: {wrong} ({share:.2} %). Missed: {missed} of {sites} sites."
    );
    assert!(unused.contains(&line), "docs/calls-measured.md lacks `{line}`");
}
