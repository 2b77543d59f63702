//! Measures `codedb context` on tasks with keys: which of the files, definitions, lines and tests
//! that the work needs are in the reply, and which of its tokens are of use.
//!
//! [`tasks`] reads the tasks, [`trees`] finds their trees; [`key`] looks a key up in its tree;
//! [`shown`] collects what a reply shows, [`tokens`] attributes its tokens; [`measure`] runs a task;
//! [`summary`] adds up.
//!
//! - A **file** is named if its path is in the reply, in any part.
//! - A **definition** is named if it is listed with its path among the definitions, the chain or the
//!   calls, or as the definition around shown lines. A field counts as its type, a local definition as its
//!   function.
//! - A range of **lines** is shown if at least one of its lines is shown as text. A signature is none.
//! - A **test** is named if its name is in the reply; a file of tests, if its path is in `tests` or `files`.
//! - A **token** is of use if it belongs to an entry that is in the key, to a file entry with a file of the
//!   key, or to lines that share a line with a range or a definition of the key. The first mention of
//!   such a file is of use, every repetition is not. Headings and notes are of no use.

pub mod key;
pub mod measure;
pub mod shown;
pub mod summary;
pub mod tasks;
pub mod tokens;
pub mod trees;
