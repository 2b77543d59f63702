//! Projects that calls add to a server: directories, remote repositories, and refused ones.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::http::{Server, TOKEN};
use super::projects::{of_roots, path, place, refused, start};
use super::roots::name_roots;
use super::session::Session;
use crate::support::place::Answer;

#[test]
fn a_directory_is_added_and_searched() {
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
    let reported = refused(&mut session, "codedb_read", json!({"path": ".env", "project": "dep"}));
    assert!(reported.contains("a secret") && !reported.contains("KEY"), "{reported}");
    // The first project stays the default; the same directory is the same project; a path may be
    // relative.
    assert_eq!(session.text("codedb_find", json!({"query": "here.rs"})), "x_here.rs\n");
    let again = session.call("codedb_index", json!({"path": "../../far/dep", "format": "json"}));
    assert_eq!(again["structuredContent"]["new"], false, "{again}");
    let text = session.text("codedb_index", json!({"path": "../../y/app"}));
    assert!(text.starts_with("y/app  ") && text.contains("  1 file  indexed\n"), "{text}");
    // The next call sees an edit in the project.
    place.write("far/dep/later.rs", "pub fn later() {}\n");
    let found = session.text("codedb_symbol", json!({"name": "later", "project": "dep"}));
    assert!(found.contains("later.rs:1"), "{found}");
    session.end();
}

#[test]
fn refused_directories_are_not_added() {
    let place = place();
    let home = place.base().join("home");
    for folder in [".ssh", ".config/gcloud", "ssh", "repo/objects", "repo/refs", ".cargo"] {
        std::fs::create_dir_all(home.join(folder)).expect("a directory");
    }
    std::fs::write(home.join("repo/HEAD"), "ref: refs/heads/main\n").expect("a file");
    place.write("x/app/.git/config", "[core]\n");
    let mut session = of_roots(&place, &["x/app"]);
    let mut check = |given: &Path, expected: &str| {
        let reported =
            refused(&mut session, "codedb_index", json!({"path": given.display().to_string()}));
        assert!(reported.contains(expected), "{}: {reported}", given.display());
    };
    check(&home, "it is a home directory");
    check(Path::new("/"), "it is the root of the file system");
    check(&place.base(), "it contains a home directory");
    check(&home.join(".ssh"), "it is a directory of credentials");
    check(&home.join(".config/gcloud"), "it is a directory of credentials");
    check(Path::new(".git"), "it is a directory of credentials");
    check(&home.join("repo"), "it is a directory of credentials or of version control");
    check(&home.join("repo/refs"), "it is a directory of credentials or of version control");
    check(&home.join(".config"), "it contains directories of credentials");
    check(&home.join(".cargo"), "it contains directories of credentials");
    check(Path::new("/etc"), "a directory of the operating system");
    check(Path::new("/proc/self"), "a directory of the operating system");
    check(Path::new("/dev"), "a directory of the operating system");
    check(Path::new("x_here.rs"), "not a directory");
    check(Path::new("none"), "`path` is a directory on the server");
    check(Path::new(""), "`path` is empty");
    std::os::unix::fs::symlink(&home, place.root().join("link")).expect("a link");
    check(&place.root().join("link"), "it is a home directory");
    for (arguments, expected) in [
        (json!({}), "missing argument: `path` or `url`"),
        (json!({"path": "a", "url": "b"}), "exclude each other"),
        (json!({"path": "a", "update": true}), "`update` requires `url`"),
        (json!({"path": 5}), "of type string"),
        (json!({"paths": "a"}), "did you mean `path`?"),
    ] {
        let reported = refused(&mut session, "codedb_index", arguments);
        assert!(reported.contains(expected), "{reported}");
    }
    session.text("codedb_index", json!({"path": home.join("ssh").display().to_string()}));
    session.end();
}

