//! `codedb status`: what the index of a tree holds and how far it is behind.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use indicatif::HumanBytes;
use serde::Serialize;

use super::index::{asked, common_args, has_watcher, print};
use super::place;
use crate::base::bits::Bits;
use crate::base::ids::DirId;
use crate::engine::{self, CodeStatus, Comparison, Engine};
use crate::error::{Error, Kind, Result};
use crate::index::snapshot::Snapshot;
use crate::index::table::Meta;
use crate::lang::Problem;
use crate::source::walk::Skipped;

pub(super) fn command() -> Command {
    Command::new("status")
        .about("Tell what the index holds and whether it is up to date")
        .args(common_args())
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Answer in JSON, for programs"),
        )
}

/// The reply; fields may be added, never renamed.
#[derive(Debug, Serialize)]
struct Status {
    root: String,
    index_dir: String,
    files: u64,
    bytes: u64,
    generation: u64,
    /// Searches are served from the index.
    ready: bool,
    /// Every part of the index is there.
    full: bool,
    freshness: Freshness,
    /// Entries that no search looks at, by reason.
    skipped: BTreeMap<Skipped, u64>,
    /// Files that are not indexed but read by every search, by reason.
    scanned: BTreeMap<String, u64>,
    /// Bytes on disk, by part.
    sizes: BTreeMap<&'static str, u64>,
    /// Symbols, references and words; absent where they are not built.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    /// Why those that are built cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_unusable: Option<String>,
    /// The log of commits; absent where there is no repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<History>,
    segments: u64,
    live_units: u64,
    dead_units: u64,
    memory_bytes: u64,
    /// Milliseconds that opening the index took.
    open_ms: f64,
}

#[derive(Debug, Serialize)]
struct Code {
    files: u64,
    missing: u64,
    symbols: u64,
    references: u64,
    /// Files whose symbols may be incomplete, by reason.
    problems: BTreeMap<Problem, u64>,
    /// Files that the text index does not know as they are; whoever ranks reads them.
    text_behind: u64,
    /// Why there is no text index.
    #[serde(skip_serializing_if = "Option::is_none")]
    text_unusable: Option<String>,
}

#[derive(Debug, Serialize)]
struct History {
    /// Commits in the log; 0 where it was not read yet.
    commits: u64,
    /// It is not that of HEAD; who asks reads what is missing as long as that is little.
    behind: bool,
    /// There are older commits than it holds.
    cut: bool,
    /// The repository lacks its older commits.
    shallow: bool,
    /// Why it cannot be used or compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    unusable: Option<String>,
}

#[derive(Debug, Serialize)]
struct Freshness {
    /// `current`, `behind`, `walk` (a search must walk the tree anew) or `missing`.
    state: &'static str,
    /// A watcher answers for this tree.
    watching: bool,
    changed: u64,
    added: u64,
    gone: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&asked(matches))?;
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
    let Meta { text_bytes, skipped, scanned, .. } = table.meta()?;
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
        code: code.exists.then_some(Code {
            files: code.known,
            missing: code.missing,
            symbols: code.symbols,
            references: code.references,
            problems: code.problems,
            text_behind: code.text_behind,
            text_unusable: code.text_unusable,
        }),
        code_unusable,
        history: history.has_repository.then_some(History {
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
        line("state", "not indexed; `codedb index` builds it, and so does the first search".into());
        return out;
    }
    line("files", format!("{}, {}", status.files, HumanBytes(status.bytes)));
    let fresh = &status.freshness;
    let state = match fresh.state {
        "behind" => format!(
            "behind: {} changed, {} added, {} gone (a search sees them all the same)",
            fresh.changed, fresh.added, fresh.gone
        ),
        "walk" => format!("behind: {}", fresh.reason.unwrap_or("the tree must be walked")),
        other => other.to_owned(),
    };
    line("state", state);
    line("watcher", if fresh.watching { "running" } else { "none" }.to_owned());
    line("generation", status.generation.to_string());
    let sizes = status.sizes.iter().map(|(part, bytes)| format!("{part} {}", HumanBytes(*bytes)));
    line("on disk", sizes.collect::<Vec<_>>().join(", "));
    line("code", code_text(status));
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
    line("left out", counts(skipped.collect()));
    let scanned = status.scanned.iter().map(|(reason, n)| (reason.clone(), *n));
    line("unindexed", format!("{} (read by every search)", counts(scanned.collect())));
    out
}

fn code_text(status: &Status) -> String {
    if let Some(reason) = &status.code_unusable {
        return format!("{}; `codedb index` builds it anew", super::report::plain(reason));
    }
    let Some(code) = &status.code else {
        return "not built; `codedb index` makes symbols, references and words".to_owned();
    };
    let mut text = format!("{} symbols and {} references", code.symbols, code.references);
    let _ = write!(text, " of {} files", code.files);
    if code.missing > 0 {
        let _ = write!(text, ", {} files are missing", code.missing);
    }
    for (problem, count) in &code.problems {
        if problem.describe().is_some() {
            let name = serde_json::to_value(problem).unwrap_or_default();
            let _ = write!(text, ", {count} {}", name.as_str().unwrap_or_default());
        }
    }
    if let Some(reason) = &code.text_unusable {
        let reason = super::report::plain(reason);
        let _ = write!(text, "; {reason}, `codedb index` builds it");
    }
    text
}

fn history_text(status: &Status) -> String {
    let Some(history) = &status.history else { return "no repository".to_owned() };
    if let Some(reason) = &history.unusable {
        return format!("{}; `codedb index` reads it anew", super::report::plain(reason));
    }
    if history.commits == 0 && history.behind {
        return "not read; `codedb index` reads the log of commits".to_owned();
    }
    let mut text = format!("{} commits", history.commits);
    let notes = [
        (history.cut, ", older ones are left out"),
        (history.shallow, ", the clone lacks older ones"),
        (history.behind, "; behind HEAD, `codedb index` reads the rest"),
    ];
    notes.iter().filter(|(is, _)| *is).for_each(|(_, note)| text.push_str(note));
    text
}

/// Returns the process's resident memory, 0 where it cannot be told.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
