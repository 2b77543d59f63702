//! `symbol`, `callers`, `explain`, `callpath` and `deps` state the same about the same definitions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::trees::{CPP, GO, JAVA, PYTHON, RUST, TYPESCRIPT};
use super::write;
use crate::mcp::session::Session;
use crate::support::place::Place;

/// The number of definitions of a tree that are checked in a run of all tests.
const DEFINITIONS: usize = 12;

/// The number of callers of one definition that are checked.
const CALLERS: usize = 4;

/// The maximum number of entries that a reply lists.
const ALL: usize = 1000;

/// A server and what its replies contradict.
struct Check {
    session: Session,
    compared: usize,
    contradictions: Vec<String>,
}

impl Check {
    fn json(&mut self, tool: &str, mut arguments: Value) -> Value {
        arguments["format"] = "json".into();
        let mut result = self.session.call(tool, arguments.clone());
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        result["structuredContent"].take()
    }

    fn compare(&mut self, is_same: bool, what: impl FnOnce() -> String) {
        self.compared += 1;
        if !is_same {
            self.contradictions.push(what());
        }
    }

    /// Checks some functions of the tree, at even distances in the order of ids.
    fn run(&mut self, definitions: usize) {
        let mut ids = BTreeSet::new();
        for kind in ["function", "method"] {
            let all = json!({"pattern": "*", "kind": kind, "max_results": ALL});
            let found = self.json("codedb_symbol", all);
            let id = |symbol: &Value| symbol["id"].as_str().map(str::to_owned);
            ids.extend(found["symbols"].as_array().into_iter().flatten().filter_map(id));
        }
        let ids: Vec<String> = ids.into_iter().collect();
        let taken = ids.len().min(definitions);
        for at in 0..taken {
            self.definition(&ids[at * ids.len() / taken]);
        }
    }

    fn definition(&mut self, id: &str) {
        let symbol = self.json("codedb_symbol", json!({ "name": id }));
        let [defined] = symbol["symbols"].as_array().map_or(&[][..], Vec::as_slice) else {
            return self.compare(false, || format!("symbol {id}: {symbol}"));
        };
        let callers = self.json("codedb_callers", json!({"name": id, "max_results": ALL}));
        let explained = self.json("codedb_explain", json!({"name": id, "max_results": ALL}));
        let target = &callers["definitions"][0];
        self.compare(target["id"] == defined["id"], || format!("callers {id}: {target}"));
        let same = &explained["symbol"];
        self.compare(same["id"] == defined["id"], || format!("explain {id}: {same}"));
        let places = |rows: &Value| -> BTreeSet<(String, u64)> {
            let rows = rows.as_array().into_iter().flatten();
            let place = |row: &Value| (row["path"].to_string(), row["line"].as_u64().unwrap_or(0));
            rows.map(place).collect()
        };
        let (listed, also) = (places(&callers["callers"]), places(&explained["callers"]["list"]));
        self.compare(listed == also, || format!("callers of {id}: {listed:?}, explain: {also:?}"));
        let counts = (&callers["unsure"], &explained["callers_unresolved"]);
        self.compare(counts.0 == counts.1, || format!("unresolved calls of {id}: {counts:?}"));
        self.name(defined, &callers);
        let mut callers: Vec<Value> = callers["callers"].as_array().cloned().unwrap_or_default();
        callers
            .dedup_by_key(|caller| (caller["path"].to_string(), caller["in"]["name"].to_string()));
        for caller in callers.iter().take(CALLERS) {
            self.caller(defined, caller);
        }
    }

    /// Checks that `callers` of the name counts as many calls for the definition as `callers` of its id,
    /// those that it lists at other definitions included.
    fn name(&mut self, defined: &Value, callers: &Value) {
        let id = &defined["id"];
        let name = defined["name"].as_str().unwrap_or_default();
        let by_name = self.json("codedb_callers", json!({"name": name, "max_results": ALL}));
        let all = by_name["definitions"].as_array().into_iter().flatten();
        let Some(same) = all.clone().find(|definition| definition["id"] == *id) else {
            let is_cut = by_name["definitions_shown"] != by_name["definitions_total"];
            return self.compare(is_cut, || format!("callers {name} lacks {id}: {by_name}"));
        };
        let count = |key: &str| same[key].as_u64().unwrap_or(0);
        let counts = (count("callers") + count("callers_elsewhere"), &callers["total"]);
        self.compare(*counts.1 == counts.0, || {
            format!("callers {name} counts {} for {id}, callers {id} {}", counts.0, counts.1)
        });
    }

