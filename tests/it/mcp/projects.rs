//! Several trees in one server: which one a call is about, which there are, and how one is added.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::http::{Server, TOKEN};
use super::session::Session;
use crate::support::place::{Answer, Place};

/// Four trees, two of one name, each with a file, a definition and a secret of its own.
fn place() -> Place {
    let place = Place::new();
    for (tree, name) in [("x/app", "x"), ("y/app", "y"), ("lib", "lib"), ("far/dep", "dep")] {
        place.write(format!("{tree}/{name}_here.rs"), format!("pub fn of_{name}() {{}}\n"));
        place.write(format!("{tree}/.env"), format!("KEY={name}\n"));
    }
    place
}

fn path(place: &Place, tree: &str) -> String {
    place.root().join(tree).display().to_string()
}

/// Returns a server with no root but those of `args`, started in the tree `x/app`.
fn start(place: &Place, args: &[&str]) -> Session {
    let mut command: Command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--toolsets", "all", "--index-dir"]).arg(place.cache()).args(args);
    command.current_dir(place.root().join("x/app"));
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25", json!({}));
    session
}

/// Returns a server of the trees of these roots.
fn of_roots(place: &Place, trees: &[&str]) -> Session {
    let paths: Vec<String> = trees.iter().map(|tree| path(place, tree)).collect();
    let args: Vec<&str> = paths.iter().flat_map(|path| ["--root", path.as_str()]).collect();
    start(place, &args)
}

/// Returns the sentence of a call that fails.
#[track_caller]
fn refused(session: &mut Session, tool: &str, arguments: Value) -> String {
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
fn the_first_root_is_meant_unless_a_call_names_another() {
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
    let told = session.text("codedb_status", json!({"project": "y/app"}));
    assert!(told.contains("y/app\n") && told.contains("\nprojects (3 of 3)  x/app, y/app, lib\n"));
    session.end();
}

#[test]
fn a_project_that_is_not_there_is_told_with_those_that_are() {
    let place = place();
    let mut session = of_roots(&place, &["x/app", "y/app", "lib"]);
    let mut check = |project: Value, expected: &str| {
        let told = refused(&mut session, "codedb_find", json!({"query": "a", "project": project}));
        assert!(told.contains(expected), "{told}, not {expected}");
    };
    check(json!("app"), "`app` is the name of 2 projects; there are `x/app`, `y/app`");
    check(json!("libb"), "there is no project `libb`; there are `");
    check(json!(""), "there is no project ``");
    check(json!(".."), "there is no project `..`");
    check(json!("/"), "there is no project `/`");
    check(json!(path(&place, "far/dep")), "there is no project `");
    check(json!("\u{1b}[2J\u{0}"), "there is no project `\\u{1b}[2J\\u{0}`");
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
        ("codedb_query", json!({"pipeline": [{"op": "find", "query": "lib_here"}]})),
        ("codedb_bundle", json!({"ops": [{"tool": "codedb_ls"}]})),
        ("codedb_callpath", json!({"from": "of_lib", "to": "of_lib"})),
        ("codedb_changes", json!({"since": "1h"})),
        ("codedb_projects", json!({})),
        ("codedb_index", json!({"path": "."})),
    ];
    let listed = session.request("tools/list", json!({}));
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(calls.len()));
    for (tool, mut arguments) in calls {
        arguments["project"] = json!("lib");
        let answer = session.call(tool, arguments.clone());
        let text = answer["content"][0]["text"].as_str().expect("a text");
        let is_there = text.contains("lib") || text == "nothing found\n";
        assert!(is_there, "{tool}: {text}");
        assert!(!text.contains("`project`") && !text.contains("x_here"), "{tool}: {text}");
        assert_eq!(answer["_meta"]["project"], "lib", "{tool}: {answer}");
        arguments["project"] = json!("none");
        let told = refused(&mut session, tool, arguments);
        assert!(told.contains("there is no project `none`"), "{tool}: {told}");
    }
    session.end();
}

