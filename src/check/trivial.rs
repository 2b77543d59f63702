//! Recognises changes that cannot alter behaviour: white space, comments, documentation.
//!
//! The texts are compared without comments and without white space that has no meaning. Strings are
//! kept as they are. Where the scanner is uncertain, the change counts as one of code: an unclosed
//! quote keeps its line, indentation is kept in languages where it may have a meaning, a `#` after a
//! here-document or inside of a word is none that begins a comment, and comments that programs read
//! (`directives`) count as code. Docstrings count as comments, unless the file reads them itself.

mod directives;
mod docstrings;

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

/// Languages in which indentation has no meaning.
const FREE_FORM: &[&str] = &[
    "c",
    "cpp",
    "csharp",
    "css",
    "dart",
    "go",
    "java",
    "javascript",
    "json",
    "kotlin",
    "objective-c",
    "php",
    "protobuf",
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
const LONG_STRINGS: &[&str] = &["bash", "elixir", "perl", "php", "r", "ruby", "rust", "sql"];

/// Languages in which a string in single quotes may contain line breaks.
const LONG_QUOTES: &[&str] = &["bash", "perl", "php", "ruby", "sql"];

/// Languages with strings in triple quotes.
const TRIPLE_QUOTES: &[&str] =
    &["csharp", "dart", "elixir", "java", "julia", "kotlin", "python", "scala", "swift"];

/// Languages with here-documents, whose lines may look like comments.
const HERE_DOCUMENTS: &[&str] = &["bash", "hcl", "perl", "php", "ruby"];

/// Languages with regular expressions between slashes.
const REGEXES: &[&str] = &["javascript", "perl", "ruby", "tsx", "typescript"];

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
        // Pages of `man`.
        _ if extension.len() == 1 && extension.bytes().all(|it| (b'1'..=b'8').contains(&it)) => {
            true
        }
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

/// The start of a line that begins inside of a string; see [`code`].
pub const IN_STRING: char = '\u{1}';

/// Returns a text without its comments and documentation, and without blank lines and white space that
/// has no meaning. A line that begins inside of a string starts with [`IN_STRING`]. O(text).
pub fn code(language: Option<&Language>, text: &str) -> String {
    Essence { marks_strings: true, ..Essence::default() }.with(text, language).code
}

/// A text in its parts.
#[derive(Debug, Default)]
struct Essence<'t> {
    code: String,
    /// How many brackets are open at the end of `code`.
    depth: usize,
    /// True to begin lines inside of strings with [`IN_STRING`].
    marks_strings: bool,
    /// Whether a here-document, or a block of text in YAML, may have begun on a line that has ended.
    has_document: bool,
    comments: Vec<&'t str>,
    directives: Vec<&'t str>,
}

