//! What is particular to each language: one file per family of grammars.

pub(super) mod c;
pub(super) mod go;
pub(super) mod java;
pub(super) mod javascript;
pub(super) mod python;
pub(super) mod ruby;
pub(super) mod rust;
