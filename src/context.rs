//! The composer: what a task is about, and the bundle of code that answers it.
//!
//! [`task`] reads what somebody wrote: names, paths, places, quoted texts and plain words;
//! [`evidence`] looks them up and says what speaks for each file; [`compose`] chooses what is worth its
//! tokens. How evidence becomes an order of files is in [`crate::rank`].

pub mod compose;
pub mod evidence;
pub mod task;
pub mod tokens;
