//! `codedb fleet` and its client, with zoekt's own programs as nodes.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use codedb::base::interrupt::Interrupt;
use codedb::fleet::client::{Client, Found, NodeState};
use codedb::fleet::config::Fleet;
use codedb::fleet::messages::query::{Regexp, Substring};
use codedb::fleet::messages::{Q, SearchOptions, q};
use serde_json::Value;

use crate::support::place::{Answer, Place};
use crate::support::zoekt::{Node, Zoekt, repository};

/// Returns `codedb fleet` with arguments.
fn fleet(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.arg("fleet").args(args);
    command
}

/// Writes the user's own configuration; returns its text.
fn configure(place: &Place, nodes: &[(&str, String)]) -> String {
    let mut text = "[fleet]\ntimeout_ms = 3000\n".to_owned();
    for (name, address) in nodes {
        text += &format!("[[fleet.node]]\nname = \"{name}\"\naddress = \"{address}\"\n");
    }
    write(place, &text);
    text
}

fn write(place: &Place, text: &str) {
    let directory = place.base().join("home/.config/codedb");
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("codedb.toml"), text).expect("a file");
}

#[test]
fn without_a_fleet_or_its_token_one_sentence_says_what_to_add() {
    let place = Place::new();
    let none = Answer::of(fleet(&place, &["status"]));
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("no fleet is configured in"), "{}", none.stderr);
    assert!(none.stderr.contains("[[fleet.node]]"), "{}", none.stderr);
    let node = "[[fleet.node]]\nname = 'a'\naddress = 'http://127.0.0.1:9'\n";
    write(&place, &format!("[fleet]\ntoken_env = 'FLEET_TEST_TOKEN'\n{node}"));
    let unset = Answer::of(fleet(&place, &["status"]));
    assert_eq!(unset.code, 2);
    assert!(unset.stderr.contains("FLEET_TEST_TOKEN is not set"), "{}", unset.stderr);
    let mut command = fleet(&place, &["status"]);
    let down = Answer::of({
        command.env("FLEET_TEST_TOKEN", "a-secret-token");
        command
    });
    assert_eq!(down.code, 2, "no node answers");
    assert!(down.text().contains("\nnode `a` refused the connection\n"), "{}", down.text());
    assert!(!format!("{down:?}").contains("a-secret-token"));
    write(&place, "[fleet]\nreplicas = 'many'\n");
    let invalid = Answer::of(fleet(&place, &["status"]));
    assert_eq!(invalid.code, 2);
    assert!(invalid.stderr.contains("codedb.toml: line 2: "), "{}", invalid.stderr);
}

/// Three nodes: `a` has one and two, `b` two and three, `c` an older three.
fn nodes(place: &Place, zoekt: &Zoekt) -> [Node; 3] {
    let index = |name: &str| place.base().join("shards").join(name);
    let text = "fn needle() {}\nfn other() {}\n";
    let one = repository(place, "one", &[(b"src/a.rs", text), (b"\xff.txt", "a needle\n")]);
    let two = repository(place, "two", &[(b"b.rs", text)]);
    let three = repository(place, "three", &[(b"c.rs", text)]);
    zoekt.index(&one, &index("a"));
    zoekt.index(&two, &index("a"));
    zoekt.index(&two, &index("b"));
    zoekt.index(&three, &index("c"));
    repository(place, "three", &[(b"d.rs", text)]);
    zoekt.index(&three, &index("b"));
    ["a", "b", "c"].map(|name| zoekt.serve(&index(name)))
}

