//! `codedb doctor`: checks the installation, the index and the system, and shows how to fix problems.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use super::index::{common_args, print, tree_options};
use super::installation::Installation;
use super::{init, place, report};
use crate::engine::{self, Engine};
use crate::error::Result;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::store;
use crate::index::table::Flags;
use crate::source::{file_system, free_bytes, may_write};
use crate::userdata::Location;

/// What selects another cache directory.
const INDEX_OPTION: &str = "`--index-dir` or CODEDB_INDEX_DIR";

/// What selects another data directory.
const DATA_OPTION: &str = "`--data-dir` or CODEDB_DATA_DIR";

/// The free space of a file system below which builds may fail.
const FREE_BYTES_MIN: u64 = 512 << 20;

/// The maximum number of entries that are read to find a file in the tree.
const ENTRIES_MAX: usize = 20_000;

pub(super) fn command() -> Command {
    Command::new("doctor")
        .about("Check the index and the system, and show how to fix problems")
        .long_about(
            "Shows how codedb was installed, which agents have it and where it stores data; checks all checksums of the index, \
             the file systems and the limits for watching; lists what searches skip. The exit code is 2 \
             if there is a problem to fix.",
        )
        .args(common_args())
}

/// The results of the checks, one line each.
#[derive(Default)]
struct Findings {
    text: String,
    bad: bool,
}

impl Findings {
    fn good(&mut self, what: &str, found: impl std::fmt::Display) {
        let _ = writeln!(self.text, "ok    {what}: {}", report::plain(&found.to_string()));
    }

    fn note(&mut self, what: &str, found: impl std::fmt::Display, fix: &str) {
        let _ = writeln!(self.text, "note  {what}: {}", report::plain(&found.to_string()));
        let _ = writeln!(self.text, "      {fix}");
    }

