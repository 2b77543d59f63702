//! The keys under which symbols are looked up.
//!
//! One dictionary holds all keys. The key of a name is the name itself; the other keys begin with a
//! control character, which no name does.

use crate::lang::Symbol;
use crate::lang::membership::{block_type, owner};

/// The lowest key that is a name.
pub const NAMES_FROM: &[u8] = b"\x08";

/// Returns the key of the members called `name` of types called `owner`.
pub fn member(owner: &str, name: &str) -> Vec<u8> {
    [b"\x01", owner.as_bytes(), b"\x02", name.as_bytes()].concat()
}

/// Returns the key of the implementation blocks of types called `name`.
pub fn block(name: &str) -> Vec<u8> {
    [b"\x03", name.as_bytes()].concat()
}

/// Returns the key of the types and blocks that have a base called `name`.
pub fn derived(name: &str) -> Vec<u8> {
    [b"\x04", name.as_bytes()].concat()
}

/// Calls `visit` with every key of `symbols` and the index of its symbol.
pub fn each(symbols: &[Symbol], mut visit: impl FnMut(&[u8], u32)) {
    for (at, symbol) in symbols.iter().enumerate() {
        let place = at as u32;
        if symbol.name.as_bytes() >= NAMES_FROM {
            visit(symbol.name.as_bytes(), place);
        }
        if let Some(owner) = owner(symbols, at) {
            visit(&member(owner, &symbol.name), place);
        }
        if let Some(name) = block_type(symbols, at) {
            visit(&block(name), place);
        }
        for base in &symbol.bases {
            visit(&derived(base.last_name()), place);
        }
    }
}
