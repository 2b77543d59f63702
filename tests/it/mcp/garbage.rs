//! Broken, hostile and disconnected clients: the server does not crash or hang, and writes nothing
//! outside of the protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::place;
use super::session::Session;

/// Checks the reply to a line: an error code and an id, or no reply.
#[track_caller]
fn check(session: &mut Session, line: &[u8], expected: Option<(i32, Value)>) {
    session.send_bytes(line);
    if let Some((code, id)) = expected {
        let answer = session.next();
        let start = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{start}");
        assert!(
            answer["error"]["message"].as_str().is_some_and(|text| text.len() > 10),
            "{answer}"
        );
    }
    // The server still works, and sent nothing else.
    assert_eq!(session.request("ping", json!({})), json!({}));
}

#[test]
fn invalid_messages_return_errors() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let null = || Value::Null;
    check(&mut session, b"\n", None);
    check(&mut session, b"\r\n \t\r\n", None);
    check(&mut session, b"hello\n", Some((-32700, null())));
    check(&mut session, b"{\"jsonrpc\":\"2.0\",\"id\":1,\n", Some((-32700, null())));
    check(&mut session, b"\x00\xFF\xFE\x80\n", Some((-32700, null())));
    check(&mut session, b"[]\n", Some((-32600, null())));
    let batch = b"[{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"ping\"}]\n";
    check(&mut session, batch, Some((-32600, null())));
    check(&mut session, b"5\n", Some((-32700, null())));
    check(&mut session, b"{}\n", Some((-32600, null())));
    check(
        &mut session,
        b"{\"jsonrpc\":\"1.0\",\"id\":71,\"method\":\"ping\"}\n",
        Some((-32600, json!(71))),
    );
    let utf8 = b"{\"jsonrpc\":\"2.0\",\"id\":72,\"method\":\"tools/call\",\"params\":{\"name\":\"\xC3\x28\"}}\n";
    check(&mut session, utf8, Some((-32700, json!(72))));
    session.end();
}

#[test]
fn huge_and_deeply_nested_messages_return_errors() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let mut long =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":73,\"method\":\"{}\"}}", "x".repeat(17 << 20));
    long.push('\n');
    check(&mut session, long.as_bytes(), Some((-32600, Value::Null)));
    let name = "y".repeat(15 << 20);
    let params = json!({"name": "codedb_find", "arguments": {"query": name}});
    let answer = session.request("tools/call", params);
    assert!(answer["content"][0]["text"].as_str().is_some_and(|text| text.len() < 1000));
    // Errors quote only the start of what was received.
    let long = "z".repeat(1 << 20);
    for arguments in [
        json!({"query": "cart", "format": long}),
        json!({"query": "cart", "format": [long]}),
        json!({"query": "cart", "project": long}),
        json!({"query": "cart", long.as_str(): 1}),
        json!({"query": "cart", "limit": long}),
    ] {
        let answer = session.call("codedb_find", arguments);
        assert_eq!(answer["isError"], true);
        let text = answer["content"][0]["text"].as_str().expect("a text");
        assert!((10..5000).contains(&text.len()), "{} bytes", text.len());
    }
    let deep = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":74,\"method\":\"ping\",\"params\":{{\"a\":{open}{close}}}}}\n"
        )
    };
    check(&mut session, deep(5000).as_bytes(), Some((-32700, json!(74))));
    check(&mut session, deep(200_000).as_bytes(), Some((-32600, json!(74))));
    session.end();
}

/// Returns the largest amount of memory that a process had, in MiB.
#[cfg(target_os = "linux")]
fn peak_mib(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux has it");
    let kib: usize = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kib >> 10
}

#[cfg(target_os = "linux")]
#[test]
fn large_arguments_take_a_bounded_amount_of_memory() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    // Calls that are pending at the same time. As parsed values, a list takes 240 MB.
    let list = "1,".repeat(15 << 19);
    for id in 1000..1005 {
        let call = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\
             \"codedb_find\",\"arguments\":{{\"query\":[{list}1]}}}}}}\n"
        );
        check(&mut session, call.as_bytes(), Some((-32600, json!(id))));
    }
    // Texts are not parsed into more, but only a few are pending at a time.
    let name = "y".repeat(15 << 20);
    for id in 2000..2006 {
        let params = json!({"name": "codedb_find", "arguments": {"query": name}});
        session
            .send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }
    let answers = (0..6).map(|_| session.next());
    let mut ids: Vec<u64> = answers.filter_map(|answer| answer["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (2000..2006).collect::<Vec<u64>>());
    let peak = peak_mib(session.child.id());
    assert!(peak < 500, "{peak} MiB");
    session.end();
}

#[test]
fn messages_in_an_invalid_order_return_errors() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    let notify = |method: &str, params: Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "method": method, "params": params}))
    };
    for line in [
        notify("notifications/initialized", json!({})),
        notify("notifications/cancelled", json!({"requestId": 99})),
        notify("notifications/cancelled", json!({})),
        notify("notifications/progress", json!({"progressToken": 1, "progress": 1})),
        notify("notifications/roots/list_changed", json!({})),
        notify("notifications/nobody/knows", json!({"a": 1})),
        notify("notifications/initialized", json!([5])),
        "{\"jsonrpc\":\"2.0\",\"id\":98,\"result\":{}}\n".to_owned(),
        "{\"jsonrpc\":\"2.0\",\"id\":97,\"error\":{\"code\":1,\"message\":\"x\"}}\n".to_owned(),
        "{\"jsonrpc\":\"2.0\",\"id\":96}\n".to_owned(),
    ] {
        check(&mut session, line.as_bytes(), None);
    }
    // Tool calls before, between and after two handshakes.
    assert_eq!(session.text("codedb_find", json!({"query": "cart"})), "src/cart.rs\n");
    session.initialize("2025-11-25", json!({}));
    let answer = session.initialize("2025-06-18", json!({}));
    assert_eq!(answer["protocolVersion"], "2025-06-18");
    assert_eq!(session.text("codedb_find", json!({"query": "cart"})), "src/cart.rs\n");
    session.end();
}

