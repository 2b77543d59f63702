//! What an extractor prints: a line of JSON for each definition and reference.
//!
//! ```json
//! {"definition": "Soup", "kind": "class", "line": 1, "end_line": 9}
//! {"definition": "cook", "kind": "method", "line": 2, "end_line": 5, "column": 7}
//! {"reference": "chop", "role": "call", "line": 3}
//! ```

use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;

use crate::base::line_index::LineIndex;
use crate::lang::facts::{Reference, Role};
use crate::lang::symbols::{Symbol, SymbolKind, SymbolSource, Visibility};
use crate::lang::{Facts, Limits, Problem};

/// The separator between the parts of a qualified name.
const SEPARATOR: &str = ".";

/// One line.
#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default)]
    definition: Option<String>,
    #[serde(default)]
    reference: Option<String>,
    #[serde(default)]
    kind: Option<SymbolKind>,
    #[serde(default)]
    role: Option<Role>,
    /// From 1.
    line: usize,
    /// From 1; the line itself if it is missing.
    #[serde(default)]
    end_line: Option<usize>,
    /// The byte of the name in its line, from 1; its first occurrence if it is missing.
    #[serde(default)]
    column: Option<usize>,
}

/// A definition before its place among the others is known.
struct Found {
    name: Range<usize>,
    kind: SymbolKind,
    span: Range<usize>,
    line: usize,
    end_line: usize,
}

/// Returns the facts that `printed` states about `text`. Lines that are not valid are counted. O(printed
/// + definitions × depth).
pub(super) fn facts(path: &str, text: &[u8], printed: &[u8]) -> Facts {
    let lines = LineIndex::of(text);
    let mut facts = Facts::default();
    let (mut found, mut invalid) = (Vec::new(), 0);
    for line in printed.split(|&byte| byte == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let parsed = serde_json::from_slice::<Line>(line).ok();
        match parsed.and_then(|line| read(&line, text, &lines)) {
            Some(Fact::Definition(definition)) => found.push(definition),
            Some(Fact::Reference(reference)) => facts.references.push(reference),
            None => invalid += 1,
        }
    }
    // What encloses another definition comes before it.
    found.sort_by_key(|of| (of.span.start, std::cmp::Reverse(of.span.end), of.name.start));
    if found.len() > Limits::DEFAULT.symbols_max {
        found.truncate(Limits::DEFAULT.symbols_max);
        facts.problems.insert(Problem::TooManySymbols, 1);
    }
    facts.symbols = symbols(path, text, found);
    for reference in &mut facts.references {
        let is_around = |symbol: &Symbol| symbol.span.contains(&reference.span.start);
        reference.enclosing = facts.symbols.iter().rposition(is_around);
    }
    let symbols = &facts.symbols;
    // The name of a definition is no use of it.
    facts.references.retain(|reference| symbols.iter().all(|of| of.name_span != reference.span));
    facts.references.sort_by_key(|reference| (reference.span.start, reference.role));
    facts.references.dedup_by(|b, a| a.span == b.span && a.role == b.role);
    if invalid > 0 {
        facts.problems.insert(Problem::Extractor, invalid);
    }
    facts
}

enum Fact {
    Definition(Found),
    Reference(Reference),
}

/// Returns the fact of a line; `None` if it is not valid.
fn read(line: &Line, text: &[u8], lines: &LineIndex) -> Option<Fact> {
    let bytes = |number: usize| {
        let is_there = (1..=lines.total()).contains(&number);
        is_there.then(|| lines.start(text, number)..lines.start(text, number + 1))
    };
    let name = match (&line.definition, &line.reference) {
        (Some(name), None) | (None, Some(name)) => name.as_bytes(),
        _ => return None,
    };
    let of_line = bytes(line.line)?;
    let place = match line.column {
        Some(column) => column.checked_sub(1)?,
        None => memchr::memmem::find(&text[of_line.clone()], name)?,
    };
    let start = of_line.start.checked_add(place)?;
    let span = start..start.checked_add(name.len())?;
    if name.is_empty() || text.get(span.clone()) != Some(name) || span.end > of_line.end {
        return None;
    }
    if line.reference.is_some() {
        let role = line.role.unwrap_or(Role::Call);
        return Some(Fact::Reference(Reference {
            span,
            role,
            receiver: None,
            enclosing: None,
            arguments: None,
        }));
    }
    let end_line = line.end_line.unwrap_or(line.line);
    let last = bytes(end_line).filter(|_| end_line >= line.line)?;
    let ends = text[last.clone()].iter().rev().take_while(|byte| byte.is_ascii_whitespace());
    let end = (last.end - ends.count()).max(span.end);
    let indent = text[of_line.clone()].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let first = (of_line.start + indent).min(span.start);
    Some(Fact::Definition(Found {
        name: span,
        kind: line.kind.unwrap_or(SymbolKind::Function),
        span: first..end,
        line: line.line,
        end_line,
    }))
}

