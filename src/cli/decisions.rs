//! `codedb decisions`: proposes, curates, exchanges and shows decisions. The commands that decide
//! about a record require a person at a terminal.

mod files;
mod ingest;
mod page;
mod review;

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde::Serialize;
use serde_json::json;

use super::display::{self, Display};
use super::index::{place_args, print, tree_options};
use super::recording_code::RecordingCode;
use super::screen::{self, Screen};
use super::tool::{check, edge_args, now_ns};
use super::{place, report};
use crate::answer::page::Page;
use crate::base::text;
use crate::catalog::code::Code;
use crate::decisions::cited::{self, Fate};
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::source::secret;
use crate::tools::decisions::checked;
use crate::tools::{self, Call};
use crate::userdata::Database;
use crate::userdata::decisions::{
    Confidence, Decision, Edit, Filter, Origin, Person, Proposal, Scope, SourceRef, State,
    Submitted, Verdict,
};

pub(super) fn command() -> Command {
    let id = || Arg::new("id").value_name("ID").required(true).help("The id, or its start");
    let ids = || {
        let ids = Arg::new("id").value_name("ID").required(true).num_args(1..);
        ids.help("The ids, or their starts")
    };
    let text = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("TEXT").help(help)
    };
    let confidence = || {
        let names = Confidence::ALL.iter().map(|it| it.name());
        Arg::new("confidence")
            .long("confidence")
            .value_name("LEVEL")
            .value_parser(PossibleValuesParser::new(names))
            .help("How certain it is")
    };
    let keywords = || {
        Arg::new("keywords")
            .long("keywords")
            .value_name("WORDS")
            .value_delimiter(',')
            .help("Words that tasks use for it, separated by commas")
    };
    let limit = |help: &'static str| {
        Arg::new("limit")
            .long("limit")
            .value_name("N")
            .value_parser(value_parser!(u32).range(1..))
            .help(help)
    };
    let with_page = |command: Command| {
        let args = display::args().into_iter().chain(screen::args());
        let args = args.map(|arg| arg.hide_short_help(true));
        command.arg(screen::format_arg().hide_short_help(true)).args(args)
    };
    Command::new("decisions")
        .about("Curate what people decided about the code base")
        .long_about(
            "Decisions are conventions of a code base with their reasons: \"use X for Y\". A record \
             starts as a candidate, which `ingest`, an agent or a person proposes. Agents are told \
             only what a person approved at a terminal. Records are stored in the user's data, \
             never in the tree; `export` writes them as files.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(place_args())
        .args(edge_args().map(|arg| arg.global(true)))
        .arg(
            Arg::new("json")
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Print the reply as JSON"),
        )
        .subcommand(ingest::command())
        .subcommand(with_page(
            Command::new("list")
                .about("List decisions, oldest first")
                .arg(
                    Arg::new("status")
                        .long("status")
                        .value_name("STATUS")
                        .action(ArgAction::Append)
                        .value_parser(PossibleValuesParser::new(
                            State::ALL.iter().map(|it| it.name()),
                        ))
                        .help("Only those with this status"),
                )
                .arg(
                    text("scope", "Only those whose scope is this, or begins so: `path:src/`")
                        .value_name("SCOPE"),
                )
                .arg(limit("The most decisions (default: all)")),
        ))
        .subcommand(with_page(
            Command::new("show")
                .about("Show a decision with the lines that it cites, and what became of them")
                .arg(id()),
        ))
        .subcommand(with_page(
            Command::new("search").about("List the decisions that contain all words").arg(
                Arg::new("words").value_name("WORD").required(true).num_args(1..).help("The words"),
            ),
        ))
        .subcommand(with_page(
            Command::new("for")
                .about("Show what an agent is told about a file or area, and a task")
                .arg(Arg::new("area").value_name("AREA").required(true).help(
                    "A file, a directory, a module, or words for a part of the code base",
                ))
                .arg(Arg::new("task").value_name("TASK").help("What is about to be done"))
                .arg(limit("The most decisions (default 5)")),
        ))
        .subcommand(
            Command::new("add")
                .about("Propose a decision")
                .arg(text("pattern", "What is done, in one line").required(true))
                .arg(
                    text("scope", "Where: `global`, `path:GLOB`, `module:NAME`, `language:NAME`")
                        .required(true),
                )
                .arg(text("rationale", "Why").required(true))
                .arg(confidence())
                .arg(keywords())
                .arg(
                    Arg::new("ref")
                        .long("ref")
                        .value_name("REF")
                        .action(ArgAction::Append)
                        .help("What shows it: `PATH`, `PATH:LINE` or a commit"),
                ),
        )
        .subcommand(Command::new("approve").about("Make candidates canonical").arg(ids()))
        .subcommand(
            Command::new("reject").about("Reject candidates or canonical decisions").arg(ids()),
        )
        .subcommand(
            Command::new("supersede").about("Replace a decision by another one").arg(id()).arg(
                Arg::new("by")
                    .long("by")
                    .value_name("ID")
                    .required(true)
                    .help("The decision that replaces it; it becomes canonical"),
            ),
        )
        .subcommand(
            Command::new("edit")
                .about("Change the texts of a candidate or canonical decision")
                .arg(id())
                .arg(text("pattern", "What is done"))
                .arg(text("scope", "Where"))
                .arg(text("rationale", "Why"))
                .arg(confidence())
                .arg(keywords()),
        )
        .subcommand(with_page(
            Command::new("stale")
                .about("List open decisions whose cited lines or commits changed, moved or are gone"),
        ))
        .subcommand(
            Command::new("review")
                .about("Decide about each candidate with one key, with the cited lines in view"),
        )
        .subcommand(files::export_command())
        .subcommand(files::import_command())
}

