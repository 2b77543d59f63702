//! The files of one language below a directory, and our outlines of them.

use std::collections::BTreeMap;
use std::path::Path;

use codedb::lang::{Limits, Symbol, SymbolKind, detect, outline};

use crate::options::Options;
use crate::table::{Group, Row};

/// A function, method or type in one side's representation.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// The name after the last of the row's separators.
    pub(crate) name: String,
    /// The line of the name, from 1.
    pub(crate) line: usize,
    pub(crate) group: Group,
    /// The kind, in the side's own terms.
    pub(crate) kind: String,
    /// The kind of the enclosing definition, empty for the file.
    pub(crate) within: String,
    /// True if it only confirms a definition of the other side and is not required.
    pub(crate) is_optional: bool,
}

/// A file with our definitions.
pub(crate) struct Source {
    pub(crate) text: Vec<u8>,
    pub(crate) ours: Vec<Definition>,
    /// Syntax errors, or limits that were reached.
    pub(crate) problems: u64,
}

/// Files by their paths below the tree.
pub(crate) type Sources = BTreeMap<String, Source>;

/// Reads the row's files below the given directories.
pub(crate) fn read(row: &Row, options: &Options) -> Result<Sources, String> {
    let mut sources = Sources::new();
    for below in &options.below {
        let top = options.tree.join(below);
        if !top.is_dir() {
            return Err(format!("`{}` is not a directory", top.display()));
        }
        for entry in
            ignore::WalkBuilder::new(top).standard_filters(false).hidden(true).build().flatten()
        {
            let path = entry.path();
            let relative = path.strip_prefix(&options.tree).ok().and_then(Path::to_str);
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let Some(relative) = relative.filter(|_| is_file) else { continue };
            let Ok(text) = std::fs::read(path) else { continue };
            if let Some(source) = source(row, relative, text) {
                sources.insert(relative.to_owned(), source);
            }
        }
    }
    Ok(sources)
}

/// Returns a file's text and definitions, if it is in the row's language.
pub(crate) fn source(row: &Row, path: &str, text: Vec<u8>) -> Option<Source> {
    let language = detect(Path::new(path), &text)?;
    if !row.ours.contains(&language.name) {
        return None;
    }
    let outline = outline(language, path, &text, Limits::DEFAULT);
    let lines = line_starts(&text);
    let known = |symbol: &Symbol| definition(row, symbol, &outline.symbols, &lines);
    let mut ours = outline.symbols.iter().filter_map(known).collect();
    join_clauses(row, &mut ours);
    Some(Source { ours, problems: outline.problems.values().sum(), text })
}

/// Keeps only the first of consecutive definitions of one name, where these are clauses.
pub(crate) fn join_clauses(row: &Row, definitions: &mut Vec<Definition>) {
    if row.has_clauses {
        definitions.dedup_by(|after, before| after.name == before.name);
    }
}

fn line_starts(text: &[u8]) -> Vec<usize> {
    memchr::memchr_iter(b'\n', text).map(|at| at + 1).collect()
}

fn definition(
    row: &Row,
    symbol: &Symbol,
    around: &[Symbol],
    lines: &[usize],
) -> Option<Definition> {
    let (group, is_optional) = row.ours(symbol.kind)?;
    let parent = symbol.parent.map(|place| around[place].kind);
    Some(Definition {
        name: row.plain(&symbol.name),
        line: 1 + lines.partition_point(|&start| start <= symbol.name_span.start),
        group,
        kind: symbol.kind.name().to_owned(),
        within: parent.map_or("", SymbolKind::name).to_owned(),
        is_optional,
    })
}
