//! `codedb drift`: against files, against codedb's own servers over both transports, and against
//! servers that misbehave.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::Server;
use super::place;
use super::session::Session;
use crate::support::place::{Answer, Place, settle};

const FILE: &str = "codedb-tools.lock.json";

const CODEDB: &str = env!("CARGO_BIN_EXE_codedb");

fn drift(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.command(CODEDB);
    command.arg("drift").args(args);
    Answer::of(command)
}

/// Runs a subcommand on codedb's own server with these toolsets.
fn own(place: &Place, words: &[&str], toolsets: &str) -> Answer {
    let server = ["--", CODEDB, "mcp", "--toolsets", toolsets];
    drift(place, &[words, &server].concat())
}

fn json_of(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

/// Returns a shell script that answers `initialize`, then each request with the next of `results`.
fn script(results: &[Value]) -> String {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "fake", "version": "7"}});
    let line = |id: usize, result: &Value| {
        format!(
            "read -r line; printf '%s\\n' '{}'\n",
            json!({"jsonrpc": "2.0", "id": id, "result": result})
        )
    };
    let mut script = line(1, &hello) + "read -r line\n";
    for (at, result) in results.iter().enumerate() {
        script.push_str(&line(at + 2, result));
    }
    script + "cat > /dev/null\n"
}

fn fake(place: &Place, words: &[&str], script: &str) -> Answer {
    drift(place, &[words, &["--", "sh", "-c", script]].concat())
}

fn tools(names: &str) -> Value {
    let tool = |name| json!({"name": name, "inputSchema": {"type": "object"}});
    names.split(' ').map(tool).collect()
}

#[test]
fn files_are_classified_with_exit_codes() {
    let place = place();
    let list = |names: &str| tools(names).to_string();
    place.write("a.json", list("x y z"));
    place.write("b.json", json!({"tools": tools("x y z w")}).to_string());
    place.write("c.json", list("y x z"));
    place.write("d.json", "[1");
    let check = |args: &[&str], code: i32, class: &str| {
        let answer = drift(&place, &[&["classify", "--json"], args].concat());
        assert_eq!(answer.code, code, "{answer:?}");
        assert_eq!(json_of(&answer)["class"], class);
    };
    check(&["a.json", "a.json", "--strict"], 0, "identity");
    check(&["a.json", "b.json"], 0, "append");
    check(&["a.json", "b.json", "--strict"], 1, "append");
    check(&["a.json", "c.json"], 1, "reorder");
    check(&["a.json", "c.json", "--force"], 0, "reorder");
    check(&["b.json", "a.json"], 1, "remove");
    for (args, message) in
        [(["a.json", "d.json"], "not valid JSON"), (["a.json", "none.json"], "none.json")]
    {
        let answer = drift(&place, &[&["classify"], &args[..]].concat());
        assert_eq!((answer.code, answer.stdout.len()), (2, 0), "{answer:?}");
        assert!(answer.stderr.contains(message), "{answer:?}");
    }
}

#[test]
fn a_server_is_pinned_and_checked() {
    let place = place();
    let missing = own(&place, &["check", "self"], "core");
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(missing.stderr.contains("no tools are pinned for `self`"), "{missing:?}");

    let pinned = own(&place, &["pin", "self"], "core").expect_success();
    for state in
        ["connecting to ", "connected to ", ": codedb 0.1.0, protocol 2025-11-25", "pinned 1"]
    {
        assert!(pinned.stderr.contains(state), "{state}: {pinned:?}");
    }
    let file = place.root().join(FILE);
    let text = fs::read_to_string(&file).expect("it was written");
    let same = own(&place, &["check", "self", "--strict"], "core").expect_success();
    assert!(same.text().starts_with("identity: passed\n"), "{same:?}");

    let other = own(&place, &["check", "self", "--json"], "navigate");
    assert_eq!((other.code, json_of(&other)["class"].as_str()), (1, Some("remove")), "{other:?}");
    let refused = own(&place, &["pin", "self"], "navigate");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert_eq!(
        fs::read_to_string(&file).expect("it exists"),
        text,
        "a refused list is not written"
    );
    own(&place, &["pin", "self", "--force"], "navigate").expect_success();
    own(&place, &["check", "self", "--strict"], "navigate").expect_success();
    own(&place, &["pin", "other"], "core").expect_success();
    own(&place, &["check", "self", "--strict"], "navigate").expect_success();

    fs::write(&file, text.replace("Get the files", "Get all files")).expect("it is written");
    let edited = own(&place, &["check", "self"], "core");
    assert_eq!(edited.code, 2);
    assert!(edited.stderr.contains("`codedb_context` of `self` does not match"), "{edited:?}");
}

