//! Arguments as agents guess them, and replies that mention only tools that are offered.

use serde_json::{Value, json};

use super::session::Session;
use crate::support::place::{Place, settle};

fn place() -> Place {
    let place = Place::new();
    place.write("src/cart.rs", "pub fn add() {}\n\npub fn total() {\n    add();\n}\n");
    place.write("src/main.rs", "mod cart;\n\nfn main() {\n    cart::add();\n}\n");
    place.write("docs/add.md", "add\n");
    place
}

fn session(place: &Place, args: &[&str]) -> Session {
    let mut session = Session::start(place, args);
    session.initialize("2025-11-25", json!({}));
    session
}

#[test]
fn guessed_arguments_are_accepted_and_reported() {
    let place = place();
    let mut session = session(&place, &["--toolsets", "all", "--allow-edit"]);
    let root = place.root().display().to_string();
    session.wait_until_indexed();
    let mut check = |tool: &str, guessed: Value, canonical: Value, notices: &[&str]| {
        let expected = session.text(tool, canonical);
        let text = session.text(tool, guessed.clone());
        let (reply, notes) = text.split_once("note: argument").expect("a notice");
        assert_eq!(reply, expected, "{tool} {guessed}");
        for notice in notices {
            assert!(notes.contains(notice), "{notes}, not {notice}");
        }
    };
    check(
        "codedb_search",
        json!({"pattern": "add"}),
        json!({"query": "add"}),
        &["`pattern` was read as `query`; it is literal unless `regex` is true"],
    );
    let below = json!({"query": "add", "path_glob": "src/**"});
    let notices = ["`path` was read as `path_glob`"];
    for path in ["src", "./src/", &format!("{root}/src")] {
        check("codedb_search", json!({"query": "add", "path": path}), below.clone(), &notices);
    }
    check(
        "codedb_search",
        json!({"query": "add", "path": root}),
        json!({"query": "add"}),
        &notices,
    );
    let guessed = json!({"query": "add", "path": "src", "glob": "c*.rs"});
    let canonical = json!({"query": "add", "path_glob": "src/c*.rs"});
    check("codedb_search", guessed, canonical, &["`glob` was read as `path_glob`", notices[0]]);
    let guessed = json!({"file_path": "src/cart.rs", "offset": 3, "limit": 2});
    let canonical = json!({"path": "src/cart.rs", "line_start": 3, "line_end": 4});
    let notices = ["`file_path` was read as `path`", "`offset`", "`limit` was read as `line_end`"];
    check("codedb_read", guessed, canonical, &notices);
    let file = format!("{root}/src/cart.rs");
    let canonical = json!({"path": "src/cart.rs"});
    check("codedb_read", json!({"file_path": file}), canonical, &["`path`"]);
    let canonical = json!({"name": "total"});
    check("codedb_symbol", json!({"query": "total"}), canonical, &["`name`"]);
    check(
        "codedb_edit",
        json!({"file_path": "src/main.rs", "op": "str_replace", "old_string": "cart::add",
            "new_string": "cart::total", "dry_run": true}),
        json!({"path": "src/main.rs", "op": "str_replace", "old_string": "cart::add",
            "content": "cart::total", "dry_run": true}),
        &["`new_string` was read as `content`"],
    );
    check(
        "codedb_edit",
        json!({"path": "src/main.rs", "op": "delete", "range_start": 1, "range_end": 2,
            "dry_run": true}),
        json!({"path": "src/main.rs", "op": "delete", "line_start": 1, "line_end": 2,
            "dry_run": true}),
        &["`range_start` was read as `line_start`", "`line_end`"],
    );
    let answer = session.call("codedb_search", json!({"query": "a", "pattern": "b"}));
    assert!(answer["isError"] == true && answer.to_string().contains("both are given"), "{answer}");
    session.end();
}

#[test]
fn lines_of_a_file_can_be_part_of_its_path() {
    let place = place();
    let mut session = session(&place, &[]);
    let mut lines = |path: &str| session.text("codedb_read", json!({"path": path}));
    assert!(lines("src/cart.rs:3").ends_with("\n3  pub fn total() {\n"));
    assert!(lines("src/cart.rs:3-4").ends_with("\n3  pub fn total() {\n4      add();\n"));
    assert!(lines("src/cart.rs:4:5").ends_with("\n4      add();\n"));
    let missing = session.call("codedb_read", json!({"path": "src/crat.rs:3"}));
    assert!(missing["isError"] == true && missing.to_string().contains("no such file"));
    session.end();
}

