//! `mcp/…`: calls over the protocol; client and server in this process, one pipe in each direction.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use codedb::mcp::{self, Allows, Options, Toolset, Writes};
use serde_json::{Value, json};

use super::case::{Case, CaseOutput, Mode};
use super::corpus::Outcome;
use super::stage::Stage;

/// The time limit until the server's index is complete.
const READY_PATIENCE: Duration = Duration::from_secs(300);

/// Returns the cases; the server is started if one is selected.
///
/// # Errors
///
/// If the server does not reply.
pub(crate) fn cases<'a>(
    stage: &'a Stage,
    is_selected: &dyn Fn(&str) -> bool,
) -> Outcome<Vec<Case<'a>>> {
    let call = |tool: &str, arguments: Value| {
        ("tools/call", json!({ "name": format!("codedb_{tool}"), "arguments": arguments }))
    };
    let all = [
        ("list", "all", ("tools/list", json!({}))),
        ("find", "name", call("find", json!({ "query": "flask app" }))),
        ("outline", "file", call("outline", json!({ "path": "pypi/flask/flask/app.py" }))),
        ("search", "rare", call("search", json!({ "query": "stringToPath" }))),
        ("symbol", "name", call("symbol", json!({ "name": "Flask" }))),
        ("context", "task", call("context", json!({ "task": "how does Flask find a template" }))),
        ("projects", "all", call("projects", json!({}))),
        ("index", "known", call("index", json!({ "path": stage.corpus.tree }))),
    ];
    let wanted: Vec<_> = all
        .into_iter()
        .map(|(tool, name, request)| (format!("mcp/{tool}/{name}"), request))
        .filter(|(name, _)| is_selected(name))
        .collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let client = Rc::new(RefCell::new(Client::connect(stage)?));
    let made = wanted.into_iter().map(|(name, (method, params))| {
        let client = Rc::clone(&client);
        let run = move || {
            let result = client.borrow_mut().request(method, &params)?;
            let text = result["content"][0]["text"].as_str().map(str::to_owned);
            Ok(CaseOutput::Text(text.unwrap_or_else(|| result.to_string())))
        };
        let tool = String::new();
        Case { name, tool, expected: None, is_countable: false, run: Box::new(run) }
    });
    Ok(made.collect())
}

/// The client of a server that runs in another thread until the client disconnects.
struct Client {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    last: u64,
}

impl Client {
    fn connect(stage: &Stage) -> Outcome<Client> {
        let fail = |error: std::io::Error| format!("no pipe: {error}");
        let (input, to) = std::io::pipe().map_err(fail)?;
        let (from, output) = std::io::pipe().map_err(fail)?;
        let threads = Mode::Watched.threads();
        let engine = stage.engine(threads);
        let options = Options {
            open: Box::new(move |_| Ok(engine.clone())),
            roots: vec![stage.corpus.tree.clone()],
            cache: stage.index_dir().to_path_buf(),
            allows: Allows { index: true, clone: false },
            toolsets: vec![Toolset::Core, Toolset::Navigate],
            writes: Writes::Refused,
            threads,
            remote: None,
        };
        thread::spawn(move || mcp::serve(options, input, output));
        let mut client = Client { to, from: BufReader::new(from), last: 0 };
        let about = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "cases", "version": "1" },
        });
        client.request("initialize", &about)?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let status = json!({ "name": "codedb_status", "arguments": { "format": "json" } });
        let since = Instant::now();
        while client.request("tools/call", &status)?["structuredContent"]["full"] != true {
            if since.elapsed() > READY_PATIENCE {
                return Err("the server does not get its index whole".to_owned());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(client)
    }

    fn send(&mut self, message: &Value) -> Outcome<()> {
        writeln!(self.to, "{message}")
            .map_err(|error| format!("the connection to the server failed: {error}"))
    }

    /// Sends a request and returns its result.
    fn request(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let mut line = String::new();
        let read = self.from.read_line(&mut line);
        read.map_err(|error| format!("the connection to the server failed: {error}"))?;
        let mut answer: Value = serde_json::from_str(&line)
            .map_err(|error| format!("the server answers with no JSON: {error}"))?;
        if answer["id"] != id {
            return Err(format!("the server answers something else: {line}"));
        }
        match answer.get("error") {
            Some(error) => Err(format!("`{method}` failed: {error}")),
            None => Ok(answer["result"].take()),
        }
    }
}
