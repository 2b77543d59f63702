//! `codedb trace`: ends that are names, places of names, or texts; chains, trees, and what is said
//! where there is none.

use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place};

fn tool() -> Place {
    let place = Place::new();
    place.write(
        "cli.py",
        "import argparse\nfrom report import summary\n\nVERBOSE = False\n\n\ndef parse():\n    \
         parser = argparse.ArgumentParser()\n    parser.add_argument(\"--verbose\", dest=\"verbose\")\n    \
         return parser.parse_args()\n\n\ndef main():\n    args = parse()\n    if args.verbose:\n        \
         summary(args)\n    else:\n        quiet(args)\n\n\ndef quiet(args):\n    \
         args.mystery()\n\n\nif __name__ == \"__main__\":\n    main()\n",
    );
    place.write(
        "report.py",
        "from store import Store\n\n\ndef summary(args):\n    store = Store()\n    \
         for row in store.rows():\n        show(row)\n\n\ndef show(row):\n    \
         raise ValueError(\"the row is empty\")\n",
    );
    place.write(
        "store.py",
        "class Store:\n    def rows(self):\n        return self.load()\n\n    def load(self):\n        \
         return []\n\n\ndef alone():\n    pass\n",
    );
    place
}

/// What a command printed.
#[derive(Debug)]
struct Printed {
    stdout: String,
    stderr: String,
    code: i32,
}

fn trace(place: &Place, args: &[&str]) -> Printed {
    let mut command = place.codedb("trace");
    command.args(args);
    let Answer { stdout, stderr, code } = Answer::of(command);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints text");
    Printed { stdout: text(stdout), stderr: text(stderr.into()), code }
}

#[test]
fn a_chain_has_the_lines_and_conditions_of_each_call() {
    let place = tool();
    let answer = trace(&place, &["main", "Store.load"]);
    assert_eq!(
        answer.stdout,
        "cli.py:13-18  function main\n  15: if args.verbose:\n    16: summary(args)\n\
         report.py:4-7  function summary\n  6: for row in store.rows():\n\
         store.py:2-3  method Store.rows\n  3: return self.load()\n\
         store.py:5-6  method Store.load\n",
        "{}",
        answer.stderr
    );
    assert_eq!(answer.code, 0);
}

