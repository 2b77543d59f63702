//! `impact`: the functions that call a file or functions, directly or not, and the tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Data;
use super::named_change::NamedChange;
use super::syntax_gaps::SyntaxGaps;
use super::test_selection::{Limits, Selection, file_of, functions_of, select};
use super::{Alias, Call, Define, RESULTS_MAX, Speed, Toolset, results_max};
use crate::answer::analysis::Analysis;
use crate::answer::style::Style;
use crate::base::path;
use crate::base::text::plain;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::graph::link::{Code as _, SymbolAt};
use crate::testmap::fixtures::Tests;
use crate::testmap::reach::reach;
use crate::testmap::tree::Tree as _;

/// The maximum number of functions whose callers are searched.
const FUNCTIONS_MAX: usize = 20;

/// The default number of affected functions of a reply.
const AFFECTED: usize = 30;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Impact;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The files
    #[serde(default)]
    pub files: Vec<String>,
    /// Only these functions, of the files if given
    #[serde(default)]
    pub functions: Vec<String>,
    /// Maximum number of tests (default 20) and of affected functions (default 30)
    pub limit: Option<usize>,
    /// Maximum number of tokens for tests (default 4000)
    pub max_tokens: Option<usize>,
}

/// A function that a change may affect.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Affected {
    /// Its qualified name.
    pub function: String,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// The probability that it runs one of the functions, from 0 to 1.
    pub score: f32,
}

/// The data of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ImpactData {
    /// Functions that call the given ones, directly or not.
    #[serde(flatten)]
    pub affected: AffectedFunctions,
    /// The files that may have more callers of the functions.
    #[serde(flatten)]
    pub syntax_gaps: SyntaxGaps,
    /// The tests and the commands.
    #[serde(flatten)]
    pub selection: Selection,
}

/// The functions that a change may affect.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AffectedFunctions {
    /// Functions that call the changed ones, directly or not, most likely first.
    pub affected: Vec<Affected>,
    /// How many were found.
    pub affected_total: usize,
    /// True if there may be more than were found, because the search reached a bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub affected_total_is_cut: bool,
}

impl Data for ImpactData {
    fn render(&self, style: &dyn Style, out: &mut String) {
        if let Some(notice) = self.syntax_gaps.notice() {
            let _ = writeln!(out, "{notice}");
        }
        self.affected.write(style, out);
        self.selection.write(style, out);
    }

    fn notices(&self) -> Vec<String> {
        self.affected.notice().into_iter().chain(self.selection.notices()).collect()
    }
}

impl AffectedFunctions {
    /// Writes a line for each affected function.
    pub(super) fn write(&self, style: &dyn Style, out: &mut String) {
        let _ = writeln!(out, "affected functions: {} of {}", self.affected.len(), self.count());
        for of in &self.affected {
            let place = style.place(&of.path, of.line);
            let _ = writeln!(out, "{:.2}  {place}  {}", of.score, plain(&of.function));
        }
        out.push_str("tests:\n");
    }

    /// Returns how many there are, or the least number if the search reached a bound.
    fn count(&self) -> String {
        let least = if self.affected_total_is_cut { "at least " } else { "" };
        format!("{least}{}", self.affected_total)
    }

    /// Returns the notice that not all are shown.
    pub(super) fn notice(&self) -> Option<String> {
        let shown = self.affected.len();
        let more = if shown < self.affected_total && shown < RESULTS_MAX {
            "; `limit` shows more"
        } else if self.affected_total_is_cut {
            "; {tool:callers} lists all direct calls"
        } else {
            ""
        };
        (shown < self.affected_total || self.affected_total_is_cut)
            .then(|| format!("{shown} of {} affected functions shown{more}", self.count()))
    }
}

/// Returns the functions outside of tests from which calls reach `symbols`, most likely first, at
/// most `limit` or 30.
pub(super) fn affected(
    catalog: &Catalog,
    symbols: &[SymbolAt],
    limit: Option<usize>,
) -> AffectedFunctions {
    let tests = Tests::new(catalog);
    let mut best: BTreeMap<SymbolAt, f32> = BTreeMap::new();
    let mut affected_total_is_cut = symbols.len() > FUNCTIONS_MAX;
    for &at in symbols.iter().take(FUNCTIONS_MAX) {
        let reached = reach(&tests, at, &[]);
        affected_total_is_cut |= reached.is_cut;
        for (through, probability) in reached.through {
            let kept = best.entry(through).or_insert(0.0);
            *kept = kept.max(probability);
        }
    }
    let is_listed = |at: &SymbolAt| !symbols.contains(at) && !catalog.is_test(at.file);
    let mut all: Vec<(SymbolAt, f32)> = best.into_iter().filter(|(at, _)| is_listed(at)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let affected_total = all.len();
    all.truncate(results_max(limit, AFFECTED));
    let affected = all.into_iter().filter_map(|(at, probability)| {
        let facts = catalog.file(at.file)?;
        let symbol = facts.symbols.get(at.place as usize)?;
        Some(Affected {
            function: symbol.qualified_name.clone(),
            path: path::shown(catalog.path(at.file)),
            line: symbol.line,
            score: (probability * 100.0).round() / 100.0,
        })
    });
    AffectedFunctions { affected: affected.collect(), affected_total, affected_total_is_cut }
}

impl Define for Impact {
    const NAME: &'static str = "codedb_impact";
    const SUMMARY: &'static str = "List what a change of files or functions may affect: the functions that reach them by calls, and the tests";
    const DETAILS: &'static str = "`score` is a probability: unsure links count less, and so does each further call. Calls \
         through reflection are not found.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("callers", "for each direct call"), ("diff_impact", "for the changes of a branch")];
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"functions": ["Price::of"]}"#];
    const POSITIONAL: &'static [&'static str] = &["files"];
    const ALIASES: &'static [Alias] = &[];
    type Args = Args;
    type Reply = Analysis<ImpactData>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<ImpactData>> {
        if args.files.is_empty() && args.functions.is_empty() {
            return Err(Error::usage("name at least one file or function")
                .with_hint("{tool:diff_impact} takes the changes of the branch"));
        }
        let limits = Limits::new(args.limit, args.max_tokens);
        let names: Vec<&str> =
            args.functions.iter().filter_map(|name| name.rsplit(['.', ':', '#']).next()).collect();
        let catalog = call.code.catalog(&names)?;
        let mut symbols = Vec::new();
        if args.files.is_empty() {
            symbols = functions_of(call, catalog, None, &args.functions)?;
        }
        let named = if args.functions.is_empty() {
            let files = args.files.iter().map(|path| file_of(call, catalog, path));
            NamedChange::of(catalog, &files.collect::<Result<Vec<_>>>()?)
        } else {
            for file in &args.files {
                symbols.extend(functions_of(call, catalog, Some(file), &args.functions)?);
            }
            NamedChange::of_functions(symbols)
        };
        let symbols = &named.symbols;
        // Several threads search for the callers, which are kept.
        let selected = select(call, catalog, symbols, named.besides(), limits)?;
        let affected = affected(catalog, symbols, args.limit);
        let syntax_gaps = SyntaxGaps::of(catalog, symbols)?;
        Ok(selected.reply(|selection| ImpactData { affected, syntax_gaps, selection }))
    }
}
