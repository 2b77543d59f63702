//! `cargo bench --bench flows`: how many hops of known flows `codedb trace` shows, and how long it takes.
//!
//! Reads bench-corpus/agent/flows.toml, fetches its packages, indexes them, and runs
//! `codedb trace START --to END` for each flow. A hop counts if the reply has its definition. Prints
//! a table by language and split, and for flows that may be looked at (`open`) the hops that are
//! missing. `--split open|held` and `--tree NAME` select flows; `--show` prints the replies of open
//! ones; `--fetch` stops after the packages are there, and `--fetch --trees FILE` fetches the packages of
//! `[[tree]]` in another file or in the files of a directory, for `codedb eval context`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

#[expect(dead_code, reason = "other benches use more of it")]
#[path = "../corpus/mod.rs"]
mod corpus;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use corpus::Outcome;
use corpus::cache::Cache;
use corpus::manifest::Package;
use serde::Deserialize;
use serde_json::Value;

/// The folder of the flows and of their packages.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bench-corpus/agent");

/// The file of the flows.
#[derive(Deserialize)]
struct Flows {
    flow: Vec<Flow>,
}

#[derive(Deserialize)]
struct Flow {
    tree: String,
    language: String,
    split: String,
    start: String,
    end: String,
    hops: Vec<String>,
}

/// The part of the tasks' file that lists packages.
#[derive(Deserialize)]
struct Trees {
    #[serde(default)]
    tree: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    tree: String,
    #[serde(rename = "language")]
    _language: String,
    #[serde(flatten)]
    package: Package,
}

#[derive(Default)]
struct Options {
    split: Option<String>,
    tree: Option<String>,
    shows: bool,
    fetches: bool,
    /// Other files of trees, or directories of them.
    trees: Vec<PathBuf>,
}

/// What was measured of some flows.
#[derive(Default)]
struct Score {
    flows: usize,
    /// Flows of which every hop is in the reply.
    whole: usize,
    hops: usize,
    present: usize,
    bytes: usize,
    /// Definitions in the replies.
    shown: usize,
    times: Vec<Duration>,
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("flows: {message}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Outcome<Options> {
    let mut options = Options::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--split" => options.split = Some(value()?),
            "--tree" => options.tree = Some(value()?),
            "--show" => options.shows = true,
            "--fetch" => options.fetches = true,
            "--trees" => options.trees.push(value()?.into()),
            // `cargo bench` adds it.
            "--bench" => {}
            _ => return Err(format!("`{word}` is no option; see the first lines of its source")),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Outcome<()> {
    match (options.fetches, options.trees.is_empty()) {
        (true, false) => return fetch_trees(&options.trees),
        (false, false) => return Err("`--trees` needs `--fetch`".to_owned()),
        (_, true) => {}
    }
    let flows: Flows = parsed("flows.toml")?;
    let trees: Trees = parsed("tasks.toml")?;
    let cache = Cache::of_environment()?;
    cache.create()?;
    let is_chosen = |flow: &&Flow| {
        options.split.as_ref().is_none_or(|split| *split == flow.split)
            && options.tree.as_ref().is_none_or(|tree| *tree == flow.tree)
    };
    let flows: Vec<&Flow> = flows.flow.iter().filter(is_chosen).collect();
    let names: BTreeSet<&str> = flows.iter().map(|flow| flow.tree.as_str()).collect();
    let mut folders = BTreeMap::new();
    for name in names {
        let listed = trees.tree.iter().find(|listed| listed.tree == name);
        let listed = listed.ok_or_else(|| format!("tasks.toml has no tree `{name}`"))?;
        folders.insert(name, corpus::fetched(&listed.package, &cache, "agent", &progress)?);
    }
    if options.fetches {
        folders.iter().for_each(|(name, folder)| println!("{name}\t{}", folder.display()));
        return Ok(());
    }
    let indexes = cache.root().join("flows-index");
    for folder in folders.values() {
        let mut index = codedb(folder, &indexes);
        let done = index.arg("index").output().map_err(|error| error.to_string())?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            return Err(format!("the index of {}: {said}", folder.display()));
        }
    }
    let mut scores: BTreeMap<(String, String), Score> = BTreeMap::new();
    for flow in flows {
        let folder = &folders[flow.tree.as_str()];
        let measured = measure(flow, folder, &indexes)?;
        if flow.split == "open" {
            let missing: Vec<&str> =
                measured.missing.iter().map(|&at| flow.hops[at].as_str()).collect();
            if !missing.is_empty() {
                println!("{}: {} -> {}: lacks {missing:?}", flow.tree, flow.start, flow.end);
            }
            if options.shows {
                println!("{}", measured.text);
            }
        }
        for split in [flow.split.as_str(), "all"] {
            for language in [flow.language.as_str(), "every language"] {
                let of = scores.entry((split.to_owned(), language.to_owned())).or_default();
                of.flows += 1;
                of.hops += flow.hops.len();
                of.present += flow.hops.len() - measured.missing.len();
                of.whole += usize::from(measured.missing.is_empty());
                of.bytes += measured.text.len();
                of.shown += measured.shown;
                of.times.push(measured.time);
            }
        }
    }
    print(&mut scores);
    Ok(())
}

fn progress(what: &str) {
    eprintln!("flows: {what}");
}

/// Fetches the packages of files and directories, and prints the name and the folder of each.
fn fetch_trees(given: &[PathBuf]) -> Outcome<()> {
    let cache = Cache::of_environment()?;
    cache.create()?;
    let mut files: Vec<PathBuf> = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let listed = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let all = listed.flatten().map(|entry| entry.path());
        files.extend(all.filter(|path| path.extension().is_some_and(|end| end == "toml")));
    }
    files.sort();
    for file in files {
        let text =
            fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let trees: Trees =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        for Listed { tree, package, .. } in &trees.tree {
            package.check_fields()?;
            let folder = corpus::fetched(package, &cache, "context", &progress)?;
            println!("{tree}\t{}", folder.display());
        }
    }
    Ok(())
}

