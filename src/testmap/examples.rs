//! The examples in documentation that name a definition, if pytest runs them.

use std::collections::BTreeSet;

use super::fixtures::{TestAt, Tests};
use super::tree::Tree;
use crate::base::ids::FileId;
use crate::graph::link::SymbolAt;

/// The maximum number of files that are searched for a name.
const FILES_MAX: usize = 400;

/// Returns the tests whose examples name a definition or belong to its documentation, in path order.
/// O(texts of the files that may contain its name).
pub(super) fn showing(tests: &Tests<'_>, at: SymbolAt) -> BTreeSet<TestAt> {
    let (tree, configured) = (tests.tree(), tests.configured());
    let mut found = BTreeSet::new();
    let Some(facts) = tree.file(at.file).filter(|of| of.language.name == "python") else {
        return found;
    };
    let Some(symbol) = facts.symbols.get(at.place as usize) else { return found };
    let name = match facts.owner(at.place as usize) {
        Some(owner) if symbol.name.starts_with("__") => owner,
        _ => symbol.name.as_str(),
    };
    for test in modules(tests, at.file) {
        let Some(span) = tests.get(test).map(|test| test.span) else { continue };
        let is_own = symbol.span.start <= span.start && span.end <= symbol.span.end;
        if is_own || has_name(tree, at.file, span.start..span.end, name) {
            found.insert(test);
        }
    }
    let (_, file) = facts.path.rsplit_once('/').unwrap_or(("", &facts.path));
    let stem = file.strip_suffix(".py").unwrap_or(file);
    if configured.of(&facts.path).has_examples {
        for other in tree.with_word(name).into_iter().take(FILES_MAX) {
            let is_module = other != at.file && tree.path(other).ends_with(".py");
            if !is_module || !(tree.imports(other, at.file) || has_name(tree, other, 0.., stem)) {
                continue;
            }
            for test in modules(tests, other) {
                let span = tests.get(test).map(|test| test.span);
                if span.is_some_and(|span| has_name(tree, other, span.start..span.end, name)) {
                    found.insert(test);
                }
            }
        }
    }
    // Tests that run the examples of a module themselves.
    let text = tree.text(at.file);
    let has_own = text.is_some_and(|text| memchr::memmem::find(&text, b">>>").is_some());
    for word in ["testmod", "DocTestSuite"].iter().filter(|_| has_own) {
        let all = tree.with_word(word).into_iter().take(FILES_MAX);
        let running = all.filter(|&of| tree.is_test(of) && tree.imports(of, at.file));
        for other in running {
            found.extend(tests.in_file(other));
        }
    }
    for &document in configured.documents().iter().take(FILES_MAX) {
        if has_name(tree, document, 0.., name) {
            found.extend(tests.in_file(document));
        }
    }
    found
}

/// Returns the tests of a file that are examples.
fn modules(tests: &Tests<'_>, file: FileId) -> Vec<TestAt> {
    let path = tests.tree().path(file);
    let all = tests.in_file(file).into_iter();
    all.filter(|&test| tests.get(test).is_some_and(|test| test.id == path)).collect()
}

/// Returns true if a part of a file contains an identifier.
fn has_name(
    tree: &dyn Tree,
    file: FileId,
    part: impl std::slice::SliceIndex<[u8], Output = [u8]>,
    name: &str,
) -> bool {
    let Some(text) = tree.text(file) else { return false };
    let Some(text) = text.get(part) else { return false };
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let is_whole = |at: usize| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.last().is_some_and(is_word) && !after.first().is_some_and(is_word)
    };
    !name.is_empty() && memchr::memmem::find_iter(text, name.as_bytes()).any(is_whole)
}
