//! `codedb mcp` from the client's view: valid and invalid lines of JSON sent to the program.

mod absolute;
mod added;
mod arguments;
mod damage;
mod drift;
mod edit;
mod garbage;
mod http;
mod listed;
mod mapped;
mod projects;
mod roots;
mod search;
pub(crate) mod session;
pub(crate) mod transcript;

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::session::Session;
use crate::support::place::{Place, settle};

/// A small tree of two languages.
fn place() -> Place {
    let place = Place::new();
    place.write("README.md", "# Shop\n\nSells things.\n");
    place.write("src/cart.rs", "/// Adds.\npub fn add_item() -> u32 {\n    1\n}\n");
    place.write("src/main.rs", "mod cart;\n\nfn main() {\n    cart::add_item();\n}\n");
    place.write("web/shop.js", "export function open() { return 1; }\n");
    place.write(".env", "KEY=1\n");
    place
}

#[test]
fn a_session_with_initialize() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    let answer = session.initialize("2025-11-25", json!({}));
    assert_eq!(answer["protocolVersion"], "2025-11-25");
    assert_eq!(answer["capabilities"], json!({"tools": {}}));
    assert_eq!(answer["serverInfo"]["name"], "codedb");
    let listed = session.request("tools/list", json!({}));
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|t| t["name"].as_str())
        .collect();
    assert_eq!((names[0], names.contains(&"codedb_word")), ("codedb_context", false));
    assert!(listed.get("resultType").is_none(), "the older era has no such field");
    let text = session.text("codedb_find", json!({"query": "cart"}));
    assert_eq!(text, "src/cart.rs\n");
    let text = session.text("codedb_callers", json!({"name": "add_item"}));
    assert!(text.contains("src/main.rs") && text.contains("cart::add_item();"), "{text}");
    assert_eq!(session.request("ping", json!({})), json!({}));
    session.end();
}

#[test]
fn older_and_unknown_versions_are_negotiated() {
    for (requested, agreed) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2026-07-28", "2025-11-25"),
        ("2999-01-01", "2025-11-25"),
    ] {
        let place = place();
        let mut session = Session::start(&place, &[]);
        let answer = session.initialize(requested, json!({}));
        assert_eq!(answer["protocolVersion"], agreed, "{requested}");
        session.end();
    }
}

#[test]
fn a_session_without_initialize() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let known = session.request("server/discover", json!({"_meta": meta}));
    let versions = known["supportedVersions"].as_array().expect("a list");
    assert!(versions.contains(&json!("2026-07-28")), "{known}");
    assert!(known["instructions"].as_str().is_some_and(|text| text.contains("codedb_context")));
    let listed = session.request("tools/list", json!({"_meta": meta}));
    assert_eq!(listed["resultType"], "complete");
    let arguments = json!({"query": "cart"});
    let params = json!({"_meta": meta, "name": "codedb_find", "arguments": arguments});
    let answer = session.request("tools/call", params);
    assert_eq!(answer["content"][0]["text"], "src/cart.rs\n");
    let error = session.error(
        "tools/list",
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2999-01-01",
            "io.modelcontextprotocol/clientCapabilities": {},
        }}),
    );
    assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
    session.end();
}

#[test]
fn a_reply_is_text_or_data_with_its_generation() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    // Waits until the index is complete.
    session.text("codedb_symbol", json!({"name": "add_item"}));
    let text = session.call("codedb_find", json!({"query": "cart"}));
    assert_eq!(text["content"], json!([{"type": "text", "text": "src/cart.rs\n"}]));
    assert_eq!((&text["isError"], text.get("structuredContent")), (&json!(false), None));
    let meta = &text["_meta"];
    assert!(meta["generation"].as_u64() > Some(0) && meta["elapsed_us"].is_u64(), "{meta}");
    assert_eq!(meta["freshness"], "current");
    let data = session.call("codedb_find", json!({"query": "cart", "format": "json"}));
    let file =
        json!({"path": "src/cart.rs", "score": data["structuredContent"]["files"][0]["score"]});
    assert_eq!(data["structuredContent"], json!({"files": [file], "shown": 1, "total": 1}));
    let shown = data["content"][0]["text"].as_str().expect("a text");
    assert!(!shown.contains("src/cart.rs"), "not twice: {shown}");
    let missed = session.text("codedb_find", json!({"query": "zzzz"}));
    assert_eq!(missed, "nothing found\n");
    session.end();
}