#[test]
fn a_server_over_http_has_the_same_list() {
    let place = place();
    let server = Server::start(&place, None);
    own(&place, &["pin", "self"], "all").expect_success();
    let same = drift(&place, &["check", "self", &server.url(), "--json"]);
    let json = json_of(&same);
    // `codedb serve` does not offer `codedb_index` without a flag, and so does not mention it.
    assert_eq!(json["class"], "remove", "{same:?}");
    assert_eq!(json["removed"][0]["name"], "codedb_index");
    assert_eq!(json["removed"].as_array().map(Vec::len), Some(1), "{same:?}");
    drift(&place, &["pin", "web", &server.url()]).expect_success();
    drift(&place, &["check", "web", &server.url(), "--strict"]).expect_success();
    let wrong = drift(&place, &["check", "web", &format!("{}/none", server.url())]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("HTTP status 404"), "{wrong:?}");
    let url = server.url();
    drop(server);
    let gone = drift(&place, &["check", "web", &url]);
    assert_eq!(gone.code, 2, "{gone:?}");
    assert!(gone.stderr.contains("cannot reach the server"), "{gone:?}");
}

#[test]
fn all_pages_are_listed() {
    let place = place();
    let pages = script(&[
        json!({"tools": tools("a b"), "nextCursor": "2"}),
        json!({"tools": [], "nextCursor": "3"}),
        json!({"tools": tools("c")}),
    ]);
    fake(&place, &["pin", "pages"], &pages).expect_success();
    let same =
        fake(&place, &["check", "pages", "--json"], &script(&[json!({"tools": tools("a b c")})]));
    assert_eq!(json_of(&same)["class"], "identity", "{same:?}");
}

#[test]
fn messages_beside_the_response_are_accepted() {
    let place = place();
    // The server asks back before it answers, and logs.
    let before = r#"read -r line
printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/message","params":{}}' '' '{"jsonrpc":"2.0","id":"q","method":"ping"}'
read -r pong
case "$pong" in *'"id":"q"'*'"result":{}'*) ;; *) exit 3;; esac
"#;
    let rest = script(&[json!({"tools": tools("a")})]);
    let rest = rest.strip_prefix("read -r line; ").expect("it begins with a request");
    fake(&place, &["pin", "chatty"], &format!("{before}{rest}")).expect_success();
}

