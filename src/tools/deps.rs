//! `deps`: the imports of a file or directory, and the files that import it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::callers::rounded;
use super::coverage::{Coverage, Reading};
use super::{Call, Define, Reply, Speed, Toolset, counted, cut_notice, first, paths, results_max};
use crate::answer::graph::Graph;
use crate::answer::page::{Block, Cell, Column, Grade, Node, Page, Table};
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::ids::FileId;
use crate::base::{path, text};
use crate::catalog::Catalog;
use crate::catalog::imports::ImportEdge;
use crate::error::{Error, Kind, Result};
use crate::graph::imports::certainty;
use crate::graph::link::FileFacts;
use crate::lang::Marks;
use crate::lang::facts::ImportKind;

mod drawing;
mod reach;

pub(super) use reach::{Reached, reach};

/// The maximum number of imports that are listed for a file.
const IMPORTS_MAX: usize = 10;

/// The maximum number of external names that are listed.
const EXTERNALS_MAX: usize = 200;

/// The default number of files in a reply.
const FILES_MAX: usize = 100;

/// Room for the lines of a file with one import in the rendered reply.
const LINE_BYTES: usize = 160;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Deps;

/// The direction in which imports are followed.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The files that import it.
    #[default]
    ImportedBy,
    /// The files and packages that it imports.
    DependsOn,
}

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file or directory; for a directory, imports that cross its boundary
    pub path: String,
    /// `imported_by` (default) or `depends_on`
    pub direction: Option<Direction>,
    /// Also follow indirect imports
    #[serde(default)]
    pub transitive: bool,
    /// Maximum length of a chain of imports (default 1, with `transitive` unlimited)
    pub max_depth: Option<usize>,
    /// Maximum number of files (default 100)
    pub max_results: Option<usize>,
    /// Print a tree with the indirect imports
    #[serde(default)]
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub tree: bool,
}

/// An import that resolves to a file.
#[derive(Clone, Debug, Serialize)]
pub struct Import {
    /// Its first line in the importing file, from 1.
    pub line: usize,
    /// The import as it is written.
    pub text: String,
    /// The other file, unless it is the one of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// The confidence that the import resolves to the file, from 0 to 1.
    pub confidence: f32,
    /// The rule that resolved it.
    pub reason: &'static str,
}

/// A file that is connected by imports.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// The length of the shortest chain of imports to it.
    pub depth: usize,
    /// The first of the imports that lead to it.
    pub imports: Vec<Import>,
    /// How many there are.
    pub imports_total: usize,
    /// Its marks, such as `generated` or `test`.
    #[serde(flatten)]
    pub marks: Marks,
}

/// An import that cannot be resolved to a file or package.
#[derive(Clone, Debug, Serialize)]
pub struct UnresolvedImport {
    /// The importing file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The import as it is written.
    pub text: String,
}

