//! Several projects in one server: selecting one in a call, and listing them.

use std::process::Command;

use serde_json::{Value, json};

use super::session::Session;
use crate::support::place::{Answer, Place};

/// Four trees, two with the same name, each with its own file, definition and secret.
pub(super) fn place() -> Place {
    let place = Place::new();
    for (tree, name) in [("x/app", "x"), ("y/app", "y"), ("lib", "lib"), ("far/dep", "dep")] {
        place.write(format!("{tree}/{name}_here.rs"), format!("pub fn of_{name}() {{}}\n"));
        place.write(format!("{tree}/.env"), format!("KEY={name}\n"));
    }
    place
}

pub(super) fn path(place: &Place, tree: &str) -> String {
    place.root().join(tree).display().to_string()
}

/// Returns a server with only the roots of `args`, started in the tree `x/app`.
pub(super) fn start(place: &Place, args: &[&str]) -> Session {
    let mut command: Command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--toolsets", "all", "--index-dir"]).arg(place.cache()).args(args);
    command.current_dir(place.root().join("x/app"));
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25", json!({}));
    session
}

/// Returns a server of the trees of these roots.
pub(super) fn of_roots(place: &Place, trees: &[&str]) -> Session {
    let paths: Vec<String> = trees.iter().map(|tree| path(place, tree)).collect();
    let args: Vec<&str> = paths.iter().flat_map(|path| ["--root", path.as_str()]).collect();
    start(place, &args)
}

/// Returns the error message of a failing call.
#[track_caller]
pub(super) fn refused(session: &mut Session, tool: &str, arguments: Value) -> String {
    let answer = session.call(tool, arguments);
    let text = answer["content"][0]["text"].as_str().expect("a text").to_owned();
    assert_eq!(answer["isError"], true, "{text}");
    assert!(!text.contains('\n'), "{text}");
    text
}

#[track_caller]
fn here(session: &mut Session, project: &str) -> String {
    session.text("codedb_find", json!({"query": "here.rs", "project": project}))
}

#[test]
fn the_first_root_is_the_default_project() {
    let place = place();
    let mut session = of_roots(&place, &["x/app", "y/app", "lib", "x/app"]);
    assert_eq!(session.text("codedb_find", json!({"query": "here.rs"})), "x_here.rs\n");
    for (project, expected) in [
        ("lib", "lib_here.rs\n"),
        ("y/app", "y_here.rs\n"),
        ("x/app", "x_here.rs\n"),
        ("./lib/", "lib_here.rs\n"),
        (&path(&place, "lib"), "lib_here.rs\n"),
        (&format!("{}/", path(&place, "y/app")), "y_here.rs\n"),
        (&path(&place, "x/../y/app"), "y_here.rs\n"),
    ] {
        assert_eq!(here(&mut session, project), expected, "{project}");
    }
    let arguments = json!({"query": "here.rs", "project": "lib", "format": "json"});
    let answer = session.call("codedb_find", arguments);
    assert_eq!(answer["structuredContent"]["files"][0]["path"], "lib_here.rs");
    assert_eq!(answer["_meta"]["project"], "lib");
    let answer = session.call("codedb_find", json!({"query": "here.rs", "project": null}));
    assert_eq!(answer["_meta"].get("project"), None, "{answer}");
    let reported = session.text("codedb_status", json!({"project": "y/app"}));
    assert!(
        reported.contains("y/app\n")
            && reported.contains("\nprojects (3 of 3)  x/app, y/app, lib\n")
    );
    session.end();
}

#[test]
fn an_unknown_project_lists_the_known_ones() {
    let place = place();
    let mut session = of_roots(&place, &["x/app", "y/app", "lib"]);
    let mut check = |project: Value, expected: &str| {
        let reported =
            refused(&mut session, "codedb_find", json!({"query": "a", "project": project}));
        assert!(reported.contains(expected), "{reported}, not {expected}");
    };
    check(json!("app"), "`app` is the name of 2 projects; projects: `x/app`, `y/app`");
    check(json!("libb"), "unknown project `libb`; projects: `");
    check(json!(""), "unknown project ``");
    check(json!(".."), "unknown project `..`");
    check(json!("/"), "unknown project `/`");
    check(json!(path(&place, "far/dep")), "unknown project `");
    check(json!("\u{1b}[2J\u{0}"), "unknown project `\\u{1b}[2J\\u{0}`");
    check(json!(5), "the path of a project, not 5");
    check(json!(["lib"]), "the path of a project, not [");
    session.end();
}

