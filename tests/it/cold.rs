//! Every tool over MCP on a tree without a complete index: no reply says "none", or less, without saying
//! that the index lacks something. The tools are those of the table, so a new one is tested as well.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use codedb::index::store::{LockRole, Store, WriterLock};
use codedb::tools::{Needs, TOOLS, Tool};
use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Place, settle};

/// How many servers run at the same time; most of them wait.
const SERVERS: usize = 6;

/// A git work tree with more files than a call parses, so that without an index some are unknown.
fn tree() -> Place {
    let place = Place::new();
    for file in 0..1_300 {
        let text = format!("def helper_{file}(value):\n    return shared(value)\n");
        place.write(format!("src/d{}/m{file}.py", file / 50), text);
    }
    let shared = "def shared(value):\n    return value\n\n\ndef alone():\n    pass\n";
    place.write("zz/shared.py", shared);
    let user = "from zz.shared import shared\n\n\ndef use(value):\n    return shared(value)\n";
    place.write("zz/use.py", user);
    // A function that is removed, with the test that stays.
    place.write("zz/gone.py", "def gone():\n    return 1\n\n\ndef stays():\n    return 2\n");
    let uses = "from zz.gone import gone\n\n\ndef test_gone():\n    assert gone()\n";
    place.write("zz/tests/test_gone.py", uses);
    let test = "from zz.shared import shared\n\n\ndef test_one():\n    shared(1)\n";
    place.write("zz/tests/test_shared.py", test);
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    for round in 1..4 {
        let text = shared.replace("return value", &format!("return [value, {round}]"));
        place.write("zz/shared.py", text);
        place.write("zz/tests/test_shared.py", format!("{test}    assert {round}\n"));
        place.git(&["commit", "-q", "-a", "-m", &format!("Round {round}")]);
    }
    let text = shared.replace("return value", "return (value, 9)").replace("pass", "return 2");
    place.write("zz/shared.py", text);
    place.write("zz/gone.py", "def stays():\n    return 2\n");
    place
}

/// Returns a call of a tool that finds something in [`tree`]; `None` for tools that need no index.
fn arguments(tool: &Tool) -> Option<Value> {
    let arguments = match tool.name {
        "codedb_context" => json!({"task": "shared returns a list"}),
        "codedb_search" => json!({"query": "shared"}),
        "codedb_symbol" => json!({"name": "shared"}),
        "codedb_callers" | "codedb_explain" => json!({"name": "shared"}),
        "codedb_outline" | "codedb_read" => json!({"path": "zz/shared.py"}),
        "codedb_find" => json!({"query": "shared"}),
        "codedb_tree" | "codedb_ls" => json!({"path": "zz"}),
        "codedb_deps" => json!({"path": "zz/shared.py"}),
        "codedb_status" | "codedb_hot" | "codedb_changes" | "codedb_snapshot" => json!({}),
        "codedb_word" => json!({"word": "shared"}),
        "codedb_glob" => json!({"pattern": "zz/*.py"}),
        "codedb_callpath" | "codedb_trace" => json!({"from": "use", "to": "shared"}),
        "codedb_query" => {
            json!({"pipeline": [{"op": "find", "query": "shared"}, {"op": "outline"}]})
        }
        "codedb_bundle" => {
            json!({"ops": [{"tool": "codedb_callers", "arguments": {"name": "shared"}}]})
        }
        "codedb_churn" | "codedb_coupling" | "codedb_ownership" | "codedb_who_reviews"
        | "codedb_history" => json!({"file_path": "zz/shared.py"}),
        "codedb_stats" | "codedb_risk_map" | "codedb_triage" | "codedb_test_gaps"
        | "codedb_stale_tests" | "codedb_diff_impact" => json!({}),
        "codedb_suggest_tests" | "codedb_impact" => json!({"functions": ["shared"]}),
        "codedb_check" => json!({}),
        "codedb_investigate_begin" => json!({"file_path": "zz/shared.py"}),
        "codedb_query_ownership"
        | "codedb_query_cochange_partners"
        | "codedb_query_incident_history"
        | "codedb_query_blast_radius"
        | "codedb_query_recent_commits" => json!({"handle": 1}),
        "codedb_get_commit_patch" => json!({"handle": 1, "commit": "HEAD"}),
        "codedb_get_decisions_for_context" => {
            json!({"file_path_or_area": "zz/shared.py", "task_description": "return a list"})
        }
        // They write, or answer from what was recorded.
        "codedb_projects"
        | "codedb_index"
        | "codedb_edit"
        | "codedb_record_result"
        | "codedb_lock"
        | "codedb_start_job"
        | "codedb_job_status"
        | "codedb_cancel_job"
        | "codedb_finish_investigation"
        | "codedb_tool_drift"
        | "codedb_submit_candidate_decision"
        | "codedb_decision_feedback" => return None,
        other => {
            panic!("{other}: add a call that finds something, or state that it needs no index")
        }
    };
    Some(arguments)
}