/// Runs the command.
///
/// # Errors
///
/// Unknown ids, invalid texts, a database or tree that cannot be read; without a terminal, the
/// commands that need a person.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let (name, sub) = matches.subcommand().expect("clap requires one");
    let mut options = tree_options(sub);
    if name == "ingest"
        && let Some(path) = sub.get_one::<std::path::PathBuf>("path")
    {
        options.root = Some(path.clone());
    }
    let engine = place::engine(&options)?;
    let is_json = sub.get_flag("json");
    match name {
        "ingest" => ingest::run(&engine, sub, is_json),
        "list" => {
            let states = sub.get_many::<String>("status").into_iter().flatten();
            let states = states.filter_map(|name| State::parse(name).ok()).collect();
            list(&engine, &Filter { states, ..Filter::default() }, sub)
        }
        "search" => {
            let words = sub.get_many::<String>("words").into_iter().flatten();
            let words = words.map(|word| word.to_lowercase()).collect();
            list(&engine, &Filter { words, ..Filter::default() }, sub)
        }
        "show" => with_code(&engine, sub, &|code| show(code, &engine, sub)),
        "for" => with_code(&engine, sub, &|code| served(code, &engine, sub)),
        "add" => with_code(&engine, sub, &|code| add(code, sub, is_json)),
        "approve" => decide(&engine, sub, &Verdict::Approve),
        "reject" => decide(&engine, sub, &Verdict::Reject),
        "supersede" => decide(&engine, sub, &Verdict::SupersedeBy(required(sub, "by").to_owned())),
        "edit" => {
            let person = person()?;
            with_code(&engine, sub, &|code| edit(code, &engine, &person, sub))
        }
        "stale" => with_code(&engine, sub, &|code| stale(code, &engine, sub)),
        "review" => {
            let person = person()?;
            with_code(&engine, sub, &|code| review::run(code, &engine, &person))
        }
        "export" => files::export(&engine, sub),
        _ => {
            let import = files::Import::read(sub)?;
            with_code(&engine, sub, &|code| import.store(code))
        }
    }
}

/// Runs `work` with the code of the tree.
fn with_code(
    engine: &Engine,
    matches: &ArgMatches,
    work: &dyn Fn(&dyn Code) -> Result<ExitCode>,
) -> Result<ExitCode> {
    RecordingCode::new(engine, check(matches))
        .run(matches.get_flag("no-background"), |code| work(code))
}

fn required<'m>(matches: &'m ArgMatches, name: &str) -> &'m str {
    matches.get_one::<String>(name).expect("clap requires it")
}

/// Returns the time as the records have it.
fn now() -> String {
    crate::base::time::format(now_ns())
}

/// Returns the proof that a person takes part.
///
/// # Errors
///
/// If the command does not run in a terminal.
fn person() -> Result<Person> {
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        return Ok(Person::at_a_terminal());
    }
    Err(Error::usage("only a person can decide, and standard input is not a terminal")
        .with_hint("run the command in a terminal; agents and scripts can propose candidates"))
}

