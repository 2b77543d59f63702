//! Programming languages: which one a file is in, how it is parsed, which symbols it defines.
//!
//! Nothing here reads files or knows an index: text in, symbols out. [`language`] is the table,
//! [`parse`] bounds the work, [`symbols`] turns a syntax tree into definitions; what is particular to
//! a language stands in its file under `grammars/`. [`words`], [`prose`] and [`comments`] read texts of
//! any language.

mod chain;
pub mod comments;
pub mod facts;
mod grammars;
pub mod language;
pub mod marks;
pub mod membership;
mod notes;
pub mod parse;
pub mod prose;
pub mod symbols;
mod visit;
pub mod words;

pub(crate) use chain::split;
pub use facts::Facts;
pub(crate) use grammars::rust_type;
pub use language::{Language, detect};
pub use marks::{Marks, marks};
pub use parse::{Limits, Problem, Problems};
pub use symbols::{Outline, Symbol, SymbolKind, Visibility, facts, outline};

#[cfg(test)]
mod tests;
