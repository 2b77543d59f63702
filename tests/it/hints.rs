//! Hints and notices: they name only arguments that the tool has, lists that are cut have their total
//! and the argument that shows more, and empty replies name the reason.

use std::collections::BTreeSet;
use std::path::Path;

use codedb::graph::link::CONFIDENCE_ANSWER;
use codedb::tools::{TOOLS, Tool};
use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place, settle};

mod empty;

/// Arguments of every call, which no schema lists.
const OF_EVERY_CALL: [&str; 3] = ["project", "max_tokens", "format"];

/// Words in backticks that are no arguments: values and parts of the syntax.
const OTHER_WORDS: [&str; 10] = [
    "_meta",
    "failed",
    "finish_investigation",
    "global",
    "hash",
    "in_change",
    "partial",
    "score",
    "undone_lines",
    "unknown",
];

/// More rows than a reply has.
const ROWS: usize = 1100;

/// Returns the names in a text that are arguments by their form: `name` and `name: value` between
/// backticks.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split('`').enumerate().filter(|(at, _)| at % 2 == 1);
    parts.filter_map(|(_, part)| {
        let name = part.split_once(": ").map_or(part, |(name, _)| name);
        let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        (!name.is_empty() && name.bytes().all(is_letter)).then_some(name)
    })
}

/// Returns the names and the values of the arguments of a tool, with the aliases.
fn arguments(tool: &Tool) -> BTreeSet<String> {
    let properties = tool.arguments()["properties"].as_object().expect("a map");
    let values = properties.values().filter_map(|of| of["enum"].as_array()).flatten();
    let values = values.filter_map(Value::as_str).map(str::to_owned);
    let aliases = tool.aliases.iter().map(|alias| alias.name.to_owned());
    properties.keys().cloned().chain(values).chain(aliases).collect()
}

fn tool(name: &str) -> &'static Tool {
    codedb::tools::find(name).unwrap_or_else(|| panic!("no tool {name}"))
}

/// Returns the names in `text` that are no argument of `tools`, of the tools that it mentions, or of
/// every call.
fn unknown(text: &str, tools: &[&Tool]) -> Vec<String> {
    let mentioned: Vec<&Tool> = TOOLS
        .iter()
        .filter(|of| {
            let command = of.command();
            text.contains(&format!("`{command}`")) || text.contains(&format!("{{tool:{command}}}"))
        })
        .collect();
    let known: BTreeSet<String> =
        tools.iter().chain(&mentioned).flat_map(|tool| arguments(tool)).collect();
    let is_tool = |name: &str| codedb::tools::find(name).is_some();
    named(text)
        .filter(|name| !known.contains(*name) && !is_tool(name))
        .filter(|name| !OF_EVERY_CALL.contains(name) && !OTHER_WORDS.contains(name))
        .map(str::to_owned)
        .collect()
}

/// Returns the string literals of a source file, without those of comments and unit tests.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = source.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let source = lines.collect::<Vec<_>>().join("\n").replace("\\\"", "'").replace("'\"'", "");
    source.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn sources(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn sources_of_tools_name_only_their_arguments() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tools");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in files {
        let below = file.strip_prefix(&root).expect("it is below");
        let parent = below.components().next().expect("a name").as_os_str().to_owned();
        // The steps of `query` have arguments of their own.
        if ["query", "query.rs", "properties.rs"].iter().any(|name| parent == *name) {
            continue;
        }
        let source = std::fs::read_to_string(&file).expect("a source");
        let defining = match root.join(&parent) {
            dir if dir.is_dir() => std::fs::read_to_string(dir.with_extension("rs")),
            _ => Ok(source.clone()),
        };
        let defining = defining.expect("a source");
        let is_own = |tool: &&Tool| defining.contains(&format!("\"{}\"", tool.name));
        let own: Vec<&Tool> = TOOLS.iter().filter(is_own).collect();
        let tools = if defining.contains("impl Define for") { own } else { TOOLS.iter().collect() };
        for text in literals(&source) {
            checked += named(&text).count();
            let names = unknown(&text, &tools);
            wrong.extend(names.into_iter().map(|name| format!("{}: `{name}`", below.display())));
        }
    }
    assert!(wrong.is_empty(), "no such argument: {wrong:#?}");
    assert!(checked > 80, "{checked}");
}

