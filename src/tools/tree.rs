//! `tree`: the folders and files of a tree, as far as a budget goes.
//!
//! Levels are opened one after the other, in each level the cheapest folders first, so that a budget
//! shows many folders a little rather than one of them whole. What stays closed tells what is in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Define, Reply, counted, paths};
use crate::base::ids::FileId;
use crate::base::{path, text};
use crate::engine::FileList;
use crate::error::Result;
use crate::lang::language;
use crate::lang::marks::{self, Marks};

/// Tokens of a reply unless the caller says otherwise.
const TOKENS: usize = 2000;

/// Bytes of a reply that are taken for a token: too few rather than too many.
const TOKEN_BYTES: usize = 3;

/// Bytes that a line has beside indentation and name, about.
const LINE_BYTES: usize = 24;

/// Bytes more that a file's line has where its definitions are counted, about.
const SYMBOLS_BYTES: usize = 12;

/// Languages that are told of a folder.
const LANGUAGES_MAX: usize = 3;

/// Files whose lines are counted.
const COUNTED_FILES_MAX: usize = 1000;

/// Longer files' lines are not counted.
const COUNTED_BYTES_MAX: u64 = 1 << 20;

/// See [`Define`].
#[derive(Debug)]
pub struct Tree;

/// What is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The folder (default the root)
    pub path: Option<String>,
    /// Levels at most (default as many as fit)
    pub depth: Option<usize>,
    /// Length of the reply at most, in tokens, estimated (default 2000)
    pub max_tokens: Option<usize>,
}

/// A folder or file.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its repository path, with a `/` behind that of a folder.
    pub path: String,
    /// How many listed folders it lies in.
    pub depth: usize,
    /// Files below it, of a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Of a folder: how many of the files directly in it are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_left_out: Option<usize>,
    /// True for a folder of which nothing is listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// Of a folder: files of each language, the most frequent ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<(&'static str, usize)>,
    /// Of a file: its language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    /// Of a file: how many lines it has, where that was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// Of a file: how many definitions it has, where the index knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbols: Option<usize>,
    /// What its path tells of it.
    #[serde(flatten)]
    pub marks: Marks,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The folder's repository path, empty for the root.
    pub path: String,
    /// Folders and files, each folder before what is in it, folders before files.
    pub entries: Vec<Entry>,
    /// How many of the files directly in the folder are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_left_out: Option<usize>,
    /// How many files are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
}

impl Define for Tree {
    const NAME: &'static str = "codedb_tree";
    const SUMMARY: &'static str =
        "Show folders and files within a budget, with languages, lines and symbols";
    const DETAILS: &'static str = "Folders that do not fit, and those of others' or generated code, stay closed and tell how \
         many files they have: ask for one by its path to see it. Use `ls` for one folder alone.";
    const POSITIONAL: &'static [&'static str] = &["path"];
    type Args = Args;
    type Reply = Found;

    fn run(call: &Call<'_>, args: Args) -> Result<Found> {
        let (path, range) = paths::folder(call, args.path.as_deref())?;
        let list = call.code.files()?;
        let total = range.len();
        let mut folders = Folders::new(list, &path, range);
        let bytes_max = args.max_tokens.unwrap_or(TOKENS).saturating_mul(TOKEN_BYTES);
        folders.open(bytes_max, args.depth.unwrap_or(usize::MAX));
        let mut found = Found {
            path: paths::shown(&path),
            entries: Vec::new(),
            files_left_out: folders.left_out(0),
            shown: 0,
            total,
        };
        folders.list(call, 0, 0, &mut found);
        Ok(found)
    }
}

/// How much of a folder is listed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Opened {
    No,
    /// Its folders alone.
    Folders,
    All,
}

struct Folder {
    /// Its repository path; of a chain of folders with one entry each, that of the last.
    path: Vec<u8>,
    folders: Vec<usize>,
    /// Places of the files directly in it.
    own: Vec<usize>,
    /// Files below it.
    files: usize,
    languages: BTreeMap<&'static str, usize>,
    marks: Marks,
    opened: Opened,
}

/// The folders of a tree; the first is its root.
struct Folders<'a> {
    list: &'a FileList,
    all: Vec<Folder>,
}

