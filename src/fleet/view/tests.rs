//! Tools over a fleet whose nodes are a list in memory.

use serde_json::{Value, json};

use super::*;
use crate::fleet::nodes::Frequencies;
use crate::tools::{Answer, Call, find};

/// Nodes that compare every file with the query.
#[derive(Default)]
struct Listed {
    files: Vec<Fetched>,
    doubts: Vec<String>,
}

impl Listed {
    fn add(&mut self, repository: &str, path: &str, text: &str) {
        self.files.push(Fetched {
            repository: repository.to_owned(),
            path: path.as_bytes().to_vec(),
            content: text.as_bytes().to_vec(),
            size: text.len() as u64,
            commit: "c0ffee".to_owned(),
            score: 1.0,
        });
    }
}

fn matches(query: &Query, file: &Fetched) -> bool {
    let of_part = |part: &Part, expression: String, is_case_sensitive: &bool| {
        let flags = if *is_case_sensitive { "(?m-u)" } else { "(?mi-u)" };
        let regex = regex_automata::meta::Regex::builder()
            .syntax(regex_automata::util::syntax::Config::new().utf8(false))
            .build(&format!("{flags}{expression}"))
            .expect("a valid expression");
        let is_in = |bytes: &[u8]| regex.is_match(bytes);
        match part {
            Part::Content => is_in(&file.content),
            Part::Path => is_in(&file.path),
            Part::Either => is_in(&file.content) || is_in(&file.path),
        }
    };
    match query {
        Query::Const(value) => *value,
        Query::And(all) => all.iter().all(|query| matches(query, file)),
        Query::Or(any) => any.iter().any(|query| matches(query, file)),
        Query::Not(query) => !matches(query, file),
        Query::Substring { text, is_case_sensitive, part } => {
            of_part(part, regex_syntax::escape(text), is_case_sensitive)
        }
        Query::Regex { expression, is_case_sensitive, part } => {
            of_part(part, expression.clone(), is_case_sensitive)
        }
        Query::RepositoryRegex(expression) => {
            regex_automata::meta::Regex::new(expression).expect("valid").is_match(&file.repository)
        }
        Query::Repositories(names) => names.contains(&file.repository),
        Query::Paths(paths) => paths.iter().any(|path| path.as_bytes() == file.path),
        Query::Branch(_) => true,
    }
}

impl Nodes for Listed {
    fn repositories(&self, query: &Query, _: Interrupt<'_>) -> Result<(Vec<String>, Vec<String>)> {
        let all = self.files.iter().filter(|file| matches(query, file));
        let names: BTreeSet<String> = all.map(|file| file.repository.clone()).collect();
        Ok((names.into_iter().collect(), self.doubts.clone()))
    }

    fn frequencies(
        &self,
        scope: &Query,
        queries: &[Query],
        _: Interrupt<'_>,
    ) -> Result<Frequencies> {
        let count =
            |query: &Query| self.files.iter().filter(|file| matches(query, file)).count() as u64;
        Ok(Frequencies { all: count(scope), files: queries.iter().map(count).collect() })
    }

    fn search(&self, query: &Query, want: &Want, _: Interrupt<'_>) -> Result<Found> {
        let all = self.files.iter().filter(|file| matches(query, file));
        let mut files: Vec<Fetched> = all.cloned().collect();
        let more = files.len().saturating_sub(want.files_max);
        files.truncate(want.files_max);
        for file in files.iter_mut().filter(|_| want.contents == Contents::None) {
            file.content.clear();
        }
        Ok(Found { files, more, doubts: self.doubts.clone(), ..Found::default() })
    }
}

const STORE: &str = "package store\n\n// Open opens a store.\nfunc Open(name string) error {\n\
                     \treturn check(name)\n}\n\nfunc check(name string) error { return nil }\n";

