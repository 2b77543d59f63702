//! Tools over a fleet whose nodes are a list in memory.

use serde_json::{Value, json};

use super::*;
use crate::fleet::nodes::{Frequencies, Named};
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
        Query::Branch(name) => name == "main",
        Query::Names(query) => matches(query, file),
    }
}

impl Nodes for Listed {
    fn repositories(&self, query: &Query, _: Interrupt<'_>) -> Result<(Vec<Named>, Vec<String>)> {
        let all = self.files.iter().filter(|file| matches(query, file));
        let names: BTreeSet<String> = all.map(|file| file.repository.clone()).collect();
        let named = |name| Named { name, branches: vec!["main".to_owned()] };
        Ok((names.into_iter().map(named).collect(), self.doubts.clone()))
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
fn a_branch_that_is_not_indexed_is_an_error() {
    let nodes = organisation();
    let search = |branch: &str| {
        let scope = Query::of_repository("acme/shop").and(Query::Branch(branch.to_owned()));
        let view = View::new(&nodes, scope, Parsers::in_process());
        let args = json!({"query": "store.Open", "paths_only": true});
        let answer = find("search").expect("a tool").run(&Call::new(&view, 0), args);
        answer.map(|answer| answer.text()).map_err(|error| format!("{error} {:?}", error.hints()))
    };
    assert!(search("main").is_ok_and(|found| found.contains("shop/main.go")));
    let why = search("master").expect_err("no such branch");
    assert!(why.contains("the branch `master`") && why.contains("indexed are `main`"), "{why}");
}

#[test]
fn texts_that_nodes_left_out_are_counted() {
    let mut nodes = organisation();
    nodes.add("g.example/acme/other", "huge.sql", "NOT-INDEXED: exceeds the maximum size limit");
    let answer = answer(&nodes, "search", json!({"query": "nowhere"})).expect("an answer");
    assert!(answer.is_unknown());
    let notices = answer.notices().join("\n");
    assert!(notices.contains("1 text too large for the nodes: not searched"), "{notices}");
}

/// A text that cannot match is no reason for doubt.
#[test]
fn texts_that_cannot_match_are_not_counted() {
    let mut nodes = organisation();
    nodes.add("g.example/acme/other", "huge.sql", "NOT-INDEXED: exceeds the maximum size limit");
    nodes.add("g.example/acme/other", "data.json", "NOT-INDEXED: contains too many trigrams");
    let is_unknown =
        |tool: &str, args: Value| answer(&nodes, tool, args).expect("an answer").is_unknown();
    let glob = |glob: &str| json!({"query": "store.Open", "path_glob": glob});
    assert!(!is_unknown("search", glob("*.go")));
    assert!(is_unknown("search", glob("*.{go,sql}")));
    assert!(!is_unknown("search", glob("g.example/acme/shop/**")));
    assert!(is_unknown("search", glob("g.example/acme/other/**")));
    assert!(!is_unknown("context", json!({"task": "Opening a store must check its name"})));
    let notices = |args: Value| answer(&nodes, "callers", args).expect("an answer").notices();
    let path = "g.example/acme/store/store.go";
    let of_go = notices(json!({"name": "Open", "path": path})).join("\n");
    assert!(!of_go.contains("too large"), "{of_go}");
    let of_any = notices(json!({"name": "Open"})).join("\n");
    assert!(of_any.contains("1 text too large"), "JSON has no definitions: {of_any}");
}

#[test]
fn a_repository_is_shown_in_one_commit() {
    let mut nodes = organisation();
    let manifest = nodes.files.iter_mut().find(|file| file.path == b"go.mod");
    manifest.expect("the first").commit = "another".to_owned();
    let args = json!({"name": "Open", "path": "g.example/acme/store/store.go"});
    let notices = answer(&nodes, "callers", args).expect("an answer").notices().join("\n");
    assert!(notices.contains("1 file of its other commit left out"), "{notices}");
}

/// Names are data of strangers.
#[test]
fn hostile_names_are_shown_and_confined() {
    let mut nodes = Listed::default();
    let repositories = ["a/../../etc", "/abs", "x\u{1b}[2J", "<b>&amp;", "..", "r\u{202e}x"];
    for repository in repositories {
        nodes.add(repository, "f.go", "package f // needle\n");
    }
    nodes.add("r", "/etc/passwd", "needle\n");
    nodes.add("r", "a\nb\u{1b}]0;t\u{7}.txt", "needle\n");
    nodes.add("r", &format!("{}/f", "long".repeat(2_000)), "needle\n");
    nodes.files.push(Fetched { path: b"\xff\xfe.txt".to_vec(), ..nodes.files[2].clone() });
    let found = text(&nodes, "search", json!({"query": "needle", "paths_only": true}));
    let is_plain = |char: char| char == '\n' || !char.is_control();
    assert!(found.chars().all(is_plain), "{found:?}");
    assert!(!found.contains("etc") && !found.contains("/abs"), "{found}");
    assert!(
        found.contains("<b>&amp;/f.go") && found.contains("5 files with an unusable path"),
        "{found}"
    );
}

#[test]
fn thousands_of_files_of_one_name_are_counted() {
    let mut nodes = Listed::default();
    for at in 0..PATHS.files_max + 7 {
        nodes.add(&format!("g.example/r{at}"), "same/name.go", "package same\n");
    }
    let answer = answer(&nodes, "find", json!({"query": "same/name.go"})).expect("an answer");
    assert!(answer.is_unknown());
    assert!(answer.notices().join("\n").contains("7 more files may match"));
}

#[test]
fn a_tool_that_does_not_answer_over_a_fleet_says_so() {
    let nodes = organisation();
    for tool in ["tree", "status", "impact", "deps"] {
        let args = json!({"symbols": ["Open"], "targets": ["Open"], "name": "Open"});
        let args = if tool == "tree" || tool == "status" { json!({}) } else { args };
        let Some(error) = find(tool).map(|tool| {
            let view = View::new(&nodes, Query::Const(true), Parsers::in_process());
            tool.run(&Call::new(&view, 0), args).expect_err("no answer")
        }) else {
            panic!("no tool {tool}")
        };
        let text = format!("{error} {:?}", error.hints());
        assert!(text.contains("does not answer over `fleet`") && text.contains("search"), "{text}");
    }
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

/// A repository with a package of Python that other ones import.
fn requests() -> Listed {
    let mut nodes = Listed::default();
    nodes.add("g.example/psf/requests", "pyproject.toml", "[project]\nname = \"requests\"\n");
    nodes.add("g.example/psf/requests", "src/requests/__init__.py", "from .api import get\n");
    nodes.add("g.example/psf/requests", "src/requests/api.py", "def get(url):\n    return url\n");
    let user = "import os, requests\n\n\ndef fetch():\n    return requests.get('u')\n";
    nodes.add("g.example/acme/user", "fetch.py", user);
    let stranger = "def f(requests):\n    # pull requests\n    return requests.get('u')\n";
    nodes.add("g.example/acme/stranger", "f.py", stranger);
    nodes
}

/// The definition's repository is selected, its users are everywhere.
#[test]
fn callers_of_a_repository_are_in_all_others() {
    let nodes = organisation();
    let callers = |scope: Query, args: Value| {
        let view = View::new(&nodes, scope, Parsers::in_process());
        let answer = find("callers").expect("a tool").run(&Call::new(&view, 0), args);
        answer.map(|answer| answer.text()).map_err(|error| error.to_string())
    };
    let store = || Query::of_repository("acme/store");
    let of_scope = callers(store(), json!({"name": "Open"})).expect("an answer");
    assert!(of_scope.contains("shop/main.go:6") && of_scope.contains("billing/main.go:6"));
    assert!(!of_scope.contains("other/other.go"), "not a definition of the scope: {of_scope}");
    for path in ["g.example/acme/store", "g.example/acme/store/store.go"] {
        let args = json!({"name": "Open", "path": path});
        assert_eq!(callers(Query::Const(true), args), Ok(of_scope.clone()), "{path}");
    }
    let nowhere = callers(store(), json!({"name": "Close"})).expect_err("no such name");
    assert!(nowhere.contains("no file there contains `Close`"), "{nowhere}");
    let below = |path: &str| {
        let args = json!({"name": "Close", "path": path});
        callers(Query::Const(true), args).expect_err("no such name")
    };
    assert!(below("g.example/acme/store").contains("no file there contains `Close`"));
    assert!(below("g.example/acme/store/store.go").contains("no file there contains `Close`"));
    assert!(below("g.example/acme/none/x.go").contains("no node has the file"));
    let unknown = callers(Query::of_repository("acme/stor"), json!({"name": "Open"}));
    assert!(unknown.is_err_and(|why| why.contains("no repository")));
}

/// A common name is in many files that only mention the name of the package.
#[test]
fn users_of_a_common_name_are_found_by_their_imports() {
    let nodes = requests();
    let args = json!({"name": "get", "path": "g.example/psf/requests/src/requests/api.py"});
    let found = text(&nodes, "callers", args);
    assert!(found.contains("user/fetch.py:5"), "{found}");
    assert!(
        found.contains("1 file with the name was not looked at: it does not import"),
        "{found}"
    );
}

/// Of two repositories with one package, either may be meant.
#[test]
fn packages_of_one_name_are_named() {
    let mut nodes = requests();
    let args = json!({"name": "get", "path": "g.example/psf/requests/src/requests/api.py"});
    nodes.add("g.example/fork/requests", "pyproject.toml", "[project]\nname = \"requests\"\n");
    nodes.add("g.example/fork/requests", "src/requests/__init__.py", "from .api import get\n");
    nodes.add("g.example/fork/requests", "src/requests/api.py", "def get(url):\n    return 1\n");
    insta::assert_snapshot!(text(&nodes, "callers", args.clone()));
    let mut copied = requests();
    copied.add("g.example/acme/app", "app/_vendor/requests/__init__.py", "def get(url):\n  pass\n");
    let found = text(&copied, "callers", args);
    assert!(found.contains("user/fetch.py:5") && !found.contains("a package of this name"));
}
