//! What the edge of the program reads from its environment.

use std::path::PathBuf;

use super::global_excludes::GlobalExcludes;

/// Settings that the edge of the program reads from its environment for the modules below.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Finds git's global excludes file, if the walker applies one.
    pub global_excludes: Option<GlobalExcludes>,
    /// Threads to use for walking, reading and searching; at least 1.
    pub threads: usize,
}

impl Environment {
    /// Returns the present path of git's global excludes file.
    pub fn excludes_path(&self) -> Option<PathBuf> {
        self.global_excludes.as_ref()?.path()
    }
}
