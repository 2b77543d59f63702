//! Parses a task into mentions (names, paths, locations, quoted texts) and plain words.
//!
//! A task is a sentence, a bug report with stack traces and code, or anything between. Nothing is
//! looked up here: a mention may or may not exist in the tree.

mod frames;
mod names;
mod spans;

use std::collections::BTreeSet;

use crate::base::text;
use crate::lang::prose::Stems;
use crate::rank::TaskKind;
use spans::Piece;

/// Maximum size of a task in bytes; larger ones are refused.
pub const BYTES_MAX: usize = 64 << 10;

/// Maximum number of mentions; the rest is ignored.
const MENTIONS_MAX: usize = 256;

/// Length, in bytes, of a quoted text that is searched literally.
const LITERAL_BYTES: std::ops::RangeInclusive<usize> = 3..=120;

/// Maximum number of words of a bare name, such as `parse header`.
const NAME_WORDS_MAX: usize = 3;

/// Words that begin a question.
const INTERROGATIVES: [&str; 8] = ["how", "what", "when", "where", "which", "who", "whose", "why"];

/// Verbs of requests.
const MODALS: [&str; 4] = ["could", "must", "shall", "should"];

/// Stems of verbs with which a request for a change begins, sorted.
const CHANGE_VERBS: [&str; 44] = [
    "add",
    "adjust",
    "allow",
    "avoid",
    "bump",
    "chang",
    "clean",
    "convert",
    "correct",
    "delet",
    "deprec",
    "disabl",
    "drop",
    "enabl",
    "ensur",
    "expos",
    "extract",
    "fix",
    "handl",
    "implement",
    "improv",
    "introduc",
    "make",
    "merg",
    "move",
    "optim",
    "prevent",
    "reduc",
    "refactor",
    "remov",
    "renam",
    "replac",
    "restor",
    "revert",
    "simplifi",
    "skip",
    "speed",
    "split",
    "support",
    "switch",
    "tweak",
    "updat",
    "upgrad",
    "use",
];

/// The kind of a mention.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum MentionKind {
    /// A location in code: a stack frame, or a path with a line.
    Frame,
    /// A file or directory.
    Path,
    /// A glob.
    Glob,
    /// A qualified name: `Type.method`, `module::function`.
    Qualified,
    /// An identifier.
    Identifier,
    /// A quoted text, or the message of an error.
    Literal,
}

/// A name, path or text that a task mentions.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Mention {
    /// The text as written, without quotes; paths use `/`.
    pub text: String,
    /// Its kind.
    pub kind: MentionKind,
    /// The line of a frame, from 1.
    pub line: Option<u32>,
    /// Number of mentions.
    pub count: u32,
    /// True if it is in quotes or back-ticks in the prose, and so likely the topic of the task.
    pub is_marked: bool,
    /// True if it occurs only in quoted code or program output.
    pub is_in_code: bool,
}

/// A parsed task.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Task {
    /// Mentions in order of first occurrence, distinct by kind, text and line.
    pub mentions: Vec<Mention>,
    /// The first non-empty line of prose, without quoted code.
    pub title: String,
    /// Prose, without code and frames.
    pub prose: String,
    /// Quoted code and program output, without frames.
    pub code: String,
}

impl Task {
    /// Returns the scope of the title: up to three words before a colon, as in `net/http: close idle connections` or
    /// `fix(parser): accept tabs`; empty without one.
    pub fn scope(&self) -> &str {
        let Some((scope, _)) = self.title.split_once(": ") else { return "" };
        let is_short = scope.len() <= 40 && scope.split_whitespace().count() <= 3;
        if is_short { scope } else { "" }
    }

