//! A prototype of the code model: the typed facts of files ([`ir`]), and programs in their text
//! form with the links that each use must have ([`program`]). Nothing of the product uses it.

pub mod ir;
pub mod program;
