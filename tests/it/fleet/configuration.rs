//! What is wrong with a configuration is said with the file and the line.

use super::{configure, fleet, nodes};
use crate::support::place::Place;

#[test]
fn a_problem_is_reported_with_its_place() {
    let place = Place::new();
    place.write("list", "github.com/a/b\n");
    let commands = [&["plan", "list"][..], &["index", "list"]];
    let check = |text: &str, expected: &str| {
        let path = configure(&place, text);
        for args in commands {
            let answer = fleet(&place, args);
            assert_eq!(answer.code, 2, "{args:?}: {}", answer.stderr);
            let expected = format!("{}{expected}", path.display());
            assert!(answer.stderr.contains(&expected), "{args:?}: {}", answer.stderr);
        }
    };
    check("", "");
    check("[fleet]\nnode = 3\n", ": line 2: ");
    let two = nodes(&place, &["a", "b"], 1);
    check(&two.replace("replicas = 1", "replicas = 3"), ": line 2: `replicas` is from 1 to");
    check(&two.replace("'b'", "'a'"), ": line 10: two nodes have the name `a`");
    check(
        &two.replace("http://127.0.0.1:6071", "127.0.0.1"),
        ": line 12: the `address` of node `b`",
    );
}

#[test]
fn a_file_that_cannot_be_used_is_named() {
    let place = Place::new();
    let one = nodes(&place, &["a"], 1);
    let check = |text: &[u8], expected: &str| {
        let path = configure(&place, "");
        std::fs::write(&path, text).expect("a file");
        for args in [&["status"][..], &["search", "x"]] {
            let answer = fleet(&place, args);
            assert_eq!(answer.code, 2, "{args:?}: {}", answer.stderr);
            let expected = format!("{}: {expected}", path.display());
            assert!(answer.stderr.contains(&expected), "{args:?}: {}", answer.stderr);
        }
    };
    check(b"[fleet]\n# \xff\n", "line 2: not UTF-8");
    check(b"fleet = 3\n", "line 1: ");
    check(b"[fleet]\nreplicas = 1\n", "line 1: `[fleet]` has no node");
    let ca = one.replace("[fleet]\n", "[fleet]\nca = 'none.pem'\n");
    let missing = place.base().join("home/.config/codedb/none.pem");
    check(ca.as_bytes(), &format!("line 2: `ca`: {}: ", missing.display()));
    let typed = one.replace("[fleet]\n", "[fleet]\ntimeout_ms = 'long'\n");
    check(typed.as_bytes(), "line 2: ");
    let unknown = one.replace("name = 'a'", "name = 'a'\ncolour = 'red'");
    check(unknown.as_bytes(), "line 6: unknown field `colour`");
}

#[test]
fn a_token_is_in_no_output() {
    let place = Place::new();
    let text = nodes(&place, &["a"], 1).replace("[fleet]\n", "[fleet]\ntoken_env = 'T'\n");
    configure(&place, &text);
    let run = |args: &[&str], token: &str| {
        let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
        command.arg("fleet").args(args).env("T", token).env("RUST_LOG", "trace");
        crate::support::place::Answer::of(command)
    };
    for args in [&["status"][..], &["search", "x"], &["plan"], &["status", "--repo", "x"]] {
        let answer = run(args, "s3cret-token");
        assert_eq!(answer.code, 2, "{args:?}");
        assert!(!format!("{answer:?}").contains("s3cret"), "{args:?}");
        let broken = run(args, "s3cret\ntoken");
        assert!(broken.stderr.contains("the token in T has characters"), "{}", broken.stderr);
        assert!(!format!("{broken:?}").contains("s3cret"), "{args:?}");
        let empty = run(args, "");
        assert!(empty.stderr.contains("variable T is empty"), "{}", empty.stderr);
    }
}

#[test]
fn a_list_is_checked_before_anything_is_done() {
    let place = Place::new();
    configure(&place, &nodes(&place, &["a"], 1));
    place.write("list", "# ours\ngithub.com/a/b\n\nhttps://u:secret@h/x\n");
    for args in [&["plan", "list"][..], &["index", "list"]] {
        let answer = fleet(&place, args);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains("list: line 4: "), "{}", answer.stderr);
        assert!(!answer.stderr.contains("secret"), "{}", answer.stderr);
    }
    let answer = fleet(&place, &["index", "github.com/a/b"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("from a name nothing can be cloned"), "{}", answer.stderr);
    assert!(!place.base().join("nodes").exists());
}

#[test]
fn a_node_without_directories_is_named() {
    let place = Place::new();
    let text = nodes(&place, &["a"], 1).replace("\nindex =", "\n# index =");
    configure(&place, &text);
    place.git(&["init", "-q"]);
    let answer = fleet(&place, &["index", "."]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("the node `a` has no directory `index`"), "{}", answer.stderr);
    let text = nodes(&place, &["a"], 1).replace("index = '/", "index = 'x/");
    configure(&place, &text);
    let answer = fleet(&place, &["index", "."]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("is not an absolute path"), "{}", answer.stderr);
}
