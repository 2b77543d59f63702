//! Which type a symbol belongs to, by its name: what look-ups of members go by.

use super::symbols::{Symbol, SymbolKind};

/// Returns the name of the type or namespace that the symbol at `place` is a member of: its
/// parent's, of an implementation block the type's, otherwise the one in its qualified name
/// (`Type.method`).
pub fn owner(symbols: &[Symbol], place: usize) -> Option<&str> {
    let symbol = symbols.get(place)?;
    let around = match symbol.parent.and_then(|parent| symbols.get(parent)) {
        Some(parent) if parent.kind == SymbolKind::Impl => parent.scope.as_str(),
        // C's enumerators have no scope of their own.
        Some(parent) if parent.kind == SymbolKind::Enum => parent.name.as_str(),
        _ => symbol.qualified_name.strip_suffix(symbol.name.as_str())?,
    };
    let name = last_name(around.trim_end_matches(['.', ':', '#']));
    (!name.is_empty()).then_some(name)
}

/// Returns the name of the type that an implementation block is of.
pub fn block_type(symbols: &[Symbol], place: usize) -> Option<&str> {
    let symbol = symbols.get(place).filter(|symbol| symbol.kind == SymbolKind::Impl)?;
    Some(last_name(&symbol.scope))
}

/// Returns what stands behind the last separator of a qualified name or chain, generic arguments
/// left out.
pub fn last_name(qualified: &str) -> &str {
    let end = qualified.find(['<', '[', '(', '|']).unwrap_or(qualified.len());
    let name = &qualified[..end];
    name.rsplit(['.', ':', '#', '@', '\\', '/']).next().unwrap_or(name)
}