/// A module and two others that import it.
fn organisation() -> Listed {
    let mut nodes = Listed::default();
    nodes.add("g.example/acme/store", "go.mod", "module g.example/acme/store\n\ngo 1.22\n");
    nodes.add("g.example/acme/store", "store.go", STORE);
    for user in ["shop", "billing"] {
        let repository = format!("g.example/acme/{user}");
        nodes.add(
            &repository,
            "go.mod",
            &format!("module {repository}\n\ngo 1.22\n\nrequire g.example/acme/store v1.0.0\n"),
        );
        nodes.add(
            &repository,
            "main.go",
            &format!(
                "package main\n\nimport \"g.example/acme/store\"\n\nfunc main() {{\n\
                 \tif err := store.Open(\"{user}\"); err != nil {{\n\t\tpanic(err)\n\t}}\n}}\n"
            ),
        );
    }
    nodes.add(
        "g.example/acme/other",
        "other.go",
        "package other\n\nfunc Open() {}\n\nfunc use() { Open() }\n",
    );
    nodes.add("g.example/acme/other", ".env", "TOKEN=Open\n");
    nodes.add("g.example/acme/other", "../escape.go", "package escape // Open\n");
    nodes.add("g.example/acme/other", "big.bin", "NOT-INDEXED: too large");
    nodes
}

fn answer(nodes: &Listed, tool: &str, args: Value) -> Result<Box<dyn Answer>> {
    let view = View::new(nodes, Query::Const(true), Parsers::in_process());
    find(tool).expect("a tool").run(&Call::new(&view, 0), args)
}

fn text(nodes: &Listed, tool: &str, args: Value) -> String {
    let answer = answer(nodes, tool, args).expect("an answer");
    let notices: String = answer.notices().iter().map(|notice| format!("! {notice}\n")).collect();
    answer.text() + &notices
}

#[test]
fn a_search_finds_the_lines_of_all_repositories() {
    let nodes = organisation();
    let found = text(&nodes, "search", json!({"query": "store.Open", "body": false}));
    insta::assert_snapshot!(found);
    let found =
        text(&nodes, "search", json!({"query": r"^func \w+\(", "regex": true, "body": false}));
    insta::assert_snapshot!(found);
}

#[test]
fn definitions_and_callers_cross_repositories() {
    let nodes = organisation();
    insta::assert_snapshot!(text(&nodes, "symbol", json!({"name": "Open"})));
    let path = "g.example/acme/store/store.go";
    insta::assert_snapshot!(text(&nodes, "callers", json!({"name": "Open", "path": path})));
}

#[test]
fn files_are_read_by_their_paths() {
    let nodes = organisation();
    let path = "g.example/acme/store/store.go";
    insta::assert_snapshot!(text(
        &nodes,
        "read",
        json!({"path": path, "line_start": 3, "line_end": 5})
    ));
    insta::assert_snapshot!(text(&nodes, "outline", json!({"path": path})));
    insta::assert_snapshot!(text(&nodes, "find", json!({"query": "shop main"})));
    for path in ["g.example/acme/other/.env", "g.example/acme/other/big.bin", "g.example/none/x.go"]
    {
        assert!(answer(&nodes, "read", json!({"path": path})).is_err(), "{path}");
    }
}

#[test]
fn a_context_names_the_repository() {
    let nodes = organisation();
    let task = "Opening a store must check its name";
    insta::assert_snapshot!(text(&nodes, "context", json!({"task": task})));
}

/// Of two equal files, the one beside a better file is first, whatever their paths.
#[test]
fn a_context_ranks_repositories() {
    let mut nodes = Listed::default();
    let menu = "package menu\n\nfunc Draw() { icon() }\n\nfunc icon() {}\n";
    nodes.add("g.example/acme/any", "menu.go", menu);
    nodes.add("g.example/acme/desk", "menu.go", menu);
    nodes.add("g.example/acme/desk", "tray.go", "package menu\n\nfunc trayIcon() { icon() }\n");
    let answer = answer(&nodes, "context", json!({"task": "draw the tray icon on start"}));
    let reply = answer.and_then(|answer| answer.json()).expect("an answer");
    let reply: Value = serde_json::from_str(&reply).expect("JSON");
    let files = reply["files"].as_array().expect("files");
    let paths: Vec<&str> = files.iter().filter_map(|file| file["path"].as_str()).collect();
    let at = |path: &str| paths.iter().position(|of| *of == path);
    let (beside, alone) = (at("g.example/acme/desk/menu.go"), at("g.example/acme/any/menu.go"));
    assert!(beside.is_some() && (alone.is_none() || beside < alone), "{paths:?}");
}

