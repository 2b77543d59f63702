//! Data and configuration files: JSON, TOML, YAML. Keys of the first two levels are symbols.

use tree_sitter::Node;

use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

pub(in crate::lang) mod json;
pub(in crate::lang) mod toml;
pub(in crate::lang) mod yaml;

/// Maximum number of keys of one file. Package lists have many more, which are of little use.
const KEYS_MAX: usize = 1000;

/// Returns the key `name` without its quotes, or `None` if the file already has [`KEYS_MAX`] keys.
fn key<'t>(visit: &Visit<'_, 't>, kind: SymbolKind, name: Node<'t>) -> Option<Definition<'t>> {
    if visit.symbols.len() >= KEYS_MAX {
        return None;
    }
    let definition = Definition::new(visit, kind, name);
    let name = definition.name.as_str();
    let quote = name.chars().next().filter(|first| matches!(first, '"' | '\''));
    let name =
        quote.and_then(|quote| name.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(name);
    let name = if name.is_empty() { "\"\"".to_owned() } else { name.to_owned() };
    Some(Definition { name, ..definition })
}
