//! `codedb decisions ingest`: signals from code and commits, then proposals: without a model, by a
//! configured one, or by the model of the caller.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

use super::{now, print_json, print_safe};
use crate::base::text;
use crate::base::time;
use crate::catalog::code::Code;
use crate::cli::index::{build_all, print};
use crate::cli::recording_code::RecordingCode;
use crate::cli::report;
use crate::cli::tool::{check, now_ms, now_ns};
use crate::decisions::cited::with_fingerprints;
use crate::decisions::extract::{Answered, Batch, FILES, Prompts};
use crate::decisions::settings::{self, Provider as Wanted, Source};
use crate::decisions::signals::{self, Collected, Options, Signal};
use crate::engine::{self, Engine};
use crate::error::{Error, Kind, Result};
use crate::model::{Conversation, Input, Provider, Stop, Usage};
use crate::source::secret;
use crate::userdata::Database;
use crate::userdata::decisions::{Origin, Proposal, SourceRef, Submitted};

/// The maximum size of a prompt in bytes.
const PROMPT_BYTES_MAX: u64 = 64 << 10;

/// The most signals of one request.
const SIGNALS_MAX: usize = 60;

pub(super) fn command() -> Command {
    let names = Wanted::ALL.iter().map(|it| it.name());
    Command::new("ingest")
        .about("Propose decisions from documents, settings, code and commits")
        .long_about(
            "Collects what people wrote (contribution guides, records of decisions, bans of linters, \
             settings, checks of CI) and what recurs in code and commits, with references, and turns \
             it into candidates. With `--provider none`, signals that \
             explain themselves become candidates and nothing leaves the machine. `anthropic` and \
             `openai` send the signals to the service of docs/model.md, scope by scope; what is \
             finished is not sent again. `client` prints the prompts, for an agent whose own model \
             answers through `codedb_submit_candidate_decision`. The default is the service that \
             CODEDB_MODEL_PROVIDER names, else `anthropic` for a model and its key, else `none`. \
             Flags precede the variables \
             CODEDB_DECISIONS_MAX_COMMITS, _SINCE, _PROVIDER and _PROMPTS, these precede the table \
             `[decisions]` of codedb.toml.",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("The repository (default: that of the current directory)"),
        )
        .arg(
            Arg::new("max-commits")
                .long("max-commits")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .help("The most commits that are read, newest first (default 500)"),
        )
        .arg(
            Arg::new("since")
                .long("since")
                .value_name("DATE")
                .help("Only commits since then: 2026-01-31, or an age such as 90d"),
        )
        .arg(
            Arg::new("provider")
                .long("provider")
                .value_name("NAME")
                .value_parser(PossibleValuesParser::new(names))
                .help("What extracts decisions from the signals"),
        )
        .arg(
            Arg::new("model")
                .long("model")
                .value_name("NAME")
                .help("The model; alone, it chooses `anthropic` if ANTHROPIC_API_KEY is set"),
        )
        .arg(
            Arg::new("prompts")
                .long("prompts")
                .value_name("DIR")
                .help("A directory with prompts to use: system.txt and signals.txt"),
        )
        .arg(
            Arg::new("write-prompts")
                .long("write-prompts")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Write the default prompts there, to edit them, and do nothing else"),
        )
        .arg(
            Arg::new("price")
                .long("price")
                .value_name("IN,OUT")
                .help("Prices of a million tokens sent and received, to report the cost"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Show the signals and candidates; store and send nothing"),
        )
}

/// Shows a step on the terminal.
struct Progress(Option<Mutex<ProgressBar>>);

impl Progress {
    fn new(is_shown: bool) -> Progress {
        let is_shown = is_shown && std::io::stderr().is_terminal();
        Progress(is_shown.then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(200));
            Mutex::new(bar)
        }))
    }

    fn show(&self, step: &str, done: usize, total: usize) {
        if let Some(bar) = &self.0
            && let Ok(bar) = bar.lock()
        {
            bar.set_message(step.to_owned());
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0
            && let Ok(bar) = bar.lock()
        {
            bar.finish_and_clear();
        }
    }
}