#[test]
fn a_doubt_is_never_an_empty_answer() {
    let doubts = vec!["node `b` did not answer within 5 s: what it has is unknown".to_owned()];
    let nodes = Listed { doubts, ..organisation() };
    let answer = answer(&nodes, "search", json!({"query": "nowhere to be found"})).expect("one");
    assert!(!answer.is_found() && answer.is_unknown());
    assert!(answer.notices().iter().any(|notice| notice.contains("node `b`")));
    let reply: Value = serde_json::from_str(&answer.json().expect("JSON")).expect("JSON");
    assert_eq!(reply["status"], "partial");
    assert!(reply["unknown"][0].as_str().is_some_and(|doubt| doubt.contains("node `b`")));
}

#[test]
fn a_name_without_a_repository_is_an_error() {
    let nodes = organisation();
    let search = |name: &str, query: &str| {
        let view = View::new(&nodes, Query::of_repository(name), Parsers::in_process());
        let args = json!({"query": query, "paths_only": true});
        let answer = find("search").expect("a tool").run(&Call::new(&view, 0), args);
        answer.map(|answer| answer.text()).map_err(|error| error.to_string())
    };
    assert_eq!(
        search("acme/shop", "store.Open"),
        Ok("g.example/acme/shop/main.go  1 line\n".into())
    );
    assert_eq!(search("acme/*", "nowhere"), Ok(String::new()));
    assert!(search("acme/sho", "store").is_err_and(|why| why.contains("no repository")));
}

#[test]
fn texts_that_nodes_left_out_are_counted() {
    let mut nodes = organisation();
    nodes.add("g.example/acme/other", "huge.sql", "NOT-INDEXED: exceeds the maximum size limit");
    let answer = answer(&nodes, "search", json!({"query": "nowhere"})).expect("an answer");
    assert!(answer.is_unknown());
    let notices = answer.notices().join("\n");
    assert!(notices.contains("1 file is too large for the nodes"), "{notices}");
}

#[test]
fn what_is_not_fetched_is_counted() {
    let mut nodes = Listed::default();
    for at in 0..MATCHING.files_max + 3 {
        nodes.add("g.example/many", &format!("f{at}.txt"), "needle\n");
    }
    let answer = answer(&nodes, "search", json!({"query": "needle"})).expect("an answer");
    let notices = answer.notices().join("\n");
    assert!(notices.contains("3 more files may match and were not fetched"), "{notices}");
}

/// The modules between a definition and its package do not contain its name.
#[test]
fn modules_on_the_way_to_a_definition_are_fetched() {
    let mut nodes = Listed::default();
    let manifest = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"1.0.0\"\n");
    nodes.add("g.example/tok", "Cargo.toml", &manifest("tok-io"));
    nodes.add("g.example/tok", "src/lib.rs", "pub mod sync;\n");
    nodes.add("g.example/tok", "src/sync/mod.rs", "mod bounded;\npub use bounded::*;\n");
    nodes.add("g.example/tok", "src/sync/bounded.rs", "pub fn open() {}\n");
    let uses = "use tok_io::sync;\n\nfn main() {\n    sync::open();\n}\n";
    nodes.add("g.example/user", "Cargo.toml", &manifest("user"));
    nodes.add("g.example/user", "src/main.rs", uses);
    nodes.add("g.example/stranger", "a.py", "def f(x):\n    x.open()\n");
    let args = json!({"name": "open", "path": "g.example/tok/src/sync/bounded.rs"});
    insta::assert_snapshot!(text(&nodes, "callers", args));
}
