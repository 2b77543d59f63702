//! Building blocks of replies: the frame of analysis replies, definitions and their order, quoted lines, the tests of a definition, and
//! suggestions for unknown names.
//!
//! All of them are computed from a [`crate::catalog::Catalog`]; nothing here depends on tools or
//! their callers.

pub mod ago;
pub mod analysis;
pub mod definition;
pub mod graph;
pub mod nearest;
pub mod page;
pub mod precedence;
pub mod style;
pub mod texts;
