//! The tests of a change, and which of its files they reach.

use std::collections::BTreeMap;

use super::{Args, CheckData, UnknownEntry};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::check::assess::Reached;
use crate::check::baseline::Reach;
use crate::check::change::{Change, ChangeKind, ChangedFile};
use crate::check::verdict::Level;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::testmap::outside::Effect;
use crate::tools::changed_code::CodeDifference;
use crate::tools::test_selection::{Limits, Selected, Unknown, functions_in, select};
use crate::tools::{Call, changed_code, paths};

/// The maximum number of tests of a reply.
const TESTS_MAX: usize = 10;

/// The maximum number of functions of files that do not differ whose tests are looked for.
const UNCHANGED_FUNCTIONS_MAX: usize = 8;

/// The maximum number of reasons for what is gone and used still.
const BROKEN_MAX: usize = 5;

/// Adds the tests to run, and returns the files whose changed functions a test is likely to execute.
pub(super) fn add_tests(
    call: &Call<'_>,
    args: &Args,
    change: &Change,
    data: &mut CheckData,
) -> Result<Reached> {
    let catalog = call.code.catalog(&[])?;
    let differs = change.files.iter().any(|file| file.kind != ChangeKind::Unchanged);
    let changed = match &change.reference {
        Some(_) if differs => {
            // The commit, as it was resolved before.
            let reference = args.base.as_ref().and(change.reference.as_deref());
            let of_commits = changed_code::Scope::All;
            let uncommitted = changed_code::Scope::Uncommitted;
            let scope = if args.base.is_none() { uncommitted } else { of_commits };
            match changed_code::difference(call, catalog, reference, scope)? {
                Ok(changed) => Some(changed),
                Err(none) => none.unless_git_failed()?,
            }
        }
        _ => None,
    };
    let files: Vec<FileId> = change
        .files
        .iter()
        .filter_map(|file| catalog.files().find(&file.path).map(FileId::new))
        .collect();
    let mut changed = changed.unwrap_or_else(|| CodeDifference {
        symbols: files
            .iter()
            .flat_map(|&file| functions_in(catalog, file))
            .take(UNCHANGED_FUNCTIONS_MAX)
            .collect(),
        ..CodeDifference::default()
    });
    let is_checked = |file: FileId| files.contains(&file);
    changed.symbols.retain(|at| is_checked(at.file));
    changed.tests.retain(|at| is_checked(at.file));
    let named = |path: &str| {
        let is_it = |file: &&ChangedFile| {
            let source = file.source.as_deref();
            paths::shown(&file.path) == path || source.is_some_and(|of| paths::shown(of) == path)
        };
        change.files.iter().find(is_it).is_some()
    };
    changed.effects.retain(|effect| match effect {
        Effect::Loading(file) | Effect::Removed { file, .. } | Effect::Support(file) => {
            is_checked(*file)
        }
        Effect::Unloaded(file)
        | Effect::Program(file)
        | Effect::Setup(file)
        | Effect::Crowded(file)
        | Effect::Collector(file) => is_checked(*file),
        Effect::Example(at) | Effect::Inherited(at) => is_checked(at.file),
        Effect::Gone(path)
        | Effect::Configuration(path)
        | Effect::Repository(path)
        | Effect::Staged(path)
        | Effect::Data { path, .. } => named(path),
    });
    if changed.symbols.is_empty() && changed.tests.is_empty() && changed.effects.is_empty() {
        return Ok(Reached::default());
    }
    let limits = Limits::new(Some(TESTS_MAX), Some(1500));
    let selected = select(call, catalog, &changed.symbols, changed.besides(), limits)?;
    let why = |of: &Unknown| match &*of.path {
        "" => of.why.clone(),
        path => format!("{path} {}", of.why),
    };
    data.unknown.extend(selected.selection.unknown.iter().map(|of| {
        let (evidence, why) = ("tests".to_owned(), format!("{}: run all tests", why(of)));
        UnknownEntry { evidence, why, files: 1 }
    }));
    if !selected.broken.is_empty() {
        data.level = data.level.max(Some(Level::Medium));
        data.reasons.extend(selected.broken.iter().take(BROKEN_MAX).cloned());
    }
    let reached = reached(catalog, &changed.symbols, &selected);
    data.untested = selected.selection.untested;
    data.untested_total = selected.selection.untested_total;
    let is_unsure = selected.is_guess || selected.selection.run_all && selected.total == 0;
    let has_tests = !selected.selection.commands.is_empty();
    if is_unsure && has_tests && selected.selection.unknown.is_empty() {
        let why = if selected.is_guess {
            "no test is likely to execute the change; the least unlikely are listed"
        } else {
            "no test was found that may execute the change: run all tests"
        };
        let (evidence, why) = ("tests".to_owned(), why.to_owned());
        data.unknown.push(UnknownEntry { evidence, why, files: 1 });
    }
    if selected.is_cut && selected.selection.unknown.is_empty() {
        let why = "not all changed functions were considered: run all tests".to_owned();
        data.unknown.push(UnknownEntry { evidence: "tests".to_owned(), why, files: 1 });
    }
    data.tests = selected.selection.tests;
    data.tests_total = selected.total;
    data.commands = selected.selection.commands;
    Ok(reached)
}

/// Returns how far tests reach the files with changed functions.
fn reached(catalog: &Catalog, symbols: &[SymbolAt], selected: &Selected) -> Reached {
    let selection = &selected.selection;
    let mut functions: BTreeMap<FileId, usize> = BTreeMap::new();
    for at in symbols {
        *functions.entry(at.file).or_default() += 1;
    }
    let has_tests = !selected.is_guess && selected.total > 0;
    // Only some functions without a test are named; the others may be in any file.
    let hidden = selection.untested_total.saturating_sub(selection.untested.len());
    let reach = |(file, functions): (FileId, usize)| {
        let start = format!("{}: ", paths::shown(catalog.path(file)));
        let untested = selection.untested.iter().filter(|name| name.starts_with(&start)).count();
        let tested = functions.saturating_sub(untested + hidden);
        let tested = if has_tests { tested } else { 0 };
        let is_partial = has_tests && tested + untested < functions;
        (catalog.path(file).to_vec(), Reach { functions, tested, is_partial })
    };
    Reached { files: functions.into_iter().map(reach).collect() }
}