/// A dynamically computed import that cannot be resolved to a file.
#[derive(Clone, Debug, Serialize)]
pub struct DynamicImport {
    /// The importing file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The import as it is written.
    pub text: String,
    /// The confidence that it imports a file of the tree, from 0 to 1.
    pub confidence: f32,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct DepsReply {
    /// Whether all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The file or directory of the call.
    pub path: String,
    /// Into which direction imports were followed.
    pub direction: Direction,
    /// The connected files, nearest first; then importing files by centrality, imported files by
    /// path.
    pub files: Vec<File>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// With `depends_on`: the names that are imported from outside of the tree, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub externals: Vec<String>,
    /// How many names are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub externals_shown: usize,
    /// How many names there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub externals_total: usize,
    /// Dynamically computed imports that cannot be resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<DynamicImport>,
    /// How many dynamically computed imports are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub loads_shown: usize,
    /// How many dynamically computed imports there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub loads_total: usize,
    /// With `depends_on`: other unresolved imports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved_imports: Vec<UnresolvedImport>,
    /// The number of unresolved imports, including the dynamically computed ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved: usize,
    /// True if the text is a tree.
    #[serde(skip)]
    is_tree: bool,
    /// All imports between the listed files, if the reply is drawn.
    #[serde(skip)]
    graph: Option<Graph>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Define for Deps {
    const NAME: &'static str = "codedb_deps";
    const SUMMARY: &'static str =
        "List the files that import a file or directory, or the files and packages that it imports";
    const DETAILS: &'static str = "Imports are resolved by the rules of each language; each has its line, confidence and \
         rule. Dynamically computed imports have a low confidence. Files of one package that see \
         each other without an import are not listed.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("callers", "for a single function")];
    const TOOLSET: Toolset = Toolset::Core;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] = &[r#"{"path": "src/price.rs"}"#];
    const POSITIONAL: &'static [&'static str] = &["path"];
    type Args = Args;
    type Reply = DepsReply;

    fn run(call: &Call<'_>, args: Args) -> Result<DepsReply> {
        let (path, files) = start(call, &args.path)?;
        let word = stem(&path);
        let catalog = call.code.catalog(&[&word])?;
        let direction = args.direction.unwrap_or_default();
        if path.is_empty() && direction == Direction::ImportedBy {
            return Err(Error::usage("`path` is the whole tree, which no other file imports")
                .with_hint("pass a file or a directory")
                .with_hint("{tool:tree} lists both"));
        }
        let is_transitive = args.transitive || args.tree;
        let depth_max = args.max_depth.unwrap_or(if is_transitive { usize::MAX } else { 1 });
        if direction == Direction::DependsOn {
            for &file in &files {
                catalog.facts_now(file)?;
            }
        }
        let found = reach(catalog, &files, direction, depth_max);
        let max = results_max(args.max_results, FILES_MAX);
        let (path, draws) = (paths::shown(&path), call.draws_graph);
        let request = Request { path, files, direction, depth_max, draws };
        let reply = answer(catalog, request, found, max)?;
        Ok(DepsReply { is_tree: args.tree, ..reply })
    }
}

/// Returns the repository path of the call and its files.
fn start(call: &Call<'_>, given: &str) -> Result<(Vec<u8>, Vec<FileId>)> {
    let path = paths::resolve(call, given)?;
    let files = call.code.files()?;
    if let Some(at) = files.find(&path) {
        return Ok((path, vec![FileId::new(at)]));
    }
    let below = files.below(&path);
    if below.is_empty() && !path.is_empty() {
        return Err(match call.code.read(&path, 0) {
            Ok(_) => {
                Error::usage("this file is excluded from searches, so its imports are not indexed")
                    .with_path(&path::to_path(&path))
                    .with_hint("an ignore rule excludes it")
            }
            Err(error) if error.kind() == Kind::NotFound => paths::unknown(call, &path),
            Err(error) => error,
        });
    }
    Ok((path, below.map(FileId::new).collect()))
}

/// Returns the word that imports of a file most likely contain.
fn stem(path: &[u8]) -> String {
    let name = paths::shown(path::split(path).1);
    let stem = name.split('.').next().unwrap_or_default().to_owned();
    match stem.as_str() {
        "mod" | "lib" | "main" | "index" | "__init__" => {
            paths::shown(path::split(path::split(path).0).1)
        }
        _ => stem,
    }
}

/// The arguments with defaults applied and `path` resolved to files.
struct Request {
    path: String,
    files: Vec<FileId>,
    direction: Direction,
    depth_max: usize,
    draws: bool,
}

fn answer(
    catalog: &Catalog,
    request: Request,
    mut reached: Vec<Reached>,
    max: usize,
) -> Result<DepsReply> {
    let Request { path, files: start, direction, depth_max, draws } = request;
    let start = start.as_slice();
    let outside = match direction {
        Direction::DependsOn => Outside::of(catalog, start, &reached, depth_max)?,
        Direction::ImportedBy => Outside::default(),
    };
    if direction == Direction::ImportedBy {
        let ranks = catalog.file_rank();
        let mut keyed = Vec::with_capacity(reached.len());
        for found in reached {
            let marks = catalog.marks(found.file)?;
            keyed.push((found.depth, marks.rank(), ranks[found.file.index()], found));
        }
        keyed.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)));
        reached = keyed.into_iter().map(|(.., found)| found).collect();
    }
    let (reached, total) = first(reached, max);
    let graph = draws.then(|| drawing::of(catalog, start, &reached, direction));
    let mut texts = Texts::new(catalog);
    let mut files = Vec::with_capacity(reached.len());
    for found in &reached {
        files.push(file_entry(catalog, &mut texts, start, direction, found)?);
    }
    let (mut loads, mut loads_total, unresolved) = (Vec::new(), 0, outside.unresolved.len());
    let mut unresolved_imports = Vec::new();
    for &(file, import) in &outside.unresolved {
        let Some(facts) = catalog.facts_now(file)? else { continue };
        let Some(import) = facts.imports.get(import as usize) else { continue };
        if !is_dynamic(import.kind) {
            if unresolved_imports.len() < max {
                let text = texts.statement(file, &import.span);
                let path = facts.path.clone();
                unresolved_imports.push(UnresolvedImport { path, line: import.line, text });
            }
            continue;
        }
        loads_total += 1;
        if loads.len() < max {
            let text = texts.statement(file, &import.span);
            let (path, confidence) = (facts.path.clone(), certainty(import.kind));
            loads.push(DynamicImport { path, line: import.line, text, confidence });
        }
    }
    let (externals, externals_total) = first(outside.names.into_iter().collect(), EXTERNALS_MAX);
    // Of a file that could not be parsed completely, the imports are found nevertheless.
    let coverage = Coverage {
        files_unread: Coverage::of(catalog).or_unread(catalog, Reading::Symbols).files_unread,
        ..Coverage::of(catalog)
    };
    Ok(DepsReply {
        coverage,
        path,
        direction,
        shown: files.len(),
        files,
        total,
        externals_shown: externals.len(),
        externals,
        externals_total,
        loads_shown: loads.len(),
        loads,
        loads_total,
        unresolved_imports,
        unresolved,
        is_tree: false,
        graph,
    })
}

