//! The choice of the served tree: `--root`, the client's roots, or the work tree around the current
//! directory; and refused directories.

use std::process::Command;

use serde_json::{Value, json};

use super::session::Session;
use crate::support::place::Place;

/// A directory with two trees; each has one file with the tree's name.
fn place() -> Place {
    let place = Place::new();
    for tree in ["one", "two", "a b"] {
        place.write(format!("{tree}/{tree}_here.rs"), "fn f() {}\n");
        place.write(format!("{tree}/.git/HEAD"), "ref: refs/heads/main\n");
    }
    place
}

/// Returns a server that is started in a directory of the place, without a root.
fn started_in(place: &Place, folder: &str, args: &[&str]) -> Session {
    let mut command: Command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--index-dir"]).arg(place.cache()).args(args);
    command.current_dir(place.root().join(folder));
    Session::spawn(command)
}

fn uri(place: &Place, folder: &str) -> Value {
    let path = place.root().join(folder).display().to_string();
    json!({"uri": format!("file://{}", path.replace(' ', "%20")), "name": folder})
}

/// Replies to the server's request for roots, which is its next message.
#[track_caller]
pub(super) fn name_roots(session: &mut Session, roots: Value) {
    let question = session.next();
    assert_eq!(question["method"], "roots/list", "{question}");
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}}));
}

fn here(session: &mut Session) -> String {
    session.text("codedb_find", json!({"query": "here.rs"}))
}

#[test]
fn the_default_is_the_enclosing_work_tree() {
    let place = place();
    place.write("one/deep/er/x.txt", "x\n");
    let mut session = started_in(&place, "one/deep/er", &[]);
    session.initialize("2025-11-25", json!({}));
    assert_eq!(here(&mut session), "one_here.rs\n");
    session.end();
}

#[test]
fn the_client_sets_and_changes_the_root() {
    let place = place();
    let mut session = started_in(&place, "one", &[]);
    session.initialize("2025-11-25", json!({"roots": {"listChanged": true}}));
    name_roots(&mut session, json!([uri(&place, "a b"), uri(&place, "two")]));
    assert_eq!(here(&mut session), "a b_here.rs\n");
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    name_roots(&mut session, json!([uri(&place, "two")]));
    assert_eq!(here(&mut session), "two_here.rs\n");
    session.end();
}

#[test]
fn a_call_waits_for_the_clients_root() {
    let place = place();
    let mut session = started_in(&place, "one", &[]);
    session.initialize("2025-11-25", json!({"roots": {}}));
    let params = json!({"name": "codedb_find", "arguments": {"query": "here.rs"}});
    session
        .send(&json!({"jsonrpc": "2.0", "id": "early", "method": "tools/call", "params": params}));
    name_roots(&mut session, json!([uri(&place, "two")]));
    let answer = session.next();
    assert_eq!(
        (&answer["id"], &answer["result"]["content"][0]["text"]),
        (&json!("early"), &json!("two_here.rs\n"))
    );
    session.end();
}

#[test]
fn a_client_without_roots_gets_the_default() {
    for roots in [json!([]), json!([{"uri": "https://example.org/a"}])] {
        let place = place();
        let mut session = started_in(&place, "one", &[]);
        session.initialize("2025-11-25", json!({"roots": {}}));
        name_roots(&mut session, roots);
        assert_eq!(here(&mut session), "one_here.rs\n");
        session.end();
    }
}

#[test]
fn the_flag_overrides_the_client() {
    let place = place();
    let root = place.root().join("two").display().to_string();
    let mut session = started_in(&place, "one", &["--root", &root]);
    session.initialize("2025-11-25", json!({"roots": {}}));
    assert_eq!(here(&mut session), "two_here.rs\n");
    session.end();
}

#[test]
fn a_home_directory_is_refused_without_insist() {
    let place = place();
    let home = place.base().join("home");
    std::fs::write(home.join("home_here.rs"), "fn f() {}\n").expect("a file");
    let mut session = started_in(&place, "../home", &[]);
    session.initialize("2025-11-25", json!({}));
    let answer = session.call("codedb_find", json!({"query": "here.rs"}));
    let text = answer["content"][0]["text"].as_str().expect("a text");
    assert_eq!(answer["isError"], true, "{text}");
    assert!(text.contains("it is a home directory") && text.contains("--insist"), "{text}");
    session.end();
    let mut session = started_in(&place, "../home", &["--insist"]);
    session.initialize("2025-11-25", json!({}));
    assert_eq!(here(&mut session), "home_here.rs\n");
    session.end();
    // A client cannot name it either.
    let mut session = started_in(&place, "one", &[]);
    session.initialize("2025-11-25", json!({"roots": {}}));
    name_roots(&mut session, json!([{"uri": format!("file://{}", home.display())}]));
    let answer = session.call("codedb_find", json!({"query": "here.rs"}));
    assert_eq!(answer["isError"], true, "{answer}");
    session.end();
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--index-dir"]).arg(place.cache()).arg("--root").arg(&home);
    let refused = crate::support::place::Answer::of(command);
    assert_eq!((refused.code, refused.text()), (2, String::new()));
    assert!(refused.stderr.contains("--insist"), "{}", refused.stderr);
}
