//! `risk_map`: the files in which errors are most likely, with the components of each score.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data, Missing, rounded};
use super::recorded::{FileCoverage, Recorded};
use super::{Alias, Call, Define, Speed, Toolset, changed_code, paths, results_max};
use crate::answer::analysis::{Analysis, NextStep, Size, Status, Update};
use crate::answer::page::{Block, Cell, Column, Grade, Table};
use crate::answer::style::Style;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::{Kind, Result};
use crate::history::Activity;
use crate::history::activity::FileActivity;
use crate::lang::facts::{ImportKind, Role};
use crate::risk::{self, Breakdown, Input, Meta, Risk, Weights, configured};

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct RiskMap;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Only files below this directory
    pub directory: Option<String>,
    /// Leave out tests (default true)
    pub exclude_tests: Option<bool>,
    /// Do not raise the score of files without commits and tests
    #[serde(default)]
    pub exclude_new_file_boost: bool,
    /// Maximum number of files (default 20)
    pub limit: Option<usize>,
    /// Maximum number of tokens (default 4000)
    pub max_tokens: Option<usize>,
    /// Reduce the coverage gap near tested code
    #[schemars(extend("x-unlisted" = "a file that tests import has no coverage gap"))]
    pub proximity_adjustment: Option<bool>,
    /// `line` or `unit`
    #[schemars(extend("x-unlisted" = "the coverage gap counts lines"))]
    pub coverage_mode: Option<String>,
    /// Also files that no commit has (default true)
    #[schemars(extend("x-unlisted" = ""))]
    pub working_tree: Option<bool>,
    /// Update the index first
    #[schemars(extend("x-unlisted" = super::unlisted::ALWAYS_UPDATED))]
    pub auto_update: Option<bool>,
}

/// A file with its risk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileRisk {
    /// Its repository path.
    pub path: String,
    /// The score; greater is riskier.
    pub risk_score: f64,
    /// Its components, from 0 to 1.
    pub breakdown: Breakdown,
    /// min(dynamic edges / 20, 1) × 0.15, a part of the score.
    pub hidden_risk_factor: f64,
    /// 0.5 for a file without commits and tests, a part of the score.
    pub new_file_boost: f64,
    /// Tests that execute it, from imported coverage; without, test files that import it or are named
    /// after it.
    pub tests: usize,
    /// Edges from it or to it that are not calls: imports, and uses of its functions as values.
    pub shadow_edge_count: usize,
    /// Dynamic imports in it or to it.
    pub dynamic_edge_count: usize,
}

/// How the scores were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RiskMeta {
    /// Weights and components.
    #[serde(flatten)]
    pub scorer: Meta,
    /// Where the weights come from: `default` or `codedb.toml`.
    pub weights_source: &'static str,
    /// Why `codedb.toml` has no effect, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights_problem: Option<String>,
    /// Where the components on tests come from.
    pub coverage_source: &'static str,
    /// Why recorded results and coverage could not be read, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_data_problem: Option<String>,
    /// Cycles of imports, each with up to ten of its files; the longest first.
    pub import_cycles: Vec<Vec<String>>,
    /// How many there are.
    pub import_cycles_total: usize,
    /// Whether the call updated the index, if the caller asked.
    #[serde(flatten)]
    pub update: Option<Update>,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RiskData {
    /// The files with the highest score first.
    pub files: Vec<FileRisk>,
    /// How the scores were made.
    #[serde(rename = "_meta")]
    pub meta: RiskMeta,
}

/// The number of cycles and of their files that are listed.
const CYCLES_MAX: usize = 5;
const CYCLE_FILES_MAX: usize = 10;

