//! Tests of publication: killed and failed builders, removed directories, and recovery.

use tempfile::TempDir;

use super::*;
use crate::index::code::CodeSegmentBuilder;

fn store() -> (TempDir, Store) {
    let dir = TempDir::new().expect("a temporary directory");
    let store = Store::new(dir.path().to_path_buf(), false);
    (dir, store)
}

/// Publishes two empty segments as another base.
fn publish(store: &Store, lock: &WriterLock) -> CodeManifest {
    let code_store = CodeStore(store);
    let number = code_store.next_number();
    for i in 0..2 {
        CodeSegmentBuilder::default()
            .write(&code_store.segment_path(number, i))
            .expect("a writable directory");
    }
    let kept = Vec::new();
    let new = NewSegments { number, kept, kept_base: 0, added: 2, is_base: true, generation: 1 };
    code_store.publish(lock, new).expect("a writable directory")
}

fn names(store: &Store) -> Vec<String> {
    let mut names = CodeStore(store).names();
    names.sort();
    names
}

#[test]
fn a_missing_segment_is_damage() {
    let (_dir, store) = store();
    let code_store = CodeStore(&store);
    let lock = code_store.lock().expect("the lock is free");
    publish(&store, &lock);
    assert_eq!(code_store.open().expect("it is valid").map(|code| code.segments.len()), Some(2));
    fs::remove_file(store.dir().join("code-segment-1-0.idx")).expect("a file of this test");
    let error = code_store.open().expect_err("a segment is missing");
    assert_eq!(error.kind(), Kind::Corrupt);
    assert!(error.to_string().ends_with("code-segment-1-0.idx: index file is missing"), "{error}");
}

/// While another process publishes, a listing may be empty or contain only removed files.
#[test]
fn an_empty_listing_is_retried() {
    let (_dir, store) = store();
    let code_store = CodeStore(&store);
    let lock = code_store.lock().expect("the lock is free");
    publish(&store, &lock);
    publish(&store, &lock);
    let mut listings = vec![code_store.numbers(), vec![1], Vec::new(), Vec::new()];
    let newest = code_store.newest_listed(|| listings.pop().unwrap_or_default());
    assert_eq!(newest.expect("it is valid").map(|newest| newest.number), Some(2));
    assert_eq!(code_store.newest_listed(Vec::new).expect("nothing"), None);
}

#[test]
fn unreferenced_files_are_removed_by_the_next_lock() {
    let (_dir, store) = store();
    let lock = CodeStore(&store).lock().expect("the lock is free");
    publish(&store, &lock);
    drop(lock);
    let left = ["code-segment-2-0.idx", "code-segment-3-0.idx.new", "code-2.json.new"];
    for name in left {
        fs::write(store.dir().join(name), "of one that was killed").expect("a file");
    }
    let lock = CodeStore(&store).lock().expect("the lock is free");
    let sound = ["code-1.json", "code-segment-1-0.idx", "code-segment-1-1.idx", "code.lock"];
    assert_eq!(names(&store), sound);

    // With a damaged manifest, no segment is removed: it may be referenced.
    drop(lock);
    fs::write(store.dir().join("code-1.json"), "damaged").expect("a file");
    drop(CodeStore(&store).lock().expect("the lock is free"));
    assert_eq!(names(&store), sound);
}

#[test]
fn a_lock_of_a_removed_directory_cannot_publish() {
    let base = TempDir::new().expect("a temporary directory");
    let store = Store::new(base.path().join("index"), false);
    let code_store = CodeStore(&store);
    let lock = code_store.lock().expect("the lock is free");
    fs::remove_dir_all(store.dir()).expect("a directory can be removed");
    let other = code_store.lock().expect("a new directory has a new lock");
    let kept = Vec::new();
    let new = NewSegments { number: 1, kept, kept_base: 0, added: 0, is_base: true, generation: 1 };
    let error = code_store.publish(&lock, new).expect_err("it is not a file of this test");
    assert_eq!(error.kind(), Kind::Busy, "{error}");
    assert_eq!(names(&store), ["code.lock"]);
    other.check().expect("that lock is held");
}

#[test]
fn a_code_index_of_another_version_counts_as_built() {
    let cache = TempDir::new().expect("a temporary directory");
    let dir = |name: &str| cache.path().join("0123456789abcdef").join(name);
    let (old, new) = (Store::new(dir("v2-01234567"), false), Store::new(dir("v2-89abcdef"), false));
    let lock = CodeStore(&old).lock().expect("the lock is free");
    assert!(!CodeStore(&new).was_built());
    publish(&old, &lock);
    assert!(CodeStore(&old).was_built() && CodeStore(&new).was_built());
    assert_eq!(CodeStore(&new).newest().expect("nothing").map(|newest| newest.number), None);
}