/// A tree in which lists of every kind have [`ROWS`] rows: functions that call one, in files that
/// import it.
fn many() -> Place {
    let place = Place::new();
    place.write("hub.py", "def target():\n    pass\n");
    place.write("test_hub.py", "import hub\n\n\ndef test_target():\n    hub.target()\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Start"]);
    for row in 0..ROWS {
        let text = format!("import hub\n\n\ndef row_{row:04}():\n    hub.target()\n");
        place.write(format!("rows/row_{row:04}.py"), text);
    }
    let functions: String =
        (0..ROWS).map(|row| format!("def one_{row}():\n    pass\n\n\n")).collect();
    place.write("long.py", functions);
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    place
}

/// Calls whose replies are cut, and what the notice must contain.
fn cut_calls() -> Vec<(&'static str, Value, &'static str)> {
    let all = 5000;
    vec![
        (
            "codedb_callers",
            json!({"name": "target"}),
            "200 of 1101 shown; `max_results` shows more",
        ),
        ("codedb_callers", json!({"name": "target", "max_results": all}), "1000 of 1101 shown"),
        ("codedb_callers", json!({"name": "target", "uses": true}), "`max_results` shows more"),
        ("codedb_find", json!({"query": "row"}), "10 of 1100 shown; `max_results` shows more"),
        ("codedb_find", json!({"query": "row", "max_results": all}), "1000 of 1100 shown"),
        ("codedb_glob", json!({"pattern": "row_*.py"}), "200 of 1100 shown; `max_results`"),
        ("codedb_glob", json!({"pattern": "row_*.py", "max_results": all}), "1000 of 1100 shown"),
        ("codedb_symbol", json!({"prefix": "row_"}), "20 of 1100 shown; `max_results` shows more"),
        ("codedb_symbol", json!({"prefix": "row_", "max_results": all}), "1000 of 1100 shown"),
        ("codedb_search", json!({"query": "target"}), "20 of 1102 files"),
        ("codedb_search", json!({"query": "target", "max_results": all}), "1000 of 1102 files"),
        ("codedb_search", json!({"query": "def one_"}), "1095 matching lines in 1 file not shown"),
        ("codedb_word", json!({"word": "target"}), "50 of 1102 occurrences"),
        ("codedb_word", json!({"word": "target", "max_results": all}), "1000 of 1102 occurrences"),
        ("codedb_deps", json!({"path": "hub.py"}), "of 1101 shown; `max_results` shows more"),
        ("codedb_deps", json!({"path": "hub.py", "max_results": all}), "1000 of 1101 shown"),
        ("codedb_outline", json!({"path": "long.py"}), "1000 of 1100 definitions shown; continue"),
        ("codedb_ls", json!({"path": "rows"}), "1000 of 1100 shown, the maximum of a reply"),
        ("codedb_hot", json!({}), "10 of 1103 shown; `limit` shows more"),
        ("codedb_hot", json!({"limit": all}), "1000 of 1103 shown"),
        ("codedb_explain", json!({"name": "target"}), "`max_results` shows more"),
        (
            "codedb_impact",
            json!({"functions": ["target"]}),
            "30 of at least 160 affected functions",
        ),
        ("codedb_diff_impact", json!({}), "50 of 1101 changed files shown"),
        ("codedb_changes", json!({"since": "HEAD"}), "200 of 1101 shown; `max_results` shows more"),
        ("codedb_test_gaps", json!({}), "shown; `limit` shows more"),
        ("codedb_snapshot", json!({}), "of 1103 files shown; continue with `offset`"),
        ("codedb_tree", json!({}), "of 1103 files shown"),
        ("codedb_read", json!({"path": "long.py"}), ""),
        ("codedb_context", json!({"task": "the target of the hub", "max_tokens": 120}), ""),
        ("codedb_status", json!({}), ""),
        ("codedb_projects", json!({}), ""),
        ("codedb_churn", json!({}), ""),
        ("codedb_history", json!({"file_path": "hub.py"}), ""),
        ("codedb_coupling", json!({"file_path": "hub.py"}), ""),
        ("codedb_ownership", json!({"file_path": "hub.py"}), ""),
        ("codedb_who_reviews", json!({"file_path": "hub.py"}), ""),
        ("codedb_risk_map", json!({}), "20 of 1102 shown; `limit` shows more"),
        ("codedb_risk_map", json!({"max_tokens": 300}), "`max_tokens` shows more"),
        ("codedb_triage", json!({}), "10 of 1102 shown; `top_n` shows more"),
        ("codedb_suggest_tests", json!({"functions": ["target"]}), ""),
        ("codedb_stale_tests", json!({}), ""),
        ("codedb_stats", json!({}), ""),
    ]
}

