//! Repositories of git without a work tree: directories with any name, recognised by what is in
//! them. Their configuration may contain passwords of remotes.

use std::path::Path;

use crate::base::path;

/// Returns true if a directory is a repository of git: it has `HEAD`, `objects` and `refs`. Costs
/// one system call for other directories.
pub fn is_repository(dir: &Path) -> bool {
    // `HEAD` may be a symbolic link to a branch that does not exist.
    std::fs::symlink_metadata(dir.join("HEAD")).is_ok_and(|head| !head.is_dir())
        && dir.join("objects").is_dir()
        && dir.join("refs").is_dir()
}

/// Returns true if the file at a repository path is inside a repository without a work tree below
/// `root`. One system call for each directory on the path.
pub fn contains(root: &Path, path: &[u8]) -> bool {
    let mut dir = path::split(path).0;
    while !dir.is_empty() {
        if is_repository(&root.join(path::to_path(dir))) {
            return true;
        }
        dir = path::split(dir).0;
    }
    false
}

/// Returns true if a directory is a repository without a work tree, or inside of one.
pub fn encloses(dir: &Path) -> bool {
    dir.ancestors().any(is_repository)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_recognised_by_their_entries() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path();
        for dir in ["a/repo/objects/ab", "a/repo/refs/heads", "a/src/refs", "b/objects"] {
            std::fs::create_dir_all(root.join(dir)).expect("a directory");
        }
        for file in ["a/repo/HEAD", "a/repo/config", "a/src/HEAD", "b/HEAD"] {
            std::fs::write(root.join(file), "x").expect("a file");
        }
        for path in ["a/repo/config", "a/repo/HEAD", "a/repo/refs/heads/x", "a/repo/new"] {
            assert!(contains(root, path.as_bytes()), "{path}");
        }
        for path in ["a/src/HEAD", "b/HEAD", "a/repo", "a/x", "HEAD", ""] {
            assert!(!contains(root, path.as_bytes()), "{path}");
        }
        assert!(encloses(&root.join("a/repo/objects/ab")) && encloses(&root.join("a/repo")));
        assert!(!encloses(&root.join("a/src")) && !encloses(root));
    }
}
