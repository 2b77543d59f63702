//! `suggest_tests`: the tests to run for a file, a directory, functions or the work tree.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;

use super::changed_paths::{self, FileKind};
use super::test_selection::{Besides, Limits, Selection, functions_in, functions_of, select};
use super::{Alias, Call, Define, Speed, Toolset, changed_code, paths};
use crate::answer::analysis::Analysis;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::testmap::outside::Effect;
use crate::testmap::tree::Tree as _;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct SuggestTests;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// A file (default: the uncommitted changes)
    pub file_path: Option<String>,
    /// Only these functions
    #[serde(default)]
    pub functions: Vec<String>,
    /// The files of a directory
    pub directory: Option<String>,
    /// Maximum tests (default 20)
    pub limit: Option<usize>,
    /// Maximum tokens (default 4000)
    pub max_tokens: Option<usize>,
}

/// Returns what a named file or directory is besides its functions.
fn effects_of(catalog: &Catalog, args: &Args, symbols: &[SymbolAt]) -> BTreeSet<Effect> {
    let mut effects = BTreeSet::new();
    let Some(path) = args.file_path.as_deref().filter(|_| args.functions.is_empty()) else {
        return effects;
    };
    let Some(file) = catalog.files().find(path.as_bytes()).map(FileId::new) else { return effects };
    effects.extend(match changed_paths::kind(path.as_bytes()) {
        FileKind::Configuration => Some(Effect::Configuration(path.to_owned())),
        FileKind::Support => Some(Effect::Support(file)),
        FileKind::Data => Some(Effect::Data { path: path.to_owned(), is_new: false }),
        FileKind::Code if symbols.is_empty() => Some(Effect::Loading(file)),
        FileKind::Code | FileKind::Inert => None,
    });
    effects
}

impl Define for SuggestTests {
    const NAME: &'static str = "codedb_suggest_tests";
    const SUMMARY: &'static str =
        "Select the tests that execute a file, functions or your changes, and the command";
    const DETAILS: &'static str = "`score` is a probability; no test is run.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("diff_impact", "for all changes of a branch")];
    const TOOLSET: Toolset = Toolset::Core;
    const ALSO: Option<Toolset> = Some(Toolset::History);
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &[r#"{"functions": ["Price::of"]}"#];
    const POSITIONAL: &'static [&'static str] = &["file_path"];
    const ALIASES: &'static [Alias] = &[Alias::new("path", "file_path")];
    type Args = Args;
    type Reply = Analysis<Selection>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<Selection>> {
        let limits = Limits::new(args.limit, args.max_tokens);
        let names: Vec<&str> =
            args.functions.iter().filter_map(|name| name.rsplit(['.', ':', '#']).next()).collect();
        let catalog = call.code.catalog(&names)?;
        let symbols = if let Some(directory) = &args.directory {
            let (_, below) = paths::folder(call, Some(directory))?;
            let files = below.map(FileId::new).filter(|&file| !catalog.is_test(file));
            files.flat_map(|file| functions_in(catalog, file)).collect()
        } else if args.file_path.is_some() || !args.functions.is_empty() {
            functions_of(call, catalog, args.file_path.as_deref(), &args.functions)?
        } else {
            let changed = match changed_code::difference(call, catalog, None, true)? {
                Ok(changed) => changed,
                Err(none) => {
                    return Ok(Analysis::list(Selection::default(), 0, 0)
                        .with_status(none.status, none.message)
                        .with_hint(none.hint));
                }
            };
            let besides = Besides { files: &changed.files, ..changed.besides() };
            let selected = select(call, catalog, &changed.symbols, besides, limits)?;
            return Ok(selected.reply(|selection| selection));
        };
        let effects = effects_of(catalog, &args, &symbols);
        let besides = Besides { effects: Some(&effects), ..Besides::default() };
        Ok(select(call, catalog, &symbols, besides, limits)?.reply(|selection| selection))
    }
}
