//! JSON, including comments and trailing commas as in editor settings.

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// JSON.
pub(crate) static JSON: Language = Language {
    name: "json",
    extensions: &["json", "jsonc", "webmanifest", "geojson"],
    filenames: &["composer.lock", "flake.lock", "Pipfile.lock", "deno.lock", ".babelrc"],
    shebangs: &[],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions::NONE,
    grammar: grammar!("tree-sitter-json", tree_sitter_json::LANGUAGE),
    refine: None,
    mask: Some(mask),
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: None,
    scopes: &[],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let is_key = node.kind_name() == "pair"
        && match visit.ancestor_kind(2) {
            "document" => true,
            _ => visit.ancestor_kind(4) == "document",
        };
    if !is_key {
        return;
    }
    if let Some(name) = node.field("key") {
        found.extend(super::key(visit, SymbolKind::Key, name));
    }
}

/// Blanks out the contents of lists, objects below the second level, and trailing commas. This
/// makes parsing of lock files several times faster.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    // The open brackets.
    let mut open: Vec<u8> = Vec::new();
    // The number of open brackets at the outermost one whose contents are blanked out.
    let mut hidden = None;
    let mut comma = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let len = match byte {
            b'"' => string_len(&text[at..]),
            b'/' => comment_len(&text[at..]),
            _ => 1,
        };
        let end = (at + len).min(text.len());
        if matches!(byte, b'}' | b']') {
            open.pop();
            hidden = hidden.filter(|&depth| depth <= open.len());
            if let Some(comma) = comma.take().filter(|_| hidden.is_none()) {
                masked[comma] = b' ';
            }
        }
        if hidden.is_some() {
            super::super::blank::blank(&mut masked[at..end]);
        } else if byte == b',' {
            comma = Some(at);
        } else if !byte.is_ascii_whitespace() && (byte != b'/' || len == 1) {
            comma = None;
        }
        if matches!(byte, b'{' | b'[') {
            open.push(byte);
            if hidden.is_none() && (byte == b'[' || open.len() > 2) {
                hidden = Some(open.len());
            }
        }
        at = end;
    }
    masked
}

/// Returns the length of the string at the start of `text`. An unterminated string ends with its
/// line.
fn string_len(text: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match text.get(at) {
            None | Some(b'\n') => return at,
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

/// Returns the length of the comment at the start of `text`, or 1 if there is none.
fn comment_len(text: &[u8]) -> usize {
    let end = |part: &[u8]| bstr::ByteSlice::find(text, part);
    match text.get(1) {
        Some(b'/') => end(b"\n").unwrap_or(text.len()),
        Some(b'*') => end(b"*/").map_or(text.len(), |at| at + 2),
        _ => 1,
    }
}
