//! The generated pages of docs/: those of the tools, with replies of real calls, and those of the
//! clients. A test fails if its page is outdated; with `CODEDB_WRITE_DOCS=1` in the environment it
//! writes the page instead.

mod clients;
mod picture;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use codedb::tools::unlisted::is_unlisted;
use codedb::tools::{Alias, CommandLine, Effect, TOOLS, Tool, command_line};
use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::mcp::transcript::shop;
use crate::support::place::{Answer, Place, settle};

/// The length up to which JSON stays on one line.
const JSON_CHARS: usize = 100;

const INDEX: &str = "\
# Tools

Each tool has a page with its arguments and examples. [agents.md](agents.md) explains which tool to use when, [mcp.md](mcp.md) how they are served.

Each tool is also a command: `codedb_symbol` is `codedb symbol`, with a flag for each argument (`max_results` is `--max-results`). Arguments marked as positional need no flag. `--json` prints JSON, with the list as `items`, too, and `truncated` (not within a given `--max-tokens`); `--format jsonl` prints its entries, one a line. To each repository path in `path` it adds the path relative to the current directory in `relative_path`, except in replies with a token budget. Exit codes: 0 found, 1 nothing found or a name that is not defined, 2 error or unknown. `codedb_search`, `codedb_status`, `codedb_index`, `codedb_snapshot` and `codedb_check` are different: the commands of these names take other arguments. The tools of the toolset `check` are no commands, and those of `decisions` are parts of `codedb decisions`. `codedb edit PATH --op create --content -` reads the text from standard input, byte for byte.

**Paths** are relative to the root of the tree and separated by `/`. Absolute paths below the root are accepted. The command line also accepts paths relative to the current directory; with `--root` only if the current directory is inside of that root. A file whose name is not UTF-8 is listed with `\u{FFFD}` in its name and cannot be selected by it.

**Lists** report how many entries exist (`total`) and how many are listed (`shown`). `max_results` is at most 1,000.

**Projects:** on a server, every tool also accepts `project`: the name or absolute path of a tree that `codedb_projects` lists. An absolute `path` inside of one of these trees selects it, too. In a bundle, each call can have its own project.

**Aliases:** common names from other programs are accepted and reported in a notice, for example `pattern` for `query` of `codedb_search`, and `file_path`, `offset` and `limit` of `codedb_read`.

**Chisel's clients:** names of tools without `codedb_`, `analyze`, `update` and unlisted arguments (`auto_update`, `working_tree`, `force`, `shard`, `fallback_to_all`, …) are accepted. Replies of the toolset `history` have `status` and `next_steps`, and `error` where something prevents an answer. A failed call has the same fields with `--json` and `\"format\": \"json\"`: `error` is `unknown_path`, `unknown_name`, `unknown_ref`, `invalid_argument`, `not_a_git_repo`, `git_command_failed` or another identifier that does not change.

**Freshness:** replies are checked against the tree, like searches. `--fresh trust` skips the check; a notice reports that, and JSON begins with `\"freshness\":\"trust\"`. Without a complete index, a call returns what it can compute at once (`status` is `partial` if that is incomplete) and starts a build in the background, unless `--no-background` or `CODEDB_BACKGROUND=0` is set.

These pages are generated from the table in `src/tools.rs` by the tests, which run the examples on the tree of `codedb demo`. A server's text is that of the command, with calls of tools as next steps.

| tool | toolset | description |
| --- | --- | --- |
";

/// Fails unless a page of docs/ equals `expected`; with `CODEDB_WRITE_DOCS` writes it.
fn check(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if fs::read_to_string(&path).is_ok_and(|found| found == expected) {
        return;
    }
    assert!(
        std::env::var_os("CODEDB_WRITE_DOCS").is_some(),
        "docs/{name} is behind; CODEDB_WRITE_DOCS=1 has the test write it"
    );
    let folder = path.parent().expect("a directory");
    fs::create_dir_all(folder).and_then(|()| fs::write(&path, expected)).expect("it is written");
}

