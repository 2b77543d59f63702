//! The location of a repository's database: `<data directory>/repositories/<key>/data.sqlite`.
//!
//! The key is a hash of the path of the repository's common git directory, so that all its work
//! trees share one database; a tree outside of a repository has a database of its own. A database
//! stores that path and the id of the repository's first commit. After a repository was moved, its
//! database is found by them and renamed.
//!
//! Clones can share `<data directory>/shared/<name>/data.sqlite`. The name comes from the repository, so it
//! never leads out of that directory, and the database is refused to a repository with another first commit.

use std::fs;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::database::{Database, Repository};
use crate::error::{Error, Result};
use crate::source::private_dir::{self, DATA};

/// The directories of other repositories that are examined for one that was moved.
const EXAMINED_MAX: usize = 1000;

/// Where the data of repositories lives.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Location(pub PathBuf);

/// The name of a database that clones share: one component of a path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SharedName(String);

impl SharedName {
    /// Returns the name that a text is. The error is one sentence.
    ///
    /// # Errors
    ///
    /// If it is not 1 to 64 lower-case letters, digits, `-`, `_` and `.` that begin with a letter or digit.
    pub fn parse(name: &str) -> std::result::Result<SharedName, String> {
        let is_part =
            |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || b"-_.".contains(&it);
        let is_first = |it: &u8| it.is_ascii_lowercase() || it.is_ascii_digit();
        let is_name = (1..=64).contains(&name.len())
            && name.bytes().all(is_part)
            && name.as_bytes().first().is_some_and(is_first);
        if is_name {
            return Ok(SharedName(name.to_owned()));
        }
        Err("`database` is a name such as `team-1`, never a path: the database is in codedb's own data \
             directory"
            .to_owned())
    }
}

impl Location {
    /// Returns the path of the database of the repository whose common git directory (or root,
    /// outside of git) is `repository`, a canonical path, whether it exists or not. O(1).
    pub fn database(&self, repository: &Path) -> PathBuf {
        self.directory(repository).join("data.sqlite")
    }

    /// Opens the database of a repository, and creates it if needed. A database of the same
    /// repository at its former path is taken over: one with the same first commit whose path does
    /// not exist any more. `first_commit` returns the id of the first commit, and is called only if
    /// it is needed. O(number of repositories) for a new database, else O(1).
    ///
    /// # Errors
    ///
    /// Those of [`Database::open`] and of [`private_dir::check`], and if the directory cannot be
    /// created.
    pub fn open(
        &self,
        repository: &Path,
        first_commit: &dyn Fn() -> Option<String>,
    ) -> Result<Database> {
        let directory = self.directory(repository);
        if !directory.exists() {
            match self.former(first_commit) {
                Some(former) => {
                    fs::rename(&former, &directory).map_err(|error| Error::io(&former, error))?;
                }
                None => private_dir::create(&directory, DATA)?,
            }
        }
        check(&directory)?;
        let database = Database::open(&self.database(repository))?;
        let has_first = database.identity()?.is_some_and(|stored| stored.first_commit.is_some());
        let first_commit = if has_first { None } else { first_commit() };
        database.identify(&Repository { directory: repository.to_owned(), first_commit })?;
        Ok(database)
    }