#[test]
fn directories_of_any_name_are_projects() {
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
fn a_server_without_a_tree_accepts_one() {
    let place = place();
    let mut command: Command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--toolsets", "all", "--index-dir"]).arg(place.cache());
    command.current_dir(place.base().join("home"));
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25", json!({}));
    let reported = refused(&mut session, "codedb_find", json!({"query": "here.rs"}));
    assert!(reported.contains("it is a home directory"), "{reported}");
    let text = session.text("codedb_projects", json!({}));
    assert!(text.contains("note: no project: ") && text.contains("home directory"), "{text}");
    let reported = refused(&mut session, "codedb_index", json!({"path": "lib"}));
    assert!(reported.contains("`path` is not absolute"), "{reported}");
    session.text("codedb_index", json!({"path": path(&place, "lib")}));
    assert_eq!(session.text("codedb_find", json!({"query": "here.rs"})), "lib_here.rs\n");
    session.end();
}

#[test]
fn addresses_are_refused_before_git_sees_them() {
    let place = place();
    let mut session = of_roots(&place, &["x/app"]);
    let reported = refused(&mut session, "codedb_index", json!({"url": "https://example.org/a/b"}));
    assert!(
        reported.contains("this server does not allow cloning")
            && reported.contains("--allow-clone"),
        "{reported}"
    );
    session.end();
    let root = path(&place, "x/app");
    let mut session = start(&place, &["--allow-clone", "--root", &root]);
    for (url, expected) in [
        ("--upload-pack=touch /tmp/x", "a space"),
        ("--upload-pack=x", "begins with `-`"),
        ("ext::sh", "it is not an address"),
        ("file:///etc", "neither https nor ssh"),
        ("/etc", "it is not an address"),
        ("http://example.org/a", "neither https nor ssh"),
        ("https://me:secret@example.org/a", "it contains credentials"),
        ("https://example.org/a?token=secret", "more than names"),
        ("https://example.org/\u{7}", "a control character"),
        ("ssh://-oProxyCommand=x/a", "not a plain name"),
        ("", "1 to 1000 bytes"),
    ] {
        let reported = refused(&mut session, "codedb_index", json!({"url": url}));
        assert!(reported.contains(expected) && !reported.contains("secret"), "{url}: {reported}");
    }
    // There is no server at this address; git runs and reports the error.
    let reported = refused(&mut session, "codedb_index", json!({"url": "https://127.0.0.1:1/a/b"}));
    assert!(reported.contains("`git clone` failed: "), "{reported}");
    let clones = place.cache().join("clones");
    let left = std::fs::read_dir(&clones).expect("it was created").count();
    assert_eq!(left, 0, "nothing is kept of an address that leads nowhere");
    session.end();
}

#[test]
fn a_call_that_waits_for_a_new_project_reports_progress() {
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
    let (mut last, mut reported) = (0.0, 0);
    let answer = loop {
        let message = session.next();
        if message["method"] != "notifications/progress" {
            break message;
        }
        let done = message["params"]["progress"].as_f64().expect("a number");
        assert!(message["params"]["progressToken"] == "p" && done > last, "{message}");
        (last, reported) = (done, reported + 1);
    };
    assert!(reported > 0, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("dep  "), "{text}");
    session.end();
}

/// Returns a call that inserts a line into a file of a tree.
fn line(project: &str, path: &str) -> Value {
    json!({"path": path, "op": "insert", "after": 0, "content": "// here", "project": project})
}

#[test]
fn a_project_added_by_a_call_is_read_only() {
    let place = place();
    let (app, lib, dep) = (path(&place, "x/app"), path(&place, "lib"), path(&place, "far/dep"));
    let text = |path: &str| std::fs::read_to_string(place.root().join(path)).expect("it exists");
    let args = ["--allow-edit", "--root", app.as_str(), "--root", lib.as_str()];
    let mut session = start(&place, &args);
    // The last directory contains one that was named.
    for folder in [&dep, &lib, &place.root().display().to_string()] {
        session.text("codedb_index", json!({"path": folder}));
    }
    for (project, file) in [
        ("dep", "dep_here.rs".to_owned()),
        ("dep", format!("{dep}/dep_here.rs")),
        (&dep, "dep_here.rs".to_owned()),
        ("tree", "x/app/x_here.rs".to_owned()),
    ] {
        for dry_run in [false, true] {
            let mut call = line(project, &file);
            call["dry_run"] = json!(dry_run);
            let reported = refused(&mut session, "codedb_edit", call);
            assert!(
                reported.starts_with("this tree is read-only; edits go into trees"),
                "{reported}"
            );
        }
    }
    let reported = refused(
        &mut session,
        "codedb_edit",
        json!({"path": format!("{dep}/new.rs"), "op": "create", "content": "x"}),
    );
    assert!(reported.starts_with("this tree is read-only"), "{reported}");
    let ops = json!([{"tool": "codedb_edit", "arguments": line("lib", "lib_here.rs")}]);
    let bundle = session.text("codedb_bundle", json!({"ops": ops}));
    assert!(bundle.contains("a bundle is read-only"), "{bundle}");
    assert_eq!(text("far/dep/dep_here.rs"), "pub fn of_dep() {}\n");
    assert_eq!(text("x/app/x_here.rs"), "pub fn of_x() {}\n");
    assert_eq!(text("lib/lib_here.rs"), "pub fn of_lib() {}\n");
    assert!(!place.root().join("far/dep/new.rs").exists());
    // A project that the user named is writable by its name and by absolute paths, although a call
    // added it, too.
    for call in [
        line("app", "x_here.rs"),
        line("lib", "lib_here.rs"),
        json!({"path": format!("{lib}/new.rs"), "op": "create", "content": "pub fn made() {}\n"}),
    ] {
        session.text("codedb_edit", call);
    }
    assert_eq!(text("x/app/x_here.rs"), "// here\npub fn of_x() {}\n");
    assert_eq!(text("lib/lib_here.rs"), "// here\npub fn of_lib() {}\n");
    let found = session.text("codedb_symbol", json!({"name": "made", "project": "lib"}));
    assert!(found.contains("new.rs:1"), "{found}");
    session.end();
}

#[test]
fn client_roots_are_writable_while_they_are_listed() {
    let place = place();
    let uri = |tree: &str| json!({"uri": format!("file://{}", path(&place, tree)), "name": tree});
    let mut command: Command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--toolsets", "all", "--allow-edit", "--index-dir"]).arg(place.cache());
    command.current_dir(place.base().join("home"));
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25", json!({"roots": {"listChanged": true}}));
    name_roots(&mut session, json!([uri("lib")]));
    session.text("codedb_edit", line("lib", "lib_here.rs"));
    session.text("codedb_index", json!({"path": path(&place, "lib")}));
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    name_roots(&mut session, json!([uri("x/app")]));
    session.text("codedb_edit", line("app", "x_here.rs"));
    let reported = refused(&mut session, "codedb_edit", line("lib", "lib_here.rs"));
    assert!(reported.starts_with("this tree is read-only"), "{reported}");
    session.end();
}

#[test]
fn unnamed_trees_are_writable_only_around_the_start() {
    let place = place();
    let mut session = start(&place, &["--allow-edit"]);
    session.text("codedb_edit", line("app", "x_here.rs"));
    session.end();
    // If no tree was found, the first added project is the default, but it is still read-only.
    let mut command: Command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["mcp", "--toolsets", "all", "--allow-edit", "--index-dir"]).arg(place.cache());
    command.current_dir(place.base().join("home"));
    let mut session = Session::spawn(command);
    session.initialize("2025-11-25", json!({}));
    session.text("codedb_index", json!({"path": path(&place, "lib")}));
    let call = json!({"path": "lib_here.rs", "op": "delete", "line_start": 1});
    let reported = refused(&mut session, "codedb_edit", call);
    assert!(reported.starts_with("this tree is read-only"), "{reported}");
    session.end();
}

#[test]
fn a_named_clone_in_the_cache_is_read_only() {
    let place = place();
    let copy = place.cache().join("clones/0123456789abcdef/example.org/a");
    std::fs::create_dir_all(&copy).expect("a directory");
    std::fs::write(copy.join("a.rs"), "pub fn of_copy() {}\n").expect("a file");
    let root = copy.display().to_string();
    let mut session = start(&place, &["--allow-edit", "--root", &root]);
    let found = session.text("codedb_symbol", json!({"name": "of_copy"}));
    assert!(found.contains("a.rs:1"), "{found}");
    let reported = refused(&mut session, "codedb_edit", line("a", "a.rs"));
    assert!(reported.starts_with("this tree is read-only"), "{reported}");
    let text = std::fs::read_to_string(copy.join("a.rs")).expect("it exists");
    assert_eq!(text, "pub fn of_copy() {}\n");
    session.end();
}

#[test]
fn over_http_projects_are_added_only_if_allowed() {
    let place = place();
    let args = ["--root".to_owned(), path(&place, "lib")];
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    // The root of the place is listed first.
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
        assert!(refused.stderr.contains("require a token"), "{}", refused.stderr);
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
    assert!(refused.to_string().contains("this server does not allow cloning"), "{refused}");
}
