//! Tests of refreshing the code index: what is rebuilt, and the number of segments.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::catalog::code::Code as _;
use crate::engine::{Check, Local, build, refresh};
use crate::index::store::Store;
use crate::query::fuzzy;
use crate::source::stamp::{RACY_WINDOW, Stamp};
use crate::source::walk::Environment;

/// A tree and its engine.
struct Tree {
    base: TempDir,
    engine: Engine,
}

impl Tree {
    fn new(on_heap: bool) -> Tree {
        let base = TempDir::new().expect("a temporary directory");
        let root = base.path().canonicalize().expect("it is there").join("tree");
        fs::create_dir(&root).expect("a directory can be made");
        let store = Store::new(base.path().join("index"), on_heap);
        let environment = Environment { global_excludes: None, threads: 2 };
        Tree { base, engine: Engine::new(root, store, environment) }
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.engine.root().join(name), text).expect("a file can be written");
    }

    /// Refreshes both indexes after the racy window of the last write.
    fn index(&self) -> CodeBuilt {
        thread::sleep(RACY_WINDOW + Duration::from_millis(30));
        refresh(&self.engine, &Progress::default()).expect("a search index");
        build_code(&self.engine, false, &Progress::default()).expect("a code index")
    }

    fn status(&self) -> CodeStatus {
        let snapshot = self.engine.snapshot().expect("sound").expect("there");
        code_status(&self.engine, &snapshot).expect("sound")
    }

    /// Returns the names of the files of the code index and the text index.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.base.path().join("index")).expect("it is there").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("text-") {
                let inner = fs::read_dir(entry.path()).expect("it is there").flatten();
                files.extend(inner.map(|entry| entry.path()));
            } else if name.starts_with("code-") {
                files.push(entry.path());
            }
        }
        files.sort();
        files
    }
}

/// Flips a byte in a new copy of a file: a memory map of the old one does not change.
fn damage(path: &Path, at: usize) {
    let mut bytes = fs::read(path).expect("our file");
    bytes[at] ^= 0x20;
    fs::remove_file(path).expect("our file");
    fs::write(path, bytes).expect("our file");
}

/// Returns the metadata of the files, which differs after a file is rewritten.
fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    let stamp = |path: &PathBuf| Stamp::of(&fs::metadata(path).expect("it is still there"));
    files.iter().map(stamp).collect()
}

#[test]
fn files_without_text_do_not_make_the_text_index_outdated() {
    let tree = Tree::new(false);
    for i in 0..250 {
        tree.write(&format!("i{i}.png"), format!("\u{89}PNG\0{i}"));
    }
    tree.write("wide.txt", b"\xff\xfea\0b\0");
    // UTF-16 text that contains no NUL byte.
    tree.write("han.txt", b"\xff\xfe\x2d\x4e\x87\x65");
    for i in 0..3 {
        tree.write(&format!("f{i}.rs"), format!("fn f{i}() {{}}\n"));
    }
    tree.index();
    let status = tree.status();
    assert_eq!((status.missing, status.text_behind), (0, 0), "{status:?}");
    let (files, before) = (tree.files(), stamps(&tree.files()));
    assert!(!tree.index().published);
    assert_eq!(tree.files(), files);
    assert_eq!(stamps(&files), before, "nothing is written again");
}

#[test]
fn an_unchanged_refresh_detects_damage() {
    let tree = Tree::new(false);
    tree.write("a.rs", "fn a() { b(); }\n".repeat(50));
    tree.index();
    let files = tree.files();
    assert!(files.len() >= 4, "manifest, segment, table and segment: {files:?}");
    for number in 0..files.len() {
        // Opening does not check the middle.
        for what in ["front", "middle", "missing"] {
            let path = &tree.files()[number];
            let len = fs::metadata(path).expect("our file").len() as usize;
            match what {
                "front" => damage(path, 70.min(len - 1)),
                "middle" => damage(path, len / 2),
                _ => fs::remove_file(path).expect("our file"),
            }
            let what = format!("{}: {what}", path.display());
            tree.index();
            check_code(&tree.engine).expect(&what);
            assert!(tree.status().is_full(), "{what}");
            assert_eq!(tree.files().len(), files.len(), "{what}");
        }
    }
}

