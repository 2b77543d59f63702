//! The one error type of the crate.
//!
//! An error contains what failed, the path, and hints what to try next. Callers branch on [`Kind`],
//! a small closed set, and never on the text.

use std::fmt;
use std::path::{Path, PathBuf};

/// Result with the crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of a failure, for callers that branch on it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// The caller's arguments are wrong (a bad pattern, glob, flag or path).
    Usage,
    /// A path does not exist.
    NotFound,
    /// The operating system refused an operation.
    Io,
    /// An index file is damaged, truncated, or of another format. It must be rebuilt.
    Corrupt,
    /// Another process holds a lock.
    Busy,
    /// A documented limit was reached.
    Limit,
    /// The caller cancelled.
    Cancelled,
}

/// The [identifier](Error::code) of errors about names that have no definition.
pub const UNKNOWN_NAME: &str = "unknown_name";

/// The [identifier](Error::code) of errors about names that a file which is not indexed yet may define.
pub const NOT_INDEXED: &str = "not_indexed_yet";

/// An error: its kind, a message, the path and hints what to try next.
pub struct Error(Box<Inner>);

struct Inner {
    kind: Kind,
    code: Option<&'static str>,
    message: String,
    path: Option<PathBuf>,
    hints: Vec<String>,
    nearest_paths: Vec<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns an error of `kind`. The message is lowercase, without a final period.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            kind,
            code: None,
            message: message.into(),
            path: None,
            hints: Vec::new(),
            nearest_paths: Vec::new(),
            source: None,
        }))
    }

    /// Returns a [`Kind::Usage`] error.
    pub fn usage(message: impl Into<String>) -> Error {
        Error::new(Kind::Usage, message)
    }

    /// Returns a [`Kind::Corrupt`] error about the index file at `path`.
    pub fn corrupt(path: &Path, message: impl Into<String>) -> Error {
        Error::new(Kind::Corrupt, message).with_path(path)
    }

    /// Returns the error of an I/O operation on `path`; a missing path becomes [`Kind::NotFound`].
    pub fn io(path: &Path, source: std::io::Error) -> Error {
        let kind = match source.kind() {
            std::io::ErrorKind::NotFound => Kind::NotFound,
            _ => Kind::Io,
        };
        let mut error = Error::new(kind, source.to_string()).with_path(path);
        error.0.source = Some(Box::new(source));
        error
    }

    /// Sets the identifier that programs get; see [`Error::code`].
    #[must_use]
    pub fn with_code(mut self, code: &'static str) -> Error {
        self.0.code = Some(code);
        self
    }

    /// Adds the path that failed.
    pub fn with_path(mut self, path: &Path) -> Error {
        self.0.path = Some(path.to_path_buf());
        self
    }

    /// Adds a hint: what to try next.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hints.push(hint.into());
        self
    }

    /// Records the repository paths that the hints suggest, each of them in backticks there.
    #[must_use]
    pub fn with_nearest_paths(mut self, paths: &[String]) -> Error {
        self.0.nearest_paths = paths.to_vec();
        self
    }

    /// Replaces the repository paths of the error, its own and those that it suggests, by what
    /// `map` returns for them. Absolute paths stay.
    #[must_use]
    pub fn map_paths(mut self, map: impl Fn(&str) -> String) -> Error {
        if let Some(path) = self.0.path.as_mut().filter(|path| path.is_relative())
            && let Some(text) = path.to_str()
        {
            *path = PathBuf::from(map(text));
        }
        // One pass: a replaced path may be equal to another suggestion.
        for hint in &mut self.0.hints {
            let parts = hint.split('`').map(|part| {
                let is_suggested = self.0.nearest_paths.iter().any(|path| path == part);
                if is_suggested { map(part) } else { part.to_owned() }
            });
            *hint = parts.collect::<Vec<_>>().join("`");
        }
        self
    }

    /// Replaces each hint by what `map` returns for it, and removes those for which it returns
    /// `None`.
    #[must_use]
    pub fn map_hints(mut self, map: impl FnMut(String) -> Option<String>) -> Error {
        self.0.hints = self.0.hints.into_iter().filter_map(map).collect();
        self
    }

    /// Replaces the message, the path and each hint by what `map` returns for it.
    #[must_use]
    pub fn map_texts(mut self, map: impl Fn(String) -> String) -> Error {
        let Inner { message, path, hints, .. } = &mut *self.0;
        *message = map(std::mem::take(message));
        *hints = std::mem::take(hints).into_iter().map(&map).collect();
        // A path that is not UTF-8 is not one text.
        let shown = path.as_ref().and_then(|path| path.to_str().map(|path| map(path.to_owned())));
        *path = shown.map(PathBuf::from).or(path.take());
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Returns the identifier of the failure in replies for programs: lower-case words joined by
    /// `_`, which never change. Failures of git begin with `git_` or are `not_a_git_repo`.
    pub fn code(&self) -> &'static str {
        self.0.code.unwrap_or(match self.0.kind {
            Kind::Usage => "invalid_argument",
            Kind::NotFound => "not_found",
            Kind::Io => "io_error",
            Kind::Corrupt => "damaged_index",
            Kind::Busy => "busy",
            Kind::Limit => "limit_reached",
            Kind::Cancelled => "cancelled",
        })
    }

    /// Returns true if a name has no definition, or none where it was asked for.
    pub fn is_unknown_name(&self) -> bool {
        self.code() == UNKNOWN_NAME
    }

    /// Returns true if git failed, refused the repository, or is not installed.
    pub fn is_of_git(&self) -> bool {
        self.code().starts_with("git_")
    }

    /// Returns the repository paths that the hints suggest.
    pub fn nearest_paths(&self) -> &[String] {
        &self.0.nearest_paths
    }

    /// Returns the path that failed, if any.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Returns the hints, in the order in which they were added.
    pub fn hints(&self) -> &[String] {
        &self.0.hints
    }

    /// Returns true if the reader of the output closed it, which ends a command silently.
    pub fn is_broken_pipe(&self) -> bool {
        let source = self.0.source.as_deref();
        source
            .and_then(|source| source.downcast_ref::<std::io::Error>())
            .is_some_and(|source| source.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
