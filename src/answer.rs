//! What replies are made of, whichever tool or composer makes them: definitions, quoted lines, the tests
//! of a definition, and the names nearest to one that does not exist.
//!
//! All of it comes from a [`crate::catalog::Catalog`]; nothing here knows of arguments or of edges.

pub mod definition;
pub mod nearest;
pub mod style;
pub mod tests_of;
pub mod texts;
