//! The location of a repository's database: `<data directory>/repositories/<key>/data.sqlite`.
//!
//! The key is a hash of the path of the repository's common git directory, so that all its work
//! trees share one database; a tree outside of a repository has a database of its own. A database
//! stores that path and the id of the repository's first commit. After a repository was moved, its
//! database is found by them and renamed.

use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::database::{Database, Repository};
use crate::error::{Error, Result};

/// The directories of other repositories that are examined for one that was moved.
const EXAMINED_MAX: usize = 1000;

/// Where the data of repositories lives.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Location(pub PathBuf);

impl Location {
    /// Returns the path of the database of a repository, whether it exists or not. O(1).
    pub fn database(&self, repository: &Repository) -> PathBuf {
        self.directory(repository).join("data.sqlite")
    }

    /// Opens the database of a repository, and creates it if needed. A database of the same
    /// repository at its former path is taken over: one with the same first commit whose path does
    /// not exist any more. O(number of repositories) for a new database, else O(1).
    ///
    /// # Errors
    ///
    /// Those of [`Database::open`], and if the directory cannot be created.
    pub fn open(&self, repository: &Repository) -> Result<Database> {
        let directory = self.directory(repository);
        if !directory.exists() {
            match self.former(repository) {
                Some(former) => {
                    fs::rename(&former, &directory).map_err(|error| Error::io(&former, error))?;
                }
                None => create_private(&directory)?,
            }
        }
        let database = Database::open(&self.database(repository))?;
        database.identify(repository)?;
        Ok(database)
    }

    /// Opens the database of a repository if it exists. O(1).
    ///
    /// # Errors
    ///
    /// Those of [`Database::open`].
    pub fn open_existing(&self, repository: &Repository) -> Result<Option<Database>> {
        let path = self.database(repository);
        if path.exists() || self.former(repository).is_some() {
            return self.open(repository).map(Some);
        }
        Ok(None)
    }

    fn directory(&self, repository: &Repository) -> PathBuf {
        let key = xxh3_64(repository.directory.as_os_str().as_encoded_bytes());
        self.0.join("repositories").join(format!("{key:016x}"))
    }

    /// Returns the directory of a database of the same repository that has lost its path.
    fn former(&self, repository: &Repository) -> Option<PathBuf> {
        let first_commit = repository.first_commit.as_deref()?;
        let entries = fs::read_dir(self.0.join("repositories")).ok()?;
        let mut candidates: Vec<PathBuf> =
            entries.flatten().take(EXAMINED_MAX).map(|entry| entry.path()).collect();
        candidates.sort();
        candidates.into_iter().find(|candidate| {
            let path = candidate.join("data.sqlite");
            let identity =
                path.exists().then(|| Database::open(&path).and_then(|it| it.identity()));
            matches!(identity, Some(Ok(Some(other)))
                if other.first_commit.as_deref() == Some(first_commit) && !other.directory.exists())
        })
    }
}

/// Creates a directory, with its parents, that only this user can enter.
fn create_private(directory: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(|error| {
        Error::io(directory, error)
            .with_hint("choose another directory with `--data-dir` or CODEDB_DATA_DIR")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::userdata::locks::Request;

    fn repository(directory: &Path, first_commit: Option<&str>) -> Repository {
        Repository {
            directory: directory.to_owned(),
            first_commit: first_commit.map(str::to_owned),
        }
    }

    fn lock(database: &Database) {
        let request = Request { path: "src", holder: "me", purpose: None, ttl_ms: 1000 };
        database.acquire(&request, 0).unwrap().unwrap();
    }

    #[test]
    fn a_moved_repository_keeps_its_data() {
        let dir = tempfile::tempdir().unwrap();
        let location = Location(dir.path().join("data"));
        let (before, after) = (dir.path().join("before"), dir.path().join("after"));
        fs::create_dir(&before).unwrap();
        lock(&location.open(&repository(&before, Some("abc"))).unwrap());
        fs::rename(&before, &after).unwrap();
        let moved = location.open_existing(&repository(&after, Some("abc"))).unwrap().unwrap();
        assert_eq!(moved.locks(0).unwrap().len(), 1);
        assert_eq!(moved.identity().unwrap().unwrap().directory, after);
        assert!(!location.database(&repository(&before, None)).exists(), "moved, not copied");
    }

    #[test]
    fn a_copy_of_a_repository_has_data_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let location = Location(dir.path().join("data"));
        let (original, copy) = (dir.path().join("original"), dir.path().join("copy"));
        fs::create_dir(&original).unwrap();
        fs::create_dir(&copy).unwrap();
        lock(&location.open(&repository(&original, Some("abc"))).unwrap());
        assert!(location.open_existing(&repository(&copy, Some("abc"))).unwrap().is_none());
        let other = location.open(&repository(&copy, Some("abc"))).unwrap();
        assert_eq!(other.locks(0).unwrap().len(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_data() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let location = Location(dir.path().join("data"));
        let repository = repository(dir.path(), None);
        lock(&location.open(&repository).unwrap());
        let path = location.database(&repository);
        for name in fs::read_dir(path.parent().unwrap()).unwrap() {
            let name = name.unwrap();
            let mode = name.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}", name.path().display());
        }
    }
}