#[test]
fn the_absolute_path_of_a_file_says_which_project() {
    let place = place();
    let mut session = of_roots(&place, &["x/app", "lib"]);
    let file = format!("{}/lib_here.rs", path(&place, "lib"));
    let text = session.text("codedb_read", json!({"path": file}));
    assert!(text.contains("pub fn of_lib") && text.contains("note: this is of the project `lib`"));
    let told = refused(&mut session, "codedb_read", json!({"path": file, "project": "app"}));
    assert!(told.contains("outside of the tree"), "{told}");
    for outside in [format!("{}/dep_here.rs", path(&place, "far/dep")), "/etc/passwd".to_owned()] {
        let told = refused(&mut session, "codedb_read", json!({"path": outside}));
        assert!(told.contains("outside of the tree"), "{told}");
    }
    let secret = format!("{}/.env", path(&place, "lib"));
    let told = refused(&mut session, "codedb_read", json!({"path": secret}));
    assert!(told.contains("like a secret"), "{told}");
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
        there is no project `none`; there are `x/app`, `lib`, `y/app`\n## 5 codedb_read\nlib_here.rs  rust";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("## 6 codedb_index: failed\na bundle only reads"), "{text}");
    assert!(text.contains("## 7 codedb_find: failed\n`project` is the name"), "{text}");
    // What the whole names counts for those that name none.
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
    assert!(text.contains(&line), "nobody asked for it: {text}");
    session.end();
    // Another server knows what was indexed.
    let mut session = of_roots(&place, &["lib"]);
    let text = session.text("codedb_projects", json!({}));
    let told = format!("no projects (1 of 1)\n  {}\n", path(&place, "x/app"));
    assert!(text.ends_with(&told), "{text}");
    session.end();
    // And so does the command line.
    let mut command = place.codedb("projects");
    command.arg("--json");
    let listed: Value =
        serde_json::from_str(&Answer::of(command).expect_success().text()).expect("JSON");
    let indexed = listed["indexed"].as_array().expect("a list");
    assert!(indexed.contains(&json!(path(&place, "x/app"))), "{listed}");
}

#[test]
fn a_folder_is_added_and_searched() {
    let place = place();
    let mut session = of_roots(&place, &["x/app"]);
    let answer =
        session.call("codedb_index", json!({"path": path(&place, "far/dep"), "format": "json"}));
    let added = &answer["structuredContent"];
    assert_eq!((&added["name"], &added["new"]), (&json!("dep"), &json!(true)), "{answer}");
    assert_eq!((&added["status"], &added["index"]), (&json!("ok"), &json!("full")), "{answer}");
    assert_eq!(added["files"], 1, "{answer}");
    let found = session.text("codedb_symbol", json!({"name": "of_dep", "project": "dep"}));
    assert!(found.contains("dep_here.rs:1"), "{found}");
    let told = refused(&mut session, "codedb_read", json!({"path": ".env", "project": "dep"}));
    assert!(told.contains("like a secret") && !told.contains("KEY"), "{told}");
    // The first stays the default, the same folder is the same project, a path may be relative.
    assert_eq!(session.text("codedb_find", json!({"query": "here.rs"})), "x_here.rs\n");
    let again = session.call("codedb_index", json!({"path": "../../far/dep", "format": "json"}));
    assert_eq!(again["structuredContent"]["new"], false, "{again}");
    let text = session.text("codedb_index", json!({"path": "../../y/app"}));
    assert!(text.starts_with("y/app  ") && text.contains("  1 file  indexed\n"), "{text}");
    // An edit in it is seen by the next call.
    place.write("far/dep/later.rs", "pub fn later() {}\n");
    let found = session.text("codedb_symbol", json!({"name": "later", "project": "dep"}));
    assert!(found.contains("later.rs:1"), "{found}");
    session.end();
}

#[test]
fn what_is_not_to_be_served_is_not_added() {
    let place = place();
    let home = place.base().join("home");
    for folder in [".ssh", ".config/gcloud", "ssh"] {
        std::fs::create_dir_all(home.join(folder)).expect("a folder");
    }
    place.write("x/app/.git/config", "[core]\n");
    let mut session = of_roots(&place, &["x/app"]);
    let mut check = |given: &Path, expected: &str| {
        let told =
            refused(&mut session, "codedb_index", json!({"path": given.display().to_string()}));
        assert!(told.contains(expected), "{}: {told}", given.display());
    };
    check(&home, "it is a home folder");
    check(Path::new("/"), "it is the root of the file system");
    check(&place.base(), "it holds a home folder");
    check(&home.join(".ssh"), "it is a folder of credentials");
    check(&home.join(".config/gcloud"), "it is a folder of credentials");
    check(Path::new(".git"), "it is a folder of credentials");
    check(Path::new("/proc/self"), "the system's own");
    check(Path::new("/dev"), "the system's own");
    check(Path::new("x_here.rs"), "it is no folder");
    check(Path::new("none"), "`path` names a folder");
    check(Path::new(""), "`path` is empty");
    std::os::unix::fs::symlink(&home, place.root().join("link")).expect("a link");
    check(&place.root().join("link"), "it is a home folder");
    for (arguments, expected) in [
        (json!({}), "`path` or `url` is missing"),
        (json!({"path": "a", "url": "b"}), "not both"),
        (json!({"path": "a", "update": true}), "`update` goes with `url`"),
        (json!({"path": 5}), "of type string"),
        (json!({"paths": "a"}), "`path` is"),
    ] {
        let told = refused(&mut session, "codedb_index", arguments);
        assert!(told.contains(expected), "{told}");
    }
    session.text("codedb_index", json!({"path": home.join("ssh").display().to_string()}));
    session.end();
}

