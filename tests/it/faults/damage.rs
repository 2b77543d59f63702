//! A flipped byte or a truncation anywhere in an index file before it is opened causes an error
//! that names the file and a search without the index; never a wrong answer.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use codedb::base::bits::Bits;
use codedb::base::ids::{DirId, FileId};
use codedb::engine::{Engine, compare_tree};
use codedb::query::candidates::{Demand, candidates};
use codedb::query::pattern::PatternOptions;
use codedb::query::plan::Plan;
use codedb::{Error, Kind};

use super::{engine, names, prng};
use crate::support::place::{Answer, Place, long, settle};

/// Files smaller than this are damaged at every offset.
const SMALL: u64 = 12 << 10;

/// The data that a search reads from an index.
#[derive(Debug, Eq, PartialEq)]
struct Reading {
    paths: Vec<Vec<u8>>,
    candidates: Vec<BTreeSet<Vec<u8>>>,
    unchanged: bool,
}

const QUERIES: &[&str] =
    &["gamma_ray", "file1[0-9]", "(?i)zeta_max", "upsilon.*(phi|rho)", "nowhere"];

/// Reads the index as a search does.
fn read(engine: &Engine) -> Result<Option<Reading>, Error> {
    let Some(snapshot) = engine.snapshot()? else { return Ok(None) };
    let table = &snapshot.table;
    let mut paths = Vec::new();
    for id in (0..table.files()).map(FileId) {
        paths.push(table.path(id)?);
    }
    let mut found = Vec::new();
    for query in QUERIES {
        let plan = Plan::new(&[(*query).to_owned()], &PatternOptions::default());
        let demand = Demand { spans_lines: plan.spans_lines(), ..Demand::default() };
        let candidates = candidates(&snapshot, plan.query(), demand)?;
        found.push(candidates.files.iter().map(|id| paths[id].clone()).collect());
    }
    let nothing = Bits::new(paths.len());
    let freshened = compare_tree(&snapshot, DirId(0), &nothing, engine.environment())?;
    let unchanged =
        matches!(freshened, codedb::engine::Comparison::Diff(view) if view.is_unchanged());
    Ok(Some(Reading { paths, candidates: found, unchanged }))
}

/// A small index of two segments.
fn small() -> Place {
    let mut rng = prng(10);
    let place = Place::new();
    place.fill(&mut rng, 24);
    place.write(".ignore", "*.skip\n");
    settle();
    place.index(&[]).expect_success();
    place.write("d0/f3.txt", "file3 gamma_ray once more\n");
    settle();
    place.index(&[]).expect_success();
    assert_eq!(segments(&place).len(), 2, "the test is about an index with a delta");
    place
}

fn segments(place: &Place) -> Vec<String> {
    let mut names = names(&place.store());
    names.retain(|name| name.starts_with("segment-"));
    names
}

/// Returns the files of the generation.
fn generation(place: &Place) -> Vec<PathBuf> {
    let parts = ["gen-", "table-", "segment-"];
    let mut names = names(&place.store());
    names.retain(|name| parts.iter().any(|part| name.starts_with(part)));
    names.into_iter().map(|name| place.store().join(name)).collect()
}

/// Fails unless reading the index returns `sound` or an error that names `file`.
#[track_caller]
fn check_reading(engine: &Engine, sound: &Reading, file: &Path, what: &str) -> bool {
    match read(engine) {
        Ok(Some(reading)) => {
            assert_eq!(&reading, sound, "{what}: a wrong answer");
            true
        }
        Ok(None) => panic!("{what}: the index seems not to be there"),
        Err(error) => {
            assert_eq!(error.kind(), Kind::Corrupt, "{what}: {error}");
            assert_eq!(error.path(), Some(file), "{what}: {error}");
            false
        }
    }
}

#[test]
fn a_flipped_byte_is_detected_or_has_no_effect() {
    let place = small();
    let engine = engine(&place);
    let sound = read(&engine).expect("it is valid").expect("an index");
    let mut rng = prng(11);
    for path in generation(&place) {
        let len = fs::metadata(&path).expect("an index file").len();
        let file = OpenOptions::new().read(true).write(true).open(&path).expect("an index file");
        let offsets: Vec<u64> = if len <= SMALL {
            (0..len).collect()
        } else {
            let samples = if long() { 20_000 } else { 200 };
            let mut offsets: Vec<u64> =
                (0..samples).map(|_| rng.below(len as usize) as u64).collect();
            offsets.extend((0..64).chain(len - 220..len));
            offsets
        };
        let mut found = 0;
        for &at in &offsets {
            let mut byte = [0];
            file.read_exact_at(&mut byte, at).expect("an index file can be read");
            let flip = 1 + rng.below(255) as u8;
            file.write_all_at(&[byte[0] ^ flip], at).expect("an index file can be damaged");
            let what = format!("{}, byte {at} of {len} ^ {flip:#x}", path.display());
            found += usize::from(!check_reading(&engine, &sound, &path, &what));
            file.write_all_at(&byte, at).expect("an index file can be restored");
        }
        // Few pages are never read, so most damage must be detected.
        assert!(found * 3 > offsets.len(), "{found} of {} in {}", offsets.len(), path.display());
    }
    assert_eq!(read(&engine).expect("repaired").expect("an index"), sound);
}

