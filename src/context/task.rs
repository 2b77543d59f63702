//! What a task says: names, paths, places and quoted texts that it mentions, and its plain words.
//!
//! A task is a sentence, a bug report with stack traces and code, or anything between. Nothing is
//! looked up here: a mention is what the text spells out, whether the tree has it or not.

mod frames;
mod names;
mod spans;

use std::collections::BTreeSet;

use crate::base::text;
use spans::Piece;

/// Bytes of a task; longer ones are refused.
pub const BYTES_MAX: usize = 64 << 10;

/// Mentions of a task; more are not looked at.
const MENTIONS_MAX: usize = 256;

/// Bytes of a quoted text that is looked for as it stands.
const LITERAL_BYTES: std::ops::RangeInclusive<usize> = 3..=120;

/// What a mention is.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    /// A place in code: a stack frame, or a path with a line.
    Frame,
    /// A file or folder.
    Path,
    /// A pattern of paths.
    Glob,
    /// A name with what is around it: `Type.method`, `module::function`.
    Qualified,
    /// A name.
    Identifier,
    /// A text that is quoted, or the message of an error.
    Literal,
}

/// Something that a task mentions.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mention {
    /// As it is written, without quotes; a path with `/` between its parts.
    pub text: String,
    /// What it is.
    pub kind: Kind,
    /// The line that a frame names, from 1.
    pub line: Option<u32>,
    /// How often it is mentioned.
    pub count: u32,
    /// It is set in quotes or back-ticks in a sentence, and so likely what the task is about.
    pub is_marked: bool,
    /// It is only seen in code or output that the task quotes.
    pub is_in_code: bool,
}

/// A task, taken apart.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Task {
    /// What it mentions, in the order of first mention, each once by kind, text and line.
    pub mentions: Vec<Mention>,
    /// The first line that says something, or what of it is not code: the subject.
    pub title: String,
    /// Sentences, without code, frames and quoted texts.
    pub prose: String,
    /// Code and output, without frames.
    pub code: String,
}

impl Task {
    /// Takes a task apart. O(text).
    pub fn new(task: &str) -> Task {
        let mut reader = Reader::default();
        for piece in spans::pieces(task) {
            match piece {
                Piece::Prose(line) => reader.prose(line),
                Piece::Code(line) => reader.code(line),
            }
        }
        reader.task
    }

    /// Returns the mentions of a kind.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(move |mention| mention.kind == kind)
    }

    /// Returns how many different words it has, of three letters and more, without regard to case.
    /// O(text).
    pub fn words(&self) -> usize {
        let mentions = self.mentions.iter().map(|mention| &mention.text);
        let texts = [&self.title, &self.prose, &self.code].into_iter().chain(mentions);
        let words = texts.flat_map(|text| text.split(|c: char| !c.is_alphabetic() && c != '_'));
        let words: BTreeSet<String> =
            words.filter(|word| word.len() > 2).map(str::to_lowercase).collect();
        words.len()
    }

    /// Returns true if it says nothing that could be looked for.
    pub fn is_empty(&self) -> bool {
        self.mentions.is_empty() && self.prose.trim().is_empty() && self.code.trim().is_empty()
    }
}

#[derive(Default)]
struct Reader {
    task: Task,
    /// The line before was a frame, which its code may follow.
    is_after_frame: bool,
}

impl Reader {
    /// Reads a line of sentences.
    fn prose(&mut self, line: &str) {
        if self.is_after_frame && line.starts_with([' ', '\t']) {
            return self.code(line);
        }
        if self.frames(line) {
            return;
        }
        if let Some((name, message)) = names::error(line) {
            self.add(Kind::Identifier, name, None, false, false);
            self.literal(message);
        }
        let mut rest = String::new();
        for span in spans::quoted(line) {
            match span {
                spans::Span::Plain(text) => {
                    rest.push_str(text);
                    self.names(text, false);
                }
                spans::Span::Ticked(text) => {
                    rest.push(' ');
                    self.marked(text, true);
                }
                spans::Span::Quoted(text) => {
                    rest.push_str(text);
                    self.marked(text, false);
                }
            }
        }
        if self.task.title.is_empty() && rest.chars().any(char::is_alphanumeric) {
            self.task.title = text::start(rest.trim(), 200).to_owned();
        }
        self.task.prose.push_str(&rest);
        self.task.prose.push('\n');
    }

    /// Reads a line of code or output.
    fn code(&mut self, line: &str) {
        if self.frames(line) {
            return;
        }
        if let Some((name, message)) = names::error(line) {
            self.add(Kind::Identifier, name, None, false, false);
            self.literal(message);
        }
        self.names(line, true);
        self.task.code.push_str(line);
        self.task.code.push('\n');
    }

    /// Reads the frames of a line; returns true if it is nothing else.
    fn frames(&mut self, line: &str) -> bool {
        let found = frames::frames(line);
        for frame in &found.frames {
            if !frame.path.is_empty() {
                self.add(Kind::Frame, &frame.path, frame.line, false, true);
            }
            if let Some(function) = &frame.function {
                let kind =
                    if names::is_qualified(function) { Kind::Qualified } else { Kind::Identifier };
                self.add(kind, function, None, false, true);
            }
        }
        self.is_after_frame = found.is_all;
        found.is_all
    }

    /// Reads what stands in quotes or back-ticks.
    fn marked(&mut self, text: &str, is_ticked: bool) {
        let text = text.trim();
        if let Some(named) = names::whole(text) {
            // Quotes also stand around plain words.
            if is_ticked || named.is_sure {
                self.add(named.kind, &named.text, named.line, true, false);
                return;
            }
        }
        self.names(text, is_ticked);
        if text.contains(|c: char| c.is_whitespace() || !c.is_alphanumeric()) {
            self.literal(text);
        }
        if is_ticked {
            self.task.code.push_str(text);
            self.task.code.push('\n');
        }
    }

    /// Reads the names and paths of a text.
    fn names(&mut self, text: &str, is_in_code: bool) {
        for named in names::names(text, is_in_code) {
            self.add(named.kind, &named.text, named.line, false, is_in_code);
        }
    }

    fn literal(&mut self, text: &str) {
        let text = text.trim();
        if LITERAL_BYTES.contains(&text.len()) && text.chars().any(char::is_alphanumeric) {
            self.add(Kind::Literal, text, None, true, false);
        }
    }

    fn add(
        &mut self,
        kind: Kind,
        text: &str,
        line: Option<u32>,
        is_marked: bool,
        is_in_code: bool,
    ) {
        let is_same =
            |have: &&mut Mention| (have.kind, have.line) == (kind, line) && have.text == text;
        if let Some(have) = self.task.mentions.iter_mut().find(is_same) {
            have.count += 1;
            have.is_marked |= is_marked;
            have.is_in_code &= is_in_code;
        } else if self.task.mentions.len() < MENTIONS_MAX {
            let text = text.to_owned();
            self.task.mentions.push(Mention { text, kind, line, count: 1, is_marked, is_in_code });
        }
    }
}

#[cfg(test)]
mod tests;
