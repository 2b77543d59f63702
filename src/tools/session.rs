//! What a tool may know of the session around a call: the other trees that are served beside the
//! call's own. On the command line there is one tree and no session.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::catalog::code::Code;
use crate::error::{Error, Result};

/// The argument of every tool that names a project. No schema spends tokens on it: the server's
/// instructions and `codedb_projects` tell of it.
pub const PROJECT: &str = "project";

/// Which tree a call is about, where it says so.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Wanted {
    /// The project of this name or absolute path.
    Named(String),
    /// The project that holds this absolute path, if it is one's.
    Holding(PathBuf),
}

/// Returns the project that a call's arguments select: the one that they name, or else the one that
/// contains an absolute path. `paths` are the arguments that may hold one.
///
/// # Errors
///
/// [`crate::Kind::Usage`] for a name that is no text.
pub(super) fn wanted<'a>(
    args: &Map<String, Value>,
    mut paths: impl Iterator<Item = &'a str>,
) -> Result<Option<Wanted>> {
    match args.get(PROJECT) {
        None | Some(Value::Null) => {}
        Some(Value::String(name)) => return Ok(Some(Wanted::Named(name.clone()))),
        Some(other) => {
            let message = format!("`{PROJECT}` is the name or the path of a project, not {other}");
            return Err(Error::usage(message));
        }
    }
    let path = paths.find_map(|name| args.get(name).and_then(Value::as_str)).map(Path::new);
    Ok(path.filter(|path| path.is_absolute()).map(|path| Wanted::Holding(path.to_path_buf())))
}

/// Where a new project comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source<'a> {
    /// A folder of this machine.
    Folder(&'a str),
    /// A repository elsewhere, which is cloned; fetched anew where it was cloned before, if `update`
    /// says so.
    Remote {
        /// Its address.
        url: &'a str,
        /// Whether what was cloned before is too old.
        update: bool,
    },
}

/// How much of a project is indexed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Indexed {
    /// Nothing: everything is read from the files.
    Nothing,
    /// What searches need.
    Ready,
    /// Symbols, references and words, too.
    Full,
    /// It cannot be indexed; everything is read from the files.
    Failed,
}

/// A project of the session.
#[derive(Clone, Debug, Serialize)]
pub struct Project {
    /// Its name, which no other project has.
    pub name: String,
    /// Its folder.
    pub root: String,
    /// It is meant where a call names none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub default: bool,
    /// How much of it is indexed.
    pub index: Indexed,
    /// Its files as the index has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// How far the index is, while it is being built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
}

/// A project that was asked for.
#[derive(Clone, Debug)]
pub struct Added {
    /// The project.
    pub project: Project,
    /// It was not there before.
    pub is_new: bool,
}

/// The session around a call.
pub trait Session: Sync {
    /// Returns the code of the project that is wanted, of one moment for all of a call; `None` where
    /// it is the call's own.
    ///
    /// # Errors
    ///
    /// If there is no such project, with those that there are; if it cannot be opened.
    fn code(&self, wanted: &Wanted) -> Result<Option<&dyn Code>>;

    /// Returns the names of the projects, that of the default one first. Looks at nothing else.
    fn names(&self) -> Vec<String>;

    /// Returns the projects, the default one first; where there is none, why.
    fn projects(&self) -> (Vec<Project>, Option<String>);

    /// Returns the folders of trees that are no projects and have an index, those used last first.
    fn indexed(&self) -> Vec<String>;

    /// Makes a project of a folder or a repository, waits a while for its index, and tells how far
    /// that is.
    ///
    /// # Errors
    ///
    /// If that is not to be served, is not there, or cannot be fetched.
    fn add(&self, source: Source<'_>) -> Result<Added>;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_say_which_project_they_are_about() {
        let check = |args: Value, expected: Option<Wanted>| {
            let Value::Object(args) = args else { panic!("no object") };
            let found = wanted(&args, std::iter::once("path")).expect("it is sound");
            assert_eq!(found, expected);
        };
        check(json!({}), None);
        check(json!({"project": null, "path": "src"}), None);
        check(json!({"project": "a", "path": "/b/c"}), Some(Wanted::Named("a".into())));
        if cfg!(unix) {
            check(json!({"path": "/b/c"}), Some(Wanted::Holding("/b/c".into())));
        }
        let Value::Object(args) = json!({"project": 5}) else { panic!("no object") };
        let error = wanted(&args, std::iter::once("path")).expect_err("that is no name");
        assert!(error.to_string().contains("not 5"), "{error}");
    }
}