#[test]
fn every_tool_takes_a_project() {
    let place = place();
    let mut session = of_roots(&place, &["x/app", "lib"]);
    let calls = [
        ("codedb_context", json!({"task": "what does of_lib do"})),
        ("codedb_search", json!({"query": "of_lib"})),
        ("codedb_symbol", json!({"name": "of_lib"})),
        ("codedb_callers", json!({"name": "of_lib"})),
        ("codedb_outline", json!({"path": "lib_here.rs"})),
        ("codedb_read", json!({"path": "lib_here.rs"})),
        ("codedb_find", json!({"query": "lib_here"})),
        ("codedb_tree", json!({})),
        ("codedb_deps", json!({"path": "lib_here.rs"})),
        ("codedb_status", json!({})),
        ("codedb_word", json!({"word": "of_lib"})),
        ("codedb_ls", json!({})),
        ("codedb_glob", json!({"pattern": "lib*"})),
        ("codedb_explain", json!({"name": "of_lib"})),
        ("codedb_hot", json!({})),
        ("codedb_churn", json!({"file_path": "lib_here.rs"})),
        ("codedb_coupling", json!({"file_path": "lib_here.rs"})),
        ("codedb_ownership", json!({"file_path": "lib_here.rs"})),
        ("codedb_who_reviews", json!({"file_path": "lib_here.rs"})),
        ("codedb_history", json!({"file_path": "lib_here.rs"})),
        ("codedb_stats", json!({})),
        ("codedb_risk_map", json!({})),
        ("codedb_triage", json!({})),
        ("codedb_suggest_tests", json!({"file_path": "lib_here.rs"})),
        ("codedb_impact", json!({"files": ["lib_here.rs"]})),
        ("codedb_diff_impact", json!({})),
        ("codedb_test_gaps", json!({})),
        ("codedb_stale_tests", json!({})),
        ("codedb_record_result", json!({"test_id": "lib.rs::a", "passed": true})),
        ("codedb_lock", json!({"op": "acquire", "path": "lib_here.rs", "holder": "me"})),
        ("codedb_job_status", json!({})),
        ("codedb_cancel_job", json!({"job_id": 99})),
        ("codedb_query", json!({"pipeline": [{"op": "find", "query": "lib_here"}]})),
        ("codedb_bundle", json!({"ops": [{"tool": "codedb_ls"}]})),
        ("codedb_callpath", json!({"from": "of_lib", "to": "of_lib"})),
        ("codedb_trace", json!({"from": "of_lib", "to": "of_lib"})),
        ("codedb_changes", json!({"since": "1h"})),
        ("codedb_projects", json!({})),
        ("codedb_index", json!({"path": "."})),
        ("codedb_snapshot", json!({})),
        ("codedb_check", json!({"files": ["lib_here.rs"]})),
        ("codedb_investigate_begin", json!({"file_path": "lib_here.rs"})),
        ("codedb_query_ownership", json!({"handle": 0})),
        ("codedb_query_cochange_partners", json!({"handle": 0})),
        ("codedb_query_incident_history", json!({"handle": 0})),
        ("codedb_query_blast_radius", json!({"handle": 0})),
        ("codedb_get_commit_patch", json!({"handle": 0, "commit": "HEAD"})),
        ("codedb_query_recent_commits", json!({"handle": 0})),
        (
            "codedb_finish_investigation",
            json!({"handle": 0, "level": "LOW", "confidence_percent": 1, "reasoning": "none"}),
        ),
        ("codedb_tool_drift", json!({"before": "[]", "after": "{\"tools\": []}"})),
        ("codedb_get_decisions_for_context", json!({"file_path_or_area": "lib_here.rs"})),
        (
            "codedb_submit_candidate_decision",
            json!({"pattern": "Use the library", "scope": "global", "rationale": "It works.",
                "source_refs": ["lib_here.rs:1"]}),
        ),
        ("codedb_decision_feedback", json!({"id": "3f2a9c1d", "useful": true})),
    ];
    let listed = session.request("tools/list", json!({}));
    // The one that is missing above starts a process.
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(calls.len() + 1));
    for (tool, mut arguments) in calls {
        arguments["project"] = json!("lib");
        let answer = session.call(tool, arguments.clone());
        let text = answer["content"][0]["text"].as_str().expect("a text");
        let is_empty =
            ["nothing found\n", "no_data: ", "no_edges: ", "no_changes: ", "git_error: "];
        let is_there = text.contains("lib") || is_empty.iter().any(|start| text.starts_with(start));
        assert!(is_there, "{tool}: {text}");
        assert!(!text.contains("`project`") && !text.contains("x_here"), "{tool}: {text}");
        assert_eq!(answer["_meta"]["project"], "lib", "{tool}: {answer}");
        arguments["project"] = json!("none");
        let reported = refused(&mut session, tool, arguments);
        assert!(reported.contains("unknown project `none`"), "{tool}: {reported}");
    }
    session.end();
}

