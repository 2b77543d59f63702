//! `codedb status`: the contents of the index of a tree, and whether it is up to date.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use indicatif::HumanBytes;
use serde::Serialize;

use super::index::{common_args, has_watcher, print, tree_options};
use super::place;
use crate::base::bits::Bits;
use crate::base::ids::DirId;
use crate::engine::{self, CodeStatus, Comparison, Engine, LanguageFiles};
use crate::error::{Error, Kind, Result};
use crate::index::snapshot::Snapshot;
use crate::index::table::TableMeta;
use crate::lang::Problem;
use crate::source::walk::Skipped;
use crate::tools::status::UnparsedFile;

pub(super) fn command() -> Command {
    Command::new("status")
        .about("Show the contents of the index and whether it is up to date")
        .args(common_args())
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the status as JSON"),
        )
}

/// The reply. Fields may be added, but not renamed.
#[derive(Debug, Serialize)]
struct Status {
    root: String,
    index_dir: String,
    files: u64,
    bytes: u64,
    generation: u64,
    /// Searches use the index.
    ready: bool,
    /// The index is complete: search index, code index, text index and history.
    full: bool,
    freshness: Freshness,
    /// Entries that searches skip, by reason.
    skipped: BTreeMap<Skipped, u64>,
    /// Files that are not indexed, so that every search reads them, by reason.
    scanned: BTreeMap<String, u64>,
    /// Bytes on disk, by component.
    sizes: BTreeMap<&'static str, u64>,
    /// The code index; absent if it is not built.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<CodeSummary>,
    /// The reason why the code index cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_unusable: Option<String>,
    /// The log of commits; absent if there is no repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<HistorySummary>,
    segments: u64,
    live_units: u64,
    dead_units: u64,
    memory_bytes: u64,
    /// The time to open the index, in milliseconds.
    open_ms: f64,
}

#[derive(Debug, Serialize)]
struct CodeSummary {
    files: u64,
    missing: u64,
    symbols: u64,
    references: u64,
    /// Files whose symbols may be incomplete, by reason.
    problems: BTreeMap<Problem, u64>,
    /// Files by language, and how many of them have parts that the parser does not understand.
    languages: BTreeMap<&'static str, LanguageFiles>,
    /// The first of the files that could not be parsed completely, in path order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<UnparsedFile>,
    /// Files whose contents differ from the text index; ranking reads them.
    text_behind: u64,
    /// The reason why there is no text index.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_unusable: Option<String>,
}

#[derive(Debug, Serialize)]
struct HistorySummary {
    /// The number of commits in the log; 0 if it has not been read yet.
    commits: u64,
    /// It does not include HEAD. Tools read the missing commits if they are few.
    behind: bool,
    /// Older commits are omitted.
    cut: bool,
    /// The repository is a shallow clone.
    shallow: bool,
    /// The reason why it cannot be used or compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    unusable: Option<String>,
}

#[derive(Debug, Serialize)]
struct Freshness {
    /// `current`, `behind`, `walk` (a search must walk the tree) or `missing`.
    state: &'static str,
    /// A watcher is running for this tree.
    watching: bool,
    changed: u64,
    added: u64,
    gone: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&tree_options(matches))?;
    let opening = std::time::Instant::now();
    let snapshot = engine.snapshot()?;
    let open_ms = opening.elapsed().as_secs_f64() * 1e3;
    let status = match &snapshot {
        Some(snapshot) => of_snapshot(&engine, snapshot, open_ms)?,
        None => missing(&engine),
    };
    if matches.get_flag("json") {
        let text = serde_json::to_string(&status)
            .map_err(|error| Error::new(Kind::Io, error.to_string()))?;
        print(&format!("{text}\n"))?;
    } else {
        print(&text(&status))?;
    }
    Ok(ExitCode::from(if snapshot.is_some() { 0 } else { 1 }))
}

