//! `codedb status`: the contents of the index of a tree, and whether it is up to date.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use indicatif::HumanBytes;
use serde::Serialize;

use super::display::{self, Display};
use super::index::{common_args, has_watcher, print, tree_options};
use super::screen::{self, Screen};
use super::tool::now_ns;
use super::{place, report};
use crate::answer::page::{Block, Cell, Column, Grade, Page, Table};
use crate::base::bits::Bits;
use crate::base::ids::DirId;
use crate::base::text::counted;
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
        .arg(screen::format_arg())
        .args(display::args())
        .args(screen::args())
}

/// How a tree without an index gets one.
const BUILDING: &str = "`codedb index` builds the index, and so does the first search";

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
    let display = Display::new(engine.root(), matches);
    let opening = std::time::Instant::now();
    let snapshot = engine.snapshot()?;
    let open_ms = opening.elapsed().as_secs_f64() * 1e3;
    let status = match &snapshot {
        Some(snapshot) => of_snapshot(&engine, snapshot, open_ms)?,
        None => missing(&engine),
    };
    if screen::is_json(matches) {
        let text = serde_json::to_string(&status)
            .map_err(|error| Error::new(Kind::Io, error.to_string()))?;
        print(&format!("{text}\n"))?;
    } else if screen::is_chosen(matches) {
        Screen::new(matches, now_ns()).print(&page(&status), &display)?;
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
    line("root", report::plain(&status.root));
    line("index", report::plain(&status.index_dir));
    if !status.ready {
        line("state", format!("not indexed; {BUILDING}"));
        return out;
    }
    line("files", format!("{}, {}", status.files, HumanBytes(status.bytes)));
    line("state", status.freshness.text());
    line("watcher", status.freshness.watcher().to_owned());
    line("generation", status.generation.to_string());
    let sizes = status.sizes.iter().map(|(part, bytes)| format!("{part} {}", HumanBytes(*bytes)));
    line("on disk", sizes.collect::<Vec<_>>().join(", "));
    line("code", code_text(status, plural));
    let failed = status.code.iter().flat_map(|code| &code.failed);
    for UnparsedFile { path, reason } in failed {
        line("failed", format!("{}: {reason}", report::plain(path)));
    }
    let errors = status.code.as_ref().map(errors_text).unwrap_or_default();
    if !errors.is_empty() {
        line("syntax", format!("not understood in {errors} files"));
    }
    line("history", history_text(status, plural));
    line("segments", format!("{}: {}", status.segments, units_text(status, plural)));
    line("skipped", skipped_text(status));
    line("unindexed", format!("{} (every search reads them)", unindexed_text(status)));
    out
}

/// Returns the page of a status: whether the index is current, what it has, its parts by size, and what
/// is not understood.
fn page(status: &Status) -> Page {
    let state = &status.freshness;
    let head = match state.state {
        "current" => vec![Cell::Level(Grade::Good, "current")],
        "missing" => vec![Cell::Level(Grade::Bad, "not indexed")],
        _ => {
            let text = state.text();
            let why = text.strip_prefix("outdated: ").unwrap_or(&text);
            vec![Cell::Level(Grade::Fair, "outdated:"), Cell::text(why)]
        }
    };
    let place = |name: &str, path: &str| Block::Line(vec![Cell::faint(name), Cell::text(path)]);
    let mut blocks =
        vec![Block::Line(head), place("root:", &status.root), place("index:", &status.index_dir)];
    if !status.ready {
        blocks.push(Block::Note(BUILDING.to_owned()));
        return Page { blocks };
    }
    // No column is cut: a table that is too wide is shown line by line.
    let mut table = Table::new([Column::left(""), Column::left("")]);
    let mut row = |name: &str, value: String| table.row([Cell::faint(name), Cell::text(value)]);
    row("files", format!("{}, {}", status.files, HumanBytes(status.bytes)));
    row("code", code_text(status, number));
    row("history", history_text(status, number));
    row("watcher", state.watcher().to_owned());
    row("generation", status.generation.to_string());
    row("segments", format!("{}: {}", status.segments, units_text(status, number)));
    row("skipped", skipped_text(status));
    row("not indexed", unindexed_text(status));
    blocks.push(Block::Table(table));
    let mut sizes = Table::new([Column::left("ON DISK"), Column::right("SIZE"), Column::left("")]);
    let most = status.sizes.values().copied().max().unwrap_or_default();
    for (part, bytes) in &status.sizes {
        let bar = Cell::bar(*bytes as f64, most as f64);
        sizes.row([Cell::text(*part), Cell::Size(*bytes), bar]);
    }
    blocks.push(Block::Table(sizes));
    let Some(code) = &status.code else { return Page { blocks } };
    let mut failed = Table::new([Column::cut("NOT PARSED COMPLETELY"), Column::left("WHY")]);
    for UnparsedFile { path, reason } in &code.failed {
        failed.row([Cell::Path(path.clone()), Cell::text(*reason)]);
    }
    blocks.push(Block::Table(failed));
    let mut languages = Table::new([
        Column::cut("LANGUAGE"),
        Column::right("FILES"),
        Column::right("NOT UNDERSTOOD"),
        Column::left(""),
    ]);
    for (name, of) in code.languages.iter().filter(|(_, of)| of.with_errors > 0) {
        languages.row([
            Cell::text(*name),
            Cell::Number(of.files),
            Cell::Number(of.with_errors),
            Cell::bar(of.with_errors as f64, of.files as f64),
        ]);
    }
    blocks.push(Block::Table(languages));
    Page { blocks }
}