#[test]
fn invalid_arguments_return_an_error_sentence() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let mut check = |name: &str, arguments: Value, parts: &[&str]| {
        let answer = session.call(name, arguments);
        let text = answer["content"][0]["text"].as_str().expect("a text");
        assert_eq!(answer["isError"], true, "{text}");
        assert!(!text.contains('\n'), "{text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}, not {parts:?}");
    };
    check(
        "codedb_symbol",
        json!({"nam": "x"}),
        &["unknown argument `nam`; did you mean `name`? Valid: `body`, `fuzzy`"],
    );
    check("codedb_find", json!({}), &["missing argument `query`"]);
    check("codedb_find", json!({"query": 5}), &["`query` must be of type string, not `5`"]);
    check("codedb_find", json!({"query": ""}), &["`query` is empty"]);
    check(
        "codedb_find",
        json!({"query": "a", "max_results": -1}),
        &["non-negative integer, not `-1`"],
    );
    check(
        "codedb_find",
        json!({"query": "a", "format": "xml"}),
        &["invalid `format` \"xml\"; valid: `text`, `json`"],
    );
    check("codedb_deps", json!({"path": "src", "direction": "up"}), &["one of imported_by"]);
    check("codedb_read", json!({"path": "src/cartt.rs"}), &["no such file", "`src/cart.rs`"]);
    check("codedb_read", json!({"path": "../x"}), &["../x"]);
    check("codedb_read", json!({"path": "/etc/passwd"}), &["/etc/passwd"]);
    check("codedb_read", json!({"path": ".env"}), &["a secret"]);
    check("codedb_read", json!({"path": "src/cart.rs", "line_start": 99}), &["no line 99"]);
    // Files below the root can also be read by their absolute paths.
    let path = place.root().join("README.md").display().to_string();
    let text = session.text("codedb_read", json!({"path": path, "line_end": 1}));
    assert!(text.contains("# Shop"), "{text}");
    session.end();
}

#[test]
fn unknown_methods_and_tools_are_protocol_errors() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let mut check = |method: &str, params: Value, code: i32, part: &str| {
        let error = session.error(method, params);
        let message = error["message"].as_str().expect("a sentence");
        assert_eq!(error["code"], code, "{message}");
        assert!(message.contains(part), "{message}");
    };
    let call = |name: &str| json!({"name": name, "arguments": {}});
    check("tools/call", call("codedb_symbols"), -32602, "nearest is `codedb_symbol`");
    check("tools/call", call("codedb_word"), -32602, "--toolsets core,navigate");
    check("tools/call", json!({"name": 5}), -32602, "a string `name`");
    check("tools/call", json!({"name": "codedb_ls", "arguments": []}), -32602, "an object");
    check("tools/list", json!(5), -32602, "`params` of `tools/list`");
    check("tools/run", json!({}), -32601, "unknown method `tools/run`");
    check("resources/read", json!({"uri": "file:///x"}), -32601, "resources/read");
    session.end();
}

#[test]
fn toolsets_are_chosen_at_the_start() {
    let place = place();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    let text = session.text("codedb_word", json!({"word": "add_item"}));
    assert!(text.contains("src/cart.rs") && text.contains("src/main.rs"), "{text}");
    session.end();
    let refused = Session::refused(&place, &["--toolsets", "cor"]);
    assert!(refused.contains("unknown toolset `cor`") && refused.contains("navigate"), "{refused}");
}

