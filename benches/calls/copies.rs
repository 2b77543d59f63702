//! Copies of a definition, which count as the same target. The integration tests include this file.

use std::collections::HashMap;

use codedb::graph::link::{Code, FileFacts, SymbolAt};
use codedb::graph::program::Program;

/// Returns the copies of a function of C++: the same qualified name and text, white space aside, in
/// another file. clangd's index has one definition of a symbol, whichever file it reads last, where a
/// tree contains a copy of itself in one file. Functions that only their file sees (`static`) are
/// different ones.
pub(crate) fn of(
    program: &Program,
    texts: &HashMap<String, Vec<u8>>,
    at: SymbolAt,
) -> Vec<SymbolAt> {
    let Some(facts) = program.file(at.file) else { return Vec::new() };
    let symbol = &facts.symbols[at.place as usize];
    if facts.language.name != "cpp" || !symbol.kind.is_callable() {
        return Vec::new();
    }
    let words = |facts: &FileFacts, at: SymbolAt| -> String {
        let span = facts.symbols[at.place as usize].span.clone();
        let text = texts.get(&facts.path).and_then(|text| text.get(span));
        String::from_utf8_lossy(text.unwrap_or_default()).split_whitespace().collect()
    };
    let own = words(&facts, at);
    if own.is_empty() || own.starts_with("static") {
        return Vec::new();
    }
    let is_copy = |other: SymbolAt| {
        other.file != at.file
            && program.file(other.file).is_some_and(|there| {
                let it = &there.symbols[other.place as usize];
                it.qualified_name == symbol.qualified_name && words(&there, other) == own
            })
    };
    program.named(&symbol.name).iter().copied().filter(|&other| is_copy(other)).collect()
}
