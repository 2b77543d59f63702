//! The keys under which symbols are looked up beside their names.
//!
//! All stand in one dictionary. Names come as they are; the other keys begin with a control
//! character, which no name does.

use crate::lang::Symbol;
use crate::lang::membership::{block_type, last_name, owner};

/// Keys below this one are no names.
pub const NAMES_FROM: &[u8] = b"\x08";

/// Returns the key of the members called `name` of types called `owner`.
pub fn member(owner: &str, name: &str) -> Vec<u8> {
    [b"\x01", owner.as_bytes(), b"\x02", name.as_bytes()].concat()
}

/// Returns the key of the implementation blocks of types called `name`.
pub fn block(name: &str) -> Vec<u8> {
    [b"\x03", name.as_bytes()].concat()
}

/// Returns the key of the types and blocks with a base called `name`.
pub fn derived(name: &str) -> Vec<u8> {
    [b"\x04", name.as_bytes()].concat()
}

/// Calls `see` with every key of the symbols of a file, and the place of the symbol.
pub fn each(symbols: &[Symbol], mut see: impl FnMut(&[u8], u32)) {
    for (at, symbol) in symbols.iter().enumerate() {
        let place = at as u32;
        if symbol.name.as_bytes() >= NAMES_FROM {
            see(symbol.name.as_bytes(), place);
        }
        if let Some(owner) = owner(symbols, at) {
            see(&member(owner, &symbol.name), place);
        }
        if let Some(name) = block_type(symbols, at) {
            see(&block(name), place);
        }
        for base in &symbol.bases {
            see(&derived(last_name(base)), place);
        }
    }
}
