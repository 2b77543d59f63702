//! Rust: functions with a test attribute, in any file, and documentation tests.

use super::head::{attributes, head};
use super::{Applies, FileTests, Fixture, Runner, Source, Test};
use crate::lang::symbols::SymbolKind;

/// The last segments of attributes that make a function a test.
const ATTRIBUTES: [&str; 9] = [
    "test",
    "rstest",
    "test_case",
    "quickcheck",
    "proptest",
    "wasm_bindgen_test",
    "googletest",
    "gtest",
    "async_test",
];

pub(super) fn find(source: &Source<'_>) -> FileTests {
    let mut found = FileTests::default();
    // Without these words there is no test, which is most files.
    let has = |word: &[u8]| memchr::memmem::find(source.text, word).is_some();
    let (may_test, may_doctest) = (has(b"test") || has(b"quickcheck"), has(b"```"));
    if !may_test && !may_doctest {
        return found;
    }
    let modules = modules_of(&source.facts.path);
    if modules.iter().any(|module| module == "tests") {
        found.test_only.push(0..source.text.len());
    }
    for (place, symbol) in source.symbols() {
        let place_u32 = u32::try_from(place).ok();
        let groups = || {
            let around = source.around(place).into_iter().map(|at| &source.facts.symbols[at]);
            around.filter(|of| of.kind != SymbolKind::Impl).map(|of| of.name.clone()).collect()
        };
        if may_doctest {
            // Each line of a comment may be a part of its own.
            let doc = &symbol.source.doc;
            let mut lines = Vec::new();
            for span in doc {
                let mut at = span.start;
                let part = source.text.get(span.clone()).unwrap_or_default();
                for line in part.split(|&byte| byte == b'\n') {
                    lines.push((at, line));
                    at += line.len() + 1;
                }
            }
            if let (Some(first), Some(last)) = (first_fence(&lines), doc.last()) {
                let line = source.line_at(first);
                let own = std::iter::once(symbol.qualified_name.as_str());
                let path: Vec<&str> = modules.iter().map(String::as_str).chain(own).collect();
                let name = path.join("::");
                found.tests.push(Test {
                    id: format!("{} - {name} (line {line})", source.facts.path),
                    name,
                    groups: groups(),
                    runner: Runner::Cargo,
                    span: first..last.end.max(first),
                    line,
                    place: place_u32,
                    requests: Vec::new(),
                    subtests: Vec::new(),
                });
            }
        }
        if !may_test {
            continue;
        }
        let head = head(source.text, symbol);
        if is_test_only(head) {
            found.test_only.push(symbol.span.clone());
        }
        if !symbol.kind.is_callable() {
            continue;
        }
        let attributes = attributes(head);
        let span = source.span(symbol);
        if attributes.iter().any(|name| name == "fixture") {
            found.fixtures.push(Fixture {
                name: symbol.name.clone(),
                span,
                place: place_u32,
                applies: Applies::ByName,
                requests: super::head::parameters(source.text, symbol),
            });
            continue;
        }
        if !attributes.iter().any(|name| ATTRIBUTES.contains(&name.as_str())) {
            continue;
        }
        let requests = if attributes.iter().any(|name| name == "rstest") {
            super::head::parameters(source.text, symbol)
        } else {
            Vec::new()
        };
        let groups: Vec<String> = groups();
        let parts: Vec<&str> = modules
            .iter()
            .chain(&groups)
            .map(String::as_str)
            .chain(std::iter::once(symbol.name.as_str()))
            .collect();
        found.tests.push(Test {
            id: parts.join("::"),
            name: symbol.name.clone(),
            groups,
            runner: Runner::Cargo,
            span,
            line: symbol.line,
            place: place_u32,
            requests,
            subtests: Vec::new(),
        });
    }
    found
}

/// Returns true if the attributes of a definition remove it from builds without tests.
fn is_test_only(head: &[u8]) -> bool {
    [b"cfg(test)" as &[u8], b"cfg(all(test", b"cfg(any(test"]
        .iter()
        .any(|condition| memchr::memmem::find(head, condition).is_some())
}

/// Returns the position of the first fence in the lines of a doc comment that opens code which
/// rustdoc runs.
fn first_fence(lines: &[(usize, &[u8])]) -> Option<usize> {
    let mut is_open = false;
    for (at, line) in lines {
        let line = line.trim_ascii();
        let line = line
            .strip_prefix(b"///")
            .or_else(|| line.strip_prefix(b"//!"))
            .or_else(|| line.strip_prefix(b"*"))
            .unwrap_or(line)
            .trim_ascii();
        let Some(info) = line.strip_prefix(b"```") else { continue };
        let is_run = info.split(|&byte| byte == b',').all(|word| {
            let word = word.trim_ascii();
            word.is_empty()
                || [b"rust" as &[u8], b"no_run", b"should_panic"].contains(&word)
                || word.starts_with(b"edition")
        });
        if !is_open && is_run {
            return Some(*at);
        }
        is_open = !is_open;
    }
    None
}

/// Returns the names of the modules of a file in its crate, by its path.
fn modules_of(path: &str) -> Vec<String> {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let mut parts: Vec<&str> = stem.split('/').collect();
    // A module may be named `tests`; below `src`, a directory may be, too.
    let folders = &parts[..parts.len() - 1];
    let sources = folders.iter().rposition(|part| *part == "src");
    let own = || folders.iter().rposition(|part| matches!(*part, "tests" | "benches"));
    let skip = sources.map(|at| at + 1).or_else(|| own().map(|at| at + 2)).unwrap_or(0);
    parts = parts.split_off(skip.min(parts.len()));
    // Each file of `src/bin` is a crate.
    if sources.is_some() && parts.first() == Some(&"bin") {
        parts = parts.split_off(2.min(parts.len()));
    }
    if parts.last().is_some_and(|last| matches!(*last, "mod" | "lib" | "main")) {
        parts.pop();
    }
    parts.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::modules_of;

    #[test]
    fn a_path_has_the_modules_of_its_crate() {
        for (path, expected) in [
            ("src/lib.rs", ""),
            ("src/book.rs", "book"),
            ("src/book/tests.rs", "book::tests"),
            ("crates/a/src/b/tests/mod.rs", "b::tests"),
            ("crates/a/src/b/tests/c.rs", "b::tests::c"),
            ("src/tests.rs", "tests"),
            ("tests/it.rs", ""),
            ("tests/it/main.rs", ""),
            ("tests/it/search.rs", "search"),
            ("src/bin/tool.rs", ""),
            ("src/bin/tool/main.rs", ""),
        ] {
            assert_eq!(modules_of(path).join("::"), expected, "{path}");
        }
    }
}
