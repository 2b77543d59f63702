//! How a list of MCP tools changed: by class, with its cost for the prompt caches of models and
//! with what became different for a reader of the list.
//!
//! Everything here is a function of values. [`list`] parses tool lists, [`canonical`] writes
//! definitions in the form in which they are compared, [`classify`] compares two lists, and
//! [`policy`] decides whether a change passes. [`words`] shows what changed in a definition,
//! [`pin`] is the file of accepted definitions, [`review`] combines all of it, and
//! [`suspicious`] finds text that a person should read before a model does.

pub mod canonical;
mod classify;
pub mod layout;
pub mod list;
mod order;
pub mod pin;
mod pointer;
pub mod policy;
pub mod review;
pub mod suspicious;
pub mod words;

pub use classify::{
    Class, Duplicate, Edited, FirstDifference, Meaning, Moved, Placed, Report, classify,
};

#[cfg(test)]
mod tests;
