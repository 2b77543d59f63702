//! What clients of the tools on history rely on, written for codedb or for Chisel, whose tools have the
//! same names: every tool replies in one shape, over MCP and with `--json`, whatever is wrong with the
//! repository.

use std::fs;

use codedb::tools::{Effect, TOOLS, Toolset};
use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place};

const STATUSES: [&str; 10] = [
    "ok",
    "partial",
    "no_data",
    "no_changes",
    "no_edges",
    "git_error",
    "stale",
    "auto_queued",
    "busy",
    "error",
];

/// Creates a tree with a function and its test, without a repository.
fn tree() -> Place {
    let place = Place::new();
    place.write("src/cart.py", "def add(item):\n    return item\n");
    place.write(
        "tests/test_cart.py",
        "from src.cart import add\n\n\ndef test_adds():\n    assert add(1) == 1\n",
    );
    place.write("src/rules.py", "LIMIT = 3\n");
    place
}

fn repository() -> Place {
    let place = tree();
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place.write("src/cart.py", "def add(item):\n    return [item][0]\n");
    place
}

/// Returns a shallow clone of a repository with three commits.
fn shallow() -> (Place, Place) {
    let origin = repository();
    for subject in ["Second", "Third"] {
        origin.git(&["commit", "-q", "-a", "--allow-empty", "-m", subject]);
    }
    let clone = Place::new();
    let url = format!("file://{}", origin.root().display());
    clone.git(&["clone", "-q", "--depth", "1", &url, "."]);
    clone.write("src/cart.py", "def add(item):\n    return (item,)[0]\n");
    (clone, origin)
}

/// Returns the tools of the toolset `history` with the arguments of a call of each.
fn calls() -> Vec<(&'static str, Value)> {
    let is_of_set = |of: &&codedb::tools::Tool| {
        of.toolset == Toolset::History || of.also == Some(Toolset::History)
    };
    let args = |name: &str| match name {
        "codedb_coupling" | "codedb_ownership" | "codedb_who_reviews" | "codedb_history" => {
            json!({"file_path": "src/cart.py"})
        }
        "codedb_impact" => json!({"files": ["src/cart.py"]}),
        "codedb_record_result" => {
            json!({"test_id": "tests/test_cart.py::test_adds", "passed": true})
        }
        "codedb_lock" => json!({"action": "list"}),
        "codedb_start_job" => json!({"kind": "index"}),
        "codedb_cancel_job" => json!({"job_id": 99}),
        _ => json!({}),
    };
    TOOLS.iter().filter(is_of_set).map(|tool| (tool.name, args(tool.name))).collect()
}

/// Fails unless a reply has the shape of all replies; returns its status and its error.
#[track_caller]
fn check_shape(what: &str, reply: &Value) -> (String, String) {
    let status = reply["status"].as_str().unwrap_or_else(|| panic!("{what}: {reply}"));
    assert!(STATUSES.contains(&status), "{what}: {reply}");
    let steps = reply["next_steps"].as_array().unwrap_or_else(|| panic!("{what}: {reply}"));
    for step in steps {
        let is_call = step["tool"].is_string() && step["args"].is_object();
        assert!((is_call || step["action"].is_string()) && step["reason"].is_string(), "{what}");
    }
    if status != "ok" {
        assert!(reply["message"].is_string(), "{what}: {reply}");
    }
    let error = reply["error"].as_str().unwrap_or_default();
    let is_identifier = error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    assert!(is_identifier && (reply["error"].is_null() || !error.is_empty()), "{what}: {reply}");
    let is_failed = ["git_error", "error"].contains(&status);
    assert!(!is_failed || !error.is_empty(), "{what}: {reply}");
    assert!(status != "git_error" || reply["hint"].is_string(), "{what}: {reply}");
    if let Some(total) = reply["total"].as_u64() {
        let shown = reply["shown"].as_u64().expect("a number");
        assert!(shown <= total && reply["truncated"] == (shown < total), "{what}: {reply}");
    }
    (status.to_owned(), error.to_owned())
}