/// Returns the result of one call in a server of its own: a server keeps what it has parsed.
fn call(place: &Place, tool: &str, mut arguments: Value) -> Value {
    let mut session = Session::start(place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    if arguments.get("handle").is_some() {
        let begin = json!({"file_path": "zz/shared.py", "format": "json"});
        let begun = session.call("codedb_investigate_begin", begin);
        arguments["handle"] = begun["structuredContent"]["handle"].clone();
    }
    arguments["format"] = json!("json");
    let result = session.call(tool, arguments);
    session.end();
    result
}

/// Returns the replies of all tools, in their order.
fn replies(place: &Place) -> Vec<(&'static str, Value)> {
    let calls = TOOLS.iter().filter_map(|tool| Some((tool.name, arguments(tool)?)));
    let calls = Mutex::new(calls.collect::<Vec<_>>());
    let replies = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..SERVERS {
            scope.spawn(|| {
                while let Some((tool, arguments)) = { calls.lock().expect("no panic").pop() } {
                    let reply = call(place, tool, arguments);
                    replies.lock().expect("no panic").push((tool, reply));
                }
            });
        }
    });
    let mut replies = replies.into_inner().expect("no panic");
    replies.sort_by_key(|(tool, _)| *tool);
    replies
}

/// Returns how many entries a reply lists; none for a status that says so.
fn found(reply: &Value) -> u64 {
    let data = &reply["structuredContent"];
    let is_none = ["no_edges", "no_data", "no_changes", "not_found"];
    if data["status"].as_str().is_some_and(|status| is_none.contains(&status)) {
        return 0;
    }
    let text = reply["content"][0]["text"].as_str().unwrap_or_default();
    if text.contains("nothing found") {
        return 0;
    }
    let lists = data.as_object().into_iter().flatten();
    let lists: Vec<u64> =
        lists.filter_map(|(_, value)| value.as_array().map(|of| of.len() as u64)).collect();
    data["total"].as_u64().unwrap_or_else(|| lists.iter().sum::<u64>().max(1))
}

/// Returns true if a reply says that it lacks something.
fn is_flagged(reply: &Value) -> bool {
    let stated = ["partial", "stale", "auto_queued"];
    let is_stated = |of: &Value| of.as_str().is_some_and(|status| stated.contains(&status));
    let text = reply.to_string();
    let words = ["not indexed yet", "being built", "damaged", "cannot be built", "no index"];
    is_stated(&reply["_meta"]["status"])
        || is_stated(&reply["structuredContent"]["status"])
        || words.iter().any(|words| text.contains(words))
}

#[track_caller]
fn check(complete: &[(&str, Value)], incomplete: &[(&str, Value)], what: &str) {
    let mut silent = Vec::new();
    for ((tool, complete), (_, reply)) in complete.iter().zip(incomplete) {
        let is_less = found(reply) < found(complete);
        let fails = reply["isError"] == true && complete["isError"] != true;
        if (is_less || fails) && !is_flagged(reply) {
            silent.push(format!("{tool}\n  complete: {complete}\n  {what}: {reply}"));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// Locks the index against builds, as a builder that is slow.
fn locked(place: &Place) -> [WriterLock; 2] {
    let store = Store::new(place.store(), false);
    [LockRole::Writer, LockRole::CodeWriter].map(|role| store.lock_as(role).expect("it is free"))
}

fn code_segments(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.store()).expect("the index").flatten();
    let name = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("code-segment-"))
    };
    entries.map(|entry| entry.path()).filter(|path| name(path)).collect()
}

#[test]
fn no_tool_says_none_without_a_complete_index() {
    let place = tree();
    settle();
    // The server cannot build an index there.
    std::fs::write(place.cache(), "").expect("a file");
    let unbuildable = replies(&place);
    std::fs::remove_file(place.cache()).expect("it was written");
    place.index(&["-q", "--stage", "ready"]).expect_success();
    let locks = locked(&place);
    let half_built = replies(&place);
    drop(locks);
    place.index(&["-q", "--stage", "full"]).expect_success();
    let complete = replies(&place);
    let of = |name: &str| &complete.iter().find(|(tool, _)| *tool == name).expect("a tool").1;
    for tool in TOOLS.iter().filter(|tool| tool.needs == Needs::Code) {
        if arguments(tool).is_some() {
            assert!(found(of(tool.name)) > 0, "the call finds nothing: {}", of(tool.name));
        }
    }
    check(&complete, &unbuildable, "without an index");
    check(&complete, &half_built, "half built");
    let locks = locked(&place);
    let segments = code_segments(&place);
    assert!(!segments.is_empty(), "there is a code index");
    for path in segments {
        let file = OpenOptions::new().write(true).open(path).expect("an index file");
        file.set_len(4096).expect("it can be cut");
    }
    let damaged = replies(&place);
    drop(locks);
    check(&complete, &damaged, "damaged");
}
