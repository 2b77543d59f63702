//! The rule of benches/calls for copies of a definition.

#[path = "../../benches/calls/copies.rs"]
mod copies;

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
