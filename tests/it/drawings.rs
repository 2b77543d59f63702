//! Replies as graphs: `--format dot` and `--format mermaid`, and imports as a tree.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::place::{Answer, Place};
use crate::support::skipped;

const PROGRAM: &str = env!("CARGO_BIN_EXE_codedb");

fn run(place: &Place, at: &Path, words: &[&str]) -> Answer {
    let mut command = place.command(PROGRAM);
    command.args(words).current_dir(at);
    Answer::of(command)
}

/// The edges of a graph, each as the first lines of two labels.
type Edges = BTreeSet<(String, String)>;

/// Returns the edges of a graph in the language of Graphviz; fails if it is not well-formed.
#[track_caller]
fn edges_of_dot(text: &str) -> Edges {
    let start = "digraph codedb {\n  rankdir=LR;\n  node [shape=box];\n";
    let body = text.strip_prefix(start).and_then(|rest| rest.strip_suffix("}\n"));
    let (mut labels, mut edges) = (BTreeMap::new(), Edges::new());
    for line in body.unwrap_or_else(|| panic!("{text}")).lines() {
        let line = line.strip_prefix("  ").and_then(|line| line.strip_suffix(';'));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        let (head, attributes) = match line.split_once(" [") {
            Some((head, rest)) => (head, rest.strip_suffix(']').expect("an end")),
            None => (line, ""),
        };
        // Outside of quotes there are only words.
        let (mut quoted, mut outside, mut is_open) = (String::new(), String::new(), false);
        let mut chars = attributes.chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => is_open = !is_open,
                '\\' if is_open => quoted.extend(['\\', chars.next().expect("an escape")]),
                c if is_open => quoted.push(c),
                c => outside.push(c),
            }
        }
        assert!(
            !is_open && outside.chars().all(|c| c.is_ascii_alphanumeric() || "=, ".contains(c))
        );
        match head.split_once(" -> ") {
            Some((from, to)) => {
                let label = |id: &str| -> String { labels.get(id).cloned().expect("a node") };
                assert!(edges.insert((label(from), label(to))), "twice: {line}\n{text}");
            }
            None => {
                let first = quoted.split("\\n").next().unwrap_or_default().to_owned();
                assert!(labels.insert(head.to_owned(), first).is_none(), "{text}");
            }
        }
    }
    check_with_graphviz(text);
    edges
}

/// Fails if Graphviz, where it is installed, does not accept a text.
#[track_caller]
fn check_with_graphviz(text: &str) {
    let mut dot = Command::new("dot");
    dot.arg("-Tcanon").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let Ok(mut dot) = dot.spawn() else { return skipped::report("`dot` is not installed") };
    dot.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("it reads");
    let output = dot.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}\n{text}");
}

/// Returns the edges of a graph in the language of Mermaid; fails if it is not well-formed.
#[track_caller]
fn edges_of_mermaid(text: &str) -> Edges {
    let body = text.strip_prefix("flowchart LR\n").unwrap_or_else(|| panic!("{text}"));
    let (mut labels, mut edges) = (BTreeMap::new(), Edges::new());
    for line in body.lines().map(|line| line.strip_prefix("  ").expect("indented")) {
        if let Some((id, label)) = line.split_once("[\"") {
            let label = label.strip_suffix("\"]").expect("an end");
            assert!(
                !label.replace("<br/>", "").contains(['"', '<', '>', '`', '\\', '&']),
                "{line}"
            );
            let first = label.split("<br/>").next().unwrap_or_default().to_owned();
            assert!(labels.insert(id.to_owned(), first).is_none(), "{text}");
        } else if !line.starts_with("style n") {
            let mut words = line.split(' ');
            let label = |id: Option<&str>| labels.get(id.unwrap_or_default()).cloned();
            let (from, to) = (label(words.next()), label(line.rsplit(' ').next()));
            assert!(words.next().is_some_and(|arrow| arrow.starts_with("-")), "{line}");
            assert!(edges.insert((from.expect("a node"), to.expect("a node"))), "{text}");
        }
    }
    edges
}

