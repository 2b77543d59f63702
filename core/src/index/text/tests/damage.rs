//! Tests of missing, outdated, truncated and damaged indexes, and of interrupted builders.

use std::fs;

use super::*;
use crate::error::Kind;
use crate::index::format::{self, Container, FileKind};
use crate::index::map::Map;

fn sample() -> Tree {
    (0..20)
        .map(|i| {
            let text =
                format!("// Number {i}.\nfn target_{i}() {{\n    common();\n    more({i});\n}}\n");
            (format!("src/file{i}.rs"), text)
        })
        .collect()
}

/// Opens the index and runs a query. Returns the hits or the message of the first error.
fn search(dir: &Path) -> Result<Vec<Hit>, String> {
    let index = TextIndex::open(dir, false).map_err(|unusable| unusable.to_string())?;
    let overlay = Overlay::new(Arc::new(index));
    let query = Query::parse("common target numbers");
    let ranking = rank(&overlay, &query, &Bm25::DEFAULT).map_err(|error| error.to_string())?;
    ranking.chunks(30).map_err(|error| error.to_string())
}

#[test]
fn missing_and_broken_indexes_are_distinguished() {
    let dir = TempDir::new().expect("a temporary directory");
    assert!(matches!(TextIndex::open(dir.path(), false), Err(Unusable::Missing)));
    assert!(matches!(TextIndex::open(&dir.path().join("x"), false), Err(Unusable::Missing)));
    fs::create_dir(dir.path().join("text-3")).expect("a writable directory");
    assert!(matches!(TextIndex::open(dir.path(), false), Err(Unusable::Broken(_))));
}

#[test]
fn an_empty_tree_has_an_index() {
    let (_dir, overlay) = indexed(&Tree::new());
    let query = Query::parse("anything");
    let ranking = rank(&overlay, &query, &Bm25::DEFAULT).expect("a valid index");
    assert!(ranking.chunks(10).expect("a valid index").is_empty());
    assert!(ranking.files(10).expect("a valid index").is_empty());
}

#[test]
fn flipped_bytes_and_truncation_are_detected_or_harmless() {
    let dir = TempDir::new().expect("a temporary directory");
    build(dir.path(), 1, &sample(), usize::MAX);
    let sound = search(dir.path()).expect("a valid index");
    assert_eq!(sound.len(), 20);
    for name in ["files.idx", "segment-0.idx"] {
        let path = dir.path().join("text-1").join(name);
        let bytes = fs::read(&path).expect("a file of the index");
        for at in (0..bytes.len()).step_by(89) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            fs::write(&path, &damaged).expect("a writable directory");
            if let Ok(hits) = search(dir.path()) {
                assert_eq!(hits, sound, "byte {at} of {name} changes what is found");
            }
        }
        for len in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&path, &bytes[..len]).expect("a writable directory");
            assert!(search(dir.path()).is_err(), "{name} was cut at {len}");
        }
        fs::remove_file(&path).expect("a writable directory");
        assert!(search(dir.path()).is_err(), "{name} is missing");
        fs::write(&path, &bytes).expect("a writable directory");
    }
    assert_eq!(search(dir.path()).expect("a valid index"), sound);
}

#[test]
fn files_of_two_indexes_cannot_be_mixed() {
    let dir = TempDir::new().expect("a temporary directory");
    let other = TempDir::new().expect("a temporary directory");
    build(dir.path(), 1, &sample(), usize::MAX);
    let mut changed = sample();
    changed.insert("src/file3.rs".to_owned(), "fn other() {}\n".to_owned());
    build(other.path(), 1, &changed, usize::MAX);
    fs::copy(other.path().join("text-1/segment-0.idx"), dir.path().join("text-1/segment-0.idx"))
        .expect("a writable directory");
    assert!(matches!(TextIndex::open(dir.path(), false), Err(Unusable::Broken(_))));
}

#[test]
fn an_interrupted_builder_leaves_the_old_index() {
    let dir = TempDir::new().expect("a temporary directory");
    build(dir.path(), 1, &sample(), usize::MAX);
    let sound = search(dir.path()).expect("a valid index");
    let mut builder = TextBuilder::new(dir.path(), 2).expect("a writable directory");
    builder.add(&prepare("a.rs", "fn common() {}\n")).expect("one file");
    // Simulates a killed process: no cleanup runs.
    std::mem::forget(builder);
    assert!(dir.path().join("text-2.new").exists());
    assert_eq!(search(dir.path()).expect("a valid index"), sound);

    // The next builder removes the leftovers, and its index replaces the old one.
    build(dir.path(), 3, &tree(&[("a.rs", "fn common() {}\n")]), usize::MAX);
    assert_eq!(search(dir.path()).expect("a valid index").len(), 1);
    let names: Vec<String> = fs::read_dir(dir.path())
        .expect("a readable directory")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("text-"))
        .collect();
    assert_eq!(names, ["text-3"]);
}

#[test]
fn a_writer_of_the_search_index_does_not_disturb_a_running_text_build() {
    let dir = TempDir::new().expect("a temporary directory");
    let mut builder = TextBuilder::new(dir.path(), 1).expect("a writable directory");
    // The directory of the text index is still empty.
    drop(Store::new(dir.path().to_path_buf(), false).lock().expect("the lock is free"));
    builder.add(&prepare("a.rs", "fn common() {}\n")).expect("one file");
    builder.finish(&lock(dir.path())).expect("its directory is unchanged");
    assert_eq!(search(dir.path()).expect("a valid index").len(), 1);
}