/// Opens the database.
///
/// # Errors
///
/// [`Kind::NotFound`] if nothing was recorded yet.
fn database(engine: &Engine) -> Result<Database> {
    engine.user_data()?.ok_or_else(|| {
        Error::new(Kind::NotFound, "there are no decisions yet")
            .with_hint("`codedb decisions ingest` proposes some")
    })
}

/// Prints a text without control characters and secrets.
fn print_safe(text: &str) -> Result<()> {
    let text: Vec<String> = text.lines().map(text::plain).collect();
    let mut text = text.join("\n");
    text.push('\n');
    print(&secret::redacted(text))
}

/// Prints a page without secrets.
fn print_page(engine: &Engine, matches: &ArgMatches, page: Page) -> Result<()> {
    let page = page.map_texts(&secret::redacted);
    Screen::new(matches, now_ns()).print(&page, &Display::new(engine.root(), matches))
}

fn print_json(value: &impl Serialize) -> Result<()> {
    let json = serde_json::to_string(value).map_err(|error| Error::usage(error.to_string()))?;
    print(&format!("{}\n", secret::redacted(json)))
}

/// Returns a record in one line.
fn line(it: &Decision) -> String {
    let id = text::start(&it.id, 8);
    format!(
        "{id}  {:10}  {}  ({}, {})",
        it.status.name(),
        it.pattern,
        it.scope,
        it.confidence.name()
    )
}

/// Returns the most records that are shown.
fn limit(matches: &ArgMatches) -> Option<usize> {
    matches.try_get_one::<u32>("limit").ok().flatten().map(|&limit| limit as usize)
}

/// Returns an argument that `search` does not have.
fn scope(matches: &ArgMatches) -> Option<&String> {
    matches.try_get_one::<String>("scope").ok().flatten()
}

fn list(engine: &Engine, filter: &Filter, matches: &ArgMatches) -> Result<ExitCode> {
    let mut all = match engine.user_data()? {
        Some(database) => database.decisions(filter)?,
        None => Vec::new(),
    };
    if let Some(scope) = scope(matches) {
        all.retain(|it| it.scope.to_string().starts_with(scope.as_str()));
    }
    let left = all.len().saturating_sub(limit(matches).unwrap_or(usize::MAX));
    all.truncate(all.len() - left);
    if screen::is_json(matches) {
        print_json(&all)?;
    } else if all.is_empty() {
        report::print_message("no such decisions; `codedb decisions ingest` proposes some");
    } else if screen::is_chosen(matches) {
        print_page(engine, matches, page::list(all.iter()))?;
    } else {
        let lines: Vec<String> = all.iter().map(line).collect();
        print_safe(&lines.join("\n"))?;
    }
    if left > 0 {
        let total = all.len() + left;
        report::print_message(format_args!("{left} of {total} decisions are left out (`--limit`)"));
    }
    Ok(ExitCode::from(u8::from(all.is_empty())))
}

/// Returns each reference of a record with what became of it.
fn fates(code: &dyn Code, it: &Decision) -> Result<Vec<Fate>> {
    let git = code.git();
    let has_commit = |hash: &str| match git {
        Some(git) => git.commit(hash).ok().map(|found| found.is_some()),
        None => None,
    };
    it.source_refs.iter().map(|it| cited::fate(code, it, &has_commit)).collect()
}

/// A reference of a record, what became of it, and the lines that it cites.
struct Reference<'d> {
    source: &'d SourceRef,
    fate: Fate,
    cited: Option<Cited>,
}

/// Lines of a file around one that is cited.
struct Cited {
    path: String,
    line: usize,
    /// The number of the first of the lines.
    first: usize,
    lines: Vec<String>,
}

impl Cited {
    fn text(&self) -> String {
        let mut out = String::new();
        for (at, text) in (self.first..).zip(&self.lines) {
            let mark = if at == self.line { '>' } else { ' ' };
            let _ = writeln!(out, "    {mark}{at:>5}  {}", text::plain(text));
        }
        out
    }
}

/// Returns the references of a record.
fn references<'d>(code: &dyn Code, it: &'d Decision) -> Result<Vec<Reference<'d>>> {
    let all = it.source_refs.iter().zip(fates(code, it)?);
    let cited = |source: &SourceRef| cited_lines(code, source);
    Ok(all.map(|(source, fate)| Reference { source, fate, cited: cited(source) }).collect())
}