fn parsed<T: serde::de::DeserializeOwned>(name: &str) -> Outcome<T> {
    let path = Path::new(FOLDER).join(name);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn print(scores: &mut BTreeMap<(String, String), Score>) {
    println!(
        "| split | language | flows | whole | hops | present | share | definitions shown | bytes | p50 | p95 |"
    );
    println!("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |");
    for ((split, language), of) in scores {
        of.times.sort_unstable();
        let at = |percent: usize| {
            let time = of.times[(of.times.len() - 1) * percent / 100];
            format!("{:.0} ms", time.as_secs_f64() * 1000.0)
        };
        println!(
            "| {split} | {language} | {} | {} | {} | {} | {:.1} % | {} | {} | {} | {} |",
            of.flows,
            of.whole,
            of.hops,
            of.present,
            100.0 * of.present as f64 / of.hops as f64,
            of.shown,
            of.bytes,
            at(50),
            at(95),
        );
    }
}

/// The reply to one flow.
struct Measured {
    /// The positions of the hops that it lacks.
    missing: Vec<usize>,
    /// How many definitions it has.
    shown: usize,
    text: String,
    time: Duration,
}

fn measure(flow: &Flow, folder: &Path, indexes: &Path) -> Outcome<Measured> {
    let run = |json: bool| {
        let mut command = codedb(folder, indexes);
        command.arg("trace").args(json.then_some("--json")).args(["--", &flow.start, &flow.end]);

        let started = Instant::now();
        let done = command.output().map_err(|error| error.to_string())?;
        let time = started.elapsed();
        match done.status.code() {
            Some(0 | 1) => Ok((done.stdout, time)),
            _ => Err(format!(
                "{} -> {}: {}",
                flow.start,
                flow.end,
                String::from_utf8_lossy(&done.stderr)
            )),
        }
    };
    let (json, _) = run(true)?;
    // The second one finds the caches of the system warm.
    let (text, time) = run(false)?;
    let mut definitions = BTreeSet::new();
    let reply: Value = serde_json::from_slice(&json).unwrap_or_default();
    collect(&reply, &mut definitions);
    let is_missing = |hop: &String| !definitions.iter().any(|(path, name)| is_hop(hop, path, name));
    let missing = flow.hops.iter().enumerate().filter(|(_, hop)| is_missing(hop));
    Ok(Measured {
        missing: missing.map(|(at, _)| at).collect(),
        shown: definitions.len(),
        text: String::from_utf8_lossy(&text).into_owned(),
        time,
    })
}

/// Collects the path and the qualified name of every definition in a reply.
fn collect(value: &Value, into: &mut BTreeSet<(String, String)>) {
    match value {
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).and_then(Value::as_str);
            if let (Some(path), Some(name)) = (text("path"), text("qualified_name")) {
                into.insert((path.to_owned(), name.to_owned()));
            }
            fields.values().for_each(|value| collect(value, into));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, into)),
        _ => {}
    }
}

/// Returns true if a definition is a hop, `path:Name` with the name as in the language: its last
/// names are those of the hop, where `Type.Type` is a constructor.
fn is_hop(hop: &str, path: &str, qualified_name: &str) -> bool {
    let Some((of_path, name)) = hop.split_once(':') else { return false };
    let names = |text: &str| -> Vec<String> {
        let parts = text.split(['.', ':', '#']).filter(|part| !part.is_empty());
        parts.map(|part| part.split('<').next().unwrap_or(part).trim().to_owned()).collect()
    };
    let (hop, own) = (names(name), names(qualified_name));
    let is_constructor = hop.len() > 1 && hop[hop.len() - 1] == hop[hop.len() - 2];
    let constructors = ["constructor", "__init__", "initialize", "__construct", "init", "<init>"];
    of_path == path
        && (is_last(&hop, &own)
            || is_constructor
                && own.last().is_some_and(|last| {
                    *last == hop[hop.len() - 1] || constructors.contains(&last.as_str())
                })
                && own.contains(&hop[hop.len() - 1]))
}

/// Returns true if the last name is the same, and the others are among those of the definition in this
/// order: an extension of Kotlin has the extended type between them.
fn is_last(hop: &[String], own: &[String]) -> bool {
    let (Some((last, around)), Some((own_last, own_around))) = (hop.split_last(), own.split_last())
    else {
        return false;
    };
    let mut left = own_around.iter();
    last == own_last && around.iter().all(|name| left.any(|own| own == name))
}

fn codedb(folder: &Path, indexes: &Path) -> Command {
    let program = std::env::var_os("CODEDB_BENCH_PROGRAM")
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_codedb").into());
    let mut command = Command::new(program);
    command.current_dir(folder).env("CODEDB_INDEX_DIR", indexes).env("NO_COLOR", "1");
    command
}
