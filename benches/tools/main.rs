//! Tools in a warm process: `cargo bench --bench tools -- --tree DIR --store DIR [--edit FILE]
//! [--tasks FILE]`.
//!
//! The directory of `--store` gets the tree's index, if it has none. Names and paths are sampled
//! from the catalog with a fixed step. Each is queried once before it is timed, run and rendered, in a
//! process that watches the tree, as `codedb mcp` does; the table has the median and the 95th
//! percentile of the calls. With `--edit` a line is repeatedly appended to
//! that file, and the time until its new definition is found, with all freshness checks, is
//! measured; the file is restored at the end.
//!
//! With `--tasks` (a JSON object with `task` on each line) only `codedb_context` is called, once
//! per task. The first tenth of the tasks is for warm-up and not counted.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use codedb::base::ids::FileId;
use codedb::catalog::code::Code as _;
use codedb::engine::{self, Check, Engine, Local, Pace, Progress, Stop};
use codedb::index::store::Store;
use codedb::source::walk::Environment;
use codedb::tools::{self, Call};
use serde_json::{Value, json};

/// The number of names and paths.
const SAMPLES: usize = 400;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name: &str| {
        args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1)).map(PathBuf::from)
    };
    let (Some(tree), Some(store)) = (value("--tree"), value("--store")) else {
        print(
            "usage: cargo bench --bench tools -- --tree DIR --store DIR [--edit FILE] [--tasks FILE]\n",
        );
        return;
    };
    let root = tree.canonicalize().expect("the tree exists");
    let environment = Environment { global_excludes: None, threads: 2 };
    let engine = Engine::new(root.clone(), Store::new(store, false), environment);
    // The rules of the store may belong to another environment, in which case the tree would be
    // walked.
    let progress = Progress::default();
    engine::refresh(&engine, &progress).expect("an index");
    engine::build_code(&engine, false, &progress).expect("a code index");
    let local = Local::new(&engine, Check::Strict);
    let catalog = local.catalog(&[]).expect("an index");
    print(&format!("{} files, {} unknown\n", catalog.files().len(), catalog.missing().len()));
    let (mut names, mut paths) = (Vec::new(), Vec::new());
    let step = (catalog.files().len() / SAMPLES).max(1);
    for file in (0..catalog.files().len()).step_by(step).map(FileId::new) {
        let Ok(Some(facts)) = catalog.facts(file) else { continue };
        paths.push(facts.path.clone());
        let callable = facts.symbols.iter().filter(|symbol| symbol.kind.is_callable());
        names.extend(callable.map(|symbol| symbol.name.clone()).next());
    }
    print("| tool | calls | median | 95 % |\n| --- | --- | --- | --- |\n");
    if let Some(file) = value("--tasks") {
        let text = std::fs::read_to_string(file).expect("a file of tasks");
        tasks(&engine, text.lines().collect());
        return;
    }
    drop(local);
    watched(&engine, || {
        let by_name = |name: &String| json!({ "name": name });
        let by_path = |path: &String| json!({ "path": path });
        let same = |args: Value| vec![args; SAMPLES / 2];
        row(&engine, "status", same(json!({})));
        row(&engine, "tree", same(json!({})));
        row(&engine, "hot", same(json!({})));
        row(&engine, "changes", same(json!({})));
        row(&engine, "snapshot", same(json!({})));
        let three = paths.iter().zip(&names).map(|(path, name)| {
            let ops = [
                json!({ "tool": "codedb_outline", "arguments": by_path(path) }),
                json!({ "tool": "codedb_symbol", "arguments": by_name(name) }),
                json!({ "tool": "codedb_find", "arguments": { "query": name } }),
            ];
            json!({ "ops": ops })
        });
        row(&engine, "bundle", three.collect());
        row(&engine, "symbol", names.iter().map(by_name).collect());
        row(&engine, "word", names.iter().map(|name| json!({ "word": name })).collect());
        row(&engine, "search", names.iter().map(|name| json!({ "query": name })).collect());
        row(&engine, "callers", names.iter().map(by_name).collect());
        row(&engine, "outline", paths.iter().map(by_path).collect());
        let lines = |path: &String| json!({ "path": path, "line_start": 1, "line_end": 40 });
        row(&engine, "read", paths.iter().map(lines).collect());
        let five = paths.windows(5).zip(&names).map(|(paths, name)| {
            let mut targets: Vec<String> =
                paths.iter().map(|path| format!("{path}:1-40")).collect();
            targets[0] = name.clone();
            json!({ "targets": targets })
        });
        row(&engine, "read", five.collect());
        traces(&engine, &names);
        row(&engine, "deps", paths.iter().map(by_path).collect());
        let queries = paths.iter().filter_map(|path| path.rsplit('/').next());
        row(&engine, "find", queries.map(|name| json!({ "query": name })).collect());
    });
    if let Some(file) = value("--edit") {
        edits(&engine, &file);
    }
}

