//! Runs the server in-process with test tools: panics, cancellation and time limits.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::index::store::Store;
use crate::source::walk::Environment;
use crate::tools::{Call, Define, Needs, Reply, Speed, Toolset};

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// What to do
    what: String,
}

#[derive(Serialize)]
struct Done {
    what: String,
}

impl Reply for Done {
    fn render(&self, _: &dyn crate::answer::style::Style) -> String {
        self.what.repeat(if self.what == "long\n" { 50_000 } else { 1 })
    }

    fn is_found(&self) -> bool {
        true
    }
}

/// A tool whose argument selects what it does: panic, work until it is cancelled, or reply.
struct Scripted;

static SCRIPTED: Tool = Tool::of::<Scripted>();

/// True once the call of `a_cancelled_call_stops_working` has started, and once it has ended. No
/// other test makes that call: tests run at the same time, and a cancelled call of another one would
/// set the flag too early.
static STARTED: AtomicBool = AtomicBool::new(false);
static ENDED: AtomicBool = AtomicBool::new(false);

impl Define for Scripted {
    const NAME: &'static str = "codedb_obeys";
    const SUMMARY: &'static str = "Do what it is told";
    const DETAILS: &'static str = "For tests";
    const TOOLSET: Toolset = Toolset::Core;
    const POSITIONAL: &'static [&'static str] = &["what"];
    type Args = Args;
    type Reply = Done;

    fn run(call: &Call<'_>, args: Args) -> Result<Done> {
        match args.what.as_str() {
            "panic" => panic!("as requested"),
            "work" => work_until_cancelled(call),
            "work and report" => {
                STARTED.store(true, Ordering::Release);
                let done = work_until_cancelled(call);
                ENDED.store(true, Ordering::Release);
                done
            }
            _ => Ok(Done { what: args.what }),
        }
    }
}

/// Reads a file again and again; returns the error of the read that was cancelled.
fn work_until_cancelled(call: &Call<'_>) -> Result<Done> {
    loop {
        call.code.read(b"a.rs", 10)?;
    }
}

/// An immediate tool that takes too long to read the tree.
struct StuckStatus;

static STUCK_STATUS: Tool = Tool::of::<StuckStatus>();

impl Define for StuckStatus {
    const NAME: &'static str = "codedb_status";
    const SUMMARY: &'static str = "Wait";
    const DETAILS: &'static str = "For tests";
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Immediate;
    const POSITIONAL: &'static [&'static str] = &["what"];
    type Args = Args;
    type Reply = Done;

    fn run(call: &Call<'_>, args: Args) -> Result<Done> {
        if args.what == "stuck" {
            std::thread::sleep(Duration::from_secs(20));
        }
        call.code.files()?;
        Ok(Done { what: args.what })
    }
}

/// A tool that needs the code index and starts to read the tree only after its time limit.
struct Late;

static LATE: Tool = Tool::of::<Late>();

impl Define for Late {
    const NAME: &'static str = "codedb_symbol";
    const SUMMARY: &'static str = "Read late";
    const DETAILS: &'static str = "For tests";
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Code;
    const POSITIONAL: &'static [&'static str] = &["what"];
    type Args = Args;
    type Reply = Done;

    fn run(call: &Call<'_>, args: Args) -> Result<Done> {
        if args.what == "late" {
            std::thread::sleep(Duration::from_secs(2));
        }
        call.code.files()?;
        Ok(Done { what: args.what })
    }
}

/// A client with its own server.
struct Client {
    _place: tempfile::TempDir,
    to: PipeWriter,
    from: BufReader<PipeReader>,
}

impl Client {
    fn new() -> Client {
        Client::of(|_| ())
    }

    /// Returns a client for a tree whose index cannot be built.
    fn without_index() -> Client {
        Client::of(|base| std::fs::write(base.join("index"), "").expect("a file"))
    }

    fn of(prepare: impl FnOnce(&Path)) -> Client {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        std::fs::create_dir(base.join("tree")).expect("a folder");
        std::fs::write(base.join("tree/a.rs"), "fn a() {}\n").expect("a file");
        prepare(&base);
        let (input, to) = std::io::pipe().expect("a pipe");
        let (from, output) = std::io::pipe().expect("a pipe");
        let open = move |_: Option<&Path>| {
            let store = Store::new(base.join("index"), false);
            let environment = Environment { global_excludes: None, threads: 1 };
            Ok(Engine::new(base.join("tree"), store, environment))
        };
        let toolsets = vec![Toolset::Core];
        let options = Options {
            open: Box::new(open),
            roots: Vec::new(),
            cache: PathBuf::new(),
            allows: Allows::default(),
            toolsets,
            writes: Writes::Refused,
            threads: 1,
            remote: None,
        };
        let serving = std::thread::Builder::new().name("reads".to_owned());
        let tools = vec![&SCRIPTED, &STUCK_STATUS, &LATE];
        serving.spawn(move || serve_tools(options, tools, input, output)).expect("a thread");
        Client { _place: place, to, from: BufReader::new(from) }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").expect("the server reads");
    }

    fn call(&mut self, id: u32, what: &str) {
        self.call_tool("codedb_obeys", id, what);
    }

