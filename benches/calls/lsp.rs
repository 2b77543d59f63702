//! A language server as the oracle: `textDocument/definition` for each site; in C and C++ also
//! `textDocument/declaration`, since a header's declaration and its definition are one target. In
//! JavaScript and TypeScript, a name that a pattern binds is looked up once more; see [`shorthands`].

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::options::Options;
use crate::sample::{Answered, Definition, Site};
use crate::tree::Tree;

/// The time limit until a server reports that it has indexed the tree.
const READY_MAX: Duration = Duration::from_secs(600);

/// Queries the oracle for the definition of each site.
pub(crate) fn resolve_sites(
    options: &Options,
    tree: &Tree,
    sites: &[Site],
) -> Result<Vec<Answered>, String> {
    let mut server = Server::start(options, tree)?;
    let mut opened: Option<&str> = None;
    let mut answers: Vec<(usize, Answered)> = Vec::new();
    let mut inactive = HashSet::new();
    // File by file: a server checks all open files again after each change.
    let mut order: Vec<(usize, &Site)> = sites.iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| a.path.cmp(&b.path));
    for (number, site) in order {
        let uri = uri(tree, &site.path);
        if opened != Some(site.path.as_str()) {
            let text = String::from_utf8_lossy(&tree.texts[&site.path]).into_owned();
            let document = json!({
                "uri": uri, "languageId": language_id(&site.path, &options.language), "version": 1,
                "text": text,
            });
            if let Some(before) = opened.replace(&site.path) {
                let closed = json!({ "textDocument": { "uri": self::uri(tree, before) } });
                server.notify("textDocument/didClose", &closed)?;
            }
            server.notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
            if answers.is_empty() {
                server.wait_until_ready()?;
            }
            inactive = server.inactive_lines(&uri)?;
        }
        let Some((line, character)) = tree.position(&site.path, site.byte) else { continue };
        let position = json!({ "line": line, "character": character });
        if inactive.contains(&line) {
            // The server would return any definition of the name.
            answers.push((number, Answered { site: site.clone(), definitions: Vec::new() }));
            continue;
        }
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        let mut definitions = Vec::new();
        for method in methods(&options.language) {
            let reply = server.request(method, &params)?;
            definitions.append(&mut self::definitions(tree, &reply));
            if is_script(&options.language) {
                replace_shorthands(&mut server, tree, site, &reply, &mut definitions)?;
            }
        }
        definitions.sort();
        definitions.dedup();
        answers.push((number, Answered { site: site.clone(), definitions }));
    }
    server.stop();
    answers.sort_by_key(|(number, _)| *number);
    Ok(answers.into_iter().map(|(_, answered)| answered).collect())
}

/// Returns the requests whose locations are the same target.
fn methods(language: &str) -> &'static [&'static str] {
    match language {
        "c" | "cpp" => &["textDocument/definition", "textDocument/declaration"],
        _ => &["textDocument/definition"],
    }
}

fn is_script(language: &str) -> bool {
    matches!(language, "javascript" | "typescript")
}

/// Replaces definitions that only abbreviate another name in the file of a site: the server returns the
/// pattern for a call of `name` after `const { name } = value`, and for the pattern the property of the
/// value, which is what the call means.
fn replace_shorthands(
    server: &mut Server,
    tree: &Tree,
    site: &Site,
    reply: &Value,
    definitions: &mut Vec<Definition>,
) -> Result<(), String> {
    for position in shorthands(tree, site, reply) {
        let uri = uri(tree, &site.path);
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        let behind = server.request("textDocument/definition", &params)?;
        let behind = self::definitions(tree, &behind);
        let line = position["line"].as_u64().unwrap_or_default() as usize;
        let itself = Definition { path: site.path.clone(), line };
        if !behind.is_empty() && !behind.contains(&itself) {
            definitions.retain(|definition| *definition != itself);
            definitions.extend(behind);
        }
    }
    Ok(())
}

/// Returns the positions of a reply in the site's file at which the site's name stands alone between
/// braces: `{ name }`, `{ name = 1 }`.
fn shorthands(tree: &Tree, site: &Site, reply: &Value) -> Vec<Value> {
    let one = std::slice::from_ref(reply);
    let locations = reply.as_array().map_or(one, Vec::as_slice);
    let text = tree.texts.get(&site.path).map(Vec::as_slice).unwrap_or_default();
    let there = uri(tree, &site.path);
    let position = |location: &Value| {
        let uri = location.get("targetUri").or(location.get("uri"))?.as_str()?;
        let range = location.get("targetSelectionRange").or(location.get("range"))?;
        let start = range.get("start").filter(|_| uri == there)?;
        let (line, column) = (start["line"].as_u64()? as usize, start["character"].as_u64()?);
        let first = match line {
            0 => 0,
            line => memchr::memchr_iter(b'\n', text).nth(line - 1)? + 1,
        };
        // Units of UTF-16 and bytes are the same in all but a few lines.
        let (before, after) = text.split_at_checked(first + column as usize)?;
        let after = after.strip_prefix(site.name.as_bytes())?.trim_ascii_start();
        let is_end = after.starts_with(b",")
            || after.starts_with(b"}")
            || after.starts_with(b"=") && !after.starts_with(b"==") && !after.starts_with(b"=>");
        let before = before.trim_ascii_end();
        let is_start = before.ends_with(b"{") || before.ends_with(b",");
        (is_start && is_end).then(|| start.clone())
    };
    locations.iter().filter_map(position).collect()
}

fn language_id(path: &str, language: &str) -> String {
    if path.ends_with(".tsx") { "typescriptreact".to_owned() } else { language.to_owned() }
}