fn symbols(path: &str, text: &[u8], found: Vec<Found>) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(found.len());
    let mut ordinals: HashMap<String, usize> = HashMap::new();
    // The definitions around the present one, outermost first.
    let mut around: Vec<usize> = Vec::new();
    for of in found {
        while around.last().is_some_and(|&at| symbols[at].span.end < of.span.end) {
            around.pop();
        }
        let parent = around.last().copied();
        let name = String::from_utf8_lossy(&text[of.name.clone()]).into_owned();
        let qualified_name = match parent {
            Some(at) => format!("{}{SEPARATOR}{name}", symbols[at].qualified_name),
            None => name.clone(),
        };
        let ordinal = ordinals.entry(qualified_name.clone()).or_default();
        let id = format!("{path}#{qualified_name}#{ordinal}");
        *ordinal += 1;
        let first_line = memchr::memchr(b'\n', &text[of.span.clone()]);
        let signature = of.span.start..first_line.map_or(of.span.end, |end| of.span.start + end);
        around.push(symbols.len());
        symbols.push(Symbol {
            id,
            name,
            scope: qualified_name.clone(),
            qualified_name,
            kind: of.kind,
            span: of.span,
            name_span: of.name,
            line: of.line,
            end_line: of.end_line,
            signature: String::new(),
            doc: None,
            visibility: Visibility::Public,
            depth: parent.map_or(0, |at| symbols[at].depth + 1),
            parent,
            type_chain: None,
            bases: Vec::new(),
            source: SymbolSource { signature, ..SymbolSource::default() },
        });
    }
    symbols
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "dish Soup\n  step cook\n    use chop\n  end\nend\n\nstep chop\nend\n";

    fn of(printed: &str) -> Facts {
        facts("a.recipe", TEXT.as_bytes(), printed.as_bytes())
    }

    #[test]
    fn definitions_nest_by_their_lines() {
        let printed = r#"
{"definition": "chop", "line": 7, "end_line": 8}
{"definition": "cook", "kind": "method", "line": 2, "end_line": 4}
{"definition": "Soup", "kind": "class", "line": 1, "end_line": 5}
{"reference": "chop", "line": 3, "role": "call"}
"#;
        let facts = of(printed);
        let names: Vec<(&str, usize)> =
            facts.symbols.iter().map(|of| (of.qualified_name.as_str(), of.depth)).collect();
        assert_eq!(names, [("Soup", 0), ("Soup.cook", 1), ("chop", 0)]);
        let reference = &facts.references[0];
        assert_eq!(&TEXT[reference.span.clone()], "chop");
        assert_eq!((reference.enclosing, reference.role), (Some(1), Role::Call));
        assert!(facts.problems.is_empty(), "{:?}", facts.problems);
    }

    #[test]
    fn lines_that_are_not_valid_are_counted() {
        for line in [
            "text",
            "{}",
            "[]",
            r#"{"definition": "Soup"}"#,
            r#"{"definition": "Soup", "line": 0}"#,
            r#"{"definition": "Soup", "line": 99}"#,
            r#"{"definition": "Stew", "line": 1}"#,
            r#"{"definition": "", "line": 1}"#,
            r#"{"definition": "Soup", "line": 1, "column": 1}"#,
            r#"{"definition": "Soup", "line": 1, "kind": "soup"}"#,
            r#"{"definition": "cook", "line": 2, "end_line": 1}"#,
            r#"{"definition": "Soup", "reference": "Soup", "line": 1}"#,
            r#"{"reference": "chop", "line": 3, "column": 18446744073709551615}"#,
        ] {
            let facts = of(&format!("{line}\n{{\"definition\": \"chop\", \"line\": 7}}\n"));
            assert_eq!(facts.problems.get(&Problem::Extractor), Some(&1), "{line}");
            assert_eq!(facts.symbols.len(), 1, "{line}");
        }
    }
}
