//! Connections between files and symbols: imports resolved to files, the centrality of files that
//! follows from them, and calls.
//!
//! Everything here is a function of values: paths, facts and manifests in; edges, ranks and links
//! out.

pub mod calls;
pub mod imports;
pub mod link;
pub mod program;
pub mod rank;
pub mod trace;
mod weights;
