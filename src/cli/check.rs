//! `codedb check`: the risk of a change, for people, hooks and CI; `import-incidents` reads exports of
//! issue trackers, `feedback` rates verdicts of clients.

mod feedback;
mod formats;
mod import;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

use super::display::{self, Display};
use super::index::{build_all, place_args, print, tree_options};
use super::recording_code::RecordingCode;
use super::screen::{self, Screen};
use super::tool::{check as freshness, edge_args, now_ns};
use super::typed_path::TypedPaths;
use super::{place, report, trusted};
use crate::answer::style::Style as _;
use crate::check::investigate::model::{self, ModelDriver};
use crate::check::investigate::{Driver, State};
use crate::check::verdict::{Level, Verdict};
use crate::engine::{self, Engine};
use crate::error::{Error, Kind, Result};
use crate::model::Provider;
use crate::tools::{self, Answer, Call};

const AFTER_HELP: &str = "\
Exit codes: 0 assessed, 1 the level reaches `--fail-on`, 2 error or unknown.";

/// The exit code if the level reaches `--fail-on`.
const BLOCKED: u8 = 1;

/// The exit code if nothing was assessed.
const UNKNOWN: u8 = 2;

/// What a check found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Outcome {
    Assessed(Level),
    /// Nothing differs.
    Unchanged,
    /// Git failed, or nothing was assessed, which is no sign of safety: the level that counts.
    Unknown(Level),
}

impl Outcome {
    /// Returns the exit code. A hook is not to block every commit of a tree that cannot be assessed.
    fn code(self, fail_on: Option<Level>, is_hook: bool) -> u8 {
        let reaches = |level: Level| fail_on.is_some_and(|bound| level >= bound);
        match self {
            Outcome::Assessed(level) | Outcome::Unknown(level) if reaches(level) => BLOCKED,
            Outcome::Unknown(_) if !is_hook => UNKNOWN,
            _ => 0,
        }
    }
}

pub(super) fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let levels = Level::ALL.map(|level| PossibleValue::new(level.name()));
    Command::new("check")
        .about("Assess the risk of a change: level, reasons, tests to run, reviewers")
        .long_about(
            "Assesses the risk of uncommitted changes before they are pushed: from their size, the \
             history of the files under all of their names, the files that import them or change \
             with them, their tests and their incidents. Evidence that is missing is listed as \
             `unknown`. Nothing leaves the machine except with `--driver model`. docs/check.md \
             describes every component.",
        )
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("files")
                .value_name("FILES")
                .num_args(0..)
                .help("Only these files, changed or not"),
        )
        .arg(flag("staged", "What is staged, instead of all uncommitted changes"))
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("REF")
                .conflicts_with("staged")
                .help("All changes since the branch left this commit"),
        )
        .arg(flag("verbose", "Also print what was examined and did not count").short('v'))
        .arg(flag("explain", "Also print the numbered steps of the investigation, with results"))
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["text", screen::FORMAT, "json", "sarif", "github"])
                .help(
                    "The format of the output (default: `screen` on a terminal, else `text`); \
                     `github` prints annotations of a workflow",
                ),
        )
        .arg(flag("json", "The same as `--format json`").conflicts_with("format"))
        .arg(
            flag("sarif", "The same as `--format sarif`")
                .conflicts_with_all(["format", "json"])
                .hide_short_help(true),
        )
        .arg(
            Arg::new("driver")
                .long("driver")
                .value_name("NAME")
                .value_parser(["rules", "model"])
                .default_value("rules")
                .help(
                    "What investigates: fixed rules, or the model that the environment configures \
                     (docs/model.md), to which the changed lines are sent",
                ),
        )
        .arg(flag("dry-run", "Print what a model would be sent first; send nothing"))
        .arg(flag(
            "pre-commit",
            "Assess what is staged, for a hook: exit with 1 if the level reaches `--fail-on`",
        ))
        .arg(
            Arg::new("fail-on")
                .long("fail-on")
                .value_name("LEVEL")
                .ignore_case(true)
                .value_parser(levels)
                .help("Exit with 1 from this level on (default with `--pre-commit`: HIGH)"),
        )
        .args(display::args())
        .args(screen::args())
        .args(edge_args())
        .args(place_args())
        .subcommand(import::command())
        .subcommand(feedback::command())
}