#[test]
fn a_truncated_file_is_detected() {
    let place = small();
    let engine = engine(&place);
    let sound = read(&engine).expect("it is valid").expect("an index");
    let mut rng = prng(12);
    for path in generation(&place) {
        let whole = fs::read(&path).expect("an index file");
        let lens: Vec<usize> = if whole.len() as u64 <= SMALL {
            (0..whole.len()).step_by(if long() { 1 } else { 7 }).collect()
        } else {
            let random = (0..60).map(|_| rng.below(whole.len()));
            random.chain([0, 1, 63, 64, 65, 65_535, 65_536, whole.len() - 1]).collect()
        };
        for len in lens {
            fs::write(&path, &whole[..len]).expect("an index file can be cut");
            let what = format!("{}, cut to {len} of {}", path.display(), whole.len());
            assert!(!check_reading(&engine, &sound, &path, &what), "{what}: unnoticed");
        }
        let longer = [&whole[..], b"and more"].concat();
        fs::write(&path, longer).expect("an index file can be lengthened");
        let what = format!("{}, lengthened", path.display());
        assert!(!check_reading(&engine, &sound, &path, &what), "{what}: unnoticed");
        fs::write(&path, &whole).expect("an index file can be restored");
    }
    assert_eq!(read(&engine).expect("repaired").expect("an index"), sound);
}

/// A kind of damage to an index file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Damage {
    Flip(u64),
    Cut(u64),
    Missing,
    Garbage,
    Folder,
}

impl Damage {
    fn to(self, path: &Path) {
        let file = || OpenOptions::new().read(true).write(true).open(path).expect("an index file");
        match self {
            Damage::Flip(at) => {
                let mut byte = [0];
                file().read_exact_at(&mut byte, at).expect("an index file can be read");
                file().write_all_at(&[byte[0] ^ 0x55], at).expect("it can be damaged");
            }
            Damage::Cut(len) => file().set_len(len).expect("it can be cut"),
            Damage::Missing => fs::remove_file(path).expect("it can be removed"),
            Damage::Garbage => fs::write(path, "garbage ".repeat(9000)).expect("it can be written"),
            Damage::Folder => {
                fs::remove_file(path).expect("it can be removed");
                fs::create_dir(path).expect("a directory can be created");
            }
        }
    }

    /// Returns all kinds of damage to a file of `len` bytes, with flips in each of its parts.
    fn all(len: u64) -> Vec<Damage> {
        let mut all = vec![Damage::Missing, Damage::Garbage, Damage::Folder];
        all.extend([0, len / 2, len - 1].map(Damage::Cut));
        let parts = [8, len / 7, len / 3, len / 2, len.saturating_sub(150), len - 30, len - 2];
        all.extend(parts.iter().filter(|&&at| at < len).map(|&at| Damage::Flip(at)));
        all
    }
}

/// End to end: search, doctor, and `codedb index`, which repairs the index.
#[test]
fn a_damaged_index_is_bypassed_reported_and_repaired() {
    let place = small();
    let original = place.base().join("original");
    copy(&place.store(), &original);
    let mut damages: Vec<(String, Damage)> = Vec::new();
    for path in generation(&place) {
        let len = fs::metadata(&path).expect("an index file").len();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        damages.extend(Damage::all(len).into_iter().map(|damage| (name.clone(), damage)));
    }
    let mut rng = prng(13);
    let keep = if long() { damages.len() } else { 22 };
    while damages.len() > keep {
        damages.swap_remove(rng.below(damages.len()));
    }
    let store = place.store();
    for (name, damage) in damages {
        fs::remove_dir_all(&store).expect("the index can be removed");
        copy(&original, &store);
        let path = store.join(&name);
        damage.to(&path);
        check_whole_way(&place, &path, damage);
    }
}

#[track_caller]
fn check_whole_way(place: &Place, path: &Path, damage: Damage) {
    let what = format!("{damage:?} of {}", path.display());
    let query = "gamma_ray|file3|epsilon";
    place.check(&[query]);
    place.check(&["-c", "(upsilon|phi) (tau|eta)"]);
    let doctor = Answer::of(place.codedb("doctor"));
    let printed = doctor.text() + &doctor.stderr;
    // Without a manifest, the generation does not exist.
    let is_manifest = path.extension().is_some_and(|extension| extension == "json");
    if !(is_manifest && damage == Damage::Missing) {
        assert_eq!(doctor.code, 2, "{what}\n{printed}");
        assert!(printed.contains(&path.display().to_string()), "{what}\n{printed}");
        assert!(printed.contains("ok    tree"), "{what}: the other findings are lost\n{printed}");
    }
    let status = Answer::of(place.codedb("status"));
    assert!(status.code <= 2, "{what}");
    let built = place.index(&[]);
    assert_eq!(built.code, 0, "{what}: not repaired\n{}", built.stderr);
    let doctor = Answer::of(place.codedb("doctor"));
    assert!(doctor.text().contains("ok    checksums"), "{what}: not repaired\n{}", doctor.text());
    let trusted = place.search_in(&place.cache(), "trust", &[query]);
    assert_eq!(trusted.stdout, place.check(&[query]).stdout, "{what}, after the repair");
}