impl<'t> Essence<'t> {
    fn of(text: &'t str, language: Option<&Language>) -> Essence<'t> {
        Essence::default().with(text, language)
    }

    /// Adds a text.
    fn with(self, text: &'t str, language: Option<&Language>) -> Essence<'t> {
        let mut essence = self;
        let name = language.map_or("", |it| it.name);
        let rules = Rules::of(language);
        let reader = directives::Reader::new(name, text);
        let mut rest = text;
        // Programs that read their own docstrings may show or parse them.
        let has_docstrings = !["__doc__", "docopt"].iter().any(|word| text.contains(word));
        while let Some(first) = rest.chars().next() {
            let documentation = || {
                let is_open = essence.depth > 0;
                let length = docstrings::length(name, rest, &essence.code, is_open);
                length.filter(|_| has_docstrings)
            };
            if let Some(length) = documentation() {
                essence.comments.push(&rest[..length]);
                rest = &rest[length..];
                continue;
            }
            let length = rules.comment(rest, &essence).map(|length| (length, true));
            let length =
                length.or_else(|| rules.string(rest, &essence.code).map(|length| (length, false)));
            match length {
                Some((length, true)) => {
                    let comment = &rest[..length];
                    if reader.is_read(comment, text.len() - rest.len()) {
                        essence.directives.push(comment);
                    } else {
                        essence.comments.push(comment);
                    }
                    rest = &rest[length..];
                }
                Some((length, false)) if essence.marks_strings => {
                    let marked = rest[..length].replace('\n', &format!("\n{IN_STRING}"));
                    essence.code.push_str(&marked);
                    rest = &rest[length..];
                }
                Some((length, false)) => {
                    essence.code.push_str(&rest[..length]);
                    rest = &rest[length..];
                }
                None if first == '\n' => {
                    essence.end_line();
                    essence.has_document |= rules.begins_document(essence.line_before_end());
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
                    match first {
                        '(' | '[' | '{' => essence.depth += 1,
                        ')' | ']' | '}' => essence.depth = essence.depth.saturating_sub(1),
                        _ => {}
                    }
                    essence.code.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        essence.end_line();
        essence
    }

    /// Returns the last line that has ended.
    fn line_before_end(&self) -> &str {
        let code = self.code.strip_suffix('\n').unwrap_or(&self.code);
        code.rsplit('\n').next().unwrap_or(code)
    }

    /// Ends a line: blank lines and spaces at its end are dropped.
    fn end_line(&mut self) {
        let kept = self.code.trim_end_matches([' ', '\t', '\r']).len();
        self.code.truncate(kept);
        if !self.code.is_empty() && !self.code.ends_with('\n') {
            self.code.push('\n');
        }
    }
}

/// How the parts of a text are recognised.
struct Rules {
    name: &'static str,
    line: &'static [&'static str],
    block: &'static [(&'static str, &'static str)],
    is_free_form: bool,
}

impl Rules {
    fn of(language: Option<&Language>) -> Rules {
        let name = language.map_or("", |it| it.name);
        Rules {
            name,
            line: language.map_or(&[], |it| it.line_comments),
            block: language.map_or(&[], |it| it.block_comments),
            is_free_form: FREE_FORM.contains(&name),
        }
    }

    fn is_in(&self, languages: &[&str]) -> bool {
        languages.contains(&self.name)
    }

    /// Returns the length of the comment at the start of a text; `before` is what comes before it.
    fn comment(&self, text: &str, before: &Essence<'_>) -> Option<usize> {
        for (open, close) in self.block {
            if let Some(inner) = text.strip_prefix(open) {
                let end = inner.find(close).map(|at| open.len() + at + close.len());
                return Some(end.unwrap_or(text.len()));
            }
        }
        let is_line = self.line.iter().any(|open| text.starts_with(open));
        if !is_line || text.starts_with('#') && !self.may_begin_comment(before) {
            return None;
        }
        Some(text.find('\n').unwrap_or(text.len()))
    }

    /// Returns false if a `#` after `before` may be part of a word, an expression or a here-document.
    fn may_begin_comment(&self, before: &Essence<'_>) -> bool {
        let line = before.code.rsplit('\n').next().unwrap_or(&before.code);
        let is_in_word = line.ends_with(|c: char| !c.is_whitespace() && c != ';');
        let is_in_regex = self.is_in(REGEXES) && line.contains(['/', '%']);
        let is_in_document = before.has_document || self.begins_document(line);
        !is_in_word && !is_in_regex && !is_in_document
    }

    /// Returns true if the lines after this one may be text in which a `#` begins no comment.
    fn begins_document(&self, line: &str) -> bool {
        match self.name {
            "yaml" => line.trim_end_matches(['+', '-', ' ']).ends_with(['|', '>']),
            _ => self.is_in(HERE_DOCUMENTS) && has_here_document(line),
        }
    }

    /// Returns the length of the string at the start of a text; `code` is what comes before it.
    fn string(&self, text: &str, code: &str) -> Option<usize> {
        if let Some(length) = self.raw_string(text).or_else(|| self.regex(text, code)) {
            return Some(length);
        }
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
        for triple in ["\"\"\"", "'''"] {
            if self.is_in(TRIPLE_QUOTES) && text.starts_with(triple) {
                let end = text[3..].find(triple).map(|at| at + 6);
                return Some(end.unwrap_or(text.len()));
            }
        }
        // Rust's lifetimes.
        if quote == '\'' && self.name == "rust" {
            let mut inner = text.chars().skip(1);
            let is_char = inner.next() == Some('\\') || inner.next() == Some('\'');
            if !is_char {
                return None;
            }
        }
        let is_long = match quote {
            '"' => self.is_in(LONG_STRINGS),
            '\'' => self.is_in(LONG_QUOTES),
            _ => self.is_in(&["javascript", "typescript", "tsx", "go"]),
        };
        let has_escapes =
            !(self.name == "go" && quote == '`' || self.name == "bash" && quote == '\'');
        let line_end = text.find('\n').unwrap_or(text.len());
        let end = if is_long { text.len() } else { line_end };
        let mut is_escaped = false;
        for (at, c) in text[..end].char_indices().skip(1) {
            if c == quote && !is_escaped {
                return Some(at + 1);
            }
            is_escaped = has_escapes && c == '\\' && !is_escaped;
        }
        // It is not closed: the rest of the line is kept as it is.
        Some(line_end)
    }

    /// Returns the length of the string without escapes at the start of a text.
    fn raw_string(&self, text: &str) -> Option<usize> {
        let close = |open: usize, close: &str| {
            let end = text.get(open..)?.find(close).map(|at| open + at + close.len());
            Some(end.unwrap_or(text.len()))
        };
        match self.name {
            "rust" => {
                let inner = text.strip_prefix('r')?;
                let marks = inner.len() - inner.trim_start_matches('#').len();
                inner[marks..].starts_with('"').then_some(())?;
                close(marks + 2, &format!("\"{}", "#".repeat(marks)))
            }
            "cpp" | "c" | "objective-c" => {
                let inner = text.strip_prefix("R\"")?;
                let (mark, _) = inner.split_once('(').filter(|(mark, _)| mark.len() <= 16)?;
                close(mark.len() + 3, &format!("){mark}\""))
            }
            "csharp" => {
                let start = ["$@\"", "@$\"", "@\""].iter().find(|of| text.starts_with(**of))?;
                let mut at = start.len();
                loop {
                    at += text[at..].find('"').map_or(text.len() - at, |quote| quote + 1);
                    // Two quotes stand for one.
                    if !text[at..].starts_with('"') {
                        return Some(at);
                    }
                    at += 1;
                }
            }
            _ => None,
        }
    }

    /// Returns the length of the regular expression at the start of a text, if `code` may not end with
    /// a value.
    fn regex(&self, text: &str, code: &str) -> Option<usize> {
        if !self.is_in(REGEXES) || !text.starts_with('/') {
            return None;
        }
        let before = code.trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let may_begin = before.is_empty()
            || before.ends_with(|c: char| "(,=:[!&|?{};+-*%<>~^".contains(c))
            || matches!(
                word,
                "return" | "typeof" | "case" | "in" | "of" | "if" | "unless" | "when"
            );
        let line = &text[..text.find('\n').unwrap_or(text.len())];
        let (mut is_escaped, mut is_in_class) = (false, false);
        for (at, c) in line.char_indices().skip(1).filter(|_| may_begin) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => is_in_class = true,
                ']' => is_in_class = false,
                '/' if !is_in_class => return Some(at + 1),
                _ => {}
            }
        }
        None
    }
}

/// Returns true if a here-document begins in `code`: `<<EOF`, `<<~'SQL'`, `<<<HTML`.
fn has_here_document(code: &str) -> bool {
    code.match_indices("<<").any(|(at, _)| {
        let name = code[at + 2..].trim_start_matches(['<', '-', '~']);
        name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '"' | '\'' | '`'))
    })
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
        check("a.py", "def a():\n    'b'\n    c()\n", "def a():\n    c()\n", Some(Comments));
        check("a.py", "x = (\n'b'\n)\n", "x = (\n'c'\n)\n", None);
        check("a.py", "'b'\nprint(__doc__)\n", "'c'\nprint(__doc__)\n", None);
        check("a.rs", "//! you! a\nb();\n", "//! you! c\nb();\n", Some(Comments));
        check("a.ex", "  @doc \"a\"\n", "  @doc \"b\"\n", Some(Comments));
        check("README.md", "a\n", "b\n", Some(Documentation));
        check("requirements.txt", "a\n", "b\n", None);
        check("a.yaml", "a:\n  b: 1\n", "a:\nb: 1\n", None);
        check("a.rs", "same", "same", None);
    }

    #[test]
    fn what_looks_like_a_comment_may_be_code() {
        for (path, before, after) in [
            ("a.rs", "x = r#\"a \" // b\"#;\n", "x = r#\"a \" // c\"#;\n"),
            ("a.cpp", "x = R\"(a \" // b)\";\n", "x = R\"(a \" // c)\";\n"),
            ("a.cpp", "// a\nb();\n", "// a \\\nb();\n"),
            ("A.cs", "x = @\"a\n// b\";\n", "x = @\"a\n// c\";\n"),
            ("A.cs", "x = @\"a\"\" // b\";\n", "x = @\"a\"\" // c\";\n"),
            ("a.js", "x = /'/; y = '// b'\n", "x = /'/; y = '// c'\n"),
            ("a.js", "x = /[//]b/\n", "x = /[//]c/\n"),
            ("a.rb", "x =~ /a #b/\n", "x =~ /a #c/\n"),
            ("a.rb", "x = %w[a #b]\n", "x = %w[a #c]\n"),
            ("a.rb", "x = <<~END\n  # b\nEND\n", "x = <<~END\n  # c\nEND\n"),
            ("a.sh", "cat <<EOF\n# b\nEOF\n", "cat <<EOF\n# c\nEOF\n"),
            ("a.sh", "echo a#b\n", "echo a#c\n"),
            ("a.sh", "awk 'a\n# b'\n", "awk 'a\n# c'\n"),
            ("a.ex", "x = \"\"\"\n# b\n\"\"\"\n", "x = \"\"\"\n# c\n\"\"\"\n"),
            ("a.yml", "run: |\n  # b\n", "run: |\n  # c\n"),
        ] {
            check(path, before, after, None);
        }
    }
}
