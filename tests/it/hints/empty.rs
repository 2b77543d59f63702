//! Empty replies name the reason: a glob without files, a query that is read as a text, a path that
//! does not exist, a shallow clone, a sparse checkout.

use serde_json::json;

use super::run;
use crate::mcp::session::Session;
use crate::support::place::{Answer, Place, settle};

fn place() -> Place {
    let place = Place::new();
    place.write("src/cart.rs", "pub fn add() {}\n\npub fn total() {\n    add();\n}\n");
    place.write("src/coupon.rs", "pub struct Coupon;\n");
    place.write("windows.txt", "a needle\r\nanother\r\n");
    place
}

#[test]
fn a_literal_query_that_looks_like_a_regular_expression_is_explained() {
    let place = place();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    let mut check = |query: &str, expected: &str| {
        let text = session.text("codedb_search", json!({"query": query}));
        assert_eq!(text, format!("nothing found\n{expected}"), "{query}");
    };
    let nothing =
        "note: `query` is searched as a text; as a regular expression it matches nothing, either\n";
    check("foo.*bar", nothing);
    check("no such text", "");
    check("a || b", "");
    // What it finds as a regular expression is the answer.
    for query in ["add|Coupon", r"\btotal", "pub.*fn"] {
        let text = session.text("codedb_search", json!({"query": query}));
        let note = "note: `query` is found nowhere as a text; these are the matches of the regular \
                    expression (`regex: true`)\n";
        let asked = session.text("codedb_search", json!({"query": query, "regex": true}));
        assert_eq!(text, format!("{asked}{note}"), "{query}");
    }
    let data = session.call("codedb_search", json!({"query": "add|Coupon", "format": "json"}));
    let expected = json!({"regex_files": 2, "regex_lines": 3});
    assert_eq!(data["structuredContent"]["literal"], expected);
    let steps = json!([{"op": "search", "query": "add|Coupon"}]);
    let text = session.text("codedb_query", json!({"pipeline": steps}));
    assert!(text.contains("`regex: true` makes it a regular expression"), "{text}");
    let text = session.text("codedb_symbol", json!({"pattern": "add|total"}));
    assert!(
        text.contains("`pattern` is a glob") && text.contains("`search` finds regular"),
        "{text}"
    );
    let text = session.call("codedb_word", json!({"word": "add|total"})).to_string();
    assert!(text.contains("`search` finds regular expressions"), "{text}");
    session.end();
}

#[test]
fn a_regular_expression_matches_at_ends_of_lines_in_cr_lf() {
    let place = place();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    for query in ["needle$", "^a needle$", "n.*e$"] {
        let text = session.text("codedb_search", json!({"query": query, "regex": true}));
        assert_eq!(text, "windows.txt  1 line\n  1: a needle\n", "{query}");
        let steps = json!([{"op": "search", "query": query, "regex": true}]);
        let text = session.text("codedb_query", json!({"pipeline": steps}));
        assert!(text.starts_with("windows.txt\n"), "{query}: {text}");
    }
    session.end();
}

#[test]
fn a_filter_that_selects_nothing_is_named() {
    let place = place();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    let mut check = |name: &str, args: serde_json::Value, expected: &str| {
        let text = session.text(name, args);
        assert!(text.contains(expected), "{name}: {text}");
    };
    let glob = |glob: &str| json!({"query": "add", "path_glob": glob});
    check("codedb_search", glob("*.py"), "note: `path_glob` matches no file: `*.py`\n");
    check("codedb_search", glob("src"), "matches no file: `src`; `src/**` matches what is in");
    check("codedb_search", glob("*.py|*.rs"), "`{a,b}` matches either of two");
    check("codedb_search", json!({"query": "add", "offset": 7}), "`offset` 7 is behind the end");
    check("codedb_word", json!({"word": "add", "offset": 7}), "`offset` 7 is behind the end");
    check("codedb_outline", json!({"path": "src/cart.rs", "offset": 7}), "is behind the end");
    check("codedb_glob", json!({"pattern": "src"}), "`src/**` matches what is in that directory");
    let symbol = json!({"name": "add", "path_glob": "*.py"});
    check("codedb_symbol", symbol, "`path_glob` matches no file: `*.py`");
    let symbol = json!({"name": "add", "kind": "class"});
    check("codedb_symbol", symbol, "1 definition of that name excluded by `kind`");
    let steps = json!([{"op": "find", "query": "cart"}, {"op": "filter", "language": "python"}]);
    check("codedb_query", json!({"pipeline": steps}), "step 2 (`filter`) left no file");
    let task = "where are coupons added";
    let context = json!({"task": task, "paths": ["src", "nosuch"]});
    check("codedb_context", context, "1 path of `paths` without files, such as `nosuch`");
    let answer = session.call("codedb_context", json!({"task": task, "paths": ["nosuch"]}));
    assert!(answer["isError"] == true, "{answer}");
    assert!(answer.to_string().contains("no such file or directory"), "{answer}");
    session.end();
}

