//! The table of tools: names, schemas and the documentation that is made from them.

use std::fmt::Write as _;

use super::*;

/// Returns docs/tools.md as the table says it.
fn documentation() -> String {
    let mut out = String::from(
        "# Tools\n\n\
         Each tool is a command of its name without `codedb_`, with a flag for each argument (`max_results` \
         is `--max-results`); those that are marked come without their names. `--json` answers in JSON. \
         Exit codes: 0 found, 1 nothing found, 2 an error. `codedb_search`, `codedb_status` and `codedb_index` \
         are for agents alone (docs/mcp.md): on the command line these names are commands of another kind.\n\n\
         Paths are relative to the tree's root and separated by `/`; absolute ones below the root are \
         understood, and on the command line those relative to the current directory, where something of \
         the tree is there; with a `--root` that is named, only from within it. They are text: a file whose \
         name is no UTF-8 is listed with `\u{FFFD}` in it and cannot be asked for by name. Lists say how many \
         there are (`total`) and how many are `shown`; `max_results` counts up to 1,000. This page is checked \
         against the table in `src/tools.rs`.\n\n\
         Every tool of a server takes `project`, too, which no table repeats: the name or the absolute path of \
         one of the trees that `codedb_projects` lists; an absolute `path` in one of them says the same. In a \
         bundle each call may name its own.\n\n\
         Answers are checked against the tree, as a search is. `--fresh trust` takes the index as it stands; \
         then a notice says so, and JSON begins with `\"freshness\":\"trust\"`. A question that finds no index, \
         or one that knows too little, answers with what can be made at once (`status` is `partial` where that \
         is not all) and leaves a builder behind, unless `--no-background` or `CODEDB_BACKGROUND=0` forbids it.\n",
    );
    for tool in TOOLS {
        let _ = writeln!(out, "\n## {}\n\n{}. {}\n", tool.name, tool.summary, tool.details);
        let schema = (tool.schema)();
        if schema["properties"] == serde_json::json!({}) {
            out.push_str("It has no arguments.\n");
            continue;
        }
        out.push_str("| argument | type | meaning |\n| --- | --- | --- |\n");
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().into_iter().flatten();
        // The order of a JSON object hangs on a feature that other crates may switch on.
        for (name, property) in properties.collect::<std::collections::BTreeMap<_, _>>() {
            let kind = property["type"].as_str().unwrap_or_default();
            let needed = if required.iter().any(|other| other == name) { ", required" } else { "" };
            let bare = if tool.positional.contains(&name.as_str()) { ", unnamed" } else { "" };
            let meaning = property["description"].as_str().unwrap_or_default().replace('\n', " ");
            let _ = writeln!(out, "| `{name}` | {kind}{needed}{bare} | {meaning} |");
        }
    }
    out
}

#[test]
fn the_documentation_is_that_of_the_table() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tools.md");
    let expected = documentation();
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found != expected {
        // Whoever looks at the difference finds the right text beside it.
        let right = std::env::temp_dir().join("codedb-tools.md");
        std::fs::write(&right, &expected).expect("a temporary file");
        panic!("docs/tools.md is behind the table: see {}", right.display());
    }
}

#[test]
fn schemas_are_what_clients_take() {
    for tool in TOOLS {
        let schema = (tool.schema)();
        let text = schema.to_string();
        for word in ["$ref", "$defs", "oneOf", "anyOf", "\"null\"", "\"title\"", "$schema"] {
            assert!(!text.contains(word), "{} has {word}: {text}", tool.name);
        }
        let properties = schema["properties"].as_object().expect("an object");
        for (name, property) in properties {
            assert!(property["type"].is_string(), "{}: {name} has no type", tool.name);
            let meaning = property["description"].as_str().unwrap_or_default();
            assert!(!meaning.is_empty() && !meaning.ends_with('.'), "{}: {name}", tool.name);
        }
        for name in tool.positional {
            assert!(properties.contains_key(*name), "{}: {name}", tool.name);
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    for tool in TOOLS {
        assert!(tool.name.starts_with("codedb_") && !tool.summary.ends_with('.'));
        assert!(std::ptr::eq(find(tool.name).expect("by its name"), tool));
        assert!(std::ptr::eq(find(&tool.command()).expect("by its command"), tool));
    }
    assert!(find("nothing").is_none());
}
