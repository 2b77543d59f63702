//! `snapshot`: the structure of a directory, or of the whole tree, in pages.
//!
//! The command of this name streams all of it as JSON instead; see [`super::structure`].

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::coverage::Coverage;
use super::structure::{self, FileStructure, ImportStructure, SymbolStructure};
use super::{
    Call, CommandLine, Define, Reply, Toolset, counted, offset_notice, paths, results_max,
};
use crate::answer::style::Style;
use crate::base::ids::FileId;
use crate::base::text;
use crate::error::Result;
use crate::lang::SymbolKind;

/// The default number of files in a page.
const FILES: usize = 20;

/// The maximum number of symbols of one file.
const SYMBOLS_MAX: usize = 200;

/// The maximum number of imports of one file.
const IMPORTS_MAX: usize = 100;

/// The maximum number of symbols and imports of a page. A page ends before the file that would
/// exceed it.
const ENTRIES_MAX: usize = 2000;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Snapshot;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// A file or directory (default the whole tree)
    pub path: Option<String>,
    /// Maximum number of files (default 20)
    pub max_results: Option<usize>,
    /// Files to skip, to continue an earlier reply
    pub offset: Option<usize>,
}

/// A file of the page.
#[derive(Clone, Debug, Serialize)]
pub struct FileEntry {
    /// Its structure; lists are cut.
    #[serde(flatten)]
    pub structure: FileStructure,
    /// How many symbols it has, if the list is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbols_total: Option<usize>,
    /// How many imports it has, if the list is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imports_total: Option<usize>,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// Whether all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The files, in path order.
    pub files: Vec<FileEntry>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// The `offset` of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// The `offset`, if it is behind the last file.
    #[serde(skip)]
    offset_beyond: Option<usize>,
}

impl Define for Snapshot {
    const NAME: &'static str = "codedb_snapshot";
    const SUMMARY: &'static str = "List files with their language, lines, symbols and imports";
    const DETAILS: &'static str =
        "Returns pages in path order, with at most 200 symbols and 100 imports of a file.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("outline", "for one file with signatures"), ("tree", "for an overview")];
    const TOOLSET: Toolset = Toolset::Navigate;
    const COMMAND_LINE: CommandLine = CommandLine::Separate;
    const EXAMPLES: &'static [&'static str] = &[r#"{"path": "src", "max_results": 2}"#];
    const POSITIONAL: &'static [&'static str] = &["path"];
    type Args = Args;
    type Reply = Page;

    fn run(call: &Call<'_>, args: Args) -> Result<Page> {
        let path = args.path.as_deref().map(|path| paths::resolve(call, path)).transpose()?;
        let list = call.code.files()?;
        let files = match path.as_deref().and_then(|path| list.find(path)) {
            Some(at) => at..at + 1,
            None => paths::folder(call, args.path.as_deref())?.1,
        };
        let catalog = call.code.catalog(&[])?;
        let total = files.len();
        let given = args.offset.unwrap_or(0);
        let offset = given.min(total);
        let max = results_max(args.max_results, FILES);
        let (mut page, mut entries) = (Vec::new(), 0);
        for at in files.skip(offset).take(max) {
            let mut structure = structure::of(catalog, FileId::new(at))?;
            let symbols_total = cut(&mut structure.symbols, SYMBOLS_MAX);
            let imports_total = cut(&mut structure.imports, IMPORTS_MAX);
            entries += structure.symbols.len() + structure.imports.len();
            if entries > ENTRIES_MAX && !page.is_empty() {
                break;
            }
            page.push(FileEntry { structure, symbols_total, imports_total });
        }
        let end = offset + page.len();
        Ok(Page {
            coverage: Coverage::of(catalog),
            shown: page.len(),
            files: page,
            total,
            next_offset: (end < total && max > 0).then_some(end),
            offset_beyond: (given > 0 && given >= total).then_some(given),
        })
    }
}

/// Cuts a list, and returns its former length if it was longer.
fn cut<T>(list: &mut Vec<T>, max: usize) -> Option<usize> {
    let total = list.len();
    list.truncate(max);
    (total > max).then_some(total)
}

impl Reply for Page {
    /// A line for each file; below it a line for each symbol, and one with its imports.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for FileEntry { structure: of, symbols_total, imports_total } in &self.files {
            out.push_str(&style.path(&of.path));
            out.extend(of.language.iter().map(|language| format!("  {language}")));
            let lines = of.lines.map(|lines| format!("  {}", counted(lines as usize, "line")));
            out.extend(lines);
            out.extend(of.marks.names().map(|mark| format!("  {mark}")));
            out.push('\n');
            for SymbolStructure { qualified_name, kind, line, end_line, .. } in &of.symbols {
                let lines = style.lines(&of.path, *line, *end_line);
                let name = text::plain(qualified_name);
                // The name of an implementation begins with its kind.
                let kind = if *kind == SymbolKind::Impl { "" } else { kind.name() };
                let _ = writeln!(out, "  {}  {lines}", format!("{kind} {name}").trim_start());
            }
            if let Some(total) = symbols_total {
                let _ = writeln!(out, "  … {} more symbols", total - of.symbols.len());
            }
            if !of.imports.is_empty() {
                let imports: Vec<String> = of.imports.iter().map(import).collect();
                let _ = write!(out, "  imports: {}", imports.join(", "));
                if let Some(total) = imports_total {
                    let _ = write!(out, ", … {} more", total - of.imports.len());
                }
                out.push('\n');
            }
        }
        out
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let (shown, total) = (self.shown, self.total);
        let more = self.next_offset.map(|offset| {
            format!("{shown} of {total} files shown; continue with `offset` {offset}")
        });
        let beyond = self.offset_beyond.map(|offset| offset_notice(offset, total, "file"));
        more.into_iter().chain(beyond).chain(self.coverage.notice()).collect()
    }
}

/// Renders an imported module with the files to which it resolves.
fn import(of: &ImportStructure) -> String {
    let module = text::plain(&of.module);
    let files: Vec<String> = of.files.iter().map(|file| text::plain(file)).collect();
    if files.is_empty() { module } else { format!("{module} ({})", files.join(", ")) }
}