/// A repository with two commits, both of which change `dir2/m.py`.
fn two_commits() -> Place {
    let place = Place::new();
    place.write("dir1/a.py", "def a():\n    pass\n");
    place.write("dir2/m.py", "def m():\n    pass\n");
    place.write("dir1/test_a.py", "from dir1.a import a\n\n\ndef test_a():\n    a()\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Start"]);
    place.write("dir2/m.py", "def m():\n    return 1\n");
    place.git(&["commit", "-q", "-a", "-m", "Return a number"]);
    place
}

#[test]
fn files_that_a_sparse_checkout_leaves_out_are_not_deleted() {
    let place = two_commits();
    place.git(&["sparse-checkout", "set", "dir1"]);
    assert!(!place.root().join("dir2").exists());
    let (text, _) = run(&place, &["diff-impact", "HEAD~1"]);
    assert!(text.contains("dir2/m.py"), "{text}");
    assert!(!text.contains("deleted") && !text.contains("(removed)"), "{text}");
    assert!(text.contains("1 changed file of code is not among the files of the tree"), "{text}");
    let (text, _) = run(&place, &["diff-impact", "HEAD"]);
    assert!(text.contains("nothing differs"), "{text}");
    let (text, _) = run(&place, &["stale-tests", "HEAD~1"]);
    assert!(text.contains("sparse checkout"), "{text}");
    // A file that is missing for another reason is deleted.
    std::fs::remove_file(place.root().join("dir1/a.py")).expect("it exists");
    let (text, _) = run(&place, &["diff-impact", "HEAD~1"]);
    assert!(text.contains("a (removed)") && text.contains("test_a.py::test_a"), "{text}");
}

#[test]
fn replies_about_a_shallow_clone_mention_it() {
    let origin = two_commits();
    let place = Place::new();
    std::fs::remove_dir(place.root()).expect("it is empty");
    let mut clone = origin.command("git");
    clone.args(["clone", "-q", "--depth", "1"]);
    clone.arg(format!("file://{}", origin.root().display())).arg(place.root());
    Answer::of(clone).expect_success();
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    for args in [
        &["history", "dir2/m.py"][..],
        &["who-reviews", "dir2/m.py"],
        &["coupling", "dir2/m.py"],
        &["churn", "dir2/m.py"],
        &["churn"],
        &["ownership", "dir2/m.py"],
        &["risk-map"],
        &["stats"],
        &["hot"],
        &["diff-impact", "HEAD~1"],
        &["changes", "HEAD~1"],
        &["context", "the number", "--since", "HEAD~1"],
    ] {
        let (text, messages) = run(&place, args);
        let all = format!("{text}{messages}");
        assert!(all.contains("the clone is shallow"), "{args:?}: {all}");
        assert!(all.contains("`git fetch --unshallow` adds"), "{args:?}: {all}");
    }
}

#[test]
fn the_doctor_reports_an_empty_tree_and_directories_that_cannot_be_written() {
    let place = Place::new();
    std::fs::create_dir(place.root().join("below")).expect("a directory");
    let (text, _) = run(&place, &["doctor"]);
    assert!(text.contains("note  tree: the directory holds no file"), "{text}");
    assert!(!text.contains("another codedb is writing"), "{text}");
    place.write("below/a.py", "x = 1\n");
    let (text, _) = run(&place, &["doctor"]);
    assert!(!text.contains("holds no file"), "{text}");
    let data = place.root().join("below/a.py/data").display().to_string();
    let mut command = place.codedb("doctor");
    command.args(["--data-dir", &data]);
    let answer = Answer::of(command);
    assert_eq!(answer.code, 2, "{}", answer.text());
    let text = answer.text();
    assert!(text.contains("WRONG data:") && text.contains("`--data-dir`"), "{text}");
}

#[test]
fn projects_has_the_current_tree_as_the_default_one() {
    let place = place();
    let root = place.root().display().to_string();
    let (text, _) = run(&place, &["projects"]);
    assert_eq!(text, format!("tree  {root}  not indexed yet  (default)\n"));
    place.index(&["-q", "--stage", "full"]).expect_success();
    let (text, _) = run(&place, &["projects"]);
    assert_eq!(text, format!("tree  {root}  3 files  indexed  (default)\n"));
}
