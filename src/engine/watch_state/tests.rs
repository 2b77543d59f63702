//! Tests that the in-process fast path lists the same files as a sweep of the tree.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::catalog::code::Code as _;
use crate::catalog::folders::Folders;
use crate::engine::{self, Check, Engine, Local, Pace, Stop, file_list};
use crate::index::store::Store;
use crate::source::global_excludes::GlobalExcludes;
use crate::source::stamp::RACY_WINDOW;
use crate::source::walk::Environment;

const PACE: Pace =
    Pace { quiet: Duration::from_millis(20), interval: Duration::from_millis(20), rest: 0 };

/// Runs a watch server for a small tree in a thread of this process while `trial` runs.
fn served(excludes: Option<&Path>, trial: impl FnOnce(&Engine, &Path)) {
    let (tree, index) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = tree.path().canonicalize().unwrap().join("tree");
    fs::create_dir_all(root.join("src/inner")).unwrap();
    fs::create_dir_all(root.join(".git/info")).unwrap();
    for path in ["a.rs", "src/b.rs", "src/inner/c.rs"] {
        fs::write(root.join(path), "fn one() {}\n").unwrap();
    }
    fs::write(root.join(".gitignore"), "*.log\n").unwrap();
    fs::write(root.join(".git/info/exclude"), "\n").unwrap();
    std::thread::sleep(RACY_WINDOW * 2);
    let excludes = excludes.map(Path::to_path_buf);
    let global_excludes =
        excludes.map(|path| GlobalExcludes::new(move || Some(path.clone()), Vec::new()));
    let environment = Environment { global_excludes, threads: 2 };
    let engine =
        Engine::new(root.clone(), Store::new(index.path().join("index"), false), environment);
    let stop = Stop::new().unwrap();
    std::thread::scope(|scope| {
        let serving = scope.spawn(|| engine::serve(&engine, &PACE, &stop));
        let ends = std::panic::AssertUnwindSafe(|| trial(&engine, &root));
        let result = std::panic::catch_unwind(ends);
        stop.stop();
        serving.join().unwrap().unwrap();
        assert!(
            engine.cache.watch_state.unchanged(&engine.store).is_none(),
            "the server has ended"
        );
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

/// Waits until the tree is unchanged since the newest generation, then lists its files once.
fn settle(engine: &Engine) {
    let since = Instant::now();
    while engine.cache.watch_state.unchanged(&engine.store).is_none() {
        assert!(since.elapsed() < Duration::from_secs(60), "it never settles");
        // A sync makes the server check rules that changed.
        let _ = engine::sync(engine, Duration::from_secs(5));
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = listed_by_call(engine);
}

/// Returns the files that a call lists, with their sizes.
fn listed_by_call(engine: &Engine) -> BTreeSet<(Vec<u8>, u64)> {
    let local = Local::new(engine, Check::Watcher);
    let files = local.files().unwrap();
    // What was derived from the paths of an earlier list is not used for other paths.
    let (folders, fresh) = (local.folders().unwrap(), Folders::new(files));
    assert_eq!(format!("{folders:?}"), format!("{fresh:?}"));
    files.iter().map(|(path, info)| (path.to_vec(), info.size_bytes)).collect()
}

/// Returns the files that a sweep lists, with their sizes.
fn listed_by_sweep(engine: &Engine) -> BTreeSet<(Vec<u8>, u64)> {
    let files = file_list(engine, Check::Strict).unwrap();
    files.iter().map(|(path, info)| (path.to_vec(), info.size_bytes)).collect()
}

#[test]
fn a_quiet_tree_is_unchanged_and_edits_are_listed_at_once() {
    served(None, |engine, root| {
        let mut unchanged = 0;
        for round in 0..60 {
            if round % 3 == 0 {
                settle(engine);
                let last = engine.cache.last().unwrap();
                let local = Local::new(engine, Check::Watcher);
                unchanged += usize::from(local.is_current(&last.files));
            }
            let path = root.join(["a.rs", "src/b.rs", "src/inner/c.rs", "src/new.rs"][round % 4]);
            match round % 5 {
                4 if path.exists() => fs::remove_file(&path).unwrap(),
                3 => fs::create_dir_all(root.join(format!("src/made{round}"))).unwrap(),
                _ => fs::write(&path, "x\n".repeat(round + 1)).unwrap(),
            }
            assert_eq!(listed_by_call(engine), listed_by_sweep(engine), "round {round}");
        }
        assert!(unchanged > 10, "{unchanged}");
    });
}

#[test]
fn changed_ignore_rules_apply_from_every_source() {
    let outside = tempfile::tempdir().unwrap();
    let excludes = outside.path().join("excludes");
    fs::write(&excludes, "\n").unwrap();
    served(Some(&excludes), |engine, root| {
        fs::write(root.join("x.log"), "log").unwrap();
        settle(engine);
        // A hard link and writes through it cause no events in the tree.
        fs::hard_link(root.join(".gitignore"), outside.path().join("another name")).unwrap();
        fs::write(outside.path().join("another name"), "c.rs\n").unwrap();
        assert_eq!(listed_by_call(engine), listed_by_sweep(engine), "by another name");
        let above = root.parent().unwrap();
        let rules = [
            root.join(".gitignore"),
            outside.path().join("another name"),
            root.join("src/.ignore"),
            root.join(".git/info/exclude"),
            excludes.clone(),
            above.join(".ignore"),
        ];
        for (round, rule) in rules.iter().enumerate() {
            for text in ["b.rs\n", "c.rs\n*.log\n", "\n"] {
                settle(engine);
                fs::write(rule, text).unwrap();
                assert_eq!(listed_by_call(engine), listed_by_sweep(engine), "{round} {text:?}");
            }
        }
    });
}

#[test]
fn publication_of_a_code_index_is_detected() {
    served(None, |engine, _| {
        settle(engine);
        let before = engine.cache.watch_state.code_publications().expect("nothing is on its way");
        engine::build_code(engine, true, &engine::Progress::default()).unwrap();
        let since = Instant::now();
        while engine
            .cache
            .watch_state
            .code_publications()
            .is_none_or(|code_publications| code_publications == before)
        {
            assert!(since.elapsed() < Duration::from_secs(30), "it is not noticed");
        }
    });
}