#[test]
fn a_step_without_op_is_explained() {
    let place = place();
    let mut session = session(&place, &["--toolsets", "all"]);
    for step in [json!({"find": {"query": "a"}}), json!({"find": "a"})] {
        let text = session.call("codedb_query", json!({"pipeline": [step]})).to_string();
        assert!(text.contains("step 1: missing argument `op`: one of find, search,"), "{text}");
        assert!(text.contains(r#"{\"op\": \"find\", …}"#), "{text}");
    }
    session.end();
}

#[test]
fn hints_name_only_tools_that_are_offered() {
    let place = place();
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let unknown = json!({"name": "zqzq"});
    let mut core = session(&place, &[]);
    let text = core.call("codedb_symbol", unknown.clone()).to_string();
    assert!(text.contains("is not defined") && !text.contains("word"), "{text}");
    let text = core.call("codedb_read", json!({"path": "src"})).to_string();
    assert!(text.contains("is a directory; `tree` lists"), "{text}");
    core.end();
    let mut all = session(&place, &["--toolsets", "all"]);
    let text = all.call("codedb_symbol", unknown).to_string();
    assert!(text.contains("`word` lists every occurrence"), "{text}");
    all.end();
}

#[test]
fn the_defining_line_is_shown_and_omissions_are_counted() {
    let place = Place::new();
    let calls = "    open(1);\n".repeat(5);
    let text = format!("fn main() {{\n{calls}}}\n\nfn open(x: u8) {{}}\nfn close() {{}}\n");
    place.write("src/main.rs", &text);
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let mut session = session(&place, &[]);
    let query = json!({"query": "open|close", "regex": true, "max_per_file": 3});
    let expected = "src/main.rs  3 of 7 lines\n  main 1-7\n     2: open(1);\n   \
        9: fn open(x: u8) {}\n  10: fn close() {}\nnote: 4 matching lines in 1 file not shown; `max_per_file` shows more\n";
    assert_eq!(session.text("codedb_search", query), expected);
    session.end();
}

#[test]
fn a_byte_order_mark_is_not_part_of_an_import() {
    let place = Place::new();
    place.write("a.py", "\u{FEFF}import b\n");
    place.write("b.py", "x = 1\n");
    let mut session = session(&place, &[]);
    let text = session.text("codedb_deps", json!({"path": "b.py"}));
    assert!(text.contains("1: import b") && !text.contains('\u{FEFF}'), "{text:?}");
    session.end();
}

#[test]
fn candidates_of_a_qualified_name_are_listed_by_id() {
    let place = Place::new();
    for file in ["a", "b"] {
        place.write(format!("{file}.py"), "class Command:\n    def main(self):\n        work()\n");
    }
    place.write("c.py", "def work():\n    pass\n");
    let mut session = session(&place, &["--toolsets", "all"]);
    let text = session.text("codedb_callpath", json!({"from": "Command.main", "to": "work"}));
    let notice = "2 definitions match `Command.main`; an id selects one: `a.py#Command.main#0`, \
        `b.py#Command.main#0`";
    assert!(text.contains(notice), "{text}");
    session.end();
}

#[test]
fn snapshots_are_paged() {
    let place = place();
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let mut session = session(&place, &["--toolsets", "all"]);
    let text = session.text("codedb_snapshot", json!({"path": "src", "max_results": 1}));
    let expected = "src/cart.rs  rust  5 lines\n  function add  1-1\n  function total  3-5\n\
        note: 1 of 2 files shown; continue with `offset` 1\n";
    assert_eq!(text, expected);
    let text = session.text("codedb_snapshot", json!({"path": "src", "offset": 1}));
    let expected = "src/main.rs  rust  5 lines\n  module cart  1-1\n  function main  3-5\n  \
        imports: cart (src/cart.rs)\n";
    assert_eq!(text, expected);
    let text = session.text("codedb_snapshot", json!({"path": "src/main.rs"}));
    assert_eq!(text, expected);
    let text = session.text("codedb_snapshot", json!({"offset": 99}));
    assert_eq!(text, "note: `offset` 99 is behind the end; there are 3 files in all\n");
    session.end();
}
