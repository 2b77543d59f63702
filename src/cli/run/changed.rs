//! `codedb test`: selects the tests of the changes, runs them with the project's own runner, and records
//! the results.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use super::execute;
use crate::base::text::plain;
use crate::catalog::code::Code as _;
use crate::catalog::file_list::FileList;
use crate::cli::index::{build_all, place_args, print, tree_options};
use crate::cli::tool::{check, fresh_arg, now_ns};
use crate::cli::{place, report};
use crate::engine::{self, Check, Engine, Local, file_list};
use crate::error::{Error, Kind, Result};
use crate::tools::{self, Call};

const AFTER_HELP: &str = "\
Examples:
  codedb test                 the tests of the uncommitted changes
  codedb test --base main     the tests of the branch
  codedb test --watch         again after each change
  codedb test --dry-run       print the commands, run nothing
  codedb test -- -x           with arguments for the runner

Exit codes: that of the first runner that fails; 0 if all succeed, or if no test is affected; 2 error,\nalso if no command is known that runs the tests.";

/// The number of tests that are selected at most; the commands run test files where there are many.
const TESTS_MAX: usize = 1_000;

/// The tokens of the reply that is read; not printed.
const TOKENS_MAX: usize = 100_000;

/// The exit code if no command is known that runs the tests.
const NO_COMMAND: u8 = 2;

/// How often `--watch` compares the tree.
const LOOK_EVERY: Duration = Duration::from_millis(60);

pub(crate) fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("test")
        .about("Run the tests of your changes and record their results")
        .long_about(
            "Selects the tests that the changes affect (docs/tests.md), runs them with the project's own \
             runner, with its output, and records the results like `codedb run`. Where it is not known \
             what a change affects, as with a manifest, all tests run, and the reason is printed.",
        )
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("REF")
                .help("All changes since this commit (default: the uncommitted ones)"),
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

/// What is run, and what is told about it.
#[derive(Debug, Default)]
struct Selected {
    commands: Vec<String>,
    tests: u64,
    is_all: bool,
    message: Option<String>,
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
    let base = matches.get_one::<String>("base").map(String::as_str);
    let more: Vec<OsString> =
        matches.get_many("arguments").into_iter().flatten().cloned().collect();
    let timeout = matches.get_one("timeout").copied().map(Duration::from_secs);
    if !engine::has_code(&engine) {
        build_all(&engine, true)?;
    }
    let mut failed: Vec<String> = Vec::new();
    loop {
        let before = matches.get_flag("watch").then(|| file_list(&engine, check)).transpose()?;
        let mut selected = select(&engine, check, base)?;
        // What failed last comes first.
        selected.commands.sort_by_key(|command| !failed.contains(command));
        tell(&selected);
        let mut exit = ExitCode::SUCCESS;
        if matches.get_flag("dry-run") {
            if selected.commands.is_empty() && (selected.tests > 0 || selected.is_all) {
                exit = ExitCode::from(NO_COMMAND);
            }
            print(&selected.commands.iter().map(|line| format!("{line}\n")).collect::<String>())?;
            return Ok(exit);
        }
        failed.clear();
        for line in &selected.commands {
            let (directory, mut words) = words_of(line).ok_or_else(|| {
                Error::new(Kind::Usage, format!("the command cannot be run: {}", plain(line)))
            })?;
            words.extend(more.iter().cloned());
            report::print_message(format!("running {}", plain(line)));
            let directory = engine.root().join(directory);
            let code = execute(&engine, &cache, &words, &directory, Vec::new(), timeout)?;
            if code != ExitCode::SUCCESS {
                failed.push(line.clone());
                if exit == ExitCode::SUCCESS {
                    exit = code;
                }
            }
        }
        if selected.commands.is_empty() && (selected.tests > 0 || selected.is_all) {
            exit = ExitCode::from(NO_COMMAND);
        }
        let Some(before) = before else { return Ok(exit) };
        wait_for_change(&engine, check, &before)?;
    }
}

/// Waits until the files of the tree differ from `before`.
fn wait_for_change(engine: &Engine, check: Check, before: &FileList) -> Result<()> {
    report::print_message("waiting for a change; Ctrl-C ends");
    loop {
        std::thread::sleep(LOOK_EVERY);
        if !file_list(engine, check)?.is_same_as(before) {
            return Ok(());
        }
    }
}

/// Selects the tests of the changes since `base`, or of the uncommitted ones.
fn select(engine: &Engine, check: Check, base: Option<&str>) -> Result<Selected> {
    let code = Local::new(engine, check);
    if code.git().is_none() {
        return Err(Error::new(Kind::Usage, "the tree is not in a git repository")
            .with_hint("`codedb suggest-tests PATH` selects the tests of a file"));
    }
    let tool = tools::find("codedb_diff_impact").expect("a tool of the table");
    let mut args =
        json!({"working_tree": base.is_none(), "limit": TESTS_MAX, "max_tokens": TOKENS_MAX});
    if let Some(base) = base {
        args["ref"] = base.into();
    }
    let call = Call::new(&code, now_ns());
    let reply = tool.run(&call, args)?.json()?;
    let reply: Value = serde_json::from_str(&reply)
        .map_err(|error| Error::new(Kind::Io, format!("the selection: {error}")))?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Ok(Selected {
        commands: reply["commands"].as_array().into_iter().flatten().filter_map(text).collect(),
        tests: reply["total"].as_u64().unwrap_or_default(),
        is_all: reply["run_all"] == true,
        message: text(&reply["message"]),
    })
}

/// Tells what is selected, and why.
fn tell(selected: &Selected) {
    if let Some(message) = &selected.message {
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

/// Returns the directory and the words of a suggested command: words and texts in single quotes, perhaps
/// after `cd DIRECTORY &&`. `None` for anything else.
fn words_of(line: &str) -> Option<(PathBuf, Vec<OsString>)> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' | '`' | '\\' | ';' | '<' | '>' => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let mut directory = PathBuf::new();
    if words.first().is_some_and(|word| word == "cd")
        && words.get(2).is_some_and(|word| word == "&&")
    {
        directory = PathBuf::from(&words[1]);
        words.drain(..3);
    }
    let is_plain = !words.is_empty() && words.iter().all(|word| word != "&&");
    is_plain.then(|| (directory, words.into_iter().map(OsString::from).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_commands_are_split_into_words() {
        let check = |line: &str, expected: Option<(&str, &[&str])>| {
            let found = words_of(line);
            let expected = expected.map(|(directory, words)| {
                (PathBuf::from(directory), words.iter().map(OsString::from).collect::<Vec<_>>())
            });
            assert_eq!(found, expected, "{line}");
        };
        check("pytest a.py::b 'c d.py'", Some(("", &["pytest", "a.py::b", "c d.py"])));
        check("go test ./a -run '^(A|B)$'", Some(("", &["go", "test", "./a", "-run", "^(A|B)$"])));
        check("cd p/q && npx jest a.js", Some(("p/q", &["npx", "jest", "a.js"])));
        check("a && b", None);
        check("a 'b", None);
        check("a; b", None);
        check("", None);
    }
}