    /// Parses a task. O(text).
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
    pub fn of_kind(&self, kind: MentionKind) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(move |mention| mention.kind == kind)
    }

    /// Returns the number of distinct words of three or more bytes, ignoring case. O(text).
    pub fn words(&self) -> usize {
        let mentions = self.mentions.iter().map(|mention| &mention.text);
        let texts = [&self.title, &self.prose, &self.code].into_iter().chain(mentions);
        let words = texts.flat_map(|text| text.split(|c: char| !c.is_alphabetic() && c != '_'));
        let words: BTreeSet<String> =
            words.filter(|word| word.len() > 2).map(str::to_lowercase).collect();
        words.len()
    }

    /// Returns the kind of the task. A question is one line without quoted code that has at most
    /// `NAME_WORDS_MAX` words, is a sentence with its final period or question mark, contains a
    /// modal verb (`should`), or contains an interrogative at its start or after a comma. A line that
    /// begins with a verb of change, perhaps after a scope, is none (`fix macOS build`). O(prose).
    pub fn kind(&self) -> TaskKind {
        let line = self.prose.trim();
        // Texts in back-ticks are code too, but not quoted code.
        let is_quoted = |line: &str| {
            !self.mentions.iter().any(|mention| mention.is_marked && mention.text == line)
        };
        let has_frames = self.of_kind(MentionKind::Frame).next().is_some();
        if line.contains('\n') || self.code.lines().any(is_quoted) || has_frames {
            return TaskKind::Change;
        }
        if self.requests_change(line) {
            return TaskKind::Change;
        }
        let is_short = line.split_whitespace().take(NAME_WORDS_MAX + 1).count() <= NAME_WORDS_MAX;
        let is_sentence = line.ends_with(['?', '.']) && !line.ends_with("..");
        let asks = || {
            line.split(',').any(|clause| {
                let first = clause.split_whitespace().next().unwrap_or_default();
                INTERROGATIVES.iter().any(|word| first.eq_ignore_ascii_case(word))
            })
        };
        let is_request = || {
            let is_modal = |word: &str| MODALS.iter().any(|modal| word.eq_ignore_ascii_case(modal));
            line.split_whitespace().any(is_modal)
        };
        if is_short || is_sentence || asks() || is_request() {
            TaskKind::Question
        } else {
            TaskKind::Change
        }
    }

    /// Returns true if a line, or what follows the scope, begins with a verb of change, and more words follow.
    fn requests_change(&self, line: &str) -> bool {
        let scope = self.scope();
        let rest =
            line.strip_prefix(scope).map_or(line, |rest| rest.trim_start_matches([':', ' ']));
        let mut stems = Stems::default();
        let mut begins = |text: &str| {
            let mut words = text.split_whitespace();
            let first = words.next().unwrap_or_default();
            let first = first.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            let stem = stems.stem(&first.to_lowercase()).to_owned();
            let has_more = words.next().is_some() || !self.mentions.is_empty();
            has_more && CHANGE_VERBS.binary_search(&stem.as_str()).is_ok()
        };
        !line.ends_with('?') && (begins(line) || begins(rest))
    }

    /// Returns true if the task contains nothing to look up.
    pub fn is_empty(&self) -> bool {
        self.mentions.is_empty() && self.prose.trim().is_empty() && self.code.trim().is_empty()
    }
}

#[derive(Default)]
struct Reader {
    task: Task,
    /// The previous line was a frame, so an indented line is its code.
    is_after_frame: bool,
}

impl Reader {
    /// Reads a line of prose.
    fn prose(&mut self, line: &str) {
        if self.is_after_frame && line.starts_with([' ', '\t']) {
            return self.code(line);
        }
        if self.frames(line) {
            return;
        }
        if let Some((name, message)) = names::error(line) {
            self.add(MentionKind::Identifier, name, None, false, false);
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

    /// Reads a line of code or program output.
    fn code(&mut self, line: &str) {
        if self.frames(line) {
            return;
        }
        if let Some((name, message)) = names::error(line) {
            self.add(MentionKind::Identifier, name, None, false, false);
            self.literal(message);
        }
        self.names(line, true);
        self.task.code.push_str(line);
        self.task.code.push('\n');
    }

    /// Reads the frames of a line. Returns true if the line contains nothing else.
    fn frames(&mut self, line: &str) -> bool {
        let found = frames::frames(line);
        for frame in &found.frames {
            if !frame.path.is_empty() {
                self.add(MentionKind::Frame, &frame.path, frame.line, false, true);
            }
            if let Some(function) = &frame.function {
                let kind = if names::is_qualified(function) {
                    MentionKind::Qualified
                } else {
                    MentionKind::Identifier
                };
                self.add(kind, function, None, false, true);
            }
        }
        self.is_after_frame = found.is_all;
        found.is_all
    }

    /// Reads a text in quotes or back-ticks.
    fn marked(&mut self, text: &str, is_ticked: bool) {
        let text = text.trim();
        if let Some(named) = names::whole(text) {
            // Plain words can be quoted too.
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
        if !is_in_code {
            self.options(text);
        }
    }

    /// Reads the options of commands (`--verbose`) and routes (`/api/users`) of a text as texts to search:
    /// code mostly names an option without its dashes, in quotes.
    fn options(&mut self, text: &str) {
        let is_name = |name: &str| {
            name.len() > 1
                && name.starts_with(char::is_alphabetic)
                && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        };
        for word in text.split_whitespace() {
            let word =
                word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '/' | '}'));
            if let Some(name) = word.strip_prefix("--").filter(|name| is_name(name)) {
                self.literal(word);
                self.literal(&format!("\"{name}\""));
                self.literal(&format!("'{name}'"));
            } else if word.starts_with('/') && word.len() > 3 && !word.contains('.') {
                self.literal(word);
            }
        }
    }

    fn literal(&mut self, text: &str) {
        let text = text.trim();
        if LITERAL_BYTES.contains(&text.len()) && text.chars().any(char::is_alphanumeric) {
            self.add(MentionKind::Literal, text, None, true, false);
        }
    }

    fn add(
        &mut self,
        kind: MentionKind,
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
