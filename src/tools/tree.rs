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
use crate::answer::style::{Plain, Style};
use crate::catalog::damage::Part;
use crate::error::Result;
use crate::lang::Marks;
use folders::Folders;

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
        let mut folders = Folders::new(call, list, &path, range);
        let tokens_max = args.max_tokens.unwrap_or(TOKENS).min(TOKENS_MAX);
        let mut found = TreeReply {
            path: paths::shown(&path),
            entries: Vec::new(),
            // The longest possible values, for the estimate.
            folders_left_out: Some(folders.all[0].folders.len()),
            files_left_out: Some(folders.all[0].own.len()),
            without_symbols: false,
            shown: total,
            total,
        };
        let left = (tokens_max * TOKEN_BYTES).saturating_sub(rendered_bytes(&found));
        folders.open(left, args.depth.unwrap_or(usize::MAX));
        let root = &folders.all[0];
        let folders_left_out = root.folders.len() - root.shown_folders;
        found.folders_left_out = Some(folders_left_out).filter(|&count| count > 0);
        found.files_left_out = root.files_left_out();
        found.shown = 0;
        folders.list(0, 0, &mut found);
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
    /// its path.
    fn bytes(&self, from: usize) -> usize {
        let json = serde_json::to_string(self).map_or(0, |json| json.len() + 1);
        let mut text = String::new();
        self.write(&mut text, from, &Plain);
        if let Some(files) = self.files_left_out {
            write_left_out(&mut text, self.depth + 1, None, Some(files));
        }
        json.max(text.len())
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

/// Writes the line about the entries of a directory that are not listed.
fn write_left_out(out: &mut String, depth: usize, folders: Option<usize>, files: Option<usize>) {
    let folders = folders.map(|count| counted(count, "folder"));
    let files = files.map(|count| counted(count, "file"));
    let words: Vec<String> = folders.into_iter().chain(files).collect();
    let _ = writeln!(out, "{:indent$}… {}", "", words.join(", "), indent = 2 * depth);
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
