//! `stale_tests`: tests that use functions which were removed or renamed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Data;
use super::changed_code::{self, Scope};
use super::{Alias, Call, Define, Speed, Toolset, counted, first, results_max};
use crate::answer::analysis::{Analysis, Size, Status};
use crate::answer::page::{Block, Cell, Column, Grade, Table};
use crate::answer::style::Style;
use crate::base::path;
use crate::base::text::plain;
use crate::error::Result;
use crate::graph::link::Code as _;
use crate::lang::facts::Role;
use crate::testmap::fixtures::{TestAt, Tests};
use crate::testmap::tree::Tree as _;

/// The maximum number of uses of one name that are examined.
const SITES_MAX: usize = 5_000;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct StaleTests;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The commit to compare with (default: where the branch left the main one)
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// Maximum number of tests (default 30)
    pub limit: Option<usize>,
}

/// A test that uses a function which no longer exists.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StaleTest {
    /// Its id, as its runner writes it.
    pub test_id: String,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// The former qualified name of the function.
    pub function: String,
    /// The file that defined it.
    pub was_in: String,
    /// Its present name, if a function with the same body exists in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_to: Option<String>,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StaleTestsData {
    /// The tests, in path order.
    pub stale: Vec<StaleTest>,
    /// How many functions were removed or renamed.
    pub removed_functions: usize,
}

impl Data for StaleTestsData {
    /// Shows each test, below it the function that it uses and what became of that.
    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([Column::cut("TEST"), Column::cut("PLACE")]);
        for of in &self.stale {
            // The runner's id may repeat the path, which has a column of its own.
            let id = of.test_id.strip_prefix(&of.path).unwrap_or(&of.test_id);
            let mut uses = vec![Cell::faint("uses"), Cell::name(&of.function), Cell::faint("of")];
            uses.push(Cell::Path(of.was_in.clone()));
            uses.extend(of.fate());
            let place = Cell::Place(of.path.clone(), of.line);
            table.row_with([Cell::name(id.trim_start_matches([':', ' ', '>'])), place], vec![uses]);
        }
        let were = if self.removed_functions == 1 { "was" } else { "were" };
        let removed = counted(self.removed_functions, "function");
        let removed = format!("{removed} {were} removed or renamed since the commit");
        let blocks = vec![Block::Table(table)];
        let note = (self.removed_functions > 0).then_some(Block::Note(removed));
        Some(blocks.into_iter().chain(note).collect())
    }

    fn render(&self, style: &dyn Style, out: &mut String) {
        for of in &self.stale {
            let place = style.place(&of.path, of.line);
            let _ = write!(out, "{place}  {}  uses {}", plain(&of.test_id), plain(&of.function));
            match &of.renamed_to {
                Some(new) => _ = writeln!(out, ", renamed to {}", plain(new)),
                None => out.push_str(", which was removed\n"),
            }
        }
    }
}

impl StaleTest {
    /// Returns what became of the function.
    fn fate(&self) -> Vec<Cell> {
        match &self.renamed_to {
            Some(new) => vec![Cell::faint("which is now"), Cell::name(new)],
            None => vec![Cell::faint("which was"), Cell::Level(Grade::Bad, "removed")],
        }
    }
}

impl Define for StaleTests {
    const NAME: &'static str = "codedb_stale_tests";
    const SUMMARY: &'static str = "List tests that use functions which were removed or renamed";
    const DETAILS: &'static str = "Compares the tree with a commit. A test is stale if it, or its file's imports, still \
         contain the former name and no definition has that name any more.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("diff_impact", "for the tests of what still exists")];
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"limit": 3}"#];
    const POSITIONAL: &'static [&'static str] = &["ref"];
    const ALIASES: &'static [Alias] = &[Alias::new("since", "ref")];
    type Args = Args;
    type Reply = Analysis<StaleTestsData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<StaleTestsData>> {
        let catalog = call.code.catalog(&[])?;
        let reference = args.reference.as_deref();
        let changed = match changed_code::difference(call, catalog, reference, Scope::All)? {
            Ok(changed) => changed,
            Err(none) => return Ok(none.reply(StaleTestsData::default())),
        };
        let tests = Tests::new(catalog);
        let removed_functions = changed.removed.len();
        let mut found: BTreeMap<(TestAt, String), StaleTest> = BTreeMap::new();
        for removed in &changed.removed {
            // The name may still be defined elsewhere: then its uses are not broken for certain.
            if catalog.named(&removed.name).iter().any(|at| !catalog.is_test(at.file)) {
                continue;
            }
            let mut using: BTreeSet<TestAt> = BTreeSet::new();
            for site in catalog.sites(&removed.name).into_iter().take(SITES_MAX) {
                let of = tests.of(site.file);
                if let Some(place) = of.test_at(site.reference.span.start) {
                    using.insert(TestAt { file: site.file, place: place as u32 });
                } else if let Some(place) = of.fixture_at(site.reference.span.start) {
                    using.extend(tests.with_fixture(site.file, place));
                } else if site.reference.role == Role::Import {
                    // The file cannot be loaded, whatever its tests do.
                    using.extend(tests.in_file(site.file));
                }
            }
            for at in using {
                let Some(test) = tests.get(at) else { continue };
                found.insert(
                    (at, removed.qualified_name.clone()),
                    StaleTest {
                        test_id: test.id,
                        path: path::shown(catalog.path(at.file)),
                        line: test.line,
                        function: removed.qualified_name.clone(),
                        was_in: removed.path.clone(),
                        renamed_to: removed.renamed_to.clone(),
                    },
                );
            }
        }
        let all: Vec<StaleTest> = found.into_values().collect();
        let (stale, total) = first(all, results_max(args.limit, 30));
        let shown = stale.len();
        let mut reply = Analysis::list(StaleTestsData { stale, removed_functions }, shown, total);
        if let Some(message) = changed.absent_message() {
            reply = reply.with_status(Status::Partial, message);
        } else if changed.is_cut {
            let message = "more than 200 files of code differ; the others were not compared";
            reply = reply.with_status(Status::Partial, message);
        } else if total == 0 {
            reply.message = Some("no test uses a removed or renamed function".to_owned());
        }
        Ok(reply)
    }
}
