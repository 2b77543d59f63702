//! How far the path of a test file mirrors the path of a source file.

use crate::catalog::test_names::{folded, tested};

/// Directories that name a kind of file rather than a part of the program.
const GENERIC: [&str; 16] = [
    "src",
    "lib",
    "source",
    "main",
    "java",
    "kotlin",
    "scala",
    "python",
    "test",
    "tests",
    "testing",
    "spec",
    "specs",
    "unit",
    "e2e",
    "integration",
];

/// Stems of files that represent their directory.
const DIRECTORY_STEMS: [&str; 6] = ["mod", "lib", "main", "index", "init", "package"];

/// The minimum length of a name that counts if it is only a part of another one.
const PART_LEN_MIN: usize = 3;

/// Returns the parts of a path that name what it is about: its directories and its stem, folded.
fn parts(path: &str, is_test: bool) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let named = if is_test { tested(path.as_bytes()) } else { None };
    let stem = named.unwrap_or_else(|| folded(name.split('.').next().unwrap_or_default()));
    let folders = folder.split('/').map(folded);
    let mut parts: Vec<String> =
        folders.filter(|part| !part.is_empty() && !GENERIC.contains(&part.as_str())).collect();
    if parts.is_empty() || !DIRECTORY_STEMS.contains(&stem.as_str()) {
        parts.push(stem);
    }
    parts
}

/// Returns how far the path of the test file `test` mirrors that of `source`, from 0 to 1: a file of
/// the same name counts more than a directory of that name, and that more than a name that begins in
/// the same way, or the same directory. O(length of the paths).
pub(super) fn mirrored(source: &str, test: &str) -> f32 {
    let (of, by) = (parts(source, false), parts(test, true));
    let (Some((stem, around)), Some((name, folders))) = (of.split_last(), by.split_last()) else {
        return 0.0;
    };
    if stem == name {
        let shared = around.iter().rev().zip(folders.iter().rev()).all(|(a, b)| a == b);
        return if shared { 1.0 } else { 0.8 };
    }
    let is_part = |part: &str| part.len() >= PART_LEN_MIN;
    if is_part(stem) && folders.contains(stem) {
        return 0.7;
    }
    if is_part(stem) && (name.starts_with(stem.as_str()) || name.ends_with(stem.as_str())) {
        return 0.5;
    }
    let is_longer = is_part(name) && (stem.starts_with(name.as_str()) || around.contains(name));
    let folder = |path: &str| path.rsplit_once('/').map_or(0, |(folder, _)| folder.len());
    let is_beside = source[..folder(source)] == test[..folder(test)];
    if is_longer {
        0.4
    } else if is_beside {
        0.2
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_mirror_each_other_are_ordered() {
        for (source, test, expected) in [
            ("lib/response.js", "__tests__/response/body.test.js", 0.7),
            ("lib/response.js", "__tests__/response.test.js", 1.0),
            ("src/shop/cart.py", "tests/shop/test_cart.py", 1.0),
            ("src/shop/cart.py", "tests/test_cart.py", 1.0),
            ("src/shop/cart.py", "tests/bank/test_cart.py", 0.8),
            ("src/shop/cart.py", "tests/test_cart_total.py", 0.5),
            ("src/shop/cart.py", "tests/test_shop.py", 0.4),
            ("src/shop/__init__.py", "tests/test_shop.py", 1.0),
            ("net/server.go", "net/client_test.go", 0.2),
            ("src/shop/cart.py", "tests/test_mail.py", 0.0),
        ] {
            assert_eq!(mirrored(source, test), expected, "{source}: {test}");
        }
    }
}