impl Folders<'_> {
    fn new<'a>(list: &'a FileList, root: &[u8], range: Range<usize>) -> Folders<'a> {
        let folder = |path: &[u8], marks: Marks| Folder {
            path: path.to_vec(),
            folders: Vec::new(),
            own: Vec::new(),
            files: 0,
            languages: BTreeMap::new(),
            marks,
            opened: Opened::No,
        };
        // Whoever asks for a folder of others' code wants to see it.
        let mut all = vec![folder(root, Marks::default())];
        let mut open = vec![0];
        for at in range {
            let file = list.path(at);
            let dir = path::split(file).0;
            while open.len() > 1 && !path::is_within(dir, &all[open[open.len() - 1]].path) {
                open.pop();
            }
            let mut inner = open[open.len() - 1];
            while all[inner].path.len() < dir.len() {
                let from = all[inner].path.len();
                let from = from + usize::from(from > 0);
                let len = dir[from..].iter().position(|&byte| byte == b'/');
                let end = len.map_or(dir.len(), |len| from + len);
                let marks = all[inner].marks.with(marks::of_folder(&dir[from..end]));
                all.push(folder(&dir[..end], marks));
                let id = all.len() - 1;
                all[inner].folders.push(id);
                open.push(id);
                inner = id;
            }
            all[inner].own.push(at);
            let language = language::of_path(&path::to_path(file)).map(|found| found.name);
            for &id in &open {
                all[id].files += 1;
                if let Some(language) = language {
                    *all[id].languages.entry(language).or_default() += 1;
                }
            }
        }
        let mut folders = Folders { list, all };
        folders.join_chains();
        folders
    }

    /// Makes one of folders that hold nothing but one folder, below the root.
    fn join_chains(&mut self) {
        for id in 0..self.all.len() {
            for at in 0..self.all[id].folders.len() {
                let mut child = self.all[id].folders[at];
                while let Folder { folders, own, .. } = &self.all[child]
                    && own.is_empty()
                    && folders.len() == 1
                {
                    child = folders[0];
                }
                self.all[id].folders[at] = child;
            }
        }
    }

    /// Opens folders, level by level, until the lines of their entries have `bytes_max` bytes.
    fn open(&mut self, bytes_max: usize, depth_max: usize) {
        let mut left = bytes_max;
        let mut level = vec![0];
        for depth in 0..depth_max {
            let mut costs: Vec<(usize, usize, usize)> = level
                .iter()
                .filter(|&&id| !self.all[id].marks.ranks_last())
                .map(|&id| {
                    let folders = self.all[id].folders.iter().map(|&id| &self.all[id].path[..]);
                    let own = self.all[id].own.iter().map(|&at| self.list.path(at));
                    let line = |path: &[u8]| path::split(path).1.len() + 2 * depth + LINE_BYTES;
                    let folders: usize = folders.map(line).sum();
                    let symbols = self.all[id].own.len() * SYMBOLS_BYTES;
                    (folders + own.map(line).sum::<usize>() + symbols, folders, id)
                })
                .collect();
            // Ids follow the order of paths.
            costs.sort_unstable();
            level.clear();
            for (all, folders, id) in costs {
                let folder = &mut self.all[id];
                if all <= left {
                    (folder.opened, left) = (Opened::All, left - all);
                } else if !folder.folders.is_empty() && folders + LINE_BYTES <= left {
                    (folder.opened, left) = (Opened::Folders, left - folders - LINE_BYTES);
                } else {
                    continue;
                }
                level.extend(&folder.folders);
            }
            if level.is_empty() {
                return;
            }
        }
    }

    /// Adds what is in a folder, and in its folders, in path order.
    fn list(&self, call: &Call<'_>, id: usize, depth: usize, found: &mut Found) {
        let folder = &self.all[id];
        if folder.opened == Opened::No {
            return;
        }
        for &inner in &folder.folders {
            found.entries.push(self.folder_entry(inner, depth));
            self.list(call, inner, depth + 1, found);
        }
        if folder.opened != Opened::All {
            return;
        }
        for &at in &folder.own {
            found.shown += 1;
            let counts = found.shown <= COUNTED_FILES_MAX;
            found.entries.push(self.file_entry(call, at, depth, counts));
        }
    }

    /// Returns how many files of a folder are not listed, where it is open and some are not.
    fn left_out(&self, id: usize) -> Option<usize> {
        let folder = &self.all[id];
        let some = folder.opened != Opened::All && (id == 0 || folder.opened != Opened::No);
        (some && !folder.own.is_empty()).then_some(folder.own.len())
    }

    fn folder_entry(&self, id: usize, depth: usize) -> Entry {
        let folder = &self.all[id];
        let mut languages: Vec<(&'static str, usize)> =
            folder.languages.iter().map(|(&name, &files)| (name, files)).collect();
        languages.sort_by_key(|&(name, files)| (std::cmp::Reverse(files), name));
        languages.truncate(LANGUAGES_MAX);
        Entry {
            path: format!("{}/", paths::shown(&folder.path)),
            depth,
            files: Some(folder.files),
            files_left_out: self.left_out(id),
            closed: folder.opened == Opened::No,
            languages,
            language: None,
            lines: None,
            symbols: None,
            marks: folder.marks,
        }
    }

    fn file_entry(&self, call: &Call<'_>, at: usize, depth: usize, counts: bool) -> Entry {
        let path = self.list.path(at);
        let known = call.code.indexed().and_then(|known| known.summary(FileId::new(at)));
        let known = known.ok().flatten();
        // What is no text has no lines.
        let is_text = |lines: u32| lines > 0 || self.list.info(at).size_bytes == 0;
        let known_lines = known.map(|of| of.lines).filter(|&lines| is_text(lines));
        let known_lines = known_lines.map(|lines| lines as usize);
        let short = known.is_none() && self.list.info(at).size_bytes <= COUNTED_BYTES_MAX;
        // A file that cannot be read or is not served has no count.
        let content = (counts && short).then(|| call.code.read(path, COUNTED_BYTES_MAX).ok());
        let lines =
            content.flatten().filter(|content| !content.bytes.contains(&0)).map(|content| {
                let bytes = &content.bytes;
                let ends = memchr::memchr_iter(b'\n', bytes).count();
                ends + usize::from(bytes.last().is_some_and(|&last| last != b'\n'))
            });
        Entry {
            path: paths::shown(path),
            depth,
            files: None,
            files_left_out: None,
            closed: false,
            languages: Vec::new(),
            language: language::of_path(&path::to_path(path)).map(|found| found.name),
            lines: lines.or(known_lines),
            symbols: known.filter(|of| of.symbols > 0).map(|of| of.symbols as usize),
            marks: marks::of_path(path),
        }
    }
}

