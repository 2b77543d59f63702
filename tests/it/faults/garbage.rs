//! Files with valid checksums and invalid contents: decoders stay in bounds and terminate. Their
//! results do not matter.

use std::fs;
use std::path::PathBuf;

use codedb::base::bits::Bits;
use codedb::base::ids::{DirId, FileId, UnitId};
use codedb::engine::{self, Engine, Progress};
use codedb::index::format::{self, Container, FileKind};
use codedb::index::gram::{Gram, KEYS};
use codedb::index::gram_set::{GramSet, PairCase};
use codedb::index::map::Map;
use codedb::index::segment::Segment;
use codedb::index::snapshot::Snapshot;
use codedb::index::table::{Flags, Table};
use codedb::query::candidates::{Demand, candidates, posting_sizes};
use codedb::query::gram_query::GramQuery;
use codedb::source::walk::Environment;
use proptest::prelude::*;

use super::{engine_in, names, prng};
use crate::support::place::{Place, long, settle};
use crate::support::prng::Prng;

/// The sections of a segment that are read by position: units, groups, entries, postings, starts.
const SEGMENT_SECTIONS: [u32; 5] = [1, 2, 3, 4, 5];

/// The ids of all sections of a table; the last three are lists of files with a flag.
const TABLE_SECTIONS: [u32; 13] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 18, 20];

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(if long() { 5000 } else { 64 })
    }
}

fn map(bytes: Vec<u8>) -> Map {
    Map::in_memory(PathBuf::from("garbage.idx"), bytes)
}

fn container(kind: FileKind, sections: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let parts: Vec<[&[u8]; 1]> = sections.iter().map(|(_, bytes)| [&bytes[..]]).collect();
    let sections: Vec<(u32, &[&[u8]])> =
        sections.iter().zip(&parts).map(|((id, _), part)| (*id, &part[..])).collect();
    format::to_bytes(kind, &sections)
}

/// Returns small, large or arbitrary numbers, as bytes.
fn numbers(rng: &mut Prng, count: usize, small: usize) -> Vec<u8> {
    let number = |rng: &mut Prng| match rng.below(12) {
        0 => u32::MAX - rng.below(3) as u32,
        1 => rng.bits() as u32,
        _ => rng.below(small) as u32,
    };
    (0..count).flat_map(|_| number(rng).to_le_bytes()).collect()
}

fn bytes(rng: &mut Prng, count: usize) -> Vec<u8> {
    (0..count).map(|_| rng.bits() as u8).collect()
}

fn segment(rng: &mut Prng) -> Vec<u8> {
    let units = rng.below(3000);
    let mut groups = Vec::with_capacity(KEYS / 64 * 16);
    for _ in 0..KEYS / 64 {
        groups.extend_from_slice(&(rng.bits() & rng.bits()).to_le_bytes());
        groups.extend(numbers(rng, 2, 400));
    }
    let entries = 2 + rng.below(500);
    let mut ascending: Vec<u32> = (0..entries).map(|_| rng.below(3000) as u32).collect();
    if rng.chance(80) {
        ascending.sort_unstable();
    }
    let ids = SEGMENT_SECTIONS;
    let len = rng.below(4000);
    container(
        FileKind::Segment,
        &[
            (ids[0], (units as u32).to_le_bytes().to_vec()),
            (ids[1], groups),
            (ids[2], ascending.iter().flat_map(|at| at.to_le_bytes()).collect()),
            (ids[3], bytes(rng, len)),
            (ids[4], numbers(rng, units, 100_000)),
        ],
    )
}

/// Calls every accessor of a segment.
fn exercise(segment: &Segment, rng: &mut Prng) {
    for _ in 0..600 {
        let key = rng.below(KEYS + 10) as u32;
        let Ok(Some(list)) = segment.postings(key) else { continue };
        let mut ids = Vec::new();
        if segment.decode(list, &mut ids).is_ok() {
            assert!(ids.iter().all(|&id| id < segment.units()));
            assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
        }
        let mut candidates: Vec<u32> = (0..segment.units()).step_by(3).collect();
        let _ = list.intersect(&mut candidates);
    }
    for unit in [0, 1, segment.units(), u32::MAX - 1, u32::MAX] {
        drop(segment.start(UnitId(unit)));
    }
    drop(segment.container().check_all());
}