impl Define for RiskMap {
    const NAME: &'static str = "codedb_risk_map";
    const SUMMARY: &'static str = "Rank files by risk, with the components of each score";
    const DETAILS: &'static str = "Churn, coupling and size are percentiles within the repository; components without data are \
         absent, and `_meta` lists them with the effective weights.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("triage", "for the riskiest files with reasons")];
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"limit": 2}"#];
    const POSITIONAL: &'static [&'static str] = &["directory"];
    const ALIASES: &'static [Alias] =
        &[Alias::new("path", "directory"), Alias::new("top_n", "limit")];
    type Args = Args;
    type Reply = Analysis<RiskData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<RiskData>> {
        let selection = Selection {
            directory: args.directory,
            exclude_tests: args.exclude_tests.unwrap_or(true),
            exclude_new_file_boost: args.exclude_new_file_boost,
            only_committed: args.working_tree == Some(false),
        };
        let ranked = rank(call, &selection)?;
        let total = ranked.files.len();
        let mut files: Vec<FileRisk> =
            ranked.files.into_iter().take(results_max(args.limit, 20)).collect();
        let catalog = call.code.catalog(&[])?;
        files.iter_mut().try_for_each(|file| count_values(catalog, file))?;
        let shown = files.len();
        let user_data_problem = ranked.meta.user_data_problem.clone();
        let weights_problem = ranked.meta.weights_problem.clone();
        let riskiest = files.first().map(|file| file.path.clone());
        let mut reply = Analysis::list(RiskData { files, meta: ranked.meta }, shown, total);
        if let Some(missing) = ranked.missing {
            let message = format!("{}; churn and co-change are absent or too low", missing.message);
            reply = reply.with_status(Status::Partial, message).with_hint(missing.hint);
        }
        reply = with_user_data_problem(reply, user_data_problem);
        reply = with_weights_problem(reply, weights_problem);
        if let Some(path) = riskiest {
            let args = json!({"file_path": path});
            reply = reply
                .with_step(NextStep::call("codedb_churn", args.clone(), "which definitions change"))
                .with_step(NextStep::call("codedb_suggest_tests", args, "which tests to run"));
        }
        Ok(analysis::fit(reply, args.max_tokens))
    }
}

