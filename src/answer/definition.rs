//! A definition in a reply: data from the catalog, and text from its file.

use std::fmt::Write as _;

use serde::Serialize;

use super::page::Cell;
use super::style::Style;
use super::texts::Texts;
use crate::base::{path, text};
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::calls;
use crate::graph::link::{Site, SymbolAt};
use crate::lang::{Marks, Symbol, SymbolKind, Visibility};

/// The maximum size of the text of a definition.
const BODY_BYTES_MAX: usize = 32 << 10;

/// The maximum size of the documentation of a definition.
const DOC_BYTES_MAX: usize = 4 << 10;

/// The maximum size of the signature of a definition.
const SIGNATURE_BYTES_MAX: usize = 500;

/// A definition.
#[derive(Clone, Debug, Serialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its name with those of the enclosing scopes.
    pub qualified_name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// Line and column of its name, both from 1; the column is in bytes.
    #[serde(skip)]
    pub name_at: (usize, usize),
    /// The definition up to its body, on one line; a long one is cut and ends with `…`.
    pub signature: String,
    /// Its id: path, qualified name and ordinal.
    pub id: String,
    /// Its visibility.
    pub visibility: Visibility,
    /// The comment or docstring that documents it; a long one is cut and ends with `…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// The extractor of the user's own that it comes from, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<String>,
    /// The marks of its file, such as `generated` or `test`.
    #[serde(flatten)]
    pub marks: Marks,
    /// Its source text, cut if it is long, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The number of bytes of the text that are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_bytes_left_out: Option<usize>,
}

/// The definition that encloses a location.
#[derive(Clone, Debug, Serialize)]
pub struct Around {
    /// Its qualified name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
}

impl Around {
    /// Returns the definition of a symbol, if it exists.
    pub fn of(catalog: &Catalog, at: SymbolAt) -> Option<Around> {
        let symbol = catalog.symbol(at).inspect_err(|error| catalog.note_damage(error)).ok()??;
        Some(Around {
            name: symbol.qualified_name.clone(),
            kind: symbol.kind,
            line: symbol.line,
            end_line: symbol.end_line,
        })
    }

    /// Returns the definition that encloses a use, if any.
    pub fn of_site(catalog: &Catalog, site: &Site) -> Option<Around> {
        Around::of(catalog, calls::calling_symbol(catalog, site)?)
    }
}

/// Returns the id of a symbol of the file at `path`.
pub fn id(path: &str, symbol: &Symbol) -> String {
    let ordinal = symbol.id.rsplit_once('#').map_or("0", |(_, ordinal)| ordinal);
    format!("{path}#{}#{ordinal}", symbol.qualified_name)
}

impl Definition {
    /// Returns the definition of a symbol, if it exists. O(text) of its file the first time, then
    /// O(position).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub fn of(
        catalog: &Catalog,
        texts: &mut Texts<'_>,
        at: SymbolAt,
    ) -> Result<Option<Definition>> {
        let Some(symbol) = catalog.symbol(at)? else { return Ok(None) };
        let Some(summary) = catalog.summary(at.file)? else { return Ok(None) };
        let Some(language) = summary.language else { return Ok(None) };
        let path = path::shown(catalog.path(at.file));
        let text = texts.of(at.file);
        Ok(Some(Definition {
            id: id(&path, &symbol),
            name: symbol.name.clone(),
            qualified_name: symbol.qualified_name.clone(),
            kind: symbol.kind,
            path,
            line: symbol.line,
            end_line: symbol.end_line,
            name_at: symbol.name_at(&text),
            signature: cut(symbol.source.signature(language, &text), SIGNATURE_BYTES_MAX),
            visibility: symbol.visibility,
            doc: symbol.source.doc(&text).map(|doc| cut(doc, DOC_BYTES_MAX)),
            marks: summary.marks,
            extractor: catalog.extractor_of(at.file).map(str::to_owned),
            body: None,
            body_bytes_left_out: None,
        }))
    }

    /// Returns the definition without its documentation, for lists of references.
    #[must_use]
    pub fn without_doc(self) -> Definition {
        Definition { doc: None, ..self }
    }

    /// Adds whole lines of the source text, up to `bytes_max` bytes and 32 KiB, and returns their
    /// size.
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

    /// Returns kind, name and location on one line.
    pub fn place(&self, style: &dyn Style) -> String {
        let Definition { path, line, end_line, .. } = self;
        format!("{}  {}", self.kind_and_name(style), style.range(path, *line, *end_line))
    }

    /// Returns location, kind and name on one line.
    pub fn head(&self, style: &dyn Style) -> String {
        format!("{}  {}", style.place(&self.path, self.line), self.kind_and_name(style))
    }

    /// Returns kind and name; the name of an implementation begins with its kind.
    fn kind_and_name(&self, style: &dyn Style) -> String {
        let name = style.name(&self.qualified_name);
        match self.kind {
            SymbolKind::Impl => name,
            kind => format!("{} {name}", kind.name()),
        }
    }

    /// Returns kind, name, place and marks for a row of a page.
    pub fn cells(&self) -> [Cell; 4] {
        let kind = match self.kind {
            SymbolKind::Impl => Cell::Empty,
            kind => Cell::faint(kind.name()),
        };
        let marks = Cell::words(self.marks.names());
        let place = Cell::Place(self.path.clone(), self.line);
        [kind, Cell::name(&self.qualified_name), place, marks]
    }

    /// Writes kind, name, location, signature and marks on a line, then up to `doc_lines_max` lines
    /// of documentation, indented, then the text.
    pub fn write(&self, out: &mut String, doc_lines_max: usize, style: &dyn Style) {
        let _ = write!(out, "{}  {}", self.place(style), text::plain(&self.signature));
        for mark in self.marks.names() {
            let _ = write!(out, "  {mark}");
        }
        if let Some(extractor) = &self.extractor {
            let _ = write!(out, "  by extractor {extractor}");
        }
        out.push('\n');
        for line in self.doc.iter().flat_map(|doc| doc.lines()).take(doc_lines_max) {
            let _ = writeln!(out, "  {}", text::plain(line));
        }
        let Some(body) = &self.body else { return };
        let width = self.end_line.to_string().len();
        for (at, line) in body.lines().enumerate() {
            let _ = writeln!(out, "{}  {line}", style.line(&self.path, self.line + at, width));
        }
        if let Some(bytes) = self.body_bytes_left_out {
            let _ = writeln!(out, "… {bytes} more bytes");
        }
    }
}

/// Cuts a text to `bytes_max` bytes, followed by `…` if it was longer.
fn cut(text: String, bytes_max: usize) -> String {
    match text::start(&text, bytes_max) {
        start if start.len() < text.len() => format!("{start}…"),
        _ => text,
    }
}
