//! SQL.
//!
//! Dialects differ more than one grammar can cover. A definition is therefore derived from the
//! words after `CREATE`, wherever the grammar finds that keyword; the tree only provides the end of
//! the statement.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::facts::{Chain, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

mod dialect;
mod statements;

/// SQL of all dialects.
pub(crate) static SQL: Language = Language {
    name: "sql",
    extensions: &["sql", "ddl", "psql", "pgsql", "mysql", "plsql"],
    filenames: &[],
    shebangs: &[],
    separator: ".",
    line_comments: &["--"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions::NONE,
    grammar: grammar!("tree-sitter-sequel", tree_sitter_sequel::LANGUAGE),
    refine: None,
    mask: Some(dialect::mask),
    embedded: None,
    comments: &["comment", "marginalia"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &[],
};

/// Words between the kind of a created object and its name.
const FILLERS: &[&str] = &["if", "not", "exists", "concurrently", "only", "body"];

/// Keywords that begin a query.
const QUERIES: &[&[u8]] = &[b"select", b"with", b"values", b"table"];

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "keyword_create" if visit.ancestor_kind(1) == "ERROR" => {
            visit.ancestor(1).and_then(|around| created(visit, node, around))
        }
        kind if kind.starts_with("create_") => {
            let word = node.child(0).filter(|word| word.kind_name() == "keyword_create");
            word.and_then(|word| created(visit, word, node))
        }
        "column_definition" if visit.enclosing_kind() == Some(SymbolKind::Table) => {
            Definition::named(visit, SymbolKind::Field).map(unquoted)
        }
        _ => None,
    };
    found.extend(definition);
}

fn unquoted(definition: Definition<'_>) -> Definition<'_> {
    let name = definition.name.trim_matches(['"', '`', '[', ']']).to_owned();
    Definition { name, ..definition }
}

/// Returns the definition of the `CREATE` statement `statement`.
fn created<'t>(
    visit: &Visit<'_, 't>,
    create: Node<'t>,
    statement: Node<'t>,
) -> Option<Definition<'t>> {
    let (kind, name) = head(visit.text, create.end_byte(), statement.end_byte())?;
    Some(named(visit, kind, create, name))
}

/// Returns the kind and the span of the name of the created object. `at` is the offset after
/// `CREATE`.
fn head(text: &[u8], mut at: usize, end: usize) -> Option<(SymbolKind, Range<usize>)> {
    let rest = &text[..end];
    let mut kind = None;
    for _ in 0..12 {
        let (start, end) = word(rest, at)?;
        let text = String::from_utf8_lossy(&rest[start..end]);
        let lower = text.to_ascii_lowercase();
        at = end;
        if kind.is_none() {
            // `DEFINER=…`, `ALGORITHM=…` and other options of dialects are skipped.
            kind = kind_of(&lower);
            continue;
        }
        if FILLERS.contains(&lower.as_str()) {
            continue;
        }
        // The name of an index is optional.
        if lower == "on" || lower == "as" {
            return None;
        }
        return Some((kind?, start..end));
    }
    None
}

fn named<'t>(
    visit: &Visit<'_, 't>,
    kind: SymbolKind,
    create: Node<'t>,
    span: Range<usize>,
) -> Definition<'t> {
    let text = String::from_utf8_lossy(&visit.text[span.clone()]).into_owned();
    let node = visit.node();
    let mut definition = Definition::new(visit, kind, create);
    // If the grammar cannot parse a `CREATE` statement, the visited node is only the keyword, and its
    // parent spans the statement.
    definition.outer = usize::from(matches!(visit.ancestor_kind(1), "statement" | "ERROR"));
    definition.signature_start = Some(create.start_byte());
    let mut cursor = node.walk();
    let bodies = ["function_body", "column_definitions", "create_query"];
    // A `create_query` that does not begin like a query is a construct that the grammar misparses.
    let is_body = |child: &Node<'_>| {
        let first =
            word(visit.text, child.start_byte()).map_or(&b""[..], |(at, end)| &visit.text[at..end]);
        let is_query = QUERIES.iter().any(|known| first.eq_ignore_ascii_case(known));
        bodies.contains(&child.kind_name()) && (child.kind_name() != "create_query" || is_query)
    };
    definition.body = node.named_children(&mut cursor).find(is_body);
    let plain = |part: &str| part.trim_matches(['"', '`', '[', ']']).to_owned();
    definition.name_span = span;
    match text.rsplit_once('.') {
        Some((schema, name)) => {
            definition.prefix = Some(schema.split('.').map(plain).collect::<Vec<_>>().join("."));
            definition.name = plain(name);
        }
        None => definition.name = plain(&text),
    }
    definition
}

/// Returns the span of the next word or name from `at` on: letters, digits, dots, quoted parts.
fn word(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let blanks = text.get(at..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let start = at + blanks;
    let mut end = start;
    while let Some(&byte) = text.get(end) {
        let close = match byte {
            b'"' | b'`' => byte,
            b'[' => b']',
            _ if byte.is_ascii_alphanumeric() || b"_.$#@=".contains(&byte) || byte >= 0x80 => {
                end += 1;
                continue;
            }
            _ => break,
        };
        let len = text[end + 1..].iter().take(128).position(|&byte| byte == close)?;
        end += len + 2;
    }
    (end > start).then_some((start, end))
}

fn kind_of(word: &str) -> Option<SymbolKind> {
    Some(match word {
        "table" | "view" => SymbolKind::Table,
        "function" | "procedure" | "proc" | "trigger" => SymbolKind::Function,
        "type" | "domain" => SymbolKind::Type,
        "index" => SymbolKind::Key,
        "sequence" => SymbolKind::Variable,
        "schema" | "database" | "package" => SymbolKind::Module,
        _ => return None,
    })
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if node.kind_name() != "object_reference" {
        return;
    }
    let Some(name) = node.field("name") else { return };
    let receiver = visit.field(node, "schema").map(Chain::name);
    match visit.ancestor_kind(1) {
        "invocation" => notes.refer(visit, name, Role::Call, receiver),
        "relation" | "from" | "column_definition" | "constraint" => {
            notes.refer(visit, name, Role::Read, receiver);
        }
        "insert" | "update" => notes.refer(visit, name, Role::Write, receiver),
        _ => {}
    }
}
