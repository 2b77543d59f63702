//! Tests of the division into chunks and of the words of each chunk.

use super::*;
use crate::lang::Symbol;

/// Cuts `text` and writes each chunk as `first-last: start of its first line`.
fn cut(path: &str, text: &str) -> Vec<String> {
    let language = detect(Path::new(path), text.as_bytes());
    let symbols: Vec<Symbol> = language.map_or_else(Vec::new, |language| {
        facts(language, path, text.as_bytes(), Limits::DEFAULT).symbols
    });
    let cut = chunk::cut(text.as_bytes(), &symbols);
    let mut line = 0;
    for chunk in &cut.chunks {
        assert_eq!(chunk.lines.start, line, "chunks leave nothing out");
        line = chunk.lines.end;
    }
    assert_eq!(line + cut.lines_left, text.lines().count());
    let head = |chunk: &chunk::Chunk| text[chunk.bytes.clone()].lines().next().unwrap_or("").trim();
    cut.chunks
        .iter()
        .map(|chunk| format!("{}-{}: {}", chunk.lines.start + 1, chunk.lines.end, head(chunk)))
        .collect()
}

#[test]
fn definitions_are_chunks_with_their_comments() {
    let text = "\
//! A module.

use std::fmt;

const A: u32 = 1;
const B: u32 = 2;

/// Opens.
#[must_use]
fn open(a: u32) -> u32 {
    let b = a + 1;
    b
}

fn small() {}

// Closes.
fn close(a: u32) -> u32 {
    let b = a - 1;
    b
}
";
    assert_eq!(
        cut("a.rs", text),
        ["1-7: //! A module.", "8-14: /// Opens.", "15-16: fn small() {}", "17-21: // Closes."]
    );
}

#[test]
fn large_classes_are_cut_along_their_methods() {
    let mut text =
        String::from("import os\n\nclass Pool:\n    \"\"\"Keeps things.\"\"\"\n\n    size = 3\n\n");
    for name in ["get", "put", "drop"] {
        text.push_str(&format!("    def {name}(self, thing):\n"));
        text.push_str(&"        thing.use()\n".repeat(24));
        text.push('\n');
    }
    text.push_str("    def size(self): return 1\n\nprint(Pool())\n");
    assert_eq!(
        cut("pool.py", &text),
        [
            "1-2: import os",
            "3-7: class Pool:",
            "8-33: def get(self, thing):",
            "34-59: def put(self, thing):",
            "60-85: def drop(self, thing):",
            "86-88: def size(self): return 1",
        ]
    );
}

#[test]
fn long_texts_are_cut_by_lines() {
    let text = "word word\n".repeat(130);
    assert_eq!(cut("a.txt", &text), ["1-60: word word", "61-120: word word", "121-130: word word"]);
    let long = format!("short\n{}\nshort\n", "minified;".repeat(10_000));
    assert_eq!(cut("a.min.js", &long).len(), 3);
    assert_eq!(cut("empty.rs", ""), Vec::<String>::new());
    assert_eq!(cut("blank.rs", "\n\n\n"), ["1-3: "]);
}

#[test]
fn the_number_of_chunks_is_bounded() {
    let text = "int x;\n".repeat(100_000);
    let prepared = prepare("generated.h", &text);
    assert_eq!(prepared.chunks.len(), chunk::CHUNKS_MAX);
    assert_eq!(prepared.lines_left, 100_000 - chunk::CHUNKS_MAX * 60);
    let blank = prepare("blank.h", &"\n".repeat(1_000_000));
    assert!(blank.chunks.len() <= chunk::CHUNKS_MAX);
}

#[test]
fn words_are_assigned_to_fields() {
    let text = "\
/// Opens connections, see HttpPool.
fn open_pool(url: &str) -> Pool {
    // Retries are counted.
    let retryCount = 3;
    return connect(url, retryCount)
}
";
    let prepared = prepare("src/netPool.rs", text);
    let words = &prepared.chunks[0];
    let field = |field: Field| prepared.field(words, field).lines().collect::<Vec<_>>().join(" ");
    assert_eq!(prepared.chunks.len(), 1);
    assert_eq!(field(Field::Path), "src net pool rs");
    assert_eq!(field(Field::Name), "open pool openpool");
    assert_eq!(field(Field::Signature), "open pool url str pool");
    assert_eq!(field(Field::Prose), "open connect see http pool retri count");
    assert_eq!(field(Field::Code), "open pool url str pool retri count connect url retri count");
    assert_eq!(words.lengths[Field::Path.index()].words(), 4);
    assert_eq!(words.lines, 6);
}

#[test]
fn members_have_the_names_of_enclosing_symbols() {
    let mut text = String::from("class Pool {\n");
    for name in ["take", "give"] {
        text.push_str(&format!("  {name}() {{\n{}  }}\n", "    this.use();\n".repeat(40)));
    }
    text.push_str("}\n");
    let prepared = prepare("pool.js", &text);
    let around: Vec<&str> =
        prepared.chunks.iter().map(|words| prepared.field(words, Field::Signature)).collect();
    assert_eq!(around, ["", "take\npool\n", "give\npool\n"]);
}

#[test]
fn documents_are_prose() {
    let prepared = prepare("README.md", "# The Parser\n\nParsing `parse_file` returns nodes.\n");
    let words = &prepared.chunks[0];
    assert_eq!(prepared.field(words, Field::Prose), "parser\npars\npars\nfile\nreturn\nnode\n");
    assert_eq!(prepared.field(words, Field::Code), "");
}
