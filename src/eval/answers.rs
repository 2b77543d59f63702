//! Asks tasks whose answer somebody wrote down, and says what of it a reply lacks.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::tokens;
use crate::error::{Error, Result};
use crate::tools::{Call, TOOLS};

/// A task and what its reply is to have.
#[derive(Clone, Debug, Deserialize)]
pub struct Key {
    /// What is asked.
    pub task: String,
    /// Names that the reply is to have understood.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Definitions that it is to show, each as `path:name`.
    #[serde(default)]
    pub definitions: Vec<String>,
    /// Paths one of which is to be its first file.
    #[serde(default)]
    pub first_file: Vec<String>,
}

/// How a reply compares to its key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Graded {
    /// What the reply lacks, in words; nothing if it is right.
    pub lacks: Vec<String>,
    /// Tokens of the reply as text, as they are estimated.
    pub tokens: u64,
}

/// Returns the keys of a file with a JSON object on each line.
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the number of a line that is none.
pub fn keys(text: &str) -> Result<Vec<Key>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let key = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| Error::usage(format!("line {} is no key: {error}", number + 1)))
    };
    lines.map(key).collect()
}

/// Asks for a key's task, with the usual options, and grades the reply.
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
    let mut lacks = Vec::new();
    let keywords: Vec<String> = list("keywords").iter().map(|word| text(word, "text")).collect();
    for wanted in key.keywords.iter().filter(|wanted| !keywords.contains(wanted)) {
        lacks.push(format!("the keyword {wanted}"));
    }
    let symbols: Vec<String> = list("symbols")
        .iter()
        .map(|symbol| format!("{}:{}", text(symbol, "path"), text(symbol, "name")))
        .collect();
    for wanted in key.definitions.iter().filter(|wanted| !symbols.contains(wanted)) {
        lacks.push(format!("the definition {wanted}"));
    }
    let first = list("files").first().map(|file| text(file, "path")).unwrap_or_default();
    if !key.first_file.is_empty() && !key.first_file.contains(&first) {
        lacks.push(format!("the first file {}, which is {first}", key.first_file.join(" or ")));
    }
    Graded { lacks, tokens: reply["tokens"].as_u64().unwrap_or_default() }
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
        assert_eq!(graded(&reply, &key), Graded { lacks: Vec::new(), tokens: 12 });
        reply["files"][0]["path"] = json!("y.rs");
        reply["symbols"] = json!([]);
        let lacks = graded(&reply, &key).lacks;
        assert_eq!(lacks, ["the definition x.rs:a", "the first file x.rs, which is y.rs"]);
        assert!(keys("{}").is_err());
    }
}
