//! The table of tools: names, schemas and examples.

use super::*;

#[test]
fn schemas_use_only_what_clients_accept() {
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
fn every_tool_has_an_example_that_its_schema_allows() {
    for tool in TOOLS {
        assert!(!tool.examples.is_empty(), "{} has none", tool.name);
        let schema = (tool.schema)();
        for example in tool.examples {
            let example: Value = serde_json::from_str(example).expect("it is JSON");
            let args = example.as_object().expect("an object");
            assert!(args.keys().all(|name| schema["properties"][name].is_object()), "{example}");
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

#[test]
fn aliases_are_no_arguments_and_stand_for_one() {
    for tool in TOOLS {
        let properties = &(tool.schema)()["properties"];
        for alias in tool.aliases {
            assert!(properties[alias.name].is_null(), "{}: {}", tool.name, alias.name);
            assert!(properties[alias.canonical].is_object(), "{}: {}", tool.name, alias.canonical);
        }
    }
}

#[test]
fn guessed_arguments_are_accepted() {
    for (tool, guessed, expected) in [
        ("symbol", r#"{"symbol": "a"}"#, r#"{"name": "a"}"#),
        ("callers", r#"{"function": "a"}"#, r#"{"name": "a"}"#),
        ("context", r#"{"query": "a"}"#, r#"{"task": "a"}"#),
        ("read", r#"{"file": "a.rs", "name": "f"}"#, r#"{"path": "a.rs", "symbol": "f"}"#),
        ("read", r#"{"file": "a.rs", "lines": "10-20"}"#, r#"{"path": "a.rs:10-20"}"#),
        ("read", r#"{"path": "a.rs", "lines": "L10 - L20"}"#, r#"{"path": "a.rs:10-20"}"#),
        ("read", r#"{"path": "a.rs", "lines": [10, 20]}"#, r#"{"path": "a.rs:10-20"}"#),
        ("read", r#"{"path": "a.rs", "lines": 10}"#, r#"{"path": "a.rs:10"}"#),
    ] {
        let parse = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
        let Value::Object(mut args) = parse(guessed) else { panic!("not an object") };
        let tool = find(tool).expect("by its command");
        aliases::replace(tool.aliases, &mut args, std::path::Path::new("/")).expect("no conflict");
        assert_eq!(Value::Object(args), parse(expected), "{guessed}");
    }
}
