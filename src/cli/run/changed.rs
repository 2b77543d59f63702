//! `codedb test`: selects the tests of the changes, runs them with the project's own runner, and records
//! the results.

mod selected;
mod shard;
mod words;

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{Executed, Options, child, execute, recover};
use crate::base::text::plain;
use crate::catalog::file_list::FileList;
use crate::cli::index::{build_all, place_args, print, tree_options};
use crate::cli::tool::{check, fresh_arg};
use crate::cli::typed_path::TypedPaths;
use crate::cli::{place, report};
use crate::engine::{self, Check, Engine, file_list};
use crate::error::{Error, Kind, Result};
use crate::testmap::recorded::key_of_id;
use crate::userdata::runs::Outcome;
use selected::{Scope, Selected, select};
use shard::Shard;
use words::{Words, words_of};

const AFTER_HELP: &str = "\
Exit codes: that of the first runner that fails; 0 if all succeed, or if no test is affected; 2 error,\nalso if no command is known that runs the tests, or if one ran no test.";

/// The exit code if no command is known that runs the tests, or if one selects no test.
const NO_TEST: u8 = 2;

/// The maximum number of characters of a command that are shown when it starts.
const SHOWN_MAX: usize = 200;

/// How often `--watch` compares the tree at most.
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub(crate) fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("test")
        .about("Run the tests of your changes and record their results")
        .long_about(
            "Selects the tests that the changes affect (docs/tests.md), runs them with the project's own \
             runner, with its output, and records the results like `codedb run`. Where it is not known \
             what a change affects, as with a manifest, all tests run, and the reason is printed. \
             Projects in different directories run at once.",
        )
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("files")
                .value_name("PATH")
                .num_args(0..)
                .conflicts_with_all(["base", "staged"])
                .value_hint(clap::ValueHint::AnyPath)
                .help("The tests of these files and folders, changed or not"),
        )
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("REF")
                .help("All changes since this commit (default: the uncommitted ones)"),
        )
        .arg(
            flag("staged", "Only files with changes in git's index")
                .conflicts_with_all(["base", "watch"]),
        )
        .arg(
            Arg::new("shard")
                .long("shard")
                .value_name("K/N")
                .value_parser(|text: &str| text.parse::<Shard>())
                .conflicts_with("watch")
                .help("The K-th of N parts of about the same recorded duration"),
        )
        .arg(flag("watch", "Run again after each change of the tree, until Ctrl-C"))
        .arg(flag("dry-run", "Print the commands; run nothing").conflicts_with("watch"))
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..))
                .help("End each runner after this time"),
        )
        .arg(fresh_arg())
        .args(place_args())
        .arg(
            Arg::new("arguments")
                .value_name("ARGS")
                .num_args(0..)
                .last(true)
                .value_parser(value_parser!(OsString))
                .help("Arguments for each runner, after `--`"),
        )
}

/// Runs the command.
///
/// # Errors
///
/// Without a repository, for an unknown commit, and if a runner cannot be started.
pub(crate) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let options = tree_options(matches);
    let engine = place::engine(&options)?;
    let cache = place::cache(&options)?.0;
    let check = check(matches);
    let typed_paths = TypedPaths::new(engine.root(), options.root.is_some());
    let files: Vec<String> = matches
        .get_many::<String>("files")
        .into_iter()
        .flatten()
        .map(|path| typed_paths.resolve(path))
        .collect();
    let scope = Scope {
        files: &files,
        base: matches.get_one::<String>("base").map(String::as_str),
        staged: matches.get_flag("staged"),
        shard: matches.get_one::<Shard>("shard").copied(),
    };
    let more: Vec<OsString> =
        matches.get_many("arguments").into_iter().flatten().cloned().collect();
    let timeout = matches.get_one("timeout").copied().map(Duration::from_secs);
    if !engine::has_code(&engine) {
        build_all(&engine, true)?;
    }
    recover::recover(&engine, &cache);
    let mut failed: HashSet<String> = HashSet::new();
    loop {
        let before = matches.get_flag("watch").then(|| file_list(&engine, check)).transpose()?;
        let selected = select(&engine, check, scope, &failed)?;
        describe(&selected);
        let is_unknown = selected.commands.is_empty() && (selected.tests > 0 || selected.is_all);
        if matches.get_flag("dry-run") {
            print(&selected.commands.iter().map(|line| format!("{line}\n")).collect::<String>())?;
            return Ok(if is_unknown { ExitCode::from(NO_TEST) } else { ExitCode::SUCCESS });
        }
        let run = Run { engine: &engine, cache: &cache, more: &more, timeout };
        let done = run.all(&selected.commands)?;
        failed = done.failed;
        let exit = match done.exit {
            Some(exit) => exit,
            None if is_unknown => ExitCode::from(NO_TEST),
            None => ExitCode::SUCCESS,
        };
        let Some(before) = before.filter(|_| !child::is_interrupted()) else { return Ok(exit) };
        wait_for_change(&engine, check, &before)?;
    }
}

/// How commands are run.
#[derive(Clone, Copy)]
struct Run<'a> {
    engine: &'a Engine,
    cache: &'a Path,
    more: &'a [OsString],
    timeout: Option<Duration>,
}

/// What commands did.
#[derive(Debug, Default)]
struct Done {
    /// The exit code of the first command that failed.
    exit: Option<ExitCode>,
    /// The keys of the tests that failed.
    failed: HashSet<String>,
}

