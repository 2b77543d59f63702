//! Which code runs from a start to an end, or from a start on: chains of calls that also follow what a
//! name does not show: methods that implement the called one, functions that are passed, stored in
//! tables and called there, and calls that are unresolved.
//!
//! A node is a definition that has code of its own: a function, or a variable, field or type whose
//! initializers run. `edges` defines the steps and their costs; `holders` which definition a
//! use of a name belongs to; `forward` and `backward` find the steps from and to a node, of which
//! `values` finds those that are no calls; `places` finds the nodes of a text; `search` finds the chains between two ends, and
//! `spread` what runs from a start on; `callbacks` leaves out what other callers pass. `arguments`
//! and `closures` read the text. Nothing is stored: every step is resolved by the linker.

mod arguments;
mod backward;
mod bytes;
mod callbacks;
mod closures;
mod edges;
mod forward;
mod holders;
mod known;
mod places;
mod search;
mod spread;
#[cfg(test)]
mod tests;
mod values;

pub use edges::{Edge, Kind, Open};
pub use holders::{FILE, holder_of};
pub use places::{AtPlace, at, running};
pub use search::{Chain, Found, chains};
pub use spread::{Branch, spread};
