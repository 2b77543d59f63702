//! Absolute paths in every argument that is a path: below the root of the project, or of another one.

use serde_json::{Map, Value, json};

use super::projects::{of_roots, path};
use crate::support::place::Place;

/// The arguments that are paths, with whether they are directories.
const PATHS: [(&str, bool); 8] = [
    ("path", false),
    ("paths", true),
    ("exclude", true),
    ("file_path", false),
    ("files", false),
    ("directory", true),
    ("targets", false),
    ("path_glob", true),
];

/// Tools whose calls change something, so that two of them differ.
const CHANGING: [&str; 6] = [
    "codedb_edit",
    "codedb_index",
    "codedb_investigate_begin",
    "codedb_lock",
    "codedb_snapshot",
    "codedb_start_job",
];

/// Returns the other arguments of a call.
fn required(schema: &Value) -> Map<String, Value> {
    let names = schema["required"].as_array().into_iter().flatten();
    let value = |name: &str| match name {
        "name" | "query" | "task" | "from" | "to" | "word" => Some(json!("of_lib")),
        "pattern" => Some(json!("*")),
        "since" => Some(json!("1h")),
        _ => None,
    };
    let names = names.filter_map(Value::as_str);
    names.filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
}

#[test]
fn every_path_may_be_absolute_and_chooses_its_project() {
    let place = Place::new();
    for (tree, name) in [("app", "app"), ("lib", "lib")] {
        let text = format!("pub fn of_lib() {{}}\n\npub fn by_{name}() {{\n    of_lib();\n}}\n");
        place.write(format!("{tree}/src/{name}_here.rs"), text);
    }
    place.write("x/app/none.rs", "");
    let mut session = of_roots(&place, &["app", "lib"]);
    let listed = session.request("tools/list", json!({}));
    let mut checked = 0;
    for tool in listed["tools"].as_array().expect("tools") {
        let name = tool["name"].as_str().expect("a name");
        if CHANGING.contains(&name) {
            continue;
        }
        for (argument, is_directory) in PATHS {
            let property = &tool["inputSchema"]["properties"][argument];
            if property.is_null() {
                continue;
            }
            for project in ["app", "lib"] {
                let file = if is_directory { "src" } else { &format!("src/{project}_here.rs") };
                let file = if argument == "path_glob" { "src/**" } else { file };
                let root = path(&place, project);
                let mut arguments = |file: &str, project: Option<&str>| {
                    let mut all = required(&tool["inputSchema"]);
                    let value =
                        if property["type"] == "array" { json!([file]) } else { json!(file) };
                    all.insert(argument.to_owned(), value);
                    all.extend(project.map(|project| ("project".to_owned(), json!(project))));
                    let answer = session.call(name, Value::Object(all));
                    let text = answer["content"][0]["text"].as_str().expect("a text");
                    let lines = text.lines().filter(|line| !line.contains("from project `lib`"));
                    (answer["isError"] == true, lines.collect::<Vec<_>>().join("\n"))
                };
                let relative = arguments(file, Some(project));
                let absolute = arguments(&format!("{root}/{file}"), None);
                assert_eq!(absolute, relative, "{name} {argument} {project}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 40, "{checked}");
    // The error of a path in none of them has the choice.
    let answer = session.call("codedb_read", json!({"path": path(&place, "x/app/none.rs")}));
    let text = answer["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("`project` chooses another one: `app`, `lib`"), "{text}");
    session.end();
}

#[test]
fn a_definition_stands_where_a_path_is_expected() {
    let place = super::projects::place();
    let mut session = of_roots(&place, &["lib"]);
    for (tool, path) in [("codedb_suggest_tests", "file_path"), ("codedb_impact", "files")] {
        let expected = session.text(tool, json!({"functions": ["of_lib"]}));
        let value = |name| if path == "files" { json!([name]) } else { json!(name) };
        assert_eq!(session.text(tool, json!({path: value("of_lib")})), expected, "{tool}");
        assert_eq!(session.text(tool, json!({path: value("lib_here::of_lib")})), expected);
        let text = session.text(tool, json!({"symbol": "of_lib"}));
        assert!(text.starts_with(&expected), "{text}, not {expected}");
    }
    session.end();
}