/// Returns the weights of the repository's `codedb.toml`, if it has some, or a sentence that states
/// what is wrong with it.
fn configured(call: &Call<'_>) -> std::result::Result<Option<Weights>, String> {
    let sentence = |problem: String| format!("`{}`: {problem}", configured::NAME);
    match call.code.read(configured::NAME.as_bytes(), configured::BYTES_MAX) {
        Ok(content) => {
            let text = std::str::from_utf8(content.bytes());
            let text = text.map_err(|_| sentence("it is not UTF-8".to_owned()))?;
            Weights::configured(text).map_err(sentence)
        }
        Err(error) if error.kind() == Kind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the reply with status `partial` if recorded results and coverage cannot be read.
pub(super) fn with_user_data_problem<D>(
    reply: Analysis<D>,
    problem: Option<String>,
) -> Analysis<D> {
    match problem {
        Some(problem) if reply.status == Status::Ok => reply.with_status(
            Status::Partial,
            format!("recorded results and coverage cannot be read: {problem}"),
        ),
        _ => reply,
    }
}

/// Returns the reply with status `partial` if `codedb.toml` has no effect.
pub(super) fn with_weights_problem<D>(reply: Analysis<D>, problem: Option<String>) -> Analysis<D> {
    match problem {
        Some(problem) if reply.status == Status::Ok => reply
            .with_status(Status::Partial, format!("{problem}; the default weights are used"))
            .with_hint("correct or remove the weights in `codedb.toml`, then repeat the call"),
        _ => reply,
    }
}

/// Which files are ranked.
pub(super) struct Selection {
    pub(super) directory: Option<String>,
    pub(super) exclude_tests: bool,
    pub(super) exclude_new_file_boost: bool,
    /// Leave out files that no commit has.
    pub(super) only_committed: bool,
}

/// Returns the path and the score of each source file that is no test, the highest first. O(files).
///
/// # Errors
///
/// If the tree, its index or its commit log cannot be read.
pub fn scores(call: &Call<'_>) -> Result<Vec<(String, f64)>> {
    let selection = Selection {
        directory: None,
        exclude_tests: true,
        exclude_new_file_boost: false,
        only_committed: false,
    };
    let files = rank(call, &selection)?.files.into_iter();
    Ok(files.map(|file| (file.path, file.risk_score)).collect())
}

/// All ranked files.
pub(super) struct Ranked {
    /// Those with the highest score first, then by path.
    pub(super) files: Vec<FileRisk>,
    pub(super) meta: RiskMeta,
    /// Why there is no commit log, if so.
    pub(super) missing: Option<Missing>,
}

/// Returns the risk of the source files below a directory. Percentiles are those among all source
/// files of the tree, so the score of a file does not depend on the directory.
pub(super) fn rank(call: &Call<'_>, selection: &Selection) -> Result<Ranked> {
    let (_, below) = paths::folder(call, selection.directory.as_deref())?;
    let (activity, missing) = match analysis::history(call)? {
        Ok(history) => {
            // The status of the log is that of an empty reply.
            let status = analysis::with_log_status(call, &history, Analysis::of(()));
            let missing = (status.status != Status::Ok).then(|| Missing {
                status: status.status,
                error: status.error,
                message: status.message.unwrap_or_default(),
                hint: status.hint.unwrap_or_default(),
            });
            (Some(history.activity(&analysis::rules(call))), missing)
        }
        Err(missing) => (None, Some(missing)),
    };
    let catalog = call.code.catalog(&[])?;
    let tests = Tests::new(catalog)?;
    // Without the records, only some components are missing.
    let (recorded, user_data_problem) = match Recorded::of(call) {
        Ok(recorded) => (recorded, None),
        Err(error) => (Recorded::default(), Some(error.to_string())),
    };
    let mut sources: Vec<FileId> = Vec::new();
    for at in 0..catalog.files().len() {
        let file = FileId::new(at);
        let marks = catalog.marks(file)?;
        let is_code = paths::language(catalog.path(file)).is_some_and(|it| it.is_code());
        let is_left_out = marks.generated
            || marks.vendored
            || marks.minified
            || selection.exclude_tests && marks.test;
        if is_code && !is_left_out {
            sources.push(file);
        }
    }
    let inputs: Vec<Input> = sources
        .iter()
        .map(|&file| input(catalog, activity.as_deref(), &tests, &recorded, file))
        .collect::<Result<_>>()?;
    let (weights, weights_problem) = match configured(call) {
        Ok(weights) => (weights, None),
        Err(problem) => (None, Some(problem)),
    };
    let weights_source = if weights.is_some() { configured::NAME } else { "default" };
    let (risks, scorer) = risk::scores(&inputs, &weights.unwrap_or(Weights::DEFAULT));
    let entry = |((&file, input), risk): ((&FileId, &Input), &Risk)| {
        let boost = if selection.exclude_new_file_boost { 0.0 } else { risk.new_file_boost };
        FileRisk {
            path: paths::shown(catalog.path(file)),
            risk_score: rounded(risk.score - risk.new_file_boost + boost),
            breakdown: Breakdown { new_file_boost: boost, ..rounded_all(&risk.breakdown) },
            hidden_risk_factor: rounded(risk.hidden_risk_factor),
            new_file_boost: boost,
            tests: input.tests.unwrap_or_default(),
            shadow_edge_count: input.shadow_edges,
            dynamic_edge_count: input.dynamic_edges,
        }
    };
    let all = sources.iter().zip(&inputs).zip(&risks);
    let mut files: Vec<FileRisk> =
        all.filter(|((file, _), _)| below.contains(&file.index())).map(entry).collect();
    if selection.only_committed {
        let uncommitted = changed_code::uncommitted_files(call)?;
        files.retain(|file| !uncommitted.contains(file.path.as_bytes()));
    }
    // A stable sort: files of one score stay in the order of their paths.
    files.sort_by(|a, b| b.risk_score.total_cmp(&a.risk_score));
    let (import_cycles, import_cycles_total) = cycles(catalog);
    let coverage_source =
        if recorded.has_coverage() { "coverage, else import_graph" } else { "import_graph" };
    let meta = RiskMeta {
        scorer: rounded_meta(scorer),
        weights_source,
        weights_problem,
        coverage_source,
        user_data_problem,
        import_cycles,
        import_cycles_total,
        update: None,
    };
    Ok(Ranked { files, meta, missing })
}

fn rounded_meta(meta: Meta) -> Meta {
    let weights = meta.effective_weights.into_iter().map(|(name, it)| (name, rounded(it)));
    Meta { effective_weights: weights.collect(), ..meta }
}

fn rounded_all(it: &Breakdown) -> Breakdown {
    let short = |value: Option<f64>| value.map(rounded);
    Breakdown {
        churn: short(it.churn),
        coupling: short(it.coupling),
        import_coupling: short(it.import_coupling),
        cochange_coupling: short(it.cochange_coupling),
        size: rounded(it.size),
        coverage_gap: short(it.coverage_gap),
        coverage_depth: short(it.coverage_depth),
        author_concentration: short(it.author_concentration),
        test_instability: short(it.test_instability),
        hidden_risk: rounded(it.hidden_risk),
        new_file_boost: it.new_file_boost,
    }
}

/// The tests of each file, by imports and names.
struct Tests {
    /// Whether each file is a test.
    is_test: Vec<bool>,
    /// Whether each file defines tests of its own.
    has_own: Vec<bool>,
}

impl Tests {
    fn new(catalog: &Catalog) -> Result<Tests> {
        let count = catalog.files().len();
        let is_test = (0..count)
            .map(|at| Ok(catalog.marks(FileId::new(at))?.test))
            .collect::<Result<Vec<bool>>>()?;
        let mut has_own = vec![false; count];
        // Rust's convention for tests inside of a source file.
        for at in catalog.defined(b"tests")?.iter() {
            if catalog.path(at.file).ends_with(b".rs") {
                has_own[at.file.index()] = true;
            }
        }
        Ok(Tests { is_test, has_own })
    }

    /// Returns the test files that import the file or are named after it, and the file itself if it
    /// has tests of its own.
    fn of(&self, catalog: &Catalog, file: FileId) -> Vec<FileId> {
        let importers = catalog.import_graph().importers(file).map(|edge| edge.from);
        let stem = crate::history::likely::stem(catalog.path(file));
        let named =
            catalog.test_names().of(&crate::catalog::test_names::folded(&stem)).iter().copied();
        let mut tests: Vec<FileId> = importers
            .chain(named)
            .filter(|&test| test != file && self.is_test[test.index()])
            .collect();
        tests.sort_unstable();
        tests.dedup();
        tests.extend(self.has_own[file.index()].then_some(file));
        tests
    }
}

fn input(
    catalog: &Catalog,
    activity: Option<&Activity>,
    tests: &Tests,
    recorded: &Recorded,
    file: FileId,
) -> Result<Input> {
    let path = catalog.path(file);
    let graph = catalog.import_graph();
    let of_file = activity.and_then(|activity| activity.file(path));
    let counted = |value: fn(&FileActivity) -> f64| activity.map(|_| of_file.map_or(0.0, value));
    let mut neighbours: Vec<FileId> = graph.imported(file).iter().map(|edge| edge.to).collect();
    neighbours.extend(graph.importers(file).map(|edge| edge.from));
    neighbours.retain(|&other| other != file);
    neighbours.sort_unstable();
    neighbours.dedup();
    let imports = graph.importers(file).count() + graph.imported(file).len();
    let dynamic_edges = dynamic_imports(catalog, file)?;
    let test_files = tests.of(catalog, file);
    let coverage = recorded.coverage_of(catalog, file)?;
    // Without coverage, a file that tests import counts as covered. A report may lack the tests.
    let coverage = coverage.unwrap_or_else(|| FileCoverage {
        covered: f64::from(u8::from(!test_files.is_empty())),
        tests: BTreeSet::new(),
    });
    let mut known: BTreeSet<String> = coverage.tests;
    if known.is_empty() {
        known = test_files.iter().map(|&test| paths::shown(catalog.path(test))).collect();
    }
    let instability = recorded.instability(known.iter().map(String::as_str));
    let author_share = of_file.and_then(|of_file| {
        let first = of_file.people.first()?;
        let sum: f64 = of_file.people.iter().map(|share| share.weight).sum();
        (sum > 0.0).then(|| first.weight / sum)
    });
    Ok(Input {
        churn: counted(|it| it.weight),
        co_change: counted(|it| it.shared_weight),
        imports: Some(neighbours.len() as f64),
        size_bytes: catalog.files().info(file.index()).size_bytes,
        author_share,
        covered: Some(coverage.covered),
        tests: Some(known.len()),
        instability,
        dynamic_edges,
        shadow_edges: imports + dynamic_edges,
    })
}

/// The maximum number of functions of a file whose uses as values are counted.
const FUNCTIONS_MAX: usize = 300;

/// Adds the uses of the file's functions as values, for example in a table of handlers, to the edges
/// that are no calls. Only functions whose name no other definition has count.
pub(super) fn count_values(catalog: &Catalog, of: &mut FileRisk) -> Result<()> {
    let Some(at) = catalog.files().find(of.path.as_bytes()) else { return Ok(()) };
    let Some(facts) = catalog.facts(FileId::new(at))? else { return Ok(()) };
    let functions = facts.symbols.iter().filter(|symbol| symbol.kind.is_callable());
    let names: BTreeSet<&str> = functions.map(|symbol| symbol.name.as_str()).collect();
    for name in names.into_iter().take(FUNCTIONS_MAX) {
        if catalog.defined(name.as_bytes())?.len() == 1 {
            let uses = catalog.uses(name)?;
            let values = uses.iter().filter(|site| site.reference.role == Role::Read);
            of.shadow_edge_count += values.count();
        }
    }
    Ok(())
}

/// Returns the number of dynamic imports in a file whose module is not a literal.
fn dynamic_imports(catalog: &Catalog, file: FileId) -> Result<usize> {
    let Some(facts) = catalog.facts(file)? else { return Ok(0) };
    let is_dynamic = |kind: ImportKind| {
        matches!(
            kind,
            ImportKind::DynamicVariable
                | ImportKind::DynamicTemplate
                | ImportKind::DynamicConcatenation
                | ImportKind::DynamicConditional
                | ImportKind::DynamicEval
        )
    };
    Ok(facts.imports.iter().filter(|import| is_dynamic(import.kind)).count())
}

/// Returns the largest cycles of imports, and how many there are (Tarjan's algorithm).
fn cycles(catalog: &Catalog) -> (Vec<Vec<String>>, usize) {
    let graph = catalog.import_graph();
    let count = catalog.files().len();
    let (mut order, mut low) = (vec![usize::MAX; count], vec![usize::MAX; count]);
    let mut on_stack = vec![false; count];
    let (mut next, mut stack, mut found) = (0, Vec::new(), Vec::new());
    for start in 0..count {
        if order[start] != usize::MAX {
            continue;
        }
        // Without recursion: chains of imports may be long.
        let mut work: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some(&(at, edge)) = work.last() {
            if edge == 0 {
                (order[at], low[at]) = (next, next);
                next += 1;
                stack.push(at);
                on_stack[at] = true;
            }
            if let Some(to) = graph.imported(FileId::new(at)).get(edge).map(|it| it.to.index()) {
                if let Some(last) = work.last_mut() {
                    last.1 += 1;
                }
                if order[to] == usize::MAX {
                    work.push((to, 0));
                } else if on_stack[to] {
                    low[at] = low[at].min(order[to]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[at]);
            }
            if low[at] == order[at] {
                let mut members = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    members.push(member);
                    if member == at {
                        break;
                    }
                }
                if members.len() > 1 {
                    members.sort_unstable();
                    found.push(members);
                }
            }
        }
    }
    found.sort_by(|a: &Vec<usize>, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let total = found.len();
    let named = |members: Vec<usize>| {
        let members = members.into_iter().take(CYCLE_FILES_MAX);
        members.map(|at| paths::shown(catalog.path(FileId::new(at)))).collect()
    };
    (found.into_iter().take(CYCLES_MAX).map(named).collect(), total)
}

impl Data for RiskData {
    fn render(&self, style: &dyn Style, out: &mut String) {
        for file in &self.files {
            let _ = writeln!(out, "{:>7.3}  {}", file.risk_score, style.path(&file.path));
            let _ = writeln!(out, "         {}", components(file));
        }
        let meta = &self.meta.scorer;
        let weights: Vec<String> = meta
            .effective_weights
            .iter()
            .map(|(name, weight)| format!("{name} {weight:.2}"))
            .collect();
        let _ = writeln!(out, "weights: {}", weights.join(", "));
        if !meta.absent_components.is_empty() {
            let _ = writeln!(out, "no data: {}", meta.absent_components.join(", "));
        }
        if self.meta.import_cycles_total > 0 {
            let _ =
                writeln!(out, "{}", super::counted(self.meta.import_cycles_total, "import cycle"));
        }
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([
            Column::cut("FILE"),
            Column::left("RISK"),
            Column::left(""),
            Column::left("CHURN"),
            Column::left("COUPLING"),
            Column::left("SIZE"),
            Column::right("TESTS"),
        ]);
        let share = |value: Option<f64>| value.map_or(Cell::Empty, Cell::Bar);
        for file in &self.files {
            let it = &file.breakdown;
            table.row([
                Cell::Path(file.path.clone()),
                Cell::Bar(file.risk_score),
                graded(file.risk_score),
                share(it.churn),
                share(it.coupling),
                Cell::Bar(it.size),
                match file.tests {
                    0 => Cell::Level(Grade::Fair, "none"),
                    tests => Cell::Number(tests as u64),
                },
            ]);
        }
        let mut blocks = vec![Block::Table(table.without_empty())];
        let cycles = self.meta.import_cycles_total;
        let note =
            format!("{}; `--json` lists the longest", super::counted(cycles, "import cycle"));
        blocks.extend((cycles > 0).then_some(Block::Note(note)));
        Some(blocks)
    }

    fn truncate(&mut self, shown: usize) {
        self.files.truncate(shown);
    }

    fn update(&mut self) -> Option<&mut Option<Update>> {
        Some(&mut self.meta.update)
    }
}

/// Returns a word for a score, which is a weighted mean of percentiles and more for files without commits
/// and tests.
pub(super) fn graded(score: f64) -> Cell {
    match score {
        ..0.4 => Cell::Level(Grade::Good, "low"),
        0.4..0.6 => Cell::Level(Grade::Fair, "medium"),
        0.6..0.8 => Cell::Level(Grade::Bad, "high"),
        _ => Cell::Level(Grade::Worst, "very high"),
    }
}

/// Returns the components of a score on one line.
pub(super) fn components(file: &FileRisk) -> String {
    let it = &file.breakdown;
    let parts = [
        ("churn", it.churn),
        ("coupling", it.coupling),
        ("size", Some(it.size)),
        ("coverage gap", it.coverage_gap),
        ("coverage depth", it.coverage_depth),
        ("author concentration", it.author_concentration),
        ("test instability", it.test_instability),
        ("hidden risk", (file.hidden_risk_factor > 0.0).then_some(file.hidden_risk_factor)),
        ("new file", (file.new_file_boost > 0.0).then_some(file.new_file_boost)),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter_map(|(name, value)| value.map(|value| format!("{name} {value:.2}")))
        .collect();
    parts.join(", ")
}
