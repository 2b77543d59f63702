//! The structure of a tree: files with language, lines, marks, symbols and imports.
//!
//! [`write()`] streams all of it as JSON, one file per line, without holding it in memory; the tool
//! [`super::snapshot`] returns pages of it. Signatures and documentation are not included: they
//! would require reading every file.

use std::io::Write;

use serde::Serialize;

use super::coverage::Coverage;
use super::paths;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::{Error, Kind, Result};
use crate::graph::link::{Code, FileFacts};
use crate::lang::facts::{self, ImportKind};
use crate::lang::{Marks, SymbolKind, Visibility};
use crate::source::secret;

/// The structure of a file.
#[derive(Clone, Debug, Serialize)]
pub struct FileStructure {
    /// Its repository path.
    pub path: String,
    /// Its number of lines; absent if the file is not indexed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// Its language, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    /// Its marks, such as `generated` or `test`.
    #[serde(flatten)]
    pub marks: Marks,
    /// The package that it declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Its definitions, in the order of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<SymbolStructure>,
    /// Its imports, in the order of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<ImportStructure>,
}

/// A definition of a file.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolStructure {
    /// Its name.
    pub name: String,
    /// Its name with those of the enclosing scopes.
    pub qualified_name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// Its visibility.
    pub visibility: Visibility,
    /// The enclosing definition, as an index into the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}

/// An import of a file.
#[derive(Clone, Debug, Serialize)]
pub struct ImportStructure {
    /// The module as it is written.
    pub module: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its kind.
    pub kind: ImportKind,
    /// The names that are imported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The files of the tree to which it resolves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// Writes the structure of all files as a JSON object, in path order, one file per line.
///
/// # Errors
///
/// [`Kind::Corrupt`] if the index is damaged, [`Kind::Io`] if `out` cannot be written to.
pub fn write(catalog: &Catalog, out: &mut dyn Write) -> Result<()> {
    let io = |error: std::io::Error| Error::new(Kind::Io, format!("standard output: {error}"));
    let json = |error: serde_json::Error| io(error.into());
    let files = catalog.files();
    let head = serde_json::to_string(&Coverage::of(catalog)).map_err(json)?;
    let head = head.trim_end_matches('}');
    let (generation, total) = (files.generation, files.len());
    write!(out, "{head},\"generation\":{generation},\"total\":{total},\"files\":[").map_err(io)?;
    for at in 0..total {
        out.write_all(if at == 0 { b"\n" } else { b",\n" }).map_err(io)?;
        let file = serde_json::to_string(&of(catalog, FileId::new(at))?).map_err(json)?;
        out.write_all(secret::redacted(file).as_bytes()).map_err(io)?;
    }
    out.write_all(b"\n]}\n").map_err(io)
}

/// Returns the structure of a file. O(its symbols and imports).
///
/// # Errors
///
/// [`Kind::Corrupt`] if the index is damaged.
pub(super) fn of(catalog: &Catalog, file: FileId) -> Result<FileStructure> {
    let facts = catalog.facts(file)?;
    let facts = facts.as_deref();
    let summary = catalog.summary(file)?;
    Ok(FileStructure {
        path: paths::shown(catalog.path(file)),
        lines: summary.map(|of| of.lines),
        language: summary.and_then(|of| of.language).map(|language| language.name),
        marks: summary.map(|of| of.marks).unwrap_or_default(),
        package: facts.and_then(|facts| facts.package.clone()),
        symbols: facts.map(symbols).unwrap_or_default(),
        imports: facts.map(|facts| imports(catalog, file, facts)).unwrap_or_default(),
    })
}

fn symbols(facts: &FileFacts) -> Vec<SymbolStructure> {
    let symbols = facts.symbols.iter();
    let symbols = symbols.map(|of| SymbolStructure {
        name: of.name.clone(),
        qualified_name: of.qualified_name.clone(),
        kind: of.kind,
        line: of.line,
        end_line: of.end_line,
        visibility: of.visibility,
        parent: of.parent,
    });
    symbols.collect()
}

fn imports(catalog: &Catalog, file: FileId, facts: &FileFacts) -> Vec<ImportStructure> {
    let import = |(at, of): (usize, &facts::Import)| {
        let targets = Code::targets(catalog, file, at);
        let mut leads_to: Vec<FileId> =
            targets.targets().iter().map(|target| target.file).collect();
        leads_to.sort_unstable();
        leads_to.dedup();
        // An import of the module itself has an empty name.
        let names = of.names.iter().map(|name| name.name.clone());
        ImportStructure {
            module: of.module.clone(),
            line: of.line,
            kind: of.kind,
            names: names.filter(|name| !name.is_empty()).collect(),
            files: leads_to.iter().map(|&file| paths::shown(catalog.path(file))).collect(),
        }
    };
    facts.imports.iter().enumerate().map(import).collect()
}
