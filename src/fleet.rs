//! An organisation's repositories, indexed and served by nodes that run zoekt.
//!
//! A fleet is asked only when a call names it. [`config`] says which nodes there are; read it first.
//! [`view`] shows the files that a call is about as a tree: [`query`] is what nodes are asked, [`nodes`] what they
//! answer, and [`cluster`] asks them with the [`client`].
//! [`placement`] says which of them own a repository, [`repository`] how repositories are named, [`plan`]
//! what is to be indexed and dropped. [`indexing`] does it, with programs that [`machine`] runs on the nodes.
//! [`simulate`] computes what happens in large fleets, from the figures of [`measured`].

pub mod client;
pub mod cluster;
pub mod config;
pub mod indexing;
pub mod machine;
pub mod measured;
pub mod messages;
pub mod nodes;
pub mod placement;
pub mod plan;
pub mod query;
pub mod repository;
mod request;
pub mod simulate;
pub mod status;
pub mod view;