    /// Opens the database of a repository if it exists; see [`Location::open`]. O(1), or O(number
    /// of repositories) without one.
    ///
    /// # Errors
    ///
    /// Those of [`Location::open`].
    pub fn open_existing(
        &self,
        repository: &Path,
        first_commit: &dyn Fn() -> Option<String>,
    ) -> Result<Option<Database>> {
        let path = self.database(repository);
        if path.exists() {
            check(&self.directory(repository))?;
            return Database::open(&path).map(Some);
        }
        match self.former(first_commit) {
            Some(_) => self.open(repository, first_commit).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the path of a shared database, whether it exists or not.
    pub fn shared_database(&self, name: &SharedName) -> PathBuf {
        self.0.join("shared").join(&name.0).join("data.sqlite")
    }

    /// Opens a shared database; creates it if `creates`, else returns `None` without one. O(1).
    ///
    /// # Errors
    ///
    /// Those of [`Location::open`]; [`crate::Kind::Usage`] if it belongs to a repository with another first
    /// commit, or this one has no commit.
    pub fn open_shared(
        &self,
        name: &SharedName,
        repository: &Path,
        first_commit: Option<String>,
        creates: bool,
    ) -> Result<Option<Database>> {
        let path = self.shared_database(name);
        let directory = path.parent().unwrap_or(&self.0);
        let refused = |why: &str| {
            Err(Error::usage(format!("the shared database `{}` {why}", name.0))
                .with_hint("`database` in the table `[decisions]` of `codedb.toml` names it"))
        };
        if !path.exists() && !creates {
            return Ok(None);
        }
        if first_commit.is_none() {
            return refused(
                "needs a repository with its first commit, so that it is no shallow clone",
            );
        }
        match (path.exists(), creates) {
            (false, false) => return Ok(None),
            (false, true) => private_dir::create(directory, DATA)?,
            (true, _) => {}
        }
        check(directory)?;
        let database = Database::open(&path)?;
        match database.identity()? {
            Some(stored) if stored.first_commit != first_commit => {
                return refused("belongs to a repository with another first commit");
            }
            Some(_) => {}
            None => {
                database
                    .identify(&Repository { directory: repository.to_owned(), first_commit })?;
            }
        }
        Ok(Some(database))
    }

    fn directory(&self, repository: &Path) -> PathBuf {
        let key = xxh3_64(repository.as_os_str().as_encoded_bytes());
        self.0.join("repositories").join(format!("{key:016x}"))
    }

    /// Returns the directory of a database of the same repository that has lost its path.
    fn former(&self, first_commit: &dyn Fn() -> Option<String>) -> Option<PathBuf> {
        let entries = fs::read_dir(self.0.join("repositories")).ok()?;
        let mut candidates: Vec<PathBuf> =
            entries.flatten().take(EXAMINED_MAX).map(|entry| entry.path()).collect();
        candidates.sort();
        let mut first: Option<Option<String>> = None;
        candidates.into_iter().find(|candidate| {
            let path = candidate.join("data.sqlite");
            let is_sound = path.exists() && check(candidate).is_ok();
            let identity = is_sound.then(|| Database::open(&path).and_then(|it| it.identity()));
            let Some(Ok(Some(Repository { directory, first_commit: Some(stored) }))) = identity
            else {
                return false;
            };
            let is_lost = !directory.exists();
            is_lost && first.get_or_insert_with(first_commit).as_ref() == Some(&stored)
        })
    }
}

/// Checks that nobody else can change the directory of a database, or one of the two above it.
fn check(directory: &Path) -> Result<()> {
    private_dir::check(directory, DATA)?;
    directory.parent().map_or(Ok(()), |above| private_dir::check(above, DATA))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::userdata::locks::Request;

    fn first() -> Option<String> {
        Some("abc".to_owned())
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
        lock(&location.open(&before, &first).unwrap());
        fs::rename(&before, &after).unwrap();
        let moved = location.open_existing(&after, &first).unwrap().unwrap();
        assert_eq!(moved.locks(0).unwrap().len(), 1);
        assert_eq!(moved.identity().unwrap().unwrap().directory, after);
        assert!(!location.database(&before).exists(), "moved, not copied");
    }

    #[test]
    fn a_copy_of_a_repository_has_data_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let location = Location(dir.path().join("data"));
        let (original, copy) = (dir.path().join("original"), dir.path().join("copy"));
        fs::create_dir(&original).unwrap();
        fs::create_dir(&copy).unwrap();
        lock(&location.open(&original, &first).unwrap());
        assert!(location.open_existing(&copy, &first).unwrap().is_none());
        let other = location.open(&copy, &first).unwrap();
        assert_eq!(other.locks(0).unwrap().len(), 0);
    }

    #[test]
    fn clones_share_a_database_and_others_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let location = Location(dir.path().join("data"));
        let name = SharedName::parse("team-1").unwrap();
        let open = |path: &str, first: Option<&str>, creates: bool| {
            location.open_shared(&name, &dir.path().join(path), first.map(str::to_owned), creates)
        };
        assert!(open("a", Some("abc"), false).unwrap().is_none(), "it is not created");
        lock(&open("a", Some("abc"), true).unwrap().unwrap());
        assert_eq!(open("b", Some("abc"), false).unwrap().unwrap().locks(0).unwrap().len(), 1);
        for first in [Some("def"), None] {
            let error = open("c", first, true).unwrap_err().to_string();
            assert!(error.contains("`team-1`"), "{error}");
        }
        for name in
            ["", "../x", "a/b", "/tmp/x", ".hidden", "a\\b", "~", "A", "a\0", &"x".repeat(65)]
        {
            assert!(SharedName::parse(name).is_err(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_data() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let location = Location(dir.path().join("data"));
        lock(&location.open(dir.path(), &|| None).unwrap());
        let path = location.database(dir.path());
        for name in fs::read_dir(path.parent().unwrap()).unwrap() {
            let name = name.unwrap();
            let mode = name.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}", name.path().display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_others_can_change_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let location = Location(dir.path().join("data"));
        let opened = || location.open_existing(dir.path(), &|| None);
        lock(&location.open(dir.path(), &|| None).unwrap());
        let own = location.database(dir.path()).parent().unwrap().to_owned();
        for path in [&own, &dir.path().join("data/repositories"), &location.0] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o770)).unwrap();
            let error = opened().unwrap_err();
            assert!(error.to_string().contains("data directory is writable by other"), "{error}");
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
            assert!(opened().unwrap().is_some());
        }
    }
}
