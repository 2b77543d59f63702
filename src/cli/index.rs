//! `codedb index`: builds, refreshes, watches or removes the index of a tree.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indicatif::HumanBytes;

use super::background::{self, Build};
use super::place::{self, TreeOptions};
use super::progress_bar::ProgressBar;
use super::{log_sink, removal, report, terminal};
use crate::base::text::counted;
use crate::engine::{self, Built, CodeBuilt, Engine, Progress};
use crate::error::{Error, Kind, Result};
use crate::index::store::{self, CachedIndex};

pub(super) fn command() -> Command {
    Command::new("index")
        .about("Build or refresh the index of a tree")
        .long_about(
            "Builds the index of the tree that contains the current directory, or refreshes it: only \
             changed files are read. Searches work without an index and start a build in the \
             background; run this command to wait for it. The index is stored in the user's cache \
             directory, never in the tree.",
        )
        .args(common_args())
        .arg(
            Arg::new("rebuild")
                .long("rebuild")
                .action(ArgAction::SetTrue)
                .help("Rebuild the index, even if there is one"),
        )
        .arg(
            Arg::new("wait")
                .long("wait")
                .value_name("STAGE")
                .value_parser(["ready", "full"])
                .help("Return when the index is `ready` to search, or `full`; wait for other builds"),
        )
        .arg(
            Arg::new("no-wait")
                .long("no-wait")
                .action(ArgAction::SetTrue)
                .conflicts_with("wait")
                .help("Fail if another process builds this index, instead of waiting for it"),
        )
        .arg(
            Arg::new("stage")
                .long("stage")
                .value_name("STAGE")
                .value_parser(["ready", "full", "auto"])
                .default_value("full")
                .help(
                    "What to build: the index for searches (`ready`), also symbols, references, words \
                     and history (`full`), or these only if they were built before (`auto`)",
                ),
        )
        .arg(
            Arg::new("insist")
                .long("insist")
                .action(ArgAction::SetTrue)
                .help("Index even a home directory or the whole file system"),
        )
        .arg(
            Arg::new("watch")
                .long("watch")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["rebuild", "wait", "clean"])
                .help("Keep running, refresh the index on changes, and report changes to searches"),
        )
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .short('q')
                .action(ArgAction::SetTrue)
                .help("Print only errors"),
        )
        .arg(
            Arg::new("clean")
                .long("clean")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["rebuild", "wait"])
                .help("Remove the index of this tree, and those of trees that no longer exist"),
        )
}

/// Returns the arguments of the commands that operate on an index.
pub(super) fn common_args() -> Vec<Arg> {
    let dir = Arg::new("dir")
        .value_name("DIR")
        .value_parser(value_parser!(std::path::PathBuf))
        .conflicts_with("root")
        .help("The root of the tree, like `--root`");
    std::iter::once(dir).chain(place_args()).collect()
}

/// Returns the flags that choose the tree, the index directory and the number of threads.
pub(super) fn place_args() -> Vec<Arg> {
    let path = || value_parser!(std::path::PathBuf);
    vec![
        Arg::new("root").long("root").value_name("DIR").value_parser(path()).global(true).help(
            "The root of the tree (default: the git work tree that contains the current \
                 directory, else the nearest parent directory with an index, else the current \
                 directory)",
        ),
        Arg::new("index-dir")
            .long("index-dir")
            .value_name("DIR")
            .value_parser(path())
            .global(true)
            .help("The directory of indexes (default: CODEDB_INDEX_DIR, else the user's cache)"),
        Arg::new("data-dir")
            .long("data-dir")
            .value_name("DIR")
            .value_parser(path())
            .global(true)
            .help(
                "The directory of recorded test results and other data of the user (default: \
                 CODEDB_DATA_DIR, else `codedb` in the user's data directory)",
            ),
        Arg::new("threads")
            .long("threads")
            .short('j')
            .value_name("N")
            .value_parser(value_parser!(usize))
            .global(true)
            .help("The number of threads (default: one for each processor)"),
        Arg::new("no-progress")
            .long("no-progress")
            .action(ArgAction::SetTrue)
            .global(true)
            .help("Do not show a progress bar"),
    ]
}

