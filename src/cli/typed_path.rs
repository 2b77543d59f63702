//! Paths on the command line: relative to the current directory if such a file or directory of the
//! tree exists, else relative to the root of the tree, as in `path` fields of replies.

use std::path::{Component, Path, PathBuf};

use super::report;

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
        if let Some((path, lines)) = split_lines(typed)
            && self.find(typed).is_none()
            && (self.find(path).is_some() || self.root.join(path).exists())
        {
            return format!("{}:{lines}", self.resolve(path));
        }
        let below = self.find(typed);
        if let Some(below) = below.as_deref().and_then(Path::to_str) {
            return below.to_owned();
        }
        let is_elsewhere = self.current.as_deref().is_some_and(|current| current != self.root);
        let is_relative = Path::new(typed).is_relative();
        if is_elsewhere && is_relative && self.root.join(typed).symlink_metadata().is_ok() {
            let typed = report::plain(typed);
            report::print_message(format_args!(
                "{typed}: not in the current directory; using the root of the tree"
            ));
        }
        typed.to_owned()
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

/// Splits `path:52` and `path:52-54` into path and lines.
fn split_lines(typed: &str) -> Option<(&str, &str)> {
    let (path, lines) = typed.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    (is_number(first) && is_number(last) && !path.is_empty()).then_some((path, lines))
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
        check(None, "x", "x");
        check(None, "a/x", "a/x");
        // Lines after the path stay.
        check(Some("tree/a"), "x:52-54", "tree/a/x:52-54");
        check(Some("tree/a"), "../x:52", "tree/x:52");
        check(Some("tree/a"), "a/b/y:7", "a/b/y:7");
        check(Some("tree/a"), "none:7", "none:7");
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
