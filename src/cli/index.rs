//! `codedb index`: builds or refreshes the index, with a progress bar on a terminal, and cleans up.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::background::{self, Build};
use super::place::{self, Asked};
use super::{log_sink, report};
use crate::engine::{self, Built, CodeBuilt, Engine, Progress, Stage};
use crate::error::{Error, Kind, Result};
use crate::index::store;

/// How often the progress bar looks.
const TICK: Duration = Duration::from_millis(80);

pub(super) fn command() -> Command {
    Command::new("index")
        .about("Build or refresh the index of a tree")
        .long_about(
            "Builds the index of the tree around the current directory, or brings it up to date: \
             only what changed is read. A search does without it, and starts it in the background; \
             run it yourself to wait for it. The index lives in the user's cache, never in the tree.",
        )
        .args(common_args())
        .arg(
            Arg::new("rebuild")
                .long("rebuild")
                .action(ArgAction::SetTrue)
                .help("Build from nothing, whatever is there"),
        )
        .arg(
            Arg::new("wait")
                .long("wait")
                .value_name("STAGE")
                .value_parser(["ready", "full"])
                .help("Wait for another builder, until the index is `ready` to search or `full`"),
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
                    "How much to build: what searches need (`ready`), symbols, references and words \
                     too (`full`), or those only where they were built before (`auto`)",
                ),
        )
        .arg(
            Arg::new("insist")
                .long("insist")
                .action(ArgAction::SetTrue)
                .help("Index a home folder or the whole file system, too"),
        )
        .arg(
            Arg::new("watch")
                .long("watch")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["rebuild", "wait", "clean"])
                .help("Stay, keep the index fresh, and tell searches what changed"),
        )
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .short('q')
                .action(ArgAction::SetTrue)
                .help("Print nothing but errors"),
        )
        .arg(
            Arg::new("clean")
                .long("clean")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["rebuild", "wait"])
                .help("Remove this tree's index, and those of trees that are gone"),
        )
}

/// The arguments that every command of the index takes.
pub(super) fn common_args() -> Vec<Arg> {
    let dir = Arg::new("dir")
        .value_name("DIR")
        .value_parser(value_parser!(std::path::PathBuf))
        .conflicts_with("root")
        .help("The tree, as with --root");
    std::iter::once(dir).chain(place_args()).collect()
}

/// The flags that say which tree and index are meant, and how to work.
pub(super) fn place_args() -> Vec<Arg> {
    let path = || value_parser!(std::path::PathBuf);
    vec![
        Arg::new("root")
            .long("root")
            .value_name("DIR")
            .value_parser(path())
            .global(true)
            .help("The tree: default the git work tree around the current directory, else that"),
        Arg::new("index-dir")
            .long("index-dir")
            .value_name("DIR")
            .value_parser(path())
            .global(true)
            .help("The folder of indexes: default CODEDB_INDEX_DIR, else the user's cache"),
        Arg::new("threads")
            .long("threads")
            .short('j')
            .value_name("N")
            .value_parser(value_parser!(usize))
            .global(true)
            .help("Threads to use: default one for each processor"),
        Arg::new("no-progress")
            .long("no-progress")
            .action(ArgAction::SetTrue)
            .global(true)
            .help("Show no progress bar"),
    ]
}

/// Returns what the common arguments ask for.
pub(super) fn asked(matches: &ArgMatches) -> Asked {
    // Tools have no `dir`.
    let path = |name: &str| matches.try_get_one::<std::path::PathBuf>(name).ok().flatten().cloned();
    Asked {
        root: path("root").or_else(|| path("dir")),
        index_dir: path("index-dir"),
        threads: matches.get_one::<usize>("threads").copied().filter(|&threads| threads > 0),
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let asked = asked(matches);
    let engine = place::engine(&asked)?;
    if matches.get_flag("clean") {
        return clean(&engine, &place::cache(&asked)?, matches.get_flag("quiet"));
    }
    let wanted = Wanted::of(matches)?;
    if let Some(reason) = place::too_wide(engine.root())
        && !matches.get_flag("insist")
    {
        return Err(Error::usage(format!("not indexed without insisting: {reason}"))
            .with_path(engine.root())
            .with_hint("go to a project's folder, name one with --root, or add --insist"));
    }
    if matches.get_flag("watch") {
        return watch(matches, &engine);
    }
    let anew = matches.get_flag("rebuild");
    let built = with_progress(matches, |progress| {
        attached(matches, &engine, progress, || {
            if anew { engine::build(&engine, progress) } else { engine::refresh(&engine, progress) }
        })
    })?;
    let code = match wanted.is_full(&engine) {
        true if wanted.wait == Some("ready") => {
            background::build_even_if_wide(&engine, Build::Full);
            None
        }
        true => Some(code(matches, &engine, anew)?),
        false => None,
    };
    store::evict(&place::cache(&asked)?.0, place::cache_bytes_max(), engine.store().dir());
    if !matches.get_flag("quiet") {
        tell(&engine, &built, code)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How much is to be built, and how much of it waited for.
#[derive(Clone, Copy, Debug)]
struct Wanted<'a> {
    stage: &'a str,
    wait: Option<&'a str>,
}

impl Wanted<'_> {
    /// # Errors
    ///
    /// [`Kind::Usage`] where what is waited for is not to be built.
    fn of(matches: &ArgMatches) -> Result<Wanted<'_>> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let wanted = Wanted { stage: text("stage").unwrap_or("full"), wait: text("wait") };
        match wanted {
            Wanted { stage: "ready", wait: Some("full") } => {
                Err(Error::usage("`--stage ready` never gets to what `--wait full` waits for")
                    .with_hint("leave out `--stage`, or wait with `--wait ready`"))
            }
            wanted => Ok(wanted),
        }
    }

    /// Returns true if symbols, references and words are to be built, too.
    fn is_full(self, engine: &Engine) -> bool {
        match self.stage {
            "ready" => false,
            "auto" => self.wait == Some("full") || engine::has_code(engine),
            _ => true,
        }
    }
}

