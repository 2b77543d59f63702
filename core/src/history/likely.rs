//! Which files a change of a file most likely changes as well.
//!
//! The candidates are the files that changed together with it, those with the same name but for
//! affixes of tests and the extension, and those that changed most often lately. Their score is a
//! log-linear model of a few features. Its weights were fitted on eight repositories, half of them at
//! a time, and rounded; docs/history.md has its accuracy on those and on other repositories.

/// What is known about a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features {
    /// The decayed co-change with the file; see [`super::coupling::Together::weight`].
    pub weight: f64,
    /// The time since the last common commit in seconds; `None` without one.
    pub since_s: Option<i64>,
    /// The candidate's commits, decayed with a half-life of 60 days.
    pub popularity: f64,
    /// The names are the same, apart from affixes of tests and the extension.
    pub is_same_name: bool,
    /// The directories are the same.
    pub is_same_directory: bool,
    /// The extensions are the same.
    pub is_same_extension: bool,
}

/// The number of candidates that are taken because they changed most often lately.
pub const POPULAR_MAX: usize = 10;

/// The time in which the effect of the last common commit falls to 1/e, in seconds.
const RECENT_S: f64 = 30.0 * 86_400.0;

impl Features {
    /// Returns the score: relative to those of the other candidates of the same file, greater than 0.
    pub fn score(&self) -> f64 {
        let flag = |is: bool, weight: f64| if is { weight } else { 0.0 };
        let recent = self
            .since_s
            .map_or(0.0, |since_s| 0.9 + 0.7 * (-since_s.max(0) as f64 / RECENT_S).exp());
        let sum = 1.2 * (4.0 * self.weight).ln_1p()
            + 0.6 * self.popularity.ln_1p()
            + recent
            + flag(self.is_same_name, 0.7)
            + flag(self.is_same_directory, 0.3)
            + flag(self.is_same_extension, 0.2);
        sum.exp()
    }
}

/// Returns the name of a file without directory, extension and affixes of tests, in lower case; empty
/// if less than three characters remain.
pub fn stem(path: &[u8]) -> String {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let name = String::from_utf8_lossy(name).to_lowercase();
    let mut stem = name.split('.').next().unwrap_or_default();
    for prefix in ["test_", "tests_", "test"] {
        stem = stem.strip_prefix(prefix).unwrap_or(stem);
    }
    for suffix in ["_tests", "_test", "tests", "test", "_spec", "spec"] {
        stem = stem.strip_suffix(suffix).unwrap_or(stem);
    }
    let stem = stem.trim_matches(['_', '-']);
    if stem.chars().count() < 3 { String::new() } else { stem.to_owned() }
}

/// Returns the directory of a path.
pub fn directory(path: &[u8]) -> &[u8] {
    crate::base::path::split(path).0
}

/// Returns the extension of a path; empty if it has none.
pub fn extension(path: &[u8]) -> &[u8] {
    let name = crate::base::path::split(path).1;
    memchr::memrchr(b'.', name).map_or(b"", |dot| &name[dot + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affixes_of_tests_are_no_part_of_a_stem() {
        for (path, expected) in [
            (&b"src/cart.py"[..], "cart"),
            (b"tests/test_cart.py", "cart"),
            (b"CartTest.java", "cart"),
            (b"lib/cart.test.ts", "cart"),
            (b"cart_spec.rb", "cart"),
            (b"cart_test.go", "cart"),
            (b"a.c", ""),
        ] {
            assert_eq!(stem(path), expected);
        }
    }

    #[test]
    fn a_common_commit_outweighs_names() {
        let common = Features { weight: 1.0, since_s: Some(0), ..Features::default() };
        let alike = Features {
            is_same_name: true,
            is_same_directory: true,
            is_same_extension: true,
            ..Features::default()
        };
        assert!(common.score() > alike.score());
    }
}
