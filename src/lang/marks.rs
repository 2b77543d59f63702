//! Marks: signs by which a file is told to be generated, vendored, minified, a test or a mere
//! declaration. Such files rank after others; they never vanish.
//!
//! Decided by the path and the first bytes of the text, nothing else; docs/languages.md lists the
//! signs. A wrong mark costs a place in a ranking, so a sign must be one that hardly errs.

use std::path::Path;

use bstr::ByteSlice;
use serde::Serialize;

use super::language;

/// Bytes of a text that are looked at.
pub const HEAD_BYTES: usize = 16 << 10;

/// Lines of a text's head in which a sign of a generator counts.
const GENERATED_LINES_MAX: usize = 40;

/// Average bytes of a line beyond which source text counts as minified.
const LINE_BYTES_AVERAGE: usize = 300;

/// Bytes below which a text is too short to be called minified.
const MINIFIED_BYTES_MIN: usize = 2048;

/// What a file is told to be.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq, Serialize)]
pub struct Marks {
    /// Written by a program.
    #[serde(skip_serializing_if = "is_unset")]
    pub generated: bool,
    /// A copy of somebody else's code.
    #[serde(skip_serializing_if = "is_unset")]
    pub vendored: bool,
    /// Made small for machines.
    #[serde(skip_serializing_if = "is_unset")]
    pub minified: bool,
    /// Tests, their helpers and their data.
    #[serde(skip_serializing_if = "is_unset")]
    pub test: bool,
    /// Says what there is, and is no code itself: `.d.ts`, `.pyi`.
    #[serde(skip_serializing_if = "is_unset")]
    pub declaration: bool,
}

fn is_unset(mark: &bool) -> bool {
    !mark
}

impl Marks {
    /// Returns the union of both.
    pub fn with(self, other: Marks) -> Marks {
        Marks::from_bits(self.to_bits() | other.to_bits())
    }

    /// Returns true if the file is nobody's own source here: generated, vendored or minified.
    pub fn ranks_last(self) -> bool {
        self.generated || self.vendored || self.minified
    }

    /// Returns the rank of a file that is told to be so: the tree's own sources come before tests, and
    /// those before others' code.
    pub fn rank(self) -> u8 {
        u8::from(self.test) + 2 * u8::from(self.ranks_last())
    }

    /// Returns the marks as the lowest five bits, in the order of the fields.
    pub fn to_bits(self) -> u8 {
        let Marks { generated, vendored, minified, test, declaration } = self;
        let marks = [generated, vendored, minified, test, declaration];
        marks.iter().enumerate().fold(0, |bits, (at, &mark)| bits | (u8::from(mark) << at))
    }

    /// Returns the marks that [`Marks::to_bits`] gave; other bits count for nothing.
    pub fn from_bits(bits: u8) -> Marks {
        let mark = |at: u8| bits >> at & 1 == 1;
        Marks {
            generated: mark(0),
            vendored: mark(1),
            minified: mark(2),
            test: mark(3),
            declaration: mark(4),
        }
    }

    /// Returns the names of the marks that are set, in the order of the fields.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        const NAMES: [&str; 5] = ["generated", "vendored", "minified", "test", "declaration"];
        let bits = self.to_bits();
        NAMES.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1).map(|(_, name)| *name)
    }
}

/// Folders of other people's code.
const VENDORED_FOLDERS: &[&[u8]] = &[
    b"vendor",
    b"vendored",
    b"_vendor",
    b"third_party",
    b"third-party",
    b"thirdparty",
    b"3rdparty",
    b"node_modules",
    b"bower_components",
    b"jspm_packages",
    b"Pods",
    b"Carthage",
    b"site-packages",
    b"Godeps",
    b".yarn",
    b".venv",
];

/// Folders that programs write.
const GENERATED_FOLDERS: &[&[u8]] = &[
    b"dist",
    b"__generated__",
    b"generated",
    b"generated-sources",
    b"__pycache__",
    b".next",
    b".nuxt",
];

/// Folders of tests and their data, whatever the language.
const TEST_FOLDERS: &[&[u8]] = &[
    b"test",
    b"tests",
    b"__tests__",
    b"__mocks__",
    b"__fixtures__",
    b"__snapshots__",
    b"testdata",
    b"spec",
    b"specs",
    b"e2e",
    b"fixtures",
    b"selftests",
];

/// Files that programs write, by their whole name.
const GENERATED_NAMES: &[&[u8]] = &[
    b"package-lock.json",
    b"npm-shrinkwrap.json",
    b"yarn.lock",
    b"pnpm-lock.yaml",
    b"bun.lock",
    b"Cargo.lock",
    b"poetry.lock",
    b"uv.lock",
    b"Pipfile.lock",
    b"pdm.lock",
    b"composer.lock",
    b"Gemfile.lock",
    b"go.sum",
    b"go.work.sum",
    b"flake.lock",
    b"mix.lock",
    b"pubspec.lock",
    b"Podfile.lock",
    b"packages.lock.json",
    b"gradle.lockfile",
    b"deno.lock",
];