/// Runs the command.
///
/// # Errors
///
/// Settings that are not valid, a tree or database that cannot be read; a model that is not
/// configured.
pub(super) fn run(engine: &Engine, matches: &ArgMatches, is_json: bool) -> Result<ExitCode> {
    if let Some(dir) = matches.get_one::<PathBuf>("write-prompts") {
        return write_prompts(dir);
    }
    let shows_progress = !matches.get_flag("no-progress") && !is_json;
    let settings = settings(engine, matches)?;
    let since_s = match &settings.since {
        Some(text) => {
            Some(time::parse(text, now_ns()).map(|ns| ns / 1_000_000_000).ok_or_else(|| {
                let text = text::plain(text::start(text, 40));
                Error::usage(format!(
                    "`{text}` is not a date such as 2026-01-31, or an age such as 90d"
                ))
            })?)
        }
        None => None,
    };
    let commits_max = settings.max_commits.unwrap_or(settings::COMMITS);
    let options = Options { commits_max, since_s };
    let prices = matches.get_one::<String>("price").map(|text| prices(text)).transpose()?;
    let asked = matches.get_one::<String>("model").map(String::as_str);
    let service = service(settings.provider, asked, settings.model.as_deref())?;
    let prompts =
        settings.prompts.as_deref().map(|dir| read_prompts(Path::new(dir))).transpose()?;
    let prompts = prompts.unwrap_or_default();
    index(engine, shows_progress)?;
    RecordingCode::new(engine, check(matches)).run(matches.get_flag("no-background"), |code| {
        let progress = Progress::new(shows_progress);
        let history = code.history()?;
        let collected = signals::collect(
            code,
            history.as_deref(),
            code.git(),
            &options,
            &|step, done, total| progress.show(step, done, total),
        )?;
        drop(progress);
        let is_dry = matches.get_flag("dry-run");
        match &service {
            Service::None => without_model(code, &collected, is_dry, is_json),
            Service::Client => {
                let batches = batches(&collected.signals);
                let messages: Vec<String> = batches
                    .iter()
                    .map(|it| format!("{}\n{}", prompts.system, it.message(&prompts)))
                    .collect();
                print(&secret::redacted(messages.join("\n---\n")))?;
                report_rest(&collected);
                report::print_message(
                    "answer each prompt, and submit the decisions with \
                     `codedb_submit_candidate_decision`",
                );
                Ok(ExitCode::SUCCESS)
            }
            Service::Model(provider) => {
                with_model(code, provider, &prompts, &collected, prices, is_dry)
            }
        }
    })
}

/// Builds the index if the commits or the code have never been indexed: signals need both.
fn index(engine: &Engine, shows_progress: bool) -> Result<()> {
    let status = engine::history_status(engine);
    let is_missing = status.has_repository && !status.exists && status.unusable.is_none();
    if is_missing {
        report::print_message(format_args!("indexing {} first, once", engine.root().display()));
        build_all(engine, shows_progress)?;
    }
    Ok(())
}

fn settings(engine: &Engine, matches: &ArgMatches) -> Result<Source> {
    let flags = Source {
        max_commits: matches.get_one::<usize>("max-commits").copied(),
        since: matches.get_one::<String>("since").cloned(),
        provider: matches.get_one::<String>("provider").and_then(|it| Wanted::parse(it)),
        prompts: matches.get_one::<String>("prompts").cloned(),
        model: None,
    };
    let environment =
        Source::of_environment(&|name| std::env::var(name).ok().filter(|it| !it.is_empty()))?;
    let local = engine::Local::new(engine, check(matches));
    let file = match local.read(settings::NAME.as_bytes(), settings::BYTES_MAX) {
        Ok(content) => Source::of_file(&String::from_utf8_lossy(content.bytes()))?,
        Err(error) if error.kind() == Kind::NotFound => Source::default(),
        Err(error) => return Err(error),
    };
    Ok(flags.or(environment).or(file))
}

/// What extracts decisions.
enum Service {
    None,
    Client,
    Model(Box<Provider>),
}

/// Returns what extracts decisions. `asked` is the model of the command line, `suggested` that of the
/// repository's file: it names a model of the service that the user chose, and chooses none.
fn service(
    wanted: Option<Wanted>,
    asked: Option<&str>,
    suggested: Option<&str>,
) -> Result<Service> {
    let variable = |name: &str| std::env::var(name).ok().filter(|it| !it.is_empty());
    let named = match wanted {
        Some(Wanted::None) => return Ok(Service::None),
        Some(Wanted::Client) => return Ok(Service::Client),
        Some(service @ (Wanted::Anthropic | Wanted::OpenAi)) => Some(service.name().to_owned()),
        None => variable("CODEDB_MODEL_PROVIDER"),
    };
    let asked = asked.map(str::to_owned).or_else(|| variable("CODEDB_MODEL"));
    // The key of a service chooses it only for a user who asked for a model, and named no address.
    let has_key = variable("ANTHROPIC_API_KEY").is_some() && variable("CODEDB_MODEL_URL").is_none();
    let own = Wanted::Anthropic.name().to_owned();
    let named = named.or_else(|| (asked.is_some() && has_key).then_some(own));
    let model = asked.or_else(|| suggested.filter(|_| named.is_some()).map(str::to_owned));
    let provider = Provider::from_environment(&|name| match name {
        "CODEDB_MODEL_PROVIDER" => named.clone(),
        "CODEDB_MODEL" => model.clone(),
        _ => variable(name),
    })?;
    match provider {
        Some(provider) => Ok(Service::Model(Box::new(provider))),
        None if wanted.is_none() => Ok(Service::None),
        None => Err(Error::usage("no model is configured")
            .with_hint("set CODEDB_MODEL and the other variables of docs/model.md")),
    }
}

