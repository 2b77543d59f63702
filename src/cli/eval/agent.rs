//! `codedb eval agent`: what an agent needs for tasks with keys, with codedb and without.
//!
//! [`plan`] chooses the tasks and their trees; [`served`] and [`baseline`] are the tools of the two arms;
//! [`report`] prints. The conversations are those of [`crate::eval::agent`].

mod baseline;
mod plan;
mod report;
mod served;

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::json;

use self::baseline::Baseline;
use self::plan::{Group, Plan};
use self::report::Report;
use self::served::ServedTools;
use super::print_redacted;
use crate::base::interrupt::Interrupt;
use crate::base::text::{counted, plain};
use crate::cli::ctrl_c::CtrlC;
use crate::cli::index::{build_all, place_args, tree_options};
use crate::cli::report::print_message;
use crate::error::{Error, Kind, Result};
use crate::eval::agent::grade::ANSWER_CHARS_MAX;
use crate::eval::agent::run::{self, Cost, Limits, Outcome, Run, Toolbox};
use crate::eval::agent::summary::{Arm, Measured};
use crate::eval::agent::tasks::{self, Split, Task};
use crate::model::Provider;
use crate::source::{input_file, secret};

/// The maximum length of a file of tasks in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// The number of failures in a row after which nothing more is run.
const FAILURES_MAX: usize = 3;

/// The exit code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;

const EXAMPLES: &str = "Examples:
  codedb eval agent tasks.toml --root .     questions about one tree
  codedb eval agent tasks.toml --tree raft=../raft --split open --save runs.jsonl";

pub(super) fn command() -> Command {
    let number = |name: &'static str, max: u64| {
        Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64).range(1..=max))
    };
    Command::new("agent")
        .about("Measure what a model needs to answer tasks with keys, with codedb and without")
        .long_about(format!(
            "Asks the configured model (docs/model.md) each question twice: with the core tools of codedb, \
             as `codedb mcp` offers them, and with a baseline of three tools: search (ripgrep's), read \
             and a list of files. Reports calls, bytes of replies, tokens, time and right answers, and the \
             ratios over what both got right. What the tools return is sent to the model; trees are only \
             read.\n\nAn answer is right if it has at most {ANSWER_CHARS_MAX} characters, contains one \
             alternative of each fact of `must` and nothing of `must_not`, without case. Ctrl-C prints \
             what is finished. docs/agents.md describes the file of tasks."
        ))
        .before_help(EXAMPLES)
        .arg(
            Arg::new("tasks")
                .required(true)
                .value_name("TASKS.toml")
                .value_parser(value_parser!(PathBuf))
                .help("`[[task]]` with `id`, `question`, `must`; optional `tree`, `split`, `must_not`; a right answer has at most 4000 characters"),
        )
        .arg(
            Arg::new("tree")
                .long("tree")
                .value_name("NAME=DIR")
                .action(ArgAction::Append)
                .help("The directory of a tree that tasks name; others are skipped"),
        )
        .arg(
            Arg::new("split")
                .long("split")
                .value_name("SPLIT")
                .value_parser(["open", "held", "all"])
                .default_value("all")
                .hide_possible_values(true)
                .help("The tasks to run: open, held or all"),
        )
        .arg(
            Arg::new("task")
                .long("task")
                .value_name("ID")
                .action(ArgAction::Append)
                .help("Run only this task; may be repeated"),
        )
        .arg(
            Arg::new("arm")
                .long("arm")
                .value_name("TOOLS")
                .value_parser(["codedb", "baseline", "both"])
                .default_value("both")
                .hide_possible_values(true)
                .help("The tools to measure: codedb, baseline or both"),
        )
        .arg(number("max-calls", 1_000).default_value("30").help("Calls of tools per run"))
        .arg(
            number("max-tokens", 1_000_000_000)
                .default_value("1000000")
                .help("Tokens per run, sent and received"),
        )
        .arg(number("repeat", 1_000).default_value("1").help("Run each task N times"))
        .arg(
            Arg::new("save")
                .long("save")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write the conversations to FILE, one line of JSON per run"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(["text", "json"])
                .hide_short_help(true)
                .help("The format of the output (default: `text`)"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .conflicts_with("format")
                .help("Print one JSON object"),
        )
        .args(place_args())
}