/// Fails if a directory of docs/ has a page of something that no longer exists.
fn check_folder(name: &str, mut pages: Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    let found = fs::read_dir(folder).expect("the pages exist").flatten();
    let mut found: Vec<String> =
        found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    pages.sort();
    assert_eq!(found, pages);
}

/// Creates a small example shop with fixed times, a library in a sibling directory, and a server.
struct Examples {
    place: Place,
    session: Session,
    /// The toolset of each tool.
    listed: BTreeMap<String, &'static str>,
}

impl Examples {
    fn start() -> Examples {
        let place = shop();
        let mut files: Vec<_> = walk(&place.root());
        commit(&place);
        files.sort();
        for (day, file) in files.iter().enumerate() {
            let at = Duration::from_secs(1_736_942_400 + day as u64 * 86_400);
            let file = fs::File::options().write(true).open(file).expect("it can be opened");
            file.set_modified(SystemTime::UNIX_EPOCH + at).expect("it can be set");
        }
        place.write("../library/price.rs", "pub fn rounded(cents: u64) -> u64 {\n    cents\n}\n");
        settle();
        place.index(&["-q", "--stage", "full"]).expect_success();
        let mut listed = BTreeMap::new();
        let mut list = |args: &[&str], set: &'static str| {
            let mut session = Session::start(&place, args);
            session.initialize("2025-11-25", json!({}));
            let answer = session.request("tools/list", json!({}));
            for tool in answer["tools"].as_array().expect("a list") {
                let name = tool["name"].as_str().expect("a name").to_owned();
                listed.entry(name).or_insert(set);
            }
            session
        };
        list(&[], "core").end();
        list(&["--toolsets", "core,navigate"], "navigate").end();
        list(&["--toolsets", "core,navigate,history"], "history").end();
        list(&["--toolsets", "core,navigate,history,check"], "check").end();
        list(&["--toolsets", "core,navigate,history,check,drift"], "drift").end();
        list(&["--toolsets", "all"], "decisions").end();
        let edits = ["--toolsets", "all", "--allow-edit"];
        let session = list(&edits, "navigate, only with `--allow-edit`");
        Examples { place, session, listed }
    }

    /// Returns the text and the structured content of a reply.
    fn ask(&mut self, name: &str, arguments: &Value) -> (String, Value) {
        let mut as_data = arguments.clone();
        as_data["format"] = json!("json");
        // Calls that write are made once.
        let is_write = name == "codedb_edit" && arguments["dry_run"] != true;
        let data = if is_write {
            json!(null)
        } else {
            self.session.call(name, as_data)["structuredContent"].clone()
        };
        let text = self.session.text(name, arguments.clone());
        let data = self.reported(&data.to_string());
        (self.reported(&text), serde_json::from_str(&data).expect("it is JSON"))
    }

    /// Returns what a command line prints in the shop: standard output, then standard error.
    fn run(&self, line: &str) -> String {
        let words = line.strip_prefix("codedb ").expect("a command of codedb");
        let mut shell = self.place.command("sh");
        shell.arg("-c").arg(format!("exec '{}' {words}", env!("CARGO_BIN_EXE_codedb")));
        shell.env("CODEDB_INDEX_DIR", self.place.cache());
        shell.env("CODEDB_DATA_DIR", self.place.base().join("data-of-commands"));
        let answer = Answer::of(shell);
        assert!(answer.code < 2, "{line}: {}", answer.stderr);
        self.reported(&(answer.text() + &answer.stderr))
    }

    /// Returns a reply with the names that are the same in each run.
    fn reported(&self, reply: &str) -> String {
        let (root, base) = (self.place.root(), self.place.base());
        let reply = reply.replace(&root.display().to_string(), "/home/you/shop");
        let reply = reply.replace(&base.display().to_string(), "/home/you");
        let reply = with_fixed_ids(&reply);
        // The directory of the shop, and with it the project, has a random name.
        reply
            .replace("tree  /home/you/shop", "shop  /home/you/shop")
            .replace("\"name\":\"tree\"", "\"name\":\"shop\"")
    }
}

