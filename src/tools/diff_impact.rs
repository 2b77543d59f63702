//! `diff_impact`: what the changes of a branch or of the work tree affect.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Data;
use super::changed_code::{self, Scope};
use super::impact::{AffectedFunctions, affected};
use super::test_selection::{Besides, Limits, Selection, select};
use super::{Alias, Call, Define, Speed, Toolset, counted};
use crate::answer::analysis::{Analysis, Size};
use crate::answer::graph::Graph;
use crate::answer::page::{Block, Cell, Node};
use crate::answer::style::Style;
use crate::base::text;
use crate::error::Result;
use crate::graph::link::Code as _;

/// The maximum number of changed files and functions that are listed.
const LISTED_MAX: usize = 50;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct DiffImpact;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The commit to compare with (default: where the branch left the main one)
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// Only uncommitted changes: staged, unstaged and untracked
    pub working_tree: Option<bool>,
    /// Only files with staged changes, for `codedb test --staged`.
    #[serde(skip)]
    pub staged: bool,
    /// Maximum number of tests (default 20) and of affected functions (default 30)
    pub limit: Option<usize>,
    /// Maximum number of tokens for tests (default 4000)
    pub max_tokens: Option<usize>,
    /// Update the index first
    #[schemars(extend("x-unlisted" = super::unlisted::ALWAYS_UPDATED))]
    pub auto_update: Option<bool>,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DiffImpactData {
    /// The full hash of the commit.
    #[serde(rename = "ref", skip_serializing_if = "String::is_empty")]
    pub reference: String,
    /// The files that differ, in path order, at most 50; untracked ones included.
    pub changed_files: Vec<String>,
    /// How many differ.
    pub changed_files_total: usize,
    /// The functions that differ, at most 50.
    pub changed_functions: Vec<String>,
    /// How many differ.
    pub changed_functions_total: usize,
    /// Functions that call the changed ones, directly or not.
    #[serde(flatten)]
    pub affected: AffectedFunctions,
    /// The tests and the commands.
    #[serde(flatten)]
    pub selection: Selection,
}

impl Data for DiffImpactData {
    fn render(&self, style: &dyn Style, out: &mut String) {
        if self.changed_files_total == 0 {
            return;
        }
        let _ = writeln!(out, "changed since {}:", text::start(&self.reference, 12));
        for path in &self.changed_files {
            let _ = writeln!(out, "  {}", style.path(path));
        }
        for name in &self.changed_functions {
            let _ = writeln!(out, "  {}", text::plain(name));
        }
        self.affected.write(style, out);
        self.selection.write(style, out);
    }

    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        if self.changed_files_total == 0 {
            return Some(Vec::new());
        }
        let files = counted(self.changed_files_total, "file");
        let since = text::start(&self.reference, 12);
        let changed =
            self.changed_files.iter().map(|path| Node::leaf(vec![Cell::Path(path.clone())]));
        let mut blocks = vec![Block::Title(format!("{files} changed since {since}"))];
        blocks.push(Block::Tree(changed.collect()));
        if !self.changed_functions.is_empty() {
            let functions = self.changed_functions.iter();
            let functions = functions.map(|name| Node::leaf(vec![Cell::name(name)]));
            let title = counted(self.changed_functions_total, "changed function");
            blocks.extend([Block::Title(title), Block::Tree(functions.collect())]);
        }
        if self.affected.affected_total > 0 {
            blocks.extend(self.affected.blocks());
        }
        if !self.selection.tests.is_empty() {
            blocks.push(Block::Title("Tests".to_owned()));
        }
        blocks.extend(self.selection.blocks());
        Some(blocks)
    }

    const HAS_GRAPH: bool = true;

    fn graph(&self) -> Option<Graph> {
        Some(self.affected.graph())
    }

    fn notices(&self) -> Vec<String> {
        let (files, functions) = (self.changed_files.len(), self.changed_functions.len());
        let of = |shown: usize, total: usize, what: &str| {
            (shown < total).then(|| {
                format!("{shown} of {total} changed {what} shown; {{tool:changes}} lists all files")
            })
        };
        let files = of(files, self.changed_files_total, "files");
        let functions = of(functions, self.changed_functions_total, "functions");
        let notices = files.into_iter().chain(functions).chain(self.affected.notice());
        notices.chain(self.selection.notices()).collect()
    }
}

impl Define for DiffImpact {
    const NAME: &'static str = "codedb_diff_impact";
    const SUMMARY: &'static str = "List what the changes of the branch or work tree affect, the tests to run, and the command";
    const DETAILS: &'static str = "Compares the tree, including staged, unstaged and untracked files, with a commit. Changed \
         tests are listed first.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("changes", "for the changed files alone")];
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"working_tree": true}"#];
    const POSITIONAL: &'static [&'static str] = &["ref"];
    const ALIASES: &'static [Alias] = &[Alias::new("since", "ref")];
    type Args = Args;
    type Reply = Analysis<DiffImpactData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<DiffImpactData>> {
        let limits = Limits::new(args.limit, args.max_tokens);
        let catalog = call.code.catalog(&[])?;
        let reference = args.reference.as_deref();
        let scope = if args.staged { Scope::Staged } else { Scope::of(args.working_tree) };
        let changed = match changed_code::difference(call, catalog, reference, scope)? {
            Ok(changed) => changed,
            Err(none) => return Ok(none.reply(DiffImpactData::default())),
        };
        let name = |at: &crate::graph::link::SymbolAt| {
            let facts = catalog.file(at.file)?;
            let symbol = facts.symbols.get(at.place as usize)?;
            Some(format!("{}: {}", facts.path, symbol.qualified_name))
        };
        let mut names: Vec<String> = changed.symbols.iter().filter_map(name).collect();
        names.extend(changed.removed.iter().map(|of| match &of.renamed_to {
            Some(new) => format!("{}: {} (renamed to {new})", of.path, of.qualified_name),
            None => format!("{}: {} (removed)", of.path, of.qualified_name),
        }));
        let files = if scope == Scope::Uncommitted { &changed.files[..] } else { &[] };
        let tests = Besides { files, ..changed.besides() };
        // Several threads search for the callers, which are kept.
        let selected = select(call, catalog, &changed.symbols, tests, limits)?;
        let affected = affected(catalog, &changed.symbols, args.limit, None);
        let changed_functions_total = names.len();
        names.truncate(LISTED_MAX);
        let mut paths = changed.paths;
        let changed_files_total = paths.len();
        paths.truncate(LISTED_MAX);
        let mixed = changed.mixed;
        let reply = selected.reply(|selection| DiffImpactData {
            reference: changed.commit,
            changed_files: paths,
            changed_files_total,
            changed_functions: names,
            changed_functions_total,
            affected,
            selection,
        });
        Ok(changed_code::with_mixed(reply, mixed))
    }
}
