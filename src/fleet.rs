//! An organisation's repositories, indexed and served by nodes that run zoekt.
//!
//! A fleet is asked only when a call names it. [`config`] says which nodes there are; read it first.
//! [`placement`] says which of them own a repository.

pub mod config;
pub mod placement;