/// Runs the command.
///
/// # Errors
///
/// Unknown files and commits, invalid settings, a tree that cannot be read. With `--pre-commit`, they
/// give the emergency verdict instead, unless git failed.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    if let Some(("import-incidents", matches)) = matches.subcommand() {
        return import::run(matches);
    }
    if let Some(("feedback", matches)) = matches.subcommand() {
        return feedback::run(matches);
    }
    let is_hook = matches.get_flag("pre-commit");
    let fail_on = matches.get_one::<String>("fail-on").and_then(|name| Level::parse(name));
    let fail_on = fail_on.or(is_hook.then_some(Level::High));
    match assess(matches, is_hook, fail_on.is_some()) {
        Ok(outcome) => {
            let code = outcome.code(fail_on, is_hook);
            if is_hook && code == BLOCKED {
                let at = match outcome {
                    Outcome::Assessed(level) | Outcome::Unknown(level) => {
                        format!(" at level {}", level.name())
                    }
                    Outcome::Unchanged => String::new(),
                };
                report::print_message(format_args!(
                    "the commit is blocked{at}; `git commit --no-verify` skips the check"
                ));
            }
            Ok(ExitCode::from(code))
        }
        Err(error) if is_hook && !error.is_of_git() => {
            // A hook that fails must neither be silent nor block every commit.
            report::print_error(&error);
            let verdict = Verdict::emergency("the check failed");
            report::print_message(format_args!(
                "{}  confidence {:.2}: {}",
                verdict.level.name(),
                verdict.confidence,
                verdict.reasons.join("; ")
            ));
            Ok(ExitCode::from(Outcome::Assessed(verdict.level).code(fail_on, is_hook)))
        }
        Err(error) => Err(error),
    }
}

/// Builds the index if the commits have never been indexed, as in a fresh clone: without them nearly
/// all evidence would be missing. Where that fails, the check lists what it lacks.
pub(super) fn index_commits(engine: &Engine, matches: &ArgMatches) {
    let status = engine::history_status(engine);
    let is_missing = status.has_repository && !status.exists && status.unusable.is_none();
    if !is_missing || matches.get_flag("no-background") || place::too_wide(engine.root()).is_some()
    {
        return;
    }
    report::print_message(format_args!("indexing {} first, once", engine.root().display()));
    if let Err(error) = build_all(engine, !matches.get_flag("no-progress")) {
        report::print_error(&error);
    }
}

