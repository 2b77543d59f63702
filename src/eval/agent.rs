//! Measures what a model that calls tools needs to answer questions with keys, once with the tools
//! of codedb and once with a baseline.
//!
//! [`tasks`] reads the questions, [`grade`] compares an answer with its key, [`run`] holds one
//! conversation within limits, [`summary`] adds results up and compares the two arms. The tools come from the
//! caller, as [`run::Toolbox`]: this module knows neither MCP nor the command line.

pub mod grade;
pub mod run;
pub mod summary;
pub mod tasks;