impl Freshness {
    fn text(&self) -> String {
        match self.state {
            "behind" => format!(
                "outdated: {} changed, {} added, {} deleted files (searches find them nevertheless)",
                self.changed, self.added, self.gone
            ),
            "walk" => format!("outdated: {}", self.reason.unwrap_or("the tree must be walked")),
            other => other.to_owned(),
        }
    }

    fn watcher(&self) -> &'static str {
        if self.watching { "running" } else { "not running" }
    }
}

/// Returns a number with its noun. Text for scripts has the plural of each, see [`plural`].
fn number(count: u64, noun: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), noun)
}

fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}s")
}

fn units_text(status: &Status, counted: fn(u64, &str) -> String) -> String {
    format!("{}, {} dead", counted(status.live_units, "live unit"), status.dead_units)
}

fn skipped_text(status: &Status) -> String {
    let skipped = status.skipped.iter().map(|(reason, n)| (reason.name().to_owned(), *n));
    counts_text(skipped)
}

fn unindexed_text(status: &Status) -> String {
    counts_text(status.scanned.iter().map(|(reason, n)| (reason.clone(), *n)))
}

fn counts_text(counts: impl Iterator<Item = (String, u64)>) -> String {
    let parts: Vec<String> = counts.map(|(reason, count)| format!("{count} {reason}")).collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

fn code_text(status: &Status, counted: fn(u64, &str) -> String) -> String {
    if let Some(reason) = &status.code_unusable {
        return format!("{}; rebuild it with `codedb index`", report::plain(reason));
    }
    let Some(code) = &status.code else {
        return "not built; `codedb index` builds it".to_owned();
    };
    let mut text = counted(code.symbols, "symbol");
    let _ = write!(text, ", {}", counted(code.references, "reference"));
    let _ = write!(text, " in {}", counted(code.files, "file"));
    if code.missing > 0 {
        let _ = write!(text, ", {} missing", counted(code.missing, "file"));
    }
    for (problem, count) in &code.problems {
        if problem.describe().is_some() {
            let name = serde_json::to_value(problem).unwrap_or_default();
            let _ = write!(text, ", {count} {}", name.as_str().unwrap_or_default());
        }
    }
    if let Some(reason) = &code.text_unusable {
        let reason = report::plain(reason);
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

fn history_text(status: &Status, counted: fn(u64, &str) -> String) -> String {
    let Some(history) = &status.history else { return "no repository".to_owned() };
    if let Some(reason) = &history.unusable {
        return format!("{}; `codedb index` reads it again", report::plain(reason));
    }
    if history.commits == 0 && history.behind {
        return "not read yet; `codedb index` reads it".to_owned();
    }
    let mut text = counted(history.commits, "commit");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::screen::tests::shown;

    /// The status of a shop with an index.
    fn shop() -> Status {
        let failed = |path: &str, reason| UnparsedFile { path: path.to_owned(), reason };
        let files = |files, with_errors| LanguageFiles { files, with_errors };
        Status {
            root: "/home/ann/shop".to_owned(),
            index_dir: "/home/ann/.cache/codedb/shop-5f0c".to_owned(),
            files: 412,
            bytes: 3_400_000,
            generation: 7,
            ready: true,
            full: true,
            freshness: Freshness {
                state: "behind",
                watching: true,
                changed: 1,
                added: 2,
                gone: 0,
                reason: None,
            },
            skipped: BTreeMap::from([(Skipped::Ignored, 31)]),
            scanned: BTreeMap::from([("binary".to_owned(), 4)]),
            sizes: BTreeMap::from([("code", 900_000), ("table", 60_000), ("trigrams", 1_200_000)]),
            code: Some(CodeSummary {
                files: 398,
                missing: 1,
                symbols: 6_120,
                references: 48_003,
                problems: BTreeMap::new(),
                languages: BTreeMap::from([("javascript", files(120, 3)), ("rust", files(278, 0))]),
                failed: vec![failed("web/vendor/a.js", "it nests too deeply")],
                text_behind: 0,
                text_unusable: None,
            }),
            code_unusable: None,
            history: Some(HistorySummary {
                commits: 1,
                behind: false,
                cut: false,
                shallow: true,
                unusable: None,
            }),
            segments: 2,
            live_units: 431,
            dead_units: 12,
            memory_bytes: 0,
            open_ms: 0.5,
        }
    }

    #[test]
    fn status_as_a_page() {
        insta::assert_snapshot!("status", shown(&page(&shop())));
        let current = Freshness { state: "current", ..shop().freshness };
        let plain = Status { freshness: current, code: None, history: None, ..shop() };
        insta::assert_snapshot!("status_without_code", shown(&page(&plain)));
        let missing = Freshness { state: "missing", ..shop().freshness };
        let missing = Status { ready: false, freshness: missing, ..shop() };
        insta::assert_snapshot!("status_without_an_index", shown(&page(&missing)));
    }
}
