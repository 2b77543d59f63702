//! The composer: what a task is about, and the bundle of code that answers it.
//!
//! [`task`] reads what somebody wrote: names, paths, places, quoted texts and plain words;
//! [`evidence`] looks them up and says what speaks for each file; [`ranking`] puts files in order by the
//! weights of [`crate::rank`]; [`compose`] chooses what is worth its tokens. [`changed`] is what a task
//! about a change is about, [`diff`] reads one.

pub mod changed;
pub mod compose;
pub mod diff;
pub mod evidence;
pub mod ranking;
pub mod task;
pub mod tokens;
