//! What is particular to each language: one file per family of grammars.

pub(super) mod c;
pub(super) mod csharp;
pub(super) mod dart;
pub(super) mod go;
pub(super) mod java;
pub(super) mod javascript;
pub(super) mod kotlin;
pub(super) mod lua;
mod modifiers;
pub(super) mod objc;
pub(super) mod php;
pub(super) mod python;
pub(super) mod ruby;
pub(super) mod rust;
pub(super) mod scala;
pub(super) mod swift;
pub(super) mod zig;
