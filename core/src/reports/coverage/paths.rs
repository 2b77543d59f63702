//! The files of a tree that a report names.

use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Finds the files that a report names by absolute paths, paths relative to another directory,
/// import paths or package paths.
pub struct Paths<'a> {
    root: String,
    known: HashSet<&'a str>,
    by_name: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Paths<'a> {
    /// Returns the paths of the tree at `root`. O(files).
    pub fn new(root: &Path, files: &'a [String]) -> Paths<'a> {
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for file in files {
            by_name.entry(file.rsplit('/').next().unwrap_or(file)).or_default().push(file);
        }
        let root = root.to_string_lossy().replace('\\', "/");
        Paths { root, known: files.iter().map(String::as_str).collect(), by_name }
    }

    /// Returns the repository path of a path of a report: below the root, or else the only file that
    /// ends with it, or with which it ends. O(files of that name).
    pub fn find(&self, path: &str) -> Option<&'a str> {
        let path = path.replace('\\', "/");
        let path = path.trim_start_matches("./");
        let below = path.strip_prefix(&self.root).and_then(|rest| rest.strip_prefix('/'));
        if let Some(known) = self.known.get(below.unwrap_or(path)) {
            return Some(known);
        }
        if below.is_some() {
            return None;
        }
        let named = self.by_name.get(path.rsplit('/').next()?)?;
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        // The longest one, as `a/b.go` is within `example.org/m/a/b.go`, and `b.go` is not.
        let within = named.iter().filter(|file| ends(path, file)).max_by_key(|file| file.len());
        if let Some(within) = within {
            return Some(within);
        }
        let mut around = named.iter().filter(|file| ends(file, path));
        around.next().filter(|_| around.next().is_none()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_paths_of_reports() {
        let files = ["a/b.go", "b.go", "x/src/com/A.java", "y/src/com/A.java", "m.py"];
        let files: Vec<String> = files.iter().map(|&file| file.to_owned()).collect();
        let paths = Paths::new(Path::new("/t"), &files);
        for (path, expected) in [
            ("/t/m.py", Some("m.py")),
            ("./m.py", Some("m.py")),
            ("example.org/m/a/b.go", Some("a/b.go")),
            ("example.org/m/b.go", Some("b.go")),
            ("x/src/com/A.java", Some("x/src/com/A.java")),
            ("com/A.java", None),
            ("/t/gone.py", None),
            ("/usr/lib/python3/os.py", None),
        ] {
            assert_eq!(paths.find(path), expected, "{path}");
        }
    }
}
