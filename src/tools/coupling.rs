//! `coupling`: the files that change together with a file, and those that imports connect with it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data, date, rounded};
use super::{Alias, Call, Define, Speed, Toolset, counted, paths, results_max};
use crate::answer::analysis::{Analysis, NextStep, Size};
use crate::answer::page::{Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::catalog::imports::ImportEdge;
use crate::error::Result;
use crate::graph::link::Code as _;
use crate::history::History;
use crate::history::coupling::Together;
use crate::history::likely::{self, Features};

/// The default of `min_count`.
const SUPPORT_MIN: u32 = 2;

/// The number of likely files.
const LIKELY_MAX: usize = 5;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Coupling;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file
    pub file_path: String,
    /// Minimum number of common commits (default 2)
    pub min_count: Option<u32>,
    /// Maximum number of entries of each list (default 20)
    pub limit: Option<usize>,
    /// Maximum number of tokens (default 4000)
    pub max_tokens: Option<usize>,
    /// Also files that no commit has
    #[schemars(extend("x-unlisted" = super::unlisted::INCLUDED))]
    pub working_tree: Option<bool>,
}

/// A file that commits change together with the file of the call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoChange {
    /// Its repository path.
    pub path: String,
    /// The sum of 1 / (n − 1) over the common commits of n files, decayed with a half-life of one
    /// year.
    pub score: f64,
    /// The number of common commits.
    pub support: u32,
    /// The share of the file's commits that changed this one as well, from 0 to 1.
    pub confidence: f64,
    /// How many times more often they change together than if they changed independently.
    pub lift: f64,
    /// The day of the newest common commit.
    pub last: String,
    /// True if an import connects them, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub imports: bool,
}

/// A file that an import connects with the file of the call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ImportPartner {
    /// Its repository path.
    pub path: String,
    /// `imports` if the file of the call imports it, `imported_by` if it imports that file, or `both`.
    pub direction: &'static str,
    /// The confidence that the import resolves to the file, from 0 to 1; divided among the files of a package
    /// that is imported as a whole.
    pub confidence: f64,
}

/// A file that a change of the file most likely changes as well.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LikelyFile {
    /// Its repository path.
    pub path: String,
    /// The share of its score in that of all candidates, from 0 to 1.
    pub share: f64,
    /// The number of common commits.
    pub support: u32,
    /// Its commits, decayed with a half-life of 60 days.
    pub popularity: f64,
    /// True if the names are the same but for affixes of tests and the extension.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub same_name: bool,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CouplingData {
    /// The commits of the file that are evidence.
    pub commits: u32,
    /// Files that change together with it, those with the highest score first.
    pub co_change_partners: Vec<CoChange>,
    /// The files that a change most likely changes as well; unlike the partners, they may lack common
    /// commits.
    pub likely: Vec<LikelyFile>,
    /// Files that imports connect with it, most certain first, then by path; without those of its own package.
    pub import_partners: Vec<ImportPartner>,
    /// How many files imports connect with it.
    pub import_partners_total: usize,
}

impl Define for Coupling {
    const NAME: &'static str = "codedb_coupling";
    const SUMMARY: &'static str =
        "List the files that change together with a file, and those that imports connect with it";
    const DETAILS: &'static str = "A commit of n files adds 1 / (n − 1) to the score of each pair, decayed with a half-life of \
         one year; commits of more than 30 files and of automated authors add nothing. Files that \
         no longer exist are left out.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("deps", "for the imports themselves")];
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"file_path": "src/cart.rs"}"#];
    const POSITIONAL: &'static [&'static str] = &["file_path"];
    const ALIASES: &'static [Alias] = &[Alias::new("path", "file_path")];
    type Args = Args;
    type Reply = Analysis<CouplingData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<CouplingData>> {
        let path = analysis::file(call, &args.file_path)?;
        let max = results_max(args.limit, 20);
        let imports = imports(call, &path)?;
        let import_partners_total = imports.len();
        let mut by_confidence: Vec<_> = imports.iter().collect();
        by_confidence.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then(a.0.cmp(b.0)));
        let import_partners: Vec<ImportPartner> = by_confidence
            .into_iter()
            .take(max)
            .map(|(path, &(direction, confidence))| ImportPartner {
                path: paths::shown(path),
                direction,
                confidence: rounded(confidence.into()),
            })
            .collect();
        let data =
            CouplingData { import_partners, import_partners_total, ..CouplingData::default() };
        let history = match analysis::history(call)? {
            Ok(history) => history,
            Err(missing) => return Ok(missing.reply(data)),
        };
        let path = analysis::committed_path(call, &history, &path);
        let coupling = history.coupling(&analysis::rules(call));
        let commits = coupling.commits_of(&path);
        let data = CouplingData { likely: likely(call, &history, &coupling, &path)?, ..data };
        if commits == 0 {
            return Ok(analysis::with_log_status(call, &history, analysis::no_commits(data)));
        }
        let files = call.code.files()?;
        let support_min = args.min_count.unwrap_or(SUPPORT_MIN);
        let mut partners = coupling.partners(history.log(), &path);
        partners.retain(|it| files.find(it.path).is_some());
        let all = partners.len();
        partners.retain(|it| it.together.support >= support_min);
        let total = partners.len();
        let co_change_partners: Vec<CoChange> = partners
            .iter()
            .take(max)
            .map(|it| CoChange {
                path: paths::shown(it.path),
                score: rounded(it.together.weight),
                support: it.together.support,
                confidence: rounded(it.confidence),
                lift: rounded(it.lift),
                last: date(it.together.last_s),
                imports: imports.contains_key(it.path),
            })
            .collect();
        let shown = co_change_partners.len();
        let strongest = co_change_partners.first().map(|it| it.path.clone());
        let mut reply =
            Analysis::list(CouplingData { commits, co_change_partners, ..data }, shown, total);
        if all > total {
            reply.message = Some(format!(
                "{} more changed together with it in fewer than {support_min} commits; `min_count` 1 \
                 shows them",
                counted(all - total, "file")
            ));
        }
        if let Some(path) = strongest {
            reply = reply.with_step(NextStep::call(
                "codedb_history",
                json!({"file_path": path}),
                "the commits of the strongest partner",
            ));
        }
        Ok(analysis::fit(analysis::with_log_status(call, &history, reply), args.max_tokens))
    }
}