/// Returns the values of the common arguments.
pub(super) fn tree_options(matches: &ArgMatches) -> TreeOptions {
    // Tool commands have no `dir`.
    let path = |name: &str| matches.try_get_one::<std::path::PathBuf>(name).ok().flatten().cloned();
    TreeOptions {
        root: path("root").or_else(|| path("dir")),
        index_dir: path("index-dir"),
        data_dir: path("data-dir"),
        threads: matches.get_one::<usize>("threads").copied().filter(|&threads| threads > 0),
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let options = tree_options(matches);
    let engine = place::engine(&options)?.settling();
    if matches.get_flag("clean") {
        return clean(&engine, &place::cache(&options)?, matches.get_flag("quiet"));
    }
    let stages = Stages::of(matches)?;
    if let Some(reason) = place::too_wide(engine.root())
        && !matches.get_flag("insist")
    {
        return Err(Error::usage(format!("refusing to index this directory: {reason}"))
            .with_path(engine.root())
            .with_hint("change to a project, choose one with `--root`, or add `--insist`"));
    }
    if matches.get_flag("watch") {
        return watch(matches, &engine);
    }
    for remark in super::extractors::remarks(engine.root()) {
        report::print_message(remark);
    }
    let anew = matches.get_flag("rebuild");
    let built = with_progress(shows_progress(matches), |progress| {
        attached(matches, &engine, progress, || {
            if anew { engine::build(&engine, progress) } else { engine::refresh(&engine, progress) }
        })
    })?;
    let code = if !stages.is_full(&engine) {
        None
    } else if stages.wait == Some("ready") {
        background::build_even_if_wide(&engine, Build::Full);
        None
    } else {
        Some(code(matches, &engine, anew)?)
    };
    store::evict(&place::cache(&options)?.0, place::cache_bytes_max(), engine.store().dir());
    if !matches.get_flag("quiet") {
        print_summary(&engine, &built, code)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The stages to build and to wait for.
#[derive(Clone, Copy, Debug)]
struct Stages<'a> {
    stage: &'a str,
    wait: Option<&'a str>,
}

impl Stages<'_> {
    /// Returns the stages that the flags choose.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if the stage to wait for is not built.
    fn of(matches: &ArgMatches) -> Result<Stages<'_>> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let stages = Stages { stage: text("stage").unwrap_or("full"), wait: text("wait") };
        match stages {
            Stages { stage: "ready", wait: Some("full") } => {
                Err(Error::usage("`--wait full` waits for a stage that `--stage ready` omits")
                    .with_hint("omit `--stage`, or use `--wait ready`"))
            }
            stages => Ok(stages),
        }
    }

    /// Returns true if the code index, the text index and the history are built, too.
    fn is_full(self, engine: &Engine) -> bool {
        match self.stage {
            "ready" => false,
            "auto" => self.wait == Some("full") || engine::has_code(engine),
            _ => true,
        }
    }
}

/// Refreshes the code index, the text index and the history.
fn code(matches: &ArgMatches, engine: &Engine, anew: bool) -> Result<CodeBuilt> {
    with_progress(shows_progress(matches), |progress| {
        attached(matches, engine, progress, || engine::build_code(engine, anew, progress))
    })
}

/// Builds or refreshes all stages for another command, which needs them for its answer; waits for
/// another process that builds them.
///
/// # Errors
///
/// As those of a build.
pub(super) fn build_all(engine: &Engine, shows_progress: bool) -> Result<()> {
    with_progress(shows_progress, |progress| {
        engine::when_free(engine.store(), progress, || (), || engine::refresh(engine, progress))?;
        engine::when_free(
            engine.store(),
            progress,
            || (),
            || engine::build_code(engine, false, progress),
        )
    })?;
    Ok(())
}

/// Runs `build`. If another process is building the index, shows its progress, then runs `build`
/// for the remaining work; with `--no-wait`, fails immediately instead.
fn attached<T>(
    matches: &ArgMatches,
    engine: &Engine,
    progress: &Progress,
    build: impl Fn() -> Result<T>,
) -> Result<T> {
    if matches.get_flag("no-wait") {
        return build();
    }
    let waits = || {
        if !matches.get_flag("quiet") {
            let root = engine.root().display();
            report::print_message(format_args!(
                "{root}: another codedb is building this index; waiting for it"
            ));
        }
    };
    engine::when_free(engine.store(), progress, waits, build)
}