/// Stores the files in git, in two commits at fixed times.
fn commit(place: &Place) {
    let git = |day: u32, name: &str, args: &[&str]| {
        let mut command = place.command("git");
        command.args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"]).args(args);
        for role in ["AUTHOR", "COMMITTER"] {
            let email = format!("{}@example.org", name.to_lowercase());
            command.env(format!("GIT_{role}_NAME"), name).env(format!("GIT_{role}_EMAIL"), email);
            command.env(format!("GIT_{role}_DATE"), format!("2025-01-{day}T12:00:00Z"));
        }
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        Answer::of(command).expect_success();
    };
    let cart = fs::read_to_string(place.root().join("src/cart.rs")).expect("a file");
    place.write("src/cart.rs", cart.replace("Price::of(sum)", "Price { cents: sum }"));
    git(10, "Ann", &["init", "-q", "-b", "main"]);
    git(10, "Ann", &["add", "-A"]);
    git(10, "Ann", &["commit", "-q", "-m", "Begin a shop"]);
    place.write("src/cart.rs", cart);
    let price = fs::read_to_string(place.root().join("src/price.rs")).expect("a file");
    place.write("src/price.rs", price.replace("/// Cents.", "/// A price in cents."));
    git(20, "Ben", &["add", "-A"]);
    git(20, "Ben", &["commit", "-q", "-m", "Fix the total without a coupon"]);
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("it can be listed").flatten();
    let all = entries.map(|entry| entry.path());
    all.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn every_tool_has_its_page() {
    let mut examples = Examples::start();
    let mut index = INDEX.to_owned();
    for tool in TOOLS {
        let set = examples.listed[tool.name];
        let (name, page) = (tool.name, tool.command());
        let _ = writeln!(index, "| [`{name}`](tools/{page}.md) | {set} | {} |", tool.summary);
        let text = page_of(tool, &mut examples);
        check(&format!("tools/{page}.md"), &text);
    }
    check("tools.md", &index);
    examples.session.end();
    check_folder("tools", TOOLS.iter().map(|tool| format!("{}.md", tool.command())).collect());
}

/// The maximum number of lines of a reply on a page.
const REPLY_LINES_MAX: usize = 14;

fn page_of(tool: &Tool, examples: &mut Examples) -> String {
    let set = examples.listed[tool.name];
    let mut out =
        format!("# {}\n\n{}. {}\n\n", tool.name, tool.summary, tool.description(&|_| true));
    let effect = match tool.effect {
        Effect::ReadOnly => "It is read-only.",
        Effect::Adds => "It adds to the session and to the cache; it does not write to a tree.",
        Effect::Records => {
            "It writes to the data of the user about the repository, not to the tree."
        }
        Effect::Starts => {
            "It starts a process that goes on after the call, and writes to the data of the user \
             about the repository."
        }
        Effect::Writes => "It writes files of the tree.",
    };
    let _ = writeln!(out, "Toolset: {set}. {effect}\n\n## Arguments\n");
    arguments(&mut out, tool);
    if !tool.examples.is_empty() {
        out.push_str("\n## Examples\n");
    }
    for example in tool.examples {
        let arguments: Value = serde_json::from_str(example).expect("it is JSON");
        let _ = writeln!(
            out,
            "\n```json\n{{\"name\": \"{}\", \"arguments\": {example}}}\n```",
            tool.name
        );
        let is_command = tool.command_line == CommandLine::Generated;
        let line = command_line::of(tool, arguments.as_object().expect("an object"));
        if is_command && tool.effect != Effect::ReadOnly {
            let _ = writeln!(out, "\n```sh\n{line}\n```");
        }
        if tool.effect == Effect::Starts {
            // The process would change what the other pages show.
            continue;
        }
        let (text, data) = examples.ask(tool.name, &arguments);
        // A reply may contain backticks itself.
        if is_command && tool.effect == Effect::ReadOnly {
            let printed = examples.run(&line);
            let _ = writeln!(out, "\n````console\n$ {line}\n{}\n````", start(printed.trim_end()));
        } else {
            let _ = writeln!(out, "\n````text\n{}\n````", start(text.trim_end()));
        }
        if !data.is_null() {
            let data = start(&shown(&data, 0));
            let _ = writeln!(out, "\nWith `\"format\": \"json\"`:\n\n```text\n{data}\n```");
        }
    }
    out
}

/// Returns the first lines of a reply: a reader wants its form, not all of it.
fn start(reply: &str) -> String {
    let lines: Vec<&str> = reply.lines().collect();
    if lines.len() <= REPLY_LINES_MAX + 1 {
        return reply.to_owned();
    }
    let left = lines.len() - REPLY_LINES_MAX;
    format!("{}\n… ({left} more lines)", lines[..REPLY_LINES_MAX].join("\n"))
}

fn arguments(out: &mut String, tool: &Tool) {
    let schema = (tool.schema)();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let properties = schema["properties"].as_object().into_iter().flatten();
    // The order of the keys of a JSON object depends on a feature that other crates may enable.
    let (unlisted, properties): (BTreeMap<&String, &Value>, BTreeMap<&String, &Value>) =
        properties.partition(|(_, property)| is_unlisted(property));
    if properties.is_empty() {
        out.push_str("None.\n");
        return;
    }
    out.push_str("| argument | type | meaning |\n| --- | --- | --- |\n");
    for (name, property) in properties {
        let kind = property["type"].as_str().unwrap_or_default();
        let mut marks = String::new();
        if required.iter().any(|other| other == name) {
            marks.push_str(", required");
        }
        if tool.positional.contains(&name.as_str()) {
            marks.push_str(", positional");
        }
        if let Some(default) = property.get("default") {
            let _ = write!(marks, ", default {default}");
        }
        let mut meaning = property["description"].as_str().unwrap_or_default().replace('\n', " ");
        if let Some(choices) = property["enum"].as_array() {
            let choices: Vec<String> =
                choices.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
            let _ = write!(meaning, "; one of {}", choices.join(", "));
        }
        let _ = writeln!(out, "| `{name}` | {kind}{marks} | {meaning} |");
    }
    let alias = |alias: &Alias| format!("`{}` for `{}`", alias.name, alias.canonical);
    let unlisted = unlisted.keys().map(|name| format!("`{name}`"));
    let accepted: Vec<String> = tool.aliases.iter().map(alias).chain(unlisted).collect();
    if !accepted.is_empty() {
        let _ = writeln!(out, "\nAlso accepted: {}.", accepted.join(", "));
    }
}

/// Returns JSON for readers: a value that fits on a line stays on one line.
fn shown(value: &Value, indent: usize) -> String {
    let whole = spaced(value);
    if whole.chars().count() + indent <= JSON_CHARS {
        return whole;
    }
    let pad = " ".repeat(indent + 2);
    let (open, close, parts): (_, _, Vec<String>) = match value {
        Value::Array(values) => {
            ('[', ']', values.iter().map(|value| shown(value, indent + 2)).collect())
        }
        Value::Object(map) => {
            let part = |(name, value): (&String, &Value)| {
                format!("{}: {}", json!(name), shown(value, indent + 2))
            };
            ('{', '}', map.iter().map(part).collect())
        }
        _ => return whole,
    };
    let lines: Vec<String> = parts.iter().map(|part| format!("{pad}{part}")).collect();
    format!("{open}\n{}\n{}{close}", lines.join(",\n"), " ".repeat(indent))
}

/// Returns JSON on one line.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(values) => {
            format!("[{}]", values.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => {
            let part =
                |(name, value): (&String, &Value)| format!("{}: {}", json!(name), spaced(value));
            format!("{{{}}}", map.iter().map(part).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns a reply with the same id for each decision: they are random.
fn with_fixed_ids(reply: &str) -> String {
    const ID: &str = "3f2a9c1d-5b7e-4a60-9c8d-1e2f3a4b5c6d";
    let is_id = |text: &str| {
        let is_part = |(at, byte): (usize, u8)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        };
        text.bytes().enumerate().all(is_part)
    };
    let mut out = String::new();
    let mut rest = reply;
    while let Some(next) = rest.chars().next() {
        if rest.get(..ID.len()).is_some_and(is_id) {
            out.push_str(ID);
            rest = &rest[ID.len()..];
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}