#[test]
fn servers_that_misbehave_change_nothing() {
    let place = place();
    fake(&place, &["pin", "s"], &script(&[json!({"tools": tools("a")})])).expect_success();
    let file = place.root().join(FILE);
    let text = fs::read_to_string(&file).expect("it was written");
    let endless = r#"read -r line; while :; do printf '%s\n' 'x'; done"#;
    let long = r#"head -c 40000000 /dev/zero | tr '\0' ' '; cat > /dev/null"#;
    let refusing = r#"read -r line; printf '%s\n' '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no\u001b[2J"}}'; cat > /dev/null"#;
    for (name, script, message) in [
        ("silent", "cat > /dev/null".to_owned(), "the server did not answer within 2 s"),
        ("deaf", "sleep 60".to_owned(), "the server did not answer within 2 s"),
        ("garbage", "echo hello".to_owned(), "it wrote what is no message: `hello`"),
        (
            "twice garbage",
            "echo a; echo b; cat".to_owned(),
            "the server sent what is no message: `b`",
        ),
        ("endless", endless.to_owned(), "the server sent what is no message: `x`"),
        ("long", long.to_owned(), "the server sent more than 32 MiB"),
        ("gone", "echo wrong >&2; exit 4".to_owned(), "with exit code 4"),
        ("refusing", refusing.to_owned(), "the server refused `initialize`: no\\u{1b}[2J (-32000)"),
        (
            "twice",
            script(&[json!({"tools": tools("a b a")})]),
            "contains the tool `a` twice, at index 0 and 2",
        ),
        ("nameless", script(&[json!({"tools": [{}]})]), "the tool at index 0 has no `name`"),
        ("no list", script(&[json!({"tools": 1})]), "is not a tool list"),
        (
            "circle",
            script(&[
                json!({"tools": [], "nextCursor": "1"}),
                json!({"tools": [], "nextCursor": "1"}),
            ]),
            "a cursor came twice",
        ),
    ] {
        for command in ["pin", "check"] {
            let answer = fake(&place, &[command, "s", "--timeout", "2", "--force"], &script);
            assert_eq!((answer.code, answer.stdout.len()), (2, 0), "{name}: {answer:?}");
            assert!(answer.stderr.contains(message), "{name}: {answer:?}");
            assert!(answer.stderr.contains("codedb: failed to list the tools of sh"), "{name}");
            assert_eq!(fs::read_to_string(&file).expect("it exists"), text, "{name}");
        }
    }
    let left = fs::read_dir(place.root()).expect("the tree").flatten();
    assert!(left.into_iter().all(|file| !file.file_name().to_string_lossy().ends_with(".tmp")));
}

#[test]
fn a_signal_ends_the_server_and_changes_nothing() {
    let place = place();
    let mark = place.base().join("started");
    let script = format!("echo $$ > '{}'; sleep 60 & wait", mark.display());
    let mut command = place.command(CODEDB);
    command.args(["drift", "pin", "s", "--", "sh", "-c", &script]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let since = Instant::now();
    let group = loop {
        match fs::read_to_string(&mark).ok().and_then(|text| text.trim().parse::<i32>().ok()) {
            Some(group) => break group,
            None => settle(),
        }
        assert!(since.elapsed() < Duration::from_secs(30), "the server does not start");
    };
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).expect("it runs");
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    assert!(since.elapsed() < Duration::from_secs(30));
    let group = rustix::process::Pid::from_raw(group).expect("a process");
    let is_gone = || rustix::process::test_kill_process_group(group).is_err();
    while !is_gone() {
        settle();
        assert!(since.elapsed() < Duration::from_secs(30), "the server's programs still run");
    }
    assert!(!place.root().join(FILE).exists());
}

#[test]
fn one_line_before_the_first_message_is_skipped_and_reported() {
    let place = place();
    let list = script(&[json!({"tools": tools("a")})]);
    let pinned = fake(&place, &["pin", "s"], &format!("echo 'Server ready'; {list}"));
    let pinned = pinned.expect_success();
    assert!(
        pinned.stderr.contains("skipped a line before the server's first message: `Server ready`")
    );
    let checked = fake(&place, &["check", "s", "--json"], &format!("echo hi; {list}"));
    assert_eq!((checked.code, json_of(&checked)["skipped_line"].as_str()), (0, Some("hi")));
    // After a message, it is an error.
    let late = list.replacen("read -r line\n", "read -r line; echo late\n", 1);
    let refused = fake(&place, &["check", "s"], &late);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("the server sent what is no message: `late`"), "{refused:?}");
}

