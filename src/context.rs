//! The composer of `codedb context`: from the text of a task to a bundle of code within a token
//! budget.
//!
//! [`task`] parses the task into names, paths, locations, quoted texts and plain words;
//! [`evidence`] looks them up and collects evidence for files (`known_words`: for a question, by related words, too); [`ranking`] orders files by the
//! weights of [`crate::rank`], [`definitions`] the definitions inside them; [`compose`] selects what is worth its tokens. [`changed`] finds the
//! files and definitions of a change, [`diff`] parses unified diffs. docs/context.md describes the
//! whole.

pub mod changed;
pub mod compose;
pub mod definitions;
pub mod diff;
pub mod evidence;
mod form_words;
mod known_words;
pub mod purpose;
pub mod ranking;
pub mod task;