fn is_dynamic(kind: ImportKind) -> bool {
    use ImportKind::{
        Dynamic, DynamicConcatenation, DynamicConditional, DynamicEval, DynamicTemplate,
        DynamicVariable,
    };
    matches!(
        kind,
        Dynamic
            | DynamicConcatenation
            | DynamicConditional
            | DynamicEval
            | DynamicTemplate
            | DynamicVariable
    )
}

fn file_entry(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    start: &[FileId],
    direction: Direction,
    found: &Reached,
) -> Result<File> {
    let mut best: Vec<&ImportEdge> = found.edges.iter().collect();
    // The sort is stable: of several edges of one import, the first one stays.
    best.sort_by_key(|edge| (edge.from, edge.import));
    best.dedup_by_key(|edge| (edge.from, edge.import));
    let mut imports = Vec::with_capacity(best.len().min(IMPORTS_MAX));
    let mut last: Option<(FileId, Option<Arc<FileFacts>>)> = None;
    for edge in best.iter().take(IMPORTS_MAX) {
        if last.as_ref().is_none_or(|(file, _)| *file != edge.from) {
            last = Some((edge.from, catalog.facts_now(edge.from)?));
        }
        let Some((_, Some(facts))) = &last else { continue };
        let Some(import) = facts.imports.get(edge.import as usize) else { continue };
        let text = texts.statement(edge.from, &import.span);
        let other = if direction == Direction::ImportedBy { edge.to } else { edge.from };
        let with = (start != [other]).then(|| paths::shown(catalog.path(other)));
        let (confidence, reason) = (rounded(edge.confidence), edge.reason.words());
        imports.push(Import { line: import.line, text, with, confidence, reason });
    }
    let marks = catalog.marks(found.file)?;
    let path = paths::shown(catalog.path(found.file));
    Ok(File { path, depth: found.depth, imports, imports_total: best.len(), marks })
}

/// Targets of imports that are not files of the tree.
#[derive(Debug, Default)]
struct Outside {
    names: BTreeSet<String>,
    unresolved: Vec<(FileId, u32)>,
}

