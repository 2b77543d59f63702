//! Measures how well files and functions are found for tasks whose answer history knows: a commit's
//! message and what the commit changed, or a bug report and the patch that mended it.
//!
//! Each case is asked of the tree before the change, with the history before it and nothing after:
//! [`cases`] reads them, [`localize`] checks trees out, asks, and keeps what was measured, beside the
//! rankings of [`baselines`]; [`measures`] turns ranks into numbers with intervals; [`fit`] looks for
//! better weights on what `localize` kept. [`answers`] grades replies by keys that somebody wrote.

pub mod answers;
pub mod baselines;
pub mod cases;
pub mod fit;
pub mod localize;
pub mod measures;
pub mod patch;
