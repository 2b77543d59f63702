//! The session of a call: the other trees that the server serves. The command line has one tree and
//! no session.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::base::interrupt::Interrupt;
use crate::catalog::code::Code;
use crate::error::{Error, Result};

/// The argument of every tool that selects a project. Schemas omit it to save tokens; the server's
/// instructions and `codedb_projects` describe it.
pub const PROJECT: &str = "project";

/// The arguments that are paths. On the command line they are relative to the current directory; an absolute
/// one selects the project or tree that contains it.
pub const PATHS: [&str; 7] =
    ["path", "paths", "exclude", "file_path", "files", "directory", "targets"];

/// The tree that a call selects.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ProjectSelector {
    /// The project of this name or absolute path.
    Named(String),
    /// The project that contains this absolute path, if any.
    Containing(PathBuf),
}

/// Returns the project that a call's arguments select: the value of `project`, or else the project
/// that contains an absolute path. `paths` are the names of the arguments that may contain one.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if the name is not a string.
pub(super) fn wanted<'a>(
    args: &Map<String, Value>,
    paths: impl Iterator<Item = &'a str>,
) -> Result<Option<ProjectSelector>> {
    match args.get(PROJECT) {
        None | Some(Value::Null) => {}
        Some(Value::String(name)) => return Ok(Some(ProjectSelector::Named(name.clone()))),
        Some(other) => {
            let message =
                format!("`{PROJECT}` must be the name or the path of a project, not {other}");
            return Err(Error::usage(message));
        }
    }
    let values = paths.filter_map(|name| args.get(name)).flat_map(|value| match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    });
    let mut absolute = values.filter_map(Value::as_str).map(Path::new);
    let first = absolute.find(|path| path.is_absolute());
    Ok(first.map(|path| ProjectSelector::Containing(path.to_path_buf())))
}

/// The source of a new project.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source<'a> {
    /// A directory on this machine.
    Folder(&'a str),
    /// A remote repository, which is cloned.
    Remote {
        /// Its URL.
        url: &'a str,
        /// Whether to fetch again if it was cloned before.
        update: bool,
    },
}

/// How much of a project is indexed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Indexed {
    /// Not indexed; everything is read from the files.
    Nothing,
    /// The search index.
    Ready,
    /// Also symbols, references and words.
    Full,
    /// It cannot be indexed; everything is read from the files.
    Failed,
}

/// A project of the session.
#[derive(Clone, Debug, Serialize)]
pub struct Project {
    /// Its unique name.
    pub name: String,
    /// Its directory.
    pub root: String,
    /// True for the project of calls that select none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub default: bool,
    /// How much of it is indexed.
    pub index: Indexed,
    /// The number of files in its index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// The progress of the index build, while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
}

/// The result of adding a project.
#[derive(Clone, Debug)]
pub struct Added {
    /// The project.
    pub project: Project,
    /// True if it did not exist before.
    pub is_new: bool,
}

/// A tree on other machines, which calls name as a project.
pub trait Remote: Send + Sync {
    /// Returns it as a project.
    fn project(&self) -> Project;

    /// Returns true if a project name selects it, or a part of it.
    fn is_named(&self, project: &str) -> bool;

    /// Returns the view of what `project` selects, for one call.
    ///
    /// # Errors
    ///
    /// If it is not configured correctly.
    fn view<'a>(
        &'a self,
        project: &str,
        interrupt: Interrupt<'a>,
    ) -> Result<Box<dyn Code + Send + 'a>>;
}

/// The session of a call.
pub trait Session: Sync {
    /// Returns the code of a project, in the same state for the whole call; `None` for the project
    /// of the call itself.
    ///
    /// # Errors
    ///
    /// If there is no such project, with the names of all projects; if it cannot be opened.
    fn code(&self, wanted: &ProjectSelector) -> Result<Option<&dyn Code>>;

    /// Returns the names of the projects, the default one first. O(projects); opens nothing.
    fn names(&self) -> Vec<String>;

    /// Returns the projects, the default one first, and the reason if there is none.
    fn projects(&self) -> (Vec<Project>, Option<String>);

    /// Returns the directories of indexed trees that are not projects, the most recently used
    /// first.
    fn indexed(&self) -> Vec<String>;

    /// Adds a directory or a repository as a project, and waits a limited time for its index.
    ///
    /// # Errors
    ///
    /// If it must not be served, does not exist, or cannot be fetched.
    fn add(&self, source: Source<'_>) -> Result<Added>;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_select_a_project() {
        let check = |args: Value, expected: Option<ProjectSelector>| {
            let Value::Object(args) = args else { panic!("no object") };
            let found = wanted(&args, std::iter::once("path")).expect("it is valid");
            assert_eq!(found, expected);
        };
        check(json!({}), None);
        check(json!({"project": null, "path": "src"}), None);
        check(json!({"project": "a", "path": "/b/c"}), Some(ProjectSelector::Named("a".into())));
        if cfg!(unix) {
            check(json!({"path": "/b/c"}), Some(ProjectSelector::Containing("/b/c".into())));
            check(json!({"path": ["a", "/b"]}), Some(ProjectSelector::Containing("/b".into())));
        }
        let Value::Object(args) = json!({"project": 5}) else { panic!("no object") };
        let error = wanted(&args, std::iter::once("path")).expect_err("it is not a name");
        assert!(error.to_string().contains("not 5"), "{error}");
    }
}