/// Brings symbols, references and words up to date.
fn code(matches: &ArgMatches, engine: &Engine, anew: bool) -> Result<CodeBuilt> {
    with_progress(matches, |progress| {
        attached(matches, engine, progress, || engine::build_code(engine, anew, progress))
    })
}

/// Runs `build`. Where another process builds the index, shows that one's progress and then runs
/// `build` for what is left; fails at once with `--no-wait`.
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

/// Serves searches until the process is ended, unless another process does so already.
fn watch(matches: &ArgMatches, engine: &Engine) -> Result<ExitCode> {
    log_sink::install(None);
    let tell = |message: &str| {
        if !matches.get_flag("quiet") {
            report::print_message(format_args!("{}: {message}", engine.root().display()));
        }
    };
    if has_watcher(engine) {
        tell("already watched by another codedb; nothing is to be done");
        return Ok(ExitCode::SUCCESS);
    }
    // The server refreshes, too; this one shows how far it is.
    match with_progress(matches, |progress| engine::refresh(engine, progress)) {
        Err(error) if error.kind() != Kind::Busy => return Err(error),
        _ => tell("watching; Ctrl-C ends it, and searches then compare stamps again"),
    }
    match engine::serve(engine, &engine::Pace::default(), &engine::Stop::new()?) {
        Err(error) if error.kind() == Kind::Busy => {
            tell("already watched by another codedb; nothing is to be done");
            Ok(ExitCode::SUCCESS)
        }
        ended => ended.map(|()| ExitCode::SUCCESS),
    }
}

/// Returns true if a watcher is running for the tree of `engine`.
pub(super) fn has_watcher(engine: &Engine) -> bool {
    engine::sync(engine, Duration::from_millis(200)).is_some()
}

fn tell(engine: &Engine, built: &Built, code: Option<CodeBuilt>) -> Result<()> {
    let (files, bytes) = (built.files, HumanBytes(built.text_bytes));
    let root = engine.root().display();
    let text = match built.published {
        true => format!("{root}: {files} files, {bytes}, of which {} were read\n", built.read),
        false => format!("{root}: {files} files, {bytes}, nothing changed\n"),
    };
    print(&text)?;
    let Some(code) = code else { return Ok(()) };
    if code.published {
        print(&format!("{root}: {} files were parsed\n", code.read))?;
    }
    let history = &code.history;
    if let Some(problem) = &history.problem {
        report::print_message(format_args!("{root}: commits are not known: {problem}"));
    }
    match history.published {
        true => {
            print(&format!("{root}: {} commits, {} were read\n", history.commits, history.read))
        }
        false => Ok(()),
    }
}

/// Prints to standard output; a closed pipe ends quietly.
pub(super) fn print(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::new(Kind::Io, format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Runs a build while another thread shows how far it is.
fn with_progress<T: Send>(
    matches: &ArgMatches,
    work: impl FnOnce(&Progress) -> Result<T> + Send,
) -> Result<T> {
    let progress = Progress::default();
    let shows = !matches.get_flag("no-progress")
        && !matches.get_flag("quiet")
        && std::io::stderr().is_terminal();
    if !shows {
        return work(&progress);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let bar = scope.spawn(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = "{msg:10} [{bar:30}] {pos}/{len} {prefix}, {elapsed}";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style.progress_chars("=> "));
            }
            while !done.load(Ordering::Relaxed) {
                std::thread::park_timeout(TICK);
                let (files, total, bytes) = progress.counts();
                bar.set_length(total);
                bar.set_position(files);
                bar.set_prefix(match progress.stage() {
                    Stage::History => "commits".to_owned(),
                    _ => format!("files, {}", HumanBytes(bytes)),
                });
                bar.set_message(match progress.stage() {
                    Stage::Walking => "walking",
                    Stage::Reading => "reading",
                    Stage::Writing => "writing",
                    Stage::Parsing => "parsing",
                    Stage::Ranking => "ranking",
                    Stage::History => "history",
                    Stage::Waiting => "waiting",
                });
                bar.tick();
            }
            bar.finish_and_clear();
        });
        let result = work(&progress);
        done.store(true, Ordering::Relaxed);
        bar.thread().unpark();
        result
    })
}

/// Removes the tree's index, temporary files of the past, and indexes of trees that are gone.
fn clean(engine: &Engine, cache: &place::Cache, quiet: bool) -> Result<ExitCode> {
    let own = engine.store().dir();
    let mut freed_bytes = store::remove_rubbish(&cache.0);
    let mut removed = 0;
    let mut failed = false;
    for cached in store::cached(&cache.0) {
        let orphan = cached.root.as_deref().is_some_and(|root| !root.exists());
        let mine = cached.dir == own || cached.root.as_deref() == Some(engine.root());
        if !mine && !orphan {
            continue;
        }
        match store::remove(&cached.dir) {
            Ok(()) => {
                freed_bytes += cached.bytes;
                removed += 1;
            }
            Err(error) => {
                failed = true;
                report::print_error(&error);
            }
        }
    }
    if !quiet {
        print(&format!("{removed} indexes removed, {}\n", HumanBytes(freed_bytes)))?;
    }
    Ok(ExitCode::from(if failed { 2 } else { 0 }))
}
