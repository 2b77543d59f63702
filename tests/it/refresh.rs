//! After any sequence of edits, a refreshed index equals a rebuilt one, and edits that are not yet
//! refreshed are detected.
//!
//! `CODEDB_SEED` sets another first round; `CODEDB_LONG=1` runs more rounds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use codedb::base::bits::Bits;
use codedb::base::ids::{DirId, FileId};
use codedb::engine::{self, Built, Comparison, Engine, Progress};
use codedb::index::snapshot::Snapshot;
use codedb::index::store::Store;
use codedb::query::candidates::{Demand, candidates};
use codedb::query::pattern::PatternOptions;
use codedb::query::plan::Plan;
use codedb::source::walk::Environment;

use crate::support::mutate::mutate;
use crate::support::place::{Place, long, settle, text};
use crate::support::prng::Prng;
use crate::support::tree::Tree;

/// The patterns whose candidates are compared: words of the generated contents and of this file.
const PATTERNS: &[&str] = &[
    "foo",
    "fn ",
    "return",
    "alpha",
    "gamma_ray",
    "(?i)zeta_max",
    "upsilon.*(phi|rho)",
    "[a-z]+_ray",
    "the",
    "int|char",
    "\u{e9}",
    "TODO",
    "(?i)kelvin",
    "alpha\\s+Beta",
];

/// The record of a file in an index.
#[derive(Debug, Eq, PartialEq)]
struct Entry {
    flags: u16,
    hash: u128,
    units: usize,
}

/// The contents of an index, independent of its numbering.
#[derive(Debug, Eq, PartialEq)]
struct Contents {
    files: BTreeMap<String, Entry>,
    dirs: Vec<String>,
    sources: BTreeSet<String>,
    skipped: String,
    candidates: Vec<(String, BTreeSet<String>)>,
}

fn engine_of(root: PathBuf, dir: PathBuf) -> Engine {
    let environment = Environment { global_excludes: None, threads: 2 };
    let root = root.canonicalize().expect("the tree exists");
    Engine::new(root, Store::new(dir, false), environment)
}

fn refresh(engine: &Engine) -> Built {
    engine::refresh(engine, &Progress::default()).expect("a refresh")
}

fn afresh(engine: &Engine) -> Snapshot {
    engine::build_in_memory(engine, &Progress::default()).expect("a build")
}

fn name(path: &[u8]) -> String {
    path.escape_ascii().to_string()
}

fn paths(snapshot: &Snapshot) -> Vec<String> {
    let table = &snapshot.table;
    (0..table.files()).map(|id| name(&table.path(FileId(id)).expect("it is valid"))).collect()
}

fn contents(snapshot: &Snapshot) -> Contents {
    let table = &snapshot.table;
    let paths = paths(snapshot);
    let entry = |id: u32| {
        let file = table.file(FileId(id)).expect("it is valid");
        let hash = table.hash(FileId(id)).expect("it is valid");
        Entry { flags: file.flags.0, hash, units: file.units.len() }
    };
    let dir = |id: u32| name(table.dir(DirId(id)).expect("it is valid").path.to_bytes());
    let meta = table.meta().expect("it is valid");
    let mut sources = table.sources().expect("it is valid");
    // Sources that changed just before a build are recorded, and differ between two builds.
    sources.retain(|source| source.path.is_file());
    Contents {
        files: paths.iter().cloned().zip((0..).map(entry)).collect(),
        dirs: (0..table.dirs()).map(dir).collect(),
        sources: sources.iter().map(|source| source.path.display().to_string()).collect(),
        skipped: format!("{:?} {}", meta.skipped, meta.problems),
        candidates: PATTERNS.iter().flat_map(|pattern| found(snapshot, &paths, pattern)).collect(),
    }
}

/// Returns the candidates of a pattern, with the start of each of their blocks.
fn found(snapshot: &Snapshot, paths: &[String], pattern: &str) -> Vec<(String, BTreeSet<String>)> {
    let plan = Plan::new(&[pattern.to_owned()], &PatternOptions::default());
    let mut all = Vec::new();
    for (spans_lines, binary_as_text) in [(false, false), (true, true)] {
        let with_fold_docs = plan.with_fold_docs();
        let demand = Demand { spans_lines, with_fold_docs, binary_as_text, in_memory: false };
        let found = candidates(snapshot, plan.query(), demand).expect("it is valid");
        let describe = |id: usize| {
            let id = FileId(id as u32);
            let segment = usize::from(snapshot.table.file(id).expect("it is valid").segment);
            let start = |unit| snapshot.segments[segment].start(unit).expect("it is valid");
            let blocks = found
                .blocks
                .get(&id)
                .map(|blocks| blocks.iter().map(|&unit| start(unit)).collect::<Vec<u32>>());
            format!("{} {blocks:?}", paths[id.index()])
        };
        let what = format!("{pattern} {spans_lines} {binary_as_text} {}", found.is_all);
        all.push((what, found.files.iter().map(describe).collect()));
    }
    all
}