/// Files that programs write, by the end of their name.
const GENERATED_ENDS: &[&[u8]] = &[
    b".pb.go",
    b".pb.gw.go",
    b".pb.cc",
    b".pb.h",
    b".pb.rs",
    b"_pb2.py",
    b"_pb2_grpc.py",
    b"_pb2.pyi",
    b"_pb.js",
    b"_pb.ts",
    b"_pb.d.ts",
    b".g.dart",
    b".freezed.dart",
    b".g.cs",
    b".g.i.cs",
    b".designer.cs",
    b".Designer.cs",
    b".generated.ts",
    b".generated.js",
    b".generated.cs",
    b".generated.go",
    b"_generated.go",
    b"_generated.rs",
    b".gen.go",
    b".gen.ts",
    b"_string.go",
    b".snap",
    b".js.map",
    b".css.map",
];

/// Files made small, by the end of their name.
const MINIFIED_ENDS: &[&[u8]] =
    &[b".min.js", b".min.mjs", b".min.cjs", b".min.css", b"-min.js", b"-min.css", b".bundle.js"];

/// Files that only declare, by the end of their name.
const DECLARATION_ENDS: &[&[u8]] =
    &[b".d.ts", b".d.mts", b".d.cts", b".pyi", b".rbi", b".mli", b".js.flow"];

/// Signs of generators in one of the first lines, lowercase.
const GENERATED_SIGNS: &[&[u8]] = &[
    b"@generated",
    b"do not edit",
    b"do not modify",
    b"auto-generated",
    b"autogenerated",
    b"automatically generated",
    b"automatically @generated",
    b"generated by ",
    b"code generated ",
    b"this file was generated",
    b"this file is generated",
    b"<auto-generated",
];

/// Returns the marks of the file at a repository path whose text starts with `head`. O(path + head).
pub fn marks(path: &[u8], head: &[u8]) -> Marks {
    of_path(path).with(of_text(path, head))
}

/// Returns the marks that the repository path alone gives. O(path).
pub fn of_path(path: &[u8]) -> Marks {
    let (dir, name) = crate::base::path::split(path);
    let folders =
        dir.split_str("/").fold(Marks::default(), |marks, part| marks.with(of_folder(part)));
    folders.with(of_name(name))
}

/// Returns the marks that a folder called `name` gives to all that is in it. O(name).
pub fn of_folder(name: &[u8]) -> Marks {
    Marks {
        generated: GENERATED_FOLDERS.contains(&name),
        vendored: VENDORED_FOLDERS.contains(&name),
        test: TEST_FOLDERS.contains(&name),
        ..Marks::default()
    }
}

/// Returns the marks that a file's name gives. O(name).
pub fn of_name(name: &[u8]) -> Marks {
    Marks {
        test: is_test_name(name),
        declaration: DECLARATION_ENDS.iter().any(|end| name.ends_with(end)),
        ..of_machine_name(name)
    }
}

/// Returns whether a file's name says that it is generated or minified: what makes it rank last, and
/// is found out faster than all of [`of_name`]. O(name).
pub fn of_machine_name(name: &[u8]) -> Marks {
    let ends = |ends: &[&[u8]]| ends.iter().any(|end| name.ends_with(end));
    Marks {
        generated: GENERATED_NAMES.contains(&name) || ends(GENERATED_ENDS),
        minified: ends(MINIFIED_ENDS),
        ..Marks::default()
    }
}

/// Returns true for `x_test.go`, `test_x.py`, `x.spec.ts`, `XTest.java`, `conftest.py` and what the
/// table of languages adds.
fn is_test_name(name: &[u8]) -> bool {
    let stem = name.rfind_byte(b'.').map_or(name, |dot| &name[..dot]);
    if stem.len() == name.len() {
        return false;
    }
    let ends: [&[u8]; 8] =
        [b"_test", b".test", b"-test", b"_spec", b".spec", b"Test", b"Tests", b"_tests"];
    let by_stem = ends.iter().any(|end| stem.ends_with(end) && stem.len() > end.len());
    if by_stem || stem.starts_with(b"test_") || name == b"conftest.py" {
        // A word such as `Latest` ends in it, too, but not with a capital.
        return true;
    }
    let path = Path::new(name.to_str().unwrap_or_default());
    language::of_name(name).is_some_and(|language| language.is_test_path(path))
}