/// Returns the most likely files, best first.
fn likely(
    call: &Call<'_>,
    history: &History,
    coupling: &crate::history::Coupling,
    path: &[u8],
) -> Result<Vec<LikelyFile>> {
    let files = call.code.files()?;
    let activity = history.activity(coupling.rules());
    let popularity = |path: &[u8]| activity.file(path).map_or(0.0, |file| file.hot_weight);
    let partners = coupling.partners(history.log(), path);
    let together: BTreeMap<&[u8], Together> =
        partners.into_iter().map(|it| (it.path, it.together)).collect();
    let stem = likely::stem(path);
    let mut popular: Vec<(f64, &[u8])> =
        files.iter().map(|(path, _)| (popularity(path), path)).filter(|it| it.0 > 0.0).collect();
    popular.sort_by(|a, b| b.0.total_cmp(&a.0));
    popular.truncate(likely::POPULAR_MAX);
    let is_alike = |path: &&[u8]| !stem.is_empty() && likely::stem(path) == stem;
    let mut candidates: Vec<&[u8]> = popular.into_iter().map(|(_, path)| path).collect();
    candidates.extend(files.iter().map(|(path, _)| path).filter(is_alike));
    candidates.extend(together.keys().copied().filter(|path| files.find(path).is_some()));
    candidates.sort_unstable();
    candidates.dedup();
    candidates.retain(|other| *other != path);
    let head_s = history.log().head_s();
    let mut scored: Vec<(f64, LikelyFile)> = candidates
        .into_iter()
        .map(|other| {
            let common = together.get(other);
            let features = Features {
                weight: common.map_or(0.0, |it| it.weight),
                since_s: common.map(|it| head_s.saturating_sub(it.last_s)),
                popularity: popularity(other),
                is_same_name: is_alike(&other),
                is_same_directory: likely::directory(other) == likely::directory(path),
                is_same_extension: likely::extension(other) == likely::extension(path),
            };
            let file = LikelyFile {
                path: paths::shown(other),
                share: 0.0,
                support: common.map_or(0, |it| it.support),
                popularity: rounded(features.popularity),
                same_name: features.is_same_name,
            };
            (features.score(), file)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    let sum: f64 = scored.iter().map(|(score, _)| score).sum();
    scored.truncate(LIKELY_MAX);
    let share =
        |(score, file): (f64, LikelyFile)| LikelyFile { share: rounded(score / sum), ..file };
    Ok(scored.into_iter().map(share).collect())
}

/// Returns the files that imports connect with the file, with direction and confidence. Files of its own package
/// need no import, so they are left out.
fn imports(call: &Call<'_>, path: &[u8]) -> Result<BTreeMap<Vec<u8>, (&'static str, f32)>> {
    let catalog = call.code.catalog(&[])?;
    let Some(at) = catalog.files().find(path) else { return Ok(BTreeMap::new()) };
    let file = FileId::new(at);
    let graph = catalog.import_graph();
    // An import of a package names none of its files.
    let share = |edge: &ImportEdge| {
        let all = graph.imported(edge.from).iter().filter(|of| of.import == edge.import);
        edge.confidence / all.count().max(1) as f32
    };
    let imported = graph.imported(file).iter().map(|edge| (edge.to, "imports", share(edge)));
    let importers = graph.importers(file).map(|edge| (edge.from, "imported_by", share(edge)));
    let mut found: BTreeMap<Vec<u8>, (&'static str, f32)> = BTreeMap::new();
    for (other, direction, confidence) in imported.chain(importers) {
        if other == file || is_own_package(catalog, file, other) {
            continue;
        }
        let entry = found.entry(catalog.path(other).to_vec()).or_insert((direction, confidence));
        entry.1 = entry.1.max(confidence);
        if entry.0 != direction {
            entry.0 = "both";
        }
    }
    Ok(found)
}

/// Returns true if a file sees the names of another one without an import. The external tests of a package of Go
/// import it, and belong to it.
fn is_own_package(catalog: &Catalog, file: FileId, other: FileId) -> bool {
    let (own, others) = (catalog.path(file), catalog.path(other));
    let is_of_go = own.ends_with(b".go") && others.ends_with(b".go");
    is_of_go && path::split(own).0 == path::split(others).0 || catalog.is_same_package(file, other)
}

impl Data for CouplingData {
    fn render(&self, style: &dyn Style, out: &mut String) {
        let commits = counted(self.commits as usize, "commit");
        let _ = writeln!(out, "changed together ({commits} of the file)");
        for it in &self.co_change_partners {
            let imports = if it.imports { ", imports" } else { "" };
            let _ = writeln!(
                out,
                "  {:>7.3}  {}, confidence {:.2}, lift {:.1}, last {}{imports}  {}",
                it.score,
                counted(it.support as usize, "commit"),
                it.confidence,
                it.lift,
                it.last,
                style.path(&it.path)
            );
        }
        if !self.likely.is_empty() {
            let _ = writeln!(out, "a change most likely also changes");
        }
        for it in &self.likely {
            let same = if it.same_name { ", same name" } else { "" };
            let _ = writeln!(
                out,
                "  {:>6.1}%  {}{same}  {}",
                it.share * 100.0,
                counted(it.support as usize, "common commit"),
                style.path(&it.path)
            );
        }
        let (shown, total) = (self.import_partners.len(), self.import_partners_total);
        let _ = writeln!(out, "connected by imports ({shown} of {total})");
        for it in &self.import_partners {
            let _ = writeln!(
                out,
                "  {:<11} {:.2}  {}",
                it.direction,
                it.confidence,
                style.path(&it.path)
            );
        }
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut together = Table::new([
            Column::cut("FILE"),
            Column::left("STRENGTH"),
            Column::left("HOW OFTEN"),
            Column::right("COMMITS"),
            Column::left("LAST"),
            Column::left(""),
        ]);
        let max = self.co_change_partners.iter().map(|it| it.score).fold(0.0, f64::max);
        for it in &self.co_change_partners {
            together.row([
                Cell::Path(it.path.clone()),
                Cell::bar(it.score, max),
                Cell::Share(it.confidence),
                Cell::Number(it.support.into()),
                Cell::time(&it.last),
                if it.imports { Cell::faint("import") } else { Cell::Empty },
            ]);
        }
        let mut likely =
            Table::new([Column::cut("FILE"), Column::left("LIKELY"), Column::left("")]);
        for it in &self.likely {
            let name = if it.same_name { ", same name" } else { "" };
            let why = match it.support {
                0 => name.trim_start_matches(", ").to_owned(),
                support => format!("{}{name}", counted(support as usize, "common commit")),
            };
            likely.row([Cell::Path(it.path.clone()), Cell::Share(it.share), Cell::faint(why)]);
        }
        let mut imports = Table::new([Column::cut("FILE"), Column::left("IMPORT")]);
        for it in &self.import_partners {
            let how = match it.direction {
                "imports" => "is imported by it",
                "imported_by" => "imports it",
                _ => "import each other",
            };
            let unsure = if it.confidence < 0.5 { ", unsure" } else { "" };
            imports.row([Cell::Path(it.path.clone()), Cell::faint(format!("{how}{unsure}"))]);
        }
        let commits = counted(self.commits as usize, "commit");
        let mut blocks = Vec::new();
        for (title, table) in [
            (format!("Changed together with it, in {commits} of the file"), together),
            ("A change most likely also changes".to_owned(), likely),
            ("Connected by imports".to_owned(), imports),
        ] {
            if !table.rows.is_empty() {
                blocks.extend([Block::Title(title), Block::Table(table.without_empty())]);
            }
        }
        Some(blocks)
    }

    fn notices(&self) -> Vec<String> {
        let (shown, total) = (self.import_partners.len(), self.import_partners_total);
        let notice =
            || format!("{shown} of {total} files connected by imports shown; `limit` shows more");
        (shown < total).then(notice).into_iter().collect()
    }

    fn truncate(&mut self, shown: usize) {
        self.co_change_partners.truncate(shown);
        self.import_partners.truncate(shown.max(1));
    }
}
