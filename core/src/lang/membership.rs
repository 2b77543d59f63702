//! The type that a symbol is a member of, derived from its qualified name. Member look-ups use it.

use super::symbols::{Symbol, SymbolKind};

/// Returns the name of the type or namespace that `symbols[index]` is a member of. For a member of
/// an implementation block this is the block's type; otherwise it is taken from the qualified name
/// (`Type.method`).
pub fn owner(symbols: &[Symbol], index: usize) -> Option<&str> {
    let symbol = symbols.get(index)?;
    let around = match symbol.parent.and_then(|parent| symbols.get(parent)) {
        Some(parent) if parent.kind == SymbolKind::Impl => parent.scope.as_str(),
        // The qualified names of C enumerators do not contain the enumeration.
        Some(parent) if parent.kind == SymbolKind::Enum => parent.name.as_str(),
        _ => symbol.qualified_name.strip_suffix(symbol.name.as_str())?,
    };
    let name = last_name(around.trim_end_matches(['.', ':', '#']));
    (!name.is_empty()).then_some(name)
}

/// Returns the name of the type that the implementation block `symbols[index]` belongs to.
pub fn block_type(symbols: &[Symbol], index: usize) -> Option<&str> {
    let symbol = symbols.get(index).filter(|symbol| symbol.kind == SymbolKind::Impl)?;
    Some(last_name(&symbol.scope))
}

/// Returns the part after the last separator of a qualified name or receiver chain, without generic
/// arguments.
pub fn last_name(qualified: &str) -> &str {
    let end = qualified.find(['<', '[', '(', '|']).unwrap_or(qualified.len());
    let name = &qualified[..end];
    name.rsplit(['.', ':', '#', '@', '\\', '/']).next().unwrap_or(name)
}
