//! A definition as replies tell of it: what the catalog knows, and what stands in the text.

use std::fmt::Write as _;

use serde::Serialize;

use super::paths;
use super::texts::Texts;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::lang::{Marks, SymbolKind, Visibility};

/// Bytes of one definition's text.
const BODY_BYTES_MAX: usize = 32 << 10;

/// A definition.
#[derive(Clone, Debug, Serialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The name with those of the scopes around it.
    pub qualified_name: String,
    /// What sort of definition it is.
    pub kind: SymbolKind,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// The definition up to its body, on one line.
    pub signature: String,
    /// Path, qualified name and ordinal, by which it can be asked for.
    pub id: String,
    /// Who may use it.
    pub visibility: Visibility,
    /// The comment or docstring that documents it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// What the file is told to be.
    #[serde(flatten)]
    pub marks: Marks,
    /// Its text, or the start of it, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// How many bytes of the text are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_bytes_left_out: Option<usize>,
}

impl Definition {
    /// Returns what is known of the definition at a place, if there is one. O(the file), once.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] where the index is damaged.
    pub fn of(
        catalog: &Catalog,
        texts: &mut Texts<'_>,
        at: SymbolAt,
    ) -> Result<Option<Definition>> {
        let Some(facts) = catalog.facts(at.file)? else { return Ok(None) };
        let Some(symbol) = facts.symbols.get(at.place as usize) else { return Ok(None) };
        let path = paths::shown(catalog.path(at.file));
        let ordinal = symbol.id.rsplit_once('#').map_or("0", |(_, ordinal)| ordinal);
        let text = texts.of(at.file);
        let summary = catalog.summary(at.file)?;
        Ok(Some(Definition {
            id: format!("{path}#{}#{ordinal}", symbol.qualified_name),
            name: symbol.name.clone(),
            qualified_name: symbol.qualified_name.clone(),
            kind: symbol.kind,
            path,
            line: symbol.line,
            end_line: symbol.end_line,
            signature: symbol.source.signature(facts.language, &text),
            visibility: symbol.visibility,
            doc: symbol.source.doc(&text),
            marks: summary.map(|summary| summary.marks).unwrap_or_default(),
            body: None,
            body_bytes_left_out: None,
        }))
    }

    /// Adds whole lines of the definition's own text, up to `bytes_max` bytes and 32 KiB, and
    /// returns how many bytes it added.
    pub fn add_body(&mut self, text: &[u8], bytes_max: usize) -> usize {
        let lines = (self.end_line + 1).saturating_sub(self.line);
        let all = text.split_inclusive(|&byte| byte == b'\n').skip(self.line.saturating_sub(1));
        let (mut body, mut left_out) = (Vec::new(), 0);
        for line in all.take(lines) {
            if left_out > 0 || body.len() + line.len() > bytes_max.min(BODY_BYTES_MAX) {
                left_out += line.len();
            } else {
                body.extend_from_slice(line);
            }
        }
        let added = body.len();
        self.body = Some(String::from_utf8_lossy(&body).into_owned());
        self.body_bytes_left_out = (left_out > 0).then_some(left_out);
        added
    }

    /// Returns kind, name and place on one line.
    pub fn place(&self) -> String {
        let Definition { kind, qualified_name, path, line, end_line, .. } = self;
        let kind = if *kind == SymbolKind::Impl { "" } else { kind.name() };
        let blank = if kind.is_empty() { "" } else { " " };
        let (name, path) = (text::plain(qualified_name), text::plain(path));
        format!("{kind}{blank}{name}  {path}:{line}-{end_line}")
    }

    /// Writes kind, name, place, signature and marks on a line, then the documentation's lines up
    /// to `doc_lines_max`, indented, then the text.
    pub fn write(&self, out: &mut String, doc_lines_max: usize) {
        let _ = write!(out, "{}  {}", self.place(), text::plain(&self.signature));
        for mark in self.marks.names() {
            let _ = write!(out, "  {mark}");
        }
        out.push('\n');
        for line in self.doc.iter().flat_map(|doc| doc.lines()).take(doc_lines_max) {
            let _ = writeln!(out, "  {}", text::plain(line));
        }
        let Some(body) = &self.body else { return };
        let width = self.end_line.to_string().len();
        for (at, line) in body.lines().enumerate() {
            let _ = writeln!(out, "{:>width$}  {line}", self.line + at);
        }
        if let Some(bytes) = self.body_bytes_left_out {
            let _ = writeln!(out, "… {bytes} bytes more");
        }
    }
}