impl Outside {
    /// Returns the external and unresolved imports of `start` and of the files whose imports were
    /// followed.
    fn of(
        catalog: &Catalog,
        start: &[FileId],
        reached: &[Reached],
        depth_max: usize,
    ) -> Result<Outside> {
        let mut outside = Outside::default();
        let followed = reached.iter().filter(|found| found.depth < depth_max);
        for file in start.iter().copied().chain(followed.map(|found| found.file)) {
            let imports = catalog.file_imports(file);
            if imports.outside.is_empty() && imports.unknown.is_empty() {
                continue;
            }
            let Some(facts) = catalog.facts_now(file)? else { continue };
            // `export {a as b}` names something of the file itself.
            let is_own = |at: u32| {
                let import = facts.imports.get(at as usize);
                import.is_some_and(|import| import.module.is_empty() && !is_dynamic(import.kind))
            };
            let unknown = imports.unknown.iter().filter(|at| !is_own(**at));
            outside.unresolved.extend(unknown.map(|&import| (file, import)));
            let named = imports.outside.iter().filter_map(|&at| facts.imports.get(at as usize));
            outside.names.extend(named.map(|import| import.module.clone()));
        }
        outside.names.remove("");
        Ok(outside)
    }
}

impl DepsReply {
    /// Returns the places of the files that are connected with the start, and of those below each file:
    /// a file is below the one that its first import connects it with.
    fn places(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let listed: BTreeMap<&str, usize> =
            self.files.iter().enumerate().map(|(at, file)| (file.path.as_str(), at)).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.files.len()];
        let mut top = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            let with = file.imports.iter().find_map(|import| import.with.as_deref());
            let above = with.and_then(|path| listed.get(path).copied());
            // Files come after those that are nearer to the start.
            match above.filter(|&above| above < at && self.files[above].depth < file.depth) {
                Some(above) => children[above].push(at),
                None => top.push(at),
            }
        }
        (top, children)
    }

    /// Returns the connected files as nodes of a tree.
    fn nodes(&self) -> Vec<Node> {
        let (top, children) = self.places();
        let mut nodes: Vec<Option<Node>> = Vec::new();
        nodes.resize_with(self.files.len(), || None);
        for at in (0..self.files.len()).rev() {
            let below = children[at].iter().filter_map(|&child| nodes[child].take()).collect();
            nodes[at] = Some(Node { cells: self.cells(&self.files[at]), children: below });
        }
        top.into_iter().filter_map(|at| nodes[at].take()).collect()
    }

    /// Writes the connected files as a tree, with the first import of each.
    fn write_tree(&self, out: &mut String, style: &dyn Style) {
        let _ = writeln!(out, "{}", style.path(&self.path));
        let (mut open, children) = self.places();
        let mut indents = vec![1; self.files.len()];
        open.reverse();
        while let Some(at) = open.pop() {
            let file = &self.files[at];
            let first = file.imports.first();
            let place = match first.filter(|_| self.direction == Direction::ImportedBy) {
                Some(import) => style.place(&file.path, import.line),
                None => style.path(&file.path),
            };
            let _ = write!(out, "{:1$}{place}", "", 2 * indents[at]);
            for name in file.marks.names() {
                let _ = write!(out, "  {name}");
            }
            if let Some(import) = first {
                let _ = write!(out, "  {}", text::plain(&import.text));
            }
            out.push('\n');
            for &child in children[at].iter().rev() {
                indents[child] = indents[at] + 1;
                open.push(child);
            }
        }
    }

    fn cells(&self, file: &File) -> Vec<Cell> {
        let first = file.imports.first();
        let mut cells = vec![match first.filter(|_| self.direction == Direction::ImportedBy) {
            Some(import) => Cell::Place(file.path.clone(), import.line),
            None => Cell::Path(file.path.clone()),
        }];
        cells.extend(file.marks.names().map(Cell::faint));
        cells.extend(first.map(|import| Cell::faint(&import.text)));
        if file.imports_total > 1 {
            cells.push(Cell::faint(format!("and {} more", file.imports_total - 1)));
        }
        if file.imports.iter().all(|import| import.confidence < 0.5) {
            cells.push(Cell::Level(Grade::Fair, "unsure"));
        }
        cells
    }
}

