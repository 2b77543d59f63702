//! `codedb cache`: lists, checks and removes the indexes of all trees.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indicatif::HumanBytes;
use serde::Serialize;

use super::index::{place_args, print, tree_options};
use super::{place, removal, report, terminal};
use crate::base::time;
use crate::error::{Error, Result};
use crate::index::format;
use crate::index::store::{self, CachedIndex};

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

pub(super) fn command() -> Command {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    Command::new("cache")
        .about("List, check or remove the indexes of all trees")
        .long_about(
            "Without a subcommand, lists the indexes of all trees, the most recently used first, \
             with their sizes. Indexes are in the user's cache directory; removing one loses nothing \
             but the time to build it again. Recorded test results and decisions are no part of \
             it: see `codedb data`.",
        )
        .arg(json.clone())
        .args(place_args())
        .subcommand(
            Command::new("clean")
                .about("Remove indexes: of trees that no longer exist, and those that are named")
                .arg(
                    Arg::new("trees")
                        .value_name("TREE")
                        .num_args(0..)
                        .value_parser(value_parser!(PathBuf))
                        .help("The directories of the trees whose indexes are removed"),
                )
                .arg(
                    Arg::new("all").long("all").action(ArgAction::SetTrue).help("Remove every index"),
                )
                .arg(
                    Arg::new("older-than")
                        .long("older-than")
                        .value_name("DAYS")
                        .value_parser(value_parser!(u64))
                        .help("Remove indexes that were not used for so many days"),
                )
                .arg(
                    Arg::new("dry-run")
                        .long("dry-run")
                        .action(ArgAction::SetTrue)
                        .help("Only list what would be removed"),
                ),
        )
        .subcommand(
            Command::new("verify").about("Read every index and report damaged ones").arg(json),
        )
}

/// Runs the command.
///
/// # Errors
///
/// If there is no cache directory, or an argument names no tree.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("clean", matches)) => clean(matches),
        Some(("verify", matches)) => verify(matches),
        _ => list(matches),
    }
}