/// Runs the watcher until the process is ended, unless another process runs it already.
fn watch(matches: &ArgMatches, engine: &Engine) -> Result<ExitCode> {
    log_sink::install(None);
    let print_note = |message: &str| {
        if !matches.get_flag("quiet") {
            report::print_message(format_args!("{}: {message}", engine.root().display()));
        }
    };
    if has_watcher(engine) {
        print_note("already watched by another process");
        return Ok(ExitCode::SUCCESS);
    }
    // The server refreshes the index, too; this refresh shows its progress.
    match with_progress(shows_progress(matches), |progress| engine::refresh(engine, progress)) {
        Err(error) if error.kind() != Kind::Busy => return Err(error),
        _ => print_note("watching; stop with Ctrl-C"),
    }
    match engine::serve(engine, &engine::Pace::default(), &engine::Stop::new()?) {
        Err(error) if error.kind() == Kind::Busy => {
            print_note("already watched by another process");
            Ok(ExitCode::SUCCESS)
        }
        ended => ended.map(|()| ExitCode::SUCCESS),
    }
}

/// Returns true if a watcher is running for the tree of `engine`.
pub(super) fn has_watcher(engine: &Engine) -> bool {
    engine::sync(engine, Duration::from_millis(200)).is_some()
}

fn print_summary(engine: &Engine, built: &Built, code: Option<CodeBuilt>) -> Result<()> {
    let files = counted(built.files as usize, "file");
    let bytes = HumanBytes(built.text_bytes);
    let root = report::plain(&engine.root().display().to_string());
    let text = if built.published {
        format!("{root}: {files}, {bytes}; {} read\n", counted(built.read as usize, "file"))
    } else {
        format!("{root}: {files}, {bytes}; no changes\n")
    };
    print(&text)?;
    let Some(code) = code else { return Ok(()) };
    if code.published {
        print(&format!("{root}: {} parsed\n", counted(code.read as usize, "file")))?;
    }
    let history = &code.history;
    if let Some(problem) = &history.problem {
        report::print_message(format_args!("{root}: cannot read the log of commits: {problem}"));
    }
    if history.published {
        let commits = counted(history.commits as usize, "commit");
        print(&format!("{root}: {commits}, {} read\n", history.read))
    } else {
        Ok(())
    }
}

/// Prints to standard output; a closed pipe ends quietly.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    // JSON stays as it is in a pipe; a terminal gets the same with its unsafe characters escaped.
    let is_json = text.starts_with(['{', '[']);
    let text = if is_json && out.is_terminal() {
        Cow::Owned(terminal::escaped_json(text))
    } else {
        Cow::Borrowed(text)
    };
    match out.write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::new(Kind::Io, format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Returns true unless a flag of the command prevents a progress bar.
fn shows_progress(matches: &ArgMatches) -> bool {
    !matches.get_flag("no-progress") && !matches.get_flag("quiet")
}

/// Runs `work` while another thread shows its progress, on a terminal.
fn with_progress<T>(shows_progress: bool, work: impl FnOnce(&Progress) -> Result<T>) -> Result<T> {
    let progress = Progress::default();
    match ProgressBar::on_terminal(Duration::ZERO).filter(|_| shows_progress) {
        Some(bar) => bar.during(&progress, || work(&progress)),
        None => work(&progress),
    }
}

/// Removes the index of the tree, and indexes of trees that no longer exist.
fn clean(engine: &Engine, cache: &place::Cache, is_quiet: bool) -> Result<ExitCode> {
    let is_wanted = |cached: &CachedIndex| {
        let is_own = cached.dir == engine.store().dir();
        is_own || cached.root.as_deref() == Some(engine.root()) || removal::is_orphan(cached)
    };
    let removed = removal::remove(cache, &is_wanted, false);
    if !is_quiet {
        print(&removed.text)?;
    }
    Ok(ExitCode::from(if removed.has_failed { 2 } else { 0 }))
}
