//! The database of what people and test runs recorded about the repository of a tree.

use std::path::PathBuf;

use super::Engine;
use crate::error::{Error, Kind, Result};
use crate::history::git::{self, Git};
use crate::userdata::{Database, Location, SharedName};

impl Engine {
    /// Returns the same engine with the directory of user data.
    #[must_use]
    pub fn keeping_data_in(self, location: Location) -> Engine {
        Engine { data: Some(location), ..self }
    }

    /// Returns the path of the database, whether it exists or not; `None` if the engine has no
    /// directory of user data. Work trees of one repository share the database, and so do clones whose
    /// `codedb.toml` names one.
    pub fn user_data_path(&self) -> Option<PathBuf> {
        let location = self.data.as_ref()?;
        Some(match self.shared_name() {
            Ok(Some(name)) => location.shared_database(&name),
            _ => location.database(&self.data_key()),
        })
    }

    /// Opens the database if it exists.
    ///
    /// # Errors
    ///
    /// Those of [`Location::open_existing`] and [`Location::open_shared`]; if `codedb.toml` names no
    /// valid one.
    pub fn user_data(&self) -> Result<Option<Database>> {
        let Some(location) = &self.data else { return Ok(None) };
        match self.shared_name()? {
            Some(name) => location.open_shared(&name, &self.data_key(), self.first_commit(), false),
            None => location.open_existing(&self.data_key(), &|| self.first_commit()),
        }
    }

    /// Opens the database, and creates it if needed.
    ///
    /// # Errors
    ///
    /// Those of [`Location::open`] and [`Location::open_shared`]; [`Kind::NotFound`] if the engine has no
    /// directory of user data.
    pub fn create_user_data(&self) -> Result<Database> {
        let Some(location) = &self.data else {
            return Err(Error::new(Kind::NotFound, "there is no directory for user data")
                .with_hint("set one with `--data-dir` or CODEDB_DATA_DIR"));
        };
        if let Some(name) = self.shared_name()? {
            let first = self.first_commit();
            let database = location.open_shared(&name, &self.data_key(), first, true)?;
            return database.ok_or_else(|| Error::new(Kind::Io, "the database was not created"));
        }
        location.open(&self.data_key(), &|| self.first_commit())
    }

    /// Returns the name of the database that `codedb.toml` at the root names. The file is a stranger's: its
    /// name leads to no place outside of the user's data.
    ///
    /// # Errors
    ///
    /// If it is not a name. A file that is not valid TOML names none; what reads its other tables reports it.
    fn shared_name(&self) -> Result<Option<SharedName>> {
        const BYTES_MAX: u64 = 256 << 10;
        let path = self.root.join("codedb.toml");
        let is_file = path.symlink_metadata().is_ok_and(|it| it.is_file() && it.len() <= BYTES_MAX);
        if !is_file {
            return Ok(None);
        }
        let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
        let Ok(file) = toml::from_str::<toml::Table>(&text) else { return Ok(None) };
        let named = file.get("decisions").and_then(|it| it.get("database"));
        let Some(named) = named.and_then(toml::Value::as_str) else { return Ok(None) };
        let name = SharedName::parse(named);
        name.map(Some).map_err(|error| Error::usage(error).with_path(&path))
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