fn of_snapshot(engine: &Engine, snapshot: &Snapshot, open_ms: f64) -> Result<Status> {
    let table = &snapshot.table;
    let TableMeta { text_bytes, skipped, scanned, .. } = table.meta()?;
    let nothing = Bits::new(table.files() as usize);
    let freshened = engine::compare_tree(snapshot, DirId(0), &nothing, engine.environment())?;
    let watching = has_watcher(engine);
    let freshness = match freshened {
        Comparison::Diff(view) => Freshness {
            state: if view.is_unchanged() { "current" } else { "behind" },
            watching,
            changed: view.changed.len() as u64,
            added: view.added.len() as u64,
            gone: view.gone.len() as u64,
            reason: None,
        },
        Comparison::Rewalk(reason) => {
            let reason = Some(reason);
            Freshness { state: "walk", watching, changed: 0, added: 0, gone: 0, reason }
        }
    };
    let mut live_units = 0;
    for file in (0..table.files()).map(crate::base::ids::FileId) {
        live_units += table.file(file)?.units.len() as u64;
    }
    let units: u64 = table.segment_units().map(u64::from).sum();
    let trigrams: u64 = snapshot.segments.iter().map(|s| s.container().len_bytes()).sum();
    let (code, code_unusable) = match engine::code_status(engine, snapshot) {
        Ok(code) => (code, None),
        Err(error) => (CodeStatus::default(), Some(error.to_string())),
    };
    let mut sizes =
        BTreeMap::from([("trigrams", trigrams), ("table", table.container().len_bytes())]);
    sizes.extend(code.exists.then_some(("code", code.code_bytes)));
    sizes.extend((code.text_bytes > 0).then_some(("text", code.text_bytes)));
    let history = engine::history_status(engine);
    sizes.extend(history.exists.then_some(("history", history.len_bytes)));
    Ok(Status {
        root: engine.root().display().to_string(),
        index_dir: engine.store().dir().display().to_string(),
        files: u64::from(table.files()),
        bytes: text_bytes,
        generation: snapshot.generation,
        ready: true,
        full: code.is_full(),
        freshness,
        skipped,
        scanned,
        sizes,
        code: code.exists.then_some(CodeSummary {
            files: code.known,
            missing: code.missing,
            symbols: code.symbols,
            references: code.references,
            problems: code.problems,
            languages: code.languages,
            failed: code.failed.iter().map(unparsed).collect(),
            text_behind: code.text_behind,
            text_unusable: code.text_unusable,
        }),
        code_unusable,
        history: history.has_repository.then_some(HistorySummary {
            commits: history.commits,
            behind: history.is_behind || !history.exists,
            cut: history.is_cut,
            shallow: history.is_shallow,
            unusable: history.unusable,
        }),
        segments: snapshot.segments.len() as u64,
        live_units,
        dead_units: units.saturating_sub(live_units),
        memory_bytes: resident_bytes(),
        open_ms,
    })
}

fn unparsed((path, problem): &(Vec<u8>, Problem)) -> UnparsedFile {
    let path = String::from_utf8_lossy(path).into_owned();
    UnparsedFile { path, reason: problem.describe().unwrap_or_default() }
}

fn missing(engine: &Engine) -> Status {
    Status {
        root: engine.root().display().to_string(),
        index_dir: engine.store().dir().display().to_string(),
        files: 0,
        bytes: 0,
        generation: 0,
        ready: false,
        full: false,
        freshness: Freshness {
            state: "missing",
            watching: false,
            changed: 0,
            added: 0,
            gone: 0,
            reason: None,
        },
        skipped: BTreeMap::new(),
        scanned: BTreeMap::new(),
        sizes: BTreeMap::new(),
        code: None,
        code_unusable: None,
        history: None,
        segments: 0,
        live_units: 0,
        dead_units: 0,
        memory_bytes: resident_bytes(),
        open_ms: 0.0,
    }
}

