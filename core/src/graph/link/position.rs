//! Positions of definitions and of uses.

use crate::base::ids::FileId;
use crate::lang::facts::Role;

/// A definition: its file and its position among the file's symbols.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct SymbolAt {
    /// The file that contains it.
    pub file: FileId,
    /// Its position in the symbols of the file's facts.
    pub place: u32,
}

/// Identifies a use of a name.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct UseAt {
    /// The file that contains it.
    pub file: FileId,
    /// The byte at which it begins.
    pub start: usize,
    /// The byte at which it ends.
    pub end: usize,
    /// How the name is used.
    pub role: Role,
}