fn prices(given: &str) -> Result<(f64, f64)> {
    let parsed = given.split_once(',').and_then(|(input, output)| {
        Some((input.trim().parse().ok()?, output.trim().parse().ok()?))
    });
    let is_valid =
        |it: &(f64, f64)| it.0.is_finite() && it.1.is_finite() && it.0 >= 0.0 && it.1 >= 0.0;
    parsed.filter(is_valid).ok_or_else(|| {
        Error::usage("`--price` takes two numbers such as 3,15: the prices of a million tokens")
    })
}

fn write_prompts(dir: &Path) -> Result<ExitCode> {
    let prompts = Prompts::default();
    std::fs::create_dir_all(dir).map_err(|error| Error::io(dir, error))?;
    for (name, text) in FILES.iter().zip([&prompts.system, &prompts.signals]) {
        let path = dir.join(name);
        let mut options = std::fs::File::options();
        let file = options.write(true).create_new(true).open(&path);
        let written =
            file.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
        written.map_err(|error| Error::io(&path, error))?;
    }
    report::print_message(format_args!("wrote {} to {}", FILES.join(" and "), dir.display()));
    Ok(ExitCode::SUCCESS)
}

fn read_prompts(dir: &Path) -> Result<Prompts> {
    let read = |name: &str| {
        let path = dir.join(name);
        let size = path.metadata().map_err(|error| Error::io(&path, error))?.len();
        if size > PROMPT_BYTES_MAX {
            return Err(Error::usage("the prompt is larger than 64 KiB").with_path(&path));
        }
        std::fs::read_to_string(&path).map_err(|error| Error::io(&path, error))
    };
    let (system, signals) = (read(FILES[0])?, read(FILES[1])?);
    if !signals.contains("{signals}") {
        return Err(Error::usage("the prompt lacks the placeholder `{signals}`")
            .with_path(&dir.join(FILES[1])));
    }
    Ok(Prompts { system, signals })
}

/// Says what was not examined.
fn report_rest(collected: &Collected) {
    let Collected { files, files_left, commits, commits_left, .. } = collected;
    let mut told = format!("examined {files} files and {commits} commits");
    if *files_left > 0 {
        let _ = write!(told, "; {files_left} files could not be examined");
    }
    if *commits_left > 0 {
        let _ = write!(told, "; {commits_left} older commits were not (`--max-commits`)");
    }
    if collected.proposals_left > 0 {
        let _ = write!(
            told,
            "; {} weaker candidates were left out, run again after a review",
            collected.proposals_left
        );
    }
    report::print_message(told);
    if let Some(why) = &collected.without_commits {
        report::print_message(why);
    }
}