fn query(rng: &mut Prng) -> GramQuery {
    let gram = |rng: &mut Prng| {
        let bytes = [0; 3].map(|_: u8| *rng.pick(b"abcdefXYZ_ 019"));
        let gram = Gram::of(bytes).expect("no line end");
        if rng.chance(10) {
            let sets = [GramSet::beyond_ascii(), GramSet::of_pair([1, 2], PairCase::Either)];
            return GramQuery::Any(rng.pick(&sets).clone());
        }
        GramQuery::Gram(if rng.chance(30) { gram.in_either_case() } else { gram })
    };
    let and = |rng: &mut Prng| {
        let parts: Vec<GramQuery> = (0..rng.between(1, 4)).map(|_| gram(rng)).collect();
        GramQuery::and(parts)
    };
    let parts: Vec<GramQuery> = (0..rng.between(1, 40)).map(|_| and(rng)).collect();
    GramQuery::or(parts)
}

/// A small tree, and the bytes of its index's files.
struct Sound {
    place: Place,
    root: PathBuf,
    table: Vec<(u32, Vec<u8>)>,
    table_name: String,
    segment: Vec<u8>,
}

impl Sound {
    fn new() -> Sound {
        let place = Place::new();
        place.fill(&mut prng(30), 30);
        place.write(".ignore", "*.skip\n");
        place.write("sub/deeper/.ignore", "!*.skip\n");
        place.write("binary", b"text\0and more");
        place.write("kelvin.txt", "\u{212a}");
        place.write("long.txt", "the same line again and again\n".repeat(10_000));
        settle();
        place.index(&[]).expect_success();
        let store = place.store();
        let named = |start: &str| names(&store).into_iter().find(|name| name.starts_with(start));
        let (table_name, segment) = (named("table-"), named("segment-"));
        let table_name = table_name.expect("a table");
        let table = fs::read(store.join(&table_name)).expect("a table");
        let segment = fs::read(store.join(segment.expect("a segment"))).expect("a segment");
        let container = Container::open(map(table), FileKind::Table).expect("it is valid");
        let section = |id: &u32| {
            let range = container.section(*id).expect("a section");
            (*id, container.bytes(range).expect("it is valid").to_vec())
        };
        let table = TABLE_SECTIONS.iter().map(section).collect();
        Sound { root: place.root(), place, table, table_name, segment }
    }

    /// Returns a table with some modified numbers and bytes.
    fn damaged_table(&self, rng: &mut Prng) -> Vec<u8> {
        let mut sections = self.table.clone();
        for _ in 0..rng.between(1, 6) {
            let at = rng.below(sections.len());
            let section = &mut sections[at].1;
            match rng.below(8) {
                0 => {
                    let len = section.len().saturating_sub(rng.below(40));
                    section.truncate(len);
                }
                1 => {
                    let more = rng.below(100);
                    section.extend(bytes(rng, more));
                }
                2..5 if section.len() >= 8 => {
                    let place = rng.below(section.len() / 4) * 4;
                    let number = numbers(rng, 1, 60);
                    section[place..place + 4].copy_from_slice(&number);
                }
                _ if !section.is_empty() => {
                    let place = rng.below(section.len());
                    section[place] = rng.bits() as u8;
                }
                _ => {}
            }
        }
        if rng.chance(5) {
            sections.swap_remove(rng.below(TABLE_SECTIONS.len()));
        }
        container(FileKind::Table, &sections)
    }

    fn engine(&self) -> Engine {
        engine_in(&self.place, self.place.store())
    }
}

/// Calls every accessor of a table.
fn exercise_table(table: &Table) {
    let beyond = [0, 1, 2, 70_000, u32::MAX - 1, u32::MAX];
    for id in (0..table.files().min(300)).chain(beyond).map(FileId) {
        drop(table.file(id).map(|file| (file.name.to_bytes().len(), file.units.len())));
        drop((table.path(id), table.stamp(id), table.hash(id)));
    }
    for id in (0..table.dirs().min(300)).chain(beyond).map(DirId) {
        let Ok(dir) = table.dir(id) else { continue };
        let own = table.own_files(&dir).map(|own| own.take(1000).count());
        drop((own, dir.path.to_bytes().len()));
    }
    for path in [&b""[..], b"d0", b"d0/f1.txt", b"zzz", b"long.txt", b"\xff"] {
        drop((table.find_dir(path), table.find_file(path)));
    }
    for segment in [0, 1, 2, 60_000, usize::MAX / 4] {
        beyond.iter().for_each(|&unit| drop(table.owner(segment, UnitId(unit))));
    }
    for flag in [Flags::SCAN, Flags::BINARY, Flags::FOLDS, Flags::SECRET] {
        if let Ok(files) = table.flagged(flag) {
            assert!(files.iter().all(|id| id.0 < table.files()), "a file beyond the table");
        }
    }
    drop((table.meta(), table.sources(), table.segment_units().count()));
    drop(table.container().check_all());
}

#[test]
fn any_contents_of_a_segment_stay_in_bounds() {
    proptest!(cases(), |(seed: u64)| {
        let rng = &mut Prng::new(seed);
        if let Ok(segment) = Segment::new(map(segment(rng))) {
            exercise(&segment, rng);
        }
    });
}