#[test]
fn an_edit_is_seen_by_the_next_call() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    for round in 0..20 {
        let name = format!("made_{round}");
        place.write(format!("new/{name}.rs"), format!("pub fn {name}() {{}}\n"));
        let text = session.text("codedb_symbol", json!({"name": name}));
        assert!(text.contains(&format!("new/{name}.rs:1")), "{round}: {text}");
        std::fs::remove_file(place.root().join(format!("new/{name}.rs"))).expect("it exists");
        let answer = session.call("codedb_symbol", json!({"name": name}));
        assert!(!answer.to_string().contains("new/"), "{round}: {answer}");
        // Before, during and after the start of the watcher.
        thread::sleep(Duration::from_millis(20 * round));
    }
    session.end();
}

#[test]
fn an_edit_changes_what_calls_in_other_files_refer_to() {
    let place = place();
    place.write("shop/a.py", "def total():\n    return 1\n");
    place.write("shop/b.py", "def total():\n    return 2\n");
    place.write("shop/use.py", "from shop.names import total\n\ndef run():\n    return total()\n");
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    for (from, other) in [("a", "b"), ("b", "a"), ("a", "b")] {
        place.write("shop/names.py", format!("from shop.{from} import total\n"));
        // Twice: the second answer comes from what the first cached.
        for _ in 0..2 {
            let of = |file: &str| json!({"name": "total", "path": format!("shop/{file}.py")});
            let text = session.text("codedb_callers", of(from));
            assert!(text.contains("shop/use.py"), "{from}: {text}");
            let text = session.call("codedb_callers", of(other)).to_string();
            assert!(!text.contains("shop/use.py"), "{other}: {text}");
        }
    }
    session.end();
}

#[test]
fn concurrent_calls_get_their_own_replies() {
    let place = place();
    for file in 0..40 {
        place.write(format!("many/f{file}.rs"), format!("pub fn only_{file}() {{}}\n"));
    }
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    for id in 0..200 {
        let arguments = json!({"name": format!("only_{}", id % 40)});
        let params = json!({"name": "codedb_symbol", "arguments": arguments});
        session.send(&json!({"jsonrpc": "2.0", "id": format!("c{id}"), "method": "tools/call",
            "params": params}));
    }
    let mut answered = BTreeSet::new();
    for _ in 0..200 {
        let answer = session.next();
        let id = answer["id"].as_str().expect("an id").to_owned();
        let number: usize = id[1..].parse().expect("a number");
        let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
        assert!(text.contains(&format!("many/f{}.rs:1", number % 40)), "{id}: {text}");
        answered.insert(id);
    }
    assert_eq!(answered.len(), 200);
    session.end();
}

#[test]
fn a_call_that_waits_for_the_index_reports_progress() {
    let place = place();
    for file in 0..400 {
        let text = format!("pub fn only_{file}() -> u32 {{\n    {file}\n}}\n").repeat(40);
        place.write(format!("many/f{file}.rs"), text);
    }
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let params = json!({
        "_meta": {"progressToken": "p"},
        "name": "codedb_symbol",
        "arguments": {"name": "only_7"},
    });
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let mut last = 0.0;
    let answer = loop {
        let message = session.next();
        if message["method"] != "notifications/progress" {
            break message;
        }
        let params = &message["params"];
        let done = params["progress"].as_f64().expect("a number");
        assert!(params["progressToken"] == "p" && done > last, "{message}");
        last = done;
    };
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    // On a busy machine the call ends at its bound, before it has parsed the file.
    assert!(text.contains("many/f7.rs") || text.contains("not indexed yet"), "{text}");
    session.end();
}