#[test]
fn lists_that_are_cut_have_their_total_and_the_argument_that_shows_more() {
    let place = many();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    let mut wrong = Vec::new();
    for (name, args, expected) in cut_calls() {
        for budget in [None, Some(150)] {
            let of = tool(name);
            let mut args = args.clone();
            if let Some(budget) = budget
                && args.get("max_tokens").is_none()
            {
                args["max_tokens"] = budget.into();
            }
            let result = session.call(name, args.clone());
            let text = result["content"][0]["text"].as_str().expect("a text");
            // The lines of the reply itself quote the tree.
            let remarks: Vec<&str> = text
                .lines()
                .filter(|line| {
                    ["note: ", "hint: ", "omitted: "].iter().any(|start| line.starts_with(start))
                })
                .collect();
            let remarks =
                if result["isError"] == true { text.to_owned() } else { remarks.join("\n") };
            let unknown = unknown(&remarks, &[of]);
            if !unknown.is_empty() {
                wrong.push(format!("{name} {args}: no such argument {unknown:?}\n{remarks}"));
            }
            if budget.is_none() && !remarks.contains(expected) {
                wrong.push(format!("{name} {args}: not `{expected}`\n{remarks}"));
            }
            args["format"] = json!("json");
            let data = session.call(name, args)["structuredContent"].take();
            for step in data["next_steps"].as_array().into_iter().flatten() {
                let Some(next) = step["tool"].as_str() else { continue };
                let known = arguments(tool(next));
                let args = step["args"].as_object().expect("arguments");
                assert!(args.keys().all(|name| known.contains(name)), "{name}: {step}");
            }
        }
    }
    session.end();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_tool_takes_a_token_budget() {
    let place = Place::new();
    place.write("a.py", format!("def f():\n{}", "    g(1, 2, 3)\n".repeat(200)));
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    for (name, args) in [
        ("codedb_read", json!({"path": "a.py", "max_tokens": 100})),
        ("codedb_search", json!({"query": "g", "max_per_file": 200, "max_tokens": "100"})),
    ] {
        let text = session.text(name, args);
        assert!(text.contains("(limit of 100 tokens); narrow the request or raise `max_tokens`"));
        assert!(text.len() < 1000, "{text}");
    }
    let whole = session.text("codedb_read", json!({"path": "a.py", "max_tokens": null}));
    assert!(whole.len() > 2000, "{whole}");
    for wrong in [json!(0), json!("many"), json!(-5)] {
        let answer = session.call("codedb_read", json!({"path": "a.py", "max_tokens": wrong}));
        assert!(answer["isError"] == true, "{answer}");
    }
    session.end();
}

#[test]
fn results_name_the_server() {
    let place = Place::new();
    place.write("a.py", "x = 1\n");
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let key = "io.modelcontextprotocol/serverInfo";
    let server = json!({"name": "codedb", "version": env!("CARGO_PKG_VERSION")});
    let calls = [json!({"query": "x"}), json!({"nothing": 1}), json!({"format": 5})];
    for args in calls {
        assert_eq!(session.call("codedb_search", args)["_meta"][key], server);
    }
    assert_eq!(session.request("tools/list", json!({}))["_meta"][key], server);
    session.end();
}

/// Runs a command of the tool and returns its output and its messages.
fn run(place: &Place, args: &[&str]) -> (String, String) {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    let answer = Answer::of(command);
    (answer.text(), answer.stderr)
}

#[test]
fn a_count_of_zero_is_no_notice() {
    let place = Place::new();
    place.write("a.py", "def f():\n    pass\n\n\ndef g():\n    f()\n");
    let (text, messages) = run(&place, &["callers", "f"]);
    assert!(text.contains("1 caller"), "{text}");
    assert!(!messages.contains("unresolved"), "{messages}");
}

#[test]
fn callpath_states_the_confidence_that_it_requires() {
    let least = format!("a confidence of at least {CONFIDENCE_ANSWER} count");
    assert!(tool("codedb_callpath").details.contains(&least), "{least}");
}

#[test]
fn help_and_documentation_list_the_same_toolsets() {
    let choices = codedb::tools::Toolset::choices();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/mcp.md");
    let docs = std::fs::read_to_string(docs).expect("a page");
    assert!(docs.contains(&choices), "docs/mcp.md lists {choices}");
    let place = Place::new();
    for name in ["mcp", "serve"] {
        let help = run(&place, &[name, "--help"]).0;
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(&choices), "{name}: {help}");
    }
}