#[test]
fn an_absolute_path_selects_its_project() {
    let place = place();
    let mut session = of_roots(&place, &["x/app", "lib"]);
    let file = format!("{}/lib_here.rs", path(&place, "lib"));
    let text = session.text("codedb_read", json!({"path": file}));
    assert!(text.contains("pub fn of_lib") && text.contains("note: from project `lib`"));
    let reported = refused(&mut session, "codedb_read", json!({"path": file, "project": "app"}));
    assert!(reported.contains("outside of the tree"), "{reported}");
    for outside in [format!("{}/dep_here.rs", path(&place, "far/dep")), "/etc/passwd".to_owned()] {
        let reported = refused(&mut session, "codedb_read", json!({"path": outside}));
        assert!(reported.contains("outside of the tree"), "{reported}");
    }
    let secret = format!("{}/.env", path(&place, "lib"));
    let reported = refused(&mut session, "codedb_read", json!({"path": secret}));
    assert!(reported.contains("a secret"), "{reported}");
    session.end();
}

#[test]
fn a_bundle_reaches_across_projects() {
    let place = place();
    let mut session = of_roots(&place, &["x/app", "lib", "y/app"]);
    let find = |project: Value| json!({"query": "here.rs", "project": project});
    let ops = json!([
        {"tool": "codedb_find", "arguments": {"query": "here.rs"}},
        {"tool": "codedb_find", "arguments": find(json!("lib"))},
        {"tool": "codedb_find", "arguments": {"query": "here.rs"}, "project": "y/app"},
        {"tool": "codedb_find", "arguments": find(json!("none"))},
        {"tool": "codedb_read", "arguments": {"path": format!("{}/lib_here.rs", path(&place, "lib"))}},
        {"tool": "codedb_index", "arguments": {"path": "/tmp"}},
        {"tool": "codedb_find", "arguments": find(json!(7))},
    ]);
    let text = session.text("codedb_bundle", json!({"ops": ops}));
    let expected = "## 1 codedb_find\nx_here.rs\n## 2 codedb_find\nlib_here.rs\n\
        ## 3 codedb_find\ny_here.rs\n## 4 codedb_find: failed\n\
        unknown project `none`; projects: `x/app`, `lib`, `y/app`\n## 5 codedb_read\nlib_here.rs  rust";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("## 6 codedb_index: failed\na bundle is read-only"), "{text}");
    assert!(text.contains("## 7 codedb_find: failed\n`project` must be the name"), "{text}");
    // The project of a bundle applies to its calls without one.
    let text = session.text("codedb_bundle", json!({"ops": ops, "project": "lib"}));
    assert!(text.starts_with("## 1 codedb_find\nlib_here.rs\n## 2 codedb_find\nlib_here.rs\n"));
    assert!(text.contains("## 3 codedb_find\ny_here.rs\n"), "{text}");
    session.end();
}

