//! Which node a use of a name belongs to.

use crate::base::ids::FileId;
use crate::graph::link::{Code, FileFacts, Site, SymbolAt};
use crate::lang::symbols::SymbolKind;

/// The place of the node for the code of a file that is in no definition.
pub const FILE: u32 = u32::MAX;

/// Returns the node that code inside of the symbol `enclosing` belongs to: the innermost function
/// around it, else the innermost definition, else the file.
pub(super) fn holder(file: FileId, facts: &FileFacts, enclosing: Option<usize>) -> SymbolAt {
    let mut innermost = None;
    for at in facts.ancestors(enclosing) {
        innermost.get_or_insert(at);
        if is_code(facts.symbols[at].kind) {
            return SymbolAt { file, place: at as u32 };
        }
    }
    SymbolAt { file, place: innermost.map_or(FILE, |at| at as u32) }
}

/// Returns the node that a use belongs to; `None` for a file without facts. O(depth of nesting).
pub fn holder_of(code: &dyn Code, site: &Site) -> Option<SymbolAt> {
    let facts = code.file(site.file)?;
    Some(holder(site.file, &facts, site.reference.enclosing))
}

/// Returns true for definitions that run when they are called.
pub(super) fn is_code(kind: SymbolKind) -> bool {
    kind.is_callable() || matches!(kind, SymbolKind::Property | SymbolKind::Macro)
}

/// Returns true for definitions with members and instances.
pub(super) fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Impl, Interface, Struct, Trait, Type, Union};
    matches!(kind, Class | Struct | Union | Enum | Interface | Trait | Type | Impl)
}

/// Returns true for definitions that hold a value.
pub(super) fn is_variable(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Key, Property, Variable};
    matches!(kind, Constant | Field | Property | Variable | Key)
}

/// Returns the type that a constructor belongs to, or the type itself.
pub(super) fn created_type(facts: &FileFacts, place: usize) -> Option<usize> {
    let symbol = facts.symbols.get(place)?;
    if is_type(symbol.kind) {
        return Some(place);
    }
    let parent = symbol.parent.filter(|_| facts.is_constructor(place))?;
    is_type(facts.symbols[parent].kind).then_some(parent)
}
