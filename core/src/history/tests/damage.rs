//! Logs in the index directory: valid ones, damaged ones, and files that are not logs.

use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::history::log::{SECTIONS, decode};
use crate::history::store::HistoryStore;
use crate::index::store::{LockRole, Store};

fn sample() -> Log {
    let repository = Repository::of(&random_history(&mut Random::new(7), 30, false));
    whole(&repository.root())
}

#[test]
fn decoding_restores_the_encoded_log() {
    let log = sample();
    let sections = encode(&log);
    assert_eq!(decode(sections.each_ref().map(Vec::as_slice)), Some(log.clone()));
    let empty = encode(&Log::default());
    assert_eq!(decode(empty.each_ref().map(Vec::as_slice)), Some(Log::default()));
    for section in 0..sections.len() {
        for cut in 0..sections[section].len() {
            let mut cut_off = sections.each_ref().map(Vec::as_slice);
            cut_off[section] = &cut_off[section][..cut];
            assert_eq!(decode(cut_off), None, "section {section} cut at {cut}");
        }
    }
}

#[test]
fn a_log_with_a_changed_byte_never_panics() {
    let sections = encode(&sample());
    for section in 0..sections.len() {
        for at in 0..sections[section].len() {
            let mut changed = sections.clone();
            changed[section][at] ^= 1 << (at % 8);
            let Some(log) = decode(changed.each_ref().map(Vec::as_slice)) else { continue };
            let history = History::new(log);
            history.rank(&Query::parse("fix parser"), &Parameters::DEFAULT, |_| true);
            history.changed_with(b"a.rs");
            assert!(history.log().commits().all(|commit| commit.subject().len() < 1 << 20));
        }
    }
}

proptest! {
    #[test]
    fn bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0..SECTIONS) {
        let sections = encode(&Log::default());
        let mut sections = sections.each_ref().map(Vec::as_slice);
        sections[at] = &bytes;
        if let Some(log) = decode(sections) {
            prop_assert!(log.is_empty());
        }
    }
}

#[test]
fn publishing_replaces_the_previous_log() {
    let dir = TempDir::new().expect("a temporary folder");
    let store = Store::new(dir.path().join("index"), false);
    let logs = HistoryStore(&store);
    assert_eq!(logs.newest(), None);
    assert!(logs.open().expect("nothing is no error").is_none());
    let lock = store.lock_as(LockRole::CodeWriter).expect("nobody has it");
    let log = sample();
    assert_eq!(logs.publish(&lock, &Log::default()).expect("a folder"), 1);
    fs::write(store.dir().join("history-2.idx.new"), "left by one that was killed")
        .expect("a file");
    assert_eq!(logs.publish(&lock, &log).expect("a folder"), 2);
    let published = logs.open().expect("sound").expect("one");
    assert_eq!((published.number, published.log), (2, log));
    let names = fs::read_dir(store.dir()).expect("a folder").flatten();
    let ours = names.filter(|name| name.file_name().to_string_lossy().starts_with("history-"));
    assert_eq!(ours.count(), 1);
    let path = store.dir().join("history-2.idx");
    let sound = fs::read(&path).expect("a file");
    for at in (0..sound.len()).step_by(sound.len() / 40) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x10;
        fs::remove_file(&path).expect("a file");
        fs::write(&path, bytes).expect("a file");
        let error = logs.open().expect_err("it is damaged");
        assert_eq!(error.kind(), crate::Kind::Corrupt, "byte {at}: {error}");
    }
    fs::remove_file(&path).expect("a file");
    fs::write(&path, "foreign").expect("a file");
    assert_eq!(logs.open().expect_err("foreign").kind(), crate::Kind::Corrupt);
}
