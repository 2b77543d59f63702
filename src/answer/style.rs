//! How a rendered reply displays paths, line numbers and names.
//!
//! Replies hold repository paths, relative to the root of the tree. The caller of
//! [`render`](crate::tools::Reply::render) chooses their display: agents get them unchanged
//! ([`Plain`]), the command line shows them relative to the current directory, in colour and as
//! hyperlinks.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::base::text::plain;

/// A part of a line that may be coloured.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// A path.
    Path,
    /// A line number, or a range of them.
    Line,
    /// The name of a definition.
    Name,
    /// Text that matches the query.
    Match,
    /// A heading.
    Title,
    /// Text of less importance.
    Faint,
    /// A bar, or another drawing.
    Drawing,
    /// What is good, or was added.
    Good,
    /// What is worth a look.
    Fair,
    /// What is bad, or was removed.
    Bad,
    /// What is very bad.
    Worst,
    /// A keyword of a programming language.
    Keyword,
    /// A literal of a programming language.
    Literal,
    /// A comment of a programming language.
    Comment,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 14] = [
        Part::Path,
        Part::Line,
        Part::Name,
        Part::Match,
        Part::Title,
        Part::Faint,
        Part::Drawing,
        Part::Good,
        Part::Fair,
        Part::Bad,
        Part::Worst,
        Part::Keyword,
        Part::Literal,
        Part::Comment,
    ];
}

/// The display of a reply. The default methods return their input unchanged.
pub trait Style {
    /// Returns a repository path as it is displayed, without colour.
    fn relative<'p>(&self, path: &'p str) -> Cow<'p, str> {
        Cow::Borrowed(path)
    }

    /// Returns `text`, which is free of control characters, in the colour of its part.
    fn paint(&self, _part: Part, text: String) -> String {
        text
    }

    /// Returns `text`, perhaps coloured, as a hyperlink to a file or to one of its lines.
    fn link(&self, _path: &str, _line: Option<usize>, text: String) -> String {
        text
    }

    /// Returns a call of a tool as the reader would make it; `tool` has its prefix.
    fn call(&self, tool: &str, args: &Map<String, Value>) -> String {
        format!("{tool} {}", plain(&Value::Object(args.clone()).to_string()))
    }
}

/// Repository paths, no colours, no links.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Style for Plain {}

impl dyn Style + '_ {
    /// Returns a path: `src/a.rs`.
    pub fn path(&self, path: &str) -> String {
        self.link(path, None, self.paint(Part::Path, plain(&self.relative(path))))
    }

    /// Returns `name`, the last components of `path`, where the rest is clear from the context.
    pub fn entry(&self, path: &str, name: &str) -> String {
        self.link(path, None, self.paint(Part::Path, plain(name)))
    }

    /// Returns a path with a line: `src/a.rs:12`.
    pub fn place(&self, path: &str, line: usize) -> String {
        self.place_of(path, line, line.to_string())
    }

    /// Returns a path with a range of lines: `src/a.rs:12-15`.
    pub fn range(&self, path: &str, line: usize, end_line: usize) -> String {
        self.place_of(path, line, format!("{line}-{end_line}"))
    }

    fn place_of(&self, path: &str, line: usize, lines: String) -> String {
        let shown = self.paint(Part::Path, plain(&self.relative(path)));
        self.link(path, Some(line), format!("{shown}:{}", self.paint(Part::Line, lines)))
    }

    /// Returns a range of lines of the file at `path`: `12-15`.
    pub fn lines(&self, path: &str, line: usize, end_line: usize) -> String {
        self.link(path, Some(line), self.paint(Part::Line, format!("{line}-{end_line}")))
    }

    /// Returns the number of a line of the file at `path`, right-aligned in `width` columns.
    pub fn line(&self, path: &str, line: usize, width: usize) -> String {
        let number = line.to_string();
        let blanks = width.saturating_sub(number.len());
        let number = self.link(path, Some(line), self.paint(Part::Line, number));
        if blanks == 0 { number } else { " ".repeat(blanks) + &number }
    }

    /// Returns the name of a definition.
    pub fn name(&self, name: &str) -> String {
        self.paint(Part::Name, plain(name))
    }

    /// Returns `text` with every whole word `word` in it highlighted.
    pub fn highlight(&self, text: &str, word: &str) -> String {
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
        let (mut out, mut done) = (String::new(), 0);
        for (at, found) in text.match_indices(word).filter(|(_, found)| !found.is_empty()) {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            if before.ends_with(is_in_word) || after.starts_with(is_in_word) {
                continue;
            }
            out.push_str(&plain(&text[done..at]));
            out.push_str(&self.paint(Part::Match, plain(found)));
            done = at + found.len();
        }
        out.push_str(&plain(&text[done..]));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Marked;

    impl Style for Marked {
        fn relative<'p>(&self, path: &'p str) -> Cow<'p, str> {
            Cow::Owned(format!("../{path}"))
        }

        fn paint(&self, part: Part, text: String) -> String {
            format!("{part:?}({text})")
        }

        fn link(&self, path: &str, line: Option<usize>, text: String) -> String {
            format!("<{path}:{}|{text}>", line.unwrap_or(0))
        }
    }

    #[test]
    fn a_style_displays_paths_lines_and_matches() {
        let style: &dyn Style = &Marked;
        assert_eq!(style.path("a\n"), "<a\n:0|Path(../a\\n)>");
        assert_eq!(style.entry("a/b", "b"), "<a/b:0|Path(b)>");
        assert_eq!(style.place("a", 3), "<a:3|Path(../a):Line(3)>");
        assert_eq!(style.range("a", 3, 4), "<a:3|Path(../a):Line(3-4)>");
        assert_eq!(style.line("a", 3, 4), "   <a:3|Line(3)>");
        assert_eq!(style.highlight("add(add_1, add)\t", "add"), "Match(add)(add_1, Match(add))\\t");
        let plain: &dyn Style = &Plain;
        assert_eq!(plain.range("a\n", 3, 4), "a\\n:3-4");
        assert_eq!(plain.highlight("a\tb", "b"), "a\\tb");
    }
}
