//! Paths and globs on the command line: relative to the current directory, except for a path that
//! exists only relative to the root of the tree, as in `path` fields of replies.

use std::path::{Component, Path, PathBuf};

use super::report;
use crate::base::path::{from_path, shown};
use crate::tools::read::path_and_lines;

/// Resolves paths that were typed.
#[derive(Debug)]
pub(super) struct TypedPaths<'a> {
    root: &'a Path,
    /// The current directory, where paths are relative to it.
    current: Option<PathBuf>,
}

impl<'a> TypedPaths<'a> {
    /// Creates the resolver for the tree at `root`, which is canonical. If `--root` is given
    /// (`is_named`), paths are relative to the current directory only if it is in the tree.
    pub(super) fn new(root: &'a Path, is_named: bool) -> TypedPaths<'a> {
        let current = std::env::current_dir().ok();
        let lies_below = |current: &PathBuf| {
            current.canonicalize().is_ok_and(|current| current.starts_with(root))
        };
        TypedPaths { root, current: current.filter(|current| !is_named || lies_below(current)) }
    }

    /// Converts a path to that of tools: absolute, or relative to the root.
    pub(super) fn resolve(&self, typed: &str) -> String {
        let exists = |path: &str| {
            self.find(path).is_some() || !path.is_empty() && self.root.join(path).exists()
        };
        if self.find(typed).is_none() {
            // A part of a file follows its path: lines, or the name of a definition.
            let lines = path_and_lines(typed).map(|(path, _)| path);
            let mut names = typed.match_indices([':', '#']).map(|(at, _)| &typed[..at]);
            let path = lines.filter(|path| exists(path)).or_else(|| names.find(|it| exists(it)));
            if let Some(path) = path {
                return format!("{}{}", self.resolve(path), &typed[path.len()..]);
            }
        }
        if let Some(below) = self.find(typed).as_deref().and_then(Path::to_str) {
            return below.to_owned();
        }
        if is_glob(typed) {
            return self.resolve_glob(typed);
        }
        if Path::new(typed).is_relative() && self.root.join(typed).symlink_metadata().is_ok() {
            self.report_root(typed);
            return typed.to_owned();
        }
        self.resolve_new(typed)
    }

    /// Converts a glob to one that is relative to the root, unless it is absolute, begins with
    /// `**/` or is for names, which match in every directory.
    pub(super) fn resolve_glob(&self, typed: &str) -> String {
        let is_for_names = !typed.contains('/');
        if is_for_names || typed.starts_with("**/") || Path::new(typed).is_absolute() {
            return typed.to_owned();
        }
        let current = self.current.as_deref().and_then(|current| current.canonicalize().ok());
        let Some(current) = current.as_deref().and_then(|at| at.strip_prefix(self.root).ok())
        else {
            return typed.to_owned();
        };
        let first = typed.split('/').next().unwrap_or_default();
        let exists = |dir: &Path| dir.join(first).symlink_metadata().is_ok();
        if !is_glob(first) && exists(self.root) && !exists(&self.root.join(current)) {
            self.report_root(typed);
            return typed.to_owned();
        }
        match from_path(current) {
            Some(current) if !current.is_empty() => glob_below(&shown(&current), typed),
            _ => typed.to_owned(),
        }
    }

    /// Prints that `typed` is interpreted relative to the root, in another directory than that.
    fn report_root(&self, typed: &str) {
        if self.current.as_deref().is_some_and(|current| current != self.root) {
            let typed = report::plain(typed);
            report::print_message(format_args!(
                "{typed}: not in the current directory; using the root of the tree"
            ));
        }
    }

    fn find(&self, typed: &str) -> Option<PathBuf> {
        self.absolute(typed).and_then(|absolute| self.below_root(absolute))
    }

    /// Converts the path of a file that is to be created: it is relative to the current directory,
    /// even if the root has such a file.
    pub(super) fn resolve_new(&self, typed: &str) -> String {
        let absolute = self.absolute(typed).filter(|absolute| absolute.starts_with(self.root));
        absolute.as_deref().and_then(Path::to_str).unwrap_or(typed).to_owned()
    }

    /// Returns a typed path as an absolute path, with `..` resolved lexically.
    fn absolute(&self, typed: &str) -> Option<PathBuf> {
        let start =
            if Path::new(typed).is_absolute() { Path::new("") } else { self.current.as_deref()? };
        let mut absolute = PathBuf::new();
        for part in start.join(typed).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => drop(absolute.pop()),
                other => absolute.push(other),
            }
        }
        Some(absolute)
    }

    /// Returns the path if it exists and is below the root, perhaps through a symbolic link.
    fn below_root(&self, absolute: PathBuf) -> Option<PathBuf> {
        absolute.symlink_metadata().ok()?;
        if absolute.starts_with(self.root) {
            return Some(absolute);
        }
        absolute.canonicalize().ok().filter(|real| real.starts_with(self.root))
    }
}

