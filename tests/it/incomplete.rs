//! Replies without a complete index: each reports what it lacks, whatever the tool.

use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place};

/// A git work tree with more files than a call parses, so that without an index some are unknown.
fn tree() -> Place {
    let place = Place::new();
    for file in 0..1_100 {
        let text = format!("def helper_{file}(value):\n    return shared(value)\n");
        place.write(format!("src/d{}/m{file}.py", file / 50), text);
    }
    place.write(
        "src/shared.py",
        "def shared(value):\n    return value\n\n\ndef alone():\n    pass\n",
    );
    place.write(
        "tests/test_shared.py",
        "from src.shared import shared\n\n\ndef test_one():\n    shared(1)\n",
    );
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place.write(
        "src/shared.py",
        "def shared(value):\n    return [value]\n\n\ndef alone():\n    pass\n",
    );
    place
}

/// Calls of tools that answer from facts of the code.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("codedb_symbol", json!({"name": "shared"})),
        ("codedb_symbol", json!({"prefix": "helper_10"})),
        ("codedb_callers", json!({"name": "shared"})),
        ("codedb_callpath", json!({"from": "test_one", "to": "shared"})),
        ("codedb_explain", json!({"name": "shared"})),
        ("codedb_deps", json!({"path": "src/shared.py"})),
        ("codedb_word", json!({"word": "shared"})),
        ("codedb_context", json!({"task": "shared returns a list"})),
        ("codedb_suggest_tests", json!({"functions": ["shared"]})),
        ("codedb_impact", json!({"functions": ["shared"]})),
        ("codedb_impact", json!({"functions": ["alone"]})),
        ("codedb_diff_impact", json!({})),
        ("codedb_test_gaps", json!({})),
        ("codedb_stale_tests", json!({})),
    ]
}

#[test]
fn every_tool_reports_files_that_are_not_indexed() {
    let place = tree();
    // The server cannot build an index there.
    std::fs::write(place.cache(), "").expect("a file");
    let mut silent = Vec::new();
    for (tool, arguments) in calls() {
        // A server keeps what it has parsed for the next call.
        let mut session = Session::start(&place, &["--toolsets", "all"]);
        session.initialize("2025-11-25", json!({}));
        let params = json!({"name": tool, "arguments": arguments});
        let answer = session.request("tools/call", params);
        let text = answer["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if !text.contains("not indexed yet") || answer["_meta"]["status"] != "partial" {
            silent.push(format!("{tool} {arguments}: {}\n{text}", answer["_meta"]));
        }
        session.end();
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn analyses_are_partial_without_an_index_and_complete_with_one() {
    let place = tree();
    let commands: [&[&str]; 5] = [
        &["suggest-tests", "--functions", "shared"],
        &["impact", "--functions", "shared"],
        &["impact", "--functions", "alone"],
        &["diff-impact"],
        &["test-gaps"],
    ];
    let run = |words: &[&str]| -> (Value, String) {
        let mut command = place.codedb(words[0]);
        command.args(&words[1..]).arg("--json");
        let answer = Answer::of(command);
        let reply = serde_json::from_slice(&answer.stdout);
        (
            reply.unwrap_or_else(|error| panic!("{words:?}: {error}: {}", answer.stderr)),
            answer.stderr,
        )
    };
    let lacks_files = |reply: &Value| {
        reply["message"].as_str().is_some_and(|message| message.contains("not indexed yet"))
    };
    for words in commands {
        let (reply, _) = run(words);
        assert_eq!(reply["status"], "partial", "{words:?}: {reply}");
        assert!(lacks_files(&reply), "{words:?}: {reply}");
    }
    place.index(&["-q", "--stage", "full"]).expect_success();
    for words in commands {
        let (reply, stderr) = run(words);
        assert!(!lacks_files(&reply), "{words:?}: {reply}");
        assert!(!stderr.contains("not indexed"), "{words:?}: {stderr}");
    }
}

#[test]
fn replies_state_the_progress_of_a_running_build() {
    let place = tree();
    place.index(&["-q", "--stage", "ready"]).expect_success();
    std::fs::write(place.store().join("progress"), "3 440 1100 0\n").expect("written");
    let running = "not indexed yet (a build runs: parsing files, 40 %)";
    let mut command = place.codedb("callers");
    command.arg("shared");
    let answer = Answer::of(command);
    assert!(answer.stderr.contains(running), "{}", answer.stderr);
    let mut command = place.codedb("suggest-tests");
    command.args(["--functions", "shared", "--json"]);
    let answer = Answer::of(command);
    assert!(answer.text().contains(running), "{}", answer.text());
}

#[test]
fn a_large_file_that_was_just_written_is_current_after_a_build() {
    let place = Place::new();
    let function = |at| format!("def f_{at}(a):\n    return {at}\n\n");
    place.write("large.py", (0..50_000).map(function).collect::<String>());
    place.index(&["-q", "--stage", "full"]).expect_success();
    let state = |place: &Place| {
        let mut command = place.codedb("status");
        command.arg("--json");
        let status: Value =
            serde_json::from_slice(&Answer::of(command).stdout).expect("a status is JSON");
        status["freshness"]["state"].as_str().expect("a state").to_owned()
    };
    assert_eq!(state(&place), "current");
    place.write("large.py", (0..60_000).map(function).collect::<String>());
    assert_eq!(state(&place), "behind");
    place.index(&["-q", "--stage", "full"]).expect_success();
    assert_eq!(state(&place), "current");
}
