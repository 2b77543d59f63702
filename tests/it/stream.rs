//! Files are listed while they are searched, or before the search with several threads: output and
//! messages are the same.

use std::fs;
use std::process::Command;

use crate::support::place::{Answer, Place};

/// Numbers of threads: all but the first list before the search.
const THREADS: [&str; 4] = ["1", "2", "4", "6"];

#[track_caller]
fn check(place: &Place, args: &[&str]) -> Answer {
    let run = |threads: &str| {
        let mut command: Command = place.codedb("search");
        command.args(["--no-index", "--no-background", "-j", threads]).args(args);
        Answer::of(command)
    };
    let expected = run("6");
    for threads in THREADS {
        let found = run(threads);
        assert_eq!(found.text(), expected.text(), "{threads} threads: {args:?}");
        assert_eq!(found.stderr, expected.stderr, "{threads} threads: {args:?}");
        assert_eq!(found.code, expected.code, "{threads} threads: {args:?}");
    }
    expected
}

/// A tree whose names sort differently as bytes and by component.
fn tree() -> Place {
    let place = Place::new();
    for name in ["a-b/x", "a/x", "a/y/z", "a.c", "a b", "ab", "B/x", "b/c/d", "b/c.d", "ignored/x"]
    {
        place.write(name, format!("needle in {name}\n"));
    }
    place.write(".ignore", "ignored\n");
    place
}

#[test]
fn the_order_is_that_of_paths() {
    let place = tree();
    let found = check(&place, &["needle"]);
    let names: Vec<String> =
        found.text().lines().filter_map(|line| line.split(':').next().map(str::to_owned)).collect();
    assert_eq!(names, ["B/x", "a/x", "a/y/z", "a b", "a-b/x", "a.c", "ab", "b/c/d", "b/c.d"]);
    check(&place, &["needle", "b", "a", "a.c", "missing", "B"]);
    check(&place, &["needle", "./a", "ignored"]);
    check(&place, &["-c", "x", "-g", "!a"]);
    check(&place, &["--files-without-match", "z"]);
    check(&place, &["-q", "needle"]);
    check(&place, &["needle", "--max-depth", "1"]);
    assert_eq!(check(&place, &["nothing", "-t", "rust"]).code, 2);
}

#[cfg(unix)]
#[test]
fn problems_are_reported_in_their_place() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let place = tree();
    place.write("a/y/.gitignore", "x\n".repeat(1 << 20));
    place.write("b/.ignore", "# many\n".repeat(1 << 18));
    place.write("b/c/.rgignore", "d\n".repeat(1 << 20));
    place.write("ab.d/.ignore", "[\n");
    place.write("ab.d/x", "needle\n");
    fs::create_dir_all(place.root().join(".git")).expect("a directory");
    symlink("..", place.root().join("a/loop")).expect("a link");
    fs::create_dir(place.root().join("closed")).expect("a directory");
    let mode = |mode| {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(place.root().join("closed"), permissions).expect("own");
    };
    mode(0o000);
    let found = check(&place, &["needle"]);
    let count = found.stderr.matches("is not read in and below").count();
    assert!(count == 3, "{}", found.stderr);
    check(&place, &["needle", "-L"]);
    check(&place, &["needle", "a/y", "b"]);
    mode(0o700);
}