fn uri(tree: &Tree, path: &str) -> String {
    format!("file://{}/{path}", tree.root.display())
}

/// Returns the locations of a reply: one `Location`, several, or `LocationLink`s.
fn definitions(tree: &Tree, reply: &Value) -> Vec<Definition> {
    let one = std::slice::from_ref(reply);
    let locations = reply.as_array().map_or(one, Vec::as_slice);
    let prefix = format!("file://{}/", tree.root.display());
    let definition = |location: &Value| {
        let uri = location.get("targetUri").or(location.get("uri"))?.as_str()?;
        let range = location.get("targetSelectionRange").or(location.get("range"))?;
        let line = range.get("start")?.get("line")?.as_u64()? as usize;
        let path = uri.strip_prefix(&prefix).unwrap_or(uri).replace("%40", "@").replace("%24", "$");
        Some(Definition { path, line })
    };
    locations.iter().filter_map(definition).collect()
}

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// The server reports when it has indexed the tree.
    tells_readiness: bool,
    is_ready: bool,
    /// The kind of token by which clangd marks code that it does not compile.
    inactive: Option<usize>,
}

impl Server {
    fn start(options: &Options, tree: &Tree) -> Result<Server, String> {
        let (program, flags) = options.oracle.split_first().ok_or("`--oracle` is missing")?;
        let mut child = Command::new(program)
            .args(flags)
            .current_dir(&tree.root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("`{program}`: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the oracle has no streams".to_owned());
        };
        let output = BufReader::new(output);
        let has_index = !flags.iter().any(|flag| flag == "--background-index=false");
        let tells_readiness =
            ["intelephense", "rust-analyzer"].iter().any(|name| program.contains(name))
                || program.contains("clangd") && has_index;
        let mut server = Server {
            child,
            input,
            output,
            next: 0,
            tells_readiness,
            is_ready: false,
            inactive: None,
        };
        let root = format!("file://{}", tree.root.display());
        let capabilities = json!({
            "textDocument": { "definition": { "linkSupport": true } },
            "workspace": { "configuration": true, "workspaceFolders": true },
            "window": { "workDoneProgress": program.contains("clangd") },
            "experimental": { "serverStatusNotification": true },
        });
        let folders = json!([{ "uri": root, "name": "tree" }]);
        // Code of every feature is resolved; nothing of the tree is run.
        let settings = json!({ "cargo": { "buildScripts": { "enable": false }, "features": "all" },
            "procMacro": { "enable": false }, "checkOnSave": false,
            "tsserver": { "useSyntaxServer": "never" }, "clearCache": true });
        let reply = server.request(
            "initialize",
            &json!({ "processId": std::process::id(), "rootUri": root, "capabilities": capabilities,
                "workspaceFolders": folders, "initializationOptions": settings }),
        )?;
        let kinds = &reply["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"];
        let kinds = kinds.as_array().filter(|_| program.contains("clangd"));
        server.inactive = kinds.and_then(|kinds| kinds.iter().position(|kind| kind == "comment"));
        server.notify("initialized", &json!({}))?;
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len())
            .and_then(|()| self.input.flush())
            .map_err(|error| format!("the oracle hung up: {error}"))
    }

    fn notify(&mut self, method: &str, params: &Value) -> Result<(), String> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let message = self.receive()?;
            if message.get("method").is_none() && message["id"] == json!(id) {
                return Ok(message.get("result").cloned().unwrap_or(Value::Null));
            }
        }
    }

    /// Reads one message; requests of the server get an empty reply.
    fn receive(&mut self) -> Result<Value, String> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).map_err(|error| error.to_string())?;
            if read == 0 {
                return Err("the oracle hung up".to_owned());
            }
            if let Some(value) = line.strip_prefix("Content-Length:") {
                length = value.trim().parse::<usize>().map_err(|error| error.to_string())?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).map_err(|error| error.to_string())?;
        let message: Value = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let is_quiescent = message["params"]["quiescent"] == json!(true);
        // The progress of clangd's index.
        let is_indexed = message["params"]["value"]["kind"] == "end";
        self.is_ready |= method == "indexingEnded"
            || method == "experimental/serverStatus" && is_quiescent
            || method == "$/progress" && is_indexed;
        if let (false, Some(id)) = (method.is_empty(), message.get("id")) {
            let items = message["params"]["items"].as_array().map_or(0, Vec::len);
            let result = match method {
                "workspace/configuration" => json!(vec![Value::Null; items]),
                _ => Value::Null,
            };
            let id = id.clone();
            self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))?;
        }
        Ok(message)
    }

    /// Returns the lines, counted from 0, of code that clangd does not compile: it marks them as comments.
    fn inactive_lines(&mut self, uri: &str) -> Result<HashSet<usize>, String> {
        let Some(kind) = self.inactive else { return Ok(HashSet::new()) };
        let document = json!({ "textDocument": { "uri": uri } });
        let reply = self.request("textDocument/semanticTokens/full", &document)?;
        let numbers: Vec<usize> = reply["data"]
            .as_array()
            .map(|data| data.iter().filter_map(|it| Some(it.as_u64()? as usize)).collect())
            .unwrap_or_default();
        let (mut line, mut lines) = (0, HashSet::new());
        // Each token: lines after the one before, column, length, kind, modifiers.
        for token in numbers.chunks_exact(5) {
            line += token[0];
            if token[3] == kind {
                lines.insert(line);
            }
        }
        Ok(lines)
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while self.tells_readiness && !self.is_ready && start.elapsed() < READY_MAX {
            self.receive()?;
        }
        Ok(())
    }

    fn stop(mut self) {
        let _ = self.request("shutdown", &Value::Null);
        let _ = self.notify("exit", &Value::Null);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