/// Calls every tool over MCP and on the command line, and compares the status and the error with the
/// expected ones; the last matching entry of a name counts, and `*` stands for all.
#[track_caller]
fn check(place: &Place, expected: &[(&str, &[&str], &str)]) {
    place.index(&["--stage", "full"]);
    let mut session = Session::start(place, &["--toolsets", "all"]);
    session.wait_until_indexed();
    let mut failed = Vec::new();
    for (name, mut args) in calls() {
        let tool = codedb::tools::find(name).expect("it is in the table");
        let line = codedb::tools::command_line::of(tool, args.as_object().expect("an object"));
        args["format"] = "json".into();
        let answer = session.call(name, args);
        let reply = &answer["structuredContent"];
        let served = check_shape(&format!("{name}: {answer}"), reply);
        let wanted = expected.iter().rfind(|(of, ..)| name.ends_with(of) || *of == "*");
        let (_, statuses, error) = wanted.expect("there is one for all");
        if !statuses.contains(&served.0.as_str()) || served.1 != *error {
            failed.push(format!("{name}: {served:?} instead of {statuses:?} {error}: {reply}"));
        }
        if tool.effect == Effect::Starts {
            continue;
        }
        let mut command = place.codedb(&tool.command());
        let words = line.split_whitespace().skip(2).map(|word| word.trim_matches('\''));
        command.args(words).args(["--json", "--no-background"]);
        let answer = Answer::of(command);
        let printed: Value = serde_json::from_str(&answer.text())
            .unwrap_or_else(|error| panic!("{line}: {error}: {}", answer.stderr));
        let printed_as = check_shape(&format!("{line}: {printed}"), &printed);
        if printed_as != served {
            failed.push(format!("{line}: {printed_as:?}, over MCP {served:?}"));
        }
        let is_error = ["git_error", "error"].contains(&printed_as.0.as_str());
        if is_error != (answer.code == 2) {
            failed.push(format!("{line}: exit code {} with {printed_as:?}", answer.code));
        }
    }
    session.end();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Tools that need no commits.
const WITHOUT_COMMITS: [(&str, &[&str], &str); 8] = [
    ("_impact", &["ok", "partial"], ""),
    ("_test_gaps", &["ok", "partial"], ""),
    ("_risk_map", &["partial"], ""),
    ("_triage", &["partial"], ""),
    ("_record_result", &["ok", "partial"], ""),
    ("_lock", &["ok"], ""),
    ("_start_job", &["ok", "busy"], ""),
    ("_job_status", &["ok", "no_data"], ""),
];

fn with<'a>(
    all: (&'a [&'a str], &'a str),
    compared: (&'a [&'a str], &'a str),
) -> Vec<(&'a str, &'a [&'a str], &'a str)> {
    let mut list = vec![("*", all.0, all.1)];
    list.extend(WITHOUT_COMMITS);
    list.push(("_cancel_job", &["no_data"], ""));
    list.extend(
        ["_diff_impact", "_stale_tests", "_suggest_tests"].map(|of| (of, compared.0, compared.1)),
    );
    list
}

/// What replies without an error are.
const FINE: [(&str, &[&str], &str); 3] = [
    ("*", &["ok", "partial", "no_data"], ""),
    ("_start_job", &["ok", "busy"], ""),
    ("_job_status", &["no_data", "ok"], ""),
];

#[test]
fn every_tool_replies_in_one_shape() {
    check(&repository(), &FINE);
}

#[test]
fn without_a_repository_every_tool_says_so() {
    check(&tree(), &with((&["no_data"], "not_a_git_repo"), (&["git_error"], "not_a_git_repo")));
}

#[test]
fn without_commits_every_tool_says_so() {
    let place = tree();
    place.git(&["init", "-q", "-b", "main"]);
    check(&place, &with((&["no_data"], "no_commits"), (&["no_data"], "no_commits")));
}

#[test]
fn a_shallow_clone_is_no_error() {
    let (clone, _origin) = shallow();
    check(&clone, &FINE);
}

#[test]
fn a_damaged_repository_is_an_error_of_git_and_never_an_empty_list() {
    let failed: (&[&str], &str) = (&["git_error"], "git_command_failed");
    let damaged = |path: &str, text: &str| {
        let place = repository();
        fs::write(place.root().join(".git").join(path), text).expect("a file");
        place
    };
    check(&damaged("HEAD", "ref: refs/heads/a..b\n"), &with(failed, failed));
    check(&damaged("refs/heads/main", "0123\n"), &with(failed, failed));
    check(&damaged("HEAD", "nothing\n"), &with(failed, failed));
    let place = repository();
    fs::remove_dir_all(place.root().join(".git/objects")).expect("a directory");
    fs::create_dir_all(place.root().join(".git/objects")).expect("a directory");
    check(&place, &with(failed, failed));
}

/// Returns the reply of a call as data.
fn served(session: &mut Session, name: &str, mut args: Value) -> Value {
    args["format"] = "json".into();
    session.call(name, args)
}

#[test]
fn failures_have_identifiers() {
    let place = repository();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.wait_until_indexed();
    for (name, args, error) in [
        ("codedb_churn", json!({"file_path": "src/carts.py"}), "unknown_path"),
        ("codedb_suggest_tests", json!({"file_path": "src/carts.py"}), "unknown_path"),
        ("codedb_suggest_tests", json!({"functions": ["ad"]}), "unknown_name"),
        ("codedb_diff_impact", json!({"ref": "no-such-branch"}), "unknown_ref"),
        ("codedb_stale_tests", json!({"ref": "no-such-branch"}), "unknown_ref"),
        ("codedb_ownership", json!({"file_path": "src"}), "is_a_directory"),
        ("codedb_ownership", json!({"file": "src/cart.py"}), "unknown_argument"),
        ("codedb_ownership", json!({}), "missing_argument"),
        ("codedb_triage", json!({"top_n": "x"}), "invalid_argument"),
        ("codedb_churn", json!({"project": "other"}), "unknown_project"),
        ("codedb_start_job", json!({"kind": "index", "shard": "web"}), "unknown_shard"),
    ] {
        let answer = served(&mut session, name, args.clone());
        let failure = &answer["structuredContent"];
        assert_eq!(
            (&answer["isError"], &failure["error"]),
            (&true.into(), &error.into()),
            "{answer}"
        );
        assert_eq!(answer["_meta"]["error"], error, "{answer}");
        check_shape(name, failure);
    }
    session.end();
    for (words, error) in [
        (&["churn", "src/carts.py"][..], "unknown_path"),
        (&["diff-impact", "no-such-branch"], "unknown_ref"),
        (&["suggest-tests", "--functions", "ad"], "unknown_name"),
    ] {
        let mut command = place.codedb(words[0]);
        command.args(&words[1..]).arg("--json");
        let answer = Answer::of(command);
        let failure: Value = serde_json::from_str(&answer.text()).expect("JSON");
        let code = if error == "unknown_name" { 1 } else { 2 };
        assert_eq!((answer.code, &failure["error"]), (code, &error.into()), "{failure}");
        check_shape(words[0], &failure);
        assert!(answer.stderr.starts_with("codedb: "), "{}", answer.stderr);
    }
}

#[test]
fn arguments_of_other_clients_are_accepted_and_not_listed() {
    let place = repository();
    place.write("shards.toml", "[shards]\nweb = \"src\"\n");
    place.index(&["--stage", "full"]).expect_success();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    let listed = session.request("tools/list", json!({})).to_string();
    for unlisted in ["auto_update", "fallback_to_all", "x-unlisted", "codedb_analyze", "shard\""] {
        assert!(!listed.contains(unlisted), "{unlisted}");
    }
    for name in ["risk_map", "triage", "test_gaps", "suggest_tests", "diff_impact"] {
        let answer = served(&mut session, name, json!({"auto_update": true}));
        let reply = &answer["structuredContent"];
        assert!(reply["_meta"]["auto_update_performed"].is_boolean(), "{name}: {answer}");
        let text = session.text(&format!("codedb_{name}"), json!({"auto_update": true}));
        assert!(text.contains("`auto_update` has no effect"), "{text}");
    }
    // A file that changed since the index was built is read.
    place.write("src/rules.py", "LIMIT = 4\n");
    let reply = served(&mut session, "triage", json!({"auto_update": true}));
    assert_eq!(reply["structuredContent"]["_meta"]["auto_update_performed"], true, "{reply}");
    for (name, args) in [
        ("analyze", json!({"directory": "src", "shard": "web"})),
        ("update", json!({"shard": "web"})),
        ("codedb_update", json!({})),
    ] {
        let reply = served(&mut session, name, args)["structuredContent"].clone();
        check_shape(name, &reply);
        assert_eq!(
            (&reply["status"], &reply["files_updated"]),
            (&"ok".into(), &1.into()),
            "{reply}"
        );
        assert_eq!(reply["_meta"]["auto_update_performed"], true, "{reply}");
    }
    let reply = served(&mut session, "update", json!({"shard": "app"}));
    assert_eq!(reply["structuredContent"]["error"], "unknown_shard", "{reply}");
    let text =
        session.text("codedb_coupling", json!({"file_path": "src/cart.py", "working_tree": true}));
    assert!(text.contains("uncommitted changes always count"), "{text}");
    // A forced analysis is a job.
    let reply =
        served(&mut session, "analyze", json!({"force": true}))["structuredContent"].clone();
    assert!(reply["status"] == "auto_queued" && reply["job_id"].is_number(), "{reply}");
    session.end();
    place.wait_for_builders();
    let answer = Answer::of({
        let mut command = place.codedb("update");
        command.arg("--json");
        command
    });
    let reply: Value = serde_json::from_str(&answer.text()).expect("JSON");
    assert_eq!((answer.code, &reply["status"]), (0, &"ok".into()), "{reply}");
}

#[test]
fn without_uncommitted_changes_only_commits_count() {
    let place = repository();
    place.git(&["checkout", "-q", "-b", "work"]);
    place.write("src/rules.py", "LIMIT = 4\n\n\ndef limit():\n    return LIMIT\n");
    place.git(&["add", "src/rules.py"]);
    place.git(&["commit", "-q", "-m", "Raise the limit"]);
    place.write("src/new.py", "def new():\n    return 1\n");
    let changed = |args: &[&str]| {
        let mut command = place.codedb("diff-impact");
        command.args(args).args(["--json", "--no-background"]);
        let reply: Value = serde_json::from_str(&Answer::of(command).text()).expect("JSON");
        reply["changed_files"].clone()
    };
    assert_eq!(changed(&[]), json!(["src/cart.py", "src/new.py", "src/rules.py"]));
    assert_eq!(changed(&["--working-tree"]), json!(["src/cart.py", "src/new.py"]));
    assert_eq!(changed(&["--working-tree=false"]), json!(["src/rules.py"]));
    let ranked = |args: &[&str]| {
        let mut command = place.codedb("risk-map");
        command.args(args).args(["--json", "--no-background"]);
        let reply: Value = serde_json::from_str(&Answer::of(command).text()).expect("JSON");
        reply["files"].to_string().contains("src/new.py")
    };
    assert!(ranked(&[]) && !ranked(&["--working-tree=false"]));
}

#[test]
fn where_no_test_is_found_all_are_listed_on_request() {
    let place = repository();
    place.write("src/lonely.go", "package src\n\nfunc Lonely() int {\n\treturn 1\n}\n");
    let suggest = |args: &[&str]| {
        let mut command = place.codedb("suggest-tests");
        command.arg("src/lonely.go").args(args).args(["--json", "--no-background"]);
        let answer = Answer::of(command);
        (serde_json::from_str::<Value>(&answer.text()).expect("JSON"), answer.code)
    };
    let (reply, _) = suggest(&[]);
    assert_eq!((&reply["total"], &reply["run_all"]), (&0.into(), &true.into()), "{reply}");
    let (reply, code) = suggest(&["--fallback-to-all"]);
    assert_eq!((code, &reply["status"], &reply["run_all"]), (0, &"partial".into(), &true.into()));
    let test = &reply["tests"][0];
    let expected = (&"tests/test_cart.py::test_adds".into(), &"fallback".into());
    assert_eq!((&test["test_id"], &test["source"]), expected, "{reply}");
}

#[test]
fn the_risk_of_a_file_has_all_components() {
    let place = repository();
    place.write("src/plugins.py", "import importlib\n\n\ndef load(name):\n    return importlib.import_module(name)\n\n\ndef start(x):\n    return x\n\n\nHANDLERS = {\"start\": start}\n");
    let mut command = place.codedb("risk-map");
    command.args(["--json", "--no-background"]);
    let reply: Value = serde_json::from_str(&Answer::of(command).text()).expect("JSON");
    let files = reply["files"].as_array().expect("a list");
    let of = |path: &str| files.iter().find(|file| file["path"] == path).expect("it is ranked");
    let plugins = of("src/plugins.py");
    assert_eq!(plugins["breakdown"]["hidden_risk"], plugins["hidden_risk_factor"], "{plugins}");
    assert_eq!(plugins["breakdown"]["new_file_boost"], 0.5, "{plugins}");
    assert!(plugins["hidden_risk_factor"].as_f64() > Some(0.0), "{plugins}");
    // The import by a computed name, and the function in the table.
    assert_eq!(
        (&plugins["dynamic_edge_count"], &plugins["shadow_edge_count"]),
        (&1.into(), &2.into())
    );
    // The import by the test.
    assert_eq!(of("src/cart.py")["shadow_edge_count"], 1);
}
