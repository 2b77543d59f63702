//! The shards of a monorepo: named sub-trees, from `shards.toml` at the root.
//!
//! ```toml
//! [shards]
//! web = "apps/web"
//! core = "libs/core"
//! ```
//!
//! A path belongs to the shard with the longest directory that contains it, and a test to the shard
//! of its file. All shards of a repository share one database, so queries aggregate over all of
//! them, and a test in one may cover code in another; the shard of a record follows from its path.

use toml::{Table, Value};

/// The repository path of the file.
pub const NAME: &str = "shards.toml";

/// The maximum size of the file in bytes.
pub const BYTES_MAX: u64 = 256 << 10;

/// The maximum number of shards.
const SHARDS_MAX: usize = 1_000;

/// The maximum length of a name or path in bytes.
const TEXT_BYTES_MAX: usize = 1_000;

/// The shards of a repository.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Shards {
    /// Directory and name, the longest directory first, then by directory.
    by_directory: Vec<(String, String)>,
}

impl Shards {
    /// Returns the shards that the text of `shards.toml` names. O(n log n).
    ///
    /// # Errors
    ///
    /// A sentence without the name of the file: what is wrong, and what is valid.
    pub fn parse(text: &str) -> Result<Shards, String> {
        let table: Table = toml::from_str(text).map_err(|_| "it is not valid TOML".to_owned())?;
        let Some(given) = table.get("shards").and_then(Value::as_table) else {
            return Err("it has no table `[shards]` with lines `name = \"directory\"`".to_owned());
        };
        if given.len() > SHARDS_MAX {
            return Err(format!("it names more than {SHARDS_MAX} shards"));
        }
        let mut by_directory: Vec<(String, String)> = Vec::with_capacity(given.len());
        for (name, directory) in given {
            let shown: String = crate::base::text::plain(name).chars().take(40).collect();
            let directory = directory.as_str().map(|it| it.trim_matches('/'));
            let is_inside = |part: &str| !part.is_empty() && part != "." && part != "..";
            let Some(directory) = directory.filter(|it| {
                it.len() <= TEXT_BYTES_MAX && !it.contains('\\') && it.split('/').all(is_inside)
            }) else {
                return Err(format!("the shard `{shown}` must be a directory below the root"));
            };
            let is_plain = |c: char| c.is_alphanumeric() || "-_./@".contains(c);
            if name.is_empty() || name.len() > TEXT_BYTES_MAX || !name.chars().all(is_plain) {
                return Err(format!(
                    "the name `{shown}` must consist of letters, digits and -_./@"
                ));
            }
            if by_directory.iter().any(|(other, _)| other == directory) {
                return Err(format!("the directory of the shard `{shown}` has two shards"));
            }
            by_directory.push((directory.to_owned(), name.clone()));
        }
        by_directory.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        Ok(Shards { by_directory })
    }

    /// Returns the shard that owns a repository path; `None` for a path outside of all. O(shards).
    pub fn of_path(&self, path: &str) -> Option<&str> {
        let owns = |(directory, _): &&(String, String)| {
            path.strip_prefix(directory.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.by_directory.iter().find(owns).map(|(_, name)| name.as_str())
    }

    /// Returns the shard that owns a test with an id of the form `FILE::NAME`; `None` for ids
    /// without a path. O(shards).
    pub fn of_test(&self, id: &str) -> Option<&str> {
        self.of_path(id.split("::").next().unwrap_or_default())
    }

    /// Returns name and directory of each shard, by name.
    pub fn list(&self) -> Vec<(&str, &str)> {
        let mut all: Vec<(&str, &str)> = self
            .by_directory
            .iter()
            .map(|(directory, name)| (name.as_str(), directory.as_str()))
            .collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_directory_owns_a_path() {
        let shards = Shards::parse(
            "[shards]\nweb = \"apps/web\"\napps = \"apps/\"\n\"@a/core\" = \"libs/core\"\n",
        );
        let shards = shards.expect("it is valid");
        let check = |path: &str, expected: Option<&str>| {
            assert_eq!(shards.of_path(path), expected, "{path}");
        };
        check("apps/web/src/a.ts", Some("web"));
        check("apps/webs/a.ts", Some("apps"));
        check("apps", Some("apps"));
        check("libs/core/a.py", Some("@a/core"));
        check("README.md", None);
        assert_eq!(shards.of_test("libs/core/test_a.py::T::test_b"), Some("@a/core"));
        assert_eq!(shards.of_test("com.example.CartTest#adds"), None);
        let expected = [("@a/core", "libs/core"), ("apps", "apps"), ("web", "apps/web")];
        assert_eq!(shards.list(), expected);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |text: &str, expected: &str| {
            let problem = Shards::parse(text).expect_err("it is not valid");
            assert!(problem.contains(expected), "{text}: {problem}");
        };
        check("shards", "not valid TOML");
        check("", "no table `[shards]`");
        check("[shards]\na = 1\n", "`a` must be a directory below the root");
        check("[shards]\na = \"../b\"\n", "`a` must be a directory below the root");
        check("[shards]\na = \"/\"\n", "`a` must be a directory below the root");
        check("[shards]\na = \"x\"\nb = \"x/\"\n", "two shards");
        check("[shards]\n\"a b\" = \"x\"\n", "letters, digits");
    }
}