#[test]
fn an_index_is_not_published_after_losing_its_lock() {
    let dir = TempDir::new().expect("a temporary directory");
    let builder = TextBuilder::new(dir.path(), 1).expect("a writable directory");
    let lock = lock(dir.path());
    fs::remove_file(dir.path().join("code.lock")).expect("a file of this test");
    assert_eq!(builder.finish(&lock).expect_err("it was lost").kind(), Kind::Busy);
    assert!(matches!(TextIndex::open(dir.path(), false), Err(Unusable::Missing)));
}

#[test]
fn an_index_of_another_builder_is_not_used() {
    let dir = TempDir::new().expect("a temporary directory");
    build(dir.path(), 1, &sample(), usize::MAX);
    let path = dir.path().join("text-1/files.idx");
    let sections: Vec<(u32, Vec<u8>)> = {
        let map = Map::open(&path, true).expect("a file of the index");
        let container = Container::open(map, FileKind::TextFiles).expect("it is valid");
        let section = |id| {
            let mut bytes =
                container.copy(container.section(id).expect("it exists")).expect("it is valid");
            // The builder follows the version in the head.
            bytes[4..12].iter_mut().filter(|_| id == 1).for_each(|byte| *byte ^= 1);
            (id, bytes)
        };
        (1..=7).map(section).collect()
    };
    fs::remove_file(&path).expect("a file of this test");
    let parts: Vec<[&[u8]; 1]> = sections.iter().map(|(_, bytes)| [&bytes[..]]).collect();
    let sections: Vec<(u32, &[&[u8]])> =
        sections.iter().zip(&parts).map(|((id, _), part)| (*id, &part[..])).collect();
    format::write(&path, FileKind::TextFiles, &sections).expect("a writable directory");
    let refused = search(dir.path()).expect_err("of another builder");
    assert!(refused.contains("another version"), "{refused}");
}

#[test]
fn files_without_words_are_listed() {
    let dir = TempDir::new().expect("a temporary directory");
    let mut builder = TextBuilder::new(dir.path(), 1).expect("a writable directory");
    builder.add(&Prepared::without_words(b"a.png", 7)).expect("the first file");
    builder.add(&prepare("b.rs", "fn common() {}\n")).expect("the second file");
    builder.add(&Prepared::without_words(b"c.png", 8)).expect("the third file");
    builder.finish(&lock(dir.path())).expect("a writable directory");
    assert_eq!(search(dir.path()).expect("a valid index").len(), 1);
    let index = TextIndex::open(dir.path(), false).expect("a valid index");
    let hash = index.files().hash(1).expect("a valid index");
    let files = [(&b"a.png"[..], 7), (b"b.rs", hash), (b"c.png", 9)];
    let changes = index.changes(files.into_iter()).expect("a valid index");
    assert_eq!((changes.changed, changes.removed.len()), (vec![b"c.png".to_vec()], 0));
}

#[test]
fn files_out_of_order_are_rejected() {
    let dir = TempDir::new().expect("a temporary directory");
    let mut builder = TextBuilder::new(dir.path(), 1).expect("a writable directory");
    builder.add(&prepare("b.rs", "")).expect("the first file");
    assert!(builder.add(&prepare("a.rs", "")).is_err());
    assert!(builder.add(&prepare("b.rs", "")).is_err());
    drop(builder);
    assert_eq!(fs::read_dir(dir.path()).expect("a readable directory").count(), 0);
}

/// Sections with any content and valid checksums, as another program could write them.
#[test]
fn damaged_sections_stay_in_bounds() {
    let dir = TempDir::new().expect("a temporary directory");
    build(dir.path(), 1, &sample(), usize::MAX);
    let path = dir.path().join("text-1/files.idx");
    let sound: Vec<Vec<u8>> = {
        let map = Map::open(&path, true).expect("a file of the index");
        let container = Container::open(map, FileKind::TextFiles).expect("it is valid");
        let section =
            |id| container.copy(container.section(id).expect("it exists")).expect("it is valid");
        (1..=7).map(section).collect()
    };
    // A linear congruential generator (Knuth, MMIX): the same damage in every run.
    let mut state = 1604_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let mut opened = 0;
    for _ in 0..if std::env::var_os("CODEDB_LONG").is_some() { 100_000 } else { 400 } {
        let mut sections = sound.clone();
        for _ in 0..=random(3) {
            let section = &mut sections[random(7)];
            let at = random(section.len() + 1);
            match random(6) {
                0 => section.truncate(at),
                1 => section.insert(at, random(256) as u8),
                2 => section.extend([0xFF; 8]),
                _ if at == section.len() => {}
                3 => section[at] = 0xFF,
                4 => section[at] ^= 1 << random(8),
                _ => section[at] = random(20) as u8,
            }
        }
        let parts: Vec<[&[u8]; 1]> = sections.iter().map(|bytes| [&bytes[..]]).collect();
        let parts: Vec<(u32, &[&[u8]])> =
            (1..).zip(&parts).map(|(id, part)| (id, &part[..])).collect();
        fs::write(&path, format::to_bytes(FileKind::TextFiles, &parts)).expect("a file");
        let Ok(index) = TextIndex::open(dir.path(), false) else { continue };
        opened += 1;
        drop(index.check_all());
        drop(index.changes([(&b"src/file3.rs"[..], 1), (b"zz", 2)].into_iter()));
        let mut overlay = Overlay::new(Arc::new(index));
        drop((overlay.remove(b"src/file7.rs"), overlay.put(&prepare("src/file8.rs", "fn a() {}"))));
        let query = Query::parse("common target numbers");
        if let Ok(ranking) = rank(&overlay, &query, &Bm25::DEFAULT) {
            drop((ranking.chunks(30), ranking.files(30)));
        }
    }
    assert!(opened > 20, "{opened} could be opened");
}
