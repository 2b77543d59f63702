//! codedb: an in-memory indexed code search engine, local, in one binary.
//!
//! Read ARCHITECTURE.md for the modules and the invariants. The modules of the lower layers are those of
//! the package `codedb-core`, in `core/`.

pub mod answer;
pub mod check;
pub mod cli;
pub mod context;
pub mod decisions;
pub mod engine;
pub mod eval;
#[cfg(feature = "fleet")]
pub mod fleet;
pub mod mcp;
pub mod model;
pub mod rank;
pub mod register;
pub mod testmap;
pub mod tools;
#[cfg(feature = "ui")]
pub mod ui;

pub use codedb_core::{
    Error, Kind, Result, base, catalog, drift, error, graph, history, index, lang, parsers, query,
    reports, risk, source, userdata,
};