/// Measures the second call of each query of a tool.
fn row(engine: &Engine, name: &str, queries: Vec<Value>) {
    let tool = tools::find(name).expect("it is in the table");
    let call = |args: &Value| {
        let local = Local::new(engine, Check::Watcher);
        let answer = tool.run(&Call::new(&local, 0), args.clone());
        answer.map(|answer| answer.text())
    };
    let mut times = Vec::new();
    for args in &queries {
        let _ = call(args);
        let started = Instant::now();
        let answered = call(args);
        times.push(started.elapsed());
        if let Err(error) = answered {
            print(&format!("{name} {args}: {error}\n"));
        }
    }
    print_row(name, times);
}

/// Measures the first call of chains: from a definition to one that it runs, to one that it probably does
/// not, and what it runs.
fn traces(engine: &Engine, names: &[String]) {
    let tool = tools::find("trace").expect("it is in the table");
    let call = |args: &Value| {
        let local = Local::new(engine, Check::Watcher);
        let started = Instant::now();
        let answer = tool.run(&Call::new(&local, 0), args.clone());
        let reply = answer.ok().and_then(|answer| answer.json().ok());
        let reply = reply.and_then(|json| serde_json::from_str::<Value>(&json).ok());
        (started.elapsed(), reply)
    };
    let (mut trees, mut chains, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (at, name) in names.iter().enumerate() {
        // An unconnected pair first: it resolves most, so it is the most expensive one.
        let other = &names[(at + names.len() / 2) % names.len()];
        others.push(call(&json!({ "from": name, "to": other })).0);
        let (time, tree) = call(&json!({ "from": name }));
        trees.push(time);
        let runs = tree.and_then(|tree| tree["runs"].as_array().cloned()).unwrap_or_default();
        let deepest = runs.iter().max_by_key(|entry| entry["depth"].as_u64());
        let deepest = deepest.filter(|entry| entry["depth"].as_u64() > Some(1));
        if let Some(end) = deepest.and_then(|entry| entry["qualified_name"].as_str()) {
            chains.push(call(&json!({ "from": name, "to": end })).0);
        }
    }
    print_row("trace, a tree", trees);
    print_row("trace, a chain", chains);
    print_row("trace, others", others);
}

/// Measures the time from an edit of `file` to a reply that contains it.
fn edits(engine: &Engine, file: &PathBuf) {
    let before = std::fs::read(file).expect("the file exists");
    let tool = tools::find("symbol").expect("it is in the table");
    let mut times = Vec::new();
    for round in 0..30 {
        let name = format!("edited_in_round_{round}");
        let line = format!("\nfunction {name}() {{}}\n");
        std::fs::write(file, [&before, line.as_bytes()].concat()).expect("it can be written");
        let started = Instant::now();
        let local = Local::new(engine, Check::Strict);
        let answer = tool.run(&Call::new(&local, 0), json!({ "name": name }));
        times.push(started.elapsed());
        assert!(answer.is_ok_and(|answer| answer.is_found()), "{name} was not found");
    }
    std::fs::write(file, before).expect("it can be written");
    print_row("one edited file", times);
}

/// Measures tasks, one call each, while the tree is watched.
fn tasks(engine: &Engine, lines: Vec<&str>) {
    let tool = tools::find("context").expect("it is in the table");
    watched(engine, || {
        let mut times = Vec::new();
        for line in &lines {
            let task: Value = serde_json::from_str(line).expect("an object");
            let started = Instant::now();
            let local = Local::new(engine, Check::Watcher);
            let call = Call::new(&local, 0);
            let answer = tool.run(&call, json!({ "task": task["task"] }));
            let text = answer.map_or_else(|error| error.to_string(), |answer| answer.text());
            times.push(started.elapsed());
            assert!(!text.is_empty(), "no reply");
        }
        print_row("context", times.split_off(times.len() / 10));
    });
}

/// Runs `measure` while the tree is watched.
fn watched(engine: &Engine, measure: impl FnOnce()) {
    let stop = Stop::new().expect("a handle");
    std::thread::scope(|scope| {
        let ended = StopOnDrop(&stop);
        scope.spawn(|| {
            engine::serve(engine, &Pace::default(), &stop).expect("no other process watches");
        });
        while engine::start_sync(engine).is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        measure();
        drop(ended);
    });
}

/// Ends the watcher, also after a panic.
struct StopOnDrop<'a>(&'a Stop);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn print_row(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    print(&format!("| {name} | {} | {:?} | {:?} |\n", times.len(), at(50), at(95)));
}

#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn print(text: &str) {
    print!("{text}");
}