    /// Checks that the function around a call calls the definition according to the other tools.
    fn caller(&mut self, defined: &Value, caller: &Value) {
        let (id, path) = (&defined["id"], caller["path"].as_str().unwrap_or_default());
        if caller["in"].is_null() {
            // Calls outside of definitions.
            return;
        }
        let within = json!({"name": caller["in"]["name"], "path_glob": path});
        let around = self.json("codedb_symbol", within);
        let is_around = |symbol: &&Value| symbol["line"] == caller["in"]["line"];
        let around = around["symbols"].as_array().and_then(|all| all.iter().find(is_around));
        let Some(around) = around.cloned() else {
            // Calls outside of functions.
            return;
        };
        let ends = json!({"from": around["id"], "to": id});
        let found = self.json("codedb_callpath", ends);
        let is_same = around["id"] == *id;
        let calls = found["calls"].as_u64().unwrap_or(0);
        let is_path = found["chain"].as_array().is_some_and(|chain| !chain.is_empty());
        self.compare(is_path && calls == u64::from(!is_same), || {
            format!("{} calls {id} in line {}, callpath: {found}", around["id"], caller["line"])
        });
        // Only `callers` counts a call of a base's method for the one that overrides it, and a call of
        // a type for its constructor and the type.
        let is_direct = caller["reason"] != "through the base type's method";
        let is_function = matches!(around["kind"].as_str(), Some("function" | "method"));
        let name = defined["name"].as_str().unwrap_or_default();
        let is_named = caller["text"].as_str().unwrap_or_default().contains(name);
        if is_direct && is_function && is_named {
            let explained =
                self.json("codedb_explain", json!({"name": around["id"], "max_results": ALL}));
            // A declaration and its definition, and a macro and a function, may share the name.
            let is_callee = |callee: &Value| callee["name"] == defined["qualified_name"];
            let callees = &explained["callees"]["list"];
            let is_listed = callees.as_array().is_some_and(|list| list.iter().any(is_callee));
            let is_certain = caller["confidence"].as_f64().unwrap_or(0.0) >= 0.5;
            self.compare(is_listed || !is_certain, || {
                format!(
                    "{} calls {id} in line {}, explain: {callees}",
                    around["id"], caller["line"]
                )
            });
        }
        let to = defined["path"].as_str().unwrap_or_default();
        if caller["reason"] == "imported" && to != path {
            let query = json!({"path": path, "direction": "depends_on", "transitive": true,
                "max_results": ALL});
            let deps = self.json("codedb_deps", query);
            let is_it = |file: &Value| file["path"] == *to;
            let is_listed = deps["files"].as_array().is_some_and(|files| files.iter().any(is_it));
            self.compare(is_listed, || format!("{path} imports {id}, deps: {}", deps["files"]));
        }
    }
}

#[track_caller]
fn check(place: &Place, definitions: usize, compared_min: usize) {
    let mut session = Session::start(place, &["--toolsets", "core,navigate"]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    let mut check = Check { session, compared: 0, contradictions: Vec::new() };
    check.run(definitions);
    let Check { session, compared, contradictions } = check;
    session.end();
    assert!(contradictions.is_empty(), "{compared} compared: {contradictions:#?}");
    assert!(compared >= compared_min, "only {compared} compared");
}

/// Copies the files below a directory, without hidden ones, into a directory of a place.
fn copy(place: &Place, root: &Path, prefix: &str) {
    let mut pending: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory").flatten() {
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if is_hidden {
                continue;
            }
            if path.is_dir() {
                pending.push(path);
            } else if let Ok(text) = std::fs::read(&path) {
                let below = path.strip_prefix(root).expect("it is below");
                place.write(Path::new(prefix).join(below), text);
            }
        }
    }
}

#[test]
fn tools_agree_on_small_trees() {
    for files in [PYTHON, TYPESCRIPT, GO, RUST, JAVA, CPP] {
        let place = Place::new();
        write(&place, files);
        check(&place, usize::MAX, 10);
    }
}

/// The sources of this program.
#[test]
fn tools_agree_on_a_real_tree() {
    let place = Place::new();
    let manifest = "[package]\nname = \"codedb\"\n[workspace]\nmembers = [\"core\"]\n\
                    [dependencies]\ncodedb-core = { path = \"core\" }\n";
    place.write("Cargo.toml", manifest);
    place.write("core/Cargo.toml", "[package]\nname = \"codedb-core\"\n");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for sources in ["src", "core/src"] {
        copy(&place, &root.join(sources), sources);
    }
    check(&place, DEFINITIONS, 60);
}

/// Run it with `CODEDB_CALLS_TREE=DIR cargo test --test it tools_agree_on_a_tree -- --ignored`.
#[test]
#[ignore = "needs a tree"]
fn tools_agree_on_a_tree() {
    let root =
        std::env::var_os("CODEDB_CALLS_TREE").expect("`CODEDB_CALLS_TREE` names a directory");
    let place = Place::new();
    copy(&place, Path::new(&root), "");
    check(&place, DEFINITIONS * 10, 60);
}