/// Runs the check, prints its reply, and returns what it found. With `has_bound`, the exit code depends on
/// the level.
fn assess(matches: &ArgMatches, is_hook: bool, has_bound: bool) -> Result<Outcome> {
    let options = tree_options(matches);
    let mut engine = place::engine(&options)?;
    // `git commit` has an index of its own while its hooks run.
    if let Some(index) = std::env::var_os("GIT_INDEX_FILE").filter(|_| is_hook) {
        let index = std::path::absolute(PathBuf::from(&index))
            .map_err(|error| Error::io(std::path::Path::new(&index), error))?;
        engine = engine.with_git_index(index);
    }
    index_commits(&engine, matches);
    let fresh = freshness(matches);
    let now_ns = now_ns();
    let typed_paths = TypedPaths::new(engine.root(), options.root.is_some());
    let display = Display::new(engine.root(), matches);
    let args = arguments(matches, &typed_paths, is_hook);
    let driver = matches.get_one::<String>("driver").map(String::as_str);
    let is_model = driver == Some("model");
    let is_dry = matches.get_flag("dry-run");
    let provider = if is_model { provider()? } else { None };
    if is_model && !is_dry && provider.is_none() {
        report::print_message(
            "no model is configured, so the rules decide; CODEDB_MODEL_PROVIDER and CODEDB_MODEL \
             choose one (docs/model.md)",
        );
    }
    let tool = tools::TOOLS.iter().find(|tool| tool.name == "codedb_check");
    let tool = tool.ok_or_else(|| Error::new(Kind::NotFound, "the tool `check` is missing"))?;
    let answer =
        RecordingCode::new(&engine, fresh).run(matches.get_flag("no-background"), |code| {
            let call = Call::new(code, now_ns);
            if is_dry {
                let states = tools::check::investigated(&call, args.clone())?;
                return Ok(Err(states));
            }
            match &provider {
                Some(provider) => {
                    let new_driver =
                        || -> Box<dyn Driver + '_> { Box::new(ModelDriver::new(provider)) };
                    let reply = tools::check::driven(&call, args.clone(), &new_driver)?;
                    Ok(Ok(tools::rendered(&call, Box::new(reply))))
                }
                None => tool.run(&call, args.clone()).map(Ok),
            }
        });
    let answer =
        answer.map_err(|error| error.map_paths(|path| display.relative(path).into_owned()))?;
    let answer = match answer {
        Ok(answer) => answer,
        Err(states) => {
            print(&previewed(&states, provider.as_ref()))?;
            return Ok(Outcome::Unchanged);
        }
    };
    trusted::warn(&engine, fresh);
    let json = answer.json()?;
    let value: Value = serde_json::from_str(&json)
        .map_err(|error| Error::new(Kind::Io, format!("the reply is not JSON: {error}")))?;
    let is_page = screen::is_chosen(matches) && !matches.get_flag("sarif");
    let page = if is_page { super::tool::page(tool, answer.as_ref()) } else { None };
    match page {
        Some(page) => {
            let screen = Screen::new(matches, now_ns);
            let screen = if has_bound { screen.without_pager() } else { screen };
            screen.print(&page, &display)?;
        }
        None => {
            for notice in answer.notices() {
                report::print_message(notice);
            }
            print(&printed(matches, answer.as_ref(), &value, &json, &display))?;
        }
    }
    let level = value["level"].as_str().and_then(Level::parse);
    if level.is_none() && value["status"] == "git_error" {
        return Err(
            Error::new(Kind::Io, "nothing was assessed, because git failed").with_code("git_error")
        );
    }
    Ok(match (level, value["status"].as_str()) {
        (Some(level), Some("git_error")) => Outcome::Unknown(level),
        (Some(level), _) => Outcome::Assessed(level),
        (None, Some("no_changes")) => Outcome::Unchanged,
        (None, _) => Outcome::Unknown(Verdict::emergency("").level),
    })
}

/// Returns the provider that the environment configures, if any.
fn provider() -> Result<Option<Provider>> {
    Provider::from_environment(&|name| std::env::var(name).ok().filter(|it| !it.is_empty()))
}

/// Returns the first requests of investigations as JSON, one on each line.
fn previewed(states: &[State], provider: Option<&Provider>) -> String {
    let mut out = String::new();
    for state in states {
        let request = match provider {
            Some(provider) => ModelDriver::first_request(provider, state),
            None => model::preview(state),
        };
        out.push_str(&format!("{request}\n"));
    }
    if states.is_empty() {
        report::print_message("no file would be investigated: nothing would be sent");
    }
    out
}

fn printed(
    matches: &ArgMatches,
    answer: &dyn Answer,
    value: &Value,
    json: &str,
    display: &Display,
) -> String {
    let format = matches.get_one::<String>("format").map_or("text", String::as_str);
    match format {
        _ if matches.get_flag("json") => format!("{json}\n"),
        _ if matches.get_flag("sarif") => formats::sarif(value),
        "json" => format!("{json}\n"),
        "sarif" => formats::sarif(value),
        "github" => formats::github(value),
        _ => display.for_output(answer.styled(display)),
    }
}

/// Returns the arguments of the tool.
fn arguments(matches: &ArgMatches, typed_paths: &TypedPaths<'_>, is_hook: bool) -> Value {
    let mut args = Map::new();
    let files: Vec<Value> = matches
        .get_many::<String>("files")
        .into_iter()
        .flatten()
        .map(|path| Value::String(typed_paths.resolve(path)))
        .collect();
    if !files.is_empty() {
        args.insert("files".to_owned(), Value::Array(files));
    }
    let is_staged = matches.get_flag("staged") || is_hook;
    if let Some(base) = matches.get_one::<String>("base") {
        args.insert("base".to_owned(), base.clone().into());
    } else if is_staged {
        args.insert("staged".to_owned(), true.into());
    }
    for name in ["verbose", "explain"] {
        if matches.get_flag(name) {
            args.insert(name.to_owned(), true.into());
        }
    }
    // Only models have a budget of tokens.
    args.insert("max_tokens".to_owned(), 1_000_000.into());
    Value::Object(args)
}