fn text(status: &Status) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<11} {value}");
    };
    line("root", super::report::plain(&status.root));
    line("index", super::report::plain(&status.index_dir));
    if !status.ready {
        line(
            "state",
            "not indexed; `codedb index` builds the index, and so does the first search".into(),
        );
        return out;
    }
    line("files", format!("{}, {}", status.files, HumanBytes(status.bytes)));
    let fresh = &status.freshness;
    let state = match fresh.state {
        "behind" => format!(
            "outdated: {} changed, {} added, {} deleted files (searches find them nevertheless)",
            fresh.changed, fresh.added, fresh.gone
        ),
        "walk" => format!("outdated: {}", fresh.reason.unwrap_or("the tree must be walked")),
        other => other.to_owned(),
    };
    line("state", state);
    line("watcher", if fresh.watching { "running" } else { "not running" }.to_owned());
    line("generation", status.generation.to_string());
    let sizes = status.sizes.iter().map(|(part, bytes)| format!("{part} {}", HumanBytes(*bytes)));
    line("on disk", sizes.collect::<Vec<_>>().join(", "));
    line("code", code_text(status));
    let failed = status.code.iter().flat_map(|code| &code.failed);
    for UnparsedFile { path, reason } in failed {
        line("failed", format!("{}: {reason}", super::report::plain(path)));
    }
    let errors = status.code.as_ref().map(errors_text).unwrap_or_default();
    if !errors.is_empty() {
        line("syntax", format!("not understood in {errors} files"));
    }
    line("history", history_text(status));
    let units = format!("{} live units, {} dead", status.live_units, status.dead_units);
    line("segments", format!("{}: {units}", status.segments));
    let counts = |counts: Vec<(String, u64)>| {
        let parts: Vec<String> =
            counts.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
    };
    let name = |reason: &Skipped| {
        serde_json::to_value(reason).ok().and_then(|name| name.as_str().map(str::to_owned))
    };
    let skipped = status.skipped.iter().map(|(reason, n)| (name(reason).unwrap_or_default(), *n));
    line("skipped", counts(skipped.collect()));
    let scanned = status.scanned.iter().map(|(reason, n)| (reason.clone(), *n));
    line("unindexed", format!("{} (every search reads them)", counts(scanned.collect())));
    out
}

fn code_text(status: &Status) -> String {
    if let Some(reason) = &status.code_unusable {
        return format!("{}; rebuild it with `codedb index`", super::report::plain(reason));
    }
    let Some(code) = &status.code else {
        return "not built; `codedb index` builds it".to_owned();
    };
    let mut text = format!("{} symbols, {} references", code.symbols, code.references);
    let _ = write!(text, " in {} files", code.files);
    if code.missing > 0 {
        let _ = write!(text, ", {} files missing", code.missing);
    }
    for (problem, count) in &code.problems {
        if problem.describe().is_some() {
            let name = serde_json::to_value(problem).unwrap_or_default();
            let _ = write!(text, ", {count} {}", name.as_str().unwrap_or_default());
        }
    }
    if let Some(reason) = &code.text_unusable {
        let reason = super::report::plain(reason);
        let _ = write!(text, "; {reason}; `codedb index` builds it");
    }
    text
}

/// Returns how many of the files of each language the parser does not understand completely.
fn errors_text(code: &CodeSummary) -> String {
    let with_errors = code.languages.iter().filter(|(_, of)| of.with_errors > 0);
    let counts = with_errors.map(|(name, of)| format!("{} of {} {name}", of.with_errors, of.files));
    counts.collect::<Vec<_>>().join(", ")
}

fn history_text(status: &Status) -> String {
    let Some(history) = &status.history else { return "no repository".to_owned() };
    if let Some(reason) = &history.unusable {
        return format!("{}; `codedb index` reads it again", super::report::plain(reason));
    }
    if history.commits == 0 && history.behind {
        return "not read yet; `codedb index` reads it".to_owned();
    }
    let mut text = format!("{} commits", history.commits);
    let notes = [
        (history.cut, ", older ones omitted"),
        (history.shallow, ", shallow clone"),
        (history.behind, "; behind HEAD; `codedb index` reads the rest"),
    ];
    notes.iter().filter(|(is, _)| *is).for_each(|(_, note)| text.push_str(note));
    text
}

/// Returns the resident memory of the process in bytes; 0 if it is unknown.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
