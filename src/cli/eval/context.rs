//! `codedb eval context`: how much of what a task needs is in the reply of `codedb context`.
//!
//! `report` prints; the measures are those of [`crate::eval::context`].

mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use self::report::{Report, Skipped};
use super::{check_ids, print_redacted};
use crate::base::text::{counted, plain, shell_word};
use crate::cli::index::{build_all, place_args, tree_options};
use crate::cli::place::{self, TreeOptions};
use crate::cli::report::print_message;
use crate::engine::{Check, Engine, Local};
use crate::error::{Error, Kind, Result};
use crate::eval::baselines::WordCache;
use crate::eval::context::measure::measure;
use crate::eval::context::tasks::{self, Corpus, Task};
use crate::source::input_file;

/// The maximum length of a file of tasks in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// The maximum number of files of tasks in a directory.
const FILES_MAX: usize = 1_000;

/// The directory of the trees in the cache of the benches.
const GROUP: &str = "context";

pub(super) fn command() -> Command {
    let path = || value_parser!(PathBuf);
    Command::new("context")
        .about("Measure replies of `codedb context` against keys of files, definitions, lines and tests")
        .long_about(
            "Runs `codedb context` with each task on its tree, an unpacked package, and compares the reply \
             with the key of the task. The trees are those of `[[tree]]`, in any of the files; \
             `cargo bench --bench flows -- --fetch --trees TASKS.toml` fetches them.\n\n\
             A file is named if its path is in the reply; a definition, if it is listed with its path or is \
             around shown lines (a field counts as its type); a range of lines is shown, if one of its lines is shown as text; a test is \
             named, or its file is among the tests or files. Tokens are of use in entries of the key, in file \
             entries and first mentions of its files, and in lines that share one with the key; headings, \
             notes and repeated paths are of no use.",
        )
        .arg(
            Arg::new("tasks")
                .required(true)
                .num_args(1..)
                .value_name("TASKS.toml")
                .value_parser(path())
                .help("Files, or directories of files, of `[[tree]]` and `[[task]]`: `id`, `tree`, `task`, `files`, `definitions`, `lines`, `tests`"),
        )
        .arg(
            Arg::new("trees")
                .long("trees")
                .value_name("DIR")
                .value_parser(path())
                .help("The directory of the trees (default: `context` in CODEDB_BENCH_CACHE)"),
        )
        .arg(
            Arg::new("budget")
                .long("budget")
                .value_name("N")
                .value_parser(value_parser!(u64).range(120..=50_000))
                .default_value("1500")
                .help("The token budget of a reply"),
        )
        .arg(
            Arg::new("task")
                .long("task")
                .value_name("ID")
                .action(ArgAction::Append)
                .help("Run only this task; may be repeated"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print one JSON object"),
        )
        .arg(
            Arg::new("verbose")
                .long("verbose")
                .action(ArgAction::SetTrue)
                .help("List what each reply lacks, and the missing files with causes"),
        )
        .arg(
            Arg::new("show")
                .long("show")
                .action(ArgAction::SetTrue)
                .conflicts_with("json")
                .help("Print the replies, too; `+` marks lines with tokens of use"),
        )
        .args(place_args().into_iter().filter(|arg| arg.get_id() != "root"))
}

/// Runs `codedb eval context`.
///
/// # Errors
///
/// If a file of tasks cannot be used, no tree is there, or an index cannot be built or read.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let given: Vec<&PathBuf> = matches.get_many("tasks").expect("clap requires it").collect();
    let corpus = tasks::of_files(&read_all(&given)?)?;
    let ids: Vec<&str> = corpus.tasks.iter().map(|task| task.id.as_str()).collect();
    check_ids(matches, &ids)?;
    let trees = trees(matches)?;
    let budget = *matches.get_one::<u64>("budget").expect("it has a default") as usize;
    let mut report = Report { budget, ..Report::default() };
    for (name, tasks) in by_tree(matches, &corpus) {
        let tree = &corpus.trees[name];
        let Some(root) = tree.find(&trees) else {
            let tasks = tasks.iter().map(|task| task.id.clone()).collect();
            report.skipped.push(Skipped { tree: name.to_owned(), tasks });
            continue;
        };
        let engine = opened(matches, root)?;
        let mut words = WordCache::default();
        for task in tasks {
            let code = Local::new(&engine, Check::Strict);
            report.measured.push(measure(&code, &mut words, task, &tree.language, budget)?);
        }
    }
    if let Some(first) = report.skipped.first() {
        let message = absent(&report.skipped, first, &trees, &given);
        if report.measured.is_empty() {
            return Err(Error::new(Kind::NotFound, message));
        }
        print_message(message);
    }
    let order = |id: &String| ids.iter().position(|other| other == id);
    report.measured.sort_by_key(|one| order(&one.id));
    let text = if matches.get_flag("json") {
        report.json() + "\n"
    } else {
        let replies = if matches.get_flag("show") { report.replies() } else { String::new() };
        replies + &report.markdown(matches.get_flag("verbose"))
    };
    print_redacted(text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the sentence about tasks without a tree.
fn absent(skipped: &[Skipped], first: &Skipped, trees: &Path, given: &[&PathBuf]) -> String {
    let count = skipped.iter().map(|skipped| skipped.tasks.len()).sum();
    let others = match skipped.len() - 1 {
        0 => " is".to_owned(),
        others => format!(" and {others} others are"),
    };
    let words =
        given.iter().map(|path| format!(" --trees {}", shell_word(&path.to_string_lossy())));
    format!(
        "{} cannot run, because the tree `{}`{others} not in {}; `cargo bench --bench flows -- --fetch{}` \
         fetches it",
        counted(count, "task"),
        plain(&first.tree),
        trees.display(),
        words.collect::<String>(),
    )
}

/// Returns the chosen tasks by tree, both in the order of the files.
fn by_tree<'a>(matches: &ArgMatches, corpus: &'a Corpus) -> Vec<(&'a str, Vec<&'a Task>)> {
    let ids: Vec<&String> = matches.get_many::<String>("task").into_iter().flatten().collect();
    let mut groups: Vec<(&str, Vec<&Task>)> = Vec::new();
    for task in corpus.tasks.iter().filter(|task| ids.is_empty() || ids.contains(&&task.id)) {
        match groups.iter_mut().find(|(tree, _)| *tree == task.tree) {
            Some((_, tasks)) => tasks.push(task),
            None => groups.push((&task.tree, vec![task])),
        }
    }
    groups
}

/// Returns the engine of a tree, with a current index.
fn opened(matches: &ArgMatches, root: PathBuf) -> Result<Engine> {
    let engine = place::engine(&TreeOptions { root: Some(root), ..tree_options(matches) })?;
    build_all(&engine, !matches.get_flag("no-progress"))?;
    Ok(engine)
}

/// Returns the directory of the trees.
fn trees(matches: &ArgMatches) -> Result<PathBuf> {
    if let Some(given) = matches.get_one::<PathBuf>("trees") {
        return Ok(given.clone());
    }
    let named = std::env::var_os("CODEDB_BENCH_CACHE").filter(|value| !value.is_empty());
    let cache = named.map(PathBuf::from);
    let cache = cache.or_else(|| place::user_cache().map(|cache| cache.join("codedb-bench")));
    cache.map(|cache| cache.join(GROUP)).ok_or_else(|| {
        Error::new(Kind::NotFound, "no directory of trees: there is no cache directory")
            .with_hint("set one with `--trees` or CODEDB_BENCH_CACHE")
    })
}

/// Returns the texts of files; a directory stands for its `.toml` files, in the order of their names.
fn read_all(given: &[&PathBuf]) -> Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    for path in given {
        if path.is_dir() {
            files.extend(listed(path)?);
        } else {
            files.push((*path).clone());
        }
    }
    files
        .into_iter()
        .map(|path| Ok((path.clone(), input_file::read_text(&path, FILE_BYTES_MAX)?)))
        .collect()
}

fn listed(dir: &Path) -> Result<Vec<PathBuf>> {
    let fail = |error| Error::io(dir, error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Error::usage("the directory has no `.toml` file of tasks").with_path(dir));
    }
    if files.len() > FILES_MAX {
        let message = format!("the directory has more than {FILES_MAX} files of tasks");
        return Err(Error::usage(message).with_path(dir));
    }
    files.sort();
    Ok(files)
}
