//! The display of replies on the command line: paths relative to the current directory, colours,
//! hyperlinks, places for editors; help, and suggestions for misspelled commands.

use serde_json::Value;

use crate::support::place::{Answer, Place};

/// A tree with two directories; code in one calls code in the other.
fn place() -> Place {
    let place = Place::new();
    for (path, text) in [
        ("Cargo.toml", "[package]\nname = \"shop\"\n"),
        (
            "src/lib.rs",
            "pub mod net;\n\npub fn add() {}\n\npub fn start() {\n    net::dial();\n}\n",
        ),
        ("src/net/mod.rs", "pub fn dial() {\n    crate::add(); crate::add();\n}\n"),
        ("docs/add.txt", "how to add\n"),
    ] {
        place.write(path, text);
    }
    place
}

/// Runs a command in the directory `current` of the tree.
fn run_in(place: &Place, current: &str, args: &[&str]) -> Answer {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(args).arg("--root").arg(place.root());
    command.arg("--index-dir").arg(place.cache());
    command.env_remove("NO_COLOR").current_dir(place.root().join(current));
    Answer::of(command)
}

#[test]
fn paths_are_relative_to_the_current_directory() {
    let place = place();
    for (args, expected) in [
        (&["symbol", "dial"][..], "function dial  mod.rs:1-3  pub fn dial()\n"),
        (&["symbol", "--query", "dial"], "function dial  mod.rs:1-3  pub fn dial()\n"),
        (&["symbol", "start"], "function start  ../lib.rs:5-7  pub fn start()\n"),
        (&["find", "lib"], "../lib.rs\n"),
        (&["word", "start"], "../lib.rs  1 place\n  5  pub fn start() {\n"),
        (&["ls"], "mod.rs  50 bytes  rust\n"),
        (&["ls", ".."], "net/  1 file\nlib.rs  67 bytes  rust\n"),
        (&["glob", "*.rs"], "mod.rs\n"),
        (&["glob", "../*.rs"], "../lib.rs\n"),
        (&["glob", "/docs/*"], "../../docs/add.txt\n"),
    ] {
        let answer = run_in(&place, "src/net", args);
        assert_eq!(answer.text(), expected, "{args:?} {}", answer.stderr);
    }
    for args in [
        &["callers", "add"][..],
        &["callpath", "start", "add"],
        &["explain", "add"],
        &["context", "how does add work"],
        &["query", r#"[{"op": "find", "query": "lib"}]"#],
        &["hot"],
        &["deps", "mod.rs"],
        &["read", "../lib.rs"],
    ] {
        let text = run_in(&place, "src/net", args).expect_success().text();
        assert!(!text.contains("src/"), "{args:?}: {text}");
    }
    let tree = run_in(&place, "src", &["tree"]).expect_success().text();
    assert!(tree.starts_with("net/  1 file") && tree.contains("\nlib.rs  rust"), "{tree}");
    // Outside of the tree, paths are those of the tree.
    let outside = run_in(&place, "..", &["find", "lib"]).expect_success();
    assert_eq!(outside.text(), "src/lib.rs\n");
}

#[test]
fn typed_paths_and_globs_are_relative_to_the_current_directory() {
    let place = place();
    for (args, expected) in [
        (&["read", "lib.rs:3"][..], "lines 3-3 of 7"),
        (&["read", "lib.rs:3:8"], "lines 3-3 of 7"),
        (&["read", "../src/net/mod.rs:1"], "lines 1-1 of 3"),
        (
            &["symbol", "dial", "--path-glob", "net/*.rs"],
            "function dial  net/mod.rs:1-3  pub fn dial()\n",
        ),
        (
            &["symbol", "dial", "--path-glob", "src/*/*.rs"],
            "function dial  net/mod.rs:1-3  pub fn dial()\n",
        ),
        (
            &["symbol", "dial", "--path-glob", "mod.rs"],
            "function dial  net/mod.rs:1-3  pub fn dial()\n",
        ),
    ] {
        let answer = run_in(&place, "src", args);
        assert!(answer.text().contains(expected), "{args:?} {} {}", answer.text(), answer.stderr);
    }
    let missing = run_in(&place, "src", &["symbol", "dial", "--path-glob", "../*.rs"]);
    assert_eq!(missing.code, 1, "{}", missing.text());
    // Errors and their suggestions name paths that can be typed there.
    let unknown = run_in(&place, "src/net", &["read", "mud.rs:2"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("codedb: mud.rs: no such file\n"), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("did you mean `mod.rs`"), "{}", unknown.stderr);
    let unknown = run_in(&place, "src/net", &["outline", "lib.r"]);
    assert!(unknown.stderr.contains("`../lib.rs`"), "{}", unknown.stderr);
}

#[test]
fn json_has_repository_paths_and_relative_paths() {
    let place = place();
    let json = |current: &str, args: &[&str]| -> Value {
        let answer = run_in(&place, current, args).expect_success();
        serde_json::from_str(&answer.text()).expect("JSON")
    };
    let found = json("src/net", &["symbol", "start", "--json"]);
    assert_eq!(found["symbols"][0]["path"], "src/lib.rs");
    assert_eq!(found["symbols"][0]["relative_path"], "../lib.rs");
    let found = json("src/net", &["glob", "/**/*.rs", "--json"]);
    assert_eq!(found["files"], serde_json::json!(["src/lib.rs", "src/net/mod.rs"]));
    assert_eq!(found["relative_files"], serde_json::json!(["../lib.rs", "mod.rs"]));
    let found = json("", &["symbol", "start", "--json"]);
    assert_eq!(found["symbols"][0]["relative_path"], "src/lib.rs");
    let found = json("..", &["symbol", "start", "--json"]);
    assert_eq!(found["symbols"][0]["relative_path"], Value::Null);
}

#[test]
fn colours_and_hyperlinks_are_those_of_ripgrep() {
    let place = place();
    let text = |args: &[&str]| run_in(&place, "", args).expect_success().text();
    for args in [
        &["symbol", "start"][..],
        &["callers", "dial"],
        &["outline", "src/lib.rs"],
        &["tree"],
        &["ls"],
        &["word", "add"],
        &["context", "how does add work"],
        &["read", "src/lib.rs"],
    ] {
        let plain = text(args);
        assert!(!plain.contains('\x1b'), "a pipe gets no colours: {args:?}");
        let colored = text(&[args, &["--color", "always"]].concat());
        let mut stripped = colored.clone();
        for sequence in ["\x1b[35m", "\x1b[32m", "\x1b[1m", "\x1b[1;31m", "\x1b[0m"] {
            stripped = stripped.replace(sequence, "");
        }
        assert_eq!(stripped, plain, "{args:?}");
        assert!(colored.contains("\x1b[0m"), "{args:?}: {colored}");
        assert_eq!(text(&[args, &["--color", "never"]].concat()), plain);
    }
    let callers = text(&["callers", "dial", "--color", "always"]);
    assert!(callers.contains("\x1b[35msrc/lib.rs\x1b[0m:\x1b[32m6\x1b[0m"), "{callers:?}");
    assert!(callers.contains("net::\x1b[1;31mdial\x1b[0m()"), "{callers:?}");
    let args = ["find", "lib", "--color", "always", "--hyperlink-format", "file://{path}#{line}"];
    let file = place.root().join("src/lib.rs");
    let link = format!("\x1b]8;;file://{}#1\x1b\\\x1b[35msrc/lib.rs", file.display());
    assert!(text(&args).starts_with(&link), "{:?}", text(&args));
    // Links are written only where colours are.
    assert_eq!(text(&["find", "lib", "--hyperlink-format", "vscode"]), "src/lib.rs\n");
}

#[test]
fn places_are_printed_for_editors() {
    let place = place();
    for (args, expected) in [
        (&["symbol", "dial"][..], "mod.rs:1:8:pub fn dial()\n"),
        (
            &["callers", "add"],
            "mod.rs:2:12:crate::add(); crate::add();\nmod.rs:2:26:crate::add(); crate::add();\n",
        ),
        (&["word", "start"], "../lib.rs:5:8:pub fn start() {\n"),
        (
            &["word", "add"],
            "../../docs/add.txt:1:8:how to add\n../lib.rs:3:8:pub fn add() {}\n\
             mod.rs:2:12:crate::add(); crate::add();\nmod.rs:2:26:crate::add(); crate::add();\n",
        ),
        (&["outline", "mod.rs"], "mod.rs:1:8:pub fn dial()\n"),
    ] {
        let answer = run_in(&place, "src/net", &[args, &["--vimgrep"]].concat()).expect_success();
        assert_eq!(answer.text(), expected, "{args:?}");
    }
}

/// Runs the program with arguments only.
fn run(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(args);
    Answer::of(command)
}

#[test]
fn help_is_a_table_of_contents_and_a_page_for_each_command() {
    let place = Place::new();
    let text = |args: &[&str]| run(&place, args).expect_success().text();
    let contents = text(&["--help"]);
    insta::assert_snapshot!("help_contents", contents);
    for args in [&["-h"][..], &["help"], &["help", "--help"], &["help", "help"]] {
        assert_eq!(text(args), contents, "{args:?}");
    }
    let none = run(&place, &[]);
    assert_eq!((none.code, none.text().as_str(), &none.stderr), (2, "", &contents));
    insta::assert_snapshot!("help_of_callers_short", text(&["callers", "-h"]));
    insta::assert_snapshot!("help_of_callers", text(&["callers", "--help"]));
    for command in ["callers", "search", "index", "decisions"] {
        assert_eq!(text(&["help", command]), text(&[command, "--help"]), "{command}");
    }
    assert_eq!(text(&["help", "decisions", "list"]), text(&["decisions", "list", "--help"]));
}

#[test]
fn help_has_topics() {
    let place = Place::new();
    let topics = run(&place, &["help", "topics"]).expect_success().text();
    insta::assert_snapshot!("help_topics", topics);
    let names = topics.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in names {
        let text = run(&place, &["help", name]).expect_success().text();
        assert!(text.lines().count() > 10, "{name}: {text}");
    }
    let unknown = run(&place, &["help", "freshnes"]);
    assert_eq!((unknown.code, unknown.text().as_str()), (2, ""));
    assert!(unknown.stderr.contains("did you mean `codedb help freshness`?"), "{}", unknown.stderr);
    let script = run(&place, &["completions", "bash"]).expect_success().text();
    assert!(script.contains("getting-started"), "topics are completed");
    let manual = run(&place, &["man"]).expect_success().text();
    assert!(manual.contains("callers") && manual.contains("who\\-reviews"), "{manual}");
}

#[test]
fn a_misspelled_command_is_answered_with_the_nearest() {
    let place = place();
    for (args, hint) in [
        (&["serch", "foo"][..], "did you mean `search`?"),
        (&["calers", "foo"], "did you mean `callers`?"),
        (&["frobnicate"], "`codedb search frobnicate` searches for this text"),
    ] {
        let answer = run_in(&place, "", args);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains(hint), "{args:?}: {}", answer.stderr);
        assert!(!answer.stderr.contains("search serch"), "{}", answer.stderr);
    }
}

/// Words and options of other programs lead to the same answers.
#[test]
fn other_spellings_lead_to_the_same_answer() {
    let place = Place::new();
    place.write("src/a.rs", "pub fn shut() {}\npub fn open() {}\nfn go() { shut(); shut(); }\n");
    place.write("src/b.rs", "use crate::a::shut;\nfn f() { shut(); }\n#[test]\nfn t() { f(); }\n");
    place.git(&["init", "-q"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "a"]);
    run_in(&place, "", &["index", "--wait", "full"]).expect_success();
    let pairs: &[(&[&str], &[&str])] = &[
        (&["def", "shut"], &["symbol", "shut"]),
        (&["definition", "shut"], &["symbol", "shut"]),
        (&["symbols", "shut"], &["symbol", "shut"]),
        (&["goto", "shut"], &["symbol", "shut"]),
        (&["calls", "shut"], &["callers", "shut"]),
        (&["called-by", "shut"], &["callers", "shut"]),
        (&["callees", "f"], &["explain", "f"]),
        (&["read", "src/a.rs", "1-2"], &["read", "src/a.rs:1-2"]),
        (&["read", "src/b.rs", "2"], &["read", "src/b.rs:2"]),
        (&["refs", "shut"], &["callers", "--uses", "shut"]),
        (&["references", "shut"], &["callers", "--uses", "shut"]),
        (&["usages", "shut"], &["callers", "--uses", "shut"]),
        (&["uses", "shut"], &["callers", "--uses", "shut"]),
        (&["path", "f", "shut"], &["callpath", "f", "shut"]),
        (&["cat", "src/a.rs"], &["read", "src/a.rs"]),
        (&["show", "src/a.rs"], &["read", "src/a.rs"]),
        (&["view", "src/a.rs"], &["read", "src/a.rs"]),
        (&["files", "a.rs"], &["find", "a.rs"]),
        (&["importers", "src/a.rs"], &["deps", "src/a.rs"]),
        (&["dependents", "src/a.rs"], &["deps", "src/a.rs"]),
        (&["dependencies", "src/b.rs"], &["deps", "src/b.rs", "--direction", "depends_on"]),
        (&["cochange", "src/b.rs"], &["coupling", "src/b.rs"]),
        (&["imports", "src/b.rs"], &["deps", "src/b.rs", "--direction", "depends_on"]),
        (&["blame", "src/a.rs"], &["ownership", "src/a.rs"]),
        (&["authors", "src/a.rs"], &["ownership", "src/a.rs"]),
        (&["owners", "src/a.rs"], &["ownership", "src/a.rs"]),
        (&["log", "src/a.rs"], &["history", "src/a.rs"]),
        (&["commits", "src/a.rs"], &["history", "src/a.rs"]),
        (&["reviewers", "src/a.rs"], &["who-reviews", "src/a.rs"]),
        (&["who", "src/a.rs"], &["who-reviews", "src/a.rs"]),
        (&["tests", "src/a.rs"], &["suggest-tests", "src/a.rs"]),
        (&["gaps"], &["test-gaps"]),
        (&["affected"], &["diff-impact"]),
        (&["diff"], &["changes"]),
        (&["hotspots"], &["churn"]),
        (&["risk", "src/a.rs"], &["check", "src/a.rs"]),
        (&["rg", "-n", "shut"], &["search", "-n", "shut"]),
        (&["grep", "-n", "shut"], &["search", "-n", "shut"]),
        (&["symbol", "shut", "--limit", "1"], &["symbol", "shut", "--max-results", "1"]),
        (&["symbol", "shut", "-n", "1"], &["symbol", "shut", "--max-results", "1"]),
        (&["symbol", "shut", "--top-n", "1"], &["symbol", "shut", "--max-results", "1"]),
        (&["symbol", "shut", "--path", "src/a.rs"], &["symbol", "shut", "--path-glob", "src/a.rs"]),
        (&["symbol", "shut", "--in", "src/a.rs"], &["symbol", "shut", "--path-glob", "src/a.rs"]),
        (&["callers", "shut", "-n", "1"], &["callers", "shut", "--max-results", "1"]),
        (&["callers", "shut", "--limit=1"], &["callers", "shut", "--max-results=1"]),
        (
            &["callers", "shut", "--path-glob", "src/a.rs"],
            &["callers", "shut", "--path", "src/a.rs"],
        ),
        (&["churn", "--max-results", "3"], &["churn", "--limit", "3"]),
        (&["churn", "-n", "3"], &["churn", "--limit", "3"]),
        (&["churn", "src"], &["churn", "--directory", "src"]),
        (&["churn", "--dir", "src"], &["churn", "--directory", "src"]),
        (&["churn", "--file", "src/a.rs"], &["churn", "src/a.rs"]),
        (&["churn", "src/a.rs", "--symbol", "shut"], &["churn", "src/a.rs", "--unit-name", "shut"]),
        (&["history", "src/a.rs", "-n", "1"], &["history", "src/a.rs", "--limit", "1"]),
        (&["history", "--file", "src/a.rs"], &["history", "src/a.rs"]),
        (&["test-gaps", "src"], &["test-gaps", "--directory", "src"]),
        (&["suggest-tests", "src"], &["suggest-tests", "--directory", "src"]),
        (&["triage", "--limit", "2"], &["triage", "--top-n", "2"]),
        (&["triage", "-n", "2"], &["triage", "--top-n", "2"]),
        (&["hot", "--limit", "2"], &["hot", "2"]),
        (&["diff-impact", "--base", "HEAD"], &["diff-impact", "HEAD"]),
        (&["changes", "--base", "HEAD"], &["changes", "HEAD"]),
        (&["read", "src/a.rs", "--function", "shut"], &["read", "src/a.rs", "--symbol", "shut"]),
        (&["read", "src/a.rs", "--start", "2"], &["read", "src/a.rs", "--line-start", "2"]),
        (&["tree", "--max-depth", "1"], &["tree", "--depth", "1"]),
        (
            &["impact", "src/a.rs", "--functions", "shut,open"],
            &["impact", "src/a.rs", "--functions", "shut", "--functions", "open"],
        ),
        (
            &["impact", "src/a.rs", "--functions", "[\"shut\", \"open\"]"],
            &["impact", "src/a.rs", "--functions", "shut", "--functions", "open"],
        ),
        (&["context", "shut", "--budget", "500"], &["context", "shut", "--max-tokens", "500"]),
    ];
    assert!(pairs.len() >= 60, "{}", pairs.len());
    let mut differ = Vec::new();
    for (given, meant) in pairs {
        let (given_answer, meant_answer) = (run_in(&place, "", given), run_in(&place, "", meant));
        if (given_answer.code, given_answer.text()) != (meant_answer.code, meant_answer.text())
            || meant_answer.code == 2
        {
            differ.push(format!("{given:?}: {}{}", given_answer.stderr, meant_answer.stderr));
        }
    }
    assert!(differ.is_empty(), "{differ:#?}");
}

#[test]
fn notes_name_flags_and_not_arguments_of_the_protocol() {
    let place = Place::new();
    place.write("a.rs", "pub fn shut() {}\n");
    place.write("b.rs", format!("use crate::a::shut;\n{}", "fn f() { shut(); }\n".repeat(9)));
    let mut command = place.codedb("callers");
    command.args(["shut", "--max-results", "2"]);
    let answer = Answer::of(command);
    assert!(answer.stderr.contains("`--max-results`"), "{}", answer.stderr);
    assert!(!answer.stderr.contains("`max_results`"), "{}", answer.stderr);
}