/// Runs `codedb eval agent`.
///
/// # Errors
///
/// If no model is configured, the file of tasks or a tree cannot be used, or every run failed.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("tasks").expect("clap requires it");
    let tasks = tasks::of_file(&input_file::read_text(path, FILE_BYTES_MAX)?)
        .map_err(|error| error.with_path(path))?;
    let order: Vec<String> = tasks.iter().map(|task| task.id.clone()).collect();
    let provider = provider()?;
    let Plan { groups, skipped } = Plan::new(matches, tasks)?;
    let mut session = Session::new(matches, &provider, &groups)?;
    session.announce();
    if session.arms.contains(&Arm::Codedb) {
        for group in &groups {
            print_message(format_args!("indexing {}", group.engine.root().display()));
            build_all(&group.engine, !matches.get_flag("no-progress"))?;
        }
    }
    let why = session.run_all(&groups);
    let Session { mut runs, planned, .. } = session;
    let place = |run: &Measured| order.iter().position(|id| *id == run.task);
    runs.sort_by_key(|run| (place(run), run.repetition, run.arm));
    let report = Report {
        model: provider.model().to_owned(),
        host: provider.host().to_owned(),
        not_run: planned - runs.len(),
        not_run_because: why.map_or("", Ended::reason).to_owned(),
        skipped,
        runs,
    };
    let is_json = matches.get_flag("json")
        || matches.get_one::<String>("format").is_some_and(|format| format == "json");
    let text = if is_json { report.json() + "\n" } else { report.markdown() };
    print_redacted(text)?;
    if why == Some(Ended::Interrupted) {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let is_failed = |run: &Measured| matches!(run.outcome, Outcome::Failed { .. });
    if report.runs.iter().all(is_failed) {
        return Err(Error::new(Kind::Io, "every run failed, so nothing was measured"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the configured model.
fn provider() -> Result<Provider> {
    let get = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    Provider::from_environment(&get)?.ok_or_else(|| {
        Error::usage("no model is configured, and this command runs one").with_hint(
            "set CODEDB_MODEL_PROVIDER (`anthropic` or `openai`) and CODEDB_MODEL; docs/model.md \
             lists the variables",
        )
    })
}

/// Why not all runs finished.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Ended {
    /// The user pressed Ctrl-C.
    Interrupted,
    /// Run after run failed.
    Failing,
}

impl Ended {
    fn reason(self) -> &'static str {
        match self {
            Ended::Interrupted => "because of Ctrl-C",
            Ended::Failing => "because three runs in a row failed",
        }
    }
}

/// The runs of a command.
struct Session<'a> {
    provider: &'a Provider,
    matches: &'a ArgMatches,
    arms: Vec<Arm>,
    repetitions: usize,
    limits: Limits,
    /// The number of all runs.
    planned: usize,
    saved: Option<File>,
    runs: Vec<Measured>,
    /// The number of runs that failed since the last one that did not.
    failures: usize,
}

impl<'a> Session<'a> {
    fn new(
        matches: &'a ArgMatches,
        provider: &'a Provider,
        groups: &[Group],
    ) -> Result<Session<'a>> {
        let number = |name: &str| *matches.get_one::<u64>(name).expect("it has a default");
        let count = |name: &str| usize::try_from(number(name)).unwrap_or(usize::MAX);
        let arm = matches.get_one::<String>("arm").expect("it has a default");
        let arms: Vec<Arm> =
            Arm::ALL.into_iter().filter(|of| arm == "both" || arm == of.name()).collect();
        let repetitions = count("repeat");
        let tasks: usize = groups.iter().map(|group| group.tasks.len()).sum();
        let saved = matches.get_one::<PathBuf>("save");
        let saved = saved.map(|path| File::create(path).map_err(|error| Error::io(path, error)));
        Ok(Session {
            provider,
            matches,
            planned: tasks * repetitions * arms.len(),
            arms,
            repetitions,
            limits: Limits { calls_max: count("max-calls"), tokens_max: number("max-tokens") },
            saved: saved.transpose()?,
            runs: Vec::new(),
            failures: 0,
        })
    }

    /// Prints how much is run, and where texts of the trees are sent.
    fn announce(&self) {
        let (host, model) = (self.provider.host(), self.provider.model());
        let runs = counted(self.planned, "run");
        print_message(format_args!("{runs} with `{model}`; parts of the trees are sent to {host}"));
    }

    /// Runs everything; returns why not, if not.
    fn run_all(&mut self, groups: &[Group]) -> Option<Ended> {
        let ctrl_c = CtrlC::watch();
        let is_pressed = || ctrl_c.is_pressed();
        let interrupt = Interrupt::new(&is_pressed);
        groups.iter().find_map(|group| self.run_group(group, interrupt).err())
    }

    fn run_group(
        &mut self,
        group: &Group,
        interrupt: Interrupt<'_>,
    ) -> std::result::Result<(), Ended> {
        let mut arms: Vec<(Arm, Result<Box<dyn Toolbox>>)> = Vec::new();
        for arm in self.arms.clone() {
            arms.push((arm, self.toolbox(arm, group, interrupt)));
        }
        for task in &group.tasks {
            for repetition in 1..=self.repetitions {
                for (arm, toolbox) in &mut arms {
                    let run = match toolbox {
                        Ok(toolbox) => {
                            let toolbox = &mut **toolbox;
                            run::run(self.provider, task, toolbox, self.limits, interrupt)
                        }
                        Err(_) if interrupt.is_due() => None,
                        Err(error) => Some(not_started(error)),
                    };
                    let run = run.ok_or(Ended::Interrupted)?;
                    self.add(task, *arm, repetition, run);
                    if self.failures >= FAILURES_MAX && self.runs.len() < self.planned {
                        return Err(Ended::Failing);
                    }
                }
            }
        }
        Ok(())
    }

    fn toolbox(
        &self,
        arm: Arm,
        group: &Group,
        interrupt: Interrupt<'_>,
    ) -> Result<Box<dyn Toolbox>> {
        let root = group.engine.root();
        Ok(match arm {
            Arm::Baseline => Box::new(Baseline::new(root)),
            Arm::Codedb => {
                Box::new(ServedTools::start(root, &tree_options(self.matches), interrupt)?)
            }
        })
    }

    /// Records a run.
    fn add(&mut self, task: &Task, arm: Arm, repetition: usize, run: Run) {
        let Run { outcome, cost, turns } = run;
        let is_failed = matches!(outcome, Outcome::Failed { .. });
        self.failures = if is_failed { self.failures + 1 } else { 0 };
        let outcome = match (task.split, outcome) {
            // Whoever tunes tools must not see the keys of held tasks.
            (Split::Held, Outcome::Wrong { faults }) => {
                let faults =
                    format!("{} by the key of a held task", counted(faults.len(), "fault"));
                Outcome::Wrong { faults: vec![faults] }
            }
            (_, outcome) => outcome,
        };
        let measured = Measured { task: task.id.clone(), arm, repetition, outcome, cost };
        if let Some(file) = &mut self.saved {
            let line = json!({
                "run": measured,
                "tree": task.tree,
                "question": run::question(task, self.limits),
                "turns": turns,
            });
            let line = secret::redacted(format!("{line}\n"));
            if let Err(error) = file.write_all(line.as_bytes()) {
                print_message(format_args!("conversations are not saved any more: {error}"));
                self.saved = None;
            }
        }
        self.runs.push(measured);
        let measured = &self.runs[self.runs.len() - 1];
        print_message(format_args!(
            "{} of {}: {}, {}: {}, {}, {:.1} s",
            self.runs.len(),
            self.planned,
            plain(&task.id),
            arm.name(),
            measured.outcome.name(),
            counted(cost.calls, "call"),
            cost.elapsed_ms as f64 / 1000.0,
        ));
    }
}

/// Returns the run of an arm whose tools could not be started.
fn not_started(error: &Error) -> Run {
    let outcome = Outcome::Failed { why: format!("the tools cannot be started: {error}") };
    Run { outcome, cost: Cost::default(), turns: Vec::new() }
}
