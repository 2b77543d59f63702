//! The lower layers of codedb: reading and watching trees, parsing, the indexes, the linker, history and
//! stored user data. The package `codedb` re-exports its modules and builds the tools on them.
//!
//! It is a package of its own so that a change of a tool does not compile it again. It has no stable
//! interface: use the program, or the package `codedb`.

pub mod base;
pub mod catalog;
pub mod drift;
pub mod error;
pub mod graph;
pub mod history;
pub mod index;
pub mod lang;
pub mod parsers;
pub mod query;
pub mod reports;
pub mod risk;
pub mod source;
pub mod userdata;

pub use error::{Error, Kind, Result};
