//! `suggest_tests`: the tests to run for a file, a directory, functions or the work tree.

use schemars::JsonSchema;
use serde::Deserialize;

use super::changed_code::{self, Scope};
use super::named_change::NamedChange;
use super::test_selection::names::{FUNCTION_ALIASES, take_names};
use super::test_selection::patience::Patience;
use super::test_selection::{Besides, Limits, Selection, files_of, functions_of, select};
use super::{Alias, Call, Define, Speed, Toolset, fallback, paths};
use crate::answer::analysis::Analysis;
use crate::error::Result;

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
    /// Without a file: only uncommitted changes (default), or only those of commits
    #[schemars(extend("x-unlisted" = ""))]
    pub working_tree: Option<bool>,
    /// List the tests of the tree if none is found
    #[serde(default)]
    #[schemars(extend("x-unlisted" = ""))]
    pub fallback_to_all: bool,
    /// Leave out tests with a lower score, in percent
    #[schemars(extend("x-unlisted" = ""))]
    pub min_percent: Option<u8>,
    /// Update the index first
    #[schemars(extend("x-unlisted" = super::unlisted::ALWAYS_UPDATED))]
    pub auto_update: Option<bool>,
    /// Maximum processor time on each core in milliseconds (default 300); 0 is no limit
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub max_ms: Option<u64>,
    /// All changes since the branch left this commit
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub base: Option<String>,
    /// What is staged
    #[serde(default)]
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub staged: bool,
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
    const ALIASES: &'static [Alias] = &[
        Alias::new("path", "file_path"),
        FUNCTION_ALIASES[0],
        FUNCTION_ALIASES[1],
        FUNCTION_ALIASES[2],
    ];
    type Args = Args;
    type Reply = Analysis<Selection>;

    fn run(call: &Call<'_>, mut args: Args) -> Result<Analysis<Selection>> {
        let mut given: Vec<String> = args.file_path.take().into_iter().collect();
        take_names(call, &mut given, &mut args.functions)?;
        args.file_path = given.pop();
        let least = f32::from(args.min_percent.unwrap_or_default()) / 100.0;
        let limits = Limits { least, ..Limits::new(args.limit, args.max_tokens) };
        let is_named =
            args.file_path.is_some() || args.directory.is_some() || !args.functions.is_empty();
        let patience = if is_named { Patience::new(args.max_ms) } else { Patience::default() };
        let limits = Limits { patience, ..limits };
        let base = args.base.as_deref();
        let of_change = Scope::of_change(base, args.staged, is_named)?;
        let names: Vec<&str> =
            args.functions.iter().filter_map(|name| name.rsplit(['.', ':', '#']).next()).collect();
        let catalog = call.code.catalog(&names)?;
        let named = if let Some(directory) = &args.directory {
            paths::folder(call, Some(directory))?;
            let mut named = NamedChange::of(catalog, &files_of(call, catalog, directory)?);
            named.add_uncommitted(call, catalog, [directory.as_str()])?;
            named
        } else if !args.functions.is_empty() {
            let symbols = functions_of(call, catalog, args.file_path.as_deref(), &args.functions)?;
            NamedChange::of_functions(symbols)
        } else if let Some(path) = &args.file_path {
            let mut named = NamedChange::of(catalog, &files_of(call, catalog, path)?);
            named.add_uncommitted(call, catalog, [path.as_str()])?;
            named
        } else {
            let scope = of_change.unwrap_or(Scope::of(args.working_tree.or(Some(true))));
            let changed = match changed_code::difference(call, catalog, base, scope)? {
                Ok(changed) => changed,
                Err(none) => return Ok(none.reply(Selection::default())),
            };
            let files = if scope == Scope::Committed { &[][..] } else { &changed.files };
            let besides = Besides { files, ..changed.besides() };
            let mut selected = select(call, catalog, &changed.symbols, besides, limits)?;
            if args.fallback_to_all {
                let near = changed.paths.first().map_or("", String::as_str);
                fallback::fill(catalog, near, limits, &mut selected);
            }
            let reply = selected.reply(|selection| selection);
            return Ok(changed_code::with_mixed(reply, changed.mixed));
        };
        let mut selected = select(call, catalog, &named.symbols, named.besides(), limits)?;
        if args.fallback_to_all {
            let near = args.file_path.as_deref().or(args.directory.as_deref()).unwrap_or_default();
            fallback::fill(catalog, near, limits, &mut selected);
        }
        Ok(selected.reply(|selection| selection))
    }
}