#[test]
fn folders_of_any_name_are_projects() {
    let place = place();
    let names = ["-rf", "a b", "ü", "new\nline", "\u{1b}[2J", "--root", "$(x)", "\"'"];
    let mut session = of_roots(&place, &["x/app"]);
    for name in names {
        place.write(format!("odd/{name}/file.rs"), "pub fn odd() {}\n");
        let answer = session.call(
            "codedb_index",
            json!({"path": path(&place, &format!("odd/{name}")), "format": "json"}),
        );
        assert_eq!(answer["structuredContent"]["name"], name, "{answer}");
        let found = session.text("codedb_find", json!({"query": "file", "project": name}));
        assert_eq!(found, "file.rs\n");
    }
    let text = session.text("codedb_projects", json!({}));
    assert_eq!(text.lines().count(), 1 + names.len(), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    session.end();
}

#[test]
fn a_server_that_found_no_tree_takes_one() {
    let place = place();
    let mut command: Command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--toolsets", "all", "--index-dir"]).arg(place.cache());
    command.current_dir(place.base().join("home"));
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25", json!({}));
    let told = refused(&mut session, "codedb_find", json!({"query": "here.rs"}));
    assert!(told.contains("it is a home folder"), "{told}");
    let text = session.text("codedb_projects", json!({}));
    assert!(text.contains("note: there is no project: ") && text.contains("home folder"), "{text}");
    let told = refused(&mut session, "codedb_index", json!({"path": "lib"}));
    assert!(told.contains("no absolute path"), "{told}");
    session.text("codedb_index", json!({"path": path(&place, "lib")}));
    assert_eq!(session.text("codedb_find", json!({"query": "here.rs"})), "lib_here.rs\n");
    session.end();
}

#[test]
fn addresses_are_refused_before_git_sees_them() {
    let place = place();
    let mut session = of_roots(&place, &["x/app"]);
    let told = refused(&mut session, "codedb_index", json!({"url": "https://example.org/a/b"}));
    assert!(
        told.contains("this server clones nothing") && told.contains("--allow-clone"),
        "{told}"
    );
    session.end();
    let root = path(&place, "x/app");
    let mut session = start(&place, &["--allow-clone", "--root", &root]);
    for (url, expected) in [
        ("--upload-pack=touch /tmp/x", "a space"),
        ("--upload-pack=x", "begins with `-`"),
        ("ext::sh", "it is no address"),
        ("file:///etc", "only https and ssh"),
        ("/etc", "it is no address"),
        ("http://example.org/a", "only https and ssh"),
        ("https://me:secret@example.org/a", "it holds credentials"),
        ("https://example.org/a?token=secret", "more than names"),
        ("https://example.org/\u{7}", "a control character"),
        ("ssh://-oProxyCommand=x/a", "no plain name"),
        ("", "1 to 1000 bytes"),
    ] {
        let told = refused(&mut session, "codedb_index", json!({"url": url}));
        assert!(told.contains(expected) && !told.contains("secret"), "{url}: {told}");
    }
    // Nothing listens there: git is asked, and tells.
    let told = refused(&mut session, "codedb_index", json!({"url": "https://127.0.0.1:1/a/b"}));
    assert!(told.contains("`git clone` fails: "), "{told}");
    let clones = place.cache().join("clones");
    let below = |dir: &Path| -> Vec<_> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let left: Vec<_> = below(&clones).iter().flat_map(|own| below(own)).collect();
    assert!(left.iter().all(|path| path.is_file()), "{left:?}");
    session.end();
}

fn uri(place: &Place, tree: &str) -> Value {
    json!({"uri": format!("file://{}", path(place, tree))})
}

/// Answers the server's question for folders, which is its next message.
#[track_caller]
fn name_roots(session: &mut Session, roots: Value) {
    let question = session.next();
    assert_eq!(question["method"], "roots/list", "{question}");
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}}));
}

