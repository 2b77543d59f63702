//! Examples in documentation that pytest runs (`--doctest-modules`, `--doctest-glob`).
//!
//! The id is the path of the file: how pytest names an example depends on its import mode.

use std::ops::Range;

use super::{Runner, Source, Test};

/// The start of the first line of an example.
const PROMPT: &[u8] = b">>>";

/// Returns the tests of a module: the examples of each definition are one. O(text + examples × symbols).
pub(super) fn of_module(source: &Source<'_>) -> Vec<Test> {
    let mut found: Vec<(Option<usize>, Range<usize>)> = Vec::new();
    for line in lines(source.text) {
        let around = source.symbols().filter(|(_, symbol)| symbol.span.contains(&line.start));
        let place = around.min_by_key(|(_, symbol)| symbol.span.len()).map(|(place, _)| place);
        match found.last_mut() {
            Some((of, span)) if *of == place => span.end = line.end,
            _ => found.push((place, line)),
        }
    }
    let test = |(place, span): (Option<usize>, Range<usize>)| {
        let name = place.map_or("examples", |at| source.facts.symbols[at].qualified_name.as_str());
        test(&source.facts.path, name, source.line_at(span.start), span)
    };
    found.into_iter().map(test).collect()
}

/// Returns the test of a text.
pub(super) fn of_document(path: &str, text: &[u8]) -> Option<Test> {
    let first = lines(text).next()?;
    let line = memchr::memchr_iter(b'\n', &text[..first.start]).count() + 1;
    Some(test(path, "examples", line, 0..text.len()))
}

fn test(path: &str, name: &str, line: usize, span: Range<usize>) -> Test {
    Test {
        id: path.to_owned(),
        name: name.to_owned(),
        groups: Vec::new(),
        runner: Runner::Pytest,
        span,
        line,
        place: None,
        requests: Vec::new(),
        subtests: Vec::new(),
    }
}

/// Returns the lines that begin an example, without what stands before it.
fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    memchr::memmem::find_iter(text, PROMPT).filter_map(move |at| {
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
        let before = text[start..at].trim_ascii();
        let is_first = before.is_empty() || before.ends_with(b"\"\"\"") || before.ends_with(b"'''");
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |len| at + len);
        is_first.then_some(at..end)
    })
}