/// Fails unless the index equals a rebuilt one; returns its number of segments.
#[track_caller]
fn check_refreshed(engine: &Engine, log: &[String]) -> usize {
    let snapshot = engine.snapshot().expect("it is valid").expect("an index");
    let (kept, built) = (contents(&snapshot), contents(&afresh(engine)));
    assert!(kept == built, "{}", difference(&kept, &built, log));
    let units: u64 = snapshot.table.segment_units().map(u64::from).sum();
    let live: usize = kept.files.values().map(|entry| entry.units).sum();
    assert!(units <= 2 * live as u64 + 1024, "{units} units, of which {live} live, are not merged");
    assert!(snapshot.segments.len() <= 8, "{} segments are not merged", snapshot.segments.len());
    snapshot.segments.len()
}

fn difference(kept: &Contents, built: &Contents, log: &[String]) -> String {
    let mut text = format!("refreshed and built afresh differ after\n{}\n", log.join("\n"));
    for path in kept.files.keys().chain(built.files.keys()).collect::<BTreeSet<_>>() {
        let (kept, built) = (kept.files.get(path), built.files.get(path));
        if kept != built {
            text.push_str(&format!("{path}: {kept:?} and {built:?}\n"));
        }
    }
    for (kept, built) in kept.candidates.iter().zip(&built.candidates) {
        if kept != built {
            text.push_str(&format!("{kept:?}\n  and {built:?}\n"));
        }
    }
    if (&kept.dirs, &kept.sources, &kept.skipped) != (&built.dirs, &built.sources, &built.skipped) {
        let rest = |contents: &Contents| {
            format!("{:?}\n{:?}\n{}\n", contents.dirs, contents.sources, contents.skipped)
        };
        text.push_str(&format!("{}and\n{}", rest(kept), rest(built)));
    }
    text
}

/// Fails unless the strict check of the index reports every difference from the tree.
#[track_caller]
fn check_freshened(engine: &Engine, log: &[String]) -> bool {
    let snapshot = engine.snapshot().expect("it is valid").expect("an index");
    let nothing = Bits::new(snapshot.table.files() as usize);
    let freshened = engine::compare_tree(&snapshot, DirId(0), &nothing, engine.environment());
    let Comparison::Diff(view) = freshened.expect("it is valid") else { return false };
    let (kept, built) = (contents(&snapshot), contents(&afresh(engine)));
    let paths = paths(&snapshot);
    let gone: BTreeSet<&String> = view.gone.iter().map(|id| &paths[id.index()]).collect();
    let changed: BTreeSet<&String> = view.changed.iter().map(|id| &paths[id.index()]).collect();
    let added: BTreeSet<String> = view.added.iter().map(|path| name(path)).collect();
    let log = log.join("\n");
    for (path, entry) in &built.files {
        match kept.files.get(path) {
            None => assert!(added.contains(path), "{path} is new and not noticed\n{log}"),
            Some(_) if gone.contains(path) => {
                panic!("{path} exists and is reported as removed\n{log}")
            }
            Some(before) if before.hash != entry.hash => {
                assert!(changed.contains(path), "{path} changed and was not noticed\n{log}");
            }
            Some(_) => {}
        }
    }
    for path in kept.files.keys().filter(|path| !built.files.contains_key(*path)) {
        assert!(gone.contains(path), "{path} is removed and not reported\n{log}");
    }
    assert!(
        added.iter().all(|path| built.files.contains_key(path)),
        "{added:?} are not there\n{log}"
    );
    true
}

/// Makes an edit: one that only this test has, or one of the differential test.
fn edit(rng: &mut Prng, tree: &Tree, away: &Path) -> String {
    let fresh = tree.fresh_path(rng);
    if rng.chance(60) { edit_files(rng, &tree.files(), &fresh, away) } else { mutate(rng, tree) }
}