#[test]
fn projects_are_listed() {
    let place = place();
    let mut session = of_roots(&place, &["x/app", "lib"]);
    session.text("codedb_symbol", json!({"name": "of_x"}));
    let answer = session.call("codedb_projects", json!({"format": "json"}));
    let listed = &answer["structuredContent"];
    let names: Vec<&Value> =
        listed["projects"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["app", "lib"]);
    assert_eq!(listed["projects"][0]["default"], true);
    assert_eq!(listed["projects"][0]["root"], path(&place, "x/app"));
    let text = session.text("codedb_projects", json!({}));
    let line = format!("lib  {}  not indexed yet\n", path(&place, "lib"));
    assert!(text.contains(&line), "the project was not requested: {text}");
    session.end();
    // Another server uses the existing index.
    let mut session = of_roots(&place, &["lib"]);
    let text = session.text("codedb_projects", json!({}));
    let reported = format!("other indexed trees (1 of 1)\n  {}\n", path(&place, "x/app"));
    assert!(text.ends_with(&reported), "{text}");
    session.end();
    // So does the command line.
    let mut command = place.codedb("projects");
    command.arg("--json");
    let listed: Value =
        serde_json::from_str(&Answer::of(command).expect_success().text()).expect("JSON");
    let indexed = listed["indexed"].as_array().expect("a list");
    assert!(indexed.contains(&json!(path(&place, "x/app"))), "{listed}");
}

fn uri(place: &Place, tree: &str) -> Value {
    json!({"uri": format!("file://{}", path(place, tree))})
}

/// Replies to the server's request for roots, which is its next message.
#[track_caller]
fn name_roots(session: &mut Session, roots: Value) {
    let question = session.next();
    assert_eq!(question["method"], "roots/list", "{question}");
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}}));
}

#[test]
fn client_roots_are_projects_while_they_are_listed() {
    let place = place();
    let mut command: Command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--toolsets", "all", "--index-dir"]).arg(place.cache());
    command.current_dir(place.root().join("x/app"));
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25", json!({"roots": {"listChanged": true}}));
    let home = json!({"uri": format!("file://{}", place.base().join("home").display())});
    name_roots(&mut session, json!([home, uri(&place, "lib"), uri(&place, "x/app")]));
    assert_eq!(session.text("codedb_find", json!({"query": "here.rs"})), "lib_here.rs\n");
    assert_eq!(here(&mut session, "app"), "x_here.rs\n");
    session.text("codedb_index", json!({"path": path(&place, "far/dep")}));
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    name_roots(&mut session, json!([uri(&place, "x/app"), uri(&place, "y/app")]));
    assert_eq!(session.text("codedb_find", json!({"query": "here.rs"})), "x_here.rs\n");
    assert_eq!(here(&mut session, "y/app"), "y_here.rs\n");
    assert_eq!(here(&mut session, "dep"), "dep_here.rs\n", "a call added it");
    let arguments = json!({"query": "here.rs", "project": "lib"});
    let reported = refused(&mut session, "codedb_find", arguments);
    assert!(reported.contains("unknown project `lib`"), "{reported}");
    session.end();
}

#[test]
fn many_roots_are_served_one_after_the_other() {
    let place = Place::new();
    let trees: Vec<String> = (0..18).map(|n| format!("t{n}")).collect();
    for tree in &trees {
        place.write(format!("{tree}/{tree}_here.rs"), "fn f() {}\n");
    }
    place.write("x/app/a.rs", "fn a() {}\n");
    let trees: Vec<&str> = trees.iter().map(String::as_str).collect();
    let mut session = of_roots(&place, &trees);
    for round in 0..2 {
        for tree in &trees {
            assert_eq!(here(&mut session, tree), format!("{tree}_here.rs\n"), "{round}");
        }
    }
    let ops: Vec<Value> = trees
        .iter()
        .map(|tree| json!({"tool": "codedb_find", "arguments": {"query": "here"}, "project": tree}))
        .collect();
    let text = session.text("codedb_bundle", json!({"ops": ops}));
    for tree in trees {
        assert!(text.contains(&format!("\n{tree}_here.rs\n")), "{text}");
    }
    session.end();
}

#[test]
fn the_command_line_has_one_tree() {
    let place = place();
    let mut command = place.codedb("bundle");
    command.arg(r#"[{"tool": "codedb_ls", "arguments": {"project": "a"}}, {"tool": "index", "arguments": {"path": "."}}]"#);
    let answer = Answer::of(command);
    assert!(answer.text().contains("only a server has projects; on the command line, `--root`"));
    assert!(answer.text().contains("a bundle is read-only"), "{}", answer.text());
    // The command of that name builds the index.
    let mut command = place.codedb("index");
    command.arg("--help");
    assert!(Answer::of(command).expect_success().text().contains("--rebuild"));
}
