//! The tools over three nodes that run zoekt: a module, and others that use it.

use std::collections::BTreeSet;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use codedb::fleet::client::Client;
use codedb::fleet::cluster::Cluster;
use codedb::fleet::config::Fleet;
use codedb::fleet::query::Query;
use codedb::fleet::view::View;
use codedb::parsers::Parsers;
use codedb::tools::Call;
use serde_json::{Value, json};

use super::{configure, fleet};
use crate::mcp::session::Session;
use crate::support::place::Place;
use crate::support::zoekt::{Node, Zoekt, repository};

const STORE: &str = "package store\n\n// Open opens a store.\nfunc Open(name string) error {\n\
                     \treturn check(name)\n}\n\nfunc check(name string) error { return nil }\n";

/// Returns a program that uses the module.
fn user(name: &str) -> String {
    format!(
        "package main\n\nimport \"g.example/acme/store\"\n\nfunc main() {{\n\tif err := store.Open(\"{name}\"); \
         err != nil {{\n\t\tpanic(err)\n\t}}\n}}\n"
    )
}

/// Starts three nodes: `a` has the module, `b` the module and a user, `c` both users.
fn start(place: &Place, zoekt: &Zoekt) -> [Node; 3] {
    let index = |name: &str| place.base().join("shards").join(name);
    let manifest = |name: &str| format!("module g.example/acme/{name}\n\ngo 1.22\n");
    let store =
        repository(place, "store", &[(b"go.mod", &manifest("store")), (b"store.go", STORE)]);
    let [shop, billing] = ["shop", "billing"].map(|name| {
        repository(place, name, &[(b"go.mod", &manifest(name)), (b"main.go", &user(name))])
    });
    for (node, of) in [("a", &store), ("b", &store), ("b", &shop), ("c", &shop), ("c", &billing)] {
        zoekt.index(of, &index(node));
    }
    let started = ["a", "b", "c"].map(|name| zoekt.serve(&index(name)));
    let mut text = "[fleet]\ntimeout_ms = 5000\n".to_owned();
    for (name, node) in ["a", "b", "c"].iter().zip(&started) {
        text += &format!("[[fleet.node]]\nname = '{name}'\naddress = '{}'\n", node.address());
    }
    configure(place, &text);
    let since = Instant::now();
    while fleet(place, &["status"]).code != 0 {
        assert!(since.elapsed() < Duration::from_secs(30), "the nodes do not load");
        thread::sleep(Duration::from_millis(50));
    }
    started
}

fn text(place: &Place, args: &[&str]) -> String {
    fleet(place, args).expect_success().text()
}