#[test]
fn sections_of_any_length_stay_in_bounds() {
    let section = (0..22_u32, prop::collection::vec(any::<u8>(), 0..200));
    let kinds = prop_oneof![Just(FileKind::Segment), Just(FileKind::Table)];
    proptest!(cases(), |(kind in kinds, sections in prop::collection::vec(section, 0..20), seed: u64)| {
        let bytes = container(kind, &sections);
        if let Ok(segment) = Segment::new(map(bytes.clone())) {
            exercise(&segment, &mut Prng::new(seed));
        }
        if let Ok(table) = Table::new(map(bytes)) {
            exercise_table(&table);
        }
    });
}

/// Reads everything that a search and a refresh read from an index.
fn exercise_snapshot(sound: &Sound, table: Vec<u8>, segment: Vec<u8>, rng: &mut Prng) {
    let Ok(table) = Table::new(map(table)) else { return };
    exercise_table(&table);
    let Ok(segment) = Segment::new(map(segment)) else { return };
    let root = sound.root.clone();
    let snapshot = Snapshot { root, generation: 1, table, segments: vec![segment] };
    for spans_lines in [false, true] {
        let query = query(rng);
        let demand = Demand {
            spans_lines,
            with_fold_docs: true,
            binary_as_text: true,
            in_memory: spans_lines,
        };
        if let Ok(found) = candidates(&snapshot, &query, demand) {
            assert!(found.files.iter().all(|id| id < snapshot.table.files() as usize));
        }
        drop(posting_sizes(&snapshot, &query));
    }
    let environment = Environment { global_excludes: None, threads: 2 };
    let nothing = Bits::new(snapshot.table.files() as usize);
    for scope in (0..snapshot.table.dirs().min(5)).map(DirId) {
        drop(engine::compare_tree(&snapshot, scope, &nothing, &environment));
    }
}

#[test]
fn any_contents_of_a_table_stay_in_bounds() {
    let sound = Sound::new();
    proptest!(cases(), |(seed: u64)| {
        let rng = &mut Prng::new(seed);
        let table = sound.damaged_table(rng);
        let segment = if rng.chance(50) { sound.segment.clone() } else { segment(rng) };
        exercise_snapshot(&sound, table, segment, rng);
    });
}

/// Modifies one number after the other in directories, files, owners and lists.
#[test]
fn any_number_of_a_table_stays_in_bounds() {
    let sound = Sound::new();
    let rng = &mut prng(32);
    for (at, (id, section)) in sound.table.iter().enumerate() {
        if [1, 5, 6, 7].contains(id) {
            continue; // Facts, metadata, hashes and names are not used as indexes.
        }
        for place in (0..section.len() / 4).step_by(if long() { 1 } else { 3 }) {
            for number in [u32::MAX, 0, rng.below(40) as u32] {
                let mut sections = sound.table.clone();
                let place = (place * 4 + rng.below(3) * 4).min(section.len() - 4);
                sections[at].1[place..place + 4].copy_from_slice(&number.to_le_bytes());
                let table = container(FileKind::Table, &sections);
                exercise_snapshot(&sound, table, sound.segment.clone(), rng);
            }
        }
    }
}

/// A refresh of such a table terminates, too, and so does a search.
#[test]
fn any_contents_of_a_published_table_give_an_answer() {
    let sound = Sound::new();
    let rng = &mut prng(31);
    let path = sound.place.store().join(&sound.table_name);
    let manifest = sound
        .place
        .store()
        .join(sound.table_name.replace("table-", "gen-").replace(".idx", ".json"));
    let manifest_text = fs::read(&manifest).expect("a manifest");
    let segment_path = sound.place.store().join(sound.table_name.replace("table-", "segment-"));
    for round in 0..if long() { 400 } else { 25 } {
        for name in names(&sound.place.store()) {
            fs::remove_file(sound.place.store().join(name)).expect("a file can be removed");
        }
        fs::write(&path, sound.damaged_table(rng)).expect("a table can be written");
        fs::write(&segment_path, &sound.segment).expect("a segment can be written");
        fs::write(&manifest, &manifest_text).expect("a manifest can be written");
        if round % 8 == 0 {
            let answer = sound.place.search(&["gamma_ray|same line"]);
            assert!(answer.code <= 2, "{}", answer.stderr);
        }
        sound.place.write("d0/f1.txt", format!("file1 round{round}\n"));
        drop(engine::refresh(&sound.engine(), &Progress::default()));
    }
    sound.place.index(&["--rebuild"]).expect_success();
    sound.place.check(&["gamma_ray|same line"]);
}