fn is_glob(typed: &str) -> bool {
    typed.contains(['*', '?', '[', '{'])
}

/// Returns a glob that was typed in the directory `current`, a repository path, as a glob of
/// repository paths: one without `/` matches names below that directory. A glob that begins with
/// `/` is relative to the root already.
pub(super) fn glob_below(current: &str, pattern: &str) -> String {
    if pattern.starts_with('/') {
        return pattern.to_owned();
    }
    let (mut directory, mut rest) = (current, pattern);
    loop {
        if let Some(after) = rest.strip_prefix("./") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix("../") {
            directory = directory.rsplit_once('/').map_or("", |(parent, _)| parent);
            rest = after;
        } else {
            break;
        }
    }
    let directory = globset::escape(directory);
    let separator = if pattern.contains('/') { "/" } else { "/**/" };
    format!("{directory}{separator}{rest}")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn globs_begin_in_the_current_directory() {
        for (pattern, expected) in [
            ("*.rs", "src/a[[]b/**/*.rs"),
            ("./*.rs", "src/a[[]b/*.rs"),
            ("net/*.rs", "src/a[[]b/net/*.rs"),
            ("../*.rs", "src/*.rs"),
            ("../../*.rs", "/*.rs"),
            ("/*.rs", "/*.rs"),
        ] {
            assert_eq!(glob_below("src/a[b", pattern), expected);
        }
    }

    #[test]
    fn paths_are_relative_to_the_current_directory_or_to_the_root() {
        let place = tempfile::tempdir().expect("a directory");
        let base = place.path().canonicalize().expect("it exists");
        let root = base.join("tree");
        for file in ["tree/a/x", "tree/x", "tree/a/b/y", "x", "other/x"] {
            let file = base.join(file);
            std::fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
            std::fs::write(file, "").expect("a file");
        }
        let check = |current: Option<&str>, typed: &str, expected: &str| {
            let current = current.map(|current| base.join(current));
            let resolved = TypedPaths { root: &root, current }.resolve(typed);
            let expected = match expected.strip_prefix("tree/") {
                Some(below) => root.join(below).to_str().expect("text").to_owned(),
                None => expected.to_owned(),
            };
            assert_eq!(resolved, expected, "{typed}");
        };
        check(Some("tree/a"), "x", "tree/a/x");
        check(Some("tree/a"), "./b/../x", "tree/a/x");
        check(Some("tree/a"), "../x", "tree/x");
        check(Some("tree/a"), "a/b/y", "a/b/y");
        // Paths outside of the tree are not resolved.
        check(Some("tree/a"), "../../other/x", "../../other/x");
        check(Some("other"), "x", "x");
        // A path that exists nowhere is relative to the current directory, if that is in the tree.
        check(Some("tree/a"), "none", "tree/a/none");
        check(Some("other"), "none", "none");
        check(None, "x", "x");
        check(None, "a/x", "a/x");
        // Lines after the path stay.
        check(Some("tree/a"), "x:52-54", "tree/a/x:52-54");
        check(Some("tree/a"), "../x:52", "tree/x:52");
        check(Some("tree/a"), "../x:52:7", "tree/x:52:7");
        check(Some("tree/a"), "a/b/y:7", "a/b/y:7");
        check(Some("tree/a"), "none:7", "tree/a/none:7");
        // Globs with `/` are relative to the current directory as well.
        check(Some("tree/a"), "b/*", "a/b/*");
        check(Some("tree/a/b"), "../*.rs", "a/*.rs");
        check(Some("tree/a"), "none/*", "a/none/*");
        check(Some("tree/a/b"), "a/*", "a/*");
        check(Some("tree/a"), "*.rs", "*.rs");
        check(Some("tree/a"), "**/b/*", "**/b/*");
        check(Some("tree/a"), "/b/*", "/b/*");
        check(Some("tree"), "a/*", "a/*");
        check(Some("other"), "b/*", "b/*");
        let resolve_new = |current: Option<&str>, typed: &str| {
            let current = current.map(|current| base.join(current));
            TypedPaths { root: &root, current }.resolve_new(typed)
        };
        assert_eq!(Path::new(&resolve_new(Some("tree/a"), "a/x")), root.join("a/a/x"));
        assert_eq!(Path::new(&resolve_new(Some("tree/a"), "../new")), root.join("new"));
        assert_eq!(resolve_new(Some("tree/a"), "../../new"), "../../new");
        assert_eq!(resolve_new(None, "a/new"), "a/new");
        let absolute = root.join("a/x");
        check(None, absolute.to_str().expect("text"), "tree/a/x");
    }
}