/// Runs a subcommand with standard input and standard error, and returns its exit code, output and messages.
fn watched(place: &Place, script: &str, input: &str) -> (i32, String, String) {
    use std::io::{Read as _, Write as _};

    let mut command = place.command(CODEDB);
    command.args(["drift", "check", "s", "--watch", "--", "sh", "-c", script]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it is read");
    let since = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be asked") {
            Some(status) => break status,
            None => settle(),
        }
        assert!(since.elapsed() < Duration::from_secs(60), "the watch does not end");
    };
    let (mut output, mut messages) = (String::new(), String::new());
    child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("UTF-8");
    child.stderr.take().expect("a pipe").read_to_string(&mut messages).expect("UTF-8");
    (status.code().unwrap_or(-1), output, messages)
}

#[test]
fn a_watch_reviews_each_list_and_connects_again_on_demand() {
    let place = place();
    let first = script(&[json!({"tools": tools("a b")})]);
    fake(&place, &["pin", "s"], &first).expect_success();
    // The server adds a tool, then removes one, and says so each time.
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let answer = |id: usize, names: &str| {
        let response = json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools(names)}});
        format!("printf '%s\\n' '{changed}'; read -r line; printf '%s\\n' '{response}'\n")
    };
    let listed = first.strip_suffix("cat > /dev/null\n").expect("it waits at its end");
    let drifts = format!("{listed}{}{}cat > /dev/null\n", answer(3, "a b c"), answer(4, "b c"));
    let (code, output, messages) = watched(&place, &drifts, "");
    assert_eq!(code, 1, "{messages}");
    let verdicts: Vec<&str> =
        output.lines().filter(|it| it.ends_with(": passed") || it.ends_with(": refused")).collect();
    assert_eq!(verdicts, ["identity: passed", "append: passed", "remove: refused"], "{output}");

    // The first process ends; a line connects to the next one, which has another list.
    let mark = place.base().join("once");
    let (once, gone) = (mark.display(), script(&[json!({"tools": tools("b a")})]));
    let dies = format!("if [ -e '{once}' ]; then\n{gone}\nelse : > '{once}'\n{listed}\nfi");
    let (code, output, messages) = watched(&place, &dies, "\n");
    assert_eq!(code, 1, "{messages}");
    assert!(output.contains("identity: passed") && output.contains("reorder: refused"), "{output}");
    assert!(messages.contains("reconnecting to sh"), "{messages}");

    // Without a demand, the end of the server is an error.
    let (code, _, messages) = watched(&place, listed, "");
    assert_eq!(code, 2, "{messages}");
    assert!(messages.contains("the server ended with exit code 0"), "{messages}");
}

#[cfg(target_os = "linux")]
#[test]
fn people_see_the_state_of_a_connection_with_its_name() {
    use std::io::Read as _;

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let place = place();
    let on_a_terminal = |script: &str| {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let name = name.to_str().expect("UTF-8").to_owned();
        let open = || fs::File::options().read(true).write(true).open(&name).expect("it opens");
        let mut command = place.command(CODEDB);
        command.args(["drift", "pin", "files", "--", "sh", "-c", script]);
        command.stdin(open()).stdout(open()).stderr(open());
        let mut child = command.spawn().expect("it starts");
        drop(command);
        let (mut master, mut output, mut buffer) = (fs::File::from(master), Vec::new(), [0; 4096]);
        while let Ok(read @ 1..) = master.read(&mut buffer) {
            output.extend_from_slice(&buffer[..read]);
        }
        child.wait().expect("it ends");
        String::from_utf8_lossy(&output).into_owned()
    };
    let shown = on_a_terminal(&script(&[json!({"tools": tools("a")})]));
    assert!(shown.contains("✓ connected files: fake 7"), "{shown}");
    let shown = on_a_terminal("exit 3");
    assert!(shown.contains("✖ failed files"), "{shown}");
}

