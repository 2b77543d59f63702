//! Grades replies of `codedb context` against written keys.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::base::tokens;
use crate::error::{Error, Result};
use crate::tools::{Call, TOOLS};

/// A task and the required content of its reply.
#[derive(Clone, Debug, Deserialize)]
pub struct Key {
    /// The task.
    pub task: String,
    /// Required keywords.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Required definitions, each as `path:name`.
    #[serde(default)]
    pub definitions: Vec<String>,
    /// Acceptable paths of the first file.
    #[serde(default)]
    pub first_file: Vec<String>,
}

/// The result of comparing a reply with its key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Graded {
    /// Descriptions of missing content; empty if the reply is right.
    pub missing: Vec<String>,
    /// Estimated tokens of the reply as text.
    pub tokens: u64,
}

/// Returns the keys of a file with a JSON object on each line.
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the number of an invalid line.
pub fn keys(text: &str) -> Result<Vec<Key>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let key = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| Error::usage(format!("line {}: invalid key: {error}", number + 1)))
    };
    lines.map(key).collect()
}

/// Runs the task of a key with default options and grades the reply.
///
/// # Errors
///
/// Those of the tool.
pub fn grade(call: &Call<'_>, key: &Key) -> Result<Graded> {
    let tool = TOOLS.iter().find(|tool| tool.name == "codedb_context").expect("it is in the table");
    let answer = tool.run(call, json!({ "task": key.task }))?;
    let reply: Value = serde_json::from_str(&answer.json()?).unwrap_or_default();
    let tokens = tokens::count(&answer.text()) as u64;
    Ok(Graded { tokens, ..graded(&reply, key) })
}

fn graded(reply: &Value, key: &Key) -> Graded {
    let list = |name: &str| reply[name].as_array().cloned().unwrap_or_default();
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut missing = Vec::new();
    let keywords: Vec<String> = list("keywords").iter().map(|word| text(word, "text")).collect();
    for required in key.keywords.iter().filter(|required| !keywords.contains(required)) {
        missing.push(format!("keyword `{required}`"));
    }
    let symbols: Vec<String> = list("symbols")
        .iter()
        .map(|symbol| format!("{}:{}", text(symbol, "path"), text(symbol, "name")))
        .collect();
    for required in key.definitions.iter().filter(|required| !symbols.contains(required)) {
        missing.push(format!("definition `{required}`"));
    }
    let first = list("files").first().map(|file| text(file, "path")).unwrap_or_default();
    if !key.first_file.is_empty() && !key.first_file.contains(&first) {
        missing.push(format!("first file `{}` (got `{first}`)", key.first_file.join("` or `")));
    }
    Graded { missing, tokens: reply["tokens"].as_u64().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_graded() {
        let key = keys(
            "{\"task\":\"t\",\"keywords\":[\"a\"],\"definitions\":[\"x.rs:a\"],\"first_file\":[\"x.rs\"]}",
        )
        .expect("a key")
        .remove(0);
        let mut reply = json!({
            "keywords": [{ "text": "a" }],
            "symbols": [{ "path": "x.rs", "name": "a" }],
            "files": [{ "path": "x.rs" }],
            "tokens": 12,
        });
        assert_eq!(graded(&reply, &key), Graded { missing: Vec::new(), tokens: 12 });
        reply["files"][0]["path"] = json!("y.rs");
        reply["symbols"] = json!([]);
        let missing = graded(&reply, &key).missing;
        assert_eq!(missing, ["definition `x.rs:a`", "first file `x.rs` (got `y.rs`)"]);
        assert!(keys("{}").is_err());
    }
}