/// Returns the line around a reference to a file, with its neighbours.
fn cited_lines(code: &dyn Code, it: &SourceRef) -> Option<Cited> {
    const AROUND: usize = 2;
    const BYTES_MAX: u64 = 4 << 20;
    const LINE_BYTES_MAX: usize = 160;
    let (path, line) = it.place().filter(|(_, line)| *line > 0)?;
    let content = code.read(path.as_bytes(), BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(content.bytes()).into_owned();
    let first = line.saturating_sub(AROUND).max(1);
    let lines = text.lines().skip(first - 1).take(2 * AROUND + 1);
    let lines: Vec<String> =
        lines.map(|text| text::start(text, LINE_BYTES_MAX).to_owned()).collect();
    (!lines.is_empty()).then(|| Cited { path: path.to_owned(), line, first, lines })
}

/// Returns a record with its references and cited lines as text.
fn described(code: &dyn Code, it: &Decision) -> Result<String> {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n", it.pattern);
    let _ = writeln!(out, "id          {}", it.id);
    let _ = write!(out, "status      {}", it.status.name());
    let by = it.superseded_by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
    let _ = writeln!(out, "{by}");
    let _ = writeln!(out, "scope       {}", it.scope);
    let _ = writeln!(out, "confidence  {}", it.confidence.name());
    let by = it.extractor.as_ref().map(|by| format!(" ({by})")).unwrap_or_default();
    let _ = writeln!(out, "origin      {}{by}, {}", it.origin.name(), it.created_at);
    if !it.keywords.is_empty() {
        let _ = writeln!(out, "keywords    {}", it.keywords.join(", "));
    }
    let _ = writeln!(out, "\n{}", it.rationale);
    for Reference { source, fate, cited } in references(code, it)? {
        let detail = source.detail.as_ref().map(|it| format!(": {it}")).unwrap_or_default();
        let moved = match &fate {
            Fate::Moved { to } => format!(" to {to}"),
            _ => String::new(),
        };
        let name = fate.name();
        let _ = writeln!(out, "\n{}  [{name}{moved}]{detail}", source.reference);
        out.push_str(&cited.map(|cited| cited.text()).unwrap_or_default());
    }
    Ok(out)
}

fn show(code: &dyn Code, engine: &Engine, matches: &ArgMatches) -> Result<ExitCode> {
    let it = database(engine)?.decision(required(matches, "id"))?;
    if screen::is_json(matches) {
        let fates = fates(code, &it)?;
        print_json(&json!({"decision": it, "references": fates}))?;
    } else if screen::is_chosen(matches) {
        print_page(engine, matches, page::described(&it, &references(code, &it)?))?;
    } else {
        print_safe(&described(code, &it)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn served(code: &dyn Code, engine: &Engine, matches: &ArgMatches) -> Result<ExitCode> {
    let call = Call::new(code, now_ns());
    let task = matches.get_one::<String>("task").map_or("", String::as_str);
    let area = required(matches, "area");
    let args =
        json!({"file_path_or_area": area, "task_description": task, "limit": limit(matches)});
    let tool = tools::TOOLS.iter().find(|it| it.name == "codedb_get_decisions_for_context");
    let tool = tool.ok_or_else(|| Error::new(Kind::NotFound, "the tool is missing"))?;
    let answer = tool.run(&call, args)?;
    let is_page = screen::is_chosen(matches);
    let page = if is_page { super::tool::page(tool, answer.as_ref()) } else { None };
    if screen::is_json(matches) {
        print(&format!("{}\n", answer.json()?))?;
    } else if let Some(page) = page {
        print_page(engine, matches, page)?;
    } else {
        answer.notices().into_iter().for_each(report::print_message);
        print(&answer.text())?;
    }
    Ok(ExitCode::from(u8::from(!answer.is_found())))
}

fn add(code: &dyn Code, matches: &ArgMatches, is_json: bool) -> Result<ExitCode> {
    let call = Call::new(code, now_ns());
    let refs = matches.get_many::<String>("ref").into_iter().flatten();
    let reference = |given: &String| checked::reference_of(&call, &given.as_str().into());
    let refs: Vec<SourceRef> = refs.map(reference).collect::<Result<_>>()?;
    let changes = changes(&call, matches)?;
    let proposal = Proposal {
        pattern: changes.pattern.unwrap_or_default(),
        scope: changes.scope.unwrap_or(Scope::Global),
        rationale: changes.rationale.unwrap_or_default(),
        confidence: changes.confidence.unwrap_or(Confidence::Medium),
        source_refs: cited::with_fingerprints(code, refs),
        keywords: changes.keywords.unwrap_or_default(),
    };
    let database = code.create_user_data()?;
    let (it, is_new) = match database.submit_decision(proposal, Origin::Human, None, &now())? {
        Submitted::New(id) => (database.decision(&id)?, true),
        Submitted::Known(it) => (*it, false),
    };
    if !is_new {
        report::print_message("a record says the same already");
    }
    if is_json {
        print_json(&it)?;
    } else {
        print_safe(&line(&it))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the texts that the arguments give, and reports a scope without an effect.
fn changes(call: &Call<'_>, matches: &ArgMatches) -> Result<Edit> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let scope = text("scope").map(|it| checked::scope(call, &it)).transpose()?;
    let warning = scope.as_ref().and_then(|it| it.warning.as_ref());
    if let Some(warning) = warning {
        report::print_message(format_args!("warning: {warning}"));
    }
    let scope = scope.map(|it| it.scope);
    let confidence = text("confidence").map(|it| Confidence::parse(&it)).transpose();
    let keywords = matches.get_many::<String>("keywords").map(|all| all.cloned().collect());
    let confidence = confidence.map_err(Error::usage)?;
    Ok(Edit { pattern: text("pattern"), scope, rationale: text("rationale"), confidence, keywords })
}

fn edit(
    code: &dyn Code,
    engine: &Engine,
    person: &Person,
    matches: &ArgMatches,
) -> Result<ExitCode> {
    let changes = changes(&Call::new(code, now_ns()), matches)?;
    let it = database(engine)?.edit_decision(person, required(matches, "id"), changes, &now())?;
    print_safe(&line(&it))?;
    Ok(ExitCode::SUCCESS)
}

fn decide(engine: &Engine, matches: &ArgMatches, verdict: &Verdict) -> Result<ExitCode> {
    let person = person()?;
    let database = database(engine)?;
    let ids: Vec<&String> = matches.get_many::<String>("id").into_iter().flatten().collect();
    // A mistake in one id changes none of the records.
    for id in &ids {
        database.decision(id)?;
    }
    for id in ids {
        let it = database.decide(&person, id, verdict, &now())?;
        print_safe(&line(&it))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn stale(code: &dyn Code, engine: &Engine, matches: &ArgMatches) -> Result<ExitCode> {
    let states = vec![State::Candidate, State::Canonical];
    let filter = Filter { states, ..Filter::default() };
    let all = match engine.user_data()? {
        Some(database) => database.decisions(&filter)?,
        None => Vec::new(),
    };
    let (mut found, mut unknown) = (Vec::new(), 0);
    for it in &all {
        let fates = fates(code, it)?;
        unknown += usize::from(fates.contains(&Fate::Unknown));
        if fates.iter().any(|fate| !matches!(fate, Fate::Fresh | Fate::Unknown)) {
            found.push((it, fates));
        }
    }
    if screen::is_json(matches) {
        let entries: Vec<_> =
            found.iter().map(|(it, fates)| json!({"decision": it, "references": fates})).collect();
        let checked = all.len();
        print_json(&json!({"checked": checked, "unknown": unknown, "stale": entries}))?;
    } else if screen::is_chosen(matches) {
        print_page(engine, matches, page::stale(&found, all.len(), unknown))?;
    } else {
        let mut out = String::new();
        for (it, fates) in &found {
            let _ = writeln!(out, "{}", line(it));
            let changed = it.source_refs.iter().zip(fates);
            for (source, fate) in changed.filter(|(_, fate)| **fate != Fate::Fresh) {
                let to = match fate {
                    Fate::Moved { to } => format!(" to {to}"),
                    _ => String::new(),
                };
                let _ = writeln!(out, "    {} {}{to}", source.reference, fate.name());
            }
        }
        let unknown = match unknown {
            0 => String::new(),
            unknown => format!("; of {unknown}, some references cannot be checked"),
        };
        let _ = writeln!(out, "{} of {} open decisions are stale{unknown}", found.len(), all.len());
        print_safe(&out)?;
    }
    Ok(ExitCode::from(u8::from(found.is_empty())))
}