#[test]
fn files_and_ids_select_a_definition() {
    let place = tool();
    for from in ["cli.py:main", "cli.py::main", "cli.py#main#0"] {
        let answer = trace(&place, &[from, "report.py:show"]);
        assert!(answer.stdout.starts_with("cli.py:13-18  function main\n"), "{from}: {answer:?}");
        assert!(answer.stdout.ends_with("report.py:10-11  function show\n"), "{from}: {answer:?}");
    }
    let answer = trace(&place, &["cli.py:nothing", "show"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("nothing"), "{}", answer.stderr);
}

#[test]
fn texts_are_starts_and_ends() {
    let place = tool();
    // A flag.
    let answer = trace(&place, &["--", "--verbose"]);
    assert!(
        answer.stdout.starts_with("from cli.py:9  parser.add_argument(\"--verbose\""),
        "{answer:?}"
    );
    assert!(
        answer.stderr.contains("`--verbose` is no definition; it was searched as text"),
        "{answer:?}"
    );
    // A message.
    let answer = trace(&place, &["main", "the row is empty"]);
    assert!(answer.stdout.contains("to report.py:11  raise ValueError"), "{answer:?}");
    assert!(answer.stdout.ends_with("report.py:10-11  function show\n"), "{answer:?}");
    let answer = trace(&place, &["main", "no such text"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(
        answer.stderr.contains("`no such text` is neither a definition nor a text of the tree"),
        "{}",
        answer.stderr
    );
}

#[test]
fn without_a_chain_the_ends_are_described() {
    let place = tool();
    let answer = trace(&place, &["main", "alone"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    let stderr = &answer.stderr;
    assert!(stderr.contains("no chain found: `main` leads to "), "{stderr}");
    assert!(stderr.contains("are unresolved, so a chain may exist"), "{stderr}");
    assert!(answer.stdout.contains("args.mystery()"), "{answer:?}");
}

#[test]
fn a_start_alone_is_a_tree() {
    let place = tool();
    let answer = trace(&place, &["main", "--depth", "2"]);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(lines[0].starts_with("cli.py:13-18  function main"), "{answer:?}");
    assert!(lines.iter().any(|line| line.starts_with("  report.py:4-7  function summary  at 16")));
    assert!(answer.stdout.contains("Store.rows"), "{answer:?}");
    let answer = trace(&place, &["main", "--max-results", "1"]);
    assert!(answer.stderr.contains("left out; raise `--max-results`"), "{answer:?}");
}

#[test]
fn agents_get_the_same_by_any_spelling() {
    let place = tool();
    let mut session = Session::start(&place, &[]);
    let mut data = |arguments: Value| {
        let mut arguments = arguments;
        arguments["format"] = json!("json");
        session.call("codedb_trace", arguments)["structuredContent"].clone()
    };
    let reply = data(json!({"from": "main", "to": "Store.load"}));
    let names: Vec<&str> = reply["chain"]
        .as_array()
        .expect("a chain")
        .iter()
        .filter_map(|step| step["qualified_name"].as_str())
        .collect();
    assert_eq!(names, ["main", "summary", "Store.rows", "Store.load"]);
    assert_eq!(reply["chain"][0]["next"]["inside"][0]["text"], "if args.verbose:");
    assert_eq!(data(json!({"start": "main", "end": "Store.load"})), reply);
}

#[test]
fn drawings_have_the_chain() {
    let place = tool();
    let answer = trace(&place, &["main", "Store.load", "--format", "mermaid"]);
    assert!(answer.stdout.contains("summary"), "{answer:?}");
    assert!(answer.stdout.contains("-->"), "{answer:?}");
    // Steps that are no calls are labelled.
    place.write(
        "table.py",
        "def add():\n    pass\n\n\nALL = {'add': add}\n\n\ndef go(name):\n    ALL[name]()\n",
    );
    let answer = trace(&place, &["go", "add", "--format", "mermaid"]);
    assert!(answer.stdout.contains("|\"holds the function\"|"), "{answer:?}");
}

/// A program with a flag that code names without dashes, and a test of it.
fn flags() -> Place {
    let place = Place::new();
    place.write(
        "src/main.rs",
        "const WAIT_MS: &str = \"wait-ms\";\n\nfn main() {\n    let given = option(WAIT_MS);\n    \
         wait(given);\n}\n\nfn option(name: &str) -> u64 {\n    0\n}\n\nfn wait(ms: u64) {\n    \
         panic!(\"cannot wait `{ms}` for the index to be complete\");\n}\n\npub struct Options {\n    \
         pub dry_run: bool,\n}\n\npub fn plan(options: &Options) -> bool {\n    options.dry_run\n}\n",
    );
    place.write(
        "tests/a_test.rs",
        "#[test]\nfn it_waits() {\n    run(&[\"--wait-ms\", \"3\"]);\n}\n\nfn run(args: &[&str]) {}\n",
    );
    place.write("scripts/main.py", "def main():\n    other()\n\n\ndef other():\n    pass\n");
    place
}

#[test]
fn a_flag_is_found_without_its_dashes_and_before_tests() {
    let place = flags();
    let answer = trace(&place, &["--", "--wait-ms", "wait"]);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert!(lines[0].starts_with("from src/main.rs:1  const WAIT_MS"), "{answer:?}");
    assert!(lines[1].starts_with("from tests/a_test.rs:3"), "{answer:?}");
    assert!(answer.stdout.contains("function main\n  5: wait(given);\n"), "{answer:?}");
    assert!(answer.stderr.contains("it was searched as text: `\"wait-ms\"`"), "{answer:?}");
    // A flag that a library derives from the name of a field, without `--` before it.
    let answer = trace(&place, &["--dry-run"]);
    assert!(answer.stdout.contains("function plan"), "{answer:?}");
    assert!(answer.stderr.contains("it was searched as text: `dry_run`"), "{answer:?}");
    // One that is nowhere: what was searched.
    let answer = trace(&place, &["--no-such-flag"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("also searched: `\"no-such-flag\"`"), "{answer:?}");
}

#[test]
fn a_flag_that_the_command_has_itself_needs_two_dashes() {
    let place = flags();
    let answer = trace(&place, &["--depth"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("`codedb trace -- --depth` takes it as a text"), "{answer:?}");
    let answer = trace(&place, &["main", "-n", "0"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.stderr.contains("`--max-results` is 0; it is at least 1"), "{answer:?}");
}

#[test]
fn messages_are_found_as_users_see_them() {
    let place = flags();
    let message = "tool: cannot wait `17` for the index to be complete";
    let answer = trace(&place, &["main", message]);
    assert!(answer.stdout.contains("to src/main.rs:13  panic!("), "{answer:?}");
    assert!(answer.stdout.ends_with("function wait\n"), "{answer:?}");
    let by = "it was searched as text: `for the index to be complete`";
    assert!(answer.stderr.contains(by), "{answer:?}");
    let answer = trace(&place, &["main", "nothing of the kind is written"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    assert!(answer.stderr.contains("the words that the program does not fill in"), "{answer:?}");
}

#[test]
fn a_line_stands_for_the_definition_around_it() {
    let place = flags();
    for at in ["src/main.rs:5", "src/main.rs:3-6"] {
        let answer = trace(&place, &[at, "wait"]);
        assert!(answer.stdout.starts_with("src/main.rs:3-6  function main\n"), "{answer:?}");
    }
    let answer = trace(&place, &["src/main.rs:500"]);
    assert!(answer.stderr.contains("`src/main.rs` has 22 lines, and no line 500"), "{answer:?}");
    let answer = trace(&place, &["src/main.rs"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    let hint = "name a definition of it, `src/main.rs:NAME`, or a line, `src/main.rs:10`";
    assert!(answer.stderr.contains(hint), "{answer:?}");
}

#[test]
fn a_name_of_several_definitions_lists_them_first_sources_before_scripts() {
    let place = flags();
    let answer = trace(&place, &["main"]);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(lines[0], "from src/main.rs:3-6  function main", "{answer:?}");
    assert_eq!(lines[1], "from scripts/main.py:1-2  function main", "{answer:?}");
    assert!(lines[2].starts_with("src/main.rs:3-6  function main"), "{answer:?}");
    // The id that is offered is accepted.
    assert!(answer.stderr.contains("`scripts/main.py#main#0`"), "{answer:?}");
    let answer = trace(&place, &["scripts/main.py#main#0"]);
    assert!(answer.stdout.starts_with("scripts/main.py:1-2  function main"), "{answer:?}");
}

#[test]
fn further_chains_name_where_they_leave_and_join_the_ones_above() {
    let place = Place::new();
    place.write(
        "a.py",
        "def main():\n    first()\n\n\ndef first():\n    left()\n    right()\n\n\n\
         def left():\n    last()\n\n\ndef right():\n    last()\n\n\n\
         def last():\n    end()\n\n\ndef end():\n    pass\n",
    );
    let answer = trace(&place, &["main", "end"]);
    let other = "or, as above up to:\na.py:5-7  function first\n  7: right()\n\
                 a.py:14-15  function right\n  15: last()\na.py:18-19  function last\n  then as above\n";
    assert!(answer.stdout.ends_with(other), "{answer:?}");
    let answer = trace(&place, &["main", "end", "--format", "screen"]);
    assert!(answer.stdout.contains("then as above"), "{answer:?}");
}

#[test]
fn a_chain_that_breaks_at_a_channel_names_who_receives() {
    let place = Place::new();
    place.write(
        "raft.go",
        "package raft\n\ntype Raft struct {\n\tapplyCh chan int\n}\n\n\
         func (r *Raft) Apply(value int) {\n\tr.applyCh <- value\n}\n\n\
         func (r *Raft) loop() {\n\tfor {\n\t\tselect {\n\t\tcase value := <-r.applyCh:\n\t\t\tstore(value)\n\t\t}\n\t}\n}\n\n\
         func store(value int) {}\n",
    );
    let answer = trace(&place, &["Raft.Apply", "store"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    let sent = "sends in raft.go:7-9  method Raft.Apply\n  8: r.applyCh <- value\n  \
                received in raft.go:11-18  method Raft.loop\n    14: case value := <-r.applyCh:\n";
    assert!(answer.stdout.contains(sent), "{answer:?}");
    let end = "end of the chain:\nraft.go:11-18  method Raft.loop\n";
    assert!(answer.stdout.contains(end), "{answer:?}");
    assert!(answer.stderr.contains("the chain breaks where values are sent over channels"));
}
