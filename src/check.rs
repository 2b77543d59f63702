//! The risk of a change before it is pushed: how likely it introduces an error, why, and what to do.
//!
//! [`change`] reads what changed, [`edit`] how much of it is code, [`paths`] finds the history of renamed
//! files. [`baseline`] compares what is known about each file with thresholds ([`settings`]), [`level`] weighs
//! the edits by [`role`] and topic ([`sensitive`]), [`score`] the change as a whole, and [`investigate`] explores the evidence ([`evidence`], [`incidents`]) of the riskiest files.
//! [`assess`] runs all of it and returns a [`verdict`]. See docs/check.md.

pub mod assess;
pub mod baseline;
pub mod change;
mod definitions;
pub mod edit;
pub mod evidence;
pub mod incidents;
pub mod investigate;
pub mod level;
pub mod paths;
pub mod role;
pub mod score;
pub mod sensitive;
pub mod settings;
pub mod trivial;
pub mod verdict;
