//! `tree`: the directories and files of a tree, within a budget.
//!
//! Levels are expanded one after the other, the cheapest directories of a level first, so that a
//! budget shows the first level of many directories rather than one of them completely. A collapsed
//! directory shows a summary of its content. The cost of an entry is its size in text or in JSON,
//! whichever is larger.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, CurrentDir, Define, Needs, Reply, Toolset, counted, paths};
use crate::answer::page::{Block, Cell, Node, Page};
use crate::answer::style::{Plain, Style};
use crate::catalog::damage::Part;
use crate::error::Result;
use crate::lang::Marks;
use folders::FolderView;

mod folders;

/// The default number of tokens in a reply.
const TOKENS: usize = 2000;

/// Bytes of a reply per token. The estimate is low, so that replies stay within the budget.
const TOKEN_BYTES: usize = 3;

/// The maximum of `max_tokens`.
const TOKENS_MAX: usize = 50_000;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Tree;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The directory (default the root)
    pub path: Option<String>,
    /// Maximum number of levels (default as many as fit)
    pub depth: Option<usize>,
    /// Maximum length of the reply in tokens of 3 bytes, as text and as JSON (default 2000)
    pub max_tokens: Option<usize>,
}

/// A directory or file.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its repository path; that of a directory ends with `/`.
    pub path: String,
    /// The number of enclosing directories that are listed.
    pub depth: usize,
    /// The number of files below a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// For a directory: how many of its own files are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_left_out: Option<usize>,
    /// True for a collapsed directory.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// For a directory: the number of files of the most frequent languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<(&'static str, usize)>,
    /// For a file: its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    /// For a file: its number of lines, if it was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// For a file: its number of definitions, if it is indexed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbols: Option<usize>,
    /// Its marks, as far as they follow from its path.
    #[serde(flatten)]
    pub marks: Marks,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct TreeReply {
    /// The repository path of the directory, empty for the root.
    pub path: String,
    /// Directories and files: each directory before its content, directories before files.
    pub entries: Vec<Entry>,
    /// How many subdirectories of the directory are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folders_left_out: Option<usize>,
    /// How many files of the directory itself are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_left_out: Option<usize>,
    /// True if numbers of symbols are missing because the index is damaged.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_symbols: bool,
    /// How many files are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
}

impl Define for Tree {
    const NAME: &'static str = "codedb_tree";
    const SUMMARY: &'static str =
        "Show directories and files within a budget, with languages, lines and symbols";
    const DETAILS: &'static str = "Directories that do not fit, and those with vendored or generated code, are collapsed to \
         their number of files; pass such a directory as `path` to expand it.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[("ls", "for a single directory")];
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Files;
    const EXAMPLES: &'static [&'static str] = &[r#"{"depth": 1}"#];
    const POSITIONAL: &'static [&'static str] = &["path"];
    const CURRENT_DIR: CurrentDir = CurrentDir::DefaultPath;
    type Args = Args;
    type Reply = TreeReply;

    fn run(call: &Call<'_>, args: Args) -> Result<TreeReply> {
        let (path, range) = paths::folder(call, args.path.as_deref())?;
        let list = call.code.files()?;
        let total = range.len();
        let mut folders = FolderView::new(call, list, &path)?;
        let (folders_max, files_max) = folders.entries();
        let tokens_max = args.max_tokens.unwrap_or(TOKENS).min(TOKENS_MAX);
        let mut found = TreeReply {
            path: paths::shown(&path),
            entries: Vec::new(),
            // The longest possible values, for the estimate.
            folders_left_out: Some(folders_max),
            files_left_out: Some(files_max),
            without_symbols: false,
            shown: total,
            total,
        };
        let left = (tokens_max * TOKEN_BYTES).saturating_sub(rendered_bytes(&found));
        folders.open(left, args.depth.unwrap_or(usize::MAX));
        (found.folders_left_out, found.files_left_out) = folders.left_out();
        found.shown = 0;
        folders.list(&mut found);
        folders.check()?;
        found.without_symbols =
            [Part::Search, Part::Code].iter().any(|&part| call.code.found_damage(part));
        Ok(found)
    }
}

/// Returns the size of a reply in its longer form.
fn rendered_bytes(found: &TreeReply) -> usize {
    let json = serde_json::to_string(found).map_or(0, |json| json.len() + 1);
    json.max(found.render(&Plain).len())
}

impl Entry {
    /// Returns its size in the longer form of a reply; its displayed name begins at byte `from` of
    /// its path. Computed from the lengths of its parts, unless its path has characters that are
    /// escaped.
    fn bytes(&self, from: usize) -> usize {
        let is_common = |byte: u8| (b' '..0x7F).contains(&byte) && !matches!(byte, b'"' | b'\\');
        if self.path.bytes().all(is_common) && self.path.len() >= from {
            self.json_bytes().max(self.text_bytes(from))
        } else {
            self.rendered_bytes(from)
        }
    }

