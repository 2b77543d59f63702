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

/// Replaces the names of arguments in a sentence of a reply of `tool` by the words of its command:
/// `max_results` by `--max-results`, a positional one by its placeholder, `NAME`; and the names in mentions
/// of tools by those of their commands. Arguments behind a mention are those of that tool.
pub fn in_flags(tool: &Tool, sentence: &str) -> String {
    const MENTION: &str = "{tool:";
    if sentence.starts_with("did you mean") {
        // What is suggested instead of a name is no argument.
        return sentence.to_owned();
    }
    let mut of = tool;
    let mut out = String::with_capacity(sentence.len());
    for (at, part) in sentence.split('`').enumerate() {
        if at > 0 {
            out.push('`');
        }
        if at % 2 == 1 {
            out.push_str(&word_of(of, part).unwrap_or_else(|| part.to_owned()));
            continue;
        }
        for (at, piece) in part.split(MENTION).enumerate() {
            let mentioned = if at > 0 { piece.split_once('}') } else { None };
            out.push_str(if at > 0 { MENTION } else { "" });
            match mentioned
                .and_then(|(name, rest)| Some((super::find(&name.replace('_', "-"))?, rest)))
            {
                Some((named, rest)) => {
                    of = named;
                    out.push_str(&format!("{}}}{rest}", named.command()));
                }
                None => out.push_str(piece),
            }
        }
    }
    out
}

/// Returns an argument as it is typed, if a tool has one with this name.
fn word_of(tool: &Tool, name: &str) -> Option<String> {
    let property = tool.arguments()["properties"].get(name)?;
    // Where a number is optional, its flag is clearer.
    let is_number = property["type"] == "integer" && !is_required(tool, name);
    Some(if tool.positional.contains(&name) && !is_number {
        name.to_uppercase()
    } else {
        format!("--{}", name.replace('_', "-"))
    })
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
    fn sentences_have_the_words_of_the_command_line() {
        for (tool, sentence, expected) in [
            (
                "codedb_hot",
                "10 of 12 shown; `limit` shows more",
                "10 of 12 shown; `--limit` shows more",
            ),
            ("codedb_callers", "`max_results` shows more", "`--max-results` shows more"),
            ("codedb_callers", "pass a `name`", "pass a `NAME`"),
            ("codedb_callers", "did you mean `path`?", "did you mean `path`?"),
            ("codedb_find", "`query` is empty", "`QUERY` is empty"),
            ("codedb_find", "{tool:test_gaps} lists", "{tool:test-gaps} lists"),
            ("codedb_read", "{tool:symbol} and `pattern`", "{tool:symbol} and `--pattern`"),
            ("codedb_callers", "`src/a.rs` and `max_depth`", "`src/a.rs` and `max_depth`"),
        ] {
            let tool = tools::find(tool).expect("a tool");
            assert_eq!(in_flags(tool, sentence), expected);
        }
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