#[test]
fn a_failed_build_leaves_no_files() {
    let tree = Tree::new(false);
    tree.write("a.rs", "fn a() {}\n");
    tree.index();
    let files = tree.files();
    tree.write("b.rs", "fn b() {}\n");
    refresh(&tree.engine, &Progress::default()).expect("a search index");
    // A file cannot replace a directory that is not empty: as on a full disk, the new segment is
    // written and the manifest fails.
    let in_the_way = tree.base.path().join("index/code-2.json.new/x");
    fs::create_dir_all(&in_the_way).expect("a directory can be made");
    build_code(&tree.engine, false, &Progress::default()).expect_err("it cannot be published");
    fs::remove_dir_all(in_the_way.parent().expect("a directory")).expect("our directory");
    assert_eq!(tree.files(), files);
    tree.index();
    assert!(tree.status().is_full());

    // A cancelled build leaves no new segments.
    let files = tree.files();
    tree.write("c.rs", "fn c() {}\n");
    refresh(&tree.engine, &Progress::default()).expect("a search index");
    let cancelled = Progress::default();
    cancelled.cancel();
    let error = build_code(&tree.engine, false, &cancelled).expect_err("it was cancelled");
    assert_eq!((error.kind(), tree.files()), (Kind::Cancelled, files));
}

#[test]
fn refreshes_have_room_next_to_a_base_of_many_segments() {
    let tree = Tree::new(false);
    let progress = &Progress::default();
    for i in 0..40 {
        tree.write(&format!("f{i:02}.rs"), format!("fn f{i}() {{}}\n"));
    }
    build(&tree.engine, progress).expect("a search index");
    let code_store = CodeStore(&tree.engine.store);
    for round in 0..20 {
        let snapshot = tree.engine.snapshot().expect("sound").expect("there");
        let all = readable_files(&snapshot.table).expect("sound");
        let lock = code_store.lock().expect("nobody has it");
        let job = Job {
            engine: &tree.engine,
            lock: &lock,
            generation: snapshot.generation,
            table: &snapshot.table,
            progress,
            is_text_due: false,
            // Treats each file as large.
            is_full: |builder| builder.files() > 0,
        };
        build_segments(&job, &all, false).expect("a code index");
        let code = code_store.open().expect("not too many segments").expect("there");
        assert_eq!(code.manifest.base, BASE_SEGMENTS_MAX, "round {round}");
        assert_eq!(tree.status().missing, 0, "round {round}");
        // Changes one file, or more files than fit.
        for i in 0..if round % 4 == 3 { 15 } else { 1 } {
            tree.write(&format!("f{i:02}.rs"), format!("fn f{i}_{round}() {{}}\n"));
        }
        refresh(&tree.engine, progress).expect("a search index");
    }
}

#[test]
fn the_text_index_is_on_the_heap_if_the_store_requires_it() {
    for on_heap in [true, false] {
        let tree = Tree::new(on_heap);
        // Small files are always read into memory, so the table must be large: by long paths.
        for i in 0..400 {
            tree.write(&format!("{i}{}.rs", "a".repeat(200)), "fn a() {}\n");
        }
        tree.index();
        let index = tree.engine.text_index().expect("a text index");
        let files = tree.files();
        let cut = files.iter().find(|path| path.ends_with("files.idx")).expect("it has a table");
        fs::File::options().write(true).open(cut).and_then(|file| file.set_len(100)).expect("ours");
        // A file that was read into memory does not change with the file on disk.
        assert_eq!(index.check_all().is_ok(), on_heap);
    }
}

