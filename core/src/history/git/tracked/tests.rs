//! The files of an index as git itself lists them, in every version of the format.

use std::fs;
use std::process::Command;

use proptest::prelude::*;

use super::*;

fn git(dir: &Path, args: &[&str]) -> Vec<u8> {
    let git = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    assert!(git.status.success(), "{args:?}: {}", String::from_utf8_lossy(&git.stderr));
    git.stdout
}

fn make(dir: &Path, init: &[&str]) {
    git(dir, &[&["init", "-q"], init].concat());
    for name in [".env.example", ".github/workflows/ci.yml", "a", "a-b", "a/b", "dir/sub/x", "é"] {
        let name = if name == "a/b" { "c/b" } else { name };
        let file = dir.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, name).expect("written");
    }
    fs::write(dir.join("z".repeat(200)), "long").expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink("a", dir.join("link")).expect("a link");
    git(dir, &["add", "."]);
}

fn names(root: &Path) -> Vec<String> {
    let tracked = tracked(root).expect("an index");
    tracked.files.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// Returns what git lists, without symbolic links.
fn expected(root: &Path) -> Vec<String> {
    let listed = git(root, &["ls-files", "-z"]);
    let mut names: Vec<&[u8]> = listed.split(|&byte| byte == 0).collect();
    names.retain(|name| !name.is_empty() && *name != b"link");
    names.sort_unstable_by(|a, b| path::compare(a, b));
    names.dedup();
    names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

#[test]
fn every_version_of_an_index_is_read_as_git_reads_it() {
    for init in [&["--object-format=sha1"][..], &["--object-format=sha256"]] {
        let place = tempfile::tempdir().expect("a folder");
        let dir = place.path().canonicalize().expect("there");
        assert_eq!(tracked(&dir), None);
        make(&dir, init);
        for version in ["2", "4", "2"] {
            git(&dir, &["update-index", "--index-version", version]);
            assert_eq!(names(&dir), expected(&dir), "{init:?} {version}");
            assert_eq!(names(&dir).len(), 8);
            assert_eq!(names(&dir.join("dir")), ["sub/x"]);
        }
        // Extended flags make version 3.
        git(&dir, &["update-index", "--skip-worktree", "a"]);
        fs::write(dir.join("new"), "").expect("written");
        git(&dir, &["add", "-N", "new"]);
        assert_eq!(fs::read(dir.join(".git/index")).expect("read")[7], 3);
        assert_eq!(names(&dir), expected(&dir));
        git(&dir, &["update-index", "--index-version", "4"]);
        assert_eq!(names(&dir), expected(&dir));
        git(&dir, &["update-index", "--split-index"]);
        fs::write(dir.join("newer"), "").expect("written");
        git(&dir, &["add", "newer"]);
        assert_eq!(names(&dir), expected(&dir));
        assert!(names(&dir).contains(&"newer".to_owned()));
    }
}

#[test]
fn files_in_collapsed_directories_of_a_sparse_index_are_listed() {
    let place = tempfile::tempdir().expect("a folder");
    let dir = place.path().canonicalize().expect("there");
    make(&dir, &[]);
    git(&dir, &["commit", "-q", "-m", "Begin"]);
    let all = names(&dir);
    git(&dir, &["sparse-checkout", "set", "--sparse-index", "c"]);
    assert_eq!(names(&dir), all);
}

#[test]
fn the_hash_depends_on_the_paths_only() {
    let place = tempfile::tempdir().expect("a folder");
    let dir = place.path().canonicalize().expect("there");
    make(&dir, &[]);
    let before = tracked(&dir).expect("an index");
    fs::write(dir.join("a"), "other").expect("written");
    git(&dir, &["add", "a"]);
    assert_eq!(tracked(&dir).expect("an index").hash, before.hash);
    git(&dir, &["rm", "-q", "--cached", "a"]);
    assert_ne!(tracked(&dir).expect("an index").hash, before.hash);
}

#[test]
fn paths_that_leave_the_work_tree_are_not_listed() {
    for (name, is_listed) in [
        ("a/b", true),
        (".github/x", true),
        ("../x", false),
        ("a/../../x", false),
        ("/etc/passwd", false),
        ("a//b", false),
        (".git/config", false),
        ("sub/.GIT/config", false),
        ("", false),
    ] {
        assert_eq!(is_plain(name.as_bytes()), is_listed, "{name}");
    }
}

proptest! {
    #[test]
    fn no_index_file_makes_it_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..400),
                                    version in 0_u8..6, count in 0_u8..4) {
        for (at, &byte) in [b'D', b'I', b'R', b'C', 0, 0, 0, version, 0, 0, 0, count].iter().enumerate() {
            if at < bytes.len() {
                bytes[at] = byte;
            }
        }
        for id_bytes in ID_BYTES {
            let mut listed = 0;
            let _ = entries(&bytes, id_bytes, &mut |_, _| listed += 1);
            prop_assert!(listed <= usize::from(count));
        }
    }
}
