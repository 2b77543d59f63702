//! Programming languages: detection, parsing, and extraction of symbols and references.
//!
//! The functions here take text and return values; they do not read files and do not depend on an
//! index. [`language`] is the table of languages, [`parse`] bounds the work, and [`symbols`] turns
//! a syntax tree into definitions. The rules of each language are in its file under `grammars/`.
//! [`words`], [`prose`] and [`comments`] work on texts of any language, [`tokens`] divides code for colours.

pub mod chain;
mod code_text;
pub mod comments;
mod embedded;
pub mod facts;
mod grammars;
pub mod language;
pub mod marks;
pub mod membership;
mod nesting;
mod node;
mod notes;
pub mod parse;
pub mod prose;
pub mod symbols;
pub mod syntax_errors;
pub mod tokens;
mod visit;
pub mod words;

pub(crate) use code_text::split;
pub use facts::Facts;
pub(crate) use grammars::rust_type;
pub use language::{Language, detect};
pub use marks::{Marks, marks};
pub use parse::{Limits, Problem, Problems};
pub use symbols::{Outline, Symbol, SymbolKind, Visibility, definitions, facts, outline};
pub use syntax_errors::SyntaxErrors;

#[cfg(test)]
mod tests;
