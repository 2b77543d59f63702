//! What connects files and symbols: imports resolved to files, and how central that makes them.
//!
//! Functions of values: paths, facts and manifests in, edges and ranks out.

pub mod imports;
pub mod rank;
