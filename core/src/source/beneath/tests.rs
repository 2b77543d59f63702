//! Tests of opening beneath a root: both ways of opening without links agree, and links are followed
//! only within the tree.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::*;
use crate::error::Kind;

/// Returns a root and a directory beside it.
fn grounds() -> (TempDir, PathBuf, PathBuf) {
    let base = tempfile::tempdir().expect("a directory");
    let real = base.path().canonicalize().expect("it is there");
    let (root, outside) = (real.join("tree"), real.join("outside"));
    fs::create_dir_all(root.join("d/e")).expect("a directory");
    fs::create_dir(&outside).expect("a directory");
    fs::write(root.join("d/e/a.rs"), "inside").expect("a file");
    fs::write(outside.join("a.rs"), "outside").expect("a file");
    (base, root, outside)
}

fn text(file: &mut File) -> String {
    let mut text = String::new();
    file.read_to_string(&mut text).expect("it can be read");
    text
}

#[test]
fn both_ways_of_opening_without_links_agree() {
    let (_base, root, outside) = grounds();
    symlink(&outside, root.join("out")).expect("a link");
    symlink("d", root.join("in")).expect("a link");
    symlink("d/e/a.rs", root.join("file")).expect("a link");
    for path in ["d/e/a.rs", "out/a.rs", "in/e/a.rs", "file", "d/e/none", "none/a.rs", "d/e/a.rs/b"]
    {
        let walked = open_by_component(&root, path.as_bytes());
        let expected = if path == "d/e/a.rs" { Some("inside".to_owned()) } else { None };
        assert_eq!(walked.ok().map(|mut file| text(&mut file)), expected, "{path}");
        let opened = open_unlinked(&root, path.as_bytes());
        assert_eq!(opened.ok().map(|(mut file, _)| text(&mut file)), expected, "{path}");
    }
    for path in ["", ".", "..", "../outside/a.rs", "d/../d/e/a.rs", "d//e/a.rs", "/etc/passwd", "d"]
    {
        let error = open_unlinked(&root, path.as_bytes()).expect_err(path);
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{path}: {error}");
    }
}

#[test]
fn links_are_followed_within_the_tree() {
    let (_base, root, outside) = grounds();
    for (target, link) in [
        (root.join("d/e/a.rs"), "absolute"),
        ("d/e/../e/a.rs".into(), "relative"),
        ("absolute".into(), "chain"),
        ("../tree/d/e/a.rs".into(), "back"),
        (outside.join("a.rs"), "out"),
        ("../outside".into(), "up"),
        ("loop".into(), "loop"),
        ("/proc/self/cwd".into(), "magic"),
    ] {
        symlink(target, root.join(link)).expect("a link");
    }
    let accept = |_: &[u8]| Ok(());
    for path in ["absolute", "relative", "chain", "back", "d/./e/a.rs"] {
        let mut opened = open(&root, path.as_bytes(), accept).expect(path);
        assert_eq!(text(&mut opened.file), "inside", "{path}");
        assert!(!opened.is_unlinked, "{path}");
        let asked = open(&root, path.as_bytes(), |real| Err(Error::usage(path::shown(real))));
        assert_eq!(asked.expect_err(path).to_string(), "d/e/a.rs");
    }
    for path in ["out", "up/a.rs", "loop", "../outside/a.rs", "magic/Cargo.toml", "/etc/passwd"] {
        let error = open(&root, path.as_bytes(), accept).expect_err(path);
        assert!(matches!(error.kind(), Kind::Usage | Kind::NotFound), "{path}: {error}");
    }
}

#[test]
fn a_link_that_replaces_a_directory_meanwhile_leads_nowhere() {
    let (_base, root, outside) = grounds();
    symlink(outside, root.join(".link")).expect("a link");
    symlink("d/e/a.rs", root.join("file")).expect("a link");
    let stop = AtomicBool::new(false);
    let (mut inside, mut failed) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let rename = |from, to| fs::rename(root.join(from), root.join(to)).expect("swaps");
            while !stop.load(Ordering::Relaxed) {
                rename("d/e", "d/.e");
                rename(".link", "d/e");
                rename("d/e", ".link");
                rename("d/.e", "d/e");
            }
        });
        for _ in 0..2000 {
            let ways = [
                open_unlinked(&root, b"d/e/a.rs").map(|(file, _)| file).ok(),
                open_by_component(&root, b"d/e/a.rs").ok(),
                open(&root, b"file", |_| Ok(())).map(|opened| opened.file).ok(),
            ];
            for way in ways {
                match way.map(|mut file| text(&mut file)).as_deref() {
                    Some("inside") => inside += 1,
                    None => failed += 1,
                    Some(other) => panic!("read `{other}`"),
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(inside > 0 && failed > 0, "{inside} and {failed}: there was no race");
}