    /// Returns the length of its JSON and of a comma, for a path without escapes.
    fn json_bytes(&self) -> usize {
        let number = |key: &str, value: Option<usize>| {
            value.map_or(0, |value| key.len() + r#","":"#.len() + digits(value))
        };
        let path = r#"{"path":"","depth":},"#.len() + self.path.len() + digits(self.depth);
        let closed = if self.closed { r#","closed":true"#.len() } else { 0 };
        let each = self
            .languages
            .iter()
            .map(|(name, files)| r#"["",],"#.len() + name.len() + digits(*files));
        // The list has two brackets, and one comma less than entries.
        let languages = match self.languages.len() {
            0 => 0,
            _ => r#","languages":[]"#.len() + each.sum::<usize>() - 1,
        };
        let language = self.language.map_or(0, |name| r#","language":"""#.len() + name.len());
        let marks = self.marks.names().map(|name| r#","":true"#.len() + name.len());
        path + number("files", self.files)
            + number("files_left_out", self.files_left_out)
            + closed
            + languages
            + language
            + number("lines", self.lines)
            + number("symbols", self.symbols)
            + marks.sum::<usize>()
    }

    /// Returns the length of its line, and of the one about files that are left out, for a path without
    /// escapes.
    fn text_bytes(&self, from: usize) -> usize {
        let counted = |noun: &str, count: Option<usize>| {
            let plural = usize::from(count != Some(1));
            count.map_or(0, |count| 2 + digits(count) + 1 + noun.len() + plural)
        };
        let languages = self.languages.iter().map(|(name, files)| 3 + name.len() + digits(*files));
        let marks = self.marks.names().map(|name| 2 + name.len());
        let left_out = self.files_left_out.map_or(0, |files| {
            2 * (self.depth + 1) + "… ".len() + counted("file", Some(files)) - 2 + 1
        });
        2 * self.depth + self.path.len() - from
            + counted("file", self.files)
            + languages.sum::<usize>()
            + self.language.map_or(0, |name| 2 + name.len())
            + counted("line", self.lines)
            + counted("symbol", self.symbols)
            + marks.sum::<usize>()
            + 1
            + left_out
    }

    /// Returns what [`Entry::bytes`] does, by rendering both forms.
    fn rendered_bytes(&self, from: usize) -> usize {
        let json = serde_json::to_string(self).map_or(0, |json| json.len() + 1);
        let mut text = String::new();
        self.write(&mut text, from, &Plain);
        if let Some(files) = self.files_left_out {
            write_left_out(&mut text, self.depth + 1, None, Some(files));
        }
        json.max(text.len())
    }

    /// Returns its line in a tree for people, with its path from byte `from` on.
    fn cells(&self, from: usize) -> Vec<Cell> {
        let name = self.path.get(from..).unwrap_or(&self.path);
        let mut facts: Vec<String> = Vec::new();
        let languages =
            self.languages.iter().map(|(language, files)| format!("{language} {files}"));
        let languages: Vec<String> = languages.collect();
        match self.files.map(|files| counted(files, "file")) {
            Some(files) if languages.is_empty() => facts.push(files),
            Some(files) => facts.push(format!("{files}: {}", languages.join(", "))),
            None => facts.extend(self.language.map(str::to_owned)),
        }
        facts.extend(self.lines.map(|lines| counted(lines, "line")));
        facts.extend(self.symbols.map(|symbols| counted(symbols, "symbol")));
        facts.extend(self.marks.names().map(str::to_owned));
        vec![Cell::Entry(self.path.clone(), name.to_owned()), Cell::faint(facts.join(", "))]
    }

    /// Writes it on a line, with its path from byte `from` on.
    fn write(&self, out: &mut String, from: usize, style: &dyn Style) {
        let name = style.entry(&self.path, self.path.get(from..).unwrap_or(&self.path));
        let _ = write!(out, "{:indent$}{name}", "", indent = 2 * self.depth);
        if let Some(files) = self.files {
            let _ = write!(out, "  {}", counted(files, "file"));
        }
        for (at, (language, files)) in self.languages.iter().enumerate() {
            let comma = if at == 0 { " " } else { "," };
            let _ = write!(out, "{comma} {language} {files}");
        }
        if let Some(language) = self.language {
            let _ = write!(out, "  {language}");
        }
        if let Some(lines) = self.lines {
            let _ = write!(out, "  {}", counted(lines, "line"));
        }
        if let Some(symbols) = self.symbols {
            let _ = write!(out, "  {}", counted(symbols, "symbol"));
        }
        for mark in self.marks.names() {
            let _ = write!(out, "  {mark}");
        }
        out.push('\n');
    }
}

/// Returns the number of decimal digits of a number.
fn digits(number: usize) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Writes the line about the entries of a directory that are not listed.
fn write_left_out(out: &mut String, depth: usize, folders: Option<usize>, files: Option<usize>) {
    let _ = writeln!(out, "{:indent$}… {}", "", left_out(folders, files), indent = 2 * depth);
}

/// Returns how many entries of a directory are not listed, in words.
fn left_out(folders: Option<usize>, files: Option<usize>) -> String {
    let folders = folders.map(|count| counted(count, "folder"));
    let files = files.map(|count| counted(count, "file"));
    let words: Vec<String> = folders.into_iter().chain(files).collect();
    words.join(", ")
}

/// Returns the line of a tree for people about the entries of a directory that are not listed.
fn not_listed(folders: Option<usize>, files: Option<usize>) -> Node {
    Node::leaf(vec![Cell::faint(format!("{} not listed", left_out(folders, files)))])
}

impl TreeReply {
    /// Returns the entries of one directory as lines of a tree: those from `at` on, as long as they are at
    /// `depth` or below it. `from` is where the names of its entries begin in their paths.
    fn nodes(&self, at: &mut usize, depth: usize, from: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        while let Some(entry) = self.entries.get(*at).filter(|entry| entry.depth >= depth) {
            *at += 1;
            let mut children = self.nodes(at, depth + 1, entry.path.len());
            children.extend(entry.files_left_out.map(|files| not_listed(None, Some(files))));
            nodes.push(Node { cells: entry.cells(from), children });
        }
        nodes
    }
}

impl Reply for TreeReply {
    /// Renders a line for each entry, indented by its depth.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        // The paths of the expanded directories, which their entries omit.
        let base = if self.path.is_empty() { 0 } else { self.path.len() + 1 };
        let mut open = vec![base];
        let mut left_out: Vec<(usize, usize)> = Vec::new();
        for entry in &self.entries {
            while let Some((depth, files)) = left_out.pop_if(|(depth, _)| *depth > entry.depth) {
                write_left_out(&mut out, depth, None, Some(files));
            }
            open.truncate(entry.depth + 1);
            entry.write(&mut out, open.last().copied().unwrap_or(base), style);
            if entry.files.is_some() {
                open.push(entry.path.len());
                left_out.extend(entry.files_left_out.map(|files| (entry.depth + 1, files)));
            }
        }
        while let Some((depth, files)) = left_out.pop() {
            write_left_out(&mut out, depth, None, Some(files));
        }
        if self.folders_left_out.is_some() || self.files_left_out.is_some() {
            write_left_out(&mut out, 0, self.folders_left_out, self.files_left_out);
        }
        out
    }

    /// Shows the entries as a tree below the directory.
    fn page(&self) -> Option<Page> {
        let base = if self.path.is_empty() { 0 } else { self.path.len() + 1 };
        let mut children = self.nodes(&mut 0, 0, base);
        if self.folders_left_out.is_some() || self.files_left_out.is_some() {
            children.push(not_listed(self.folders_left_out, self.files_left_out));
        }
        let files = Cell::faint(counted(self.total, "file"));
        let cells = vec![Cell::Path(self.path.clone()), files];
        Some(Page { blocks: vec![Block::Tree(vec![Node { cells, children }])] })
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.shown < self.total {
            notices.push(format!(
                "{} of {} files shown; `path` expands a directory, `max_tokens` and `depth` show more",
                self.shown, self.total
            ));
        }
        if self.without_symbols {
            notices.push("the index is damaged; numbers of symbols are missing".to_owned());
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::language::LANGUAGES;

    #[test]
    fn the_size_of_an_entry_is_that_of_its_rendered_forms() {
        let numbers = [None, Some(0), Some(1), Some(9), Some(10), Some(12_345)];
        let paths = ["a.rs", "src/a b.rs", "src/größe.rs", "a\"b/c\\d", "x\u{7f}\u{200e}", "dir/"];
        let mut checked = 0;
        for (at, path) in paths.iter().enumerate() {
            for (round, language) in LANGUAGES.iter().enumerate() {
                let pick = |step: usize| numbers[(round * step + at) % numbers.len()];
                let listed = LANGUAGES.iter().skip(round).take(round % 4);
                let entry = Entry {
                    path: (*path).to_owned(),
                    depth: [0, 1, 9, 11][round % 4],
                    files: pick(1),
                    files_left_out: pick(5),
                    closed: round % 2 == 0,
                    languages: listed.map(|one| (one.name, round * 7)).collect(),
                    language: Some(language.name).filter(|_| round % 3 > 0),
                    lines: pick(7),
                    symbols: pick(11),
                    marks: Marks::from_bits(round as u8),
                };
                for from in [0, entry.path.rfind('/').map_or(0, |at| at + 1)] {
                    assert_eq!(entry.bytes(from), entry.rendered_bytes(from), "{entry:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 200, "{checked}");
    }
}
