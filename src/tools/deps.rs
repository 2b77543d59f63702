//! `deps`: what a file or folder imports, and who imports it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::callers::rounded;
use super::known::Known;
use super::{Call, Define, Reply, Speed, Toolset, counted, cut_notice, first, paths, results_max};
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::ids::FileId;
use crate::base::{path, text};
use crate::catalog::Catalog;
use crate::catalog::imports::ImportEdge;
use crate::error::{Error, Kind, Result};
use crate::graph::imports::certainty;
use crate::lang::Marks;
use crate::lang::facts::ImportKind;

mod reach;

pub(super) use reach::{Reached, reach};

/// Imports of one file that are listed.
const IMPORTS_MAX: usize = 10;

/// Names from elsewhere that are listed.
const EXTERNALS_MAX: usize = 200;

/// Files that an answer lists without being told a number.
const FILES_MAX: usize = 100;

/// See [`Define`].
#[derive(Debug)]
pub struct Deps;

/// Into which direction imports are followed.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Who imports it.
    #[default]
    ImportedBy,
    /// What it imports.
    DependsOn,
}

/// What is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file or folder; of a folder, imports that cross its border
    pub path: String,
    /// `imported_by` (default) or `depends_on`
    pub direction: Option<Direction>,
    /// Follow imports of imports, too
    #[serde(default)]
    pub transitive: bool,
    /// Imports to follow one after the other at most (default 1, with `transitive` no limit)
    pub max_depth: Option<usize>,
    /// Files at most (default 100)
    pub max_results: Option<usize>,
}

/// An import that leads to a file.
#[derive(Clone, Debug, Serialize)]
pub struct Import {
    /// Its first line in the file that imports, from 1.
    pub line: usize,
    /// The import as it is written.
    pub text: String,
    /// The file on the other end, where that is not the one that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// How sure it is that the import means the file, from 0 to 1.
    pub confidence: f32,
    /// By which rule that was found.
    pub reason: &'static str,
}

/// A file on the other end of imports.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// How many imports lie between.
    pub depth: usize,
    /// The imports by which it was reached, the first of them.
    pub imports: Vec<Import>,
    /// How many there are.
    pub imports_total: usize,
    /// What it is told to be.
    #[serde(flatten)]
    pub marks: Marks,
}

/// Something that is loaded while the program runs, of which nobody knows the file.
#[derive(Clone, Debug, Serialize)]
pub struct Load {
    /// The file that loads.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The load as it is written.
    pub text: String,
    /// How likely it loads a file of the tree, from 0 to 1.
    pub confidence: f32,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// Whether all files are known.
    #[serde(flatten)]
    pub coverage: Known,
    /// The file or folder that was asked about.
    pub path: String,
    /// Into which direction imports were followed.
    pub direction: Direction,
    /// Files on the other end, the nearest first; those that import by how central they are, those
    /// that are imported by path.
    pub files: Vec<File>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// With `depends_on`: what is imported from outside of the tree, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub externals: Vec<String>,
    /// How many names are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub externals_shown: usize,
    /// How many names there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub externals_total: usize,
    /// Loads of which only the running program knows what they load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Load>,
    /// How many loads are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub loads_shown: usize,
    /// How many loads there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub loads_total: usize,
    /// Imports of which nobody knows where they lead, those loads among them.
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved: usize,
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
    type Reply = Found;

    fn run(call: &Call<'_>, args: Args) -> Result<Found> {
        let (path, files) = start(call, &args.path)?;
        let about = stem(&path);
        let catalog = call.code.catalog(&[&about])?;
        let direction = args.direction.unwrap_or_default();
        let depth_max = args.max_depth.unwrap_or(if args.transitive { usize::MAX } else { 1 });
        if direction == Direction::DependsOn {
            for &file in &files {
                catalog.facts_now(file)?;
            }
        }
        let found = reach(catalog, &files, direction, depth_max);
        let max = results_max(args.max_results, FILES_MAX);
        let asked = Asked { path: paths::shown(&path), files, direction, depth_max };
        answer(catalog, asked, found, max)
    }
}

/// Returns the path that is asked about and its files.
fn start(call: &Call<'_>, given: &str) -> Result<(Vec<u8>, Vec<FileId>)> {
    let path = paths::resolve(call, given)?;
    let files = call.code.files()?;
    if let Some(at) = files.find(&path) {
        return Ok((path, vec![FileId::new(at)]));
    }
    let below = files.below(&path);
    if below.is_empty() && !path.is_empty() {
        return Err(match call.code.read(&path, 0) {
            Ok(_) => Error::usage("no search looks at this file, so its imports are not known")
                .with_path(&path::to_path(&path))
                .with_hint("ignore rules leave it out"),
            Err(error) if error.kind() == Kind::NotFound => paths::unknown(call, &path),
            Err(error) => error,
        });
    }
    Ok((path, below.map(FileId::new).collect()))
}

