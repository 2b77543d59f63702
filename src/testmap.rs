//! The test graph: which tests execute a definition, derived from the code alone.
//!
//! [`detect`] finds the tests and fixtures of one file; [`fixtures`] determines which fixtures are
//! in effect for a test; [`reach`] follows calls backwards from a definition to tests; [`features`]
//! adds names, imports and common commits (`links`); [`score`] turns both into a calibrated
//! probability and a source; [`select`] combines these and ranks; [`files`] returns test files
//! instead of tests. [`effort`] bounds the search. [`commands`] returns the command that runs a
//! selection. [`failing`] raises tests that failed often. [`recorded`] reads which tests executed a definition according to imported coverage.
//!
//! [`collected`] is what pytest's configuration adds. [`inherited`] lists tests of base classes. [`unseen`] finds what tests execute without a call in the
//! text: in `programs` that they run, in hooks, in examples.
//!
//! No test is run and nothing is stored; [`kept`] is what stays in memory for a state of the tree.

pub mod candidate;
pub mod collected;
pub mod commands;
pub mod deliver;
pub mod detect;
pub mod effort;
mod examples;
pub mod failing;
pub mod features;
pub mod files;
pub mod fixtures;
pub mod inherited;
pub mod kept;
mod links;
mod mirror;
pub mod outside;
mod programs;
mod protocols;
pub mod reach;
pub mod recorded;
pub mod runner;
pub mod score;
pub mod select;
pub mod stored;
pub mod tree;
pub mod unseen;
