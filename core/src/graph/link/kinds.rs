//! Groups of kinds of symbols that the linker treats alike.

use crate::lang::symbols::{Symbol, SymbolKind};

/// Returns true for kinds with members and instances.
pub(super) fn is_type(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type, Union};
    matches!(kind, Class | Struct | Union | Enum | Interface | Trait | Type)
}

/// Returns true for kinds of members of a type.
pub(super) fn is_member(kind: SymbolKind) -> bool {
    use SymbolKind::{Constructor, Field, Method, Property};
    matches!(kind, Constructor | Field | Method | Property)
}

/// Returns true for types whose methods others implement.
pub(super) fn is_interface(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Interface | SymbolKind::Trait)
}

/// Returns true for kinds that have a value.
pub(super) fn is_variable(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    matches!(kind, Constant | Field | Property | Variable)
}

/// Returns true for symbols that a file exports under their own name: not for implementation
/// blocks.
pub(super) fn is_named(symbol: &Symbol) -> bool {
    symbol.kind != SymbolKind::Impl
}