/// Changes one or two of `files`, or creates the file `fresh`.
fn edit_files(rng: &mut Prng, files: &[PathBuf], fresh: &Path, away: &Path) -> String {
    if files.is_empty() {
        return format!("nothing: {:?}", fs::write(fresh, "alone"));
    }
    let (one, other) = (rng.pick(files).clone(), rng.pick(files).clone());
    let (what, done) = match rng.below(16) {
        0 => ("touch", touch(&one, SystemTime::now())),
        1 => ("future mtime", touch(&one, SystemTime::now() + Duration::from_secs(3600))),
        2 => ("same content", fs::read(&one).and_then(|bytes| fs::write(&one, bytes))),
        3 => ("same content renamed over", same_content_renamed_over(&one)),
        4 => ("contents swapped", swap_contents(&one, &other)),
        5 => ("files swapped by renaming", swap_files(&one, &other, away)),
        6 => ("moved away", fs::rename(&one, away.join("moved"))),
        7 => ("moved back", fs::rename(away.join("moved"), &one)),
        8 => ("copied", fs::copy(&one, fresh).map(drop)),
        9 => ("hard link", fs::hard_link(&one, fresh)),
        10 => ("emptied", fs::write(&one, "")),
        11 => ("same size, mtime set back", same_size_mtime_set_back(&one)),
        _ => ("our words", fs::write(&one, text(rng, "kelvin"))),
    };
    let result = done.map_or_else(|error| format!(" (failed: {error})"), |()| String::new());
    format!("{what}: {} ({}){result}", one.display(), other.display())
}

fn same_size_mtime_set_back(file: &Path) -> io::Result<()> {
    let modified = fs::metadata(file)?.modified()?;
    let mut bytes = fs::read(file)?;
    bytes.reverse();
    fs::write(file, bytes)?;
    touch(file, modified)
}

fn touch(file: &Path, time: SystemTime) -> io::Result<()> {
    OpenOptions::new().write(true).open(file)?.set_modified(time)
}

fn same_content_renamed_over(file: &Path) -> io::Result<()> {
    let new = file.with_file_name(".renamed-over");
    fs::copy(file, &new)?;
    fs::rename(&new, file)
}

fn swap_contents(one: &Path, other: &Path) -> io::Result<()> {
    let (first, second) = (fs::read(one)?, fs::read(other)?);
    fs::write(one, second)?;
    fs::write(other, first)
}

fn swap_files(one: &Path, other: &Path, away: &Path) -> io::Result<()> {
    let third = away.join("swapped");
    fs::rename(one, &third)?;
    fs::rename(other, one).and_then(|()| fs::rename(&third, other))
}

#[test]
fn a_refreshed_index_equals_a_rebuilt_one() {
    let first = std::env::var("CODEDB_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    let first = first.unwrap_or(7_001);
    let (rounds, steps) = if long() { (150, 40) } else { (2, 15) };
    let mut merges = 0;
    for seed in first..first + rounds {
        let rng = &mut Prng::new(seed);
        let tree = Tree::generate(rng).expect("the tree can be written");
        let away = tree.outer().join("away");
        fs::create_dir(&away).expect("a directory can be created");
        settle();
        let engine = engine_of(tree.root(), tree.index_dir());
        let mut log = vec![format!("CODEDB_SEED={seed}")];
        refresh(&engine);
        let mut segments = check_refreshed(&engine, &log);
        for step in 0..steps {
            for _ in 0..rng.between(1, if step % 5 == 4 { 12 } else { 3 }) {
                log.push(edit(rng, &tree, &away));
            }
            // Half of the refreshes follow immediately, when metadata may still have the same time.
            if rng.chance(50) {
                settle();
                log.push("settled".to_owned());
            }
            if rng.chance(20) {
                check_freshened(&engine, &log);
            }
            let built = refresh(&engine);
            log.push(format!("{built:?}"));
            let now = check_refreshed(&engine, &log);
            merges += usize::from(now < segments);
            segments = now;
        }
    }
    assert!(merges > 0, "nothing was merged: too little is tested");
}

/// In a tree without special files, a metadata sweep detects every edit and no walk is needed.
#[test]
fn edits_are_detected_before_they_are_refreshed() {
    let place = Place::new();
    let rng = &mut Prng::new(74);
    place.fill(rng, 120);
    place.write("d1/.ignore", "*.no\n");
    let away = place.base().join("away");
    fs::create_dir(&away).expect("a directory can be created");
    let engine = engine_of(place.root(), place.cache());
    let steps = if long() { 500 } else { 12 };
    let mut views = 0;
    for step in 0..steps {
        settle();
        refresh(&engine);
        let mut log = vec![format!("step {step}")];
        for edit in 0..rng.between(1, 5) {
            let fresh = place.root().join(format!("d{}/new{step}-{edit}.txt", rng.below(3)));
            log.push(match rng.below(12) {
                0 => rename_folder(rng, &place),
                1 => {
                    let folder = format!("d{}/sub{step}-{edit}", rng.below(3));
                    place.write(format!("{folder}/deeper/a.txt"), text(rng, "new"));
                    place.write(format!("{folder}/b.no"), text(rng, "new"));
                    format!("new folder {folder}")
                }
                2 if step % 3 == 0 => {
                    place.write(format!("d{}/.ignore", rng.below(3)), "*.no\nnew*\n");
                    "ignore rules".to_owned()
                }
                _ => edit_files(rng, &files_below(&place.root()), &fresh, &away),
            });
        }
        views += usize::from(check_freshened(&engine, &log));
    }
    assert!(views * 2 > steps, "only {views} of {steps} needed no walk");
}

fn rename_folder(rng: &mut Prng, place: &Place) -> String {
    let name = |number: usize| place.root().join(format!("d{number}"));
    let (from, to) = (name(rng.below(5)), name(rng.below(5)));
    format!("{} to {}: {:?}", from.display(), to.display(), fs::rename(&from, &to))
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder can be listed").flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(files_below(&path)),
            path => files.push(path),
        }
    }
    files.sort();
    files
}

