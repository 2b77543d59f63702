//! `ls`: the entries of one directory.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, CurrentDir, Define, Needs, Reply, Speed, Toolset, counted, paths};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::answer::style::Style;
use crate::error::Result;
use crate::lang::language;
use crate::lang::marks::{self, Marks};

/// The maximum number of entries of a reply.
const ENTRIES_MAX: usize = 1000;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Ls;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The directory (default the root)
    pub path: Option<String>,
}

/// A directory or file.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name; that of a directory ends with `/`.
    pub name: String,
    /// The number of files below a directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Its size in bytes; for a directory, that of all files below it.
    pub bytes: u64,
    /// Its language, according to its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    /// Its marks, as far as they follow from its path.
    #[serde(flatten)]
    pub marks: Marks,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct LsReply {
    /// The repository path of the directory, empty for the root.
    pub path: String,
    /// Directories first, then files, each sorted by name.
    pub entries: Vec<Entry>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
}

impl Define for Ls {
    const NAME: &'static str = "codedb_ls";
    const SUMMARY: &'static str =
        "List a directory: its subdirectories and files, with sizes and languages";
    const DETAILS: &'static str = "Hidden and ignored files only if git tracks them.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("tree", "for several levels at once")];
    const TOOLSET: Toolset = Toolset::Navigate;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] = &[r#"{"path": "src"}"#];
    const POSITIONAL: &'static [&'static str] = &["path"];
    const CURRENT_DIR: CurrentDir = CurrentDir::DefaultPath;
    type Args = Args;
    type Reply = LsReply;

    fn run(call: &Call<'_>, args: Args) -> Result<LsReply> {
        let (folder, range) = paths::folder(call, args.path.as_deref())?;
        let list = call.code.files()?;
        let skip = folder.len() + usize::from(!folder.is_empty());
        let around = marks::of_path(&[&folder, &b"/"[..]].concat());
        let (mut folders, mut files): (Vec<Entry>, Vec<usize>) = (Vec::new(), Vec::new());
        // The name of the last directory, with its `/`.
        let mut name: &[u8] = b"";
        for at in range {
            let (path, bytes) = (list.path(at), list.info(at).size_bytes);
            let rest = &path[skip..];
            // The files of one directory are adjacent.
            if let Some(last) = folders.last_mut().filter(|_| rest.starts_with(name)) {
                last.files = last.files.map(|files| files + 1);
                last.bytes += bytes;
                continue;
            }
            let Some(slash) = memchr::memchr(b'/', rest) else {
                files.push(at);
                continue;
            };
            name = &rest[..=slash];
            // Any name works: the marks come from the directories of the path.
            let marks = marks::of_path(&path[..=skip + slash]);
            let name = paths::shown(name);
            folders.push(Entry { name, files: Some(1), bytes, language: None, marks });
        }
        let total = folders.len() + files.len();
        folders.truncate(ENTRIES_MAX);
        let left = ENTRIES_MAX - folders.len();
        folders.extend(files.into_iter().take(left).map(|at| {
            let name = &list.path(at)[skip..];
            Entry {
                name: paths::shown(name),
                files: None,
                bytes: list.info(at).size_bytes,
                language: language::of_name(name).map(|found| found.name),
                marks: around.union(marks::of_name(name)),
            }
        }));
        Ok(LsReply { path: paths::shown(&folder), shown: folders.len(), entries: folders, total })
    }
}

impl LsReply {
    /// Returns the repository path of an entry.
    fn path_of(&self, entry: &Entry) -> String {
        match self.path.as_str() {
            "" => entry.name.clone(),
            directory => format!("{directory}/{}", entry.name),
        }
    }
}

impl Reply for LsReply {
    /// Renders a line for each entry: name, size or number of files, language, marks.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for entry in &self.entries {
            out.push_str(&style.entry(&self.path_of(entry), &entry.name));
            let _ = match entry.files {
                Some(files) => write!(out, "  {}", counted(files, "file")),
                None => write!(out, "  {} bytes", entry.bytes),
            };
            let language = entry.language.into_iter();
            for word in language.chain(entry.marks.names()) {
                let _ = write!(out, "  {word}");
            }
            out.push('\n');
        }
        out
    }

    /// Shows a row for each entry.
    fn page(&self) -> Option<Page> {
        let mut table = Table::new([
            Column::cut("NAME"),
            Column::right("FILES"),
            Column::right("SIZE"),
            Column::left("LANGUAGE"),
            Column::left("REMARK"),
        ]);
        for entry in &self.entries {
            table.row([
                Cell::Entry(self.path_of(entry), entry.name.clone()),
                entry.files.map_or(Cell::Empty, |files| Cell::Number(files as u64)),
                Cell::Size(entry.bytes),
                Cell::words(entry.language.into_iter()),
                Cell::words(entry.marks.names()),
            ]);
        }
        Some(Page { blocks: vec![Block::Table(table.without_empty())] })
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let (shown, total) = (self.shown, self.total);
        let notice = || {
            format!("{shown} of {total} shown, the maximum of a reply; {{tool:glob}} selects files")
        };
        (shown < total).then(notice).into_iter().collect()
    }
}