/// An index, as `codedb cache --json` prints it.
#[derive(Serialize)]
struct Entry {
    /// The root of its tree, if it is recorded.
    tree: Option<String>,
    /// False if the tree does not exist any more.
    tree_exists: bool,
    /// Its directory.
    directory: String,
    bytes: u64,
    /// The time of its last use, in seconds since 1970.
    used_s: u64,
    /// What is wrong with it; only after `verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

fn entry(cached: &CachedIndex) -> Entry {
    let used = cached.used_at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Entry {
        tree: cached.root.as_ref().map(|root| root.display().to_string()),
        tree_exists: cached.root.as_ref().is_some_and(|root| root.exists()),
        directory: cached.dir.display().to_string(),
        bytes: cached.bytes,
        used_s: used.as_secs(),
        problem: None,
    }
}

fn all(matches: &ArgMatches) -> Result<Vec<CachedIndex>> {
    let cache = place::cache(&tree_options(matches))?;
    let mut all = store::cached(&cache.0);
    all.reverse();
    Ok(all)
}

fn list(matches: &ArgMatches) -> Result<ExitCode> {
    let all = all(matches)?;
    let entries: Vec<Entry> = all.iter().map(entry).collect();
    let total: u64 = all.iter().map(|cached| cached.bytes).sum();
    if matches.get_flag("json") {
        return print_json(&entries, total);
    }
    let mut out = table(&all);
    let cache = place::cache(&tree_options(matches))?;
    let count = all.len();
    let plural = if count == 1 { "" } else { "es" };
    out.push_str(&format!(
        "{count} index{plural}, {} in {}\n",
        HumanBytes(total),
        cache.0.display()
    ));
    print(&terminal::escaped(&out))?;
    Ok(ExitCode::from(u8::from(all.is_empty())))
}

/// Returns a line with size, last use and tree for each index.
fn table(all: &[CachedIndex]) -> String {
    let now = SystemTime::now();
    let row = |cached: &CachedIndex| {
        let age = now.duration_since(cached.used_at).unwrap_or_default();
        let tree = cached.root.as_ref().map_or("?".to_owned(), |root| root.display().to_string());
        let gone = match &cached.root {
            Some(root) if !root.exists() => "  (the tree is gone)",
            _ => "",
        };
        let size = HumanBytes(cached.bytes).to_string();
        format!("{size:>12}  {:>14}  {tree}{gone}\n", time::ago(age))
    };
    let rows: String = all.iter().map(row).collect();
    if rows.is_empty() {
        rows
    } else {
        format!("{:>12}  {:>14}  TREE\n{rows}", "SIZE", "LAST USED")
    }
}

fn print_json(entries: &[Entry], total: u64) -> Result<ExitCode> {
    let reply = serde_json::json!({
        "indexes": entries, "shown": entries.len(), "total": entries.len(), "bytes": total,
    });
    print(&format!("{reply}\n"))?;
    Ok(ExitCode::from(u8::from(entries.is_empty())))
}

fn clean(matches: &ArgMatches) -> Result<ExitCode> {
    let all = all(matches)?;
    let named: Vec<PathBuf> = matches
        .get_many::<PathBuf>("trees")
        .into_iter()
        .flatten()
        .map(|tree| std::path::absolute(tree).unwrap_or_else(|_| tree.clone()))
        .collect();
    let is_of = |cached: &CachedIndex, tree: &Path| {
        let same = |root: &PathBuf| {
            let canonical = tree.canonicalize().ok();
            root == tree || canonical.is_some_and(|tree| *root == tree)
        };
        cached.root.as_ref().is_some_and(same)
    };
    for tree in &named {
        if !all.iter().any(|cached| is_of(cached, tree)) {
            return Err(Error::usage("no index of this tree")
                .with_path(tree)
                .with_hint("`codedb cache` lists the trees that have one"));
        }
    }
    let days = matches.get_one::<u64>("older-than").copied();
    let oldest = days.map(|days| Duration::from_secs(days.saturating_mul(SECONDS_A_DAY)));
    let now = SystemTime::now();
    let is_wanted = |cached: &CachedIndex| {
        let is_old = oldest.is_some_and(|oldest| {
            now.duration_since(cached.used_at).is_ok_and(|age| age >= oldest)
        });
        is_old
            || matches.get_flag("all")
            || named.iter().any(|tree| is_of(cached, tree))
            || named.is_empty() && oldest.is_none() && removal::is_orphan(cached)
    };
    let cache = place::cache(&tree_options(matches))?;
    let removed = removal::remove(&cache, &is_wanted, matches.get_flag("dry-run"));
    print(&terminal::escaped(&removed.text))?;
    Ok(ExitCode::from(if removed.has_failed { 2 } else { u8::from(removed.count == 0) }))
}

/// Returns true if this version of codedb reads an index directory.
fn is_of_this_version(dir: &Path) -> bool {
    let start = format!("v{}-", format::VERSION);
    dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start))
}

fn verify(matches: &ArgMatches) -> Result<ExitCode> {
    let all = all(matches)?;
    let mut entries = Vec::new();
    let mut damaged = 0;
    for cached in &all {
        let is_other = !is_of_this_version(&cached.dir);
        let checked = if is_other { Ok(()) } else { store::verify(&cached.dir) };
        let problem = checked.err().map(|error| error.to_string());
        damaged += usize::from(problem.is_some());
        if !matches.get_flag("json") {
            let sound = if is_other { "of another version of codedb, not read" } else { "sound" };
            let state = problem.as_deref().unwrap_or(sound);
            print(&terminal::escaped(&format!("{}: {state}\n", removal::shown(cached))))?;
        }
        entries.push(Entry { problem, ..entry(cached) });
    }
    if matches.get_flag("json") {
        print_json(&entries, all.iter().map(|cached| cached.bytes).sum())?;
    } else if damaged > 0 {
        report::print_message(format!(
            "{damaged} of {} indexes are damaged; `codedb cache clean TREE` removes one, the next \
             search builds it again",
            all.len()
        ));
    }
    Ok(ExitCode::from(if damaged > 0 { 2 } else { u8::from(all.is_empty()) }))
}
