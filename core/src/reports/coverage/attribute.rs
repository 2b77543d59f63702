//! From lines to functions: the coverage of each function of a file, counted from its first line, so
//! that it stays valid while the function itself does not change.

use std::collections::BTreeMap;

use super::FileLines;
use crate::lang::{Symbol, SymbolKind};
use crate::userdata::coverage::{CoveredSymbol, body_hash};

/// Shorter texts are the same in many functions, such as `(self): pass`.
const REST_BYTES_MIN: usize = 32;

/// Returns the coverage of the functions of the file `path` with content `text`. A line belongs to
/// the innermost function whose body contains it. The signature belongs to the code around it:
/// definitions are executed when a module is loaded. Functions without an executable line are
/// omitted. O(text + lines of all tests).
pub fn attribute(
    path: &str,
    text: &[u8],
    symbols: &[Symbol],
    lines: &FileLines,
) -> Vec<CoveredSymbol> {
    by_position(path, text, symbols, lines).into_values().collect()
}

/// Returns the same, each function by its position in `symbols`.
pub fn by_position(
    path: &str,
    text: &[u8],
    symbols: &[Symbol],
    lines: &FileLines,
) -> BTreeMap<usize, CoveredSymbol> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|end| end + 1)).collect();
    let line_of = |at: usize| starts.partition_point(|&start| start <= at);
    // The function of each line, as an index into `symbols`; a symbol precedes those inside it.
    let mut owners: Vec<Option<usize>> = vec![None; starts.len() + 1];
    for (at, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| is_function(symbol)) {
        let signature_end =
            symbol.source.signature.end.clamp(symbol.name_span.end, symbol.span.end);
        // The byte before the body, without the blanks between them.
        let before = text.get(..signature_end).unwrap_or(text).trim_ascii_end().len();
        let last = line_of(symbol.span.end.saturating_sub(1).min(text.len()));
        let first = (line_of(before.saturating_sub(1)) + 1).min(last);
        if let Some(owned) = owners.get_mut(first..=last.min(starts.len())) {
            owned.fill(Some(at));
        }
    }
    let owner = |line: u32| owners.get(line as usize).copied().flatten();
    let mut functions: BTreeMap<usize, CoveredSymbol> = BTreeMap::new();
    for &line in &lines.executable {
        let Some(at) = owner(line) else { continue };
        let symbol = &symbols[at];
        let function = functions.entry(at).or_insert_with(|| CoveredSymbol {
            path: path.to_owned(),
            name: symbol.qualified_name.clone(),
            body: body_hash(text.get(symbol.span.clone()).unwrap_or_default()),
            rest: rest_of(text, symbol),
            is_whole: !lines.is_partial,
            ..CoveredSymbol::default()
        });
        let offset = line.saturating_sub(line_of(symbol.span.start) as u32);
        function.executable.insert(offset);
        if lines.covered.contains(&line) {
            function.covered.insert(offset);
        }
    }
    for (test, executed) in &lines.tests {
        for &line in executed {
            if let Some(function) = owner(line).and_then(|at| functions.get_mut(&at)) {
                match function.tests.get_mut(test) {
                    Some(count) => *count += 1,
                    None => drop(function.tests.insert(test.clone(), 1)),
                }
            }
        }
    }
    functions
}

/// Returns the hash of the text of a function after its name, which is the same after a rename;
/// `None` if the text is too short to identify a function.
pub fn rest_of(text: &[u8], symbol: &Symbol) -> Option<u64> {
    let rest = text.get(symbol.name_span.end..symbol.span.end)?;
    (rest.len() >= REST_BYTES_MIN).then(|| body_hash(rest))
}

/// Returns true for the definitions to which lines are attributed: functions, methods, constructors
/// and properties.
pub fn is_function(symbol: &Symbol) -> bool {
    use SymbolKind::{Constructor, Function, Method, Property};
    matches!(symbol.kind, Function | Method | Constructor | Property)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    use crate::lang::{Limits, language, outline};

    const TEXT: &str = "import os\n\ndef outer(\n    x,\n):\n    def inner():\n        return x\n    return inner()\n\nclass C:\n    def m(self): return 1\n";

    fn attributed(text: &str, lines: &FileLines) -> Vec<String> {
        let python = language::detect(Path::new("a.py"), text.as_bytes()).expect("a language");
        let outline = outline(python, "a.py", text.as_bytes(), Limits::DEFAULT);
        let functions = attribute("a.py", text.as_bytes(), &outline.symbols, lines);
        let each = functions
            .iter()
            .map(|it| format!("{} {:?}/{:?} {:?}", it.name, it.executable, it.covered, it.tests));
        each.collect()
    }

    #[test]
    fn a_line_belongs_to_the_innermost_body() {
        let lines = FileLines {
            executable: [1, 3, 6, 7, 8, 10, 11].into(),
            covered: [1, 3, 6, 8, 10, 11].into(),
            tests: [("t".to_owned(), [6, 8, 11].into())].into(),
            is_partial: false,
        };
        let expected =
            ["outer {3, 5}/{3, 5} {\"t\": 2}", "outer.inner {1}/{} {}", "C.m {0}/{0} {\"t\": 1}"];
        assert_eq!(attributed(TEXT, &lines), expected);
        // Lines above a function move it, and change nothing.
        let moved = FileLines {
            executable: [9, 10, 11].into(),
            covered: [9, 11].into(),
            ..FileLines::default()
        };
        let expected = ["outer {3, 5}/{3, 5} {}", "outer.inner {1}/{} {}"];
        assert_eq!(attributed(&format!("# a\n# b\n# c\n{TEXT}"), &moved), expected);
    }
}
