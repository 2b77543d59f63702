//! How a list of MCP tools changed: by class, with its cost for the prompt caches of models and
//! with what became different for a reader of the list.
//!
//! Everything here is a function of values. [`list`] parses tool lists, [`canonical`] writes
//! definitions in the form in which they are compared, [`classify`] compares two lists, and
//! [`policy`] decides whether a change passes. docs/drift.md describes the classes.

pub mod canonical;
mod classify;
pub mod layout;
pub mod list;
mod order;
pub mod policy;

pub use classify::{
    Class, Duplicate, Edited, FirstDifference, Meaning, Moved, Placed, Report, classify,
};

#[cfg(test)]
mod tests;
