//! codedb: an in-memory indexed code search engine, local, in one binary.
//!
//! Read ARCHITECTURE.md for the modules and the invariants; the modules below are in reading order.

pub mod answer;
pub mod base;
pub mod catalog;
pub mod check;
pub mod cli;
pub mod context;
pub mod decisions;
pub mod drift;
pub mod engine;
pub mod error;
pub mod eval;
pub mod graph;
pub mod history;
pub mod index;
pub mod lang;
pub mod mcp;
pub mod model;
pub mod parsers;
pub mod query;
pub mod rank;
pub mod register;
pub mod reports;
pub mod risk;
pub mod source;
pub mod testmap;
pub mod tools;
pub mod userdata;

pub use error::{Error, Kind, Result};
