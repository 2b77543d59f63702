//! What `codedb test` runs, and what it leaves out.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::shard::Shard;
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::catalog::code::Code as _;
use crate::catalog::test_names::tested;
use crate::cli::tool::now_ns;
use crate::cli::trusted;
use crate::engine::{Check, Engine, Local};
use crate::error::{Error, Kind, Result};
use crate::testmap::commands::{self, Located};
use crate::testmap::detect::Test;
use crate::testmap::fixtures::Tests;
use crate::testmap::inherited::of_file;
use crate::testmap::recorded::{canonical, key, key_of_id};
use crate::testmap::tree::Tree as _;
use crate::tools::diff_impact::{self, DiffImpact};
use crate::tools::impact::{self, Impact};
use crate::tools::{Call, Define as _};

/// The number of tests that are selected at most; the commands run test files where there are many.
const TESTS_MAX: usize = 1_000;

/// The tokens of the reply that is read; not printed.
const TOKENS_MAX: usize = 1_000_000;

/// The maximum size of a manifest that is read, in bytes.
const MANIFEST_BYTES_MAX: usize = 256 << 10;

/// Which changes select tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    /// The commit with which the tree is compared; the uncommitted changes without one.
    pub(super) base: Option<&'a str>,
    /// Only changes in git's index.
    pub(super) staged: bool,
    pub(super) shard: Option<Shard>,
    /// Files and folders, repository paths, instead of the changes.
    pub(super) files: &'a [String],
}

/// What is run, and what is printed about it.
#[derive(Debug, Default)]
pub(super) struct Selected {
    pub(super) commands: Vec<String>,
    pub(super) tests: u64,
    pub(super) is_all: bool,
    pub(super) messages: Vec<String>,
}

