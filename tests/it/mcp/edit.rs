//! `codedb_edit`: available only if allowed, visible to the next call, and without any other
//! changes to the tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::place;
use super::session::Session;
use crate::support::place::{Answer, Place};

const ALLOWED: [&str; 3] = ["--toolsets", "all", "--allow-edit"];

fn start(place: &Place) -> Session {
    let mut session = Session::start(place, &ALLOWED);
    session.initialize("2025-11-25", json!({}));
    session
}

fn names(session: &mut Session) -> Vec<String> {
    let listed = session.request("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("a list").iter();
    tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// Returns every file and directory with its content and modification time.
fn state(root: &Path) -> Vec<(PathBuf, SystemTime, Option<Vec<u8>>)> {
    let (mut all, mut dirs) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).expect("it can be listed").flatten() {
            let metadata = entry.metadata().expect("it exists");
            if metadata.is_dir() {
                dirs.push(entry.path());
            }
            all.push((
                entry.path(),
                metadata.modified().expect("a time"),
                fs::read(entry.path()).ok(),
            ));
        }
        let modified = fs::metadata(&dir).and_then(|metadata| metadata.modified());
        all.push((dir, modified.expect("a time"), None));
    }
    all.sort();
    all
}

#[test]
fn edits_are_offered_only_if_allowed() {
    let place = place();
    for args in [&["--toolsets", "all"][..], &[]] {
        let mut session = Session::start(&place, args);
        session.initialize("2025-11-25", json!({}));
        assert!(!names(&mut session).contains(&"codedb_edit".to_owned()));
        let arguments = json!({"path": "README.md", "op": "create", "content": "x"});
        let call = json!({"name": "codedb_edit", "arguments": arguments});
        let error = session.error("tools/call", call);
        let reported = error["message"].as_str().expect("a sentence");
        assert!(
            error["code"] == -32602 && reported.contains("only `--allow-edit` allows"),
            "{error}"
        );
        session.end();
    }
    let mut session = start(&place);
    let listed = session.request("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("a list");
    let edit = tools.iter().find(|tool| tool["name"] == "codedb_edit").expect("it is offered");
    let hints = json!({"readOnlyHint": false, "destructiveHint": true, "openWorldHint": false});
    assert_eq!(edit["annotations"], hints);
    for tool in tools.iter().filter(|tool| tool["name"] != "codedb_edit") {
        let name = tool["name"].as_str().expect("a name").trim_start_matches("codedb_");
        let writes = ["index", "record_result", "lock", "start_job", "cancel_job"].contains(&name);
        // Each step of an investigation is stored.
        let is_step = name.starts_with("query_") || name.contains("investigat");
        let decides = ["submit_candidate_decision", "decision_feedback"].contains(&name);
        let writes = writes || is_step || decides || name == "get_commit_patch";
        assert_eq!(tool["annotations"]["readOnlyHint"], !writes, "{tool}");
    }
    // Bundles are read-only.
    let arguments = json!({"path": "README.md", "op": "delete", "line_start": 1});
    let ops = json!([{"tool": "codedb_edit", "arguments": arguments}]);
    let text = session.text("codedb_bundle", json!({"ops": ops}));
    assert!(text.contains("a bundle is read-only; call `codedb_edit` on its own"), "{text}");
    let reported = fs::read_to_string(place.root().join("README.md")).expect("it exists");
    assert_eq!(reported, "# Shop\n\nSells things.\n");
    session.end();
}

#[test]
fn a_reply_is_a_diff_and_the_hash_for_the_next_edit() {
    let place = place();
    let mut session = start(&place);
    let read = session.call("codedb_read", json!({"path": "src/cart.rs", "format": "json"}));
    let hash = read["structuredContent"]["hash"].as_str().expect("a hash").to_owned();
    let arguments = json!({
        "path": "src/cart.rs", "op": "replace", "line_start": 3, "content": "    2",
        "if_hash": hash, "format": "json",
    });
    let done = session.call("codedb_edit", arguments);
    let data = &done["structuredContent"];
    assert_eq!(data["status"], "written", "{done}");
    let diff = "--- a/src/cart.rs\n+++ b/src/cart.rs\n@@ -1,4 +1,4 @@\n /// Adds.\n \
                pub fn add_item() -> u32 {\n-    1\n+    2\n }\n";
    assert_eq!(data["diff"], diff);
    let known = json!({"path": "src/cart.rs", "if_hash": data["hash"]});
    let text = session.text("codedb_read", known);
    assert!(text.contains("unchanged"), "{text}");
    // An edit with an outdated hash is refused; the error contains the current hash, and nothing is
    // written.
    let arguments =
        json!({"path": "src/cart.rs", "op": "delete", "line_start": 1, "if_hash": hash});
    let refused = session.call("codedb_edit", arguments);
    let reported = refused["content"][0]["text"].as_str().expect("a sentence");
    let present = data["hash"].as_str().expect("a hash");
    assert!(refused["isError"] == true && reported.contains(present), "{reported}");
    let text = session.text(
        "codedb_edit",
        json!({"path": "src/cart.rs", "op": "str_replace", "old_string": "    2\n", "content": "    2\n"}),
    );
    assert!(text.starts_with("src/cart.rs  unchanged"), "{text}");
    session.end();
}

#[test]
fn a_refused_edit_returns_an_error_and_writes_nothing() {
    let place = place();
    place.write("data.bin", b"a\0b");
    place.write("wide.txt", b"\xFF\xFEa\0");
    place.write("latin.txt", b"caf\xE9\n");
    place.write(".git/config", "[core]\n");
    let before = state(&place.root());
    let mut session = start(&place);
    let mut check = |arguments: Value, parts: &[&str]| {
        let answer = session.call("codedb_edit", arguments);
        let text = answer["content"][0]["text"].as_str().expect("a text");
        assert_eq!(answer["isError"], true, "{text}");
        assert!(!text.contains('\n'), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}, not {parts:?}");
    };
    let insert = |path: &str| json!({"path": path, "op": "insert", "after": 0, "content": "x"});
    let create = |path: &str| json!({"path": path, "op": "create", "content": "x"});
    check(insert("../x"), &["outside of the tree"]);
    check(insert("/etc/passwd"), &["outside of the tree"]);
    check(create("/etc/codedb-new"), &["outside of the tree"]);
    check(create("a/../../x"), &["outside of the tree"]);
    check(insert(".env"), &["a secret"]);
    check(create("keys/id_rsa"), &["a secret"]);
    check(insert(".git/config"), &["git's own files"]);
    check(create(".git/hooks/pre-commit"), &["git's own files"]);
    check(create(".git/config"), &["git's own files"]);
    check(insert("src"), &["is a directory"]);
    check(create(".github/workflows/ci.yml"), &["other programs execute", "`--allow-edit=all`"]);
    check(insert("src/cartt.rs"), &["no such file", "`src/cart.rs`"]);
    check(create("src/cart.rs"), &["already exists"]);
    check(create("README.md/x"), &["a file, not a directory"]);
    check(insert("data.bin"), &["binary"]);
    check(insert("wide.txt"), &["UTF-16"]);
    check(insert("latin.txt"), &["not valid UTF-8 from byte 3 on"]);
    check(json!({"path": "README.md"}), &["missing argument `op`"]);
    check(json!({"op": "delete"}), &["missing argument `path`"]);
    check(
        json!({"path": "README.md", "op": "remove"}),
        &["one of str_replace, replace, insert, delete, create, not \"remove\""],
    );
    check(
        json!({"path": "README.md", "op": "str_replace", "old_strin": "a", "content": "b"}),
        &["unknown argument", "did you mean"],
    );
    check(
        json!({"path": "README.md", "op": "insert", "after": -1, "content": "x"}),
        &["non-negative integer, not `-1`"],
    );
    check(
        json!({"path": "README.md", "op": "delete", "line_start": 3, "line_end": 9}),
        &["there is no line 9: the file has 3"],
    );
    check(
        json!({"path": "README.md", "op": "str_replace", "old_string": "s", "content": ""}),
        &["occurs 2 times", "lines 3, 3"],
    );
    session.end();
    assert_eq!(state(&place.root()), before);
}

#[test]
fn executed_files_need_another_option() {
    let place = place();
    place.write(".vscode/tasks.json", "{}\n");
    let mut session = Session::start(&place, &["--toolsets", "all", "--allow-edit=all"]);
    session.initialize("2025-11-25", json!({}));
    let arguments = json!({"path": ".husky/pre-commit", "op": "create", "content": "true\n"});
    let text = session.text("codedb_edit", arguments);
    assert!(text.starts_with(".husky/pre-commit  created"), "{text}");
    session.end();
    let run = |flags: &[&str]| {
        let insert = [".vscode/tasks.json", "--op", "insert", "--after", "0", "--content", "// a"];
        edit(&place, &[&insert, flags].concat())
    };
    for flags in [&[][..], &["--allow-edit"]] {
        let answer = run(flags);
        let message = &answer.stderr;
        assert!(message.contains("other programs execute"), "{message}");
        assert!(message.contains(".vscode/tasks.json") && message.contains("--allow-edit=all"));
    }
    let answer = run(&["--allow-edit=all"]);
    assert!(answer.code == 0, "{}", answer.stderr);
    let text = fs::read_to_string(place.root().join(".vscode/tasks.json")).expect("it exists");
    assert_eq!(text, "// a\n{}\n");
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = place();
    let before = state(&place.root());
    let mut session = start(&place);
    let text = session.text(
        "codedb_edit",
        json!({"path": "src/new/file.rs", "op": "create", "content": "x\n", "dry_run": true}),
    );
    assert!(text.starts_with("src/new/file.rs  not written (dry run)  hash "), "{text}");
    assert!(
        text.ends_with("--- /dev/null\n+++ b/src/new/file.rs\n@@ -0,0 +1,1 @@\n+x\n"),
        "{text}"
    );
    let text = session.text(
        "codedb_edit",
        json!({"path": "README.md", "op": "delete", "line_start": 2, "dry_run": true}),
    );
    assert!(text.ends_with("@@ -1,3 +1,2 @@\n # Shop\n-\n Sells things.\n"), "{text}");
    session.end();
    assert_eq!(state(&place.root()), before);
}

/// The next call sees the server's own edit, in every state of the index and the watcher.
#[test]
fn the_next_call_sees_an_edit() {
    let place = place();
    for file in 0..60 {
        place.write(format!("many/f{file}.rs"), format!("pub fn other_{file}() {{}}\n"));
    }
    let mut session = start(&place);
    let mut last = String::from("add_item");
    for round in 0..40 {
        let name = format!("add_item_{round}");
        let text = session.text(
            "codedb_edit",
            json!({
                "path": "src/cart.rs", "op": "str_replace",
                "old_string": format!("fn {last}("), "content": format!("fn {name}("),
            }),
        );
        assert!(text.starts_with("src/cart.rs  written"), "{text}");
        let at = format!("many/new{round}.rs");
        let content = format!("pub fn new_{round}() {{}}\n");
        session.text("codedb_edit", json!({"path": at, "op": "create", "content": content}));
        // Through each code path that reads the tree.
        match round % 4 {
            0 => {
                let text = session.text("codedb_symbol", json!({"name": name}));
                assert!(text.contains("src/cart.rs:2"), "{round}: {text}");
                let text = session.text("codedb_symbol", json!({"name": format!("new_{round}")}));
                assert!(text.contains(&at), "{round}: {text}");
            }
            1 => {
                let query = json!({"query": format!("fn {name}(")});
                let text = session.text("codedb_search", query);
                assert!(text.contains("src/cart.rs"), "{round}: {text}");
                let gone = session.text("codedb_search", json!({"query": format!("fn {last}(")}));
                assert!(!gone.contains("src/cart.rs"), "{round}: {gone}");
            }
            2 => {
                let text = session.text("codedb_outline", json!({"path": "src/cart.rs"}));
                assert!(text.contains(&name), "{round}: {text}");
                let text = session.text("codedb_glob", json!({"pattern": "new*.rs"}));
                assert_eq!(text.lines().count(), round + 1, "{text}");
            }
            _ => {
                let text = session.text("codedb_word", json!({"word": name}));
                assert!(text.contains("src/cart.rs"), "{round}: {text}");
                let gone = session.text("codedb_word", json!({"word": last}));
                assert!(!gone.contains("src/cart.rs"), "{round}: {gone}");
            }
        }
        last = name;
        // The refreshes of the watcher run between and during calls.
        if round % 7 == 0 {
            thread::sleep(Duration::from_millis(150));
        }
    }
    session.end();
}

#[test]
fn concurrent_edits_of_two_servers_are_kept() {
    let place = place();
    place.write("log.txt", "start\n");
    let write = |who: &'static str| {
        let mut session = start(&place);
        for round in 0..20 {
            let since = Instant::now();
            loop {
                let content = format!("{who} {round}");
                let arguments =
                    json!({"path": "log.txt", "op": "insert", "after": 1, "content": content});
                let answer = session.call("codedb_edit", arguments);
                if answer["isError"] == false {
                    break;
                }
                let reported = answer["content"][0]["text"].as_str().expect("a text");
                assert!(reported.contains("another program changed the file"), "{reported}");
                assert!(since.elapsed() < Duration::from_secs(60), "{reported}");
            }
        }
        session.end();
    };
    thread::scope(|scope| {
        scope.spawn(|| write("one"));
        scope.spawn(|| write("two"));
    });
    let text = fs::read_to_string(place.root().join("log.txt")).expect("it exists");
    assert_eq!((text.lines().count(), text.lines().next()), (41, Some("start")));
}

