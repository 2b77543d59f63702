//! What connects files and symbols: imports resolved to files, how central that makes them,
//! and who calls whom.
//!
//! Functions of values: paths, facts and manifests in, edges, ranks and links out.

pub mod calls;
pub mod imports;
pub mod link;
pub mod program;
pub mod rank;
