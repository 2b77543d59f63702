//! An organisation's repositories, indexed and served by nodes that run zoekt.
//!
//! A fleet is asked only when a call names it. [`config`] says which nodes there are; read it first.

pub mod config;
pub mod messages;
pub mod nodes;
pub mod query;
pub mod view;