/// Many refreshes of one file each, until segments are merged, and half of the units are dead.
#[test]
fn many_small_refreshes_are_merged() {
    let place = Place::new();
    let rng = &mut Prng::new(71);
    place.fill(rng, 30);
    place.write("long.txt", "alpha Beta gamma_ray and so on\n".repeat(20_000));
    settle();
    let engine = engine_of(place.root(), place.cache());
    let (mut merges, mut segments) = (0, 0);
    for round in 0..if long() { 400 } else { 19 } {
        place.write(format!("d0/f{}.txt", round % 7), text(rng, &format!("round{round}")));
        if round % 5 == 0 {
            place.write("long.txt", format!("upsilon {round} phi gamma_ray\n").repeat(20_000));
        }
        let built = refresh(&engine);
        assert!(built.published && built.generation == round + 1, "{built:?}");
        let now = check_refreshed(&engine, &[format!("round {round}")]);
        merges += usize::from(now < segments);
        segments = now;
    }
    assert!(merges >= 2, "{merges} merges");
}

#[test]
fn an_unchanged_tree_is_not_published_again() {
    let place = Place::new();
    place.fill(&mut Prng::new(72), 50);
    settle();
    let engine = engine_of(place.root(), place.cache());
    let first = refresh(&engine);
    assert_eq!((first.generation, first.read, first.published), (1, 50, true));
    let again = refresh(&engine);
    assert_eq!((again.generation, again.read, again.published), (1, 0, false));
}

#[test]
fn known_content_is_not_extracted_again() {
    let place = Place::new();
    place.fill(&mut Prng::new(73), 60);
    settle();
    let engine = engine_of(place.root(), place.cache());
    let first = refresh(&engine);
    assert_eq!(first.extracted, 60);
    let root = place.root();
    let check = |what: &str, read: u64, extracted: u64| {
        settle();
        let built = refresh(&engine);
        assert_eq!((built.read, built.extracted), (read, extracted), "{what}: {built:?}");
        check_refreshed(&engine, &[what.to_owned()]);
    };

    for file in 0..60 {
        let path = root.join(format!("d{}/f{file}.txt", file / 40));
        touch(&path, SystemTime::now() - Duration::from_secs(5)).expect("a touch");
    }
    check("a touched tree", 60, 0);

    fs::rename(root.join("d0/f1.txt"), root.join("d1/renamed.txt")).expect("a rename");
    check("a renamed file", 1, 0);

    fs::rename(root.join("d0"), root.join("d9")).expect("a rename");
    check("a renamed folder", 39, 0);

    swap_contents(&root.join("d9/f2.txt"), &root.join("d1/f41.txt")).expect("a swap");
    check("swapped contents", 2, 0);

    same_content_renamed_over(&root.join("d9/f3.txt")).expect("a rename");
    check("the same content renamed over", 1, 0);

    fs::copy(root.join("d9/f4.txt"), root.join("d9/copy.txt")).expect("a copy");
    check("a copied file, which needs units of its own", 1, 1);

    fs::write(root.join("d9/f5.txt"), "something new\n").expect("a write");
    check("one edited file", 1, 1);
}
