//! Damage that occurs after an index is opened and before its blocks are read: an error, not a
//! wrong answer or death by a signal.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use codedb::Kind;
use codedb::base::ids::FileId;
use codedb::index::gram::Gram;
use codedb::index::snapshot::Snapshot;
use codedb::query::candidates::{Demand, candidates};
use codedb::query::gram_query::GramQuery;

use super::{engine, names, prng};
use crate::support::place::{Place, settle};

/// Creates an index whose segment and table have several blocks.
fn large() -> Place {
    let mut rng = prng(20);
    let place = Place::new();
    for file in 0..2500 {
        place.write(format!("d{}/a-rather-long-name-of-a-file-{file}.txt", file / 100), "x\n");
    }
    let noise: String = (0..200_000).map(|_| char::from(b' ' + rng.below(94) as u8)).collect();
    place.write("noise.txt", &noise);
    place.write("found.txt", "the gamma_ray is here\n");
    settle();
    place.index(&[]).expect_success();
    place
}

fn file(place: &Place, start: &str) -> PathBuf {
    let name = names(&place.store()).into_iter().find(|name| name.starts_with(start));
    place.store().join(name.expect("an index file"))
}

fn look_up(snapshot: &Snapshot, bytes: &[u8; 3]) -> codedb::Result<usize> {
    let query = GramQuery::Gram(Gram::of(*bytes).expect("a gram"));
    candidates(snapshot, &query, Demand::default()).map(|found| found.files.count())
}

#[test]
fn truncating_an_open_segment_is_an_error() {
    let place = large();
    let path = file(&place, "segment-");
    let whole = fs::read(&path).expect("a segment");
    for len in [0, 1, 4096, 65_536, 131_072, whole.len() as u64 / 2, whole.len() as u64 - 1] {
        let snapshot = engine(&place).snapshot().expect("it is valid").expect("an index");
        let cut = OpenOptions::new().write(true).open(&path).expect("a segment");
        cut.set_len(len).expect("a segment can be cut");
        for query in [b"gam", b"amm", b"~~~", b"aaa", b"the"] {
            let error = look_up(&snapshot, query).expect_err("a cut segment is an error");
            assert_eq!(
                (error.kind(), error.path()),
                (Kind::Corrupt, Some(path.as_path())),
                "{len}"
            );
        }
        assert!(snapshot.segments[0].container().check_all().is_err());
        drop(snapshot);
        fs::write(&path, &whole).expect("a segment can be restored");
    }
}

#[test]
fn truncating_an_open_table_is_an_error() {
    let place = large();
    let path = file(&place, "table-");
    let whole = fs::read(&path).expect("a table");
    assert!(whole.len() > 3 * 65_536, "{} bytes are too few blocks", whole.len());
    for len in [0, 4096, 70_000, whole.len() as u64 - 1] {
        let snapshot = engine(&place).snapshot().expect("it is valid").expect("an index");
        let cut = OpenOptions::new().write(true).open(&path).expect("a table");
        cut.set_len(len).expect("a table can be cut");
        // Opening reads only the block of the segment list, near the end.
        let error = snapshot.table.file(FileId(0)).expect_err("a cut table is an error");
        assert_eq!((error.kind(), error.path()), (Kind::Corrupt, Some(path.as_path())), "{len}");
        drop(snapshot);
        fs::write(&path, &whole).expect("a table can be restored");
    }
}

#[test]
fn flipping_a_byte_of_an_open_file_is_an_error() {
    let place = large();
    let mut rng = prng(21);
    let sound = engine(&place).snapshot().expect("it is valid").expect("an index");
    let sound = look_up(&sound, b"gam").expect("it is valid");
    for start in ["segment-", "table-"] {
        let path = file(&place, start);
        let len = fs::metadata(&path).expect("an index file").len();
        let file = OpenOptions::new().read(true).write(true).open(&path).expect("an index file");
        let mut noticed = 0;
        for _ in 0..40 {
            let at = 64 + rng.below(len as usize - 64) as u64;
            let snapshot = engine(&place).snapshot().expect("it is valid").expect("an index");
            let mut byte = [0];
            file.read_exact_at(&mut byte, at).expect("an index file can be read");
            file.write_all_at(&[byte[0] ^ 0x10], at).expect("an index file can be damaged");
            let container = match start {
                "table-" => snapshot.table.container(),
                _ => snapshot.segments[0].container(),
            };
            let checked = container.check_all();
            let found = look_up(&snapshot, b"gam");
            let name = (0..snapshot.table.files())
                .try_for_each(|id| snapshot.table.path(FileId(id)).map(drop));
            // The checksums and the directory after the blocks were read when the file was opened.
            if let Ok(count) = found {
                assert_eq!(count, sound, "a wrong answer");
            }
            for error in [checked.err(), found.err(), name.err()].into_iter().flatten() {
                assert_eq!((error.kind(), error.path()), (Kind::Corrupt, Some(path.as_path())));
                noticed += 1;
            }
            file.write_all_at(&byte, at).expect("an index file can be restored");
        }
        assert!(noticed > 20, "{noticed} errors in 40 damages of {start}");
    }
}
