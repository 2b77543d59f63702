//! Comments that programs read: directives of compilers, linters and runners, encodings, the C code of
//! cgo, annotations, expected outputs.

/// Starts of comments that programs read.
const WORDS: &[&str] = &[
    "+build",
    "-*-",
    "@flow",
    "@jsx",
    "@ts-",
    "NOLINT",
    "NOSONAR",
    "Output:",
    "Unordered output:",
    "__PURE__",
    "bats ",
    "c8 ",
    "clang-format",
    "codegen",
    "coding",
    "coverage",
    "cython:",
    "distutils:",
    "eslint",
    "export ",
    "fallthrough",
    "fmt:",
    "frozen_string",
    "go:",
    "isort:",
    "istanbul",
    "line ",
    "mypy",
    "noinspection",
    "nolint",
    "noqa",
    "nosec",
    "output:",
    "pragma",
    "prettier",
    "pylint",
    "pyright",
    "region",
    "rubocop",
    "ruff",
    "shareable_constant_value",
    "shellcheck",
    "sourceMappingURL",
    "swiftlint",
    "type:",
    "typed:",
    "unordered output:",
    "vite",
    "vim:",
    "warn_indent",
    "webpack",
    "yaml-language",
];

/// Tags of documentation that alter nothing; other ones are annotations, for example of test runners,
/// where comments may hold some.
const DOCUMENTATION_TAGS: &[&str] = &[
    "abstract",
    "access",
    "alias",
    "api",
    "arg",
    "argument",
    "async",
    "author",
    "augments",
    "callback",
    "category",
    "class",
    "const",
    "constant",
    "constructor",
    "copyright",
    "default",
    "defaultValue",
    "deprecated",
    "desc",
    "description",
    "enum",
    "event",
    "example",
    "exports",
    "extends",
    "external",
    "file",
    "fileoverview",
    "fires",
    "func",
    "function",
    "generator",
    "global",
    "ignore",
    "implements",
    "inheritDoc",
    "inheritdoc",
    "internal",
    "kind",
    "license",
    "link",
    "member",
    "memberof",
    "method",
    "mixin",
    "module",
    "name",
    "namespace",
    "override",
    "package",
    "param",
    "phpstan",
    "private",
    "prop",
    "property",
    "protected",
    "psalm",
    "public",
    "readonly",
    "remarks",
    "return",
    "returns",
    "satisfies",
    "see",
    "since",
    "source",
    "static",
    "subpackage",
    "summary",
    "template",
    "this",
    "throws",
    "todo",
    "tutorial",
    "type",
    "typedef",
    "typeParam",
    "uses",
    "var",
    "variation",
    "version",
    "virtual",
    "yields",
];

/// Languages whose programs read tags in comments.
const TAGGED: &[&str] = &["javascript", "php", "tsx", "typescript"];

/// Languages with `/// <reference …/>`.
const TYPESCRIPT: &[&str] = &["javascript", "tsx", "typescript"];

/// Tells which comments of a text are read by programs.
pub(super) struct Reader {
    language: &'static str,
    /// The text of the comments is C code for cgo, or may be.
    is_cgo: bool,
    /// Where the third line begins: an encoding is declared before it.
    head_end: usize,
}

impl Reader {
    /// A reader for a text in the language with this name.
    pub(super) fn new(language: &'static str, text: &str) -> Reader {
        let head_end = text.match_indices('\n').nth(1).map_or(text.len(), |(at, _)| at);
        Reader { language, is_cgo: language == "go" && text.contains("import \"C\""), head_end }
    }

    /// Returns true if a program may read the comment, which begins at the offset `start`; also where
    /// it is uncertain that it ends where it seems to.
    pub(super) fn is_read(&self, comment: &str, start: usize) -> bool {
        let inner =
            comment.trim_start_matches(['/', '#', '*', '-', ';', '%', '(', '{', '<', ' ', '\t']);
        self.is_cgo
            || start == 0 && comment.starts_with("#!")
            || start < self.head_end && comment.contains("coding")
            || WORDS.iter().any(|word| inner.starts_with(word))
            || comment.starts_with("/*!") && self.language == "sql"
            // Hints for databases, pragmas of Haskell.
            || ["/*+", "--+", "{-#"].iter().any(|open| comment.starts_with(open))
            || is_reference(comment) && TYPESCRIPT.contains(&self.language)
            || has_annotation(comment) && TAGGED.contains(&self.language)
            || self.may_end_elsewhere(comment)
    }

    /// Returns true if the comment has bytes that are no UTF-8, which some compilers refuse, or ends
    /// elsewhere for some compilers.
    fn may_end_elsewhere(&self, comment: &str) -> bool {
        let line_ends = ['\u{2028}', '\u{2029}', '\u{85}', '\u{b}', '\u{c}', '\0'];
        let without_end = comment.strip_suffix('\r').unwrap_or(comment);
        comment.contains(char::REPLACEMENT_CHARACTER)
            || without_end.contains(line_ends)
            || without_end.replace("\r\n", "").contains('\r')
            || without_end.ends_with('\\')
            || without_end.ends_with("??/")
            || self.language == "java" && comment.contains("\\u")
    }
}

fn is_reference(comment: &str) -> bool {
    comment.strip_prefix("///").is_some_and(|inner| inner.trim_start().starts_with('<'))
}

/// Returns true if a line of the comment begins with a tag that documents nothing.
fn has_annotation(comment: &str) -> bool {
    comment.lines().any(|line| {
        let line = line.trim_start_matches(['/', '*', '#', ' ', '\t']);
        line.strip_prefix('@').is_some_and(|tag| {
            let end = tag.find(|c: char| !c.is_alphanumeric()).unwrap_or(tag.len());
            end > 0 && !DOCUMENTATION_TAGS.contains(&&tag[..end])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_that_programs_read_are_known() {
        for (language, comment) in [
            ("python", "# type: int"),
            ("python", "# \u{fffd}"),
            ("python", "# a\rb()"),
            ("ruby", "# encoding: ascii"),
            ("ruby", "# typed: strict"),
            ("typescript", "/// <reference path=\"a.d.ts\" />"),
            ("javascript", "/**\n * @jest-environment jsdom\n */"),
            ("javascript", "// @vitest-environment jsdom"),
            ("php", "/**\n * @dataProvider rows\n */"),
            ("php", "/** @ORM\\Entity */"),
            ("go", "// Output: 3"),
            ("java", "// \\u000a b();"),
            ("c", "// a \\"),
            ("haskell", "{-# LANGUAGE GADTs #-}"),
            ("sql", "/*+ INDEX(a) */"),
            ("sql", "/*!50000 a */"),
        ] {
            assert!(Reader::new(language, comment).is_read(comment, 0), "{comment:?}");
        }
        for (language, comment) in [
            ("python", "# a"),
            ("python", "# a\r"),
            ("csharp", "/// <summary>"),
            ("javascript", "/**\n * @param {string} a\n * @returns {number}\n */"),
            ("php", "/** @return int */"),
            ("java", "/** @Test */"),
            ("rust", "//! Begins here."),
            ("cpp", "/*! a */"),
            ("c", "/* a \r\n b */"),
        ] {
            assert!(!Reader::new(language, comment).is_read(comment, 0), "{comment:?}");
        }
        let cgo = "package a\n\n// int f();\nimport \"C\"\n";
        assert!(Reader::new("go", cgo).is_read("// int f();", 11));
        assert!(!Reader::new("go", "package a\n").is_read("// int f();", 11));
    }
}
