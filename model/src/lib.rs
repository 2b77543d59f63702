//! A prototype of the code model: the typed facts of files ([`ir`]), the rules of languages as data
//! ([`rules`], [`languages`]), and what answers questions about uses from these alone
//! ([`resolve`]). [`program`] reads the programs that prove it. Nothing of the product uses it.

pub mod ir;
pub mod languages;
#[cfg(feature = "lower")]
pub mod lower;
pub mod program;
pub mod resolve;
pub mod rules;
pub mod store;