impl Reply for DepsReply {
    /// Renders a line for each file, followed by a line for each of its imports.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::with_capacity(LINE_BYTES * self.files.len());
        if self.is_tree {
            self.write_tree(&mut out, style);
        }
        let listed = self.files.iter().filter(|_| !self.is_tree);
        for File { path, depth, imports, imports_total, marks } in listed {
            let indent = " ".repeat(2 * (depth - 1));
            out.push_str(&indent);
            out.push_str(&style.path(path));
            for name in marks.names() {
                out.push_str("  ");
                out.push_str(name);
            }
            out.push('\n');
            for Import { line, text, with, confidence, reason } in imports {
                out.push_str(&indent);
                out.push_str("  ");
                out.push_str(&style.line(path, *line, 0));
                out.push_str(": ");
                text::push_plain(&mut out, text);
                if let Some(with) = with {
                    out.push_str("  [");
                    text::push_plain(&mut out, with);
                    out.push(']');
                }
                out.push_str("  (by ");
                out.push_str(reason);
                // Two decimals, without the formatting of floating-point numbers.
                let hundredths = (confidence * 100.0).round() as u32;
                let _ = writeln!(out, ", {}.{:02})", hundredths / 100, hundredths % 100);
            }
            if imports.len() < *imports_total {
                let more = counted(imports_total - imports.len(), "more import");
                let _ = writeln!(out, "{indent}  … {more}");
            }
        }
        if !self.externals.is_empty() {
            let names: Vec<String> = self.externals.iter().map(|name| text::plain(name)).collect();
            let _ = writeln!(out, "external: {}", names.join(", "));
        }
        for UnresolvedImport { path, line, text } in &self.unresolved_imports {
            let (place, text) = (style.place(path, *line), text::plain(text));
            let _ = writeln!(out, "unresolved: {place}: {text}");
        }
        for DynamicImport { path, line, text, confidence } in &self.loads {
            let (place, text) = (style.place(path, *line), text::plain(text));
            let _ = writeln!(out, "dynamic import: {place}: {text}  ({confidence:.2})");
        }
        out
    }

    /// Shows the connected files as a tree, then what is outside of the tree of files.
    fn page(&self) -> Option<Page> {
        let what = match self.direction {
            Direction::ImportedBy => "is imported by",
            Direction::DependsOn => "imports",
        };
        let files = Cell::text(counted(self.total, "file"));
        let cells = vec![Cell::Path(self.path.clone()), Cell::faint(what), files];
        let mut blocks = vec![Block::Tree(vec![Node { cells, children: self.nodes() }])];
        if !self.externals.is_empty() {
            let names = self.externals.join(", ");
            blocks.push(Block::Line(vec![Cell::faint("external:"), Cell::text(names)]));
        }
        let columns = [Column::cut(""), Column::cut("")];
        let mut unresolved = Table::new(columns.clone());
        for UnresolvedImport { path, line, text } in &self.unresolved_imports {
            unresolved.row([Cell::Place(path.clone(), *line), Cell::text(text)]);
        }
        let mut dynamic = Table::new(columns);
        for DynamicImport { path, line, text, .. } in &self.loads {
            dynamic.row([Cell::Place(path.clone(), *line), Cell::text(text)]);
        }
        for (title, table) in [("Unresolved", unresolved), ("Dynamic imports", dynamic)] {
            if !table.rows.is_empty() {
                blocks.extend([Block::Title(title.to_owned()), Block::Table(table)]);
            }
        }
        Some(Page { blocks })
    }

    const HAS_GRAPH: bool = true;

    fn graph(&self) -> Option<Graph> {
        self.graph.clone()
    }

    fn is_found(&self) -> bool {
        self.total + self.externals_total + self.unresolved > 0
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = cut_notice(self.shown, self.total, "max_results");
        for (shown, total, what, more) in [
            (self.externals_shown, self.externals_total, "external names", ""),
            (self.loads_shown, self.loads_total, "dynamic imports", "; `max_results` shows more"),
        ] {
            if shown < total {
                notices.push(format!("{shown} of {total} {what} shown{more}"));
            }
        }
        if self.unresolved > 0 {
            let imports = counted(self.unresolved, "import");
            let notice = format!("{imports} could not be resolved to a file or package");
            let is_whole = self.unresolved_imports.len() + self.loads_total == self.unresolved;
            let more = if is_whole { "" } else { "; `max_results` shows more" };
            notices.push(format!("{notice}{more}"));
        }
        notices.extend(self.coverage.notice());
        notices
    }
}
