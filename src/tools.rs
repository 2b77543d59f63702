//! Tools: questions with typed arguments and typed answers, which every edge renders as it needs.
//!
//! A tool prints nothing and reads nothing but what it is handed.

pub mod outline;