impl Reply for Found {
    /// An entry a line, indented by what it lies in.
    fn render(&self) -> String {
        let mut out = String::new();
        // The paths of the open folders, to leave them out of what is in them.
        let base = if self.path.is_empty() { 0 } else { self.path.len() + 1 };
        let mut open = vec![base];
        let mut left_out: Vec<(usize, usize)> = Vec::new();
        left_out.extend(self.files_left_out.map(|files| (0, files)));
        let tell = |out: &mut String, left_out: &mut Vec<(usize, usize)>, depth: usize| {
            while let Some((at, files)) = left_out.pop_if(|(at, _)| *at > depth) {
                let _ =
                    writeln!(out, "{:indent$}… {}", "", counted(files, "file"), indent = 2 * at);
            }
        };
        for entry in &self.entries {
            tell(&mut out, &mut left_out, entry.depth);
            open.truncate(entry.depth + 1);
            let from = open.last().copied().unwrap_or(base);
            let name = text::plain(entry.path.get(from..).unwrap_or(&entry.path));
            let _ = write!(out, "{:indent$}{name}", "", indent = 2 * entry.depth);
            if let Some(files) = entry.files {
                let _ = write!(out, "  {}", counted(files, "file"));
            }
            for (at, (language, files)) in entry.languages.iter().enumerate() {
                let comma = if at == 0 { " " } else { "," };
                let _ = write!(out, "{comma} {language} {files}");
            }
            if let Some(language) = entry.language {
                let _ = write!(out, "  {language}");
            }
            if let Some(lines) = entry.lines {
                let _ = write!(out, "  {}", counted(lines, "line"));
            }
            if let Some(symbols) = entry.symbols {
                let _ = write!(out, "  {}", counted(symbols, "symbol"));
            }
            for mark in entry.marks.names() {
                let _ = write!(out, "  {mark}");
            }
            out.push('\n');
            if entry.files.is_some() {
                open.push(entry.path.len());
                left_out.extend(entry.files_left_out.map(|files| (entry.depth + 1, files)));
            }
        }
        while let Some((at, files)) = left_out.pop() {
            let _ = writeln!(out, "{:indent$}… {}", "", counted(files, "file"), indent = 2 * at);
        }
        out
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        match self.shown < self.total {
            true => vec![format!(
                "{} of {} files shown; `path` opens a folder, `max_tokens` and `depth` allow more",
                self.shown, self.total
            )],
            false => Vec::new(),
        }
    }
}
