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
    // A flag: the code around it does not call the end, what it leads to is said.
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
}
