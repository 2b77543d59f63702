//! Recognises changes that cannot alter behaviour: white space, comments, documentation.
//!
//! The texts are compared without comments and without white space that has no meaning. Strings are
//! kept as they are. Where the scanner is uncertain, the change counts as one of code: an unclosed
//! quote keeps its line, indentation is kept in languages where it may have a meaning, and comments
//! that programs read (`# type: ignore`, `//go:build`) count as code.

use serde::Serialize;

use crate::base::path;
use crate::lang::Language;

/// Why a change is trivial.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trivial {
    /// Only white space differs.
    Whitespace,
    /// Only comments and white space differ.
    Comments,
    /// The file contains documentation.
    Documentation,
}

impl Trivial {
    /// Returns what differs, in words.
    pub fn name(self) -> &'static str {
        match self {
            Trivial::Whitespace => "white space",
            Trivial::Comments => "comments",
            Trivial::Documentation => "documentation",
        }
    }
}

/// Words in comments that programs read.
const DIRECTIVES: &[&str] = &[
    "!",
    "+build",
    "-*-",
    "@flow",
    "@jsx",
    "@ts-",
    "NOLINT",
    "NOSONAR",
    "c8 ",
    "clang-format",
    "codegen",
    "coding",
    "coverage",
    "eslint",
    "export ",
    "fallthrough",
    "fmt:",
    "frozen_string",
    "go:",
    "istanbul",
    "line ",
    "mypy",
    "noinspection",
    "nolint",
    "noqa",
    "pragma",
    "prettier",
    "pylint",
    "pyright",
    "region",
    "rubocop",
    "ruff",
    "shellcheck",
    "sourceMappingURL",
    "swiftlint",
    "type:",
    "vite",
    "vim:",
    "webpack",
    "yaml-language",
];

/// Languages in which indentation has no meaning.
const FREE_FORM: &[&str] = &[
    "c",
    "c++",
    "c#",
    "css",
    "dart",
    "go",
    "java",
    "javascript",
    "json",
    "kotlin",
    "objective-c",
    "php",
    "proto",
    "rust",
    "scala",
    "scss",
    "sql",
    "swift",
    "tsx",
    "typescript",
    "zig",
];

/// Languages in which a string in double quotes may contain line breaks.
const LONG_STRINGS: &[&str] = &["bash", "elixir", "php", "r", "ruby", "rust", "sql"];

/// Names of files with documentation, without extension, in lower case.
const DOCUMENTS: &[&str] = &[
    "authors",
    "changelog",
    "changes",
    "code_of_conduct",
    "contributing",
    "copying",
    "history",
    "license",
    "licence",
    "maintainers",
    "news",
    "notice",
    "readme",
    "security",
    "todo",
];

/// Returns true if a path is that of a file with documentation for people.
pub fn is_documentation(path: &[u8]) -> bool {
    let name = String::from_utf8_lossy(path::split(path).1).to_lowercase();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
    let below_docs = || {
        let directory = String::from_utf8_lossy(path::split(path).0).to_lowercase();
        directory.split('/').any(|part| part == "doc" || part == "docs")
    };
    match extension {
        "md" | "markdown" | "rst" | "adoc" | "asciidoc" => true,
        "txt" => below_docs() || DOCUMENTS.contains(&stem),
        "" => DOCUMENTS.contains(&stem),
        _ => false,
    }
}

/// Returns why the change of a file from `before` to `after` is trivial; `None` if it may alter
/// behaviour. O(texts).
pub fn trivial(
    path: &[u8],
    language: Option<&Language>,
    before: &str,
    after: &str,
) -> Option<Trivial> {
    if before == after {
        // The texts have their secrets masked: a secret may differ.
        return None;
    }
    if is_documentation(path) {
        return Some(Trivial::Documentation);
    }
    let (old, new) = (Essence::of(before, language), Essence::of(after, language));
    if old.code != new.code || old.directives != new.directives {
        None
    } else if old.comments == new.comments {
        Some(Trivial::Whitespace)
    } else {
        Some(Trivial::Comments)
    }
}

/// Returns the lines of a text that are neither blank nor only comments, by their numbers from 1.
pub fn code_lines(language: Option<&Language>, text: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if !Essence::of(line, language).code.trim().is_empty() {
            lines.push(at + 1);
        }
    }
    lines
}

/// A text in its parts.
#[derive(Debug, Default)]
struct Essence<'t> {
    code: String,
    comments: Vec<&'t str>,
    directives: Vec<&'t str>,
}