/// Returns the word that who imports a file most likely writes.
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

/// What is asked, understood.
struct Asked {
    path: String,
    files: Vec<FileId>,
    direction: Direction,
    depth_max: usize,
}

fn answer(catalog: &Catalog, asked: Asked, mut reached: Vec<Reached>, max: usize) -> Result<Found> {
    let Asked { path, files: start, direction, depth_max } = asked;
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
    let mut texts = Texts::new(catalog);
    let mut files = Vec::with_capacity(reached.len());
    for found in &reached {
        files.push(tell(catalog, &mut texts, start, direction, found)?);
    }
    let (mut loads, mut loads_total, unresolved) = (Vec::new(), 0, outside.unknown.len());
    for &(file, import) in &outside.unknown {
        let Some(facts) = catalog.facts_now(file)? else { continue };
        let Some(import) = facts.imports.get(import as usize) else { continue };
        if !is_load(import.kind) {
            continue;
        }
        loads_total += 1;
        if loads.len() < max {
            let text = texts.statement(file, &import.span);
            let (path, confidence) = (facts.path.clone(), certainty(import.kind));
            loads.push(Load { path, line: import.line, text, confidence });
        }
    }
    let (externals, externals_total) = first(outside.names.into_iter().collect(), EXTERNALS_MAX);
    Ok(Found {
        coverage: Known::of(catalog),
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
        unresolved,
    })
}

fn is_load(kind: ImportKind) -> bool {
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

fn tell(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    start: &[FileId],
    direction: Direction,
    found: &Reached,
) -> Result<File> {
    let mut imports = Vec::new();
    let mut best: BTreeMap<(FileId, u32), &ImportEdge> = BTreeMap::new();
    for edge in &found.edges {
        best.entry((edge.from, edge.import)).or_insert(edge);
    }
    for edge in best.values().take(IMPORTS_MAX) {
        let Some(facts) = catalog.facts_now(edge.from)? else { continue };
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

/// What imports lead to beside files.
#[derive(Debug, Default)]
struct Outside {
    names: BTreeSet<String>,
    unknown: Vec<(FileId, u32)>,
}

impl Outside {
    /// Returns what `start` and the files whose imports were followed import from elsewhere.
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
            outside.unknown.extend(imports.unknown.iter().map(|&import| (file, import)));
            if imports.outside.is_empty() {
                continue;
            }
            let Some(facts) = catalog.facts_now(file)? else { continue };
            let named = imports.outside.iter().filter_map(|&at| facts.imports.get(at as usize));
            outside.names.extend(named.map(|import| import.module.clone()));
        }
        outside.names.remove("");
        Ok(outside)
    }
}

impl Reply for Found {
    /// A line for each file with its first import, and one for each further import.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for File { path, depth, imports, imports_total, marks } in &self.files {
            let indent = 2 * (depth - 1);
            let marks: String = marks.names().map(|name| format!("  {name}")).collect();
            let _ = writeln!(out, "{:indent$}{}{marks}", "", style.path(path));
            for Import { line, text, with, confidence, reason } in imports {
                let with = with.as_ref().map(|with| format!("  [{}]", text::plain(with)));
                let (text, with) = (text::plain(text), with.unwrap_or_default());
                let line = style.line(path, *line, 0);
                let _ = writeln!(
                    out,
                    "{:indent$}  {line}: {text}{with}  (by {reason}, {confidence:.2})",
                    ""
                );
            }
            if imports.len() < *imports_total {
                let more = counted(imports_total - imports.len(), "more import");
                let _ = writeln!(out, "{:indent$}  … {more}", "");
            }
        }
        if !self.externals.is_empty() {
            let names: Vec<String> = self.externals.iter().map(|name| text::plain(name)).collect();
            let _ = writeln!(out, "from elsewhere: {}", names.join(", "));
        }
        for Load { path, line, text, confidence } in &self.loads {
            let (place, text) = (style.place(path, *line), text::plain(text));
            let _ = writeln!(out, "loaded at run time: {place}: {text}  ({confidence:.2})");
        }
        out
    }

    fn is_found(&self) -> bool {
        self.total + self.externals_total + self.unresolved > 0
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = cut_notice(self.shown, self.total, "max_results");
        for (shown, total, what) in [
            (self.externals_shown, self.externals_total, "names from elsewhere"),
            (self.loads_shown, self.loads_total, "loads at run time"),
        ] {
            if shown < total {
                notices.push(format!("{shown} of {total} {what} shown"));
            }
        }
        if self.unresolved > 0 {
            let imports = counted(self.unresolved, "import");
            notices.push(format!("{imports} could not be led to a file or package"));
        }
        notices.extend(self.coverage.notice());
        notices
    }
}