#[test]
fn the_text_index_is_the_same_if_it_is_built_after_the_code_index() {
    for threads in [1, 2] {
        let mut tree = Tree::new(false);
        tree.engine.environment.threads = threads;
        for i in 0..20 {
            let text =
                format!("/// Says {i}.\nfn say{i}(name: &str) {{\n    greet_{i}(name);\n}}\n");
            tree.write(&format!("f{i}.rs"), text.repeat(1 + i % 7));
        }
        tree.write("a.py", "class A:\n    \"\"\"Doc.\"\"\"\n    def b(self): return 1\n");
        tree.write("late.rs", [b"fn first() {}\n// ".as_slice(), &[b'x'; 9000], b"\0\n"].concat());
        tree.write("wide.txt", b"\xff\xfea\0b\0");
        tree.write("image.png", b"\x89PNG\0");
        tree.write("README.md", "# Words\n\nSome prose about parsing.\n");
        assert!(tree.index().published);
        let snapshot = tree.engine.snapshot().expect("sound").expect("there");
        let code = CodeStore(&tree.engine.store).open().expect("sound").expect("there");
        let (table, doc_map) = (&snapshot.table, doc_map(&code, &snapshot.table).expect("sound"));
        for file in readable_files(table).expect("sound") {
            let (path, hash) = (table.path(file).expect("sound"), table.hash(file).expect("sound"));
            let (segment, doc) = doc_map.doc(file.index()).expect("in the code index");
            let after = text::prepare(&tree.engine, &code.segments[segment], doc, &path, hash);
            let mut buffer = Buffer::default();
            let facts = extract(&tree.engine.root, &path, &mut buffer, &tree.engine.parsers);
            let facts = facts.expect("parsed here").expect("it can be read");
            let with_code = text::prepared(&path, &facts, buffer.bytes());
            assert_eq!(after, Some(with_code), "{}", String::from_utf8_lossy(&path));
        }
        // The code index is current, so that only the text index is built again.
        for path in tree.files().iter().filter(|path| path.to_string_lossy().contains("/text-")) {
            fs::remove_file(path).expect("our file");
        }
        assert!(!tree.status().is_full());
        assert!(!tree.index().published);
        assert!(tree.status().is_full() && tree.status().text_behind == 0, "{threads} threads");
    }
}

#[test]
fn a_cancelled_log_does_not_hold_up_a_failed_build() {
    let progress = Progress::default();
    let log = HistoryProgress::new(&progress);
    drop(StopOnDrop(&log));
    assert!(log.is_cancelled() && !progress.is_cancelled());
}

#[test]
fn names_are_found_the_same_whether_they_are_collected_or_not() {
    let tree = Tree::new(false);
    let names = |of: usize| -> String {
        let line = |at: usize| format!("fn {}_{}{at}() {{}}\n", ["get", "set"][at % 2], of % 3);
        (0..40).map(line).collect()
    };
    (0..6).for_each(|of| tree.write(&format!("f{of}.rs"), names(of)));
    tree.index();
    // A changed and a removed file, and another segment.
    tree.write("f0.rs", "fn only_here() {}\nfn get_01() {}\n");
    fs::remove_file(tree.engine.root().join("f1.rs")).expect("our file");
    tree.index();
    tree.write("f2.rs", "fn unindexed() {}\n");
    let local = Local::new(&tree.engine, Check::Strict);
    let catalog = local.catalog(&[]).expect("sound");
    for query in ["get_01", "gte_01", "onlyhere", "set", "unindexde", "no such name"] {
        let walked = fuzzy::find_among(query.as_bytes(), 10, |fits| catalog.names_that(fits));
        let collected = catalog.similar_names(query.as_bytes(), 10).expect("sound");
        assert_eq!(collected, walked.expect("sound"), "{query}");
        assert_eq!(collected.1 == 0, query.contains("such"), "{query}");
    }
    let part = |name: &[u8]| name.ends_with(b"7");
    let walked = catalog.names_that(&part).expect("sound");
    assert_eq!(catalog.names_containing("7", part).expect("sound"), walked);
    assert!(!walked.is_empty());
}