/// Returns the marks that the head of a text gives.
fn of_text(path: &[u8], head: &[u8]) -> Marks {
    let head = &head[..head.len().min(HEAD_BYTES)];
    Marks { generated: is_generated(head), minified: is_minified(path, head), ..Marks::default() }
}

/// Returns true if one of the first lines is a comment that names a generator.
fn is_generated(head: &[u8]) -> bool {
    let mut in_block = false;
    for line in head.lines().take(GENERATED_LINES_MAX) {
        let line = line[..line.len().min(512)].trim_ascii().to_ascii_lowercase();
        let opens: [&[u8]; 10] =
            [b"//", b"#", b"/*", b"--", b";", b"<!--", b"%", b"\"\"\"", b"'", b"{-"];
        let is_comment = in_block || opens.iter().any(|open| line.starts_with(open));
        if line.contains_str("/*") || line.contains_str("<!--") {
            in_block = true;
        }
        if line.contains_str("*/") || line.contains_str("-->") {
            in_block = false;
        }
        if is_comment && GENERATED_SIGNS.iter().any(|sign| has_sign(&line, sign)) {
            return true;
        }
    }
    false
}

/// Returns true if `line` says `sign`, and not that something is *not* so.
fn has_sign(line: &[u8], sign: &[u8]) -> bool {
    let Some(at) = line.find(sign) else { return false };
    let before = line[..at].trim_ascii_end();
    !(before.ends_with(b"not") || before.ends_with(b"never") || before.ends_with(b"be"))
}

/// Returns true if script or style text has lines that nobody types.
fn is_minified(path: &[u8], head: &[u8]) -> bool {
    let ends: [&[u8]; 6] = [b".js", b".mjs", b".cjs", b".css", b".ts", b".jsx"];
    if head.len() < MINIFIED_BYTES_MIN || !ends.iter().any(|end| path.ends_with(end)) {
        return false;
    }
    let lines = head.find_iter("\n").count() + 1;
    head.len() / lines > LINE_BYTES_AVERAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, head: &str) -> String {
        marks(path.as_bytes(), head.as_bytes()).names().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn paths_give_marks() {
        for (path, expected) in [
            ("src/main.rs", ""),
            ("src/latest.rs", ""),
            ("src/test.rs", ""),
            ("vendor/a/b.go", "vendored"),
            ("web/node_modules/x/index.js", "vendored"),
            ("src/vendor.rs", ""),
            ("a/dist/app.js", "generated"),
            ("js/jquery.min.js", "minified"),
            ("api/v1/x.pb.go", "generated"),
            ("api/x_pb2.py", "generated"),
            ("Cargo.lock", "generated"),
            ("web/package-lock.json", "generated"),
            ("pkg/a_test.go", "test"),
            ("tests/it/main.rs", "test"),
            ("src/__tests__/Hook-test.js", "test"),
            ("test_views.py", "test"),
            ("conftest.py", "test"),
            ("src/UserTest.java", "test"),
            ("types/index.d.ts", "declaration"),
            ("a/stubs.pyi", "declaration"),
            ("node_modules/x/tests/y.d.ts", "vendored test declaration"),
        ] {
            assert_eq!(names(path, ""), expected, "{path}");
        }
    }

    #[test]
    fn heads_of_texts_give_marks() {
        for (head, expected) in [
            ("// Code generated by protoc-gen-go. DO NOT EDIT.\npackage x\n", "generated"),
            ("# @generated by x\n", "generated"),
            ("/*\n * This file was generated by a tool.\n */\n", "generated"),
            ("#!/bin/sh\n# DO NOT EDIT: made from x.in\n", "generated"),
            ("// <auto-generated />\n", "generated"),
            ("let s = \"Code generated by hand\";\n", ""),
            ("// This is not generated by anything.\n", ""),
            ("int x;\n", ""),
        ] {
            assert_eq!(names("a.c", head), expected, "{head}");
        }
        // Too late in the file to speak of the file.
        let late = format!("{}// DO NOT EDIT\n", "x\n".repeat(50));
        assert_eq!(names("a.go", &late), "");
    }

    #[test]
    fn long_lines_are_minified_only_in_scripts() {
        let long = "a=1;".repeat(1000);
        assert_eq!(names("a.js", &long), "minified");
        assert_eq!(names("a.css", &long), "minified");
        assert_eq!(names("a.md", &long), "");
        assert_eq!(names("a.js", "a=1;"), "");
        assert_eq!(names("a.js", &"let a = 1;\n".repeat(500)), "");
    }

    #[test]
    fn marks_are_bits() {
        for bits in 0..32 {
            assert_eq!(Marks::from_bits(bits).to_bits(), bits);
        }
        assert_eq!(Marks::from_bits(255).to_bits(), 31);
        let any = marks(b"\xFF/\xFE.js", &[0xFF; 5000]);
        assert!(any.minified && !any.test);
    }
}