#[test]
fn tools_answer_over_all_repositories() {
    let Some(zoekt) = Zoekt::find() else { return };
    let place = Place::new();
    let [_a, _b, mut c] = start(&place, &zoekt);

    let found = text(&place, &["search", r"store\.Open\(", "--body=false"]);
    assert_eq!(
        found,
        "billing/main.go  1 line\n  main 5-9\n    6: if err := store.Open(\"billing\"); err != nil {\n\
         shop/main.go  1 line\n  main 5-9\n    6: if err := store.Open(\"shop\"); err != nil {\n"
    );
    let one = text(&place, &["search", "-F", "store.Open(", "-l", "--repo", "shop"]);
    assert_eq!(one, "shop/main.go  1 line\n");
    let lines = text(&place, &["search", "^func (main|Open)", "-l"]);
    assert_eq!(lines, "billing/main.go  1 line\nshop/main.go  1 line\nstore/store.go  1 line\n");
    let symbol = text(&place, &["symbol", "Open"]);
    assert!(symbol.starts_with("function Open  store/store.go:4-6"), "{symbol}");
    let callers = text(&place, &["callers", "Open"]);
    assert!(callers.contains("store/store.go:4  function Open  2 callers"), "{callers}");
    assert!(callers.contains("billing/main.go:6") && callers.contains("shop/main.go:6"));
    let read = text(&place, &["read", "store/store.go:4-5"]);
    assert!(read.contains("func Open(name string) error {"), "{read}");
    let outline = text(&place, &["outline", "store/store.go"]);
    assert!(outline.contains("function check  8-8"), "{outline}");
    assert_eq!(text(&place, &["find", "shop main"]), "shop/main.go\n");
    let task = "opening a store must check its name";
    let context = text(&place, &["context", task, "--detail", "lean"]);
    assert!(context.contains("store/store.go"), "{context}");
    assert!(context.contains("codedb fleet read"), "{context}");

    // What is nowhere is nowhere, and a name without a repository is an error.
    assert_eq!(fleet(&place, &["search", "nowhere to be found"]).code, 1);
    let unknown = fleet(&place, &["search", "main", "--repo", "sho"]);
    assert!(unknown.stderr.contains("no repository of the fleet has this name"), "{unknown:?}");
    let branch = fleet(&place, &["search", "main", "--branch", "master"]);
    assert_eq!(branch.code, 2);
    assert!(branch.stderr.contains("the branch `master`"), "{}", branch.stderr);
    let command = fleet(&place, &["projects"]);
    assert!(command.stderr.contains("`codedb fleet` has no command `projects`"), "{command:?}");
    let folded = text(&place, &["search", r"(?i)STORE\.OPEN\(", "-l"]);
    assert_eq!(folded, "billing/main.go  1 line\nshop/main.go  1 line\n");
    let everywhere = text(&place, &["callers", "Open", "--repo", "store"]);
    assert!(everywhere.contains("billing/main.go:6") && everywhere.contains("shop/main.go:6"));

    // What nodes hold is asked, and compared with what they own.
    let listed = text(&place, &["status", "--repo", "s*"]);
    assert!(listed.contains("\nshop  2 files  b has ") && !listed.contains("billing"), "{listed}");
    assert!(listed.contains("\nall their texts are searched\n"), "{listed}");
    let plan = super::json(&fleet(&place, &["plan", "--json"]).expect_success());
    assert_eq!((&plan["repositories"], &plan["unlisted"]), (&3.into(), &Value::Null), "{plan}");
    let held = plan["nodes"].as_array().expect("nodes");
    let before: Vec<u64> = held.iter().filter_map(|node| node["before"].as_u64()).collect();
    assert_eq!(before, [1, 2, 2]);
    place.write("list", "shop\n");
    let plan = super::json(&fleet(&place, &["plan", "list", "--json"]).expect_success());
    assert_eq!((&plan["repositories"], &plan["unlisted"]), (&1.into(), &2.into()), "{plan}");

    let refused = fleet(&place, &["search", "x*"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("also matches the empty text"), "{}", refused.stderr);

    // A node dies: what it may have is unknown, and nothing hangs.
    c.kill();
    let since = Instant::now();
    let partial = fleet(&place, &["search", "store.Open(", "-F", "--json"]);
    assert!(since.elapsed() < Duration::from_secs(10));
    let reply: Value = serde_json::from_slice(&partial.stdout).expect("JSON");
    assert_eq!(reply["status"], "partial", "{reply}");
    assert_eq!(reply["files"][0]["path"], "shop/main.go", "another node has it");
    assert!(reply["unknown"][0].as_str().is_some_and(|why| why.contains("node `c`")), "{reply}");
    let nothing = fleet(&place, &["search", "nowhere to be found"]);
    assert_eq!(nothing.code, 2, "unknown, not none: {nothing:?}");
    let missing = fleet(&place, &["read", "billing/main.go"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("node `c`"), "{}", missing.stderr);
    let plan = fleet(&place, &["plan", "--json"]);
    assert_eq!(plan.code, 1, "{}", plan.stderr);
    let plan = super::json(&plan);
    assert!(plan["unknown"][0].as_str().is_some_and(|why| why.contains("node `c`")), "{plan}");
}

#[test]
fn a_server_answers_over_a_fleet_that_a_call_names() {
    let Some(zoekt) = Zoekt::find() else { return };
    let place = Place::new();
    place.write("here.go", "package here\n");
    let _nodes = start(&place, &zoekt);
    let root = place.root();
    let mut session = Session::start(&place, &["--root", root.to_str().expect("UTF-8")]);
    session.initialize("2025-06-18", json!({}));
    let callers = session.text("codedb_callers", json!({"name": "Open", "project": "fleet"}));
    assert!(callers.contains("2 callers"), "{callers}");
    let query = json!({"query": "store.Open", "project": "fleet/billing"});
    let one = session.text("codedb_search", query);
    assert!(one.contains("billing/main.go") && !one.contains("shop"), "{one}");
    let here = session.text("codedb_search", json!({"query": "store.Open"}));
    assert!(!here.contains("main.go"), "the tree of the server has none: {here}");
    let task = "opening a store must check its name";
    let task = json!({"task": task, "project": "fleet", "detail": "lean"});
    let next = session.text("codedb_context", task);
    assert!(next.contains(r#""project":"fleet""#), "the next call names the fleet: {next}");
    session.end();
}

/// Of a thousand searches during which a node dies, each reply is right, or says what is unknown.
#[test]
fn no_reply_is_wrong_while_a_node_dies() {
    let Some(zoekt) = Zoekt::find() else { return };
    let place = Place::new();
    let [_a, _b, mut c] = start(&place, &zoekt);
    let configuration = place.base().join("home/.config/codedb/codedb.toml");
    let text = fs::read_to_string(configuration).expect("it was written");
    let fleet = Fleet::of_text(&text).expect("valid").expect("a fleet");
    let cluster = Cluster::new(Client::new(fleet, None).expect("a client"));
    let search = |pattern: &str| {
        let view = View::new(&cluster, Query::Const(true), Parsers::in_process());
        let args = json!({"query": pattern, "paths_only": true});
        let tool = codedb::tools::find("search").expect("a tool");
        let answer = tool.run(&Call::new(&view, 0), args).expect("an answer");
        let reply: Value = serde_json::from_str(&answer.json().expect("JSON")).expect("JSON");
        let files = reply["files"].as_array().expect("a list");
        let files: BTreeSet<String> = files.iter().map(|file| file["path"].to_string()).collect();
        (files, reply.get("unknown").is_some())
    };
    let patterns = ["store.Open", "func", "module", "check(name)", "nowhere"];
    let expected = patterns.map(|pattern| search(pattern).0);
    assert_eq!(expected.clone().map(|files| files.len()), [2, 3, 3, 1, 0]);
    let (mut partial, mut slowest) = (0, Duration::ZERO);
    for at in 0..1_000 {
        if at == 300 {
            c.kill();
        }
        let started = Instant::now();
        let (files, is_partial) = search(patterns[at % patterns.len()]);
        slowest = slowest.max(started.elapsed());
        let whole = &expected[at % patterns.len()];
        assert!(files.is_subset(whole), "{at}: {files:?}");
        assert!(is_partial || files == *whole, "{at}: silently incomplete: {files:?}");
        assert!(at >= 300 || !is_partial, "{at}: all nodes are there");
        partial += usize::from(is_partial);
    }
    assert_eq!(partial, 700, "what the dead node has is unknown");
    assert!(slowest < Duration::from_secs(6), "{slowest:?}");
}

#[test]
fn a_configuration_that_is_not_valid_is_one_sentence() {
    let place = Place::new();
    let path = configure(&place, "[fleet]\nnodes = 3\n");
    let answer = fleet(&place, &["search", "x"]);
    assert_eq!(answer.code, 2);
    let expected = format!("codedb: {}: line 2: unknown field `nodes`", path.display());
    assert!(answer.stderr.starts_with(&expected), "{}", answer.stderr);
    assert!(fs::metadata(&path).is_ok());
}

/// A text that zoekt leaves out is doubt only where it could match, and is listed.
#[test]
fn texts_that_zoekt_left_out_are_listed() {
    let Some(zoekt) = Zoekt::find() else { return };
    let place = Place::new();
    let big = "insert into parts values ('a', 1);\n".repeat(100_000);
    let files: [(&[u8], &str); 2] = [(b"big.sql", &big), (b"a.go", "package a\n")];
    let index = place.base().join("shards");
    zoekt.index(&repository(&place, "data", &files), &index);
    let node = zoekt.serve(&index);
    let address = node.address();
    configure(&place, &format!("[fleet]\n[[fleet.node]]\nname = 'a'\naddress = '{address}'\n"));
    let since = Instant::now();
    while fleet(&place, &["status"]).code != 0 {
        assert!(since.elapsed() < Duration::from_secs(30), "the node does not load");
        thread::sleep(Duration::from_millis(50));
    }
    let any = fleet(&place, &["search", "nowhere"]);
    assert_eq!(any.code, 2, "{any:?}");
    assert!(any.stderr.contains("1 text too large for the nodes: not searched"), "{}", any.stderr);
    assert_eq!(fleet(&place, &["search", "nowhere", "-g", "*.go"]).code, 1);
    assert_eq!(fleet(&place, &["search", "insert", "-g", "*.sql"]).code, 2);
    let listed = text(&place, &["status", "--unsearched"]);
    assert!(listed.contains("\ndata  2 files, 1 unsearched  a has "), "{listed}");
    assert!(
        listed.contains("\ndata/big.sql  ") && listed.contains("\n1 text unsearched\n"),
        "{listed}"
    );
}