/// Selects the tests of the changes; those with a key of `failed` come first.
///
/// # Errors
///
/// Without a repository, and for an unknown commit.
pub(super) fn select(
    engine: &Engine,
    check: Check,
    scope: Scope<'_>,
    failed: &HashSet<String>,
) -> Result<Selected> {
    trusted::note(engine, check);
    let code = Local::new(engine, check);
    if code.git().is_none() && scope.files.is_empty() {
        return Err(Error::new(Kind::Usage, "the tree is not in a git repository")
            .with_hint("`codedb test PATH` runs the tests of a file"));
    }
    let call = Call::new(&code, now_ns());
    let reply = reply(&call, scope)?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let status = reply["status"].as_str().unwrap_or_default();
    if !matches!(status, "ok" | "partial" | "no_changes" | "no_edges") {
        // Nothing is known: no test must not look like success.
        let message = text(&reply["message"]).unwrap_or_else(|| status.to_owned());
        let hint = text(&reply["hint"]).unwrap_or_default();
        return Err(Error::new(Kind::Usage, message).with_hint(&hint));
    }
    let texts =
        |value: &Value| value.as_array().into_iter().flatten().filter_map(text).collect::<Vec<_>>();
    let mut selected = Selected {
        commands: texts(&reply["commands"]),
        tests: reply["total"].as_u64().unwrap_or_default(),
        is_all: reply["run_all"] == true,
        messages: text(&reply["message"]).into_iter().collect(),
    };
    let catalog = code.catalog(&[])?;
    let tests = Tests::new(catalog);
    let read = |name: &str| {
        let at = catalog.files().find(name.as_bytes())?;
        let text = catalog.read(FileId::new(at), MANIFEST_BYTES_MAX)?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    let listed = listed(catalog, &tests, &reply["tests"]);
    let is_whole = listed.len() as u64 == selected.tests;
    if let Some(shard) = scope.shard
        && (selected.is_all || selected.tests > 0)
    {
        let all = if selected.is_all || !is_whole {
            selected.is_all = true;
            all_tests(catalog, &tests)
        } else {
            listed
        };
        let total = all.len();
        let durations = durations(&code)?;
        let items = all.into_iter().map(|(path, test)| {
            let of = |key: String| durations.get(&key).copied();
            let ms = of(key(&path, &test)).or_else(|| of(canonical(&path, &test)));
            (commands::unit(&path, &test, &read), ms, (path, test))
        });
        let part = shard.part(items.collect());
        selected.messages.push(format!("shard {shard} has {} of {total} tests", part.len()));
        selected.tests = part.len() as u64;
        // Another shard has tests: this one succeeds without any.
        selected.is_all &= !part.is_empty() || total == 0;
        selected.commands = commands_of(&part, &read);
        return Ok(selected);
    }
    if !selected.is_all && is_whole && !listed.is_empty() {
        let (first, rest): (Vec<_>, Vec<_>) =
            listed.iter().cloned().partition(|(path, test)| failed.contains(&key(path, test)));
        if !first.is_empty() {
            selected.commands = commands_of(&first, &read);
            selected.commands.extend(commands_of(&rest, &read));
        }
    }
    if !selected.is_all && selected.tests > 0 {
        let files: BTreeSet<&str> = listed.iter().map(|(path, _)| path.as_str()).collect();
        let named = files.iter().filter(|path| tested(path.as_bytes()).is_some()).count();
        let others = catalog.test_names().files().saturating_sub(named);
        if is_whole && others > 0 {
            selected.messages.push(format!(
                "left out: {others} test files, which are less likely or not linked with the \
                 changes; `codedb suggest-tests` shows the scores"
            ));
        }
    }
    Ok(selected)
}

/// Returns the reply of the tool that selects the tests, as JSON.
///
/// # Errors
///
/// Those of the tool: an unknown path or commit.
fn reply(call: &Call<'_>, scope: Scope<'_>) -> Result<Value> {
    let (limit, max_tokens) = (Some(TESTS_MAX), Some(TOKENS_MAX));
    let reply = if scope.files.is_empty() {
        let args = diff_impact::Args {
            reference: scope.base.map(str::to_owned),
            working_tree: scope.base.is_none().then_some(true),
            staged: scope.staged,
            auto_update: None,
            limit,
            max_tokens,
        };
        serde_json::to_value(DiffImpact::run(call, args)?)
    } else {
        let files = scope.files.to_vec();
        let args = impact::Args { files, limit, max_tokens, ..impact::Args::default() };
        serde_json::to_value(Impact::run(call, args)?)
    };
    reply.map_err(|error| Error::new(Kind::Io, format!("the selection: {error}")))
}

fn commands_of(tests: &[(String, Test)], read: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let located: Vec<Located<'_>> =
        tests.iter().map(|(path, test)| (path.as_str(), test)).collect();
    commands::commands(&located, read)
}

/// Returns the tests that a reply lists, in its order.
fn listed(catalog: &Catalog, tests: &Tests<'_>, list: &Value) -> Vec<(String, Test)> {
    let find = |of: &Value| {
        let (path, id) = (of["path"].as_str()?, of["test_id"].as_str()?);
        let file = catalog.files().find(path.as_bytes()).map(FileId::new)?;
        let own = tests.of(file);
        let line = of["line"].as_u64();
        let is_it = |test: &&Test| test.id == id && Some(test.line as u64) == line;
        let own = own.tests.iter().find(is_it).cloned();
        Some((
            path.to_owned(),
            own.or_else(|| of_file(tests, file).into_iter().find(|of| is_it(&of)))?,
        ))
    };
    list.as_array().into_iter().flatten().filter_map(find).collect()
}

/// Returns all tests of the tree, in the order of paths.
fn all_tests(catalog: &Catalog, tests: &Tests<'_>) -> Vec<(String, Test)> {
    let mut found = Vec::new();
    for file in (0..catalog.files().len()).map(FileId::new) {
        let path = catalog.path(file);
        // Tests of Rust may be in sources.
        if catalog.is_test(file) || path.ends_with(b".rs") {
            let path = path::shown(path);
            found.extend(tests.of(file).tests.iter().map(|test| (path.clone(), test.clone())));
            found.extend(of_file(tests, file).into_iter().map(|test| (path.clone(), test)));
        }
    }
    found
}

/// Returns the recorded durations by the keys of tests, in milliseconds; those of parameter sets add up.
fn durations(code: &Local<'_>) -> Result<HashMap<String, f64>> {
    let mut found: HashMap<String, f64> = HashMap::new();
    if let Some(database) = code.user_data()? {
        let mut records: Vec<_> = database.records()?.into_iter().collect();
        // Sums of numbers with fractions depend on the order.
        records.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (id, record) in records {
            if let Some(ms) = record.duration_ms {
                *found.entry(key_of_id(&id)).or_default() += ms;
            }
        }
    }
    Ok(found)
}