/// A directory in place of a manifest or segment is damage, not an error of the call.
#[test]
fn a_directory_in_place_of_a_code_file_is_damage() {
    for start in ["code-1.json", "code-segment-", "text-1/segment-", "gen-1.json"] {
        let place = Place::new();
        place.write("src/a.rs", "pub fn add_item() {}\n");
        settle();
        place.index(&["--stage", "full"]).expect_success();
        let (dir, start) = match start.split_once('/') {
            Some((below, start)) => (place.store().join(below), start),
            None => (place.store(), start),
        };
        for name in names(&dir).iter().filter(|name| name.starts_with(start)) {
            Damage::Folder.to(&dir.join(name));
        }
        let run = |tool: &str, args: &[&str]| {
            let mut command = place.codedb(tool);
            command.arg("--no-background").args(args);
            Answer::of(command)
        };
        let symbol = run("symbol", &["add_item"]);
        assert!(symbol.code == 0 && symbol.text().contains("src/a.rs:1"), "{start}: {symbol:?}");
        let context = run("context", &["how does add_item work"]);
        assert_eq!(context.code, 0, "{start}: {}", context.stderr);
        let snapshot = run("snapshot", &[]);
        assert_eq!(snapshot.code, 0, "{start}: {}", snapshot.stderr);
        assert!(snapshot.text().contains("add_item"), "{start}: {}", snapshot.text());
        place.index(&["--stage", "full"]).expect_success();
        let doctor = Answer::of(place.codedb("doctor"));
        assert!(doctor.text().contains("ok    checksums"), "{start}\n{}", doctor.text());
    }
}

/// Damage in postings, which are read only by a merge, must not block refreshes for ever.
#[test]
fn a_refresh_that_finds_damage_rebuilds() {
    let place = small();
    let mut generation = generation(&place);
    generation.retain(|path| path.to_string_lossy().contains("segment-"));
    for path in generation {
        let len = fs::metadata(&path).expect("an index file").len();
        Damage::Flip(len - 4000).to(&path);
    }
    for step in 0..10 {
        place.write("d0/f3.txt", format!("file3 step{step} gamma_ray\n"));
        place.index(&[]).expect_success();
        place.check(&[&format!("step{step}|epsilon")]);
    }
    let doctor = Answer::of(place.codedb("doctor"));
    assert!(doctor.text().contains("ok    checksums"), "{}", doctor.text());
}

/// Files in the index directory that do not belong to the generation: codedb's own files are
/// cleaned up or ignored, all others are not touched.
#[test]
fn unrelated_files_in_the_index_directory_are_harmless() {
    let place = small();
    let store = place.store();
    for name in ["gen-7.json", "gen-18446744073709551615.json", "gen-0.json", "table-99.idx"] {
        fs::write(store.join(name), "garbage\n").expect("a file can be written");
        check_whole_way_but_doctor(&place, name);
    }
    for name in ["segment-3000.tmp", "table-5.idx.tmp", "root.tmp", "used", "root"] {
        drop(fs::remove_file(store.join(name)));
        fs::create_dir(store.join(name)).expect("a directory can be created");
        check_whole_way_but_doctor(&place, name);
    }
    fs::write(store.join("root"), [0xff, 0, b'\n']).expect("a file can be written");
    fs::write(store.join("lock"), "garbage").expect("a file can be written");
    check_whole_way_but_doctor(&place, "root and lock");
}

#[track_caller]
fn check_whole_way_but_doctor(place: &Place, what: &str) {
    place.check(&["gamma_ray|file3|epsilon"]);
    place.write("d0/f4.txt", format!("file4 {what} gamma_ray\n"));
    let built = place.index(&[]);
    assert_eq!(built.code, 0, "{what}: {}", built.stderr);
    place.check(&["gamma_ray|file3|epsilon"]);
    let doctor = Answer::of(place.codedb("doctor"));
    assert!(doctor.text().contains("ok    checksums"), "{what}\n{}", doctor.text());
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory can be created");
    for name in names(from) {
        // `fs::copy` does not work here, because a directory of the last round may be missing now.
        let mut source = File::open(from.join(&name)).expect("an index file");
        let mut target = File::create(to.join(&name)).expect("an index file can be created");
        std::io::copy(&mut source, &mut target).expect("an index file can be copied");
    }
}