/// Stores the strong signals as candidates.
fn without_model(
    code: &dyn Code,
    collected: &Collected,
    is_dry: bool,
    is_json: bool,
) -> Result<ExitCode> {
    let all = collected.signals.iter().filter_map(|it| it.proposal.clone());
    let proposals: Vec<Proposal> = all
        .map(|it| Proposal { source_refs: with_fingerprints(code, it.source_refs), ..it })
        .collect();
    let count = proposals.len();
    let mut stored = Vec::new();
    if !is_dry && count > 0 {
        let database = code.create_user_data()?;
        stored = database.submit_decisions(
            proposals.clone(),
            Origin::Bootstrap,
            Some("none"),
            &now(),
        )?;
    }
    let new = stored.iter().filter(|it| matches!(it, Submitted::New(_))).count();
    if is_json {
        let signals: Vec<_> = collected
            .signals
            .iter()
            .map(|it| json!({"scope": it.scope, "text": it.text, "source_refs": it.source_refs}))
            .collect();
        print_json(&json!({
            "files": collected.files,
            "files_left": collected.files_left,
            "commits": collected.commits,
            "commits_left": collected.commits_left,
            "proposals_left": collected.proposals_left,
            "without_commits": collected.without_commits,
            "new": new,
            "known": stored.len() - new,
            "proposals": proposals,
            "signals": signals,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = String::new();
    for it in &proposals {
        let _ = writeln!(out, "{}  ({}, {})", it.pattern, it.scope, it.confidence.name());
        let _ = writeln!(out, "    {}", it.rationale);
        let refs: Vec<&str> = it.source_refs.iter().map(|it| it.reference.as_str()).collect();
        let _ = writeln!(out, "    see {}", refs.join(", "));
    }
    print_safe(&out)?;
    report_rest(collected);
    let others = collected.signals.len() - count;
    report::print_message(if is_dry {
        format!("{count} candidates and {others} other signals; nothing was stored")
    } else {
        format!(
            "{new} new candidates, {} known; {others} other signals need a model (`--provider`); \
             `codedb decisions review` decides",
            stored.len() - new
        )
    });
    Ok(ExitCode::SUCCESS)
}

/// Returns the signals by scope, in pieces of a size that a model can read.
fn batches(signals: &[Signal]) -> Vec<Batch> {
    let mut found: Vec<Batch> = Vec::new();
    for it in signals {
        let entry = (it.text.clone(), it.source_refs.clone());
        match found.last_mut() {
            Some(last) if last.scope == it.scope && last.signals.len() < SIGNALS_MAX => {
                last.signals.push(entry);
            }
            _ => found.push(Batch { scope: it.scope.clone(), signals: vec![entry] }),
        }
    }
    found
}

/// Identifies the signals of a batch.
fn hash(message: &str) -> String {
    format!("{:016x}", xxh3_64(message.as_bytes()))
}

/// Asks a model scope by scope. What is finished is recorded, so that an interrupted run goes on where
/// it ended.
fn with_model(
    code: &dyn Code,
    provider: &Provider,
    prompts: &Prompts,
    collected: &Collected,
    prices: Option<(f64, f64)>,
    is_dry: bool,
) -> Result<ExitCode> {
    let batches = batches(&collected.signals);
    report_rest(collected);
    if is_dry {
        let input = |it: &Batch| Input::Text(it.message(prompts));
        let conversation = Conversation::new(provider, prompts.system.clone(), Vec::new());
        let requests = batches.iter().map(|it| conversation.request(&input(it)).to_string());
        print(&secret::redacted(requests.collect::<Vec<_>>().join("\n") + "\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let database = code.create_user_data()?;
    let extractor = provider.model().to_owned();
    report::print_message(format_args!(
        "sending {} signals in {} requests to `{}`",
        collected.signals.len(),
        batches.len(),
        provider.host()
    ));
    let (mut usage, mut new, mut known, mut skipped) = (Usage::default(), 0, 0, 0);
    let mut failed = Vec::new();
    for (at, batch) in batches.iter().enumerate() {
        let message = batch.message(prompts);
        let (key, signals) = (format!("{}#{at}", batch.scope), hash(&message));
        if database.is_ingested(&key, &extractor, &signals)? {
            skipped += 1;
            continue;
        }
        let (answer, spent) = ask(provider, prompts, batch, message);
        usage.input_tokens += spent.input_tokens;
        usage.output_tokens += spent.output_tokens;
        match answer {
            Ok(Answered { proposals, invalid }) => {
                let (added, others) = store(code, &database, proposals, &extractor)?;
                new += added;
                known += others;
                if invalid.is_empty() {
                    database.set_ingested(&key, &extractor, &signals, now_ms())?;
                }
                failed.extend(invalid.into_iter().map(|why| (batch.scope.clone(), why)));
            }
            Err(Unanswered::Invalid(why)) => failed.push((batch.scope.clone(), why)),
            // The next request would fail alike.
            Err(Unanswered::NoReply(why)) => {
                report_usage(usage, prices);
                return Err(Error::new(
                    Kind::Io,
                    format!(
                        "{why}; {new} candidates of the first {at} of {} requests are stored, and the \
                     command goes on there",
                        batches.len()
                    ),
                ));
            }
        }
    }
    for (scope, why) in &failed {
        report::print_message(text::plain(&format!("not stored for {scope}: {why}")));
    }
    report_usage(usage, prices);
    let skipped =
        if skipped > 0 { format!(", {skipped} requests answered before") } else { String::new() };
    report::print_message(format_args!(
        "{new} new candidates, {known} known{skipped}; `codedb decisions review` decides"
    ));
    Ok(ExitCode::from(u8::from(!failed.is_empty())))
}

fn report_usage(usage: Usage, prices: Option<(f64, f64)>) {
    let Usage { input_tokens, output_tokens } = usage;
    let cost = prices.map(|(input, output)| {
        let cost = (input_tokens as f64 * input + output_tokens as f64 * output) / 1e6;
        format!(", which cost {cost:.4} at the given prices")
    });
    report::print_message(format_args!(
        "{input_tokens} tokens sent, {output_tokens} received{}",
        cost.unwrap_or_default()
    ));
}

/// Why there are no proposals.
enum Unanswered {
    /// The answer is not what was asked for.
    Invalid(String),
    /// There is none.
    NoReply(String),
}

/// Asks for the decisions of a batch. What is not valid of the answer is returned to the model once.
fn ask(
    provider: &Provider,
    prompts: &Prompts,
    batch: &Batch,
    message: String,
) -> (std::result::Result<Answered, Unanswered>, Usage) {
    let mut conversation = Conversation::new(provider, prompts.system.clone(), Vec::new());
    let mut spent = Usage::default();
    let mut send = |message: String| {
        let reply = conversation.send(Input::Text(message));
        let reply = reply.map_err(|error| Unanswered::NoReply(error.to_string()))?;
        spent.input_tokens += reply.usage.input_tokens;
        spent.output_tokens += reply.usage.output_tokens;
        let invalid = |why: &str| Err(Unanswered::Invalid(why.to_owned()));
        match reply.stop {
            Stop::Refusal => invalid("the model refused"),
            Stop::MaxTokens => {
                invalid("the answer was cut off; CODEDB_MODEL_MAX_TOKENS allows longer ones")
            }
            Stop::ToolUse => invalid("the model called a tool instead of answering"),
            Stop::End => Ok(batch.proposals(&reply.text)),
        }
    };
    let first = match send(message) {
        Ok(Ok(answered)) => answered,
        Ok(Err(why)) => Answered { invalid: vec![why], ..Answered::default() },
        Err(error) => return (Err(error), spent),
    };
    if first.invalid.is_empty() {
        return (Ok(first), spent);
    }
    // What was valid is kept, whatever comes now.
    let second = match send(Batch::correction(&first.invalid)) {
        Ok(Ok(answered)) => answered,
        Ok(Err(why)) | Err(Unanswered::Invalid(why) | Unanswered::NoReply(why)) => {
            let mut invalid = first.invalid.clone();
            invalid.push(format!("the correction failed: {why}"));
            Answered { invalid, ..Answered::default() }
        }
    };
    let proposals = first.proposals.into_iter().chain(second.proposals).collect();
    (Ok(Answered { proposals, invalid: second.invalid }), spent)
}

/// Stores the valid proposals of one answer, all or none. Returns how many are new, and how many known.
fn store(
    code: &dyn Code,
    database: &Database,
    proposals: Vec<Proposal>,
    extractor: &str,
) -> Result<(usize, usize)> {
    let with = |refs: Vec<SourceRef>| with_fingerprints(code, refs);
    let proposals: Vec<Proposal> = proposals
        .into_iter()
        .map(|it| Proposal { source_refs: with(it.source_refs), ..it })
        .collect();
    let stored =
        database.submit_decisions(proposals, Origin::Bootstrap, Some(extractor), &now())?;
    let new = stored.iter().filter(|it| matches!(it, Submitted::New(_))).count();
    Ok((new, stored.len() - new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_one_scope_are_sent_together() {
        let signal = |scope: &str| Signal {
            scope: crate::userdata::decisions::Scope::parse(scope).unwrap(),
            kind: signals::Kind::Imports,
            text: "x".to_owned(),
            source_refs: Vec::new(),
            proposal: None,
        };
        let mut all: Vec<Signal> = (0..SIGNALS_MAX + 1).map(|_| signal("global")).collect();
        all.push(signal("language:rust"));
        let sizes: Vec<usize> = batches(&all).iter().map(|it| it.signals.len()).collect();
        assert_eq!(sizes, [SIGNALS_MAX, 1, 1]);
    }

    #[test]
    fn prices_are_two_numbers() {
        assert_eq!(prices("3, 15").unwrap(), (3.0, 15.0));
        for text in ["3", "a,b", "-1,2", "nan,1"] {
            assert!(prices(text).is_err(), "{text}");
        }
    }
}
