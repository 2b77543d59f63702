//! The location of git's global excludes file, which the user can change while a process runs.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Finds git's global excludes file. A long-running process asks before each walk, because the
/// walker reads git's configuration each time as well.
#[derive(Clone)]
pub struct GlobalExcludes {
    find: Arc<dyn Fn() -> Option<PathBuf> + Send + Sync>,
    config: Vec<PathBuf>,
}

impl GlobalExcludes {
    /// Creates a value from a function that returns the present path, and the paths of the
    /// configuration files that the function reads, which may not exist. Their metadata shows when
    /// the path may have changed.
    pub fn new(
        find: impl Fn() -> Option<PathBuf> + Send + Sync + 'static,
        config: Vec<PathBuf>,
    ) -> GlobalExcludes {
        GlobalExcludes { find: Arc::new(find), config }
    }

    /// Returns the present path of the excludes file, which may not exist.
    pub fn path(&self) -> Option<PathBuf> {
        (self.find)()
    }

    /// Returns the paths of the configuration files.
    pub fn config(&self) -> &[PathBuf] {
        &self.config
    }
}

impl fmt::Debug for GlobalExcludes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlobalExcludes").field("config", &self.config).finish_non_exhaustive()
    }
}
