//! Calls of tools as command lines, for the help of commands and for the pages of docs/tools/.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Tool;

/// Returns a call of `tool` as it is typed in a POSIX shell.
pub fn of(tool: &Tool, arguments: &Map<String, Value>) -> String {
    let mut line = format!("codedb {}", tool.command());
    for name in tool.positional {
        for word in arguments.get(*name).into_iter().flat_map(words) {
            line.push_str(&format!(" {word}"));
        }
    }
    // The order of the keys of a JSON object depends on a feature that other crates may enable.
    let named: BTreeMap<&String, &Value> = arguments.iter().collect();
    for (name, value) in named {
        let flag = name.replace('_', "-");
        match value {
            _ if tool.positional.contains(&name.as_str()) => {}
            // A required flag has a value.
            Value::Bool(is_set) if is_required(tool, name) => {
                line.push_str(&format!(" --{flag} {is_set}"));
            }
            Value::Bool(false) if has_three_states(tool, name) => {
                line.push_str(&format!(" --{flag}=false"));
            }
            Value::Bool(is_set) => line.extend(is_set.then(|| format!(" --{flag}"))),
            value => {
                line.extend(words(value).into_iter().map(|word| format!(" --{flag} {word}")));
            }
        }
    }
    line
}

/// Returns true for a switch that may be on, off or not set.
fn has_three_states(tool: &Tool, name: &str) -> bool {
    tool.arguments()["properties"][name].get("default").is_none()
}

fn is_required(tool: &Tool, name: &str) -> bool {
    let schema = tool.arguments();
    schema["required"].as_array().is_some_and(|names| names.iter().any(|of| of == name))
}

/// Returns the example calls of `tool` as command lines.
pub fn examples(tool: &Tool) -> impl Iterator<Item = String> + '_ {
    let parsed = tool.examples.iter().filter_map(|example| serde_json::from_str(example).ok());
    parsed.map(|arguments: Map<String, Value>| of(tool, &arguments))
}

/// Returns a value as shell words: a list of texts is repeated, other lists are JSON.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) if values.iter().all(Value::is_string) => {
            values.iter().map(word).collect()
        }
        value => vec![word(value)],
    }
}

/// Returns a value as one shell word.
fn word(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    #[track_caller]
    fn check(tool: &str, arguments: &str, expected: &str) {
        let tool = tools::find(tool).expect("a tool");
        let arguments = serde_json::from_str(arguments).expect("an object");
        assert_eq!(of(tool, &arguments), expected);
    }

    #[test]
    fn a_call_is_typed_with_positional_arguments_first() {
        check("codedb_callers", r#"{"uses": true, "name": "a"}"#, "codedb callers a --uses");
        check(
            "codedb_record_result",
            r#"{"test_id": "a::b", "passed": false}"#,
            "codedb record-result a::b --passed false",
        );
        check("codedb_symbol", r#"{"name": "a b", "body": false}"#, "codedb symbol 'a b'");
        check(
            "codedb_impact",
            r#"{"functions": ["a", "b"]}"#,
            "codedb impact --functions a --functions b",
        );
        check(
            "codedb_query",
            r#"{"pipeline": [{"op": "find"}]}"#,
            "codedb query '[{\"op\":\"find\"}]'",
        );
        check("codedb_find", r#"{"query": "it's"}"#, "codedb find 'it'\\''s'");
    }
}