/// Waits until the nodes have loaded their shards.
fn wait(place: &Place) {
    let started = Instant::now();
    while Answer::of(fleet(place, &["status"])).code != 0 {
        assert!(started.elapsed() < Duration::from_secs(30), "the nodes do not load");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_fleet_of_zoekt_nodes_is_reported_and_searched() {
    let Some(zoekt) = Zoekt::find() else { return };
    let place = Place::new();
    let [a, mut b, c] = nodes(&place, &zoekt);
    let named = [("a", a.address()), ("b", b.address()), ("c", c.address())];
    let configuration = configure(&place, &named);
    wait(&place);

    let status = Answer::of(fleet(&place, &["status", "--json"])).expect_success();
    let status: Value = serde_json::from_slice(&status.stdout).expect("JSON");
    let counts = ["shown", "total", "answered", "repositories", "differing_total"];
    assert_eq!(counts.map(|name| status[name].as_u64()), [3, 3, 3, 3, 1].map(Some));
    let of = |at: usize, name: &str| status["items"][at][name].as_u64();
    for (at, repositories, files) in [(0, 2, 3), (1, 2, 3), (2, 1, 1)] {
        let found = (of(at, "repositories"), of(at, "shards"), of(at, "files"));
        assert_eq!(found, (Some(repositories), Some(repositories), Some(files)), "{status}");
        assert!(of(at, "content_bytes").is_some_and(|bytes| bytes > 0), "{status}");
        assert!(status["items"][at]["formats"][0].is_u64(), "{status}");
        assert!(status["items"][at]["newest_index"].is_string(), "{status}");
    }
    assert_eq!(status["differing"][0]["repository"], "three");
    assert_eq!(status["differing"][0]["nodes"][1]["node"], "c");
    let text = Answer::of(fleet(&place, &["status"])).expect_success().text();
    assert!(text.contains("3 of 3 nodes answer, with 3 repositories\n"), "{text}");

    let fleet_of = Fleet::of_text(&configuration).expect("valid").expect("a fleet");
    let client = Client::new(fleet_of, None).expect("a client");
    let needle = Substring { pattern: "needle".to_owned(), content: true, ..Substring::default() };
    let needle = Q::from(q::Query::Substring(needle));
    let search = |options: SearchOptions| {
        client.search(&needle, &options, &client.bounds(), Interrupt::NEVER)
    };
    let whole = SearchOptions { whole: true, ..SearchOptions::default() };
    let found = search(whole.clone());
    assert!(found.nodes.iter().all(|node| node.why().is_none()), "{:?}", found.nodes);
    let three = found.conflicts.iter().find(|of| of.repository == "three");
    let shown_node = three.expect("two versions").shown.node.clone();
    let new: &[&str] =
        if shown_node == "b" { &["three c.rs", "three d.rs"] } else { &["three c.rs"] };
    let expected = [&["one src/a.rs", "one \u{fffd}.txt"], new, &["two b.rs"]].concat();
    assert_eq!(sorted(&found), expected);
    for file in &found.files {
        let chunk = &file.chunk_matches[0];
        let at = chunk.ranges[0].start.expect("a place").byte_offset as usize;
        assert!(file.content[at..].starts_with(b"needle"), "{file:?}");
        assert_eq!(file.version.len(), 40);
    }

    // What limits leave out is stated.
    let limited = search(SearchOptions { max_doc_display_count: 1, ..SearchOptions::default() });
    let why = limited.nodes[0].why().unwrap_or_default();
    assert!(
        why.starts_with("node `a` returned 1 of 3 files") || why.contains("(limit 1)"),
        "{why}"
    );
    let one = SearchOptions { shard_max_match_count: 1, ..SearchOptions::default() };
    let why = search(one).nodes[0].why().map(str::to_owned).unwrap_or_default();
    assert!(why.starts_with("node `a` did not search 1 file"), "{why}");

    // A query that a node refuses.
    let bad = Regexp { regexp: "(".to_owned(), content: true, ..Regexp::default() };
    let bad = Q::from(q::Query::Regexp(bad));
    let options = SearchOptions::default();
    let refused = client.search(&bad, &options, &client.bounds(), Interrupt::NEVER);
    let why = refused.nodes[0].why().unwrap_or_default();
    assert!(why.starts_with("node `a` answered with the error `InvalidArgument`: "), "{why}");

    // A node dies while it is asked: no reply is wrong, hangs or lacks something without a word.
    let full = sorted(&found);
    let reduced = ["one src/a.rs", "one \u{fffd}.txt", "three c.rs", "two b.rs"];
    let replies = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            b.kill();
        });
        let mut replies = [0, 0];
        while replies.iter().sum::<usize>() < 1000 && replies[1] < 20 {
            let start = Instant::now();
            let found = search(whole.clone());
            assert!(start.elapsed() < Duration::from_millis(3200), "{:?}", start.elapsed());
            assert!([0, 2].iter().all(|at| found.nodes[*at].why().is_none()), "{:?}", found.nodes);
            let is_whole = found.nodes[1].why().is_none();
            replies[usize::from(!is_whole)] += 1;
            if is_whole {
                assert_eq!(sorted(&found), full);
            } else {
                assert!(reduced.iter().all(|of| sorted(&found).contains(&(*of).to_owned())));
            }
        }
        replies
    });
    assert!(replies[0] > 0, "{replies:?}");

    // From then on it has its sentence, and the others answer.
    let found = search(whole);
    assert!(matches!(found.nodes[1].state, NodeState::Failed { .. }), "{:?}", found.nodes);
    assert_eq!(sorted(&found), reduced, "two is on `a` as well");
    let status = Answer::of(fleet(&place, &["status"]));
    assert_eq!(status.code, 1);
    let text = status.text();
    assert!(text.contains("\nnode `b` refused the connection\n"), "{text}");
    assert!(text.contains("2 of 3 nodes answer, with 3 repositories; what only"), "{text}");
}

/// Returns repository and path of each file, sorted.
fn sorted(found: &Found) -> Vec<String> {
    let line = |file: &codedb::fleet::messages::FileMatch| {
        let path = String::from_utf8_lossy(&file.file_name);
        format!("{} {path}", file.repository)
    };
    let mut lines: Vec<String> = found.files.iter().map(line).collect();
    lines.sort();
    lines
}
