//! The database of what people and test runs recorded about the repository of a tree.

use std::path::PathBuf;

use super::Engine;
use crate::error::{Error, Kind, Result};
use crate::history::git::{self, Git};
use crate::userdata::{Database, Location};

impl Engine {
    /// Returns the same engine with the directory of user data.
    #[must_use]
    pub fn keeping_data_in(self, location: Location) -> Engine {
        Engine { data: Some(location), ..self }
    }

    /// Returns the path of the database, whether it exists or not; `None` if the engine has no
    /// directory of user data. Work trees of one repository share the database.
    pub fn user_data_path(&self) -> Option<PathBuf> {
        Some(self.data.as_ref()?.database(&self.data_key()))
    }

    /// Opens the database if it exists.
    ///
    /// # Errors
    ///
    /// Those of [`Location::open_existing`].
    pub fn user_data(&self) -> Result<Option<Database>> {
        let Some(location) = &self.data else { return Ok(None) };
        location.open_existing(&self.data_key(), &|| self.first_commit())
    }

    /// Opens the database, and creates it if needed.
    ///
    /// # Errors
    ///
    /// Those of [`Location::open`]; [`Kind::NotFound`] if the engine has no directory of user data.
    pub fn create_user_data(&self) -> Result<Database> {
        let Some(location) = &self.data else {
            return Err(Error::new(Kind::NotFound, "there is no directory for user data")
                .with_hint("set one with `--data-dir` or CODEDB_DATA_DIR"));
        };
        location.open(&self.data_key(), &|| self.first_commit())
    }

    fn data_key(&self) -> PathBuf {
        git::common_directory(&self.root).unwrap_or_else(|| self.root.clone())
    }

    fn first_commit(&self) -> Option<String> {
        Git::open(&self.root)?.first_commit().unwrap_or_else(|error| {
            log::debug!("the first commit is unknown: {error}");
            None
        })
    }
}