    fn call_tool(&mut self, tool: &str, id: u32, what: &str) {
        let params = json!({"name": tool, "arguments": {"what": what}});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("the server answers");
        serde_json::from_str(&line).expect("a line is JSON")
    }

    /// Returns the id of the next response, whether it is a tool error, and its text.
    fn answer(&mut self) -> (u64, bool, String) {
        let answer = self.next();
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().expect("a text").to_owned();
        (answer["id"].as_u64().expect("an id"), result["isError"] == true, text)
    }
}

#[test]
fn status_does_not_wait_for_the_tree_nor_for_other_calls() {
    let mut client = Client::new();
    for id in 1..=5 {
        client.call(id, "work");
    }
    let since = Instant::now();
    client.call_tool("codedb_status", 9, "stuck");
    let answer = client.next();
    // The limit is 50 ms; a busy machine may need much longer.
    assert!(since.elapsed() < Duration::from_secs(30), "it waited");
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(9), &json!(false)));
    let meta = &answer["result"]["_meta"];
    assert_eq!(meta["status"], "partial", "{answer}");
    assert_eq!(meta.get("freshness"), None, "the tree was not read: {answer}");
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("root  ") && text.contains("\nnote: "), "{text}");
}

#[test]
fn without_an_index_a_call_ends_at_its_limit_with_a_partial_reply() {
    let mut client = Client::without_index();
    client.call_tool("codedb_symbol", 1, "late");
    let answer = client.next();
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{answer}");
    assert_eq!(result["_meta"]["status"], "partial", "{answer}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert!(text.starts_with("nothing found yet\nnote: "), "{text}");
    assert!(text.contains("the index cannot be built") && !text.contains("`codedb index`"));
    client.call_tool("codedb_symbol", 2, "now");
    let answer = client.next();
    assert_eq!(answer["result"]["_meta"]["freshness"], "current", "{answer}");
}

#[test]
fn freshness_is_absent_if_no_tree_was_read() {
    let mut client = Client::new();
    client.call_tool("codedb_symbol", 1, "now");
    assert_eq!(client.next()["result"]["_meta"]["freshness"], "current");
    let params = json!({"name": "codedb_symbol", "arguments": {"unknown": 1}});
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    let result = client.next()["result"].clone();
    assert_eq!((&result["isError"], result["_meta"].get("freshness")), (&json!(true), None));
}

#[test]
fn a_panic_fails_only_its_own_call() {
    let mut client = Client::new();
    for id in 0..6 {
        // There are only three slots: if a panic did not release its slot, later calls would hang.
        client.call(id, "panic");
        let (answered, is_error, text) = client.answer();
        assert_eq!((answered, is_error), (u64::from(id), true));
        assert!(
            text.contains(
                "internal error in `codedb_obeys` (a bug; please report it); other calls work"
            ),
            "{text}"
        );
    }
    client.call(9, "fine");
    assert_eq!(client.answer(), (9, false, "fine".to_owned()));
}

#[test]
fn a_cancelled_call_stops_working() {
    let mut client = Client::new();
    client.call(1, "work and report");
    client.call(2, "beside it");
    assert_eq!(client.answer().0, 2);
    // A call that is cancelled before it started never works at all: wait for it.
    let since = Instant::now();
    while !STARTED.load(Ordering::Acquire) {
        assert!(since.elapsed() < Duration::from_secs(60), "it does not start");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(!ENDED.load(Ordering::Acquire));
    let method = "notifications/cancelled";
    client.send(&json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}}));
    while !ENDED.load(Ordering::Acquire) {
        assert!(since.elapsed() < Duration::from_secs(60), "it goes on");
        std::thread::sleep(Duration::from_millis(1));
    }
    // A cancelled call gets no response, and its id can be used again.
    client.call(1, "once more");
    assert_eq!(client.answer(), (1, false, "once more".to_owned()));
}

#[test]
fn an_id_can_be_used_again_while_its_cancelled_call_ends() {
    let mut client = Client::new();
    let method = "notifications/cancelled";
    for round in 0..200 {
        client.call(1, "work");
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}}));
        let what = format!("round {round}");
        client.call(1, &what);
        assert_eq!(client.answer(), (1, false, what));
    }
}

#[test]
fn all_pending_calls_can_be_cancelled() {
    let mut client = Client::new();
    for id in 1..=64 {
        client.call(id, "work");
    }
    for id in 1..=64 {
        let method = "notifications/cancelled";
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": id}}));
    }
    client.call(99, "after all");
    assert_eq!(client.answer(), (99, false, "after all".to_owned()));
}

#[test]
fn long_replies_are_truncated_at_a_line_end() {
    let mut client = Client::new();
    client.call(1, "long\n");
    let (_, _, text) = client.answer();
    let lines = text.lines().count();
    assert!(text.starts_with("long\nlong\n") && lines < 10_000, "{lines} lines");
    let notice = text.lines().last().expect("a notice");
    assert!(notice.contains("of 50000 lines shown"), "{notice}");
}

#[test]
fn a_pending_id_is_rejected() {
    let mut client = Client::new();
    client.call(1, "work");
    for _ in 0..3 {
        client.call(1, "again");
        let refused = client.next();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
    }
}