    fn bad(&mut self, what: &str, found: impl std::fmt::Display, fix: &str) {
        self.bad = true;
        let _ = writeln!(self.text, "WRONG {what}: {}", report::plain(&found.to_string()));
        let _ = writeln!(self.text, "      {fix}");
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let options = tree_options(matches);
    let engine = place::engine(&options)?;
    let mut findings = Findings::default();
    check_installation(&mut findings);
    check_agents(engine.root(), &mut findings);
    findings.good("tree", engine.root().display());
    if let Some(reason) = place::too_wide(engine.root()) {
        findings.note(
            "tree",
            reason,
            "it is searched without an index; `codedb index --insist` builds one",
        );
    }
    let mut left = ENTRIES_MAX;
    let is_empty = !holds_a_file(engine.root(), &mut left);
    if is_empty {
        findings.note(
            "tree",
            "the directory holds no file",
            "there is nothing to index; choose another tree with `--root`",
        );
    }
    let cache = place::cache(&options)?;
    check_cache(&engine, &cache, is_empty, &mut findings);
    let data = place::data(&options)?;
    report_data(&cache, data.as_ref(), &mut findings);
    check_space("cache", &cache.0, INDEX_OPTION, &mut findings);
    if let Some(Location(data)) = &data {
        check_writable("data", data, DATA_OPTION, &mut findings);
        check_space("data", data, DATA_OPTION, &mut findings);
    }
    let snapshot = check_index(&engine, &mut findings);
    check_file_systems(&engine, &mut findings);
    check_watching(snapshot.as_ref(), &mut findings);
    if let Some(snapshot) = &snapshot {
        // Unreadable blocks were reported with the checksums.
        let _ = report_skipped(snapshot, &mut findings);
    }
    print(&findings.text)?;
    Ok(ExitCode::from(if findings.bad { 2 } else { 0 }))
}

/// Reports which program runs, and whether a shell finds the same one.
fn check_installation(findings: &mut Findings) {
    findings.good("version", env!("CARGO_PKG_VERSION"));
    let installation = match Installation::of_this_process() {
        Ok(installation) => installation,
        Err(error) => return findings.note("program", error, "searches work nevertheless"),
    };
    let path = installation.program.display();
    findings.good("program", format_args!("{path}, installed {}", installation.described()));
    match &installation.on_path {
        Some(found) if installation.is_on_path => findings.good("PATH", found.display()),
        Some(found) => findings.note(
            "PATH",
            format_args!("{} is another codedb", found.display()),
            "a shell starts that one; remove it, or place the directory of this one before it",
        ),
        None => findings.note(
            "PATH",
            "no directory of it contains codedb",
            "a shell does not find this program by its name; add its directory, or install it",
        ),
    }
}

/// Reports which agents and editors start the server, and have the skill or the hook.
fn check_agents(root: &Path, findings: &mut Findings) {
    let Ok(clients) = init::installed::parts(root) else { return };
    let named = |(name, parts): &(&str, Vec<&str>)| format!("{name} ({})", parts.join(", "));
    let clients: Vec<String> = clients.iter().map(named).collect();
    findings.good(
        "agents",
        if clients.is_empty() {
            "none has codedb; `codedb init` registers it".to_owned()
        } else {
            clients.join(", ")
        },
    );
}

/// Reports the directory of recorded data, and what remains after codedb was uninstalled.
fn report_data(cache: &place::Cache, data: Option<&Location>, findings: &mut Findings) {
    let mut stored = vec![cache.0.as_path()];
    match data.map(|Location(directory)| directory) {
        Some(directory) if directory.exists() => {
            let size = indicatif::HumanBytes(bytes_below(directory));
            findings.good("data", format_args!("{} holds {size}", directory.display()));
            stored.push(directory);
        }
        Some(directory) => {
            findings.good("data", format_args!("nothing is recorded in {}", directory.display()));
        }
        None => findings.good("data", "no directory: neither a home nor a data directory is set"),
    }
    let stored: Vec<String> = stored
        .into_iter()
        .filter(|directory| directory.exists())
        .map(|directory| directory.display().to_string())
        .collect();
    findings.good(
        "uninstall",
        if stored.is_empty() {
            "codedb stored no data; see `codedb help uninstall`".to_owned()
        } else {
            let stored = stored.join(" and ");
            format!("codedb stored data only in {stored}; see `codedb help uninstall`")
        },
    );
}

/// Returns the size of all files below a directory. Links are not followed.
fn bytes_below(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

/// Returns true if there is a file below a directory, or if `left` entries were not enough to find
/// out. Links are not followed, and the data of version control does not count.
fn holds_a_file(directory: &Path, left: &mut usize) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else { return true };
    let mut below = Vec::new();
    for entry in entries.flatten() {
        *left = left.saturating_sub(1);
        let kind = entry.file_type();
        match kind {
            _ if *left == 0 => return true,
            Ok(kind) if kind.is_dir() => below.push(entry),
            _ => return true,
        }
    }
    below.retain(|entry| entry.file_name() != ".git");
    below.iter().any(|entry| holds_a_file(&entry.path(), left))
}

/// Returns the nearest ancestor of a directory that exists: a directory that does not exist yet is
/// created there.
fn existing(directory: &Path) -> &Path {
    let mut ancestors = directory.ancestors();
    ancestors.find(|dir| dir.symlink_metadata().is_ok()).unwrap_or(directory)
}

/// Reports a directory that cannot be written. `option` names what selects another one.
fn check_writable(what: &str, directory: &Path, option: &str, findings: &mut Findings) {
    let existing = existing(directory);
    if !existing.is_dir() || !may_write(existing) {
        findings.bad(
            what,
            format_args!("{} cannot be written", directory.display()),
            &format!("make it writable, or choose another directory with {option}"),
        );
    }
}

/// Reports a directory whose file system is almost full. `option` names what selects another one.
fn check_space(what: &str, directory: &Path, option: &str, findings: &mut Findings) {
    if let Some(free) = free_bytes(existing(directory)) {
        report_space(what, directory, free, option, findings);
    }
}

fn report_space(what: &str, directory: &Path, free: u64, option: &str, findings: &mut Findings) {
    if free >= FREE_BYTES_MIN {
        return;
    }
    let (free, min) = (indicatif::HumanBytes(free), indicatif::HumanBytes(FREE_BYTES_MIN));
    let shown = directory.display();
    findings.note(
        what,
        format_args!("only {free} are free in {shown}, less than {min}"),
        &format!("builds may fail; make room, or choose another directory with {option}"),
    );
}

fn check_cache(engine: &Engine, cache: &place::Cache, is_empty: bool, findings: &mut Findings) {
    let used = store::cache_bytes(&cache.0);
    let max = place::cache_bytes_max();
    let folder = cache.0.display();
    let (used, max) = (indicatif::HumanBytes(used), indicatif::HumanBytes(max));
    findings.good("cache", format_args!("{folder} holds {used} of {max}"));
    match engine.store().lock() {
        Ok(lock) => drop(lock),
        // A build of nothing is no news.
        Err(error) if error.kind() == crate::Kind::Busy && is_empty => {}
        Err(error) if error.kind() == crate::Kind::Busy => {
            findings.note("writer", error, "searches do not need the lock; wait before a refresh");
        }
        Err(error) => findings.bad(
            "cache",
            error,
            &format!(
                "searches work without an index; choose a writable directory with {INDEX_OPTION}"
            ),
        ),
    }
}

fn check_index(engine: &Engine, findings: &mut Findings) -> Option<Snapshot> {
    let fix = "searches do not use it; rebuild it with `codedb index --rebuild`";
    let snapshot = match engine.snapshot() {
        Ok(Some(snapshot)) => snapshot,
        Ok(None) => {
            findings.note("index", "there is none", "build it with `codedb index`");
            return None;
        }
        Err(error) => {
            findings.bad("index", error, fix);
            return None;
        }
    };
    let segments = snapshot.segments.iter().map(Segment::container);
    let mut is_sound = true;
    for container in std::iter::once(snapshot.table.container()).chain(segments) {
        if let Err(error) = container.check_all() {
            findings.bad("checksums", error, fix);
            is_sound = false;
        }
    }
    if let Err(error) = engine::check_code(engine) {
        findings.bad("code index", error, "rebuild it with `codedb index`");
        is_sound = false;
    }
    if is_sound {
        let generation = snapshot.generation;
        findings.good("checksums", format_args!("every block of generation {generation}"));
    }
    Some(snapshot)
}

fn check_file_systems(engine: &Engine, findings: &mut Findings) {
    let index = engine.store().dir();
    let index = index.ancestors().find(|dir| dir.exists()).unwrap_or(index);
    for (what, path) in [("tree's file system", engine.root()), ("index's file system", index)] {
        let kind = file_system(path);
        if kind.is_network() {
            findings.note(
                what,
                &kind.name,
                "a watcher does not see changes by other machines, strict searches do; index files \
                 are read instead of memory-mapped",
            );
        } else {
            findings.good(what, &kind.name);
        }
    }
}

fn check_watching(snapshot: Option<&Snapshot>, findings: &mut Findings) {
    let limit = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let Some(watches) = limit("max_user_watches") else { return };
    let needed = snapshot.map_or(0, |snapshot| u64::from(snapshot.table.dirs()));
    let found = format!("{watches} inotify watches allowed, {needed} directories in the tree");
    if watches < needed + needed / 4 {
        findings.bad(
            "watching",
            found,
            "raise the limit with `sysctl fs.inotify.max_user_watches=524288`; strict searches need no \
             watches",
        );
    } else {
        findings.good("watching", found);
    }
}

fn report_skipped(snapshot: &Snapshot, findings: &mut Findings) -> Result<()> {
    let meta = snapshot.table.meta()?;
    for (reason, count) in &meta.skipped {
        let name = reason.name();
        let fix = match name {
            "hidden" => "search them with --hidden, or -uu",
            "ignored" => "search them with --no-ignore, or -u; `--debug` shows the rule",
            "symlink" => "follow them with -L",
            "unreadable" => "fix the permissions of the directory",
            _ => "they contain no searchable text",
        };
        findings.note("skipped", format_args!("{count} {name}"), fix);
    }
    let tracked = snapshot.table.flagged(Flags::TRACKED)?.len();
    if tracked > 0 {
        findings.note(
            "tracked",
            format_args!("{tracked} hidden or ignored, but tracked by git"),
            "tools know them; `codedb search` leaves them out, as ripgrep does",
        );
    }
    for (reason, count) in &meta.scanned {
        let fix = match reason.as_str() {
            "secret" => "secrets are never indexed; every search reads them",
            "large" => "larger than 64 MiB; every search reads them",
            "utf-16" => "UTF-16; every search decodes them",
            _ => "`codedb index` indexes them as soon as they are readable and no longer change",
        };
        findings.note("unindexed", format_args!("{count} {reason}"), fix);
    }
    if meta.problems > 0 {
        findings.note(
            "walk",
            format_args!("{} problems, which every search reports", meta.problems),
            "fix them: until then, each search walks the whole tree",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_that_is_almost_full_is_reported() {
        let report = |free: u64| {
            let mut findings = Findings::default();
            let directory = Path::new("/cache");
            report_space("cache", directory, free, "`--index-dir`", &mut findings);
            findings.text
        };
        assert_eq!(report(FREE_BYTES_MIN), "");
        let text = report(5 << 20);
        assert!(text.starts_with("note  cache: only 5.00 MiB are free in /cache"), "{text}");
        assert!(text.contains("512.00 MiB") && text.contains("`--index-dir`"), "{text}");
    }
}