/// Returns the edges of a reply, which are the same in both languages.
#[track_caller]
fn edges(place: &Place, at: &Path, words: &[&str]) -> Edges {
    let draw = |format: &str| {
        run(place, at, &[words, &["--format", format]].concat()).expect_success().text()
    };
    let of_dot = edges_of_dot(&draw("dot"));
    let of_mermaid = edges_of_mermaid(&draw("mermaid"));
    assert_eq!(of_dot.len(), of_mermaid.len());
    of_dot
}

fn pair(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

const DRAWN: &[&[&str]] = &[
    &["callers", "Price::of"],
    &["callers", "Price::of", "--depth", "3"],
    &["callers", "Coupon", "--uses"],
    &["callpath", "Cart.total", "Price::of"],
    &["explain", "Cart::total"],
    &["deps", "src/price.rs"],
    &["deps", "src/cart.rs", "--direction", "depends_on", "--transitive"],
    &["impact", "Price::of"],
    &["diff-impact", "HEAD~1"],
];

#[test]
fn graphs_of_the_demo_are_unchanged() {
    let place = Place::new();
    let shop = place.demo();
    let mut all = String::new();
    for format in ["dot", "mermaid"] {
        for words in DRAWN {
            let words = [*words, &["--format", format]].concat();
            let text = run(&place, &shop, &words).expect_success().text();
            all.push_str(&format!("$ codedb {}\n{text}\n", words.join(" ")));
        }
    }
    insta::assert_snapshot!("graphs_of_the_demo", all);
}

/// An arrow leads from the caller to what it calls, from the importer to what it imports.
#[test]
fn arrows_lead_to_what_is_needed() {
    let place = Place::new();
    let shop = place.demo();
    for words in DRAWN {
        let edges = edges(&place, &shop, words);
        let expected = match words[0] {
            "deps" => pair("src/cart.rs", "src/price.rs"),
            _ if words[1] == "Coupon" => pair("Cart", "Coupon"),
            "diff-impact" => continue,
            _ => pair("Cart::total", "Price::of"),
        };
        let is_expected = edges.contains(&expected);
        assert!(is_expected, "{words:?}: {edges:#?}");
    }
    let edges = edges(&place, &shop, &["callers", "Price::of", "--depth", "3"]);
    assert!(edges.contains(&pair("a_coupon_takes_its_share", "Cart::total")), "{edges:#?}");
}

#[test]
fn other_commands_answer_that_they_have_no_graph() {
    let place = Place::new();
    place.write("a.py", "def one():\n    pass\n");
    for (words, message) in [
        (&["churn"][..], "the reply of `churn` is no graph that `--format dot` can draw"),
        (
            &["edit", "a.py", "--op", "delete", "--line-start", "1"],
            "the reply of `edit` is no graph",
        ),
        (&["check"], "invalid value 'dot' for '--format <FORMAT>'"),
    ] {
        let answer = run(&place, &place.root(), &[words, &["--format", "dot"]].concat());
        assert_eq!((answer.code, answer.text().as_str()), (2, ""), "{words:?}");
        assert!(answer.stderr.contains(message), "{words:?}: {}", answer.stderr);
    }
    assert!(place.root().join("a.py").metadata().is_ok_and(|file| file.len() == 20));
    let outside = run(&place, &place.root(), &["diff-impact", "--format", "dot"]);
    assert_eq!((outside.code, outside.text().as_str()), (2, ""));
    assert!(outside.stderr.contains("git failed: the tree is not in a git repository; "));
    let none = run(&place, &place.root(), &["callers", "one", "--format", "mermaid"]);
    assert_eq!(
        none.text(),
        "flowchart LR\n  n0[\"one<br/>a.py:1\"]\n  style n0 stroke-width:3px\n"
    );
    assert_eq!(none.code, 1, "nothing calls it");
}

/// Three modules: each imports the next one, the last two each other.
fn modules() -> Place {
    let place = Place::new();
    place.write("a.py", "import b\nimport c\n");
    place.write("b.py", "import c\n\ndef of():\n    return c.of()\n");
    place.write("c.py", "import b\n\ndef of():\n    return 1\n");
    place.index(&["-q", "--stage", "full"]).expect_success();
    place
}

/// Only the imports on the shortest ways to each file were known.
#[test]
fn imports_that_close_a_circle_are_drawn() {
    let place = modules();
    let all = ["a.py b.py", "a.py c.py", "b.py c.py", "c.py b.py"];
    let all: Edges =
        all.iter().filter_map(|of| of.split_once(' ')).map(|(a, b)| pair(a, b)).collect();
    for words in [
        &["deps", "a.py", "--direction", "depends_on", "--tree"][..],
        &["deps", "c.py", "--transitive"],
        &["deps", "c.py", "--tree", "--depth", "5"],
    ] {
        assert_eq!(edges(&place, &place.root(), words), all, "{words:?}");
    }
}

#[test]
fn imports_are_printed_as_a_tree() {
    let place = Place::new();
    for (path, text) in
        [("a.py", "import b\n"), ("b.py", "import c\n"), ("c.py", ""), ("test_c.py", "import c\n")]
    {
        place.write(path, text);
    }
    place.index(&["-q", "--stage", "full"]).expect_success();
    let text = |words: &[&str]| {
        run(&place, &place.root(), &[&["deps"], words].concat()).expect_success().text()
    };
    assert_eq!(
        text(&["c.py", "--tree"]),
        "c.py\n  b.py:1  import c\n    a.py:1  import b\n  test_c.py:1  test  import c\n"
    );
    assert_eq!(
        text(&["a.py", "--tree", "--direction", "depends_on"]),
        "a.py\n  b.py  import b\n    c.py  import c\n"
    );
    assert_eq!(
        text(&["a.py", "--direction", "depends_on", "--tree", "--depth", "1"]).lines().count(),
        2
    );
}

#[test]
fn names_with_quotes_and_markup_are_texts() {
    let place = Place::new();
    place.write("a\"b<i>&amp;`c\\.py", "import target\n\ntarget.of()\n");
    place.write("target.py", "def of():\n    pass\n");
    place.index(&["-q", "--stage", "full"]).expect_success();
    let found = edges(&place, &place.root(), &["callers", "of"]);
    assert_eq!(found, [pair("a\\\"b<i>&amp;amp;`c\\\\.py", "of")].into());
    edges(&place, &place.root(), &["deps", "target.py"]);
}

#[test]
fn what_is_not_drawn_is_counted() {
    let place = Place::new();
    place.write(
        "a.py",
        "def one():\n    pass\n\ndef two():\n    one()\n\ndef three():\n    two()\n\ndef four():\n    two()\n",
    );
    let words = ["callers", "one", "--depth", "3", "-n", "2", "--format", "dot"];
    let answer = run(&place, &place.root(), &words).expect_success();
    assert_eq!(edges_of_dot(&answer.text()), [pair("two", "one"), pair("three", "two")].into());
    let remark = "1 caller not drawn; `--max-results` draws more";
    assert!(answer.stderr.contains(remark), "{}", answer.stderr);
}

#[test]
fn of_several_definitions_those_with_callers_are_drawn() {
    let place = Place::new();
    place.write("a.py", "def one():\n    pass\n\ndef two():\n    one()\n");
    place.write("b.py", "def one():\n    pass\n");
    let text = run(&place, &place.root(), &["callers", "one", "--format", "dot"]).text();
    assert_eq!(edges_of_dot(&text), [pair("two", "one")].into());
    assert!(!text.contains("b.py"), "{text}");
}