#[test]
fn all_folders_of_a_client_are_projects_as_long_as_it_has_them() {
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
    let told = refused(&mut session, "codedb_find", arguments);
    assert!(told.contains("there is no project `lib`"), "{told}");
    session.end();
}

#[test]
fn who_waits_for_a_new_project_is_told_how_far_it_is() {
    let place = place();
    for file in 0..400 {
        let text = format!("pub fn only_{file}() -> u32 {{\n    {file}\n}}\n").repeat(40);
        place.write(format!("far/dep/f{file}.rs"), text);
    }
    let mut session = of_roots(&place, &["x/app"]);
    let params = json!({
        "_meta": {"progressToken": "p"},
        "name": "codedb_index",
        "arguments": {"path": path(&place, "far/dep")},
    });
    session.send(&json!({"jsonrpc": "2.0", "id": "i", "method": "tools/call", "params": params}));
    let (mut last, mut told) = (0.0, 0);
    let answer = loop {
        let message = session.next();
        if message["method"] != "notifications/progress" {
            break message;
        }
        let done = message["params"]["progress"].as_f64().expect("a number");
        assert!(message["params"]["progressToken"] == "p" && done > last, "{message}");
        (last, told) = (done, told + 1);
    };
    assert!(told > 0, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("dep  "), "{text}");
    session.end();
}

#[test]
fn many_roots_are_served_one_after_the_other() {
    let place = Place::new();
    let trees: Vec<String> = (0..20).map(|n| format!("t{n}")).collect();
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
fn over_http_projects_are_added_only_where_that_is_allowed() {
    let place = place();
    let args = ["--root".to_owned(), path(&place, "lib")];
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // The place's own root comes first.
    let server = Server::with(&place, None, &args);
    let found = server.call(1, "codedb_find", &json!({"query": "here.rs", "project": "lib"}));
    assert_eq!(found["content"][0]["text"], "lib_here.rs\n");
    let listed = server.call(2, "codedb_projects", &json!({}));
    let text = listed["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("tree  ") && text.contains("\nlib  "), "{text}");
    let params = json!({"name": "codedb_index", "arguments": {"path": "/tmp"}});
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params});
    let answer = server.post(&[("MCP-Protocol-Version", "2025-11-25")], &call).json();
    let message = answer["error"]["message"].as_str().expect("a sentence");
    assert!(message.contains("codedb serve --allow-index"), "{message}");
    drop(server);
    for flag in ["--allow-index", "--allow-clone"] {
        let mut command = place.codedb("serve");
        command.args(["--listen", "127.0.0.1:0", flag]).env_remove("CODEDB_TOKEN");
        let refused = Answer::of(command);
        assert_eq!((refused.code, refused.text()), (2, String::new()));
        assert!(refused.stderr.contains("need a token"), "{}", refused.stderr);
    }
    let server = Server::with(&place, Some(TOKEN), &["--allow-index"]);
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("Authorization", bearer.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    let call = |id: u32, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        server.post(&headers, &call).json()["result"].clone()
    };
    let added = call(1, "codedb_index", json!({"path": path(&place, "far/dep")}));
    assert_eq!(added["isError"], false, "{added}");
    let found = call(2, "codedb_symbol", json!({"name": "of_dep", "project": "dep"}));
    assert!(
        found["content"][0]["text"].as_str().is_some_and(|text| text.contains("dep_here.rs:1"))
    );
    let refused = call(3, "codedb_index", json!({"url": "https://example.org/a/b"}));
    assert!(refused.to_string().contains("this server clones nothing"), "{refused}");
}

#[test]
fn the_command_line_has_one_tree() {
    let place = place();
    let mut command = place.codedb("bundle");
    command.arg(r#"[{"tool": "codedb_ls", "arguments": {"project": "a"}}, {"tool": "index", "arguments": {"path": "."}}]"#);
    let answer = Answer::of(command);
    assert!(answer.text().contains("only a server has projects; on the command line --root"));
    assert!(answer.text().contains("a bundle only reads"), "{}", answer.text());
    // The command of that name is the one that builds.
    let mut command = place.codedb("index");
    command.arg("--help");
    assert!(Answer::of(command).expect_success().text().contains("--rebuild"));
}
