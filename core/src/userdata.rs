//! Data that people and test runs recorded about a repository: test results, coverage and locks.
//!
//! Unlike the index, it cannot be computed again, so it is never evicted. It lives in one SQLite
//! database per repository, below the user's data directory: [`location`] chooses the file,
//! [`database`] opens it and keeps its schema current; [`runs`], [`coverage`], [`locks`], [`jobs`],
//! [`incidents`], [`investigations`], [`measurements`] and [`decisions`] read and write its tables,
//! [`coverage_py`] reads the database of another program, [`exchange`] exports and imports everything
//! as JSON Lines; [`shards`] names the sub-trees of a monorepo. Several processes may use one
//! database at once; everything that belongs together is written in one transaction.

pub mod coverage;
pub mod coverage_py;
pub mod database;
pub mod decisions;
pub mod exchange;
pub mod incidents;
pub mod investigations;
pub mod jobs;
pub mod location;
pub mod locks;
pub mod measurements;
pub mod runs;
pub mod shards;
pub mod spelling;
pub mod verdicts;

pub use database::{Database, Repository};
pub use location::{Location, SharedName};
