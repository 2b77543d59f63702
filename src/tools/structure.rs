//! The whole structure of a tree as JSON: files with language, lines, marks, symbols and imports.
//!
//! It is no tool of the table, since it is written as it is made, a file a line, and never in memory
//! as a whole. Signatures and documentation are left out: they would need every file to be read.

use std::io::Write;

use serde::Serialize;

use super::known::Known;
use super::paths;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::{Error, Kind, Result};
use crate::graph::link::{Code, FileFacts};
use crate::lang::facts::{self, ImportKind};
use crate::lang::{Marks, SymbolKind, Visibility};

#[derive(Serialize)]
struct File<'a> {
    path: String,
    /// Absent for a file of which nothing is known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    #[serde(flatten)]
    marks: Marks,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<Symbol<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    imports: Vec<Import<'a>>,
}

#[derive(Serialize)]
struct Symbol<'a> {
    name: &'a str,
    qualified_name: &'a str,
    kind: SymbolKind,
    line: usize,
    end_line: usize,
    visibility: Visibility,
    /// The symbol around it: its place in this list.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
}

#[derive(Serialize)]
struct Import<'a> {
    module: &'a str,
    line: usize,
    kind: ImportKind,
    /// The names that are imported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<&'a str>,
    /// The files of the tree that it leads to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
}

/// Writes the structure of all files, in path order: an object whose `files` stand a line each.
///
/// # Errors
///
/// [`Kind::Corrupt`] where the index is damaged, [`Kind::Io`] if `out` cannot be written to.
pub fn write(catalog: &Catalog, out: &mut dyn Write) -> Result<()> {
    let io = |error: std::io::Error| Error::new(Kind::Io, format!("standard output: {error}"));
    let json = |error: serde_json::Error| io(error.into());
    let files = catalog.files();
    let head = serde_json::to_string(&Known::of(catalog)).map_err(json)?;
    let head = head.trim_end_matches('}');
    let (generation, total) = (files.generation, files.len());
    write!(out, "{head},\"generation\":{generation},\"total\":{total},\"files\":[").map_err(io)?;
    for at in 0..total {
        out.write_all(if at == 0 { b"\n" } else { b",\n" }).map_err(io)?;
        let (file, facts) = (FileId::new(at), catalog.facts(FileId::new(at))?);
        let facts = facts.as_deref();
        let summary = catalog.summary(file)?;
        let file = File {
            path: paths::shown(catalog.path(file)),
            lines: summary.map(|of| of.lines),
            language: summary.and_then(|of| of.language).map(|language| language.name),
            marks: summary.map(|of| of.marks).unwrap_or_default(),
            package: facts.and_then(|facts| facts.package.as_deref()),
            symbols: facts.map(symbols).unwrap_or_default(),
            imports: facts.map(|facts| imports(catalog, file, facts)).unwrap_or_default(),
        };
        serde_json::to_writer(&mut *out, &file).map_err(json)?;
    }
    out.write_all(b"\n]}\n").map_err(io)
}

fn symbols(facts: &FileFacts) -> Vec<Symbol<'_>> {
    let symbols = facts.symbols.iter();
    let symbols = symbols.map(|of| Symbol {
        name: of.name.as_str(),
        qualified_name: of.qualified_name.as_str(),
        kind: of.kind,
        line: of.line,
        end_line: of.end_line,
        visibility: of.visibility,
        parent: of.parent,
    });
    symbols.collect()
}

fn imports<'a>(catalog: &Catalog, file: FileId, facts: &'a FileFacts) -> Vec<Import<'a>> {
    let import = |(at, of): (usize, &'a facts::Import)| {
        let targets = Code::targets(catalog, file, at);
        let mut leads_to: Vec<FileId> =
            targets.targets().iter().map(|target| target.file).collect();
        leads_to.sort_unstable();
        leads_to.dedup();
        // The module itself has no name among them.
        let names = of.names.iter().map(|name| name.name.as_str());
        Import {
            module: &of.module,
            line: of.line,
            kind: of.kind,
            names: names.filter(|name| !name.is_empty()).collect(),
            files: leads_to.iter().map(|&file| paths::shown(catalog.path(file))).collect(),
        }
    };
    facts.imports.iter().enumerate().map(import).collect()
}
