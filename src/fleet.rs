//! An organisation's repositories, indexed and served by nodes that run zoekt.
//!
//! A fleet is asked only when a call names it. [`config`] says which nodes there are; read it first.

pub mod client;
pub mod config;
pub mod messages;
pub mod status;