fn edit(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb("edit");
    command.args(args);
    Answer::of(command)
}

#[test]
fn the_command_line_edits_without_a_flag() {
    let place = place();
    let readme = place.root().join("README.md");
    let text = || fs::read_to_string(&readme).expect("it exists");
    let args = ["README.md", "--op", "str_replace", "--old-string", "Sells", "--content", "- Buys"];
    let answer = edit(&place, &args).expect_success();
    assert!(answer.text().contains("\n-Sells things.\n+- Buys things.\n"), "{}", answer.text());
    assert_eq!(text(), "# Shop\n\n- Buys things.\n");
    let args = ["README.md", "--op", "delete", "--line-start", "2", "--json"];
    let answer = edit(&place, &args).expect_success();
    let data: Value = serde_json::from_str(&answer.text()).expect("it is JSON");
    assert_eq!(data["status"], "written");
    assert_eq!(text(), "# Shop\n- Buys things.\n");
    // The text may come from standard input, byte for byte; paths are relative to the current
    // directory.
    let piped = |content: &[u8], path: &str| {
        let input = place.base().join("input");
        fs::write(&input, content).expect("a file");
        let mut command = place.codedb("edit");
        command.current_dir(place.root().join("src")).args([path, "--op", "create"]);
        command.args(["--content", "-"]).stdin(fs::File::open(&input).expect("it exists"));
        let output = command.output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(piped(b"a\r\n\xC3\xA9", "new/x.rs").0, Some(0));
    assert_eq!(fs::read(place.root().join("src/new/x.rs")).ok(), Some(b"a\r\n\xC3\xA9".to_vec()));
    let (code, reported) = piped(b"a\xFF", "y.rs");
    assert!(code == Some(2) && reported.contains("is not UTF-8"), "{reported}");
    let refused = edit(&place, &["README.md", "--op", "insert", "--content", "x"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("missing argument `--after`"), "{}", refused.stderr);
}

/// A process without permission cannot write files, and leaves nothing behind.
#[cfg(unix)]
#[test]
fn another_users_directory_is_not_edited() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let place = place();
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
            .expect("it is a file of this test");
    };
    // Root runs the program as an unprivileged user.
    let is_almighty = rustix::process::geteuid().is_root();
    mode(&place.base(), 0o755);
    fs::create_dir(place.cache()).expect("a directory");
    mode(&place.cache(), 0o777);
    mode(&place.root().join("src"), 0o555);
    let before = state(&place.root());
    for op in [
        &["src/cart.rs", "--op", "delete", "--line-start", "1"][..],
        &["src/n.rs", "--op", "create", "--content", "x"],
    ] {
        let mut command = place.codedb("edit");
        command.args(op);
        if is_almighty {
            // Other users may have no access to the program's directory.
            let program = place.base().join("codedb");
            if !program.exists() {
                fs::copy(env!("CARGO_BIN_EXE_codedb"), &program).expect("it is copied");
                mode(&program, 0o755);
            }
            let mut other = place.command(&program);
            other.args(place.codedb_words("edit").into_iter().skip(1)).args(op);
            other.uid(65534).gid(65534);
            command = other;
        }
        let answer = Answer::of(command);
        assert_eq!(answer.code, 2, "{}", answer.text());
        let reported = &answer.stderr;
        assert!(reported.contains("not writable") || reported.contains("read-only"), "{reported}");
    }
    assert_eq!(state(&place.root()), before);
    mode(&place.root().join("src"), 0o755);
}