#[test]
fn ids_are_returned_unchanged() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    for id in [json!(0), json!(-5), json!("a b"), json!(""), json!(i64::MAX), json!(7), json!(7)] {
        session.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        assert_eq!(session.next(), json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }
    for id in ["1.5", "null", "true", "{}", "[1]", "99999999999999999999"] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        check(&mut session, line.as_bytes(), Some((-32600, Value::Null)));
    }
    session.end();
}

#[test]
fn input_may_end_within_a_line() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    session.end();
    Session::start(&place, &[]).end();
}

#[test]
fn pending_requests_are_answered_before_the_exit() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    let params = json!({"name": "codedb_find", "arguments": {"query": "cart"}});
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    drop(session.input.take());
    assert_eq!(session.next()["result"]["content"][0]["text"], "src/cart.rs\n");
    assert_eq!(session.status(), Some(0));
}

#[test]
fn a_signal_stops_the_server() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    let id = rustix::process::Pid::from_raw(session.child.id().cast_signed()).expect("an id");
    rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("it exists");
    assert_ne!(session.status(), Some(101));
    // The files that it left do not affect the next server.
    let mut session = Session::start(&place, &[]);
    assert_eq!(session.text("codedb_find", json!({"query": "cart"})), "src/cart.rs\n");
    session.end();
}

#[test]
fn a_disconnected_client_stops_the_server() {
    let place = place();
    let mut command = place.codedb("mcp");
    let (input, mut to) = std::io::pipe().expect("a pipe");
    let (from, output) = std::io::pipe().expect("a pipe");
    let mut child = command
        .stdin(input)
        .stdout(output)
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    // The command keeps the other ends open until it is dropped.
    drop(command);
    drop(from);
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    std::io::Write::write_all(&mut to, ping).expect("the server reads");
    for _ in 0..2000 {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            assert_eq!(status.code(), Some(0));
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it can be killed");
    panic!("the server does not exit although its output is closed");
}

/// Returns a value in kilobytes from the status of a process.
#[cfg(target_os = "linux")]
fn kilobytes_of(pid: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[cfg(target_os = "linux")]
#[test]
fn many_notifications_do_not_delay_requests() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    session.text("codedb_symbol", json!({"name": "add_item"}));
    let before = kilobytes_of(session.child.id(), "RssAnon:");
    let flood = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n".repeat(100_000);
    session.send_bytes(flood.as_bytes());
    assert_eq!(session.request("ping", json!({})), json!({}));
    // The memory would be twenty times as large if all of them started before the first one
    // finished.
    let after = kilobytes_of(session.child.id(), "RssAnon:");
    assert!(after < before + 20_000, "{before} kB, then {after}");
    session.end();
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_does_not_read_takes_no_memory() {
    use std::io::{BufRead, BufReader, Write};

    // The replies together are over 100 MB.
    const REQUESTS: usize = 5_000;
    let place = place();
    let mut command = place.codedb("mcp");
    let (input, mut to) = std::io::pipe().expect("a pipe");
    let (from, output) = std::io::pipe().expect("a pipe");
    let mut child = command
        .stdin(input)
        .stdout(output)
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    drop(command);
    let written = Arc::new(AtomicUsize::new(0));
    let writer = thread::spawn({
        let written = Arc::clone(&written);
        move || {
            for id in 0..REQUESTS {
                writeln!(to, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\"}}")?;
                written.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), std::io::Error>(())
        }
    });
    // The pipe of the requests is full once the server stops reading.
    let (mut before, mut since) = (0, Instant::now());
    while before == 0 || since.elapsed() < Duration::from_millis(500) {
        let now = written.load(Ordering::Relaxed);
        if now != before {
            (before, since) = (now, Instant::now());
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(!writer.is_finished(), "the server read all requests although no reply was read");
    let kilobytes = kilobytes_of(child.id(), "RssAnon:");
    assert!(kilobytes < 50_000, "{kilobytes} kB");
    // A late reader receives every reply.
    let answers = BufReader::new(from).lines().take(REQUESTS).map_while(Result::ok).count();
    assert_eq!(answers, REQUESTS);
    writer.join().expect("it exits").expect("the server read");
    assert_eq!(child.wait().expect("it exits").code(), Some(0));
}