#[test]
fn a_bundle_makes_several_calls() {
    let place = place();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    let op = |tool: &str, arguments: Value| json!({"tool": tool, "arguments": arguments});
    let ops = json!([
        op("codedb_find", json!({"query": "cart"})),
        op("codedb_find", json!({"query": "zzzz"})),
        op("codedb_find", json!({"quer": "cart"})),
        op("codedb_symbols", json!({})),
        op("codedb_bundle", json!({"ops": []})),
        op("codedb_search", json!({"query": "Sells"})),
    ]);
    let text = session.text("codedb_bundle", json!({"ops": ops}));
    let expected = "## 1 codedb_find\nsrc/cart.rs\n\
        ## 2 codedb_find: nothing found\n\
        ## 3 codedb_find: failed\nunknown argument `quer`; did you mean `query`? Valid: `max_results`, `query`\n\
        ## 4 codedb_symbols: failed\nunknown tool `codedb_symbols`; did you mean `codedb_symbol`?\n\
        ## 5 codedb_bundle: failed\na bundle cannot contain a bundle\n\
        ## 6 codedb_search\nREADME.md  1 line\n  3: Sells things.\n";
    assert_eq!(text, expected);
    let many: Vec<Value> = (0..21).map(|_| op("codedb_ls", json!({}))).collect();
    let answer = session.call("codedb_bundle", json!({"ops": many}));
    assert!(answer["isError"] == true && answer.to_string().contains("1 to 20 calls, not 21"));
    session.end();
}

#[test]
fn status_reports_coverage() {
    let place = place();
    // Files that were just created are not indexed either.
    settle();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let since = Instant::now();
    let reported = loop {
        let answer = session.call("codedb_status", json!({"format": "json"}));
        let reported = &answer["structuredContent"];
        if reported["full"] == true {
            break reported.clone();
        }
        let notes = answer["content"][0]["text"].as_str().expect("a text");
        if reported["status"] == "partial" {
            assert!(notes.contains("note: the index is being built"), "{notes}");
        }
        assert!(since.elapsed() < Duration::from_secs(60), "{answer}");
        thread::sleep(Duration::from_millis(20));
    };
    assert_eq!((&reported["files"], &reported["status"]), (&json!(4), &json!("ok")));
    assert_eq!(reported["root"], json!(place.root().display().to_string()));
    let text = session.text("codedb_status", json!({}));
    assert!(text.contains("\nindex  whole\ngeneration  "), "{text}");
    session.end();
}

#[test]
fn nothing_is_written_into_the_tree() {
    let place = place();
    let files = || {
        let listed = std::process::Command::new("find").arg(place.root()).output();
        String::from_utf8_lossy(&listed.expect("find runs").stdout).into_owned()
    };
    let before = files();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    for (name, arguments) in [
        ("codedb_context", json!({"task": "where are items added"})),
        ("codedb_changes", json!({"since": "0"})),
        ("codedb_tree", json!({})),
    ] {
        session.call(name, arguments);
    }
    session.end();
    assert_eq!(files(), before);
}

#[test]
fn the_next_server_uses_the_index() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let since = Instant::now();
    loop {
        let answer = session.call("codedb_context", json!({"task": "how does add_item work"}));
        if answer["_meta"].get("status").is_none() {
            break;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "{answer}");
        thread::sleep(Duration::from_millis(50));
    }
    session.end();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let answer = session.call("codedb_context", json!({"task": "how does add_item work"}));
    assert!(answer["_meta"]["generation"].as_u64() > Some(0), "{answer}");
    session.end();
}

#[test]
fn the_instructions_are_a_snapshot() {
    let place = place();
    let mut session = Session::start(&place, &["--toolsets", "all", "--allow-edit"]);
    let about = session.initialize("2025-11-25", json!({}));
    insta::assert_snapshot!("instructions", about["instructions"].as_str().expect("a text"));
    let listed = session.request("tools/list", json!({}));
    let pretty = serde_json::to_string_pretty(&listed["tools"]).expect("it is JSON");
    insta::assert_snapshot!("tools_list", pretty);
    session.end();
}
