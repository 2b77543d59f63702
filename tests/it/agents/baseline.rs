//! The tools of the baseline of `codedb eval agent`: what ripgrep and `cat -n` print.

use std::process::Command;

use serde_json::{Value, json};

use super::scripted::{Model, Step, text};
use super::shop;
use crate::peer;
use crate::support::place::{Answer, Place};

const TASK: &str = "[[task]]\nid = 't'\nquestion = 'Which?'\nmust = [['x']]\n";

/// Returns the replies of calls; those of calls that failed begin with `error: `.
fn replies(place: &Place, calls: &[(&'static str, Value)]) -> Vec<String> {
    let calls: Vec<(&'static str, String)> =
        calls.iter().map(|(name, arguments)| (*name, arguments.to_string())).collect();
    let model = Model::start(move |seen| match seen.turn {
        0 => Step::Calls(calls.clone()),
        _ => text("x"),
    });
    model.run(place, TASK, &["--arm", "baseline", "--max-calls", "100"]).expect_success();
    super::scripted::results(&model.requests()[1])
}

/// Returns what a program prints in the tree.
fn printed(place: &Place, program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> String {
    let mut command: Command = place.command(program);
    command.args(args).stdin(std::process::Stdio::null());
    Answer::of(command).text()
}

#[test]
fn search_and_glob_print_what_ripgrep_prints() {
    let place = shop();
    place.write("src/a-1.rs", "fn coupon_1() {}\n-- 7:coupon\n");
    place.write("notes/coupon 2-3.md", "One coupon.\n\n\n\n\n\nTwo Coupons.\n\n\n\nThree coupons");
    place.write("notes/binary.bin", b"coupon\n\0\x01coupon\n".as_slice());
    place.write(".hidden/coupon.md", "coupon\n");
    place.write(".ignore", "skipped/\n");
    place.write("skipped/coupon.md", "coupon\n");
    let rg = peer::rg();
    let flags = ["--color=never", "--no-heading", "--sort=path", "-n"];
    for (arguments, args) in [
        (json!({"pattern": "coupon"}), &["coupon"][..]),
        (
            json!({"pattern": "coupons?$", "ignore_case": true, "context": 2}),
            &["-i", "-C2", "coupons?$"],
        ),
        (json!({"pattern": "fn .*coupon", "path": "src"}), &["fn .*coupon", "src"]),
        (json!({"pattern": "coupon", "path": "./src/cart.rs"}), &["coupon", "src/cart.rs"]),
        (json!({"pattern": "&self.coupon", "literal": true}), &["-F", "&self.coupon"]),
        (json!({"query": "coupon", "glob": "!*.rs"}), &["-g", "!*.rs", "coupon"]),
        (json!({"pattern": "coupon", "files_only": true}), &["-l", "coupon"]),
        (json!({"pattern": "-- 7", "context": 1}), &["-C1", "-e", "-- 7"]),
    ] {
        let expected = printed(&place, &rg, &[&flags[..], args].concat());
        let found = replies(&place, &[("search", arguments.clone())]);
        assert_eq!(found, [expected], "{arguments}");
        assert!(!found[0].is_empty());
    }
    for (arguments, args) in [
        (json!({}), &[][..]),
        (json!({"glob": "*.md"}), &["-g", "*.md"]),
        (json!({"path": "src"}), &["src"]),
    ] {
        let expected = printed(&place, &rg, &[&["--files", "--sort=path"][..], args].concat());
        assert_eq!(replies(&place, &[("glob", arguments.clone())]), [expected], "{arguments}");
    }
    let none = [("search", json!({"pattern": "nowhere"})), ("glob", json!({"glob": "*.none"}))];
    assert_eq!(replies(&place, &none), ["no matches\n", "no files\n"]);
}

#[test]
fn read_prints_what_cat_numbers() {
    let place = shop();
    place.write("odd.txt", "one\r\n\n  two\nthree without an end");
    let read = |arguments: Value| ("read", arguments);
    let found = replies(
        &place,
        &[
            read(json!({"path": "odd.txt"})),
            read(json!({"path": "src/cart.rs"})),
            read(json!({"path": "src/cart.rs", "start": 8, "end": 12})),
            read(json!({"path": "src/cart.rs", "start": 20, "end": 9000})),
            read(json!({"path": "src/cart.rs", "start": 9000})),
        ],
    );
    let cat = |path: &str| printed(&place, "cat", &["-n", path]);
    let lines = |from: usize, to: usize| -> String {
        cat("src/cart.rs").split_inclusive('\n').skip(from - 1).take(to + 1 - from).collect()
    };
    assert_eq!(found[0], cat("odd.txt"));
    assert_eq!(found[1], cat("src/cart.rs"));
    assert_eq!(found[2], lines(8, 12));
    assert_eq!(found[3], lines(20, 9000));
    assert!(
        found[4].starts_with("error: ") && found[4].contains("the file has 24 lines"),
        "{found:?}"
    );
}

#[test]
fn long_replies_are_cut_and_counted() {
    let place = Place::new();
    place.write("long.txt", "a line of forty characters, or nearly so\n".repeat(2_000));
    let found = replies(
        &place,
        &[("search", json!({"pattern": "line"})), ("read", json!({"path": "long.txt"}))],
    );
    for reply in found {
        let (lines, note) = reply.trim_end().rsplit_once('\n').expect("lines");
        let shown = lines.lines().count();
        assert!(lines.len() <= 30_000 && lines.len() > 29_000, "{}", lines.len());
        assert_eq!(note, format!("[{shown} of 2000 lines shown; narrow the request]"));
    }
}

#[test]
fn secrets_and_files_outside_of_the_tree_are_not_shown() {
    let place = shop();
    let token = concat!("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789");
    place.write("src/token.rs", format!("const TOKEN: &str = \"{token}\";\n"));
    place.write("id_rsa", "TOKEN of a private key\n");
    std::fs::write(place.base().join("outside.txt"), "TOKEN outside\n").expect("a file");
    std::os::unix::fs::symlink(place.base(), place.root().join("up")).expect("a link");
    let found = replies(
        &place,
        &[
            ("search", json!({"pattern": "TOKEN"})),
            ("search", json!({"pattern": "TOKEN", "path": "id_rsa"})),
            ("search", json!({"pattern": "TOKEN", "path": ".."})),
            ("search", json!({"pattern": "TOKEN", "path": "up"})),
            ("read", json!({"path": "src/token.rs"})),
            ("read", json!({"path": "id_rsa"})),
            ("read", json!({"path": "up/outside.txt"})),
            ("search", json!({"pattern": "--files"})),
            ("search", json!({"pattern": "x", "path": "--pre=cat"})),
            ("search", json!({"pattern": "x", "shell": "ls"})),
        ],
    );
    assert!(!found.concat().contains(token), "{found:?}");
    assert!(!found.concat().contains("private key"), "{found:?}");
    assert!(!found.concat().contains("TOKEN outside"), "{found:?}");
    assert!(found[0].starts_with("src/token.rs:1:const TOKEN"), "{found:?}");
    assert!(found[0].ends_with("[1 line of files with secrets left out]\n"), "{found:?}");
    for at in [1, 2, 3, 5, 6, 8, 9] {
        assert!(found[at].starts_with("error: "), "{at}: {found:?}");
    }
    assert_eq!(found[7], "no matches\n");
}
