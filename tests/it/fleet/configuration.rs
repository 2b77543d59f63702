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
    assert!(answer.stderr.contains("is a name: nothing can be cloned"), "{}", answer.stderr);
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
