//! What the module needs of the database of decisions, so that another store can take its place.

use crate::error::Result;
use crate::userdata::Database;
use crate::userdata::decisions::{Decision, Filter};

/// A store of decisions, to read.
pub trait Store {
    /// Identifies the store among those of a process.
    fn name(&self) -> String;

    /// Returns a number that grows with every change.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn revision(&self) -> Result<i64>;

    /// Returns the records that `filter` selects, oldest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn decisions(&self, filter: &Filter) -> Result<Vec<Decision>>;

    /// Returns the feedback: id, time in milliseconds since 1970, whether it was useful.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn feedback(&self) -> Result<Vec<(String, i64, bool)>>;
}

impl Store for Database {
    fn name(&self) -> String {
        self.path().display().to_string()
    }

    fn revision(&self) -> Result<i64> {
        self.decision_revision()
    }

    fn decisions(&self, filter: &Filter) -> Result<Vec<Decision>> {
        Database::decisions(self, filter)
    }

    fn feedback(&self) -> Result<Vec<(String, i64, bool)>> {
        self.decision_feedback()
    }
}