#[test]
fn unclear_servers_are_usage_errors() {
    let place = place();
    for (args, message) in [
        (&["pin", "s"][..], "no server is named"),
        (&["pin", "s", "npx"], "not an http or https address: `npx`"),
        (&["pin", "s", "ftp://example.com"], "not an http or https address"),
        (&["pin", "s", "--", "codedb-no-such-program"], "codedb-no-such-program"),
        (&["pin", "s", "--timeout", "0", "--", "true"], "--timeout"),
        (&["check", "s", "--force", "--strict", "--", "true"], "--force"),
    ] {
        let answer = drift(&place, args);
        assert_eq!((answer.code, answer.stdout.len()), (2, 0), "{answer:?}");
        assert!(answer.stderr.contains(message), "{answer:?}");
    }
    assert!(!place.root().join(FILE).exists());
}

#[test]
fn the_tool_compares_files_of_the_tree() {
    let place = place();
    own(&place, &["pin", "self"], "core").expect_success();
    place.write("now.json", json!({"result": {"tools": tools("a b")}}).to_string());
    place.write("broken.json", "[{]");
    let mut session = Session::start(&place, &["--toolsets", "drift"]);
    session.initialize("2025-11-25", json!({}));
    let mut call = |arguments: Value| session.call("codedb_tool_drift", arguments);
    let answer =
        call(json!({"before": FILE, "server": "self", "after": "now.json", "format": "json"}));
    let data = &answer["structuredContent"];
    assert_eq!(
        (&data["class"], &data["verdict"]),
        (&json!("remove"), &json!("refused")),
        "{answer}"
    );
    assert_eq!(data["tools_after"], 2, "{answer}");
    let same =
        call(json!({"before": "now.json", "after": tools("a b").to_string(), "strict": true}));
    let text = same["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("no_changes: both lists are equal\nidentity: passed\n"), "{text}");
    // Lists as JSON, and in the form of OpenAI's requests.
    let functions = json!([{"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}},
        {"type": "function", "name": "b", "parameters": {"type": "object"}}]);
    for before in [tools("a b"), json!({"tools": tools("a b")})] {
        let same = call(json!({"before": before, "after": functions, "format": "json"}));
        assert_eq!(same["structuredContent"]["class"], "identity", "{same}");
    }
    // 5,000 tools with long descriptions are removed.
    let long: Vec<Value> =
        (0..5000).map(|at| json!({"name": format!("tool_{at}_{}", "x".repeat(400))})).collect();
    let long = Value::from(long).to_string();
    let bounded =
        call(json!({"before": long, "after": "[]", "max_tokens": 1500, "format": "json"}));
    let data = &bounded["structuredContent"];
    let shown = data["removed"].as_array().map_or(0, Vec::len);
    assert!(shown > 0 && data.to_string().len() < 12_000, "{shown}");
    assert_eq!(data["omitted"], 2 * (5000 - shown), "removed tools and reasons");
    for (arguments, message) in [
        (json!({"before": FILE, "server": "x", "after": "[]"}), "no tools are pinned for `x`"),
        (json!({"before": "now.json", "server": "x", "after": "[]"}), "not a file of pinned tools"),
        (json!({"before": "broken.json", "after": "[]"}), "broken.json: not valid JSON"),
        (json!({"before": "none.json", "after": "[]"}), "none.json"),
        (json!({"before": "../none.json", "after": "[]"}), "outside"),
        (json!({"before": "[]", "after": "[1]"}), "index 0 is not a JSON object"),
    ] {
        let answer = call(arguments);
        assert_eq!(answer["isError"], true, "{answer}");
        let text = answer["content"][0]["text"].as_str().expect("a text");
        assert!(text.contains(message), "{text}");
    }
    session.end();
}

#[test]
fn the_own_list_has_no_suspicious_text() {
    let listed = include_str!("../snapshots/it__mcp__tools_list.snap");
    let (_, list) = listed.split_once("\n[").expect("a list");
    let tools = codedb::drift::list::parse(&format!("[{list}")).expect("the tool list");
    assert!(tools.len() > 40);
    assert_eq!(codedb::drift::suspicious::scan(&tools).findings, []);
}