impl Run<'_> {
    /// Runs commands, those of different directories at once.
    fn all(self, commands: &[String]) -> Result<Done> {
        let mut by_directory: BTreeMap<PathBuf, Vec<(&String, Vec<Words>)>> = BTreeMap::new();
        let mut order: Vec<PathBuf> = Vec::new();
        for line in commands {
            let words = words_of(line).ok_or_else(|| {
                Error::new(Kind::Usage, format!("the command cannot be run: {}", plain(line)))
            })?;
            let directory = words.first().map(|(directory, _)| directory.clone());
            let directory = directory.unwrap_or_default();
            if !order.contains(&directory) {
                order.push(directory.clone());
            }
            by_directory.entry(directory).or_default().push((line, words));
        }
        let several = order.len() > 1;
        let one = |directory: &PathBuf| {
            let name = match directory.display().to_string() {
                name if name.is_empty() => ".".to_owned(),
                name => name,
            };
            self.in_directory(&by_directory[directory], several.then_some(name))
        };
        let done: Vec<Result<Done>> = if several {
            std::thread::scope(|scope| {
                let threads: Vec<_> =
                    order.iter().map(|directory| scope.spawn(|| one(directory))).collect();
                let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Done>>| {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                threads.into_iter().map(join).collect()
            })
        } else {
            order.iter().map(one).collect()
        };
        let mut all = Done::default();
        for done in done {
            let done = done?;
            all.exit = all.exit.or(done.exit);
            all.failed.extend(done.failed);
        }
        Ok(all)
    }

    /// Runs commands one after the other. With a label, each line of output begins with it.
    fn in_directory(
        self,
        commands: &[(&String, Vec<Words>)],
        label: Option<String>,
    ) -> Result<Done> {
        let options =
            Options { timeout: self.timeout, failures: true, label, ..Options::default() };
        let mut done = Done::default();
        for (line, steps) in commands {
            report::print_message(format!("running {}", shortened(&plain(line))));
            for (at, (directory, words)) in steps.iter().enumerate() {
                let is_last = at + 1 == steps.len();
                let mut words = words.clone();
                if is_last {
                    words.extend(self.more.iter().cloned());
                }
                let directory = self.engine.root().join(directory);
                without_npx(&mut words, &directory, self.engine.root());
                let executed = execute(self.engine, self.cache, &words, &directory, &options)?;
                if child::is_interrupted() {
                    done.exit = Some(done.exit.unwrap_or(executed.exit.code()));
                    return Ok(done);
                }
                if is_last {
                    done.note(line, &executed);
                } else if !executed.exit.is_success() {
                    done.exit = Some(done.exit.unwrap_or(executed.exit.code()));
                    break;
                }
            }
        }
        Ok(done)
    }
}

impl Done {
    /// Adds the outcome of a command that was to run tests.
    fn note(&mut self, line: &str, executed: &Executed) {
        let mut exit = (!executed.exit.is_success()).then(|| executed.exit.code());
        if let Some(recorded) = &executed.recorded {
            let is_failure = |outcome: Outcome| matches!(outcome, Outcome::Failed | Outcome::Error);
            let failed = recorded.results.iter().filter(|of| is_failure(of.outcome));
            self.failed.extend(failed.map(|of| key_of_id(&of.test)));
            // Runners of JavaScript report tests that a pattern excludes as skipped.
            let by_pattern = ["-t '", "-g '", "-name-pattern="];
            let is_pattern = by_pattern.iter().any(|option| line.contains(option));
            let is_run = |outcome: Outcome| !is_pattern || outcome != Outcome::Skipped;
            let has_run = recorded.results.iter().any(|of| is_run(of.outcome));
            if recorded.is_reported && !has_run && recorded.problems.is_empty() {
                report::print_message(format!("selected nothing: {} ran no test", plain(line)));
                exit = Some(ExitCode::from(NO_TEST));
            } else if !recorded.is_reported && exit.is_none() {
                report::print_message("whether a test ran is not known: the runner reports none");
            }
        }
        self.exit = self.exit.or(exit);
    }
}

/// Returns a command as it is shown: of a long one, the beginning.
fn shortened(line: &str) -> String {
    if line.chars().count() <= SHOWN_MAX {
        return line.to_owned();
    }
    let cut: String = line.chars().take(SHOWN_MAX).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{whole} … (`codedb test --dry-run` prints all of it)")
}

/// Replaces `npx PROGRAM` by the program itself, if it is installed in the tree: npx takes longer to start
/// than many tests.
fn without_npx(words: &mut Vec<OsString>, directory: &Path, root: &Path) {
    let [npx, program, ..] = &words[..] else { return };
    if npx != "npx" {
        return;
    }
    let above = directory.ancestors().take_while(|above| above.starts_with(root));
    let installed = |above: &Path| above.join("node_modules/.bin").join(program);
    if let Some(path) = above.map(installed).find(|path| path.is_file()) {
        words.splice(..2, [path.into_os_string()]);
    }
}

/// Waits until the files of the tree differ from `before`.
fn wait_for_change(engine: &Engine, check: Check, before: &FileList) -> Result<()> {
    report::print_message("waiting for a change; Ctrl-C ends");
    let mut pause = LOOK_EVERY;
    loop {
        std::thread::sleep(pause);
        let started = Instant::now();
        if !file_list(engine, check)?.is_same_as(before) {
            return Ok(());
        }
        // At most half of the time of one processor.
        pause = LOOK_EVERY.max(started.elapsed());
    }
}

/// Prints what is selected, and why.
fn describe(selected: &Selected) {
    for message in &selected.messages {
        report::print_message(plain(message));
    }
    if selected.commands.is_empty() {
        let what = if selected.tests > 0 || selected.is_all {
            "no command is known that runs the tests; `codedb suggest-tests` lists them"
        } else {
            "no test to run"
        };
        report::print_message(what);
    } else if !selected.is_all {
        let tests = if selected.tests == 1 { "test" } else { "tests" };
        report::print_message(format!("{} {tests} selected", selected.tests));
    }
}
