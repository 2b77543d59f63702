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