impl<'t> Essence<'t> {
    fn of(text: &'t str, language: Option<&Language>) -> Essence<'t> {
        let mut essence = Essence::default();
        let name = language.map_or("", |it| it.name);
        let rules = Rules {
            line: language.map_or(&[], |it| it.line_comments),
            block: language.map_or(&[], |it| it.block_comments),
            is_free_form: FREE_FORM.contains(&name),
            has_long_strings: LONG_STRINGS.contains(&name),
            has_lifetimes: name == "rust",
            has_triple: matches!(name, "python" | "kotlin" | "scala" | "java" | "swift" | "dart"),
            has_backticks: matches!(name, "javascript" | "typescript" | "tsx" | "go"),
        };
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = rules.comment(rest).map(|length| (length, true));
            let length = length.or_else(|| rules.string(rest).map(|length| (length, false)));
            match length {
                Some((length, true)) => {
                    essence.comment(&rest[..length], text.len() == rest.len());
                    rest = &rest[length..];
                }
                Some((length, false)) => {
                    essence.code.push_str(&rest[..length]);
                    rest = &rest[length..];
                }
                None if first == '\n' => {
                    essence.end_line(rules.is_free_form);
                    rest = &rest[1..];
                }
                None if first.is_whitespace() => {
                    let length = rest.len()
                        - rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n').len();
                    let is_indent = essence.code.ends_with('\n') || essence.code.is_empty();
                    match (is_indent, rules.is_free_form) {
                        (true, true) => {}
                        (true, false) => essence.code.push_str(&rest[..length]),
                        (false, _) => essence.code.push(' '),
                    }
                    rest = &rest[length..];
                }
                None => {
                    essence.code.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        essence.end_line(rules.is_free_form);
        essence
    }

    fn comment(&mut self, text: &'t str, is_first: bool) {
        let inner =
            text.trim_start_matches(['/', '#', '*', '-', ';', '%', '(', '{', '<', ' ', '\t']);
        let is_shebang = is_first && text.starts_with("#!");
        if is_shebang || DIRECTIVES.iter().any(|word| inner.starts_with(word)) {
            self.directives.push(text);
        } else {
            self.comments.push(text);
        }
    }

    /// Ends a line: blank lines and spaces at its end are dropped.
    fn end_line(&mut self, _is_free_form: bool) {
        let kept = self.code.trim_end_matches([' ', '\t', '\r']).len();
        self.code.truncate(kept);
        if !self.code.is_empty() && !self.code.ends_with('\n') {
            self.code.push('\n');
        }
    }
}

/// How the parts of a text are recognised.
struct Rules {
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
    is_free_form: bool,
    has_long_strings: bool,
    has_lifetimes: bool,
    has_triple: bool,
    has_backticks: bool,
}

impl Rules {
    /// Returns the length of the comment at the start of a text.
    fn comment(&self, text: &str) -> Option<usize> {
        for (open, close) in self.block {
            if let Some(inner) = text.strip_prefix(open) {
                let end = inner.find(close).map(|at| open.len() + at + close.len());
                return Some(end.unwrap_or(text.len()));
            }
        }
        let is_line = self.line.iter().any(|open| text.starts_with(open));
        is_line.then(|| text.find('\n').unwrap_or(text.len()))
    }

    /// Returns the length of the string at the start of a text.
    fn string(&self, text: &str) -> Option<usize> {
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
        for triple in ["\"\"\"", "'''"] {
            if self.has_triple && text.starts_with(triple) {
                let end = text[3..].find(triple).map(|at| at + 6);
                return Some(end.unwrap_or(text.len()));
            }
        }
        if quote == '\'' && self.has_lifetimes {
            let mut inner = text.chars().skip(1);
            let is_char = inner.next() == Some('\\') || inner.next() == Some('\'');
            if !is_char {
                return None;
            }
        }
        let is_long = match quote {
            '"' => self.has_long_strings,
            '`' => self.has_backticks,
            _ => false,
        };
        let line_end = text.find('\n').unwrap_or(text.len());
        let end = if is_long { text.len() } else { line_end };
        let mut is_escaped = false;
        for (at, c) in text[..end].char_indices().skip(1) {
            if c == quote && !is_escaped {
                return Some(at + 1);
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        // It is not closed: the rest of the line is kept as it is.
        Some(line_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::language;

    #[track_caller]
    fn check(path: &str, before: &str, after: &str, expected: Option<Trivial>) {
        let language = language::of_path(std::path::Path::new(path));
        let found = trivial(path.as_bytes(), language, before, after);
        assert_eq!(found, expected, "{path}: {before:?} → {after:?}");
    }

    #[test]
    fn comments_and_white_space_are_trivial() {
        use Trivial::{Comments, Documentation, Whitespace};
        check("a.rs", "fn a() {}\n", "fn  a()  {}\n\n", Some(Whitespace));
        check("a.rs", "fn a() { b(); }\n", "    fn a() { b(); }\n", Some(Whitespace));
        check("a.rs", "a(); // x\n", "/* z */ a(); // y\n", Some(Comments));
        check("a.rs", "a(\"// x\");\n", "a(\"// y\");\n", None);
        check("a.rs", "f::<'a>(\"it's // x\");\n", "f::<'a>(\"it's // y\");\n", None);
        check("a.py", "if a:\n    b()\n", "if a:\n        b()\n", None);
        check("a.py", "if a:\n    b()\n", "if a:\n    b()  # why\n\n", Some(Comments));
        check("a.py", "x = 1  # a\n", "x = 1  # type: int\n", None);
        check("a.py", "#!/bin/a\n", "#!/bin/b\n", None);
        check("a.js", "x = `a\n // b`\n", "x = `a\n // c`\n", None);
        check("a.go", "//go:build a\n", "//go:build b\n", None);
        check("a.js", "return 1\n", "return\n1\n", None);
        check("a.js", "u = 'http://a'\n", "u = 'http://b'\n", None);
        check("README.md", "a\n", "b\n", Some(Documentation));
        check("requirements.txt", "a\n", "b\n", None);
        check("a.yaml", "a:\n  b: 1\n", "a:\nb: 1\n", None);
        check("a.rs", "same", "same", None);
    }
}
