//! Tests of which ignore files are refused, and of walks around them.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Instant;

use tempfile::TempDir;

use super::*;
use crate::source::walk::{self, Environment};

/// Returns a tree with a repository, `out` beside it, and these files.
fn tree(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let base = tempfile::tempdir().expect("a directory");
    let root = base.path().canonicalize().expect("it is there").join("tree");
    fs::create_dir_all(root.join(".git/info")).expect("a directory");
    fs::write(base.path().join("out"), "*.txt\n").expect("a file");
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    (base, root)
}

fn walked(root: &Path) -> (Vec<String>, u64) {
    let environment = Environment { global_excludes: None, threads: 2 };
    let tree = walk::walk(root, &environment).expect("it can be walked");
    let names = tree.files.iter().map(|path| String::from_utf8_lossy(path).into_owned());
    (names.collect(), tree.problems)
}

fn pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
}

/// Makes each way of refusing a file at a path.
const WAYS: &[(&str, fn(&Path))] = &[
    ("a device", |path| symlink("/dev/zero", path).expect("a link")),
    ("a pipe", pipe),
    ("a link that leads out", |path| {
        let base = path.ancestors().find(|dir| dir.join("out").exists()).expect("it is above");
        symlink(base.join("out"), path).expect("a link");
    }),
    ("a file of the kernel", |path| symlink("/proc/kmsg", path).expect("a link")),
    ("a large file", |path| {
        let file = fs::File::create(path).expect("a file");
        file.set_len(20 << 30).expect("a sparse file");
    }),
    ("many rules", |path| {
        let rules: String = (0..5000).map(|n| format!("*a{n}*.rs\n")).collect();
        fs::write(path, rules).expect("a file");
    }),
];

#[test]
fn a_refused_file_loses_only_rules_of_its_kind_below_it() {
    let files = [
        (".ignore", "*.log\n"),
        ("a.txt", ""),
        ("a.log", ""),
        ("d/.gitignore", "*.txt\n"),
        ("d/b.txt", ""),
        ("d/b.log", ""),
        ("d/e/c.txt", ""),
        ("d/e/c.log", ""),
        ("f/.gitignore", "*.txt\n"),
        ("f/d.txt", ""),
        ("f/d.rs", ""),
    ];
    for (way, make) in WAYS {
        let (_base, root) = tree(&files);
        assert_eq!(walked(&root), (vec!["a.txt".into(), "f/d.rs".into()], 0));
        fs::remove_file(root.join("d/.gitignore")).expect("it is there");
        make(&root.join("d/.gitignore"));
        let started = Instant::now();
        let expected = ["a.txt", "d/b.txt", "d/e/c.txt", "f/d.rs"].map(str::to_owned).to_vec();
        assert_eq!(walked(&root), (expected, 1), "{way}");
        assert!(started.elapsed().as_secs() < 5, "{way}");
    }
}

#[test]
fn every_kind_is_refused_at_the_root_and_above() {
    for name in [".rgignore", ".ignore", ".gitignore", ".git/info/exclude"] {
        for (way, make) in WAYS {
            for top in ["", "sub"] {
                let (_base, root) = tree(&[("sub/a.txt", ""), ("sub/.gitignore", "*.log\n")]);
                make(&root.join(name));
                let (files, problems) = walked(&root.join(top));
                assert!(
                    files.iter().any(|file| file.ends_with("a.txt")),
                    "{name}, {way}: {files:?}"
                );
                assert_eq!(problems, 1, "{name}, {way}, {top}");
            }
        }
    }
}

#[test]
fn the_files_that_lead_to_the_excludes_of_a_work_tree_are_checked() {
    let (_base, root) = tree(&[("linked/a.txt", "")]);
    let git = root.join("git");
    fs::create_dir(&git).expect("a directory");
    fs::write(root.join("linked/.git"), format!("gitdir: {}\n", git.display())).expect("a file");
    assert_eq!(refused_in(&root.join("linked")), Refused::default());
    pipe(&git.join("commondir"));
    assert!(refused_in(&root.join("linked")).git_exclude());
    assert_eq!(walked(&root.join("linked")).0, ["a.txt"]);
}

#[test]
fn links_within_the_repository_and_small_files_are_read() {
    let (_base, root) = tree(&[("rules", "*.txt\n"), ("a.txt", ""), ("d/a.txt", ""), ("d/b", "")]);
    symlink("../rules", root.join("d/.gitignore")).expect("a link");
    assert_eq!(refused_in(&root.join("d")), Refused::default());
    assert_eq!(walked(&root), (["a.txt", "d/b", "rules"].map(str::to_owned).to_vec(), 0));
}

#[test]
fn costs_add_up_along_a_path() {
    let rules: String = (0..1500).map(|n| format!("*a{n}*.rs\n")).collect();
    let mut path = String::new();
    let mut files = Vec::new();
    for depth in 0..6 {
        path.push_str(&format!("d{depth}/"));
        files.push(format!("{path}.gitignore"));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), &rules[..])).collect();
    let (_base, root) = tree(&files);
    let is_refused: Vec<bool> = files
        .iter()
        .map(|(file, _)| refused_in(root.join(file).parent().expect("a directory")).gitignore())
        .collect();
    assert_eq!(is_refused, [false, false, true, true, true, true]);
}

#[test]
fn many_refused_directories_are_walked_together() {
    let (_base, root) = tree(&[]);
    for n in 0..300 {
        let dir = root.join(format!("d{n}"));
        fs::create_dir(&dir).expect("a directory");
        fs::write(dir.join("a.txt"), "").expect("a file");
        symlink("/dev/zero", dir.join(".ignore")).expect("a link");
    }
    let started = Instant::now();
    let (files, problems) = walked(&root);
    assert_eq!((files.len(), problems), (300, 300));
    assert!(started.elapsed().as_secs() < 5);
}
